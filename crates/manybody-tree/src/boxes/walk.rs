//! The walk: from the root down, each cell of bodies acted on leaves out the cells that contribute nothing to it, and
//! hands the rest on.
//!
//! Two cells are enough to bound an extreme: whatever the largest number of their pairs is, the minimum of every body
//! of the one is not above it. Leaves then take the nearest of what is left first. Nothing is written by two, and the
//! order of sums depends on the bodies alone, so the bits do not depend on the number of threads.

use super::Side;
use crate::law::near::{Pairs, Workers, place};
use crate::own::Own;
use crate::tree::CHILDREN;
use manybody_law::Result;
use manybody_law::law::Cell;
use manybody_law::law::intervals::{Contribution, Interval, Intervals};
use manybody_pairwise::watch::{self, Look, Watch};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Mutex;

/// A walk over the bodies acted on.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) acted: Side<'a>,
    pub(super) acting: Side<'a>,
    /// Whether both trees are one.
    pub(super) is_one: bool,
    pub(super) intervals: &'a Intervals,
    pub(super) leaves: Leaves<'a>,
    /// Of each body acted on, in the order of its tree, its place in that of the bodies that act, where the pair of
    /// both is left out; empty where no place is left out.
    pub(super) itself: &'a [Option<u32>],
    /// Of the result record's numbers.
    pub(super) cells: &'a [Cell],
    pub(super) extremes: Vec<Extreme>,
    pub(super) threads: Mutex<Vec<Thread>>,
    /// The leaves to be filled.
    pub(super) own: &'a Own<'a>,
}

/// What becomes of the pairs of a leaf that are left.
#[derive(Debug)]
pub(super) enum Leaves<'a> {
    /// They are computed.
    Computed(&'a Pairs),
    /// They are listed, in any order, for a device.
    Listed(Mutex<Vec<Listed>>),
}

/// The bodies that act on a leaf, as ranges in the order of their tree.
#[derive(Debug)]
pub(super) struct Listed {
    /// The number of the leaf among the leaves.
    pub(super) leaf: usize,
    pub(super) ranges: Vec<Range<usize>>,
}

/// A contribution to a minimum or a maximum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extreme {
    /// Its number among the contributions.
    fold: usize,
    slot: usize,
    is_largest: bool,
}

/// The contributions to extremes.
pub(super) fn extremes(intervals: &Intervals) -> Vec<Extreme> {
    let of = |(k, fold): (usize, &manybody_law::law::Fold)| match fold.cell {
        Cell::Min | Cell::ArgMin => Some(Extreme { fold: k, slot: fold.slot, is_largest: false }),
        Cell::Max | Cell::ArgMax => Some(Extreme { fold: k, slot: fold.slot, is_largest: true }),
        _ => None,
    };
    intervals.folds().iter().enumerate().filter_map(of).collect()
}

impl Extreme {
    /// What is known of it before any pair is.
    fn unknown(self) -> f64 {
        if self.is_largest { f64::NEG_INFINITY } else { f64::INFINITY }
    }

    /// The better of two.
    fn better(self, a: f64, b: f64) -> f64 {
        if self.is_largest { a.max(b) } else { a.min(b) }
    }

    /// What all numbers of an interval reach at least.
    fn reached(self, x: Interval) -> f64 {
        if self.is_largest { x.low } else { x.high }
    }

    /// Whether no number of an interval is as good as what is reached, so that not even the bodies' numbers matter.
    fn is_beyond(self, x: Interval, reached: f64) -> bool {
        !x.nan && if self.is_largest { x.high < reached } else { x.low > reached }
    }

    /// What is good comes first.
    fn order(self, x: Interval) -> f64 {
        if self.is_largest { -x.high } else { x.low }
    }
}

/// Memory of a thread.
#[derive(Debug)]
pub(super) struct Thread {
    /// `None` where pairs are listed.
    worker: Option<Workers>,
    /// Of a pair of cells, the values of the program.
    values: Vec<Interval>,
    list: Vec<u32>,
    ranges: Vec<Range<usize>>,
    places: Vec<Option<usize>>,
    sums: Vec<f64>,
    heap: BinaryHeap<Near>,
    levels: Vec<Here>,
}

/// Memory for a cell of a level.
#[derive(Debug, Default)]
struct Here {
    /// Cells that act and are not left out.
    kept: Vec<u32>,
    /// `[kept][extreme]`.
    intervals: Vec<Interval>,
    /// `[extreme]`: what every body of the cell acted on reaches.
    reached: Vec<f64>,
    /// `[number of the result record]`: what cells have contributed to counts of every body.
    counts: Vec<f64>,
}

/// What a cell's parent hands down.
#[derive(Clone, Copy)]
struct Handed<'a> {
    cell: usize,
    level: usize,
    candidates: &'a [u32],
    reached: &'a [f64],
    counts: &'a [f64],
    look: Option<&'a Look<'a>>,
}

/// Cells with this many leaves, or more, are work for a thread of its own.
const SHARED: usize = 16;
/// What a body costs, in pairs, at a guess: for when to begin to look at a clock.
const PAIRS: u64 = 2048;
/// So many bodies act at a time. Of extremes, first a few: what they reach leaves out others.
const AT_ONCE: usize = 8192;
const FIRST: usize = 128;

impl Walk<'_> {
    /// Fills `to`: `[leaf][number of the result record][body]`, without the scales of sums; where pairs are listed, only with
    /// what cells contribute to counts.
    pub(super) fn run(&self, to: &mut [f64], watch: &Watch) -> Result<()> {
        let tree = self.acted.tree;
        let groups = tree.levels[self.group_level()].len() as u64;
        let work = tree.points.len() as u64 * PAIRS;
        let look = match self.leaves {
            Leaves::Computed(_) => watch.begin(work, groups),
            Leaves::Listed(_) => watch.prepare(work),
        };
        let reached: Vec<f64> = self.extremes.iter().map(|extreme| extreme.unknown()).collect();
        let counts = vec![0.0; self.cells.len()];
        let root =
            Handed { cell: 0, level: 0, candidates: &[0], reached: &reached, counts: &counts, look: look.as_ref() };
        self.in_thread(|thread| self.cell(root, to, thread));
        watch::outcome(look.as_ref())
    }

    /// The level whose cells are counted as progress.
    fn group_level(&self) -> usize {
        (self.acted.tree.levels.len() - 1).saturating_sub(SHARED.ilog(CHILDREN) as usize)
    }

    fn in_thread<R>(&self, work: impl FnOnce(&mut Thread) -> R) -> R {
        let held = self.threads.lock().map_or(None, |mut threads| threads.pop());
        let mut thread = held.unwrap_or_else(|| Thread {
            worker: match self.leaves {
                Leaves::Computed(pairs) => Some(pairs.worker()),
                Leaves::Listed(_) => None,
            },
            values: Vec::new(),
            list: Vec::new(),
            ranges: Vec::new(),
            places: Vec::new(),
            sums: Vec::new(),
            heap: BinaryHeap::new(),
            levels: Vec::new(),
        });
        let result = work(&mut thread);
        if let Ok(mut threads) = self.threads.lock() {
            threads.push(thread);
        }
        result
    }

    /// A cell and all below it.
    fn cell(&self, handed: Handed<'_>, to: &mut [f64], thread: &mut Thread) {
        let Handed { cell, level, look, .. } = handed;
        if look.is_some_and(Look::ends) || self.own.skips(self.acted.tree, cell, level) {
            return;
        }
        if thread.levels.len() <= level {
            thread.levels.resize_with(level + 1, Here::default);
        }
        let mut here = std::mem::take(&mut thread.levels[level]);
        self.sort(handed, &mut here, thread);
        if self.acted.is_leaf(cell) {
            self.leaf(cell, &mut here, to, thread);
        } else {
            self.below(handed, &here, to, thread);
        }
        thread.levels[level] = here;
        if let (Some(look), true) = (look, level == self.group_level()) {
            look.count();
        }
    }

    /// Keeps those of the candidates, or of the cells in them, whose pairs must be computed.
    fn sort(&self, handed: Handed<'_>, here: &mut Here, thread: &mut Thread) {
        let Handed { cell, candidates, .. } = handed;
        let Thread { values, list, .. } = thread;
        // a leaf opens cells itself where there are extremes: what the nearest cells reach leaves out others
        let (is_leaf, len) = (self.acted.is_leaf(cell), self.acted.len(cell));
        let opens = !is_leaf || self.extremes.is_empty();
        let is_large = |there: usize| opens && !self.acting.is_leaf(there) && (is_leaf || self.acting.len(there) > len);
        here.reached.clear();
        here.reached.extend_from_slice(handed.reached);
        here.counts.clear();
        here.counts.extend_from_slice(handed.counts);
        list.clear();
        list.extend_from_slice(candidates);
        loop {
            here.kept.clear();
            here.intervals.clear();
            for there in list.iter().map(|there| *there as usize) {
                match is_large(there) {
                    true => self.acting.tree.children[there].clone().for_each(|child| {
                        self.judge(cell, child as usize, values, here);
                    }),
                    false => self.judge(cell, there, values, here),
                }
            }
            self.leave_out(here);
            if !here.kept.iter().any(|there| is_large(*there as usize)) {
                return;
            }
            std::mem::swap(list, &mut here.kept);
        }
    }

    /// Keeps a cell that acts, unless it contributes nothing or only to counts.
    fn judge(&self, cell: usize, there: usize, values: &mut Vec<Interval>, here: &mut Here) {
        self.intervals.of_pairs(self.acted.values(cell), self.acting.values(there), values);
        let excludes = !self.itself.is_empty();
        let (mut is_open, mut counts) = (false, false);
        let first = here.intervals.len();
        for (k, fold) in self.intervals.folds().iter().enumerate() {
            let of_extreme = self.extremes.iter().position(|extreme| extreme.fold == k);
            let found = self.intervals.contribution(fold, values);
            match (found, of_extreme) {
                (Contribution::Extreme(x), Some(e)) => {
                    here.intervals.push(x);
                    // of one body that is left out for itself, nothing may be left
                    if !x.nan && (!excludes || self.acting.len(there) > 1) {
                        here.reached[e] = self.extremes[e].better(here.reached[e], self.extremes[e].reached(x));
                    }
                }
                (_, Some(e)) => {
                    here.intervals.push(Interval::new(self.extremes[e].unknown(), self.extremes[e].unknown()))
                }
                (Contribution::Nothing, None) => {}
                (Contribution::One, None) => counts = true,
                _ => is_open = true,
            }
        }
        // a sum, or a count that depends on the pair, needs all pairs; so does one that leaves out a body of both cells
        if is_open || (counts && excludes && self.may_overlap(cell, there)) {
            here.kept.push(there as u32);
            // with extremes that are never beyond
            here.intervals[first..].iter_mut().for_each(|x| x.nan = true);
            return;
        }
        let extremes = &here.intervals[first..];
        let are_beyond = self.extremes.iter().zip(extremes).zip(&here.reached);
        let is_beyond = are_beyond.clone().all(|((extreme, x), reached)| self.is_beyond(*extreme, *x, *reached));
        if counts && is_beyond {
            for fold in self.intervals.folds() {
                if self.intervals.contribution(fold, values) == Contribution::One {
                    here.counts[fold.slot] += self.acting.len(there) as f64;
                }
            }
        }
        if is_beyond {
            here.intervals.truncate(first);
        } else {
            here.kept.push(there as u32);
            if counts {
                here.intervals[first..].iter_mut().for_each(|x| x.nan = true);
            }
        }
    }

    fn is_beyond(&self, extreme: Extreme, x: Interval, reached: f64) -> bool {
        x.is(extreme.unknown()) || extreme.is_beyond(x, reached)
    }

    /// Whether a body may be in both cells.
    fn may_overlap(&self, cell: usize, there: usize) -> bool {
        let (a, b) = (&self.acted.bodies[cell], &self.acting.bodies[there]);
        !self.is_one || (a.start < b.end && b.start < a.end)
    }

    /// Leaves out what is beyond what was reached after it was kept.
    fn leave_out(&self, here: &mut Here) {
        let count = self.extremes.len();
        if count == 0 {
            return;
        }
        let Here { kept, intervals, reached, .. } = here;
        let mut to = 0;
        for from in 0..kept.len() {
            let extremes = &intervals[from * count..(from + 1) * count];
            let mut all = self.extremes.iter().zip(extremes).zip(&*reached);
            if !all.all(|((extreme, x), reached)| self.is_beyond(*extreme, *x, *reached)) {
                kept[to] = kept[from];
                intervals.copy_within(from * count..(from + 1) * count, to * count);
                to += 1;
            }
        }
        kept.truncate(to);
        intervals.truncate(to * count);
    }

    /// Hands the rest of a cell's list to its children.
    fn below(&self, handed: Handed<'_>, here: &Here, to: &mut [f64], thread: &mut Thread) {
        let tree = self.acted.tree;
        let children = tree.children[handed.cell].start as usize..tree.children[handed.cell].end as usize;
        let level = handed.level + 1;
        let child = |cell: usize| Handed {
            cell,
            level,
            candidates: &here.kept,
            reached: &here.reached,
            counts: &here.counts,
            look: handed.look,
        };
        // all children but the last have as many leaves as a cell of their level can have
        let leaves = CHILDREN.pow((tree.levels.len() - 1 - level) as u32);
        let parts = children.zip(to.chunks_mut(leaves * self.cells.len() * tree.leaf));
        if leaves >= SHARED {
            rayon::scope(|scope| {
                for (cell, to) in parts {
                    let handed = child(cell);
                    scope.spawn(move |_| self.in_thread(|thread| self.cell(handed, to, thread)));
                }
            });
        } else {
            parts.for_each(|(cell, to)| self.cell(child(cell), to, thread));
        }
    }

    /// Computes or lists the pairs of a leaf with what is left, the nearest first where there are extremes.
    fn leaf(&self, cell: usize, here: &mut Here, to: &mut [f64], thread: &mut Thread) {
        let targets = self.acted.bodies[cell].clone();
        let n = targets.len();
        thread.sums.clear();
        if let Leaves::Computed(_) = self.leaves {
            self.cells.iter().for_each(|cell| thread.sums.resize(thread.sums.len() + n, cell.identity(0.0)));
        } else {
            thread.sums.resize(self.cells.len() * n, 0.0);
        }
        thread.ranges.clear();
        let mut bodies = 0;
        match self.extremes.first() {
            None => {
                for there in &here.kept {
                    bodies += push(&mut thread.ranges, self.acting.bodies[*there as usize].clone());
                    if bodies >= AT_ONCE {
                        self.compute(targets.clone(), here.reached.as_mut_slice(), thread);
                        bodies = 0;
                    }
                }
            }
            Some(first) => {
                let count = self.extremes.len();
                let mut heap = std::mem::take(&mut thread.heap);
                let entry = |here: &Here, at: usize| Near { order: first.order(here.intervals[at * count]), at };
                heap.clear();
                heap.extend((0..here.kept.len()).map(|at| entry(here, at)));
                let mut most = FIRST;
                while let Some(Near { at, .. }) = heap.pop() {
                    let mut all =
                        self.extremes.iter().zip(&here.intervals[at * count..(at + 1) * count]).zip(&here.reached);
                    if all.all(|((extreme, x), reached)| self.is_beyond(*extreme, *x, *reached)) {
                        continue;
                    }
                    let there = here.kept[at] as usize;
                    if !self.acting.is_leaf(there) {
                        let before = here.kept.len();
                        for child in self.acting.tree.children[there].clone() {
                            self.judge(cell, child as usize, &mut thread.values, here);
                        }
                        heap.extend((before..here.kept.len()).map(|at| entry(here, at)));
                        continue;
                    }
                    bodies += push(&mut thread.ranges, self.acting.bodies[there].clone());
                    if bodies >= most {
                        self.compute(targets.clone(), here.reached.as_mut_slice(), thread);
                        (bodies, most) = (0, (2 * most).min(AT_ONCE));
                    }
                }
                thread.heap = heap;
            }
        }
        match &self.leaves {
            Leaves::Computed(_) => self.compute(targets, here.reached.as_mut_slice(), thread),
            Leaves::Listed(all) => {
                let ranges = merged(&mut thread.ranges);
                if let Ok(mut all) = all.lock() {
                    all.push(Listed { leaf: cell - self.acted.tree.first_leaf(), ranges });
                }
            }
        }
        for (row, (sums, count)) in thread.sums.chunks_exact(n).zip(&here.counts).enumerate() {
            let to = &mut to[row * self.acted.tree.leaf..][..n];
            to.copy_from_slice(sums);
            if *count > 0.0 {
                to.iter_mut().for_each(|to| *to += count);
            }
        }
    }

    /// Computes the pairs of targets with the thread's ranges, and what each of the targets then reaches. Where pairs are
    /// listed, the ranges stay.
    fn compute(&self, targets: Range<usize>, reached: &mut [f64], thread: &mut Thread) {
        let Thread { worker, ranges, places, sums, .. } = thread;
        let (Leaves::Computed(pairs), Some(worker)) = (&self.leaves, worker) else { return };
        let n = targets.len();
        places.clear();
        let skipped = |target: usize| self.itself.get(target).copied().flatten();
        places.extend(targets.clone().map(|target| skipped(target).and_then(|body| place(ranges, body as usize))));
        pairs.add(worker, targets, ranges, places, sums);
        ranges.clear();
        for (extreme, reached) in self.extremes.iter().zip(reached) {
            let held = sums[extreme.slot * n..(extreme.slot + 1) * n].iter().copied();
            // what the last of the bodies has reached
            let worst = if extreme.is_largest {
                held.fold(f64::INFINITY, f64::min)
            } else {
                held.fold(-f64::INFINITY, f64::max)
            };
            *reached = extreme.better(*reached, worst);
        }
    }
}

/// Adds bodies to ranges, and says how many they are.
fn push(ranges: &mut Vec<Range<usize>>, bodies: Range<usize>) -> usize {
    let count = bodies.len();
    match ranges.last_mut() {
        Some(last) if last.end == bodies.start => last.end = bodies.end,
        _ => ranges.push(bodies),
    }
    count
}

/// Ranges in their order, those that touch as one.
fn merged(ranges: &mut [Range<usize>]) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut all = Vec::new();
    for range in ranges {
        push(&mut all, range.clone());
    }
    all
}

/// A cell that acts, by its nearness: the least is the greatest of a heap, and of equals that which was kept first.
#[derive(Debug)]
struct Near {
    order: f64,
    /// Its number among the cells that are kept.
    at: usize,
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order.total_cmp(&self.order).then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Near {}
