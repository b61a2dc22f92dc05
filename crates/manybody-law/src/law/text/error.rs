//! What is wrong with a text, where, and what would be right.

use super::lexer::Span;
use std::fmt;

/// A text that is not a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub help: String,
    /// The line itself.
    excerpt: String,
    /// How many characters of it are meant.
    width: usize,
}

/// A longer line is cut around the place.
const LONGEST_EXCERPT: usize = 120;

impl TextError {
    pub(super) fn new(text: &str, span: Span, problem: impl Into<String>, help: impl Into<String>) -> Self {
        let start = floor(text, span.start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |k| k + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
        let end = floor(text, span.end.max(start)).min(line_end).max(start);
        let column = text[line_start..start].chars().count() + 1;
        let width = text[start..end].chars().count().max(1);
        let shown: String = text[line_start..line_end].chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let excerpt = if shown.chars().count() > LONGEST_EXCERPT { String::new() } else { shown };
        TextError {
            line: before.matches('\n').count() + 1,
            column,
            problem: problem.into(),
            help: help.into(),
            excerpt,
            width,
        }
    }
}

/// The nearest character boundary at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law, line {}, column {}: {}", self.line, self.column, self.problem)?;
        if !self.excerpt.trim().is_empty() {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let (indent, mark) = (" ".repeat(self.column - 1), "^".repeat(self.width));
            write!(f, "\n{margin} |\n{number} | {}\n{margin} | {indent}{mark}", self.excerpt)?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for TextError {}

impl From<TextError> for crate::Error {
    fn from(error: TextError) -> Self {
        crate::Error::Law(error)
    }
}
