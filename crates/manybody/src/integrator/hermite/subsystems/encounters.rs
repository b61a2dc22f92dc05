//! Blocks show which bodies are missing in subsystems.

use super::super::vector::{dot, less, plus};
use super::super::{ActiveBodies, Again, Hermite, Pairs};
use super::orbit::Orbit;
use super::select::{Isolation, Rule, STEPS, disturbance};
use super::steps::SMALLEST;
use crate::Bodies;

/// Links up to which a step is made again since two bodies have met, which need not be in a subsystem.
pub(super) const LINKS: usize = 16;

/// One whose step is below dt / 2^(this) has met another, where the two ask for such steps.
const ENCOUNTER: i32 = 8;

/// One whose step is below dt / 2^(this) of the run must not be resolved if it can be in a subsystem.
const DEEP: i32 = 16;

fn link(i: usize, j: usize) -> [usize; 2] {
    [i.min(j), i.max(j)]
}

impl Hermite {
    /// Pairs of bodies that must be in one subsystem or be resolved, as this block shows; or two that meet so closely that the
    /// step must be made in halves.
    pub(in super::super) fn encounter(&self, bodies: &dyn ActiveBodies, dt: f64) -> Option<Again> {
        if self.control.pairs != Some(Pairs::Chain) {
            return None;
        }
        let rule = self.rule(&bodies.gravity()?, dt);
        let bodies = bodies.bodies();
        self.missed_links(bodies).or_else(|| self.meetings(bodies, &rule))
    }

    fn massive_active<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = usize> + 'a {
        self.active.iter().copied().filter(|i| bodies.mass[*i] > 0.0)
    }

    /// The bodies that are too close to subsystems without them.
    fn missed_links(&self, bodies: &Bodies) -> Option<Again> {
        let is_new = |(link, isolation): &([usize; 2], Isolation)| {
            !self.forced.contains(link) && (*isolation == Isolation::Fair || !self.close.contains(link))
        };
        let too_close = |i: usize| self.too_close(bodies, i).map(|(j, isolation)| (link(i, j), isolation));
        let missed: Vec<([usize; 2], Isolation)> =
            self.massive_active(bodies).filter_map(too_close).filter(is_new).collect();
        let of = |isolation: Isolation| -> Vec<[usize; 2]> {
            missed.iter().filter(|(_, missed)| *missed == isolation).map(|(link, _)| *link).collect()
        };
        let [close, forced] = [Isolation::Good, Isolation::Fair].map(of);
        (!missed.is_empty()).then_some(Again::Links { close, forced })
    }

    /// The bodies that meet and ask for the steps of a subsystem.
    fn meetings(&self, bodies: &Bodies, rule: &Rule) -> Option<Again> {
        let halvings = self.halvings(rule.dt);
        let is_deep = |i: usize| halvings < SMALLEST && self.levels.get(i) + halvings >= DEEP;
        let is_refused = |i: usize| self.refused.iter().any(|group| group.contains(&i));
        let may_link = self.forced.len() < LINKS;
        let candidates = self.massive_active(bodies).filter(|i| self.levels.get(*i) >= ENCOUNTER);
        let candidates = candidates.filter(|i| is_deep(*i) || (may_link && !is_refused(*i)));
        let met: Vec<[usize; 2]> = candidates.filter_map(|i| self.met(bodies, i, rule).map(|j| link(i, j))).collect();
        let is_new = |link: &[usize; 2]| !self.forced.contains(link);
        let is_apart = |[i, j]: &[usize; 2]| !self.refused.iter().any(|group| group.contains(i) && group.contains(j));
        let is_free = |pair: &[usize; 2]| is_new(pair) && is_apart(pair) && !self.may_stay_outside(pair);
        let links: Vec<[usize; 2]> = met.iter().copied().filter(|pair| may_link && is_free(pair)).collect();
        if !links.is_empty() {
            return Some(Again::Pairs(links));
        }
        let half = Rule { dt: 0.5 * rule.dt, ..*rule };
        met.iter()
            .any(|pair| pair.iter().any(|i| is_deep(*i)) && self.would_be_chosen(bodies, pair, &half))
            .then_some(Again::Halves)
    }

    /// Whether two bodies that meet would be in one subsystem by this rule.
    fn would_be_chosen(&self, bodies: &Bodies, pair: &[usize; 2], rule: &Rule) -> bool {
        let [i, j] = *pair;
        let (r, v) = (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
        let orbit = Orbit::of(r, v, rule.g * (bodies.mass[i] + bodies.mass[j]), rule.dt);
        let most = if self.may_stay_outside(pair) { Isolation::Good } else { Isolation::Fair };
        rule.isolation(&orbit).is_some_and(|isolation| is_isolated_pair(bodies, *pair, isolation.min(most)))
    }

    /// Whether one of two bodies that are not too close is a subsystem that is isolated fairly: it was chosen without what is near
    /// to it, and is integrated with the forces of this. With more bodies it would be larger, and isolated from fewer.
    fn may_stay_outside(&self, pair: &[usize; 2]) -> bool {
        let is_fair = |at: usize| self.subsystems[at].isolation == Isolation::Fair;
        pair.iter().any(|k| self.subsystem_at(*k).is_some_and(is_fair))
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

/// Whether two bodies, at twice their distance, would be isolated so well from all others.
fn is_isolated_pair(bodies: &Bodies, [i, j]: [usize; 2], isolation: Isolation) -> bool {
    let mass = bodies.mass[i] + bodies.mass[j];
    let apart = less(bodies.position(j), bodies.position(i));
    let size = 2.0 * dot(apart, apart).sqrt();
    let others = (0..bodies.len()).filter(|k| *k != i && *k != j && bodies.mass[*k] > 0.0);
    let limit = isolation.limit();
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

#[cfg(test)]
mod tests {
    use super::super::select::Selection;
    use super::super::select::tests::{Body, bodies, pair};
    use super::*;
    use crate::integrator::StepControl;
    use crate::simulation::HostSystem;
    use crate::solver::{Gravity, Reference};

    const NEWTON: Gravity = Gravity::new(1.0, 0.0);
    const DT: f64 = 1.0 / 64.0;
    const ETA: f64 = 0.1;

    /// What a block at the beginning of a step, or of a part of it that was halved so often, shows of the active bodies, which are
    /// given with the levels of their steps.
    fn shown(all: &[Body], selection: Selection, halvings: i32, active: &[(usize, i32)]) -> Option<Again> {
        let control = StepControl { pairs: Some(Pairs::Chain), eta: Some(ETA), ..StepControl::default() };
        let mut hermite = Hermite::fourth(&control);
        let mut system = HostSystem::new(bodies(all), NEWTON, Box::new(Reference::default()), 0.0);
        hermite.levels.reset(all.len(), DT, None, None).unwrap();
        hermite.whole = DT * f64::from(1 << halvings);
        hermite.join_subsystems(system.bodies_mut(), selection, &NEWTON, DT);
        active.iter().for_each(|(k, level)| hermite.levels.set(*k, *level));
        hermite.active = active.iter().map(|(k, _)| *k).collect();
        hermite.encounter(&system, DT)
    }

    fn selection(subsystems: &[(&[usize], Isolation)]) -> Selection {
        let subsystems = subsystems.iter().map(|(members, isolation)| (members.to_vec(), *isolation)).collect();
        Selection { subsystems, refused: Vec::new() }
    }

    /// A block in which bodies are too close to subsystems of both kinds shows all of them.
    #[test]
    fn all_links_of_a_block_are_found_at_once() {
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.extend(pair(1e-3, [1.0, 0.0, 0.0]));
        // at 5 and at 2 sizes
        all.extend([(0.1, [0.0, 5e-3, 0.0], [0.0; 3]), (0.1, [1.0, 2e-3, 0.0], [0.0; 3])]);
        let chosen = || selection(&[(&[0, 1], Isolation::Good), (&[2, 3], Isolation::Fair)]);
        let of = |active: &[(usize, i32)]| shown(&all, chosen(), 0, active);
        let links = |close: &[[usize; 2]], forced: &[[usize; 2]]| {
            Some(Again::Links { close: close.to_vec(), forced: forced.to_vec() })
        };
        assert_eq!(of(&[(4, 0), (5, 0)]), links(&[[0, 4]], &[[2, 5]]));
        assert_eq!(of(&[(4, 0)]), links(&[[0, 4]], &[]));
        assert_eq!(of(&[(5, 0)]), links(&[], &[[2, 5]]));
    }

    /// Of two subsystems the one that is isolated less decides: with the sizes of both, at 4 of these and at 3.
    #[test]
    fn a_good_subsystem_may_be_beside_a_fair_one() {
        let links = |close: Vec<[usize; 2]>, forced: Vec<[usize; 2]>| Some(Again::Links { close, forced });
        for (away, good, fair) in [
            (25e-3, None, None),
            (8e-3, links(vec![[0, 2]], vec![]), None),
            (6e-3, links(vec![[0, 2]], vec![]), links(vec![], vec![[0, 2]])),
        ] {
            let mut all = pair(1e-3, [0.0; 3]).to_vec();
            all.extend(pair(1e-3, [0.0, away, 0.0]));
            let of = |first: Isolation, second: Isolation, active: usize| {
                shown(&all, selection(&[(&[0, 1], first), (&[2, 3], second)]), 0, &[(active, 0)])
            };
            for active in [0, 2] {
                assert_eq!(of(Isolation::Good, Isolation::Good, active), good, "{away} {active}");
                assert_eq!(of(Isolation::Good, Isolation::Fair, active), fair, "{away} {active}");
                assert_eq!(of(Isolation::Fair, Isolation::Good, active), fair, "{away} {active}");
            }
        }
    }

    /// A body that meets a subsystem, as far from it as it must be, and asks for 512 steps: with one that is isolated well it is
    /// linked, beside one that is isolated fairly it stays outside. Where steps are as short as they may be, the step is made in
    /// halves if both would be one that is isolated well.
    #[test]
    fn a_body_that_meets_a_fair_subsystem_stays_outside() {
        let of = |isolation, away: f64, far: f64, level| {
            let mut all = pair(1e-3, [0.0; 3]).to_vec();
            all.extend([(0.1, [0.0, away, 0.0], [0.0; 3]), (0.1, [0.0, -far, 0.0], [0.0; 3])]);
            shown(&all, selection(&[(&[0, 1], isolation)]), 0, &[(2, level)])
        };
        assert_eq!(of(Isolation::Good, 9e-3, 1.0, 9), Some(Again::Pairs(vec![[0, 2]])));
        assert_eq!(of(Isolation::Good, 9e-3, 1.0, 7), None);
        assert_eq!(of(Isolation::Fair, 4e-3, 1.0, 9), None);
        assert_eq!(of(Isolation::Fair, 4e-3, 1.0, 16), Some(Again::Halves));
        // the other one is at 5 of the sizes that both would have
        assert_eq!(of(Isolation::Fair, 4e-3, 40e-3, 16), None);
    }

    /// Two bodies that are refused on a circle of so many steps in a half, and a third body at so many of the sizes that they are
    /// given: halves are made if they would be a subsystem there.
    #[test]
    fn halves_are_made_for_pairs_that_would_be_chosen() {
        for (steps, sizes, isolation) in [
            (300.0, 6.0, Some(Isolation::Fair)),
            (200.0, 6.0, None),
            (200.0, 15.0, Some(Isolation::Good)),
            (20.0, 15.0, None),
            (300.0, 2.0, None),
        ] {
            let axis = (0.5 * DT / (ETA * steps)).powf(2.0 / 3.0);
            let mut all = pair(axis, [0.0; 3]).to_vec();
            all.push((0.1, [0.5 * axis, 2.0 * axis * sizes, 0.0], [0.0; 3]));
            let refused = || Selection { subsystems: Vec::new(), refused: vec![vec![0, 1]] };
            let halves = isolation.map(|_| Again::Halves);
            assert_eq!(shown(&all, refused(), 8, &[(0, 8)]), halves, "{steps} {sizes}");
            // not where steps may still become shorter, or parts are as short as they may be
            assert_eq!(shown(&all, refused(), 7, &[(0, 8)]), None, "{steps} {sizes}");
            assert_eq!(shown(&all, refused(), SMALLEST, &[(0, 8)]), None, "{steps} {sizes}");
        }
    }
}
