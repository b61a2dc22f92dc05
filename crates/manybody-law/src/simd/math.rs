//! Elementary functions of vectors, without a branch a lane.
//!
//! ```text
//! e^x    = 2^n e^r,               n = round(x log2 e),  r = x - n ln 2 in two parts,   |r| < 0.35: minimax
//! ln x   = k ln 2 + 2 artanh(s),  x = 2^k m,  sqrt(1/2) <= m < sqrt 2,  s = (m - 1) / (m + 1): Taylor
//! e^x - 1 = 2^n (e^r - 1) + (2^n - 1),  n and r as for e^x: Taylor
//! ln(1 + x) = ln u + c / u,  u = 1 + x rounded, c what the rounding lost
//! sin x  = (-1)^n sin r,          n = round(x / pi),    r = x - n pi in three parts, |r| < 1.58 [Cody 1980]: Taylor
//! ```
//!
//! The remainders rest on the fused multiply-add: n pi is taken off exactly while it cancels. Errors against the exact
//! value, tested at every level: e^x 1.5 units in the last place, ln x 3 (near 1: of 1), e^x - 1 and ln(1 + x) 3 also near
//! 0, sine and cosine 1.5 units of 1.
//! e^x is 0 below 1.42 times the smallest normal number. Arguments of sine and cosine beyond 1e5 (f32) or 1e9 (f64) go
//! through the standard library, lane by lane. Plain numbers use the standard library always.
//!
//! An exponential is 18 multiplications and multiply-adds in f64 and 13 in f32, and 2 additions and a shift, without a
//! branch: results too small to be normal, infinities and NaN come out of the same operations.

use super::{Element, Vector};
use crate::law::Real;

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
pub(super) fn exp<V: Vector>(x: V) -> V {
    let double = V::T::DOUBLE;
    // beyond these the result is 0 or infinite; of two numbers, one of them NaN, vectors choose the second or NaN
    let (least, most) = if double { (-708.4, 710.0) } else { (-87.3, 89.0) };
    let x = x.lit(most).min(x.lit(least).max(x));
    let (half_power, n) = x.half_power_of_two(std::f64::consts::LOG2_E);
    let (high, low) = ln_2(double);
    let r = n.fnma(x.lit(low), n.fnma(x.lit(high), x));
    half_power * if double { even_odd(r, EXP_DOUBLE) } else { even_odd(r, EXP_SINGLE) }
}

/// Twice the coefficients of the polynomials nearest to e^r for |r| < ln(2) / 2 in relative error, of those that begin as
/// the series does (Remez): 2.4e-17 in f64, 3.1e-9 in f32. With a term less it would be 1.3 and 0.9 units in the last
/// place. Twice, for the power of two is halved: so that of the largest number is still finite.
const EXP_DOUBLE: [f64; 12] = [
    2.0,
    2.0,
    1.0,
    2.0 * 0.166_666_666_666_619_58,
    2.0 * 0.041_666_666_666_619_97,
    2.0 * 0.008_333_333_336_528_031,
    2.0 * 0.001_388_888_892_051_164_8,
    2.0 * 1.984_126_267_299_061_1e-4,
    2.0 * 2.480_151_634_716_303e-5,
    2.0 * 2.756_385_733_560_878_2e-6,
    2.0 * 2.762_222_603_997_149e-7,
    2.0 * 2.297_642_400_965_004e-8,
];
const EXP_SINGLE: [f64; 7] = [
    2.0,
    2.0,
    2.0 * 0.499_999_934_517_045_2,
    2.0 * 0.166_665_206_897_749_04,
    2.0 * 0.041_668_387_361_945_1,
    2.0 * 0.008_368_709_831_226_402,
    2.0 * 0.001_381_461_324_616_632_4,
];

/// c0 + c1 x + c2 x^2 + ..., by two chains in x^2 side by side: half as long to wait for.
#[inline(always)]
fn even_odd<V: Real, const N: usize>(x: V, c: [f64; N]) -> V {
    let z = x * x;
    let (mut last, mut first) = (x.lit(c[N - 1]), x.lit(c[N - 2]));
    let mut k = N - 2;
    while k >= 2 {
        k -= 2;
        last = last.fma(z, x.lit(c[k + 1]));
        first = first.fma(z, x.lit(c[k]));
    }
    if N.is_multiple_of(2) { last.fma(x, first) } else { last.fma(z, first.fma(x, x.lit(c[0]))) }
}

/// ln 2 as the number nearest to it and the rest.
#[inline(always)]
fn ln_2(double: bool) -> (f64, f64) {
    let single = f64::from(LN_2 as f32);
    if double { (LN_2, 2.319_046_813_846_299_6e-17) } else { (single, LN_2 - single) }
}

/// e^x - 1. With n = 0 it is the series, whose first term is x itself.
#[inline(always)]
pub(super) fn exp_m1<V: Vector>(x: V) -> V {
    let double = V::T::DOUBLE;
    let (least, most) = if double { (-708.4, 710.0) } else { (-87.3, 89.0) };
    let x = x.lit(most).min(x.lit(least).max(x));
    let (half_power, n) = x.half_power_of_two(std::f64::consts::LOG2_E);
    let (high, low) = ln_2(double);
    let r = n.fnma(x.lit(low), n.fnma(x.lit(high), x));
    let series = if double {
        even_odd(r, const { inverse_factorials::<12>(2, 1, false) })
    } else {
        even_odd(r, const { inverse_factorials::<7>(2, 1, false) })
    };
    let part = (r * r).fma(series, r);
    let half = half_power.fma(part, half_power - x.lit(0.5));
    half + half
}

/// ln(1 + x).
#[inline(always)]
pub(super) fn ln_1p<V: Vector>(x: V) -> V {
    let one = x.lit(1.0);
    let u = one + x;
    let v = u - x;
    let lost = (one - v) + (x - (u - v)); // exactly [Knuth's two-sum]
    let log = ln(u);
    let inside = x.lit(0.0).lt(u) & u.lt(x.lit(f64::INFINITY));
    V::select(inside, log + lost / u, log)
}

/// Natural logarithm.
#[inline(always)]
pub(super) fn ln<V: Vector>(x: V) -> V {
    let double = V::T::DOUBLE;
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
fn half_turns<V: Vector>(x: V) -> (V, V) {
    use std::f64::consts::{FRAC_1_PI, PI};
    let n = (x * x.lit(FRAC_1_PI)).round();
    // pi in three parts, each the rounded rest
    let parts = if V::T::DOUBLE {
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

/// `near` where a lane is inside what it is good for, which NaN never is; else `f` of x: no lane changes a bit of another.
/// Computed first, `near` is one with the same value asked for again, as in a mirrored law: what lies behind a branch would
/// not be.
#[inline(always)]
fn near_or<V: Vector>(near: V, inside: V::Mask, x: V, f: impl Fn(V::T) -> V::T) -> V {
    if V::any(!inside) { V::select(inside, near, x.each(f)) } else { near }
}

/// Where the remainder after half turns is good.
#[inline(always)]
fn few_turns<V: Vector>(x: V) -> V::Mask {
    x.abs().lt(x.lit(if V::T::DOUBLE { 1e9 } else { 1e5 }))
}

/// Sine, x in radians.
#[inline(always)]
pub(super) fn sin<V: Vector>(x: V) -> V {
    let (r, n) = half_turns(x);
    let z = r * r;
    let series = if V::T::DOUBLE {
        polynomial(z, const { inverse_factorials::<10>(3, 2, true) })
    } else {
        polynomial(z, const { inverse_factorials::<6>(3, 2, true) })
    };
    // r - r^3 (1/3! - z/5! + ...)
    let sin = (r * z).fnma(series, r);
    near_or(
        sin.negated_if_odd(n),
        few_turns(x),
        x,
        #[inline(always)]
        |x| x.sin(),
    )
}

/// Cosine, x in radians.
#[inline(always)]
pub(super) fn cos<V: Vector>(x: V) -> V {
    let (r, n) = half_turns(x);
    let cos = if V::T::DOUBLE {
        polynomial(r * r, const { inverse_factorials::<11>(0, 2, true) })
    } else {
        polynomial(r * r, const { inverse_factorials::<7>(0, 2, true) })
    };
    near_or(
        cos.negated_if_odd(n),
        few_turns(x),
        x,
        #[inline(always)]
        |x| x.cos(),
    )
}

#[cfg(test)]
mod tests {
    use crate::law::Real;
    use crate::simd::{Element, Interleaved4, Kernel, Level, Vector, launch};

    struct All<'a, T> {
        x: &'a [T],
        out: &'a mut [Vec<T>; 6],
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
                x.exp_m1().store(&mut self.out[4][start..]);
                x.ln_1p().store(&mut self.out[5][start..]);
            }
            // four vectors side by side: the same numbers, but that sines of all are those of the standard library where
            // one is far
            for start in (0..self.x.len()).step_by(Interleaved4::<V>::LEN) {
                let x = Interleaved4::<V>::load(token, &self.x[start..]);
                let mut four = vec![V::T::default(); Interleaved4::<V>::LEN];
                for (function, y) in [x.exp(), x.ln(), x.sin(), x.cos(), x.exp_m1(), x.ln_1p()].into_iter().enumerate()
                {
                    y.store(&mut four);
                    let apart = if !matches!(function, 2 | 3) || V::LEN == 1 {
                        0.0
                    } else {
                        if T::DOUBLE { 4e-16 } else { 2e-7 }
                    };
                    for (a, b) in self.out[function][start..].iter().zip(&four) {
                        let (a, b) = (a.to_f64(), b.to_f64());
                        let same = a == b || (a - b).abs() <= apart || (a.is_nan() && b.is_nan());
                        assert!(same || V::LEN == 1, "{function}: {a:e} {b:e}");
                    }
                }
            }
        }
    }

    /// exp, ln, sin, cos, expm1, log1p of numbers at a level.
    fn all<T: Element>(level: Level, x: &[T]) -> [Vec<T>; 6] {
        let padded = x.len().next_multiple_of(64);
        let mut from = x.to_vec();
        from.resize(padded, T::from_f64(1.0));
        let mut out: [Vec<T>; 6] = std::array::from_fn(|_| vec![T::default(); padded]);
        launch(level, All { x: &from, out: &mut out });
        out
    }

    /// The exact functions, for numbers of f32 as good as exact.
    fn exact(x: f64) -> [f64; 6] {
        [x.exp(), x.ln(), x.sin(), x.cos(), x.exp_m1(), x.ln_1p()]
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
                    let size = match function {
                        0 => exact.max(smallest),
                        4 | 5 => exact.abs().max(smallest / unit),
                        _ => exact.abs().max(1.0),
                    };
                    let bound = [3.0, 6.0, 3.0, 3.0, 6.0, 8.0][function] * unit * size;
                    let over = exact > largest && y == f64::INFINITY;
                    let under = function == 0 && exact < 0.71 * smallest && y == 0.0;
                    let fits = (y - exact).abs() <= bound || y == exact || over || under;
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
            x.extend([1e-3 * t, 1e-9 * t, t.powi(15), t - 1.0]);
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
