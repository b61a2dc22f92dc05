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

use crate::bodies::{LeafBodies, Leaves};
use crate::far::{bodies_by_lanes, gravity};
use crate::index::{HIGHEST, count, row, start};
use crate::moments::Moments;
use crate::scratch::{Scratch, WIDEST, add_lanes, load, padded};
use crate::soft::{Both, hand_over, of_sources, times};
use crate::softening::{Differences, Softenings};
use crate::taylor::{Degrees, contract, curvatures, derivatives, evaluate, get, monomials, put};
use crate::tree::Tree;
use manybody_law::simd::{Element, Kernel, Lanes, Level, launch};

/// vx, vy and vz of the bodies of leaves, beside [`LeafBodies`].
pub(crate) type Velocities<T> = Leaves<T, 3>;

/// What jerks need beside what accelerations do.
#[derive(Debug, Default)]
pub(crate) struct Rates<T> {
    pub(crate) velocities: Velocities<T>,
    /// In the order of the tree, where distances are computed in f64.
    pub(crate) of_bodies: Vec<[f64; 3]>,
    /// The rates of the moments of cells.
    pub(crate) moments: Moments<T>,
    /// Those of the products with differences of softenings, where bodies have their own.
    pub(crate) products: Moments<T>,
}

impl<T: Element> Rates<T> {
    /// Takes the velocities of bodies, by their indices.
    pub(crate) fn fill(
        &mut self,
        level: Level,
        tree: &Tree,
        velocities: &[Vec<f64>; 3],
        (bodies, softenings): (&LeafBodies<T>, Option<&Softenings<T>>),
        order: usize,
    ) {
        let Rates { velocities: of_leaves, of_bodies, moments, products } = self;
        of_bodies.clear();
        of_bodies.extend(tree.order.iter().map(|body| [0, 1, 2].map(|k: usize| velocities[k][*body as usize])));
        of_leaves.take(tree, |_, body| of_bodies[body].map(T::from_f64));
        let rates = |moments: &mut Moments<T>, bodies: &LeafBodies<T>| {
            moments.with(level, tree, order, |leaf, unit, scratch, to| {
                let (columns, velocities) = (bodies.columns(leaf), of_leaves.columns(leaf));
                launch(level, OfMovingBodies { columns, velocities, unit, order, scratch, to });
            });
        };
        rates(moments, bodies);
        moments.fill_spherical(level);
        if let Some(softenings) = softenings {
            rates(products, softenings.products());
        }
    }
}

/// The rates of the moments of a leaf's bodies.
struct OfMovingBodies<'a, T> {
    columns: [&'a [T]; 4],
    velocities: [&'a [T]; 3],
    unit: f64,
    order: usize,
    scratch: &'a mut Scratch<T>,
    to: &'a mut [T],
}

impl<T: Element> Kernel<T> for OfMovingBodies<'_, T> {
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
pub(crate) struct RatesFromBodies<'a, T> {
    /// Sink less body, mass, and what a body of its own adds to the square of the softening.
    pub(crate) bodies: &'a [[T; 5]],
    pub(crate) velocities: &'a [[T; 3]],
    pub(crate) unit: f64,
    /// The sink's part of the square of the softening, or all of it.
    pub(crate) part: f64,
    /// Where there are second expansions.
    pub(crate) softenings: Option<&'a Softenings<T>>,
    pub(crate) order: usize,
    pub(crate) scratch: &'a mut Scratch<T>,
    pub(crate) to: Both<'a, T>,
}

impl<T: Element> Kernel<T> for RatesFromBodies<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let RatesFromBodies { unit, part, softenings, order: p, .. } = self;
        let Scratch { derivatives: tensor, work, sums, others, .. } = self.scratch;
        // a moving body is a moment of degree 1 at its place
        let degrees = Degrees { order: p, lowest: 0, sink: p - 1, source: 1, dipoles: true };
        let n = count(p - 1);
        sums[..n * V::LEN].fill(T::default());
        others[..n * V::LEN].fill(T::default());
        let inverse = V::splat(token, T::from_f64(1.0 / unit));
        let factor = V::splat(token, T::from_f64(softenings.map_or(0.0, |all| 0.5 * all.unit / unit / unit)));
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
            if softenings.is_some() {
                times(of_sources(token, bodies.len(), factor), &mut chain[1..=p + 1]);
                derivatives(token, x, &chain[1..=p + 1], work, tensor);
                contract::<V>(token, degrees, &moments, tensor, others);
            }
        }
        match softenings {
            None => add_lanes::<V>(token, n, sums, self.to[0]),
            Some(softenings) => hand_over::<V>(token, n, [sums, others], softenings.difference(self.part), self.to),
        }
    }
}

/// Adds the jerks of an expansion to those of bodies; of a second one, times their differences.
pub(crate) struct JerksAtBodies<'a, T> {
    pub(crate) columns: [&'a [T]; 4],
    pub(crate) velocities: [&'a [T]; 3],
    pub(crate) differences: Option<Differences<'a, T>>,
    pub(crate) unit: f64,
    pub(crate) order: usize,
    pub(crate) local: &'a [T],
    pub(crate) rate: &'a [T],
    pub(crate) scratch: &'a mut Scratch<T>,
    /// `[jx, jy, jz][body]`.
    pub(crate) to: &'a mut [T],
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
pub(crate) fn jerk_at_center<T: Element>(local: &[T], rate: &[T], velocity: [f64; 3], unit: f64) -> [f64; 3] {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|k| local[start(2) + k].to_f64());
    let [vx, vy, vz] = velocity.map(|v| v / unit);
    let along = [vx * xx + vy * xy + vz * xz, vx * xy + vy * yy + vz * yz, vx * xz + vy * yz + vz * zz];
    let square = unit * unit;
    std::array::from_fn(|k| -(along[k] + rate[start(1) + k].to_f64()) / square)
}

/// Room for an expansion of order two.
pub(crate) const OF_ORDER_TWO: usize = padded(count(2));

#[cfg(test)]
mod tests {
    use crate::{Accuracy, Fmm, Opening, Sinks};
    use manybody_law::simd::{Element, Level};
    use manybody_pairwise::{Bodies, ForceTerms, Forces, Gravity, Reference, Softening, Solver};

    const TERMS: ForceTerms = ForceTerms { potential: false, jerk: true };

    /// Two clumps that move through each other, with some bodies far out and some without mass.
    fn clumps(n: usize) -> Bodies {
        let mut next = 0.5_f64;
        let mut number = || {
            next = (next + 0.618_033_988_749_894_9).fract();
            (next * 31.7).sin() * (next * 77.1).cos()
        };
        let mut bodies = Bodies::default();
        for k in 0..n {
            let side = if k % 2 == 0 { 1.5 } else { -1.5 };
            let far = if k % 97 == 0 { 6.0 } else { 1.0 };
            let mass = if k % 50 == 3 { 0.0 } else { (1.0 + 0.5 * number()) / n as f64 };
            let place = [side + far * number(), far * number(), far * number()];
            bodies.push(mass, place, [number() - side, 0.3 + number(), number()]);
        }
        bodies
    }

    fn jerks<T: Element>(bodies: &Bodies, gravity: &Gravity, order: usize, theta: f64, sinks: Sinks) -> Forces {
        let accuracy = Accuracy { order, opening: Opening::Angle(theta), leaf: 16, is_usual: false };
        let mut found = Forces::default();
        Fmm::<T>::new(Level::best(), accuracy, sinks).forces(bodies, gravity, TERMS, &mut found).unwrap();
        found
    }

    /// The root mean square of the differences, over that of the right ones: of accelerations and jerks.
    fn errors(found: &Forces, right: &Forces) -> [f64; 2] {
        let of = |found: [&Vec<f64>; 3], right: [&Vec<f64>; 3]| {
            let sum = |f: &dyn Fn(usize, usize) -> f64| {
                (0..3).flat_map(|q| (0..right[0].len()).map(move |k| (q, k))).map(|(q, k)| f(q, k).powi(2)).sum::<f64>()
            };
            (sum(&|q, k| found[q][k] - right[q][k]) / sum(&|q, k| right[q][k])).sqrt()
        };
        [
            of([&found.ax, &found.ay, &found.az], [&right.ax, &right.ay, &right.az]),
            of([&found.jx, &found.jy, &found.jz], [&right.jx, &right.jy, &right.jz]),
        ]
    }

    /// Without softening, with one for all, with the bodies' own, and with that of splines.
    #[test]
    fn jerks_converge_with_the_order() {
        for (what, gravity, own) in [
            ("none", Gravity::new(2.0, 0.0), false),
            ("one", Gravity::new(2.0, 0.1), false),
            ("own", Gravity::new(2.0, 0.1), true),
            ("spline", Gravity { softening: Softening::Spline, ..Gravity::new(2.0, 0.1) }, false),
            ("own splines", Gravity { softening: Softening::Spline, ..Gravity::new(2.0, 0.1) }, true),
        ] {
            let mut bodies = clumps(1500);
            bodies.eps = own.then(|| (0..1500).map(|k| 0.1 + 0.01 * f64::from(k % 7)).collect());
            let mut right = Forces::default();
            Reference::default().forces(&bodies, &gravity, TERMS, &mut right).unwrap();
            for sinks in [Sinks::Cells, Sinks::Leaves] {
                let mut last = f64::INFINITY;
                // high orders take long with softenings
                let highest = if what == "none" { 12 } else { 8 };
                for order in (2..=highest).step_by(2) {
                    let found = jerks::<f64>(&bodies, &gravity, order, 0.5, sinks);
                    let [of_a, of_j] = errors(&found, &right);
                    let what = format!("{what}, {sinks:?}, order {order}: {of_a:e} {of_j:e}");
                    // one order less than accelerations, so a power of the angle more, and 2 (p + 1) times as many terms
                    assert!(of_j < 25.0 * of_a, "{what}");
                    // two orders are two powers of half the angle, or rounding alone is left
                    assert!(of_j < last / 3.0 || of_j < 1e-13, "{what}");
                    last = of_j;
                }
            }
        }
    }
}
