//! Which bodies are in a subsystem, from the bodies alone.
//!
//! ```text
//! a link      two single bodies, neighbours, whose orbit about each other has within dt a time scale that
//!             asks for 32 steps a dt or more: eta sqrt(q^3 / G M) <= dt / 32, with the closest distance q (eta is
//!             that of order 4; order 6 has a fifth of its own here);
//!             two groups, or a group and a body, that ask for the same, or of which one is not isolated
//!             from the other
//! isolated    max(2 m / M, 1) (R / q)^3 < 1e-3 for each body m outside, with the mass M of the group, what its
//!             size is at most within dt, R, and the closest distance q to its centre of mass within dt; for
//!             another subsystem R is the sum of both sizes
//! ```
//!
//! Links make a tree of groups of at most eight bodies. A subsystem is a group that is isolated and in no larger one that is.
//! Of the bodies that are left, two that ask for 256 steps a dt or more are a subsystem, with what is too close to them, from
//! which all others are isolated with the limit 3e-2: in dense places few are isolated better, and a hard pair that is resolved
//! costs more errors and time than the forces of what is so close to it, which moves on predicted paths. Other bodies are
//! resolved.
//! Bodies that a step of the run has shown to be close are linked before all others, and no subsystem has one of them
//! without the other; but a group of the second kind may, if they are not too close for that.

use super::super::vector::Vector;
use super::orbit::Orbit;
use super::tight::{Point, Tight};
use crate::Bodies;
use std::ops::Deref;

/// The most bodies of a subsystem.
const MAX_MEMBERS: usize = 8;

/// Steps in a dt from which on two bodies are linked.
pub(super) const STEPS: f64 = 32.0;

/// Steps in a dt from which on a group is a subsystem although it is not isolated well. To integrate one with all that is near
/// costs more than to resolve it up to there.
const MANY_STEPS: f64 = 256.0;

/// How well a subsystem is isolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Isolation {
    /// All others are ten sizes away, or more where they are heavy.
    Good,
    /// Three sizes: of what is isolated no better.
    Fair,
}

impl Isolation {
    /// The perturbation from which on a group is not isolated.
    pub(super) fn limit(self) -> f64 {
        match self {
            Isolation::Good => 1e-3,
            Isolation::Fair => 3e-2,
        }
    }
}

/// Bodies that a step of the run has shown to be close.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Links<'a> {
    /// Only a subsystem that is fairly isolated may have one without the other.
    pub(super) close: &'a [[usize; 2]],
    /// No subsystem may.
    pub(super) forced: &'a [[usize; 2]],
}

/// What decides on links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) g: f64,
    /// The step of the run.
    pub(super) dt: f64,
    /// The accuracy parameter of the steps, as for order 4.
    pub(super) eta: f64,
}

impl Rule {
    /// Whether an orbit needs so small steps that its bodies are linked.
    pub(super) fn is_tight(&self, orbit: &Orbit) -> bool {
        self.steps(orbit) >= STEPS
    }

    /// How well two bodies on such an orbit must be isolated to be a subsystem; `None` where they need no such steps.
    pub(super) fn isolation(&self, orbit: &Orbit) -> Option<Isolation> {
        match self.steps(orbit) {
            steps if steps >= MANY_STEPS => Some(Isolation::Fair),
            steps => (steps >= STEPS).then_some(Isolation::Good),
        }
    }

    /// Whether two that come no closer than this, with this G M, are not linked by what they need.
    pub(super) fn is_loose(&self, closest: f64, attraction: f64) -> bool {
        // (the margin is for what rounding leaves between this and what is computed in full)
        const MARGIN: f64 = 1.001;
        self.eta * STEPS * Orbit::time_scale_at(closest, attraction) > MARGIN * self.dt
    }

    /// The steps in dt of bodies on such an orbit.
    pub(super) fn steps(&self, orbit: &Orbit) -> f64 {
        self.dt / (self.eta * orbit.time_scale)
    }
}

/// What was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Selection {
    /// The bodies of each subsystem, in order, and how well it is isolated.
    pub(super) subsystems: Vec<(Vec<usize>, Isolation)>,
    /// The bodies of groups that are not isolated.
    pub(super) refused: Vec<Vec<usize>>,
}

/// Some bodies, in order.
#[derive(Clone, Copy, Debug, Default)]
struct Members {
    all: [usize; MAX_MEMBERS],
    count: usize,
}

impl Members {
    fn of(k: usize) -> Self {
        let mut members = Members { count: 1, ..Members::default() };
        members.all[0] = k;
        members
    }

    /// Both; they have room for them.
    fn and(&self, other: &Members) -> Self {
        let mut members = *self;
        members.count += other.len();
        members.all[self.count..members.count].copy_from_slice(other);
        members.all[..members.count].sort_unstable();
        members
    }
}

impl Deref for Members {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.all[..self.count]
    }
}

/// A body, or several as one.
#[derive(Clone, Debug)]
struct Node {
    members: Members,
    mass: f64,
    place: Vector,
    velocity: Vector,
    /// What the distance of two of its members is at most within dt.
    size: f64,
    /// The two that were linked.
    parts: Option<[usize; 2]>,
}

impl Node {
    fn of(bodies: &Bodies, k: usize) -> Self {
        let (place, velocity) = (bodies.position(k), bodies.velocity(k));
        Node { members: Members::of(k), mass: bodies.mass[k], place, velocity, size: 0.0, parts: None }
    }

    fn is_single(&self) -> bool {
        self.members.len() == 1
    }

    fn point(&self) -> Point {
        Point { mass: self.mass, place: self.place, velocity: self.velocity }
    }

    fn orbit(&self, other: &Node, rule: &Rule) -> Orbit {
        self.point().orbit(&other.point(), rule)
    }

    /// Both as one.
    fn and(&self, other: &Node, rule: &Rule) -> Node {
        let mass = self.mass + other.mass;
        let share = other.mass / mass;
        let mean = |a: Vector, b: Vector| std::array::from_fn(|q| a[q] + share * (b[q] - a[q]));
        Node {
            members: self.members.and(&other.members),
            mass,
            place: mean(self.place, other.place),
            velocity: mean(self.velocity, other.velocity),
            size: self.orbit(other, rule).widest + self.size + other.size,
            parts: None,
        }
    }

    /// Whether two, at this distance, disturb each other by no more than this isolation allows.
    fn is_isolated(&self, other: &Node, distance: f64, isolation: Isolation) -> bool {
        self.disturbance(other, distance) < isolation.limit()
    }

    fn disturbance(&self, other: &Node, distance: f64) -> f64 {
        disturbance([self.mass, other.mass], [self.size, other.size], distance)
    }

    fn has(&self, k: usize) -> bool {
        self.members.binary_search(&k).is_ok()
    }

    /// Whether this has one of two bodies without the other.
    fn separates(&self, links: &[[usize; 2]]) -> bool {
        links.iter().any(|[i, j]| self.has(*i) != self.has(*j))
    }

    /// The orbit about another one that may come close within dt, `None` where it does not.
    fn encounter(&self, other: &Node, rule: &Rule) -> Option<Orbit> {
        let stays = self.point().stays_away(&other.point(), rule);
        let is_far = stays.is_some_and(|distance| self.is_isolated(other, distance, Isolation::Good));
        (!is_far).then(|| self.orbit(other, rule))
    }
}

/// By how much two of these masses and sizes disturb each other: the tide on one relative to what holds it together, or the
/// deflection of the other. Infinite where it would be NaN, so that nothing is isolated there.
pub(super) fn disturbance(mass: [f64; 2], size: [f64; 2], distance: f64) -> f64 {
    let extent = size[0] + size[1];
    let of = |own: usize, other: usize| match size[own] == 0.0 {
        true => 0.0,
        false => (2.0 * mass[other] / mass[own]).max(1.0) * (extent / distance).powi(3),
    };
    let [one, other] = [of(0, 1), of(1, 0)];
    if one.is_nan() || other.is_nan() { f64::INFINITY } else { one.max(other) }
}

/// All groups, and which of them are in no other one.
struct Tree<'a> {
    rule: &'a Rule,
    tight: &'a [Tight],
    all: Vec<Node>,
    /// The group, in no other one, of each body; `None` for a body without mass.
    of: Vec<Option<usize>>,
}

impl<'a> Tree<'a> {
    fn of(bodies: &Bodies, rule: &'a Rule, tight: &'a [Tight]) -> Self {
        let all = (0..bodies.len()).map(|k| Node::of(bodies, k)).collect();
        let of = (0..bodies.len()).map(|k| (bodies.mass[k] > 0.0).then_some(k)).collect();
        Tree { rule, tight, all, of }
    }

    /// The groups that are in no other one.
    fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        // each once: where its first body is
        self.of.iter().enumerate().filter_map(|(k, node)| node.filter(|node| self.all[*node].members[0] == k))
    }

    /// Makes one group of two; `None` where they are too many bodies or the same.
    fn merge(&mut self, [a, b]: [usize; 2]) -> Option<usize> {
        if a == b || self.all[a].members.len() + self.all[b].members.len() > MAX_MEMBERS {
            return None;
        }
        let node = Node { parts: Some([a, b]), ..self.all[a].and(&self.all[b], self.rule) };
        let at = self.all.len();
        node.members.iter().for_each(|k| self.of[*k] = Some(at));
        self.all.push(node);
        Some(at)
    }

    /// Links what is close: what was found in a step, single bodies, and groups with what they meet.
    fn grow(&mut self, links: Links) {
        for [i, j] in links.close.iter().chain(links.forced) {
            if let (Some(a), Some(b)) = (self.of[*i], self.of[*j]) {
                self.merge([a, b]);
            }
        }
        for Tight { pair: [i, j], .. } in self.tight.iter().copied() {
            if self.of[i] == Some(i) && self.of[j] == Some(j) {
                self.merge([i, j]);
            }
        }
        let mut waiting: Vec<usize> = self.roots().filter(|node| !self.all[*node].is_single()).collect();
        waiting.reverse();
        while let Some(a) = waiting.pop() {
            let Some(b) = self.nearest_to_join(a) else { continue };
            if let Some(merged) = self.merge([a, b]) {
                waiting.retain(|k| *k != b);
                waiting.push(merged);
            }
        }
    }

    /// The group with the shortest time scale now of those that are linked with this one and have room in it.
    fn nearest_to_join(&self, a: usize) -> Option<usize> {
        let node = &self.all[a];
        let mut best: Option<(f64, usize)> = None;
        for b in self.roots().filter(|b| *b != a) {
            let other = &self.all[b];
            let present = node.point().time_scale(&other.point(), self.rule);
            let is_sooner = best.is_none_or(|(least, _)| present < least);
            if !is_sooner || node.members.len() + other.members.len() > MAX_MEMBERS {
                continue;
            }
            let Some(orbit) = node.encounter(other, self.rule) else { continue };
            let is_linked = self.rule.is_tight(&orbit) || !node.is_isolated(other, orbit.closest, Isolation::Good);
            if is_linked {
                best = Some((present, b));
            }
        }
        best.map(|(_, b)| b)
    }

    /// The largest groups that are isolated from each other and from all other bodies; what is not becomes its parts. Then groups
    /// that are fairly isolated.
    fn cut(&self, links: Links) -> Selection {
        let mut present: Vec<usize> = self.roots().collect();
        let mut refused: Vec<usize> = Vec::new();
        loop {
            let crowded = self.crowded(&present, links);
            if crowded.is_empty() {
                break;
            }
            present.retain(|at| crowded.binary_search(at).is_err());
            present.extend(crowded.iter().flat_map(|at| self.all[*at].parts).flatten());
            refused.extend(crowded);
        }
        let fair = self.fair(&present, links.forced);
        let members = |at: usize| self.all[at].members.to_vec();
        let refused = refused.into_iter().map(members);
        let refused = refused.filter(|group| !fair.iter().any(|node| group.iter().all(|k| node.has(*k)))).collect();
        let is_free =
            |at: &usize| !self.all[*at].is_single() && !fair.iter().any(|node| node.has(self.all[*at].members[0]));
        let good = present.into_iter().filter(is_free).map(|at| (members(at), Isolation::Good));
        let mut subsystems: Vec<_> = good.collect();
        subsystems.extend(fair.into_iter().map(|node| (node.members.to_vec(), Isolation::Fair)));
        subsystems.sort_unstable();
        Selection { subsystems, refused }
    }

    /// Of the bodies that are in no group, those that ask for many steps, with what is too close to them, the strongest
    /// first, until all others are fairly isolated. (Pairs that a step has shown to be close need not be looked at: where two
    /// are no neighbours, six others are closer to each, and with what is too close to them they are eight or more.)
    fn fair(&self, present: &[usize], forced: &[[usize; 2]]) -> Vec<Node> {
        // (a single body has the same place here as among all bodies)
        let is_free = |tight: &&Tight| tight.steps >= MANY_STEPS && tight.pair.iter().all(|k| present.contains(k));
        let pairs: Vec<[usize; 2]> = self.tight.iter().filter(is_free).map(|tight| tight.pair).collect();
        if pairs.is_empty() {
            return Vec::new();
        }
        let mut nodes: Vec<Node> = present.iter().map(|at| self.all[*at].clone()).collect();
        let mut found = Vec::new();
        for [i, j] in pairs {
            let place_of = |k: usize| nodes.iter().position(|node| *node.members == [k]);
            let (Some(a), Some(b)) = (place_of(i), place_of(j)) else { continue };
            let mut group = nodes[a].and(&nodes[b], self.rule);
            while let Some(other) = self.worst(&group, &nodes, forced) {
                if group.members.len() + other.members.len() > MAX_MEMBERS {
                    break;
                }
                group = group.and(other, self.rule);
            }
            if self.worst(&group, &nodes, forced).is_none() {
                nodes.retain(|node| !group.has(node.members[0]));
                found.retain(|node: &Node| !group.has(node.members[0]));
                nodes.push(group.clone());
                found.push(group);
            }
        }
        found
    }

    /// What a group must not be without: a body of a link, or what disturbs it most of all that is not fairly isolated from it.
    fn worst<'b>(&self, group: &Node, nodes: &'b [Node], forced: &[[usize; 2]]) -> Option<&'b Node> {
        let others = || nodes.iter().filter(|node| !group.has(node.members[0]));
        let is_linked = |other: &&Node| {
            let has_one = |[i, j]: &[usize; 2]| (group.has(*i) && other.has(*j)) || (group.has(*j) && other.has(*i));
            forced.iter().any(has_one)
        };
        if let Some(linked) = others().find(is_linked) {
            return Some(linked);
        }
        let mut worst = (Isolation::Fair.limit(), None);
        for other in others() {
            let Some(orbit) = group.encounter(other, self.rule) else { continue };
            let disturbance = group.disturbance(other, orbit.closest);
            if disturbance >= worst.0 {
                worst = (disturbance, Some(other));
            }
        }
        worst.1
    }

    /// The groups, of those present, that are not isolated: from a single body, or from one that is less wide; or that have
    /// one of two bodies without the other.
    fn crowded(&self, present: &[usize], links: Links) -> Vec<usize> {
        let is_crowded = |at: &usize| {
            let node = &self.all[*at];
            let comes_close = |b: &usize| {
                let other = &self.all[*b];
                let is_wider = other.size > node.size || (other.size == node.size && b > at);
                let orbit = if b == at || is_wider { None } else { node.encounter(other, self.rule) };
                orbit.is_some_and(|orbit| !node.is_isolated(other, orbit.closest, Isolation::Good))
            };
            let has_one = || node.separates(links.close) || node.separates(links.forced);
            !node.is_single() && (has_one() || present.iter().any(comes_close))
        };
        let mut crowded: Vec<usize> = present.iter().copied().filter(is_crowded).collect();
        crowded.sort_unstable();
        crowded
    }
}

/// The subsystems, with the tight pairs of these bodies.
pub(super) fn subsystems(bodies: &Bodies, rule: &Rule, tight: &[Tight], links: Links) -> Selection {
    if tight.is_empty() && links.close.is_empty() && links.forced.is_empty() {
        return Selection::default();
    }
    let mut tree = Tree::of(bodies, rule, tight);
    tree.grow(links);
    tree.cut(links)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tight::tight_pairs;
    use super::*;

    /// A mass, a place and a velocity.
    pub(in super::super) type Body = (f64, Vector, Vector);

    const RULE: Rule = Rule { g: 1.0, dt: 1.0 / 64.0, eta: 0.1 };

    pub(in super::super) fn bodies(of: &[Body]) -> Bodies {
        let mut bodies = Bodies::default();
        of.iter().for_each(|(mass, place, velocity)| bodies.push(*mass, *place, *velocity));
        bodies
    }

    fn chosen(bodies: &Bodies, rule: &Rule, links: Links) -> Selection {
        subsystems(bodies, rule, &tight_pairs(bodies, rule), links)
    }

    fn members(bodies: &Bodies, forced: &[[usize; 2]]) -> Vec<Vec<usize>> {
        let found = chosen(bodies, &RULE, Links { close: &[], forced }).subsystems;
        found.into_iter().map(|(members, _)| members).collect()
    }

    /// A circular pair of mass 1 and this axis about a place, at rest.
    pub(in super::super) fn pair(axis: f64, at: Vector) -> [Body; 2] {
        let v = 0.5 * (1.0 / axis).sqrt();
        let beside = |side: f64| [at[0] + side * 0.5 * axis, at[1], at[2]];
        [(0.5, beside(1.0), [0.0, v, 0.0]), (0.5, beside(-1.0), [0.0, -v, 0.0])]
    }

    /// A third body at 8 sizes belongs to a pair, one at 13 does not.
    #[test]
    fn a_close_body_is_joined() {
        for (away, joined) in [(8.0, true), (13.0, false)] {
            let mut all = pair(1e-3, [0.0; 3]).to_vec();
            // on circles
            let speed = |d: f64| (2.0 / d).sqrt();
            all.push((1.0, [away * 1e-3, 0.0, 0.0], [0.0, 0.0, speed(away * 1e-3)]));
            all.push((1.0, [-0.5, 0.0, 0.0], [0.0, 0.0, speed(0.5)]));
            let found = chosen(&bodies(&all), &Rule { eta: 1.0, ..RULE }, Links::default());
            let right = if joined { vec![0, 1, 2] } else { vec![0, 1] };
            assert_eq!(found.subsystems, [(right, Isolation::Good)], "{away}");
        }
    }

    /// If a group has too many bodies, or another body comes too close to it, its largest isolated part is a subsystem.
    /// If no part is isolated, there is no subsystem.
    #[test]
    fn a_group_that_is_not_isolated_becomes_its_parts() {
        // a pair, and one ten times as wide beside another body: that one is no subsystem, whether the three are too many or not
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.extend(pair(1e-2, [1.5, 0.0, 0.0]));
        all.push((0.5, [1.53, 0.0, 0.0], [0.0; 3]));
        assert_eq!(members(&bodies(&all), &[]), [vec![0, 1], vec![2, 3, 4]]);
        for k in 0..8 {
            all.push((0.5, [1.6 + 0.02 * f64::from(k), 0.02, 0.0], [0.0; 3]));
        }
        let found = chosen(&bodies(&all), &RULE, Links::default());
        assert_eq!(found.subsystems, [(vec![0, 1], Isolation::Good)]);
        assert!(found.refused.iter().any(|group| group.contains(&2) && group.contains(&3)), "{found:?}");
        // one that a step has shown to come close
        all.truncate(2);
        all.extend((0..8).map(|k| (0.5, [0.3, 0.3 * f64::from(k), 0.0], [0.0; 3])));
        assert_eq!(members(&bodies(&all), &[]), [[0, 1]]);
        assert_eq!(members(&bodies(&all), &[[0, 2]]), [[0; 0]; 0]);
    }

    /// A pair with a third body at 5 sizes: all three are a subsystem. If another body comes too close to the three, or there are
    /// too many bodies near, the pair is one that is isolated fairly, unless a step has shown that the third is too close for
    /// that. At 3 sizes it is resolved.
    #[test]
    fn a_pair_in_a_crowd_is_isolated_fairly() {
        // on circles about the pair, across the plane of all
        let body = |x: f64, y: f64| (0.1, [x, y, 0.0], [0.0, 0.0, (1.1 / x.hypot(y)).sqrt()]);
        for (away, is_pair) in [(5e-3, true), (3e-3, false)] {
            let mut all = pair(1e-3, [0.0; 3]).to_vec();
            all.push(body(away, 0.0));
            let of = |all: &[Body], links| chosen(&bodies(all), &RULE, links);
            let three = (vec![0, 1, 2], Isolation::Good);
            assert_eq!(of(&all, Links::default()).subsystems, [three], "{away}");
            all.extend((0..6).map(|k| body(2.0 * away, 0.5 * away * f64::from(k))));
            let two = (vec![0, 1], Isolation::Fair);
            let right = if is_pair { vec![two] } else { vec![] };
            assert_eq!(of(&all, Links::default()).subsystems, right, "{away}");
            let close = Links { close: &[[0, 2]], forced: &[] };
            assert_eq!(of(&all, close).subsystems, right, "{away}");
            let forced = Links { close: &[], forced: &[[0, 2]] };
            assert_eq!(of(&all, forced).subsystems, [], "{away}");
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

    /// Up to four close pairs in a row are one subsystem. Five pairs are ten bodies, and a subsystem has eight at most:
    /// all ten are resolved.
    #[test]
    fn subsystems_grow_to_eight_bodies() {
        let mut all = Vec::new();
        for k in 0..5 {
            all.extend(pair(1e-3, [3e-3 * f64::from(k), 0.0, 0.0]));
            if k < 4 {
                assert_eq!(members(&bodies(&all), &[]), [(0..all.len()).collect::<Vec<_>>()]);
            }
        }
        assert_eq!(members(&bodies(&all), &[]), [[0; 0]; 0]);
    }

    /// Where a place is NaN, nothing is isolated.
    #[test]
    fn nan_is_not_isolated() {
        for (size, distance) in
            [([1e-3, 0.0], f64::NAN), ([0.0, 1e-3], f64::NAN), ([1e-3; 2], f64::NAN), ([f64::NAN, 0.0], 1.0)]
        {
            assert_eq!(disturbance([1.0; 2], size, distance), f64::INFINITY, "{size:?} {distance}");
        }
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.extend([(0.1, [1.0; 3], [0.0; 3]), (0.1, [0.0, f64::NAN, 0.0], [0.0; 3])]);
        let tree = Tree::of(&bodies(&all), &RULE, &[]);
        let group = tree.all[0].and(&tree.all[1], &RULE);
        let worst = tree.worst(&group, &tree.all, &[]);
        assert_eq!(worst.map(|node| node.members.to_vec()), Some(vec![3]));
        assert!(!group.is_isolated(&tree.all[3], f64::NAN, Isolation::Fair));
    }

    /// Six bodies at 1 to 1.25 times this distance from a place with a mass of about 1, which come no closer: with three inside they are
    /// too many for one group.
    fn crowd(distance: f64) -> Vec<Body> {
        let away = |k: i32| [distance, 0.25 * distance * f64::from(k), 0.0];
        let speed = |[x, y, _]: Vector| -(3.0 / x.hypot(y)).sqrt();
        (-3..3).map(|k| (0.1, away(k), [0.0, 0.0, speed(away(k))])).collect()
    }

    /// A body at 3 sizes of a pair is too close for any limit, and is added. The three are as wide as 4 sizes: from others at 36 they are
    /// fairly isolated, and not well. One that is too close to the three is added, too, up to eight bodies.
    #[test]
    fn fair_groups_grow_beyond_a_pair() {
        let third = |x: f64, mass: f64| (mass, [x, 0.0, 0.0], [0.0, 0.0, (1.1 / x.abs()).sqrt()]);
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.push(third(3e-3, 0.1));
        all.extend(crowd(36e-3));
        let of = |all: &[Body]| chosen(&bodies(all), &RULE, Links::default()).subsystems;
        assert_eq!(of(&all), [(vec![0, 1, 2], Isolation::Fair)]);
        // at 1.5 sizes of the three; the four are as wide as 10
        all.push(third(-6e-3, 1e-3));
        assert_eq!(of(&all), [(vec![0, 1, 2, 9], Isolation::Fair)]);
        all.extend((0..5).map(|k| third(6e-3 + 1e-3 * f64::from(k), 1e-3)));
        assert_eq!(of(&all), []);
    }

    /// A pair with a tenth of the mass of another one, and a hundredth of the size, is isolated well from its bodies. At 2.5 sizes of
    /// the other one they are a subsystem together; at 9.5 there is one of each kind.
    #[test]
    fn fair_groups_take_in_good_ones() {
        for (away, right) in [
            (2.5e-3, vec![(vec![0, 1, 2, 3], Isolation::Fair)]),
            (9.5e-3, vec![(vec![0, 1], Isolation::Fair), (vec![2, 3], Isolation::Good)]),
        ] {
            let mut all = pair(1e-3, [0.0; 3]).to_vec();
            let speed = (1.1_f64 / away).sqrt();
            let small = pair(1e-5, [0.0, away, 0.0]);
            all.extend(small.map(|(_, at, [_, v, _])| (0.05, at, [0.0, 0.1_f64.sqrt() * v, speed])));
            all.extend(crowd(20e-3));
            assert_eq!(chosen(&bodies(&all), &RULE, Links::default()).subsystems, right, "{away}");
        }
    }

    /// The hardest pair is first: at 8 of its sizes it is isolated fairly from the bodies of another pair. This one is not from it,
    /// and takes it in.
    #[test]
    fn fair_groups_take_in_earlier_ones() {
        // on a circle about each other, across the plane of all
        let speed = 0.5 * (2.0_f64 / 2.2e-3).sqrt();
        let moving = |pair: [Body; 2], w: f64| pair.map(|(mass, at, [_, v, _])| (mass, at, [0.0, v, w]));
        let mut all = moving(pair(1e-3, [-1.1e-3, 0.0, 0.0]), -speed).to_vec();
        all.extend(moving(pair(2e-4, [1.1e-3, 0.0, 0.0]), speed));
        all.extend(crowd(20e-3));
        let of = |all: &[Body]| chosen(&bodies(all), &RULE, Links::default()).subsystems;
        assert_eq!(of(&all), [(vec![0, 1, 2, 3], Isolation::Fair)]);
        // with others at 10 in place of 20, from which the hard pair alone is isolated
        all.truncate(4);
        all.extend(crowd(10e-3));
        assert_eq!(of(&all), [(vec![2, 3], Isolation::Fair)]);
    }

    /// A pair in a crowd that asks for 257 steps is a subsystem, one that asks for 255 is resolved.
    #[test]
    fn a_fair_pair_asks_for_many_steps() {
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.push((0.1, [5e-3, 0.0, 0.0], [0.0, 0.0, (1.1_f64 / 5e-3).sqrt()]));
        all.extend(crowd(10e-3));
        for (steps, right) in [(257.0, vec![(vec![0, 1], Isolation::Fair)]), (255.0, vec![])] {
            let rule = Rule { eta: RULE.dt / (steps * 1e-9_f64.sqrt()), ..RULE };
            assert_eq!(chosen(&bodies(&all), &rule, Links::default()).subsystems, right, "{steps}");
        }
    }

    /// A body that a step has shown to be close to a pair, without a crowd: all three are a subsystem. If others are too
    /// close to the three, the pair is one that is isolated fairly.
    #[test]
    fn close_links_join_where_all_are_isolated() {
        let close = Links { close: &[[0, 2]], forced: &[] };
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.push((0.1, [0.3, 0.0, 0.0], [0.0; 3]));
        let of = |all: &[Body], links| chosen(&bodies(all), &RULE, links).subsystems;
        let (two, three) = (vec![0, 1], vec![0, 1, 2]);
        assert_eq!(of(&all, Links::default()), [(two.clone(), Isolation::Good)]);
        assert_eq!(of(&all, close), [(three, Isolation::Good)]);
        all.extend((1..8).map(|k| (0.1, [0.3, 0.3 * f64::from(k), 0.0], [0.0; 3])));
        assert_eq!(of(&all, Links::default()), [(two.clone(), Isolation::Good)]);
        assert_eq!(of(&all, close), [(two, Isolation::Fair)]);
    }
}
