//! What the CPU kernels share: records of vectors loaded, spread, stored, and laws evaluated under a mask.

use crate::law::{self, Canonical, Cell, PairLaw, Record, each, make};
use crate::simd::Vector;

/// A law's body, parameters and results on canonical vectors.
pub(super) type Body<L, V> = <L as PairLaw>::Body<Canonical<V>>;
pub(super) type Par<L, V> = <L as PairLaw>::Par<Canonical<V>>;
pub(super) type Out<L, V> = <L as PairLaw>::Out<Canonical<V>>;

/// Names of origins for [`Canonical`]: a number's record in the high bits, its place in the low ones.
pub(super) const I: u32 = 0x100;
pub(super) const J: u32 = 0x200;
const PAR: u32 = 0x300;
const OUT: u32 = 0x400;

/// Four of the widest vectors there are.
const MAX_LANES: usize = 64;

/// Calls `f` with 0 to B - 1, unrolled in the source: the compiler gives up on large law bodies, and an array indexed
/// by a variable lives in memory.
#[inline(always)]
pub(super) fn unroll<const B: usize>(mut f: impl FnMut(usize)) {
    const { assert!(B <= 4) }
    if B > 0 {
        f(0);
    }
    if B > 1 {
        f(1);
    }
    if B > 2 {
        f(2);
    }
    if B > 3 {
        f(3);
    }
}

/// A vector of bodies from `[field][lane]`, one block after the other if it is made of several.
#[inline(always)]
pub(super) fn load<L: PairLaw, V: Vector>(token: V::Token, block: &[V::T], side: u32) -> Body<L, V> {
    let (mut k, part) = (0, V::LEN / V::PARTS);
    let size = width_of::<<L as PairLaw>::Body<f64>>() * part;
    make::<_, Body<L, V>, _>(
        #[inline(always)]
        |_| {
            let value = V::load_apart(token, &block[k * part..], size);
            k += 1;
            Canonical::new(value, side + k as u32)
        },
    )
}

/// One body in all lanes, from `[field]`.
#[inline(always)]
pub(super) fn splat<L: PairLaw, V: Vector>(token: V::Token, body: &[V::T], side: u32) -> Body<L, V> {
    let mut k = 0;
    make::<_, Body<L, V>, _>(
        #[inline(always)]
        |_| {
            let value = V::splat(token, body[k]);
            k += 1;
            Canonical::new(value, side + k as u32)
        },
    )
}

/// The law's parameters in all lanes.
#[inline(always)]
pub(super) fn parameters<L: PairLaw, V: Vector>(token: V::Token, par: &[V::T]) -> Par<L, V> {
    let mut k = 0;
    make::<_, Par<L, V>, _>(
        #[inline(always)]
        |_| {
            let value = V::splat(token, par[k]);
            k += 1;
            Canonical::new(value, PAR + k as u32)
        },
    )
}

/// Results without any contribution.
#[inline(always)]
pub(super) fn zeroed<L: PairLaw, V: Vector>(zero: V) -> Out<L, V> {
    make::<_, Out<L, V>, _>(
        #[inline(always)]
        |cell| Canonical::accumulator(cell.identity(zero), OUT),
    )
}

/// Results as stored, `[result][lane]`, to be continued.
#[inline(always)]
pub(super) fn load_sums<L: PairLaw, V: Vector>(token: V::Token, out: &[V::T]) -> Out<L, V> {
    let (mut k, part) = (0, V::LEN / V::PARTS);
    let size = width_of::<<L as PairLaw>::Out<f64>>() * part;
    make::<_, Out<L, V>, _>(
        #[inline(always)]
        |_| {
            let value = V::load_apart(token, &out[k * part..], size);
            k += 1;
            Canonical::accumulator(value, OUT)
        },
    )
}

/// The same results, ready for the next call of the law.
#[inline(always)]
pub(super) fn continued<L: PairLaw, V: Vector>(out: &Out<L, V>) -> Out<L, V> {
    let mut next = *out;
    each(
        &mut next,
        out,
        #[inline(always)]
        |_, to, from| *to = Canonical::accumulator(from.raw(), OUT),
    );
    next
}

/// Writes results as `[result][lane]`, one block after the other.
#[inline(always)]
pub(super) fn store<L: PairLaw, V: Vector>(out: &Out<L, V>, to: &mut [V::T]) {
    let (mut k, mut walked, part) = (0, *out, V::LEN / V::PARTS);
    let size = width_of::<<L as PairLaw>::Out<f64>>() * part;
    each(
        &mut walked,
        out,
        #[inline(always)]
        |_, _, from| {
            from.raw().store_apart(&mut to[k * part..], size);
            k += 1;
        },
    );
}

/// Adds up the lanes of results and combines them with `[result]` in memory.
#[inline(always)]
pub(super) fn reduce<L: PairLaw, V: Vector>(out: &Out<L, V>, to: &mut [V::T]) {
    let (mut k, mut walked) = (0, *out);
    let mut half: Option<(Cell, V)> = None; // the first numbers of a cell of two
    each(
        &mut walked,
        out,
        #[inline(always)]
        |cell, _, from| {
            match (cell.numbers(), half) {
                (2, _) => half = Some((cell, from.raw())),
                (0, Some((cell, first))) => {
                    let [a, b] = reduce_two::<V>(cell, [first, from.raw()], [to[k - 1], to[k]]);
                    (to[k - 1], to[k]) = (a, b);
                }
                _ => to[k] = cell.combine(to[k], from.raw().reduce(cell)),
            }
            k += 1;
        },
    );
}

/// The lanes of a cell of two numbers, joined to what is held.
#[inline(always)]
fn reduce_two<V: Vector>(cell: Cell, lanes: [V; 2], mut held: [V::T; 2]) -> [V::T; 2] {
    let (mut first, mut second) = ([V::T::default(); MAX_LANES], [V::T::default(); MAX_LANES]);
    lanes[0].store(&mut first);
    lanes[1].store(&mut second);
    for (a, b) in first.into_iter().zip(second).take(V::LEN) {
        held = cell.join(held, [a, b]);
    }
    held
}

/// Makes two results one.
#[inline(always)]
pub(super) fn merge<L: PairLaw, V: Vector>(into: &mut Out<L, V>, from: &Out<L, V>) {
    law::merge(into, from);
    *into = continued::<L, V>(into);
}

/// Results where the mask holds, no contribution elsewhere.
#[inline(always)]
pub(super) fn keep<L: PairLaw, V: Vector>(mask: V::Mask, out: &Out<L, V>, zero: V) -> Out<L, V> {
    let mut kept = *out;
    each(
        &mut kept,
        out,
        #[inline(always)]
        |cell, to, from| *to = Canonical::accumulator(V::select(mask, from.raw(), cell.identity(zero)), OUT),
    );
    kept
}

/// The factors in which the kernels' results of a law are measured, and their cells. Found by calling the law once.
#[inline(always)]
pub(super) fn factors<L: PairLaw, V: Vector>(token: V::Token, body: &[V::T], par: &[V::T]) -> Vec<(Cell, f64)> {
    let mut factors = Vec::new();
    each_factor::<L, V>(
        token,
        body,
        par,
        #[inline(always)]
        |cell, factor| factors.push((cell, factor)),
    );
    factors
}

/// [`factors`], one after the other.
#[inline(always)]
pub(super) fn each_factor<L: PairLaw, V: Vector>(
    token: V::Token,
    body: &[V::T],
    par: &[V::T],
    mut take: impl FnMut(Cell, f64),
) {
    let (i, j) = (splat::<L, V>(token, body, I), splat::<L, V>(token, body, J));
    let mut out = zeroed::<L, V>(V::splat(token, V::T::default()));
    L::pair(&i, &j, &parameters::<L, V>(token, par), &mut out);
    let seen = out;
    each(
        &mut out,
        &seen,
        #[inline(always)]
        |cell, _, value| take(cell, value.factor()),
    );
}

/// A vector of bodies under the influence of `bodies`, of which number `offset` is the vector's first: the diagonal,
/// one-sided, a body itself excluded unless the law says otherwise.
#[inline(always)]
pub(super) fn own_block<L: PairLaw, V: Vector>(
    token: V::Token,
    i: &Body<L, V>,
    bodies: &[V::T],
    par: &Par<L, V>,
    offset: usize,
    out: &mut Out<L, V>,
) {
    let zero = V::splat(token, V::T::default());
    let lanes = V::lane_numbers(token);
    let width = width_of::<<L as PairLaw>::Body<f64>>();
    for (k, body) in bodies.chunks_exact(width).enumerate() {
        let j = splat::<L, V>(token, body, J);
        let mut term = zeroed::<L, V>(zero);
        L::pair(i, &j, par, &mut term);
        // lane numbers and the difference are small integers: exact
        let itself = lanes.same(zero.lit(k as f64 - offset as f64));
        let term = if L::SELF { term } else { keep::<L, V>(!itself, &term, zero) };
        merge::<L, V>(out, &term);
    }
}

/// How many numbers a record holds: a constant, once inlined.
#[inline(always)]
pub(super) fn width_of<P: Record<f64>>() -> usize {
    let mut n = 0;
    make::<f64, P, _>(
        #[inline(always)]
        |_| {
            n += 1;
            0.0
        },
    );
    n
}
