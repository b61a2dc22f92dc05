//! Pair rates of laws: `cargo run --release --example law_rates`. Laws as text beside the compiled law; and a user's own
//! law, compiled here, beside gravity, each as a share of the measured peak. Each answer is compared with plain f64
//! loops before its time counts.

use manybody::law::{Gravity, Law, PairInputs, PairLaw, Real, Sum, add3, dot3, sub3};
use manybody::record;
use manybody::simd::{Element, Level, fma_peak};
use manybody::solver::{Interpreter, Packed, Precision, compiled, mirrored, one_sided};
use std::time::Instant;

const N: usize = 16_384;

record! { struct Charge<R> { x: [R; 3], q: R } }
record! { struct Core<R> { eps2: R, c: R } }
record! { struct Push<R> { f: [Sum<R>; 3] } }

/// A law of this file alone: an inverse-square force that a core weakens, f_i = sum q_j d (1 - c / s^2) / s^3.
struct Cored;
impl PairLaw for Cored {
    type Body<R: Real> = Charge<R>;
    type Par<R: Real> = Core<R>;
    type Out<R: Real> = Push<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Charge<R>, j: &Charge<R>, par: &Core<R>, out: &mut Push<R>) {
        let d = sub3(j.x, i.x);
        let y = dot3(d, d, par.eps2).rsqrt();
        let y2 = y * y;
        add3(&mut out.f, j.q * y * y2 * y2.fnma(par.c, y.lit(1.0)), d);
    }
}

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

fn packed<T: Element>(level: Level, columns: &[&[f64]], n: usize) -> Packed<T> {
    let lanes = level.lanes::<T>();
    let mut packed = Packed::default();
    packed.fill(n, 4, lanes, |k, to| to.iter_mut().zip(columns[k]).for_each(|(to, x)| *to = T::from_f64(*x)));
    packed
}

fn direct<T: Element>(level: Level, columns: &[&[f64]]) -> f64 {
    let packed = packed(level, columns, N);
    let mut out = vec![Vec::new(); 3];
    best(|| one_sided::<Gravity, T>(level, &packed, &packed, Some(0), &[T::from_f64(1e-4)], &mut out))
}

/// Interactions a second of a law that evaluates each pair once, and their share of the peak: operations and roots of
/// the mirrored graph, a slot each.
fn share<L: PairLaw, T: Element>(
    level: Level,
    peak: f64,
    columns: &[&[f64]],
    par: &[f64],
) -> manybody::Result<[f64; 2]> {
    let few: Vec<&[f64]> = columns.iter().map(|c| &c[..300]).collect();
    let inputs = PairInputs::one(&few, par);
    let (got, want) = (compiled::<L, f64>(&inputs)?.concat(), Law::of::<L>()?.oracle(&inputs)?.concat());
    let largest = want.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-11 * largest));

    let n = columns[0].len();
    let packed = packed(level, columns, n);
    let par: Vec<T> = par.iter().map(|x| T::from_f64(*x)).collect();
    let mut out = vec![Vec::new(); 3];
    let rate = (n * n) as f64 / best(|| mirrored::<L, T>(level, &packed, &par, &mut out));
    let cost = Law::of::<L>()?.mirrored()?.cost();
    Ok([rate, rate * 0.5 * (cost.operations + cost.special) as f64 / peak])
}

fn own_law<T: Element>(level: Level, columns: &[&[f64]]) -> manybody::Result<()> {
    let peak = fma_peak::<T>(level);
    let gravity = share::<Gravity, T>(level, peak, columns, &[1e-4])?;
    let own = share::<Cored, T>(level, peak, columns, &[1e-4, 1e-5])?;
    let name = if T::DOUBLE { "f64" } else { "f32" };
    for (law, [rate, share]) in [("gravity", gravity), ("own law", own)] {
        eprintln!("{name} each pair once, {law}: {:.3}, {:.1} % of peak", rate * 1e-9, 100.0 * share);
    }
    eprintln!("{name} own law's share over gravity's: {:.2}", own[1] / gravity[1]);
    Ok(())
}

/// The largest difference from the oracle at a few bodies, over the largest result. Stops at one that is a bug.
fn error(law: &Law, evaluator: &Interpreter, columns: &[&[f64]], par: &[f64]) -> manybody::Result<f64> {
    let some: Vec<&[f64]> = columns.iter().map(|c| &c[..500]).collect();
    let inputs = PairInputs::one(&some, par);
    let (got, want) = (evaluator.evaluate(&inputs)?, law.oracle(&inputs)?);
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
    if cfg!(debug_assertions) {
        eprintln!("rates of code that is not optimised mean nothing, and take minutes: run with --release");
        return Ok(());
    }
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
    let more: Vec<Vec<f64>> =
        (0..4).map(|k| (0..65_536).map(|i| ((i * (7919 + 2 * k) % 65_537) as f64) / 65_537.0).collect()).collect();
    let more: Vec<&[f64]> = more.iter().map(Vec::as_slice).collect();
    own_law::<f32>(level, &more)?;
    own_law::<f64>(level, &more)?;
    let pairs = (N * N) as f64 * 1e-9;
    for precision in [Precision::F32, Precision::F64] {
        let plain = match precision {
            Precision::F32 => direct::<f32>(level, &all),
            Precision::F64 | Precision::Mixed => direct::<f64>(level, &all),
        };
        eprintln!("{precision} gravity compiled {:.3}", pairs / plain);
        for (name, text) in laws {
            let law = Law::parse(text)?;
            let columns: Vec<&[f64]> = match name {
                "kde" => all[..3].to_vec(),
                "nearest" => vec![all[0], all[1], all[2], all[4]],
                _ => all[..4].to_vec(),
            };
            let par: Vec<f64> = law.defaults().iter().flatten().copied().collect();
            let evaluator = Interpreter::new(&law, level, precision);
            let error = error(&law, &evaluator, &columns, &par)?;
            let seconds = best(|| drop(evaluator.evaluate(&PairInputs::one(&columns, &par))));
            let (rate, times) = (pairs / seconds, seconds / plain);
            eprintln!("{precision} {name} {rate:.3} ({times:.2} x the compiled law's time), error {error:.1e}");
        }
    }
    Ok(())
}
