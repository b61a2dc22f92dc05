//! A run in the memory, step by step.

use crate::calls::{compute, compute_watched, watch};
use crate::errors::{raise, warn, wrong};
use crate::force::{Extra, ExtraWords, Thrown};
use crate::settings::{Words, settings};
use crate::snapshot::Snapshot;
use manybody::diagnostics::Diagnostics;
use manybody::driver::{self, Event};
use manybody::events::{BodyEvent, Tally};
use manybody::forces::Forcing;
use manybody::settings::Settings;
use manybody::simulation::{self, Parameters};
use manybody::solver::Device;
use manybody::watch::Watch;
use manybody::{Result, snapshot};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Between two looks for signals in a run with forces of Python's.
const PACE: Duration = Duration::from_millis(50);

/// Steps between two looks for signals, for systems whose steps are short.
const STEPS: u64 = 1 << 16;

/// Pairs between two looks for signals: a tenth of a second on two cores, or on a GPU.
fn pairs_at_once(device: Device) -> u64 {
    if device.is_gpu() { 1 << 36 } else { 1 << 28 }
}

/// A run in the memory.
#[pyclass(frozen, name = "Simulation", module = "manybody._native")]
pub(crate) struct Simulation {
    run: Mutex<Run>,
    /// What was chosen, and what may be wrong with it.
    #[pyo3(get)]
    notes: Vec<String>,
}

struct Run {
    run: simulation::Simulation,
    watch: Watch,
    /// Forces beside those of the parameters.
    extra: Vec<Extra>,
    /// What a force of Python's has raised.
    thrown: Thrown,
    /// The parameters with the forces that they name, which a run under further forces does not keep.
    parameters: Parameters,
    /// Mergers and escapes so far.
    happened: Vec<BodyEvent>,
}

/// Time, kind, id, id of the other body, its mass and that of the other, radius, position, velocity, speed, change of the
/// energy.
type Happened = (f64, &'static str, u64, Option<u64>, f64, Option<f64>, Option<f64>, [f64; 3], [f64; 3], f64, f64);

/// Time, mass, kinetic and potential energy, momentum, angular momentum, centre of mass, half-mass radius, and the drifts of
/// energy, momentum and angular momentum since the start.
type Measured = (f64, f64, f64, f64, [f64; 3], [f64; 3], [f64; 3], f64, [f64; 3]);

#[pymethods]
impl Simulation {
    /// A run of bodies. What the settings do not say is chosen for them; what was chosen is in the notes.
    #[new]
    fn new(py: Python<'_>, start: &Snapshot, words: Words, extra: Vec<ExtraWords>) -> PyResult<Self> {
        let extra = extra.into_iter().map(Extra::from).collect();
        let given = settings(&words)?;
        let snapshot = start.inner.clone();
        let mut notes = Vec::new();
        // a tolerance is found by trials, which evaluate all forces some times
        let (watch, pairs) = (watch(), (snapshot.bodies.len() as u64).saturating_pow(2));
        let parameters = compute_watched(py, pairs, &watch, || choose(given, &snapshot, &watch, &mut notes))?;
        let mut run = begin(py, snapshot, parameters, extra, Origin::Bodies)?;
        for warning in run.run.warnings().map_err(raise)? {
            warn(py, &warning)?;
        }
        Ok(Simulation { run: Mutex::new(run), notes })
    }

    /// The run that a file has kept, to go on.
    #[staticmethod]
    fn resume(py: Python<'_>, path: PathBuf, words: Words, extra: Vec<ExtraWords>) -> PyResult<Self> {
        let extra: Vec<Extra> = extra.into_iter().map(Extra::from).collect();
        let given = settings(&words)?;
        let (snapshot, parameters) = compute(py, || {
            let snapshot = snapshot::read(&path)?;
            let kept = Parameters::from_snapshot(&snapshot).map_err(|error| error.of_settings_in(&path))?;
            let parameters = kept.with(&given, &snapshot.units).map_err(|error| error.in_file(&path))?;
            Ok((snapshot, parameters))
        })?;
        check_extra(&snapshot, &parameters, &extra)?;
        let run = Mutex::new(begin(py, snapshot, parameters, extra, Origin::File(&path))?);
        Ok(Simulation { run, notes: Vec::new() })
    }

    /// Lets the run end at another time.
    fn set_end(&self, py: Python<'_>, t_end: f64) -> PyResult<()> {
        self.run()?.renew(py, Some(t_end))
    }

    /// Advances to the first step at `until` or later, or to the end.
    fn advance(&self, py: Python<'_>, until: f64) -> PyResult<()> {
        let mut run = self.run()?;
        // what forces of Python's take shows when they are called
        let mut paced = if run.extra.is_empty() { u64::MAX } else { 1 };
        loop {
            let Run { run: simulation, watch, thrown, .. } = &mut *run;
            let (left, dt) = (until - simulation.time(), simulation.parameters().dt);
            // steps of a thousandth of the last one would come from rounding
            if simulation.is_finished() || left <= 1e-3 * dt {
                return Ok(());
            }
            let n = simulation.count() as u64;
            let step = n.saturating_mul(n).max(1);
            let at_once = (pairs_at_once(simulation.parameters().device) / step).clamp(1, STEPS);
            let most = ((left / dt - 1e-3).ceil() as u64).clamp(1, at_once.min(paced));
            let before = Instant::now();
            let pairs = step.saturating_mul(most);
            let done = compute_watched(py, pairs, watch, || simulation.advance(most));
            if paced < u64::MAX {
                paced = if before.elapsed() < PACE { most.saturating_mul(2) } else { most.div_ceil(2) };
            }
            let thrown = thrown.take();
            let happened = simulation.take_events();
            run.happened.extend(happened);
            let Run { watch, .. } = &*run;
            if watch.is_stopped() {
                // a watch that has ended a computation ends every one: the run goes on under another
                run.renew(py, None)?;
            }
            thrown.map_or(done.map(drop), Err)?;
            py.check_signals()?;
        }
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.run()?.run.time())
    }

    /// Steps since the start of the run.
    #[getter]
    fn step(&self) -> PyResult<u64> {
        Ok(self.run()?.run.steps_since_start())
    }

    #[getter]
    fn forces_name(&self) -> PyResult<String> {
        Ok(self.run()?.run.forces_name())
    }

    /// The settings of the run, as text.
    #[getter]
    fn settings(&self) -> PyResult<Vec<(String, String)>> {
        Ok(crate::settings::described(&self.run()?.parameters))
    }

    /// The state, from which the run can be resumed.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        self.run()?.snapshot(py).map(Snapshot::from)
    }

    /// Mergers and escapes since this simulation was made.
    #[getter]
    fn events(&self) -> PyResult<Vec<Happened>> {
        let of = |e: &BodyEvent| {
            let (id, of_mass, moved) = ((e.id, e.other), (e.mass, e.other_mass), (e.position, e.velocity));
            (e.time, e.kind.name(), id.0, id.1, of_mass.0, of_mass.1, e.radius, moved.0, moved.1, e.speed, e.energy)
        };
        Ok(self.run()?.happened.iter().map(of).collect())
    }

    /// What the run conserves, and a few measures, now; at the cost of a force evaluation.
    fn measure(&self, py: Python<'_>) -> PyResult<Measured> {
        let mut run = self.run()?;
        let found = run.watched(py, simulation::Simulation::measure)?;
        Ok(measured(&found, run.run.initial(), run.run.tally()))
    }

    /// Audits the forces, and checks the energy, as a run with files does at its snapshots: those that are named. Returns
    /// what must be said of errors that the precision explains.
    fn check(&self, py: Python<'_>, forces: bool, energy: bool) -> PyResult<Option<String>> {
        self.run()?.watched(py, |simulation| {
            let errors = if forces { simulation.audit()? } else { None };
            if energy {
                simulation.check()?;
            }
            Ok(errors.and_then(|errors| errors.warning(&simulation.parameters().method())))
        })
    }

    /// The same at the start.
    #[getter]
    fn initial(&self) -> PyResult<Measured> {
        let run = self.run()?;
        Ok(measured(run.run.initial(), run.run.initial(), &Tally::default()))
    }

    /// Writes the state to a file, from which the run can be resumed.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        let mut run = self.run()?;
        let simulation = &mut run.run;
        compute(py, || simulation.with_snapshot(|state| snapshot::write(&path, state)))
    }
}

impl Run {
    /// Computes something of about all pairs, which a signal or an exception of a force ends.
    fn watched<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut simulation::Simulation) -> Result<T> + Send,
    ) -> PyResult<T> {
        let Run { run: simulation, watch, .. } = self;
        let pairs = (simulation.count() as u64).saturating_pow(2);
        let found = compute_watched(py, pairs, watch, || work(simulation));
        if watch.is_stopped() {
            // a watch that has ended a computation ends every one: the run goes on under another
            self.renew(py, None)?;
        }
        self.thrown.take().map_or(found, Err)
    }

    fn snapshot(&mut self, py: Python<'_>) -> PyResult<manybody::Snapshot> {
        let run = &mut self.run;
        compute(py, || run.with_snapshot(|snapshot| Ok(snapshot.clone())))
    }

    /// The same run from its present state, perhaps with another end.
    fn renew(&mut self, py: Python<'_>, t_end: Option<f64>) -> PyResult<()> {
        let snapshot = self.snapshot(py)?;
        let t_end = t_end.unwrap_or(self.parameters.t_end);
        let happened = std::mem::take(&mut self.happened);
        let parameters = Parameters { t_end, ..self.parameters.clone() };
        *self = Run { happened, ..begin(py, snapshot, parameters, self.extra.clone(), Origin::State)? };
        Ok(())
    }
}

impl Simulation {
    fn run(&self) -> PyResult<MutexGuard<'_, Run>> {
        self.run.try_lock().map_err(|_| {
            PyRuntimeError::new_err("the simulation is in use: by another thread, or by a force or callback of its own")
        })
    }
}

fn choose(
    mut given: Settings,
    snapshot: &manybody::Snapshot,
    watch: &Watch,
    notes: &mut Vec<String>,
) -> Result<Parameters> {
    // an end is given when the run is made
    given.t_end.get_or_insert_with(|| (snapshot.time + 1.0).into());
    driver::parameters(&given, snapshot, watch, &mut |event: &Event<'_>| {
        if let Event::Note(text) | Event::Warning(text) = event {
            notes.push((*text).to_owned());
        }
        ControlFlow::Continue(())
    })
}

/// Refuses to go on without the forces beside those of the settings, or with others, in the words of Python's keywords.
fn check_extra(snapshot: &manybody::Snapshot, parameters: &Parameters, extra: &[Extra]) -> PyResult<()> {
    match (snapshot.meta.get("run.forces"), extra.is_empty()) {
        (Some(forces), true) => {
            let expected = "must be given again, the same as when the run began: its file does not keep these forces";
            Err(wrong("extra", format!("is not given, for a run whose forces are {forces}"), expected))
        }
        (None, false) if snapshot.meta.contains_key("run.step") => {
            let expected = "must not be given: it would be another run, which begins by Simulation(manybody.read(...))";
            Err(wrong("extra", "is given, for a run that began without", expected))
        }
        (Some(_), false) if parameters.law().is_none() && parameters.eps.is_none() && snapshot.bodies.eps.is_none() => {
            let expected = "must be given again beside extra, as when the run began: these bodies have no softening of \
                            their own, and the file of a run with extra forces does not keep it";
            Err(wrong("eps", "is not given", expected))
        }
        _ => Ok(()),
    }
}

/// What a run begins with.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// Bodies.
    Bodies,
    /// The present state of the same run.
    State,
    /// What a run has kept in a file.
    File(&'a Path),
}

/// Begins a run, or goes on with one.
fn begin(
    py: Python<'_>,
    mut snapshot: manybody::Snapshot,
    parameters: Parameters,
    extra: Vec<Extra>,
    origin: Origin<'_>,
) -> PyResult<Run> {
    let (watch, thrown) = (watch(), Thrown::default());
    let (of, given) = (parameters.clone(), extra.clone());
    let resumed = !matches!(origin, Origin::Bodies);
    // its first forces, and its energy
    let pairs = 2 * (snapshot.bodies.len() as u64).saturating_pow(2);
    let run = compute_watched(py, pairs, &watch, || {
        use simulation::Simulation as Run;
        let begun = if extra.is_empty() {
            match resumed {
                true => Run::resume_watched(snapshot, of, &watch),
                false => Run::start_watched(snapshot, of, &watch),
            }
        } else {
            let mut forcing = Forcing::of(&of, &snapshot.units.clone(), &mut snapshot.bodies)?;
            for extra in extra {
                forcing = extra.beside(forcing, &of.method(), &snapshot, &thrown)?;
            }
            match resumed {
                true => Run::resume_with_watched(snapshot, of, forcing, &watch),
                false => Run::start_with_watched(snapshot, of, forcing, &watch),
            }
        };
        begun.map_err(|error| match origin {
            Origin::File(path) => error.in_file(path),
            _ => error,
        })
    });
    if let Some(error) = thrown.take() {
        return Err(error);
    }
    Ok(Run { run: run?, watch, extra: given, thrown, parameters, happened: Vec::new() })
}

fn measured(now: &Diagnostics, initial: &Diagnostics, tally: &Tally) -> Measured {
    let drift = now.drift_beside(initial, tally);
    (
        now.time,
        now.mass,
        now.kinetic,
        now.potential,
        now.momentum,
        now.angular_momentum,
        now.center_of_mass,
        now.half_mass_radius,
        [drift.energy, drift.momentum, drift.angular_momentum],
    )
}
