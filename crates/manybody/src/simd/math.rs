//! Elementary functions of vectors, without a branch a lane.
//!
//! ```text
//! e^x    = 2^n e^r,               n = round(x log2 e),  r = x - n ln 2 in two parts,   |r| < 0.35: Taylor
//! ln x   = k ln 2 + 2 artanh(s),  x = 2^k m,  sqrt(1/2) <= m < sqrt 2,  s = (m - 1) / (m + 1): Taylor
//! sin x  = (-1)^n sin r,          n = round(x / pi),    r = x - n pi in three parts, |r| < 1.58 [Cody 1980]: Taylor
//! ```
//!
//! The remainders rest on the fused multiply-add: n pi is taken off exactly while it cancels. Errors against the exact
//! value, tested at every level: e^x and ln x 3 units in the last place (ln near 1: of 1), sine and cosine 1.5 units
//! of 1. Arguments of sine and cosine beyond 1e5 (f32) or 1e9 (f64) go through the standard library, lane by lane.
//! Plain numbers use the standard library always.

use super::vector::Vector;
use crate::law::Real;

/// Vectors whose bits can be had as integers.
pub(super) trait Bits: Vector {
    /// 2^n for a whole n from the smallest normal exponent to the largest.
    fn power_of_two(self) -> Self;
    /// (k, m) with x = 2^k m and 1 <= m < 2, for normal positive x.
    fn split(self) -> (Self, Self);
    /// x, negated where the whole number n is odd.
    fn negated_if_odd(n: Self, x: Self) -> Self;
    /// f lane by lane.
    fn each(self, f: impl Fn(Self::T) -> Self::T) -> Self;
}

macro_rules! bits {
    ($($v:ident, $t:ty, $u:ident, $digits:literal, $bias:literal;)*) => {$(
        impl<S: fearless_simd::Simd> Bits for fearless_simd::$v<S> {
            // a number of this size has its units in the lowest bit, in two's complement
            #[inline(always)]
            fn power_of_two(self) -> Self {
                use fearless_simd::{Bytes, $u};
                let shifted = self + self.lit(((3u64 << ($digits - 1)) + $bias) as f64);
                let bits: $u<S> = shifted.bitcast();
                (bits << $digits as u32).bitcast()
            }
            #[inline(always)]
            fn split(self) -> (Self, Self) {
                use fearless_simd::{Bytes, $u};
                let bits: $u<S> = self.bitcast();
                let big = (1u64 << $digits) as f64;
                let exponent: Self = ((bits >> $digits as u32) | (big as $t).to_bits()).bitcast();
                let one = (1.0 as $t).to_bits();
                let mantissa: Self = ((bits & ((1 << $digits) - 1)) | one).bitcast();
                (exponent - self.lit(big + f64::from($bias)), mantissa)
            }
            #[inline(always)]
            fn negated_if_odd(n: Self, x: Self) -> Self {
                use fearless_simd::{Bytes, $u};
                const TOP: u32 = <$t>::to_bits(0.0).count_zeros();
                let bits: $u<S> = (n + n.lit((3u64 << ($digits - 1)) as f64)).bitcast();
                let x: $u<S> = x.bitcast();
                (x ^ (bits << (TOP - 1))).bitcast()
            }
            #[inline(always)]
            fn each(self, f: impl Fn($t) -> $t) -> Self {
                fearless_simd::SimdBase::from_fn(self.simd, |k| f(self[k]))
            }
        }
    )*};
}
bits! {
    f32x4, f32, u32x4, 23, 127;
    f32x8, f32, u32x8, 23, 127;
    f32x16, f32, u32x16, 23, 127;
    f64x2, f64, u64x2, 52, 1023;
    f64x4, f64, u64x4, 52, 1023;
    f64x8, f64, u64x8, 52, 1023;
}

/// c0 + x (c1 + x (c2 + ...)).
#[inline(always)]
fn polynomial<V: Real, const N: usize>(x: V, c: [f64; N]) -> V {
    let mut sum = x.lit(c[N - 1]);
    let mut k = N - 1;
    while k > 0 {
        k -= 1;
        sum = sum.fma(x, x.lit(c[k]));
    }
    sum
}

const fn inverse_factorials<const N: usize>(first: usize, step: usize, alternate: bool) -> [f64; N] {
    let mut c = [0.0; N];
    let (mut k, mut n, mut factorial) = (0, 1, 1.0);
    while n <= first {
        factorial *= n as f64;
        n += 1;
    }
    while k < N {
        c[k] = if alternate && k % 2 == 1 { -1.0 / factorial } else { 1.0 / factorial };
        let mut s = 0;
        while s < step {
            factorial *= n as f64;
            n += 1;
            s += 1;
        }
        k += 1;
    }
    c
}

const LN_2: f64 = std::f64::consts::LN_2;

/// e^x.
#[inline(always)]
pub(super) fn exp<V: Bits>(x: V) -> V {
    let double = <V::T as super::Element>::DOUBLE;
    // beyond these the result is 0 or infinite
    let (least, most) = if double { (-746.0, 710.0) } else { (-104.0, 89.0) };
    let inside = x.max(x.lit(least)).min(x.lit(most));
    let n = (inside * x.lit(std::f64::consts::LOG2_E)).round();
    let (high, low) = ln_2(double);
    let r = n.fnma(x.lit(low), n.fnma(x.lit(high), inside));
    let power = if double {
        polynomial(r, const { inverse_factorials::<14>(0, 1, false) })
    } else {
        polynomial(r, const { inverse_factorials::<8>(0, 1, false) })
    };
    // in two halves, so that results too small for a normal number are rounded, not lost
    let half = (n * x.lit(0.5)).round();
    let result = power * half.power_of_two() * (n - half).power_of_two();
    V::select(x.same(x), result, x)
}

/// ln 2 as the number nearest to it and the rest.
#[inline(always)]
fn ln_2(double: bool) -> (f64, f64) {
    let single = f64::from(LN_2 as f32);
    if double { (LN_2, 2.319_046_813_846_299_6e-17) } else { (single, LN_2 - single) }
}

/// Natural logarithm.
#[inline(always)]
pub(super) fn ln<V: Bits>(x: V) -> V {
    let double = <V::T as super::Element>::DOUBLE;
    let (tiny, digits) = if double { (f64::MIN_POSITIVE, 54) } else { (f64::from(f32::MIN_POSITIVE), 25) };
    let (zero, one) = (x.lit(0.0), x.lit(1.0));
    let small = x.lt(x.lit(tiny));
    let (k, m) = V::select(small, x * x.lit(2f64.powi(digits)), x).split();
    let above = x.lit(std::f64::consts::SQRT_2).lt(m);
    let m = V::select(above, m * x.lit(0.5), m);
    let k = k + V::select(above, one, zero) - V::select(small, x.lit(f64::from(digits)), zero);
    let f = m - one;
    let s = f / (f + x.lit(2.0));
    let z = s * s;
    let series = if double {
        polynomial(z, const { odd_inverses::<10>() })
    } else {
        polynomial(z, const { odd_inverses::<5>() })
    };
    // 2 artanh(s) = f - s (f - 2 z (1/3 + z/5 + ...)): f is exact
    let rest = s * (f - x.lit(2.0) * z * series);
    let (high, low) = ln_2(double);
    let result = k.fma(x.lit(high), f - (rest - k * x.lit(low)));
    let result = V::select(x.lt(zero), x.lit(f64::NAN), result);
    let result = V::select(x.same(zero), x.lit(f64::NEG_INFINITY), result);
    V::select(x.lt(x.lit(f64::INFINITY)), result, x)
}

/// 1/3, 1/5, ...
const fn odd_inverses<const N: usize>() -> [f64; N] {
    let mut c = [0.0; N];
    let mut k = 0;
    while k < N {
        c[k] = 1.0 / (2 * k + 3) as f64;
        k += 1;
    }
    c
}

/// What is left of x after whole half turns, and their number.
#[inline(always)]
fn half_turns<V: Bits>(x: V) -> (V, V) {
    use std::f64::consts::{FRAC_1_PI, PI};
    let n = (x * x.lit(FRAC_1_PI)).round();
    // pi in three parts, each the rounded rest
    let parts = if <V::T as super::Element>::DOUBLE {
        [PI, 1.224_646_799_147_353_2e-16, -2.994_769_809_718_34e-33]
    } else {
        let first = f64::from(PI as f32);
        let second = f64::from((PI - first) as f32);
        [first, second, PI - first - second]
    };
    let mut r = x;
    for part in parts {
        r = n.fnma(x.lit(part), r);
    }
    (r, n)
}

/// `near`, good up to where the remainder is; elsewhere `f` of x. Computed first, it is one with the same value asked for
/// again, as in a mirrored law: what lies behind a branch would not be.
#[inline(always)]
fn near_or<V: Bits>(near: V, x: V, f: impl Fn(V::T) -> V::T) -> V {
    let limit = if <V::T as super::Element>::DOUBLE { 1e9 } else { 1e5 };
    // also infinity and NaN
    if V::any(!x.abs().lt(x.lit(limit))) { x.each(f) } else { near }
}

/// Sine, x in radians.
#[inline(always)]
pub(super) fn sin<V: Bits>(x: V) -> V {
    let (r, n) = half_turns(x);
    let z = r * r;
    let series = if <V::T as super::Element>::DOUBLE {
        polynomial(z, const { inverse_factorials::<10>(3, 2, true) })
    } else {
        polynomial(z, const { inverse_factorials::<6>(3, 2, true) })
    };
    // r - r^3 (1/3! - z/5! + ...)
    let sin = (r * z).fnma(series, r);
    near_or(
        V::negated_if_odd(n, sin),
        x,
        #[inline(always)]
        |x| x.sin(),
    )
}

/// Cosine, x in radians.
#[inline(always)]
pub(super) fn cos<V: Bits>(x: V) -> V {
    let (r, n) = half_turns(x);
    let cos = if <V::T as super::Element>::DOUBLE {
        polynomial(r * r, const { inverse_factorials::<11>(0, 2, true) })
    } else {
        polynomial(r * r, const { inverse_factorials::<7>(0, 2, true) })
    };
    near_or(
        V::negated_if_odd(n, cos),
        x,
        #[inline(always)]
        |x| x.cos(),
    )
}

#[cfg(test)]
mod tests {
    use crate::simd::{Element, Kernel, Level, Vector, launch};

    struct All<'a, T> {
        x: &'a [T],
        out: &'a mut [Vec<T>; 4],
    }

    impl<T: Element> Kernel<T> for All<'_, T> {
        type Output = ();
        #[inline(always)]
        fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
            for start in (0..self.x.len()).step_by(V::LEN) {
                let x = V::load(token, &self.x[start..]);
                x.exp().store(&mut self.out[0][start..]);
                x.ln().store(&mut self.out[1][start..]);
                x.sin().store(&mut self.out[2][start..]);
                x.cos().store(&mut self.out[3][start..]);
            }
        }
    }

    /// exp, ln, sin, cos of numbers, sixteen at a time, at a level.
    fn all<T: Element>(level: Level, x: &[T]) -> [Vec<T>; 4] {
        let padded = x.len().next_multiple_of(16);
        let mut from = x.to_vec();
        from.resize(padded, T::from_f64(1.0));
        let mut out: [Vec<T>; 4] = std::array::from_fn(|_| vec![T::default(); padded]);
        launch(level, All { x: &from, out: &mut out });
        out
    }

    /// The exact functions, for numbers of f32 as good as exact.
    fn exact(x: f64) -> [f64; 4] {
        [x.exp(), x.ln(), x.sin(), x.cos()]
    }

    fn check<T: Element>(unit: f64, smallest: f64, largest: f64, x: &[f64]) {
        let numbers: Vec<T> = x.iter().map(|x| T::from_f64(*x)).collect();
        for level in Level::available() {
            let got = all(level, &numbers);
            for (k, number) in numbers.iter().enumerate() {
                let x = number.to_f64();
                for (function, exact) in exact(x).into_iter().enumerate() {
                    let y = got[function][k].to_f64();
                    if exact.is_nan() {
                        assert!(y.is_nan(), "{level:?} function {function} of {x:e}: {y:e}");
                        continue;
                    }
                    // units in the last place of the result, or of 1 for sine, cosine and a logarithm near 0; f64's
                    // standard functions are themselves off by one
                    let size = if function == 0 { exact.max(smallest) } else { exact.abs().max(1.0) };
                    let bound = [6.0, 6.0, 3.0, 3.0][function] * unit * size;
                    let fits = (y - exact).abs() <= bound || y == exact || (exact > largest && y == f64::INFINITY);
                    assert!(fits, "{level:?} function {function} of {x:e}: {y:e} {exact:e}");
                }
            }
        }
    }

    fn points(most: f64) -> Vec<f64> {
        let mut x =
            vec![0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-45, 1e-310, 5e-324, 1e-30];
        for k in 0..20_000 {
            let t = f64::from(k) * 0.618_033_988_749_895;
            let t = 2.0 * (t - t.floor()) - 1.0;
            x.extend([t, 100.0 * t, most * t, most.powf(t), 1.0 + 1e-3 * t, 1e4 * t, (10.0 * t).exp2()]);
        }
        for k in -2000..2000 {
            x.push(f64::from(k) * std::f64::consts::FRAC_PI_4); // where the quarter turns
        }
        x
    }

    #[test]
    fn single_precision() {
        let half_unit = 2f64.powi(-24);
        check::<f32>(half_unit, 2f64.powi(-125), f64::from(f32::MAX) * (1.0 - half_unit), &points(3e38));
        check::<f32>(half_unit, 2f64.powi(-125), f64::from(f32::MAX), &points(105.0));
        check::<f32>(half_unit, 2f64.powi(-125), f64::from(f32::MAX), &points(1.2e5));
    }

    #[test]
    fn double_precision() {
        let half_unit = 2f64.powi(-53);
        check::<f64>(half_unit, 2f64.powi(-1021), f64::MAX, &points(1e300));
        check::<f64>(half_unit, 2f64.powi(-1021), f64::MAX, &points(750.0));
        check::<f64>(half_unit, 2f64.powi(-1021), f64::MAX, &points(1.2e9));
    }
}
