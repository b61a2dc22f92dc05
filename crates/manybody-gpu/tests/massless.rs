//! Bodies without mass are targets alone: those with mass move as if the others were not there, to the bit, and the others
//! move as in f64 on the CPU.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use common::finish;
use manybody::law::Targets;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{self, Device, ForceTerms, Forces, Gravity, Method, Precision, SolverName, Summation};
use manybody::{Bodies, Snapshot, ic};

/// Precisions and summations of a device.
fn ways(device: Device) -> Vec<(Precision, Summation)> {
    let own = Summation::default();
    let mut ways = vec![(Precision::F32, own), (Precision::Mixed, own)];
    if device == Device::Cuda {
        ways.push((Precision::F64, own));
    }
    ways.extend([Summation::Fixed, Summation::F64, Summation::Pairwise].map(|sum| (Precision::F32, sum)));
    ways.push((Precision::Mixed, Summation::Compensated));
    ways
}

/// A moving cluster with massless bodies among the others; with `soft`, bodies have softenings of their own.
fn cluster(massive: usize, massless: usize, soft: bool) -> Snapshot {
    let n = massive + massless;
    let mut start = ic::by_name("plummer", &ic::Request::new(n, 3)).unwrap();
    let bodies = &mut start.bodies;
    let is_massless = |k: usize| k * massless / n != (k + 1) * massless / n;
    for k in 0..n {
        bodies.mass[k] = if is_massless(k) { 0.0 } else { (0.5 + (k % 3) as f64 / 2.0) / massive as f64 };
    }
    bodies.shift([30.0, -20.0, 10.0], [4.0, 0.0, -1.0]);
    if soft {
        bodies.eps = Some((0..n).map(|k| 0.02 + 0.01 * (k % 4) as f64).collect());
    }
    start
}

/// The bodies with mass, and where they are.
fn massive(bodies: &Bodies) -> (Bodies, Vec<usize>) {
    let at: Vec<usize> = (0..bodies.len()).filter(|k| bodies.mass[*k] != 0.0).collect();
    let mut alone = Bodies::default();
    for k in &at {
        alone.push(bodies.mass[*k], bodies.position(*k), bodies.velocity(*k));
    }
    alone.eps = bodies.eps.as_ref().map(|eps| at.iter().map(|k| eps[*k]).collect());
    (alone, at)
}

fn columns(bodies: &Bodies) -> [&Vec<f64>; 6] {
    [&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz]
}

fn parameters(device: Device, (precision, sum): (Precision, Summation), soft: bool, steps: u32) -> Parameters {
    let eps = (!soft).then_some(1.0 / 16.0);
    Parameters { eps, ..common::parameters(device, precision, sum, steps) }
}

#[test]
fn massive_bodies_of_a_run_have_the_bits_of_a_run_without_the_others() {
    for device in common::kinds() {
        for (k, way) in ways(device).into_iter().enumerate() {
            // all shapes of kernels for one way, and two for the others
            let sizes = [(10, 300), (300, 7), (1, 5), (5, 8500)];
            for (massive_n, massless_n) in sizes.into_iter().take(if k == 0 { 4 } else { 2 }) {
                let soft = massive_n == 300;
                let start = cluster(massive_n, massless_n, soft);
                let what = format!("{device} {way:?}, {massive_n} and {massless_n} bodies");
                let parameters = parameters(device, way, soft, 20);
                let begin = || Simulation::start(start.clone(), parameters.clone()).unwrap();
                // the units of fixed-point sums come from all positions, so the bodies stay on the host
                let is_resident = begin().is_resident();
                assert_eq!(is_resident, way.1 != Summation::Fixed, "{what}");
                let all = finish(begin(), 1000);
                let (alone, at) = massive(&start.bodies);
                let alone = Snapshot { bodies: alone, ..start.clone() };
                let alone = finish(Simulation::start(alone, parameters.clone()).unwrap(), 1000);
                for (all, alone) in columns(&all.bodies).into_iter().zip(columns(&alone.bodies)) {
                    let same = at.iter().zip(alone).all(|(at, q)| all[*at].to_bits() == q.to_bits());
                    assert!(same || !is_resident, "{what}");
                }
                // cut and resumed, the same bits
                let mut cut = begin();
                cut.advance(7).unwrap();
                let kept = cut.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap();
                assert_eq!(finish(cut, 3).bodies, all.bodies, "{what}: cut");
                let resumed = Simulation::resume(kept.clone(), Parameters::from_snapshot(&kept).unwrap()).unwrap();
                assert_eq!(finish(resumed, 1000).bodies, all.bodies, "{what}: resumed");
                // and the massless ones are where f64 has them: a body of mass 0.15 at the softening of 1/16 gives up to 15,
                // which f32 knows to 1e-6 of it, for a time of 0.08
                let parameters = Parameters {
                    device: Device::Cpu,
                    solver: SolverName::Symmetric,
                    precision: Precision::F64,
                    sum: Summation::default(),
                    ..parameters
                };
                let here = finish(Simulation::start(start, parameters).unwrap(), 1);
                let most = |a: &Bodies, b: &Bodies| {
                    let pairs = columns(a).into_iter().zip(columns(b)).flat_map(|(a, b)| a.iter().zip(b));
                    pairs.map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
                };
                let off = most(&all.bodies, &here.bodies);
                println!("{what}: {off:e}");
                assert!(off < if way.0 == Precision::F64 { 1e-13 } else { 3e-7 }, "{what}: {off:e}");
            }
        }
    }
}

#[test]
fn massive_bodies_have_the_forces_that_they_have_without_the_others() {
    let gravity = Gravity::new(1.0, 0.05);
    for device in common::kinds() {
        for (precision, sum) in ways(device) {
            let own = sum == Summation::default() && precision != Precision::Mixed;
            let wants = [
                ForceTerms::default(),
                ForceTerms { potential: true, jerk: false },
                ForceTerms { potential: true, jerk: true },
            ];
            for terms in &wants[..if own { 3 } else { 2 }] {
                for (massive_n, massless_n, soft) in [(10, 300, false), (300, 20, true), (0, 40, false)] {
                    let bodies = cluster(massive_n.max(1), massless_n, soft).bodies;
                    let bodies =
                        if massive_n == 0 { Bodies { mass: vec![0.0; bodies.len()], ..bodies } } else { bodies };
                    let what = format!("{device} {precision} {sum}, {massive_n} and {massless_n} bodies, {terms:?}");
                    let mut solver = solver::of(&Method::summed(device, precision, sum)).unwrap();
                    let [mut all, mut alone, mut exact] = [(); 3].map(|()| Forces::default());
                    solver.forces(&bodies, &gravity, *terms, &mut all).unwrap();
                    let (few, at) = massive(&bodies);
                    solver.forces(&few, &gravity, *terms, &mut alone).unwrap();
                    let reference = Method::default().solver(SolverName::Reference);
                    solver::of(&reference).unwrap().forces(&bodies, &gravity, *terms, &mut exact).unwrap();
                    // some of the bodies have the forces that they have among all
                    let some: Vec<usize> = (0..bodies.len()).filter(|k| k % 3 == 1).rev().collect();
                    let mut part = Forces::default();
                    solver.forces_on(&bodies, &Targets::List(&some), &gravity, *terms, &mut part).unwrap();
                    compare(&part, &exact.at(&some), precision, &format!("{what}, some"));
                    compare(&all, &exact, precision, &what);
                    let of = |f: &Forces| [&f.ax, &f.ay, &f.az, &f.pot, &f.jx, &f.jy, &f.jz].map(Clone::clone);
                    for (all, alone) in of(&all).iter().zip(of(&alone)).filter(|(all, _)| !all.is_empty()) {
                        assert!(at.iter().zip(&alone).all(|(at, q)| all[*at].to_bits() == q.to_bits()), "{what}");
                    }
                }
            }
        }
    }
}

/// Holds forces to those in f64: positions in f32 are known to 1e-7 of the system's size, 1e-6 of the softening.
fn compare(found: &Forces, exact: &Forces, precision: Precision, what: &str) {
    let of = |f: &Forces| [&f.ax, &f.ay, &f.az, &f.pot, &f.jx, &f.jy, &f.jz].map(Clone::clone);
    for (found, exact) in of(found).iter().zip(of(exact)) {
        assert_eq!(found.len(), exact.len(), "{what}");
        let size = exact.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let bound = if precision == Precision::F64 { 1e-12 } else { 2e-5 } * size;
        for (k, (found, exact)) in found.iter().zip(&exact).enumerate() {
            assert!((found - exact).abs() <= bound, "{what}: body {k}, {found} for {exact}");
        }
    }
}

/// Where no body has a mass, all move on straight lines.
#[test]
fn without_any_mass_bodies_move_straight() {
    for device in common::kinds() {
        for way in ways(device) {
            let mut start = cluster(1, 50, false);
            start.bodies.mass.fill(0.0);
            let end = finish(Simulation::start(start.clone(), parameters(device, way, false, 16)).unwrap(), 100);
            let (before, after) = (&start.bodies, &end.bodies);
            for k in 0..51 {
                // positions and velocities have 48 bits or more, and sixteen steps round as often
                let away = after.x[k] - (before.x[k] + before.vx[k] / 16.0);
                assert!(away.abs() < 1e-11 && (after.vx[k] - before.vx[k]).abs() < 1e-13, "{device} {way:?}: {away:e}");
            }
        }
    }
}
