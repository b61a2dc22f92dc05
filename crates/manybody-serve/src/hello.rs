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

/// Of a series of snapshots, of which this one is shown.
pub(crate) fn of_snapshots(shown: &Snapshot, files: &[PathBuf]) -> Value {
    let name = |file: &PathBuf| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let names: Vec<String> = files.iter().map(name).collect();
    json!({ "hello": {
        "version": env!("CARGO_PKG_VERSION"),
        "kind": "snapshots",
        "title": shown.meta.get("run.title"),
        "about": null,
        "bodies": shown.bodies.len(),
        "files": names,
        "units": units(&shown.units),
        "control": true,
    }})
}

/// The units of what the page shows; null for plain numbers. Times are shown in a unit of their own, as in plots.
fn units(units: &Units) -> Value {
    let unit = |dimension| show::unit(dimension, units);
    let (time, time_factor) = show::time_unit(units).unzip();
    json!({
        "name": units.name,
        "length": unit(Dimension::LENGTH),
        "time": time,
        "time_factor": time_factor.unwrap_or(1.0),
        "velocity": unit(Dimension::VELOCITY),
        "mass": unit(Dimension::MASS),
        "energy": unit(Dimension::ENERGY),
        "density": unit(Dimension::DENSITY),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use manybody::units::show::label;

    #[test]
    fn times_have_the_unit_of_plots_and_labels() {
        for (name, unit) in
            [("msun-pc-kms", json!("Myr")), ("gadget", json!("Gyr")), ("si", json!("s")), ("henon", json!(null))]
        {
            let system = Units::by_name(name).unwrap();
            let told = units(&system);
            assert_eq!(told["time"], unit, "{name}");
            let text = label(2.0, &system);
            let shown = 2.0 * told["time_factor"].as_f64().unwrap();
            // a label has four digits: half of the last one of the smallest number of four
            let number: f64 = text.split(' ').next().unwrap().parse().unwrap();
            assert!((number - shown).abs() <= 5e-4 * shown, "{name}: {text}, {shown}");
        }
    }
}
