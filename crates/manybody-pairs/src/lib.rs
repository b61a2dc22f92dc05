//! Loops over pairs i < j and triples i < j < k, in blocks, on all cores, and what is made of them.
//!
//! [`for_each_pair`] and [`for_each_triple`] call a closure once for each pair or triple. [`Pairs`] and [`Triples`] are
//! the same with choices: blocks instead of single pairs, the diagonal, the size of a block, a result folded from all
//! of them. Blocks are numbered by the exact maps of [`map`], so any range of block numbers is a
//! fair share of the work without a list.
//!
//! What is ready made:
//! - [`distance_matrix`], packed, in memory or straight to an .npy file;
//! - [`collisions`] of spheres in one, two or three dimensions, as a list;
//! - [`PairHistogram`], counts of pairs by distance, and the two-point correlation from them;
//! - [`AxilrodTeller`], triple-dipole energy and forces, and [`tetrahedral()`], the same of any law of a triangle's sides.
//!
//! Those that take long have a sibling, `..._watched`, that a [`Watch`](manybody_pairwise::watch::Watch) can follow and
//! end.
//!
//! The answer never depends on the number of threads: within a block the order is fixed, and results of blocks are
//! joined in an order that the size alone decides.
//!
//! ```
//! # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
//! use manybody::pairs::Pairs;
//! let x = [3.0_f64, 1.0, 4.0, 1.5, 9.0];
//! // the closest two, over all pairs
//! let closest = Pairs::of(x.len())?.fold(|| f64::MAX, |best, i, j| best.min((x[i] - x[j]).abs()), f64::min);
//! assert_eq!(closest, 0.5);
//! # Ok::<(), manybody::Error>(())
//! ```

mod axilrod_teller;
mod collisions;
mod correlation;
mod distances;
mod follow;
mod memory;
mod npy;
mod points;
mod shared;
mod stream;
mod tetrahedral;
mod triples;

pub use axilrod_teller::AxilrodTeller;
pub use collisions::{
    Spheres, collisions, collisions_on, collisions_watched, count_collisions, count_collisions_on,
    count_collisions_watched,
};
pub use correlation::{Bins, PairHistogram, davis_peebles, landy_szalay, peebles_hauser};
pub use distances::{distance_count, distance_index, distance_matrix, distance_matrix_into};
pub use npy::{read_npy, read_npy_bytes, write_distance_matrix, write_distance_matrix_watched, write_npy};
pub use points::{Float, Points};
pub use tetrahedral::{Sides, TripleLaw, TripletForces, tetrahedral, tetrahedral_watched};
pub use triples::{TripleBlock, Triples, for_each_triple};

use crate::follow::Followed;
use crate::map::{Diagonal, Lambda, Map, Root, triangular};
use manybody_law::{Error, Result, law, map, simd};
use manybody_pairwise::fold_tree;
use manybody_ranks::Team;
use rayon::prelude::*;
use shared::{Sent, fold_tree_on};
use std::ops::Range;

/// Calls `f(i, j)` once for each pair i < j < n, on all cores. Which pair comes when is not defined; what `f` does
/// must not depend on it. [`Pairs`] has the choices.
///
/// # Errors
/// [`Error::Parameter`] if n(n-1)/2 does not fit 64 bits.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let mut degree = [const { AtomicUsize::new(0) }; 5];
/// manybody::pairs::for_each_pair(5, |i, j| {
///     degree[i].fetch_add(1, Ordering::Relaxed);
///     degree[j].fetch_add(1, Ordering::Relaxed);
/// })?;
/// assert!(degree.iter_mut().all(|d| *d.get_mut() == 4));
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn for_each_pair(n: usize, f: impl Fn(usize, usize) + Sync) -> Result<()> {
    Pairs::of(n)?.for_each(f);
    Ok(())
}

/// Bodies on a side of a block, unless chosen: 16,384 pairs, so that handing out a block costs nothing beside it.
const BLOCK: usize = 128;
/// Into how many shares a fold is cut, unless chosen. Sizes alone may decide it: results must not depend on threads.
const SHARES: usize = 256;

/// The pairs i < j (or i <= j) of n things, in square blocks.
#[derive(Clone, Debug)]
pub struct Pairs {
    n: usize,
    diagonal: Diagonal,
    block: usize,
    shares: usize,
    map: Lambda,
}

impl Pairs {
    /// All pairs i < j < n.
    ///
    /// # Errors
    /// [`Error::Parameter`] if n(n+1)/2 does not fit 64 bits.
    pub fn of(n: usize) -> Result<Self> {
        if triangular(n as u64).is_none() {
            return Err(Error::Parameter {
                name: "n",
                value: n.to_string(),
                expected: "the number of pairs must fit in 64 bits: n up to 6074000999".to_owned(),
            });
        }
        let map = block_map(n, BLOCK)?;
        Ok(Pairs { n, diagonal: Diagonal::Without, block: BLOCK, shares: SHARES, map })
    }

    /// With the pairs (i, i).
    pub fn with_diagonal(mut self) -> Self {
        self.diagonal = Diagonal::With;
        self
    }

    /// Blocks of `block` x `block` pairs (128 unless chosen).
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

    /// Into how many shares [`fold`](Pairs::fold) cuts the work (256 unless chosen). Fewer for results that are large,
    /// as each share has one of its own; the result may depend on this number, by rounding, but on no other.
    pub fn shares(mut self, shares: usize) -> Self {
        self.shares = shares.max(1);
        self
    }

    /// How many pairs there are.
    pub fn count(&self) -> u64 {
        let n = self.n as u64;
        // n was checked when it came in
        triangular(if self.diagonal.is_with() { n } else { n.saturating_sub(1) }).unwrap_or(u64::MAX)
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.map.cells()
    }

    /// Block number `w`, or `None` past the last: what a scheduler of one's own hands out.
    pub fn block_at(&self, w: u64) -> Option<PairBlock> {
        let [row, column] = self.map.cell(w)?;
        let range = |b: u64| b as usize * self.block..((b as usize + 1) * self.block).min(self.n);
        Some(PairBlock { i: range(column), j: range(row), diagonal: self.diagonal })
    }

    /// Calls `f(i, j)` for each pair, on all cores.
    pub fn for_each(&self, f: impl Fn(usize, usize) + Sync) {
        self.for_each_block(|block| block.for_each(&f));
    }

    /// Calls `f` for each block, on all cores.
    pub fn for_each_block(&self, f: impl Fn(PairBlock) + Sync) {
        (0..self.blocks()).into_par_iter().filter_map(|w| self.block_at(w)).for_each(&f);
    }

    /// Folds all pairs into one result: `fold` takes what there is and a pair, `join` makes one of two. Each share
    /// starts from `start()`; the result is the same for any number of threads.
    pub fn fold<A: Send>(
        &self,
        start: impl Fn() -> A + Sync,
        fold: impl Fn(A, usize, usize) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let over_block = |mut a: A, block: PairBlock| {
            for i in block.i.clone() {
                for j in block.j_of(i) {
                    a = fold(a, i, j);
                }
            }
            a
        };
        self.fold_blocks(start, over_block, join)
    }

    /// [`fold`](Pairs::fold) over blocks.
    pub fn fold_blocks<A: Send>(
        &self,
        start: impl Fn() -> A + Sync,
        fold: impl Fn(A, PairBlock) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let leaf = |range: Range<u64>| range.filter_map(|w| self.block_at(w)).fold(start(), &fold);
        fold_tree(self.blocks(), self.shares, &leaf, &join)
    }

    /// [`fold_blocks`](Pairs::fold_blocks), followed: each block is a task; and shared by ranks.
    fn fold_on<A: Sent>(
        &self,
        team: Option<&Team>,
        followed: &Followed<'_>,
        start: impl Fn() -> A + Sync,
        fold: impl Fn(A, PairBlock) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> Result<A> {
        let leaf = |range: Range<u64>| {
            let blocks = range.filter_map(|w| self.block_at(w));
            blocks.fold(start(), |a, block| followed.task(a, 1, |a| fold(a, block)))
        };
        fold_tree_on(team, self.shared_blocks(), &leaf, &join)
    }

    /// How many blocks there are, and in how many shares.
    fn shared_blocks(&self) -> (u64, usize) {
        (self.blocks(), self.shares)
    }
}

fn block_map(n: usize, block: usize) -> Result<Lambda> {
    Lambda::new(n.div_ceil(block) as u64, Diagonal::With, Root::Exact)
}

/// A square of pairs, cut off at n and, on the diagonal, below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairBlock {
    /// The smaller index of its pairs.
    pub i: Range<usize>,
    /// The larger index of its pairs: the same range as `i` for a block on the diagonal, else one after it.
    pub j: Range<usize>,
    diagonal: Diagonal,
}

impl PairBlock {
    /// True if the block is cut by the diagonal: i and j run over the same things.
    pub fn is_on_diagonal(&self) -> bool {
        self.i.start == self.j.start
    }

    /// The partners j of i in this block. May be empty.
    #[inline]
    pub fn j_of(&self, i: usize) -> Range<usize> {
        let first = i + usize::from(!self.diagonal.is_with());
        self.j.start.max(first).min(self.j.end)..self.j.end
    }

    /// How many pairs it holds.
    pub fn count(&self) -> u64 {
        self.i.clone().map(|i| self.j_of(i).len() as u64).sum()
    }

    /// Calls `f(i, j)` for each of its pairs, row by row.
    #[inline]
    pub fn for_each(&self, f: impl Fn(usize, usize)) {
        for i in self.i.clone() {
            for j in self.j_of(i) {
                f(i, j);
            }
        }
    }
}

#[cfg(test)]
mod tests;
