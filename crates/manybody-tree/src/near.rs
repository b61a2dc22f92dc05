//! Interactions of bodies with bodies: a leaf's in registers, those of its neighbours one by one.

use crate::bodies::LeafBodies;
use crate::scratch::splat;
use crate::softening::Softenings;
use crate::tree::Cell;
use manybody_law::law::spline;
use manybody_law::simd::{Element, Kernel, Lanes, Vector};
use manybody_pairwise::Softening;

/// Adds what the bodies of leaves do to those of one.
pub(crate) struct Near<'a, T> {
    pub(crate) bodies: &'a LeafBodies<T>,
    /// The leaf acted on, and the cells of the leaves.
    pub(crate) leaf: usize,
    pub(crate) leaves: &'a [Cell],
    /// Other leaves, by the numbers of their cells, of which this is the first.
    pub(crate) sources: &'a [u32],
    pub(crate) first: usize,
    /// Other bodies, relative to the leaf's centre; last half the square of the softening.
    pub(crate) single: &'a [[T; 5]],
    /// The square of the softening length, where bodies have no softenings of their own.
    pub(crate) soft2: f64,
    pub(crate) softenings: Option<&'a Softenings<T>>,
    pub(crate) softening: Softening,
    pub(crate) potential: bool,
    /// Whether sums are compensated; those of potentials always are.
    pub(crate) compensated: bool,
    /// `[ax, ay, az, pot][body]`.
    pub(crate) to: &'a mut [T],
}

/// Bodies that are summed as one part.
const TOGETHER: usize = 16;

/// A vector of bodies, and what was found for them.
#[derive(Clone, Copy)]
struct Sinks<V> {
    x: [V; 3],
    a: [V; 3],
    pot: V,
    /// Their part of the square of a softening.
    soft2: V,
}

/// Sums of parts, each with what rounding has taken away: in f32 a potential of thousands of equal terms, added one by one,
/// would be off by thousands of roundings [Kahan 1965].
#[derive(Clone, Copy)]
struct Parts<V> {
    sum: [V; 4],
    lost: [V; 4],
}

impl<V: Vector> Parts<V> {
    /// Adds what was found for bodies, which is then 0 again.
    #[inline(always)]
    fn add(&mut self, found: &mut Sinks<V>, zero: V) {
        let parts = [found.a[0], found.a[1], found.a[2], found.pot];
        for ((sum, lost), part) in self.sum.iter_mut().zip(&mut self.lost).zip(parts) {
            let part = part - *lost;
            let next = *sum + part;
            *lost = (next - *sum) - part;
            *sum = next;
        }
        (found.a, found.pot) = ([zero; 3], zero);
    }

    /// Puts the sums back.
    #[inline(always)]
    fn give(self, found: &mut Sinks<V>) {
        let [x, y, z, pot] = self.sum;
        (found.a, found.pot) = ([x, y, z], pot);
    }
}

impl<V: Vector> Sinks<V> {
    /// What a body does to these, up to factors of the result; `half` is its own part of the square of the softening.
    #[inline(always)]
    fn pair<const POT: bool, const SOFT: bool, const SPLINE: bool>(&mut self, place: [V; 3], body: [V; 4], half: V) {
        let soft2 = if SOFT { self.soft2 + half } else { self.soft2 };
        let d: [V; 3] = [body[0] - place[0], body[1] - place[1], body[2] - place[2]];
        let s = d[0].fma(d[0], d[1].fma(d[1], d[2].fma(d[2], soft2)));
        let f = if SPLINE {
            let [potential, force] = spline(d, soft2);
            self.pot = self.pot - potential * body[3];
            force * body[3]
        } else if POT {
            let y = s.rsqrt();
            let my = y * body[3];
            self.pot = self.pot - my;
            y * y * my
        } else {
            s.rsqrt3_scaled().0 * body[3]
        };
        for (a, d) in self.a.iter_mut().zip(d) {
            *a = f.fma(d, *a);
        }
    }
}

impl<T: Element> Kernel<T> for Near<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(mut self, token: V::Token) {
        match (self.softening, self.potential, self.softenings) {
            (Softening::Plummer, true, None) => self.all::<V, true, false, false>(token),
            (Softening::Plummer, false, None) => self.all::<V, false, false, false>(token),
            (Softening::Plummer, true, Some(_)) => self.all::<V, true, true, false>(token),
            (Softening::Plummer, false, Some(_)) => self.all::<V, false, true, false>(token),
            // potentials, too: few operations of many
            (Softening::Spline, _, None) => self.all::<V, true, false, true>(token),
            (Softening::Spline, _, Some(_)) => self.all::<V, true, true, true>(token),
        }
    }
}

impl<T: Element> Near<'_, T> {
    #[inline(always)]
    fn all<V: Lanes<T = T>, const POT: bool, const SOFT: bool, const SPLINE: bool>(&mut self, token: V::Token) {
        let (leaf, mut at) = (self.bodies.columns(self.leaf)[0].len(), 0);
        while leaf - at >= 2 * V::LEN {
            self.some::<V, POT, SOFT, SPLINE, 2>(token, at);
            at += 2 * V::LEN;
        }
        if at < leaf {
            self.some::<V, POT, SOFT, SPLINE, 1>(token, at);
        }
    }

    /// The sums of B vectors of bodies, from number `at` of the leaf on.
    #[inline(always)]
    fn some<V: Lanes<T = T>, const POT: bool, const SOFT: bool, const SPLINE: bool, const B: usize>(
        &mut self,
        token: V::Token,
        at: usize,
    ) {
        let columns = self.bodies.columns(self.leaf);
        let leaf = columns[0].len();
        let zero = V::splat(token, T::default());
        let soft2 = V::splat(token, T::from_f64(self.soft2));
        let mut sinks = [Sinks { x: [zero; 3], a: [zero; 3], pot: zero, soft2 }; B];
        for (k, sinks) in sinks.iter_mut().enumerate() {
            if SOFT {
                sinks.soft2 = V::load(token, &self.halves(self.leaf)[at + k * V::LEN..]);
            }
            for (x, column) in sinks.x.iter_mut().zip(columns) {
                *x = V::load(token, &column[at + k * V::LEN..]);
            }
        }
        let mut parts = [Parts { sum: [zero; 4], lost: [zero; 4] }; B];
        let (center, compensated) = (self.leaves[self.leaf].center, POT || self.compensated);
        for (k, source) in self.sources.iter().enumerate() {
            if let Some(next) = self.sources.get(k + 1) {
                self.bodies.prefetch(*next as usize - self.first);
            }
            let source = *source as usize - self.first;
            let there = self.leaves[source].center;
            let mut places = [sinks[0].x; B];
            for (place, sinks) in places.iter_mut().zip(&sinks) {
                *place = sinks.x;
            }
            for k in 0..3 {
                let step = V::splat(token, T::from_f64(there[k] - center[k]));
                for place in &mut places {
                    place[k] = place[k] - step;
                }
            }
            let halves = if SOFT { self.halves(source) } else { &[] };
            for (k, body) in self.bodies.each(source).iter().enumerate() {
                let body = splat::<V, 4>(token, *body);
                let half = if SOFT { V::splat(token, halves[k]) } else { zero };
                for (sinks, place) in sinks.iter_mut().zip(places) {
                    sinks.pair::<POT, SOFT, SPLINE>(place, body, half);
                }
            }
            if compensated {
                for (parts, sinks) in parts.iter_mut().zip(&mut sinks) {
                    parts.add(sinks, zero);
                }
            }
        }
        for bodies in self.single.chunks(TOGETHER) {
            for body in bodies {
                let [x, y, z, mass, half] = splat::<V, 5>(token, *body);
                for sinks in &mut sinks {
                    sinks.pair::<POT, SOFT, SPLINE>(sinks.x, [x, y, z, mass], half);
                }
            }
            if compensated {
                for (parts, sinks) in parts.iter_mut().zip(&mut sinks) {
                    parts.add(sinks, zero);
                }
            }
        }
        self.own::<V, POT, SOFT, SPLINE, B>(token, at, &mut sinks);
        if compensated {
            for (mut parts, sinks) in parts.into_iter().zip(&mut sinks) {
                parts.add(sinks, zero);
                parts.give(sinks);
            }
        }
        let factor = zero.lit(if POT { 1.0 } else { soft2.rsqrt3_scaled().1 });
        for (k, sinks) in sinks.into_iter().enumerate() {
            let [x, y, z] = sinks.a;
            for (field, value) in [x * factor, y * factor, z * factor, sinks.pot].into_iter().enumerate() {
                let to = &mut self.to[field * leaf + at + k * V::LEN..];
                (V::load(token, to) + value).store(to);
            }
        }
    }

    /// The halves of a leaf's bodies.
    #[inline(always)]
    fn halves(&self, leaf: usize) -> &[T] {
        self.softenings.map_or(&[], |softenings| softenings.of_leaf(leaf))
    }

    /// The leaf's own bodies, each without itself.
    #[inline(always)]
    fn own<V: Lanes<T = T>, const POT: bool, const SOFT: bool, const SPLINE: bool, const B: usize>(
        &self,
        token: V::Token,
        at: usize,
        sinks: &mut [Sinks<V>; B],
    ) {
        let halves = if SOFT { self.halves(self.leaf) } else { &[] };
        let lanes = V::lane_numbers(token);
        for (k, body) in self.bodies.each(self.leaf).iter().enumerate() {
            let [x, y, z, mass] = splat::<V, 4>(token, *body);
            let half = if SOFT { V::splat(token, halves[k]) } else { mass };
            for (b, sinks) in sinks.iter_mut().enumerate() {
                // small whole numbers: exact
                let itself = lanes.same(mass.lit(k as f64 - (at + b * V::LEN) as f64));
                let mass = V::select(itself, mass.lit(0.0), mass);
                sinks.pair::<POT, SOFT, SPLINE>(sinks.x, [x, y, z, mass], half);
            }
        }
    }
}
