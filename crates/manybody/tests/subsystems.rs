//! Compact subsystems inside hermite4: `--pairs chain`.

#[path = "common/close_pairs.rs"]
mod close_pairs;

use close_pairs::{begin, cluster, parameters, to_the_end};
use manybody::integrator::Pairs;
use manybody::simulation::{Parameters, Simulation};
use manybody::{Bodies, Snapshot, ic};

/// Bodies of scripts/subsystems_reference.py.
fn bodies_of(bodies: &[(f64, [f64; 3], [f64; 3])]) -> Snapshot {
    let mut start = ic::by_name("plummer", &ic::Request::new(1, 5)).unwrap();
    start.bodies = Bodies::default();
    bodies.iter().for_each(|(mass, place, velocity)| start.bodies.push(*mass, *place, *velocity));
    start
}

/// A binary of axis 1e-3 and eccentricity 0.5, and a body of twice the mass of each on an inclined circle.
fn triple(apocentres: f64) -> Snapshot {
    let axis = 1e-3_f64;
    let (r, v) = (1.5 * axis, (1.0 / axis / 3.0).sqrt());
    let d = apocentres * r;
    let w = (2.0 / d).sqrt();
    bodies_of(&[
        (0.5, [-0.5 * d + 0.5 * r, 0.0, 0.0], [0.0, -0.5 * w + 0.5 * v, 0.0]),
        (0.5, [-0.5 * d - 0.5 * r, 0.0, 0.0], [0.0, -0.5 * w - 0.5 * v, 0.0]),
        (1.0, [0.5 * d, 0.0, 0.0], [0.0, 0.5 * w * 0.6_f64.cos(), 0.5 * w * 0.6_f64.sin()]),
    ])
}

/// A binary of axis 0.01 and a body that falls towards it from a distance of 0.5.
fn encounter(impact: f64) -> Snapshot {
    bodies_of(&[
        (0.5, [0.005, 0.0, 0.0], [0.0, 5.0, 0.0]),
        (0.5, [-0.005, 0.0, 0.0], [0.0, -5.0, 0.0]),
        (0.5, [0.5, impact, 0.002], [-1.0, 0.0, 0.0]),
    ])
}

/// Semi-major axis, eccentricity, and the angle of the pericentre in the plane z = 0, of two bodies.
fn elements(bodies: &Bodies, i: usize, j: usize) -> [f64; 3] {
    let less = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|q| a[q] - b[q]) };
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mass = bodies.mass[i] + bodies.mass[j];
    let (x, v) = (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
    let (r, v2, xv) = (dot(x, x).sqrt(), dot(v, v), dot(x, v));
    let vector: [f64; 3] = std::array::from_fn(|q| (v2 / mass - 1.0 / r) * x[q] - xv / mass * v[q]);
    [1.0 / (2.0 / r - v2 / mass), dot(vector, vector).sqrt(), vector[1].atan2(vector[0])]
}

/// Absolute differences of elements; that of the semi-major axis is relative.
fn off(found: [f64; 3], right: [f64; 3]) -> [f64; 3] {
    [(found[0] / right[0] - 1.0).abs(), (found[1] - right[1]).abs(), (found[2] - right[2]).abs()]
}

/// A hard binary and a third body at 10 to 50 apocentres beside IAS15: the elements after 314 periods. At 10 apocentres
/// all three are one subsystem, which is as accurate as IAS15; farther away the third is a body of the scheme. Limits are
/// three times what was measured.
#[test]
fn a_third_body_changes_a_binary_as_it_must() {
    for (apocentres, right, limits) in [
        (10.0, [0.0009984729705381614, 0.5152906415429255, 0.5529320734075387], [1e-12; 3]),
        (15.0, [0.0009999028533904232, 0.49383774618287873, 0.17029901682232898], [8e-7, 3e-6, 2e-5]),
        (30.0, [0.0009999810414403757, 0.4966715887504371, 0.02386647763436849], [2e-9, 2e-6, 2e-6]),
        (50.0, [0.0009999939037748623, 0.4983807366710761, 0.0034631037606997427], [1e-9, 1e-7, 2e-7]),
    ] {
        let of = |pairs| Parameters { dt: 1.0 / 1024.0, ..parameters(1.0 / 16.0, Some(pairs)) };
        let (error, steps, mut run) = to_the_end(begin(&triple(apocentres), of(Pairs::Chain)));
        let found = off(elements(run.bodies().unwrap(), 0, 1), right);
        assert!(found.iter().zip(limits).all(|(off, limit)| *off < limit), "{apocentres}: {found:?}");
        assert!(error < 4e-6 && steps < 1000, "{apocentres}: {error:e} {steps}");
        // what plain hermite4 makes of it, with a hundred times as many steps
        let (plain, plain_steps, mut run) = to_the_end(begin(&triple(apocentres), of(Pairs::Resolved)));
        let turned = off(elements(run.bodies().unwrap(), 0, 1), right)[2];
        assert!(plain > 20.0 * error && plain_steps > 100 * steps && turned > 20.0 * found[2], "{plain:e} {turned:e}");
    }
}

/// The error of such a triple falls with eta: the tides and what they do to the third body are those of one system.
#[test]
fn the_energy_error_of_a_perturbed_binary_falls_with_eta() {
    let of = |eta| {
        let parameters = Parameters { dt: 1.0 / 1024.0, eta: Some(eta), ..parameters(1.0 / 16.0, Some(Pairs::Chain)) };
        to_the_end(begin(&triple(30.0), parameters)).0
    };
    let errors = [0.1, 0.05, 0.025].map(of);
    assert!(errors[0] > 8.0 * errors[1] && errors[1] > 8.0 * errors[2], "{errors:?}");
}

/// Two encounters of a binary with a single body, after which it is bound to another one: beside IAS15, with steps of the
/// run of ten periods to less than one.
#[test]
fn an_encounter_resolves_as_it_must() {
    for (impact, (i, j), right) in [
        (0.01, (1, 2), [0.006060411339910069, 0.8047404181397453, -1.2286173813630914]),
        (0.05, (0, 2), [0.0050968504082395776, 0.9501091933431327, -2.654395547519756]),
    ] {
        for dt in [1.0 / 16.0, 1.0 / 64.0, 1.0 / 256.0] {
            let (error, steps, mut run) =
                to_the_end(begin(&encounter(impact), Parameters { dt, ..parameters(1.0, Some(Pairs::Chain)) }));
            let found = off(elements(run.bodies().unwrap(), i, j), right);
            // the fall to the binary is that of the scheme; the errors of it grow in the encounter
            assert!(found.iter().all(|off| *off < 1e-4), "{impact} {dt}: {found:?}");
            assert!(error < 2e-6 && steps < 2000, "{impact} {dt}: {error:e} {steps}");
        }
    }
}

/// Twenty binaries in 200 bodies, hard ones that others perturb, and ones that meet others: an energy error below 1e-6 with a
/// seventieth and a fourteenth of the steps.
#[test]
fn binaries_of_a_cluster_cost_neither_time_nor_energy() {
    for (a, fewer, limit) in [(1e-3, 70, 2e-7), (4e-3, 12, 1e-6)] {
        let start = cluster(200, 20, a);
        let (plain, plain_steps, _) = to_the_end(begin(&start, parameters(0.5, None)));
        let (error, steps, run) = to_the_end(begin(&start, parameters(0.5, Some(Pairs::Chain))));
        assert!(steps * fewer < plain_steps, "{a}: {steps} of {plain_steps}");
        assert!(error < limit && 5.0 * error < plain, "{a}: {error:e} {plain:e}");
        assert!(run.integrator().work().unwrap().regularised > 0);
    }
}

/// Two bodies that meet within a dt, and are not among the six nearest neighbours of each other at the beginning: the dt is
/// made again with the two in one subsystem.
#[test]
fn an_encounter_within_a_step_is_noticed() {
    let mut start =
        bodies_of(&[(1e-4, [0.3, 1e-6, 0.0], [-1.0, 0.0, 0.0]), (1e-4, [-0.3, -1e-6, 0.0], [1.0, 0.0, 0.0])]);
    for k in 0..12 {
        let side = if k % 2 == 0 { 0.35 } else { -0.35 };
        start.bodies.push(1e-9, [side, 0.02 * f64::from(k), 0.1], [0.0; 3]);
    }
    let long = |pairs| Parameters { dt: 0.5, ..parameters(0.5, Some(pairs)) };
    let (plain, plain_steps, _) = to_the_end(begin(&start, long(Pairs::Resolved)));
    let (error, steps, mut run) = to_the_end(begin(&start, long(Pairs::Chain)));
    let labels = run.bodies().unwrap().extra["hermite_subsystem"].clone();
    assert_eq!(labels[..3], [1.0, 1.0, 0.0]);
    assert!(error < 1e-12 && 1e4 * error < plain && steps < plain_steps, "{error:e} {plain:e} {steps} {plain_steps}");
}

fn keep(run: &mut Simulation) -> Snapshot {
    run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap()
}

/// Subsystems come and go in this run; each of its states has all that it needs to go on.
#[test]
fn a_resumed_run_has_the_same_bits() {
    let start = cluster(60, 10, 8e-3);
    let parameters = parameters(0.5, Some(Pairs::Chain));
    let whole = keep(&mut to_the_end(begin(&start, parameters.clone())).2);
    let mut run = begin(&start, parameters);
    let (mut seen, mut sizes) = (Vec::new(), 0);
    while !run.is_finished() {
        let kept = keep(&mut run);
        if let Some(labels) = kept.bodies.extra.get("hermite_subsystem") {
            let size = |label: &f64| labels.iter().filter(|other| *other == label).count();
            sizes = sizes.max(labels.iter().filter(|label| **label > 0.0).map(size).max().unwrap_or(0));
            seen.push(labels.clone());
        }
        let again = Parameters::kept_in(&kept).unwrap();
        let resumed = Simulation::resume(kept, again).unwrap();
        assert!(keep(&mut to_the_end(resumed).2) == whole, "from step {}", run.clock().step());
        run.step().unwrap();
    }
    seen.dedup();
    assert!(seen.len() > 3 && sizes > 2, "{} changes, of {sizes} bodies at most", seen.len());
}

/// Bodies without mass near to binaries change no bit of the others.
#[test]
fn massless_bodies_change_nothing() {
    let start = cluster(60, 6, 4e-3);
    let mut with = start.clone();
    for k in 0..4 {
        let (place, velocity) = (start.bodies.position(k), start.bodies.velocity(k));
        let away = 0.01 * f64::from(1 + k as u32);
        with.bodies.push(0.0, [place[0], place[1] + away, place[2]], velocity);
    }
    let end = |start: &Snapshot| {
        let (_, _, mut run) = to_the_end(begin(start, parameters(0.125, Some(Pairs::Chain))));
        keep(&mut run).bodies
    };
    let (alone, with) = (end(&start), end(&with));
    for k in 0..60 {
        assert!(alone.position(k) == with.position(k) && alone.velocity(k) == with.velocity(k), "{k}");
    }
}
