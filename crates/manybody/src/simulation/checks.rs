//! What a run knows of its own errors, and where it goes back to when they are too large.

use super::{Clock, Errors, Simulation};
use crate::audit::{self, ForceErrors};
use crate::diagnostics::Diagnostics;
use crate::integrator::System as _;
use crate::solver::Frame;
use crate::{Error, Result};

/// The least number of bodies that an audit looks at, if there are so many: of ten, nobody could tell a 99 %.
const LEAST_AUDITED: usize = 64;

/// A state that nothing was found wrong with. Memory: 48 bytes a body.
#[derive(Default)]
pub(super) struct Good {
    clock: Option<Clock>,
    state: [Vec<f64>; 6],
    frame: Option<Frame>,
}

impl Simulation {
    /// The energy error, which is refused beyond [`Parameters::max_energy_error`](super::Parameters::max_energy_error); else
    /// this state is taken for one to [`go_back`](Self::go_back) to. Costs what [`drift`](Self::drift) does.
    ///
    /// # Errors
    /// As [`measure`](Self::measure), and [`Error::EnergyError`].
    pub fn check(&mut self) -> Result<f64> {
        let error = self.drift()?.energy;
        self.judge(error)?;
        Ok(error)
    }

    /// The same of a whole [`measure`](Self::measure)ment; the error is noted for the snapshot of this step.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_and_measure(&mut self) -> Result<Diagnostics> {
        let measured = self.measure()?;
        let error = measured.drift_since(&self.initial).energy;
        self.judge(error)?;
        self.noted().energy = Some(error);
        Ok(measured)
    }

    fn judge(&mut self, error: f64) -> Result<()> {
        match self.parameters.max_energy_error {
            Some(limit) if error.is_nan() || error.abs() > limit => {
                Err(Error::EnergyError { time: self.time(), error, limit })
            }
            _ => self.take_for_good(),
        }
    }

    /// Holds the present accelerations against the reference at a random sample of the bodies, another one at each step,
    /// and notes the errors for the snapshot of this step. None where [`Parameters::audit`](super::Parameters::audit) is 0.
    /// Changes no bit of the run. Costs that share of n^2 pairs, and an evaluation where there is none of the present
    /// positions here.
    ///
    /// # Errors
    /// Those of the solver, [`Error::NotFinite`] for an acceleration that is none.
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
        let sample = audit::sample(self.count(), self.parameters.audit, LEAST_AUDITED, step);
        let system = &self.system;
        let found = audit::audit(system.bodies(), system.gravity(), system.forces(), &sample, time)?;
        self.noted().force = Some(found);
        Ok(Some(found))
    }

    /// What is known to be wrong with the present state.
    pub fn errors(&self) -> Errors {
        if self.errors.0 == self.clock.step() { self.errors.1 } else { Errors::default() }
    }

    fn noted(&mut self) -> &mut Errors {
        self.errors = (self.clock.step(), self.errors());
        &mut self.errors.1
    }

    pub(super) fn take_for_good(&mut self) -> Result<()> {
        self.sync()?;
        let mut good = self.good.take().unwrap_or_default();
        self.system.state(&mut good.state);
        good.frame = self.resident.as_mut().map(|resident| resident.frame()).transpose()?;
        good.clock = Some(self.clock);
        self.good = Some(good);
        Ok(())
    }

    /// After a failed step or check: goes back to the last state that was found good, at the start or by a
    /// [`check`](Self::check), as if what followed had not been. Returns the number of its step.
    ///
    /// # Errors
    /// Those of the device that the bodies live on.
    pub fn go_back(&mut self) -> Result<u64> {
        if let Some(Good { clock: Some(clock), state, frame }) = &self.good {
            self.clock = *clock;
            self.system.go_back(state, clock.time());
            (self.stale, self.moved) = (false, true);
            if self.resident.is_some() {
                self.resident = self.system.resident(*frame)?;
            }
        }
        Ok(self.clock.step())
    }
}
