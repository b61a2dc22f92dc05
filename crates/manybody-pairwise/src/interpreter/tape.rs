//! The tape: a program's operations as block kernels read them.
//!
//! Signs and places are settled here, once a law. A value may lie negated in its block (`flipped`), so that a negation
//! in the program becomes another operation or nothing at all; what is the same for a whole block is an operand of its
//! own kind and costs no memory traffic; operations that meet in pairs are made one ([`fuse`]); blocks are taken from a
//! pool after their last use.

use super::fuse::fuse;
use crate::law::{Arg, Cell, Class, Function, Op, Program};

/// What a kernel does with its operands x, y, z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Code {
    Add,
    Sub,
    /// y - x
    SubFrom,
    Mul,
    Div,
    /// y / x
    DivFrom,
    /// x x
    Square,
    /// x x + y
    FmaSquare,
    /// x y + z
    Fma,
    /// x x + y y, and with what follows
    Squares2,
    /// x x + (y y + u), u uniform
    Squares2Plus,
    /// x x + (y y + z z)
    Squares3,
    /// x x + (y y + (z z + u)), u uniform
    Squares3Plus,
    /// y (x x)
    MulSquare,
    /// z (x y)
    Mul3,
    /// y^3 with y = 1 / sqrt(x)
    RsqrtCube,
    /// (y m) (y y) with y = 1 / sqrt(x), m the second operand
    RsqrtCubeMul,
    /// z - x y
    Fnma,
    /// x y - z
    Fms,
    Min,
    Max,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    /// y where x is not 0, else z
    Select,
    Call(Function),
    Neg,
    /// 1 - x
    Not,
    /// The uniform operand in all places of a block.
    Fill,
}

/// Where a kernel finds numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Operand {
    /// Numbers that lie there for all bodies of a side.
    Column(usize),
    /// A block of the pool.
    Slot(usize),
    /// One number for the whole block, negated if so marked.
    Uniform { index: usize, negative: bool },
}

impl Operand {
    pub(super) fn is_uniform(self) -> bool {
        matches!(self, Operand::Uniform { .. })
    }

    /// A uniform operand negated; others as they are.
    fn opposite_uniform(self) -> Self {
        match self {
            Operand::Uniform { index, negative } => Operand::Uniform { index, negative: !negative },
            other => other,
        }
    }
}

/// One operation. The first operand of a kernel is never uniform; unused ones repeat the first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Step {
    pub(super) code: Code,
    pub(super) to: usize,
    pub(super) args: [Operand; 4],
}

/// What becomes of a block of contributions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Gather {
    /// The number of the result record; of a cell of two numbers, the first.
    pub(super) slot: usize,
    pub(super) cell: Cell,
    /// To be subtracted; for sums only.
    pub(super) negative: bool,
    pub(super) a: Operand,
    /// The other factor, or the label.
    pub(super) b: Option<Operand>,
}

/// Operations in order, then what happens to the results.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Tape {
    pub(super) steps: Vec<Step>,
    pub(super) gathers: Vec<Gather>,
    /// Where the values asked for are: of a stage that computes columns.
    pub(super) outputs: Vec<Operand>,
    /// How many blocks the pool must have.
    pub(super) slots: usize,
}

/// The tape of the values of one class. `place` says where values of other classes and inputs are.
pub(super) fn record(
    program: &Program,
    class: Class,
    outputs: &[usize],
    gathers: bool,
    place: impl Fn(usize) -> Operand,
) -> Tape {
    let mut live = vec![false; program.values.len()];
    let folds = if gathers { &program.folds[..] } else { &[] };
    folds.iter().flat_map(|f| &f.args).for_each(|a| live[a.value] = true);
    outputs.iter().for_each(|v| live[*v] = true);
    for k in (0..live.len()).rev().filter(|k| computed(program, *k, class)).collect::<Vec<_>>() {
        if live[k] {
            program.values[k].args.iter().for_each(|a| live[a.value] = true);
        }
    }
    let mut writer = Writer { steps: Vec::new(), helpers: Vec::new(), at: Vec::new() };
    for (k, live) in live.iter().enumerate() {
        let here = match *live {
            true if computed(program, k, class) => writer.value(program.values[k].op, &program.values[k].args),
            true => (place(k), false),
            false => (Operand::Slot(usize::MAX), false),
        };
        writer.at.push(here);
    }
    let mut tape = Tape::default();
    for fold in folds {
        let second = fold.args.get(1).copied();
        let (a, b, negative) = match (fold.cell, second) {
            (Cell::Sum, None) => {
                let (a, negative) = writer.signed(fold.args[0]);
                (a, None, negative)
            }
            (Cell::Sum, Some(second)) => {
                let ((a, m), (b, n)) = (writer.signed(fold.args[0]), writer.signed(second));
                (a, Some(b), m != n)
            }
            _ => (writer.positive(fold.args[0]), second.map(|s| writer.positive(s)), false),
        };
        let (a, b) = (writer.block(a), b.map(|b| writer.block(b)));
        tape.gathers.push(Gather { slot: fold.slot, cell: fold.cell, negative, a, b });
    }
    share_factors(&mut tape.gathers);
    for value in outputs {
        let arg = Arg { value: *value, negative: false };
        let out = if program.values[*value].op.is_mask() {
            let truth = writer.truth(arg);
            writer.not_if(truth)
        } else {
            writer.positive(arg)
        };
        let out = writer.block(out);
        tape.outputs.push(out);
    }
    tape.steps = writer.steps;
    fuse(&mut tape);
    tape.share_slots();
    tape
}

/// Puts the factor that sums have in common second: three of them then load it once.
fn share_factors(gathers: &mut [Gather]) {
    let of = |at: Operand, all: &[Gather]| all.iter().filter(|g| g.a == at || g.b == Some(at)).count();
    for k in 0..gathers.len() {
        if let Gather { cell: Cell::Sum, a, b: Some(b), .. } = gathers[k]
            && of(a, gathers) > of(b, gathers)
        {
            (gathers[k].a, gathers[k].b) = (b, Some(a));
        }
    }
}

/// Whether a value is one that a tape of the class computes.
pub(super) fn computed(program: &Program, k: usize, class: Class) -> bool {
    let value = &program.values[k];
    value.class == class && !matches!(value.op, Op::Input(..))
}

/// Writes steps, each to a block of its own.
struct Writer {
    steps: Vec<Step>,
    /// The steps that the program does not have: made once for each operand.
    helpers: Vec<usize>,
    /// Where each value is, and whether it lies there negated ("not" for truth values).
    at: Vec<(Operand, bool)>,
}

impl Writer {
    fn put(&mut self, code: Code, args: &[Operand]) -> Operand {
        let first = args[0];
        let args = std::array::from_fn(|k| *args.get(k).unwrap_or(&first));
        let step = Step { code, to: self.steps.len(), args };
        if matches!(code, Code::Neg | Code::Not | Code::Fill) {
            let mut helpers = self.helpers.iter().map(|k| &self.steps[*k]);
            if let Some(before) = helpers.find(|s| s.code == code && s.args == args) {
                return Operand::Slot(before.to);
            }
            self.helpers.push(step.to);
        }
        self.steps.push(step);
        Operand::Slot(step.to)
    }

    /// Where an operand is, and whether it is to be negated; a uniform one negates itself.
    fn signed(&self, arg: Arg) -> (Operand, bool) {
        let (at, flipped) = self.at[arg.value];
        match arg.negative != flipped {
            true if at.is_uniform() => (at.opposite_uniform(), false),
            negative => (at, negative),
        }
    }

    fn positive(&mut self, arg: Arg) -> Operand {
        let (at, negative) = self.signed(arg);
        if negative { self.put(Code::Neg, &[at]) } else { at }
    }

    /// A truth value's operand, and whether "not" applies. A uniform one is spread first if it is negated, because its
    /// sign is no "not".
    fn truth(&mut self, arg: Arg) -> (Operand, bool) {
        let (at, flipped) = self.at[arg.value];
        (self.block(at), arg.negative != flipped)
    }

    fn not_if(&mut self, (at, not): (Operand, bool)) -> Operand {
        if not { self.put(Code::Not, &[at]) } else { at }
    }

    /// A block, also of what is uniform.
    fn block(&mut self, at: Operand) -> Operand {
        if at.is_uniform() { self.put(Code::Fill, &[at]) } else { at }
    }

    /// Both operands with the uniform one last.
    fn sorted(a: Operand, b: Operand) -> [Operand; 2] {
        if a.is_uniform() { [b, a] } else { [a, b] }
    }

    fn value(&mut self, op: Op, args: &[Arg]) -> (Operand, bool) {
        match op {
            Op::Add => self.sum(args[0], args[1]),
            Op::Mul => {
                let ((a, m), (b, n)) = (self.signed(args[0]), self.signed(args[1]));
                let [a, b] = Self::sorted(a, b);
                let a = self.block(a);
                // a load less than a product
                let product = if a == b { self.put(Code::Square, &[a]) } else { self.put(Code::Mul, &[a, b]) };
                (product, m != n)
            }
            Op::Div => {
                let ((a, m), (b, n)) = (self.signed(args[0]), self.signed(args[1]));
                let quotient = match (a.is_uniform(), b.is_uniform()) {
                    (true, false) => self.put(Code::DivFrom, &[b, a]),
                    _ => {
                        let a = self.block(a);
                        self.put(Code::Div, &[a, b])
                    }
                };
                (quotient, m != n)
            }
            Op::Fma => (self.fma(args), false),
            Op::Min => {
                let ((a, m), (b, n)) = (self.signed(args[0]), self.signed(args[1]));
                if (m && (n || b.is_uniform())) || (n && a.is_uniform()) {
                    // min(-a, -b) = -max(a, b)
                    let [a, b] = Self::sorted(a, b);
                    return (self.put(Code::Max, &[a, b.opposite_uniform()]), true);
                }
                let [a, b] = [args[0], args[1]].map(|arg| self.positive(arg));
                let [a, b] = Self::sorted(a, b);
                let a = self.block(a);
                (self.put(Code::Min, &[a, b]), false)
            }
            Op::Call(f @ (Function::Abs | Function::Cos)) => {
                let (x, _) = self.signed(args[0]);
                let x = self.block(x);
                (self.put(Code::Call(f), &[x]), false)
            }
            Op::Call(f) => {
                let x = self.positive(args[0]);
                let x = self.block(x);
                (self.put(Code::Call(f), &[x]), false)
            }
            Op::Less => (self.compare(Code::Less, Code::Greater, args), false),
            Op::LessEqual => (self.compare(Code::LessEqual, Code::GreaterEqual, args), false),
            Op::Equal => (self.compare(Code::Equal, Code::Equal, args), false),
            Op::And => {
                let (a, b) = (self.truth(args[0]), self.truth(args[1]));
                match (a.1, b.1) {
                    (true, true) => (self.put(Code::Max, &[a.0, b.0]), true), // neither = not (one or the other)
                    (false, false) => (self.put(Code::Min, &[a.0, b.0]), false),
                    _ => {
                        let (a, b) = (self.not_if(a), self.not_if(b));
                        (self.put(Code::Min, &[a, b]), false)
                    }
                }
            }
            Op::Select => {
                let (mask, not) = self.truth(args[0]);
                let [yes, no] = [args[1], args[2]].map(|arg| self.signed(arg));
                // a sign that both branches share stays outside
                let (yes, no, flipped) = match (yes, no) {
                    ((yes, true), (no, true)) => (yes, no, true),
                    _ => (self.positive(args[1]), self.positive(args[2]), false),
                };
                let (yes, no) = if not { (no, yes) } else { (yes, no) };
                (self.put(Code::Select, &[mask, yes, no]), flipped)
            }
            Op::Input(..) | Op::Const(_) | Op::True => unreachable!("inputs and constants lie somewhere already"),
        }
    }

    fn sum(&mut self, a: Arg, b: Arg) -> (Operand, bool) {
        let ((a, m), (b, n)) = (self.signed(a), self.signed(b));
        match (a.is_uniform(), b.is_uniform()) {
            (true, true) => {
                let a = self.block(a);
                (self.put(Code::Add, &[a, b]), false)
            }
            // u + x, u - x; x + u, u - x
            (true, false) => (self.put(if n { Code::SubFrom } else { Code::Add }, &[b, a]), false),
            (false, true) => (self.put(if m { Code::SubFrom } else { Code::Add }, &[a, b]), false),
            (false, false) => match (m, n) {
                (false, false) => (self.put(Code::Add, &[a, b]), false),
                (false, true) => (self.put(Code::Sub, &[a, b]), false),
                (true, false) => (self.put(Code::Sub, &[b, a]), false),
                (true, true) => (self.put(Code::Add, &[a, b]), true),
            },
        }
    }

    fn fma(&mut self, args: &[Arg]) -> Operand {
        let ((a, m), (b, n), (c, mut minus)) = (self.signed(args[0]), self.signed(args[1]), self.signed(args[2]));
        let ([a, mut b], mut c) = (Self::sorted(a, b), c);
        let a = self.block(a);
        let mut negative = m != n;
        if negative && b.is_uniform() {
            (b, negative) = (b.opposite_uniform(), false);
        }
        if negative && minus {
            c = self.put(Code::Neg, &[c]);
            minus = false;
        }
        let code = match (negative, minus) {
            (true, _) => Code::Fnma,
            (_, true) => Code::Fms,
            _ => Code::Fma,
        };
        match code {
            Code::Fma if a == b => self.put(Code::FmaSquare, &[a, c]),
            _ => self.put(code, &[a, b, c]),
        }
    }

    fn compare(&mut self, code: Code, turned: Code, args: &[Arg]) -> Operand {
        let ((a, m), (b, n)) = (self.signed(args[0]), self.signed(args[1]));
        let (code, other, a, b) = match (m, n) {
            (true, true) => (turned, code, a, b), // -a < -b is a > b
            _ => (code, turned, self.positive(args[0]), self.positive(args[1])),
        };
        if a.is_uniform() && !b.is_uniform() {
            return self.put(other, &[b, a]);
        }
        let a = self.block(a);
        self.put(code, &[a, b])
    }
}

impl Tape {
    /// Gives blocks to later steps after their last use.
    fn share_slots(&mut self) {
        const FOREVER: usize = usize::MAX;
        let mut last = vec![0; self.steps.len()];
        let mut read = |at: Operand, when: usize| {
            if let Operand::Slot(k) = at {
                last[k] = when;
            }
        };
        for (k, step) in self.steps.iter().enumerate() {
            step.args.iter().for_each(|a| read(*a, k));
        }
        for gather in &self.gathers {
            read(gather.a, FOREVER);
            gather.b.iter().for_each(|b| read(*b, FOREVER));
        }
        self.outputs.iter().for_each(|o| read(*o, FOREVER));
        let mut place = vec![0; self.steps.len()];
        let (mut free, mut used) = (Vec::new(), 0);
        let settle = |at: &mut Operand, place: &[usize]| {
            if let Operand::Slot(k) = at {
                *k = place[*k];
            }
        };
        for k in 0..self.steps.len() {
            let step = &mut self.steps[k];
            place[k] = free.pop().unwrap_or_else(|| {
                used += 1;
                used - 1
            });
            // an operand's block is free only after the step: it is never written while it is read
            let mut done: Vec<usize> = step
                .args
                .iter()
                .filter_map(|a| if let Operand::Slot(s) = a { (last[*s] == k).then_some(place[*s]) } else { None })
                .collect();
            done.sort_unstable();
            done.dedup();
            free.append(&mut done);
            step.args.iter_mut().for_each(|a| settle(a, &place));
            step.to = place[k];
        }
        for gather in &mut self.gathers {
            settle(&mut gather.a, &place);
            gather.b.iter_mut().for_each(|b| settle(b, &place));
        }
        self.outputs.iter_mut().for_each(|o| settle(o, &place));
        self.slots = used;
    }
}
