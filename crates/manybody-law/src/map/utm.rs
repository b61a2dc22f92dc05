//! UTM, the upper-triangular map of [Avril 2012]: pair number k of n bodies, row by row of the upper triangle.
//!
//! Row a (from 1) begins at pair (a - 1)(2n - a)/2, which gives the published formulas
//!
//! ```text
//!     a = floor((2n + 1 - sqrt(4n^2 - 4n - 8k + 1)) / 2)        b = a + 1 + k - (a - 1)(2n - a)/2
//! ```
//!
//! with a and b counted from 1 but k from 0 (with k from 1 they would name the pair (1, 2) never, and one pair past
//! the end). Here a cell is the lower triangle's \[b - 1, a - 1\]: the same pairs in another order. With the diagonal
//! the triangle is that of n + 1 bodies, moved up a row. UTM was published for threads; the index may as well
//! number blocks.
//!
//! The root is of a number that grows with n^2, even for the first pair. All pairs of all n in order (first and last
//! pair of each row suffice: for one n every operation is monotonic in k):
//!
//! | root | first wrong n | its first wrong pair k |
//! |---|---|---|
//! | [`Root::F32`], the number under the root formed in integers, then rounded | 4,098 | 4,096 |
//! | [`Root::F64`] | 117,440,514 | 117,440,512 |
//!
//! [`Root::Exact`] counts pairs from the last one, which is lambda's problem, and takes its corrected root.

use super::{Diagonal, Launch, Map, Root, cells, rows, shift, triangular_root, unshift};
use crate::{Error, Result};

/// The upper-triangular map.
#[derive(Clone, Copy, Debug)]
pub struct UpperTriangular {
    nb: u64,
    diagonal: Diagonal,
    root: Root,
    cells: u64,
}

impl UpperTriangular {
    /// A triangle of `nb` rows; `root` is one of `Exact`, `F32`, `F64`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a triangle of more than 2^64 - 1 cells, or another root.
    pub fn new(nb: u64, diagonal: Diagonal, root: Root) -> Result<Self> {
        if !matches!(root, Root::Exact | Root::F32 | Root::F64) {
            return Err(Error::Parameter {
                name: "root",
                value: format!("{root:?}"),
                expected: "UTM takes Exact, F32 or F64".to_owned(),
            });
        }
        Ok(UpperTriangular { nb, diagonal, root, cells: cells(nb, diagonal)? })
    }

    /// The published a, counted from 1, of pair k (from 0) of n bodies.
    #[inline]
    fn published_a(&self, n: u64, k: u64) -> i64 {
        // 4n^2 - 4n + 1 - 8k in integers, then rounded once: the kindest reading
        let under_root = (2 * u128::from(n) - 1).pow(2) - 8 * u128::from(k);
        match self.root {
            Root::F32 => (((2 * n + 1) as f32 - (under_root as f32).sqrt()) / 2.0).floor() as i64,
            _ => (((2 * n + 1) as f64 - (under_root as f64).sqrt()) / 2.0).floor() as i64,
        }
    }
}

impl Map<2> for UpperTriangular {
    fn name(&self) -> &'static str {
        match self.root {
            Root::F32 => "utm-f32",
            Root::F64 => "utm-f64",
            _ => "utm",
        }
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        vec![Launch([self.cells, 1, 1])]
    }

    #[inline]
    fn cell(&self, k: u64) -> Option<[u64; 2]> {
        if k >= self.cells {
            return None;
        }
        let m = rows(self.nb, self.diagonal); // rows of the triangle with its diagonal; n = m + 1 bodies
        if self.root == Root::Exact {
            let (from_end, last) = (self.cells - 1 - k, m - 1);
            let r = triangular_root(from_end);
            let c = from_end - super::lambda::triangular_in_range(r);
            return Some(shift(last - c, last - r, self.diagonal));
        }
        let n = m + 1;
        let a = u64::try_from(self.published_a(n, k)).ok().filter(|a| (1..n).contains(a))?;
        let before = (u128::from(a - 1) * u128::from(2 * n - a) / 2) as u64;
        let b = (a + 1 + k).checked_sub(before).filter(|b| (a + 1..=n).contains(b))?;
        Some(shift(b - 2, a - 1, self.diagonal))
    }

    fn block(&self, cell: [u64; 2]) -> Option<u64> {
        let [i, j] = unshift(cell, self.nb, self.diagonal)?;
        let last = rows(self.nb, self.diagonal) - 1;
        Some(self.cells - 1 - super::lambda::triangular_in_range(last - j) - (last - i))
    }
}
