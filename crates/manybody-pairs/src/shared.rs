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

/// [`fold_tree`] by ranks: each computes a range of the leaves, and rank 0 joins them along the same tree, so that the
/// result is that of one process. The other ranks get that of their last leaf, which is of no use, or of no blocks.
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
    let shares = (shares as u64).min(count).max(1);
    // as fold_tree cuts them
    let edge = |share: u64| (u128::from(count) * u128::from(share) / u128::from(shares)) as u64;
    let own: Vec<A> = team
        .part(shares as usize)
        .into_par_iter()
        .map(|share| leaf(if team.has_ended() { 0..0 } else { edge(share as u64)..edge(share as u64 + 1) }))
        .collect();
    let mut words = Words::default();
    own.iter().for_each(|own| own.put(&mut words));
    let gathered = team.gather(words.done())?;
    if !team.is_root() {
        return Ok(own.into_iter().next_back().unwrap_or_else(|| leaf(0..0)));
    }
    let mut leaves = Vec::new();
    for (rank, words) in gathered.iter().enumerate() {
        let mut reader = Reader::of(words);
        for _ in team.part_of(rank, shares as usize) {
            leaves.push(Mutex::new(Some(A::get(&mut reader)?)));
        }
    }
    let taken = |share: Range<u64>| {
        let leaf = leaves[share.start as usize].lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        leaf.expect("each leaf is taken once")
    };
    Ok(fold_tree(shares, shares as usize, &taken, join))
}
