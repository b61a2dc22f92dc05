//! Buckingham's law: exponential repulsion and dispersion, with mixing and a cut-off.
//!
//! ```text
//! A = sqrt(A_i A_j),  b = (b_i + b_j) / 2,  C = sqrt(C_i C_j)
//! u_i = sum A e^(-b r) - C / r^6                                     r < rc      [Buckingham 1938]
//! F_i = sum (A b e^(-b r) - 6 C / r^7) (x_i - x_j) / r
//! ```
//!
//! At small r the attraction wins without limit, which is the formula's fault: bodies must not come so near.

use super::lennard_jones::{CutOff, ForceEnergy};
use crate::law::{PairLaw, Real, add3, dot3, sub3};
use crate::record;

record! {
    /// An ion.
    pub struct Ion<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Strength of the repulsion, energy; 0 or more.
        pub a: R,
        /// Steepness of the repulsion, 1 / length.
        pub b: R,
        /// Strength of the attraction, energy length^6; 0 or more.
        pub c: R,
    }
}

/// Buckingham's law.
#[derive(Clone, Copy, Debug)]
pub struct Buckingham;

impl PairLaw for Buckingham {
    type Body<R: Real> = Ion<R>;
    type Par<R: Real> = CutOff<R>;
    type Out<R: Real> = ForceEnergy<R>;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Ion<R>, j: &Ion<R>, par: &CutOff<R>, out: &mut ForceEnergy<R>) {
        let d = sub3(i.x, j.x);
        let zero = par.rc.lit(0.0);
        let r2 = dot3(d, d, zero);
        let y = r2.rsqrt();
        let b = zero.lit(0.5) * i.b + zero.lit(0.5) * j.b;
        let near = r2.lt(par.rc * par.rc);
        let repulsion = R::select(near, i.a.sqrt() * j.a.sqrt(), zero) * (-(b * (r2 * y))).exp();
        let attraction = R::select(near, i.c.sqrt() * j.c.sqrt(), zero) * (y * y).powi(3);
        out.u.add(repulsion - attraction);
        add3(&mut out.f, repulsion * b * y - zero.lit(6.0) * attraction * (y * y), d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::at;

    #[test]
    fn force_is_the_slope() {
        let ion = |x: f64, q: [f64; 3]| vec![vec![x], vec![0.2], vec![0.0], vec![q[0]], vec![q[1]], vec![q[2]]];
        let (b, h) = (ion(0.0, [9.0, 2.0, 4.0]), 1e-5);
        let u = |x: f64, rc: f64| at("buckingham", &ion(x, [4.0, 3.0, 1.0]), &b, &[rc]);
        // A = 6, b = 2.5, C = 2 at r = 1.5
        let exact = 6.0 * (-2.5f64 * 1.5).exp() - 2.0 / 1.5f64.powi(6);
        assert!((u(1.5, 9.0)[3][0] - exact).abs() < 1e-14);
        // the difference's error is h^2 / 6 of a third derivative below 1e3
        assert!((u(0.9, 9.0)[0][0] + (u(0.9 + h, 9.0)[3][0] - u(0.9 - h, 9.0)[3][0]) / (2.0 * h)).abs() < 1e-7);
        assert_eq!(u(1.5, 1.2).concat(), [0.0; 4]);
    }
}
