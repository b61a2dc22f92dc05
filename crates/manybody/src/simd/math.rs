//! Elementary functions of vectors.
//!
//! Lane by lane through the standard library: correct to its last place, and slower than arithmetic by a factor of ten
//! or more. Laws that live on exp, ln, sin or cos want vector forms here.

macro_rules! lanewise {
    ($($v:ident)*) => {$(
        pub(super) mod $v {
            use fearless_simd::{Simd, SimdBase, $v};
            #[inline(always)]
            pub(in crate::simd) fn exp<S: Simd>(x: $v<S>) -> $v<S> {
                $v::from_fn(x.simd, |k| x[k].exp())
            }
            #[inline(always)]
            pub(in crate::simd) fn ln<S: Simd>(x: $v<S>) -> $v<S> {
                $v::from_fn(x.simd, |k| x[k].ln())
            }
            #[inline(always)]
            pub(in crate::simd) fn sin<S: Simd>(x: $v<S>) -> $v<S> {
                $v::from_fn(x.simd, |k| x[k].sin())
            }
            #[inline(always)]
            pub(in crate::simd) fn cos<S: Simd>(x: $v<S>) -> $v<S> {
                $v::from_fn(x.simd, |k| x[k].cos())
            }
        }
    )*};
}
lanewise!(f32x4 f32x8 f32x16 f64x2 f64x4 f64x8);
