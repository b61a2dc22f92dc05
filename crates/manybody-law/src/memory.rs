//! Large pages of memory.
//!
//! Linux gives memory in pages of 4 KiB when they are first written, a trip to the kernel each: writing 256 MiB that
//! way took five times as long as into memory that was there. Reading here and there, a processor finds the places of few
//! such pages at once: interactions of cells took a tenth longer. For large arrays it is asked for pages of 2 MiB, as
//! NumPy asks, too.
#![allow(unsafe_code, reason = "advice about memory is given by its address")]

/// `count` equal numbers in a vector that was used for others, in large pages where they are many.
pub fn refill<T: Clone>(vector: &mut Vec<T>, count: usize, value: T) {
    vector.clear();
    vector.reserve_exact(count);
    large_pages(vector.spare_capacity_mut());
    vector.resize(count, value);
}

/// `count` numbers in a vector, for a user who writes all of them: what was there is left where the length is the same.
pub fn resize<T: Clone>(vector: &mut Vec<T>, count: usize, value: T) {
    if vector.len() != count {
        refill(vector, count, value);
    }
}

/// Asks for large pages for memory that is to be written.
#[cfg(target_os = "linux")]
pub fn large_pages<T>(memory: &mut [T]) {
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

/// Asks for large pages for memory that is to be written.
#[cfg(not(target_os = "linux"))]
pub fn large_pages<T>(_: &mut [T]) {}
