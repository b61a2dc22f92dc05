//! Ranks with a GPU each that share evaluations one by one, as rank 0 asks for them.
//!
//! Of a one-sided kernel, each has rows; of a mirrored kernel, each has lines. Both go from GPU to GPU by NCCL. Without it, rows go
//! through the host, and rank 0 computes all of a mirrored evaluation. A kernel for few bodies is rank 0's.

use super::CudaEvaluator;
use super::compile::Kernel;
use super::load::Loaded;
use crate::cuda::exchange::{Exchange, wait_for_stream};
use crate::cuda::failed;
use crate::cuda::share::LINES;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;
use manybody_ranks::Team;
use std::sync::Arc;

/// Ranks that are to share evaluations.
#[derive(Default)]
pub(super) struct Asked {
    team: Option<Team>,
    /// Their GPUs, joined by NCCL when they first share an evaluation; `Some(None)` where they cannot be.
    joined: Option<Option<Arc<Exchange>>>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// From now on, these ranks are to share evaluations.
    pub(super) fn ask(&mut self, team: Option<&Team>) {
        self.asked.team = team.filter(|team| team.ranks() > 1).cloned();
        if self.asked.team.is_none() && self.team.is_some() {
            // what is loaded is a part of an evaluation
            (self.team, self.exchange, self.loaded) = (None, None, None);
        }
    }

    /// Whether this is another rank than 0, which has no part of the evaluation.
    pub(super) fn is_left_to_rank_0(&self) -> bool {
        self.team.is_none() && !self.has_use()
    }

    /// Whether results are of use here: ranks share evaluations for rank 0.
    pub(super) fn has_use(&self) -> bool {
        self.asked.team.as_ref().is_none_or(Team::is_root)
    }

    /// Sees who shares an evaluation by this kernel.
    ///
    /// # Errors
    /// [`Error::Device`](manybody_law::Error::Device) where the GPUs of ranks are not of one kind,
    /// [`Error::Rank`](manybody_law::Error::Rank) where a rank is lost.
    pub(super) fn join(&mut self, kernel: &Kernel) -> Result<()> {
        let Some(team) = &self.asked.team else { return Ok(()) };
        (self.team, self.exchange) = (None, None);
        if kernel.is_small() || kernel.is_mirrored() && team.ranks() > LINES {
            return Ok(());
        }
        if self.asked.joined.is_none() {
            self.asked.joined = Some(Exchange::join(&self.cuda, team)?.ok().map(Arc::new));
        }
        self.exchange = self.asked.joined.clone().flatten();
        let is_shared = self.exchange.is_some() || !kernel.is_mirrored();
        self.team = Some(team.clone()).filter(|_| is_shared);
        Ok(())
    }

    /// Completes the sums by those of the ranks that share the evaluation, from GPU to GPU; `false` where they are still to go
    /// through the host.
    ///
    /// # Errors
    /// Those of the device, and of ranks that have come apart.
    pub(super) fn complete_on_gpus(&self, loaded: &Loaded<T>) -> Result<bool> {
        let (Some(team), stream) = (&self.team, &self.cuda.stream) else { return Ok(true) };
        let Some(exchange) = &self.exchange else {
            wait_for_stream(stream, team)?;
            return Ok(false);
        };
        let arrived = exchange.rows(stream, &loaded.sums, loaded.layout())?;
        stream.wait(&arrived).map_err(failed("wait for other GPUs"))?;
        exchange.wait(&arrived)?;
        Ok(true)
    }
}
