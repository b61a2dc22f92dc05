//! The steps of a run, of bodies that live here or on a device.

use super::Simulation;
use crate::integrator::{Integrator, KickDrift};
use crate::solver::{Device, Summation};
use crate::{Error, Result};

/// Steps that a solver is asked for at once: so few that a run can be stopped between, so many that asking costs
/// nothing.
const AT_ONCE: u64 = 1 << 10;

/// Up to so many bodies, no block of steps is shared by threads.
const SHARED_BLOCKS: usize = 256;

impl Simulation {
    /// Advances the run by one step.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn step(&mut self) -> Result<()> {
        self.advance(1).map(drop)
    }

    /// Advances the run by up to `most` steps, and returns how many it were: it stands still where a snapshot is due
    /// and at the end. Bodies that live on a device are moved there and not looked at meanwhile.
    ///
    /// # Errors
    /// [`Error::NotFinite`] where a number overflows or is NaN; the run cannot be continued then. One whose bodies live
    /// on a device stands at the last good step. [`Error::SmallStep`] and [`Error::Collision`] where bodies meet, and
    /// [`Error::Interrupted`] where the run's watch asks for an end during a
    /// long evaluation; the run then stands after its last whole step.
    pub fn advance(&mut self, most: u64) -> Result<u64> {
        self.check_hook()?;
        self.watch.hear(true);
        let done = self.advance_heard(most);
        self.watch.hear(false);
        done
    }

    fn advance_heard(&mut self, most: u64) -> Result<u64> {
        let mut done = 0;
        while done < most && !self.is_finished() && (done == 0 || self.snapshot_due().is_none()) {
            done += match self.resident.is_some() {
                true => self.advance_there(most - done)?,
                false => self.advance_here(most - done)?,
            };
        }
        Ok(done)
    }

    /// Steps of bodies that live here: one, or as many of one length as the solver makes at once.
    fn advance_here(&mut self, most: u64) -> Result<u64> {
        let steps = self.until_snapshot(most.min(self.clock.equal_steps()).min(AT_ONCE));
        let done = match self.has_events() {
            true => 0,
            false => self.system.steps(&*self.integrator, self.clock.next_length(), steps)?,
        };
        if done > 0 {
            self.clock.advance_by(done);
            self.system.note_time(self.clock.time());
            return Ok(done);
        }
        let (length, end) = (self.clock.next_length(), self.clock.time_of(self.clock.step() + 1));
        self.system.begin_step(&self.watch, length, end);
        let step = self.step_here(length);
        if matches!(step, Err(Error::Interrupted | Error::SmallStep { .. } | Error::Collision { .. })) {
            self.system.undo_step();
        }
        step?;
        self.clock.advance();
        self.system.settle(self.clock.time())?;
        self.end_step(length)?;
        Ok(1)
    }

    /// One step of bodies that live here. A scheme of many small evaluations is carried out by one of the threads that share
    /// them, where they are large enough to be shared: to hand over each one would take as long as some of them. A GPU's are not shared.
    fn step_here(&mut self, length: f64) -> Result<()> {
        let Simulation { integrator, system, parameters, .. } = self;
        let is_shared = parameters.device == Device::Cpu && system.bodies().len() > SHARED_BLOCKS;
        match integrator.work().is_some() && is_shared {
            true => rayon::scope(|_| integrator.step(system, length)),
            false => integrator.step(system, length),
        }
    }

    /// Steps of one length of bodies that live on a device. Where they are ended, the run stands where it stood.
    fn advance_there(&mut self, most: u64) -> Result<u64> {
        let steps = self.advance_marked(most);
        if let (Err(Error::Interrupted), Some(resident)) = (&steps, &mut self.resident) {
            resident.roll_back()?;
        }
        steps
    }

    fn advance_marked(&mut self, most: u64) -> Result<u64> {
        let steps = self.until_snapshot(most.min(self.clock.equal_steps()));
        let dt = self.clock.next_length();
        let moves = moves_of(&*self.integrator, dt, steps, self.moved);
        let Some(resident) = &mut self.resident else { return Ok(0) };
        resident.checkpoint()?;
        self.stale = true;
        resident.apply(&moves)?;
        if !resident.sync()? {
            return Err(self.find_failure(dt, steps)?);
        }
        self.moved = ends_moved(&moves, self.moved);
        self.clock.advance_by(steps);
        Ok(steps)
    }

    /// From the mark once more with a look after every step: the error, with the run left at the last good step.
    fn find_failure(&mut self, dt: f64, steps: u64) -> Result<Error> {
        let Simulation { resident, integrator, .. } = self;
        let Some(resident) = resident else { return Ok(self.system.not_finite(self.clock.time())) };
        resident.roll_back()?;
        let (mut moved, mut good) = (self.moved, 0);
        while good < steps {
            let moves = moves_of(&**integrator, dt, 1, moved);
            resident.apply(&moves)?;
            if !resident.sync()? {
                break;
            }
            moved = ends_moved(&moves, moved);
            good += 1;
        }
        let [before, after] = [good, good + 1].map(|k| self.clock.time_of(self.clock.step() + k));
        resident.fetch(self.system.bodies_mut())?;
        let found = self.system.settle(after).err().unwrap_or_else(|| self.system.not_finite(before));
        resident.roll_back()?;
        resident.apply(&moves_of(&**integrator, dt, good, self.moved))?;
        resident.sync()?;
        // the failing step once more where each force can be looked at: what comes out of it is the cause
        resident.fetch(self.system.bodies_mut())?;
        self.system.forget_forces();
        let cause = self.system.settle(before).and_then(|()| self.integrator.step(&mut self.system, dt));
        self.stale = true;
        self.moved = moved;
        self.clock.advance_by(good);
        match cause {
            Err(cause) => Ok(cause),
            Ok(()) => self.of_fixed_point(found),
        }
    }

    /// What a force that is not finite means where it is a fixed-point sum that here, in a frame of the moment, has
    /// kept its range: it has left it in the frame that the device has kept.
    fn of_fixed_point(&mut self, found: Error) -> Result<Error> {
        match (&found, &mut self.resident) {
            (&Error::NotFinite { index, id, .. }, Some(resident)) if self.parameters.sum == Summation::Fixed => {
                let frame = resident.frame()?;
                let (bodies, _, forcing) = self.system.parts();
                let Some(gravity) = forcing.model.gravity() else { return Ok(found) };
                let ranges = manybody_pairwise::fixed_ranges(&frame, bodies, gravity);
                Ok(Error::FixedPoint { index, id, quantity: "acceleration", limit: ranges[0] })
            }
            _ => Ok(found),
        }
    }

    /// Steps, at most `most`, until a snapshot is due.
    fn until_snapshot(&self, most: u64) -> u64 {
        self.schedule.map_or(most, |schedule| schedule.steps_to_next(&self.clock, most))
    }
}

/// The moves of a scheme whose bodies live on a device, where only those are that are moved so.
fn moves_of(integrator: &dyn Integrator, dt: f64, steps: u64, moved: bool) -> Vec<KickDrift> {
    integrator.moves(dt, steps, moved).unwrap_or_default()
}

/// Whether positions have changed after these moves since the last acceleration.
fn ends_moved(moves: &[KickDrift], before: bool) -> bool {
    moves.last().map_or(before, |last| !last.drifts().is_empty())
}
