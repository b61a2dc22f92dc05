//! Numbers that know how wrong they may be: running error bounds, from the operations themselves.
//!
//! A law or a program called with [`Bounded`] numbers returns its value in f64 and a bound on how far a computation of
//! the same operations in another precision can be from the exact result [Higham 2002, sect. 3.3]:
//!
//! ```text
//! |fl(a op b) - (a op b)| <= (error carried in from a and b) + u |a op b|
//! ```
//!
//! So a test of an evaluator needs no tolerance picked by hand: what exceeds the bound is a bug. A comparison that
//! rounding could decide either way is doubtful, and a select on it is as uncertain as its branches are apart.

use super::Real;
use crate::Device;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// How a device rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounding {
    /// Half the distance from 1 to the next number: 2^-24 in f32, 2^-53 in f64.
    pub unit: f64,
    /// Numbers below this may be taken for 0.
    pub tiny: f64,
    /// Roots, reciprocals and quotients: error in units of `unit`.
    pub root: f64,
    /// Exponential and logarithm: error in units of `unit`, of the result or of the exponent.
    pub exp: f64,
    /// Sine and cosine: absolute error.
    pub sine: f64,
}

impl Rounding {
    /// f64 as the CPU computes it.
    pub const F64: Rounding = Rounding {
        unit: 1.1102230246251565e-16,
        tiny: 2.0 * f64::MIN_POSITIVE, // where the CPU's exponential becomes 0: at 1.42 of it
        root: 6.0,
        exp: 6.0,
        sine: 4.0 * 1.1102230246251565e-16,
    };
    /// f64 as kernels in CUDA compute it, whose reciprocal root is refined to 1e-14.
    pub const CUDA_F64: Rounding = Rounding { root: 128.0, ..Rounding::F64 };
    /// f32, with functions good to three units in the last place, as on the CPU and in CUDA.
    pub const F32: Rounding = Rounding {
        unit: 5.960464477539063e-8,
        tiny: 2.0 * 1.1754943508222875e-38,
        root: 6.0,
        exp: 6.0,
        sine: 4.0 * 5.960464477539063e-8,
    };
    /// f32, with functions as loose as WGSL allows them to be [WGSL, sect. 15.7.4]: sines to 2^-11, logarithms near 1 to
    /// 2^-21, exponentials to 3 + 2 |x| units in the last place, roots as the reciprocals of reciprocal roots; subnormal numbers
    /// may be 0.
    pub const WGSL: Rounding = Rounding { root: 10.0, exp: 8.0, sine: 4.8828125e-4, ..Rounding::F32 };

    /// That of a device in f32 (`single`) or f64.
    pub fn of(device: Device, single: bool) -> &'static Rounding {
        match (device, single) {
            (Device::Wgpu, _) => &Rounding::WGSL,
            (_, true) => &Rounding::F32,
            (Device::Cpu, false) => &Rounding::F64,
            (Device::Cuda, false) => &Rounding::CUDA_F64,
        }
    }
}

/// A value, and by how much another computation of it may differ.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    /// The value in f64.
    pub value: f64,
    /// The bound on the other computation's error.
    pub error: f64,
    rounding: &'static Rounding,
}

/// A truth value, and whether rounding could change it.
#[derive(Clone, Copy, Debug)]
pub struct Doubtful {
    /// What it is in f64.
    pub holds: bool,
    /// Whether the other computation must agree.
    pub sure: bool,
}

impl Bounded {
    /// A number that the device holds exactly.
    pub fn exact(value: f64, rounding: &'static Rounding) -> Self {
        Bounded { value, error: 0.0, rounding }
    }

    /// The same number, held no better than to `error`.
    pub fn with_error(self, error: f64) -> Self {
        Bounded { error, ..self }
    }

    /// A rounded result: `carried` is what the operands' errors make of it.
    fn rounded(self, value: f64, carried: f64, units: f64) -> Self {
        let r = self.rounding;
        let size = value.abs() + carried;
        // the f64 computation that stands for the exact one rounds too
        let error = carried + size * (units * r.unit + 2.0 * Rounding::F64.unit) + r.tiny;
        Bounded { value, error: if error.is_nan() { f64::INFINITY } else { error }, rounding: r }
    }

    /// The error of an angle, with that of bringing it into one turn, which WGSL leaves to the device.
    fn angle_error(self) -> f64 {
        let turns =
            if self.value.abs() > std::f64::consts::PI { 2.0 * self.rounding.unit * self.value.abs() } else { 0.0 };
        (self.error + turns).min(2.0)
    }

    /// A function: the largest error is that at the ends of the interval, for functions monotonic there.
    fn monotonic(self, f: impl Fn(f64) -> f64, units: f64) -> Self {
        let value = f(self.value);
        let ends = [f(self.value - self.error), f(self.value + self.error)];
        let carried = ends.iter().map(|end| (end - value).abs()).fold(0.0, larger);
        self.rounded(value, carried, units)
    }
}

impl Add for Bounded {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        self.rounded(self.value + o.value, self.error + o.error, 1.0)
    }
}

impl Sub for Bounded {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self.rounded(self.value - o.value, self.error + o.error, 1.0)
    }
}

/// The larger of two errors: infinite where `b` is NaN, which `f64::max` leaves out.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

fn product_error(a: Bounded, b: Bounded) -> f64 {
    a.value.abs() * b.error + b.value.abs() * a.error + a.error * b.error
}

impl Mul for Bounded {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        self.rounded(self.value * o.value, product_error(self, o), 1.0)
    }
}

impl Div for Bounded {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let value = self.value / o.value;
        let least = o.value.abs() - o.error;
        let carried = if least > 0.0 { (self.error + value.abs() * o.error) / least } else { f64::INFINITY };
        self.rounded(value, carried, self.rounding.root)
    }
}

impl Neg for Bounded {
    type Output = Self;
    fn neg(self) -> Self {
        Bounded { value: -self.value, ..self }
    }
}

impl BitAnd for Doubtful {
    type Output = Self;
    fn bitand(self, o: Self) -> Self {
        let surely_not = (self.sure && !self.holds) || (o.sure && !o.holds);
        Doubtful { holds: self.holds && o.holds, sure: surely_not || (self.sure && o.sure) }
    }
}

impl BitOr for Doubtful {
    type Output = Self;
    fn bitor(self, o: Self) -> Self {
        !(!self & !o)
    }
}

impl Not for Doubtful {
    type Output = Self;
    fn not(self) -> Self {
        Doubtful { holds: !self.holds, ..self }
    }
}

impl Bounded {
    fn compare(self, o: Self, holds: bool) -> Doubtful {
        let apart = (self.value - o.value).abs() > self.error + o.error;
        let exact = self.error == 0.0 && o.error == 0.0;
        Doubtful { holds, sure: apart || exact }
    }
}

impl Real for Bounded {
    type Mask = Doubtful;
    fn lit(self, c: f64) -> Self {
        let whole = (c.fract() == 0.0 && c.abs() < 1e6) || c.is_infinite();
        let c = Bounded { value: c, error: 0.0, rounding: self.rounding };
        if whole { c } else { c.rounded(c.value, 0.0, 1.0) }
    }
    /// Whether or not the device fuses, two roundings are enough.
    fn fma(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    fn sqrt(self) -> Self {
        self.monotonic(|x| x.max(0.0).sqrt(), self.rounding.root)
    }
    fn rsqrt(self) -> Self {
        if self.value <= self.error {
            return self.rounded(1.0 / self.value.sqrt(), f64::INFINITY, 0.0);
        }
        self.monotonic(|x| 1.0 / x.sqrt(), self.rounding.root)
    }
    fn recip(self) -> Self {
        self.lit(1.0) / self
    }
    fn exp(self) -> Self {
        // an error of the exponent, x u, is a relative error of the result
        self.monotonic(f64::exp, self.rounding.exp * (1.0 + self.value.abs()))
    }
    fn ln(self) -> Self {
        if self.value <= self.error {
            return self.rounded(self.value.ln(), f64::INFINITY, 0.0);
        }
        let mut y = self.monotonic(f64::ln, self.rounding.exp);
        y.error += self.rounding.exp * self.rounding.unit; // near x = 1 the result is small and the error is not
        y
    }
    fn exp_m1(self) -> Self {
        let x = self.value;
        // away from 0 a device may take 1 from its exponential
        let share = if x.abs() < 0.3 { 1.0 } else { 1.0 + (1.0 + x.abs()) * (x.exp() / x.exp_m1()).abs() };
        self.monotonic(f64::exp_m1, self.rounding.exp * if share.is_nan() { 1.0 } else { share })
    }
    fn ln_1p(self) -> Self {
        if self.value - self.error <= -1.0 {
            return self.rounded(self.value.ln_1p(), f64::INFINITY, 0.0);
        }
        self.monotonic(f64::ln_1p, 1.5 * self.rounding.exp)
    }
    fn sin(self) -> Self {
        self.rounded(self.value.sin(), self.angle_error() + self.rounding.sine, 1.0)
    }
    fn cos(self) -> Self {
        self.rounded(self.value.cos(), self.angle_error() + self.rounding.sine, 1.0)
    }
    fn abs(self) -> Self {
        Bounded { value: self.value.abs(), ..self }
    }
    fn round(self) -> Self {
        let value = self.value.round_ties_even();
        let safe = 0.5 - (self.value - value).abs() > self.error;
        let error = if safe || self.error == 0.0 { 0.0 } else { 1.0 + self.error };
        Bounded { value, error, ..self }
    }
    fn min(self, o: Self) -> Self {
        let error = if (self.value - o.value).abs() > self.error + o.error {
            if self.value < o.value { self.error } else { o.error }
        } else {
            self.error.max(o.error)
        };
        Bounded { value: self.value.min(o.value), error, ..self }
    }
    fn max(self, o: Self) -> Self {
        -(-self).min(-o)
    }
    fn lt(self, o: Self) -> Doubtful {
        self.compare(o, self.value < o.value)
    }
    fn le(self, o: Self) -> Doubtful {
        self.compare(o, self.value <= o.value)
    }
    fn same(self, o: Self) -> Doubtful {
        self.compare(o, self.value == o.value)
    }
    fn select(mask: Doubtful, yes: Self, no: Self) -> Self {
        let (chosen, other) = if mask.holds { (yes, no) } else { (no, yes) };
        if mask.sure {
            return chosen;
        }
        let error = larger(chosen.error, (chosen.value - other.value).abs() + other.error);
        Bounded { error: if error.is_nan() { f64::INFINITY } else { error }, ..chosen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A bit of everything, with cancellation, computed in f32.
    fn mixed<R: Real>(a: R, b: R, c: R) -> [R; 8] {
        let d = a - b;
        let s = d.fma(d, c * c + c.lit(0.1));
        [
            s.rsqrt3() * d,
            (a * b - b * c) / s,
            (-(s * s.lit(0.3))).exp() + s.ln(),
            (a * b).sin() - c.cos(),
            R::select(d.lt(c), s.sqrt(), d.abs()),
            (a * c).round().max(b * c) - s.recip(),
            (a * b * a.lit(0.01)).exp_m1(),
            (d * d * c * c).ln_1p(),
        ]
    }

    proptest! {
        /// What f32 computes is within the bound, always; and the bound is not idle: see below.
        #[test]
        fn f32_stays_within_the_bound(a in -30f32..30.0, b in -30f32..30.0, c in -3f32..3.0) {
            let got = mixed(a, b, c);
            let x = |v: f32| Bounded::exact(f64::from(v), &Rounding::F32);
            for (got, bound) in got.iter().zip(mixed(x(a), x(b), x(c))) {
                let error = (f64::from(*got) - bound.value).abs();
                prop_assert!(error <= bound.error, "{got} {bound:?}");
            }
        }
    }

    #[test]
    fn a_doubtful_choice_of_nan_has_no_bound() {
        let x = |v: f64| Bounded::exact(v, &Rounding::F32);
        let zero = x(0.0);
        let infinite = x(1.0) / zero;
        assert_eq!((-infinite).exp().error, f64::INFINITY);
        // the device may find that it is less, and choose NaN
        assert_eq!(Bounded::select(infinite.lt(zero), infinite / infinite, zero).error, f64::INFINITY);
    }

    #[test]
    fn the_bound_is_tight_where_nothing_cancels() {
        let x = |v: f64| Bounded::exact(v, &Rounding::F32);
        for bound in mixed(x(3.0), x(0.5), x(2.0)) {
            // a few dozen roundings at most
            assert!(bound.error <= 100.0 * Rounding::F32.unit * bound.value.abs().max(1.0), "{bound:?}");
        }
    }
}
