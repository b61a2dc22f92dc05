//! Ranks with a GPU each share a one-sided evaluation: each has rows of it, whole tiles of bodies acted on.
//!
//! A row's terms, and the order in which they are added, do not depend on who computes it. Rows go to every rank, 24 bytes a
//! body, through the host or, on CUDA, by NCCL: all move all bodies, so that positions are not sent.

use manybody_law::Result;
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::ops::Range;

/// The tiles of this rank; all without ranks.
pub(crate) fn tiles(team: Option<&Team>, tiles: usize) -> Range<usize> {
    team.map_or(0..tiles, |team| team.part(tiles))
}

/// The bodies, of n, in the tiles of a rank.
pub(crate) fn bodies(team: &Team, rank: usize, stride: usize, tile: usize, n: usize) -> Range<usize> {
    let tiles = team.part_of(rank, stride / tile.max(1));
    (tiles.start * tile).min(n)..(tiles.end * tile).min(n)
}

/// Completes columns of numbers of n bodies, in each of which a rank has those of the bodies in its tiles. The columns may be
/// longer; with padding to whole tiles they are `stride` long.
///
/// # Errors
/// [`Error::Rank`](manybody_law::Error::Rank) naming a rank that is lost or sends something else.
pub(crate) fn complete(team: &Team, all: &mut [&mut [f64]], stride: usize, tile: usize, n: usize) -> Result<()> {
    let of = |rank: usize| bodies(team, rank, stride, tile, n);
    let mut own = Words::default();
    for column in &*all {
        own.reals(&column[of(team.rank())]);
    }
    for (rank, words) in team.all_gather(own.done())?.iter().enumerate() {
        let mut reader = Reader::of(words);
        for column in &mut *all {
            let (to, from) = (&mut column[of(rank)], reader.reals()?);
            if to.len() != from.len() {
                let problem = format!("it sent {} numbers where {} are due", from.len(), to.len());
                return Err(manybody_law::Error::Rank { rank, problem });
            }
            to.copy_from_slice(from);
        }
    }
    Ok(())
}
