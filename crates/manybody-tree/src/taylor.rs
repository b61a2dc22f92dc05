//! Cartesian Taylor expansions of a function of the distance: derivatives, monomials, and their contraction.
//!
//! With R from a source's centre to a sink's, G(r) = g(r.r), and moments M_k = sum_j m_j (c - x_j)^k / k!,
//!
//! ```text
//! sum_j m_j G(x - x_j) = sum_n L_n d^n / n!,    L_n = sum_k M_k D_{n+k}(R),    D_n = the derivatives of G
//! ```
//!
//! for x = sink + d, truncated at |n| + |k| <= p [Dehnen 2002, J. Comput. Phys. 179, eqs. 3, 4]: what A does to B is then
//! the opposite of what B does to A. The derivatives follow from g and its derivatives by the recurrence of McMurchie and
//! Davidson (1978, J. Comput. Phys. 26, eq. 4.6):
//!
//! ```text
//! D^m_0 = g_m(r.r),  g_0 = g,  g_{m+1} = 2 dg_m/ds;    D^m_{n+e} = R_e D^{m+1}_n + n_e D^{m+1}_{n-e}
//! ```
//!
//! Any law of the distance has such expansions, softened gravity included, which is not harmonic. All arrays are
//! `[coefficient][lane]`.

use crate::index::{HIGHEST, count, of_degree, row, start};
use manybody_law::simd::Vector;

/// Numbers of one lane that [`derivatives`] needs besides its result, for any order.
pub(crate) const WORK: usize = 3 * STAGE;

/// The most numbers that a degree has with all its m.
const STAGE: usize = {
    let (mut most, mut d) = (0, 0);
    while d <= HIGHEST {
        let size = (HIGHEST + 1 - d) * of_degree(d);
        if size > most {
            most = size;
        }
        d += 1;
    }
    most
};

/// Loads coefficient k.
#[inline(always)]
pub(crate) fn get<V: Vector>(token: V::Token, from: &[V::T], k: usize) -> V {
    V::load(token, &from[k * V::LEN..(k + 1) * V::LEN])
}

/// Stores coefficient k.
#[inline(always)]
pub(crate) fn put<V: Vector>(value: V, to: &mut [V::T], k: usize) {
    value.store(&mut to[k * V::LEN..(k + 1) * V::LEN]);
}

/// The derivatives D_n of G at x up to order p, from `chain`: g_0 to g_p.
#[inline(always)]
pub(crate) fn derivatives<V: Vector>(
    token: V::Token,
    [x, y, z]: [V; 3],
    chain: &[V],
    work: &mut [V::T],
    to: &mut [V::T],
) {
    let (p, len) = (chain.len() - 1, V::LEN);
    let (mut older, rest) = work.split_at_mut(STAGE * len);
    let (mut old, mut new) = rest.split_at_mut(STAGE * len);
    for (m, g) in chain.iter().enumerate() {
        put(*g, old, m);
    }
    put(chain[0], to, 0);
    for d in 1..=p {
        let (size, size1, size2) = (of_degree(d) * len, row(d) * len, row(d - 1) * len);
        for m in 0..=p - d {
            let to = &mut new[m * size..(m + 1) * size];
            let one = &old[(m + 1) * size1..(m + 2) * size1];
            // of degree 1 there is nothing two degrees below
            let two = if d > 1 { &older[(m + 1) * size2..(m + 2) * size2] } else { &older[..0] };
            for a in 0..d - 1 {
                let (at, end) = (row(a) * len, row(a + 1) * len);
                let factor = x.lit((d - a - 1) as f64);
                let from = one[at..end].chunks_exact(len).zip(two[at..end].chunks_exact(len));
                for (to, (one, two)) in to[at..end].chunks_exact_mut(len).zip(from) {
                    x.fma(V::load(token, one), V::load(token, two) * factor).store(to);
                }
            }
            let at = row(d - 1);
            for k in at..row(d) {
                put(x * get(token, one, k), to, k);
            }
            for k in 0..d {
                let mut value = y * get(token, one, at + k);
                if k + 1 < d {
                    value = x.lit((d - k - 1) as f64).fma(get(token, two, row(d - 2) + k), value);
                }
                put(value, to, row(d) + k);
            }
            let mut value = z * get(token, one, at + d - 1);
            if d > 1 {
                value = x.lit((d - 1) as f64).fma(get(token, two, row(d - 2) + d - 2), value);
            }
            put(value, to, row(d) + d);
        }
        to[start(d) * len..start(d + 1) * len].copy_from_slice(&new[..size]);
        (older, old, new) = (old, new, older);
    }
}

/// The derivatives of G times powers of the separation, from those of G: of (unit x_k) G by Leibniz' rule, as often as the powers
/// say,
///
/// ```text
/// d^n (x_k G) = x_k d^n G + n_k d^(n - e_k) G
/// ```
#[inline(always)]
pub(crate) fn raise<V: Vector>(token: V::Token, x: [V; 3], unit: f64, powers: [u8; 3], p: usize, to: &mut [V::T]) {
    let unit = x[0].lit(unit);
    for (axis, power) in powers.into_iter().enumerate() {
        let along = x[axis] * unit;
        for _ in 0..power {
            // from the highest degree on: each reads itself and the degree below
            for d in (0..=p).rev() {
                for a in 0..=d {
                    for z in 0..=a {
                        let at = start(d) + row(a) + z;
                        let mut value = along * get::<V>(token, to, at);
                        let exponent = [d - a, a - z, z][axis];
                        if exponent > 0 {
                            let (a, z) = (a - usize::from(axis > 0), z - usize::from(axis > 1));
                            let below = get::<V>(token, to, start(d - 1) + row(a) + z);
                            value = (unit * unit.lit(exponent as f64)).fma(below, value);
                        }
                        put(value, to, at);
                    }
                }
            }
        }
    }
}

/// The monomials `first` x^k / k! up to degree p.
#[inline(always)]
pub(crate) fn monomials<V: Vector>(token: V::Token, [x, y, z]: [V; 3], first: V, p: usize, to: &mut [V::T]) {
    put(first, to, 0);
    for d in 1..=p {
        let (from, at) = (start(d - 1), start(d));
        for a in 0..d {
            let factor = x * x.lit(1.0 / (d - a) as f64);
            for k in row(a)..row(a + 1) {
                put(factor * get(token, to, from + k), to, at + k);
            }
        }
        for k in 0..d {
            let factor = y * x.lit(1.0 / (d - k) as f64);
            put(factor * get(token, to, from + row(d - 1) + k), to, at + row(d) + k);
        }
        let factor = z * x.lit(1.0 / d as f64);
        put(factor * get(token, to, from + row(d - 1) + d - 1), to, at + row(d) + d);
    }
}

/// The degrees that take part in a contraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Degrees {
    /// |n| + |k| at most.
    pub(crate) order: usize,
    /// |n| at least.
    pub(crate) lowest: usize,
    /// |n| at most.
    pub(crate) sink: usize,
    /// |k| at most.
    pub(crate) source: usize,
    /// Whether there are moments of degree 1: about a centre of mass they are 0.
    pub(crate) dipoles: bool,
}

/// Adds sum_k M_k D_{n+k} to L_n.
#[inline(always)]
pub(crate) fn contract<V: Vector>(
    token: V::Token,
    degrees: Degrees,
    moments: &[V::T],
    derivatives: &[V::T],
    to: &mut [V::T],
) {
    for d in degrees.lowest..=degrees.sink {
        for a in 0..=d {
            let at = (start(d) + row(a)) * V::LEN;
            let to = &mut to[at..at + (a + 1) * V::LEN];
            match a {
                0 => one_row::<V, 1, 4>(token, degrees, d, moments, derivatives, to),
                1 => one_row::<V, 2, 2>(token, degrees, d, moments, derivatives, to),
                2 => one_row::<V, 3, 2>(token, degrees, d, moments, derivatives, to),
                3 => one_row::<V, 4, 1>(token, degrees, d, moments, derivatives, to),
                4 => one_row::<V, 5, 1>(token, degrees, d, moments, derivatives, to),
                5 => one_row::<V, 6, 1>(token, degrees, d, moments, derivatives, to),
                6 => one_row::<V, 7, 1>(token, degrees, d, moments, derivatives, to),
                7 => one_row::<V, 8, 1>(token, degrees, d, moments, derivatives, to),
                8 => one_row::<V, 9, 1>(token, degrees, d, moments, derivatives, to),
                9 => one_row::<V, 10, 1>(token, degrees, d, moments, derivatives, to),
                10 => one_row::<V, 11, 1>(token, degrees, d, moments, derivatives, to),
                11 => one_row::<V, 12, 1>(token, degrees, d, moments, derivatives, to),
                _ => one_row::<V, 13, 1>(token, degrees, d, moments, derivatives, to),
            }
        }
    }
}

/// One row of L, of N coefficients of degree d, summed in SETS parts: one sum after the other would wait for its last
/// addition.
#[inline(always)]
fn one_row<V: Vector, const N: usize, const SETS: usize>(
    token: V::Token,
    degrees: Degrees,
    d: usize,
    moments: &[V::T],
    derivatives: &[V::T],
    to: &mut [V::T],
) {
    let len = V::LEN;
    let mut sums = [[V::splat(token, V::T::default()); N]; SETS];
    for (k, sum) in sums[0].iter_mut().enumerate() {
        *sum = get(token, to, k);
    }
    for d1 in 0..=degrees.source.min(degrees.order - d) {
        if d1 == 1 && !degrees.dipoles {
            continue;
        }
        for first in (0..=d1).step_by(SETS) {
            for (set, sum) in sums.iter_mut().enumerate() {
                let a1 = first + set;
                if a1 > d1 {
                    break;
                }
                let (m, at) = ((start(d1) + row(a1)) * len, (start(d + d1) + row(N - 1 + a1)) * len);
                let moments = moments[m..m + (a1 + 1) * len].chunks_exact(len);
                let derivatives = &derivatives[at..at + (a1 + N) * len];
                for (moment, from) in moments.zip(derivatives.windows(N * len).step_by(len)) {
                    let moment = V::load(token, moment);
                    for (k, sum) in sum.iter_mut().enumerate() {
                        *sum = moment.fma(V::load(token, &from[k * len..(k + 1) * len]), *sum);
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
        put(sum, to, k);
    }
}

/// Adds sum_{j + k = n} M_j P_k to the moments about another centre, with P the monomials of the shift, up to degree p.
#[inline(always)]
pub(crate) fn shift<V: Vector>(token: V::Token, p: usize, moments: &[V::T], monomials: &[V::T], to: &mut [V::T]) {
    for d in 0..=p {
        for a in 0..=d {
            for (z, k) in (start(d) + row(a)..).enumerate().take(a + 1) {
                let moment = get::<V>(token, moments, k);
                for d1 in 0..=p - d {
                    for a1 in 0..=d1 {
                        let (from, at) = (start(d1) + row(a1), start(d + d1) + row(a + a1) + z);
                        for z1 in 0..=a1 {
                            let sum = moment.fma(get(token, monomials, from + z1), get(token, to, at + z1));
                            put(sum, to, at + z1);
                        }
                    }
                }
            }
        }
    }
}

/// The value and the gradient of sum_n L_n d^n / n! from the monomials of d, with the same coefficients in all lanes.
#[inline(always)]
pub(crate) fn evaluate<V: Vector>(token: V::Token, p: usize, local: &[V::T], monomials: &[V::T]) -> [V; 4] {
    let mut out = [V::splat(token, V::T::default()); 4];
    for (coefficient, monomial) in local[..count(p)].iter().zip(monomials.chunks_exact(V::LEN)) {
        out[0] = V::load(token, monomial).fma(V::splat(token, *coefficient), out[0]);
    }
    for d in 0..p {
        for a in 0..=d {
            for z in 0..=a {
                let monomial = get::<V>(token, monomials, start(d) + row(a) + z);
                let next = start(d + 1);
                out[1] = monomial.fma(V::splat(token, local[next + row(a) + z]), out[1]);
                out[2] = monomial.fma(V::splat(token, local[next + row(a + 1) + z]), out[2]);
                out[3] = monomial.fma(V::splat(token, local[next + row(a + 1) + z + 1]), out[3]);
            }
        }
    }
    out
}

/// The second derivatives xx, xy, xz, yy, yz and zz of the same sum.
#[inline(always)]
pub(crate) fn curvatures<V: Vector>(token: V::Token, p: usize, local: &[V::T], monomials: &[V::T]) -> [V; 6] {
    let mut out = [V::splat(token, V::T::default()); 6];
    for d in 0..p.saturating_sub(1) {
        for a in 0..=d {
            for z in 0..=a {
                let monomial = get::<V>(token, monomials, start(d) + row(a) + z);
                let next = start(d + 2);
                // two more in x, one more in x; behind these no more in x
                for (k, at) in [row(a), row(a + 1), row(a + 1) + 1].into_iter().enumerate() {
                    out[k] = monomial.fma(V::splat(token, local[next + at + z]), out[k]);
                }
                for k in 0..3 {
                    out[3 + k] = monomial.fma(V::splat(token, local[next + row(a + 2) + z + k]), out[3 + k]);
                }
            }
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::index::exponents;
    use manybody_law::simd::Scalar;

    /// -1/sqrt(s) and its derivatives in the sense of the recurrence.
    pub(crate) fn chain(s: f64, p: usize) -> Vec<f64> {
        let mut g = vec![-1.0 / s.sqrt()];
        for m in 0..p {
            g.push(-g[m] * (2 * m + 1) as f64 / s);
        }
        g
    }

    fn potential([x, y, z]: [f64; 3]) -> f64 {
        -1.0 / (x * x + y * y + z * z + 0.01).sqrt()
    }

    fn tensor(x: [f64; 3], p: usize) -> Vec<f64> {
        let s = x.iter().map(|x| x * x).sum::<f64>() + 0.01;
        let (mut work, mut out) = (vec![0.0; WORK], vec![0.0; count(p)]);
        derivatives(Scalar, x, &chain(s, p), &mut work, &mut out);
        out
    }

    /// Each coefficient of a tensor is the difference of one that is one degree lower.
    fn are_differences(tensor: impl Fn([f64; 3]) -> Vec<f64>, x: [f64; 3], p: usize) {
        let at = tensor(x);
        // a central difference of each coefficient of degree d - 1 is one of degree d: h^2 of its third derivative
        let h = 1e-4;
        for (k, n) in exponents(p).enumerate().skip(1) {
            let axis = n.iter().position(|n| *n > 0).unwrap();
            let mut lower = n;
            lower[axis] -= 1;
            let place = exponents(p).position(|n| n == lower).unwrap();
            let [up, down] = [h, -h].map(|h| {
                let mut x = x;
                x[axis] += h;
                tensor(x)[place]
            });
            let difference = (up - down) / (2.0 * h);
            // 3 digits of h^2 times a factorial that grows as 9!, and rounding 1e-16 / h
            let size = (1..=n.iter().sum::<usize>() + 2).map(|k| k as f64).product::<f64>();
            assert!((difference - at[k]).abs() < h * h * size, "{n:?} {difference} {}", at[k]);
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let p = 6;
        are_differences(|x| tensor(x, p), [0.7, -0.4, 1.1], p);
    }

    /// Of x^2 z G, beside differences of the derivatives one degree lower, and the value itself.
    #[test]
    fn raised_derivatives_are_those_of_the_product() {
        let (p, x, unit) = (6, [0.7, -0.4, 1.1], 0.5);
        let raised = |x: [f64; 3]| {
            let mut to = tensor(x, p);
            raise::<f64>(Scalar, x, unit, [2, 0, 1], p, &mut to);
            to
        };
        let at = raised(x);
        let value = unit.powi(3) * x[0] * x[0] * x[2] * potential(x);
        assert!((at[0] - value).abs() < 4.0 * f64::EPSILON * value.abs(), "{} {value}", at[0]);
        are_differences(raised, x, p);
    }

    #[test]
    fn expansions_converge_at_their_order() {
        let source = [0.3, -0.2, 0.25];
        let sink = [-0.2, 0.15, 0.1];
        let dipoles = true;
        let size = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        for p in 1..=HIGHEST {
            let r = [3.0, 2.0, -1.5];
            let derivatives = tensor(r, p);
            let mut moments = vec![0.0; count(p)];
            monomials(Scalar, source.map(|x: f64| -x), 1.0, p, &mut moments);
            let mut local = vec![0.0; count(p)];
            let degrees = Degrees { order: p, lowest: 0, sink: p, source: p, dipoles };
            contract::<f64>(Scalar, degrees, &moments, &derivatives, &mut local);
            let mut powers = vec![0.0; count(p)];
            monomials(Scalar, sink, 1.0, p, &mut powers);
            let found: [f64; 4] = evaluate(Scalar, p, &local, &powers);
            let x: [f64; 3] = std::array::from_fn(|k| r[k] + sink[k] - source[k]);
            let s = x.iter().map(|x| x * x).sum::<f64>() + 0.01;
            let error = (found[0] - potential(x)).abs();
            // the rest of the series of 1/|r - d|, with |d| <= |source| + |sink|
            let ratio = (size(source) + size(sink)) / size(r);
            let bound = ratio.powi(p as i32 + 1) / (size(r) * (1.0 - ratio));
            assert!(error < bound + 1e-15, "order {p}: {error:e} above {bound:e}");
            if p == HIGHEST {
                for k in 0..3 {
                    let gradient = x[k] * s.powf(-1.5);
                    assert!((found[1 + k] - gradient).abs() < 1e-9, "{k}: {} {gradient}", found[1 + k]);
                }
            }
        }
    }

    #[test]
    fn shifted_moments_are_those_about_the_new_centre() {
        let (p, x, c) = (7, [0.3, -0.2, 0.25], [0.1, 0.4, -0.3]);
        let of = |x: [f64; 3]| {
            let mut to = vec![0.0; count(p)];
            monomials(Scalar, x, 1.0, p, &mut to);
            to
        };
        let mut to = vec![0.0; count(p)];
        shift::<f64>(Scalar, p, &of(x), &of(c), &mut to);
        let together = of(std::array::from_fn(|k| x[k] + c[k]));
        for (a, b) in to.iter().zip(together) {
            assert!((a - b).abs() <= 8.0 * f64::EPSILON, "{a} {b}");
        }
    }
}
