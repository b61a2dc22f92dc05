//! Indices with their cells: what a kernel's copy of a map is checked against.
//!
//! The lists hold every block of every small domain, idle ones included, and of larger ones, up to the limit that the
//! kernel's integers have, the blocks where a map can go wrong: the first and last of a row or layer, for rows spread
//! over the whole range. A kernel writes the cell of each index it is given; the two lists must be equal.
//!
//! ```
//! # use manybody_law as manybody;
//! use manybody::map::{Triangle, vectors};
//! for v in vectors::triangle(Triangle::Lambda, u64::from(u32::MAX))? {
//!     let map = Triangle::Lambda.of(v.nb, v.diagonal)?; // a kernel's copy stands here
//!     assert_eq!(map.cell(v.w), v.cell);
//! }
//! # Ok::<(), manybody::Error>(())
//! ```

use super::{Diagonal, Layer, Map, Tetrahedron, Triangle, tetrahedral, triangular};
use crate::Result;

/// The cell of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector<const D: usize> {
    /// Rows (or layers) of the domain.
    pub nb: u64,
    /// Whether the domain has its diagonal.
    pub diagonal: Diagonal,
    /// Index of the block, counted through all launches.
    pub w: u64,
    /// What it works on; `None` for an idle block.
    pub cell: Option<[u64; D]>,
}

/// The largest nb of which every block is listed.
const EVERY_BLOCK: u64 = 20;

/// Vectors of a triangle's map, for indices up to `limit`.
///
/// # Errors
/// No error is known for the sizes listed.
pub fn triangle(map: Triangle, limit: u64) -> Result<Vec<Vector<2>>> {
    let mut vectors = Vec::new();
    for diagonal in [Diagonal::With, Diagonal::Without] {
        for nb in 0..=EVERY_BLOCK {
            every_block(&*map.of(nb, diagonal)?, nb, diagonal, &mut vectors);
        }
        for nb in sizes(|nb| triangular(nb).is_some_and(|cells| cells <= limit.min(1 << 62))) {
            // a launch may be larger than the domain; one that does not fit the limit is no use to the kernel
            let Ok(map) = map.of(nb, diagonal) else { continue };
            if map.blocks() > u128::from(limit) {
                continue;
            }
            let cells = rows_of(nb).flat_map(|i| [[i, 0], [i, i / 2], [i, i.saturating_sub(1)], [i, i]]);
            push(&*map, nb, diagonal, cells, &mut vectors);
        }
    }
    Ok(vectors)
}

/// Vectors of a tetrahedron, for indices up to `limit`.
///
/// # Errors
/// No error is known for the sizes listed.
pub fn tetrahedron(layer: Layer, limit: u64) -> Result<Vec<Vector<3>>> {
    let mut vectors = Vec::new();
    for diagonal in [Diagonal::With, Diagonal::Without] {
        for nb in 0..=EVERY_BLOCK / 2 {
            every_block(&Tetrahedron::new(nb, diagonal, layer)?, nb, diagonal, &mut vectors);
        }
        for nb in sizes(|nb| tetrahedral(nb).is_some_and(|cells| cells <= limit)) {
            let map = Tetrahedron::new(nb, diagonal, layer)?;
            if map.blocks() > u128::from(limit) {
                continue;
            }
            let cells = rows_of(nb).flat_map(|i| [[i, 0, 0], [i, i / 2, i / 3], [i, i - 1, i - 2], [i, i, i]]);
            push(&map, nb, diagonal, cells, &mut vectors);
        }
    }
    Ok(vectors)
}

fn every_block<const D: usize>(map: &dyn Map<D>, nb: u64, diagonal: Diagonal, vectors: &mut Vec<Vector<D>>) {
    vectors.extend((0..map.blocks() as u64).map(|w| Vector { nb, diagonal, w, cell: map.cell(w) }));
}

fn push<const D: usize>(
    map: &dyn Map<D>,
    nb: u64,
    diagonal: Diagonal,
    cells: impl Iterator<Item = [u64; D]>,
    vectors: &mut Vec<Vector<D>>,
) {
    // the cell is what the map says, which for a published root need not be the cell that the block was looked up by
    let blocks = cells.filter_map(|cell| map.block(cell));
    vectors.extend(blocks.map(|w| Vector { nb, diagonal, w, cell: map.cell(w) }));
}

/// 2^p - 1, 2^p, 2^p + 1 and 3 2^(p-1) as long as they fit, then the largest that does.
fn sizes(fits: impl Fn(u64) -> bool) -> Vec<u64> {
    let spread = (5..33).flat_map(|p| [(1 << p) - 1, 1 << p, (1 << p) + 1, 3 << (p - 1)]);
    let mut sizes: Vec<u64> = spread.filter(|nb| fits(*nb)).collect();
    let (mut low, mut high) = (0, 1 << 33);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    if low > EVERY_BLOCK {
        sizes.push(low);
    }
    sizes
}

/// Rows spread over the whole height, each power of two with its neighbours and the last ones.
fn rows_of(nb: u64) -> impl Iterator<Item = u64> {
    let spread = (2..34).flat_map(|p| [(1 << p) - 1, 1 << p, (1 << p) + 1]);
    spread.chain((2..23).map(move |k| nb / 23 * k)).chain(nb - 3..nb).filter(move |i| (3..nb).contains(i))
}
