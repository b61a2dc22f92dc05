//! The snapshots of a run as a series: checks that each has the state of its name, and that no file is damaged or
//! missing.
//!
//! `--resume` needs one snapshot; the others are what the run is for. Those that it will not write again are read once,
//! and what is wrong with them is a warning.

use super::observer::{Audience, Event};
use super::outputs::Outputs;
use super::start::Kept;
use super::words::quoted;
use crate::settings::Settings;
use crate::simulation::Standing;
use crate::snapshot::atomic::is_there;
use crate::snapshot::{self, Snapshot};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// From so many bytes on, reading the series takes seconds, and that is said.
const MUCH: u64 = 1 << 30;

/// What is wrong with the name of a numbered snapshot that a run has kept: its number is not that of its state.
pub(super) fn misnamed(path: &Path, standing: &Standing, snapshot: &Snapshot) -> Option<Error> {
    let number = Outputs::number_of(path)?;
    let right = standing.due == Some(number) || between(standing, snapshot) == Some(number);
    (!right).then(|| under_another_number(path, standing, snapshot))
}

/// The number under which an interruption keeps a state.
fn between(standing: &Standing, snapshot: &Snapshot) -> Option<u64> {
    Outputs::number_between(standing, snapshot).filter(|_| !standing.last)
}

fn under_another_number(path: &Path, standing: &Standing, snapshot: &Snapshot) -> Error {
    let held = match standing.due.or(between(standing, snapshot)) {
        Some(held) => format!("the snapshot of number {held:04}"),
        None => "the last snapshot of a run".into(),
    };
    Error::Field {
        path: path.into(),
        field: "run".into(),
        problem: format!("it holds {held}, so it was renamed or copied; --out NAME goes on from it under another name"),
    }
}

/// Warns of the snapshots before the one that a run goes on from, as `kept`, which are damaged, misnamed or missing.
/// `asked` is the file that `--resume` names.
///
/// # Errors
/// [`Error::Io`] for a folder that cannot be read.
pub(super) fn check(asked: &Path, kept: &Kept, audience: &mut Audience<'_>) -> Result<()> {
    let (file, snapshot) = match kept {
        Kept::Snapshot(file, snapshot) => (file, Some(&**snapshot)),
        Kept::Finished(file) => (file, None),
        Kept::OnlyDescription(_) => return Ok(()),
    };
    let below = Outputs::number_of(file);
    // the format of the run, and where that rounds, the one in which an interruption has kept the state
    let mut series: Vec<Outputs> = Vec::new();
    for path in [asked, file] {
        let own = Outputs::of_kept(path).or_else(|_| Outputs::new(path));
        series.extend(own.ok().filter(|own| series.iter().all(|known| known.last_snapshot() != own.last_snapshot())));
    }
    for (place, outputs) in series.iter().enumerate() {
        let description = description(outputs)?;
        if let (0, Some((_, true))) = (place, &description) {
            warn_of_description(&outputs.scene(), audience);
        }
        let kept = outputs.kept()?.into_iter().filter(|(number, _)| below.is_none_or(|below| *number < below));
        let kept: Vec<(u64, PathBuf)> = kept.collect();
        let standing = snapshot.and_then(|snapshot| Standing::from_snapshot(snapshot).ok());
        let from_0 = begins_at_0(description, standing.as_ref());
        let scheduled = is_scheduled(standing, kept.len());
        let regular = series.len() == 1;
        Series { outputs, kept, below, scheduled, regular }.check(from_0, audience);
    }
    Ok(())
}

/// Whether the run has a schedule, so that its snapshots have all numbers; the last snapshot does not record it.
fn is_scheduled(standing: Option<Standing>, kept: usize) -> bool {
    let standing = standing.filter(|standing| !standing.last);
    standing.map_or(kept > 1, |standing| standing.parameters.snapshot_every.is_some())
}

/// The description of the run of these files, where it can be read, and whether it differs from its checksum.
fn description(outputs: &Outputs) -> Result<Option<(Settings, bool)>> {
    let path = outputs.scene();
    if !is_there(&path)? {
        return Ok(None);
    }
    Ok(Settings::read_checked(&path).ok().filter(|(settings, _)| outputs.is_described_by(settings)))
}

/// Whether the run of these files began with the bodies of its first snapshot, and not with those of another run. Earlier
/// versions, which kept no fingerprint of the bodies, began to count at 1.
fn begins_at_0(description: Option<(Settings, bool)>, standing: Option<&Standing>) -> bool {
    let is_of_now = standing.is_none_or(|standing| standing.fingerprint.is_some());
    let begins = |(settings, _): (Settings, bool)| settings.resume.is_none() && settings.snapshot_every.is_some();
    is_of_now && description.is_some_and(begins)
}

/// Says that a description is no longer that of the run, whose snapshots have all of its settings.
fn warn_of_description(scene: &Path, audience: &mut Audience<'_>) {
    audience.warn(format_args!(
        "{} differs from what the run has written, by its checksum: it was edited or is damaged, and does not repeat this run",
        scene.display()
    ));
}

/// Numbered snapshots in one format, those before the number `below`.
struct Series<'a> {
    outputs: &'a Outputs,
    kept: Vec<(u64, PathBuf)>,
    below: Option<u64>,
    scheduled: bool,
    /// Each is one of the schedule: a snapshot of an interruption is only the last one.
    regular: bool,
}

impl Series<'_> {
    fn check(&self, from_0: bool, audience: &mut Audience<'_>) {
        let bytes: u64 = self.kept.iter().filter_map(|(_, path)| Some(path.metadata().ok()?.len())).sum();
        if bytes > MUCH {
            audience.note(format_args!(
                "checking {} earlier snapshots ({:.1} GB)",
                self.kept.len(),
                bytes as f64 * 1e-9
            ));
        }
        let mut next = if from_0 { Some(0) } else { self.kept.first().map(|(number, _)| *number) };
        let mut whole: Option<&Path> = None;
        for (number, path) in &self.kept {
            self.missing(next, *number, whole, audience);
            next = Some(number + 1);
            match self.wrong(*number, path) {
                Some(error) => self.report(path, &error.to_string(), whole, audience),
                None => whole = Some(path),
            }
        }
        if let Some(below) = self.below {
            self.missing(next, below, whole, audience);
        }
    }

    /// What is wrong with a numbered snapshot.
    fn wrong(&self, number: u64, path: &Path) -> Option<Error> {
        let snapshot = match snapshot::read(path) {
            Ok(snapshot) => snapshot,
            Err(error) => return Some(error),
        };
        // a format that keeps nothing of the run has nothing to compare
        let standing = Standing::from_snapshot(&snapshot).ok()?;
        match standing.due {
            // a copy under the next number looks like the snapshot of an interruption right after it
            Some(due) if self.regular && due != number => Some(under_another_number(path, &standing, &snapshot)),
            _ => misnamed(path, &standing, &snapshot),
        }
    }

    /// Reports the numbers from `next` on that come before `number`.
    fn missing(&self, next: Option<u64>, number: u64, whole: Option<&Path>, audience: &mut Audience<'_>) {
        if !self.scheduled {
            return;
        }
        for missing in next.unwrap_or(number)..number {
            let path = self.outputs.numbered(missing);
            self.report(&path, &format!("{}: it is missing from its series", path.display()), whole, audience);
        }
    }

    /// `whole` is the newest snapshot before that one.
    fn report(&self, path: &Path, error: &str, whole: Option<&Path>, audience: &mut Audience<'_>) {
        let advice = match whole.filter(|_| self.outputs.can_be_resumed()) {
            Some(whole) => format!("manybody run --resume {} computes it again", quoted(whole)),
            None => String::new(),
        };
        audience.notify(&Event::Damaged { file: path, error, advice: &advice });
    }
}
