//! `bench` as a user calls it: which rows there are, and that each has its errors.

mod common;

use common::Place;

/// The method of each row, and its precision.
fn rows(place: &Place, words: &str) -> Vec<(String, String)> {
    let lines = place.good(words).json();
    let rows = lines.iter().filter(|line| line["method"].is_string());
    rows.map(|row| {
        for name in ["error_median", "error_p99", "error_p999", "error_max", "net_force", "pairs_per_second"] {
            assert!(row[name].as_f64().is_some_and(|x| x >= 0.0 && x.is_finite()), "{words}: {name} of {row}");
        }
        assert!(row["error_max"].as_f64().is_some_and(|max| max < 1e-4), "{words}: {row}");
        (row["method"].as_str().unwrap().to_owned(), row["precision"].as_str().unwrap().to_owned())
    })
    .collect()
}

#[test]
fn every_choice_that_is_asked_for_makes_a_row() {
    let place = Place::new();
    let named = |words: &str| {
        let all = rows(&place, &format!("bench -n 300 --repeat 1 --device cpu --json {words}"));
        all.iter().map(|(method, precision)| format!("{method} {precision}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(named(""), "symmetric f32, direct f32, symmetric f64, direct f64");
    assert_eq!(
        named("--sum fixed,pairwise"),
        "symmetric f32, direct f32, direct fixed f32, direct pairwise f32, symmetric f64, direct f64"
    );
    assert_eq!(named("--solver direct --sum fixed --precision f32"), "direct fixed f32");
    assert_eq!(named("--solver direct --sum f64 --precision f32,mixed"), "direct f64 f32, direct f64 mixed");
    assert_eq!(named("--precision mixed"), "direct mixed");
    assert_eq!(named("--solver reference,direct --precision f32,f64"), "direct f32, reference f64, direct f64");
    for (words, parts) in [
        ("--solver symmetric --sum fixed", &["sum", "fixed", "need the solver direct"][..]),
        ("--precision f64 --sum fixed", &["sum", "fixed", "f32"]),
        ("--solver reference --precision f32", &["precision", "f32", "f64 only"]),
        ("--solver symetric", &["symetric", "symmetric"]),
        ("--law gravity --sum fixed", &["--law", "--sum"]),
        ("--law gravity --solver direct", &["--law", "--solver"]),
        ("--audit 0", &["audit = 0", "must be above 0"]),
        ("steps --audit 0", &["audit = 0", "must be above 0"]),
        ("blocks --audit 2", &["audit = 2", "from 0 to 1"]),
        ("--law gravity --precision mixed", &["precision", "mixed"]),
        ("--rtol 1e-3", &["rtol", "belongs to bench expansions"]),
        ("expansions --order 13 --precision f64", &["order = 13", "1 to 12"]),
        ("expansions --rtol 1e-4 --tolerance 1e-4", &["--rtol", "--tolerance"]),
    ] {
        place.bad(&format!("bench -n 300 --repeat 1 --device cpu {words}"), 2, parts);
    }
    // without such a device that is the error
    let outcome = place.run("bench -n 300 --repeat 1 --device wgpu --precision f64");
    assert!(outcome.status.is_some_and(|status| status != 0), "{}", outcome.text);
}

#[test]
fn steps_are_made_with_the_sums_that_are_asked_for() {
    let place = Place::new();
    let lines = place.good("bench steps -n 64 --solver direct --precision f32 --sum fixed --json").json();
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0]["solver"].as_str(), lines[0]["sum"].as_str()), (Some("direct"), Some("fixed")));
    assert!(lines[0]["energy_error"].as_f64().is_some_and(|error| error != 0.0 && error.abs() < 1e-2));
}

/// Each order with each error or tolerance; where no error is named, the errors that a precision has.
#[test]
fn expansions_of_every_accuracy_make_a_row() {
    let place = Place::new();
    let rows = |words: &str| {
        let words = format!("bench expansions -n 1000 --repeat 1 --device cpu --json {words}");
        let lines = place.good(&words).json();
        lines.into_iter().filter(|line| line["relative_error"].is_object()).collect::<Vec<_>>()
    };
    let found = rows("--order 2,6 --tolerance 1e-3,1e-5 --precision f64");
    let of = |row: &serde_json::Value| (row["order"].as_u64().unwrap(), row["tolerance"].as_f64().unwrap());
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [(2, 1e-3), (2, 1e-5), (6, 1e-3), (6, 1e-5)]);
    let p99 = |row: &serde_json::Value| row["relative_error"]["p99"].as_f64().unwrap();
    assert!(p99(&found[0]) > p99(&found[1]) && p99(&found[2]) > p99(&found[3]), "{found:?}");
    let least = |precision: &str| rows(&format!("--precision {precision}")).last().unwrap()["rtol"].as_f64().unwrap();
    assert_eq!(["f32", "mixed", "f64"].map(least), [1e-5, 1e-6, 1e-8]);
}

/// 4e9 pairs an evaluation, some seconds: a line within a second, with the share that is done.
#[test]
fn a_long_evaluation_prints_its_progress() {
    let place = Place::new();
    let words = "bench -n 65536 --repeat 1 --device cpu --solver direct --precision f64 --audit 1e-9";
    let outcome = place.good(words);
    let told = outcome.text.lines().find(|line| line.starts_with("65536 bodies, direct, f64: an evaluation: "));
    assert!(told.is_some_and(|line| line.ends_with(" %")), "{}", outcome.text);
}
