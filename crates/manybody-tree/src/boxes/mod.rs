//! Laws with cut-offs, extremes and counts, of all pairs but those that certainly contribute nothing.
//!
//! ```text
//! columns --Hilbert order--> leaves, cells --> box of each: the range of every column
//! law --Intervals--> what any pair of two boxes contributes: nothing | 1 to a count | no better extreme | to be computed
//! ```
//!
//! No distance is asked for: whether a condition can hold, and how small or large a number can be, comes from interval
//! arithmetic over the law's own program, with the rounding of its precision. So extremes, their bodies and counts are
//! those of all pairs, bit for bit, and sums differ by their order alone. The pruning is that of dual-tree algorithms
//! [Gray & Moore 2000, NIPS 13], with the law in place of a metric.

mod device;
mod walk;

pub use device::{ComputesPairs, LISTED_LEAF, ListedPairs};

use crate::law::near::Pairs;
use crate::law::sets::{self, Scale, handed_out};
use crate::order::Points;
use crate::own::Own;
use crate::tree::Tree;
use manybody_law::law::intervals::{self, Interval, Intervals};
use manybody_law::law::{Cell, Law, PairInputs, SelfPair};
use manybody_law::simd::Level;
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Evaluator, Loaded, Method, Precision};
use manybody_ranks::Team;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use walk::{Leaves, Walk};

/// Bodies in a leaf: as many as fill vectors, and few enough for small boxes.
const LEAF: usize = 32;

/// The evaluator of a law by boxes, on the CPU: all pairs but those that certainly contribute nothing.
///
/// # Errors
/// [`Error::Unsupported`] for a law of which no pair can be left out, naming the result, and for a device or precision
/// that it does not have; those of MANYBODY_SIMD.
pub(crate) fn evaluator(method: &Method, law: &Law) -> Result<Box<dyn Evaluator>> {
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    if method.device.is_gpu() {
        return wrong(
            Capability::Device,
            method.device.to_string(),
            "the crate manybody-gpu has laws by boxes on GPUs",
        );
    }
    if method.precision == Precision::Mixed {
        return wrong(Capability::Precision, "mixed".into(), "the solver tree has f32 and f64 for laws");
    }
    Ok(Box::new(LawBoxes::new(law, method.level()?, method.precision)?))
}

/// A law by boxes: what is left out is found on the CPU, and the pairs that are left are computed there or by a device.
pub struct LawBoxes {
    law: Law,
    /// The columns of i and of j that say where bodies are.
    places: [Vec<usize>; 2],
    level: Level,
    precision: Precision,
    watch: Watch,
    team: Option<Team>,
    loaded: Option<Loaded>,
    results: Vec<Vec<f64>>,
    device: Option<Box<dyn ComputesPairs>>,
}

/// The bodies of one side.
#[derive(Debug)]
struct Side<'a> {
    tree: &'a Tree,
    /// The bodies of each cell, in the order of the tree.
    bodies: Vec<Range<usize>>,
    /// `[cell][value]`: what the boxes of the cells determine alone.
    values: Vec<Interval>,
    /// How many values a cell has.
    width: usize,
}

impl Side<'_> {
    fn values(&self, cell: usize) -> &[Interval] {
        &self.values[cell * self.width..(cell + 1) * self.width]
    }

    fn len(&self, cell: usize) -> usize {
        self.bodies[cell].len()
    }

    fn is_leaf(&self, cell: usize) -> bool {
        cell >= self.tree.first_leaf()
    }
}

impl LawBoxes {
    /// The law in a precision, f32 or f64.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a law of which no pair can be left out, naming the result.
    pub fn new(law: &Law, level: Level, precision: Precision) -> Result<Self> {
        if let Some(why) = intervals::why_not(law) {
            let expected = format!("{why}; without --solver, {} is evaluated for all pairs", law.title());
            return Err(Error::Unsupported { capability: Capability::Solver, value: "tree".into(), expected });
        }
        let places = law.places();
        let places = [0, 1].map(|side| places.iter().map(|pair| pair[side]).collect());
        let (watch, team, loaded) = (Watch::default(), None, None);
        let results = Vec::new();
        Ok(LawBoxes { law: law.clone(), places, level, precision, watch, team, loaded, results, device: None })
    }

    /// The same with a device that computes the pairs that are left.
    #[must_use]
    pub fn on(self, device: Box<dyn ComputesPairs>) -> Self {
        LawBoxes { device: Some(device), ..self }
    }

    /// What the law makes of the sets.
    fn any(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let mut device = self.device.take();
        let results = self.with_device(inputs, device.as_deref_mut());
        self.device = device;
        results
    }

    fn with_device(
        &self,
        inputs: &PairInputs<'_>,
        device: Option<&mut (dyn ComputesPairs + '_)>,
    ) -> Result<Vec<Vec<f64>>> {
        let (ni, nj) = inputs.lens();
        let cells = self.law.cells();
        if ni.max(nj) > (u32::MAX / 2) as usize {
            let expected = "the solver tree has room for 2^31 bodies".into();
            return Err(Error::Parameter { name: "n", value: ni.max(nj).to_string(), expected });
        }
        if ni == 0 || nj == 0 {
            let nothing = cells.iter().map(|cell| vec![cell.identity(0.0); ni]).collect();
            return Ok(self.finished(inputs, nothing, &[]));
        }
        let [ai, aj] = &self.places;
        let scale = Scale::of(inputs, [ai, aj]);
        let xj = scale.places(inputs.j, aj);
        let is_whole = inputs.same_bodies() && !inputs.is_part();
        let are_same = is_whole && inputs.same_columns() && ai == aj;
        let xi = if are_same { <[Vec<f64>; 3]>::default() } else { scale.places(inputs.i, ai) };
        let is_one = are_same || is_whole && xi == xj;
        let leaf = if device.is_some() { LISTED_LEAF } else { LEAF };
        let trees = [self.tree(&xj, leaf), if is_one { Tree::default() } else { self.tree(&xi, leaf) }];
        let (acting, acted) = (&trees[0], if is_one { &trees[0] } else { &trees[1] });
        let orders = [&acted.order[..], &acting.order];
        let columns = sets::ordered(&self.law, self.precision, inputs, orders);
        let intervals = match &device {
            Some(device) => Intervals::of(&self.law, self.precision, inputs.par, device.lowering(), device.rounding()),
            None => Intervals::new(&self.law, self.precision, inputs.par),
        };
        let itself = sets::itself(&self.law, inputs, orders);
        let pairs = match device {
            Some(_) => None,
            None => Some(Pairs::of_ordered(&self.law, self.level, self.precision, inputs, &columns)),
        };
        let own = Own::of(self.team.as_ref(), acted, None);
        let walk = Walk {
            acted: side(&intervals, acted, &columns[0], Intervals::of_i),
            acting: side(&intervals, acting, &columns[1], Intervals::of_j),
            is_one,
            intervals: &intervals,
            leaves: pairs.as_ref().map_or(Leaves::Listed(Mutex::default()), Leaves::Computed),
            itself: &itself,
            cells: &cells,
            extremes: walk::extremes(&intervals),
            threads: Mutex::new(Vec::new()),
            own: &own,
        };
        let leaves = acted.cells.len() - acted.first_leaf();
        let mut found = vec![0.0; leaves * cells.len() * acted.leaf];
        walk.run(&mut found, &self.watch)?;
        if let (Leaves::Listed(lists), Some(device)) = (walk.leaves, device) {
            let lists = lists.into_inner().unwrap_or_default();
            let columns = columns.each_ref().map(Vec::as_slice);
            let pairs = ListedPairs::of(
                (&self.law, inputs.par),
                columns,
                ([ni, nj], is_one && inputs.same_columns()),
                &itself,
                lists,
            );
            let of_pairs = device.compute(&pairs, &self.watch)?;
            let of_leaves = found.chunks_exact_mut(acted.leaf).zip(of_pairs.chunks_exact(acted.leaf));
            for ((to, of_pairs), cell) in of_leaves.zip(cells.iter().cycle()) {
                match cell {
                    // with those that cells have contributed
                    Cell::Count => to.iter_mut().zip(of_pairs).for_each(|(to, x)| *to += x),
                    _ => to.copy_from_slice(of_pairs),
                }
            }
        }
        own.gather(&mut found, cells.len() * acted.leaf)?;
        Ok(self.finished(inputs, handed_out(&found, cells.len(), acted), &intervals.scales(inputs.par)))
    }

    /// Results from the numbers of the result record.
    fn finished(&self, inputs: &PairInputs<'_>, mut raw: Vec<Vec<f64>>, scales: &[f64]) -> Vec<Vec<f64>> {
        for (column, scale) in raw.iter_mut().zip(scales).filter(|(_, scale)| **scale != 1.0) {
            column.iter_mut().for_each(|x| *x *= scale);
        }
        if self.law.self_pair() == SelfPair::Custom && inputs.same_bodies() {
            sets::add_own(&self.law, self.level, self.precision, inputs, &mut raw);
        }
        self.law.finish(raw)
    }

    fn tree(&self, [x, y, z]: &[Vec<f64>; 3], leaf: usize) -> Tree {
        let mut tree = Tree::default();
        tree.build(self.level, Points { x: [x, y, z], mass: &vec![1.0; x.len()], classes: &[] }, leaf);
        tree
    }

    fn check(&self, inputs: &PairInputs<'_>) -> Result<()> {
        inputs.check(&self.law, 2f64.powi(if self.precision == Precision::F32 { 24 } else { 53 }))
    }
}

/// The boxes of a tree's cells over columns in its order, and what `of` makes of them.
fn side<'a>(
    intervals: &Intervals,
    tree: &'a Tree,
    columns: &[Vec<f64>],
    of: impl Fn(&Intervals, &[Interval]) -> Vec<Interval> + Sync,
) -> Side<'a> {
    let (count, width) = (tree.cells.len(), columns.len());
    let mut boxes = vec![Interval::new(0.0, 0.0); count * width];
    let of_leaf = |cell: usize| if cell < tree.first_leaf() { 0..0 } else { tree.bodies(cell) };
    let mut bodies: Vec<Range<usize>> = (0..count).map(of_leaf).collect();
    boxes[tree.first_leaf() * width..].par_chunks_mut(width.max(1)).enumerate().for_each(|(leaf, to)| {
        let bodies = tree.bodies(tree.first_leaf() + leaf);
        for (to, column) in to.iter_mut().zip(columns) {
            let column = column[bodies.clone()].iter().map(|x| intervals.rounded(*x));
            let (low, high) = column.fold((f64::INFINITY, -f64::INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            *to = intervals.range(low, high);
        }
    });
    for cell in (0..tree.first_leaf()).rev() {
        let children = tree.children[cell].start as usize..tree.children[cell].end as usize;
        bodies[cell] = bodies[children.start].start..bodies[children.end - 1].end;
        for k in 0..width {
            let all = children.clone().map(|child| boxes[child * width + k]);
            boxes[cell * width + k] = all.reduce(Interval::hull).unwrap_or(Interval::ANY);
        }
    }
    let values: Vec<Vec<Interval>> =
        (0..count).into_par_iter().map(|cell| of(intervals, &boxes[cell * width..(cell + 1) * width])).collect();
    let width = values.first().map_or(0, Vec::len);
    Side { tree, bodies, values: values.concat(), width }
}

impl Evaluator for LawBoxes {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.check(inputs)?;
        self.loaded = Some(Loaded::of(inputs));
        Ok(())
    }

    fn compute(&mut self) -> Result<()> {
        if let Some(loaded) = self.loaded.take() {
            let results = loaded.with(|inputs| self.any(inputs));
            self.loaded = Some(loaded);
            self.results = results?;
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        Ok(self.results.clone())
    }

    /// Without a copy of the sets.
    fn evaluate(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        self.check(inputs)?;
        self.any(inputs)
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn can_share(&self) -> bool {
        true
    }

    fn share(&mut self, team: Option<&Team>) {
        self.team = team.cloned();
    }
}

#[cfg(test)]
mod tests;
