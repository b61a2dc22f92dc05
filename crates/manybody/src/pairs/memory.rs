//! Memory for results that fill it once from end to end.
//!
//! Linux gives memory in pages of 4 KiB when they are first written, a trip to the kernel each: writing 256 MiB that way
//! took five times as long as into memory that was there. For such a result it is asked for pages of 2 MiB, as NumPy
//! asks, too.

#![allow(unsafe_code)] // advice about memory is given by its address

/// `count` zeros, which the system supplies when they are first touched; None if there is no room for them.
pub(super) fn zeros<T: Clone + Default>(count: usize) -> Option<Vec<T>> {
    // asking first turns the end of the program into an error
    Vec::<T>::new().try_reserve_exact(count).ok()?;
    let mut zeros = vec![T::default(); count];
    advise(&mut zeros);
    Some(zeros)
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
