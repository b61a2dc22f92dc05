//! Expansions of a harmonic function: coefficients with at most one z determine the others.
//!
//! Where the softening does not matter, D_{n+2z} = -(D_{n+2x} + D_{n+2y}) for the derivatives, and so for the coefficients of
//! the expansions about sinks. Sums over moments need then 2 d + 1 coefficients of each degree d instead of
//! (d + 1)(d + 2) / 2, once the moments are folded by the same rule: M_{n+2z} is taken off M_{n+2x} and M_{n+2y}. At order 6
//! that leaves 411 of 728 multiplications, at order 8 1,095 of 2,541.

use crate::index::{HIGHEST, harmonic, of_degree, row, start};
use crate::taylor::{get, put};
use manybody_law::simd::{Element, Vector};
use std::ops::Range;

/// How many coefficients with at most one z have degree p or less.
pub(crate) const fn count(p: usize) -> usize {
    harmonic(p + 1, 0, 0)
}

/// Coefficients of one degree that follow from others, or are folded into them, within the degree: it, and the two others.
/// Those with more z come first.
fn relations(d: usize) -> impl DoubleEndedIterator<Item = [usize; 3]> {
    let of = move |z: usize| (z..=d).map(move |a| [row(a) + z, row(a - 2) + z - 2, row(a) + z - 2]);
    (2..=d).rev().flat_map(of)
}

/// The order in which the moments of all degrees below `order` are folded.
#[derive(Debug, Default)]
pub(crate) struct Folding {
    order: usize,
    relations: Vec<[u16; 3]>,
}

impl Folding {
    pub(crate) fn of(order: usize) -> Self {
        let of = |d: usize| relations(d).map(move |places| places.map(|k| (start(d) + k) as u16));
        Folding { order, relations: (0..order).flat_map(of).collect() }
    }

    /// Folds moments of degrees below the order; they are changed.
    pub(crate) fn fold<T: Element>(&self, moments: &mut [T], to: &mut [T]) {
        for [from, x, y] in &self.relations {
            let moment = moments[usize::from(*from)];
            for to in [x, y] {
                let to = &mut moments[usize::from(*to)];
                *to = *to - moment;
            }
        }
        for d in 0..self.order {
            for a in 0..=d {
                to[harmonic(d, a, 0)] = moments[start(d) + row(a)];
                if a > 0 {
                    to[harmonic(d, a, 1)] = moments[start(d) + row(a) + 1];
                }
            }
        }
    }
}

/// Adds all coefficients up to order p of an expansion to `to`, from those with at most one z.
pub(crate) fn unfold<T: Element>(p: usize, from: &[T], to: &mut [T]) {
    let mut all = [T::default(); of_degree(HIGHEST)];
    for d in 0..=p {
        for a in 0..=d {
            all[row(a)] = from[harmonic(d, a, 0)];
            if a > 0 {
                all[row(a) + 1] = from[harmonic(d, a, 1)];
            }
        }
        // those with fewer z first
        for z in 2..=d {
            for a in z..=d {
                all[row(a) + z] = T::default() - (all[row(a - 2) + z - 2] + all[row(a) + z - 2]);
            }
        }
        to[start(d)..start(d + 1)].iter_mut().zip(all).for_each(|(to, value)| *to = *to + value);
    }
}

/// The derivatives up to order p with at most one z, from `chain`: g_0 to g_p; behind them those with two z, degree by degree
/// in rows of z.
#[inline(always)]
pub(crate) fn derivatives<V: Vector>(
    token: V::Token,
    [x, y, z]: [V; 3],
    chain: &[V],
    work: &mut [V::T],
    to: &mut [V::T],
) {
    let (p, len) = (chain.len() - 1, V::LEN);
    let stage = work.len() / 3;
    let (mut older, rest) = work.split_at_mut(stage);
    let (mut old, mut new) = rest.split_at_mut(stage);
    for (m, g) in chain.iter().enumerate() {
        put(*g, old, m);
    }
    put(chain[0], to, 0);
    for d in 1..=p {
        // of each m, coefficients of this degree, of the one below, and of the one below that
        let (size, size1, size2) = (2 * d + 1, 2 * d - 1, 2 * d - (2 * d).min(3));
        for m in 0..=p - d {
            let at = m * size;
            let (one, two) = ((m + 1) * size1, (m + 1) * size2);
            for a in 0..d {
                let mut value = x * get(token, old, one + a);
                if a + 1 < d {
                    value = x.lit((d - a - 1) as f64).fma(get(token, older, two + a), value);
                }
                put(value, new, at + a);
            }
            let mut value = y * get(token, old, one + d - 1);
            if d > 1 {
                value = x.lit((d - 1) as f64).fma(get(token, older, two + d - 2), value);
            }
            put(value, new, at + d);
            // with one z: behind those without, from a = 1 on
            for a in 1..d {
                let mut value = x * get(token, old, one + d - 1 + a);
                if a + 1 < d {
                    value = x.lit((d - a - 1) as f64).fma(get(token, older, two + d - 2 + a), value);
                }
                put(value, new, at + d + a);
            }
            let mut value = if d == 1 { z * get(token, old, one) } else { y * get(token, old, one + d - 1 + d - 1) };
            if d > 2 {
                value = x.lit((d - 2) as f64).fma(get(token, older, two + d - 2 + d - 2), value);
            }
            put(value, new, at + 2 * d);
        }
        to[harmonic(d, 0, 0) * len..harmonic(d + 1, 0, 0) * len].copy_from_slice(&new[..size * len]);
        (older, old, new) = (old, new, older);
    }
    for d in 2..=p {
        for a in 2..=d {
            let value = get::<V>(token, to, harmonic(d, a - 2, 0)) + get(token, to, harmonic(d, a, 0));
            put(-value, to, count(p) + row(d) + a);
        }
    }
}

/// Where [`derivatives`] puts those of each degree.
pub(crate) fn places(p: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let with_two = (2..=p).map(move |d| (d, count(p) + row(d) + 2..count(p) + row(d) + d + 1));
    (0..=p).map(|d| (d, harmonic(d, 0, 0)..harmonic(d + 1, 0, 0))).chain(with_two)
}

/// Adds sum_k M_k D_{n+k} to L_n, for |n| + |k| up to p and |k| below it.
#[inline(always)]
pub(crate) fn contract<V: Vector>(
    token: V::Token,
    p: usize,
    dipoles: bool,
    moments: &[V::T],
    derivatives: &[V::T],
    to: &mut [V::T],
) {
    for d in 0..=p {
        for z in 0..=1 {
            let sums = Row { p, dipoles, d, z };
            match d + 1 - z {
                0 => {}
                1 => sums.sum::<V, 1, 4>(token, moments, derivatives, to),
                2 => sums.sum::<V, 2, 2>(token, moments, derivatives, to),
                3 => sums.sum::<V, 3, 2>(token, moments, derivatives, to),
                4 => sums.sum::<V, 4, 1>(token, moments, derivatives, to),
                5 => sums.sum::<V, 5, 1>(token, moments, derivatives, to),
                6 => sums.sum::<V, 6, 1>(token, moments, derivatives, to),
                7 => sums.sum::<V, 7, 1>(token, moments, derivatives, to),
                8 => sums.sum::<V, 8, 1>(token, moments, derivatives, to),
                9 => sums.sum::<V, 9, 1>(token, moments, derivatives, to),
                10 => sums.sum::<V, 10, 1>(token, moments, derivatives, to),
                11 => sums.sum::<V, 11, 1>(token, moments, derivatives, to),
                12 => sums.sum::<V, 12, 1>(token, moments, derivatives, to),
                _ => sums.sum::<V, 13, 1>(token, moments, derivatives, to),
            }
        }
    }
}

/// The coefficients of degree d with z = 0 or 1.
#[derive(Clone, Copy)]
struct Row {
    p: usize,
    dipoles: bool,
    d: usize,
    z: usize,
}

impl Row {
    /// Their sums, N of them, each in SETS parts: one sum after the other would wait for its last addition.
    #[inline(always)]
    fn sum<V: Vector, const N: usize, const SETS: usize>(
        self,
        token: V::Token,
        moments: &[V::T],
        derivatives: &[V::T],
        to: &mut [V::T],
    ) {
        let (Row { p, dipoles, d, z }, len) = (self, V::LEN);
        let first = harmonic(d, z, z);
        let mut sums = [[V::splat(token, V::T::default()); N]; SETS];
        for (k, sum) in sums[0].iter_mut().enumerate() {
            *sum = get(token, to, first + k);
        }
        for d1 in (0..=(p - d).min(p - 1)).filter(|d1| dipoles || *d1 != 1) {
            for z1 in 0..=d1.min(1) {
                let at = match z + z1 {
                    2 => count(p) + row(d + d1) + 2,
                    both => harmonic(d + d1, z + z1, both),
                };
                let count = d1 + 1 - z1;
                let moments = &moments[harmonic(d1, z1, z1) * len..][..count * len];
                let derivatives = &derivatives[at * len..][..(count + N - 1) * len];
                for first in (0..count).step_by(SETS) {
                    for (set, sum) in sums.iter_mut().enumerate() {
                        let a1 = first + set;
                        if a1 == count {
                            break;
                        }
                        let moment: V = get(token, moments, a1);
                        let from = &derivatives[a1 * len..(a1 + N) * len];
                        for (k, sum) in sum.iter_mut().enumerate() {
                            *sum = moment.fma(get(token, from, k), *sum);
                        }
                    }
                }
            }
        }
        for k in 0..N {
            let mut sum = sums[0][k];
            for other in &sums[1..] {
                sum = sum + other[k];
            }
            put(sum, to, first + k);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index;
    use crate::taylor::tests::chain;
    use crate::taylor::{self, Degrees, WORK};
    use manybody_law::simd::Scalar;

    #[test]
    fn folded_sums_are_those_of_all_coefficients() {
        let r = [3.0, 2.0, -1.5];
        let s = r.iter().map(|x| x * x).sum::<f64>();
        for p in 1..=HIGHEST {
            for dipoles in [false, true] {
                let n = index::count(p);
                let mut moments: Vec<f64> = (0..n).map(|k| (k as f64).sin()).collect();
                if !dipoles {
                    moments[1..n.min(4)].fill(0.0);
                }
                let (mut work, mut tensor) = (vec![0.0; WORK], vec![0.0; n]);
                taylor::derivatives(Scalar, r, &chain(s, p), &mut work, &mut tensor);
                let mut expected = vec![1.0; n];
                let degrees = Degrees { order: p, lowest: 0, sink: p, source: p - 1, dipoles };
                taylor::contract::<f64>(Scalar, degrees, &moments, &tensor, &mut expected);

                let mut folded = vec![0.0; count(p)];
                Folding::of(p).fold(&mut moments, &mut folded);
                let mut tensor = vec![0.0; count(p) + row(p + 1)];
                derivatives(Scalar, r, &chain(s, p), &mut work, &mut tensor);
                let mut sums = vec![0.0; count(p)];
                contract::<f64>(Scalar, p, dipoles, &folded, &tensor, &mut sums);
                let mut found = vec![1.0; n];
                unfold(p, &sums, &mut found);

                // coefficients that follow from others are sums of up to 2^6 of them, each of some hundred terms
                let size = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    assert!((found - expected).abs() < 1e-12 * size, "order {p}, {k}: {found} {expected}");
                }
            }
        }
    }
}
