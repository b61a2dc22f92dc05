//! Interactions at a distance that differences of the bodies' softenings matter to, to the first
//! power of each difference.
//!
//! The square of a pair's softening is the sum of two halves. Of sources there are moments of masses times the differences of
//! halves from one number for all cells, and of a sink a second expansion, which its bodies take times their differences.

use crate::Place;
use crate::far::{Larger, Softness, bodies_by_lanes, gravity, in_larger, steps, take_back};
use crate::index::{HIGHEST, count};
use crate::moments::{HEADER, Moments, UNIT, gather_rows, rescale, two_parts};
use crate::scratch::{Scratch, WIDEST, add_lanes, padded, splat};
use crate::taylor::{Degrees, contract, derivatives, get, put};
use manybody_law::simd::{Element, Kernel, Lanes, Vector};

/// How halves of the squares of softenings differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Differences {
    /// What differences are taken from.
    pub base: f64,
    /// The largest difference.
    pub unit: f64,
}

impl Differences {
    /// The difference of a half, in units of the largest.
    pub fn of(self, half: f64) -> f64 {
        (half - self.base) / self.unit
    }

    /// Those of bodies with these halves, in units of the largest.
    pub fn of_bodies<T: Element>(self, halves: &[T]) -> LeafDifferences<'_, T> {
        LeafDifferences { halves, base: T::from_f64(self.base), inverse: T::from_f64(1.0 / self.unit) }
    }
}

/// The differences of the bodies of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct LeafDifferences<'a, T> {
    halves: &'a [T],
    base: T,
    inverse: T,
}

impl<T: Element> LeafDifferences<'_, T> {
    /// Those of a vector of bodies, from number `at` of the leaf on.
    #[inline(always)]
    pub(crate) fn of<V: Vector<T = T>>(&self, token: V::Token, at: usize) -> V {
        (V::load(token, &self.halves[at..]) - V::splat(token, self.base)) * V::splat(token, self.inverse)
    }
}

/// The first expansion about a sink, and that which its bodies take times their differences.
pub type Both<'a, T> = [&'a mut [T]; 2];

/// Adds what cells do, whose softenings differ, to both expansions about a sink.
#[derive(Debug)]
pub struct FromSoftCells<'a, T> {
    /// Those of all cells.
    pub moments: &'a Moments<T>,
    /// Of masses times differences.
    pub products: &'a Moments<T>,
    /// The mean halves of all cells.
    pub means: &'a [f64],
    /// What the products are made with.
    pub differences: Differences,
    /// The cells that act.
    pub sources: &'a [u32],
    /// Where the expansions are made.
    pub sink: Place,
    /// The sink's mean half.
    pub mean: f64,
    /// Which moments act on which coefficients.
    pub degrees: Degrees,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The expansions, in the unit of the sink.
    pub to: Both<'a, T>,
}

impl<T: Element> Kernel<T> for FromSoftCells<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let FromSoftCells { moments: Moments { records, width, .. }, means: cells, sources, sink, degrees, .. } = self;
        let with_differences = &self.products.records;
        let Scratch { moments, derivatives: tensor, work, sums, products, others } = self.scratch;
        let (n, p) = (count(degrees.sink), degrees.order);
        sums[..n * V::LEN].fill(T::default());
        others[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / sink.unit));
        let factor = V::splat(token, T::from_f64(0.5 * self.differences.unit / sink.unit / sink.unit));
        let place = splat::<V, 6>(token, two_parts(sink.center));
        let softness = Softness::Each { cells, sink: self.mean };
        // products of masses and differences have moments of degree 1
        let with_dipoles = Degrees { dipoles: true, ..degrees };
        for sources in sources.chunks(V::LEN) {
            let numbers = HEADER + count(degrees.source);
            let record = |lane: usize, at: usize| &records[sources[lane] as usize * width + at..];
            gather_rows::<V>(token, sources.len(), numbers, record, moments);
            let record = |lane: usize, at: usize| &with_differences[sources[lane] as usize * width + at..];
            gather_rows::<V>(token, sources.len(), numbers, record, products);
            let x = steps(token, place, inverse, sources.len(), moments);
            let ratio = get::<V>(token, moments, UNIT) * inverse;
            let mut means = [T::default(); WIDEST];
            for (mean, source) in means.iter_mut().zip(sources) {
                *mean = T::from_f64(self.differences.of(cells[*source as usize]));
            }
            let (mean, half) = (V::load(token, &means), of_sources(token, sources.len(), factor));
            let (moments, products) = (&mut moments[HEADER * V::LEN..], &mut products[HEADER * V::LEN..]);
            for k in 0..count(degrees.source) {
                put(mean.fnma(get(token, moments, k), get(token, products, k)), products, k);
            }
            rescale::<V>(token, ratio, degrees.source, moments);
            rescale::<V>(token, ratio, degrees.source, products);
            let larger = Larger::of(ratio);
            let (x, soft2) = in_larger(larger, x, softness.of(token, sources, sink.unit));
            let half = larger.map_or(half, |larger| larger.square(half));
            let s = x[0].fma(x[0], x[1].fma(x[1], x[2].fma(x[2], soft2)));
            let mut chain = [s; HIGHEST + 3];
            gravity(s, &mut chain[..=p + 2]);
            derivatives(token, x, &chain[..=p], work, tensor);
            take_back::<V>(token, larger, p, tensor);
            contract::<V>(token, degrees, moments, tensor, sums);
            times(half, &mut chain[1..=p + 2]);
            derivatives(token, x, &chain[1..=p + 1], work, tensor);
            take_back::<V>(token, larger, p, tensor);
            contract::<V>(token, with_dipoles, products, tensor, sums);
            contract::<V>(token, degrees, moments, tensor, others);
            times(half, &mut chain[2..=p + 2]);
            derivatives(token, x, &chain[2..=p + 2], work, tensor);
            take_back::<V>(token, larger, p, tensor);
            contract::<V>(token, with_dipoles, products, tensor, others);
        }
        hand_over::<V>(token, n, [sums, others], self.differences.of(self.mean), self.to);
    }
}

/// The factor of a derivative by a half, in lanes that have a source: in others distances are one, and the factor might take
/// derivatives out of range.
#[inline(always)]
pub(crate) fn of_sources<V: Vector>(token: V::Token, sources: usize, factor: V) -> V {
    let there = V::lane_numbers(token).lt(factor.lit(sources as f64));
    V::select(there, factor, factor.lit(0.0))
}

#[inline(always)]
pub(crate) fn times<V: Vector>(factor: V, chain: &mut [V]) {
    for g in chain {
        *g = *g * factor;
    }
}

/// Adds the lanes to both expansions, whose differences are from the one number for all cells: the sink's mean is taken out.
#[inline(always)]
pub(crate) fn hand_over<V: Lanes>(
    token: V::Token,
    n: usize,
    sums: [&[V::T]; 2],
    mean: f64,
    [first, second]: Both<'_, V::T>,
) {
    let mut found = [V::T::default(); padded(count(HIGHEST))];
    add_lanes::<V>(token, n, sums[0], first);
    add_lanes::<V>(token, n, sums[1], &mut found);
    let mean = V::T::from_f64(mean);
    for ((first, second), found) in first.iter_mut().zip(second).zip(&found[..n]) {
        *first = *first - mean * *found;
        *second = *second + *found;
    }
}

/// Adds what bodies do to both expansions about a sink.
#[derive(Debug)]
pub struct FromSoftBodies<'a, T> {
    /// Sink less body, mass, and half the square of the softening.
    pub bodies: &'a [[T; 5]],
    /// What the sink's bodies take their second expansion with.
    pub differences: Differences,
    /// The sink's unit of length.
    pub unit: f64,
    /// The sink's mean half.
    pub mean: f64,
    /// The order of the expansions.
    pub order: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The expansions, in the unit of the sink.
    pub to: Both<'a, T>,
}

impl<T: Element> Kernel<T> for FromSoftBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let FromSoftBodies { bodies, differences, unit, order: p, .. } = self;
        let Scratch { derivatives: tensor, work, sums, others, .. } = self.scratch;
        let n = count(p);
        sums[..n * V::LEN].fill(T::default());
        others[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / unit));
        let factor = V::splat(token, T::from_f64(0.5 * differences.unit / unit / unit));
        let mean = V::splat(token, T::from_f64(self.mean));
        for bodies in bodies.chunks(V::LEN) {
            let [x, y, z, mass, own] = bodies_by_lanes::<V>(token, bodies, unit);
            let half = of_sources(token, bodies.len(), factor);
            let x = [x * inverse, y * inverse, z * inverse];
            let soft2 = (own + mean) * inverse * inverse;
            let s = x[0].fma(x[0], x[1].fma(x[1], x[2].fma(x[2], soft2)));
            let mut chain = [s; HIGHEST + 2];
            gravity(s, &mut chain[..=p + 1]);
            derivatives(token, x, &chain[..=p], work, tensor);
            for k in 0..n {
                put(mass.fma(get(token, tensor, k), get(token, sums, k)), sums, k);
            }
            times(half, &mut chain[1..=p + 1]);
            derivatives(token, x, &chain[1..=p + 1], work, tensor);
            for k in 0..n {
                put(mass.fma(get(token, tensor, k), get(token, others, k)), others, k);
            }
        }
        hand_over::<V>(token, n, [sums, others], self.differences.of(self.mean), self.to);
    }
}
