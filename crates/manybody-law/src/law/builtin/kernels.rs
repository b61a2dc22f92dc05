//! Kernel sums: Gaussian and Matern, for density estimates and Gaussian processes.
//!
//! ```text
//! gaussian  s_i = sum w_j exp(-r^2 / (2 h^2))                            [Silverman 1986]
//! matern    s_i = sum w_j (1 + t) e^-t,   t = sqrt(3) r / h              nu = 3/2 [Rasmussen 2006, eq. 4.17]
//! ```
//!
//! i = j is included. A density estimate of n points in three dimensions has w = 1 / (n (2 pi)^(3/2) h^3).

use crate::law::{PairLaw, Real, Sum, dot3, sub3};
use crate::record;

record! {
    /// A weighted point.
    pub struct Weighted<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Weight.
        pub w: R,
    }
}
record! {
    /// The kernel's width.
    pub struct Width<R> {
        /// length.
        pub h: R,
    }
}
record! {
    /// The sum.
    pub struct KernelSum<R> {
        /// In units of the weights.
        pub s: Sum<R>,
    }
}

/// The Gaussian.
#[derive(Clone, Copy, Debug)]
pub struct Gaussian;

impl PairLaw for Gaussian {
    type Body<R: Real> = Weighted<R>;
    type Par<R: Real> = Width<R>;
    type Out<R: Real> = KernelSum<R>;
    const SELF: bool = true;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Weighted<R>, j: &Weighted<R>, par: &Width<R>, out: &mut KernelSum<R>) {
        let d = sub3(i.x, j.x);
        let per_h2 = par.h.lit(-0.5) / (par.h * par.h);
        out.s.add_mul(j.w, (dot3(d, d, par.h.lit(0.0)) * per_h2).exp());
    }
}

/// Matern's kernel of smoothness 3/2.
#[derive(Clone, Copy, Debug)]
pub struct Matern;

impl PairLaw for Matern {
    type Body<R: Real> = Weighted<R>;
    type Par<R: Real> = Width<R>;
    type Out<R: Real> = KernelSum<R>;
    const SELF: bool = true;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Weighted<R>, j: &Weighted<R>, par: &Width<R>, out: &mut KernelSum<R>) {
        let d = sub3(i.x, j.x);
        let t = dot3(d, d, par.h.lit(0.0)).sqrt() * (par.h.lit(3f64.sqrt()) / par.h);
        out.s.add_mul(j.w * (t + t.lit(1.0)), (-t).exp());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::at;

    /// Integrals over a fine grid: (2 pi)^(3/2) h^3, and 4 pi (h / sqrt 3)^3 (2! + 3!) = 32 pi h^3 / 3^(3/2).
    #[test]
    fn integrals() {
        let pi = std::f64::consts::PI;
        for (name, h, reach, exact, error) in [
            ("gaussian", 1.0, 8.0, (2.0 * pi).powf(1.5), 1e-10), // the trapezoidal rule of a Gaussian
            ("matern", 0.75, 12.0, 32.0 * pi * 0.75f64.powi(3) / 27f64.sqrt(), 1e-3), // of one with a kink in r^3
        ] {
            let step = 0.5;
            let axis = || (-(reach / step) as i32..=(reach / step) as i32).map(|k| step * f64::from(k));
            let grid: Vec<[f64; 3]> =
                axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z]))).collect();
            let targets = [super::super::tests::columns(&grid), vec![vec![0.0; grid.len()]]].concat();
            let point = vec![vec![0.1], vec![-0.2], vec![0.05], vec![2.0]];
            let integral = at(name, &targets, &point, &[h])[0].iter().sum::<f64>() * f64::powi(step, 3) / 2.0;
            assert!((integral / exact - 1.0).abs() < error, "{name} {integral} {exact}");
        }
    }
}
