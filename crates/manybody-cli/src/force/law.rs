//! `manybody force --law`: any law on the columns of a file.

use super::{Args, check_replaceable};
use crate::console::{self, json, number, say};
use crate::device;
use crate::law::{self, OnDevice, SampleError};
use manybody::law::{Cell, Field, Law, Sets};
use manybody::snapshot::{self, Header, ReadOptions, Snapshot, atomic};
use manybody::solver::Precision;
use manybody::{Bodies, Error};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Computes what the law makes of the file and writes it.
///
/// # Errors
/// Those of the law's text, with line and column; of the file; of columns and parameters that are missing.
pub(super) fn run(args: &Args, law: &str) -> anyhow::Result<ExitCode> {
    let law = law::read(law)?;
    let header = format!("id,{}", law.result_columns().join(","));
    check_replaceable(args, &header)?;
    let precision: Precision = args.precision.parse()?;
    // a law needs the columns that it reads, and no others
    let options = ReadOptions { columns: args.columns, partial: true, ..ReadOptions::default() };
    let loaded = snapshot::read_with(&args.input, &options)?;
    loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", args.input.display())));
    let Snapshot { bodies, units, .. } = loaded.snapshot;
    let given: Vec<(String, f64)> =
        args.par.iter().map(|text| law::parameter(text, &units)).collect::<Result<_, _>>()?;
    let par = law.parameter_values(&given)?;
    let i = columns(&law, law.body(), &bodies, &args.input, &loaded.header)?;
    let j = columns(&law, law.partner(), &bodies, &args.input, &loaded.header)?;
    let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
        (i.iter().map(|column| &column[..]).collect(), j.iter().map(|column| &column[..]).collect());
    let sets = Sets { i: &i, j: &j, same: true, par: &par };

    let device = device::choose(Some(&args.device), precision, bodies.len())?;
    args.gpus.share(device)?;
    let mut evaluator = OnDevice::new(device, &law, precision, false)?;
    let before = Instant::now();
    let results = evaluator.evaluate(&sets)?;
    let seconds = before.elapsed().as_secs_f64();
    law.check_results(&sets, &results)?;
    let columns: Vec<(&[f64], bool)> = results.iter().map(Vec::as_slice).zip(whole_numbers(&law)).collect();
    atomic::write_with(&args.out, |file| write_csv(file, &args.out, &header, &bodies.id, &columns))?;

    let error = SampleError::new(&law, &sets, precision, &results)?;
    let n = bodies.len() as f64;
    let (rate, cost) = (n * n / seconds, law.one_sided().cost());
    let list: Vec<String> =
        law.parameter_names().iter().zip(&par).map(|(name, x)| format!("{name} = {}", number(*x))).collect();
    let list = if list.is_empty() { String::new() } else { format!(", {}", list.join(", ")) };
    say(format_args!(
        "{}, law {}{list}, {precision}, {}: {seconds:.3} s, {rate:.2e} interactions/s\n\
         a pair costs {} operations and {} roots or functions\n{error}\nwrote {}",
        console::bodies(bodies.len()),
        law.name(),
        device::in_words(device),
        cost.operations,
        cost.special,
        args.out.display(),
    ));
    if args.json {
        json(&serde_json::json!({
            "event": "force", "law": law.name(), "n": bodies.len(), "precision": args.precision, "device": device,
            "seconds": seconds, "interactions_per_s": rate, "file": args.out.display().to_string(),
            "operations": cost.operations, "special": cost.special, "flops": cost.flops,
            "error": { "sample": error.count, "median": error.median, "p99": error.p99, "max": error.max },
        }));
    }
    Ok(ExitCode::SUCCESS)
}

/// The columns of the file that a record of the law reads.
fn columns<'a>(
    law: &Law,
    fields: &[Field],
    bodies: &'a Bodies,
    path: &Path,
    header: &Header,
) -> Result<Vec<Cow<'a, [f64]>>, Error> {
    let lacking = |problem: String, name: String| Error::Field { path: path.into(), field: name, problem };
    for field in fields {
        let missing = law.column_names(field).into_iter().find(|name| {
            let plain = if name == "m" { "mass" } else { name };
            header.missing.contains(&plain) && !bodies.extra.contains_key(name)
        });
        if let Some(name) = missing {
            let (law, there) = (law.name(), header.fields.join(", "));
            let problem = format!("not in the file, and law {law} reads it as {}; there are: {there}", field.name);
            return Err(lacking(problem, name));
        }
    }
    law.read(fields, bodies).map_err(|error| match error {
        Error::Parameter { name: "column", value, expected } => lacking(format!("not in the file; {expected}"), value),
        other => other,
    })
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
