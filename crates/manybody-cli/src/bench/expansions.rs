//! `manybody bench expansions`: time against error of the solvers fmm and tree, from bodies in any order to forces.

use super::{Args, Bench};
use crate::console::say;
use manybody::settings::Settings;
use manybody::solver::{self, ForceTerms, Forces, Method, SolverName};
use manybody::{Bodies, Error, audit, ic};
use rayon::prelude::*;
use std::time::Instant;

/// Bodies whose forces are compared with f64.
const SAMPLE: usize = 1024;

/// Evaluations on a GPU that are measured as one.
#[cfg(feature = "gpu")]
const IN_A_ROW: usize = 10;

/// The errors that are requested where they are not named.
const ERRORS: [f64; 9] = [1e-2, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10];

/// The accuracies of a precision: errors or tolerances, each with every order that is named.
fn accuracies(args: &Args) -> Vec<Settings> {
    let usual = if args.rtol.is_empty() { &ERRORS[..] } else { &args.rtol };
    let errors = usual.iter().map(|rtol| Settings { rtol: Some((*rtol).into()), ..Settings::default() });
    let tolerances =
        args.tolerance.iter().map(|tolerance| Settings { tolerance: Some((*tolerance).into()), ..Settings::default() });
    let all: Vec<Settings> = if args.tolerance.is_empty() { errors.collect() } else { tolerances.collect() };
    if args.order.is_empty() {
        return all;
    }
    let with = |order: u64| all.iter().map(move |settings| Settings { order: Some(order), ..settings.clone() });
    args.order.iter().flat_map(|order| with(*order)).collect()
}

/// The errors of a sample.
struct Reference {
    sample: Vec<usize>,
    accelerations: Vec<[f64; 3]>,
}

impl Reference {
    fn new(bodies: &Bodies, bench: &Bench) -> Self {
        let sample = audit::sample(bodies.len(), 0.0, SAMPLE, 0);
        let accelerations = sample.par_iter().map(|i| audit::acceleration(bodies, &bench.gravity, *i)).collect();
        Reference { sample, accelerations }
    }

    /// |da| / |a|, in order.
    fn errors(&self, forces: &Forces) -> Vec<f64> {
        let length = |v: [f64; 3]| v[0].hypot(v[1]).hypot(v[2]);
        let error = |(i, want): (&usize, &[f64; 3])| {
            let got = forces.acceleration(*i);
            length([got[0] - want[0], got[1] - want[1], got[2] - want[2]]) / length(*want)
        };
        let mut errors: Vec<f64> = self.sample.iter().zip(&self.accelerations).map(error).collect();
        errors.sort_by(f64::total_cmp);
        errors
    }
}

/// Measures.
///
/// # Errors
/// Those of the initial conditions and of the solvers.
pub(super) fn run(bench: &Bench, args: &Args) -> manybody::Result<()> {
    let mut solvers = args.solver.clone();
    if solvers.is_empty() {
        solvers.push(SolverName::Fmm);
    }
    say(format_args!(
        "{:<15} {:>8} {:<5} {:<4} {:>5} {:>8} {:>10}   |da| / |a|: median     p99   p99.9     max   net force",
        "bodies", "n", "", "", "order", "asked", "ms"
    ));
    for n in &args.n {
        for model in &args.model {
            let mut bodies = ic::by_name(model, &ic::Request::new(*n as usize, args.seed()))?.bodies;
            bodies.eps = None;
            let reference = Reference::new(&bodies, bench);
            for (solver, precision) in solvers.iter().flat_map(|s| args.precision.iter().map(move |p| (*s, *p))) {
                for settings in accuracies(args) {
                    let settings = Settings { solver: Some(solver), ..settings };
                    let method = args.method(settings, precision, *n as usize)?;
                    let is_usual = args.rtol.is_empty() && args.tolerance.is_empty();
                    match measure(bench, &method, &bodies, &reference) {
                        Ok(row) => row.print(args.json, model, &method),
                        // smaller errors than the precision and the device have
                        Err(Error::Parameter { name: "rtol", .. }) if is_usual => break,
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }
    Ok(())
}

/// What was measured of one accuracy.
struct Row {
    n: usize,
    threads: usize,
    /// The least of all evaluations.
    seconds: f64,
    errors: Vec<f64>,
    net: f64,
    /// Seconds of the phases on a GPU, each by itself: together they take longer than beside each other.
    phases: Vec<(&'static str, f64)>,
}

/// Forces, and the time that they take: on the CPU that of the whole call, on a GPU that of its kernels, without transfers.
fn measure(bench: &Bench, method: &Method, bodies: &Bodies, reference: &Reference) -> manybody::Result<Row> {
    let (mut forces, terms) = (Forces::default(), ForceTerms::default());
    let mut seconds = f64::INFINITY;
    #[cfg_attr(not(feature = "gpu"), expect(unused_mut))]
    let mut phases = Vec::new();
    #[cfg(feature = "gpu")]
    if method.device.is_gpu() {
        use manybody::solver::Solver;
        let mut solver = manybody::gpu::expansions(method)?;
        solver.forces(bodies, &bench.gravity, terms, &mut forces)?;
        for _ in 0..bench.repeat {
            seconds = seconds.min(solver.seconds(bodies, &bench.gravity, IN_A_ROW)?);
        }
        phases = solver.phases(bodies, &bench.gravity)?;
    }
    if !method.device.is_gpu() {
        let mut solver = solver::of(method)?;
        for _ in 0..bench.repeat {
            let before = Instant::now();
            solver.forces(bodies, &bench.gravity, terms, &mut forces)?;
            seconds = seconds.min(before.elapsed().as_secs_f64());
        }
    }
    let (errors, net) = (reference.errors(&forces), audit::net_force(bodies, &forces));
    Ok(Row { n: bodies.len(), threads: bench.threads, seconds, errors, net, phases })
}

impl Row {
    fn at(&self, share: f64) -> f64 {
        self.errors[((self.errors.len() - 1) as f64 * share).ceil() as usize]
    }

    fn print(&self, json: bool, model: &str, method: &Method) {
        let [median, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(|share| self.at(share));
        let Row { n, threads, seconds, net, .. } = self;
        let (solver, precision, expansion) = (method.solver, method.precision, &method.expansion);
        if json {
            crate::console::json(&serde_json::json!({
                "event": "bench", "model": model, "n": n, "solver": solver.to_string(),
                "precision": precision.to_string(), "threads": threads, "rtol": expansion.rtol, "order": expansion.order,
                "tolerance": expansion.tolerance, "seconds": seconds,
                "relative_error": {"median": median, "p99": p99, "p999": p999, "max": max}, "net": net,
                "device": method.device.name(), "phases_s": self.phases,
            }));
            return;
        }
        let order = expansion.order.map_or_else(|| "-".to_owned(), |order| order.to_string());
        let requested = expansion.tolerance.or(expansion.rtol).unwrap_or_default();
        say(format_args!(
            "{model:<15} {n:>8} {precision:<5} {solver:<4} {order:>5} {requested:>8.1e} {:>10.1} {median:>21.1e} {p99:>7.1e} {p999:>7.1e} \
             {max:>7.1e} {net:>11.1e}",
            seconds * 1e3
        ));
        if !self.phases.is_empty() {
            let phases: Vec<String> =
                self.phases.iter().map(|(name, seconds)| format!("{name} {:.3}", seconds * 1e3)).collect();
            say(format_args!("    ms: {}", phases.join(", ")));
        }
    }
}
