//! Points in any number of dimensions, one array a dimension.

use crate::simd::Element;
use crate::{Error, Result};
use std::fmt::Display;
use std::ops::Add;

/// A number type of coordinates: f32 or f64.
pub trait Float: Element + PartialOrd + Display {
    /// An unsigned integer as wide as the number, so that counting comparisons fills vectors.
    type Count: Copy + Default + Add<Output = Self::Count> + Into<u64>;
    /// 1 if `yes`.
    fn count(yes: bool) -> Self::Count;
    /// As numpy's header names it, little endian.
    const NPY: &'static str;
    /// Bytes of one number.
    const BYTES: usize;
    /// The largest size a coordinate may have: a square of a difference stays far from overflow, in any dimension.
    const LIMIT: Self;
    /// True unless infinite or not a number.
    fn is_finite(self) -> bool;
    /// Appends the numbers' bytes, little endian.
    fn write_le(numbers: &[Self], bytes: &mut Vec<u8>);
}

macro_rules! scalar {
    ($t:ident, $count:ident, $npy:literal, $limit:literal) => {
        impl Float for $t {
            type Count = $count;
            #[inline(always)]
            fn count(yes: bool) -> $count {
                $count::from(yes)
            }
            const NPY: &'static str = $npy;
            const BYTES: usize = size_of::<$t>();
            const LIMIT: Self = $limit;
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
            fn write_le(numbers: &[Self], bytes: &mut Vec<u8>) {
                bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            }
        }
    };
}
scalar!(f32, u32, "<f4", 1e18);
scalar!(f64, u64, "<f8", 1e150);

/// n points in d dimensions, every coordinate a finite number.
#[derive(Clone, Debug, PartialEq)]
pub struct Points<T> {
    columns: Vec<Vec<T>>,
    n: usize,
}

impl<T: Float> Points<T> {
    /// From one array a dimension, all of the same length.
    ///
    /// # Errors
    /// [`Error::Parameter`] without a dimension, for arrays of different lengths, or for a coordinate that is not a
    /// number, infinite, or too large to be squared (1e150, or 1e18 in f32).
    ///
    /// ```
    /// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
    /// use manybody::pairs::Points;
    /// let points = Points::from_columns(&[&[0.0, 3.0], &[0.0, 4.0]])?;
    /// assert_eq!((points.len(), points.dimensions()), (2, 2));
    /// # Ok::<(), manybody::Error>(())
    /// ```
    pub fn from_columns(columns: &[&[T]]) -> Result<Self> {
        let Some(first) = columns.first() else {
            return Err(parameter("points", "0 dimensions", "must be at least one dimension".to_owned()));
        };
        let n = first.len();
        if let Some(other) = columns.iter().find(|c| c.len() != n) {
            let expected = format!("every dimension has as many entries as the first, {n}");
            return Err(parameter("points", &format!("a dimension has {} entries", other.len()), expected));
        }
        let points = Points { columns: columns.iter().map(|c| c.to_vec()).collect(), n };
        points.validate()?;
        Ok(points)
    }

    /// From the coordinates point by point: x0 y0 z0 x1 y1 z1 ..., as numpy stores an array of shape (n, dimensions).
    ///
    /// # Errors
    /// [`Error::Parameter`] as for [`from_columns`](Points::from_columns), or if the last point is cut short.
    pub fn from_rows(rows: &[T], dimensions: usize) -> Result<Self> {
        if dimensions == 0 || !rows.len().is_multiple_of(dimensions) {
            let expected = format!("must be a multiple of the number of dimensions, {dimensions} (at least 1)");
            return Err(parameter("points", &format!("{} coordinates", rows.len()), expected));
        }
        let column = |d: usize| rows.iter().skip(d).step_by(dimensions).copied().collect();
        let points = Points { columns: (0..dimensions).map(column).collect(), n: rows.len() / dimensions };
        points.validate()?;
        Ok(points)
    }

    /// How many points.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True without points.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// How many dimensions.
    pub fn dimensions(&self) -> usize {
        self.columns.len()
    }

    /// The coordinates along dimension d: \[n\].
    pub fn column(&self, d: usize) -> &[T] {
        &self.columns[d]
    }

    /// All columns.
    pub(super) fn columns(&self) -> &[Vec<T>] {
        &self.columns
    }

    fn validate(&self) -> Result<()> {
        for (d, column) in self.columns.iter().enumerate() {
            let usable = |x: &T| x.is_finite() && x.to_f64().abs() <= T::LIMIT.to_f64();
            if let Some(i) = column.iter().position(|x| !usable(x)) {
                let value = format!("{:?} at point {i}, dimension {d}", column[i]);
                let expected = format!("must be finite coordinates up to {:e}", T::LIMIT.to_f64());
                return Err(parameter("points", &value, expected));
            }
        }
        Ok(())
    }
}

pub(super) fn parameter(name: &'static str, value: &str, expected: String) -> Error {
    Error::Parameter { name, value: value.to_owned(), expected }
}
