//! When two cells interact: the error of an expansion of any function of the distance, from its own derivatives.
//!
//! Of the potential of a charge at a displacement delta from a source's centre, an expansion of order p about the distance R
//! lacks, at degree n = p + 1 and the next, which stands for all that follow as a geometric series,
//!
//! ```text
//! |q| a_n(R) (delta / R)^n,    a_n(R) = max over angles of |sum_m c_m C(m, n - m) (2 cos)^(2m - n)|
//! ```
//!
//! with c_m the coefficients of the function in powers of r^2 / R^2 - 1: those of f((R + delta)^2) in powers of delta. Of a
//! function times powers of the separation, the largest of its components is taken: those along R have factors
//! R + delta cos, the others delta sin. Of a function of the direction, the largest in 26 directions of R and of delta is taken. With
//! delta the radius of the source's weight (`weight.rs`) and that of the sink together, and this weight for |q|, the sum over all charges and
//! results is to be below a part of the median of each result. The a_n are a table by the logarithm of R, made before the walk.

use super::fields::{Fields, Part};
use super::weight::{self, Sized};
use crate::accuracy::Opening;
use crate::tree::{CHILDREN, Cell, Tree};
use manybody_expansions::index::{self, HIGHEST, start};
use manybody_expansions::law::{Interaction, Potential};
use manybody_expansions::{Moments, Products, Space};
use manybody_law::law::{Line, Series, Shape};
use manybody_law::simd::Scalar;
use rayon::prelude::*;

/// Entries of the table for each factor of two.
const PER_OCTAVE: i32 = 8;
/// Of functions of the direction one of so many entries is computed.
const COARSE: i32 = 4;
/// From twice the size of the system down.
const OCTAVES: i32 = 44;
/// Cosines of the angles.
const COSINES: [f64; 6] = [1.0, 0.9, 0.7, 0.45, 0.2, 0.0];
/// Expansions of cells closer than this, radii over distance, converge too slowly, whatever the criterion says.
pub(super) const WIDEST: f64 = 0.9;

/// A source or a sink, as the criterion sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<'a> {
    pub(crate) center: [f64; 3],
    pub(crate) radius: f64,
    /// Of each charge of a source, its weight and its radius (`weight.rs`). Of each expansion about a sink, what its value and its
    /// gradient weigh in the results.
    pub(crate) weights: &'a [[f64; 2]],
}

/// The criterion of a law.
#[derive(Debug)]
pub(crate) struct Criterion {
    opening: Opening,
    order: usize,
    /// By the expansions about the sink.
    interactions: Vec<Interaction>,
    /// The real length of a unit of the tree.
    length: f64,
    /// The logarithm of the largest distance of the table, in entries.
    last: i32,
    /// Of each kind: a_n at each distance for the two degrees.
    table: Vec<Vec<[f64; 2]>>,
}

impl Criterion {
    pub(crate) fn new(fields: &Fields, order: usize, opening: Opening, length: f64) -> Self {
        // bodies are between -1 and 1
        let last = 3 * PER_OCTAVE;
        let entries = 0..OCTAVES * PER_OCTAVE;
        let at = |k: i32| f64::from(last - k) / f64::from(PER_OCTAVE);
        // functions of the direction cost much more, and are computed at a few distances
        let products = Products::new(if fields.directional.is_empty() { 0 } else { order + 2 });
        let coarse: Vec<Vec<[f64; 2]>> = (0..=OCTAVES * PER_OCTAVE / COARSE)
            .into_par_iter()
            .map(|k| Directional::new(fields, Space(&products), at(k * COARSE).exp2() * length).missing(order))
            .collect();
        let missing_at = |k: i32| {
            let [far, close] = [0, 1].map(|next| &coarse[(k / COARSE + next) as usize]);
            let directional = |function: usize| [0, 1].map(|n| far[function][n].max(close[function][n]));
            missing(fields, order, at(k).exp2() * length, directional)
        };
        let all: Vec<Vec<[f64; 2]>> = entries.map(missing_at).collect();
        let of = |kind: usize| {
            // what is missing somewhere between two distances, roughly
            let found: Vec<[f64; 2]> = all.iter().map(|entry| entry[kind]).collect();
            found
                .iter()
                .zip(found[1..].iter().chain(found.last()))
                .map(|(a, b)| [a[0].max(b[0]), a[1].max(b[1])])
                .collect()
        };
        let table = (0..fields.kinds.len()).map(of).collect();
        let mut interactions = fields.interactions.clone();
        interactions.sort_by_key(|interaction| interaction.local);
        Criterion { opening, order, interactions, length, last, table }
    }

    /// The logarithm of the largest distance of the table, in eighths of a factor of two, and a_n of a kind by distance.
    pub(crate) fn entries(&self, kind: usize) -> (i32, &[[f64; 2]]) {
        (self.last, &self.table[kind])
    }

    /// Whether a source acts on a sink by an expansion.
    pub(crate) fn accepts(&self, source: &Ball<'_>, sink: &Ball<'_>) -> bool {
        let d: [f64; 3] = std::array::from_fn(|k| source.center[k] - sink.center[k]);
        let distance = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        let both = source.radius + sink.radius;
        let tolerance = match self.opening {
            Opening::Angle(theta) => return both < theta * distance,
            Opening::Error(tolerance) => tolerance,
        };
        if both >= WIDEST * distance {
            return false;
        }
        let place = self.last - (distance.log2() * f64::from(PER_OCTAVE)).ceil() as i32;
        // of all expansions together, and of one: the norm of a vector is not the sum of its components
        let (mut squares, mut error, mut local) = (0.0, 0.0, 0);
        for interaction in &self.interactions {
            if interaction.local != local {
                squares += error * error;
                (error, local) = (0.0, interaction.local);
            }
            let weights = sink.weights[interaction.local];
            let [charge, effective] = source.weights[interaction.charge];
            let Some(entry) = self.table[interaction.kind].get(place.max(0) as usize) else { return false };
            let n = self.order as f64 + 1.0;
            let ratio = (effective + sink.radius) / distance;
            let power = charge * ratio.powi(self.order as i32);
            let rest = ratio / (1.0 - ratio);
            let value = power * ratio * (entry[0] + entry[1] * rest);
            let gradient = power * (n * entry[0] + (n + 1.0) * entry[1] * rest) / (distance * self.length);
            error += product(weights[0], value) + product(weights[1], gradient);
        }
        (squares + error * error).sqrt() <= tolerance
    }
}

/// A weight times what is missing; nothing weighs nothing, also in results that are nothing.
fn product(weight: f64, missing: f64) -> f64 {
    if missing == 0.0 { 0.0 } else { weight * missing }
}

/// a_n of all kinds at a distance for the two degrees that are missing first.
fn missing(fields: &Fields, order: usize, distance: f64, directional: impl Fn(usize) -> [f64; 2]) -> Vec<[f64; 2]> {
    let (square, highest) = (distance * distance, order + 2);
    let mut work = vec![0.0; fields.series.work(highest + 1)];
    fields.series.run::<f64, _>(Scalar, Line(highest), &[[square; 2]], &mut work);
    let coefficient = |function, m| fields.series.coefficient::<f64, _>(Scalar, Line(highest), function, m, &work);
    let of = |(potential, powers): &(usize, usize)| {
        if let Potential::Directional(function) = fields.potentials[*potential] {
            return directional(function);
        }
        // coefficients of the potential itself in powers of r^2 / R^2 - 1
        let c: Vec<f64> = (0..=highest)
            .map(|m| match fields.potentials[*potential] {
                Potential::Function(function) => coefficient(function, m),
                Potential::Integral(_) | Potential::Directional(_) if m == 0 => 0.0,
                Potential::Integral(function) | Potential::Directional(function) => {
                    coefficient(function, m - 1) * square / (2 * m) as f64
                }
            })
            .collect();
        let plain = |n: usize, cosine: f64| {
            let term = |m: usize| c[m] * binomial(m, n - m) * (2.0 * cosine).powi((2 * m - n) as i32);
            (n.div_ceil(2)..=n).map(term).sum::<f64>()
        };
        // components across the distance have the angle's sine for each
        let size = |n: usize, cosine: f64, across: usize| {
            let along = powers - across;
            let term = |j: usize| binomial(along, j) * cosine.powi(j as i32) * plain(n - across - j, cosine);
            let sine = (1.0 - cosine * cosine).sqrt();
            (sine.powi(across as i32) * (0..=along).filter(|j| across + j <= n).map(term).sum::<f64>()).abs()
        };
        [order + 1, order + 2].map(|n| {
            let angles = COSINES.iter().flat_map(|cosine| (0..=*powers).map(move |across| (*cosine, across)));
            // what is not finite is no bound
            let largest = angles
                .map(|(cosine, across)| size(n, cosine, across))
                .fold(0.0, |most: f64, x| if x.is_finite() { most.max(x) } else { f64::INFINITY });
            distance.powi(*powers as i32) * largest
        })
    };
    fields.kinds.iter().map(of).collect()
}

/// Functions of the direction at a distance, in some directions.
struct Directional<'a> {
    series: &'a Series,
    shape: Space<'a>,
    /// Of each direction, the coefficients of all steps.
    work: Vec<Vec<f64>>,
    directions: Vec<[f64; 3]>,
}

impl<'a> Directional<'a> {
    fn new(fields: &'a Fields, shape: Space<'a>, distance: f64) -> Self {
        let (series, axes) = (&fields.directional, fields.axes);
        let directions = if series.is_empty() { Vec::new() } else { directions(axes) };
        let of = |direction: &[f64; 3]| {
            let mut work = vec![0.0; series.work(shape.count())];
            let at = direction.map(|u| [u * distance, distance]);
            series.run::<f64, _>(Scalar, shape, &at[..axes], &mut work);
            work
        };
        Directional { series, shape, work: directions.iter().map(of).collect(), directions }
    }

    /// a_n of all functions for the two degrees.
    fn missing(&self, order: usize) -> Vec<[f64; 2]> {
        let of = |function: usize| [order + 1, order + 2].map(|n| self.largest(function, n));
        (0..self.series.len()).map(of).collect()
    }

    /// The largest term of degree n of (delta / R) in any direction of R and of delta.
    fn largest(&self, function: usize, n: usize) -> f64 {
        let of = |work: &Vec<f64>| {
            let c: Vec<f64> = (start(n)..start(n + 1))
                .map(|k| self.series.coefficient::<f64, _>(Scalar, self.shape, function, k, work))
                .collect();
            let along = |v: &[f64; 3]| {
                let monomials = index::of(n)
                    .map(|(a, z)| v[0].powi((n - a) as i32) * v[1].powi((a - z) as i32) * v[2].powi(z as i32));
                c.iter().zip(monomials).map(|(c, monomial)| c * monomial).sum::<f64>().abs()
            };
            self.directions.iter().map(along).fold(0.0, most)
        };
        self.work.iter().map(of).fold(0.0, most)
    }
}

/// The larger one; what is not finite is no bound.
fn most(most: f64, x: f64) -> f64 {
    if x.is_finite() { most.max(x) } else { f64::INFINITY }
}

/// Towards the faces, edges and corners of a cube, or of a square or a line, which are 1 long.
fn directions(axes: usize) -> Vec<[f64; 3]> {
    let steps = |axis: usize| if axis < axes { -1..=1 } else { 0..=0 };
    let mut all = Vec::new();
    for (x, y, z) in steps(0).flat_map(|x| steps(1).flat_map(move |y| steps(2).map(move |z| (x, y, z)))) {
        let length = f64::from(x * x + y * y + z * z).sqrt();
        if length > 0.0 {
            all.push([x, y, z].map(|u| f64::from(u) / length));
        }
    }
    all
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).map(|m| (n - m) as f64 / (m + 1) as f64).product()
}

/// The weights of all cells of a tree as sources: of each charge `[cell][charge]`, for expansions of this order.
pub(crate) fn of_sources(tree: &Tree, charges: &[Vec<f64>], moments: &[Moments<f64>], order: usize) -> Vec<[f64; 2]> {
    let of = |cell: usize| {
        let (Cell { center, radius, unit, .. }, bodies) = (tree.cells[cell], bodies_below(tree, cell));
        charges.iter().zip(moments).map(move |(charge, moments)| {
            let (mut sum, mut spread) = (0.0, 0.0);
            for k in bodies.clone() {
                let x = tree.points[k].x;
                let r2: f64 = (0..3).map(|axis| (x[axis] - center[axis]).powi(2)).sum();
                let q = charge[k].abs();
                sum += q;
                spread += q * r2;
            }
            if sum == 0.0 {
                return [0.0; 2];
            }
            let mut squares = [0.0; HIGHEST + 1];
            for (d, square) in squares.iter_mut().enumerate().take(order + 1) {
                *square = weight::square(d, moments.of_degree(cell, d).map(|moment| moment / sum));
            }
            let (squares, rms) = (&squares[..=order], (spread / sum).sqrt() / unit);
            let [weight, s] = Sized { squares, radius: radius / unit, rms, bodies: bodies.len() }.weigh();
            [sum * weight, s * unit]
        })
    };
    (0..tree.cells.len()).into_par_iter().flat_map_iter(of).collect()
}

/// The weights of all bodies as sinks: of each expansion `[body][expansion]`, relative to the medians of the results.
pub(crate) fn of_sinks(fields: &Fields, factors: &[Vec<f64>], medians: &[f64], bodies: usize) -> Vec<[f64; 2]> {
    let count = fields.locals;
    let mut weights = vec![[0.0_f64; 2]; bodies * count];
    let member = |result: usize| fields.members.iter().position(|numbers| numbers.contains(&result)).unwrap_or(0);
    weights.par_chunks_mut(count.max(1)).enumerate().for_each(|(body, weights)| {
        for Part { result, factor, local, component, times } in &fields.parts {
            let median = medians[member(*result)];
            let size = (factors[*factor][body] * times).abs();
            let weight = if size == 0.0 { 0.0 } else { size / median };
            let to = &mut weights[*local][usize::from(*component > 0)];
            *to = to.max(weight);
        }
    });
    weights
}

/// The weights of all cells as sinks, from those of their bodies: the largest.
pub(crate) fn of_cells(tree: &Tree, of_bodies: &[[f64; 2]], count: usize) -> Vec<[f64; 2]> {
    let mut weights = vec![[0.0_f64; 2]; tree.cells.len() * count];
    for cell in (0..tree.cells.len()).rev() {
        for expansion in 0..count {
            let largest = |found: [f64; 2], other: [f64; 2]| [found[0].max(other[0]), found[1].max(other[1])];
            weights[cell * count + expansion] = match tree.children.get(cell) {
                None => tree.bodies(cell).map(|k| of_bodies[k * count + expansion]).fold([0.0; 2], largest),
                Some(children) => {
                    children.clone().map(|child| weights[child as usize * count + expansion]).fold([0.0; 2], largest)
                }
            };
        }
    }
    weights
}

/// The bodies of a cell of any level, in the order of the tree.
fn bodies_below(tree: &Tree, cell: usize) -> std::ops::Range<usize> {
    let level = tree.levels.iter().position(|level| level.contains(&cell)).unwrap_or(0);
    let size = tree.leaf * CHILDREN.pow((tree.levels.len() - 1 - level) as u32);
    let first = (cell - tree.levels[level].start) * size;
    first..(first + size).min(tree.points.len())
}
