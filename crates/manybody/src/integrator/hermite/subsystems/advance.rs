//! The bodies of subsystems are advanced, and what is near to them is deflected.
//!
//! A subsystem that is no point deflects what is near. That is found where its bodies are integrated, along the paths of
//! what is near: the scheme itself has points only, and needs no steps that resolve the orbits inside. Energy and
//! momentum go from one side to the other as they must, since tides and deflections are integrals of the same forces.
//!
//! The bodies inside are advanced where the centre of mass ends a step, and where a body does so whose perturbation is above 1e-4.
//! Weaker perturbers are many, and are deflected at the end of an advance. One that has ended steps meanwhile, perhaps many, is
//! taken along the cubic between where it was at the last advance and where it is: the polynomial of its last step alone leads
//! anywhere a few of its steps before.

use super::super::levels::FULL;
use super::super::scheme::AXES;
use super::super::vector::{Vector, dot, less, put};
use super::super::{ActiveBodies, Hermite};
use super::Seen;
use super::subsystem::{Motion, between, path};
use crate::few_body::{Deflection, Obstacle, Perturber};
use crate::{Bodies, Result};

/// The perturbation from which on bodies are advanced where a perturber ends a step.
const MET: f64 = 1e-4;

impl Hermite {
    /// The perturbation from which on a body that ends a step has a subsystem advanced. One that is averaged must not miss
    /// what comes near.
    fn met_from(&self, at: usize) -> f64 {
        if self.subsystems[at].was_near { MET.max(self.neglected()) } else { self.neglected() }
    }

    /// Advances the bodies of subsystems that something needs at this time, and says where they are. All bodies are predicted.
    pub(in super::super) fn advance_subsystems(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        time: f64,
        unit: f64,
    ) -> Result<Seen> {
        let mut seen = Vec::with_capacity(self.subsystems.len());
        let b = bodies.bodies();
        let massive: Vec<usize> = self.active.iter().copied().filter(|k| b.mass[*k] > 0.0).collect();
        for at in 0..self.subsystems.len() {
            let first = self.subsystems[at].first();
            let is_due = time == FULL;
            let b = bodies.bodies();
            let limit = self.met_from(at);
            let is_met = || massive.iter().any(|k| self.is_within(at, b, *k, limit));
            let is_active = is_due || self.active.binary_search(&first).is_ok();
            if is_active || is_met() {
                let around = self.advance_one(at, bodies, (time, is_active), unit)?;
                self.deflect(at, bodies.bodies_mut(), &around, (time, unit));
                if is_active && self.subsystems[at].multipole.is_none() && !self.subsystems[at].is_short() {
                    self.push(at, bodies.bodies_mut(), &around, (time, unit));
                }
                if !around.is_empty() {
                    self.subsystems[at].meet(bodies.bodies(), &around);
                }
            }
            let b = bodies.bodies();
            let is_seen = || self.active.iter().any(|k| b.mass[*k] == 0.0 && self.is_near(at, b, *k));
            let is_known = self.subsystems[at].time == time || is_seen();
            seen.push(if is_known { Some(self.inside_at(at, bodies, time, unit)?) } else { None });
        }
        Ok(seen)
    }

    /// Where the bodies of a subsystem are at this time; it is as before then.
    pub(super) fn inside_at(
        &mut self,
        at: usize,
        bodies: &dyn ActiveBodies,
        time: f64,
        unit: f64,
    ) -> Result<Vec<(f64, Motion)>> {
        if self.subsystems[at].time == time {
            return Ok(self.subsystems[at].inside());
        }
        // bodies without mass must change no bit of those that have one, nor find a contact before these do
        let kept = self.subsystems[at].clone();
        self.subsystems[at].forget_radii();
        self.advance_one(at, bodies, (time, true), unit)?;
        let there = self.subsystems[at].inside();
        self.subsystems[at] = kept;
        Ok(there)
    }

    fn advance_one(
        &mut self,
        at: usize,
        bodies: &dyn ActiveBodies,
        (time, is_due): (f64, bool),
        unit: f64,
    ) -> Result<Vec<usize>> {
        let (mut near, free) = self.around(at, bodies.bodies(), (time, unit));
        let limit = self.neglected();
        let subsystem = &mut self.subsystems[at];
        let met: Vec<usize> = near.iter().map(|(k, _)| *k).collect();
        subsystem.meet(bodies.bodies(), &met);
        let was_near = std::mem::replace(&mut subsystem.was_near, !near.is_empty());
        if subsystem.is_orbit && !was_near {
            if near.is_empty() && !is_due {
                return Ok(Vec::new());
            }
            // what has just come near has a path since a short time only
            near.clear();
        }
        let is_averaged = subsystem.is_orbit && near.is_empty();
        let duration = (time - subsystem.time) * unit;
        let (near, perturbers): (Vec<usize>, Vec<Perturber>) = near.into_iter().unzip();
        let is_known = !is_due && !is_averaged && subsystem.perturbers == near;
        let field = if is_known { subsystem.field.after(duration) } else { self.field(at, bodies.bodies(), &near) };
        let subsystem = &mut self.subsystems[at];
        let tide = subsystem.tide_until(field, near.clone(), duration);
        let began = bodies.time() + self.begin;
        let made = subsystem.advance(time, unit, (perturbers, tide), (limit, free), &mut |_| bodies.is_stopped());
        let Err(obstacle) = made else { return Ok(near) };
        let error = subsystem.error(obstacle, began, unit, &bodies.bodies().id);
        self.is_long = matches!(obstacle, Obstacle::Long { .. });
        if let Obstacle::Contact { pair, after } = obstacle {
            let [i, j] = pair.map(|k| subsystem.members[k]);
            self.contact = Some(([i.min(j), i.max(j)], subsystem.time * unit + after));
        }
        Err(error)
    }

    /// Moves what was near to a subsystem by what this does to it above a point, and the centre of mass by the opposite.
    fn deflect(&mut self, at: usize, bodies: &mut Bodies, near: &[usize], now: (f64, f64)) {
        let subsystem = &self.subsystems[at];
        let (first, mass) = (subsystem.first(), subsystem.mass);
        let mut opposite = Deflection::default();
        let deflections = std::mem::take(&mut self.subsystems[at].deflections);
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
    pub(super) fn shift(&mut self, bodies: &mut Bodies, k: usize, by: &Deflection, (time, unit): (f64, f64)) {
        let since = (time - self.since[k]) * unit;
        for q in 0..AXES {
            self.derivatives[0][q][k] += by.place[q] - since * by.velocity[q];
            self.derivatives[1][q][k] += by.velocity[q];
        }
        let moved = |of: Vector, by: Vector| std::array::from_fn(|q| of[q] + by[q]);
        put(bodies, k, moved(bodies.position(k), by.place), moved(bodies.velocity(k), by.velocity));
    }

    /// What is near to a subsystem, with its path from the time of that until now, and the size from which on something is near.
    pub(super) fn around(
        &self,
        at: usize,
        bodies: &Bodies,
        (time, unit): (f64, f64),
    ) -> (Vec<(usize, Perturber)>, f64) {
        let subsystem = &self.subsystems[at];
        let first = subsystem.first();
        let place = bodies.position(first);
        let of_step = |k: usize| (self.scheme().gather(&self.derivatives, k), (subsystem.time - self.since[k]) * unit);
        let path_of = |k: usize| match self.since[k] <= subsystem.time {
            true => of_step(k),
            false => {
                let (now, duration) = ((bodies.position(k), bodies.velocity(k)), (time - subsystem.time) * unit);
                (between(subsystem.met(k), now, duration), 0.0)
            }
        };
        let near6 = subsystem.near6(self.neglected());
        // the least sixth power of a distance over what it is compared with
        let (mut perturbers, mut least) = (Vec::new(), f64::INFINITY);
        let Bodies { mass, x, y, z, .. } = bodies;
        for (k, (((mass, x), y), z)) in mass.iter().zip(x).zip(y).zip(z).enumerate() {
            let apart = less([*x, *y, *z], place);
            let distance2 = dot(apart, apart);
            let farness = distance2 * distance2 * distance2 / subsystem.heaviness(*mass);
            if *mass == 0.0 || farness > least.max(near6) || k == first {
                continue;
            }
            least = least.min(farness);
            if farness <= near6 {
                let attraction = subsystem.gravity() * mass;
                perturbers.push((k, Perturber { attraction, path: path(path_of(k), path_of(first)) }));
            }
        }
        (perturbers, subsystem.size * libm::cbrt(least / near6).sqrt())
    }
}
