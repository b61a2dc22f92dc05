//! The steps of a run with subsystems.

use super::super::levels::FULL;
use super::super::scheme::SUBSYSTEM;
use super::super::{ActiveBodies, Again, Hermite};
use super::Seen;
use super::select::{self, Isolation, Links, Rule, Selection};
use super::subsystem::{self, Subsystem};
use super::tight::{Tight, tight_pairs};
use crate::solver::{Gravity, HermiteOrder};
use crate::{Bodies, Result};

/// A step of the run has no smaller part than dt / 2^(this): where two bodies of a crowd pass each other at 1e-9 of its size, they are a
/// subsystem for no longer.
pub(super) const SMALLEST: i32 = 24;

impl Hermite {
    /// A step of the run, in which compact subsystems are one body each.
    pub(in super::super) fn blocks_with_subsystems(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let gravity = self.gravity_alone(bodies)?;
        self.part_with_subsystems(bodies, &gravity, dt, None)
    }

    /// A step, or a part of it, with subsystems that were chosen before, or are now. Where it fails, the bodies are as before it.
    pub(super) fn part_with_subsystems(
        &mut self,
        bodies: &mut dyn ActiveBodies,
        gravity: &Gravity,
        dt: f64,
        chosen: Option<Selection>,
    ) -> Result<()> {
        let before = bodies.bodies().clone();
        let made = self.part_from(&before, bodies, gravity, dt, chosen);
        if made.is_err() {
            *bodies.bodies_mut() = before;
        }
        made
    }

    /// A step, or a part of it, with the same subsystems from its beginning to its end. Where others come too close to one,
    /// it is made again with other subsystems, and where two bodies meet that can be one later, in halves; where
    /// two touch, up to there and on from there.
    fn part_from(
        &mut self,
        before: &Bodies,
        bodies: &mut dyn ActiveBodies,
        gravity: &Gravity,
        dt: f64,
        mut chosen: Option<Selection>,
    ) -> Result<()> {
        let smallest = self.smallest;
        let (mergers, gone) = (bodies.mergers(), self.gone.len());
        if chosen.is_none() {
            self.forced.clear();
            self.close.clear();
        }
        let rule = self.rule(gravity, dt);
        let mut tight: Option<Vec<Tight>> = None;
        loop {
            self.smallest = smallest;
            let links = Links { close: &self.close, forced: &self.forced };
            let selection = chosen.take().unwrap_or_else(|| {
                let tight = tight.get_or_insert_with(|| tight_pairs(before, &rule));
                select::subsystems(before, &rule, tight, links)
            });
            self.join_subsystems(bodies.bodies_mut(), selection, gravity, dt);
            let mut made = self.blocks(bodies, dt);
            if std::mem::take(&mut self.is_long) && self.halvings(dt) < SMALLEST {
                made = Ok(Some(Again::Halves));
            }
            if let Some((pair, at)) = self.contact.take() {
                made = Ok(Some(Again::Cut { pairs: vec![pair], at }));
            }
            self.work.regularised += self.subsystems.iter().map(Subsystem::evaluations).sum::<u64>();
            let Some(again) = made? else { break };
            bodies.bodies_mut().clone_from(before);
            bodies.forget_mergers(mergers);
            self.gone.truncate(gone);
            match again {
                Again::Links { close, forced } => {
                    self.close.extend(close);
                    self.forced.extend(forced);
                }
                Again::Pairs(links) => self.forced.extend(links),
                Again::Halves => {
                    self.smallest = smallest;
                    let (begin, half) = (self.begin, 0.5 * dt);
                    self.part_with_subsystems(bodies, gravity, half, None)?;
                    self.begin = begin + half;
                    self.part_with_subsystems(bodies, gravity, half, None)?;
                    self.begin = begin;
                    return Ok(());
                }
                Again::Cut { pairs, at } => {
                    self.smallest = smallest;
                    let selection = self.selection();
                    return self.cut(bodies, gravity, dt, (pairs, at), selection);
                }
            }
        }
        let moved = bodies.bodies_mut();
        subsystem::make_columns(moved);
        self.subsystems.iter().for_each(|subsystem| subsystem.part(moved));
        let labels = self.labels(moved.len());
        moved.extra.insert(SUBSYSTEM.into(), labels);
        Ok(())
    }

    /// What was chosen, for another part of the step.
    fn selection(&mut self) -> Selection {
        let of = |subsystem: &Subsystem| (subsystem.members.clone(), subsystem.isolation);
        let subsystems = self.subsystems.iter().map(of).collect();
        Selection { subsystems, refused: std::mem::take(&mut self.refused) }
    }

    /// Makes each of the subsystems one body.
    pub(super) fn join_subsystems(&mut self, bodies: &mut Bodies, selection: Selection, gravity: &Gravity, dt: f64) {
        let Selection { subsystems, refused } = selection;
        self.refused = refused;
        let touched = self.touched(bodies, &subsystems, gravity, dt);
        self.subsystems = subsystems.into_iter().map(|chosen| Subsystem::of(bodies, chosen, gravity, dt)).collect();
        self.is_hidden.clear();
        self.is_hidden.resize(bodies.len(), false);
        self.gone.iter().for_each(|k| self.is_hidden[*k] = true);
        self.give_radii(bodies);
        self.subsystem_of.clear();
        self.subsystem_of.resize(bodies.len(), None);
        for (at, subsystem) in self.subsystems.iter_mut().enumerate() {
            subsystem.join(bodies);
            self.subsystem_of[subsystem.first()] = Some(at);
            subsystem.members[1..].iter().for_each(|k| self.is_hidden[*k] = true);
        }
        let visible = |k: usize| self.subsystems.iter().find(|of| of.members.contains(&k)).map_or(k, Subsystem::first);
        self.touched = touched.into_iter().map(visible).collect();
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// The bodies that are near to subsystems that are no more, or have not been. What they carry contains what a
    /// subsystem did to them above a point, or lacks it.
    fn touched(&self, bodies: &Bodies, now: &[(Vec<usize>, Isolation)], gravity: &Gravity, dt: f64) -> Vec<usize> {
        let now: Vec<&Vec<usize>> = now.iter().map(|(members, _)| members).collect();
        let mut were: Vec<Vec<usize>> = vec![Vec::new(); bodies.len() + 1];
        let labels = bodies.extra.get(SUBSYSTEM).filter(|column| column.len() == bodies.len());
        for (k, label) in labels.into_iter().flatten().enumerate().filter(|(_, label)| **label >= 1.0) {
            were[(*label as usize).min(bodies.len())].push(k);
        }
        were.retain(|members| members.len() > 1);
        let gone = were.iter().filter(|members| !now.contains(members));
        let new = now.iter().copied().filter(|members| !were.contains(members));
        let near = |members: &Vec<usize>| {
            // (how well it is isolated does not matter here)
            let chosen = (members.clone(), Isolation::Good);
            Subsystem::of(bodies, chosen, gravity, dt).neighbours(bodies, self.neglected())
        };
        gone.chain(new).flat_map(near).collect()
    }

    /// By which steps subsystems are chosen: those of order 4, where both orders have their usual eta.
    pub(super) fn rule(&self, gravity: &Gravity, dt: f64) -> Rule {
        let of_order_4 = HermiteOrder::Fourth.default_eta() / self.order.default_eta();
        Rule { g: gravity.g, dt, eta: of_order_4 * self.scheme().eta }
    }

    /// How often a part of the step of the run was halved.
    pub(super) fn halvings(&self, dt: f64) -> i32 {
        (self.whole / dt).log2().round() as i32
    }

    fn labels(&self, n: usize) -> Vec<f64> {
        let mut labels = vec![0.0; n];
        for subsystem in &self.subsystems {
            subsystem.members.iter().for_each(|k| labels[*k] = (subsystem.first() + 1) as f64);
        }
        labels
    }

    /// Computes what bodies carry that were in another subsystem before; the bodies of one move beside the first.
    pub(in super::super) fn begin_subsystems(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let n = bodies.bodies().len();
        let now = self.labels(n);
        let was = bodies.bodies().extra.get(SUBSYSTEM).filter(|column| column.len() == n).cloned();
        let was = was.unwrap_or_else(|| vec![0.0; n]);
        // subsystems that have other bodies now
        let changed = (0..n).filter(|k| was[*k] != now[*k]);
        let mut others: Vec<f64> = changed.flat_map(|k| [was[k], now[k]]).collect();
        others.sort_by(f64::total_cmp);
        let is_other = |label: f64| others.binary_search_by(|other| other.total_cmp(&label)).is_ok();
        let is_fresh = |k: usize| !self.is_hidden[k] && (was[k] != now[k] || (now[k] > 0.0 && is_other(now[k])));
        let fresh: Vec<usize> = (0..n).filter(|k| is_fresh(*k)).collect();
        let touched: Vec<usize> = self.touched.iter().copied().filter(|k| fresh.binary_search(k).is_err()).collect();
        self.note_accelerations_of(fresh.iter().chain(&touched).copied(), bodies)?;
        // these keep their steps
        self.active = touched;
        self.begin_noted(bodies, 0.0, dt, |_| true)?;
        self.active = fresh;
        self.begin_noted(bodies, 0.0, dt, |_| false)?;
        let pairs = |subsystem: &Subsystem| -> Vec<[usize; 2]> {
            subsystem.members[1..].iter().map(|k| [subsystem.first(), *k]).collect()
        };
        let hidden: Vec<[usize; 2]> = self.subsystems.iter().flat_map(pairs).collect();
        self.hide(&hidden);
        for at in 0..self.subsystems.len() {
            let (near, free) = self.around(at, bodies.bodies(), (0.0, dt / FULL));
            let near: Vec<usize> = near.into_iter().map(|(k, _)| k).collect();
            let field = self.field(at, bodies.bodies(), &near);
            let subsystem = &mut self.subsystems[at];
            subsystem.was_near = !near.is_empty();
            subsystem.meet(bodies.bodies(), &near);
            (subsystem.field, subsystem.perturbers) = (field, near);
            subsystem.measure(free);
            let first = self.subsystems[at].first();
            let level = self.level_for_subsystem(first, self.levels.get(first));
            self.levels.set(first, self.levels.clamped(level, 0));
        }
        Ok(())
    }

    /// Where the bodies of all subsystems are, at the beginning of a step of the run.
    pub(in super::super) fn seen_now(&self) -> Seen {
        self.subsystems.iter().map(|subsystem| Some(subsystem.inside())).collect()
    }

    /// A level at which the size of a subsystem is measured often enough, if the body is one.
    pub(in super::super) fn level_for_subsystem(&self, i: usize, level: i32) -> i32 {
        match self.subsystem_at(i) {
            Some(at) => level.max(self.levels.of_step(self.subsystems[at].lasts)),
            None => level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::select::tests::{bodies, pair};
    use super::*;
    use crate::integrator::StepControl;

    /// Where a part is cut, both parts have the same subsystems, each isolated as it was.
    #[test]
    fn what_was_chosen_is_chosen_for_both_parts() {
        let mut all = pair(1e-3, [0.0; 3]).to_vec();
        all.extend(pair(1e-3, [1.0, 0.0, 0.0]));
        all.push((0.1, [1.0, 5e-3, 0.0], [0.0; 3]));
        let subsystems = vec![(vec![0, 1], Isolation::Good), (vec![2, 3], Isolation::Fair)];
        let chosen = Selection { subsystems, refused: vec![vec![2, 3, 4]] };
        let mut hermite = Hermite::fourth(&StepControl::default());
        let gravity = Gravity::new(1.0, 0.0);
        hermite.join_subsystems(&mut bodies(&all), chosen.clone(), &gravity, 1.0 / 64.0);
        assert_eq!(hermite.selection(), chosen);
    }
}
