//! Expressions, straight into the graph.
//!
//! Precedence climbing. Recursion is counted: it happens at brackets, arguments, signs, powers and branches only, and
//! no deeper than [`MAX_DEPTH`](super::MAX_DEPTH).

use super::functions;
use super::lexer::{Kind, Span, Token};
use super::parser::{At, Names, Parsed, Parser, Val, shorten};
use crate::error::closest;
use crate::law::Real;
use crate::law::graph::trace::{Trace, TraceMask};

impl<N: Names> Parser<'_, N> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Parsed<At> {
        let span = self.peek().span;
        self.deeper(span, |p| {
            let condition = p.binary(0)?;
            if p.eat("?").is_none() {
                return Ok(condition);
            }
            let mask = p.mask(&condition)?;
            p.continue_line();
            let yes = p.expression()?;
            p.need(":", "a choice is written: condition ? this : that")?;
            p.continue_line();
            let no = p.expression()?;
            p.choose(mask, &yes, &no)
        })
    }

    /// After an operator the line goes on.
    fn continue_line(&mut self) {
        self.skip_newlines();
    }

    pub(super) fn choose(&self, mask: TraceMask, yes: &At, no: &At) -> Parsed<At> {
        let span = yes.span.to(no.span);
        let val = match (&yes.val, &no.val) {
            (Val::Mask(y), Val::Mask(n)) => Val::Mask((mask & *y) | (!mask & *n)),
            (Val::Id(y), Val::Id(n)) => Val::Id(Trace::select(mask, *y, *n)),
            _ => {
                let pairs = self.together(yes, no, span)?;
                Val::Number(pairs.into_iter().map(|(y, n)| Trace::select(mask, y, n)).collect())
            }
        };
        Ok(At { val, span })
    }

    /// The binary operator that is next, with how strongly it binds.
    fn operator(&mut self) -> Option<(&'static str, u8)> {
        let token = self.peek();
        let name = match token.kind {
            Kind::Symbol(s) => s,
            Kind::Word => match token.word(self.text) {
                Some("and") => "&&",
                Some("or") => "||",
                _ => return None,
            },
            _ => return None,
        };
        let strength = match name {
            "||" => 1,
            "&&" => 2,
            "<" | "<=" | ">" | ">=" | "==" | "!=" => 4,
            "+" | "-" => 5,
            "*" | "/" => 6,
            _ => return None,
        };
        Some((name, strength))
    }

    /// Operators that bind at least as strongly as `least`, from left to right.
    fn binary(&mut self, least: u8) -> Parsed<At> {
        let mut left = self.unary()?;
        while let Some((name, strength)) = self.operator() {
            if strength < least {
                break;
            }
            let operator = self.next().span;
            self.continue_line();
            let right = self.deeper(operator, |p| p.binary(strength + 1))?;
            if let (4, Some((next, 4))) = (strength, self.operator()) {
                let span = self.peek().span;
                let help = format!("a {name} b {next} c is written: a {name} b and b {next} c");
                return self.error(span, "comparisons do not chain", help);
            }
            left = self.apply(name, operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<At> {
        let token = self.peek();
        let word = token.word(self.text);
        match (token.kind, word) {
            (Kind::Symbol("-"), _) => {
                self.next();
                // -x^2 is -(x^2), and -a * b is (-a) * b
                let x = self.deeper(token.span, |p| p.unary())?;
                let v = self.numbers(&x)?;
                Ok(At { val: Val::Number(v.into_iter().map(|x| -x).collect()), span: token.span.to(x.span) })
            }
            (Kind::Symbol("+"), _) => {
                self.next();
                self.deeper(token.span, |p| p.unary())
            }
            (Kind::Symbol("!"), _) | (_, Some("not")) => {
                self.next();
                let strength = if word.is_some() { 4 } else { 7 };
                let x = self.deeper(token.span, |p| p.binary(strength))?;
                Ok(At { val: Val::Mask(!self.mask(&x)?), span: token.span.to(x.span) })
            }
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Parsed<At> {
        let base = self.postfix()?;
        let token = self.peek();
        if !matches!(token.kind, Kind::Symbol("^" | "**")) {
            return Ok(base);
        }
        self.next();
        self.continue_line();
        let exponent = self.deeper(token.span, |p| p.unary())?;
        self.raise(&base, &exponent)
    }

    fn postfix(&mut self) -> Parsed<At> {
        let mut value = self.primary()?;
        while let Some(open) = self.eat("[") {
            self.open();
            let index = self.expression()?;
            let end = self.close("]", open)?;
            let k = self.whole(&index)?;
            let numbers = self.numbers(&value)?;
            let Some(x) = numbers.get(k) else {
                let help = format!("there are {}, counted from 0", numbers.len());
                return self.error(index.span, format!("number {k} does not exist here"), help);
            };
            value = At { val: Val::Number(vec![*x]), span: value.span.to(end) };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Parsed<At> {
        let token = self.peek();
        match token.kind {
            Kind::Number(c) => {
                self.next();
                Ok(At { val: Val::Number(vec![self.lit(c)]), span: token.span })
            }
            Kind::Symbol("(") => {
                self.next();
                self.open();
                let mut items = vec![self.expression()?];
                while self.eat(",").is_some() {
                    items.push(self.expression()?);
                }
                let span = token.span.to(self.close(")", token.span)?);
                match items.len() {
                    1 => Ok(At { val: items.remove(0).val, span }),
                    _ => self.tuple(&items, span),
                }
            }
            Kind::Word => {
                self.next();
                self.name(token)
            }
            _ => {
                let found = self.describe(token);
                self.error(token.span, format!("expected a value, found {found}"), "a number, a name or ( is expected")
            }
        }
    }

    /// (a, b, c): numbers side by side.
    fn tuple(&self, items: &[At], span: Span) -> Parsed<At> {
        let mut all = Vec::new();
        for item in items {
            all.append(&mut self.numbers(item)?);
        }
        if all.len() > super::MAX_WIDTH {
            let help = format!("at most {} are possible", super::MAX_WIDTH);
            return self.error(span, "too many numbers side by side", help);
        }
        Ok(At { val: Val::Number(all), span })
    }

    fn name(&mut self, token: Token) -> Parsed<At> {
        let word = token.word(self.text).unwrap_or_default();
        // whatever else has the name of a function: only a function is followed by a bracket
        if self.peek().kind == Kind::Symbol("(") && functions::is_function(word) {
            return functions::call(self, token);
        }
        if let Some(val) = self.locals.get(word) {
            return Ok(At { val: val.clone(), span: token.span });
        }
        if let Some(val) = N::outer(self, token)? {
            let end = self.last_span();
            return Ok(At { val, span: token.span.to(end) });
        }
        if self.peek().kind == Kind::Symbol("(") {
            return functions::call(self, token);
        }
        match word {
            "pi" | "M_PI" => Ok(At { val: Val::Number(vec![self.lit(std::f64::consts::PI)]), span: token.span }),
            "inf" => Ok(At { val: Val::Number(vec![self.lit(f64::INFINITY)]), span: token.span }),
            "true" | "false" => {
                let mask = self.recording.edit(|g| g.truth_value(word == "true"));
                Ok(At { val: Val::Mask(TraceMask(mask)), span: token.span })
            }
            "e" if matches!(self.peek().kind, Kind::Symbol("^" | "**")) => {
                self.error(token.span, "`e` is not known", "e^x is written exp(x)")
            }
            _ => self.unknown(token),
        }
    }

    fn unknown<T>(&self, token: Token) -> Parsed<T> {
        let word = token.word(self.text).unwrap_or_default();
        let known: Vec<String> = self.locals.keys().cloned().chain(self.names.known()).collect();
        let help = match closest(word, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None if functions::is_function(word) => format!("{word} is a function: {word}(...)"),
            None if known.is_empty() => "nothing has a name yet".into(),
            None => format!("known here: {}", shorten(&known)),
        };
        self.error(token.span, format!("`{word}` is not known"), help)
    }
}

/// What means something else wherever a value is expected: the values that every law has, and `not`. Nothing else may have
/// these names.
pub(super) fn has_a_meaning(name: &str) -> bool {
    matches!(name, "inf" | "true" | "false" | "not")
}
