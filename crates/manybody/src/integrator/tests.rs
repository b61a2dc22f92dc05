//! Orders, reversal and conserved quantities on orbits whose answer is known.

use super::{Integrator, Substep, System, by_name, names};
use crate::Bodies;
use crate::diagnostics::Diagnostics;
use crate::simulation::HostSystem;
use crate::solver::{ForceTerms, Forces, Gravity, Reference, Solver};
use std::f64::consts::TAU;

const NEWTON: Gravity = Gravity::new(1.0, 0.0);
const DISTINCT: [&str; 4] = ["leapfrog", "leapfrog-dkd", "yoshida4", "yoshida6"];

/// Two bodies, masses 3/4 and 1/4, semi-major axis 1, period 2 pi, at pericentre.
pub(super) fn kepler(eccentricity: f64) -> Bodies {
    let (r, v) = (1.0 - eccentricity, ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt());
    let mut pair = Bodies::default();
    pair.push(0.75, [-0.25 * r, 0.0, 0.0], [0.0, -0.25 * v, 0.0]);
    pair.push(0.25, [0.75 * r, 0.0, 0.0], [0.0, 0.75 * v, 0.0]);
    pair
}

fn advance(integrator: &mut dyn Integrator, bodies: Bodies, dt: f64, steps: usize) -> Bodies {
    let mut system = HostSystem::new(bodies, NEWTON, Box::new(Reference::default()), 0.0);
    for _ in 0..steps {
        integrator.step(&mut system, dt).unwrap();
    }
    system.bodies().clone()
}

fn measure(bodies: &Bodies) -> Diagnostics {
    let mut forces = Forces::default();
    Reference::default().forces(bodies, &NEWTON, ForceTerms { potential: true, jerk: false }, &mut forces).unwrap();
    Diagnostics::measure(bodies, 0.0, &forces.pot)
}

pub(super) fn distance(a: &Bodies, b: &Bodies) -> f64 {
    let apart = |i| (0..3).map(|k| (a.position(i)[k] - b.position(i)[k]).abs()).fold(0.0, f64::max);
    (0..a.len()).map(apart).fold(0.0, f64::max)
}

/// The order a pair of errors at n and 2n steps shows.
fn slope(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// After one period of an ellipse (e = 0.3) the bodies are back at the start; what is missing falls as dt^order. The
/// band of 0.2 holds the next term of the error at these steps: it is dt^2 smaller, and its share halves twice a row.
/// Where the error is measured, it is at least 1e3 times what rounding leaves (some 1e-14).
#[test]
fn errors_fall_with_the_stated_order() {
    for (name, steps) in [("leapfrog", 400), ("leapfrog-dkd", 400), ("yoshida4", 400), ("yoshida6", 200)] {
        let mut integrator = by_name(name).unwrap();
        let start = kepler(0.3);
        let mut error = |steps: usize| {
            let end = advance(&mut *integrator, start.clone(), TAU / steps as f64, steps);
            distance(&end, &start)
        };
        let (coarse, fine) = (error(steps), error(2 * steps));
        let measured = slope(coarse, fine);
        assert!((measured - f64::from(integrator.order())).abs() < 0.2, "{name}: {measured}, {coarse:e} -> {fine:e}");
        assert!(fine > 1.0e-11, "{name}: {fine:e} is near rounding");
    }
}

/// The energy error at a quarter of the period, where it does not cancel as it does after a whole one.
#[test]
fn energy_errors_fall_with_the_stated_order() {
    for (name, steps) in [("leapfrog", 100), ("leapfrog-dkd", 100), ("yoshida4", 100), ("yoshida6", 50)] {
        let mut integrator = by_name(name).unwrap();
        let start = kepler(0.3);
        let mut error = |steps: usize| {
            let end = advance(&mut *integrator, start.clone(), TAU / 4.0 / steps as f64, steps);
            measure(&end).drift_since(&measure(&start)).energy.abs()
        };
        let (coarse, fine) = (error(steps), error(2 * steps));
        let measured = slope(coarse, fine);
        assert!((measured - f64::from(integrator.order())).abs() < 0.2, "{name}: {measured}, {coarse:e} -> {fine:e}");
        assert!(fine > 1.0e-13, "{name}: {fine:e} is near rounding");
    }
}

/// Forwards, velocities turned round, forwards again: the start, to rounding. The orbit multiplies a rounding of
/// 1e-16 by the number of steps (a phase error grows with time): 2000 steps, 1e-16, and the factor of the pericentre.
#[test]
fn time_runs_backwards() {
    for name in DISTINCT {
        let mut integrator = by_name(name).unwrap();
        let start = kepler(0.5);
        let mut bodies = advance(&mut *integrator, start.clone(), 1.0 / 128.0, 1000);
        assert!(distance(&bodies, &start) > 0.1, "{name} has not gone anywhere");
        for v in [&mut bodies.vx, &mut bodies.vy, &mut bodies.vz] {
            v.iter_mut().for_each(|v| *v = -*v);
        }
        let back = advance(&mut *integrator, bodies, 1.0 / 128.0, 1000);
        assert!(distance(&back, &start) < 1.0e-11, "{name}: {:e}", distance(&back, &start));
    }
}

/// Central forces, kicked and drifted, keep the angular momentum and the momentum at any dt; what is left is
/// rounding, 1e-16 a substep at random: sqrt(15 x 1000) of them for the longest.
#[test]
fn momenta_are_kept_to_rounding() {
    for name in DISTINCT {
        let mut integrator = by_name(name).unwrap();
        let start = kepler(0.6);
        let end = advance(&mut *integrator, start.clone(), TAU / 50.0, 1000);
        let drift = measure(&end).drift_since(&measure(&start));
        assert!(drift.angular_momentum < 3.0e-14, "{name}: {:e}", drift.angular_momentum);
        assert!(drift.momentum < 3.0e-14, "{name}: {:e}", drift.momentum);
        assert!(drift.energy.abs() > 1.0e-12, "{name}: dt is too small for this to be a test");
    }
}

/// Symplectic: the energy error of 200 periods stays what it is after 10, where a plain Runge-Kutta's would be 20
/// times as large.
#[test]
fn energy_errors_do_not_grow() {
    for name in DISTINCT {
        let mut integrator = by_name(name).unwrap();
        let start = measure(&kepler(0.3));
        let mut system = HostSystem::new(kepler(0.3), NEWTON, Box::new(Reference::default()), 0.0);
        let mut worst = |steps: usize| {
            let mut worst: f64 = 0.0;
            for _ in 0..steps {
                integrator.step(&mut system, TAU / 100.0).unwrap();
                worst = worst.max(measure(system.bodies()).drift_since(&start).energy.abs());
            }
            worst
        };
        let (early, later) = (worst(1000), worst(19_000));
        assert!(later < 1.5 * early, "{name}: {early:e} -> {later:e}");
    }
}

/// Counts what it is asked to do.
#[derive(Default)]
struct Counter {
    moved: bool,
    evaluations: usize,
    drifted: f64,
    kicked: f64,
}

impl System for Counter {
    fn drift(&mut self, dt: f64) -> crate::Result<()> {
        self.moved = true;
        self.drifted += dt;
        Ok(())
    }
    fn kick(&mut self, dt: f64) -> crate::Result<()> {
        assert!(!self.moved, "kicked with an old acceleration");
        self.kicked += dt;
        Ok(())
    }
    fn accelerate(&mut self) -> crate::Result<()> {
        self.evaluations += usize::from(self.moved);
        self.moved = false;
        Ok(())
    }
}

#[test]
fn first_same_as_last() {
    for (name, evaluations) in [("leapfrog", 1), ("leapfrog-dkd", 1), ("yoshida4", 3), ("yoshida6", 7)] {
        let mut integrator = by_name(name).unwrap();
        assert_eq!(integrator.evaluations(), evaluations, "{name}");
        let mut counter = Counter::default();
        for _ in 0..10 {
            integrator.step(&mut counter, 0.25).unwrap();
        }
        assert_eq!(counter.evaluations, 10 * evaluations, "{name}");
        // the coefficients of a step add up to 1, each rounded once
        assert!((counter.drifted - 2.5).abs() < 1e-14 && (counter.kicked - 2.5).abs() < 1e-14, "{name}");
        let substeps = integrator.substeps().unwrap();
        let palindrome: Vec<Substep> = substeps.iter().rev().copied().collect();
        assert_eq!(substeps, palindrome, "{name} is not symmetric in time");
    }
}

#[test]
fn names_are_known() {
    let substeps = |name| by_name(name).unwrap().substeps().map(<[Substep]>::to_vec);
    assert_eq!(substeps("leapfrog"), substeps("leapfrog-kdk"));
    assert!(names().all(|name| by_name(name).is_ok()));
    let message = by_name("euler").unwrap_err().to_string();
    assert!(message.contains("'euler'") && message.contains("yoshida6"), "{message}");
}
