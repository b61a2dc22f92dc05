//! `manybody profile`: a snapshot by radius.

use crate::console::{bodies, say};
use crate::writing::check_replaced;
use manybody::cluster::{NEIGHBOURS, Neighbourhood, density_centre, profile};
use manybody::snapshot::{self, ColumnOrder, ReadOptions};
use manybody::units::show;
use manybody::{Error, Result};
use manybody_view::chart::Format;
use manybody_view::profile::{page, write_csv};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Density, velocity dispersion and anisotropy against radius
///
/// In shells with equal numbers of bodies with mass about the density centre, as a plot or as a table.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The snapshot
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file to write: .svg, .png or .csv
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// How many shells [default: 40, or one for every 25 bodies]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    shells: Option<u32>,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// Measures and writes.
///
/// # Errors
/// Those of the words and of the files.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    let format = format(&args.out)?;
    check_replaced("out", &args.out, args.force)?;
    let options = ReadOptions { columns: args.columns, ..ReadOptions::default() };
    let snapshot = snapshot::read_with(&args.file, &options)?.snapshot;
    let (stars, units) = (&snapshot.bodies, &snapshot.units);
    stars.validate()?;
    let neighbourhood = Neighbourhood::of(stars);
    let Some(densities) = neighbourhood.densities(stars) else {
        let problem = format!("it has fewer than {} bodies with mass: there is no density centre", NEIGHBOURS + 1);
        return Err(Error::Field { path: args.file, field: "mass".into(), problem }.into());
    };
    let massive = stars.mass.iter().filter(|mass| **mass > 0.0).count();
    let shells = args.shells.map_or((massive / 25).clamp(1, 40), |shells| shells as usize);
    let shells = profile(stars, density_centre(stars, &densities), shells);
    match format {
        Some(_) => {
            let name = args.file.file_name().unwrap_or_default().to_string_lossy();
            let title = format!("{name}, t = {}, {}", show::label(snapshot.time, units), bodies(massive));
            page(&shells, &title, units).write(&args.out)?;
        }
        None => write_csv(&args.out, &shells, snapshot.time, units)?,
    }
    let count = if shells.len() == 1 { "1 shell".into() } else { format!("{} shells", shells.len()) };
    say(format_args!("{}: {} in {count}", args.out.display(), bodies(massive)));
    Ok(ExitCode::SUCCESS)
}

/// The kind of a plot; `None` for CSV.
fn format(out: &Path) -> Result<Option<Format>> {
    if out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
        return Ok(None);
    }
    Format::of(out).map(Some).map_err(|error| match error {
        Error::Unknown { what, name, .. } => Error::Unknown { what, name, known: "svg, png, csv".into() },
        other => other,
    })
}
