//! The order of bodies along Hilbert's curve.
//!
//! Consecutive bodies are close to each other, so equal pieces of the order are leaves of a tree. A key has as many digits
//! as fit beside a body's index in 64 bits, so that one sort of whole numbers does it; bodies that share a key are
//! ordered once more in the cube that holds them, and so on: no depth limits what is resolved.

use manybody_law::simd::{Kernel, Lanes, Level, launch};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Places and masses of bodies, in units in which the places lie between -1 and 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points<'a> {
    pub(crate) x: [&'a [f64]; 3],
    pub(crate) mass: &'a [f64],
    /// The classes of bodies with softenings of their own, which are ordered one after the other; empty where they have one for all.
    pub(crate) classes: &'a [u8],
}

impl Points<'_> {
    pub(crate) fn at(&self, k: usize) -> [f64; 3] {
        self.x.map(|x| x[k])
    }

    /// By place, then by mass: the order of bodies that the curve does not separate. It depends on the bodies alone, but
    /// for bodies that are equal in all of this.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let by = |column: &[f64]| column[a].total_cmp(&column[b]);
        by(self.x[0])
            .then_with(|| by(self.x[1]))
            .then_with(|| by(self.x[2]))
            .then_with(|| by(self.mass))
            .then(a.cmp(&b))
    }
}

/// So few bodies with one key are not ordered further than by place.
const FEW: usize = 16;

/// Fills `order` with the indices of the bodies along the curve. The order depends on places and masses alone, not on that
/// of the input.
pub(crate) fn along_curve(level: Level, points: Points<'_>, keys: &mut Vec<u64>, order: &mut Vec<u32>) {
    let n = points.mass.len();
    let index_bits = digits(n);
    let class_bits = points.classes.iter().max().map_or(0, |most| u8::BITS - most.leading_zeros());
    let bits = (64 - index_bits - class_bits) / 3;
    let cube = Cube { low: [-1.0; 3], scale: (1_u64 << bits) as f64 / 2.0, bits };
    keys.resize(n, 0);
    keys.par_chunks_mut(AT_ONCE).enumerate().for_each(|(chunk, to)| {
        launch(level, Keys { cube, points, first: chunk * AT_ONCE, index_bits, to });
    });
    keys.par_sort_unstable();
    let mask = (1_u64 << index_bits) - 1;
    order.clear();
    order.par_extend(keys.par_iter().map(|key| (key & mask) as u32));
    // runs of one key, each in the cube that holds it
    let keys = &keys[..];
    let mut runs = Vec::new();
    let (mut first, mut rest) = (0, &mut order[..]);
    let mut taken = 0;
    while first < n {
        let key = keys[first] >> index_bits;
        let run = 1 + keys[first + 1..].iter().take_while(|next| **next >> index_bits == key).count();
        if run > 1 {
            let (_, tail) = std::mem::take(&mut rest).split_at_mut(first - taken);
            let (these, tail) = tail.split_at_mut(run);
            runs.push(these);
            (taken, rest) = (first + run, tail);
        }
        first += run;
    }
    runs.into_par_iter().for_each(|run| within_cube(points, run));
}

/// Orders bodies along the curve through the cube that holds them.
fn within_cube(points: Points<'_>, run: &mut [u32]) {
    if run.len() <= FEW {
        run.sort_unstable_by(|a, b| points.compare(*a as usize, *b as usize));
        return;
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for k in run.iter() {
        for (axis, x) in points.at(*k as usize).into_iter().enumerate() {
            (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
        }
    }
    let side = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    let index_bits = digits(run.len());
    let bits = (64 - index_bits) / 3;
    let scale = (1_u64 << bits) as f64 / side * (1.0 - f64::EPSILON);
    if !scale.is_finite() {
        // all at one place, or as good as that
        run.sort_unstable_by(|a, b| points.compare(*a as usize, *b as usize));
        return;
    }
    let cube = Cube { low, scale, bits };
    let mut keys: Vec<u64> =
        run.iter().enumerate().map(|(at, k)| cube.key(points.at(*k as usize)) << index_bits | at as u64).collect();
    keys.sort_unstable();
    let mask = (1_u64 << index_bits) - 1;
    let old = run.to_vec();
    run.iter_mut().zip(&keys).for_each(|(to, key)| *to = old[(key & mask) as usize]);
    let mut first = 0;
    while first < keys.len() {
        let key = keys[first] >> index_bits;
        let count = keys[first..].iter().take_while(|next| **next >> index_bits == key).count();
        // the two ends of the longest side have different keys, so each run is shorter than all
        if count > 1 {
            within_cube(points, &mut run[first..first + count]);
        }
        first += count;
    }
}

/// How many binary digits an index below n has.
fn digits(n: usize) -> u32 {
    usize::BITS - n.saturating_sub(1).leading_zeros()
}

/// A cube with 2^bits cells along each side.
#[derive(Clone, Copy, Debug)]
struct Cube {
    low: [f64; 3],
    scale: f64,
    bits: u32,
}

impl Cube {
    /// The place of a cell on the curve.
    #[inline(always)]
    fn key(&self, x: [f64; 3]) -> u64 {
        let cell: [u32; 3] = std::array::from_fn(|axis| self.cell(axis, x[axis]));
        hilbert(cell.map(|q| [q]), self.bits)[0]
    }

    /// A cell's number along an axis.
    #[inline(always)]
    fn cell(&self, axis: usize, x: f64) -> u32 {
        // a float that is out of range becomes the nearest whole number there is
        (((x - self.low[axis]) * self.scale) as u32).min((1 << self.bits) - 1)
    }
}

/// How many keys are computed by one thread at least.
const AT_ONCE: usize = 1024;

/// The keys of bodies from number `first` on, each with the body's number.
struct Keys<'a> {
    cube: Cube,
    points: Points<'a>,
    first: usize,
    index_bits: u32,
    to: &'a mut [u64],
}

impl Kernel<f32> for Keys<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f32>, const I: usize, const J: usize>(self, _: V::Token) {
        let Keys { cube, points: Points { x: [x, y, z], classes, .. }, first, index_bits, to } = self;
        let [x, y, z] = [x, y, z].map(|x| &x[first..first + to.len()]);
        for (chunk, to) in to.chunks_mut(TOGETHER).enumerate() {
            let at = chunk * TOGETHER;
            let mut cells = [[0; TOGETHER]; 3];
            for (axis, (cells, x)) in cells.iter_mut().zip([x, y, z]).enumerate() {
                for (cell, x) in cells.iter_mut().zip(&x[at..at + to.len()]) {
                    *cell = cube.cell(axis, *x);
                }
            }
            let keys = hilbert(cells, cube.bits);
            for (k, (to, key)) in to.iter_mut().zip(keys).enumerate() {
                let body = first + at + k;
                let class = classes.get(body).map_or(0, |class| u64::from(*class) << (3 * cube.bits));
                *to = (class | key) << index_bits | body as u64;
            }
        }
    }
}

/// Keys that are computed together: the compiler makes vectors of them.
const TOGETHER: usize = 16;

/// The places of N cells on Hilbert's curve with 2^bits cells a side [Skilling 2004, AIP Conf. Proc. 707, 381].
#[inline(always)]
fn hilbert<const N: usize>([mut x, mut y, mut z]: [[u32; N]; 3], bits: u32) -> [u64; N] {
    for bit in (1..bits).rev() {
        let below = (1_u32 << bit) - 1;
        for k in 0..N {
            x[k] ^= below & set(x[k], bit);
            let (flip, swap) = (set(y[k], bit) & below, (x[k] ^ y[k]) & below & !set(y[k], bit));
            x[k] ^= flip | swap;
            y[k] ^= swap;
            let (flip, swap) = (set(z[k], bit) & below, (x[k] ^ z[k]) & below & !set(z[k], bit));
            x[k] ^= flip | swap;
            z[k] ^= swap;
        }
    }
    let mut gray = [0; N];
    for k in 0..N {
        y[k] ^= x[k];
        z[k] ^= y[k];
    }
    for bit in 1..bits {
        let below = (1_u32 << bit) - 1;
        for k in 0..N {
            gray[k] ^= below & set(z[k], bit);
        }
    }
    let mut to = [0; N];
    for k in 0..N {
        to[k] = spread(x[k] ^ gray[k]) << 2 | spread(y[k] ^ gray[k]) << 1 | spread(z[k] ^ gray[k]);
    }
    to
}

/// All digits 1 if digit `bit` is, else 0.
#[inline(always)]
fn set(q: u32, bit: u32) -> u32 {
    0_u32.wrapping_sub(q >> bit & 1)
}

/// The digits of q, 21 at most, with two zeros between neighbours.
#[inline(always)]
fn spread(q: u32) -> u64 {
    let mut q = u64::from(q) & 0x1f_ffff;
    q = (q | q << 32) & 0x001f_0000_0000_ffff;
    q = (q | q << 16) & 0x001f_0000_ff00_00ff;
    q = (q | q << 8) & 0x100f_00f0_0f00_f00f;
    q = (q | q << 4) & 0x10c3_0c30_c30c_30c3;
    (q | q << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_every_cell_and_its_steps_are_short() {
        let (bits, side) = (4, 16_u32);
        let mut cells = vec![None; 1 << (3 * bits)];
        for x in 0..side {
            for y in 0..side {
                for z in 0..side {
                    let place = &mut cells[hilbert([[x], [y], [z]], bits)[0] as usize];
                    assert!(place.is_none());
                    *place = Some([x, y, z]);
                }
            }
        }
        for pair in cells.windows(2) {
            let [a, b] = [pair[0].unwrap(), pair[1].unwrap()];
            let distance: u32 = (0..3).map(|k| a[k].abs_diff(b[k])).sum();
            assert_eq!(distance, 1, "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_order_is_that_of_the_bodies_not_of_the_input() {
        // two clusters far apart, each far smaller than a cell of the first curve, and coincident bodies
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let n = 1000;
        let mut bodies: Vec<[f64; 4]> = (0..n)
            .map(|k| {
                let center = if k % 2 == 0 { 0.9 } else { -0.9 };
                let x: [f64; 3] = std::array::from_fn(|_| center + 1e-9 * random());
                [x[0], x[1], x[2], 1.0 + k as f64]
            })
            .collect();
        for k in 0..40 {
            bodies[10 + k] = [0.9, 0.9, 0.9, k as f64];
        }
        let ordered = |bodies: &[[f64; 4]]| {
            let column = |k: usize| bodies.iter().map(|body| body[k]).collect::<Vec<_>>();
            let [x, y, z, mass] = [0, 1, 2, 3].map(column);
            let (mut keys, mut order) = (Vec::new(), Vec::new());
            along_curve(Level::best(), Points { x: [&x, &y, &z], mass: &mass, classes: &[] }, &mut keys, &mut order);
            order.iter().map(|k| bodies[*k as usize]).collect::<Vec<_>>()
        };
        let first = ordered(&bodies);
        // the clusters are not mixed, and neighbours in the order are near each other
        let split = first.iter().position(|body| body[0] > 0.0).unwrap();
        assert!(first[split..].iter().all(|body| body[0] > 0.0) || split == 0);
        let step = |pair: &[[f64; 4]]| (0..3).map(|k| (pair[0][k] - pair[1][k]).powi(2)).sum::<f64>().sqrt();
        let mean = first.windows(2).map(step).filter(|step| *step < 1.0).sum::<f64>() / n as f64;
        assert!(mean < 3e-10, "{mean:e}"); // 500 bodies in 1e-9: about 1.3e-10 apart
        bodies.reverse();
        bodies.swap(3, 700);
        assert_eq!(first, ordered(&bodies));
    }
}
