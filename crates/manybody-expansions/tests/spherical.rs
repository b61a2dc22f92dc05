//! Real solid harmonics beside their recurrences.

use manybody_expansions::index::{HIGHEST, harmonic, harmonics_of, of, row as of_row};
use manybody_expansions::spherical::*;

/// All harmonics up to degree p at a place.
fn regular(p: usize, [x, y, z]: [f64; 3]) -> Vec<f64> {
    let r2 = x * x + y * y + z * z;
    let mut all = vec![0.0; (p + 1) * (p + 1)];
    all[0] = 1.0;
    for n in 1..=p {
        let (m, factor) = (n as i32, outward(n));
        let cos = all[at(n - 1, m - 1)];
        let sin = if n == 1 { 0.0 } else { all[at(n - 1, 1 - m)] };
        all[at(n, m)] = factor * (x * cos - y * sin);
        all[at(n, -m)] = factor * (x * sin + y * cos);
        for m in orders(n - 1) {
            let (one, two) = upward(n, m.unsigned_abs() as usize);
            let below = if two == 0.0 { 0.0 } else { all[at(n - 2, m)] };
            all[at(n, m)] = one * z * all[at(n - 1, m)] - two * r2 * below;
        }
    }
    all
}

const X: [f64; 3] = [0.7, -1.1, 0.4];

fn close(found: f64, want: f64, size: f64) {
    assert!((found - want).abs() < 1e-12 * size, "{found} {want}");
}

#[test]
fn polynomials_are_the_recurrence() {
    for n in 0..=HIGHEST {
        let all = regular(n, X);
        for (m, derivatives) in orders(n).zip(all_derivatives(n)) {
            // Taylor's series about 0, which has terms of one degree
            let term = |((a, z), number): ((usize, usize), f64)| {
                [n - a, a - z, z]
                    .into_iter()
                    .zip(X)
                    .fold(number, |term, (power, x)| (1..=power).fold(term, |term, k| term * x / k as f64))
            };
            let value: f64 = of(n).zip(derivatives).map(term).sum();
            close(all[at(n, m)], value, 10.0);
        }
    }
}

/// P_n of the angle between two directions is the sum of products of a degree.
#[test]
fn harmonics_of_a_degree_add_up_to_a_legendre_polynomial() {
    let y = [-0.2, 0.5, 0.9];
    let (a, b) = (regular(HIGHEST, X), regular(HIGHEST, y));
    let dot = |u: [f64; 3], v: [f64; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let (size, cos) = ((dot(X, X) * dot(y, y)).sqrt(), dot(X, y) / (dot(X, X) * dot(y, y)).sqrt());
    let (mut last, mut own) = (1.0, cos);
    for n in 1..=HIGHEST {
        let sum: f64 = orders(n).map(|m| a[at(n, m)] * b[at(n, m)]).sum();
        close(sum, own * size.powi(n as i32), size.powi(n as i32));
        (last, own) = (own, ((2 * n + 1) as f64 * cos * own - n as f64 * last) / (n + 1) as f64);
    }
}

#[test]
fn an_exchange_is_one_of_y_and_z_and_has_a_quarter_of_its_numbers() {
    for n in 0..=HIGHEST {
        let (own, exchanged, matrix) = (regular(n, X), regular(n, [X[0], X[2], X[1]]), exchange(n));
        for (m, row) in orders(n).zip(&matrix) {
            let sum: f64 = orders(n).zip(row).map(|(k, number)| number * own[at(n, k)]).sum();
            close(sum, exchanged[at(n, m)], 10.0);
        }
        // its own inverse
        for k in 0..=2 * n {
            for m in 0..=2 * n {
                let sum: f64 = (0..=2 * n).map(|i| matrix[k][i] * matrix[i][m]).sum();
                close(sum, f64::from(u8::from(k == m)), 1.0);
            }
        }
        let numbers = matrix.iter().flatten().filter(|number| **number != 0.0).count();
        assert!(numbers <= n * n + n + 1, "{n}: {numbers}");
    }
}

/// 1/|x - y| by an interaction along z, for small y on both sides.
#[test]
fn translations_along_z() {
    let (a, b, distance) = ([0.1, -0.2, 0.05], [-0.15, 0.1, 0.12], 1.5);
    let (moments, places) = (regular(HIGHEST, a), regular(HIGHEST, b));
    let mut sum = 0.0;
    for (n, k) in (0..=HIGHEST).flat_map(|n| (0..=HIGHEST).map(move |k| (n, k))) {
        for m in orders(n.min(k)) {
            let factor = translation(n, k, m.unsigned_abs() as usize) * f64::powi(distance, -((n + k + 1) as i32));
            sum += factor * moments[at(k, m)] * places[at(n, m)];
        }
    }
    let separation = [b[0] - a[0], b[1] - a[1], b[2] - a[2] + distance];
    let want = 1.0 / separation.iter().map(|x| x * x).sum::<f64>().sqrt();
    // (0.25 / 1.5)^13
    assert!((sum - want).abs() < 1e-10, "{sum} {want}");
}

#[test]
fn derivatives_and_gradients_are_those_of_polynomials() {
    // of a polynomial of degree n the derivatives determine its value: x . grad = n
    for n in 1..=HIGHEST {
        let (own, below) = (regular(n, X), regular(n - 1, X));
        let axes = [0, 1, 2].map(|axis| gradient(n, axis));
        for m in orders(n) {
            let of = |matrix: &Matrix| -> f64 {
                orders(n - 1).zip(&matrix[at(n, m) - n * n]).map(|(k, number)| number * below[at(n - 1, k)]).sum()
            };
            let sum: f64 = axes.iter().zip(X).map(|(matrix, x)| x * of(matrix)).sum();
            close(sum, n as f64 * own[at(n, m)], 100.0);
        }
    }
    let first = derivatives(1);
    // y, z, x; of each the derivative by x, y, z
    assert_eq!(first, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
}

/// The same numbers as those with at most one z, and no traces.
#[test]
fn all_derivatives_are_those_of_a_harmonic_function() {
    for n in 0..=HIGHEST {
        for (all, some) in all_derivatives(n).iter().zip(derivatives(n)) {
            for (a, z) in harmonics_of(n) {
                let number = some[harmonic(n, a, z) - n * n];
                assert!((all[of_row(a) + z] - number).abs() < 1e-9, "{n} {a} {z}");
            }
            let size = all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            for (a, z) in (2..=n).flat_map(|a| (2..=a).map(move |z| (a, z))) {
                let sum = all[of_row(a) + z] + all[of_row(a - 2) + z - 2] + all[of_row(a) + z - 2];
                assert!(sum.abs() < 1e-12 * size, "{n} {a} {z}: {sum} of {size}");
            }
        }
    }
}
