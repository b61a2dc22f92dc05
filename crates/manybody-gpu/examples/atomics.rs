//! Two ways to the same bits for the mirrored kernel on CUDA, measured against each other: the circulant schedule with a slot
//! for every sum, as it stands, and 64-bit fixed-point sums with integer atomics, which need no slots and no gathering.
//!
//! ```text
//! cargo run --release -p manybody-gpu --example atomics -- 16384 131072 1048576
//! ```
//!
//! What differs is where a tile's sums go; the pairs, their order and the tiles are the same text.

#![allow(clippy::print_stdout)]

use manybody::ic;
use manybody::law::{self, Law};
use manybody::solver::{Device, Precision};
use manybody_gpu::Pairs;
use manybody_gpu::compute::{Access, Gpu, Kernel, Rounding, Start};
use manybody_gpu::cuda::{compile, has_compiler, source};
use manybody_gpu::kernel_config::{self, KernelConfig};

/// Units of fixed point: forces in this frame are below 2^12.
const SCALE: f32 = (1_u64 << 50) as f32;
const EPS2: f32 = 1e-4;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The kernel's text with arguments as `compute` gives them, its shared memory of fixed size, and the sums put where `to` says.
fn text(shape: KernelConfig, atomics: bool) -> Outcome<String> {
    let (mut text, _) = source(&Law::of::<law::Gravity>()?, Precision::F32, shape, false, false, false);
    let mut change = |from: &str, to: &str| {
        if !text.contains(from) {
            return Err(format!("symmetric.cu has changed: '{from}' is not there"));
        }
        text = text.replace(from, to);
        Ok(())
    };
    change("extern __shared__ Piece shared[]; ", "__shared__ Piece shared[PIECES * 2 * T + (NO * T + 3) / 4]; ")?;
    change(
        "const u32 n, const u32 tiles, const u32 d0, const u32 d1, const u32 chain PAR_ARGS) {",
        "const Call call) {\n    const u32 n = call.w[0], tiles = call.w[1], d0 = call.w[2], d1 = call.w[3], chain = call.w[4];\n    \
         const real p0 = __uint_as_float(call.w[5]);",
    )?;
    change(
        "extern \"C\" __global__ void __launch_bounds__(32 * W",
        "struct Call { u32 w[16]; };\nextern \"C\" __global__ void __launch_bounds__(32 * W",
    )?;
    if atomics {
        let add = |to: &str, value: &str| {
            format!("atomicAdd((u64*)slots_j + {to}, (u64)__float2ll_rn({value} * {SCALE:?}f))")
        };
        change("slot[k * stride + t] = nothing[k]", "(void)nothing")?;
        change("slot[o * stride + t] = sums[o * T + t]", &add("o * stride + (u64)J * T + t", "sums[o * T + t]"))?;
        let lane = "(u64)J * T + chunk * 32 + lane";
        change("slot[o * stride + chunk * 32 + lane] = oj[o]", &add(&format!("o * stride + {lane}"), "oj[o]"))?;
        let i = "o * stride + (u64)I * T + (warp * K + k) * 32 + lane";
        change(
            "slots_i[((u64)blockIdx.y * NO + o) * stride + (u64)I * T + (warp * K + k) * 32 + lane] = oi[k][o]",
            &add(i, "oi[k][o]"),
        )?;
    }
    Ok(text)
}

/// What follows the traversal: slots are added in f64 as gather.cu does, or integers become f64; `sums` [3][stride].
fn finish(atomics: bool) -> String {
    let body = if atomics {
        format!("a = (double)slots_j[(u64)o * stride + b] / {SCALE:?}; slots_j[(u64)o * stride + b] = 0;")
    } else {
        "for (u32 s = 0; s < call.w[3]; s++) a += slots_i[((u64)s * 3 + o) * stride + b];\n\
         for (u32 s = 0; s < call.w[4]; s++) a += slots_j[((u64)s * 3 + o) * stride + b];"
            .into()
    };
    let kind = if atomics { "long long" } else { "float" };
    format!(
        "typedef unsigned int u32;\ntypedef unsigned long long u64;\nstruct Call {{ u32 w[16]; }};\n\
         extern \"C\" __global__ void __launch_bounds__(256) finish({kind}* slots_j, {kind}* slots_i, double* sums, const Call call) {{\n\
         const u32 at = blockIdx.x * 256 + threadIdx.x, n = call.w[0], stride = call.w[1], b = at % stride, o = at / stride;\n\
         if (o >= 3 || b >= n) return;\ndouble a = 0;\n{body}\nsums[(u64)o * stride + b] = a;\n}}\n"
    )
}

fn kernel(cuda: String, entry: &'static str, threads: u32, buffers: usize) -> Kernel {
    let access = vec![Access::Write; buffers];
    Kernel { cuda, wgsl: String::new(), entry, block: [threads, 1], access, rounding: Rounding::Fast }
}

/// Seconds of an evaluation, and the accelerations.
fn measure(gpu: &Gpu, n: usize, atomics: bool) -> Outcome<(f64, Vec<f64>)> {
    let bodies = ic::by_name("plummer", &ic::Request::new(n, 1))?.bodies;
    let shape = kernel_config::choose(Pairs::Once, n, false, 4, 3);
    let KernelConfig::Symmetric { warps, .. } = shape else { return Err("no mirrored kernel".into()) };
    let tile = shape.tile();
    let (tiles, stride) = (n.div_ceil(tile), n.div_ceil(tile) * tile);
    let records = |turn: usize| -> Vec<f32> {
        (0..stride)
            .flat_map(|b| {
                let b = b.min(n - 1);
                let f = [bodies.x[b], bodies.y[b], bodies.z[b], bodies.mass[b]];
                (0..4).map(move |k| f[(k + 4 - turn) % 4] as f32)
            })
            .collect()
    };
    let bytes = |records: Vec<f32>| records.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (plain, rotated) = (gpu.filled(&bytes(records(0)))?, gpu.filled(&bytes(records(1)))?);
    // all rounds in one launch, one a block: 13 GB twice at a million bodies
    let rounds = tiles / 2 + 1;
    let slots = if atomics { 24 * stride as u64 } else { (12 * stride * rounds) as u64 };
    let (slots_j, slots_i) = (gpu.zeros(slots)?, gpu.zeros(slots)?);
    let sums = gpu.zeros(24 * stride as u64)?;
    let traverse = gpu.compile(&kernel(text(shape, atomics)?, "symmetric", 32 * warps, 4))?;
    let add = gpu.compile(&kernel(finish(atomics), "finish", 256, 3))?;
    let words = vec![n as u32, tiles as u32, 0, rounds as u32, 1, EPS2.to_bits()];
    let first = Start {
        kernel: &traverse,
        grid: [tiles as u32, rounds as u32, 1],
        buffers: vec![&plain, &rotated, &slots_j, &slots_i],
        words,
    };
    let last = Start {
        kernel: &add,
        grid: [(3 * stride).div_ceil(256) as u32, 1, 1],
        buffers: vec![&slots_j, &slots_i, &sums],
        words: vec![n as u32, stride as u32, 0, rounds as u32, rounds as u32 - 1],
    };
    let starts = [first, last];
    let seconds = gpu.seconds(&starts, 3)?.min(gpu.seconds(&starts, 10)?);
    let raw = gpu.read(&sums, 24 * stride as u64)?;
    let all: Vec<f64> = raw.chunks_exact(8).filter_map(|b| Some(f64::from_le_bytes(b.try_into().ok()?))).collect();
    Ok((seconds, (0..3).flat_map(|o| all[o * stride..o * stride + n].to_vec()).collect()))
}

fn main() -> Outcome<()> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|n| n.parse()).collect::<Result<_, _>>()?;
    let gpu = match Gpu::open(Device::Cuda) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("skipped: {error}");
            // that the texts still fit symmetric.cu is seen here too
            for (n, atomics) in [(16_384, false), (16_384, true), (1 << 20, false), (1 << 20, true)] {
                let text = text(kernel_config::choose(Pairs::Once, n, false, 4, 3), atomics)?;
                if has_compiler() {
                    compile(&text, 90)?;
                    compile(&finish(atomics), 90)?;
                }
            }
            return Ok(());
        }
    };
    println!("{:>9} {:>12} {:>12} {:>10} {:>10}", "N", "slots 1e9/s", "atomics", "apart", "same bits");
    for n in if sizes.is_empty() { vec![16_384] } else { sizes } {
        let (slots, atomics) = (measure(&gpu, n, false)?, measure(&gpu, n, true)?);
        let again = measure(&gpu, n, true)?;
        let rms = (slots.1.iter().map(|a| a * a).sum::<f64>() / n as f64).sqrt();
        let apart = slots.1.iter().zip(&atomics.1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / rms;
        let rate = |seconds: f64| 1e-9 * (n as f64).powi(2) / seconds;
        println!(
            "{n:>9} {:>12.0} {:>12.0} {apart:>10.1e} {:>10}",
            rate(slots.0),
            rate(atomics.0),
            again.1 == atomics.1
        );
    }
    Ok(())
}
