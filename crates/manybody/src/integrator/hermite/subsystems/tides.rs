//! What subsystems and all that is not near to them do to each other: tidal fields, and what a subsystem is above a point.
//!
//! All bodies are in these sums, at any distance. Octupoles are left out of them beyond four times the distance from which on
//! a body is near, where they are below 1/400 of the quadrupole.

use super::super::Hermite;
use super::super::scheme::AXES;
use super::super::vector::{Vector, less};
use super::lanes::{Eight, LANES, Lanes, Pulls, Tides, alike};
use crate::Bodies;
use crate::few_body::{Deflection, Field};
use crate::solver::Derivatives;

/// Eight pairs.
struct Pairs {
    at: [usize; LANES],
    place: [Lanes; AXES],
    velocity: [Lanes; AXES],
    acceleration: [Lanes; AXES],
    quadrupole: [Lanes; 6],
}

/// Whether a body acts on a centre of mass; bodies without mass take no lane, so that they change no bit.
fn acts(bodies: &Bodies, center: usize, k: usize) -> bool {
    bodies.mass[k] != 0.0 && k != center
}

impl Hermite {
    /// The tidal field at a subsystem of all bodies but those in `but`, which are in order.
    pub(super) fn field(&self, at: usize, bodies: &Bodies, but: &[usize]) -> Field {
        let subsystem = &self.subsystems[at];
        let (first, g) = (subsystem.first(), subsystem.gravity());
        let (is_uneven, single) = (subsystem.is_uneven(), subsystem.single6(self.neglected()));
        let (mut field, mut tides) = (Field::default(), Tides::default());
        let from = (bodies.position(first), bodies.velocity(first));
        let others = (0..bodies.len()).filter(|k| acts(bodies, first, *k) && but.binary_search(k).is_err());
        for others in others.collect::<Vec<_>>().chunks(LANES) {
            let mut eight = Eight::default();
            for (lane, k) in others.iter().copied().enumerate() {
                let mass = bodies.mass[k];
                let (x, v) = (less(bodies.position(k), from.0), less(bodies.velocity(k), from.1));
                if is_uneven && subsystem.is_within(mass, x, single) {
                    field.add(g * mass, x, v);
                } else {
                    eight.set(lane, [x, v, [0.0; AXES]], g * mass);
                }
            }
            tides.add(&eight);
        }
        tides.add_to(&mut field);
        field
    }

    /// Adds to what the active bodies find what pairs are above points, and the opposite to the centres of mass of these.
    /// Bodies without mass find the bodies themselves where these are near ([`resolve`](Hermite::resolve)).
    pub(in super::super) fn add_multipoles(&mut self, bodies: &Bodies) {
        let pairs = self.pairs_by_eight(bodies);
        for row in 0..self.active.len() {
            let i = self.active[row];
            let mut sum = self.pull_of_pairs(&pairs, bodies, i);
            if let Some(at) = self.subsystem_at(i) {
                self.add_opposite(at, bodies, &mut sum);
            }
            let sums = if self.has_snaps() { 3 } else { 2 };
            let Derivatives { a, j, s, .. } = &mut self.found;
            for (to, sum) in [a, j, s].into_iter().zip(sum).take(sums) {
                to.iter_mut().zip(sum).for_each(|(to, sum)| to[row] += sum);
            }
        }
    }

    fn pairs_by_eight(&self, bodies: &Bodies) -> Vec<Pairs> {
        let pairs: Vec<usize> =
            (0..self.subsystems.len()).filter(|at| self.subsystems[*at].multipole.is_some()).collect();
        let by_eight = |ats: &[usize]| {
            let [place, velocity, acceleration] = [[[0.0; LANES]; AXES]; 3];
            let quadrupole = [[0.0; LANES]; 6];
            let mut eight = Pairs { at: [usize::MAX; LANES], place, velocity, acceleration, quadrupole };
            for (lane, at) in ats.iter().enumerate() {
                let subsystem = &self.subsystems[*at];
                eight.at[lane] = *at;
                let [place, velocity, acceleration] = self.motion(bodies, subsystem.first());
                for q in 0..AXES {
                    (eight.place[q][lane], eight.velocity[q][lane]) = (place[q], velocity[q]);
                    eight.acceleration[q][lane] = acceleration[q];
                }
                if let Some(multipole) = &subsystem.multipole {
                    (0..6).for_each(|q| eight.quadrupole[q][lane] = multipole.quadrupole[q]);
                }
            }
            eight
        };
        pairs.chunks(LANES).map(by_eight).collect()
    }

    /// What pairs do to a body above points.
    fn pull_of_pairs(&self, pairs: &[Pairs], bodies: &Bodies, i: usize) -> [Vector; 3] {
        let (mut sum, mut pulls) = ([[0.0; AXES]; 3], Pulls::default());
        let ([place, velocity, acceleration], mass) = (self.motion(bodies, i), bodies.mass[i]);
        for of in pairs {
            let mut eight = Eight::default();
            for lane in 0..LANES {
                let Some(subsystem) = self.subsystems.get(of.at[lane]) else { break };
                if subsystem.first() == i {
                    continue;
                }
                let x = std::array::from_fn(|q| place[q] - of.place[q][lane]);
                let v = std::array::from_fn(|q| velocity[q] - of.velocity[q][lane]);
                let a = std::array::from_fn(|q| acceleration[q] - of.acceleration[q][lane]);
                if !subsystem.is_within(mass, x, subsystem.single6(self.neglected())) {
                    eight.set(lane, [x, v, a], subsystem.gravity());
                } else if mass > 0.0 || !self.is_near(of.at[lane], bodies, i) {
                    self.add_pull(of.at[lane], [x, v, a], mass, 1.0, &mut sum);
                }
            }
            pulls.add(&eight, &of.quadrupole, self.has_snaps());
        }
        pulls.add_to(&mut sum);
        sum
    }

    /// Adds what the opposite does to the centre of mass of a pair.
    fn add_opposite(&self, at: usize, bodies: &Bodies, sum: &mut [Vector; 3]) {
        let subsystem = &self.subsystems[at];
        let Some(multipole) = &subsystem.multipole else { return };
        let (first, single) = (subsystem.first(), subsystem.single6(self.neglected()));
        let quadrupole = alike(&multipole.quadrupole);
        let (from, mut pulls) = (self.motion(bodies, first), Pulls::default());
        let others = (0..bodies.len()).filter(|k| acts(bodies, first, *k));
        for others in others.collect::<Vec<_>>().chunks(LANES) {
            let mut eight = Eight::default();
            for (lane, k) in others.iter().copied().enumerate() {
                let mass = bodies.mass[k];
                let motion = self.motion(bodies, k);
                let path: [Vector; 3] = std::array::from_fn(|m| less(motion[m], from[m]));
                let factor = -mass / subsystem.mass;
                if subsystem.is_within(mass, path[0], single) {
                    self.add_pull(at, path, mass, factor, sum);
                } else {
                    eight.set(lane, path, factor * subsystem.gravity());
                }
            }
            pulls.add(&eight, &quadrupole, self.has_snaps());
        }
        pulls.add_to(sum);
    }

    /// Where a body is, how fast, and, where snaps are computed, how accelerated.
    pub(super) fn motion(&self, bodies: &Bodies, k: usize) -> [Vector; 3] {
        let acceleration = if self.has_snaps() { self.accelerations.each_ref().map(|of| of[k]) } else { [0.0; AXES] };
        [bodies.position(k), bodies.velocity(k), acceleration]
    }

    /// Adds a multiple of what a pair is above a point to a body of this mass on a relative path.
    fn add_pull(&self, at: usize, path: [Vector; 3], mass: f64, factor: f64, sum: &mut [Vector; 3]) {
        let subsystem = &self.subsystems[at];
        let Some(multipole) = &subsystem.multipole else { return };
        let pull = multipole.pull(path, subsystem.heaviness(mass) * subsystem.near6(self.neglected()));
        for (sum, pull) in sum.iter_mut().zip(pull) {
            (0..AXES).for_each(|q| sum[q] += factor * pull[q]);
        }
    }

    /// Moves what is not near to a subsystem that is a point in the scheme by what it was above that on the mean since the last
    /// time, and the centre of mass by the opposite.
    pub(super) fn push(&mut self, at: usize, bodies: &mut Bodies, near: &[usize], now: (f64, f64)) {
        let (multipole, duration) = self.subsystems[at].take_spread(now.1);
        if duration <= 0.0 {
            return;
        }
        let (first, mass) = (self.subsystems[at].first(), self.subsystems[at].mass);
        let (place, velocity) = (bodies.position(first), bodies.velocity(first));
        let mut opposite = Deflection::default();
        let is_far = |k: &usize| bodies.mass[*k] > 0.0 && *k != first && near.binary_search(k).is_err();
        let far: Vec<usize> = (0..bodies.len()).filter(is_far).collect();
        for k in far {
            let (x, v) = (less(bodies.position(k), place), less(bodies.velocity(k), velocity));
            // where it was in the middle
            let middle = std::array::from_fn(|q| x[q] - 0.5 * duration * v[q]);
            let [push, ..] = multipole.pull([middle, v, [0.0; AXES]], 0.0);
            let deflection = Deflection { place: push.map(|q| 0.5 * duration * q), velocity: push };
            let share = bodies.mass[k] / mass;
            opposite.add(-share, &deflection, &Deflection::default());
            self.shift(bodies, k, &deflection, now);
        }
        self.shift(bodies, first, &opposite, now);
    }
}
