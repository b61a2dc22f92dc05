//! `manybody pairs collisions`: which spheres touch.

use super::input::Input;
use super::{Common, Number, write_csv};
use crate::console::{json, say};
use crate::device;
use crate::settings::{Given, OfRanks};
use manybody::pairs::{Float, Spheres};
use manybody::snapshot::{Precision as Stored, atomic};
use manybody::solver::Device;
use manybody::watch::Watch;
use manybody::{Error, Result};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// The column of radii unless another is named, and what other programs call theirs.
const RADIUS: [&str; 2] = ["radius", "r"];
/// Of an array with x, y and z the column after them.
const LAST: &str = "c3";

/// Which spheres touch, as a list; counted alone without --out
///
/// Two spheres touch if their centres are no further apart than the sum of their radii: surfaces that just meet, overlaps,
/// one inside another, two points (radius 0) in one place. In one, two or three dimensions. Writes CSV with the columns i
/// and j, the ids of the two (of an array the numbers of its rows), in the order of the file.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Radii: a column of the file, or one length for all [default: the column radius, or r; of an array with four columns the last]
    #[arg(long, value_name = "NAME|LENGTH", allow_hyphen_values = true)]
    radius: Option<String>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    ranks: Given<OfRanks>,
}

/// Tests all pairs.
///
/// # Errors
/// Those of the words and of the files; [`Error::Field`] for a radius that is negative or no number.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.common.on_ranks(&args.ranks, || compute(args))
}

/// Tests them, in the process that writes.
fn compute(args: &Args) -> anyhow::Result<()> {
    args.common.begin("csv")?;
    let input = match args.radius.as_deref() {
        Some(radius) => args.common.source.read(&[radius])?,
        None => args.common.source.read(&[RADIUS[0], RADIUS[1], LAST])?,
    };
    match args.common.precision {
        Stored::F32 => on_device::<f32>(args, &input),
        Stored::F64 => on_device::<f64>(args, &input),
    }
}

fn spheres<T: Float>(args: &Args, input: &Input) -> Result<Spheres<T>> {
    let points = input.points::<T>()?;
    let column = match args.radius.as_deref() {
        Some(name) if input.has(name) => name,
        Some(length) => {
            let radius = input.length("radius", length).ok().filter(|radius| *radius >= 0.0);
            let radius = radius.ok_or_else(|| Error::Parameter {
                name: "radius",
                value: length.into(),
                expected: "must be a column of the file or a length, 0 or more".into(),
            })?;
            return input.named("coordinates", Spheres::new(points, &vec![T::from_f64(radius); input.len()]));
        }
        None => RADIUS.into_iter().chain([LAST]).find(|name| input.has(name)).ok_or_else(|| {
            input.wrong("radius", "not in the file; --radius names a column, or gives one length for all")
        })?,
    };
    let radii = input.column_as::<T>(column)?;
    input.named(column, Spheres::new(points, &radii))
}

/// How many touch, and which, if the list is required.
type Touching = (u64, Vec<[u32; 2]>);

#[cfg(feature = "gpu")]
fn touching<T: Number>(device: Device, spheres: &Spheres<T>, list: bool, watch: &Watch) -> Result<Touching> {
    if device == Device::Cpu {
        return on_cpu(spheres, list, watch);
    }
    let gpu = manybody_gpu::compute::Gpu::open(device)?;
    if !list {
        return Ok((manybody_gpu::collisions::count_collisions_watched(&gpu, spheres, watch)?, Vec::new()));
    }
    let pairs = manybody_gpu::collisions::collisions_watched(&gpu, spheres, watch)?;
    Ok((pairs.len() as u64, pairs))
}

#[cfg(not(feature = "gpu"))]
fn touching<T: Number>(_: Device, spheres: &Spheres<T>, list: bool, watch: &Watch) -> Result<Touching> {
    on_cpu(spheres, list, watch)
}

fn on_cpu<T: Float>(spheres: &Spheres<T>, list: bool, watch: &Watch) -> Result<Touching> {
    if !list {
        return Ok((manybody::ranks::count_collisions(spheres, watch)?, Vec::new()));
    }
    let pairs = manybody::ranks::collisions(spheres, watch)?;
    Ok((pairs.len() as u64, pairs))
}

fn on_device<T: Number>(args: &Args, input: &Input) -> anyhow::Result<()> {
    let (common, precision) = (&args.common, args.common.precision());
    let spheres = spheres::<T>(args, input)?;
    let n = spheres.len();
    let device = common.device(n, None)?;
    let before = Instant::now();
    let (progress, watch) = common.progress("testing pairs");
    let (count, pairs) = touching(device, &spheres, common.out.is_some(), &watch)?;
    drop(progress);
    let seconds = before.elapsed().as_secs_f64();
    let tests = n as f64 * (n as f64 - 1.0).max(0.0) / 2.0;
    let rate = tests / seconds;
    if let Some(out) = &common.out {
        atomic::check_room(out, 4 * count)?; // a line has four bytes at least
        write_csv(out, "i,j", |file| {
            pairs.iter().try_for_each(|[i, j]| writeln!(file, "{},{}", input.ids[*i as usize], input.ids[*j as usize]))
        })?;
    }
    say(format_args!(
        "{n} spheres in {} dimensions, {precision}, {}: {count} of {tests} pairs touch; {seconds:.3} s, {rate:.2e} \
         tests/s{}",
        spheres.centers().dimensions(),
        device::in_words(device),
        common.wrote(),
    ));
    if common.json {
        json(&serde_json::json!({
            "event": "collisions", "n": n, "dimensions": spheres.centers().dimensions(), "touching": count,
            "device": device.name(), "precision": precision.name(), "seconds": seconds, "tests_per_s": rate,
            "file": common.file(),
        }));
    }
    Ok(())
}
