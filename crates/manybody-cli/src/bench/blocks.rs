//! `manybody bench blocks`: block time steps, as a run makes them: blocks, active bodies, microseconds a block.

use super::Args;
use crate::console::{json, say};
use crate::progress_line::ProgressLine;
use manybody::integrator::{IntegratorName, TimeSteps};
use manybody::settings::{Settings, setting};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Method, Precision};
use manybody::units::Units;
use manybody::watch::Watch;
use std::time::Instant;

/// The largest step of a body.
const DT: f64 = 1.0 / 16.0;
/// When what is measured begins: first forces are computed, and kernels are loaded.
const BEGIN: f64 = DT;
/// The time that is measured: one Henon unit.
const UNIT: f64 = 1.0;

/// Measures all rows.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    say("block time steps of a Plummer sphere over one Henon unit, dt = 1/16, after a first dt that begins the run");
    say(format!(
        "{:>10}  {:>12}  {:>9}  {:>8}  {:>8}  {:>8}  {:>9}  {:>9}  {:>8}  {:>13}",
        "N", "", "precision", "eps", "blocks", "active", "us/block", "s", "1e9/s", "energy error"
    ));
    for n in &args.n {
        let start = super::sphere(*n, args)?;
        let eps = args.eps()?.unwrap_or(4.0 / f64::from(*n));
        // snaps are computed in f64 and in mixed precision
        let schemes = |precision: &Precision| match precision {
            Precision::F64 | Precision::Mixed => &["hermite4", "hermite6", "hermite6-3pt"][..],
            Precision::F32 => &["hermite4", "hermite6-3pt"],
        };
        for (precision, name) in args.precision.iter().flat_map(|p| schemes(p).iter().map(move |name| (*p, name))) {
            let Method { device, gpus, solver, level, .. } =
                args.method(Settings::default(), precision, *n as usize)?;
            let integrator: IntegratorName = name.parse()?;
            let parameters = Parameters {
                dt: DT,
                t_end: BEGIN + UNIT,
                eps: Some(eps),
                softening: args.softening(),
                integrator,
                time_steps: Some(TimeSteps::Individual),
                eta: setting::eta.resolve(&args.settings().eta, &Units::henon())?.flatten(),
                device,
                solver,
                precision,
                gpus,
                simd: level,
                ..Parameters::default()
            };
            let watch = Watch::default();
            let progress = ProgressLine::begin(&format!("{n} bodies, {name}, {precision}"), &watch);
            let mut run = Simulation::start_watched(start.clone(), parameters, &watch)?;
            while run.time() < BEGIN {
                run.step()?;
            }
            let before = run.integrator().work().unwrap_or_default();
            let begin = Instant::now();
            while !run.is_finished() {
                run.step()?;
            }
            let seconds = begin.elapsed().as_secs_f64();
            drop(progress);
            let error = run.drift()?.energy;
            let work = run.integrator().work().unwrap_or_default();
            let [blocks, body_steps, pairs] =
                [work.blocks - before.blocks, work.body_steps - before.body_steps, work.pairs - before.pairs];
            let active = body_steps as f64 / blocks.max(1) as f64;
            let (micro, rate) = (1e6 * seconds / blocks.max(1) as f64, pairs as f64 / seconds);
            say(format!(
                "{n:>10}  {name:>12}  {:>9}  {eps:>8.2e}  {:>8}  {active:>8.1}  {micro:>9.1}  {seconds:>9.3}  {:>8.3}  {error:>+13.1e}",
                precision.name(),
                blocks,
                1e-9 * rate
            ));
            if args.json {
                json(&serde_json::json!({
                    "program": "manybody", "bench": "blocks", "n": n, "integrator": name, "precision": precision.name(),
                    "device": device.name(), "eps": eps, "blocks": blocks, "body_steps": body_steps, "seconds": seconds, "microseconds_per_block": micro,
                    "interactions_per_second": rate, "energy_error": error, "threads": rayon::current_num_threads(),
                }));
            }
        }
    }
    Ok(())
}
