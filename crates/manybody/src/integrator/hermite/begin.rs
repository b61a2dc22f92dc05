//! What bodies carry from dt to dt: read, left with them, and computed where a run, or some of the bodies, begin.

use super::levels::{self, FULL, halved};
use super::scheme::{self, AXES};
use super::{ActiveBodies, Hermite, HermiteOrder, TimeSteps};
use crate::{Bodies, Result};

/// Of three points: how many levels deeper the step of a body becomes that begins again, with an error of order 4 that is 2^-15 of that of its step.
const DEEPER: i32 = 3;

/// Of three points: a step is at most so many times as long as the one before. Steps that vary double at most; parts of constant ones are
/// sixteenths.
const SHORT: f64 = 32.0;

impl Hermite {
    /// Reads what the bodies carry; false where they carry nothing.
    pub(super) fn load(&mut self, bodies: &Bodies, dt: f64) -> Result<bool> {
        let n = bodies.len();
        self.changed.clear();
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for (to, from) in self.derivatives.iter_mut().flatten().zip([x, y, z, vx, vy, vz]) {
            to.clone_from(from);
        }
        self.since.clear();
        self.since.resize(n, 0.0);
        self.before.clear();
        self.before.resize(n, 0.0);
        let mut carried =
            scheme::columns(self.order).iter().map(|name| bodies.extra.get(*name).filter(|c| c.len() == n));
        for to in self.derivatives[2..].iter_mut().flatten() {
            match carried.next().flatten() {
                Some(column) => to.clone_from(column),
                None => return Ok(false),
            }
        }
        if self.has_snaps() {
            // those that begin again need the accelerations of the others
            self.accelerations.clone_from(&self.derivatives[2]);
        }
        let Some(steps) = carried.next().flatten() else { return Ok(false) };
        if self.order == HermiteOrder::ThreePoint {
            let Some(before) = bodies.extra.get(scheme::STEP_BEFORE).filter(|column| column.len() == n) else {
                return Ok(false);
            };
            self.before.clone_from(before);
        }
        self.levels.reset(n, dt, self.control.dt_max, self.control.dt_min)?;
        for (k, step) in steps.iter().enumerate() {
            // a sign, or no step, says that what the body carries is to be computed again
            if *step <= 0.0 {
                self.changed.push((k, *step < 0.0));
            }
            let step = if *step == 0.0 { dt } else { step.abs() };
            self.levels.set(k, self.levels.of_step(step));
        }
        Ok(true)
    }

    /// Computes what the bodies would carry, at the beginning of a run.
    pub(super) fn start(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let n = bodies.bodies().len();
        self.levels.reset(n, dt, self.control.dt_max, self.control.dt_min)?;
        let known = if self.has_snaps() { &mut self.accelerations[..] } else { &mut [] };
        self.derivatives[2..].iter_mut().flatten().chain(known).for_each(|column| column.resize(n, 0.0));
        self.active = (0..n).filter(|k| self.is_visible(*k)).collect();
        self.begin_active(bodies, 0.0, dt, |_| false)
    }

    /// Computes the accelerations of bodies that [begin again](Self::begin_noted), and of those that something has happened to, at the
    /// beginning of a step of the run.
    pub(super) fn note_accelerations_of(
        &mut self,
        begin: impl Iterator<Item = usize>,
        bodies: &mut dyn ActiveBodies,
    ) -> Result<()> {
        let changed = self.changed.iter().map(|(k, _)| *k).filter(|k| self.is_visible(*k));
        self.active = begin.chain(changed).collect();
        self.active.sort_unstable();
        self.active.dedup();
        self.note_accelerations(bodies, self.begin)
    }

    /// Computes the accelerations of the active bodies where snaps, which need those of all bodies, are to follow: without what averaged
    /// pairs are above points.
    fn note_accelerations(&mut self, bodies: &mut dyn ActiveBodies, elapsed: f64) -> Result<()> {
        if !self.has_snaps() || self.active.is_empty() {
            return Ok(());
        }
        bodies.derivatives_on(&self.active, None, elapsed, &mut self.found)?;
        self.count(bodies.bodies());
        let seen = self.seen_now();
        self.resolve(bodies.bodies(), &seen);
        for (k, i) in self.active.iter().enumerate() {
            (0..AXES).for_each(|q| self.accelerations[q][*i] = self.found.a[q][k]);
        }
        Ok(())
    }

    /// Computes what the active bodies carry from a time within a step of the run on, where they are now; their time steps,
    /// too, but for those that keep theirs, asked by their places among the active ones.
    pub(super) fn begin_active(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        time: f64,
        dt: f64,
        keeps: impl Fn(usize) -> bool,
    ) -> Result<()> {
        self.note_accelerations(bodies, self.begin + time * (dt / FULL))?;
        self.begin_noted(bodies, time, dt, keeps)
    }

    /// The same where the accelerations are known of all bodies.
    pub(super) fn begin_noted(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        time: f64,
        dt: f64,
        keeps: impl Fn(usize) -> bool,
    ) -> Result<()> {
        if self.active.is_empty() {
            return Ok(());
        }
        let elapsed = self.begin + time * (dt / FULL);
        let seen = self.seen_now();
        self.evaluate(bodies, elapsed, &seen)?;
        let scheme = self.scheme_for(bodies);
        let highest = levels::highest(time);
        for (k, i) in self.active.iter().copied().enumerate() {
            let (place, velocity) = (bodies.bodies().position(i), bodies.bodies().velocity(i));
            for q in 0..AXES {
                let known = [place[q], velocity[q], self.found.a[q][k], self.found.j[q][k]];
                let snap = self.found.s[q].get(k).copied().unwrap_or(0.0);
                let known = known.into_iter().chain([snap, 0.0]);
                self.derivatives.iter_mut().zip(known).for_each(|(to, value)| to[q][i] = value);
            }
            (self.since[i], self.before[i]) = (time, 0.0);
            // of three points the next step is of order 4
            let deeper = if self.order == HermiteOrder::ThreePoint { DEEPER } else { 0 };
            if keeps(k) {
                // its step ends at a multiple of it
                self.levels.set(i, self.levels.clamped(self.levels.get(i) + deeper, highest));
            } else {
                let known = scheme.gather(&self.derivatives, i);
                let level = self.levels.of_squared(0, scheme.first_squared(&known, dt));
                // (bodies at rest have no jerk, and no first step follows)
                let level = level.max(i32::from(self.levels.limits().0[0]) + deeper);
                self.levels.set(i, self.levels.clamped(self.levels.first(level), highest));
            }
        }
        Ok(())
    }

    /// Of three points: bodies whose next step is much longer than the one before begin again. What rounding leaves of derivatives over a short
    /// step is multiplied over a long one.
    pub(super) fn begin_after_short_steps(&mut self, dt: f64) {
        if self.order != HermiteOrder::ThreePoint {
            return;
        }
        for k in 0..self.before.len() {
            if self.before[k] * SHORT < dt * halved(self.levels.get(k)) {
                self.before[k] = 0.0;
                self.derivatives[4..].iter_mut().flatten().for_each(|column| column[k] = 0.0);
            }
        }
        if self.steps() == TimeSteps::Constant {
            self.is_parted = (0..self.before.len()).any(|k| self.before[k] == 0.0 && self.is_visible(k));
            self.share_levels();
        }
    }

    /// Leaves with the bodies what they carry.
    pub(super) fn save(&mut self, bodies: &mut Bodies, dt: f64) {
        let mut names = scheme::columns(self.order).iter();
        for from in self.derivatives[2..].iter().flatten() {
            if let Some(name) = names.next() {
                bodies.extra.entry((*name).into()).or_default().clone_from(from);
            }
        }
        if let Some(name) = names.next() {
            let steps = (0..bodies.len()).map(|k| dt * halved(self.levels.get(k))).collect();
            bodies.extra.insert((*name).into(), steps);
        }
        if self.order == HermiteOrder::ThreePoint {
            bodies.extra.entry(scheme::STEP_BEFORE.into()).or_default().clone_from(&self.before);
        }
    }
}
