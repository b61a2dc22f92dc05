//! Prints a law as source text: the pair function of a kernel, in CUDA C++ or WGSL.
//!
//! A kernel = prelude + law + traversal. This module prints the law: what a pair does to the sums of i (one-sided) or of
//! both (mirrored), and how two partial results become one. It prints a [`Program`], which has no control flow, so the
//! text is a list of assignments, one an operation; what depends on one body only is written where it is used, and the
//! compilers move it out of their loops.

mod cells;
mod dialect;

pub use dialect::Dialect;

use manybody_law::law::{Arg, Cell, Field, Fold, Function, Law, Lowering, Op, Program, Role, Value};
use std::fmt::Write;

/// The text of a law, and the sizes that a kernel around it needs.
#[derive(Clone, Debug)]
pub struct LawText {
    /// Functions `pair`, `pair_both` (if mirrored), `merge`, `start`; and the constants `NF`, `NO`, `NP`.
    pub text: String,
    /// Numbers of a body.
    pub numbers: usize,
    /// Numbers of a result record.
    pub results: usize,
    /// Numbers of the parameters.
    pub parameters: usize,
}

/// What a law's text is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The language and number type.
    pub dialect: Dialect,
    /// Whether `pair_both` is required.
    pub mirrored: bool,
    /// Whether factors common to all pairs are left out of the sums, for the host to multiply by.
    pub scales: bool,
    /// Whether numbers whose differences the law takes are given in two parts: see [`split_inputs`].
    pub split: bool,
}

/// The numbers of a body of which the law takes differences, j.x - i.x, such as positions. Given in two parts, the second
/// what the first lacks, their difference is right to rounding however far from zero they are; the second parts follow
/// all other numbers of a record. Empty for bodies of two kinds.
pub fn split_inputs(law: &Law) -> Vec<usize> {
    if !law.has_one_kind() {
        return Vec::new();
    }
    let programs = [false, true].map(|mirrored| law.lower(lowering(mirrored, true)).unwrap_or_default());
    let mut all: Vec<usize> = programs
        .iter()
        .flat_map(|program| (0..program.values.len()).filter_map(|k| difference(program, k)))
        .map(|(slot, _)| slot)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What the first parts of numbers, in f32, lack: a column for each of `split`.
pub(crate) fn low_parts(split: &[usize], columns: &[&[f64]]) -> Vec<Vec<f64>> {
    let low = |x: &f64| if x.is_finite() { x - f64::from(*x as f32) } else { 0.0 };
    split.iter().map(|slot| columns[*slot].iter().map(low).collect()).collect()
}

/// The number whose difference value k is, and whether it is i's less j's.
fn difference(program: &Program, k: usize) -> Option<(usize, bool)> {
    let value = &program.values[k];
    let input = |arg: &Arg| match program.values[arg.value].op {
        Op::Input(role @ (Role::I | Role::J), slot) => Some((role, slot, arg.negative)),
        _ => None,
    };
    match (value.op, &value.args[..]) {
        (Op::Add, [a, b]) => match (input(a)?, input(b)?) {
            ((p, s, minus), (q, t, plus)) if p != q && s == t && minus != plus => Some((s, (p == Role::I) != minus)),
            _ => None,
        },
        _ => None,
    }
}

/// The lowering that devices use: free grouping and 2^x for e^x.
pub fn lowering(mirrored: bool, scales: bool) -> Lowering {
    Lowering { mirrored, exp2: true, scales, ..Lowering::default() }
}

/// How many numbers a record has.
pub fn numbers(fields: &[Field]) -> usize {
    fields.iter().map(Field::numbers).sum()
}

/// Prints a law.
pub fn law_text(law: &Law, form: Form) -> LawText {
    let split = if form.split { split_inputs(law) } else { Vec::new() };
    let first_low = numbers(law.body());
    let (numbers_i, numbers_j) = (first_low + split.len(), numbers(law.partner()) + split.len());
    let (results, parameters) = (law.cells().len(), numbers(law.parameters()));
    let d = form.dialect;
    let mut text = format!("// {}\n", law.name().replace(['\n', '\r'], " "));
    d.sizes(&mut text, numbers_i, numbers_j, results, parameters);
    let sizes = [numbers_i, numbers_j, results];
    d.function(
        &mut text,
        "pair",
        false,
        sizes,
        &body(d, &law.lower(lowering(false, form.scales)).unwrap_or_default(), &split, first_low),
    );
    if form.mirrored
        && let Ok(program) = law.lower(lowering(true, form.scales))
    {
        d.function(&mut text, "pair_both", true, sizes, &body(d, &program, &split, first_low));
    }
    cells::start_and_merge(&mut text, d, &law.cells());
    let missing = d.missing_functions(&text);
    text.push_str(&missing);
    LawText { text, numbers: numbers_i.max(numbers_j), results, parameters }
}

/// The statements of a pair.
fn body(d: Dialect, program: &Program, split: &[usize], first_low: usize) -> String {
    let mut text = String::new();
    let printer = Printer { d, program, split, first_low };
    for k in printer.needed() {
        if let Some(expression) = printer.expression(k) {
            let kind = if program.values[k].op.is_mask() { d.mask() } else { d.real() };
            let _ = writeln!(text, "    {} = {expression};", d.constant(kind, &format!("t{k}")));
        }
    }
    for fold in &program.folds {
        printer.fold(&mut text, fold);
    }
    text
}

struct Printer<'a> {
    d: Dialect,
    program: &'a Program,
    /// Numbers in two parts, and where the second ones begin.
    split: &'a [usize],
    first_low: usize,
}

impl Printer<'_> {
    /// The values that the folds need, in order; those needed for scales only are the host's to compute.
    fn needed(&self) -> Vec<usize> {
        let values = &self.program.values;
        let mut live = vec![false; values.len()];
        self.program.folds.iter().flat_map(|fold| &fold.args).for_each(|arg| live[arg.value] = true);
        for k in (0..values.len()).rev() {
            match (live[k], self.cube(k)) {
                (true, Some((x, factor))) => {
                    live[x.value] = true;
                    factor.iter().for_each(|f| live[f.value] = true);
                }
                (true, None) => values[k].args.iter().for_each(|arg| live[arg.value] = true),
                (false, _) => {}
            }
        }
        (0..values.len()).filter(|k| live[*k]).collect()
    }

    /// x and f where value k is f x^(-3/2), f possibly 1, and its root is used for nothing else. In f64 this is worth a
    /// function of its own: one cubic step leads straight to the power, where root, then cube, costs one more.
    fn cube(&self, k: usize) -> Option<(Arg, Option<Arg>)> {
        let values = &self.program.values;
        if self.d != Dialect::CudaF64 || values[k].op != Op::Mul {
            return None;
        }
        let root = |a: Arg| (values[a.value].op == Op::Call(Function::Rsqrt)).then_some(a.value);
        let uses = |of: usize| {
            let in_values = values.iter().flat_map(|v| &v.args);
            in_values.chain(self.program.folds.iter().flat_map(|f| &f.args)).filter(|a| a.value == of).count()
        };
        let (a, b) = (values[k].args[0], values[k].args[1]);
        [(a, b), (b, a)].into_iter().find_map(|(square, other)| {
            let square_of = &values[square.value];
            let y = root(*square_of.args.first()?).filter(|_| square_of.op == Op::Mul && !square.negative)?;
            let twice = square_of.args.iter().all(|a| a.value == y && !a.negative);
            if !twice || uses(square.value) != 1 || uses(y) != 3 || other.negative {
                return None;
            }
            let x = values[y].args[0];
            if other.value == y {
                return Some((x, None));
            }
            // f y, then times y^2
            let product = &values[other.value];
            let mine = |a: &&Arg| a.value == y && !a.negative;
            if product.op != Op::Mul || uses(other.value) != 1 || product.args.iter().filter(mine).count() != 1 {
                return None;
            }
            product.args.iter().find(|a| a.value != y).map(|f| (x, Some(*f)))
        })
    }

    /// The name or literal by which a value is used.
    fn name(&self, k: usize) -> String {
        match self.program.values[k].op {
            Op::Input(Role::I, slot) => self.d.input_i(slot),
            Op::Input(Role::J, slot) => self.d.input_j(slot),
            Op::Input(Role::Par, slot) => self.d.parameter(slot),
            Op::Const(c) => self.d.literal(c),
            _ => format!("t{k}"),
        }
    }

    fn arg(&self, arg: Arg) -> String {
        let mask = self.program.values[arg.value].op.is_mask();
        let sign = match (arg.negative, mask) {
            (false, _) => "",
            (true, true) => "!",
            (true, false) => "-",
        };
        format!("{sign}{}", self.name(arg.value))
    }

    /// The operation of a value; `None` for what has a name of its own.
    fn expression(&self, k: usize) -> Option<String> {
        let value = &self.program.values[k];
        let d = self.d;
        let x = |k: usize| self.arg(value.args[k]);
        let plain = |k: usize| self.name(value.args[k].value);
        if let Some((slot, i_less_j)) = difference(self.program, k)
            && let Some(at) = self.split.iter().position(|s| *s == slot)
        {
            let low = self.first_low + at;
            let both = |slot: usize| match i_less_j {
                true => format!("({} - {})", d.input_i(slot), d.input_j(slot)),
                false => format!("({} - {})", d.input_j(slot), d.input_i(slot)),
            };
            return Some(format!("{} + {}", both(slot), both(low)));
        }
        if let Some((x, factor)) = self.cube(k) {
            let cube = format!("m_rsqrt3({})", self.arg(x));
            return Some(factor.map_or(cube.clone(), |f| format!("{} * {cube}", self.arg(f))));
        }
        Some(match value.op {
            Op::Input(..) | Op::Const(_) => return None,
            Op::True => "true".into(),
            Op::Add if value.args[1].negative => format!("{} - {}", x(0), plain(1)),
            Op::Add => format!("{} + {}", x(0), x(1)),
            Op::Mul => format!("{} * {}", x(0), x(1)),
            Op::Div => d.divide(&x(0), &x(1)),
            Op::Fma => d.fma(&x(0), &x(1), &x(2)),
            Op::Min => d.min(&x(0), &x(1)),
            Op::Call(f) => d.call(f, &x(0)),
            Op::Less => format!("{} < {}", x(0), x(1)),
            Op::LessEqual => format!("{} <= {}", x(0), x(1)),
            Op::Equal => format!("{} == {}", x(0), x(1)),
            Op::And => format!("{} && {}", x(0), x(1)),
            Op::Select => match self.extreme_of_two(value) {
                // compilers of WGSL take a comparison and a choice for a minimum, which may leave NaN out
                Some(is_min) if d == Dialect::Wgsl => {
                    let extreme = if is_min { d.min(&x(1), &x(2)) } else { d.max(&x(1), &x(2)) };
                    d.select(&format!("{} <= {}", x(2), d.literal(f64::INFINITY)), &extreme, &x(2))
                }
                _ => d.select(&x(0), &x(1), &x(2)),
            },
        })
    }

    /// Whether a choice is the smaller (or, false, the larger) of its two numbers, or its second where that is NaN.
    fn extreme_of_two(&self, select: &Value) -> Option<bool> {
        let [mask, yes, no] = select.args[..] else { return None };
        let compared = &self.program.values[mask.value];
        let minus = |arg: Arg| Arg { negative: !arg.negative, ..arg };
        match compared.args[..] {
            _ if mask.negative || compared.op != Op::LessEqual => None,
            [a, b] if (a, b) == (yes, no) || (a, b) == (minus(no), minus(yes)) => Some(true),
            [a, b] if (a, b) == (no, yes) || (a, b) == (minus(yes), minus(no)) => Some(false),
            _ => None,
        }
    }

    /// What a contribution does to a result.
    fn fold(&self, text: &mut String, fold: &Fold) {
        let d = self.d;
        let out = |offset: usize| d.result(fold.side, fold.slot + offset);
        let args: Vec<String> = fold.args.iter().map(|a| self.arg(*a)).collect();
        let statement = match (fold.cell, &args[..]) {
            (Cell::Sum, [a, b]) => format!("{o} = {};", d.fma(a, b, &out(0)), o = out(0)),
            (Cell::Sum | Cell::Count, [_]) if fold.args[0].negative => {
                format!("{o} = {o} - {};", self.name(fold.args[0].value), o = out(0))
            }
            (Cell::Sum | Cell::Count, [a]) => format!("{o} = {o} + {a};", o = out(0)),
            (cell, args) => {
                let one = d.literal(1.0);
                let second = args.get(1).map_or(one.as_str(), String::as_str);
                cells::combine(d, cell, [&out(0), &out(1)], [&args[0], second])
            }
        };
        let _ = writeln!(text, "    {statement}");
    }
}

#[cfg(test)]
mod tests;
