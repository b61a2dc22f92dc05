//! What bodies without mass find near to subsystems: the bodies of these instead of a point.

use super::super::Hermite;
use super::super::scheme::AXES;
use super::super::vector::{Vector, dot, less, plus};
use super::Seen;
use super::select::Isolation;
use super::subsystem::{Motion, Subsystem};
use crate::Bodies;

impl Hermite {
    /// What the active bodies without mass that are near to subsystems find: the bodies of these in place of the centres of
    /// mass. `seen` has them at the time of this block. (All is added again: a difference would be rounded where one is at a
    /// centre of mass.) They deflect nothing, and nothing deflects them.
    pub(in super::super) fn resolve(&mut self, bodies: &Bodies, seen: &Seen) {
        let Some(gravity) = self.subsystems.first().map(Subsystem::gravity) else { return };
        for (row, i) in self.active.iter().enumerate() {
            // (the bodies of subsystems have no mass beside the first of them)
            if bodies.mass[*i] != 0.0 || !self.is_visible(*i) {
                continue;
            }
            let parts_of = |k: usize| {
                let at = self.subsystem_at(k).filter(|at| self.is_near(*at, bodies, *i))?;
                seen[at].as_ref()
            };
            if !self.subsystems.iter().any(|subsystem| parts_of(subsystem.first()).is_some()) {
                continue;
            }
            let mut sum = [[0.0; AXES]; 3];
            let from = self.motion(bodies, *i);
            for k in (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0) {
                let motion = self.motion(bodies, k);
                let [x, v, a] = std::array::from_fn(|m| less(motion[m], from[m]));
                match parts_of(k) {
                    Some(parts) => parts.iter().for_each(|(mass, (r, w))| {
                        let inside = match self.has_snaps() {
                            true => acceleration_at(*r, parts).map(|q| gravity * q),
                            false => [0.0; AXES],
                        };
                        add(&mut sum, *mass, [plus(*r, x), plus(*w, v), plus(inside, a)]);
                    }),
                    None => add(&mut sum, bodies.mass[k], [x, v, a]),
                }
            }
            // (without snaps where accelerations alone are asked for)
            for (k, column) in self.found.columns().into_iter().enumerate() {
                column[row] = gravity * sum[k / AXES][k % AXES];
            }
        }
    }

    /// The subsystem whose centre of mass a body is.
    pub(super) fn subsystem_at(&self, k: usize) -> Option<usize> {
        self.subsystem_of.get(k).copied().flatten()
    }

    /// The isolation of a subsystem, or of another one whose centre of mass this body is, for which the body is too close.
    pub(super) fn missed_isolation(&self, at: usize, bodies: &Bodies, k: usize) -> Option<Isolation> {
        let subsystem = &self.subsystems[at];
        let other = self.subsystem_at(k).map(|other| &self.subsystems[other]);
        let isolation = subsystem.isolation.max(other.map_or(Isolation::Good, |other| other.isolation));
        let body = (bodies.mass[k], other.map_or(0.0, |other| other.size));
        let is_too_close =
            k != subsystem.first() && subsystem.is_too_close(isolation, body, self.distance2(at, bodies, k).sqrt());
        is_too_close.then_some(isolation)
    }

    /// Whether a body, or the centre of mass of another subsystem, is near to a subsystem.
    pub(super) fn is_near(&self, at: usize, bodies: &Bodies, k: usize) -> bool {
        self.is_within(at, bodies, k, self.neglected())
    }

    /// Whether a body, or the centre of mass of another subsystem, perturbs a subsystem by so much.
    pub(super) fn is_within(&self, at: usize, bodies: &Bodies, k: usize, perturbation: f64) -> bool {
        let subsystem = &self.subsystems[at];
        let apart = less(bodies.position(k), bodies.position(subsystem.first()));
        k != subsystem.first() && subsystem.is_within(bodies.mass[k], apart, subsystem.near6(perturbation))
    }

    fn distance2(&self, at: usize, bodies: &Bodies, k: usize) -> f64 {
        let apart = less(bodies.position(k), bodies.position(self.subsystems[at].first()));
        dot(apart, apart)
    }
}

/// Adds the acceleration, the jerk and the snap by a mass, over the constant of gravity, at a relative place, velocity and
/// acceleration [Nitadori 2008, eqs. 7 to 9].
fn add(sum: &mut [Vector; 3], mass: f64, [r, v, a]: [Vector; 3]) {
    let inverse2 = 1.0 / dot(r, r);
    let pull = mass * inverse2 * inverse2.sqrt();
    let alpha = dot(r, v) * inverse2;
    let beta = (dot(v, v) + dot(r, a)) * inverse2 + alpha * alpha;
    for q in 0..AXES {
        let acceleration = pull * r[q];
        let jerk = pull * v[q] - 3.0 * alpha * acceleration;
        sum[0][q] += acceleration;
        sum[1][q] += jerk;
        sum[2][q] += pull * a[q] - 6.0 * alpha * jerk - 3.0 * beta * acceleration;
    }
}

/// The acceleration of a body of a subsystem, which is at a place of it, by the others, over the constant of gravity.
fn acceleration_at(place: Vector, parts: &[(f64, Motion)]) -> Vector {
    let mut sum = [[0.0; AXES]; 3];
    let others = parts.iter().map(|(mass, (r, _))| (*mass, less(*r, place))).filter(|(_, r)| dot(*r, *r) > 0.0);
    others.for_each(|(mass, r)| add(&mut sum, mass, [r, [0.0; AXES], [0.0; AXES]]));
    sum[0]
}
