//! The explanation of results that are not finite.

use manybody_law::law::{Law, PairInputs};
use manybody_pairwise::{EvaluateLaw, Precision};

/// The message names the pair that is the cause: a body with itself, two bodies at one place, or no pair.
#[test]
fn results_that_are_not_finite_are_explained() {
    let said = |text: &str, x: &[f64], par: &[f64], precision| {
        let law = Law::parse(text).unwrap();
        let columns: [&[f64]; 1] = [x];
        let inputs = PairInputs::one(&columns, par);
        let results = law.evaluate(&inputs, precision).unwrap();
        law.check_results(&inputs, &results).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let f64s = Precision::F64;
    let soft = "body x; param e; sum s = 1 / sqrt((j.x - i.x)^2 + e)";
    assert_eq!(said(soft, &[1.0, 2.0], &[0.5], f64s), "");
    let it = said(soft, &[1.0, 2.0], &[0.0], f64s);
    assert!(it.contains("s = ") && it.contains("for body 0") && it.contains("i = j"), "{it}");
    let two = said("body x; sum s = 1 / abs(j.x - i.x); self exclude", &[3.0, 1.0, 2.0, 1.0], &[], f64s);
    assert!(two.contains("for body 1") && two.contains("partner 3"), "{two}");
    let large = said("body x; sum s = j.x * i.x", &[1e30, 1.0], &[], Precision::F32);
    assert!(large.contains("for body 0: the pair i = j makes it so in f32") && large.contains("f64"), "{large}");
    let large = said("body x; sum s = j.x * i.x; self exclude", &[1e30, 2.0, 1e30], &[], Precision::F32);
    assert!(large.contains("for body 0: its partner 2 makes it so in f32"), "{large}");
    // where other pairs do it, too, i = j is not the cause, and nothing is at one place
    for text in ["body x; sum s = exp(1000 + j.x)", "body x; sum s = exp(1000 + j.x); self exclude"] {
        let all = said(text, &[1.0, 2.0, 3.0], &[], f64s);
        assert!(all.contains("every partner makes it so") && all.contains("inf with partner 1 alone"), "{all}");
        assert!(!all.contains("i = j") && !all.contains("same") && all.contains("beyond the range"), "{all}");
    }
    let place = said("body x; sum s = 1 / abs(j.x - i.x); self exclude", &[1.0, 1.0], &[], f64s);
    assert!(place.contains("both have the same x"), "{place}");
    let root = said("body x; sum s = sqrt(j.x); self exclude", &[1.0, -1.0, 1.0], &[], f64s);
    assert!(root.contains("its partner 1 makes it so") && root.contains("less than 0"), "{root}");
    let all = said("body x; sum s = j.x", &[1.7e308, 1.7e308, 1.7e308], &[], f64s);
    assert!(all.contains("no partner alone makes it so"), "{all}");
    // a smallest value is infinite for lack of partners, not for lack of room
    assert_eq!(said("body x; min m = j.x; max n = j.x; self exclude", &[1.0], &[], f64s), "");
    let room = said("body x; min m = j.x * 1e30; self exclude", &[1e30, 1e30], &[], Precision::F32);
    assert!(room.contains("m = inf for body 0: numbers are too large"), "{room}");
    assert_eq!(said("body x; logsumexp z = j.x; self exclude", &[1.0], &[], f64s), "");
}

/// A logsumexp without partners, here that of the first body, is not the error that is reported.
#[test]
fn the_partner_that_spoils_a_result_is_found() {
    let law = Law::parse("body x; logsumexp z = i.x when i.x < j.x; sum s = sqrt(j.x); self exclude").unwrap();
    let x = [1.0, 0.5, -1.0];
    let columns: [&[f64]; 1] = [&x];
    let inputs = PairInputs::one(&columns, &[]);
    let results = law.evaluate(&inputs, Precision::F64).unwrap();
    let said = law.check_results(&inputs, &results).unwrap_err().to_string();
    assert!(said.contains("s = NaN for body 0") && said.contains("partner 2"), "{said}");
}
