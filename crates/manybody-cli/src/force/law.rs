//! `manybody force --law`: any law on the columns of a file.

use super::{Args, check_replaceable};
use crate::console::{self, json, number, say};
use crate::device;
use crate::law::{self, Judge, SampleError};
use crate::progress_line::ProgressLine;
use manybody::driver::device::choose;
use manybody::forces::with_inputs;
use manybody::law::{Cell, EvaluateLaw, Field, Law};
use manybody::snapshot::{self, Header, ReadOptions, Snapshot, atomic};
use manybody::solver::Precision;
use manybody::solver::{self, Method};
use manybody::watch::Watch;
use manybody::{Bodies, Error};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// Computes what the law makes of the file and writes it.
///
/// # Errors
/// Those of the law's text, with line and column; of the file; of columns and parameters that are missing.
pub(super) fn run(args: &Args, law: &str) -> anyhow::Result<()> {
    let law = law::read(law)?;
    let names = law.result_columns();
    let header = format!("id,{}", names.join(","));
    check_replaceable(args)?;
    let precision = args.precision.unwrap_or(Precision::F64);
    // a law needs the columns that it reads, and no others
    let options = ReadOptions { columns: args.columns, partial: true, ..ReadOptions::default() };
    let loaded = snapshot::read_with(&args.input, &options)?;
    if !loaded.notes.is_empty() {
        say(format_args!("{}: {}", args.input.display(), loaded.notes.join("; ")));
    }
    let Snapshot { bodies, units, time, .. } = loaded.snapshot;
    let par = manybody::forces::law_parameters(&law, &args.par, &units)?;
    for fields in [law.body(), law.partner()] {
        check_columns(&law, fields, &bodies, &args.input, &loaded.header)?;
    }

    let device = choose(args.device, precision, bodies.len());
    let method = Method::on(device, precision).gpus(args.gpus.of(device)?);
    let watch = Watch::default();
    let mut evaluator = solver::evaluator(&method, &law)?;
    evaluator.watch(&watch);
    let progress = ProgressLine::begin("computing the law", &watch);
    let before = Instant::now();
    let (results, seconds, error) = with_inputs(&law, &bodies, &par, |inputs| {
        let results = evaluator.evaluate(inputs)?;
        let seconds = before.elapsed().as_secs_f64();
        drop(progress);
        law.check_results(inputs, &results)?;
        if args.audit == 0.0 {
            return Ok((results, seconds, None));
        }
        let error = SampleError::new(&law, inputs, precision, &results)?;
        let id = |index: usize| bodies.id[index];
        error.judge(&law, inputs, &results, &Judge { device, precision, limit: args.audit_limit, time, id: &id })?;
        Ok((results, seconds, Some(error)))
    })?;
    let columns: Vec<(&[f64], bool)> = results.iter().map(Vec::as_slice).zip(whole_numbers(&law)).collect();
    atomic::write_with(&args.out, |file| write_csv(file, &args.out, &header, &bodies.id, &columns))?;

    let none = law.without_partners(&results);
    if !none.is_empty() {
        let one = |(name, count, first): &(String, usize, usize)| {
            let (value, id) = (results[names.iter().position(|n| n == name).unwrap_or(0)][*first], bodies.id[*first]);
            format!(
                "{name} = {value} for {} without partners, the first body {first} (id {id})",
                console::bodies(*count)
            )
        };
        say(format_args!("{}", none.iter().map(one).collect::<Vec<_>>().join("; ")));
    }
    let n = bodies.len() as f64;
    let (rate, cost) = (n * n / seconds, law.one_sided().cost());
    let list: Vec<String> =
        law.parameter_names().iter().zip(&par).map(|(name, x)| format!("{name} = {}", number(*x))).collect();
    let list = if list.is_empty() { String::new() } else { format!(", {}", list.join(", ")) };
    let audited = error.as_ref().map_or(String::new(), |error| format!("\n{error}"));
    say(format_args!(
        "{}, {}{list}, {precision}, {}: {seconds:.3} s, {rate:.2e} interactions/s\n\
         a pair costs {} operations and {} roots or functions{audited}\nwrote {}",
        console::bodies(bodies.len()),
        law.title(),
        device::in_words(device),
        cost.operations,
        cost.special,
        args.out.display(),
    ));
    if args.json {
        json(&serde_json::json!({
            "event": "force", "law": law.name(), "n": bodies.len(), "precision": precision.name(), "device": device.name(),
            "seconds": seconds, "interactions_per_s": rate, "file": args.out.display().to_string(),
            "operations": cost.operations, "special": cost.special, "flops": cost.flops,
            "error": error.map(|error| serde_json::json!({
                "sample": error.count, "median": error.median, "p99": error.p99, "max": error.max,
            })),
        }));
    }
    Ok(())
}

/// Refuses a file that lacks a column that a record of the law reads.
fn check_columns(law: &Law, fields: &[Field], bodies: &Bodies, path: &Path, header: &Header) -> Result<(), Error> {
    for field in fields {
        let missing = law.column_names(field).into_iter().find(|name| {
            let plain = if name == "m" { "mass" } else { name };
            (header.missing.contains(&plain) && !bodies.extra.contains_key(name)) || bodies.column(name).is_none()
        });
        if let Some(name) = missing {
            let problem = format!("not in the file; {}", law.lacks(field, &name, &header.fields));
            return Err(Error::Field { path: path.into(), field: name, problem });
        }
    }
    Ok(())
}

/// Which columns of the results hold whole numbers: counts and labels.
fn whole_numbers(law: &Law) -> Vec<bool> {
    let of = |field: &Field| match field.cell {
        Cell::Count => vec![true; field.width],
        Cell::ArgMin | Cell::ArgMax => [false, true].repeat(field.width),
        _ => vec![false; field.width],
    };
    law.results().iter().flat_map(of).collect()
}

/// Numbers in the shortest form that reads back to the same bits.
fn write_csv(file: &mut File, path: &Path, header: &str, ids: &[u64], columns: &[(&[f64], bool)]) -> Result<(), Error> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let mut write = || {
        writeln!(out, "{header}")?;
        for (body, id) in ids.iter().enumerate() {
            write!(out, "{id}")?;
            for (column, whole) in columns {
                match *whole {
                    true => write!(out, ",{}", column[body])?,
                    false => write!(out, ",{:?}", column[body])?,
                }
            }
            writeln!(out)?;
        }
        out.flush()
    };
    write().map_err(|source| Error::Io { path: path.into(), action: "write", source })
}
