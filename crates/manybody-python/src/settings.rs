//! The settings of a run as keywords, from the library's table.

use crate::errors::{keyword, raise};
use manybody::settings::{Effect, Parameters, Raw, Settings, TABLE};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Settings by keyword, each with its value.
pub(crate) type Words = Vec<(String, Word)>;

/// A value as Python has it.
#[derive(FromPyObject)]
pub(crate) enum Word {
    Switch(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Word>),
}

impl Word {
    fn raw(&self) -> Raw {
        match self {
            Word::Switch(value) => Raw::Boolean(*value),
            Word::Integer(value) => Raw::Integer(*value),
            Word::Number(value) => Raw::Number(*value),
            Word::Text(text) => Raw::Text(text.clone()),
            Word::List(list) => Raw::List(list.iter().map(|word| word.raw().to_string()).collect()),
        }
    }
}

/// The settings of keywords.
pub(crate) fn settings(words: &Words) -> PyResult<Settings> {
    let mut settings = Settings::default();
    for (name, word) in words {
        let Some(setting) = TABLE.iter().find(|setting| keyword(setting.name) == *name) else {
            return Err(PyTypeError::new_err(format!("unknown keyword {name:?}")));
        };
        settings.set(setting.name, word.raw()).map_err(raise)?;
    }
    Ok(settings)
}

/// The settings as text by keyword, those that have a value.
pub(crate) fn described(parameters: &Parameters) -> Vec<(String, String)> {
    parameters.describe().raw().into_iter().map(|(setting, raw)| (keyword(setting.name), raw.to_string())).collect()
}

/// The table: the keyword, what stands for its value, what it is, its default, and whether a run in the memory has it.
#[pyfunction]
pub(crate) fn settings_table() -> Vec<(String, &'static str, String, &'static str, bool)> {
    let in_memory = |effect: Effect| !matches!(effect, Effect::Start | Effect::Name | Effect::Process);
    let row = |s: &&'static manybody::settings::Setting| {
        (keyword(s.name), s.value, crate::errors::keywords(&s.text()), s.default, in_memory(s.effect))
    };
    TABLE.iter().map(row).collect()
}
