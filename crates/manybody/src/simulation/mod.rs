//! A run: bodies, what accelerates them, an integrator and a clock, which can be stopped, kept in a file and resumed.
//!
//! What is guaranteed, and tested:
//! - The same snapshot and [`Parameters`] give the same bits, on any number of threads.
//! - Measuring and keeping snapshots change nothing: diagnostics use a solver of their own, in f64 where the
//!   device has it, and steps are never shortened for a snapshot.
//! - A run resumed from any of its snapshots ends with the same bits as one never interrupted. Positions,
//!   velocities, the step count and the first diagnostics are kept; accelerations are computed again from the
//!   positions.
//! - The last snapshot depends on the physics alone: not on how often snapshots were kept or who interrupted.
//!
//! ```
//! use manybody::{Bodies, Snapshot, simulation::{Parameters, Simulation}};
//! let mut bodies = Bodies::default(); // two bodies on a circle, period 2 pi
//! bodies.push(0.5, [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]);
//! bodies.push(0.5, [-0.5, 0.0, 0.0], [0.0, -0.5, 0.0]);
//! let start = Snapshot { bodies, ..Snapshot::default() };
//! let parameters = Parameters { dt: 1.0 / 128.0, t_end: 6.25, eps: Some(0.0), ..Parameters::default() };
//! let mut run = Simulation::start(start, parameters)?;
//! while !run.is_finished() {
//!     run.step()?;
//! }
//! assert_eq!(run.time(), 6.25);
//! assert!(run.measure()?.drift_since(run.initial()).energy.abs() < 1e-9);
//! # Ok::<(), manybody::Error>(())
//! ```

mod advance;
mod begin;
mod checkpoint;
mod clock;
mod fingerprint;
mod hidden;
mod host;
mod life;
mod monitor;
mod restart;
mod standing;
mod state;
mod suggest;

pub use crate::settings::Parameters;
pub use clock::{Clock, Schedule};
pub use fingerprint::fingerprint;
pub(crate) use fingerprint::fingerprint_under;
#[doc(hidden)] // for tests
pub use host::HostSystem;
pub use manybody_pairwise::Resident;
pub use monitor::RTOL_SAMPLE;
pub use restart::Errors;
pub use standing::Standing;
pub use suggest::{MIN_BODIES_FOR_SUGGESTION, NoSuggestion, Suggestion};

use crate::diagnostics::{Diagnostics, Drift};
use crate::events::{BodyEvent, Hook, Tally};
use crate::integrator::Integrator;
use crate::solver::Gravity;
use crate::watch::Watch;
use crate::{Result, Snapshot, Units};
use std::collections::BTreeMap;

/// A run under way.
pub struct Simulation {
    system: HostSystem,
    /// The bodies, where they live on a device; those of `system` are then as old as the last request for them.
    resident: Option<Box<dyn Resident>>,
    /// The bodies of `system` are old.
    stale: bool,
    /// The device has moved positions since its last accelerations.
    moved: bool,
    integrator: Box<dyn Integrator>,
    clock: Clock,
    /// Steps from the start to the origin of the clock.
    before: u64,
    schedule: Option<Schedule>,
    parameters: Parameters,
    /// Where the run began: the snapshots are counted from here.
    start: f64,
    initial: Diagnostics,
    units: Units,
    /// What the first snapshot carried besides.
    meta: BTreeMap<String, String>,
    /// The name of forces that the program computes, and the parameters do not name.
    own_forces: Option<String>,
    watch: Watch,
    /// The fingerprint of the bodies that the run began with.
    fingerprint: Option<String>,
    /// What is wrong with the state after a number of steps.
    errors: (u64, Errors),
    /// What a program does to the bodies between steps.
    hook: Option<Box<dyn Hook>>,
    /// The name of the hook that the run was begun with.
    own_hook: Option<String>,
    /// What events have changed of what the run conserves.
    tally: Tally,
    /// Events that were not asked for yet.
    happened: Vec<BodyEvent>,
    /// The last state that nothing was found wrong with.
    checkpoint: Option<checkpoint::Checkpoint>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Simulation { clock, parameters, .. } = self;
        f.debug_struct("Simulation").field("clock", clock).field("parameters", parameters).finish_non_exhaustive()
    }
}

impl Simulation {
    /// Brings the bodies here if they live elsewhere.
    fn sync(&mut self) -> Result<()> {
        if let (Some(resident), true) = (&mut self.resident, self.stale) {
            resident.fetch(self.system.bodies_mut())?;
            self.stale = false;
        }
        Ok(())
    }

    /// True at t-end.
    pub fn is_finished(&self) -> bool {
        self.clock.is_finished()
    }

    /// Simulation time.
    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// The steps: how many are done and how many there are.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Steps since the start of the run. The clock counts those since its origin, which is a later time where the run has
    /// gone on from an end off the grid of its steps, or with another dt.
    pub fn steps_since_start(&self) -> u64 {
        self.before + self.clock.step()
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What computes the forces between bodies, in words: "gravity", "the law coulomb".
    pub fn forces_name(&self) -> String {
        self.system.forces_name()
    }

    /// What a user of the forces has to know, in sentences: results of a law that the run does not use, GPUs of ranks that
    /// exchange numbers through the host.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.system.remarks();
        remarks.extend(self.resident.as_ref().and_then(|resident| resident.remark()));
        remarks
    }

    /// The gravity between the bodies, where that is what acts.
    pub fn gravity(&self) -> Option<&Gravity> {
        self.system.gravity()
    }

    /// The integrator.
    pub fn integrator(&self) -> &dyn Integrator {
        &*self.integrator
    }

    /// The bodies as they are now.
    ///
    /// # Errors
    /// Those of the device that they live on.
    pub fn bodies(&mut self) -> Result<&crate::Bodies> {
        self.sync()?;
        Ok(self.system.bodies())
    }

    /// The bodies as they are now, if they are in the host's memory: `None` where they live on a device and were not
    /// copied since the last step.
    pub fn bodies_here(&self) -> Option<&crate::Bodies> {
        (!self.stale).then(|| self.system.bodies())
    }

    /// How many bodies there are.
    pub fn count(&self) -> usize {
        self.system.bodies().len()
    }

    /// True where the bodies live on a device between the steps.
    pub fn is_resident(&self) -> bool {
        self.resident.is_some()
    }

    /// The [`fingerprint`] of the bodies that the run began with; `None` for a run that an earlier version began.
    pub fn fingerprint(&self) -> Option<&str> {
        self.fingerprint.as_deref()
    }

    /// What the numbers mean.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// The diagnostics at the start of the run, also of one that was resumed.
    pub fn initial(&self) -> &Diagnostics {
        &self.initial
    }

    /// The number of the snapshot that is due at this step: 1, 2, ... `None` between snapshots and at the end.
    pub fn snapshot_due(&self) -> Option<u64> {
        let schedule = self.schedule.as_ref().filter(|_| !self.is_finished() && self.clock.step() > 0)?;
        let count = schedule.count(self.time());
        (count > schedule.count(self.clock.time_of(self.clock.step() - 1))).then_some(count)
    }

    /// The number that the next numbered snapshot will have; that of a snapshot kept between, when the run is
    /// interrupted. At the end, the number after the last numbered one.
    pub fn next_snapshot(&self) -> u64 {
        // what is due at the end itself is the last snapshot, which has no number
        let step = self.clock.step() - u64::from(self.is_finished() && self.clock.step() > 0);
        self.schedule.map_or(0, |schedule| schedule.count(self.clock.time_of(step))) + 1
    }

    /// Measures the system now, at the cost of one f64 evaluation with potential. Changes nothing.
    ///
    /// # Errors
    /// [`crate::Error::NotFinite`] for a potential or a sum (mass, energies, angular momentum) that overflows, and for
    /// bodies that have met at one place without softening.
    pub fn measure(&mut self) -> Result<Diagnostics> {
        self.measure_with_potential().map(|(measured, _)| measured)
    }

    /// The same with the potential of all other bodies at each body, \[n\]; `None` where the forces have no potential.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_with_potential(&mut self) -> Result<(Diagnostics, Option<Vec<f64>>)> {
        self.sync()?;
        let time = self.clock.time();
        let conserved = self.initial.conserved;
        let (bodies, _, forcing) = self.system.parts();
        let (measured, potential) = forcing.measure(bodies, time)?;
        Ok((Diagnostics { conserved, ..measured }, potential))
    }

    /// How far what should not change has moved since the start. Costs what [`measure`](Self::measure) does; where the
    /// bodies live on a device, they stay there.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn drift(&mut self) -> Result<Drift> {
        let time = self.clock.time();
        let there = self.resident.as_mut().map(|resident| resident.integrals()).transpose()?;
        let now = match there.flatten() {
            Some(sums) => Diagnostics::of(sums, time),
            None => self.measure()?,
        };
        Ok(now.drift_beside(&self.initial, &self.tally))
    }

    /// Hands `keep` the present state as a snapshot from which the run can be resumed, or, at the end, the last one.
    ///
    /// # Errors
    /// Those of `keep`, and of the device that the bodies live on.
    pub fn with_snapshot<T>(&mut self, keep: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        self.with_snapshot_and(&[], keep)
    }

    /// [`with_snapshot`](Self::with_snapshot), with more entries of its metadata.
    ///
    /// # Errors
    /// As [`with_snapshot`](Self::with_snapshot).
    pub(crate) fn with_snapshot_and<T>(
        &mut self,
        entries: &[(String, String)],
        keep: impl FnOnce(&Snapshot) -> Result<T>,
    ) -> Result<T> {
        self.sync()?;
        let frame = self.resident.as_mut().map(|resident| resident.frame()).transpose()?;
        let progress = restart::Progress {
            units: self.units.name.clone(),
            start: self.start,
            origin: self.clock.origin(),
            step: self.clock.step(),
            before: self.before,
            initial: self.initial.clone(),
            frame,
            fingerprint: self.fingerprint.clone(),
            forces: self.own_forces.clone(),
            hook: self.own_hook.clone(),
            tally: self.tally,
        };
        let (errors, last) = (self.errors(), self.is_finished());
        let (bodies, meta) = (self.system.take(), self.meta.clone());
        let mut snapshot = Snapshot { bodies, time: self.clock.time(), units: self.units.clone(), meta };
        restart::save(&mut snapshot, &self.parameters, &progress, &errors, last);
        snapshot.meta.extend(entries.iter().cloned());
        let kept = keep(&snapshot);
        self.system.put_back(snapshot.bodies);
        kept
    }
}

#[cfg(test)]
mod tests;
