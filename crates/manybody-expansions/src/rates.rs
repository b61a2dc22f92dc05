//! Time derivatives of moments and expansions, for jerks.
//!
//! About centres at rest, moments and expansions change because bodies move,
//!
//! ```text
//! dM_k/dt = - sum_j m_j sum_e v_j,e (c - x_j)^(k-e) / (k-e)!,    dL_n/dt = sum_k dM_k/dt D_{n+k}(R)
//! ```
//!
//! with e the three unit vectors: numbers of the same kind, which the same operators hand up, across and down. A body with
//! velocity v at x has then, with Phi = sum_n L_n d^n / n!,
//!
//! ```text
//! a = - grad Phi,    da/dt = - grad (dPhi/dt) - (v . grad) grad Phi
//! ```
//!
//! where dPhi/dt is the sum with dL_n/dt. There is no rate of degree 0, and second derivatives are of one degree less than
//! gradients: jerks of order p have the terms that accelerations of order p - 1 have.

use crate::far::{bodies_by_lanes, gravity};
use crate::index::{HIGHEST, count, row, start};
use crate::scratch::{Scratch, WIDEST, add_lanes, load, padded};
use crate::soft::{Both, Differences, LeafDifferences, hand_over, of_sources, times};
use crate::taylor::{Degrees, contract, curvatures, derivatives, evaluate, get, monomials, put};
use manybody_law::simd::{Element, Kernel, Lanes};

/// The rates of the moments of a leaf's bodies.
#[derive(Debug)]
pub struct RatesOfBodies<'a, T> {
    /// x, y and z relative to the leaf's centre, and mass; whole vectors of bodies.
    pub columns: [&'a [T]; 4],
    /// vx, vy and vz.
    pub velocities: [&'a [T]; 3],
    /// The leaf's unit of length.
    pub unit: f64,
    /// Degrees are below this.
    pub order: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The rates are added to these.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for RatesOfBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let highest = self.order - 1;
        let n = count(highest);
        let Scratch { moments: powers, sums, .. } = self.scratch;
        sums[..n * V::LEN].fill(T::default());
        let factor = V::splat(token, T::from_f64(-1.0 / self.unit));
        for at in (0..self.columns[0].len()).step_by(V::LEN) {
            let [x, y, z, mass] = load::<V, 4>(token, self.columns, at);
            let [vx, vy, vz] = load::<V, 3>(token, self.velocities, at);
            monomials(token, [x * factor, y * factor, z * factor], mass, highest, powers);
            let w = [vx * factor, vy * factor, vz * factor];
            for d in 0..highest {
                let above = start(d + 1);
                for a in 0..=d {
                    for z in 0..=a {
                        let power = get::<V>(token, powers, start(d) + row(a) + z);
                        for (w, k) in w.into_iter().zip([row(a) + z, row(a + 1) + z, row(a + 1) + z + 1]) {
                            put(w.fma(power, get(token, sums, above + k)), sums, above + k);
                        }
                    }
                }
            }
        }
        add_lanes::<V>(token, n, sums, self.to);
    }
}

/// Adds the rates of what bodies do to the expansions about a sink.
#[derive(Debug)]
pub struct RatesFromBodies<'a, T> {
    /// Sink less body, mass, and what a body of its own adds to the square of the softening.
    pub bodies: &'a [[T; 5]],
    /// Those of the bodies.
    pub velocities: &'a [[T; 3]],
    /// The sink's unit of length.
    pub unit: f64,
    /// The sink's part of the square of the softening, or all of it.
    pub part: f64,
    /// Where there are second expansions.
    pub differences: Option<Differences>,
    /// The order of the expansions.
    pub order: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// The rates of the expansions, in the unit of the sink.
    pub to: Both<'a, T>,
}

impl<T: Element> Kernel<T> for RatesFromBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let RatesFromBodies { unit, part, differences, order: p, .. } = self;
        let Scratch { derivatives: tensor, work, sums, others, .. } = self.scratch;
        // a moving body is a moment of degree 1 at its place
        let degrees = Degrees { order: p, lowest: 0, sink: p - 1, source: 1, dipoles: true };
        let n = count(p - 1);
        sums[..n * V::LEN].fill(T::default());
        others[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / unit));
        let factor = V::splat(token, T::from_f64(differences.map_or(0.0, |all| 0.5 * all.unit / unit / unit)));
        let part = V::splat(token, T::from_f64(part));
        for (bodies, velocities) in self.bodies.chunks(V::LEN).zip(self.velocities.chunks(V::LEN)) {
            let [x, y, z, mass, own] = bodies_by_lanes::<V>(token, bodies, unit);
            let mut columns = [[T::default(); WIDEST]; 3];
            for (lane, velocity) in velocities.iter().enumerate() {
                for (column, v) in columns.iter_mut().zip(velocity) {
                    column[lane] = *v;
                }
            }
            let [vx, vy, vz] = load::<V, 3>(token, columns.each_ref().map(|column| &column[..]), 0);
            let mut moments = [T::default(); 4 * WIDEST];
            for (k, v) in [vx, vy, vz].into_iter().enumerate() {
                put(-(mass * inverse * v), &mut moments, k + 1);
            }
            let x = [x * inverse, y * inverse, z * inverse];
            let soft2 = (own + part) * inverse * inverse;
            let s = x[0].fma(x[0], x[1].fma(x[1], x[2].fma(x[2], soft2)));
            let mut chain = [s; HIGHEST + 2];
            gravity(s, &mut chain[..=p + 1]);
            derivatives(token, x, &chain[..=p], work, tensor);
            contract::<V>(token, degrees, &moments, tensor, sums);
            if differences.is_some() {
                times(of_sources(token, bodies.len(), factor), &mut chain[1..=p + 1]);
                derivatives(token, x, &chain[1..=p + 1], work, tensor);
                contract::<V>(token, degrees, &moments, tensor, others);
            }
        }
        match differences {
            None => add_lanes::<V>(token, n, sums, self.to[0]),
            Some(all) => hand_over::<V>(token, n, [sums, others], all.of(self.part), self.to),
        }
    }
}

/// Adds the jerks of an expansion to those of bodies; of a second one, times their differences.
#[derive(Debug)]
pub struct JerksAtBodies<'a, T> {
    /// x, y and z relative to the leaf's centre, and mass; whole vectors of bodies.
    pub columns: [&'a [T]; 4],
    /// vx, vy and vz.
    pub velocities: [&'a [T]; 3],
    /// Of a second expansion.
    pub differences: Option<LeafDifferences<'a, T>>,
    /// The leaf's unit of length.
    pub unit: f64,
    /// The order of the expansion.
    pub order: usize,
    /// The expansion.
    pub local: &'a [T],
    /// Its rate.
    pub rate: &'a [T],
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
    /// `[jx, jy, jz][body]`.
    pub to: &'a mut [T],
}

impl<T: Element> Kernel<T> for JerksAtBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let inverse = V::splat(token, T::from_f64(1.0 / self.unit));
        let leaf = self.columns[0].len();
        for at in (0..leaf).step_by(V::LEN) {
            let [x, y, z, _] = load::<V, 4>(token, self.columns, at);
            let [vx, vy, vz] = load::<V, 3>(token, self.velocities, at);
            let powers = &mut self.scratch.moments;
            monomials(token, [x * inverse, y * inverse, z * inverse], inverse.lit(1.0), self.order, powers);
            let [_, gx, gy, gz] = evaluate::<V>(token, self.order, self.rate, powers);
            let [xx, xy, xz, yy, yz, zz] = curvatures::<V>(token, self.order, self.local, powers);
            let [vx, vy, vz] = [vx * inverse, vy * inverse, vz * inverse];
            let along = [
                vx.fma(xx, vy.fma(xy, vz.fma(xz, gx))),
                vx.fma(xy, vy.fma(yy, vz.fma(yz, gy))),
                vx.fma(xz, vy.fma(yz, vz.fma(zz, gz))),
            ];
            let mut square = -(inverse * inverse);
            if let Some(differences) = self.differences {
                square = square * differences.of(token, at);
            }
            for (axis, value) in along.into_iter().enumerate() {
                let to = &mut self.to[axis * leaf + at..];
                (V::load(token, to) + value * square).store(to);
            }
        }
    }
}

/// What an expansion of order two and its rate, of order one, say at their centre: the jerk of a body with this velocity.
pub fn jerk_at_center<T: Element>(local: &[T], rate: &[T], velocity: [f64; 3], unit: f64) -> [f64; 3] {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|k| local[start(2) + k].to_f64());
    let [vx, vy, vz] = velocity.map(|v| v / unit);
    let along = [vx * xx + vy * xy + vz * xz, vx * xy + vy * yy + vz * yz, vx * xz + vy * yz + vz * zz];
    let square = unit * unit;
    std::array::from_fn(|k| -(along[k] + rate[start(1) + k].to_f64()) / square)
}

/// Room for an expansion of order two.
pub const OF_ORDER_TWO: usize = padded(count(2));
