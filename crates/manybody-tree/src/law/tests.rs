//! Laws by expansions beside the same laws for all pairs.

use super::*;
use manybody_pairwise::Expansion;

/// Random numbers between 0 and 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// x, y, z and a charge of either sign.
fn cube(n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut next = random(seed);
    let mut columns = vec![Vec::new(); 4];
    (0..n).for_each(|_| columns.iter_mut().for_each(|column| column.push(2.0 * next() - 1.0)));
    columns
}

/// The same with positive charges.
fn positive(mut columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    columns[3].iter_mut().for_each(|q| *q = q.abs() + 0.1);
    columns
}

/// Bodies that crowd: a power law of distances about a few centres.
fn clustered(n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut next = random(seed);
    let centers: Vec<[f64; 3]> = (0..7).map(|_| [next(), next(), next()]).collect();
    let mut columns = vec![Vec::new(); 4];
    for k in 0..n {
        let r = 1e-4 * 1e4_f64.powf(next());
        let (z, phi) = (2.0 * next() - 1.0, 6.3 * next());
        let w = (1.0 - z * z).sqrt();
        let d = [r * w * phi.cos(), r * w * phi.sin(), r * z];
        (0..3).for_each(|axis| columns[axis].push(centers[k % 7][axis] + d[axis]));
        columns[3].push(0.1 + next());
    }
    columns
}

fn far_away(mut columns: Vec<Vec<f64>>, by: f64) -> Vec<Vec<f64>> {
    columns.iter_mut().take(3).for_each(|column| column.iter_mut().for_each(|x| *x += by));
    columns
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

fn fmm(law: &Law, expansion: Expansion, inputs: &PairInputs<'_>) -> Vec<Vec<f64>> {
    let method = Method { solver: SolverName::Fmm, expansion, ..Method::default() };
    evaluator(&method, law).unwrap().evaluate(inputs).unwrap()
}

fn direct(law: &Law, inputs: &PairInputs<'_>) -> Vec<Vec<f64>> {
    Interpreter::new(law, Level::best(), Precision::F64).evaluate(inputs).unwrap()
}

/// Of each member, the error of each body relative to its result or the median, the larger of both; of these p99 and the
/// largest; the worst member.
fn errors(law: &Law, found: &[Vec<f64>], exact: &[Vec<f64>]) -> [f64; 2] {
    let (mut first, mut worst) = (0, [0.0_f64; 2]);
    for field in law.results() {
        let numbers = first..first + field.numbers();
        first = numbers.end;
        let norm = |k: usize, of: &dyn Fn(usize, usize) -> f64| {
            numbers.clone().map(|number| of(number, k).powi(2)).sum::<f64>().sqrt()
        };
        let sizes: Vec<f64> = (0..exact[0].len()).map(|k| norm(k, &|number, k| exact[number][k])).collect();
        let mut sorted = sizes.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let off = |k: usize| norm(k, &|number, k| found[number][k] - exact[number][k]);
        let mut errors: Vec<f64> =
            (0..sizes.len()).map(|k| off(k) / sizes[k].max(median).max(f64::MIN_POSITIVE)).collect();
        errors.sort_by(f64::total_cmp);
        let at = |share: f64| errors.get(((errors.len() as f64 * share) as usize).min(errors.len().max(1) - 1));
        worst[0] = worst[0].max(at(0.99).copied().unwrap_or(0.0));
        worst[1] = worst[1].max(at(1.0).copied().unwrap_or(0.0));
    }
    worst
}

const YUKAWA: &str = "body x[3], q; d = i.x - j.x; r = norm(d); sum p = j.q * exp(-3 * r) / r; self exclude";
const GAUSSIAN: &str = "body x[3], q; d = i.x - j.x; sum p = j.q * exp(-dot(d, d) / 0.5)";
const MATERN: &str =
    "body x[3], q; d = i.x - j.x; t = sqrt(3) * norm(d) / 0.7; sum p = j.q * (1 + t) * exp(-t); self include";
const GRAVITY: &str =
    "body x[3], q; d = j.x - i.x; s = dot(d, d) + 1e-6; sum a = j.q * d / s^1.5; sum p = -j.q / sqrt(s)";
/// The flow of a force along (1, q, -1) at each body.
const STOKESLET: &str = "body x[3], q; d = i.x - j.x; r = norm(d); f = (1, j.q, -1); \
    sum u = f / r + dot(d, f) * d / r^3; self exclude";
/// The field of dipoles and their energy, the second with two differences more.
const DIPOLES: &str = "body x[3], q; d = i.x - j.x; s = dot(d, d) + 1e-6; m = (j.q, 0.5, -j.q); n = (i.q, 0.5, -i.q); \
    sum b = (3 * dot(m, d) * d - m * s) / s^2.5; \
    sum e = dot(m, n) / s^1.5 - 3 * dot(m, d) * dot(n, d) / s^2.5; self exclude";
/// Three and four differences.
const QUADRUPOLES: &str = "body x[3], q; d = i.x - j.x; s = dot(d, d) + 0.01; \
    sum p = j.q * d[0] * d[1] * d[2] / s^3; sum t = j.q * (d[0] * d[1])^2 * exp(-s); self exclude";

/// A metric of its own for each axis, as in geostatistics.
const ANISOTROPIC: &str = "body x[3], q; d = i.x - j.x; \
    sum p = j.q * exp(-sqrt(1e-4 + 2 * d[0]^2 + d[1]^2 + 0.5 * d[2]^2)); sum g = j.q * d[0] * exp(-d[0]^2 - 3 * d[1]^2)";
/// A current of air that carries what is given off: it depends on the direction.
const PLUME: &str = "body x[3], q; d = i.x - j.x; r = norm(d); sum c = j.q * exp(2 * (d[0] - r)) / r; self exclude";

/// The tolerance of the table for an error. It is for most systems: in others the error is up to three times as large, which an
/// audit would find.
const MAX_RATIO: f64 = 3.0;

fn usual(rtol: f64) -> Expansion {
    Expansion { rtol: Some(rtol), ..Expansion::default() }
}

#[test]
fn results_have_the_error_that_is_asked_for() {
    let systems = [
        ("cube", cube(3000, 1)),
        ("positive", positive(cube(3000, 2))),
        ("clustered", clustered(3000, 3)),
        ("far away", far_away(positive(cube(3000, 4)), 1e6)),
    ];
    for (name, bodies) in systems {
        let columns = slices(&bodies);
        let inputs = PairInputs::one(&columns, &[]);
        for text in [YUKAWA, GAUSSIAN, MATERN, GRAVITY, STOKESLET, DIPOLES, QUADRUPOLES] {
            let law = Law::parse(text).unwrap();
            let exact = direct(&law, &inputs);
            for rtol in [1e-3, 1e-5, 1e-8] {
                let [p99, max] = errors(&law, &fmm(&law, usual(rtol), &inputs), &exact);
                // places at 1e6 have an error of 1e-10, and close pairs feel it in both ways to compute them
                let least = if name == "far away" { 1e-9 } else { 0.0 };
                assert!(p99 < rtol + least, "{name}: {p99:e} above {rtol:e}, largest {max:e}: {text}");
            }
        }
    }
}

#[test]
fn functions_of_the_direction_have_the_error_that_is_asked_for() {
    for (name, bodies) in [("cube", cube(2000, 11)), ("clustered", clustered(2000, 12))] {
        let columns = slices(&bodies);
        let inputs = PairInputs::one(&columns, &[]);
        for text in [ANISOTROPIC, PLUME] {
            let law = Law::parse(text).unwrap();
            let exact = direct(&law, &inputs);
            for rtol in [1e-3, 1e-6] {
                let [p99, max] = errors(&law, &fmm(&law, usual(rtol), &inputs), &exact);
                assert!(p99 < rtol && max > 0.0, "{name}: {p99:e} above {rtol:e}, largest {max:e}: {text}");
            }
        }
    }
}

/// As the next test, but at an angle of 0.4: the metric sees cells that are up to twice as large beside their distance, and
/// (2 * 0.4)^3 is about 1/2.
#[test]
fn the_error_of_functions_of_the_direction_falls_with_the_order() {
    let bodies = positive(cube(2000, 13));
    let columns = slices(&bodies);
    let inputs = PairInputs::one(&columns, &[]);
    for text in [ANISOTROPIC, PLUME] {
        let law = Law::parse(text).unwrap();
        let exact = direct(&law, &inputs);
        let error = |order: usize| {
            let expansion = Expansion { order: Some(order), theta: Some(0.4), ..Expansion::default() };
            errors(&law, &fmm(&law, expansion, &inputs), &exact)[0]
        };
        let found = [2, 5, 8].map(error);
        for pair in found.windows(2) {
            assert!(pair[1] < pair[0] / 2.0, "{found:?}: {text}");
        }
        assert!(found[2] > 0.0, "{found:?}: {text}");
    }
}

/// At a fixed angle of 1/2 each order divides the error by about two, for every function, values and gradients alike.
#[test]
fn the_error_falls_with_the_order() {
    let bodies = positive(cube(2000, 5));
    let columns = slices(&bodies);
    let inputs = PairInputs::one(&columns, &[]);
    let gradient = "body x[3], q; d = i.x - j.x; r = norm(d); sum f = j.q * d * exp(-2 * r) / r; self exclude";
    for text in [YUKAWA, GAUSSIAN, MATERN, GRAVITY, gradient, STOKESLET, DIPOLES, QUADRUPOLES] {
        let law = Law::parse(text).unwrap();
        let exact = direct(&law, &inputs);
        let error = |order: usize| {
            let expansion = Expansion { order: Some(order), theta: Some(0.5), ..Expansion::default() };
            errors(&law, &fmm(&law, expansion, &inputs), &exact)[0]
        };
        let found = [3, 6, 9, 12].map(error);
        for pair in found.windows(2) {
            // (radii over distance)^3, which is 1/8 at most; rounding is far below
            assert!(pair[1] < pair[0] / 6.0, "{found:?}: {text}");
        }
        assert!(found[3] > 0.0, "{found:?}: {text}");
    }
}

/// Charges of both signs and kinds, factors of the body acted on, several results, one and two axes.
#[test]
fn laws_of_many_forms() {
    let bodies = cube(1500, 6);
    let columns = slices(&bodies);
    let inputs = PairInputs::one(&columns, &[]);
    let texts = [
        "body x[3], q; d = i.x - j.x; r = norm(d); e = exp(-r); sum f = i.q * j.q * e * (1 + r) / r^3 * d; \
         sum p = j.q * e / r; sum n = exp(-dot(d, d)); self exclude",
        "body x[3], q; d = i.x - j.x; sum w = (i.q - j.q) * exp(-dot(d, d))",
        "body x[3], q; d = i.x - j.x; s = dot(d, d) + 0.01; sum u = (j.q * d[1], -j.q * d[0]) / s",
        "body x[2], q; d = i.x - j.x; sum p = j.q * ln(dot(d, d) + 0.01); sum f = j.q * d / (dot(d, d) + 0.01)",
        "body x, q; d = i.x - j.x; sum p = j.q * exp(-d^2)",
        "body x[3], q; d = i.x - j.x; sum p = j.q * sin(2 * norm(d)) / norm(d); self p = 2 * i.q",
        "body x[3], q; d = i.x - j.x; sum p = j.q * norm(d)",
        "body x[2], q; d = i.x - j.x; s = dot(d, d) + 0.1; sum p = j.q * d[0] * d[1] / s^2; sum c = cos(d[0]) * j.q / s",
        "body x, q; d = i.x - j.x; sum p = j.q * exp(-d^2 - d)",
    ];
    for text in texts {
        let law = Law::parse(&text.replace('\\', "")).unwrap();
        let width: usize = law.body().iter().map(manybody_law::law::Field::numbers).sum();
        let axes = width - usize::from(law.body().len() > 1);
        let mut columns = columns[..axes].to_vec();
        columns.extend(law.body().iter().any(|field| field.name == "q").then_some(&bodies[3][..]));
        let inputs = PairInputs::one(&columns, inputs.par);
        let [p99, max] = errors(&law, &fmm(&law, usual(1e-6), &inputs), &direct(&law, &inputs));
        assert!(p99 < MAX_RATIO * 1e-6 && max > 0.0, "{p99:e}, largest {max:e}: {text}");
    }
}

/// Around a leaf and a vector, nothing at all, and all at one place.
#[test]
fn any_number_of_bodies() {
    for text in [YUKAWA, GAUSSIAN, GRAVITY] {
        let law = Law::parse(text).unwrap();
        for n in [0, 1, 2, 7, 31, 32, 33, 63, 64, 65, 129, 1000] {
            let bodies = cube(n, 8);
            let columns = slices(&bodies);
            let inputs = PairInputs::one(&columns, &[]);
            let (found, exact) = (fmm(&law, usual(1e-6), &inputs), direct(&law, &inputs));
            assert!(found.iter().all(|column| column.len() == n));
            let [p99, _] = errors(&law, &found, &exact);
            assert!(p99 < 1e-6, "{n}: {p99:e}: {text}");
        }
    }
    // the Gaussian of two hundred bodies at one place, and of some elsewhere
    let law = Law::parse(GAUSSIAN).unwrap();
    for elsewhere in [0, 300] {
        let mut bodies = positive(cube(200 + elsewhere, 9));
        bodies.iter_mut().take(3).for_each(|column| column[..200].fill(0.25));
        let columns = slices(&bodies);
        let inputs = PairInputs::one(&columns, &[]);
        let [p99, max] = errors(&law, &fmm(&law, usual(1e-6), &inputs), &direct(&law, &inputs));
        assert!(p99 < 1e-6 && max < 1e-5, "{elsewhere}: {p99:e}");
    }
    // charges that are all nothing
    let mut bodies = cube(500, 10);
    bodies[3].fill(0.0);
    let columns = slices(&bodies);
    assert!(fmm(&law, usual(1e-5), &PairInputs::one(&columns, &[]))[0].iter().all(|p| *p == 0.0));
}

/// Other bodies act, or the bodies are a part of those that act, where no body acts on itself.
#[test]
fn two_sets_and_a_part_of_a_set() {
    let (i, j) = (cube(700, 11), positive(clustered(1300, 12)));
    for text in [YUKAWA, GAUSSIAN, GRAVITY] {
        let law = Law::parse(text).unwrap();
        let (ci, cj) = (slices(&i), slices(&j));
        let part: Vec<&[f64]> = cj.iter().map(|column| &column[300..800]).collect();
        let none: Vec<&[f64]> = cj.iter().map(|column| &column[..0]).collect();
        for inputs in [
            PairInputs::two(&ci, &cj, &[]),
            PairInputs::two(&cj, &ci, &[]),
            PairInputs::part(&part, &cj, 300, &[]),
            PairInputs::two(&ci, &none, &[]),
            PairInputs::two(&none, &ci, &[]),
        ] {
            let (found, exact) = (fmm(&law, usual(1e-6), &inputs), direct(&law, &inputs));
            assert_eq!(found[0].len(), exact[0].len());
            let [p99, _] = errors(&law, &found, &exact);
            assert!(p99 < MAX_RATIO * 1e-6, "{:?}: {p99:e}: {text}", inputs.lens());
        }
    }
}

/// Some bodies far outside: leaves that are much larger than those of the rest.
#[test]
fn bodies_far_outside() {
    let mut bodies = positive(cube(2000, 13));
    for k in 0..40 {
        let r = 20.0 * 1.2_f64.powi(k);
        let k = 50 * k as usize;
        (bodies[0][k], bodies[1][k], bodies[2][k]) = (r, -0.5 * r, 0.3 * r);
    }
    let columns = slices(&bodies);
    let inputs = PairInputs::one(&columns, &[]);
    let law = Law::parse(GRAVITY).unwrap();
    let exact = direct(&law, &inputs);
    let [p99, _] = errors(&law, &fmm(&law, usual(1e-6), &inputs), &exact);
    assert!(p99 < MAX_RATIO * 1e-6, "{p99:e}");
}

#[test]
fn single_precision_is_as_exact_as_it_can_be() {
    let bodies = positive(cube(2000, 14));
    let columns = slices(&bodies);
    let inputs = PairInputs::one(&columns, &[]);
    for text in [YUKAWA, GAUSSIAN, MATERN, GRAVITY] {
        let law = Law::parse(text).unwrap();
        let expansion = usual(1e-5);
        let method = Method { solver: SolverName::Fmm, precision: Precision::F32, expansion, ..Method::default() };
        let found = evaluator(&method, &law).unwrap().evaluate(&inputs).unwrap();
        let [p99, _] = errors(&law, &found, &direct(&law, &inputs));
        assert!(p99 < 1e-5 && p99 > 1e-9, "{p99:e}: {text}");
    }
}

/// The bits are the same for any number of threads, with all vector instructions, and again; loaded or at once.
#[test]
fn bits_do_not_depend_on_threads() {
    let bodies = clustered(3000, 15);
    let columns = slices(&bodies);
    let inputs = PairInputs::one(&columns, &[]);
    let law = Law::parse(GRAVITY).unwrap();
    let exact = direct(&law, &inputs);
    for level in Level::available() {
        let method =
            Method { solver: SolverName::Fmm, level: Some(level), expansion: usual(1e-4), ..Method::default() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| evaluator(&method, &law).unwrap().evaluate(&inputs).unwrap())
        };
        let one = on(1);
        assert!(errors(&law, &one, &exact)[0] < 1e-4, "{level:?}");
        for threads in [2, 5] {
            assert!(on(threads) == one, "{level:?}: {threads} threads");
        }
        let mut loaded = evaluator(&method, &law).unwrap();
        loaded.load(&inputs).unwrap();
        for _ in 0..2 {
            loaded.compute().unwrap();
            assert!(loaded.fetch().unwrap() == one);
        }
    }
}

#[test]
fn a_force_and_its_potential_share_an_expansion() {
    let fields = |text: &str| {
        let law = Law::parse(text).unwrap();
        Fields::of(&law, &Radial::of(&law).unwrap(), &[], 1.0, 3)
    };
    let shared = fields(GRAVITY);
    assert_eq!((shared.potentials.len(), shared.locals), (1, 1));
    let gradient = shared.parts.iter().find(|part| part.component > 0).unwrap();
    assert!((gradient.times + 1.0).abs() < 1e-10, "{gradient:?}"); // a = -grad pot
    let other = fields("body x[3], q; d = i.x - j.x; s = dot(d, d) + 1; sum f = j.q * d / s; sum p = j.q / sqrt(s)");
    assert_eq!((other.potentials.len(), other.locals), (2, 2));
}

/// A curl has components of both signs: with one function for 1/r^3 and -1/r^3 its charges have an expansion each.
#[test]
fn functions_that_are_one_up_to_a_factor_share_expansions() {
    let law = Law::parse("body x[3], v[3]; d = i.x - j.x; sum b = cross(j.v, d) / norm(d)^3; self exclude").unwrap();
    let fields = Fields::of(&law, &Radial::of(&law).unwrap(), &[], 1.0, 3);
    assert_eq!((fields.potentials.len(), fields.interactions.len(), fields.locals), (1, 3, 3));
    let mut times: Vec<f64> = fields.parts.iter().map(|part| part.times).collect();
    times.sort_by(f64::total_cmp);
    assert!(times.iter().zip([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-10), "{times:?}");
}

#[test]
fn impossible_settings_are_named() {
    let law = Law::parse(GAUSSIAN).unwrap();
    let said = |method: Method| evaluator(&method, &law).map(drop).unwrap_err().to_string();
    let fmm = Method::default().solver(SolverName::Fmm);
    let with = |expansion: Expansion| said(Method { expansion, ..fmm.clone() });
    assert!(with(usual(1e-12)).contains("rtol = ") && with(usual(f64::NAN)).contains("finite"));
    assert!(with(Expansion { order: Some(13), ..Expansion::default() }).contains("from 1 to 12"));
    assert!(with(Expansion { theta: Some(1.0), ..Expansion::default() }).contains("theta"));
    assert!(with(Expansion { tolerance: Some(0.0), ..Expansion::default() }).contains("tolerance"));
    assert!(said(fmm.clone().solver(SolverName::Tree)).contains("every pair contributes"));
    assert!(said(fmm.clone().solver(SolverName::Direct)).contains("fmm or tree"));
    assert!(said(Method { precision: Precision::Mixed, ..fmm.clone() }).contains("f32 and f64"));
    assert!(said(Method { device: manybody_law::Device::Cuda, ..fmm.clone() }).contains("manybody-gpu"));
    let single = Method { precision: Precision::F32, expansion: usual(1e-6), ..fmm.clone() };
    assert!(said(single).contains("f32"));
    let other = Law::parse("body x[3]; d = i.x - j.x; min p = dot(d, d); self exclude").unwrap();
    let error = evaluator(&fmm, &other).map(drop).unwrap_err().to_string();
    assert!(error.contains("p is a min") && error.contains("all pairs"), "{error}");
}
