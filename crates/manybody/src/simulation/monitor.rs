//! What a run finds of its own errors: checks of the energy, and audits of the forces.

use super::{Errors, Parameters, Simulation};
use crate::audit::{self, ForceErrors};
use crate::diagnostics::Diagnostics;
use crate::forces::{Audited, ForceModel as _, SelfGravity};
use crate::integrator::{Needs, System as _};
use crate::solver::Precision;
use crate::{Error, Result, rates};

/// The least number of bodies that an audit looks at where there is time for so many: ten do not determine a 99th
/// percentile.
const LEAST_AUDITED: usize = 64;
/// The number of bodies at which a requested accuracy is tried, and checked again: 1 in 1000 may be worse than the
/// worst.
pub const RTOL_SAMPLE: usize = 1024;

/// A share of the bodies that is no larger than the default's is bounded by what it costs where snapshots are close.
const DEFAULT: f64 = 1e-3;

/// The share of a run that [`LEAST_AUDITED`] bodies may take, for the audits at the start and the end and of each
/// snapshot.
const SHARE: f64 = 0.004;

impl Simulation {
    /// The energy error, which is refused beyond
    /// [`Parameters::max_energy_error`](super::Parameters::max_energy_error); else this state is one to
    /// [`roll_back`](Self::roll_back) to. `None` where the forces do not conserve the energy, or where it is not known.
    /// Costs what [`drift`](Self::drift) does.
    ///
    /// # Errors
    /// As [`measure`](Self::measure), and [`Error::EnergyError`].
    pub fn check(&mut self) -> Result<Option<f64>> {
        let error = self.drift()?.energy;
        self.judge(error)?;
        Ok(self.conserves_energy().then_some(error))
    }

    fn conserves_energy(&self) -> bool {
        self.initial.conserved.energy
    }

    /// The same of a whole [`measure`](Self::measure)ment; the error is noted for the snapshot of this step.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_and_measure(&mut self) -> Result<Diagnostics> {
        self.check_and_measure_with_potential().map(|(measured, _)| measured)
    }

    /// The same with the potential, as [`measure_with_potential`](Self::measure_with_potential) has it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_and_measure_with_potential(&mut self) -> Result<(Diagnostics, Option<Vec<f64>>)> {
        let (measured, potential) = self.measure_with_potential()?;
        let error = measured.drift_beside(&self.initial, &self.tally).energy;
        self.judge(error)?;
        self.note_energy(error);
        Ok((measured, potential))
    }

    /// Notes the energy error for the snapshot of this step.
    pub(super) fn note_energy(&mut self, error: f64) {
        self.noted().energy = self.conserves_energy().then_some(error);
    }

    /// What must be said of this run at its start: of masses that the precision of the forces has no range for, under gravity, and of an
    /// eta for which it has too few digits.
    ///
    /// # Errors
    /// Those of the device that has the bodies.
    pub fn warnings(&mut self) -> Result<Vec<String>> {
        let precision = self.parameters.precision;
        let of_range = match self.gravity() {
            Some(_) => audit::range_warning(self.bodies()?, precision),
            None => None,
        };
        Ok(of_range.into_iter().chain(self.eta_warning()).collect())
    }

    fn eta_warning(&self) -> Option<String> {
        let Parameters { precision, integrator, eta, .. } = &self.parameters;
        let (scheme, eta) = (integrator.integrator().blocks()?, (*eta)?);
        let least = scheme.least_rounded_eta();
        (*precision != Precision::F64 && eta < least).then(|| {
            format!(
                "--eta {eta}: below {least} the steps of {integrator} with --precision {precision} are those of rounding, many times as \
                 many as with --precision f64 and not more accurate"
            )
        })
    }

    fn judge(&mut self, error: f64) -> Result<()> {
        match self.parameters.max_energy_error {
            Some(limit) if self.conserves_energy() && (error.is_nan() || error.abs() > limit) => {
                Err(Error::EnergyError { time: self.time(), error, limit })
            }
            _ => self.save_checkpoint(),
        }
    }

    /// Compares the present accelerations with the reference at a random sample of the bodies, another one at each
    /// step, and notes the errors for the snapshot of this step. `None` where
    /// [`Parameters::audit`](super::Parameters::audit) is 0, and for forces of a program's own without a reference.
    /// Changes no bit of the run. Costs that share of n^2 pairs, and an evaluation where the host has no
    /// accelerations of the present positions. At least 64 bodies are looked at, or as many as cost 0.4 % of the run
    /// (at a numbered snapshot 0.4 % of the stretch between two); with an [`rtol`](super::Parameters::rtol) at least
    /// [`RTOL_SAMPLE`].
    ///
    /// # Errors
    /// Those of the solver, [`Error::NotFinite`] for an acceleration that is not finite, and [`Error::Audit`] for one
    /// that is further from the reference than its precision explains, or than
    /// [`Parameters::audit_limit`](super::Parameters::audit_limit).
    pub fn audit(&mut self) -> Result<Option<ForceErrors>> {
        if self.parameters.audit == 0.0 || self.count() == 0 {
            return Ok(None);
        }
        self.sync()?;
        if self.is_resident() {
            self.system.forget_forces();
        }
        self.system.accelerate()?;
        let (step, time) = (self.clock.step(), self.clock.time());
        let (share, least) = self.audited();
        let sample = audit::sample(self.count(), share, least, step);
        let (method, limit) = (self.parameters.method(), self.parameters.audit_limit);
        let (bodies, forces, forcing) = self.system.parts();
        let audited = Audited { bodies, forces, sample: &sample, time, method: &method, limit };
        let mut found = forcing.model.audit(&audited)?;
        if let (Some(found), Needs::Derivatives) = (&mut found, self.integrator.needs()) {
            found.jerk = forcing.model.audit_jerks(&audited)?;
        }
        self.noted().force = found;
        Ok(found)
    }

    /// Halves the tolerance of the solvers fmm and tree for what follows, where the audit of this step has found that more than
    /// 1 in 100 bodies exceed the error that is promised, so that a run whose bodies change does not end at a later audit.
    /// Returns the error that 99 of 100 were below. The present accelerations are computed again: a run that is resumed from
    /// a snapshot that is written now goes on with the same bits.
    ///
    /// # Errors
    /// Those of the solver.
    pub fn tighten(&mut self) -> Result<Option<f64>> {
        // forces of a program's own are not made from parameters
        let found = self.errors().force.filter(|_| self.own_forces.is_none()).and_then(|force| force.relative);
        let (Some(found), Some(gravity)) = (found, self.system.gravity().copied()) else { return Ok(None) };
        let Some(next) = audit::tightened(&self.parameters.method(), self.count(), found) else { return Ok(None) };
        self.sync()?;
        let mut model = SelfGravity::of(gravity, &next)?;
        model.watch(&self.watch);
        self.parameters.tolerance = next.expansion.tolerance;
        self.system.change_model(Box::new(model));
        if let Some(resident) = &mut self.resident {
            let frame = resident.frame()?;
            self.resident = self.system.resident(Some(frame))?;
            self.moved = true;
        }
        Ok(Some(found))
    }

    /// Computes the accelerations that the next step begins with, if it begins with any and they are not known yet:
    /// what an audit finds done is no cost of its own. Nothing where bodies live on a device, which has its own.
    ///
    /// # Errors
    /// Those of the solver.
    pub fn accelerate(&mut self) -> Result<()> {
        if self.is_resident() || !self.integrator.begins_with_accelerations() {
            return Ok(());
        }
        self.system.accelerate()
    }

    /// Which share of the bodies an audit looks at, and how many at least. They depend on the parameters and the step
    /// alone, and at the end not even on the numbered snapshots: a run's last file depends on the physics alone.
    fn audited(&self) -> (f64, usize) {
        let share = self.parameters.audit;
        if self.parameters.is_by_expansion() {
            return (share.min(audit::EXPANSION_SAMPLE as f64 / self.count().max(1) as f64), audit::EXPANSION_SAMPLE);
        }
        if self.parameters.rtol.is_some() {
            return (share, RTOL_SAMPLE);
        }
        let on_the_way = self.clock.step() > 0 && !self.is_finished();
        let whole = self.clock.steps() as f64;
        let steps = match self.parameters.snapshot_every {
            Some(every) if on_the_way => whole.min(every / self.parameters.dt),
            _ => whole,
        };
        let n = self.count().max(1) as f64;
        let meanwhile = rates::of(self.parameters.device, self.parameters.precision).pairs_per_audited_pair;
        let affordable = SHARE * steps * self.integrator.evaluations() as f64 * n / meanwhile;
        let bounded = on_the_way && share <= DEFAULT;
        (if bounded { share.min(affordable / n) } else { share }, (affordable as usize).clamp(1, LEAST_AUDITED))
    }

    /// What is known to be wrong with the present state.
    pub fn errors(&self) -> Errors {
        if self.errors.0 == self.clock.step() { self.errors.1 } else { Errors::default() }
    }

    fn noted(&mut self) -> &mut Errors {
        self.errors = (self.clock.step(), self.errors());
        &mut self.errors.1
    }
}
