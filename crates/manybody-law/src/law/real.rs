//! `Real`: the number type a law is written over.
//!
//! One body of law text is instantiated with f64 (the oracle), SIMD vectors (the CPU kernels), dual numbers (time
//! derivatives), canonical values (the mirrored CPU kernel) and a recorder (the graph from which GPU text comes).

use super::Cell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// A truth value per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {}
impl<T: Copy + BitAnd<Output = T> + BitOr<Output = T> + Not<Output = T>> Mask for T {}

/// A real number, or several side by side.
///
/// Constants come from [`lit`](Real::lit), called on any value at hand, because a SIMD value carries the proof that
/// its instructions exist and a bare constant could not.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// What a comparison yields.
    type Mask: Mask;

    /// The constant `c`, of the same kind as `self`.
    fn lit(self, c: f64) -> Self;
    /// self * b + c, in one rounding where the hardware has it.
    fn fma(self, b: Self, c: Self) -> Self;
    /// c - self * b.
    #[inline(always)]
    fn fnma(self, b: Self, c: Self) -> Self {
        (-self).fma(b, c)
    }
    /// Square root.
    fn sqrt(self) -> Self;
    /// 1 / sqrt(x), to the precision of the type less two or three units in the last place; infinite for x = 0, 0 for
    /// an infinite x, NaN below 0. (Kernels of compiled laws refine an estimate without asking: there 0 and infinity
    /// may give NaN.)
    fn rsqrt(self) -> Self;
    /// x^(-3/2), the heart of inverse-square laws. Its own primitive because an approximate reciprocal square root is
    /// refined more cheaply once, in the cube, than before it.
    #[inline(always)]
    fn rsqrt3(self) -> Self {
        let y = self.rsqrt();
        y * y * y
    }
    /// (v, c) with c v = x^(-1/2) and c a constant of the type: where the last multiplication of a refinement is by a
    /// constant, the caller may carry it out of a loop.
    #[inline(always)]
    fn rsqrt_scaled(self) -> (Self, f64) {
        (self.rsqrt(), 1.0)
    }
    /// (v, c) with c v = x^(-3/2), as [`rsqrt_scaled`](Real::rsqrt_scaled).
    #[inline(always)]
    fn rsqrt3_scaled(self) -> (Self, f64) {
        (self.rsqrt3(), 1.0)
    }
    /// 1 / x.
    #[inline(always)]
    fn recip(self) -> Self {
        self.lit(1.0) / self
    }
    /// e^x.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// e^x - 1, also near x = 0 to the precision of the type.
    fn exp_m1(self) -> Self;
    /// ln(1 + x), also near x = 0 to the precision of the type.
    fn ln_1p(self) -> Self;
    /// Sine, x in radians.
    fn sin(self) -> Self;
    /// Cosine, x in radians.
    fn cos(self) -> Self;
    /// |x|.
    fn abs(self) -> Self;
    /// The nearest integer, ties to even. The nearest periodic image of d in a box of side L is d - L * round(d / L).
    ///
    /// The default adds and subtracts a number whose last place is 1; it is right for |x| < 2^22 in f32 and 2^51 in
    /// f64. A type with an instruction for it overrides it.
    #[inline(always)]
    fn round(self) -> Self {
        let one = self.lit(1.0);
        let single = (one + self.lit(2f64.powi(-40))).same(one);
        let big = Self::select(single, self.lit(1.5 * 2f64.powi(23)), self.lit(1.5 * 2f64.powi(52)));
        (self + big) - big
    }
    /// The smaller of two; neither may be NaN.
    fn min(self, other: Self) -> Self;
    /// The larger of two; neither may be NaN.
    fn max(self, other: Self) -> Self;
    /// self < other.
    fn lt(self, other: Self) -> Self::Mask;
    /// self <= other.
    fn le(self, other: Self) -> Self::Mask;
    /// self == other. For integers held as numbers (ids) as much as for reals.
    fn same(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere. Both are evaluated; what is not chosen may be NaN.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The two numbers of a cell after a contribution. Only the recorder overrides it, to see contributions as such.
    #[doc(hidden)]
    #[inline(always)]
    fn join(cell: Cell, held: [Self; 2], contribution: [Self; 2]) -> [Self; 2] {
        cell.join(held, contribution)
    }
    /// x * x.
    #[inline(always)]
    fn sq(self) -> Self {
        self * self
    }
    /// x^n by repeated squaring, n >= 0 known where the law is written.
    #[inline(always)]
    fn powi(self, n: u32) -> Self {
        match n {
            0 => self.lit(1.0),
            1 => self,
            2 => self * self,
            3 => self * self * self,
            4 => self.sq().sq(),
            _ if n.is_multiple_of(2) => self.sq().powi(n / 2),
            _ => self * self.sq().powi(n / 2),
        }
    }
}

macro_rules! scalar {
    ($t:ty) => {
        impl Real for $t {
            type Mask = bool;
            #[inline(always)]
            fn lit(self, c: f64) -> Self {
                c as $t
            }
            /// Two roundings: the oracle must not depend on whether the machine has fma.
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self * b + c
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn rsqrt(self) -> Self {
                1.0 / <$t>::sqrt(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                <$t>::exp(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                <$t>::ln(self)
            }
            #[inline(always)]
            fn exp_m1(self) -> Self {
                <$t>::exp_m1(self)
            }
            #[inline(always)]
            fn ln_1p(self) -> Self {
                <$t>::ln_1p(self)
            }
            #[inline(always)]
            fn sin(self) -> Self {
                <$t>::sin(self)
            }
            #[inline(always)]
            fn cos(self) -> Self {
                <$t>::cos(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn round(self) -> Self {
                <$t>::round_ties_even(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                <$t>::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                <$t>::max(self, other)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn same(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }
    };
}
scalar!(f32);
scalar!(f64);
