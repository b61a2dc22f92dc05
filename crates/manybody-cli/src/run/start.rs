//! Where the bodies of a run come from: initial conditions, a file, or a snapshot that an earlier run has kept.

use super::outputs::Outputs;
use super::report;
use super::scene::{Scene, contradiction};
use super::series;
use crate::console::{complain, json, say};
use crate::model::to_usize;
use manybody::ic::{self, Request};
use manybody::simulation::Standing;
use manybody::snapshot::atomic::is_there;
use manybody::snapshot::{self, Checksum, ReadOptions, Snapshot};
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
    snapshot.check_isolated().map_err(|error| blame(error, Some(file)))?;
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

/// What a file is to a run that is to go on.
enum Look {
    Whole(Kept),
    /// Nothing to go on from: the one before is.
    Damaged(Error),
    /// Its name is that of another state: nothing to go on from under this name.
    Misnamed(Error),
    /// It cannot be read now, or is of another run: nothing may take its place.
    Foreign(Error),
}

/// Finds what to go on from: the snapshot `path` or, where there is none of that name or it is damaged, the newest on the
/// way to it; warns of what is wrong with those before. `elsewhere` where the run goes on under another name.
///
/// # Errors
/// [`Error::Io`] where there is nothing; those of a file that cannot be read.
pub(super) fn find_kept(path: &Path, elsewhere: bool, to_json: bool) -> Result<Kept> {
    Outputs::complete_for(path)?;
    let kept = search(path, elsewhere, to_json)?;
    if !elsewhere {
        series::check(path, &kept, to_json)?;
    }
    Ok(kept)
}

fn search(path: &Path, elsewhere: bool, to_json: bool) -> Result<Kept> {
    let tell = |file: &Path, error: &Error| {
        complain(format_args!("{error}; trying the one before"));
        if to_json {
            json(&report::damaged(file, &error.to_string()));
        }
    };
    let damaged = match is_there(path)?.then(|| look(path, elsewhere)) {
        Some(Look::Whole(kept)) => return Ok(kept),
        Some(Look::Foreign(error) | Look::Misnamed(error) | Look::Damaged(error @ Error::Io { .. })) => {
            return Err(error);
        }
        Some(Look::Damaged(error)) => Some(error),
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
            return Err(advised(error, path, &outputs)?);
        }
        tell(path, &error);
    }
    // while a file cannot be read, or says that it is of another run, nothing is begun anew over it
    let mut hindrance = None;
    for (_, file) in before.into_iter().rev() {
        let (error, hinders) = match look(&file, elsewhere) {
            Look::Whole(kept) => return Ok(kept),
            Look::Foreign(error) => return Err(error),
            Look::Misnamed(error) => (error, true),
            Look::Damaged(error @ Error::Io { .. }) => (error, true),
            Look::Damaged(error) => (error, false),
        };
        tell(&file, &error);
        if hinders {
            hindrance = Some(error);
        }
    }
    if let Some(error) = hindrance {
        return Err(error);
    }
    let scene = outputs.scene();
    if is_there(&scene)? {
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

fn look(file: &Path, elsewhere: bool) -> Look {
    let loaded = match snapshot::read_with(file, &ReadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => return Look::Damaged(error),
    };
    loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", file.display())));
    let (snapshot, checksum) = (loaded.snapshot, loaded.header.checksum);
    if let Err(error) = snapshot.check_isolated() {
        return Look::Foreign(blame(error, Some(file)));
    }
    let standing = match Standing::kept_in(&snapshot) {
        Ok(standing) => standing,
        Err(error) => {
            return match is_end(file, &snapshot) {
                Ok(true) => Look::Whole(Kept::Finished(file.into())),
                Ok(false) => Look::Damaged(of_file(error, file)),
                Err(error) => Look::Foreign(error),
            };
        }
    };
    let misnamed = series::misnamed(file, &standing, &snapshot).filter(|_| !elsewhere);
    match contradicted(file, &standing, &snapshot.units).map(|found| found.filter(|_| !elsewhere)) {
        Ok(None) => match misnamed {
            Some(error) => Look::Misnamed(error),
            None => Look::Whole(Kept::Snapshot(file.into(), Box::new(snapshot))),
        },
        // the file is what was written; without a checksum nobody can tell, and it is not gone on from
        Ok(Some(error)) if matches!(checksum, Checksum::Whole(_)) => Look::Foreign(error),
        Ok(Some(error)) => Look::Damaged(error),
        Err(error) => Look::Foreign(error),
    }
}

/// The error for a snapshot that the description beside it contradicts.
fn contradicted(file: &Path, standing: &Standing, units: &Units) -> Result<Option<Error>> {
    let Ok(outputs) = Outputs::of_kept(file).or_else(|_| Outputs::new(file)) else { return Ok(None) };
    let path = outputs.scene();
    if !is_there(&path)? {
        return Ok(None);
    }
    let scene = match Scene::read(&path) {
        Ok(scene) if outputs.is_described_by(&scene) => scene,
        Err(error @ Error::Io { .. }) => return Err(error),
        // whoever goes on among these files reads it again, and refuses it
        _ => return Ok(None),
    };
    let found = contradiction(&scene, standing, units)?;
    Ok(found.map(|found| Error::Field {
        path: file.into(),
        field: "run".into(),
        problem: format!(
            "{} says {found}: the one is damaged, edited or of another run; --out NAME goes on from the snapshot under \
             another name",
            path.display()
        ),
    }))
}

/// Whether a snapshot's run is the one that a description speaks of, as far as both tell.
pub(super) fn is_of(scene: &Scene, standing: &Standing, units: &Units) -> bool {
    contradiction(scene, standing, units).is_ok_and(|found| found.is_none())
}

/// The error of a damaged file that there is nothing before, with what can be done.
fn advised(error: Error, path: &Path, outputs: &Outputs) -> Result<Error> {
    let advice = match Outputs::of_kept(path) {
        Ok(own) => format!("--resume {} takes the newest whole snapshot", own.last_snapshot().display()),
        Err(_) if is_there(&outputs.scene())? => {
            format!("there is none before it; `manybody run {}` begins anew", outputs.scene().display())
        }
        Err(_) => return Ok(error),
    };
    Ok(match error {
        Error::Format { path, format, problem } => {
            Error::Format { path, format, problem: format!("{problem}; {advice}") }
        }
        Error::Field { path, field, problem } => Error::Field { path, field, problem: format!("{problem}; {advice}") },
        other => other,
    })
}

/// Whether `file`, in a format that keeps nothing of its run, has the time at which the run that is described beside it
/// ends.
fn is_end(file: &Path, snapshot: &Snapshot) -> Result<bool> {
    let Ok(outputs) = Outputs::new(file) else { return Ok(false) };
    if outputs.can_be_resumed() || !is_there(&outputs.scene())? {
        return Ok(false);
    }
    let scene = match Scene::read(&outputs.scene()) {
        Ok(scene) => scene,
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(_) => return Ok(false),
    };
    let end = scene.t_end.as_ref().and_then(|end| end.value("t-end", Dimension::TIME, &snapshot.units).ok());
    Ok(outputs.is_described_by(&scene) && end == Some(snapshot.time))
}

/// An error in what a run has kept in a file, with the file's name.
fn of_file(error: Error, file: &Path) -> Error {
    match blame(error, Some(file)) {
        error @ (Error::Parameter { .. } | Error::Unknown { .. }) => {
            Error::Field { path: file.into(), field: "run".into(), problem: error.to_string() }
        }
        other => other,
    }
}

/// Lays an error in what came from a file at its door.
pub(super) fn blame(error: Error, file: Option<&Path>) -> Error {
    let Some(path) = file.map(Path::to_path_buf) else { return error };
    match error {
        Error::Body { index, id, field, value, expected } => {
            let problem = format!("body {index} (id {id}) = {value}: {expected}");
            Error::Field { path, field: field.into(), problem }
        }
        Error::Parameter { name, value, expected } if name.starts_with("run.") || name == "cosmology" => {
            Error::Field { path, field: name.into(), problem: format!("{value}: {expected}") }
        }
        other => other,
    }
}
