//! Canonical values: what lets one law body, inlined twice, become the mirrored kernel on the CPU.
//!
//! `law(i, j)` and `law(j, i)` differ in signs and operand order only: one computes x_j - x_i, the other x_i - x_j.
//! This wrapper carries the sign beside the value and orders operands by a tag that names each value's origin, so that
//! both calls present the compiler with the *same* instructions, and its common-subexpression elimination leaves one
//! distance and one reciprocal square root a pair. Newton's third law is found, not declared, and a law without
//! it is still right.
//!
//! A constant factor is carried beside the value too, so that the factor of a reciprocal square root's series
//! ([`Real::rsqrt3_scaled`]) is multiplied in once a body instead of once a pair.
//!
//! Tag, sign and factor are known when the law is compiled: they do not exist at run time.

use super::{Cell, Mask, Real};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The value (-1)^neg * scale * v.
#[derive(Clone, Copy, Debug)]
pub struct Canonical<R> {
    v: R,
    tag: u32,
    neg: bool,
    scale: f64,
    /// An accumulator: keeps its sign, and takes the factor of the first contribution (scale 0 until then).
    accumulator: bool,
}

/// A name for a value made by `op` from two others; symmetric in them.
#[inline(always)]
const fn mix(op: u32, a: u32, b: u32) -> u32 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let mixed =
        low.wrapping_mul(0x9E37_79B1) ^ high.rotate_left(13).wrapping_mul(0x85EB_CA77) ^ op.wrapping_mul(0xC2B2_AE3D);
    mixed.wrapping_mul(0x27D4_EB2F) >> 1
}

impl<R: Real> Canonical<R> {
    /// A value whose origin is named by `tag`.
    #[inline(always)]
    pub fn new(v: R, tag: u32) -> Self {
        Canonical { v, tag, neg: false, scale: 1.0, accumulator: false }
    }

    /// An accumulator holding `v`, in units of a factor that its first contribution decides.
    #[inline(always)]
    pub fn accumulator(v: R, tag: u32) -> Self {
        Canonical { v, tag, neg: false, scale: 0.0, accumulator: true }
    }

    /// What an accumulator holds, to be continued or, at the end, multiplied by [`factor`](Self::factor).
    #[inline(always)]
    pub fn raw(self) -> R {
        self.v
    }

    /// The factor of what an accumulator holds: the same after every call of one law.
    #[inline(always)]
    pub fn factor(self) -> f64 {
        if self.scale == 0.0 { 1.0 } else { self.scale }
    }

    /// The plain value.
    #[inline(always)]
    pub fn get(self) -> R {
        let v = if self.scale == 1.0 || self.scale == 0.0 { self.v } else { self.v * self.v.lit(self.scale) };
        if self.neg { -v } else { v }
    }

    #[inline(always)]
    fn unary(self, op: u32, v: R, scale: f64) -> Self {
        let tag = mix(op, self.tag, self.neg as u32 ^ (self.scale.to_bits() >> 32) as u32);
        Canonical { v, tag, neg: false, scale, accumulator: false }
    }

    /// The same value with the given factor.
    #[inline(always)]
    fn at_scale(self, scale: f64) -> Self {
        if self.scale == scale {
            self
        } else {
            let own = if self.scale == 0.0 { 1.0 } else { self.scale };
            let tag = mix(30, self.tag, (scale.to_bits() >> 32) as u32);
            let v = if own == scale { self.v } else { self.v * self.v.lit(own / scale) };
            Canonical { v, tag, scale, ..self }
        }
    }

    /// self + (-1)^neg * (term)(v), for an accumulator.
    #[inline(always)]
    fn accumulate(self, term: Self) -> Self {
        let scale = if self.scale == 0.0 { term.scale } else { self.scale };
        let term = term.at_scale(scale);
        let v = if term.neg { self.v - term.v } else { self.v + term.v };
        Canonical { v, scale, ..self }
    }
}

impl<R: Real> Neg for Canonical<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Canonical { neg: !self.neg, accumulator: false, ..self }
    }
}

impl<R: Real> Add for Canonical<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        if self.accumulator {
            return self.accumulate(other);
        }
        if other.accumulator {
            return other.accumulate(self);
        }
        let other = other.at_scale(self.scale);
        let (a, b) = if self.tag <= other.tag { (self, other) } else { (other, self) };
        let (v, op) = if a.neg == b.neg { (a.v + b.v, 1) } else { (a.v - b.v, 2) };
        Canonical { v, tag: mix(op, a.tag, b.tag), neg: a.neg, scale: a.scale, accumulator: false }
    }
}

impl<R: Real> Sub for Canonical<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<R: Real> Mul for Canonical<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = if self.tag <= other.tag { (self, other) } else { (other, self) };
        Canonical {
            v: a.v * b.v,
            tag: mix(3, a.tag, b.tag),
            neg: a.neg ^ b.neg,
            scale: a.factor() * b.factor(),
            accumulator: false,
        }
    }
}

impl<R: Real> Div for Canonical<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Canonical {
            v: self.v / other.v,
            tag: mix(4, self.tag, other.tag.rotate_left(7)),
            neg: self.neg ^ other.neg,
            scale: self.factor() / other.factor(),
            accumulator: false,
        }
    }
}

impl<R: Real> Real for Canonical<R> {
    type Mask = CanonicalMask<R::Mask>;

    #[inline(always)]
    fn lit(self, c: f64) -> Self {
        let bits = c.abs().to_bits();
        let mut value = Canonical::new(self.v.lit(c.abs()), mix(5, bits as u32, (bits >> 32) as u32));
        value.neg = c < 0.0;
        value
    }

    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        let product = self.factor() * b.factor();
        let neg = self.neg ^ b.neg;
        let (x, y) = if self.tag <= b.tag { (self, b) } else { (b, self) };
        if c.accumulator {
            let scale = if c.scale == 0.0 { product } else { c.scale };
            let x = if product == scale { x.v } else { x.v * x.v.lit(product / scale) };
            let v = if neg { x.fnma(y.v, c.v) } else { x.fma(y.v, c.v) };
            return Canonical { v, scale, ..c };
        }
        let c = c.at_scale(product);
        let v = if neg ^ c.neg { x.v.fnma(y.v, c.v) } else { x.v.fma(y.v, c.v) };
        let tag = mix(6 + (neg ^ c.neg) as u32, mix(3, x.tag, y.tag), c.tag ^ 0x5555);
        Canonical { v, tag, neg: c.neg, scale: product, accumulator: false }
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        let (v, scale) = self.get().rsqrt_scaled();
        self.unary(10, v, scale)
    }
    #[inline(always)]
    fn rsqrt3(self) -> Self {
        let (v, scale) = self.get().rsqrt3_scaled();
        self.unary(11, v, scale)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.unary(12, self.get().sqrt(), 1.0)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        self.unary(13, self.get().exp(), 1.0)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.unary(14, self.get().ln(), 1.0)
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        self.unary(30, self.get().exp_m1(), 1.0)
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        self.unary(31, self.get().ln_1p(), 1.0)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        let x = Canonical { neg: false, ..self };
        Canonical { neg: self.neg, ..x.unary(15, x.get().sin(), 1.0) }
    }
    #[inline(always)]
    fn cos(self) -> Self {
        let x = Canonical { neg: false, ..self };
        x.unary(16, x.get().cos(), 1.0)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let x = Canonical { neg: false, ..self };
        x.unary(17, x.v.abs(), x.factor())
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.accumulator || other.accumulator {
            let (to, from) = if self.accumulator { (self, other) } else { (other, self) };
            return Canonical { v: to.v.min(from.get()), scale: 1.0, ..to };
        }
        let v = self.get().min(other.get());
        Canonical { tag: mix(18, self.tag ^ self.neg as u32, other.tag ^ other.neg as u32), ..Canonical::new(v, 0) }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.accumulator || other.accumulator {
            let (to, from) = if self.accumulator { (self, other) } else { (other, self) };
            return Canonical { v: to.v.max(from.get()), scale: 1.0, ..to };
        }
        let v = self.get().max(other.get());
        Canonical { tag: mix(19, self.tag ^ self.neg as u32, other.tag ^ other.neg as u32), ..Canonical::new(v, 0) }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        CanonicalMask { mask: self.get().lt(other.get()), tag: mask_tag(20, self, other) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        CanonicalMask { mask: self.get().le(other.get()), tag: mask_tag(21, self, other) }
    }
    #[inline(always)]
    fn same(self, other: Self) -> Self::Mask {
        let (a, b) = if self.tag <= other.tag { (self, other) } else { (other, self) };
        CanonicalMask { mask: a.get().same(b.get()), tag: mask_tag(22, a, b) }
    }
    #[inline(always)]
    fn round(self) -> Self {
        let x = Canonical { neg: false, ..self };
        Canonical { neg: self.neg, ..x.unary(29, x.get().round(), 1.0) }
    }
    /// Both numbers are accumulators and stay so.
    #[inline(always)]
    fn join(cell: Cell, held: [Self; 2], contribution: [Self; 2]) -> [Self; 2] {
        let joined = R::join(cell, [held[0].get(), held[1].get()], [contribution[0].get(), contribution[1].get()]);
        [Canonical { v: joined[0], scale: 1.0, ..held[0] }, Canonical { v: joined[1], scale: 1.0, ..held[1] }]
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        let (yes, no) = if yes.neg == no.neg && yes.scale == no.scale {
            (yes, no)
        } else {
            let plain = |x: Self| Canonical { tag: mix(23, x.tag, x.neg as u32), ..Canonical::new(x.get(), 0) };
            (plain(yes), plain(no))
        };
        Canonical {
            v: R::select(mask.mask, yes.v, no.v),
            tag: mix(24, mask.tag, mix(25, yes.tag, no.tag.rotate_left(9))),
            accumulator: false,
            ..yes
        }
    }
}

#[inline(always)]
fn mask_tag<R: Real>(op: u32, a: Canonical<R>, b: Canonical<R>) -> u32 {
    mix(op, a.tag ^ a.neg as u32, (b.tag ^ b.neg as u32).rotate_left(5))
}

/// A mask with the name of its origin.
#[derive(Clone, Copy, Debug)]
pub struct CanonicalMask<M> {
    mask: M,
    tag: u32,
}

impl<M: Mask> std::ops::BitAnd for CanonicalMask<M> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        CanonicalMask { mask: self.mask & other.mask, tag: mix(26, self.tag, other.tag) }
    }
}
impl<M: Mask> std::ops::BitOr for CanonicalMask<M> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        CanonicalMask { mask: self.mask | other.mask, tag: mix(27, self.tag, other.tag) }
    }
}
impl<M: Mask> std::ops::Not for CanonicalMask<M> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        CanonicalMask { mask: !self.mask, tag: mix(28, self.tag, 0) }
    }
}
