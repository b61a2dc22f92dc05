//! Audits of laws: no right result is called wrong, and what is wrong is.

use manybody::law::audit::Arithmetic;
use manybody::law::conformance::{law_from_seed, random_bodies};
use manybody::law::{Law, PairInputs};
use manybody::simd::Level;
use manybody::solver::{Device, Interpreter, Precision};

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

fn all(n: usize) -> Vec<usize> {
    (0..n).collect()
}

/// Laws at random on bodies whose numbers f32 does not hold, far from the origin, in SI units, over twelve decades, some at
/// one place.
#[test]
fn right_results_pass() {
    for seed in 0..120 {
        let one_kind = seed % 2 == 0;
        let text = law_from_seed(seed, one_kind);
        let law = Law::parse(&text).unwrap();
        let (mut i, mut j) = (random_bodies(law.body(), 70, seed), random_bodies(law.partner(), 45, seed + 99));
        for columns in [&mut i, &mut j] {
            for (k, column) in columns.iter_mut().enumerate().filter(|(_, c)| c.iter().any(|x| x.fract() != 0.0)) {
                for (b, x) in column.iter_mut().enumerate() {
                    *x += 1e-9 * (b % 7) as f64;
                    match seed % 5 {
                        1 if k < 2 => *x += 1e6,
                        2 if k == 2 => *x *= 10f64.powi(b as i32 % 13 - 6),
                        3 if k < 2 => *x = (*x * 4.0).round(),
                        4 => *x *= 1e-9,
                        _ => {}
                    }
                }
            }
        }
        let (i, j, par) = (slices(&i), slices(&j), [0.75, 0.1]);
        let inputs = if one_kind { PairInputs::one(&i, &par) } else { PairInputs::two(&i, &j, &par) };
        let want = law.oracle(&inputs).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let found = Interpreter::new(&law, Level::best(), precision).evaluate(&inputs).unwrap();
            let by = Arithmetic::of(Device::Cpu, precision, one_kind);
            let wrong = law.find_wrong(&inputs, &all(70), &found, &want, &by).unwrap();
            assert_eq!(wrong, None, "{seed} {precision}\n{text}");
        }
    }
}

/// One body off by 1 %, partners that were left out, the columns of one side read for the other's, a miscounted pair, a
/// wrong label.
#[test]
fn wrong_results_are_found() {
    let texts = [
        "body x[3], q; d = j.x - i.x; sum a = j.q * d / (dot(d, d) + 0.05)^1.5; self exclude",
        "body x[3]; source q; d = j.x - i.x; sum p = j.q / sqrt(dot(d, d) + 0.01); self exclude",
        "body x[3]; source q; d = j.x - i.x; count n = dot(d, d) < 0.3 * j.q; self exclude",
        "body x[3]; source q; id k; d = j.x - i.x; argmin near = dot(d, d) + j.q, j.k; self exclude",
        "body x[3]; source q; d = j.x - i.x; logsumexp z = -j.q * dot(d, d); self exclude",
    ];
    let n = 300;
    for text in texts {
        let law = Law::parse(text).unwrap();
        let (i, j) = (random_bodies(law.body(), n, 1), random_bodies(law.partner(), n, 1));
        let (i, j) = (slices(&i), slices(&j));
        let inputs = PairInputs::roles(&i, &j, &[]);
        let want = law.oracle(&inputs).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let by = Arithmetic::of(Device::Cpu, precision, law.has_one_kind());
            let judge = |found: &[Vec<f64>]| law.find_wrong(&inputs, &all(n), found, &want, &by).unwrap();
            let of =
                |inputs: &PairInputs<'_>| Interpreter::new(&law, Level::best(), precision).evaluate(inputs).unwrap();
            let right = of(&inputs);
            assert_eq!(judge(&right), None, "{text}");
            let mut off = right.clone();
            off[0][42] = off[0][42] * 1.01 + if text.contains("count") { 1.0 } else { 0.0 };
            let found = judge(&off);
            let named = |w: &manybody::law::audit::WrongResult| w.body == 42 && w.result == law.result_columns()[0];
            assert!(found.as_ref().is_some_and(named), "{text} {precision}: {found:?}");
            let fewer: Vec<&[f64]> = j.iter().map(|column| &column[..256]).collect();
            assert!(judge(&of(&PairInputs::two(&i, &fewer, &[]))).is_some(), "{text} {precision}: a tile was lost");
            // the last column of j is another than it should be
            let mut swapped = j.clone();
            let last = swapped.len() - 1 - usize::from(text.contains("id k"));
            swapped[last] = i[0];
            assert!(
                judge(&of(&PairInputs::roles(&i, &swapped, &[]))).is_some(),
                "{text} {precision}: i's column for j's"
            );
        }
    }
    let law = Law::parse("body x; id k; argmin near = abs(j.x - i.x), j.k; self exclude").unwrap();
    let bodies = random_bodies(law.body(), n, 5);
    let bodies = slices(&bodies);
    let inputs = PairInputs::one(&bodies, &[]);
    let want = law.oracle(&inputs).unwrap();
    let mut found = want.clone();
    found[1][7] = if found[1][7] == 3.0 { 4.0 } else { 3.0 };
    let wrong =
        law.find_wrong(&inputs, &all(n), &found, &want, &Arithmetic::of(Device::Cpu, Precision::F64, true)).unwrap();
    assert!(wrong.as_ref().is_some_and(|wrong| wrong.body == 7 && wrong.result == "near_id"), "{wrong:?}");
}
