//! `manybody force --law`: any law on the columns of a file.

use super::{Args, check_replaceable};
use crate::console::{json, number, say};
use crate::device;
use manybody::law::{Cell, Field, Law, Sets};
use manybody::simd::Level;
use manybody::snapshot::{self, ReadOptions, Snapshot, atomic};
use manybody::solver::{Evaluator, Precision};
use manybody::units::{Dimension, parse_quantity};
use manybody::{Error, Units};
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
    let law = read_law(law)?;
    let header = format!("id,{}", law.result_columns().join(","));
    check_replaceable(&args.out, &header)?;
    let precision: Precision = args.precision.parse()?;
    let loaded = snapshot::read_with(&args.input, &ReadOptions { columns: args.columns, ..ReadOptions::default() })?;
    loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", args.input.display())));
    let Snapshot { bodies, units, .. } = loaded.snapshot;
    let given: Vec<(String, f64)> = args.par.iter().map(|text| parameter(text, &units)).collect::<Result<_, _>>()?;
    let par = law.parameter_values(&given)?;
    let in_file = |error| match error {
        Error::Parameter { name: "column", value, expected } => {
            Error::Field { path: args.input.clone(), field: value, problem: format!("not in the file; {expected}") }
        }
        other => other,
    };
    let i = law.read(law.body(), &bodies).map_err(in_file)?;
    let j = law.read(law.partner(), &bodies).map_err(in_file)?;
    let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
        (i.iter().map(|column| &column[..]).collect(), j.iter().map(|column| &column[..]).collect());
    let sets = Sets { i: &i, j: &j, same: true, par: &par };

    let device = device::choose(Some(&args.device), precision, bodies.len())?;
    let evaluate = evaluator(device, &law, precision, args.solver.as_deref())?;
    let before = Instant::now();
    let results = evaluate(&sets)?;
    let seconds = before.elapsed().as_secs_f64();
    law.check_results(&sets, &results)?;
    let columns: Vec<(&[f64], bool)> = results.iter().map(Vec::as_slice).zip(whole_numbers(&law)).collect();
    atomic::write_with(&args.out, |file| write_csv(file, &args.out, &header, &bodies.id, &columns))?;

    let n = bodies.len() as f64;
    let (rate, cost) = (n * n / seconds, law.one_sided().cost());
    let list: Vec<String> =
        law.parameter_names().iter().zip(&par).map(|(name, x)| format!("{name} = {}", number(*x))).collect();
    let list = if list.is_empty() { String::new() } else { format!(", {}", list.join(", ")) };
    say(format_args!(
        "{} bodies, law {}{list}, {precision}, {}: {seconds:.3} s, {rate:.2e} interactions/s\n\
         a pair costs {} operations and {} roots or functions\nwrote {}",
        bodies.len(),
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
        }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Computes a law's results.
type Evaluate<'a> = Box<dyn FnOnce(&Sets<'_>) -> Result<Vec<Vec<f64>>, Error> + 'a>;

/// The law on a device; on a GPU each pair once, unless the solver says otherwise or the law has bodies of two kinds.
fn evaluator<'a>(
    device: &str,
    law: &'a Law,
    precision: Precision,
    solver: Option<&str>,
) -> Result<Evaluate<'a>, Error> {
    #[cfg(feature = "gpu")]
    if device != "cpu" {
        use manybody_gpu::Pairs;
        let pairs = match solver {
            Some("direct") => Pairs::Ordered,
            Some("symmetric") => Pairs::Once,
            _ if law.has_one_kind() => Pairs::Once,
            _ => Pairs::Ordered,
        };
        let mut evaluator = manybody_gpu::evaluator(device, law, precision, pairs)?;
        return Ok(Box::new(move |sets| evaluator.evaluate(sets)));
    }
    let _ = (device, solver);
    let evaluator = Evaluator::new(law, Level::from_env()?, precision);
    Ok(Box::new(move |sets| evaluator.evaluate(sets)))
}

/// A built-in law, a text, or a file that holds one.
fn read_law(law: &str) -> anyhow::Result<Law> {
    let path = Path::new(law);
    if !law.contains('\n') && path.is_file() {
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::Io { path: path.into(), action: "read", source })?;
        return Law::parse(&text).map_err(|error| anyhow::Error::from(error).context(path.display().to_string()));
    }
    Ok(Law::by_name_or_text(law)?)
}

/// `name=value`; the value may be a fraction.
fn parameter(text: &str, units: &Units) -> Result<(String, f64), Error> {
    let wrong = || Error::Parameter {
        name: "par",
        value: text.into(),
        expected: "a parameter is given as name=value, for example eps2=1e-4".into(),
    };
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value = parse_quantity(value.trim(), Dimension::NUMBER, units).map_err(|_| wrong())?;
    Ok((name.trim().to_string(), value))
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
