//! Bodies laid out for the kernels: by vectors, to be streamed, and one by one, to be spread over all lanes.

use crate::simd::Element;

/// A vector that starts on a cache line, so that no load of a whole line touches two.
#[derive(Debug, Default)]
pub(crate) struct Aligned<T> {
    data: Vec<T>,
    offset: usize,
    len: usize,
}

const LINE: usize = 64;

/// Vectors come in groups of this many, a multiple of what any kernel takes at once.
pub(crate) const GROUP: usize = 4;

impl<T: Copy> Aligned<T> {
    /// `len` copies of `value`, in the same memory as before where it suffices.
    pub(crate) fn reset(&mut self, len: usize, value: T) {
        let spare = LINE / size_of::<T>();
        self.data.clear();
        self.data.resize(len + spare, value);
        self.offset = self.data.as_ptr().align_offset(LINE).min(spare);
        self.len = len;
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.data[self.offset..self.offset + self.len]
    }

    #[inline(always)]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data[self.offset..self.offset + self.len]
    }
}

/// The numbers of a law's bodies, twice: `blocks[b][field][lane]` and `each[body][field]`.
#[derive(Debug, Default)]
pub struct Packed<T> {
    n: usize,
    fields: usize,
    lanes: usize,
    blocks: Aligned<T>,
    each: Aligned<T>,
    column: Vec<T>,
}

impl<T: Element> Packed<T> {
    /// Lays out n bodies for vectors of `lanes`; `write(field, column)` fills in one number of each body. The vectors
    /// are filled up to a multiple of four with copies of the last body, whose results are not read.
    pub fn fill(&mut self, n: usize, fields: usize, lanes: usize, mut write: impl FnMut(usize, &mut [T])) {
        let count = n.div_ceil(lanes * GROUP) * GROUP;
        (self.n, self.fields, self.lanes) = (n, fields, lanes);
        self.blocks.reset(count * fields * lanes, T::default());
        self.each.reset(n * fields, T::default());
        self.column.resize(count * lanes, T::default());
        for field in 0..fields {
            write(field, &mut self.column[..n]);
            let last = self.column.get(n.wrapping_sub(1)).copied().unwrap_or_default();
            self.column[n..].fill(last);
            let blocks = self.blocks.as_mut_slice().chunks_exact_mut((fields * lanes).max(1));
            for (block, from) in blocks.zip(self.column.chunks_exact(lanes)) {
                block[field * lanes..(field + 1) * lanes].copy_from_slice(from);
            }
            for (body, from) in self.each.as_mut_slice().chunks_exact_mut(fields).zip(&self.column) {
                body[field] = *from;
            }
        }
    }

    /// Room for n bodies whose numbers the caller writes: `[vector][field][lane]`, without vectors of filling, and
    /// `[body][field]`.
    pub(super) fn room(&mut self, n: usize, fields: usize, lanes: usize) {
        (self.n, self.fields, self.lanes) = (n, fields, lanes);
        self.blocks.reset(n.div_ceil(lanes) * fields * lanes, T::default());
        self.each.reset(n * fields, T::default());
    }

    /// [`blocks`](Self::blocks) and [`each`](Self::each), to be written.
    #[inline(always)]
    pub(super) fn parts_mut(&mut self) -> (&mut [T], &mut [T]) {
        (self.blocks.as_mut_slice(), self.each.as_mut_slice())
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True without bodies.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Numbers a body.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// Lanes a vector.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// `[vector][field][lane]`.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> &[T] {
        self.blocks.as_slice()
    }

    /// `[body][field]`.
    #[inline(always)]
    pub(crate) fn each(&self) -> &[T] {
        self.each.as_slice()
    }
}
