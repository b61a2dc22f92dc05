//! Yukawa's law: Coulomb's, screened over a length 1 / kappa.
//!
//! ```text
//! phi_i = k sum q_j e^(-kappa r) / r
//! F_i   = k q_i sum q_j (1 + kappa r) e^(-kappa r) (x_i - x_j) / r^3        [Yukawa 1935]
//! ```

use super::coulomb::{Charge, ForcePot};
use crate::law::{PairLaw, Real, add3, dot3, sub3};
use crate::record;

record! {
    /// Strength and screening.
    pub struct Screening<R> {
        /// force length^2 / charge^2.
        pub k: R,
        /// 1 / length.
        pub kappa: R,
    }
}

/// Yukawa's law.
#[derive(Clone, Copy, Debug)]
pub struct Yukawa;

impl PairLaw for Yukawa {
    type Body<R: Real> = Charge<R>;
    type Par<R: Real> = Screening<R>;
    type Out<R: Real> = ForcePot<R>;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Charge<R>, j: &Charge<R>, par: &Screening<R>, out: &mut ForcePot<R>) {
        let d = sub3(i.x, j.x);
        let r2 = dot3(d, d, par.k.lit(0.0));
        let y = r2.rsqrt();
        let s = par.kappa * r2 * y;
        let pot = par.k * j.q * y * (-s).exp();
        out.pot.add(pot);
        add3(&mut out.f, i.q * pot * (s + s.lit(1.0)) * (y * y), d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::at;

    /// The force is the potential's slope, and without screening the law is Coulomb's.
    #[test]
    fn force_is_the_slope() {
        let (b, h) = (vec![vec![0.0], vec![0.0], vec![0.0], vec![-1.5]], 1e-5);
        let charge = |x: f64| vec![vec![x], vec![0.3], vec![0.1], vec![2.0]];
        let pot = |x: f64| at("yukawa", &charge(x), &b, &[3.0, 1.7])[3][0];
        let f = at("yukawa", &charge(0.8), &b, &[3.0, 1.7])[0][0];
        // the difference's error is h^2 / 6 of a third derivative below 1e3
        assert!((f + 2.0 * (pot(0.8 + h) - pot(0.8 - h)) / (2.0 * h)).abs() < 1e-7);
        let bare = at("yukawa", &charge(0.8), &b, &[3.0, 0.0]);
        for (a, b) in bare.concat().iter().zip(at("coulomb", &charge(0.8), &b, &[3.0]).concat()) {
            assert!((a - b).abs() <= 1e-14 * b.abs(), "{a} {b}");
        }
    }
}
