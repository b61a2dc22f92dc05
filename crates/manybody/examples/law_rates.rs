//! Pair rates of laws as text beside the compiled law: `cargo run --release --example law_rates`. Each answer is held
//! against plain f64 loops before its time counts.

use manybody::law::{Gravity, Law, Sets};
use manybody::simd::{Element, Level};
use manybody::solver::{Evaluator, Packed, Precision, one_sided};
use std::time::Instant;

const N: usize = 16_384;

fn best(mut f: impl FnMut()) -> f64 {
    f();
    (0..5)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn compiled<T: Element>(level: Level, columns: &[&[f64]]) -> f64 {
    let lanes = if T::DOUBLE { (level.lanes_f32() / 2).max(1) } else { level.lanes_f32() };
    let mut packed = Packed::default();
    packed.fill(N, 4, lanes, |k, to| to.iter_mut().zip(columns[k]).for_each(|(to, x)| *to = T::from_f64(*x)));
    let mut out = vec![Vec::new(); 3];
    best(|| one_sided::<Gravity, T>(level, &packed, &packed, true, &[T::from_f64(1e-4)], &mut out))
}

/// The largest difference from the oracle at a few bodies, over the largest result. Stops at one that is a bug.
fn error(law: &Law, evaluator: &Evaluator, columns: &[&[f64]], par: &[f64]) -> manybody::Result<f64> {
    let some: Vec<&[f64]> = columns.iter().map(|c| &c[..500]).collect();
    let sets = Sets::one(&some, par);
    let (got, want) = (evaluator.evaluate(&sets)?, law.oracle(&sets)?);
    // whose label is given to two that are equally near, f32 may see otherwise
    let names = law.result_columns();
    let numbers = || names.iter().zip(got.iter().zip(&want)).filter(|(n, _)| !n.ends_with("_id"));
    let pairs = || numbers().flat_map(|(_, (got, want))| got.iter().zip(want));
    let largest = pairs().fold(0f64, |m, (_, x)| m.max(x.abs()));
    let off = pairs().fold(0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off <= 1e-3 * largest, "{}: off by {off:e} of {largest:e}", law.name());
    Ok(off / largest)
}

fn main() -> manybody::Result<()> {
    let laws = [
        ("gravity", "body x[3], m; param e = 1e-4; d = j.x - i.x; sum a = j.m * d / (dot(d, d) + e)^1.5; self exclude"),
        ("kde", "body x[3]; d = j.x - i.x; sum rho = exp(-dot(d, d))"),
        ("nearest", "body x[3]; id k; d = j.x - i.x; argmin near = dot(d, d), j.k; self exclude"),
        (
            "cut-off",
            "body x[3], q; param c = 0.1; d = j.x - i.x; s = dot(d, d); sum p = s < c ? j.q / sqrt(s) : 0; self exclude",
        ),
        ("wave", "body x[3], q; d = j.x - i.x; r = norm(d); sum u = j.q * cos(10 * r)"),
    ];
    let column =
        |k: usize| (0..N).map(|i| ((i * (7919 + 2 * k) % 10_007) as f64) / 10_007.0 + 1e-3).collect::<Vec<_>>();
    let data: Vec<Vec<f64>> = (0..4).map(column).collect();
    let ids: Vec<f64> = (0..N).map(|i| i as f64).collect();
    let level = Level::from_env()?;
    let mut all: Vec<&[f64]> = data.iter().map(Vec::as_slice).collect();
    all.push(&ids);
    eprintln!("{level:?}, {} threads", rayon::current_num_threads());
    let pairs = (N * N) as f64 * 1e-9;
    for precision in [Precision::F32, Precision::F64] {
        let direct = match precision {
            Precision::F32 => compiled::<f32>(level, &all),
            Precision::F64 => compiled::<f64>(level, &all),
        };
        eprintln!("{precision} gravity compiled {:.3}", pairs / direct);
        for (name, text) in laws {
            let law = Law::parse(text)?;
            let columns: Vec<&[f64]> = match name {
                "kde" => all[..3].to_vec(),
                "nearest" => vec![all[0], all[1], all[2], all[4]],
                _ => all[..4].to_vec(),
            };
            let par: Vec<f64> = law.defaults().iter().flatten().copied().collect();
            let evaluator = Evaluator::new(&law, level, precision);
            let error = error(&law, &evaluator, &columns, &par)?;
            let seconds = best(|| drop(evaluator.evaluate(&Sets::one(&columns, &par))));
            let (rate, times) = (pairs / seconds, seconds / direct);
            eprintln!("{precision} {name} {rate:.3} ({times:.2} x the compiled law's time), error {error:.1e}");
        }
    }
    Ok(())
}
