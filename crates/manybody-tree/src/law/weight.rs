//! What a cell weighs as a source: two numbers for what its charges lack, whatever their signs.
//!
//! Of charges q_j at r_j from the centre the tensor of degree k, T_k = sum q_j r_j^k, has the norm P_k = |T_k|, and of degree n = p + 1 an
//! interaction with a sink of radius b lacks at most
//!
//! ```text
//! a_n / R^n sum_k C(n, k) P_k b^(n - k)
//! ```
//!
//! With a weight w and a radius s such that P_k <= w s^k this is at most w a_n ((s + b) / R)^n. Of all such pairs the one is taken for which
//! that is least about a sink as large as the source. Where charges have one sign, w is about their sum; of random signs, the
//! square root of the sum of their squares. P_k counts as no less than it would be for random signs, sum |q| / sqrt(N) (rms radius)^k: moments of lattices vanish
//! up to some degree, and are large at the next. Of that, of which there is no moment, P_n is the larger of P_p r and P_(p-1) r^2 with
//! r the source's radius: a source whose halves mirror each other has only even or odd degrees.

use crate::power::FACTORIAL;
use manybody_expansions::index::{HIGHEST, of};

/// The radii that are tried, as parts of the source's.
pub const PARTS_OF_RADIUS: [f64; 10] = [1.0, 0.9, 0.81, 0.73, 0.66, 0.59, 0.5, 0.4, 0.3, 0.2];

/// A source with charges of size one in all; lengths in any unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sized<'a> {
    /// P_k^2 by degrees, up to the order of expansions, which is 1 or more.
    pub(super) squares: &'a [f64],
    pub(super) radius: f64,
    /// The root mean square of the distances of the charges from the centre, weighted by their sizes.
    pub(super) rms: f64,
    /// How many bodies there are.
    pub(super) bodies: usize,
}

impl Sized<'_> {
    /// The weight and the radius.
    pub(super) fn weigh(&self) -> [f64; 2] {
        let Sized { squares, radius, rms, bodies } = *self;
        let mut norms = [0.0; HIGHEST + 2];
        let mut least = 1.0 / (bodies.max(1) as f64).sqrt();
        for (norm, square) in norms.iter_mut().zip(squares) {
            *norm = square.sqrt().max(least);
            least *= rms;
        }
        let next = squares.len();
        norms[next] = radius * norms[next - 1].max(radius * norms[next - 2]);
        if radius == 0.0 {
            return [norms[0], 0.0];
        }
        let of = |part: f64| {
            let s = part * radius;
            let (mut weight, mut per_power) = (0.0_f64, 1.0);
            for norm in &norms[..=next] {
                weight = weight.max(norm * per_power);
                per_power /= s;
            }
            let lacks = weight * (s + radius).powi(next as i32);
            (lacks, [weight, s])
        };
        let found = PARTS_OF_RADIUS.map(of);
        found.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or([norms[0], radius], |(_, pair)| pair)
    }
}

/// What the square of a moment sum q x^a y^b z^c / (a! b! c!) of degree d counts in P_d^2, in the order of coefficients.
pub fn square_factors(d: usize) -> impl Iterator<Item = f64> {
    of(d).map(move |(a, z)| FACTORIAL[d] * FACTORIAL[d - a] * FACTORIAL[a - z] * FACTORIAL[z])
}

/// P_d^2 of moments of one degree.
pub(super) fn square(d: usize, moments: impl Iterator<Item = f64>) -> f64 {
    square_factors(d).zip(moments).map(|(factor, moment)| factor * moment * moment).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manybody_expansions::index;

    /// A place and a charge.
    type Body = ([f64; 3], f64);

    /// P_k^2 of charges of size 1 together, by its definition sum q_i q_j (r_i . r_j)^k.
    fn norms(bodies: &[Body], highest: usize) -> Vec<f64> {
        let size: f64 = bodies.iter().map(|(_, q)| q.abs()).sum();
        let of = |k: usize| {
            let pair = |(x, q): &Body, (y, p): &Body| q * p * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]).powi(k as i32);
            bodies.iter().flat_map(|a| bodies.iter().map(move |b| pair(a, b))).sum::<f64>().max(0.0) / (size * size)
        };
        (0..=highest).map(of).collect()
    }

    /// The same from moments.
    fn from_moments(bodies: &[Body], d: usize) -> f64 {
        let size: f64 = bodies.iter().map(|(_, q)| q.abs()).sum();
        let moments = index::of(d).map(|(a, z)| {
            let [i, j, k] = [d - a, a - z, z];
            let of = |(x, q): &Body| q * x[0].powi(i as i32) * x[1].powi(j as i32) * x[2].powi(k as i32);
            bodies.iter().map(of).sum::<f64>() / (FACTORIAL[i] * FACTORIAL[j] * FACTORIAL[k]) / size
        });
        square(d, moments)
    }

    fn sized<'a>(bodies: &[Body], squares: &'a [f64]) -> Sized<'a> {
        let r2 = |x: &[f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
        let size: f64 = bodies.iter().map(|(_, q)| q.abs()).sum();
        let radius = bodies.iter().map(|(x, _)| r2(x)).fold(0.0, f64::max).sqrt();
        let rms = (bodies.iter().map(|(x, q)| q.abs() * r2(x)).sum::<f64>() / size).sqrt();
        Sized { squares, radius, rms, bodies: bodies.len() }
    }

    fn cases() -> Vec<(&'static str, Vec<Body>)> {
        let mut state = 3_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut cube = |sign: &dyn Fn(f64) -> f64| -> Vec<_> {
            (0..60).map(|_| ([next(), next(), next()], sign(next()))).collect()
        };
        let positive = cube(&|_| 1.0);
        let random = cube(&|q| q);
        let mirrored = positive.iter().flat_map(|(x, q)| [(*x, *q), (x.map(|x| -x), *q)]).collect();
        let opposed = positive.iter().flat_map(|(x, q)| [(*x, *q), (x.map(|x| -x), -*q)]).collect();
        let place = |k: usize| [k % 4, k / 4 % 4, k / 16].map(|k| k as f64 - 1.5);
        let sign = |k: usize| if (k + k / 4 + k / 16).is_multiple_of(2) { 1.0 } else { -1.0 };
        let lattice = (0..64).map(|k| (place(k), sign(k))).collect();
        let heavy = vec![([0.001, 0.0, 0.0], 1000.0), ([-1.0, 0.0, 0.0], 1.0)];
        vec![
            ("positive", positive),
            ("random", random),
            ("mirrored", mirrored),
            ("opposed", opposed),
            ("lattice", lattice),
            ("heavy", heavy),
        ]
    }

    #[test]
    fn norms_of_moments_are_those_of_tensors() {
        for (name, bodies) in cases() {
            for (d, square) in norms(&bodies, 6).into_iter().enumerate() {
                let found = from_moments(&bodies, d);
                // products of 120 charges, each rounded
                assert!((found - square).abs() <= 1e-12 * square.max(1.0), "{name} {d}: {found:e} {square:e}");
            }
        }
    }

    /// Every degree is below the bound, the one of which there is no moment, too, but for lattices, of which it is 1.3 times; and the bound is
    /// no more than what sums of sizes give.
    #[test]
    fn weights_bound_every_degree() {
        for (name, bodies) in cases() {
            for order in 1..=8 {
                let squares = norms(&bodies, order + 1);
                let sized = sized(&bodies, &squares[..=order]);
                let [weight, s] = sized.weigh();
                assert!(s > 0.0 && s <= sized.radius, "{name} {order}: {s}");
                for (k, square) in squares.iter().enumerate() {
                    let part = if k > order && name == "lattice" { 1.3 } else { 1.0 };
                    let bound = part * weight * s.powi(k as i32);
                    assert!(square.sqrt() <= bound * (1.0 + 1e-12), "{name} {order} {k}: {} {bound}", square.sqrt());
                }
                let lacks = weight * (s + sized.radius).powi(order as i32 + 1);
                let most = (2.0 * sized.radius).powi(order as i32 + 1);
                assert!(lacks <= most * (1.0 + 1e-12), "{name} {order}: {lacks} {most}");
            }
        }
    }

    /// Charges of random signs weigh as their root mean square, those of one sign as their sum.
    #[test]
    fn signs_count() {
        let found: Vec<f64> = cases()
            .iter()
            .take(2)
            .map(|(_, bodies)| {
                let squares = norms(bodies, 5);
                let sized = sized(bodies, &squares);
                let [weight, s] = sized.weigh();
                weight * ((s + sized.radius) / sized.radius).powi(6)
            })
            .collect();
        let ratio = found[1] / found[0];
        // sqrt(60) is 7.7
        assert!((1.0 / 15.0..1.0 / 3.0).contains(&ratio), "{found:?}");
    }
}
