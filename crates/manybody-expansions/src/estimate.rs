//! The least acceleration in a leaf, roughly: what the criterion measures errors by.

use crate::scratch::{Scratch, load, splat};
use crate::taylor::{evaluate, monomials};
use manybody_law::simd::{Element, Kernel, Lanes};

/// Close to the geometric mean of what accelerations can be, inverted.
const DOWN: f64 = 1.0 / (1_u64 << 30) as f64;

/// Finds the least acceleration of a leaf's bodies from the expansion of what is far and from neighbours as points.
#[derive(Debug)]
pub struct Estimate<'a, T> {
    /// x, y and z relative to the leaf's centre, and mass; whole vectors of bodies.
    pub columns: [&'a [T]; 4],
    /// How many bodies the leaf has.
    pub count: usize,
    /// Relative to the leaf's centre: x, y, z, mass, square of a softening length.
    pub sources: &'a [[T; 5]],
    /// The leaf's unit of length.
    pub unit: f64,
    /// The order of the expansion.
    pub order: usize,
    /// The expansion.
    pub local: &'a [T],
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<T>,
}

impl<T: Element> Kernel<T> for Estimate<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> f64 {
        let (inverse, zero) = (V::splat(token, T::from_f64(1.0 / self.unit)), V::splat(token, T::default()));
        let lanes = V::lane_numbers(token);
        let mut least = zero.lit(f64::INFINITY);
        for at in (0..self.count).step_by(V::LEN) {
            let [x, y, z, _] = load::<V, 4>(token, self.columns, at);
            let powers = &mut self.scratch.moments;
            monomials(token, [x * inverse, y * inverse, z * inverse], inverse.lit(1.0), self.order, powers);
            let [_, gx, gy, gz] = evaluate::<V>(token, self.order, self.local, powers);
            let square = -(inverse * inverse);
            let mut a = [gx * square, gy * square, gz * square];
            for source in self.sources {
                let [sx, sy, sz, mass, soft2] = splat::<V, 5>(token, *source);
                let d = [sx - x, sy - y, sz - z];
                let f = d[0].fma(d[0], d[1].fma(d[1], d[2].fma(d[2], soft2))).rsqrt3() * mass;
                for (a, d) in a.iter_mut().zip(d) {
                    *a = f.fma(d, *a);
                }
            }
            // squares of accelerations beyond 1e19 would leave the range of f32
            for a in &mut a {
                *a = *a * zero.lit(DOWN);
            }
            let a2 = a[0].fma(a[0], a[1].fma(a[1], a[2] * a[2]));
            let there = lanes.lt(zero.lit((self.count - at) as f64));
            least = least.min(V::select(there, a2, zero.lit(f64::INFINITY)));
        }
        least.reduce(manybody_law::law::Cell::Min).to_f64().sqrt() / DOWN
    }
}
