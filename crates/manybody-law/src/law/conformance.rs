//! Comparison of a device with f64: bounds on each result from the operations themselves, and laws and numbers made at
//! random. For the tests of evaluators, of ours and of others.

use super::bounds::{Bounded, Rounding};
use super::{Cell, Field, Grouping, Law, Lowering, PairInputs, Program, Role, SelfPair, Targets};

/// The contributions to one number of a body's result: each with its bound, and its label.
type Contributions = Vec<(Bounded, f64)>;

fn collect(
    program: &Program,
    side: usize,
    to: &mut [Contributions],
    rounding: &'static Rounding,
    input: impl Fn(Role, usize) -> Bounded,
) {
    program.run(Bounded::exact(0.0, rounding), input, |fold, x, label| {
        if fold.side == side {
            to[fold.slot].push((x, label.map_or(0.0, |l| l.value)));
        }
    });
}

/// What a body's results may be off by, at most, one number a cell; infinite where nothing is promised.
pub(super) struct Bounds {
    contributions: Vec<Contributions>,
    unit: f64,
}

impl Bounds {
    /// Bounds from a program, of whose contributions those of one side count: side 1 is called with the bodies
    /// exchanged.
    pub(super) fn new(
        law: &Law,
        inputs: &PairInputs<'_>,
        body: usize,
        program: (&Program, usize),
        rounding: &'static Rounding,
    ) -> Self {
        let exact = |role, k: usize, at: usize| {
            let value = match role {
                Role::I => inputs.i[k][at],
                Role::J => inputs.j[k][at],
                Role::Par => inputs.par[k],
            };
            Bounded::exact(value, rounding)
        };
        Self::of_body(law, inputs, body, program, rounding, exact)
    }

    /// The same for numbers that need not be exact: `number(role, k, body)` of the sets.
    pub(super) fn of_body(
        law: &Law,
        inputs: &PairInputs<'_>,
        body: usize,
        (program, side): (&Program, usize),
        rounding: &'static Rounding,
        number: impl Fn(Role, usize, usize) -> Bounded,
    ) -> Self {
        let mut contributions = vec![Contributions::new(); law.cells().len()];
        let (_, nj) = inputs.lens();
        for c in 0..nj {
            if inputs.source_of(body) == Some(c) && law.self_pair() != SelfPair::Included {
                continue;
            }
            collect(program, side, &mut contributions, rounding, |role, k| match role {
                Role::I if side == 0 => number(Role::I, k, body),
                Role::J if side == 1 => number(Role::I, k, body),
                Role::I | Role::J => number(Role::J, k, c),
                Role::Par => number(Role::Par, k, 0),
            });
        }
        if inputs.same_bodies() && law.self_pair() == SelfPair::Custom {
            let input = |role, k: usize| number(role, k, body);
            collect(&law.own(), 0, &mut contributions, rounding, input);
        }
        Bounds { contributions, unit: rounding.unit }
    }

    /// The bound of a sum, whatever the order of its terms [Higham 2002, sect. 4.2], of a minimum, of a logarithm.
    /// `additions` bounds how many a term goes through, one after the other.
    pub(super) fn of(&self, slot: usize, cell: Cell, additions: f64) -> f64 {
        // a value that is certainly infinite, as of a pair that does not meet a condition, adds no error
        let contributions = || self.contributions[slot].iter().filter(|(x, _)| x.value.is_finite() || x.error > 0.0);
        let n = (contributions().count() as f64).min(additions);
        let worst = contributions().map(|(x, _)| x.error).fold(0.0, f64::max);
        match cell {
            Cell::Sum | Cell::Count => {
                let sizes: f64 = contributions().map(|(x, _)| x.value.abs() + x.error).sum();
                // a product is rounded, each addition, and the factor left out of the sum with its own operations
                contributions().map(|(x, _)| x.error).sum::<f64>() + (n + 16.0) * self.unit * sizes
            }
            // exp(x - top): its exponent is rounded, the function, and n additions of numbers up to 1
            Cell::LogSumExp => {
                let top = contributions().map(|(x, _)| x.value.abs()).fold(0.0, f64::max);
                worst + (n + 16.0 + 4.0 * top) * self.unit
            }
            _ => worst + 2.0 * self.unit * contributions().map(|(x, _)| x.value.abs()).fold(0.0, f64::max),
        }
    }

    /// Whether the label is one that rounding may have chosen.
    pub(super) fn may_be(&self, slot: usize, cell: Cell, label: f64) -> bool {
        let sign = if cell == Cell::ArgMin { 1.0 } else { -1.0 };
        let high = self.contributions[slot].iter().map(|(x, _)| sign * x.value + x.error).fold(f64::INFINITY, f64::min);
        let low = |(x, l): &(Bounded, f64)| *l == label && sign * x.value - x.error <= high;
        self.contributions[slot].iter().any(low) || (self.contributions[slot].is_empty() && label == -1.0)
    }
}

/// Holds all results of a law against the f64 oracle, within bounds that come from the operations: of the law lowered
/// as the device lowers it (several ways, if it uses several), rounded as it rounds. The sets are columns that the
/// device's number type holds exactly. Returns how many numbers were held to a finite bound.
///
/// # Errors
/// A sentence that names the law, the body and the number that is out of bounds.
pub fn within_bounds(
    law: &Law,
    inputs: &PairInputs<'_>,
    found: &[Vec<f64>],
    rounding: &'static Rounding,
    how: &[Lowering],
) -> Result<usize, String> {
    let want = law.oracle(inputs).map_err(|e| e.to_string())?;
    let lower = |how: Lowering| law.lower(how).map_err(|e| e.to_string());
    let mut programs = Vec::new();
    for how in how {
        let program = lower(Lowering { scales: false, ..*how })?;
        programs.extend((0..1 + usize::from(how.mirrored)).map(|side| (program.clone(), side)));
    }
    let written = lower(Lowering { grouping: Grouping::AsWritten, ..Lowering::default() })?;
    let (mut checked, cells) = (0, law.cells());
    for body in 0..inputs.lens().0 {
        let ours: Vec<Bounds> =
            programs.iter().map(|(p, side)| Bounds::new(law, inputs, body, (p, *side), rounding)).collect();
        let oracle = Bounds::new(law, inputs, body, (&written, 0), &Rounding::F64);
        // the largest bound of all programs; a bound that is NaN counts as infinite
        let bound = |slot: usize, cell: Cell| {
            let of =
                |b: &Bounds| Some(b.of(slot, cell, f64::INFINITY)).filter(|b| !b.is_nan()).unwrap_or(f64::INFINITY);
            ours.iter().map(of).fold(0.0, f64::max)
        };
        let mut column = 0;
        for (slot, cell) in cells.iter().enumerate() {
            if *cell == Cell::Scaled {
                continue;
            }
            let (g, w) = (found[column][body], want[column][body]);
            column += 1;
            let wrong = |bound: f64| {
                Err(format!("{}: result {slot} of body {body}: {g:e}, not {w:e} to {bound:e}", law.name()))
            };
            if *cell == Cell::Label {
                let value = cells[slot - 1];
                let may_be = ours.iter().any(|b| b.may_be(slot - 1, value, g));
                if bound(slot - 1, value).is_finite() && !may_be && g != w {
                    return wrong(0.0);
                }
                continue;
            }
            let size = if w.is_finite() { w.abs() } else { 0.0 };
            let bound = bound(slot, *cell) + oracle.of(slot, *cell, f64::INFINITY) + rounding.unit * size;
            let bound = if bound.is_nan() { f64::INFINITY } else { bound };
            // beyond the largest f32, infinity is the right result
            let largest = if rounding.unit > f64::from(f32::EPSILON) / 4.0 { f64::from(f32::MAX) } else { f64::MAX };
            if g.is_infinite() && g.signum() == w.signum() && w.abs() + bound > largest {
                continue;
            }
            if bound.is_finite() && g != w && ((g - w).abs() > bound || (g - w).is_nan()) {
                return wrong(bound);
            }
            checked += usize::from(bound.is_finite());
        }
    }
    Ok(checked)
}

/// `width` columns of n random numbers in -1..1, or in 0.1..1 if positive, that f32 holds exactly.
pub fn random(width: usize, n: usize, seed: u64, positive: bool) -> Vec<Vec<f64>> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        let x = (s >> 40) as f64 / (1u64 << 24) as f64;
        f64::from(if positive { 0.1 + 0.9 * x } else { 2.0 * x - 1.0 } as f32)
    };
    (0..width).map(|_| (0..n).map(|_| next()).collect()).collect()
}

/// Columns as slices.
pub fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

/// The text of a random law: lines that each apply an operation to earlier ones, chosen by the numbers given (operation
/// and three operands), and results of every kind (reduction and value); what happens for i = j is `this` modulo 3.
/// Bodies are of two kinds with the members x\[2\], q, k, and w (that act), v (that are acted on); parameters are c and
/// e.
///
/// # Panics
/// Without results.
pub fn random_law(lines: &[(usize, usize, usize, usize)], results: &[(usize, usize)], this: usize) -> String {
    let mut text = "body x[2], q; source w; target v; param c = 0.75, e = 0.1; id k\n".to_string();
    let mut names: Vec<String> =
        ["i.x[0]", "j.x[0]", "i.x[1]", "j.x[1]", "i.q", "j.q", "j.w", "i.v", "c", "e", "1.5", "0"]
            .map(String::from)
            .into();
    for (line, (op, a, b, c)) in lines.iter().enumerate() {
        let at = |k: &usize| names[names.len() - 1 - k % names.len()].clone();
        let (a, b, c) = (at(a), at(b), at(c));
        let value = match op % 26 {
            0 | 1 => format!("{a} - {b}"),
            2 => format!("{a} + {b}"),
            3 | 4 => format!("{a} * {b}"),
            5 => format!("{a} * {b} + {c}"),
            6 => format!("{a} - {b} * {c}"),
            7 => format!("{a} * {b} - {c}"),
            8 => format!("-{a}"),
            9 => format!("sqrt(abs({a}))"),
            10 => format!("1 / sqrt({a} * {a} + 0.25)"),
            11 => format!("{a} / ({b} * {b} + 0.5)"),
            12 => format!("exp(-abs({a}))"),
            13 => format!("ln({a} * {a} + 0.5)"),
            14 => format!("sin({a})"),
            15 => format!("cos({a} - {b})"),
            16 => format!("min({a}, {b})"),
            17 => format!("max({a}, {b})"),
            18 => format!("{a} < {b} ? {b} : {c}"),
            19 => format!("{a} <= {b} and not {b} < {c} ? {a} : {b}"),
            20 => format!("not ({a} < {b} or {c} < {a}) ? {c} : -{b}"),
            21 => format!("i.k == j.k ? {a} : {b}"),
            22 => format!("round({a} * 3)"),
            23 => format!("({a}^2 + 0.125)^-1.5"),
            24 => format!("expm1(-abs({a}) * {b})"),
            _ => format!("log1p({a}^2)"),
        };
        text += &format!("t{line} = {value}\n");
        names.push(format!("t{line}"));
    }
    for (k, (cell, value)) in results.iter().enumerate() {
        let x = &names[names.len() - 1 - value % names.len()];
        text += &match cell % 9 {
            0 | 1 => format!("sum r{k} = {x}\n"),
            2 => format!("sum r{k} = -{x} * j.q\n"),
            3 => format!("count r{k} = {x} < c\n"),
            4 => format!("min r{k} = {x}\n"),
            5 => format!("max r{k} = {x} when j.q < {x}\n"),
            6 => format!("argmin r{k} = {x}, j.k\n"),
            7 => format!("argmax r{k} = -{x}, j.k\n"),
            _ => format!("logsumexp r{k} = {x}\n"),
        };
    }
    match this % 3 {
        0 => text += "self exclude\n",
        1 => text += "self include\n",
        _ if results[0].0 % 9 < 3 => text += "self r0 = i.q * c - i.x[0]\n",
        _ => {}
    }
    text
}

/// The text of a [`random_law`] made from a seed; its bodies of one kind or of two. Its parameters are c and e.
pub fn law_from_seed(seed: u64, one_kind: bool) -> String {
    let mut s = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: usize| {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 33) as usize % below
    };
    let lines: Vec<_> = (0..1 + next(20)).map(|_| (next(26), next(12), next(12), next(20))).collect();
    let results: Vec<_> = (0..1 + next(4)).map(|_| (next(9), next(6))).collect();
    let text = random_law(&lines, &results, next(3));
    if one_kind { text.replace("source w; target v;", "body w; body v;") } else { text }
}

/// n random bodies for a record of a [`random_law`]: numbers that f32 holds exactly, and ids of which some are equal.
pub fn random_bodies(fields: &[Field], n: usize, seed: u64) -> Vec<Vec<f64>> {
    let of = |f: &Field| vec![f.cell == Cell::Id; f.numbers()];
    let ids: Vec<bool> = fields.iter().flat_map(of).collect();
    let columns = random(ids.len(), n, seed, false).into_iter().zip(ids);
    columns.map(|(column, id)| if id { (0..n).map(|k| (k * 5 % 31) as f64).collect() } else { column }).collect()
}

/// Laws of every kind: numbers of the bodies that act or are acted on only, of both, of neither; ids; a body that gives
/// itself something; CUNBODY-1's texts with unlike INPUT_I and INPUT_J. No parameters; all sums stay below 1e5 for a
/// few hundred [`random_bodies`].
pub const KINDS: &[&str] = &[
    "body x[3], q; d = j.x - i.x; sum a = j.q * d / (dot(d, d) + 0.05)^1.5; sum p = j.q; self exclude",
    "body x[3]; source q; d = j.x - i.x; sum a = j.q * d / (dot(d, d) + 0.05)^1.5; self exclude",
    "source q; sum s = j.q",
    "source q, r; sum s = j.q * j.r; self exclude",
    "target w; sum s = i.w * i.w; self exclude",
    "target w; source q; sum s = i.w * j.q",
    "target w, v; source q; sum s = i.w * j.q - i.v; sum t = i.v; self exclude",
    "body x; target w; sum s = i.w * (i.x - j.x)^2; self s = 2 * i.w",
    "body x, q; sum s = j.q * exp(-(i.x - j.x)^2); self s = 3 * i.q",
    "id mol; body x; source q; sum s = j.q * (j.x - i.x) when i.mol != j.mol; self exclude",
    "float dx = INPUT_J[0] - INPUT_I[0]; float r2 = dx * dx + 0.1; OUTPUT[0] += INPUT_J[1] * dx / (r2 * sqrt(r2));",
    "float dx = INPUT_J[0] - INPUT_I[0]; OUTPUT[0] += INPUT_J[1] * dx; OUTPUT[1] += INPUT_I[1] * dx; self exclude;",
    "OUTPUT[0] += INPUT_J[2] * INPUT_J[0];",
    "body x; source q; target w; id k; min a = j.q * i.w when i.k != j.k; max b = j.q - i.x; count n = j.q < i.w; self exclude",
    "body x; source q; target w; id k; argmin a = (j.x - i.x)^2, j.k; argmax b = j.q * i.w, j.k; logsumexp z = j.q * i.w; self exclude",
];

/// A law of what exponents, roots, logarithms and quotients make of what is too large or too small for the number type:
/// with s = e^x, the law's results for one body, in f64 as IEEE's arithmetic has them. `x` is 1000 or -1000.
pub const EXTREMES: &str = "target t; source x; s = exp(i.t + j.x)
    sum e = s; sum rs = rsqrt(s); sum re = 1 / s; sum q = 3 / s; sum sq = sqrt(s); sum l = ln(s); sum m = expm1(i.t + j.x)
    sum p = log1p(s); sum c = s^-1.5; min low = s; max high = -s; logsumexp z = i.t + j.x; self include";

/// The smallest, the largest and the logarithm of a sum without partners.
pub const NO_PARTNERS: &str = "body x; id k; no = j.x < i.x - 1e6; sum s = j.x; count n = no; self exclude
    min a = j.x when no; max b = j.x when no; argmin c = j.x, j.k when no; argmax d = j.x, j.k when no
    logsumexp z = j.x when no";

/// Laws with cut-offs, extremes and counts, of which most pairs of [`placed`] bodies can be left out where they are many.
pub const CUT_OFFS: &[&str] = &[
    "body x[3], h, m; d = i.x - j.x; q = norm(d) / j.h; sum rho = q < 1 ? j.m * (1 - q)^3 : 0; sum n = j.m when q < 1",
    "body x[3]; d = i.x - j.x; r2 = dot(d, d); s = r2 + 0.001; sum a = d * (1e-8 / s^4 - 1 / s) when r2 < 0.01; self exclude",
    "body x[3]; id k; d = i.x - j.x; argmin near = dot(d, d), j.k; self exclude",
    "body x[3], h; d = i.x - j.x; count n = norm(d) < i.h + j.h; self exclude",
    "body x[3]; d = i.x - j.x; e = d - 0.5 * round(2 * d); min near = dot(e, e); count n = dot(e, e) < 0.01; self exclude",
    "body x[3], m; d = i.x - j.x; logsumexp z = -100 * dot(d, d) when dot(d, d) < 0.04; max heaviest = j.m when norm(d) < 0.1",
    "body x[3], h; id k; d = i.x - j.x; argmax p = j.h / (dot(d, d) + 0.001), j.k; min q = dot(d, d) - j.h; self exclude",
    "body x[3]; id k; d = i.x - j.x; min other = norm(d) when i.k < j.k; self exclude",
    "body x[2], m; count below = j.x[0] <= i.x[0] && j.x[1] <= i.x[1]; self include",
    // angles of many turns, which vectors compute in another way
    "body x[2]; id k; d = i.x - j.x; argmin s = sin(1 / (dot(d, d) + 1e-12)), j.k; max c = cos(1e4 / (norm(d) + 1e-6))",
    "body x, m; sum s = max(0, 0.01 - abs(i.x - j.x)) * j.m; self s = i.m",
];

/// Where bodies are that [`placed`] places: the number of a body and an axis give a number that f32 holds exactly.
pub type Places = fn(usize, usize) -> f64;

/// Places of every kind.
pub const SYSTEMS: [(&str, Places); 6] = [
    ("cube", anywhere),
    ("crowd", |k, axis| f64::from((anywhere(k % 7, axis) + 0.3 * anywhere(k, 5) * (anywhere(k, axis) - 0.5)) as f32)),
    ("sheet", |k, axis| if axis == 2 { 0.5 } else { anywhere(k, axis) }),
    ("one place", |_, _| 0.25),
    ("lattice", |k, axis| [(k % 8) as f64, (k / 8 % 8) as f64, (k / 64) as f64][axis] / 8.0),
    ("far from the origin", |k, axis| 65536.0 + anywhere(k, axis)),
];

/// A number between 0 and 1 of a body and an axis, which f32 holds exactly.
pub fn anywhere(k: usize, axis: usize) -> f64 {
    let mut s = (k as u64 * 3 + axis as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    s ^= s >> 29;
    s = s.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (s >> 40) as f64 / (1_u64 << 24) as f64
}

/// Columns of n bodies for a law of one kind: places `x`, ids, and numbers from `large` on for all else.
pub fn placed(law: &Law, places: Places, n: usize, large: f64) -> Vec<Vec<f64>> {
    let mut columns = Vec::new();
    for field in law.body() {
        for axis in 0..field.width {
            columns.push(match (field.cell, field.name.as_str()) {
                (Cell::Id, _) => (0..n).map(|k| (k * 7 % 13) as f64).collect(),
                (_, "x") => (0..n).map(|k| places(k, axis)).collect(),
                _ => (0..n).map(|k| large * (1.0 + (k % 5) as f64)).collect::<Vec<f64>>(),
            });
        }
    }
    columns
}

/// Whether results are what they are in f64: infinities and NaN to the bit, others to `off` of their size.
///
/// # Errors
/// A sentence that names the result.
pub fn alike(law: &Law, found: &[Vec<f64>], want: &[Vec<f64>], off: f64) -> Result<(), String> {
    for ((name, found), want) in law.result_columns().iter().zip(found).zip(want) {
        for (body, (x, y)) in found.iter().zip(want).enumerate() {
            let near = (x - y).abs() <= off * y.abs();
            if !(near || x == y || (x.is_nan() && y.is_nan())) {
                return Err(format!("{name} of body {body}: {x}, not {y}"));
            }
        }
    }
    Ok(())
}

/// A way to give bodies to a law.
#[derive(Clone, Debug)]
pub struct Way {
    /// In words, for messages.
    pub name: String,
    how: How,
    lens: (usize, usize),
    i: Vec<Vec<f64>>,
    j: Vec<Vec<f64>>,
    targets: Targets<'static>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    One,
    Roles,
    Two,
}

impl Way {
    /// Calls `f` with the sets.
    pub fn with<T>(&self, par: &[f64], f: impl FnOnce(&PairInputs<'_>) -> T) -> T {
        let [i, j] = [&self.i, &self.j].map(|columns| columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let (ni, nj) = self.lens;
        let inputs = match self.how {
            How::One => PairInputs::one(&i, par),
            How::Roles => PairInputs::roles(&i, &j, par),
            How::Two => PairInputs::two(&i, &j, par),
        };
        inputs.sized(ni, nj).at(&self.targets, f).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// Every way in which bodies can be given to a law: one set; one set with other columns as those that act; the same
/// columns in two places, as one set and as two; two sets, also of one body and of no bodies; a range and a list of targets
/// of all these. The columns are [`random_bodies`].
pub fn ways(law: &Law, ni: usize, nj: usize, seed: u64) -> Vec<Way> {
    let of = |name: &str, how, (ni, nj): (usize, usize), alike: bool| {
        let i = random_bodies(law.body(), ni, seed);
        let j = if alike { i.clone() } else { random_bodies(law.partner(), nj, seed ^ 0x5555) };
        Way { name: format!("{name}, {ni} x {nj}"), how, lens: (ni, nj), i, j, targets: Targets::All }
    };
    let mut ways = vec![
        of("other columns as those that act", How::Roles, (ni, ni), false),
        of("two sets", How::Two, (ni, nj), false),
        of("two sets", How::Two, (ni, ni), false),
    ];
    for lens in [(1, nj), (ni, 1), (0, nj), (ni, 0)] {
        ways.push(of("two sets", How::Two, lens, false));
    }
    for n in [0, 1] {
        ways.push(of("other columns as those that act", How::Roles, (n, n), false));
    }
    let cells =
        |fields: &[Field]| super::pair_inputs::numbers(fields).into_iter().map(|(_, cell)| cell).collect::<Vec<_>>();
    if cells(law.body()) == cells(law.partner()) {
        for (name, how) in [("one set", How::One), ("one set, copied", How::Roles), ("a set and its copy", How::Two)] {
            ways.push(of(name, how, (ni, ni), true));
        }
        ways.push(of("one set", How::One, (1, 1), true));
    }
    let parts = ways.iter().filter(|way| way.lens.0 == ni).flat_map(parts).collect::<Vec<_>>();
    ways.extend(parts);
    ways
}

/// A way with some targets of its many: a range, and a list, neither from the first on nor in order.
fn parts(way: &Way) -> [Way; 2] {
    let n = way.lens.0;
    let range = n / 3..n - n / 4;
    let list: &'static [usize] = &[30, 2, 0, 17, 36, 9, 8];
    let of = |targets, what: &str| Way { targets, name: format!("{what} of {}", way.name), ..way.clone() };
    [of(Targets::Range(range), "a range"), of(Targets::List(list), "a list")]
}
