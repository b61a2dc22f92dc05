//! Smoothing kernels of SPH, their slopes, and their norms in one, two and three dimensions.
//!
//! ```text
//! W(r, h) = sigma_D / h^D * w(q),   q = r / h,   w = 0 from q = 2
//!
//! cubic spline  w = 1 - 3 q^2 / 2 + 3 q^3 / 4,  q < 1;  (2 - q)^3 / 4,  q < 2              [Monaghan 1985]
//!               sigma = 2 / 3, 10 / (7 pi), 1 / pi
//! Wendland C2   w = (1 - q/2)^4 (1 + 2 q)                          sigma = 7 / (4 pi), 21 / (16 pi)
//! Wendland C4   w = (1 - q/2)^6 (1 + 3 q + 35 q^2 / 12)            sigma = 9 / (4 pi), 495 / (256 pi)
//!                                                                              [Wendland 1995; Dehnen 2012]
//! ```
//!
//! Wendland's functions are others in one dimension, and are not offered there.

use crate::law::Real;
use std::f64::consts::PI;

/// The shape of a smoothing kernel.
pub trait Smoothing: Send + Sync + 'static {
    /// What makes the integral over space 1, in one, two and three dimensions; NaN where the kernel is not one.
    const NORM: [f64; 3];
    /// w(q) for q >= 0, to be multiplied by norm / h^D.
    fn value<R: Real>(q: R) -> R;
    /// w'(q) / q, finite everywhere.
    fn slope<R: Real>(q: R) -> R;
}

/// The norm in D dimensions.
pub(super) const fn norm<K: Smoothing, const D: usize>() -> f64 {
    assert!(D >= 1 && D <= 3 && !K::NORM[D - 1].is_nan(), "the kernel is not one in so many dimensions");
    K::NORM[D - 1]
}

/// The cubic spline.
#[derive(Clone, Copy, Debug)]
pub struct CubicSpline;

impl Smoothing for CubicSpline {
    const NORM: [f64; 3] = [2.0 / 3.0, 10.0 / (7.0 * PI), 1.0 / PI];
    #[inline(always)]
    fn value<R: Real>(q: R) -> R {
        let inner = (q * q).fma(q.fma(q.lit(0.75), q.lit(-1.5)), q.lit(1.0));
        let rest = (q.lit(2.0) - q).max(q.lit(0.0));
        R::select(q.lt(q.lit(1.0)), inner, q.lit(0.25) * rest.powi(3))
    }
    #[inline(always)]
    fn slope<R: Real>(q: R) -> R {
        let one = q.lit(1.0);
        let rest = (q.lit(2.0) - q).max(q.lit(0.0));
        let inner = q.lt(one);
        R::select(inner, q.fma(q.lit(2.25), q.lit(-3.0)), q.lit(-0.75) * (rest * rest) / R::select(inner, one, q))
    }
}

/// Wendland's C2 kernel.
#[derive(Clone, Copy, Debug)]
pub struct WendlandC2;

/// 1 - q/2, or 0 from there on.
#[inline(always)]
fn rest<R: Real>(q: R) -> R {
    (q.lit(1.0) - q.lit(0.5) * q).max(q.lit(0.0))
}

impl Smoothing for WendlandC2 {
    const NORM: [f64; 3] = [f64::NAN, 7.0 / (4.0 * PI), 21.0 / (16.0 * PI)];
    #[inline(always)]
    fn value<R: Real>(q: R) -> R {
        rest(q).powi(4) * (q.lit(1.0) + q.lit(2.0) * q)
    }
    #[inline(always)]
    fn slope<R: Real>(q: R) -> R {
        q.lit(-5.0) * rest(q).powi(3)
    }
}

/// Wendland's C4 kernel.
#[derive(Clone, Copy, Debug)]
pub struct WendlandC4;

impl Smoothing for WendlandC4 {
    const NORM: [f64; 3] = [f64::NAN, 9.0 / (4.0 * PI), 495.0 / (256.0 * PI)];
    #[inline(always)]
    fn value<R: Real>(q: R) -> R {
        rest(q).powi(6) * q.fma(q.fma(q.lit(35.0 / 12.0), q.lit(3.0)), q.lit(1.0))
    }
    #[inline(always)]
    fn slope<R: Real>(q: R) -> R {
        rest(q).powi(5) * q.fma(q.lit(-35.0 / 3.0), q.lit(-14.0 / 3.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule for f on 0..2.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        let n = 2000;
        let weight = |k: usize| if k == 0 || k == n { 1.0 } else { [2.0, 4.0][k % 2] };
        (0..=n).map(|k| weight(k) * f(2.0 * k as f64 / n as f64)).sum::<f64>() * 2.0 / n as f64 / 3.0
    }

    /// Integrals over space are 1, and slopes are those of the values.
    fn check<K: Smoothing>() {
        for (d, surface) in [(1, 2.0), (2, 2.0 * PI), (3, 4.0 * PI)] {
            let norm = K::NORM[d - 1];
            if norm.is_nan() {
                continue;
            }
            let whole = integral(|q| surface * norm * q.powi(d as i32 - 1) * K::value(q));
            // the rule's error is 2 / 180 (1e-3)^4 times the fourth derivative, some hundreds; in one dimension the
            // spline's third derivative jumps, on a node
            assert!((whole - 1.0).abs() < 1e-10, "{d}: {whole}");
        }
        let h = 1e-4;
        for q in [0.1, 0.5, 0.9, 1.1, 1.5, 1.9, 2.1] {
            let difference = (K::value(q + h) - K::value(q - h)) / (2.0 * h);
            assert!((q * K::slope(q) - difference).abs() < 1e-6, "{q}"); // h^2 / 6 times w''', up to some tens
        }
        assert!([K::value(2.0), K::value(2.5), K::slope(2.0), K::slope(2.5)].iter().all(|x| *x == 0.0));
    }

    #[test]
    fn norms_and_slopes() {
        check::<CubicSpline>();
        check::<WendlandC2>();
        check::<WendlandC4>();
    }
}
