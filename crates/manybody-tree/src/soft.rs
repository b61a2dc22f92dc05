//! Interactions at a distance that differences of the bodies' softenings matter to, as `softening` has them.

use crate::far::{Larger, Sink, Softness, bodies_by_lanes, gravity, in_larger, steps, take_back};
use crate::index::{HIGHEST, count};
use crate::moments::{HEADER, Moments, UNIT, gather_rows, rescale, two_parts};
use crate::scratch::{Scratch, WIDEST, add_lanes, padded, splat};
use crate::softening::Softenings;
use crate::taylor::{Degrees, contract, derivatives, get, put};
use manybody_law::simd::{Element, Kernel, Lanes, Vector};

/// The first expansion about a sink, and that which its bodies take times their differences.
pub(crate) type Both<'a, T> = [&'a mut [T]; 2];

/// Adds what cells do, whose softenings differ, to both expansions about a sink.
pub(crate) struct FromSoftCells<'a, T> {
    pub(crate) moments: &'a Moments<T>,
    /// Of masses times differences.
    pub(crate) products: &'a Moments<T>,
    pub(crate) softenings: &'a Softenings<T>,
    pub(crate) sources: &'a [u32],
    pub(crate) sink: Sink,
    /// The sink's mean half.
    pub(crate) mean: f64,
    pub(crate) degrees: Degrees,
    pub(crate) scratch: &'a mut Scratch<T>,
    pub(crate) to: Both<'a, T>,
}

impl<T: Element> Kernel<T> for FromSoftCells<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let FromSoftCells { moments: Moments { records, width, .. }, softenings, sources, sink, degrees, .. } = self;
        let with_differences = &self.products.records;
        let Scratch { moments, derivatives: tensor, work, sums, products, others } = self.scratch;
        let (n, p) = (count(degrees.sink), degrees.order);
        sums[..n * V::LEN].fill(T::default());
        others[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / sink.unit));
        let factor = V::splat(token, T::from_f64(0.5 * softenings.unit / sink.unit / sink.unit));
        let place = splat::<V, 6>(token, two_parts(sink.center));
        let softness = Softness::Each { cells: &softenings.means, sink: self.mean };
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
                *mean = T::from_f64(softenings.difference(softenings.means[*source as usize]));
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
        hand_over::<V>(token, n, [sums, others], softenings.difference(self.mean), self.to);
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
pub(crate) struct FromSoftBodies<'a, T> {
    /// Sink less body, mass, and half the square of the softening.
    pub(crate) bodies: &'a [[T; 5]],
    pub(crate) softenings: &'a Softenings<T>,
    pub(crate) unit: f64,
    /// The sink's mean half.
    pub(crate) mean: f64,
    pub(crate) order: usize,
    pub(crate) scratch: &'a mut Scratch<T>,
    pub(crate) to: Both<'a, T>,
}

impl<T: Element> Kernel<T> for FromSoftBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let FromSoftBodies { bodies, softenings, unit, order: p, .. } = self;
        let Scratch { derivatives: tensor, work, sums, others, .. } = self.scratch;
        let n = count(p);
        sums[..n * V::LEN].fill(T::default());
        others[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / unit));
        let factor = V::splat(token, T::from_f64(0.5 * softenings.unit / unit / unit));
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
        hand_over::<V>(token, n, [sums, others], softenings.difference(self.mean), self.to);
    }
}
