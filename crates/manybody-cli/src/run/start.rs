//! Where the bodies of a run come from: initial conditions, a file, or a snapshot that an earlier run has kept.

use super::outputs::Outputs;
use super::scene::Scene;
use crate::console::say;
use crate::model::to_usize;
use manybody::ic::{self, Request};
use manybody::simulation::Parameters;
use manybody::snapshot::{self, ReadOptions, Snapshot};
use manybody::units::{Dimension, Units, parse_quantity};
use manybody::{Error, Result};
use std::path::{Path, PathBuf};

/// What starts when nothing is said.
pub(super) const DEFAULT_IC: &str = "plummer";
const DEFAULT_SEED: u64 = 1;

/// Bodies, and where they come from.
pub(super) struct Start {
    pub(super) snapshot: Snapshot,
    /// The part of the description that leads here again.
    pub(super) scene: Scene,
    /// For people.
    pub(super) description: String,
    /// What suits these orbits, where they are known.
    pub(super) times: Option<Times>,
}

/// Reads or draws the bodies that a new run starts from.
///
/// # Errors
/// Those of the file or the initial conditions; [`Error::Parameter`] for both at once.
pub(super) fn load(scene: &Scene) -> Result<Start> {
    let Some(file) = &scene.file else { return draw(scene) };
    if let Some((name, value)) = words(scene).next() {
        let expected = format!("{} is to start from already: one or the other", file.display());
        return Err(Error::Parameter { name, value, expected });
    }
    let columns = scene.columns.as_deref().map(str::parse).transpose()?;
    let snapshot = read(file, &ReadOptions { columns, ..ReadOptions::default() })?;
    let scene = Scene { file: Some(file.clone()), columns: scene.columns.clone(), ..Scene::default() };
    Ok(Start { snapshot, scene, description: file.display().to_string(), times: None })
}

/// The words that choose initial conditions, none of which goes with a file.
pub(super) fn words(scene: &Scene) -> impl Iterator<Item = (&'static str, String)> {
    let with = scene.with.iter().flatten().map(|(name, value)| ("with", format!("{name}={value}")));
    let ic = scene.ic.iter().map(|name| ("ic", name.clone()));
    let n = scene.n.iter().map(|n| ("n", n.to_string()));
    let seed = scene.seed.iter().map(|seed| ("seed", seed.to_string()));
    ic.chain(n).chain(seed).chain(with)
}

fn draw(scene: &Scene) -> Result<Start> {
    let name = scene.ic.as_deref().unwrap_or(DEFAULT_IC);
    let model = ic::find(name)?;
    let with = scene.with.clone().unwrap_or_default();
    let seed = scene.seed.unwrap_or(DEFAULT_SEED);
    let n = scene.n.map(to_usize).transpose()?;
    let request = Request { n, seed, parameters: with.clone() };
    let snapshot = ic::by_name(name, &request)?;
    let scene = Scene {
        ic: Some(name.into()),
        // a model with a number of its own has no chance in it either
        n: model.n.is_none().then_some(snapshot.bodies.len() as u64),
        seed: model.n.is_none().then_some(seed),
        with: scene.with.clone(),
        ..Scene::default()
    };
    let with: String = with.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let seed = if model.n.is_none() { format!(", seed {seed}") } else { String::new() };
    Ok(Start { times: times(name, &request), snapshot, scene, description: format!("{name}{with}{seed}") })
}

/// A step that resolves the fastest orbit of a system of few bodies, and how long one would watch it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    pub(super) dt: f64,
    pub(super) duration: f64,
}

fn times(name: &str, request: &Request) -> Option<Times> {
    let number = |name: &str, default: f64| {
        let text = request.parameters.get(name);
        text.and_then(|text| parse_quantity(text, Dimension::NUMBER, &Units::henon()).ok()).unwrap_or(default)
    };
    match name {
        // a period; 1/64 of the time that an orbit at the pericentre would take for a radian
        "kepler" => {
            let default = ic::Kepler::default();
            let axis = number("semi-major-axis", default.semi_major_axis);
            let pericentre = axis * (1.0 - number("eccentricity", default.eccentricity));
            let dt = (pericentre.powf(1.5) / 64.0).log2().floor().exp2();
            Some(Times { dt, duration: std::f64::consts::TAU * axis.powf(1.5) })
        }
        "figure8" => Some(Times { dt: 1.0 / 256.0, duration: ic::FIGURE8_PERIOD }),
        // up to its first close encounters, which pass within 0.02
        "pythagorean" => Some(Times { dt: 1.0 / 16384.0, duration: 10.0 }),
        // a year; the Moon goes round in 218 steps
        "solar-system" => Some(Times { dt: 0.125, duration: 365.25 }),
        _ => None,
    }
}

/// A snapshot, with what the reader has to say about it.
fn read(file: &Path, options: &ReadOptions) -> Result<Snapshot> {
    let loaded = snapshot::read_with(file, options)?;
    loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", file.display())));
    Ok(loaded.snapshot)
}

/// What an earlier run has left.
pub(super) enum Kept {
    /// Its newest snapshot.
    Snapshot(PathBuf, Box<Snapshot>),
    /// Only its description: it was ended before it kept anything.
    OnlyScene(PathBuf),
    /// The last snapshot, in a format that nothing could go on from: the run is at its end.
    Finished(PathBuf),
}

/// Finds what to go on from: the snapshot `path` or, where there is none of that name or it is damaged, the newest on the
/// way to it.
///
/// # Errors
/// [`Error::Io`] where there is nothing; those of a file that cannot be read.
pub(super) fn find_kept(path: &Path) -> Result<Kept> {
    let whole = |file: &Path| {
        let snapshot = read(file, &ReadOptions::default())?;
        match Parameters::kept_in(&snapshot) {
            Ok(_) => Ok(Kept::Snapshot(file.into(), Box::new(snapshot))),
            Err(_) if is_end(file, &snapshot) => Ok(Kept::Finished(file.into())),
            Err(error) => Err(blame(error, Some(file))),
        }
    };
    let damaged = match path.symlink_metadata().is_ok().then(|| whole(path)) {
        Some(Ok(kept)) => return Ok(kept),
        Some(Err(error)) => Some(error),
        None => None,
    };
    let outputs = match Outputs::new(path) {
        Ok(outputs) => outputs,
        Err(error) => return Err(damaged.unwrap_or(error)),
    };
    // a format that rounds holds nothing to go on from, but an interruption has left something that does
    let resumable = if outputs.can_be_resumed() { outputs.clone() } else { outputs.in_hdf5() };
    let before = resumable.kept()?;
    if let Some(error) = damaged {
        if before.is_empty() {
            return Err(error);
        }
        say(format_args!("{error}; trying the one before"));
    }
    for (_, file) in before.into_iter().rev() {
        match whole(&file) {
            Ok(kept) => return Ok(kept),
            Err(error) => say(format_args!("{error}; trying the one before")),
        }
    }
    let scene = outputs.scene();
    if scene.exists() {
        return Ok(Kept::OnlyScene(scene));
    }
    Err(Error::Io {
        path: path.into(),
        action: "go on from it",
        source: std::io::Error::new(
            std::io::ErrorKind::NotFound,
            "neither it nor a numbered snapshot or TOML file of the same run is there",
        ),
    })
}

/// Whether `file`, in a format that keeps nothing of its run, has the time at which the run that is described beside it
/// ends.
fn is_end(file: &Path, snapshot: &Snapshot) -> bool {
    let Ok(outputs) = Outputs::new(file) else { return false };
    let Ok(scene) = Scene::read(&outputs.scene()) else { return false };
    let end = scene.t_end.as_ref().and_then(|end| end.value("t-end", Dimension::TIME, &snapshot.units).ok());
    !outputs.can_be_resumed() && outputs.is_described_by(&scene) && end == Some(snapshot.time)
}

/// Lays an error in what came from a file at its door.
pub(super) fn blame(error: Error, file: Option<&Path>) -> Error {
    let Some(path) = file.map(Path::to_path_buf) else { return error };
    match error {
        Error::Body { index, id, field, value, expected } => {
            let problem = format!("body {index} (id {id}) = {value}: {expected}");
            Error::Field { path, field: field.into(), problem }
        }
        Error::Parameter { name, value, expected } if name.starts_with("run.") => {
            Error::Field { path, field: name.into(), problem: format!("{value}: {expected}") }
        }
        other => other,
    }
}
