//! Expansions on a CUDA device: memory, kernels, and the launches of an evaluation.

mod memory;
mod resident;

pub(crate) use resident::CudaExpansionsResident;

use super::launch::{Call, Graph, Start, address, grid};
use super::source::PRELUDE;
use super::{Cuda, failed, kernels};
use crate::compute::Rounding;
use crate::expansions::levels::CHILDREN;
use crate::expansions::{CLASHES, Columns, DOUBLINGS, Language, OVERFLOW, Operators, Part, Purpose};
use cudarc::driver::{CudaEvent, CudaFunction, CudaModule, CudaStream, DeviceRepr, ValidAsZeroBits};
use manybody_law::simd::Element;
use manybody_law::{Error, Result};
use manybody_tree::{Accuracy, Limits, Opening, Sinks};
use memory::{Memory, PASSES, RADIX, TILE, Tree, passes};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

const TYPES: &str = include_str!("../../kernels/expansions/types.cuh");
const ORDER: &str = include_str!("../../kernels/expansions/order.cu");
const CELLS: &str = include_str!("../../kernels/expansions/cells.cu");
const LISTS: &str = include_str!("../../kernels/expansions/lists.cu");
const FAR: &str = include_str!("../../kernels/expansions/far.cu");
const NEAR: &str = include_str!("../../kernels/expansions/near.cu");
const STEPS: &str = include_str!("../../kernels/expansions/steps.cu");
const ESTIMATE: &str = include_str!("../../kernels/expansions/estimate.cu");

/// Digits of keys: two bodies in a cell of this depth are rare, and then all 42 are used.
const DIGITS: i32 = 16;
const ALL_DIGITS: i32 = 42;
/// The text of the kernels of an estimate or an evaluation.
pub(super) fn source(operators: Operators, double: bool, purpose: Purpose, own_softenings: bool) -> String {
    let head = format!("#define REAL_IS_DOUBLE {}\n#define ROOTS_HAVE_EDGES 0\n", u8::from(double));
    // more threads at once, or more registers for each: the fastest [H100, 2^20 bodies]
    let blocks = [1, 4, 4, 4, 4, 4, 4, 3, 1][operators.order.min(8)];
    let blocks = if double { 1 } else { blocks };
    let (with_bodies, parts): (u8, &[&str]) = match purpose {
        Purpose::Estimate => (0, &[LISTS, FAR, ESTIMATE]),
        Purpose::Forces => (1, &[ORDER, CELLS, LISTS, FAR, NEAR, STEPS]),
    };
    let own = u8::from(own_softenings);
    let head =
        format!("{head}#define FAR_BLOCKS {blocks}\n#define WITH_BODIES {with_bodies}\n#define OWN_SOFTENINGS {own}\n");
    let differences: &[Part] = if own_softenings { &[Part::Differences] } else { &[] };
    let text = operators.text(Language::Cuda, &[&Part::ALL[..], differences].concat());
    let shared = [&head, PRELUDE, FUSED, &text, TYPES].concat();
    shared + &parts.concat()
}

const FUSED: &str = "static __device__ __forceinline__ float m_fma(float a, float b, float c) { return fmaf(a, b, c); }\n\
     static __device__ __forceinline__ double m_fma(double a, double b, double c) { return fma(a, b, c); }\n";

/// Compiled kernels.
struct Kernels(Arc<CudaModule>, HashMap<&'static str, CudaFunction>);

impl Kernels {
    fn new(cuda: &Cuda, text: &str) -> Result<Self> {
        cuda.context.bind_to_thread().map_err(failed("use the device"))?;
        let module = cuda.load(kernels(text, cuda.arch, Rounding::Fast)?)?;
        Ok(Kernels(module, HashMap::new()))
    }

    fn get(&mut self, name: &'static str) -> Result<CudaFunction> {
        if !self.1.contains_key(name) {
            let function = self.0.load_function(name).map_err(failed("find a kernel"))?;
            self.1.insert(name, function);
        }
        Ok(self.1[name].clone())
    }
}

/// Which kernels: of an evaluation with or without the potential, or of an estimate, whether there are dipoles, and whether
/// bodies have softenings of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Variant {
    purpose: Purpose,
    potential: bool,
    dipoles: bool,
    own_softenings: bool,
}

impl Variant {
    fn of(purpose: Purpose, potential: bool, columns: &Columns) -> Self {
        let own_softenings = !columns.softenings.halves.is_empty();
        // products of masses and differences of softenings have dipoles
        Variant { purpose, potential, dipoles: columns.has_negative_mass || own_softenings, own_softenings }
    }
}

/// All that decides the launches of an evaluation, with their arguments.
#[derive(Clone, Copy, PartialEq)]
struct Form {
    variant: Variant,
    digits: i32,
    tree: Tree,
}

/// A second stream, for what runs beside the first, and when it may begin and has ended.
struct Side {
    stream: Arc<CudaStream>,
    ready: CudaEvent,
    done: CudaEvent,
}

impl Side {
    fn new(cuda: &Cuda) -> Result<Self> {
        let stream = cuda.context.new_stream().map_err(failed("make a stream"))?;
        let event = || cuda.context.new_event(None).map_err(failed("make an event"));
        Ok(Side { stream, ready: event()?, done: event()? })
    }
}

/// Gravity by expansions with forces in T.
pub(crate) struct CudaExpansions<T> {
    cuda: Arc<Cuda>,
    accuracy: Accuracy,
    sinks: Sinks,
    kernels: HashMap<Variant, Kernels>,
    memory: Option<Memory<T>>,
    digits: i32,
    side: Side,
    /// The form of the last evaluation, and the launches of one such where there were several.
    last: Option<(Form, Option<Graph>)>,
    /// What phases take, while they are measured.
    clock: Option<Vec<(&'static str, f64)>>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaExpansions<T> {
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(cuda: Arc<Cuda>, accuracy: Accuracy, sinks: Sinks) -> Result<Self> {
        let side = Side::new(&cuda)?;
        let kernels = HashMap::new();
        Ok(CudaExpansions {
            cuda,
            accuracy,
            sinks,
            kernels,
            memory: None,
            digits: DIGITS,
            side,
            last: None,
            clock: None,
        })
    }

    /// The accelerations and, if asked for, the potentials of the bodies, in the units of their frame.
    pub(crate) fn forces(&mut self, columns: &Columns, potential: bool) -> Result<Vec<Vec<T>>> {
        self.bring(columns)?;
        self.evaluate(columns, potential)?;
        let Some(memory) = &self.memory else { return Ok(Vec::new()) };
        let out = self.cuda.stream.clone_dtoh(&memory.out).map_err(failed("transfer the forces"))?;
        let column = |field: usize| out.par_iter().skip(field).step_by(4).copied().collect();
        Ok((0..3 + usize::from(potential)).map(column).collect())
    }

    /// Seconds of an evaluation of accelerations, the mean of `repeats`.
    pub(crate) fn seconds(&mut self, columns: &Columns, repeats: usize) -> Result<f64> {
        self.bring(columns)?;
        self.evaluate(columns, false)?;
        let before = Instant::now();
        for _ in 0..repeats {
            self.launch(columns, false)?;
        }
        self.cuda.stream.synchronize().map_err(failed("compute"))?;
        Ok(before.elapsed().as_secs_f64() / repeats.max(1) as f64)
    }

    /// Seconds of each phase.
    pub(crate) fn phases(&mut self, columns: &Columns) -> Result<Vec<(&'static str, f64)>> {
        self.bring(columns)?;
        self.evaluate(columns, false)?;
        self.clock = Some(Vec::new());
        let outcome = self.launch(columns, false);
        let phases = self.clock.take().unwrap_or_default();
        outcome.map(|()| phases)
    }

    /// Brings the bodies to the device.
    fn bring(&mut self, columns: &Columns) -> Result<()> {
        let n = columns.numbers[0].len();
        self.cuda.context.bind_to_thread().map_err(failed("use the device"))?;
        let own_softenings = !columns.softenings.halves.is_empty();
        let fits = |memory: &Memory<T>| memory.n == n && memory.halves.is_some() == own_softenings;
        if !self.memory.as_ref().is_some_and(fits) {
            (self.memory, self.last) = (None, None);
            self.memory = Some(Memory::new(&self.cuda, n, self.accuracy.order, own_softenings)?);
        }
        if let Some(memory) = &mut self.memory {
            if let Some((to, _)) = &mut memory.halves {
                let transfer = self.cuda.stream.memcpy_htod(&columns.softenings.halves, to);
                transfer.map_err(failed("transfer the softenings"))?;
            }
            for (to, from) in memory.columns.iter_mut().zip(&columns.numbers) {
                self.cuda.stream.memcpy_htod(from, to).map_err(failed("transfer the bodies"))?;
            }
        }
        Ok(())
    }

    /// Evaluates, again with more memory where there are too few pages, or with longer keys where bodies share them.
    fn evaluate(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        self.digits = DIGITS;
        for _ in 0..DOUBLINGS {
            self.launch(columns, potential)?;
            let Some(memory) = &mut self.memory else { return Ok(()) };
            let report = self.cuda.stream.clone_dtoh(&memory.report).map_err(failed("compute"))?;
            if report[OVERFLOW] & 2 != 0 {
                let problem = "a stack of cells to be opened has overflown".into();
                return Err(Error::Device { device: "cuda", problem });
            }
            // no key distinguishes equal positions
            let longer = report[CLASHES] > 0 && self.digits == DIGITS;
            if longer {
                self.digits = ALL_DIGITS;
            }
            if report[OVERFLOW] != 0 {
                let made = memory.double(&self.cuda);
                if made.is_err() {
                    // nothing of it is used again
                    (self.memory, self.last) = (None, None);
                }
                made?;
            } else if !longer {
                return Ok(());
            }
        }
        Err(Error::Device { device: "cuda", problem: "the lists of cells have no end".into() })
    }

    /// Launches the kernels of an evaluation; from the second of one form on as one graph.
    fn launch(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        let Some(memory) = self.memory.as_ref().filter(|_| self.clock.is_none()) else {
            return self.start(columns, potential);
        };
        let tree = memory.tree(&self.cuda, columns, self.digits, self.sinks);
        let variant = Variant::of(Purpose::Forces, potential, columns);
        let form = Form { variant, digits: self.digits, tree };
        match self.last.take().filter(|(last, _)| *last == form) {
            None => {
                self.start(columns, potential)?;
                self.last = Some((form, None));
            }
            Some((_, None)) => {
                // the kernels have been loaded
                let stream = self.cuda.stream.clone();
                let graph = Graph::capture(&stream, || self.start(columns, potential))?;
                graph.iter().try_for_each(Graph::launch)?;
                self.last = Some((form, graph));
            }
            Some((_, Some(graph))) => {
                graph.launch()?;
                self.last = Some((form, Some(graph)));
            }
        }
        Ok(())
    }

    /// Launches the kernels of an evaluation one by one.
    fn start(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        let Accuracy { order, opening, .. } = self.accuracy.of_bodies(columns.numbers[0].len());
        let main = Variant::of(Purpose::Forces, potential, columns);
        let low = Variant::of(Purpose::Estimate, false, columns);
        self.compile(main)?;
        if matches!(opening, Opening::Error(_)) {
            self.compile(low)?;
        }
        let Some(memory) = &mut self.memory else { return Ok(()) };
        let mut tree = memory.tree(&self.cuda, columns, self.digits, self.sinks);
        let mut run = Run {
            cuda: &self.cuda,
            memory,
            tree: &mut tree,
            sinks: self.sinks,
            own_softenings: main.own_softenings,
            side: &self.side,
            clock: self.clock.as_mut().map(|to| (Instant::now(), to)),
        };
        run.tree.mutual = i32::from(self.sinks == Sinks::Cells);
        let kernels = self.kernels.get_mut(&main).ok_or_else(missing)?;
        run.order(kernels, self.digits)?;
        run.cells(kernels)?;
        // second expansions have two derivatives more
        let limits = |order| Limits::of::<T>(if main.own_softenings { order + 2 } else { order });
        if let Opening::Error(tolerance) = opening {
            let order = Purpose::Estimate.order(order);
            run.judge_by(1.0, f32::INFINITY, limits(order));
            run.tree.mutual = 1;
            let kernels = self.kernels.get_mut(&low).ok_or_else(missing)?;
            run.estimate(kernels)?;
            run.tree.mutual = i32::from(self.sinks == Sinks::Cells);
            run.judge_by(Accuracy::WIDEST_ANGLE, tolerance as f32, limits(self.accuracy.order));
        } else if let Opening::Angle(theta) = opening {
            run.judge_by(theta as f32, f32::INFINITY, limits(order));
        }
        let kernels = self.kernels.get_mut(&main).ok_or_else(missing)?;
        let deepest = run.memory.levels.0.len() - 1;
        run.lists(kernels, self.sinks, deepest)?;
        run.forces(kernels)
    }

    /// A kernel, of those that evaluate accelerations of such bodies.
    fn function(&mut self, name: &'static str, columns: &Columns) -> Result<CudaFunction> {
        let main = Variant::of(Purpose::Forces, false, columns);
        self.compile(main)?;
        self.kernels.get_mut(&main).ok_or_else(missing)?.get(name)
    }

    fn compile(&mut self, variant: Variant) -> Result<()> {
        if self.kernels.contains_key(&variant) {
            return Ok(());
        }
        let Variant { purpose, potential, dipoles, own_softenings } = variant;
        let order = purpose.order(self.accuracy.order);
        let text = source(Operators { order, dipoles, potential }, T::DOUBLE, purpose, own_softenings);
        self.kernels.insert(variant, Kernels::new(&self.cuda, &text)?);
        Ok(())
    }
}

fn missing() -> Error {
    Error::Device { device: "cuda", problem: "a kernel is not compiled".into() }
}

/// One evaluation.
struct Run<'a, T> {
    cuda: &'a Cuda,
    memory: &'a mut Memory<T>,
    tree: &'a mut Tree,
    sinks: Sinks,
    own_softenings: bool,
    side: &'a Side,
    clock: Option<(Instant, &'a mut Vec<(&'static str, f64)>)>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Run<'_, T> {
    /// Notes how long a phase took, where that is measured.
    fn lap(&mut self, name: &'static str) -> Result<()> {
        if let Some((since, laps)) = &mut self.clock {
            self.cuda.stream.synchronize().map_err(failed("compute"))?;
            laps.push((name, since.elapsed().as_secs_f64()));
            *since = Instant::now();
        }
        Ok(())
    }

    fn judge_by(&mut self, angle: f32, tolerance: f32, limits: Limits) {
        self.tree.angle2 = angle * angle;
        self.tree.tolerance = tolerance;
        self.tree.units = limits.units;
        self.tree.unit2 = limits.unit2;
    }

    /// Starts a kernel of which the tree is the first argument, then these numbers.
    fn start(&self, kernels: &mut Kernels, name: &'static str, shape: (usize, usize), numbers: &[i32]) -> Result<()> {
        self.start_on(&self.cuda.stream, kernels, name, shape, numbers)
    }

    /// The same, on another stream.
    fn start_on(
        &self,
        stream: &CudaStream,
        kernels: &mut Kernels,
        name: &'static str,
        (blocks, threads): (usize, usize),
        numbers: &[i32],
    ) -> Result<()> {
        let shared = if matches!(name, "make_lists" | "one_by_one") { 4 * 4 * self.tree.stack as usize } else { 0 };
        let function = kernels.get(name)?;
        let mut call = Call::new(stream, &function);
        call.arg(&*self.tree);
        for number in numbers {
            call.arg(number);
        }
        call.start(grid(blocks as u32, 1, threads as u32, 1, shared), Start::AfterPrevious)
    }

    /// Sorts the bodies along the curve.
    fn order(&mut self, kernels: &mut Kernels, digits: i32) -> Result<()> {
        let (stream, n) = (&self.cuda.stream, self.memory.n);
        let reset = failed("compute");
        stream.memset_zeros(&mut self.memory.report).map_err(&reset)?;
        let blocks = n.div_ceil(256);
        let memory = &mut *self.memory;
        let function = kernels.get("curve_keys")?;
        let mut call = Call::new(stream, &function);
        call.arg(&*self.tree).memory(&memory.keys[0]).memory(&memory.keys[2]).memory(&memory.index[0]).arg(&digits);
        call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        let mut at = self.sort(kernels, passes(digits.min(21)), 0)?;
        if digits > 21 {
            // the upper digits, in the order of the lower ones
            let function = kernels.get("take_keys")?;
            let count = n as i32;
            let mut call = Call::new(stream, &function);
            let memory = &*self.memory;
            call.memory(&memory.keys[2]).memory(&memory.index[at]).memory(&memory.keys[at]).arg(&count);
            call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
            at = self.sort(kernels, passes(21), at)?;
        }
        let function = kernels.get("find_clashes")?;
        let count = n as i32;
        let mut call = Call::new(stream, &function);
        call.memory(&self.memory.keys[at]).memory(&self.memory.report).arg(&count);
        call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        self.lap("order")
    }

    /// Sorts keys and indices, which are in the memory of this number; returns where they are then.
    fn sort(&mut self, kernels: &mut Kernels, passes: usize, mut at: usize) -> Result<usize> {
        let (stream, n) = (&self.cuda.stream, self.memory.n);
        let (tiles, count, all) = (n.div_ceil(TILE), n as i32, passes as i32);
        let memory = &mut *self.memory;
        stream.memset_zeros(&mut memory.counts).map_err(failed("compute"))?;
        let function = kernels.get("count_digits")?;
        let mut call = Call::new(stream, &function);
        call.memory(&memory.keys[at]).memory(&memory.counts).arg(&count).arg(&all);
        let blocks = n.div_ceil(RADIX * 16).min(8 * self.cuda.processors as usize);
        call.start(grid(blocks as u32, 1, RADIX as u32, 1, 0), Start::AfterPrevious)?;
        let function = kernels.get("sort_pass")?;
        let base = address(stream, &memory.counts);
        for pass in 0..passes {
            let number = pass as i32;
            // counts of all passes, then their tickets, then their states
            let ticket = base + 4 * (PASSES * RADIX + pass) as u64;
            let states = base + 4 * (PASSES * (RADIX + 1) + pass * tiles * RADIX) as u64;
            let mut call = Call::new(stream, &function);
            call.memory(&memory.keys[at]).memory(&memory.index[at]);
            call.memory(&memory.keys[1 - at]).memory(&memory.index[1 - at]);
            call.memory(&memory.counts).arg(&states).arg(&ticket).arg(&count).arg(&number);
            call.start(grid(tiles as u32, 1, RADIX as u32, 1, 0), Start::AfterPrevious)?;
            at = 1 - at;
        }
        Ok(at)
    }

    /// Makes the cells.
    fn cells(&mut self, kernels: &mut Kernels) -> Result<()> {
        let levels = self.memory.levels.clone();
        self.start(kernels, "make_leaves", (levels.leaves().1.div_ceil(4), 128), &[])?;
        for pair in levels.0.windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            let numbers = [first, count, next + below].map(|number| number as i32);
            self.start(kernels, "make_cells", ((8 * count).div_ceil(128), 128), &numbers)?;
        }
        self.lap("cells")
    }

    /// Makes the lists.
    fn lists(&mut self, kernels: &mut Kernels, sinks: Sinks, deepest: usize) -> Result<()> {
        let (stream, reset) = (&self.cuda.stream, failed("compute"));
        stream.memset_zeros(&mut self.memory.tops).map_err(&reset)?;
        // the number of sparse leaves alone
        stream.memset_zeros(&mut self.memory.report.slice_mut(1..2)).map_err(&reset)?;
        let levels = self.memory.levels.clone();
        let top = levels.top(sinks);
        for (level, (first, count)) in levels.0.iter().enumerate().take(deepest + 1).skip(top) {
            let (is_top, root) = (level == top, sinks == Sinks::Leaves);
            let numbers = [*first as i32, *count as i32, i32::from(is_top), i32::from(root)];
            self.start(kernels, "make_lists", (count.div_ceil(4), 128), &numbers)?;
        }
        self.lap("lists")
    }

    /// The expansions about cells, handed down.
    fn far(&mut self, kernels: &mut Kernels, sinks: Sinks, deepest: usize, purpose: Purpose) -> Result<()> {
        let levels = self.memory.levels.clone();
        let top = levels.top(sinks);
        let cells: usize = levels.0[top..=deepest].iter().map(|(_, count)| count).sum();
        self.start(kernels, "far_cells", (cells.div_ceil(4), 128), &[top as i32, deepest as i32])?;
        if purpose == Purpose::Forces {
            self.start(kernels, "soft_cells", (cells.div_ceil(4), 128), &[top as i32, deepest as i32])?;
            if self.own_softenings {
                self.start(kernels, "soft_differences", (cells.div_ceil(4), 128), &[top as i32, deepest as i32])?;
            }
        }
        self.lap("expansions of cells")?;
        for (first, count) in &levels.0[top + 1..=deepest] {
            let numbers = [*first as i32, *count as i32];
            self.start(kernels, "hand_down", (count.div_ceil(128), 128), &numbers)?;
        }
        self.lap("handing down")
    }

    /// Estimates the least accelerations of cells.
    fn estimate(&mut self, kernels: &mut Kernels) -> Result<()> {
        let levels = self.memory.levels.clone();
        // cells of the level above the leaves are small enough
        let leaves = levels.0.len() - 1;
        let deepest = if leaves > levels.top(Sinks::Cells) { leaves - 1 } else { leaves };
        let (first, cells) = levels.0[deepest];
        (self.tree.first_leaf, self.tree.leaves) = (first as i32, cells as i32);
        self.lists(kernels, Sinks::Cells, deepest)?;
        self.far(kernels, Sinks::Cells, deepest, Purpose::Estimate)?;
        let (first_leaf, count) = levels.leaves();
        let per_cell = if deepest < leaves { CHILDREN } else { 1 };
        self.start(kernels, "estimate", (cells.div_ceil(4), 128), &[first_leaf as i32, per_cell as i32])?;
        for (name, blocks, threads) in [("mean_square", 1, 1024), ("least_of_leaves", cells.div_ceil(128), 128)] {
            let function = kernels.get(name)?;
            let mut call = Call::new(&self.cuda.stream, &function);
            call.arg(&*self.tree).memory(&self.memory.sums);
            call.start(grid(blocks as u32, 1, threads, 1, 0), Start::AfterPrevious)?;
        }
        (self.tree.first_leaf, self.tree.leaves) = (first_leaf as i32, count as i32);
        if deepest < leaves {
            let numbers = [first_leaf as i32, count as i32];
            self.start(kernels, "least_from_above", (count.div_ceil(128), 128), &numbers)?;
        }
        for pair in levels.0[..=deepest].windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            let numbers = [first, count, next + below].map(|number| number as i32);
            self.start(kernels, "least_of_cells", (count.div_ceil(128), 128), &numbers)?;
        }
        self.lap("estimate")
    }

    /// Forces from lists.
    fn forces(&mut self, kernels: &mut Kernels) -> Result<()> {
        let order = failed("order kernels");
        // what is near is summed beside what is far, unless their times are asked for
        let main = &self.cuda.stream;
        let beside = if self.clock.is_some() { main } else { &self.side.stream };
        self.side.ready.record(main).map_err(&order)?;
        beside.wait(&self.side.ready).map_err(&order)?;
        self.far(kernels, self.sinks, self.memory.levels.0.len() - 1, Purpose::Forces)?;
        let leaves = self.memory.levels.leaves().1;
        self.start_on(beside, kernels, "near_bodies", (leaves, 128), &[])?;
        self.lap("near bodies")?;
        let blocks = leaves.div_ceil(4).min(4 * self.cuda.processors as usize);
        self.start_on(beside, kernels, "one_by_one", (blocks, 128), &[])?;
        self.side.done.record(beside).map_err(&order)?;
        main.wait(&self.side.done).map_err(&order)?;
        self.lap("one by one")?;
        self.start(kernels, "finish", (self.memory.n.div_ceil(128), 128), &[])?;
        self.lap("finish")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_compiles() {
        if !super::super::has_compiler() {
            return;
        }
        for order in [1, 2, 5, 8] {
            for (dipoles, potential, double) in [(false, false, false), (true, true, false), (false, true, true)] {
                let operators = Operators { order, dipoles, potential };
                for purpose in [Purpose::Estimate, Purpose::Forces] {
                    for own_softenings in [false, true].into_iter().filter(|own| dipoles || !own) {
                        let text = source(operators, double, purpose, own_softenings);
                        super::super::compile(&text, 90)
                            .unwrap_or_else(|error| panic!("{operators:?} {own_softenings}: {error}"));
                    }
                }
            }
        }
    }
}
