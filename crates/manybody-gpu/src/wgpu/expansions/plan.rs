//! The dispatches of an evaluation, in order.

use super::memory::{Memory, PARTS, RADIX, Record, TILE};
use super::source::Entry;
use crate::expansions::levels::{CHILDREN, LEAF, LEVELS};
use crate::expansions::{Coupling, Motion, Purpose};
use crate::wgpu::groups;
use manybody_pairwise::Softening;
use manybody_tree::{Accuracy, ExpandedLaw, LawText, Limits, Opening, Sinks};
use std::ops::Range;

/// Digits of a key's upper half that the first sort leaves out: it takes 16 digits an axis, and all 42 where bodies share those.
const LEFT_OUT: u32 = 16;
/// Digits of a pass.
const DIGITS: u32 = 4;
/// Bits of a half of a key.
const BITS: u32 = 64;
/// Workgroups of the kernel that takes bodies one by one.
const ONE_BY_ONE: usize = 2048;
/// Bytes of the numbers of a dispatch, as they may be bound.
pub(super) const BYTES: usize = 256;

/// When two cells interact, as types.wgsl has it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Judge {
    angle: f32,
    /// `None` where the angle alone decides.
    tolerance: Option<f32>,
    limits: Limits,
    is_mutual: bool,
}

/// A dispatch.
pub(super) struct Step {
    pub(super) phase: &'static str,
    pub(super) entry: Entry,
    pub(super) purpose: Purpose,
    pub(super) motion: Motion,
    /// The coupling of a law, of kernels that are for one.
    pub(super) coupling: Option<usize>,
    pub(super) groups: [u32; 2],
    pub(super) words: [u32; BYTES / 4],
}

/// What an evaluation is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) accuracy: Accuracy,
    pub(super) sinks: Sinks,
    /// Whether keys have all their digits.
    pub(super) is_long: bool,
    pub(super) soft2: f32,
    pub(super) softenings: Option<OwnSoftenings>,
    /// What a softening length is.
    pub(super) softening: Softening,
    pub(super) stage: Stage,
}

/// What dispatches compute: all of gravity, or a law up to its sums at a few bodies, or from the table that is made from these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    Whole,
    Sample { bodies: usize },
    Law { rows: u32, last: i32, has_allowed: bool },
}

/// Softenings of the bodies' own, half their squares: what differences are taken from, and the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OwnSoftenings {
    pub(super) base: f32,
    pub(super) difference: f32,
}

/// Dispatches that are made one after the other.
pub(super) struct Plan<'a> {
    memory: &'a Memory,
    form: Form,
    law: Option<&'a LawText>,
    judge: Judge,
    /// First leaf and number of leaves; estimates cut the tree above them.
    leaves: (usize, usize),
    /// On which side of the keys the order is.
    side: usize,
    phase: &'static str,
    /// What the kernels have of the motion of bodies.
    motion: Motion,
    pub(super) steps: Vec<Step>,
}

impl<'a> Plan<'a> {
    /// The dispatches of an evaluation.
    pub(super) fn new(memory: &'a Memory, form: Form, law: Option<&'a LawText>) -> Self {
        let limits = Limits::of::<f32>(form.accuracy.order);
        let judge = Judge { angle: 1.0, tolerance: None, limits, is_mutual: true };
        let leaves = memory.levels.leaves();
        let (phase, motion, steps) = ("order", Motion::Rest, Vec::new());
        let mut plan = Plan { memory, form, law, judge, leaves, side: 0, phase, motion, steps };
        plan.all();
        plan
    }

    fn all(&mut self) {
        let Accuracy { order, opening, .. } = self.form.accuracy.of_bodies(self.memory.n);
        let sinks = self.form.sinks;
        if let Stage::Law { has_allowed, .. } = self.form.stage {
            // the cells are there
            self.side = self.sides() % 2;
            self.criterion(has_allowed);
        } else {
            self.order();
            self.cells();
            if self.has_jerks() {
                self.rates();
            }
        }
        if let Stage::Sample { bodies: samples } = self.form.stage {
            self.begin("sums at a few bodies");
            self.step(Entry::SampleSums, Purpose::Forces, samples * PARTS, [samples, 0, 0, 0]);
            return;
        }
        let is_mutual = sinks == Sinks::Cells;
        // second expansions have two derivatives more
        let limits_of = |order| Limits::of::<f32>(if self.form.softenings.is_some() { order + 2 } else { order });
        let limits = limits_of(order);
        self.judge = match opening {
            Opening::Error(tolerance) if self.form.stage != Stage::Whole => {
                Judge { angle: ExpandedLaw::WIDEST_ANGLE, tolerance: Some(tolerance as f32), limits, is_mutual }
            }
            Opening::Error(tolerance) => {
                let limits_of_estimate = limits_of(Purpose::Estimate.order(order));
                self.judge = Judge { angle: 1.0, tolerance: None, limits: limits_of_estimate, is_mutual: true };
                self.estimate();
                Judge { angle: Accuracy::WIDEST_ANGLE, tolerance: Some(tolerance as f32), limits, is_mutual }
            }
            Opening::Angle(theta) => Judge { angle: theta as f32, tolerance: None, limits, is_mutual },
        };
        let deepest = self.memory.levels.0.len() - 1;
        self.lists(sinks, deepest, Purpose::Forces);
        self.far(sinks, deepest, Purpose::Forces);
        if self.has_jerks() {
            self.motion = Motion::Rates;
            self.far(sinks, deepest, Purpose::Forces);
            self.motion = Motion::Jerks;
        }
        let (_, leaves) = self.leaves;
        self.begin("near bodies");
        self.step(Entry::NearBodies, Purpose::Forces, leaves, [0; 4]);
        self.begin("one by one");
        self.step(Entry::OneByOne, Purpose::Forces, leaves.min(ONE_BY_ONE), [0; 4]);
        self.begin("finish");
        self.step(Entry::Finish, Purpose::Forces, self.memory.n.div_ceil(64), [0; 4]);
    }

    fn begin(&mut self, phase: &'static str) {
        self.phase = phase;
    }

    /// Adds a dispatch of so many workgroups, with the numbers of its call.
    fn step(&mut self, entry: Entry, purpose: Purpose, workgroups: usize, call: [usize; 4]) {
        self.step_of(entry, (purpose, None), workgroups, call);
    }

    /// The same, by the kernel of a coupling.
    fn step_of(
        &mut self,
        entry: Entry,
        (purpose, coupling): (Purpose, Option<usize>),
        workgroups: usize,
        call: [usize; 4],
    ) {
        let (phase, motion, groups, words) = (self.phase, self.motion, groups(workgroups, 1), self.words(call));
        self.steps.push(Step { phase, entry, purpose, motion, coupling, groups, words });
    }

    fn words(&self, call: [usize; 4]) -> [u32; BYTES / 4] {
        let Plan { memory, form, judge, .. } = self;
        let ([links, heads, sparse], [rates, moving]) = (memory.parts_of_pages(), memory.of_jerks());
        let Record { spherical, locals, second_moments, second_locals, end: stride } = memory.record;
        let softenings = form.softenings.unwrap_or(OwnSoftenings { base: 0.0, difference: 1.0 });
        let OwnSoftenings { base, difference } = softenings;
        let (rows, last) = match form.stage {
            Stage::Law { rows, last, .. } => (rows, last),
            Stage::Whole | Stage::Sample { .. } => (0, 0),
        };
        let slots = memory.levels.leaves().1 * LEAF;
        let order = (3 * self.side + 2) * memory.n;
        let whole = |number: usize| number as u32;
        let (first_leaf, leaves) = self.leaves;
        let head = [
            [memory.n, leaves, first_leaf, memory.segment].map(whole),
            [spherical, locals, stride, memory.least].map(whole),
            [judge.angle * judge.angle, judge.tolerance.unwrap_or(0.0), judge.limits.units, judge.limits.unit2]
                .map(f32::to_bits),
            [
                form.soft2.to_bits(),
                (Accuracy::FLOOR as f32).to_bits(),
                u32::from(judge.is_mutual),
                u32::from(judge.tolerance.is_none()),
            ],
            [links, heads, sparse, slots].map(whole),
            [whole(order), 0, base.to_bits(), (1.0 / difference).to_bits()],
            [whole(second_moments), whole(second_locals), (0.5 * difference).to_bits(), rows],
            [last as u32, whole(rates), whole(moving), 0],
            call.map(whole),
        ];
        let levels: [[i32; LEVELS]; 2] =
            [memory.levels.table(|(first, _)| first), memory.levels.table(|(_, count)| count)];
        let mut words = [0; BYTES / 4];
        let all = head.as_flattened().iter().copied().chain(levels.as_flattened().iter().map(|number| *number as u32));
        words.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        words
    }

    /// Sorts the bodies along the curve.
    fn order(&mut self) {
        let (n, is_long) = (self.memory.n, self.form.is_long);
        let blocks = n.div_ceil(256);
        self.step(Entry::Clear, Purpose::Forces, 1, [1, 0, 0, 0]);
        self.step(Entry::CurveKeys, Purpose::Forces, blocks, [usize::from(is_long), 0, 0, 0]);
        if is_long {
            // the upper digits, in the order of the lower ones
            self.sort(0..BITS);
            self.step(Entry::TakeKeys, Purpose::Forces, blocks, [self.side, 0, 0, 0]);
            self.sort(0..BITS);
        } else {
            self.sort(LEFT_OUT..BITS);
        }
        let left_out = if is_long { 0 } else { LEFT_OUT as usize };
        self.step(Entry::FindClashes, Purpose::Forces, blocks, [self.side, left_out, 0, 0]);
        if self.form.softenings.is_some() {
            self.step(Entry::TakeClasses, Purpose::Forces, blocks, [self.side, 0, 0, 0]);
            self.sort(0..DIGITS);
        }
    }

    /// Sorts by these digits of the keys.
    fn sort(&mut self, digits: Range<u32>) {
        let tiles = self.memory.n.div_ceil(TILE);
        for shift in digits.step_by(DIGITS as usize) {
            let call = [self.side, shift as usize, tiles, 0];
            self.step(Entry::CountDigits, Purpose::Forces, tiles, call);
            self.step(Entry::SumCounts, Purpose::Forces, RADIX, call);
            self.step(Entry::SortPass, Purpose::Forces, tiles, call);
            self.side = 1 - self.side;
        }
    }

    fn cells(&mut self) {
        self.begin("cells");
        self.up(Entry::MakeLeaves, Entry::MakeCells);
    }

    /// The rates of the moments of all cells.
    fn rates(&mut self) {
        self.begin("rates of cells");
        self.motion = Motion::Rates;
        self.up(Entry::RatesOfLeaves, Entry::RatesOfCells);
        self.motion = Motion::Rest;
    }

    /// Makes what is of leaves, and of cells from their children.
    fn up(&mut self, of_leaves: Entry, of_cells: Entry) {
        self.step(of_leaves, Purpose::Forces, self.leaves.1, [0; 4]);
        for pair in self.memory.levels.0.windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            self.step(of_cells, Purpose::Forces, count.div_ceil(4), [first, count, next + below, 0]);
        }
    }

    fn has_jerks(&self) -> bool {
        self.memory.width.jerks
    }

    /// How many sorts there are.
    fn sides(&self) -> usize {
        let passes = |digits: Range<u32>| digits.step_by(DIGITS as usize).len();
        if self.form.is_long { 2 * passes(0..BITS) } else { passes(LEFT_OUT..BITS) }
    }

    /// What the criterion of a law needs of cells.
    fn criterion(&mut self, has_allowed: bool) {
        self.begin("criterion");
        let levels = self.memory.levels.clone();
        let leaves = levels.leaves().1;
        if has_allowed {
            self.step(Entry::AllowedInLeaves, Purpose::Forces, leaves.div_ceil(64), [0; 4]);
            for pair in levels.0.windows(2).rev() {
                let ((first, count), (next, below)) = (pair[0], pair[1]);
                self.step(Entry::LeastOfCells, Purpose::Forces, count.div_ceil(64), [first, count, next + below, 0]);
            }
        }
        let mut of_cell = LEAF;
        for (first, count) in levels.0[levels.top(self.form.sinks)..].iter().rev() {
            self.step(Entry::WeighCells, Purpose::Forces, count.div_ceil(64), [*first, *count, of_cell, 0]);
            of_cell *= CHILDREN;
        }
    }

    fn lists(&mut self, sinks: Sinks, deepest: usize, purpose: Purpose) {
        self.begin("lists");
        self.step(Entry::Clear, Purpose::Forces, 1, [0; 4]);
        let top = self.memory.levels.top(sinks);
        for (level, (first, count)) in self.memory.levels.0.iter().enumerate().take(deepest + 1).skip(top) {
            let (is_top, root) = (level == top, sinks == Sinks::Leaves);
            self.step(Entry::MakeLists, purpose, *count, [*first, *count, usize::from(is_top), usize::from(root)]);
        }
    }

    /// The expansions about cells, handed down.
    fn far(&mut self, sinks: Sinks, deepest: usize, purpose: Purpose) {
        self.begin("expansions of cells");
        let top = self.memory.levels.top(sinks);
        let levels = &self.memory.levels.0[top..=deepest];
        let cells: usize = levels.iter().map(|(_, count)| count).sum();
        if self.form.stage == Stage::Whole {
            self.step(Entry::FarCells, purpose, cells, [top, deepest, cells, 0]);
        } else {
            let total = self.memory.levels.total();
            self.step(Entry::ClearLocals, purpose, total.div_ceil(64), [total, 0, 0, 0]);
        }
        if let Some(law) = self.law {
            let couplings = Coupling::of(law);
            for (k, coupling) in couplings.iter().enumerate() {
                let [charge, expansion] = coupling.numbers();
                let (call, total) = ([top, deepest, cells, charge + 256 * expansion], self.memory.levels.total());
                let of = (purpose, Some(Coupling::first_like(&couplings, k)));
                if coupling.is_dyad() {
                    self.step_of(Entry::MomentsOfDyad, of, total.div_ceil(64), [total, 0, 0, 0]);
                }
                self.step_of(Entry::SoftCells, of, cells, call);
            }
        }
        // the spline has nothing of these
        if self.form.stage == Stage::Whole && purpose == Purpose::Forces && self.form.softening == Softening::Plummer {
            self.step(Entry::SoftCells, purpose, cells, [top, deepest, cells, 0]);
            if self.form.softenings.is_some() {
                self.step(Entry::SoftDifferences, purpose, cells, [top, deepest, cells, 0]);
            }
        }
        self.begin("handing down");
        for (first, count) in &levels[1..] {
            self.step(Entry::HandDown, purpose, count.div_ceil(64), [*first, *count, 0, 0]);
        }
    }

    /// Estimates the least accelerations of cells.
    fn estimate(&mut self) {
        let levels = &self.memory.levels;
        // cells of the level above the leaves are small enough
        let leaves = levels.0.len() - 1;
        let deepest = if leaves > levels.top(Sinks::Cells) { leaves - 1 } else { leaves };
        let (all, cells) = (self.leaves, levels.0[deepest].1);
        self.leaves = levels.0[deepest];
        self.lists(Sinks::Cells, deepest, Purpose::Estimate);
        self.far(Sinks::Cells, deepest, Purpose::Estimate);
        self.begin("estimate");
        let per_cell = if deepest < leaves { CHILDREN } else { 1 };
        self.step(Entry::Estimate, Purpose::Estimate, cells, [all.0, per_cell, 0, 0]);
        self.step(Entry::MeanSquare, Purpose::Estimate, 1, [0; 4]);
        self.step(Entry::LeastOfLeaves, Purpose::Estimate, cells.div_ceil(64), [0; 4]);
        self.leaves = all;
        if deepest < leaves {
            self.step(Entry::LeastFromAbove, Purpose::Estimate, all.1.div_ceil(64), [all.0, all.1, 0, 0]);
        }
        for pair in levels.0[..=deepest].windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            self.step(Entry::LeastOfCells, Purpose::Estimate, count.div_ceil(64), [first, count, next + below, 0]);
        }
    }
}
