//! `manybody convert`: a snapshot from one format, or system of units, to another.

use anyhow::Context;
use manybody::snapshot::{self, ColumnOrder, Format, Precision, ReadOptions, TipsyVariant, WriteOptions};
use manybody::{Error, Units};
use std::path::PathBuf;
use std::process::ExitCode;

/// Convert a snapshot between formats and units
///
/// Formats go by extension: .hdf5 .tipsy .nemo .csv .txt. What the output format cannot hold is said on stderr.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// File to read
    input: PathBuf,
    /// File to write
    output: PathBuf,
    /// Format of the input, whatever it is called: hdf5, tipsy, nemo, csv, text
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Format of the output, whatever it is called
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Bits of a number in the output, where the format leaves the choice: f64, f32
    #[arg(long, default_value = "f64")]
    precision: Precision,
    /// Units of the input, where the file does not name them: henon, henon:1e5msun:3pc, msun-pc-kms, gadget, ...
    #[arg(long, value_name = "NAME")]
    from_units: Option<Units>,
    /// Units to convert to
    #[arg(long, value_name = "NAME")]
    units: Option<Units>,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    /// Order of the output's columns, where both files are plain text
    #[arg(long, value_name = "ORDER")]
    to_columns: Option<ColumnOrder>,
    /// Tipsy to write: standard (big-endian), native (little-endian), nvidia (the nbody sample of NVIDIA, Bonsai 0),
    /// bonsai (Bonsai 2)
    #[arg(long, value_name = "VARIANT", default_value = "standard")]
    tipsy: TipsyVariant,
    /// Which snapshot of an input that holds several, from 0; the last unless given
    #[arg(long, value_name = "K")]
    frame: Option<usize>,
    /// Replace an output that exists
    #[arg(long)]
    force: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Converts.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let format = match args.to {
        Some(format) => format,
        None => Format::for_writing(&args.output)?,
    };
    // before the work of reading, not after it
    if !args.force && std::fs::metadata(&args.output).is_ok_and(|m| m.is_file()) {
        let expected = "the file exists: --force replaces it".into();
        return Err(Error::Parameter { name: "output", value: args.output.display().to_string(), expected }.into());
    }
    let options = ReadOptions { format: args.from, columns: args.columns, frame: args.frame, ..ReadOptions::default() };
    let loaded = snapshot::read_with(&args.input, &options)?;
    let (mut snapshot, mut notes) = (loaded.snapshot, loaded.notes);
    if let Some(units) = args.from_units {
        notes.retain(|note| !note.contains("names no units"));
        snapshot.units = units;
    }
    if let Some(units) = &args.units {
        snapshot.convert_to(units)?;
    }
    let told = notes.into_iter().map(|note| (&args.input, note));
    let options = WriteOptions {
        format: Some(format),
        precision: args.precision,
        columns: args.to_columns.or(args.columns),
        tipsy: args.tipsy,
    };
    let lost = snapshot::write_as(&args.output, &snapshot, &options)?;
    let notes: Vec<_> = told.chain(lost.into_iter().map(|note| (&args.output, note))).collect();
    for (path, note) in &notes {
        eprintln!("note: {}: {note}", path.display());
    }
    let bytes = std::fs::metadata(&args.output).context("the output vanished")?.len();
    let n = snapshot.bodies.len();
    if args.json {
        let notes: Vec<_> = notes.iter().map(|(path, note)| format!("{}: {note}", path.display())).collect();
        #[allow(clippy::print_stdout)]
        {
            println!(
                "{}",
                serde_json::json!({
                    "input": args.input, "output": args.output, "format": format.name(), "n": n,
                    "time": snapshot.time, "units": snapshot.units.name, "bytes": bytes, "notes": notes,
                })
            );
        }
    } else {
        let (from, to) = (loaded.header.format.title(), format.title());
        eprintln!("{}: {n} bodies, {from} to {to}, {bytes} bytes", args.output.display());
    }
    Ok(ExitCode::SUCCESS)
}
