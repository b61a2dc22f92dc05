//! `manybody bench steps`: leapfrog steps a second, as a run makes them.

use super::Args;
use crate::console::{json, say};
use crate::progress_line::ProgressLine;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::Method;
use manybody::watch::Watch;
use std::time::{Duration, Instant};

/// Steps are made for so long, after as many to warm up as take half of it.
const LONG_ENOUGH: Duration = Duration::from_millis(1000);

/// Measures all rows.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    say("leapfrog steps of a Plummer sphere, dt = 1/1024; the energy error is that of all steps made");
    say(format!(
        "{:>10}  {:>6}  {:>18}  {:>6}  {:>12}  {:>10}  {:>13}",
        "N", "device", "solver", "", "steps/s", "1e9/s", "energy error"
    ));
    let eps = args.eps()?.unwrap_or(super::EPS);
    for n in &args.n {
        let start = super::sphere(*n, args)?;
        for precision in args.precision.iter().copied() {
            for choice in super::methods(args, precision, *n as usize)? {
                let Method { device, gpus, solver, sum, level: simd, .. } = choice.method.clone();
                let parameters = Parameters {
                    dt: 1.0 / 1024.0,
                    t_end: 1e9,
                    eps: Some(eps),
                    softening: args.softening(),
                    solver,
                    device,
                    gpus,
                    precision,
                    sum,
                    simd,
                    ..Parameters::default()
                };
                let watch = Watch::default();
                let progress =
                    ProgressLine::begin(&format!("{n} bodies, {solver}, {precision}: an evaluation"), &watch);
                let mut run = Simulation::start_watched(start.clone(), parameters, &watch)?;
                let mut chunk = 1;
                let warm = Instant::now();
                while warm.elapsed() < LONG_ENOUGH / 2 {
                    let before = Instant::now();
                    run.advance(chunk)?;
                    if before.elapsed() < Duration::from_millis(50) {
                        chunk *= 2;
                    }
                }
                let (first, begin) = (run.clock().step(), Instant::now());
                while begin.elapsed() < LONG_ENOUGH {
                    run.advance(chunk)?;
                }
                let rate = (run.clock().step() - first) as f64 / begin.elapsed().as_secs_f64();
                let pairs = rate * f64::from(*n).powi(2);
                let error = run.drift()?.energy;
                drop(progress);
                let method = choice.label();
                say(format!(
                    "{n:>10}  {device:>6}  {method:>18}  {precision:>6}  {rate:>12.1}  {:>10.1}  {error:>+13.1e}",
                    1e-9 * pairs
                ));
                if args.json {
                    json(&serde_json::json!({
                        "program": "manybody", "bench": "steps", "n": n, "device": device.name(), "solver": solver.to_string(),
                        "sum": sum.to_string(), "precision": precision.name(), "steps_per_second": rate, "interactions_per_second": pairs,
                        "steps": run.clock().step(), "energy_error": error,
                    }));
                }
            }
        }
    }
    Ok(())
}
