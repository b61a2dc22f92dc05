//! A fold along a tree whose leaves ranks share.

#[cfg(doc)]
use crate::Error;
use crate::Result;
use manybody_pairwise::fold_tree;
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// What ranks send to rank 0.
pub(crate) trait Sent: Sized + Send {
    fn put(&self, to: &mut Words);

    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    fn get(from: &mut Reader<'_>) -> Result<Self>;
}

impl Sent for u64 {
    fn put(&self, to: &mut Words) {
        to.number(*self);
    }

    fn get(from: &mut Reader<'_>) -> Result<Self> {
        from.number()
    }
}

/// How many of `count` blocks this rank computes in a [`fold_tree_on`].
pub(crate) fn own_blocks(team: Option<&Team>, (count, shares): (u64, usize)) -> u64 {
    let Some(team) = team else { return count };
    let own = team.part((shares as u64).min(count).max(1) as usize);
    edge(count, shares, own.end) - edge(count, shares, own.start)
}

/// Where a leaf begins, as fold_tree cuts them.
fn edge(count: u64, shares: usize, share: usize) -> u64 {
    let shares = (shares as u64).min(count).max(1);
    (u128::from(count) * share as u128 / u128::from(shares)) as u64
}

/// [`fold_tree`] by ranks: each computes a range of the leaves, and rank 0 joins them along the same tree, so that the
/// result is that of one process. The other ranks get that of their last leaf, which is of no use, or of no blocks. A leaf may
/// leave blocks out once the ranks have come apart.
///
/// # Errors
/// [`Error::Rank`] for a rank that is lost.
pub(crate) fn fold_tree_on<A: Sent>(
    team: Option<&Team>,
    (count, shares): (u64, usize),
    leaf: &(impl Fn(Range<u64>) -> A + Sync),
    join: &(impl Fn(A, A) -> A + Sync),
) -> Result<A> {
    let Some(team) = team else { return Ok(fold_tree(count, shares, leaf, join)) };
    let leaf_count = (shares as u64).min(count).max(1) as usize;
    let blocks = |share: usize| edge(count, shares, share)..edge(count, shares, share + 1);
    let own: Vec<A> = team.part(leaf_count).into_par_iter().map(|share| leaf(blocks(share))).collect();
    let mut words = Words::default();
    own.iter().for_each(|own| own.put(&mut words));
    let last = own.into_iter().next_back();
    let gathered = team.gather(words.done())?;
    if !team.is_root() {
        return Ok(last.unwrap_or_else(|| leaf(0..0)));
    }
    let mut leaves = Vec::new();
    for (rank, words) in gathered.into_iter().enumerate() {
        let mut reader = Reader::of(&words);
        for _ in team.part_of(rank, leaf_count) {
            leaves.push(Mutex::new(Some(A::get(&mut reader)?)));
        }
    }
    let taken = |share: Range<u64>| {
        let leaf = leaves[share.start as usize].lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        leaf.expect("each leaf is taken once")
    };
    Ok(fold_tree(leaf_count as u64, leaf_count, &taken, join))
}
