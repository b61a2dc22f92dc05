//! `plummer`: Plummer's sphere in virial equilibrium.
//!
//! ```text
//! rho(r) = 3 M / (4 pi a^3) (1 + r^2/a^2)^(-5/2)        M(r) = M (1 + a^2/r^2)^(-3/2)
//! f(E)  ~ (-E)^(7/2)                                    a = 3 pi / 16 in Henon units
//! ```
//!
//! Sampled as in [Aarseth 1974, appendix]: radii from the inverse of M(r), speeds by rejection from
//! q^2 (1 - q^2)^(7/2), q = v / v_esc. The cut-off is that of NEMO's mkplummer: radii below 22.8042468 and below the
//! radius that holds 0.999 of the mass (the two agree to six digits); the cut model still has M = 1. O(N): the
//! rejection takes 2.3 tries a body.

use super::{Parameter, Random, Request, centered_henon, check};
use crate::{Bodies, Result, Snapshot};
use std::f64::consts::PI;

/// Options of [`plummer`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plummer {
    /// Number of bodies, each of mass 1/n.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// Largest radius, Henon units.
    pub cutoff_radius: f64,
    /// Largest share of the untruncated sphere's mass, 0 to 1.
    pub mass_fraction: f64,
}

impl Default for Plummer {
    fn default() -> Self {
        Plummer { n: super::DEFAULT_N, seed: 0, cutoff_radius: 22.804_246_8, mass_fraction: 0.999 }
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "cutoff-radius", default: "22.8042468", about: "largest radius, Henon units" },
    Parameter { name: "mass-fraction", default: "0.999", about: "largest share of the untruncated mass" },
];

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    let default = Plummer::default();
    plummer(&Plummer {
        n: request.n_or(default.n),
        seed: request.seed,
        cutoff_radius: request.number("cutoff-radius", default.cutoff_radius)?,
        mass_fraction: request.number("mass-fraction", default.mass_fraction)?,
    })
}

/// A Plummer sphere of n equal masses in Henon units, its centre of mass at rest at the origin.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a cut-off that is not above 0, or a mass fraction outside (0, 1].
pub fn plummer(options: &Plummer) -> Result<Snapshot> {
    let Plummer { n, seed, cutoff_radius, mass_fraction } = *options;
    check("cutoff-radius", cutoff_radius, cutoff_radius > 0.0, "must be a radius above 0")?;
    check("mass-fraction", mass_fraction, mass_fraction > 0.0 && mass_fraction <= 1.0, "above 0, up to 1")?;
    // Henon units to those with a = 1, in which v_esc^2 = 2 / sqrt(1 + r^2)
    let scale = 3.0 * PI / 16.0;
    let share = (1.0 + (scale / cutoff_radius) * (scale / cutoff_radius)).sqrt();
    let within = (1.0 / (share * share * share)).min(mass_fraction);

    let mut random = Random::new("plummer", seed, 0);
    let mut bodies = Bodies::with_capacity(n);
    let mass = 1.0 / n as f64;
    for _ in 0..n {
        let root = libm::cbrt(within * random.uniform());
        // m = (1 + 1/r^2)^(-3/2)  ->  r^2 = m^(2/3) / (1 - m^(2/3))
        let r2 = root * root / (1.0 - root * root);
        let escape = (2.0 / (1.0 + r2).sqrt()).sqrt();
        let position = random.sphere(r2.sqrt() * scale);
        let speed = escape * fraction_of_escape_speed(&mut random) / scale.sqrt();
        bodies.push(mass, position, random.sphere(speed));
    }
    Ok(centered_henon(bodies))
}

/// q from the density q^2 (1 - q^2)^(7/2), whose maximum is 0.0922.
fn fraction_of_escape_speed(random: &mut Random) -> f64 {
    loop {
        let (q, y) = (random.uniform(), 0.1 * random.uniform());
        let rest = 1.0 - q * q;
        if y < q * q * rest * rest * rest * rest.sqrt() {
            return q;
        }
    }
}
