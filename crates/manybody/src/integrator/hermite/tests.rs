//! Orders, block steps and their promises, on orbits whose answer is known.

use super::super::tests::{distance, kepler};
use super::super::{Integrator, StepControl, TimeSteps};
use super::Hermite;
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

fn both(control: StepControl) -> [Hermite; 2] {
    [Hermite::fourth(&control), Hermite::sixth(&control)]
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
        (&kepler(0.1), &kepler(0.1), TAU, [200, 100], "e = 0.1"),
        (&kepler(0.5), &kepler(0.5), TAU, [800, 400], "e = 0.5"),
        (&figure8, &solution, half, [400, 150], "figure-8"),
    ] {
        for ((mut hermite, steps), band) in both(constant()).into_iter().zip(steps).zip([0.15, 0.2]) {
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
    for mut hermite in both(control) {
        let mut system = fast(&start, gravity);
        let first = energy(&start, &gravity);
        (0..4).for_each(|_| hermite.step(&mut system, 1.0 / 16.0).unwrap());
        let work = hermite.work().unwrap();
        let starts = if hermite.order() == 4 { 1 } else { 2 };
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
        for mut hermite in both(StepControl::default()) {
            let mut system = by_reference(&start);
            (0..4).for_each(|_| hermite.step(&mut system, 0.25).unwrap());
            assert!(system.bodies().y.iter().all(|y| (y - moved).abs() < 1e-15));
        }
    }
}
