//! Bodies that live on a CUDA device: a step is one kernel or two, and many of them are one graph.

use super::evaluate::Kernel;
use super::exchange::Exchange;
use super::launch::{Call, Graph, Start, address, grid};
use super::pacer::{FASTER, Pacer};
use super::{Cuda, CudaEvaluator, failed, kernels};
use crate::compute::Rounding;
use crate::gravity::{How, Problem, Problems, Records};
use crate::{Evaluator, Pairs, finish};
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::simd::Element;
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, ForceTerms, Frame, Integrals, KickDrift, Resident};
use manybody_ranks::Team;
use std::sync::Arc;

pub(super) const INTEGRALS: &str = include_str!("../kernels/integrals.cu");

/// Sums, blocks and threads of integrals.cu.
const SUMS: usize = 14;
const BLOCKS: usize = 128;
const THREADS: u32 = 256;

/// Moves in a graph: long enough that starting it costs nothing beside it, short enough to be captured in no time.
const IN_A_GRAPH: usize = 128;

/// Longest period of an integrator's moves: the evaluations of a step.
const PERIOD: usize = 8;

/// As step.cuh has it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Step {
    x: u64,
    v: u64,
    a: u64,
    plain: u64,
    rotated: u64,
    frame: u64,
    next_frame: u64,
    bad: u64,
    factor: [f64; 3],
    per_length: f64,
    kick: [f64; 2],
    drift: [f64; 2],
    kicks: u32,
    drifts: u32,
    pub(super) n: u32,
    padded: u32,
    place: u32,
}

// SAFETY: repr(C), of numbers and addresses in the order and size that step.cuh has
unsafe impl DeviceRepr for Step {}

/// Bodies on a CUDA device, with forces of type `T`.
pub(crate) struct CudaResident<T> {
    cuda: Arc<Cuda>,
    watch: Watch,
    massive: Group<T>,
    massless: Option<Massless<T>>,
    ranks: Option<Joined>,
    energies: CudaEvaluator<f64>,
    /// Columns of the energies' law, \[numbers\]\[n\], and how many.
    columns: CudaSlice<f64>,
    numbers: usize,
    kernels: [CudaFunction; 3],
    partial: CudaSlice<f64>,
    mass: CudaSlice<f64>,
    /// Origin and its velocity, as steps leave them, and noted by `checkpoint`.
    frame: CudaSlice<f64>,
    checkpoint_frame: CudaSlice<f64>,
    bad: CudaSlice<u32>,
    units: Frame,
    /// Moves, and where frame and records were when they were captured: graphs hold addresses.
    graphs: Vec<(Vec<KickDrift>, [u64; 2], Graph)>,
}

/// Bodies with the evaluator of their forces.
struct Group<T> {
    forces: CudaEvaluator<T>,
    state: State,
    /// Noted by `checkpoint`.
    checkpoint: State,
    /// The records of the next evaluation are written here; then they and those of `forces` change places.
    next: [CudaSlice<u8>; 2],
    next_frame: CudaSlice<f64>,
    factor: [f64; 3],
    per_length: f64,
    n: usize,
    /// Their indices among all bodies.
    at: Vec<usize>,
    /// The exchange of the last evaluation with other ranks, perhaps under way.
    exchanged: Option<CudaEvent>,
}

/// Ranks that share evaluations.
#[derive(Clone)]
struct Joined {
    team: Team,
    /// How their GPUs exchange what they have computed, or why they do it through the host.
    exchange: std::result::Result<Arc<Exchange>, String>,
}

impl Joined {
    /// Joins the GPUs of all ranks, where there are others.
    fn of(cuda: &Arc<Cuda>, team: Option<Team>) -> Result<Option<Self>> {
        let Some(team) = team.filter(|team| team.ranks() > 1) else { return Ok(None) };
        let exchange = Exchange::join(cuda, &team)?.map(Arc::new);
        Ok(Some(Joined { team, exchange }))
    }

    /// Refuses what these ranks cannot share.
    fn check(&self, kernel: &Kernel) -> Result<()> {
        let (Err(why), true) = (&self.exchange, kernel.is_mirrored()) else { return Ok(()) };
        let expected =
            format!("ranks share it by NCCL alone ({why}): give --solver direct, or run one process with --gpus");
        Err(Error::Unsupported { capability: Capability::Solver, value: "symmetric".into(), expected })
    }
}

/// Bodies without mass: those with mass act on them.
struct Massless<T> {
    group: Group<T>,
    /// What writing the records of those with mass writes besides, which is not used.
    rotated: CudaSlice<u8>,
    frame: CudaSlice<f64>,
}

/// All that steps change of bodies.
struct State {
    x: CudaSlice<f64>,
    v: CudaSlice<f64>,
    a: CudaSlice<f64>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Group<T> {
    /// Brings the bodies of a problem to the device.
    fn new(cuda: &Arc<Cuda>, problem: &Problem<'_>, how: How, at: &[usize], ranks: Option<&Joined>) -> Result<Self> {
        let law = problem.law(ForceTerms::default());
        let mut forces = CudaEvaluator::<T>::new(cuda.clone(), &law.law()?, how.pairs).in_shape(how.config).stepping();
        if how.mixed {
            forces = forces.mixed()?;
        }
        forces = forces.summing(problem.sum)?;
        if let Some(ranks) = ranks {
            forces.team = Some(ranks.team.clone());
            forces.exchange = ranks.exchange.as_ref().ok().cloned();
        }
        forces.bound(&problem.ranges());
        problem.with_inputs(law, !T::DOUBLE, |inputs| forces.load(inputs))?;
        let (bodies, n) = (problem.bodies, problem.bodies.len());
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let three = |q: [&[f64]; 3]| stream.clone_htod(&q.concat()).map_err(&memory);
        let state = State {
            x: three([&bodies.x, &bodies.y, &bodies.z])?,
            v: three([&bodies.vx, &bodies.vy, &bodies.vz])?,
            a: stream.alloc_zeros(3 * n).map_err(&memory)?,
        };
        let Some(loaded) = &forces.loaded else { return Err(failed_to_load()) };
        if let Some(ranks) = ranks {
            ranks.check(&loaded.kernel)?;
        }
        if loaded.kernel.is_small() {
            // it moves all bodies by itself, on every rank
            (forces.team, forces.exchange) = (None, None);
        }
        let factors = finish::factors(&loaded.kernel.law, loaded.kernel.scales, &loaded.par64);
        let unit = problem.frame.acceleration();
        Ok(Group {
            checkpoint: state.copy(cuda)?,
            state,
            next: [
                // where others act, the plain records are theirs, and those of these bodies are not used
                stream.clone_dtod(if loaded.same() { &loaded.bodies } else { &loaded.rotated }).map_err(&memory)?,
                stream.clone_dtod(&loaded.rotated).map_err(&memory)?,
            ],
            next_frame: stream.alloc_zeros(6).map_err(&memory)?,
            factor: [0, 1, 2].map(|k| factors[k] * unit),
            per_length: 1.0 / problem.frame.length(),
            forces,
            n,
            at: at.to_vec(),
            exchanged: None,
        })
    }

    /// Waits for the last exchange: what waits for the device after it does not wait for a rank that is lost.
    fn settle(&mut self) -> Result<()> {
        match (self.exchanged.take(), &self.forces.exchange) {
            (Some(exchanged), Some(exchange)) => exchange.wait(&exchanged),
            _ => Ok(()),
        }
    }

    /// What a move does to these bodies.
    fn step(&self, each: &KickDrift, records: Records, [frame, bad]: [u64; 2]) -> Step {
        let stream = self.forces.stream();
        let two = |q: &[f64]| [q.first(), q.get(1)].map(|q| q.copied().unwrap_or(0.0));
        Step {
            x: address(stream, &self.state.x),
            v: address(stream, &self.state.v),
            a: address(stream, &self.state.a),
            plain: address(stream, &self.next[0]),
            rotated: address(stream, &self.next[1]),
            frame,
            next_frame: address(stream, &self.next_frame),
            bad,
            factor: self.factor,
            per_length: self.per_length,
            kick: two(each.kicks()),
            drift: two(each.drifts()),
            kicks: each.kicks().len() as u32,
            drifts: each.drifts().len() as u32,
            n: self.n as u32,
            padded: self.forces.loaded.as_ref().map_or(0, |l| l.stride) as u32,
            place: u32::from(records == Records::Always),
        }
    }

    /// Starts one move.
    fn start(&mut self, each: &KickDrift, records: Records, at: [u64; 2], pacer: &mut Pacer<'_>) -> Result<()> {
        let step = self.step(each, records, at);
        if each.accelerate {
            self.forces.launch(Some(&step), pacer)?;
            if let Some(exchange) = &self.forces.exchange {
                let exchanged = self.forces.exchange_and_move(exchange, &step)?;
                // one evaluation is under way while the next one is started
                if let Some(earlier) = std::mem::replace(&mut self.exchanged, exchanged) {
                    exchange.wait(&earlier)?;
                }
            } else if let Some(team) = &self.forces.team {
                let accelerations = self.forces.completed(team, self.factor)?;
                let stream = self.forces.stream();
                stream.memcpy_htod(&accelerations, &mut self.state.a).map_err(failed("bring accelerations"))?;
                self.forces.start_move(&step)?;
            }
        } else {
            self.forces.start_move(&step)?;
        }
        if let (true, Some(loaded)) = (records.are_written(each), &mut self.forces.loaded) {
            // where others act on these bodies, the plain records are those of the others
            if loaded.same() {
                std::mem::swap(&mut loaded.bodies, &mut self.next[0]);
            }
            std::mem::swap(&mut loaded.rotated, &mut self.next[1]);
        }
        Ok(())
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Massless<T> {
    fn new(cuda: &Arc<Cuda>, problem: &Problem<'_>, how: How, at: &[usize], ranks: Option<&Joined>) -> Result<Self> {
        // every source acts, so pairs are ordered, and the kernel is chosen
        let config = how.config.filter(|config| !config.is_mirrored());
        let group = Group::new(cuda, problem, How { pairs: Pairs::Ordered, config, ..how }, at, ranks)?;
        let memory = failed("allocate memory for the bodies");
        let bytes = group.forces.loaded.as_ref().map_or(0, |loaded| loaded.bodies.len());
        let rotated = cuda.stream.alloc_zeros(bytes).map_err(&memory)?;
        Ok(Massless { group, rotated, frame: cuda.stream.alloc_zeros(6).map_err(&memory)? })
    }

    /// Starts one move, with accelerations by bodies that are where `massive` is.
    fn start(
        &mut self,
        each: &KickDrift,
        records: Records,
        massive: &Group<T>,
        at: [u64; 2],
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let stream = massive.forces.stream();
        if let (true, Some(loaded)) = (each.accelerate, &self.group.forces.loaded) {
            let sources = Step {
                plain: address(stream, &loaded.bodies),
                rotated: address(stream, &self.rotated),
                next_frame: address(stream, &self.frame),
                per_length: self.group.per_length,
                padded: loaded.padded_j as u32,
                ..massive.step(&KickDrift::default(), Records::Always, at)
            };
            self.group.forces.start_move(&sources)?;
        }
        self.group.start(each, records, at, pacer)
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaResident<T> {
    /// Brings the bodies to an open device.
    pub(crate) fn new(
        cuda: Arc<Cuda>,
        problems: &Problems<'_>,
        how: How,
        watch: &Watch,
        team: Option<Team>,
    ) -> Result<Self> {
        let problem = &problems.massive;
        let ranks = Joined::of(&cuda, team)?;
        let massive = Group::new(&cuda, problem, how, problems.at[0], ranks.as_ref())?;
        let massless = match &problems.massless {
            Some(massless) => Some(Massless::new(&cuda, massless, how, problems.at[1], ranks.as_ref())?),
            None => None,
        };
        let law = problem.law(ForceTerms { potential: true, jerk: false });
        let mut energies = CudaEvaluator::<f64>::new(cuda.clone(), &law.law()?, how.pairs).moving();
        let flat = problem.with_inputs(law, false, |inputs| {
            energies.load(inputs)?;
            energies.packed_columns(inputs)
        })?;
        let n = massive.n;
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let nine = problem.frame.numbers();
        let module = cuda.load(kernels(INTEGRALS, cuda.arch, Rounding::Fast)?)?;
        let function = |name: &str| module.load_function(name).map_err(failed("find a kernel"));
        Ok(CudaResident {
            numbers: flat.len() / n.max(1),
            columns: stream.clone_htod(&flat).map_err(&memory)?,
            kernels: [function("positions")?, function("integrals")?, function("total")?],
            partial: stream.alloc_zeros(SUMS * (BLOCKS + 1)).map_err(&memory)?,
            mass: stream.clone_htod(&problem.bodies.mass).map_err(&memory)?,
            frame: stream.clone_htod(&nine[3..]).map_err(&memory)?,
            checkpoint_frame: stream.clone_htod(&nine[3..]).map_err(&memory)?,
            bad: stream.alloc_zeros(1).map_err(&memory)?,
            units: problem.frame,
            watch: watch.clone(),
            massive,
            massless,
            ranks,
            energies,
            graphs: Vec::new(),
            cuda,
        })
    }

    /// Starts one move.
    fn start(&mut self, each: &KickDrift, records: Records) -> Result<()> {
        let watch = self.watch.clone();
        let mut pacer = match each.accelerate {
            true => Pacer::new(&watch, self.pairs(), self.groups().map(|group| group.forces.launches()).sum()),
            false => Pacer::default(),
        };
        if let Some(Joined { team, exchange }) = &self.ranks {
            pacer = pacer.of_ranks(Some(team.clone()), exchange.as_ref().ok().cloned());
        }
        let stream = &self.cuda.stream;
        let at = [address(stream, &self.frame), address(stream, &self.bad)];
        // before the others move: their positions and frame are those of this time
        let started = self
            .massless
            .as_mut()
            .map_or(Ok(()), |massless| massless.start(each, records, &self.massive, at, &mut pacer));
        let started = started.and_then(|()| self.massive.start(each, records, at, &mut pacer));
        if let (Err(_), Some(Joined { exchange: Ok(exchange), .. })) = (&started, &self.ranks) {
            exchange.abandon();
        }
        started?;
        std::mem::swap(&mut self.frame, &mut self.massive.next_frame);
        Ok(())
    }

    /// Pairs of an evaluation.
    fn pairs(&self) -> u64 {
        let massless = self.massless.as_ref().map_or(0, |massless| massless.group.n);
        self.massive.n as u64 * (self.massive.n + massless) as u64
    }

    /// The groups of bodies.
    fn groups(&mut self) -> impl Iterator<Item = &mut Group<T>> {
        std::iter::once(&mut self.massive).chain(self.massless.as_mut().map(|massless| &mut massless.group))
    }

    /// Waits for the last exchanges.
    fn settle(&mut self) -> Result<()> {
        self.groups().try_for_each(Group::settle)
    }

    /// Starts moves one by one.
    fn start_all(&mut self, moves: &[KickDrift]) -> Result<()> {
        moves.iter().try_for_each(|each| self.start(each, Records::WhereMoved))
    }

    /// A graph of `moves`, an even number of drifts after which all memory is where it was.
    fn graph(&mut self, moves: &[KickDrift]) -> Result<Option<usize>> {
        let places = [address(&self.cuda.stream, &self.frame), address(&self.cuda.stream, &self.massive.next[0])];
        if let Some(at) = self.graphs.iter().position(|g| g.0 == moves && g.1 == places) {
            return Ok(Some(at));
        }
        let stream = self.cuda.stream.clone();
        let graph = Graph::capture(&stream, || self.start_all(moves))?;
        // a run has few forms: a step's, and those of a last step
        self.graphs.truncate(7);
        Ok(graph.map(|graph| {
            self.graphs.insert(0, (moves.to_vec(), places, graph));
            0
        }))
    }

    /// The sums of integrals.cu at the present state.
    fn sums(&mut self) -> Result<Vec<f64>> {
        let start = failed("start a kernel");
        let stream = self.cuda.stream.clone();
        let (n, per_length) = (self.massive.n as u32, 1.0 / self.units.length());
        let mut call = Call::new(&stream, &self.kernels[0]);
        call.memory(&self.massive.state.x).memory(&self.frame).arg(&per_length).arg(&n).memory(&self.columns);
        // SAFETY: the arguments are those of `positions`
        unsafe { call.launch(grid(n.div_ceil(THREADS), 1, THREADS, 1, 0), Start::AfterPrevious) }.map_err(&start)?;
        self.energies.repack(&self.columns, self.numbers)?;
        self.energies.launch(None, &mut Pacer::default())?;
        let Some(l) = &self.energies.loaded else { return Err(failed_to_load()) };
        let slot = 3;
        let factor = finish::factors(&l.kernel.law, l.kernel.scales, &l.par64)[slot] * self.units.potential();
        let potential = l.sums.slice(slot * l.stride..slot * l.stride + self.massive.n);
        let potential = stream.clone_dtod(&potential).map_err(&start)?;
        let mut call = Call::new(&stream, &self.kernels[1]);
        call.memory(&self.mass).memory(&self.massive.state.x).memory(&self.massive.state.v).memory(&potential);
        call.arg(&factor).arg(&n).memory(&self.partial);
        // SAFETY: the arguments are those of `integrals`, which writes SUMS x BLOCKS numbers
        unsafe { call.launch(grid(BLOCKS as u32, 1, THREADS, 1, 0), Start::AfterPrevious) }.map_err(&start)?;
        let sums = stream.alloc_zeros::<f64>(SUMS).map_err(&start)?;
        let mut call = Call::new(&stream, &self.kernels[2]);
        call.memory(&self.partial).memory(&sums);
        // SAFETY: the arguments are those of `total`, which writes SUMS numbers
        unsafe { call.launch(grid(1, 1, 32, 1, 0), Start::AfterPrevious) }.map_err(&start)?;
        let sums = stream.clone_dtoh(&sums).map_err(failed("compute"))?;
        stream.synchronize().map_err(failed("compute"))?;
        Ok(sums)
    }
}

fn failed_to_load() -> Error {
    Error::Device { device: "cuda", problem: "the bodies are not on the device".into() }
}

impl State {
    fn all(&mut self) -> [&mut CudaSlice<f64>; 3] {
        [&mut self.x, &mut self.v, &mut self.a]
    }

    fn copy(&self, cuda: &Cuda) -> Result<State> {
        let copy = |from| cuda.stream.clone_dtod(from).map_err(failed("allocate memory for the bodies"));
        Ok(State { x: copy(&self.x)?, v: copy(&self.v)?, a: copy(&self.a)? })
    }
}

/// The shortest period of the moves at the beginning of `moves`, if they go on for twice as long.
fn period(moves: &[KickDrift]) -> Option<usize> {
    (1..=PERIOD).find(|p| moves.len() >= 2 * p && moves[..*p] == moves[*p..2 * p] && moves[..*p].iter().all(drifts))
}

fn drifts(each: &KickDrift) -> bool {
    !each.drifts().is_empty()
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Resident for CudaResident<T> {
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()> {
        self.cuda.bind()?;
        // Graphs cannot be watched, and other ranks cannot be waited for in them. A run on two GPUs
        // whose steps were one graph did not end (docs/measurements/2026-11-25-gpu-suites.md); what is shared takes long enough
        // to be started launch by launch.
        let is_alone = self.ranks.is_none() && !self.groups().any(|group| group.forces.is_on_two_gpus());
        let graphs = is_alone && !self.watch.is_for(self.pairs() / FASTER);
        let mut rest = moves;
        while !rest.is_empty() {
            let long = period(rest).map_or(0, |p| p * (IN_A_GRAPH / p / 2 * 2));
            let repeats = |p: usize| rest[..long].chunks(p).all(|chunk| chunk == &rest[..p]);
            let long = if graphs { long } else { 0 };
            if long > 0 && rest.len() >= long && period(rest).is_some_and(repeats) {
                if let Some(graph) = self.graph(&rest[..long])? {
                    self.graphs[graph].2.launch()?;
                }
                rest = &rest[long..];
            } else {
                self.start_all(&rest[..1])?;
                rest = &rest[1..];
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<bool> {
        self.settle()?;
        let found = self.cuda.stream.clone_dtoh(&self.bad).map_err(failed("compute"))?;
        self.cuda.stream.synchronize().map_err(failed("compute"))?;
        if found.contains(&1) {
            self.cuda.stream.memset_zeros(&mut self.bad).map_err(failed("compute"))?;
        }
        Ok(found == [0])
    }

    fn checkpoint(&mut self) -> Result<()> {
        let (stream, copied) = (self.cuda.stream.clone(), failed("note the bodies"));
        for group in self.groups() {
            for (from, to) in group.state.all().into_iter().zip(group.checkpoint.all()) {
                stream.memcpy_dtod(from, to).map_err(&copied)?;
            }
        }
        stream.memcpy_dtod(&self.frame, &mut self.checkpoint_frame).map_err(&copied)
    }

    fn roll_back(&mut self) -> Result<()> {
        let (stream, copied) = (self.cuda.stream.clone(), failed("note the bodies"));
        for group in self.groups() {
            for (to, from) in group.state.all().into_iter().zip(group.checkpoint.all()) {
                stream.memcpy_dtod(from, to).map_err(&copied)?;
            }
        }
        stream.memcpy_dtod(&self.checkpoint_frame, &mut self.frame).map_err(&copied)?;
        self.start(&KickDrift::default(), Records::Always)
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        self.settle()?;
        let (stream, fetch) = (self.cuda.stream.clone(), failed("fetch the bodies"));
        for group in self.groups() {
            let [x, v] = [&group.state.x, &group.state.v].map(|q| stream.clone_dtoh(q).map_err(&fetch));
            let (x, v) = (x?, v?);
            stream.synchronize().map_err(&fetch)?;
            let columns = [&mut bodies.x, &mut bodies.y, &mut bodies.z, &mut bodies.vx, &mut bodies.vy, &mut bodies.vz];
            let parts = x.chunks_exact(group.n).chain(v.chunks_exact(group.n));
            for (to, from) in columns.into_iter().zip(parts) {
                group.at.iter().zip(from).for_each(|(at, q)| to[*at] = *q);
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> Result<Frame> {
        self.settle()?;
        let six = self.cuda.stream.clone_dtoh(&self.frame).map_err(failed("fetch the frame"))?;
        self.cuda.stream.synchronize().map_err(failed("fetch the frame"))?;
        let mut numbers = self.units.numbers();
        numbers[3..].copy_from_slice(&six);
        Ok(Frame::of_numbers(numbers).unwrap_or(self.units))
    }

    fn remark(&self) -> Option<String> {
        let why = self.ranks.as_ref()?.exchange.as_ref().err()?;
        Some(format!("the GPUs of ranks exchange accelerations through the host, not by NCCL: {why}"))
    }

    fn integrals(&mut self) -> Result<Option<Integrals>> {
        self.settle()?;
        Ok(Some(integrals(&self.sums()?)))
    }
}

/// What the sums, in their order, are.
fn integrals(sums: &[f64]) -> Integrals {
    let three = |k: usize| [sums[k], sums[k + 1], sums[k + 2]];
    Integrals {
        mass: sums[0],
        center_of_mass: three(1).map(|q| if sums[0] > 0.0 { q / sums[0] } else { 0.0 }),
        momentum: three(4),
        kinetic: 0.5 * sums[7],
        potential: 0.5 * sums[8],
        angular_momentum: three(9),
        momentum_scale: sums[12],
        angular_momentum_scale: sums[13],
    }
}
