//! Bodies in the order of the tree, relative to the centre of their leaf.

use crate::tree::{Point, Tree};
use manybody_law::memory;
use manybody_law::simd::{Element, prefetch};
use rayon::prelude::*;

/// The bodies of leaves: each leaf's x, y, z and mass, filled up to its size with bodies without mass at its centre.
#[derive(Debug, Default)]
pub(crate) struct LeafBodies<T> {
    leaf: usize,
    /// `[leaf][x, y, z, mass][body]`.
    columns: Vec<T>,
    /// `[body][x, y, z, mass]`.
    each: Vec<[T; 4]>,
}

impl<T: Element> LeafBodies<T> {
    /// Takes the bodies of a tree.
    pub(crate) fn fill(&mut self, tree: &Tree) {
        self.fill_with(tree, |k| tree.points[k].mass);
    }

    /// Takes the bodies of a tree, with other masses of either sign: those of bodies in the order of the tree.
    pub(crate) fn fill_with(&mut self, tree: &Tree, mass: impl Fn(usize) -> f64 + Sync) {
        let leaf = tree.leaf;
        self.leaf = leaf;
        let first = tree.first_leaf();
        let leaves = tree.cells.len() - first;
        memory::resize(&mut self.columns, leaves * 4 * leaf, T::default());
        memory::resize(&mut self.each, leaves * leaf, [T::default(); 4]);
        let to = self.columns.par_chunks_mut(4 * leaf).zip(self.each.par_chunks_mut(leaf));
        to.enumerate().for_each(|(g, (columns, each))| {
            let (cell, bodies) = (&tree.cells[first + g], tree.bodies(first + g));
            if bodies.len() < leaf {
                columns.fill(T::default());
                each.fill([T::default(); 4]);
            }
            for (k, body) in bodies.enumerate() {
                let Point { x, .. } = tree.points[body];
                let [dx, dy, dz] = std::array::from_fn(|axis| T::from_f64(x[axis] - cell.center[axis]));
                each[k] = [dx, dy, dz, T::from_f64(mass(body))];
                (0..4).for_each(|field| columns[field * leaf + k] = each[k][field]);
            }
        });
    }

    /// x, y, z and mass of a leaf's bodies.
    pub(crate) fn columns(&self, leaf: usize) -> [&[T]; 4] {
        let columns = &self.columns[leaf * 4 * self.leaf..(leaf + 1) * 4 * self.leaf];
        std::array::from_fn(|field| &columns[field * self.leaf..(field + 1) * self.leaf])
    }

    /// Starts to fetch a leaf's bodies.
    #[inline(always)]
    pub(crate) fn prefetch(&self, leaf: usize) {
        prefetch(&self.each, leaf * self.leaf, self.leaf);
    }

    /// A leaf's bodies one by one.
    #[inline(always)]
    pub(crate) fn each(&self, leaf: usize) -> &[[T; 4]] {
        &self.each[leaf * self.leaf..(leaf + 1) * self.leaf]
    }
}
