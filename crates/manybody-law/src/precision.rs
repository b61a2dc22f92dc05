//! The type in which forces are computed.

use crate::{Error, Result};

/// The type in which forces are computed. State is f64 always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 24 bits; positions relative to the centre of mass.
    F32,
    /// Terms of 24 bits from positions of 48, sums of 53: f32 for close pairs, large sums and far from the origin.
    /// Gravity on the CPU, by the solver `direct`; any law on GPUs whose bodies are of one kind.
    Mixed,
    /// 53 bits.
    F64,
}

/// The one type of all numbers of an evaluation that is not in mixed precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// 24 bits.
    F32,
    /// 53 bits.
    F64,
}

impl Precision {
    /// The type of all numbers, where there is no mixed precision: that is refused, rather than computed in another. `what`
    /// says so.
    ///
    /// # Errors
    /// [`Error::Parameter`] for [`Mixed`](Precision::Mixed), which says what to use.
    pub fn float(self, what: &str) -> Result<Float> {
        match self {
            Precision::F32 => Ok(Float::F32),
            Precision::F64 => Ok(Float::F64),
            Precision::Mixed => Err(Self::no_mixed(what)),
        }
    }

    /// The error that refuses mixed precision.
    pub fn no_mixed(what: &str) -> Error {
        let expected = format!("{what}: f32 or f64 must be given");
        Error::Parameter { name: "precision", value: Precision::Mixed.name().into(), expected }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Mixed => "mixed",
            Precision::F64 => "f64",
        }
    }
}

impl std::fmt::Display for Precision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Precision {
    type Err = Error;

    /// The precision called `name`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "f32" => Ok(Precision::F32),
            "mixed" => Ok(Precision::Mixed),
            "f64" => Ok(Precision::F64),
            _ => Err(Error::Unknown { what: "precision", name: name.into(), known: "f32, mixed, f64".into() }),
        }
    }
}
