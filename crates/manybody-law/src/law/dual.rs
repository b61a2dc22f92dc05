//! Time derivatives from a law itself: dual numbers for the first, truncated Taylor series for the second.
//!
//! A law written over [`Real`] and called with [`Dual`] numbers returns its value and its time derivative, so a
//! Hermite integrator needs no second formula for the jerk; [`Taylor2`] brings the snap as well. What does not change
//! with time (a mass, a softening) has the derivative `None`: after inlining the compiler knows so, and pays nothing,
//! where x * 0 would have to be computed.
//!
//! ```text
//! (a b)'  = a' b + a b'                  (f(x))'  = f'(x) x'
//! (a b)'' = a'' b + 2 a' b' + a b''      (f(x))'' = f''(x) x'^2 + f'(x) x''
//! ```
//!
//! A root or a reciprocal at 0 has no derivative: NaN comes out, also where a later product would be 0. A law that is
//! to be differentiated guards such a place with `select`, never by multiplying with a mask.

#![allow(clippy::manual_map)] // the closure of Option::map would lose the target features and run many times slower

use super::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// a + b, where `None` is exactly 0.
#[inline(always)]
fn plus<R: Real>(a: Option<R>, b: Option<R>) -> Option<R> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, None) => a,
        (None, b) => b,
    }
}

/// a * b, where `None` is exactly 0.
#[inline(always)]
fn times<R: Real>(a: Option<R>, b: R) -> Option<R> {
    match a {
        Some(a) => Some(a * b),
        None => None,
    }
}

/// a * b + c, where `None` is exactly 0.
#[inline(always)]
fn fused<R: Real>(a: Option<R>, b: R, c: Option<R>) -> Option<R> {
    match (a, c) {
        (Some(a), Some(c)) => Some(a.fma(b, c)),
        (Some(a), None) => Some(a * b),
        (None, c) => c,
    }
}

#[inline(always)]
fn negated<R: Real>(a: Option<R>) -> Option<R> {
    match a {
        Some(a) => Some(-a),
        None => None,
    }
}

/// A derivative as a number, 0 for a constant.
#[inline(always)]
fn number<R: Real>(a: Option<R>, zero: R) -> R {
    match a {
        Some(a) => a,
        None => zero,
    }
}

#[inline(always)]
fn chosen<R: Real>(mask: R::Mask, yes: Option<R>, no: Option<R>, zero: R) -> Option<R> {
    match (yes, no) {
        (None, None) => None,
        (Some(yes), Some(no)) => Some(R::select(mask, yes, no)),
        (Some(yes), None) => Some(R::select(mask, yes, zero)),
        (None, Some(no)) => Some(R::select(mask, zero, no)),
    }
}

/// A number and its time derivative.
#[derive(Clone, Copy, Debug)]
pub struct Dual<R> {
    /// The value.
    pub v: R,
    /// Its time derivative; `None` for what is constant.
    pub d: Option<R>,
}

impl<R: Real> Dual<R> {
    /// A number that changes at the given rate.
    #[inline(always)]
    pub fn moving(v: R, d: R) -> Self {
        Dual { v, d: Some(d) }
    }

    /// A constant.
    #[inline(always)]
    pub fn fixed(v: R) -> Self {
        Dual { v, d: None }
    }

    /// The time derivative as a number, 0 for a constant.
    #[inline(always)]
    pub fn rate(self) -> R {
        number(self.d, self.v.lit(0.0))
    }

    /// f(x) from its value and f'.
    #[inline(always)]
    fn chain(self, f: R, slope: R) -> Self {
        Dual { v: f, d: times(self.d, slope) }
    }
}

/// A number and its first two time derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Taylor2<R> {
    /// The value.
    pub v: R,
    /// Its first time derivative; `None` for what is constant.
    pub d: Option<R>,
    /// Its second time derivative; `None` where it is exactly 0.
    pub dd: Option<R>,
}

impl<R: Real> Taylor2<R> {
    /// A number that changes at the given rate, itself changing.
    #[inline(always)]
    pub fn moving(v: R, d: R, dd: R) -> Self {
        Taylor2 { v, d: Some(d), dd: Some(dd) }
    }

    /// A constant.
    #[inline(always)]
    pub fn fixed(v: R) -> Self {
        Taylor2 { v, d: None, dd: None }
    }

    /// The first and the second derivative as numbers, 0 for a constant.
    #[inline(always)]
    pub fn rates(self) -> [R; 2] {
        let zero = self.v.lit(0.0);
        [number(self.d, zero), number(self.dd, zero)]
    }

    /// f(x) from its value, f' and f''.
    #[inline(always)]
    fn chain(self, f: R, slope: R, bend: R) -> Self {
        let square = match self.d {
            Some(d) => Some(d * d),
            None => None,
        };
        Taylor2 { v: f, d: times(self.d, slope), dd: fused(square, bend, times(self.dd, slope)) }
    }
}

macro_rules! operators {
    ($name:ident { $($d:ident),* }, $mul:expr) => {
        impl<R: Real> Add for $name<R> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $name { v: self.v + o.v, $($d: plus(self.$d, o.$d)),* }
            }
        }
        impl<R: Real> Sub for $name<R> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $name {
                    v: self.v - o.v,
                    $($d: match (self.$d, o.$d) {
                        (Some(a), Some(b)) => Some(a - b),
                        (a, None) => a,
                        (None, b) => negated(b),
                    }),*
                }
            }
        }
        impl<R: Real> Neg for $name<R> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $name { v: -self.v, $($d: negated(self.$d)),* }
            }
        }
        impl<R: Real> Mul for $name<R> {
            type Output = Self;
            #[inline(always)]
            #[allow(clippy::redundant_closure_call)] // a closure is how a macro takes a formula
            fn mul(self, o: Self) -> Self {
                $mul(self, o)
            }
        }
        impl<R: Real> Div for $name<R> {
            type Output = Self;
            #[inline(always)]
            #[allow(clippy::suspicious_arithmetic_impl)] // one quotient serves the value and the derivatives
            fn div(self, o: Self) -> Self {
                self * o.recip()
            }
        }
    };
}
operators!(Dual { d }, |a: Dual<R>, b: Dual<R>| Dual { v: a.v * b.v, d: fused(a.d, b.v, times(b.d, a.v)) });
operators!(Taylor2 { d, dd }, |a: Taylor2<R>, b: Taylor2<R>| {
    let cross = match (a.d, b.d) {
        (Some(p), Some(q)) => Some(p * q * p.lit(2.0)),
        _ => None,
    };
    Taylor2 { v: a.v * b.v, d: fused(a.d, b.v, times(b.d, a.v)), dd: fused(a.dd, b.v, fused(b.dd, a.v, cross)) }
});

/// What both kinds share: the operations that pick one of two numbers, and those that are constant piece by piece.
macro_rules! picking {
    ($name:ident { $($d:ident),* }) => {
        type Mask = R::Mask;
        #[inline(always)]
        fn lit(self, c: f64) -> Self {
            Self::fixed(self.v.lit(c))
        }
        #[inline(always)]
        fn round(self) -> Self {
            Self::fixed(self.v.round())
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self::select(self.v.lt(self.v.lit(0.0)), -self, self)
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self::select(other.v.lt(self.v), other, self)
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self::select(self.v.lt(other.v), other, self)
        }
        #[inline(always)]
        fn lt(self, other: Self) -> R::Mask {
            self.v.lt(other.v)
        }
        #[inline(always)]
        fn le(self, other: Self) -> R::Mask {
            self.v.le(other.v)
        }
        #[inline(always)]
        fn same(self, other: Self) -> R::Mask {
            self.v.same(other.v)
        }
        #[inline(always)]
        fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
            let zero = yes.v.lit(0.0);
            $name { v: R::select(mask, yes.v, no.v), $($d: chosen(mask, yes.$d, no.$d, zero)),* }
        }
    };
}

impl<R: Real> Real for Dual<R> {
    picking!(Dual { d });
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        Dual { v: self.v.fma(b.v, c.v), d: fused(b.d, self.v, fused(self.d, b.v, c.d)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let s = self.v.sqrt();
        self.chain(s, s.lit(0.5) / s)
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        let y = self.v.rsqrt();
        self.chain(y, y.lit(-0.5) * (y * y * y))
    }
    #[inline(always)]
    fn rsqrt3(self) -> Self {
        let y = self.v.rsqrt();
        let y2 = y * y;
        let y3 = y * y2;
        self.chain(y3, y.lit(-1.5) * (y2 * y3))
    }
    #[inline(always)]
    fn recip(self) -> Self {
        let r = self.v.recip();
        self.chain(r, -(r * r))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let e = self.v.exp();
        self.chain(e, e)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.v.ln(), self.v.recip())
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        self.chain(self.v.exp_m1(), self.v.exp())
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        self.chain(self.v.ln_1p(), (self.v + self.v.lit(1.0)).recip())
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.chain(self.v.sin(), self.v.cos())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.chain(self.v.cos(), -self.v.sin())
    }
}

impl<R: Real> Real for Taylor2<R> {
    picking!(Taylor2 { d, dd });
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let s = self.v.sqrt();
        let half = s.lit(0.5) / s;
        self.chain(s, half, -(half * half / s))
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        let y = self.v.rsqrt();
        let y2 = y * y;
        let y3 = y * y2;
        self.chain(y, y.lit(-0.5) * y3, y.lit(0.75) * (y2 * y3))
    }
    #[inline(always)]
    fn rsqrt3(self) -> Self {
        let y = self.v.rsqrt();
        let y2 = y * y;
        let y3 = y * y2;
        let y5 = y2 * y3;
        self.chain(y3, y.lit(-1.5) * y5, y.lit(3.75) * (y2 * y5))
    }
    #[inline(always)]
    fn recip(self) -> Self {
        let r = self.v.recip();
        let r2 = r * r;
        self.chain(r, -r2, (r2 + r2) * r)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let e = self.v.exp();
        self.chain(e, e, e)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        let r = self.v.recip();
        self.chain(self.v.ln(), r, -(r * r))
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        let e = self.v.exp();
        self.chain(self.v.exp_m1(), e, e)
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        let r = (self.v + self.v.lit(1.0)).recip();
        self.chain(self.v.ln_1p(), r, -(r * r))
    }
    #[inline(always)]
    fn sin(self) -> Self {
        let (s, c) = (self.v.sin(), self.v.cos());
        self.chain(s, c, -s)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        let (s, c) = (self.v.sin(), self.v.cos());
        self.chain(c, -s, -c)
    }
}

#[cfg(test)]
#[path = "dual_tests.rs"]
mod tests;
