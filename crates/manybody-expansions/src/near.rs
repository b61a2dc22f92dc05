//! Interactions of bodies with bodies: a leaf's in registers, those of its neighbours one by one.

use crate::scratch::splat;
use manybody_law::law::{spline, spline_with_slope};
use manybody_law::simd::{Element, Kernel, Lanes, Vector, prefetch};

/// Numbers of a body in the result: without its jerk, and with it.
pub const FIELDS: [usize; 2] = [AT_REST, MOVING];
const AT_REST: usize = 4;
const MOVING: usize = 7;

/// N numbers of each body, of leaves of one size: whole vectors of bodies.
#[derive(Clone, Copy, Debug)]
pub struct Leaves<'a, T, const N: usize> {
    /// Bodies in a leaf.
    pub leaf: usize,
    /// `[leaf][number][body]`.
    pub columns: &'a [T],
    /// `[body][number]`.
    pub each: &'a [[T; N]],
}

impl<'a, T: Element, const N: usize> Leaves<'a, T, N> {
    /// The columns of a leaf's bodies.
    pub fn columns(self, leaf: usize) -> [&'a [T]; N] {
        let columns = &self.columns[leaf * N * self.leaf..(leaf + 1) * N * self.leaf];
        std::array::from_fn(|field| &columns[field * self.leaf..(field + 1) * self.leaf])
    }

    /// Starts to fetch a leaf's bodies.
    #[inline(always)]
    pub(crate) fn prefetch(self, leaf: usize) {
        prefetch(self.each, leaf * self.leaf, self.leaf);
    }

    /// A leaf's bodies one by one.
    #[inline(always)]
    pub(crate) fn each(self, leaf: usize) -> &'a [[T; N]] {
        &self.each[leaf * self.leaf..(leaf + 1) * self.leaf]
    }
}

/// Adds what the bodies of leaves do to those of one.
#[derive(Debug)]
pub struct Near<'a, T> {
    /// x, y and z relative to the centre of the leaf, and mass.
    pub bodies: Leaves<'a, T, 4>,
    /// The leaf acted on.
    pub leaf: usize,
    /// Other leaves, by the numbers of their cells.
    pub sources: &'a [u32],
    /// The number of the first leaf's cell.
    pub first: usize,
    /// The centres of the other leaves less the leaf's.
    pub steps: &'a [[T; 3]],
    /// Other bodies, relative to the leaf's centre; last half the square of the softening.
    pub single: &'a [[T; 5]],
    /// Where jerks are asked for, with potentials: velocities, and those of the other bodies.
    pub moving: Option<(Leaves<'a, T, 3>, &'a [[T; 3]])>,
    /// The square of the softening length, where bodies have no softenings of their own.
    pub soft2: f64,
    /// `[leaf][body]`, where bodies have softenings of their own: half their squares.
    pub halves: Option<&'a [T]>,
    /// Whether a softening length is that of a spline, not of a Plummer potential.
    pub spline: bool,
    /// Whether potentials are asked for.
    pub potential: bool,
    /// Whether sums are compensated; those of potentials always are.
    pub compensated: bool,
    /// `[ax, ay, az, pot][body]`, and behind these `[jx, jy, jz][body]` where jerks are asked for.
    pub to: &'a mut [T],
}

/// Bodies that are summed as one part.
const TOGETHER: usize = 16;

/// A vector of bodies, and the S sums of what was found for them.
#[derive(Clone, Copy)]
struct Sinks<V, const S: usize> {
    x: [V; 3],
    v: [V; 3],
    sums: [V; S],
    /// Their part of the square of a softening.
    soft2: V,
}

/// Sums of parts, each with what rounding has taken away: in f32 a potential of thousands of equal terms, added one by one,
/// would be off by thousands of roundings [Kahan 1965].
#[derive(Clone, Copy)]
struct Parts<V, const S: usize> {
    sum: [V; S],
    lost: [V; S],
}

impl<V: Vector, const S: usize> Parts<V, S> {
    /// Adds what was found for bodies, which is then 0 again.
    #[inline(always)]
    fn add(&mut self, found: &mut Sinks<V, S>, zero: V) {
        for ((sum, lost), part) in self.sum.iter_mut().zip(&mut self.lost).zip(found.sums) {
            let part = part - *lost;
            let next = *sum + part;
            *lost = (next - *sum) - part;
            *sum = next;
        }
        found.sums = [zero; S];
    }
}

impl<V: Vector, const S: usize> Sinks<V, S> {
    /// What a body does to these, up to factors of the result; `half` is its own part of the square of the softening.
    #[inline(always)]
    fn pair<const POT: bool, const SOFT: bool, const SPLINE: bool>(
        &mut self,
        place: [V; 3],
        (body, velocity): ([V; 4], [V; 3]),
        half: V,
    ) {
        let soft2 = if SOFT { self.soft2 + half } else { self.soft2 };
        let d: [V; 3] = [body[0] - place[0], body[1] - place[1], body[2] - place[2]];
        let s = d[0].fma(d[0], d[1].fma(d[1], d[2].fma(d[2], soft2)));
        // where jerks need it, the derivative of f by r, over r, as two factors: the product may be beyond the range of f32
        let mut slope = [s; 2];
        let f = if SPLINE && S == MOVING {
            let [potential, force, by_r, y2] = spline_with_slope(d, soft2, body[3]);
            self.sums[3] = self.sums[3] - potential;
            slope = [by_r, y2];
            force
        } else if SPLINE {
            let [potential, force] = spline(d, soft2);
            self.sums[3] = self.sums[3] - potential * body[3];
            force * body[3]
        } else if POT {
            let y = s.rsqrt();
            let my = y * body[3];
            self.sums[3] = self.sums[3] - my;
            let y2 = y * y;
            let force = y2 * my;
            slope = [force * s.lit(-3.0), y2];
            force
        } else {
            s.rsqrt3_scaled().0 * body[3]
        };
        for (a, d) in self.sums[..3].iter_mut().zip(d) {
            *a = f.fma(d, *a);
        }
        if S == MOVING {
            let w = [velocity[0] - self.v[0], velocity[1] - self.v[1], velocity[2] - self.v[2]];
            let [by_r, y2] = slope;
            let along = by_r * (y2 * d[0].fma(w[0], d[1].fma(w[1], d[2] * w[2])));
            for ((j, d), w) in self.sums[AT_REST..].iter_mut().zip(d).zip(w) {
                *j = f.fma(w, along.fma(d, *j));
            }
        }
    }
}

impl<T: Element> Kernel<T> for Near<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(mut self, token: V::Token) {
        match (self.spline, self.halves.is_some(), self.moving.is_some()) {
            (false, false, true) => self.all::<V, true, false, false, MOVING>(token),
            (false, true, true) => self.all::<V, true, true, false, MOVING>(token),
            (true, false, true) => self.all::<V, true, false, true, MOVING>(token),
            (true, true, true) => self.all::<V, true, true, true, MOVING>(token),
            (false, false, false) if self.potential => self.all::<V, true, false, false, AT_REST>(token),
            (false, false, false) => self.all::<V, false, false, false, AT_REST>(token),
            (false, true, false) if self.potential => self.all::<V, true, true, false, AT_REST>(token),
            (false, true, false) => self.all::<V, false, true, false, AT_REST>(token),
            // potentials, too: few operations of many
            (true, false, false) => self.all::<V, true, false, true, AT_REST>(token),
            (true, true, false) => self.all::<V, true, true, true, AT_REST>(token),
        }
    }
}

impl<T: Element> Near<'_, T> {
    #[inline(always)]
    fn all<V: Lanes<T = T>, const POT: bool, const SOFT: bool, const SPLINE: bool, const S: usize>(
        &mut self,
        token: V::Token,
    ) {
        let (leaf, mut at) = (self.bodies.columns(self.leaf)[0].len(), 0);
        // registers hold the sums of two vectors of bodies at rest
        while S == AT_REST && leaf - at >= 2 * V::LEN {
            self.some::<V, POT, SOFT, SPLINE, S, 2>(token, at);
            at += 2 * V::LEN;
        }
        while at < leaf {
            self.some::<V, POT, SOFT, SPLINE, S, 1>(token, at);
            at += V::LEN;
        }
    }

    /// The sums of B vectors of bodies, from number `at` of the leaf on.
    #[inline(always)]
    fn some<V: Lanes<T = T>, const POT: bool, const SOFT: bool, const SPLINE: bool, const S: usize, const B: usize>(
        &mut self,
        token: V::Token,
        at: usize,
    ) {
        let columns = self.bodies.columns(self.leaf);
        let leaf = columns[0].len();
        let zero = V::splat(token, T::default());
        let soft2 = V::splat(token, T::from_f64(self.soft2));
        let mut sinks = [Sinks { x: [zero; 3], v: [zero; 3], sums: [zero; S], soft2 }; B];
        for (k, sinks) in sinks.iter_mut().enumerate() {
            if SOFT {
                sinks.soft2 = V::load(token, &self.halves(self.leaf)[at + k * V::LEN..]);
            }
            for (x, column) in sinks.x.iter_mut().zip(columns) {
                *x = V::load(token, &column[at + k * V::LEN..]);
            }
            if let (true, Some((velocities, _))) = (S == MOVING, self.moving) {
                for (v, column) in sinks.v.iter_mut().zip(velocities.columns(self.leaf)) {
                    *v = V::load(token, &column[at + k * V::LEN..]);
                }
            }
        }
        let mut parts = [Parts { sum: [zero; S], lost: [zero; S] }; B];
        let compensated = POT || self.compensated;
        for (k, (source, step)) in self.sources.iter().zip(self.steps).enumerate() {
            if let Some(next) = self.sources.get(k + 1) {
                self.bodies.prefetch(*next as usize - self.first);
            }
            let source = *source as usize - self.first;
            let mut places = [sinks[0].x; B];
            for (place, sinks) in places.iter_mut().zip(&sinks) {
                *place = sinks.x;
            }
            for (k, step) in step.iter().enumerate() {
                let step = V::splat(token, *step);
                for place in &mut places {
                    place[k] = place[k] - step;
                }
            }
            let halves = if SOFT { self.halves(source) } else { &[] };
            let velocities = self.velocities::<S>(source);
            for (k, body) in self.bodies.each(source).iter().enumerate() {
                let body = splat::<V, 4>(token, *body);
                let half = if SOFT { V::splat(token, halves[k]) } else { zero };
                let velocity = if S == MOVING { splat::<V, 3>(token, velocities[k]) } else { [zero; 3] };
                for (sinks, place) in sinks.iter_mut().zip(places) {
                    sinks.pair::<POT, SOFT, SPLINE>(place, (body, velocity), half);
                }
            }
            if compensated {
                for (parts, sinks) in parts.iter_mut().zip(&mut sinks) {
                    parts.add(sinks, zero);
                }
            }
        }
        let singles = self.moving.map_or(&[][..], |(_, singles)| singles);
        for (chunk, bodies) in self.single.chunks(TOGETHER).enumerate() {
            for (k, body) in bodies.iter().enumerate() {
                let [x, y, z, mass, half] = splat::<V, 5>(token, *body);
                let velocity =
                    if S == MOVING { splat::<V, 3>(token, singles[chunk * TOGETHER + k]) } else { [zero; 3] };
                for sinks in &mut sinks {
                    sinks.pair::<POT, SOFT, SPLINE>(sinks.x, ([x, y, z, mass], velocity), half);
                }
            }
            if compensated {
                for (parts, sinks) in parts.iter_mut().zip(&mut sinks) {
                    parts.add(sinks, zero);
                }
            }
        }
        self.own::<V, POT, SOFT, SPLINE, S, B>(token, at, &mut sinks);
        if compensated {
            for (mut parts, sinks) in parts.into_iter().zip(&mut sinks) {
                parts.add(sinks, zero);
                sinks.sums = parts.sum;
            }
        }
        let factor = zero.lit(if POT { 1.0 } else { soft2.rsqrt3_scaled().1 });
        for (k, sinks) in sinks.into_iter().enumerate() {
            for (field, sum) in sinks.sums.into_iter().enumerate() {
                let value = if field < 3 { sum * factor } else { sum };
                let to = &mut self.to[field * leaf + at + k * V::LEN..];
                (V::load(token, to) + value).store(to);
            }
        }
    }

    /// The halves of a leaf's bodies.
    #[inline(always)]
    fn halves(&self, leaf: usize) -> &[T] {
        let size = self.bodies.leaf;
        self.halves.map_or(&[], |halves| &halves[leaf * size..(leaf + 1) * size])
    }

    /// The velocities of a leaf's bodies, where jerks are asked for.
    #[inline(always)]
    fn velocities<const S: usize>(&self, leaf: usize) -> &[[T; 3]] {
        match self.moving {
            Some((velocities, _)) if S == MOVING => velocities.each(leaf),
            _ => &[],
        }
    }

    /// The leaf's own bodies, each without itself.
    #[inline(always)]
    fn own<V: Lanes<T = T>, const POT: bool, const SOFT: bool, const SPLINE: bool, const S: usize, const B: usize>(
        &self,
        token: V::Token,
        at: usize,
        sinks: &mut [Sinks<V, S>; B],
    ) {
        let halves = if SOFT { self.halves(self.leaf) } else { &[] };
        let velocities = self.velocities::<S>(self.leaf);
        let lanes = V::lane_numbers(token);
        for (k, body) in self.bodies.each(self.leaf).iter().enumerate() {
            let [x, y, z, mass] = splat::<V, 4>(token, *body);
            let half = if SOFT { V::splat(token, halves[k]) } else { mass };
            let velocity = if S == MOVING { splat::<V, 3>(token, velocities[k]) } else { [mass; 3] };
            for (b, sinks) in sinks.iter_mut().enumerate() {
                // small whole numbers: exact
                let itself = lanes.same(mass.lit(k as f64 - (at + b * V::LEN) as f64));
                let mass = V::select(itself, mass.lit(0.0), mass);
                sinks.pair::<POT, SOFT, SPLINE>(sinks.x, ([x, y, z, mass], velocity), half);
            }
        }
    }
}
