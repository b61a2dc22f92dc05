use super::*;
use crate::ic::{Kepler, Request, by_name, kepler};
use crate::simulation::{Parameters, Simulation};
use crate::solver::Gravity;
use crate::{Bodies, Snapshot};
use std::f64::consts::TAU;

const NEWTON: Gravity = Gravity::new(1.0, 0.0);

/// A cluster with a binary of known elements in place of two bodies, 17 and n - 1, at its pericentre.
fn cluster_with_binary(n: usize) -> Bodies {
    let mut bodies = by_name("plummer", &Request::new(n, 1)).unwrap().bodies;
    let mass = bodies.mass[0];
    // a = 2e-4, e = 0.6
    let (r, v) = (8e-5, (2.0 * mass / 2e-4 * (1.6 / 0.4)).sqrt());
    let (place, velocity) = (bodies.position(17), bodies.velocity(17));
    let last = n - 1;
    [bodies.x[last], bodies.y[last], bodies.z[last]] = [place[0] + r, place[1], place[2]];
    [bodies.vx[last], bodies.vy[last], bodies.vz[last]] = [velocity[0], velocity[1] + v, velocity[2]];
    bodies
}

/// Among all pairs, and among neighbours.
#[test]
fn a_binary_in_a_cluster_is_found_with_its_elements() {
    for n in [200, 2000] {
        let bodies = cluster_with_binary(n);
        let pair = ClosePair::of(&bodies, &NEWTON, 0.0).unwrap();
        assert_eq!((pair.index, pair.id), ([17, n - 1], [bodies.id[17], bodies.id[n - 1]]));
        // places are of order 1 and rounded to 1e-16: 1e-12 of the distance
        assert!((pair.semi_major_axis / 2e-4 - 1.0).abs() < 1e-10 && (pair.eccentricity - 0.6).abs() < 1e-10);
        assert!((pair.pericentre() / 8e-5 - 1.0).abs() < 1e-10);
        let period = TAU * (8e-12_f64 / (2.0 / n as f64)).sqrt();
        assert!((pair.period().unwrap() / period - 1.0).abs() < 1e-10, "{pair:?}");
        assert!(ClosePair::with(17, &bodies, &NEWTON, 0.0) == Some(pair));
    }
}

/// A third body at a known distance; one without mass perturbs nothing.
#[test]
fn the_perturber_is_the_body_with_the_strongest_tide() {
    let mut bodies = kepler(&Kepler { eccentricity: 0.5, ..Kepler::default() }).unwrap().bodies;
    bodies.push(8.0, [0.0, 40.0, 0.0], [0.0; 3]);
    bodies.push(1.0, [0.0, 0.0, 10.0], [0.0; 3]);
    bodies.push(0.0, [0.0, 0.0, 3.0], [0.0; 3]);
    let pair = ClosePair::between(&bodies, &NEWTON, 0, 1);
    // 1 / 10^3 is more than 8 / 40^3; the apocentre is 1.5
    assert_eq!(pair.perturber, Some((3, bodies.id[3])));
    assert!((pair.perturbation / (2.0 * 1.5_f64.powi(3) / 1000.0) - 1.0).abs() < 1e-12, "{pair:?}");
    let alone = ClosePair::of(&kepler(&Kepler::default()).unwrap().bodies, &NEWTON, 0.0).unwrap();
    assert_eq!((alone.perturber, alone.perturbation), (None, 0.0));
    assert_eq!(ClosePair::of(&Bodies::zeros(1), &NEWTON, 0.0), None);
    assert_eq!(ClosePair::of(&Bodies { x: vec![0.0, 1.0], ..Bodies::zeros(2) }, &NEWTON, 0.0), None);
}

/// Two bodies that pass each other between two looks are closer then than a third one is to either.
#[test]
fn passages_between_two_looks_are_seen() {
    let mut bodies = Bodies::default();
    bodies.push(1.0, [-1.0, 0.0, 0.0], [10.0, 0.0, 0.0]);
    bodies.push(1.0, [1.0, 1e-3, 0.0], [-10.0, 0.0, 0.0]);
    bodies.push(1.0, [-1.0, 0.2, 0.0], [10.0, 0.0, 0.0]);
    assert_eq!(ClosePair::of(&bodies, &NEWTON, 0.0).unwrap().index, [0, 2]);
    let seen = ClosePair::of(&bodies, &NEWTON, 0.11).unwrap();
    assert_eq!(seen.index, [0, 1]);
    // the time of a fall from 1e-3, which is less than that of the way
    assert!((seen.passing / 5e-10_f64.sqrt() - 1.0).abs() < 1e-10, "{seen:?}");
}

fn error_of(start: &Snapshot, parameters: Parameters) -> f64 {
    let mut run = Simulation::start(start.clone(), parameters).unwrap();
    let mut worst: f64 = 0.0;
    while !run.is_finished() {
        run.step().unwrap();
        worst = worst.max(run.drift().unwrap().energy.abs());
    }
    worst
}

/// What is advised for an ellipse that a leapfrog does not resolve makes the energy error a hundred times smaller.
#[test]
fn what_is_advised_helps() {
    let start = kepler(&Kepler { eccentricity: 0.9, ..Kepler::default() }).unwrap();
    let plain = Parameters { dt: 1.0 / 32.0, t_end: 7.0, eps: Some(0.0), audit: 0.0, ..Parameters::default() };
    let bad = error_of(&start, plain.clone());
    assert!(bad > 0.1, "{bad}");
    let seen = Seen::of(&Simulation::start(start.clone(), plain.clone()).unwrap()).unwrap();
    let named = |name: &str| seen.remedies.iter().any(|remedy| remedy.starts_with(&format!("--{name}")));
    assert!(named("dt") && named("eps") && named("integrator hermite4") && named("integrator ar-chain"), "{seen:?}");
    let dt = remedy::resolving_step(&seen.pair).unwrap();
    // pericentre 0.1, time scale 0.1 / sqrt(19) = 0.023: a twentieth of it is 1 / 872
    assert_eq!(dt, 1.0 / 1024.0);
    let eps = remedy::softening(&seen.pair, &plain).unwrap();
    for better in [
        Parameters { dt, ..plain.clone() },
        Parameters { eps: Some(eps), ..plain.clone() },
        Parameters { integrator: "hermite4".parse().unwrap(), ..plain.clone() },
        Parameters { integrator: "ar-chain".parse().unwrap(), ..plain.clone() },
    ] {
        let good = error_of(&start, better.clone());
        assert!(good < 0.01 * bad, "{good:e} with {better:?}");
    }
}

/// Advice depends on what a run has: steps of its own, a limit of them, forces in f32, a device or a law.
#[test]
fn advice_suits_the_run() {
    use crate::integrator::Pairs;
    use crate::solver::Precision;
    let start = kepler(&Kepler { eccentricity: 0.9, ..Kepler::default() }).unwrap();
    let plain = Parameters { dt: 1.0 / 32.0, t_end: 7.0, eps: Some(0.0), audit: 0.0, ..Parameters::default() };
    let of = |parameters: Parameters| {
        let mut run = Simulation::start(start.clone(), parameters).unwrap();
        run.step().unwrap();
        Seen::of(&run).unwrap()
    };
    let starts = |seen: &Seen, name: &str| seen.remedies.iter().any(|remedy| remedy.starts_with(name));
    let hermite = Parameters { integrator: "hermite4".parse().unwrap(), ..plain.clone() };
    let seen = of(hermite.clone());
    assert!(starts(&seen, "--eta 0.05") && starts(&seen, "--integrator ar-chain"), "{seen:?}");
    assert!(!starts(&seen, "--dt") && !starts(&seen, "--eps") && seen.step < 1e-2, "{seen:?}");
    assert!(!starts(&seen, "--pairs"), "a period above dt: {seen:?}");
    let hard = kepler(&Kepler { semi_major_axis: 1e-2, ..Kepler::default() }).unwrap();
    let mut run = Simulation::start(hard, hermite.clone()).unwrap();
    run.step().unwrap();
    let seen = Seen::of(&run).unwrap();
    assert!(starts(&seen, "--pairs kepler"), "{seen:?}");
    // nearly head-on
    let start = kepler(&Kepler { eccentricity: 0.99999, ..Kepler::default() }).unwrap();
    let mut run = Simulation::start(start, hermite.clone()).unwrap();
    run.step().unwrap();
    assert!(starts(&Seen::of(&run).unwrap(), "--pairs chain"));
    // a pair that moves as one body is not what the steps resolve
    let mut hard = kepler(&Kepler { semi_major_axis: 1e-2, ..Kepler::default() }).unwrap();
    hard.bodies.push(0.1, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    for pairs in [Pairs::Kepler, Pairs::Chain] {
        let parameters = Parameters { pairs: Some(pairs), perturbation: Some(1e-3), ..hermite.clone() };
        let mut run = Simulation::start(hard.clone(), parameters).unwrap();
        run.step().unwrap();
        let seen = Seen::of(&run).unwrap();
        assert!(seen.pair.index[1] == 2 && !starts(&seen, "--pairs"), "{seen:?}");
    }
    let limited = of(Parameters { dt_min: Some(1.0 / 64.0), ..hermite });
    assert!(starts(&limited, "--dt-min 1/1024") && limited.step == 1.0 / 64.0, "{limited:?}");
    assert!(starts(&of(Parameters { precision: Precision::F32, ..plain.clone() }), "--precision f64"));
    let regularised = of(Parameters { integrator: "ar-chain".parse().unwrap(), ..plain.clone() });
    assert!(regularised.remedies.is_empty(), "{regularised:?}");
    let fine = of(Parameters { dt: 1.0 / 4096.0, ..plain });
    assert!(starts(&fine, "--dt 1/8192") && fine.remedies[0].contains("dt^2"), "{fine:?}");
}
