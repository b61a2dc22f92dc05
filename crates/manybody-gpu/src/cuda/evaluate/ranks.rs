//! Ranks with a GPU each that share evaluations one by one, as rank 0 asks for them.
//!
//! Of a one-sided kernel, each has rows, which go to all through the host. Of a mirrored kernel, each has lines, which go from
//! GPU to GPU; without NCCL, rank 0 computes all of it. A kernel for few bodies is rank 0's.

use super::CudaEvaluator;
use super::compile::Kernel;
use crate::cuda::exchange::Exchange;
use crate::cuda::share::LINES;
use crate::kernel_config::KernelConfig;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;
use manybody_ranks::Team;
use std::sync::Arc;

/// Ranks that are to share evaluations.
#[derive(Default)]
pub(super) struct Asked {
    team: Option<Team>,
    /// Whether their GPUs are known to be of one kind.
    are_alike: bool,
    /// Their GPUs, joined by NCCL when a kernel first needs it; `Some(None)` where they cannot be.
    joined: Option<Option<Arc<Exchange>>>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// From now on, these ranks are to share evaluations.
    pub(super) fn ask(&mut self, team: Option<&Team>) {
        self.asked.team = team.filter(|team| team.ranks() > 1).cloned();
        if self.asked.team.is_none() {
            (self.team, self.exchange) = (None, None);
        }
    }

    /// Whether this is another rank than 0, which has no part of the evaluation.
    pub(super) fn is_left_to_rank_0(&self) -> bool {
        self.team.is_none() && self.asked.team.as_ref().is_some_and(|team| !team.is_root())
    }

    /// Sees who shares an evaluation by this kernel.
    ///
    /// # Errors
    /// [`Error::Device`](manybody_law::Error::Device) where the GPUs of ranks are not of one kind,
    /// [`Error::Rank`](manybody_law::Error::Rank) where a rank is lost.
    pub(super) fn join(&mut self, kernel: &Kernel) -> Result<()> {
        let Some(team) = &self.asked.team else { return Ok(()) };
        (self.team, self.exchange) = (None, None);
        match kernel.shape {
            KernelConfig::Small { .. } => {}
            KernelConfig::Direct { .. } | KernelConfig::Summed { .. } => {
                if !self.asked.are_alike {
                    Exchange::check_kinds(&self.cuda, team)?;
                    self.asked.are_alike = true;
                }
                self.team = Some(team.clone());
            }
            KernelConfig::Symmetric { .. } if team.ranks() > LINES => {}
            KernelConfig::Symmetric { .. } => {
                if self.asked.joined.is_none() {
                    self.asked.joined = Some(Exchange::join(&self.cuda, team)?.ok().map(Arc::new));
                }
                self.exchange = self.asked.joined.clone().flatten();
                self.team = self.exchange.as_ref().map(|_| team.clone());
            }
        }
        Ok(())
    }
}
