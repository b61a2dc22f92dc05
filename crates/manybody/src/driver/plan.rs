//! Plans a run from its settings: chooses what is missing, refuses what is impossible.

use super::accuracy::{self, Choice};
use super::device::{self, ProblemSize};
use super::lines::Lines;
use super::log::Log;
use super::observer::Audience;
use super::outputs::Outputs;
use super::start::{self, Start};
use super::words::quoted;
use super::writing::Writing;
use crate::forces::law_parameters;
use crate::ic::Timescales;
use crate::integrator::{Needs, Pairs, TimeSteps};
use crate::law::Law;
use crate::settings::{ForceLaw, Settings, setting};
use crate::simd::Level;
use crate::simulation::{NoSuggestion, Parameters, Simulation, Suggestion, fingerprint_under};
use crate::snapshot::atomic::is_there;
use crate::solver::{Device, DeviceChoice, Gravity, HermiteOrder, Precision, SolverName, Summation};
use crate::units::{Units, show};
use crate::watch::Watch;
use crate::{Bodies, Error, Result, Snapshot};
use manybody_tree::FEW;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The last snapshot where nothing is said.
const DEFAULT_OUT: &str = "manybody.hdf5";

/// A run that can begin.
pub(super) struct Plan {
    pub(super) run: Simulation,
    pub(super) outputs: Outputs,
    /// The whole description, nothing left to a default; to be written beside the output.
    pub(super) settings: Settings,
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
    /// The numbered snapshot that is being written.
    pub(super) writing: Option<Writing>,
    /// The table, once the run has begun.
    pub(super) log: Option<Log>,
    /// The table of events, likewise.
    pub(super) events: Option<Lines>,
    /// The time of a snapshot that could not be written while the run went on.
    pub(super) lost: Option<f64>,
    /// What audits have taken so far.
    pub(super) auditing: Duration,
    /// What must be said of it at the end, too.
    pub(super) warnings: Vec<String>,
}

impl Plan {
    fn new(run: Simulation, outputs: Outputs, settings: Settings, description: String) -> Self {
        Plan {
            run,
            outputs,
            settings,
            description,
            inputs: Vec::new(),
            in_place: false,
            begins: false,
            kept_at: None,
            writing: None,
            log: None,
            events: None,
            lost: None,
            auditing: Duration::ZERO,
            warnings: Vec::new(),
        }
    }
}

/// What there is to do.
pub(super) enum Planned {
    /// A run.
    Run(Box<Plan>),
    /// Nothing: this run has been finished before.
    Finished(PathBuf),
}

/// A run from a file or initial conditions.
///
/// # Errors
/// Those of the input, always bad input or a file that cannot be read.
pub(super) fn fresh(settings: Settings, watch: &Watch, audience: &mut Audience<'_>) -> Result<Plan> {
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let outputs = Outputs::asked_for(&out)?;
    let start = start::load(&settings, audience)?;
    if let Some(expected) = &settings.initial_state {
        check_initial_state(expected, &settings, &start)?;
    }
    let parameters = choose(&settings, &start, audience)?;
    let Start { snapshot, settings: from, description, .. } = start;
    let run = Simulation::start_watched(snapshot, parameters, watch).map_err(|error| match &from.file {
        Some(file) => error.in_file(file),
        None => error,
    })?;
    let inputs = from.file.iter().cloned().collect();
    let settings = describe(&run, &outputs, from);
    Ok(Plan { inputs, begins: true, ..Plan::new(run, outputs, settings, description) })
}

/// Refuses bodies that are not those that a description was written for.
fn check_initial_state(expected: &str, settings: &Settings, start: &Start) -> Result<()> {
    let law = settings.law.as_ref().and_then(ForceLaw::other).map(Law::by_name_or_text).transpose()?;
    let own_radii = settings.collisions.is_some() && settings.radius.is_none();
    let found = fingerprint_under(&start.snapshot, law.as_ref(), own_radii);
    if found == expected {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "initial-state",
        value: expected.into(),
        expected: format!(
            "the bodies of {} are others, {found}: the file has changed, or another version draws other bodies; \
             remove this setting to run with these",
            start.description
        ),
    })
}

/// The whole description of a run, nothing left to a default; `start` is the part that leads to its bodies.
fn describe(run: &Simulation, outputs: &Outputs, start: Settings) -> Settings {
    let (out, initial_state) = (outputs.to_say(), run.fingerprint().map(str::to_owned));
    Settings { out, initial_state, ..run.parameters().describe().or(start) }
}

/// A run resumed from a file that it has kept: `path` itself or, where `path` is the name of a last snapshot that is
/// not there yet, the newest numbered one.
///
/// # Errors
/// Those of the input.
pub(super) fn resumed(given: Settings, path: &Path, watch: &Watch, audience: &mut Audience<'_>) -> Result<Planned> {
    if let Some((name, value)) = start::words(&given).next() {
        let expected = format!("the bodies are those of {}, from --resume: one or the other", path.display());
        return Err(Error::Parameter { name, value, expected });
    }
    let asked = path;
    let own = |out: &PathBuf| out == path || Outputs::of_kept(path).is_ok_and(|own| own.last_snapshot() == *out);
    let elsewhere = given.out.as_ref().is_some_and(|out| !own(out));
    let (path, snapshot) = match start::find_kept(path, elsewhere, audience)? {
        start::Kept::Snapshot(path, snapshot) => (path, *snapshot),
        start::Kept::OnlyDescription(file) => return restarted(given, path, &file, watch, audience),
        start::Kept::Finished(path) => return Ok(Planned::Finished(path)),
    };
    let damaged = |error: Error| error.in_file(&path);
    let kept = Parameters::from_snapshot(&snapshot).and_then(|kept| kept.check().map(|()| kept));
    let kept = kept.map_err(|error| error.of_settings_in(&path))?;
    let mut parameters = kept.with(&given, &snapshot.units)?.without_other_law(&kept, &given);
    if given.device == Some(DeviceChoice::Auto) {
        parameters.device = match parameters.integrator.has_variable_steps() {
            true => device_for_blocks(&parameters, &snapshot.bodies),
            false => device::choose(DeviceChoice::Auto, parameters.precision, usize::MAX),
        };
    }
    check_level(&kept, &given, &path)?;
    let last = snapshot.time == kept.t_end;
    // where a run is to be stopped, and on which machine it goes on, changes nothing that it computes
    let changed = kept.differences(&parameters).iter().any(|setting| setting.effect.makes_another_run());
    if last && !changed && given.out.as_ref().is_none_or(|out| *out == path) {
        return Ok(Planned::Finished(path));
    }
    let own = || if last { Outputs::new(&path) } else { Outputs::of_kept(&path) };
    let outputs = match &given.out {
        Some(out) => Outputs::asked_for(out)?,
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
    let description = format!("{} at t = {}", path.display(), show::number(snapshot.time));
    let run = Simulation::resume_watched(snapshot, parameters, watch).map_err(damaged)?;
    run.check_hook()?;
    let settings = describe(&run, &outputs, Settings { resume: Some(path.clone()), ..Settings::default() });
    let kept_at = Some(run.clock().step());
    let plan = Plan { inputs: vec![path], in_place, kept_at, ..Plan::new(run, outputs, settings, description) };
    Ok(Planned::Run(Box::new(plan)))
}

/// Refuses to go on with the vector instructions of a run that this machine does not have, unless others are given.
fn check_level(kept: &Parameters, given: &Settings, path: &Path) -> Result<()> {
    let Some(level) = kept.simd.filter(|level| given.simd.is_none() && level.on_this_machine().is_err()) else {
        return Ok(());
    };
    Err(Error::Parameter {
        name: "simd",
        value: level.to_string(),
        expected: format!(
            "{} was computed with these vector instructions, which this machine does not have; others change the last \
             bits, so it is another run: give --simd {} and --out",
            path.display(),
            Level::best()
        ),
    })
}

/// Reads the description beside the files of a run that is to go on, and whether it differs from its checksum.
///
/// # Errors
/// Those of the file, and [`Error::Parameter`] where it is that of a run with files in another format: two runs of one
/// name share it, and the later one has written it.
fn described(outputs: &Outputs, path: &Path) -> Result<(Settings, bool)> {
    let file = outputs.scene();
    let (settings, differs) = Settings::read_checked(&file)?;
    if outputs.is_described_by(&settings) {
        return Ok((settings, differs));
    }
    let of = settings.out.unwrap_or_else(|| file.with_extension("hdf5"));
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

/// A run that ended before it kept anything, begun again from its description `file`; `path` is its last snapshot.
fn restarted(given: Settings, path: &Path, file: &Path, watch: &Watch, audience: &mut Audience<'_>) -> Result<Planned> {
    let (description, differs) = described(&Outputs::new(path)?, path)?;
    // no snapshot can say any more which run it was
    if differs {
        return Err(Error::Field {
            path: file.into(),
            field: "checksum".into(),
            problem: format!(
                "the description differs from what a run has written, so it is damaged or was edited, and there is no \
                 whole snapshot from which the run could go on; `manybody run {}` begins the run that it describes now",
                quoted(file)
            ),
        });
    }
    audience.note(format_args!("no snapshot was kept before the run ended: beginning again from {}", file.display()));
    let given = Settings { resume: None, out: None, ..given };
    let as_before = given.is_of_process_alone();
    let settings = Settings { out: Some(path.into()), ..description.overridden_by(given) };
    let mut planned = match settings.resume.clone() {
        Some(from) if from == path => {
            return Err(Error::Parameter {
                name: "resume",
                value: from.display().to_string(),
                expected: format!("{} goes on from its own end, which is not there", file.display()),
            });
        }
        Some(from) => resumed(settings, &from, watch, audience)?,
        None => Planned::Run(Box::new(fresh(settings, watch, audience)?)),
    };
    if let Planned::Run(plan) = &mut planned {
        plan.in_place = as_before;
    }
    Ok(planned)
}

/// The parameters of a new run: what was said, and for the rest what suits the system.
fn choose(given: &Settings, start: &Start, audience: &mut Audience<'_>) -> Result<Parameters> {
    choose_for(given, &start.snapshot, start.timescales.map(|timescales| (timescales, &*start.description)), audience)
}

/// The parameters of a run of these bodies; `known` are the times of orbits that are known, and whose they are.
pub(super) fn choose_for(
    given: &Settings,
    snapshot: &Snapshot,
    known: Option<(Timescales, &str)>,
    audience: &mut Audience<'_>,
) -> Result<Parameters> {
    let times = known.map(|(times, _)| times);
    let (bodies, units) = (&snapshot.bodies, &snapshot.units);
    // all of what was said, so that whatever cannot be read is refused at once
    let mut parameters = Parameters { eps: None, ..Parameters::default() }.with(given, units)?;
    parameters.check_law()?;
    if let Some(law) = parameters.law() {
        // a wrong name or parameter is refused before times are missed
        law_parameters(&Law::by_name_or_text(law)?, &parameters.par.0, units)?;
    }
    if parameters.law().is_some() || !parameters.field.0.is_empty() {
        require_times(given, &parameters, units)?;
    }
    let said_eps = setting::eps.resolve::<f64>(&given.eps, units)?;
    // a law has no softening to choose
    let own_eps = said_eps.is_none() && (bodies.eps.is_some() || parameters.law().is_some());
    if own_eps && given.softening.is_none() && parameters.law().is_none() {
        // of the same kind as in the run that has kept them
        parameters.softening = snapshot.softening_kind()?;
    }
    let suggestion = if given.dt.is_some() && given.t_end.is_some() && (said_eps.is_some() || own_eps) {
        Err(None)
    } else {
        // a system of few bodies has orbits to resolve, not a field to smooth
        let eps = said_eps.or_else(|| own_eps.then(|| mean(bodies.eps.as_deref().unwrap_or_default())));
        Suggestion::new(bodies, units, eps).map_err(Some)
    };
    let (suggestion, why) = match suggestion {
        Ok(suggestion) => (Some(suggestion), None),
        Err(why) => (None, why),
    };
    // the time unit of the whole suits it, whatever orbits are within
    let whole = suggestion.or(match &why {
        Some(NoSuggestion::Hidden { whole, .. }) => Some(*whole),
        _ => None,
    });
    let duration = whole.map(|s| s.duration).or(times.map(|t| t.duration));
    let orbits = matches!(why, Some(NoSuggestion::Few(_) | NoSuggestion::Massless)).then_some(0.0);
    let eps = said_eps.or(orbits).or(suggestion.map(|s| s.eps));
    let said_dt = given.dt.as_ref().map(|_| parameters.dt).or(parameters.dt_max);
    let dt = said_dt.or(match parameters.has_variable_steps() {
        // steps that vary need a largest one only
        true => duration.map(|duration| (duration / 16.0).log2().floor().exp2()),
        false => suggestion.map(|s| s.dt).or(times.map(|t| t.dt)),
    });
    let t_end = given.t_end.as_ref().map(|_| parameters.t_end);
    let t_end = t_end.or(duration.map(|duration| snapshot.time + duration));
    let chosen = [("eps", eps.is_some() || own_eps), ("dt", dt.is_some()), ("t-end", t_end.is_some())];
    let absent: Vec<&'static str> = chosen.into_iter().filter(|(_, known)| !known).map(|(name, _)| name).collect();
    let (Some(dt), Some(t_end), true) = (dt, t_end, absent.is_empty()) else {
        return Err(missing(&absent, why, units));
    };
    parameters.eps = eps.filter(|_| !own_eps);
    parameters.t_end = t_end;
    parameters.dt =
        match parameters.snapshot_every.filter(|every| said_dt.is_none() && *every >= dt && every.is_finite()) {
            // snapshots fall on the times that were asked for
            Some(every) => every / (every / dt).ceil(),
            None => dt,
        };
    choose_method(given, snapshot.units.g, bodies, own_eps, &mut parameters, audience)?;
    if !parameters.device.is_gpu() && parameters.simd.is_none() {
        parameters.simd = Some(Level::from_env()?);
    }
    if given.audit.is_none() {
        parameters.audit = audit(&parameters, snapshot.time, bodies.len(), audience);
    }
    let of = whole.map(|s| {
        let radius = format!("{:.4}", s.virial_radius);
        let unit = show::length_unit(units).map_or(String::new(), |unit| format!(" {unit}"));
        let massive = if s.massive < bodies.len() { " with a mass and" } else { " with" };
        format!("{} bodies{massive} virial radius {radius}{unit}", s.massive)
    });
    if let Some(of) = of.or_else(|| known.map(|(_, of)| of.to_owned())) {
        note_choices(given, &parameters, &of, units, audience);
    }
    Ok(parameters)
}

/// Says what block time steps make of the solvers fmm and tree.
fn note_blocks(parameters: &Parameters, bodies: usize, audience: &mut Audience<'_>) {
    let solver = parameters.solver;
    if bodies <= FEW {
        audience.note(format_args!(
            "block time steps compute all pairs for up to {FEW} bodies, which these are: the solver {solver} serves audits and energies \
             alone"
        ));
    } else if parameters.method().expansion.promise().is_none_or(|rtol| rtol > LARGEST_FOR_BLOCKS) {
        audience.note(format_args!(
            "errors of the solver {solver} above {LARGEST_FOR_BLOCKS:e} make time steps of {} shorter: --rtol 1e-4 may take less time",
            parameters.integrator
        ));
    }
}

/// With larger errors of forces block time steps become shorter (docs/measurements/2026-11-29-jerks-by-expansions.md).
const LARGEST_FOR_BLOCKS: f64 = 1e-4;

/// Refuses a run without a time step or an end whose forces are not gravity alone, which these could be chosen for.
fn require_times(given: &Settings, parameters: &Parameters, units: &Units) -> Result<()> {
    let known = [("dt", given.dt.is_some()), ("t-end", given.t_end.is_some())];
    let absent: Vec<&'static str> = known.into_iter().filter(|(_, known)| !known).map(|(name, _)| name).collect();
    let Some(name) = absent.first().copied() else { return Ok(()) };
    let forces = if parameters.law().is_some() { "another law" } else { "a field" };
    let options: Vec<String> = absent.iter().map(|name| format!("--{name}")).collect();
    let expected = format!(
        "times are chosen for gravity alone, and do not suit {forces}; give {} in {} units",
        options.join(", "),
        units.name
    );
    Err(Error::Missing { name, expected })
}

/// The device, the solver and the precision, where they were not given.
fn choose_method(
    given: &Settings,
    g: f64,
    bodies: &Bodies,
    own_eps: bool,
    parameters: &mut Parameters,
    audience: &mut Audience<'_>,
) -> Result<()> {
    let mut choice = given.device.unwrap_or_default();
    if let Some(why) = device::passed_over(choice, parameters.precision, bodies.len()) {
        audience.note(format_args!("no device is named, and the ranks compute on the CPU; {why}"));
    }
    if parameters.integrator.has_variable_steps() && choice == DeviceChoice::Auto {
        // by expansions the host makes blocks, most of which are of few bodies: a GPU is not taken unless it is named
        let is_by_expansion = given.solver.is_some_and(SolverName::is_by_expansion);
        let device = if is_by_expansion { Device::Cpu } else { device_for_blocks(parameters, bodies) };
        choice = DeviceChoice::Device(device);
    }
    if let (Some(solver), true) = (given.solver.filter(|solver| solver.is_by_expansion()), parameters.law().is_some()) {
        parameters.solver = solver;
        parameters.device = match choice {
            DeviceChoice::Auto => Device::Cpu,
            DeviceChoice::Device(device) => device,
        };
        return Ok(());
    }
    if let Some(solver) = given.solver.filter(|solver| solver.is_by_expansion()) {
        parameters.solver = solver;
        let size = if own_eps { ProblemSize::from(bodies) } else { ProblemSize::from(bodies.len()) };
        parameters.device = device::choose_by_expansion(choice, &parameters.method(), size);
        if parameters.integrator.has_variable_steps() {
            note_blocks(parameters, bodies.len(), audience);
        }
        if parameters.tolerance.is_none() {
            let bodies = Bodies { eps: bodies.eps.clone().filter(|_| own_eps), ..bodies.clone() };
            let gravity = Gravity::new(g, parameters.eps.unwrap_or(0.0)).softened(parameters.softening);
            gravity.check_apart(&bodies)?;
            parameters.tolerance = accuracy::tolerance(parameters.method(), &bodies, &gravity, audience)?;
        }
        return Ok(());
    }
    match parameters.rtol {
        // where both are named, as in the description of a run that has been through this, the error is only checked
        Some(rtol) if given.precision.is_none() || given.solver.is_none() => {
            let mut bodies = bodies.clone();
            bodies.eps = bodies.eps.filter(|_| own_eps);
            let gravity = Gravity::new(g, parameters.eps.unwrap_or(0.0)).softened(parameters.softening);
            gravity.check_apart(&bodies)?;
            if let Some((name, value)) = parameters.of_expansions() {
                let expected = "belongs to the solvers fmm and tree: name one, since rtol alone chooses the solver";
                return Err(Error::Parameter { name, value, expected: expected.into() });
            }
            if parameters.sum != Summation::default() {
                return Err(accuracy::chooses_sum(parameters.sum));
            }
            // steps of their own need jerks, and more digits than f32 has
            let variable = parameters.integrator.has_variable_steps();
            let expansions = !variable && given.solver.is_none();
            let named = given.precision.as_ref().map(|_| parameters.precision);
            let precision = named.or(variable.then_some(Precision::F64));
            let (gpus, level, solver) = (parameters.gpus.clone(), parameters.simd, given.solver);
            let sum = Summation::default();
            let choice = Choice { device: choice, gpus, level, solver, precision, sum, expansions };
            let found = accuracy::cheapest_before(rtol, &bodies, &gravity, choice, audience)?;
            (parameters.device, parameters.precision) = (found.device, found.precision);
            parameters.solver = found.solver;
            parameters.tolerance = parameters.tolerance.or(found.expansion.tolerance);
        }
        _ => {
            parameters.device = device::choose(choice, parameters.precision, bodies.len());
            let default = SolverName::default_on(parameters.device, parameters.precision, parameters.sum);
            parameters.solver = given.solver.unwrap_or(default);
        }
    }
    Ok(())
}

/// Where a run with time steps that vary is computed, if no device is named: where the CPU schedules blocks, a GPU would wait
/// for each.
fn device_for_blocks(parameters: &Parameters, bodies: &Bodies) -> Device {
    let found = device::choose(DeviceChoice::Auto, parameters.precision, bodies.len());
    let makes_blocks = found == Device::Cuda
        && order_of_blocks(parameters, bodies).is_some_and(|order| device::has_blocks(parameters, order, bodies.len()));
    if makes_blocks { found } else { Device::Cpu }
}

/// The order of the scheme of a run whose blocks a CUDA device can make by itself.
fn order_of_blocks(parameters: &Parameters, bodies: &Bodies) -> Option<HermiteOrder> {
    let order = parameters.integrator.integrator().blocks()?;
    let Parameters { integrator, time_steps, iterations, precision, pairs, collisions, field, .. } = parameters;
    let can_be = integrator.needs() == Needs::Derivatives
        && field.0.is_empty()
        && matches!(pairs, None | Some(Pairs::Resolved))
        && matches!(time_steps, None | Some(TimeSteps::Individual))
        && iterations.unwrap_or(1) == 1
        && collisions.is_none()
        && *precision != Precision::F32
        && !bodies.mass.contains(&0.0);
    can_be.then_some(order)
}

/// The share of the bodies to audit where no share was set: 0 in a run so short that it would cost much.
fn audit(parameters: &Parameters, start: f64, n: usize, audience: &mut Audience<'_>) -> f64 {
    let share = device::default_audit(parameters.device);
    let evaluations = parameters.integrator.integrator().evaluations() as f64;
    let evaluations = evaluations * (parameters.t_end - start) / parameters.dt;
    let cheap = device::audit_is_cheap(parameters.device, parameters.precision, n, evaluations / 2.0);
    // a limit that was set asks for an audit
    if cheap || parameters.rtol.is_some() || parameters.audit_limit.is_some() {
        return share;
    }
    audience.note(format_args!(
        "forces are not audited: it would cost more than 2 % of so short a run; --audit {share} does it"
    ));
    0.0
}

/// What is missing where nothing is chosen, all of it at once, and why.
fn missing(names: &[&'static str], why: Option<NoSuggestion>, units: &Units) -> Error {
    let why = why.map_or(String::new(), |why| format!("{why}; "));
    let options: Vec<String> = names.iter().map(|name| format!("--{name}")).collect();
    let hint = if names.contains(&"eps") { "; --eps 0 computes every encounter as it is" } else { "" };
    let name = names.first().copied().unwrap_or("dt");
    Error::Missing { name, expected: format!("{why}give {} in {} units{hint}", options.join(", "), units.name) }
}

/// Says what was chosen.
fn note_choices(given: &Settings, parameters: &Parameters, of: &str, units: &Units, audience: &mut Audience<'_>) {
    let chosen = [
        ("eps", parameters.eps.filter(|_| given.eps.is_none()).map(|eps| show::length(eps, units))),
        ("dt", (given.dt.is_none() && given.dt_max.is_none()).then(|| show::step(parameters.dt, units))),
        ("t-end", given.t_end.is_none().then(|| show::step(parameters.t_end, units))),
    ];
    let chosen: Vec<_> = chosen.into_iter().filter_map(|(name, v)| v.map(|v| format!("{name} = {v}"))).collect();
    if !chosen.is_empty() {
        audience.note(format_args!("chosen for {of}: {}", chosen.join(", ")));
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldSpec;
    use crate::settings::Fields;

    /// Blocks that a CUDA device can make by itself are those of Hermite schemes in f64 and mixed precision, of bodies with masses,
    /// each with a step of its own and one evaluation a step, and nothing beside gravity.
    #[test]
    fn blocks_of_plain_hermite_schemes_are_for_gpus() {
        let plain = |name: &str| Parameters {
            integrator: name.parse().unwrap(),
            precision: Precision::F64,
            ..Parameters::default()
        };
        let mut bodies = crate::ic::by_name("plummer", &crate::ic::Request::new(20, 1)).unwrap().bodies;
        let order = |parameters: Parameters| order_of_blocks(&parameters, &bodies);
        assert_eq!(order(plain("hermite4")), Some(HermiteOrder::Fourth));
        assert_eq!(order(plain("hermite6")), Some(HermiteOrder::Sixth));
        let mixed = |name: &str| Parameters { precision: Precision::Mixed, ..plain(name) };
        assert_eq!(order(mixed("hermite4")), Some(HermiteOrder::Fourth));
        assert_eq!(order(mixed("hermite6")), Some(HermiteOrder::Sixth));
        assert_eq!(
            ["f64", "mixed", "f32"].map(|precision| {
                let precision = precision.parse().unwrap();
                order(Parameters { precision, ..plain("hermite6-3pt") })
            }),
            [Some(HermiteOrder::ThreePoint), Some(HermiteOrder::ThreePoint), None]
        );
        for name in ["leapfrog", "yoshida4", "yoshida6", "ar-chain"] {
            assert_eq!(order(plain(name)), None, "{name}");
        }
        let uniform = FieldSpec::parse("uniform:gx=1", &Units::henon()).unwrap();
        for other in [
            Parameters { precision: Precision::F32, ..plain("hermite4") },
            Parameters { time_steps: Some(TimeSteps::Shared), ..plain("hermite4") },
            Parameters { iterations: Some(2), ..plain("hermite6") },
            Parameters { pairs: Some(Pairs::Chain), ..plain("hermite4") },
            Parameters { pairs: Some(Pairs::Kepler), ..plain("hermite6") },
            Parameters { field: Fields(vec![uniform]), ..plain("hermite4") },
        ] {
            assert_eq!(order(other.clone()), None, "{other:?}");
        }
        bodies.mass[3] = 0.0;
        assert_eq!(order_of_blocks(&plain("hermite4"), &bodies), None);
    }

    /// A run on a GPU that is too short for the default audit has one where its limit was set.
    #[test]
    fn a_limit_asks_for_an_audit() {
        let mut short = Parameters {
            device: Device::Wgpu,
            precision: Precision::F32,
            dt: 0.125,
            t_end: 1.0,
            ..Parameters::default()
        };
        let share = |parameters: &Parameters| audit(parameters, 0.0, 500, &mut Audience::empty());
        assert_eq!(share(&short), 0.0);
        short.audit_limit = Some(1e-3);
        assert_eq!(share(&short), device::default_audit(Device::Wgpu));
    }
}
