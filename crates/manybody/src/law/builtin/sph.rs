//! Smoothed particle hydrodynamics: density and pressure force.
//!
//! ```text
//! rho_i = sum m_j W(r, h_i)                                                            i = j included
//! a_i   = -sum m_j (P_i / rho_i^2 + P_j / rho_j^2) grad W(r, h),  h = (h_i + h_j) / 2  [Monaghan 1992, sect. 3]
//!
//! cubic spline  W = 1 / (pi h^3)         * (1 - 3 q^2 / 2 + 3 q^3 / 4,  q < 1;  (2 - q)^3 / 4,  q < 2)
//!                                                                              [Monaghan & Lattanzio 1985]
//! Wendland C2   W = 21 / (16 pi h^3)     * (1 - q/2)^4 (1 + 2 q)
//! Wendland C4   W = 495 / (256 pi h^3)   * (1 - q/2)^6 (1 + 3 q + 35 q^2 / 12)       [Wendland 1995; Dehnen 2012]
//! ```
//!
//! with q = r / h; all kernels end at r = 2 h. The pressure force has no artificial viscosity: shocks need one beside
//! it.

use crate::law::{PairLaw, Real, Sum, add3, dot3, sub3};
use crate::record;

record! {
    /// A parcel of gas.
    pub struct Parcel<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Mass.
        pub m: R,
        /// Smoothing length.
        pub h: R,
    }
}
record! {
    /// A parcel of gas whose density and pressure are known.
    pub struct Gas<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Mass.
        pub m: R,
        /// Smoothing length.
        pub h: R,
        /// Density, mass / length^3.
        pub rho: R,
        /// Pressure, mass / (length time^2).
        pub p: R,
    }
}
record! {
    /// What SPH estimates.
    pub struct Density<R> {
        /// mass / length^3.
        pub rho: Sum<R>,
    }
}
record! {
    /// What the pressure does.
    pub struct Acceleration<R> {
        /// length / time^2.
        pub a: [Sum<R>; 3],
    }
}

/// W h^3 of the cubic spline.
#[inline(always)]
fn cubic_spline<R: Real>(q: R) -> R {
    let c = |c: f64| q.lit(c / std::f64::consts::PI);
    let inner = (q * q).fma(q.fma(c(0.75), -c(1.5)), c(1.0));
    let rest = (q.lit(2.0) - q).max(q.lit(0.0));
    R::select(q.lt(q.lit(1.0)), inner, c(0.25) * rest.powi(3))
}

/// W h^3 of Wendland's C2 kernel.
#[inline(always)]
fn wendland_c2<R: Real>(q: R) -> R {
    let rest = (q.lit(1.0) - q.lit(0.5) * q).max(q.lit(0.0));
    q.lit(21.0 / (16.0 * std::f64::consts::PI)) * rest.powi(4) * (q.lit(1.0) + q.lit(2.0) * q)
}

/// W h^3 of Wendland's C4 kernel.
#[inline(always)]
fn wendland_c4<R: Real>(q: R) -> R {
    let rest = (q.lit(1.0) - q.lit(0.5) * q).max(q.lit(0.0));
    let polynomial = q.fma(q.fma(q.lit(35.0 / 12.0), q.lit(3.0)), q.lit(1.0));
    q.lit(495.0 / (256.0 * std::f64::consts::PI)) * rest.powi(6) * polynomial
}

macro_rules! density {
    ($(#[$doc:meta])* $name:ident, $kernel:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl PairLaw for $name {
            type Body<R: Real> = Parcel<R>;
            type Par<R: Real> = crate::law::Nothing<R>;
            type Out<R: Real> = Density<R>;
            const SELF: bool = true;
            #[inline(always)]
            fn pair<R: Real>(i: &Parcel<R>, j: &Parcel<R>, _: &Self::Par<R>, out: &mut Density<R>) {
                let d = sub3(i.x, j.x);
                let per_h = i.h.recip();
                let q = dot3(d, d, i.h.lit(0.0)).sqrt() * per_h;
                out.rho.add_mul(j.m * per_h.powi(3), $kernel(q));
            }
        }
    };
}
density!(
    /// SPH density with the cubic spline.
    SphDensity, cubic_spline);
density!(
    /// SPH density with Wendland's C2 kernel.
    SphDensityC2, wendland_c2);
density!(
    /// SPH density with Wendland's C4 kernel.
    SphDensityC4, wendland_c4);

/// SPH pressure force with the cubic spline.
#[derive(Clone, Copy, Debug)]
pub struct SphPressure;

impl PairLaw for SphPressure {
    type Body<R: Real> = Gas<R>;
    type Par<R: Real> = crate::law::Nothing<R>;
    type Out<R: Real> = Acceleration<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Gas<R>, j: &Gas<R>, _: &Self::Par<R>, out: &mut Acceleration<R>) {
        let d = sub3(i.x, j.x);
        let one = i.h.lit(1.0);
        let per_h = (i.h.lit(0.5) * i.h + i.h.lit(0.5) * j.h).recip();
        let q = dot3(d, d, i.h.lit(0.0)).sqrt() * per_h;
        let c = |c: f64| q.lit(c / std::f64::consts::PI);
        // W' / q, finite everywhere: -3 + 9 q / 4 inside, -3 (2 - q)^2 / (4 q) outside
        let rest = (q.lit(2.0) - q).max(q.lit(0.0));
        let inner = q.lt(one);
        let slope = R::select(inner, q.fma(c(2.25), -c(3.0)), -(c(0.75) * (rest * rest)) / R::select(inner, one, q));
        let push = i.p / (i.rho * i.rho) + j.p / (j.rho * j.rho);
        add3(&mut out.a, -(j.m * push * per_h.powi(5) * slope), d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::at;
    use super::*;

    /// The places of a cubic lattice of spacing 1 within `size` of the origin along each axis.
    fn lattice(size: i32) -> Vec<Vec<f64>> {
        let axis = || (-size..=size).map(f64::from);
        let places = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
        let places: Vec<[f64; 3]> = places.collect();
        (0..3).map(|k| places.iter().map(|p| p[k]).collect()).collect()
    }

    /// A lattice of unit masses has density 1. A kernel as smooth as k derivatives errs as its Fourier transform at the
    /// lattice's wave number, h^-(k+2) or faster.
    #[test]
    fn density_of_a_lattice() {
        for (name, h, error) in [
            ("sph-density", 1.2, 2e-2),
            ("sph-density", 4.0, 1e-4),
            ("sph-density-c2", 4.0, 1e-4),
            ("sph-density-c4", 4.0, 1e-5),
        ] {
            let mut gas = lattice((2.0 * h) as i32 + 1);
            let n = gas[0].len();
            gas.extend([vec![1.0; n], vec![h; n]]);
            let origin = vec![vec![0.0], vec![0.0], vec![0.0], vec![1.0], vec![h]];
            let rho = at(name, &origin, &gas, &[])[0][0];
            assert!((rho - 1.0).abs() < error, "{name} h = {h}: {rho}");
        }
    }

    /// Integrals over space are 1: Simpson's rule on 4 pi q^2 W.
    #[test]
    fn kernels_are_normalised() {
        for kernel in [cubic_spline::<f64>, wendland_c2::<f64>, wendland_c4::<f64>] {
            let n = 2000;
            let at = |k: usize| {
                let q = 2.0 * k as f64 / n as f64;
                4.0 * std::f64::consts::PI * q * q * kernel(q)
            };
            let weight = |k: usize| if k == 0 || k == n { 1.0 } else { [2.0, 4.0][k % 2] };
            let integral: f64 = (0..=n).map(|k| weight(k) * at(k)).sum::<f64>() * 2.0 / n as f64 / 3.0;
            assert!((integral - 1.0).abs() < 1e-10, "{integral}"); // the rule's error, 2^4 / 180 (1e-3)^4 f''''
            assert_eq!(kernel(2.0), 0.0);
            assert_eq!(kernel(2.5), 0.0);
        }
    }

    /// A constant pressure does nothing; P = g x in gas of density 1 accelerates by -g.
    #[test]
    fn pressure_gradient() {
        let (h, g) = (3.0, 0.7);
        let mut gas = lattice(7);
        let n = gas[0].len();
        gas.extend([vec![1.0; n], vec![h; n], vec![1.0; n]]);
        let sources = |slope: f64| {
            let pressure = gas[0].iter().map(|x| 20.0 + slope * x).collect();
            [&gas[..], &[pressure]].concat()
        };
        let origin: Vec<Vec<f64>> = [0.0, 0.0, 0.0, 1.0, h, 1.0, 20.0].map(|q| vec![q]).into();
        let still = at("sph-pressure", &origin, &sources(0.0), &[]);
        let moved = at("sph-pressure", &origin, &sources(g), &[]);
        for k in 0..3 {
            assert!(still[k][0].abs() < 1e-12, "{still:?}"); // pairs of opposite terms of 20
            let exact = [-g, 0.0, 0.0][k];
            // the lattice's error at h = 3 spacings, as for the density, with one power of h less
            assert!((moved[k][0] - exact).abs() < 2e-3, "{moved:?}");
        }
    }
}
