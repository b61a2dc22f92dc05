//! What bodies without mass find near to subsystems: the bodies of these instead of a point.

use super::super::Hermite;
use super::super::scheme::AXES;
use super::super::vector::{dot, less, plus};
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
        for (row, i) in self.active.iter().enumerate().filter(|(_, i)| bodies.mass[**i] == 0.0) {
            let parts_of = |k: usize| {
                let at = self.subsystem_at(k).filter(|at| self.is_near(*at, bodies, *i))?;
                seen[at].as_ref()
            };
            if !self.subsystems.iter().any(|subsystem| parts_of(subsystem.first()).is_some()) {
                continue;
            }
            let mut sum = ([0.0; AXES], [0.0; AXES]);
            let from = (bodies.position(*i), bodies.velocity(*i));
            for k in (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0) {
                let apart = (less(bodies.position(k), from.0), less(bodies.velocity(k), from.1));
                match parts_of(k) {
                    Some(parts) => parts.iter().for_each(|(mass, (r, v))| {
                        add(&mut sum, *mass, (plus(*r, apart.0), plus(*v, apart.1)));
                    }),
                    None => add(&mut sum, bodies.mass[k], apart),
                }
            }
            for q in 0..AXES {
                self.found.a[q][row] = gravity * sum.0[q];
                self.found.j[q][row] = gravity * sum.1[q];
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

/// Adds the acceleration and the jerk by a mass, over the constant of gravity, at a relative place and velocity.
fn add(sum: &mut Motion, mass: f64, (r, v): Motion) {
    let inverse2 = 1.0 / dot(r, r);
    let pull = mass * inverse2 * inverse2.sqrt();
    let radial = 3.0 * dot(r, v) * inverse2;
    for q in 0..AXES {
        sum.0[q] += pull * r[q];
        sum.1[q] += pull * (v[q] - radial * r[q]);
    }
}
