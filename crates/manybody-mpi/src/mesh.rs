//! The ranks of MPI as a process sees them.

use manybody::ranks::{Letter, Mailbox, Ranks, Seat};
use manybody::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long a rank that has left waits for the others, so that MPI can be ended.
const GRACE: Duration = Duration::from_secs(3);

/// What the thread of MPI is to do.
pub(crate) enum Order {
    /// Send a letter to a rank.
    Send(usize, Letter),
    /// End MPI, once the others have left, too.
    Finish,
    /// End MPI at once: no other rank is known.
    End,
}

/// What the thread of MPI shares with those of the program.
pub(crate) struct Shared {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    pub(crate) mailbox: Mailbox,
    seats: OnceLock<Vec<Seat>>,
    /// A rank does not answer, so MPI cannot be ended; the launcher ends all when this process has gone.
    broken: AtomicBool,
}

impl Shared {
    pub(crate) fn new(rank: usize, ranks: usize) -> Self {
        let (mailbox, seats) = (Mailbox::default(), OnceLock::new());
        Shared { rank, ranks, mailbox, seats, broken: AtomicBool::new(false) }
    }

    /// Notes where the ranks are.
    pub(crate) fn settle(&self, seats: Vec<Seat>) {
        // once only
        let _ = self.seats.set(seats);
    }

    /// Notes that a rank is lost.
    pub(crate) fn lose(&self, rank: usize, how: &str) {
        self.broken.store(true, Ordering::Relaxed);
        let host = self.seat(rank).map_or(String::new(), |seat| format!(" (it was on {})", seat.host()));
        self.mailbox.lose(rank, &format!("{how}{host}"));
    }

    fn seat(&self, rank: usize) -> Option<&Seat> {
        self.seats.get().and_then(|seats| seats.get(rank))
    }
}

/// A rank of MPI.
pub(crate) struct Mesh {
    shared: Arc<Shared>,
    post: Mutex<Sender<Order>>,
    /// Says that MPI has ended.
    end: Mutex<Receiver<()>>,
}

impl Mesh {
    pub(crate) fn new(shared: Arc<Shared>, post: Sender<Order>, end: Receiver<()>) -> Self {
        Mesh { shared, post: Mutex::new(post), end: Mutex::new(end) }
    }

    /// Ends MPI where no other rank is known.
    pub(crate) fn end(&self) {
        self.last(Order::End);
    }

    fn order(&self, order: Order) -> Result<()> {
        let post = self.post.lock().unwrap_or_else(PoisonError::into_inner);
        post.send(order).map_err(|_| match self.shared.mailbox.ended() {
            // the thread of MPI has ended for that reason
            Some(end) => end.error(),
            None => Error::Rank { rank: self.shared.rank, problem: "its thread of MPI has ended".into() },
        })
    }

    /// The last order, and the wait for the end.
    fn last(&self, order: Order) {
        if self.order(order).is_ok() {
            // after that time MPI is left as it is: the launcher says so, and ends what is left
            let _ = self.end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(GRACE);
        }
    }
}

impl Ranks for Mesh {
    fn rank(&self) -> usize {
        self.shared.rank
    }

    fn ranks(&self) -> usize {
        self.shared.ranks
    }

    fn send(&self, to: usize, letter: Letter) -> Result<()> {
        if to >= self.shared.ranks {
            return Err(Error::Rank { rank: to, problem: "there is no such rank".into() });
        }
        self.order(Order::Send(to, letter))
    }

    fn mailbox(&self) -> &Mailbox {
        &self.shared.mailbox
    }

    fn host(&self, rank: usize) -> &str {
        self.shared.seat(rank).map_or("", Seat::host)
    }

    fn beside(&self) -> usize {
        let own = self.shared.seat(self.shared.rank);
        self.shared.seats.get().map_or(1, |seats| seats.iter().filter(|seat| Some(*seat) == own).count())
    }

    fn finish(&self) {
        if !self.shared.broken.load(Ordering::Relaxed) {
            self.last(Order::Finish);
        }
    }
}
