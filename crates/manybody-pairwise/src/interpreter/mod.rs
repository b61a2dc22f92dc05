//! The evaluator: any law, whether it came as Rust or as text, on the CPU's vectors and threads without a compiler.
//!
//! ```text
//! program --plan--> once a body: columns of i and j
//!                   once a pair: tape of block operations, BLOCK bodies j for one body i at a time
//!
//!   i0 | dx[BLOCK] dy[BLOCK] dz[BLOCK] r2[BLOCK] ... -> gather into lanes of i0
//!   i1 | the same blocks again, in the first-level cache
//! ```
//!
//! Every operation is a loop over a block, so the cost of finding out which operation comes next is shared by BLOCK
//! pairs, and numbers pass from one operation to the next through the first-level cache. That traffic is the price of
//! not compiling the law: two loads and a store an operation.
//!
//! The result is the same for any number of threads: bodies i are computed by one task each, and where bodies j are
//! shared out, too, that depends on the sizes alone.

mod cause;
mod explain;
mod fuse;
mod gather;
mod lines;
mod machine;
mod plan;
mod prepared;
mod tape;

pub use explain::EvaluateLaw;
pub use prepared::{Prepared, Worker};

use super::packed::Aligned;
use super::{Float, Precision};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::evaluator::Evaluator;
use crate::law::{Cell, Law, PairInputs, Targets};
use crate::simd::{Element, Kernel, Level, Vector, launch};
use crate::watch::{self, Look, Watch};
use machine::{Machine, UNROLL, Window};
use manybody_ranks::Team;
use plan::{Own, Plan, Stage, columns};
use rayon::prelude::*;

/// Bodies j a block. All blocks of gravity in f32 take 16 KiB.
pub const BLOCK: usize = 512;
/// Bodies i a task: they share the blocks of j in the cache.
const GROUP: usize = 32;
/// With fewer tasks than this, bodies j are shared out, too.
const TASKS: usize = 256;
/// The fewest blocks of j a task.
pub const MIN_BLOCKS: usize = 16;

/// A law ready to be evaluated.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law, simd}; pub mod solver { pub use manybody_pairwise::*; } }
/// use manybody::law::{Law, PairInputs};
/// use manybody::simd::Level;
/// use manybody::solver::{Interpreter, Precision};
/// let law = Law::parse("body x[3]; d = j.x - i.x; min near = norm(d); self exclude")?;
/// let (x, y, z) = ([0.0, 3.0, 3.0], [0.0, 4.0, 4.5], [0.0; 3]);
/// let columns: [&[f64]; 3] = [&x, &y, &z];
/// let near = Interpreter::new(&law, Level::best(), Precision::F64).evaluate(&PairInputs::one(&columns, &[]))?;
/// assert_eq!(near[0][1], 0.5);
/// # Ok::<(), manybody::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interpreter {
    law: Law,
    plan: Plan,
    level: Level,
    precision: Precision,
    watch: Watch,
    team: Option<Team>,
    loaded: Option<Loaded>,
    results: Vec<Vec<f64>>,
}

/// Sets that an evaluator keeps.
#[derive(Clone, Debug)]
pub struct Loaded {
    i: Vec<Vec<f64>>,
    /// `None` where they are those of i.
    j: Option<Vec<Vec<f64>>>,
    par: Vec<f64>,
    first: Option<usize>,
    lens: (usize, usize),
}

impl Loaded {
    /// Copies the sets.
    pub fn of(inputs: &PairInputs<'_>) -> Self {
        let owned = |columns: &[&[f64]]| columns.iter().map(|column| column.to_vec()).collect();
        let j = (!inputs.same_columns()).then(|| owned(inputs.j));
        Loaded { i: owned(inputs.i), j, par: inputs.par.to_vec(), first: inputs.first(), lens: inputs.lens() }
    }

    /// Calls `f` with the sets.
    pub fn with<R>(&self, f: impl FnOnce(&PairInputs<'_>) -> R) -> R {
        let i: Vec<&[f64]> = self.i.iter().map(Vec::as_slice).collect();
        let j: Vec<&[f64]> = self.j.as_ref().unwrap_or(&self.i).iter().map(Vec::as_slice).collect();
        let inputs = match self.first {
            Some(first) => PairInputs::part(&i, &j, first, &self.par),
            None => PairInputs::two(&i, &j, &self.par),
        };
        f(&inputs.sized(self.lens.0, self.lens.1))
    }
}

impl Evaluator for Interpreter {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        inputs.check(&self.law, self.most_ids())?;
        self.loaded = Some(Loaded::of(inputs));
        Ok(())
    }

    fn compute(&mut self) -> Result<()> {
        if let Some(loaded) = &self.loaded {
            self.results = loaded.with(|inputs| self.any(inputs, None))?;
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        Ok(self.results.clone())
    }

    /// Without a copy of the sets.
    fn evaluate(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        Interpreter::evaluate(self, inputs)
    }

    fn evaluate_at(&mut self, inputs: &PairInputs<'_>, targets: &Targets<'_>) -> Result<Vec<Vec<f64>>> {
        Interpreter::evaluate_at(self, inputs, targets)
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn can_share(&self) -> bool {
        true
    }

    fn share(&mut self, team: Option<&Team>) {
        self.team = team.cloned();
    }
}

impl Interpreter {
    /// Prepares a law. Cost: microseconds for what fits a page.
    pub fn new(law: &Law, level: Level, precision: Precision) -> Self {
        Interpreter {
            law: law.clone(),
            plan: Plan::new(law),
            level,
            precision,
            watch: Watch::default(),
            team: None,
            loaded: None,
            results: Vec::new(),
        }
    }

    /// Reports long evaluations to `watch`, and ends them when requested.
    pub fn watched(self, watch: &Watch) -> Self {
        Interpreter { watch: watch.clone(), ..self }
    }

    /// The names of the loops over the pairs of a block, in their order, before those that add up.
    pub fn loops(&self) -> Vec<String> {
        self.plan.tape.steps.iter().map(|step| format!("{:?}", step.code)).collect()
    }

    /// What the law makes of the sets: one column a result, each \[n_i\], as
    /// [`result_columns`](Law::result_columns) names them. Numbers are rounded to the precision first; in f32, products
    /// such as mass / r^3 must stay between 1e-38 and 3e38.
    ///
    /// # Errors
    /// As [`PairInputs::check`]; in f32, ids go up to 2^24. [`Error::Interrupted`] where a watch asks for an end.
    pub fn evaluate(&self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        inputs.check(&self.law, self.most_ids())?;
        self.any(inputs, None)
    }

    /// The same for some of the bodies acted on: columns of as many numbers. The sums may be rounded
    /// differently, because sources are divided among threads by the number of targets.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), and as [`PairInputs::at`].
    pub fn evaluate_at(&self, inputs: &PairInputs<'_>, targets: &Targets<'_>) -> Result<Vec<Vec<f64>>> {
        inputs.check(&self.law, self.most_ids())?;
        targets.check(inputs.lens().0)?;
        match targets {
            Targets::All => self.any(inputs, None),
            Targets::Range(range) => self.any(inputs, Some(&range.clone().collect::<Vec<_>>())),
            Targets::List(bodies) => self.any(inputs, Some(bodies)),
        }
    }

    fn most_ids(&self) -> f64 {
        2f64.powi(if self.precision == Precision::F32 { 24 } else { 53 })
    }

    fn any(&self, inputs: &PairInputs<'_>, some: Option<&[usize]>) -> Result<Vec<Vec<f64>>> {
        let float = self
            .precision
            .float("on the CPU a law that is evaluated has no mixed precision; gravity has, by the solver direct")?;
        let raw = match float {
            Float::F32 => self.law.recentred(inputs, |inputs| self.run::<f32>(inputs, some)),
            Float::F64 => self.run::<f64>(inputs, some),
        };
        Ok(self.law.finish(raw?))
    }

    fn run<T: Element>(&self, inputs: &PairInputs<'_>, some: Option<&[usize]>) -> Result<Vec<Vec<f64>>> {
        let Interpreter { law, plan, level, .. } = self;
        let level = *level;
        let lanes = level.lanes::<T>();
        let (ni, nj) = (some.map_or(inputs.lens().0, <[usize]>::len), inputs.lens().1);
        let gathered: Vec<Vec<f64>> = match some {
            Some(some) => inputs.i.iter().map(|column| some.iter().map(|b| column[*b]).collect()).collect(),
            None => Vec::new(),
        };
        let of_i: Vec<&[f64]> =
            if some.is_some() { gathered.iter().map(Vec::as_slice).collect() } else { inputs.i.to_vec() };
        let whole = UNROLL * lanes;
        let cells = law.cells();
        let par: Vec<T> = inputs.par.iter().map(|x| T::from_f64(*x)).collect();
        let known = plan.program.known(T::default(), |k| par[k]);
        let [i, j] = [(&of_i[..], ni, 0), (inputs.j, nj, 1)].map(|(from, n, side)| {
            let stage = &plan.stages[side];
            let mut columns = columns::<T>(from, n, n.next_multiple_of(whole), stage.outputs());
            fill(level, stage, &known, &mut columns, from.len());
            columns
        });
        let uniforms = plan.uniforms_of(&known, &i);
        let first = inputs.first().filter(|_| law.self_pair() != crate::law::SelfPair::Included);
        let itself = first.map_or(Itself::Counts, |first| Itself::From { first, some });
        let shared = Shared { plan, j: &j, offset: 0, uniforms: &uniforms, itself };

        let groups = ni.div_ceil(GROUP);
        let blocks = nj.div_ceil(BLOCK);
        let (shares, share) = shares_of(groups, blocks);
        let mut raw = vec![vec![0.0; ni]; cells.len()];
        for (k, cell) in cells.iter().enumerate() {
            raw[k].fill(cell.identity(0.0));
        }
        // a rank computes groups of bodies i, each with all shares of the bodies j
        let team = self.team.as_ref();
        let own = team.map_or(0..groups, |team| team.part(groups));
        let tasks = own.start * shares..own.end * shares;
        let look = self.watch.begin(ni as u64 * nj as u64, tasks.len() as u64);
        let parts: Vec<Vec<[f64; 2]>> = tasks
            .clone()
            .into_par_iter()
            .map_init(
                || Machine::new(plan.tape.slots, BLOCK, uniforms.len()),
                |machine, task| {
                    if look.as_ref().is_some_and(Look::ends) || team.is_some_and(Team::has_ended) {
                        return Vec::new();
                    }
                    let (group, part) = (task / shares, task % shares);
                    let of_i = [group * GROUP, (group * GROUP + GROUP).min(ni)];
                    let of_j = [(part * share).min(nj), ((part + 1) * share).min(nj)];
                    let (shared, held) = (&shared, &mut Aligned::default());
                    let task = Task { shared, machine, i: of_i, j: of_j, held, begins: true, ends: true };
                    let done = launch(level, task);
                    look.iter().for_each(Look::count);
                    done
                },
            )
            .collect();
        watch::outcome(look.as_ref())?;
        for (task, part) in tasks.zip(parts) {
            merge_all(plan, &mut raw, task / shares * GROUP, &part);
        }
        if let Some(team) = team {
            let mut columns: Vec<&mut [f64]> = raw.iter_mut().map(Vec::as_mut_slice).collect();
            team.gather_ranges(&mut columns, |rank| {
                let part = team.part_of(rank, groups);
                (part.start * GROUP).min(ni)..(part.end * GROUP).min(ni)
            })?;
        }
        self.complete::<T>(inputs, &of_i, &par, &mut raw);
        Ok(raw)
    }

    /// What follows when the sums over pairs are there: common factors, and what a body does to itself.
    fn complete<T: Element>(&self, inputs: &PairInputs<'_>, of_i: &[&[f64]], par: &[T], raw: &mut [Vec<f64>]) {
        let Interpreter { plan, level, .. } = self;
        for (_, slot, factor) in plan.program.scale_factors(0.0, |k| inputs.par[k]) {
            raw[slot].iter_mut().for_each(|x| *x *= factor);
        }
        if let (true, Some(given)) = (inputs.same_bodies(), &plan.own) {
            apply_self_term::<T>(*level, given, of_i, par, raw);
        }
    }
}

/// In how many shares the bodies j of so many blocks are computed, and how many bodies each has: it depends on the sizes
/// alone.
fn shares_of(groups: usize, blocks: usize) -> (usize, usize) {
    let shares = TASKS.div_ceil(groups.max(1)).min(blocks / MIN_BLOCKS).max(1);
    (shares, blocks.div_ceil(shares).max(1) * BLOCK)
}

/// Adds what a task has found to the results of its bodies, which begin with number `first`.
fn merge_all(plan: &Plan, raw: &mut [Vec<f64>], first: usize, part: &[[f64; 2]]) {
    for (k, held) in part.chunks(plan.tape.gathers.len().max(1)).enumerate() {
        for (gather, held) in plan.tape.gathers.iter().zip(held) {
            merge(raw, gather.slot, gather.cell, first + k, *held);
        }
    }
}

/// Adds a partial result to a body's.
fn merge(raw: &mut [Vec<f64>], slot: usize, cell: Cell, body: usize, held: [f64; 2]) {
    if cell.numbers() == 1 {
        raw[slot][body] = cell.combine(raw[slot][body], held[0]);
    } else {
        let both = cell.join([raw[slot][body], raw[slot + 1][body]], held);
        [raw[slot][body], raw[slot + 1][body]] = both;
    }
}

/// Computes the columns of a stage.
fn fill<T: Element>(level: Level, stage: &Stage, known: &[T], columns: &mut [Aligned<T>], inputs: usize) {
    if stage.outputs() == 0 {
        return;
    }
    let mut machine = Machine::new(stage.tape.slots, BLOCK, 0);
    machine.uniforms = stage.uniforms.iter().map(|v| known[*v]).collect();
    launch(level, Fill { stage, machine, columns, inputs });
}

struct Fill<'a, T> {
    stage: &'a Stage,
    machine: Machine<T>,
    columns: &'a mut [Aligned<T>],
    inputs: usize,
}

impl<T: Element> Kernel<T> for Fill<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(mut self, token: V::Token) {
        let (inputs, outputs) = self.columns.split_at_mut(self.inputs);
        let n = outputs.first().map_or(0, |c| c.as_slice().len());
        for start in (0..n).step_by(BLOCK) {
            let window = Window { columns: inputs, start, len: BLOCK.min(n - start) };
            self.machine.run::<V>(token, &self.stage.tape, window);
            for (column, at) in outputs.iter_mut().zip(&self.stage.tape.outputs) {
                let to = &mut column.as_mut_slice()[start..start + window.len];
                to.copy_from_slice(self.machine.numbers(window, *at));
            }
        }
    }
}

/// What a body does to itself, added to its results.
fn apply_self_term<T: Element>(level: Level, own: &Own, i: &[&[f64]], par: &[T], raw: &mut [Vec<f64>]) {
    let n = raw.first().map_or(0, Vec::len);
    let known = own.program.known(T::default(), |k| par[k]);
    let lanes = UNROLL * level.lanes_f32();
    let mut columns = columns::<T>(i, n, n.next_multiple_of(lanes), own.stage.outputs());
    fill(level, &own.stage, &known, &mut columns, i.len());
    let mut given = columns[i.len()..].iter().map(Aligned::as_slice);
    for fold in &own.program.folds {
        let mut argument = || fold.args.iter().map(|a| (given.next().unwrap_or(&[]), a.negative)).collect::<Vec<_>>();
        let arguments = argument();
        for body in 0..n {
            let x = |k: usize| {
                let (column, negative): (&[T], bool) = arguments[k];
                let x = column[body].to_f64();
                if negative { -x } else { x }
            };
            let held = match (fold.cell, fold.args.len()) {
                (Cell::Sum, 2) => [x(0) * x(1), 0.0],
                (Cell::LogSumExp, _) => [x(0), 1.0],
                (_, 2) => [x(0), x(1)],
                _ => [x(0), 0.0],
            };
            merge(raw, fold.slot, fold.cell, body, held);
        }
    }
}

/// A number that is the same for all bodies j.
#[derive(Clone, Copy, Debug)]
enum Uniform<'a, T> {
    Same(T),
    /// The number of each body i.
    Column(&'a [T]),
}

/// What all tasks share.
struct Shared<'a, T> {
    plan: &'a Plan,
    j: &'a [Aligned<T>],
    /// The number of the first body of `j` among all.
    offset: usize,
    uniforms: &'a [Uniform<'a, T>],
    itself: Itself<'a>,
}

/// Which of the bodies that act is the body acted on itself, and is left out.
#[derive(Clone, Copy)]
enum Itself<'a> {
    /// Absent: that pair counts as any other, or there is no such pair.
    Counts,
    /// That of this number and the body's own, or of its number in a list.
    From { first: usize, some: Option<&'a [usize]> },
    /// Of each body i of a task, that of this number, if there is one.
    Each(&'a [Option<usize>]),
}

impl Itself<'_> {
    /// The number to leave out for a body of a task, whose bodies begin at number `task`.
    fn of(self, task: usize, body: usize) -> Option<usize> {
        match self {
            Itself::Counts => None,
            Itself::From { first, some } => Some(first + some.map_or(body, |some| some[body])),
            Itself::Each(list) => list[body - task],
        }
    }
}

/// Some bodies i against some bodies j.
struct Task<'a, T> {
    shared: &'a Shared<'a, T>,
    machine: &'a mut Machine<T>,
    i: [usize; 2],
    j: [usize; 2],
    /// The sums of each body i in lanes, from one call to the next.
    held: &'a mut Aligned<T>,
    /// The first call for these bodies i and a share of the bodies j, and the last.
    begins: bool,
    ends: bool,
}

impl<T: Element> Kernel<T> for Task<'_, T> {
    /// At the end, the results of each body i, one pair of numbers a gather.
    type Output = Vec<[f64; 2]>;
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> Vec<[f64; 2]> {
        let Shared { plan, j, offset, uniforms, itself } = *self.shared;
        let gathers = &plan.tape.gathers[..];
        let width: usize = gathers.iter().map(|g| gather::numbers(g.cell) * V::LEN).sum();
        let held = self.held;
        if self.begins {
            held.reset(width * (self.i[1] - self.i[0]), T::default());
            for body in held.as_mut_slice().chunks_exact_mut(width.max(1)) {
                let mut at = 0;
                for g in gathers {
                    let end = at + gather::numbers(g.cell) * V::LEN;
                    gather::fresh(g.cell, V::LEN, &mut body[at..end]);
                    at = end;
                }
            }
        }
        let mut scratch = [Aligned::default(), Aligned::default()];
        scratch.iter_mut().for_each(|s| s.reset(BLOCK, T::default()));
        for start in (self.j[0]..self.j[1]).step_by(BLOCK) {
            let n = BLOCK.min(self.j[1] - start);
            let window = Window { columns: j, start, len: n.next_multiple_of(UNROLL * V::LEN) };
            for (body, held) in (self.i[0]..self.i[1]).zip(held.as_mut_slice().chunks_exact_mut(width.max(1))) {
                for (to, from) in self.machine.uniforms.iter_mut().zip(uniforms) {
                    *to = match from {
                        Uniform::Same(x) => *x,
                        Uniform::Column(column) => column[body],
                    };
                }
                self.machine.run::<V>(token, &plan.tape, window);
                let own = itself.of(self.i[0], body).and_then(|b| b.checked_sub(offset + start));
                let skip = own.filter(|b| *b < n);
                let whole = skip.is_none() && n == window.len;
                let mut rest = held;
                let mut left = gathers;
                while let Some((g, others)) = left.split_first() {
                    if let (true, Some((b, three))) = (whole, gather::three(left)) {
                        let (held, after) = rest.split_at_mut(3 * V::LEN);
                        (rest, left) = (after, &left[3..]);
                        let a = three.map(|(a, _)| self.machine.numbers(window, a));
                        let b = self.machine.numbers(window, b);
                        gather::sum_three::<V>(token, three.map(|(_, negative)| negative), a, b, held);
                        continue;
                    }
                    left = others;
                    let (held, after) = rest.split_at_mut(gather::numbers(g.cell) * V::LEN);
                    rest = after;
                    let mut a = self.machine.numbers(window, g.a);
                    let mut b = g.b.map(|b| self.machine.numbers(window, b));
                    if !whole {
                        let [first, second] = &mut scratch;
                        a = complete(first, a, n, skip, gather::nothing(g.cell));
                        let label = if g.cell == Cell::Sum { T::default() } else { T::from_f64(-1.0) };
                        b = b.map(|b| complete(second, b, n, skip, label));
                    }
                    gather::gather::<V>(token, g.cell, g.negative, a, b, held);
                }
            }
        }
        if !self.ends {
            return Vec::new();
        }
        let mut results = Vec::with_capacity(gathers.len() * (self.i[1] - self.i[0]));
        for body in held.as_slice().chunks_exact(width.max(1)) {
            let mut rest = body;
            for g in gathers {
                let (held, after) = rest.split_at(gather::numbers(g.cell) * V::LEN);
                rest = after;
                results.push(gather::finish(g.cell, V::LEN, held));
            }
        }
        results
    }
}

/// A copy of a block in which bodies that do not count contribute `nothing`.
fn complete<'a, T: Element>(to: &'a mut Aligned<T>, from: &[T], n: usize, skip: Option<usize>, nothing: T) -> &'a [T] {
    let to = &mut to.as_mut_slice()[..from.len()];
    to.copy_from_slice(from);
    to[n..].fill(nothing);
    if let Some(k) = skip {
        to[k] = nothing;
    }
    to
}
