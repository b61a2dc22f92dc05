//! Long computations are followed and can be ended: the host waits for launches that were started some time ago.

use super::{Gpu, Kind, Start};
use cudarc::driver::CudaEvent;
use manybody_law::{Error, Result};
use manybody_pairwise::watch::{Look, Watch};
use std::collections::VecDeque;

/// A GPU computes so many pairs while two cores compute one, so that only what takes it a tenth of a second is followed; a
/// device that computes on the CPU does not.
const FASTER: u64 = 64;

/// Launches under way: enough that the device never waits for the next one.
const UNDER_WAY: usize = 2;

/// Where a device is when it has done all that was started before.
pub(super) enum Mark {
    Cuda(CudaEvent),
    Wgpu(::wgpu::SubmissionIndex),
}

/// A computation under way on a device, followed by a watch or not.
pub(crate) struct Followed<'a> {
    gpu: &'a Gpu,
    look: Option<Look<'a>>,
    under_way: VecDeque<(Mark, u64)>,
}

impl<'a> Followed<'a> {
    /// Follows a computation of so many pairs, if the watch is for so many. The work is counted in `tasks`.
    pub(crate) fn begin(gpu: &'a Gpu, watch: &'a Watch, pairs: u64, tasks: u64) -> Self {
        let pairs = if gpu.is_software() { pairs } else { pairs / FASTER };
        Followed { gpu, look: watch.begin(pairs, tasks), under_way: VecDeque::new() }
    }

    /// Starts kernels that do so many tasks, and waits for those that were started some time ago.
    ///
    /// # Errors
    /// [`Error::Device`], and [`Error::Interrupted`] where the watch asks for an end.
    pub(crate) fn start(&mut self, starts: &[Start<'_>], tasks: u64) -> Result<()> {
        if self.look.is_none() {
            return self.gpu.start(starts);
        }
        self.under_way.push_back((self.gpu.start_marked(starts)?, tasks));
        match self.under_way.len() > UNDER_WAY {
            true => self.wait_for_first(),
            false => self.check(),
        }
    }

    /// Waits for all that was started.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub(crate) fn finish(mut self) -> Result<()> {
        while !self.under_way.is_empty() {
            self.wait_for_first()?;
        }
        Ok(())
    }

    /// Counts tasks that the host has waited for.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where the watch asks for an end.
    pub(crate) fn count(&self, tasks: u64) -> Result<()> {
        if let Some(look) = &self.look {
            look.count_all(tasks);
        }
        self.check()
    }

    fn wait_for_first(&mut self) -> Result<()> {
        let Some((mark, tasks)) = self.under_way.pop_front() else { return Ok(()) };
        self.gpu.wait_for(mark)?;
        self.count(tasks)
    }

    fn check(&self) -> Result<()> {
        match &self.look {
            Some(look) if look.ends() => Err(Error::Interrupted),
            _ => Ok(()),
        }
    }
}

/// A watch of no computation.
pub(crate) fn no_watch() -> Watch {
    Watch::of(u64::MAX)
}

impl Gpu {
    /// [`start`](Gpu::start), and a mark of where the device is then.
    fn start_marked(&self, starts: &[Start<'_>]) -> Result<Mark> {
        match &self.0 {
            Kind::Cuda(cuda) => {
                super::cuda::start(cuda, starts)?;
                super::cuda::mark(cuda).map(Mark::Cuda)
            }
            Kind::Wgpu(wgpu) => super::wgpu::start(wgpu, starts).map(Mark::Wgpu),
        }
    }

    /// Waits until the device has reached a mark.
    fn wait_for(&self, mark: Mark) -> Result<()> {
        match (&self.0, mark) {
            (Kind::Cuda(_), Mark::Cuda(event)) => super::cuda::wait_for(&event),
            (Kind::Wgpu(wgpu), Mark::Wgpu(index)) => wgpu.wait_for(Some(index)),
            _ => Err(super::other_device()),
        }
    }
}
