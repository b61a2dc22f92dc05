//! The part of one device in an evaluation: its launches.

use super::memory::{Criterion, Memory, PASSES, RADIX, TILE, Tree, passes, report_of};
use super::{Kernels, Side, Variant, missing};
use crate::cuda::launch::{Call, Start, address, grid};
use crate::cuda::{Cuda, failed};
use crate::expansions::levels::{CHILDREN, LEAF, Levels};
use crate::expansions::{Coupling, Motion, OfLaw, Operators, Purpose, SPARSE};
use cudarc::driver::{CudaEvent, CudaFunction, CudaStream, DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;
use manybody_pairwise::Softening;
use manybody_tree::{ErrorTable, Sinks};
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

/// Parts of the bodies that act, in sums at a few bodies; as law.cu has it.
const PARTS: usize = 32;

/// The part of one device in an evaluation.
pub(super) struct Run<'a, T> {
    pub(super) cuda: &'a Cuda,
    pub(super) memory: &'a mut Memory<T>,
    pub(super) kernels: &'a mut HashMap<Variant, Kernels>,
    /// Those of the kernels that are started.
    pub(super) variant: Variant,
    pub(super) tree: Tree,
    pub(super) sinks: Sinks,
    /// Its leaves, and the cells of each level that have some of them.
    pub(super) leaves: Range<usize>,
    pub(super) own: Levels,
    pub(super) side: &'a Side,
    pub(super) given: &'a CudaEvent,
    pub(super) taken: &'a CudaEvent,
    /// The law that is computed instead of gravity.
    pub(super) law: Option<&'a OfLaw>,
    pub(super) clock: Option<(Instant, &'a mut Vec<(&'static str, f64)>)>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Run<'_, T> {
    /// Notes how long a phase took, where that is measured.
    fn lap(&mut self, name: &'static str) -> Result<()> {
        if let Some((since, laps)) = &mut self.clock {
            self.cuda.stream.synchronize().map_err(failed("compute"))?;
            laps.push((name, since.elapsed().as_secs_f64()));
            *since = Instant::now();
        }
        Ok(())
    }

    /// Lets cells interact by these, in the kernels of the variant.
    pub(super) fn judge_by(&mut self, angle: f32, tolerance: f32) -> Result<()> {
        let limits = self.operators()?.limits::<T>(self.variant.own_softenings);
        self.tree.angle2 = angle * angle;
        self.tree.tolerance = tolerance;
        self.tree.units = limits.units;
        self.tree.unit2 = limits.unit2;
        Ok(())
    }

    /// The operators of the kernels.
    fn operators(&self) -> Result<Operators> {
        Ok(self.kernels.get(&self.variant).ok_or_else(missing)?.operators)
    }

    /// What a kernel of what is far needs, where moments are in shared memory: warps, and bytes.
    fn columns(&self) -> Result<Option<(usize, usize)>> {
        Ok(self.kernels.get(&self.variant).ok_or_else(missing)?.columns)
    }

    fn kernel(&mut self, name: &'static str) -> Result<CudaFunction> {
        self.kernels.get_mut(&self.variant).ok_or_else(missing)?.get(name)
    }

    /// Starts a kernel of which the tree is the first argument, then these numbers.
    fn start(&mut self, name: &'static str, shape: (usize, usize), numbers: &[usize]) -> Result<()> {
        self.start_on(&self.cuda.stream, name, shape, numbers)
    }

    /// The same, on another stream.
    fn start_on(
        &mut self,
        stream: &CudaStream,
        name: &'static str,
        (blocks, threads): (usize, usize),
        numbers: &[usize],
    ) -> Result<()> {
        let shared = match name {
            "make_lists" | "one_by_one" => 4 * 4 * self.tree.stack as usize,
            "far_cells" => self.columns()?.map_or(0, |(_, bytes)| bytes),
            _ => 0,
        };
        let function = self.kernel(name)?;
        let numbers: Vec<i32> = numbers.iter().map(|number| *number as i32).collect();
        let mut call = Call::new(stream, &function);
        call.arg(&self.tree);
        for number in &numbers {
            call.arg(number);
        }
        call.start(grid(blocks as u32, 1, threads as u32, 1, shared), Start::AfterPrevious)
    }

    /// Sorts the bodies along the curve.
    pub(super) fn order(&mut self, digits: i32) -> Result<()> {
        let (stream, n) = (&self.cuda.stream, self.memory.n);
        let reset = failed("compute");
        stream.memset_zeros(&mut self.memory.report).map_err(&reset)?;
        let blocks = n.div_ceil(256);
        let function = self.kernel("curve_keys")?;
        let memory = &*self.memory;
        let mut call = Call::new(stream, &function);
        call.arg(&self.tree).memory(&memory.keys[0]).memory(&memory.keys[2]).memory(&memory.index[0]).arg(&digits);
        call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        let mut at = self.sort(passes(digits.min(21)), 0)?;
        if digits > 21 {
            // the upper digits, in the order of the lower ones
            let function = self.kernel("take_keys")?;
            let count = n as i32;
            let mut call = Call::new(stream, &function);
            let memory = &*self.memory;
            call.memory(&memory.keys[2]).memory(&memory.index[at]).memory(&memory.keys[at]).arg(&count);
            call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
            at = self.sort(passes(21), at)?;
        }
        let function = self.kernel("find_clashes")?;
        let count = n as i32;
        let mut call = Call::new(stream, &function);
        let report = self.memory.report_at(stream);
        call.memory(&self.memory.keys[at]).arg(&report).arg(&count);
        call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        if self.variant.own_softenings {
            let function = self.kernel("take_classes")?;
            let mut call = Call::new(stream, &function);
            call.arg(&self.tree).memory(&self.memory.index[at]).memory(&self.memory.keys[at]);
            call.start(grid(blocks as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
            self.sort(1, at)?;
        }
        self.lap("order")
    }

    /// Sorts keys and indices, which are in the memory of this number; returns where they are then.
    fn sort(&mut self, passes: usize, mut at: usize) -> Result<usize> {
        let (stream, n) = (&self.cuda.stream, self.memory.n);
        let (tiles, count, all) = (n.div_ceil(TILE), n as i32, passes as i32);
        let functions = (self.kernel("count_digits")?, self.kernel("sort_pass")?);
        let memory = &mut *self.memory;
        stream.memset_zeros(&mut memory.counts).map_err(failed("compute"))?;
        let mut call = Call::new(stream, &functions.0);
        call.memory(&memory.keys[at]).memory(&memory.counts).arg(&count).arg(&all);
        let blocks = n.div_ceil(RADIX * 16).min(8 * self.cuda.processors as usize);
        call.start(grid(blocks as u32, 1, RADIX as u32, 1, 0), Start::AfterPrevious)?;
        let base = address(stream, &memory.counts);
        for pass in 0..passes {
            let number = pass as i32;
            // counts of all passes, then their tickets, then their states
            let ticket = base + 4 * (PASSES * RADIX + pass) as u64;
            let states = base + 4 * (PASSES * (RADIX + 1) + pass * tiles * RADIX) as u64;
            let mut call = Call::new(stream, &functions.1);
            call.memory(&memory.keys[at]).memory(&memory.index[at]);
            call.memory(&memory.keys[1 - at]).memory(&memory.index[1 - at]);
            call.memory(&memory.counts).arg(&states).arg(&ticket).arg(&count).arg(&number);
            call.start(grid(tiles as u32, 1, RADIX as u32, 1, 0), Start::AfterPrevious)?;
            at = 1 - at;
        }
        Ok(at)
    }

    /// Makes the cells, all of them.
    pub(super) fn cells(&mut self) -> Result<()> {
        let levels = self.memory.levels.clone();
        self.start("make_leaves", (levels.leaves().1.div_ceil(4), 128), &[])?;
        self.cells_above(&levels, "make_cells")?;
        self.lap("cells")
    }

    /// Makes what is of cells from their children, level by level.
    fn cells_above(&mut self, levels: &Levels, name: &'static str) -> Result<()> {
        let lanes = if self.operators()?.is_high() { 32 } else { 8 };
        levels.0.windows(2).rev().try_for_each(|pair| {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            self.start(name, ((lanes * count).div_ceil(128), 128), &[first, count, next + below])
        })
    }

    /// Does something with the rates of moments and expansions, and the kernels of these.
    fn as_rates(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (variant, tree) = (self.variant, self.tree);
        (self.variant, self.tree) = (variant.of_rates(), tree.of_rates());
        let done = work(self);
        (self.variant, self.tree) = (variant, tree);
        done
    }

    /// The rates of the moments of all cells, where jerks are computed.
    pub(super) fn rates(&mut self) -> Result<()> {
        if self.variant.motion != Motion::Jerks {
            return Ok(());
        }
        let levels = self.memory.levels.clone();
        self.as_rates(|run| {
            run.start("rates_of_leaves", (levels.leaves().1.div_ceil(4), 128), &[])?;
            run.cells_above(&levels, "rates_of_cells")
        })?;
        self.lap("rates of cells")
    }

    /// Makes the lists of its cells.
    pub(super) fn lists(&mut self, sinks: Sinks, deepest: usize) -> Result<()> {
        let (stream, reset) = (&self.cuda.stream, failed("compute"));
        stream.memset_zeros(&mut self.memory.tops).map_err(&reset)?;
        // the number of sparse leaves alone
        let sparse = report_of(self.memory.part).start + SPARSE;
        stream.memset_zeros(&mut self.memory.report.slice_mut(sparse..=sparse)).map_err(&reset)?;
        let (top, root) = (self.memory.levels.top(sinks), sinks == Sinks::Leaves);
        for level in top..=deepest {
            let is_top = level == top;
            // cells of the top are candidates of each other
            let whole = is_top && !root;
            let (first, count) = if whole { self.memory.levels.0[level] } else { self.own.0[level] };
            let numbers = [first, count, usize::from(is_top), usize::from(root)];
            self.start("make_lists", (count.div_ceil(4), 128), &numbers)?;
        }
        self.lap("lists")
    }

    /// The expansions about its cells, handed down.
    fn far(&mut self, sinks: Sinks, deepest: usize) -> Result<()> {
        let top = self.memory.levels.top(sinks);
        let levels = self.own.0.clone();
        let cells: usize = levels[top..=deepest].iter().map(|(_, count)| count).sum();
        let shape = (cells.div_ceil(4), 128);
        if let Some(law) = self.law {
            // all that acts on a cell is added to nothing
            self.cuda.stream.memset_zeros(&mut self.memory.locals).map_err(failed("compute"))?;
            let all = self.variant;
            let (couplings, total) = (&law.couplings, self.memory.levels.total());
            for (k, coupling) in couplings.iter().enumerate() {
                self.variant.coupling = Some(Coupling::first_like(couplings, k));
                let [charge, expansion] = coupling.numbers();
                if coupling.is_dyad() {
                    self.start("moments_of_dyad", (total.div_ceil(128), 128), &[total])?;
                }
                self.start("law_cells", shape, &[top, deepest, charge, expansion])?;
            }
            self.variant = all;
        } else {
            // a warp has a cell, and where its lanes share moments a block
            let far = self.columns()?.map_or(shape, |(warps, _)| (cells, 32 * warps));
            self.start("far_cells", far, &[top, deepest])?;
        }
        // the spline has nothing of these
        if self.law.is_none() && self.variant.purpose == Purpose::Forces && self.variant.softening == Softening::Plummer
        {
            self.start("soft_cells", shape, &[top, deepest])?;
            if self.variant.own_softenings {
                self.start("soft_differences", shape, &[top, deepest])?;
            }
        }
        self.lap("expansions of cells")?;
        for (first, count) in &levels[top + 1..=deepest] {
            let cells = if self.operators()?.is_high() { 4 } else { 128 };
            self.start("hand_down", (count.div_ceil(cells), 128), &[*first, *count])?;
        }
        self.lap("handing down")
    }

    /// Estimates the least accelerations of its cells.
    pub(super) fn estimate(&mut self) -> Result<()> {
        let (first_leaf, count) = self.memory.levels.leaves();
        let (deepest, own) = self.memory.levels.of_estimate(&self.own);
        let (first, cells) = self.memory.levels.0[deepest];
        (self.tree.first_leaf, self.tree.leaves) = (first as i32, cells as i32);
        self.lists(Sinks::Cells, deepest)?;
        self.far(Sinks::Cells, deepest)?;
        let per_cell = if first < first_leaf { CHILDREN } else { 1 };
        self.start("estimate", (own.len().div_ceil(4), 128), &[first_leaf, per_cell, own.start, own.len()])?;
        (self.tree.first_leaf, self.tree.leaves) = (first_leaf as i32, count as i32);
        Ok(())
    }

    /// Gives all cells the least accelerations that were estimated.
    pub(super) fn take_estimate(&mut self) -> Result<()> {
        let levels = self.memory.levels.clone();
        let (first_leaf, count) = levels.leaves();
        let deepest = levels.of_estimate(&self.own).0;
        let (first, cells) = levels.0[deepest];
        (self.tree.first_leaf, self.tree.leaves) = (first as i32, cells as i32);
        for (name, blocks, threads) in [("mean_square", 1, 1024), ("least_of_leaves", cells.div_ceil(128), 128)] {
            let function = self.kernel(name)?;
            let mut call = Call::new(&self.cuda.stream, &function);
            call.arg(&self.tree).memory(&self.memory.sums);
            call.start(grid(blocks as u32, 1, threads, 1, 0), Start::AfterPrevious)?;
        }
        (self.tree.first_leaf, self.tree.leaves) = (first_leaf as i32, count as i32);
        if first < first_leaf {
            self.start("least_from_above", (count.div_ceil(128), 128), &[first_leaf, count])?;
        }
        for pair in levels.0[..=deepest].windows(2).rev() {
            let ((first, count), (next, below)) = (pair[0], pair[1]);
            self.start("least_of_cells", (count.div_ceil(128), 128), &[first, count, next + below])?;
        }
        self.lap("estimate")
    }

    /// The criterion of a law, from its sums at a few bodies.
    pub(super) fn sampled(&mut self, law: &OfLaw) -> Result<ErrorTable> {
        self.cuda.bind()?;
        let (stream, memory) = (&self.cuda.stream, failed("allocate memory for sums"));
        let sampled = law.problem.samples();
        let sums = stream.alloc_zeros::<T>(4 * law.text.expansions * sampled.len() * PARTS).map_err(&memory)?;
        let of = stream.clone_htod(&sampled).map_err(&memory)?;
        let function = self.kernel("sample_sums")?;
        let mut call = Call::new(stream, &function);
        call.arg(&self.tree).memory(&sums).memory(&of);
        call.start(grid((sampled.len() * PARTS) as u32, 1, 128, 1, 0), Start::AfterPrevious)?;
        let sums = stream.clone_dtoh(&sums).map_err(failed("transfer sums"))?;
        let sums: Vec<f64> = sums.into_iter().map(Element::to_f64).collect();
        let table = law.table(&sampled, &sums, PARTS);
        self.lap("sums at a few bodies")?;
        Ok(table)
    }

    /// Brings the criterion of a law, and finds what it needs of cells.
    pub(super) fn take_table(&mut self, table: &ErrorTable) -> Result<()> {
        let (stream, transfer) = (&self.cuda.stream, failed("transfer the criterion"));
        let errors = stream.clone_htod(table.rows.as_flattened()).map_err(&transfer)?;
        let allowed =
            table.allowed.as_ref().map(|allowed| stream.clone_htod(allowed).map_err(&transfer)).transpose()?;
        let Criterion { errors, allowed } = self.memory.of_law.insert(Criterion { errors, allowed });
        let has_allowed = allowed.is_some();
        let [.., to_errors, to_allowed] = &mut self.tree.addresses;
        *to_errors = address(stream, errors);
        *to_allowed = allowed.as_ref().map_or(0, |allowed| address(stream, allowed));
        (self.tree.rows, self.tree.last) = (table.rows.len() as i32, table.last);
        let levels = self.memory.levels.clone();
        let leaves = levels.leaves().1;
        if has_allowed {
            self.start("allowed_in_leaves", (leaves.div_ceil(4), 128), &[])?;
            for pair in levels.0.windows(2).rev() {
                let ((first, count), (next, below)) = (pair[0], pair[1]);
                self.start("least_of_cells", (count.div_ceil(128), 128), &[first, count, next + below])?;
            }
        }
        let mut of_cell = LEAF;
        for (first, count) in levels.0[levels.top(self.sinks)..].iter().rev() {
            self.start("weigh_cells", (count.div_ceil(128), 128), &[*first, *count, of_cell])?;
            of_cell *= CHILDREN;
        }
        self.lap("criterion")
    }

    /// Forces on its leaves from lists, in the order of the bodies or, where devices share, of the slots.
    pub(super) fn forces(&mut self, is_shared: bool) -> Result<()> {
        let order = failed("order kernels");
        // what is near is summed beside what is far, unless their times are asked for
        let main = &self.cuda.stream;
        let beside = if self.clock.is_some() { main } else { &self.side.stream };
        self.side.ready.record(main).map_err(&order)?;
        beside.wait(&self.side.ready).map_err(&order)?;
        let (sinks, deepest) = (self.sinks, self.memory.levels.0.len() - 1);
        self.far(sinks, deepest)?;
        if self.variant.motion == Motion::Jerks {
            self.as_rates(|run| run.far(sinks, deepest))?;
        }
        let Range { start, end } = self.leaves;
        self.start_on(beside, "near_bodies", (end - start, 128), &[start])?;
        self.lap("near bodies")?;
        let blocks = (end - start).div_ceil(4).min(4 * self.cuda.processors as usize);
        self.start_on(beside, "one_by_one", (blocks, 128), &[])?;
        self.side.done.record(beside).map_err(&order)?;
        main.wait(&self.side.done).map_err(&order)?;
        self.lap("one by one")?;
        let (begin, end) = (start * LEAF, (end * LEAF).min(self.memory.n));
        let numbers = [begin, end, usize::from(is_shared)];
        self.start("finish", (end.saturating_sub(begin).div_ceil(128), 128), &numbers)?;
        self.lap("finish")
    }

    /// Puts the forces on all bodies, which are in the order of the slots, into that of the bodies.
    pub(super) fn order_by_bodies(&mut self) -> Result<()> {
        self.start("order_by_bodies", (self.memory.n.div_ceil(128), 128), &[])?;
        self.lap("order by bodies")
    }
}
