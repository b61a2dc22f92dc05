//! Audits of what devices compute: no right result is called wrong, by bounds that know how a device rounds.
//!
//! On a machine without a GPU this runs on Mesa's lavapipe, if it is installed; what is skipped is printed.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use manybody::Error;
use manybody::audit::{check, hard};
use manybody::law::audit::Arithmetic;
use manybody::law::conformance::{law_from_seed, random_bodies};
use manybody::law::{Law, PairInputs};
use manybody::solver::{Device, ForceTerms, Forces, Method, Precision, Solver, SolverName, Summation};
use manybody_gpu::{Pairs, evaluator};

/// The devices that are here, with their precisions.
fn devices() -> Vec<(Device, Vec<Precision>)> {
    let known = [
        (Device::Cuda, vec![Precision::F32, Precision::Mixed, Precision::F64]),
        (Device::Wgpu, vec![Precision::F32, Precision::Mixed]),
    ];
    let here = common::kinds();
    known.into_iter().filter(|(device, _)| here.contains(device)).collect()
}

#[test]
fn right_forces_pass() {
    let terms = ForceTerms { potential: true, jerk: false };
    for (device, precisions) in devices() {
        for precision in precisions {
            let mut ways =
                vec![(SolverName::Symmetric, Summation::default()), (SolverName::Direct, Summation::default())];
            if precision != Precision::F64 {
                ways.extend(Summation::ALL.into_iter().map(|sum| (SolverName::Direct, sum)));
            }
            for (name, sum) in ways {
                let method = Method::summed(device, precision, sum).solver(name);
                let mut solver = manybody_gpu::solver(&method).unwrap();
                for k in 0..if sum == Summation::default() { 18 } else { 5 } {
                    let (bodies, gravity) = hard(k).unwrap();
                    if gravity.check_apart(&bodies).is_err() {
                        continue;
                    }
                    let mut forces = Forces::default();
                    match solver.forces(&bodies, &gravity, terms, &mut forces) {
                        Err(Error::FixedPoint { .. }) => continue,
                        other => other.unwrap(),
                    }
                    let all: Vec<usize> = (0..bodies.len()).collect();
                    let found = check(&bodies, &gravity, &forces, &all, 0.0, &method, None);
                    assert!(found.is_ok(), "{k}: {method:?}: {found:?}");
                    // what is off by 1 % of a softened force is no rounding
                    if gravity.eps == 0.1 && bodies.eps.is_none() && bodies.len() > 30 {
                        [&mut forces.ax, &mut forces.ay, &mut forces.az].into_iter().for_each(|a| a[20] *= 1.01);
                        let found = check(&bodies, &gravity, &forces, &all, 0.0, &method, None);
                        assert!(matches!(found, Err(Error::Audit { .. })), "{k}: {method:?}: {found:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn right_results_of_laws_pass() {
    for (device, precisions) in devices() {
        for seed in 100..124 {
            let one_kind = seed % 2 == 0;
            let text = law_from_seed(seed, one_kind);
            let law = Law::parse(&text).unwrap();
            let (mut i, mut j) = (random_bodies(law.body(), 70, seed), random_bodies(law.partner(), 45, seed + 99));
            for columns in [&mut i, &mut j] {
                for column in columns.iter_mut().filter(|c| c.iter().any(|x| x.fract() != 0.0)) {
                    let shift = if seed % 3 == 0 { 1e5 } else { 0.0 };
                    column.iter_mut().enumerate().for_each(|(b, x)| *x += 1e-9 * (b % 7) as f64 + shift);
                }
            }
            let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
                (i.iter().map(Vec::as_slice).collect(), j.iter().map(Vec::as_slice).collect());
            let par = [0.75, 0.1];
            let inputs = if one_kind { PairInputs::one(&i, &par) } else { PairInputs::two(&i, &j, &par) };
            let terms = law.oracle(&inputs).unwrap();
            for precision in precisions.iter().copied() {
                for pairs in [Pairs::Ordered, Pairs::Once].into_iter().filter(|p| one_kind || *p == Pairs::Ordered) {
                    // mixed precision is for bodies of one kind
                    let mut evaluator = match evaluator(device, &[], &law, precision, pairs, None) {
                        Err(_) if precision == Precision::Mixed && !one_kind => continue,
                        made => made.unwrap(),
                    };
                    let found = evaluator.evaluate(&inputs).unwrap();
                    let by = Arithmetic::of(device, precision, pairs == Pairs::Once);
                    let all: Vec<usize> = (0..70).collect();
                    let wrong = law.find_wrong(&inputs, &all, &found, &terms, &by).unwrap();
                    assert_eq!(wrong, None, "{seed} {device} {precision} {pairs:?}\n{text}");
                }
            }
        }
    }
}
