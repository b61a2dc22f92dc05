//! The same evaluation of bodies that each rank of a [`Ring`] has a part of: bodies j come line by line.

use super::machine::Machine;
use super::plan::columns;
use super::{BLOCK, GROUP, Interpreter, Itself, Shared, Task, UNROLL, fill, merge_all, shares_of};
use crate::law::{PairInputs, SelfPair};
use crate::packed::Aligned;
use crate::ring::{Ring, numbers};
use crate::simd::{Element, launch};
use crate::{Float, Result};
use rayon::prelude::*;
use std::ops::Range;

impl Interpreter {
    /// Refuses sets that do not fit the law, as [`evaluate`](Self::evaluate) does.
    pub(crate) fn check(&self, inputs: &PairInputs<'_>) -> Result<()> {
        self.float_of_ring()?;
        inputs.check(&self.law, self.most_ids())
    }

    fn float_of_ring(&self) -> Result<Float> {
        self.precision.float("in a ring there is no mixed precision")
    }

    /// What [`Ring::evaluate`] returns.
    pub(crate) fn evaluate_ring(&self, ring: &Ring<'_>, own: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let plain: Vec<&[f64]> = own.i.iter().chain(own.j).copied().collect();
        let raw = match self.float_of_ring()? {
            Float::F32 => {
                // relative to the middles of all bodies, as `Law::recentred` of them
                let ranges = ring.ranges(&plain)?;
                let middles = self.law.middles(plain.len(), |k| ranges[k]);
                let less = |column: &[f64], middle: f64| column.iter().map(|x| x - middle).collect::<Vec<_>>();
                let moved: Vec<Option<Vec<f64>>> =
                    plain.iter().zip(middles).map(|(column, middle)| middle.map(|m| less(column, m))).collect();
                let columns: Vec<&[f64]> =
                    plain.iter().zip(&moved).map(|(plain, moved)| moved.as_deref().unwrap_or(plain)).collect();
                let (i, j) = columns.split_at(own.i.len());
                let (ni, nj) = own.lens();
                self.run_ring::<f32>(ring, &PairInputs::roles(i, j, own.par).sized(ni, nj))?
            }
            Float::F64 => self.run_ring::<f64>(ring, own)?,
        };
        Ok(self.law.finish(raw))
    }

    fn run_ring<T: Element>(&self, ring: &Ring<'_>, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let Interpreter { law, plan, level, .. } = self;
        let (level, own) = (*level, ring.own());
        let whole = UNROLL * level.lanes::<T>();
        let n = own.len();
        let par: Vec<T> = inputs.par.iter().map(|x| T::from_f64(*x)).collect();
        let known = plan.program.known(T::default(), |k| par[k]);
        let [i, j] = [(inputs.i, 0), (inputs.j, 1)].map(|(from, side)| {
            let stage = &plan.stages[side];
            let mut columns = columns::<T>(from, n, n.next_multiple_of(whole), stage.outputs());
            fill(level, stage, &known, &mut columns, from.len());
            columns
        });
        let uniforms = plan.uniforms_of(&known, &i);
        let itself = match law.self_pair() {
            SelfPair::Included => Itself::Counts,
            _ => Itself::From { first: own.start, some: None },
        };
        // in one set there are enough bodies i wherever there are enough bodies j to be shared out
        debug_assert_eq!(shares_of(ring.bodies().div_ceil(GROUP), ring.bodies().div_ceil(BLOCK)).0, 1);
        let cells = law.cells();
        let mut raw = vec![vec![0.0; n]; cells.len()];
        for (k, cell) in cells.iter().enumerate() {
            raw[k].fill(cell.identity(0.0));
        }
        let mut held: Vec<Aligned<T>> = (0..n.div_ceil(GROUP)).map(|_| Aligned::default()).collect();
        let pack = |line: Range<usize>| {
            let part = line.start - own.start..line.end - own.start;
            j.iter().flat_map(|column| column.as_slice()[part.clone()].iter().map(|x| x.to_f64().to_bits())).collect()
        };
        ring.each_line(pack, |line, words| {
            let count = line.len();
            let all = numbers::<T>(words, count * j.len())?;
            let window: Vec<Aligned<T>> = (0..j.len())
                .map(|k| {
                    let (mut column, numbers) = (Aligned::default(), &all[k * count..(k + 1) * count]);
                    column.reset(count.next_multiple_of(whole), numbers[count - 1]);
                    column.as_mut_slice()[..count].copy_from_slice(numbers);
                    column
                })
                .collect();
            let shared = Shared { plan, j: &window, offset: line.start, uniforms: &uniforms, itself };
            let (begins, ends) = (line.start == 0, line.end == ring.bodies());
            let parts: Vec<Vec<[f64; 2]>> = held
                .par_iter_mut()
                .enumerate()
                .map_init(
                    || Machine::new(plan.tape.slots, BLOCK, uniforms.len()),
                    |machine, (group, held)| {
                        let (i, j) = ([group * GROUP, (group * GROUP + GROUP).min(n)], [0, count]);
                        launch(level, Task { shared: &shared, machine, i, j, held, begins, ends })
                    },
                )
                .collect();
            for (group, part) in parts.iter().enumerate() {
                merge_all(plan, &mut raw, group * GROUP, part);
            }
            Ok(())
        })?;
        self.complete::<T>(inputs, inputs.i, &par, &mut raw);
        Ok(raw)
    }
}
