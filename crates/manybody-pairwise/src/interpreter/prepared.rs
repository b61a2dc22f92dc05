//! A law on bodies that are laid out once, some of them at a time: the near field of expansions, and what is left of
//! all pairs.
//!
//! The columns of both sides are kept in the number type, with what one body alone determines. Ranges of the bodies
//! that act are brought together before a tape runs over them, which costs little where several bodies are acted on.

use super::machine::{Machine, UNROLL};
use super::plan::{Plan, columns};
use super::{BLOCK, Itself, Shared, Task, apply_self_term, fill};
use crate::law::{Law, PairInputs};
use crate::packed::Aligned;
use crate::simd::{Element, Level, launch};
use std::ops::Range;

/// A law on bodies, ready for some of the pairs.
#[derive(Debug)]
pub struct Prepared<T> {
    plan: Plan,
    level: Level,
    par: Vec<f64>,
    known: Vec<T>,
    /// The columns of i and j, each with those of its stage.
    sides: [Vec<Aligned<T>>; 2],
    results: usize,
}

/// Memory of a thread.
#[derive(Debug)]
pub struct Worker<T> {
    machine: Machine<T>,
    gathered: Vec<Aligned<T>>,
}

impl<T: Element> Prepared<T> {
    /// Lays out the bodies. The sets must fit the law ([`PairInputs::check`]).
    pub fn new(law: &Law, level: Level, inputs: &PairInputs<'_>) -> Self {
        let plan = Plan::new(law);
        let par: Vec<T> = inputs.par.iter().map(|x| T::from_f64(*x)).collect();
        let known = plan.program.known(T::default(), |k| par[k]);
        let (ni, nj) = inputs.lens();
        let sides = [(inputs.i, ni, 0), (inputs.j, nj, 1)].map(|(from, n, side)| {
            let stage = &plan.stages[side];
            let mut columns = columns::<T>(from, n, n.next_multiple_of(UNROLL * level.lanes::<T>()), stage.outputs());
            fill(level, stage, &known, &mut columns, from.len());
            columns
        });
        Prepared { plan, level, par: inputs.par.to_vec(), known, sides, results: law.cells().len() }
    }

    /// Memory for a thread.
    pub fn worker(&self) -> Worker<T> {
        let gathered = self.sides[1].iter().map(|_| Aligned::default()).collect();
        Worker { machine: Machine::new(self.plan.tape.slots, BLOCK, self.plan.uniforms.len()), gathered }
    }

    /// Adds to the results of the bodies acted on in `targets` what the bodies in `sources` do to them, but for one
    /// source each that is left out: `itself` has its place among all of `sources`, in order. `to` is \[number of the
    /// result record\]\[target\], with sums still to be multiplied by [`scales`](Self::scales).
    pub fn add(
        &self,
        worker: &mut Worker<T>,
        targets: Range<usize>,
        sources: &[Range<usize>],
        itself: &[Option<usize>],
        to: &mut [f64],
    ) {
        let count: usize = sources.iter().map(Range::len).sum();
        if targets.is_empty() || count == 0 {
            return;
        }
        let Prepared { plan, level, known, sides, .. } = self;
        let Worker { machine, gathered } = worker;
        let room = count.next_multiple_of(UNROLL * level.lanes::<T>());
        for (to, from) in gathered.iter_mut().zip(&sides[1]) {
            to.reset(room, T::default());
            let (to, from) = (to.as_mut_slice(), from.as_slice());
            let mut at = 0;
            for range in sources {
                to[at..at + range.len()].copy_from_slice(&from[range.clone()]);
                at += range.len();
            }
            let last = to[count - 1];
            to[count..].fill(last);
        }
        let uniforms = plan.uniforms_of(known, &sides[0]);
        let shared = Shared { plan, j: gathered, offset: 0, uniforms: &uniforms, itself: Itself::Each(itself) };
        let width = targets.len();
        let (i, j, held) = ([targets.start, targets.end], [0, count], &mut Aligned::default());
        let task = Task { shared: &shared, machine, i, j, held, begins: true, ends: true };
        let found = launch(*level, task);
        for (k, held) in found.chunks(plan.tape.gathers.len().max(1)).enumerate() {
            for (gather, held) in plan.tape.gathers.iter().zip(held) {
                let at = gather.slot * width + k;
                if gather.cell.numbers() == 1 {
                    to[at] = gather.cell.combine(to[at], held[0]);
                } else {
                    let both = gather.cell.join([to[at], to[at + width]], *held);
                    [to[at], to[at + width]] = both;
                }
            }
        }
    }

    /// What the sums of each result have to be multiplied by, once, at the end.
    pub fn scales(&self) -> Vec<f64> {
        let mut scales = vec![1.0; self.results];
        for (_, slot, factor) in self.plan.program.scale_factors(0.0, |k| self.par[k]) {
            scales[slot] = factor;
        }
        scales
    }

    /// Adds what each body does to itself, where the law says that separately, to results of all bodies acted on, `i`.
    pub fn add_own(&self, i: &[&[f64]], results: &mut [Vec<f64>]) {
        if let Some(own) = &self.plan.own {
            let par: Vec<T> = self.par.iter().map(|x| T::from_f64(*x)).collect();
            apply_self_term::<T>(self.level, own, i, &par, results);
        }
    }
}
