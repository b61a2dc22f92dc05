//! Moments of cells, in records that an interaction reads whole.
//!
//! A record holds the cell's centre as two numbers an axis (whose sum is right to f64 where T is f32), its unit of length
//! h, and M_k / h^k for |k| < p. The powers of h keep all numbers near one, so that f32 has room for every order. Interactions
//! that are harmonic read shorter records, of spherical moments.

use crate::Place;
use crate::harmonic::{Conversion, below};
use crate::index::{count, start};
use crate::scratch::{Scratch, WIDEST, add_lanes, load, padded};
use crate::taylor::{get, monomials, put, shift};
use manybody_law::memory::{self, refill};
use manybody_law::simd::{Element, Kernel, Lanes, Vector};

/// Numbers of a record before the moments.
pub const HEADER: usize = 8;
/// Where the header has the unit.
pub(crate) const UNIT: usize = 6;
/// Numbers of a record of spherical moments before these.
pub(crate) const SHORT_HEADER: usize = UNIT + 1;

/// The records of all cells.
#[derive(Debug, Default)]
pub struct Moments<T> {
    /// Record by record: [`HEADER`] numbers, then the moments in the order of [`index`](crate::index).
    pub records: Vec<T>,
    /// Numbers of a record.
    pub width: usize,
    /// Moments of lower degree than this are there.
    pub order: usize,
    /// Records of spherical moments, which harmonic interactions read.
    pub spherical: Vec<T>,
    /// Numbers of such a record.
    pub short_width: usize,
    /// From the moments to the spherical ones, and back.
    pub conversion: Conversion<T>,
}

/// A place as two numbers an axis.
pub(crate) fn two_parts<T: Element>(x: [f64; 3]) -> [T; 6] {
    let high = x.map(T::from_f64);
    let low: [T; 3] = std::array::from_fn(|k| T::from_f64(x[k] - high[k].to_f64()));
    [high[0], high[1], high[2], low[0], low[1], low[2]]
}

impl<T: Element> Moments<T> {
    /// Makes room for so many cells, with moments of degrees below `order`, all 0.
    pub fn refill(&mut self, cells: usize, order: usize) {
        (self.order, self.width) = (order, padded(HEADER + count(order - 1)));
        refill(&mut self.records, cells * self.width, T::default());
    }

    /// Makes room for the spherical moments of all cells.
    pub fn resize_spherical(&mut self) {
        self.short_width = padded(SHORT_HEADER + below(self.order));
        self.conversion.set(self.order);
        memory::resize(&mut self.spherical, self.records.len() / self.width * self.short_width, T::default());
    }

    /// The moments of a cell of one degree, in powers of its unit.
    pub fn of_degree(&self, cell: usize, degree: usize) -> impl Iterator<Item = f64> + '_ {
        let record = &self.records[cell * self.width + HEADER..];
        record[start(degree)..start(degree + 1)].iter().map(|moment| moment.to_f64())
    }
}

/// Writes the header of a cell's record.
pub fn head<T: Element>(place: Place, record: &mut [T]) {
    record[..6].copy_from_slice(&two_parts(place.center));
    record[UNIT] = T::from_f64(place.unit);
}

/// The moments of a leaf's bodies.
#[derive(Debug)]
pub struct MomentsOfBodies<'a, T> {
    /// x, y and z relative to the leaf's centre, and mass; whole vectors of bodies.
    pub columns: [&'a [T]; 4],
    /// The leaf's unit of length.
    pub unit: f64,
    /// Degrees are below this.
    pub order: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The moments are added to these.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for MomentsOfBodies<'_, T> {
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
#[derive(Debug)]
pub struct MomentsOfCells<'a, T> {
    /// Where the moments are made.
    pub cell: Place,
    /// Where those of the children are.
    pub cells: &'a [Place],
    /// The records of the children.
    pub children: &'a [T],
    /// Numbers of a record.
    pub width: usize,
    /// Degrees are below this.
    pub order: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The moments are added to these.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for MomentsOfCells<'_, T> {
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
