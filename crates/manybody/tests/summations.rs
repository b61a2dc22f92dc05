//! Every summation, and mixed precision, on every instruction set: right to what it promises, the same bits for any
//! number of threads, and in fixed point for any order of the bodies.

use manybody::simd::Level;
use manybody::solver::{self, ForceTerms, Forces, Gravity, Method, Precision, Solver, SolverName, Summation};
use manybody::{Bodies, Error, audit, ic};

const ACC: ForceTerms = ForceTerms { potential: false, jerk: false };
const POT: ForceTerms = ForceTerms { potential: true, jerk: false };
const SOFT: Gravity = Gravity::new(1.0, 0.05);

/// The solver of that name on a set of vector instructions.
fn cpu(level: Level, solver: SolverName, precision: Precision, sum: Summation) -> Box<dyn Solver> {
    solver::of(&Method { level: Some(level), solver, precision, sum, ..Method::default() }).unwrap()
}

fn cluster(n: usize) -> Bodies {
    ic::by_name("plummer", &ic::Request::new(n, 5)).unwrap().bodies
}

fn every_choice(level: Level) -> Vec<(String, Box<dyn Solver>)> {
    let bag = [Summation::Blocked(Some(1)), Summation::Blocked(Some(7))];
    let mut all: Vec<(String, Box<dyn Solver>)> = Vec::new();
    for sum in Summation::ALL.into_iter().chain(bag) {
        all.push((format!("{sum} {level:?}"), cpu(level, SolverName::Direct, Precision::F32, sum)));
    }
    let mixed = cpu(level, SolverName::Direct, Precision::Mixed, Summation::default());
    all.push((format!("mixed {level:?}"), mixed));
    all
}

fn forces(solver: &mut dyn Solver, bodies: &Bodies, gravity: &Gravity, want: ForceTerms) -> Forces {
    let mut out = Forces::default();
    solver.forces(bodies, gravity, want, &mut out).unwrap();
    out
}

#[test]
fn every_choice_is_right_around_lanes_and_groups() {
    for n in [0, 1, 2, 3, 15, 16, 17, 64, 65, 130, 257] {
        let mut bodies = cluster(n);
        let all: Vec<usize> = (0..n).collect();
        for soft in [false, true] {
            bodies.eps = soft.then(|| (0..n).map(|i| 0.02 * (1 + i % 5) as f64).collect());
            // softened pairs at 0.02 in a system of size 16 to 32: f32 places them to 2^-20 of 0.02 at best, and sums of
            // n terms add sqrt(n) roundings
            let bound = 3.0 * f64::from(f32::EPSILON) * (8.0 + (n as f64).sqrt() + 4.0 * 32.0 / 0.02);
            for level in Level::available() {
                for (name, mut solver) in every_choice(level) {
                    let out = forces(&mut *solver, &bodies, &SOFT, if n % 2 == 0 { POT } else { ACC });
                    let found = audit::audit(&bodies, &SOFT, &out, &all, 0.0).unwrap();
                    assert!(found.max <= bound, "{name}, n = {n}: {:e} of {bound:e}", found.max);
                    if n % 2 == 0 {
                        let pot = |i| manybody::solver::reference_at(&bodies, &SOFT, i).pot;
                        let worst = (0..n).map(|i| (out.pot[i] / pot(i) - 1.0).abs()).fold(0.0, f64::max);
                        assert!(n < 2 || worst <= bound, "{name}, n = {n}: potential {worst:e} of {bound:e}");
                    } else {
                        assert!(out.pot.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let bodies = cluster(2000);
    for (name, mut solver) in every_choice(Level::best()) {
        let mut seen: Option<Forces> = None;
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let out = pool.install(|| forces(&mut *solver, &bodies, &SOFT, ACC));
            assert!(*seen.get_or_insert_with(|| out.clone()) == out, "{name}, {threads} threads");
        }
    }
}

/// A sum of integers does not depend on their order. Nor do the terms, because the origin of the frame is the same
/// number for any order of the bodies.
#[test]
fn fixed_point_gives_the_same_bits_in_any_order() {
    let bodies = cluster(1500);
    let n = bodies.len();
    let turned: Vec<usize> = (0..n).map(|k| (k * 7 + 3) % n).collect(); // 7 and 1500 have no divisor in common
    let mut other = Bodies::default();
    turned.iter().for_each(|k| other.push(bodies.mass[*k], bodies.position(*k), bodies.velocity(*k)));
    for level in Level::available() {
        let same = |sum| {
            let mut solver = cpu(level, SolverName::Direct, Precision::F32, sum);
            let (here, there) = (forces(&mut *solver, &bodies, &SOFT, POT), forces(&mut *solver, &other, &SOFT, POT));
            turned.iter().enumerate().all(|(at, k)| {
                let of = |f: &Forces, i: usize| [f.ax[i], f.ay[i], f.az[i], f.pot[i]];
                of(&there, at) == of(&here, *k)
            })
        };
        assert!(same(Summation::Fixed), "{level:?}");
        assert!(!same(Summation::Direct), "{level:?}: this test sees nothing");
    }
}

/// Without softening a pair can come arbitrarily close: its force leaves any range, and the error names the body.
#[test]
fn a_fixed_point_error_names_what_left_its_range() {
    let mut bodies = cluster(100);
    bodies.push(0.01, [0.5, 0.5, 0.5], [0.0; 3]);
    bodies.push(0.01, [0.5 + 1e-7, 0.5, 0.5], [0.0; 3]);
    bodies.id[100] = 4711;
    let hard = Gravity::new(1.0, 0.0);
    let mut solver = cpu(Level::best(), SolverName::Direct, Precision::F32, Summation::Fixed);
    let error = solver.forces(&bodies, &hard, ACC, &mut Forces::default()).unwrap_err();
    assert!(matches!(error, Error::FixedPoint { index: 100, id: 4711, .. }) && !error.is_bad_input(), "{error}");
    solver.forces(&bodies, &SOFT, ACC, &mut Forces::default()).unwrap();
}

/// With f64 sums what is left is the error of the terms; one running f32 sum loses digits as sqrt(n).
#[test]
fn sums_are_what_loses_digits() {
    let bodies = cluster(8_000);
    // a softening that hides how positions are rounded
    let wide = Gravity::new(1.0, 0.2);
    let sample = audit::sample(bodies.len(), 0.0, 500, 1);
    let error = |sum| {
        let mut solver = cpu(Level::best(), SolverName::Direct, Precision::F32, sum);
        audit::audit(&bodies, &wide, &forces(&mut *solver, &bodies, &wide, ACC), &sample, 0.0).unwrap().max
    };
    let (direct, exact) = (error(Summation::Direct), error(Summation::F64));
    assert!(direct > 3.0 * exact, "{direct:e} {exact:e}");
    for sum in [Summation::Compensated, Summation::Fixed] {
        assert!((error(sum) / exact - 1.0).abs() < 0.2, "{sum}: {:e}, f64 {exact:e}", error(sum));
    }
    for sum in [Summation::default(), Summation::Pairwise] {
        assert!(error(sum) < 0.5 * direct, "{sum}: {:e}, direct {direct:e}", error(sum));
    }
}

/// Each pair once: what the forces on 100,000 bodies add up to is rounding. Every body's sum is off by some 1e-7 of its
/// force, at random, and N such errors add up to sqrt(N) of them: 1e-7 / sqrt(1e5) = 3e-10 of the sum of all sizes.
#[test]
#[ignore = "a minute without optimisation: cargo test --release --test summations -- --ignored"]
fn momentum_at_a_hundred_thousand_bodies() {
    let bodies = cluster(100_000);
    let mut solver = cpu(Level::best(), SolverName::Symmetric, Precision::F32, Summation::default());
    let out = forces(&mut *solver, &bodies, &SOFT, ACC);
    let net = audit::audit(&bodies, &SOFT, &out, &[], 0.0).unwrap().net;
    assert!(net < 1e-9, "{net:e}");
}
