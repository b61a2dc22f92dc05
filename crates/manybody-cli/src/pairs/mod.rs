//! `manybody pairs`: computations over all pairs i < j, and over all triples, of the bodies of a file.
//!
//! Each computation is a file here with its arguments and a `run`.

mod axilrod_teller;
mod collisions;
mod correlation;
mod distances;
mod input;

use crate::device::{self, Threads};
use crate::progress_line::ProgressLine;
use crate::ranks;
use crate::settings::{Given, OfRanks};
use clap::Subcommand;
use input::Source;
use manybody::driver::device::choose;
use manybody::settings::Settings;
use manybody::snapshot::{Precision as Stored, atomic};
use manybody::solver::{Device, DeviceChoice, Precision};
use manybody::watch::Watch;
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
    Correlation(Box<correlation::Args>),
    AxilrodTeller(axilrod_teller::Args),
}

/// Runs one of them.
///
/// # Errors
/// Those of the files and of the words on the command line.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    match args.what {
        What::Distances(args) => distances::run(&args).map(|()| ExitCode::SUCCESS),
        What::Collisions(args) => collisions::run(&args),
        What::Correlation(args) => correlation::run(&args),
        What::AxilrodTeller(args) => axilrod_teller::run(&args),
    }
}

/// The options that all of them have.
#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    source: Source,
    /// File to write
    #[arg(short, long, value_name = "OUT.csv")]
    out: Option<PathBuf>,
    /// Numbers of the computation, and of an .npy file: f32 or f64
    #[arg(long, value_name = "NAME", default_value = "f64")]
    precision: Stored,
    /// Where to compute: auto, cpu, cuda or wgpu
    #[arg(long, value_name = "NAME", default_value = "auto")]
    device: DeviceChoice,
    #[command(flatten)]
    threads: Threads,
    /// Replace an output that exists
    #[arg(long)]
    force: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

impl Common {
    /// Carries out a computation on the ranks that the options or a launcher name, or alone.
    ///
    /// # Errors
    /// Those of the computation, and of ranks that are lost or do not belong together.
    fn on_ranks(&self, of: &Given<OfRanks>, compute: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<ExitCode> {
        let settings = Settings { threads: self.threads.number(), ..of.settings.clone() };
        ranks::with(&settings, &ranks::command_line(), &Watch::default(), || {}, || compute().map(|()| 0))
    }

    /// Sets the threads, and asks whether the output may be written: before the work, not after it. `kind` is the extension
    /// that it must have.
    fn begin(&self, kind: &'static str) -> anyhow::Result<()> {
        self.threads.start()?;
        let Some(out) = &self.out else { return Ok(()) };
        let wrong =
            |expected: String| Err(Error::Parameter { name: "out", value: out.display().to_string(), expected }.into());
        let extension = out.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !extension.eq_ignore_ascii_case(kind) {
            return wrong(format!("must be a name that ends in .{kind}"));
        }
        crate::writing::check_replaced("out", out, self.force)?;
        // a folder that is not there is noticed now
        Ok(atomic::check_room(out, 0)?)
    }

    /// Begins to report how far a long computation is, or how long it takes where the watch is not used.
    fn progress(&self, what: &str) -> (ProgressLine, Watch) {
        // all sizes are followed, since no line is printed for what ends within a second
        let watch = Watch::of(0);
        (ProgressLine::timed(what, &watch), watch)
    }

    fn precision(&self) -> Precision {
        match self.precision {
            Stored::F32 => Precision::F32,
            Stored::F64 => Precision::F64,
        }
    }

    /// The device for so many bodies. What is computed on the CPU alone says so in words.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name, or a device that lacks what is requested.
    fn device(&self, bodies: usize, only_on_cpu: Option<&str>) -> Result<Device> {
        device::check(self.device)?;
        match (only_on_cpu, self.device) {
            (None, DeviceChoice::Device(device)) => manybody::ranks::check_device(device).map(|()| device),
            // ranks share points on the CPU
            (None, DeviceChoice::Auto) if manybody::ranks::Team::current().is_some() => Ok(Device::Cpu),
            (None, choice) => Ok(choose(choice, self.precision(), bodies)),
            (Some(_), DeviceChoice::Auto | DeviceChoice::Device(Device::Cpu)) => Ok(Device::Cpu),
            (Some(what), DeviceChoice::Device(device)) => Err(Error::Parameter {
                name: "device",
                value: device.to_string(),
                expected: format!("{what} on the CPU: --device cpu"),
            }),
        }
    }

    /// The output, where one is required.
    ///
    /// # Errors
    /// [`Error::Parameter`] if no file was given, which clap refuses before.
    fn out(&self) -> Result<&Path> {
        self.out.as_deref().ok_or_else(|| Error::Parameter {
            name: "out",
            value: String::new(),
            expected: "must be a file to write".into(),
        })
    }

    /// The output's name, for JSON.
    fn file(&self) -> Option<String> {
        self.out.as_ref().map(|out| out.display().to_string())
    }

    /// A line that names the output, if there is one.
    fn wrote(&self) -> String {
        self.out.as_ref().map_or(String::new(), |out| format!("\nwrote {}", out.display()))
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
