//! REC, the recursive partition: halves of halves, one launch a level, the diagonal last [Ries 2009].
//!
//! A triangle is a square and two triangles of half its size. The squares of side s = 2^l are those where bit l is
//! the highest one in which i and j differ, so row i has a part of level l exactly where its bit l is set:
//!
//! ```text
//!     .                     level 0: s = 1, rows 1 3 5 7
//!     0 .                   level 1: s = 2, rows 2 3 6 7
//!     1 1 .                 level 2: s = 4, rows 4 5 6 7
//!     1 1 0 .               last: the diagonal
//!     2 2 2 2 .
//!     2 2 2 2 0 .
//!     2 2 2 2 1 1 .
//!     2 2 2 2 1 1 0 .
//! ```
//!
//! Level l is launched as s columns times the number of rows below nb with bit l set. The published method wants
//! nb = m 2^k; counting rows this way takes any nb without an idle block. All is integer: right at every size.

use super::{Diagonal, Launch, Map, cells};
use crate::Result;

/// The recursive partition.
#[derive(Clone, Copy, Debug)]
pub struct Recursive {
    nb: u64,
    diagonal: Diagonal,
    cells: u64,
    levels: u32,
}

impl Recursive {
    /// A triangle of `nb` rows.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a triangle of more than 2^64 - 1 cells.
    pub fn new(nb: u64, diagonal: Diagonal) -> Result<Self> {
        let levels = 64 - nb.saturating_sub(1).leading_zeros();
        Ok(Recursive { nb, diagonal, cells: cells(nb, diagonal)?, levels })
    }

    /// How many rows below nb have bit `level` set.
    #[inline]
    fn rows_of(&self, level: u32) -> u64 {
        let half = 1 << level;
        // whole periods of 2^(level + 1) rows, then what the last one has beyond its first half
        ((self.nb >> (level + 1)) << level) + (self.nb & (2 * half - 1)).saturating_sub(half)
    }
}

impl Map<2> for Recursive {
    fn name(&self) -> &'static str {
        "rec"
    }

    fn has_levels(&self) -> bool {
        true
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        let mut launches: Vec<_> = (0..self.levels).map(|l| Launch([1 << l, self.rows_of(l), 1])).collect();
        if self.diagonal.is_with() {
            launches.push(Launch([self.nb, 1, 1]));
        }
        launches
    }

    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 2]> {
        if w >= self.cells {
            return None;
        }
        let mut v = w;
        // a launch knows its level; counted through, the level is found by subtracting
        for level in 0..self.levels {
            let blocks = self.rows_of(level) << level;
            if v < blocks {
                let side = 1 << level;
                let (row, column) = (v >> level, v & (side - 1));
                let corner = (row >> level) << (level + 1);
                return Some([corner | side | (row & (side - 1)), corner | column]);
            }
            v -= blocks;
        }
        Some([v, v])
    }

    fn block(&self, [i, j]: [u64; 2]) -> Option<u64> {
        if i >= self.nb || j > i || (j == i && !self.diagonal.is_with()) {
            return None;
        }
        let level = if i == j { self.levels } else { (i ^ j).ilog2() };
        let before: u64 = (0..level).map(|l| self.rows_of(l) << l).sum();
        if i == j {
            return Some(before + i);
        }
        let side = 1 << level;
        let row = ((i >> (level + 1)) << level) | (i & (side - 1));
        Some(before + (row << level) + (j & (side - 1)))
    }
}
