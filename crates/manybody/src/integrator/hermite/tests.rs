//! Orders, block steps and their promises, on orbits whose answer is known.

use super::super::tests::{distance, kepler};
use super::super::{Integrator, StepControl, System, TimeSteps};
use super::{Hermite, scheme};
use crate::diagnostics::Diagnostics;
use crate::ic::{FIGURE8_PERIOD, Request, by_name};
use crate::simd::Level;
use crate::simulation::HostSystem;
use crate::solver::{ForceTerms, Forces, Gravity, Precision, Reference, Solver, symmetric};
use crate::{Bodies, Error};
use std::f64::consts::TAU;

const NEWTON: Gravity = Gravity::new(1.0, 0.0);

fn constant() -> StepControl {
    StepControl { steps: Some(TimeSteps::Constant), ..StepControl::default() }
}

fn by_reference(bodies: &Bodies) -> HostSystem {
    HostSystem::new(bodies.clone(), NEWTON, Box::new(Reference::default()), 0.0)
}

fn fast(bodies: &Bodies, gravity: Gravity) -> HostSystem {
    let solver = symmetric(Level::best(), Precision::F64).unwrap();
    HostSystem::new(bodies.clone(), gravity, solver, 0.0)
}

fn energy(bodies: &Bodies, gravity: &Gravity) -> f64 {
    let mut forces = Forces::default();
    Reference::default().forces(bodies, gravity, ForceTerms { potential: true, jerk: false }, &mut forces).unwrap();
    Diagnostics::measure(bodies, 0.0, &forces.pot).energy()
}

fn all(control: StepControl) -> [Hermite; 3] {
    [Hermite::fourth(&control), Hermite::sixth(&control), Hermite::three_point(&control)]
}

/// Global errors of constant steps: after a period of Kepler's ellipses, and after half a period of the figure-8, where the
/// solution is that of order 6 with 1,600 steps. The bands hold the next term of the error, which is dt smaller; errors are
/// at least ten times what rounding leaves.
#[test]
fn errors_fall_with_the_stated_order() {
    let figure8 = by_name("figure8", &Request::default()).unwrap().bodies;
    let after = |hermite: &mut Hermite, start: &Bodies, duration: f64, steps: usize| {
        let mut system = by_reference(start);
        (0..steps).for_each(|_| hermite.step(&mut system, duration / steps as f64).unwrap());
        system.bodies().clone()
    };
    let half = FIGURE8_PERIOD / 2.0;
    let solution = after(&mut Hermite::sixth(&constant()), &figure8, half, 1600);
    for (start, end, duration, steps, what) in [
        (&kepler(0.1), &kepler(0.1), TAU, [200, 100, 200], "e = 0.1"),
        (&kepler(0.5), &kepler(0.5), TAU, [800, 400, 800], "e = 0.5"),
        (&figure8, &solution, half, [400, 150, 300], "figure-8"),
    ] {
        for ((mut hermite, steps), band) in all(constant()).into_iter().zip(steps).zip([0.15, 0.2, 0.2]) {
            let mut error = |steps| distance(&after(&mut hermite, start, duration, steps), end);
            let (coarse, fine) = (error(steps), error(2 * steps));
            let (measured, order) = ((coarse / fine).log2(), f64::from(hermite.order()));
            assert!((measured - order).abs() < band, "{what} order {order}: {measured}, {coarse:e} -> {fine:e}");
            assert!(fine > 1e-12, "{what} order {order}: {fine:e} is near rounding");
        }
    }
}

/// The largest energy error of fifty periods with e = 0.5 and constant steps, P(EC): the figures that the documentation of
/// the library nornax prints for its own Hermite scheme of order 4, within a factor of 1.5.
#[test]
fn energy_errors_are_those_of_another_library() {
    let start = kepler(0.5);
    let first = energy(&start, &NEWTON);
    for (dt, published) in [(0.02, 2.7e-5), (0.01, 9.2e-7), (0.005, 3.3e-8)] {
        let (mut hermite, mut system) = (Hermite::fourth(&constant()), by_reference(&start));
        let mut worst: f64 = 0.0;
        for _ in 0..(50.0 * TAU / dt) as usize {
            hermite.step(&mut system, dt).unwrap();
            worst = worst.max((energy(system.bodies(), &NEWTON) / first - 1.0).abs());
        }
        assert!((1.0 / 1.5..1.5).contains(&(worst / published)), "dt {dt}: {worst:e}, published {published:e}");
    }
}

/// A cluster with block steps: the energy error falls with eta as the order says, most bodies make few steps, and the
/// kernel agrees with the reference.
#[test]
fn blocks_keep_the_energy_of_a_cluster() {
    let request = Request { n: Some(256), seed: 3, ..Request::default() };
    let start = by_name("plummer", &request).unwrap().bodies;
    let gravity = Gravity::new(1.0, 4.0 / 256.0);
    let first = energy(&start, &gravity);
    for (make, eta, limits) in [
        (Hermite::fourth as fn(&StepControl) -> Hermite, 0.14, [1e-6, 1e-7]),
        (Hermite::sixth as fn(&StepControl) -> Hermite, 0.6, [1e-6, 3e-8]),
        (Hermite::three_point as fn(&StepControl) -> Hermite, 0.5, [1e-6, 3e-8]),
    ] {
        for (factor, limit) in [1.0, 0.5].into_iter().zip(limits) {
            let control = StepControl { eta: Some(eta * factor), ..StepControl::default() };
            let (mut hermite, mut system) = (make(&control), fast(&start, gravity));
            (0..16).for_each(|_| hermite.step(&mut system, 1.0 / 16.0).unwrap());
            let error = (energy(system.bodies(), &gravity) / first - 1.0).abs();
            let work = hermite.work().unwrap();
            assert!(error < limit, "{} eta {}: {error:e}", hermite.name(), eta * factor);
            assert!(work.body_steps < work.blocks * 256 / 3, "{work:?}");
        }
    }
}

/// Shared steps are those of the body that needs the smallest.
#[test]
fn shared_steps_are_the_smallest_of_all() {
    let request = Request { n: Some(64), seed: 5, ..Request::default() };
    let start = by_name("plummer", &request).unwrap().bodies;
    let gravity = Gravity::new(1.0, 1.0 / 64.0);
    let control = StepControl { steps: Some(TimeSteps::Shared), ..StepControl::default() };
    for mut hermite in all(control) {
        let mut system = fast(&start, gravity);
        let first = energy(&start, &gravity);
        (0..4).for_each(|_| hermite.step(&mut system, 1.0 / 16.0).unwrap());
        let work = hermite.work().unwrap();
        let starts = if hermite.has_snaps() { 2 } else { 1 };
        assert_eq!(work.body_steps, (work.blocks + starts) * 64);
        let error = (energy(system.bodies(), &gravity) / first - 1.0).abs();
        assert!(error < 1e-8, "{}: {error:e}", hermite.name());
    }
}

/// Iterating the corrector makes the scheme of constant steps nearly time-symmetric: the energy error of a periodic orbit
/// no longer grows.
#[test]
fn iterations_are_made() {
    let start = kepler(0.3);
    let first = energy(&start, &NEWTON);
    let error = |iterations: u32| {
        let control = StepControl { iterations: Some(iterations), ..constant() };
        let (mut hermite, mut system) = (Hermite::fourth(&control), by_reference(&start));
        (0..100 * 100).for_each(|_| hermite.step(&mut system, TAU / 100.0).unwrap());
        assert_eq!(hermite.work().unwrap().body_steps, 2 + 2 * 10_000 * u64::from(iterations));
        (energy(system.bodies(), &NEWTON) / first - 1.0).abs()
    };
    let (once, thrice) = (error(1), error(3));
    assert!(thrice < 0.05 * once, "{once:e} {thrice:e}");
}

/// A head-on fall without softening, and nothing that limits the step: the error names both bodies. With a smallest step
/// it goes on.
#[test]
fn a_collision_without_softening_is_an_error() {
    let mut start = Bodies::default();
    start.push(0.5, [0.5, 0.0, 0.0], [0.0; 3]);
    start.push(0.5, [-0.5, 0.0, 0.0], [0.0; 3]);
    start.push(1e-9, [50.0, 0.0, 0.0], [0.0; 3]);
    let mut hermite = Hermite::fourth(&StepControl::default());
    let mut system = by_reference(&start);
    let error = (0..32).find_map(|_| hermite.step(&mut system, 0.125).err()).expect("they meet at t = 1.11");
    let Error::SmallStep { neighbour: Some((other, _, distance)), index, .. } = error else { panic!("{error}") };
    assert!(index + other == 1 && distance < 1e-4, "{index} {other} {distance}");
    let control = StepControl { dt_min: Some(1e-4), ..StepControl::default() };
    let (mut hermite, mut system) = (Hermite::fourth(&control), by_reference(&start));
    (0..32).for_each(|_| hermite.step(&mut system, 0.125).unwrap());
}

/// Bodies without mass move and do nothing; one body alone, and no body at all, do not stop a run.
#[test]
fn systems_without_forces_move() {
    for (masses, moved) in [(vec![], 0.0), (vec![1.0], 1.0), (vec![0.0, 0.0], 1.0)] {
        let mut start = Bodies::default();
        masses.iter().enumerate().for_each(|(k, mass)| start.push(*mass, [k as f64, 0.0, 0.0], [0.0, 1.0, 0.0]));
        for mut hermite in all(StepControl::default()) {
            let mut system = by_reference(&start);
            (0..4).for_each(|_| hermite.step(&mut system, 0.25).unwrap());
            assert!(system.bodies().y.iter().all(|y| (y - moved).abs() < 1e-15));
        }
    }
}

/// Three points: an acceleration of degree 5 in time is integrated exactly, whatever the step before, and its derivatives are known; what
/// is carried is the cubic through both ends.
#[test]
fn three_points_are_exact_up_to_degree_five() {
    let coefficients = [0.3, -1.2, 0.7, 2.0, -1.1, 0.9];
    // the k-th derivative of the polynomial, at u
    let at = |k: usize, u: f64| -> f64 {
        let term =
            |(m, c): (usize, &f64)| (m + 1 - k..=m).map(|f| f as f64).product::<f64>() * c * u.powi((m - k) as i32);
        coefficients.iter().enumerate().skip(k).map(term).sum()
    };
    let integral =
        |t: f64| coefficients.iter().enumerate().map(|(m, c)| c * t.powi(m as i32 + 1) / (m + 1) as f64).sum::<f64>();
    let twice = |t: f64| {
        let term = |(m, c): (usize, &f64)| c * t.powi(m as i32 + 2) / ((m + 1) * (m + 2)) as f64;
        coefficients.iter().enumerate().map(term).sum::<f64>()
    };
    for (t, r) in [(0.5, 1.0), (0.5, 0.5), (0.5, 2.0), (0.25, 1.0 / 16.0), (0.25, 7.0 / 3.0)] {
        let before = r * t;
        // the cubic through a and j at -before and 0
        let (a0, j0, a1, j1) = (at(0, -before), at(1, -before), at(0, 0.0), at(1, 0.0));
        let [s, c] = scheme::of_cubic(a0 - a1, before * j0, before * j1);
        let [s, c] = [s / before.powi(2), c / before.powi(3)];
        let begin = [0.1, -0.2, a1, j1, s, c].map(|value| [value; 3]);
        let end = scheme::of_three_points(&begin, r, [at(0, t); 3], [at(1, t); 3], t);
        let near = |found: f64, right: f64, what: &str| {
            assert!((found - right).abs() < 1e-9 * right.abs().max(1.0), "{t} {r} {what}: {found} {right}");
        };
        near(end.derivatives[0][1], 0.1 - 0.2 * t + twice(t), "x");
        near(end.derivatives[1][1], -0.2 + integral(t), "v");
        let [s, c] = scheme::of_cubic(a1 - at(0, t), t * j1, t * at(1, t));
        near(end.derivatives[4][1], s / t.powi(2), "s");
        near(end.derivatives[5][1], c / t.powi(3), "c");
        (0..6).for_each(|k| near(end.scaled[k][1], at(k, t) * t.powi(k as i32), "scaled"));
    }
}

/// Of three points, a body that begins again, as after a kick, does not lower the order: in constant steps, and in individual ones, which are
/// halved.
#[test]
fn beginning_again_keeps_the_order_of_three_points() {
    let start = kepler(0.1);
    for steps in [TimeSteps::Constant, TimeSteps::Individual] {
        let error = |halvings: i32| {
            let count = 50 << halvings;
            let dt = TAU / f64::from(count);
            let control = StepControl { steps: Some(steps), eta: Some(1e3), ..StepControl::default() };
            let (mut hermite, mut system) = (Hermite::three_point(&control), by_reference(&start));
            for k in 0..count {
                hermite.step(&mut system, dt).unwrap();
                if k % 10 == 9 {
                    super::mark(crate::integrator::ActiveBodies::bodies_mut(system.active().unwrap()), |_| false);
                }
            }
            distance(system.bodies(), &start)
        };
        let (coarse, fine) = (error(0), error(1));
        let order = (coarse / fine).log2();
        assert!(order > 5.4 && fine > 1e-12, "{steps:?}: {order}, {coarse:e} {fine:e}");
    }
}
