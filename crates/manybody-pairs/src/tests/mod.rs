//! Everything against the plain loop, at sizes around a block, on several thread counts.

mod axilrod_teller;
mod collisions;
mod correlation;
mod distances;
mod loops;
mod npy;
mod watch;

use super::{Float, Points};

/// Numbers in \[0, 1), the same at every run [Steele 2014, splitmix64].
pub(super) fn uniform(seed: u64) -> impl Iterator<Item = f64> {
    (1_u64..).map(move |k| {
        let mut z = seed.wrapping_add(k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    })
}

/// n points in a box of this side.
pub(super) fn points<T: Float>(n: usize, dimensions: usize, side: f64, seed: u64) -> Points<T> {
    let rows: Vec<T> = uniform(seed).take(n * dimensions).map(|x| T::from_f64(side * x)).collect();
    Points::from_rows(&rows, dimensions).unwrap()
}

/// Runs `f` on one thread, on two and on five; the results must be the same.
pub(super) fn on_any_threads<R: PartialEq + std::fmt::Debug + Send>(f: impl Fn() -> R + Sync) -> R {
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&f);
    let one = on(1);
    assert_eq!(one, on(2), "two threads");
    assert_eq!(one, on(5), "five threads");
    one
}
