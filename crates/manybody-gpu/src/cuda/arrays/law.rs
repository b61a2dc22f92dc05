//! A law on columns of a device.

use super::queue::{LawKey, Open, Queue};
use super::read::{self, MustBe, NONE, Source, Survey, Which};
use super::{Column, Numbers};
use crate::cuda::evaluate::OnDevice;
use crate::cuda::launch::{Call, Start, grid};
use crate::cuda::{CudaEvaluator, failed};
use crate::load::Motion;
use crate::{Evaluator, KernelConfig, Pairs, check_law, finish, uniform};
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::law::{Cell, Law, PairInputs, Role, SelfPair};
use manybody_law::simd::Element;
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{EvaluateLaw, Precision, Summation};

/// A law and the bodies that it is of, whose columns are in the memory of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct LawArrays<'a> {
    /// The law.
    pub law: &'a Law,
    /// The bodies acted on: a column a number.
    pub i: &'a [Column],
    /// Those that act; for the same bodies of a law of one kind, the same columns.
    pub j: &'a [Column],
    /// The numbers of the parameters.
    pub parameters: &'a [f64],
    /// How many are acted on, and how many act.
    pub lens: (usize, usize),
    /// Whether body k of one side is body k of the other.
    pub same: bool,
}

/// How a law is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub(super) pairs: Pairs,
    pub(super) precision: Precision,
    pub(super) sum: Option<Summation>,
    pub(super) config: Option<KernelConfig>,
}

/// Bodies on one side of a law.
pub(super) struct Side<'a> {
    pub(super) sources: Vec<Source>,
    pub(super) surveys: Vec<Survey>,
    pub(super) which: Which<'a>,
}

/// An evaluation.
pub(super) struct Task<'a> {
    pub(super) law: &'a Law,
    pub(super) how: How,
    pub(super) i: Side<'a>,
    /// Where those that act have columns of their own.
    pub(super) j: Option<Side<'a>>,
    /// The index of the first of those acted on among those that act.
    pub(super) first: Option<usize>,
    pub(super) par: Vec<f64>,
}

/// Where a result goes, and its unit.
#[derive(Clone, Copy)]
pub(super) struct Goes {
    pub(super) to: Numbers,
    pub(super) unit: f64,
}

/// Where a column of results goes: as arrays.cu has it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Sink {
    address: u64,
    stride: i64,
    factor: f64,
    factor_of_scaled: f64,
    unit: f64,
    kind: u32,
    rule: u32,
    from: u32,
    scaled: u32,
}

// SAFETY: repr(C), of numbers in the order and size that arrays.cu has
unsafe impl DeviceRepr for Sink {}

#[cfg(test)]
impl Sink {
    /// Address, rows, rule and factors.
    pub(super) fn described(&self) -> (u64, u32, u32, u32, [f64; 2]) {
        (self.address, self.from, self.scaled, self.rule, [self.factor, self.factor_of_scaled])
    }
}

/// Results that are not as they must be.
pub(super) struct Wrong {
    /// Whether there is one that is NaN, or infinite where it cannot be.
    pub(super) not_numbers: bool,
    pub(super) infinite: bool,
}

/// The largest id that a number type has exactly.
pub(super) fn most_ids(precision: Precision) -> f64 {
    2f64.powi(if precision == Precision::F64 { 53 } else { 24 })
}

/// Evaluates a law, and writes its results, one column each, as [`Law::result_columns`] names them. The bits are those of an
/// [evaluator](crate::evaluator) of this device. Returns when all is written.
///
/// # Errors
/// [`Error::Parameter`] as [`PairInputs::check`], and for results that are not finite; [`Error::Device`]; for a law that says what a
/// body does to itself, [`Error::Parameter`]; [`Error::Interrupted`] where the watch asks for an end.
///
/// # Safety
/// Columns and results are in memory that the device of the queue can reach and no one else writes, `lens` numbers each, and
/// results overlap nothing. What writes them now is on the stream of the queue, or has ended.
pub unsafe fn evaluate(
    queue: &mut Queue,
    arrays: &LawArrays<'_>,
    precision: Precision,
    pairs: Pairs,
    watch: &Watch,
    results: &[Numbers],
) -> Result<()> {
    check(arrays, pairs, results)?;
    let how = How { pairs, precision, sum: None, config: None };
    queue.finished(|open| match precision {
        Precision::F64 => of_law::<f64>(open, arrays, how, watch, results),
        Precision::F32 | Precision::Mixed => of_law::<f32>(open, arrays, how, watch, results),
    })
}

/// Checks what can be known without the device.
fn check(arrays: &LawArrays<'_>, pairs: Pairs, results: &[Numbers]) -> Result<()> {
    let wrong = |name, value: String, expected: String| Err(Error::Parameter { name, value, expected });
    let LawArrays { law, i, j, lens: (ni, nj), .. } = *arrays;
    check_law(law, pairs)?;
    law.check_parameters(arrays.parameters)?;
    if arrays.same && law.self_pair() == SelfPair::Custom {
        let expected = "what a body does to itself (`self` with a formula) is not computed for arrays in the memory of a \
                        GPU: copy them to the memory of the CPU";
        return wrong("law", law.name().into(), expected.into());
    }
    for (side, columns, role) in [("i", i, Role::I), ("j", j, Role::J)] {
        let count = law.number_cells(role).len();
        if columns.len() != count {
            return wrong("columns", columns.len().to_string(), format!("{} reads {count} of {side}", law.title()));
        }
    }
    let count = law.result_columns().len();
    if results.len() != count || results.iter().any(|result| !result.kind.holds_results()) {
        return wrong("results", results.len().to_string(), format!("must be {count} columns of f32, f64 or i64"));
    }
    let most = u32::MAX as usize / 2;
    match ni.max(nj) > most || (arrays.same && ni != nj) {
        true => wrong(
            "bodies",
            format!("{ni} and {nj}"),
            format!("must be at most {most}, and as many where they are the same"),
        ),
        false => Ok(()),
    }
}

fn of_law<T: Element + DeviceRepr + ValidAsZeroBits>(
    open: &mut Open,
    arrays: &LawArrays<'_>,
    how: How,
    watch: &Watch,
    results: &[Numbers],
) -> Result<()> {
    let LawArrays { law, lens: (ni, nj), .. } = *arrays;
    let one_set = arrays.same && law.has_one_kind();
    let i = surveyed(open, law, Role::I, arrays.i, ni, how.precision)?;
    let j = if one_set { None } else { Some(surveyed(open, law, Role::J, arrays.j, nj, how.precision)?) };
    let first = arrays.same.then_some(0);
    let task = Task { law, how, i, j, first, par: arrays.parameters.to_vec() };
    let goes: Vec<Goes> = results.iter().map(|to| Goes { to: *to, unit: 1.0 }).collect();
    let out = Which::first(ni);
    run::<T>(open, task, watch, &goes, out, |open, evaluator, wrong| {
        if !wrong.not_numbers && !wrong.infinite {
            return Ok(());
        }
        // infinite for want of partners, or wrong: the host knows, and names the cause
        let found = evaluator.fetch()?;
        let columns = |given: &[Column], n: usize| {
            let sources: Vec<Source> = given.iter().map(|column| Source::plain(*column, MustBe::Finite)).collect();
            read::fetch(open, &sources, Which::first(n))
        };
        let (i, j) = (columns(arrays.i, ni)?, columns(arrays.j, nj)?);
        let [i, j] = [&i, &j].map(|side| side.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let inputs = match (arrays.same, law.has_one_kind()) {
            (true, true) => PairInputs::one(&i, arrays.parameters),
            (true, false) => PairInputs::roles(&i, &j, arrays.parameters),
            (false, _) => PairInputs::two(&i, &j, arrays.parameters),
        };
        law.check_results(&inputs.sized(ni, nj), &found)
    })
}

/// Bodies of a side, whose numbers a law can use.
fn surveyed(
    open: &Open,
    law: &Law,
    role: Role,
    columns: &[Column],
    n: usize,
    precision: Precision,
) -> Result<Side<'static>> {
    let must_be = |cell: Cell| if cell == Cell::Id { MustBe::Id } else { MustBe::Finite };
    let cells = law.number_cells(role);
    let sources: Vec<Source> =
        columns.iter().zip(&cells).map(|(column, cell)| Source::plain(*column, must_be(*cell))).collect();
    let (which, most) = (Which::first(n), most_ids(precision));
    let surveys = read::survey(open, &sources, which, None, most)?;
    for (k, (survey, source)) in surveys.iter().zip(&sources).enumerate() {
        if let Some(body) = survey.bad {
            let value = read::number(open, *source, body)?;
            return Err(law.wrong_number(role, k, (body, value), most));
        }
    }
    Ok(Side { sources, surveys, which })
}

impl Task<'_> {
    fn lens(&self) -> (usize, usize) {
        (self.i.which.n, self.j.as_ref().unwrap_or(&self.i).which.n)
    }

    /// In f32, numbers whose differences alone count are counted from their middle.
    fn recentre(&mut self) {
        if self.how.precision == Precision::F64 {
            return;
        }
        let both = |side: &Side<'_>| -> Vec<(f64, f64)> {
            side.surveys.iter().zip(&side.sources).map(|(survey, source)| survey.range(source)).collect()
        };
        let ranges = [both(&self.i), both(self.j.as_ref().unwrap_or(&self.i))].concat();
        let middles = self.law.middles(ranges.len(), |k| ranges[k]);
        let count = self.i.sources.len();
        let set = |side: &mut Side<'_>, middles: &[Option<f64>]| {
            for (source, middle) in side.sources.iter_mut().zip(middles) {
                source.middle = middle.unwrap_or(0.0);
            }
        };
        set(&mut self.i, &middles[..count]);
        if let Some(j) = &mut self.j {
            set(j, &middles[count..]);
        }
    }

    /// What kernels of the law are kept under.
    fn key(&self, double: bool) -> LawKey {
        let How { pairs, precision, sum, config } = self.how;
        (format!("{} {pairs:?} {precision} {sum:?} {config:?}\n{}", self.law.name(), self.law.to_text()), double)
    }
}

/// Evaluates, and writes the results of body k to place `out`\[k\]; then calls `after`, with the sums still there.
pub(super) fn run<T: Element + DeviceRepr + ValidAsZeroBits>(
    open: &mut Open,
    mut task: Task<'_>,
    watch: &Watch,
    goes: &[Goes],
    out: Which<'_>,
    after: impl FnOnce(&Open, &mut CudaEvaluator<T>, Wrong) -> Result<()>,
) -> Result<()> {
    if task.i.which.n == 0 {
        return Ok(());
    }
    task.recentre();
    let key = task.key(T::DOUBLE);
    let mut evaluator = match open.kept::<CudaEvaluator<T>>(&key) {
        Some(kept) => kept,
        None => Box::new(made(open, &task)?),
    };
    evaluator.watch(watch);
    let done = evaluated(open, &mut evaluator, task)
        .and_then(|()| deliver(open, &evaluator, goes, out))
        .and_then(|wrong| after(open, &mut evaluator, wrong));
    evaluator.unload();
    evaluator.watch(&Watch::default());
    open.keep(key, evaluator);
    done
}

fn made<T: Element + DeviceRepr + ValidAsZeroBits>(open: &Open, task: &Task<'_>) -> Result<CudaEvaluator<T>> {
    let How { pairs, precision, sum, config } = task.how;
    let evaluator = CudaEvaluator::<T>::new(open.cuda.clone(), task.law, pairs).in_shape(config);
    let evaluator = if precision == Precision::Mixed { evaluator.mixed()? } else { evaluator };
    evaluator.summing(sum)
}

fn evaluated<T: Element + DeviceRepr + ValidAsZeroBits>(
    open: &Open,
    evaluator: &mut CudaEvaluator<T>,
    task: Task<'_>,
) -> Result<()> {
    let lens = task.lens();
    let Task { law, how, i, j, first, mut par } = task;
    let is_part = first.is_some_and(|first| first > 0 || lens.0 != lens.1);
    let one_set = j.is_none();
    let is_one = |k: usize| i.surveys[k].is_one(&i.sources[k]);
    let members = uniform::members_where(law, lens, Motion::Fixed, || one_set, is_one);
    let (law, kept) = match members.is_empty() {
        true => (law.clone(), (0..i.sources.len()).collect()),
        false => {
            let uniform::Division { law, kept, parameters } = uniform::divided(law, &members)?;
            par.extend(parameters.iter().map(|k| i.sources[*k].of(i.surveys[*k].low)));
            (law, kept)
        }
    };
    let pairs = if is_part { Pairs::Ordered } else { how.pairs };
    let of = OnDevice { law, members, par, lens, has_j: !one_set, first, pairs };
    evaluator.place_on_device(of, |role, split, columns| {
        let side = if role == Role::I { &i } else { j.as_ref().unwrap_or(&i) };
        let mut sources: Vec<Source> = match role {
            Role::I => kept.iter().map(|k| side.sources[*k]).collect(),
            _ => side.sources.clone(),
        };
        let low: Vec<Source> = split.iter().map(|k| sources[*k].low()).collect();
        sources.extend(low);
        read::take(open, &sources, side.which, columns)
    })?;
    evaluator.compute()
}

/// Writes the results where they go.
fn deliver<T: Element + DeviceRepr + ValidAsZeroBits>(
    open: &Open,
    evaluator: &CudaEvaluator<T>,
    goes: &[Goes],
    out: Which<'_>,
) -> Result<Wrong> {
    let Some(loaded) = &evaluator.loaded else { return Err(super::lease::gone()) };
    let kernel = &loaded.kernel;
    let sinks = sinks(&kernel.law, &finish::factors(&kernel.law, kernel.scales, &loaded.par64), goes);
    let stream = &open.cuda.stream;
    let memory = failed("hand over the results");
    let (count, n, stride) = (sinks.len(), out.n as u32, loaded.stride as u64);
    if count == 0 {
        return Ok(Wrong { not_numbers: false, infinite: false });
    }
    let sinks: CudaSlice<Sink> = stream.clone_htod(&sinks).map_err(&memory)?;
    let bad = stream.clone_htod(&vec![NONE; 2 * count]).map_err(&memory)?;
    let mut call = Call::new(stream, &open.kernels.deliver);
    call.memory(&loaded.sums).arg(&stride).memory(&sinks).optional(out.at).arg(&n).memory(&bad);
    call.start(grid(n.div_ceil(256), count as u32, 256, 1, 0), Start::AfterPrevious)?;
    let bad = stream.clone_dtoh(&bad).map_err(failed("compute"))?;
    stream.synchronize().map_err(failed("compute"))?;
    let any = |part: &[u32]| part.iter().any(|body| *body != NONE);
    Ok(Wrong { not_numbers: any(&bad[..count]), infinite: any(&bad[count..]) })
}

/// Where the columns of a law's results go, of its sums without their factors.
pub(super) fn sinks(law: &Law, factors: &[f64], goes: &[Goes]) -> Vec<Sink> {
    let cells = law.cells();
    let results = (0..cells.len()).filter(|k| cells[*k] != Cell::Scaled);
    let of = |(k, goes): (usize, &Goes)| {
        // what a result may be beside finite: arrays.cu's RESULT_ numbers
        let rule = match cells[k] {
            Cell::Min | Cell::ArgMin => 1,
            Cell::Max | Cell::ArgMax | Cell::LogSumExp => 2,
            _ => 0,
        };
        let has_scaled = cells[k] == Cell::LogSumExp;
        Sink {
            address: goes.to.address,
            stride: goes.to.stride,
            factor: factors[k],
            factor_of_scaled: factors.get(k + 1).copied().filter(|_| has_scaled).unwrap_or(1.0),
            unit: goes.unit,
            kind: goes.to.kind as u32,
            rule,
            from: k as u32,
            scaled: if has_scaled { k as u32 + 1 } else { NONE },
        }
    };
    results.zip(goes).map(of).collect()
}
