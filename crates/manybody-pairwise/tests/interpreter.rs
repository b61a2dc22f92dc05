//! Any law by the interpreter, beside the f64 oracle.

use manybody_law::law::bounds::Rounding;
use manybody_law::law::conformance::{
    EXTREMES, KINDS, NO_PARTNERS, alike, law_from_seed, random, random_bodies, random_law, slices, ways, within_bounds,
};
use manybody_law::law::{
    Cell, Field, GravityJerk, LAWS, Law, Lowering, PairInputs, SelfPair, SoftGravityPot, Targets, oracle,
};
use manybody_law::simd::Level;
use manybody_pairwise::{BLOCK, EvaluateLaw, Interpreter, MIN_BLOCKS, Precision};
use proptest::prelude::*;

/// Compares all results of the law on the sets, at a level, in a precision, with the oracle. Returns how many numbers
/// were held to a finite bound.
///
/// # Errors
/// A sentence that names the law, the body and the number that is out of bounds.
fn against_oracle(law: &Law, inputs: &PairInputs<'_>, level: Level, precision: Precision) -> Result<usize, String> {
    let found = Interpreter::new(law, level, precision).evaluate(inputs).map_err(|e| e.to_string())?;
    let rounding = if precision == Precision::F32 { &Rounding::F32 } else { &Rounding::F64 };
    within_bounds(law, inputs, &found, rounding, &[Lowering::default()])
        .map_err(|problem| format!("{level:?} {precision} {problem}"))
}

/// The same at all levels of this machine in both precisions; sets given as columns that f32 holds exactly.
fn everywhere(law: &Law, inputs: &PairInputs<'_>) -> Result<usize, String> {
    let mut checked = 0;
    for level in Level::available() {
        for precision in [Precision::F32, Precision::F64] {
            checked += against_oracle(law, inputs, level, precision)?;
        }
    }
    Ok(checked)
}

/// Every reduction, both signs, conditions, ids, and a gift to itself.
const ALL: &str = "
    body x[3], q; id k; param c = 0.3, r2 = 0.5
    d = j.x - i.x
    s = dot(d, d) + c
    near = s < r2 and i.k != j.k
    sum a = j.q * d / s^1.5
    sum p = near ? -j.q : 0
    count n = near
    min low = d[0] - i.q when near
    max high = -abs(d[1]) * j.q
    argmin first = s, j.k
    argmax last = max(d[2], i.q), j.k
    logsumexp z = -8 * s
    self p = 2 * i.q
    self n = i.q > 0
";

fn bodies(law: &Law, n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut columns = random(law.body().len() + 8, n, seed, false);
    columns.truncate(law.body().iter().map(Field::numbers).sum());
    if law.body().iter().any(|f| f.cell == Cell::Id) {
        let last = columns.len() - 1;
        columns[last] = (0..n).map(|k| (k * 7 % (n + 3)) as f64).collect();
    }
    columns
}

#[test]
fn sizes_at_the_edges_of_blocks_and_groups() {
    let laws = [Law::parse(ALL).unwrap(), Law::of::<GravityJerk>().unwrap()];
    for law in laws {
        let par = vec![0.25; law.parameters().len()];
        for n in [0, 1, 2, 3, 31, 33, 63, 64, 65, BLOCK - 1, BLOCK, BLOCK + 1] {
            let i = bodies(&law, n, 1);
            everywhere(&law, &PairInputs::one(&slices(&i), &par)).unwrap();
        }
        for (ni, nj) in [(1, 700), (700, 1), (3, 0), (0, 3), (40, 1030)] {
            let (i, j) = (bodies(&law, ni, 2), bodies(&law, nj, 3));
            everywhere(&law, &PairInputs::two(&slices(&i), &slices(&j), &par)).unwrap();
        }
    }
}

/// Few bodies i and so many j that these are shared out among tasks.
#[test]
fn shared_out_bodies_j() {
    let law = Law::parse(ALL).unwrap();
    let n = 3 * MIN_BLOCKS * BLOCK + 17;
    let (i, j) = (bodies(&law, 3, 4), bodies(&law, n, 5));
    let (si, sj) = (slices(&i), slices(&j));
    let inputs = PairInputs::two(&si, &sj, &[0.3, 0.5]);
    assert!(against_oracle(&law, &inputs, Level::best(), Precision::F64).unwrap() >= 3 * 10);
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let law = Law::parse(ALL).unwrap();
    for (ni, nj) in [(1000, 1000), (5, 40_000)] {
        let (i, j) = (bodies(&law, ni, 6), bodies(&law, nj, 7));
        let results = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let inputs = |run: &dyn Fn(&PairInputs<'_>) -> Vec<Vec<f64>>| match ni == nj {
                true => run(&PairInputs::one(&slices(&i), &[0.3, 0.5])),
                false => run(&PairInputs::two(&slices(&i), &slices(&j), &[0.3, 0.5])),
            };
            pool.install(|| inputs(&|s| law.evaluate(s, Precision::F32).unwrap()))
        });
        assert!(results[0] == results[1] && results[0] == results[2]);
    }
}

/// Some bodies of a set have the results that they have among all, to the bit.
#[test]
fn some_of_the_bodies() {
    let law = Law::parse(ALL).unwrap();
    let all = bodies(&law, 700, 12);
    let all = slices(&all);
    let inputs = PairInputs::one(&all, &[0.3, 0.5]);
    let some = [3, 699, 64, 0, 512];
    for precision in [Precision::F32, Precision::F64] {
        let evaluator = Interpreter::new(&law, Level::best(), precision);
        let (whole, part) =
            (evaluator.evaluate(&inputs).unwrap(), evaluator.evaluate_at(&inputs, &Targets::List(&some)).unwrap());
        for (whole, part) in whole.iter().zip(&part) {
            assert!(some.iter().map(|b| whole[*b]).eq(part.iter().copied()), "{precision}");
        }
    }
    let oracle = law.oracle(&inputs).unwrap();
    let part = law.oracle_at(&inputs, &some).unwrap();
    assert!(oracle.iter().zip(&part).all(|(whole, part)| some.iter().map(|b| whole[*b]).eq(part.iter().copied())));
}

/// Laws of every kind and laws made at random, in every way in which bodies can be given, all of them and some.
#[test]
fn every_kind_of_law_in_every_way() {
    let kinds = KINDS.iter().map(|text| text.to_string());
    let random = (0..if cfg!(debug_assertions) { 20 } else { 200 }).map(|seed| law_from_seed(seed, seed % 2 == 0));
    for (seed, text) in kinds.chain(random).enumerate() {
        let law = Law::parse(&text).unwrap();
        let par = [0.75, f64::from(0.1_f32)];
        let par = &par[..law.parameters().len()];
        for way in ways(&law, 37, 70, seed as u64) {
            way.with(par, |inputs| {
                everywhere(&law, inputs).unwrap_or_else(|problem| panic!("{}: {problem}\n{text}", way.name));
                let n = inputs.lens().0;
                let some: Vec<usize> = [36, 0, 5].into_iter().filter(|b| *b < n).collect();
                for precision in [Precision::F32, Precision::F64] {
                    let evaluator = Interpreter::new(&law, Level::best(), precision);
                    let (all, part) = (
                        evaluator.evaluate(inputs).unwrap(),
                        evaluator.evaluate_at(inputs, &Targets::List(&some)).unwrap(),
                    );
                    for (all, part) in all.iter().zip(&part) {
                        let same = some.iter().zip(part).all(|(b, x)| all[*b].to_bits() == x.to_bits());
                        assert!(all.len() == n && same, "{} {precision}\n{text}", way.name);
                    }
                }
            });
        }
    }
}

/// What is too large, too small, zero or without partners is what IEEE's arithmetic says, at every level.
#[test]
fn infinities_are_the_same_everywhere() {
    let law = Law::parse(EXTREMES).unwrap();
    let alone = Law::parse(NO_PARTNERS).unwrap();
    let (zero, ids): (&[f64], Vec<f64>) = (&[0.0], (0..40).map(f64::from).collect());
    for x in [1000.0, -1000.0] {
        let (i, j): ([&[f64]; 1], [&[f64]; 1]) = ([zero], [&[x]]);
        let inputs = PairInputs::two(&i, &j, &[]);
        let want = law.oracle(&inputs).unwrap();
        let (s, inverse) = if x > 0.0 { (f64::INFINITY, 0.0) } else { (0.0, f64::INFINITY) };
        let ln = if x > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        let (m, p) = if x > 0.0 { (s, s) } else { (-1.0, 0.0) };
        assert_eq!(want.concat(), [s, inverse, inverse, inverse, s, ln, m, p, inverse, s, -s, x]);
        for level in Level::available() {
            for precision in [Precision::F32, Precision::F64] {
                let found = Interpreter::new(&law, level, precision).evaluate(&inputs).unwrap();
                alike(&law, &found, &want, 1e-6).unwrap_or_else(|e| panic!("{level:?} {precision}, x = {x}: {e}"));
            }
        }
    }
    let (inf, none) = (f64::INFINITY, f64::NEG_INFINITY);
    for n in [1, 40] {
        let columns: [&[f64]; 2] = [&ids[..n], &ids[..n]];
        for level in Level::available() {
            for precision in [Precision::F32, Precision::F64] {
                let found =
                    Interpreter::new(&alone, level, precision).evaluate(&PairInputs::one(&columns, &[])).unwrap();
                let last: Vec<f64> = found.iter().skip(1).map(|c| c[n - 1]).collect();
                assert_eq!(last, [0.0, inf, none, inf, -1.0, none, -1.0, none], "{level:?} {precision}");
            }
        }
    }
    // f64 has room for 1e308
    let law = Law::parse("body x; min a = j.x * 1e300; max b = j.x * 1e300; self exclude").unwrap();
    let found = law.evaluate(&PairInputs::one(&[&[1e8, 1e7]], &[]), Precision::F64).unwrap();
    alike(&law, &found, &[vec![1e307, 1e308], vec![1e307, 1e308]], 1e-15).unwrap();
}

/// Without partners, a sum is 0, a minimum is infinity with the label -1, and a logarithm of a sum is -infinity.
#[test]
fn no_partners() {
    let law = Law::parse("body x; id k; sum s = j.x; min a = j.x; argmin b = j.x, j.k; logsumexp z = j.x").unwrap();
    let (i, j): ([&[f64]; 2], [&[f64]; 2]) = ([&[1.0], &[2.0]], [&[], &[]]);
    let got = law.evaluate(&PairInputs::two(&i, &j, &[]), Precision::F64).unwrap();
    assert_eq!(got.concat(), [0.0, f64::INFINITY, f64::INFINITY, -1.0, f64::NEG_INFINITY]);
}

/// Leaving a common factor out of a sum divided 0 by 0.
#[test]
fn a_sum_of_nothing_is_nothing() {
    let law = Law::parse("body x; t = 0 * (i.x - j.x); sum a = t; sum b = sin(0) * j.x").unwrap();
    let x: [&[f64]; 1] = [&[1.0, 2.0]];
    assert_eq!(law.evaluate(&PairInputs::one(&x, &[]), Precision::F64).unwrap().concat(), [0.0; 4]);
}

#[test]
fn bad_columns_are_refused() {
    let law = Law::parse("body x; id k; sum s = j.x when i.k != j.k").unwrap();
    let refused = |x: &[f64], k: &[f64], precision| {
        law.evaluate(&PairInputs::one(&[x, k], &[]), precision).unwrap_err().to_string()
    };
    assert!(refused(&[1.0, f64::NAN], &[0.0, 1.0], Precision::F64).contains("i.x = NaN for body 1"));
    assert!(refused(&[1.0], &[2f64.powi(24)], Precision::F32).contains("below 16777216"));
}

/// A factor that is a product itself, beside the third power of a root: fused once, and still there.
#[test]
fn a_product_beside_a_cube_of_a_root_is_computed() {
    let text = "body x[2], q; body w; body v; param c = 0.75, e = 0.1; id k
        t0 = j.x[1] + j.x[1]; t1 = t0 - t0; t2 = 0 - 0; t3 = t2 - t2; t4 = t3 - t3; t5 = (j.w^2 + 0.125)^-1.5
        t6 = t5 * t0; t8 = c * t4; t9 = -0; t10 = cos(t2 - t6); t12 = t4 * t3 + c; t13 = t9 * t12 + e
        t14 = t6 * t13 - t13; max r0 = t14 when j.q < t14; argmin r1 = t10, j.k; argmin r2 = t14, j.k
        sum r3 = -t13 * j.q";
    let law = Law::parse(text).unwrap();
    let columns = random_bodies(law.body(), 50, 3);
    everywhere(&law, &PairInputs::one(&slices(&columns), &[0.75, 0.1])).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 150 } else { 2000 }))]

    #[test]
    fn random_laws_stay_within_their_bounds(
        lines in proptest::collection::vec((any::<usize>(), 0usize..12, 0usize..12, 0usize..20), 1..24),
        results in proptest::collection::vec((any::<usize>(), 0usize..6), 1..5),
        this in 0usize..3,
        (ni, nj, seed) in (1usize..40, 1usize..90, any::<u64>()),
        one in any::<bool>(),
    ) {
        let text = random_law(&lines, &results, this);
        let text = if one { text.replace("source w; target v;", "body w; body v;") } else { text };
        let law = Law::parse(&text).map_err(|e| TestCaseError::fail(format!("{text}\n{e}")))?;
        let (i, j) = (random_bodies(law.body(), ni, seed), random_bodies(law.partner(), nj, seed / 3));
        let (i, j) = (slices(&i), slices(&j));
        let par = [0.75, f64::from(0.1_f32)]; // f32 holds them exactly
        let inputs = if one { PairInputs::one(&i, &par) } else { PairInputs::two(&i, &j, &par) };
        if let Err(problem) = everywhere(&law, &inputs) {
            return Err(TestCaseError::fail(format!("{problem}\n{text}")));
        }
    }
}

/// The random laws are not vacuous: results are held to finite bounds, and those are small.
#[test]
fn the_compiled_law_agrees() {
    let law = Law::of::<SoftGravityPot>().unwrap();
    assert_eq!(law.self_pair(), SelfPair::Excluded);
    let mut i = random(5, 300, 8, false);
    i[3..].iter_mut().flatten().for_each(|x| *x = x.abs() + 0.01);
    let i = slices(&i);
    let inputs = PairInputs::one(&i, &[0.0]);
    assert_eq!(everywhere(&law, &inputs).unwrap(), 2 * Level::available().len() * 4 * 300);
    let ours = law.evaluate(&inputs, Precision::F64).unwrap();
    let rust = oracle::<SoftGravityPot>(&inputs).unwrap();
    for (a, b) in ours.iter().flatten().zip(rust.iter().flatten()) {
        // 300 terms of up to 1e3 and a dozen roundings each
        assert!((a - b).abs() <= 300.0 * 1e3 * 16.0 * f64::EPSILON, "{a} {b}");
    }
}

/// Every law against the f64 oracle at every level in f32 and f64, one set and two, within bounds from its
/// operations.
#[test]
fn every_law_against_the_oracle() {
    for builtin in LAWS {
        let law = builtin.law().unwrap();
        let numbers = |fields: &[Field]| fields.iter().map(Field::numbers).sum::<usize>();
        let bodies = |n: usize, seed: u64| {
            let mut columns = Vec::new();
            for field in law.body() {
                columns.extend(match field.cell {
                    Cell::Id => vec![(0..n).map(|k| (k % 2) as f64).collect()],
                    _ => random(field.numbers(), n, seed + columns.len() as u64, field.name != "x"),
                });
            }
            columns
        };
        let par = random(numbers(law.parameters()), 1, 5, true).concat();
        let (i, j) = (bodies(150, 1), bodies(90, 2));
        let mut checked = everywhere(&law, &PairInputs::one(&slices(&i), &par)).unwrap();
        checked += everywhere(&law, &PairInputs::two(&slices(&i), &slices(&j), &par)).unwrap();
        assert!(checked > 0, "{}", builtin.name);
    }
}

/// In f32, a thousand kilometres from the origin, forces between neighbours are what they are at it.
#[test]
fn far_from_the_origin() {
    let law = Law::parse("body x[3], q; d = j.x - i.x; sum f = j.q * d / (dot(d, d) + 0.01)^1.5").unwrap();
    let mut near = random(3, 80, 9, false);
    near.push(vec![1.0; 80]);
    let mut far = near.clone();
    far[0].iter_mut().for_each(|x| *x += 1e6);
    far[2].iter_mut().for_each(|x| *x -= 3e7);
    let of = |columns: &[Vec<f64>], precision| {
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        law.evaluate(&PairInputs::one(&columns, &[]), precision).unwrap().concat()
    };
    let (exact, found) = (of(&far, Precision::F64), of(&far, Precision::F32));
    let largest = exact.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // 80 terms of up to 50 with a dozen roundings of 6e-8
    let off = exact.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 80.0 * 50.0 * 12.0 * 6e-8 && off < 1e-4 * largest, "{off:e} of {largest}");
}
