//! A block of steps as three kernels, and many blocks as a graph: for any number of bodies.

use super::super::launch::{Call, Graph, grid};
use super::super::{Cuda, failed, kernels};
use super::{OnDevice, Scheme, Units, tick, work};
use crate::compute::Rounding;
use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{BlockStep, BlockWork};
use std::time::{Duration, Instant};

const KERNELS: &str = concat!(include_str!("../../kernels/early.cuh"), include_str!("../../kernels/blocks_three.cu"));

/// As blocks_three.cu has it: threads, targets of a list at most, bodies of a tile, and the tasks into which parts and lists divide the
/// work at most.
const THREADS: u32 = 128;
const TARGETS: usize = 512;
const TILE: usize = 128;
const TASKS: usize = 8 * 264;

/// Graphs are launched without a look at what they made for about so long, and so many.
const UNWATCHED: Duration = Duration::from_millis(50);
const MOST: usize = 256;
/// Ticks of a step of the run.
const END: u64 = 1 << 52;

/// The text of the kernels.
pub(in super::super) fn source(scheme: Scheme) -> String {
    scheme.prelude() + KERNELS
}

/// What a step is, as the kernels have it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    unit: f64,
    eta2: f64,
    levels: [i32; 2],
    n: u32,
    is_limited: u32,
    /// Read in mixed precision only.
    frame: Units,
}

// SAFETY: the kernels' record
unsafe impl DeviceRepr for Step {}
// SAFETY: so is zero
unsafe impl cudarc::driver::ValidAsZeroBits for Step {}

/// The kernels, and what they leave for each other.
pub(in super::super) struct ThreeKernels {
    predict: CudaFunction,
    sum: CudaFunction,
    correct: CudaFunction,
    step: CudaSlice<Step>,
    /// Two controls of three words: time; level and targets; whether no block follows.
    controls: CudaSlice<u64>,
    sources: CudaSlice<u64>,
    list: CudaSlice<u32>,
    partial: CudaSlice<f64>,
    /// Blocks, steps of bodies, a body whose step is too small, and the time of the last block.
    report: CudaSlice<u64>,
    graph: Option<Graph>,
}

/// Blocks of a graph, an even number, as one begins with the control that the one ahead left: few where each may take a second.
fn blocks_of_graph(n: usize) -> usize {
    (((1 << 21) / n.max(1)) & !1).clamp(2, 32)
}

/// How many graphs to launch next, and how many at most, after so many that took so long and left so many blocks, by an estimate.
fn next_graphs(launched: usize, most: usize, took: Duration, rest: f64, each: usize) -> [usize; 2] {
    let most = match took > UNWATCHED {
        true => (most / 2).max(1),
        false if launched == most => (2 * most).min(MOST),
        false => most,
    };
    [((rest / each as f64).ceil() as usize).clamp(1, most), most]
}

impl ThreeKernels {
    /// Room for n bodies.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn new(cuda: &Cuda, scheme: Scheme, n: usize) -> Result<Self> {
        let module = cuda.load(kernels(&source(scheme), cuda.arch, Rounding::Fast)?)?;
        let kernel = |name| module.load_function(name).map_err(failed("find a kernel"));
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let words = |count: usize| stream.alloc_zeros::<u64>(count).map_err(&memory);
        // parts and lists of targets make that many tasks; of more lists there is one part
        let sums = n.max((n * n.div_ceil(TILE)).min(TASKS * TARGETS));
        Ok(ThreeKernels {
            predict: kernel("predict")?,
            sum: kernel("sum")?,
            correct: kernel("correct")?,
            step: stream.alloc_zeros(1).map_err(&memory)?,
            controls: words(6)?,
            sources: words(n * scheme.source_bytes() / 8)?,
            list: stream.alloc_zeros(n).map_err(&memory)?,
            partial: stream.alloc_zeros(sums * scheme.sums()).map_err(&memory)?,
            report: words(4)?,
            graph: None,
        })
    }

    /// Launches a block that reads one of the controls.
    fn start(&self, cuda: &Cuda, bodies: &OnDevice, turn: u32) -> Result<()> {
        let stream = &cuda.stream;
        let mut call = Call::new(stream, &self.predict);
        call.memory(&bodies.state).memory(&bodies.mass).memory(&bodies.half).memory(&bodies.levels).memory(&self.step);
        call.arg(&turn).memory(&self.controls).memory(&self.sources).memory(&self.list);
        call.start(grid((bodies.n as u32).div_ceil(256), 1, 256, 1, 0), cuda.earliest)?;
        let mut call = Call::new(stream, &self.sum);
        call.memory(&self.sources).memory(&self.list).memory(&self.step).arg(&turn);
        call.memory(&self.controls).memory(&self.partial);
        call.start(grid(2 * cuda.processors, 1, THREADS, 1, 0), cuda.earliest)?;
        let mut call = Call::new(stream, &self.correct);
        call.memory(&bodies.state).memory(&bodies.levels).memory(&self.list).memory(&self.step).arg(&turn);
        call.memory(&self.controls).memory(&self.partial).memory(&self.report);
        call.start(grid(4 * cuda.processors, 1, THREADS, 1, 0), cuda.earliest)
    }

    /// Makes a step of the run; `deepest` is the level of the shortest step of a body.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`] where the watch asks for an end.
    pub(super) fn step(
        &mut self,
        cuda: &Cuda,
        bodies: &OnDevice,
        step: &BlockStep,
        deepest: u8,
        frame: Option<&Units>,
        watch: &Watch,
    ) -> Result<BlockWork> {
        let (stream, transfer) = (&cuda.stream, failed("transfer the bodies"));
        let call = Step {
            unit: tick(step),
            eta2: step.eta * step.eta,
            levels: step.levels.map(i32::from),
            n: bodies.n as u32,
            is_limited: step.is_limited.into(),
            frame: frame.copied().unwrap_or_default(),
        };
        stream.memcpy_htod(&[call], &mut self.step).map_err(&transfer)?;
        stream.memcpy_htod(&[0, deepest.into(), 0, 0, 0, 0], &mut self.controls).map_err(&transfer)?;
        stream.memcpy_htod(&[0, 0, u64::MAX, 0], &mut self.report).map_err(&transfer)?;
        if self.graph.is_none() {
            let all = || (0..blocks_of_graph(bodies.n)).try_for_each(|k| self.start(cuda, bodies, k as u32 % 2));
            self.graph = Graph::capture(stream, all)?;
        }
        let [mut graphs, mut most] = [1; 2];
        loop {
            let begin = Instant::now();
            (0..graphs).try_for_each(|_| self.graph.iter().try_for_each(Graph::launch))?;
            let report = stream.clone_dtoh(&self.report).map_err(failed("compute"))?;
            stream.synchronize().map_err(failed("compute"))?;
            let [blocks, _, short, time] = report[..] else { unreachable!("a report has four words") };
            if time == END || short != u64::MAX {
                return Ok(work([report[0], report[1], short, time]));
            }
            if watch.ends() {
                return Err(Error::Interrupted);
            }
            // the rest of the step at the rate of its beginning
            let rest = blocks as f64 * (END - time) as f64 / time as f64;
            [graphs, most] = next_graphs(graphs, most, begin.elapsed(), rest, blocks_of_graph(bodies.n));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, UNWATCHED, blocks_of_graph, next_graphs};
    use std::time::Duration;

    #[test]
    fn graphs_are_watched() {
        assert_eq!([1, 65_536, 262_144, 1 << 20, 1 << 30].map(blocks_of_graph), [32, 32, 8, 2, 2]);
        let (short, long) = (Duration::ZERO, 2 * UNWATCHED);
        // as many as are left, no more than twice as many as the last time, and fewer after too long a time
        assert_eq!(next_graphs(1, 1, short, 1e9, 32), [2, 2]);
        assert_eq!(next_graphs(2, 2, short, 33.0, 32), [2, 4]);
        assert_eq!(next_graphs(1, 4, short, 33.0, 32), [2, 4]);
        assert_eq!(next_graphs(4, 4, long, 1e9, 32), [2, 2]);
        assert_eq!(next_graphs(1, 1, long, 0.0, 32), [1, 1]);
        let mut now = [1, 1];
        for _ in 0..100 {
            now = next_graphs(now[0], now[1], short, f64::INFINITY, 32);
        }
        assert_eq!(now, [MOST, MOST]);
    }
}
