//! Long evaluations are followed and can be ended: the host waits for launches that were started some time ago.

use super::failed;
use cudarc::driver::{CudaEvent, CudaStream};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::{Look, Watch};
use std::collections::VecDeque;

/// A GPU computes so many pairs while two cores compute one, so that only what takes it a tenth of a second is followed.
pub(crate) const FASTER: u64 = 64;

/// Launches under way: enough that the device never waits for the next one.
const UNDER_WAY: usize = 4;

/// Follows an evaluation; by default it follows nothing, so that kernels can be captured.
#[derive(Default)]
pub(super) struct Pacer<'a> {
    look: Option<Look<'a>>,
    under_way: VecDeque<CudaEvent>,
}

impl<'a> Pacer<'a> {
    /// Follows an evaluation of so many pairs in so many launches, if it is a long one.
    pub(super) fn new(watch: &'a Watch, pairs: u64, launches: usize) -> Self {
        Pacer { look: watch.begin(pairs / FASTER, launches as u64), under_way: VecDeque::new() }
    }

    /// Reports that a launch has been started, and waits for earlier ones.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where the watch asks for an end.
    pub(super) fn started(&mut self, stream: &CudaStream) -> Result<()> {
        let Some(look) = &self.look else { return Ok(()) };
        let failed = failed("wait for a kernel");
        self.under_way.push_back(stream.record_event(None).map_err(&failed)?);
        if self.under_way.len() > UNDER_WAY
            && let Some(event) = self.under_way.pop_front()
        {
            event.synchronize().map_err(&failed)?;
            look.count();
        }
        if look.ends() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
