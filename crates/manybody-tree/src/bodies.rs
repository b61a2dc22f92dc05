//! Numbers of bodies in the order of the tree, leaf by leaf.

use crate::tree::{Cell, Tree};
use manybody_expansions::Point;
use manybody_law::memory;
use manybody_law::simd::Element;
use rayon::prelude::*;

/// N numbers of each body, of leaves that are filled up to their size with zeros.
#[derive(Debug, Default)]
pub(crate) struct Leaves<T, const N: usize> {
    leaf: usize,
    /// `[leaf][number][body]`.
    columns: Vec<T>,
    /// `[body][number]`.
    each: Vec<[T; N]>,
}

/// x, y and z relative to the centre of the leaf, and mass: leaves are filled up with bodies without mass at their centre.
pub(crate) type LeafBodies<T> = Leaves<T, 4>;

impl<T: Element> LeafBodies<T> {
    /// Takes the bodies of a tree.
    pub(crate) fn fill(&mut self, tree: &Tree) {
        self.fill_with(tree, |k| tree.points[k].mass);
    }

    /// Takes the bodies of a tree, with other masses of either sign: those of bodies in the order of the tree.
    pub(crate) fn fill_with(&mut self, tree: &Tree, mass: impl Fn(usize) -> f64 + Sync) {
        self.take(tree, |leaf, body| {
            let Point { x, .. } = tree.points[body];
            let [dx, dy, dz] = std::array::from_fn(|axis| T::from_f64(x[axis] - leaf.center[axis]));
            [dx, dy, dz, T::from_f64(mass(body))]
        });
    }
}

impl<T: Element, const N: usize> Leaves<T, N> {
    /// Takes the numbers `of` each body of a tree, by its leaf and its place in the order of the tree.
    pub(crate) fn take(&mut self, tree: &Tree, of: impl Fn(&Cell, usize) -> [T; N] + Sync) {
        let leaf = tree.leaf;
        self.leaf = leaf;
        let first = tree.first_leaf();
        let leaves = tree.cells.len() - first;
        memory::resize(&mut self.columns, leaves * N * leaf, T::default());
        memory::resize(&mut self.each, leaves * leaf, [T::default(); N]);
        let to = self.columns.par_chunks_mut(N * leaf).zip(self.each.par_chunks_mut(leaf));
        to.enumerate().for_each(|(g, (columns, each))| {
            let (cell, bodies) = (&tree.cells[first + g], tree.bodies(first + g));
            if bodies.len() < leaf {
                columns.fill(T::default());
                each.fill([T::default(); N]);
            }
            for (k, body) in bodies.enumerate() {
                each[k] = of(cell, body);
                (0..N).for_each(|field| columns[field * leaf + k] = each[k][field]);
            }
        });
    }

    /// What operators read.
    pub(crate) fn view(&self) -> manybody_expansions::Leaves<'_, T, N> {
        manybody_expansions::Leaves { leaf: self.leaf, columns: &self.columns, each: &self.each }
    }

    /// The columns of a leaf's bodies.
    pub(crate) fn columns(&self, leaf: usize) -> [&[T]; N] {
        self.view().columns(leaf)
    }
}
