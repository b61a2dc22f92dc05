//! What has arrived at a rank, by tag; and whether the ranks are still together.

use crate::{Error, Result};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// What a letter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Part of a computation, taken by its tag.
    Data,
    /// The sender was asked to stop, by a signal: rank 0 decides.
    Stop,
    /// Rank 0 goes on alone: what is being computed together ends, without results.
    Cancel,
    /// The sender leaves; the words are its exit status and what it says.
    Leave,
    /// For rank 0: a rank is lost to the sender; the words are its number and how that is known.
    Lost,
}

/// What ranks send to each other: 64-bit words, since all that is shared are numbers of 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// What it is for.
    pub kind: Kind,
    /// Which message of the computation it is.
    pub tag: u64,
    /// What it says.
    pub words: Vec<u64>,
}

/// Why no more letters are to be expected.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Rank 0 goes on alone.
    Cancelled,
    /// Rank 0 has left, with an exit status and perhaps a reason.
    Left(u8, String),
    /// A rank is lost: which one, and how that is known.
    Lost(usize, String),
}

/// Letters that have arrived and were not taken yet.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    came: Condvar,
    /// There is an end: looked at between tasks, where a lock would cost.
    ended: AtomicBool,
    stop: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    letters: HashMap<u64, VecDeque<(usize, Vec<u64>)>>,
    /// The first end that came.
    end: Option<End>,
    /// How rank 0 left, also after another end.
    left: Option<(u8, String)>,
    /// How rank 0 was lost, also after another end.
    root_lost: Option<String>,
}

impl Mailbox {
    /// Puts in a letter of a rank.
    pub fn deliver(&self, from: usize, letter: Letter) {
        let mut state = self.lock();
        match letter.kind {
            Kind::Data => state.letters.entry(letter.tag).or_default().push_back((from, letter.words)),
            Kind::Stop => self.stop.store(true, Ordering::Relaxed),
            Kind::Cancel => self.end(&mut state, End::Cancelled),
            Kind::Lost => {
                let (rank, how) = crate::words::loss_of(&letter.words);
                self.end(&mut state, End::Lost(rank, how));
            }
            Kind::Leave => {
                let (status, text) = crate::words::status_of(&letter.words);
                match from {
                    0 => {
                        state.left = Some((status, text.clone()));
                        self.end(&mut state, End::Left(status, text));
                    }
                    _ if text.is_empty() => {}
                    from => self.end(&mut state, End::Lost(from, text)),
                }
            }
        }
        drop(state);
        self.came.notify_all();
    }

    /// Notes that a rank is lost.
    pub fn lose(&self, rank: usize, how: &str) {
        let mut state = self.lock();
        if rank == 0 && state.left.is_none() {
            state.root_lost = Some(how.into());
        }
        self.end(&mut state, End::Lost(rank, how.into()));
        drop(state);
        self.came.notify_all();
    }

    /// Notes that this rank goes on alone.
    pub fn cancel(&self) {
        self.end(&mut self.lock(), End::Cancelled);
        self.came.notify_all();
    }

    fn end(&self, state: &mut State, end: End) {
        state.end.get_or_insert(end);
        self.ended.store(true, Ordering::Release);
    }

    /// Whether letters are no longer to be expected.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Why they are not; `None` while the ranks are together.
    pub fn ended(&self) -> Option<End> {
        self.has_ended().then(|| self.lock().end.clone()).flatten()
    }

    /// Whether another rank was asked to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes the oldest letter with a tag, of `from` if that is given; waits for it.
    ///
    /// # Errors
    /// [`Error::Rank`] naming a rank that is lost, [`Error::Interrupted`] where rank 0 has left or goes on alone.
    pub fn take(&self, tag: u64, from: Option<usize>) -> Result<(usize, Vec<u64>)> {
        let mut state = self.lock();
        loop {
            if let Some(letter) = state.take(tag, from) {
                return Ok(letter);
            }
            if let Some(end) = &state.end {
                return Err(end.error());
            }
            state = self.came.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Takes the oldest letter with a tag, if there is one.
    pub fn take_now(&self, tag: u64) -> Option<(usize, Vec<u64>)> {
        self.lock().take(tag, None)
    }

    /// Waits until rank 0 has left, at most so long; its exit status and what it said.
    pub fn wait_for_leave(&self, most: Duration) -> Option<(u8, String)> {
        let state = self.lock();
        let (state, _) = self
            .came
            .wait_timeout_while(state, most, |state| state.left.is_none() && state.root_lost.is_none())
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        state.left.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, tag: u64, from: Option<usize>) -> Option<(usize, Vec<u64>)> {
        let letters = self.letters.get_mut(&tag)?;
        let at = letters.iter().position(|(rank, _)| from.is_none_or(|from| from == *rank))?;
        let letter = letters.remove(at);
        if letters.is_empty() {
            self.letters.remove(&tag);
        }
        letter
    }
}

impl End {
    /// As an error of a computation.
    pub fn error(&self) -> Error {
        match self {
            End::Cancelled | End::Left(_, _) => Error::Interrupted,
            End::Lost(rank, problem) => Error::Rank { rank: *rank, problem: problem.clone() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(tag: u64, words: &[u64]) -> Letter {
        Letter { kind: Kind::Data, tag, words: words.to_vec() }
    }

    #[test]
    fn letters_are_taken_by_tag_and_sender_in_their_order() {
        let mail = Mailbox::default();
        for (from, letter) in [(1, data(5, &[1])), (2, data(5, &[2])), (1, data(5, &[3])), (1, data(6, &[4]))] {
            mail.deliver(from, letter);
        }
        assert_eq!(mail.take(5, Some(2)).unwrap(), (2, vec![2]));
        assert_eq!(mail.take(5, None).unwrap(), (1, vec![1]));
        assert_eq!(mail.take_now(6), Some((1, vec![4])));
        assert_eq!(mail.take_now(6), None);
        assert_eq!(mail.take_now(5), Some((1, vec![3])));
    }

    #[test]
    fn what_arrived_before_the_end_is_taken_and_the_first_end_counts() {
        let mail = Mailbox::default();
        mail.deliver(1, data(5, &[1]));
        mail.lose(3, "gone");
        mail.lose(2, "gone, too");
        assert!(mail.has_ended() && mail.take(5, None).is_ok());
        let error = mail.take(5, None).unwrap_err().to_string();
        assert_eq!(error, "rank 3: gone");
        let leave = Letter { kind: Kind::Leave, tag: 0, words: crate::words::of_status(1, "rank 3: gone") };
        mail.deliver(0, leave);
        assert_eq!(mail.wait_for_leave(Duration::from_secs(5)), Some((1, "rank 3: gone".into())));
        assert_eq!(mail.ended(), Some(End::Lost(3, "gone".into())));
    }

    #[test]
    fn a_rank_that_leaves_for_a_reason_is_lost() {
        let mail = Mailbox::default();
        let leave = |text| Letter { kind: Kind::Leave, tag: 0, words: crate::words::of_status(1, text) };
        mail.deliver(2, leave(""));
        assert_eq!(mail.ended(), None);
        mail.deliver(2, leave("no memory"));
        assert_eq!(mail.ended(), Some(End::Lost(2, "no memory".into())));
    }
}
