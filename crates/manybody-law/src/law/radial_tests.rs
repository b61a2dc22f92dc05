use super::*;
use crate::law::{LAWS, PairInputs, by_name};

/// Random numbers between -1 and 1.
fn random(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn folded(program: &Program, input: impl FnMut(Role, usize) -> f64) -> Vec<f64> {
    let mut found = vec![0.0; program.folds.len()];
    program.run(0.0, input, |fold, x, _| found[fold.slot] = x);
    found
}

/// What the found sum says that j does to i.
fn pair(radial: &Radial, results: usize, i: &[f64], j: &[f64], par: &[f64]) -> Vec<f64> {
    let factors = folded(&radial.factors, |role, k| if role == Role::I { i[k] } else { par[k] });
    let charges = folded(&radial.charges, |role, k| if role == Role::J { j[k] } else { par[k] });
    let d: Vec<f64> = radial.axes.iter().map(|[a, b]| i[*a] - j[*b]).collect();
    let square: f64 = d.iter().map(|d| d * d).sum();
    let functions = folded(&radial.functions, |role, k| if role == Role::I { square } else { par[k] });
    let directional = folded(&radial.directional, |role, k| if role == Role::I { d[k] } else { par[k] });
    let mut to = vec![0.0; results];
    for term in &radial.terms {
        let along: f64 = d.iter().zip(term.powers).map(|(d, power)| d.powi(power.into())).product();
        to[term.result] += factors[term.factor]
            * charges[term.charge]
            * along
            * match term.function {
                FunctionOf::Distance(k) => functions[k],
                FunctionOf::Direction(k) => directional[k],
            };
    }
    to
}

/// The sum is the law, for some pairs.
fn is_the_law(law: &Law) -> Radial {
    let radial = Radial::of(law).unwrap_or_else(|error| panic!("{}: {error}", law.name()));
    let numbers = |fields: &[Field]| fields.iter().map(Field::numbers).sum::<usize>();
    let par: Vec<f64> = random(law.defaults().len(), 7).iter().map(|x| 1.0 + 0.5 * x).collect();
    for seed in 1..20 {
        let i: Vec<f64> = random(numbers(law.body()), seed);
        let j: Vec<f64> = random(numbers(law.partner()), 100 * seed);
        let of = |numbers: &[f64]| numbers.iter().map(|x| vec![*x]).collect::<Vec<_>>();
        let (ci, cj) = (of(&i), of(&j));
        let (ci, cj): (Vec<&[f64]>, Vec<&[f64]>) =
            (ci.iter().map(Vec::as_slice).collect(), cj.iter().map(Vec::as_slice).collect());
        let exact = law.oracle(&PairInputs::two(&ci, &cj, &par).sized(1, 1)).unwrap();
        for (found, exact) in pair(&radial, law.cells().len(), &i, &j, &par).iter().zip(exact) {
            // twenty roundings; nothing cancels but in sums of three products
            assert!((found - exact[0]).abs() <= 1e-12 * (1.0 + exact[0].abs()), "{}: {found} {exact:?}", law.name());
        }
    }
    radial
}

#[test]
fn the_radial_laws_among_those_with_a_name_are_found() {
    let mut found = Vec::new();
    for builtin in LAWS {
        let law = by_name(builtin.name).unwrap();
        if Radial::of(&law).is_ok() {
            is_the_law(&law);
            found.push(builtin.name);
        }
    }
    let radial = [
        "gravity",
        "gravity-jerk",
        "coulomb",
        "yukawa",
        "laplace-single",
        "laplace-double",
        "helmholtz-single",
        "helmholtz-double",
        "gaussian",
        "matern",
        "distances",
        "biot-savart",
        "stokeslet",
    ];
    assert_eq!(found, radial);
}

#[test]
fn texts_in_many_forms_are_found() {
    let counts = |text: &str| {
        let radial = is_the_law(&Law::parse(text).unwrap());
        [radial.charge_count(), radial.factor_count(), radial.function_count(), radial.terms.len()]
    };
    // softened, by roots and by powers, with the difference in either direction
    assert_eq!(counts("body x[3], m; d = j.x - i.x; r2 = dot(d, d) + 0.01; sum a = j.m * d / r2^1.5"), [1, 1, 1, 3]);
    assert_eq!(counts("body x[3], m; d = i.x - j.x; sum p = -j.m * rsqrt(0.01 + dot(d, d))"), [1, 1, 1, 1]);
    // a plane, and a line
    assert_eq!(counts("body x[2], q; d = i.x - j.x; sum p = j.q * ln(dot(d, d) + 1)"), [1, 1, 1, 1]);
    assert_eq!(counts("body x, q; d = i.x - j.x; sum p = j.q * exp(-d^2)"), [1, 1, 1, 1]);
    // charges that are computed, are several, or are added: charges of one function are one charge
    assert_eq!(counts("body x[3], q, m; d = i.x - j.x; sum p = (j.q * j.m + sqrt(abs(j.q))) * exp(-dot(d, d))")[0], 1);
    assert_eq!(counts("body x[3], q, m; d = i.x - j.x; sum p = (i.q - j.q) * j.m * exp(-dot(d, d))"), [2, 2, 2, 2]);
    assert_eq!(counts("body x[3]; source q; target w; d = i.x - j.x; sum p = i.w * j.q * exp(-norm(d))"), [1, 1, 1, 1]);
    // charges of the two sides in a quotient
    assert_eq!(counts("body x[3], q; d = i.x - j.x; sum p = j.q / (i.q * (dot(d, d) + 1))"), [1, 1, 1, 1]);
    // products of differences: six tensors of a Stokeslet, and 1/r; r^2 in whatever they are times
    let stokeslet =
        "body x[3], f[3]; d = i.x - j.x; r = norm(d); sum u = j.f / r + dot(d, j.f) * d / r^3; self exclude";
    assert_eq!(counts(stokeslet), [3, 1, 2, 12]);
    assert_eq!(
        counts("body x[3], q; d = i.x - j.x; sum p = j.q * d[0] * d[1] * dot(d, d) * exp(-norm(d))"),
        [1, 1, 1, 1]
    );
    assert_eq!(counts("body x[3], q; d = i.x - j.x; sum p = j.q * d[0]^2 * d[2]^2 / (dot(d, d) + 1)"), [1, 1, 1, 1]);
    assert_eq!(counts("body x[2]; d = i.x - j.x; sum p = (d[0] * d[1] + d[1] * d[0]) * exp(-dot(d, d))"), [1, 1, 1, 1]);
    // functions of the direction: with a metric, without an axis, of powers, of a quotient
    assert_eq!(counts("body x[3], q; d = i.x - j.x; sum p = j.q * exp(-d[0]^2 - 2 * d[1]^2 - d[2]^2)"), [1, 1, 1, 1]);
    assert_eq!(
        counts("body x[3], q; d = i.x - j.x; sum p = j.q / (d[0]^2 + d[1]^2 + 1) + exp(-norm(d))"),
        [2, 1, 2, 2]
    );
    assert_eq!(
        counts("body x[2], q; d = i.x - j.x; s = dot(d, d); sum p = j.q * d[1]^2 * exp(-s - d[0])"),
        [1, 1, 1, 1]
    );
    assert_eq!(
        counts("body x[3], q; d = i.x - j.x; sum p = j.q * exp(-d[2]^2 / (dot(d, d) + 1)) * d[0]"),
        [1, 1, 1, 1]
    );
    // the same however squares are written, and without any
    assert_eq!(
        counts("body x[3], q; d = i.x - j.x; sum p = j.q * exp(-2 * d[0] * d[0] - d[1]^2 - (d[2] / 3)^2)"),
        [1, 1, 1, 1]
    );
    assert_eq!(counts("body x[3], q; d = i.x - j.x; sum p = j.q * exp(-(d[0] - 3 * d[1])^2) * d[2]"), [2, 2, 2, 2]);
    assert_eq!(counts("body x[3], q; d = i.x - j.x; sum p = j.q * exp(-d[0]^2) * d[1] * cos(d[2])"), [2, 2, 2, 2]);
    assert_eq!(counts("body x, q; d = i.x - j.x; sum p = j.q / (d + 100)"), [1, 1, 1, 1]);
    // two quadrupoles: 36 products of four differences
    let quadrupoles = "body x[3], m[3]; d = i.x - j.x; sum p = dot(i.m, d)^2 * dot(j.m, d)^2 / (dot(d, d) + 1)^4.5";
    is_the_law(&Law::parse(quadrupoles).unwrap());
    // a distance of 0 may be excluded
    assert_eq!(counts("body x[3]; d = i.x - j.x; r2 = dot(d, d); sum p = r2 > 0 ? 1 / r2 : 0"), [1, 1, 1, 1]);
    assert_eq!(counts("body x[3]; d = i.x - j.x; r = norm(d); sum p = 1 / r when r > 0"), [1, 1, 1, 1]);
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let refused = |text: &str, part: &str| {
        let law = if text.contains(';') { Law::parse(text) } else { by_name(text) };
        let error = Radial::of(&law.unwrap()).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("solver = fmm"), "{text}: {error}");
    };
    refused("body x[3]; d = i.x - j.x; min near = dot(d, d); self exclude", "near is a min");
    refused("overlap", "n is a count");
    refused("body x[3]; sum p = norm(j.x)", "no difference of places is squared or in a function");
    refused("body x[3], q; d = i.x - j.x; sum p = j.q * i.x[0] * exp(-dot(d, d))", "place of a body");
    refused(
        "body x[3], h; d = i.x - j.x; sum p = exp(-dot(d, d) * j.h)",
        "exp of the distance and numbers of the body that acts",
    );
    refused("body x[3], h; d = i.x - j.x; sum p = 1 / (dot(d, d) + i.h)", "numbers of the body acted on");
    refused("body x[3]; d = i.x - j.x; sum p = exp(-dot(d, d)) when norm(d) < 1", "result p: it has a condition");
    refused("body x[3]; id k; d = i.x - j.x; sum p = exp(-dot(d, d)) when i.k != j.k", "condition");
    refused("body x[3]; d = i.x - j.x; sum p = max(0, 1 - norm(d))", "min or max");
    refused("body x[3], q; d = i.x - j.x; sum p = exp(-dot(d, d) - d[0] * j.q)", "numbers of the body that acts");
    refused("body x[4]; d = i.x - j.x; sum p = exp(-dot(d, d))", "4 differences");
    refused("body x[3]; d = i.x - j.x; sum p = d[0]^3 * d[1]^2 * exp(-dot(d, d))", "more than four differences");
    refused("hologram", "numbers of the body that acts");
    refused("lennard-jones", "condition");
    refused("sph-density", "result rho");
}
