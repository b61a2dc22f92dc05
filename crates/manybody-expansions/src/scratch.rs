//! Memory of a thread for the operators, and what they share.

use crate::index::{HIGHEST, count};
use crate::taylor::{WORK, get};
use manybody_law::simd::{Element, Lanes, Level, Vector};

/// Lanes of the widest vector there is.
pub const WIDEST: usize = 16;

/// n, or a little more, such that vectors of any length end there.
pub const fn padded(n: usize) -> usize {
    n.div_ceil(WIDEST) * WIDEST
}

/// Memory of a thread: coefficients by lanes.
#[derive(Debug)]
pub struct Scratch<T> {
    /// Moments, or monomials.
    pub(crate) moments: Vec<T>,
    pub(crate) derivatives: Vec<T>,
    pub(crate) work: Vec<T>,
    pub(crate) sums: Vec<T>,
    /// Moments of products with differences of softenings, and the sums of second expansions.
    pub(crate) products: Vec<T>,
    pub(crate) others: Vec<T>,
}

impl<T: Element> Scratch<T> {
    /// For vectors of a level.
    pub fn new(level: Level) -> Self {
        let lanes = level.lanes::<T>();
        let room = |n: usize| vec![T::default(); n * lanes];
        let all = padded(count(HIGHEST) + WIDEST);
        Scratch {
            moments: room(all),
            derivatives: room(all),
            work: room(WORK),
            sums: room(all),
            products: room(all),
            others: room(all),
        }
    }
}

/// Adds up the lanes of each of n coefficients and adds the sums to `to`.
#[inline(always)]
pub(crate) fn add_lanes<V: Lanes>(token: V::Token, n: usize, from: &[V::T], to: &mut [V::T]) {
    let zero = V::splat(token, V::T::default());
    for first in (0..n).step_by(V::LEN) {
        let mut rows = [zero; WIDEST];
        for (k, row) in rows[..V::LEN].iter_mut().enumerate() {
            if first + k < n {
                *row = get(token, from, first + k);
            }
        }
        V::transpose(&mut rows[..V::LEN]);
        let mut sum = rows[0];
        for row in &rows[1..V::LEN] {
            sum = sum + *row;
        }
        let mut sums = [V::T::default(); WIDEST];
        sum.store(&mut sums);
        to[first..].iter_mut().zip(&sums[..V::LEN.min(n - first)]).for_each(|(to, sum)| *to = *to + *sum);
    }
}

/// N numbers, each in all lanes. (A closure over an array would lose the target's instructions.)
#[inline(always)]
pub fn splat<V: Vector, const N: usize>(token: V::Token, numbers: [V::T; N]) -> [V; N] {
    let mut to = [V::splat(token, V::T::default()); N];
    for (to, number) in to.iter_mut().zip(numbers) {
        *to = V::splat(token, number);
    }
    to
}

/// The first LEN of N columns, from number `at` on.
#[inline(always)]
pub(crate) fn load<V: Vector, const N: usize>(token: V::Token, columns: [&[V::T]; N], at: usize) -> [V; N] {
    let mut to = [V::splat(token, V::T::default()); N];
    for (to, column) in to.iter_mut().zip(columns) {
        *to = V::load(token, &column[at..]);
    }
    to
}
