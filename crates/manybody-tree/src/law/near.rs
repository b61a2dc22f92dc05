//! The near field: pairs of the law itself, in the number type of the method.

use manybody_pairwise::{Prepared, Worker};
use std::ops::Range;

/// A law on the bodies in the order of their trees.
#[derive(Debug)]
pub(crate) enum Pairs {
    F32(Prepared<f32>),
    F64(Prepared<f64>),
}

/// The near field of a law.
#[derive(Debug)]
pub(crate) struct Near<'a> {
    pub(crate) pairs: &'a Pairs,
    pub(crate) results: usize,
    /// What the sums of pairs are multiplied by.
    pub(crate) scales: Vec<f64>,
    /// Of each body acted on, in the order of its tree, its place in that of the bodies that act, where the pair of both is left
    /// out; empty where no place is left out.
    pub(crate) itself: &'a [Option<u32>],
}

/// Memory of a thread.
#[derive(Debug)]
pub(crate) struct Memory {
    worker: Workers,
    ranges: Vec<Range<usize>>,
    itself: Vec<Option<usize>>,
    sums: Vec<f64>,
}

/// Memory of a thread for pairs.
#[derive(Debug)]
pub(crate) enum Workers {
    F32(Worker<f32>),
    F64(Worker<f64>),
}

impl Memory {
    /// The ranges of bodies that act, to be filled for the next [`Near::add`].
    pub(crate) fn ranges(&mut self) -> &mut Vec<Range<usize>> {
        self.ranges.clear();
        &mut self.ranges
    }
}

impl Pairs {
    pub(crate) fn worker(&self) -> Workers {
        match self {
            Pairs::F32(pairs) => Workers::F32(pairs.worker()),
            Pairs::F64(pairs) => Workers::F64(pairs.worker()),
        }
    }

    /// What sums of pairs have to be multiplied by.
    pub(crate) fn scales(&self) -> Vec<f64> {
        match self {
            Pairs::F32(pairs) => pairs.scales(),
            Pairs::F64(pairs) => pairs.scales(),
        }
    }

    /// As [`Prepared::add`], with a worker of these pairs.
    pub(crate) fn add(
        &self,
        worker: &mut Workers,
        targets: Range<usize>,
        sources: &[Range<usize>],
        itself: &[Option<usize>],
        to: &mut [f64],
    ) {
        match (self, worker) {
            (Pairs::F32(pairs), Workers::F32(worker)) => pairs.add(worker, targets, sources, itself, to),
            (Pairs::F64(pairs), Workers::F64(worker)) => pairs.add(worker, targets, sources, itself, to),
            _ => unreachable!("the worker is that of these pairs"),
        }
    }
}

impl Near<'_> {
    pub(crate) fn memory(&self) -> Memory {
        Memory { worker: self.pairs.worker(), ranges: Vec::new(), itself: Vec::new(), sums: Vec::new() }
    }

    /// Adds to `to`, `[result][body]` with rows of `stride`, what the bodies of the memory's ranges do to targets.
    pub(crate) fn add(&self, memory: &mut Memory, targets: Range<usize>, stride: usize, to: &mut [f64]) {
        let Memory { worker, ranges, itself, sums } = memory;
        itself.clear();
        let skipped = |target: usize| self.itself.get(target).copied().flatten();
        itself.extend(targets.clone().map(|target| skipped(target).and_then(|body| place(ranges, body as usize))));
        let n = targets.len();
        sums.clear();
        sums.resize(self.results * n, 0.0);
        self.pairs.add(worker, targets, ranges, itself, sums);
        for (result, (sums, scale)) in sums.chunks_exact(n).zip(&self.scales).enumerate() {
            let to = &mut to[result * stride..result * stride + n];
            to.iter_mut().zip(sums).for_each(|(to, sum)| *to += sum * scale);
        }
    }
}

/// Where a body is in ranges, one after the other.
pub(crate) fn place(ranges: &[Range<usize>], body: usize) -> Option<usize> {
    let mut before = 0;
    for range in ranges {
        if range.contains(&body) {
            return Some(before + body - range.start);
        }
        before += range.len();
    }
    None
}
