//! The settings that name forces: parameters of a law, and fields.

use super::value::{Form, Given, Raw, Value};
use super::{Parameters, Setting, Settings};
use crate::error::Capability;
use crate::field::{FieldSpec, registry};
use crate::forces::law_text;
use crate::solver::{Precision, Softening, SolverName, Summation};
use crate::units::Units;
use crate::{Error, Result};
use std::fmt::Display;
use std::path::Path;

/// The law between bodies, as it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForceLaw {
    /// Gravity, which solvers compute.
    Gravity,
    /// Another law: a name, a text, or a file that holds a text.
    Other(String),
}

impl ForceLaw {
    /// The name, text or file of a law that is not gravity.
    pub fn other(&self) -> Option<&str> {
        match self {
            ForceLaw::Gravity => None,
            ForceLaw::Other(law) => Some(law),
        }
    }

    /// What reads back to the same value.
    pub fn as_str(&self) -> &str {
        self.other().unwrap_or("gravity")
    }
}

impl From<&str> for ForceLaw {
    fn from(law: &str) -> Self {
        match law.trim() {
            "gravity" => ForceLaw::Gravity,
            _ => ForceLaw::Other(law.into()),
        }
    }
}

impl Display for ForceLaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Parameters of a law, each as `name=value`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterWords(pub Vec<String>);

/// External fields as they are given, each as `NAME:param=value,...`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldWords(pub Vec<String>);

/// External fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(pub Vec<FieldSpec>);

/// The texts of a list, or of one.
fn texts(raw: Raw) -> Vec<String> {
    match raw {
        Raw::List(texts) => texts,
        other => vec![other.to_string()],
    }
}

/// Without white space, so that a list of them is one text.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

impl Given for ForceLaw {
    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        String::from_raw(raw).map(|law| ForceLaw::from(&*law))
    }

    fn to_raw(&self) -> Raw {
        Raw::Text(self.to_string())
    }
}

impl Value for ForceLaw {
    type Given = ForceLaw;

    fn resolve(given: &Self, _setting: &Setting, _units: &Units) -> Result<Self> {
        Ok(given.clone())
    }

    fn describe(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn read(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

impl Given for ParameterWords {
    const FORM: Form = Form::List;

    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        let word = |text: String| match text.contains('=') {
            true => Ok(packed(&text)),
            false => Err(format!("{text} must be NAME=VALUE, as in k=1")),
        };
        texts(raw).into_iter().map(word).collect::<std::result::Result<_, _>>().map(ParameterWords)
    }

    fn to_raw(&self) -> Raw {
        Raw::List(self.0.clone())
    }
}

impl Value for ParameterWords {
    type Given = ParameterWords;

    fn resolve(given: &Self, _setting: &Setting, _units: &Units) -> Result<Self> {
        Ok(given.clone())
    }

    fn describe(&self) -> Option<Self> {
        (!self.0.is_empty()).then(|| self.clone())
    }

    fn text(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(" "))
    }

    fn read(text: &str) -> Option<Self> {
        Some(ParameterWords(text.split(' ').map(String::from).collect()))
    }
}

impl Given for FieldWords {
    const FORM: Form = Form::List;

    fn from_raw(raw: Raw) -> std::result::Result<Self, String> {
        let word = |text: String| {
            let name = text.split(':').next().unwrap_or_default().trim();
            match registry().iter().any(|kind| kind.name == name) {
                true => Ok(text),
                false => Err(FieldSpec::parse(name, &Units::henon()).err().map_or(text, |error| error.to_string())),
            }
        };
        texts(raw).into_iter().map(word).collect::<std::result::Result<_, _>>().map(FieldWords)
    }

    fn to_raw(&self) -> Raw {
        Raw::List(self.0.clone())
    }
}

impl Value for Fields {
    type Given = FieldWords;

    fn resolve(given: &FieldWords, _setting: &Setting, units: &Units) -> Result<Self> {
        given.0.iter().map(|text| FieldSpec::parse(text, units)).collect::<Result<_>>().map(Fields)
    }

    fn describe(&self) -> Option<FieldWords> {
        (!self.0.is_empty()).then(|| FieldWords(self.0.iter().map(FieldSpec::to_string).collect()))
    }

    fn text(&self) -> Option<String> {
        Some(self.describe()?.0.join(" "))
    }

    fn read(text: &str) -> Option<Self> {
        // numbers without units are the same in all
        let spec = |text: &str| FieldSpec::parse(text, &Units::henon()).ok();
        text.split(' ').map(spec).collect::<Option<_>>().map(Fields)
    }
}

impl Settings {
    /// With the text of the law in place of the name of a file, which is looked for in `folder`.
    ///
    /// # Errors
    /// As [`law_text`].
    pub fn with_law_text(self, folder: &Path) -> Result<Self> {
        let law = match self.law {
            Some(ForceLaw::Other(law)) => Some(ForceLaw::Other(law_text(&law, folder)?)),
            law => law,
        };
        Ok(Settings { law, ..self })
    }
}

impl Parameters {
    /// The law between bodies; `None` where it is gravity by a solver.
    pub fn law(&self) -> Option<&str> {
        self.law.as_ref()?.other()
    }

    /// These parameters, where another law than `before` was chosen: without what belonged to the other, unless it is given.
    pub(crate) fn without_other_law(mut self, before: &Parameters, given: &Settings) -> Self {
        if self.law() == before.law() {
            return self;
        }
        if given.par.is_none() {
            self.par = ParameterWords::default();
        }
        if self.law().is_some() && given.eps.is_none() {
            self.eps = None;
        }
        self
    }

    /// Refuses what only gravity has beside a law, and parameters without a law.
    pub(crate) fn check_law(&self) -> Result<()> {
        let refuse = |capability, value: String, expected: &str| {
            Err(Error::Unsupported { capability, value, expected: expected.into() })
        };
        let belongs =
            |name, value: String, expected: &str| Err(Error::Parameter { name, value, expected: expected.into() });
        if self.law().is_none() {
            return match self.par.0.first() {
                Some(par) => belongs("par", par.clone(), "belongs to a law: --law must be given; gravity has --eps"),
                None => Ok(()),
            };
        }
        let usual = [SolverName::Symmetric, SolverName::Direct, SolverName::Auto];
        match self {
            Parameters { rtol: Some(rtol), .. } => {
                refuse(Capability::Accuracy, rtol.to_string(), "chooses among precisions of gravity, not of a law")
            }
            Parameters { eps: Some(eps), .. } => {
                belongs("eps", eps.to_string(), "belongs to gravity; a law has parameters: --par name=value")
            }
            Parameters { softening, .. } if *softening != Softening::default() => belongs(
                "softening",
                softening.to_string(),
                "belongs to gravity; a law has parameters: --par name=value",
            ),
            Parameters { precision: Precision::Mixed, .. } => {
                refuse(Capability::Precision, "mixed".into(), "belongs to gravity; a law is computed in f32 or f64")
            }
            Parameters { sum, .. } if *sum != Summation::default() => {
                refuse(Capability::Sum, sum.to_string(), "belongs to gravity; a law sums in blocks")
            }
            // a law of which pairs can be left out
            Parameters { solver: SolverName::Tree, .. } => Ok(()),
            Parameters { solver, device, .. }
                if !usual.contains(solver) || (!device.is_gpu() && *solver != usual[0]) =>
            {
                let expected = "belongs to gravity; a run computes a law for all pairs, on the CPU by symmetric and on GPUs by auto \
                                or direct, or by tree, without pairs that contribute nothing";
                refuse(Capability::Solver, solver.to_string(), expected)
            }
            _ => Ok(()),
        }
    }
}
