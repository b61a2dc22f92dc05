//! The bodies of subsystems are advanced, and what is near to them is deflected.
//!
//! A subsystem that is no point deflects what is near. That is found where its bodies are integrated, along the paths of
//! what is near: the scheme itself has points only, and needs no steps that resolve the orbits inside. Energy and
//! momentum go from one side to the other as they must, since tides and deflections are integrals of the same forces.

use super::super::levels::FULL;
use super::super::scheme::AXES;
use super::super::vector::{Vector, dot, less, put};
use super::super::{ActiveBodies, Hermite};
use super::Seen;
use super::subsystem::path;
use crate::few_body::{Deflection, Perturber};
use crate::{Bodies, Result};

impl Hermite {
    /// Advances the bodies of subsystems that something needs at this time, and says where they are. All bodies are predicted.
    pub(in super::super) fn advance_subsystems(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        time: f64,
        unit: f64,
    ) -> Result<Seen> {
        let mut seen = Vec::with_capacity(self.subsystems.len());
        for at in 0..self.subsystems.len() {
            let first = self.subsystems[at].first();
            let is_due = time == FULL;
            let b = bodies.bodies();
            // what is near must not leave the path behind that it is integrated along
            let is_met = || self.active.iter().any(|k| b.mass[*k] > 0.0 && self.is_near(at, b, *k));
            if is_due || self.active.binary_search(&first).is_ok() || is_met() {
                let around = self.advance_one(at, bodies, (time, is_due), unit)?;
                self.deflect(at, bodies.bodies_mut(), &around, (time, unit));
            }
            let b = bodies.bodies();
            let is_seen = || self.active.iter().any(|k| b.mass[*k] == 0.0 && self.is_near(at, b, *k));
            seen.push(if self.subsystems[at].time == time {
                Some(self.subsystems[at].inside())
            } else if is_seen() {
                // bodies without mass must change no bit of those that have one
                let kept = self.subsystems[at].clone();
                self.advance_one(at, bodies, (time, true), unit)?;
                let there = self.subsystems[at].inside();
                self.subsystems[at] = kept;
                Some(there)
            } else {
                None
            });
        }
        Ok(seen)
    }

    fn advance_one(
        &mut self,
        at: usize,
        bodies: &dyn ActiveBodies,
        (time, is_due): (f64, bool),
        unit: f64,
    ) -> Result<Vec<usize>> {
        let (mut near, free) = self.around(at, bodies.bodies(), unit);
        let subsystem = &mut self.subsystems[at];
        let was_near = std::mem::replace(&mut subsystem.was_near, !near.is_empty());
        if subsystem.is_orbit && !was_near {
            if near.is_empty() && !is_due {
                return Ok(Vec::new());
            }
            // what has just come near has a path since a short time only
            near.clear();
        }
        let began = bodies.time() + self.begin;
        let (near, perturbers): (Vec<usize>, Vec<Perturber>) = near.into_iter().unzip();
        let made = subsystem.advance(time, unit, (perturbers, free), &mut |_| bodies.is_stopped());
        made.map_err(|obstacle| subsystem.error(obstacle, began, unit, &bodies.bodies().id))?;
        Ok(near)
    }

    /// Moves what was near to a subsystem by what this does to it above a point, and the centre of mass by the opposite.
    fn deflect(&mut self, at: usize, bodies: &mut Bodies, near: &[usize], now: (f64, f64)) {
        let subsystem = &self.subsystems[at];
        let (first, mass) = (subsystem.first(), subsystem.mass);
        let mut opposite = Deflection::default();
        let deflections: Vec<Deflection> = subsystem.deflections().to_vec();
        for (k, deflection) in near.iter().zip(&deflections) {
            let share = bodies.mass[*k] / mass;
            for q in 0..AXES {
                opposite.place[q] -= share * deflection.place[q];
                opposite.velocity[q] -= share * deflection.velocity[q];
            }
            self.shift(bodies, *k, deflection, now);
        }
        self.shift(bodies, first, &opposite, now);
    }

    /// Moves a body, now and from where its step began.
    fn shift(&mut self, bodies: &mut Bodies, k: usize, by: &Deflection, (time, unit): (f64, f64)) {
        let since = (time - self.since[k]) * unit;
        for q in 0..AXES {
            self.derivatives[0][q][k] += by.place[q] - since * by.velocity[q];
            self.derivatives[1][q][k] += by.velocity[q];
        }
        let moved = |of: Vector, by: Vector| std::array::from_fn(|q| of[q] + by[q]);
        put(bodies, k, moved(bodies.position(k), by.place), moved(bodies.velocity(k), by.velocity));
    }

    /// What is near to a subsystem, with its path since the time of that, and the size from which on something is near.
    pub(super) fn around(&self, at: usize, bodies: &Bodies, unit: f64) -> (Vec<(usize, Perturber)>, f64) {
        let subsystem = &self.subsystems[at];
        let first = subsystem.first();
        let place = bodies.position(first);
        let path_of = |k: usize| {
            let derivatives: [Vector; 4] = std::array::from_fn(|m| self.derivatives[m].each_ref().map(|of| of[k]));
            (derivatives, (subsystem.time - self.since[k]) * unit)
        };
        let (mut perturbers, mut most) = (Vec::new(), 0.0_f64);
        for k in (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0 && *k != first) {
            let apart = less(bodies.position(k), place);
            let nearness = subsystem.nearness(bodies.mass[k], dot(apart, apart), self.neglected());
            most = most.max(nearness);
            if nearness >= 1.0 {
                let attraction = subsystem.gravity() * bodies.mass[k];
                perturbers.push((k, Perturber { attraction, path: path(path_of(k), path_of(first)) }));
            }
        }
        (perturbers, subsystem.size * libm::pow(most, -1.0 / 6.0))
    }
}
