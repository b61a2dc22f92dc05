//! The output of a run, mostly at its start and its end: text and JSON objects.

use crate::measured::{diagnostics, force_errors, force_errors_json, table};
use manybody::Units;
use manybody::audit::ForceErrors;
use manybody::driver::words::{bodies, quoted};
use manybody::driver::{End, Outcome, Pace, Stopped, Written};
use manybody::events::BodyEvent;
use manybody::explain::{Explanation, Seen};
use manybody::log::{Entry, Row};
use manybody::settings::{Raw, Settings};
use manybody::simulation::Simulation;
use manybody::solver::{Softening, SolverName, Summation};
use manybody::units::show;
use serde_json::{Value, json};
use std::path::Path;

/// How the run is to be computed, in three lines.
pub(super) fn heading(run: &Simulation, description: &str) -> String {
    let (parameters, clock) = (run.parameters(), run.clock());
    let units = run.units();
    let eps = match parameters.eps {
        _ if parameters.law().is_some() => [&[run.forces_name()][..], &parameters.par.0].concat().join(", "),
        Some(eps) => format!("eps = {}", show::length(eps, units)),
        None => "each body's own eps".into(),
    };
    // of a law all pairs are computed, unless it is by tree
    let solver = match parameters.law() {
        Some(_) if parameters.solver != SolverName::Tree => String::new(),
        _ => format!("{} solver, ", parameters.solver),
    };
    let softening = match parameters.softening {
        Softening::Plummer => String::new(),
        other => format!(" ({other})"),
    };
    let fields = parameters.field.0.iter().map(|field| format!("\nin the field {field}")).collect::<String>();
    let sum = match parameters.sum {
        own if own == Summation::default() => String::new(),
        sum => format!(", {sum} sums"),
    };
    let steps = match clock.steps() - clock.step() {
        1 => "1 step".into(),
        steps => format!("{steps} steps"),
    };
    let audited = run.errors().force.map_or(String::new(), |errors| format!("\n{}", force_errors(&errors)));
    format!(
        "{description}: {}, {} units\n\
         {}, dt = {}, from t = {} to {} in {steps}, {eps}{softening}{fields}\n\
         {solver}{} forces{sum} on {}{audited}",
        bodies(run.count()),
        units.name,
        parameters.integrator,
        show::step(parameters.dt, units),
        show::time(run.time(), units),
        show::time(parameters.t_end, units),
        parameters.precision,
        crate::device::in_words(parameters.device),
    )
}

/// The end of a run: where it was interrupted and how to go on, or what was conserved and what was not.
pub(super) fn end(outcome: &Outcome, units: &Units) -> String {
    let (step, steps) = outcome.steps;
    if let Some(resume) = &outcome.resume {
        let error = outcome.errors.energy.map_or(String::new(), |error| format!(", energy error {error:+.1e}"));
        let why = match outcome.format.is_lossless() {
            true => String::new(),
            false => format!("; kept as {}, since {} files round", outcome.file.display(), outcome.format.title()),
        };
        let time = show::moment(outcome.time, units);
        return format!("interrupted at t = {time}, step {step} of {steps}{error}{why}\ngo on with:  {resume}");
    }
    let mut lines = Vec::new();
    if let (Some(initial), Some(last)) = (&outcome.initial, &outcome.last) {
        lines.push(table(initial, &outcome.tally, last, units));
    }
    lines.extend(outcome.errors.force.as_ref().map(force_errors));
    if let (End::Finished, Some(rtol), Some(found)) = (outcome.end, outcome.rtol, &outcome.errors.force) {
        lines.push(match found.relative {
            Some(p99) => {
                format!("rtol {rtol:e}: 99 % of the bodies audited at the end are below {p99:.2e} of themselves")
            }
            None => format!("rtol {rtol:e}: met at the end, largest error {:.2e}", found.max),
        });
    }
    lines.join("\n")
}

/// "1.90 s, 1.4e10 interactions/s; wrote b.hdf5; repeat with: ...".
pub(super) fn wrote(outcome: &Outcome) -> String {
    let rate = outcome.rate.map_or(String::new(), |rate| format!(", {rate:.2e} interactions/s"));
    let repeat = match outcome.end {
        End::Missed { .. } => String::new(),
        _ => format!("; repeat with:  manybody run {}", quoted(&outcome.description)),
    };
    format!("{:.2} s{rate}; wrote {}{repeat}", outcome.elapsed.as_secs_f64(), outcome.file.display())
}

/// The first line of `--json`.
pub(super) fn start(run: &Simulation, description: &str, out: &Path) -> Value {
    let parameters = run.parameters();
    json!({
        "event": "start",
        "what": description,
        "n": run.count(),
        "units": run.units().name,
        "time": run.time(),
        "t_end": parameters.t_end,
        "dt": parameters.dt,
        "eps": parameters.eps,
        "law": parameters.law(),
        "par": parameters.par.0,
        "field": parameters.field.0.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "step": run.clock().step(),
        "steps": run.clock().steps(),
        "integrator": parameters.integrator.to_string(),
        "solver": parameters.solver.to_string(),
        "precision": parameters.precision.to_string(),
        "sum": parameters.sum.to_string(),
        "audit": parameters.audit,
        "audit_limit": parameters.audit_limit,
        "max_energy_error": parameters.max_energy_error,
        "rtol": parameters.rtol,
        "force_error": run.errors().force.as_ref().map(force_errors_json),
        "device": parameters.device.to_string(),
        "threads": rayon::current_num_threads(),
        "snapshot_every": parameters.snapshot_every,
        "log": parameters.log,
        "out": out.display().to_string(),
        "settings": settings(&parameters.describe()),
        "diagnostics": diagnostics(run.initial()),
    })
}

/// All settings that a run has, by their names, as its description says them.
fn settings(given: &Settings) -> Value {
    let value = |raw| match raw {
        Raw::Integer(value) => json!(value),
        Raw::Number(value) => json!(value),
        Raw::Boolean(value) => json!(value),
        Raw::List(texts) => json!(texts),
        text @ (Raw::Text(_) | Raw::Path(_)) => json!(text.to_string()),
    };
    given.raw().into_iter().map(|(setting, raw)| (setting.name.to_owned(), value(raw))).collect()
}

/// A line of progress.
pub(super) fn progress(run: &Simulation, pace: &Pace) -> Value {
    json!({
        "event": "progress",
        "time": run.time(),
        "step": run.clock().step(),
        "steps": run.clock().steps(),
        "energy_error": pace.energy_error(),
        "force_error_max": pace.force_error(),
        "elapsed_s": pace.elapsed().as_secs_f64(),
        "interactions_per_s": pace.rate(run),
    })
}

/// A line of the table is written: its columns by name, null where a field is empty.
pub(super) fn line(row: &Row) -> Value {
    let value = |entry: Option<Entry>| match entry {
        None => Value::Null,
        Some(Entry::Number(value)) => json!(value),
        Some(Entry::Count(value)) => json!(value),
    };
    let columns = row.entries().map(|(column, entry)| (column.name.to_owned(), value(entry)));
    let event = ("event".to_owned(), json!("log"));
    Value::Object(std::iter::once(event).chain(columns).collect())
}

/// A snapshot is on disk.
pub(super) fn snapshot(written: &Written) -> Value {
    json!({
        "event": "snapshot",
        "time": written.time,
        "step": written.step,
        "file": written.file.display().to_string(),
        "energy_error": written.errors.energy,
        "force_error": written.errors.force.as_ref().map(force_errors_json),
        "warnings": Vec::from_iter(&written.warning),
    })
}

/// What has happened to bodies.
pub(super) fn happened(event: &BodyEvent) -> Value {
    json!({
        "event": event.kind.name(),
        "time": event.time,
        "id": event.id,
        "other_id": event.other,
        "mass": event.mass,
        "other_mass": event.other_mass,
        "radius": event.radius,
        "position": event.position,
        "velocity": event.velocity,
        "speed": event.speed,
        "energy": event.energy,
    })
}

/// The same in words.
pub(super) fn happened_in_words(event: &BodyEvent, units: &Units) -> String {
    let at = show::moment(event.time, units);
    match event.other {
        Some(other) => format!("t = {at}: bodies {} and {other} (ids) have merged", event.id),
        None => format!("t = {at}: body {} (id) has escaped", event.id),
    }
}

/// The last line: `status` is "finished", "missed" (its rtol) or "interrupted"; an interrupted run has no last
/// diagnostics. The warnings are those of the numbered snapshots and of the end.
pub(super) fn end_json(outcome: &Outcome, status: &str) -> Value {
    let drift = outcome
        .initial
        .as_ref()
        .zip(outcome.last.as_ref())
        .map(|(initial, last)| last.drift_beside(initial, &outcome.tally));
    let (step, steps) = outcome.steps;
    // by expansions the audit has judged it, by what chance allows of a sample
    let met = |(rtol, force): (f64, ForceErrors)| force.relative.is_some() || force.max <= rtol;
    let met = outcome.rtol.zip(outcome.errors.force).map(met);
    json!({
        "event": "end",
        "status": status,
        "time": outcome.time,
        "step": step,
        "steps": steps,
        "file": outcome.file.display().to_string(),
        "elapsed_s": outcome.elapsed.as_secs_f64(),
        "audit_s": outcome.auditing.as_secs_f64(),
        "interactions_per_s": outcome.rate,
        "initial": outcome.initial.as_ref().map(diagnostics),
        "diagnostics": outcome.last.as_ref().map(diagnostics),
        "events": outcome.tally.count,
        "events_energy": outcome.tally.energy(),
        "energy_error": outcome.errors.energy,
        "force_error": outcome.errors.force.as_ref().map(force_errors_json),
        "rtol": outcome.rtol,
        "rtol_met": met,
        "warnings": outcome.warnings,
        "drift": drift.map(|drift| json!({
            "energy": drift.energy,
            "momentum": drift.momentum,
            "angular_momentum": drift.angular_momentum,
        })),
    })
}

/// The last line of a run that could not go on: the error, the step it stands at, and the newest snapshot, if there
/// is one.
pub(super) fn stopped(error: &str, stopped: &Stopped) -> Value {
    json!({
        "event": "end",
        "status": "stopped",
        "error": error,
        "time": stopped.time,
        "step": stopped.step,
        "file": stopped.newest.as_ref().map(|file| file.display().to_string()),
    })
}

/// Why the energy of a run has changed.
pub(super) fn explanation(explanation: &Explanation) -> Value {
    let seen = |seen: &Seen| {
        let pair = &seen.pair;
        json!({
            "time": seen.time,
            "bodies": pair.index,
            "ids": pair.id,
            "distance": pair.distance,
            "relative_speed": pair.speed,
            "semi_major_axis": pair.semi_major_axis,
            "eccentricity": pair.eccentricity,
            "period": pair.period(),
            "pericentre": pair.pericentre(),
            "perturbation": pair.perturbation,
            "perturber": pair.perturber.map(|(_, id)| id),
            "step": seen.step,
            "time_scale": pair.passing,
            "time_scale_at_pericentre": pair.shortest_time_scale(),
            "remedies": seen.remedies,
        })
    };
    json!({
        "event": "explain",
        "change": explanation.change,
        "energy_error": explanation.error,
        "between": explanation.between,
        "pair": explanation.pair.as_ref().map(seen),
        "before": explanation.before.iter().map(seen).collect::<Vec<_>>(),
    })
}

/// A snapshot that cannot be gone on from.
pub(super) fn damaged(file: &Path, error: &str) -> Value {
    json!({ "event": "damaged", "file": file.display().to_string(), "error": error })
}

/// The only line for a run that was finished before.
pub(super) fn finished_before(file: &Path) -> Value {
    json!({ "event": "end", "status": "finished", "steps": 0, "file": file.display().to_string() })
}
