//! The first words to a page: what it looks at.

use manybody::simulation::Simulation;
use manybody::units::{Dimension, show};
use manybody::{Snapshot, Units};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Of a run.
pub(crate) fn of_run(run: &Simulation, description: &str, control: bool) -> Value {
    let (parameters, clock) = (run.parameters(), run.clock());
    let about =
        format!("{}, {}, {} on {}", description, parameters.integrator, parameters.precision, parameters.device);
    json!({ "hello": {
        "version": env!("CARGO_PKG_VERSION"),
        "kind": "run",
        "title": parameters.title,
        "about": about,
        "bodies": run.count(),
        "start": clock.time_of(0),
        "end": parameters.t_end,
        "steps": clock.steps(),
        "units": units(run.units()),
        "control": control,
    }})
}

/// Of a series of snapshots.
pub(crate) fn of_snapshots(first: &Snapshot, files: &[PathBuf]) -> Value {
    let name = |file: &PathBuf| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let names: Vec<String> = files.iter().map(name).collect();
    json!({ "hello": {
        "version": env!("CARGO_PKG_VERSION"),
        "kind": "snapshots",
        "title": first.meta.get("run.title"),
        "about": names.first(),
        "bodies": first.bodies.len(),
        "files": names,
        "units": units(&first.units),
        "control": true,
    }})
}

/// The units of what the page shows; null for plain numbers.
fn units(units: &Units) -> Value {
    let unit = |dimension| show::unit(dimension, units);
    json!({
        "name": units.name,
        "length": unit(Dimension::LENGTH),
        "time": unit(Dimension::TIME),
        "velocity": unit(Dimension::VELOCITY),
        "mass": unit(Dimension::MASS),
        "energy": unit(Dimension::ENERGY),
        "density": unit(Dimension::DENSITY),
    })
}
