//! Every summation on every device that is here: right to what it promises, in fixed point the same bits for any order of
//! the bodies and any tile, and safe from drivers that regroup sums.
//!
//! On a machine without a GPU this runs on Mesa's lavapipe, if it is installed; what is skipped is printed.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use manybody::law::{Law, PairInputs};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Device, ForceTerms, Forces, Gravity, Precision, Solver, Summation};
use manybody::{Bodies, Error, Snapshot, audit, ic};
use manybody_gpu::{Pairs, evaluator};

const ACC: ForceTerms = ForceTerms { potential: false, jerk: false };
const POT: ForceTerms = ForceTerms { potential: true, jerk: false };
const SOFT: Gravity = Gravity::new(1.0, 0.05);

fn every_sum() -> impl Iterator<Item = Summation> {
    let bags = [1, 7, 100, 256].map(|bag| Summation::Blocked(Some(bag)));
    Summation::ALL.into_iter().chain(bags)
}

fn cluster(n: usize) -> Bodies {
    ic::by_name("plummer", &ic::Request::new(n, 5)).unwrap().bodies
}

fn forces(solver: &mut dyn Solver, bodies: &Bodies, want: ForceTerms) -> Forces {
    let mut out = Forces::default();
    solver.forces(bodies, &SOFT, want, &mut out).unwrap();
    out
}

#[test]
fn every_choice_is_right_around_tiles() {
    for device in common::kinds() {
        for sum in every_sum() {
            for precision in [Precision::F32, Precision::Mixed] {
                if precision == Precision::Mixed && sum != Summation::F64 {
                    continue;
                }
                let mut solver = common::solver(device, &[], "auto", precision, sum).unwrap();
                for n in [1, 2, 3, 63, 64, 65, 257, 700] {
                    if matches!(sum, Summation::Blocked(_)) && n > 65 && n != 700 {
                        continue;
                    }
                    let mut bodies = cluster(n);
                    let all: Vec<usize> = (0..n).collect();
                    // as for the CPU, with two roundings more for a device's root
                    let bound = 3.0 * f64::from(f32::EPSILON) * (10.0 + (n as f64).sqrt() + 4.0 * 32.0 / 0.02);
                    for soft in [false, true] {
                        bodies.eps = soft.then(|| (0..n).map(|i| 0.02 * (1 + i % 5) as f64).collect());
                        let out = forces(&mut solver, &bodies, if n % 2 == 0 { POT } else { ACC });
                        let found = audit::audit(&bodies, &SOFT, &out, &all, 0.0).unwrap();
                        assert!(found.max <= bound, "{device} {sum}, n = {n}: {:e} of {bound:e}", found.max);
                        if n > 2 && n % 2 == 0 {
                            let pot = |i| manybody::solver::reference_at(&bodies, &SOFT, i).pot;
                            let worst = (0..n).map(|i| (out.pot[i] / pot(i) - 1.0).abs()).fold(0.0, f64::max);
                            assert!(worst <= bound, "{device} {sum}, n = {n}: potential {worst:e} of {bound:e}");
                        }
                        assert_eq!(out, forces(&mut solver, &bodies, if n % 2 == 0 { POT } else { ACC }));
                    }
                }
            }
        }
    }
}

/// Adds up the weights of all bodies.
fn weigh(device: Device, sum: Summation, weights: &[f64], range: f64) -> Vec<f64> {
    // a law needs a member that distinguishes bodies
    let law = Law::parse("body w, x; sum s = j.w + 0 * (j.x - i.x); self include").unwrap();
    let x: Vec<f64> = (0..weights.len()).map(|b| b as f64).collect();
    let mut evaluator = evaluator(device, &[], &law, Precision::F32, Pairs::Ordered, Some(sum)).unwrap();
    evaluator.bound(&[range]);
    evaluator.evaluate(&PairInputs::one(&[weights, &x], &[])).unwrap().swap_remove(0)
}

/// One, and terms that are each lost when they are added to it: 2^-25 is half of its last bit. What a compiler that
/// regrouped them would make of two-sum is the direct sum, which stays 1. (Without `opaque`, Mesa does that.)
#[test]
fn what_each_summation_loses() {
    let (n, small) = (8_001, 2.0_f64.powi(-25));
    let mut weights = vec![small; n];
    weights[0] = 1.0;
    let exact = 1.0 + (n - 1) as f64 * small;
    let all = small * (n - 1) as f64 / exact; // 2.4e-4
    for device in common::kinds() {
        let error = |sum| weigh(device, sum, &weights, 4.0).iter().map(|s| (s / exact - 1.0).abs()).fold(0.0, f64::max);
        let lost = error(Summation::Direct);
        assert!((0.9 * all..1.1 * all).contains(&lost), "{device} direct {lost:e}");
        // a share of the one in bags of one loses all of it; at least 64 of 8,000
        let share = error(Summation::Blocked(Some(1)));
        assert!(share > 64.0 * small && share < 0.9 * all, "{device} blocked {share:e} of {all:e}");
        assert!(error(Summation::Pairwise) < 1.5e-6, "{device} pairwise"); // a leaf of 32 is lost, and 8 roundings
        for sum in [Summation::Compensated, Summation::F64] {
            // what is lost is itself summed in 24 bits at most: 6e-8 of 2.4e-4, some times
            assert!(error(sum) < 1e-9, "{device} {sum}: {:e}", error(sum));
        }
        assert_eq!(error(Summation::Fixed), 0.0, "{device}");
    }
}

/// A compensated sum beside one in 48 bits: the second is right also where what is lost grows as large as the sum itself.
#[test]
fn two_floats_hold_48_bits() {
    let n = 4_000;
    // large ones that cancel, and what they hide
    let weights: Vec<f64> = (0..n).map(|b| [4096.0, 2.0_f64.powi(-30), -4096.0, 2.0_f64.powi(-30)][b % 4]).collect();
    let exact = n as f64 / 2.0 * 2.0_f64.powi(-30);
    for device in common::kinds() {
        let sums = weigh(device, Summation::F64, &weights, 1e8);
        assert!(sums.iter().all(|sum| *sum == exact), "{device}: {:e}, not {exact:e}", sums[0]);
    }
}

#[test]
fn a_fixed_point_sum_that_leaves_its_range_is_reported() {
    for device in common::kinds() {
        let mut weights = vec![1.0; 300];
        weights[1] = 0.5;
        assert_eq!(weigh(device, Summation::Fixed, &weights, 300.0), vec![299.5; 300], "{device}");
        // of 2^8 and more: the range is a power of two
        assert!(weigh(device, Summation::Fixed, &weights, 200.0).iter().all(|sum| sum.is_nan()), "{device}");
        // negative ones, and what cancels
        for (b, weight) in weights.iter_mut().enumerate() {
            *weight = if b % 2 == 0 { -1.75 } else { 1.25 };
        }
        assert_eq!(weigh(device, Summation::Fixed, &weights, 300.0), vec![-75.0; 300], "{device}");
        weights[7] = 1e30; // one term that is too large by itself
        assert!(weigh(device, Summation::Fixed, &weights, 300.0)[0].is_nan(), "{device}");

        let mut bodies = cluster(100);
        bodies.push(0.01, [0.5, 0.5, 0.5], [0.0; 3]);
        bodies.push(0.01, [0.5 + 1e-7, 0.5, 0.5], [0.0; 3]);
        bodies.id[100] = 4711;
        let hard = Gravity::new(1.0, 0.0);
        let mut solver = common::solver(device, &[], "direct", Precision::F32, Summation::Fixed).unwrap();
        let error = solver.forces(&bodies, &hard, ACC, &mut Forces::default()).unwrap_err();
        assert!(matches!(error, Error::FixedPoint { index: 100, id: 4711, .. }), "{device}: {error}");
        forces(&mut solver, &bodies, ACC);
    }
}

/// Integers have one sum, in any order and however it is cut.
#[test]
fn fixed_point_gives_the_same_bits_in_any_order_and_for_any_tile() {
    let bodies = cluster(1500);
    let n = bodies.len();
    let turned: Vec<usize> = (0..n).map(|k| (k * 7 + 3) % n).collect(); // 7 and 1500 have no divisor in common
    let mut other = Bodies::default();
    turned.iter().for_each(|k| other.push(bodies.mass[*k], bodies.position(*k), bodies.velocity(*k)));
    for device in common::kinds() {
        let same = |sum| {
            let mut solver = common::solver(device, &[], "direct", Precision::F32, sum).unwrap();
            let (here, there) = (forces(&mut solver, &bodies, POT), forces(&mut solver, &other, POT));
            turned.iter().enumerate().all(|(at, k)| {
                let of = |f: &Forces, i: usize| [f.ax[i], f.ay[i], f.az[i], f.pot[i]];
                of(&there, at) == of(&here, *k)
            })
        };
        assert!(same(Summation::Fixed), "{device}");
        assert!(!same(Summation::Blocked(Some(16))), "{device}: this test sees nothing");
        let cut = |name: &str, sum| {
            forces(&mut common::solver(device, &[], name, Precision::F32, sum).unwrap(), &bodies, ACC)
        };
        let whole = cut("direct", Summation::Fixed);
        for name in ["direct:p=32:K=1:q=1", "direct:p=128:K=2:q=3", "direct:p=256:K=8:q=0"] {
            assert_eq!(cut(name, Summation::Fixed), whole, "{device} {name}");
            // one running sum is the same for any tile too: it follows the bodies
            assert_eq!(cut(name, Summation::Direct), cut("direct", Summation::Direct), "{device} {name}");
        }
        let [a, b] =
            ["direct:p=32:K=1:q=1", "direct:p=128:K=2:q=3"].map(|name| cut(name, Summation::Blocked(Some(256))));
        assert_ne!(a, b, "{device}: this test sees nothing");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for device in common::kinds() {
        let refused = |name, precision, sum| {
            common::solver(device, &[], name, precision, sum).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused("symmetric", Precision::F32, Summation::Fixed).contains("need the solver direct"), "{device}");
        assert!(refused("direct", Precision::F64, Summation::Pairwise).contains("f32"), "{device}");
        let law = Law::parse("body x; max m = j.x").unwrap();
        let error =
            evaluator(device, &[], &law, Precision::F32, Pairs::Ordered, Some(Summation::F64)).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("no sums"), "{error}");
        let mut fixed = common::solver(device, &[], "direct", Precision::F32, Summation::Fixed).unwrap();
        let jerk = ForceTerms { potential: true, jerk: true };
        assert!(fixed.forces(&cluster(10), &SOFT, jerk, &mut Forces::default()).is_err(), "{device}");
    }
}

/// Mesa's llvmpipe, which emulates a GPU on the CPU, ends the loops of a thread after 65,535 iterations without an
/// error. So each share of the bodies is smaller than that, or the sum is refused. All weights are 1: every sum is
/// exact.
#[test]
fn loops_that_a_software_device_would_cut_short() {
    let (few, many) = (vec![1.0; 10], vec![1.0; 70_000]);
    let law = Law::parse("body w, x; sum s = j.w + 0 * (j.x - i.x); self include").unwrap();
    for device in common::kinds() {
        for sum in [Summation::Direct, Summation::Blocked(None), Summation::Compensated] {
            let mut evaluator = evaluator(device, &[], &law, Precision::F32, Pairs::Ordered, Some(sum)).unwrap();
            let (i, j) = ([&few[..]; 2], [&many[..]; 2]);
            match evaluator.evaluate(&PairInputs::two(&i, &j, &[])) {
                Ok(found) => assert_eq!(found[0], [70_000.0; 10], "{device} {sum}"),
                Err(error) => {
                    assert!(
                        error.to_string().contains("n = 70000: must be at most 32000 bodies"),
                        "{device} {sum}: {error}"
                    )
                }
            }
        }
    }
}

/// With exact sums what is left is the error of the terms; one running sum loses digits as sqrt(n).
#[test]
fn sums_are_what_loses_digits() {
    let bodies = cluster(4_000);
    let wide = Gravity::new(1.0, 0.2);
    let sample = audit::sample(bodies.len(), 0.0, 500, 1);
    for device in common::kinds() {
        let error = |solver: &mut dyn Solver| {
            let mut out = Forces::default();
            solver.forces(&bodies, &wide, ACC, &mut out).unwrap();
            audit::audit(&bodies, &wide, &out, &sample, 0.0).unwrap().max
        };
        let of = |sum| error(&mut common::solver(device, &[], "direct", Precision::F32, sum).unwrap());
        let (direct, exact) = (of(Summation::Direct), of(Summation::F64));
        assert!(direct > 2.0 * exact, "{device}: {direct:e} {exact:e}");
        for sum in [Summation::Compensated, Summation::Fixed] {
            assert!((of(sum) / exact - 1.0).abs() < 0.2, "{device} {sum}: {:e}, f64 {exact:e}", of(sum));
        }
        assert!(of(Summation::Pairwise) < 0.7 * direct, "{device}: {:e}, direct {direct:e}", of(Summation::Pairwise));
        let own = error(&mut common::solver(device, &[], "symmetric", Precision::F32, Summation::default()).unwrap());
        assert!(own < 0.7 * direct, "{device}: {own:e}, direct {direct:e}");
    }
}

/// Bodies that stay on the device, with every summation: the run is that of the host step by step, and its bits do not
/// depend on how it is cut.
#[test]
fn runs_on_a_device_have_the_choice_too() {
    for device in common::kinds() {
        for sum in every_sum() {
            let start = Snapshot { bodies: cluster(200), ..Snapshot::default() };
            let parameters = Parameters {
                dt: 1.0 / 256.0,
                t_end: 20.0 / 256.0,
                eps: Some(1.0 / 16.0),
                solver: "auto".parse().unwrap(),
                device,
                precision: Precision::F32,
                sum,
                snapshot_every: None,
                ..Parameters::default()
            };
            let finish = |chunk| {
                let mut run = Simulation::start(start.clone(), parameters.clone()).unwrap();
                assert!(run.is_resident(), "{device}");
                while !run.is_finished() {
                    run.advance(chunk).unwrap();
                }
                run.with_snapshot(|last| Ok(last.clone())).unwrap()
            };
            let whole = finish(1000);
            assert_eq!(finish(7), whole, "{device} {sum}");
            let here = Parameters { device: Device::Cpu, solver: "direct".parse().unwrap(), ..parameters.clone() };
            let mut here = Simulation::start(start.clone(), here).unwrap();
            here.advance(1000).unwrap();
            let bodies = here.bodies().unwrap();
            let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
            // forces in f32 are wrong by 1e-6 of some units at worst, for a time of 0.08
            assert!(apart(&bodies.x, &whole.bodies.x) < 1e-8, "{device} {sum}");
            assert!(apart(&bodies.vx, &whole.bodies.vx) < 3e-7, "{device} {sum}");
        }
    }
}

/// A whole run in fixed point has the same bits for any tile and any split of the bodies over the device.
#[test]
fn a_run_in_fixed_point_does_not_depend_on_tiles() {
    for device in common::kinds() {
        let end = |solver: &str, sum| {
            let start = Snapshot { bodies: cluster(300), ..Snapshot::default() };
            let parameters = Parameters {
                dt: 1.0 / 64.0,
                t_end: 0.5,
                eps: Some(1.0 / 16.0),
                solver: solver.parse().unwrap(),
                device,
                precision: Precision::F32,
                sum,
                ..Parameters::default()
            };
            let mut run = Simulation::start(start, parameters).unwrap();
            while !run.is_finished() {
                run.advance(10).unwrap();
            }
            run.bodies().unwrap().clone()
        };
        let [a, b] = ["direct:p=32:K=1", "direct:p=128:K=2"];
        assert_eq!(end(a, Summation::Fixed), end(b, Summation::Fixed), "{device}");
        assert_eq!(end(a, Summation::Direct), end(b, Summation::Direct), "{device}: one sum follows the bodies");
        let bag = Summation::Blocked(Some(128));
        assert_ne!(end(a, bag), end(b, bag), "{device}: this test sees nothing");
    }
}
