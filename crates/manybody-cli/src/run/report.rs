//! What a run says at its start and its end, to people and to programs.

use crate::console::bodies;
use crate::quantity;
use manybody::Units;
use manybody::audit::ForceErrors;
use manybody::diagnostics::Diagnostics;
use manybody::simulation::Simulation;
use manybody::solver::Summation;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How the run is to be computed, in three lines.
pub(super) fn heading(run: &Simulation, description: &str) -> String {
    let (parameters, clock) = (run.parameters(), run.clock());
    let units = run.units();
    let eps = match parameters.eps {
        Some(eps) => format!("eps = {}", quantity::length(eps, units)),
        None => "each body's own eps".into(),
    };
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
         {}, dt = {}, from t = {} to {} in {steps}, {eps}\n\
         {} solver, {} forces{sum} on {}{audited}",
        bodies(run.count()),
        units.name,
        parameters.integrator,
        quantity::step(parameters.dt, units),
        quantity::time(run.time(), units),
        quantity::time(parameters.t_end, units),
        parameters.solver,
        parameters.precision,
        crate::device::in_words(parameters.device),
    )
}

/// "force error at 64 bodies, |da| / rms|a|: median 1.0e-8, ...".
pub(crate) fn force_errors(errors: &ForceErrors) -> String {
    format!(
        "force error at {}, |da| / rms|a|: median {:.1e}, p99 {:.1e}, p99.9 {:.1e}, max {:.1e}; sum of all forces \
         {:.1e} of sum m|a|",
        bodies(errors.sample),
        errors.median,
        errors.p99,
        errors.p999,
        errors.max,
        errors.net
    )
}

/// The same for programs.
pub(crate) fn force_errors_json(errors: &ForceErrors) -> Value {
    json!({
        "sample": errors.sample,
        "median": errors.median,
        "p99": errors.p99,
        "p999": errors.p999,
        "max": errors.max,
        "net": errors.net,
    })
}

/// Beyond this energy error the orbits of a run are not those of its system.
const MUCH: f64 = 0.1;

/// What must be said of the present state.
pub(super) fn warning(run: &Simulation) -> Option<String> {
    let error = run.errors().energy.filter(|error| error.is_nan() || error.abs() > MUCH)?;
    Some(format!(
        "at t = {} the energy is off by {error:+.1e} of |E|: these are not the orbits of the system; a smaller --dt or a \
         larger --eps is needed (--max-energy-error stops such a run)",
        quantity::time(run.time(), run.units())
    ))
}

/// Start and end beside each other, and what changed that should not have.
pub(super) fn table(initial: &Diagnostics, last: &Diagnostics, units: &Units) -> String {
    let drift = last.drift_since(initial);
    let size = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>().sqrt();
    let time = |time: f64| format!("t = {}", quantity::time(time, units));
    let mut rows = vec![[String::new(), time(initial.time), time(last.time), "drift".into()]];
    let mut row = |name: &str, a: f64, b: f64, drift: String| rows.push([name.into(), digits(a), digits(b), drift]);
    row("energy", initial.energy(), last.energy(), format!("{:+.1e} of |E|", drift.energy));
    row("  kinetic", initial.kinetic, last.kinetic, String::new());
    row("  potential", initial.potential, last.potential, String::new());
    row("momentum", size(initial.momentum), size(last.momentum), format!("{:.1e} of sum m|v|", drift.momentum));
    let turned = format!("{:.1e} of sum m|x × v|", drift.angular_momentum);
    row("angular momentum", size(initial.angular_momentum), size(last.angular_momentum), turned);
    row("virial ratio 2T/|W|", initial.virial_ratio(), last.virial_ratio(), String::new());
    let unit = quantity::length_unit(units).map_or(String::new(), |unit| format!(" / {unit}"));
    row(&format!("half-mass radius{unit}"), initial.half_mass_radius, last.half_mass_radius, String::new());
    let width = |column: usize, least: usize| {
        rows.iter().map(|row| row[column].chars().count() + 2).max().unwrap_or(0).max(least)
    };
    let (name, a, b) = (width(0, 20), width(1, 16), width(2, 16));
    let line =
        |row: &[String; 4]| format!("{:name$}{:>a$}{:>b$}   {}", row[0], row[1], row[2], row[3]).trim_end().to_owned();
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Nine digits, without an exponent where that can be read.
fn digits(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        // the virial ratio of a single body
        return "-".into();
    }
    if value == 0.0 || (1.0e-4..1.0e5).contains(&size) { format!("{value:.9}") } else { format!("{value:.8e}") }
}

/// What a run has taken.
#[derive(Clone, Copy)]
pub(super) struct Times {
    /// From its first step on.
    pub(super) elapsed: Duration,
    /// What audits took of it, and the one before.
    pub(super) auditing: Duration,
    /// Interactions a second.
    pub(super) rate: Option<f64>,
}

/// "1.9 s, 1.4e10 interactions/s".
pub(super) fn speed(times: &Times) -> String {
    let rate = times.rate.map_or(String::new(), |rate| format!(", {rate:.2e} interactions/s"));
    format!("{:.2} s{rate}", times.elapsed.as_secs_f64())
}

/// The accuracy that was asked for, and whether the forces of the present state had it when they were audited.
pub(super) fn accuracy_met(run: &Simulation) -> Option<(f64, bool)> {
    let (rtol, force) = (run.parameters().rtol?, run.errors().force?);
    Some((rtol, force.max <= rtol))
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
        "step": run.clock().step(),
        "steps": run.clock().steps(),
        "integrator": parameters.integrator,
        "solver": parameters.solver,
        "precision": parameters.precision.to_string(),
        "sum": parameters.sum.to_string(),
        "audit": parameters.audit,
        "audit_limit": parameters.audit_limit,
        "max_energy_error": parameters.max_energy_error,
        "rtol": parameters.rtol,
        "force_error": run.errors().force.as_ref().map(force_errors_json),
        "device": parameters.device.name(),
        "threads": rayon::current_num_threads(),
        "snapshot_every": parameters.snapshot_every,
        "out": out.display().to_string(),
        "diagnostics": diagnostics(run.initial()),
    })
}

/// A line on the way.
pub(super) fn progress(
    run: &Simulation,
    energy_error: Option<f64>,
    force_error: Option<f64>,
    elapsed: Duration,
    rate: Option<f64>,
) -> Value {
    json!({
        "event": "progress",
        "time": run.time(),
        "step": run.clock().step(),
        "steps": run.clock().steps(),
        "energy_error": energy_error,
        "force_error_max": force_error,
        "elapsed_s": elapsed.as_secs_f64(),
        "interactions_per_s": rate,
    })
}

/// A snapshot is on disk.
pub(super) fn snapshot(run: &Simulation, file: &Path) -> Value {
    json!({
        "event": "snapshot",
        "time": run.time(),
        "step": run.clock().step(),
        "file": file.display().to_string(),
        "energy_error": run.errors().energy,
        "force_error": run.errors().force.as_ref().map(force_errors_json),
        "warnings": Vec::from_iter(warning(run)),
    })
}

/// The last line: `status` is "finished", "missed" (its rtol) or "interrupted"; an interrupted run has no last diagnostics.
/// `warnings` are those of the snapshots on the way and of the end.
pub(super) fn end(
    run: &Simulation,
    status: &str,
    last: Option<&Diagnostics>,
    times: Times,
    file: &Path,
    warnings: &[String],
) -> Value {
    let drift = last.map(|last| last.drift_since(run.initial()));
    json!({
        "event": "end",
        "status": status,
        "time": run.time(),
        "step": run.clock().step(),
        "steps": run.clock().steps(),
        "file": file.display().to_string(),
        "elapsed_s": times.elapsed.as_secs_f64(),
        "audit_s": times.auditing.as_secs_f64(),
        "interactions_per_s": times.rate,
        "initial": diagnostics(run.initial()),
        "diagnostics": last.map(diagnostics),
        "energy_error": run.errors().energy,
        "force_error": run.errors().force.as_ref().map(force_errors_json),
        "rtol": run.parameters().rtol,
        "rtol_met": accuracy_met(run).map(|(_, met)| met),
        "warnings": warnings,
        "drift": drift.map(|drift| json!({
            "energy": drift.energy,
            "momentum": drift.momentum,
            "angular_momentum": drift.angular_momentum,
        })),
    })
}

/// The last line of a run that could not go on: the error, the step it stands at, and the newest snapshot, if there is one.
pub(super) fn stopped(error: &str, step: u64, time: f64, file: Option<&Path>) -> Value {
    json!({
        "event": "end",
        "status": "stopped",
        "error": error,
        "time": time,
        "step": step,
        "file": file.map(|file| file.display().to_string()),
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

pub(crate) fn diagnostics(d: &Diagnostics) -> Value {
    json!({
        "time": d.time,
        "energy": d.energy(),
        "kinetic": d.kinetic,
        "potential": d.potential,
        "momentum": d.momentum,
        "angular_momentum": d.angular_momentum,
        "virial_ratio": d.virial_ratio(),
        "center_of_mass": d.center_of_mass,
        "half_mass_radius": d.half_mass_radius,
        "mass": d.mass,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns never touch, however large the numbers are, and times have their units.
    #[test]
    fn columns_are_apart() {
        let of = |time: f64| Diagnostics {
            time,
            kinetic: 53_660.568_916_487,
            potential: -1.234_567_890_12e15,
            half_mass_radius: 98_765.432_1,
            mass: 1e5,
            momentum: [1e-200, 0.0, 0.0],
            ..Diagnostics::default()
        };
        for (name, begin, end) in [("msun-pc-kms", "t = 0 Myr", "t = 10 Myr"), ("henon", "t = 0", "t = 10.22712165")] {
            let units = Units::by_name(name).unwrap();
            let text = table(&of(0.0), &of(10.227_121_650_456_949), &units);
            assert!(text.lines().next().unwrap().contains(begin) && text.contains(end), "{text}");
            for line in text.lines().skip(1) {
                let words: Vec<&str> = line.split_whitespace().collect();
                let numbers = words.iter().filter(|word| word.parse::<f64>().is_ok() || **word == "-").count();
                assert!(numbers >= 2, "{line}");
            }
            // all lines have their columns at the same places
            let ends: Vec<usize> = text.lines().take(2).map(|line| line.find(" of |E|").unwrap_or(0)).collect();
            assert_eq!(ends.len(), 2);
        }
    }
}
