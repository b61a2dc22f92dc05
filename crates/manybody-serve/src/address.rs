//! Where the server listens, and by which names a browser may call it.

use manybody::{Error, Result};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _, UdpSocket};
use std::str::FromStr;

/// An address to listen at. By default this machine alone can reach it, at a port that the system chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The name or the number of the machine.
    host: String,
    port: u16,
}

impl Default for Address {
    fn default() -> Self {
        Address { host: Ipv4Addr::LOCALHOST.to_string(), port: 0 }
    }
}

impl FromStr for Address {
    type Err = Error;

    /// "8080", ":8080", "127.0.0.1:8080", "\[::1\]:8080", "name:8080".
    fn from_str(text: &str) -> Result<Self> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_name = |host: &str| host.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
        let host = match (bare, host) {
            (Some(bare), _) => bare.parse::<IpAddr>().ok().map(|ip| ip.to_string()),
            (None, "") => Some(Address::default().host),
            (None, host) => Some(host.to_ascii_lowercase()).filter(|host| is_name(host)),
        };
        match (host, port.parse()) {
            (Some(host), Ok(port)) => Ok(Address { host, port }),
            _ => Err(wrong(text, "must be a port or an address with a port, such as 8080, 127.0.0.1:8080 or [::1]:0")),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl Address {
    /// Listens there.
    ///
    /// # Errors
    /// [`Error::Parameter`] where that is not possible.
    pub(crate) fn listen(&self) -> Result<std::net::TcpListener> {
        let refused = |error: std::io::Error| wrong(&self.to_string(), &format!("cannot listen there: {error}"));
        let found: Vec<SocketAddr> = (self.host.as_str(), self.port).to_socket_addrs().map_err(refused)?.collect();
        let listener = std::net::TcpListener::bind(&found[..]).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        Ok(listener)
    }

    /// The address to type, for the port that was opened.
    pub(crate) fn at(&self, port: u16) -> Address {
        Address { host: self.host.clone(), port }
    }

    /// The address to type on any machine that can reach this one: "0.0.0.0" names no machine.
    pub(crate) fn reachable(&self) -> Address {
        match self.host.parse::<IpAddr>() {
            Ok(ip) if ip.is_unspecified() => Address { host: own_ip(ip.is_ipv4()).to_string(), port: self.port },
            _ => self.clone(),
        }
    }

    /// Whether a browser that was sent to `host` (a `Host` header) may have come on purpose. A page of another site can
    /// make its own name lead here (DNS rebinding), so of names only this machine's own and the one that was asked for
    /// are good, with any port, which ssh may have changed. Numbers cannot be made to lead elsewhere.
    pub(crate) fn answers_to(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.parse::<u16>().is_ok() => name,
            _ => host,
        };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let own = match self.host.parse::<IpAddr>() {
            Ok(ip) if ip.is_unspecified() => bare.parse::<IpAddr>().is_ok(),
            _ => bare.eq_ignore_ascii_case(&self.host),
        };
        let loopback = bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        own || loopback || bare.eq_ignore_ascii_case("localhost")
    }
}

/// The number of this machine in its network; the loopback one where it has no network.
fn own_ip(is_ipv4: bool) -> IpAddr {
    // addresses of documentation [RFC 5737, RFC 3849]: a UDP socket that is connected has sent nothing
    let (own, other): (IpAddr, &str) = match is_ipv4 {
        true => (Ipv4Addr::UNSPECIFIED.into(), "192.0.2.1"),
        false => (Ipv6Addr::UNSPECIFIED.into(), "2001:db8::1"),
    };
    let socket = UdpSocket::bind((own, 0)).and_then(|socket| socket.connect((other, 9)).map(|()| socket));
    let found = socket.and_then(|socket| socket.local_addr()).map(|address| address.ip());
    let loopback = if is_ipv4 { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
    found.ok().filter(|ip| !ip.is_unspecified()).unwrap_or(loopback)
}

fn wrong(value: &str, expected: &str) -> Error {
    Error::Parameter { name: "serve", value: value.into(), expected: expected.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, shown) in [
            ("8080", "127.0.0.1:8080"),
            (":0", "127.0.0.1:0"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::1]:9", "[::1]:9"),
            ("Node12:80", "node12:80"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), shown);
        }
        for text in ["b.toml", "", "70000", "1.2.3.4", "::1", "a b:80", "[::1:80", "http://x:80"] {
            assert!(text.parse::<Address>().unwrap_err().is_bad_input(), "{text}");
        }
    }

    #[test]
    fn an_address_to_type_names_a_machine() {
        for text in ["0.0.0.0:80", "[::]:80"] {
            let open: Address = text.parse().unwrap();
            let reachable = open.reachable();
            let ip: IpAddr = reachable.host.parse().unwrap();
            assert!(!ip.is_unspecified(), "{reachable}");
            assert_eq!(reachable.port, 80);
            assert!(open.answers_to(&reachable.to_string()), "{reachable}");
        }
        let named: Address = "node12:80".parse().unwrap();
        assert_eq!(named.reachable(), named);
    }

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        let own = Address::default();
        for host in ["127.0.0.1:4000", "localhost:1", "localhost", "[::1]:7", "LOCALHOST:80"] {
            assert!(own.answers_to(host), "{host}");
        }
        for host in ["evil.example:4000", "127.0.0.1.evil.example", "", "10.0.0.1:4000", "localhost.evil.example:1"] {
            assert!(!own.answers_to(host), "{host}");
        }
        let open: Address = "0.0.0.0:80".parse().unwrap();
        assert!(open.answers_to("10.0.0.1:80") && !open.answers_to("evil.example"));
        let named: Address = "node12:80".parse().unwrap();
        assert!(named.answers_to("node12:80") && named.answers_to("localhost:9") && !named.answers_to("node13:80"));
    }
}
