//! The closest pair: two bodies whose motion about each other is faster than that of any other two.
//!
//! ```text
//! time scale     min(sqrt(s^3 / G M), s / w),  s^2 = r^2 + eps^2, of distance r and relative speed w; r is the least
//!                distance on straight lines within a time before and after, so that no passage is missed between looks
//! elements       those of the Kepler orbit without softening: a < 0 of a hyperbola
//! perturbation   2 m_p R^3 / (M d^3), the tidal force of a third body at the distance d, relative to the attraction
//!                of the pair at R, its largest distance (unbound: the present one)
//! ```

use crate::Bodies;
use crate::cluster::nearest;
use crate::integrator::were_one;
use crate::solver::Gravity;
use std::f64::consts::TAU;

/// Up to so many bodies all pairs are compared; beyond, each body and its neighbours, and the heaviest body and all.
const ALL_PAIRS: usize = 512;

/// Neighbours of a body that are compared with it.
const NEIGHBOURS: usize = 6;

/// Two bodies whose motion about each other is the fastest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosePair {
    /// The indices of the bodies.
    pub index: [usize; 2],
    /// Their ids.
    pub id: [u64; 2],
    /// G times the sum of their masses.
    pub attraction: f64,
    /// Their distance.
    pub distance: f64,
    /// Their relative speed.
    pub speed: f64,
    /// The softening length of the pair.
    pub eps: f64,
    /// The time scale of their motion: the shortest within the time that was looked at.
    pub passing: f64,
    /// The semi-major axis; below 0 where they are not bound.
    pub semi_major_axis: f64,
    /// The eccentricity.
    pub eccentricity: f64,
    /// The tidal force of the third body that pulls most at them, relative to their own attraction.
    pub perturbation: f64,
    /// The place of that body and its id; `None` where there is no third body with a mass.
    pub perturber: Option<(usize, u64)>,
}

impl ClosePair {
    /// The closest pair of bodies under gravity, with the passages within a time before and after; `None` for fewer
    /// than two bodies, and for bodies without mass.
    pub fn of(bodies: &Bodies, gravity: &Gravity, window: f64) -> Option<Self> {
        Self::among(bodies, gravity, window, candidates(bodies).into_iter())
    }

    /// The closest pair that has this body, of those that steps resolve: not one that was moved as one body.
    pub fn with(body: usize, bodies: &Bodies, gravity: &Gravity, window: f64) -> Option<Self> {
        let others = (0..bodies.len()).filter(|k| *k != body && !were_one(bodies, body, *k));
        Self::among(bodies, gravity, window, others.map(|k| (k.min(body), k.max(body))))
    }

    fn among(
        bodies: &Bodies,
        gravity: &Gravity,
        window: f64,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> Option<Self> {
        let scale = |(i, j): (usize, usize)| (Relative::of(bodies, gravity, i, j).time_scale(window), (i, j));
        let shorter = |a: &(f64, (usize, usize)), b: &(f64, (usize, usize))| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let closest = pairs.map(scale).filter(|(time, _)| time.is_finite()).min_by(shorter);
        closest.map(|(passing, (i, j))| ClosePair { passing, ..Self::between(bodies, gravity, i, j) })
    }

    /// The pair of these two bodies.
    pub fn between(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> Self {
        let relative = Relative::of(bodies, gravity, i, j);
        let Relative { attraction, r, w, eps2 } = relative;
        let (distance, speed) = (length(r), length(w));
        let semi_major_axis = 1.0 / (2.0 / distance - speed * speed / attraction);
        let spin = length([r[1] * w[2] - r[2] * w[1], r[2] * w[0] - r[0] * w[2], r[0] * w[1] - r[1] * w[0]]);
        let eccentricity = (1.0 - spin * spin / (attraction * semi_major_axis)).max(0.0).sqrt();
        let mut pair = ClosePair {
            index: [i, j],
            id: [bodies.id[i], bodies.id[j]],
            attraction,
            distance,
            speed,
            eps: eps2.sqrt(),
            passing: relative.time_scale(0.0),
            semi_major_axis,
            eccentricity,
            perturbation: 0.0,
            perturber: None,
        };
        let largest = if pair.is_bound() { semi_major_axis * (1.0 + eccentricity) } else { distance };
        if let Some((tide, k)) = strongest_tide(bodies, [i, j]) {
            pair.perturbation = 2.0 * gravity.g * tide * largest.powi(3) / attraction;
            pair.perturber = Some((k, bodies.id[k]));
        }
        pair
    }

    /// Whether they are bound to each other.
    pub fn is_bound(&self) -> bool {
        self.semi_major_axis > 0.0 && self.semi_major_axis.is_finite()
    }

    /// The period of their orbit; `None` where they are not bound.
    pub fn period(&self) -> Option<f64> {
        self.is_bound().then(|| TAU * (self.semi_major_axis.powi(3) / self.attraction).sqrt())
    }

    /// The least distance of their orbit, where they are bound or approach; that of the past where they recede.
    pub fn pericentre(&self) -> f64 {
        (self.semi_major_axis * (1.0 - self.eccentricity)).max(0.0)
    }

    /// The time scale at their pericentre: the shortest of the orbit. A step that is to resolve the orbit is a small
    /// share of it.
    pub fn shortest_time_scale(&self) -> f64 {
        let pericentre = self.pericentre();
        if pericentre == 0.0 && self.eps == 0.0 {
            return 0.0;
        }
        let softened = (pericentre * pericentre + self.eps * self.eps).sqrt();
        let energy = -0.5 * self.attraction / self.semi_major_axis;
        let speed = (2.0 * (energy + self.attraction / softened)).max(0.0).sqrt();
        time_scale(self.attraction, pericentre, speed, self.eps * self.eps)
    }
}

/// What is relative of two bodies.
#[derive(Clone, Copy)]
struct Relative {
    attraction: f64,
    r: [f64; 3],
    w: [f64; 3],
    eps2: f64,
}

impl Relative {
    fn of(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> Self {
        let less = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|q| a[q] - b[q]);
        Relative {
            attraction: gravity.g * (bodies.mass[i] + bodies.mass[j]),
            r: less(bodies.position(j), bodies.position(i)),
            w: less(bodies.velocity(j), bodies.velocity(i)),
            eps2: gravity.eps2(bodies, i, j),
        }
    }

    /// The shortest time scale within a time before and after, on straight lines; infinite without mass.
    fn time_scale(&self, window: f64) -> f64 {
        let Relative { attraction, r, w, eps2 } = *self;
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let when = -dot(r, w) / dot(w, w);
        let when = if when.is_finite() { when.clamp(-window, window) } else { 0.0 };
        let least = length(std::array::from_fn(|q| r[q] + when * w[q]));
        if attraction > 0.0 { time_scale(attraction, least, length(w), eps2) } else { f64::INFINITY }
    }
}

fn time_scale(attraction: f64, distance: f64, speed: f64, eps2: f64) -> f64 {
    let softened = (distance * distance + eps2).sqrt();
    (softened.powi(3) / attraction).sqrt().min(softened / speed)
}

/// Pairs among which the closest is.
fn candidates(bodies: &Bodies) -> Vec<(usize, usize)> {
    let n = bodies.len();
    if n <= ALL_PAIRS {
        return (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    }
    let places: Vec<[f64; 3]> = (0..n).map(|k| bodies.position(k)).collect();
    let near = nearest::<NEIGHBOURS>(&places);
    let neighbours = near.iter().enumerate().flat_map(|(i, near)| near.iter().map(move |other| (i, other)));
    let neighbours = neighbours.filter(|(_, other)| other.exists()).map(|(i, other)| (i, other.index as usize));
    let heaviest = (0..n).max_by(|a, b| bodies.mass[*a].total_cmp(&bodies.mass[*b])).unwrap_or(0);
    let about = (0..n).filter(|k| *k != heaviest).map(|k| (k, heaviest));
    neighbours.chain(about).map(|(i, j)| (i.min(j), i.max(j))).collect()
}

/// The third body with the largest m / d^3, and that number.
fn strongest_tide(bodies: &Bodies, pair: [usize; 2]) -> Option<(f64, usize)> {
    let (a, b) = (bodies.mass[pair[0]], bodies.mass[pair[1]]);
    let (p, q) = (bodies.position(pair[0]), bodies.position(pair[1]));
    let center: [f64; 3] = std::array::from_fn(|k| (a * p[k] + b * q[k]) / (a + b));
    let tide = |k: usize| {
        let other = bodies.position(k);
        bodies.mass[k] / length(std::array::from_fn(|q| other[q] - center[q])).powi(3)
    };
    let others = (0..bodies.len()).filter(|k| !pair.contains(k) && bodies.mass[*k] > 0.0);
    others.map(|k| (tide(k), k)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
}

fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
