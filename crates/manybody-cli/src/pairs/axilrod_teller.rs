//! `manybody pairs axilrod-teller`: energy and forces of all triples.

use super::{Common, write_csv};
use crate::console::{json, number, say};
use crate::device;
use crate::settings::{Given, OfRanks};
use manybody::Error;
use manybody::pairs::{AxilrodTeller, Points, TripletForces};
use manybody::solver::{Device, Precision};
use manybody::watch::Watch;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Triple-dipole (Axilrod-Teller) energy of all triples, and the forces on every atom with --out
///
/// E = NU (1 + 3 cos a cos b cos c) / (r12 r23 r31)^3 for each triple, once. Writes CSV with the columns id, fx, fy and fz.
/// A cut-off and a periodic box are computed on the CPU, in f64; GPUs compute open systems, in f32 or f64.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Strength NU (also called C9), energy x length^9 in the units of the file; argon has 518 hartree bohr^9
    #[arg(long, value_name = "NU", default_value_t = 1.0, allow_negative_numbers = true)]
    nu: f64,
    /// Only triples whose three sides are all shorter than this
    #[arg(long, value_name = "LENGTH")]
    cutoff: Option<String>,
    /// Sides of a periodic box: one for all, or three; wants a cut-off of a third of the box at most
    #[arg(long = "box", value_name = "LENGTH,...", value_delimiter = ',')]
    sides: Vec<String>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    ranks: Given<OfRanks>,
}

/// Computes energy and forces.
///
/// # Errors
/// Those of the words and of the files.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.common.on_ranks(&args.ranks, || evaluate(args))
}

/// Computes them, in the process that writes.
fn evaluate(args: &Args) -> anyhow::Result<()> {
    let common = &args.common;
    common.begin("csv")?;
    let input = common.source.read(&[])?;
    let points = input.points::<f64>()?;
    let mut law = AxilrodTeller::new(args.nu)?;
    if let Some(cutoff) = &args.cutoff {
        law = law.cutoff(input.length("cutoff", cutoff)?)?;
    }
    if let Some(sides) = input.sides(&args.sides)? {
        let three = <[f64; 3]>::try_from(sides).map_err(|sides| {
            input.wrong("coordinates", format!("{} dimensions: must be atoms in 3 dimensions", sides.len()))
        })?;
        law = law.periodic(three)?;
    }
    let open = args.cutoff.is_none() && args.sides.is_empty();
    let precision = common.precision();
    let device = common.device(points.len(), (!open).then_some("triples with a cut-off or in a box are computed"))?;
    if device == Device::Cpu && precision == Precision::F32 {
        let expected = "the CPU computes triples in f64; f32 is for GPUs".into();
        return Err(Error::Parameter { name: "precision", value: "f32".into(), expected }.into());
    }
    let before = Instant::now();
    let (progress, watch) = common.progress("computing triples");
    let found = input.named("coordinates", compute(device, &law, &points, args.nu, precision, &watch))?;
    drop(progress);
    let seconds = before.elapsed().as_secs_f64();
    let n = points.len() as f64;
    let triples = (n * (n - 1.0) * (n - 2.0) / 6.0).max(0.0);
    if let Some(out) = &common.out {
        let [x, y, z] = &found.force;
        write_csv(out, "id,fx,fy,fz", |file| {
            (0..x.len()).try_for_each(|k| writeln!(file, "{},{:?},{:?},{:?}", input.ids[k], x[k], y[k], z[k]))
        })?;
    }
    say(format_args!(
        "{} atoms, {triples} triples, nu = {}, {precision}, {}: {seconds:.3} s, {:.2e} triples/s\nenergy {:?}{}",
        points.len(),
        number(args.nu),
        device::in_words(device),
        triples / seconds,
        found.energy,
        common.wrote(),
    ));
    if common.json {
        json(&serde_json::json!({
            "event": "axilrod-teller", "n": points.len(), "nu": args.nu, "energy": found.energy, "device": device.name(),
            "precision": precision.name(), "seconds": seconds, "triples_per_s": triples / seconds,
            "file": common.file(),
        }));
    }
    Ok(())
}

fn compute(
    device: Device,
    law: &AxilrodTeller,
    points: &Points<f64>,
    nu: f64,
    precision: Precision,
    watch: &Watch,
) -> manybody::Result<TripletForces> {
    #[cfg(feature = "gpu")]
    if device.is_gpu() {
        let gpu = manybody_gpu::compute::Gpu::open(device)?;
        return manybody_gpu::tetrahedral::axilrod_teller_watched(&gpu, points, nu, precision, watch);
    }
    let _ = (device, nu, precision);
    manybody::ranks::triples(law, points, watch)
}
