//! A law as a straight-line program: what GPU text is printed from and what the evaluator runs.

use super::replay::{Slot, call};
use super::{Function, Role};
use crate::law::{Cell, Real};

/// On whose numbers a value depends: what depends on one body only is computed once a body, not once a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Class(pub(crate) u8);

impl Class {
    /// On constants and parameters only.
    pub const PAR: Class = Class(0);
    /// On the body acted on.
    pub const I: Class = Class(1);
    /// On the body that acts.
    pub const J: Class = Class(2);
    /// On both.
    pub const PAIR: Class = Class(3);

    /// On what either depends on.
    pub fn with(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }
}

impl From<Role> for Class {
    fn from(role: Role) -> Self {
        match role {
            Role::I => Class::I,
            Role::J => Class::J,
            Role::Par => Class::PAR,
        }
    }
}

/// An operand: an earlier value, negated ("not" for truth values) if so marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arg {
    /// Its index in [`Program::values`].
    pub value: usize,
    /// Whether it is to be negated.
    pub negative: bool,
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    /// A number of a body or a parameter, by its place in the record.
    Input(Role, usize),
    /// A constant.
    Const(f64),
    /// A mask that always holds.
    True,
    /// a + b
    Add,
    /// a * b
    Mul,
    /// a / b
    Div,
    /// a * b + c
    Fma,
    /// The smaller of a and b.
    Min,
    /// A function of a.
    Call(Function),
    /// a < b
    Less,
    /// a <= b
    LessEqual,
    /// a == b
    Equal,
    /// a and b
    And,
    /// b where the mask a holds, else c
    Select,
}

impl Op {
    /// True if the result is a truth value.
    pub fn is_mask(self) -> bool {
        matches!(self, Op::True | Op::Less | Op::LessEqual | Op::Equal | Op::And)
    }
}

/// One value of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The operation.
    pub op: Op,
    /// Its operands.
    pub args: Vec<Arg>,
    /// On whom it depends.
    pub class: Class,
}

/// What a pair does to a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Fold {
    /// Whose result: 0 that of i, 1 that of j (mirrored programs only).
    pub side: usize,
    /// The number of the result record; of a cell of two numbers, the first.
    pub slot: usize,
    /// How it is combined.
    pub cell: Cell,
    /// The contribution. Two of them are a product for `Sum`, and value and label for `ArgMin` and `ArgMax`.
    pub args: Vec<Arg>,
}

/// A factor that was left out of a sum.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// Whose result: 0 that of i, 1 that of j.
    pub side: usize,
    /// The number of the result record.
    pub slot: usize,
    /// The factor; of class [`Class::PAR`].
    pub factor: Arg,
}

/// A straight-line program: values in order, operands first, then what happens to the results.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// The values.
    pub values: Vec<Value>,
    /// The contributions to the results, in the author's order.
    pub folds: Vec<Fold>,
    /// What the sums still have to be multiplied by, once, at the end.
    pub scales: Vec<Scale>,
}

/// How many operations a pair costs. Negation and absolute value cost nothing; what depends on one body only is not
/// counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Additions, multiplications, fused multiply-adds, minima, comparisons, selects: one issue slot each.
    pub operations: usize,
    /// Roots, reciprocals, exponentials and the like.
    pub special: usize,
    /// Floating-point operations, where a fused multiply-add is two and a special function one.
    pub flops: usize,
}

impl Program {
    /// The cost of one pair.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        let mut add = |operations, special, flops| {
            cost.operations += operations;
            cost.special += special;
            cost.flops += flops;
        };
        for value in self.values.iter().filter(|v| v.class == Class::PAIR) {
            match value.op {
                Op::Input(..) | Op::Const(_) | Op::True | Op::Call(Function::Abs) => {}
                Op::Call(Function::Round) | Op::Add | Op::Mul | Op::Min => add(1, 0, 1),
                Op::Fma => add(1, 0, 2),
                Op::Call(_) => add(0, 1, 1),
                Op::Div => add(1, 1, 1),
                Op::Less | Op::LessEqual | Op::Equal | Op::And | Op::Select => add(1, 0, 1),
            }
        }
        for fold in &self.folds {
            match fold.cell {
                Cell::Sum if fold.args.len() == 2 => add(1, 0, 2),
                Cell::ArgMin | Cell::ArgMax => add(3, 0, 3),
                Cell::LogSumExp => add(5, 2, 7),
                _ => add(1, 0, 1),
            }
        }
        cost
    }
}

impl Program {
    /// Runs the program for one pair over any number type, one operation after the other: the plain meaning of it, for
    /// tests and small tasks. `contribute` is called with each fold and its contribution.
    pub fn run<R: Real>(
        &self,
        like: R,
        input: impl FnMut(Role, usize) -> R,
        mut contribute: impl FnMut(&Fold, R, Option<R>),
    ) {
        let done = self.compute(like, Class::PAIR, input);
        for fold in &self.folds {
            let first = number(&done, fold.args[0]);
            let second = fold.args.get(1).map(|a| number(&done, *a));
            match (fold.cell, second) {
                (Cell::Sum, Some(second)) => contribute(fold, first * second, None),
                _ => contribute(fold, first, second),
            }
        }
    }

    /// The values of [`scales`](Program::scales): side, number of the result, factor.
    pub fn scale_factors<R: Real>(&self, like: R, mut par: impl FnMut(usize) -> R) -> Vec<(usize, usize, R)> {
        let done = self.compute(like, Class::PAR, |_, k| par(k));
        self.scales.iter().map(|s| (s.side, s.slot, number(&done, s.factor))).collect()
    }

    /// The values that depend on parameters only, truth values as 1 and 0; 0 for all others.
    pub fn known<R: Real<Mask = bool>>(&self, like: R, mut par: impl FnMut(usize) -> R) -> Vec<R> {
        let plain = |slot: &Slot<R>| match slot {
            Slot::Number(x) => *x,
            Slot::Mask(true) => like.lit(1.0),
            _ => like.lit(0.0),
        };
        self.compute(like, Class::PAR, |_, k| par(k)).iter().map(plain).collect()
    }

    /// The values that depend on no more than `class`.
    fn compute<R: Real>(&self, like: R, class: Class, mut input: impl FnMut(Role, usize) -> R) -> Vec<Slot<R>> {
        let mut done: Vec<Slot<R>> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let slot =
                if value.class.with(class) == class { value.compute(like, &done, &mut input) } else { Slot::Dead };
            done.push(slot);
        }
        done
    }
}

impl Value {
    fn compute<R: Real>(&self, like: R, done: &[Slot<R>], input: &mut impl FnMut(Role, usize) -> R) -> Slot<R> {
        let x = |k: usize| number(done, self.args[k]);
        let m = |k: usize| mask(done, self.args[k]);
        match self.op {
            Op::Input(role, slot) => Slot::Number(input(role, slot)),
            Op::Const(c) => Slot::Number(like.lit(c)),
            Op::Add if self.args[1].negative => Slot::Number(x(0) - -x(1)),
            Op::Add => Slot::Number(x(0) + x(1)),
            Op::Mul => Slot::Number(x(0) * x(1)),
            Op::Div => Slot::Number(x(0) / x(1)),
            Op::Fma => Slot::Number(x(0).fma(x(1), x(2))),
            Op::Min => Slot::Number(x(0).min(x(1))),
            Op::Call(f) => Slot::Number(call(f, x(0))),
            Op::Select => Slot::Number(R::select(m(0), x(1), x(2))),
            Op::True => Slot::Mask(like.same(like)),
            Op::Less => Slot::Mask(x(0).lt(x(1))),
            Op::LessEqual => Slot::Mask(x(0).le(x(1))),
            Op::Equal => Slot::Mask(x(0).same(x(1))),
            Op::And => Slot::Mask(m(0) & m(1)),
        }
    }
}

fn number<R: Real>(done: &[Slot<R>], a: Arg) -> R {
    match done[a.value] {
        Slot::Number(x) if a.negative => -x,
        Slot::Number(x) => x,
        _ => unreachable!("a program is typed"),
    }
}

fn mask<R: Real>(done: &[Slot<R>], a: Arg) -> R::Mask {
    match done[a.value] {
        Slot::Mask(m) if a.negative => !m,
        Slot::Mask(m) => m,
        _ => unreachable!("a program is typed"),
    }
}
