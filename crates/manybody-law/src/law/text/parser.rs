//! A text being read: its tokens, the names known so far, and the errors.

use super::MAX_DEPTH;
use super::error::TextError;
use super::lexer::{Kind, Span, Token};
use crate::law::graph::trace::{Recording, Trace, TraceMask};
use std::collections::BTreeMap;

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// One number or several side by side.
    Number(Vec<Trace>),
    /// A condition.
    Mask(TraceMask),
    /// A name of something.
    Id(Trace),
}

impl Val {
    pub(super) fn what(&self) -> String {
        match self {
            Val::Number(v) if v.len() == 1 => "a number".into(),
            Val::Number(v) => format!("{} numbers", v.len()),
            Val::Mask(_) => "a condition".into(),
            Val::Id(_) => "an id".into(),
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) val: Val,
    pub(super) span: Span,
}

/// Where the text does something that a zero makes impossible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The result: a quotient, a reciprocal, a root's reciprocal, a logarithm.
    pub(super) result: Trace,
    /// What must not be zero.
    pub(super) argument: Trace,
    pub(super) span: Span,
}

pub(super) type Parsed<T> = Result<T, TextError>;

/// Looks up the names that are not local: `i.x` of the native form, `INPUT_I[k]` of CUNBODY-1.
pub(super) trait Names {
    /// The value of a name at the parser's place, which the call has just passed; `None` if it is not one of these.
    fn outer(parser: &mut Parser<'_, Self>, word: Token) -> Parsed<Option<Val>>
    where
        Self: Sized;
    /// The names that could be meant.
    fn known(&self) -> Vec<String>;
}

/// A text being read.
pub(super) struct Parser<'a, N> {
    pub(super) text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Open brackets: inside them a line's end means nothing.
    brackets: usize,
    pub(super) recording: &'a Recording,
    pub(super) locals: BTreeMap<String, Val>,
    pub(super) names: N,
    pub(super) marks: Vec<Mark>,
    /// Whether a line's end ends a statement.
    lines: bool,
}

impl<'a, N: Names> Parser<'a, N> {
    pub(super) fn new(text: &'a str, tokens: Vec<Token>, recording: &'a Recording, names: N, lines: bool) -> Self {
        let locals = BTreeMap::new();
        Parser { text, tokens, at: 0, depth: 0, brackets: 0, recording, locals, names, marks: Vec::new(), lines }
    }

    pub(super) fn error<T>(&self, span: Span, problem: impl Into<String>, help: impl Into<String>) -> Parsed<T> {
        Err(TextError::new(self.text, span, problem, help))
    }

    pub(super) fn lit(&self, c: f64) -> Trace {
        Trace(self.recording.edit(|g| g.lit(c)))
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.tokens[self.at].kind == Kind::Newline {
            self.at += 1;
        }
    }

    /// The next token, without passing it.
    pub(super) fn peek(&mut self) -> Token {
        if !self.lines || self.brackets > 0 {
            self.skip_newlines();
        }
        self.tokens[self.at]
    }

    /// Passes the next token. The end is never passed.
    pub(super) fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Where the token just passed stands.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn peek_word(&mut self) -> Option<&'a str> {
        self.peek().word(self.text)
    }

    /// The token after the next one, on the same line.
    pub(super) fn peek_second(&mut self) -> Kind {
        self.peek();
        self.tokens.get(self.at + 1).map_or(Kind::End, |t| t.kind)
    }

    /// Passes the symbol if it is next.
    pub(super) fn eat(&mut self, symbol: &str) -> Option<Span> {
        let token = self.peek();
        (token.kind == Kind::Symbol(self.symbol(symbol))).then(|| self.next().span)
    }

    fn symbol(&self, symbol: &str) -> &'static str {
        match symbol {
            "(" => "(",
            ")" => ")",
            "[" => "[",
            "]" => "]",
            "," => ",",
            ";" => ";",
            "=" => "=",
            ":" => ":",
            "?" => "?",
            "." => ".",
            "+=" => "+=",
            "-=" => "-=",
            "*=" => "*=",
            "/=" => "/=",
            _ => "",
        }
    }

    pub(super) fn need(&mut self, symbol: &str, help: &str) -> Parsed<Span> {
        match self.eat(symbol) {
            Some(span) => Ok(span),
            None => {
                let token = self.peek();
                let found = self.describe(token);
                self.error(token.span, format!("expected `{symbol}`, found {found}"), help)
            }
        }
    }

    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::Newline => "the end of the line".into(),
            Kind::End => "the end".into(),
            _ => format!("`{}`", &self.text[token.span.start..token.span.end]),
        }
    }

    /// Inside brackets lines may break.
    pub(super) fn open(&mut self) {
        self.brackets += 1;
    }

    pub(super) fn close(&mut self, symbol: &str, opened: Span) -> Parsed<Span> {
        let found = self.eat(symbol);
        self.brackets -= 1;
        match found {
            Some(span) => Ok(span),
            None => {
                let token = self.peek();
                let found = self.describe(token);
                let line = self.text[..opened.start].matches('\n').count() + 1;
                let help = format!("a bracket opened in line {line} is not closed");
                self.error(token.span, format!("expected `{symbol}`, found {found}"), help)
            }
        }
    }

    pub(super) fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let help = format!("brackets and signs may nest {MAX_DEPTH} deep; name an inner part: t = ...");
            return self.error(span, "this is nested too deeply", help);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}

/// A list of names, not too long.
pub(super) fn shorten(names: &[String]) -> String {
    const MAX_NAMES: usize = 12;
    let more = if names.len() > MAX_NAMES { ", ..." } else { "" };
    names[..names.len().min(MAX_NAMES)].join(", ") + more
}
