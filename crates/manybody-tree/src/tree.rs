//! The tree: bodies in the order of a curve, cut into leaves of equal size; four neighbours make a cell of the level above.
//!
//! No pointers and no searches: the children of cell g of a level are the cells 4 g to 4 g + 3 of the next one. Cells are
//! what the bodies make them, balls about the centre of mass, not parts of a grid.

use crate::order::{Points, along_curve};
use manybody_expansions::{Place, Point};
use manybody_law::memory::large_pages;
use manybody_law::simd::Level;
use rayon::prelude::*;
use std::ops::Range;

/// How many cells make a cell of the level above. (Eight need half as many again interactions of cells for the same
/// error, two need lists twice as long.)
pub(crate) const CHILDREN: usize = 4;

/// A cell, as its neighbours see it. Places and lengths are in the units of the bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    /// The centre of mass; of masses of either sign, that of their sizes; without mass, the mean place.
    pub(crate) center: [f64; 3],
    /// No body is farther from the centre.
    pub(crate) radius: f64,
    /// sum |m| r^2 about the centre.
    spread: f64,
    /// sum |m|.
    pub(crate) mass: f64,
    /// The unit of length of its expansions: a power of two, not below the radius.
    pub(crate) unit: f64,
    /// Of a leaf: the least distance of neighbours in the order.
    closest: f64,
    low: [f64; 3],
    high: [f64; 3],
}

impl Cell {
    /// Whether a leaf is so wide that its bodies' distances are not right in a type that resolves `digits` binary digits of
    /// their places in it. Bodies at one place must stay there, also relative to another leaf.
    pub(crate) fn is_wide(&self, digits: i32) -> bool {
        self.radius > self.closest * 2_f64.powi(digits - KEPT)
    }

    /// Where its expansions are.
    pub(crate) fn place(&self) -> Place {
        Place { center: self.center, unit: self.unit }
    }

    /// The distance from the centre at which all mass would have the same moment of inertia.
    pub(crate) fn rms(&self) -> f64 {
        if self.mass > 0.0 { (self.spread / self.mass).sqrt() } else { 0.0 }
    }
}

/// Where the expansions of a cell's children are: of as many as there are.
pub(crate) fn places(children: &[Cell]) -> [Place; CHILDREN] {
    std::array::from_fn(|k| children.get(k).map_or(Place::default(), Cell::place))
}

/// Cells over bodies.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Bodies in a leaf.
    pub(crate) leaf: usize,
    /// The bodies' indices in the order of the tree.
    pub(crate) order: Vec<u32>,
    /// The bodies in the order of the tree.
    pub(crate) points: Vec<Point>,
    /// The cells, level by level, the root first.
    pub(crate) cells: Vec<Cell>,
    /// The cells of each level; the last one's are the leaves.
    pub(crate) levels: Vec<Range<usize>>,
    /// The children of each cell above the leaves.
    pub(crate) children: Vec<Range<u32>>,
    keys: Vec<u64>,
}

impl Tree {
    /// Builds the tree of bodies, one at least, with places between -1 and 1.
    pub(crate) fn build(&mut self, level: Level, points: Points<'_>, leaf: usize) {
        self.build_with(level, points, leaf, SMALLEST_UNIT);
    }

    /// The same with another smallest unit.
    pub(crate) fn build_with(&mut self, level: Level, points: Points<'_>, leaf: usize, smallest: f64) {
        self.leaf = leaf;
        along_curve(level, points, &mut self.keys, &mut self.order);
        self.points.clear();
        self.points.reserve_exact(self.order.len());
        large_pages(self.points.spare_capacity_mut());
        let point = |k: &u32| Point { x: points.at(*k as usize), mass: points.mass[*k as usize] };
        self.points.par_extend(self.order.par_iter().map(point));
        self.lay_out(points.mass.len().div_ceil(leaf));
        let Tree { cells, levels, points, .. } = self;
        let leaves = levels.last().cloned().unwrap_or_default();
        cells[leaves].par_iter_mut().zip(points.par_chunks(leaf)).for_each(|(cell, bodies)| *cell = of(bodies));
        for level in (1..levels.len()).rev() {
            let (above, below) = cells.split_at_mut(levels[level].start);
            let above = &mut above[levels[level - 1].clone()];
            let below = &below[..levels[level].len()];
            above.par_iter_mut().zip(below.par_chunks(CHILDREN)).for_each(|(cell, children)| *cell = over(children));
        }
        self.choose_units(smallest);
    }

    /// Makes room for the cells over so many leaves.
    fn lay_out(&mut self, leaves: usize) {
        let mut sizes = vec![leaves];
        while *sizes.last().unwrap_or(&1) > 1 {
            sizes.push(sizes[sizes.len() - 1].div_ceil(CHILDREN));
        }
        self.levels.clear();
        let mut at = 0;
        for size in sizes.into_iter().rev() {
            self.levels.push(at..at + size);
            at += size;
        }
        self.cells.clear();
        self.cells.resize(at, Cell::default());
        self.children.clear();
        for pair in self.levels.windows(2) {
            let (here, next) = (&pair[0], &pair[1]);
            self.children.extend((0..here.len()).map(|g| {
                let first = next.start + CHILDREN * g;
                first as u32..(first + CHILDREN).min(next.end) as u32
            }));
        }
    }

    /// Powers of two that hold the cells: somewhat larger than a cell where its parent is much larger, as powers of the
    /// ratio of units must not leave the range of f32.
    fn choose_units(&mut self, smallest: f64) {
        let Tree { cells, levels, .. } = self;
        for level in 0..levels.len() {
            let (above, here) = cells.split_at_mut(levels[level].start);
            let parents = level.checked_sub(1).map(|level| &above[levels[level].clone()]);
            here[..levels[level].len()].par_iter_mut().enumerate().for_each(|(g, cell)| {
                let least = parents.map_or(smallest, |parents| parents[g / CHILDREN].unit / 8.0);
                let most = if cell.radius > 0.0 { 8.0 * cell.radius } else { f64::INFINITY };
                cell.unit = power_of_two(cell.radius.max(least.min(most)).max(smallest));
            });
        }
    }

    /// The number of the first leaf among the cells.
    pub(crate) fn first_leaf(&self) -> usize {
        self.levels.last().map_or(0, |leaves| leaves.start)
    }

    /// The bodies of leaf `cell`, in the order of the tree.
    pub(crate) fn bodies(&self, cell: usize) -> Range<usize> {
        let first = (cell - self.first_leaf()) * self.leaf;
        first..(first + self.leaf).min(self.order.len())
    }
}

/// Binary digits of a distance that must be right.
const KEPT: i32 = 12;

/// The smallest unit: the third power of its ratio to a distance, 2 at most, must not leave the range of f32.
const SMALLEST_UNIT: f64 = 1.0 / (1_u64 << 40) as f64;

/// The same in f32 where bodies have softenings of their own: the seventh power, of the second derivative by a half.
pub(crate) const SMALLEST_UNIT_WITH_SOFTENINGS: f64 = 1.0 / (1_u64 << 16) as f64;

/// The smallest power of two not below x, for positive normal x.
fn power_of_two(x: f64) -> f64 {
    let bits = x.to_bits();
    let down = f64::from_bits(bits & !((1 << 52) - 1));
    if down == x { x } else { 2.0 * down }
}

/// A little more than rounding can take away.
const OUTWARD: f64 = 1.0 + 1e-14;

/// The cell of these bodies.
fn of(bodies: &[Point]) -> Cell {
    let mut cell = Cell { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3], ..Cell::default() };
    let (mut weighted, mut plain) = ([0.0; 3], [0.0; 3]);
    for Point { x, mass } in bodies {
        let mass = mass.abs();
        cell.mass += mass;
        for k in 0..3 {
            weighted[k] += mass * x[k];
            plain[k] += x[k];
            (cell.low[k], cell.high[k]) = (cell.low[k].min(x[k]), cell.high[k].max(x[k]));
        }
    }
    cell.center = match cell.mass > 0.0 {
        true => weighted.map(|sum| sum / cell.mass),
        false => plain.map(|sum| sum / bodies.len() as f64),
    };
    let mut radius2 = 0.0_f64;
    for Point { x, mass } in bodies {
        let mass = mass.abs();
        let r2 = distance2(*x, cell.center);
        radius2 = radius2.max(r2);
        cell.spread += mass * r2;
    }
    cell.radius = radius2.sqrt() * OUTWARD;
    let step = |pair: &[Point]| distance2(pair[0].x, pair[1].x);
    cell.closest = bodies.windows(2).map(step).fold(f64::INFINITY, f64::min).sqrt();
    cell
}

/// The cell over these.
fn over(children: &[Cell]) -> Cell {
    let mut cell = Cell { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3], ..Cell::default() };
    let (mut weighted, mut plain) = ([0.0; 3], [0.0; 3]);
    for child in children {
        cell.mass += child.mass;
        for k in 0..3 {
            weighted[k] += child.mass * child.center[k];
            plain[k] += child.center[k];
            (cell.low[k], cell.high[k]) = (cell.low[k].min(child.low[k]), cell.high[k].max(child.high[k]));
        }
    }
    cell.center = match cell.mass > 0.0 {
        true => weighted.map(|sum| sum / cell.mass),
        false => plain.map(|sum| sum / children.len() as f64),
    };
    let mut farthest = 0.0_f64;
    for child in children {
        let r2 = distance2(child.center, cell.center);
        farthest = farthest.max(r2.sqrt() + child.radius);
        cell.spread += child.spread + child.mass * r2;
    }
    // the corner of the box that holds the bodies may be nearer
    let corner: f64 = (0..3).map(|k| (cell.high[k] - cell.center[k]).max(cell.center[k] - cell.low[k]).powi(2)).sum();
    cell.radius = farthest.min(corner.sqrt()) * OUTWARD;
    cell
}

fn distance2(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_their_bodies() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in [1, 2, 15, 16, 17, 64, 65, 1000] {
            let [x, y, z, mass]: [Vec<f64>; 4] = std::array::from_fn(|_| (0..n).map(|_| random()).collect());
            let points = Points { x: [&x, &y, &z], mass: &mass, classes: &[] };
            let mut tree = Tree::default();
            tree.build(Level::best(), points, 16);
            let children = &tree.children;
            assert_eq!(children.len(), tree.first_leaf());
            // the bodies of every cell, from the leaves up
            let mut bodies: Vec<Vec<usize>> = vec![Vec::new(); tree.cells.len()];
            for cell in (0..tree.cells.len()).rev() {
                bodies[cell] = match children.get(cell) {
                    None => tree.bodies(cell).map(|k| tree.order[k] as usize).collect(),
                    Some(children) => children.clone().flat_map(|child| bodies[child as usize].clone()).collect(),
                };
                let Cell { center, radius, unit, spread, mass, .. } = tree.cells[cell];
                for body in &bodies[cell] {
                    assert!(distance2(points.at(*body), center).sqrt() <= radius);
                }
                let inertia: f64 =
                    bodies[cell].iter().map(|k| points.mass[*k].abs() * distance2(points.at(*k), center)).sum();
                assert!((inertia - spread).abs() <= 1e-12 * (mass + 1.0), "{n}: {inertia} {spread}");
                assert!(unit >= radius && unit.log2().fract() == 0.0);
            }
            let mut all = bodies[0].clone();
            all.sort_unstable();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }
}
