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
pub const WORK: usize = 3 * STAGE;

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
pub fn derivatives<V: Vector>(token: V::Token, [x, y, z]: [V; 3], chain: &[V], work: &mut [V::T], to: &mut [V::T]) {
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
pub fn raise<V: Vector>(token: V::Token, x: [V; 3], unit: f64, powers: [u8; 3], p: usize, to: &mut [V::T]) {
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
pub fn monomials<V: Vector>(token: V::Token, [x, y, z]: [V; 3], first: V, p: usize, to: &mut [V::T]) {
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
pub struct Degrees {
    /// |n| + |k| at most.
    pub order: usize,
    /// |n| at least.
    pub lowest: usize,
    /// |n| at most.
    pub sink: usize,
    /// |k| at most.
    pub source: usize,
    /// Whether there are moments of degree 1: about a centre of mass they are 0.
    pub dipoles: bool,
}

/// Adds sum_k M_k D_{n+k} to L_n.
#[inline(always)]
pub fn contract<V: Vector>(token: V::Token, degrees: Degrees, moments: &[V::T], derivatives: &[V::T], to: &mut [V::T]) {
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
pub fn shift<V: Vector>(token: V::Token, p: usize, moments: &[V::T], monomials: &[V::T], to: &mut [V::T]) {
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
pub fn evaluate<V: Vector>(token: V::Token, p: usize, local: &[V::T], monomials: &[V::T]) -> [V; 4] {
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
