//! Bodies that merge within a step of the run, and bodies that something has happened to between steps.
//!
//! At the end of a block the bodies that were active are looked at: of two that have touched within their last steps, one
//! takes the place of both at their centre of mass, and what it carries is computed again. The other one has no mass from
//! then on, is never active, and moves beside the first, until it is removed after the step of the run.

use super::levels::{self, FULL};
use super::pairs::Pair;
use super::scheme::{AXES, CARRIED_STEP, PARTNER, SUBSYSTEM};
use super::vector::put;
use super::{ActiveBodies, Again, Hermite, Pairs, TimeSteps};
use crate::events::{RADIUS, Swept, Touch, first_of_each, jump, touches};
use crate::{Bodies, Result};
use std::collections::BTreeMap;

/// The change of an acceleration, relative to it, from which on a step ends where two others merge, over eta^order.
const JUMP: f64 = 1e-4;

impl Hermite {
    /// Merges what has touched in the block that ended at `time`; where a pair that moves as one body has been touched, it must
    /// be resolved.
    pub(super) fn merge_touching(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        time: f64,
        dt: f64,
    ) -> Result<Option<Again>> {
        let elapsed = self.begin + time * (dt / FULL);
        let active = self.active.clone();
        self.set_reaches(bodies.bodies());
        let mut swept: Vec<Swept> = std::mem::take(&mut self.swept);
        // what is computed again, and whether it keeps its time step
        let mut again: BTreeMap<usize, bool> = BTreeMap::new();
        let mut merged: Vec<[usize; 2]> = Vec::new();
        while !swept.is_empty() {
            let mut found = touches(bodies.bodies(), &self.radius, &swept, |k| !self.is_hidden[k])?;
            if self.control.pairs == Some(Pairs::Chain) {
                if let Some(again) = self.touched_in_part(bodies.bodies(), &mut found, time, dt) {
                    return Ok(Some(again));
                }
                merged.extend(self.swallow(bodies, &mut found, &swept, time, dt)?);
            }
            swept.clear();
            let is_touched = |pair: &&Pair| found.iter().any(|touch| touch.pair.contains(&pair.first));
            if let Some(pair) = self.pairs.iter().find(is_touched) {
                return Ok(Some(Again::Pairs(vec![[pair.first, pair.second]])));
            }
            // a body that has just merged is looked at again, over the rest of its step
            let found = first_of_each(found);
            let (jumping, settled) = self.settle_jumps(bodies, &found, time, dt)?;
            for k in jumping {
                again.entry(k).or_insert(true);
            }
            // their next steps begin here: what they have touched in this one is looked for now
            swept.extend(settled.into_iter().filter(|(k, _)| !found.iter().any(|touch| touch.pair.contains(k))));
            for touch in found {
                let has_mass = touch.pair.iter().all(|k| bodies.bodies().mass[*k] != 0.0);
                let [kept, gone] = bodies.merge(touch.pair, elapsed)?;
                self.is_hidden[gone] = true;
                self.gone.push(gone);
                let sum = bodies.bodies().extra.get(RADIUS).map_or(0.0, |radius| radius[kept]);
                (self.radius[kept], self.radius[gone]) = (sum, 0.0);
                swept.push((kept, touch.ago));
                merged.push([kept, gone]);
                // a body that one without mass becomes a part of goes on as it was
                if has_mass || bodies.bodies().mass[kept] == 0.0 {
                    again.insert(kept, false);
                }
            }
        }
        again.retain(|k, _| !self.is_hidden[*k]);
        if !again.is_empty() {
            self.active = again.keys().copied().collect();
            let keeps: Vec<bool> = again.values().copied().collect();
            self.begin_active(bodies, time, dt, |k| keeps[k])?;
        }
        let ([top, _], _) = self.levels.limits();
        for [_, gone] in &merged {
            let (place, velocity) = (bodies.bodies().position(*gone), bodies.bodies().velocity(*gone));
            for (order, columns) in self.derivatives.iter_mut().enumerate() {
                for (q, column) in columns.iter_mut().enumerate() {
                    // straight on
                    column[*gone] = match order {
                        0 => place[q],
                        1 => velocity[q],
                        _ => 0.0,
                    };
                }
            }
            (self.since[*gone], self.before[*gone]) = (time, 0.0);
            self.levels.set(*gone, i32::from(top));
        }
        if !merged.is_empty() && self.steps() != TimeSteps::Individual {
            self.share_levels();
        }
        self.active = active;
        Ok(None)
    }

    /// Ends the steps of the bodies whose accelerations are about to jump, at a time within them: a polynomial does not go
    /// through a jump. Returns which they are, and the steps that have ended.
    fn settle_jumps(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        touched: &[Touch],
        time: f64,
        dt: f64,
    ) -> Result<(Vec<usize>, Vec<Swept>)> {
        let Some(gravity) = bodies.gravity_between() else { return Ok(Default::default()) };
        let scheme = self.scheme();
        // beside the errors of the scheme
        let least = JUMP * scheme.eta.powi(self.order.number() as i32);
        let n = bodies.bodies().len();
        // nothing changes for a body that one without mass becomes a part of
        let has_mass = |touch: &&Touch| touch.pair.iter().all(|k| bodies.bodies().mass[*k] != 0.0);
        let is_of = |k: usize| touched.iter().filter(has_mass).any(|touch| touch.pair.contains(&k));
        let size = |k: usize| (0..AXES).map(|q| self.derivatives[2][q][k].powi(2)).sum::<f64>().sqrt();
        let jumps = |k: &usize| {
            let limit = least * size(*k);
            touched.iter().any(|touch| jump(bodies.bodies(), touch.pair, *k, &gravity) > limit)
        };
        let jumping: Vec<usize> = (0..n).filter(|k| !self.is_hidden[*k] && !is_of(*k)).filter(jumps).collect();
        self.active =
            (0..n).filter(|k| (is_of(*k) || jumping.binary_search(k).is_ok()) && self.since[*k] < time).collect();
        let mut settled = Vec::new();
        if self.active.is_empty() {
            return Ok((jumping, settled));
        }
        let unit = dt / FULL;
        let seen = self.seen_now();
        self.evaluate(bodies, self.begin + time * unit, &seen)?;
        for (k, i) in self.active.iter().copied().enumerate() {
            let begin = scheme.gather(&self.derivatives, i);
            let step = (time - self.since[i]) * unit;
            let end = scheme.corrected(&begin, self.before[i], &self.found, k, step);
            put(bodies.bodies_mut(), i, end.derivatives[0], end.derivatives[1]);
            for (to, from) in self.derivatives.iter_mut().zip(&end.derivatives) {
                (0..AXES).for_each(|q| to[q][i] = from[q]);
            }
            settled.push((i, step));
            (self.since[i], self.before[i]) = (time, step);
            self.levels.set(i, self.levels.clamped(self.levels.get(i), levels::highest(time)));
        }
        Ok((jumping, settled))
    }

    /// Computes at the beginning of a step of the run what bodies carry that something has happened to.
    pub(super) fn begin_changed(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let changed = std::mem::take(&mut self.changed);
        let (places, keeps): (Vec<usize>, Vec<bool>) = changed.into_iter().filter(|(k, _)| self.is_visible(*k)).unzip();
        if places.is_empty() {
            return Ok(());
        }
        self.predict(bodies.bodies_mut(), 0.0, dt / FULL);
        self.active = places;
        self.begin_active(bodies, 0.0, dt, |k| keeps[k])
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

/// Corrects the columns that name places of bodies, before those that are not kept are removed: of partners, and of
/// subsystems by their first bodies.
pub(crate) fn renumber(bodies: &mut Bodies, is_kept: &[bool]) {
    let mut place = 0;
    let places: Vec<f64> = is_kept
        .iter()
        .map(|kept| {
            place += u64::from(*kept);
            if *kept { place as f64 } else { 0.0 }
        })
        .collect();
    for name in [PARTNER, SUBSYSTEM] {
        for of in bodies.extra.get_mut(name).into_iter().flatten().filter(|of| **of > 0.0) {
            *of = places.get(*of as usize - 1).copied().unwrap_or(0.0);
        }
    }
}
