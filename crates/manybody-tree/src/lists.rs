//! Which cells interact by expansions, and which must be divided.
//!
//! Two cells interact if what is cut off from their expansions is small for both: with M the mass of the source A, s its
//! effective radius, b the radius of the sink B, and R the distance of the centres,
//!
//! ```text
//! M_A / R^2 ((s_A + b_B) / R)^p < tolerance * the least acceleration in B
//! ```
//!
//! and likewise with A and B exchanged [after Dehnen 2014, Comput. Astrophys. Cosmol. 1:1, sect. 5]. Of two cells that do
//! not, the larger is divided. Both rules are symmetric, so each finds the other in its lists: what A does to B is what B
//! does to A, and momentum is conserved to rounding.

use crate::moments::Moments;
use crate::power::effective_radius;
use crate::scratch::splat;
use crate::tree::Tree;
use manybody_law::law::Real;
use manybody_law::simd::{Element, Kernel, Lanes};
use rayon::prelude::*;
use std::ops::Range;

/// Numbers of a line.
const WIDTH: usize = 16;
/// Where a line has what.
const RADIUS: usize = 6;
const EFFECTIVE: usize = 7;
const MASS: usize = 8;
const LEAST: usize = 9;
const UNIT: usize = 10;

/// What the tests need of a cell or body: place in two parts, radius, effective radius, mass, least acceleration, unit.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Line([f32; WIDTH]);

/// A source's effective radius in terms of the radius of its inertia, where there is no higher moment.
const OUTER: f64 = 1.3;

impl Line {
    /// The line of a body, whose least acceleration is that of its leaf.
    pub(crate) fn of_body(x: [f64; 3], mass: f64, leaf: &Line) -> Self {
        let mut line = Line::at(x);
        line.0[MASS] = mass.abs() as f32;
        line.0[LEAST] = leaf.0[LEAST];
        line.0[UNIT] = leaf.0[UNIT];
        line
    }

    fn at(x: [f64; 3]) -> Self {
        let mut line = Line::default();
        for (k, x) in x.into_iter().enumerate() {
            line.0[k] = x as f32;
            line.0[k + 3] = (x - f64::from(line.0[k])) as f32;
        }
        line
    }
}

/// The lines of a tree's cells.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<Line>);

impl Lines {
    /// The lines of all cells; the least accelerations are still to be [set](Self::set_least).
    pub(crate) fn fill<T: Element>(&mut self, tree: &Tree, moments: &Moments<T>) {
        self.0.clear();
        self.0.par_extend(tree.cells.par_iter().enumerate().map(|(k, cell)| {
            let mut line = Line::at(cell.center);
            line.0[RADIUS] = (cell.radius * (1.0 + 1e-6)) as f32;
            // of the highest degree that is kept, and of the one below: a cell whose halves mirror each other has no odd ones
            let degree = moments.order - 1;
            let of = |degree| effective_radius(degree, moments.of_degree(k, degree), cell.mass);
            let effective = match degree {
                0 | 1 => OUTER * cell.rms(),
                2 => cell.unit * of(2),
                _ => cell.unit * of(degree).max(of(degree - 1)),
            };
            line.0[EFFECTIVE] = effective.min(cell.radius) as f32;
            line.0[MASS] = cell.mass as f32;
            line.0[UNIT] = cell.unit as f32;
            line
        }));
    }

    /// Sets the least accelerations of leaves, and of cells from those of their children.
    pub(crate) fn set_least(&mut self, tree: &Tree, of_leaves: &[f32]) {
        let first = tree.first_leaf();
        self.0[first..].iter_mut().zip(of_leaves).for_each(|(line, least)| line.0[LEAST] = *least);
        for (cell, children) in tree.children.iter().enumerate().rev() {
            let children = &self.0[children.start as usize..children.end as usize];
            self.0[cell].0[LEAST] = children.iter().map(|line| line.0[LEAST]).fold(f32::INFINITY, f32::min);
        }
    }

    pub(crate) fn of(&self, cell: usize) -> &Line {
        &self.0[cell]
    }
}

/// When two cells interact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Criterion {
    /// Radii together over distance, at most; squared.
    pub(crate) angle2: f32,
    /// The error of an acceleration that one interaction may make, relative to it; infinite where the angle decides.
    pub(crate) tolerance: f32,
    /// The order of the expansions.
    pub(crate) order: u32,
    /// The ratio of units at most.
    pub(crate) units: f32,
    /// The ratio of a unit and the distance at most; squared.
    pub(crate) unit2: f32,
    /// The error must be small for both, not for the sink alone.
    pub(crate) mutual: bool,
}

impl Criterion {
    /// Whether a cell or body acts on another by an expansion.
    pub(crate) fn accepts(&self, source: &Line, sink: &Line) -> bool {
        self.test(source.0, sink.0)
    }

    #[inline(always)]
    fn test<V: Real>(&self, a: [V; WIDTH], b: [V; WIDTH]) -> V::Mask {
        // a is the source, b the sink
        let mut d = [a[0]; 3];
        for (k, d) in d.iter_mut().enumerate() {
            *d = (a[k] - b[k]) + (a[k + 3] - b[k + 3]);
        }
        let r2 = d[0].fma(d[0], d[1].fma(d[1], d[2] * d[2]));
        let both = a[RADIUS] + b[RADIUS];
        let limit = r2.lit(f64::from(self.units));
        let farthest = r2 * r2.lit(f64::from(self.unit2));
        let apart = (both * both).lt(r2 * r2.lit(f64::from(self.angle2)))
            & a[UNIT].le(limit * b[UNIT])
            & b[UNIT].le(limit * a[UNIT])
            & (a[UNIT] * a[UNIT]).le(farthest)
            & (b[UNIT] * b[UNIT]).le(farthest);
        let inverse = r2.recip();
        let enough = self.small_enough(&a, &b, r2, inverse);
        if self.mutual { apart & enough & self.small_enough(&b, &a, r2, inverse) } else { apart & enough }
    }

    /// Whether what `source` does to `sink` is right to the tolerance.
    #[inline(always)]
    fn small_enough<V: Real>(&self, source: &[V; WIDTH], sink: &[V; WIDTH], r2: V, inverse: V) -> V::Mask {
        let size = source[EFFECTIVE] + sink[RADIUS];
        let ratio2 = size * size * inverse;
        let mut power = if self.order % 2 == 1 { ratio2.sqrt() } else { ratio2.lit(1.0) };
        for _ in 0..self.order / 2 {
            power = power * ratio2;
        }
        let allowed = sink[LEAST] * r2.lit(f64::from(self.tolerance));
        (source[MASS] * power).le(allowed * r2)
    }
}

/// A cell with its candidates, sorted into lists.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Cells to be tested; opened ones are followed by their children.
    pub(crate) candidates: Vec<u32>,
    /// Cells that interact with this one by expansions.
    pub(crate) far: Vec<u32>,
    /// Cells that this one's children must be tested with; of a leaf, the leaves whose bodies act on its bodies.
    pub(crate) near: Vec<u32>,
    /// Leaves that are larger than this cell, whose bodies are tested one by one.
    pub(crate) large: Vec<u32>,
    /// Of a leaf: smaller cells, with which its bodies are tested one by one.
    pub(crate) small: Vec<u32>,
}

/// A leaf this many times larger than a cell is divided into its bodies.
const SPARSE: f32 = 2.0;

/// Sorts the candidates of a cell.
pub(crate) struct Sort<'a> {
    pub(crate) cell: u32,
    pub(crate) lines: &'a Lines,
    pub(crate) children: &'a [Range<u32>],
    pub(crate) criterion: Criterion,
    pub(crate) lists: &'a mut Lists,
}

impl Kernel<f32> for Sort<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f32>, const I: usize, const J: usize>(self, token: V::Token) {
        let Sort { cell, lines, children, criterion, lists } = self;
        let Lists { candidates, far, near, large, small } = lists;
        for list in [&mut *far, &mut *near, &mut *large, &mut *small] {
            list.clear();
        }
        let first_leaf = children.len() as u32;
        let own = lines.of(cell as usize);
        let sink = splat::<V, WIDTH>(token, own.0);
        let [twice, half] = [SPARSE, 1.0 / SPARSE];
        let (twice, half) = (sink[RADIUS] * V::splat(token, twice), sink[RADIUS] * V::splat(token, half));
        let mut at = 0;
        while at < candidates.len() {
            let count = (candidates.len() - at).min(V::LEN);
            let mut line = sink;
            if V::LEN == 1 {
                for (to, from) in line.iter_mut().zip(lines.of(candidates[at] as usize).0) {
                    *to = V::splat(token, from);
                }
            } else {
                by_columns::<V>(token, lines, &candidates[at..at + count], &mut line);
            }
            let accepted = V::bits(criterion.test(line, sink));
            let larger = V::bits(sink[RADIUS].lt(line[RADIUS]));
            let equal = V::bits(sink[RADIUS].same(line[RADIUS]));
            let much_larger = V::bits(twice.lt(line[RADIUS]));
            let much_smaller = V::bits(line[RADIUS].lt(half));
            for lane in 0..count {
                let (source, bit) = (candidates[at + lane], 1 << lane);
                if accepted & bit != 0 {
                    far.push(source);
                } else if cell >= first_leaf {
                    if source >= first_leaf {
                        if source != cell {
                            near.push(source);
                        }
                    } else if much_smaller & bit != 0 {
                        small.push(source);
                    } else {
                        candidates.extend(children[source as usize].clone());
                    }
                } else if source >= first_leaf {
                    if much_larger & bit != 0 { large.push(source) } else { near.push(source) }
                } else if larger & bit != 0 || equal & bit != 0 && source < cell {
                    candidates.extend(children[source as usize].clone());
                } else {
                    near.push(source);
                }
            }
            at += count;
        }
    }
}

/// The lines of up to LEN cells, number by number.
#[inline(always)]
fn by_columns<V: Lanes<T = f32>>(token: V::Token, lines: &Lines, cells: &[u32], to: &mut [V; WIDTH]) {
    for (part, to) in to.chunks_exact_mut(V::LEN).enumerate() {
        for (row, cell) in to.iter_mut().zip(cells) {
            *row = V::load(token, &lines.of(*cell as usize).0[part * V::LEN..]);
        }
        V::transpose(to);
    }
}
