//! Blocks show which bodies are missing in subsystems.

use super::super::vector::{dot, less};
use super::super::{ActiveBodies, Hermite, Pairs};
use super::select::{MOST, Rule, STEPS};
use super::subsystem::Subsystem;
use crate::Bodies;

/// How often a step of the run is made again with other subsystems.
const REPEATS: usize = 16;

/// A body whose step is below dt / 2^(this) may belong to a subsystem that it is close to.
const SHORT: i32 = 5;

/// One whose step is below dt / 2^(this) has met another, where the two ask for such steps.
const ENCOUNTER: i32 = 8;

impl Hermite {
    /// Two bodies that must be in one subsystem, as this block shows.
    pub(in super::super) fn missing_link(&self, bodies: &dyn ActiveBodies, dt: f64) -> Option<[usize; 2]> {
        if self.control.pairs != Some(Pairs::Chain) || self.forced.len() >= REPEATS {
            return None;
        }
        let rule = self.rule(&bodies.gravity()?, dt);
        let bodies = bodies.bodies();
        let count = |k: usize| self.subsystem_at(k).map_or(1, |at| self.subsystems[at].members.len());
        let has_room = |link: &[usize; 2]| count(link[0]) + count(link[1]) <= MOST && !self.forced.contains(link);
        let short = self.active.iter().filter(|i| bodies.mass[**i] > 0.0 && self.levels.get(**i) >= SHORT);
        let links = short.flat_map(|i| {
            let into = self.close_subsystem(bodies, *i);
            let met = (self.levels.get(*i) >= ENCOUNTER).then(|| met(bodies, *i, &rule)).flatten();
            [into, met].into_iter().flatten().map(|j| [*i.min(&j), *i.max(&j)])
        });
        links.into_iter().find(has_room)
    }

    /// The subsystem, by its first body, that a body has come so close to that it belongs to it.
    fn close_subsystem(&self, bodies: &Bodies, i: usize) -> Option<usize> {
        let close = (0..self.subsystems.len()).find(|at| self.is_close(*at, bodies, i))?;
        self.subsystems.get(close).map(Subsystem::first)
    }
}

/// The body that pulls most at another one, where the two ask for the steps of a subsystem.
fn met(bodies: &Bodies, i: usize, rule: &Rule) -> Option<usize> {
    let distance2 = |j: usize| {
        let apart = less(bodies.position(j), bodies.position(i));
        dot(apart, apart)
    };
    let others = (0..bodies.len()).filter(|j| *j != i && bodies.mass[*j] > 0.0);
    let pull = |j: usize| bodies.mass[j] / distance2(j);
    let strongest = others.max_by(|a, b| pull(*a).total_cmp(&pull(*b)))?;
    let distance = distance2(strongest).sqrt();
    let attraction = rule.g * (bodies.mass[i] + bodies.mass[strongest]);
    (rule.eta * (distance.powi(3) / attraction).sqrt() <= rule.dt / STEPS).then_some(strongest)
}
