//! Expansions about a sink, handed down to its children and evaluated at its bodies.

use crate::Place;
use crate::index::{count, start};
use crate::moments::rescale;
use crate::scratch::{Scratch, WIDEST, load};
use crate::soft::LeafDifferences;
use crate::taylor::{Degrees, contract, evaluate, get, monomials};
use manybody_law::simd::{Element, Kernel, Lanes};

/// The expansion of a cell, about its children. `to` has one expansion of `width` numbers a child.
#[derive(Debug)]
pub struct ToChildren<'a, T> {
    /// Where the expansion is.
    pub cell: Place,
    /// Where those of the children are made.
    pub children: &'a [Place],
    /// The order of the expansions.
    pub order: usize,
    /// Whether the coefficients are those of an inverse length, as of 1/r in the unit of the cell; else they are numbers.
    pub inverse: bool,
    /// The expansion.
    pub local: &'a [T],
    /// Numbers from one child's expansion to the next.
    pub width: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The expansions of the children.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for ToChildren<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let (p, n) = (self.order, count(self.order));
        let Scratch { moments: powers, derivatives: local, sums, .. } = self.scratch;
        for k in 0..n {
            V::splat(token, self.local[k]).store(&mut local[k * V::LEN..]);
        }
        let to = self.to.chunks_mut(self.width * V::LEN);
        for (children, to) in self.children.chunks(V::LEN).zip(to) {
            let mut step = [[T::default(); WIDEST]; 4];
            for (lane, child) in children.iter().enumerate() {
                for (k, step) in step.iter_mut().enumerate().take(3) {
                    step[lane] = T::from_f64((child.center[k] - self.cell.center[k]) / self.cell.unit);
                }
                step[3][lane] = T::from_f64(child.unit / self.cell.unit);
            }
            let [x, y, z, ratio] = load::<V, 4>(token, step.each_ref().map(|step| &step[..]), 0);
            let first = if self.inverse { ratio } else { ratio.lit(1.0) };
            monomials(token, [x, y, z], first, p, powers);
            sums[..n * V::LEN].fill(T::default());
            let degrees = Degrees { order: p, lowest: 0, sink: p, source: p, dipoles: true };
            contract::<V>(token, degrees, powers, local, sums);
            rescale::<V>(token, ratio, p, sums);
            for first in (0..n).step_by(V::LEN) {
                let mut rows = [x; WIDEST];
                for (k, row) in rows[..V::LEN].iter_mut().enumerate() {
                    *row = get(token, sums, first + k);
                }
                V::transpose(&mut rows[..V::LEN]);
                for (row, to) in rows.iter().zip(to.chunks_exact_mut(self.width)) {
                    row.store(&mut to[first..]);
                }
            }
        }
    }
}

/// Adds acceleration and potential of an expansion to those of bodies; of a second one, times their differences.
#[derive(Debug)]
pub struct AtBodies<'a, T> {
    /// x, y and z relative to the leaf's centre, and mass; whole vectors of bodies.
    pub columns: [&'a [T]; 4],
    /// Of a second expansion.
    pub differences: Option<LeafDifferences<'a, T>>,
    /// The leaf's unit of length.
    pub unit: f64,
    /// The order of the expansion.
    pub order: usize,
    /// The expansion.
    pub local: &'a [T],
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// `[ax, ay, az, pot][body]`.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for AtBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let inverse = V::splat(token, T::from_f64(1.0 / self.unit));
        let leaf = self.columns[0].len();
        for at in (0..leaf).step_by(V::LEN) {
            let [x, y, z, _] = load::<V, 4>(token, self.columns, at);
            let powers = &mut self.scratch.moments;
            monomials(token, [x * inverse, y * inverse, z * inverse], inverse.lit(1.0), self.order, powers);
            let [value, gx, gy, gz] = evaluate::<V>(token, self.order, self.local, powers);
            let (mut square, mut single) = (-(inverse * inverse), inverse);
            if let Some(differences) = self.differences {
                let difference = differences.of(token, at);
                (square, single) = (square * difference, single * difference);
            }
            for (field, value) in [gx * square, gy * square, gz * square, value * single].into_iter().enumerate() {
                let to = &mut self.to[field * leaf + at..];
                (V::load(token, to) + value).store(to);
            }
        }
    }
}

/// What an expansion of order one says at its centre: acceleration and potential.
pub fn at_center<T: Element>(local: &[T], unit: f64) -> [f64; 4] {
    let [value, x, y, z] = [0, start(1), start(1) + 1, start(1) + 2].map(|k| local[k].to_f64());
    let square = unit * unit;
    [-x / square, -y / square, -z / square, value / unit]
}
