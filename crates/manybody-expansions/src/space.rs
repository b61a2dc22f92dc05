//! Power series in x, y and z, with the coefficients in the order of those of expansions.

use crate::index::{HIGHEST, count, place, start};
use manybody_law::law::Shape;
use std::ops::Range;

/// Which coefficients of power series in three numbers are multiplied, up to an order.
#[derive(Clone, Debug)]
pub struct Products {
    order: usize,
    /// Of each n, all k and m whose product it is, by the degree of k.
    pairs: Vec<[u16; 2]>,
    /// Of each n, where k of each degree begin, and where they end.
    begins: Vec<u32>,
}

/// Power series in three numbers up to an order, with coefficients in this order.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a>(pub &'a Products);

/// The exponents of all coefficients, two degrees beyond the highest order.
static EXPONENTS: [[u8; 3]; count(HIGHEST + 2)] = {
    let (mut all, mut at, mut d) = ([[0; 3]; count(HIGHEST + 2)], 0, 0);
    while d <= HIGHEST + 2 {
        let mut a = 0;
        while a <= d {
            let mut z = 0;
            while z <= a {
                all[at] = [(d - a) as u8, (a - z) as u8, z as u8];
                (at, z) = (at + 1, z + 1);
            }
            a += 1;
        }
        d += 1;
    }
    all
};

/// The degrees of all coefficients.
static DEGREES: [u8; count(HIGHEST + 2)] = {
    let (mut all, mut n) = ([0; count(HIGHEST + 2)], 0);
    while n < all.len() {
        all[n] = EXPONENTS[n][0] + EXPONENTS[n][1] + EXPONENTS[n][2];
        n += 1;
    }
    all
};

impl Products {
    /// Those up to an order, two beyond the highest of an expansion at most.
    pub fn new(order: usize) -> Self {
        let (mut pairs, mut begins) = (Vec::new(), Vec::new());
        for of in &EXPONENTS[..count(order)] {
            for degree in 0..=order {
                begins.push(pairs.len() as u32);
                let of_degree = EXPONENTS.iter().enumerate().take(start(degree + 1)).skip(start(degree));
                for (k, exponents) in of_degree {
                    let left = [0, 1, 2].map(|axis| of[axis].checked_sub(exponents[axis]).map(usize::from));
                    if let [Some(x), Some(y), Some(z)] = left {
                        pairs.push([k as u16, place(x + y + z, y + z, z) as u16]);
                    }
                }
            }
            begins.push(pairs.len() as u32);
        }
        Products { order, pairs, begins }
    }
}

impl Shape for Space<'_> {
    #[inline(always)]
    fn count(self) -> usize {
        count(self.0.order)
    }

    #[inline(always)]
    fn degree(self, n: usize) -> usize {
        usize::from(DEGREES[n])
    }

    #[inline(always)]
    fn unit(self, input: usize) -> usize {
        start(1) + input
    }

    #[inline(always)]
    fn products(self, n: usize, degrees: Range<usize>, mut f: impl FnMut(usize, usize)) {
        let begins = &self.0.begins[n * (self.0.order + 2)..][..self.0.order + 2];
        let [first, last] = [degrees.start, degrees.end].map(|degree| begins[degree.min(self.0.order + 1)] as usize);
        for [k, m] in self.0.pairs.get(first..last).unwrap_or_default() {
            f(usize::from(*k), usize::from(*m));
        }
    }
}

/// nx! ny! nz! of all coefficients.
static FACTORIALS: [f64; count(HIGHEST + 2)] = {
    let (mut all, mut n) = ([1.0; count(HIGHEST + 2)], 0);
    while n < all.len() {
        let mut axis = 0;
        while axis < 3 {
            let mut k = 1;
            while k <= EXPONENTS[n][axis] {
                all[n] *= k as f64;
                k += 1;
            }
            axis += 1;
        }
        n += 1;
    }
    all
};

/// Coefficient n of a series times this is a derivative: nx! ny! nz!.
#[inline(always)]
pub fn factorial(n: usize) -> f64 {
    FACTORIALS[n]
}
