//! `manybody plot`: the table of a run as charts.

use crate::console::say;
use crate::writing::check_replaced;
use manybody::log::{Table, beside};
use manybody_view::chart::Format;
use manybody_view::plot::page;
use std::path::PathBuf;
use std::process::ExitCode;

/// Plot the table of a run that `run --log EVERY` has written
///
/// Charts against time, below each other: the energy error, the Lagrangian radii with the core radius, the virial
/// ratio; or any columns of the table.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The table, or any file of its run: b.csv, b.hdf5, b.toml
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The plot to write: .svg or .png
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// What to plot: columns of the table, or lagrangian, separated by commas [default:
    /// energy_error,lagrangian,virial_ratio, of these what the table has]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    show: Vec<String>,
    /// Replace a plot that exists
    #[arg(long)]
    force: bool,
}

/// Plots.
///
/// # Errors
/// Those of the words and of the files.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    Format::of(&args.out)?;
    check_replaced("out", &args.out, args.force)?;
    let path = beside(&args.run)?;
    let table = Table::read(&path)?;
    let title = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    page(&table, &title, &args.show)?.write(&args.out)?;
    say(format_args!("{}: {} lines of {}", args.out.display(), table.len(), path.display()));
    Ok(ExitCode::SUCCESS)
}
