//! Random numbers that are the same bits on every machine.
//!
//! The stream is ChaCha with 8 rounds [Bernstein 2008], which is defined bit by bit; how bits become numbers is
//! written here, so no change of a library can change it. Functions beyond + - * / and square root come from `libm`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers, named by a word, a seed and a number.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// The stream `stream` of `seed` for `name` (24 bytes at most count). The key is the seed, then the name, both
    /// padded with zeros: streams of different names, seeds or numbers have nothing in common.
    pub(crate) fn new(name: &str, seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (k, byte) in key[8..].iter_mut().zip(name.bytes()) {
            *k = byte;
        }
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Random(generator)
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in (0, 1): the upper 52 bits k as (k + 1/2) / 2^52, which f64 holds exactly.
    pub(super) fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
    }

    /// Uniform in (-1, 1).
    pub(super) fn symmetric(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    /// A point in the unit disc, and its squared radius.
    fn in_disc(&mut self) -> (f64, f64, f64) {
        loop {
            let (a, b) = (self.symmetric(), self.symmetric());
            let s = a * a + b * b;
            if s < 1.0 && s > 0.0 {
                return (a, b, s);
            }
        }
    }

    /// A point on the circle of a radius, by rejection: no sine, no cosine.
    pub(super) fn circle(&mut self, radius: f64) -> [f64; 2] {
        let (a, b, s) = self.in_disc();
        let scale = radius / s.sqrt();
        [a * scale, b * scale]
    }

    /// A point on the sphere of a radius [Marsaglia 1972].
    pub(super) fn sphere(&mut self, radius: f64) -> [f64; 3] {
        let (a, b, s) = self.in_disc();
        let ring = 2.0 * radius * (1.0 - s).sqrt();
        [a * ring, b * ring, radius * (1.0 - 2.0 * s)]
    }

    /// A normal deviate of unit variance by the polar method.
    pub(super) fn normal(&mut self) -> f64 {
        let (a, _, s) = self.in_disc();
        a * (-2.0 * libm::log(s) / s).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 100_000;

    /// Mean and variance of a sample.
    fn moments(sample: impl Iterator<Item = f64>) -> (f64, f64) {
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for q in sample {
            n += 1.0;
            sum += q;
            squares += q * q;
        }
        (sum / n, squares / n - (sum / n) * (sum / n))
    }

    /// Tolerances are five standard errors: sqrt(variance / N) for a mean, about variance * sqrt(2 / N) or less for a
    /// variance.
    #[test]
    fn distributions_have_their_moments() {
        let mut random = Random::new("test", 1, 0);
        let se = 5.0 / (N as f64).sqrt();
        let (mean, variance) = moments((0..N).map(|_| random.uniform()));
        assert!((mean - 0.5).abs() < 0.29 * se && (variance - 1.0 / 12.0).abs() < 0.12 * se, "{mean} {variance}");
        let (mean, variance) = moments((0..N).map(|_| random.normal()));
        assert!(mean.abs() < se && (variance - 1.0).abs() < 1.42 * se, "{mean} {variance}");
        for axis in 0..3 {
            let (mean, variance) = moments((0..N).map(|_| random.sphere(1.0)[axis]));
            assert!(mean.abs() < 0.58 * se && (variance - 1.0 / 3.0).abs() < 0.3 * se, "{mean} {variance}");
        }
        let (mean, variance) = moments((0..N).map(|_| random.circle(2.0)[0]));
        assert!(mean.abs() < 1.42 * se && (variance - 2.0).abs() < 1.42 * se, "{mean} {variance}");
    }

    #[test]
    fn streams_differ() {
        let first = |name, seed, stream| Random::new(name, seed, stream).bits();
        let all = [first("a", 1, 0), first("a", 2, 0), first("b", 1, 0), first("a", 1, 1)];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
        assert_eq!(first("a", 1, 0), first("a", 1, 0));
    }

    /// RFC-free check of the generator itself: ChaCha8 of a zero key, stream and counter, as published with eSTREAM's
    /// test vectors (key 0, IV 0): 3e 00 ef 2f 89 5f 40 d6 ...
    #[test]
    fn the_stream_is_chacha8() {
        assert_eq!(Random::new("", 0, 0).bits().to_le_bytes(), [0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]);
    }
}
