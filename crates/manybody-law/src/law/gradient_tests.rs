//! Gradients beside differences of the law itself, in f64.

use crate::law::{Law, PairInputs, by_name};

/// Numbers from 0.2 to 1.2, all different.
fn columns(count: usize, n: usize, salt: usize) -> Vec<Vec<f64>> {
    let number = |k: usize| 0.2 + ((k * 7919 + salt * 104_729) % 10_007) as f64 / 10_007.0;
    (0..count).map(|c| (0..n).map(|b| number(c * n + b + 1)).collect()).collect()
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

fn numbers(fields: &[crate::law::Field]) -> usize {
    fields.iter().map(|field| field.numbers()).sum()
}

/// The weighted sum of the results.
fn weighted(law: &Law, i: &[Vec<f64>], j: &[Vec<f64>], par: &[f64], weights: &[Vec<f64>], same: bool) -> f64 {
    let (i, j) = (slices(i), slices(j));
    let inputs = if same { PairInputs::roles(&i, &j, par) } else { PairInputs::two(&i, &j, par) };
    let results = law.oracle(&inputs).unwrap();
    results.iter().flatten().zip(weights.iter().flatten()).map(|(r, g)| r * g).sum()
}

/// Compares every derivative with a central difference.
fn check(law: &Law, par: &[f64], same: bool) {
    let (ni, nj) = (4, if same { 4 } else { 5 });
    let (i, weights) = (columns(numbers(law.body()), ni, 1), columns(numbers(law.results()), ni, 3));
    let j = if same && law.has_one_kind() { i.clone() } else { columns(numbers(law.partner()), nj, 2) };
    let gradient = law.gradient().unwrap();
    let full: Vec<Vec<f64>> = i.iter().chain(&weights).cloned().collect();
    let (a, b) = (slices(&full), slices(&j));
    let (of_i, of_j) = match same {
        true => (PairInputs::roles(&a, &b, par), PairInputs::roles(&b, &a, par)),
        false => (PairInputs::two(&a, &b, par), PairInputs::two(&b, &a, par)),
    };
    let (by_i, by_j) = (gradient.targets.oracle(&of_i).unwrap(), gradient.sources.oracle(&of_j).unwrap());
    let step = 1e-5;
    let of = |i: &[Vec<f64>], j: &[Vec<f64>], par: &[f64]| weighted(law, i, j, par, &weights, same);
    let near = |found: f64, up: f64, down: f64, what: String| {
        let want = (up - down) / (2.0 * step);
        // a central difference is off by step^2 of the third derivative, some hundreds here, and by 2^-53 / step of the sum
        assert!((found - want).abs() < 1e-6 * (1.0 + want.abs()), "{}: {what}: {found} {want}", law.name());
    };
    let moved = |columns: &[Vec<f64>], c: usize, k: usize, by: f64| {
        let mut columns = columns.to_vec();
        columns[c][k] += by;
        columns
    };
    for (c, by_i) in by_i[..i.len()].iter().enumerate() {
        for (k, found) in by_i.iter().enumerate() {
            let (up, down) = (moved(&i, c, k, step), moved(&i, c, k, -step));
            near(*found, of(&up, &j, par), of(&down, &j, par), format!("i {c} of body {k}"));
        }
    }
    for (c, by_j) in by_j.iter().enumerate() {
        for (k, found) in by_j.iter().enumerate() {
            let (up, down) = (moved(&j, c, k, step), moved(&j, c, k, -step));
            near(*found, of(&i, &up, par), of(&i, &down, par), format!("j {c} of body {k}"));
        }
    }
    for p in 0..par.len() {
        let at = |by: f64| {
            of(&i, &j, &par.iter().enumerate().map(|(q, x)| x + if q == p { by } else { 0.0 }).collect::<Vec<_>>())
        };
        near(by_i[i.len() + p].iter().sum(), at(step), at(-step), format!("parameter {p}"));
    }
}

#[test]
fn gradients_are_differences_of_the_law() {
    for (name, par) in [
        ("gravity", &[0.01][..]),
        ("coulomb", &[1.5]),
        ("yukawa", &[1.0, 0.7]),
        ("gaussian", &[0.8]),
        ("matern", &[0.8]),
        ("hologram", &[3.0]),
        ("biot-savart", &[0.3]),
        ("sph-density", &[]),
        ("laplace-double", &[]),
    ] {
        let law = by_name(name).unwrap();
        assert_eq!(par.len(), law.defaults().len(), "{name}: {:?}", law.parameter_names());
        check(&law, par, false);
        check(&law, par, true);
    }
}

#[test]
fn every_function_has_its_slope() {
    for term in [
        "sqrt(q)",
        "1 / sqrt(q)",
        "1 / q",
        "exp(q)",
        "ln(q)",
        "expm1(q)",
        "log1p(q)",
        "sin(q)",
        "cos(q)",
        "abs(q - 1)",
        "min(q, j.x * 1.3)",
        "max(q, j.x * 1.3)",
        "q / (1 + j.x)",
        "-q",
        "q^3",
        "2^q",
    ] {
        let law = Law::parse(&format!("body x; param c; q = i.x * c + j.x * j.x; sum s = {term}"));
        let law = law.unwrap_or_else(|error| panic!("{term}: {error}"));
        check(&law.named(term), &[0.7], false);
    }
}

#[test]
fn conditions_keep_what_is_not_finite_out() {
    // the law leaves out bodies at one place, whose distance has no derivative
    let law = Law::parse("body x[3]; d = j.x - i.x; sum s = norm(d) when dot(d, d) > 0").unwrap();
    let gradient = law.gradient().unwrap();
    let places: [&[f64]; 3] = [&[0.0, 0.0, 3.0], &[0.0, 0.0, 4.0], &[0.0; 3]];
    let weights: &[f64] = &[1.0; 3];
    let i = [places[0], places[1], places[2], weights];
    let found = gradient.targets.oracle(&PairInputs::roles(&i, &places, &[])).unwrap();
    // two roundings
    assert!((found[0][0] + 0.6).abs() < 3e-16 && (found[1][0] + 0.8).abs() < 3e-16, "{found:?}");
}

#[test]
fn own_terms_and_what_has_no_gradient() {
    check(&Law::parse("body x, h; sum s = j.x * i.h; self s = i.x * i.x").unwrap(), &[], true);
    let nearest = by_name("nearest").unwrap();
    let error = nearest.gradient().map(drop).unwrap_err().to_string();
    assert!(error.contains("only sums have a gradient"), "{error}");
    let gravity = by_name("gravity").unwrap();
    assert_eq!(gravity.reads(crate::law::Role::I), [true, true, true, false]);
    assert_eq!(gravity.reads(crate::law::Role::J), [true; 4]);
}
