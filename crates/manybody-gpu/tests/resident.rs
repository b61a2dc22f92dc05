//! Runs whose bodies live on a device, against the same runs on the CPU, and against themselves cut otherwise.
//!
//! On a machine without a GPU this runs on Mesa's lavapipe, if it is installed; what is skipped is printed.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use common::finish;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Device, Precision, Softening, Summation};
use manybody::{Bodies, Error, Snapshot, ic};

/// Devices that are here, with the precisions they know.
fn devices() -> Vec<(Device, Precision)> {
    let precisions = |device| match device {
        Device::Wgpu => vec![Precision::F32, Precision::Mixed],
        _ => vec![Precision::F32, Precision::Mixed, Precision::F64],
    };
    let pairs = |device| precisions(device).into_iter().map(move |precision| (device, precision));
    common::kinds().into_iter().flat_map(pairs).collect()
}

fn cluster(n: usize, moving: bool) -> Snapshot {
    let mut start = ic::by_name("plummer", &ic::Request::new(n, 7)).unwrap();
    // unequal masses, so that they are no parameter
    for (k, m) in start.bodies.mass.iter_mut().enumerate() {
        *m *= 0.5 + (k % 3) as f64 / 2.0;
    }
    if moving {
        start.bodies.shift([30.0, -20.0, 10.0], [4.0, 0.0, -1.0]);
    }
    start
}

fn parameters(device: Device, precision: Precision, integrator: &str, steps: u32) -> Parameters {
    let integrator = integrator.parse().unwrap();
    Parameters { integrator, ..common::parameters(device, precision, Summation::default(), steps) }
}

/// The largest difference in place or velocity.
fn apart(a: &Bodies, b: &Bodies) -> f64 {
    let columns = |q: &Bodies| [&q.x, &q.y, &q.z, &q.vx, &q.vy, &q.vz].map(Clone::clone);
    let pairs = columns(a).into_iter().flatten().zip(columns(b).into_iter().flatten());
    pairs.map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
}

/// Forces in f32 are wrong by 1e-7 of some units at random, in f64 by 1e-14, and a time of 0.15 has that twice over. A
/// state that is rounded to f32 is off by 1e-5, a wrong kick or drift in the fourth digit.
fn tolerance(precision: Precision) -> f64 {
    if precision == Precision::F64 { 1e-13 } else { 1e-7 }
}

#[test]
fn runs_on_a_device_are_those_of_the_cpu() {
    for (device, precision) in devices() {
        for (n, integrator, moving) in [
            (2, "leapfrog", false),
            (100, "leapfrog", false),
            (100, "leapfrog", true),
            (100, "leapfrog-dkd", false),
            (100, "leapfrog-dkd", true),
            (1000, "yoshida4", false),
            (1000, "leapfrog", true),
        ] {
            let start = cluster(n, moving);
            let run = |device: Device, precision| {
                Simulation::start(start.clone(), parameters(device, precision, integrator, 40)).unwrap()
            };
            let there = run(device, precision);
            assert!(there.is_resident(), "{device}");
            let there = finish(there, 1000);
            let here = finish(run(Device::Cpu, Precision::F64), 1);
            let apart = apart(&there.bodies, &here.bodies);
            println!("{device} {precision}, {n} bodies, {integrator}: {apart:e}");
            assert!(apart < tolerance(precision), "{device} {precision}, {n} bodies, {integrator}: {apart:e}");
        }
    }
}

/// With the spline softening, of one length and of the bodies' own.
#[test]
fn a_run_with_the_spline_softening_is_that_of_the_cpu() {
    for (device, precision) in devices() {
        for eps in [Some(0.2), None] {
            let mut start = cluster(600, true);
            start.bodies.eps = eps.is_none().then(|| (0..600).map(|k| 0.1 * f64::from(1 + k % 3)).collect());
            let run = |device: Device, precision| {
                let given = parameters(device, precision, "leapfrog", 40);
                let parameters = Parameters { softening: Softening::Spline, eps, ..given };
                finish(Simulation::start(start.clone(), parameters).unwrap(), 1000)
            };
            let apart = apart(&run(device, precision).bodies, &run(Device::Cpu, Precision::F64).bodies);
            assert!(apart < tolerance(precision), "{device} {precision} {eps:?}: {apart:e}");
        }
    }
}

/// No bit depends on where a run is looked at, kept, stopped and resumed.
#[test]
fn bits_do_not_depend_on_how_a_run_is_cut() {
    for (device, precision) in devices() {
        for integrator in ["leapfrog", "leapfrog-dkd", "yoshida4"] {
            let start = cluster(300, true);
            // 300 steps are more than a graph holds
            let parameters = parameters(device, precision, integrator, 300);
            let begin = || Simulation::start(start.clone(), parameters.clone()).unwrap();
            let whole = finish(begin(), 1000);
            assert_eq!(finish(begin(), 1), whole, "{device} {precision} {integrator}: step by step");
            assert_eq!(finish(begin(), 7), whole, "{device} {precision} {integrator}: seven steps at a time");
            let mut looked_at = begin();
            looked_at.advance(37).unwrap();
            looked_at.drift().unwrap();
            looked_at.measure().unwrap();
            let kept = looked_at.with_snapshot(|kept| Ok(kept.clone())).unwrap();
            assert_eq!(finish(looked_at, 50), whole, "{device} {precision} {integrator}: looked at");
            let again = Simulation::resume(kept.clone(), Parameters::from_snapshot(&kept).unwrap()).unwrap();
            assert_eq!(again.clock().step(), 37);
            assert_eq!(finish(again, 64), whole, "{device} {precision} {integrator}: taken up again");
        }
    }
}

/// The sums on the device are those of the host: 1e-13 of the terms' sum for rounding in another order, and what the
/// potentials differ by, 1e-13 in f64 (root and sum).
#[test]
fn integrals_are_those_of_the_host() {
    for (device, precision) in devices() {
        for n in [2, 777, 3000] {
            let mut run = Simulation::start(cluster(n, true), parameters(device, precision, "leapfrog", 30)).unwrap();
            run.advance(20).unwrap();
            let (drift, host) = (run.drift().unwrap(), run.measure().unwrap().drift_since(run.initial()));
            for (what, a, b) in [
                ("energy", drift.energy, host.energy),
                ("momentum", drift.momentum, host.momentum),
                ("angular momentum", drift.angular_momentum, host.angular_momentum),
            ] {
                // a change has the rounding error of the total: the energy of a moving cluster is 40 times its internal
                // energy
                assert!((a - b).abs() < 1e-12, "{device} {precision}, {n} bodies, {what}: {a:e}, {b:e}");
            }
        }
    }
}

/// If a body moves to infinity, the error names the body and the time, and the run keeps the last good step.
#[test]
fn numbers_that_overflow_stop_a_run_at_the_last_good_step() {
    for (device, precision) in devices() {
        let mut start = cluster(10, false);
        // on wgpu a number ends where f32 does
        start.bodies.vx[3] = if device == Device::Wgpu { 3e38 } else { 1e308 };
        start.bodies.mass[3] = 0.0; // no momentum to speak of
        start.bodies.eps = None;
        let parameters = Parameters { dt: 0.25, t_end: 4.0, ..parameters(device, precision, "leapfrog", 1) };
        let Ok(mut run) = Simulation::start(start, parameters) else { continue };
        let error = run.advance(100).unwrap_err();
        let Error::NotFinite { index, time, .. } = error else { panic!("{device}: {error}") };
        assert_eq!(index, 3, "{device}: {error}");
        assert_eq!(time, run.time() + 0.25, "{device}: the run stands at the last good step");
        assert!(run.bodies().unwrap().x.iter().all(|x| x.is_finite()), "{device}");
    }
}

/// Runs that stay on a device are audited where they are, which changes no bit; errors are those of the device's forces, and
/// the snapshot has them.
#[test]
fn runs_on_a_device_are_audited() {
    for (device, precision) in devices() {
        let start = cluster(500, true);
        let parameters = Parameters { audit: 0.2, ..parameters(device, precision, "leapfrog", 40) };
        let begin = |audit| Simulation::start(start.clone(), Parameters { audit, ..parameters.clone() }).unwrap();
        let mut audited = begin(0.2);
        let mut steps = Vec::new();
        while !audited.is_finished() {
            let found = audited.audit().unwrap().unwrap();
            assert!(audited.is_resident() && found.sample == 100, "{device} {found:?}");
            steps.push(found.max);
            audited.advance(13).unwrap();
        }
        let found = audited.audit().unwrap().unwrap();
        let last = audited.with_snapshot(|last| Ok(last.clone())).unwrap();
        assert_eq!(manybody::simulation::Errors::from_snapshot(&last).unwrap().force, Some(found));
        let mut silent = begin(0.0);
        assert_eq!(silent.audit().unwrap(), None);
        assert!(finish(silent, 1000).bodies == last.bodies, "{device} {precision}: an audit changed the run");
        // f32: positions to 6e-8 of 32 radii, forces to some of that; mixed 20 times better; f64 1e-14 by its root
        let bound = match precision {
            Precision::F32 => 3e-6,
            Precision::Mixed => 1e-6,
            Precision::F64 => 1e-12,
        };
        assert!(steps.iter().all(|max| *max > 1e-17 && *max < bound), "{device} {precision}: {steps:?}");
    }
}

/// Two bodies fall together without softening, until their force leaves the range of a fixed-point sum. The run stops
/// at that step, names the cause, and keeps the last good step.
#[test]
fn a_fixed_point_overflow_stops_a_run_at_the_last_good_step() {
    for (device, precision) in devices().into_iter().filter(|(_, precision)| *precision == Precision::F32) {
        let mut bodies = cluster(10, false).bodies;
        // after 256 steps the two are 4e-6 apart: they weigh too little to move each other
        bodies.push(1e-9, [0.5, 0.5, 0.5], [0.25, 0.0, 0.0]);
        bodies.push(1e-9, [0.5 + 0.0625 + 4e-6, 0.5, 0.5], [0.0; 3]);
        bodies.id[10] = 4711;
        bodies.id[11] = 4712;
        bodies.mass[..10].fill(1e-15);
        bodies.eps = None;
        let start = Snapshot { bodies, ..Snapshot::default() };
        let parameters = Parameters {
            eps: Some(0.0),
            dt: 1.0 / 1024.0,
            t_end: 1.0,
            sum: Summation::Fixed,
            audit: 0.0,
            ..parameters(device, precision, "leapfrog", 1)
        };
        let mut run = Simulation::start(start.clone(), parameters.clone()).unwrap();
        assert!(run.is_resident());
        let error = loop {
            match run.advance(100) {
                Ok(_) => assert!(!run.is_finished(), "{device}: nothing left its range"),
                Err(error) => break error,
            }
        };
        let Error::FixedPoint { index, id, quantity, .. } = error else { panic!("{device}: {error}") };
        assert!((index == 10 || index == 11) && id == 4701 + index as u64 && quantity == "acceleration", "{error}");
        assert_eq!(run.clock().step(), 255, "{device}: the step that ends at 256 computes that force");
        // the step after the one it stands at fails, and not an earlier one
        let mut again = Simulation::start(start, parameters).unwrap();
        again.advance(run.clock().step()).unwrap();
        assert_eq!(again.bodies().unwrap(), run.bodies().unwrap(), "{device}");
        assert!(again.advance(1).is_err(), "{device}");
    }
}
