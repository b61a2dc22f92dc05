//! Which bodies are in a subsystem, from the bodies alone.
//!
//! ```text
//! a link        two single bodies, neighbours, whose orbit about each other has within dt a time scale that
//!               asks for 32 steps a dt or more: eta sqrt(q^3 / G M) <= dt / 32, with the closest distance q
//! an outer one  the same for a subsystem, as one body, and another body or subsystem; or one of them comes so close
//!               that it perturbs the other: 2 m / M (R / q)^3 >= 1e-3, with the size R of the other
//! ```
//!
//! R is the size of what links of the first kind hold together. Links of short time scales come first, and no subsystem gets more than eight bodies. Bodies that a step of the run has shown
//! to be close are linked before all others.

use super::super::vector::{Vector, dot, less};
use super::orbit::Orbit;
use crate::Bodies;
use crate::cluster::Neighbourhood;

/// The most bodies of a subsystem.
pub(super) const MOST: usize = 8;

/// Steps in a dt from which on two bodies are linked.
pub(super) const STEPS: f64 = 32.0;

/// The perturbation from which on another body belongs to a subsystem.
const CLOSE: f64 = 1e-3;

/// The perturbation from which on forces are those of the bodies of a subsystem.
const WIDE: f64 = 2e-3;

/// What decides on links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) g: f64,
    /// The step of the run.
    pub(super) dt: f64,
    /// The accuracy parameter of the steps.
    pub(super) eta: f64,
}

/// A body, or several as one.
#[derive(Clone, Debug)]
struct Node {
    members: Vec<usize>,
    mass: f64,
    place: Vector,
    velocity: Vector,
    /// The largest distance of two of the members that tight links hold together.
    size: f64,
}

/// Bodies that move as one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Their indices, in order.
    pub(super) members: Vec<usize>,
    /// The size of what tight links hold together: a body is close by its comparison with this.
    pub(super) core: f64,
}

impl Node {
    fn of(bodies: &Bodies, k: usize) -> Self {
        let (place, velocity) = (bodies.position(k), bodies.velocity(k));
        Node { members: vec![k], mass: bodies.mass[k], place, velocity, size: 0.0 }
    }

    fn orbit(&self, other: &Node, rule: &Rule) -> Orbit {
        let (r, v) = (less(other.place, self.place), less(other.velocity, self.velocity));
        Orbit::of(r, v, rule.g * (self.mass + other.mass), rule.dt)
    }

    /// Both as one. A body that is only close makes the size no larger: otherwise the next one would be close, too.
    fn and(&self, other: &Node, orbit: &Orbit, rule: &Rule) -> Node {
        let mass = self.mass + other.mass;
        let size = match rule.is_tight(orbit) {
            true => orbit.apocentre.unwrap_or(orbit.closest).min(rule.tight_distance(mass)),
            false => 0.0,
        };
        let share = other.mass / mass;
        let mean = |a: Vector, b: Vector| std::array::from_fn(|q| a[q] + share * (b[q] - a[q]));
        let mut members: Vec<usize> = self.members.iter().chain(&other.members).copied().collect();
        members.sort_unstable();
        Node {
            members,
            mass,
            place: mean(self.place, other.place),
            velocity: mean(self.velocity, other.velocity),
            size: size.max(self.size).max(other.size),
        }
    }

    /// Whether the other one perturbs this one at a distance so much that it belongs to it.
    fn is_close(&self, other: &Node, distance: f64) -> bool {
        is_close([self.mass, other.mass], self.size, distance)
    }
}

/// Whether the second of two masses perturbs the first, of which the size is given, so much that it belongs to it.
pub(super) fn is_close(mass: [f64; 2], size: f64, distance: f64) -> bool {
    2.0 * mass[1] / mass[0] * (size / distance).powi(3) >= CLOSE
}

/// Whether the first of two masses, with this extent, is no point for the second: forces are those of its bodies.
pub(super) fn is_wide(mass: [f64; 2], extent: f64, distance: f64) -> bool {
    (2.0 * mass[1] / mass[0]).max(1.0) * (extent / distance).powi(3) >= WIDE
}

impl Rule {
    /// The largest distance of two bodies of this mass that needs such steps.
    fn tight_distance(&self, mass: f64) -> f64 {
        libm::cbrt(self.g * mass * (self.dt / STEPS / self.eta).powi(2))
    }

    /// Whether an orbit needs so small steps that its bodies are linked.
    pub(super) fn is_tight(&self, orbit: &Orbit) -> bool {
        self.eta * orbit.time_scale <= self.dt / STEPS
    }
}

/// The nodes of a system: single bodies and subsystems. A body is in one of them.
struct Nodes {
    all: Vec<Option<Node>>,
    /// Where each body is; `None` for one without mass.
    of: Vec<Option<usize>>,
}

impl Nodes {
    fn of(bodies: &Bodies) -> Self {
        let massive = |k: usize| bodies.mass[k] > 0.0;
        let all = (0..bodies.len()).map(|k| massive(k).then(|| Node::of(bodies, k))).collect();
        Nodes { all, of: (0..bodies.len()).map(|k| massive(k).then_some(k)).collect() }
    }

    fn get(&self, node: usize) -> Option<&Node> {
        self.all[node].as_ref()
    }

    /// Makes two nodes one, in the place of the first; false where they are too many bodies or the same.
    fn merge(&mut self, [a, b]: [usize; 2], rule: &Rule) -> bool {
        let (Some(first), Some(second)) = (self.get(a), self.get(b)) else { return false };
        if a == b || first.members.len() + second.members.len() > MOST {
            return false;
        }
        let merged = first.and(second, &first.orbit(second, rule), rule);
        merged.members.iter().for_each(|k| self.of[*k] = Some(a));
        (self.all[a], self.all[b]) = (Some(merged), None);
        true
    }
}

/// The subsystems. `forced` are bodies that must be in one, where there is room.
pub(super) fn subsystems(bodies: &Bodies, rule: &Rule, forced: &[[usize; 2]]) -> Vec<Group> {
    let mut nodes = Nodes::of(bodies);
    for [i, j] in forced {
        if let (Some(a), Some(b)) = (nodes.of[*i], nodes.of[*j]) {
            nodes.merge([a, b], rule);
        }
    }
    for [i, j] in links(bodies, rule) {
        let is_single = |k: usize| nodes.get(k).is_some_and(|node| node.members.len() == 1);
        if is_single(i) && is_single(j) {
            nodes.merge([i, j], rule);
        }
    }
    join_neighbours(&mut nodes, rule);
    let several = nodes.all.into_iter().flatten().filter(|node| node.members.len() > 1);
    let mut found: Vec<Group> = several.map(|node| Group { members: node.members, core: node.size }).collect();
    found.sort_by(|a, b| a.members.cmp(&b.members));
    found
}

/// Pairs of single bodies that are linked. Those with the shortest time scale now are first: where a third body is near,
/// the orbit of two may lead to a pericentre that there is not.
fn links(bodies: &Bodies, rule: &Rule) -> Vec<[usize; 2]> {
    let mut found: Vec<(f64, [usize; 2])> = Vec::new();
    for (i, j) in Neighbourhood::of(bodies).pairs() {
        let (first, second) = (Node::of(bodies, i), Node::of(bodies, j));
        let orbit = first.orbit(&second, rule);
        if rule.is_tight(&orbit) {
            found.push((orbit.present, [i, j]));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, pair)| pair).collect()
}

/// Subsystems take what comes close to them.
fn join_neighbours(nodes: &mut Nodes, rule: &Rule) {
    let several = |node: &Option<Node>| node.as_ref().is_some_and(|node| node.members.len() > 1);
    let mut waiting: Vec<usize> = (0..nodes.all.len()).rev().filter(|k| several(&nodes.all[*k])).collect();
    while let Some(a) = waiting.pop() {
        if let Some(b) = nearest_to_join(nodes, a, rule) {
            nodes.merge([a, b], rule);
            waiting.retain(|k| *k != b);
            waiting.push(a);
        }
    }
}

/// The node with the shortest time scale now of those that belong to this one and have room in it.
fn nearest_to_join(nodes: &Nodes, a: usize, rule: &Rule) -> Option<usize> {
    let node = nodes.get(a)?;
    let mut best: Option<(f64, usize)> = None;
    for (b, other) in nodes.all.iter().enumerate().filter(|(b, _)| *b != a) {
        let Some(other) = other.as_ref().filter(|other| node.members.len() + other.members.len() <= MOST) else {
            continue;
        };
        let (apart, relative) = (less(other.place, node.place), less(other.velocity, node.velocity));
        // an orbit is computed for what may come close at all
        let reach = dot(relative, relative).sqrt() * rule.dt + 10.0 * (node.size + other.size);
        let distance2 = dot(apart, apart);
        let time_scale = (distance2 * distance2.sqrt() / (rule.g * (node.mass + other.mass))).sqrt();
        if distance2 > reach * reach && rule.eta * time_scale > rule.dt {
            continue;
        }
        let orbit = node.orbit(other, rule);
        let belongs = rule.is_tight(&orbit)
            || node.is_close(other, orbit.closest)
            || (other.members.len() > 1 && other.is_close(node, orbit.closest));
        if belongs && best.is_none_or(|(least, _)| orbit.present < least) {
            best = Some((orbit.present, b));
        }
    }
    best.map(|(_, b)| b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { g: 1.0, dt: 1.0 / 64.0, eta: 0.1 };

    fn bodies(of: &[(f64, Vector, Vector)]) -> Bodies {
        let mut bodies = Bodies::default();
        of.iter().for_each(|(mass, place, velocity)| bodies.push(*mass, *place, *velocity));
        bodies
    }

    fn members(bodies: &Bodies, forced: &[[usize; 2]]) -> Vec<Vec<usize>> {
        subsystems(bodies, &RULE, forced).into_iter().map(|group| group.members).collect()
    }

    /// A circular pair of mass 1 and this axis about a place, at rest.
    fn pair(axis: f64, at: Vector) -> [(f64, Vector, Vector); 2] {
        let v = 0.5 * (1.0 / axis).sqrt();
        let beside = |side: f64| [at[0] + side * 0.5 * axis, at[1], at[2]];
        [(0.5, beside(1.0), [0.0, v, 0.0]), (0.5, beside(-1.0), [0.0, -v, 0.0])]
    }

    /// A third body at 10 sizes belongs to a pair, one at 13 does not, and neither makes the next one belong to it.
    #[test]
    fn a_close_body_is_joined() {
        for (away, joined) in [(10.0, true), (13.0, false)] {
            let mut all = pair(1e-3, [0.0; 3]).to_vec();
            // on circles
            let speed = |d: f64| (2.0 / d).sqrt();
            all.push((1.0, [away * 1e-3, 0.0, 0.0], [0.0, 0.0, speed(away * 1e-3)]));
            all.push((1.0, [-0.1, 0.0, 0.0], [0.0, 0.0, speed(0.1)]));
            let found = subsystems(&bodies(&all), &Rule { eta: 1.0, ..RULE }, &[]);
            let right = if joined { vec![0, 1, 2] } else { vec![0, 1] };
            assert_eq!(found, [Group { members: right, core: found[0].core }], "{away}");
            assert!((found[0].core / 1e-3 - 1.0).abs() < 1e-9, "{}", found[0].core);
        }
    }

    /// A pair that falls together within dt from afar, and one that passes by, in any place of the list.
    #[test]
    fn what_will_need_short_steps_is_linked() {
        let mut all = vec![(0.1, [0.05, 1e-4, 0.0], [-4.0, 0.0, 0.0]), (0.1, [-0.05, 0.0, 0.0], [4.0, 0.0, 0.0])];
        all.extend([(0.1, [9.05, 0.05, 0.0], [-4.0, 0.0, 0.0]), (0.1, [8.95, 0.0, 0.0], [4.0, 0.0, 0.0])]);
        all.push((0.0, [0.05, 1e-4, 1e-4], [-4.0, 0.0, 0.0]));
        assert_eq!(members(&bodies(&all), &[]), [[0, 1]]);
        all.reverse();
        assert_eq!(members(&bodies(&all), &[]), [[3, 4]]);
        // later than dt
        all.iter_mut().for_each(|body| body.2[0] *= 0.5);
        assert_eq!(members(&bodies(&all), &[]), [[0; 0]; 0]);
        assert_eq!(members(&bodies(&all), &[[1, 2]]), [[1, 2]]);
    }

    /// Two pairs close to each other are one subsystem; five are no more than eight bodies.
    #[test]
    fn subsystems_grow_to_eight_bodies() {
        let mut all = Vec::new();
        for k in 0..5 {
            all.extend(pair(1e-3, [3e-3 * f64::from(k), 0.0, 0.0]));
            if k == 1 {
                assert_eq!(members(&bodies(&all), &[]), [[0, 1, 2, 3]]);
            }
        }
        let found = members(&bodies(&all), &[]);
        let mut counts: Vec<usize> = found.iter().map(Vec::len).collect();
        counts.sort_unstable();
        assert_eq!(counts, [2, 8], "{found:?}");
        assert!(members(&bodies(&all), &[[0, 9]]).iter().any(|all| all.contains(&0) && all.contains(&9)));
    }
}
