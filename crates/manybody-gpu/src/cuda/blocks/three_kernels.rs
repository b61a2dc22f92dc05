//! A block of steps as three kernels, and many blocks as a graph: for any number of bodies.
//!
//! Several GPUs share the sums, where they reach each other's memory: each has all bodies and makes the same steps of them, and
//! writes its part of the sums to the memory of all. They wait for each other's sums by events, once a block, without graphs.

use super::super::launch::{Call, Graph, Start, address, grid};
use super::super::share::{LINES, copy_range};
use super::super::{Cuda, failed, kernels};
use super::{OnDevice, SHARED_FROM, Scheme, Units, tick, work};
use crate::compute::Rounding;
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, DeviceRepr};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{BlockStep, BlockWork};
use std::sync::Arc;
use std::time::{Duration, Instant};

const KERNELS: &str = concat!(include_str!("../../kernels/early.cuh"), include_str!("../../kernels/blocks_three.cu"));

/// Threads of the kernel that makes the list of several GPUs.
const LIST_THREADS: u32 = 1024;
/// As blocks_three.cu has it: threads, targets of a list at most, bodies of a tile, and the tasks into which parts and lists divide the
/// work at most.
const THREADS: u32 = 128;
const TARGETS: usize = 512;
const TILE: usize = 128;
const TASKS: usize = 8 * 264;

/// Units of blocks are launched without a look at what they made for about so long, and so many.
const UNWATCHED: Duration = Duration::from_millis(50);
const MOST: usize = 256;
/// Ticks of a step of the run.
const END: u64 = 1 << 52;

/// The text of the kernels.
pub(in super::super) fn source(scheme: Scheme) -> String {
    let numbers = [("SHARED_FROM", SHARED_FROM), ("MOST_GPUS", LINES), ("LIST_THREADS", LIST_THREADS as usize)];
    let defined: String = numbers.iter().map(|(name, number)| format!("#define {name} {number}\n")).collect();
    defined + &scheme.prelude() + KERNELS
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

/// Where GPU `own` of `count` writes its sums, as the kernels have it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Peers {
    partial: [u64; LINES],
    own: u32,
    count: u32,
}

// SAFETY: the kernels' record
unsafe impl DeviceRepr for Peers {}

/// What a GPU of several has besides.
struct OfSeveral {
    /// Which bodies are active, a bit of each.
    ballots: CudaSlice<u32>,
    /// The sums of every other block: some GPUs may still read those of a block while others write those of the next.
    other_partial: CudaSlice<f64>,
    /// Its sums of a block are written.
    written: CudaEvent,
}

/// The kernels on a GPU, and what they leave for each other.
struct Kernels {
    predict: CudaFunction,
    list_active: CudaFunction,
    sum: CudaFunction,
    correct: CudaFunction,
    step: CudaSlice<Step>,
    /// Two controls of three words: time; level and targets; whether no block follows.
    controls: CudaSlice<u64>,
    sources: CudaSlice<u64>,
    list: CudaSlice<u32>,
    partial: CudaSlice<f64>,
    of_several: Option<OfSeveral>,
    /// Blocks, steps of bodies, a body whose step is too small, and the time of the last block.
    report: CudaSlice<u64>,
}

/// Another GPU than the first.
struct Other {
    cuda: Arc<Cuda>,
    bodies: OnDevice,
    kernels: Kernels,
}

/// The kernels, on a GPU or on several.
pub(in super::super) struct ThreeKernels {
    kernels: Kernels,
    graph: Option<Graph>,
    others: Vec<Other>,
}

/// Blocks of a graph, an even number, as one begins with the control that the one ahead left: few where each may take a second.
fn blocks_of_graph(n: usize) -> usize {
    (((1 << 21) / n.max(1)) & !1).clamp(2, 32)
}

/// How many units of blocks to launch next, and how many at most, after so many that took so long and left so many blocks, by an estimate.
fn next_units(launched: usize, most: usize, took: Duration, rest: f64, each: usize) -> [usize; 2] {
    let most = match took > UNWATCHED {
        true => (most / 2).max(1),
        false if launched == most => (2 * most).min(MOST),
        false => most,
    };
    [((rest / each as f64).ceil() as usize).clamp(1, most), most]
}

impl Kernels {
    /// Room for n bodies.
    fn new(cuda: &Cuda, scheme: Scheme, n: usize, shares: bool) -> Result<Self> {
        cuda.bind()?;
        let module = cuda.load(kernels(&source(scheme), cuda.arch, Rounding::Fast)?)?;
        let kernel = |name| module.load_function(name).map_err(failed("find a kernel"));
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let words = |count: usize| stream.alloc_zeros::<u64>(count).map_err(&memory);
        // parts and lists of targets make that many tasks; of more lists there is one part
        let sums = n.max((n * n.div_ceil(TILE)).min(TASKS * TARGETS)) * scheme.sums();
        // a strip of the list is of four words of each thread
        let ballots = n.div_ceil(32).next_multiple_of(4 * LIST_THREADS as usize);
        let of_several = || -> Result<OfSeveral> {
            Ok(OfSeveral {
                ballots: stream.alloc_zeros(ballots).map_err(&memory)?,
                other_partial: stream.alloc_zeros(sums).map_err(&memory)?,
                written: stream.record_event(None).map_err(failed("wait for other GPUs"))?,
            })
        };
        Ok(Kernels {
            predict: kernel("predict")?,
            list_active: kernel("list_active")?,
            sum: kernel("sum")?,
            correct: kernel("correct")?,
            step: stream.alloc_zeros(1).map_err(&memory)?,
            controls: words(6)?,
            sources: words(n * scheme.source_bytes() / 8)?,
            list: stream.alloc_zeros(n).map_err(&memory)?,
            partial: stream.alloc_zeros(sums).map_err(&memory)?,
            of_several: shares.then(of_several).transpose()?,
            report: words(4)?,
        })
    }

    /// Sets what the first block of a step begins with.
    fn begin(&mut self, cuda: &Cuda, call: Step, deepest: u8) -> Result<()> {
        let (stream, transfer) = (&cuda.stream, failed("transfer the bodies"));
        stream.memcpy_htod(&[call], &mut self.step).map_err(&transfer)?;
        stream.memcpy_htod(&[0, deepest.into(), 0, 0, 0, 0], &mut self.controls).map_err(&transfer)?;
        stream.memcpy_htod(&[0, 0, u64::MAX, 0], &mut self.report).map_err(&transfer)
    }

    /// Where the sums of a block are.
    fn sums_of(&self, turn: u32) -> &CudaSlice<f64> {
        match &self.of_several {
            Some(of_several) if turn == 1 => &of_several.other_partial,
            _ => &self.partial,
        }
    }

    /// Launches what predicts the bodies of a block, which reads one of the controls, and computes sums.
    fn start_sums(&self, cuda: &Cuda, bodies: &OnDevice, turn: u32, peers: Peers) -> Result<()> {
        let stream = &cuda.stream;
        let mut call = Call::new(stream, &self.predict);
        call.memory(&bodies.state).memory(&bodies.mass).memory(&bodies.half).memory(&bodies.levels).memory(&self.step);
        call.arg(&turn).memory(&self.controls).memory(&self.sources).memory(&self.list);
        call.optional(self.of_several.as_ref().map(|of_several| &of_several.ballots));
        call.start(grid((bodies.n as u32).div_ceil(256), 1, 256, 1, 0), cuda.earliest)?;
        if let Some(of_several) = &self.of_several {
            let mut call = Call::new(stream, &self.list_active);
            call.memory(&of_several.ballots).memory(&self.step).arg(&turn).memory(&self.controls).memory(&self.list);
            call.start(grid(1, 1, LIST_THREADS, 1, 0), cuda.earliest)?;
        }
        let mut call = Call::new(stream, &self.sum);
        call.memory(&self.sources).memory(&self.list).memory(&self.step).arg(&turn);
        call.memory(&self.controls).arg(&peers);
        call.start(grid(2 * cuda.processors, 1, THREADS, 1, 0), cuda.earliest)
    }

    /// Launches what corrects the bodies of a block.
    fn start_corrections(&self, cuda: &Cuda, bodies: &OnDevice, turn: u32, start: Start) -> Result<()> {
        let mut call = Call::new(&cuda.stream, &self.correct);
        call.memory(&bodies.state)
            .memory(&bodies.levels)
            .optional(bodies.before.as_ref())
            .memory(&self.list)
            .memory(&self.step)
            .arg(&turn);
        call.memory(&self.controls).memory(self.sums_of(turn)).memory(&self.report);
        call.start(grid(4 * cuda.processors, 1, THREADS, 1, 0), start)
    }
}

impl ThreeKernels {
    /// Room for n bodies, on this GPU and on those it shares with, if each reaches the memory of all.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn new(cuda: &Cuda, scheme: Scheme, n: usize) -> Result<Self> {
        Self::of(cuda, scheme, n, !cuda.others.is_empty() && cuda.is_joined()?)
    }

    /// Room for n bodies, on this GPU, and where it `shares` on those it shares with.
    pub(super) fn of(cuda: &Cuda, scheme: Scheme, n: usize, shares: bool) -> Result<Self> {
        let room = |cuda: &Arc<Cuda>| {
            let kernels = Kernels::new(cuda, scheme, n, true)?;
            Ok(Other { cuda: cuda.clone(), bodies: OnDevice::new(cuda, scheme, n)?, kernels })
        };
        let others = cuda.others.iter().filter(|_| shares).map(room).collect::<Result<_>>()?;
        let kernels = Kernels::new(cuda, scheme, n, shares)?;
        Ok(ThreeKernels { kernels, graph: None, others })
    }

    /// How many GPUs share.
    pub(super) fn gpus(&self) -> usize {
        1 + self.others.len()
    }

    /// Launches a block that reads one of the controls.
    fn start(&self, cuda: &Cuda, bodies: &OnDevice, turn: u32) -> Result<()> {
        let others = self.others.iter().map(|other| (&*other.cuda, &other.bodies, &other.kernels));
        let all: Vec<_> = [(cuda, bodies, &self.kernels)].into_iter().chain(others).collect();
        let mut peers = Peers { partial: [0; LINES], own: 0, count: self.gpus() as u32 };
        for (to, (cuda, _, kernels)) in peers.partial.iter_mut().zip(&all) {
            *to = address(&cuda.stream, kernels.sums_of(turn));
        }
        if self.gpus() == 1 {
            self.kernels.start_sums(cuda, bodies, turn, peers)?;
            return self.kernels.start_corrections(cuda, bodies, turn, cuda.earliest);
        }
        let wait = failed("wait for other GPUs");
        for (own, (cuda, bodies, kernels)) in all.iter().enumerate() {
            cuda.bind()?;
            kernels.start_sums(cuda, bodies, turn, Peers { own: own as u32, ..peers })?;
            kernels.of_several.iter().try_for_each(|of| of.written.record(&cuda.stream)).map_err(&wait)?;
        }
        for (own, (cuda, bodies, kernels)) in all.iter().enumerate() {
            cuda.bind()?;
            for (_, (.., other)) in all.iter().enumerate().filter(|(k, _)| *k != own) {
                other.of_several.iter().try_for_each(|of| cuda.stream.wait(&of.written)).map_err(&wait)?;
            }
            kernels.start_corrections(cuda, bodies, turn, Start::AfterPrevious)?;
        }
        Ok(())
    }

    /// Gives all GPUs the bodies of the first.
    fn hand_out(&self, cuda: &Cuda, bodies: &OnDevice) -> Result<()> {
        if self.gpus() == 1 {
            return Ok(());
        }
        let transfer = failed("transfer the bodies");
        for Other { cuda: to, bodies: there, .. } in &self.others {
            // which still works on the step before, or makes room
            to.bind()?;
            let is_free = to.stream.record_event(None).map_err(&transfer)?;
            cuda.bind()?;
            cuda.stream.wait(&is_free).map_err(&transfer)?;
            copy_range(cuda, (cuda, &bodies.state), (to, &there.state), 0..bodies.state.len())?;
            copy_range(cuda, (cuda, &bodies.mass), (to, &there.mass), 0..bodies.n)?;
            copy_range(cuda, (cuda, &bodies.half), (to, &there.half), 0..bodies.n)?;
            copy_range(cuda, (cuda, &bodies.levels), (to, &there.levels), 0..bodies.n)?;
            if let (Some(before), Some(there)) = (&bodies.before, &there.before) {
                copy_range(cuda, (cuda, before), (to, there), 0..bodies.n)?;
            }
        }
        let sent = cuda.stream.record_event(None).map_err(&transfer)?;
        self.others.iter().try_for_each(|other| other.cuda.stream.wait(&sent)).map_err(&transfer)
    }

    /// How many blocks are launched at a time.
    fn unit(&self, n: usize) -> usize {
        if self.gpus() == 1 { blocks_of_graph(n) } else { 2 }
    }

    /// Launches so many units of blocks.
    fn start_units(&mut self, cuda: &Cuda, bodies: &OnDevice, count: usize) -> Result<()> {
        let blocks = self.unit(bodies.n);
        if self.gpus() > 1 {
            (0..count * blocks).try_for_each(|k| self.start(cuda, bodies, k as u32 % 2))?;
            return cuda.bind();
        }
        if self.graph.is_none() {
            let all = || (0..blocks).try_for_each(|k| self.start(cuda, bodies, k as u32 % 2));
            self.graph = Graph::capture(&cuda.stream, all)?;
        }
        (0..count).try_for_each(|_| self.graph.iter().try_for_each(Graph::launch))
    }

    /// Waits for the other GPUs, whose errors show here, and which have made the same.
    fn finish_others(&self, report: &[u64]) -> Result<()> {
        for Other { cuda, kernels, .. } in &self.others {
            let made = cuda.stream.clone_dtoh(&kernels.report).map_err(failed("compute"))?;
            cuda.stream.synchronize().map_err(failed("compute"))?;
            if made != report {
                let problem = format!("GPUs that share block time steps made different ones: {report:?} and {made:?}");
                return Err(Error::Device { device: "cuda", problem });
            }
        }
        Ok(())
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
        let call = Step {
            unit: tick(step),
            eta2: step.eta * step.eta,
            levels: step.levels.map(i32::from),
            n: bodies.n as u32,
            is_limited: step.is_limited.into(),
            frame: frame.copied().unwrap_or_default(),
        };
        self.hand_out(cuda, bodies)?;
        for Other { cuda, kernels, .. } in &mut self.others {
            cuda.bind()?;
            kernels.begin(cuda, call, deepest)?;
        }
        cuda.bind()?;
        self.kernels.begin(cuda, call, deepest)?;
        let [mut units, mut most] = [1; 2];
        loop {
            let begin = Instant::now();
            self.start_units(cuda, bodies, units)?;
            let stream = &cuda.stream;
            let report = stream.clone_dtoh(&self.kernels.report).map_err(failed("compute"))?;
            stream.synchronize().map_err(failed("compute"))?;
            let [blocks, _, short, time] = report[..] else { unreachable!("a report has four words") };
            if time == END || short != u64::MAX {
                self.finish_others(&report)?;
                cuda.bind()?;
                return Ok(work([report[0], report[1], short, time]));
            }
            if watch.ends() {
                return Err(Error::Interrupted);
            }
            // the rest of the step at the rate of its beginning
            let rest = blocks as f64 * (END - time) as f64 / time as f64;
            [units, most] = next_units(units, most, begin.elapsed(), rest, self.unit(bodies.n));
        }
    }
}

impl Drop for ThreeKernels {
    /// Waits until no GPU writes to the memory of another one.
    fn drop(&mut self) {
        if self.gpus() == 1 {
            return;
        }
        let streams = self.others.iter().map(|other| &other.cuda.stream);
        for stream in [self.kernels.step.stream()].into_iter().chain(streams) {
            // what failed has been said; an error that is left from before would keep cudarc from waiting
            let _ = stream.context().check_err();
            let _ = stream.synchronize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, UNWATCHED, blocks_of_graph, next_units};
    use std::time::Duration;

    #[test]
    fn units_are_watched() {
        assert_eq!([1, 65_536, 262_144, 1 << 20, 1 << 30].map(blocks_of_graph), [32, 32, 8, 2, 2]);
        let (short, long) = (Duration::ZERO, 2 * UNWATCHED);
        // as many as are left, no more than twice as many as the last time, and fewer after too long a time
        assert_eq!(next_units(1, 1, short, 1e9, 32), [2, 2]);
        assert_eq!(next_units(2, 2, short, 33.0, 32), [2, 4]);
        assert_eq!(next_units(1, 4, short, 33.0, 32), [2, 4]);
        assert_eq!(next_units(4, 4, long, 1e9, 32), [2, 2]);
        assert_eq!(next_units(1, 1, long, 0.0, 32), [1, 1]);
        let mut now = [1, 1];
        for _ in 0..100 {
            now = next_units(now[0], now[1], short, f64::INFINITY, 32);
        }
        assert_eq!(now, [MOST, MOST]);
    }
}
