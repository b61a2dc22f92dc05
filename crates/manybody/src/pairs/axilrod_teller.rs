//! The triple-dipole interaction of Axilrod and Teller: energy and forces of all triples.
//!
//! Three atoms have the energy E = nu (1 + 3 cos g_1 cos g_2 cos g_3) / (r_12 r_23 r_31)^3, g the angles of their
//! triangle [Axilrod 1943]. In the squared sides a = r_jk^2, b = r_ik^2, c = r_ij^2, with u = b + c - a,
//! v = c + a - b, w = a + b - c, P = uvw and q = 1/(abc):
//!
//! ```text
//!     E     = nu q^(3/2) (1 + 3/8 P q)
//!     dE/da = nu q^(5/2) 3/8 ((uv + vw + wu - 2vw) - (4 + 5/2 P q) bc)      and round
//!     F_i   = -2 (dE/dc (r_i - r_j) + dE/db (r_i - r_k))                    F_k = -(F_i + F_j)
//! ```
//!
//! so one reciprocal root serves the energy and all three forces. Each triple is met once, in blocks of the
//! tetrahedron i < j < k; k runs along the lanes of a vector, and what it receives stays in the cache. 62 operations
//! a triple and a half of a root: 3 ns on a core with 256-bit vectors. The sum is the same for any number of threads,
//! and may differ in its last places between vector widths.

use super::points::{Points, parameter};
use super::{TripleBlock, Triples};
use crate::law::{Cell, Real};
use crate::simd::{Kernel, Level, Vector, launch};
use crate::{Error, Result};
use std::ops::Range;

/// The law: its strength, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxilrodTeller {
    nu: f64,
    cutoff: Option<f64>,
    periodic: Option<[f64; 3]>,
}

/// Energy and forces of all triples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TripletForces {
    /// The energy, each triple counted once.
    pub energy: f64,
    /// The force on each atom along x, y and z: 3 x \[n\], energy / length.
    pub force: [Vec<f64>; 3],
}

/// Atoms on a side of a block.
const BLOCK: usize = 32;
/// Room for a vector that begins inside a block and ends outside.
const PADDED: usize = BLOCK + 8;
/// Shares of the sum, each with forces of its own.
const SHARES: usize = 64;

impl AxilrodTeller {
    /// Without end, in open space. `nu` (also called C9) is energy x length^9; argon has 518 hartree bohr^9.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a strength that is not finite.
    pub fn new(nu: f64) -> Result<Self> {
        if !nu.is_finite() {
            return Err(parameter("nu", &nu.to_string(), "a finite strength is wanted".to_owned()));
        }
        Ok(AxilrodTeller { nu, cutoff: None, periodic: None })
    }

    /// Only triples whose three sides are all shorter than `cutoff`. The energy jumps there, by nu / cutoff^9 at most
    /// times 11/8.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a cut-off that is not positive and finite.
    pub fn cutoff(mut self, cutoff: f64) -> Result<Self> {
        if !(cutoff > 0.0 && cutoff.is_finite()) {
            return Err(parameter("cutoff", &cutoff.to_string(), "a positive length is wanted".to_owned()));
        }
        self.cutoff = Some(cutoff);
        Ok(self)
    }

    /// In a periodic box: of each pair the nearest images. Wants a cut-off of a third of the box at most, so that the
    /// nearest images of three atoms make one triangle.
    ///
    /// # Errors
    /// [`Error::Parameter`] without such a cut-off, or for a side that is not finite.
    pub fn periodic(mut self, lengths: [f64; 3]) -> Result<Self> {
        let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        match self.cutoff {
            Some(cutoff) if lengths.iter().all(|l| l.is_finite()) && 3.0 * cutoff <= shortest => {
                self.periodic = Some(lengths);
                Ok(self)
            }
            _ => {
                let value = self.cutoff.map_or("none".to_owned(), |c| c.to_string());
                let expected = format!("a cut-off of a third of the shortest side of the box, {shortest}, is wanted");
                Err(parameter("cutoff", &value, expected))
            }
        }
    }

    /// Energy and forces of all triples, on all cores.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the points are not in three dimensions, for more than 4,801,278 of them, or if atoms
    /// are so close (or in one place) that a force is not finite.
    ///
    /// ```
    /// use manybody::pairs::{AxilrodTeller, Points};
    /// // an equilateral triangle of side 1: cos 60 = 1/2, so E = nu (1 + 3/8)
    /// let triangle = Points::from_rows(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.75_f64.sqrt(), 0.0], 3)?;
    /// let result = AxilrodTeller::new(2.0)?.energy_and_forces(&triangle)?;
    /// assert!((result.energy - 2.75).abs() < 1e-14);
    /// # Ok::<(), manybody::Error>(())
    /// ```
    pub fn energy_and_forces(&self, points: &Points<f64>) -> Result<TripletForces> {
        self.at_level(points, Level::best())
    }

    /// [`energy_and_forces`](Self::energy_and_forces) with chosen vector instructions.
    pub(super) fn at_level(&self, points: &Points<f64>, level: Level) -> Result<TripletForces> {
        let n = points.len();
        if points.dimensions() != 3 {
            let expected = "points in 3 dimensions are wanted".to_owned();
            return Err(parameter("points", &format!("{} dimensions", points.dimensions()), expected));
        }
        let triples = Triples::of(n)?.block(BLOCK)?.shares(SHARES);
        let mut result = triples.fold_blocks(
            || TripletForces { energy: 0.0, force: [(); 3].map(|()| vec![0.0; n]) },
            |mut sum, block| {
                match (self.cutoff, self.periodic) {
                    (None, None) => launch(level, Block::<false, false> { law: self, points, block, sum: &mut sum }),
                    (_, None) => launch(level, Block::<true, false> { law: self, points, block, sum: &mut sum }),
                    _ => launch(level, Block::<true, true> { law: self, points, block, sum: &mut sum }),
                }
                sum
            },
            |mut a, b| {
                a.energy += b.energy;
                for (a, b) in a.force.iter_mut().zip(&b.force) {
                    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                }
                a
            },
        );
        result.energy *= self.nu;
        result.force.iter_mut().flatten().for_each(|f| *f *= 2.0 * self.nu);
        if result.energy.is_finite() && result.force.iter().flatten().all(|f| f.is_finite()) {
            Ok(result)
        } else {
            Err(self.too_close(points))
        }
    }

    /// The error of forces that are not finite, naming the closest two atoms.
    fn too_close(&self, points: &Points<f64>) -> Error {
        let lengths = self.periodic.unwrap_or([0.0; 3]);
        let square = |i: usize, j: usize| -> f64 {
            let along = |d: usize| nearest(points.column(d)[i] - points.column(d)[j], lengths[d]).powi(2);
            (0..3).map(along).sum()
        };
        let mut closest = (f64::INFINITY, 0, 0);
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                closest = if square(i, j) < closest.0 { (square(i, j), i, j) } else { closest };
            }
        }
        let (square, i, j) = closest;
        let value = format!("atoms {i} and {j} at distance {:e}", square.sqrt());
        parameter("points", &value, "atoms far enough apart for finite forces are wanted".to_owned())
    }
}

/// The nearest image of a difference; a length of 0 stands for open space.
#[inline(always)]
fn nearest(difference: f64, length: f64) -> f64 {
    if length == 0.0 { difference } else { difference - length * (difference / length).round_ties_even() }
}

/// One block of triples, with a cut-off or none, with images or none.
struct Block<'a, const CUT: bool, const IMAGES: bool> {
    law: &'a AxilrodTeller,
    points: &'a Points<f64>,
    block: TripleBlock,
    sum: &'a mut TripletForces,
}

#[allow(clippy::needless_range_loop)] // d indexes many arrays at once
impl<const CUT: bool, const IMAGES: bool> Kernel<f64> for Block<'_, CUT, IMAGES> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<T = f64>, const I: usize, const J: usize>(self, token: V::Token) {
        let Block { law, points, block, sum } = self;
        let zero = V::splat(token, 0.0);
        let cut = law.cutoff.map_or(f64::INFINITY, |c| c * c);
        let side = law.periodic.unwrap_or([0.0; 3]);
        let per_side = [1.0 / side[0], 1.0 / side[1], 1.0 / side[2]];
        let image = Image::<V, IMAGES> { side: spread(token, side), per_side: spread(token, per_side) };

        let place = block.k.clone();
        // atoms k of the block with room for a whole vector at the end; what lies there is masked
        let mut place_k = [[0.0; PADDED]; 3];
        for (d, there) in place_k.iter_mut().enumerate() {
            there[..place.len()].copy_from_slice(&points.column(d)[place.clone()]);
        }
        let mut force_k = [[0.0; PADDED]; 3];
        let mut force_j = [[zero; 3]; BLOCK];
        let mut pull_j = [[0.0; 3]; BLOCK]; // the part along r_ij, the same for all lanes
        let mut energy = zero;

        for i in block.i.clone() {
            let place_i = place_of(points, i);
            let here_i = spread::<V>(token, place_i);
            let mut force_i = [zero; 3];
            let mut pull_i = [0.0; 3];
            for j in block.j_of(i) {
                let place_j = place_of(points, j);
                let mut r_ij = [0.0; 3];
                for d in 0..3 {
                    r_ij[d] = nearest(place_i[d] - place_j[d], side[d]);
                }
                let c = r_ij[0] * r_ij[0] + r_ij[1] * r_ij[1] + r_ij[2] * r_ij[2];
                if CUT && c >= cut {
                    continue;
                }
                let here_j = spread::<V>(token, place_j);
                let of_j = &mut force_j[j - block.j.start];
                let valid = block.k_of(j).start - place.start..place.len();
                let c_all = V::splat(token, c);
                let mut slope_c = zero;
                let mut first = valid.start / V::LEN * V::LEN;
                while first < valid.end {
                    // array::map is not inlined always: its closure would lose the vector instructions
                    let mut there = [zero; 3];
                    for d in 0..3 {
                        there[d] = V::load(token, &place_k[d][first..first + V::LEN]);
                    }
                    let r_ik = image.difference(here_i, there);
                    let r_jk = image.difference(here_j, there);
                    let (mut b, mut a) = (square(r_ik), square(r_jk));
                    let mut weight = None;
                    if CUT || first < valid.start || first + V::LEN > valid.end {
                        let w = lanes::<V>(token, first, &valid, a, b, cut);
                        // a lane without a triple gets a triangle that exists, and no weight
                        let masked = w.le(zero);
                        (a, b) = (V::select(masked, c_all, a), V::select(masked, c_all, b));
                        weight = Some(w);
                    }
                    let t = triangle(a, b, c_all, weight);
                    energy = energy + t.energy;
                    slope_c = slope_c + t.slope[2];
                    for d in 0..3 {
                        let on_i = t.slope[1] * r_ik[d];
                        let on_j = t.slope[0] * r_jk[d];
                        force_i[d] = force_i[d] - on_i;
                        of_j[d] = of_j[d] - on_j;
                        let to = &mut force_k[d][first..first + V::LEN];
                        (V::load(token, to) + on_i + on_j).store(to);
                    }
                    first += V::LEN;
                }
                let slope_c = slope_c.reduce(Cell::Sum);
                for d in 0..3 {
                    pull_i[d] -= slope_c * r_ij[d];
                    pull_j[j - block.j.start][d] += slope_c * r_ij[d];
                }
            }
            for d in 0..3 {
                sum.force[d][i] += force_i[d].reduce(Cell::Sum) + pull_i[d];
            }
        }
        sum.energy += energy.reduce(Cell::Sum);
        for d in 0..3 {
            for (at, j) in block.j.clone().enumerate() {
                sum.force[d][j] += force_j[at][d].reduce(Cell::Sum) + pull_j[at][d];
            }
            for (at, k) in block.k.clone().enumerate() {
                sum.force[d][k] += force_k[d][at];
            }
        }
    }
}

/// Differences of places, of nearest images if IMAGES.
#[derive(Clone, Copy)]
struct Image<V, const IMAGES: bool> {
    side: [V; 3],
    per_side: [V; 3],
}

impl<V: Vector<T = f64>, const IMAGES: bool> Image<V, IMAGES> {
    #[inline(always)]
    fn difference(&self, a: [V; 3], b: [V; 3]) -> [V; 3] {
        let mut r = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        if IMAGES {
            for (d, r) in r.iter_mut().enumerate() {
                *r = (*r * self.per_side[d]).round().fnma(self.side[d], *r);
            }
        }
        r
    }
}

/// Three numbers, each in all lanes.
#[inline(always)]
fn spread<V: Vector<T = f64>>(token: V::Token, [x, y, z]: [f64; 3]) -> [V; 3] {
    [V::splat(token, x), V::splat(token, y), V::splat(token, z)]
}

#[inline(always)]
fn place_of(points: &Points<f64>, i: usize) -> [f64; 3] {
    [points.column(0)[i], points.column(1)[i], points.column(2)[i]]
}

#[inline(always)]
fn square<V: Real>(r: [V; 3]) -> V {
    r[2].fma(r[2], r[1].fma(r[1], r[0] * r[0]))
}

/// 1 in lanes that hold a triple of the block within the cut-off, 0 in the others.
#[inline(always)]
fn lanes<V: Vector<T = f64>>(token: V::Token, first: usize, valid: &Range<usize>, a: V, b: V, cut: f64) -> V {
    let (one, zero) = (V::splat(token, 1.0), V::splat(token, 0.0));
    let lane = V::lane_numbers(token) + V::splat(token, first as f64);
    let mut weight = V::select(lane.lt(V::splat(token, valid.start as f64)), zero, one);
    weight = V::select(lane.lt(V::splat(token, valid.end as f64)), weight, zero);
    weight = V::select(a.lt(V::splat(token, cut)), weight, zero);
    V::select(b.lt(V::splat(token, cut)), weight, zero)
}

/// What a triangle of squared sides a, b, c has: energy, and its slope along each.
struct Triangle<V> {
    energy: V,
    slope: [V; 3],
}

/// Energy over nu, and slopes over nu, with a weight for each lane or none.
#[inline(always)]
fn triangle<V: Real>(a: V, b: V, c: V, weight: Option<V>) -> Triangle<V> {
    let (ab, bc, ca) = (a * b, b * c, c * a);
    let root = (ab * c).rsqrt();
    let q = root * root;
    let mut scale = q * root;
    if let Some(weight) = weight {
        scale = scale * weight;
    }
    let sum = a + b + c;
    let two = a.lit(2.0);
    let (u, v, w) = (a.fnma(two, sum), b.fnma(two, sum), c.fnma(two, sum));
    let (uv, vw, wu) = (u * v, v * w, w * u);
    let all = uv + vw + wu;
    let pq = uv * w * q;
    let m = pq.fma(a.lit(2.5), a.lit(4.0));
    let t = scale * q * a.lit(0.375);
    let slope_a = t * m.fnma(bc, vw.fnma(two, all));
    let slope_b = t * m.fnma(ca, wu.fnma(two, all));
    let slope_c = t * m.fnma(ab, uv.fnma(two, all));
    Triangle { energy: scale * pq.fma(a.lit(0.375), a.lit(1.0)), slope: [slope_a, slope_b, slope_c] }
}
