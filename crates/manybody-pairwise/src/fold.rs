//! Results of blocks joined along a tree that sizes alone decide.

use std::ops::Range;

/// Folds `count` blocks in at most `shares` shares of neighbouring blocks, joined two by two along a tree whose shape
/// the two numbers decide. At any time only about log2(shares) results a thread are alive.
pub fn fold_tree<A: Send>(
    count: u64,
    shares: usize,
    leaf: &(impl Fn(Range<u64>) -> A + Sync),
    join: &(impl Fn(A, A) -> A + Sync),
) -> A {
    fn branch<A: Send>(
        count: u64,
        shares: u64,
        share: Range<u64>,
        leaf: &(impl Fn(Range<u64>) -> A + Sync),
        join: &(impl Fn(A, A) -> A + Sync),
    ) -> A {
        if share.end - share.start <= 1 {
            let edge = |s: u64| (u128::from(count) * u128::from(s) / u128::from(shares)) as u64;
            return leaf(edge(share.start)..edge(share.end));
        }
        let middle = share.start.midpoint(share.end);
        let (a, b) = rayon::join(
            || branch(count, shares, share.start..middle, leaf, join),
            || branch(count, shares, middle..share.end, leaf, join),
        );
        join(a, b)
    }
    let shares = (shares as u64).min(count).max(1);
    branch(count, shares, 0..shares, leaf, join)
}
