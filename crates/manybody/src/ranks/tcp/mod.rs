//! Ranks that are processes, connected by TCP: how they find each other and make sure that they belong together.
//!
//! ```text
//!   rank 0 listens; the others connect to it, show the token, and say who they are and what they were started with
//!   rank 0 refuses who was started with other settings, and sends the addresses of all to each
//!   each connects to those below it; then every port is closed
//! ```

mod frame;
mod handshake;
mod mesh;

pub use handshake::Token;

use crate::ranks::identity::difference;
use crate::ranks::launch::{Launch, Meeting};
use crate::ranks::meeting;
use crate::ranks::seat::Seat;
use crate::{Error, Result};
use frame::Frame;
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use manybody_ranks::{Kind, Letter};
use mesh::Mesh;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two attempts to connect to a rank that does not listen yet.
const PAUSE: Duration = Duration::from_millis(30);
/// How long the name of rank 0's address may be unknown to its machine.
const NAMING: Duration = Duration::from_secs(30);
/// What the word of rank 0 may need on its way after it has waited for all.
const GRACE: Duration = Duration::from_secs(5);
/// How long ranks that all have come may need to connect to each other.
const CONNECTING: Duration = Duration::from_secs(15);
/// Between two looks at those who have come.
const LOOK: Duration = Duration::from_millis(200);
/// Strangers who are being listened to at once; others wait.
const STRANGERS: usize = 64;
/// Words of an introduction at most: a law in it is text of its user.
const MAX_WORDS: usize = 1 << 20;

/// Joins the ranks of a launch. All must have been started with the same `identity`: lines of the form "name = value",
/// of which the first that differs is named.
///
/// # Errors
/// [`Error::Rank`] naming a rank that is missing when the time is over, or that was started with another number of
/// ranks, the number of another rank, or other settings; [`Error::Parameter`] for an address that nothing can listen
/// on, or a wrong token; [`Error::Missing`] where ranks do not know where to meet.
pub fn join(launch: &Launch, identity: &str) -> Result<Team> {
    let deadline = Instant::now() + launch.patience;
    let lines = match launch.rank {
        0 => gather(launch, identity, deadline)?,
        _ => come(launch, identity, deadline)?,
    };
    Mesh::begin(launch.rank, lines).map(Team::of).map_err(|error| io_error(launch.rank, "cannot listen", &error))
}

fn io_error(rank: usize, what: &str, error: &io::Error) -> Error {
    let problem = match error.kind() {
        ErrorKind::UnexpectedEof => what.to_owned(),
        _ => format!("{what}: {error}"),
    };
    Error::Rank { rank, problem }
}

/// The connections of a rank, by rank, with where these are.
type Lines = Vec<Option<(TcpStream, Seat)>>;

/// A rank that has shown the token.
struct Comer {
    rank: usize,
    ranks: usize,
    stream: TcpStream,
    at: IpAddr,
    port: u16,
    seat: Seat,
    identity: String,
}

/// A port that ranks come to; closed when it is dropped.
struct Door {
    comers: Receiver<Comer>,
    refused: Arc<AtomicUsize>,
    /// Why this process can accept no connection.
    problem: Arc<Mutex<Option<String>>>,
    closed: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

impl Door {
    /// Listens for those who know the token.
    fn open(listener: TcpListener, token: &Token) -> io::Result<Self> {
        let (sender, comers) = mpsc::channel();
        let (refused, closed): (Arc<AtomicUsize>, Arc<AtomicBool>) = Default::default();
        let problem = Arc::<Mutex<Option<String>>>::default();
        listener.set_nonblocking(true)?;
        let (token, counts, ends, fails) = (token.clone(), refused.clone(), closed.clone(), problem.clone());
        let listen = move || {
            let listened_to = Arc::new(AtomicUsize::new(0));
            while !ends.load(Ordering::Relaxed) {
                let room = listened_to.load(Ordering::Relaxed) < STRANGERS;
                let come = room.then(|| listener.accept().and_then(|(stream, _)| blocking(stream)));
                if let Some(Err(error)) = &come
                    && error.kind() != ErrorKind::WouldBlock
                {
                    *fails.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
                }
                let Some(Ok(stream)) = come else {
                    std::thread::sleep(PAUSE / 2);
                    continue;
                };
                let (token, sender, counts) = (token.clone(), sender.clone(), counts.clone());
                listened_to.fetch_add(1, Ordering::Relaxed);
                let done = listened_to.clone();
                let greet = move || {
                    if greet(stream, &token, &sender).is_err() {
                        counts.fetch_add(1, Ordering::Relaxed);
                    }
                    done.fetch_sub(1, Ordering::Relaxed);
                };
                // without a thread the stranger is not listened to; the rank that it may be tries again
                if std::thread::Builder::new().name("greeting".into()).spawn(greet).is_err() {
                    listened_to.fetch_sub(1, Ordering::Relaxed);
                }
            }
        };
        let listening = Some(std::thread::Builder::new().name("door".into()).spawn(listen)?);
        Ok(Door { comers, refused, problem, closed, listening })
    }

    fn next(&self, deadline: Instant) -> Option<Comer> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.comers.recv_timeout(left).ok()
    }

    /// What strangers there were, and what kept others out, in words.
    fn strangers(&self) -> String {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        let problem =
            problem.as_ref().map_or(String::new(), |error| format!("; rank 0 could accept no connection: {error}"));
        let refused = match self.refused.load(Ordering::Relaxed) {
            0 => String::new(),
            1 => "; 1 connection was refused: it did not show the token".into(),
            n => format!("; {n} connections were refused: they did not show the token"),
        };
        refused + &problem
    }
}

impl Drop for Door {
    /// Closes the port.
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        // a panic there has been reported
        self.listening.take().map(JoinHandle::join).transpose().unwrap_or_default();
    }
}

/// A connection that waits for what is read, also where it has inherited from its listener that it does not.
fn blocking(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// The handshake with one who connects, and its introduction.
fn greet(mut stream: TcpStream, token: &Token, to: &Sender<Comer>) -> io::Result<()> {
    let at = stream.peer_addr()?.ip();
    let [rank, ranks] = handshake::accept(&mut stream, token)?;
    let words = receive(&mut stream, Duration::from_secs(5))?;
    let read = |reader: &mut Reader<'_>| -> Result<_> { Ok((reader.number()?, Seat::get(reader)?, reader.text()?)) };
    let (port, seat, identity) = read(&mut Reader::of(&words)).map_err(io::Error::other)?;
    let (rank, ranks) = (rank as usize, ranks as usize);
    // whoever waited for it may have gone
    let _ = to.send(Comer { rank, ranks, stream, at, port: port as u16, seat, identity });
    Ok(())
}

fn send(stream: &mut TcpStream, words: Words) -> io::Result<()> {
    frame::write(stream, &Letter { kind: Kind::Data, tag: 0, words: words.done() })
}

fn receive(stream: &mut TcpStream, patience: Duration) -> io::Result<Vec<u64>> {
    stream.set_read_timeout(Some(patience.max(Duration::from_millis(1))))?;
    let frame = frame::read(stream, || {})?;
    stream.set_read_timeout(None)?;
    match frame {
        Frame::Letter(letter) if letter.words.len() <= MAX_WORDS => Ok(letter.words),
        _ => Err(io::Error::new(ErrorKind::InvalidData, "what came is no introduction")),
    }
}

/// Rank 0: waits for all, compares what they were started with, and sends the addresses.
fn gather(launch: &Launch, identity: &str, deadline: Instant) -> Result<Lines> {
    let (listener, token, _file) = match &launch.meeting {
        Meeting::At { address, token } => (listen_at(address, deadline)?, token.clone(), None),
        Meeting::File { path, inside } => {
            let listener = meeting::listener(*inside)?;
            let (token, file) = meeting::File::write(path, &listener)?;
            (listener, token, Some(file))
        }
        Meeting::Unknown { expected } => return Err(Error::Missing { name: "at", expected: expected.clone() }),
    };
    let loopback = listener.local_addr().ok().map(|at| at.ip()).filter(IpAddr::is_loopback);
    let door = Door::open(listener, &token).map_err(|error| io_error(0, "cannot listen", &error))?;
    let mut comers: Vec<Option<Comer>> = (0..launch.ranks).map(|_| None).collect();
    let mut refusal = None;
    while comers.iter().skip(1).any(Option::is_none) {
        let came = door.next(deadline.min(Instant::now() + LOOK));
        // those that have ended may come again
        for comer in &mut comers {
            comer.take_if(|comer| has_ended(&comer.stream));
        }
        if came.is_none() && Instant::now() < deadline {
            continue;
        }
        let Some(mut comer) = came else {
            let problem = Missing { comers: &comers, launch, door: &door, loopback }.problem();
            refuse_all(&mut comers, &problem);
            return Err(problem);
        };
        if let Some(problem) = refused(&comer, &comers, launch, identity) {
            refuse(&mut comer.stream, &problem);
            refusal = Some(problem);
            break;
        }
        let rank = comer.rank;
        comers[rank] = Some(comer);
    }
    if let Some(problem) = refusal {
        refuse_all(&mut comers, &problem);
        return Err(problem);
    }
    let mut addresses = Words::default();
    addresses.flag(true);
    Seat::own().put(&mut addresses);
    for comer in comers.iter().flatten() {
        addresses.text(&SocketAddr::new(comer.at, comer.port).to_string());
        comer.seat.put(&mut addresses);
    }
    let addresses = addresses.done();
    for comer in comers.iter_mut().flatten() {
        let letter = Letter { kind: Kind::Data, tag: 0, words: addresses.clone() };
        frame::write(&mut comer.stream, &letter).map_err(|error| io_error(comer.rank, "has gone", &error))?;
    }
    Ok(comers.into_iter().map(|comer| comer.map(|comer| (comer.stream, comer.seat))).collect())
}

/// Who did not come, as an error.
struct Missing<'a> {
    comers: &'a [Option<Comer>],
    launch: &'a Launch,
    door: &'a Door,
    /// Where rank 0 listens, if that is of use on its machine alone.
    loopback: Option<IpAddr>,
}

impl Missing<'_> {
    fn problem(&self) -> Error {
        let missing: Vec<usize> = (1..self.comers.len()).filter(|rank| self.comers[*rank].is_none()).collect();
        let first = missing.first().copied().unwrap_or(0);
        let others = match missing.len() {
            0 | 1 => String::new(),
            2 => " (nor did 1 other)".into(),
            n => format!(" (nor did {} others)", n - 1),
        };
        // where ranks of one machine meet, that is well
        let named = |ip: &IpAddr| matches!(&self.launch.meeting, Meeting::At { address, .. } if !address.contains(&ip.to_string()));
        let alone = self
            .loopback
            .filter(named)
            .map_or(String::new(), |ip| format!(", that is {ip}, which other machines do not reach"));
        let problem = format!(
            "it did not come within {} s{others}: {} of {} ranks are here; rank 0 waits at {}{alone}{}",
            self.launch.patience.as_secs(),
            self.comers.len() - missing.len(),
            self.comers.len(),
            self.launch.meeting,
            self.door.strangers()
        );
        Error::Rank { rank: first, problem }
    }
}

/// Why one who knows the token cannot take part.
fn refused(comer: &Comer, comers: &[Option<Comer>], launch: &Launch, identity: &str) -> Option<Error> {
    let Comer { rank, ranks, .. } = *comer;
    let wrong = |problem: String| Some(Error::Rank { rank, problem });
    if ranks != launch.ranks {
        return wrong(format!("it was started with --ranks {ranks}, rank 0 with --ranks {}", launch.ranks));
    }
    if rank == 0 || rank >= ranks {
        return wrong(format!(
            "two processes were started with this number: numbers must be 0 to {}, each once",
            ranks - 1
        ));
    }
    if let Some(before) = &comers[rank] {
        let hosts = if before.seat.host == comer.seat.host {
            String::new()
        } else {
            format!(", on {} and {}", before.seat.host, comer.seat.host)
        };
        return wrong(format!(
            "two processes were started with this number{hosts}: numbers must be 0 to {}, each once",
            ranks - 1
        ));
    }
    difference(identity, &comer.identity).and_then(wrong)
}

fn refuse(stream: &mut TcpStream, problem: &Error) {
    let (rank, problem) = match problem {
        Error::Rank { rank, problem } => (*rank, problem.clone()),
        other => (0, other.to_string()),
    };
    let mut words = Words::default();
    words.flag(false).number(rank as u64).text(&problem);
    // one that has gone hears it from its own end
    let _ = send(stream, words);
}

fn refuse_all(comers: &mut [Option<Comer>], problem: &Error) {
    comers.iter_mut().flatten().for_each(|comer| refuse(&mut comer.stream, problem));
}

/// The other ranks: come to rank 0, then to those below.
fn come(launch: &Launch, identity: &str, deadline: Instant) -> Result<Lines> {
    let (rank, which) = (launch.rank, [launch.rank as u32, launch.ranks as u32]);
    let (mut root, token) = connect_to_root(launch, which, deadline)?;
    let own = |error: io::Error| io_error(rank, "cannot listen", &error);
    let lost = |error: io::Error| io_error(0, "has gone before all ranks had come", &error);
    let listener = TcpListener::bind((root.local_addr().map_err(own)?.ip(), 0)).map_err(own)?;
    let mut words = Words::default();
    let port = listener.local_addr().map_err(own)?.port();
    words.number(port.into());
    Seat::own().put(&mut words);
    words.text(identity);
    let door = Door::open(listener, &token).map_err(own)?;
    send(&mut root, words).map_err(lost)?;
    // rank 0 decides: it may have begun as late as it was found, and waits for the others that long from then on
    let decision = launch.patience + GRACE;
    let verdict = receive(&mut root, decision).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            let problem = format!("it has not said within {} s whether all ranks have come", decision.as_secs());
            Error::Rank { rank: 0, problem }
        }
        _ => lost(error),
    })?;
    let (seat, addresses) = read_verdict(&verdict, launch.ranks)?;
    // all are here; what is left is that they connect to each other
    let deadline = Instant::now() + launch.patience.min(CONNECTING);
    let mut lines: Lines = (0..launch.ranks).map(|_| None).collect();
    lines[0] = Some((root, seat));
    for (other, (address, seat)) in addresses.iter().enumerate().map(|(k, address)| (k + 1, address)).take(rank - 1) {
        let failed = |error: io::Error| io_error(other, &format!("cannot be reached at {address}"), &error);
        let mut stream = loop {
            match connect_at(address, &token, which) {
                Err(error) if error.kind() != ErrorKind::PermissionDenied && Instant::now() < deadline => {
                    std::thread::sleep(PAUSE);
                }
                done => break done.map_err(failed)?,
            }
        };
        let mut words = Words::default();
        words.number(0);
        Seat::own().put(&mut words);
        words.text("");
        send(&mut stream, words).map_err(failed)?;
        lines[other] = Some((stream, seat.clone()));
    }
    while let Some(missing) = (rank + 1..launch.ranks).find(|other| lines[*other].is_none()) {
        let Some(comer) = door.next(deadline.min(Instant::now() + LOOK)) else {
            // a sign of life, which who has ended does not take
            if let Some(mut root) = lines[0].as_ref().map(|(root, _)| root)
                && let Err(error) = frame::write_alive(&mut root)
            {
                let what = format!("has gone while rank {rank} waited for rank {missing}");
                return Err(io_error(0, &what, &error));
            }
            if Instant::now() < deadline {
                continue;
            }
            return Err(Error::Rank { rank: missing, problem: format!("it did not come to rank {rank} in time") });
        };
        if (rank + 1..launch.ranks).contains(&comer.rank) && lines[comer.rank].is_none() {
            lines[comer.rank] = Some((comer.stream, comer.seat));
        }
    }
    Ok(lines)
}

/// Whether who is at the other end has closed the connection, and sent nothing before.
fn has_ended(stream: &TcpStream) -> bool {
    let look = |stream: &TcpStream| -> io::Result<usize> {
        stream.set_nonblocking(true)?;
        let seen = stream.peek(&mut [0]);
        stream.set_nonblocking(false)?;
        seen
    };
    look(stream).map_or_else(|error| error.kind() != ErrorKind::WouldBlock, |bytes| bytes == 0)
}

/// What rank 0 has decided: its seat, and the address and the seat of every other rank.
fn read_verdict(words: &[u64], ranks: usize) -> Result<(Seat, Vec<(String, Seat)>)> {
    let mut reader = Reader::of(words);
    match reader.flag()? {
        true => {
            let seat = Seat::get(&mut reader)?;
            let addresses = (1..ranks).map(|_| Ok((reader.text()?, Seat::get(&mut reader)?))).collect::<Result<_>>()?;
            Ok((seat, addresses))
        }
        false => {
            let (rank, problem) = (reader.count()?, reader.text()?);
            Err(Error::Rank { rank, problem })
        }
    }
}

/// Tries until rank 0 listens.
fn connect_to_root(launch: &Launch, which: [u32; 2], deadline: Instant) -> Result<(TcpStream, Token)> {
    loop {
        let last = match &launch.meeting {
            Meeting::At { address, token } => match connect_at(address, token, which) {
                Ok(stream) => return Ok((stream, token.clone())),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    let problem =
                        format!("who listens at {address} {error}: MANYBODY_TOKEN must be the same on all ranks");
                    return Err(Error::Rank { rank: 0, problem });
                }
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    let problem = format!("who listens at {address} {error}: --at must be where rank 0 listens");
                    return Err(Error::Rank { rank: 0, problem });
                }
                Err(error) => error.to_string(),
            },
            // what is written there may be of an earlier run that was killed: rank 0 replaces it
            Meeting::File { path, .. } => match meeting::File::read(path) {
                Ok(Some((address, token))) => match connect_at(&address, &token, which) {
                    Ok(stream) => return Ok((stream, token)),
                    Err(error) => error.to_string(),
                },
                Ok(None) => "it is not there".into(),
                Err(error) => error.to_string(),
            },
            Meeting::Unknown { expected } => return Err(Error::Missing { name: "at", expected: expected.clone() }),
        };
        if Instant::now() > deadline {
            let seconds = launch.patience.as_secs();
            let problem = format!("it was not found within {seconds} s at {}: {last}", launch.meeting);
            return Err(Error::Rank { rank: 0, problem });
        }
        std::thread::sleep(PAUSE);
    }
}

fn connect_at(address: &str, token: &Token, which: [u32; 2]) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the name leads to no address");
    for at in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&at, Duration::from_secs(5)) {
            Ok(mut stream) => return handshake::connect(&mut stream, token, which).map(|()| stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Listens where ranks meet; a name that leads to no address yet, as those of pods at first, is asked for again.
fn listen_at(address: &str, deadline: Instant) -> Result<TcpListener> {
    let deadline = deadline.min(Instant::now() + NAMING);
    let found = loop {
        match address.to_socket_addrs() {
            Err(_) if Instant::now() < deadline => std::thread::sleep(10 * PAUSE),
            found => break found,
        }
    };
    let listener = found.and_then(|found| TcpListener::bind(&found.collect::<Vec<_>>()[..]));
    listener.map_err(|error| Error::Parameter {
        name: "at",
        value: address.into(),
        expected: format!("rank 0 cannot listen there ({error}): must be an address of its machine with a free port"),
    })
}

#[cfg(test)]
mod tests;
