//! `manybody force --law`: any law on the columns of a file.

use super::{Args, check_replaceable};
use crate::console::{self, json, number, say};
use crate::device;
use crate::law::{self, Judge, SampleError};
use crate::progress_line::ProgressLine;
use manybody::audit::law::LawErrors;
use manybody::driver::{self, LawTrial};
use manybody::forces::with_inputs;
use manybody::law::{Cell, EvaluateLaw, Field, Law, Radial};
use manybody::settings::{Audit, Given};
use manybody::snapshot::{self, Header, ReadOptions, Snapshot, atomic};
use manybody::solver::{self, Method, Precision, SolverName};
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
pub(super) fn run(args: &Args, law: &str, audit: Audit) -> anyhow::Result<()> {
    let settings = &args.given.settings;
    if let Some(eps) = &settings.eps {
        let expected = "it belongs to gravity; a law has parameters: --par name=value".into();
        return Err(Error::Parameter { name: "eps", value: eps.to_raw().to_string(), expected }.into());
    }
    // what does not fit is refused before a file is read
    driver::method_of_law(settings, Precision::F64, 0)?;
    let law = law::read(law)?;
    match settings.solver {
        Some(SolverName::Fmm) => drop(Radial::of(&law)?),
        Some(SolverName::Tree) => drop(solver::evaluator(&Method::default().solver(SolverName::Tree), &law)?),
        _ => {}
    }
    let names = law.result_columns();
    let header = format!("id,{}", names.join(","));
    check_replaceable(args)?;
    // a law needs the columns that it reads, and no others
    let fields = law.body().iter().chain(law.partner());
    let only = Some(fields.flat_map(|field| law.column_names(field)).collect());
    let options = ReadOptions { columns: settings.columns, partial: true, only, ..ReadOptions::default() };
    let loaded = snapshot::read_with(&args.input, &options)?;
    if !loaded.notes.is_empty() {
        say(format_args!("{}: {}", args.input.display(), loaded.notes.join("; ")));
    }
    let Snapshot { bodies, units, time, .. } = loaded.snapshot;
    let par = manybody::forces::law_parameters(&law, settings.par.as_ref().map_or(&[], |par| &par.0), &units)?;
    for fields in [law.body(), law.partner()] {
        check_columns(&law, fields, &bodies, &args.input, &loaded.header)?;
    }

    let method = driver::method_of_law(settings, Precision::F64, bodies.len())?;
    let Method { device, precision, .. } = method;
    let solver = settings.solver.map(SolverName::name);
    let watch = Watch::default();
    let progress = ProgressLine::begin("computing the law", &watch);
    let Evaluated { results, seconds, error } = with_inputs(&law, &bodies, &par, |inputs| {
        if method.solver == SolverName::Fmm && audit.share > 0.0 && audit.limit.is_none() {
            let trial = LawTrial { law: &law, inputs, share: audit.share };
            return by_fmm(trial, method.clone(), &watch, progress);
        }
        let mut evaluator = solver::evaluator(&method, &law)?;
        evaluator.watch(&watch);
        let before = Instant::now();
        let results = evaluator.evaluate(inputs)?;
        let seconds = before.elapsed().as_secs_f64();
        drop(progress);
        law.check_results(inputs, &results)?;
        if audit.share == 0.0 {
            return Ok(Evaluated { results, seconds, error: None });
        }
        let error = SampleError::new(&law, inputs, &method, &results)?;
        let id = |index: usize| bodies.id[index];
        error.judge(&law, inputs, &results, &Judge { method: &method, limit: audit.limit, time, id: &id })?;
        Ok(Evaluated { results, seconds, error: Some(Found::of_sample(&error, precision)) })
    })
    .map_err(|error| of_file(error, &args.input))?;
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
    let audited = error.as_ref().map_or(String::new(), |error| format!("\n{}", error.said));
    let by = solver.map_or(String::new(), |solver| format!(", {solver} solver"));
    say(format_args!(
        "{}, {}{list}{by}, {precision}, {}: {seconds:.3} s, {rate:.2e} interactions/s\n\
         a pair costs {} operations and {} roots or functions{audited}\nwrote {}",
        console::bodies(bodies.len()),
        law.title(),
        device::in_words(device),
        cost.operations,
        cost.special,
        args.out.display(),
    ));
    let warning = error.as_ref().and_then(|error| error.warning.clone());
    warning.iter().for_each(|warning| console::complain(format_args!("warning: {warning}")));
    if args.json {
        json(&serde_json::json!({
            "event": "force", "law": law.name(), "n": bodies.len(), "precision": precision.name(), "device": device.name(),
            "seconds": seconds, "interactions_per_s": rate, "file": args.out.display().to_string(),
            "operations": cost.operations, "special": cost.special, "flops": cost.flops,
            "solver": solver, "rtol": super::rtol(settings)?,
            "error": error.map(|error| error.json), "warnings": Vec::from_iter(warning),
        }));
    }
    Ok(())
}

/// Results, the time that they took, and their errors.
struct Evaluated {
    results: Vec<Vec<f64>>,
    seconds: f64,
    error: Option<Found>,
}

/// Errors that were found, in words and for programs.
struct Found {
    said: String,
    json: serde_json::Value,
    warning: Option<String>,
}

impl Found {
    fn of_sample(error: &SampleError, precision: Precision) -> Self {
        let json = serde_json::json!({
            "sample": error.count, "median": error.median, "p99": error.p99, "max": error.max,
        });
        Found { said: error.to_string(), json, warning: error.warning(precision) }
    }

    fn of_expansions(error: &LawErrors) -> Self {
        let LawErrors { sample, median, p99, max, .. } = error;
        let said = format!(
            "error against all pairs in f64 at {}, relative to the result or to the median result, the larger: median \
             {median:.1e}, p99 {p99:.1e}, max {max:.1e}",
            console::bodies(*sample)
        );
        let json = serde_json::json!({"sample": sample, "median": median, "p99": p99, "max": max});
        Found { said, json, warning: None }
    }
}

/// The results by fmm, with the error that is promised.
fn by_fmm(trial: LawTrial<'_>, method: Method, watch: &Watch, progress: ProgressLine) -> Result<Evaluated, Error> {
    let mut note = |line: &str| say(format_args!("{line}"));
    let tuned = driver::tuned_law(method, trial, watch, &mut note)?;
    drop(progress);
    tuned.check()?;
    let error = Some(Found::of_expansions(&tuned.errors));
    Ok(Evaluated { results: tuned.results, seconds: tuned.seconds, error })
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

/// An error of a column, with the name of the file that has it.
fn of_file(error: Error, file: &Path) -> Error {
    match error {
        Error::Column { column, expected } => {
            Error::Column { column: format!("{}: {column}", file.display()), expected }
        }
        other => other,
    }
}
