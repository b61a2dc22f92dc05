//! A rectangle with a band: the cells of `rows` x `columns` with low <= j - i <= high.
//!
//! The triangle is the band that reaches down to the corner; banded matrices, neighbours in a sorted list and windows
//! of a time series are others. Going down the rows, the width of the band grows by 1 a row, stays, or shrinks by 1,
//! and changes its mind at most four times. So the domain is at most five segments, each a parallelogram or a
//! triangle without its tip, with the map of each exact: a division, or [`triangular_root`].

use super::lambda::triangular_in_range;
use super::{Diagonal, Launch, Map, square_side, triangular, triangular_root};
use crate::{Error, Result};

/// Rows whose widths grow evenly.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// First row, and one past the last.
    row: u64,
    end: u64,
    /// Width of the first row.
    width: u64,
    /// What each row is wider than the one before: -1, 0 or 1.
    growth: i64,
    /// Index of the first cell.
    start: u64,
}

impl Segment {
    fn rows(&self) -> u64 {
        self.end - self.row
    }

    fn last_width(&self) -> u64 {
        self.width.wrapping_add_signed(self.growth * (self.rows() as i64 - 1))
    }

    /// Row and place in the row, both from 0 in this segment, of its cell v.
    #[inline]
    fn place(&self, v: u64, cells: u64) -> (u64, u64) {
        match self.growth {
            0 => (v / self.width, v % self.width),
            1 => {
                // the missing tip is the triangle of width - 1 rows
                let u = v + triangular_in_range(self.width - 1);
                let r = triangular_root(u);
                (r + 1 - self.width, u - triangular_in_range(r))
            }
            _ => {
                // upside down, so that the widths grow
                let last = self.last_width();
                let u = cells - 1 - v + triangular_in_range(last - 1);
                let r = triangular_root(u);
                (self.rows() + last - 2 - r, r - (u - triangular_in_range(r)))
            }
        }
    }

    /// Cells in the first `rows` rows.
    fn before(&self, rows: u64) -> u64 {
        let grown = if rows == 0 { 0 } else { triangular_in_range(rows - 1) };
        (rows * self.width).wrapping_add_signed(self.growth * grown as i64)
    }
}

/// A rectangle with a band.
#[derive(Clone, Debug)]
pub struct Band {
    rows: u64,
    columns: u64,
    low: i64,
    high: i64,
    cells: u64,
    segments: Vec<Segment>,
}

impl Band {
    /// The cells of a rectangle with low <= j - i <= high. For the usual band matrix with kl diagonals below the main
    /// one and ku above it, low = -kl and high = ku.
    ///
    /// # Errors
    /// [`Error::Parameter`] for sides or offsets above 2^32, or more than 2^62 cells.
    pub fn new(rows: u64, columns: u64, low: i64, high: i64) -> Result<Self> {
        const LIMIT: u64 = 1 << 32;
        for (name, value) in [("rows", rows), ("columns", columns)] {
            if value > LIMIT {
                return Err(too_large(name, &value));
            }
        }
        for (name, value) in [("low", low), ("high", high)] {
            if value.unsigned_abs() > LIMIT {
                return Err(too_large(name, &value));
            }
        }
        let (signed_rows, signed_columns) = (rows as i64, columns as i64);
        // the rows between which the band starts, leaves the left edge, meets the right edge, ends
        let mut cuts = [0, -high, -low, signed_columns - 1 - high, signed_columns - low, signed_rows];
        cuts.iter_mut().for_each(|c| *c = (*c).clamp(0, signed_rows));
        cuts.sort_unstable();
        let mut segments = Vec::new();
        let mut start = 0_u128;
        for pair in cuts.windows(2).filter(|pair| pair[0] < pair[1]) {
            let width = |i: i64| ((i + high).min(signed_columns - 1) - (i + low).max(0) + 1).max(0);
            let (first, last) = (width(pair[0]), width(pair[1] - 1));
            if first == 0 {
                continue;
            }
            let rows = pair[1] - pair[0];
            let segment = Segment {
                row: pair[0] as u64,
                end: pair[1] as u64,
                width: first as u64,
                growth: if rows > 1 { (last - first).signum() } else { 0 },
                start: start as u64,
            };
            segments.push(segment);
            start += rows as u128 * (first + last) as u128 / 2;
        }
        if start > 1 << 62 {
            return Err(too_large("cells", &start));
        }
        Ok(Band { rows, columns, low, high, cells: start as u64, segments })
    }

    /// The triangle of `nb` rows as a band.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than 2^62 cells.
    pub fn triangle(nb: u64, diagonal: Diagonal) -> Result<Self> {
        if triangular(nb).is_none_or(|cells| cells > 1 << 62) {
            return Err(too_large("nb", &nb));
        }
        Band::new(nb, nb, -(nb as i64), if diagonal.is_with() { 0 } else { -1 })
    }

    /// The segments, for a kernel's copy of the map: how many, `low` as two's complement, then of each its first row, its
    /// rows, the width of the first row, by how much each row is wider than the one before (0, 1, or -1 as two's
    /// complement), the index of its first cell, and its cells.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a band that does not fit 32 bits.
    pub fn table(&self) -> Result<Vec<u32>> {
        let fits = |x: u64| u32::try_from(x).map_err(|_| too_large("cells", &self.cells));
        let mut table = vec![self.segments.len() as u32, self.low as u32];
        for (k, s) in self.segments.iter().enumerate() {
            let end = self.segments.get(k + 1).map_or(self.cells, |next| next.start);
            let words = [fits(s.row)?, fits(s.rows())?, fits(s.width)?, s.growth as u32, fits(s.start)?];
            table.extend(words);
            table.push(fits(end)? - words[4]);
        }
        Ok(table)
    }

    /// The columns of row `i`.
    fn columns_of(&self, i: u64) -> std::ops::RangeInclusive<i64> {
        let i = i as i64;
        (i + self.low).max(0)..=(i + self.high).min(self.columns as i64 - 1)
    }
}

fn too_large(name: &'static str, value: &dyn ToString) -> Error {
    Error::Parameter {
        name,
        value: value.to_string(),
        expected: "a band takes sides and offsets up to 2^32 and at most 2^62 cells".to_owned(),
    }
}

impl Map<2> for Band {
    fn name(&self) -> &'static str {
        "band"
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        let side = square_side(self.cells);
        vec![Launch([side, side, 1])]
    }

    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 2]> {
        if w >= self.cells {
            return None;
        }
        let index = self.segments.iter().rposition(|s| s.start <= w)?;
        let segment = &self.segments[index];
        let end = self.segments.get(index + 1).map_or(self.cells, |s| s.start);
        let (row, place) = segment.place(w - segment.start, end - segment.start);
        let i = segment.row + row;
        Some([i, *self.columns_of(i).start() as u64 + place])
    }

    fn block(&self, [i, j]: [u64; 2]) -> Option<u64> {
        let columns = self.columns_of(i.min(self.rows));
        if i >= self.rows || !columns.contains(&i64::try_from(j).ok()?) {
            return None;
        }
        let segment = self.segments.iter().find(|s| (s.row..s.end).contains(&i))?;
        Some(segment.start + segment.before(i - segment.row) + (j - *columns.start() as u64))
    }
}
