//! A run with files and every promise of `manybody run`, by the library's driver.

use crate::calls::{compute_watched, watch};
use crate::errors::raise;
use crate::settings::{Words, settings};
use manybody::Result;
use manybody::driver::{Driver, End, Event, Outcome};
use manybody::log::Entry;
use manybody::simulation::Simulation;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;

/// Makes the run that settings describe; `observer` is called with a dictionary at each event, and ends the run, which
/// keeps a snapshot, where it returns False. Returns what came of it.
#[pyfunction]
#[pyo3(signature = (words, description, observer))]
pub(crate) fn drive<'py>(
    py: Python<'py>,
    words: Words,
    description: Option<PathBuf>,
    observer: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = settings(&words)?;
    let driver = match description {
        Some(path) => Driver::described_by(&path, given).map_err(raise)?,
        None => Driver::new(given),
    };
    let (watch, thrown) = (watch(), Mutex::new(None));
    let driver = driver.watch(&watch);
    // a run may take long whatever its bodies: signals are looked for in all
    let outcome = compute_watched(py, u64::MAX, &watch, || -> Result<Outcome> {
        let mut look = |event: &Event<'_>| {
            let told = Python::attach(|py| call(py, observer.as_ref(), event));
            match told {
                Ok(true) if !watch.is_stopped() => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(()),
                Err(error) => {
                    thrown.lock().map(|mut thrown| *thrown = Some(error)).unwrap_or_default();
                    ControlFlow::Break(())
                }
            }
        };
        driver.run_observed(&mut look).map_err(|failure| failure.error)
    });
    if let Ok(Some(error)) = thrown.into_inner() {
        return Err(error);
    }
    described(py, &outcome?)
}

/// Calls an observer; whether the run goes on.
fn call(py: Python<'_>, observer: Option<&Py<PyAny>>, event: &Event<'_>) -> PyResult<bool> {
    let Some(observer) = observer else { return Ok(true) };
    let found = observer.bind(py).call1((dictionary(py, event)?,))?;
    Ok(found.is_none() || found.is_truthy()?)
}

fn dictionary<'py>(py: Python<'py>, event: &Event<'_>) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    match event {
        Event::Note(text) => {
            fields.set_item("event", "note")?;
            fields.set_item("text", text)?;
        }
        Event::Warning(text) => {
            fields.set_item("event", "warning")?;
            fields.set_item("text", text)?;
        }
        Event::Damaged { file, error, advice } => {
            fields.set_item("event", "damaged")?;
            fields.set_item("file", file)?;
            fields.set_item("error", error)?;
            fields.set_item("advice", advice)?;
        }
        Event::Started { run, description, out } => {
            fields.set_item("event", "started")?;
            fields.set_item("description", description)?;
            fields.set_item("n", run.count())?;
            fields.set_item("out", out)?;
            progress(&fields, run)?;
        }
        Event::Advanced { run, .. } => {
            fields.set_item("event", "advanced")?;
            progress(&fields, run)?;
        }
        Event::Audited { run, errors } => {
            fields.set_item("event", "audit")?;
            fields.set_item("sample", errors.sample)?;
            fields.set_item("median", errors.median)?;
            fields.set_item("p99", errors.p99)?;
            fields.set_item("max", errors.max)?;
            fields.set_item("jerk", errors.jerk)?;
            progress(&fields, run)?;
        }
        Event::Snapshot(written) => {
            fields.set_item("event", "snapshot")?;
            fields.set_item("file", &written.file)?;
            fields.set_item("step", written.step)?;
            fields.set_item("time", written.time)?;
            fields.set_item("energy_error", written.errors.energy)?;
        }
        Event::Logged(row) => {
            fields.set_item("event", "log")?;
            for (column, entry) in row.entries() {
                match entry {
                    None => fields.set_item(column.name, py.None())?,
                    Some(Entry::Number(value)) => fields.set_item(column.name, value)?,
                    Some(Entry::Count(value)) => fields.set_item(column.name, value)?,
                }
            }
        }
        Event::Happened(event) => {
            fields.set_item("event", event.kind.name())?;
            fields.set_item("time", event.time)?;
            fields.set_item("id", event.id)?;
            fields.set_item("other_id", event.other)?;
            fields.set_item("mass", event.mass)?;
            fields.set_item("energy", event.energy)?;
        }
        Event::Ended { run, .. } => {
            fields.set_item("event", "ended")?;
            progress(&fields, run)?;
        }
        _ => fields.set_item("event", "other")?,
    }
    Ok(fields)
}

fn progress(fields: &Bound<'_, PyDict>, run: &Simulation) -> PyResult<()> {
    fields.set_item("time", run.time())?;
    fields.set_item("step", run.clock().step())?;
    fields.set_item("steps", run.clock().steps())?;
    fields.set_item("energy_error", run.errors().energy)
}

fn described<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    let end = match outcome.end {
        End::Finished => "finished",
        End::Missed { .. } => "missed",
        End::Interrupted => "interrupted",
        End::FinishedBefore => "finished-before",
    };
    fields.set_item("end", end)?;
    fields.set_item("file", &outcome.file)?;
    fields.set_item("description", &outcome.description)?;
    fields.set_item("energy_error", outcome.errors.energy)?;
    fields.set_item("force_error", outcome.errors.force.as_ref().map(|force| force.max))?;
    fields.set_item("time", outcome.time)?;
    fields.set_item("steps", outcome.steps.0)?;
    fields.set_item("seconds", outcome.elapsed.as_secs_f64())?;
    fields.set_item("warnings", &outcome.warnings)?;
    Ok(fields)
}
