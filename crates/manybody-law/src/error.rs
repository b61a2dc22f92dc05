//! The library's one error type.
//!
//! Every variant names what was at fault (file, field, parameter), shows the offending value, and says what would
//! have been right. Bad input is always one of these; a panic is a bug of ours.

use std::path::{Path, PathBuf};

/// What can go wrong in this library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused: no such file, no permission, disk full.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What was being done, as a verb phrase: "read", "write", "rename the temporary file to it".
        action: &'static str,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The file is not of the format its name claims, or is cut short, or is damaged.
    #[error("{}: not a readable {format} file: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format that was expected: "Gadget HDF5", "tipsy", "NEMO", "CSV", "text".
        format: &'static str,
        /// What is wrong, where, and what would have been right.
        problem: String,
    },
    /// A value in a file is not usable: NaN, infinite, a negative mass, a missing column.
    #[error("{}: field {field}: {problem}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The column or dataset, as the file calls it.
        field: String,
        /// The row, the value, and what would have been right.
        problem: String,
    },
    /// A parameter given by the caller is out of its range.
    #[error("{name} = {value}: {expected}")]
    Parameter {
        /// The parameter, as the caller knows it ("dt", "eps", "n").
        name: &'static str,
        /// The value given.
        value: String,
        /// What would have been right.
        expected: String,
    },
    /// An entry of a snapshot's metadata that cannot be used: the bodies are comoving, the run was another one, the entry is
    /// damaged.
    #[error("{entry} = {value}: {expected}")]
    Kept {
        /// The entry ("run.step", "cosmology").
        entry: &'static str,
        /// What is there.
        value: String,
        /// What would have been right.
        expected: String,
    },
    /// A column that a law reads is not there, or has a number that the law cannot use.
    #[error("column = {column}: {expected}")]
    Column {
        /// The name of the column, and the number, if it is that which is wrong.
        column: String,
        /// What would have been right, and which columns there are.
        expected: String,
    },
    /// A choice that a device or a solver does not offer: f64 on wgpu, another summation than that of the solver.
    #[error("{capability} = {value}: {expected}")]
    Unsupported {
        /// What is not available.
        capability: Capability,
        /// The value that was asked for.
        value: String,
        /// What is available instead.
        expected: String,
    },
    /// Something that nothing can stand in for was not given.
    #[error("no {name} is given: {expected}")]
    Missing {
        /// What is missing, as the caller knows it ("dt").
        name: &'static str,
        /// Why, and what to give.
        expected: String,
    },
    /// A body carries a value that no computation can use.
    #[error("body {index} (id {id}): {field} = {}: {expected}", number(*value))]
    Body {
        /// Position in the arrays, from 0.
        index: usize,
        /// The body's id.
        id: u64,
        /// The field concerned.
        field: &'static str,
        /// The value found.
        value: f64,
        /// What would have been right.
        expected: &'static str,
    },
    /// A name is not in a registry.
    #[error("unknown {what} '{name}'{}known: {known}", suggestion(name, known))]
    Unknown {
        /// What was looked up: "integrator", "initial condition", "solver".
        what: &'static str,
        /// The name given.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
    },
    /// A text is not a law: where, and what would have been right.
    #[error("{0}")]
    Law(crate::law::text::TextError),
    /// A device that was asked for is not there.
    #[error("device {device}: {how}")]
    NoDevice {
        /// The name asked for: "cuda", "wgpu".
        device: &'static str,
        /// What is missing and how to get it.
        how: String,
    },
    /// A device failed: out of memory, lost, a kernel that does not compile or start.
    #[error("device {device}: {problem}")]
    Device {
        /// The device's name.
        device: &'static str,
        /// What failed, and what would help.
        problem: String,
    },
    /// One of the processes that share a computation is lost, or does not belong to the others.
    #[error("rank {rank}: {problem}")]
    Rank {
        /// Its number, from 0.
        rank: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A sum in fixed point left its range.
    #[error(
        "body {index} (id {id}): {quantity} beyond {limit:e} times its unit, the range of a fixed-point sum; the summation \
         f64 has no such range"
    )]
    FixedPoint {
        /// Position in the arrays, from 0.
        index: usize,
        /// The body's id.
        id: u64,
        /// What was summed.
        quantity: &'static str,
        /// The range, in the units of the evaluation.
        limit: f64,
    },
    /// The energy has moved further from its first value than was allowed.
    #[error("t = {}: energy error {error:+.2e} is beyond the limit of {limit:e}", number(*time))]
    EnergyError {
        /// Simulation time.
        time: f64,
        /// (E - E0) / |E0|.
        error: f64,
        /// The limit that was set.
        limit: f64,
    },
    /// An audit found a result further from f64 than rounding explains, or than a limit that was set.
    #[error(
        "t = {}: the audit found body {index} (id {id}) wrong: {result} off by {error:.1e}, beyond {limit:.1e}, {cause}",
        number(*time)
    )]
    Audit {
        /// Simulation time.
        time: f64,
        /// Position in the arrays, from 0.
        index: usize,
        /// The body's id.
        id: u64,
        /// Which result, and what its error is counted in.
        result: String,
        /// How far it is off.
        error: f64,
        /// How far it may be off.
        limit: f64,
        /// Where the limit comes from.
        cause: String,
    },
    /// The computation was asked to end: see `watch`.
    #[error("interrupted")]
    Interrupted,
    /// A body needs a time step for which integer times have no room: two bodies meet without softening.
    #[error(
        "t = {}: body {index} (id {id}) needs a time step below {least:e}{}: a softening (--eps), or a smallest step \
         (--dt-min) that it then keeps",
        number(*time), near(neighbour)
    )]
    SmallStep {
        /// Simulation time.
        time: f64,
        /// The place of the body.
        index: usize,
        /// Its id.
        id: u64,
        /// The smallest step there is.
        least: f64,
        /// The nearest body with a mass: its place, its id, and its distance.
        neighbour: Option<(usize, u64, f64)>,
    },
    /// Two bodies are so close that f64 has no step for them.
    #[error(
        "t = {}: body {} (id {}) and body {} (id {}) are at a distance of {distance:e}, for which no step is short enough: a \
         softening (--eps), or one body in place of the two",
        number(*time), pair[0].0, pair[0].1, pair[1].0, pair[1].1
    )]
    Collision {
        /// Simulation time.
        time: f64,
        /// The places of the two bodies, and their ids.
        pair: [(usize, u64); 2],
        /// Their distance.
        distance: f64,
    },
    /// A computation produced a value that is not a number or infinite.
    #[error("t = {}: body {index} (id {id}): {quantity} = {}", number(*time), number(*value))]
    NotFinite {
        /// Simulation time.
        time: f64,
        /// Position in the arrays, from 0.
        index: usize,
        /// The body's id.
        id: u64,
        /// What came out wrong: "acceleration", "position".
        quantity: &'static str,
        /// The value.
        value: f64,
    },
}

/// What a device or a solver may have or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// A device.
    Device,
    /// A solver.
    Solver,
    /// A precision.
    Precision,
    /// A summation.
    Sum,
    /// An integrator.
    Integrator,
    /// A law.
    Law,
    /// An accuracy that was asked for.
    Accuracy,
    /// A limit of the energy error.
    EnergyLimit,
}

impl std::fmt::Display for Capability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Capability::Device => "device",
            Capability::Solver => "solver",
            Capability::Precision => "precision",
            Capability::Sum => "sum",
            Capability::Integrator => "integrator",
            Capability::Law => "law",
            Capability::Accuracy => "rtol",
            Capability::EnergyLimit => "max-energy-error",
        })
    }
}

impl Error {
    /// The same error with the file that has what is wrong: a body, a column, or an entry of its metadata.
    #[must_use]
    pub fn in_file(self, file: &Path) -> Self {
        let (field, problem) = match self {
            Error::Body { index, id, field, value, expected } => {
                (field.into(), format!("body {index} (id {id}) = {value}: {expected}"))
            }
            Error::Kept { entry, value, expected } => (entry.into(), format!("{value}: {expected}")),
            Error::Column { column, expected } => (column, expected),
            other => return other,
        };
        Error::Field { path: file.into(), field, problem }
    }

    /// The same for the settings of a run that a file has kept.
    #[must_use]
    pub fn of_settings_in(self, file: &Path) -> Self {
        match self.in_file(file) {
            error @ (Error::Parameter { .. } | Error::Unknown { .. } | Error::Unsupported { .. }) => {
                Error::Field { path: file.into(), field: "run".into(), problem: error.to_string() }
            }
            other => other,
        }
    }

    /// True where the caller's input is at fault (exit status 2), false where the run itself failed (exit status 1).
    pub fn is_bad_input(&self) -> bool {
        match self {
            // a name that means no file is badly chosen; a disk that fails, fills or forbids is not
            Error::Io { source, .. } => {
                use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
                matches!(source.kind(), NotFound | IsADirectory | NotADirectory)
            }
            Error::Interrupted
            | Error::Collision { .. }
            | Error::NotFinite { .. }
            | Error::FixedPoint { .. }
            | Error::EnergyError { .. }
            | Error::Audit { .. }
            | Error::Rank { .. }
            | Error::Device { .. } => false,
            _ => true,
        }
    }
}

/// The nearest body, in words.
fn near(neighbour: &Option<(usize, u64, f64)>) -> String {
    match neighbour {
        Some((index, id, distance)) => {
            format!("; the nearest, body {index} (id {id}), is at a distance of {distance:e}")
        }
        None => String::new(),
    }
}

/// A number in full, with an exponent where it is large or small.
pub(crate) fn number(value: f64) -> String {
    format!("{value:?}").trim_end_matches(".0").to_owned()
}

/// "; did you mean leapfrog? " where one of the names that are known is close to `name`, before all of them; else "; ".
fn suggestion(name: &str, known: &str) -> String {
    let near = closest(name, known.split(", "));
    near.map_or("; ".into(), |near| format!("; did you mean {near}? "))
}

/// The known name closest to a wrong one, if one is close: an edit for every four letters and one more, case ignored.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: String = name.chars().take(64).collect::<String>().to_ascii_lowercase();
    let limit = 1 + name.chars().count() / 4;
    let distance = |known: &str| strsim::osa_distance(&name, &known.to_ascii_lowercase());
    let scored =
        known.into_iter().map(|k| (distance(k), k)).filter(|(d, k)| *d <= limit && *d < name.len().max(k.len()));
    scored.min().map(|(_, k)| k)
}

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;
