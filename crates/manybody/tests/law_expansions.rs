//! Laws by fast multipoles through the library: the error that is promised is kept, or refused.

#![allow(clippy::print_stdout)] // what is skipped is said

use manybody::audit::law::relative_errors;
use manybody::driver::{LawTrial, TunedLaw, tuned_law};
use manybody::forces::LawForces;
use manybody::law::{Law, PairInputs};
use manybody::solver::{Expansion, Method, SolverName};
use manybody::watch::Watch;
use manybody::{Result, ic};

/// x, y, z of a Plummer sphere, and charges of both signs.
fn columns(n: usize) -> Vec<Vec<f64>> {
    let bodies = ic::by_name("plummer", &ic::Request::new(n, 1)).unwrap().bodies;
    let charges = (0..n).map(|k| f64::from(u32::from(k % 3 == 0)) - 0.2).collect();
    vec![bodies.x, bodies.y, bodies.z, charges]
}

fn tuned(text: &str, expansion: Expansion, notes: &mut Vec<String>) -> Result<TunedLaw> {
    tuned_by(Method { expansion, ..Method::default() }, text, notes)
}

fn tuned_by(method: Method, text: &str, notes: &mut Vec<String>) -> Result<TunedLaw> {
    let law = Law::parse(text)?;
    let columns = columns(3000);
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let inputs = PairInputs::one(&columns, &[]);
    let method = method.solver(SolverName::Fmm);
    let trial = LawTrial { law: &law, inputs: &inputs, share: 0.1 };
    tuned_law(method, trial, &Watch::default(), &mut |line| notes.push(line.into()))
}

const YUKAWA: &str = "body x[3], q; d = i.x - j.x; r = norm(d); sum p = j.q * exp(-r) / r; self exclude";

#[test]
fn the_error_that_is_asked_for_is_kept() {
    for rtol in [1e-3, 1e-5, 1e-8, 1e-10] {
        let found = tuned(YUKAWA, Expansion { rtol: Some(rtol), ..Expansion::default() }, &mut Vec::new()).unwrap();
        found.check().unwrap();
        assert!(found.errors.p99 <= rtol && found.errors.max > 0.0, "{:?}", found.errors);
        assert_eq!(found.errors.sample, 512);
    }
}

/// The same on GPUs; functions of the direction are refused by name.
#[test]
#[cfg(feature = "gpu")]
fn the_error_that_is_asked_for_is_kept_on_gpus() {
    use manybody::solver::{Device, Precision};
    let texts =
        [YUKAWA, "body x[3], q; d = i.x - j.x; sum p = j.q * (1 + 5 * norm(d)) * exp(-5 * norm(d)); self include"];
    for (device, precision, rtol) in [
        (Device::Wgpu, Precision::F32, 1e-3),
        (Device::Wgpu, Precision::F32, 1e-5),
        (Device::Cuda, Precision::F32, 1e-5),
        (Device::Cuda, Precision::F64, 1e-7),
    ] {
        let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
        let method = Method { device, precision, expansion, ..Method::default() };
        for text in texts {
            match tuned_by(method.clone(), text, &mut Vec::new()) {
                Err(manybody::Error::NoDevice { how, .. }) => println!("skipped: device {device}: {how}"),
                found => {
                    let found = found.unwrap();
                    found.check().unwrap();
                    assert!(found.errors.p99 <= rtol && found.errors.max > 0.0, "{device} {:?}", found.errors);
                    let directed =
                        "body x[3], q; d = i.x - j.x; sum p = j.q * exp(-(dot(d, d) + d[0]^4)); self exclude";
                    let said = manybody::solver::evaluator(
                        &method.clone().solver(SolverName::Fmm),
                        &Law::parse(directed).unwrap(),
                    );
                    let columns = vec![vec![0.5; 10]; 4];
                    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
                    let said = said.and_then(|mut law| law.evaluate(&PairInputs::one(&columns, &[]))).unwrap_err();
                    assert!(said.to_string().contains("--device cpu"), "{said}");
                }
            }
        }
    }
}

/// A tolerance that is too large is halved until the error is met; where the order is too low for that, it is refused.
#[test]
fn a_tolerance_is_halved() {
    let mut notes = Vec::new();
    let expansion = Expansion { rtol: Some(1e-4), order: Some(4), tolerance: Some(2e-3), theta: None };
    let found = tuned(YUKAWA, expansion, &mut notes).unwrap();
    found.check().unwrap();
    assert!(!notes.is_empty() && notes[0].contains("half the tolerance"), "{notes:?}");
    assert!(found.method.expansion.tolerance.unwrap() < 2e-3);

    let expansion = Expansion { rtol: Some(1e-9), order: Some(1), tolerance: Some(1.0), theta: None };
    let said = tuned(YUKAWA, expansion, &mut notes).unwrap().check().unwrap_err().to_string();
    assert!(said.contains("rtol = 1e-9") && said.contains("not reached by fmm"), "{said}");
}

/// Narrow where no derivative of the cells' distance shows it: what the criterion does not see, the audit does.
#[test]
fn no_error_passes_unseen() {
    let shell = "body x[3], q; d = i.x - j.x; sum p = j.q * exp(-400 * (norm(d) - 1)^2)";
    let found = tuned(shell, Expansion { rtol: Some(1e-4), ..Expansion::default() }, &mut Vec::new()).unwrap();
    assert_eq!(found.check().is_ok(), found.errors.p99 <= 1e-4, "{:?}", found.errors);
}

#[test]
fn errors_are_relative_to_the_result_or_the_median() {
    let law = Law::parse("body x[3], q; d = i.x - j.x; sum f = j.q * d; sum p = j.q * dot(d, d)").unwrap();
    let want = [vec![3.0, 30.0, 0.3], vec![4.0, 40.0, 0.4], vec![0.0; 3], vec![1.0; 3]];
    let mut found = want.clone().to_vec();
    let of = |found: &[Vec<f64>]| relative_errors(&law, &[0, 1, 2], found, &want);
    assert_eq!(of(&found).max, 0.0);
    // a vector of size 0.5 beside a median of 5, one of size 50, a number
    found[0][2] += 0.5;
    assert!((of(&found).max - 0.1).abs() < 1e-15);
    found[1][1] += 10.0;
    assert!((of(&found).max - 0.2).abs() < 1e-15);
    found[3][0] = 1.5;
    assert!((of(&found).max - 0.5).abs() < 1e-15);
}

/// One of 200 bodies, in the first of two results, in the second, and in what the results are compared with.
#[test]
fn an_error_that_is_nan_is_not_small() {
    let law = Law::parse("body x[3], q; d = i.x - j.x; sum f = j.q * d; sum p = j.q * dot(d, d)").unwrap();
    let sample: Vec<usize> = (0..200).collect();
    let right = vec![vec![1.0; 200]; 4];
    for column in [1, 3] {
        let mut wrong = right.clone();
        wrong[column][7] = f64::NAN;
        for (found, want) in [(&wrong, &right), (&right, &wrong), (&wrong, &wrong)] {
            let errors = relative_errors(&law, &sample, found, want);
            assert!(errors.p99.is_nan() && errors.max.is_nan() && !errors.are_below(1.0), "{column}: {errors:?}");
        }
    }
    assert!(relative_errors(&law, &sample, &right, &right).are_below(0.0));
}

#[test]
fn a_run_is_not_accelerated_by_what_nothing_audits() {
    let bodies = ic::by_name("plummer", &ic::Request::new(10, 1)).unwrap().bodies;
    let law = manybody::law::by_name("gravity").unwrap();
    let said = LawForces::new(law, vec![0.01], &Method::default().solver(SolverName::Fmm), &bodies).map(drop);
    let said = said.unwrap_err().to_string();
    assert!(said.contains("solver = fmm") && said.contains("all pairs"), "{said}");
}
