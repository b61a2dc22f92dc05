//! The conformance suite of the CPU solvers: every solver, precision and instruction set against the f64 reference, on
//! random bodies and on the edges.

use manybody::Bodies;
use manybody::law::builtin::nearest::Nearest;
use manybody::law::{PairInputs, Targets};
use manybody::map::Triangle;
use manybody::simd::Level;
use manybody::solver::{
    self, Device, ForceTerms, Forces, Gravity, Method, Precision, Reference, Softening, Solver, SolverName, Summation,
    between, compiled, compiled_triangular, direct, symmetric,
};

/// A splitmix64 stream: tests need bodies, not statistics.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }
}

fn cloud(n: usize, seed: u64) -> Bodies {
    let mut random = Random(seed);
    let mut bodies = Bodies::default();
    for _ in 0..n {
        let position = [random.signed(), random.signed(), random.signed()];
        let velocity = [random.signed(), random.signed(), random.signed()];
        bodies.push((0.5 + random.next()) / n as f64, position, velocity);
    }
    bodies
}

/// All solvers; with a jerk, those that compute it: chosen sums do not.
fn every_solver(want: ForceTerms) -> Vec<(String, Precision, Box<dyn Solver>)> {
    let mut solvers = Vec::new();
    let summed = [(Precision::Mixed, Summation::default())]
        .into_iter()
        .chain([Summation::Fixed, Summation::Compensated, Summation::Pairwise].map(|sum| (Precision::F32, sum)));
    for (precision, sum) in summed.filter(|(precision, _)| !want.jerk || *precision == Precision::Mixed) {
        let solver = solver::of(&Method::summed(Device::Cpu, precision, sum)).unwrap();
        solvers.push((format!("{precision} {sum}"), precision, solver));
    }
    for level in Level::available() {
        for precision in [Precision::F32, Precision::F64] {
            for solver in [direct(level, precision), symmetric(level, precision).unwrap()] {
                solvers.push((format!("{} {} {}", solver.name(), precision.name(), level.name()), precision, solver));
            }
        }
    }
    solvers
}

fn length(v: [f64; 3]) -> f64 {
    v[0].hypot(v[1]).hypot(v[2])
}

/// The largest error of a vector field, relative to its root mean square.
fn error(got: [&[f64]; 3], want: [&[f64]; 3]) -> f64 {
    let n = want[0].len();
    let at = |field: [&[f64]; 3], i: usize| [field[0][i], field[1][i], field[2][i]];
    let mean_square = (0..n).map(|i| length(at(want, i)).powi(2)).sum::<f64>() / n.max(1) as f64;
    let off = |i: usize| {
        let (a, b) = (at(got, i), at(want, i));
        length([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
    };
    let worst = (0..n).map(off).fold(0.0, |worst: f64, e| if e.is_nan() { f64::INFINITY } else { worst.max(e) });
    if worst == 0.0 { 0.0 } else { worst / mean_square.sqrt() }
}

/// The bound on an error in units of the rms force, from three sources: each term carries the rounding of the law's
/// chain of operations (8 units in the last place); the partial sums of n terms of either sign carry theirs, which grow
/// as sqrt(n); and a position rounded to one unit of the system's size moves a pair at distance s by unit / s, which the
/// steepest term (the jerk, s^-4) multiplies by 4. Times 3 for the tail over a few thousand bodies.
fn tolerance(n: usize, closest: f64, precision: Precision) -> f64 {
    let unit = match precision {
        Precision::F32 | Precision::Mixed => f32::EPSILON as f64,
        Precision::F64 => f64::EPSILON,
    };
    3.0 * unit * (8.0 + (n as f64).sqrt() + 4.0 / closest)
}

/// The smallest softened distance of two bodies, relative to the size of the system.
fn closest(bodies: &Bodies, gravity: &Gravity) -> f64 {
    let (center, _) = bodies.center_of_mass();
    let mut size = 0.0_f64;
    let mut least = f64::INFINITY;
    for i in 0..bodies.len() {
        let a = bodies.position(i);
        size = size.max(length([a[0] - center[0], a[1] - center[1], a[2] - center[2]]));
        for j in 0..i {
            let b = bodies.position(j);
            let eps = bodies.eps.as_ref().map_or(gravity.eps, |eps| eps[i].min(eps[j]));
            let s = length([a[0] - b[0], a[1] - b[1], a[2] - b[2]]).hypot(eps);
            least = if s > 0.0 { least.min(s) } else { least };
        }
    }
    (least / size).min(1.0)
}

#[track_caller]
fn agree(what: &str, bodies: &Bodies, gravity: &Gravity, want: ForceTerms) {
    let mut expected = Forces::default();
    Reference::default().forces(bodies, gravity, want, &mut expected).unwrap();
    let closest = closest(bodies, gravity);
    for (name, precision, mut solver) in every_solver(want) {
        if want.jerk && precision == Precision::Mixed && gravity.softening == Softening::Spline {
            continue; // refused
        }
        let mut out = Forces::default();
        solver.forces(bodies, gravity, want, &mut out).unwrap();
        let bound = tolerance(bodies.len(), closest, precision);
        let acc = error([&out.ax, &out.ay, &out.az], [&expected.ax, &expected.ay, &expected.az]);
        assert!(acc <= bound, "{what}, n = {}, {name}: acceleration off by {acc:e} of {bound:e}", bodies.len());
        assert_eq!(out.pot.len(), expected.pot.len(), "{what}: {name}");
        if !expected.pot.is_empty() {
            let zero = vec![0.0; out.pot.len()];
            let pot = error([&out.pot, &zero, &zero], [&expected.pot, &zero, &zero]);
            assert!(pot <= bound, "{what}, n = {}, {name}: potential off by {pot:e} of {bound:e}", bodies.len());
        }
        assert_eq!(out.jx.len(), expected.jx.len(), "{what}: {name}");
        if want.jerk {
            let jerk = error([&out.jx, &out.jy, &out.jz], [&expected.jx, &expected.jy, &expected.jz]);
            assert!(jerk <= bound, "{what}, n = {}, {name}: jerk off by {jerk:e} of {bound:e}", bodies.len());
        }
    }
}

const ALL: [ForceTerms; 3] = [
    ForceTerms { potential: false, jerk: false },
    ForceTerms { potential: true, jerk: false },
    ForceTerms { potential: false, jerk: true },
];
const SOFT: Gravity = Gravity::new(1.0, 0.05);

#[test]
fn random_bodies_of_every_size_around_lanes_and_tiles() {
    for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000] {
        for want in ALL {
            agree("cloud", &cloud(n, n as u64), &SOFT, want);
        }
    }
    agree("several tiles", &cloud(4099, 7), &SOFT, ALL[0]);
}

#[test]
fn softenings_of_their_own() {
    for n in [2, 17, 300] {
        let mut bodies = cloud(n, 3);
        bodies.eps = Some((0..n).map(|i| 0.02 * (1 + i % 5) as f64).collect());
        for want in ALL {
            agree("eps each", &bodies, &SOFT, want);
        }
    }
}

/// The spline softening: all bodies within each other, some, hardly any; of their own; without softening; in large units.
#[test]
fn the_spline_softening() {
    let spline = |eps: f64| Gravity::new(1.0, eps).softened(Softening::Spline);
    let in_mixed = |want: ForceTerms, what: &str, bodies: &Bodies, gravity: &Gravity| {
        let mut out = Forces::default();
        let mut mixed =
            solver::of(&Method { precision: Precision::Mixed, ..Method::default() }.solver(SolverName::Direct));
        let found = mixed.as_mut().unwrap().forces(bodies, gravity, want, &mut out);
        assert_eq!(found.is_err(), want.jerk, "{what}: {found:?}");
    };
    for want in ALL {
        for n in [0, 1, 2, 9, 16, 33, 129, 1000] {
            for eps in [2.0, 0.3, 0.02] {
                agree(&format!("spline, eps = {eps}"), &cloud(n, n as u64), &spline(eps), want);
            }
        }
        let mut bodies = cloud(300, 3);
        in_mixed(want, "mixed", &bodies, &spline(0.3));
        agree("spline, without softening", &bodies, &spline(0.0), want);
        bodies.eps = Some((0..300).map(|i| 0.2 * (i % 5) as f64).collect());
        agree("spline, eps each", &bodies, &spline(0.0), want);
        bodies.mass[10..90].fill(0.0);
        agree("spline, massless", &bodies, &spline(0.0), want);
        bodies.eps = None;
        [&mut bodies.x, &mut bodies.y, &mut bodies.z].into_iter().flatten().for_each(|x| *x *= 3e16);
        bodies.mass.iter_mut().for_each(|mass| *mass *= 2e30);
        agree("spline, SI", &bodies, &Gravity::new(6.674e-11, 1e16).softened(Softening::Spline), want);
    }
    agree("spline, several tiles", &cloud(4099, 7), &spline(0.1), ALL[1]);
}

#[test]
fn equal_softenings_are_one_softening() {
    let mut bodies = cloud(200, 3);
    let (mut one, mut each) = (Forces::default(), Forces::default());
    Reference::default().forces(&bodies, &SOFT, ForceTerms::default(), &mut one).unwrap();
    bodies.eps = Some(vec![SOFT.eps; 200]);
    Reference::default().forces(&bodies, &Gravity::new(1.0, 7.0), ForceTerms::default(), &mut each).unwrap();
    assert_eq!(one, each);
}

/// Two bodies without softening at one place are found, whatever other bodies are there.
#[test]
fn bodies_at_one_place_are_found_among_softened_ones() {
    let gravity = Gravity::new(1.0, 0.0);
    let found = |mass: [f64; 3], eps: [f64; 3]| {
        let mut bodies = Bodies::default();
        mass.iter().for_each(|m| bodies.push(*m, [1.0, 2.0, 3.0], [0.0; 3]));
        bodies.eps = Some(eps.to_vec());
        gravity.coincident(&bodies)
    };
    assert_eq!(found([1.0; 3], [0.0, 0.1, 0.0]), Some((0, 2)));
    assert_eq!(found([0.0, 1.0, 1.0], [0.0, 0.1, 0.0]), Some((0, 2)));
    assert_eq!(found([0.0, 1.0, 0.0], [0.0, 0.1, 0.0]), None);
    assert_eq!(found([1.0; 3], [0.0, 0.1, 0.1]), None);
}

#[test]
fn coincident_bodies_without_softening_exert_nothing_on_each_other() {
    let mut bodies = cloud(40, 5);
    for i in 1..20 {
        (bodies.x[i], bodies.y[i], bodies.z[i]) = (bodies.x[0], bodies.y[0], bodies.z[0]);
    }
    agree("coincident", &bodies, &Gravity::new(1.0, 0.0), ALL[0]);
}

#[test]
fn massless_bodies_feel_and_do_not_pull() {
    let mut bodies = cloud(100, 6);
    bodies.mass[10..90].fill(0.0);
    agree("massless", &bodies, &SOFT, ALL[1]);
    bodies.mass.fill(0.0);
    agree("no mass at all", &bodies, &SOFT, ALL[1]);
}

#[test]
fn mass_ratios_of_1e12() {
    let mut bodies = cloud(100, 8);
    for i in 0..100 {
        bodies.mass[i] *= if i % 2 == 0 { 1e6 } else { 1e-6 };
    }
    agree("mass ratio", &bodies, &SOFT, ALL[0]);
}

#[test]
fn far_from_the_origin() {
    let mut bodies = cloud(500, 9);
    bodies.shift([1e6, -2e6, 3e6], [1e3, 0.0, 0.0]);
    // positions themselves are rounded to 4e-10 by the shift, for the reference as well: the solvers see what it sees
    for want in ALL {
        agree("shifted", &bodies, &SOFT, want);
    }
}

#[test]
fn si_units_do_not_overflow_f32() {
    let mut bodies = cloud(50, 10);
    let scale = |column: &mut Vec<f64>, by: f64| column.iter_mut().for_each(|q| *q *= by);
    for column in [&mut bodies.x, &mut bodies.y, &mut bodies.z] {
        scale(column, 3e16);
    }
    for column in [&mut bodies.vx, &mut bodies.vy, &mut bodies.vz] {
        scale(column, 1e3);
    }
    scale(&mut bodies.mass, 2e30);
    for want in ALL {
        agree("SI", &bodies, &Gravity::new(6.674e-11, 1e15), want);
    }
}

#[test]
fn two_sets_of_bodies() {
    let (targets, sources) = (cloud(37, 1), cloud(133, 2));
    let mut joined = sources.clone();
    for i in 0..targets.len() {
        joined.push(0.0, targets.position(i), targets.velocity(i));
    }
    for want in ALL {
        let mut expected = Forces::default();
        Reference::default().forces(&joined, &SOFT, want, &mut expected).unwrap();
        for level in Level::available() {
            for precision in [Precision::F32, Precision::F64] {
                let mut out = Forces::default();
                between(level, precision, &targets, &sources, &SOFT, want, &mut out).unwrap();
                let tail = [&expected.ax[133..], &expected.ay[133..], &expected.az[133..]];
                let off = error([&out.ax, &out.ay, &out.az], tail);
                assert!(off <= tolerance(133, SOFT.eps, precision), "{level:?} {precision:?}: {off:e}");
            }
        }
    }
    let mut out = Forces::default();
    between(Level::best(), Precision::F64, &Bodies::default(), &sources, &SOFT, ALL[1], &mut out).unwrap();
    assert!(out.ax.is_empty());
    between(Level::best(), Precision::F64, &targets, &Bodies::default(), &SOFT, ALL[1], &mut out).unwrap();
    assert_eq!(out.ax, vec![0.0; 37]);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let bodies = cloud(5000, 11);
    for level in Level::available() {
        for precision in [Precision::F32, Precision::F64] {
            for mut solver in [direct(level, precision), symmetric(level, precision).unwrap()] {
                let mut results = Vec::new();
                for threads in [1, 2, 3, 8] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let mut out = Forces::default();
                    pool.install(|| solver.forces(&bodies, &SOFT, ALL[0], &mut out).unwrap());
                    results.push(out);
                }
                assert!(results.iter().all(|r| *r == results[0]), "{} {precision:?} {level:?}", solver.name());
            }
        }
    }
}

/// Large tiles are handed out in parts, of which the last tile lacks some: the answer is that of the solver without tiles
/// of pairs, and the same whoever computes which part.
#[test]
fn tiles_handed_out_in_parts() {
    for n in [17_000, 18_100] {
        let bodies = cloud(n, 13);
        let mut want = Forces::default();
        direct(Level::best(), Precision::F64).forces(&bodies, &SOFT, ALL[0], &mut want).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let [one, many] = [1, 7].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = Forces::default();
                let mut solver = symmetric(Level::best(), precision).unwrap();
                pool.install(|| solver.forces(&bodies, &SOFT, ALL[0], &mut out).unwrap());
                out
            });
            assert!(one == many, "{n} {precision}");
            let off = error([&one.ax, &one.ay, &one.az], [&want.ax, &want.ay, &want.az]);
            let bound = tolerance(n, SOFT.eps, precision);
            assert!(off <= bound, "{n} {precision}: {off:e} of {bound:e}");
        }
    }
    // a result of two numbers: the nearest, and who it is; by another traversal to the last bit
    let cloud = cloud(17_000, 14);
    let ids: Vec<f64> = (0..17_000).map(f64::from).collect();
    let columns = [&cloud.x[..], &cloud.y, &cloud.z, &ids];
    let inputs = PairInputs::one(&columns, &[]);
    let found = compiled::<Nearest, f64>(&inputs).unwrap();
    assert_eq!(found, compiled_triangular::<Nearest, f64>(Triangle::Lambda, &inputs).unwrap());
}

#[test]
fn symmetric_conserves_momentum_to_rounding() {
    let bodies = cloud(3000, 12);
    for level in Level::available() {
        for precision in [Precision::F32, Precision::F64] {
            let mut out = Forces::default();
            symmetric(level, precision).unwrap().forces(&bodies, &SOFT, ALL[0], &mut out).unwrap();
            let force = |a: &[f64]| a.iter().zip(&bodies.mass).map(|(a, m)| a * m).sum::<f64>();
            let net = length([force(&out.ax), force(&out.ay), force(&out.az)]);
            let sizes: f64 = (0..3000).map(|i| bodies.mass[i] * length([out.ax[i], out.ay[i], out.az[i]])).sum();
            // each pair's two contributions differ by rounding only: errors at random, one a body
            let bound = tolerance(3000, SOFT.eps, precision) * sizes / 3000_f64.sqrt();
            assert!(net <= bound, "{level:?} {precision:?}: {net:e} of {bound:e}");
        }
    }
}

#[test]
fn unusable_problems_are_errors() {
    let bodies = cloud(3, 1);
    for eps in [-1.0, f64::NAN, f64::INFINITY] {
        let mut out = Forces::default();
        let refused = direct(Level::best(), Precision::F64).forces(&bodies, &Gravity::new(1.0, eps), ALL[0], &mut out);
        assert!(refused.is_err_and(|e| e.to_string().contains("eps")));
    }
    let unknown = "symetric".parse::<SolverName>().unwrap_err().to_string();
    assert!(unknown.contains("did you mean symmetric?"), "{unknown}");
    let reference = Method::on(Device::Cpu, Precision::F32).solver(SolverName::Reference);
    assert!(solver::of(&reference).is_err());
}

/// Every third body, or those of `without`, has no mass.
fn with_massless(n: usize, without: impl Fn(usize) -> bool) -> Bodies {
    let mut bodies = cloud(n, 21);
    (0..n).filter(|k| without(*k)).for_each(|k| bodies.mass[k] = 0.0);
    bodies
}

/// The bodies that have a mass.
fn massive(bodies: &Bodies) -> (Bodies, Vec<usize>) {
    let at: Vec<usize> = (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0).collect();
    let mut alone = Bodies::default();
    for k in &at {
        let velocity = [bodies.vx[*k], bodies.vy[*k], bodies.vz[*k]];
        alone.push(bodies.mass[*k], bodies.position(*k), velocity);
    }
    alone.eps = bodies.eps.as_ref().map(|eps| at.iter().map(|k| eps[*k]).collect());
    (alone, at)
}

#[test]
fn massless_bodies_are_targets_alone() {
    type Without = fn(usize) -> bool;
    let kinds: [(&str, Without); 5] = [
        ("first", |k| k < 150),
        ("last", |k| k >= 40),
        ("among the others", |k| k % 3 == 1),
        ("all", |_| true),
        ("all but one", |k| k != 5),
    ];
    for (kind, without) in kinds {
        for n in [1, 2, 6, 31, 200] {
            let mut bodies = with_massless(n, without);
            for want in ALL {
                agree(&format!("massless {kind}"), &bodies, &SOFT, want);
            }
            bodies.eps = Some((0..n).map(|k| 0.02 + 0.01 * (k % 3) as f64).collect());
            agree(&format!("massless {kind}, softenings"), &bodies, &SOFT, ALL[2]);
        }
    }
    agree("one of two", &with_massless(2, |k| k == 0), &SOFT, ALL[1]);
}

/// Not one bit of the others depends on them, wherever they are.
#[test]
fn massless_bodies_change_no_bit_of_the_others() {
    let soft = |n: usize| (0..n).map(|k| 0.02 + 0.01 * (k % 3) as f64).collect();
    for (n, own) in [(11, false), (80, true), (700, false)] {
        let mut bodies = with_massless(n, |k| k % 4 == 2);
        // far away, fast, and where another is
        (bodies.x[2], bodies.vy[2]) = (1.0e3, 1.0e3);
        (bodies.x[6], bodies.y[6], bodies.z[6]) = (bodies.x[7], bodies.y[7], bodies.z[7]);
        bodies.eps = own.then(|| soft(n));
        let (alone, at) = massive(&bodies);
        for want in ALL {
            for (name, _, mut solver) in every_solver(want) {
                let (mut some, mut all) = (Forces::default(), Forces::default());
                solver.forces(&alone, &SOFT, want, &mut some).unwrap();
                solver.forces(&bodies, &SOFT, want, &mut all).unwrap();
                let columns = |f: &Forces| [&f.ax, &f.ay, &f.az, &f.pot, &f.jx, &f.jy, &f.jz].map(Vec::clone);
                for (some, all) in columns(&some).into_iter().zip(columns(&all)) {
                    let all: Vec<f64> = if all.is_empty() { all } else { at.iter().map(|k| all[*k]).collect() };
                    assert_eq!(some, all, "{name}, n = {n}, {want:?}");
                }
            }
        }
    }
}

#[test]
fn massless_bodies_have_the_same_bits_on_any_number_of_threads() {
    let bodies = with_massless(5000, |k| k % 50 != 3);
    for precision in [Precision::F32, Precision::F64] {
        let [one, many] = [1, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = Forces::default();
            pool.install(|| {
                symmetric(Level::best(), precision).unwrap().forces(&bodies, &SOFT, ALL[0], &mut out).unwrap()
            });
            out
        });
        assert!(one == many, "{precision}");
    }
}

/// One source, with lengths in units of 1e-15 to 1e15: its extent is 0 and does not determine a scale.
#[test]
fn one_source_has_no_scale() {
    for size in [1.0e-15, 1.0, 1.0e15] {
        let mut bodies = with_massless(9, |k| k != 4);
        let columns = [&mut bodies.x, &mut bodies.y, &mut bodies.z];
        columns.into_iter().flatten().for_each(|q| *q *= size);
        agree("one source", &bodies, &Gravity::new(1.0, 0.01 * size), ALL[1]);
    }
}

/// A solver without mixed precision refuses it, and does not compute in f64 instead; `direct` has it.
#[test]
fn mixed_precision_is_refused_where_it_is_not_available() {
    use manybody::{law::EvaluateLaw, law::Law, solver::Interpreter};
    let mixed = Precision::Mixed;
    let refused = |error: Option<manybody::Error>, part: &str| {
        let error = error.expect(part).to_string();
        assert!(error.starts_with("precision = mixed: ") && error.contains("f32 or f64"), "{error}");
        assert!(error.contains(part), "{error}");
    };
    refused(symmetric(Level::best(), mixed).err(), "the solver direct");
    let (bodies, mut out) = (Bodies::default(), Forces::default());
    refused(between(Level::best(), mixed, &bodies, &bodies, &SOFT, ALL[0], &mut out).err(), "two sets");
    let columns: [&[f64]; 1] = [&[0.0, 1.0]];
    let law = Law::parse("body x; sum s = j.x").unwrap();
    let inputs = PairInputs::one(&columns, &[]);
    refused(Interpreter::new(&law, Level::best(), mixed).evaluate(&inputs).err(), "the solver direct");
    refused(law.evaluate(&inputs, mixed).err(), "the solver direct");

    // 1e-7 apart at 1: in f32 of their places they would be at one, or at a distance that is wrong by tenths
    let mut pair = Bodies::default();
    pair.push(1.0, [1.0, 0.0, 0.0], [0.0; 3]);
    pair.push(1.0, [1.0 + 1e-7, 0.0, 0.0], [0.0; 3]);
    pair.push(1.0, [-2.0, 0.0, 0.0], [0.0; 3]);
    let gravity = Gravity::new(1.0, 0.0);
    let (mut found, mut want) = (Forces::default(), Forces::default());
    direct(Level::best(), mixed).forces(&pair, &gravity, ALL[0], &mut found).unwrap();
    direct(Level::best(), Precision::F64).forces(&pair, &gravity, ALL[0], &mut want).unwrap();
    let error = (found.ax[0] / want.ax[0] - 1.0).abs();
    // above the rounding of f64: it is not that; below some of f32
    assert!(error > 1e-12 && error < 1e-6, "{error:e}");
}

/// Some of the bodies have the forces that they have among all, to the rounding of another order of sums; massless bodies
/// are among the targets and the others. The reference takes them from all.
#[test]
fn some_bodies_have_the_forces_that_they_have_among_all() {
    let list: Vec<usize> = [31, 2, 0, 90, 17, 200, 64].to_vec();
    for (n, soft) in [(201, false), (300, true)] {
        let mut bodies = with_massless(n, |k| k % 5 == 2);
        bodies.eps = soft.then(|| (0..n).map(|k| 0.02 + 0.01 * (k % 3) as f64).collect());
        let closest = closest(&bodies, &SOFT);
        for want in ALL {
            let mut exact = Forces::default();
            Reference::default().forces(&bodies, &SOFT, want, &mut exact).unwrap();
            let range: Vec<usize> = (50..120).collect();
            let none: &[usize] = &[];
            let all: Vec<usize> = (0..n).collect();
            let targets = [
                (Targets::List(&list), &list[..]),
                (Targets::Range(50..120), &range),
                (Targets::List(none), none),
                (Targets::All, &all),
            ];
            let reference: (String, Precision, Box<dyn Solver>) =
                ("reference".into(), Precision::F64, Box::new(Reference::default()));
            for (name, precision, mut solver) in every_solver(want).into_iter().chain([reference]) {
                for (targets, indices) in &targets {
                    let mut out = Forces::default();
                    solver.forces_on(&bodies, targets, &SOFT, want, &mut out).unwrap();
                    let exact = exact.at(indices);
                    let bound = tolerance(n, closest, precision);
                    let what = format!("{name}, {targets:?}, {want:?}");
                    assert_eq!(
                        [out.ax.len(), out.pot.len(), out.jx.len()],
                        [exact.ax.len(), exact.pot.len(), exact.jx.len()]
                    );
                    let off = error([&out.ax, &out.ay, &out.az], [&exact.ax, &exact.ay, &exact.az]);
                    assert!(off <= bound, "{what}: acceleration off by {off:e} of {bound:e}");
                    let zero = vec![0.0; out.pot.len()];
                    let off = error([&out.pot, &zero, &zero], [&exact.pot, &zero, &zero]);
                    assert!(off <= bound, "{what}: potential off by {off:e} of {bound:e}");
                    let off = error([&out.jx, &out.jy, &out.jz], [&exact.jx, &exact.jy, &exact.jz]);
                    assert!(off <= bound, "{what}: jerk off by {off:e} of {bound:e}");
                }
                for (wrong, expected) in [(&[1, 5, 1][..], "at most once"), (&[n], "one of the")] {
                    let refused = solver.forces_on(&bodies, &Targets::List(wrong), &SOFT, want, &mut Forces::default());
                    let error = refused.unwrap_err().to_string();
                    assert!(error.contains("targets") && error.contains(expected), "{error}");
                }
            }
        }
    }
}
