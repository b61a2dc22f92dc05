//! Vectors of f32 and f64 as [`Real`].

use super::{math, rsqrt};
use crate::law::{Cell, Real};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdFrom, SimdMask};
use fearless_simd::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8};

/// A number that vectors are made of.
pub trait Element:
    Real<Mask = bool> + Vector<T = Self, Token = Scalar> + Send + Sync + Default + std::fmt::Debug + 'static
{
    /// Whether this is f64.
    const DOUBLE: bool;
    /// Its 256-bit vector.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<T = Self, Token = fearless_simd::x86::Avx2>;
    /// Its 512-bit vector.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<T = Self, Token = fearless_simd::x86::Avx512>;
    /// Its 128-bit vector on ARM.
    #[cfg(target_arch = "aarch64")]
    type Neon: Vector<T = Self, Token = fearless_simd::aarch64::Neon>;
    /// Rounded from f64.
    fn from_f64(value: f64) -> Self;
    /// Widened to f64.
    fn to_f64(self) -> f64;
}

macro_rules! element {
    ($t:ty, $double:literal, $v128:ident, $v256:ident, $v512:ident) => {
        impl Element for $t {
            const DOUBLE: bool = $double;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $v256<fearless_simd::x86::Avx2>;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $v512<fearless_simd::x86::Avx512>;
            #[cfg(target_arch = "aarch64")]
            type Neon = $v128<fearless_simd::aarch64::Neon>;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    };
}
element!(f32, false, f32x4, f32x8, f32x16);
element!(f64, true, f64x2, f64x4, f64x8);

/// The proof that plain numbers need: none.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

macro_rules! scalar {
    ($t:ty) => {
        /// A number is a vector of one lane: the scalar level.
        impl Vector for $t {
            type Token = Scalar;
            type T = $t;
            const LEN: usize = 1;
            #[inline(always)]
            fn splat(_: Scalar, value: $t) -> Self {
                value
            }
            #[inline(always)]
            fn load(_: Scalar, from: &[$t]) -> Self {
                from[0]
            }
            #[inline(always)]
            fn store(self, to: &mut [$t]) {
                to[0] = self;
            }
            #[inline(always)]
            fn lane_numbers(_: Scalar) -> Self {
                0.0
            }
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }
            #[inline(always)]
            fn reduce(self, _: Cell) -> $t {
                self
            }
        }
    };
}
scalar!(f32);
scalar!(f64);

/// A vector of numbers side by side, on which a law can be evaluated.
pub trait Vector: Real {
    /// The proof that its instructions exist.
    type Token: Copy;
    /// The number in each lane.
    type T: Element;
    /// How many lanes.
    const LEN: usize;
    /// The same number in each lane.
    fn splat(token: Self::Token, value: Self::T) -> Self;
    /// LEN numbers from the start of a slice.
    fn load(token: Self::Token, from: &[Self::T]) -> Self;
    /// LEN numbers to the start of a slice.
    fn store(self, to: &mut [Self::T]);
    /// 0, 1, 2, ...
    fn lane_numbers(token: Self::Token) -> Self;
    /// self * b + c in one rounding at every level, also where that is slow: the same bits on every machine.
    fn fused(self, b: Self, c: Self) -> Self;
    /// True if the mask holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// All lanes made one, as a cell of one number combines them.
    fn reduce(self, cell: Cell) -> Self::T;
}

macro_rules! vector {
    ($v:ident, $t:ty, $n:literal, $rsqrt:ident) => {
        impl<S: Simd> Vector for $v<S> {
            type Token = S;
            type T = $t;
            const LEN: usize = $n;
            #[inline(always)]
            fn splat(token: S, value: $t) -> Self {
                Self::simd_from(token, value)
            }
            #[inline(always)]
            fn load(token: S, from: &[$t]) -> Self {
                Self::from_slice(token, &from[..$n])
            }
            #[inline(always)]
            fn store(self, to: &mut [$t]) {
                self.store_slice(&mut to[..$n]);
            }
            #[inline(always)]
            fn lane_numbers(token: S) -> Self {
                const LANES: [$t; $n] = {
                    let mut lanes = [0.0; $n];
                    let mut k = 0;
                    while k < $n {
                        lanes[k] = k as $t;
                        k += 1;
                    }
                    lanes
                };
                Self::simd_from(token, LANES)
            }
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                SimdFloat::mul_add(self, b, c)
            }
            #[inline(always)]
            fn any(mask: Self::Mask) -> bool {
                mask.any_true()
            }
            #[inline(always)]
            fn reduce(self, cell: Cell) -> $t {
                match cell {
                    Cell::Min => self.reduce_min(),
                    Cell::Max => self.reduce_max(),
                    _ => self.reduce_sum(),
                }
            }
        }

        impl<S: Simd> Real for $v<S> {
            type Mask = <Self as SimdBase<S>>::Mask;
            #[inline(always)]
            fn lit(self, c: f64) -> Self {
                Self::simd_from(self.simd, c as $t)
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                SimdFloat::mul_add(self, b, c)
            }
            #[inline(always)]
            fn fnma(self, b: Self, c: Self) -> Self {
                SimdFloat::mul_add(-self, b, c)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }
            #[inline(always)]
            fn rsqrt(self) -> Self {
                rsqrt::$rsqrt::rsqrt(self)
            }
            #[inline(always)]
            fn rsqrt_scaled(self) -> (Self, f64) {
                rsqrt::$rsqrt::rsqrt_scaled(self)
            }
            #[inline(always)]
            fn rsqrt3(self) -> Self {
                let (value, scale) = rsqrt::$rsqrt::rsqrt3_scaled(self);
                if scale == 1.0 { value } else { value * value.lit(scale) }
            }
            #[inline(always)]
            fn rsqrt3_scaled(self) -> (Self, f64) {
                rsqrt::$rsqrt::rsqrt3_scaled(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                math::exp(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                math::ln(self)
            }
            #[inline(always)]
            fn sin(self) -> Self {
                math::sin(self)
            }
            #[inline(always)]
            fn cos(self) -> Self {
                math::cos(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                SimdBase::abs(self)
            }
            #[inline(always)]
            fn round(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                SimdBase::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                SimdBase::max(self, other)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn le(self, other: Self) -> Self::Mask {
                self.simd_le(other)
            }
            #[inline(always)]
            fn same(self, other: Self) -> Self::Mask {
                self.simd_eq(other)
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
        }
    };
}
vector!(f32x4, f32, 4, exact);
vector!(f32x8, f32, 8, x8);
vector!(f32x16, f32, 16, x16);
vector!(f64x2, f64, 2, exact);
vector!(f64x4, f64, 4, exact);
vector!(f64x8, f64, 8, d8);
