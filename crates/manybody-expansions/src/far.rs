//! Interactions at a distance: moments of cells, or bodies, into the expansion about a sink.

use crate::Place;
use crate::index::{HIGHEST, count, start};
use crate::moments::{HEADER, Moments, UNIT, gather_rows, rescale, two_parts};
use crate::scratch::{Scratch, WIDEST, add_lanes, load, splat};
use crate::taylor::{Degrees, contract, derivatives, get, put};
use crate::unrolled;
use manybody_law::simd::{Element, Kernel, Lanes, Vector};
use std::ops::Range;

/// The squares of softening lengths of interactions with a sink, in units of the bodies.
#[derive(Clone, Copy, Debug)]
pub enum Softness<'a> {
    /// One for all.
    One(f64),
    /// Means of halves: those of cells, and the sink's.
    Each {
        /// By the cells' numbers.
        cells: &'a [f64],
        /// The sink's.
        sink: f64,
    },
}

impl Softness<'_> {
    /// Those with up to LEN sources, in a unit of length.
    #[inline(always)]
    pub(crate) fn of<V: Vector>(self, token: V::Token, sources: &[u32], unit: f64) -> V {
        match self {
            Softness::One(soft2) => V::splat(token, V::T::from_f64(soft2 / unit / unit)),
            Softness::Each { cells, sink } => {
                let mut lanes = [V::T::default(); WIDEST];
                for (lane, source) in lanes.iter_mut().zip(sources) {
                    *lane = V::T::from_f64((cells[*source as usize] + sink) / unit / unit);
                }
                V::load(token, &lanes)
            }
        }
    }
}

/// g_0 to g_p of -1/sqrt(s).
#[inline(always)]
pub(crate) fn gravity<V: Vector>(s: V, chain: &mut [V]) {
    let y = s.rsqrt();
    let y2 = y * y;
    let mut g = -y;
    for (m, to) in chain.iter_mut().enumerate() {
        *to = g;
        g = g * (y2 * y2.lit(-(2.0 * m as f64 + 1.0)));
    }
}

/// Adds what cells do to the expansion L_n h^(n+1) about a sink.
#[derive(Debug)]
pub struct FromCells<'a, T> {
    /// Those of all cells.
    pub moments: &'a Moments<T>,
    /// The cells that act.
    pub sources: &'a [u32],
    /// Where the expansion is made.
    pub sink: Place,
    /// The softenings of the interactions.
    pub softness: Softness<'a>,
    /// Which moments act on which coefficients.
    pub degrees: Degrees,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The expansion, in the unit of the sink.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for FromCells<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let FromCells { moments: Moments { records, width, .. }, sources, sink, degrees, to, .. } = self;
        let Scratch { moments, derivatives: tensor, work, sums, .. } = self.scratch;
        let (n, p) = (count(degrees.sink), degrees.order);
        sums[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / sink.unit));
        let place = splat::<V, 6>(token, two_parts(sink.center));
        let straight = !degrees.dipoles && is_straight::<T>(p) && degrees.sink == p && degrees.source + 1 == p;
        for sources in sources.chunks(V::LEN) {
            let record = |lane: usize, at: usize| &records[sources[lane] as usize * width + at..];
            gather_rows::<V>(token, sources.len(), HEADER + count(degrees.source), record, moments);
            let x = steps(token, place, inverse, sources.len(), moments);
            let ratio = get::<V>(token, moments, UNIT) * inverse;
            let moments = &mut moments[HEADER * V::LEN..];
            let soft2: V = self.softness.of(token, sources, sink.unit);
            let larger = Larger::of(ratio);
            if straight && larger.is_none() {
                straight_code(token, degrees, (x, ratio), soft2, moments, sums);
            } else {
                let (x, soft2) = in_larger(larger, x, soft2);
                rescale::<V>(token, ratio, degrees.source, moments);
                tensors(token, x, soft2, p, work, tensor);
                take_back::<V>(token, larger, p, tensor);
                contract::<V>(token, degrees, moments, tensor, sums);
            }
        }
        add_lanes::<V>(token, n, sums, to);
    }
}

/// The unit of a cell that is much larger than a sink. In the sink's unit derivatives of high degrees would be below the range of
/// f32, while moments in it are large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Larger<V> {
    /// The sink's unit in this one.
    back: V,
}

impl<V: Vector> Larger<V> {
    /// By the ratio of a source's unit and the sink's.
    #[inline(always)]
    pub(crate) fn of(ratio: V) -> Option<Self> {
        // up to it, (r_A / R)^d is below the precision of f32 where (r_B / R)^(2 d + 1) is below its range
        const MUCH: f64 = 8.0;
        let one = ratio.lit(1.0);
        let is_larger = !V::T::DOUBLE && V::any(ratio.lit(MUCH).lt(ratio));
        is_larger.then(|| Larger { back: one / ratio.max(one) })
    }

    /// A square of a length in it.
    #[inline(always)]
    pub(crate) fn square(self, square: V) -> V {
        square * (self.back * self.back)
    }

    /// Brings derivatives of 1/r of degree d back to the sink's unit.
    #[inline(always)]
    fn take_back(self, token: V::Token, places: impl Iterator<Item = (usize, Range<usize>)>, to: &mut [V::T]) {
        let mut powers = [self.back; HIGHEST + 1];
        (1..powers.len()).for_each(|d| powers[d] = powers[d - 1] * self.back);
        for (d, places) in places {
            for k in places {
                put(powers[d] * get(token, to, k), to, k);
            }
        }
    }
}

/// A separation, and the square of a softening length, in the larger unit.
#[inline(always)]
pub(crate) fn in_larger<V: Vector>(larger: Option<Larger<V>>, x: [V; 3], soft2: V) -> ([V; 3], V) {
    larger.map_or((x, soft2), |larger| (x.map(|x| x * larger.back), larger.square(soft2)))
}

/// Brings all derivatives up to order p back to the sink's unit.
#[inline(always)]
pub(crate) fn take_back<V: Vector>(token: V::Token, larger: Option<Larger<V>>, p: usize, to: &mut [V::T]) {
    if let Some(larger) = larger {
        larger.take_back(token, (0..=p).map(|d| (d, start(d)..start(d + 1))), to);
    }
}

/// From sources, whose centres in two parts come first in their records, to a sink, in its units; lanes without a source have
/// a distance of one.
#[inline(always)]
pub(crate) fn steps<V: Vector>(token: V::Token, place: [V; 6], inverse: V, sources: usize, records: &[V::T]) -> [V; 3] {
    let one = inverse.lit(1.0);
    let there = V::lane_numbers(token).lt(one.lit(sources as f64));
    let mut x = [one; 3];
    for (k, x) in x.iter_mut().enumerate() {
        let (high, low) = (place[k] - get(token, records, k), place[k + 3] - get(token, records, k + 3));
        *x = V::select(there, (high + low) * inverse, one);
    }
    x
}

/// Whether build.rs has written out the interaction of an order, which is also for f32 if that can be of use.
fn is_straight<T: Element>(order: usize) -> bool {
    matches!(order, 2..=8) || (T::DOUBLE && order == 10)
}

/// The interaction by straight code, for moments without dipoles.
#[inline(always)]
fn straight_code<V: Vector>(
    token: V::Token,
    degrees: Degrees,
    (x, ratio): ([V; 3], V),
    soft2: V,
    moments: &[V::T],
    sums: &mut [V::T],
) {
    let s = x[0].fma(x[0], x[1].fma(x[1], x[2].fma(x[2], soft2)));
    let mut chain = [s; 11];
    gravity(s, &mut chain[..=degrees.order]);
    let potential = degrees.lowest == 0;
    match degrees.order {
        2 => unrolled::cells_2::<V>(token, x, ratio, &chain, potential, moments, sums),
        3 => unrolled::cells_3::<V>(token, x, ratio, &chain, potential, moments, sums),
        4 => unrolled::cells_4::<V>(token, x, ratio, &chain, potential, moments, sums),
        5 => unrolled::cells_5::<V>(token, x, ratio, &chain, potential, moments, sums),
        6 => unrolled::cells_6::<V>(token, x, ratio, &chain, potential, moments, sums),
        7 => unrolled::cells_7::<V>(token, x, ratio, &chain, potential, moments, sums),
        10 if V::T::DOUBLE => unrolled::cells_10::<V>(token, x, ratio, &chain, potential, moments, sums),
        _ => unrolled::cells_8::<V>(token, x, ratio, &chain, potential, moments, sums),
    }
}

/// The derivatives of -1/sqrt(r.r + soft2) at x up to order p.
#[inline(always)]
fn tensors<V: Vector>(token: V::Token, x: [V; 3], soft2: V, p: usize, work: &mut [V::T], to: &mut [V::T]) {
    let s = x[0].fma(x[0], x[1].fma(x[1], x[2].fma(x[2], soft2)));
    let mut chain = [s; HIGHEST + 1];
    gravity(s, &mut chain[..=p]);
    derivatives(token, x, &chain[..=p], work, to);
}

/// Up to LEN bodies, number by number in lanes; lanes without a body have a distance of one in the unit, and no mass.
#[inline(always)]
pub(crate) fn bodies_by_lanes<V: Vector>(token: V::Token, bodies: &[[V::T; 5]], unit: f64) -> [V; 5] {
    let mut columns = [[V::T::from_f64(unit); WIDEST]; 5];
    (columns[3], columns[4]) = ([V::T::default(); WIDEST], [V::T::default(); WIDEST]);
    for (lane, body) in bodies.iter().enumerate() {
        (0..5).for_each(|k| columns[k][lane] = body[k]);
    }
    load::<V, 5>(token, columns.each_ref().map(|column| &column[..]), 0)
}

/// Adds what bodies do to the expansion about a sink.
#[derive(Debug)]
pub struct FromBodies<'a, T> {
    /// Sink less body, mass, and what a body of its own adds to the square of the softening length.
    pub bodies: &'a [[T; 5]],
    /// The sink's unit of length.
    pub unit: f64,
    /// The sink's part of the square of the softening length, or all of it.
    pub soft2: f64,
    /// The order of the expansion.
    pub order: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The expansion, in the unit of the sink.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for FromBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let Scratch { derivatives: tensor, work, sums, .. } = self.scratch;
        let n = count(self.order);
        sums[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / self.unit));
        let soft2 = V::splat(token, T::from_f64(self.soft2 / self.unit / self.unit));
        for bodies in self.bodies.chunks(V::LEN) {
            let [x, y, z, mass, own] = bodies_by_lanes::<V>(token, bodies, self.unit);
            let soft2 = own.fma(inverse * inverse, soft2);
            tensors(token, [x * inverse, y * inverse, z * inverse], soft2, self.order, work, tensor);
            for k in 0..n {
                let sum = mass.fma(get(token, tensor, k), get(token, sums, k));
                put(sum, sums, k);
            }
        }
        add_lanes::<V>(token, n, sums, self.to);
    }
}
