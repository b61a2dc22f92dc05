//! The power of a cell's multipoles: how much of a degree there is in all directions [Dehnen 2014, eq. 18].
//!
//! For a harmonic potential only the part of the tensor T_n = n! M_n without traces counts. Its square follows from those
//! of the traces [e.g. Coope, Snider and McCourt 1965, J. Chem. Phys. 43, 2269]:
//!
//! ```text
//! |stf T|^2 = sum_j a_j |tr^j T|^2,   a_j = (-1)^j q! (2q-2j-1)!! / ((q-2j)! (2q-1)!! (2j)!!)
//! ```
//!
//! for degree q. The power is normalised such that a body of mass m at distance r has m r^q.

use manybody_expansions::index::{HIGHEST, of_degree, row};

/// Coefficients of one degree.
type Tensor = [f64; of_degree(HIGHEST)];

/// The distance at which one body with mass `mass` would have the power of degree q of these moments, M_n of that degree.
pub(crate) fn effective_radius(q: usize, moments: impl Iterator<Item = f64>, mass: f64) -> f64 {
    let mut tensor: Tensor = [0.0; of_degree(HIGHEST)];
    for (k, moment) in moments.enumerate().take(of_degree(q)) {
        let [x, y, z] = exponents(q, k);
        tensor[k] = moment * FACTORIAL[x] * FACTORIAL[y] * FACTORIAL[z];
    }
    let mut square = 0.0;
    let mut degree = q;
    for j in 0..=q / 2 {
        let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
        let factor = sign * FACTORIAL[q] * odd(q - j) / (FACTORIAL[degree] * odd(q) * even(j));
        square += factor * norm2(degree, &tensor);
        if degree >= 2 {
            trace(degree, &mut tensor);
            degree -= 2;
        }
    }
    // rounding may leave a little less than nothing
    let power = (square.max(0.0) * odd(q) / FACTORIAL[q]).sqrt();
    if mass > 0.0 { (power / mass).powf(1.0 / q as f64) } else { 0.0 }
}

/// n!
pub(crate) const FACTORIAL: [f64; HIGHEST + 1] = {
    let mut factorial = [1.0; HIGHEST + 1];
    let mut n = 1;
    while n <= HIGHEST {
        factorial[n] = factorial[n - 1] * n as f64;
        n += 1;
    }
    factorial
};

/// (2 n - 1)!!
fn odd(n: usize) -> f64 {
    (1..=n).map(|k| (2 * k - 1) as f64).product()
}

/// (2 n)!!
fn even(n: usize) -> f64 {
    (1..=n).map(|k| (2 * k) as f64).product()
}

/// The exponents of coefficient k of a degree.
fn exponents(degree: usize, k: usize) -> [usize; 3] {
    let a = (0..=degree).rev().find(|a| row(*a) <= k).unwrap_or(0);
    [degree - a, a - (k - row(a)), k - row(a)]
}

/// The sum of the squares of all components: each coefficient stands for several.
fn norm2(degree: usize, tensor: &Tensor) -> f64 {
    let term = |k: usize| {
        let [x, y, z] = exponents(degree, k);
        tensor[k] * tensor[k] / (FACTORIAL[x] * FACTORIAL[y] * FACTORIAL[z])
    };
    FACTORIAL[degree] * (0..of_degree(degree)).map(term).sum::<f64>()
}

/// Contracts two indices.
fn trace(degree: usize, tensor: &mut Tensor) {
    for a in 0..degree - 1 {
        for z in 0..=a {
            let place = |a: usize, z: usize| row(a) + z;
            tensor[place(a, z)] = tensor[place(a, z)] + tensor[place(a + 2, z)] + tensor[place(a + 2, z + 2)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manybody_expansions::index::{count, start};
    use manybody_expansions::taylor::monomials;
    use manybody_law::simd::Scalar;

    fn radius(q: usize, bodies: &[[f64; 4]]) -> f64 {
        let mut sum = vec![0.0; count(q)];
        for [x, y, z, mass] in bodies {
            let mut one = vec![0.0; count(q)];
            monomials(Scalar, [*x, *y, *z], *mass, q, &mut one);
            sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
        }
        effective_radius(q, sum[start(q)..].iter().copied(), bodies.iter().map(|body| body[3]).sum())
    }

    #[test]
    fn one_body_has_its_distance() {
        for q in 2..=HIGHEST {
            let found = radius(q, &[[0.3, -0.4, 1.2, 2.5]]);
            assert!((found - 1.3).abs() < 1e-9, "{q}: {found}");
        }
    }

    #[test]
    fn what_is_symmetric_has_no_power() {
        // the corners of a cube have no quadrupole, nor any odd degree
        let corners: Vec<[f64; 4]> = (0..8)
            .map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { 1.0 } else { -1.0 }))
            .map(|[x, y, z]| [x, y, z, 1.0])
            .collect();
        assert!(radius(2, &corners) < 1e-7 && radius(3, &corners) < 1e-4 && radius(4, &corners) > 0.5);
    }
}
