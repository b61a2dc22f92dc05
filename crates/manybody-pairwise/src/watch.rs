//! A look into a long computation: how far it is, and the word to end it.
//!
//! A [`Watch`] is shared by who computes and who looks on. Solvers that are given one (see
//! [`Solver::watch`](crate::Solver::watch)) count in it what they have done, task by task, and end early with
//! [`Error::Interrupted`] where that is allowed and asked for. Evaluations of fewer than [`LONG`] pairs take a fraction
//! of a second anywhere and do not look, so they cost nothing more.

use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Pairs of an evaluation that is watched: two cores need 0.6 s for them in f64 (AVX-512).
pub const LONG: u64 = 1 << 32;

/// How far a computation is. Clones are the same watch.
#[derive(Clone, Debug)]
pub struct Watch(Arc<State>);

#[derive(Debug)]
struct State {
    least: u64,
    done: AtomicU64,
    all: AtomicU64,
    stop: AtomicBool,
    heard: AtomicBool,
}

impl Default for Watch {
    /// A watch of [`LONG`] evaluations.
    fn default() -> Self {
        Watch::of(LONG)
    }
}

impl Watch {
    /// A watch of evaluations of at least so many pairs.
    pub fn of(least: u64) -> Self {
        let (done, all, stop, heard) = Default::default();
        Watch(Arc::new(State { least, done, all, stop, heard }))
    }

    /// Whether an evaluation of so many pairs is watched.
    pub fn is_for(&self, pairs: u64) -> bool {
        pairs >= self.0.least
    }

    /// Asks the computation to end. Nothing happens where it may not: see [`hear`](Self::hear).
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }

    /// Whether [`stop`](Self::stop) was asked for.
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Relaxed)
    }

    /// From now on the computation may be ended, or may not.
    pub fn hear(&self, yes: bool) {
        self.0.heard.store(yes, Relaxed);
    }

    /// The share of the evaluation under way that is done, from 0 to 1. `None` between long evaluations.
    pub fn share(&self) -> Option<f64> {
        let (done, all) = (self.0.done.load(Relaxed), self.0.all.load(Relaxed));
        (all > 0).then(|| (done as f64 / all as f64).min(1.0))
    }

    /// Notes the share, from 0 to 1, of a computation that is made of many short evaluations; 1 at its end.
    pub fn note(&self, share: f64) {
        let all = 1_u64 << 32;
        self.0.done.store((share * all as f64) as u64, Relaxed);
        self.0.all.store(if share < 1.0 { all } else { 0 }, Relaxed);
    }

    /// Begins an evaluation of so many pairs in `tasks`; `None` for one that is not watched.
    pub fn begin(&self, pairs: u64, tasks: u64) -> Option<Look<'_>> {
        self.is_for(pairs).then(|| {
            self.0.done.store(0, Relaxed);
            self.0.all.store(tasks, Relaxed);
            Look { watch: self, counts: true }
        })
    }

    /// As [`begin`](Self::begin), for what comes before an evaluation of so many pairs: it can be ended, and the share that is
    /// done does not show it.
    pub fn prepare(&self, pairs: u64) -> Option<Look<'_>> {
        self.is_for(pairs).then_some(Look { watch: self, counts: false })
    }

    /// Whether the computation is to end: [`stop`](Self::stop) was asked for where it may.
    pub fn ends(&self) -> bool {
        self.0.stop.load(Relaxed) && self.0.heard.load(Relaxed)
    }
}

/// A long evaluation under way.
#[derive(Debug)]
pub struct Look<'a> {
    watch: &'a Watch,
    counts: bool,
}

impl Look<'_> {
    /// Whether the next task is to be left undone.
    pub fn ends(&self) -> bool {
        self.watch.ends()
    }

    /// Counts a task.
    pub fn count(&self) {
        self.count_all(1);
    }

    /// Counts so many tasks.
    pub fn count_all(&self, tasks: u64) {
        if self.counts {
            self.watch.0.done.fetch_add(tasks, Relaxed);
        }
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        if self.counts {
            self.watch.0.all.store(0, Relaxed);
        }
    }
}

/// The error of an evaluation that may have ended early.
pub fn outcome(look: Option<&Look<'_>>) -> Result<()> {
    match look {
        Some(look) if look.ends() => Err(Error::Interrupted),
        _ => Ok(()),
    }
}
