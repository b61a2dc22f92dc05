//! Slow viscous flow: regularised Stokeslets.
//!
//! ```text
//! u_i = sum (f_j (r^2 + 2 eps^2) + (f_j . d) d) / (8 pi mu (r^2 + eps^2)^(3/2)),  d = x_i - x_j   [Cortez 2005]
//! ```
//!
//! i = j is included: a force moves the fluid where it acts by f / (4 pi mu eps).

use super::vortex::Velocity;
use crate::law::{PairLaw, Real, add3, dot3, sub3};
use crate::record;

record! {
    /// A force on the fluid.
    pub struct PointForce<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Force.
        pub f: [R; 3],
    }
}
record! {
    /// The fluid, and how far a force is spread.
    pub struct Fluid<R> {
        /// Viscosity, force time / length^2.
        pub mu: R,
        /// Spread, length.
        pub eps: R,
    }
}

/// Regularised Stokeslets.
#[derive(Clone, Copy, Debug)]
pub struct Stokeslet;

impl PairLaw for Stokeslet {
    type Body<R: Real> = PointForce<R>;
    type Par<R: Real> = Fluid<R>;
    type Out<R: Real> = Velocity<R>;
    const SELF: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &PointForce<R>, j: &PointForce<R>, par: &Fluid<R>, out: &mut Velocity<R>) {
        let d = sub3(i.x, j.x);
        let eps2 = par.eps * par.eps;
        let s2 = dot3(d, d, eps2);
        let strength = par.mu.lit(0.125 * std::f64::consts::FRAC_1_PI) / par.mu * s2.rsqrt3();
        add3(&mut out.u, strength * (s2 + eps2), j.f);
        add3(&mut out.u, strength * dot3(j.f, d, eps2.lit(0.0)), d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, columns, sphere};

    /// Stokes: a sphere of radius a pulled by F moves with F / (6 pi mu a), and so does the fluid inside.
    #[test]
    fn stokes_law() {
        let (n, a, mu) = (4000, 2.0, 0.7);
        let places: Vec<[f64; 3]> = sphere(n).iter().map(|p| p.map(|q| a * q)).collect();
        let forces = vec![vec![3.0 / n as f64; n], vec![0.0; n], vec![0.0; n]];
        let targets = [columns(&[[0.0; 3], [0.4, -0.3, 0.5]]), vec![vec![0.0; 2]; 3]].concat();
        let u = at("stokeslet", &targets, &[columns(&places), forces].concat(), &[mu, 1e-3]);
        for target in 0..2 {
            let exact = [3.0 / (6.0 * std::f64::consts::PI * mu * a), 0.0, 0.0];
            for k in 0..3 {
                // the error of n points spread over the sphere
                assert!((u[k][target] - exact[k]).abs() < 1e-4, "{u:?} {exact:?}");
            }
        }
    }
}
