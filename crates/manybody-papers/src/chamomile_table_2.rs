//! Table 2 of [Hamada 2007]: the largest relative error of the force on any of N bodies of a Plummer sphere in virial
//! equilibrium, eps^2 = 0.01, summed in f32 in the DIRECT style and by the Chamomile scheme.
//!
//! ```text
//! E = max_i |a_i - a_ref,i| / |a_ref,i|        [Hamada 2007, eq. 3]
//! ```
//!
//! Ours: every summation there is, on every device, with what it costs. The reference is f64, each pair once, at all
//! bodies; it is itself compared with the audit's at a sample. Beyond 131,072 bodies that would take hours on a CPU:
//! there the errors are those of a random sample, against the audit's own reference. (The paper's spheres come from
//! NEMO's mkplummer; ours are drawn from the same distribution with the same cut-off.)

use super::Options;
use crate::output::Output;
use anyhow::bail;
use manybody::solver::{self, Device, ForceTerms, Forces, Gravity, Method, Precision, Solver, SolverName, Summation};
use manybody::{Bodies, audit, ic};
use rayon::prelude::*;
use std::time::Instant;

/// N, DIRECT style, Chamomile scheme.
const PUBLISHED: [(usize, f64, f64); 7] = [
    (2_048, 2.2e-6, 5.4e-7),
    (4_096, 3.0e-6, 3.3e-7),
    (8_192, 5.4e-6, 5.0e-7),
    (16_384, 7.0e-6, 4.3e-7),
    (32_768, 1.2e-5, 6.8e-7),
    (65_536, 1.4e-5, 1.0e-6),
    (131_072, 2.2e-5, 1.5e-6),
];
const EPS: f64 = 0.1;
const SEED: u64 = 1;

/// Up to so many bodies the error is that of all, beyond that of a sample of [`SAMPLE`].
const ALL: usize = 131_072;
const SAMPLE: usize = 4096;
/// An evaluation that takes longer, in seconds, is timed once.
const LONG: f64 = 5.0;

/// A way of adding f32 forces.
#[derive(Clone, Copy)]
struct Choice {
    device: Device,
    solver: SolverName,
    precision: Precision,
    sum: Summation,
}

impl Choice {
    fn method(&self) -> Method {
        Method::summed(self.device, self.precision, self.sum).solver(self.solver)
    }
}

/// The same on every device.
const TITLES: [&str; 8] = ["default", "direct", "blocked", "pairwise", "compensated", "f64", "fixed", "mixed"];

/// What was measured.
struct Entry {
    error: f64,
    rate: f64,
}

/// A device's entries for a number of bodies, in the order of [`TITLES`].
struct Row {
    n: usize,
    device: Device,
    entries: Vec<Entry>,
}

/// The default, one-sided kernels with each summation, and mixed precision.
fn choices(device: Device) -> Vec<Choice> {
    let (own, mixed) = if device == Device::Cpu {
        (SolverName::Symmetric, SolverName::Direct)
    } else {
        (SolverName::Auto, SolverName::Auto)
    };
    let default = Choice { device, solver: own, precision: Precision::F32, sum: Summation::default() };
    let mut choices = vec![default];
    choices.extend(Summation::ALL.map(|sum| Choice { solver: SolverName::Direct, sum, ..default }));
    choices.push(Choice { solver: mixed, precision: Precision::Mixed, ..default });
    choices
}

/// Bodies, and the right accelerations of some of them.
struct Problem {
    bodies: Bodies,
    gravity: Gravity,
    who: Vec<usize>,
    want: Vec<[f64; 3]>,
}

pub(super) fn run(options: &Options, output: Output) -> anyhow::Result<()> {
    let sizes = sizes(options)?;
    let seed = options.seed.unwrap_or(SEED);
    if let Some(from) = &options.from {
        let expected = "this table is measured, not read: it has no plot to draw from a file".into();
        return Err(manybody::Error::Parameter { name: "from", value: from.display().to_string(), expected }.into());
    }
    let devices = options.devices()?;
    output.say(format_args!(
        "Plummer sphere, eps^2 = 0.01, seed {seed}; largest |a - a_ref| / |a_ref| of all bodies, beyond {ALL} bodies of \
         {SAMPLE} at random\n\
         `default` computes each pair once where that is faster; direct to fixed are one-sided with f32 terms\n"
    ));
    let columns: String = TITLES.iter().map(|title| format!("{title:>12}")).collect();
    output.say(format_args!("{:>8} | {:>8} {:>9} | {:>6}{columns}", "N", "DIRECT", "Chamomile", "device"));
    let mut rows = Vec::new();
    for n in sizes {
        let problem = Problem::new(n, seed)?;
        for device in &devices {
            let choices = choices(*device);
            let entries: Vec<Entry> =
                choices.iter().map(|choice| entry(choice, &problem, options.repeat)).collect::<Result<_, _>>()?;
            tell(output, &choices, n, &entries, options.json);
            rows.push(Row { n, device: *device, entries });
        }
    }
    output.say(format_args!("\n1e9 interactions/s, N^2 an evaluation\n{:>8} | {:>6}{columns}", "N", "device"));
    for Row { n, device, entries } in &rows {
        let rates: String = entries.iter().map(|entry| format!("{:>12.2}", entry.rate * 1e-9)).collect();
        output.say(format_args!("{n:>8} | {device:>6}{rates}"));
    }
    devices.iter().for_each(|device| judge(output, *device, &rows));
    Ok(())
}

/// The numbers of bodies: those that are named, or 2,048 and so on.
fn sizes(options: &Options) -> manybody::Result<Vec<usize>> {
    let most = options.to.unwrap_or(PUBLISHED[6].0 as u64);
    let wrong = |name, value: u64| {
        let expected = "must be 2,048 to 4,194,304 bodies".into();
        Err(manybody::Error::Parameter { name, value: value.to_string(), expected })
    };
    let fits = |n: &u64| (2_048..=4_194_304).contains(n);
    if !fits(&most) {
        return wrong("to", most);
    }
    if let Some(n) = options.n.iter().find(|n| !fits(n)) {
        return wrong("n", *n);
    }
    let named: Vec<usize> = options.n.iter().map(|n| *n as usize).collect();
    let doubled = (11..=22).map(|k| 1 << k).filter(|n| *n as u64 <= most);
    Ok(if named.is_empty() { doubled.collect() } else { named })
}

/// One line of errors.
fn tell(output: Output, choices: &[Choice], n: usize, entries: &[Entry], lines: bool) {
    let published = PUBLISHED.iter().find(|row| row.0 == n);
    let theirs = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1e}"));
    let (direct, chamomile) = (published.map(|row| row.1), published.map(|row| row.2));
    let ours: String = entries.iter().map(|entry| format!("{:>12.1e}", entry.error)).collect();
    let device = choices[0].device;
    output.say(format_args!("{n:>8} | {:>8} {:>9} | {device:>6}{ours}", theirs(direct), theirs(chamomile)));
    for ((choice, title), entry) in choices.iter().zip(TITLES).zip(entries).filter(|_| lines) {
        output.json(&serde_json::json!({
            "n": n, "device": choice.device.name(), "solver": choice.solver.to_string(), "sum": choice.sum.to_string(), "choice": title,
            "precision": choice.precision.name(), "error_max_relative": entry.error,
            "bodies_compared": if n <= ALL { n } else { SAMPLE },
            "pairs_per_second": entry.rate, "published_direct": direct, "published_chamomile": chamomile,
        }));
    }
}

impl Problem {
    fn new(n: usize, seed: u64) -> anyhow::Result<Self> {
        let bodies = ic::by_name("plummer", &ic::Request::new(n, seed))?.bodies;
        let gravity = Gravity::new(1.0, EPS);
        if n > ALL {
            let who = audit::sample(n, 0.0, SAMPLE, 0);
            let want = who.par_iter().map(|i| audit::acceleration(&bodies, &gravity, *i)).collect();
            return Ok(Problem { bodies, gravity, who, want });
        }
        let mut forces = Forces::default();
        solver::of(&Method::default())?.forces(&bodies, &gravity, ForceTerms::default(), &mut forces)?;
        let held = audit::audit(&bodies, &gravity, &forces, &audit::sample(n, 0.0, 64, 0), 0.0)?;
        if held.max > 1e-12 {
            bail!("the f64 reference is itself wrong by {:.1e}", held.max);
        }
        let want = (0..n).map(|i| [forces.ax[i], forces.ay[i], forces.az[i]]).collect();
        Ok(Problem { bodies, gravity, who: (0..n).collect(), want })
    }

    /// The largest relative error; no number is the largest.
    fn error(&self, forces: &Forces) -> f64 {
        let length = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>().sqrt();
        let relative = |(i, want): (&usize, &[f64; 3])| {
            let a = [forces.ax[*i], forces.ay[*i], forces.az[*i]];
            length([0, 1, 2].map(|k| a[k] - want[k])) / length(*want)
        };
        self.who.iter().zip(&self.want).map(relative).max_by(f64::total_cmp).unwrap_or(0.0)
    }
}

fn entry(choice: &Choice, problem: &Problem, repeat: u16) -> anyhow::Result<Entry> {
    let mut forces = Forces::default();
    let n = problem.bodies.len() as f64;
    let seconds = match choice.device {
        Device::Cpu => {
            let mut solver = solver::of(&choice.method())?;
            fastest(&mut *solver, problem, &mut forces, repeat)?
        }
        _ => on_device(choice, problem, &mut forces, repeat)?,
    };
    Ok(Entry { error: problem.error(&forces), rate: n * n / seconds })
}

/// Seconds of the fastest of `repeat` evaluations, after one that does not count unless it is long.
fn fastest(solver: &mut dyn Solver, problem: &Problem, forces: &mut Forces, repeat: u16) -> anyhow::Result<f64> {
    let mut evaluate = || -> anyhow::Result<f64> {
        let start = Instant::now();
        solver.forces(&problem.bodies, &problem.gravity, ForceTerms::default(), forces)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let first = evaluate()?;
    if first > LONG {
        return Ok(first);
    }
    let times: Vec<f64> = (0..repeat).map(|_| evaluate()).collect::<Result<_, _>>()?;
    Ok(times.into_iter().fold(f64::INFINITY, f64::min))
}

/// A GPU's time is that of its kernels.
#[cfg(feature = "gpu")]
fn on_device(choice: &Choice, problem: &Problem, forces: &mut Forces, repeat: u16) -> anyhow::Result<f64> {
    let (bodies, gravity) = (&problem.bodies, &problem.gravity);
    let mut solver = manybody_gpu::solver(&choice.method())?;
    solver.forces(bodies, gravity, ForceTerms::default(), forces)?;
    let once = solver.seconds(bodies, gravity, 1)?;
    if once > 0.1 * LONG {
        return Ok(once);
    }
    let in_a_row = (0.1 / once.max(1e-6)).clamp(1.0, 1000.0) as usize;
    let times: Vec<f64> = (0..repeat).map(|_| solver.seconds(bodies, gravity, in_a_row)).collect::<Result<_, _>>()?;
    Ok(times.into_iter().fold(f64::INFINITY, f64::min))
}

#[cfg(not(feature = "gpu"))]
fn on_device(choice: &Choice, _: &Problem, _: &mut Forces, _: u16) -> anyhow::Result<f64> {
    bail!("this program was built without {}", choice.device)
}

/// Holds a device's default against the paper and against the device's other choices.
fn judge(output: Output, device: Device, rows: &[Row]) {
    let word = |met: bool| if met { "yes" } else { "NO" };
    let rows: Vec<&Row> = rows.iter().filter(|row| row.device == device).collect();
    let published = |n: usize| PUBLISHED.iter().find(|row| row.0 == n).map(|row| row.2);
    let held: Vec<(usize, f64, f64)> =
        rows.iter().filter_map(|row| Some((row.n, row.entries[0].error, published(row.n)?))).collect();
    if !held.is_empty() {
        let better = held.iter().all(|(_, ours, theirs)| ours <= theirs);
        output.say(format_args!(
            "\n{device}: default no worse than the Chamomile column at each of these N: {}",
            word(better)
        ));
    }
    if let Some((_, ours, theirs)) = held.iter().find(|row| row.0 == 131_072) {
        output.say(format_args!("{device}: default at most half of it at 131,072: {}", word(*ours <= theirs / 2.0)));
    }
    let behind = |row: &&Row| {
        let (best, title) = row
            .entries
            .iter()
            .zip(TITLES)
            .map(|(entry, title)| (entry.rate, title))
            .fold((0.0, ""), |best, this| if this.0 > best.0 { this } else { best });
        (row.entries[0].rate < 0.97 * best).then(|| format!("{} ({title}: {:.2})", row.n, row.entries[0].rate / best))
    };
    let behind: Vec<String> = rows.iter().filter_map(behind).collect();
    let at = if behind.is_empty() { String::new() } else { format!(", at {}", behind.join(", ")) };
    output.say(format_args!(
        "{device}: default at most 3 % slower than the fastest choice: {}{at}",
        word(behind.is_empty())
    ));
}
