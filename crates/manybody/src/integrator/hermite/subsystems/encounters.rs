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
            let met = (self.levels.get(*i) >= ENCOUNTER).then(|| self.met(bodies, *i, &rule)).flatten();
            [into, met].into_iter().flatten().map(|j| [*i.min(&j), *i.max(&j)])
        });
        links.into_iter().find(has_room)
    }

    /// The subsystem, by its first body, that a body or another subsystem has come so close to that it belongs to it.
    fn close_subsystem(&self, bodies: &Bodies, i: usize) -> Option<usize> {
        let close = (0..self.subsystems.len()).find(|at| self.is_close(*at, bodies, i))?;
        self.subsystems.get(close).map(Subsystem::first)
    }

    /// The body that pulls most at another one, or the first body of its subsystem, where the two ask for the steps of a
    /// subsystem.
    fn met(&self, bodies: &Bodies, i: usize, rule: &Rule) -> Option<usize> {
        let others = (0..bodies.len()).filter(|j| *j != i && bodies.mass[*j] > 0.0);
        let mut strongest: Option<(f64, Candidate)> = None;
        for j in others {
            let parts = match self.subsystem_at(j) {
                Some(at) => self.subsystems[at].resolved(bodies),
                None => vec![(bodies.mass[j], (bodies.position(j), bodies.velocity(j)))],
            };
            for (mass, (place, _)) in parts {
                let apart = less(place, bodies.position(i));
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

/// A body, perhaps one of a subsystem, that pulls at another one.
struct Candidate {
    /// The body, or the first one of its subsystem.
    body: usize,
    mass: f64,
    distance2: f64,
}
