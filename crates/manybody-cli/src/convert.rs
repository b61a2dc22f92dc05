//! `manybody convert`: a snapshot from one format, or system of units, to another.

use crate::console::{self, json, say};
use crate::writing::Writing;
use manybody::snapshot::{self, ColumnOrder, Format, ReadOptions};
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
    /// Units of the input, where the file does not name them: g1, henon, henon:1e5msun:3pc, msun-pc-kms, gadget, ...
    #[arg(long, value_name = "NAME")]
    from_units: Option<Units>,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    /// Order of the output's columns, where both files are plain text
    #[arg(long, value_name = "ORDER")]
    to_columns: Option<ColumnOrder>,
    /// Which snapshot of an input that holds several, from 0; the last unless given
    #[arg(long, value_name = "K")]
    frame: Option<usize>,
    /// Take a file as it is whose content differs from what was written, by its checksum
    #[arg(long)]
    ignore_checksum: bool,
    #[command(flatten)]
    writing: Writing,
}

/// Converts.
///
/// # Errors
/// Those of the words and of the files.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    let format = args.writing.check("output", &args.output)?;
    let options = ReadOptions {
        format: args.from,
        columns: args.columns,
        frame: args.frame,
        unverified: args.ignore_checksum,
        units_are_given: args.from_units.is_some(),
        ..ReadOptions::default()
    };
    let loaded = snapshot::read_with(&args.input, &options)?;
    let (mut snapshot, notes) = (loaded.snapshot, loaded.notes);
    if let Some(units) = args.from_units {
        let own = &snapshot.units;
        if own.si.is_some() && *own != units {
            let expected =
                format!("{} says that its units are {own}; --units converts to others", args.input.display());
            return Err(Error::Parameter { name: "from-units", value: units.name, expected }.into());
        }
        // what the file says of G, if it does, the scale that it is given has to agree with
        if loaded.header.units.is_some() && own.g != units.g {
            let expected = format!(
                "{} says that its units are {own} with G = {}, where {} has G = {}: a scale is given as henon:1e5msun:3pc",
                args.input.display(),
                own.g,
                units.name,
                units.g
            );
            return Err(Error::Parameter { name: "from-units", value: units.name, expected }.into());
        }
        snapshot.units = units;
    }
    if let Some(units) = &args.writing.units {
        if snapshot.units.si.is_none() && *units != snapshot.units {
            let (file, own) = (args.input.display(), &snapshot.units);
            let expected = format!(
                "the units of {file}, {own}, have no physical scale: give them one, as --from-units henon:1e5msun:3pc"
            );
            return Err(Error::Parameter { name: "units", value: units.name.clone(), expected }.into());
        }
        snapshot.convert_to(units)?;
    }
    let mut notes: Vec<_> = notes.into_iter().map(|note| format!("{}: {note}", args.input.display())).collect();
    let columns = args.to_columns.or(args.columns);
    let written = args.writing.write(&args.output, &snapshot, format, columns, &mut notes)?;
    let (n, bytes) = (snapshot.bodies.len(), written.bytes);
    let size = console::bodies(n);
    let (from, to) = (loaded.header.format.title(), format.title());
    say(format_args!("{}: {size}, {from} to {to}, {bytes} bytes", args.output.display()));
    if args.writing.json {
        json(&serde_json::json!({
            "input": args.input, "output": args.output, "format": format.name(), "n": n,
            "time": snapshot.time, "units": snapshot.units.name, "bytes": bytes, "notes": notes,
        }));
    }
    Ok(ExitCode::SUCCESS)
}
