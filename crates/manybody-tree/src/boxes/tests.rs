//! Laws by boxes beside the same laws for all pairs.

use super::*;
use manybody_law::law::bounds::Rounding;
use manybody_law::law::conformance::{
    CUT_OFFS, KINDS, NO_PARTNERS, SYSTEMS, anywhere, law_from_seed, placed, slices, ways, within_bounds,
};
use manybody_law::law::{Cell, Lowering, by_name};
use manybody_pairwise::{Interpreter, SolverName};

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

fn by_boxes(law: &Law, precision: Precision, inputs: &PairInputs<'_>) -> Vec<Vec<f64>> {
    let method = Method { solver: SolverName::Tree, precision, ..Method::default() };
    crate::evaluator(&method, law).unwrap().evaluate(inputs).unwrap()
}

/// Extremes, labels and counts are those of all pairs to the bit; sums, and what logarithms of sums are made of, differ
/// by `off` of the sum of the sizes of their terms, for which `want` of the absolute values stands.
fn same(law: &Law, found: &[Vec<f64>], want: &[Vec<f64>], what: &str) {
    let cells: Vec<Cell> = law.cells().into_iter().filter(|cell| *cell != Cell::Scaled).collect();
    for ((name, cell), (found, want)) in law.result_columns().iter().zip(cells).zip(found.iter().zip(want)) {
        if matches!(cell, Cell::Sum | Cell::LogSumExp) {
            continue;
        }
        for (body, (x, y)) in found.iter().zip(want).enumerate() {
            assert!(x.to_bits() == y.to_bits(), "{what}: {name} of body {body} is {x}, not {y}: {}", law.to_text());
        }
    }
}

/// Beside all pairs by the interpreter, to the bit, and beside the oracle within the bounds of the operations.
fn check(law: &Law, precision: Precision, inputs: &PairInputs<'_>, what: &str) {
    let found = by_boxes(law, precision, inputs);
    let want = Interpreter::new(law, Level::from_env().unwrap(), precision).evaluate(inputs).unwrap();
    same(law, &found, &want, what);
    let rounding = if precision == Precision::F32 { &Rounding::F32 } else { &Rounding::F64 };
    if let Err(problem) = within_bounds(law, inputs, &found, rounding, &[Lowering::default()]) {
        panic!("{what} {precision}: {problem}: {}", law.to_text());
    }
}

/// Random laws with bodies in every way in which they can be given.
#[test]
fn random_laws_are_those_of_all_pairs() {
    let mut tried = 0;
    // most laws have a sum of which no pair can be left out
    let random = (0..500).map(|seed| law_from_seed(seed, seed % 2 == 0));
    for text in random.chain(KINDS.iter().chain(&[NO_PARTNERS]).map(|text| text.to_string())) {
        let law = Law::parse(&text).unwrap();
        if LawBoxes::new(&law, Level::best(), Precision::F64).is_err() {
            continue;
        }
        for precision in BOTH {
            for way in ways(&law, 77, 100, tried) {
                // parameters that f32 has exactly
                let par = &[0.75, 0.125][..law.defaults().len()];
                way.with(par, |inputs| check(&law, precision, inputs, &way.name));
            }
        }
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn cut_offs_extremes_and_counts_are_those_of_all_pairs() {
    for text in CUT_OFFS {
        let law = Law::parse(text).unwrap();
        for (name, places) in SYSTEMS {
            for n in [1, 33, 300] {
                let columns = placed(&law, places, n, 0.03125);
                let columns = slices(&columns);
                for precision in BOTH {
                    check(&law, precision, &PairInputs::one(&columns, &[]), name);
                }
            }
        }
    }
}

/// Of many bodies, beside all pairs at some of them: cells of several levels act and are acted on.
#[test]
fn many_bodies_are_as_all_pairs_at_some_of_them() {
    let some: Vec<usize> = (0..50).map(|k| k * 397).collect();
    for text in CUT_OFFS {
        let law = Law::parse(text).unwrap();
        let columns = placed(&law, anywhere, 20_000, 0.005);
        let columns = slices(&columns);
        let inputs = PairInputs::one(&columns, &[]);
        let found = by_boxes(&law, Precision::F64, &inputs);
        let found: Vec<Vec<f64>> = found.iter().map(|column| some.iter().map(|k| column[*k]).collect()).collect();
        let targets = manybody_law::law::Targets::List(&some);
        let direct = Interpreter::new(&law, Level::from_env().unwrap(), Precision::F64);
        let want = direct.evaluate_at(&inputs, &targets).unwrap();
        same(&law, &found, &want, "many bodies");
        for (name, (found, want)) in law.result_columns().iter().zip(found.iter().zip(&want)) {
            for (x, y) in found.iter().zip(want) {
                // sums of at most a few hundred terms of one size and, for forces, of either sign
                let size = want.iter().filter(|y| y.is_finite()).fold(1e-300_f64, |size, y| size.max(y.abs()));
                assert!(x == y || (x - y).abs() <= 1e-13 * size, "{name}: {x} {y}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let law = Law::parse(CUT_OFFS[0]).unwrap();
    let columns = placed(&law, anywhere, 5000, 0.02);
    let columns = slices(&columns);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| by_boxes(&law, Precision::F64, &PairInputs::one(&columns, &[])))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |law: &Law| LawBoxes::new(law, Level::best(), Precision::F64).map(drop).unwrap_err().to_string();
    let said = refused(&by_name("coulomb").unwrap());
    assert!(said.contains("result f0") || said.contains("result fx"), "{said}");
    let said = refused(&Law::parse("body m; count n = i.m + j.m < 1; self exclude").unwrap());
    assert!(said.contains("subtracted or compared"), "{said}");
    for (method, word) in [
        (Method { device: manybody_pairwise::Device::Cuda, ..Method::default() }, "manybody-gpu"),
        (Method { precision: Precision::Mixed, ..Method::default() }, "mixed"),
    ] {
        let law = Law::parse(CUT_OFFS[3]).unwrap();
        let said = crate::evaluator(&method.solver(SolverName::Tree), &law).map(drop).unwrap_err().to_string();
        assert!(said.contains(word), "{said}");
    }
}
