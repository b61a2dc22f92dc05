//! Where reproductions print: text and JSON lines, by the program that runs them.

use std::fmt;

/// How a program prints.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// A line of text.
    pub say: fn(fmt::Arguments<'_>),
    /// A JSON object, as a line.
    pub json: fn(&serde_json::Value),
}

impl Output {
    /// Prints a line of text.
    pub(crate) fn say(self, text: impl fmt::Display) {
        (self.say)(format_args!("{text}"));
    }

    /// Prints a JSON object.
    pub(crate) fn json(self, object: &serde_json::Value) {
        (self.json)(object);
    }
}
