//! What a graph's rules do not keep by themselves: NaN in extremes, and the sign of a zero that is divided by.
//!
//! Minimum instructions differ in what they make of NaN: some return the other operand, some the second one. So a
//! program of a law keeps NaN itself, in the same way on every device: `min` and `max` of two numbers are NaN where one of
//! them is, and a NaN that a pair contributes to a smallest (largest) value is minus (plus) infinity there, which
//! `EvaluateLaw::check_results` refuses.
//!
//! A graph has one node for a - b and b - a, with a sign beside it. Where a = b, both are 0 in IEEE's arithmetic, not
//! one of them -0, and 1 / (a - b) is infinite: a division by such a number is infinite where it is 0, with the sign of
//! the numerator. Of other numbers whose zeros may have lost their sign, as (a - b) c, the reciprocal of 0 is NaN.
//!
//! Each of these takes a comparison and a choice, and is left out where [`Kinds`] shows that no finite columns and
//! parameters make the number NaN, or 0.

use super::graph::trace::{Recording, Trace, TraceMask};
use super::graph::{Edge, Role};
use super::{Cell, Real};
use std::ops::{Add, BitOr, Div, Mul, Neg, Sub};

/// A set of kinds of numbers: which a value can be, whatever the columns and parameters are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kinds(u8);

impl Kinds {
    const MINUS_INFINITY: Kinds = Kinds(1);
    const NEGATIVE: Kinds = Kinds(2);
    const ZERO: Kinds = Kinds(4);
    const POSITIVE: Kinds = Kinds(8);
    const INFINITY: Kinds = Kinds(16);
    const NAN: Kinds = Kinds(32);
    /// A difference of equal numbers: 0 in IEEE's arithmetic, which is -0 here where the edge is negative.
    const DIFFERENCE: Kinds = Kinds(64);
    /// A zero of either sign, whatever it is in IEEE's arithmetic.
    const OTHER_ZERO: Kinds = Kinds(128);
    const EACH: [Kinds; 8] = [
        Self::MINUS_INFINITY,
        Self::NEGATIVE,
        Self::ZERO,
        Self::POSITIVE,
        Self::INFINITY,
        Self::NAN,
        Self::DIFFERENCE,
        Self::OTHER_ZERO,
    ];
    const NOTHING: Kinds = Kinds(0);
    /// A number of a column or a parameter: these are finite.
    const FINITE: Kinds = Kinds(2 | 4 | 8);

    fn of(x: f64) -> Kinds {
        match x {
            _ if x.is_nan() => Self::NAN,
            f64::NEG_INFINITY => Self::MINUS_INFINITY,
            f64::INFINITY => Self::INFINITY,
            _ if x < 0.0 => Self::NEGATIVE,
            _ if x > 0.0 => Self::POSITIVE,
            _ => Self::ZERO,
        }
    }

    fn has(self, kind: Kinds) -> bool {
        self.0 & kind.0 != 0
    }

    /// Without zeros whose sign may not be IEEE's.
    fn with_signs(self) -> Kinds {
        Kinds(self.0 & !(Self::DIFFERENCE | Self::OTHER_ZERO).0)
    }

    /// Whether it can be NaN.
    pub(super) fn may_be_nan(self) -> bool {
        self.has(Self::NAN)
    }

    /// What a function of one number makes of each kind.
    fn each(self, f: impl Fn(Kinds) -> Kinds) -> Kinds {
        Self::EACH.into_iter().filter(|kind| self.has(*kind)).map(f).fold(Self::NOTHING, Kinds::bitor)
    }

    /// What a function of two numbers makes of each pair of kinds without NaN, as if zeros had no sign. `zero` is the kind of a
    /// zero that comes from one whose sign may not be IEEE's.
    fn pairs(self, other: Kinds, f: impl Fn(Kinds, Kinds) -> Kinds, zero: impl Fn(Kinds, Kinds) -> Kinds) -> Kinds {
        let unsigned = |a: Kinds| if a.with_signs() == Self::NOTHING { Self::ZERO } else { a };
        let pair = |a: Kinds, b: Kinds| match f(unsigned(a), unsigned(b)) {
            result if unsigned(a) == a && unsigned(b) == b => result,
            result => result.each(|kind| if kind == Self::ZERO { zero(a, b) } else { kind }),
        };
        self.each(|a| other.each(|b| if a == Self::NAN || b == Self::NAN { Self::NAN } else { pair(a, b) }))
    }

    /// The zero of a product or a quotient, one of which is a zero whose sign may not be IEEE's.
    fn zero_of_product(a: Kinds, b: Kinds) -> Kinds {
        let is_unknown = |x: Kinds| x == Self::OTHER_ZERO || x.is_negative();
        if is_unknown(a) || is_unknown(b) { Self::OTHER_ZERO } else { Self::DIFFERENCE }
    }

    fn is_infinite(self) -> bool {
        self == Self::INFINITY || self == Self::MINUS_INFINITY
    }

    fn is_negative(self) -> bool {
        self == Self::NEGATIVE || self == Self::MINUS_INFINITY
    }

    /// The product of a number by itself.
    fn square(self) -> Kinds {
        self.magnitude().each(|a| a * a)
    }

    fn magnitude(self) -> Kinds {
        self.each(|a| match a {
            Self::DIFFERENCE | Self::OTHER_ZERO => Self::ZERO,
            _ if a.is_negative() => -a,
            _ => a,
        })
    }

    fn sqrt(self) -> Kinds {
        self.each(|a| if a.is_negative() { Self::NAN } else { a })
    }

    fn exp(self) -> Kinds {
        self.each(|a| match a {
            Self::MINUS_INFINITY => Self::ZERO,
            Self::NEGATIVE => Self::ZERO | Self::POSITIVE,
            Self::ZERO | Self::DIFFERENCE | Self::OTHER_ZERO => Self::POSITIVE,
            Self::POSITIVE => Self::POSITIVE | Self::INFINITY,
            other => other,
        })
    }

    fn exp_m1(self) -> Kinds {
        self.each(|a| match a {
            Self::MINUS_INFINITY => Self::NEGATIVE,
            Self::NEGATIVE => Self::NEGATIVE | Self::ZERO,
            Self::POSITIVE => Self::ZERO | Self::POSITIVE | Self::INFINITY,
            other => other,
        })
    }

    fn ln(self) -> Kinds {
        self.each(|a| match a {
            Self::MINUS_INFINITY | Self::NEGATIVE => Self::NAN,
            Self::ZERO | Self::DIFFERENCE | Self::OTHER_ZERO => Self::MINUS_INFINITY,
            // what is below the smallest normal number may be 0
            Self::POSITIVE => Self::FINITE | Self::MINUS_INFINITY,
            other => other,
        })
    }

    fn ln_1p(self) -> Kinds {
        self.each(|a| match a {
            Self::MINUS_INFINITY => Self::NAN,
            Self::NEGATIVE => Self::NAN | Self::MINUS_INFINITY | Self::NEGATIVE | Self::ZERO,
            Self::POSITIVE => Self::ZERO | Self::POSITIVE,
            other => other,
        })
    }

    /// Sine or cosine.
    fn wave(self) -> Kinds {
        self.each(|a| match a {
            Self::DIFFERENCE | Self::OTHER_ZERO => Self::FINITE | a,
            _ if a.is_infinite() || a == Self::NAN => Self::NAN,
            _ => Self::FINITE,
        })
    }

    fn round(self) -> Kinds {
        self.each(|a| if Self::FINITE.has(a) { a | Self::ZERO } else { a })
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Kinds(self.0 | other.0)
    }
}

impl Neg for Kinds {
    type Output = Self;
    fn neg(self) -> Self {
        self.each(|a| match a {
            Self::MINUS_INFINITY => Self::INFINITY,
            Self::NEGATIVE => Self::POSITIVE,
            Self::POSITIVE => Self::NEGATIVE,
            Self::INFINITY => Self::MINUS_INFINITY,
            other => other,
        })
    }
}

impl Add for Kinds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.pairs(
            other,
            |a, b| match (a, b) {
                (Self::INFINITY, Self::MINUS_INFINITY) | (Self::MINUS_INFINITY, Self::INFINITY) => Self::NAN,
                _ if a.is_infinite() => a,
                _ if b.is_infinite() => b,
                (Self::ZERO, x) | (x, Self::ZERO) => x,
                (Self::POSITIVE, Self::POSITIVE) => Self::POSITIVE | Self::INFINITY,
                (Self::NEGATIVE, Self::NEGATIVE) => Self::NEGATIVE | Self::MINUS_INFINITY,
                _ => Self::NEGATIVE | Self::DIFFERENCE | Self::POSITIVE,
            },
            |_, _| Self::DIFFERENCE,
        )
    }
}

impl Mul for Kinds {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.pairs(
            other,
            |a, b| {
                let size = match (a, b) {
                    (Self::ZERO, x) | (x, Self::ZERO) if x.is_infinite() => return Self::NAN,
                    (Self::ZERO, _) | (_, Self::ZERO) => return Self::ZERO,
                    _ if a.is_infinite() && b.is_infinite() => Self::INFINITY,
                    // a number below the smallest normal one may be 0
                    _ if a.is_infinite() || b.is_infinite() => Self::INFINITY,
                    _ => Self::ZERO | Self::POSITIVE | Self::INFINITY,
                };
                if a.is_negative() == b.is_negative() { size } else { -size }
            },
            Self::zero_of_product,
        )
    }
}

impl Div for Kinds {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.pairs(
            other,
            |a, b| {
                let size = match (a, b) {
                    (Self::ZERO, Self::ZERO) => return Self::NAN,
                    _ if a.is_infinite() && b.is_infinite() => return Self::NAN,
                    // zeros have signs
                    (_, Self::ZERO) => return Self::MINUS_INFINITY | Self::INFINITY,
                    (Self::ZERO, _) => return Self::ZERO,
                    _ if b.is_infinite() => return Self::ZERO,
                    _ if a.is_infinite() => Self::INFINITY,
                    _ => Self::ZERO | Self::POSITIVE | Self::INFINITY,
                };
                if a.is_negative() == b.is_negative() { size } else { -size }
            },
            Self::zero_of_product,
        )
    }
}

/// A number that records what is done to it, as [`Trace`], and keeps NaN in `min` and `max`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeping {
    trace: Trace,
    kinds: Kinds,
}

impl Keeping {
    /// An input of the law.
    pub(super) fn input(recording: &Recording, role: Role, slot: usize) -> Self {
        Keeping { trace: Trace(recording.edit(|g| g.input(role, slot))), kinds: Kinds::FINITE }
    }

    /// The constant 0.
    pub(super) fn zero(recording: &Recording) -> Self {
        Keeping { trace: Trace(recording.edit(|g| g.lit(0.0))), kinds: Kinds::ZERO }
    }

    /// The edge of what was recorded.
    pub(super) fn edge(self) -> Edge {
        self.trace.0
    }

    /// What a pair contributes to a cell: NaN is an infinity that no pair contributes.
    pub(super) fn contribution(self, cell: Cell) -> Edge {
        match nan_in(cell) {
            Some(seen) if self.kinds.may_be_nan() => {
                Trace::select(self.is_a_number(), self.trace, self.trace.lit(seen)).0
            }
            _ => self.edge(),
        }
    }

    /// What it is where the mask holds, and where not.
    fn either(mask: TraceMask, yes: Self, no: Self) -> Self {
        Keeping { trace: Trace::select(mask, yes.trace, no.trace), kinds: yes.kinds | no.kinds }
    }

    /// `of_others` where it is no zero whose sign is not kept; of such, `of_zero` makes from IEEE's 0 what is in its place.
    fn where_signs_are_kept(
        self,
        of_others: Trace,
        kinds: impl Fn(Kinds) -> Kinds,
        of_zero: impl Fn() -> Self,
    ) -> Self {
        let signed = self.operand().with_signs();
        let others = Keeping { trace: of_others, kinds: kinds(signed) };
        if signed == self.operand() {
            return others;
        }
        let is_known = !self.kinds.has(Kinds::OTHER_ZERO);
        let zero = if is_known { of_zero() } else { self.lit(f64::NAN) };
        Self::either(self.trace.same(self.trace.lit(0.0)), zero, others)
    }

    /// The quotient by 0.
    fn over_zero(self) -> Self {
        self * self.lit(f64::INFINITY)
    }

    fn is_a_number(self) -> TraceMask {
        self.trace.le(self.trace.lit(f64::INFINITY))
    }

    /// What its kinds are as an operand: a difference on a positive edge has IEEE's sign of 0.
    fn operand(self) -> Kinds {
        let has_sign = self.kinds.has(Kinds::DIFFERENCE) && !self.edge().negative();
        if has_sign { Kinds(self.kinds.0 & !Kinds::DIFFERENCE.0) | Kinds::ZERO } else { self.kinds }
    }

    fn unary(self, trace: impl Fn(Trace) -> Trace, kinds: impl Fn(Kinds) -> Kinds) -> Self {
        Keeping { trace: trace(self.trace), kinds: kinds(self.operand()) }
    }
}

/// What NaN is in a result of this kind; `None` where NaN stays NaN.
pub(super) fn nan_in(cell: Cell) -> Option<f64> {
    match cell {
        Cell::Min | Cell::ArgMin => Some(f64::NEG_INFINITY),
        Cell::Max | Cell::ArgMax => Some(f64::INFINITY),
        _ => None,
    }
}

impl Neg for Keeping {
    type Output = Self;
    fn neg(self) -> Self {
        Keeping { trace: -self.trace, kinds: -self.kinds }
    }
}

impl Add for Keeping {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Keeping { trace: self.trace + other.trace, kinds: self.kinds + other.kinds }
    }
}

impl Sub for Keeping {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Keeping { trace: self.trace - other.trace, kinds: self.kinds + -other.kinds }
    }
}

impl Mul for Keeping {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let kinds = if self.trace == other.trace { self.kinds.square() } else { self.kinds * other.kinds };
        Keeping { trace: self.trace * other.trace, kinds }
    }
}

impl Div for Keeping {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.trace / other.trace;
        other.where_signs_are_kept(quotient, |kinds| self.kinds / kinds, || self.over_zero())
    }
}

impl Real for Keeping {
    type Mask = TraceMask;
    fn lit(self, c: f64) -> Self {
        Keeping { trace: self.trace.lit(c), kinds: Kinds::of(c) }
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    fn sqrt(self) -> Self {
        self.unary(Trace::sqrt, Kinds::sqrt)
    }
    fn rsqrt(self) -> Self {
        let root = self.trace.rsqrt();
        let of = |a: Kinds| match a {
            // infinite, whatever the sign of the zero
            Kinds::ZERO => Kinds::INFINITY,
            // a root halves exponents: neither 0 nor infinite
            Kinds::POSITIVE => Kinds::POSITIVE,
            _ => Kinds::POSITIVE / a.sqrt(),
        };
        self.where_signs_are_kept(root, |kinds| kinds.each(of), || self.lit(f64::INFINITY))
    }
    fn recip(self) -> Self {
        self.lit(1.0) / self
    }
    fn exp(self) -> Self {
        self.unary(Trace::exp, Kinds::exp)
    }
    fn ln(self) -> Self {
        self.unary(Trace::ln, Kinds::ln)
    }
    fn exp_m1(self) -> Self {
        self.unary(Trace::exp_m1, Kinds::exp_m1)
    }
    fn ln_1p(self) -> Self {
        self.unary(Trace::ln_1p, Kinds::ln_1p)
    }
    fn sin(self) -> Self {
        self.unary(Trace::sin, Kinds::wave)
    }
    fn cos(self) -> Self {
        self.unary(Trace::cos, Kinds::wave)
    }
    fn abs(self) -> Self {
        self.unary(Trace::abs, Kinds::magnitude)
    }
    fn round(self) -> Self {
        self.unary(Trace::round, Kinds::round)
    }
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.trace, other.trace);
        let smaller = match (self.kinds.may_be_nan(), other.kinds.may_be_nan()) {
            (false, false) => a.min(b),
            // no comparison holds of NaN, so that NaN is chosen
            (true, false) => Trace::select(b.le(a), b, a),
            (false, true) => Trace::select(a.le(b), a, b),
            (true, true) => Trace::select(self.is_a_number(), Trace::select(a.le(b), a, b), a),
        };
        Keeping { trace: smaller, kinds: self.kinds | other.kinds }
    }
    fn max(self, other: Self) -> Self {
        -(-self).min(-other)
    }
    fn lt(self, other: Self) -> TraceMask {
        self.trace.lt(other.trace)
    }
    fn le(self, other: Self) -> TraceMask {
        self.trace.le(other.trace)
    }
    fn same(self, other: Self) -> TraceMask {
        self.trace.same(other.trace)
    }
    fn select(mask: TraceMask, yes: Self, no: Self) -> Self {
        Self::either(mask, yes, no)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Law, Op};

    const NUMBERS: [f64; 17] = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1e200,
        -2.0,
        -1.0,
        -0.3,
        -f64::MIN_POSITIVE,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        0.3,
        1.0,
        2.0,
        1e200,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];

    /// The kind of a result is among those that come from the kinds of the operands.
    #[test]
    fn kinds_hold_what_f64_computes() {
        let zeros = Kinds::DIFFERENCE | Kinds::OTHER_ZERO;
        let has = |kinds: Kinds, x: f64, what: &str| {
            let is_zero = x == 0.0 && kinds.has(zeros);
            assert!(is_zero || kinds.has(Kinds::of(x)), "{what} = {x}: {kinds:?}");
        };
        for a in NUMBERS {
            let k = Kinds::of(a);
            has(-k, -a, "-a");
            has(k.square(), a * a, "a a");
            has(k.magnitude(), a.abs(), "|a|");
            has(k.sqrt(), a.sqrt(), "sqrt");
            has(k.exp(), a.exp(), "exp");
            has(k.exp_m1(), a.exp_m1(), "expm1");
            has(k.ln(), a.ln(), "ln");
            has(k.ln_1p(), a.ln_1p(), "ln1p");
            has(k.wave(), a.sin(), "sin");
            has(k.wave(), a.cos(), "cos");
            has(k.round(), a.round(), "round");
            for b in NUMBERS {
                let (what, l) = (format!("{a}, {b}"), Kinds::of(b));
                has(k + l, a + b, &what);
                has(k * l, a * b, &what);
                has(k / l, a / b, &what);
            }
        }
    }

    /// Only what can be NaN is compared and chosen.
    #[test]
    fn what_is_a_number_is_left_as_it_is() {
        let choices = |result: &str| {
            let text = format!("body x[3], m; param e; d = j.x - i.x; r2 = dot(d, d); {result}");
            let program = Law::parse(&text).unwrap().one_sided();
            program.values.iter().filter(|value| value.op == Op::Select).count()
        };
        let inverse = "sum a = j.m * d * rsqrt(r2 + 1)^3; sum b = 1 / sqrt(r2 + 1); sum c = 1 / (r2 + 1)";
        for result in
            ["min a = r2", "max a = sqrt(r2)", "min a = exp(-r2)", "max a = j.m", "sum a = min(r2, 2)", inverse]
        {
            assert_eq!(choices(result), 0, "{result}");
        }
        for result in
            ["min a = sqrt(r2 - e)", "max a = j.m / i.m", "sum a = max(sqrt(r2 - e), 2)", "sum a = min(2, ln(e))"]
        {
            assert_eq!(choices(result), 1, "{result}");
        }
        // one of the two is minus the node of both
        let other = choices("sum a = j.m / (i.m - j.m - e)") + choices("sum a = j.m / (e + j.m - i.m)");
        assert_eq!(other, 1);
    }
}
