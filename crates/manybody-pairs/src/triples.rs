//! Triples i < j < k in cubic blocks.

use super::fold_tree;
use crate::follow::Followed;
use crate::map::{Diagonal, Layer, Map, Tetrahedron, tetrahedral};
use crate::shared::{Sent, fold_tree_on};
use crate::{Error, Result};
use manybody_ranks::Team;
use rayon::prelude::*;
use std::ops::Range;

/// Calls `f(i, j, k)` once for each triple i < j < k < n, on all cores. Which triple comes when is not defined; what
/// `f` does must not depend on it. [`Triples`] has the choices.
///
/// # Errors
/// [`Error::Parameter`] if n(n-1)(n-2)/6 does not fit 64 bits.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
/// use std::sync::atomic::{AtomicU64, Ordering};
/// let sum = AtomicU64::new(0);
/// manybody::pairs::for_each_triple(4, |i, j, k| {
///     sum.fetch_add((100 * i + 10 * j + k) as u64, Ordering::Relaxed);
/// })?;
/// assert_eq!(sum.into_inner(), 12 + 13 + 23 + 123); // 012 013 023 123
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn for_each_triple(n: usize, f: impl Fn(usize, usize, usize) + Sync) -> Result<()> {
    Triples::of(n)?.for_each(f);
    Ok(())
}

/// Things on a side of a block, unless chosen: 32,768 triples.
const BLOCK: usize = 32;

/// The triples i < j < k (or i <= j <= k) of n things, in cubic blocks.
#[derive(Clone, Debug)]
pub struct Triples {
    n: usize,
    diagonal: Diagonal,
    block: usize,
    shares: usize,
    map: Tetrahedron,
}

impl Triples {
    /// All triples i < j < k < n.
    ///
    /// # Errors
    /// [`Error::Parameter`] if n(n+1)(n+2)/6 does not fit 64 bits.
    pub fn of(n: usize) -> Result<Self> {
        if tetrahedral(n as u64).is_none() {
            return Err(Error::Parameter {
                name: "n",
                value: n.to_string(),
                expected: "the number of triples must fit in 64 bits: n up to 4801278".to_owned(),
            });
        }
        let map = block_map(n, BLOCK)?;
        Ok(Triples { n, diagonal: Diagonal::Without, block: BLOCK, shares: super::SHARES, map })
    }

    /// With the triples that name a thing more than once: i <= j <= k.
    pub fn with_diagonal(mut self) -> Self {
        self.diagonal = Diagonal::With;
        self
    }

    /// Blocks of `block`^3 triples (32 unless chosen).
    ///
    /// # Errors
    /// [`Error::Parameter`] for 0.
    pub fn block(mut self, block: usize) -> Result<Self> {
        if block == 0 {
            return Err(Error::Parameter { name: "block", value: "0".to_owned(), expected: "at least 1".to_owned() });
        }
        self.map = block_map(self.n, block)?;
        self.block = block;
        Ok(self)
    }

    /// As [`Pairs::shares`](super::Pairs::shares).
    pub fn shares(mut self, shares: usize) -> Self {
        self.shares = shares.max(1);
        self
    }

    /// How many triples there are.
    pub fn count(&self) -> u64 {
        let n = self.n as u64;
        // n was checked when it came in
        tetrahedral(if self.diagonal.is_with() { n } else { n.saturating_sub(2) }).unwrap_or(u64::MAX)
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.map.cells()
    }

    /// Block number `w`, or `None` past the last.
    pub fn block_at(&self, w: u64) -> Option<TripleBlock> {
        let [layer, row, column] = self.map.cell(w)?;
        let range = |b: u64| b as usize * self.block..((b as usize + 1) * self.block).min(self.n);
        Some(TripleBlock { i: range(column), j: range(row), k: range(layer), diagonal: self.diagonal })
    }

    /// Calls `f(i, j, k)` for each triple, on all cores.
    pub fn for_each(&self, f: impl Fn(usize, usize, usize) + Sync) {
        self.for_each_block(|block| block.for_each(&f));
    }

    /// Calls `f` for each block, on all cores.
    pub fn for_each_block(&self, f: impl Fn(TripleBlock) + Sync) {
        (0..self.blocks()).into_par_iter().filter_map(|w| self.block_at(w)).for_each(&f);
    }

    /// Folds all triples into one result, the same for any number of threads; as [`Pairs::fold`](super::Pairs::fold).
    pub fn fold<A: Send>(
        &self,
        start: impl Fn() -> A + Sync,
        fold: impl Fn(A, usize, usize, usize) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let over_block = |mut a: A, block: TripleBlock| {
            for i in block.i.clone() {
                for j in block.j_of(i) {
                    for k in block.k_of(j) {
                        a = fold(a, i, j, k);
                    }
                }
            }
            a
        };
        self.fold_blocks(start, over_block, join)
    }

    /// [`fold`](Triples::fold) over blocks.
    pub fn fold_blocks<A: Send>(
        &self,
        start: impl Fn() -> A + Sync,
        fold: impl Fn(A, TripleBlock) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let leaf = |range: Range<u64>| range.filter_map(|w| self.block_at(w)).fold(start(), &fold);
        fold_tree(self.blocks(), self.shares, &leaf, &join)
    }

    /// [`fold_blocks`](Triples::fold_blocks), followed: each block is a task; and shared by ranks.
    pub(super) fn fold_on<A: Sent>(
        &self,
        team: Option<&Team>,
        followed: &Followed<'_>,
        start: impl Fn() -> A + Sync,
        fold: impl Fn(A, TripleBlock) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> Result<A> {
        let leaf = |range: Range<u64>| {
            let blocks = range.filter_map(|w| self.block_at(w));
            blocks.fold(start(), |a, block| followed.task(a, 1, |a| fold(a, block)))
        };
        fold_tree_on(team, self.shared_blocks(), &leaf, &join)
    }

    /// How many blocks there are, and in how many shares.
    pub(super) fn shared_blocks(&self) -> (u64, usize) {
        (self.blocks(), self.shares)
    }
}

fn block_map(n: usize, block: usize) -> Result<Tetrahedron> {
    Tetrahedron::new(n.div_ceil(block) as u64, Diagonal::With, Layer::Cubic)
}

/// A cube of triples, cut off at n and where it meets a diagonal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripleBlock {
    /// The smallest index of its triples.
    pub i: Range<usize>,
    /// The middle index: the same range as `i`, or one after it.
    pub j: Range<usize>,
    /// The largest index: the same range as `j`, or one after it.
    pub k: Range<usize>,
    diagonal: Diagonal,
}

impl TripleBlock {
    /// The j of i in this block. May be empty.
    #[inline]
    pub fn j_of(&self, i: usize) -> Range<usize> {
        self.after(i, &self.j)
    }

    /// The k of j in this block. May be empty.
    #[inline]
    pub fn k_of(&self, j: usize) -> Range<usize> {
        self.after(j, &self.k)
    }

    #[inline]
    fn after(&self, index: usize, range: &Range<usize>) -> Range<usize> {
        let first = index + usize::from(!self.diagonal.is_with());
        range.start.max(first).min(range.end)..range.end
    }

    /// How many triples it holds.
    pub fn count(&self) -> u64 {
        let of_pair = |i| self.j_of(i).map(|j| self.k_of(j).len() as u64).sum::<u64>();
        self.i.clone().map(of_pair).sum()
    }

    /// Calls `f(i, j, k)` for each of its triples, in order.
    #[inline]
    pub fn for_each(&self, f: impl Fn(usize, usize, usize)) {
        for i in self.i.clone() {
            for j in self.j_of(i) {
                for k in self.k_of(j) {
                    f(i, j, k);
                }
            }
        }
    }
}
