//! Expansions on a CUDA device, or on several that share: memory, kernels, and the launches of an evaluation.
//!
//! Where devices share, each makes the order, the cells and, after an exchange, the least accelerations of all, and the lists,
//! expansions and forces of its part of the leaves. What acts on a leaf does not depend on the parts, so the bits are those of
//! one device.

mod memory;
mod resident;

pub(crate) use resident::CudaExpansionsResident;

use super::launch::{Call, Graph, Start, address, grid};
use super::share::copy_range;
use super::source::PRELUDE;
use super::{Cuda, failed, kernels};
use crate::compute::Rounding;
use crate::expansions::levels::{CHILDREN, LEAF, Levels};
use crate::expansions::{CLASHES, Columns, DOUBLINGS, Language, OVERFLOW, Operators, Part, Purpose};
use cudarc::driver::{CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use manybody_law::simd::Element;
use manybody_law::{Error, Result};
use manybody_tree::{Accuracy, CLASSES, DIGITS_OF_CLASS, Limits, Opening, Sinks};
use memory::{Memory, PASSES, RADIX, TILE, Tree, passes};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
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
    let head = format!("{head}#define CLASSES {CLASSES}\n#define DIGITS_OF_CLASS {DIGITS_OF_CLASS}\n");
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
        cuda.bind()?;
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

/// One of the devices that share an evaluation: kernels and memory. Each makes the whole tree, and the expansions and forces of
/// a part of its leaves and of their ancestors.
struct Share<T> {
    cuda: Arc<Cuda>,
    kernels: HashMap<Variant, Kernels>,
    memory: Option<Memory<T>>,
    side: Side,
    /// When the others may copy its part of what was computed, and when it has copied theirs.
    given: CudaEvent,
    taken: CudaEvent,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Share<T> {
    fn new(cuda: Arc<Cuda>) -> Result<Self> {
        let side = Side::new(&cuda)?;
        let event = || cuda.context.new_event(None).map_err(failed("make an event"));
        let (given, taken) = (event()?, event()?);
        Ok(Share { cuda, kernels: HashMap::new(), memory: None, side, given, taken })
    }

    /// Brings the bodies to the device; whether there was memory for them.
    fn bring(&mut self, columns: &Columns, order: usize) -> Result<bool> {
        self.cuda.bind()?;
        let n = columns.numbers[0].len();
        let own_softenings = !columns.softenings.halves.is_empty();
        let fits = |memory: &Memory<T>| memory.n == n && memory.halves.is_some() == own_softenings;
        let was_there = self.memory.as_ref().is_some_and(fits);
        if !was_there {
            self.memory = None;
            self.memory = Some(Memory::new(&self.cuda, n, order, own_softenings)?);
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
        Ok(was_there)
    }

    fn compile(&mut self, variant: Variant, order: usize) -> Result<()> {
        if self.kernels.contains_key(&variant) {
            return Ok(());
        }
        let Variant { purpose, potential, dipoles, own_softenings } = variant;
        let order = purpose.order(order);
        let text = source(Operators { order, dipoles, potential }, T::DOUBLE, purpose, own_softenings);
        self.kernels.insert(variant, Kernels::new(&self.cuda, &text)?);
        Ok(())
    }
}

/// Gravity by expansions with forces in T, on one device or several.
pub(crate) struct CudaExpansions<T> {
    accuracy: Accuracy,
    sinks: Sinks,
    /// The first is the one that gathers.
    shares: Vec<Share<T>>,
    /// Whether every device needs the forces on all bodies, or the first alone.
    is_resident: bool,
    digits: i32,
    /// The form of the last evaluation of one device, and the launches of one such where there were several.
    last: Option<(Form, Option<Graph>)>,
    /// What phases take, while they are measured; of several devices, on the first.
    clock: Option<Vec<(&'static str, f64)>>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaExpansions<T> {
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(cuda: &Arc<Cuda>, accuracy: Accuracy, sinks: Sinks) -> Result<Self> {
        let shares = [cuda].into_iter().chain(&cuda.others).map(|cuda| Share::new(cuda.clone()));
        let shares = shares.collect::<Result<Vec<_>>>()?;
        Ok(CudaExpansions { accuracy, sinks, shares, is_resident: false, digits: DIGITS, last: None, clock: None })
    }

    /// The accelerations and, if asked for, the potentials of the bodies, in the units of their frame.
    pub(crate) fn forces(&mut self, columns: &Columns, potential: bool) -> Result<Vec<Vec<T>>> {
        self.bring(columns)?;
        self.evaluate(columns, potential)?;
        let first = &self.shares[0];
        let Some(memory) = &first.memory else { return Ok(Vec::new()) };
        first.cuda.bind()?;
        let out = first.cuda.stream.clone_dtoh(&memory.out).map_err(failed("transfer the forces"))?;
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
        for share in &self.shares {
            share.cuda.stream.synchronize().map_err(failed("compute"))?;
        }
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

    /// Brings the bodies to the devices.
    fn bring(&mut self, columns: &Columns) -> Result<()> {
        for share in &mut self.shares {
            if !share.bring(columns, self.accuracy.order)? {
                self.last = None;
            }
        }
        Ok(())
    }

    /// Evaluates, again with more memory where there are too few pages, or with longer keys where bodies share them.
    fn evaluate(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        self.digits = DIGITS;
        for _ in 0..DOUBLINGS {
            self.launch(columns, potential)?;
            let (mut clash, mut overflow) = (false, false);
            for share in &mut self.shares {
                share.cuda.bind()?;
                let Some(memory) = &mut share.memory else { return Ok(()) };
                let report = share.cuda.stream.clone_dtoh(&memory.report).map_err(failed("compute"))?;
                if report[OVERFLOW] & 2 != 0 {
                    let problem = "a stack of cells to be opened has overflown".into();
                    return Err(Error::Device { device: "cuda", problem });
                }
                clash |= report[CLASHES] > 0;
                if report[OVERFLOW] != 0 {
                    overflow = true;
                    let made = memory.double(&share.cuda);
                    if made.is_err() {
                        // nothing of it is used again
                        (share.memory, self.last) = (None, None);
                    }
                    made?;
                }
            }
            // no key distinguishes equal positions
            let longer = clash && self.digits == DIGITS;
            if longer {
                self.digits = ALL_DIGITS;
            }
            if !longer && !overflow {
                return Ok(());
            }
        }
        Err(Error::Device { device: "cuda", problem: "the lists of cells have no end".into() })
    }

    /// Launches the kernels of an evaluation; on one device from the second of one form on as one graph.
    fn launch(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        let [Share { memory: Some(memory), cuda, .. }] = &self.shares[..] else {
            return self.start(columns, potential);
        };
        if self.clock.is_some() {
            return self.start(columns, potential);
        }
        let tree = memory.tree(cuda, columns, self.digits, self.sinks, &memory.levels);
        let variant = Variant::of(Purpose::Forces, potential, columns);
        let form = Form { variant, digits: self.digits, tree };
        match self.last.take().filter(|(last, _)| *last == form) {
            None => {
                self.start(columns, potential)?;
                self.last = Some((form, None));
            }
            Some((_, None)) => {
                // the kernels have been loaded
                let stream = cuda.stream.clone();
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
        for share in &mut self.shares {
            share.compile(main, self.accuracy.order)?;
            if matches!(opening, Opening::Error(_)) {
                share.compile(low, self.accuracy.order)?;
            }
        }
        let (sinks, digits, parts) = (self.sinks, self.digits, self.shares.len());
        let mut clock = self.clock.as_mut().map(|to| (Instant::now(), to));
        let mut runs = Vec::new();
        for (part, share) in self.shares.iter_mut().enumerate() {
            let Share { cuda, kernels, memory, side, given, taken } = share;
            let Some(memory) = memory else { return Ok(()) };
            let leaves = memory.levels.leaves_of(part, parts);
            let own = memory.levels.above(&leaves);
            let tree = memory.tree(cuda, columns, digits, sinks, &own);
            let clock = clock.take();
            runs.push(Run {
                cuda,
                memory,
                kernels,
                variant: main,
                tree,
                sinks,
                own,
                leaves,
                side,
                given,
                taken,
                clock,
            });
        }
        let mutual = i32::from(sinks == Sinks::Cells);
        // second expansions have two derivatives more
        let limits = |order| Limits::of::<T>(if main.own_softenings { order + 2 } else { order });
        each(&mut runs, |run| {
            run.tree.mutual = mutual;
            run.order(digits)?;
            run.cells()?;
            if let Opening::Error(_) = opening {
                run.judge_by(1.0, f32::INFINITY, limits(Purpose::Estimate.order(order)));
                run.tree.mutual = 1;
                run.variant = low;
                run.estimate()?;
            }
            Ok(())
        })?;
        if let Opening::Error(_) = opening {
            exchange(&runs, parts, |run| (&run.memory.least, run.of_estimate().1))?;
        }
        each(&mut runs, |run| {
            match opening {
                Opening::Error(tolerance) => {
                    run.take_estimate()?;
                    run.tree.mutual = mutual;
                    run.variant = main;
                    run.judge_by(Accuracy::WIDEST_ANGLE, tolerance as f32, limits(order));
                }
                Opening::Angle(theta) => run.judge_by(theta as f32, f32::INFINITY, limits(order)),
            }
            let deepest = run.memory.levels.0.len() - 1;
            run.lists(sinks, deepest)?;
            run.forces(parts > 1)
        })?;
        if parts > 1 {
            // of each slot: acceleration and potential
            let slots = |run: &Run<'_, T>| run.leaves.start * LEAF * 4..run.leaves.end * LEAF * 4;
            let receivers = if self.is_resident { parts } else { 1 };
            exchange(&runs, receivers, |run| (&run.memory.near, slots(run)))?;
            each(&mut runs[..receivers], Run::order_by_bodies)?;
        }
        Ok(())
    }

    /// A kernel of one of the devices, of those that evaluate accelerations of such bodies.
    fn function(&mut self, share: usize, name: &'static str, columns: &Columns) -> Result<CudaFunction> {
        let main = Variant::of(Purpose::Forces, false, columns);
        let share = &mut self.shares[share];
        share.compile(main, self.accuracy.order)?;
        share.kernels.get_mut(&main).ok_or_else(missing)?.get(name)
    }
}

fn missing() -> Error {
    Error::Device { device: "cuda", problem: "a kernel is not compiled".into() }
}

/// The part of one device in an evaluation.
struct Run<'a, T> {
    cuda: &'a Cuda,
    memory: &'a mut Memory<T>,
    kernels: &'a mut HashMap<Variant, Kernels>,
    /// Those of the kernels that are started.
    variant: Variant,
    tree: Tree,
    sinks: Sinks,
    /// Its leaves, and the cells of each level that have some of them.
    leaves: Range<usize>,
    own: Levels,
    side: &'a Side,
    given: &'a CudaEvent,
    taken: &'a CudaEvent,
    clock: Option<(Instant, &'a mut Vec<(&'static str, f64)>)>,
}

/// Launches what each device does by itself.
fn each<'a, T>(runs: &mut [Run<'a, T>], mut launch: impl FnMut(&mut Run<'a, T>) -> Result<()>) -> Result<()> {
    runs.iter_mut().try_for_each(|run| {
        run.cuda.bind()?;
        launch(run)
    })
}

/// Copies the parts of all devices to the first ones; `part` says where a device has its own.
fn exchange<'a, T, A: 'a>(
    runs: &'a [Run<'_, T>],
    receivers: usize,
    part: impl Fn(&'a Run<'_, T>) -> (&'a CudaSlice<A>, Range<usize>),
) -> Result<()> {
    if runs.len() == 1 {
        return Ok(());
    }
    let wait = failed("wait for another GPU");
    for run in runs {
        run.given.record(&run.cuda.stream).map_err(&wait)?;
    }
    let others = |k: usize| runs.iter().enumerate().filter(move |(other, _)| *other != k).map(|(_, run)| run);
    for (k, run) in runs.iter().enumerate().take(receivers) {
        run.cuda.bind()?;
        let stream = &run.cuda.stream;
        for other in others(k) {
            stream.wait(other.given).map_err(&wait)?;
            let (from, range) = part(other);
            copy_range(run.cuda, (other.cuda, from), (run.cuda, part(run).0), range)?;
        }
        run.taken.record(stream).map_err(&wait)?;
    }
    // a part stays as it is until all have it
    for (k, run) in runs.iter().enumerate() {
        for (_, other) in runs.iter().enumerate().take(receivers).filter(|(other, _)| *other != k) {
            run.cuda.stream.wait(other.taken).map_err(&wait)?;
        }
    }
    Ok(())
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

    fn kernel(&mut self, name: &'static str) -> Result<CudaFunction> {
        self.kernels.get_mut(&self.variant).ok_or_else(missing)?.get(name)
    }

    /// Starts a kernel of which the tree is the first argument, then these numbers.
    fn start(&mut self, name: &'static str, shape: (usize, usize), numbers: &[usize]) -> Result<()> {
        self.start_on(&self.cuda.stream, name, shape, numbers)
    }

    /// The same, on another stream.
    fn start_on(
        &mut self,
        stream: &CudaStream,
        name: &'static str,
        (blocks, threads): (usize, usize),
        numbers: &[usize],
    ) -> Result<()> {
        let shared = if matches!(name, "make_lists" | "one_by_one") { 4 * 4 * self.tree.stack as usize } else { 0 };
        let function = self.kernel(name)?;
        let numbers: Vec<i32> = numbers.iter().map(|number| *number as i32).collect();
        let mut call = Call::new(stream, &function);
        call.arg(&self.tree);
        for number in &numbers {
            call.arg(number);
        }
        call.start(grid(blocks as u32, 1, threads as u32, 1, shared), Start::AfterPrevious)
    }

    /// Sorts the bodies along the curve.
    fn order(&mut self, digits: i32) -> Result<()> {
        let (stream, n) = (&self.cuda.stream, self.memory.n);
        let reset = failed("compute");
        stream.memset_zeros(&mut self.memory.report).map_err(&reset)?;
        let blocks = n.div_ceil(256);
        let function = self.kernel("curve_keys")?;
        let memory = &*self.memory;
        let mut call = Call::new(stream, &function);
        call.arg(&self.tree).memory(&memory.keys[0]).memory(&memory.keys[2]).memory(&memory.index[0]).arg(&digits);
        call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        let mut at = self.sort(passes(digits.min(21)), 0)?;
        if digits > 21 {
            // the upper digits, in the order of the lower ones
            let function = self.kernel("take_keys")?;
            let count = n as i32;
            let mut call = Call::new(stream, &function);
            let memory = &*self.memory;
            call.memory(&memory.keys[2]).memory(&memory.index[at]).memory(&memory.keys[at]).arg(&count);
            call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
            at = self.sort(passes(21), at)?;
        }
        let function = self.kernel("find_clashes")?;
        let count = n as i32;
        let mut call = Call::new(stream, &function);
        call.memory(&self.memory.keys[at]).memory(&self.memory.report).arg(&count);
        call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        if self.variant.own_softenings {
            let function = self.kernel("take_classes")?;
            let mut call = Call::new(stream, &function);
            call.arg(&self.tree).memory(&self.memory.index[at]).memory(&self.memory.keys[at]);
            call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
            self.sort(1, at)?;
        }
        self.lap("order")
    }

    /// Sorts keys and indices, which are in the memory of this number; returns where they are then.
    fn sort(&mut self, passes: usize, mut at: usize) -> Result<usize> {
        let (stream, n) = (&self.cuda.stream, self.memory.n);
        let (tiles, count, all) = (n.div_ceil(TILE), n as i32, passes as i32);
        let functions = (self.kernel("count_digits")?, self.kernel("sort_pass")?);
        let memory = &mut *self.memory;
        stream.memset_zeros(&mut memory.counts).map_err(failed("compute"))?;
        let mut call = Call::new(stream, &functions.0);
        call.memory(&memory.keys[at]).memory(&memory.counts).arg(&count).arg(&all);
        let blocks = n.div_ceil(RADIX * 16).min(8 * self.cuda.processors as usize);
        call.start(grid(blocks as u32, 1, RADIX as u32, 1, 0), Start::AfterPrevious)?;
        let base = address(stream, &memory.counts);
        for pass in 0..passes {
            let number = pass as i32;
            // counts of all passes, then their tickets, then their states
            let ticket = base + 4 * (PASSES * RADIX + pass) as u64;
            let states = base + 4 * (PASSES * (RADIX + 1) + pass * tiles * RADIX) as u64;
            let mut call = Call::new(stream, &functions.1);
            call.memory(&memory.keys[at]).memory(&memory.index[at]);
            call.memory(&memory.keys[1 - at]).memory(&memory.index[1 - at]);
            call.memory(&memory.counts).arg(&states).arg(&ticket).arg(&count).arg(&number);
            call.start(grid(tiles as u32, 1, RADIX as u32, 1, 0), Start::AfterPrevious)?;
            at = 1 - at;
        }
        Ok(at)
    }

    /// Makes the cells, all of them.
    fn cells(&mut self) -> Result<()> {
        let levels = self.memory.levels.clone();
        self.start("make_leaves", (levels.leaves().1.div_ceil(4), 128), &[])?;
        for pair in levels.0.windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            self.start("make_cells", ((8 * count).div_ceil(128), 128), &[first, count, next + below])?;
        }
        self.lap("cells")
    }

    /// Makes the lists of its cells.
    fn lists(&mut self, sinks: Sinks, deepest: usize) -> Result<()> {
        let (stream, reset) = (&self.cuda.stream, failed("compute"));
        stream.memset_zeros(&mut self.memory.tops).map_err(&reset)?;
        // the number of sparse leaves alone
        stream.memset_zeros(&mut self.memory.report.slice_mut(1..2)).map_err(&reset)?;
        let (top, root) = (self.memory.levels.top(sinks), sinks == Sinks::Leaves);
        for level in top..=deepest {
            let is_top = level == top;
            // cells of the top are candidates of each other
            let whole = is_top && !root;
            let (first, count) = if whole { self.memory.levels.0[level] } else { self.own.0[level] };
            let numbers = [first, count, usize::from(is_top), usize::from(root)];
            self.start("make_lists", (count.div_ceil(4), 128), &numbers)?;
        }
        self.lap("lists")
    }

    /// The expansions about its cells, handed down.
    fn far(&mut self, sinks: Sinks, deepest: usize) -> Result<()> {
        let top = self.memory.levels.top(sinks);
        let levels = self.own.0.clone();
        let cells: usize = levels[top..=deepest].iter().map(|(_, count)| count).sum();
        self.start("far_cells", (cells.div_ceil(4), 128), &[top, deepest])?;
        if self.variant.purpose == Purpose::Forces {
            self.start("soft_cells", (cells.div_ceil(4), 128), &[top, deepest])?;
            if self.variant.own_softenings {
                self.start("soft_differences", (cells.div_ceil(4), 128), &[top, deepest])?;
            }
        }
        self.lap("expansions of cells")?;
        for (first, count) in &levels[top + 1..=deepest] {
            self.start("hand_down", (count.div_ceil(128), 128), &[*first, *count])?;
        }
        self.lap("handing down")
    }

    /// The level whose cells are small enough for estimates, and its own among them: the one above the leaves.
    fn of_estimate(&self) -> (usize, Range<usize>) {
        let levels = &self.memory.levels;
        let leaves = levels.0.len() - 1;
        let deepest = if leaves > levels.top(Sinks::Cells) { leaves - 1 } else { leaves };
        let (first, count) = self.own.0[deepest];
        let begin = first - levels.0[deepest].0;
        (deepest, begin..begin + count)
    }

    /// Estimates the least accelerations of its cells.
    fn estimate(&mut self) -> Result<()> {
        let (first_leaf, count) = self.memory.levels.leaves();
        let (deepest, own) = self.of_estimate();
        let (first, cells) = self.memory.levels.0[deepest];
        (self.tree.first_leaf, self.tree.leaves) = (first as i32, cells as i32);
        self.lists(Sinks::Cells, deepest)?;
        self.far(Sinks::Cells, deepest)?;
        let per_cell = if first < first_leaf { CHILDREN } else { 1 };
        self.start("estimate", (own.len().div_ceil(4), 128), &[first_leaf, per_cell, own.start, own.len()])?;
        (self.tree.first_leaf, self.tree.leaves) = (first_leaf as i32, count as i32);
        Ok(())
    }

    /// Gives all cells the least accelerations that were estimated.
    fn take_estimate(&mut self) -> Result<()> {
        let levels = self.memory.levels.clone();
        let (first_leaf, count) = levels.leaves();
        let deepest = self.of_estimate().0;
        let (first, cells) = levels.0[deepest];
        (self.tree.first_leaf, self.tree.leaves) = (first as i32, cells as i32);
        for (name, blocks, threads) in [("mean_square", 1, 1024), ("least_of_leaves", cells.div_ceil(128), 128)] {
            let function = self.kernel(name)?;
            let mut call = Call::new(&self.cuda.stream, &function);
            call.arg(&self.tree).memory(&self.memory.sums);
            call.start(grid(blocks as u32, 1, threads, 1, 0), Start::AfterPrevious)?;
        }
        (self.tree.first_leaf, self.tree.leaves) = (first_leaf as i32, count as i32);
        if first < first_leaf {
            self.start("least_from_above", (count.div_ceil(128), 128), &[first_leaf, count])?;
        }
        for pair in levels.0[..=deepest].windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            self.start("least_of_cells", (count.div_ceil(128), 128), &[first, count, next + below])?;
        }
        self.lap("estimate")
    }

    /// Forces on its leaves from lists, in the order of the bodies or, where devices share, of the slots.
    fn forces(&mut self, is_shared: bool) -> Result<()> {
        let order = failed("order kernels");
        // what is near is summed beside what is far, unless their times are asked for
        let main = &self.cuda.stream;
        let beside = if self.clock.is_some() { main } else { &self.side.stream };
        self.side.ready.record(main).map_err(&order)?;
        beside.wait(&self.side.ready).map_err(&order)?;
        self.far(self.sinks, self.memory.levels.0.len() - 1)?;
        let Range { start, end } = self.leaves;
        self.start_on(beside, "near_bodies", (end - start, 128), &[start])?;
        self.lap("near bodies")?;
        let blocks = (end - start).div_ceil(4).min(4 * self.cuda.processors as usize);
        self.start_on(beside, "one_by_one", (blocks, 128), &[])?;
        self.side.done.record(beside).map_err(&order)?;
        main.wait(&self.side.done).map_err(&order)?;
        self.lap("one by one")?;
        let (begin, end) = (start * LEAF, (end * LEAF).min(self.memory.n));
        let numbers = [begin, end, usize::from(is_shared)];
        self.start("finish", (end.saturating_sub(begin).div_ceil(128), 128), &numbers)?;
        self.lap("finish")
    }

    /// Puts the forces on all bodies, which are in the order of the slots, into that of the bodies.
    fn order_by_bodies(&mut self) -> Result<()> {
        self.start("order_by_bodies", (self.memory.n.div_ceil(128), 128), &[])?;
        self.lap("order by bodies")
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
        // estimates have orders up to 3
        let purposes = [(Purpose::Estimate, 1), (Purpose::Estimate, 3)]
            .into_iter()
            .chain([1, 3, 8].map(|order| (Purpose::Forces, order)));
        for (purpose, order) in purposes {
            for (dipoles, potential, double) in [(false, false, false), (true, true, false), (false, true, true)] {
                let operators = Operators { order, dipoles, potential };
                for own_softenings in [false, true].into_iter().filter(|own| dipoles || !own) {
                    let text = source(operators, double, purpose, own_softenings);
                    super::super::compile(&text, 90)
                        .unwrap_or_else(|error| panic!("{operators:?} {own_softenings}: {error}"));
                }
            }
        }
    }
}
