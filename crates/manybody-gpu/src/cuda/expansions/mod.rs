//! Expansions on a CUDA device, or on several that share: memory, kernels, and the launches of an evaluation.
//!
//! Where devices share, of this process or of other ranks, each makes the order, the cells and, after an exchange, the least
//! accelerations of all, and the lists, expansions and forces of its part of the leaves. What acts on a leaf does not depend on
//! the parts, so the bits are those of one device. (Above order 8 a thread block has as many warps as its columns have room for, whose sums are
//! added: GPUs with less shared memory have other last bits there.)

mod memory;
mod part;
mod parts;
mod resident;

pub(crate) use resident::CudaExpansionsResident;

use super::exchange::Exchange;
use super::launch::Graph;
use super::source::PRELUDE;
use super::{Cuda, failed, kernels};
use crate::compute::Rounding;
use crate::expansions::levels::LEAF;
use crate::expansions::{
    CLASHES, Columns, Coupling, DOUBLINGS, IN_F64, Language, Motion, OVERFLOW, OfLaw, Operators, Part, Purpose,
    SOFTENED_IN_F64, Width,
};
use cudarc::driver::sys::{CUdevice_attribute, CUfunction_attribute_enum};
use cudarc::driver::{CudaEvent, CudaFunction, CudaModule, CudaStream, DeviceRepr, ValidAsZeroBits};
use cudarc::nvrtc::Ptx;
use manybody_law::simd::Element;
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::Softening;
use manybody_ranks::Team;
use manybody_tree::{Accuracy, CLASSES, DIGITS_OF_CLASS, ExpandedLaw, LawText, Limits, Opening, Sinks};
use memory::{Memory, REPORT, Tree, report_of};
use part::Run;
use parts::{Parts, each};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

const TYPES: &str = include_str!("../../kernels/expansions/types.cuh");
const HIGH: &str = include_str!("../../kernels/expansions/high.cuh");
const ORDER: &str = include_str!("../../kernels/expansions/order.cu");
const MOMENTS: &str = include_str!("../../kernels/expansions/moments.cuh");
const RATES: &str = include_str!("../../kernels/expansions/rates.cu");
const CELLS: &str = include_str!("../../kernels/expansions/cells.cu");
const LISTS: &str = include_str!("../../kernels/expansions/lists.cu");
const GATHER: &str = include_str!("../../kernels/expansions/gather.cuh");
const FAR: &str = include_str!("../../kernels/expansions/far.cu");
const SOFT: &str = include_str!("../../kernels/expansions/soft.cu");
const SOFT_HIGH: &str = include_str!("../../kernels/expansions/soft_high.cu");
const HAND_DOWN: &str = include_str!("../../kernels/expansions/hand_down.cu");
const DOWN: &str = include_str!("../../kernels/expansions/down.cu");
const NEAR: &str = include_str!("../../kernels/expansions/near.cu");
const STEPS: &str = include_str!("../../kernels/expansions/steps.cu");
const LAW: &str = include_str!("../../kernels/expansions/law.cu");
const LAW_CELLS: &str = include_str!("../../kernels/expansions/law_cells.cu");
const ESTIMATE: &str = include_str!("../../kernels/expansions/estimate.cu");

/// Digits of keys: two bodies in a cell of this depth are rare, and then all 42 are used.
const DIGITS: i32 = 16;
const ALL_DIGITS: i32 = 42;

/// The text of the kernels of an estimate or an evaluation; of a law those that are the same for all couplings, or that of one.
pub(super) fn source(
    operators: Operators,
    double: bool,
    purpose: Purpose,
    (own_softenings, softening, is_mixed): (bool, Softening, bool),
    law: Option<(&LawText, Option<&Coupling>)>,
) -> String {
    let head = format!("#define REAL_IS_DOUBLE {}\n#define ROOTS_HAVE_EDGES 0\n", u8::from(double));
    // more threads at once, or more registers for each: the fastest [H100, 2^20 bodies]
    let blocks = [1, 4, 4, 4, 4, 4, 4, 3, 1][operators.order.min(8)];
    let blocks = if double { 1 } else { blocks };
    let far = if law.is_some() { String::new() } else { far(operators, double) };
    let soft = if operators.is_high() { SOFT_HIGH } else { SOFT };
    let (with_bodies, parts): (u8, &[&str]) = match purpose {
        Purpose::Estimate => (0, &[LISTS, &far, HAND_DOWN, DOWN, ESTIMATE]),
        Purpose::Forces => match law {
            None if operators.motion == Motion::Rates => (1, &[MOMENTS, RATES, &far, soft, HAND_DOWN]),
            None => (1, &[ORDER, MOMENTS, CELLS, LISTS, &far, soft, HAND_DOWN, DOWN, NEAR, STEPS]),
            Some((_, None)) => (1, &[ORDER, MOMENTS, CELLS, LISTS, HAND_DOWN, DOWN, NEAR, LAW]),
            Some((_, Some(_))) => (1, &[LAW_CELLS]),
        },
    };
    let of_law = u8::from(law.is_some());
    let includes_self = u8::from(law.is_some_and(|(law, _)| law.is_self_included));
    let own = u8::from(own_softenings);
    let head =
        format!("{head}#define FAR_BLOCKS {blocks}\n#define WITH_BODIES {with_bodies}\n#define OWN_SOFTENINGS {own}\n");
    let head = format!("{head}#define LAW {of_law}\n#define SELF {includes_self}\n");
    let [jerks, rates] = [Motion::Jerks, Motion::Rates].map(|motion| u8::from(operators.motion == motion));
    let head = format!("{head}#define JERKS {jerks}\n#define RATES {rates}\n");
    let spline = u8::from(softening == Softening::Spline);
    let head = format!(
        "{head}#define SPLINE {spline}\n#define CLASSES {CLASSES}\n#define DIGITS_OF_CLASS {DIGITS_OF_CLASS}\n"
    );
    let differences: &[Part] = if own_softenings { &[Part::Differences] } else { &[] };
    let all: &[Part] = if let Some((_, Some(_))) = law { &[Part::Onto] } else { &Part::all(double) };
    let mut all = [all, differences].concat();
    let is_soft_split = operators.is_soft_split(double) && !own_softenings;
    all.iter_mut().filter(|part| is_soft_split && **part == Part::Onto).for_each(|part| *part = Part::OntoInTwo);
    let text = operators.text(Language::Cuda, &all, law);
    let head = format!("{head}#define HIGH {}\n#define MIXED {}\n", u8::from(operators.is_high()), u8::from(is_mixed));
    let [split, soft_split] = [operators.is_split(double), is_soft_split].map(u8::from);
    let (locals, moments) = operators.low_softened();
    let head = format!("{head}#define SPLIT {split}\n#define IN_F64 {IN_F64}\n#define SOFT_SPLIT {soft_split}\n");
    let head = format!(
        "{head}#define SOFTENED_IN_F64 {SOFTENED_IN_F64}\n#define LOW_LOCALS {locals}\n#define LOW_MOMENTS {moments}\n"
    );
    let in_f32 = Limits::of::<f32>(operators.order);
    let head = format!("{head}#define UNITS_OF_F32 {:?}f\n#define UNIT2_OF_F32 {:?}f\n", in_f32.units, in_f32.unit2);
    let high = if operators.is_high() { HIGH } else { "" };
    let shared = [&head, PRELUDE, FUSED, &text, TYPES, high].concat();
    shared + &parts.concat()
}

/// The kernel of what is far.
fn far(operators: Operators, double: bool) -> String {
    let (gathered, each_degree) = (operators.is_gathered(double), operators.each_degree(double));
    let gather = if gathered { GATHER } else { "" };
    format!("#define GATHERED {}\n{each_degree}{gather}{FAR}", u8::from(gathered))
}

const FUSED: &str = "static __device__ __forceinline__ float m_fma(float a, float b, float c) { return fmaf(a, b, c); }\n\
     static __device__ __forceinline__ double m_fma(double a, double b, double c) { return fma(a, b, c); }\n\
     static __device__ __forceinline__ void m_fence() { if (REAL_IS_DOUBLE) __syncwarp(); else asm volatile(\"\" ::: \"memory\"); }\n\
     #define m_step() if (HIGH) __syncthreads()\n\
     static __device__ __forceinline__ real m_where(bool c, real a, real b) { return c ? a : b; }\n";

/// Compiled kernels.
struct Kernels {
    module: Arc<CudaModule>,
    functions: HashMap<&'static str, CudaFunction>,
    operators: Operators,
    /// Warps of a block that share a cell in what is far, and the bytes of shared memory that they need; `None` where all is in registers.
    columns: Option<(usize, usize)>,
}

impl Kernels {
    fn new(cuda: &Cuda, compiled: Ptx, operators: Operators, double: bool) -> Result<Self> {
        cuda.bind()?;
        let of_warp = operators.columns(double);
        let most = cuda.context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        let most = most.map_err(failed("ask for the size of shared memory"))? as usize;
        let columns = of_warp.map(|(warps, bytes)| {
            let warps = warps.min(most / bytes).max(1);
            (warps, warps * bytes)
        });
        Ok(Kernels { module: cuda.load(compiled)?, functions: HashMap::new(), operators, columns })
    }

    fn get(&mut self, name: &'static str) -> Result<CudaFunction> {
        if !self.functions.contains_key(name) {
            let function = self.module.load_function(name).map_err(failed("find a kernel"))?;
            if let (Some((_, bytes)), "far_cells") = (self.columns, name) {
                let limit = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                function.set_attribute(limit, bytes as i32).map_err(failed("ask for shared memory"))?;
            }
            self.functions.insert(name, function);
        }
        Ok(self.functions[name].clone())
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
    softening: Softening,
    of_law: bool,
    is_mixed: bool,
    /// Whether results have jerks; or whether these are for rates.
    motion: Motion,
    /// The coupling of a law that these are for, where they are not for all.
    coupling: Option<usize>,
}

impl Variant {
    fn of(purpose: Purpose, potential: bool, columns: &Columns) -> Self {
        let own_softenings = !columns.softenings.halves.is_empty();
        // products of masses and differences of softenings have dipoles
        let (dipoles, softening) = (columns.has_negative_mass || own_softenings, columns.softening);
        let (of_law, is_mixed) = (columns.law.is_some(), columns.is_mixed && purpose == Purpose::Forces);
        let motion = if purpose == Purpose::Forces { columns.motion() } else { Motion::Rest };
        Variant { purpose, potential, dipoles, own_softenings, softening, of_law, is_mixed, motion, coupling: None }
    }

    /// The kernels of rates.
    fn of_rates(self) -> Self {
        Variant { motion: Motion::Rates, ..self }
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
    /// The function of the law that these are for.
    text: Option<Arc<LawText>>,
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
        Ok(Share { cuda, kernels: HashMap::new(), text: None, memory: None, side, given, taken })
    }

    /// Brings the bodies to the device; whether there was memory for them.
    fn bring(&mut self, columns: &Columns, order: usize, part: (usize, usize)) -> Result<bool> {
        self.cuda.bind()?;
        let n = columns.numbers[0].len();
        let width = Width::of(columns);
        let was_there = self.memory.as_ref().is_some_and(|memory| memory.n == n && memory.width == width);
        if !was_there {
            self.memory = None;
            self.memory = Some(Memory::new(&self.cuda, n, order, width, part)?);
        }
        if let Some(memory) = &mut self.memory {
            if let Some((to, _)) = &mut memory.own {
                let from = if columns.law.is_some() { &columns.charges } else { &columns.softenings.halves };
                self.cuda.stream.memcpy_htod(from, to).map_err(failed("transfer softenings or charges"))?;
            }
            if let Some(rates) = &mut memory.rates {
                let velocities = columns.velocities.concat();
                let moved = self.cuda.stream.memcpy_htod(&velocities, &mut rates.velocities);
                moved.map_err(failed("transfer the velocities"))?;
            }
            for (to, from) in memory.columns.iter_mut().zip(&columns.numbers) {
                self.cuda.stream.memcpy_htod(from, to).map_err(failed("transfer the bodies"))?;
            }
        }
        Ok(was_there)
    }

    /// Compiles what there is not; the kernels of a law and of all its couplings, side by side.
    fn compile(&mut self, variant: Variant, order: usize, law: Option<&Arc<OfLaw>>) -> Result<()> {
        // kernels of a law are those of one text
        if self.text.as_ref() != law.map(|law| &law.text) {
            self.text = law.map(|law| law.text.clone());
            self.kernels.clear();
        }
        if self.kernels.contains_key(&variant) {
            return Ok(());
        }
        let couplings = law.map_or(&[][..], |law| &law.couplings);
        let first_ones = Coupling::first_ones(couplings).into_iter().map(Some);
        let all: Vec<Variant> =
            [None].into_iter().chain(first_ones).map(|coupling| Variant { coupling, ..variant }).collect();
        let Variant { purpose, potential, dipoles, own_softenings, softening, of_law, is_mixed, motion, .. } = variant;
        let operators = Operators { order: purpose.order(order), dipoles, potential, of_law, motion };
        let operators = if motion == Motion::Rates { operators.of_rates() } else { operators };
        let text = |variant: &Variant| {
            let law = law.map(|law| (&*law.text, variant.coupling.map(|k| &couplings[k])));
            source(operators, T::DOUBLE, purpose, (own_softenings, softening, is_mixed), law)
        };
        let arch = self.cuda.arch;
        let compiled: Vec<_> =
            all.par_iter().map(|variant| kernels(&text(variant), arch, Rounding::Fast)).collect::<Result<_>>()?;
        for (variant, compiled) in all.into_iter().zip(compiled) {
            self.kernels.insert(variant, Kernels::new(&self.cuda, compiled, operators, T::DOUBLE)?);
        }
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
    /// The GPUs of other ranks that share evaluations.
    exchange: Option<Exchange>,
    /// The end of the last exchange with them.
    arrived: Option<CudaEvent>,
    /// Every kernel has been launched once.
    is_warm: bool,
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
        Ok(CudaExpansions {
            accuracy,
            sinks,
            shares,
            is_resident: false,
            exchange: None,
            arrived: None,
            is_warm: false,
            digits: DIGITS,
            last: None,
            clock: None,
        })
    }

    /// Changes the accuracy.
    pub(crate) fn set_accuracy(&mut self, accuracy: Accuracy) {
        if self.accuracy.order != accuracy.order {
            for share in &mut self.shares {
                share.kernels.clear();
                share.memory = None;
            }
            self.is_warm = false;
        }
        if self.accuracy != accuracy {
            (self.accuracy, self.last) = (accuracy, None);
        }
    }

    /// Joins the GPUs of other ranks, which all call it and share every evaluation from now on.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where they cannot be joined by NCCL, [`Error::Rank`] where a rank is lost, and those of the device.
    pub(crate) fn join(&mut self, team: &Team) -> Result<()> {
        let joined = Exchange::join(&self.shares[0].cuda, team)?;
        self.exchange = Some(joined.map_err(|why| {
            let expected =
                format!("ranks with a GPU each share trees by NCCL alone ({why}): run one process with --gpus");
            Error::Unsupported { capability: Capability::Solver, value: self.sinks.name().into(), expected }
        })?);
        Ok(())
    }

    /// The accelerations and, if asked for, the potentials of the bodies, in the units of their frame.
    pub(crate) fn forces(&mut self, columns: &Columns, potential: bool) -> Result<Vec<Vec<T>>> {
        self.bring(columns)?;
        self.evaluate(columns, potential)?;
        let first = &self.shares[0];
        let Some(memory) = &first.memory else { return Ok(Vec::new()) };
        first.cuda.bind()?;
        let out = first.cuda.stream.clone_dtoh(&memory.out).map_err(failed("transfer the forces"))?;
        let numbers = memory.width.numbers();
        let column = |field: usize| out.par_iter().skip(field).step_by(numbers).copied().collect();
        Ok(columns.fields(potential).into_iter().map(column).collect())
    }

    /// Seconds of an evaluation, the mean of `repeats`.
    pub(crate) fn seconds(&mut self, columns: &Columns, potential: bool, repeats: usize) -> Result<f64> {
        self.bring(columns)?;
        self.evaluate(columns, potential)?;
        let before = Instant::now();
        for _ in 0..repeats {
            self.launch(columns, potential)?;
        }
        for share in &self.shares {
            share.cuda.stream.synchronize().map_err(failed("compute"))?;
        }
        Ok(before.elapsed().as_secs_f64() / repeats.max(1) as f64)
    }

    /// Seconds of each phase.
    pub(crate) fn phases(&mut self, columns: &Columns, potential: bool) -> Result<Vec<(&'static str, f64)>> {
        self.bring(columns)?;
        self.evaluate(columns, potential)?;
        self.clock = Some(Vec::new());
        let outcome = self.launch(columns, potential);
        let phases = self.clock.take().unwrap_or_default();
        outcome.map(|()| phases)
    }

    /// Brings the bodies to the devices.
    fn bring(&mut self, columns: &Columns) -> Result<()> {
        let parts = Parts { gpus: self.shares.len(), exchange: self.exchange.as_ref() };
        for (gpu, share) in self.shares.iter_mut().enumerate() {
            if !share.bring(columns, self.accuracy.order, (parts.of(gpu), parts.count()))? {
                self.last = None;
            }
        }
        Ok(())
    }

    /// Evaluates, again with more memory where there are too few pages, or with longer keys where bodies share them.
    fn evaluate(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        let done = self.evaluate_until_done(columns, potential);
        if let (Err(_), Some(exchange)) = (&done, &self.exchange) {
            exchange.abandon();
        }
        done
    }

    fn evaluate_until_done(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        self.digits = DIGITS;
        for _ in 0..DOUBLINGS {
            self.launch(columns, potential)?;
            let reports = self.reports()?;
            if reports.iter().any(|report| report[OVERFLOW] & 2 != 0) {
                let problem = "a stack of cells to be opened has overflown".into();
                return Err(Error::Device { device: "cuda", problem });
            }
            // no key distinguishes equal positions
            let longer = self.digits == DIGITS && reports.iter().any(|report| report[CLASHES] > 0);
            if longer {
                self.digits = ALL_DIGITS;
            }
            if !longer && reports.iter().all(|report| report[OVERFLOW] == 0) {
                self.is_warm = true;
                return Ok(());
            }
            for share in &mut self.shares {
                let overflown = |memory: &&mut Memory<T>| reports[memory.part][OVERFLOW] != 0;
                let Some(memory) = share.memory.as_mut().filter(overflown) else { continue };
                share.cuda.bind()?;
                let made = memory.double(&share.cuda);
                if made.is_err() {
                    // nothing of it is used again
                    (share.memory, self.last) = (None, None);
                }
                made?;
            }
        }
        Err(Error::Device { device: "cuda", problem: "the lists of cells have no end".into() })
    }

    /// The reports of all devices that share, when they are there.
    fn reports(&mut self) -> Result<Vec<[u32; REPORT]>> {
        if let (Some(exchange), Some(arrived)) = (&self.exchange, self.arrived.take()) {
            // the device is not waited for where a rank is lost
            exchange.wait(&arrived)?;
        }
        let first = &self.shares[0];
        let Some(memory) = &first.memory else { return Ok(Vec::new()) };
        for share in &self.shares[1..] {
            // their errors show here
            share.cuda.stream.synchronize().map_err(failed("compute"))?;
        }
        first.cuda.bind()?;
        let all = first.cuda.stream.clone_dtoh(&memory.report).map_err(failed("compute"))?;
        Ok(all.as_chunks().0.to_vec())
    }

    /// Launches the kernels of an evaluation; on one device from the second of one form on as one graph.
    fn launch(&mut self, columns: &Columns, potential: bool) -> Result<()> {
        let [Share { memory: Some(memory), cuda, .. }] = &self.shares[..] else {
            return self.start(columns, potential);
        };
        if self.clock.is_some() || self.exchange.is_some() || columns.law.is_some() {
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
        let Accuracy { opening, .. } = self.accuracy.of_bodies(columns.numbers[0].len());
        let main = Variant::of(Purpose::Forces, potential, columns);
        let low = Variant::of(Purpose::Estimate, false, columns);
        for share in &mut self.shares {
            share.compile(main, self.accuracy.order, columns.law.as_ref())?;
            if columns.has_jerks() {
                share.compile(main.of_rates(), self.accuracy.order, None)?;
            }
            if matches!(opening, Opening::Error(_)) && columns.law.is_none() {
                share.compile(low, self.accuracy.order, None)?;
            }
        }
        let (sinks, digits) = (self.sinks, self.digits);
        let parts = Parts { gpus: self.shares.len(), exchange: self.exchange.as_ref() };
        let is_shared = parts.count() > 1;
        let mut clock = self.clock.as_mut().map(|to| (Instant::now(), to));
        let mut runs = Vec::new();
        for share in &mut self.shares {
            let Share { cuda, kernels, memory, side, given, taken, .. } = share;
            let Some(memory) = memory else { return Ok(()) };
            let leaves = memory.levels.leaves_of(memory.part, parts.count());
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
                law: columns.law.as_deref(),
            });
        }
        let mutual = i32::from(sinks == Sinks::Cells);
        each(&mut runs, |run| {
            run.tree.mutual = mutual;
            run.order(digits)?;
            run.cells()?;
            run.rates()?;
            if let (Opening::Error(_), None) = (opening, &columns.law) {
                run.tree.mutual = 1;
                run.variant = low;
                run.judge_by(1.0, f32::INFINITY)?;
                run.estimate()?;
            }
            Ok(())
        })?;
        let Some(levels) = runs.first().map(|run| run.memory.levels.clone()) else { return Ok(()) };
        let leaves = |part: usize| levels.leaves_of(part, parts.count());
        if let Some(law) = &columns.law {
            // all devices have the same bodies, and the first asks for all
            let table = runs.first_mut().map(|run| run.sampled(law)).transpose()?.unwrap_or_default();
            each(&mut runs, |run| run.take_table(&table))?;
        } else if let Opening::Error(_) = opening {
            let cells = |part: usize| levels.of_estimate(&levels.above(&leaves(part))).1;
            let arrived = parts.complete(&runs, parts.gpus, |run| &run.memory.least, cells)?;
            parts.wait_if(!self.is_warm, arrived.as_ref())?;
        }
        each(&mut runs, |run| {
            match opening {
                Opening::Error(tolerance) if columns.law.is_some() => {
                    run.judge_by(ExpandedLaw::WIDEST_ANGLE, tolerance as f32)?;
                }
                Opening::Error(tolerance) => {
                    run.take_estimate()?;
                    run.tree.mutual = mutual;
                    run.variant = main;
                    run.judge_by(Accuracy::WIDEST_ANGLE, tolerance as f32)?;
                }
                Opening::Angle(theta) => run.judge_by(theta as f32, f32::INFINITY)?,
            }
            let deepest = run.memory.levels.0.len() - 1;
            run.lists(sinks, deepest)?;
            run.forces(is_shared)
        })?;
        if is_shared {
            // of each slot: acceleration, potential and jerk, or what a law has in their place
            let of_slot = Width::of(columns).numbers();
            let slots = |part: usize| leaves(part).start * LEAF * of_slot..leaves(part).end * LEAF * of_slot;
            let receivers = if self.is_resident { parts.gpus } else { 1 };
            parts.complete(&runs, 1, |run| &run.memory.report, report_of)?;
            self.arrived = parts.complete(&runs, receivers, |run| &run.memory.near, slots)?;
            parts.wait_if(!self.is_warm, self.arrived.as_ref())?;
            each(&mut runs[..receivers], Run::order_by_bodies)?;
        }
        Ok(())
    }

    /// A kernel of one of the devices, of those that evaluate accelerations of such bodies.
    fn function(&mut self, share: usize, name: &'static str, columns: &Columns) -> Result<CudaFunction> {
        let main = Variant::of(Purpose::Forces, false, columns);
        let share = &mut self.shares[share];
        share.compile(main, self.accuracy.order, columns.law.as_ref())?;
        share.kernels.get_mut(&main).ok_or_else(missing)?.get(name)
    }
}

fn missing() -> Error {
    Error::Device { device: "cuda", problem: "a kernel is not compiled".into() }
}

#[cfg(test)]
mod tests;
