//! Diagnostics: what a run conserves, and how well.
//!
//! ```text
//! T = sum m v^2 / 2          W = sum m phi / 2          E = T + W
//! P = sum m v                L = sum m x × v            Q = -2 (T - P^2 / 2M) / W, 1 in virial equilibrium
//! ```
//!
//! All sums are in f64 with Neumaier's compensation [Neumaier 1974] and in the order of the bodies on one thread: an
//! energy error of 1e-15 can be distinguished from rounding, and the number of threads changes nothing. O(n); the
//! potential, O(n^2), comes from a solver.

use crate::events::Tally;
use crate::vector::cross;
use crate::{Bodies, Error, Result};
use manybody_pairwise::Integrals;

/// The integrals of motion and a few measures of a system at one time.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Simulation time.
    pub time: f64,
    /// Total mass M.
    pub mass: f64,
    /// Kinetic energy T.
    pub kinetic: f64,
    /// Potential energy W, half the sum of mass times potential; of external fields, the whole sum.
    pub potential: f64,
    /// Momentum P.
    pub momentum: [f64; 3],
    /// Angular momentum L about the origin.
    pub angular_momentum: [f64; 3],
    /// Centre of mass.
    pub center_of_mass: [f64; 3],
    /// Sum of m |v|: what a change of momentum is measured by.
    pub momentum_scale: f64,
    /// Sum of m |x × v|: what a change of angular momentum is measured by.
    pub angular_momentum_scale: f64,
    /// Radius about the centre of mass that holds half of the mass.
    pub half_mass_radius: f64,
    /// Which of these the forces conserve.
    pub conserved: Conserved,
}

/// What the forces on a system conserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conserved {
    /// The energy: there is a potential, and neither it nor the forces depend on time or velocities.
    pub energy: bool,
    /// Momentum and angular momentum: no field acts from outside.
    pub momenta: bool,
}

impl Default for Conserved {
    /// All of it, as gravity does.
    fn default() -> Self {
        Conserved { energy: true, momenta: true }
    }
}

impl Diagnostics {
    /// Measures `bodies` at `time`. `potential`: \[n\], that of all other bodies at the place of each.
    pub fn measure(bodies: &Bodies, time: f64, potential: &[f64]) -> Self {
        let n = bodies.len();
        let over = |term: &dyn Fn(usize) -> f64| (0..n).map(term).collect::<Compensated>().total();
        let m = &bodies.mass;
        let axes = [&bodies.x, &bodies.y, &bodies.z];
        let speeds = [&bodies.vx, &bodies.vy, &bodies.vz];
        let spin = |i: usize| cross(bodies.position(i), bodies.velocity(i));

        let mass = over(&|i| m[i]);
        let center_of_mass = axes.map(|q| if mass > 0.0 { over(&|i| m[i] * q[i]) / mass } else { 0.0 });
        Diagnostics {
            time,
            mass,
            kinetic: 0.5 * over(&|i| m[i] * square(bodies.velocity(i))),
            potential: 0.5 * over(&|i| m[i] * potential[i]),
            momentum: speeds.map(|q| over(&|i| m[i] * q[i])),
            angular_momentum: [0, 1, 2].map(|k| over(&|i| m[i] * spin(i)[k])),
            center_of_mass,
            momentum_scale: over(&|i| m[i] * square(bodies.velocity(i)).sqrt()),
            angular_momentum_scale: over(&|i| m[i] * square(spin(i)).sqrt()),
            half_mass_radius: lagrangian_radii(bodies, center_of_mass, &[0.5])[0],
            conserved: Conserved::default(),
        }
    }

    /// Those of sums made where the bodies are, without the half-mass radius, which is 0.
    pub fn of(sums: Integrals, time: f64) -> Self {
        let Integrals { mass, kinetic, potential, momentum, angular_momentum, center_of_mass, .. } = sums;
        let Integrals { momentum_scale, angular_momentum_scale, .. } = sums;
        Diagnostics {
            time,
            mass,
            kinetic,
            potential,
            momentum,
            angular_momentum,
            center_of_mass,
            momentum_scale,
            angular_momentum_scale,
            half_mass_radius: 0.0,
            conserved: Conserved::default(),
        }
    }

    /// Checks that no sum over `bodies` has overflowed; the infinite ones are laid at the door of the body with the
    /// largest term.
    ///
    /// # Errors
    /// [`Error::NotFinite`] naming the quantity and that body.
    pub fn check_finite(&self, bodies: &Bodies, potential: &[f64]) -> Result<()> {
        let spin = |i: usize| bodies.mass[i] * square(cross(bodies.position(i), bodies.velocity(i))).sqrt();
        let kinetic = |i: usize| bodies.mass[i] * square(bodies.velocity(i));
        type Term<'a> = &'a dyn Fn(usize) -> f64;
        let sums: [(&'static str, f64, Term<'_>); 4] = [
            ("mass", self.mass, &|i| bodies.mass[i]),
            ("kinetic energy", self.kinetic, &kinetic),
            ("potential energy", self.potential, &|i| bodies.mass[i] * potential[i].abs()),
            ("angular momentum", self.angular_momentum_scale, &spin),
        ];
        let Some((quantity, value, term)) = sums.into_iter().find(|(_, sum, _)| !sum.is_finite()) else {
            return Ok(());
        };
        // NaN, which 0 times infinity makes, is the largest in this order
        let index = (0..bodies.len()).max_by(|a, b| term(*a).abs().total_cmp(&term(*b).abs())).unwrap_or(0);
        Err(Error::NotFinite { time: self.time, index, id: bodies.id[index], quantity, value })
    }

    /// Total energy E.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// -2 T / W with T about the centre of mass: 1 in equilibrium, 0 for a system at rest, NaN where W is 0.
    pub fn virial_ratio(&self) -> f64 {
        let of_center = if self.mass > 0.0 { square(self.momentum) / (2.0 * self.mass) } else { 0.0 };
        if self.potential == 0.0 { f64::NAN } else { -2.0 * (self.kinetic - of_center) / self.potential }
    }

    /// The time unit in which G = M = 1 and the virial radius is 1 [Heggie 1986], for this system in its
    /// equilibrium: sqrt(R^3 / (G M)) with the virial radius R = G M^2 / (2 |W|). `None` without mass or potential.
    pub fn henon_time(&self, g: f64) -> Option<f64> {
        let radius = self.virial_radius(g)?;
        Some((radius.powi(3) / (g * self.mass)).sqrt())
    }

    /// The virial radius G M^2 / (2 |W|). `None` without mass or potential.
    pub fn virial_radius(&self, g: f64) -> Option<f64> {
        let radius = g * self.mass * self.mass / (2.0 * self.potential.abs());
        (radius.is_finite() && radius > 0.0).then_some(radius)
    }

    /// How far this state has moved from `initial` in what should not change.
    pub fn drift_since(&self, initial: &Diagnostics) -> Drift {
        self.drift_beside(initial, &Tally::default())
    }

    /// The same where [events](crate::events) have changed `tally` of it. The energy error is relative to the larger of |E0| and
    /// what is expected now, which may be 0, as where all bodies have merged.
    pub fn drift_beside(&self, initial: &Diagnostics, tally: &Tally) -> Drift {
        let at_start = initial.energy().abs();
        let initial = tally.after(initial);
        let change = |now: [f64; 3], then: [f64; 3]| square([0, 1, 2].map(|k| now[k] - then[k])).sqrt();
        let turned = change(self.angular_momentum, initial.angular_momentum);
        let of = |conserved: bool, drift: f64| if conserved { drift } else { f64::NAN };
        let Conserved { energy, momenta } = initial.conserved;
        Drift {
            energy: of(energy, relative(self.energy() - initial.energy(), initial.energy().abs().max(at_start))),
            momentum: of(momenta, relative(change(self.momentum, initial.momentum), initial.momentum_scale)),
            angular_momentum: of(momenta, relative(turned, initial.angular_momentum_scale)),
        }
    }
}

/// An energy error in words: "+1.2e-3 of |E|"; where the energy `at_start` is 0, the change itself.
pub fn energy_error_in_words(error: f64, at_start: f64) -> String {
    let of = if at_start == 0.0 { ", not relative: E was 0" } else { " of |E|" };
    format!("{error:+.1e}{of}")
}

/// Changes in what should not change; NaN for what the forces do not [conserve](Conserved).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// (E - E0) / |E0|, signed; the change itself where E0 is 0.
    pub energy: f64,
    /// |P - P0| / sum m |v| at the start; the change itself where that is 0.
    pub momentum: f64,
    /// |L - L0| / sum m |x × v| at the start; the change itself where that is 0.
    pub angular_momentum: f64,
}

/// Radii about `center` that hold the `fractions` (0 to 1) of the mass, each that of the body with which the sum of
/// masses from within reaches it. 0 for a system without mass. O(n log n).
pub fn lagrangian_radii(bodies: &Bodies, center: [f64; 3], fractions: &[f64]) -> Vec<f64> {
    let away = |i: usize| square([0, 1, 2].map(|k| bodies.position(i)[k] - center[k]));
    let mut by_radius: Vec<(f64, f64)> = (0..bodies.len()).map(|i| (away(i), bodies.mass[i])).collect();
    by_radius.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = by_radius.iter().map(|body| body.1).collect::<Compensated>().total();
    let within = |fraction: f64| {
        let mut sum = Compensated::default();
        let reached = by_radius.iter().find(|body| {
            sum.add(body.1);
            sum.total() >= fraction * total
        });
        // rounding may leave the sum a last bit short of the whole
        reached.or(by_radius.last()).map_or(0.0, |body| body.0.sqrt())
    };
    fractions.iter().map(|fraction| if total > 0.0 { within(*fraction) } else { 0.0 }).collect()
}

/// A sum with Neumaier's compensation: its error is about one rounding of the result, whatever the number of terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    /// Adds a term.
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum so far.
    pub fn total(&self) -> f64 {
        // an infinite sum makes the compensation NaN: the sum itself says what happened
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

impl FromIterator<f64> for Compensated {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Compensated::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

fn relative(change: f64, scale: f64) -> f64 {
    if scale > 0.0 { change / scale } else { change }
}

/// The length of a vector.
pub(crate) fn length(q: [f64; 3]) -> f64 {
    square(q).sqrt()
}

fn square(q: [f64; 3]) -> f64 {
    q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{ForceTerms, Forces, Gravity, Reference, Solver};

    fn measure(bodies: &Bodies) -> Diagnostics {
        let mut forces = Forces::default();
        let terms = ForceTerms { potential: true, jerk: false };
        Reference::default().forces(bodies, &Gravity::new(1.0, 0.0), terms, &mut forces).unwrap();
        Diagnostics::measure(bodies, 0.0, &forces.pot)
    }

    /// Masses 3 and 1 at distance 4 on a circle about their centre: every number by hand, all exact in binary.
    #[test]
    fn a_pair_by_hand() {
        let mut pair = Bodies::default();
        pair.push(3.0, [-1.0, 0.0, 0.0], [0.0, -0.25, 0.0]);
        pair.push(1.0, [3.0, 0.0, 0.0], [0.0, 0.75, 0.0]);
        let d = measure(&pair);
        assert_eq!((d.mass, d.kinetic, d.potential), (4.0, 0.375, -0.75));
        assert_eq!((d.momentum, d.angular_momentum), ([0.0; 3], [0.0, 0.0, 3.0]));
        assert_eq!((d.momentum_scale, d.angular_momentum_scale), (1.5, 3.0));
        assert_eq!(d.virial_ratio(), 1.0); // a circular orbit
        assert_eq!(d.half_mass_radius, 1.0); // the inner body holds 3/4
        assert_eq!(d.virial_radius(1.0), Some(16.0 / 1.5));
        // in motion as a whole, the virial ratio and the half-mass radius stay; energy and momentum do not
        pair.shift([8.0, 0.0, 0.0], [0.0, 0.0, 2.0]);
        let moving = measure(&pair);
        assert_eq!((moving.virial_ratio(), moving.half_mass_radius), (1.0, 1.0));
        assert_eq!((moving.kinetic, moving.momentum), (8.375, [0.0, 0.0, 8.0]));
        assert_eq!(moving.center_of_mass, [8.0, 0.0, 0.0]);
    }

    #[test]
    fn drift_is_relative_and_signed() {
        let initial = Diagnostics { kinetic: 1.0, potential: -3.0, momentum_scale: 4.0, ..Default::default() };
        let later = Diagnostics { kinetic: 1.5, momentum: [0.0, 3.0, 4.0], ..initial.clone() };
        let drift = later.drift_since(&initial);
        assert_eq!((drift.energy, drift.momentum, drift.angular_momentum), (0.25, 1.25, 0.0));
        // nothing to be relative to: the change itself
        let still = Diagnostics::default();
        assert_eq!(Diagnostics { kinetic: 0.5, ..still.clone() }.drift_since(&still).energy, 0.5);
    }

    #[test]
    fn an_energy_of_0_is_no_scale() {
        assert_eq!(energy_error_in_words(-0.25, -0.5), "-2.5e-1 of |E|");
        assert_eq!(energy_error_in_words(0.004, 0.0), "+4.0e-3, not relative: E was 0");
    }

    /// Plain summation returns 0 here.
    #[test]
    fn a_sum_keeps_what_rounding_drops() {
        assert_eq!([1.0, 1e100, 1.0, -1e100].into_iter().collect::<Compensated>().total(), 2.0);
        assert_eq!([1e308, 1e308].into_iter().collect::<Compensated>().total(), f64::INFINITY);
    }

    #[test]
    fn shells_hold_their_share() {
        let mut shells = Bodies::default();
        for radius in [4.0, 1.0, 3.0, 2.0] {
            shells.push(0.25, [0.0, radius, 0.0], [0.0; 3]);
        }
        assert_eq!(lagrangian_radii(&shells, [0.0; 3], &[0.0, 0.25, 0.26, 0.5, 1.0]), [1.0, 1.0, 2.0, 2.0, 4.0]);
        assert_eq!(lagrangian_radii(&Bodies::zeros(3), [0.0; 3], &[0.5]), [0.0]);
    }

    #[test]
    fn nothing_has_no_scale() {
        let nothing = measure(&Bodies::default());
        assert_eq!(nothing.energy(), 0.0);
        assert_eq!((nothing.virial_radius(1.0), nothing.henon_time(1.0)), (None, None));
        assert!(nothing.virial_ratio().is_nan());
    }
}
