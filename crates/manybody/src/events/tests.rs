use super::*;
use crate::diagnostics::Diagnostics;
use crate::field::Field;
use crate::forces::{Forcing, SelfGravity};
use crate::ic;
use crate::integrator::IntegratorName;
use crate::simulation::{Parameters, Simulation};
use crate::solver::Method;
use crate::vector::{dot, less};
use crate::{Result, Snapshot};

/// A generator of numbers from 0 to 1 that every machine has.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn cluster(n: usize, seed: u64) -> Bodies {
    ic::by_name("plummer", &ic::Request::new(n, seed)).unwrap().bodies
}

/// A spring to the origin: a field whose potential is known.
fn spring(place: [f64; 3], _time: f64) -> ([f64; 3], f64) {
    (place.map(|x| -x), 0.5 * dot(place, place))
}

fn measured(bodies: &Bodies, gravity: Gravity, in_field: bool) -> Diagnostics {
    let forcing = Forcing::new(SelfGravity::of(gravity, &Method::default()).unwrap());
    let mut forcing = if in_field { forcing.and(spring) } else { forcing };
    forcing.measure(bodies, 0.0).unwrap().0
}

/// The tally is what a measurement before and one after differ by: of mergers and escapes, with one softening and with the
/// bodies' own, in a field and without, of bodies with and without mass. Sums of 40 terms of order 1: roundings of 1e-16.
#[test]
fn the_tally_is_the_measured_change() {
    for (own, in_field, massless) in (0..8).map(|k| (k & 1 > 0, k & 2 > 0, k & 4 > 0)) {
        let gravity = Gravity::new(2.0, if own { 0.0 } else { 0.05 });
        let mut bodies = cluster(40, 3);
        if own {
            bodies.eps = Some((0..40).map(|k| 0.01 * f64::from(1 + k % 4)).collect());
        }
        if massless {
            bodies.mass[7] = 0.0;
        }
        bodies.extra.insert(RADIUS.into(), (0..40).map(f64::from).collect());
        let fields: Vec<Box<dyn Field>> = if in_field { vec![Box::new(spring)] } else { Vec::new() };
        let before = measured(&bodies, gravity, in_field);
        let mut after = bodies.clone();
        let merger = merge(&mut after, [7, 12], &gravity, &fields, 0.0);
        let [kept, gone] = merger.places;
        assert_eq!((merger.event.id, merger.event.other), (bodies.id[kept], Some(bodies.id[gone])));
        assert!((merger.event.radius.unwrap() - (343.0 + 1728.0_f64).cbrt()).abs() < 1e-14);
        after.retain(|k| k != gone);
        check(&merger.change, &before, &measured(&after, gravity, in_field));

        // far out and fast
        for k in [5, 9] {
            (bodies.x[k], bodies.vx[k]) = (30.0 + 0.2 * k as f64, 20.0);
        }
        let before = measured(&bodies, gravity, false);
        let escapes = escapers(&bodies, 10.0, &gravity, 0.0);
        let places: Vec<usize> = escapes.iter().map(|escape| escape.place).collect();
        assert_eq!(places, [5, 9]);
        let mut change = Tally::default();
        escapes.iter().for_each(|escape| change.add(&escape.change));
        bodies.retain(|k| !places.contains(&k));
        check(&change, &before, &measured(&bodies, gravity, false));
    }
}

fn check(change: &Tally, before: &Diagnostics, after: &Diagnostics) {
    let expected = change.after(before);
    // in units of the largest terms: a body at 30 with a speed of 20 has 600 m
    let scale = 1.0 + before.kinetic.abs() + before.potential.abs() + before.angular_momentum_scale;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-14 * scale;
    assert!(close(expected.mass, after.mass) && close(expected.kinetic, after.kinetic), "{expected:?}\n{after:?}");
    assert!(close(expected.potential, after.potential), "{} {}", expected.potential, after.potential);
    for q in 0..3 {
        assert!(close(expected.momentum[q], after.momentum[q]));
        assert!(close(expected.angular_momentum[q], after.angular_momentum[q]));
    }
}

/// Beside every pair, for bodies some of which are large, fast, without radius, without mass or gone.
#[test]
fn touches_are_those_of_every_pair() {
    let mut random = Random(7);
    for trial in 0..60 {
        let n = [2, 9, 40, 300][trial % 4];
        let mut bodies = Bodies::zeros(n);
        let Bodies { x, y, z, vx, vy, vz, mass, extra, .. } = &mut bodies;
        [x, y, z].into_iter().flatten().for_each(|q| *q = random.next());
        [vx, vy, vz].into_iter().flatten().for_each(|q| *q = random.next() - 0.5);
        mass.iter_mut().for_each(|m| *m = if random.next() < 0.3 { 0.0 } else { 1.0 });
        let radius = (0..n).map(|_| (random.next() - 0.2).max(0.0).powi(3) * 0.2).collect();
        extra.insert(RADIUS.into(), radius);
        if trial % 3 == 0 {
            bodies.vx[0] = 50.0;
        }
        let is_there = |k: usize| k % 7 != 3;
        let swept: Vec<Swept> =
            (0..n).filter(|_| random.next() < 0.7).map(|k| (k, 0.01 * (1 + k % 3) as f64)).collect();
        let radius = &bodies.extra[RADIUS];
        let mut last = vec![f64::INFINITY; n];
        swept.iter().for_each(|(k, step)| last[*k] = *step);
        let mut every: Vec<[usize; 2]> = Vec::new();
        for (i, step) in swept.iter().copied() {
            for j in (0..n).filter(|j| *j != i && is_there(i) && is_there(*j)) {
                let (sum, step) = (radius[i] + radius[j], step.min(last[j]));
                // in 1,000 parts of the step; what a part hides is at most its length
                let (d, w) =
                    (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
                let at = |ago: f64| -> [f64; 3] { std::array::from_fn(|q| d[q] - ago * w[q]) };
                let least = (0..=1000).map(|k| at(step * f64::from(k) / 1000.0)).map(|d| dot(d, d).sqrt());
                let least = least.fold(f64::INFINITY, f64::min);
                if least <= sum && sum > 0.0 && (bodies.mass[i] != 0.0 || bodies.mass[j] != 0.0) {
                    every.push([i.min(j), i.max(j)]);
                }
            }
        }
        every.sort_unstable();
        every.dedup();
        let found = touches(&bodies, radius, &swept, is_there).unwrap();
        let mut pairs: Vec<[usize; 2]> = found.iter().map(|touch| touch.pair).collect();
        pairs.sort_unstable();
        assert!(every.iter().all(|pair| pairs.contains(pair)), "{trial}: {every:?} {pairs:?}");
        // a path that a part hides: at most a few
        assert!(pairs.len() <= every.len() + 1, "{trial}: {every:?} {pairs:?}");
        // by a grid the same
        let grid = touch::by_grid(&bodies, radius, &swept, is_there).unwrap();
        assert_eq!(grid, found, "{trial}");
    }
}

/// Two bound bodies leave together, alone each would not.
#[test]
fn pairs_escape_as_pairs() {
    let gravity = Gravity::new(1.0, 0.0);
    let mut bodies = cluster(50, 1);
    bodies.push(0.02, [20.0, 0.0, 0.0], [1.0, 1.0, 0.0]);
    bodies.push(0.02, [20.01, 0.0, 0.0], [1.0, -1.0, 0.0]);
    // too slow
    bodies.push(1e-6, [0.0, 20.0, 0.0], [0.0, 0.1, 0.0]);
    // to the cluster
    bodies.push(1e-6, [0.0, 0.0, 20.0], [0.0, 0.0, -5.0]);
    let places = |bodies: &Bodies| -> Vec<usize> {
        escapers(bodies, 10.0, &gravity, 0.0).iter().map(|escape| escape.place).collect()
    };
    assert_eq!(places(&bodies), [50, 51]);
    // slower, they stay together
    (bodies.vx[50], bodies.vx[51]) = (0.1, 0.1);
    assert_eq!(places(&bodies), [0; 0]);
}

/// Two bodies that fall to each other from rest, with R = 0.1 each, from a distance of 1: they touch after the time of
/// free fall from 1 to 0.2, and the sum rests at the centre of mass. By every scheme, to its step.
#[test]
fn a_head_on_collision() {
    let (r0, r1) = (1.0_f64, 0.2_f64);
    // t = sqrt(r0^3 / 2 G M) (acos sqrt(u) + sqrt(u (1 - u))), u = r1 / r0
    let u = r1 / r0;
    let fall = (r0.powi(3) / 2.0).sqrt() * (u.sqrt().acos() + (u * (1.0 - u)).sqrt());
    for scheme in ["leapfrog", "leapfrog-dkd", "yoshida6", "hermite4", "hermite6", "hermite6-3pt"] {
        let mut start = Snapshot::default();
        start.bodies.push(0.75, [-0.25, 0.0, 0.0], [0.0, 1.0, 0.0]);
        start.bodies.push(0.25, [0.75, 0.0, 0.0], [0.0, 1.0, 0.0]);
        start.bodies.id = vec![4, 2];
        let dt = 1.0 / 1024.0;
        let parameters = Parameters {
            dt,
            t_end: 2.0,
            eps: Some(0.0),
            integrator: scheme.parse::<IntegratorName>().unwrap(),
            collisions: Some(Collisions::Merge),
            radius: Some(0.1),
            audit: 0.0,
            ..Parameters::default()
        };
        let mut run = Simulation::start(start, parameters).unwrap();
        while !run.is_finished() {
            run.step().unwrap();
        }
        let events = run.take_events();
        let [event] = events[..] else { panic!("{scheme}: {events:?}") };
        assert!(event.time >= fall - 1e-5 && event.time <= fall + dt + 1e-5, "{scheme}: {} {fall}", event.time);
        assert_eq!((event.id, event.other, event.mass), (4, Some(2), 1.0));
        assert!((event.radius.unwrap() - 0.002_f64.cbrt()).abs() < 1e-15);
        let (left, place) = (run.count(), run.bodies().unwrap().position(0));
        assert!(left == 1 && place[0].abs() < 1e-6 && (place[1] - 2.0).abs() < 1e-9, "{scheme}: {place:?}");
        let drift = run.drift().unwrap();
        // the error is that of the fall with this dt; the body at rest makes no further error
        assert!(drift.energy.abs() < 2e-4 && drift.momentum.abs() < 1e-14, "{scheme}: {drift:?}");
    }
}

/// A run whose hook takes mass and gives kicks has the bits of one that is resumed, and what the hook does is no error.
#[test]
fn a_hook_is_part_of_the_run() {
    struct Winds;
    impl Hook for Winds {
        fn name(&self) -> String {
            "winds".into()
        }

        fn between(&mut self, bodies: &mut Bodies, time: f64) -> Result<bool> {
            let heavy = (0..bodies.len()).filter(|k| bodies.id[*k].is_multiple_of(5));
            heavy.for_each(|k| bodies.mass[k] *= 0.99);
            if time == 0.5 {
                bodies.vz[3] += 1.0;
            }
            Ok(true)
        }
    }
    for scheme in ["leapfrog", "hermite4", "hermite6", "hermite6-3pt"] {
        let parameters = Parameters {
            dt: 1.0 / 64.0,
            t_end: 1.0,
            eps: Some(1.0 / 16.0),
            integrator: scheme.parse::<IntegratorName>().unwrap(),
            ..Parameters::default()
        };
        let start = Snapshot { bodies: cluster(60, 2), ..Snapshot::default() };
        let mut run = Simulation::start(start.clone(), parameters.clone()).unwrap().with_hook(Winds).unwrap();
        let mut kept = None;
        while !run.is_finished() {
            run.step().unwrap();
            if run.time() == 0.25 {
                kept = Some(run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap());
            }
        }
        let (bodies, error) = (run.bodies().unwrap().clone(), run.drift().unwrap());
        // half of a fifth of the mass is lost, which without the tally would be an error of 0.2; block time steps keep
        // momentum to their own errors
        assert!(error.energy.abs() < 1e-4 && error.momentum < 1e-7, "{scheme}: {error:?}");
        let kept = kept.unwrap();
        let again = Parameters { t_end: 1.0, ..Parameters::from_snapshot(&kept).unwrap() };
        let mut resumed = Simulation::resume(kept.clone(), again.clone()).unwrap();
        assert!(resumed.step().unwrap_err().to_string().contains("run.hook"), "{scheme}");
        let mut resumed = Simulation::resume(kept, again).unwrap().with_hook(Winds).unwrap();
        while !resumed.is_finished() {
            resumed.step().unwrap();
        }
        assert_eq!(*resumed.bodies().unwrap(), bodies, "{scheme}");
        assert_eq!(resumed.tally(), run.tally(), "{scheme}");
    }
}

/// A scheme that carries the energy of all bodies computes it again where one has left.
#[test]
fn few_bodies_go_on_after_an_escape() {
    let mut start = Snapshot::default();
    start.bodies.push(0.5, [0.5, 0.0, 0.0], [0.0, 0.4, 0.0]);
    start.bodies.push(0.5, [-0.5, 0.0, 0.0], [0.0, -0.4, 0.0]);
    start.bodies.push(0.3, [0.0, 0.0, 3.0], [0.0, 0.0, 4.0]);
    let run_to = |scheme: &str, escapes: Option<f64>| {
        let parameters = Parameters {
            dt: 1.0 / 256.0,
            t_end: 4.0,
            eps: Some(0.0),
            integrator: scheme.parse::<IntegratorName>().unwrap(),
            remove_escapers: escapes,
            audit: 0.0,
            ..Parameters::default()
        };
        let mut run = Simulation::start(start.clone(), parameters).unwrap();
        while !run.is_finished() {
            run.step().unwrap();
        }
        let (count, energy) = (run.count(), run.drift().unwrap().energy);
        let bodies = run.bodies().unwrap();
        let apart = if count > 1 { less(bodies.position(1), bodies.position(0)) } else { [0.0; 3] };
        (count, energy, apart)
    };
    let (_, _, right) = run_to("hermite6", Some(5.0));
    let (count, energy, apart) = run_to("ar-chain", Some(5.0));
    assert_eq!(count, 2);
    assert!(energy.abs() < 1e-12, "{energy:e}");
    let off = less(apart, right);
    // hermite6 with dt = 1/256
    assert!(dot(off, off).sqrt() < 1e-7, "{off:?}");
    // the others, about the centre of mass of all, leave too
    assert_eq!(run_to("ar-chain", Some(0.1)).0, 0);
}

/// What a hook must not do is an error, and leaves the bodies as they were.
#[test]
fn a_hook_that_fails_changes_nothing() {
    struct Bad(&'static str);
    impl Hook for Bad {
        fn name(&self) -> String {
            "bad".into()
        }

        fn between(&mut self, bodies: &mut Bodies, _time: f64) -> Result<bool> {
            match self.0 {
                "mass" => bodies.mass[1] = f64::NAN,
                "length" => drop(bodies.vy.pop()),
                "id" => bodies.id[0] = 99,
                "radius" => drop(bodies.extra.get_mut(RADIUS).map(|radius| radius[2] = f64::NAN)),
                "no radius" => drop(bodies.extra.remove(RADIUS)),
                _ => return Err(Error::Interrupted),
            }
            Ok(true)
        }
    }
    for (what, part) in [
        ("mass", "mass"),
        ("length", "vy"),
        ("id", "ids"),
        ("radius", "radius"),
        ("no radius", "radius"),
        ("error", "interrupted"),
    ] {
        let start = Snapshot { bodies: cluster(20, 1), ..Snapshot::default() };
        let parameters = Parameters {
            dt: 1.0 / 64.0,
            eps: Some(0.1),
            collisions: Some(Collisions::Merge),
            radius: Some(1e-6),
            ..Parameters::default()
        };
        let mut plain = Simulation::start(start.clone(), parameters.clone()).unwrap();
        let mut run = Simulation::start(start, parameters).unwrap().with_hook(Bad(what)).unwrap();
        plain.step().unwrap();
        let error = run.step().unwrap_err().to_string();
        assert!(error.contains(part), "{what}: {error}");
        assert_eq!(run.bodies().unwrap(), plain.bodies().unwrap(), "{what}");
    }
    let mut short = Snapshot { bodies: cluster(20, 1), ..Snapshot::default() };
    short.bodies.extra.insert(RADIUS.into(), vec![0.1; 3]);
    let parameters = Parameters { collisions: Some(Collisions::Merge), ..Parameters::default() };
    assert!(Simulation::start(short, parameters).unwrap_err().to_string().contains("radius = 3 values"));
}
