//! Laws by expansions on GPUs: errors against all pairs in f64, on every device that is here.

mod common;

use common::kinds;
use manybody::audit::law::relative_errors;
use manybody_gpu::{LawExpansions, law_expansions};
use manybody_law::Device;
use manybody_law::law::{Law, PairInputs};
use manybody_law::simd::Level;
use manybody_pairwise::{Evaluator, Expansion, Interpreter, Method, Precision, SolverName};

/// Every device with its precisions.
fn cases() -> Vec<(Device, Precision)> {
    let precisions = |device| match device {
        Device::Cuda => vec![Precision::F32, Precision::F64],
        _ => vec![Precision::F32],
    };
    kinds().into_iter().flat_map(|device| precisions(device).into_iter().map(move |p| (device, p))).collect()
}

fn method(device: Device, precision: Precision, expansion: Expansion) -> Method {
    Method { device, precision, expansion, ..Method::default() }.solver(SolverName::Fmm)
}

fn by_error(rtol: f64) -> Expansion {
    Expansion { rtol: Some(rtol), ..Expansion::default() }
}

/// Columns of numbers between 0 and 1.
fn random(columns: usize, n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..columns).map(|_| (0..n).map(|_| next()).collect()).collect()
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

fn exact(law: &Law, inputs: &PairInputs<'_>) -> Vec<Vec<f64>> {
    Interpreter::new(law, Level::best(), Precision::F64).evaluate(inputs).unwrap()
}

/// The solvers of a law on every device, made once: what they compile takes longer than what they compute.
struct Solvers<'a> {
    law: &'a Law,
    rtol: f64,
    of: Vec<(Device, Precision, LawExpansions)>,
}

impl<'a> Solvers<'a> {
    fn new(law: &'a Law, rtol: f64) -> Self {
        let solver = |device, precision| law_expansions(&method(device, precision, by_error(rtol)), law).unwrap();
        let of = cases().into_iter().map(|(device, precision)| (device, precision, solver(device, precision)));
        Solvers { law, rtol, of: of.collect() }
    }

    /// The error of 99 of 100 bodies is about that which is asked for, on every device.
    fn check(&mut self, name: &str, inputs: &PairInputs<'_>) {
        let Solvers { law, rtol, of } = self;
        let want = exact(law, inputs);
        let all: Vec<usize> = (0..inputs.lens().0).collect();
        let single = Interpreter::new(law, Level::best(), Precision::F32).evaluate(inputs).unwrap();
        let rounding = relative_errors(law, &all, &single, &want).p99;
        for (device, precision, solver) in of {
            let found = solver.evaluate(inputs).unwrap();
            let errors = relative_errors(law, &all, &found, &want);
            // each interaction lacks less than rtol, and several add up: what promises an error halves the tolerance then. In
            // f32 there is what rounding does to all pairs, too, and expansions round about as often again
            let limit = 5.0 * *rtol + if *precision == Precision::F32 { 3.0 * rounding } else { 0.0 };
            assert!(errors.p99 <= limit, "{name} on {device} in {precision}: {errors:?} {rounding:e}");
            // something is computed by expansions, and the same bits each time
            assert!(all.len() < 1000 || errors.max > 0.0, "{name} on {device} in {precision}: {errors:?}");
            assert_eq!(solver.evaluate(inputs).unwrap(), found, "{name} on {device} in {precision}");
        }
    }
}

fn check(name: &str, law: &Law, inputs: &PairInputs<'_>, rtol: f64) {
    Solvers::new(law, rtol).check(name, inputs);
}

fn law(text: &str) -> Law {
    Law::parse(&format!("body x[3], q; d = i.x - j.x; r = norm(d); {text}")).unwrap()
}

/// Places in three crowds, two of them small, and charges of both signs.
fn crowds(n: usize) -> Vec<Vec<f64>> {
    let mut columns = random(4, n, 1);
    for k in 0..n {
        let size = [1.0, 0.1, 1e-3][k % 3];
        (0..3).for_each(|axis| columns[axis][k] = (k % 3) as f64 + size * columns[axis][k]);
        columns[3][k] -= 0.3;
    }
    columns
}

#[test]
fn laws_have_the_error_that_is_asked_for() {
    let columns = crowds(6000);
    let columns = slices(&columns);
    let inputs = PairInputs::one(&columns, &[]);
    let texts = [
        (
            "a potential and its force",
            "e = exp(-2 * r) / r; sum p = j.q * e; sum f = j.q * e * (1 + 2 * r) / r^2 * d; self exclude",
        ),
        ("a force alone", "sum f = j.q * exp(-2 * r) * (1 + 2 * r) / r^3 * d; self exclude"),
        ("with the target's charge", "sum f = i.q * j.q * d / r^3; sum p = i.q * j.q / r; self exclude"),
        ("with itself", "sum p = j.q * exp(-4 * r * r)"),
        ("softened", "sum p = j.q * rsqrt(r^2 + 0.01); self exclude"),
        ("a logarithm", "sum p = j.q * ln(r); self exclude"),
        ("a Matern function", "t = 5 * r; sum p = j.q * (1 + t) * exp(-t); self include"),
        ("a wave", "sum p = j.q * cos(r) / r; self exclude"),
    ];
    // kernels of every other law have another order
    for ((name, text), rtol) in texts.into_iter().zip([1e-3, 1e-5].into_iter().cycle()) {
        check(name, &law(text), &inputs, rtol);
    }
}

/// In f64 errors follow the request.
#[test]
fn smaller_errors_in_f64() {
    let columns = random(4, 4000, 3);
    let columns = slices(&columns);
    let inputs = PairInputs::one(&columns, &[]);
    let law = law("sum p = j.q * exp(-r) / r; self exclude");
    let want = exact(&law, &inputs);
    let all: Vec<usize> = (0..4000).collect();
    for (device, precision) in cases().into_iter().filter(|(_, precision)| *precision == Precision::F64) {
        for rtol in [1e-6, 1e-7, 1e-8] {
            let mut solver = law_expansions(&method(device, precision, by_error(rtol)), &law).unwrap();
            let errors = relative_errors(&law, &all, &solver.evaluate(&inputs).unwrap(), &want);
            assert!(errors.p99 <= rtol, "{rtol}: {errors:?}");
        }
    }
}

/// Factors that differ by ten orders of magnitude: what is allowed is of each cell.
#[test]
fn factors_of_the_targets() {
    let mut columns = random(5, 5000, 4);
    columns[4].iter_mut().for_each(|q| *q = 10_f64.powf(10.0 * *q - 5.0));
    let columns = slices(&columns);
    let law = Law::parse("body x[3], q, t; d = i.x - j.x; sum p = i.t * j.q * exp(-norm(d)); self exclude").unwrap();
    check("factors", &law, &PairInputs::one(&columns, &[]), 1e-4);
}

#[test]
fn two_sets_parts_and_planes() {
    let (sources, targets) = (crowds(3000), random(4, 2500, 5));
    let (i, j) = (slices(&targets), slices(&sources));
    let yukawa = law("e = exp(-r) / r; sum p = j.q * e; sum f = j.q * e * (1 + r) / r^2 * d; self exclude");
    let mut solvers = Solvers::new(&yukawa, 1e-4);
    solvers.check("two sets", &PairInputs::two(&i, &j, &[]));
    let part: Vec<&[f64]> = j.iter().map(|column| &column[700..1900]).collect();
    solvers.check("a part", &PairInputs::part(&part, &j, 700, &[]));
    let flat = Law::parse("body x[2], q; d = i.x - j.x; sum p = j.q * ln(dot(d, d)); self exclude").unwrap();
    let columns = random(3, 4000, 6);
    check("a plane", &flat, &PairInputs::one(&slices(&columns), &[]), 1e-4);
    let line = Law::parse("body x, q; sum p = j.q * exp(-(i.x - j.x)^2); self exclude").unwrap();
    let columns = random(2, 4000, 7);
    check("a line", &line, &PairInputs::one(&slices(&columns), &[]), 1e-4);
}

/// Few bodies, bodies at one place, without charge, and far from all others.
#[test]
fn edges() {
    let gravity =
        Law::parse("body x[3], q; d = i.x - j.x; r = norm(d); sum p = select(r > 0, j.q / r, 0); self exclude")
            .unwrap();
    let mut solvers = Solvers::new(&gravity, 1e-4);
    for n in [1, 2, 31, 32, 33, 257, 3000] {
        let mut columns = crowds(n);
        let few = slices(&columns);
        solvers.check("few bodies", &PairInputs::one(&few, &[]));
        if n > 32 {
            // pairs at one place, which the law leaves out
            (0..3).for_each(|axis| columns[axis][1] = columns[axis][0]);
            (0..3).for_each(|axis| columns[axis][20] = columns[axis][0]);
            solvers.check("at one place", &PairInputs::one(&slices(&columns), &[]));
            columns[0][2] = 1e7;
            solvers.check("far away", &PairInputs::one(&slices(&columns), &[]));
            columns[3].iter_mut().for_each(|q| *q = 0.0);
            columns[3][5] = -2.0;
            solvers.check("one charge", &PairInputs::one(&slices(&columns), &[]));
        }
    }
    for (device, precision) in cases() {
        let mut solver = law_expansions(&method(device, precision, by_error(1e-3)), &gravity).unwrap();
        let nothing: Vec<Vec<f64>> = vec![Vec::new(); 4];
        let found = solver.evaluate(&PairInputs::one(&slices(&nothing), &[])).unwrap();
        assert_eq!(found, vec![Vec::<f64>::new()], "{device}");
        let mut columns = random(4, 100, 8);
        columns[3].fill(0.0);
        let found = solver.evaluate(&PairInputs::one(&slices(&columns), &[])).unwrap();
        assert!(found[0].iter().all(|p| *p == 0.0), "{device}");
    }
}

/// What a law says of pairs at one place may depend on the bodies, and on a body that nothing else has.
#[test]
fn pairs_at_one_place() {
    let law = Law::parse("body x[3], q, w; d = i.x - j.x; r = norm(d); sum p = select(r > 0, i.w * j.q * exp(-r), 0)")
        .unwrap();
    let mut columns = random(5, 40, 11);
    columns[3].fill(0.0);
    columns[4].fill(0.0);
    (columns[3][7], columns[4][7]) = (1.0, 1.0);
    let columns = slices(&columns);
    for (device, precision) in cases() {
        let mut solver = law_expansions(&method(device, precision, by_error(1e-4)), &law).unwrap();
        let found = solver.evaluate(&PairInputs::one(&columns, &[])).unwrap();
        assert!(found[0].iter().all(|p| *p == 0.0), "{device}: {found:?}");
    }
    let other = "body x[3], q, h; d = i.x - j.x; r = norm(d); sum p = select(r > 0, j.q * exp(-r), i.h * j.q)";
    let other = Law::parse(other).unwrap();
    for (device, precision) in cases() {
        let mut solver = law_expansions(&method(device, precision, by_error(1e-4)), &other).unwrap();
        let said = solver.evaluate(&PairInputs::one(&columns, &[])).unwrap_err().to_string();
        assert!(said.contains("two bodies at one place") && said.contains("--device cpu"), "{said}");
    }
}

#[test]
fn charges_of_a_force_and_its_potential_may_be_proportional() {
    let columns = random(4, 4000, 12);
    let columns = slices(&columns);
    let inputs = PairInputs::one(&columns, &[]);
    for text in [
        "s = dot(d, d); sum p = j.q * exp(-s); sum f = 2 * j.q * d * exp(-s)",
        "sum p = -0.5 * j.q * ln(r^2); sum f = j.q * d / r^2; self exclude",
        "sum p = 3 * j.q / r; sum f = 3 * i.q * j.q * d / r^3; self exclude",
    ] {
        check(text, &law(text), &inputs, 1e-4);
    }
}

/// Laws of several charges, and with powers of the separation, with the error that is asked for: the fluid around forces, the field of
/// currents, dipoles.
const TENSORS: [(&str, &str, f64); 11] = [
    ("a Stokeslet", "sum u = j.f / r + d * dot(d, j.f) / r^3; self exclude", 1e-3),
    // its small crowd feels what is far more than itself
    (
        "a Stokeslet with a core",
        "t = rsqrt(r^2 + 0.01); sum u = j.f * (r^2 + 0.02) * t^3 + d * dot(d, j.f) * t^3",
        1e-5,
    ),
    ("a Gaussian along the separation", "sum u = d * dot(d, j.f) * exp(-r^2)", 1e-5),
    ("Biot and Savart", "sum b = cross(j.f, d) / r^3; self exclude", 1e-3),
    ("potentials of dipoles", "sum p = i.q * dot(j.f, d) / r^3; self exclude", 1e-3),
    ("fields of dipoles", "sum e = 3 * d * dot(d, j.f) / r^5 - j.f / r^3; self exclude", 1e-3),
    ("two charges", "sum p = j.q / r; sum s = j.q^2 * exp(-r); self exclude", 1e-3),
    ("a charge and a dipole", "sum p = j.q / r + dot(j.f, d) / r^3; sum a = j.q * d / r^3; self exclude", 1e-3),
    // what looks like charges along the separation
    ("two tensors", "sum u = d * dot(d, j.f) * exp(-r^2) + d[2]^2 * j.f * exp(-2 * r^2)", 1e-5),
    ("a form of two axes", "sum p = j.q * (d[0]^2 + d[0] * d[1] + d[1]^2) * exp(-r^2)", 1e-5),
    ("a third power", "sum p = i.q * j.q * d[0] * d[1]^2 * exp(-r^2)", 1e-5),
];

fn vectors(text: &str) -> Law {
    Law::parse(&format!("body x[3], q, f[3]; d = i.x - j.x; r = norm(d); {text}")).unwrap()
}

/// Bodies in crowds with a charge and a vector of both signs.
fn with_vectors(n: usize) -> Vec<Vec<f64>> {
    let mut columns = crowds(n);
    columns.extend(random(3, n, 21).into_iter().map(|column| column.into_iter().map(|f| f - 0.4).collect::<Vec<_>>()));
    columns
}

#[test]
fn several_charges_and_powers_of_the_separation() {
    let columns = with_vectors(5000);
    for (name, text, rtol) in TENSORS {
        check(name, &vectors(text), &PairInputs::one(&slices(&columns), &[]), rtol);
    }
}

#[test]
fn vectors_of_two_sets_and_parts() {
    let (sources, mut targets) = (with_vectors(3000), random(7, 2500, 22));
    targets[..3].iter_mut().flatten().for_each(|x| *x *= 3.0);
    let (i, j) = (slices(&targets), slices(&sources));
    for (name, text, _) in [TENSORS[0], TENSORS[4], TENSORS[7]] {
        let law = vectors(text);
        let mut solvers = Solvers::new(&law, 1e-4);
        solvers.check(name, &PairInputs::two(&i, &j, &[]));
        let part: Vec<&[f64]> = j.iter().map(|column| &column[700..1900]).collect();
        solvers.check(name, &PairInputs::part(&part, &j, 700, &[]));
    }
}

/// Charges in units that have nothing to do with each other, some without a body that has them, and bodies at one place.
#[test]
fn charges_of_any_size() {
    let mut columns = with_vectors(3000);
    columns[3].iter_mut().for_each(|q| *q *= 1e25);
    columns[4].iter_mut().for_each(|f| *f *= 1e-20);
    columns[5].fill(0.0);
    let unlike = "sum p = j.q / r; sum s = j.f[0] * exp(-r); sum t = j.f[1] * r; sum v = j.f[2] * ln(r); self exclude";
    check("unlike charges", &vectors(unlike), &PairInputs::one(&slices(&columns), &[]), 1e-4);
    // one component of vectors is small, and one nothing
    let of_two = "sum u = j.f / r + d * dot(d, j.f) / r^3; self exclude";
    check("two components", &vectors(of_two), &PairInputs::one(&slices(&columns), &[]), 1e-4);
    let mut columns = with_vectors(3000);
    for body in [1, 20, 45] {
        (0..3).for_each(|axis| columns[axis][body] = columns[axis][0]);
    }
    let stokeslet = "sum u = select(r > 0, j.f / r + d * dot(d, j.f) / r^3, 0 * d); self exclude";
    let stokeslet = vectors(stokeslet);
    let mut solvers = Solvers::new(&stokeslet, 1e-4);
    solvers.check("vectors at one place", &PairInputs::one(&slices(&columns), &[]));
    columns[0][2] = 1e7;
    solvers.check("a vector far away", &PairInputs::one(&slices(&columns), &[]));
}

/// A law that is finite at one place, with a charge that is a multiple of another, one that is 0, and a gradient whose derivative by
/// r^2 is computed from a root.
#[test]
fn smooth_laws_at_one_place() {
    let mut columns = with_vectors(3000);
    columns[4] = columns[3].iter().map(|q| 3.0 * q).collect();
    columns[5].fill(0.0);
    for body in [1, 20, 45] {
        (0..3).for_each(|axis| columns[axis][body] = columns[axis][0]);
    }
    let smooth =
        "e = exp(-r * r); sum a = j.q * e; sum b = j.f[0] * e; sum v = j.q * e * d; sum z = j.f[1] * e; self include";
    let smooth = vectors(smooth);
    let mut solvers = Solvers::new(&smooth, 1e-3);
    solvers.check("a smooth law", &PairInputs::one(&slices(&columns), &[]));
    let one: Vec<Vec<f64>> = columns.iter().map(|column| column[..1].to_vec()).collect();
    solvers.check("one body", &PairInputs::one(&slices(&one), &[]));
}

/// Few bodies that are acted on among many that act: the criterion is made from these.
#[test]
fn few_targets() {
    let (sources, targets) = (random(4, 6000, 13), random(4, 5, 14));
    let yukawa = law("sum p = j.q * exp(-r) / r; self exclude");
    check("few targets", &yukawa, &PairInputs::two(&slices(&targets), &slices(&sources), &[]), 1e-4);
}

/// Metres and kilograms: what f32 has no room for is refused.
#[test]
fn units_with_large_numbers() {
    let potential = law("sum p = j.q / r; self exclude");
    let mut solvers = Solvers::new(&potential, 1e-4);
    for size in [1e-15, 1e13, 1e16] {
        let mut columns = random(4, 4000, 15);
        columns[..3].iter_mut().flatten().for_each(|x| *x *= size);
        let columns = slices(&columns);
        let inputs = PairInputs::one(&columns, &[]);
        solvers.check(&format!("{size}"), &inputs);
        let force = law("sum f = j.q * d / r^3; self exclude");
        for (device, precision) in cases() {
            let mut solver = law_expansions(&method(device, precision, by_error(1e-4)), &force).unwrap();
            match solver.evaluate(&inputs) {
                Err(said) => {
                    assert!(precision == Precision::F32 && said.to_string().contains("those of f32"), "{size} {said}");
                }
                Ok(found) => {
                    let errors =
                        relative_errors(&force, &(0..4000).collect::<Vec<_>>(), &found, &exact(&force, &inputs));
                    assert!(errors.p99 <= 5e-4, "{size} {device} {precision}: {errors:?}");
                }
            }
        }
    }
}

/// An angle and an order in place of an error, and units in which places are large.
#[test]
fn angles_and_units() {
    let law = law("sum p = j.q * exp(-r / 3e9) / r; self exclude");
    let mut columns = random(4, 4000, 9);
    columns[..3].iter_mut().flatten().for_each(|x| *x *= 1e10);
    columns[3].iter_mut().for_each(|q| *q *= 1e25);
    let columns = slices(&columns);
    let inputs = PairInputs::one(&columns, &[]);
    check("large units", &law, &inputs, 1e-4);
    let (want, all) = (exact(&law, &inputs), (0..4000).collect::<Vec<_>>());
    for (device, precision) in cases() {
        let mut last = f64::INFINITY;
        for order in [2, 4, 6] {
            let expansion = Expansion { order: Some(order), theta: Some(0.6), ..Expansion::default() };
            let mut solver = law_expansions(&method(device, precision, expansion), &law).unwrap();
            let errors = relative_errors(&law, &all, &solver.evaluate(&inputs).unwrap(), &want);

            assert!(errors.p99 < 0.3 * last && errors.p99 > 0.0, "{device} {order}: {errors:?}");
            last = errors.p99;
        }
    }
}

#[test]
fn what_is_not_there_is_named() {
    let Some(device) = kinds().first().copied() else { return };
    let columns = random(4, 100, 10);
    let columns = slices(&columns);
    let said = |text: &str| {
        let found = law_expansions(&method(device, Precision::F32, by_error(1e-3)), &law(text));
        found.and_then(|mut solver| solver.evaluate(&PairInputs::one(&columns, &[]))).unwrap_err().to_string()
    };
    let many: String = (1..=13).map(|k| format!("sum p{k} = j.q^{k} / r; ")).collect();
    let many = said(&(many + "self exclude"));
    assert!(many.contains("13 charges, 12 at most") && many.contains("--device cpu"), "{many}");
    let directed = said("sum p = j.q * exp(-(r^2 + d[0]^4)); self exclude");
    assert!(directed.contains("function of the direction") && directed.contains("--device cpu"), "{directed}");
    let nearest = said("min p = r; self exclude");
    assert!(nearest.contains("fmm"), "{nearest}");
    let of = |precision, rtol| {
        let found = law_expansions(&method(device, precision, by_error(rtol)), &law("sum p = j.q / r; self exclude"));
        found.map(drop).unwrap_err().to_string()
    };
    assert!(of(Precision::Mixed, 1e-3).contains("f32 and f64"));
    assert!(of(Precision::F32, 1e-7).contains("at least 3e-6"), "{}", of(Precision::F32, 1e-7));
}
