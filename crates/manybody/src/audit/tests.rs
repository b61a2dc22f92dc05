//! Errors that are put in come out, and no right answer is called wrong.

use super::*;
use crate::solver::{ForceTerms, Reference, Solver, SolverName, Summation};

fn cluster(n: usize) -> Bodies {
    crate::ic::by_name("plummer", &crate::ic::Request::new(n, 3)).unwrap().bodies
}

#[test]
fn an_audit_can_be_ended() {
    let (bodies, gravity) = (cluster(600), Gravity::new(1.0, 0.1));
    let forces = Forces::zeros(bodies.len(), ForceTerms::default());
    let (sample, method) = (all(&bodies), Method::default());
    let audited =
        Audited { bodies: &bodies, forces: &forces, sample: &sample, time: 0.0, method: &method, limit: Some(1e9) };
    let watch = Watch::of(1);
    let watched = check_watched(&gravity, &audited, &watch).unwrap();
    let plain = check(&bodies, &gravity, &forces, &sample, 0.0, &method, Some(1e9)).unwrap();
    assert_eq!(watched.max.to_bits(), plain.max.to_bits());
    watch.hear(true);
    watch.stop();
    assert!(matches!(check_watched(&gravity, &audited, &watch), Err(Error::Interrupted)));
    // its pairs take longer than those by which a watch counts
    let pairs = (sample.len() * bodies.len()) as u64;
    for (least, is_watched) in [(pairs * SLOWER, true), (pairs * SLOWER + 1, false)] {
        let watch = Watch::of(least);
        watch.hear(true);
        watch.stop();
        assert_eq!(check_watched(&gravity, &audited, &watch).is_err(), is_watched);
    }
}

#[test]
fn a_sample_is_drawn_once_each_and_by_its_stream() {
    for (n, fraction, least, count) in [(1000, 0.01, 4, 10), (1000, 0.0101, 4, 11), (50, 0.01, 4, 4), (3, 0.5, 9, 3)] {
        let drawn = sample(n, fraction, least, 7);
        assert_eq!(drawn.len(), count);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && drawn.iter().all(|i| *i < n), "{drawn:?}");
        assert_eq!(drawn, sample(n, fraction, least, 7));
    }
    assert_ne!(sample(1000, 0.01, 4, 7), sample(1000, 0.01, 4, 8));
    assert_eq!(sample(0, 0.5, 4, 1), Vec::<usize>::new());
    // each of 20 bodies is in a sample of 5 a quarter of the time: 1000 draws scatter by 14
    let mut seen = [0; 20];
    (0..1000).for_each(|stream| sample(20, 0.25, 0, stream).into_iter().for_each(|i| seen[i] += 1));
    assert!(seen.iter().all(|count| (180..320).contains(count)), "{seen:?}");
}

/// Errors that were put in by hand come out.
#[test]
fn errors_are_found_where_they_are() {
    let (bodies, gravity) = (cluster(200), Gravity::new(1.0, 0.1));
    let mut forces = Forces::default();
    Reference::default().forces(&bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
    let all: Vec<usize> = (0..200).collect();
    // the reference solver sums the same terms without compensation: 200 roundings of 1e-16 at worst
    let none = audit(&bodies, &gravity, &forces, &all, 0.0).unwrap();
    assert!(none.max < 1e-14 && none.net < 1e-14 && none.sample == 200, "{none:?}");
    let rms = (all.iter().map(|i| length(acceleration(&bodies, &gravity, *i)).powi(2)).sum::<f64>() / 200.0).sqrt();
    forces.ay[17] += 1e-3 * rms;
    forces.az[42] -= 1e-6 * rms;
    let found = audit(&bodies, &gravity, &forces, &all, 0.0).unwrap();
    assert!((found.max - 1e-3).abs() < 1e-12 && found.p999 == found.max, "{found:?}");
    assert!((found.p99 - 1e-6).abs() < 1e-12 && found.median < 1e-14, "{found:?}");
    assert!(found.net > 1e-6, "{found:?}");
    let elsewhere = audit(&bodies, &gravity, &forces, &[1, 2, 3], 0.0).unwrap();
    assert!(elsewhere.max < 1e-14 && elsewhere.sample == 3);
    forces.ax[5] = f64::NAN;
    let error = audit(&bodies, &gravity, &forces, &all, 1.5).unwrap_err();
    assert!(matches!(error, Error::NotFinite { index: 5, time: 1.5, .. }), "{error}");
}

/// Each body's own softening, G, and two bodies at one place, as [`reference_at`](crate::solver::reference_at) has it.
#[test]
fn it_is_the_same_physics() {
    let (mut bodies, gravity) = (cluster(50), Gravity::new(2.5, 0.0));
    bodies.eps = Some((0..50).map(|i| 0.01 * f64::from(i % 3)).collect());
    (bodies.x[3], bodies.y[3], bodies.z[3]) = (bodies.x[0], bodies.y[0], bodies.z[0]);
    for i in 0..50 {
        let (mine, theirs) =
            (acceleration(&bodies, &gravity, i), crate::solver::reference_at(&bodies, &gravity, i).acc);
        // 50 roundings, and cancellation: of the largest term, 1e4 here
        assert!((0..3).all(|k| (mine[k] - theirs[k]).abs() < 1e-11), "{mine:?} {theirs:?}");
    }
    assert_eq!(acceleration(&Bodies::zeros(1), &gravity, 0), [0.0; 3]);
}

fn methods() -> Vec<Method> {
    let method = |solver, precision, sum| Method { solver, precision, sum, ..Method::default() };
    let own = Summation::default();
    let mut methods = vec![
        method(SolverName::Symmetric, Precision::F32, own),
        method(SolverName::Symmetric, Precision::F64, own),
        method(SolverName::Direct, Precision::F32, own),
        method(SolverName::Direct, Precision::Mixed, own),
        method(SolverName::Direct, Precision::F64, own),
        method(SolverName::Reference, Precision::F64, own),
    ];
    methods.extend(Summation::ALL.into_iter().map(|sum| method(SolverName::Direct, Precision::F32, sum)));
    methods
}

fn all(bodies: &Bodies) -> Vec<usize> {
    (0..bodies.len()).collect()
}

/// No right answer is called wrong, and bounds are no idle ones.
#[test]
fn right_forces_pass() {
    let terms = ForceTerms { potential: true, jerk: false };
    let (mut judged, mut promised) = (0, 0);
    for method in methods() {
        let mut solver = crate::solver::of(&method).unwrap();
        let mut most = 0.0_f64;
        for k in 0..42 {
            let (bodies, gravity) = hard(k).unwrap();
            if gravity.check_apart(&bodies).is_err() {
                continue;
            }
            let mut forces = Forces::default();
            match solver.forces(&bodies, &gravity, terms, &mut forces) {
                Err(Error::FixedPoint { .. }) => continue,
                other => other.unwrap(),
            }
            let found = check(&bodies, &gravity, &forces, &all(&bodies), 0.0, &method, None);
            assert!(found.is_ok(), "{k}: {method:?}: {found:?}");
            let limits = Limits::new(&bodies, Place::new(&bodies, &gravity), &method).unwrap();
            let (_, _, held) = compare(&bodies, &gravity, &forces, &all(&bodies), 0.0, &Watch::default()).unwrap();
            for held in held.iter().step_by(5) {
                let [acc, pot] = limits.of(held.index);
                judged += 2;
                promised += usize::from(acc.is_finite()) + usize::from(pot.is_finite());
                most = most.max(limit::SAFETY * held.acc / acc).max(limit::SAFETY * held.pot / pot);
            }
        }
        assert!(most < 1.0, "{method:?}: {most}");
        assert!(most > 0.01, "{method:?}: an idle bound: {most}");
    }
    assert!(4 * promised > 3 * judged, "{promised} of {judged}");
}

/// What is wrong fires: a body whose force is off by 1 %, a sum that has lost a tile, other bodies' masses read, in every
/// precision and with every sum.
#[test]
fn wrong_forces_are_refused() {
    let (bodies, gravity) = (cluster(2048), Gravity::new(1.0, 0.02));
    let terms = ForceTerms::default();
    for method in methods() {
        let mut solver = crate::solver::of(&method).unwrap();
        let mut of = |bodies: &Bodies| {
            let mut forces = Forces::default();
            solver.forces(bodies, &gravity, terms, &mut forces).unwrap();
            forces
        };
        let sample = sample(bodies.len(), 0.0, 64, 3);
        let judge = |forces: &Forces, limit| check(&bodies, &gravity, forces, &sample, 0.5, &method, limit);
        let right = of(&bodies);
        let found = judge(&right, None).unwrap();

        let mut off = right.clone();
        let body = sample[17];
        [&mut off.ax, &mut off.ay, &mut off.az].into_iter().for_each(|a| a[body] *= 1.01);
        let error = judge(&off, None).unwrap_err();
        assert!(matches!(error, Error::Audit { index, time: 0.5, .. } if index == body), "{method:?}: {error}");
        assert!(error.to_string().contains(&format!("body {body} (id {})", bodies.id[body])), "{error}");

        let mut lost = bodies.clone();
        lost.mass[512..576].fill(0.0);
        assert!(matches!(judge(&of(&lost), None), Err(Error::Audit { .. })), "{method:?}: a tile of 64 was lost");

        let mut other = bodies.clone();
        (0..other.len()).for_each(|i| other.mass[i] *= 1.0 + 0.01 * (i % 3) as f64);
        assert!(matches!(judge(&of(&other), None), Err(Error::Audit { .. })), "{method:?}: other masses");

        // a limit takes the place of what rounding explains
        assert!(judge(&off, Some(1.0)).is_ok());
        let error = judge(&right, Some(0.5 * found.max.max(1e-30))).unwrap_err().to_string();
        assert!(error.contains("limit that was set"), "{error}");
    }
}

/// Lengths whose squares overflow, and masses without bounds.
#[test]
fn numbers_at_the_end_of_their_range() {
    for size in [1e-150, 1e-100, 1e100, 1e150, 1e300] {
        let mut bodies = cluster(40);
        [&mut bodies.x, &mut bodies.y, &mut bodies.z].into_iter().for_each(|c| c.iter_mut().for_each(|q| *q *= size));
        // forces of order one, or as near to it as masses get
        bodies.mass.iter_mut().for_each(|m| *m *= (size * size).clamp(1e-200, 1e200));
        let gravity = Gravity::new(1.0, 0.01 * size);
        for method in methods().into_iter().filter(|method| method.sum == Summation::default()) {
            let mut forces = Forces::default();
            let mut solver = crate::solver::of(&method).unwrap();
            if method.solver == SolverName::Reference {
                continue; // computes as it is written
            }
            solver.forces(&bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
            let found = check(&bodies, &gravity, &forces, &all(&bodies), 0.0, &method, None);
            if size >= 1e150 && matches!(found, Err(Error::NotFinite { .. })) {
                continue; // mass times length overflows in the solver: no success
            }
            assert!(found.as_ref().is_ok_and(|found| found.max < 1e-3), "{size:e} {method:?}: {found:?}");
            forces.ax[3] *= 1.5;
            let found = check(&bodies, &gravity, &forces, &all(&bodies), 0.0, &method, None);
            assert!(forces.ax[3].abs() < 1e-300 || found.is_err(), "{size:e} {method:?}: {found:?}");
        }
    }
}

/// Three bodies near each other, and a fourth one that moves their centre of mass away from them: forces have the digits of
/// their coordinates, and where these are too few the audit says so, never that all is well.
#[test]
fn one_body_far_away_is_no_harm_to_the_others() {
    let near = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.7, 0.0]];
    let gravity = Gravity::new(1.0, 0.01);
    let terms = ForceTerms { potential: true, jerk: false };
    // the accelerations of three bodies, by hand
    let want: Vec<[f64; 3]> = (0..3)
        .map(|i: usize| {
            let term = |j: usize, k: usize| {
                let d = [0, 1, 2].map(|k| near[j][k] - near[i][k]);
                let s2: f64 = d.iter().map(|d| d * d).sum::<f64>() + 1e-4;
                d[k] / (s2 * s2.sqrt())
            };
            [0, 1, 2].map(|k| (0..3).filter(|j| *j != i).map(|j| term(j, k)).sum())
        })
        .collect();
    for far in [1e6, 1e10, 1e20, 1e100, 1e160, 1e200, 1e300] {
        for mass in [1.0, 0.0] {
            let mut bodies = Bodies::zeros(4);
            for (i, [x, y, z]) in near.into_iter().chain([[far, 0.0, 0.0]]).enumerate() {
                (bodies.x[i], bodies.y[i], bodies.z[i]) = (x, y, z);
                bodies.mass[i] = if i < 3 { 1.0 } else { mass };
            }
            for (i, want) in want.iter().enumerate() {
                let found = acceleration(&bodies, &gravity, i);
                let off = length([0, 1, 2].map(|k| found[k] - want[k])) / length(*want);
                assert!(off < 1e-15 + 2.0 / far / far, "the reference at {far:e}: {off:e}");
            }
            for method in methods().into_iter().filter(|method| method.sum != Summation::Fixed) {
                let mut forces = Forces::default();
                let done = crate::solver::of(&method).unwrap().forces(&bodies, &gravity, terms, &mut forces);
                // from there on squares in units of the whole system come to the end of their range
                let (digits, most) = if method.precision == Precision::F64 { (1e-15, 1e20) } else { (2e-6, 1e6) };
                let found = done.and_then(|()| check(&bodies, &gravity, &forces, &all(&bodies), 0.0, &method, None));
                match found {
                    Ok(found) => {
                        let off = if far <= most { digits + 2.0 / far / far } else { MAX_UNREPORTED };
                        let said = far > most && found.warning(&method).is_some();
                        assert!(found.max < off || said, "{far:e} {mass} {method:?}: {found:?}");
                    }
                    Err(error) => assert!(far >= 1e20, "{far:e} {mass} {method:?}: {error}"),
                }
            }
        }
    }
}

/// A softening that is far larger than the system: its cube has no room in f32 in units of the system's size.
#[test]
fn a_softening_far_above_the_size_is_no_harm() {
    let gravity = Gravity::new(1.0, 0.01);
    let terms = ForceTerms { potential: true, jerk: false };
    for (size, own) in [(0.02, false), (1e-3, false), (1e-9, false), (1e-20, false), (1e-20, true), (1e-30, false)] {
        let mut bodies = cluster(50);
        for q in [&mut bodies.x, &mut bodies.y, &mut bodies.z] {
            q.iter_mut().for_each(|q| *q *= size);
        }
        bodies.eps = own.then(|| (0..50).map(|i| 0.01 + 0.001 * f64::from(i % 3)).collect());
        let mut methods = methods();
        methods.push(Method { solver: SolverName::Fmm, precision: Precision::F32, ..Method::default() });
        for method in methods.into_iter().filter(|method| !(own && method.solver.is_by_expansion())) {
            let mut forces = Forces::default();
            crate::solver::of(&method).unwrap().forces(&bodies, &gravity, terms, &mut forces).unwrap();
            let found = check(&bodies, &gravity, &forces, &all(&bodies), 0.0, &method, None).unwrap();
            // some roundings of f32; sums in fixed point have 62 bits of the largest sum that can be
            assert!(found.max < 2e-6, "{size:e} {method:?}: {found:?}");
        }
    }
}

/// A few softenings of the bodies' own are far larger than the system: the others have their forces.
#[test]
fn some_softenings_far_above_the_size_are_no_harm() {
    let gravity = Gravity::new(1.0, 0.0);
    for large in [1e3, 1e9, 1e12, 1e20] {
        let mut bodies = cluster(50);
        bodies.eps = Some((0..50).map(|i| if i % 10 == 0 { large } else { 0.01 }).collect());
        for method in methods() {
            let mut forces = Forces::default();
            crate::solver::of(&method).unwrap().forces(&bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
            let found = check(&bodies, &gravity, &forces, &all(&bodies), 0.0, &method, None);
            let found = found.unwrap_or_else(|error| panic!("{large:e} {method:?}: {error}"));
            assert!(found.max < 2e-6, "{large:e} {method:?}: {found:?}");
        }
    }
}

/// What f32 has no range for is said: all but one of these bodies have masses that are zeros there.
#[test]
fn masses_without_range_are_warned_of() {
    let mut bodies = cluster(50);
    bodies.mass = (0..50).map(|i| if i == 7 { 1e30 } else { 1e-30 }).collect();
    bodies.mass[3] = 0.0;
    let gravity = Gravity::new(1.0, 0.01);
    for precision in [Precision::F32, Precision::Mixed, Precision::F64] {
        let said =
            range_warning(&bodies, precision).is_some_and(|text| text.contains("48 bodies attract no other one"));
        assert_eq!(said, precision != Precision::F64, "{precision}");
    }
    bodies.mass.fill(1e300);
    let mut forces = Forces::default();
    Reference::default().forces(&bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
    let found = audit(&bodies, &gravity, &forces, &[1, 2], 0.0).unwrap();
    assert!(found.net < 1e-14, "{found:?}");
}
