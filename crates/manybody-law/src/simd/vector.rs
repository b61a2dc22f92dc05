//! Vectors of f32 and f64 as [`Real`].

use super::{math, rsqrt};
use crate::law::{Cell, Real};
use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdFloat, SimdFrom, SimdMask};
use fearless_simd::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8};
use fearless_simd::{u32x4, u32x8, u32x16, u64x2, u64x4, u64x8};

/// A number that vectors are made of.
pub trait Element:
    Real<Mask = bool> + Lanes<T = Self, Token = Scalar> + Send + Sync + Default + std::fmt::Debug + 'static
{
    /// Whether this is f64.
    const DOUBLE: bool;
    /// Its 256-bit vector.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<T = Self, Token = fearless_simd::x86::Avx2>;
    /// Its 512-bit vector.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<T = Self, Token = fearless_simd::x86::Avx512>;
    /// Its 128-bit vector on ARM.
    #[cfg(target_arch = "aarch64")]
    type Neon: Lanes<T = Self, Token = fearless_simd::aarch64::Neon>;
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

/// The proof that plain numbers need: an empty one.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

/// What lies in one piece, loads and stores as such.
macro_rules! one_piece {
    ($t:ty) => {
        const PARTS: usize = 1;
        #[inline(always)]
        fn load_apart(token: Self::Token, from: &[$t], _: usize) -> Self {
            Self::load(token, from)
        }
        #[inline(always)]
        fn store_apart(self, to: &mut [$t], _: usize) {
            self.store(to);
        }
    };
}

/// What is done to the bits of numbers of type t: an unsigned integer's operations, between `bits` and `number`.
macro_rules! bits {
    ($t:ty, $digits:literal, $bias:literal, $bits:expr, $number:expr) => {
        // a number of the size of `big` has its units in the lowest bit, in two's complement
        #[inline(always)]
        fn half_power_of_two(self, factor: f64) -> (Self, Self) {
            let big = self.lit(((3u64 << ($digits - 1)) + $bias - 1) as f64);
            let shifted = Vector::fused(self, self.lit(factor), big);
            ($number($bits(shifted) << $digits), shifted - big)
        }
        #[inline(always)]
        fn split(self) -> (Self, Self) {
            let big = (1u64 << $digits) as f64;
            let bits = $bits(self);
            let exponent: Self = $number((bits >> $digits) | (big as $t).to_bits());
            let mantissa = $number((bits & ((1 << $digits) - 1)) | (1.0 as $t).to_bits());
            (exponent - self.lit(big + f64::from($bias)), mantissa)
        }
        #[inline(always)]
        fn negated_if_odd(self, n: Self) -> Self {
            const TOP: u32 = <$t>::to_bits(0.0).count_zeros();
            let odd = $bits(n + n.lit((3u64 << ($digits - 1)) as f64)) << (TOP - 1);
            $number($bits(self) ^ odd)
        }
    };
}

macro_rules! scalar {
    ($t:ty, $digits:literal, $bias:literal) => {
        /// A number is a vector of one lane: the scalar level.
        impl Vector for $t {
            type Token = Scalar;
            type T = $t;
            const LEN: usize = 1;
            #[inline(always)]
            fn vectorize<R>(_: Scalar, f: impl FnOnce() -> R) -> R {
                f()
            }
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
            #[inline(always)]
            fn each(self, f: impl Fn($t) -> $t) -> Self {
                f(self)
            }
            one_piece! { $t }
            bits! { $t, $digits, $bias, <$t>::to_bits, <$t>::from_bits }
        }
    };
}
scalar!(f32, 23, 127);
scalar!(f64, 52, 1023);

/// A vector of numbers side by side, on which a law can be evaluated.
pub trait Vector: Real {
    /// The proof that its instructions exist.
    type Token: Copy;
    /// The number in each lane.
    type T: Element;
    /// How many lanes.
    const LEN: usize;
    /// Calls `f`, compiled for the instructions of these vectors if it and all that it calls is `#[inline(always)]`.
    fn vectorize<R>(token: Self::Token, f: impl FnOnce() -> R) -> R;
    /// The same number in each lane.
    fn splat(token: Self::Token, value: Self::T) -> Self;
    /// How many vectors side by side it is made of.
    const PARTS: usize;
    /// LEN numbers from the start of a slice.
    fn load(token: Self::Token, from: &[Self::T]) -> Self;
    /// LEN numbers to the start of a slice.
    fn store(self, to: &mut [Self::T]);
    /// As [`load`](Vector::load), each part `stride` numbers after the one before.
    fn load_apart(token: Self::Token, from: &[Self::T], stride: usize) -> Self;
    /// As [`store`](Vector::store), each part `stride` numbers after the one before.
    fn store_apart(self, to: &mut [Self::T], stride: usize);
    /// 0, 1, 2, ...
    fn lane_numbers(token: Self::Token) -> Self;
    /// self * b + c in one rounding at every level, also where that is slow: the same bits on every machine.
    fn fused(self, b: Self, c: Self) -> Self;
    /// True if the mask holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// All lanes made one, as a cell of one number combines them.
    fn reduce(self, cell: Cell) -> Self::T;
    /// f lane by lane.
    fn each(self, f: impl Fn(Self::T) -> Self::T) -> Self;
    /// (2^(n - 1), n) with n the whole number nearest to `factor` times self, from the smallest normal number's
    /// exponent, where the power is 0 instead, to one more than the largest's.
    fn half_power_of_two(self, factor: f64) -> (Self, Self);
    /// (k, m) with self = 2^k m and 1 <= m < 2, for normal positive numbers.
    fn split(self) -> (Self, Self);
    /// self, negated where the whole number n is odd.
    fn negated_if_odd(self, n: Self) -> Self;
}

/// A vector that is one register, whose lanes can be exchanged with those of others.
pub trait Lanes: Vector {
    /// The mask as bits, lane 0 in the lowest.
    fn bits(mask: Self::Mask) -> u64;
    /// Rows and columns of LEN vectors of LEN numbers, exchanged.
    ///
    /// # Panics
    /// If there are fewer than LEN vectors.
    fn transpose(rows: &mut [Self]);
}

macro_rules! one_lane {
    ($t:ty) => {
        impl Lanes for $t {
            #[inline(always)]
            fn bits(mask: bool) -> u64 {
                u64::from(mask)
            }
            #[inline(always)]
            fn transpose(_: &mut [Self]) {}
        }
    };
}
one_lane!(f32);
one_lane!(f64);

macro_rules! vector {
    ($v:ident, $t:ty, $n:literal, $rsqrt:ident, $u:ident, $digits:literal, $bias:literal) => {
        impl<S: Simd> Vector for $v<S> {
            type Token = S;
            type T = $t;
            const LEN: usize = $n;
            #[inline(always)]
            fn vectorize<R>(token: S, f: impl FnOnce() -> R) -> R {
                token.vectorize(f)
            }
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
            #[inline(always)]
            fn each(self, f: impl Fn($t) -> $t) -> Self {
                SimdBase::from_fn(self.simd, |k| f(self[k]))
            }
            one_piece! { $t }
            bits! { $t, $digits, $bias, Bytes::bitcast::<$u<S>>, Bytes::bitcast::<Self> }
        }

        impl<S: Simd> Lanes for $v<S> {
            #[inline(always)]
            fn bits(mask: Self::Mask) -> u64 {
                mask.to_bitmask()
            }
            #[inline(always)]
            fn transpose(rows: &mut [Self]) {
                // each stage interleaves the first half of the rows with the second
                let mut now = [rows[0]; $n];
                now.copy_from_slice(&rows[..$n]);
                for _ in 0..usize::trailing_zeros($n) {
                    let from = now;
                    for k in 0..$n / 2 {
                        let (a, b) = (from[k], from[k + $n / 2]);
                        (now[2 * k], now[2 * k + 1]) = (a.zip_low(b), a.zip_high(b));
                    }
                }
                rows[..$n].copy_from_slice(&now);
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
            fn exp_m1(self) -> Self {
                math::exp_m1(self)
            }
            #[inline(always)]
            fn ln_1p(self) -> Self {
                math::ln_1p(self)
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
vector!(f32x4, f32, 4, exact, u32x4, 23, 127);
vector!(f32x8, f32, 8, x8, u32x8, 23, 127);
vector!(f32x16, f32, 16, x16, u32x16, 23, 127);
vector!(f64x2, f64, 2, exact, u64x2, 52, 1023);
vector!(f64x4, f64, 4, exact, u64x4, 52, 1023);
vector!(f64x8, f64, 8, d8, u64x8, 52, 1023);
