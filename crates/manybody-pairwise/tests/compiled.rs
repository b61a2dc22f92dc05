//! Laws in Rust on the compiled kernels, beside the oracle.

use manybody_law::Result;
use manybody_law::law::builtin::kernels::Matern;
use manybody_law::law::{PairInputs, oracle};
use manybody_pairwise::{compiled, compiled_between};

/// A law that is computed for four vectors side by side, on whole and cut vectors, tiles and groups. All terms are
/// positive: a sum is off by what its terms are, some units in the last place, and by the oracle's chain of 1,100.
#[test]
fn a_law_with_functions_meets_the_oracle() {
    let column = |n: usize, k: u64| -> Vec<f64> {
        (0..n as u64).map(|b| ((b * 4 + k) as f64 * 0.618_033_988_749_895).fract().mul_add(0.9, 0.1)).collect()
    };
    type Kernel = fn(&PairInputs<'_>) -> Result<Vec<Vec<f64>>>;
    const ONE: [Kernel; 2] = [compiled::<Matern, f64>, compiled::<Matern, f32>];
    const BETWEEN: [Kernel; 2] = [compiled_between::<Matern, f64>, compiled_between::<Matern, f32>];
    let compare = |kernels: [Kernel; 2], inputs: &PairInputs<'_>, what: &str| {
        let want = oracle::<Matern>(inputs).unwrap();
        let [double, single] = kernels.map(|kernel| kernel(inputs).unwrap());
        for (precision, bound, found) in [("f64", 1e-14, double), ("f32", 1.5e-6, single)] {
            for (b, (found, want)) in found[0].iter().zip(&want[0]).enumerate() {
                assert!((found / want - 1.0).abs() < bound, "{what} {precision} {b}: {found} {want}");
            }
            assert_eq!(found[0].len(), want[0].len());
        }
    };
    for n in [1, 2, 3, 15, 16, 17, 64, 65, 511, 512, 513, 1100] {
        let bodies: Vec<Vec<f64>> = (0..4).map(|k| column(n, k)).collect();
        let bodies: Vec<&[f64]> = bodies.iter().map(Vec::as_slice).collect();
        compare(ONE, &PairInputs::one(&bodies, &[0.5]), &format!("{n} bodies"));
        compare(BETWEEN, &PairInputs::one(&bodies, &[0.5]), &format!("{n} bodies, one-sided"));
        let others: Vec<Vec<f64>> = (4..8).map(|k| column(70, k)).collect();
        let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
        compare(BETWEEN, &PairInputs::two(&bodies, &others, &[0.5]), &format!("{n} bodies under 70 others"));
        let others: Vec<Vec<f64>> = (4..8).map(|k| column(n, k)).collect();
        let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
        compare(
            BETWEEN,
            &PairInputs::roles(&bodies, &others, &[0.5]),
            &format!("{n} bodies that act with other columns"),
        );
        let some: Vec<&[f64]> = bodies.iter().map(|column| &column[n / 3..n - n / 4]).collect();
        compare(BETWEEN, &PairInputs::part(&some, &bodies, n / 3, &[0.5]), &format!("a part of {n} bodies"));
    }
}

/// One set may not be meant where two are given: a kernel for one would leave the second out.
#[test]
fn two_sets_are_refused_where_one_is_computed() {
    let (a, b) = ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]);
    let (a, b): ([&[f64]; 4], [&[f64]; 4]) = ([&a; 4], [&b; 4]);
    for inputs in [PairInputs::two(&a, &b, &[0.5]), PairInputs::roles(&a, &b, &[0.5])] {
        let error = compiled::<Matern, f64>(&inputs).unwrap_err().to_string();
        assert!(error.contains("compiled_between"), "{error}");
        assert!(compiled_between::<Matern, f64>(&inputs).is_ok());
    }
}
