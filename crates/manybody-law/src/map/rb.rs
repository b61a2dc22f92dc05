//! RB, the rectangular box: the triangle's second half, rotated onto the first, fills a rectangle [Jung 2008].
//!
//! For an even number m of rows (the diagonal counted), the grid is m/2 wide and m + 1 high. Block (x, y) with y > x
//! works on \[y - 1, x\], the left half of the columns; the others on \[m - 1 - y, m - 1 - x\], the right half turned
//! round:
//!
//! ```text
//!     m = 4         x = 0   1        m = 3         x = 0   1
//!     0        y = 0    33' 32'      0        y = 0    00  22'
//!     1 1          1    00  22'      1 1          1    10  11
//!     2 2 2        2    10  11       2 2 2        2    20  21
//!     3 3 3 3      3    20  21
//!                  4    30  31                          (i j of each block; ' marks the part turned round)
//! ```
//!
//! For an odd m the grid is (m + 1)/2 wide and m high, and blocks with y >= x stay where they are. No block is idle,
//! and all is integer: right at every size.

use super::{Diagonal, Launch, Map, cells, rows, shift, unshift};
use crate::Result;

/// The rectangular box.
#[derive(Clone, Copy, Debug)]
pub struct RectangularBox {
    nb: u64,
    diagonal: Diagonal,
    cells: u64,
}

impl RectangularBox {
    /// A triangle of `nb` rows.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a triangle of more than 2^64 - 1 cells.
    pub fn new(nb: u64, diagonal: Diagonal) -> Result<Self> {
        Ok(RectangularBox { nb, diagonal, cells: cells(nb, diagonal)? })
    }

    /// The rows of the triangle with its diagonal, and the width of the grid.
    fn shape(&self) -> (u64, u64) {
        let m = rows(self.nb, self.diagonal);
        (m, m.div_ceil(2))
    }
}

impl Map<2> for RectangularBox {
    fn name(&self) -> &'static str {
        "rb"
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        let (m, width) = self.shape();
        let height = if m == 0 { 0 } else { m + 1 - m % 2 };
        vec![Launch([width, height, 1])]
    }

    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 2]> {
        if w >= self.cells {
            return None;
        }
        let (m, width) = self.shape();
        let (x, y) = (w % width, w / width);
        let odd = m % 2;
        // with an odd m nothing moves down by a row, and the part turned round moves right by a column
        let (i, j) = if y + odd > x { (y + odd - 1, x) } else { (m - 1 - y, m - 1 + odd - x) };
        Some(shift(i, j, self.diagonal))
    }

    fn block(&self, cell: [u64; 2]) -> Option<u64> {
        let [i, j] = unshift(cell, self.nb, self.diagonal)?;
        let (m, width) = self.shape();
        let odd = m % 2;
        let (x, y) = if j < width { (j, i + 1 - odd) } else { (m - 1 + odd - j, m - 1 - i) };
        Some(y * width + x)
    }
}
