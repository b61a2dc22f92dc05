//! The first bodies of a run: initial conditions, a file, or a snapshot that an earlier run has kept.

use super::observer::{Audience, Event};
use super::outputs::Outputs;
use super::series;
use crate::few_body::SYSTEM_TIME;
use crate::ic::{self, Request, Timescales};
use crate::settings::{self, DEFAULT_IC, Settings};
use crate::simulation::Standing;
use crate::snapshot::atomic::is_there;
use crate::snapshot::{self, Checksum, ReadOptions, Snapshot};
use crate::units::{Dimension, Units};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

const DEFAULT_SEED: u64 = 1;

/// Bodies, and where they come from.
pub(super) struct Start {
    pub(super) snapshot: Snapshot,
    /// The part of the description that leads here again.
    pub(super) settings: Settings,
    /// For people.
    pub(super) description: String,
    /// What suits these orbits, where they are known.
    pub(super) timescales: Option<Timescales>,
}

/// Reads or draws the bodies that a new run starts from.
///
/// # Errors
/// Those of the file or the initial conditions; [`Error::Parameter`] for both at once.
pub(super) fn load(settings: &Settings, audience: &mut Audience<'_>) -> Result<Start> {
    let Some(file) = &settings.file else { return draw(settings) };
    if let Some((name, value)) = words(settings).next() {
        let expected = format!("{} is to start from already: one or the other", file.display());
        return Err(Error::Parameter { name, value, expected });
    }
    let columns = settings.columns;
    let snapshot = read(file, &ReadOptions { columns, ..ReadOptions::default() }, audience)?;
    snapshot.check_isolated().map_err(|error| error.in_file(file))?;
    let settings = Settings { file: Some(file.clone()), columns, ..Settings::default() };
    Ok(Start { snapshot, settings, description: file.display().to_string(), timescales: None })
}

/// The settings that choose initial conditions; they cannot be combined with a file.
pub(super) fn words(settings: &Settings) -> impl Iterator<Item = (&'static str, String)> {
    let with = settings.with.iter().flatten().map(|(name, value)| ("with", format!("{name}={value}")));
    let ic = settings.ic.iter().map(|name| ("ic", name.clone()));
    let n = settings.n.iter().map(|n| ("n", n.to_string()));
    let seed = settings.seed.iter().map(|seed| ("seed", seed.to_string()));
    ic.chain(n).chain(seed).chain(with)
}

fn draw(settings: &Settings) -> Result<Start> {
    let name = settings.ic.as_deref().unwrap_or(DEFAULT_IC);
    let model = ic::find(name)?;
    if let Some(columns) = settings.columns {
        let expected = format!("names the columns of a file, and {name} is made here: must be left out");
        return Err(Error::Parameter { name: "columns", value: columns.to_string(), expected });
    }
    let with = settings.with.clone().unwrap_or_default();
    let seed = settings.seed.unwrap_or(DEFAULT_SEED);
    let n = settings.n.map(settings::bodies).transpose()?;
    let request = Request { n, seed, parameters: with.clone() };
    let snapshot = model.snapshot(&request)?;
    let timescales = model.timescales(&request)?;
    let settings = Settings {
        ic: Some(name.into()),
        // a model with a number of its own has no chance in it either
        n: model.n.is_none().then_some(snapshot.bodies.len() as u64),
        seed: model.n.is_none().then_some(seed),
        with: settings.with.clone(),
        ..Settings::default()
    };
    let with: String = with.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let seed = if model.n.is_none() { format!(", seed {seed}") } else { String::new() };
    Ok(Start { timescales, snapshot, settings, description: format!("{name}{with}{seed}") })
}

/// A snapshot, with what the reader has to say about it.
fn read(file: &Path, options: &ReadOptions, audience: &mut Audience<'_>) -> Result<Snapshot> {
    let loaded = snapshot::read_with(file, options)?;
    loaded.notes.iter().for_each(|note| audience.note(format_args!("{}: {note}", file.display())));
    let Snapshot { bodies, time, .. } = &loaded.snapshot;
    let times = bodies.extra.get(SYSTEM_TIME).map_or(&[][..], Vec::as_slice);
    if let Some((k, other)) = times.iter().enumerate().find(|(_, other)| **other != *time) {
        let problem = format!(
            "body {k} (id {}) is of a system of an ensemble that has ended at t = {other}, before the time of the file, {time}: a run begins at \
             one time",
            bodies.id[k]
        );
        return Err(Error::Field { path: file.into(), field: SYSTEM_TIME.into(), problem });
    }
    Ok(loaded.snapshot)
}

/// What an earlier run has left.
pub(super) enum Kept {
    /// Its newest snapshot.
    Snapshot(PathBuf, Box<Snapshot>),
    /// Only its description: it was ended before it kept anything.
    OnlyDescription(PathBuf),
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

/// Finds the state to resume from: the snapshot `path` or, where it is missing or damaged, the newest numbered snapshot
/// before it; warns of those that are damaged. `elsewhere` where the run continues under another name.
///
/// # Errors
/// [`Error::Io`] where there is nothing; those of a file that cannot be read.
pub(super) fn find_kept(path: &Path, elsewhere: bool, audience: &mut Audience<'_>) -> Result<Kept> {
    Outputs::complete_for(path, audience)?;
    let kept = search(path, elsewhere, audience)?;
    if !elsewhere {
        series::check(path, &kept, audience)?;
    }
    Ok(kept)
}

fn search(path: &Path, elsewhere: bool, audience: &mut Audience<'_>) -> Result<Kept> {
    let damaged = match is_there(path)?.then(|| look(path, elsewhere, audience)) {
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
        passed_over(path, &error, audience);
    }
    // if a file cannot be read, or belongs to another run, no new run begins over it
    let mut hindrance = None;
    for (_, file) in before.into_iter().rev() {
        let (error, hinders) = match look(&file, elsewhere, audience) {
            Look::Whole(kept) => return Ok(kept),
            Look::Foreign(error) => return Err(error),
            Look::Misnamed(error) => (error, true),
            Look::Damaged(error @ Error::Io { .. }) => (error, true),
            Look::Damaged(error) => (error, false),
        };
        passed_over(&file, &error, audience);
        if hinders {
            hindrance = Some(error);
        }
    }
    if let Some(error) = hindrance {
        return Err(error);
    }
    let description = outputs.scene();
    if is_there(&description)? {
        return Ok(Kept::OnlyDescription(description));
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

/// Reports a snapshot from which the run cannot be resumed.
fn passed_over(file: &Path, error: &Error, audience: &mut Audience<'_>) {
    audience.notify(&Event::Damaged { file, error: &error.to_string(), advice: "trying the one before" });
}

fn look(file: &Path, elsewhere: bool, audience: &mut Audience<'_>) -> Look {
    let loaded = match snapshot::read_with(file, &ReadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => return Look::Damaged(error),
    };
    loaded.notes.iter().for_each(|note| audience.note(format_args!("{}: {note}", file.display())));
    let (snapshot, checksum) = (loaded.snapshot, loaded.header.checksum);
    if let Err(error) = snapshot.check_isolated() {
        return Look::Foreign(error.in_file(file));
    }
    let standing = match Standing::from_snapshot(&snapshot) {
        Ok(standing) => standing,
        Err(error) => {
            return match is_end(file, &snapshot) {
                Ok(true) => Look::Whole(Kept::Finished(file.into())),
                Ok(false) => Look::Damaged(error.of_settings_in(file)),
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
        // a file with the right checksum is as it was written, so it is of another run; any other may be damaged, and
        // is skipped
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
    let settings = match Settings::read(&path) {
        Ok(settings) if outputs.is_described_by(&settings) => settings,
        Err(error @ Error::Io { .. }) => return Err(error),
        // whoever goes on among these files reads it again, and refuses it
        _ => return Ok(None),
    };
    let found = contradiction(&settings, standing, units)?;
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

/// The first of the settings of a description that a snapshot of the run contradicts, with both values.
///
/// # Errors
/// Those of a quantity that cannot be read.
fn contradiction(settings: &Settings, standing: &Standing, units: &Units) -> Result<Option<String>> {
    if let (Some(described), Some(kept)) = (&settings.initial_state, &standing.fingerprint)
        && described != kept
    {
        return Ok(Some(format!("initial-state = {described}, not {kept}, so that the run began with other bodies")));
    }
    standing.parameters.contradiction(settings, standing.last, units)
}

/// Whether a snapshot's run is the one of a description, as far as both have the settings.
pub(super) fn is_of(settings: &Settings, standing: &Standing, units: &Units) -> bool {
    contradiction(settings, standing, units).is_ok_and(|found| found.is_none())
}

/// The error of a damaged file that there is nothing before, with what can be done.
fn advised(error: Error, path: &Path, outputs: &Outputs) -> Result<Error> {
    let advice = match Outputs::of_kept(path) {
        Ok(own) => format!("--resume {} takes the newest whole snapshot", own.last_snapshot().display()),
        Err(_) if is_there(&outputs.scene())? => {
            format!("there is no snapshot before it; `manybody run {}` begins again", outputs.scene().display())
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
    let settings = match Settings::read(&outputs.scene()) {
        Ok(settings) => settings,
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(_) => return Ok(false),
    };
    let end = settings.t_end.as_ref().and_then(|end| end.value("t-end", Dimension::TIME, &snapshot.units).ok());
    Ok(outputs.is_described_by(&settings) && end == Some(snapshot.time))
}
