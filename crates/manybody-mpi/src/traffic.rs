//! The thread that calls MPI: it sends the letters of its process, receives those of the others, and watches whether these
//! are alive.
//!
//! A letter is a head of three words with up to [`SHORT`] words of the letter, and, where that does not suffice, pieces
//! with the rest. The pieces of a letter are received where they belong, in memory of its size; letters of one rank are
//! delivered in their order.

#![allow(unsafe_code)] // MPI reads and writes memory while the program goes on

use crate::mesh::{Order, Shared};
use manybody::Result;
use manybody::ranks::{Kind, Letter};
use mpi::environment::Universe;
use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use mpi::{Tag, Threading};
use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

/// Words of a letter that are sent with its head.
const SHORT: usize = 64;
/// Words of a piece: a count of MPI is an int.
const PIECE: usize = 1 << 27;
const HEAD: Tag = 1;
const REST: Tag = 2;

const ALIVE: u64 = 0;
const KINDS: [(u64, Kind); 5] =
    [(1, Kind::Data), (2, Kind::Stop), (3, Kind::Cancel), (4, Kind::Leave), (5, Kind::Lost)];

/// Between two signs of life.
const BEAT: Duration = Duration::from_millis(500);
/// A rank that is silent for so long is lost: all stop within 5 s.
const SILENCE: Duration = Duration::from_secs(4);
/// The longest pause between two looks at MPI: it is added to the time of a message.
const PAUSE: Duration = Duration::from_micros(200);

/// What MPI says of a process.
pub(crate) struct World {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    pub(crate) library: String,
    /// Programs may have threads, of which one calls MPI.
    pub(crate) threads: bool,
}

/// Starts MPI, carries letters until the ranks have left, and ends MPI.
pub(crate) fn run(shared: &Shared, letters: &Receiver<Order>, started: &Sender<Result<World>>, ended: &Sender<()>) {
    let failed = Failed(shared);
    let Some((universe, level)) = mpi::initialize_with_threading(Threading::Funneled) else {
        let problem = "MPI was started before, by another part of this program".into();
        // who waited for it may have gone
        let _ = started.send(Err(manybody::Error::Rank { rank: shared.rank, problem }));
        return;
    };
    // not ended where this thread fails: that would wait for the other ranks
    let universe = ManuallyDrop::new(universe);
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let threads = level >= Threading::Funneled;
    let _ = started.send(Ok(World { rank, ranks, library: library(), threads }));
    let is_whole = Traffic::new(shared, &world).carry(letters);
    std::mem::forget(failed);
    if is_whole {
        drop::<Universe>(ManuallyDrop::into_inner(universe));
    }
    let _ = ended.send(());
}

/// The name of the MPI, without its compiler and its dates: "Open MPI v4.1.4".
fn library() -> String {
    let text = mpi::environment::library_version().unwrap_or_default();
    let line = text.lines().next().unwrap_or_default().replace("Version:", "");
    let name = line.split(',').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "MPI".into() } else { name }
}

/// A thread that has failed delivers no letters any more.
struct Failed<'a>(&'a Shared);

impl Drop for Failed<'_> {
    fn drop(&mut self) {
        self.0.lose(self.0.rank, "its thread of MPI has failed");
    }
}

/// Words that MPI is sending or receiving.
struct Flight {
    requests: Vec<Request<'static, [u64], StaticScope>>,
    words: Vec<u64>,
}

impl Flight {
    /// Begins to send words to a rank, in pieces.
    fn send(world: &SimpleCommunicator, to: usize, tag: Tag, words: Vec<u64>) -> Self {
        let mut flight = Flight { requests: Vec::new(), words };
        for piece in flight.words.chunks(PIECE) {
            // SAFETY: the words stay where they are and as they are until the request is complete: `Flight` has both, does
            // not change the words before, and forgets them where it is dropped earlier.
            let piece: &'static [u64] = unsafe { std::slice::from_raw_parts(piece.as_ptr(), piece.len()) };
            let to = world.process_at_rank(to as i32);
            flight.requests.push(to.immediate_send_with_tag(StaticScope, piece, tag));
        }
        flight
    }

    /// Begins to receive so many words from a rank, in pieces.
    fn receive(world: &SimpleCommunicator, from: usize, count: usize) -> Self {
        let mut flight = Flight { requests: Vec::new(), words: vec![0; count] };
        for piece in flight.words.chunks_mut(PIECE) {
            // SAFETY: as in `send`; and the words are read only when all requests are complete.
            let piece: &'static mut [u64] = unsafe { std::slice::from_raw_parts_mut(piece.as_mut_ptr(), piece.len()) };
            let from = world.process_at_rank(from as i32);
            flight.requests.push(from.immediate_receive_into_with_tag(StaticScope, piece, REST));
        }
        flight
    }

    /// Whether all has been sent or received.
    fn is_done(&mut self) -> bool {
        let pending = std::mem::take(&mut self.requests);
        self.requests = pending.into_iter().filter_map(|request| request.test().err()).collect();
        self.requests.is_empty()
    }

    /// The words, which are all there.
    fn words(mut self) -> Vec<u64> {
        std::mem::take(&mut self.words)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            // MPI may still read or write the words
            std::mem::take(&mut self.requests).into_iter().for_each(std::mem::forget);
            std::mem::forget(std::mem::take(&mut self.words));
        }
    }
}

/// A letter that is being received.
struct Coming {
    kind: Kind,
    tag: u64,
    words: Flight,
}

/// What this rank knows of another.
struct Peer {
    coming: VecDeque<Coming>,
    heard: Instant,
    /// It has left or is lost: no more letters come.
    has_left: bool,
}

struct Traffic<'a> {
    shared: &'a Shared,
    world: &'a SimpleCommunicator,
    peers: Vec<Peer>,
    going: Vec<Flight>,
    is_lost: bool,
}

impl<'a> Traffic<'a> {
    fn new(shared: &'a Shared, world: &'a SimpleCommunicator) -> Self {
        let peer = |_| Peer { coming: VecDeque::new(), heard: Instant::now(), has_left: false };
        let peers = (0..world.size()).map(peer).collect();
        Traffic { shared, world, peers, going: Vec::new(), is_lost: false }
    }

    /// Carries letters until this rank and all others have left; whether that is so, so that MPI can be ended.
    fn carry(mut self, letters: &Receiver<Order>) -> bool {
        let mut next_beat = Instant::now();
        let mut last = Instant::now();
        let mut finishing = false;
        loop {
            let mut moved = false;
            let mut order = self.next_order(letters, last, finishing);
            while let Ok(Some(due)) = order {
                match due {
                    Order::Send(to, letter) => self.send(to, letter),
                    Order::Finish => finishing = true,
                    Order::End => return true,
                }
                moved = true;
                order = at_once(letters);
            }
            if order.is_err() && !finishing {
                // the ranks were dropped without a farewell
                return false;
            }
            moved |= self.receive();
            moved |= self.deliver();
            self.going.retain_mut(|flight| !flight.is_done());
            if moved {
                last = Instant::now();
            }
            if self.is_lost {
                return false;
            }
            if finishing && self.going.is_empty() && self.others().all(|peer| self.peers[peer].has_left) {
                return true;
            }
            if Instant::now() >= next_beat && !finishing {
                self.beat();
                next_beat = Instant::now() + BEAT;
            }
        }
    }

    /// Waits for an order, but not for so long that what comes from others would wait: while letters come and go not at
    /// all, later an eighth of the time since the last one.
    fn next_order(&self, orders: &Receiver<Order>, last: Instant, finishing: bool) -> Ended<Option<Order>> {
        let idle = last.elapsed();
        let in_flight = !self.going.is_empty() || self.peers.iter().any(|peer| !peer.coming.is_empty());
        if in_flight || idle < PAUSE {
            std::thread::yield_now();
            return at_once(orders);
        }
        let pause = (idle / 8).min(PAUSE);
        match orders.recv_timeout(pause) {
            Ok(order) => Ok(Some(order)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                if finishing {
                    std::thread::sleep(pause);
                }
                Err(Gone)
            }
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.shared.rank;
        (0..self.peers.len()).filter(move |rank| *rank != own)
    }

    fn send(&mut self, to: usize, letter: Letter) {
        // also to one that has left: it waits for the farewell of all
        let kind = KINDS.iter().find(|(_, kind)| *kind == letter.kind).map_or(ALIVE, |(number, _)| *number);
        let mut head = vec![kind, letter.tag, letter.words.len() as u64];
        let is_short = letter.words.len() <= SHORT;
        if is_short {
            head.extend_from_slice(&letter.words);
        }
        self.going.push(Flight::send(self.world, to, HEAD, head));
        if !is_short {
            self.going.push(Flight::send(self.world, to, REST, letter.words));
        }
    }

    /// Receives the heads that have come; whether there was one.
    fn receive(&mut self) -> bool {
        let mut any = false;
        while let Some(status) = self.world.any_process().immediate_probe_with_tag(HEAD) {
            let (from, count) = (status.source_rank(), status.count(u64::equivalent_datatype()));
            let mut head = vec![0_u64; count as usize];
            self.world.process_at_rank(from).receive_into_with_tag(&mut head[..], HEAD);
            let from = from as usize;
            self.peers[from].heard = Instant::now();
            let [kind, tag, count, words @ ..] = &head[..] else { continue };
            let Some((_, kind)) = KINDS.iter().find(|(number, _)| number == kind) else { continue };
            let count = *count as usize;
            let words = match count == words.len() {
                true => Flight { requests: Vec::new(), words: words.to_vec() },
                false => Flight::receive(self.world, from, count),
            };
            self.peers[from].coming.push_back(Coming { kind: *kind, tag: *tag, words });
            any = true;
        }
        any
    }

    /// Puts letters that are whole into the mailbox, in their order; whether there was one.
    fn deliver(&mut self) -> bool {
        let mut any = false;
        for (from, peer) in self.peers.iter_mut().enumerate() {
            while peer.coming.front_mut().is_some_and(|coming| coming.words.is_done()) {
                let Some(Coming { kind, tag, words }) = peer.coming.pop_front() else { break };
                peer.has_left |= kind == Kind::Leave;
                self.shared.mailbox.deliver(from, Letter { kind, tag, words: words.words() });
                any = true;
            }
        }
        any
    }

    /// Gives a sign of life to all, and looks for those of the others.
    fn beat(&mut self) {
        for rank in self.others() {
            if self.peers[rank].has_left {
                continue;
            }
            if self.peers[rank].heard.elapsed() > SILENCE {
                self.is_lost = true;
                self.shared.lose(rank, &format!("it has given no sign of life for {} s", SILENCE.as_secs()));
                continue;
            }
            self.going.push(Flight::send(self.world, rank, HEAD, vec![ALIVE, 0, 0]));
        }
    }
}

/// The ranks are no longer used by the program.
struct Gone;

type Ended<T> = std::result::Result<T, Gone>;

/// An order that is there.
fn at_once(orders: &Receiver<Order>) -> Ended<Option<Order>> {
    match orders.try_recv() {
        Ok(order) => Ok(Some(order)),
        Err(TryRecvError::Empty) => Ok(None),
        Err(TryRecvError::Disconnected) => Err(Gone),
    }
}
