//! Gathering: a block of contributions goes into what a body has so far, lane by lane.
//!
//! Each lane keeps a partial result of its own until the end, so a block costs one operation a vector and the
//! rounding of a sum is that of lanes x 4 chains. Cells of two numbers keep both for each lane.

use super::machine::{UNROLL, load};
use super::tape::{Gather, Operand};
use crate::law::Cell;
use crate::law::finite_or_zero;
use crate::simd::{Element, Vector};

/// Numbers that a cell keeps for each lane.
pub(super) fn numbers(cell: Cell) -> usize {
    if cell.numbers() == 2 { 2 } else { 1 }
}

/// The value of a contribution that is left out.
pub(super) fn nothing<T: Element>(cell: Cell) -> T {
    cell.identity(T::default())
}

/// Adds the block `a` (and `b`: the other factors, or the labels) to the lanes `held`.
#[inline(always)]
pub(super) fn gather<V: Vector>(
    token: V::Token,
    cell: Cell,
    negative: bool,
    a: &[V::T],
    b: Option<&[V::T]>,
    held: &mut [V::T],
) {
    let zero = V::splat(token, V::T::default());
    let whole = UNROLL * V::LEN;
    match (cell, b) {
        (Cell::Sum, Some(b)) => {
            let mut sums = [zero; UNROLL];
            for (a, b) in a.chunks_exact(whole).zip(b.chunks_exact(whole)) {
                let (a, b) = (load::<V>(token, a), load::<V>(token, b));
                sums = [
                    a[0].fma(b[0], sums[0]),
                    a[1].fma(b[1], sums[1]),
                    a[2].fma(b[2], sums[2]),
                    a[3].fma(b[3], sums[3]),
                ];
            }
            add::<V>(token, held, sums, negative);
        }
        (Cell::Sum | Cell::Count, _) => {
            let mut sums = [zero; UNROLL];
            for a in a.chunks_exact(whole) {
                let a = load::<V>(token, a);
                sums = [sums[0] + a[0], sums[1] + a[1], sums[2] + a[2], sums[3] + a[3]];
            }
            add::<V>(token, held, sums, negative);
        }
        (Cell::Min, _) => {
            let best = extreme::<V>(
                token,
                a,
                #[inline(always)]
                |x, y| x.min(y),
            );
            V::load(token, held).min(best).store(held);
        }
        (Cell::Max, _) => {
            let best = extreme::<V>(
                token,
                a,
                #[inline(always)]
                |x, y| x.max(y),
            );
            V::load(token, held).max(best).store(held);
        }
        (Cell::ArgMin | Cell::ArgMax, Some(labels)) => {
            let (values, names) = held.split_at_mut(V::LEN);
            let mut best = [V::load(token, values), V::load(token, names)];
            for (a, label) in a.chunks_exact(V::LEN).zip(labels.chunks_exact(V::LEN)) {
                let contribution = [V::load(token, a), V::load(token, label)];
                // written out twice: the kind of cell is then known to the compiler
                best = match cell {
                    Cell::ArgMin => Cell::ArgMin.join(best, contribution),
                    _ => Cell::ArgMax.join(best, contribution),
                };
            }
            best[0].store(values);
            best[1].store(names);
        }
        (Cell::LogSumExp, _) => {
            let (tops, sums) = held.split_at_mut(V::LEN);
            let before = V::load(token, tops);
            let top = before.max(extreme::<V>(
                token,
                a,
                #[inline(always)]
                |x, y| x.max(y),
            ));
            let shift = finite_or_zero(top);
            let mut sum = V::load(token, sums) * (before - shift).exp();
            for a in a.chunks_exact(V::LEN) {
                sum = sum + (V::load(token, a) - shift).exp();
            }
            top.store(tops);
            sum.store(sums);
        }
        _ => {}
    }
}

/// The factor that the first three gathers share, if they are sums of products, with the other factors and their signs.
pub(super) fn three(gathers: &[Gather]) -> Option<(Operand, [(Operand, bool); 3])> {
    let [p, q, r, ..] = gathers else { return None };
    let alike = [p, q, r].iter().all(|g| g.cell == Cell::Sum && g.b == p.b);
    p.b.filter(|_| alike).map(|b| (b, [p, q, r].map(|g| (g.a, g.negative))))
}

/// [`gather`] for three sums of products with a factor b in common, which is loaded once: the same operations.
#[inline(always)]
pub(super) fn sum_three<V: Vector>(
    token: V::Token,
    negative: [bool; 3],
    a: [&[V::T]; 3],
    b: &[V::T],
    held: &mut [V::T],
) {
    let whole = UNROLL * V::LEN;
    let mut sums = [[V::splat(token, V::T::default()); UNROLL]; 3];
    let turns = a[0].chunks_exact(whole).zip(a[1].chunks_exact(whole)).zip(a[2].chunks_exact(whole));
    for (((x, y), z), b) in turns.zip(b.chunks_exact(whole)) {
        let b = load::<V>(token, b);
        let (x, y, z) = (load::<V>(token, x), load::<V>(token, y), load::<V>(token, z));
        sums = [step(x, b, sums[0]), step(y, b, sums[1]), step(z, b, sums[2])];
    }
    let (first, rest) = held.split_at_mut(V::LEN);
    let (second, third) = rest.split_at_mut(V::LEN);
    add::<V>(token, first, sums[0], negative[0]);
    add::<V>(token, second, sums[1], negative[1]);
    add::<V>(token, third, sums[2], negative[2]);
}

#[inline(always)]
fn step<V: Vector>(a: [V; UNROLL], b: [V; UNROLL], sums: [V; UNROLL]) -> [V; UNROLL] {
    [a[0].fma(b[0], sums[0]), a[1].fma(b[1], sums[1]), a[2].fma(b[2], sums[2]), a[3].fma(b[3], sums[3])]
}

#[inline(always)]
fn add<V: Vector>(token: V::Token, held: &mut [V::T], sums: [V; UNROLL], negative: bool) {
    let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let before = V::load(token, held);
    let after = if negative { before - sum } else { before + sum };
    after.store(held);
}

#[inline(always)]
fn extreme<V: Vector>(token: V::Token, a: &[V::T], f: impl Fn(V, V) -> V) -> V {
    let whole = UNROLL * V::LEN;
    let mut best = load::<V>(token, a);
    for a in a.chunks_exact(whole).skip(1) {
        let a = load::<V>(token, a);
        best = [f(best[0], a[0]), f(best[1], a[1]), f(best[2], a[2]), f(best[3], a[3])];
    }
    f(f(best[0], best[1]), f(best[2], best[3]))
}

/// What lanes hold before any contribution.
pub(super) fn fresh<T: Element>(cell: Cell, lanes: usize, to: &mut [T]) {
    let second = if cell == Cell::LogSumExp { Cell::Scaled } else { Cell::Label };
    to[..lanes].fill(cell.identity(T::default()));
    to[lanes..].fill(second.identity(T::default()));
}

/// All lanes made one, in f64.
pub(super) fn finish<T: Element>(cell: Cell, lanes: usize, held: &[T]) -> [f64; 2] {
    let at = |k: usize| held[k].to_f64();
    if numbers(cell) == 1 {
        let cells = (0..lanes).map(at);
        let one = cells.fold(cell.identity(0.0), |a, b| cell.combine(a, b));
        return [one, 0.0];
    }
    (1..lanes).fold([at(0), at(lanes)], |a, k| cell.join(a, [at(k), at(lanes + k)]))
}
