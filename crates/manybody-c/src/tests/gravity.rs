//! Forces of arrays.

use super::{Cluster, Settings, bad, good, message, rows, same_bits};
use crate::cunbody::mb_cunbody_force;
use crate::gravity::{
    mb_accelerations, mb_accelerations_at, mb_accelerations_at_f32, mb_accelerations_f32, mb_forces, mb_forces_f32,
    mb_potential, mb_potential_f32,
};
use crate::status::mb_status::{MB_ERROR_ARGUMENT, MB_ERROR_COMPUTATION, MB_ERROR_INPUT, MB_ERROR_MEMORY};
use manybody::Bodies;
use manybody::simd::Level;
use manybody::solver::{self, Device, ForceTerms, Forces, Gravity, Method, Precision, Softening, SolverName, between};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

const EPS: f64 = 0.01;

fn expected(bodies: &Bodies, method: &Method, terms: ForceTerms) -> Forces {
    let mut forces = Forces::default();
    solver::of(method).unwrap().forces(bodies, &Gravity::new(1.0, EPS), terms, &mut forces).unwrap();
    forces
}

#[test]
fn calls_give_the_bits_of_the_library() {
    let Cluster { bodies, x, v, m } = &Cluster::of(1000);
    let n = 1000_i64;
    let (mut a, mut phi, mut jerk) = (vec![0.0; 3000], vec![0.0; 1000], vec![0.0; 3000]);
    let all = [(None, Method::default()), (Some("direct"), Method::default().solver(SolverName::Direct))];
    for (solver, method) in all {
        let settings = Settings::of(&solver.map_or(vec![], |name| vec![("solver", name)]));
        good(unsafe { mb_accelerations(settings.0, n, x.as_ptr(), m.as_ptr(), 1.0, EPS, a.as_mut_ptr()) });
        let forces = expected(bodies, &method, ForceTerms::default());
        same_bits(&a, &rows([&forces.ax, &forces.ay, &forces.az]));
        good(unsafe { mb_potential(settings.0, n, x.as_ptr(), m.as_ptr(), 1.0, EPS, phi.as_mut_ptr()) });
        let forces = expected(bodies, &method, ForceTerms { potential: true, jerk: false });
        same_bits(&phi, &forces.pot);
        let (x, v, m) = (x.as_ptr(), v.as_ptr(), m.as_ptr());
        let results = [a.as_mut_ptr(), phi.as_mut_ptr(), jerk.as_mut_ptr()];
        good(unsafe { mb_forces(settings.0, n, x, v, m, null(), 1.0, EPS, results[0], results[1], results[2]) });
        let forces = expected(bodies, &method, ForceTerms { potential: true, jerk: true });
        same_bits(&a, &rows([&forces.ax, &forces.ay, &forces.az]));
        same_bits(&jerk, &rows([&forces.jx, &forces.jy, &forces.jz]));
        same_bits(&phi, &forces.pot);
    }
}

#[test]
fn arrays_of_float_are_computed_in_f32() {
    let cluster = Cluster::of(300);
    let narrow = |column: &[f64]| column.iter().map(|q| *q as f32).collect::<Vec<f32>>();
    let wide = |column: &[f64]| column.iter().map(|q| f64::from(*q as f32)).collect::<Vec<f64>>();
    let Bodies { x, y, z, mass, .. } = &cluster.bodies;
    let bodies = Bodies { x: wide(x), y: wide(y), z: wide(z), mass: wide(mass), ..Bodies::zeros(300) };
    let (x, m) = (narrow(&cluster.x), narrow(&cluster.m));
    let (mut a, mut phi, mut again) = (vec![0.0_f32; 900], vec![0.0_f32; 300], vec![0.0_f32; 900]);
    good(unsafe { mb_accelerations_f32(null(), 300, x.as_ptr(), m.as_ptr(), 1.0, EPS, a.as_mut_ptr()) });
    let forces = expected(&bodies, &Method::on(Device::Cpu, Precision::F32), ForceTerms::default());
    assert_eq!(a, narrow(&rows([&forces.ax, &forces.ay, &forces.az])));
    good(unsafe { mb_potential_f32(null(), 300, x.as_ptr(), m.as_ptr(), 1.0, EPS, phi.as_mut_ptr()) });
    let with_potential =
        expected(&bodies, &Method::on(Device::Cpu, Precision::F32), ForceTerms { potential: true, jerk: false });
    assert_eq!(phi, narrow(&with_potential.pot));
    let (x, m, to) = (x.as_ptr(), m.as_ptr(), again.as_mut_ptr());
    good(unsafe { mb_forces_f32(null(), 300, x, null(), m, null(), 1.0, EPS, to, null_mut(), null_mut()) });
    assert_eq!(a, again);
    // f64 of the same numbers, by a setting
    let settings = Settings::of(&[("precision", "f64")]);
    good(unsafe { mb_accelerations_f32(settings.0, 300, x, m, 1.0, EPS, a.as_mut_ptr()) });
    let forces = expected(&bodies, &Method::default(), ForceTerms::default());
    assert_eq!(a, narrow(&rows([&forces.ax, &forces.ay, &forces.az])));
}

#[test]
fn threads_change_no_bit() {
    let cluster = Cluster::of(2000);
    let (x, m) = (cluster.x.as_ptr(), cluster.m.as_ptr());
    let mut all = vec![];
    for threads in ["1", "2", "3"] {
        let settings = Settings::of(&[("threads", threads)]);
        let mut a = vec![0.0; 6000];
        good(unsafe { mb_accelerations(settings.0, 2000, x, m, 1.0, EPS, a.as_mut_ptr()) });
        all.push(a);
    }
    same_bits(&all[0], &all[1]);
    same_bits(&all[0], &all[2]);
}

#[test]
fn own_softenings_take_the_place_of_the_common_one() {
    let cluster = Cluster::of(50);
    let eps: Vec<f64> = (0..50).map(|k| 0.01 * f64::from(k)).collect();
    let bodies = Bodies { eps: Some(eps.clone()), ..cluster.bodies.clone() };
    let (x, m, mut a) = (cluster.x.as_ptr(), cluster.m.as_ptr(), vec![0.0; 150]);
    let to = a.as_mut_ptr();
    good(unsafe { mb_forces(null(), 50, x, null(), m, eps.as_ptr(), 1.0, 7.0, to, null_mut(), null_mut()) });
    let forces = expected(&bodies, &Method::default(), ForceTerms::default());
    same_bits(&a, &rows([&forces.ax, &forces.ay, &forces.az]));
}

/// The softening that settings name is that of all calls with settings.
#[test]
fn settings_name_the_softening() {
    let Cluster { x, m, bodies, .. } = Cluster::of(60);
    let settings = Settings::of(&[("softening", "spline")]);
    let gravity = Gravity::new(1.0, 0.4).softened(Softening::Spline);
    let mut want = Forces::default();
    let terms = ForceTerms { potential: true, jerk: false };
    solver::of(&Method::default()).unwrap().forces(&bodies, &gravity, terms, &mut want).unwrap();
    let (mut a, mut phi) = (vec![0.0; 180], vec![0.0; 60]);
    let (x, m) = (x.as_ptr(), m.as_ptr());
    let to = (a.as_mut_ptr(), phi.as_mut_ptr());
    good(unsafe { mb_forces(settings.0, 60, x, null(), m, null(), 1.0, 0.4, to.0, to.1, null_mut()) });
    same_bits(&a, &rows([&want.ax, &want.ay, &want.az]));
    same_bits(&phi, &want.pot);
    let mut apart = vec![0.0; 180];
    good(unsafe { mb_accelerations_at(settings.0, 60, x, 60, x, m, 1.0, 0.4, apart.as_mut_ptr()) });
    let scale = a.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
    // a body does nothing at its own place; other sums
    assert!(a.iter().zip(&apart).all(|(a, b)| (a - b).abs() < 1e-13 * scale));
}

/// The places of `targets` and what `sources` do there, by the library.
fn at(targets: &Cluster, sources: &Cluster, precision: Precision) -> Vec<f64> {
    let (gravity, mut forces) = (Gravity::new(1.0, EPS), Forces::default());
    let (level, terms) = (Level::best(), ForceTerms::default());
    between(level, precision, &targets.bodies, &sources.bodies, &gravity, terms, &mut forces).unwrap();
    rows([&forces.ax, &forces.ay, &forces.az])
}

#[test]
fn places_and_bodies_may_be_two_sets() {
    let (targets, sources) = (Cluster::of(70), Cluster::of(200));
    let mut a = vec![0.0; 210];
    let (xi, xj, mj) = (targets.x.as_ptr(), sources.x.as_ptr(), sources.m.as_ptr());
    good(unsafe { mb_accelerations_at(null(), 70, xi, 200, xj, mj, 1.0, EPS, a.as_mut_ptr()) });
    same_bits(&a, &at(&targets, &sources, Precision::F64));
    // CUNBODY-1's call: the same, by the square of a softening length whose root is exact
    let mut again = vec![0.0; 210];
    good(unsafe { mb_cunbody_force(xj, mj, xi, EPS * EPS, again.as_mut_ptr(), 70, 200) });
    let scale = a.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
    // eps2 is rounded, and its root
    assert!(a.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-14 * scale));
    // the set on itself, where the softening keeps a place that is a body's finite
    let mut own = vec![0.0; 600];
    good(unsafe { mb_cunbody_force(xj, mj, xj, 0.0, own.as_mut_ptr(), 200, 200) });
    let gravity = Gravity::new(1.0, 0.0);
    let forces = solver::forces(&sources.bodies, &gravity, &Method::default().solver(SolverName::Direct)).unwrap();
    let expected = rows([&forces.ax, &forces.ay, &forces.az]);
    assert!(own.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12 * b.abs().max(1.0)));
    // f32
    let narrow = |column: &[f64]| column.iter().map(|q| *q as f32).collect::<Vec<f32>>();
    let (xi, xj, mj) = (narrow(&targets.x), narrow(&sources.x), narrow(&sources.m));
    let mut single = vec![0.0_f32; 210];
    let (xi, xj, mj, to) = (xi.as_ptr(), xj.as_ptr(), mj.as_ptr(), single.as_mut_ptr());
    good(unsafe { mb_accelerations_at_f32(null(), 70, xi, 200, xj, mj, 1.0, EPS, to) });
    // places are rounded to 2^-24 of themselves, at distances of 0.01 and more of a unit
    assert!(a.iter().zip(&single).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-4 * scale));
}

#[test]
fn nothing_is_computed_of_nothing() {
    let (none, nothing) = (null::<f64>(), null_mut::<f64>());
    good(unsafe { mb_accelerations(null(), 0, none, none, 1.0, EPS, nothing) });
    good(unsafe { mb_potential(null(), 0, none, none, 1.0, EPS, nothing) });
    good(unsafe { mb_forces(null(), 0, none, none, none, none, 1.0, EPS, nothing, nothing, nothing) });
    good(unsafe { mb_accelerations_at(null(), 0, none, 0, none, none, 1.0, EPS, nothing) });
    good(unsafe { mb_cunbody_force(none, none, none, 0.01, nothing, 0, 0) });
    // no sources: no forces
    let (x, mut a) = ([1.0, 2.0, 3.0], [7.0; 3]);
    good(unsafe { mb_accelerations_at(null(), 1, x.as_ptr(), 0, none, none, 1.0, EPS, a.as_mut_ptr()) });
    assert_eq!(a, [0.0; 3]);
    // one body alone
    let m = [1.0];
    good(unsafe { mb_accelerations(null(), 1, x.as_ptr(), m.as_ptr(), 1.0, 0.0, a.as_mut_ptr()) });
    assert_eq!(a, [0.0; 3]);
    // no result is asked for
    let m = m.as_ptr();
    good(unsafe { mb_forces(null(), 1, x.as_ptr(), none, m, none, 1.0, EPS, nothing, nothing, nothing) });
}

#[test]
fn pointers_and_sizes_are_checked() {
    let (x, m) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 1.0]);
    let mut a = [7.0; 7];
    let (x, m, to, none) = (x.as_ptr(), m.as_ptr(), a.as_mut_ptr(), null::<f64>());
    unsafe {
        let call = |n, x, m, to| mb_accelerations(null(), n, x, m, 1.0, EPS, to);
        bad(call(2, none, m, to), MB_ERROR_ARGUMENT, "x: is a null pointer; must be an array of 6 numbers");
        bad(call(2, x, none, to), MB_ERROR_ARGUMENT, "m: is a null pointer");
        bad(call(2, x, m, null_mut()), MB_ERROR_ARGUMENT, "a: is a null pointer");
        bad(mb_potential(null(), 2, x, m, 1.0, EPS, null_mut()), MB_ERROR_ARGUMENT, "phi: is a null pointer");
        bad(call(-1, x, m, to), MB_ERROR_ARGUMENT, "the size of x is -1");
        bad(call(i64::MIN, x, m, to), MB_ERROR_ARGUMENT, "the size of x is");
        bad(call(i64::MAX, x, m, to), MB_ERROR_ARGUMENT, "memory");
        bad(call(1 << 59, x, m, to), MB_ERROR_ARGUMENT, "memory");
        bad(call(2, x.byte_add(1), m, to), MB_ERROR_ARGUMENT, "x: is not aligned");
        bad(call(2, x, m, to.byte_add(4)), MB_ERROR_ARGUMENT, "a: is not aligned");
        bad(call(2, to.cast_const(), m, to.add(1)), MB_ERROR_ARGUMENT, "a overlaps x");
        bad(call(2, x, to.cast_const(), to), MB_ERROR_ARGUMENT, "a overlaps m");
        let jerk = mb_forces(null(), 2, x, none, m, none, 1.0, EPS, null_mut(), null_mut(), to);
        bad(jerk, MB_ERROR_ARGUMENT, "v: is a null pointer; the jerk needs velocities");
        let twice = mb_forces(null(), 2, x, x, m, none, 1.0, EPS, to, to.add(5), null_mut());
        bad(twice, MB_ERROR_ARGUMENT, "a overlaps phi");
        bad(mb_cunbody_force(none, m, x, 0.01, to, 2, 2), MB_ERROR_ARGUMENT, "xj: is a null pointer");
        // whose caller looks at no status
        assert!(a[..6].iter().all(|a| a.is_nan()) && a[6] == 7.0);
    }
    // more than there is: an address that memory does not have is not read
    let far = std::ptr::without_provenance::<f64>(1 << 20);
    let status = unsafe { mb_accelerations(null(), 1 << 45, far, far, 1.0, EPS, null_mut()) };
    bad(status, MB_ERROR_ARGUMENT, "a: is a null pointer");
    let to = std::ptr::without_provenance_mut::<f64>(1 << 55);
    let status = unsafe { mb_accelerations(null(), 1 << 45, far, far.wrapping_add(1 << 48), 1.0, EPS, to) };
    bad(status, MB_ERROR_MEMORY, "do not fit into memory");
}

#[test]
fn numbers_are_checked() {
    let (x, m, mut a) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 1.0], [7.0; 6]);
    let mut call = |x: [f64; 6], m: [f64; 2], g, eps| unsafe {
        mb_accelerations(null(), 2, x.as_ptr(), m.as_ptr(), g, eps, a.as_mut_ptr())
    };
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    bad(call([0.0, 0.0, 0.0, 1.0, nan, 0.0], m, 1.0, EPS), MB_ERROR_INPUT, "x[1][1] = NaN; must be a finite number");
    bad(call([0.0, 0.0, -inf, 1.0, 0.0, 0.0], m, 1.0, EPS), MB_ERROR_INPUT, "x[0][2] = -inf");
    bad(call(x, [1.0, nan], 1.0, EPS), MB_ERROR_INPUT, "m[1] = NaN");
    bad(call(x, [-1.0, 1.0], 1.0, EPS), MB_ERROR_INPUT, "m[0] = -1; must be a finite number, 0 or more");
    bad(call(x, m, nan, EPS), MB_ERROR_INPUT, "g = NaN");
    bad(call(x, m, 1.0, nan), MB_ERROR_INPUT, "eps = NaN");
    bad(call(x, m, 1.0, -0.1), MB_ERROR_INPUT, "eps = -0.1");
    bad(call([0.0; 6], m, 1.0, 0.0), MB_ERROR_INPUT, "bodies 0 (id 0) and 1 (id 1) are both at");
    assert_eq!(a, [7.0; 6], "an error writes no result");
    let status = unsafe { mb_accelerations(null(), 2, x.as_ptr(), m.as_ptr(), f64::MAX / 2.0, 0.0, a.as_mut_ptr()) };
    good(status); // still finite, whatever the last digits of a root with these vectors are
    let near = [0.0, 0.0, 0.0, 1e-200, 0.0, 0.0];
    let status = unsafe { mb_accelerations(null(), 2, near.as_ptr(), m.as_ptr(), 1.0, 0.0, a.as_mut_ptr()) };
    bad(status, MB_ERROR_COMPUTATION, "body 0");
    bad(
        unsafe { mb_cunbody_force(x.as_ptr(), m.as_ptr(), x.as_ptr(), -1.0, a.as_mut_ptr(), 2, 2) },
        MB_ERROR_INPUT,
        "eps2",
    );
    let v = [0.0, nan, 0.0, 0.0, 0.0, 0.0];
    let (x, m, to, none) = (x.as_ptr(), m.as_ptr(), a.as_mut_ptr(), null_mut());
    let status = unsafe { mb_forces(null(), 2, x, v.as_ptr(), m, null(), 1.0, EPS, to, none, none) };
    bad(status, MB_ERROR_INPUT, "v[0][1] = NaN");
    let eps = [0.1, -0.1];
    let status = unsafe { mb_forces(null(), 2, x, null(), m, eps.as_ptr(), 1.0, EPS, to, none, none) };
    bad(status, MB_ERROR_INPUT, "eps[1] = -0.1");
    let status = unsafe { mb_accelerations_at(null(), 2, x, 2, x, [1.0, nan].as_ptr(), 1.0, EPS, to) };
    bad(status, MB_ERROR_INPUT, "bodies j: m[1] = NaN");
}

#[test]
fn settings_choose_how_and_refuse_what_is_a_runs() {
    let (x, m, mut a) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 1.0], [7.0; 6]);
    let mut call = |words: &[(&str, &str)]| unsafe {
        mb_accelerations(Settings::of(words).0, 2, x.as_ptr(), m.as_ptr(), 1.0, EPS, a.as_mut_ptr())
    };
    for solver in ["symmetric", "direct", "reference", "fmm", "tree"] {
        good(call(&[("solver", solver)]));
    }
    good(call(&[("solver", "fmm"), ("rtol", "1e-4"), ("order", "5")]));
    good(call(&[("precision", "mixed")]));
    good(call(&[("precision", "f32"), ("sum", "compensated")]));
    bad(call(&[("dt", "1/128")]), MB_ERROR_INPUT, "the setting dt belongs to a run");
    bad(call(&[("eps", "0.1")]), MB_ERROR_INPUT, "the setting eps belongs to a run");
    bad(call(&[("rtol", "1e-4")]), MB_ERROR_INPUT, "fmm and tree");
    bad(call(&[("theta", "0.5")]), MB_ERROR_INPUT, "theta");
    bad(call(&[("gpus", "2"), ("device", "cpu")]), MB_ERROR_INPUT, "gpus");
    bad(call(&[("solver", "auto"), ("device", "cpu")]), MB_ERROR_INPUT, "solver");
    assert!(!message().contains("--"), "{}", message());
}

/// Least seconds of some calls of each, in turn.
fn least(calls: usize, both: [&mut dyn FnMut(); 2]) -> [Duration; 2] {
    let mut least = [Duration::MAX; 2];
    for k in 0..2 * calls {
        let start = Instant::now();
        both[k % 2]();
        least[k % 2] = least[k % 2].min(start.elapsed());
    }
    least
}

/// Prints what a call costs beside that of the library (docs/measurements/2026-11-23-c.md):
/// `cargo test --release -p manybody-c --lib -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout)]
fn cost_of_a_call() {
    for (n, calls) in [(8, 20_000), (64, 20_000), (256, 5_000), (1024, 20_000), (4096, 200)] {
        let Cluster { bodies, x, m, .. } = &Cluster::of(n);
        let narrow = |column: &[f64]| column.iter().map(|q| *q as f32).collect::<Vec<f32>>();
        let (xs, ms, mut singles) = (narrow(x), narrow(m), vec![0.0_f32; 3 * n]);
        let (gravity, mut a) = (Gravity::new(1.0, EPS), vec![0.0; 3 * n]);
        for precision in [Precision::F64, Precision::F32] {
            let method = Method::on(Device::Cpu, precision);
            let mut rust = || {
                let mut forces = Forces::default();
                solver::of(&method).unwrap().forces(bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
                std::hint::black_box(&forces);
            };
            let n = n as i64;
            let mut c = || match precision {
                Precision::F32 => good(unsafe {
                    mb_accelerations_f32(null(), n, xs.as_ptr(), ms.as_ptr(), 1.0, EPS, singles.as_mut_ptr())
                }),
                _ => good(unsafe { mb_accelerations(null(), n, x.as_ptr(), m.as_ptr(), 1.0, EPS, a.as_mut_ptr()) }),
            };
            let [rust, c] = least(calls, [&mut rust, &mut c]);
            let ratio = c.as_secs_f64() / rust.as_secs_f64();
            println!("n = {n}, {precision}: Rust {rust:.1?}, C {c:.1?}, ratio {ratio:.3}");
        }
    }
}
