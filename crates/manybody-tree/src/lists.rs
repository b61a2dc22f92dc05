//! Which cells interact by expansions, and which must be divided.
//!
//! Two cells interact if what is cut off from their expansions is small for both: with M the mass of the source A, s its
//! effective radius, b the radius of the sink B, and R the distance of the centres,
//!
//! ```text
//! M_A / R^2 (max(s_A, b_B) / (R - min(s_A, b_B)))^p < tolerance * the least acceleration in B
//! ```
//!
//! and likewise with A and B exchanged [after Dehnen 2014, Comput. Astrophys. Cosmol. 1:1, sect. 5]. That is of the interactions
//! which the softening does not matter to: all pairs of degrees up to p are summed in them (`harmonic`), so that the first term
//! which is cut off has the degree p of one side and any of the other's. Where it matters, degrees of both sides together are p at
//! most (`taylor`), and cells must be farther from each other:
//!
//! ```text
//! M_A / R^2 ((s_A + b_B) / R)^p < tolerance * the least acceleration in B
//! ```
//!
//! Of two cells that do not interact, the larger is divided. All rules are symmetric, so each finds the other in its lists: what A
//! does to B is what B does to A, and momentum is conserved to rounding.
//!
//! The softening matters in an interaction if the Laplacian of the softened potential, 3 eps^2 / R^2 of its second
//! derivatives, is not small beside what may be cut off: a two-hundredth of it, for the neglected Laplacians of all sources
//! have the same sign and add up, where the parts that are cut off point in all directions.
//!
//! Softenings of the bodies' own matter by the largest that a pair of bodies can have, and by their differences d, which change
//! an acceleration by 3/2 d / R^2 of it. Where that is as small as a neglected Laplacian, one softening between the means of the
//! two cells is enough. Where it is not, expansions keep the first power of the differences (`softening`); the second,
//! 15/8 (d / R^2)^2, must be as small, for it has one sign, too.
//!
//! With the spline softening, cells interact if their bodies do not overlap: then their forces are Newton's, which are harmonic.

use crate::power::effective_radius;
use crate::softening::Softenings;
use crate::tree::Tree;
use manybody_expansions::{Moments, Point, WIDEST, splat};
use manybody_law::law::{Real, SPLINE_RADIUS};
use manybody_law::memory::large_pages;
use manybody_law::simd::{Element, Kernel, Lanes, prefetch};
use manybody_pairwise::Softening;
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
const IS_LEAF: usize = 11;
const HALF: usize = 12;
const RANGE: usize = 13;
/// How many numbers of a line have a meaning.
const USED: usize = 14;

/// What the tests need of a cell or body: place in two parts, radius, effective radius, mass, least acceleration, unit,
/// whether a cell is a leaf, and where bodies have softenings of their own the mean half of their squares and the largest
/// difference from it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Line([f32; WIDTH]);

/// A source's effective radius in terms of the radius of its inertia, where there is no higher moment.
const OUTER: f64 = 1.3;

impl Line {
    /// The line of a body, whose least acceleration is that of its leaf; `half` is its softening's, if it has one of its own.
    pub(crate) fn of_body(Point { x, mass }: Point, half: f64, leaf: &Line) -> Self {
        let mut line = Line::at(x);
        line.0[MASS] = mass.abs() as f32;
        line.0[LEAST] = leaf.0[LEAST];
        line.0[UNIT] = leaf.0[UNIT];
        line.0[HALF] = half as f32;
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
    pub(crate) fn fill<T: Element>(&mut self, tree: &Tree, moments: &Moments<T>, softenings: Option<&Softenings<T>>) {
        self.0.clear();
        self.0.reserve_exact(tree.cells.len());
        large_pages(self.0.spare_capacity_mut());
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
            line.0[IS_LEAF] = f32::from(u8::from(k >= tree.first_leaf()));
            if let Some(softenings) = softenings {
                line.0[HALF] = softenings.means[k] as f32;
                line.0[RANGE] = (softenings.ranges[k] * (1.0 + 1e-6)) as f32;
            }
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
    /// The square of the softening length; `None` where bodies have softenings of their own.
    pub(crate) soft2: Option<f32>,
    /// What a softening length is: with the spline, bodies that overlap are near, and the softening matters to no others.
    pub(crate) softening: Softening,
}

/// The part of what may be cut off that a neglected Laplacian may be. At 2^17 bodies of a Plummer sphere with eps = 0.01 the
/// errors are then those without any neglect; with a fiftieth they are up to 1.3 times as large at an error of 1e-5, with a
/// twentieth 2.8 times, and with a fifth 15 times.
pub const OF_LAPLACIAN: f64 = 0.005;

/// On GPUs, the part of the tolerance that counts where the softening matters. There an expansion has the terms of n + k <= p alone, and what it
/// cuts off is estimated by (s_A + b_B) / R, from which errors differ in another way, by a factor of 0.2 to 0.4 at orders 4 to 8. (On the CPU one
/// tolerance has both.)
pub const OF_SOFTENED: f64 = 0.15;

impl Criterion {
    /// Whether a cell or body acts on another by an expansion.
    pub(crate) fn accepts(&self, source: &Line, sink: &Line) -> bool {
        self.test(source.0, sink.0).accepted
    }

    /// How a acts on b.
    #[inline(always)]
    fn test<V: Real>(&self, a: [V; WIDTH], b: [V; WIDTH]) -> Verdict<V::Mask> {
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
        let share = r2 * r2.lit(f64::from(self.tolerance));
        let (on_b_at_most, on_a_at_most) = (b[LEAST] * share, a[LEAST] * share);
        let (on_b, on_a) = self.ratios(&a, &b, r2);
        let (masses, at_most) = ([a[MASS], b[MASS]], [on_b_at_most, on_a_at_most]);
        let small = self.are_small([on_b, on_a], masses, at_most);
        let all = r2.le(r2);
        if self.softening == Softening::Spline {
            let eps2 = self.soft2.map_or((a[HALF] + a[RANGE]) + (b[HALF] + b[RANGE]), |soft2| r2.lit(f64::from(soft2)));
            let farthest = (eps2 * r2.lit(SPLINE_RADIUS * SPLINE_RADIUS)).sqrt() + both;
            return Verdict { accepted: apart & small & (farthest * farthest).lt(r2), harmonic: all, alike: all };
        }
        if self.soft2 == Some(0.0) {
            return Verdict { accepted: apart & small, harmonic: all, alike: all };
        }
        let inverse = r2.recip();
        let (of_a, of_b) = (a[EFFECTIVE] + b[RADIUS], b[EFFECTIVE] + a[RADIUS]);
        let [square_of_a, square_of_b] = [of_a * of_a * inverse, of_b * of_b * inverse];
        let soft_small = self.are_small([self.power(square_of_a), self.power(square_of_b)], masses, at_most);
        let square = square_of_a.max(square_of_b);
        let difference = (a[RANGE] + b[RANGE]) * inverse;
        let largest = (a[HALF] + a[RANGE]) + (b[HALF] + b[RANGE]);
        let square = square * inverse;
        let laplacian = match self.soft2 {
            Some(soft2) => square * r2.lit(3.0 * f64::from(soft2) / OF_LAPLACIAN),
            None => (square * largest).fma(r2.lit(3.0 / OF_LAPLACIAN), difference * r2.lit(1.5 / OF_LAPLACIAN)),
        };
        // where an angle alone decides: beside what is cut off
        let least = on_b.min(on_a);
        let is_small = |part: V| {
            if self.tolerance.is_finite() {
                (a[MASS] * part).le(on_b_at_most) & (b[MASS] * part).le(on_a_at_most)
            } else {
                part.le(least)
            }
        };
        let harmonic = is_small(laplacian);
        let accepted = apart & small & (harmonic | soft_small);
        if self.soft2.is_some() {
            return Verdict { accepted, harmonic, alike: accepted };
        }
        let alike = is_small(difference * r2.lit(1.5 / OF_LAPLACIAN));
        let second = difference * difference * r2.lit(15.0 / 8.0 / OF_LAPLACIAN);
        Verdict { accepted: accepted & (harmonic | is_small(second)), harmonic, alike }
    }

    /// What is cut off from an interaction that the softening does not matter to, in b and in a.
    #[inline(always)]
    fn ratios<V: Real>(&self, a: &[V; WIDTH], b: &[V; WIDTH], r2: V) -> (V, V) {
        let r = r2.sqrt();
        let on_b = (a[EFFECTIVE].max(b[RADIUS]), r - a[EFFECTIVE].min(b[RADIUS]));
        let on_a = (b[EFFECTIVE].max(a[RADIUS]), r - b[EFFECTIVE].min(a[RADIUS]));
        // (one division for both; what overlaps is not apart)
        let inverse = (on_b.1 * on_a.1).recip();
        let (on_b, on_a) = (on_b.0 * on_a.1 * inverse, on_a.0 * on_b.1 * inverse);
        let (mut of_b, mut of_a) = (self.even_power(on_b * on_b), self.even_power(on_a * on_a));
        if self.order % 2 == 1 {
            (of_b, of_a) = (of_b * on_b, of_a * on_a);
        }
        (of_b, of_a)
    }

    /// Whether parts of what masses do are small enough for b, and for a if that counts.
    #[inline(always)]
    fn are_small<V: Real>(&self, parts: [V; 2], masses: [V; 2], at_most: [V; 2]) -> V::Mask {
        let for_b = (masses[0] * parts[0]).le(at_most[0]);
        if self.mutual { for_b & (masses[1] * parts[1]).le(at_most[1]) } else { for_b }
    }

    /// The square of a ratio to half the power of the order.
    #[inline(always)]
    fn power<V: Real>(&self, square: V) -> V {
        let power = self.even_power(square);
        if self.order % 2 == 1 { power * square.sqrt() } else { power }
    }

    /// The same without what is odd of the order.
    #[inline(always)]
    fn even_power<V: Real>(&self, square: V) -> V {
        let mut power = square.lit(1.0);
        for _ in 0..self.order / 2 {
            power = power * square;
        }
        power
    }
}

/// How cells interact.
#[derive(Clone, Copy, Debug)]
struct Verdict<M> {
    /// By an expansion.
    accepted: M,
    /// The softening does not matter in it.
    harmonic: M,
    /// Differences of softenings do not matter in it.
    alike: M,
}

/// A cell with its candidates, sorted into lists.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Cells to be tested beside those handed down; opened ones are followed by their children.
    pub(crate) candidates: Vec<u32>,
    /// Cells that interact with this one by expansions, which the softening does not matter to.
    pub(crate) far: Vec<u32>,
    /// Cells that interact with this one by expansions, so close that the softening matters, but not differences of softenings.
    pub(crate) soft: Vec<u32>,
    /// Cells that interact with this one by expansions, with softenings so different that the differences matter, too.
    pub(crate) unlike: Vec<u32>,
    /// Cells that this one's children must be tested with; of a leaf, the leaves whose bodies act on its bodies.
    pub(crate) near: Vec<u32>,
    /// Leaves that are larger than this cell, whose bodies are tested one by one.
    pub(crate) large: Vec<u32>,
    /// Of a leaf: smaller cells, with which its bodies are tested one by one.
    pub(crate) small: Vec<u32>,
}

/// Cells with their lines number by number, so that all children of a cell can be tested with them.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    cells: Vec<u32>,
    /// `[vector of cells][number][lane]`.
    columns: Vec<f32>,
}

impl Packed {
    /// No cells.
    pub(crate) const NONE: Packed = Packed { cells: Vec::new(), columns: Vec::new() };
}

/// Packs cells.
pub(crate) struct Pack<'a> {
    pub(crate) cells: &'a [u32],
    pub(crate) lines: &'a Lines,
    pub(crate) to: &'a mut Packed,
}

impl Kernel<f32> for Pack<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f32>, const I: usize, const J: usize>(self, token: V::Token) {
        let Packed { cells, columns } = self.to;
        cells.clear();
        cells.extend_from_slice(self.cells);
        columns.clear();
        columns.resize(self.cells.len().div_ceil(V::LEN) * USED * V::LEN, 0.0);
        for (chunk, (cells, to)) in self.cells.chunks(V::LEN).zip(columns.chunks_exact_mut(USED * V::LEN)).enumerate() {
            for next in self.cells[chunk * V::LEN + cells.len()..].iter().take(V::LEN) {
                prefetch(&self.lines.0, *next as usize, 1);
            }
            let lines = by_columns::<V>(token, self.lines, cells);
            for (line, to) in lines[..USED].iter().zip(to.chunks_exact_mut(V::LEN)) {
                line.store(to);
            }
        }
    }
}

/// A leaf this many times larger than a cell is divided into its bodies.
const SPARSE: f32 = 2.0;

/// Sorts the candidates of a cell.
pub(crate) struct Sort<'a> {
    pub(crate) cell: u32,
    pub(crate) lines: &'a Lines,
    pub(crate) children: &'a [Range<u32>],
    pub(crate) criterion: Criterion,
    /// Candidates that all children of a parent have.
    pub(crate) handed: &'a Packed,
    pub(crate) lists: &'a mut Lists,
}

impl Kernel<f32> for Sort<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f32>, const I: usize, const J: usize>(mut self, token: V::Token) {
        let Lists { far, soft, unlike, near, large, small, .. } = &mut *self.lists;
        for list in [far, soft, unlike, near, large, small] {
            list.clear();
        }
        let sink = splat::<V, WIDTH>(token, self.lines.of(self.cell as usize).0);
        let handed = self.handed;
        for (cells, columns) in handed.cells.chunks(V::LEN).zip(handed.columns.chunks_exact(USED * V::LEN)) {
            let mut lines = sink;
            for (line, column) in lines[..USED].iter_mut().zip(columns.chunks_exact(V::LEN)) {
                *line = V::load(token, column);
            }
            self.some(lines, sink, cells);
        }
        let mut at = 0;
        while at < self.lists.candidates.len() {
            let mut cells = [0; WIDEST];
            let count = (self.lists.candidates.len() - at).min(V::LEN);
            cells[..count].copy_from_slice(&self.lists.candidates[at..at + count]);
            for next in self.lists.candidates[at + count..].iter().take(V::LEN) {
                prefetch(&self.lines.0, *next as usize, 1);
            }
            let lines = by_columns::<V>(token, self.lines, &cells[..count]);
            self.some(lines, sink, &cells[..count]);
            at += count;
        }
    }
}

impl Sort<'_> {
    /// Sorts up to LEN candidates.
    #[inline(always)]
    fn some<V: Lanes<T = f32>>(&mut self, lines: [V; WIDTH], sink: [V; WIDTH], cells: &[u32]) {
        let Verdict { accepted, harmonic, alike } = self.criterion.test(lines, sink);
        let there = u64::MAX >> (64 - cells.len());
        let (accepted, harmonic, alike) = (V::bits(accepted) & there, V::bits(harmonic), V::bits(alike));
        let rest = there & !accepted;
        let Lists { candidates, far, soft, unlike, near, large, small } = &mut *self.lists;
        append(far, cells, accepted & harmonic);
        append(soft, cells, accepted & !harmonic & alike);
        append(unlike, cells, accepted & !harmonic & !alike);
        if rest == 0 {
            return;
        }
        let radius = sink[RADIUS];
        let leaves = rest & V::bits(radius.lit(0.5).lt(lines[IS_LEAF]));
        let inner = rest & !leaves;
        let twice = radius.lit(f64::from(SPARSE));
        let opened = if self.cell as usize >= self.children.len() {
            let itself = cells.iter().position(|source| *source == self.cell).map_or(0, |lane| 1 << lane);
            append(near, cells, leaves & !itself);
            let much_smaller = inner & V::bits((lines[RADIUS] * twice).lt(radius));
            append(small, cells, much_smaller);
            inner & !much_smaller
        } else {
            let much_larger = leaves & V::bits((radius * twice).lt(lines[RADIUS]));
            append(large, cells, much_larger);
            let mut opened = inner & V::bits(radius.lt(lines[RADIUS]));
            let equal = inner & V::bits(radius.same(lines[RADIUS]));
            if equal != 0 {
                // of two of one size, that with the higher number opens the other
                for (lane, source) in cells.iter().enumerate() {
                    opened |= equal & u64::from(*source < self.cell) << lane;
                }
            }
            append(near, cells, rest & !much_larger & !opened);
            opened
        };
        let mut left = opened;
        while left != 0 {
            candidates.extend(self.children[cells[left.trailing_zeros() as usize] as usize].clone());
            left &= left - 1;
        }
    }
}

/// Appends the cells of the lanes of a mask.
#[inline(always)]
fn append(list: &mut Vec<u32>, cells: &[u32], mut mask: u64) {
    while mask != 0 {
        list.push(cells[mask.trailing_zeros() as usize]);
        mask &= mask - 1;
    }
}

/// The lines of up to LEN cells, number by number.
#[inline(always)]
fn by_columns<V: Lanes<T = f32>>(token: V::Token, lines: &Lines, cells: &[u32]) -> [V; WIDTH] {
    let mut to = [V::splat(token, 0.0); WIDTH];
    if V::LEN == 1 {
        for (to, from) in to.iter_mut().zip(lines.of(cells[0] as usize).0) {
            *to = V::splat(token, from);
        }
        return to;
    }
    for (part, to) in to.chunks_exact_mut(V::LEN).enumerate() {
        for (row, cell) in to.iter_mut().zip(cells) {
            *row = V::load(token, &lines.of(*cell as usize).0[part * V::LEN..]);
        }
        V::transpose(to);
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell on the axis x.
    fn cell(x: f64, [radius, effective, mass]: [f32; 3]) -> Line {
        let mut line = Line::at([x, 0.3 * x, -0.1 * x]);
        (line.0[RADIUS], line.0[EFFECTIVE], line.0[MASS], line.0[LEAST], line.0[UNIT]) =
            (radius, effective, mass, 1.0, 1.0);
        line
    }

    fn criterion(order: u32, eps: f32, softening: Softening) -> Criterion {
        Criterion {
            angle2: 0.9,
            tolerance: 1e-4,
            order,
            units: 1e9,
            unit2: 1e9,
            mutual: true,
            soft2: Some(eps * eps),
            softening,
        }
    }

    /// The distance from which on cells interact is that of the formula; both find it to the bit.
    #[test]
    fn cells_interact_where_what_is_cut_off_is_small() {
        let ([b, s_a, m], [a, s_b, n]) = ([0.5, 0.4, 2.0], [0.25, 0.2, 1.0]);
        for order in [3, 6, 12] {
            let power = |ratio: f64| ratio.powi(order as i32);
            // of sources with effective radii s and masses, in sinks of the other's radius
            let pairs = [(0.4_f64, 0.25_f64, 2.0), (0.2, 0.5, 1.0)];
            let new = |r: f64, (s, b, m): (f64, f64, f64)| m / (r * r) * power(s.max(b) / (r - s.min(b)));
            let old = |r: f64, (s, b, m): (f64, f64, f64)| m / (r * r) * power((s + b) / r);
            for (eps, softening, is_old) in [
                (0.0, Softening::Plummer, false),
                (1e-6, Softening::Plummer, false),
                (0.5, Softening::Plummer, true),
                (1e-3, Softening::Spline, false),
            ] {
                let criterion = criterion(order, eps, softening);
                let mut found = 0;
                for step in 0..2000 {
                    let x = 0.7 * 1.004_f64.powi(step);
                    let (first, second) = (cell(0.0, [b, s_a, m]), cell(x, [a, s_b, n]));
                    let accepted = criterion.accepts(&first, &second);
                    assert_eq!(accepted, criterion.accepts(&second, &first));
                    let r = x * 1.1_f64.sqrt();
                    let cut = |f: &dyn Fn(f64, (f64, f64, f64)) -> f64| {
                        pairs.iter().map(|pair| f(r, *pair)).fold(0.0, f64::max)
                    };
                    let part = if is_old { cut(&old) } else { cut(&new) };
                    let apart = 0.75 < 0.9_f64.sqrt() * r;
                    if (part / 1e-4 - 1.0).abs() > 1e-3 && (0.75 / r - 0.9_f64.sqrt()).abs() > 1e-3 {
                        assert_eq!(accepted, apart && part < 1e-4, "order {order}, eps {eps}, r {r}: {part:e}");
                    }
                    found += usize::from(accepted);
                }
                assert!(found > 0 && found < 2000);
            }
        }
    }
}
