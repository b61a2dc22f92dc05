//! `manybody pairs distances`: the packed distance matrix as an .npy file.

use super::input::Input;
use super::{Common, Number};
use crate::console::{json, say};
use crate::device;
use manybody::Result;
use manybody::pairs::{Points, write_distance_matrix_watched};
use manybody::snapshot::Precision as Stored;
use manybody::solver::Device;
use manybody::watch::Watch;
use std::path::Path;
use std::time::Instant;

/// All distances, as SciPy's pdist orders them, straight to an .npy file
///
/// The file holds n(n-1)/2 numbers: 01 02 03 ... 12 13 .... It may be larger than memory; the disk is asked for the room
/// before the work starts. numpy.load(OUT, mmap_mode="r") opens it, scipy.spatial.distance.squareform makes a square of it.
#[derive(clap::Args)]
#[command(mut_arg("out", |out| out.required(true).value_name("OUT.npy")))]
pub(super) struct Args {
    #[command(flatten)]
    common: Common,
}

/// Computes and writes.
///
/// # Errors
/// Those of the words and of the files.
pub(super) fn run(Args { common }: &Args) -> anyhow::Result<()> {
    common.begin("npy")?;
    let input = common.source.read(&[])?;
    match common.precision {
        Stored::F32 => on_device::<f32>(common, &input),
        Stored::F64 => on_device::<f64>(common, &input),
    }
}

#[cfg(feature = "gpu")]
fn write<T: Number>(device: Device, points: &Points<T>, out: &Path, watch: &Watch) -> Result<u64> {
    match device {
        Device::Cpu => write_distance_matrix_watched(points, out, watch),
        device => {
            let gpu = manybody_gpu::compute::Gpu::open(device)?;
            manybody_gpu::distances::write_distance_matrix_watched(&gpu, points, out, watch)
        }
    }
}

#[cfg(not(feature = "gpu"))]
fn write<T: Number>(_: Device, points: &Points<T>, out: &Path, watch: &Watch) -> Result<u64> {
    write_distance_matrix_watched(points, out, watch)
}

fn on_device<T: Number>(common: &Common, input: &Input) -> anyhow::Result<()> {
    let precision = common.precision();
    let points = input.points::<T>()?;
    let (n, dimensions) = (points.len(), points.dimensions());
    let device = common.device(n, None)?;
    let before = Instant::now();
    let (progress, watch) = common.progress("computing distances");
    let count = write(device, &points, common.out()?, &watch)?;
    drop(progress);
    let seconds = before.elapsed().as_secs_f64();
    let rate = count as f64 / seconds;
    say(format_args!(
        "{n} points in {dimensions} dimensions, {precision}, {}: {count} distances in {seconds:.3} s with their \
         writing, {rate:.2e} a second{}",
        device::in_words(device),
        common.wrote(),
    ));
    if common.json {
        json(&serde_json::json!({
            "event": "distances", "n": n, "dimensions": dimensions, "distances": count, "device": device.name(),
            "precision": precision.name(), "seconds": seconds, "pairs_per_s": rate,
            "file": common.file(),
        }));
    }
    Ok(())
}
