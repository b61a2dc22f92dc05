//! Ranks on sockets: one connection between any two, read by a thread of its own into the mailbox.
//!
//! A process that dies closes its connections, which the others notice at once. One that stands still, or whose network
//! is cut, does not: every rank gives a sign of life a second, and one that is silent for [`SILENCE`] is lost.

use super::frame::{self, Frame};
use crate::ranks::seat::Seat;
use crate::{Error, Result};
use manybody_ranks::Ranks;
use manybody_ranks::{Kind, Letter, Mailbox};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

/// Between two signs of life.
const BEAT: Duration = Duration::from_millis(500);
/// A rank that is silent for so long is lost: all stop within 5 s.
const SILENCE: Duration = Duration::from_secs(4);
/// One that has given no sign yet may still connect to others.
const FIRST_SIGN: Duration = Duration::from_secs(20);
/// Who has not beaten for so long has stood still itself, as a job that is suspended, and counts silence from then on.
const STOOD_STILL: Duration = Duration::from_secs(2);
/// The loss for which a rank has left is noticed by all within this time.
const SAME_LOSS: Duration = Duration::from_secs(1);

/// All connections of a rank.
pub(super) struct Mesh {
    rank: usize,
    own: Seat,
    shared: Arc<Shared>,
}

struct Shared {
    mailbox: Mailbox,
    /// By rank; `None` for this one.
    peers: Vec<Option<Peer>>,
    /// This rank has left: silence is no loss any more.
    closed: AtomicBool,
    start: Instant,
}

struct Peer {
    /// One connection, and so one descriptor, for all threads.
    line: TcpStream,
    /// Held while a letter is written.
    writes: Mutex<()>,
    seat: Seat,
    /// When it was last heard of, in milliseconds from the start.
    heard: AtomicU64,
    /// It has taken leave: the end of the connection is no loss.
    left: AtomicBool,
}

impl Mesh {
    /// Begins to listen on connections to the other ranks, by rank, each with its seat.
    ///
    /// # Errors
    /// Those of the operating system.
    pub(super) fn begin(rank: usize, lines: Vec<Option<(TcpStream, Seat)>>) -> io::Result<Self> {
        let peer = |(line, seat): (TcpStream, Seat)| -> io::Result<Peer> {
            line.set_nodelay(true)?;
            // one that stands still takes no more than its buffers hold
            line.set_write_timeout(Some(SILENCE))?;
            Ok(Peer { line, writes: Mutex::default(), seat, heard: AtomicU64::new(0), left: AtomicBool::new(false) })
        };
        let peers = lines.into_iter().map(|line| line.map(peer).transpose()).collect::<io::Result<_>>()?;
        let closed = AtomicBool::new(false);
        let shared = Arc::new(Shared { mailbox: Mailbox::default(), peers, closed, start: Instant::now() });
        for (from, peer) in shared.peers.iter().enumerate() {
            if peer.is_some() {
                let (name, shared) = (format!("rank {from}"), shared.clone());
                std::thread::Builder::new().name(name).spawn(move || shared.listen(from))?;
            }
        }
        let beating = Arc::downgrade(&shared);
        std::thread::Builder::new().name("signs of life".into()).spawn(move || {
            let mut last = Instant::now();
            while let Some(shared) = beating.upgrade().filter(|shared| !shared.closed.load(Ordering::Relaxed)) {
                if last.elapsed() > STOOD_STILL {
                    shared.hear_all();
                }
                last = Instant::now();
                shared.beat();
                drop(shared);
                std::thread::sleep(BEAT);
            }
        })?;
        Ok(Mesh { rank, own: Seat::own(), shared })
    }
}

impl Peer {
    /// The machine that it is on, in words.
    fn on(&self) -> String {
        if self.seat.host.is_empty() { String::new() } else { format!(" (it was on {})", self.seat.host) }
    }
}

impl Shared {
    /// Puts what a rank sends into the mailbox, to the end of the connection.
    fn listen(&self, from: usize) {
        let Some(peer) = &self.peers[from] else { return };
        let line = &mut &peer.line;
        let heard = || peer.heard.store(self.now().max(1), Ordering::Relaxed);
        loop {
            match frame::read(line, heard) {
                Ok(Frame::Alive) => {}
                Ok(Frame::Letter(letter)) => {
                    peer.left.fetch_or(letter.kind == Kind::Leave, Ordering::Relaxed);
                    self.mailbox.deliver(from, letter);
                }
                Err(error) => {
                    if !peer.left.load(Ordering::Relaxed) && !self.closed.load(Ordering::Relaxed) {
                        self.mailbox.lose(from, &format!("{}{}", lost(&error), peer.on()));
                    }
                    return;
                }
            }
        }
    }

    /// Counts silence from now on.
    fn hear_all(&self) {
        self.peers.iter().flatten().for_each(|peer| peer.heard.store(self.now(), Ordering::Relaxed));
    }

    /// Gives a sign of life to all, and looks for those of the others.
    fn beat(&self) {
        for (rank, peer) in self.peers.iter().enumerate() {
            let Some(peer) = peer.as_ref().filter(|peer| !peer.left.load(Ordering::Relaxed)) else { continue };
            match peer.writes.try_lock() {
                // an error is noticed by who listens
                Ok(_turn) => drop(frame::write_alive(&mut &peer.line)),
                // what is being written is a sign of life
                Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => {}
            }
            let heard = peer.heard.load(Ordering::Relaxed);
            let most = if heard == 0 { FIRST_SIGN } else { SILENCE };
            if self.now().saturating_sub(heard) > most.as_millis() as u64 {
                let how = format!("it has given no sign of life for {} s{}", most.as_secs(), peer.on());
                self.mailbox.lose(rank, &how);
                // who writes to it or listens to it waits no longer
                let _ = peer.line.shutdown(Shutdown::Both);
            }
        }
    }

    /// Why a rank took no letter. One that has left, and said so, did it because another rank is lost: that loss is
    /// noticed here, too. What the threads that listen note first is the reason.
    fn why_unsent(&self, to: usize, problem: String) -> Error {
        let start = Instant::now();
        while !self.mailbox.has_ended() && start.elapsed() < SAME_LOSS {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.mailbox.lose(to, &problem); // the first counts
        self.mailbox.ended().map_or(Error::Rank { rank: to, problem }, |end| end.error())
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }
}

/// A lost connection, in words.
fn lost(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "the connection to it is lost: it has died or was ended".into()
        }
        _ => format!("the connection to it is lost: {error}"),
    }
}

impl Ranks for Mesh {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.shared.peers.len()
    }

    fn send(&self, to: usize, letter: Letter) -> Result<()> {
        let Some(peer) = self.shared.peers.get(to).and_then(Option::as_ref) else {
            return Err(Error::Rank { rank: to, problem: "there is no such rank".into() });
        };
        let leaves = letter.kind == Kind::Leave;
        let turn = peer.writes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let sent = frame::write(&mut &peer.line, &letter);
        drop(turn);
        if leaves {
            self.shared.closed.store(true, Ordering::Relaxed);
        }
        sent.map_err(|error| {
            let problem = format!("{}{}", lost(&error), peer.on());
            if leaves { Error::Rank { rank: to, problem } } else { self.shared.why_unsent(to, problem) }
        })
    }

    fn mailbox(&self) -> &Mailbox {
        &self.shared.mailbox
    }

    fn host(&self, rank: usize) -> &str {
        self.shared.peers.get(rank).and_then(Option::as_ref).map_or(&self.own.host, |peer| &peer.seat.host)
    }

    fn beside(&self) -> usize {
        1 + self.shared.peers.iter().flatten().filter(|peer| peer.seat == self.own).count()
    }

    fn close(&self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        for peer in self.shared.peers.iter().flatten() {
            // what was written is still sent
            let _ = peer.line.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Mesh {
    /// Ends the threads that listen.
    fn drop(&mut self) {
        self.close();
    }
}
