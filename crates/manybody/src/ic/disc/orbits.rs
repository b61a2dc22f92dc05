//! Orbits in the plane of the disc, from Dehnen's distribution function for warm discs [Dehnen 1999]:
//!
//! ```text
//! f(E, L) = gamma Sigma' / (2 pi sigma^2) exp[ Omega (L - L_c) / sigma^2 ]       gamma = 2 Omega / kappa
//! ```
//!
//! with all functions taken at R_E, the radius of the circular orbit of energy E. A body is drawn in four steps: R_E
//! from Sigma'; L = L_c + sigma^2/Omega ln(xi); the orbit is kept with a chance in proportion to its radial period
//! times kappa / 2 pi (the density of states; 1 for small epicycles); and a place on it, in proportion to the time
//! spent there. What comes out depends on E and L alone, so it is stationary.
//!
//! Epicycles blur Sigma' a little. So Sigma' is first sharpened until the blurred disc has the profile asked for, by
//! the iteration of Richardson and Lucy on a matrix of where orbits of each R_E spend their time.

use super::plane::{Plane, REACH};
use crate::ic::Random;
use crate::ic::table::Table;

/// The disc is cut at this radius, within which lie 0.9995 of its mass.
const CUT: f64 = 10.0;
const CELLS: usize = 128;
/// Points along half an orbit.
const POINTS: usize = 24;

pub(super) struct Orbits<'a> {
    plane: &'a Plane,
    /// sigma_R at the centre; it falls as exp(-R/2).
    sigma0: f64,
    /// R_E by the share of orbits with less.
    guiding: Table,
    /// The largest weight of an orbit.
    heaviest: f64,
}

/// An orbit, and the time spent in each of [`POINTS`] stretches, equal in theta, of r = middle - half cos(theta).
struct Orbit {
    energy: f64,
    l: f64,
    middle: f64,
    half: f64,
    time: [f64; POINTS],
}

impl<'a> Orbits<'a> {
    pub(super) fn new(plane: &'a Plane, toomre_q: f64) -> Self {
        let at: f64 = 2.5;
        let surface_density = libm::exp(-at) / std::f64::consts::TAU;
        let sigma0 = toomre_q * 3.36 * surface_density / plane.kappa(at) * libm::exp(0.5 * at);
        let flat = Table::linear(vec![0.0, 1.0], vec![0.0, CUT]);
        let mut orbits = Orbits { plane, sigma0, guiding: flat, heaviest: 1.0 };
        orbits.sharpen();
        orbits
    }

    /// Position and velocity of a body.
    pub(super) fn draw(&self, thickness: f64, random: &mut Random) -> ([f64; 3], [f64; 3]) {
        let orbit = loop {
            let guiding = self.guiding.at(random.uniform());
            if let Some((orbit, weight)) = self.orbit(guiding, random.uniform())
                && random.uniform() * self.heaviest < weight
            {
                break orbit;
            }
        };
        let (r, v_r) = self.place(&orbit, random.uniform(), random.uniform());
        let v_r = if random.uniform() < 0.5 { v_r } else { -v_r };
        let [cos, sin] = random.circle(1.0);
        let height = random.uniform();
        let z = 0.5 * thickness * libm::log(height / (1.0 - height));
        let v_z = random.normal() * self.plane.dispersion2(r).sqrt();
        let v_phi = orbit.l / r;
        ([r * cos, r * sin, z], [v_r * cos - v_phi * sin, v_r * sin + v_phi * cos, v_z])
    }

    /// The orbit of a guiding radius and a uniform deviate, and its weight; `None` if it would turn backwards faster
    /// than the circular orbit turns forwards.
    fn orbit(&self, guiding: f64, deviate: f64) -> Option<(Orbit, f64)> {
        let (omega, kappa) = (self.plane.omega(guiding), self.plane.kappa(guiding));
        let circular = omega * guiding * guiding;
        let sigma2 = self.sigma0 * self.sigma0 * libm::exp(-guiding);
        let l = circular + sigma2 / omega * libm::log(deviate);
        if l < -circular {
            return None;
        }
        let energy = self.plane.potential(guiding) + 0.5 * omega * omega * guiding * guiding;
        let mut orbit = Orbit { energy, l, middle: guiding, half: 0.0, time: [1.0 / kappa; POINTS] };
        // an epicycle's size brackets the turning points
        let size = self.radial2(&orbit, guiding).max(0.0).sqrt() / kappa;
        if size > 1e-9 * guiding {
            let (inner, outer) = (self.turn(&orbit, guiding, -size), self.turn(&orbit, guiding, size));
            orbit.middle = 0.5 * (inner + outer);
            orbit.half = 0.5 * (outer - inner);
            for (k, time) in orbit.time.iter_mut().enumerate() {
                let theta = (k as f64 + 0.5) * std::f64::consts::PI / POINTS as f64;
                let r = orbit.middle - orbit.half * libm::cos(theta);
                // dt / dtheta; near the ends rounding may make v_r^2 vanish
                let v2 = 2.0 * (energy - self.plane.potential(r)) - (l / r) * (l / r);
                *time = orbit.half * libm::sin(theta) / v2.max(1e-12 * sigma2).sqrt();
            }
        }
        let period_over_tau = orbit.time.iter().sum::<f64>() / POINTS as f64;
        Some((orbit, period_over_tau * kappa))
    }

    /// v_r^2 at a radius.
    fn radial2(&self, orbit: &Orbit, r: f64) -> f64 {
        2.0 * (orbit.energy - self.plane.potential(r)) - (orbit.l / r) * (orbit.l / r)
    }

    /// The turning point inwards or outwards of the guiding radius, by regula falsi (Illinois) from a bracket that
    /// grows by halves.
    fn turn(&self, orbit: &Orbit, guiding: f64, size: f64) -> f64 {
        let (mut a, mut fa) = (guiding, self.radial2(orbit, guiding));
        let mut reach = 1.05 * size;
        let (mut b, mut fb);
        loop {
            b = guiding + reach;
            if b <= 0.0 {
                // halfway to the centre again and again
                b = 0.5 * a;
                if b < 1e-9 {
                    return b;
                }
            } else if b >= REACH {
                return REACH;
            }
            fb = self.radial2(orbit, b);
            if fb <= 0.0 {
                break;
            }
            (a, fa) = (b, fb);
            reach *= 1.5;
        }
        for _ in 0..60 {
            let c = b - fb * (b - a) / (fb - fa);
            let fc = self.radial2(orbit, c);
            if (fc > 0.0) == (fb > 0.0) {
                fa *= 0.5;
            } else {
                (a, fa) = (b, fb);
            }
            (b, fb) = (c, fc);
            if (b - a).abs() < 1e-10 * guiding || fb == 0.0 {
                break;
            }
        }
        b
    }

    /// A radius on an orbit and the speed there: a stretch by its time, then anywhere in it.
    fn place(&self, orbit: &Orbit, which: f64, within: f64) -> (f64, f64) {
        let mut left = which * orbit.time.iter().sum::<f64>();
        let mut k = 0;
        while k < POINTS - 1 && left > orbit.time[k] {
            left -= orbit.time[k];
            k += 1;
        }
        let theta = (k as f64 + within) * std::f64::consts::PI / POINTS as f64;
        let r = orbit.middle - orbit.half * libm::cos(theta);
        (r, self.radial2(orbit, r).max(0.0).sqrt())
    }

    /// Sets `guiding` so that the disc has an exponential profile, and `heaviest`.
    fn sharpen(&mut self) {
        let edge = |j: usize| CUT * (j as f64 / CELLS as f64).powf_3_2();
        let mass = |r: f64| 1.0 - (1.0 + r) * libm::exp(-r);
        let target: Vec<f64> = (0..CELLS).map(|j| mass(edge(j + 1)) - mass(edge(j))).collect();

        const DRAWS: usize = 40;
        let mut seen = vec![[0.0; CELLS]; CELLS]; // of orbits of cell j, the weight found in cell i
        let mut heaviest: f64 = 0.0;
        for (j, row) in seen.iter_mut().enumerate() {
            for d in 0..DRAWS {
                // both deviates at the middle of their shares, the first one stirred so that cells do not alias
                let at = (j as f64 + ((d * 17 + 5) % DRAWS) as f64 / DRAWS as f64) / CELLS as f64;
                let guiding = CUT * at.powf_3_2().max(1e-6);
                let Some((orbit, weight)) = self.orbit(guiding, (d as f64 + 0.5) / DRAWS as f64) else { continue };
                heaviest = heaviest.max(weight);
                let total: f64 = orbit.time.iter().sum();
                for (k, time) in orbit.time.iter().enumerate() {
                    for part in [0.25, 0.75] {
                        let theta = (k as f64 + part) * std::f64::consts::PI / POINTS as f64;
                        let r = orbit.middle - orbit.half * libm::cos(theta);
                        let cell = libm::cbrt((r / CUT) * (r / CUT)) * CELLS as f64;
                        if cell < CELLS as f64 {
                            row[cell as usize] += 0.5 * weight * time / total / DRAWS as f64;
                        }
                    }
                }
            }
        }
        self.heaviest = 1.05 * heaviest;
        self.guiding = cumulative(&richardson_lucy(&seen, &target), edge);
    }
}

/// Twenty rounds of source_j *= sum_i seen_ji target_i / blurred_i / sum_i seen_ji.
fn richardson_lucy(seen: &[[f64; CELLS]], target: &[f64]) -> Vec<f64> {
    let mut source = target.to_vec();
    for _ in 0..20 {
        let mut blurred = [0.0; CELLS];
        for (row, mass) in seen.iter().zip(&source) {
            for (sum, share) in blurred.iter_mut().zip(row) {
                *sum += mass * share;
            }
        }
        for (row, mass) in seen.iter().zip(source.iter_mut()) {
            let (mut wanted, mut whole) = (0.0, 0.0);
            for i in 0..CELLS {
                whole += row[i];
                wanted += if blurred[i] > 0.0 { row[i] * target[i] / blurred[i] } else { 0.0 };
            }
            if whole > 0.0 {
                *mass *= wanted / whole;
            }
        }
    }
    source
}

/// The radius by the share of the source within it.
fn cumulative(source: &[f64], edge: impl Fn(usize) -> f64) -> Table {
    let total: f64 = source.iter().sum();
    let mut sum = 0.0;
    let mut shares = vec![0.0];
    for mass in source {
        sum += mass;
        shares.push(sum / total);
    }
    Table::linear(shares, (0..=source.len()).map(edge).collect())
}

/// The power 3/2 from a square root, the same bits everywhere.
trait ThreeHalves {
    fn powf_3_2(self) -> f64;
}

impl ThreeHalves for f64 {
    fn powf_3_2(self) -> f64 {
        self * self.sqrt()
    }
}
