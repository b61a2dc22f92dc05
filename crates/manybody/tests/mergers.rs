//! Bodies that touch in regularised systems: `--collisions merge` with `--pairs chain` and with ar-chain.

#[path = "common/reference.rs"]
mod reference;

use manybody::events::{BodyEvent, Collisions};
use manybody::integrator::Pairs;
use manybody::simulation::{Parameters, Simulation};
use manybody::{Bodies, Snapshot, ic};
use reference::Reference;
use std::f64::consts::{PI, TAU};

type Vector = [f64; 3];

fn less(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|q| a[q] - b[q])
}

fn length(a: Vector) -> f64 {
    a.iter().map(|q| q * q).sum::<f64>().sqrt()
}

fn bodies_of(bodies: &[(f64, Vector, Vector)]) -> Snapshot {
    let mut start = Snapshot::default();
    bodies.iter().for_each(|(mass, place, velocity)| start.bodies.push(*mass, *place, *velocity));
    start
}

fn keep(run: &mut Simulation) -> Snapshot {
    run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap()
}

/// What happens up to the end of a run, with the run.
fn to_the_end(mut run: Simulation) -> (Vec<BodyEvent>, Simulation) {
    while !run.is_finished() {
        run.step().unwrap();
    }
    (run.take_events(), run)
}

/// Runs in which bodies merge, by one of the regularised ways.
fn merging(way: &str, dt: f64, t_end: f64) -> Parameters {
    let (integrator, pairs) = match way {
        "ar-chain" => ("ar-chain", None),
        "chain of order 6" => ("hermite6", Some(Pairs::Chain)),
        _ => ("hermite4", Some(Pairs::Chain)),
    };
    let integrator = integrator.parse().unwrap();
    let collisions = Some(Collisions::Merge);
    Parameters { dt, t_end, eps: Some(0.0), audit: 0.0, integrator, pairs, collisions, ..Parameters::default() }
}

fn with_radii(mut start: Snapshot, radius: impl Fn(usize) -> f64) -> Snapshot {
    let radii = (0..start.bodies.len()).map(radius).collect();
    start.bodies.extra.insert("radius".into(), radii);
    start
}

fn begin(start: &Snapshot, parameters: Parameters) -> Simulation {
    Simulation::start(start.clone(), parameters).unwrap()
}

fn events(start: &Snapshot, parameters: Parameters) -> (Vec<BodyEvent>, Simulation) {
    to_the_end(begin(start, parameters))
}

/// Two bodies of masses 0.7 and 0.3 at the apocentre of an orbit of this axis and eccentricity, whose centre of mass moves.
fn pair(axis: f64, eccentricity: f64) -> [(f64, Vector, Vector); 2] {
    let r = axis * (1.0 + eccentricity);
    let v = ((1.0 - eccentricity) / r).sqrt();
    [
        (0.7, [1.0 - 0.3 * r, 2.0, 0.0], [0.5, 0.25 - 0.3 * v, 0.125]),
        (0.3, [1.0 + 0.7 * r, 2.0, 0.0], [0.5, 0.25 + 0.7 * v, 0.125]),
    ]
}

/// The time from the apocentre of an orbit with G M = 1 to a distance.
fn fall(axis: f64, eccentricity: f64, r: f64) -> f64 {
    let anomaly = ((1.0 - r / axis) / eccentricity).acos();
    axis.powf(1.5) * (PI - anomaly + eccentricity * anomaly.sin())
}

/// The time of contact on an orbit, where the bodies fall nearly on a line, too, and the sum: at the centre of mass, which has
/// moved straight on. With light bodies around, whose tides are below 1e-15.
#[test]
fn a_pair_touches_when_kepler_says() {
    let axis = 1e-3;
    for way in ["chain", "ar-chain"] {
        for (eccentricity, radii, dt) in [
            (0.5, 0.7, 1.0 / 256.0),
            (0.9, 0.2, 1.0 / 64.0),
            (0.9, 0.1 + 1e-6, 1.0 / 1024.0),
            (0.9999, 1e-2, 1.0 / 64.0),
            (1.0 - 1e-12, 1e-3, 1.0 / 64.0),
        ] {
            let mut bodies = pair(axis, eccentricity).to_vec();
            for k in 0..6 {
                let side = if k % 2 == 0 { 1.0 } else { -1.0 };
                bodies.push((1e-12, [1.0 + 0.3 * side, 2.0, 0.1 * f64::from(k)], [0.5, 0.25, 0.125 + side]));
            }
            let radii = radii * axis;
            let start = with_radii(bodies_of(&bodies), |k| [0.25 * radii, 0.75 * radii].get(k).map_or(0.0, |r| *r));
            let (found, mut run) = events(&start, merging(way, dt, 1.0 / 16.0));
            let [event] = found[..] else { panic!("{way} {eccentricity}: {found:?}") };
            let right = fall(axis, eccentricity, radii);
            // rounding of the start, 1e-16 of places of 1 beside 1e-3, is 1e-13 of the orbit
            let off = (event.time / right - 1.0).abs();
            assert!(off < 3e-12, "{way} {eccentricity} {dt}: {} {right} {off:e}", event.time);
            let place = [1.0 + 0.5 * event.time, 2.0 + 0.25 * event.time, 0.125 * event.time];
            let away = [length(less(event.position, place)), length(less(event.velocity, [0.5, 0.25, 0.125]))];
            // what light bodies do to it is 1e-12 of their accelerations of 10
            assert!(away[0] < 1e-14 && away[1] < 1e-12, "{way} {eccentricity}: {away:?}");
            assert_eq!((event.mass, event.id, event.other), (1.0, start.bodies.id[0], Some(start.bodies.id[1])));
            let speed = (2.0 / radii - 1.0 / axis).sqrt();
            assert!((event.speed / speed - 1.0).abs() < 1e-11, "{way} {eccentricity}: {} {speed}", event.speed);
            let heat = -0.5 * 0.21 * speed * speed + 0.21 / radii;
            assert!((event.energy / heat - 1.0).abs() < 1e-10, "{way} {eccentricity}: {} {heat}", event.energy);
            let drift = run.drift().unwrap();
            // speeds of up to 1,400 in f64
            assert!(drift.momentum < 1e-12 && drift.energy.abs() < 1e-11, "{way} {eccentricity}: {drift:?}");
            assert_eq!(run.count(), 7);
        }
    }
}

/// A pair in a cluster of 30 bodies, which disturb it: beside a scheme that has nothing in common with these.
#[test]
fn a_pair_in_a_cluster_touches_when_it_must() {
    let mut start = ic::by_name("plummer", &ic::Request::new(30, 5)).unwrap();
    let bodies = &mut start.bodies;
    // the last body beside the first: at apocentre, e = 0.95
    let (axis, mass) = (2e-3_f64, bodies.mass[0] + bodies.mass[29]);
    let (r, v) = (1.95 * axis, (mass * 0.05 / (1.95 * axis)).sqrt());
    let (place, velocity) = (bodies.position(0), bodies.velocity(0));
    [bodies.x[29], bodies.y[29], bodies.z[29]] = [place[0] + 0.6 * r, place[1] + 0.8 * r, place[2]];
    [bodies.vx[29], bodies.vy[29], bodies.vz[29]] = [velocity[0] - 0.8 * v, velocity[1] + 0.6 * v, velocity[2]];
    let start = with_radii(start, |k| [1e-4, 2e-4][usize::from(k == 29)] * f64::from(u8::from(k % 29 == 0)));
    let mut right = Reference::of(&start.bodies, 2e-3);
    assert_eq!(right.until_contact(1.0 / 64.0), Some((0, 29)));
    let (place, velocity) = right.center((0, 29));
    for eta in [0.1, 0.05] {
        let parameters = Parameters { eta: Some(eta), ..merging("chain", 1.0 / 64.0, 1.0 / 64.0) };
        let (found, mut run) = events(&start, parameters);
        let [event] = found[..] else { panic!("{found:?}") };
        let off = [
            (event.time / right.time - 1.0).abs(),
            length(less(event.position, place)),
            length(less(event.velocity, velocity)),
        ];
        let drift = run.drift().unwrap();
        assert!(off[0] < 1e-8 && off[1] < 1e-8 && off[2] < 1e-7, "{eta}: {off:?}");
        assert!(drift.energy.abs() < 1e-7 && drift.momentum < 1e-8, "{drift:?}");
        assert_eq!(run.count(), 29);
    }
}

/// A pair among nine bodies at 5 to 9 of its sizes: too many for one subsystem, so that it is one that is isolated fairly, without
/// them. The part of the step up to the contact has the same subsystem.
#[test]
fn a_pair_in_a_crowd_touches_when_it_must() {
    let axis = 1e-3;
    let mut bodies = pair(axis, 0.9).to_vec();
    for k in 0..9 {
        let (r, at, tilt) = (10e-3 + 1e-3 * f64::from(k), 2.4 * f64::from(k), 0.7 * f64::from(k));
        let w = (1.0 / r).sqrt();
        let around = [-w * at.sin() * tilt.cos(), w * at.cos() * tilt.cos(), w * tilt.sin()];
        let place = [1.0 + r * at.cos(), 2.0 + r * at.sin(), 0.0];
        bodies.push((1e-3, place, std::array::from_fn(|q| [0.5, 0.25, 0.125][q] + around[q])));
    }
    let radii = 0.2 * axis;
    let start = with_radii(bodies_of(&bodies), |k| [0.25 * radii, 0.75 * radii].get(k).map_or(0.0, |r| *r));
    let mut right = Reference::of(&start.bodies, 1e-4);
    assert_eq!(right.until_contact(1.0 / 64.0), Some((0, 1)));
    let of = |pairs| {
        let parameters = Parameters { pairs: Some(pairs), ..merging("chain", 1.0 / 256.0, 1.0 / 256.0) };
        let (found, mut run) = events(&start, parameters);
        let [event] = found[..] else { panic!("{found:?}") };
        ((event.time / right.time - 1.0).abs(), run.drift().unwrap().energy.abs())
    };
    let [(off, error), (_, plain)] = [Pairs::Chain, Pairs::Resolved].map(of);
    assert!(off < 1e-9 && 30.0 * error < plain, "{off:e} {error:e} {plain:e}");
}

/// A hierarchical triple whose inner pair is disturbed so that it touches at a later pericentre, which no step ends at; and one
/// of which all three become one, one after another.
#[test]
fn bodies_of_a_triple_touch_when_they_must() {
    // the pair at apocentre, e = 0.8, and a third body at some eight of its apocentres, which is bound and comes closer
    let triple = |radius: f64| {
        let bodies = [
            (0.5, [0.9e-3, 0.0, 0.0], [0.0, 5.2, 0.0]),
            (0.5, [-0.9e-3, 0.0, 0.0], [0.0, -5.2, 0.0]),
            (0.8, [6e-3, 1e-3, 2e-3], [-6.0, 4.0, -3.0]),
        ];
        with_radii(bodies_of(&bodies), move |_| radius)
    };
    for (radius, count) in [(9e-5, 1), (4e-4, 2)] {
        let start = triple(radius);
        let mut right = Reference::of(&start.bodies, 1e-3);
        let pair = right.until_contact(0.02).unwrap();
        for way in ["chain", "ar-chain"] {
            for dt in [1.0 / 64.0, 1.0 / 512.0] {
                let (found, mut run) = events(&start, merging(way, dt, 1.0 / 64.0));
                assert_eq!(found.len(), count, "{way} {dt}: {found:?}");
                let (place, velocity) = right.center(pair);
                let off = [
                    (found[0].time / right.time - 1.0).abs(),
                    length(less(found[0].position, place)),
                    length(less(found[0].velocity, velocity)),
                ];
                assert!(off[0] < 1e-8 && off[1] < 1e-10 && off[2] < 1e-6, "{way} {dt}: {off:?}");
                let drift = run.drift().unwrap();
                assert!(drift.energy.abs() < 1e-7 && drift.momentum < 1e-13, "{way} {dt}: {drift:?}");
            }
        }
    }
}

/// A hard binary in a weak tide, which is averaged over its orbits: it merges if its pericentre is below the sum of the radii, at
/// its first passage, and does not if it is above, where its orbits are integrated only if that is by little.
#[test]
fn an_averaged_pair_touches_at_its_pericentre() {
    let axis = 1e-3;
    for (by, merges) in [(-1e-2, true), (-1e-6, true), (1e-6, false), (1e-2, false)] {
        let mut bodies = pair(axis, 0.5).to_vec();
        // 400 times as far: the tide is 1e-7 of the attraction
        bodies.push((1.0, [1.4, 2.0, 0.0], [0.5, 0.25 + 2.2, 0.125]));
        let sum = 0.5 * axis * (1.0 - by);
        let start = with_radii(bodies_of(&bodies), |k| if k < 2 { 0.5 * sum } else { 0.0 });
        let (found, run) = events(&start, merging("chain", 1.0 / 64.0, 1.0 / 16.0));
        let work = run.integrator().work().unwrap();
        assert_eq!(found.len(), usize::from(merges), "{by}: {found:?}");
        if merges {
            let right = fall(axis, 0.5, sum);
            // a tide of 1e-7; at the pericentre the time to a distance depends on its root
            assert!((found[0].time / right - 1.0).abs() < 1e-3 && found[0].time < 0.51 * TAU * axis.powf(1.5));
        }
        // 314 orbits of some 60 evaluations, or not one of them
        assert_eq!(work.regularised > 10_000, by == 1e-6, "{by}: {work:?}");
    }
}

/// Cycles of Kozai and Lidov make an orbit eccentric until its bodies touch: averaged up to there, or integrated all the time.
#[test]
fn a_pair_becomes_eccentric_until_it_touches() {
    let axis = 1e-3_f64;
    let of = |perturbation: f64| {
        // at apocentre, e = 0.5, half-way between the node of the outer orbit and what is at right angles to it
        let (r, v) = (1.5 * axis, (1.0 / axis / 3.0).sqrt());
        let (d, w) = (0.15_f64, (2.0_f64 / 0.15).sqrt());
        let half = 0.5_f64.sqrt();
        let (sin, cos) = 1.4_f64.sin_cos();
        let bodies = [
            (0.5, [0.5 * r * half, 0.5 * r * half, 0.0], [-0.5 * v * half, 0.5 * v * half, 0.0]),
            (0.5, [-0.5 * r * half, -0.5 * r * half, 0.0], [0.5 * v * half, -0.5 * v * half, 0.0]),
            (1.0, [d, 0.0, 0.0], [0.0, w * cos, w * sin]),
        ];
        let start = with_radii(bodies_of(&bodies), |k| if k < 2 { 0.24 * axis } else { 0.0 });
        let parameters = Parameters { perturbation: Some(perturbation), ..merging("chain", 1.0 / 64.0, 8.0) };
        let (found, run) = events(&start, parameters);
        let work = run.integrator().work().unwrap();
        assert_eq!(found.len(), 1, "{perturbation}: {found:?}");
        (found[0].time, work.regularised)
    };
    let (averaged, integrated) = (of(3e-6), of(1e-7));
    assert!((averaged.0 / integrated.0 - 1.0).abs() < 1e-3, "{averaged:?} {integrated:?}");
    assert!(100 * averaged.1 < integrated.1, "{averaged:?} {integrated:?}");
}

/// Subsystems, contacts inside of them, and bodies that touch without: each of the states of such a run has all that it needs to
/// go on, and threads change no bit.
#[test]
fn a_run_with_mergers_is_resumed_with_the_same_bits() {
    let mut start = ic::by_name("plummer", &ic::Request::new(60, 7)).unwrap();
    let bodies = &mut start.bodies;
    for k in 0..6 {
        let (i, j) = (k, 59 - k);
        // at apocentre; the pericentres are 0.01 to 0.2 of the axis, and half of the periods 0.2 to 8 dt
        let (axis, e) = (4e-3 + 0.01 * k as f64, 0.99 - 0.04 * k as f64);
        let (r, v) = (axis * (1.0 + e), ((bodies.mass[i] + bodies.mass[j]) / axis * (1.0 - e) / (1.0 + e)).sqrt());
        let (place, velocity) = (bodies.position(i), bodies.velocity(i));
        [bodies.x[j], bodies.y[j], bodies.z[j]] = [place[0] + r, place[1], place[2]];
        [bodies.vx[j], bodies.vy[j], bodies.vz[j]] = [velocity[0], velocity[1] + v, velocity[2]];
    }
    // bodies without mass beside some of them
    for k in 0..10 {
        let (place, velocity) = (start.bodies.position(k), start.bodies.velocity(k));
        start.bodies.push(0.0, [place[0], place[1] + 5e-3, place[2]], velocity);
    }
    let start = with_radii(start, |k| if k % 3 == 0 { 2e-3 } else { 5e-4 });
    for way in ["chain", "chain of order 6"] {
        let parameters = merging(way, 1.0 / 64.0, 0.5);
        let (found, mut run) = events(&start, parameters.clone());
        let drift = run.drift().unwrap();
        assert!(found.len() > 5 && drift.energy.abs() < 1e-6, "{drift:?} {found:?}");
        assert!(found.is_sorted_by_key(|event| event.time));
        let massive = found.iter().filter(|event| event.other_mass != Some(0.0));
        let mut steps: Vec<f64> = massive.map(|event| (64.0 * event.time).floor()).collect();
        steps.dedup();
        assert!(steps.len() > 2, "{steps:?}");
        let whole = keep(&mut run);
        let mut run = begin(&start, parameters.clone());
        let mut seen = Vec::new();
        while !run.is_finished() {
            let kept = keep(&mut run);
            let again = Parameters::from_snapshot(&kept).unwrap();
            let (rest, mut resumed) = to_the_end(Simulation::resume(kept, again).unwrap());
            assert!(keep(&mut resumed) == whole, "from step {}", run.clock().step());
            assert_eq!([&seen[..], &rest[..]].concat(), found);
            run.step().unwrap();
            seen.extend(run.take_events());
        }
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let alone = pool.install(|| keep(&mut events(&start, parameters.clone()).1));
            assert!(alone == whole, "{threads} threads");
        }
    }
}

/// Bodies without mass change no bit of the others, also where bodies of subsystems swallow them; and they are swallowed there.
#[test]
fn bodies_of_subsystems_swallow_bodies_without_mass() {
    let binary = |light: &[(f64, Vector, Vector)]| {
        let mut bodies = pair(1e-3, 0.5).to_vec();
        bodies.push((1.0, [1.4, 2.0, 0.0], [0.5, 0.25 + 2.2, 0.125]));
        bodies.extend(light);
        let start = with_radii(bodies_of(&bodies), |k| if k < 2 { 5e-5 } else { 0.0 });
        let (found, mut run) = events(&start, merging("chain", 1.0 / 1024.0, 1.0 / 256.0));
        (found, keep(&mut run).bodies)
    };
    let (found, alone) = binary(&[]);
    assert!(found.is_empty());
    // at rest beside one of the two, which takes it along or falls on it; and far away
    let near = (0.0, [1.0 + 0.7 * 1.5e-3, 2.0 + 2e-4, 0.0], [0.5, 0.25, 0.125]);
    let far = (0.0, [1.0, 2.3, 0.0], [0.5, 0.25, 0.125]);
    let (found, with) = binary(&[near, far]);
    let [event] = found[..] else { panic!("{found:?}") };
    assert_eq!((event.id, event.other, event.mass, event.energy), (alone.id[1], Some(3), 0.3, 0.0));
    assert_eq!(with.len(), 4);
    for k in 0..3 {
        assert!(alone.position(k) == with.position(k) && alone.velocity(k) == with.velocity(k), "{k}");
    }
    // where the body was that swallowed it
    assert!(length(less(event.position, [1.0 + 0.7 * 1.5e-3, 2.0, 0.0])) < 1e-3, "{event:?}");
}

/// A giant that is larger than a binary touches one of the two, which are no nearer to each other; a fast body touches a single
/// one between two steps.
#[test]
fn bodies_touch_what_is_in_a_subsystem() {
    let mut bodies = pair(1e-3, 0.0).to_vec();
    bodies.push((0.5, [1.3, 2.0, 0.0], [-2.5, 0.25, 0.125]));
    let start = with_radii(bodies_of(&bodies), |k| [1e-5, 1e-5, 0.05][k]);
    let (found, mut run) = events(&start, merging("chain", 1.0 / 64.0, 0.25));
    assert_eq!(found.len(), 2, "{found:?}");
    let mut right = Reference::of(&start.bodies, 1e-3);
    right.until_contact(0.25).unwrap();
    assert!((found[0].time / right.time - 1.0).abs() < 1e-6, "{} {}", found[0].time, right.time);
    assert!(found[0].radius.unwrap() == 0.05 * (1.0 + (1e-5_f64 / 0.05).powi(3)).cbrt());
    assert!(run.drift().unwrap().energy.abs() < 1e-6, "{:?}", run.drift().unwrap());
}

/// Bodies that are in no subsystem since others are too close merge as without subsystems, at the ends of blocks. What follows is
/// chaotic; their energy is kept as well.
#[test]
fn crowds_merge_as_resolved_bodies() {
    let start = ic::by_name("plummer", &ic::Request::new(40, 5)).unwrap();
    for (radius, dt) in [(0.03, 1.0), (0.01, 0.25)] {
        let of = |pairs| {
            let chain = merging("chain", dt, 2.0);
            let (found, mut run) = events(&start, Parameters { pairs: Some(pairs), radius: Some(radius), ..chain });
            (found, run.drift().unwrap(), run.count())
        };
        let [(resolved, error, _), (found, drift, left)] = [Pairs::Resolved, Pairs::Chain].map(of);
        assert!(found.len() > 2 && left + found.len() == 40, "{radius} {found:?}");
        let (first, other) = (&found[0], &resolved[0]);
        assert_eq!((first.id, first.other), (other.id, other.other), "{radius}");
        assert!((first.time - other.time).abs() < 1e-3, "{radius}: {first:?} {other:?}");
        assert!(drift.energy.abs() < 1e-5 && drift.momentum < 1e-6, "{radius}: {drift:?} {error:?}");
    }
}

/// Momentum and the centre of mass of all, in a head-on collision of two pairs, all of which merge: to rounding.
#[test]
fn momentum_is_kept_to_rounding() {
    for way in ["chain", "ar-chain"] {
        let mut bodies = pair(1e-3, 0.9).to_vec();
        bodies.extend(pair(1e-3, 0.9).map(|(m, x, v)| (m, [x[0] + 0.1, x[1], x[2] + 0.01], [v[0] - 1.0, v[1], v[2]])));
        let start = with_radii(bodies_of(&bodies), |_| 1e-4);
        let sum = |bodies: &Bodies, of: fn(&Bodies, usize) -> Vector| -> Vector {
            std::array::from_fn(|q| (0..bodies.len()).map(|k| bodies.mass[k] * of(bodies, k)[q]).sum())
        };
        let [place, momentum] = [Bodies::position, Bodies::velocity].map(|of| sum(&start.bodies, of));
        let (found, mut run) = events(&start, merging(way, 1.0 / 64.0, 1.0 / 16.0));
        assert!(found.len() >= 2, "{way}: {found:?}");
        let end = run.bodies().unwrap().clone();
        let moved: Vector = std::array::from_fn(|q| place[q] + momentum[q] / 16.0);
        let off = [less(sum(&end, Bodies::velocity), momentum), less(sum(&end, Bodies::position), moved)].map(length);
        // of places of 2 and velocities of 30
        let limits = if way == "chain" { [1e-8, 1e-8] } else { [1e-13, 1e-14] };
        assert!(off[0] < limits[0] && off[1] < limits[1], "{way}: {off:?}");
    }
}
