//! A law on a CUDA device, by the phases of its life: a kernel is compiled, bodies are loaded, an evaluation is scheduled
//! and launched, and its results are fetched.

mod arrays;
mod compile;
mod fetch;
mod launch;
mod load;
mod ranks;
mod schedule;

pub(in crate::cuda) use self::arrays::OnDevice;
pub(in crate::cuda) use self::compile::Kernel;
use self::load::Loaded;
use self::ranks::Asked;
use super::exchange::Exchange;
use super::pacer::Pacer;
use super::transfer::Staging;
use super::{Cuda, failed};
use crate::kernel_config::{self, KernelConfig};
use crate::load::{Motion, Width, place_checked};
use crate::{Evaluator, Pairs, finish};
use cudarc::driver::sys::{CUgraphInstantiate_flags as Instantiate, CUstreamCaptureMode as Capture};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::law::{Law, PairInputs};
use manybody_law::simd::Element;
use manybody_pairwise::Summation;
use manybody_pairwise::watch::Watch;
use manybody_ranks::Team;
use std::collections::HashMap;
use std::sync::Arc;

/// A law on a CUDA device, in f32 or f64.
pub struct CudaEvaluator<T> {
    cuda: Arc<Cuda>,
    watch: Watch,
    /// The ranks that are to share evaluations, as far as kernels let them.
    asked: Asked,
    /// Those with whom it shares an evaluation: rows of a one-sided one, lines of a mirrored one.
    pub(in crate::cuda) team: Option<Team>,
    /// How they exchange what they have computed; through the host where there is nothing.
    pub(in crate::cuda) exchange: Option<Arc<Exchange>>,
    law: Law,
    pairs: Pairs,
    shape: Option<KernelConfig>,
    motion: Motion,
    /// Numbers whose differences the law takes are given in two parts: mixed precision, in f32 only.
    split: bool,
    /// How terms are added, where that is not the kernel's own way: in f32 only.
    sum: Option<Summation>,
    /// Fixed point: what the results must stay below.
    range: Vec<f64>,
    kernels: HashMap<(Vec<String>, KernelConfig), Arc<Kernel>>,
    /// Ways to the device and back, once they are needed.
    up: Option<Staging<T>>,
    down: Option<Staging<f64>>,
    pub(in crate::cuda) loaded: Option<Loaded<T>>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// A law on an open device.
    pub fn new(cuda: Arc<Cuda>, law: &Law, pairs: Pairs) -> Self {
        CudaEvaluator {
            cuda,
            watch: Watch::default(),
            asked: Asked::default(),
            team: None,
            exchange: None,
            law: law.clone(),
            pairs,
            shape: None,
            motion: Motion::Fixed,
            split: false,
            sum: None,
            range: Vec::new(),
            kernels: HashMap::new(),
            up: None,
            down: None,
            loaded: None,
        }
    }

    /// Fixes the shape of the kernel instead of having it chosen.
    pub fn with_shape(self, shape: KernelConfig) -> Self {
        self.in_shape(Some(shape))
    }

    pub(in crate::cuda) fn in_shape(mut self, shape: Option<KernelConfig>) -> Self {
        self.shape = shape;
        self
    }

    /// Evaluations are to end in moving the bodies: the law's first member is a position, its first result an acceleration.
    pub(in crate::cuda) fn stepping(mut self) -> Self {
        self.motion = Motion::Stepping;
        self
    }

    /// Numbers whose differences the law takes, such as positions, keep 48 bits: mixed precision. Not for f64.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for a law with bodies of two kinds.
    pub fn mixed(mut self) -> Result<Self> {
        finish::check_mixed(&self.law)?;
        self.split = !T::DOUBLE;
        Ok(self)
    }

    /// Terms are added in a chosen way, by a one-sided kernel; `None` for the kernel's own. For laws whose results are
    /// sums, in f32.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for other laws, f64, or another kernel than `direct`.
    pub fn summing(mut self, sum: Option<Summation>) -> Result<Self> {
        if let Some(sum) = sum {
            finish::check_summable(&self.law, sum, T::DOUBLE, self.pairs)?;
            self.shape = self.shape.map(|shape| kernel_config::with_sum(shape, sum)).transpose()?;
        }
        self.sum = sum;
        Ok(self)
    }

    /// The law's first member is a position that will be [packed](Self::repack) again.
    pub(in crate::cuda) fn moving(mut self) -> Self {
        self.motion = Motion::Moving;
        self
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Evaluator for CudaEvaluator<T> {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        let law = self.law.clone();
        let width = if T::DOUBLE { Width::Double } else { Width::Single };
        place_checked(&law, inputs, width, self.motion, |inputs| self.place(inputs))
    }

    fn bound(&mut self, range: &[f64]) {
        self.range = range.to_vec();
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn can_share(&self) -> bool {
        true
    }

    fn share(&mut self, team: Option<&Team>) {
        self.ask(team);
    }

    fn compute(&mut self) -> Result<()> {
        if self.is_left_to_rank_0() {
            return Ok(());
        }
        self.launch(None, &mut self.pacer().of_ranks(self.team.clone(), self.exchange.clone()))
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        self.fetch_results()
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
        let time = failed("measure time");
        self.compute()?;
        // as in a run's steps: some evaluations in a graph, so that starting kernels one by one does not count
        let stream = self.cuda.stream.clone();
        let in_a_graph = repeats.clamp(1, 20);
        stream.begin_capture(Capture::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(&time)?;
        let captured = (0..in_a_graph).try_for_each(|_| self.launch(None, &mut Pacer::default()));
        let graph = stream.end_capture(Instantiate::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).map_err(&time)?;
        captured?;
        let Some(graph) = graph else { return Ok(0.0) }; // no bodies, nothing to do
        let launches = repeats.div_ceil(in_a_graph);
        graph.launch().map_err(&time)?;
        let begin = stream.record_event(flags).map_err(&time)?;
        for _ in 0..launches {
            graph.launch().map_err(&time)?;
        }
        let end = stream.record_event(flags).map_err(&time)?;
        let milliseconds = begin.elapsed_ms(&end).map_err(&time)?;
        Ok(f64::from(milliseconds) * 1e-3 / (launches * in_a_graph) as f64)
    }
}
