//! Reciprocal square roots and their cubes from the hardware's estimates.
//!
//! With y the estimate of x^(-1/2) and e = 1 - x y^2 its residue,
//!
//! ```text
//! x^(-1/2) = y   (1 + e/2 + 3 e^2/8 + ...)
//! x^(-3/2) = y^3 (1 + 3 e/2 + 15 e^2/8 + 35 e^3/16 + ...)
//! ```
//!
//! and each series is cut where the next term is below the type's rounding. The estimate is refined once, in the cube:
//! four operations where a Newton step and then a cube take six. A series is returned up to a factor that saves the
//! multiplication by its first coefficient; [`Canonical`](crate::law::Canonical) carries the factor out of the loop.
//!
//! At 0 and at infinity the estimate is infinity and 0, as it should be, and the residue NaN. Where that may be met
//! (`rsqrt`, which laws as text use), the residue is the smaller of itself and a bound that it never reaches: of a NaN
//! and a number, x86 takes the second. Bits of other results do not change.
//!
//! | level | estimate | cut after | left over |
//! |---|---|---|---|
//! | AVX-512 f32 | vrsqrt14ps, 2^-14 | e | 15/8 e^2 = 2.8e-8 |
//! | AVX2 f32 | vrsqrtps, 1.5 2^-12 | e^2 (cube), e (root) | 9e-10 (cube), 2.0e-7 (root) |
//! | AVX-512 f64 | vrsqrt14pd, 2^-14 | e^3 | 315/128 e^4 = 5.5e-16 at worst, 1e-17 rms |
//! | others | 1 / sqrt | | |

use crate::law::Real;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{Level, SimdInto};
use fearless_simd::{Simd, f32x8, f32x16, f64x8};

#[cfg(target_arch = "x86_64")]
mod estimate {
    use std::arch::x86_64::{__m256, __m512, __m512d, _mm256_rsqrt_ps, _mm512_rsqrt14_pd, _mm512_rsqrt14_ps};
    fearless_simd::kernel!(
        #[inline(always)]
        pub(super) fn rsqrt12_f32x8(token: Avx2, x: __m256) -> __m256 {
            _mm256_rsqrt_ps(x)
        }
    );
    fearless_simd::kernel!(
        #[inline(always)]
        pub(super) fn rsqrt14_f32x16(token: Avx512, x: __m512) -> __m512 {
            _mm512_rsqrt14_ps(x)
        }
    );
    fearless_simd::kernel!(
        #[inline(always)]
        pub(super) fn rsqrt14_f64x8(token: Avx512, x: __m512d) -> __m512d {
            _mm512_rsqrt14_pd(x)
        }
    );
}

/// 1 / sqrt, where there is no estimate.
pub(super) mod exact {
    use super::Real;

    #[inline(always)]
    pub(in crate::simd) fn rsqrt<V: Real>(x: V) -> V {
        x.lit(1.0) / x.sqrt()
    }
    #[inline(always)]
    pub(in crate::simd) fn rsqrt_scaled<V: Real>(x: V) -> (V, f64) {
        (rsqrt(x), 1.0)
    }
    #[inline(always)]
    pub(in crate::simd) fn rsqrt3_scaled<V: Real>(x: V) -> (V, f64) {
        (x.lit(1.0) / (x * x.sqrt()), 1.0)
    }
}

macro_rules! with_estimate {
    ($module:ident, $v:ident, |$x:ident| $estimate:expr, root |$xr:ident, $yr:ident| $root:expr, safe |$xs:ident, $ys:ident| $safe:expr, cube |$xc:ident, $yc:ident| $cube:expr) => {
        pub(super) mod $module {
            use super::*;

            // `level()` is a constant of S: the match disappears
            #[inline(always)]
            fn estimate<S: Simd>($x: $v<S>) -> Option<$v<S>> {
                $estimate
            }
            #[inline(always)]
            pub(in crate::simd) fn rsqrt_scaled<S: Simd>($xr: $v<S>) -> ($v<S>, f64) {
                match estimate($xr) {
                    Some($yr) => $root,
                    None => exact::rsqrt_scaled($xr),
                }
            }
            #[inline(always)]
            pub(in crate::simd) fn rsqrt<S: Simd>($xs: $v<S>) -> $v<S> {
                match estimate($xs) {
                    Some($ys) => $safe,
                    None => exact::rsqrt($xs),
                }
            }
            #[inline(always)]
            pub(in crate::simd) fn rsqrt3_scaled<S: Simd>($xc: $v<S>) -> ($v<S>, f64) {
                match estimate($xc) {
                    Some($yc) => $cube,
                    None => exact::rsqrt3_scaled($xc),
                }
            }
        }
    };
}

with_estimate!(
    x16,
    f32x16,
    |x| match x.simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(token) => Some(super::estimate::rsqrt14_f32x16(token, x.into()).simd_into(x.simd)),
        _ => None,
    },
    root | x,
    y | (y * x.fnma(y * y, x.lit(3.0)), 0.5),
    safe | x,
    y | (y * x.fnma(y * y, x.lit(3.0)).min(x.lit(3.0))) * x.lit(0.5),
    cube | x,
    y | {
        let y2 = y * y;
        ((y * y2) * x.fnma(y2, x.lit(5.0 / 3.0)), 1.5)
    }
);
with_estimate!(
    x8,
    f32x8,
    |x| match x.simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(token) => Some(super::estimate::rsqrt12_f32x8(token, x.into()).simd_into(x.simd)),
        _ => None,
    },
    root | x,
    y | (y * x.fnma(y * y, x.lit(3.0)), 0.5),
    safe | x,
    y | (y * x.fnma(y * y, x.lit(3.0)).min(x.lit(3.0))) * x.lit(0.5),
    cube | x,
    y | {
        let y2 = y * y;
        let e = x.fnma(y2, x.lit(1.0));
        ((y * y2) * (e + x.lit(0.8)).fma(e, x.lit(8.0 / 15.0)), 1.875)
    }
);
with_estimate!(
    d8,
    f64x8,
    |x| match x.simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(token) => Some(super::estimate::rsqrt14_f64x8(token, x.into()).simd_into(x.simd)),
        _ => None,
    },
    root | x,
    y | {
        let e = x.fnma(y * y, x.lit(1.0));
        let p = e.fma(x.lit(0.3125), x.lit(0.375)).fma(e, x.lit(0.5));
        ((y * e).fma(p, y), 1.0)
    },
    safe | x,
    y | {
        let e = x.fnma(y * y, x.lit(1.0)).min(x.lit(1.0));
        let p = e.fma(x.lit(0.3125), x.lit(0.375)).fma(e, x.lit(0.5));
        (y * e).fma(p, y)
    },
    cube | x,
    y | {
        // the cubic of e over 35/16, in s = e + 2/7, has no square: s^3 + 108/245 s + 528/1715
        let y2 = y * y;
        let s = x.fnma(y2, x.lit(9.0 / 7.0));
        let p = s.fma(s, x.lit(108.0 / 245.0)).fma(s, x.lit(528.0 / 1715.0));
        ((y * y2) * p, 2.1875)
    }
);
