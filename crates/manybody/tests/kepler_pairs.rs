//! Unperturbed pairs of Hermite schemes by Kepler's solution: clusters with hard binaries beside the plain schemes.

#[path = "common/close_pairs.rs"]
mod close_pairs;
#[path = "common/clusters.rs"]
mod clusters;

use close_pairs::{SCHEMES, begin, parameters, parameters_of, to_the_end};
use clusters::cluster;
use manybody::integrator::Pairs;
use manybody::simulation::{Parameters, Simulation};
use manybody::{Snapshot, ic};

/// Two hard binaries in 200 bodies: a hundredth of the steps, and an energy error that is 1e4 times smaller.
#[test]
fn hard_binaries_cost_neither_time_nor_energy() {
    let start = cluster(200, 2, 2e-4);
    let (plain, plain_steps, _) = to_the_end(begin(&start, parameters(0.125, None)));
    let (kepler, steps, mut run) = to_the_end(begin(&start, parameters(0.125, Some(Pairs::Kepler))));
    assert!(steps * 50 < plain_steps, "{steps} of {plain_steps}");
    assert!(kepler < 1e-7 && kepler < 1e-3 * plain, "{kepler:e} {plain:e}");
    // they still have their axes
    let bodies = run.bodies().unwrap();
    for k in 0..2 {
        let (i, j) = (k, 199 - k);
        let less = |a: [f64; 3], b: [f64; 3]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum() };
        let r = less(bodies.position(i), bodies.position(j)).sqrt();
        let v2 = less(bodies.velocity(i), bodies.velocity(j));
        let a = 1.0 / (2.0 / r - v2 / (bodies.mass[i] + bodies.mass[j]));
        assert!((a / 2e-4 - 1.0).abs() < 1e-9, "{k}: {a}");
    }
}

/// Twenty binaries that others perturb more than that from time to time: they are resolved then. The fewer are
/// resolved, the smaller the energy error, which is that of the plain scheme in hard orbits.
#[test]
fn perturbed_pairs_are_resolved() {
    let start = cluster(200, 20, 1e-3);
    for (scheme, _) in SCHEMES {
        let of = |perturbation: f64| {
            let parameters =
                Parameters { perturbation: Some(perturbation), ..parameters_of(scheme, 0.125, Some(Pairs::Kepler)) };
            let (error, steps, _) = to_the_end(begin(&start, parameters));
            (error, steps)
        };
        let (plain, plain_steps, _) = to_the_end(begin(&start, parameters_of(scheme, 0.125, None)));
        let (never, usual, more) = (of(1e-12), of(1e-5), of(1e-4));
        // no pair is alone to 1e-12: the bits are those of the plain scheme
        assert_eq!(never, (plain, plain_steps));
        assert!(usual.1 < plain_steps / 4 && more.1 < usual.1 / 2, "{plain_steps} {usual:?} {more:?}");
        assert!(usual.0 < plain && more.0 < 1e-6, "{plain:e} {usual:?} {more:?}");
    }
}

fn keep(run: &mut Simulation) -> Snapshot {
    run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap()
}

/// A pair forms within this run; each of its states has all that it needs to go on.
#[test]
fn a_resumed_run_has_the_same_bits() {
    let start = cluster(60, 6, 1e-3);
    for (scheme, _) in SCHEMES {
        let parameters = Parameters { perturbation: Some(1e-6), ..parameters_of(scheme, 0.25, Some(Pairs::Kepler)) };
        let whole = keep(&mut to_the_end(begin(&start, parameters.clone())).2);
        let mut run = begin(&start, parameters.clone());
        let mut counts = Vec::new();
        while !run.is_finished() {
            let kept = keep(&mut run);
            let partners = kept.bodies.extra.get("hermite_pair");
            counts.extend(partners.map(|column| column.iter().filter(|partner| **partner > 0.0).count()));
            let again = Parameters::from_snapshot(&kept).unwrap();
            let resumed = Simulation::resume(kept, again).unwrap();
            assert!(keep(&mut to_the_end(resumed).2) == whole, "{scheme}, from step {}", run.clock().step());
            run.step().unwrap();
        }
        counts.dedup();
        assert!(counts.len() > 1, "{scheme}: the pairs never change: {counts:?}");
    }
}

/// A body that falls towards a pair during one long dt: on a straight line it would pass far away. The step is made
/// again, and the run has the bits of one without pairs.
#[test]
fn a_perturber_within_a_step_is_noticed() {
    let mut start = ic::by_name("kepler", &ic::Request { ..ic::Request::default() }).unwrap();
    let scale = 1e-3_f64;
    let bodies = &mut start.bodies;
    for column in [&mut bodies.x, &mut bodies.y] {
        column.iter_mut().for_each(|q| *q *= scale);
    }
    for column in [&mut bodies.vx, &mut bodies.vy] {
        column.iter_mut().for_each(|v| *v /= scale.sqrt());
    }
    // nearly at rest at a distance of 0.3: it falls to the pair within pi sqrt(0.3^3 / 8) = 0.18
    bodies.push(1e-3, [0.3, 0.0, 0.0], [0.0, 0.1, 0.0]);
    let long = |pairs| Parameters { dt: 0.25, ..parameters(0.25, pairs) };
    let (_, steps, mut with) = to_the_end(begin(&start, long(Some(Pairs::Kepler))));
    let (_, plain, mut without) = to_the_end(begin(&start, long(None)));
    let (mut with, without) = (keep(&mut with), keep(&mut without));
    assert!(with.bodies.extra.remove("hermite_pair").is_some_and(|column| column == [0.0; 3]));
    assert!(with.bodies == without.bodies, "{:?} {:?}", with.bodies, without.bodies);
    // the blocks until the fall was noticed were made in vain
    assert!(steps > plain, "{steps} {plain}");
}
