//! Rows of the distance matrix, on vectors and threads.
//!
//! A row is contiguous in memory, so the work is shared out by rows, 16 at a time, which pass over a stretch of columns
//! that stays in the cache. In few dimensions a row's own coordinates wait in registers, and results go straight to
//! their place: the root takes most of the time, and all else happens beside it. In more, four rows share the loads:
//!
//! ```text
//!                    two vectors of columns, one dimension after the other
//!     4 rows,            xxxx xxxx   yyyy yyyy   zzzz zzzz
//!     spread over   x y z          load once, use four times
//!     all lanes     x y z
//!                   x y z          8 sums in registers, then 8 roots, to a buffer
//!                   x y z
//! ```
//!
//! A row of the matrix starts anywhere, vectors of columns at multiples of their length: the buffer holds whole
//! vectors, of which the part right of the diagonal is copied. Two cores of an EPYC 7003, f64, 1e9 distances a second
//! into memory that is there: 2.2 in three dimensions, 0.8 in sixteen.

use crate::distances::{distance_index, row_start};
use crate::follow::Followed;
use crate::law::Real;
use crate::simd::{Kernel, Level, Vector, launch};
use crate::{Float, Points, memory, stream};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are handed out together, a multiple of [`ABREAST`].
const GROUP: usize = 16;
/// Rows that pass over two vectors together: eight sums hide each other's latency, four use a load.
const ABREAST: usize = 4;
/// Dimensions up to which a row's coordinates stay in registers.
const FEW: usize = 4;
/// Bytes of coordinates of a stretch of columns: the second-level cache keeps it, and in many dimensions the first one
/// four rows of its results.
const STRETCH_FEW: usize = 128 << 10;
const STRETCH: usize = 64 << 10;

/// Points laid out for their distances.
pub(crate) struct Rows<'a, T> {
    level: Level,
    points: &'a Points<T>,
    /// \[two vectors of points\]\[dimension\]\[lane\], the last filled up with zeros; empty in few dimensions.
    vectors: Vec<T>,
}

impl<'a, T: Float> Rows<'a, T> {
    pub(crate) fn new(points: &'a Points<T>, level: Level) -> Self {
        let (n, dimensions, lanes) = (points.len(), points.dimensions(), 2 * level.lanes::<T>());
        let mut vectors = Vec::new();
        if dimensions > FEW {
            vectors.resize(n.div_ceil(lanes) * dimensions * lanes, T::default());
            for d in 0..dimensions {
                let pieces = vectors.chunks_exact_mut(dimensions * lanes).zip(points.column(d).chunks(lanes));
                pieces.for_each(|(to, from)| to[d * lanes..][..from.len()].copy_from_slice(from));
            }
        }
        Rows { level, points, vectors }
    }

    /// All distances in a new vector, or `None` if there is no memory for it.
    pub(crate) fn matrix(&self) -> Option<Vec<T>> {
        let n = self.points.len();
        let groups: Vec<_> = groups(0..n.saturating_sub(1)).collect();
        let lengths: Vec<_> = groups.iter().map(|rows| row_start(n, rows.end) - row_start(n, rows.start)).collect();
        memory::in_pieces(&lengths, |k, out| {
            launch(self.level, Group { all: self, rows: groups[k].clone(), out, past_caches: false });
        })
    }

    /// The distances of whole rows, which `out` holds exactly; written past the caches if `past_caches`. Each distance
    /// is a task.
    pub(crate) fn fill(&self, rows: Range<usize>, out: &mut [T], past_caches: bool, followed: &Followed<'_>) {
        let n = self.points.len();
        let mut pieces = Vec::new();
        let mut rest = out;
        for rows in groups(rows) {
            let (piece, tail) = rest.split_at_mut(row_start(n, rows.end) - row_start(n, rows.start));
            pieces.push((rows, piece));
            rest = tail;
        }
        // the first rows are the longest: handed out first, the short ones fill the gaps at the end
        pieces.into_par_iter().with_max_len(1).for_each(|(rows, out)| {
            followed.task((), out.len() as u64, |()| {
                launch(self.level, Group { all: self, rows, out, past_caches });
                stream::fence();
            });
        });
    }
}

/// Rows in groups.
fn groups(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(GROUP).map(move |first| first..(first + GROUP).min(end))
}

/// Up to [`GROUP`] rows.
struct Group<'a, T> {
    all: &'a Rows<'a, T>,
    rows: Range<usize>,
    out: &'a mut [T],
    past_caches: bool,
}

impl<T: Float> Kernel<T> for Group<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        match self.all.points.dimensions() {
            1 => self.few::<V, 1>(token),
            2 => self.few::<V, 2>(token),
            3 => self.few::<V, 3>(token),
            4 => self.few::<V, 4>(token),
            _ => self.many::<V>(token),
        }
    }
}

impl<T: Float> Group<'_, T> {
    #[inline(always)]
    fn few<V: Vector<T = T>, const D: usize>(self, token: V::Token) {
        let Group { all: Rows { points, .. }, rows, out, past_caches } = self;
        let n = points.len();
        let base = row_start(n, rows.start);
        let mut from = rows.start + 1;
        while from < n {
            let to = (from + STRETCH_FEW / (T::BYTES * D)).min(n);
            for i in rows.clone() {
                let columns = from.max(i + 1)..to;
                if columns.is_empty() {
                    continue;
                }
                let mut here = [T::default(); D];
                let mut there: [&[T]; D] = [&[]; D];
                for d in 0..D {
                    here[d] = points.column(d)[i];
                    there[d] = &points.column(d)[columns.clone()];
                }
                let start = distance_index(n, i, columns.start) - base;
                let out = &mut out[start..start + columns.len()];
                if past_caches {
                    row::<V, D, true>(token, here, there, out);
                } else {
                    row::<V, D, false>(token, here, there, out);
                }
            }
            from = to;
        }
    }

    #[inline(always)]
    fn many<V: Vector<T = T>>(self, token: V::Token) {
        let Group { all: Rows { points, vectors, .. }, rows, out, past_caches } = self;
        let (n, dimensions) = (points.len(), points.dimensions());
        let stretch = (STRETCH / (T::BYTES * dimensions)).max(64).next_multiple_of(2 * V::LEN);
        let base = row_start(n, rows.start);
        let mut buffer = vec![T::default(); ABREAST * stretch];
        // of the last four rows some may be missing: the last one again, and not kept
        let here: Vec<[T; ABREAST]> = rows
            .clone()
            .step_by(ABREAST)
            .flat_map(|first| {
                let last = rows.end - 1;
                let all = points.columns();
                all.iter().map(move |column| [0, 1, 2, 3].map(|r| column[(first + r).min(last)]))
            })
            .collect();
        let mut from = (rows.start + 1) / (2 * V::LEN) * (2 * V::LEN);
        while from < n {
            let to = (from + stretch).min(n);
            let there = &vectors[from * dimensions..to.next_multiple_of(2 * V::LEN) * dimensions];
            for (first, here) in rows.clone().step_by(ABREAST).zip(here.chunks_exact(dimensions)) {
                four::<V>(token, here, there, &mut buffer);
                for (r, buffer) in buffer.chunks_exact(stretch).enumerate() {
                    let i = first + r;
                    let columns = from.max(i + 1)..to;
                    if i >= rows.end || columns.is_empty() {
                        continue;
                    }
                    let start = distance_index(n, i, columns.start) - base;
                    let out = &mut out[start..start + columns.len()];
                    let part = &buffer[columns.start - from..columns.end - from];
                    if past_caches {
                        stream::copy(part, out);
                    } else {
                        out.copy_from_slice(part);
                    }
                }
            }
            from = to;
        }
    }
}

/// The distances of a point and a stretch of others.
#[inline(always)]
fn row<V: Vector<T: Float>, const D: usize, const PAST_CACHES: bool>(
    token: V::Token,
    here: [V::T; D],
    there: [&[V::T]; D],
    out: &mut [V::T],
) {
    // streamed stores want whole vectors of memory
    let head = if PAST_CACHES { stream::to_line(out).min(out.len()) } else { 0 };
    let body = head + (out.len() - head) / V::LEN * V::LEN;
    let there = there.map(|column| &column[..out.len()]);
    for k in (0..head).chain(body..out.len()) {
        let mut square = V::T::default();
        for d in 0..D {
            let difference = there[d][k] - here[d];
            square = difference.fused(difference, square);
        }
        out[k] = square.sqrt();
    }
    let mut spread = [V::splat(token, V::T::default()); D];
    for d in 0..D {
        spread[d] = V::splat(token, here[d]);
    }
    for (k, to) in out[head..body].chunks_exact_mut(V::LEN).enumerate() {
        let k = head + k * V::LEN;
        let mut square = V::splat(token, V::T::default());
        for d in 0..D {
            let difference = V::load(token, &there[d][k..k + V::LEN]) - spread[d];
            square = if d == 0 { difference * difference } else { difference.fused(difference, square) };
        }
        let distance = square.sqrt();
        if PAST_CACHES {
            stream::store(distance, to);
        } else {
            distance.store(to);
        }
    }
}

/// The distances of four points and a stretch of others.
#[inline(always)]
fn four<V: Vector<T: Float>>(token: V::Token, here: &[[V::T; ABREAST]], there: &[V::T], buffer: &mut [V::T]) {
    let dimensions = here.len();
    let stretch = buffer.len() / ABREAST;
    let (b0, rest) = buffer.split_at_mut(stretch);
    let (b1, rest) = rest.split_at_mut(stretch);
    let (b2, b3) = rest.split_at_mut(stretch);
    let wide = 2 * V::LEN;
    let buffers = b0.chunks_exact_mut(wide).zip(b1.chunks_exact_mut(wide));
    let buffers = buffers.zip(b2.chunks_exact_mut(wide).zip(b3.chunks_exact_mut(wide)));
    for (((b0, b1), (b2, b3)), column) in buffers.zip(there.chunks_exact(wide * dimensions)) {
        let mut s = [[V::splat(token, V::T::default()); 2]; ABREAST];
        for (x, here) in column.chunks_exact(wide).zip(here) {
            let x = [V::load(token, x), V::load(token, &x[V::LEN..])];
            for (s, here) in s.iter_mut().zip(here) {
                let here = V::splat(token, *here);
                let difference = [x[0] - here, x[1] - here];
                s[0] = difference[0].fused(difference[0], s[0]);
                s[1] = difference[1].fused(difference[1], s[1]);
            }
        }
        for (s, to) in s.into_iter().zip([b0, b1, b2, b3]) {
            s[0].sqrt().store(to);
            s[1].sqrt().store(&mut to[V::LEN..]);
        }
    }
}
