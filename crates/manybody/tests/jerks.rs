//! Jerks by the solvers `tree` and `fmm`, beside f64 sums over all pairs, on every device that has them.

mod systems;

use manybody::law::Targets;
use manybody::solver::{
    self, Derivatives, Device, Expansion, ForceTerms, Forces, Gravity, Method, Precision, Softening, SolverName,
    reference_at,
};
use manybody::{Bodies, ic};
use std::sync::atomic::{AtomicUsize, Ordering};
use systems::{Random, devices, finest, hard_cases, has, is_slow, model};

const JERK: ForceTerms = ForceTerms { potential: false, jerk: true };

fn by(solver: SolverName, precision: Precision, rtol: f64) -> Method {
    on(Device::Cpu, solver, precision, rtol)
}

fn on(device: Device, solver: SolverName, precision: Precision, rtol: f64) -> Method {
    let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
    Method { device, solver, precision, expansion, ..Method::default() }
}

/// The devices that have a precision; those that compile kernels for seconds only where these may take long.
fn having(precision: Precision, is_long: bool) -> impl Iterator<Item = Device> {
    devices().into_iter().filter(move |device| has(*device, precision) && (is_long || !is_slow(*device)))
}

fn jerks(method: &Method, bodies: &Bodies, gravity: &Gravity) -> Forces {
    let mut found = Forces::default();
    solver::of(method).unwrap().forces(bodies, gravity, JERK, &mut found).unwrap();
    found
}

fn size(a: [f64; 3]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

fn jerk(found: &Forces, k: usize) -> [f64; 3] {
    [found.jx[k], found.jy[k], found.jz[k]]
}

/// The errors of accelerations and jerks, relative to each, of every one of `every` bodies; sorted. `least` is the part of the
/// root mean square below which they are relative to that.
fn errors(found: &Forces, bodies: &Bodies, gravity: &Gravity, every: usize, least: f64) -> [Vec<f64>; 2] {
    let sample: Vec<usize> = (0..bodies.len()).step_by(every).collect();
    let right: Vec<_> = sample.iter().map(|k| reference_at(bodies, gravity, *k)).collect();
    let rms =
        |of: &dyn Fn(usize) -> f64| ((0..right.len()).map(|k| of(k).powi(2)).sum::<f64>() / right.len() as f64).sqrt();
    let [of_a, of_j] = [rms(&|k| size(right[k].acc)), rms(&|k| size(right[k].jerk))];
    let relative = |found: [f64; 3], right: [f64; 3], rms: f64| {
        let off = size([0, 1, 2].map(|q| found[q] - right[q]));
        if off == 0.0 { 0.0 } else { off / size(right).max(least * rms) }
    };
    let mut errors = [Vec::new(), Vec::new()];
    for (k, right) in sample.into_iter().zip(&right) {
        errors[0].push(relative(found.acceleration(k), right.acc, of_a));
        errors[1].push(relative(jerk(found, k), right.jerk, of_j));
    }
    errors.iter_mut().for_each(|errors| errors.sort_by(f64::total_cmp));
    errors
}

fn p99(errors: &[f64]) -> f64 {
    errors[(errors.len() - 1) * 99 / 100]
}

/// By any softening and precision, of 99 of 100 bodies: up to 16 times the error that is asked for of accelerations.
#[test]
fn jerks_have_the_errors_of_the_documentation() {
    for (name, solver) in [("plummer", SolverName::Fmm), ("disc", SolverName::Fmm), ("hernquist", SolverName::Tree)] {
        let bodies = model(name, 5000);
        for (precision, rtol) in
            [(Precision::F64, 1e-3), (Precision::F64, 1e-7), (Precision::Mixed, 1e-5), (Precision::F32, 1e-4)]
        {
            for (eps, softening) in [
                (0.0, Softening::Plummer),
                (0.02, Softening::Plummer),
                (0.02, Softening::Spline),
                (0.0, Softening::Spline),
            ] {
                let gravity = Gravity::new(1.0, eps).softened(softening);
                let is_long = name == "disc" && precision == Precision::F32;
                for device in having(precision, is_long) {
                    let found = jerks(&on(device, solver, precision, rtol), &bodies, &gravity);
                    let [a, j] = errors(&found, &bodies, &gravity, 10, 0.0).map(|errors| p99(&errors));
                    let what =
                        format!("{device} {name} {solver} {precision} {rtol:e} {eps} {softening}: {a:.1e} {j:.1e}");
                    assert!(a < 1.3 * rtol && j < 20.0 * rtol, "{what}");
                    assert_eq!((found.pot.len(), found.jz.len()), (5000, 5000));
                }
            }
        }
    }
}

/// Bodies on which trees fail, all in motion, with a softening for all, with the bodies' own, and with that of splines.
#[test]
fn hard_cases_are_right() {
    for (name, mut bodies, eps) in hard_cases() {
        // as fast as the system is large
        let extent = bodies.x.iter().fold(1e-300_f64, |most, x| most.max(x.abs())).min(1e9);
        let mut random = Random(23);
        for k in 0..bodies.len() {
            let [vx, vy, vz] = random.place().map(|v| v * extent);
            (bodies.vx[k], bodies.vy[k], bodies.vz[k]) = (vx, vy + 3.0 * extent, vz);
        }
        for (own, softening) in [(false, Softening::Plummer), (true, Softening::Plummer), (false, Softening::Spline)] {
            let eps_of = |k: usize| if eps > 0.0 { eps * [1.0, 0.3, 2.0][k % 3] } else { 1e-3 * extent };
            let bodies = Bodies { eps: own.then(|| (0..bodies.len()).map(eps_of).collect()), ..bodies.clone() };
            let gravity = Gravity::new(1.0, eps).softened(softening);
            for (precision, rtol, solver) in
                [(Precision::F32, 1e-3, SolverName::Fmm), (Precision::F64, 1e-6, SolverName::Tree)]
            {
                if name == "one far away" && precision == Precision::F32 {
                    // f32 has no room for a system in 1e-10 of the space
                    continue;
                }
                for device in having(precision, true) {
                    let found = jerks(&on(device, solver, precision, rtol), &bodies, &gravity);
                    let what = format!("{device} {name} {} {precision} {softening}, own {own}", bodies.len());
                    assert!(
                        [&found.jx, &found.jy, &found.jz].iter().all(|j| j.iter().all(|j| j.is_finite())),
                        "{what}"
                    );
                    let [a, j] = errors(&found, &bodies, &gravity, 1, 1e-2);
                    // without tightening, so with some room
                    assert!(p99(&a) < 4.0 * rtol && p99(&j) < 40.0 * rtol, "{what}: {:e} {:e}", p99(&a), p99(&j));
                    let most = j[j.len() - 1];
                    assert!(most < 1000.0 * rtol, "{what}: {most:e}");
                }
            }
        }
    }
}

/// Any number of threads, some bodies of all, a solver that has been used before, and bodies at rest.
#[test]
fn bits_depend_on_the_bodies_alone() {
    let bodies = model("plummer", 3000);
    let own = Bodies { eps: Some((0..3000).map(|k| 1e-3 * (1 + k % 4) as f64).collect()), ..bodies.clone() };
    let gravity = Gravity::new(1.0, 1e-3);
    for precision in [Precision::F32, Precision::Mixed, Precision::F64] {
        let method = by(SolverName::Fmm, precision, 1e-4);
        for bodies in [&bodies, &own] {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| jerks(&method, bodies, &gravity))
            };
            let one = run(1);
            assert_eq!(one, run(2), "{precision}");
            assert_eq!(one, run(5), "{precision}");
            let (mut used, mut found) = (solver::of(&method).unwrap(), Forces::default());
            used.forces(&model("disc", 700), &gravity, ForceTerms::default(), &mut found).unwrap();
            let list: Vec<usize> = (0..3000).step_by(7).rev().collect();
            used.forces_on(bodies, &Targets::List(&list), &gravity, JERK, &mut found).unwrap();
            assert_eq!(found, one.at(&list), "{precision}");
            used.forces_on(bodies, &Targets::Range(100..200), &gravity, JERK, &mut found).unwrap();
            assert_eq!(found, one.at(&(100..200).collect::<Vec<_>>()), "{precision}");
            used.forces(bodies, &gravity, JERK, &mut found).unwrap();
            assert_eq!(found, one, "{precision}");
            // without jerks again
            used.forces(bodies, &gravity, ForceTerms::default(), &mut found).unwrap();
            assert!(found.jx.is_empty() && found.pot.is_empty() && found.ax.len() == 3000);
        }
        let mut resting = bodies.clone();
        [&mut resting.vx, &mut resting.vy, &mut resting.vz].into_iter().for_each(|v| v.fill(2.5));
        let found = jerks(&method, &resting, &gravity);
        // (the mean velocity that is taken off is rounded)
        assert!(found.jx.iter().chain(&found.jy).chain(&found.jz).all(|j| j.abs() < 1e-12), "{precision}");
        assert_eq!(jerks(&method, &Bodies::default(), &gravity), Forces::zeros(0, JERK));
    }
}

/// On GPUs the same of a solver that has been used before; and each order has the errors that the CPU has.
#[test]
fn gpus_have_the_jerks_of_the_cpu() {
    let bodies = model("plummer", 3000);
    let own = Bodies { eps: Some((0..3000).map(|k| 1e-2 * (1 + k % 4) as f64).collect()), ..bodies.clone() };
    let gravity = Gravity::new(2.0, 1e-2);
    for device in devices().into_iter().filter(|device| device.is_gpu()) {
        let precision = finest(device);
        let least = if precision == Precision::F64 { 1e-13 } else { 1e-5 };
        let orders: &[usize] = match device {
            _ if is_slow(device) => &[2, 5],
            Device::Wgpu => &[2, 3, 5, 8],
            _ => &[2, 3, 4, 5, 6, 8, 9, 12],
        };
        // kernels of each case are compiled for many seconds
        let mut cases: Vec<_> = orders.iter().flat_map(|order| [(*order, false), (*order, true)]).collect();
        cases.retain(|(order, is_own)| is_slow(device) || [5, 9].contains(order) || *is_own == (order % 2 == 1));
        let cases: Vec<_> = cases
            .into_iter()
            .flat_map(|(order, is_own)| [(order, SolverName::Fmm, is_own), (order, SolverName::Tree, is_own)])
            .filter(|(order, solver, _)| *solver == SolverName::Fmm || [2, 3, 9].contains(order))
            .collect();
        let check = |(order, solver, is_own): (usize, SolverName, bool)| {
            let bodies = if is_own { &own } else { &bodies };
            let expansion = Expansion { order: Some(order), theta: Some(0.6), ..Expansion::default() };
            let method = Method { device, solver, precision, expansion, ..Method::default() };
            let on_cpu = Method { device: Device::Cpu, precision: Precision::F64, ..method.clone() };
            let (found, expected) = (jerks(&method, bodies, &gravity), jerks(&on_cpu, bodies, &gravity));
            let of = |found: &Forces| errors(found, bodies, &gravity, 10, 1e-2).map(|errors| p99(&errors));
            let ([a, j], [expected_a, expected_j]) = (of(&found), of(&expected));
            let what = format!("{device} {solver} order {order}: {a:e} {j:e}, {expected_a:e} {expected_j:e}");
            // other trees, which high powers of angles feel more
            let room = if order > 5 { 30.0 } else { 4.0 };
            assert!(a < room * expected_a + least && j < room * expected_j + 10.0 * least, "{what}");
            // the jerks of all pairs would have no errors
            assert!(j > 1e-4 * expected_j, "{what}");
            let (mut used, mut again) = (solver::of(&method).unwrap(), Forces::default());
            used.forces(&model("disc", 700), &gravity, ForceTerms::default(), &mut again).unwrap();
            used.forces(bodies, &gravity, JERK, &mut again).unwrap();
            assert_eq!(again, found, "{what}");
            used.forces(bodies, &gravity, ForceTerms { potential: true, jerk: false }, &mut again).unwrap();
            assert_eq!((again.ax.len(), again.pot.len(), again.jx.len()), (3000, 3000, 0), "{what}");
            let list: Vec<usize> = (0..3000).step_by(7).rev().collect();
            used.forces_on(bodies, &Targets::List(&list), &gravity, JERK, &mut again).unwrap();
            assert_eq!(again, found.at(&list), "{what}");
        };
        let at_once = if is_slow(device) { 1 } else { 8 };
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        check(*case);
                    }
                });
            }
        });
        let mut resting = bodies.clone();
        [&mut resting.vx, &mut resting.vy, &mut resting.vz].into_iter().for_each(|v| v.fill(2.5));
        let found = jerks(&on(device, SolverName::Fmm, precision, 1e-3), &resting, &gravity);
        assert!(found.jx.iter().chain(&found.jy).chain(&found.jz).all(|j| j.abs() < 1e-12), "{device}");
        let first = Method {
            expansion: Expansion { order: Some(1), ..Expansion::default() },
            ..on(device, SolverName::Fmm, precision, 1e-3)
        };
        let refused = solver::of(&first).unwrap().forces(&bodies, &gravity, JERK, &mut Forces::default());
        assert!(refused.unwrap_err().to_string().contains("order = 1"));
    }
}

/// What block time steps ask for: all pairs of few bodies, expansions for many.
#[test]
fn few_active_bodies_have_all_their_pairs() {
    let (bodies, gravity) = (model("plummer", 6000), Gravity::new(1.0, 1e-3));
    let few: Vec<usize> = (0..6000).step_by(300).collect();
    for device in devices() {
        let precision = finest(device);
        let method = on(device, SolverName::Fmm, precision, 1e-3);
        let direct = Method { device, precision, solver: SolverName::Direct, ..Method::default() };
        let derivatives = |method: &Method, active: &[usize]| {
            let mut found = Derivatives::default();
            solver::of(method).unwrap().derivatives_on(&bodies, None, active, &gravity, &mut found).unwrap();
            found
        };
        assert_eq!(derivatives(&method, &few), derivatives(&direct, &few), "{device}");
        // of more than 4,096
        let many: Vec<usize> = (1000..6000).collect();
        let (found, all) = (derivatives(&method, &many), jerks(&method, &bodies, &gravity).at(&many));
        assert_eq!((&found.j[1], &found.a[2]), (&all.jy, &all.az), "{device}");
    }
    let method = by(SolverName::Fmm, Precision::F64, 1e-3);
    let snaps = solver::of(&method).unwrap().derivatives_on(
        &bodies,
        Some([&bodies.x, &bodies.y, &bodies.z]),
        &few,
        &gravity,
        &mut Derivatives::default(),
    );
    assert!(snaps.unwrap_err().to_string().contains("snaps"));
    // far fields of order 1 have no jerk
    let first = Method { expansion: Expansion { order: Some(1), ..method.expansion }, ..method };
    let refused = solver::of(&first).unwrap().forces(&bodies, &gravity, JERK, &mut Forces::default());
    assert!(refused.unwrap_err().to_string().contains("order = 1"));
}

/// Two clusters that pass each other at ten times the speed of their bodies: jerks within each are sums in which that cancels.
#[test]
fn fast_clusters_have_larger_errors() {
    let one = ic::by_name("plummer", &ic::Request::new(5000, 1)).unwrap().bodies;
    let mut both = Bodies::default();
    for (side, k) in [(-1.0, 0), (1.0, 1)].into_iter().flat_map(|(side, _)| (0..5000).map(move |k| (side, k))) {
        let ([x, y, z], [vx, vy, vz]) = (one.position(k), one.velocity(k));
        both.push(0.5 * one.mass[k], [x + 4.0 * side, y, z], [vx - 5.0 * side, vy, vz]);
    }
    let gravity = Gravity::new(1.0, 0.01);
    let found = jerks(&by(SolverName::Fmm, Precision::F64, 1e-5), &both, &gravity);
    let [a, j] = errors(&found, &both, &gravity, 10, 0.0).map(|errors| p99(&errors));
    // 6e-5, beside 1.5e-6 of accelerations
    assert!(a < 1.3e-5 && j < 2e-4 && j > 20.0 * a, "{a:e} {j:e}");
}
