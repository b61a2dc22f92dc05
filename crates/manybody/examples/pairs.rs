//! Loops over all pairs and all triples, in parallel, with an answer that does not depend on the threads.

use manybody::Result;
use manybody::pairs::{Pairs, Triples, for_each_pair};
use std::sync::atomic::{AtomicU32, Ordering};

fn main() -> Result<()> {
    let n = 2_000;
    let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.618_034).fract()).collect();
    let n = x.len();

    // a loop whose body puts its results where it likes
    let neighbors: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
    for_each_pair(n, |i, j| {
        if (x[i] - x[j]).abs() < 0.001 {
            neighbors[i].fetch_add(1, Ordering::Relaxed);
            neighbors[j].fetch_add(1, Ordering::Relaxed);
        }
    })?;
    let most = neighbors.iter().map(|c| c.load(Ordering::Relaxed)).max();
    eprintln!("most neighbours within 0.001: {}", most.unwrap_or(0));

    // one result from all pairs: the same bits on any number of threads
    let sum = Pairs::of(n)?.fold(|| 0.0, |sum, i, j| sum + (x[i] - x[j]).abs(), |a, b| a + b);
    eprintln!("mean distance: {}", sum / Pairs::of(n)?.count() as f64);

    // blocks, for a body that wants to keep one side in registers or in the cache
    let largest = Pairs::of(n)?.block(64)?.fold_blocks(
        || 0.0_f64,
        |largest, block| {
            let high = x[block.i].iter().fold(largest, |m, x| m.max(*x));
            x[block.j].iter().fold(high, |m, x| m.max(*x))
        },
        f64::max,
    );
    eprintln!("largest: {largest}");

    // triples i < j < k of the first hundred
    let right = Triples::of(100)?.fold(
        || 0_u64,
        |count, i, j, k| {
            let mut side = [x[i] - x[j], x[j] - x[k], x[k] - x[i]].map(f64::abs);
            side.sort_by(f64::total_cmp);
            count + u64::from(side[0] * 2.0 < side[1])
        },
        |a, b| a + b,
    );
    eprintln!("uneven triples: {right} of {}", Triples::of(100)?.count());
    Ok(())
}
