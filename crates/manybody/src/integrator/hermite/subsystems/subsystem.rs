//! A compact subsystem: its centre of mass is one body of the scheme, its bodies move about that by algorithmic
//! regularisation, with the forces of what is near and the tidal field of all others. A pair with a short period to which
//! nothing is near is averaged over its orbit.

use super::super::levels::FULL;
use super::super::scheme::{REMAINDERS, SUBSYSTEM};
use super::super::vector::{Vector, dot, less, put};
use super::averaged::{Shape, advanced};
use super::multipole::Multipole;
use super::orbit::Orbit;
use super::select::{Isolation, disturbance};
use crate::few_body::{
    Deflection, DoubleDouble, Field, Obstacle, Path, Perturber, Regularised, Tensor, Tide, center, sums,
};
use crate::solver::Gravity;
use crate::{Bodies, Error, Result};

/// The relative error of the steps inside: a hundredth of what the positions of perturbers are off by at the best.
const TOLERANCE: f64 = 1e-13;

/// The steps of one advance from which on dt is made in halves: those of some 5000 orbits. A triple collision may leave a pair
/// of so short a period in a subsystem that it would be advanced for years; at the beginning of the next part it is alone.
const MAX_STEPS: f64 = (1 << 14) as f64;

/// By how much a subsystem may grow before its size is measured again.
const GROWTH: f64 = 1.25;

/// The octupole of a pair is left out beyond so many times the distance where bodies become near.
const OCTUPOLE: f64 = 4.0;

/// An orbit is taken for no longer than this, in its size of now, where the energy that a perturber may change is estimated.
const LONGEST: f64 = 1e3;

/// A pair is averaged if it passes its pericentre beyond the contact of its bodies by this times `--perturbation`, of its
/// apocentre: what the average neglects of an eccentricity is a few times `--perturbation`.
const APART: f64 = 16.0;

/// Where a body is, and how fast.
pub(in super::super) type Motion = (Vector, Vector);

/// Bodies that are one body of the scheme.
#[derive(Clone, Debug)]
pub(in super::super) struct Subsystem {
    /// The bodies; the first holds the centre of mass.
    pub(super) members: Vec<usize>,
    pub(super) mass: f64,
    /// How well it was isolated where it was chosen.
    pub(super) isolation: Isolation,
    /// The bodies about the centre of mass.
    inner: Regularised,
    /// The time that they have, in ticks.
    pub(super) time: f64,
    /// The step of the run.
    dt: f64,
    /// What the distance between two of them is at most until the size is measured next, or has been in this dt.
    pub(super) size: f64,
    /// The sixth power of the size by which bodies are near: where a pair is on a longer orbit, tides are compared with its
    /// energy.
    reach6: f64,
    /// Two bodies on an orbit that is not much longer than dt.
    pub(super) is_orbit: bool,
    /// Something was near at the last look.
    pub(super) was_near: bool,
    /// The tidal field at its time, of all but these, which perturb it.
    pub(super) field: Field,
    pub(super) perturbers: Vec<usize>,
    /// Where bodies that were near were at its time, in their order.
    met: Vec<(usize, Motion)>,
    /// What the scheme finds of it above a point.
    pub(super) multipole: Option<Multipole>,
    /// By what its perturbers are off their paths at the end of the last advance, where it had some.
    pub(super) deflections: Vec<Deflection>,
    /// Where the scheme finds a point: the integral of sum m y_i y_j since a time, about the centre of mass.
    spread: Tensor,
    spread_since: f64,
    /// The time after which its size must be measured again, as an own step.
    pub(super) lasts: f64,
    /// The largest radius of its bodies.
    radius: f64,
    /// It is a pair that is known to touch at the end of the part.
    is_followed: bool,
}

impl Subsystem {
    /// Of these bodies, which are in their places.
    pub(super) fn of(
        bodies: &Bodies,
        (members, isolation): (Vec<usize>, Isolation),
        gravity: &Gravity,
        dt: f64,
    ) -> Self {
        let mut inner = Regularised::default();
        (inner.tolerance, inner.most_steps) = (Some(TOLERANCE), Some(MAX_STEPS));
        let mass: Vec<f64> = members.iter().map(|k| bodies.mass[*k]).collect();
        let total = mass.iter().sum();
        inner.load(gravity.g, mass, vec![0.0; members.len()]);
        let column = |name: &str| bodies.extra.get(name).filter(|column| column.len() == bodies.len());
        let remainders = REMAINDERS.map(column);
        for (at, k) in members.iter().enumerate() {
            let number = |hi: f64, q: usize| DoubleDouble::new(hi, remainders[q].map_or(0.0, |column| column[*k]));
            let (place, velocity) = (bodies.position(*k), bodies.velocity(*k));
            inner.place[at] = std::array::from_fn(|q| number(place[q], q));
            inner.velocity[at] = std::array::from_fn(|q| number(velocity[q], 3 + q));
        }
        Subsystem {
            members,
            mass: total,
            isolation,
            inner,
            time: 0.0,
            dt,
            size: 0.0,
            reach6: 0.0,
            is_orbit: false,
            was_near: false,
            field: Field::default(),
            perturbers: Vec::new(),
            met: Vec::new(),
            multipole: None,
            deflections: Vec::new(),
            spread: Tensor::default(),
            spread_since: 0.0,
            lasts: f64::INFINITY,
            radius: 0.0,
            is_followed: false,
        }
    }

    /// Notes where these are, which are near, at its time.
    pub(super) fn meet(&mut self, bodies: &Bodies, near: &[usize]) {
        self.met.clear();
        self.met.extend(near.iter().map(|k| (*k, (bodies.position(*k), bodies.velocity(*k)))));
    }

    /// Where a body was at its time, if it was near.
    pub(super) fn met(&self, k: usize) -> Option<Motion> {
        self.met.binary_search_by_key(&k, |(k, _)| *k).ok().map(|at| self.met[at].1)
    }

    /// Takes the radii of all bodies, at which an advance of its bodies ends; but not at those of pairs that are due.
    pub(super) fn set_radii(&mut self, radius: &[f64], due: &[[usize; 2]]) {
        let own: Vec<f64> = self.members.iter().map(|k| radius[*k]).collect();
        self.radius = own.iter().copied().fold(0.0, f64::max);
        self.inner.touching = sums(&own);
        let n = self.members.len();
        for pair in due {
            if let [Ok(i), Ok(j)] = pair.map(|k| self.members.binary_search(&k)) {
                [self.inner.touching[i * n + j], self.inner.touching[j * n + i]] = [0.0; 2];
                self.is_followed = n == 2;
            }
        }
    }

    /// Takes its bodies as points.
    pub(super) fn forget_radii(&mut self) {
        self.inner.touching.clear();
    }

    /// How far from its centre of mass its bodies are at most, with their radii.
    pub(super) fn reach(&self) -> f64 {
        self.size + self.radius
    }

    /// The body that holds the centre of mass.
    pub(super) fn first(&self) -> usize {
        self.members[0]
    }

    /// The constant of gravity.
    pub(super) fn gravity(&self) -> f64 {
        self.inner.g
    }

    /// Evaluations of all its forces.
    pub(super) fn evaluations(&self) -> u64 {
        self.inner.evaluations
    }

    /// Moves its bodies into the frame of the centre of mass, of which it gives the place and the velocity.
    fn center(&mut self) -> Motion {
        let Regularised { mass, place, velocity, .. } = &mut self.inner;
        let (middle, drift) = (center(mass, place), center(mass, velocity));
        for (place, velocity) in place.iter_mut().zip(velocity) {
            *place = std::array::from_fn(|q| place[q] - middle[q]);
            *velocity = std::array::from_fn(|q| velocity[q] - drift[q]);
        }
        self.measure(f64::INFINITY);
        (middle.map(|q| q.hi), drift.map(|q| q.hi))
    }

    /// Puts the centre of mass in the place of the first body; the others move beside it, without mass.
    pub(super) fn join(&mut self, bodies: &mut Bodies) {
        let (place, velocity) = self.center();
        self.set_multipole();
        for (at, k) in self.members.iter().enumerate().skip(1) {
            let beside = std::array::from_fn(|q| place[q] + self.inner.place[at][q].hi);
            put(bodies, *k, beside, velocity);
            bodies.mass[*k] = 0.0;
        }
        put(bodies, self.first(), place, velocity);
        bodies.mass[self.first()] = self.mass;
    }

    /// The bodies with mass that are near to it, where all bodies are in their places.
    pub(super) fn neighbours(mut self, bodies: &Bodies, limit: f64) -> Vec<usize> {
        let (place, _) = self.center();
        let is_near = |k: &usize| {
            let apart = less(bodies.position(*k), place);
            bodies.mass[*k] > 0.0 && self.is_within(bodies.mass[*k], apart, self.near6(limit))
        };
        (0..bodies.len()).filter(is_near).collect()
    }

    /// Puts all bodies in their places, and what rounding leaves in columns.
    pub(super) fn part(&self, bodies: &mut Bodies) {
        let (middle, drift) = (bodies.position(self.first()), bodies.velocity(self.first()));
        for (at, k) in self.members.iter().enumerate() {
            let place = self.inner.place[at].iter().zip(middle).map(|(q, middle)| *q + middle.into());
            let velocity = self.inner.velocity[at].iter().zip(drift).map(|(q, drift)| *q + drift.into());
            let numbers: Vec<DoubleDouble> = place.chain(velocity).collect();
            let hi = |from: usize| std::array::from_fn(|q| numbers[from + q].hi);
            put(bodies, *k, hi(0), hi(3));
            bodies.mass[*k] = self.inner.mass[at];
            for (name, number) in REMAINDERS.iter().zip(&numbers) {
                if let Some(column) = bodies.extra.get_mut(*name) {
                    column[*k] = number.lo;
                }
            }
        }
    }

    /// Where its bodies are about the centre of mass, with their masses.
    pub(super) fn inside(&self) -> Vec<(f64, Motion)> {
        let Regularised { mass, place, velocity, .. } = &self.inner;
        (0..mass.len()).map(|at| (mass[at], (place[at].map(|q| q.hi), velocity[at].map(|q| q.hi)))).collect()
    }

    /// Advances its bodies to a time: averaged over the orbit where nothing is near to a pair with a short period that does not
    /// touch. `limit` is that of perturbations, `free` the size from which on something would be near.
    pub(super) fn advance(
        &mut self,
        time: f64,
        unit: f64,
        (perturbers, tide): (Vec<Perturber>, Tide),
        (limit, free): (f64, f64),
        is_stopped: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Obstacle> {
        let duration = (time - self.time) * unit;
        self.deflections.clear();
        let is_alone = self.is_orbit && perturbers.is_empty();
        if is_alone && self.turn(duration, &tide, limit) {
            self.set_multipole();
        } else if duration > 0.0 {
            self.inner.set_tide((!self.is_short()).then_some(tide), self.multipole.is_none());
            *self.inner.perturbers() = perturbers;
            self.inner.advance(duration, is_stopped)?;
            self.spread.iter_mut().zip(self.inner.spread()).for_each(|(sum, more)| *sum += more);
            self.set_deflections(duration, limit);
            if is_alone {
                self.set_multipole();
            }
        }
        self.time = time;
        self.measure(free);
        Ok(())
    }

    /// Notes what was done to perturbers above what the scheme does.
    fn set_deflections(&mut self, duration: f64, limit: f64) {
        self.deflections = self.inner.deflections();
        let Some(multipole) = self.multipole else { return };
        for at in 0..self.deflections.len() {
            let Perturber { attraction, path } = self.inner.perturbers()[at];
            let mass = attraction / self.inner.g;
            let known = multipole.impulse(&path, duration, self.heaviness(mass) * self.near6(limit));
            self.deflections[at].add(-1.0, &known, &Deflection::default());
        }
    }

    /// A pair, averaged over its orbit; false, with nothing done, where its bodies may touch.
    fn turn(&mut self, duration: f64, tide: &Tide, limit: f64) -> bool {
        if self.is_followed && duration > 0.0 {
            return false;
        }
        let uneven = (self.inner.mass[0] - self.inner.mass[1]) / self.mass;
        let ((r, v), closest) = advanced(self.relative(0, 1), self.inner.g * self.mass, uneven, tide, duration);
        let sum = self.inner.touching.get(1).copied().unwrap_or(0.0);
        if duration > 0.0 && sum > 0.0 && closest <= sum + APART * limit * self.size {
            return false;
        }
        let Regularised { mass, place, velocity, .. } = &mut self.inner;
        for (at, share) in [-mass[1] / self.mass, mass[0] / self.mass].into_iter().enumerate() {
            place[at] = r.map(|q| DoubleDouble::from(share * q));
            velocity[at] = v.map(|q| DoubleDouble::from(share * q));
        }
        true
    }

    /// Sets what the scheme finds of a pair above a point.
    fn set_multipole(&mut self) {
        let pair = || {
            let (r, v) = self.relative(0, 1);
            let Regularised { g, mass, .. } = &self.inner;
            Multipole::of_pair(&Shape::of(r, v, g * self.mass), *g, [mass[0], mass[1]])
        };
        self.multipole = self.is_orbit.then(pair);
    }

    /// What it was on the mean above a point since the last time that this was asked, where the scheme finds a point, and how
    /// long that is.
    pub(super) fn take_spread(&mut self, unit: f64) -> (Multipole, f64) {
        let duration = (self.time - self.spread_since) * unit;
        self.spread_since = self.time;
        (Multipole::of_moments(std::mem::take(&mut self.spread), self.inner.g), duration)
    }

    /// Notes the tidal field of now, of all but these, and gives that since its time. Where its perturbers were others, the
    /// field of the beginning follows from that of now.
    pub(super) fn tide_until(&mut self, now: Field, perturbers: Vec<usize>, duration: f64) -> Tide {
        let begin = if self.perturbers == perturbers { self.field } else { now.after(-duration) };
        (self.field, self.perturbers) = (now, perturbers);
        Tide::between(&begin, &now, duration)
    }

    fn relative(&self, i: usize, j: usize) -> Motion {
        let Regularised { place, velocity, .. } = &self.inner;
        (
            std::array::from_fn(|q| place[j][q].minus(place[i][q])),
            std::array::from_fn(|q| velocity[j][q].minus(velocity[i][q])),
        )
    }

    /// Its size, and how long that lasts. Up to `free` nothing is near. It never becomes smaller in a dt: a tide that
    /// matters where the bodies are far apart would be missing where they are close, and their energy would change.
    pub(super) fn measure(&mut self, free: f64) {
        let n = self.members.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let (mut size2, mut speed) = (0.0, 0.0);
        for (r, v) in pairs.map(|(i, j)| self.relative(i, j)) {
            if dot(r, r) > size2 {
                (size2, speed) = (dot(r, r), dot(v, v).sqrt());
            }
        }
        let size = size2.sqrt();
        let orbit = (n == 2).then(|| {
            let (r, v) = self.relative(0, 1);
            let attraction = self.inner.g * self.mass;
            let rest = self.dt * (1.0 - self.time / FULL);
            (Orbit::of(r, v, attraction, self.dt), Orbit::of(r, v, attraction, rest).widest)
        });
        self.is_orbit = orbit.is_some_and(|(orbit, _)| orbit.apocentre.is_some());
        let most = match orbit {
            Some((Orbit { apocentre: Some(apocentre), .. }, _)) => apocentre,
            Some((_, widest)) => widest.max(GROWTH * size),
            None => GROWTH * size,
        };
        self.size = self.size.max(most);
        let reach = match orbit {
            Some((orbit, _)) => self.size * libm::cbrt((orbit.axis / self.size).clamp(1.0, LONGEST)),
            None => self.size,
        };
        self.reach6 = reach.powi(6);
        self.lasts = if self.is_orbit { f64::INFINITY } else { (self.size.max(free) - size) / speed };
    }

    /// The sixth power of the distance where a body becomes near that is not heavier than half of it.
    pub(super) fn near6(&self, limit: f64) -> f64 {
        self.reach6 / (limit * limit)
    }

    /// The sixth power of the distance up to which such bodies are treated one by one by what is not near.
    pub(super) fn single6(&self, limit: f64) -> f64 {
        let far = if self.is_uneven() { OCTUPOLE.powi(6) } else { 1.0 };
        far * self.near6(limit)
    }

    /// Two bodies on a hyperbola, or on an orbit much longer than dt: what is not near to them finds a point, and they do not
    /// find it. An encounter is too short for the tides that are left.
    pub(super) fn is_short(&self) -> bool {
        self.members.len() == 2 && self.multipole.is_none()
    }

    /// The bodies are a pair of unequal masses.
    pub(super) fn is_uneven(&self) -> bool {
        self.multipole.is_some_and(|multipole| multipole.octupole != 0.0)
    }

    /// The square of the factor by which the tide of a body of this mass is stronger than that of a light one is on it.
    pub(super) fn heaviness(&self, mass: f64) -> f64 {
        let share = (2.0 * mass / self.mass).max(1.0);
        share * share
    }

    /// Whether a body of this mass is within a distance, which is given for light ones by its sixth power.
    pub(super) fn is_within(&self, mass: f64, apart: Vector, six: f64) -> bool {
        let distance2 = dot(apart, apart);
        self.heaviness(mass) * six >= distance2 * distance2 * distance2
    }

    /// Whether a body, or another subsystem, of this mass and size is too close for this isolation: twice as much as where
    /// subsystems are chosen, with distances that are estimates.
    pub(super) fn is_too_close(&self, isolation: Isolation, (mass, size): (f64, f64), distance: f64) -> bool {
        disturbance([self.mass, mass], [self.size, size], distance) >= 2.0 * isolation.limit()
    }

    /// The time of a failure of an advance, and the bodies.
    pub(super) fn error(&self, obstacle: Obstacle, began: f64, unit: f64, ids: &[u64]) -> Error {
        match obstacle {
            // the part of the step is made again for a contact
            Obstacle::Stopped | Obstacle::Contact { .. } => Error::Interrupted,
            Obstacle::Collision { pair, distance, after } | Obstacle::Long { pair, distance, after } => {
                let body = |at: usize| (self.members[at], ids[self.members[at]]);
                Error::Collision { time: began + self.time * unit + after, pair: pair.map(body), distance }
            }
        }
    }
}

/// Room for what subsystems leave with the bodies.
pub(super) fn make_columns(bodies: &mut Bodies) {
    let n = bodies.len();
    for name in REMAINDERS.into_iter().chain([SUBSYSTEM]) {
        let column = bodies.extra.entry(name.into()).or_default();
        column.clear();
        column.resize(n, 0.0);
    }
}

/// The derivatives, at its beginning, of the cubic between two places with their velocities, a duration apart; of a straight line where
/// the beginning is not known.
pub(super) fn between(begin: Option<Motion>, (x1, v1): Motion, duration: f64) -> [Vector; 6] {
    let line = || (std::array::from_fn(|q| x1[q] - duration * v1[q]), v1);
    let (x0, v0) = begin.unwrap_or_else(line);
    let mean: Vector = std::array::from_fn(|q| (x1[q] - x0[q]) / duration);
    let second = std::array::from_fn(|q| 2.0 * (3.0 * mean[q] - 2.0 * v0[q] - v1[q]) / duration);
    let third = std::array::from_fn(|q| 6.0 * (v0[q] + v1[q] - 2.0 * mean[q]) / (duration * duration));
    [x0, v0, second, third, [0.0; 3], [0.0; 3]]
}

/// The path of a body relative to a centre of mass: polynomials of both, by their derivatives, with the times since which they are so.
pub(super) fn path(body: ([Vector; 6], f64), center: ([Vector; 6], f64)) -> Path {
    const PER: [f64; 6] = [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0];
    let shifted = |(derivatives, t): ([Vector; 6], f64)| -> Path {
        let coefficient = |m: usize, q: usize| {
            let sum = |sum: f64, k: usize| derivatives[k][q] + t * (1.0 / (k - m + 1) as f64) * sum;
            PER[m] * (m..5).rev().fold(derivatives[5][q], sum)
        };
        std::array::from_fn(|m| std::array::from_fn(|q| coefficient(m, q)))
    };
    let (body, center) = (shifted(body), shifted(center));
    std::array::from_fn(|m| less(body[m], center[m]))
}
