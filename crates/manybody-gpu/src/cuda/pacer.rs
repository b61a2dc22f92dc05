//! Long evaluations are followed and can be ended: the host waits for launches that were started some time ago.

use super::exchange::{self, Exchange};
use super::failed;
use cudarc::driver::{CudaEvent, CudaStream};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::{Look, Watch};
use manybody_ranks::Team;
use std::collections::VecDeque;
use std::sync::Arc;

/// A GPU computes so many pairs while two cores compute one, so that only what takes it a tenth of a second is followed.
pub(crate) const FASTER: u64 = 64;

/// Launches under way: enough that the device never waits for the next one.
const UNDER_WAY: usize = 4;

/// Follows an evaluation; by default it follows nothing, so that kernels can be captured.
#[derive(Default)]
pub(super) struct Pacer<'a> {
    look: Option<Look<'a>>,
    under_way: VecDeque<CudaEvent>,
    /// Ranks that share the evaluation, and how they exchange what they compute: launches may wait for other ranks.
    ranks: (Option<Team>, Option<Arc<Exchange>>),
}

impl<'a> Pacer<'a> {
    /// Follows an evaluation of so many pairs in so many launches, if it is a long one.
    pub(super) fn new(watch: &'a Watch, pairs: u64, launches: usize) -> Self {
        Pacer { look: watch.begin(pairs / FASTER, launches as u64), ..Pacer::default() }
    }

    /// One that does not wait for ranks that are lost.
    pub(super) fn of_ranks(self, team: Option<Team>, exchange: Option<Arc<Exchange>>) -> Self {
        Pacer { ranks: (team, exchange), ..self }
    }

    /// Reports that a launch has been started, and waits for earlier ones.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where the watch or rank 0 asks for an end, [`Error::Rank`] where a rank is lost.
    pub(super) fn started(&mut self, stream: &CudaStream) -> Result<()> {
        self.ranks.0.as_ref().map_or(Ok(()), exchange::check)?;
        let Some(look) = &self.look else { return Ok(()) };
        let failed = failed("wait for a kernel");
        self.under_way.push_back(stream.record_event(None).map_err(&failed)?);
        if self.under_way.len() > UNDER_WAY
            && let Some(event) = self.under_way.pop_front()
        {
            match &self.ranks {
                (_, Some(exchange)) => exchange.wait(&event)?,
                (Some(team), None) => exchange::wait(team, &event)?,
                (None, None) => event.synchronize().map_err(&failed)?,
            }
            look.count();
        }
        if look.ends() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
