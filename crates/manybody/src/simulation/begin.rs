//! The beginning of a run: from a snapshot that is new, or that a run has kept.

use super::{Clock, Errors, HostSystem, Parameters, Schedule, Simulation, fingerprint_under, restart};
use crate::diagnostics::Diagnostics;
use crate::error::Capability;
use crate::events::{RADIUS, Tally};
use crate::forces::Forcing;
use crate::law::Law;
use crate::settings::Effect;
use crate::solver::Frame;
use crate::watch::Watch;
use crate::{Bodies, Error, Result, Snapshot};

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
        if let Some(radius) = parameters.radius {
            give_radius(&mut snapshot.bodies, radius);
        }
        let clock = Clock::new(snapshot.time, parameters.dt, parameters.t_end)?;
        let start = snapshot.time;
        let law = parameters.law().filter(|_| forcing.is_none()).map(Law::by_name_or_text).transpose()?;
        let fingerprint =
            fingerprint_under(&snapshot, law.as_ref(), parameters.collisions.is_some() && parameters.radius.is_none());
        let mut run = Self::assemble(snapshot, parameters, forcing, clock, start, None, watch)?;
        run.fingerprint = Some(fingerprint);
        run.initial = run.measure()?;
        run.note_energy(run.initial.drift_since(&run.initial).energy);
        run.save_checkpoint()?;
        Ok(run)
    }

    /// Resumes the run that `snapshot` was kept by. `parameters` are those of
    /// [`Parameters::from_snapshot`] for the same run, or changed ones for another that continues it.
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
        let progress = restart::Progress::from_snapshot(&snapshot)?;
        check_forces(progress.forces.as_deref(), forcing.as_ref())?;
        let is_another_run = is_another_run(&snapshot, &parameters);
        if is_another_run {
            forget_columns(&mut snapshot, &parameters);
            let kept = Parameters::from_snapshot(&snapshot).ok().and_then(|kept| kept.radius);
            if let Some(radius) = parameters.radius.filter(|_| kept != parameters.radius) {
                give_radius(&mut snapshot.bodies, radius);
            }
        }
        restart::strip(&mut snapshot.meta);
        let clock = Clock::resume(progress.origin, progress.step, parameters.dt, snapshot.time, parameters.t_end)?;
        if !is_another_run && progress.before + progress.step > 0 {
            let integrator = parameters.integrator.with(&parameters.step_control());
            integrator.check_kept(&snapshot.bodies, parameters.dt)?;
        }
        let mut run = Self::assemble(snapshot, parameters, forcing, clock, progress.start, progress.frame, watch)?;
        let conserved = run.initial.conserved;
        run.initial = Diagnostics { conserved, ..progress.initial };
        // a new grid of steps begins at 0
        run.before = progress.before + progress.step.saturating_sub(clock.step());
        run.fingerprint = progress.fingerprint;
        (run.tally, run.own_hook) = (progress.tally, progress.hook);
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
        let collides = parameters.collisions.is_some();
        if collides {
            check_radii(&bodies)?;
        }
        let has_events = parameters.has_events();
        if has_events && forcing.model.gravity().is_none() {
            let (value, expected) = ("events".into(), "bodies merge and are removed under gravity only".into());
            return Err(Error::Unsupported { capability: Capability::Law, value, expected });
        }
        if let Some(radius) = parameters.remove_escapers.filter(|_| !forcing.fields.is_empty()) {
            let expected = "an energy above 0 does not mean that a body leaves, where a field acts".into();
            return Err(Error::Parameter { name: "remove-escapers", value: radius.to_string(), expected });
        }
        let mut system = HostSystem::with(bodies, forcing, time).carrying(integrator.columns()).colliding(collides);
        Ok(Simulation {
            // a scheme that does more than drift and kick needs the bodies here
            resident: match integrator.substeps() {
                Some(_) if !has_events => system.resident(frame)?,
                _ => None,
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
            hook: None,
            own_hook: None,
            tally: Tally::default(),
            happened: Vec::new(),
            checkpoint: None,
            parameters,
        })
    }
}

/// Gives all bodies a radius.
fn give_radius(bodies: &mut Bodies, radius: f64) {
    bodies.extra.insert(RADIUS.into(), vec![radius; bodies.len()]);
}

/// Refuses bodies without radii, and radii that nothing can be computed with.
pub(super) fn check_radii(bodies: &Bodies) -> Result<()> {
    let Some(radii) = bodies.extra.get(RADIUS) else {
        let expected = "--collisions needs the radii of the bodies: their column radius, or --radius".into();
        return Err(Error::Missing { name: "radius", expected });
    };
    if radii.len() != bodies.len() {
        let (value, expected) = (format!("{} values", radii.len()), format!("must be {}, one a body", bodies.len()));
        return Err(Error::Parameter { name: "radius", value, expected });
    }
    match radii.iter().position(|radius| !(*radius >= 0.0 && radius.is_finite())) {
        Some(index) => {
            let (id, value) = (bodies.id[index], radii[index]);
            Err(Error::Body { index, id, field: RADIUS, value, expected: "must be a finite length, 0 or more" })
        }
        None => Ok(()),
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
    let Ok(kept) = Parameters::from_snapshot(snapshot) else { return true };
    let kept = Parameters { t_end: parameters.t_end, ..kept };
    kept.differences(parameters).iter().any(|setting| setting.effect == Effect::Bits)
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
    Err(Error::Kept { entry: "run.forces", value: kept.unwrap_or("those of the parameters").into(), expected })
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
