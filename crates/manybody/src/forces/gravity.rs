//! The gravity of the bodies on each other, by a solver.

use super::{Accelerations, Audited, ForceModel, Stretch, remainders};
use crate::audit::{self, ForceErrors};
use crate::law::Targets;
use crate::solver::{
    self, BlockState, BlockStep, BlockWork, Derivatives, ForceTerms, Forces, Frame, Gravity, Method, Solver, Steps,
};
use crate::watch::Watch;
use crate::{Bodies, Error, Result};
use manybody_pairwise::Resident;

/// Gravity, with a solver for accelerations and one for energies.
pub struct SelfGravity {
    gravity: Gravity,
    solver: Box<dyn Solver>,
    /// f64, whatever the precision of the run, on every device that has it.
    exact: Box<dyn Solver>,
}

impl SelfGravity {
    /// Gravity by a method.
    ///
    /// # Errors
    /// As [`solver::of`].
    pub fn of(gravity: Gravity, method: &Method) -> Result<Self> {
        Ok(SelfGravity { gravity, solver: solver::of(method)?, exact: solver::most_exact(method)? })
    }

    /// Gravity by a solver; energies by the reference.
    pub fn by(gravity: Gravity, solver: Box<dyn Solver>) -> Self {
        SelfGravity { gravity, solver, exact: Box::new(solver::Reference::default()) }
    }
}

impl ForceModel for SelfGravity {
    fn name(&self) -> String {
        "gravity".into()
    }

    fn accelerations(&mut self, bodies: &Bodies, _time: f64, out: &mut Accelerations) -> Result<()> {
        self.solver.forces(bodies, &self.gravity, ForceTerms::default(), &mut out.forces)
    }

    fn has_potential(&self) -> bool {
        true
    }

    fn potential(&mut self, bodies: &Bodies, time: f64) -> Result<Vec<f64>> {
        if let Some((index, _)) = self.gravity.coincident(bodies) {
            let (id, value) = (bodies.id[index], f64::INFINITY);
            return Err(Error::NotFinite { time, index, id, quantity: "acceleration", value });
        }
        // 32 bytes a body, measured seldom: not worth holding on to
        let mut forces = Forces::default();
        self.exact.forces(bodies, &self.gravity, ForceTerms { potential: true, jerk: false }, &mut forces)?;
        remainders::correct(bodies, &self.gravity, &mut forces.pot);
        Ok(forces.pot)
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        active: &[usize],
        _time: f64,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        self.solver.forces_on(bodies, &Targets::List(active), &self.gravity, terms, out)
    }

    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        _time: f64,
        out: &mut Derivatives,
    ) -> Result<()> {
        self.solver.derivatives_on(bodies, accelerations, active, &self.gravity, out)
    }

    fn has_rounded_terms(&self) -> bool {
        self.solver.has_rounded_terms()
    }

    fn block_step(&mut self, bodies: &Bodies, step: &BlockStep, state: &mut BlockState) -> Result<Option<BlockWork>> {
        self.solver.block_step(bodies, &self.gravity, step, state)
    }

    fn has_derivatives(&self) -> bool {
        true
    }

    fn check(&self, bodies: &Bodies) -> Result<()> {
        self.gravity.check_apart(bodies)
    }

    fn audit(&mut self, audited: &Audited<'_>) -> Result<Option<ForceErrors>> {
        let Audited { bodies, forces, sample, time, method, limit } = audited;
        audit::check(bodies, &self.gravity, forces, sample, *time, method, *limit).map(Some)
    }

    fn audit_jerks(&mut self, audited: &Audited<'_>) -> Result<Option<f64>> {
        let Audited { bodies, sample, method, .. } = *audited;
        let jerks = if method.solver.is_by_expansion() {
            // where a scheme asks for few bodies, all their pairs are summed: the expansions are what is audited
            let (terms, mut found) = (ForceTerms { potential: false, jerk: true }, Forces::default());
            self.solver.forces_on(bodies, &Targets::List(sample), &self.gravity, terms, &mut found)?;
            [found.jx, found.jy, found.jz]
        } else {
            let mut found = Derivatives::default();
            self.solver.derivatives_on(bodies, None, sample, &self.gravity, &mut found)?;
            found.j
        };
        audit::jerk::check(&self.gravity, audited, &jerks, &Watch::default())
    }

    fn watch(&mut self, watch: &Watch) {
        self.solver.watch(watch);
        self.exact.watch(watch);
    }

    fn gravity(&self) -> Option<&Gravity> {
        Some(&self.gravity)
    }

    fn resident(&mut self, bodies: &Bodies, frame: Option<Frame>) -> Result<Option<Box<dyn Resident>>> {
        self.solver.resident(bodies, &self.gravity, frame)
    }

    fn steps(&mut self, stretch: Stretch<'_>) -> Result<u64> {
        let Stretch { bodies, forces, moved, substeps, dt, most } = stretch;
        self.solver.steps(Steps { bodies, forces, moved, gravity: &self.gravity, substeps, dt, most })
    }
}

/// One softening for all (which takes the place of each body's own), or each body's own where no value is given.
pub(super) fn softening(bodies: &mut Bodies, eps: Option<f64>) -> Result<f64> {
    match eps {
        Some(eps) => {
            let eps = Gravity::checked_softening(eps)?;
            bodies.eps = None;
            Ok(eps)
        }
        None if bodies.eps.is_none() => {
            let expected = "must be given for all: these bodies have no softening of their own".into();
            Err(Error::Parameter { name: "eps", value: "none".into(), expected })
        }
        None => Ok(0.0),
    }
}
