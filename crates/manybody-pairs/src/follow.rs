//! How the computations of this crate report to a watch.

use crate::{Error, Result};
use manybody_pairwise::watch::{Look, Watch};

/// A computation under way, followed by a watch or not.
pub(crate) struct Followed<'a>(Option<Look<'a>>);

impl<'a> Followed<'a> {
    /// By no watch.
    pub(crate) fn not() -> Self {
        Followed(None)
    }

    /// By a watch, if there is one and it is for so many pairs. The work is counted in `tasks`.
    pub(crate) fn begin(watch: Option<&'a Watch>, pairs: u64, tasks: u64) -> Self {
        Followed(watch.and_then(|watch| watch.begin(pairs, tasks)))
    }

    /// Does work that changes `state`, and counts it as so many tasks. Leaves it undone once the computation is to end.
    #[inline]
    pub(crate) fn task<A>(&self, state: A, tasks: u64, work: impl FnOnce(A) -> A) -> A {
        match &self.0 {
            None => work(state),
            Some(look) if look.ends() => state,
            Some(look) => {
                let state = work(state);
                look.count_all(tasks);
                state
            }
        }
    }

    /// Whether it is complete.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if it may have ended early.
    pub(crate) fn outcome(&self) -> Result<()> {
        match &self.0 {
            Some(look) if look.ends() => Err(Error::Interrupted),
            _ => Ok(()),
        }
    }
}
