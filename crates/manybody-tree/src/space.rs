//! Power series in x, y and z, with the coefficients in the order of those of expansions.

use crate::index::{HIGHEST, count, place, start};
use manybody_law::law::Shape;

/// Power series in three numbers up to an order, with coefficients in this order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space(pub(crate) usize);

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

impl Shape for Space {
    #[inline(always)]
    fn count(self) -> usize {
        count(self.0)
    }

    #[inline(always)]
    fn degree(self, n: usize) -> usize {
        EXPONENTS[n].iter().map(|exponent| usize::from(*exponent)).sum()
    }

    #[inline(always)]
    fn unit(self, input: usize) -> usize {
        start(1) + input
    }

    #[inline(always)]
    fn products(self, n: usize, [first, last]: [bool; 2], mut f: impl FnMut(usize, usize)) {
        let [x, y, z] = EXPONENTS[n].map(usize::from);
        for kx in 0..=x {
            for ky in 0..=y {
                for kz in 0..=z {
                    let k = place(kx + ky + kz, ky + kz, kz);
                    if (first && k == 0) || (last && k == n) {
                        continue;
                    }
                    let (my, mz) = (y - ky, z - kz);
                    f(k, place(x - kx + my + mz, my + mz, mz));
                }
            }
        }
    }
}

/// Coefficient n of a series times this is a derivative: nx! ny! nz!.
pub(crate) fn factorial(n: usize) -> f64 {
    EXPONENTS[n].iter().map(|exponent| (1..=*exponent).map(f64::from).product::<f64>()).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::exponents;

    #[test]
    fn products_of_monomials_are_all_that_there_are() {
        let all: Vec<[usize; 3]> = exponents(5).collect();
        for (n, of) in all.iter().enumerate() {
            assert_eq!(Space(5).degree(n), of.iter().sum());
            let mut found = Vec::new();
            Space(5).products(n, [false; 2], |k, m| found.push((k, m)));
            let mut exact: Vec<(usize, usize)> = Vec::new();
            for (k, a) in all.iter().enumerate() {
                let m = all.iter().position(|b| (0..3).all(|axis| a[axis] + b[axis] == of[axis]));
                exact.extend(m.map(|m| (k, m)));
            }
            found.sort_unstable();
            assert_eq!(found, exact);
            let mut inner = 0;
            Space(5).products(n, [true; 2], |k, m| inner += usize::from(k != 0 && m != 0));
            assert_eq!(inner, exact.len().saturating_sub(2));
        }
        assert_eq!(factorial(place(5, 3, 1)), 4.0); // x^2 y^2 z
    }
}
