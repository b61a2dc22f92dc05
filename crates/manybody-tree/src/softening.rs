//! Softenings of the bodies' own.
//!
//! The square of a pair's softening is the sum of two halves, h_i + h_j, so that the potential is a function of the
//! separation and of w = h_i + h_j alone. About the means of two cells, w = h_A + h_B + d_i + d_j, it is expanded to the first
//! power of each difference,
//!
//! ```text
//! F(r, w) = F + (d_i + d_j) F' + d_i d_j F'',    F' = dF/dw:  of the chain of derivatives the next, halved
//! ```
//!
//! since g_{m+1} = 2 dg_m/ds and s = r.r + w. So a cell has moments of m d_j beside those of m, and an expansion about a
//! sink has a second one, which its bodies take times their d_i: two pairs of moments and expansions, symmetric in source and
//! sink, so that momentum is conserved. What is cut off is of the second power of the differences, or of the first where
//! they do not matter and only F is taken; the criterion counts both.
//!
//! Both moments and second expansions are kept with differences from one number for all cells: then they are handed up and
//! down as others are, and a cell's own follow by one multiplication.

use crate::bodies::LeafBodies;
use crate::moments;
use crate::tree::Tree;
use manybody_expansions::{Differences, LeafDifferences, Moments, Operators};
use manybody_law::memory;
use manybody_law::simd::Level;
use manybody_pairwise::{Bodies, Coordinates, Frame, Gravity};
use rayon::prelude::*;

/// Writes half the squares of the softenings of bodies that have their own, in units of a frame, for numbers of 64 or 32 bits;
/// nothing where all have one. Returns the square of that one, or of the first body's.
pub fn own_softenings(frame: &Frame, bodies: &Bodies, gravity: &Gravity, double: bool, to: &mut Vec<f64>) -> f64 {
    to.clear();
    let single = || frame.parameters::<f32>(gravity).map(f64::from);
    if bodies.eps.is_none() || bodies.is_empty() {
        let [eps2] = if double { frame.parameters::<f64>(gravity) } else { single() };
        return eps2;
    }
    to.resize(bodies.len(), 0.0);
    if double {
        frame.write(bodies, gravity, Coordinates::Positions, 4, to);
    } else {
        let mut halves = vec![0.0_f32; bodies.len()];
        frame.write(bodies, gravity, Coordinates::Positions, 4, &mut halves);
        to.iter_mut().zip(halves).for_each(|(to, half)| *to = f64::from(half));
    }
    let first = to[0];
    if to.iter().all(|half| *half == first) {
        to.clear();
    }
    2.0 * first
}

/// What differences of halves are taken from, and the largest of them.
pub fn middle(halves: &[f64]) -> [f64; 2] {
    let first = halves.first().copied().unwrap_or(0.0);
    let [low, high] = [f64::min, f64::max].map(|of| halves.iter().copied().fold(first, of));
    [0.5 * (low + high), 0.5 * (high - low)]
}

/// So many classes of softenings. Each has those within a factor of 2, the first one all that are smaller. (With
/// 14 classes of a factor of 1.4 a continuum of softenings takes 1.2 to 1.9 times as long, two kinds of bodies as long as with these.)
pub const CLASSES: i32 = 6;

/// Binary digits of a half square that a class has: two of the square are one of the softening.
pub const DIGITS_OF_CLASS: i32 = 2;

/// The classes of softenings, given by half their squares. Bodies of one class make cells together, so that their differences
/// are small, whatever others have.
pub(crate) fn classes(halves: &[f64]) -> Vec<u8> {
    let exponent = |half: f64| ((half as f32).to_bits() >> 23) as i32;
    let largest = halves.iter().map(|half| exponent(*half)).max().unwrap_or(0);
    let class = |half: &f64| (CLASSES - 1 - (largest - exponent(*half)) / DIGITS_OF_CLASS).max(0) as u8;
    halves.iter().map(class).collect()
}

/// Half squares of softening lengths, of bodies and cells.
#[derive(Debug, Default)]
pub(crate) struct Softenings<T> {
    /// In the order of the tree.
    pub(crate) of_bodies: Vec<f64>,
    /// The same as `[leaf][body]`, leaves filled up.
    each: Vec<T>,
    /// Of cells: the mean, weighted by mass.
    pub(crate) means: Vec<f64>,
    /// Of cells: no body differs from the mean by more.
    pub(crate) ranges: Vec<f64>,
    /// The moments of masses times differences, in units of the largest one.
    pub(crate) moments: Moments<T>,
    pub(crate) differences: Differences,
    leaf: usize,
    products: LeafBodies<T>,
}

impl<T: Operators> Softenings<T> {
    /// Takes the halves of bodies, by their indices; they are not all the same.
    pub(crate) fn fill(&mut self, level: Level, tree: &Tree, halves: &[f64], order: usize) {
        let [base, unit] = middle(halves);
        self.differences = Differences { base, unit };
        self.leaf = tree.leaf;
        self.of_bodies.clear();
        self.of_bodies.extend(tree.order.iter().map(|body| halves[*body as usize]));
        memory::resize(&mut self.each, (tree.cells.len() - tree.first_leaf()) * tree.leaf, T::default());
        let (fill, leaves) = (T::from_f64(base), self.each.par_chunks_mut(tree.leaf));
        leaves.zip(self.of_bodies.par_chunks(tree.leaf)).for_each(|(to, from)| {
            to.fill(fill);
            to.iter_mut().zip(from).for_each(|(to, half)| *to = T::from_f64(*half));
        });
        self.set_cells(tree);
        let Softenings { products, moments, of_bodies, differences, .. } = self;
        products.fill_with(tree, |k| tree.points[k].mass * differences.of(of_bodies[k]));
        moments::fill(moments, level, tree, products, order);
    }

    fn set_cells(&mut self, tree: &Tree) {
        let cells = &tree.cells;
        self.means.clear();
        self.means.resize(cells.len(), 0.0);
        self.ranges.clear();
        self.ranges.resize(cells.len(), 0.0);
        for cell in (0..cells.len()).rev() {
            let (mean, range) = match tree.children.get(cell) {
                None => {
                    let bodies = tree.bodies(cell);
                    let weight = |k: usize| if cells[cell].mass > 0.0 { tree.points[k].mass.abs() } else { 1.0 };
                    let mean = mean(bodies.clone().map(|k| (weight(k), self.of_bodies[k])));
                    (mean, bodies.map(|k| (self.of_bodies[k] - mean).abs()).fold(0.0, f64::max))
                }
                Some(children) => {
                    let children = children.start as usize..children.end as usize;
                    let weight = |k: usize| if cells[cell].mass > 0.0 { cells[k].mass } else { 1.0 };
                    let mean = mean(children.clone().map(|k| (weight(k), self.means[k])));
                    (mean, children.map(|k| self.ranges[k] + (self.means[k] - mean).abs()).fold(0.0, f64::max))
                }
            };
            (self.means[cell], self.ranges[cell]) = (mean, range);
        }
    }

    /// The bodies of leaves, with masses times differences in place of masses.
    pub(crate) fn products(&self) -> &LeafBodies<T> {
        &self.products
    }

    /// Half the square of a pair's softening belongs to each of its bodies, in the order of the tree.
    pub(crate) fn of_pair(&self, i: usize, j: usize) -> f64 {
        self.of_bodies[i] + self.of_bodies[j]
    }

    /// The differences of a leaf's bodies, in units of the largest.
    pub(crate) fn differences_in(&self, leaf: usize) -> LeafDifferences<'_, T> {
        self.differences.of_bodies(&self.each[leaf * self.leaf..(leaf + 1) * self.leaf])
    }

    /// The halves of all bodies, `[leaf][body]`.
    pub(crate) fn of_leaves(&self) -> &[T] {
        &self.each
    }
}

fn mean(weighted: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (weight, sum) = weighted.fold((0.0, 0.0), |(all, sum), (weight, half)| (all + weight, sum + weight * half));
    sum / weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_of_similar_softenings() {
        // squares of softenings from 1 down: a factor of 4 a class, but for the last, which has all below
        assert_eq!(classes(&[0.0, 1.0, 0.9, 0.3, 0.26, 0.01, 1e-9]), [0, 5, 5, 4, 4, 2, 0]);
        assert!(classes(&[]).is_empty());
    }
}
