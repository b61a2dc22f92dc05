//! Bodies of subsystems that touch, and bodies that touch these.
//!
//! ```text
//! inside     two bodies of a subsystem touch at a time that its integration finds
//! across     a body, or another subsystem, comes as close to one as its size and radii: the part of the step is made again
//!            with both in one subsystem, or resolved
//! outside    of two single bodies blocks show that they have touched: made again with both in one subsystem, if that is
//!            isolated; else they merge at the end of that block
//! without    a body without mass touches one of a subsystem: it is swallowed at the end of its own step, and changes nothing
//! mass
//! ```
//!
//! Where bodies with mass touch, the part of the step is made again up to that time with the same subsystems. There, where all
//! bodies are at one time, two become one as at the end of any step, and the rest is a part of its own: no polynomial and no
//! subsystem goes through a merger. What a body carries from there on is computed again.

use super::super::levels::FULL;
use super::super::scheme::{CARRIED_STEP, REMAINDERS, SUBSYSTEM, columns};
use super::super::vector::{Vector, dot, less, plus, put};
use super::super::{ActiveBodies, Again, Hermite, mark};
use super::encounters::LINKS;
use super::select::Selection;
use crate::events::{RADIUS, Swept, Touch, first_of_each, passage};
use crate::solver::Gravity;
use crate::{Bodies, Result};

/// A part is not cut so close to its ends, relative to its length: the merger is at the end then.
const LEAST: f64 = 4.0 * f64::EPSILON;

/// Two that touch are as close as their radii to so much of these where the part that ends there has been made again. Paths of
/// perturbers differ then, by their own errors, in steps that end elsewhere. If more bodies than these are so close that the
/// pair is farther apart, it is looked at again from there on.
const SAME: f64 = 1e-3;

impl Hermite {
    /// Lets subsystems be as large as their bodies reach, for the search for touching bodies.
    pub(in super::super) fn set_reaches(&mut self, bodies: &Bodies) {
        for subsystem in &self.subsystems {
            for k in &subsystem.members {
                self.radius[*k] = bodies.extra.get(RADIUS).map_or(0.0, |radius| radius[*k]);
            }
            self.radius[subsystem.first()] = subsystem.reach();
        }
    }

    /// Gives the subsystems the radii of their bodies.
    pub(super) fn give_radii(&mut self, bodies: &Bodies) {
        if let Some(radius) = bodies.extra.get(RADIUS).filter(|_| self.control.collisions) {
            self.subsystems.iter_mut().for_each(|subsystem| subsystem.set_radii(radius, &self.due));
        }
    }

    /// What the part of the step must be made again for, of the touches that a block has shown. Those of pairs that are due are
    /// left out.
    pub(in super::super) fn touched_in_part(
        &self,
        bodies: &Bodies,
        found: &mut Vec<Touch>,
        time: f64,
        dt: f64,
    ) -> Option<Again> {
        found.retain(|touch| !self.due.contains(&touch.pair));
        let massive: Vec<Touch> =
            found.iter().copied().filter(|touch| touch.pair.iter().all(|k| bodies.mass[*k] > 0.0)).collect();
        let is_of_subsystem = |pair: &[usize; 2]| pair.iter().any(|k| self.subsystem_at(*k).is_some());
        let were_refused = |[i, j]: &[usize; 2]| self.refused.iter().any(|of| of.contains(i) && of.contains(j));
        let may_link = |pair: &[usize; 2]| self.forced.len() < LINKS && !were_refused(pair);
        let is_new = |pair: &[usize; 2]| !self.forced.contains(pair);
        let pairs = massive.iter().map(|touch| touch.pair);
        let links: Vec<[usize; 2]> =
            pairs.filter(|pair| is_new(pair) && (is_of_subsystem(pair) || may_link(pair))).collect();
        if !links.is_empty() {
            return Some(Again::Pairs(links));
        }
        let pairs: Vec<[usize; 2]> = first_of_each(massive).iter().map(|touch| touch.pair).collect();
        (!pairs.is_empty()).then(|| Again::Cut { pairs, at: time * (dt / FULL) })
    }

    /// Lets bodies of subsystems swallow bodies without mass that have touched them, as blocks show that these have come close to
    /// the subsystem. Returns who has swallowed what; of `found` only touches of other bodies are left.
    pub(in super::super) fn swallow(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        found: &mut Vec<Touch>,
        swept: &[Swept],
        time: f64,
        dt: f64,
    ) -> Result<Vec<[usize; 2]>> {
        let mut swallowed = Vec::new();
        for touch in std::mem::take(found) {
            let [i, j] = touch.pair;
            let (at, light) = match (self.subsystem_at(i), self.subsystem_at(j)) {
                (Some(at), _) => (at, j),
                (None, Some(at)) => (at, i),
                (None, None) => {
                    found.push(touch);
                    continue;
                }
            };
            // a body is looked at over its own steps, which see the bodies of a subsystem where it is near to one
            let Some((_, step)) = swept.iter().find(|(k, _)| *k == light) else { continue };
            let inside = match self.seen.get(at).cloned().flatten() {
                Some(inside) => inside,
                None => self.inside_at(at, bodies, time, dt / FULL)?,
            };
            let Some((member, (place, velocity))) = self.touched_member(bodies.bodies(), at, &inside, light, *step)
            else {
                continue;
            };
            let k = self.subsystems[at].members[member];
            let elapsed = self.begin + time * (dt / FULL);
            let b = bodies.bodies_mut();
            let joined = (b.position(k), b.velocity(k), b.mass[k]);
            put(b, k, place, velocity);
            b.mass[k] = inside[member].0;
            bodies.merge([k.min(light), k.max(light)], elapsed)?;
            let b = bodies.bodies_mut();
            put(b, k, joined.0, joined.1);
            b.mass[k] = joined.2;
            self.is_hidden[light] = true;
            self.gone.push(light);
            self.radius[light] = 0.0;
            self.give_radii(bodies.bodies());
            self.set_reaches(bodies.bodies());
            swallowed.push([k, light]);
        }
        Ok(swallowed)
    }

    /// The body of a subsystem that a body has touched in its last step, the first one, by its place in this; with its position and
    /// its velocity.
    fn touched_member(
        &self,
        bodies: &Bodies,
        at: usize,
        inside: &[(f64, (Vector, Vector))],
        light: usize,
        step: f64,
    ) -> Option<(usize, (Vector, Vector))> {
        let radius = bodies.extra.get(RADIUS)?;
        let first = self.subsystems[at].first();
        let mut earliest: Option<(f64, usize, (Vector, Vector))> = None;
        for (member, (k, (_, (r, v)))) in self.subsystems[at].members.iter().zip(inside).enumerate() {
            let (place, velocity) = (plus(bodies.position(first), *r), plus(bodies.velocity(first), *v));
            let (d, w) = (less(place, bodies.position(light)), less(velocity, bodies.velocity(light)));
            let sum = radius[*k] + radius[light];
            let ago = if sum > 0.0 { passage(d, w, sum, step) } else { None };
            if let Some(ago) = ago.filter(|ago| earliest.is_none_or(|(most, ..)| *ago > most)) {
                earliest = Some((ago, member, (place, velocity)));
            }
        }
        earliest.map(|(_, member, motion)| (member, motion))
    }

    /// Makes a part of the step in which bodies touch: up to there with the subsystems in which that was found, and on from there
    /// with one body in place of two.
    pub(super) fn cut(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        gravity: &Gravity,
        dt: f64,
        (pairs, at): (Vec<[usize; 2]>, f64),
        selection: Selection,
    ) -> Result<()> {
        self.is_cut = true;
        let begin = self.begin;
        let at = match at {
            at if at <= LEAST * dt => 0.0,
            at if dt - at <= LEAST * dt => dt,
            at => at,
        };
        self.due.extend(&pairs);
        if at > 0.0 {
            let steps = bodies.bodies().extra.get(CARRIED_STEP).cloned();
            self.part_with_subsystems(bodies, gravity, at, Some(selection))?;
            lengthen(bodies.bodies_mut(), at, &steps.unwrap_or_default());
        }
        self.begin = begin + at;
        for pair in pairs {
            self.merge_due(bodies, pair, at == 0.0)?;
        }
        if at < dt {
            self.part_with_subsystems(bodies, gravity, dt - at, None)?;
        }
        self.begin = begin;
        Ok(())
    }

    /// Makes one body of two that touch now, if neither has become a part of another one before.
    fn merge_due(&mut self, bodies: &mut dyn ActiveBodies, pair: [usize; 2], is_certain: bool) -> Result<()> {
        let Some(at) = self.due.iter().position(|due| *due == pair) else { return Ok(()) };
        self.due.remove(at);
        let b = bodies.bodies();
        let apart = less(b.position(pair[1]), b.position(pair[0]));
        let sum = b.extra.get(RADIUS).map_or(0.0, |radius| radius[pair[0]] + radius[pair[1]]);
        if !is_certain && dot(apart, apart).sqrt() > (1.0 + SAME) * sum {
            return Ok(());
        }
        let [kept, gone] = bodies.merge(pair, self.begin)?;
        self.gone.push(gone);
        self.due.retain(|due| !due.contains(&kept) && !due.contains(&gone));
        let whole = self.whole;
        let b = bodies.bodies_mut();
        for name in REMAINDERS.into_iter().chain([SUBSYSTEM]) {
            if let Some(column) = b.extra.get_mut(name) {
                [column[kept], column[gone]] = [0.0; 2];
            }
        }
        mark(b, |k| k == kept);
        if let Some(steps) = b.extra.get_mut(CARRIED_STEP) {
            // never active, and straight on
            steps[gone] = whole;
            for name in columns(self.order).iter().filter(|name| **name != CARRIED_STEP) {
                if let Some(column) = b.extra.get_mut(*name) {
                    column[gone] = 0.0;
                }
            }
        }
        Ok(())
    }
}

/// Gives bodies whose steps were as long as a part the steps that they had before, if those were longer.
fn lengthen(bodies: &mut Bodies, part: f64, before: &[f64]) {
    for (now, before) in bodies.extra.get_mut(CARRIED_STEP).into_iter().flatten().zip(before) {
        if *now == part {
            *now = part.max(before.abs());
        }
    }
}
