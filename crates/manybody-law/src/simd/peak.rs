//! The machine's measured arithmetic peak: fused multiply-adds with nothing in their way.

use super::{Element, Kernel, Level, Vector, launch};
use std::time::Instant;

/// Chains of dependent fused multiply-adds in flight: more than latency (4 or 5) times issue width (2) of any CPU here,
/// and fewer than 16 registers hold beside the two constants.
const CHAINS: usize = 12;

struct Burn<T> {
    steps: usize,
    seed: T,
}

impl<T: Element> Kernel<T> for Burn<T> {
    type Output = T;
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> T {
        let (a, b) = (V::splat(token, T::from_f64(0.999_999)), V::splat(token, self.seed));
        let mut chains = [b; CHAINS];
        for (k, chain) in chains.iter_mut().enumerate() {
            *chain = *chain * chain.lit(1.0 + k as f64);
        }
        for _ in 0..self.steps {
            for chain in &mut chains {
                *chain = chain.fma(a, b);
            }
        }
        let mut sum = chains[0];
        for chain in &chains[1..] {
            sum = sum + *chain;
        }
        sum.reduce(crate::law::Cell::Sum)
    }
}

/// Fused multiply-adds a second (lanes counted one by one) that all threads of the current pool reach together at a
/// level, in T: the best of five runs of about ten milliseconds. One such operation is one issue slot of a kernel; it is
/// two floating-point operations.
pub fn fma_peak<T: Element>(level: Level) -> f64 {
    let lanes = level.lanes::<T>();
    let steps = 4_000_000;
    let once = || {
        let start = Instant::now();
        let results =
            rayon::broadcast(|_| launch(level, Burn { steps, seed: T::from_f64(std::hint::black_box(1e-3)) }));
        let seconds = start.elapsed().as_secs_f64();
        let threads = results.len();
        std::hint::black_box(results);
        (threads * steps * CHAINS * lanes) as f64 / seconds
    };
    (0..5).map(|_| once()).fold(0.0, f64::max)
}
