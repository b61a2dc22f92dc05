//! Gravity on devices: a [`Solver`] like those of the CPU.

use crate::cuda::{Cuda, CudaBlocks, CudaResident, sharing};
use crate::snaps::Snaps;
use crate::wgpu::{Wgpu, WgpuBlocks, WgpuResident};
use crate::{Evaluator, KernelConfig, Pairs, evaluator_in_shape, no_gpu};
use manybody_law::error::Capability;
use manybody_law::law::{self, PairInputs, Targets};
use manybody_law::{Device, Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{
    BlockState, BlockStep, BlockWork, Bodies, Coordinates, Derivatives, ForceTerms, Forces, Frame, Gravity, GravityLaw,
    HermiteOrder, KickDrift, Method, OfSources, Precision, Resident, Softening, Solver, SolverName, Sources, Split,
    Summation, fixed_ranges_between, jerks_on,
};
use manybody_ranks::Team;

/// From so many bodies on the mirrored kernel is the faster one [H200, 8,192 bodies: cuda 1,553 against 1,867 of the kernel
/// for few bodies, which ends there].
const MIRRORED_FROM: usize = 8193;

/// Bodies under gravity, in a frame.
pub(crate) struct Problem<'a> {
    /// The bodies acted on.
    pub(crate) bodies: &'a Bodies,
    /// Those that act.
    pub(crate) sources: Sources<'a>,
    pub(crate) gravity: &'a Gravity,
    pub(crate) frame: Frame,
    /// How terms are added, where that is not the kernel's own way.
    pub(crate) sum: Option<Summation>,
}

impl Problem<'_> {
    /// The law for what is computed of these bodies.
    pub(crate) fn law(&self, terms: ForceTerms) -> GravityLaw {
        GravityLaw::of(terms, self.bodies.eps.is_some(), self.gravity.softening)
    }

    /// What the results stay below, for fixed-point sums.
    pub(crate) fn ranges(&self) -> [f64; 4] {
        fixed_ranges_between(&self.frame, self.bodies, self.sources.bodies().unwrap_or(self.bodies), self.gravity)
    }

    /// Calls `f` with the bodies as the law has them, in this frame; `single` for a law in f32.
    pub(crate) fn with_inputs<R>(
        &self,
        law: GravityLaw,
        single: bool,
        f: impl FnOnce(&PairInputs<'_>) -> Result<R>,
    ) -> Result<R> {
        let (frame, gravity) = (&self.frame, self.gravity);
        // records of f32 laws are written in f64 here: they are rounded once, when they are sent to the device
        let of = |bodies: &Bodies| -> Vec<Vec<f64>> {
            let column = |field: usize| {
                let mut column = vec![0.0; bodies.len()];
                frame.write::<f64>(bodies, gravity, law.coordinates(), field, &mut column);
                if single && law.is_soft() && field + 1 == law.fields() {
                    column.iter_mut().for_each(|h| *h = h.max(0.5 * law::smallest_eps2(false)));
                }
                column
            };
            (0..law.fields()).map(column).collect()
        };
        let par =
            if single { frame.parameters::<f32>(gravity).map(f64::from) } else { frame.parameters::<f64>(gravity) };
        let i = of(self.bodies);
        let i: Vec<&[f64]> = i.iter().map(Vec::as_slice).collect();
        let Some(sources) = self.sources.bodies() else { return f(&PairInputs::one(&i, &par)) };
        let j = of(sources);
        let j: Vec<&[f64]> = j.iter().map(Vec::as_slice).collect();
        match self.sources.first() {
            Some(first) => f(&PairInputs::part(&i, &j, first, &par)),
            None => f(&PairInputs::two(&i, &j, &par)),
        }
    }
}

/// All-pairs gravity on a device.
pub struct DeviceGravity {
    device: Device,
    /// Of CUDA's GPUs that share every evaluation; empty: the first one.
    ordinals: Vec<usize>,
    precision: Precision,
    /// `None`: whichever is faster.
    pairs: Option<Pairs>,
    /// The kernel's configuration, where it is not to be chosen.
    config: Option<KernelConfig>,
    /// How terms are added, where that is not the kernel's own way.
    sum: Option<Summation>,
    /// In the order in which they were made: ranks, whose GPUs take leave of each other, drop them in the same one.
    evaluators: Vec<((GravityLaw, Pairs), Box<dyn Evaluator>)>,
    apart: Split,
    watch: Watch,
    /// Ranks that share evaluations.
    team: Option<Team>,
    blocks: Option<Blocks>,
    snaps: Option<Snaps>,
}

/// The solver for a method on GPUs: `symmetric`, `direct`, `auto` for whichever is faster, or a kernel with a launch
/// configuration. Summations but `blocked` are for `direct` or `auto`, in f32 or mixed precision.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::Unsupported`] for what GPUs or this solver do not have, and [`Error::Parameter`] for GPUs that
/// are not here.
pub fn solver(method: &Method) -> Result<DeviceGravity> {
    let Choices { pairs, config, sum } = Choices::of(method)?;
    let Method { device, precision, .. } = *method;
    let (ordinals, evaluators, apart) = (method.gpus.ordinals().to_vec(), Vec::new(), Split::default());
    let mut solver = DeviceGravity {
        device,
        ordinals,
        precision,
        pairs,
        config,
        sum,
        evaluators,
        apart,
        watch: Watch::default(),
        team: None,
        blocks: None,
        snaps: None,
    };
    // a device that is missing is an error now, not at the first step
    solver.evaluator(GravityLaw::ACCELERATION, Pairs::Ordered)?;
    Ok(solver)
}

/// Which kernels a method asks for.
#[derive(Clone, Copy)]
pub(crate) struct Choices {
    /// `None`: whichever is faster.
    pub(crate) pairs: Option<Pairs>,
    /// The kernel's configuration, where it is not to be chosen.
    pub(crate) config: Option<KernelConfig>,
    /// How terms are added, where that is not the kernel's own way.
    pub(crate) sum: Option<Summation>,
}

impl Choices {
    /// # Errors
    /// As [`solver`].
    pub(crate) fn of(method: &Method) -> Result<Self> {
        let Method { device, precision, .. } = *method;
        let wrong = |capability, value: String, expected: &str| {
            Err(Error::Unsupported { capability, value, expected: expected.into() })
        };
        if !device.is_gpu() {
            return Err(no_gpu(device));
        }
        let (pairs, config) = match method.solver {
            SolverName::Tuned(config @ KernelConfig::Symmetric { .. }) => (Some(Pairs::Once), Some(config)),
            SolverName::Tuned(config) => (Some(Pairs::Ordered), Some(config)),
            SolverName::Symmetric => (Some(Pairs::Once), None),
            SolverName::Direct => (Some(Pairs::Ordered), None),
            SolverName::Auto => (None, None),
            SolverName::Reference | SolverName::Tree | SolverName::Fmm => {
                return wrong(
                    Capability::Solver,
                    method.solver.to_string(),
                    "is for the CPU; GPUs have auto, symmetric and direct",
                );
            }
        };
        let sum = Some(method.sum).filter(|sum| *sum != Summation::default());
        let pairs = match sum {
            None => pairs,
            // without f64, that is what is wrong with it
            Some(sum) if pairs == Some(Pairs::Once) || (precision == Precision::F64 && device != Device::Wgpu) => {
                let expected = "other sums than a solver's own need the solver direct, in f32 or mixed precision";
                return wrong(Capability::Sum, sum.to_string(), expected);
            }
            Some(_) => Some(Pairs::Ordered),
        };
        Ok(Choices { pairs, config, sum })
    }

    /// Which pairs are evaluated for so many bodies.
    pub(crate) fn pairs(&self, n: usize) -> Pairs {
        self.pairs.unwrap_or(if n < MIRRORED_FROM { Pairs::Ordered } else { Pairs::Once })
    }

    /// The configuration for these pairs: it is that of one kernel, and others are chosen.
    pub(crate) fn config(&self, pairs: Pairs) -> Option<KernelConfig> {
        self.config.filter(|config| (pairs == Pairs::Once) == config.is_mirrored())
    }

    /// Refuses what is not computed with a choice of sums.
    pub(crate) fn check(&self, terms: ForceTerms) -> Result<()> {
        if let (true, Some(sum)) = (terms.jerk, self.sum) {
            let expected = "time derivatives are computed with the sums of the solvers only".into();
            return Err(Error::Unsupported { capability: Capability::Sum, value: sum.to_string(), expected });
        }
        Ok(())
    }
}

/// The frame of bodies for a step of a run: that of the beginning.
///
/// # Errors
/// As [`Frame::new`].
pub(crate) fn frame_of_blocks(bodies: &Bodies, gravity: &Gravity, order: HermiteOrder) -> Result<Frame> {
    let frame = Frame::new(bodies, gravity, Coordinates::PhaseSpace)?;
    Ok(if order.has_snaps() { frame.for_snaps(bodies) } else { frame.falling(bodies) })
}

/// Bodies whose blocks of steps a device makes.
enum Blocks {
    Cuda(Box<CudaBlocks>),
    Wgpu(Box<WgpuBlocks>),
}

impl Blocks {
    fn is_for(&self, order: HermiteOrder, n: usize) -> bool {
        match self {
            Blocks::Cuda(blocks) => blocks.is_for(order, n),
            Blocks::Wgpu(blocks) => blocks.is_for(order, n),
        }
    }
}

impl DeviceGravity {
    fn choices(&self) -> Choices {
        Choices { pairs: self.pairs, config: self.config, sum: self.sum }
    }

    fn evaluator(&mut self, law: GravityLaw, pairs: Pairs) -> Result<&mut Box<dyn Evaluator>> {
        let (key, choices) = ((law, pairs), self.choices());
        if let Some(at) = self.evaluators.iter().position(|(other, _)| *other == key) {
            return Ok(&mut self.evaluators[at].1);
        }
        let (law, how) = (law.law()?, (pairs, choices.config(pairs), choices.sum));
        let mut evaluator = evaluator_in_shape(self.device, &self.ordinals, &law, self.precision, how)?;
        evaluator.watch(&self.watch);
        self.evaluators.push((key, evaluator));
        let at = self.evaluators.len() - 1;
        Ok(&mut self.evaluators[at].1)
    }

    /// Which pairs are evaluated for so many bodies.
    fn pairs(&self, n: usize) -> Pairs {
        self.choices().pairs(n)
    }

    /// Which pairs of bodies and sources are evaluated.
    fn pairs_of(&self, bodies: &Bodies, sources: Sources<'_>) -> Pairs {
        match sources {
            Sources::Themselves => self.pairs(bodies.len()),
            Sources::Others(_) | Sources::Among(_) => Pairs::Ordered,
        }
    }

    /// Brings the bodies to the device, or bodies and the sources that act on them.
    fn load(&mut self, problem: &Problem<'_>, terms: ForceTerms) -> Result<&mut Box<dyn Evaluator>> {
        self.choices().check(terms)?;
        let pairs = self.pairs_of(problem.bodies, problem.sources);
        let single = self.precision != Precision::F64;
        let (law, team) = (problem.law(terms), self.team.clone());
        let evaluator = self.evaluator(law, pairs)?;
        evaluator.share(team.as_ref());
        if problem.sum == Some(Summation::Fixed) {
            evaluator.bound(&problem.ranges());
        }
        problem.with_inputs(law, single, |inputs| evaluator.load(inputs))?;
        Ok(evaluator)
    }

    /// Seconds that the device needs for the accelerations, the mean of `repeats` in a row.
    ///
    /// # Errors
    /// As [`Solver::forces`].
    pub fn seconds(&mut self, bodies: &Bodies, gravity: &Gravity, repeats: usize) -> Result<f64> {
        let mut seconds = 0.0;
        let (terms, mut out, mut apart) = (ForceTerms::default(), Forces::default(), std::mem::take(&mut self.apart));
        let outcome = apart.forces_on(bodies, &Targets::All, terms, &mut out, |targets, sources, out| {
            // the problem is loaded by a first evaluation
            self.compute(targets, sources, gravity, terms, out)?;
            let pairs = self.pairs_of(targets, sources);
            let law = GravityLaw::of(terms, targets.eps.is_some(), gravity.softening);
            seconds += self.evaluator(law, pairs)?.seconds(repeats)?;
            Ok(())
        });
        self.apart = apart;
        outcome.map(|()| seconds)
    }
}

impl OfSources for DeviceGravity {
    fn split(&mut self) -> &mut Split {
        &mut self.apart
    }

    fn compute(
        &mut self,
        bodies: &Bodies,
        sources: Sources<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        let frame = match sources.bodies() {
            None => Frame::new(bodies, gravity, terms.coordinates())?,
            Some(sources) => Frame::between(bodies, sources, gravity, terms.coordinates())?,
        };
        let problem = Problem { bodies, sources, gravity, frame, sum: self.sum };
        let evaluator = self.load(&problem, terms)?;
        evaluator.compute()?;
        let raw = evaluator.fetch()?;
        if problem.sum == Some(Summation::Fixed) {
            check_ranges(&problem, &raw)?;
        }
        frame.unscale(&raw, terms, out);
        Ok(())
    }
}

impl Solver for DeviceGravity {
    fn name(&self) -> &'static str {
        match self.pairs {
            Some(Pairs::Once) => "symmetric",
            Some(Pairs::Ordered) => "direct",
            None => "auto",
        }
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        self.compute_on(bodies, &Targets::All, gravity, terms, out)
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        self.compute_on(bodies, targets, gravity, terms, out)
    }

    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        let (Some(accelerations), true) = (accelerations, self.precision != Precision::F32) else {
            return jerks_on(self, bodies, accelerations, active, gravity, out);
        };
        gravity.plummer_only("snaps")?;
        let mut snaps = match self.snaps.take() {
            Some(snaps) => snaps,
            None => Snaps::new(self.device, &self.ordinals, self.precision, &self.watch)?,
        };
        let outcome = snaps.of(bodies, accelerations, active, gravity, self.team.as_ref(), out);
        self.snaps = Some(snaps);
        outcome
    }

    fn has_rounded_terms(&self) -> bool {
        self.precision != Precision::F64
    }

    fn block_step(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        step: &BlockStep,
        state: &mut BlockState,
    ) -> Result<Option<BlockWork>> {
        // those without mass would change the order of the others' sums
        if self.sum.is_some() || bodies.mass.contains(&0.0) || gravity.softening != Softening::Plummer {
            return Ok(None);
        }
        let n = bodies.len();
        if !self.blocks.as_ref().is_some_and(|blocks| blocks.is_for(step.order, n)) {
            self.blocks = match (self.device, self.precision) {
                (Device::Wgpu, Precision::Mixed) => {
                    WgpuBlocks::new(Wgpu::open()?, step.order, n)?.map(|blocks| Blocks::Wgpu(Box::new(blocks)))
                }
                (Device::Wgpu, _) | (Device::Cpu, _) => None,
                (Device::Cuda, precision) => {
                    let cuda = Cuda::open_several(sharing(&self.ordinals, n))?;
                    CudaBlocks::new(cuda, step.order, precision, n)?.map(|blocks| Blocks::Cuda(Box::new(blocks)))
                }
            };
        }
        let made = match &mut self.blocks {
            None => return Ok(None),
            Some(Blocks::Cuda(blocks)) => blocks.step(bodies, gravity, step, state, &self.watch).map(Some),
            Some(Blocks::Wgpu(blocks)) => blocks.step(bodies, gravity, step, state, &self.watch),
        };
        if made.is_err() {
            // what is on the device is not known
            self.blocks = None;
        }
        made
    }

    /// Ranks share a one-sided kernel in tiles, and a mirrored one on CUDA in lines.
    fn can_share(&self) -> bool {
        self.pairs == Some(Pairs::Ordered) || self.device == Device::Cuda
    }

    fn share(&mut self, team: Option<&Team>) {
        self.team = team.cloned();
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
        self.evaluators.iter_mut().for_each(|(_, evaluator)| evaluator.watch(watch));
        self.snaps.iter_mut().for_each(|snaps| snaps.watch(watch));
    }

    fn resident(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        frame: Option<Frame>,
    ) -> Result<Option<Box<dyn Resident>>> {
        // the units of fixed-point sums come from all positions, which here are on the host, where some bodies are massless
        let is_fixed = self.sum == Some(Summation::Fixed);
        if bodies.is_empty() || (is_fixed && bodies.mass.contains(&0.0)) {
            return Ok(None);
        }
        let mut apart = Split::default();
        apart.divide_with_a_source(bodies);
        let Split { sources, others, .. } = &apart;
        // with velocities: the frame moves along
        let frame = frame.map_or_else(|| Frame::new(&sources.bodies, gravity, Coordinates::PhaseSpace), Ok)?;
        let problem = Problem { bodies: &sources.bodies, sources: Sources::Themselves, gravity, frame, sum: self.sum };
        let wide = frame.holding([&others.bodies, &sources.bodies], gravity);
        let massless =
            Problem { bodies: &others.bodies, sources: Sources::Others(&sources.bodies), frame: wide, ..problem };
        let massless = (!others.at.is_empty()).then_some(massless);
        let problems = Problems { massive: problem, massless, at: [&sources.at, &others.at] };
        let how =
            How { pairs: self.pairs(sources.at.len()), config: self.config, mixed: self.precision == Precision::Mixed };
        let team = self.team.clone();
        if self.device == Device::Wgpu {
            return Ok(Some(Box::new(WgpuResident::new(Wgpu::open()?, &problems, how, &self.watch, team)?)));
        }
        let cuda = Cuda::open_several(&self.ordinals)?;
        Ok(Some(match self.precision {
            Precision::F32 | Precision::Mixed => {
                Box::new(CudaResident::<f32>::new(cuda, &problems, how, &self.watch, team)?)
            }
            Precision::F64 => Box::new(CudaResident::<f64>::new(cuda, &problems, how, &self.watch, team)?),
        }))
    }
}

/// The bodies of a run: those with mass, and those that these act on.
pub(crate) struct Problems<'a> {
    pub(crate) massive: Problem<'a>,
    pub(crate) massless: Option<Problem<'a>>,
    /// Their indices among all.
    pub(crate) at: [&'a [usize]; 2],
}

/// When a move of bodies that stay on a device writes the records that kernels read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// Where it drifts.
    WhereMoved,
    /// Even if positions stay.
    Always,
}

impl Records {
    /// Whether this move writes them.
    pub(crate) fn are_written(self, each: &KickDrift) -> bool {
        self == Records::Always || !each.drifts().is_empty()
    }
}

/// How the forces of a run are computed.
#[derive(Clone, Copy)]
pub(crate) struct How {
    /// Of the bodies with mass; massless ones take every source.
    pub(crate) pairs: Pairs,
    pub(crate) config: Option<KernelConfig>,
    pub(crate) mixed: bool,
}

/// Fixed point: NaN is a sum that has left its range.
fn check_ranges(problem: &Problem<'_>, raw: &[Vec<f64>]) -> Result<()> {
    for (result, column) in raw.iter().enumerate() {
        if let Some(index) = column.iter().position(|sum| sum.is_nan()) {
            let quantity = if result < 3 { "acceleration" } else { "potential" };
            let limit = problem.ranges()[result.min(3)];
            return Err(Error::FixedPoint { index, id: problem.bodies.id[index], quantity, limit });
        }
    }
    Ok(())
}
