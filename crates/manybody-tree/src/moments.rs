//! Moments of cells, in records that an interaction reads whole.
//!
//! A record holds the cell's centre as two numbers an axis (whose sum is right to f64 where T is f32), its unit of length
//! h, and M_k / h^k for |k| < p. The powers of h keep all numbers near one, so that f32 has room for every order. Interactions
//! that are harmonic read shorter records, of spherical moments.

use crate::bodies::LeafBodies;
use crate::harmonic::{Conversion, below};
use crate::index::{count, start};
use crate::scratch::{Scratch, WIDEST, add_lanes, load, padded};
use crate::taylor::{get, monomials, put, shift};
use crate::tree::{CHILDREN, Cell, Tree};
use manybody_law::memory::{self, refill};
use manybody_law::simd::{Element, Kernel, Lanes, Level, Vector, launch};
use rayon::prelude::*;

/// Numbers of a record before the moments.
pub(crate) const HEADER: usize = 8;
/// Where the header has the unit.
pub(crate) const UNIT: usize = 6;
/// Numbers of a record of spherical moments before these.
pub(crate) const SHORT_HEADER: usize = UNIT + 1;

/// Records that a thread converts at once.
const AT_ONCE: usize = 64;

/// The records of all cells.
#[derive(Debug, Default)]
pub(crate) struct Moments<T> {
    pub(crate) records: Vec<T>,
    /// Numbers of a record.
    pub(crate) width: usize,
    /// Moments of lower degree than this are there.
    pub(crate) order: usize,
    /// Records of spherical moments.
    pub(crate) spherical: Vec<T>,
    /// Numbers of such a record.
    pub(crate) short_width: usize,
    pub(crate) conversion: Conversion<T>,
}

/// A place as two numbers an axis.
pub(crate) fn two_parts<T: Element>(x: [f64; 3]) -> [T; 6] {
    let high = x.map(T::from_f64);
    let low: [T; 3] = std::array::from_fn(|k| T::from_f64(x[k] - high[k].to_f64()));
    [high[0], high[1], high[2], low[0], low[1], low[2]]
}

impl<T: Element> Moments<T> {
    /// The moments of a cell of one degree, in powers of its unit.
    pub(crate) fn of_degree(&self, cell: usize, degree: usize) -> impl Iterator<Item = f64> + '_ {
        let record = &self.records[cell * self.width + HEADER..];
        record[start(degree)..start(degree + 1)].iter().map(|moment| moment.to_f64())
    }

    /// Computes the moments of all cells of degrees below `order`.
    pub(crate) fn of(&mut self, level: Level, tree: &Tree, bodies: &LeafBodies<T>, order: usize) {
        self.with(level, tree, order, |leaf, unit, scratch, to| {
            launch(level, OfBodies { columns: bodies.columns(leaf), unit, order, scratch, to });
        });
    }

    /// Computes what is handed up as moments are, from what `of_leaf` adds to zeros for a leaf and its unit.
    pub(crate) fn with(
        &mut self,
        level: Level,
        tree: &Tree,
        order: usize,
        of_leaf: impl Fn(usize, f64, &mut Scratch<T>, &mut [T]) + Sync,
    ) {
        (self.order, self.width) = (order, padded(HEADER + count(order - 1)));
        let width = self.width;
        refill(&mut self.records, tree.cells.len() * width, T::default());
        let first_leaf = tree.first_leaf();
        let leaves = &mut self.records[first_leaf * width..];
        leaves.par_chunks_mut(width).enumerate().for_each_init(
            || Scratch::new(level),
            |scratch, (leaf, record)| {
                let cell = &tree.cells[first_leaf + leaf];
                head(cell, record);
                of_leaf(leaf, cell.unit, scratch, &mut record[HEADER..]);
            },
        );
        for pair in tree.levels.windows(2).rev() {
            let (above, below) = self.records.split_at_mut(pair[1].start * width);
            let above = &mut above[pair[0].start * width..];
            above.par_chunks_mut(width).enumerate().for_each_init(
                || Scratch::new(level),
                |scratch, (g, record)| {
                    let cell = &tree.cells[pair[0].start + g];
                    head(cell, record);
                    let first = CHILDREN * g;
                    let last = (first + CHILDREN).min(pair[1].len());
                    let children = &below[first * width..last * width];
                    let cells = &tree.cells[pair[1].start + first..pair[1].start + last];
                    let to = &mut record[HEADER..];
                    launch(level, OfCells { cell, cells, children, width, order, scratch, to });
                },
            );
        }
    }

    /// Fills the records of spherical moments, which harmonic interactions read.
    pub(crate) fn fill_spherical(&mut self, level: Level) {
        let width = padded(SHORT_HEADER + below(self.order));
        self.short_width = width;
        self.conversion.set(self.order);
        memory::resize(&mut self.spherical, self.records.len() / self.width * width, T::default());
        let from = self.records.par_chunks(AT_ONCE * self.width);
        self.spherical.par_chunks_mut(AT_ONCE * width).zip(from).for_each(|(to, from)| {
            self.conversion.moments(level, from, to, [self.width, width]);
        });
    }
}

fn head<T: Element>(cell: &Cell, record: &mut [T]) {
    record[..6].copy_from_slice(&two_parts(cell.center));
    record[UNIT] = T::from_f64(cell.unit);
}

/// The moments of a leaf's bodies.
struct OfBodies<'a, T> {
    columns: [&'a [T]; 4],
    unit: f64,
    order: usize,
    scratch: &'a mut Scratch<T>,
    to: &'a mut [T],
}

impl<T: Element> Kernel<T> for OfBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let n = count(self.order - 1);
        let sums = &mut self.scratch.sums[..n * V::LEN];
        sums.fill(T::default());
        let factor = V::splat(token, T::from_f64(-1.0 / self.unit));
        for at in (0..self.columns[0].len()).step_by(V::LEN) {
            let [x, y, z, mass] = load::<V, 4>(token, self.columns, at);
            let powers = &mut self.scratch.moments;
            monomials(token, [x * factor, y * factor, z * factor], mass, self.order - 1, powers);
            for (to, from) in sums.chunks_exact_mut(V::LEN).zip(powers.chunks_exact(V::LEN)) {
                (V::load(token, to) + V::load(token, from)).store(to);
            }
        }
        add_lanes::<V>(token, n, sums, self.to);
    }
}

/// The moments of a cell from those of its children.
struct OfCells<'a, T> {
    cell: &'a Cell,
    cells: &'a [Cell],
    children: &'a [T],
    width: usize,
    order: usize,
    scratch: &'a mut Scratch<T>,
    to: &'a mut [T],
}

impl<T: Element> Kernel<T> for OfCells<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let (n, zero) = (count(self.order - 1), V::splat(token, T::default()));
        let Scratch { moments, derivatives: powers, sums, .. } = self.scratch;
        sums[..n * V::LEN].fill(T::default());
        for (children, cells) in self.children.chunks(self.width * V::LEN).zip(self.cells.chunks(V::LEN)) {
            let mut step = [[T::default(); WIDEST]; 4];
            for (lane, child) in cells.iter().enumerate() {
                for (k, step) in step.iter_mut().enumerate().take(3) {
                    step[lane] = T::from_f64((self.cell.center[k] - child.center[k]) / self.cell.unit);
                }
                step[3][lane] = T::from_f64(child.unit / self.cell.unit);
            }
            let [x, y, z, ratio] = load::<V, 4>(token, step.each_ref().map(|step| &step[..]), 0);
            gather_rows::<V>(token, cells.len(), HEADER + n, |lane, at| &children[lane * self.width + at..], moments);
            rescale::<V>(token, ratio, self.order - 1, &mut moments[HEADER * V::LEN..]);
            monomials(token, [x, y, z], zero.lit(1.0), self.order - 1, powers);
            shift::<V>(token, self.order - 1, &moments[HEADER * V::LEN..], powers, sums);
        }
        add_lanes::<V>(token, n, sums, self.to);
    }
}

/// Numbers 0 to n of up to LEN records, number by number in lanes; lanes without a record hold zeros.
#[inline(always)]
pub(crate) fn gather_rows<'a, V: Lanes>(
    token: V::Token,
    records: usize,
    n: usize,
    record: impl Fn(usize, usize) -> &'a [V::T],
    to: &mut [V::T],
) where
    V::T: 'a,
{
    let zero = V::splat(token, V::T::default());
    for first in (0..n).step_by(V::LEN) {
        let mut rows = [zero; WIDEST];
        for (lane, row) in rows[..V::LEN].iter_mut().enumerate() {
            if lane < records {
                *row = V::load(token, record(lane, first));
            }
        }
        V::transpose(&mut rows[..V::LEN]);
        for (k, row) in rows[..V::LEN].iter().enumerate() {
            put(*row, to, first + k);
        }
    }
}

/// Multiplies coefficients of degree d up to p by ratio^d.
#[inline(always)]
pub(crate) fn rescale<V: Vector>(token: V::Token, ratio: V, p: usize, coefficients: &mut [V::T]) {
    let mut factor = ratio;
    for d in 1..=p {
        for k in start(d)..start(d + 1) {
            put(factor * get(token, coefficients, k), coefficients, k);
        }
        factor = factor * ratio;
    }
}
