//! The packed Euclidean distance matrix: all pairs i < j, row by row, as SciPy's `pdist` orders them.
//!
//! Pair (i, j) is at i(2n - i - 1)/2 + j - i - 1. A row is contiguous in memory, so the work is shared out by rows; a
//! stretch of columns stays in the first-level cache while several rows pass over it. Each distance is
//! sqrt((x_i - x_j)^2 + ...), the squares added from the first dimension to the last, each operation rounded: the
//! same bits at every vector width and number of threads. Time goes into writing: 8 bytes a pair against 3 operations
//! a dimension.

use super::points::parameter;
use super::{Float, Points, stream};
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// How many distances n points have: n(n-1)/2.
///
/// # Errors
/// [`Error::Parameter`] if the number or its bytes do not fit.
pub fn distance_count<T: Float>(n: usize) -> Result<usize> {
    let count = n as u128 * (n as u128).saturating_sub(1) / 2;
    let bytes = count.saturating_mul(T::BYTES as u128);
    if bytes > isize::MAX as u128 {
        let expected = format!("a distance matrix that can be addressed is wanted, not one of {bytes} bytes");
        return Err(parameter("n", &n.to_string(), expected));
    }
    Ok(count as usize)
}

/// Where the distance of points i < j < n is in the packed matrix.
///
/// ```
/// use manybody::pairs::distance_index;
/// // n = 4: 01 02 03 12 13 23
/// assert_eq!([(0, 1), (0, 3), (1, 2), (2, 3)].map(|(i, j)| distance_index(4, i, j)), [0, 2, 3, 5]);
/// ```
pub fn distance_index(n: usize, i: usize, j: usize) -> usize {
    row_start(n, i) + j - i - 1
}

/// Where row i starts: i(2n - i - 1)/2. The product is twice a number that was checked to be addressable.
pub(super) fn row_start(n: usize, i: usize) -> usize {
    (i as u128 * (2 * n as u128 - i as u128).saturating_sub(1) / 2) as usize
}

/// The packed distance matrix: \[n(n-1)/2\], the unit of the coordinates.
///
/// # Errors
/// [`Error::Parameter`] if the memory for it cannot be had.
///
/// ```
/// use manybody::pairs::{Points, distance_matrix};
/// let points = Points::from_rows(&[0.0, 0.0, 3.0, 4.0, 0.0, 1.0], 2)?;
/// assert_eq!(distance_matrix(&points)?, [5.0, 1.0, 18.0_f64.sqrt()]);
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn distance_matrix<T: Float>(points: &Points<T>) -> Result<Vec<T>> {
    let count = distance_count::<T>(points.len())?;
    Vec::<T>::new().try_reserve_exact(count).map_err(|_| no_memory(points.len(), count * T::BYTES))?;
    // zeroed by the system page by page, when the threads first write there
    let mut out = vec![T::default(); count];
    distance_matrix_into(points, &mut out)?;
    Ok(out)
}

fn no_memory(n: usize, bytes: usize) -> Error {
    let expected = format!("{bytes} bytes of memory are wanted for the matrix; it can also be streamed to a file");
    parameter("n", &n.to_string(), expected)
}

/// The packed distance matrix into a slice that is there already.
///
/// # Errors
/// [`Error::Parameter`] if the slice has not n(n-1)/2 entries.
pub fn distance_matrix_into<T: Float>(points: &Points<T>, out: &mut [T]) -> Result<()> {
    let n = points.len();
    let count = distance_count::<T>(n)?;
    if out.len() != count {
        let expected = format!("{count} entries are wanted for the distances of {n} points");
        return Err(parameter("out", &format!("{} entries", out.len()), expected));
    }
    rows_into(points, 0..n.saturating_sub(1), out);
    Ok(())
}

/// Rows of the first-level cache's worth of columns that pass over it together.
const ROWS: usize = 16;
/// Bytes of coordinates of such a stretch of columns.
const STRETCH: usize = 16 << 10;

/// Bytes of a matrix that is written past the caches: more than they hold on most machines.
const CACHES: usize = 32 << 20;

/// The distances of whole rows, which `out` holds exactly.
pub(super) fn rows_into<T: Float>(points: &Points<T>, rows: Range<usize>, out: &mut [T]) {
    let n = points.len();
    let past_caches = size_of_val(out) > CACHES;
    let mut groups = Vec::new();
    let mut rest = out;
    let mut first = rows.start;
    while first < rows.end {
        let last = (first + ROWS).min(rows.end);
        let (group, tail) = rest.split_at_mut(row_start(n, last) - row_start(n, first));
        groups.push((first..last, group));
        (rest, first) = (tail, last);
    }
    // the first rows are the longest: handed out first, the short ones fill the gaps at the end
    groups.into_par_iter().with_max_len(1).for_each(|(rows, out)| group_into(points, rows, out, past_caches));
}

/// A few rows, a stretch of columns at a time.
fn group_into<T: Float>(points: &Points<T>, rows: Range<usize>, out: &mut [T], past_caches: bool) {
    let n = points.len();
    let stretch = (STRETCH / (T::BYTES * points.dimensions())).max(64);
    let base = row_start(n, rows.start);
    let mut buffer = vec![T::default(); if past_caches { stretch } else { 0 }];
    let mut from = rows.start + 1;
    while from < n {
        let to = (from + stretch).min(n);
        for i in rows.clone() {
            let columns = from.max(i + 1)..to;
            if columns.is_empty() {
                continue;
            }
            let start = distance_index(n, i, columns.start) - base;
            let out = &mut out[start..start + columns.len()];
            let target = if past_caches { &mut buffer[..columns.len()] } else { &mut *out };
            let level = fearless_simd::Level::new();
            fearless_simd::dispatch!(level, simd => part_of_row(simd, points, i, columns.clone(), target));
            if past_caches {
                stream::copy(&buffer[..columns.len()], out);
            }
        }
        from = to;
    }
    stream::fence();
}

/// The distances of point i and a stretch of others, four dimensions at a pass.
#[inline(always)]
fn part_of_row<S: fearless_simd::Simd, T: Float>(
    simd: S,
    points: &Points<T>,
    i: usize,
    columns: Range<usize>,
    out: &mut [T],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let dimensions = points.dimensions();
            let mut d = 0;
            while d < dimensions {
                let (first, left) = (d == 0, dimensions - d);
                match left {
                    1 => pass::<T, 1>(points, d, i, columns.clone(), first, out),
                    2 => pass::<T, 2>(points, d, i, columns.clone(), first, out),
                    3 => pass::<T, 3>(points, d, i, columns.clone(), first, out),
                    _ => pass::<T, 4>(points, d, i, columns.clone(), first, out),
                }
                d += 4;
            }
        },
    );
}

/// Adds the squares of D dimensions from dimension d on; takes the root if they are the last.
#[inline(always)]
fn pass<T: Float, const D: usize>(
    points: &Points<T>,
    d: usize,
    i: usize,
    columns: Range<usize>,
    first: bool,
    out: &mut [T],
) {
    let mut here = [T::default(); D];
    let mut there: [&[T]; D] = [&[]; D];
    for c in 0..D {
        here[c] = points.column(d + c)[i];
        there[c] = &points.column(d + c)[columns.clone()][..out.len()];
    }
    let last = d + D >= points.dimensions();
    match (first, last) {
        (true, true) => sum::<T, D, true, true>(here, there, out),
        (true, false) => sum::<T, D, true, false>(here, there, out),
        (false, true) => sum::<T, D, false, true>(here, there, out),
        (false, false) => sum::<T, D, false, false>(here, there, out),
    }
}

#[inline(always)]
fn sum<T: Float, const D: usize, const FIRST: bool, const LAST: bool>(here: [T; D], there: [&[T]; D], out: &mut [T]) {
    for (k, out) in out.iter_mut().enumerate() {
        let difference = there[0][k] - here[0];
        let mut square = if FIRST { difference * difference } else { *out + difference * difference };
        for c in 1..D {
            let difference = there[c][k] - here[c];
            square = square + difference * difference;
        }
        *out = if LAST { square.sqrt() } else { square };
    }
}
