//! The ranks of a computation as one of them sees them.

use crate::mailbox::{Kind, Letter, Mailbox};
use crate::words;
use crate::{End, Result};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How letters get from one rank to another: what a maker of ranks implements. All else is made of it by [`Team`].
pub trait Ranks: Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Sends a letter to another rank. Letters from one rank to another arrive in their order.
    ///
    /// # Errors
    /// [`Error::Rank`](crate::Error::Rank) naming a rank that is lost.
    fn send(&self, to: usize, letter: Letter) -> Result<()>;

    /// Where letters to this rank arrive.
    fn mailbox(&self) -> &Mailbox;

    /// The name of the machine of a rank; nothing where that is not known.
    fn host(&self, _rank: usize) -> &str {
        ""
    }

    /// How many ranks, with this one, use the same processors.
    fn beside(&self) -> usize {
        1
    }

    /// Called after this rank has taken leave: returns when its last letters need this process no longer, and after some
    /// seconds at most.
    fn finish(&self) {}

    /// Closes what letters are sent on, without taking leave: as if this process had died.
    fn close(&self) {}
}

/// The ranks of a computation. Clones are the same ranks.
#[derive(Clone)]
pub struct Team(Arc<Inner>);

struct Inner {
    ranks: Box<dyn Ranks>,
    next_tag: AtomicU64,
    left: AtomicBool,
    turn: Mutex<()>,
    gpus: OnceLock<Option<String>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Team>> = const { RefCell::new(None) };
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team({} of {})", self.rank(), self.ranks())
    }
}

impl Drop for Inner {
    /// Whoever forgets to leave has failed.
    fn drop(&mut self) {
        if !self.left.load(Ordering::Relaxed) {
            leave(&*self.ranks, 1, "it ended without a word");
        }
    }
}

fn leave(ranks: &dyn Ranks, status: u8, text: &str) {
    for to in (0..ranks.ranks()).filter(|to| *to != ranks.rank()) {
        // one that has gone needs no farewell
        let _ = ranks.send(to, Letter { kind: Kind::Leave, tag: 0, words: words::of_status(status, text) });
    }
    ranks.finish();
}

impl Team {
    /// The ranks of a maker.
    pub fn of(ranks: impl Ranks + 'static) -> Self {
        Team(Arc::new(Inner {
            ranks: Box::new(ranks),
            next_tag: AtomicU64::new(0),
            left: AtomicBool::new(false),
            turn: Mutex::default(),
            gpus: OnceLock::new(),
        }))
    }

    /// The ranks that the calling thread computes with: what [`install`](Self::install) has set.
    pub fn current() -> Option<Team> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Runs `f` with these ranks as the current ones of this thread, as a thread pool of rayon is installed: solvers
    /// that are made inside share their work with them.
    pub fn install<R>(&self, f: impl FnOnce() -> R) -> R {
        struct Restore(Option<Team>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _restore = Restore(CURRENT.replace(Some(self.clone())));
        f()
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.0.ranks.rank()
    }

    /// How many there are.
    pub fn ranks(&self) -> usize {
        self.0.ranks.ranks()
    }

    /// Whether this is rank 0, which drives the others.
    pub fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// A tag for the next message of the computation. Ranks that do the same get the same tags.
    pub fn next_tag(&self) -> u64 {
        self.0.next_tag.fetch_add(1, Ordering::Relaxed)
    }

    /// The part of `count` things that is this rank's: as many as the others have, or one more.
    pub fn part(&self, count: usize) -> Range<usize> {
        self.part_of(self.rank(), count)
    }

    /// The part of `count` things that is a rank's.
    pub fn part_of(&self, rank: usize, count: usize) -> Range<usize> {
        let at = |rank: usize| (rank as u128 * count as u128 / self.ranks() as u128) as usize;
        at(rank)..at(rank + 1)
    }

    /// Sends words to a rank, which may be this one.
    ///
    /// # Errors
    /// [`Error::Rank`](crate::Error::Rank) naming a rank that is lost.
    pub fn send(&self, to: usize, tag: u64, words: Vec<u64>) -> Result<()> {
        let letter = Letter { kind: Kind::Data, tag, words };
        match to == self.rank() {
            true => self.mailbox().deliver(to, letter),
            false => self.0.ranks.send(to, letter)?,
        }
        Ok(())
    }

    /// Takes what a rank has sent with a tag; waits for it.
    ///
    /// # Errors
    /// [`Error::Rank`](crate::Error::Rank) naming a rank that is lost,
    /// [`Error::Interrupted`](crate::Error::Interrupted) where rank 0 has left or goes on alone.
    pub fn receive(&self, from: usize, tag: u64) -> Result<Vec<u64>> {
        self.mailbox().take(tag, Some(from)).map(|(_, words)| words)
    }

    /// Takes what any rank has sent with a tag; waits for it.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn receive_any(&self, tag: u64) -> Result<Vec<u64>> {
        self.mailbox().take(tag, None).map(|(_, words)| words)
    }

    /// Takes what any rank has sent with a tag, if it is there.
    pub fn receive_now(&self, tag: u64) -> Option<Vec<u64>> {
        self.mailbox().take_now(tag).map(|(_, words)| words)
    }

    /// Whether the ranks are no longer together: cheap, to be asked between tasks.
    pub fn has_ended(&self) -> bool {
        self.mailbox().has_ended()
    }

    /// How the ranks came apart; `None` while they are together.
    pub fn ended(&self) -> Option<End> {
        self.mailbox().ended()
    }

    /// Refuses to go on where a rank is lost.
    ///
    /// # Errors
    /// [`Error::Rank`](crate::Error::Rank) naming it.
    pub fn check(&self) -> Result<()> {
        match self.ended() {
            Some(end @ End::Lost(_, _)) => Err(end.error()),
            _ => Ok(()),
        }
    }

    /// For rank 0: ends what is being computed together. From now on this rank computes alone, and the others wait for
    /// [`leave`](Self::leave).
    pub fn cancel(&self) {
        for to in 1..self.ranks() {
            // one that is lost hears nothing and needs not to
            let _ = self.0.ranks.send(to, Letter { kind: Kind::Cancel, tag: 0, words: Vec::new() });
        }
        self.mailbox().cancel();
    }

    /// Asks rank 0 to stop, for a rank that got a signal.
    pub fn ask_to_stop(&self) {
        let letter = Letter { kind: Kind::Stop, tag: 0, words: Vec::new() };
        // without rank 0 there is nothing to stop
        let _ = self.0.ranks.send(0, letter);
    }

    /// For other ranks than 0: lets rank 0 hear of a rank that is lost to this one. The connection between the two may be all that
    /// broke, so that rank 0 would wait for results that do not come.
    pub fn report_loss(&self, lost: usize, how: &str) {
        let how = format!("{how}, as rank {} reports", self.rank());
        let letter = Letter { kind: Kind::Lost, tag: 0, words: words::of_loss(lost, &how) };
        // without rank 0 all end
        let _ = self.0.ranks.send(0, letter);
    }

    /// Whether another rank was asked to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.mailbox().is_asked_to_stop()
    }

    /// Takes leave of the others, with an exit status and, where this rank has failed, the reason. Only the first time
    /// counts. Where rank 0 leaves, letters that others wait for do not come any more, from whichever rank.
    pub fn leave(&self, status: u8, text: &str) {
        if !self.0.left.swap(true, Ordering::Relaxed) {
            leave(&*self.0.ranks, status, text);
        }
    }

    /// Closes what letters are sent on, without taking leave, as the death of the process does: for tests.
    pub fn close(&self) {
        self.0.ranks.close();
    }

    /// Whether this rank has taken leave.
    pub fn has_left(&self) -> bool {
        self.0.left.load(Ordering::Relaxed)
    }

    /// For rank 0: held while the ranks compute something together, so that two threads of it do not ask at once.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.0.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the ranks cannot compute on a GPU each, in words: what `find` has found the first time.
    pub fn without_gpus(&self, find: impl FnOnce() -> Option<String>) -> Option<&str> {
        self.0.gpus.get_or_init(find).as_deref()
    }

    /// How many ranks, with this one, use the same processors.
    pub fn beside(&self) -> usize {
        self.0.ranks.beside().max(1)
    }

    /// The name of the machine of a rank; nothing where that is not known.
    pub fn host(&self, rank: usize) -> &str {
        self.0.ranks.host(rank)
    }

    /// Where letters arrive.
    pub fn mailbox(&self) -> &Mailbox {
        self.0.ranks.mailbox()
    }
}
