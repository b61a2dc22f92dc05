//! Few bodies are moved in stretches of steps; every bit is that of single evaluations.

use manybody::integrator::{self, Substep};
use manybody::simd::Level;
use manybody::simulation::{HostSystem, Parameters, Simulation};
use manybody::solver::{self, ForceTerms, Forces, Gravity, Method, Precision, Solver, Steps};
use manybody::{Bodies, Error, Snapshot};

const SOFT: Gravity = Gravity::new(2.5, 0.01);

/// n bodies of unequal masses in a cloud of size 3 about a place that is not the origin.
fn cloud(n: usize) -> Bodies {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut bodies = Bodies::default();
    for _ in 0..n {
        let place = [3.0 * next() + 10.0, 3.0 * next(), 3.0 * next() - 1.0];
        bodies.push((next() + 0.6) / n as f64, place, [next(), next(), next()]);
    }
    bodies
}

fn solvers() -> Vec<Box<dyn Solver>> {
    let precisions = [Precision::F32, Precision::F64];
    let each = |level| {
        precisions.into_iter().flat_map(move |p| [solver::symmetric(level, p).unwrap(), solver::direct(level, p)])
    };
    Level::available().into_iter().flat_map(each).collect()
}

struct State {
    bodies: Bodies,
    forces: Forces,
    moved: bool,
}

impl State {
    fn new(bodies: Bodies) -> Self {
        State { bodies, forces: Forces::default(), moved: true }
    }

    /// Steps by the solver.
    fn at_once(&mut self, solver: &mut dyn Solver, substeps: &[Substep], dt: f64, most: u64) -> u64 {
        let State { bodies, forces, moved } = self;
        solver.steps(Steps { bodies, forces, moved, gravity: &SOFT, substeps, dt, most }).unwrap()
    }

    /// A step by evaluations.
    fn one_by_one(&mut self, solver: &mut dyn Solver, substeps: &[Substep], dt: f64) {
        let add = |q: &mut [f64], dt: f64, p: &[f64]| q.iter_mut().zip(p).for_each(|(q, p)| *q += dt * p);
        let (b, f) = (&mut self.bodies, &mut self.forces);
        for substep in substeps {
            match *substep {
                Substep::Drift(c) => {
                    add(&mut b.x, c * dt, &b.vx);
                    add(&mut b.y, c * dt, &b.vy);
                    add(&mut b.z, c * dt, &b.vz);
                    self.moved = true;
                }
                Substep::Kick(c) => {
                    if std::mem::take(&mut self.moved) {
                        solver.forces(b, &SOFT, ForceTerms::default(), f).unwrap();
                    }
                    add(&mut b.vx, c * dt, &f.ax);
                    add(&mut b.vy, c * dt, &f.ay);
                    add(&mut b.vz, c * dt, &f.az);
                }
            }
        }
    }
}

#[track_caller]
fn same(a: &State, b: &State, what: &str) {
    assert_eq!(a.bodies, b.bodies, "{what}");
    assert_eq!((&a.forces, a.moved), (&b.forces, b.moved), "{what}");
}

#[test]
fn steps_at_once_have_the_bits_of_evaluations() {
    for mut solver in solvers() {
        for n in [1, 2, 3, 7, 8, 9, 11, 16, 17, 33, 100, 256] {
            for name in ["leapfrog", "leapfrog-dkd", "yoshida4"] {
                let integrator = integrator::by_name(name).unwrap();
                let substeps = integrator.substeps().unwrap();
                let (mut a, mut b) = (State::new(cloud(n)), State::new(cloud(n)));
                assert_eq!(a.at_once(&mut *solver, substeps, 0.01, 3), 3);
                assert_eq!(a.at_once(&mut *solver, substeps, 0.02, 2), 2);
                (0..3).for_each(|_| b.one_by_one(&mut *solver, substeps, 0.01));
                (0..2).for_each(|_| b.one_by_one(&mut *solver, substeps, 0.02));
                same(&a, &b, &format!("{} {name} n = {n}", solver.name()));
            }
        }
    }
}

#[test]
fn others_are_left_to_evaluations() {
    let substeps = [Substep::Kick(0.5), Substep::Drift(1.0), Substep::Kick(0.5)];
    for mut solver in solvers() {
        let soft = Bodies { eps: Some(vec![0.1; 5]), ..cloud(5) };
        for bodies in [cloud(0), cloud(257), soft] {
            let mut state = State::new(bodies.clone());
            assert_eq!(state.at_once(&mut *solver, &substeps, 0.01, 3), 0);
            assert!(state.bodies == bodies && state.moved);
        }
    }
}

/// A body that leaves the range of f64 at the fourth of ten steps.
#[test]
fn steps_end_before_a_value_that_is_not_finite() {
    let substeps = [Substep::Kick(0.5), Substep::Drift(1.0), Substep::Kick(0.5)];
    for mut solver in solvers() {
        let mut bodies = cloud(9);
        (bodies.x[4], bodies.vx[4]) = (1.0e308, 2.4e307);
        let (mut a, mut b) = (State::new(bodies.clone()), State::new(bodies));
        let done = a.at_once(&mut *solver, &substeps, 1.0, 10);
        assert!(done < 10, "{}", solver.name());
        (0..done).for_each(|_| b.one_by_one(&mut *solver, &substeps, 1.0));
        if done > 0 {
            same(&a, &b, solver.name());
        }
        b.one_by_one(&mut *solver, &substeps, 1.0);
        let numbers = [&b.bodies.x, &b.bodies.vx, &b.bodies.vy, &b.bodies.vz];
        assert!(numbers.into_iter().flatten().any(|q| !q.is_finite()), "{}", solver.name());
    }
}

/// The error of a run is the same however many steps it was asked for at once.
#[test]
fn a_run_that_fails_says_when_and_where() {
    let mut bodies = cloud(9);
    bodies.vy[3] = 3.0e307;
    let start = Snapshot { bodies, ..Snapshot::default() };
    let parameters = Parameters { dt: 1.0, t_end: 50.0, eps: Some(0.1), ..Parameters::default() };
    // the kinetic energy overflows at once, so the start cannot be measured: the system itself is asked
    assert!(matches!(Simulation::start(start.clone(), parameters), Err(Error::NotFinite { .. })));
    let solver = solver::of(&Method::default()).unwrap();
    let mut system = HostSystem::new(start.bodies.clone(), Gravity::new(1.0, 0.1), solver, 0.0);
    let mut leapfrog = integrator::by_name("leapfrog").unwrap();
    let failed = (1..50).find_map(|k| {
        let step = leapfrog.step(&mut system, 1.0).and_then(|()| system.settle(f64::from(k)));
        step.err().map(|error| (k, error.to_string()))
    });
    let (step, message) = failed.unwrap();
    assert!(step == 6 && message.contains("body 3"), "step {step}: {message}");
}

/// A run in stretches of steps ends like a run of single steps, and so do its snapshots.
#[test]
fn a_run_in_stretches_is_the_run_of_single_steps() {
    for (n, integrator) in [(11, "leapfrog"), (3, "yoshida6"), (40, "leapfrog-dkd")] {
        let start = Snapshot { bodies: cloud(n), time: 0.5, ..Snapshot::default() };
        let parameters = Parameters {
            dt: 0.003,
            t_end: 2.0,
            eps: Some(0.1),
            snapshot_every: Some(0.1),
            integrator: integrator.parse().unwrap(),
            ..Parameters::default()
        };
        let keep = |run: &mut Simulation| run.with_snapshot(|s| Ok(s.clone())).unwrap();
        let kept = |most: u64| {
            let mut run = Simulation::start(start.clone(), parameters.clone()).unwrap();
            let mut kept = Vec::new();
            while !run.is_finished() {
                assert!(run.advance(most).unwrap() > 0);
                kept.extend(run.snapshot_due().map(|number| (number, keep(&mut run))));
            }
            kept.push((0, keep(&mut run)));
            kept
        };
        let [single, some, all] = [1, 7, u64::MAX].map(kept);
        assert_eq!(single.len(), 15);
        assert!(single == some && single == all, "n = {n}, {integrator}");
        // and by evaluations
        let solver = solver::of(&Method::default()).unwrap();
        let mut system = HostSystem::new(start.bodies.clone(), Gravity::new(1.0, 0.1), solver, 0.5);
        let mut integrator = integrator::by_name(integrator).unwrap();
        (0..499).for_each(|_| integrator.step(&mut system, 0.003).unwrap());
        let clock = manybody::simulation::Clock::resume(0.5, 499, 0.003, 0.5 + 499.0 * 0.003, 2.0).unwrap();
        integrator.step(&mut system, clock.next_length()).unwrap();
        assert_eq!(*system.bodies(), single[14].1.bodies, "n = {n}");
    }
}
