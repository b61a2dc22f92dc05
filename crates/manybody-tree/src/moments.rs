//! The moments of all cells, from the leaves up.

use crate::bodies::LeafBodies;
use crate::tree::{CHILDREN, Tree, places};
use manybody_expansions::{HEADER, Moments, MomentsOfBodies, MomentsOfCells, Operators, Scratch, ToSpherical, head};
use manybody_law::simd::Level;
use rayon::prelude::*;

/// Records that a thread converts at once.
const AT_ONCE: usize = 64;

/// Computes the moments of all cells of degrees below `order`.
pub(crate) fn fill<T: Operators>(
    moments: &mut Moments<T>,
    level: Level,
    tree: &Tree,
    bodies: &LeafBodies<T>,
    order: usize,
) {
    fill_with(moments, level, tree, order, |leaf, unit, scratch, to| {
        T::moments_of_bodies(level, MomentsOfBodies { columns: bodies.columns(leaf), unit, order, scratch, to });
    });
}

/// Computes what is handed up as moments are, from what `of_leaf` adds to zeros for a leaf and its unit.
pub(crate) fn fill_with<T: Operators>(
    moments: &mut Moments<T>,
    level: Level,
    tree: &Tree,
    order: usize,
    of_leaf: impl Fn(usize, f64, &mut Scratch<T>, &mut [T]) + Sync,
) {
    moments.refill(tree.cells.len(), order);
    let Moments { records, width, .. } = moments;
    let width = *width;
    let first_leaf = tree.first_leaf();
    let leaves = &mut records[first_leaf * width..];
    leaves.par_chunks_mut(width).enumerate().for_each_init(
        || Scratch::new(level),
        |scratch, (leaf, record)| {
            let place = tree.cells[first_leaf + leaf].place();
            head(place, record);
            of_leaf(leaf, place.unit, scratch, &mut record[HEADER..]);
        },
    );
    for pair in tree.levels.windows(2).rev() {
        let (above, below) = records.split_at_mut(pair[1].start * width);
        let above = &mut above[pair[0].start * width..];
        above.par_chunks_mut(width).enumerate().for_each_init(
            || Scratch::new(level),
            |scratch, (g, record)| {
                let cell = tree.cells[pair[0].start + g].place();
                head(cell, record);
                let first = CHILDREN * g;
                let last = (first + CHILDREN).min(pair[1].len());
                let children = &below[first * width..last * width];
                let cells = &places(&tree.cells[pair[1].start + first..pair[1].start + last])[..last - first];
                let to = &mut record[HEADER..];
                T::moments_of_cells(level, MomentsOfCells { cell, cells, children, width, order, scratch, to });
            },
        );
    }
}

/// Fills the records of spherical moments, which harmonic interactions read.
pub(crate) fn fill_spherical<T: Operators>(moments: &mut Moments<T>, level: Level) {
    moments.resize_spherical();
    let Moments { records, width, spherical, short_width, conversion, .. } = moments;
    let (conversion, widths) = (&*conversion, [*width, *short_width]);
    let from = records.par_chunks(AT_ONCE * widths[0]);
    spherical.par_chunks_mut(AT_ONCE * widths[1]).zip(from).for_each(|(to, from)| {
        T::to_spherical(level, ToSpherical { conversion, from, to, widths });
    });
}
