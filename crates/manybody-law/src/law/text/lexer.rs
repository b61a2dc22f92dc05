//! Text to tokens.

use super::error::TextError;

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(super) fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Word,
    Number(f64),
    /// An operator or bracket, by its place in [`SYMBOLS`].
    Symbol(&'static str),
    /// C's `#define`.
    Define,
    Newline,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

impl Token {
    /// The word, if it is one.
    pub(super) fn word<'a>(&self, text: &'a str) -> Option<&'a str> {
        (self.kind == Kind::Word).then(|| &text[self.span.start..self.span.end])
    }
}

/// Longer ones first.
const SYMBOLS: [&str; 31] = [
    "**", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "+", "-", "*", "/", "^", "<", ">", "=", "!", "?",
    ":", "(", ")", "[", "]", "{", "}", ",", ";", ".",
];

/// The tokens of a text, `most` at most.
pub(super) fn tokens(text: &str, most: usize) -> Result<Vec<Token>, TextError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'\n' => {
                at += 1;
                Kind::Newline
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'\\' if bytes[at + 1..].first().is_some_and(|b| *b == b'\n') => {
                at += 2; // a line continued, as in C and Python
                continue;
            }
            b'#' if is_define(&text[at..]) => {
                at += "#define".len();
                Kind::Define
            }
            b'#' => {
                at = line_end(text, at);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"//") => {
                at = line_end(text, at);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                let span = Span { start, end: start + 2 };
                let unclosed = || TextError::new(text, span, "this comment is not closed", "close it with */");
                at = text[at..].find("*/").map(|k| at + k + 2).ok_or_else(unclosed)?;
                continue;
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                at += text[at..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                Kind::Word
            }
            b if b.is_ascii_digit() || b == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                let (number, length) = number(text, at)?;
                at += length;
                Kind::Number(number)
            }
            _ => {
                let Some(symbol) = SYMBOLS.iter().find(|s| text[at..].starts_with(**s)) else {
                    let c = text[at..].chars().next().unwrap_or(' ');
                    let span = Span { start, end: start + c.len_utf8() };
                    return Err(TextError::new(text, span, format!("{c:?} means nothing here"), hint(c)));
                };
                at += symbol.len();
                Kind::Symbol(symbol)
            }
        };
        tokens.push(Token { kind, span: Span { start, end: at } });
        if tokens.len() > most {
            let help = format!("at most {most} words, numbers and signs are read");
            return Err(TextError::new(text, Span { start, end: at }, "the law is too long", help));
        }
    }
    let end = Span { start: text.len(), end: text.len() };
    tokens.push(Token { kind: Kind::Newline, span: end });
    tokens.push(Token { kind: Kind::End, span: end });
    Ok(tokens)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |k| at + k)
}

/// A comment may begin with #, and so does C's `#define`.
fn is_define(text: &str) -> bool {
    text.strip_prefix("#define").is_some_and(|rest| rest.starts_with([' ', '\t']))
}

fn hint(c: char) -> &'static str {
    match c {
        '&' => "both conditions: and, or &&",
        '|' => "one of two conditions: or, or ||",
        '\'' | '"' => "a law consists of names, numbers and operators; it has no quoted text",
        '%' => "there is no remainder; a nearest periodic image is d - L * round(d / L)",
        '\u{2212}' | '\u{2013}' => "the minus sign is -",
        '\u{00d7}' | '\u{00b7}' => "multiplication is *",
        _ => "a law consists of names, numbers and + - * / ^ < > = ? : ( ) [ ] , ;",
    }
}

/// A number as C, Fortran and Python write it: 1, 1., .5, 1e-3, 1.5f, 2d0.
fn number(text: &str, start: usize) -> Result<(f64, usize), TextError> {
    let bytes = text.as_bytes();
    let mut at = start;
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    at = digits(at);
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    let mut plain = text[start..at].to_string();
    if bytes.get(at).is_some_and(|b| b"eEdD".contains(b)) {
        let signed = at + 1 + usize::from(bytes.get(at + 1).is_some_and(|b| b"+-".contains(b)));
        if bytes.get(signed).is_some_and(u8::is_ascii_digit) {
            let end = digits(signed);
            plain.push('e');
            plain.push_str(&text[at + 1..end]);
            at = end;
        }
    }
    let end = at;
    if bytes.get(at).is_some_and(|b| b"fFlL".contains(b)) {
        at += 1; // C's suffixes
    }
    let follows = bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"_.".contains(b));
    let value = plain.parse::<f64>().ok().filter(|v| v.is_finite());
    match value {
        Some(value) if !follows => Ok((value, at - start)),
        Some(_) if follows => {
            let span = Span { start, end: end + 1 };
            let help = "a product needs its *: 2 * x; a name begins with a letter";
            Err(TextError::new(text, span, "a number runs into what follows it", help))
        }
        _ => Err(TextError::new(
            text,
            Span { start, end },
            "this number is too large",
            format!("the largest is about {:.1e}", f64::MAX),
        )),
    }
}
