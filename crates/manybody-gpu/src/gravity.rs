//! Gravity on devices: a [`Solver`] like those of the CPU.

use crate::cuda::{Cuda, CudaResident};
use crate::wgpu::{Wgpu, WgpuResident};
use crate::{Evaluator, KernelConfig, Pairs, evaluator_in_shape, no_gpu};
use manybody_law::error::Capability;
use manybody_law::law::{self, Law, Sets};
use manybody_law::{Device, Error, Result};
use manybody_pairwise::{
    Bodies, Forces, Frame, Gravity, Method, Precision, Resident, Solver, SolverName, Summation, Want, fixed_ranges,
};
use std::collections::HashMap;

/// From so many bodies on the mirrored kernel is the faster one [H200, 8,192 bodies: cuda 1,553 against 1,867 of the kernel
/// for few bodies, which ends there].
const MIRRORED_FROM: usize = 8193;

/// Bodies under gravity, in a frame.
pub(crate) struct Problem<'a> {
    pub(crate) bodies: &'a Bodies,
    pub(crate) gravity: &'a Gravity,
    pub(crate) frame: Frame,
    pub(crate) jerk: bool,
    /// How terms are added, where that is not the kernel's own way.
    pub(crate) sum: Option<Summation>,
}

impl Problem<'_> {
    /// The law of the accelerations, or of those with the potential.
    pub(crate) fn law(&self, potential: bool) -> Result<Law> {
        match (potential, self.bodies.eps.is_some()) {
            (true, true) => Law::of::<law::SoftGravityPot>(),
            (true, false) => Law::of::<law::GravityPot>(),
            (false, true) => Law::of::<law::SoftGravity>(),
            (false, false) => Law::of::<law::Gravity>(),
        }
    }

    /// What the results stay below, for fixed-point sums.
    pub(crate) fn ranges(&self) -> [f64; 4] {
        fixed_ranges(&self.frame, self.bodies, self.gravity)
    }

    /// Calls `f` with the bodies as the law has them, in this frame; `single` for a law in f32.
    pub(crate) fn with_sets<R>(&self, single: bool, f: impl FnOnce(&Sets<'_>) -> Result<R>) -> Result<R> {
        let (bodies, gravity, jerk) = (self.bodies, self.gravity, self.jerk);
        let place = if jerk { 6 } else { 3 };
        // f32 law records are written in f64 here: rounding happens once, on the way to the device
        let columns: Vec<Vec<f64>> = (0..place + 1 + usize::from(bodies.eps.is_some()))
            .map(|field| {
                let mut column = vec![0.0; bodies.len()];
                self.frame.write::<f64>(bodies, gravity, jerk, field, &mut column);
                if single && field == place + 1 {
                    column.iter_mut().for_each(|h| *h = h.max(0.5 * law::smallest_eps2(false)));
                }
                column
            })
            .collect();
        let par: [f64; 1] = if single {
            self.frame.parameters::<f32>(gravity).map(f64::from)
        } else {
            self.frame.parameters::<f64>(gravity)
        };
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        f(&Sets::one(&columns, &par))
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
    evaluators: HashMap<(&'static str, Pairs), Box<dyn Evaluator>>,
}

/// The solver for a method on GPUs: `symmetric`, `direct`, `auto` for whichever is faster, or a kernel with a launch
/// configuration. Summations but `blocked` are for `direct` or `auto`, in f32 or mixed precision.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::Unsupported`] for what GPUs or this solver do not have, and [`Error::Parameter`] for GPUs that
/// are not here.
pub fn solver(method: &Method) -> Result<DeviceGravity> {
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
        SolverName::Reference => {
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
    let (ordinals, evaluators) = (method.gpus.ordinals().to_vec(), HashMap::new());
    let mut solver = DeviceGravity { device, ordinals, precision, pairs, config, sum, evaluators };
    // a device that is missing is an error now, not at the first step
    solver.evaluator::<law::Gravity>("acc", Pairs::Ordered)?;
    Ok(solver)
}

impl DeviceGravity {
    fn evaluator<L: law::PairLaw>(&mut self, name: &'static str, pairs: Pairs) -> Result<&mut Box<dyn Evaluator>> {
        use std::collections::hash_map::Entry;
        Ok(match self.evaluators.entry((name, pairs)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (law, how) = (Law::of::<L>()?, (pairs, self.config, self.sum));
                entry.insert(evaluator_in_shape(self.device, &self.ordinals, &law, self.precision, how)?)
            }
        })
    }

    /// Which pairs are evaluated for so many bodies.
    fn pairs(&self, n: usize) -> Pairs {
        self.pairs.unwrap_or(if n < MIRRORED_FROM { Pairs::Ordered } else { Pairs::Once })
    }

    /// Brings the bodies to the device.
    fn load(&mut self, bodies: &Bodies, gravity: &Gravity, want: Want) -> Result<(&mut Box<dyn Evaluator>, Frame)> {
        if let (true, Some(sum)) = (want.jerk, self.sum) {
            let expected = "time derivatives are computed with the sums of the solvers only".into();
            return Err(Error::Unsupported { capability: Capability::Sum, value: sum.to_string(), expected });
        }
        let frame = Frame::new(bodies, gravity, want.jerk)?;
        let (pairs, sum) = (self.pairs(bodies.len()), self.sum);
        let single = self.precision != Precision::F64;
        let evaluator = match (want.jerk, want.potential, bodies.eps.is_some()) {
            (true, _, true) => self.evaluator::<law::SoftGravityJerk>("soft jerk", pairs),
            (true, _, false) => self.evaluator::<law::GravityJerk>("jerk", pairs),
            (false, true, true) => self.evaluator::<law::SoftGravityPot>("soft pot", pairs),
            (false, true, false) => self.evaluator::<law::GravityPot>("pot", pairs),
            (false, false, true) => self.evaluator::<law::SoftGravity>("soft acc", pairs),
            (false, false, false) => self.evaluator::<law::Gravity>("acc", pairs),
        }?;
        let problem = Problem { bodies, gravity, frame, jerk: want.jerk, sum };
        if sum == Some(Summation::Fixed) {
            evaluator.bound(&problem.ranges());
        }
        problem.with_sets(single, |sets| evaluator.load(sets))?;
        Ok((evaluator, frame))
    }

    /// Seconds that the device needs for the accelerations, the mean of `repeats` in a row.
    ///
    /// # Errors
    /// As [`Solver::forces`].
    pub fn seconds(&mut self, bodies: &Bodies, gravity: &Gravity, repeats: usize) -> Result<f64> {
        self.load(bodies, gravity, Want::default())?.0.seconds(repeats)
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

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, want: Want, out: &mut Forces) -> Result<()> {
        let (evaluator, frame) = self.load(bodies, gravity, want)?;
        evaluator.compute()?;
        let raw = evaluator.fetch()?;
        if self.sum == Some(Summation::Fixed) {
            check_ranges(&frame, bodies, gravity, &raw)?;
        }
        frame.unscale(&raw, want, out);
        Ok(())
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
        // with velocities: the frame moves along
        let frame = frame.map_or_else(|| Frame::new(bodies, gravity, true), Ok)?;
        let problem = Problem { bodies, gravity, frame, jerk: false, sum: self.sum };
        let pairs = self.pairs(bodies.len());
        let mixed = self.precision == Precision::Mixed;
        if self.device == Device::Wgpu {
            return Ok(Some(Box::new(WgpuResident::new(Wgpu::open()?, &problem, pairs, self.config, mixed)?)));
        }
        let cuda = Cuda::open_several(&self.ordinals)?;
        Ok(Some(match self.precision {
            Precision::F32 | Precision::Mixed => {
                Box::new(CudaResident::<f32>::new(cuda, &problem, pairs, self.config, mixed)?)
            }
            Precision::F64 => Box::new(CudaResident::<f64>::new(cuda, &problem, pairs, self.config, false)?),
        }))
    }
}

/// Fixed point: NaN is a sum that has left its range.
fn check_ranges(frame: &Frame, bodies: &Bodies, gravity: &Gravity, raw: &[Vec<f64>]) -> Result<()> {
    for (result, column) in raw.iter().enumerate() {
        if let Some(index) = column.iter().position(|sum| sum.is_nan()) {
            let quantity = if result < 3 { "acceleration" } else { "potential" };
            let limit = fixed_ranges(frame, bodies, gravity)[result.min(3)];
            return Err(Error::FixedPoint { index, id: bodies.id[index], quantity, limit });
        }
    }
    Ok(())
}
