//! What operators and functions do with values, and what they demand of them.

use super::MAX_WIDTH;
use super::lexer::Span;
use super::parser::{At, Mark, Names, Parsed, Parser, Val};
use crate::law::Real;
use crate::law::graph::trace::{Trace, TraceMask};

impl<N: Names> Parser<'_, N> {
    /// As numbers.
    pub(super) fn numbers(&self, x: &At) -> Parsed<Vec<Trace>> {
        match &x.val {
            Val::Number(v) => Ok(v.clone()),
            Val::Mask(_) => {
                self.error(x.span, "expected a number, found a condition", "a condition becomes one by: condition ? 1 : 0")
            }
            Val::Id(_) => self.error(
                x.span,
                "expected a number, found an id",
                "ids can be compared and can be the label of argmin and argmax; a member to compute with is declared by body",
            ),
        }
    }

    /// As one number.
    pub(super) fn number(&self, x: &At) -> Parsed<Trace> {
        match self.numbers(x)?[..] {
            [x] => Ok(x),
            ref v => {
                let help = "dot(d, d), norm(d) or d[0] make one number of several";
                self.error(x.span, format!("expected one number, found {}", v.len()), help)
            }
        }
    }

    /// As a condition.
    pub(super) fn mask(&self, x: &At) -> Parsed<TraceMask> {
        match &x.val {
            Val::Mask(m) => Ok(*m),
            other => {
                let help = "a condition compares: r2 < rc2, i.mol != j.mol";
                self.error(x.span, format!("expected a condition, found {}", other.what()), help)
            }
        }
    }

    /// As a small whole number known now.
    pub(super) fn whole(&self, x: &At) -> Parsed<usize> {
        let c = self.number(x)?;
        let value = self.recording.edit(|g| g.constant(c.0));
        match value {
            Some(v) if v.fract() == 0.0 && (0.0..1e6).contains(&v) => Ok(v as usize),
            Some(v) if v.fract() == 0.0 && v >= 0.0 => self.error(
                x.span,
                format!("{v} is too large here"),
                format!("at most {MAX_WIDTH} numbers are possible"),
            ),
            _ => self.error(x.span, "expected a whole number here", "0, 1, 2, ...; it cannot be computed from bodies"),
        }
    }

    /// Two values number by number; one number meets each of several.
    pub(super) fn together(&self, a: &At, b: &At, span: Span) -> Parsed<Vec<(Trace, Trace)>> {
        let (x, y) = (self.numbers(a)?, self.numbers(b)?);
        match (x.len(), y.len()) {
            (m, n) if m == n => Ok(x.into_iter().zip(y).collect()),
            (1, _) => Ok(y.into_iter().map(|y| (x[0], y)).collect()),
            (_, 1) => Ok(x.into_iter().map(|x| (x, y[0])).collect()),
            (m, n) => {
                let help = "both sides need as many numbers, or one of them a single one";
                self.error(span, format!("{m} numbers cannot meet {n}"), help)
            }
        }
    }

    pub(super) fn apply(&mut self, name: &str, operator: Span, left: At, right: At) -> Parsed<At> {
        let span = left.span.to(right.span);
        let val = match name {
            "&&" => Val::Mask(self.mask(&left)? & self.mask(&right)?),
            "||" => Val::Mask(self.mask(&left)? | self.mask(&right)?),
            "<" | "<=" | ">" | ">=" | "==" | "!=" => Val::Mask(self.compare(name, operator, &left, &right)?),
            _ => {
                let pairs = self.together(&left, &right, span)?;
                Val::Number(pairs.into_iter().map(|(x, y)| self.arithmetic(name, x, y, span)).collect())
            }
        };
        Ok(At { val, span })
    }

    pub(super) fn arithmetic(&mut self, name: &str, x: Trace, y: Trace, span: Span) -> Trace {
        match name {
            "+" => x + y,
            "-" => x - y,
            "*" => x * y,
            _ => {
                let result = x / y;
                self.marks.push(Mark { result, argument: y, span });
                result
            }
        }
    }

    fn compare(&self, name: &str, operator: Span, left: &At, right: &At) -> Parsed<TraceMask> {
        let (x, y) = match (&left.val, &right.val) {
            (Val::Id(x), Val::Id(y)) => (*x, *y),
            (Val::Id(_), _) | (_, Val::Id(_)) => {
                return self.error(
                    operator,
                    "an id can only be compared with an id",
                    "declare both by id; to compare it with a number, declare it by body instead: body kind",
                );
            }
            _ => (self.number(left)?, self.number(right)?),
        };
        Ok(match name {
            "<" => x.lt(y),
            "<=" => x.le(y),
            ">" => y.lt(x),
            ">=" => y.le(x),
            "==" => x.same(y),
            _ => !x.same(y),
        })
    }

    /// base^exponent. Whole and half exponents become products and roots, others exp(exponent ln(base)).
    pub(super) fn raise(&mut self, base: &At, exponent: &At) -> Parsed<At> {
        let span = base.span.to(exponent.span);
        let e = self.number(exponent)?;
        let known = self.recording.edit(|g| g.constant(e.0)).filter(|e| (2.0 * e).fract() == 0.0 && e.abs() <= 64.0);
        let bases = self.numbers(base)?;
        let mut results = Vec::with_capacity(bases.len());
        for x in bases {
            let result = match known {
                None => (e * x.ln()).exp(),
                Some(p) => {
                    let whole = x.powi(p.abs() as u32);
                    match (p < 0.0, p.fract() != 0.0) {
                        (false, false) => whole,
                        (false, true) => whole * x.sqrt(),
                        (true, false) => whole.recip(),
                        (true, true) => x.rsqrt().powi((2.0 * -p) as u32),
                    }
                }
            };
            if known.is_none_or(|p| p < 0.0) {
                self.marks.push(Mark { result, argument: x, span });
            }
            results.push(result);
        }
        Ok(At { val: Val::Number(results), span })
    }
}
