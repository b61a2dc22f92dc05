//! The bodies of both sides of a law: their places in a tree, and their columns in its order.

use super::near::Pairs;
use crate::tree::Tree;
use manybody_law::law::{Law, PairInputs, SelfPair, range};
use manybody_law::simd::Level;
use manybody_pairwise::{Precision, Prepared};
use rayon::prelude::*;

/// From real places to those of the trees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    center: [f64; 3],
    /// The real length of a unit.
    pub(crate) length: f64,
}

impl Scale {
    /// Holds the places of both sides: the unit is a power of two.
    pub(crate) fn of(inputs: &PairInputs<'_>, axes: [&[usize]; 2]) -> Self {
        let mut scale = Scale { center: [0.0; 3], length: 0.0 };
        for (axis, (i, j)) in axes[0].iter().zip(axes[1]).enumerate() {
            let [of_i, of_j] = [range(inputs.i[*i]), range(inputs.j[*j])];
            let (low, high) = (of_i.0.min(of_j.0), of_i.1.max(of_j.1));
            scale.center[axis] = 0.5 * low + 0.5 * high;
            scale.length = scale.length.max(0.5 * high - 0.5 * low);
        }
        // a little more, so that rounding leaves all places within
        let size = scale.length * (1.0 + 1e-12);
        scale.length = if size > 0.0 { size.log2().ceil().exp2() } else { 1.0 };
        scale
    }

    /// The places of a side; axes that the law does not have are 0.
    pub(crate) fn places(&self, columns: &[&[f64]], axes: &[usize]) -> [Vec<f64>; 3] {
        std::array::from_fn(|axis| match axes.get(axis) {
            Some(k) => columns[*k].par_iter().map(|x| (x - self.center[axis]) / self.length).collect(),
            None => vec![0.0; columns[axes[0]].len()],
        })
    }
}

pub(crate) fn in_order(column: &[f64], order: &[u32]) -> Vec<f64> {
    order.par_iter().map(|body| column[*body as usize]).collect()
}

/// `[leaf][result][body]` as columns in the order of the input.
pub(crate) fn handed_out(found: &[f64], results: usize, tree: &Tree) -> Vec<Vec<f64>> {
    let place = places_in(&tree.order);
    let of = |result: usize, at: usize| found[(at / tree.leaf * results + result) * tree.leaf + at % tree.leaf];
    (0..results).map(|result| place.par_iter().map(|at| of(result, *at as usize)).collect()).collect()
}

/// The place of each body in an order.
fn places_in(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, body)| place[*body as usize] = at as u32);
    place
}

/// Of each body acted on, in the order of its tree, its place among those that act, if it does not act on itself. The
/// orders are those of the bodies acted on and of those that act.
pub(crate) fn itself(law: &Law, inputs: &PairInputs<'_>, [order_i, order_j]: [&[u32]; 2]) -> Vec<Option<u32>> {
    if law.self_pair() == SelfPair::Included || !inputs.same_bodies() {
        return Vec::new();
    }
    let place = places_in(order_j);
    order_i.par_iter().map(|body| inputs.source_of(*body as usize).map(|source| place[source])).collect()
}

/// The columns of both sides in the orders of their trees, as numbers of the precision see them best.
pub(crate) fn ordered(
    law: &Law,
    precision: Precision,
    inputs: &PairInputs<'_>,
    [order_i, order_j]: [&[u32]; 2],
) -> [Vec<Vec<f64>>; 2] {
    let ordered = |inputs: &PairInputs<'_>| {
        let columns = |columns: &[&[f64]], order: &[u32]| {
            columns.iter().map(|column| in_order(column, order)).collect::<Vec<_>>()
        };
        let acting = columns(inputs.j, order_j);
        let are_same = std::ptr::eq(order_i, order_j) && inputs.same_columns();
        [if are_same { acting.clone() } else { columns(inputs.i, order_i) }, acting]
    };
    if precision == Precision::F32 { law.recentred(inputs, ordered) } else { ordered(inputs) }
}

/// Adds what a body does to itself, where the law says that separately, to the numbers of the result record.
pub(crate) fn add_own(
    law: &Law,
    level: Level,
    precision: Precision,
    inputs: &PairInputs<'_>,
    results: &mut [Vec<f64>],
) {
    let none: Vec<&[f64]> = vec![&[]; inputs.j.len()];
    let of_none: Vec<&[f64]> = vec![&[]; inputs.i.len()];
    let sets = PairInputs::two(&of_none, &none, inputs.par).sized(0, 0);
    match precision {
        Precision::F32 => Prepared::<f32>::new(law, level, &sets).add_own(inputs.i, results),
        _ => Prepared::<f64>::new(law, level, &sets).add_own(inputs.i, results),
    }
}

impl Pairs {
    /// The law on the bodies in the orders of the trees.
    pub(crate) fn of(
        law: &Law,
        level: Level,
        precision: Precision,
        inputs: &PairInputs<'_>,
        orders: [&[u32]; 2],
    ) -> Self {
        Pairs::of_ordered(law, level, precision, inputs, &ordered(law, precision, inputs, orders))
    }

    /// The same for columns of [`ordered`].
    pub(crate) fn of_ordered(
        law: &Law,
        level: Level,
        precision: Precision,
        inputs: &PairInputs<'_>,
        [i, j]: &[Vec<Vec<f64>>; 2],
    ) -> Self {
        let [i, j] = [i, j].map(|columns| columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let (ni, nj) = inputs.lens();
        let sets = PairInputs::two(&i, &j, inputs.par).sized(ni, nj);
        match precision {
            Precision::F32 => Pairs::F32(Prepared::new(law, level, &sets)),
            _ => Pairs::F64(Prepared::new(law, level, &sets)),
        }
    }
}
