//! How much memory there is, and memory for results that fill it once from end to end, in [large pages](large_pages).

#![allow(unsafe_code)] // what is written becomes a vector

use manybody_law::memory::large_pages;
use rayon::prelude::*;
use std::mem::MaybeUninit;

/// Less than this comes from memory that the program has used before, if there is some: the largest size that glibc
/// keeps for later. Zeros are then written, not supplied.
pub(super) const RECYCLED: usize = 32 << 20;

/// `count` zeros, which the system supplies when they are first touched; `None` if there is no room for them.
pub(super) fn zeros<T: Clone + Default>(count: usize) -> Option<Vec<T>> {
    // asking first turns the end of the program into an error
    has_room(count as u128 * size_of::<T>() as u128).then_some(())?;
    let mut zeros = vec![T::default(); count];
    large_pages(&mut zeros);
    Some(zeros)
}

/// Pieces of these lengths, one after the other in one vector, each written by `fill(number, piece)`, on all cores. A
/// piece is zeros before, written just then, so that it is in the cache: zeros for the whole at once took longer than
/// all the distances of 2,000 points. `None` if there is no room.
pub(super) fn in_pieces<T: Copy + Default + Send>(
    lengths: &[usize],
    fill: impl Fn(usize, &mut [T]) + Sync,
) -> Option<Vec<T>> {
    let count = lengths.iter().sum();
    let mut all = Vec::new();
    all.try_reserve_exact(count).ok()?;
    let mut rest = &mut all.spare_capacity_mut()[..count];
    large_pages(rest);
    let mut pieces = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (piece, tail) = rest.split_at_mut(*length);
        pieces.push(piece);
        rest = tail;
    }
    pieces.into_par_iter().enumerate().with_max_len(1).for_each(|(k, piece)| fill(k, zeroed(piece)));
    // SAFETY: the pieces are all of the first `count` entries, and each was written
    unsafe { all.set_len(count) };
    Some(all)
}

fn zeroed<T: Copy + Default>(room: &mut [MaybeUninit<T>]) -> &mut [T] {
    room.iter_mut().for_each(|x| {
        x.write(T::default());
    });
    // SAFETY: every entry has just been written
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [T]) }
}

/// Bytes of the machine's memory; where a system does not report it, as many as can be addressed. Linux may promise
/// more than it has, and ends the program once that is used.
pub(super) fn total() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        #[allow(clippy::useless_conversion)] // a word of the system: 32 bits on some
        (u64::from(info.totalram) + u64::from(info.totalswap)).saturating_mul(info.mem_unit.into())
    }
    #[cfg(not(target_os = "linux"))]
    u64::MAX
}

/// Whether so many bytes are available.
pub(super) fn has_room(bytes: u128) -> bool {
    bytes <= u128::from(total()) && Vec::<u8>::new().try_reserve_exact(bytes as usize).is_ok()
}
