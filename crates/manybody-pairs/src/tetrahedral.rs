//! The tetrahedral traversal: every triple once, all three bodies served, for laws of the sides of a triangle.
//!
//! With an energy E(a, b, c) of the squared sides a = r_jk^2, b = r_ik^2, c = r_ij^2, the forces are
//!
//! ```text
//!     F_i = -2 (dE/dc (r_i - r_j) + dE/db (r_i - r_k))        and round, F_k = -(F_i + F_j)
//! ```
//!
//! so one evaluation of the energy and its three slopes serves all three. Triples come in cubic blocks of the
//! tetrahedron i < j < k; k runs along the lanes of a vector, and what it receives stays in the cache. The traversal
//! does not depend on the law. The sum is the same for any number of threads, and may differ in its last places between
//! vector widths.

use super::points::{Points, parameter};
use super::{TripleBlock, Triples};
use crate::Result;
use crate::follow::Followed;
use crate::law::{Cell, Real};
use crate::shared::Sent;
use crate::simd::{Kernel, Level, Vector, launch};
use manybody_pairwise::watch::Watch;
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::marker::PhantomData;
use std::ops::Range;

/// An energy of three bodies that depends on the sides of their triangle.
pub trait TripleLaw {
    /// The energy of squared sides a, b, c and its derivatives by them, all times the weight if there is one.
    fn sides<R: Real>(a: R, b: R, c: R, weight: Option<R>) -> Sides<R>;
}

/// What a triangle of squared sides a, b, c has: energy, and its slope along each.
#[derive(Clone, Copy, Debug)]
pub struct Sides<R> {
    /// The energy.
    pub energy: R,
    /// dE/da, dE/db, dE/dc: energy / length^2.
    pub slope: [R; 3],
}

/// Energy and forces of all triples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TripletForces {
    /// The energy, each triple counted once.
    pub energy: f64,
    /// The force on each atom along x, y and z: 3 x \[n\], energy / length.
    pub force: [Vec<f64>; 3],
}

impl Sent for TripletForces {
    fn put(&self, to: &mut Words) {
        to.real(self.energy);
        for along in &self.force {
            to.reals(along);
        }
    }

    fn get(from: &mut Reader<'_>) -> Result<Self> {
        let energy = from.real()?;
        let mut along = || from.reals().map(<[f64]>::to_vec);
        Ok(TripletForces { energy, force: [along()?, along()?, along()?] })
    }
}

/// Which triples count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Reach {
    /// Those whose three sides are all shorter.
    pub(super) cutoff: Option<f64>,
    /// Nearest images in this box; wants a cut-off of a third of it.
    pub(super) periodic: Option<[f64; 3]>,
}

/// Atoms on a side of a block.
const BLOCK: usize = 32;
/// Room for a vector that begins inside a block and ends outside.
const PADDED: usize = BLOCK + 8;
/// Pairs that take as long as a triple: 3 ns against 0.3 ns on a core with 256-bit vectors.
const PAIRS_A_TRIPLE: u64 = 10;
/// Shares of the sum, each with forces of its own.
const SHARES: usize = 64;

/// Energy and forces of all triples of a law, on all cores.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if the points are not in three dimensions, or for more than 4,801,278
/// of them. Results that are not finite are the caller's to look at.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
/// use manybody::law::Real;
/// use manybody::pairs::{Points, Sides, TripleLaw, tetrahedral};
///
/// /// The sum of the squared sides.
/// struct Sum;
/// impl TripleLaw for Sum {
///     #[inline(always)]
///     fn sides<R: Real>(a: R, b: R, c: R, weight: Option<R>) -> Sides<R> {
///         let one = weight.unwrap_or(a.lit(1.0));
///         Sides { energy: one * (a + b + c), slope: [one; 3] }
///     }
/// }
/// let line = Points::from_rows(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.0], 3)?;
/// let result = tetrahedral::<Sum>(&line)?;
/// assert_eq!((result.energy, &result.force[0][..]), (14.0, &[8.0, 2.0, -10.0][..]));
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn tetrahedral<L: TripleLaw>(points: &Points<f64>) -> Result<TripletForces> {
    within::<L>(points, &Reach::default(), Level::from_env()?, None, None)
}

/// [`tetrahedral`], followed by a watch. A triple counts as ten pairs.
///
/// # Errors
/// As [`tetrahedral`], and [`Error::Interrupted`](crate::Error::Interrupted) if the watch ends it.
pub fn tetrahedral_watched<L: TripleLaw>(points: &Points<f64>, watch: &Watch) -> Result<TripletForces> {
    within::<L>(points, &Reach::default(), Level::from_env()?, Some(watch), None)
}

/// [`tetrahedral`] of some of the triples, with chosen vector instructions, and by ranks where they share: the result is rank
/// 0's.
pub(super) fn within<L: TripleLaw>(
    points: &Points<f64>,
    reach: &Reach,
    level: Level,
    watch: Option<&Watch>,
    team: Option<&Team>,
) -> Result<TripletForces> {
    let n = points.len();
    if points.dimensions() != 3 {
        let expected = "points must have 3 dimensions".to_owned();
        return Err(parameter("points", &format!("{} dimensions", points.dimensions()), expected));
    }
    let triples = Triples::of(n)?.block(BLOCK)?.shares(SHARES);
    let followed =
        Followed::begin_on(team, watch, triples.count().saturating_mul(PAIRS_A_TRIPLE), triples.shared_blocks());
    let mut result = triples.fold_on(
        team,
        &followed,
        || TripletForces { energy: 0.0, force: [(); 3].map(|()| vec![0.0; n]) },
        |mut sum, block| {
            match (reach.cutoff, reach.periodic) {
                (None, None) => one::<L, false, false>(level, reach, points, block, &mut sum),
                (_, None) => one::<L, true, false>(level, reach, points, block, &mut sum),
                _ => one::<L, true, true>(level, reach, points, block, &mut sum),
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
    )?;
    followed.outcome()?;
    // slopes are by squared sides
    result.force.iter_mut().flatten().for_each(|f| *f *= 2.0);
    Ok(result)
}

fn one<L: TripleLaw, const CUT: bool, const IMAGES: bool>(
    level: Level,
    reach: &Reach,
    points: &Points<f64>,
    block: TripleBlock,
    sum: &mut TripletForces,
) {
    launch(level, Block::<L, CUT, IMAGES> { reach, points, block, sum, law: PhantomData });
}

/// The nearest image of a difference; a length of 0 stands for open space.
#[inline(always)]
pub(super) fn nearest(difference: f64, length: f64) -> f64 {
    if length == 0.0 { difference } else { difference - length * (difference / length).round_ties_even() }
}

/// One block of triples, with or without a cut-off, with or without images.
struct Block<'a, L, const CUT: bool, const IMAGES: bool> {
    reach: &'a Reach,
    points: &'a Points<f64>,
    block: TripleBlock,
    sum: &'a mut TripletForces,
    law: PhantomData<L>,
}

#[allow(clippy::needless_range_loop)] // d indexes many arrays at once
impl<L: TripleLaw, const CUT: bool, const IMAGES: bool> Kernel<f64> for Block<'_, L, CUT, IMAGES> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<T = f64>, const I: usize, const J: usize>(self, token: V::Token) {
        let Block { reach, points, block, sum, .. } = self;
        let zero = V::splat(token, 0.0);
        let cut = reach.cutoff.map_or(f64::INFINITY, |c| c * c);
        let side = reach.periodic.unwrap_or([0.0; 3]);
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
                    let t = L::sides(a, b, c_all, weight);
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
