//! The packed Euclidean distance matrix: all pairs i < j, row by row, as SciPy's `pdist` orders them.
//!
//! Pair (i, j) is at i(2n - i - 1)/2 + j - i - 1. Each distance is sqrt((x_i - x_j)^2 + ...), the squares added from
//! the first dimension to the last, each operation rounded: the same bits at every vector width and number of threads.

mod rows;

pub(super) use rows::Rows;

use super::points::parameter;
use super::{Float, Points, memory};
use crate::follow::Followed;
use crate::simd::Level;
use crate::{Error, Result};

/// Bytes of a matrix that is written past the caches: more than they hold on most machines.
const CACHES: usize = 32 << 20;

/// How many distances n points have: n(n-1)/2.
///
/// # Errors
/// [`Error::Parameter`] if the number or its bytes do not fit.
pub fn distance_count<T: Float>(n: usize) -> Result<usize> {
    let count = n as u128 * (n as u128).saturating_sub(1) / 2;
    let bytes = count.saturating_mul(T::BYTES as u128);
    if bytes > isize::MAX as u128 {
        let expected = format!("a distance matrix of {bytes} bytes cannot be addressed");
        return Err(parameter("n", &n.to_string(), expected));
    }
    Ok(count as usize)
}

/// Where the distance of points i < j < n is in the packed matrix.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
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
/// [`Error::Parameter`] if the memory for it is not available.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
/// use manybody::pairs::{Points, distance_matrix};
/// let points = Points::from_rows(&[0.0, 0.0, 3.0, 4.0, 0.0, 1.0], 2)?;
/// assert_eq!(distance_matrix(&points)?, [5.0, 1.0, 18.0_f64.sqrt()]);
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn distance_matrix<T: Float>(points: &Points<T>) -> Result<Vec<T>> {
    let count = distance_count::<T>(points.len())?;
    let rows = Rows::new(points, Level::from_env()?);
    let matrix = if count * T::BYTES < memory::RECYCLED {
        rows.matrix()
    } else {
        memory::zeros(count).map(|mut out| {
            // written through the caches: the system has just been there with its zeros
            rows.fill(0..points.len().saturating_sub(1), &mut out, false, &Followed::not());
            out
        })
    };
    matrix.ok_or_else(|| no_memory(points.len(), count * T::BYTES))
}

fn no_memory(n: usize, bytes: usize) -> Error {
    let expected = format!("the matrix needs {bytes} bytes of memory; it can also be streamed to a file");
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
        let expected = format!("the distances of {n} points need {count} entries");
        return Err(parameter("out", &format!("{} entries", out.len()), expected));
    }
    Rows::new(points, Level::from_env()?).fill(
        0..n.saturating_sub(1),
        out,
        size_of_val(out) > CACHES,
        &Followed::not(),
    );
    Ok(())
}
