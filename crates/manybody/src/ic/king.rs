//! `king`: King's lowered isothermal sphere, the model of a globular cluster in the tide of its galaxy.
//!
//! ```text
//! f(E)   ~ exp(E) - 1, 0 below E = 0                           [King 1966], E in units of sigma^2
//! rho(W) ~ e^W erf(sqrt W) - sqrt(4W/pi) (1 + 2W/3)            W = psi / sigma^2, W0 at the centre, 0 at the edge
//! (1/R^2) d/dR (R^2 dW/dR) = -9 rho(W) / rho(W0)               R = r / r0, 9 sigma^2 = 4 pi G rho0 r0^2
//! ```
//!
//! The equation is integrated by Runge-Kutta of order 4 in R from the centre and in W near the edge, which is so met
//! exactly. With mu = -R^2 dW/dR, which is the mass, no term is singular. O(N).

use super::isotropic::{Isotropic, Sampler};
use super::table::Table;
use super::{Parameter, Random, Request, centered_henon, check};
use crate::{Bodies, Result, Snapshot};
use std::f64::consts::PI;

/// Options of [`king`].
#[derive(Clone, Debug, PartialEq)]
pub struct King {
    /// Number of bodies, each of mass 1/n.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// Central potential W0 in units of sigma^2, 0.01 to 20.
    pub w0: f64,
}

impl Default for King {
    fn default() -> Self {
        King { n: super::DEFAULT_N, seed: 0, w0: 6.0 }
    }
}

pub(super) const PARAMETERS: &[Parameter] =
    &[Parameter { name: "w0", default: "6", about: "central potential in units of sigma^2, 0.01 to 20" }];

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    let default = King::default();
    king(&King { n: request.n_or(default.n), seed: request.seed, w0: request.number("w0", default.w0)? })
}

/// A King model of n equal masses in Henon units, its centre of mass at rest at the origin.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for W0 outside 0.01 to 20.
pub fn king(options: &King) -> Result<Snapshot> {
    let model = KingModel::new(options.w0)?;
    // from a billionth of the mass outwards; near the centre the bound hardly changes
    let first = model.radius(1e-9);
    let nodes = model.radii.iter().copied().filter(|r| *r > first);
    let sampler = Sampler::new(&model, std::iter::once(first).chain(nodes).collect());
    let mut random = Random::new("king", options.seed, 0);
    let mut bodies = Bodies::with_capacity(options.n);
    for _ in 0..options.n {
        let (radius, position) = sampler.position(&mut random);
        bodies.push(1.0 / options.n as f64, position, sampler.velocity(radius, &mut random));
    }
    Ok(centered_henon(bodies))
}

/// The solution of King's equation for one W0, in Henon units (G = M = 1, E = -1/4).
pub struct KingModel {
    /// King's core radius r0.
    pub core_radius: f64,
    /// Radius of the edge.
    pub tidal_radius: f64,
    /// The velocity scale sigma^2 of the distribution function.
    pub sigma2: f64,
    radii: Vec<f64>,
    /// Radius by the cube root of the mass within.
    of_mass: Table,
    /// Mass by radius.
    mass: Table,
    /// W by radius.
    w: Table,
}

impl KingModel {
    /// Solves King's equation.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for W0 outside 0.01 to 20.
    pub fn new(w0: f64) -> Result<Self> {
        check("w0", w0, (0.01..=20.0).contains(&w0), "must be a central potential of 0.01 to 20")?;
        let states = solve(w0);
        let edge = states[states.len() - 1];
        // U = -1/2 int (W + M/r_t) dM; E = U/2 in equilibrium; the virial radius M^2 / 2|U| is the unit of length
        let virial_radius = edge.mu * edge.mu / (edge.energy + edge.mu * edge.mu / edge.r);
        let radii: Vec<f64> = states.iter().map(|s| s.r / virial_radius).collect();
        let masses: Vec<f64> = states.iter().map(|s| s.mu / edge.mu).collect();
        Ok(KingModel {
            core_radius: 1.0 / virial_radius,
            tidal_radius: edge.r / virial_radius,
            sigma2: virial_radius / edge.mu,
            of_mass: Table::linear(masses.iter().map(|m| libm::cbrt(*m)).collect(), radii.clone()),
            mass: Table::linear(radii.clone(), masses),
            w: Table::linear(radii.clone(), states.iter().map(|s| s.w).collect()),
            radii,
        })
    }

    /// The concentration c = log10(r_t / r0).
    pub fn concentration(&self) -> f64 {
        libm::log10(self.tidal_radius / self.core_radius)
    }

    /// The mass within a radius, 0 to 1.
    pub fn mass_within(&self, radius: f64) -> f64 {
        self.mass.at(radius)
    }

    /// The mean square of one component of the velocity at a radius; 0 from the edge on.
    pub fn dispersion2(&self, radius: f64) -> f64 {
        let w = self.w.at(radius);
        // sigma_r^2 rho = int rho dpsi: the pressure is the same series one power of W further
        if w > 0.0 { self.sigma2 * series(w, 3) / series(w, 2) } else { 0.0 }
    }
}

impl Isotropic for KingModel {
    fn radius(&self, fraction: f64) -> f64 {
        self.of_mass.at(libm::cbrt(fraction))
    }

    fn potential(&self, radius: f64) -> f64 {
        self.sigma2 * self.w.at(radius)
    }

    fn distribution(&self, energy: f64) -> f64 {
        libm::expm1(energy / self.sigma2)
    }
}

/// The sum of 2^k W^(k + 1/2) / (2k + 1)!! from k = `first`: the density for 2, up to a factor 2 / sqrt(pi), which
/// the closed form loses to cancellation at small W; the pressure for 3. All terms are positive.
fn series(w: f64, first: u32) -> f64 {
    let mut term = w.sqrt();
    let mut sum = 0.0;
    for k in 0..200 {
        if k >= first {
            sum += term;
            if term < 1e-17 * sum {
                break;
            }
        }
        term *= 2.0 * w / f64::from(2 * k + 3);
    }
    2.0 / PI.sqrt() * sum
}

/// King's equation in R, W, the mass mu and the integral of W dmu.
#[derive(Clone, Copy)]
struct State {
    r: f64,
    w: f64,
    mu: f64,
    energy: f64,
}

impl State {
    /// Change per step of R.
    fn derivative(self, rho0: f64) -> State {
        let rho = if self.w > 0.0 { series(self.w, 2) / rho0 } else { 0.0 };
        let mu = 9.0 * rho * self.r * self.r;
        State { r: 1.0, w: -self.mu / (self.r * self.r), mu, energy: self.w * mu }
    }

    fn plus(self, h: f64, d: State) -> State {
        State { r: self.r + h * d.r, w: self.w + h * d.w, mu: self.mu + h * d.mu, energy: self.energy + h * d.energy }
    }

    fn scaled(self, s: f64) -> State {
        State { r: self.r * s, w: self.w * s, mu: self.mu * s, energy: self.energy * s }
    }

    /// A step of Runge and Kutta.
    fn step(self, h: f64, f: impl Fn(State) -> State) -> State {
        let a = f(self);
        let b = f(self.plus(0.5 * h, a));
        let c = f(self.plus(0.5 * h, b));
        let d = f(self.plus(h, c));
        self.plus(h / 6.0, a).plus(h / 3.0, b).plus(h / 3.0, c).plus(h / 6.0, d)
    }
}

/// The states from the centre to the edge.
fn solve(w0: f64) -> Vec<State> {
    let rho0 = series(w0, 2);
    let r = 1e-3 * w0.min(1.0).sqrt();
    // W = W0 - 3/2 R^2 near the centre; the next term is below 1e-12
    let start = State { r, w: w0 - 1.5 * r * r, mu: 3.0 * r * r * r, energy: 3.0 * w0 * r * r * r };
    let mut states = vec![State { r: 0.0, w: w0, mu: 0.0, energy: 0.0 }, start];
    let mut state = start;
    let switch = (0.5 * w0).min(1.0);
    while state.w > switch {
        // no more than a percent of R, and of W where W falls fast
        let fall = state.mu / (state.r * state.r);
        let h = (0.01 * state.r).min(0.01 * state.w / fall);
        state = state.step(h, |s| s.derivative(rho0));
        states.push(state);
    }
    let steps = 500;
    let h = -state.w / f64::from(steps);
    for k in 0..steps {
        state = state.step(h, |s| {
            let d = s.derivative(rho0);
            d.scaled(1.0 / d.w)
        });
        if k == steps - 1 {
            state.w = 0.0;
        }
        states.push(state);
    }
    states
}
