//! What the parts of an evaluation give each other: those of the GPUs of this process by copies, those of other ranks by NCCL.

use super::part::Run;
use crate::cuda::exchange::Exchange;
use crate::cuda::failed;
use crate::cuda::launch::address;
use crate::cuda::share::copy_range;
use cudarc::driver::{CudaEvent, CudaSlice};
use manybody_law::Result;
use std::ops::Range;

/// Launches what each device does by itself.
pub(super) fn each<'a, T>(
    runs: &mut [Run<'a, T>],
    mut launch: impl FnMut(&mut Run<'a, T>) -> Result<()>,
) -> Result<()> {
    runs.iter_mut().try_for_each(|run| {
        run.cuda.bind()?;
        launch(run)
    })
}

/// The parts of an evaluation: those of this process are neighbours of each other.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// GPUs of each process.
    pub(super) gpus: usize,
    /// With the other ranks, where they share.
    pub(super) exchange: Option<&'a Exchange>,
}

impl Parts<'_> {
    /// How many there are of all ranks.
    pub(super) fn count(self) -> usize {
        self.gpus * self.exchange.map_or(1, |exchange| exchange.place().1)
    }

    /// The part of one of this process's GPUs.
    pub(super) fn of(self, gpu: usize) -> usize {
        self.exchange.map_or(0, |exchange| exchange.place().0) * self.gpus + gpu
    }

    /// Waits for an exchange where kernels have not been launched before: the driver may load them then, and so wait for the GPU,
    /// which would wait for ever for a rank that is lost.
    ///
    /// # Errors
    /// Those of the device, and of ranks that have come apart.
    pub(super) fn wait_if(self, is_cold: bool, arrived: Option<&CudaEvent>) -> Result<()> {
        match (self.exchange, arrived) {
            (Some(exchange), Some(arrived)) if is_cold => exchange.wait(arrived),
            _ => Ok(()),
        }
    }

    /// Completes what all parts have on this process's first GPUs; `range` says where each part has its own.
    ///
    /// # Errors
    /// Those of the devices, and of ranks that have come apart.
    pub(super) fn complete<'r, T, A: 'r>(
        self,
        runs: &'r [Run<'_, T>],
        receivers: usize,
        what: impl Fn(&'r Run<'_, T>) -> &'r CudaSlice<A>,
        range: impl Fn(usize) -> Range<usize>,
    ) -> Result<Option<CudaEvent>> {
        let Some(exchange) = self.exchange else {
            copy(runs, receivers, &what, |gpu| Some(range(gpu)))?;
            return Ok(None);
        };
        // the first GPU has the parts of this rank, then of all, which it gives to the others
        copy(runs, 1, &what, |gpu| Some(range(self.of(gpu))))?;
        let stream = &runs[0].cuda.stream;
        let base = address(stream, what(&runs[0]));
        let of_rank = |rank: usize| range(rank * self.gpus).start..range((rank + 1) * self.gpus - 1).end;
        let bytes = |rank: usize| {
            let Range { start, end } = of_rank(rank);
            (base + (start * size_of::<A>()) as u64, (end - start) * size_of::<A>())
        };
        let arrived = exchange.parts(stream, |rank| vec![bytes(rank)])?;
        stream.wait(&arrived).map_err(failed("wait for other GPUs"))?;
        let all = (0..self.count()).fold(0..0, |all, part| all.start..range(part).end.max(all.end));
        copy(runs, receivers, &what, |gpu| (gpu == 0).then(|| all.clone()))?;
        Ok(Some(arrived))
    }
}

/// Copies a range of each GPU, or nothing of it, to the first ones.
fn copy<'r, T, A: 'r>(
    runs: &'r [Run<'_, T>],
    receivers: usize,
    what: impl Fn(&'r Run<'_, T>) -> &'r CudaSlice<A>,
    range: impl Fn(usize) -> Option<Range<usize>>,
) -> Result<()> {
    if runs.len() == 1 {
        return Ok(());
    }
    let wait = failed("wait for another GPU");
    for run in runs {
        run.given.record(&run.cuda.stream).map_err(&wait)?;
    }
    let others = |k: usize| runs.iter().enumerate().filter(move |(other, _)| *other != k);
    for (k, run) in runs.iter().enumerate().take(receivers) {
        run.cuda.bind()?;
        let stream = &run.cuda.stream;
        for (gpu, other) in others(k) {
            stream.wait(other.given).map_err(&wait)?;
            if let Some(range) = range(gpu) {
                copy_range(run.cuda, (other.cuda, what(other)), (run.cuda, what(run)), range)?;
            }
        }
        run.taken.record(stream).map_err(&wait)?;
    }
    // a part stays as it is until all have it
    for (k, run) in runs.iter().enumerate() {
        for (_, other) in others(k).filter(|(other, _)| *other < receivers) {
            run.cuda.stream.wait(other.taken).map_err(&wait)?;
        }
    }
    Ok(())
}
