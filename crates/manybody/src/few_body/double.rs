//! Numbers as sums of two f64: what rounding leaves of the first is the second [Dekker 1971].

use crate::law::Real;
use std::ops::{Add, Neg, Sub};

/// hi + lo, where |lo| is at most half a unit in the last place of hi. 106 bits. Of f64, or of vectors of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DoubleDouble<V = f64> {
    pub(crate) hi: V,
    pub(crate) lo: V,
}

impl<V: Real> DoubleDouble<V> {
    /// hi + lo, whatever they are.
    #[inline(always)]
    pub(crate) fn new(hi: V, lo: V) -> Self {
        // Knuth's sum, which needs no order of the two
        let sum = hi + lo;
        let part = sum - hi;
        DoubleDouble { hi: sum, lo: (hi - (sum - part)) + (lo - part) }
    }

    /// Adds a term, as a compensated sum does: what is lost is added to the next term. What of lo is below the rounding
    /// of that term is lost, as it is in the term itself.
    #[inline(always)]
    pub(crate) fn accumulate(&mut self, term: V) {
        *self = DoubleDouble::new(self.hi, term + self.lo);
    }

    /// self - other, rounded.
    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> V {
        (self.hi - other.hi) + (self.lo - other.lo)
    }
}

impl DoubleDouble {
    /// The product with an f64.
    pub(crate) fn times(self, factor: f64) -> Self {
        let product = self.hi * factor;
        DoubleDouble::new(product, self.hi.mul_add(factor, -product) + self.lo * factor)
    }

    /// The quotient with an f64.
    pub(crate) fn over(self, divisor: f64) -> Self {
        let quotient = self.hi / divisor;
        let rest = (-quotient).mul_add(divisor, self.hi) + self.lo;
        DoubleDouble::new(quotient, rest / divisor)
    }
}

impl From<f64> for DoubleDouble {
    fn from(hi: f64) -> Self {
        DoubleDouble { hi, lo: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let sum = DoubleDouble::new(self.hi, other.hi);
        DoubleDouble::new(sum.hi, sum.lo + (self.lo + other.lo))
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        DoubleDouble { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^-80 is lost in an f64 beside 1.
    #[test]
    fn small_parts_are_kept() {
        let small = 2.0_f64.powi(-80);
        let sum = DoubleDouble::from(1.0) + small.into();
        assert_eq!((sum.hi, sum.lo), (1.0, small));
        assert_eq!((sum - 1.0.into()).hi, small);
        assert_eq!(sum.minus(1.0.into()), small);
        // a thousand terms that are each lost in an f64
        let mut many = DoubleDouble::from(1.0);
        (0..1000).for_each(|_| many.accumulate(2.0_f64.powi(-60)));
        assert_eq!((many - 1.0.into()).hi, 1000.0 * 2.0_f64.powi(-60));
    }

    /// (1 + 2^-60) 3 / 3, and a product whose f64 is not exact.
    #[test]
    fn products_and_quotients() {
        let small = 2.0_f64.powi(-60);
        let number = DoubleDouble::new(1.0, small);
        assert_eq!(number.times(3.0).over(3.0), number);
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        let product = DoubleDouble::from(a).times(b);
        assert_eq!((product.hi, product.lo), (1.0, -f64::EPSILON * f64::EPSILON));
        let third = DoubleDouble::from(1.0).over(3.0);
        assert!((third.times(3.0) - 1.0.into()).hi.abs() < 1e-31);
    }
}
