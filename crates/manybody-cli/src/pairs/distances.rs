//! `manybody pairs distances`: the packed distance matrix as an .npy file.

use super::input::{Input, Source};
use super::{Common, Number};
use crate::console::{json, say};
use crate::device;
use manybody::Result;
use manybody::pairs::write_distance_matrix;
use manybody::solver::Precision;
use std::path::PathBuf;
use std::time::Instant;

/// All distances, as SciPy's pdist orders them, straight to an .npy file
///
/// The file holds n(n-1)/2 numbers: 01 02 03 ... 12 13 .... It may be larger than memory; the disk is asked for the room
/// before the work starts. numpy.load(OUT, mmap_mode="r") opens it, scipy.spatial.distance.squareform makes a square of it.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// File to write
    #[arg(short, long, value_name = "OUT.npy")]
    out: PathBuf,
    /// Numbers of the computation and of the file: f32 or f64
    #[arg(long, value_name = "NAME", default_value = "f64")]
    precision: manybody::snapshot::Precision,
    #[command(flatten)]
    common: Common,
}

/// Computes and writes.
///
/// # Errors
/// Those of the words and of the files.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    args.common.begin(Some(&args.out), "npy")?;
    let input = args.source.read(&[])?;
    match args.precision {
        manybody::snapshot::Precision::F32 => on_device::<f32>(args, &input, Precision::F32),
        manybody::snapshot::Precision::F64 => on_device::<f64>(args, &input, Precision::F64),
    }
}

#[cfg(feature = "gpu")]
fn write<T: Number>(device: &str, points: &manybody::pairs::Points<T>, out: &std::path::Path) -> Result<u64> {
    match device {
        "cpu" => write_distance_matrix(points, out),
        device => {
            let gpu = manybody_gpu::compute::Gpu::open(device)?;
            manybody_gpu::distances::write_distance_matrix(&gpu, points, out)
        }
    }
}

#[cfg(not(feature = "gpu"))]
fn write<T: Number>(_: &str, points: &manybody::pairs::Points<T>, out: &std::path::Path) -> Result<u64> {
    write_distance_matrix(points, out)
}

fn on_device<T: Number>(args: &Args, input: &Input, precision: Precision) -> anyhow::Result<()> {
    let points = input.points::<T>()?;
    let (n, dimensions) = (points.len(), points.dimensions());
    let device = device::choose(Some(&args.common.device), precision, n)?;
    let before = Instant::now();
    let count = write(device, &points, &args.out)?;
    let seconds = before.elapsed().as_secs_f64();
    let rate = count as f64 / seconds;
    say(format_args!(
        "{n} points in {dimensions} dimensions, {precision}, {}: {count} distances in {seconds:.3} s with their \
         writing, {rate:.2e} a second\nwrote {}",
        device::in_words(device),
        args.out.display(),
    ));
    if args.common.json {
        json(&serde_json::json!({
            "event": "distances", "n": n, "dimensions": dimensions, "distances": count, "device": device,
            "precision": precision.name(), "seconds": seconds, "pairs_per_s": rate,
            "file": args.out.display().to_string(),
        }));
    }
    Ok(())
}
