//! Laws that come with the library, one file each, and their names.

pub mod buckingham;
pub mod coulomb;
pub mod distances;
pub mod helmholtz;
pub mod hologram;
pub mod kernels;
pub mod kolmogorov_smirnov;
pub mod laplace;
pub mod lennard_jones;
pub mod nearest;
pub mod sph;
pub mod stokeslet;
pub mod vortex;
pub mod yukawa;

use super::{GravityJerk, GravityPot, GravitySnap, Law};
use crate::{Error, Result};

/// A law with a name.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    make: fn() -> Result<Law>,
}

impl Builtin {
    /// The law as data.
    ///
    /// # Errors
    /// `None` that a test has not excluded; the type is that of [`Law::of`].
    pub fn law(&self) -> Result<Law> {
        Ok((self.make)()?.named(self.name))
    }
}

const fn law(name: &'static str, help: &'static str, make: fn() -> Result<Law>) -> Builtin {
    Builtin { name, help, make }
}

/// No cut-off: its square is still a number of f32.
const EVERYWHERE: f64 = 1e18;

/// The built-in laws.
pub const LAWS: [Builtin; 29] = [
    law("gravity", "acceleration and potential, Plummer softening eps2", || {
        Law::of::<GravityPot>()?.with_columns("m", &["mass"])?.with_default("eps2", 0.0)
    }),
    law("gravity-jerk", "acceleration, jerk and potential, Plummer softening eps2", || {
        let law = Law::of::<GravityJerk>()?.with_columns("m", &["mass"])?.with_default("eps2", 0.0)?;
        law.with_columns("v", &["vx", "vy", "vz"])
    }),
    law("gravity-snap", "acceleration, jerk, snap and potential of bodies that are accelerated by a", || {
        let law = Law::of::<GravitySnap>()?.with_columns("m", &["mass"])?.with_default("eps2", 0.0)?;
        law.with_columns("v", &["vx", "vy", "vz"])?.with_columns("acc", &["ax", "ay", "az"])
    }),
    law("coulomb", "force and potential of charges q", || Law::of::<coulomb::Coulomb>()?.with_default("k", 1.0)),
    law("yukawa", "force and potential of charges q, screened over 1 / kappa", || {
        Law::of::<yukawa::Yukawa>()?.with_default("k", 1.0)
    }),
    law("lennard-jones", "force and energy of atoms with sigma and epsilon, up to rc", lennard_jones),
    law("van-der-waals", "another name of lennard-jones", lennard_jones),
    law("buckingham", "force and energy of ions with a, b and c, up to rc", || {
        Law::of::<buckingham::Buckingham>()?.with_default("rc", EVERYWHERE)
    }),
    law("sph-density", "density of gas with smoothing lengths h, cubic spline", gas::<sph::SphDensity>),
    law("sph-density-c2", "density of gas with smoothing lengths h, Wendland C2", gas::<sph::SphDensityC2>),
    law("sph-density-c4", "density of gas with smoothing lengths h, Wendland C4", gas::<sph::SphDensityC4>),
    law("sph-pressure", "acceleration by pressure p of gas with rho and h, cubic spline", gas::<sph::SphPressure>),
    law("sph-pressure-c2", "the same with Wendland C2", gas::<sph::SphPressureC2>),
    law("sph-pressure-c4", "the same with Wendland C4", gas::<sph::SphPressureC4>),
    law("sph-motion", "acceleration and heating of gas by pressure and viscosity, sound speed c", || {
        let law = gas::<sph::SphMotion>()?.with_columns("v", &["vx", "vy", "vz"])?;
        law.with_default("alpha", 1.0)?.with_default("beta", 2.0)
    }),
    law("laplace-single", "potential of a surface's single layer q", Law::of::<laplace::LaplaceSingle>),
    law("laplace-double", "potential of a surface's double layer q with normals n", || {
        Law::of::<laplace::LaplaceDouble>()?.with_columns("n", &["nx", "ny", "nz"])
    }),
    law(
        "helmholtz-single",
        "waves of a surface's single layer re, im with wave number k",
        Law::of::<helmholtz::HelmholtzSingle>,
    ),
    law("helmholtz-double", "waves of a surface's double layer re, im with normals n", || {
        Law::of::<helmholtz::HelmholtzDouble>()?.with_columns("n", &["nx", "ny", "nz"])
    }),
    law("hologram", "light of points with amplitude a and phase", || {
        Law::of::<hologram::Hologram>()?.with_default("wavelength", 1.0)
    }),
    law("kolmogorov-smirnov", "how many of two samples lie below", Law::of::<kolmogorov_smirnov::KolmogorovSmirnov>),
    law(
        "kolmogorov-smirnov-2d",
        "how many of two samples lie in each quadrant",
        Law::of::<kolmogorov_smirnov::KolmogorovSmirnov2d>,
    ),
    law("gaussian", "sum of Gaussians of width h and weights w", || {
        Law::of::<kernels::Gaussian>()?.with_default("h", 1.0)
    }),
    law("matern", "sum of Matern kernels (nu = 3/2) of width h and weights w", || {
        Law::of::<kernels::Matern>()?.with_default("h", 1.0)
    }),
    law("distances", "sum of distances with weights w, for the energy distance", Law::of::<distances::Distances>),
    law("biot-savart", "velocity of vortex blobs alpha with core delta", || {
        let law = Law::of::<vortex::BiotSavart>()?.with_columns("alpha", &["alphax", "alphay", "alphaz"])?;
        law.with_default("delta", 0.0)
    }),
    law("stokeslet", "slow flow by forces f, regularised over eps", || {
        let law = Law::of::<stokeslet::Stokeslet>()?.with_columns("f", &["fx", "fy", "fz"])?;
        law.with_default("mu", 1.0)
    }),
    law("nearest", "the nearest body: squared distance and id", Law::of::<nearest::Nearest>),
    law("overlap", "how many spheres a sphere overlaps", Law::of::<nearest::Overlap>),
];

fn lennard_jones() -> Result<Law> {
    Law::of::<lennard_jones::LennardJones>()?.with_default("rc", EVERYWHERE)
}

fn gas<L: super::PairLaw>() -> Result<Law> {
    Law::of::<L>()?.with_columns("m", &["mass"])
}

/// The built-in law called `name`.
///
/// # Errors
/// [`Error::Unknown`] for an unknown name.
pub fn by_name(name: &str) -> Result<Law> {
    match LAWS.iter().find(|b| b.name == name) {
        Some(builtin) => builtin.law(),
        None => Err(Error::Unknown { what: "law", name: name.into(), known: LAWS.map(|b| b.name).join(", ") }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::law::PairInputs;
    use crate::law::conformance::slices;

    /// What a law makes of targets and sources, in f64.
    pub(crate) fn at(name: &str, i: &[Vec<f64>], j: &[Vec<f64>], par: &[f64]) -> Vec<Vec<f64>> {
        by_name(name).unwrap().oracle(&PairInputs::two(&slices(i), &slices(j), par)).unwrap()
    }

    /// What bodies do to each other, in f64.
    pub(crate) fn on_itself(name: &str, bodies: &[Vec<f64>], par: &[f64]) -> Vec<Vec<f64>> {
        by_name(name).unwrap().oracle(&PairInputs::one(&slices(bodies), par)).unwrap()
    }

    pub(crate) fn columns(places: &[[f64; 3]]) -> Vec<Vec<f64>> {
        (0..3).map(|k| places.iter().map(|p| p[k]).collect()).collect()
    }

    /// n points spread evenly over the unit sphere [Gonzalez 2010].
    pub(crate) fn sphere(n: usize) -> Vec<[f64; 3]> {
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let point = |k: usize| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let (s, angle) = ((1.0 - z * z).sqrt(), golden * k as f64);
            [s * angle.cos(), s * angle.sin(), z]
        };
        (0..n).map(point).collect()
    }

    #[test]
    fn names() {
        let mut names = LAWS.map(|b| b.name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(by_name("coulomb").unwrap().name(), "coulomb");
        assert!(
            by_name("coulom")
                .unwrap_err()
                .to_string()
                .starts_with("unknown law 'coulom'; did you mean coulomb? known: ")
        );
        assert!(by_name("newton").unwrap_err().to_string().contains("gravity, gravity-jerk"));
    }
}
