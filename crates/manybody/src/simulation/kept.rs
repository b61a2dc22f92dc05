//! What a run keeps in its snapshots besides the bodies: `run.*` in [`Snapshot::meta`].
//!
//! Numbers are written in the shortest decimal form that reads back to the same bits. Nothing of the machine, the
//! clock on the wall or the command line enters: two runs of the same physics keep the same bytes.

use crate::audit::ForceErrors;
use crate::diagnostics::Diagnostics;
use crate::solver::{Device, Frame, Precision, Summation};
use crate::{Error, Result, Snapshot};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// How a run is to be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Time step, above 0.
    pub dt: f64,
    /// The time at which the run ends.
    pub t_end: f64,
    /// Plummer softening length, one for all bodies; None for each body's own.
    pub eps: Option<f64>,
    /// A name of [`integrator::names`](crate::integrator::names).
    pub integrator: String,
    /// A name of [`SOLVERS`](crate::solver::SOLVERS).
    pub solver: String,
    /// Where forces are computed.
    pub device: Device,
    /// The CUDA GPUs that share every evaluation; none: the first one. They change no bit, and no snapshot keeps them.
    pub ordinals: Vec<usize>,
    /// Precision of the forces; the state is always f64.
    pub precision: Precision,
    /// How the terms of a force are added.
    pub sum: Summation,
    /// Time between snapshots on the way, at least dt; None for none.
    pub snapshot_every: Option<f64>,
    /// Which share of the bodies [`Simulation::audit`](super::Simulation::audit) holds against the reference; 0 for none.
    pub audit: f64,
    /// The largest error of the forces, |da| / rms|a|, at which an audit stops the run; None for what the precision
    /// explains.
    pub audit_limit: Option<f64>,
    /// The energy error at which [`Simulation::check`](super::Simulation::check) stops the run; None for none.
    pub max_energy_error: Option<f64>,
    /// The error of the forces, |da| / rms|a|, that these choices were made for; None for none. Audits look at
    /// [`TRIED`](super::TRIED) bodies then, and whoever asked compares.
    pub rtol: Option<f64>,
}

impl Default for Parameters {
    /// What [`Suggestion`](super::Suggestion) says for a cluster of 16,384 bodies in Henon units.
    fn default() -> Self {
        Parameters {
            dt: 1.0 / 128.0,
            t_end: 1.0,
            eps: Some(1.0 / 64.0),
            integrator: "leapfrog".into(),
            solver: "symmetric".into(),
            device: Device::Cpu,
            ordinals: Vec::new(),
            precision: Precision::F64,
            sum: Summation::default(),
            snapshot_every: None,
            audit: 0.001,
            audit_limit: None,
            max_energy_error: None,
            rtol: None,
        }
    }
}

impl Parameters {
    /// The parameters of the run that kept `snapshot`. A run's last snapshot ends where it is and has no schedule:
    /// to go on, set `t_end`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a snapshot that no run has kept, or with a value that cannot be read.
    pub fn kept_in(snapshot: &Snapshot) -> Result<Self> {
        let meta = &snapshot.meta;
        Ok(Parameters {
            dt: get(meta, "run.dt")?,
            t_end: get_optional(meta, "run.t_end")?.unwrap_or(snapshot.time),
            eps: get_optional(meta, "run.eps")?,
            integrator: get(meta, "run.integrator")?,
            solver: get(meta, "run.solver")?,
            device: get_optional(meta, "run.device")?.unwrap_or_default(),
            ordinals: Vec::new(),
            precision: get(meta, "run.precision")?,
            sum: get_optional(meta, "run.sum")?.unwrap_or_default(),
            snapshot_every: get_optional(meta, "run.snapshot_every")?,
            audit: get_optional(meta, "run.audit")?.unwrap_or(0.0),
            audit_limit: get_optional(meta, "run.audit_limit")?,
            max_energy_error: get_optional(meta, "run.max_energy_error")?,
            rtol: get_optional(meta, "run.rtol")?,
        })
    }

    /// Refuses numbers that cannot be.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |name, value: f64, expected: &str| {
            Err(Error::Parameter { name, value: value.to_string(), expected: expected.into() })
        };
        if !(0.0..=1.0).contains(&self.audit) {
            return wrong("audit", self.audit, "a share of the bodies, from 0 to 1, is wanted");
        }
        let limits =
            [("max-energy-error", self.max_energy_error), ("rtol", self.rtol), ("audit-limit", self.audit_limit)];
        for (name, limit) in limits.into_iter().filter_map(|(name, limit)| Some((name, limit?))) {
            if !(limit > 0.0 && limit.is_finite()) {
                return wrong(name, limit, "a finite number above 0 is wanted");
            }
        }
        if let (Some(limit), true) = (self.audit_limit, self.audit == 0.0) {
            return wrong("audit-limit", limit, "without an audit (audit = 0) there is no error to hold to a limit");
        }
        if self.rtol.is_some() && self.audit == 0.0 {
            return wrong("audit", 0.0, "an accuracy was asked for with rtol, and without an audit nobody can tell it");
        }
        Ok(())
    }
}

/// What is known to be wrong with a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// (E - E0) / |E0|, if it was measured.
    pub energy: Option<f64>,
    /// Errors of the accelerations, if they were audited.
    pub force: Option<ForceErrors>,
}

impl Errors {
    /// Those that a run has kept in `snapshot`; none in one that no run has kept.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a value that cannot be read.
    pub fn kept_in(snapshot: &Snapshot) -> Result<Self> {
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
    pub(super) initial: Diagnostics,
    /// The frame of the forces, of bodies that live on a device.
    pub(super) frame: Option<Frame>,
}

impl Progress {
    pub(super) fn kept_in(snapshot: &Snapshot) -> Result<Self> {
        let meta = &snapshot.meta;
        let units: String = get(meta, "run.units")?;
        if units != snapshot.units.name {
            return Err(Error::Parameter {
                name: "run.units",
                value: units,
                expected: format!(
                    "the snapshot has been converted to {} since: only the run's own file can be resumed",
                    snapshot.units.name
                ),
            });
        }
        Ok(Progress {
            frame: get_frame(meta, "run.frame")?,
            units,
            start: get(meta, "run.start")?,
            origin: get(meta, "run.origin")?,
            step: get(meta, "run.step")?,
            initial: Diagnostics {
                time: get(meta, "run.start")?,
                mass: get(meta, "run.initial.mass")?,
                kinetic: get(meta, "run.initial.kinetic")?,
                potential: get(meta, "run.initial.potential")?,
                momentum: get_vector(meta, "run.initial.momentum")?,
                angular_momentum: get_vector(meta, "run.initial.angular_momentum")?,
                center_of_mass: get_vector(meta, "run.initial.center_of_mass")?,
                momentum_scale: get(meta, "run.initial.momentum_scale")?,
                angular_momentum_scale: get(meta, "run.initial.angular_momentum_scale")?,
                half_mass_radius: get(meta, "run.initial.half_mass_radius")?,
            },
        })
    }
}

/// Writes parameters and progress into `meta`. The last snapshot of a run has neither an end nor a schedule to keep.
pub(super) fn keep(
    meta: &mut BTreeMap<String, String>,
    parameters: &Parameters,
    progress: &Progress,
    errors: &Errors,
    last: bool,
) {
    let mut put = |name: &str, value: &dyn Display| meta.insert(format!("run.{name}"), value.to_string());
    put("dt", &number(parameters.dt));
    if let Some(eps) = parameters.eps {
        put("eps", &number(eps));
    }
    put("integrator", &parameters.integrator);
    put("solver", &parameters.solver);
    if parameters.device.is_gpu() {
        put("device", &parameters.device);
    }
    put("precision", &parameters.precision);
    if parameters.sum != Summation::default() {
        put("sum", &parameters.sum);
    }
    if !last {
        put("t_end", &number(parameters.t_end));
        if let Some(every) = parameters.snapshot_every {
            put("snapshot_every", &number(every));
        }
        if let Some(limit) = parameters.max_energy_error {
            put("max_energy_error", &number(limit));
        }
        if let Some(limit) = parameters.audit_limit {
            put("audit_limit", &number(limit));
        }
    }
    if parameters.audit > 0.0 {
        put("audit", &number(parameters.audit));
    }
    if let Some(rtol) = parameters.rtol {
        put("rtol", &number(rtol));
    }
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
    }
    put("units", &progress.units);
    put("start", &number(progress.start));
    put("origin", &number(progress.origin));
    put("step", &progress.step);
    if let Some(frame) = &progress.frame {
        put("frame", &frame.numbers().map(number).join(" "));
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
pub(super) fn forget(meta: &mut BTreeMap<String, String>) {
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
    get_optional(meta, name)?.ok_or_else(|| Error::Parameter {
        name,
        value: "missing".into(),
        expected: "only a snapshot that a run has kept can be resumed, in a format that keeps metadata".into(),
    })
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

fn get_frame(meta: &BTreeMap<String, String>, name: &'static str) -> Result<Option<Frame>> {
    let Some(text) = meta.get(name) else { return Ok(None) };
    let parts: Option<Vec<f64>> = text.split(' ').map(|part| part.parse().ok()).collect();
    let frame = parts.and_then(|parts| Frame::of_numbers(parts.try_into().ok()?));
    frame.map(Some).ok_or_else(|| unreadable(name, text))
}

fn unreadable(name: &'static str, value: &str) -> Error {
    let expected = "not what a run writes there: the file's metadata is damaged or was edited".into();
    Error::Parameter { name, value: format!("'{value}'"), expected }
}
