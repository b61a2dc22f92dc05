//! The first words on a connection: both ends show that they know the token, without sending it.
//!
//! ```text
//!   who accepts                              who connects
//!   magic, nonce a          ------------>
//!                           <------------    magic, nonce b, rank, ranks, HMAC(token, "connect", a, b, rank, ranks)
//!   HMAC(token, "accept", a, b, rank, ranks)
//!                           ------------>
//! ```
//!
//! The proofs are HMAC-SHA256 over numbers that both ends have drawn, so that neither can be played back. What follows
//! is not encrypted: the network between ranks is that of a cluster or of one machine.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What all ranks of a computation know, and no other process.
#[derive(Clone)]
pub struct Token(Vec<u8>);

/// No stranger may hold up a rank for longer.
const PATIENCE: Duration = Duration::from_secs(5);
const MAGIC: [u8; 16] = *b"manybody ranks 1";
const NONCE: usize = 32;
const PROOF: usize = 32;

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// The fewest bytes of a token that a user chooses.
    pub const LEAST: usize = 16;

    /// A token that was agreed on.
    pub fn of(text: &str) -> Self {
        Token(text.into())
    }

    /// A token that cannot be guessed, as text.
    ///
    /// # Errors
    /// Those of the operating system's random numbers.
    pub fn draw() -> io::Result<String> {
        nonce().map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn proof(&self, label: &str, parts: [&[u8]; 3]) -> Hmac<Sha256> {
        // a key of any length is a key
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!());
        mac.update(label.as_bytes());
        parts.iter().for_each(|part| mac.update(part));
        mac
    }
}

fn nonce() -> io::Result<[u8; NONCE]> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(nonce)
}

fn numbers([rank, ranks]: [u32; 2]) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&rank.to_le_bytes());
    bytes[4..].copy_from_slice(&ranks.to_le_bytes());
    bytes
}

/// An answer to another token.
fn refused(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, why)
}

/// What is no rank of this program.
fn stranger(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

/// The end that accepts: returns the rank of the other end and how many ranks it was started with.
///
/// # Errors
/// [`ErrorKind::PermissionDenied`] for another token, [`ErrorKind::InvalidData`] for what is no rank, and those of the socket.
pub(super) fn accept(stream: &mut TcpStream, token: &Token) -> io::Result<[u32; 2]> {
    let mut line = Patience::on(stream)?;
    let own = nonce()?;
    line.write(&[&MAGIC, &own])?;
    if line.read::<{ MAGIC.len() }>()? != MAGIC {
        return Err(stranger("is no rank"));
    }
    let (other, which, proof) = (line.read::<NONCE>()?, line.read::<8>()?, line.read::<PROOF>()?);
    let right = token.proof("connect", [&own, &other, &which]);
    right.verify_slice(&proof).map_err(|_| refused("has another token"))?;
    line.write(&[&token.proof("accept", [&own, &other, &which]).finalize().into_bytes()])?;
    line.end()?;
    let number = |at: usize| u32::from_le_bytes([which[at], which[at + 1], which[at + 2], which[at + 3]]);
    Ok([number(0), number(4)])
}

/// The end that connects, as a rank of so many.
///
/// # Errors
/// [`ErrorKind::PermissionDenied`] where the other end has another token, [`ErrorKind::InvalidData`] where it is no rank, and those
/// of the socket.
pub(super) fn connect(stream: &mut TcpStream, token: &Token, which: [u32; 2]) -> io::Result<()> {
    let mut line = Patience::on(stream)?;
    let first = line.read::<{ MAGIC.len() }>().map_err(|error| match error.kind() {
        // a server of another protocol waits for the first word
        ErrorKind::WouldBlock | ErrorKind::TimedOut => stranger("does not say what a rank says first"),
        _ => error,
    })?;
    if first != MAGIC {
        return Err(stranger("is no rank"));
    }
    let other = line.read::<NONCE>()?;
    let (own, which) = (nonce()?, numbers(which));
    let proof = token.proof("connect", [&other, &own, &which]).finalize().into_bytes();
    line.write(&[&MAGIC, &own, &which, &proof])?;
    // who refuses a token closes the connection
    let answer = line.read::<PROOF>().map_err(|_| refused("refuses this token"))?;
    let right = token.proof("accept", [&other, &own, &which]);
    right.verify_slice(&answer).map_err(|_| refused("does not know this token"))?;
    line.end()
}

/// What is read from a socket up to a time, however slowly it comes.
struct Patience<'a> {
    stream: &'a mut TcpStream,
    end: Instant,
}

impl<'a> Patience<'a> {
    fn on(stream: &'a mut TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Patience { stream, end: Instant::now() + PATIENCE })
    }

    fn read<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (mut bytes, mut done) = ([0; N], 0);
        while done < N {
            let left = self.end.saturating_duration_since(Instant::now());
            // no time at all would be no limit
            self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
            match self.stream.read(&mut bytes[done..])? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                count => done += count,
            }
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
        }
        Ok(bytes)
    }

    fn write(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.stream.write_all(&parts.concat())
    }

    fn end(self) -> io::Result<()> {
        self.stream.set_read_timeout(None)?;
        self.stream.set_write_timeout(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Both ends of a handshake.
    fn both(accepts: &str, connects: &str) -> (io::Result<[u32; 2]>, io::Result<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(move || accept(&mut listener.accept().unwrap().0, &Token::of(accepts)));
            let own = connect(&mut TcpStream::connect(at).unwrap(), &Token::of(connects), [3, 8]);
            (other.join().unwrap(), own)
        })
    }

    #[test]
    fn who_has_the_token_is_let_in() {
        let (accepted, connected) = both("the same secret", "the same secret");
        assert_eq!(accepted.unwrap(), [3, 8]);
        connected.unwrap();
    }

    #[test]
    fn who_has_another_is_not() {
        for (a, b) in [("one secret", "another secret"), ("", "x"), ("a", "ab")] {
            let (accepted, connected) = both(a, b);
            assert_eq!(accepted.unwrap_err().kind(), ErrorKind::PermissionDenied);
            assert_eq!(connected.unwrap_err().kind(), ErrorKind::PermissionDenied);
        }
    }

    #[test]
    fn strangers_are_refused_at_their_first_words() {
        for garbage in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[0; 16], &[255; 200]] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let mut stranger = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            stranger.write_all(garbage).unwrap();
            let error = accept(&mut listener.accept().unwrap().0, &Token::of("secret")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
        }
    }

    /// As a server of another protocol, which waits or speaks first.
    #[test]
    fn a_server_that_is_no_rank_is_known_by_its_first_words() {
        for words in [&b""[..], b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let at = listener.local_addr().unwrap();
            let mut own = TcpStream::connect(at).unwrap();
            let mut other = listener.accept().unwrap().0;
            other.write_all(words).unwrap();
            let error = connect(&mut own, &Token::of("secret"), [1, 2]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        }
    }

    /// A stranger who plays back what a rank has said.
    #[test]
    fn words_that_were_heard_open_nothing() {
        let token = Token::of("secret");
        let (a, b, which) = (nonce().unwrap(), nonce().unwrap(), numbers([1, 2]));
        let heard = token.proof("connect", [&a, &b, &which]).finalize().into_bytes();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stranger = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        stranger.write_all(&[&MAGIC[..], &b, &which, &heard].concat()).unwrap();
        let error = accept(&mut listener.accept().unwrap().0, &token).unwrap_err();
        assert_eq!(error.to_string(), "has another token");
        assert_ne!(Token::draw().unwrap(), Token::draw().unwrap());
    }
}
