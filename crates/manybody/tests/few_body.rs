//! The integrator ar-chain on problems whose answer is known: orbits by Kepler's equation, and Burrau's problem by
//! quadruple precision.

use manybody::few_body::{Ensemble, FewBody, Outcome};
use manybody::ic::{self, Kepler, kepler};
use manybody::simd::Level;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::Gravity;
use manybody::{Bodies, Error, Snapshot};
use std::f64::consts::TAU;

const NEWTON: Gravity = Gravity::new(1.0, 0.0);

fn parameters(dt: f64, t_end: f64) -> Parameters {
    let integrator = "ar-chain".parse().unwrap();
    Parameters { dt, t_end, eps: Some(0.0), audit: 0.0, integrator, ..Parameters::default() }
}

/// Runs to the end; the largest energy error after a step, that at the end, and the bodies.
fn run_to(start: Snapshot, parameters: Parameters) -> (f64, f64, Bodies) {
    let mut run = Simulation::start(start, parameters).unwrap();
    let (mut worst, mut last): (f64, f64) = (0.0, 0.0);
    while !run.is_finished() {
        run.step().unwrap();
        last = run.drift().unwrap().energy.abs();
        worst = worst.max(last);
    }
    (worst, last, run.bodies().unwrap().clone())
}

/// The largest energy error and the bodies.
fn run(start: Snapshot, parameters: Parameters) -> (f64, Bodies) {
    let (worst, _, bodies) = run_to(start, parameters);
    (worst, bodies)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn less(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|q| a[q] - b[q])
}

/// Semi-major axis (below 0 of a hyperbola), eccentricity, and the angle of the pericentre in the plane z = 0.
fn elements(mass: f64, x: [f64; 3], v: [f64; 3]) -> [f64; 3] {
    let (r, v2, xv) = (dot(x, x).sqrt(), dot(v, v), dot(x, v));
    let axis = 1.0 / (2.0 / r - v2 / mass);
    let vector: [f64; 3] = std::array::from_fn(|q| (v2 / mass - 1.0 / r) * x[q] - xv / mass * v[q]);
    [axis, dot(vector, vector).sqrt(), vector[1].atan2(vector[0])]
}

/// The centre of mass of two bodies: position and velocity.
fn center(bodies: &Bodies, i: usize, j: usize) -> [[f64; 3]; 2] {
    let (a, b) = (bodies.mass[i], bodies.mass[j]);
    let of = |p: [f64; 3], q: [f64; 3]| std::array::from_fn(|k| (a * p[k] + b * q[k]) / (a + b));
    [of(bodies.position(i), bodies.position(j)), of(bodies.velocity(i), bodies.velocity(j))]
}

/// Places at t = 80, semi-major axis and eccentricity of the pair 4 + 5, and of the escaper 3 about it: heyoka 7.13.2
/// in quadruple precision at a tolerance of 1e-30, by scripts/few_body_reference.py.
const PLACES: [[f64; 2]; 3] = [
    [12.447_442_892_031_93, 36.642_308_725_115_066],
    [-3.555_866_715_002_209, -12.354_781_205_563_537],
    [-4.623_772_363_217_391, -12.101_560_270_618_21],
];
const PAIR: [f64; 2] = [0.552_494_556_902_763_2, 0.988_707_371_185_149];
const ESCAPER: [f64; 2] = [-2.555_351_420_987_285_6, 1.001_774_595_322_742];

/// Six digits of places and elements, and an energy error of 1e-12, whatever dt. Errors of places at t = 0 are 1e8
/// times as large at t = 80: these are those of 2e-14.
#[test]
fn burraus_problem_ends_as_in_quadruple_precision() {
    for dt in [80.0, 1.0, 1.0 / 16.0] {
        let start = ic::by_name("pythagorean", &ic::Request::default()).unwrap();
        let (worst, energy, end) = run_to(start, parameters(dt, 80.0));
        assert!(energy < 1e-12, "dt = {dt}: {energy:e}");
        // a state inside an encounter has U = 3e4 |E|: rounding of the places that it is computed from is 1e-12 of E
        assert!(worst < if dt < 1.0 { 5e-12 } else { 1e-12 }, "dt = {dt}: {worst:e}");
        for (k, place) in PLACES.iter().enumerate() {
            let found = end.position(k);
            let off = (found[0] - place[0]).hypot(found[1] - place[1]) / place[0].hypot(place[1]);
            assert!(off < 1e-6 && found[2] == 0.0, "dt = {dt}, body {k}: {off:e}");
        }
        let pair = elements(9.0, less(end.position(2), end.position(1)), less(end.velocity(2), end.velocity(1)));
        let [x, v] = center(&end, 1, 2);
        let escaper = elements(12.0, less(end.position(0), x), less(end.velocity(0), v));
        for (found, right) in pair.iter().zip(PAIR).chain(escaper.iter().zip(ESCAPER)) {
            assert!((found / right - 1.0).abs() < 1e-6, "dt = {dt}: {found} for {right}");
        }
    }
}

fn ellipse(eccentricity: f64, phase: f64) -> Snapshot {
    kepler(&Kepler { eccentricity, phase, mass_ratio: 0.25, ..Kepler::default() }).unwrap()
}

/// 10^4 orbits of eccentricity 0.9999. At apocentre the energy is no difference of large numbers, as it is at
/// pericentre, where rounding of the kinetic energy alone is 4e-12 of it.
#[test]
fn an_orbit_of_eccentricity_0_9999_keeps_its_elements() {
    let start = ellipse(0.9999, 180.0);
    let before = start.bodies.clone();
    let (energy, end) = run(start, parameters(TAU, 1e4 * TAU));
    assert!(energy < 1e-12, "{energy:e}");
    let of = |b: &Bodies| elements(1.0, less(b.position(1), b.position(0)), less(b.velocity(1), b.velocity(0)));
    let (old, new) = (of(&before), of(&end));
    // 1 - e is 1e-4: 1e-13 of e are 1e-9 of the distance of pericentre
    assert!((new[0] / old[0] - 1.0).abs() < 1e-12 && (new[1] - old[1]).abs() < 1e-13, "{old:?} {new:?}");
    assert!((new[2] - old[2]).abs() < 1e-10, "the ellipse turns: {old:?} {new:?}");
    // the period follows from the axis of the numbers that it began with; the orbits are counted by 2 pi. An energy
    // error that grows to 2e-13 is an error of the phase of 1e-8, and 1e-10 of the way at the speed of apocentre, 0.007
    let late = 1e4 * TAU * (1.0 - old[0].powf(-1.5));
    let (x, v) = (less(end.position(1), end.position(0)), less(end.velocity(1), end.velocity(0)));
    let begin = less(before.position(1), before.position(0));
    let off = (0..3).map(|q| x[q] - begin[q] + late * v[q]).map(f64::abs).fold(0.0, f64::max);
    assert!(off < 1e-9, "{off:e}");
}

/// Far from the origin a close pair moves as at the origin: what rounding leaves of positions is carried from dt to dt.
#[test]
fn a_distant_origin_costs_nothing() {
    let end = |shift: f64| {
        let mut start = ellipse(0.999, 180.0);
        start.bodies.shift([shift, -shift, 0.0], [0.0; 3]);
        // multiples of 2^-20, which the shift does not round
        let bodies = &mut start.bodies;
        for column in [&mut bodies.x, &mut bodies.y] {
            column.iter_mut().for_each(|q| *q = (*q * 2.0_f64.powi(20)).round() * 2.0_f64.powi(-20));
        }
        let (_, end) = run(start, parameters(1.0 / 16.0, 20.0 * TAU));
        elements(1.0, less(end.position(1), end.position(0)), less(end.velocity(1), end.velocity(0)))
    };
    let (here, far) = (end(0.0), end(2.0_f64.powi(24)));
    // at the end places are rounded to 2^-29, and the pair is at its apocentre
    for q in 0..3 {
        assert!((here[q] - far[q]).abs() < 1e-8, "{here:?} {far:?}");
    }
}

/// Two bodies from far away: T is 4,000 times U, and U is not computed as their difference.
#[test]
fn an_encounter_of_unbound_bodies_is_cheap_and_exact() {
    let mut bodies = Bodies::default();
    bodies.push(0.5, [-1000.0, 1e-3, 0.0], [1.0, 0.0, 0.0]);
    bodies.push(0.5, [1000.0, -1e-3, 0.0], [-1.0, 0.0, 0.0]);
    let of = |b: &Bodies| elements(1.0, less(b.position(1), b.position(0)), less(b.velocity(1), b.velocity(0)));
    let mut few = FewBody::new(&bodies, &NEWTON).unwrap();
    few.advance(2000.0).unwrap();
    let mut end = bodies.clone();
    few.write(&mut end);
    let (old, new) = (of(&bodies), of(&end));
    assert!((0..3).all(|q| (old[q] - new[q]).abs() < 1e-10), "{old:?} {new:?}");
    assert!(few.evaluations() < 20_000, "{}", few.evaluations());
    // it has turned by 2 asin(1 / e)
    let (v, w) = (bodies.velocity(0), end.velocity(0));
    let turned = (dot(v, w) / (dot(v, v) * dot(w, w)).sqrt()).acos();
    assert!((turned - 2.0 * (1.0 / old[1]).asin()).abs() < 1e-3, "{turned}");
}

/// Without angular momentum two bodies turn back where they meet, as on ever thinner ellipses: after each period they
/// are where they began.
#[test]
fn bodies_that_meet_turn_back() {
    let mut start = Snapshot::default();
    start.bodies.push(0.5, [0.3, 0.4, 0.0], [0.0; 3]);
    start.bodies.push(0.5, [-0.3, -0.4, 0.0], [0.0; 3]);
    let before = start.bodies.clone();
    // at rest at a distance of 1: the axis is 1/2
    let period = TAU * 0.125_f64.sqrt();
    let (_, end) = run(start, parameters(period, 10.0 * period));
    let off = (0..2).map(|k| less(end.position(k), before.position(k))).map(|d| dot(d, d).sqrt()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off:e}");
}

/// One softening for all and each body's own, beside a splitting of order 6.
#[test]
fn softened_bodies_move_as_other_schemes_move_them() {
    let mut start = ic::by_name("plummer", &ic::Request::new(6, 3)).unwrap();
    for own in [None, Some(vec![0.1, 0.2, 0.05, 0.3, 0.1, 0.4])] {
        start.bodies.eps = own.clone();
        let eps = own.is_none().then_some(0.2);
        let (energy, end) = run(start.clone(), Parameters { eps, ..parameters(0.25, 2.0) });
        assert!(energy < 1e-13, "{energy:e}");
        let splitting = Parameters { eps, integrator: "yoshida6".parse().unwrap(), ..parameters(1.0 / 1024.0, 2.0) };
        let (_, right) = run(start.clone(), splitting);
        for k in 0..6 {
            let off = less(end.position(k), right.position(k));
            // yoshida6 at this step: 1e-11 [at half of it 64 times less]
            assert!(dot(off, off).sqrt() < 1e-10, "{k}: {off:?}");
        }
    }
}

/// No body and one body, which no forces move.
#[test]
fn systems_without_pairs_move() {
    let (_, none) = run(Snapshot::default(), parameters(0.25, 1.0));
    assert!(none.is_empty());
    let mut start = Snapshot::default();
    start.bodies.push(2.0, [1.0, 0.0, 0.0], [0.0, 0.5, 0.0]);
    let (_, one) = run(start, parameters(0.25, 1.0));
    assert_eq!((one.position(0), one.velocity(0)), ([1.0, 0.5, 0.0], [0.0, 0.5, 0.0]));
}

/// The centre of mass moves on a straight line.
#[test]
fn momentum_is_conserved() {
    let mut start = ic::by_name("pythagorean", &ic::Request::default()).unwrap();
    start.bodies.shift([3.0, 0.0, 0.0], [0.25, -0.5, 1.0]);
    let mut run = Simulation::start(start, parameters(0.5, 20.0)).unwrap();
    while !run.is_finished() {
        run.step().unwrap();
    }
    let drift = run.drift().unwrap();
    assert!(drift.momentum < 1e-15 && drift.angular_momentum < 1e-14, "{drift:?}");
    let (place, velocity) = run.bodies().unwrap().center_of_mass();
    let right = [3.0 + 5.0, -10.0, 20.0];
    assert!((0..3).all(|q| (place[q] - right[q]).abs() < 1e-13), "{place:?}");
    assert!((0..3).all(|q| (velocity[q] - [0.25, -0.5, 1.0][q]).abs() < 1e-15), "{velocity:?}");
}

/// Bodies at a distance whose square is below the numbers of f64: a message that names them, and no endless loop.
#[test]
fn bodies_without_a_step_are_named() {
    let mut bodies = Bodies::default();
    bodies.push(1.0, [0.0; 3], [0.0; 3]);
    bodies.push(1.0, [1.0, 0.0, 0.0], [0.0; 3]);
    bodies.push(1.0, [1e-170, 0.0, 0.0], [0.0; 3]);
    let error = FewBody::new(&bodies, &NEWTON).unwrap().advance(1.0).unwrap_err();
    let Error::Collision { pair, distance, .. } = error else { panic!("{error}") };
    assert_eq!((pair.map(|(k, _)| k), distance), ([0, 2], 1e-170));
    assert!(!error.is_bad_input());
    bodies.x[2] = 0.0;
    assert!(FewBody::new(&bodies, &NEWTON).unwrap_err().to_string().contains("eps"));
}

/// A long stretch can be given up between two steps.
#[test]
fn an_advance_can_be_stopped() {
    let bodies = ic::by_name("pythagorean", &ic::Request::default()).unwrap().bodies;
    let mut few = FewBody::new(&bodies, &NEWTON).unwrap();
    let mut shares = Vec::new();
    let stopped = few.advance_watched(80.0, &mut |share| {
        shares.push(share);
        share > 0.5
    });
    assert!(matches!(stopped, Err(Error::Interrupted)) && shares.is_sorted() && shares.len() > 50, "{shares:?}");
}

#[test]
fn what_it_does_not_suit_is_refused() {
    let many = ic::by_name("plummer", &ic::Request::new(33, 1)).unwrap();
    let refused = |start: &Snapshot, parameters: Parameters, parts: &[&str]| {
        let error = Simulation::start(start.clone(), parameters).unwrap_err();
        assert!(parts.iter().all(|part| error.to_string().contains(part)) && error.is_bad_input(), "{error}");
    };
    refused(&many, parameters(0.1, 1.0), &["33", "at most 32", "hermite4"]);
    let mut few = ic::by_name("plummer", &ic::Request::new(32, 1)).unwrap();
    assert!(Simulation::start(few.clone(), parameters(0.1, 1.0)).is_ok());
    use manybody::solver::{Device, Precision, SolverName};
    let plain = || parameters(0.1, 1.0);
    refused(&few, Parameters { precision: Precision::F32, ..plain() }, &["ar-chain", "f64"]);
    refused(&few, Parameters { device: Device::Cuda, ..plain() }, &["ar-chain", "CPU"]);
    refused(&few, Parameters { solver: SolverName::Tree, ..plain() }, &["ar-chain", "tree"]);
    refused(&few, Parameters { eta: Some(0.1), ..plain() }, &["eta", "hermite4", "ar-chain"]);
    refused(&few, Parameters { law: Some("coulomb".into()), eps: None, ..plain() }, &["coulomb"]);
    few.bodies.mass[5] = 0.0;
    refused(&few, plain(), &["mass", "body 5"]);
}

/// A number from 0 to 1, by a linear congruential generator.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

/// Systems of 1 to 5 bodies in turn, bound ones and encounters, mixed up.
fn systems(count: u64) -> (Bodies, Vec<u64>) {
    let (mut bodies, mut names, mut seed) = (Bodies::default(), Vec::new(), 11);
    for round in 0..5 {
        for system in 0..count {
            if round <= system % 5 {
                let mut vector = |size: f64| [0; 3].map(|_| size * (random(&mut seed) - 0.5));
                let (place, velocity) = (vector(2.0), vector(if system % 2 == 0 { 0.5 } else { 3.0 }));
                bodies.push(0.2 + random(&mut seed), place, velocity);
                names.push(1000 - system);
            }
        }
    }
    (bodies, names)
}

fn bits(bodies: &Bodies) -> Vec<u64> {
    let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
    [x, y, z, vx, vy, vz].into_iter().flatten().map(|q| q.to_bits()).collect()
}

/// Each system alone: the bodies, and the evaluations.
fn one_by_one(bodies: &Bodies, names: &[u64], durations: &[f64]) -> (Bodies, u64) {
    let (mut all, mut evaluations) = (bodies.clone(), 0);
    let known: std::collections::BTreeSet<u64> = names.iter().copied().collect();
    for name in known {
        let own: Vec<usize> = (0..names.len()).filter(|k| names[*k] == name).collect();
        let mut system = Bodies::default();
        own.iter().for_each(|k| system.push(bodies.mass[*k], bodies.position(*k), bodies.velocity(*k)));
        let mut few = FewBody::new(&system, &NEWTON).unwrap();
        durations.iter().for_each(|duration| few.advance(*duration).unwrap());
        few.write(&mut system);
        evaluations += few.evaluations();
        for (k, of) in own.iter().enumerate().map(|(at, k)| (*k, at)) {
            [all.x[k], all.y[k], all.z[k]] = system.position(of);
            [all.vx[k], all.vy[k], all.vz[k]] = system.velocity(of);
        }
    }
    (all, evaluations)
}

/// The bits of each system are those that it has alone, at every level and for any number of threads.
#[test]
fn systems_side_by_side_have_the_bits_of_each() {
    let (start, names) = systems(203);
    let durations = [1.5, 0.25];
    let (right, evaluations) = one_by_one(&start, &names, &durations);
    for (level, threads) in Level::available().into_iter().flat_map(|level| [(level, 1), (level, 3)]) {
        let mut ensemble = Ensemble::new(&start, &names, &NEWTON).unwrap();
        ensemble.set_level(level).unwrap();
        let before = ensemble.energies();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| durations.iter().for_each(|duration| ensemble.advance(*duration).unwrap()));
        let mut found = start.clone();
        ensemble.write(&mut found);
        assert!(bits(&found) == bits(&right), "{level}, {threads} threads");
        assert_eq!(ensemble.evaluations(), evaluations, "{level}, {threads} threads");
        assert!(ensemble.outcomes().iter().all(|outcome| *outcome == Outcome::Advanced));
        assert!(ensemble.times().iter().all(|time| *time == 1.75));
        for ((before, after), name) in before.iter().zip(ensemble.energies()).zip(ensemble.names()) {
            let change = (after[0] - after[1]) - (before[0] - before[1]);
            // a thousand steps with errors of 1e-15
            assert!(change.abs() <= 1e-12 * (after[0] + after[1]), "system {name}: {before:?} {after:?}");
        }
    }
}

/// Bodies with radii end their systems when they touch, at the time at which they do alone, and the others go on.
#[test]
fn systems_end_where_bodies_touch() {
    let (start, names) = systems(100);
    let radius: Vec<f64> = (0..start.len()).map(|k| if k % 3 == 0 { 0.05 } else { 0.02 }).collect();
    for level in Level::available() {
        let mut ensemble = Ensemble::new(&start, &names, &NEWTON).unwrap();
        ensemble.set_level(level).unwrap();
        ensemble.set_radii(&radius);
        (0..2).for_each(|_| ensemble.advance(2.0).unwrap());
        let mut found = start.clone();
        ensemble.write(&mut found);
        let mut touched = 0;
        for (at, outcome) in ensemble.outcomes().into_iter().enumerate() {
            let Outcome::Contact { pair: [i, j], time } = outcome else { continue };
            touched += 1;
            assert_eq!([names[i], names[j]], [ensemble.names()[at]; 2]);
            let apart = less(found.position(i), found.position(j));
            let beyond = dot(apart, apart).sqrt() / (radius[i] + radius[j]) - 1.0;
            // places relative to others are rounded
            assert!(time == ensemble.times()[at] && (0.0..4.0).contains(&time));
            assert!(time == 0.0 || beyond.abs() < 1e-13, "{beyond:e}");
        }
        assert!((20..70).contains(&touched), "{touched}");
    }
}

/// What no ensemble can be made of.
#[test]
fn ensembles_refuse_what_has_no_answer() {
    let (start, names) = systems(10);
    let message = |bodies: &Bodies, names: &[u64]| Ensemble::new(bodies, names, &NEWTON).unwrap_err().to_string();
    assert!(message(&start, &names[1..]).contains("must have a number for each of 30 bodies"));
    let mut light = start.clone();
    light.mass[7] = 0.0;
    assert!(message(&light, &names).contains("body 7"));
    let many = vec![3; 40];
    let mut crowd = Bodies::default();
    (0..40).for_each(|k| crowd.push(1.0, [k as f64, 0.0, 0.0], [0.0; 3]));
    assert!(message(&crowd, &many).contains("system 3 has 40 bodies: must be at most 32"));
    let mut twice = Bodies::default();
    (0..2).for_each(|_| twice.push(1.0, [1.0; 3], [0.0; 3]));
    assert!(message(&twice, &[5, 5]).contains("at one place without softening"));
    assert!(Ensemble::new(&twice, &[5, 6], &NEWTON).is_ok());
    let mut ensemble = Ensemble::new(&start, &names, &NEWTON).unwrap();
    assert!(ensemble.advance(f64::NAN).unwrap_err().to_string().contains("duration"));
    assert!(matches!(ensemble.advance_watched(1.0, &|_| true), Err(Error::Interrupted)));
}
