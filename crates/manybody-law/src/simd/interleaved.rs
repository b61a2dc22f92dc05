//! Two vectors as one: each operation is done for both before the next, so that one is computed while the other waits.

use super::{Vector, math};
use crate::law::{Cell, Real};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Two vectors, or truth values, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Interleaved<V>(V, V);

/// Four vectors, of which one is computed while others wait: for laws that say
/// [`TRANSCENDENTAL`](crate::law::PairLaw::TRANSCENDENTAL).
pub type Interleaved4<V> = Interleaved<Interleaved<V>>;

macro_rules! operators {
    ($($trait:ident $f:ident)*) => {$(
        impl<V: $trait<Output = V>> $trait for Interleaved<V> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, other: Self) -> Self {
                Interleaved(self.0.$f(other.0), self.1.$f(other.1))
            }
        }
    )*};
}
operators! { Add add Sub sub Mul mul Div div BitAnd bitand BitOr bitor }

impl<V: Neg<Output = V>> Neg for Interleaved<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Interleaved(-self.0, -self.1)
    }
}

impl<V: Not<Output = V>> Not for Interleaved<V> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Interleaved(!self.0, !self.1)
    }
}

macro_rules! forward {
    ($($f:ident($($arg:ident),*);)*) => {$(
        #[inline(always)]
        fn $f(self, $($arg: Self),*) -> Self {
            Interleaved(self.0.$f($($arg.0),*), self.1.$f($($arg.1),*))
        }
    )*};
}
macro_rules! compare {
    ($($f:ident)*) => {$(
        #[inline(always)]
        fn $f(self, other: Self) -> Self::Mask {
            Interleaved(self.0.$f(other.0), self.1.$f(other.1))
        }
    )*};
}
// not one vector after the other: operation by operation
macro_rules! functions {
    ($($f:ident)*) => {$(
        #[inline(always)]
        fn $f(self) -> Self {
            math::$f(self)
        }
    )*};
}
macro_rules! scaled {
    ($($f:ident)*) => {$(
        #[inline(always)]
        fn $f(self) -> (Self, f64) {
            let ((a, scale), (b, _)) = (self.0.$f(), self.1.$f());
            (Interleaved(a, b), scale)
        }
    )*};
}

impl<V: Vector> Real for Interleaved<V> {
    type Mask = Interleaved<V::Mask>;
    #[inline(always)]
    fn lit(self, c: f64) -> Self {
        Interleaved(self.0.lit(c), self.1.lit(c))
    }
    forward! {
        fma(b, c); fnma(b, c); sqrt(); rsqrt(); rsqrt3(); recip(); abs(); round(); min(other);
        max(other);
    }
    functions! { exp ln exp_m1 ln_1p sin cos }
    scaled! { rsqrt_scaled rsqrt3_scaled }
    compare! { lt le same }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Interleaved(V::select(mask.0, yes.0, no.0), V::select(mask.1, yes.1, no.1))
    }
}

impl<V: Vector> Vector for Interleaved<V> {
    type Token = V::Token;
    type T = V::T;
    const LEN: usize = 2 * V::LEN;
    const PARTS: usize = 2 * V::PARTS;
    #[inline(always)]
    fn vectorize<R>(token: V::Token, f: impl FnOnce() -> R) -> R {
        V::vectorize(token, f)
    }
    #[inline(always)]
    fn splat(token: V::Token, value: V::T) -> Self {
        Interleaved(V::splat(token, value), V::splat(token, value))
    }
    #[inline(always)]
    fn load(token: V::Token, from: &[V::T]) -> Self {
        Interleaved(V::load(token, from), V::load(token, &from[V::LEN..]))
    }
    #[inline(always)]
    fn store(self, to: &mut [V::T]) {
        self.0.store(to);
        self.1.store(&mut to[V::LEN..]);
    }
    #[inline(always)]
    fn load_apart(token: V::Token, from: &[V::T], stride: usize) -> Self {
        Interleaved(V::load_apart(token, from, stride), V::load_apart(token, &from[V::PARTS * stride..], stride))
    }
    #[inline(always)]
    fn store_apart(self, to: &mut [V::T], stride: usize) {
        self.0.store_apart(to, stride);
        self.1.store_apart(&mut to[V::PARTS * stride..], stride);
    }
    #[inline(always)]
    fn lane_numbers(token: V::Token) -> Self {
        let first = V::lane_numbers(token);
        Interleaved(first, first + first.lit(V::LEN as f64))
    }
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        Interleaved(self.0.fused(b.0, c.0), self.1.fused(b.1, c.1))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        V::any(mask.0 | mask.1)
    }
    #[inline(always)]
    fn reduce(self, cell: Cell) -> V::T {
        cell.combine(self.0, self.1).reduce(cell)
    }
    #[inline(always)]
    fn each(self, f: impl Fn(V::T) -> V::T) -> Self {
        Interleaved(self.0.each(&f), self.1.each(&f))
    }
    #[inline(always)]
    fn half_power_of_two(self, factor: f64) -> (Self, Self) {
        let (a, b) = (self.0.half_power_of_two(factor), self.1.half_power_of_two(factor));
        (Interleaved(a.0, b.0), Interleaved(a.1, b.1))
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let (a, b) = (self.0.split(), self.1.split());
        (Interleaved(a.0, b.0), Interleaved(a.1, b.1))
    }
    #[inline(always)]
    fn negated_if_odd(self, n: Self) -> Self {
        Interleaved(self.0.negated_if_odd(n.0), self.1.negated_if_odd(n.1))
    }
}
