//! Arrays of a caller: pointers with sizes, checked before they are read or written.
#![allow(unsafe_code)] // reads and writes where a caller says

use crate::border::{Failure, Outcome};
use std::ops::Range;

/// A number that arrays have.
pub(crate) trait Number: Copy + Send + Sync {
    fn wide(self) -> f64;
    fn narrow(wide: f64) -> Self;
}

impl Number for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn narrow(wide: f64) -> Self {
        wide
    }
}

impl Number for f32 {
    fn wide(self) -> f64 {
        self.into()
    }
    fn narrow(wide: f64) -> Self {
        wide as f32
    }
}

/// An array that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct In<T> {
    name: &'static str,
    at: *const T,
    len: usize,
}

/// An array that is written.
#[derive(Debug)]
pub(crate) struct Out<T> {
    name: &'static str,
    at: *mut T,
    len: usize,
}

/// Where an array is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    name: &'static str,
    at: Range<usize>,
}

impl<T> In<T> {
    /// The array `name` of `n` rows of `width` numbers.
    ///
    /// # Safety
    /// `at` is null or points to so many numbers, which live and do not change as long as this is used.
    pub(crate) unsafe fn new(name: &'static str, at: *const T, n: i64, width: usize) -> Outcome<Self> {
        Ok(In { name, at, len: check(name, at, n, width)? })
    }

    /// The same, where null stands for no array.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    pub(crate) unsafe fn optional(name: &'static str, at: *const T, n: i64, width: usize) -> Outcome<Option<Self>> {
        // SAFETY: as this function's
        (!at.is_null()).then(|| unsafe { Self::new(name, at, n, width) }).transpose()
    }

    pub(crate) fn slice(&self) -> &[T] {
        match self.len {
            0 => &[],
            // SAFETY: `check` has found it aligned and not null, of a size that memory can have
            len => unsafe { std::slice::from_raw_parts(self.at, len) },
        }
    }

    pub(crate) fn place(&self) -> Place {
        place(self.name, self.at, self.len)
    }
}

impl<T> Out<T> {
    /// The array `name` of `n` rows of `width` numbers.
    ///
    /// # Safety
    /// `at` is null or points to so many numbers, which live and are used by no one else as long as this is used.
    pub(crate) unsafe fn new(name: &'static str, at: *mut T, n: i64, width: usize) -> Outcome<Self> {
        Ok(Out { name, at, len: check(name, at, n, width)? })
    }

    /// The same, where null stands for no array.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    pub(crate) unsafe fn optional(name: &'static str, at: *mut T, n: i64, width: usize) -> Outcome<Option<Self>> {
        // SAFETY: as this function's
        (!at.is_null()).then(|| unsafe { Self::new(name, at, n, width) }).transpose()
    }

    pub(crate) fn slice(&mut self) -> &mut [T] {
        match self.len {
            0 => &mut [],
            // SAFETY: `check` has found it aligned and not null, of a size that memory can have
            len => unsafe { std::slice::from_raw_parts_mut(self.at, len) },
        }
    }

    pub(crate) fn place(&self) -> Place {
        place(self.name, self.at, self.len)
    }
}

impl<T: Number> Out<T> {
    /// Writes columns as rows.
    pub(crate) fn write_rows(&mut self, columns: &[&[f64]]) {
        let width = columns.len();
        match columns {
            [x, y, z] => {
                let (rows, _) = self.slice().as_chunks_mut::<3>();
                for (((row, x), y), z) in rows.iter_mut().zip(*x).zip(*y).zip(*z) {
                    *row = [T::narrow(*x), T::narrow(*y), T::narrow(*z)];
                }
            }
            _ => {
                for (k, column) in columns.iter().enumerate() {
                    let places = self.slice().iter_mut().skip(k).step_by(width.max(1));
                    places.zip(*column).for_each(|(to, from)| *to = T::narrow(*from));
                }
            }
        }
    }

    /// Sets all numbers.
    pub(crate) fn fill(&mut self, value: f64) {
        self.slice().fill(T::narrow(value));
    }
}

fn place<T>(name: &'static str, at: *const T, len: usize) -> Place {
    place_of(name, at.addr(), len * size_of::<T>())
}

/// So many bytes from an address on.
pub(crate) fn place_of(name: &'static str, start: usize, bytes: usize) -> Place {
    Place { name, at: start..start + bytes }
}

/// The numbers of an array, which must be where it says and no more than memory can have.
pub(crate) fn check<T>(name: &str, at: *const T, n: i64, width: usize) -> Outcome<usize> {
    let wrong = |text: String| Err(Failure::Argument(format!("{name}: {text}")));
    let rows = count(name, n)?;
    let most = isize::MAX as usize / size_of::<T>().max(1);
    let Some(len) = rows.checked_mul(width).filter(|len| *len <= most) else {
        return wrong(format!("{rows} rows of {width} numbers; must be an array that memory can hold"));
    };
    if len == 0 {
        return Ok(0);
    }
    if at.is_null() {
        return wrong(format!("is a null pointer; must be an array of {len} numbers"));
    }
    if !at.is_aligned() {
        return wrong(format!("is not aligned: its address must be a multiple of {}", align_of::<T>()));
    }
    match at.addr().checked_add(len * size_of::<T>()) {
        Some(_) => Ok(len),
        None => wrong(format!("an array of {len} numbers would reach beyond the end of memory")),
    }
}

/// A number of bodies or rows.
pub(crate) fn count(name: &str, n: i64) -> Outcome<usize> {
    let wrong = |_| Failure::Argument(format!("the size of {name} is {n}; must be 0 or more"));
    usize::try_from(n).map_err(wrong)
}

/// Refuses results that overlap each other or what is read.
pub(crate) fn check_apart(results: &[Option<Place>], inputs: &[Option<Place>]) -> Outcome {
    let meets = |a: &Place, b: &Place| a.at.start < b.at.end && b.at.start < a.at.end;
    for (k, result) in results.iter().enumerate() {
        let Some(result) = result else { continue };
        let others = results[k + 1..].iter().chain(inputs).flatten();
        if let Some(other) = others.into_iter().find(|other| meets(result, other)) {
            let text = format!("{} overlaps {}: a result must have memory of its own", result.name, other.name);
            return Err(Failure::Argument(text));
        }
    }
    Ok(())
}

/// An empty column with room for `n` numbers.
pub(crate) fn room<T>(n: usize) -> Outcome<Vec<T>> {
    let mut column = Vec::new();
    empty(&mut column, n)?;
    Ok(column)
}

/// Makes a column empty, with room for `n` numbers.
fn empty<T>(column: &mut Vec<T>, n: usize) -> Outcome {
    column.clear();
    let wrong = |_| Failure::Memory(format!("{n} numbers do not fit into memory"));
    column.try_reserve_exact(n).map_err(wrong)
}

/// Fills a column with zeros.
pub(crate) fn fill_zeros(n: usize, column: &mut Vec<f64>) -> Outcome {
    empty(column, n)?;
    column.resize(n, 0.0);
    Ok(())
}

/// So many zeros.
pub(crate) fn zeros(n: usize) -> Outcome<Vec<f64>> {
    let mut column = Vec::new();
    fill_zeros(n, &mut column)?;
    Ok(column)
}

/// Makes a column of the numbers from 0 on as long as `n`.
pub(crate) fn count_to(n: usize, column: &mut Vec<u64>) -> Outcome {
    if column.len() != n {
        empty(column, n)?;
        column.extend(0..n as u64);
    }
    Ok(())
}

/// Fills a column with the numbers of an array.
pub(crate) fn fill<T: Number>(array: &In<T>, column: &mut Vec<f64>) -> Outcome {
    empty(column, array.slice().len())?;
    column.extend(array.slice().iter().map(|q| q.wide()));
    Ok(())
}

/// Fills three columns with rows of three numbers.
pub(crate) fn fill3<T: Number>(array: &In<T>, columns: [&mut Vec<f64>; 3]) -> Outcome {
    let (rows, _) = array.slice().as_chunks::<3>();
    let n = rows.len();
    let [x, y, z] = columns;
    for column in [&mut *x, &mut *y, &mut *z] {
        if column.len() != n {
            fill_zeros(n, column)?;
        }
    }
    for (((row, x), y), z) in rows.iter().zip(x).zip(y).zip(z) {
        [*x, *y, *z] = row.map(T::wide);
    }
    Ok(())
}

/// Rows of three numbers as columns.
pub(crate) fn columns3<T: Number>(array: &In<T>) -> Outcome<[Vec<f64>; 3]> {
    let [mut x, mut y, mut z] = [Vec::new(), Vec::new(), Vec::new()];
    fill3(array, [&mut x, &mut y, &mut z])?;
    Ok([x, y, z])
}

/// Rows of `width` numbers as columns.
pub(crate) fn columns<T: Number>(array: &In<T>, width: usize) -> Outcome<Vec<Vec<f64>>> {
    let numbers = array.slice();
    (0..width).map(|k| collected(numbers.len() / width, numbers.iter().skip(k).step_by(width))).collect()
}

/// Numbers as a column.
pub(crate) fn column<T: Number>(array: &In<T>) -> Outcome<Vec<f64>> {
    let mut column = Vec::new();
    fill(array, &mut column)?;
    Ok(column)
}

fn collected<'a, T: Number + 'a>(n: usize, numbers: impl Iterator<Item = &'a T>) -> Outcome<Vec<f64>> {
    let mut column = room(n)?;
    column.extend(numbers.map(|q| q.wide()));
    Ok(column)
}

/// Whether all numbers are finite: a sum of 0 times each, which the compiler makes vectors of.
pub(crate) fn all_finite(column: &[f64]) -> bool {
    let (eights, rest) = column.as_chunks::<8>();
    let mut held = [0.0; 8];
    eights.iter().for_each(|eight| held.iter_mut().zip(eight).for_each(|(held, q)| *held += q * 0.0));
    held.iter().chain(rest).map(|q| q * 0.0).sum::<f64>() == 0.0
}
