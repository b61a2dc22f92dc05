//! How the cells of a tree on a GPU are numbered.

use manybody_tree::Sinks;
use std::ops::Range;

// as types.cuh and types.wgsl have them
/// Bodies in a leaf.
pub(crate) const LEAF: usize = 32;
/// Children of a cell.
pub(crate) const CHILDREN: usize = 8;
/// Room for levels.
pub(crate) const LEVELS: usize = 12;

/// The most cells of the first level that has lists: they all are candidates of each other.
const TOP: usize = 64;

/// The levels of a tree: the first cell and the number of cells of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels(pub(crate) Vec<(usize, usize)>);

impl Levels {
    pub(crate) fn of(n: usize) -> Self {
        let mut counts = vec![n.div_ceil(LEAF).max(1)];
        while counts[counts.len() - 1] > 1 {
            counts.push(counts[counts.len() - 1].div_ceil(CHILDREN));
        }
        let (mut first, mut whole) = (0, 1);
        let level = |count: usize| {
            let at = (first, count);
            first += whole;
            whole *= CHILDREN;
            at
        };
        Levels(counts.into_iter().rev().map(level).collect())
    }

    pub(crate) fn leaves(&self) -> (usize, usize) {
        self.0[self.0.len() - 1]
    }

    /// The leaves of one of several parts, by whole parents.
    pub(crate) fn leaves_of(&self, part: usize, parts: usize) -> Range<usize> {
        let leaves = self.leaves().1;
        let begin = |part: usize| (part * leaves.div_ceil(CHILDREN) / parts * CHILDREN).min(leaves);
        begin(part)..begin(part + 1)
    }

    /// The cells of each level that have some of these leaves.
    pub(crate) fn above(&self, leaves: &Range<usize>) -> Self {
        let (mut begin, mut end) = (leaves.start, leaves.end.max(leaves.start));
        let mut levels = Vec::new();
        for (first, _) in self.0.iter().rev() {
            levels.push((first + begin, end - begin));
            let is_empty = begin == end;
            (begin, end) = (begin / CHILDREN, if is_empty { begin / CHILDREN } else { end.div_ceil(CHILDREN) });
        }
        levels.reverse();
        Levels(levels)
    }

    /// The level whose cells are small enough for estimates, the one above the leaves, and which of its cells are among
    /// these.
    pub(crate) fn of_estimate(&self, own: &Levels) -> (usize, Range<usize>) {
        let leaves = self.0.len() - 1;
        let deepest = if leaves > self.top(Sinks::Cells) { leaves - 1 } else { leaves };
        let (first, count) = own.0[deepest];
        let begin = first - self.0[deepest].0;
        (deepest, begin..begin + count)
    }

    /// Numbers of cells, with those that are not there.
    pub(crate) fn total(&self) -> usize {
        let (first, count) = self.leaves();
        first + count.next_multiple_of(CHILDREN) + CHILDREN
    }

    /// One number of each level.
    pub(crate) fn table(&self, number: impl Fn((usize, usize)) -> usize) -> [i32; LEVELS] {
        std::array::from_fn(|level| self.0.get(level).map_or(0, |level| number(*level) as i32))
    }

    /// Numbers of the stack of a warp: of each level that is opened, the children of 32 cells less the 32 taken next.
    pub(crate) fn stack(&self, sinks: Sinks) -> usize {
        let top = if sinks == Sinks::Leaves { 0 } else { self.top(sinks) };
        32 * CHILDREN + 32 + (31 * CHILDREN) * (self.0.len() - top)
    }

    /// The first level that has lists.
    pub(crate) fn top(&self, sinks: Sinks) -> usize {
        match sinks {
            Sinks::Leaves => self.0.len() - 1,
            Sinks::Cells => self.0.iter().rposition(|(_, count)| *count <= TOP).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_cells_are_the_next_level() {
        for n in [1, 32, 33, 256, 257, 2048, 100_000, 1 << 20, (1 << 20) + 1] {
            let Levels(levels) = Levels::of(n);
            assert_eq!(levels[0], (0, 1));
            assert_eq!(levels[levels.len() - 1].1, n.div_ceil(LEAF));
            for pair in levels.windows(2) {
                let ((first, count), (next, below)) = (pair[0], pair[1]);
                assert_eq!(CHILDREN * first + 1, next, "{n}");
                // the last cell has a child at least
                let last = CHILDREN * (first + count - 1) + 1;
                assert!((last..last + CHILDREN).contains(&(next + below - 1)), "{n}");
            }
        }
    }

    /// Every leaf is in one part, and the cells of a part are the ancestors of its leaves.
    #[test]
    fn parts_have_every_leaf_once() {
        for n in [1, 300, 2049, 100_000] {
            let levels = Levels::of(n);
            let (first, count) = levels.leaves();
            for parts in 1..=8 {
                let mut next = 0;
                for part in 0..parts {
                    let leaves = levels.leaves_of(part, parts);
                    assert_eq!(leaves.start, next, "{n} {part} of {parts}");
                    next = leaves.end;
                    let mut cells: Vec<usize> = leaves.clone().map(|leaf| first + leaf).collect();
                    for (from, many) in levels.above(&leaves).0.into_iter().rev() {
                        assert_eq!((from..from + many).collect::<Vec<_>>(), cells, "{n} {part} of {parts}");
                        cells = cells.iter().map(|cell| cell.saturating_sub(1) / CHILDREN).collect();
                        cells.dedup();
                    }
                }
                assert_eq!(next, count, "{n} {parts}");
                // and every cell of an estimate once
                let mut next = 0;
                for part in 0..parts {
                    let (deepest, cells) = levels.of_estimate(&levels.above(&levels.leaves_of(part, parts)));
                    assert_eq!(cells.start, next, "{n} {part} of {parts}");
                    assert!(deepest < levels.0.len());
                    next = cells.end;
                }
                assert_eq!(next, levels.0[levels.of_estimate(&levels).0].1, "{n} {parts}");
            }
            assert_eq!(levels.above(&levels.leaves_of(0, 1)), levels);
        }
    }
}
