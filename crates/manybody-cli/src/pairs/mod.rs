//! `manybody pairs`: what is made of all pairs i < j, and of all triples, of the bodies of a file.
//!
//! A use is a file here with its arguments and a `run`.

mod axilrod_teller;
mod collisions;
mod correlation;
mod distances;
mod input;

use crate::console::threads;
use clap::Subcommand;
use manybody::snapshot::atomic;
use manybody::solver::Precision;
use manybody::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(not(feature = "gpu"))]
use manybody::pairs::Float as Number;
#[cfg(feature = "gpu")]
use manybody_gpu::Number;

/// Distances, touching spheres, correlation and triple energies of all pairs or triples of a file's bodies
///
/// FILE is a snapshot (.hdf5 .tipsy .nemo .csv .txt; of a CSV file only the columns that are read are needed) or a NumPy
/// array of shape (points, dimensions) (.npy).
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Distances(distances::Args),
    Collisions(collisions::Args),
    Correlation(correlation::Args),
    AxilrodTeller(axilrod_teller::Args),
}

/// Runs one of them.
///
/// # Errors
/// Those of the files and of the words on the command line.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    match args.what {
        What::Distances(args) => distances::run(&args),
        What::Collisions(args) => collisions::run(&args),
        What::Correlation(args) => correlation::run(&args),
        What::AxilrodTeller(args) => axilrod_teller::run(&args),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// What all of them can be told.
#[derive(clap::Args)]
struct Common {
    /// Where to compute: auto, cpu, cuda or wgpu
    #[arg(long, value_name = "NAME", default_value = "auto")]
    device: String,
    /// Threads to compute on; their number changes no bit of the result [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,
    /// Replace an output that exists
    #[arg(long)]
    force: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

impl Common {
    /// Sets the threads, and asks whether `out` may be written: before the work, not after it. `kind` is the extension
    /// that it must have.
    fn begin(&self, out: Option<&PathBuf>, kind: &'static str) -> anyhow::Result<()> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
        }
        let Some(out) = out else { return Ok(()) };
        let wrong =
            |expected: String| Err(Error::Parameter { name: "out", value: out.display().to_string(), expected }.into());
        let extension = out.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !extension.eq_ignore_ascii_case(kind) {
            return wrong(format!("a name that ends in .{kind} is wanted"));
        }
        if !self.force && out.is_file() {
            return wrong("the file exists: --force replaces it".into());
        }
        // a folder that is not there is noticed now
        Ok(atomic::check_room(out, 0)?)
    }
}

/// Refuses a device for what only the CPU has.
fn only_cpu(device: &str, what: &str) -> Result<()> {
    match crate::device::choose(Some(device), Precision::F64, 0)? {
        "cpu" => Ok(()),
        other => {
            let expected = format!("{what}: --device cpu");
            Err(Error::Parameter { name: "device", value: other.into(), expected })
        }
    }
}

/// Writes CSV, all or nothing; `rows` writes everything below the header.
fn write_csv(
    path: &Path,
    header: &str,
    rows: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<()> {
    atomic::write_with(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let write = || {
            writeln!(out, "{header}")?;
            rows(&mut out)?;
            out.flush()
        };
        write().map_err(atomic::io_error(path, "write"))
    })
}
