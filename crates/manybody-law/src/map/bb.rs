//! BB, the bounding box: an nb x nb grid whose blocks above the diagonal leave at once.
//!
//! Block (x, y) works on row y and column x. It costs one comparison, and half the launch is idle. In integers: right
//! at every size whose grid can be launched.

use super::{Diagonal, Launch, Map, cells};
use crate::{Error, Result};

/// The bounding box.
#[derive(Clone, Copy, Debug)]
pub struct BoundingBox {
    nb: u64,
    diagonal: Diagonal,
    cells: u64,
}

impl BoundingBox {
    /// A triangle of `nb` rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the box has more than 2^64 blocks.
    pub fn new(nb: u64, diagonal: Diagonal) -> Result<Self> {
        if nb > 1 << 32 {
            return Err(Error::Parameter {
                name: "nb",
                value: nb.to_string(),
                expected: "a bounding box must have at most 2^64 blocks: at most 2^32 rows".to_owned(),
            });
        }
        Ok(BoundingBox { nb, diagonal, cells: cells(nb, diagonal)? })
    }
}

impl Map<2> for BoundingBox {
    fn name(&self) -> &'static str {
        "bb"
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        vec![Launch([self.nb, self.nb, 1])]
    }

    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 2]> {
        if self.nb == 0 {
            return None;
        }
        let (i, j) = (w / self.nb, w % self.nb);
        let work = i < self.nb && (j < i || (j == i && self.diagonal.is_with()));
        work.then_some([i, j])
    }

    fn block(&self, [i, j]: [u64; 2]) -> Option<u64> {
        let work = i < self.nb && (j < i || (j == i && self.diagonal.is_with()));
        work.then(|| i * self.nb + j)
    }
}
