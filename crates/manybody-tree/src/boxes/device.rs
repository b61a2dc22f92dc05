//! Pairs that are left, as lists for a device to compute.

use super::walk::Listed;
use manybody_law::Result;
use manybody_law::law::bounds::Rounding;
use manybody_law::law::{Law, Lowering};
use manybody_pairwise::watch::Watch;
use std::ops::Range;

/// Bodies in a leaf where a device computes pairs: it has many at a time, and fewer boxes are judged.
pub const LISTED_LEAF: usize = 128;

/// The pairs of a law that are left: of each leaf of bodies acted on, ranges of bodies that act.
#[derive(Debug)]
pub struct ListedPairs<'a> {
    /// The law.
    pub law: &'a Law,
    /// Its parameters.
    pub parameters: &'a [f64],
    /// The numbers of the bodies acted on and of those that act, a column each, in the order of their leaves.
    pub columns: [&'a [Vec<f64>]; 2],
    /// How many bodies of each there are.
    pub lens: [usize; 2],
    /// Whether both are the same bodies, with the same numbers in the same order.
    pub are_same: bool,
    /// Of each body acted on, the place of the body that does not act on it; [`u32::MAX`] where all do. Empty where all act on
    /// all.
    pub itself: Vec<u32>,
    /// Of each leaf of [`LISTED_LEAF`] bodies acted on, ranges of bodies that act.
    pub leaves: Vec<Vec<Range<u32>>>,
}

impl<'a> ListedPairs<'a> {
    pub(super) fn of(
        (law, parameters): (&'a Law, &'a [f64]),
        columns: [&'a [Vec<f64>]; 2],
        (lens, are_same): ([usize; 2], bool),
        itself: &[Option<u32>],
        lists: Vec<Listed>,
    ) -> Self {
        let mut leaves = vec![Vec::new(); lens[0].div_ceil(LISTED_LEAF)];
        for Listed { leaf, ranges } in lists {
            leaves[leaf] = ranges.into_iter().map(|range| range.start as u32..range.end as u32).collect();
        }
        let itself = itself.iter().map(|place| place.unwrap_or(u32::MAX)).collect();
        ListedPairs { law, parameters, columns, lens, are_same, itself, leaves }
    }

    /// How many pairs a leaf has.
    pub fn pairs_of(&self, leaf: usize) -> u64 {
        let bodies: u64 = self.leaves[leaf].iter().map(|range| u64::from(range.end - range.start)).sum();
        bodies * LISTED_LEAF.min(self.lens[0] - leaf * LISTED_LEAF) as u64
    }
}

/// A device that computes listed pairs.
pub trait ComputesPairs: Send {
    /// How the device groups the operations of a law.
    fn lowering(&self) -> Lowering;

    /// How it rounds.
    fn rounding(&self) -> &'static Rounding;

    /// The sums of all leaves, without the scales of the law: `[leaf][number of the result record][LISTED_LEAF]`. A leaf
    /// without bodies that act has what a result is before any contribution.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`](manybody_law::Error::Interrupted) where the watch asks for an end.
    fn compute(&mut self, pairs: &ListedPairs<'_>, watch: &Watch) -> Result<Vec<f64>>;
}
