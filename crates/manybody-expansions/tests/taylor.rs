//! Cartesian expansions beside the functions that are expanded.

use manybody_expansions::index::{HIGHEST, count, exponents};
use manybody_expansions::taylor::*;
use manybody_law::simd::Scalar;

/// -1/sqrt(s) and its derivatives in the sense of the recurrence.
fn chain(s: f64, p: usize) -> Vec<f64> {
    let mut g = vec![-1.0 / s.sqrt()];
    for m in 0..p {
        g.push(-g[m] * (2 * m + 1) as f64 / s);
    }
    g
}

fn potential([x, y, z]: [f64; 3]) -> f64 {
    -1.0 / (x * x + y * y + z * z + 0.01).sqrt()
}

fn tensor(x: [f64; 3], p: usize) -> Vec<f64> {
    let s = x.iter().map(|x| x * x).sum::<f64>() + 0.01;
    let (mut work, mut out) = (vec![0.0; WORK], vec![0.0; count(p)]);
    derivatives(Scalar, x, &chain(s, p), &mut work, &mut out);
    out
}

/// Each coefficient of a tensor is the difference of one that is one degree lower.
fn are_differences(tensor: impl Fn([f64; 3]) -> Vec<f64>, x: [f64; 3], p: usize) {
    let at = tensor(x);
    // a central difference of each coefficient of degree d - 1 is one of degree d: h^2 of its third derivative
    let h = 1e-4;
    for (k, n) in exponents(p).enumerate().skip(1) {
        let axis = n.iter().position(|n| *n > 0).unwrap();
        let mut lower = n;
        lower[axis] -= 1;
        let place = exponents(p).position(|n| n == lower).unwrap();
        let [up, down] = [h, -h].map(|h| {
            let mut x = x;
            x[axis] += h;
            tensor(x)[place]
        });
        let difference = (up - down) / (2.0 * h);
        // 3 digits of h^2 times a factorial that grows as 9!, and rounding 1e-16 / h
        let size = (1..=n.iter().sum::<usize>() + 2).map(|k| k as f64).product::<f64>();
        assert!((difference - at[k]).abs() < h * h * size, "{n:?} {difference} {}", at[k]);
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let p = 6;
    are_differences(|x| tensor(x, p), [0.7, -0.4, 1.1], p);
}

/// Of x^2 z G, beside differences of the derivatives one degree lower, and the value itself.
#[test]
fn raised_derivatives_are_those_of_the_product() {
    let (p, x, unit) = (6, [0.7, -0.4, 1.1], 0.5);
    let raised = |x: [f64; 3]| {
        let mut to = tensor(x, p);
        raise::<f64>(Scalar, x, unit, [2, 0, 1], p, &mut to);
        to
    };
    let at = raised(x);
    let value = unit.powi(3) * x[0] * x[0] * x[2] * potential(x);
    assert!((at[0] - value).abs() < 4.0 * f64::EPSILON * value.abs(), "{} {value}", at[0]);
    are_differences(raised, x, p);
}

#[test]
fn expansions_converge_at_their_order() {
    let source = [0.3, -0.2, 0.25];
    let sink = [-0.2, 0.15, 0.1];
    let dipoles = true;
    let size = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    for p in 1..=HIGHEST {
        let r = [3.0, 2.0, -1.5];
        let derivatives = tensor(r, p);
        let mut moments = vec![0.0; count(p)];
        monomials(Scalar, source.map(|x: f64| -x), 1.0, p, &mut moments);
        let mut local = vec![0.0; count(p)];
        let degrees = Degrees { order: p, lowest: 0, sink: p, source: p, dipoles };
        contract::<f64>(Scalar, degrees, &moments, &derivatives, &mut local);
        let mut powers = vec![0.0; count(p)];
        monomials(Scalar, sink, 1.0, p, &mut powers);
        let found: [f64; 4] = evaluate(Scalar, p, &local, &powers);
        let x: [f64; 3] = std::array::from_fn(|k| r[k] + sink[k] - source[k]);
        let s = x.iter().map(|x| x * x).sum::<f64>() + 0.01;
        let error = (found[0] - potential(x)).abs();
        // the rest of the series of 1/|r - d|, with |d| <= |source| + |sink|
        let ratio = (size(source) + size(sink)) / size(r);
        let bound = ratio.powi(p as i32 + 1) / (size(r) * (1.0 - ratio));
        assert!(error < bound + 1e-15, "order {p}: {error:e} above {bound:e}");
        if p == HIGHEST {
            for k in 0..3 {
                let gradient = x[k] * s.powf(-1.5);
                assert!((found[1 + k] - gradient).abs() < 1e-9, "{k}: {} {gradient}", found[1 + k]);
            }
        }
    }
}

#[test]
fn shifted_moments_are_those_about_the_new_centre() {
    let (p, x, c) = (7, [0.3, -0.2, 0.25], [0.1, 0.4, -0.3]);
    let of = |x: [f64; 3]| {
        let mut to = vec![0.0; count(p)];
        monomials(Scalar, x, 1.0, p, &mut to);
        to
    };
    let mut to = vec![0.0; count(p)];
    shift::<f64>(Scalar, p, &of(x), &of(c), &mut to);
    let together = of(std::array::from_fn(|k| x[k] + c[k]));
    for (a, b) in to.iter().zip(together) {
        assert!((a - b).abs() <= 8.0 * f64::EPSILON, "{a} {b}");
    }
}
