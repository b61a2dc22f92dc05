//! Times gravity, two kernel sums and two laws that are defined here on compiled kernels, for the bodies of a file with
//! the columns x, y, z, m: scripts/bench_pykeops.py runs it beside PyKeOps. `compiled_law FILE LAW PARAMETER
//! f32|f64 REPEAT OUT`, where LAW is gravity, gaussian, matern, wave or largest, writes the results as CSV and prints
//! the best time as JSON. Pairs are evaluated once, both bodies served.

use manybody::law::builtin::kernels::{Gaussian, Matern, Weighted};
use manybody::law::{Gravity, Max, PairLaw, Real, Sum, dot3, sub3};
use manybody::record;
use manybody::simd::{Element, Level};
use manybody::solver::{Packed, mirrored};
use std::fmt::Write;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

record! { struct Rate<R> { p: R } }
record! { struct Total<R> { r: Sum<R> } }
record! { struct Most<R> { r: Max<R> } }

/// sum of m_j cos(p r)
struct Wave;
impl PairLaw for Wave {
    type Body<R: Real> = Weighted<R>;
    type Par<R: Real> = Rate<R>;
    type Out<R: Real> = Total<R>;
    const SELF: bool = true;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Weighted<R>, j: &Weighted<R>, par: &Rate<R>, out: &mut Total<R>) {
        let d = sub3(j.x, i.x);
        out.r.add_mul(j.w, (par.p * dot3(d, d, par.p.lit(0.0)).sqrt()).cos());
    }
}

/// largest of m_j exp(-p r^2)
struct Largest;
impl PairLaw for Largest {
    type Body<R: Real> = Weighted<R>;
    type Par<R: Real> = Rate<R>;
    type Out<R: Real> = Most<R>;
    const SELF: bool = true;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Weighted<R>, j: &Weighted<R>, par: &Rate<R>, out: &mut Most<R>) {
        let d = sub3(j.x, i.x);
        out.r.reduce(j.w * (-par.p * dot3(d, d, par.p.lit(0.0))).exp());
    }
}

/// The columns of the file.
fn read(path: &str) -> Result<Vec<Vec<f64>>, Failure> {
    let mut columns = vec![Vec::new(); 4];
    for line in std::fs::read_to_string(path)?.lines().skip(1) {
        for (column, word) in columns.iter_mut().zip(line.split(',')) {
            column.push(word.parse()?);
        }
    }
    Ok(columns)
}

/// Best of `repeat` evaluations in seconds, packing included, and the results.
fn run<L: PairLaw, T: Element>(columns: &[Vec<f64>], par: f64, results: usize, repeat: usize) -> (f64, Vec<Vec<f64>>) {
    let level = Level::best();
    let lanes = level.lanes::<T>();
    let (mut packed, mut out) = (Packed::default(), vec![Vec::new(); results]);
    let mut once = || {
        let start = Instant::now();
        packed.fill(columns[0].len(), 4, lanes, |k, to| {
            to.iter_mut().zip(&columns[k]).for_each(|(to, x)| *to = T::from_f64(*x));
        });
        mirrored::<L, T>(level, &packed, &[T::from_f64(par)], &mut out);
        start.elapsed().as_secs_f64()
    };
    once();
    let best = (0..repeat).map(|_| once()).fold(f64::INFINITY, f64::min);
    (best, out.into_iter().map(|column| column.into_iter().map(T::to_f64).collect()).collect())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, law, parameter, precision, repeat, out] = &words[..] else {
        eprintln!("usage: compiled_law FILE gravity|gaussian|matern|wave|largest PARAMETER f32|f64 REPEAT OUT");
        return Ok(());
    };
    let (columns, p, repeat) = (read(file)?, parameter.parse::<f64>()?, repeat.parse()?);
    let (seconds, results) = match (law.as_str(), precision.as_str()) {
        ("gravity", "f32") => run::<Gravity, f32>(&columns, p, 3, repeat),
        ("gravity", _) => run::<Gravity, f64>(&columns, p, 3, repeat),
        // exp(-p r^2) and t = p r
        ("gaussian", "f32") => run::<Gaussian, f32>(&columns, (0.5 / p).sqrt(), 1, repeat),
        ("gaussian", _) => run::<Gaussian, f64>(&columns, (0.5 / p).sqrt(), 1, repeat),
        ("matern", "f32") => run::<Matern, f32>(&columns, 3f64.sqrt() / p, 1, repeat),
        ("matern", _) => run::<Matern, f64>(&columns, 3f64.sqrt() / p, 1, repeat),
        ("wave", "f32") => run::<Wave, f32>(&columns, p, 1, repeat),
        ("wave", _) => run::<Wave, f64>(&columns, p, 1, repeat),
        ("largest", "f32") => run::<Largest, f32>(&columns, p, 1, repeat),
        ("largest", _) => run::<Largest, f64>(&columns, p, 1, repeat),
        (other, _) => return Err(format!("{other}: must be one of the five laws").into()),
    };
    let mut text = "id,results\n".to_string();
    for body in 0..columns[0].len() {
        write!(text, "{body}")?;
        results.iter().try_for_each(|column| write!(text, ",{:?}", column[body]))?;
        text.push('\n');
    }
    std::fs::write(out, text)?;
    #[allow(clippy::print_stdout)] // for a program that reads it
    {
        println!("{{\"seconds\": {seconds:e}}}");
    }
    Ok(())
}
