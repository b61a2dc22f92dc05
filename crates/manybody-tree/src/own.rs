//! The leaves of a tree that this rank fills, where ranks share a walk.

use crate::tree::{CHILDREN, Tree};
use manybody_law::Result;
use manybody_ranks::Team;
use std::ops::Range;

/// A range of the leaves of the bodies acted on: each rank has one, and a process alone has all.
#[derive(Debug)]
pub(crate) struct Own<'a> {
    team: Option<&'a Team>,
    count: usize,
    leaves: Range<usize>,
    /// How many leaves before each one, and before the end, have bodies that are asked for; `None` where all have.
    needed: Option<&'a [u32]>,
}

impl<'a> Own<'a> {
    /// Those of a rank among the leaves of a tree, of which some are needed.
    pub(crate) fn of(team: Option<&'a Team>, tree: &Tree, needed: Option<&'a [u32]>) -> Self {
        let count = tree.cells.len() - tree.first_leaf();
        Own { team, count, leaves: team.map_or(0..count, |team| team.part(count)), needed }
    }

    /// Whether nothing below a cell of this level is to be filled, or no more because the ranks have come apart.
    pub(crate) fn skips(&self, tree: &Tree, cell: usize, level: usize) -> bool {
        let leaves = CHILDREN.pow((tree.levels.len() - 1 - level) as u32);
        let first = (cell - tree.levels[level].start) * leaves;
        let has_some = first < self.leaves.end && self.leaves.start < first + leaves;
        let of = |leaf: usize| self.needed.map_or(0, |before| before[leaf.min(self.count)]);
        let is_needed = self.needed.is_none() || of(first) < of(first + leaves);
        !(has_some && is_needed) || self.team.is_some_and(Team::has_ended)
    }

    /// The numbers of a rank, so many a leaf.
    fn numbers(&self, rank: usize, per_leaf: usize) -> Range<usize> {
        let part = self.team.map_or(0..self.count, |team| team.part_of(rank, self.count));
        part.start * per_leaf..part.end * per_leaf
    }

    /// Brings what ranks have found together on rank 0, so many numbers a leaf.
    ///
    /// # Errors
    /// [`Error::Rank`](manybody_law::Error::Rank) for a rank that is lost.
    pub(crate) fn gather(&self, found: &mut [f64], per_leaf: usize) -> Result<()> {
        self.team.map_or(Ok(()), |team| team.gather_ranges(&mut [found], |rank| self.numbers(rank, per_leaf)))
    }

    /// [`gather`](Self::gather) on all ranks.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub(crate) fn gather_on_all(&self, found: &mut [f64], per_leaf: usize) -> Result<()> {
        self.team.map_or(Ok(()), |team| team.all_gather_ranges(found, |rank| self.numbers(rank, per_leaf)))
    }
}
