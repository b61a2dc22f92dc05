//! Hermite schemes of orders 4 and 6 with block time steps: accelerations and their time derivatives are predicted by
//! Taylor series, evaluated for the bodies whose steps end, and corrected by the polynomial through both ends of a
//! step.
//!
//! ```text
//! hermite4       accelerations and jerks                         P(EC)^n    [Makino 1992]
//! hermite6       accelerations, jerks and snaps                  P(EC)^n    [Nitadori 2008]
//! hermite6-3pt   accelerations and jerks of two steps, order 6   P(EC)^n    [Dittmann 2024, arXiv:2410.17311]
//! ```
//!
//! A step of the run, dt, consists of blocks. In a block those bodies are active whose own steps end at its time; the
//! others are predicted. A body's step is dt / 2^k. It follows from the criterion ([`scheme::required_squared`]) and
//! grows only at times that are multiples of the new step, and at most doubles. So all bodies are active at the end of
//! dt: that is where snapshots, audits and diagnostics look, and they change no bit. Time within dt is an integer, and
//! no time is ever rounded.
//!
//! What a body carries from dt to dt, its acceleration, further derivatives and its step, are columns of the bodies, so
//! that a resumed run has the bits of one never interrupted.

mod begin;
mod joined;
mod levels;
mod mergers;
mod pairs;
mod scheme;
mod subsystems;
mod vector;

use super::{ActiveBodies, Integrator, Pairs, StepControl, System, TimeSteps};
use crate::error::Capability;
use crate::events::{RADIUS, Swept};
use crate::solver::{BlockState, BlockStep, Derivatives, HermiteOrder};
use crate::{Bodies, Error, Result};
use levels::{FULL, Levels, halved};
pub(crate) use mergers::{mark, renumber};
use pairs::Pair;
pub(super) use scheme::PLACES_LEFT;
pub(crate) use scheme::were_one;
use scheme::{AXES, Scheme};
use subsystems::{Seen, Subsystem};
use vector::put;

/// What was computed for steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Blocks: times at which some bodies were active.
    pub blocks: u64,
    /// Steps of bodies.
    pub body_steps: u64,
    /// Pairs of an active body and another one.
    pub pairs: u64,
    /// Evaluations of the forces inside subsystems that are regularised.
    pub regularised: u64,
}

/// Of three points, where steps are constant: the level of the parts of a step of the run in which bodies begin.
const PARTS: i32 = 4;

/// Why a step, or a part of it, must be made again.
#[derive(Clone, Debug, PartialEq)]
enum Again {
    /// Two bodies are so close that only a subsystem that is fairly isolated may have one without the other, or that no
    /// subsystem may.
    Links {
        /// Only a subsystem that is fairly isolated may.
        close: Vec<[usize; 2]>,
        /// No subsystem may.
        forced: Vec<[usize; 2]>,
    },
    /// Others perturb these pairs; or of two bodies, one must not be in a subsystem without the other.
    Pairs(Vec<[usize; 2]>),
    /// In halves: two bodies meet so closely that they must be in a subsystem, which they can be from a later time on; or a
    /// subsystem has become one that must be another.
    Halves,
    /// Up to where bodies touch, and on from there with one in place of two.
    Cut {
        /// Which bodies.
        pairs: Vec<[usize; 2]>,
        /// When, since the beginning of the part.
        at: f64,
    },
}

/// A Hermite scheme. Memory: 17 (order 4) or 26 (order 6) numbers a body.
#[derive(Debug)]
pub struct Hermite {
    order: HermiteOrder,
    control: StepControl,
    /// Derivatives of the position, from the zeroth on, where the own step of each body began.
    derivatives: Vec<[Vec<f64>; AXES]>,
    /// When that was.
    since: Vec<f64>,
    /// Of three points: how long the step before was, 0 where the next one is the first.
    before: Vec<f64>,
    /// Of three points, where steps are constant: this step of the run is made in parts, since bodies begin in it. What the first part lacks
    /// of order 6 is small then.
    is_parted: bool,
    levels: Levels,
    elapsed: Vec<f64>,
    /// Predicted accelerations, for order 6.
    accelerations: [Vec<f64>; AXES],
    active: Vec<usize>,
    found: Derivatives,
    work: Work,
    /// The smallest step of a body in the last step of the run, and the body that had it first.
    smallest: Option<(f64, usize)>,
    /// That step of the run, and what of it was made before the present part of it.
    whole: f64,
    begin: f64,
    /// The pairs that are one body in this step of the run.
    pairs: Vec<Pair>,
    /// The subsystems that are one body, and for each body which it is the first of.
    subsystems: Vec<Subsystem>,
    subsystem_of: Vec<Option<usize>>,
    /// Bodies whose accelerations change where subsystems come and go.
    touched: Vec<usize>,
    /// Bodies that blocks have shown to belong to one subsystem.
    forced: Vec<[usize; 2]>,
    /// Bodies that blocks have shown to be close to each other, one of which may be in a subsystem that is fairly isolated.
    close: Vec<[usize; 2]>,
    /// The bodies of groups that are no subsystems, since others are too close to them.
    refused: Vec<Vec<usize>>,
    /// An advance of a subsystem needs too many steps.
    is_long: bool,
    /// Two bodies of a subsystem touch, at a time in the part of the step.
    contact: Option<([usize; 2], f64)>,
    /// Bodies that are known to touch at the end of a part of the step, and are not looked at before.
    due: Vec<[usize; 2]>,
    /// Bodies that have become a part of others in this step of the run.
    gone: Vec<usize>,
    /// The step of the run is made in parts between contacts.
    is_cut: bool,
    /// Where the bodies of subsystems are at the time of this block, where that is known.
    seen: Seen,
    /// Which bodies are in a pair or a subsystem, and not the first of it, or are no more, in one that they merged with.
    is_hidden: Vec<bool>,
    /// The radii of bodies, and of the orbits of pairs that move as one; where bodies merge.
    radius: Vec<f64>,
    /// The bodies that were active in the last block, with the lengths of their steps; where bodies merge.
    swept: Vec<Swept>,
    /// Bodies that something has happened to since the last step of the run, and whether they keep their time steps.
    changed: Vec<(usize, bool)>,
}

impl Hermite {
    /// Order 4 with these time steps.
    pub fn fourth(control: &StepControl) -> Self {
        Self::of(HermiteOrder::Fourth, control)
    }

    /// Order 6 with these time steps.
    pub fn sixth(control: &StepControl) -> Self {
        Self::of(HermiteOrder::Sixth, control)
    }

    /// Order 6 by three points with these time steps.
    pub fn three_point(control: &StepControl) -> Self {
        Self::of(HermiteOrder::ThreePoint, control)
    }

    fn of(order: HermiteOrder, control: &StepControl) -> Self {
        Hermite {
            order,
            control: *control,
            derivatives: vec![Default::default(); order.derivatives()],
            since: Vec::new(),
            before: Vec::new(),
            is_parted: false,
            levels: Levels::default(),
            elapsed: Vec::new(),
            accelerations: Default::default(),
            active: Vec::new(),
            found: Derivatives::default(),
            work: Work::default(),
            smallest: None,
            whole: 0.0,
            begin: 0.0,
            pairs: Vec::new(),
            subsystems: Vec::new(),
            subsystem_of: Vec::new(),
            touched: Vec::new(),
            forced: Vec::new(),
            close: Vec::new(),
            refused: Vec::new(),
            is_long: false,
            contact: None,
            due: Vec::new(),
            gone: Vec::new(),
            is_cut: false,
            seen: Seen::new(),
            is_hidden: Vec::new(),
            radius: Vec::new(),
            swept: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn has_snaps(&self) -> bool {
        self.order.has_snaps()
    }

    /// Whether a body is one of the scheme, and not a part of another one.
    fn is_visible(&self, k: usize) -> bool {
        self.is_hidden.get(k) != Some(&true)
    }

    fn steps(&self) -> TimeSteps {
        self.control.steps.unwrap_or(TimeSteps::Individual)
    }

    /// Eta of first steps over eta, where it is not given: of three points smaller, since these steps are of order 4.
    fn first(&self) -> f64 {
        if self.order == HermiteOrder::ThreePoint { 0.03 } else { 0.1 }
    }

    fn scheme(&self) -> Scheme {
        let (eta, eta_start) = (self.control.eta, self.control.eta_start);
        let eta = eta.unwrap_or(self.order.default_eta());
        Scheme { order: self.order, eta, eta_start: eta_start.unwrap_or(self.first() * eta), is_rounded: false }
    }

    /// The same for the forces on these bodies.
    fn scheme_for(&self, bodies: &dyn ActiveBodies) -> Scheme {
        Scheme { is_rounded: bodies.has_rounded_terms(), ..self.scheme() }
    }

    /// The perturbation of a pair that is neglected, or up to which a subsystem is averaged over its orbit.
    fn neglected(&self) -> f64 {
        self.control.perturbation.unwrap_or(match self.control.pairs {
            Some(Pairs::Chain) => subsystems::NEGLECTED,
            _ => pairs::NEGLECTED,
        })
    }

    /// Evaluates the active bodies, where they are; subsystems are where they are `seen`.
    fn evaluate(&mut self, bodies: &mut dyn ActiveBodies, elapsed: f64, seen: &Seen) -> Result<()> {
        let known = self.has_snaps().then(|| self.accelerations.each_ref().map(Vec::as_slice));
        bodies.derivatives_on(&self.active, known, elapsed, &mut self.found)?;
        self.count(bodies.bodies());
        self.resolve(bodies.bodies(), seen);
        self.add_multipoles(bodies.bodies());
        Ok(())
    }

    /// Where all bodies have one step, the smallest.
    fn share_levels(&mut self) {
        match self.steps() {
            TimeSteps::Individual => {}
            TimeSteps::Shared => self.levels.set_all(self.levels.deepest()),
            TimeSteps::Constant => self.levels.set_all(if self.is_parted { PARTS } else { 0 }),
        }
    }

    fn count(&mut self, bodies: &Bodies) {
        let sources = bodies.mass.iter().filter(|mass| **mass != 0.0).count();
        self.work.body_steps += self.active.len() as u64;
        self.work.pairs += (self.active.len() * sources) as u64;
    }

    /// Predicts all bodies for `time`.
    fn predict(&mut self, bodies: &mut Bodies, time: f64, unit: f64) {
        let Hermite { derivatives, since, elapsed, accelerations, order, .. } = self;
        elapsed.clear();
        elapsed.extend(since.iter().map(|since| (time - since) * unit));
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for (q, (x, v)) in [(x, vx), (y, vy), (z, vz)].into_iter().enumerate() {
            match &derivatives[..] {
                [d0, d1, d2, d3] => scheme::predict4([d0, d1, d2, d3].map(|d| &d[q][..]), elapsed, [x, v]),
                [d0, d1, d2, d3, d4, d5] => {
                    let a = &mut accelerations[q];
                    a.resize(elapsed.len(), 0.0);
                    scheme::predict6([d0, d1, d2, d3, d4, d5].map(|d| &d[q][..]), elapsed, [x, v, a]);
                }
                _ => unreachable!("a scheme of order {order:?} has 4 or 6 derivatives"),
            }
        }
    }

    /// Evaluates and corrects the active bodies, and chooses their next steps.
    fn block(&mut self, bodies: &mut dyn ActiveBodies, time: f64, dt: f64) -> Result<()> {
        let unit = dt / FULL;
        self.predict(bodies.bodies_mut(), time, unit);
        let seen = self.advance_subsystems(bodies, time, unit)?;
        self.swept.clear();
        let scheme = self.scheme_for(bodies);
        let rounds = self.control.iterations.unwrap_or(1).max(1);
        let highest = levels::highest(time);
        for round in 1..=rounds {
            self.evaluate(bodies, self.begin + time * unit, &seen)?;
            let began = bodies.time() + self.begin;
            let moved = bodies.bodies_mut();
            for k in 0..self.active.len() {
                let i = self.active[k];
                let step = (time - self.since[i]) * unit;
                let begin = scheme.gather(&self.derivatives, i);
                let end = scheme.corrected(&begin, self.before[i], &self.found, k, step);
                put(moved, i, end.derivatives[0], end.derivatives[1]);
                if round < rounds {
                    if self.has_snaps() {
                        (0..AXES).for_each(|q| self.accelerations[q][i] = end.derivatives[2][q]);
                    }
                    continue;
                }
                for (to, from) in self.derivatives.iter_mut().zip(&end.derivatives) {
                    (0..AXES).for_each(|q| to[q][i] = from[q]);
                }
                self.since[i] = time;
                self.before[i] = step;
                if self.control.collisions {
                    self.swept.push((i, step));
                }
                if self.steps() != TimeSteps::Constant {
                    let level = self.levels.of_squared(self.levels.get(i), scheme.required_squared(&end));
                    self.check(moved, i, level, (began, time), dt)?;
                    let level = self.level_for_subsystem(i, level);
                    // a step at most doubles: what follows from a short one says little about a long one
                    self.levels.set(i, self.levels.clamped(level, highest.max(self.levels.get(i) - 1)));
                    self.note_step(i, dt);
                }
            }
        }
        if self.steps() == TimeSteps::Shared {
            // the commensurable level that serves all
            self.share_levels();
        }
        self.seen = seen;
        self.work.blocks += 1;
        Ok(())
    }

    /// Makes all blocks of a step where the forces are computed, if that can be; false where nothing was done.
    fn blocks_there(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<bool> {
        let is_simple = self.control.iterations.unwrap_or(1) == 1 && self.steps() == TimeSteps::Individual;
        let is_simple = is_simple && !self.control.collisions;
        if !is_simple {
            return Ok(false);
        }
        let (levels, is_limited) = self.levels.limits();
        let step = BlockStep { order: self.order, dt, eta: self.scheme().eta, levels, is_limited };
        let derivatives = std::mem::take(&mut self.derivatives);
        let before = std::mem::take(&mut self.before);
        let mut state = BlockState { derivatives, before, levels: self.levels.all().to_vec() };
        let made = bodies.block_step(&step, &mut state);
        (self.derivatives, self.before) = (state.derivatives, state.before);
        let Some(work) = made? else { return Ok(false) };
        state.levels.iter().enumerate().for_each(|(k, level)| self.levels.set(k, i32::from(*level)));
        let began = bodies.time();
        let moved = bodies.bodies_mut();
        let Bodies { x, y, z, vx, vy, vz, .. } = &mut *moved;
        for (to, from) in [x, y, z, vx, vy, vz].into_iter().zip(self.derivatives.iter().flatten()) {
            to.clone_from(from);
        }
        if let Some((k, time)) = work.too_deep {
            self.check(moved, k, i32::MAX, (began, time as f64), dt)?;
        }
        self.work.blocks += work.blocks;
        self.work.body_steps += work.body_steps;
        self.work.pairs += work.body_steps * moved.len() as u64;
        Ok(true)
    }

    /// Notes the step of a body where it is the smallest.
    fn note_step(&mut self, i: usize, dt: f64) {
        if self.is_cut && self.levels.get(i) == 0 {
            // it ends where others touch
            return;
        }
        let step = dt * halved(self.levels.get(i));
        if self.smallest.is_none_or(|(smallest, _)| step < smallest) {
            self.smallest = Some((step, i));
        }
    }

    /// Refuses steps that integers of 52 bits have no room for.
    fn check(&self, bodies: &Bodies, i: usize, level: i32, (began, time): (f64, f64), dt: f64) -> Result<()> {
        if !self.levels.is_too_deep(level) {
            return Ok(());
        }
        let distance2 = |j: usize| {
            let (a, b) = (bodies.position(i), bodies.position(j));
            (0..AXES).map(|q| (a[q] - b[q]).powi(2)).sum::<f64>()
        };
        let others = (0..bodies.len()).filter(|j| *j != i && bodies.mass[*j] != 0.0);
        let nearest = others.min_by(|a, b| distance2(*a).total_cmp(&distance2(*b)));
        let neighbour = nearest.map(|j| (j, bodies.id[j], distance2(j).sqrt()));
        Err(Error::SmallStep {
            time: began + time / FULL * dt,
            index: i,
            id: bodies.id[i],
            least: self.levels.least(),
            neighbour,
        })
    }
}

impl Integrator for Hermite {
    fn renumber(&mut self, is_kept: &[bool]) {
        let place = |body: usize| is_kept[..body].iter().filter(|kept| **kept).count();
        self.smallest = self.smallest.filter(|(_, body)| is_kept[*body]).map(|(step, body)| (step, place(body)));
    }

    fn name(&self) -> &'static str {
        match self.order {
            HermiteOrder::Fourth => "hermite4",
            HermiteOrder::Sixth => "hermite6",
            HermiteOrder::ThreePoint => "hermite6-3pt",
        }
    }

    fn order(&self) -> u32 {
        self.order.number()
    }

    /// Of steps that vary, about: 15 a body and dt in a Plummer sphere of 1,024 bodies with dt = 1/16, 27 of 16,384.
    fn evaluations(&self) -> usize {
        let rounds = self.control.iterations.unwrap_or(1).max(1) as usize;
        match self.steps() {
            TimeSteps::Constant => rounds,
            TimeSteps::Individual | TimeSteps::Shared => 16 * rounds,
        }
    }

    fn begins_with_accelerations(&self) -> bool {
        false
    }

    fn columns(&self) -> &'static [&'static str] {
        scheme::columns(self.order)
    }

    fn check_kept(&self, bodies: &Bodies, dt: f64) -> Result<()> {
        scheme::check_kept(self.order, bodies, dt)
    }

    fn blocks(&self) -> Option<HermiteOrder> {
        Some(self.order)
    }

    fn work(&self) -> Option<Work> {
        Some(self.work)
    }

    fn smallest_step(&self) -> Option<(f64, usize)> {
        self.smallest
    }

    fn step(&mut self, system: &mut dyn System, dt: f64) -> Result<()> {
        let Some(bodies) = system.active() else {
            return Err(Error::Unsupported {
                capability: Capability::Integrator,
                value: self.name().into(),
                expected: "needs bodies in this machine's memory".into(),
            });
        };
        if bodies.bodies().is_empty() {
            return Ok(());
        }
        (self.smallest, self.whole, self.begin) = (None, dt, 0.0);
        (self.contact, self.is_cut) = (None, false);
        self.due.clear();
        self.gone.clear();
        let made = match self.control.pairs {
            None | Some(Pairs::Resolved) => {
                self.is_hidden.clear();
                if self.control.collisions {
                    self.is_hidden.resize(bodies.bodies().len(), false);
                }
                self.blocks(bodies, dt).map(drop)
            }
            Some(Pairs::Kepler) => self.blocks_with_pairs(bodies, dt),
            Some(Pairs::Chain) => self.blocks_with_subsystems(bodies, dt),
        };
        bodies.note_progress(1.0);
        made
    }
}

impl Hermite {
    /// A step, block by block; where it ends early, the reason.
    fn blocks(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<Option<Again>> {
        if !self.load(bodies.bodies(), dt)? {
            self.start(bodies, dt)?;
        }
        match self.control.pairs {
            None | Some(Pairs::Resolved) => {}
            Some(Pairs::Kepler) => self.begin_pairs(bodies, dt)?,
            Some(Pairs::Chain) => self.begin_subsystems(bodies, dt)?,
        }
        self.begin_changed(bodies, dt)?;
        if self.control.collisions {
            self.radius.clone_from(bodies.bodies().extra.get(RADIUS).unwrap_or(&Vec::new()));
            self.radius.resize(bodies.bodies().len(), 0.0);
            for pair in &self.pairs {
                self.radius[pair.first] = pair.reach(&self.radius);
            }
        }
        // known when all are at their beginning
        self.is_parted = false;
        self.share_levels();
        self.begin_after_short_steps(dt);
        if self.steps() == TimeSteps::Individual {
            (0..bodies.bodies().len()).for_each(|i| self.note_step(i, dt));
        }
        if self.blocks_there(bodies, dt)? {
            self.save(bodies.bodies_mut(), dt);
            return Ok(None);
        }
        let mut time = 0.0;
        while time < FULL {
            if bodies.is_stopped() {
                return Err(Error::Interrupted);
            }
            time = self.levels.next(time);
            self.levels.active(time, &mut self.active);
            if !self.is_hidden.is_empty() {
                self.active.retain(|k| !self.is_hidden[*k]);
            }
            self.block(bodies, time, dt)?;
            if self.control.collisions
                && let Some(again) = self.merge_touching(bodies, time, dt)?
            {
                return Ok(Some(again));
            }
            if let Some(pair) = self.perturbed_pair(bodies.bodies(), time) {
                return Ok(Some(Again::Pairs(vec![pair])));
            }
            if let Some(again) = self.encounter(bodies, dt) {
                return Ok(Some(again));
            }
            bodies.note_progress((self.begin + time * (dt / FULL)) / self.whole);
        }
        self.save(bodies.bodies_mut(), dt);
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
