use super::super::graph::program::Program;
use super::*;
use crate::law::{Cell, Cost, Gravity, GravityJerk, GravityPot, SelfPair};

/// Figure 14 of the paper, character for character.
pub(super) const FIGURE_14: &str = "float xi,yi,zi,eps2;
float xj,yj,zj,mj;
float dx,dy,dz;
float dx2,dy2,dz2;
float r2,r1i,r2i,r3i;
float mr3i;

xi   = INPUT_I[0];
yi   = INPUT_I[1];
zi   = INPUT_I[2];
eps2 = INPUT_I[3];

xj   = INPUT_J[0];
yj   = INPUT_J[1];
zj   = INPUT_J[2];
mj   = INPUT_J[3];

dx = xj - xi;
dy = yj - yi;
dz = zj - zi;
dx2 = dx * dx;
dy2 = dy * dy;
dz2 = dz * dz;
r2 = (dx2 + dy2) + (dz2 + eps2);
r1i = 1/sqrt(r2);
r2i = r1i * r1i;
r3i = r2i * r1i;
mr3i = mj * r3i;

OUTPUT[0] += mr3i * dx;
OUTPUT[1] += mr3i * dy;
OUTPUT[2] += mr3i * dz;
";

/// Figure 15.
pub(super) const FIGURE_15: &str = "float eps2 = 1.0/(256.0*256.0);
float xj_0, xj_1, xj_2, xi_0, xi_1, xi_2, dx_0, dx_1, dx_2, dx2_0, dx2_1, dx2_2;
float vj_0, vj_1, vj_2, vi_0, vi_1, vi_2, dv_0, dv_1, dv_2, xv_0, xv_1, xv_2;
float r2, r1i, r2i, r3i, r5i, mj, mf, mr5i, mf3a, fx_0, fx_1, fx_2, pot;
float jk_0,  jk_1,  jk_2, jk1_0, jk1_1, jk1_2, jk2_0, jk2_1, jk2_2;

xi_0 = INPUT_I[0];
xi_1 = INPUT_I[1];
xi_2 = INPUT_I[2];
vi_0 = INPUT_I[3];
vi_1 = INPUT_I[4];
vi_2 = INPUT_I[5];

xj_0 = INPUT_J[0];
xj_1 = INPUT_J[1];
xj_2 = INPUT_J[2];
vj_0 = INPUT_J[3];
vj_1 = INPUT_J[4];
vj_2 = INPUT_J[5];
mj   = INPUT_J[6];

dx_0 = xj_0 - xi_0;
dx_1 = xj_1 - xi_1;
dx_2 = xj_2 - xi_2;
dx2_0 = dx_0 * dx_0;
dx2_1 = dx_1 * dx_1;
dx2_2 = dx_2 * dx_2;
r2   = dx2_0 + dx2_1 + dx2_2 + eps2;
r1i  = 1/sqrt(r2);
r2i  = r1i * r1i;
r3i  = r1i * r2i;
r5i  = r2i * r3i;
mr5i = mj * r5i;
mf   = mr5i * r2;
pot  = mf * r2;
fx_0 = mf * dx_0;
fx_1 = mf * dx_1;
fx_2 = mf * dx_2;
dv_0   = vj_0 - vi_0;
dv_1   = vj_1 - vi_1;
dv_2   = vj_2 - vi_2;
jk1_0  = mf * dv_0;
jk1_1  = mf * dv_1;
jk1_2  = mf * dv_2;
xv_0   = dx_0 * dv_0;
xv_1   = dx_1 * dv_1;
xv_2   = dx_2 * dv_2;
mf3a   = 3.0 * mr5i * (xv_0 + xv_1 + xv_2);
jk2_0  = mf3a * dx_0;
jk2_1  = mf3a * dx_1;
jk2_2  = mf3a * dx_2;
jk_0   = jk1_0 - jk2_0;
jk_1   = jk1_1 - jk2_1;
jk_2   = jk1_2 - jk2_2;

OUTPUT[0] += fx_0;       // acc_x
OUTPUT[1] += fx_1;       // acc_y
OUTPUT[2] += fx_2;       // acc_z
OUTPUT[3] += jk_0;       // jerk_x
OUTPUT[4] += jk_1;       // jerk_y
OUTPUT[5] += jk_2;       // jerk_z
OUTPUT[6] -= pot;        // pot
";

pub(super) const GRAVITY: &str = "
    body  x[3], m
    param eps2 = 1e-4
    d  = j.x - i.x
    r2 = dot(d, d) + eps2
    sum a   =  j.m * d / r2^1.5
    sum pot = -j.m / sqrt(r2)
    self exclude
";

/// What a program adds to each result, for one pair.
fn results(program: &Program, n: usize, i: &[f64], j: &[f64], par: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; n];
    program.run(0.0, |role, k| [i, j, par][role as usize][k], |fold, x, _| out[fold.slot] += x);
    out
}

fn cost(law: &Law) -> (usize, usize) {
    let Cost { operations, special, .. } = law.one_sided().cost();
    (operations, special)
}

/// Equal to a dozen roundings.
fn close(a: &[f64], b: &[f64]) -> bool {
    let size = b.iter().fold(0f64, |m, x| m.max(x.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 16.0 * f64::EPSILON * size)
}

#[test]
fn the_papers_pipelines_are_understood() {
    let law = Law::parse(FIGURE_14).unwrap();
    assert_eq!((law.body()[0].width, law.partner()[0].width, law.results()[0].width), (4, 4, 3));
    assert_eq!(cost(&law), (12, 1));
    assert!(law.mirrored().is_err());
    let (x, y) = ([0.1, 0.2, 0.3], [0.7, -0.4, 0.2]);
    let got = results(&law.one_sided(), 3, &[0.1, 0.2, 0.3, 1e-2], &[0.7, -0.4, 0.2, 1.5], &[]);
    let rust = Law::of::<Gravity>().unwrap();
    let want = results(&rust.one_sided(), 3, &[x[0], x[1], x[2], 9.0], &[y[0], y[1], y[2], 1.5], &[1e-2]);
    assert!(close(&got, &want), "{got:?} {want:?}");

    let law = Law::parse(FIGURE_15).unwrap();
    assert_eq!((law.body()[0].width, law.partner()[0].width, law.results()[0].width), (6, 7, 7));
    // mr5i * r2 and mf * r2 are found to be lower powers of the reciprocal distance
    assert_eq!(cost(&law), (28, 1));
    let (i, j) = ([0.1, 0.2, 0.3, 1.0, 0.5, -0.5], [0.7, -0.4, 0.2, 0.0, 0.25, 2.0, 1.5]);
    let got = results(&law.one_sided(), 7, &i, &j, &[]);
    let rust = Law::of::<GravityJerk>().unwrap();
    let mut i7 = i.to_vec();
    i7.push(9.0);
    let want = results(&rust.one_sided(), 7, &i7, &j, &[1.0 / 65536.0]);
    assert!(close(&got, &want), "{got:?} {want:?}");
}

#[test]
fn gravity_as_text_is_gravity_in_rust() {
    let text = Law::parse(GRAVITY).unwrap();
    let rust = Law::of::<GravityPot>().unwrap();
    assert_eq!(cost(&text), cost(&rust));
    assert_eq!(text.mirrored().unwrap().cost(), rust.mirrored().unwrap().cost());
    assert_eq!((text.body(), text.results()), (rust.body(), rust.results()));
    assert_eq!(text.self_pair(), SelfPair::Excluded);
    assert_eq!(text.defaults, [Some(1e-4)]);
    let (i, j) = ([0.1, 0.2, 0.3, 2.0], [0.7, -0.4, 0.2, 1.5]);
    let got = results(&text.one_sided(), 4, &i, &j, &[1e-4]);
    assert!(close(&got, &results(&rust.one_sided(), 4, &i, &j, &[1e-4])));
}

/// One number, from a law of one result over members x[3] and q.
fn evaluate(expression: &str) -> f64 {
    let law = Law::parse(&format!("body x[3], q; id k; sum s = {expression}; self exclude")).unwrap();
    let i = [1.0, 2.0, 3.0, 0.5, 7.0];
    let j = [3.0, 5.0, 9.0, 2.0, 8.0];
    results(&law.one_sided(), 1, &i, &j, &[])[0]
}

#[test]
fn expressions_mean_what_they_say() {
    for (text, value) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("2 - 3 - 4", -5.0),
        ("12 / 2 / 3", 2.0),
        ("-2^2", -4.0),
        ("2^-2", 0.25),
        ("2 ** 3 ** 2 / 2", 256.0),
        ("-i.q * 4", -2.0),
        ("4^0.5 + 4^1.5 + 4^-0.5", 10.5),
        ("i.q^i.q", 0.5f64.sqrt()),
        ("1.5f + .5 + 1. + 2e0 + 2d0", 7.0),
        ("dot(j.x - i.x, (1, 1, 1))", 2.0 + 3.0 + 6.0),
        ("norm(j.x - i.x)", 7.0),
        ("dot(cross((1,0,0), (0,1,0)), (5,6,7))", 7.0),
        ("(j.x - i.x)[1] + j.x[2]", 12.0),
        ("i.q < j.q ? 3 : 4", 3.0),
        ("not i.q < j.q ? 3 : 4", 4.0),
        ("i.q < j.q and j.q < i.q or true ? 1 : 2", 1.0),
        ("i.q >= 0.5 && !(j.q != 2) ? 1 : 2", 1.0),
        ("i.k == j.k ? 1 : i.k < j.k ? 2 : 3", 2.0),
        ("select(i.q <= j.q, i.q, j.q)", 0.5),
        ("min(3, i.q, j.q) + max(i.q, j.q)", 2.5),
        ("abs(i.q - j.q) + round(2.5) + round(j.q * 1.8)", 1.5 + 2.0 + 4.0),
        ("sin(pi / 2) + cos(0) + exp(0) + ln(1) + log(1) + sqrt(4) + rsqrt(4)", 5.5),
        ("expm1(0) + log1p(0) + expm1(ln(3)) + log1p(exp(2) - 1)", 4.0),
        ("min(inf, i.q) + max(-inf, 2)", 2.5),
        ("fabsf(-2.0f) + sqrtf(9) + fmaxf(1, 2)", 7.0),
        ("pow(i.q, 2) + square(j.q)", 4.25),
        ("1 + # a comment\n 2", 3.0),
        ("1 + // another\n\n 2", 3.0),
        ("(1\n+ 2\n)", 3.0),
        ("1 /* inside */ + 2", 3.0),
    ] {
        let got = evaluate(text);
        // sines and powers of constants are folded in f64
        assert!((got - value).abs() <= 4.0 * f64::EPSILON * value.abs(), "{text}: {got}, not {value}");
    }
}

#[test]
fn every_statement_is_read() {
    let law = Law::parse(
        "law everything
         body pos[3] = (px, py, pz), h; id mol
         target w
         source q
         param rc = 2.5, box[3] = 1, free
         d = j.pos - i.pos; d -= box * round(d / box)
         r2 = dot(d, d)
         near = r2 < rc^2 and i.mol != j.mol
         sum f[3] = i.w * j.q * d when near
         count n = near
         min low = r2 when near
         max high = d
         argmin who = r2, j.mol when near
         argmax far = r2, j.mol
         logsumexp z = -r2 * free
         self n = i.h > 0",
    )
    .unwrap();
    assert_eq!(law.name(), "everything");
    let names = |fields: &[crate::law::Field]| {
        fields.iter().map(|f| format!("{}[{}]{}", f.name, f.width, f.cell.name())).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(law.body()), "pos[3]value h[1]value mol[1]id w[1]value");
    assert_eq!(names(law.partner()), "pos[3]value h[1]value mol[1]id q[1]value");
    assert_eq!(names(law.parameters()), "rc[1]value box[3]value free[1]value");
    assert_eq!(names(law.results()), "f[3]sum n[1]count low[1]min high[3]max who[1]argmin far[1]argmax z[1]logsumexp");
    assert_eq!(law.defaults, [Some(2.5), Some(1.0), Some(1.0), Some(1.0), None]);
    assert_eq!(law.columns, [("pos".to_string(), ["px", "py", "pz"].map(String::from).to_vec())]);
    assert_eq!(law.self_pair(), SelfPair::Custom);
    assert!(!law.has_one_kind());
    let slots: Vec<_> = law.one_sided().folds.iter().map(|f| (f.slot, f.cell)).collect();
    let expected = [
        (0, Cell::Sum),
        (1, Cell::Sum),
        (2, Cell::Sum),
        (3, Cell::Count),
        (4, Cell::Min),
        (5, Cell::Max),
        (6, Cell::Max),
        (7, Cell::Max),
        (8, Cell::ArgMin),
        (10, Cell::ArgMax),
        (12, Cell::LogSumExp),
    ];
    assert_eq!(slots, expected);
}

/// Each wrong text is answered with its place, and with words that help.
#[test]
fn errors_say_where_and_what_would_be_right() {
    let head = "body x[3], m\nparam eps2\n";
    for (text, line, column, problem, help) in [
        ("sum a = j.mm", 3, 11, "no member mm", "did you mean j.m"),
        ("sum a = m", 3, 9, "whose m?", "i.m or j.m"),
        ("sum a = epz2", 3, 9, "`epz2` is not known", "eps2"),
        ("r2 = dot(i.x, j.x)\nsum a = r3", 4, 9, "`r3` is not known", "r2"),
        ("sum a = 2 j.m", 3, 11, "follows what was complete", "*"),
        ("sum a = 2j.m", 3, 9, "runs into", "2 * x"),
        ("sum a = (1 + 2", 3, 15, "expected `)`", "line 3"),
        ("sum a = 1 +", 3, 12, "expected a value", "number"),
        ("sum a = i.x + (1, 2)", 3, 9, "3 numbers cannot meet 2", "as many"),
        ("sum a = i.x < 1 ? 1 : 0", 3, 9, "expected one number, found 3", "norm"),
        ("sum a = i.m < 1", 3, 9, "found a condition", "? 1 : 0"),
        ("count n = i.m", 3, 11, "expected a condition", "compares"),
        ("sum a = i.m ? 1 : 0", 3, 9, "expected a condition", "compares"),
        ("sum a = sqr(i.m)", 3, 9, "no function `sqr`", "sqrt"),
        ("sum a = cross(i.x, i.m)", 3, 20, "cross takes 3 numbers", "of 3"),
        ("sum a = max(1)", 3, 9, "max takes 2, not 1", "max(a, b)"),
        ("sum a = i.x[3]", 3, 13, "number 3 does not exist", "counted from 0"),
        ("sum a = 1 < 2 < 3 ? 1 : 0", 3, 15, "do not chain", "and"),
        ("argmin n = i.m", 3, 15, "expected `,`", "j.id"),
        ("argmin n = i.m, i.m", 3, 17, "the label is an id", "id name"),
        ("sums a = 1", 3, 1, "begins no statement", "did you mean sum"),
        ("sum m = 1", 3, 5, "already a member", "another name"),
        ("sum a = 1\nsum a = 2", 4, 5, "already a result", "another name"),
        ("sum inf = 1", 3, 5, "already a word of laws", "another name"),
        ("sum true = 1", 3, 5, "already a word of laws", "another name"),
        ("param not = 1", 3, 7, "already a word of laws", "another name"),
        ("sum a = 1\nb = a", 4, 5, "a is a result", "not read"),
        ("sum a = j.x\nsum ax = 1", 4, 5, "two columns of the results would be called ax", "another name"),
        ("sum id = 1", 3, 5, "would be called id", "another name"),
        ("self maybe", 3, 6, "`self maybe`", "self exclude"),
        ("sum a = 1\nself a = j.m", 4, 9, "no j here", "made of i"),
        ("sum a = 1 \u{2212} 2", 3, 11, "means nothing", "minus sign"),
        ("x = 1 % 2", 3, 7, "means nothing", "round"),
        ("sum a = i.m & 1", 3, 13, "means nothing", "and"),
        ("t = 1e999", 3, 5, "too large", "largest"),
        ("param k = i.m", 3, 11, "a parameter's value", "0.01"),
        ("t += 1", 3, 1, "has no value yet", "first"),
        ("body y[3] = (a, b)", 3, 6, "2 columns are named", "3 numbers"),
        ("/* never closed", 3, 1, "not closed", "*/"),
        ("kmin(3) d = i.m", 3, 1, "no statement begins with `kmin(`", "argmin"),
        ("if (i.m < j.m) a = 1", 3, 1, "no statement begins with `if(`", "condition ? this : that"),
        ("sum a = e^(-i.m)", 3, 9, "`e` is not known", "exp(x)"),
        ("sum a = dot(i.x, 2)", 3, 9, "not 3 and 1", "a * d"),
        ("id kind; count n = i.kind == 0", 3, 27, "an id can only be compared with an id", "body kind"),
    ] {
        let text = format!("{head}{text}");
        let crate::Error::Law(error) = Law::parse(&text).unwrap_err() else { panic!("{text}") };
        let shown = error.to_string();
        assert_eq!((error.line, error.column), (line, column), "{shown}");
        assert!(error.problem.contains(problem), "{shown}");
        assert!(error.help.contains(help), "{shown}");
    }
    let nothing = Law::parse("body x").unwrap_err().to_string();
    assert!(nothing.contains("no result"), "{nothing}");
    for text in ["sum a = 1", "param p = 1; count n = p < 2", "OUTPUT[0] += 1;"] {
        let nobody = Law::parse(text).unwrap_err().to_string();
        assert!(nobody.contains("reads nothing of the bodies"), "{nobody}");
    }
    let shown = Law::parse("body x[3], m\nsum a = j.m / rr^1.5").unwrap_err().to_string();
    assert_eq!(
        shown,
        "law, line 2, column 15: `rr` is not known\n  |\n2 | sum a = j.m / rr^1.5\n  |               ^^\n  known here: \
         i.x, j.x, i.m, j.m"
    );
}

#[test]
fn errors_in_pipelines_say_where_too() {
    for (text, line, column, problem, help) in [
        ("float x;\nOUTPUT[0] += x;", 2, 14, "has no value yet", "first"),
        ("OUTPUT[0] = INPUT_I[0];", 1, 11, "only be added to", "+="),
        ("OUTPUT[0] += INPUT_I[0]", 1, 24, "expected `;`", "ends with ;"),
        ("x = OUTPUT[0];", 1, 5, "not read", "+="),
        ("for (;;) OUTPUT[0] += 1;", 1, 1, "not possible", "straight line"),
        ("#define IDIM (2)\nOUTPUT[0] += INPUT_I[2];", 2, 22, "number 2 does not exist", "defined as 2"),
        ("OUTPUT[0] += INPUT_K[2];", 1, 14, "not known", "INPUT_"),
        ("float inf = 2; OUTPUT[0] += 1;", 1, 7, "cannot be a variable", "another name"),
        ("OUTPUT[1000] += 1;", 1, 8, "number 1000 does not exist", "at most"),
        ("float y = INPUT_I[0]; OUTPUT[0] += 1/(y - y);", 1, 36, "divides by zero", "self exclude"),
        ("OUTPUT[0] += INPUT_I[1];\nINPUT_I = (x);", 2, 1, "1 columns are named", "2 numbers"),
        ("INPUT_J = (q); OUTPUT[0] += INPUT_J[1];", 1, 37, "number 1 does not exist", "the last one is 0"),
        ("INPUT_J = (q); INPUT_J = (q); OUTPUT[0] += 1;", 1, 16, "named already", "once"),
    ] {
        let crate::Error::Law(error) = Law::parse(text).unwrap_err() else { panic!("{text}") };
        let shown = error.to_string();
        assert_eq!((error.line, error.column), (line, column), "{shown}");
        assert!(error.problem.contains(problem), "{shown}");
        assert!(error.help.contains(help), "{shown}");
    }
}

#[test]
fn inputs_of_pipelines_name_their_columns() {
    let law = Law::parse(
        "INPUT_I = (x, eps2); INPUT_J = (x, mass);\nfloat dx = INPUT_J[0] - INPUT_I[0];\n\
         OUTPUT[0] += INPUT_J[1] * dx / (dx * dx + INPUT_I[1]);",
    )
    .unwrap();
    for law in [&law, &Law::parse(&law.to_text()).unwrap()] {
        assert_eq!(law.column_names(&law.body()[0]), ["x", "eps2"]);
        assert_eq!(law.column_names(&law.partner()[0]), ["x", "mass"]);
    }
}

#[test]
fn a_law_that_divides_by_zero_for_i_equal_j_must_say_so() {
    let law = |rest: &str| Law::parse(&format!("body x[3], m; param eps2; d = j.x - i.x; r2 = dot(d, d)\n{rest}"));
    let error = law("f = j.m / (r2 * sqrt(r2))\nsum a = f * d").unwrap_err().to_string();
    assert!(error.contains("line 2, column 5: for i = j this divides by zero"), "{error}");
    assert!(error.contains("self exclude"), "{error}");
    for bad in
        ["sum u = rsqrt(r2)", "sum u = ln(r2)", "sum u = r2^-1.5", "sum u = 1 / norm(d)", "sum u = (i.m - j.m)^-2"]
    {
        assert!(law(bad).is_err(), "{bad}");
    }
    for good in [
        "sum a = j.m * d / r2^1.5; self exclude",
        "sum a = j.m * d / r2^1.5; self a = 0",
        "sum a = j.m * d / (r2 + eps2)^1.5",
        "sum a = r2 > 0 ? j.m * d / r2^1.5 : 0",
        "sum a = j.m * d / r2^1.5 when r2 > 0",
        "sum rho = j.m * exp(-r2)",
        "sum u = rsqrt(r2); self include",
        "id mol; sum u = rsqrt(r2) when i.mol != j.mol",
        "id mol; sum u = i.mol != j.mol ? rsqrt(r2) : 0",
        "sum u = i.m <= j.m ? 0 : rsqrt(r2)",
    ] {
        assert!(law(good).is_ok(), "{good}: {}", law(good).unwrap_err());
    }
    // the guarded quotient is not blamed for the other one
    let error = law("a1 = r2 > 0 ? 1 / r2 : 0\na2 = 1 / norm(d)\nsum u = a1 + a2").unwrap_err().to_string();
    assert!(error.contains("line 3, column 6"), "{error}");
}

#[test]
fn sizes_are_bounded() {
    let nested = |n: usize| format!("body x; sum a = {}1{}", "(".repeat(n), ")".repeat(n));
    assert!(Law::parse(&nested(60)).is_ok());
    for n in [65, 1000, 5000] {
        assert!(Law::parse(&nested(n)).unwrap_err().to_string().contains("nested too deeply"));
        let signs = format!("sum a = {}1", "- ".repeat(n));
        assert!(Law::parse(&signs).unwrap_err().to_string().contains("too deeply"));
        let powers = format!("sum a = 1{}", "^1".repeat(n));
        assert!(Law::parse(&powers).is_err());
        let choices = format!("sum a = {}1", "true ? 1 : ".repeat(n.min(3000)));
        assert!(Law::parse(&choices).unwrap_err().to_string().contains("too deeply"));
    }
    let long = format!("body x; sum a = {}1", "i.x * j.x + ".repeat(1500));
    assert!(Law::parse(&long).is_ok());
    let error = Law::parse(&"x".repeat(MAX_TEXT + 1)).unwrap_err().to_string();
    assert!(error.contains("too long"), "{error}");
    // short with vectors, and long number by number, as a snapshot keeps it
    let wide = "body x[46]; d = i.x - j.x\n".to_owned() + &"d = 2 - (d * i.x - sin(j.x))\n".repeat(60) + "sum a = d";
    let text = Law::parse(&wide).unwrap().to_text();
    assert!(text.len() > MAX_TEXT && text.starts_with(WRITTEN_LONG));
    let again = Law::parse(&text).unwrap().to_text();
    assert_eq!(Law::parse(&again).unwrap().to_text(), again);
    assert!(Law::parse(&text[WRITTEN_LONG.len()..]).unwrap_err().to_string().contains("too long"));
    let endless = WRITTEN_LONG.to_owned() + &"x".repeat(WRITTEN_TIMES * MAX_TEXT);
    assert!(Law::parse(&endless).unwrap_err().to_string().contains("too long"));
    // no column's name
    assert!(Law::parse("body m = #define \nsum a = j.m").unwrap_err().to_string().contains("found `#define`"));
    let squares = format!("body x; y = i.x\n{}sum a = y", "y = y * y + i.x\n".repeat(1500));
    Law::parse(&squares).unwrap().one_sided();
    let many = format!("body x[64]; y = i.x\n{}sum a = y", "y = y * y + sin(i.x)\n".repeat(1000));
    assert!(Law::parse(&many).unwrap_err().to_string().contains("too large"));
}

/// Columns, parameters and results may have the names of functions, which every law that is written out may call.
#[test]
fn names_of_functions_are_names() {
    for text in [
        "body sqrt, x[3]; d = j.x - i.x; sum p = j.sqrt * norm(d) + sqrt(i.sqrt)",
        "body m; sum ln = i.m^j.m",
        "body m; param exp = 2; sum max = max(exp, exp(i.m * exp)) - sqrt(j.m)",
    ] {
        let law = Law::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let written = law.to_text();
        let again = Law::parse(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(again.to_text(), written);
    }
}
