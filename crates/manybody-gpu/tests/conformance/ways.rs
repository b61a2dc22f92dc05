//! Laws of every kind, and random ones, in every way in which bodies can be given.

use super::cases::{Case, cases, columns, slices};
use manybody::law::bounds::Rounding;
use manybody::law::conformance::{KINDS, law_from_seed, ways, within_bounds};
use manybody::law::{self, Law, Lowering, PairInputs};
use manybody::solver::{Precision, Summation};
use manybody_gpu::{Evaluator, Pairs, evaluator};

/// How a case rounds, and how it lowers a law.
fn promise(case: &Case) -> (&'static Rounding, Vec<Lowering>) {
    let rounding = Rounding::of(case.device, case.precision == Precision::F32);
    let how = |mirrored| Lowering { exp2: true, mirrored, ..Lowering::default() };
    (rounding, if case.pairs == Pairs::Once { vec![how(false), how(true)] } else { vec![how(false)] })
}

/// Holds a law to its bounds in every way in which bodies can be given to it; what visits each pair once takes one set with
/// one record a body, and refuses all others.
fn every_way(case: &Case, text: &str, law: &Law, evaluator: &mut dyn Evaluator, seed: u64) -> usize {
    let (rounding, lowered) = promise(case);
    let par = [0.75, f64::from(0.1_f32)];
    let par = &par[..law.parameters().len()];
    let mut held = 0;
    for way in ways(law, 70, 45, seed) {
        held += way.with(par, |inputs| match evaluator.evaluate(inputs) {
            Ok(found) => {
                let each = case.pairs == Pairs::Ordered || inputs.is_part();
                assert!(each || inputs.same_columns(), "{}: {}\n{text}", case.name, way.name);
                within_bounds(law, inputs, &found, rounding, &lowered)
                    .unwrap_or_else(|problem| panic!("{}: {}: {problem}\n{text}", case.name, way.name))
            }
            Err(error) => {
                assert!(case.pairs == Pairs::Once && !inputs.same_columns(), "{}: {}: {error}", case.name, way.name);
                assert!(error.to_string().contains("Pairs::Ordered"), "{error}");
                0
            }
        });
    }
    held
}

/// Laws of every kind in every way in which bodies can be given, in every kernel, also in mixed precision.
#[test]
fn every_kind_of_law_in_every_way() {
    for (seed, text) in KINDS.iter().enumerate() {
        let law = Law::parse(text).unwrap();
        for case in cases().into_iter().filter(|c| law.has_one_kind() || c.pairs == Pairs::Ordered) {
            every_way(&case, text, &law, &mut *case.evaluator(&law), seed as u64);
            if case.precision == Precision::F32 && case.subgroups.is_none() && !case.tiled {
                match evaluator(case.device, &[], &law, Precision::Mixed, case.pairs, None) {
                    Ok(mut mixed) => {
                        assert!(law.has_one_kind(), "{}: mixed precision in name only\n{text}", case.name);
                        every_way(&case, text, &law, &mut *mixed, seed as u64);
                    }
                    // positions of unlike i and j are not given in two parts
                    Err(error) => {
                        assert!(!law.has_one_kind() && error.to_string().contains("f32 or f64"), "{error}\n{text}");
                    }
                }
            }
        }
    }
}

/// The same with a choice of sums, for laws whose results are sums.
#[test]
fn every_kind_of_law_with_every_sum() {
    let sums = [
        Summation::Direct,
        Summation::Blocked(None),
        Summation::Pairwise,
        Summation::Compensated,
        Summation::F64,
        Summation::Fixed,
    ];
    for case in cases()
        .into_iter()
        .filter(|c| (c.precision, c.pairs, c.tiled) == (Precision::F32, Pairs::Ordered, false) && c.subgroups.is_none())
    {
        for (seed, text) in KINDS.iter().enumerate() {
            let law = Law::parse(text).unwrap();
            if law.cells().iter().any(|cell| *cell != law::Cell::Sum) {
                continue;
            }
            for (precision, sum) in
                sums.into_iter().map(|sum| (Precision::F32, sum)).chain([(Precision::Mixed, Summation::F64)])
            {
                if precision == Precision::Mixed && !law.has_one_kind() {
                    continue; // refused
                }
                let mut evaluator = evaluator(case.device, &[], &law, precision, Pairs::Ordered, Some(sum)).unwrap();
                evaluator.bound(&vec![1e5; law.cells().len()]);
                every_way(&case, &format!("{text} {sum}"), &law, &mut *evaluator, seed as u64);
            }
        }
    }
}

/// Laws made at random, within bounds that come from their operations, whose functions may be as loose as the device's
/// maker says, in every way in which bodies can be given. MANYBODY_LAWS=1000 asks for so many laws.
#[test]
fn random_laws() {
    let seeds = std::env::var("MANYBODY_LAWS").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let mut held = 0;
    for seed in 0..seeds {
        let one_kind = seed % 2 == 0;
        let text = law_from_seed(seed, one_kind);
        let law = Law::parse(&text).unwrap();
        for case in cases().into_iter().filter(|c| one_kind || c.pairs == Pairs::Ordered) {
            held += every_way(&case, &text, &law, &mut *case.evaluator(&law), seed);
        }
    }
    println!("{held} results of random laws held to their bounds");
}

/// Far from the origin results are what they are at it, also in f32.
#[test]
fn laws_far_from_the_origin() {
    let law =
        Law::parse("body x[3], q; d = j.x - i.x; sum f = j.q * d / (dot(d, d) + 0.05)^1.5; self exclude").unwrap();
    let mut data = columns(4, 300, 21);
    data[0].iter_mut().for_each(|x| *x += 1e7);
    data[2].iter_mut().for_each(|x| *x -= 3e9);
    let data = slices(&data);
    let inputs = PairInputs::one(&data, &[]);
    let want = law.oracle(&inputs).unwrap();
    cases().iter().for_each(|case| case.agree("far", &case.evaluator(&law).evaluate(&inputs).unwrap(), &want));
}
