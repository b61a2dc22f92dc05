//! What a run keeps in its snapshots besides the bodies: `run.*` in [`Snapshot::meta`].
//!
//! Numbers are written in the shortest decimal form that reads back to the same bits. Nothing of the machine, the
//! wall clock or the command line enters: two runs of the same physics keep the same bytes.

use crate::audit::ForceErrors;
use crate::diagnostics::Diagnostics;
use crate::events::Tally;
use crate::settings::{Parameters, Setting};
use crate::solver::Frame;
use crate::{Error, Result, Snapshot};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// What is known to be wrong with a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Errors {
    /// (E - E0) / |E0|, if it was measured.
    pub energy: Option<f64>,
    /// Errors of the accelerations, if they were audited.
    pub force: Option<ForceErrors>,
}

impl Errors {
    /// Those that a run has kept in `snapshot`; empty for one that no run has kept.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a value that cannot be read.
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self> {
        let meta = &snapshot.meta;
        let force = match get_optional(meta, "run.error.force.sample")? {
            None => None,
            Some(sample) => Some(ForceErrors {
                sample,
                median: get(meta, "run.error.force.median")?,
                p99: get(meta, "run.error.force.p99")?,
                p999: get(meta, "run.error.force.p999")?,
                max: get(meta, "run.error.force.max")?,
                net: get(meta, "run.error.force.net")?,
                relative: get_optional(meta, "run.error.force.relative")?,
                potential: None,
                jerk: get_optional(meta, "run.error.force.jerk")?,
            }),
        };
        Ok(Errors { energy: get_optional(meta, "run.error.energy")?, force })
    }
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Progress {
    /// The name of the units that all of these numbers are in.
    pub(super) units: String,
    pub(super) start: f64,
    pub(super) origin: f64,
    pub(super) step: u64,
    /// Steps from the start to the origin: not 0 where the run has met an end off its grid of steps, or changed dt.
    pub(super) before: u64,
    pub(super) initial: Diagnostics,
    /// The frame of the forces, of bodies that live on a device.
    pub(super) frame: Option<Frame>,
    /// The fingerprint of the bodies that the run began with; runs of earlier versions have no fingerprint.
    pub(super) fingerprint: Option<String>,
    /// The name of forces that the parameters do not name.
    pub(super) forces: Option<String>,
    /// The name of a hook.
    pub(super) hook: Option<String>,
    /// What events have changed.
    pub(super) tally: Tally,
}

impl Progress {
    pub(super) fn from_snapshot(snapshot: &Snapshot) -> Result<Self> {
        let meta = &snapshot.meta;
        let units: String = get(meta, "run.units")?;
        if units != snapshot.units.name {
            return Err(Error::Kept {
                entry: "run.units",
                value: units,
                expected: format!(
                    "the snapshot has been converted to {} since: only the run's own file can be resumed",
                    snapshot.units.name
                ),
            });
        }
        Ok(Progress {
            frame: get_frame(meta, "run.frame")?,
            fingerprint: get_optional(meta, "run.initial.state")?,
            forces: get_optional(meta, "run.forces")?,
            hook: get_optional(meta, "run.hook")?,
            tally: get_tally(meta)?,
            units,
            start: get_number(meta, "run.start", f64::is_finite)?,
            origin: get_number(meta, "run.origin", f64::is_finite)?,
            step: get(meta, "run.step")?,
            before: get_optional(meta, "run.step.before")?.unwrap_or(0),
            initial: Diagnostics {
                time: get(meta, "run.start")?,
                mass: get_number(meta, "run.initial.mass", is_number)?,
                kinetic: get_number(meta, "run.initial.kinetic", is_number)?,
                potential: get(meta, "run.initial.potential")?,
                momentum: get_vector(meta, "run.initial.momentum")?,
                angular_momentum: get_vector(meta, "run.initial.angular_momentum")?,
                center_of_mass: get_vector(meta, "run.initial.center_of_mass")?,
                momentum_scale: get_number(meta, "run.initial.momentum_scale", is_number)?,
                angular_momentum_scale: get_number(meta, "run.initial.angular_momentum_scale", is_number)?,
                half_mass_radius: get(meta, "run.initial.half_mass_radius")?,
                ..Diagnostics::default()
            },
        })
    }
}

/// Writes parameters and progress into `meta`. The last snapshot of a run has neither an end nor a schedule to keep.
pub(super) fn save(snapshot: &mut Snapshot, parameters: &Parameters, progress: &Progress, errors: &Errors, last: bool) {
    let mut kept = Vec::new();
    parameters.keep(last, snapshot, &mut |setting: &Setting, text| kept.push((setting.key.to_owned(), text)));
    let meta = &mut snapshot.meta;
    meta.extend(kept);
    let mut put = |name: &str, value: &dyn Display| meta.insert(format!("run.{name}"), value.to_string());
    if let Some(energy) = errors.energy {
        put("error.energy", &number(energy));
    }
    if let Some(force) = &errors.force {
        put("error.force.sample", &force.sample);
        put("error.force.median", &number(force.median));
        put("error.force.p99", &number(force.p99));
        put("error.force.p999", &number(force.p999));
        put("error.force.max", &number(force.max));
        put("error.force.net", &number(force.net));
        if let Some(relative) = force.relative {
            put("error.force.relative", &number(relative));
        }
        if let Some(jerk) = force.jerk {
            put("error.force.jerk", &number(jerk));
        }
    }
    put("units", &progress.units);
    put("start", &number(progress.start));
    put("origin", &number(progress.origin));
    put("step", &progress.step);
    if progress.before > 0 {
        put("step.before", &progress.before);
    }
    if let Some(frame) = &progress.frame {
        put("frame", &frame.numbers().map(number).join(" "));
    }
    if let Some(fingerprint) = &progress.fingerprint {
        put("initial.state", fingerprint);
    }
    if let Some(forces) = &progress.forces {
        put("forces", forces);
    }
    if let Some(hook) = &progress.hook {
        put("hook", hook);
    }
    let tally = &progress.tally;
    if *tally != Tally::default() {
        put("events", &tally.count);
        put("events.mass", &number(tally.mass));
        put("events.kinetic", &number(tally.kinetic));
        put("events.potential", &number(tally.potential));
        put("events.momentum", &vector(tally.momentum));
        put("events.angular_momentum", &vector(tally.angular_momentum));
    }
    let initial = &progress.initial;
    put("initial.mass", &number(initial.mass));
    put("initial.kinetic", &number(initial.kinetic));
    put("initial.potential", &number(initial.potential));
    put("initial.momentum", &vector(initial.momentum));
    put("initial.angular_momentum", &vector(initial.angular_momentum));
    put("initial.center_of_mass", &vector(initial.center_of_mass));
    put("initial.momentum_scale", &number(initial.momentum_scale));
    put("initial.angular_momentum_scale", &number(initial.angular_momentum_scale));
    put("initial.half_mass_radius", &number(initial.half_mass_radius));
}

/// Removes what a run has kept.
pub(super) fn strip(meta: &mut BTreeMap<String, String>) {
    meta.retain(|name, _| !name.starts_with("run."));
}

/// The shortest decimal that reads back to the same bits, with an exponent where it is large or small.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn vector(v: [f64; 3]) -> String {
    v.map(number).join(" ")
}

fn get<T: FromStr>(meta: &BTreeMap<String, String>, name: &'static str) -> Result<T> {
    get_optional(meta, name)?.ok_or_else(|| Error::Kept {
        entry: name,
        value: "missing".into(),
        expected: "only a snapshot that a run has kept can be resumed, in a format that keeps metadata".into(),
    })
}

fn get_number(meta: &BTreeMap<String, String>, name: &'static str, is_right: impl Fn(f64) -> bool) -> Result<f64> {
    let value: f64 = get(meta, name)?;
    if is_right(value) { Ok(value) } else { Err(unreadable(name, &value.to_string())) }
}

fn is_number(value: f64) -> bool {
    !value.is_nan()
}

fn get_optional<T: FromStr>(meta: &BTreeMap<String, String>, name: &'static str) -> Result<Option<T>> {
    let read = |value: &String| value.parse().map_err(|_| unreadable(name, value));
    meta.get(name).map(read).transpose()
}

fn get_vector(meta: &BTreeMap<String, String>, name: &'static str) -> Result<[f64; 3]> {
    let text: String = get(meta, name)?;
    let parts: Option<Vec<f64>> = text.split(' ').map(|part| part.parse().ok()).collect();
    parts.and_then(|parts| parts.try_into().ok()).ok_or_else(|| unreadable(name, &text))
}

/// A vector without NaN.
fn get_numbers(meta: &BTreeMap<String, String>, name: &'static str) -> Result<[f64; 3]> {
    let found = get_vector(meta, name)?;
    if found.into_iter().all(is_number) { Ok(found) } else { Err(unreadable(name, &vector(found))) }
}

fn get_tally(meta: &BTreeMap<String, String>) -> Result<Tally> {
    let Some(count) = get_optional(meta, "run.events")? else { return Ok(Tally::default()) };
    Ok(Tally {
        count,
        mass: get_number(meta, "run.events.mass", is_number)?,
        kinetic: get_number(meta, "run.events.kinetic", is_number)?,
        potential: get_number(meta, "run.events.potential", is_number)?,
        momentum: get_numbers(meta, "run.events.momentum")?,
        angular_momentum: get_numbers(meta, "run.events.angular_momentum")?,
    })
}

fn get_frame(meta: &BTreeMap<String, String>, name: &'static str) -> Result<Option<Frame>> {
    let Some(text) = meta.get(name) else { return Ok(None) };
    let parts: Option<Vec<f64>> = text.split(' ').map(|part| part.parse().ok()).collect();
    let frame = parts.and_then(|parts| Frame::of_numbers(parts.try_into().ok()?));
    frame.map(Some).ok_or_else(|| unreadable(name, text))
}

fn unreadable(name: &'static str, value: &str) -> Error {
    let expected = "not what a run writes there: the file's metadata is damaged or was edited".into();
    Error::Kept { entry: name, value: format!("'{value}'"), expected }
}
