//! Laplace's equation for boundary elements: single and double layer.
//!
//! ```text
//! single layer  u_i = sum q_j / (4 pi r)
//! double layer  u_i = sum q_j n_j . (x_i - x_j) / (4 pi r^3)         [Kress 2014, sect. 6.3]
//! ```
//!
//! q is density times area of an element at x with outward normal n. An element's effect on itself needs an integral
//! over its shape and is left out.

use crate::law::{Nothing, PairLaw, Real, Sum, dot3, sub3};
use crate::record;

const PER_4_PI: f64 = 0.25 * std::f64::consts::FRAC_1_PI;

record! {
    /// A piece of a surface.
    pub struct Element<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Density times area.
        pub q: R,
    }
}
record! {
    /// A piece of a surface with its direction.
    pub struct OrientedElement<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Outward normal, of length 1.
        pub n: [R; 3],
        /// Density times area.
        pub q: R,
    }
}
record! {
    /// The field.
    pub struct Potential<R> {
        /// Density length (single layer), density (double layer).
        pub u: Sum<R>,
    }
}

/// The single layer.
#[derive(Clone, Copy, Debug)]
pub struct LaplaceSingle;

impl PairLaw for LaplaceSingle {
    type Body<R: Real> = Element<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Potential<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Element<R>, j: &Element<R>, _: &Nothing<R>, out: &mut Potential<R>) {
        let d = sub3(i.x, j.x);
        out.u.add_mul(j.q * j.q.lit(PER_4_PI), dot3(d, d, j.q.lit(0.0)).rsqrt());
    }
}

/// The double layer.
#[derive(Clone, Copy, Debug)]
pub struct LaplaceDouble;

impl PairLaw for LaplaceDouble {
    type Body<R: Real> = OrientedElement<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Potential<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &OrientedElement<R>, j: &OrientedElement<R>, _: &Nothing<R>, out: &mut Potential<R>) {
        let d = sub3(i.x, j.x);
        let zero = j.q.lit(0.0);
        out.u.add_mul(j.q * j.q.lit(PER_4_PI) * dot3(j.n, d, zero), dot3(d, d, zero).rsqrt3());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, columns, sphere};

    /// Inside a charged sphere the potential is that of its surface, outside that of a point; the double layer is -1
    /// inside a closed surface and 0 outside (Gauss).
    #[test]
    fn sphere_inside_and_outside() {
        let (n, radius) = (4000, 2.0);
        let normals = sphere(n);
        let places: Vec<[f64; 3]> = normals.iter().map(|p| p.map(|q| radius * q)).collect();
        let area = 4.0 * std::f64::consts::PI * radius * radius / n as f64;
        let single = [columns(&places), vec![vec![area; n]]].concat();
        let double = [columns(&places), columns(&normals), vec![vec![area; n]]].concat();
        let targets = columns(&[[0.3, -0.4, 0.5], [3.0, 0.0, 0.0]]);
        let zeros = |k: usize| vec![vec![0.0; 2]; k];
        let u = at("laplace-single", &[targets.clone(), zeros(1)].concat(), &single, &[]);
        let w = at("laplace-double", &[targets, zeros(4)].concat(), &double, &[]);
        // the error of n points spread over the sphere, far from it: below 1 / n
        for (got, exact) in [(u[0][0], radius), (u[0][1], radius * radius / 3.0), (w[0][0], -1.0), (w[0][1], 0.0)] {
            assert!((got - exact).abs() < 5e-4, "{got} {exact}");
        }
    }
}
