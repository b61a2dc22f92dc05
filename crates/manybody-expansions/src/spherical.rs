//! Real solid harmonics: the numbers of an interaction of two cells whose frame is turned so that they lie along z.
//!
//! R_n^m is a harmonic polynomial of degree n, with m = -n .. n: the regular solid harmonic r^n sqrt((n-|m|)! / (n+|m|)!) P_n^|m|(cos theta)
//! times sqrt(2) cos(m phi) for m > 0, 1 for m = 0, and sqrt(2) sin(|m| phi) for m < 0 (Racah's normalisation, without the phase
//! (-1)^m): a rotation of space is an orthogonal matrix of them. With I_n^m(x) = R_n^m(x) / r^(2n+1),
//!
//! ```text
//! 1 / |x - y| = sum_n sum_m R_n^m(y) I_n^m(x),    |y| < |x|
//! I_k^m(z e_z + b) = sum_n translation(n, k, |m|) R_n^m(b) / z^(n+k+1)
//! ```
//!
//! so that along z a moment acts on the coefficients of the same m alone: an interaction of order p takes 2 p^3 / 3 multiplications
//! along z, and about 3 p^3 with both rotations, in place of p^4. A rotation about y is one about z between two exchanges of y and z, whose matrices are
//! constant, and have a quarter of their numbers [Pinchon and Hoggan 2007, J. Phys. A 40, 1597; Dehnen 2014, Comput.
//! Astrophys. Cosmol. 1:1, app. A; White and Head-Gordon 1996, J. Chem. Phys. 105, 5061].
//!
//! Numbers of a degree are stored from m = -n to n, at [`at`].

use crate::index::{harmonic, harmonics_of, of, of_degree, row as of_row};
use std::collections::BTreeMap;

/// A matrix of a degree: rows by m.
pub type Matrix = Vec<Vec<f64>>;

/// A polynomial: exponents of x, y and z, and factors.
type Polynomial = BTreeMap<[usize; 3], f64>;

/// Where the harmonic (n, m) is among all.
pub fn at(n: usize, m: i32) -> usize {
    (n * n + n).checked_add_signed(m as isize).unwrap_or_default()
}

/// The numbers m of a degree, in their order.
pub fn orders(n: usize) -> impl Iterator<Item = i32> + Clone {
    -(n as i32)..=n as i32
}

/// Row m of a degree's matrix.
fn row(n: usize, m: i32) -> usize {
    at(n, m) - n * n
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// How much of the moment of degree k a coefficient of degree n has, both of order m, for cells at a distance of 1 along z.
pub fn translation(n: usize, k: usize, m: usize) -> f64 {
    let sign = if (n + m).is_multiple_of(2) { 1.0 } else { -1.0 };
    // as a product of two binomial coefficients and a ratio: near the middle of its range
    let root = factorial(n + m).sqrt() * factorial(n - m).sqrt() * factorial(k + m).sqrt() * factorial(k - m).sqrt();
    sign * factorial(n + k) / root
}

/// The factors of the recurrence from R_{n-1}^m and R_{n-2}^m to R_n^m for n > |m|: `first` z R_{n-1} - `second` r^2 R_{n-2}.
pub fn upward(n: usize, m: usize) -> (f64, f64) {
    let root = ((n * n - m * m) as f64).sqrt();
    let second = if n >= m + 2 { (((n - 1) * (n - 1) - m * m) as f64).sqrt() / root } else { 0.0 };
    ((2 * n - 1) as f64 / root, second)
}

/// The factor of the recurrence from R_{n-1}^{n-1} to R_n^n.
pub fn outward(n: usize) -> f64 {
    if n == 1 { 1.0 } else { ((2 * n - 1) as f64 / (2 * n) as f64).sqrt() }
}

/// Adds a polynomial times a monomial.
fn add(to: &mut Polynomial, from: &Polynomial, exponents: [usize; 3], factor: f64) {
    for (powers, number) in from {
        *to.entry([0, 1, 2].map(|k| powers[k] + exponents[k])).or_default() += factor * number;
    }
}

/// R_n^m for all m.
fn polynomials(n: usize) -> Vec<Polynomial> {
    let (x, y, z) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    let mut all = vec![Polynomial::new(); 2 * n + 1];
    // those of order n, n: real and imaginary part of (x + i y)^m
    let (mut cos, mut sin) = (Polynomial::from([([0; 3], 1.0)]), Polynomial::new());
    for m in 0..=n {
        if m > 0 {
            let (mut c, mut s) = (Polynomial::new(), Polynomial::new());
            let factor = outward(m);
            add(&mut c, &cos, x, factor);
            add(&mut c, &sin, y, -factor);
            add(&mut s, &sin, x, factor);
            add(&mut s, &cos, y, factor);
            (cos, sin) = (c, s);
        }
        for (sign, first) in [(1, &cos), (-1, &sin)] {
            let (mut below, mut own) = (Polynomial::new(), first.clone());
            for degree in m + 1..=n {
                let (one, two) = upward(degree, m);
                let mut next = Polynomial::new();
                add(&mut next, &own, z, one);
                for axis in [[2, 0, 0], [0, 2, 0], [0, 0, 2]] {
                    add(&mut next, &below, axis, -two);
                }
                (below, own) = (own, next);
            }
            all[row(n, sign * m as i32)] = own;
            if m == 0 {
                break;
            }
        }
    }
    all
}

/// P(d/dx) Q for polynomials of one degree: a number. Harmonics are orthogonal by it, all with the same norm.
fn product(p: &Polynomial, q: &Polynomial) -> f64 {
    let weight = |[x, y, z]: [usize; 3]| factorial(x) * factorial(y) * factorial(z);
    p.iter().filter_map(|(powers, number)| Some(number * q.get(powers)? * weight(*powers))).sum()
}

/// The exchange of y and z: R_n^m(x, z, y) = sum over rows, symmetric and its own inverse. What is 0 is exactly 0.
pub fn exchange(n: usize) -> Matrix {
    let all = polynomials(n);
    let exchanged: Vec<Polynomial> =
        all.iter().map(|p| p.iter().map(|([x, y, z], number)| ([*x, *z, *y], *number)).collect()).collect();
    let rows = exchanged.iter().map(|p| all.iter().map(|q| product(p, q) / product(q, q)).collect());
    let rows: Vec<Vec<f64>> = rows.collect();
    let number = |k: usize, m: usize| 0.5 * (rows[k][m] + rows[m][k]);
    let clean = |number: f64| if number.abs() < 1e-9 { 0.0 } else { number };
    (0..=2 * n).map(|k| (0..=2 * n).map(|m| clean(number(k, m))).collect()).collect()
}

/// The derivatives of R_n^m by x, y and z to each set of exponents with at most one z, in the order of
/// [`harmonics_of`]: a row for each m. A folded moment M is (-1)^n sum over a row; the coefficient L_n of an expansion is the sum over a column.
pub fn derivatives(n: usize) -> Matrix {
    let weight = |[x, y, z]: [usize; 3]| factorial(x) * factorial(y) * factorial(z);
    let of = |p: &Polynomial| {
        let mut all = vec![0.0; 2 * n + 1];
        for (a, z) in harmonics_of(n) {
            let exponents = [n - a, a - z, z];
            let number = p.get(&exponents).copied().unwrap_or_default() * weight(exponents);
            all[harmonic(n, a, z) - n * n] = if number.abs() < 1e-9 { 0.0 } else { number };
        }
        all
    };
    polynomials(n).iter().map(of).collect()
}

/// The derivatives of R_n^m to all sets of exponents, in the order of [`of`]: a row for each m. A moment M of R_n^m about a centre is
/// (-1)^n sum over a row of Cartesian ones, sums over (c - x)^k / k!; the Cartesian coefficient L_n is the sum over a column.
pub fn all_derivatives(n: usize) -> Matrix {
    let weight = |[x, y, z]: [usize; 3]| factorial(x) * factorial(y) * factorial(z);
    let derived = |p: &Polynomial| {
        let mut all = vec![0.0; of_degree(n)];
        for (a, z) in of(n) {
            let exponents = [n - a, a - z, z];
            all[of_row(a) + z] = p.get(&exponents).copied().unwrap_or_default() * weight(exponents);
        }
        all
    };
    polynomials(n).iter().map(derived).collect()
}

/// The derivative of R_n^m along an axis is the sum of these numbers times R_{n-1}: a row for each m. The same numbers, with the other
/// sign, have the derivative of I_{n-1}: that of m' is minus the sum over column m' of I_n.
pub fn gradient(n: usize, axis: usize) -> Matrix {
    let below = polynomials(n - 1);
    let derived = |p: &Polynomial| -> Polynomial {
        p.iter()
            .filter(|(powers, _)| powers[axis] > 0)
            .map(|(powers, number)| {
                let mut lower = *powers;
                lower[axis] -= 1;
                (lower, number * powers[axis] as f64)
            })
            .collect()
    };
    let clean = |number: f64| if number.abs() < 1e-9 { 0.0 } else { number };
    let of = |p: &Polynomial| {
        let p = derived(p);
        below.iter().map(|q| clean(product(&p, q) / product(q, q))).collect()
    };
    polynomials(n).iter().map(of).collect()
}
