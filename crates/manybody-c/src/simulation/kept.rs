//! What a handle of a simulation keeps: bodies, and the run that they are in once a step is made.

use crate::border::{Failure, Outcome};
use crate::gravity::check_bodies;
use crate::settings::Chosen;
use manybody::driver::{self, Driver, Event, Prepared};
use manybody::forces::Forcing;
use manybody::law::Targets;
use manybody::settings::Settings;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::Forces;
use manybody::watch::Watch;
use manybody::{Bodies, Snapshot, Units, snapshot};
use std::ops::ControlFlow;

/// Steps that a run without an end of its own gets at once.
const FAR: f64 = (1_u64 << 20) as f64;

/// What a handle keeps.
pub(super) struct Kept {
    pub(super) chosen: Chosen,
    state: State,
    /// What accelerates the bodies outside steps; made when it is first needed.
    forcing: Option<Forcing>,
}

/// Where the bodies are.
enum State {
    /// No step has been made.
    Bodies(Box<Snapshot>),
    /// In a run; the end is that of the settings, where they have one.
    Run { run: Box<Simulation>, end: Option<f64> },
}

/// What a system has of energy, and how far it has moved from its first value.
pub(super) struct Energy {
    pub(super) kinetic: f64,
    pub(super) potential: f64,
    pub(super) error: f64,
}

fn quiet(_: &Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The parameters of a run of these bodies: what is not given is chosen for them, but for times, which are `dt`, where it
/// is there, and an end.
fn parameters(given: &Settings, snapshot: &Snapshot, dt: Option<f64>) -> Outcome<Parameters> {
    let mut given = given.clone();
    if let Some(dt) = dt {
        given.dt.get_or_insert(dt.into());
    }
    given.t_end.get_or_insert((snapshot.time + 1.0).into());
    Ok(driver::parameters(&given, snapshot, &Watch::default(), &mut quiet)?)
}

impl Kept {
    pub(super) fn of(chosen: Chosen, snapshot: Snapshot) -> Self {
        Kept { chosen, state: State::Bodies(Box::new(snapshot)), forcing: None }
    }

    pub(super) fn of_run(chosen: Chosen, run: Simulation) -> Self {
        let end = chosen.settings.t_end.as_ref().map(|_| run.parameters().t_end);
        Kept { chosen, state: State::Run { run: Box::new(run), end }, forcing: None }
    }

    /// The run of the bodies, begun where it is not yet.
    fn run(&mut self) -> Outcome<(&mut Box<Simulation>, Option<f64>)> {
        if let State::Bodies(snapshot) = &self.state {
            let mut parameters = parameters(&self.chosen.settings, snapshot, None)?;
            let end = self.chosen.settings.t_end.as_ref().map(|_| parameters.t_end);
            parameters.t_end = end.unwrap_or(snapshot.time + FAR * parameters.dt);
            let run = Box::new(Simulation::start((**snapshot).clone(), parameters)?);
            self.state = State::Run { run, end };
        }
        match &mut self.state {
            State::Run { run, end } => Ok((run, *end)),
            State::Bodies(_) => Err(Failure::Broken),
        }
    }

    /// The run with another end.
    fn run_until(&mut self, t_end: f64) -> Outcome<&mut Simulation> {
        let (run, _) = self.run()?;
        if run.parameters().t_end != t_end {
            let snapshot = run.with_snapshot(|snapshot| Ok(snapshot.clone()))?;
            **run = Simulation::resume(snapshot, Parameters { t_end, ..run.parameters().clone() })?;
        }
        Ok(run)
    }

    /// Advances to a time, which is met exactly.
    pub(super) fn advance(&mut self, until: f64) -> Outcome {
        let now = self.time();
        if !(until.is_finite() && until >= now) {
            return Err(Failure::Input(format!("until = {until}; must be a finite time, {now} or later")));
        }
        if until == now {
            return Ok(());
        }
        let run = self.run_until(until)?;
        while !run.is_finished() {
            run.advance(u64::MAX)?;
        }
        Ok(())
    }

    /// Makes steps, at most to the end of the settings, and returns how many it were.
    pub(super) fn step(&mut self, steps: u64) -> Outcome<u64> {
        let mut made = 0;
        while made < steps {
            let (run, end) = self.run()?;
            let far = || run.time() + FAR * run.parameters().dt;
            let run = match end {
                // after a time within the settings' end
                Some(end) if run.is_finished() && run.time() < end => self.run_until(end)?,
                None if run.is_finished() => {
                    let far = far();
                    self.run_until(far)?
                }
                _ => run,
            };
            if run.is_finished() {
                break;
            }
            made += run.advance(steps - made)?;
        }
        Ok(made)
    }

    pub(super) fn time(&self) -> f64 {
        match &self.state {
            State::Bodies(snapshot) => snapshot.time,
            State::Run { run, .. } => run.time(),
        }
    }

    pub(super) fn count(&self) -> usize {
        match &self.state {
            State::Bodies(snapshot) => snapshot.bodies.len(),
            State::Run { run, .. } => run.count(),
        }
    }

    fn units(&self) -> &Units {
        match &self.state {
            State::Bodies(snapshot) => &snapshot.units,
            State::Run { run, .. } => run.units(),
        }
    }

    pub(super) fn bodies(&mut self) -> Outcome<&Bodies> {
        match &mut self.state {
            State::Bodies(snapshot) => Ok(&snapshot.bodies),
            State::Run { run, .. } => Ok(run.bodies()?),
        }
    }

    /// Puts other bodies in place of these, or changes them: a new run begins with them, at the present time.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Bodies) -> Outcome) -> Outcome {
        let mut bodies = self.bodies()?.clone();
        change(&mut bodies)?;
        check_bodies(&bodies)?;
        let meta = match &self.state {
            State::Bodies(snapshot) => snapshot.meta.clone(),
            State::Run { .. } => Default::default(),
        };
        let (time, units) = (self.time(), self.units().clone());
        self.state = State::Bodies(Box::new(Snapshot { bodies, time, units, meta }));
        if self.chosen.settings.eps.is_none() || self.chosen.settings.law.is_some() {
            // which may depend on the bodies
            self.forcing = None;
        }
        Ok(())
    }

    /// The accelerations of the bodies, or of some.
    pub(super) fn accelerations(&mut self, targets: &Targets<'_>) -> Outcome<[Vec<f64>; 3]> {
        if self.forcing.is_none() {
            self.forcing = Some(self.make_forcing()?);
        }
        let Kept { state, forcing: Some(forcing), .. } = self else { return Err(Failure::Broken) };
        let (bodies, time) = match state {
            State::Bodies(snapshot) => (&snapshot.bodies, snapshot.time),
            State::Run { run, .. } => {
                let time = run.time();
                (run.bodies()?, time)
            }
        };
        let [ax, ay, az] = forcing.accelerations(bodies, targets, time)?;
        let found = Forces { ax, ay, az, ..Forces::default() };
        found.check_finite(if let Targets::List(list) = targets { Some(list) } else { None })?;
        Ok([found.ax, found.ay, found.az])
    }

    fn make_forcing(&mut self) -> Outcome<Forcing> {
        match &mut self.state {
            State::Bodies(snapshot) => {
                let parameters = parameters(&self.chosen.settings, snapshot, Some(1.0))?;
                Ok(Forcing::of(&parameters, &snapshot.units, &mut snapshot.bodies)?)
            }
            State::Run { run, .. } => {
                let (parameters, units) = (run.parameters().clone(), run.units().clone());
                // a run has no softenings of bodies' own beside one for all
                let mut columns = run.bodies()?.clone();
                Ok(Forcing::of(&parameters, &units, &mut columns)?)
            }
        }
    }

    pub(super) fn energy(&mut self) -> Outcome<Energy> {
        match &mut self.state {
            State::Bodies(snapshot) => {
                let parameters = parameters(&self.chosen.settings, snapshot, Some(1.0))?;
                let run = Simulation::start((**snapshot).clone(), parameters)?;
                let now = run.initial();
                Ok(Energy { kinetic: now.kinetic, potential: now.potential, error: 0.0 })
            }
            State::Run { run, .. } => {
                let now = run.measure()?;
                let error = now.drift_beside(run.initial(), run.tally()).energy;
                Ok(Energy { kinetic: now.kinetic, potential: now.potential, error })
            }
        }
    }

    /// The value of a setting as text: as it was given, and in a run also as it was chosen.
    pub(super) fn setting(&self, name: &str) -> Outcome<String> {
        let given = self.chosen.get(name)?;
        let State::Run { run, .. } = &self.state else { return Ok(given) };
        let chosen = run.parameters().describe().raw();
        let found = chosen.into_iter().find(|(setting, _)| setting.name == name);
        Ok(found.map_or(given, |(_, raw)| raw.to_string()))
    }

    pub(super) fn save(&mut self, path: &std::path::Path) -> Outcome {
        match &mut self.state {
            State::Bodies(state) => snapshot::write(path, state)?,
            State::Run { run, .. } => run.with_snapshot(|state| snapshot::write(path, state))?,
        };
        Ok(())
    }
}

/// The run that a file has kept, with what is given in place of its own parameters.
pub(super) fn resumed(chosen: &Chosen, path: &std::path::Path) -> Outcome<Simulation> {
    let snapshot = snapshot::read(path)?;
    let kept = Parameters::from_snapshot(&snapshot).map_err(|error| error.of_settings_in(path))?;
    let parameters = kept.with(&chosen.settings, &snapshot.units).map_err(|error| error.in_file(path))?;
    Ok(Simulation::resume(snapshot, parameters).map_err(|error| error.in_file(path))?)
}

/// A run of bodies that are read or drawn as the settings say.
pub(super) fn started(settings: Settings) -> Outcome<Simulation> {
    match Driver::new(settings).prepare(&mut quiet)? {
        Prepared::Run(run) => Ok(run.into_simulation()),
        Prepared::Finished(file) => {
            let snapshot = snapshot::read(&file)?;
            let parameters = Parameters::from_snapshot(&snapshot)?;
            Ok(Simulation::resume(snapshot, parameters)?)
        }
    }
}
