//! Bodies that merge within a step of the run, and bodies that something has happened to between steps.
//!
//! At the end of a block the bodies that were active are looked at: of two that have touched within their last steps, one
//! takes the place of both at their centre of mass, and what it carries is computed again. The other one has no mass from
//! then on, is never active, and moves beside the first, until it is removed after the step of the run.

use super::levels::{self, FULL};
use super::scheme::{AXES, CARRIED_STEP, Order, PARTNER};
use super::{ActiveBodies, Hermite, TimeSteps};
use crate::events::{Swept, touches};
use crate::{Bodies, Result};

impl Hermite {
    /// Merges what has touched in the block that ended at `time`.
    pub(super) fn merge_touching(&mut self, bodies: &mut dyn ActiveBodies, time: f64, dt: f64) -> Result<()> {
        let elapsed = self.begin + time * (dt / FULL);
        let mut merged: Vec<[usize; 2]> = Vec::new();
        let mut swept: Vec<Swept> = std::mem::take(&mut self.swept);
        while !swept.is_empty() {
            let found = touches(bodies.bodies(), &swept, |k| !self.is_hidden[k] && !self.is_pair[k]);
            swept.clear();
            let mut moved = Vec::new();
            for touch in found {
                // a body that has just merged is looked at again where it is now
                if touch.pair.iter().any(|k| moved.contains(k)) {
                    continue;
                }
                let [kept, gone] = bodies.merge(touch.pair, elapsed)?;
                self.is_hidden[gone] = true;
                moved.extend([kept, gone]);
                swept.push((kept, 0.0));
                merged.push([kept, gone]);
            }
        }
        if merged.is_empty() {
            return Ok(());
        }
        self.active = merged.iter().map(|[kept, _]| *kept).filter(|kept| !self.is_hidden[*kept]).collect();
        self.active.sort_unstable();
        self.active.dedup();
        let first_steps = vec![false; self.active.len()];
        self.begin_active_at(bodies, time, dt, &first_steps)?;
        let ([top, _], _) = self.levels.limits();
        for [kept, gone] in merged {
            let place = bodies.bodies().position(gone);
            for (order, columns) in self.derivatives.iter_mut().enumerate() {
                for (q, column) in columns.iter_mut().enumerate() {
                    column[gone] = if order == 0 { place[q] } else { column[kept] };
                }
            }
            self.since[gone] = time;
            self.levels.set(gone, i32::from(top));
        }
        if self.steps() != TimeSteps::Individual {
            self.share_levels();
        }
        Ok(())
    }

    /// Computes at the beginning of a step of the run what bodies carry that something has happened to.
    pub(super) fn begin_anew(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let anew = std::mem::take(&mut self.anew);
        let (places, keeps): (Vec<usize>, Vec<bool>) =
            anew.into_iter().filter(|(k, _)| self.is_hidden.get(*k) != Some(&true)).unzip();
        if places.is_empty() {
            return Ok(());
        }
        self.predict(bodies.bodies_mut(), 0.0, dt / FULL);
        self.active = places;
        self.begin_active_at(bodies, 0.0, dt, &keeps)
    }

    /// Computes what the active bodies carry from a time within a step of the run on, where they are now; their time steps,
    /// too, but for those that keep theirs.
    fn begin_active_at(&mut self, bodies: &mut dyn ActiveBodies, time: f64, dt: f64, keeps: &[bool]) -> Result<()> {
        let elapsed = self.begin + time * (dt / FULL);
        if self.order == Order::Sixth {
            // snaps need accelerations of all bodies
            bodies.derivatives_on(&self.active, None, elapsed, &mut self.found)?;
            self.count(bodies.bodies());
            for (k, i) in self.active.iter().enumerate() {
                (0..AXES).for_each(|q| self.accelerations[q][*i] = self.found.a[q][k]);
            }
        }
        let seen = self.seen_now();
        self.evaluate(bodies, elapsed, &seen)?;
        let scheme = self.scheme();
        let highest = levels::highest(time);
        for (k, i) in self.active.iter().copied().enumerate() {
            let (place, velocity) = (bodies.bodies().position(i), bodies.bodies().velocity(i));
            for q in 0..AXES {
                let known = [place[q], velocity[q], self.found.a[q][k], self.found.j[q][k]];
                let snap = self.found.s[q].get(k).copied().unwrap_or(0.0);
                let known = known.into_iter().chain([snap, 0.0]);
                self.derivatives.iter_mut().zip(known).for_each(|(to, value)| to[q][i] = value);
            }
            self.since[i] = time;
            if !keeps[k] {
                let known = scheme.gather(&self.derivatives, i);
                let level = self.levels.of_squared(0, scheme.first_squared(&known, dt));
                self.levels.set(i, self.levels.clamped(self.levels.first(level), highest));
            }
        }
        Ok(())
    }
}

/// Says of bodies that what they carry is to be computed again: of those that were moved with first time steps.
pub(crate) fn mark(bodies: &mut Bodies, was_moved: impl Fn(usize) -> bool) {
    if let Some(steps) = bodies.extra.get_mut(CARRIED_STEP) {
        for (k, step) in steps.iter_mut().enumerate() {
            *step = if was_moved(k) { 0.0 } else { -step.abs() };
        }
    }
}

/// Corrects the columns that name places of bodies, before those that are not kept are removed.
pub(crate) fn renumber(bodies: &mut Bodies, is_kept: &[bool]) {
    let Some(partner) = bodies.extra.get_mut(PARTNER) else { return };
    let mut place = 0;
    let places: Vec<f64> = is_kept
        .iter()
        .map(|kept| {
            place += u64::from(*kept);
            if *kept { place as f64 } else { 0.0 }
        })
        .collect();
    for of in partner.iter_mut().filter(|of| **of > 0.0) {
        *of = places.get(*of as usize - 1).copied().unwrap_or(0.0);
    }
}
