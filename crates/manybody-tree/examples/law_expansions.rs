//! Laws by fast multipoles beside all pairs: time and error of Yukawa's potential, a Gaussian, a Matern function, a Stokeslet of
//! charges of one sign and of both, and a Gaussian with a metric.
//!
//!     cargo run --release -p manybody-tree --example law_expansions -- [bodies] [rtol]
//!
//! All pairs are computed for 4,096 of the bodies, and their time is that of all bodies in proportion; results by fmm are
//! compared with these. Evaluations alternate, so that both meet the same load of the machine; the least time of three counts.

#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use manybody_law::Result;
use manybody_law::law::{Law, PairInputs, Targets};
use manybody_law::simd::Level;
use manybody_pairwise::{Expansion, Interpreter, Method, Precision, SolverName};
use manybody_tree::evaluator;
use std::time::Instant;

const LAWS: [(&str, &str); 7] = [
    ("yukawa", "r = norm(d); sum p = j.q * exp(-4 * r) / r; self exclude"),
    (
        "yukawa, force",
        "r = norm(d); e = exp(-4 * r) / r; sum f = j.q * e * (1 + 4 * r) / r^2 * d; sum p = j.q * e; self exclude",
    ),
    ("gaussian", "sum p = j.q * exp(-dot(d, d) / 0.08)"),
    ("matern", "t = 5 * sqrt(3) * norm(d); sum p = j.q * (1 + t) * exp(-t); self include"),
    ("stokeslet", "r = norm(d); f = (j.q, j.qy, j.qz); sum u = f / r + dot(d, f) / r^3 * d; self exclude"),
    (
        "stokeslet, signs",
        "r = norm(d); f = (j.q - 1, j.qy - 1, j.qz - 1); sum u = f / r + dot(d, f) / r^3 * d; self exclude",
    ),
    ("gaussian, metric", "sum p = j.q * exp(-(d[0]^2 + 2 * d[1]^2 + 4 * d[2]^2) / 0.08)"),
];

/// Bodies for which all pairs are computed.
const SAMPLE: usize = 4096;
const REPEATS: usize = 3;

/// x, y, z and three charges: in a cube, or in a few crowds that are denser towards their middle.
fn bodies(n: usize, crowded: bool) -> Vec<Vec<f64>> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let middles: Vec<[f64; 3]> = (0..8).map(|_| [next(), next(), next()]).collect();
    let mut columns = vec![Vec::new(); 6];
    for k in 0..n {
        let mut place = [next(), next(), next()];
        if crowded {
            let size = 10_f64.powf(-3.0 * next());
            let middle = middles[k % middles.len()];
            place = std::array::from_fn(|axis| middle[axis] + size * (place[axis] - 0.5));
        }
        (0..3).for_each(|axis| columns[axis].push(place[axis]));
        (3..6).for_each(|charge| columns[charge].push(0.5 + next()));
    }
    columns
}

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let n: usize = words.next().map_or(1 << 18, |word| word.parse().expect("a number of bodies"));
    let rtol: f64 = words.next().map_or(1e-5, |word| word.parse().expect("an error"));
    println!("{n} bodies, rtol {rtol:e}, {} threads, {}", rayon::current_num_threads(), Level::best().name());
    println!("system   law                     fmm s  all pairs s   ratio    rms error     p99");
    for (system, crowded) in [("cube", false), ("crowds", true)] {
        let columns = bodies(n, crowded);
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        for (name, text) in LAWS {
            let law = Law::parse(&format!("body x[3], q, qy, qz; d = i.x - j.x; {text}"))?;
            measure(system, name, &law, &PairInputs::one(&columns, &[]), rtol)?;
        }
    }
    Ok(())
}

fn measure(system: &str, name: &str, law: &Law, inputs: &PairInputs<'_>, rtol: f64) -> Result<()> {
    let n = inputs.lens().0;
    let sample: Vec<usize> = (0..SAMPLE.min(n)).map(|k| k * n / SAMPLE.min(n)).collect();
    let direct = Interpreter::new(law, Level::best(), Precision::F64);
    let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
    let method = Method { expansion, ..Method::default() }.solver(SolverName::Fmm);
    let mut fmm = evaluator(&method, law)?;
    let (mut by_fmm, mut by_pairs, mut errors) = (f64::INFINITY, f64::INFINITY, [0.0; 2]);
    for _ in 0..REPEATS {
        let before = Instant::now();
        let want = direct.evaluate_at(inputs, &Targets::List(&sample))?;
        by_pairs = by_pairs.min(before.elapsed().as_secs_f64() * n as f64 / sample.len() as f64);
        let before = Instant::now();
        let found = fmm.evaluate(inputs)?;
        by_fmm = by_fmm.min(before.elapsed().as_secs_f64());
        errors = [rms_error(&sample, &found, &want), p99(law, &sample, &found, &want)];
        assert!(errors[0] < rtol, "the error of {name} is {:e}", errors[0]);
    }
    let ratio = by_pairs / by_fmm;
    let [rms, p99] = errors;
    println!("{system:8} {name:20} {by_fmm:>8.2} {by_pairs:>12.1} {ratio:>7.0} {rms:>12.1e} {p99:>7.1e}");
    Ok(())
}

/// The error that 99 of 100 bodies stay below, relative to the result or to the median result, the larger: of the worst member.
fn p99(law: &Law, sample: &[usize], found: &[Vec<f64>], want: &[Vec<f64>]) -> f64 {
    let (mut first, mut worst) = (0, 0.0_f64);
    for field in law.results() {
        let columns = first..first + field.width;
        first = columns.end;
        let norm = |of: &dyn Fn(usize) -> f64| columns.clone().map(|c| of(c).powi(2)).sum::<f64>().sqrt();
        let sizes: Vec<f64> = (0..sample.len()).map(|k| norm(&|c| want[c][k])).collect();
        let mut sorted = sizes.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let error = |k: usize| norm(&|c| found[c][sample[k]] - want[c][k]) / sizes[k].max(median);
        let mut errors: Vec<f64> = (0..sample.len()).map(error).collect();
        errors.sort_by(f64::total_cmp);
        worst = worst.max(errors[errors.len() * 99 / 100]);
    }
    worst
}

/// The root mean square of the errors over that of the results; of several results the worst.
fn rms_error(sample: &[usize], found: &[Vec<f64>], want: &[Vec<f64>]) -> f64 {
    let of = |(found, want): (&Vec<f64>, &Vec<f64>)| {
        let square = |x: f64| x * x;
        let off: f64 = sample.iter().zip(want).map(|(body, want)| square(found[*body] - want)).sum();
        (off / want.iter().copied().map(square).sum::<f64>()).sqrt()
    };
    found.iter().zip(want).map(of).fold(0.0, f64::max)
}
