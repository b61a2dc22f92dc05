//! Infinities, NaN and zeros of either sign.

use super::cases::cases;
use manybody::law::conformance::{EXTREMES, NO_PARTNERS, alike};
use manybody::law::{Law, PairInputs};
use manybody_gpu::Pairs;

/// What is too large, too small, zero or without partners is what IEEE's arithmetic says, though compilers of WGSL may assume
/// that there are no infinities.
#[test]
fn infinities_are_those_of_the_cpu() {
    let (law, alone) = (Law::parse(EXTREMES).unwrap(), Law::parse(NO_PARTNERS).unwrap());
    for case in cases() {
        if case.pairs == Pairs::Ordered {
            let mut evaluator = case.evaluator(&law);
            for x in [1000.0, -1000.0] {
                let (i, j): ([&[f64]; 1], [&[f64]; 1]) = ([&[0.0; 40]], [&[x]]);
                let inputs = PairInputs::two(&i, &j, &[]);
                let found = evaluator.evaluate(&inputs).unwrap();
                let want = law.oracle(&inputs).unwrap();
                alike(&law, &found, &want, 1e-5).unwrap_or_else(|e| panic!("{}, x = {x}: {e}", case.name));
            }
        }
        let mut evaluator = case.evaluator(&alone);
        for n in [1, 40, 300] {
            let ids: Vec<f64> = (0..n).map(f64::from).collect();
            let found = evaluator.evaluate(&PairInputs::one(&[&ids, &ids], &[])).unwrap();
            let (inf, none) = (f64::INFINITY, f64::NEG_INFINITY);
            for body in [0, n as usize - 1] {
                let of: Vec<f64> = found.iter().skip(1).map(|c| c[body]).collect();
                assert_eq!(of, [0.0, inf, none, inf, -1.0, none, -1.0, none], "{}, {n} bodies", case.name);
            }
        }
    }
}

/// A pair that contributes NaN is in every result, wherever its partner stands, though the others' numbers are smaller and
/// larger: infinity of the wrong sign in extremes, which `check_results` refuses, NaN in all others.
#[test]
fn a_pair_of_nan_is_in_every_result() {
    let text = "body w; id k; r = sqrt(j.w - 0.05)
        min a = r; max b = r; argmin c = r, j.k; argmax d = r, j.k
        sum s = min(r, 0.5); sum t = max(0.5, r); sum u = min(r, max(r, 0.1)); logsumexp z = r";
    let law = Law::parse(text).unwrap();
    let (inf, none) = (f64::INFINITY, f64::NEG_INFINITY);
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        for n in [1, 40, 300] {
            for bad in [0, n / 2, n - 1] {
                let ids: Vec<f64> = (0..n).map(|k| k as f64).collect();
                let w: Vec<f64> = (0..n).map(|k| if k == bad { 0.0 } else { 0.05 + (k % 7) as f64 }).collect();
                let columns: [&[f64]; 2] = [&w, &ids];
                let inputs = PairInputs::one(&columns, &[]);
                let found = evaluator.evaluate(&inputs).unwrap();
                let want = law.oracle(&inputs).unwrap();
                for body in [0, n / 2, n - 1] {
                    for found in [&found, &want] {
                        let what = format!("{}, {n} bodies, {bad} is wrong, body {body}", case.name);
                        let of: Vec<f64> = found.iter().map(|c| c[body]).collect();
                        assert_eq!((of[0], of[1], of[2], of[4]), (none, inf, none, inf), "{what}");
                        assert!(of[6..].iter().all(|x| x.is_nan()), "{what}: {of:?}");
                    }
                }
            }
        }
    }
}

/// A difference of equal numbers is 0, not -0, in whichever order they stand, and a division by it infinite.
#[test]
fn divisions_by_differences_are_those_of_ieee() {
    let law = Law::parse(
        "body q; count a = 1 / (j.q - i.q) > 5; count b = 1 / (i.q - j.q) > 5; count c = 1 / (j.q - 2) > 5
        count d = 1 / (2 - j.q) > 5; count e = -1 / (2 - j.q) < -5; sum f = exp(-1 / (j.q - 2)); sum g = exp(-1 / (2 - j.q))
        max h = 1 / (j.q - 2); min k = -3 / (j.q - 2); max l = rsqrt(j.q - 2) when j.q >= 2; self include",
    )
    .unwrap();
    let pair = |i: f64, j: f64| {
        let truth = |holds: bool| f64::from(u8::from(holds));
        let (to, from) = (j - 2.0, 2.0 - j);
        let root = if j >= 2.0 { 1.0 / to.sqrt() } else { f64::NEG_INFINITY };
        let counts = [1.0 / (j - i) > 5.0, 1.0 / (i - j) > 5.0, 1.0 / to > 5.0, 1.0 / from > 5.0, -1.0 / from < -5.0];
        let [a, b, c, d, e] = counts.map(truth);
        [a, b, c, d, e, (-1.0 / to).exp(), (-1.0 / from).exp(), 1.0 / to, -3.0 / to, root]
    };
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        for n in [3, 40, 300] {
            let q: Vec<f64> = (0..n).map(|k| f64::from(1 + k % 3)).collect();
            let columns: [&[f64]; 1] = [&q];
            let inputs = PairInputs::one(&columns, &[]);
            let found = evaluator.evaluate(&inputs).unwrap();
            let oracle = law.oracle(&inputs).unwrap();
            for body in 0..n as usize {
                let all: Vec<_> = q.iter().map(|j| pair(q[body], *j)).collect();
                let want = |k: usize| match k {
                    0..=6 => all.iter().map(|x| x[k]).sum::<f64>(),
                    8 => all.iter().map(|x| x[k]).fold(f64::INFINITY, f64::min),
                    _ => all.iter().map(|x| x[k]).fold(f64::NEG_INFINITY, f64::max),
                };
                for results in [&found, &oracle] {
                    for (k, result) in results.iter().enumerate() {
                        let (got, want) = (result[body], want(k));
                        // exp in f32 of at most 300 terms: 1e-6 of each
                        let same = got == want || (got - want).abs() <= 1e-6 * want.abs();
                        assert!(same, "{}, {n} bodies: result {k} of body {body} is {got}, not {want}", case.name);
                    }
                }
            }
        }
    }
}
