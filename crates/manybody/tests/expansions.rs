//! The solvers `tree` and `fmm`: the error that is promised, and all that all pairs promise besides, on every device that has
//! them.

mod systems;

use manybody::driver::{Trial, tuned};
use manybody::law::Targets;
use manybody::simd::Level;
use manybody::solver::{
    self, Device, Expansion, ForceTerms, Forces, Gravity, Method, Precision, Softening, SolverName,
};
use manybody::watch::Watch;
use manybody::{Bodies, audit};
use systems::{Random, devices, finest, hard_cases, has, is_slow, model};

const BOTH: [SolverName; 2] = [SolverName::Tree, SolverName::Fmm];

/// Both solvers on every device.
fn solvers() -> Vec<(Device, SolverName)> {
    devices().into_iter().flat_map(|device| BOTH.map(|solver| (device, solver))).collect()
}
const POTENTIAL: ForceTerms = ForceTerms { potential: true, jerk: false };

fn method(device: Device, solver: SolverName, precision: Precision, expansion: Expansion) -> Method {
    Method { device, solver, precision, expansion, ..Method::default() }
}

fn reaching(rtol: f64) -> Expansion {
    Expansion { rtol: Some(rtol), ..Expansion::default() }
}

fn forces(method: &Method, bodies: &Bodies, gravity: &Gravity) -> Forces {
    forces_of(method, bodies, gravity, POTENTIAL)
}

fn forces_of(method: &Method, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms) -> Forces {
    let mut out = Forces::default();
    solver::of(method).unwrap().forces(bodies, gravity, terms, &mut out).unwrap();
    out
}

fn direct(bodies: &Bodies, gravity: &Gravity) -> Forces {
    forces(&Method::default(), bodies, gravity)
}

/// |da| / |a| of all bodies, in order.
fn of_accelerations(got: &Forces, want: &Forces) -> Vec<f64> {
    let size = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>().sqrt();
    let mut errors: Vec<f64> = (0..want.ax.len())
        .map(|i| {
            let (a, b) = (got.acceleration(i), want.acceleration(i));
            let off = size([a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
            if off == 0.0 { 0.0 } else { off / size(b) }
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

/// The same, and the largest |dpot| / |pot|.
fn errors(got: &Forces, want: &Forces) -> (Vec<f64>, f64) {
    let pot = (0..want.pot.len()).map(|i| ((got.pot[i] - want.pot[i]) / want.pot[i]).abs()).fold(0.0, f64::max);
    (of_accelerations(got, want), pot)
}

/// The error that 99 of 100 are below.
fn p99(errors: &[f64]) -> f64 {
    errors[(errors.len() - 1) * 99 / 100]
}

fn bits(forces: &Forces) -> Vec<u64> {
    [&forces.ax, &forces.ay, &forces.az, &forces.pot].into_iter().flatten().map(|q| q.to_bits()).collect()
}

#[test]
fn the_error_is_what_was_asked_for() {
    let n = 6000;
    for name in ["plummer", "hernquist", "disc", "collision", "uniform-sphere"] {
        let bodies = model(name, n);
        let gravity = Gravity::new(1.0, 1e-3);
        let want = direct(&bodies, &gravity);
        // a device that computes on the CPU compiles kernels for seconds, and takes seconds for 6,000 bodies
        let is_short = |device, rtol| is_slow(device) && (name != "disc" || rtol < 1e-3);
        let cases = [
            (1e-2, Precision::F32),
            (1e-3, Precision::F32),
            (1e-4, Precision::F32),
            (1e-6, Precision::Mixed),
            (1e-6, Precision::F64),
        ];
        for (rtol, precision) in cases {
            for (device, solver) in solvers().into_iter().filter(|(device, _)| has(*device, precision)) {
                if is_short(device, rtol) {
                    continue;
                }
                let method = method(device, solver, precision, reaching(rtol));
                let trial = Trial { bodies: &bodies, gravity: &gravity, terms: POTENTIAL, share: 0.0, time: 0.0 };
                let mut halvings = 0;
                let tuned = tuned(method, trial, &Watch::default(), &mut |_| halvings += 1).unwrap();
                let (errors, pot) = errors(&tuned.forces, &want);
                let found = p99(&errors);
                // an audit of 512 bodies allows 5 beyond the error: of all bodies, twice as many at most
                let beyond = errors.iter().filter(|error| **error > rtol).count();
                assert!(
                    beyond <= n / 50,
                    "{name} {device} {solver} {precision} {rtol:e}: {beyond} beyond, p99 {found:e}"
                );
                assert!(halvings <= 3, "{name} {device} {solver} {precision} {rtol:e}: {halvings} halvings");
                // at small errors most of 6,000 bodies are near each other, but not all, at least where cells of every size are sinks
                let (largest, is_all_near) = (errors[n - 1], solver == SolverName::Tree && rtol < 1e-5);
                assert!(
                    is_all_near || largest > rtol / 1e4,
                    "{name} {device} {solver} {precision} {rtol:e}: at most {largest:e} is far too exact"
                );
                assert!(pot < 3.0 * rtol, "{name} {device} {solver} {precision} {rtol:e}: potential {pot:e}");
            }
        }
    }
}

/// Where some cells are so near that the softening matters and others are not, the first tolerance has the error that is asked
/// for: what is neglected for the far ones adds up over all of them.
#[test]
fn softened_and_unsoftened_cells_together_have_the_error_that_was_asked_for() {
    let n = 1 << 15;
    let bodies = model("plummer", n);
    let gravity = Gravity::new(1.0, 0.01);
    let sample = audit::sample(n, 0.0, audit::EXPANSION_SAMPLE, 0);
    for rtol in [1e-4, 1e-5] {
        for device in devices().into_iter().filter(|device| rtol > 1e-5 || !is_slow(*device)) {
            let method = method(device, SolverName::Fmm, finest(device), reaching(rtol));
            let got = forces(&method, &bodies, &gravity);
            let found = audit::check(&bodies, &gravity, &got, &sample, 0.0, &method, Some(f64::MAX)).unwrap();
            let p99 = found.relative.unwrap();
            assert!(p99 < rtol, "{device} {rtol:e}: p99 {p99:e}");
        }
    }
}

/// Softenings of the bodies' own: of two kinds of bodies, as stars and dark matter; of any length; and where the largest is
/// that of a few bodies.
fn softenings(n: usize) -> [(&'static str, Vec<f64>); 4] {
    let mut random = Random(23);
    [
        ("two kinds", (0..n).map(|k| if k.is_multiple_of(3) { 0.1 } else { 0.02 }).collect()),
        ("over two decades", (0..n).map(|_| 10_f64.powf(-3.0 + 2.0 * random.next())).collect()),
        ("a few large", (0..n).map(|k| if k.is_multiple_of(500) { 0.5 } else { 1e-3 }).collect()),
        ("some without", (0..n).map(|k| if k.is_multiple_of(2) { 0.0 } else { 0.05 }).collect()),
    ]
}

/// Tunes a method whose expansions have an `rtol`, checks the errors of all bodies, and the net force of fmm; the method.
#[track_caller]
fn reached(method: Method, bodies: &Bodies, gravity: &Gravity, want: &Forces, case: &str) -> Method {
    let (rtol, n) = (method.expansion.rtol.unwrap(), bodies.len());
    let trial = Trial { bodies, gravity, terms: POTENTIAL, share: 0.0, time: 0.0 };
    let mut halvings = 0;
    let tuned = tuned(method, trial, &Watch::default(), &mut |_| halvings += 1).unwrap();
    let (errors, pot) = errors(&tuned.forces, want);
    let case = format!("{case}: p99 {:e}", p99(&errors));
    // as in `the_error_is_what_was_asked_for`
    assert!(errors.iter().filter(|error| **error > rtol).count() <= n / 50, "{case}");
    assert!(halvings <= 3, "{case}: {halvings} halvings");
    assert!(pot < 3.0 * rtol, "{case}: potential {pot:e}");
    if tuned.method.solver == SolverName::Fmm {
        let net = audit::net_force(bodies, &tuned.forces);
        let limit = if tuned.method.precision == Precision::F32 { 1e-6 } else { 1e-13 };
        assert!(net < limit, "{case}: net force {net:e}");
    }
    tuned.method
}

#[test]
fn softenings_of_the_bodies_have_the_error_that_was_asked_for() {
    let n = 4000;
    for name in ["plummer", "disc"] {
        for (kind, eps) in softenings(n) {
            let bodies = Bodies { eps: Some(eps), ..model(name, n) };
            let gravity = Gravity::new(1.0, 0.0);
            let want = direct(&bodies, &gravity);
            let cases =
                [(1e-2, Precision::F32), (1e-6, Precision::F64), (1e-3, Precision::F32), (1e-4, Precision::F32)];
            for (rtol, precision) in cases.into_iter().take(if name == "disc" { 2 } else { 4 }) {
                let is_long = |device| is_slow(device) && (name, kind, rtol) != ("disc", "over two decades", 1e-2);
                for (device, solver) in solvers() {
                    if !has(device, precision) || is_long(device) {
                        continue;
                    }
                    let method = method(device, solver, precision, reaching(rtol));
                    let case = format!("{name}, {kind}, {device} {solver} {precision} {rtol:e}");
                    reached(method, &bodies, &gravity, &want, &case);
                }
            }
        }
    }
}

/// With the spline softening the error is what was asked for, from bodies that hardly overlap to some of which half the system
/// is within the reach, with softenings of their own, too. Those who overlap are near, and nothing else has softening.
#[test]
fn the_spline_softening_has_the_error_that_was_asked_for() {
    let n = 4000;
    let spline = |eps: f64| Gravity::new(1.0, eps).softened(Softening::Spline);
    for name in ["plummer", "disc"] {
        let of_kinds = softenings(n).into_iter().map(|(kind, eps)| (kind, Some(eps), spline(0.0)));
        let of_one = [0.0, 1e-3, 0.02, 0.3].map(|eps| ("one", None, spline(eps)));
        for (kind, eps, gravity) in of_one.into_iter().chain(of_kinds) {
            let bodies = Bodies { eps, ..model(name, n) };
            let want = direct(&bodies, &gravity);
            let cases = [(1e-2, Precision::F32), (1e-3, Precision::F32), (1e-6, Precision::F64)];
            for (rtol, precision) in cases.into_iter().take(if name == "disc" { 1 } else { 3 }) {
                // a device that computes on the CPU takes seconds for each
                let is_long = |device| is_slow(device) && !(name == "disc" && rtol == 1e-2 && gravity.eps != 0.3);
                for (device, solver) in solvers() {
                    if !has(device, precision) || is_long(device) {
                        continue;
                    }
                    let method = method(device, solver, precision, reaching(rtol));
                    let case = format!("{name}, {kind}, eps {}, {device} {solver} {precision} {rtol:e}", gravity.eps);
                    let tuned = reached(method, &bodies, &gravity, &want, &case);
                    let accelerations = forces_of(&tuned, &bodies, &gravity, ForceTerms::default());
                    let alone = self::errors(&Forces { pot: want.pot.clone(), ..accelerations }, &want).0;
                    assert!(p99(&alone) < 2.0 * rtol, "{case}: {:e} without potentials", p99(&alone));
                }
            }
        }
    }
}

/// A higher order is more exact with the spline, too: expansions have Newton's forces.
#[test]
fn a_higher_order_is_more_exact_with_the_spline() {
    let (n, gravity) = (4000, Gravity::new(1.0, 0.05).softened(Softening::Spline));
    for device in devices() {
        let bodies = model("plummer", n);
        let want = direct(&bodies, &gravity);
        let mut last = f64::INFINITY;
        for order in [2, 4, 6, 8].into_iter().take(if is_slow(device) { 2 } else { 4 }) {
            let expansion = Expansion { order: Some(order), theta: Some(0.5), ..Expansion::default() };
            let method = method(device, SolverName::Fmm, finest(device), expansion);
            let (errors, _) = errors(&forces(&method, &bodies, &gravity), &want);
            assert!(p99(&errors) < last / 4.0, "{device} order {order}: {:e} after {last:e}", p99(&errors));
            last = p99(&errors);
        }
    }
}

/// Expansions in the differences of softenings are there: about one softening for all bodies of two cells, the error would be
/// of the first power of the differences. Equal softenings are one for all, bit for bit.
#[test]
fn a_higher_order_is_more_exact_with_softenings_of_the_bodies() {
    let n = 4000;
    let gravity = Gravity::new(1.0, 0.05);
    for device in devices() {
        let eps = (0..n).map(|k| if k % 2 == 0 { 0.06 } else { 0.04 }).collect();
        let bodies = Bodies { eps: Some(eps), ..model("plummer", n) };
        let want = direct(&bodies, &gravity);
        let mut last = f64::INFINITY;
        // kernels of high orders take a CPU a minute to compile
        for order in [2, 4, 6, 8].into_iter().take(if is_slow(device) { 2 } else { 4 }) {
            // the tolerance lets all cells interact that are apart, and the differences be neglected where they are small
            let expansion = Expansion { order: Some(order), theta: Some(0.5), ..Expansion::default() };
            let method = method(device, SolverName::Fmm, finest(device), expansion);
            let (errors, _) = errors(&forces(&method, &bodies, &gravity), &want);
            assert!(p99(&errors) < last / 4.0, "{device} order {order}: {:e} after {last:e}", p99(&errors));
            last = p99(&errors);
        }
        // what second expansions were is nothing to the spline
        let spline = gravity.softened(Softening::Spline);
        let expansion = Expansion { order: Some(2), theta: Some(0.5), ..Expansion::default() };
        let of_two = method(device, SolverName::Fmm, finest(device), expansion);
        let (mut used, mut found) = (solver::of(&of_two).unwrap(), Forces::default());
        for gravity in [gravity, spline, spline] {
            used.forces(&bodies, &gravity, POTENTIAL, &mut found).unwrap();
        }
        assert_eq!(bits(&found), bits(&forces(&of_two, &bodies, &spline)), "{device}");
        let equal = Bodies { eps: Some(vec![0.05; n]), ..model("plummer", n) };
        let one = model("plummer", n);
        let method = method(device, SolverName::Fmm, finest(device), reaching(1e-4));
        assert_eq!(bits(&forces(&method, &equal, &gravity)), bits(&forces(&method, &one, &gravity)), "{device}");
    }
}

/// Where the softening is larger than the system nothing is far, and a potential is a sum of thousands of equal terms: in f32
/// it must not lose a digit to each.
#[test]
fn potentials_of_many_equal_terms_are_right_in_f32() {
    let bodies = model("plummer", 6000);
    let gravity = Gravity::new(1.0, 1000.0);
    let want = direct(&bodies, &gravity);
    for solver in BOTH {
        let method = method(Device::Cpu, solver, Precision::F32, reaching(1e-5));
        let (_, pot) = errors(&forces(&method, &bodies, &gravity), &want);
        // some roundings of 6e-8 each
        assert!(pot < 1e-6, "{solver}: {pot:e}");
    }
}

/// In f32 sums of thousands of terms have most of the error; potentials are not needed for the exact ones.
#[test]
fn mixed_precision_is_more_exact_than_f32() {
    let bodies = model("plummer", 20_000);
    let gravity = Gravity::new(1.0, 0.0);
    let want = forces_of(&Method::default(), &bodies, &gravity, ForceTerms::default());
    // what is cut off is below the rounding
    let expansion = Expansion { order: Some(8), tolerance: Some(2e-8), ..Expansion::default() };
    // (a device that computes on the CPU compiles kernels of this order for a minute)
    for device in devices().into_iter().filter(|device| !is_slow(*device)) {
        let [single, mixed] = [Precision::F32, Precision::Mixed].map(|precision| {
            let method = method(device, SolverName::Fmm, precision, expansion);
            p99(&of_accelerations(&forces_of(&method, &bodies, &gravity, ForceTerms::default()), &want))
        });
        // as promised for f32 and for mixed precision
        assert!(single < 3e-6 && mixed < 1e-6, "{device}: {single:e}, {mixed:e}");
        assert!(device.is_gpu() || mixed < 0.8 * single, "{device}: {single:e}, {mixed:e}");
    }
}

#[test]
fn a_higher_order_is_more_exact() {
    for device in devices() {
        // larger leaves are farther from each other in a larger system
        let n = match device {
            Device::Cpu => 4000,
            _ if is_slow(device) => 20_000,
            _ => 30_000,
        };
        higher_orders_are_more_exact(device, &model("plummer", n));
    }
}

fn higher_orders_are_more_exact(device: Device, bodies: &Bodies) {
    let first = usize::from(is_slow(device));
    for eps in &[0.0, 0.3][first..] {
        let (eps, gravity) = (*eps, Gravity::new(1.0, *eps));
        let want = direct(bodies, &gravity);
        for solver in &BOTH[first..] {
            let mut last = f64::INFINITY;
            let highest = match device {
                Device::Cpu => 12,
                Device::Cuda => 12,
                _ if is_slow(device) => 3,
                _ => 8,
            };
            for order in 1..=highest {
                let expansion = Expansion { order: Some(order), theta: Some(0.5), ..Expansion::default() };
                let (errors, _) =
                    errors(&forces(&method(device, *solver, finest(device), expansion), bodies, &gravity), &want);
                let median = errors[errors.len() / 2];
                // each order wins about the ratio of radii to distance, 0.5 at most
                assert!(median < 0.75 * last, "{device} {solver} eps {eps}, order {order}: {median:e} after {last:e}");
                last = median;
            }
            let limit = match highest {
                12 => 2e-7,
                8 => 1e-5,
                _ => 1e-3,
            };
            assert!(last < limit, "{device} {solver} eps {eps}: {last:e}");
        }
    }
}

#[test]
fn where_nothing_is_far_the_sum_is_direct() {
    let bodies = model("plummer", 1500);
    let gravity = Gravity::new(1.0, 0.01);
    let want = direct(&bodies, &gravity);
    for level in Level::available() {
        for (precision, limit) in [(Precision::F32, 3e-5), (Precision::F64, 1e-13)] {
            for (device, solver) in solvers().into_iter().filter(|(device, _)| has(*device, precision)) {
                let expansion = Expansion { theta: Some(1e-9), ..Expansion::default() };
                // a GPU has one kind of vectors
                if device.is_gpu() && level != Level::available()[0] {
                    continue;
                }
                let method = Method { level: Some(level), ..method(device, solver, precision, expansion) };
                let (errors, pot) = errors(&forces(&method, &bodies, &gravity), &want);
                // rounding alone, of 1,500 terms; f32 counts where forces cancel
                let most = errors[errors.len() - 1];
                assert!(
                    most < limit && pot < limit,
                    "{device} {solver} {precision} {}: {most:e} {pot:e}",
                    level.name()
                );
            }
        }
    }
}

#[test]
fn momentum_is_conserved_to_rounding_by_fmm() {
    let f64s =
        [(1e-3, 1e-3), (1e-6, 1e-3), (1e-6, 0.0), (1e-8, 0.0)].map(|(rtol, eps)| (Precision::F64, rtol, eps, 1e-13));
    let cases = [&[(Precision::F32, 1e-3, 1e-3, 1e-6)], &f64s[..]].concat();
    for name in ["plummer", "collision", "disc"] {
        let bodies = model(name, 5000);
        for (precision, rtol, eps, limit) in &cases {
            let gravity = Gravity::new(1.0, *eps);
            for device in devices().into_iter().filter(|device| has(*device, *precision)) {
                let method = method(device, SolverName::Fmm, *precision, reaching(*rtol));
                let net = audit::net_force(&bodies, &forces(&method, &bodies, &gravity));
                assert!(net < *limit, "{device} {name} {precision} {rtol:e} {eps}: {net:e}");
            }
        }
    }
}

#[test]
fn the_bits_depend_on_the_bodies_alone() {
    let bodies = model("collision", 5000);
    let gravity = Gravity::new(1.0, 1e-3);
    for (device, solver) in solvers() {
        for precision in [Precision::F32, Precision::F64].into_iter().filter(|precision| has(device, *precision)) {
            let method = method(device, solver, precision, reaching(1e-3));
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| bits(&forces(&method, &bodies, &gravity)))
            };
            let one = run(1);
            assert_eq!(one, run(2), "{device} {solver} {precision}: 2 threads");
            assert_eq!(one, run(5), "{device} {solver} {precision}: 5 threads");
            let (_, eps) = softenings(bodies.len()).into_iter().nth(1).unwrap();
            let own = Bodies { eps: Some(eps), ..bodies.clone() };
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| bits(&forces(&method, &own, &gravity)))
            };
            assert_eq!(run(1), run(5), "{device} {solver} {precision}: softenings");
            // a solver that has computed other bodies before
            let mut used = solver::of(&method).unwrap();
            let mut out = Forces::default();
            for other in [model("disc", 7000), model("plummer", 100)] {
                used.forces(&other, &gravity, POTENTIAL, &mut out).unwrap();
            }
            used.forces(&bodies, &gravity, POTENTIAL, &mut out).unwrap();
            assert_eq!(one, bits(&out), "{device} {solver} {precision}: used before");
            // another order of the bodies: the same force on each
            let n = bodies.len();
            let order: Vec<usize> = (0..n).map(|k| (k * 1009 + 17) % n).collect();
            let mut shuffled = Bodies::default();
            order.iter().for_each(|k| shuffled.push(bodies.mass[*k], bodies.position(*k), bodies.velocity(*k)));
            assert_eq!(
                bits(&forces(&method, &shuffled, &gravity)),
                bits(&forces(&method, &bodies, &gravity).at(&order)),
                "{device} {solver} {precision}: shuffled"
            );
        }
    }
}

#[test]
fn hard_cases_are_right() {
    hard_cases_are_right_with(&|bodies, _| bodies);
}

#[test]
fn hard_cases_are_right_with_softenings_of_the_bodies() {
    let soften = |bodies: Bodies, eps: f64| {
        let extent = bodies.x.iter().fold(1e-300_f64, |most, x| most.max(x.abs())).min(1e9);
        let size = if eps > 0.0 { eps } else { 1e-2 * extent };
        let with = |least: f64| {
            let eps = (0..bodies.len()).map(|k| size * [least, 1.0, 0.3, 2.0][k % 4]).collect();
            Bodies { eps: Some(eps), ..bodies.clone() }
        };
        // two bodies at one place cannot both be without softening
        let gravity = Gravity::new(1.0, 0.0);
        if gravity.check_apart(&with(0.0)).is_ok() { with(0.0) } else { with(0.1) }
    };
    hard_cases_are_right_with(&soften);
}

fn hard_cases_are_right_with(soften: &dyn Fn(Bodies, f64) -> Bodies) {
    for (name, bodies, eps) in hard_cases() {
        let bodies = soften(bodies, eps);
        let gravity = Gravity::new(1.0, eps);
        let want = direct(&bodies, &gravity);
        for (device, solver) in solvers() {
            for (precision, rtol) in [(Precision::F32, 1e-3), (Precision::F64, 1e-6)] {
                if !has(device, precision) {
                    continue;
                }
                let n = bodies.len();
                let got = forces(&method(device, solver, precision, reaching(rtol)), &bodies, &gravity);
                assert!(
                    bits(&got).iter().all(|bits| f64::from_bits(*bits).is_finite()),
                    "{name} {n} {device} {solver}"
                );
                // relative to the typical acceleration: single bodies may feel next to nothing
                let size = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>();
                let rms = ((0..n).map(|i| size(want.acceleration(i))).sum::<f64>() / n as f64).sqrt();
                let mut off: Vec<f64> = (0..n)
                    .map(|i| {
                        let (a, b) = (got.acceleration(i), want.acceleration(i));
                        let off = size([a[0] - b[0], a[1] - b[1], a[2] - b[2]]).sqrt();
                        if off == 0.0 { 0.0 } else { off / size(b).sqrt().max(1e-2 * rms) }
                    })
                    .collect();
                off.sort_by(f64::total_cmp);
                let (most, usual) = (off[n - 1], p99(&off));
                // without tightening, so with some room
                let right = usual < 4.0 * rtol && most < 30.0 * rtol;
                // f32 has no room for a system in 1e-10 of the space: the audit must say so
                let sample = audit::sample(n, 0.0, audit::EXPANSION_SAMPLE, 0);
                let method = method(device, solver, precision, reaching(rtol));
                let refused = || audit::check(&bodies, &gravity, &got, &sample, 0.0, &method, None).is_err();
                let excused = name == "one far away" && precision == Precision::F32;
                assert!(right || excused && refused(), "{name} {n} {device} {solver} {precision}: {usual:e} {most:e}");
            }
        }
    }
}

#[test]
fn cells_that_mirror_themselves_are_as_exact() {
    // leaves of 16 or 32 with two places each have no odd moments: the order whose highest moment is odd must notice
    for at_each in [8, 16] {
        let mut random = Random(11);
        let mut bodies = Bodies::default();
        for _ in 0..60 {
            let place = random.place();
            (0..at_each).for_each(|_| bodies.push(1.0, place, [0.0; 3]));
        }
        let gravity = Gravity::new(1.0, 0.01);
        let want = direct(&bodies, &gravity);
        for (device, solver) in solvers() {
            for order in 4..=7 {
                let expansion = Expansion { order: Some(order), ..reaching(3e-4) };
                let (errors, _) =
                    errors(&forces(&method(device, solver, finest(device), expansion), &bodies, &gravity), &want);
                let most = errors[errors.len() - 1];
                // of a few places the largest error counts, and the table is made for other orders
                assert!(most < 10.0 * 3e-4, "{device} {solver} order {order}, {at_each} at each place: {most:e}");
            }
        }
    }
}

#[test]
fn charges_of_both_signs_attract_and_repel() {
    // a negative mass repels: gravity's law with charges of either sign, which have no centre of mass
    let mut random = Random(3);
    let mut bodies = Bodies::default();
    (0..3000).for_each(|k| bodies.push(if k % 2 == 0 { 1.0 } else { -1.0 }, random.place(), [0.0; 3]));
    let gravity = Gravity::new(1.0, 1e-2);
    let want = direct(&bodies, &gravity);
    for (device, solver) in solvers() {
        let got = forces(&method(device, solver, finest(device), reaching(1e-4)), &bodies, &gravity);
        let (errors, _) = errors(&got, &want);
        // forces of neighbours nearly cancel, so relative errors have a wider tail
        assert!(p99(&errors) < 1e-3, "{device} {solver}: {:e}", p99(&errors));
    }
}

#[test]
fn targets_are_some_of_all() {
    let bodies = model("plummer", 3000);
    let gravity = Gravity::new(1.0, 1e-3);
    for device in devices() {
        let method = method(device, SolverName::Fmm, finest(device), reaching(1e-4));
        let (all, list) = (forces(&method, &bodies, &gravity), [7, 2999, 0, 1500]);
        let mut some = Forces::default();
        let mut solver = solver::of(&method).unwrap();
        solver.forces_on(&bodies, &Targets::List(&list), &gravity, POTENTIAL, &mut some).unwrap();
        assert_eq!(bits(&some), bits(&all.at(&list)), "{device}");
    }
}

#[test]
fn what_expansions_do_not_have_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Method), what: &str| {
        for device in devices() {
            let mut method = method(device, SolverName::Fmm, finest(device), Expansion::default());
            change(&mut method);
            let error = solver::of(&method).map(drop).unwrap_err().to_string();
            assert!(error.contains(what), "{device} {what}: {error}");
        }
    };
    refused(&|method| method.sum = "fixed".parse().unwrap(), "fixed");
    refused(&|method| method.expansion.rtol = Some(-1.0), "rtol");
    refused(&|method| method.expansion.order = Some(0), "order");
    refused(&|method| method.expansion.theta = Some(1.5), "theta");
}

/// A cusp, bodies at every scale of six decades, the forces of most of which are far below the root mean square: 99 of 100 have the error
/// that was asked for. (On GPUs that is refused by the audit.)
#[test]
fn bodies_at_many_scales_have_the_error_that_was_asked_for() {
    let (mut bodies, mut random, n) = (Bodies::default(), Random(7), 4000);
    for _ in 0..n {
        let (r, z, turn) =
            (10_f64.powf(-6.0 * random.next()), 2.0 * random.next() - 1.0, std::f64::consts::TAU * random.next());
        let flat = (1.0 - z * z).sqrt();
        bodies.push(1.0 / f64::from(n), [flat * turn.cos(), flat * turn.sin(), z].map(|q| r * q), [0.0; 3]);
    }
    let gravity = Gravity::new(1.0, 0.0);
    let want = direct(&bodies, &gravity);
    for (solver, rtol) in [(SolverName::Fmm, 1e-3), (SolverName::Tree, 1e-3), (SolverName::Fmm, 1e-6)] {
        let got = forces(&method(Device::Cpu, solver, Precision::F64, reaching(rtol)), &bodies, &gravity);
        let found = p99(&of_accelerations(&got, &want));
        // without tightening, so with some room
        assert!(found < 2.0 * rtol, "{solver} {rtol}: {found:e}");
    }
}
