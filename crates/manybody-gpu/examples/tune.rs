//! Rates of the CUDA kernels in many shapes, each beside its error: how the shapes in `cuda/shape.rs` were chosen.
//!
//! ```text
//! cargo run --release -p manybody-gpu --example tune [--chosen] [N ...]
//! ```

#![allow(clippy::print_stdout)] // a table is what this is for

use manybody::law::{self, Law, PairInputs};
use manybody::solver::{Gravity, reference_at};
use manybody::{Bodies, ic};
use manybody_gpu::cuda::{Cuda, CudaEvaluator};
use manybody_gpu::kernel_config::{self, KernelConfig};
use manybody_gpu::{Evaluator, Pairs};

const EPS: f64 = 0.01;

fn main() -> manybody::Result<()> {
    let only_chosen = std::env::args().any(|word| word == "--chosen");
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    if let Err(missing @ manybody::Error::NoDevice { .. }) = Cuda::open(0) {
        println!("nothing to tune: {missing}");
        return Ok(());
    }
    let sizes = if sizes.is_empty() { vec![4096, 16_384, 65_536, 262_144, 1_048_576] } else { sizes };
    for n in sizes {
        let bodies = ic::by_name("plummer", &ic::Request::new(n, 1))?.bodies;
        for equal in [false, true] {
            let mut bodies = bodies.clone();
            if !equal {
                // masses that are not the same, by one part in a thousand
                bodies.mass.iter_mut().enumerate().for_each(|(i, m)| *m *= 1.0 + 1e-3 * (i % 7) as f64);
            }
            let answer = Answer::new(&bodies);
            for shape in shapes(n, false, equal).into_iter().take(if only_chosen { 2 } else { usize::MAX }) {
                let pairs = if matches!(shape, KernelConfig::Symmetric { .. }) { Pairs::Once } else { Pairs::Ordered };
                row::<f32>(&bodies, &answer, pairs, shape, equal)?;
            }
            if equal || n > 300_000 {
                continue;
            }
            for shape in shapes(n, true, equal).into_iter().take(if only_chosen { 2 } else { usize::MAX }) {
                let pairs = if matches!(shape, KernelConfig::Symmetric { .. }) { Pairs::Once } else { Pairs::Ordered };
                row::<f64>(&bodies, &answer, pairs, shape, equal)?;
            }
        }
    }
    laws()
}

/// Rates of other laws, mirrored, in their chosen shapes, and what share of the operations that the device can issue they
/// use: 128 lanes a multiprocessor, 132 of them at 1,980 MHz on an H200.
fn laws() -> manybody::Result<()> {
    const ISSUED: f64 = 132.0 * 128.0 * 1.98e9;
    let n = 131_072;
    for name in ["gravity", "gravity-jerk", "lennard-jones", "sph-density", "coulomb", "gaussian", "biot-savart"] {
        let law = manybody::law::by_name(name)?;
        let width: usize = law.body().iter().map(|field| field.numbers()).sum();
        let par: Vec<f64> = law.defaults().iter().map(|d| d.unwrap_or(0.5)).collect();
        // different numbers in every column, or it would become a parameter
        let number = |b: usize, k: usize| 0.5 + ((b * (2 * k + 7919)) % 10_007) as f64 / 20_014.0;
        let columns: Vec<Vec<f64>> = (0..width).map(|k| (0..n).map(|b| number(b, k)).collect()).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut evaluator = CudaEvaluator::<f32>::new(Cuda::open(0)?, &law, Pairs::Once);
        evaluator.load(&PairInputs::one(&columns, &par))?;
        let seconds = evaluator.seconds(20)?;
        let cost = law.mirrored()?.cost();
        let rate = (n as f64).powi(2) / seconds;
        let share = 0.5 * rate * (cost.operations + cost.special) as f64 / ISSUED;
        println!(
            "{n:8} f32 {name}, {} + {} operations a mirrored pair, registers {:?}: {:7.1} Gint/s, {:.0} % of the issue rate",
            cost.operations,
            cost.special,
            evaluator.registers()?.unwrap_or_default(),
            rate * 1e-9,
            100.0 * share
        );
    }
    Ok(())
}

/// Shapes worth trying for n bodies: first those that are chosen.
fn shapes(n: usize, double: bool, equal: bool) -> Vec<KernelConfig> {
    let numbers = if equal { 3 } else { 4 };
    let mut shapes = vec![
        kernel_config::choose(Pairs::Once, n, double, numbers, 3),
        kernel_config::choose(Pairs::Ordered, n, double, numbers, 3),
    ];
    let mut mirrored = |list: &[(u32, u32, u32, u32)], chains: &[u32]| {
        for (per_thread, warps, unroll, blocks) in list.iter().copied() {
            for chain in chains.iter().copied() {
                shapes.push(KernelConfig::Symmetric { per_thread, warps, unroll, blocks, chain });
            }
        }
    };
    match (double, n) {
        (false, 0..=10_000) => {}
        (false, 10_001..=40_000) => mirrored(&[(4, 1, 4, 16), (4, 2, 4, 16), (4, 1, 2, 24)], &[1, 2]),
        (false, _) => mirrored(&[(8, 2, 2, 8), (8, 2, 1, 8)], &[1]),
        (true, 0..=40_000) => mirrored(&[(4, 2, 2, 8), (4, 1, 2, 16)], &[1]),
        (true, _) => mirrored(&[(4, 4, 2, 4)], &[1]),
    }
    if n <= 10_000 {
        for (per_block, threads, unroll) in [(4, 128, 4), (8, 256, 2), (4, 256, 4), (8, 128, 2)] {
            shapes.push(KernelConfig::Small { per_block, threads, unroll });
        }
    }
    shapes.push(KernelConfig::Direct { per_thread: 4, threads: 128, unroll: 8, bag: 8, split: 0 });
    shapes
}

/// f64 accelerations of a sample.
struct Answer {
    sample: Vec<(usize, [f64; 3])>,
    rms: f64,
}

impl Answer {
    fn new(bodies: &Bodies) -> Answer {
        let (n, gravity) = (bodies.len(), Gravity::new(1.0, EPS));
        let count = n.min(512);
        let sample: Vec<_> =
            (0..count).map(|k| k * n / count).map(|i| (i, reference_at(bodies, &gravity, i).acc)).collect();
        let rms = (sample.iter().flat_map(|(_, a)| a).map(|a| a * a).sum::<f64>() / count as f64).sqrt();
        Answer { sample, rms }
    }
}

fn row<T>(bodies: &Bodies, answer: &Answer, pairs: Pairs, shape: KernelConfig, equal: bool) -> manybody::Result<()>
where
    T: manybody::simd::Element,
    CudaEvaluator<T>: Evaluator + New,
{
    let mut evaluator = <CudaEvaluator<T> as New>::new(&Law::of::<law::Gravity>()?, pairs, shape)?;
    let columns: [&[f64]; 4] = [&bodies.x, &bodies.y, &bodies.z, &bodies.mass];
    let found = evaluator.evaluate(&PairInputs::one(&columns, &[EPS * EPS]))?;
    let n = bodies.len();
    let off = |(i, want): &(usize, [f64; 3])| {
        (0..3).map(|k| (found[k][*i] - want[k]).powi(2)).sum::<f64>().sqrt() / answer.rms
    };
    let mut errors: Vec<f64> = answer.sample.iter().map(off).collect();
    errors.sort_by(f64::total_cmp);
    let repeats = (2e12 / (n as f64).powi(2)).clamp(2.0, 200.0) as usize;
    let mut seconds: Vec<f64> = (0..3).map(|_| evaluator.seconds(repeats)).collect::<Result<_, _>>()?;
    seconds.sort_by(f64::total_cmp);
    println!(
        "{n:8} {} {} {shape:?} regs {:?}: {:8.1} us {:7.1} Gint/s, error median {:.1e} max {:.1e}",
        if T::DOUBLE { "f64" } else { "f32" },
        if equal { "equal" } else { "any  " },
        evaluator.registers(),
        seconds[1] * 1e6,
        (n as f64).powi(2) / seconds[1] * 1e-9,
        errors[errors.len() / 2],
        errors[errors.len() - 1]
    );
    Ok(())
}

/// What `row` needs of an evaluator besides evaluating.
trait New: Sized {
    fn new(law: &Law, pairs: Pairs, shape: KernelConfig) -> manybody::Result<Self>;
    fn registers(&self) -> [i32; 2];
}

macro_rules! new {
    ($t:ty) => {
        impl New for CudaEvaluator<$t> {
            fn new(law: &Law, pairs: Pairs, shape: KernelConfig) -> manybody::Result<Self> {
                Ok(CudaEvaluator::<$t>::new(Cuda::open(0)?, law, pairs).with_shape(shape))
            }
            fn registers(&self) -> [i32; 2] {
                CudaEvaluator::<$t>::registers(self).ok().flatten().unwrap_or_default()
            }
        }
    };
}
new!(f32);
new!(f64);
