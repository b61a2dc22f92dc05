//! `hernquist`: Hernquist's sphere, the model of a bulge, an elliptical galaxy or a dark halo.
//!
//! ```text
//! rho(r) = M a / (2 pi r (r + a)^3)      M(r) = M r^2 / (r + a)^2      psi(r) = G M / (r + a)
//! f(E)  ~ (1 - q^2)^(-5/2) [3 asin q + q (1 - q^2)^(1/2) (1 - 2 q^2) (8 q^4 - 8 q^2 - 3)],  q^2 = a E / (G M)
//! ```
//!
//! [Hernquist 1990, eqs. 2, 3, 5, 17]. The sphere has no edge: it is cut at `cutoff_scales`, by default 300 a = 100,
//! within which lie 99.3% of the mass. What lies outside exerts no force inside, so the cut sphere with the velocities
//! of the whole is in equilibrium but for the few orbits that cross the edge; it is then scaled to M = 1, E = -1/4.
//! O(N).

use super::isotropic::{Isotropic, Sampler, logarithmic};
use super::table::integrate;
use super::{Parameter, Random, Request, centered_henon, check};
use crate::{Bodies, Result, Snapshot};

/// Options of [`hernquist`].
#[derive(Clone, Debug, PartialEq)]
pub struct Hernquist {
    /// Number of bodies, each of mass 1/n.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// Largest radius in units of the scale radius a, 1 or more.
    pub cutoff_scales: f64,
}

impl Default for Hernquist {
    fn default() -> Self {
        Hernquist { n: super::DEFAULT_N, seed: 0, cutoff_scales: 300.0 }
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[Parameter {
    name: "cutoff-scales",
    default: "300",
    about: "largest radius in units of the scale radius, 1 or more",
}];

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    let default = Hernquist::default();
    hernquist(&Hernquist {
        n: request.n_or(default.n),
        seed: request.seed,
        cutoff_scales: request.number("cutoff-scales", default.cutoff_scales)?,
    })
}

/// A Hernquist sphere of n equal masses in Henon units, its centre of mass at rest at the origin.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a cut-off below 1.
pub fn hernquist(options: &Hernquist) -> Result<Snapshot> {
    Ok(centered_henon(sample(options)?))
}

/// The bodies about the sphere's own centre, from which their centre of mass may lie far: the mean square of r grows
/// with the cut-off.
pub(super) fn sample(options: &Hernquist) -> Result<Bodies> {
    let Hernquist { n, seed, cutoff_scales: cutoff } = *options;
    check("cutoff-scales", cutoff, cutoff >= 1.0, "must be at least 1 scale radius")?;
    let model = Truncated::new(cutoff);
    let sampler = Sampler::new(&model, logarithmic(1e-6, cutoff, 1024));
    let (length, speed) = model.henon_scale();
    let mut random = Random::new("hernquist", seed, 0);
    let mut bodies = Bodies::with_capacity(n);
    for _ in 0..n {
        let (radius, position) = sampler.position(&mut random);
        let velocity = sampler.velocity(radius, &mut random);
        bodies.push(1.0 / n as f64, position.map(|q| q * length), velocity.map(|q| q * speed));
    }
    Ok(bodies)
}

/// Hernquist's sphere with G = M = a = 1 before the cut.
struct Truncated {
    cutoff: f64,
    /// Mass within the cut.
    mass: f64,
}

impl Truncated {
    fn new(cutoff: f64) -> Self {
        let root = cutoff / (1.0 + cutoff);
        Truncated { cutoff, mass: root * root }
    }

    /// Factors of length and velocity that give the cut sphere M = 1 and E = -1/4.
    fn henon_scale(&self) -> (f64, f64) {
        // in s = r / (1 + r), with M = s^2 and dM = 2 s ds:
        // U = -int M dM / r = -int 2 s^2 (1 - s) ds, K = 3/2 int sigma_r^2 dM
        let s = self.cutoff / (1.0 + self.cutoff);
        let potential = -(2.0 / 3.0 * s * s * s - 0.5 * s * s * s * s);
        let kinetic = 1.5 * integrate(0.0, s, 2000, |s| 2.0 * s * dispersion2(s / (1.0 - s)));
        // mass M -> 1 at fixed G: energies of the cut sphere go as M^2 / length
        let length = -4.0 * (kinetic + potential) / (self.mass * self.mass);
        (length, 1.0 / (length * self.mass).sqrt())
    }
}

impl Isotropic for Truncated {
    fn radius(&self, fraction: f64) -> f64 {
        let root = (fraction * self.mass).sqrt();
        root / (1.0 - root)
    }

    fn potential(&self, radius: f64) -> f64 {
        1.0 / (1.0 + radius)
    }

    fn distribution(&self, energy: f64) -> f64 {
        let q2 = energy.min(1.0);
        let (q, rest) = (q2.sqrt(), 1.0 - q2);
        let root = rest.sqrt();
        let bracket = 3.0 * libm::asin(q) + q * root * (1.0 - 2.0 * q2) * (8.0 * q2 * q2 - 8.0 * q2 - 3.0);
        bracket / (rest * rest * root)
    }
}

/// Mean square of one component of the velocity at a radius, G = M = a = 1 [Hernquist 1990, eq. 10].
fn dispersion2(r: f64) -> f64 {
    // sigma^2 = int_r^inf rho M / r^2 dr / rho = r (1 + r)^3 int_0^u t^4 / (1 - t) dt with u = 1 / (1 + r)
    let one = 1.0 + r;
    let u = 1.0 / one;
    let integral = if u < 0.5 {
        // the closed form cancels here; the remainder of the series is below u^64
        (5..69).rev().fold(0.0, |sum, k| u * sum + 1.0 / f64::from(k)) * u * u * u * u * u
    } else {
        libm::log1p(1.0 / r) - u * (1.0 + u * (1.0 / 2.0 + u * (1.0 / 3.0 + u / 4.0)))
    };
    if r > 0.0 { r * one * one * one * integral } else { 0.0 }
}
