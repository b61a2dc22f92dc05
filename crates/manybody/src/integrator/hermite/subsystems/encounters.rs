//! Blocks show which bodies are missing in subsystems.

use super::super::vector::{dot, less, plus};
use super::super::{ActiveBodies, Again, Hermite, Pairs};
use super::select::{Isolation, Rule, STEPS, disturbance};
use crate::Bodies;

/// Links up to which a step is made again since two bodies have met, which need not be in a subsystem.
pub(super) const LINKS: usize = 16;

/// One whose step is below dt / 2^(this) has met another, where the two ask for such steps.
const ENCOUNTER: i32 = 8;

/// One whose step is below dt / 2^(this) of the run must not be resolved if it can be in a subsystem.
const DEEP: i32 = 16;

/// A step of the run has no smaller part than dt / 2^(this).
const HALVINGS: i32 = 10;

impl Hermite {
    /// Pairs of bodies that must be in one subsystem or be resolved, as this block shows; or two that meet so closely that the
    /// step must be made in halves.
    pub(in super::super) fn encounter(&self, bodies: &dyn ActiveBodies, dt: f64) -> Option<Again> {
        if self.control.pairs != Some(Pairs::Chain) {
            return None;
        }
        let rule = self.rule(&bodies.gravity()?, dt);
        let bodies = bodies.bodies();
        let link = |i: usize, j: usize| [i.min(j), i.max(j)];
        let active = || self.active.iter().copied().filter(|i| bodies.mass[*i] > 0.0);
        let is_new = |link: &[usize; 2]| !self.forced.contains(link);
        let is_newly_close = |(link, isolation): &([usize; 2], Isolation)| {
            is_new(link) && (*isolation == Isolation::Fair || !self.close.contains(link))
        };
        let met = active().filter_map(|i| self.too_close(bodies, i).map(|(j, isolation)| (link(i, j), isolation)));
        let met: Vec<([usize; 2], Isolation)> = met.filter(is_newly_close).collect();
        let of = |isolation: Isolation| -> Vec<[usize; 2]> {
            met.iter().filter(|(_, missed)| *missed == isolation).map(|(link, _)| *link).collect()
        };
        let [close, forced] = [Isolation::Good, Isolation::Fair].map(of);
        if !close.is_empty() {
            return Some(Again::Close(close));
        }
        if !forced.is_empty() {
            return Some(Again::Pairs(forced));
        }
        let halvings = self.halvings(dt);
        let is_deep = |i: usize| halvings < HALVINGS && self.levels.get(i) + halvings >= DEEP;
        let is_refused = |i: usize| self.refused.iter().any(|group| group.contains(&i));
        let may_link = self.forced.len() < LINKS;
        let candidates = active().filter(|i| self.levels.get(*i) >= ENCOUNTER);
        let met = candidates.filter(|i| is_deep(*i) || (may_link && !is_refused(*i)));
        let met: Vec<[usize; 2]> = met.filter_map(|i| self.met(bodies, i, &rule).map(|j| link(i, j))).collect();
        let is_apart = |[i, j]: &[usize; 2]| !self.refused.iter().any(|group| group.contains(i) && group.contains(j));
        let links: Vec<[usize; 2]> =
            met.iter().copied().filter(|pair| may_link && is_new(pair) && is_apart(pair)).collect();
        if !links.is_empty() {
            return Some(Again::Pairs(links));
        }
        met.iter()
            .any(|pair| pair.iter().any(|i| is_deep(*i)) && is_isolated_pair(bodies, *pair))
            .then_some(Again::Halves)
    }

    /// What is too close to a body, if one of the two is a subsystem: this, or the other one, by the first body; and for which
    /// isolation.
    fn too_close(&self, bodies: &Bodies, i: usize) -> Option<(usize, Isolation)> {
        if let Some(at) = self.subsystem_at(i) {
            let mut massive = (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0);
            return massive.find_map(|k| Some((k, self.missed_isolation(at, bodies, k)?)));
        }
        let missed = |at: usize| Some((self.subsystems[at].first(), self.missed_isolation(at, bodies, i)?));
        (0..self.subsystems.len()).find_map(missed)
    }

    /// The body that pulls most at another one, or the first body of its subsystem, where the two ask for the steps of a
    /// subsystem.
    fn met(&self, bodies: &Bodies, i: usize, rule: &Rule) -> Option<usize> {
        let others = (0..bodies.len()).filter(|j| *j != i && bodies.mass[*j] > 0.0);
        let mut strongest: Option<(f64, Candidate)> = None;
        for j in others {
            let parts = match self.subsystem_at(j) {
                Some(at) => self.subsystems[at].inside(),
                None => vec![(bodies.mass[j], Default::default())],
            };
            for (mass, (place, _)) in parts {
                let apart = plus(place, less(bodies.position(j), bodies.position(i)));
                let distance2 = dot(apart, apart);
                if strongest.as_ref().is_none_or(|(most, _)| mass / distance2 > *most) {
                    strongest = Some((mass / distance2, Candidate { body: j, mass, distance2 }));
                }
            }
        }
        let (_, Candidate { body, mass, distance2 }) = strongest?;
        let attraction = rule.g * (bodies.mass[i] + mass);
        (rule.eta * (distance2 * distance2.sqrt() / attraction).sqrt() <= rule.dt / STEPS).then_some(body)
    }
}

/// Whether two bodies, at twice their distance, would be fairly isolated from all others.
fn is_isolated_pair(bodies: &Bodies, [i, j]: [usize; 2]) -> bool {
    let mass = bodies.mass[i] + bodies.mass[j];
    let apart = less(bodies.position(j), bodies.position(i));
    let size = 2.0 * dot(apart, apart).sqrt();
    let others = (0..bodies.len()).filter(|k| *k != i && *k != j && bodies.mass[*k] > 0.0);
    let limit = Isolation::Fair.limit();
    others
        .map(|k| (k, less(bodies.position(k), bodies.position(i))))
        .all(|(k, apart)| disturbance([mass, bodies.mass[k]], [size, 0.0], dot(apart, apart).sqrt()) < limit)
}

/// A body, perhaps one of a subsystem, that pulls at another one.
struct Candidate {
    /// The body, or the first one of its subsystem.
    body: usize,
    mass: f64,
    distance2: f64,
}
