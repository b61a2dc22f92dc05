//! A law on a wgpu device, by the phases of its life: a kernel is compiled, bodies are loaded, an evaluation is scheduled
//! and launched, and its results are fetched.

mod compile;
mod fetch;
mod launch;
mod load;
mod schedule;

use self::compile::Kernel;
use self::load::Loaded;
pub(super) use self::schedule::groups;
use super::{Pass, Shape, Subgroups, Wgpu};
use crate::load::{Motion, Width, place_checked};
use crate::{Evaluator, Pairs, finish};
use manybody_law::Result;
use manybody_law::law::{Law, PairInputs};
use manybody_pairwise::Summation;
use manybody_pairwise::watch::Watch;
use manybody_ranks::Team;
use std::collections::HashMap;
use std::sync::Arc;

/// A law on a wgpu device, in f32.
pub struct WgpuEvaluator {
    pub(super) wgpu: Arc<Wgpu>,
    law: Law,
    pairs: Pairs,
    subgroups: Subgroups,
    /// The kernel's shape, where it is not to be chosen.
    knobs: Option<crate::KernelConfig>,
    motion: Motion,
    /// Numbers whose differences the law takes are given in two parts: mixed precision.
    split: bool,
    /// How terms are added, where that is not the kernel's own way.
    sum: Option<Summation>,
    /// Fixed point: what the results must stay below.
    range: Vec<f64>,
    /// The shape that was chosen last: for these members of the law and so many bodies.
    chosen: Option<(Vec<String>, usize, Pairs, Shape)>,
    watch: Watch,
    /// Those with whom it shares rows of a one-sided evaluation.
    pub(super) team: Option<Team>,
    kernels: HashMap<(Vec<String>, Shape), Arc<Kernel>>,
    pub(super) loaded: Option<Loaded>,
}

impl WgpuEvaluator {
    /// A law on an open device.
    pub fn new(wgpu: Arc<Wgpu>, law: &Law, pairs: Pairs) -> Self {
        let subgroups = wgpu.subgroups;
        WgpuEvaluator {
            wgpu,
            law: law.clone(),
            pairs,
            subgroups,
            knobs: None,
            motion: Motion::Fixed,
            split: false,
            sum: None,
            range: Vec::new(),
            chosen: None,
            watch: Watch::default(),
            team: None,
            kernels: HashMap::new(),
            loaded: None,
        }
    }

    /// Computes as on a device with other subgroups: without any, or of a width that is not known before.
    #[doc(hidden)] // for tests
    pub fn with_subgroups(mut self, subgroups: Subgroups) -> Self {
        self.subgroups = subgroups;
        self
    }

    /// Fixes the shape of the kernel, as far as this device has such knobs; `None` to have it chosen.
    pub fn with_knobs(mut self, knobs: Option<crate::KernelConfig>) -> Self {
        self.knobs = knobs;
        self
    }

    /// Numbers whose differences the law takes, such as positions, keep 48 bits: mixed precision.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for a law with bodies of two kinds.
    pub fn mixed(mut self) -> Result<Self> {
        finish::check_mixed(&self.law)?;
        self.split = true;
        Ok(self)
    }

    /// Terms are added in a chosen way, by a one-sided kernel; `None` for the kernel's own. For laws whose results are
    /// at most eight sums.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for other laws, or another kernel than `direct`.
    pub fn summing(mut self, sum: Option<Summation>) -> Result<Self> {
        if let Some(sum) = sum {
            finish::check_summable(&self.law, sum, false, self.pairs)?;
            self.knobs = self.knobs.map(|knobs| crate::kernel_config::with_sum(knobs, sum)).transpose()?;
        }
        self.sum = sum;
        Ok(self)
    }

    /// The law's first member is a position that will change: it stays in the records even if it is the same for all now.
    pub(super) fn moving(mut self) -> Self {
        self.motion = Motion::Moving;
        self
    }
}

impl Evaluator for WgpuEvaluator {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        let law = self.law.clone();
        place_checked(&law, inputs, Width::Single, self.motion, |inputs| self.place(inputs))
    }

    fn bound(&mut self, range: &[f64]) {
        self.range = range.to_vec();
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    /// Ranks share rows of a one-sided kernel.
    fn can_share(&self) -> bool {
        self.pairs == Pairs::Ordered
    }

    fn share(&mut self, team: Option<&Team>) {
        let team = team.filter(|team| self.pairs == Pairs::Ordered && team.ranks() > 1);
        if team.is_none() && self.team.is_some() {
            self.loaded = None; // a part of an evaluation
        }
        self.team = team.cloned();
    }

    fn compute(&mut self) -> Result<()> {
        self.submit_passes(&self.passes())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        self.fetch_results()
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        self.compute()?;
        self.wgpu.wait()?;
        // as in a run: some evaluations in one submission, so that submitting them one by one does not count
        let at_once = repeats.clamp(1, 20);
        let once = self.passes();
        let passes: Vec<Pass> = (0..at_once).flat_map(|_| once.clone()).collect();
        let submissions = repeats.div_ceil(at_once);
        let start = std::time::Instant::now();
        for _ in 0..submissions {
            self.submit_passes(&passes)?;
        }
        self.wgpu.wait()?;
        Ok(start.elapsed().as_secs_f64() / (submissions * at_once) as f64)
    }
}
