//! A block-sparse mask: the cells that a list or a question names, in row order.
//!
//! Stored as compressed rows: where each row starts, and the column of each cell. Block w finds its row by halving
//! among the row starts (log2 of the number of rows that are not empty) and its column by reading it.

use super::{Launch, Map, square_side};
use crate::{Error, Result};

/// A block-sparse mask of `rows` x `columns`.
#[derive(Clone, Debug)]
pub struct Mask {
    columns: u64,
    /// The rows that have cells, ascending, and where each starts; the last entry of `starts` is the number of cells.
    rows: Vec<u32>,
    starts: Vec<u64>,
    cells: Vec<u32>,
}

impl Mask {
    /// The cells named, in any order; one named twice counts once.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a side above 2^32 or a cell outside the rectangle.
    pub fn from_cells(rows: u64, columns: u64, cells: &[[u64; 2]]) -> Result<Self> {
        check_sides(rows, columns)?;
        if let Some([i, j]) = cells.iter().find(|[i, j]| *i >= rows || *j >= columns) {
            return Err(Error::Parameter {
                name: "cells",
                value: format!("[{i}, {j}]"),
                expected: format!("must be a cell of the {rows} x {columns} mask"),
            });
        }
        let mut sorted = cells.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(Self::from_sorted(columns, sorted.into_iter()))
    }

    /// The cells for which `is_set(i, j)` is true.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a side above 2^32.
    pub fn from_fn(rows: u64, columns: u64, mut is_set: impl FnMut(u64, u64) -> bool) -> Result<Self> {
        check_sides(rows, columns)?;
        let all = (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
        Ok(Self::from_sorted(columns, all.filter(|[i, j]| is_set(*i, *j))))
    }

    fn from_sorted(columns: u64, cells: impl Iterator<Item = [u64; 2]>) -> Self {
        let mut mask = Mask { columns, rows: Vec::new(), starts: Vec::new(), cells: Vec::new() };
        for [i, j] in cells {
            if mask.rows.last() != Some(&(i as u32)) {
                mask.rows.push(i as u32);
                mask.starts.push(mask.cells.len() as u64);
            }
            mask.cells.push(j as u32);
        }
        mask.starts.push(mask.cells.len() as u64);
        mask
    }

    /// The cells as compressed rows, for a kernel's copy of the map: the rows that are not empty, where each starts
    /// (and the number of cells as a last entry), the column of each cell.
    pub fn compressed_rows(&self) -> (&[u32], &[u64], &[u32]) {
        (&self.rows, &self.starts, &self.cells)
    }
}

fn check_sides(rows: u64, columns: u64) -> Result<()> {
    for (name, value) in [("rows", rows), ("columns", columns)] {
        if value > 1 << 32 {
            return Err(Error::Parameter {
                name,
                value: value.to_string(),
                expected: "a mask has sides of at most 2^32 blocks".to_owned(),
            });
        }
    }
    Ok(())
}

impl Map<2> for Mask {
    fn name(&self) -> &'static str {
        "mask"
    }

    fn cells(&self) -> u64 {
        self.cells.len() as u64
    }

    fn launches(&self) -> Vec<Launch> {
        let side = square_side(self.cells());
        vec![Launch([side, side, 1])]
    }

    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 2]> {
        let column = *self.cells.get(usize::try_from(w).ok()?)?;
        let row = self.starts.partition_point(|start| *start <= w) - 1;
        Some([u64::from(self.rows[row]), u64::from(column)])
    }

    fn block(&self, [i, j]: [u64; 2]) -> Option<u64> {
        if j >= self.columns {
            return None;
        }
        let row = self.rows.binary_search(&u32::try_from(i).ok()?).ok()?;
        let (start, end) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        let place = self.cells[start..end].binary_search(&u32::try_from(j).ok()?).ok()?;
        Some((start + place) as u64)
    }
}
