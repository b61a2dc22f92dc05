//! Where reproductions print: text and JSON lines, by the program that runs them.

use std::fmt;
use std::sync::OnceLock;

/// How a program prints.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// A line of text.
    pub say: fn(fmt::Arguments<'_>),
    /// A JSON object, as a line.
    pub json: fn(&serde_json::Value),
}

/// A program has one place to print to, and runs one reproduction.
static OUTPUT: OnceLock<Output> = OnceLock::new();

/// From now on prints there, unless that was said before.
pub(crate) fn to(output: Output) {
    OUTPUT.get_or_init(|| output);
}

/// Prints a line of text.
pub(crate) fn say(text: impl fmt::Display) {
    if let Some(output) = OUTPUT.get() {
        (output.say)(format_args!("{text}"));
    }
}

/// Prints a JSON object.
pub(crate) fn json(object: &serde_json::Value) {
    if let Some(output) = OUTPUT.get() {
        (output.json)(object);
    }
}
