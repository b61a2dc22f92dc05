//! `manybody bench --law`: the rate of any law, on every device that is asked for, with its error against f64.
//!
//! The bodies are a shaken lattice of spacing 1 about the origin, so that no two are at one place; what else the law
//! reads lies between 1/4 and 3/4, ids count from 0.

use super::{Args, Bench, row};
use crate::console::{complain, number, say};
use crate::law::{self, Judge, SampleError};
use crate::progress_line::ProgressLine;
use manybody::Units;
use manybody::law::{Cell, Field, Law, PairInputs};
use manybody::settings::Settings;
use manybody::solver::{self, Device, Method, Precision, SolverName};
use manybody::watch::Watch;
use row::Row;

/// Measures the law.
///
/// # Errors
/// Those of the law, its parameters and devices.
pub(super) fn run(bench: &Bench, args: &Args, law: &str) -> anyhow::Result<()> {
    let law = law::read(law)?;
    let par = manybody::forces::law_parameters(
        &law,
        args.settings().par.as_ref().map_or(&[], |par| &par.0),
        &Units::default(),
    )?;
    let cost = law.one_sided().cost();
    let list: Vec<String> =
        law.parameter_names().iter().zip(&par).map(|(name, x)| format!("{name} = {}", number(*x))).collect();
    let list = if list.is_empty() { String::new() } else { format!(" with {}", list.join(", ")) };
    say(format_args!(
        "{}{list}: {} operations and {} roots or functions a pair",
        law.title(),
        cost.operations,
        cost.special
    ));
    for n in &args.n {
        let n = *n as usize;
        let (i, j) = (columns(law.body(), n, args.seed()), columns(law.partner(), n, args.seed()));
        let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
            (i.iter().map(Vec::as_slice).collect(), j.iter().map(Vec::as_slice).collect());
        let inputs = match law.has_one_kind() {
            true => PairInputs::one(&i, &par),
            false => PairInputs::roles(&i, &j, &par).sized(n, n),
        };
        for precision in args.precision.iter().copied() {
            let method = args.method(Settings::default(), precision, n)?;
            let solvers: &[SolverName] = match method.device {
                Device::Cpu => &[SolverName::Symmetric],
                _ if law.has_one_kind() => &[SolverName::Symmetric, SolverName::Direct],
                _ => &[SolverName::Direct],
            };
            for solver in solvers {
                measure(bench, &law, &inputs, &method.clone().solver(*solver))?.print(args.json);
            }
        }
    }
    Ok(())
}

fn measure(bench: &Bench, law: &Law, inputs: &PairInputs<'_>, method: &Method) -> anyhow::Result<Row> {
    let Method { device, precision, .. } = *method;
    let mut evaluator = solver::evaluator(method, law)?;
    let watch = Watch::default();
    evaluator.watch(&watch);
    let progress = ProgressLine::begin(&format!("{} bodies, {precision}: an evaluation", inputs.lens().0), &watch);
    // loaded, so that its seconds are those of this evaluation
    evaluator.load(inputs)?;
    evaluator.compute()?;
    let results = evaluator.fetch()?;
    let error = SampleError::new(law, inputs, method, &results)?;
    let id = |index: usize| index as u64;
    error.judge(law, inputs, &results, &Judge { method, limit: bench.audit_limit, time: 0.0, id: &id })?;
    error.warning(precision).iter().for_each(|warning| complain(format_args!("warning: {warning}")));
    // on GPUs as for gravity: kernels in a row for a fifth of a second
    let in_a_row = match device.is_gpu() {
        true => (0.2 / evaluator.seconds(1)?.max(1e-6)).clamp(1.0, 1000.0) as usize,
        false => 1,
    };
    let seconds = (0..bench.repeat).map(|_| evaluator.seconds(in_a_row)).collect::<Result<Vec<f64>, _>>()?;
    drop(progress);
    let method = if device == Device::Cpu { "text".to_owned() } else { format!("{device} {}", method.solver) };
    let mut row = Row::new("manybody", method, precision.name(), inputs.lens().0, bench.threads, &seconds);
    row.found([error.median, error.p99, error.p999, error.max]);
    if device == Device::Cpu {
        let cost = law.one_sided().cost();
        let peak = bench.peak[usize::from(precision == Precision::F64)];
        row.share = Some(row.rate() * (cost.operations + cost.special) as f64 / peak);
    }
    Ok(row)
}

/// The columns of a record.
fn columns(fields: &[Field], n: usize, seed: u64) -> Vec<Vec<f64>> {
    let side = (1..).find(|side: &usize| side.pow(3) >= n).unwrap_or(1);
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        // a float's number of bits, so that f32 reads the same bodies
        f64::from((s >> 41) as u32) / f64::from(1_u32 << 23)
    };
    let mut columns = Vec::new();
    for field in fields {
        for axis in 0..field.numbers() {
            let column = (0..n).map(|k| match (field.cell, field.name.as_str()) {
                (Cell::Id, _) => k as f64,
                (_, "x") => {
                    let place = k / side.pow(axis as u32 % 3) % side;
                    f64::from((place as f64 - 0.5 * side as f64 + 0.6 * random()) as f32)
                }
                _ => 0.25 + 0.5 * random(),
            });
            columns.push(column.collect());
        }
    }
    columns
}
