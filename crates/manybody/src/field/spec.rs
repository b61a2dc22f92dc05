//! Fields by name, with their parameters: `NAME:param=value,param=value`.

use super::{Centered, Field, registry};
use crate::units::{Dimension, Units, parse_quantity};
use crate::{Error, Result};
use std::fmt;

/// A kind of field that has a name.
#[derive(Debug)]
pub struct FieldKind {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What it takes besides a centre.
    pub parameters: &'static [FieldParameter],
    /// Whether it has a centre.
    pub(super) has_center: bool,
    pub(super) make: fn(&Values<'_>) -> Box<dyn Field>,
}

/// A parameter of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldParameter {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its dimension.
    pub dimension: Dimension,
    /// The value where it is not given; `None` where it must be.
    pub default: Option<f64>,
    /// It must be above 0.
    pub positive: bool,
}

impl FieldParameter {
    /// A mass, which must be given.
    pub(super) const MASS: Self =
        FieldParameter { name: "m", about: "mass", dimension: Dimension::MASS, default: None, positive: false };

    /// A length above 0, which must be given.
    pub(super) const fn length(name: &'static str, about: &'static str) -> Self {
        FieldParameter { name, about, dimension: Dimension::LENGTH, default: None, positive: true }
    }

    /// A number of any sign, 0 where it is not given.
    pub(super) const fn or_0(name: &'static str, about: &'static str, dimension: Dimension) -> Self {
        FieldParameter { name, about, dimension, default: Some(0.0), positive: false }
    }
}

const CENTER: [FieldParameter; 3] = [
    FieldParameter::or_0("x", "centre", Dimension::LENGTH),
    FieldParameter::or_0("y", "centre", Dimension::LENGTH),
    FieldParameter::or_0("z", "centre", Dimension::LENGTH),
];

/// The values of a field's parameters.
#[derive(Debug)]
pub struct Values<'a> {
    kind: &'a FieldKind,
    numbers: &'a [f64],
    /// The gravitational constant.
    pub g: f64,
}

impl Values<'_> {
    /// The value of the parameter `name`.
    pub(super) fn get(&self, name: &str) -> f64 {
        let all = self.kind.all();
        all.zip(self.numbers).find(|(parameter, _)| parameter.name == name).map_or(0.0, |(_, value)| *value)
    }
}

impl FieldKind {
    fn all(&self) -> impl Iterator<Item = &'static FieldParameter> {
        self.parameters.iter().chain(CENTER.iter().filter(|_| self.has_center))
    }

    /// "nfw takes m (mass), a (scale length), ...".
    fn takes(&self) -> String {
        let list: Vec<String> = self.all().map(|p| format!("{} ({})", p.name, p.about)).collect();
        format!("{} takes {}", self.name, list.join(", "))
    }
}

/// A field with a name and values for all of its parameters, in the units of a system.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    kind: &'static FieldKind,
    numbers: Vec<f64>,
}

impl PartialEq for FieldSpec {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.numbers == other.numbers
    }
}

impl FieldSpec {
    /// Reads `NAME:param=value,param=value`; values are numbers in `units`, fractions, or carry a unit.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a name that is not there; [`Error::Parameter`] for a parameter that the field does not
    /// have, that is missing, is given twice or cannot be one.
    pub fn parse(text: &str, units: &Units) -> Result<Self> {
        let wrong = |expected: String| Error::Parameter { name: "field", value: text.into(), expected };
        let (name, words) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        let kind = registry().iter().find(|kind| kind.name == name).ok_or_else(|| Error::Unknown {
            what: "field",
            name: name.into(),
            known: registry().iter().map(|kind| kind.name).collect::<Vec<_>>().join(", "),
        })?;
        let mut numbers: Vec<Option<f64>> = vec![None; kind.all().count()];
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let form = || wrong(format!("'{word}' must be param=value; {}", kind.takes()));
            let (name, value) = word.split_once('=').ok_or_else(form)?;
            let name = name.trim();
            let unknown = || wrong(format!("there is no parameter {name}; {}", kind.takes()));
            let (k, parameter) = kind.all().enumerate().find(|(_, p)| p.name == name).ok_or_else(unknown)?;
            if numbers[k].is_some() {
                return Err(wrong(format!("{name} is given twice")));
            }
            numbers[k] = Some(parameter.parse(value.trim(), units).map_err(&wrong)?);
        }
        let value = |(number, parameter): (Option<f64>, &FieldParameter)| {
            let missing = || wrong(format!("{} must be given; {}", parameter.name, kind.takes()));
            number.or(parameter.default).ok_or_else(missing)
        };
        Ok(FieldSpec { kind, numbers: numbers.into_iter().zip(kind.all()).map(value).collect::<Result<_>>()? })
    }

    /// The field, where the gravitational constant is `g`.
    pub fn field(&self, g: f64) -> Box<dyn Field> {
        let values = Values { kind: self.kind, numbers: &self.numbers, g };
        let field = (self.kind.make)(&values);
        match self.kind.has_center {
            true => Box::new(Centered { field, center: ["x", "y", "z"].map(|name| values.get(name)) }),
            false => field,
        }
    }
}

impl FieldParameter {
    fn parse(&self, text: &str, units: &Units) -> std::result::Result<f64, String> {
        let value = parse_quantity(text, self.dimension, units).map_err(|error| match error {
            Error::Parameter { expected, .. } => format!("{} = {text}: {expected}", self.name),
            other => other.to_string(),
        })?;
        match self.positive && value <= 0.0 {
            true => Err(format!("{} = {text}: must be above 0", self.name)),
            false => Ok(value),
        }
    }
}

impl fmt::Display for FieldSpec {
    /// What reads back to the same field, in the units of the system: parameters that are not their defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        let mut separator = ':';
        for (parameter, value) in self.kind.all().zip(&self.numbers) {
            if parameter.default != Some(*value) {
                write!(f, "{separator}{}={value:?}", parameter.name)?;
                separator = ',';
            }
        }
        Ok(())
    }
}
