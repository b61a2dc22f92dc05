//! Writing past the caches.
//!
//! A matrix that is larger than the caches is not read again soon; an ordinary store reads each line from memory
//! before it writes it. Stores that do not take 1.5 times less time (EPYC 7003, one thread: 13.5 GB/s against 8.7).

#![allow(unsafe_code)] // the streaming stores take raw pointers

use super::Float;
use crate::simd::Vector;

/// Copies `from` to `to`, which have the same length, past the caches where the machine can.
#[inline]
pub(super) fn copy<T: Float>(from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len());
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        const LINE: usize = 64;
        // SAFETY: T is f32 or f64 (the trait is sealed by its documentation and its use here), any bits of which are
        // valid vectors of integers and back; align_to_mut gives parts that do not overlap.
        let (head, lines, _) = unsafe { to.align_to_mut::<Line>() };
        let (head, bytes) = (head.len(), lines.len() * LINE);
        let body = bytes / T::BYTES;
        let (from_head, from_rest) = from.split_at(head);
        let (to_head, to_rest) = to.split_at_mut(head);
        to_head.copy_from_slice(from_head);
        let source = from_rest.as_ptr().cast::<__m128i>();
        let target = to_rest.as_mut_ptr().cast::<__m128i>();
        for k in 0..bytes / 16 {
            // SAFETY: k * 16 < body * BYTES, within both slices; `target` is aligned to a line.
            unsafe { _mm_stream_si128(target.add(k), _mm_loadu_si128(source.add(k))) };
        }
        to_rest[body..].copy_from_slice(&from_rest[body..]);
    }
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

/// How many numbers precede the first that begins a cache line.
#[inline(always)]
pub(super) fn to_line<T: Float>(to: &[T]) -> usize {
    to.as_ptr().align_offset(64)
}

/// Stores a vector past the caches where the machine can. `to` has its length and begins at a multiple of its size:
/// what does not is stored as usual.
#[inline(always)]
pub(super) fn store<V: Vector<T: Float>>(value: V, to: &mut [V::T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_setzero_si128, _mm_stream_si128};
        let (bytes, target) = (V::LEN * V::T::BYTES, to.as_mut_ptr().cast::<__m128i>());
        if size_of::<V>() == bytes && size_of_val(to) == bytes && bytes.is_multiple_of(16) && target.is_aligned() {
            // SAFETY: V has as many bytes as the lanes it holds, all of them numbers, so it is copied whole.
            let parts = unsafe {
                let mut parts = [_mm_setzero_si128(); 4];
                std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), parts.as_mut_ptr().cast(), bytes);
                parts
            };
            for (k, part) in parts.iter().take(bytes / 16).enumerate() {
                // SAFETY: k * 16 < bytes, the size of `to`, whose start is aligned.
                unsafe { _mm_stream_si128(target.add(k), *part) };
            }
            return;
        }
    }
    value.store(to);
}

/// Makes streamed stores visible to other threads, before whoever waits for this one reads them.
#[inline]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Line([u8; 64]);
