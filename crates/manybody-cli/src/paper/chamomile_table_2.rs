//! Table 2 of [Hamada 2007]: the largest relative error of the force on any of N bodies of a Plummer sphere in virial
//! equilibrium, eps^2 = 0.01, summed in f32 in the DIRECT style and by the Chamomile scheme.
//!
//! ```text
//! E = max_i |a_i - a_ref,i| / |a_ref,i|        [Hamada 2007, eq. 3]
//! ```
//!
//! Ours: every summation there is, on every device, with what it costs. The reference is f64, each pair once, at all
//! bodies; it is itself held against the audit's at a sample. (The paper's spheres come from NEMO's mkplummer; ours are
//! drawn from the same distribution with the same cut-off.)

use super::Options;
use crate::console::{json, say};
use anyhow::bail;
use manybody::solver::{self, Forces, Gravity, Precision, Solver, Summation, Want};
use manybody::{Bodies, audit, ic};
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

/// A way of adding f32 forces.
#[derive(Clone, Copy)]
struct Choice {
    device: &'static str,
    solver: &'static str,
    precision: Precision,
    sum: Summation,
}

impl Choice {
    fn title(&self) -> String {
        match (self.device, self.precision) {
            ("cpu", Precision::Mixed) => "mixed".into(),
            ("cpu", _) if self.solver == "symmetric" => "default".into(),
            ("cpu", _) => self.sum.to_string(),
            (device, _) => device.into(),
        }
    }
}

/// What was measured.
struct Cell {
    error: f64,
    rate: f64,
}

/// On the CPU the default (`symmetric`), the solver `direct` with each summation, and mixed precision; on other devices
/// their own sums.
fn choices(devices: &[&'static str]) -> Vec<Choice> {
    let mut choices = Vec::new();
    for device in devices.iter().copied() {
        let own = Choice { device, solver: "auto", precision: Precision::F32, sum: Summation::default() };
        if device == "cpu" {
            choices.push(Choice { solver: "symmetric", ..own });
            choices.extend(Summation::ALL.map(|sum| Choice { solver: "direct", sum, ..own }));
            choices.push(Choice { solver: "direct", precision: Precision::Mixed, ..own });
        } else {
            choices.push(own);
        }
    }
    choices
}

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let most = options.to.map_or(PUBLISHED[6].0, |to| to as usize);
    if !(2_048..=4_194_304).contains(&most) {
        let expected = "2,048 to 4,194,304 bodies are wanted".into();
        return Err(manybody::Error::Parameter { name: "to", value: most.to_string(), expected }.into());
    }
    if let Some(from) = &options.from {
        let expected = "this table is measured, not read: it has no plot to draw from a file".into();
        return Err(manybody::Error::Parameter { name: "from", value: from.display().to_string(), expected }.into());
    }
    let sizes: Vec<usize> = (11..=22).map(|k| 1 << k).filter(|n| *n <= most).collect();
    let choices = choices(&options.devices()?);
    say(format_args!(
        "Plummer sphere, eps^2 = 0.01, seed {SEED}; largest |a - a_ref| / |a_ref| of all bodies\n\
         `default` computes each pair once; direct to fixed are one-sided with f32 terms\n"
    ));
    let titles: Vec<String> = choices.iter().map(Choice::title).collect();
    let columns: String = titles.iter().map(|title| format!("{title:>12}")).collect();
    say(format_args!("{:>8} | {:>8} {:>9} |{columns}", "N", "DIRECT", "Chamomile"));
    let mut rows: Vec<(usize, Vec<Cell>)> = Vec::new();
    for n in sizes {
        let row = measure(n, &choices, options)?;
        let published = PUBLISHED.iter().find(|row| row.0 == n);
        let theirs = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1e}"));
        let (direct, chamomile) = (published.map(|row| row.1), published.map(|row| row.2));
        let ours: String = row.iter().map(|cell| format!("{:>12.1e}", cell.error)).collect();
        say(format_args!("{n:>8} | {:>8} {:>9} |{ours}", theirs(direct), theirs(chamomile)));
        if options.json {
            for (choice, cell) in choices.iter().zip(&row) {
                json(&serde_json::json!({
                    "n": n, "device": choice.device, "solver": choice.solver, "sum": choice.sum.to_string(),
                    "precision": choice.precision.name(), "error_max_relative": cell.error,
                    "pairs_per_second": cell.rate, "published_direct": direct, "published_chamomile": chamomile,
                }));
            }
        }
        rows.push((n, row));
    }
    say(format_args!("\n1e9 interactions/s, N^2 an evaluation\n{:>8} | {:>8} {:>9} |{columns}", "N", "", ""));
    for (n, row) in &rows {
        let rates: String = row.iter().map(|cell| format!("{:>12.2}", cell.rate * 1e-9)).collect();
        say(format_args!("{n:>8} | {:>8} {:>9} |{rates}", "", ""));
    }
    judge(&choices, &rows);
    Ok(())
}

/// The errors and rates of one row.
fn measure(n: usize, choices: &[Choice], options: &Options) -> anyhow::Result<Vec<Cell>> {
    let bodies = ic::by_name("plummer", &ic::Request::new(n, SEED))?.bodies;
    let gravity = Gravity { g: 1.0, eps: EPS };
    let mut reference = Forces::default();
    solver::by_name("symmetric", Precision::F64)?.forces(&bodies, &gravity, Want::default(), &mut reference)?;
    let sample = audit::sample(n, 0.0, 64, 0);
    let held = audit::audit(&bodies, &gravity, &reference, &sample, 0.0)?;
    if held.max > 1e-12 {
        bail!("the f64 reference is itself wrong by {:.1e}", held.max);
    }
    choices.iter().map(|choice| cell(choice, &bodies, &gravity, &reference, options.repeat)).collect()
}

fn cell(choice: &Choice, bodies: &Bodies, gravity: &Gravity, want: &Forces, repeat: u16) -> anyhow::Result<Cell> {
    let mut forces = Forces::default();
    let n = bodies.len() as f64;
    let seconds = match choice.device {
        "cpu" => {
            let mut solver = solver::with_sums(choice.solver, choice.precision, choice.sum)?;
            fastest(&mut *solver, bodies, gravity, &mut forces, repeat)?
        }
        device => on_device(device, bodies, gravity, &mut forces, repeat)?,
    };
    let relative = |i: usize| {
        let (a, b) = ([forces.ax[i], forces.ay[i], forces.az[i]], [want.ax[i], want.ay[i], want.az[i]]);
        let length = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>().sqrt();
        length([0, 1, 2].map(|k| a[k] - b[k])) / length(b)
    };
    // NaN is the largest
    let error = (0..bodies.len()).map(relative).max_by(f64::total_cmp).unwrap_or(0.0);
    Ok(Cell { error, rate: n * n / seconds })
}

/// Seconds of the fastest of `repeat` evaluations, after one that does not count.
fn fastest(
    solver: &mut dyn Solver,
    bodies: &Bodies,
    gravity: &Gravity,
    forces: &mut Forces,
    repeat: u16,
) -> anyhow::Result<f64> {
    solver.forces(bodies, gravity, Want::default(), forces)?;
    let mut least = f64::INFINITY;
    for _ in 0..repeat {
        let start = Instant::now();
        solver.forces(bodies, gravity, Want::default(), forces)?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// A GPU's time is that of its kernels.
#[cfg(feature = "gpu")]
fn on_device(
    device: &'static str,
    bodies: &Bodies,
    gravity: &Gravity,
    forces: &mut Forces,
    repeat: u16,
) -> anyhow::Result<f64> {
    let mut solver = manybody_gpu::solver(device, "auto", Precision::F32)?;
    solver.forces(bodies, gravity, Want::default(), forces)?;
    let once = solver.seconds(bodies, gravity, 1)?;
    let in_a_row = (0.1 / once.max(1e-6)).clamp(1.0, 1000.0) as usize;
    let times: Vec<f64> = (0..repeat).map(|_| solver.seconds(bodies, gravity, in_a_row)).collect::<Result<_, _>>()?;
    Ok(times.into_iter().fold(f64::INFINITY, f64::min))
}

#[cfg(not(feature = "gpu"))]
fn on_device(device: &str, _: &Bodies, _: &Gravity, _: &mut Forces, _: u16) -> anyhow::Result<f64> {
    bail!("this program was built without {device}")
}

/// Holds the default against the paper and against the other choices.
fn judge(choices: &[Choice], rows: &[(usize, Vec<Cell>)]) {
    let word = |met: bool| if met { "yes" } else { "NO" };
    for (k, choice) in choices.iter().enumerate().filter(|(_, choice)| choice.solver != "direct") {
        let published = |n: usize| PUBLISHED.iter().find(|row| row.0 == n).map(|row| row.2);
        let held: Vec<(usize, f64, f64)> =
            rows.iter().filter_map(|(n, row)| Some((*n, row[k].error, published(*n)?))).collect();
        let better = held.iter().all(|(_, ours, theirs)| ours <= theirs);
        say(format_args!("{}: no worse than the Chamomile column at any N: {}", choice.title(), word(better)));
        if let Some((_, ours, theirs)) = held.iter().find(|row| row.0 == 131_072) {
            say(format_args!("{}: at most half of it at 131,072: {}", choice.title(), word(*ours <= theirs / 2.0)));
        }
        if choice.device == "cpu" {
            let fastest = |row: &[Cell]| {
                row.iter()
                    .zip(choices)
                    .filter(|(_, other)| other.device == "cpu")
                    .map(|(c, _)| c.rate)
                    .fold(0.0, f64::max)
            };
            let near = rows.iter().all(|(_, row)| row[k].rate >= 0.97 * fastest(row));
            say(format_args!("{}: at most 3 % slower than the fastest choice: {}", choice.title(), word(near)));
        }
    }
}
