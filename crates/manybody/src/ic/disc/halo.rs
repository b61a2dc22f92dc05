//! The halo's and bulge's distribution functions, by Eddington's inversion in the common potential
//! [Binney 2008, eq. 4.46]:
//!
//! ```text
//! f(E) = 1 / (sqrt(8) pi^2) int_0^E d2rho/dpsi2 dpsi / sqrt(E - psi)
//! ```
//!
//! The integral runs over radii r = r_E exp(u^2), in which it has no singular end. psi is that of both spheroids and
//! of the disc's monopole: the mass that the disc has within each sphere.

use super::Spheroid;
use crate::ic::isotropic::{Isotropic, logarithmic};
use crate::ic::table::{Table, integrate};

const FIRST: f64 = 1e-5;
const LAST: f64 = 1e5;

/// The spherical part of the potential of everything.
pub(super) struct Monopole {
    spheroids: Vec<Spheroid>,
    /// By ln r: the disc's mass within r, its derivative by r, its potential.
    mass: Table,
    density: Table,
    potential: Table,
}

impl Monopole {
    pub(super) fn new(thickness: f64, spheroids: &[Spheroid]) -> Self {
        let radii = logarithmic(FIRST, LAST, 500);
        let density: Vec<f64> = radii.iter().map(|r| shell(*r, thickness)).collect();
        // cumulative sums by Simpson's rule, outwards for the mass and inwards for int dM / r
        let pieces: Vec<[f64; 2]> = radii
            .windows(2)
            .map(|w| {
                let middle = (w[0] * w[1]).sqrt();
                let ends = [w[0], middle, w[1]];
                let values = ends.map(|r| shell(r, thickness) * r);
                let h = libm::log(w[1] / w[0]) / 6.0;
                let sum = |f: [f64; 3]| h * (f[0] + 4.0 * f[1] + f[2]);
                [sum(values), sum([0, 1, 2].map(|k| values[k] / ends[k]))]
            })
            .collect();
        let mut mass = vec![density[0] * radii[0] / 3.0];
        for piece in &pieces {
            mass.push(mass[mass.len() - 1] + piece[0]);
        }
        let mut outside = vec![0.0; radii.len()];
        for i in (0..pieces.len()).rev() {
            outside[i] = outside[i + 1] + pieces[i][1];
        }
        let potential = (0..radii.len()).map(|i| mass[i] / radii[i] + outside[i]).collect();
        let logs: Vec<f64> = radii.iter().map(|r| libm::log(*r)).collect();
        Monopole {
            spheroids: spheroids.to_vec(),
            mass: Table::smooth(logs.clone(), mass),
            density: Table::smooth(logs.clone(), density),
            potential: Table::smooth(logs, potential),
        }
    }

    /// psi = -Phi.
    fn potential(&self, r: f64) -> f64 {
        self.potential.at(libm::log(r)) + self.spheroids.iter().map(|s| s.whole() / (r + s.scale)).sum::<f64>()
    }

    /// The first and second derivative of psi.
    fn derivatives(&self, r: f64) -> (f64, f64) {
        let log = libm::log(r);
        let (mut mass, mut shell) = (self.mass.at(log), self.density.at(log));
        for part in &self.spheroids {
            let within = part.mass_within(r);
            mass += within;
            shell += 2.0 * within * part.scale / (r * (r + part.scale));
        }
        (-mass / (r * r), (2.0 * mass / r - shell) / (r * r))
    }
}

/// dM/dr of the disc's mass within spheres: r int exp(-R) sech^2(t) dt, R^2 = r^2 - (t z0)^2.
fn shell(r: f64, thickness: f64) -> f64 {
    let top = (r / thickness).min(18.0);
    let sum = integrate(0.0, top, 60, |t| {
        let z = t * thickness;
        let e = libm::exp(-2.0 * t);
        let radius = (r * r - z * z).max(0.0).sqrt();
        libm::exp(-radius) * 4.0 * e / ((1.0 + e) * (1.0 + e))
    });
    r * sum
}

/// A spheroid with the distribution function that holds it in the common potential.
pub(super) struct Eddington<'a> {
    part: Spheroid,
    around: &'a Monopole,
    /// f by energy.
    distribution: Table,
}

impl<'a> Eddington<'a> {
    pub(super) fn new(part: Spheroid, around: &'a Monopole) -> Self {
        let radii = logarithmic(1e-4 * part.scale, 1e3 * part.scale, 300);
        let mut energy = Vec::with_capacity(radii.len());
        let mut values = Vec::with_capacity(radii.len());
        let mut largest: f64 = 0.0;
        for r in radii.iter().rev() {
            energy.push(around.potential(*r));
            // where a heavy disc makes f dip, the dip is filled: the sampler needs f not to fall
            largest = largest.max(inversion(&part, around, *r));
            values.push(largest);
        }
        Eddington { part, around, distribution: Table::linear(energy, values) }
    }
}

/// The integral at the energy of radius `r`; constant factors are left out.
fn inversion(part: &Spheroid, around: &Monopole, r: f64) -> f64 {
    let energy = around.potential(r);
    let top = libm::log(LAST / r).sqrt();
    integrate(0.0, top, 100, |u| {
        let s = r * libm::exp(u * u);
        let (slope, bend) = around.derivatives(s);
        let (inner, outer) = (1.0 / s, 1.0 / (s + part.scale));
        let rho = inner * outer * outer * outer;
        let fall = inner + 3.0 * outer;
        let (d1, d2) = (-rho * fall, rho * (fall * fall + inner * inner + 3.0 * outer * outer));
        let second = (d2 - d1 * bend / slope) / (slope * slope); // d2rho / dpsi2
        let below = (energy - around.potential(s)).max(0.0);
        // dpsi / sqrt(E - psi) = |psi'| 2 u s du / sqrt(E - psi), whose limit at u = 0 is 2 sqrt(|psi'| s)
        let measure = if u * u < 1e-6 { 2.0 * (-slope * s).sqrt() } else { -slope * 2.0 * u * s / below.sqrt() };
        second * measure
    })
}

impl Isotropic for Eddington<'_> {
    fn radius(&self, fraction: f64) -> f64 {
        let edge = self.part.cutoff / (1.0 + self.part.cutoff);
        let root = edge * fraction.sqrt();
        self.part.scale * root / (1.0 - root)
    }

    fn potential(&self, radius: f64) -> f64 {
        self.around.potential(radius)
    }

    fn distribution(&self, energy: f64) -> f64 {
        self.distribution.at(energy)
    }
}
