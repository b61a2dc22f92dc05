//! Gravity by a tree or by fast multipoles on a GPU: the method of `manybody_tree`, with kernels.
//!
//! The order of the bodies, cells, moments, lists, expansions and forces are made on the device. Targets gather: a warp makes a
//! cell's lists and sums what acts on it, in an order that depends on the bodies alone, so that the bits are the same every
//! time. Lists grow page by page; where the pages are too few, the evaluation is repeated with more.

mod couplings;
mod dyads;
mod far;
mod law;
pub(crate) mod levels;
#[cfg(test)]
mod numbers;
mod operators;
mod products;
mod rates;
mod rotations;
mod shifts;
mod split;
mod text;
mod weights;
mod width;

pub(crate) use couplings::Coupling;
pub use law::{LawExpansions, law_expansions};
pub(crate) use operators::{Motion, Operators, Part};
pub(crate) use split::{IN_F64, SOFTENED_IN_F64};
pub(crate) use text::Language;
pub(crate) use width::Width;

use crate::DeviceGravity;
use crate::cuda::{Cuda, CudaExpansions, CudaExpansionsResident};
use crate::no_gpu;
use crate::wgpu::{Wgpu, WgpuExpansions, WgpuExpansionsResident};
use manybody_law::{Capability, Device, Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{
    Bodies, Coordinates, Derivatives, Expansion, ForceTerms, Forces, Frame, Gravity, Method, Precision, Resident,
    Softening, Solver, SolverName, jerks_on,
};
use manybody_ranks::Team;
use manybody_tree::{Accuracy, BodiesOfLaw, ErrorTable, ExpandedLaw, LawText, Sinks, are_few, middle, own_softenings};
use std::sync::Arc;

/// What expansions are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// The accelerations that the criterion of the walk compares errors with.
    Estimate,
    /// The forces on all bodies.
    Forces,
}

impl Purpose {
    /// The order of the expansions where forces have this one.
    pub(crate) fn order(self, order: usize) -> usize {
        match self {
            Purpose::Estimate => order.min(3),
            Purpose::Forces => order,
        }
    }
}

/// How many times the number of pages of lists may be doubled.
pub(crate) const DOUBLINGS: u32 = 12;

// numbers of the report of an evaluation, as types.cuh and types.wgsl have them
pub(crate) const OVERFLOW: usize = 0;
pub(crate) const SPARSE: usize = 1;
pub(crate) const CLASHES: usize = 2;

/// Bodies of a problem in the units of a frame, for a device.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// x, y, z and mass, or of a law the size of all charges.
    pub(crate) numbers: [Vec<f64>; 4],
    /// The charges of a law, `[body][charge]`.
    pub(crate) charges: Vec<f64>,
    /// Where jerks are asked for; else empty.
    pub(crate) velocities: [Vec<f64>; 3],
    /// The square of the softening length.
    pub(crate) soft2: f64,
    pub(crate) softenings: Softenings,
    /// What a softening length is.
    pub(crate) softening: Softening,
    pub(crate) has_negative_mass: bool,
    /// Whether CUDA adds forces in f32 of bodies nearby in f64. (wgpu has no f64, and always adds them in blocks.)
    pub(crate) is_mixed: bool,
    /// What is computed instead of gravity: a law, of which `soft2` is the square of the unit of length.
    pub(crate) law: Option<Arc<OfLaw>>,
}

/// A law by expansions.
#[derive(Debug)]
pub(crate) struct OfLaw {
    pub(crate) text: Arc<LawText>,
    /// Those of the text.
    pub(crate) couplings: Vec<Coupling>,
    /// What the criterion needs, from values and gradients at some bodies.
    pub(crate) problem: ExpandedLaw,
}

impl OfLaw {
    /// The criterion from sums by parts of the bodies that act, `[sample][part][gradients and values of all expansions]`.
    pub(crate) fn table<T: Into<f64> + Copy>(&self, sampled: &[u32], sums: &[T], parts: usize) -> ErrorTable {
        let numbers = 4 * self.text.expansions;
        let all = sampled.iter().zip(sums.chunks_exact(numbers * parts)).map(|(body, parts)| {
            let mut sum = vec![0.0; numbers];
            for part in parts.chunks_exact(numbers) {
                sum.iter_mut().zip(part).for_each(|(sum, x)| *sum += (*x).into());
            }
            (*body as usize, sum)
        });
        self.problem.table(&all.collect::<Vec<_>>())
    }
}

impl Columns {
    /// How many numbers bodies have of their own beside place and mass.
    pub(crate) fn own(&self) -> usize {
        match &self.law {
            Some(law) => law.text.charges,
            None => usize::from(!self.softenings.halves.is_empty()),
        }
    }

    /// Whether jerks are computed beside accelerations.
    pub(crate) fn has_jerks(&self) -> bool {
        !self.velocities[0].is_empty()
    }

    pub(crate) fn motion(&self) -> Motion {
        if self.has_jerks() { Motion::Jerks } else { Motion::Rest }
    }

    /// The fields of a result in their order, each by its number among those of a body on the device.
    pub(crate) fn fields(&self, potential: bool) -> Vec<usize> {
        match (&self.law, self.has_jerks()) {
            // all that results may need
            (Some(law), _) => (0..4 * law.text.expansions).collect(),
            (None, false) => (0..3 + usize::from(potential)).collect(),
            (None, true) => vec![0, 1, 2, 4, 5, 6, 3],
        }
    }

    /// How many expansions there are about a cell.
    pub(crate) fn expansions(&self) -> usize {
        self.law.as_ref().map_or(1, |law| law.text.expansions)
    }

    /// Takes the bodies of a law.
    pub(crate) fn take(&mut self, bodies: BodiesOfLaw) {
        let BodiesOfLaw { places: [x, y, z], weights, charges } = bodies;
        self.charges = (0..weights.len()).flat_map(|k| charges.iter().map(move |charge| charge[k])).collect();
        self.numbers = [x, y, z, weights];
    }
}

/// Softenings of the bodies' own.
#[derive(Debug, Default)]
pub(crate) struct Softenings {
    /// Half their squares; empty where all bodies have one softening.
    pub(crate) halves: Vec<f64>,
    /// What differences of them are taken from.
    pub(crate) base: f64,
    /// The largest difference.
    pub(crate) difference: f64,
}

/// Gravity by expansions on a GPU.
pub struct DeviceExpansions {
    /// Without and with Plummer's softening.
    accuracies: [Accuracy; 2],
    /// Whether the bodies that are loaded have it.
    is_softened: bool,
    sinks: Sinks,
    inner: Inner,
    columns: Columns,
    watch: Watch,
    team: Option<Team>,
    method: Method,
    /// All pairs, for few bodies; made where they are asked for.
    pairs: Option<DeviceGravity>,
}

enum Inner {
    Single(Arc<Cuda>, CudaExpansions<f32>),
    Double(Arc<Cuda>, CudaExpansions<f64>),
    Wgpu(Arc<Wgpu>, WgpuExpansions),
}

/// The solver tree or fmm for a method on GPUs.
///
/// # Errors
/// [`Error::NoDevice`]; [`Error::Unsupported`] for a device, precision or summation that these solvers do not have;
/// [`Error::Parameter`] for an accuracy that is not available.
pub fn expansions(method: &Method) -> Result<DeviceExpansions> {
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    let sinks = Sinks::of(method)?;
    if method.device == Device::Cpu {
        return Err(no_gpu(Device::Cpu));
    }
    if method.device == Device::Wgpu && method.precision == Precision::F64 {
        let value = method.precision.to_string();
        return wrong(Capability::Precision, value, "the solvers tree and fmm have f32 and mixed precision on wgpu");
    }
    let accuracies = [Accuracy::of(method)?, Accuracy::of_softened(method)?];
    let inner = inner(method, accuracies[0], sinks)?;
    let columns = Columns { is_mixed: method.precision == Precision::Mixed, ..Columns::default() };
    let (is_softened, watch, team, pairs, method) = (false, Watch::default(), None, None, method.clone());
    Ok(DeviceExpansions { accuracies, is_softened, sinks, inner, columns, watch, team, method, pairs })
}

/// Opens the device of a method, whose precision it has.
fn inner(method: &Method, accuracy: Accuracy, sinks: Sinks) -> Result<Inner> {
    if method.device == Device::Wgpu {
        let wgpu = Wgpu::open()?;
        return Ok(Inner::Wgpu(wgpu.clone(), WgpuExpansions::new(wgpu, accuracy, sinks)?));
    }
    let cuda = Cuda::open_several(method.gpus.ordinals())?;
    Ok(match method.precision {
        Precision::F32 | Precision::Mixed => {
            let inner = CudaExpansions::new(&cuda, accuracy, sinks)?;
            Inner::Single(cuda, inner)
        }
        Precision::F64 => {
            let inner = CudaExpansions::new(&cuda, accuracy, sinks)?;
            Inner::Double(cuda, inner)
        }
    })
}

impl DeviceExpansions {
    /// Brings the bodies to the device.
    fn load(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms) -> Result<Frame> {
        self.check(bodies, terms)?;
        let frame = Frame::new(bodies, gravity, terms.coordinates())?;
        self.load_in(&frame, bodies, gravity);
        let n = if terms.jerk { bodies.len() } else { 0 };
        for (axis, to) in self.columns.velocities.iter_mut().enumerate() {
            to.resize(n, 0.0);
            if terms.jerk {
                frame.write(bodies, gravity, Coordinates::PhaseSpace, 3 + axis, to);
            }
        }
        Ok(frame)
    }

    /// Refuses problems that these solvers do not have.
    fn check(&self, bodies: &Bodies, terms: ForceTerms) -> Result<()> {
        let order = self.accuracies[0].order;
        if terms.jerk && order < 2 {
            let expected = "jerks by expansions need an order of 2 at least".into();
            return Err(Error::Parameter { name: "order", value: order.to_string(), expected });
        }
        let n = bodies.len();
        if n > MAX_BODIES {
            let expected = "the solvers tree and fmm on a GPU have room for 2^29 bodies".into();
            return Err(Error::Parameter { name: "n", value: n.to_string(), expected });
        }
        Ok(())
    }

    /// Writes the bodies in the units of a frame.
    fn load_in(&mut self, frame: &Frame, bodies: &Bodies, gravity: &Gravity) {
        for (field, to) in self.columns.numbers.iter_mut().enumerate() {
            to.resize(bodies.len(), 0.0);
            frame.write(bodies, gravity, Coordinates::Positions, field, to);
        }
        let double = matches!(self.inner, Inner::Double(..));
        let softenings = &mut self.columns.softenings;
        self.columns.softening = gravity.softening;
        self.columns.soft2 = own_softenings(frame, bodies, gravity, double, &mut softenings.halves);
        [softenings.base, softenings.difference] = middle(&softenings.halves);
        self.is_softened = gravity.softening == Softening::Plummer && (gravity.eps > 0.0 || bodies.eps.is_some());
        let accuracy = self.accuracy();
        match &mut self.inner {
            Inner::Single(_, inner) => inner.set_accuracy(accuracy),
            Inner::Double(_, inner) => inner.set_accuracy(accuracy),
            // has one for both
            Inner::Wgpu(..) => {}
        }
        self.columns.has_negative_mass = bodies.mass.iter().any(|mass| *mass < 0.0);
    }

    /// The solver of all pairs.
    fn pairs(&mut self) -> Result<&mut DeviceGravity> {
        let mut pairs = match self.pairs.take() {
            Some(pairs) => pairs,
            None => {
                let (solver, expansion) = (SolverName::Direct, Expansion::default());
                crate::solver(&Method { solver, expansion, ..self.method.clone() })?
            }
        };
        pairs.watch(&self.watch);
        Ok(self.pairs.insert(pairs))
    }

    /// That of the bodies that are loaded.
    fn accuracy(&self) -> Accuracy {
        self.accuracies[usize::from(self.is_softened)]
    }

    /// Seconds that the device needs for the accelerations, from bodies in any order: the mean of `repeats` in a row.
    ///
    /// # Errors
    /// As [`Solver::forces`].
    pub fn seconds(&mut self, bodies: &Bodies, gravity: &Gravity, repeats: usize) -> Result<f64> {
        self.load(bodies, gravity, ForceTerms::default())?;
        match &mut self.inner {
            Inner::Single(_, inner) => inner.seconds(&self.columns, false, repeats),
            Inner::Double(_, inner) => inner.seconds(&self.columns, false, repeats),
            Inner::Wgpu(_, inner) => inner.seconds(&self.columns, false, repeats),
        }
    }

    /// Seconds of each phase of an evaluation, by its name.
    ///
    /// # Errors
    /// As [`Solver::forces`].
    pub fn phases(&mut self, bodies: &Bodies, gravity: &Gravity) -> Result<Vec<(&'static str, f64)>> {
        self.load(bodies, gravity, ForceTerms::default())?;
        match &mut self.inner {
            Inner::Single(_, inner) => inner.phases(&self.columns, false),
            Inner::Double(_, inner) => inner.phases(&self.columns, false),
            Inner::Wgpu(_, inner) => inner.phases(&self.columns, false),
        }
    }
}

/// So many slots have numbers of 30 digits in sorts.
const MAX_BODIES: usize = 1 << 29;

impl Solver for DeviceExpansions {
    fn name(&self) -> &'static str {
        self.sinks.name()
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        if bodies.is_empty() {
            *out = Forces::zeros(0, terms);
            return Ok(());
        }
        let frame = self.load(bodies, gravity, terms)?;
        // jerks come with potentials
        let potential = terms.potential || terms.jerk;
        match &mut self.inner {
            Inner::Single(_, inner) => frame.unscale(&inner.forces(&self.columns, potential)?, terms, out),
            Inner::Double(_, inner) => frame.unscale(&inner.forces(&self.columns, potential)?, terms, out),
            Inner::Wgpu(_, inner) => frame.unscale(&inner.forces(&self.columns, potential)?, terms, out),
        }
        Ok(())
    }

    /// All pairs of few bodies: these take less time than the expansions of all (measured on the CPU, whose limit this is).
    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        if are_few(accelerations, active) {
            return self.pairs()?.derivatives_on(bodies, None, active, gravity, out);
        }
        jerks_on(self, bodies, accelerations, active, gravity, out)
    }

    fn has_rounded_terms(&self) -> bool {
        self.method.precision != Precision::F64
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    /// Ranks share the bodies that stay on CUDA devices.
    fn can_share(&self) -> bool {
        !matches!(self.inner, Inner::Wgpu(..))
    }

    fn share(&mut self, team: Option<&Team>) {
        self.team = team.filter(|team| team.ranks() > 1).cloned();
    }

    fn resident(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        frame: Option<Frame>,
    ) -> Result<Option<Box<dyn Resident>>> {
        if bodies.is_empty() {
            return Ok(None);
        }
        self.check(bodies, ForceTerms::default())?;
        self.columns.velocities = Default::default();
        // with velocities: the frame moves along
        let frame = frame.map_or_else(|| Frame::new(bodies, gravity, Coordinates::PhaseSpace), Ok)?;
        self.load_in(&frame, bodies, gravity);
        let (accuracy, sinks) = (self.accuracy(), self.sinks);
        let next = Columns { is_mixed: self.columns.is_mixed, ..Columns::default() };
        let (columns, watch) = (std::mem::replace(&mut self.columns, next), &self.watch);
        Ok(Some(match &self.inner {
            Inner::Single(cuda, _) => {
                let mut forces = CudaExpansions::<f32>::new(cuda, accuracy, sinks)?;
                self.team.as_ref().map_or(Ok(()), |team| forces.join(team))?;
                Box::new(CudaExpansionsResident::new(forces, columns, bodies, frame, watch)?)
            }
            Inner::Double(cuda, _) => {
                let mut forces = CudaExpansions::<f64>::new(cuda, accuracy, sinks)?;
                self.team.as_ref().map_or(Ok(()), |team| forces.join(team))?;
                Box::new(CudaExpansionsResident::new(forces, columns, bodies, frame, watch)?)
            }
            Inner::Wgpu(wgpu, _) => {
                let forces = WgpuExpansions::new(wgpu.clone(), accuracy, sinks)?;
                Box::new(WgpuExpansionsResident::new(forces, columns, bodies, frame, watch)?)
            }
        }))
    }
}
