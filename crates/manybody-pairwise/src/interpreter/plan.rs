//! The plan: what is computed once, what once a body, what once a pair.

use super::Uniform;
use super::tape::{Operand, Tape, computed, record};
use crate::law::{Class, Law, Lowering, Op, Program, Role, SelfPair};
use crate::packed::Aligned;
use crate::simd::Element;

/// Where a number that is uniform over a block comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A value of the program that depends on parameters only.
    Par(usize),
    /// A column of the body acted on.
    I(usize),
}

/// What one body alone determines, as columns after those of its record.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    pub(super) tape: Tape,
    /// The values that the tape's uniform operands are.
    pub(super) uniforms: Vec<usize>,
    /// The values that become columns, in order.
    values: Vec<usize>,
}

/// A law ready to run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) program: Program,
    pub(super) stages: [Stage; 2],
    pub(super) tape: Tape,
    pub(super) uniforms: Vec<Source>,
    /// What a body does to itself.
    pub(super) own: Option<Own>,
}

/// What a body does to itself: a stage that computes, for each fold, its arguments.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) program: Program,
    pub(super) stage: Stage,
}

impl Plan {
    pub(super) fn new(law: &Law) -> Self {
        let program = law.program(Lowering { scales: true, ..Lowering::default() });
        let widths = [law.body(), law.partner()].map(|f| f.iter().map(crate::law::Field::numbers).sum::<usize>());
        let needed = |class: Class| {
            let mut needed = read_by_pairs(&program);
            needed.retain(|k| computed(&program, *k, class));
            needed
        };
        let [i, j] = [(Class::I, widths[0]), (Class::J, widths[1])];
        let stages = [i, j].map(|(class, _)| Stage::new(&program, class, needed(class)));
        let mut uniforms = Vec::new();
        let places: Vec<Option<Operand>> = (0..program.values.len())
            .map(|k| {
                let value = &program.values[k];
                let column = |stage: &Stage, width: usize| match value.op {
                    Op::Input(_, slot) => Some(slot),
                    _ => stage.values.iter().position(|v| *v == k).map(|p| width + p),
                };
                match value.class {
                    Class::PAR => Some(uniform(&mut uniforms, Source::Par(k))),
                    Class::I => column(&stages[0], widths[0]).map(|c| uniform(&mut uniforms, Source::I(c))),
                    Class::J => column(&stages[1], widths[1]).map(Operand::Column),
                    _ => None,
                }
            })
            .collect();
        let tape = record(&program, Class::PAIR, &[], true, |k| places[k].unwrap_or(Operand::Slot(usize::MAX)));
        let own = (law.self_pair() == SelfPair::Custom).then(|| {
            let program = law.own();
            let arguments = program.folds.iter().flat_map(|f| &f.args).map(|a| a.value).collect();
            Own { stage: Stage::new(&program, Class::I, arguments), program }
        });
        Plan { program, stages, tape, uniforms, own }
    }

    /// The numbers that are the same for all bodies j: values of the parameters, and columns of i.
    pub(super) fn uniforms_of<'a, T: Element>(&self, known: &[T], i: &'a [Aligned<T>]) -> Vec<Uniform<'a, T>> {
        let of = |source: &Source| match source {
            Source::Par(value) => Uniform::Same(known[*value]),
            Source::I(column) => Uniform::Column(i[*column].as_slice()),
        };
        self.uniforms.iter().map(of).collect()
    }
}

fn uniform<S: PartialEq>(list: &mut Vec<S>, source: S) -> Operand {
    let index = list.iter().position(|s| *s == source).unwrap_or_else(|| {
        list.push(source);
        list.len() - 1
    });
    Operand::Uniform { index, negative: false }
}

/// The values that pairs read.
fn read_by_pairs(program: &Program) -> Vec<usize> {
    let pairs = program.values.iter().filter(|v| v.class == Class::PAIR).flat_map(|v| &v.args);
    let mut read: Vec<usize> = pairs.chain(program.folds.iter().flat_map(|f| &f.args)).map(|a| a.value).collect();
    read.sort_unstable();
    read.dedup();
    read
}

impl Stage {
    /// Computes `values`, which depend on one body of the class or on no body.
    fn new(program: &Program, class: Class, values: Vec<usize>) -> Self {
        let mut uniforms = Vec::new();
        let places: Vec<Operand> = (0..program.values.len())
            .map(|k| match program.values[k].op {
                Op::Input(Role::I | Role::J, slot) => Operand::Column(slot),
                _ => uniform(&mut uniforms, k),
            })
            .collect();
        let tape = record(program, class, &values, false, |k| places[k]);
        Stage { tape, uniforms, values }
    }

    /// How many columns it makes.
    pub(super) fn outputs(&self) -> usize {
        self.values.len()
    }
}

/// The columns of a side in T, with room for those of its stage; filled up to whole blocks with copies of the last
/// body.
pub(super) fn columns<T: Element>(from: &[&[f64]], n: usize, padded: usize, outputs: usize) -> Vec<Aligned<T>> {
    let column = |source: Option<&[f64]>| {
        let mut column = Aligned::default();
        column.reset(padded, T::default());
        let to = column.as_mut_slice();
        if let (Some(source), 1..) = (source, n) {
            to.iter_mut().zip(source).for_each(|(to, x)| *to = T::from_f64(*x));
            let last = to[n - 1];
            to[n..].fill(last);
        }
        column
    };
    from.iter().map(|source| column(Some(source))).chain((0..outputs).map(|_| column(None))).collect()
}
