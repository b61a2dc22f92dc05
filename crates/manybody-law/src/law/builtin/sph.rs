//! Smoothed particle hydrodynamics: density, pressure force, and the equations of motion with viscosity.
//!
//! ```text
//! rho_i   = sum m_j W(r, h_i)                                                      i = j included
//! a_i     = -sum m_j (P_i / rho_i^2 + P_j / rho_j^2 + Pi) grad W(r, h),  h = (h_i + h_j) / 2      [Monaghan 1992]
//! du_i/dt =  sum m_j (P_i / rho_i^2 + Pi / 2) (v_i - v_j) . grad W(r, h)
//!
//! Pi = (-alpha c mu + beta mu^2) / rho,   mu = h v.r / (r^2 + h^2 / 100)    where v.r < 0, else 0
//! ```
//!
//! with v.r = (v_i - v_j) . (x_i - x_j), and c and rho the means of the two bodies' sound speeds and densities. The laws
//! of the pressure alone leave Pi out: they are for smooth flow. Each law is generic over its [kernel](kernels) and the
//! number of dimensions; in fewer than three the other coordinates are all equal. examples/sod.rs runs a shock tube.

pub mod kernels;

use crate::law::{Nothing, PairLaw, Real, Sum, add3, dot3, sub3};
use crate::record;
use kernels::{CubicSpline, Smoothing, WendlandC2, WendlandC4, norm};
use std::marker::PhantomData;

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
    /// A parcel of gas that moves.
    pub struct MovingGas<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Mass.
        pub m: R,
        /// Smoothing length.
        pub h: R,
        /// Density, mass / length^3.
        pub rho: R,
        /// Pressure, mass / (length time^2).
        pub p: R,
        /// Speed of sound, length / time.
        pub c: R,
    }
}
record! {
    /// The strength of the viscosity.
    pub struct Viscosity<R> {
        /// What is linear in the speed of approach; 1 by custom.
        pub alpha: R,
        /// What is quadratic; 2 by custom.
        pub beta: R,
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
record! {
    /// What pressure and viscosity do.
    pub struct Motion<R> {
        /// length / time^2.
        pub a: [Sum<R>; 3],
        /// Rate of the internal energy per mass, length^2 / time^3.
        pub du: Sum<R>,
    }
}

/// SPH density with the kernel K in D dimensions.
#[derive(Clone, Copy, Debug)]
pub struct DensityOf<K, const D: usize>(PhantomData<K>);
/// SPH density with the cubic spline.
pub type SphDensity = DensityOf<CubicSpline, 3>;
/// SPH density with Wendland's C2 kernel.
pub type SphDensityC2 = DensityOf<WendlandC2, 3>;
/// SPH density with Wendland's C4 kernel.
pub type SphDensityC4 = DensityOf<WendlandC4, 3>;

impl<K: Smoothing, const D: usize> PairLaw for DensityOf<K, D> {
    type Body<R: Real> = Parcel<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Density<R>;
    const SELF: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Parcel<R>, j: &Parcel<R>, _: &Nothing<R>, out: &mut Density<R>) {
        let d = sub3(i.x, j.x);
        let per_h = i.h.recip();
        let q = dot3(d, d, i.h.lit(0.0)).sqrt() * per_h;
        out.rho.add_mul(j.m * per_h.powi(D as u32), q.lit(norm::<K, D>()) * K::value(q));
    }
}

/// SPH pressure force with the kernel K in D dimensions.
#[derive(Clone, Copy, Debug)]
pub struct PressureOf<K, const D: usize>(PhantomData<K>);
/// SPH pressure force with the cubic spline.
pub type SphPressure = PressureOf<CubicSpline, 3>;
/// SPH pressure force with Wendland's C2 kernel.
pub type SphPressureC2 = PressureOf<WendlandC2, 3>;
/// SPH pressure force with Wendland's C4 kernel.
pub type SphPressureC4 = PressureOf<WendlandC4, 3>;

/// The mean of two smoothing lengths, and what makes grad W = g (x_i - x_j).
#[inline(always)]
fn gradient<R: Real, K: Smoothing, const D: usize>(hi: R, hj: R, r2: R) -> (R, R) {
    let half = hi.lit(0.5);
    let h = half * hi + half * hj;
    let per_h = h.recip();
    let g = per_h.powi(D as u32 + 2) * (h.lit(norm::<K, D>()) * K::slope(r2.sqrt() * per_h));
    (h, g)
}

impl<K: Smoothing, const D: usize> PairLaw for PressureOf<K, D> {
    type Body<R: Real> = Gas<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Acceleration<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Gas<R>, j: &Gas<R>, _: &Nothing<R>, out: &mut Acceleration<R>) {
        let d = sub3(i.x, j.x);
        let (_, g) = gradient::<R, K, D>(i.h, j.h, dot3(d, d, i.h.lit(0.0)));
        let push = i.p / (i.rho * i.rho) + j.p / (j.rho * j.rho);
        add3(&mut out.a, -(j.m * push * g), d);
    }
}

/// SPH equations of motion with the kernel K in D dimensions: pressure, viscosity, and the heat they make.
#[derive(Clone, Copy, Debug)]
pub struct MotionOf<K, const D: usize>(PhantomData<K>);
/// SPH equations of motion with the cubic spline.
pub type SphMotion = MotionOf<CubicSpline, 3>;

impl<K: Smoothing, const D: usize> PairLaw for MotionOf<K, D> {
    type Body<R: Real> = MovingGas<R>;
    type Par<R: Real> = Viscosity<R>;
    type Out<R: Real> = Motion<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &MovingGas<R>, j: &MovingGas<R>, par: &Viscosity<R>, out: &mut Motion<R>) {
        let (d, w) = (sub3(i.x, j.x), sub3(i.v, j.v));
        let zero = i.h.lit(0.0);
        let (r2, approach) = (dot3(d, d, zero), dot3(d, w, zero));
        let (h, g) = gradient::<R, K, D>(i.h, j.h, r2);
        let mu = h * approach.min(zero) / (h * h).fma(h.lit(0.01), r2);
        // the halves of the two means cancel
        let viscous = mu * (mu * (par.beta + par.beta) - par.alpha * (i.c + j.c)) / (i.rho + j.rho);
        let own = i.p / (i.rho * i.rho);
        let both = own + j.p / (j.rho * j.rho) + viscous;
        let size = j.m * g;
        add3(&mut out.a, -(size * both), d);
        out.du.add_mul(size * (own + h.lit(0.5) * viscous), approach);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, on_itself};
    use crate::law::conformance::random;

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
        for name in ["sph-pressure", "sph-pressure-c2", "sph-pressure-c4"] {
            let still = at(name, &origin, &sources(0.0), &[]);
            let moved = at(name, &origin, &sources(g), &[]);
            for k in 0..3 {
                assert!(still[k][0].abs() < 1e-12, "{name} {still:?}"); // pairs of opposite terms of 20
                let exact = [-g, 0.0, 0.0][k];
                // the lattice's error at h = 3 spacings, as for the density, with one power of h less
                assert!((moved[k][0] - exact).abs() < 2e-3, "{name} {moved:?}");
            }
        }
    }

    /// Momentum and energy are kept to rounding; viscosity acts on parcels that approach, and on no others.
    #[test]
    fn motion_keeps_momentum_and_energy() {
        let n = 60;
        let gas = [random(6, n, 3, false), random(5, n, 4, true)].concat();
        let result = on_itself("sph-motion", &gas, &[1.0, 2.0]);
        let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(|b| gas[6][b] * f(b)).sum::<f64>();
        let size = sum(&|b| result[0][b].abs());
        for column in &result[..3] {
            assert!(sum(&|b| column[b]).abs() < 1e-12 * size); // pairs of equal and opposite terms
        }
        let work = sum(&|b| (0..3).map(|k| gas[3 + k][b] * result[k][b]).sum::<f64>());
        let heat = sum(&|b| result[3][b]);
        assert!((work + heat).abs() < 1e-12 * size, "{work} {heat}");

        // two parcels without pressure, 0.5 apart, that part or meet
        let two = |v: f64| {
            let pair = [[0.0, 0.5], [0.0; 2], [0.0; 2], [0.0, v], [0.0; 2], [0.0; 2]].map(Vec::from);
            [&pair[..], &[vec![1.0; 2], vec![1.0; 2], vec![1.0; 2], vec![0.0; 2], vec![1.0; 2]]].concat()
        };
        let part = on_itself("sph-motion", &two(0.3), &[1.0, 2.0]);
        assert!(part.iter().flatten().all(|x| *x == 0.0), "{part:?}");
        let meet = on_itself("sph-motion", &two(-0.3), &[1.0, 2.0]);
        // mu = -0.15 / 0.26, Pi = 2 mu^2 - mu, w' / q at q = 0.5: (-3 + 9 / 8) / pi
        let mu = -0.15f64 / 0.26;
        let exact = (2.0 * mu * mu - mu) * -1.875 / std::f64::consts::PI * 0.5;
        assert!((meet[0][0] - exact).abs() < 1e-15 && meet[0][1] == -meet[0][0], "{meet:?} {exact}");
        assert!((meet[3][0] - 0.15 * exact.abs()).abs() < 1e-15, "{meet:?}"); // half of Pi times v.r / 0.5
    }
}
