//! How much memory there is, and memory for results that fill it once from end to end.
//!
//! Linux gives memory in pages of 4 KiB when they are first written, a trip to the kernel each: writing 256 MiB that
//! way took five times as long as into memory that was there. For such a result it is asked for pages of 2 MiB, as
//! NumPy asks, too.

#![allow(unsafe_code)] // advice about memory is given by its address; what is written becomes a vector

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
    advise(&mut zeros);
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
    advise(rest);
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

#[cfg(target_os = "linux")]
fn advise<T>(memory: &mut [T]) {
    const PAGE: usize = 4096;
    const LARGE: usize = 4 << 20; // less is not worth the trip
    let (start, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
    let skip = start.align_offset(PAGE);
    if bytes < LARGE {
        return;
    }
    let bytes = (bytes - skip) / PAGE * PAGE;
    // SAFETY: the range lies within the slice, on whole pages; this advice changes no content. A system that does not
    // know it says so, and nothing is lost.
    let _ = unsafe { rustix::mm::madvise(start.add(skip).cast(), bytes, rustix::mm::Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &mut [T]) {}
