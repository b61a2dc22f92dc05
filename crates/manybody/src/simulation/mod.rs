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

mod checkpoint;
mod clock;
mod fingerprint;
mod host;
mod monitor;
mod restart;
mod standing;
mod state;
mod suggest;

use crate::settings::Effect;
pub use crate::settings::Parameters;
pub use clock::{Clock, Schedule};
pub use fingerprint::fingerprint;
pub(crate) use fingerprint::fingerprint_under;
pub use host::HostSystem;
pub use manybody_pairwise::Resident;
pub use monitor::RTOL_SAMPLE;
pub use restart::Errors;
pub use standing::Standing;
pub use suggest::{MIN_BODIES_FOR_SUGGESTION, NoSuggestion, Suggestion};

use crate::diagnostics::{Diagnostics, Drift};
use crate::error::Capability;
use crate::field;
use crate::forces::Forcing;
use crate::integrator::{Integrator, Move};
use crate::law::Law;
use crate::solver::{Frame, Gravity, Summation, fixed_ranges};
use crate::watch::Watch;
use crate::{Error, Result, Snapshot, Units};
use std::collections::BTreeMap;

/// Steps that a solver is asked for at once: so few that a run can be stopped between, so many that asking costs
/// nothing.
const AT_ONCE: u64 = 1 << 10;

/// Up to so many bodies, no block of steps is shared by threads.
const SHARED_BLOCKS: usize = 256;

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
    /// Begins a run at `snapshot`, which is measured at once (one force evaluation with potential).
    ///
    /// # Errors
    /// [`Error::Body`] for bodies with values no computation can use, [`Error::Parameter`] and [`Error::Unknown`] for
    /// the parameters, [`Error::NotFinite`] for a system whose energy overflows.
    pub fn start(snapshot: Snapshot, parameters: Parameters) -> Result<Self> {
        Self::start_watched(snapshot, parameters, &Watch::default())
    }

    /// [`start`](Self::start) under a watch, which reports long evaluations now and in the run, and can end those of
    /// [`advance`](Self::advance).
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_watched(snapshot: Snapshot, parameters: Parameters, watch: &Watch) -> Result<Self> {
        Self::begin(snapshot, parameters, None, watch)
    }

    /// Begins a run under any forces. Of the parameters, those that name forces are ignored. A snapshot of the run
    /// keeps the name of the model, and can be resumed with [`resume_with`](Self::resume_with) only.
    ///
    /// # Errors
    /// As [`start`](Self::start), and those of the forces.
    pub fn start_with(snapshot: Snapshot, parameters: Parameters, forcing: Forcing) -> Result<Self> {
        Self::start_with_watched(snapshot, parameters, forcing, &Watch::default())
    }

    /// [`start_with`](Self::start_with) under a watch.
    ///
    /// # Errors
    /// As [`start_with`](Self::start_with).
    pub fn start_with_watched(
        snapshot: Snapshot,
        parameters: Parameters,
        forcing: Forcing,
        watch: &Watch,
    ) -> Result<Self> {
        Self::begin(snapshot, parameters, Some(forcing), watch)
    }

    fn begin(mut snapshot: Snapshot, parameters: Parameters, forcing: Option<Forcing>, watch: &Watch) -> Result<Self> {
        restart::strip(&mut snapshot.meta);
        forget_columns(&mut snapshot, &parameters);
        let clock = Clock::new(snapshot.time, parameters.dt, parameters.t_end)?;
        let start = snapshot.time;
        let law = parameters.law().filter(|_| forcing.is_none()).map(Law::by_name_or_text).transpose()?;
        let fingerprint = fingerprint_under(&snapshot, law.as_ref());
        let mut run = Self::assemble(snapshot, parameters, forcing, clock, start, None, watch)?;
        run.fingerprint = Some(fingerprint);
        run.initial = run.measure()?;
        run.note_energy(run.initial.drift_since(&run.initial).energy);
        run.save_checkpoint()?;
        Ok(run)
    }

    /// Resumes the run that `snapshot` was kept by. `parameters` are those of
    /// [`Parameters::kept_in`] for the same run, or changed ones for another that continues it.
    ///
    /// # Errors
    /// As [`start`](Self::start), and [`Error::Parameter`] for a snapshot that does not come from a run.
    pub fn resume(snapshot: Snapshot, parameters: Parameters) -> Result<Self> {
        Self::resume_watched(snapshot, parameters, &Watch::default())
    }

    /// [`resume`](Self::resume) under a watch.
    ///
    /// # Errors
    /// As [`resume`](Self::resume).
    pub fn resume_watched(snapshot: Snapshot, parameters: Parameters, watch: &Watch) -> Result<Self> {
        Self::go_on(snapshot, parameters, None, watch)
    }

    /// Continues a run that was begun by [`start_with`](Self::start_with), under the same forces.
    ///
    /// # Errors
    /// As [`resume`](Self::resume); [`Error::Parameter`] for forces of another name.
    pub fn resume_with(snapshot: Snapshot, parameters: Parameters, forcing: Forcing) -> Result<Self> {
        Self::resume_with_watched(snapshot, parameters, forcing, &Watch::default())
    }

    /// [`resume_with`](Self::resume_with) under a watch.
    ///
    /// # Errors
    /// As [`resume_with`](Self::resume_with).
    pub fn resume_with_watched(
        snapshot: Snapshot,
        parameters: Parameters,
        forcing: Forcing,
        watch: &Watch,
    ) -> Result<Self> {
        Self::go_on(snapshot, parameters, Some(forcing), watch)
    }

    fn go_on(mut snapshot: Snapshot, parameters: Parameters, forcing: Option<Forcing>, watch: &Watch) -> Result<Self> {
        let progress = restart::Progress::kept_in(&snapshot)?;
        check_forces(progress.forces.as_deref(), forcing.as_ref())?;
        if is_another_run(&snapshot, &parameters) {
            forget_columns(&mut snapshot, &parameters);
        }
        restart::strip(&mut snapshot.meta);
        let clock = Clock::resume(progress.origin, progress.step, parameters.dt, snapshot.time, parameters.t_end)?;
        let mut run = Self::assemble(snapshot, parameters, forcing, clock, progress.start, progress.frame, watch)?;
        let conserved = run.initial.conserved;
        run.initial = Diagnostics { conserved, ..progress.initial };
        // a new grid of steps begins at 0
        run.before = progress.before + progress.step.saturating_sub(clock.step());
        run.fingerprint = progress.fingerprint;
        run.save_checkpoint()?;
        Ok(run)
    }

    fn assemble(
        snapshot: Snapshot,
        parameters: Parameters,
        forcing: Option<Forcing>,
        clock: Clock,
        start: f64,
        frame: Option<Frame>,
        watch: &Watch,
    ) -> Result<Self> {
        snapshot.check_isolated()?;
        let Snapshot { mut bodies, time, units, meta } = snapshot;
        bodies.validate()?;
        parameters.check()?;
        let own_forces = forcing.as_ref().map(|forcing| forcing.model.name());
        let (parameters, mut forcing) = match forcing {
            Some(forcing) => {
                let unnamed =
                    Parameters { law: None, par: Default::default(), field: Default::default(), ..parameters };
                (Parameters { eps: None, ..unnamed }, forcing)
            }
            None => {
                let forcing = Forcing::of(&parameters, &units, &mut bodies)?;
                (parameters, forcing)
            }
        };
        forcing.model.check(&bodies)?;
        forcing.model.watch(watch);
        let schedule = match parameters.snapshot_every {
            Some(every) => Some(Schedule::new(start, every, parameters.dt)?),
            None => None,
        };
        let integrator = parameters.integrator.with(&parameters.step_control());
        forcing.check_scheme(&*integrator)?;
        integrator.check(&bodies)?;
        let initial = Diagnostics { conserved: forcing.conserved(), ..Diagnostics::default() };
        check_limit(&parameters, &initial)?;
        let mut system = HostSystem::with(bodies, forcing, time).carrying(integrator.columns());
        Ok(Simulation {
            // a scheme that does more than drift and kick needs the bodies here
            resident: match integrator.substeps() {
                Some(_) => system.resident(frame)?,
                None => None,
            },
            stale: false,
            moved: true,
            system,
            integrator,
            clock,
            before: 0,
            schedule,
            start,
            initial,
            units,
            meta,
            own_forces,
            watch: watch.clone(),
            fingerprint: None,
            errors: (0, Errors::default()),
            checkpoint: None,
            parameters,
        })
    }

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
        let done = self.system.steps(&*self.integrator, self.clock.next_length(), steps)?;
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
        Ok(1)
    }

    /// One step of bodies that live here. A scheme of many small evaluations is carried out by one of the threads that share
    /// them, where they are large enough to be shared: to hand over each one would take as long as some of them.
    fn step_here(&mut self, length: f64) -> Result<()> {
        let Simulation { integrator, system, .. } = self;
        match integrator.work().is_some() && system.bodies().len() > SHARED_BLOCKS {
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
                let ranges = fixed_ranges(&frame, bodies, gravity);
                Ok(Error::FixedPoint { index, id, quantity: "acceleration", limit: ranges[0] })
            }
            _ => Ok(found),
        }
    }

    /// Steps, at most `most`, until a snapshot is due.
    fn until_snapshot(&self, most: u64) -> u64 {
        self.schedule.map_or(most, |schedule| schedule.steps_to_next(&self.clock, most))
    }

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
    /// [`Error::NotFinite`] for a potential or a sum (mass, energies, angular momentum) that overflows, and for
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
        let has_potential = forcing.model.has_potential();
        let potential = match has_potential {
            true => forcing.model.potential(bodies, time)?,
            false => vec![0.0; bodies.len()],
        };
        if let Some(index) = potential.iter().position(|pot| !pot.is_finite()) {
            let (id, value) = (bodies.id[index], potential[index]);
            return Err(Error::NotFinite { time, index, id, quantity: "potential", value });
        }
        let mut measured = Diagnostics { conserved, ..Diagnostics::measure(bodies, time, &potential) };
        measured.check_finite(bodies, &potential)?;
        if !forcing.fields.is_empty() {
            measured.potential += field::energy(&forcing.fields, bodies, time);
            measured.check_finite(bodies, &potential)?;
        }
        Ok((measured, Some(potential).filter(|_| has_potential)))
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
        Ok(now.drift_since(&self.initial))
    }

    /// Hands `keep` the present state as a snapshot from which the run can be resumed, or, at the end, the last one.
    ///
    /// # Errors
    /// Those of `keep`, and of the device that the bodies live on.
    pub fn with_snapshot<T>(&mut self, keep: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
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
        };
        let (errors, last) = (self.errors(), self.is_finished());
        let (bodies, meta) = (self.system.take(), self.meta.clone());
        let mut snapshot = Snapshot { bodies, time: self.clock.time(), units: self.units.clone(), meta };
        restart::save(&mut snapshot, &self.parameters, &progress, &errors, last);
        let kept = keep(&snapshot);
        self.system.put_back(snapshot.bodies);
        kept
    }
}

/// Removes what another integrator run has left with the bodies.
fn forget_columns(snapshot: &mut Snapshot, parameters: &Parameters) {
    let columns = parameters.integrator.integrator().columns();
    snapshot.bodies.extra.retain(|name, _| !columns.contains(&name.as_str()));
}

/// Whether other numbers follow from these parameters than from those of the run that kept the snapshot.
fn is_another_run(snapshot: &Snapshot, parameters: &Parameters) -> bool {
    // the end, and when snapshots are kept, change no step
    let Ok(kept) = Parameters::kept_in(snapshot) else { return true };
    let kept = Parameters { t_end: parameters.t_end, ..kept };
    kept.differences(parameters).iter().any(|setting| setting.effect == Effect::Bits)
}

/// The moves of a scheme whose bodies live on a device, where only those are that are moved so.
fn moves_of(integrator: &dyn Integrator, dt: f64, steps: u64, moved: bool) -> Vec<Move> {
    integrator.moves(dt, steps, moved).unwrap_or_default()
}

/// Whether positions have changed after these moves since the last acceleration.
fn ends_moved(moves: &[Move], before: bool) -> bool {
    moves.last().map_or(before, |last| !last.drifts().is_empty())
}

/// Refuses to continue a run under other forces than it began with, where these are not those of its parameters.
fn check_forces(kept: Option<&str>, forcing: Option<&Forcing>) -> Result<()> {
    let given = forcing.map(|forcing| forcing.model.name());
    if kept == given.as_deref() {
        return Ok(());
    }
    let expected = match (kept, given) {
        (Some(_), None) => {
            "a program computed the forces of this run, and its file does not keep them: the program must \
                            continue it, by Simulation::resume_with in Rust or Simulation.resume(extra=...) in Python"
                .into()
        }
        (_, given) => format!("these forces are called {}: it would be another run", given.unwrap_or_default()),
    };
    Err(Error::Parameter { name: "run.forces", value: kept.unwrap_or("those of the parameters").into(), expected })
}

/// Refuses a limit of an error that is not known.
fn check_limit(parameters: &Parameters, initial: &Diagnostics) -> Result<()> {
    match parameters.max_energy_error.filter(|_| !initial.conserved.energy) {
        Some(limit) => Err(Error::Unsupported {
            capability: Capability::EnergyLimit,
            value: limit.to_string(),
            expected: "these forces have no potential (or one that changes with time), so there is no energy error"
                .into(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
