//! [`Real`](crate::law::Real) on the CPU's vectors.

/// The best vector instructions of this machine that the kernels are compiled for.
pub fn level() -> fearless_simd::Level {
    fearless_simd::Level::new()
}
