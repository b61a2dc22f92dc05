//! The types of settings: as they are given ("10 Myr"), and as a run has them (10.2).

use super::{Effect, Kept, Setting, setting};
use crate::driver::Threads;
use crate::events::Collisions;
use crate::integrator::{IntegratorName, Pairs, TimeSteps};
use crate::simd::Level;
use crate::snapshot::ColumnOrder;
use crate::solver::{Device, DeviceChoice, Gpus, Precision, Softening, SolverName, Summation};
use crate::units::{Dimension, Units, parse_quantity};
use crate::{Error, Result, Snapshot};
use std::fmt::Display;
use std::path::PathBuf;

/// What TOML, a command line or another language hands over.
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// Yes or no.
    Boolean(bool),
    /// The name of a file, in whatever characters the system has for it.
    Path(PathBuf),
    /// Several texts, for a setting that may be given several times.
    List(Vec<String>),
}

impl Display for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Raw::Integer(value) => write!(f, "{value}"),
            Raw::Number(value) => f.write_str(format!("{value:?}").trim_end_matches(".0")),
            Raw::Text(text) => f.write_str(text),
            Raw::Boolean(value) => write!(f, "{value}"),
            Raw::Path(path) => write!(f, "{}", path.display()),
            Raw::List(texts) => f.write_str(&texts.join(" ")),
        }
    }
}

/// How a setting is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By its name alone, or as a key that is true or false.
    Flag,
    /// A number or a quantity, which may be negative.
    Number,
    /// A word or a text.
    Word,
    /// The name of a file.
    Path,
    /// Words, as the setting may be given several times.
    List,
}

/// A type of settings as they are given.
pub trait Given: Clone + PartialEq {
    /// How it is given.
    const FORM: Form = Form::Word;

    /// From what was handed over; the error says what would be right.
    ///
    /// # Errors
    /// What the value must be.
    fn from_raw(raw: Raw) -> std::result::Result<Self, String>;

    /// What reads back to the same value.
    fn to_raw(&self) -> Raw;

    /// The name of a file, for those that are one.
    fn path(&mut self) -> Option<&mut PathBuf> {
        None
    }
}

/// From what was handed over; several values only for a setting that may be given several times.
pub(super) fn one_or_more<T: Given>(raw: Raw) -> std::result::Result<T, String> {
    match raw {
        Raw::List(_) if T::FORM != Form::List => {
            Err("must be one value: a number, or a text such as \"1/128\" or \"10 Myr\"".into())
        }
        raw => T::from_raw(raw),
    }
}

/// A type of settings as a run has them.
pub trait Value: Clone + PartialEq {
    /// The type as it is given.
    type Given: Given;

    /// The value of what is given for `setting`.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the setting.
    fn resolve(given: &Self::Given, setting: &Setting, units: &Units) -> Result<Self>;

    /// Whether what is given leaves the choice to whoever makes a run of it.
    fn is_open(_given: &Self::Given) -> bool {
        false
    }

    /// What gives this value; `None` where nothing has to be given.
    fn describe(&self) -> Option<Self::Given>;

    /// The text that a snapshot keeps; `None` for a value that is not set.
    fn text(&self) -> Option<String>;

    /// The value that such a text stands for.
    fn read(text: &str) -> Option<Self>;
}

/// A number, or a text that is one in some units: "1/128", "10 Myr".
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number in the units of the system.
    Number(f64),
    /// A number or a fraction, perhaps with a unit.
    Text(String),
}

impl Quantity {
    /// The number in `units`. `name` is what the quantity is called where it was given.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming it.
    pub fn value(&self, name: &'static str, dimension: Dimension, units: &Units) -> Result<f64> {
        match self {
            Quantity::Number(value) => Ok(*value),
            Quantity::Text(text) => parse_quantity(text, dimension, units).map_err(|error| Error::Parameter {
                name,
                value: text.clone(),
                expected: match error {
                    Error::Parameter { expected, .. } => expected,
                    other => other.to_string(),
                },
            }),
        }
    }
}

impl From<f64> for Quantity {
    fn from(value: f64) -> Self {
        Quantity::Number(value)
    }
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        Quantity::Text(text.into())
    }
}

impl Given for Quantity {
    const FORM: Form = Form::Number;

    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        Ok(match raw {
            Raw::Integer(value) => Quantity::Number(value as f64),
            Raw::Number(value) => Quantity::Number(value),
            other => Quantity::Text(other.to_string()),
        })
    }

    fn to_raw(&self) -> Raw {
        match self {
            Quantity::Number(value) => Raw::Number(*value),
            Quantity::Text(text) => Raw::Text(text.clone()),
        }
    }
}

impl Given for String {
    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        match raw {
            Raw::Text(text) => Ok(text),
            other => Err(format!("{other} must be a text in quotation marks")),
        }
    }

    fn to_raw(&self) -> Raw {
        Raw::Text(self.clone())
    }
}

impl Given for PathBuf {
    const FORM: Form = Form::Path;

    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        match raw {
            Raw::Path(path) => Ok(path),
            other => String::from_raw(other).map(PathBuf::from),
        }
    }

    fn to_raw(&self) -> Raw {
        Raw::Text(self.display().to_string())
    }

    fn path(&mut self) -> Option<&mut PathBuf> {
        Some(self)
    }
}

impl Given for bool {
    const FORM: Form = Form::Flag;

    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        match raw {
            Raw::Boolean(value) => Ok(value),
            other => other.to_string().parse().map_err(|_| "must be true or false".into()),
        }
    }

    fn to_raw(&self) -> Raw {
        Raw::Boolean(*self)
    }
}

impl Given for u64 {
    const FORM: Form = Form::Number;

    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        count(&raw.to_string())
    }

    fn to_raw(&self) -> Raw {
        i64::try_from(*self).map_or(Raw::Text(self.to_string()), Raw::Integer)
    }
}

/// A whole number as people write it: 1000000, 1_000_000 or 1e6; at most 2^63 - 1, which TOML can hold.
///
/// # Errors
/// What it must be.
pub fn count(text: &str) -> std::result::Result<u64, String> {
    let plain = text.replace('_', "");
    if let Some(n) = plain.parse().ok().filter(|n| *n <= i64::MAX as u64) {
        return Ok(n);
    }
    match plain.parse::<f64>() {
        // beyond 2^53 not every whole number is a double
        Ok(n) if n >= 0.0 && n.fract() == 0.0 && n <= 9_007_199_254_740_992.0 => Ok(n as u64),
        _ => Err("must be a whole number from 0 to 2^63 - 1, as in 16384 or 1e6".into()),
    }
}

/// A number of bodies for the memory of this machine.
///
/// # Errors
/// [`Error::Parameter`] for more than it can count.
pub fn bodies(n: u64) -> Result<usize> {
    let expected = || "more bodies than this machine can count".into();
    usize::try_from(n).map_err(|_| Error::Parameter { name: "n", value: n.to_string(), expected: expected() })
}

impl Value for f64 {
    type Given = Quantity;

    fn resolve(given: &Quantity, setting: &Setting, units: &Units) -> Result<Self> {
        given.value(setting.name, setting.unit.unwrap_or(Dimension::NUMBER), units)
    }

    fn describe(&self) -> Option<Quantity> {
        Some(Quantity::Number(*self))
    }

    /// The shortest decimal that reads back to the same bits, with an exponent where it is large or small.
    fn text(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl<T: Value> Value for Option<T> {
    type Given = T::Given;

    fn resolve(given: &T::Given, setting: &Setting, units: &Units) -> Result<Self> {
        T::resolve(given, setting, units).map(Some)
    }

    fn describe(&self) -> Option<T::Given> {
        self.as_ref()?.describe()
    }

    fn text(&self) -> Option<String> {
        self.as_ref()?.text()
    }

    fn read(text: &str) -> Option<Self> {
        T::read(text).map(Some)
    }
}

/// Words: types that are given as they are.
macro_rules! words {
    ($($type:ty: $describe:expr),* $(,)?) => { $(
        impl Value for $type {
            type Given = $type;

            fn resolve(given: &$type, _setting: &Setting, _units: &Units) -> Result<Self> {
                Ok(given.clone())
            }

            fn describe(&self) -> Option<$type> {
                let describe: fn(&$type) -> bool = $describe;
                describe(self).then(|| self.clone())
            }

            fn text(&self) -> Option<String> {
                Some(self.to_string())
            }

            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )* };
}

words!(
    String: |_| true,
    u64: |_| true,
    Precision: |_| true,
    Summation: |sum| *sum != Summation::default(),
    Softening: |softening| *softening != Softening::default(),
    SolverName: |_| true,
    IntegratorName: |_| true,
    TimeSteps: |_| true,
    Pairs: |_| true,
    Collisions: |_| true,
    Level: |_| true,
    Gpus: |gpus| *gpus != Gpus::default(),
);

/// A kind of device is given as such, or as "auto", which leaves it open.
impl Value for Device {
    type Given = DeviceChoice;

    fn resolve(given: &DeviceChoice, _setting: &Setting, _units: &Units) -> Result<Self> {
        Ok(match given {
            DeviceChoice::Auto => Device::Cpu,
            DeviceChoice::Device(kind) => *kind,
        })
    }

    fn is_open(given: &DeviceChoice) -> bool {
        *given == DeviceChoice::Auto
    }

    fn describe(&self) -> Option<DeviceChoice> {
        Some(DeviceChoice::Device(*self))
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Words of a type with a parser of its own.
macro_rules! parsed {
    ($($type:ty),*) => { $(
        impl Given for $type {
            fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
                raw.to_string().parse().map_err(|error| match error {
                    Error::Parameter { expected, .. } => expected,
                    other => other.to_string(),
                })
            }

            fn to_raw(&self) -> Raw {
                Raw::Text(self.to_string())
            }
        }
    )* };
}

parsed!(
    Precision,
    Level,
    Summation,
    Softening,
    SolverName,
    DeviceChoice,
    IntegratorName,
    TimeSteps,
    Pairs,
    Collisions,
    Gpus,
    Threads,
    ColumnOrder
);

impl Setting {
    /// The value of what is given, if anything is and does not leave the choice open.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming this setting.
    pub fn resolve<V: Value>(&self, given: &Option<V::Given>, units: &Units) -> Result<Option<V>> {
        let given = given.as_ref().filter(|given| !V::is_open(given));
        given.map(|given| V::resolve(given, self, units)).transpose()
    }

    /// What a snapshot has kept; `absent` is the value where it has kept nothing.
    pub(super) fn value_in<V: Value>(
        &'static self,
        snapshot: &Snapshot,
        absent: fn(&Snapshot) -> Option<V>,
    ) -> Result<V> {
        let wrong = |value, expected: &str| Error::Parameter { name: self.key, value, expected: expected.into() };
        match snapshot.meta.get(self.key) {
            Some(text) => V::read(text).ok_or_else(|| {
                wrong(format!("'{text}'"), "not what a run writes there: the file's metadata is damaged or was edited")
            }),
            None => absent(snapshot).ok_or_else(|| {
                wrong(
                    "missing".into(),
                    "only a snapshot that a run has kept can be resumed, in a format that keeps metadata",
                )
            }),
        }
    }

    /// Keeps a value; nothing where its absence says the same.
    pub(super) fn keep<V: Value>(
        &self,
        value: &V,
        absent: fn(&Snapshot) -> Option<V>,
        last: bool,
        snapshot: &Snapshot,
        put: &mut dyn FnMut(&Setting, String),
    ) {
        let kept = match self.kept {
            Kept::Always => absent(snapshot).as_ref() != Some(value),
            Kept::UntilEnd => !last,
            Kept::Never => false,
        };
        if let (true, Some(text)) = (kept, value.text()) {
            put(self, text);
        }
    }

    /// Whether its absence from a description means that the run does not have it.
    fn is_absent_by_default(&self) -> bool {
        self.effect == Effect::Schedule || self.form == Form::List || *self == setting::law
    }

    /// What was given, where a run has kept another value.
    pub(super) fn contradiction<V: Value>(
        &self,
        kept: &V,
        given: &Option<V::Given>,
        last: bool,
        units: &Units,
    ) -> Result<Option<String>> {
        if (last && self.kept == Kept::UntilEnd) || !matches!(self.effect, Effect::Bits | Effect::Schedule) {
            return Ok(None);
        }
        let text = |value: &V| value.text().unwrap_or("none".into());
        Ok(match self.resolve(given, units)? {
            Some(value) if value != *kept => Some(format!("{} = {}, not {}", self.name, text(&value), text(kept))),
            // a description is complete: a run whose description names no schedule, law or field has no such thing
            None if kept.text().is_some() && self.is_absent_by_default() => {
                Some(format!("no {}, not {}", self.name, text(kept)))
            }
            _ => None,
        })
    }
}
