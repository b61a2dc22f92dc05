//! Data that are fetched before they are needed.
#![allow(unsafe_code, reason = "the instruction has no safe form")]

/// Starts to fetch the cache lines of numbers `at` to `at + count` of a slice; nothing where that has no instruction, or
/// beyond the end of the slice.
#[inline(always)]
pub fn prefetch<T>(from: &[T], at: usize, count: usize) {
    let per_line = (64 / size_of::<T>()).max(1);
    let end = (at + count).min(from.len());
    for first in (at..end).step_by(per_line) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the address is that of an element of the slice; SSE, which has the instruction, is a part of x86-64
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().add(first).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = first;
    }
}
