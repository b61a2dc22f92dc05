//! From what was said about a run to the run: what is missing is chosen, what cannot be is refused.

use super::accuracy::{self, Method};
use super::outputs::Outputs;
use super::scene::{Quantity, Scene};
use super::start::{self, Start};
use super::writing::Writing;
use crate::console::{number, say};
use crate::device;
use crate::quantity;
use manybody::integrator;
use manybody::simulation::{NoSuggestion, Parameters, Simulation, Suggestion};
use manybody::snapshot::atomic::is_there;
use manybody::solver::{Gravity, Precision, Summation};
use manybody::units::{Dimension, Units};
use manybody::watch::Watch;
use manybody::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The last snapshot where nothing is said.
const DEFAULT_OUT: &str = "manybody.hdf5";

/// A run that can begin.
pub(super) struct Plan {
    pub(super) run: Simulation,
    pub(super) outputs: Outputs,
    /// The whole description, nothing left to a default; to be written beside the output.
    pub(super) scene: Scene,
    /// What starts, in words.
    pub(super) description: String,
    /// Files that the run has read and must not replace.
    pub(super) inputs: Vec<PathBuf>,
    /// The run goes on among its own files.
    pub(super) in_place: bool,
    /// The run begins here, at its first bodies.
    pub(super) begins: bool,
    /// The step of the newest snapshot on disk.
    pub(super) kept_at: Option<u64>,
    /// A snapshot on the way that is being written.
    pub(super) writing: Option<Writing>,
    /// The time of a snapshot that could not be written while the run went on.
    pub(super) lost: Option<f64>,
    /// What audits have taken so far.
    pub(super) auditing: Duration,
    /// What must be said of it at the end, too.
    pub(super) warnings: Vec<String>,
}

/// What a run is made with besides its description.
#[derive(Clone, Copy)]
pub(super) struct Means<'a> {
    pub(super) to_json: bool,
    /// Of the GPUs that share every evaluation.
    pub(super) ordinals: &'a [usize],
    pub(super) watch: &'a Watch,
}

/// What there is to do.
pub(super) enum Todo {
    /// A run.
    Run(Box<Plan>),
    /// Nothing: this run has been finished before.
    Finished(PathBuf),
}

/// A run from a file or initial conditions.
///
/// # Errors
/// Those of the input, always bad input or a file that cannot be read.
pub(super) fn fresh(scene: Scene, means: Means<'_>) -> Result<Plan> {
    let out = scene.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let outputs = Outputs::new(&out)?;
    let start = start::load(&scene)?;
    let parameters = choose(&scene, &start, means.ordinals)?;
    let scene = Scene { out: outputs.to_say(), ..describe(start.scene, &parameters) };
    Ok(Plan {
        run: Simulation::start_watched(start.snapshot, parameters, means.watch)
            .map_err(|error| start::blame(error, scene.file.as_deref()))?,
        outputs,
        description: start.description,
        inputs: scene.file.iter().cloned().collect(),
        scene,
        in_place: false,
        begins: true,
        kept_at: None,
        writing: None,
        lost: None,
        auditing: Duration::ZERO,
        warnings: Vec::new(),
    })
}

/// A run taken up again from a file that it has kept: `path` itself or, where `path` is the name of a last snapshot
/// that is not there yet, the newest of those on the way.
///
/// # Errors
/// Those of the input.
pub(super) fn resumed(scene: Scene, path: &Path, means: Means<'_>) -> Result<Todo> {
    if let Some((name, value)) = start::words(&scene).next() {
        let expected = format!("the bodies are those of {}, to go on from: one or the other", path.display());
        return Err(Error::Parameter { name, value, expected });
    }
    let asked = path;
    let own = |out: &PathBuf| out == path || Outputs::of_kept(path).is_ok_and(|own| own.last_snapshot() == *out);
    let elsewhere = scene.out.as_ref().is_some_and(|out| !own(out));
    let (path, snapshot) = match start::find_kept(path, elsewhere, means.to_json)? {
        start::Kept::Snapshot(path, snapshot) => (path, *snapshot),
        start::Kept::OnlyScene(file) => return anew(scene, path, &file, means),
        start::Kept::Finished(path) => return Ok(Todo::Finished(path)),
    };
    let damaged = |error| start::blame(error, Some(&path));
    let kept = Parameters::kept_in(&snapshot).map_err(damaged)?;
    let mut parameters = override_kept(&scene, &kept, &snapshot.units)?;
    let last = snapshot.time == kept.t_end;
    // where a run is to be stopped changes nothing that it computes
    let Parameters { max_energy_error, audit_limit, .. } = kept;
    let changed = Parameters { max_energy_error, audit_limit, ..parameters.clone() } != kept;
    if last && !changed && scene.out.as_ref().is_none_or(|out| *out == path) {
        return Ok(Todo::Finished(path));
    }
    let own = || if last { Outputs::new(&path) } else { Outputs::of_kept(&path) };
    let outputs = match &scene.out {
        Some(out) => Outputs::new(out)?,
        // by the name of a run whose format rounds
        None if asked.extension() != path.extension() && !changed => Outputs::new(asked)?,
        None if changed => {
            let expected = format!(
                "with other parameters than those of {} this is another run: name its output with --out",
                path.display()
            );
            return Err(Error::Missing { name: "out", expected });
        }
        None => own()?,
    };
    let in_place = match own() {
        Ok(own) => !changed && outputs.is_run_of(&own),
        Err(error @ Error::Io { .. }) => return Err(error),
        // a name that no run gives its snapshots
        Err(_) => false,
    };
    if in_place && is_there(&outputs.scene())? {
        described(&outputs, asked)?;
    }
    let scene = Scene { resume: Some(path.clone()), out: outputs.to_say(), ..describe(Scene::default(), &parameters) };
    let description = format!("{} at t = {}", path.display(), number(snapshot.time));
    parameters.ordinals = means.ordinals.to_vec();
    let run = Simulation::resume_watched(snapshot, parameters, means.watch).map_err(damaged)?;
    let kept_at = Some(run.clock().step());
    let (inputs, auditing) = (vec![path], Duration::ZERO);
    Ok(Todo::Run(Box::new(Plan {
        run,
        outputs,
        scene,
        description,
        inputs,
        in_place,
        begins: false,
        kept_at,
        writing: None,
        lost: None,
        auditing,
        warnings: Vec::new(),
    })))
}

/// Reads the description beside the files of a run that is to go on.
///
/// # Errors
/// Those of the file, and [`Error::Parameter`] where it is that of a run with files in another format: two runs of one
/// name share it, and the later one has written it.
fn described(outputs: &Outputs, path: &Path) -> Result<Scene> {
    let file = outputs.scene();
    let scene = Scene::read(&file)?;
    if outputs.is_described_by(&scene) {
        return Ok(scene);
    }
    let of = scene.out.unwrap_or_else(|| file.with_extension("hdf5"));
    Err(Error::Parameter {
        name: "resume",
        value: path.display().to_string(),
        expected: format!(
            "{} describes another run, that of {}, which took its place: go on from a numbered snapshot under another \
             name, with --resume and --out",
            file.display(),
            of.display()
        ),
    })
}

/// A run that ended before it kept anything, begun anew from its description `file`; `path` is its last snapshot.
fn anew(said: Scene, path: &Path, file: &Path, means: Means<'_>) -> Result<Todo> {
    let description = described(&Outputs::new(path)?, path)?;
    say(format_args!("no snapshot was kept before the run ended: beginning anew from {}", file.display()));
    let said = Scene { resume: None, out: None, ..said };
    let as_before = said == Scene::default();
    let scene = Scene { out: Some(path.into()), ..description.overlaid(said) };
    let mut todo = match scene.resume.clone() {
        Some(from) if from == path => {
            return Err(Error::Parameter {
                name: "resume",
                value: from.display().to_string(),
                expected: format!("{} goes on from its own end, which is not there", file.display()),
            });
        }
        Some(from) => resumed(scene, &from, means)?,
        None => Todo::Run(Box::new(fresh(scene, means)?)),
    };
    if let Todo::Run(plan) = &mut todo {
        plan.in_place = as_before;
    }
    Ok(todo)
}

/// The parameters of a new run: what was said, and for the rest what suits the system.
fn choose(scene: &Scene, start: &Start, ordinals: &[usize]) -> Result<Parameters> {
    let (snapshot, times) = (&start.snapshot, start.times);
    let said = Said::new(scene, &snapshot.units)?;
    let default = Parameters::default();
    let bodies = &snapshot.bodies;
    let own_eps = said.eps.is_none() && bodies.eps.is_some();
    let suggestion = if said.dt.is_some() && said.t_end.is_some() && (said.eps.is_some() || own_eps) {
        Err(None)
    } else {
        // a system of few bodies has orbits to resolve, not a field to smooth
        let eps = said.eps.or_else(|| own_eps.then(|| mean(bodies.eps.as_deref().unwrap_or_default())));
        Suggestion::new(bodies, &snapshot.units, eps).map_err(Some)
    };
    let (suggestion, why) = match suggestion {
        Ok(suggestion) => (Some(suggestion), None),
        Err(why) => (None, why),
    };
    let duration = suggestion.map(|s| s.duration).or(times.map(|t| t.duration));
    let orbits = matches!(why, Some(NoSuggestion::Few(_) | NoSuggestion::Massless)).then_some(0.0);
    let eps = said.eps.or(orbits).or(suggestion.map(|s| s.eps));
    let dt = said.dt.or(suggestion.map(|s| s.dt)).or(times.map(|t| t.dt));
    let t_end = said.t_end.or(duration.map(|duration| snapshot.time + duration));
    let known = [("eps", eps.is_some() || own_eps), ("dt", dt.is_some()), ("t-end", t_end.is_some())];
    let absent: Vec<&'static str> = known.into_iter().filter(|(_, known)| !known).map(|(name, _)| name).collect();
    let (Some(dt), Some(t_end), true) = (dt, t_end, absent.is_empty()) else {
        return Err(missing(&absent, why, &snapshot.units));
    };
    let eps = eps.filter(|_| !own_eps);
    let (sum, method) = (said.sum.unwrap_or_default(), said.precision.unwrap_or(default.precision));
    let Method { device, solver, precision } = match said.rtol {
        // a description that says both has been through this before
        Some(rtol) if said.precision.is_none() => {
            let mut bodies = bodies.clone();
            bodies.eps = bodies.eps.filter(|_| own_eps);
            let gravity = Gravity { g: snapshot.units.g, eps: eps.unwrap_or(0.0) };
            gravity.check_apart(&bodies)?;
            accuracy::cheapest(rtol, &bodies, &gravity, (scene.device.as_deref(), ordinals))?
        }
        _ => {
            let device = device::choose(scene.device.as_deref(), method, bodies.len())?;
            let solver = || device::default_solver_of(device, method, sum).into();
            Method { device, solver: scene.solver.clone().unwrap_or_else(solver), precision: method }
        }
    };
    let dt = match said.snapshot_every.filter(|every| said.dt.is_none() && *every >= dt && every.is_finite()) {
        // snapshots fall on the times that were asked for
        Some(every) => every / (every / dt).ceil(),
        None => dt,
    };
    let integrator = scene.integrator.clone().unwrap_or(default.integrator);
    let audit = match said.audit {
        Some(share) => share,
        None if said.rtol.is_some() => device::default_audit(device),
        None => {
            let evaluations = integrator::by_name(&integrator)?.evaluations() as f64 * (t_end - snapshot.time) / dt;
            let cheap = device::audit_is_cheap(device, precision, bodies.len(), evaluations / 2.0);
            let share = device::default_audit(device);
            if !cheap {
                say(format_args!(
                    "forces are not audited: it would cost more than 2 % of so short a run; --audit {share} does it"
                ));
            }
            if cheap { share } else { 0.0 }
        }
    };
    let parameters = Parameters {
        dt,
        t_end,
        eps,
        integrator,
        solver,
        device,
        ordinals: ordinals.to_vec(),
        precision,
        sum,
        snapshot_every: said.snapshot_every,
        audit,
        audit_limit: said.audit_limit,
        max_energy_error: said.max_energy_error,
        rtol: said.rtol,
    };
    let of = suggestion.map(|s| {
        let radius = format!("{:.4}", s.virial_radius);
        let unit = quantity::length_unit(&snapshot.units).map_or(String::new(), |unit| format!(" {unit}"));
        let massive = if s.massive < bodies.len() { " with a mass and" } else { " with" };
        format!("{} bodies{massive} virial radius {radius}{unit}", s.massive)
    });
    if let Some(of) = of.or_else(|| times.map(|_| start.description.clone())) {
        tell_chosen(&said, &parameters, &of, &snapshot.units);
    }
    Ok(parameters)
}

/// The parameters a run was kept with, and what is said over them.
fn override_kept(scene: &Scene, kept: &Parameters, units: &Units) -> Result<Parameters> {
    let said = Said::new(scene, units)?;
    let kept = kept.clone();
    let precision = said.precision.unwrap_or(kept.precision);
    let device = match scene.device.as_deref() {
        None => kept.device,
        asked => device::choose(asked, precision, usize::MAX)?,
    };
    Ok(Parameters {
        dt: said.dt.unwrap_or(kept.dt),
        t_end: said.t_end.unwrap_or(kept.t_end),
        eps: said.eps.or(kept.eps),
        integrator: scene.integrator.clone().unwrap_or(kept.integrator),
        solver: scene.solver.clone().unwrap_or(kept.solver),
        device,
        ordinals: kept.ordinals,
        precision,
        sum: said.sum.unwrap_or(kept.sum),
        snapshot_every: said.snapshot_every.or(kept.snapshot_every),
        audit: said.audit.unwrap_or(kept.audit),
        audit_limit: said.audit_limit.or(kept.audit_limit),
        max_energy_error: said.max_energy_error.or(kept.max_energy_error),
        rtol: kept.rtol,
    })
}

/// What was said, as numbers.
struct Said {
    dt: Option<f64>,
    t_end: Option<f64>,
    eps: Option<f64>,
    snapshot_every: Option<f64>,
    precision: Option<Precision>,
    sum: Option<Summation>,
    rtol: Option<f64>,
    audit: Option<f64>,
    audit_limit: Option<f64>,
    max_energy_error: Option<f64>,
}

impl Said {
    fn new(scene: &Scene, units: &Units) -> Result<Self> {
        let read = |name, quantity: &Option<Quantity>, dimension| {
            quantity.as_ref().map(|quantity| quantity.value(name, dimension, units)).transpose()
        };
        Ok(Said {
            dt: read("dt", &scene.dt, Dimension::TIME)?,
            t_end: read("t-end", &scene.t_end, Dimension::TIME)?,
            eps: read("eps", &scene.eps, Dimension::LENGTH)?,
            snapshot_every: read("snapshot-every", &scene.snapshot_every, Dimension::TIME)?,
            precision: scene.precision.as_deref().map(str::parse).transpose()?,
            sum: scene.sum.as_deref().map(str::parse).transpose()?,
            rtol: read("rtol", &scene.rtol, Dimension::NUMBER)?,
            audit: read("audit", &scene.audit, Dimension::NUMBER)?,
            audit_limit: read("audit-limit", &scene.audit_limit, Dimension::NUMBER)?,
            max_energy_error: read("max-energy-error", &scene.max_energy_error, Dimension::NUMBER)?,
        })
    }
}

/// The description of a run in which everything has been decided.
fn describe(start: Scene, parameters: &Parameters) -> Scene {
    let number = |value| Some(Quantity::Number(value));
    Scene {
        dt: number(parameters.dt),
        t_end: number(parameters.t_end),
        eps: parameters.eps.and_then(number),
        integrator: Some(parameters.integrator.clone()),
        solver: Some(parameters.solver.clone()),
        precision: Some(parameters.precision.to_string()),
        sum: (parameters.sum != Summation::default()).then(|| parameters.sum.to_string()),
        audit: number(parameters.audit),
        audit_limit: parameters.audit_limit.and_then(number),
        max_energy_error: parameters.max_energy_error.and_then(number),
        rtol: parameters.rtol.and_then(number),
        device: Some(parameters.device.to_string()),
        snapshot_every: parameters.snapshot_every.and_then(number),
        ..start
    }
}

/// What is missing where nothing is chosen, all of it at once, and why.
fn missing(names: &[&'static str], why: Option<NoSuggestion>, units: &Units) -> Error {
    let why = why.map_or(String::new(), |why| format!("{why}; "));
    let options: Vec<String> = names.iter().map(|name| format!("--{name}")).collect();
    let hint = if names.contains(&"eps") { "; --eps 0 computes every encounter as it is" } else { "" };
    let name = names.first().copied().unwrap_or("dt");
    Error::Missing { name, expected: format!("{why}give {} in {} units{hint}", options.join(", "), units.name) }
}

fn tell_chosen(said: &Said, parameters: &Parameters, of: &str, units: &Units) {
    let chosen = [
        ("eps", parameters.eps.filter(|_| said.eps.is_none()).map(|eps| quantity::length(eps, units))),
        ("dt", said.dt.is_none().then(|| quantity::step(parameters.dt, units))),
        ("t-end", said.t_end.is_none().then(|| quantity::step(parameters.t_end, units))),
    ];
    let chosen: Vec<_> = chosen.into_iter().filter_map(|(name, v)| v.map(|v| format!("{name} = {v}"))).collect();
    if !chosen.is_empty() {
        say(format_args!("chosen for {of}: {}", chosen.join(", ")));
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
