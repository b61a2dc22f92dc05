//! Interactions of cells which the softening does not matter to: along z, with real solid harmonics.
//!
//! Where the potential is harmonic, 2 d + 1 numbers of a degree say what (d + 1)(d + 2) / 2 Cartesian ones do ([`spherical`]):
//! moments are brought to them once a cell, and the sum of what cells do to a sink is brought back once a sink. In a frame that is
//! turned so that source and sink lie along z, numbers of the same m alone act on each other, and all pairs of a moment of degree
//! k < p with a coefficient of degree n <= p are summed for what those with n + k <= p cost in the given frame: at order 6 970
//! multiplications, at order 12 5,650. With D the separation, s = D.D plus the square of the softening, and h = |D| / s,
//!
//! ```text
//! L_n = - h^n s^(-1/2) turned back (sum_k translation(n, k, m) h^k M_k turned)
//! ```
//!
//! which is what the Cartesian derivatives of -1/sqrt(s) are without their traces. Both ways have the same pairs of degrees, so
//! that what A does to B is the opposite of what B does to A.

use crate::Place;
use crate::far::{Softness, steps};
use crate::index::{HIGHEST, of_degree, start};
use crate::moments::{HEADER, Moments, SHORT_HEADER, UNIT, gather_rows, two_parts};
use crate::scratch::{Scratch, add_lanes, padded, splat};
use crate::spherical;
use crate::taylor::{get, put};
use crate::unrolled::{self, DERIVATIVES, EXCHANGES};
use manybody_law::simd::{Element, Kernel, Lanes, Vector, prefetch};
use std::sync::LazyLock;

/// How many harmonics have a degree below n.
pub(crate) const fn below(n: usize) -> usize {
    n * n
}

/// Numbers of a degree, of any.
const MOST: usize = 2 * HIGHEST + 1;

/// From Cartesian numbers to spherical ones, and back.
#[derive(Debug)]
pub struct Conversion<T> {
    order: usize,
    /// Of each degree the derivatives, column by column, with the sign of a moment; rows filled up.
    of_moments: Vec<T>,
    /// The same row by row.
    of_sums: Vec<T>,
}

impl<T> Default for Conversion<T> {
    fn default() -> Self {
        Conversion { order: 0, of_moments: Vec::new(), of_sums: Vec::new() }
    }
}

impl<T: Element> Conversion<T> {
    /// That of moments below an order, and of expansions of the order.
    pub(crate) fn set(&mut self, order: usize) {
        if order == self.order {
            return;
        }
        self.order = order;
        let Conversion { of_moments, of_sums, .. } = self;
        of_moments.clear();
        of_sums.clear();
        for (n, all) in DERIVATIVES.iter().enumerate().take(order + 1) {
            let (rows, columns) = (2 * n + 1, of_degree(n));
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            let fill = |to: &mut Vec<T>, numbers: &mut dyn Iterator<Item = f64>| {
                to.extend(numbers.map(T::from_f64));
                to.resize(padded(to.len()), T::default());
            };
            for row in all.chunks(columns) {
                fill(of_sums, &mut row.iter().copied());
            }
            for column in (0..columns).filter(|_| n < order) {
                fill(of_moments, &mut (0..rows).map(|m| sign * all[m * columns + column]));
            }
        }
    }
}

/// A matrix, whose columns are filled up, times numbers; `to` has room for whole vectors.
#[inline(always)]
fn times_columns<V: Vector>(token: V::Token, columns: &[V::T], numbers: &[V::T], width: usize, to: &mut [V::T]) {
    for at in (0..width).step_by(V::LEN) {
        let mut sum = V::splat(token, V::T::default());
        for (column, number) in columns.chunks_exact(width).zip(numbers) {
            sum = V::load(token, &column[at..]).fma(V::splat(token, *number), sum);
        }
        sum.store(&mut to[at..]);
    }
}

/// Brings moments to spherical ones, record by record.
#[derive(Debug)]
pub struct ToSpherical<'a, T> {
    /// That of the moments' order.
    pub conversion: &'a Conversion<T>,
    /// Records of moments.
    pub from: &'a [T],
    /// As many records of spherical moments.
    pub to: &'a mut [T],
    /// Numbers of a record of both kinds.
    pub widths: [usize; 2],
}

impl<T: Element> Kernel<T> for ToSpherical<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let (Conversion { order, of_moments, .. }, mut found) = (self.conversion, [T::default(); padded(MOST)]);
        let [of_records, of_short] = self.widths;
        for (from, to) in self.from.chunks_exact(of_records).zip(self.to.chunks_exact_mut(of_short)) {
            to[..SHORT_HEADER].copy_from_slice(&from[..SHORT_HEADER]);
            let (from, to) = (&from[HEADER..], &mut to[SHORT_HEADER..]);
            let mut rest = &of_moments[..];
            for n in 0..*order {
                let width = padded(2 * n + 1);
                let (columns, others) = rest.split_at(width * of_degree(n));
                rest = others;
                times_columns::<V>(token, columns, &from[start(n)..start(n + 1)], width, &mut found);
                to[below(n)..below(n + 1)].copy_from_slice(&found[..2 * n + 1]);
            }
        }
    }
}

/// Adds the Cartesian coefficients up to order p of a sum of spherical ones.
#[inline(always)]
fn add_cartesian<V: Vector>(token: V::Token, p: usize, conversion: &Conversion<V::T>, sums: &[V::T], to: &mut [V::T]) {
    let (mut rest, mut found) = (&conversion.of_sums[..], [V::T::default(); padded(of_degree(HIGHEST))]);
    for n in 0..=p {
        let width = padded(of_degree(n));
        let (rows, others) = rest.split_at(width * (2 * n + 1));
        rest = others;
        times_columns::<V>(token, rows, &sums[below(n)..below(n + 1)], width, &mut found);
        for (to, found) in to[start(n)..start(n + 1)].iter_mut().zip(&found) {
            *to = *to + *found;
        }
    }
}

/// From a source to a sink.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way<V> {
    /// Cosine and sine of the angle about z.
    pub(crate) phi: [V; 2],
    /// Those of the angle from z.
    pub(crate) theta: [V; 2],
    /// The factor of a degree of moments.
    pub(crate) source: V,
    /// The factor of a degree of coefficients.
    pub(crate) sink: V,
    /// The factor of all coefficients.
    pub(crate) first: V,
}

impl<V: Vector> Way<V> {
    /// Along x in the sink's unit, with the ratio of the source's unit and that, and the square of a softening.
    #[inline(always)]
    fn new(x: [V; 3], ratio: V, soft2: V) -> Self {
        // closer to z than rounding, the angle about it is 0
        const CLOSE: f64 = 1e-32;
        let (zero, one) = (ratio.lit(0.0), ratio.lit(1.0));
        let rho2 = x[0].fma(x[0], x[1] * x[1]);
        let r2 = x[2].fma(x[2], rho2);
        let apart = (r2 * r2.lit(CLOSE)).lt(rho2);
        let (to_z, inverse) = (V::select(apart, rho2, one).rsqrt(), r2.rsqrt());
        let root = (r2 + soft2).rsqrt();
        let sink = r2 * inverse * (root * root);
        Way {
            phi: [V::select(apart, x[0] * to_z, one), V::select(apart, x[1] * to_z, zero)],
            theta: [x[2] * inverse, V::select(apart, rho2 * to_z * inverse, zero)],
            source: ratio * sink,
            sink,
            first: -root,
        }
    }
}

/// Adds what cells do, which the softening does not matter to, to the expansion about a sink.
#[derive(Debug)]
pub struct FromFarCells<'a, T> {
    /// Those of all cells, with spherical ones.
    pub moments: &'a Moments<T>,
    /// The cells that act.
    pub sources: &'a [u32],
    /// Where the expansion is made.
    pub sink: Place,
    /// The softenings of the interactions.
    pub softness: Softness<'a>,
    /// The order of the expansion.
    pub order: usize,
    /// Whether there are moments of degree 1.
    pub dipoles: bool,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The expansion, in the unit of the sink.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for FromFarCells<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let FromFarCells { moments: Moments { spherical, short_width: width, .. }, sources, sink, order: p, .. } = self;
        let Scratch { moments, derivatives: turned, sums, .. } = self.scratch;
        let n = below(p + 1);
        sums[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / sink.unit));
        let place = splat::<V, 6>(token, two_parts(sink.center));
        for (chunk, some) in sources.chunks(V::LEN).enumerate() {
            for next in sources[chunk * V::LEN + some.len()..].iter().take(V::LEN) {
                prefetch(spherical, *next as usize * width, *width);
            }
            let sources = some;
            let record = |lane: usize, at: usize| &spherical[sources[lane] as usize * width + at..];
            gather_rows::<V>(token, sources.len(), SHORT_HEADER + below(p), record, moments);
            let x = steps(token, place, inverse, sources.len(), moments);
            let ratio = get::<V>(token, moments, UNIT) * inverse;
            let moments = &mut moments[SHORT_HEADER * V::LEN..];
            let way = Way::new(x, ratio, self.softness.of(token, sources, sink.unit));
            interact(token, p, way, self.dipoles, moments, turned, sums);
        }
        let mut found = [T::default(); below(HIGHEST + 1)];
        add_lanes::<V>(token, n, sums, &mut found);
        add_cartesian::<V>(token, p, &self.moments.conversion, &found, self.to);
    }
}

/// Adds what moments do along a way to sums of coefficients up to order p.
#[inline(always)]
fn interact<V: Vector>(
    token: V::Token,
    p: usize,
    way: Way<V>,
    dipoles: bool,
    moments: &[V::T],
    turned: &mut [V::T],
    sums: &mut [V::T],
) {
    match p {
        2 => unrolled::far_2::<V>(token, way, dipoles, moments, turned, sums),
        3 => unrolled::far_3::<V>(token, way, dipoles, moments, turned, sums),
        4 => unrolled::far_4::<V>(token, way, dipoles, moments, turned, sums),
        5 => unrolled::far_5::<V>(token, way, dipoles, moments, turned, sums),
        6 => unrolled::far_6::<V>(token, way, dipoles, moments, turned, sums),
        7 => unrolled::far_7::<V>(token, way, dipoles, moments, turned, sums),
        8 => unrolled::far_8::<V>(token, way, dipoles, moments, turned, sums),
        10 if V::T::DOUBLE => unrolled::far_10::<V>(token, way, dipoles, moments, turned, sums),
        12 if V::T::DOUBLE => unrolled::far_12::<V>(token, way, dipoles, moments, turned, sums),
        _ => by_loops(token, p, way, moments, turned, sums),
    }
}

/// The factors of [`spherical::translation`], by n, k and m.
static TRANSLATIONS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let all = (0..=HIGHEST).flat_map(|n| (0..=HIGHEST).flat_map(move |k| (0..=HIGHEST).map(move |m| (n, k, m))));
    all.map(|(n, k, m)| if m <= n.min(k) { spherical::translation(n, k, m) } else { 0.0 }).collect()
});

/// The same for any order.
#[inline(always)]
fn by_loops<V: Vector>(
    token: V::Token,
    p: usize,
    way: Way<V>,
    moments: &[V::T],
    turned: &mut [V::T],
    sums: &mut [V::T],
) {
    let (zero, one) = (way.first.lit(0.0), way.first.lit(1.0));
    let (phi, theta) = (multiples(way.phi), multiples(way.theta));
    let (mut numbers, mut factor) = ([zero; MOST], one);
    for k in 0..p {
        for (at, number) in numbers.iter_mut().enumerate().take(2 * k + 1) {
            *number = get::<V>(token, moments, below(k) + at) * factor;
        }
        turn(k, &phi, -1.0, &mut numbers);
        exchange(k, &mut numbers);
        turn(k, &theta, 1.0, &mut numbers);
        exchange(k, &mut numbers);
        for (at, number) in numbers.iter().enumerate().take(2 * k + 1) {
            put(*number, turned, below(k) + at);
        }
        factor = factor * way.source;
    }
    let (all, mut factor) = (&TRANSLATIONS[..], way.first);
    for n in 0..=p {
        numbers = [zero; MOST];
        for k in 0..p {
            for m in 0..=n.min(k) {
                let by = zero.lit(all[(n * (HIGHEST + 1) + k) * (HIGHEST + 1) + m]) * factor;
                for (to, from) in [(n + m, k + m), (n - m, k - m)].into_iter().take(1 + m.min(1)) {
                    numbers[to] = by.fma(get(token, turned, below(k) + from), numbers[to]);
                }
            }
        }
        exchange(n, &mut numbers);
        turn(n, &theta, -1.0, &mut numbers);
        exchange(n, &mut numbers);
        turn(n, &phi, 1.0, &mut numbers);
        for (at, number) in numbers.iter().enumerate().take(2 * n + 1) {
            let at = below(n) + at;
            put(*number + get(token, sums, at), sums, at);
        }
        factor = factor * way.sink;
    }
}

/// Cosines and sines of the multiples of an angle.
#[inline(always)]
fn multiples<V: Vector>([cos, sin]: [V; 2]) -> [[V; 2]; HIGHEST + 1] {
    let mut all = [[cos.lit(1.0), cos.lit(0.0)]; HIGHEST + 1];
    for m in 1..all.len() {
        let [c, s] = all[m - 1];
        all[m] = [sin.fnma(s, cos * c), sin.fma(c, cos * s)];
    }
    all
}

/// Turns numbers of a degree about z, forth or back.
#[inline(always)]
fn turn<V: Vector>(n: usize, angles: &[[V; 2]; HIGHEST + 1], sense: f64, numbers: &mut [V; MOST]) {
    for (m, [cos, sin]) in angles.iter().enumerate().take(n + 1).skip(1) {
        let (a, b, sin) = (numbers[n + m], numbers[n - m], *sin * sin.lit(sense));
        numbers[n + m] = sin.fnma(b, *cos * a);
        numbers[n - m] = sin.fma(a, *cos * b);
    }
}

/// Exchanges y and z.
#[inline(always)]
fn exchange<V: Vector>(n: usize, numbers: &mut [V; MOST]) {
    let from = *numbers;
    *numbers = [from[0].lit(0.0); MOST];
    for (row, column, number) in EXCHANGES[n] {
        let to = &mut numbers[usize::from(*row)];
        *to = to.lit(*number).fma(from[usize::from(*column)], *to);
    }
}
