//! The velocity of vortex blobs: Biot and Savart's law, smoothed.
//!
//! ```text
//! u_i = sum alpha_j x (x_i - x_j) / (4 pi (r^2 + delta^2)^(3/2))          [Rosenhead 1930; Winckelmans 1993]
//! ```
//!
//! alpha is vorticity times volume (or circulation times length); delta is the core. A blob does not move itself.

use crate::law::{PairLaw, Real, Sum, dot3, sub3};
use crate::record;

record! {
    /// A vortex blob.
    pub struct Blob<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Strength, length^3 / time.
        pub alpha: [R; 3],
    }
}
record! {
    /// The core.
    pub struct Core<R> {
        /// length.
        pub delta: R,
    }
}
record! {
    /// The flow.
    pub struct Velocity<R> {
        /// length / time.
        pub u: [Sum<R>; 3],
    }
}

/// Biot and Savart's law.
#[derive(Clone, Copy, Debug)]
pub struct BiotSavart;

impl PairLaw for BiotSavart {
    type Body<R: Real> = Blob<R>;
    type Par<R: Real> = Core<R>;
    type Out<R: Real> = Velocity<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Blob<R>, j: &Blob<R>, par: &Core<R>, out: &mut Velocity<R>) {
        let d = sub3(i.x, j.x);
        let per_4_pi = par.delta.lit(0.25 * std::f64::consts::FRAC_1_PI);
        let f = per_4_pi * dot3(d, d, par.delta * par.delta).rsqrt3();
        let a = j.alpha;
        out.u[0].add_mul(f, a[1] * d[2] - a[2] * d[1]);
        out.u[1].add_mul(f, a[2] * d[0] - a[0] * d[2]);
        out.u[2].add_mul(f, a[0] * d[1] - a[1] * d[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, columns};

    /// On the axis of a ring of circulation G and radius R, at height z: G R^2 / (2 (R^2 + z^2)^(3/2)).
    #[test]
    fn vortex_ring() {
        let (n, radius, circulation) = (64, 1.5, 3.0);
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
        let places: Vec<[f64; 3]> = (0..n).map(|k| [radius * angle(k).cos(), radius * angle(k).sin(), 0.0]).collect();
        let length = std::f64::consts::TAU * radius / n as f64;
        let along: Vec<[f64; 3]> =
            (0..n).map(|k| [-angle(k).sin(), angle(k).cos(), 0.0].map(|t| t * circulation * length)).collect();
        let ring = [columns(&places), columns(&along)].concat();
        let targets = [columns(&[[0.0; 3], [0.0, 0.0, 2.0]]), vec![vec![0.0; 2]; 3]].concat();
        let u = at("biot-savart", &targets, &ring, &[0.0]);
        for (k, z) in [0.0f64, 2.0].into_iter().enumerate() {
            let exact = circulation * radius * radius / (2.0 * (radius * radius + z * z).powf(1.5));
            // on the axis all elements are alike: rounding only
            assert!((u[2][k] - exact).abs() < 1e-14 * 64.0, "{} {exact}", u[2][k]);
            assert!(u[0][k].abs() < 1e-14 && u[1][k].abs() < 1e-14);
        }
    }
}
