//! How the computations of this crate report to a watch.

use crate::shared::own_blocks;
use crate::{Error, Result};
use manybody_pairwise::watch::{Look, Watch};
use manybody_ranks::Team;

/// A computation under way, followed by a watch or not, and perhaps shared by ranks.
pub(crate) struct Followed<'a> {
    look: Option<Look<'a>>,
    team: Option<&'a Team>,
}

impl<'a> Followed<'a> {
    /// By no watch.
    pub(crate) fn not() -> Self {
        Followed { look: None, team: None }
    }

    /// By a watch, if there is one and it is for so many pairs. The work is counted in `tasks`.
    pub(crate) fn begin(watch: Option<&'a Watch>, pairs: u64, tasks: u64) -> Self {
        Followed { look: watch.and_then(|watch| watch.begin(pairs, tasks)), team: None }
    }

    /// [`begin`](Self::begin) of what ranks share: it ends where they have come apart. The tasks are those of `blocks`, in shares,
    /// that are this rank's.
    pub(crate) fn begin_on(team: Option<&'a Team>, watch: Option<&'a Watch>, pairs: u64, blocks: (u64, usize)) -> Self {
        Followed { team, ..Followed::begin(watch, pairs, own_blocks(team, blocks)) }
    }

    /// Does work that changes `state`, and counts it as so many tasks. Leaves it undone once the computation is to end.
    #[inline]
    pub(crate) fn task<A>(&self, state: A, tasks: u64, work: impl FnOnce(A) -> A) -> A {
        if self.team.is_some_and(Team::has_ended) {
            return state;
        }
        match &self.look {
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
        match &self.look {
            Some(look) if look.ends() => Err(Error::Interrupted),
            _ => Ok(()),
        }
    }
}
