//! Laws by fast multipoles on a GPU beside all pairs there: time and error of Yukawa's potential, with its force, a Gaussian, a
//! Matern function, gravity as a law, a Stokeslet, and Biot and Savart's law.
//!
//!     cargo run --release -p manybody-gpu --example laws_on_gpus -- [device] [precision] [bodies] [rtol] [law] [phases]
//!
//! Times are those of the device: the bodies are there, and results stay. Results are compared with sums of all pairs in f64 at
//! 1,024 bodies, which the CPU makes. With the word `phases` the time of each phase of an evaluation is printed, too.

#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use manybody_gpu::{Pairs, evaluator, law_expansions};
use manybody_law::law::{Law, PairInputs, Targets};
use manybody_law::simd::Level;
use manybody_law::{Device, Result};
use manybody_pairwise::{Evaluator, Expansion, Interpreter, Method, Precision, SolverName};
use std::time::Instant;

const LAWS: [(&str, &str); 7] = [
    ("yukawa", "r = norm(d); sum p = j.q * exp(-4 * r) / r; self exclude"),
    (
        "yukawa, force",
        "r = norm(d); e = exp(-4 * r) / r; sum f = j.q * e * (1 + 4 * r) / r^2 * d; sum p = j.q * e; self exclude",
    ),
    ("gaussian", "sum p = j.q * exp(-dot(d, d) / 0.08)"),
    ("matern", "t = 5 * sqrt(3) * norm(d); sum p = j.q * (1 + t) * exp(-t); self include"),
    ("gravity", "r = norm(d); sum a = -j.q / r^3 * d; self exclude"),
    ("stokeslet", "r = norm(d); sum u = j.v / r + d * dot(d, j.v) / r^3; self exclude"),
    ("biot-savart", "sum b = cross(j.v, d) / norm(d)^3; self exclude"),
];

/// Bodies for which all pairs are computed.
const SAMPLE: usize = 1024;
const REPEATS: usize = 10;

/// x, y, z, charges, and vectors of both signs: in a cube, or in a few crowds that are denser towards their middle.
fn bodies(n: usize, crowded: bool) -> Vec<Vec<f64>> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let middles: Vec<[f64; 3]> = (0..8).map(|_| [next(), next(), next()]).collect();
    let mut columns = vec![Vec::new(); 7];
    for k in 0..n {
        let mut place = [next(), next(), next()];
        if crowded {
            let size = 10_f64.powf(-3.0 * next());
            let middle = middles[k % middles.len()];
            place = std::array::from_fn(|axis| middle[axis] + size * (place[axis] - 0.5));
        }
        (0..3).for_each(|axis| columns[axis].push(place[axis]));
        columns[3].push(0.5 + next());
        (4..7).for_each(|axis| columns[axis].push(next() - 0.5));
    }
    columns
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, usual: &str| words.get(k).cloned().unwrap_or_else(|| usual.into());
    let device: Device = word(0, "wgpu").parse()?;
    let precision: Precision = word(1, "f32").parse()?;
    let n: usize = word(2, "65536").parse().expect("a number of bodies");
    let rtol: f64 = word(3, "1e-4").parse().expect("an error");
    let only = word(4, "");
    println!("{n} bodies on {device} in {precision}, rtol {rtol:e}");
    println!("system   law              fmm ms   call ms  all pairs ms    rms error     p99");
    for (system, crowded) in [("cube", false), ("crowds", true)] {
        let columns = bodies(n, crowded);
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let inputs = PairInputs::one(&columns, &[]);
        let sample: Vec<usize> = (0..SAMPLE.min(n)).map(|k| k * n / SAMPLE.min(n)).collect();
        for (name, text) in LAWS.into_iter().filter(|(name, _)| name.starts_with(&only)) {
            let law = Law::parse(&format!("body x[3], q, v[3]; d = i.x - j.x; {text}"))?;
            let direct = Interpreter::new(&law, Level::best(), Precision::F64);
            let want = direct.evaluate_at(&inputs, &Targets::List(&sample))?;
            let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
            let method = Method { device, precision, expansion, ..Method::default() }.solver(SolverName::Fmm);
            let mut fmm = law_expansions(&method, &law)?;
            fmm.evaluate(&inputs)?;
            let before = Instant::now();
            let found = fmm.evaluate(&inputs)?;
            let call = before.elapsed().as_secs_f64();
            let seconds = fmm.seconds(&inputs, REPEATS)?;
            let mut all = evaluator(device, &[], &law, precision, Pairs::Once, None)?;
            all.load(&inputs)?;
            all.compute()?;
            all.fetch()?;
            let before = Instant::now();
            all.compute()?;
            all.fetch()?;
            let pairs = before.elapsed().as_secs_f64();
            let [rms, p99] = errors(&law, &sample, &found, &want);
            let [seconds, call, pairs] = [seconds, call, pairs].map(|seconds| 1e3 * seconds);
            println!("{system:8} {name:14} {seconds:>8.2} {call:>9.1} {pairs:>13.1} {rms:>12.1e} {p99:>7.1e}");
            if words.get(5).is_some_and(|word| word == "phases") {
                for (phase, seconds) in fmm.phases(&inputs)? {
                    println!("         {phase:22} {:>8.3} ms", 1e3 * seconds);
                }
            }
        }
    }
    Ok(())
}

/// Of the worst member: the root mean square of the errors over that of the results, and the error that 99 of 100 bodies stay
/// below, relative to the result or to the median result, the larger.
fn errors(law: &Law, sample: &[usize], found: &[Vec<f64>], want: &[Vec<f64>]) -> [f64; 2] {
    let (mut first, mut worst) = (0, [0.0_f64; 2]);
    for field in law.results() {
        let columns = first..first + field.width;
        first = columns.end;
        let norm = |of: &dyn Fn(usize) -> f64| columns.clone().map(|c| of(c).powi(2)).sum::<f64>().sqrt();
        let sizes: Vec<f64> = (0..sample.len()).map(|k| norm(&|c| want[c][k])).collect();
        let off: Vec<f64> = (0..sample.len()).map(|k| norm(&|c| found[c][sample[k]] - want[c][k])).collect();
        let mut sorted = sizes.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let mut errors: Vec<f64> = off.iter().zip(&sizes).map(|(off, size)| off / size.max(median)).collect();
        errors.sort_by(f64::total_cmp);
        let square = |of: &[f64]| of.iter().map(|x| x * x).sum::<f64>();
        worst[0] = worst[0].max((square(&off) / square(&sizes)).sqrt());
        worst[1] = worst[1].max(errors[errors.len() * 99 / 100]);
    }
    worst
}
