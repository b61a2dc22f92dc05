//! The settings of a run as keywords, from the library's table.

use crate::errors::{keyword, raise};
use manybody::settings::{Effect, Parameters, Raw, Setting, Settings, TABLE};
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
    settings_among(words, |_| true)
}

/// The settings of keywords that say how forces are computed.
pub(crate) fn settings_of_forces(words: &Words) -> PyResult<Settings> {
    settings_among(words, |setting| setting.of_forces)
}

fn settings_among(words: &Words, is_one: fn(&Setting) -> bool) -> PyResult<Settings> {
    let mut settings = Settings::default();
    let known = || TABLE.iter().filter(|setting| is_one(setting));
    for (name, word) in words {
        let Some(setting) = known().find(|setting| keyword(setting.name) == *name) else {
            let known: Vec<String> = known().map(|setting| keyword(setting.name)).collect();
            return Err(PyTypeError::new_err(format!("unknown keyword {name:?}; known are {}", known.join(", "))));
        };
        settings.set(setting.name, word.raw()).map_err(raise)?;
    }
    Ok(settings)
}

/// The settings as text by keyword, those that have a value.
pub(crate) fn described(parameters: &Parameters) -> Vec<(String, String)> {
    parameters.describe().raw().into_iter().map(|(setting, raw)| (keyword(setting.name), raw.to_string())).collect()
}

/// The table: the keyword, what stands for its value, what it is, its default, whether a run in the memory
/// has it, and whether it says how forces are computed.
#[pyfunction]
pub(crate) fn settings_table() -> Vec<(String, &'static str, String, &'static str, bool, bool)> {
    let in_memory = |effect: Effect| !matches!(effect, Effect::Start | Effect::Name | Effect::Process);
    let row = |s: &&'static manybody::settings::Setting| {
        (keyword(s.name), s.value, crate::errors::keywords(&s.text()), s.default, in_memory(s.effect), s.of_forces)
    };
    TABLE.iter().map(row).collect()
}
