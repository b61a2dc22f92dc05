//! Unperturbed pairs: for a step of the run two bodies are one body of the scheme, at their centre of mass, and their
//! motion about each other is Kepler's.
//!
//! ```text
//! a pair         two bodies bound to each other more than to others, with a period of at most dt
//! perturbation   sum over the other bodies of 2 m (R / d)^3 / M, with the apocentre R and the distance d
//! unperturbed    at the beginning, for the least distances on straight lines during dt, below a limit;
//!                at each block in which the pair is active, for the distances there, below four times that
//! ```
//!
//! Pairs are chosen at the beginning of each dt, where all bodies are at one time, from the bodies alone. Where one is
//! perturbed later, the dt is made again with its two bodies resolved. What is neglected is the tidal force in both
//! directions, with it changes of the orbit of this order.
//!
//! The first body of a pair holds the centre of mass meanwhile, the second has no mass and is never active.

use super::vector::{Vector, dot, less, put};
use crate::Bodies;
use crate::cluster::{Neighbourhood, bound_pairs};
use crate::events::RADIUS;
use crate::ic::eccentric_anomaly;
use crate::solver::Gravity;
use std::f64::consts::TAU;

/// The perturbation that is neglected where no other is given.
pub(super) const NEGLECTED: f64 = 1e-5;

/// At a block it may be larger by this factor than expected at the beginning.
const TOLERATED: f64 = 4.0;

/// Two bodies that move as one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    /// Their masses.
    mass: [f64; 2],
    /// The position and the velocity of the second relative to the first, at the beginning of dt.
    r: Vector,
    v: Vector,
    /// The smallest and the largest distance.
    pericentre: f64,
    apocentre: f64,
}

/// The pairs of bodies that are perturbed by less than `limit` during a step of length `dt`, without the pairs `but`.
pub(super) fn unperturbed(
    bodies: &Bodies,
    gravity: &Gravity,
    (dt, limit): (f64, f64),
    but: &[[usize; 2]],
) -> Vec<Pair> {
    let neighbourhood = Neighbourhood::of(bodies);
    let bound = bound_pairs(bodies, &neighbourhood, gravity);
    let period = |pair: &crate::cluster::BoundPair| {
        let [i, j] = pair.index;
        TAU * (pair.semi_major_axis.powi(3) / (gravity.g * (bodies.mass[i] + bodies.mass[j]))).sqrt()
    };
    let short = bound.iter().filter(|pair| period(pair) <= dt && pair.eccentricity < 1.0 && !but.contains(&pair.index));
    let pairs = short.map(|pair| {
        let [i, j] = pair.index;
        Pair {
            first: i,
            second: j,
            mass: [bodies.mass[i], bodies.mass[j]],
            r: less(bodies.position(j), bodies.position(i)),
            v: less(bodies.velocity(j), bodies.velocity(i)),
            pericentre: pair.semi_major_axis * (1.0 - pair.eccentricity),
            apocentre: pair.semi_major_axis * (1.0 + pair.eccentricity),
        }
    });
    pairs.filter(|pair| perturbation(pair, bodies, dt) < limit).collect()
}

/// The perturbation of a pair whose bodies are in their places, by the least distances to others within a time.
fn perturbation(pair: &Pair, bodies: &Bodies, time: f64) -> f64 {
    let (place, velocity) = pair.center(bodies);
    sum_of_tides(pair, bodies, |k| {
        let (d, w) = (less(bodies.position(k), place), less(bodies.velocity(k), velocity));
        let when = -dot(d, w) / dot(w, w);
        let when = if when.is_finite() { when.clamp(0.0, time) } else { 0.0 };
        let least: Vector = std::array::from_fn(|q| d[q] + when * w[q]);
        dot(least, least).sqrt()
    })
}

fn sum_of_tides(pair: &Pair, bodies: &Bodies, distance: impl Fn(usize) -> f64) -> f64 {
    let total = pair.mass[0] + pair.mass[1];
    let others = (0..bodies.len()).filter(|k| *k != pair.first && *k != pair.second && bodies.mass[*k] > 0.0);
    others.map(|k| 2.0 * bodies.mass[k] / total * (pair.apocentre / distance(k)).powi(3)).sum()
}

impl Pair {
    /// How far from its centre of mass its bodies are at most, with their radii.
    pub(super) fn reach(&self, radius: &[f64]) -> f64 {
        self.apocentre + radius[self.first].max(radius[self.second])
    }

    /// Whether its bodies touch where they are closest.
    pub(super) fn touches(&self, bodies: &Bodies) -> bool {
        let radius = bodies.extra.get(RADIUS).filter(|radius| radius.len() == bodies.len());
        // at the pericentre of an orbit that tides change a little
        radius.is_some_and(|radius| self.pericentre <= 1.01 * (radius[self.first] + radius[self.second]))
    }

    /// Whether others have come too close, where the first body holds the centre of mass.
    pub(super) fn is_perturbed(&self, bodies: &Bodies, limit: f64) -> bool {
        let place = bodies.position(self.first);
        let tide = sum_of_tides(self, bodies, |k| {
            let d = less(bodies.position(k), place);
            dot(d, d).sqrt()
        });
        tide.is_nan() || tide >= TOLERATED * limit
    }

    /// Position and velocity of the centre of mass of two bodies in their places.
    fn center(&self, bodies: &Bodies) -> (Vector, Vector) {
        let share = self.mass[1] / (self.mass[0] + self.mass[1]);
        let of = |a: Vector, d: Vector| std::array::from_fn(|q| a[q] + share * d[q]);
        (of(bodies.position(self.first), self.r), of(bodies.velocity(self.first), self.v))
    }

    /// Puts the centre of mass in the place of the first body; the second moves beside it, without mass.
    pub(super) fn join(&self, bodies: &mut Bodies) {
        let (place, velocity) = self.center(bodies);
        put(bodies, self.first, place, velocity);
        put(bodies, self.second, std::array::from_fn(|q| place[q] + self.r[q]), velocity);
        bodies.mass[self.first] = self.mass[0] + self.mass[1];
        bodies.mass[self.second] = 0.0;
    }

    /// Puts both bodies in their places, after a time.
    pub(super) fn part(&self, bodies: &mut Bodies, gravity: &Gravity, time: f64) {
        let total = self.mass[0] + self.mass[1];
        let (place, velocity) = (bodies.position(self.first), bodies.velocity(self.first));
        let (r, v) = kepler(self.r, self.v, gravity.g * total, time);
        let beside = |share: f64| {
            (std::array::from_fn(|q| place[q] + share * r[q]), std::array::from_fn(|q| velocity[q] + share * v[q]))
        };
        let (first, second) = (beside(-self.mass[1] / total), beside(self.mass[0] / total));
        put(bodies, self.first, first.0, first.1);
        put(bodies, self.second, second.0, second.1);
        [bodies.mass[self.first], bodies.mass[self.second]] = self.mass;
    }
}

/// A Kepler orbit, bound, after a time: with the eccentric anomaly E, x = e cos E, y = e sin E and D = E1 - E0
///
/// ```text
/// f = 1 - a / r0 (1 - cos D)                 g = t - (D - sin D) / n
/// f' = -a^2 n / (r0 r1) sin D                g' = 1 - a / r1 (1 - cos D)
/// ```
pub(super) fn kepler(r: Vector, v: Vector, attraction: f64, time: f64) -> (Vector, Vector) {
    let r0 = dot(r, r).sqrt();
    let a = 1.0 / (2.0 / r0 - dot(v, v) / attraction);
    let n = (attraction / a.powi(3)).sqrt();
    let (x, y) = (1.0 - r0 / a, dot(r, v) / (n * a * a));
    let (e, anomaly) = (x.hypot(y), libm::atan2(y, x));
    // whole turns change nothing
    let time = time % (TAU / n);
    let mean = (anomaly - y + n * time) % TAU;
    let end = eccentric_anomaly(mean, e);
    let turned = end - anomaly;
    let (sin, cos) = (libm::sin(turned), libm::cos(turned));
    let r1 = a * (1.0 - e * libm::cos(end));
    // the time that belongs to this angle, of which whole turns may have been taken
    let passed = (end - e * libm::sin(end) - (anomaly - y)) / n;
    let (f, g) = (1.0 - a / r0 * (1.0 - cos), passed - (turned - sin) / n);
    let (df, dg) = (-a * a * n / (r0 * r1) * sin, 1.0 - a / r1 * (1.0 - cos));
    (std::array::from_fn(|q| f * r[q] + g * v[q]), std::array::from_fn(|q| df * r[q] + dg * v[q]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ic;

    /// Beside the initial conditions of the same ellipse at another phase, also after many turns.
    #[test]
    fn an_ellipse_is_followed() {
        for eccentricity in [0.0, 0.3, 0.9, 0.9999] {
            let at = |phase: f64| {
                let of = ic::Kepler { eccentricity, phase, ..ic::Kepler::default() };
                let bodies = ic::kepler(&of).unwrap().bodies;
                (less(bodies.position(1), bodies.position(0)), less(bodies.velocity(1), bodies.velocity(0)))
            };
            for (begin, end, turns) in [(5.0, 90.0, 0.0), (180.0, 10.0, 1.0), (200.0, 199.0, 20.0), (30.0, 350.0, 0.0)]
            {
                let (r, v) = at(begin);
                let time = ((end - begin) / 360.0 + turns) * TAU;
                let (found, right) = (kepler(r, v, 1.0, time), at(end));
                let off = less(found.0, right.0);
                let size = dot(right.1, right.1).sqrt();
                let slow = less(found.1, right.1);
                // 20 turns are 125 radians, whose rounding is 1e-14 (no phase is 0: there the initial conditions of
                // 0.9999 have themselves an error of 1e-8)
                assert!(dot(off, off).sqrt() < 1e-11, "{eccentricity} {begin} {end}: {off:?}");
                assert!(dot(slow, slow).sqrt() < 1e-9 * size.max(1.0), "{eccentricity} {begin} {end}: {slow:?}");
            }
        }
    }

    /// A pair, a third body far away, and one that comes.
    #[test]
    fn perturbers_are_seen_before_they_come() {
        let mut bodies = ic::kepler(&ic::Kepler { semi_major_axis: 1e-3, ..ic::Kepler::default() }).unwrap().bodies;
        let gravity = Gravity::new(1.0, 0.0);
        (0..8).for_each(|k| bodies.push(0.01, [3.0, f64::from(k), 0.0], [0.0; 3]));
        let found = unperturbed(&bodies, &gravity, (1.0 / 16.0, 1e-6), &[]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first, found[0].second), (0, 1));
        assert!(unperturbed(&bodies, &gravity, (1.0 / 16.0, 1e-6), &[[0, 1]]).is_empty());
        // longer than dt: it is resolved
        assert!(unperturbed(&bodies, &gravity, (1e-4, 1e-6), &[]).is_empty());
        bodies.push(0.5, [0.3, 0.01, 0.0], [-6.0, 0.0, 0.0]);
        assert!(unperturbed(&bodies, &gravity, (1.0 / 16.0, 1e-6), &[]).is_empty());
        // joined and parted after no time they are where they were, to rounding
        let mut moved = bodies.clone();
        found[0].join(&mut moved);
        assert!((moved.mass[0], moved.mass[1]) == (1.0, 0.0) && !found[0].is_perturbed(&moved, 1e-6));
        moved.x[10] = 0.05;
        assert!(found[0].is_perturbed(&moved, 1e-6));
        moved.x[10] = bodies.x[10];
        found[0].part(&mut moved, &gravity, 0.0);
        for k in 0..2 {
            let off = less(moved.position(k), bodies.position(k));
            assert!(dot(off, off).sqrt() < 1e-18 && moved.mass[k] == bodies.mass[k], "{off:?}");
        }
    }
}
