//! Triangular and tetrahedral domains on a device: what each index map costs, and how fast distances, collisions, triples
//! and gravity are beside their bars. Every answer is checked. One JSON object a line.
//!
//! ```text
//! cargo run --release -p manybody-gpu --example triangles [cuda|wgpu] [--small] [--only roots,distances,..]
//! ```
//!
//! What there is: roots, distances, collisions, correlation, triples, figure5, gravity.

#![allow(clippy::print_stdout)] // lines of results are what this is for

use manybody::law::{self, Law, PairInputs};
use manybody::map::{Layer, Triangle};
use manybody::pairs::{AxilrodTeller, Bins, PairHistogram, Points, Spheres, distance_index};
use manybody::solver::{Device, Precision};
use manybody_gpu::collisions::DeviceSpheres;
use manybody_gpu::compute::Gpu;
use manybody_gpu::correlation::DevicePairs;
use manybody_gpu::distances::{DevicePoints, Metric, Shape};
use manybody_gpu::figure5::{self, Bench, Prepared, ROOTS, STRATEGIES, Test};
use manybody_gpu::maps::{self, DeviceMap};
use manybody_gpu::tetrahedral::{DeviceTriples, Triplet};
use manybody_gpu::triangular::Triangular;
use manybody_gpu::{Evaluator, Pairs, evaluator};
use std::time::Instant;

/// A part that asks for nothing but a device.
type Part = fn(&Gpu, bool) -> manybody::Result<()>;

fn main() -> manybody::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let small = words.iter().any(|w| w == "--small");
    let device = words.iter().find_map(|word| word.parse().ok()).unwrap_or(Device::Cuda);
    let only = words.iter().position(|w| w == "--only").and_then(|at| words.get(at + 1));
    let wanted = |name: &str| only.is_none_or(|only| only.split(',').any(|o| o == name));
    let gpu = match Gpu::open(device) {
        Err(missing @ manybody::Error::NoDevice { .. }) => {
            println!("nothing to measure: {missing}");
            return Ok(());
        }
        other => other?,
    };
    let begin = Instant::now();
    let name = manybody_gpu::devices().into_iter().find(|d| d.device == device).map_or(String::new(), |d| d.name);
    println!(r#"{{"event":"device","device":"{device}","name":"{name}"}}"#);
    if wanted("roots") {
        roots_on_this_device(&gpu)?;
    }
    if wanted("distances") {
        let fill = fill_rate(&gpu, small)?;
        distances(&gpu, small, fill)?;
    }
    let parts: [(&str, Part); 5] = [
        ("collisions", collisions),
        ("correlation", correlation),
        ("triples", triples),
        ("figure5", figure),
        ("gravity", gravity),
    ];
    for (name, part) in parts {
        if wanted(name) {
            part(&gpu, small)?;
        }
    }
    println!(r#"{{"event":"end","seconds":{:.1}}}"#, begin.elapsed().as_secs_f64());
    Ok(())
}

/// Numbers in [0, 1).
fn random(n: usize, seed: u64) -> Vec<f32> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 40) as f32 / 16_777_216.0
    };
    (0..n).map(|_| next()).collect()
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// The first block that each root sends elsewhere than it belongs, every block below 2^32 tried.
fn roots_on_this_device(gpu: &Gpu) -> manybody::Result<()> {
    let limit = if gpu.is_software() { 1 << 22 } else { u32::MAX };
    for name in ROOTS {
        if DeviceMap::of(name).in_wgsl || gpu.has_double() {
            let wrong = maps::first_wrong(gpu, name, limit)?;
            let wrong = wrong.map_or("null".into(), |w| w.to_string());
            println!(r#"{{"event":"root","map":"{name}","tried":{limit},"first_wrong":{wrong}}}"#);
        }
    }
    Ok(())
}

/// Bytes a second at which memory can be filled.
fn fill_rate(gpu: &Gpu, small: bool) -> manybody::Result<f64> {
    let bytes = if small { 1 << 26 } else { 8_u64 << 30 }.min(gpu.largest_buffer() / 2);
    let buffer = gpu.zeros(bytes)?;
    let runs: Result<Vec<f64>, _> = (0..5).map(|_| figure5::fill(gpu, &buffer, bytes, 1.0, 4)).collect();
    let rate = bytes as f64 / median(runs?);
    let back = gpu.read(&buffer, 1 << 20)?;
    let is_right = back.chunks_exact(4).all(|c| c == 1.0_f32.to_le_bytes());
    println!(r#"{{"event":"fill","bytes":{bytes},"bytes_per_s":{rate:.4e},"is_right":{is_right}}}"#);
    Ok(rate)
}

/// The packed distance matrix of four features.
fn distances(gpu: &Gpu, small: bool, fill: f64) -> manybody::Result<()> {
    for n in if small { vec![1_000] } else { vec![10_000, 30_000, 60_000] } {
        let rows = random(4 * n, 1);
        let points = Points::from_rows(&rows, 4)?;
        if 2 * (n as u64).pow(2) > gpu.largest_buffer() {
            continue;
        }
        // other shapes than the chosen one, to see whether it is well chosen
        let shapes = [(64, 1), (64, 4), (128, 1), (128, 2), (128, 4), (128, 8), (256, 1), (256, 2), (256, 4)];
        for shape in [true, false]
            .iter()
            .flat_map(|streaming| shapes.map(|(threads, groups)| Shape { threads, groups, streaming: *streaming }))
        {
            if gpu.device() == Device::Cuda && !small {
                let on_device = DevicePoints::with_shape(gpu, &points, Metric::Euclidean, shape)?;
                let (_, matrix) = on_device.seconds(1)?;
                let runs: Result<Vec<f64>, _> = (0..5).map(|_| on_device.seconds_into(&matrix, 4)).collect();
                let rate = 2.0 * n as f64 * (n as f64 - 1.0) / median(runs?);
                let Shape { threads, groups, streaming } = shape;
                println!(
                    r#"{{"event":"distances' shape","n":{n},"threads":{threads},"groups":{groups},"streaming":{streaming},"of_fill":{:.3}}}"#,
                    rate / fill
                );
            }
        }
        let on_device = DevicePoints::new(gpu, &points, Metric::Euclidean)?;
        let (_, matrix) = on_device.seconds(1)?;
        let runs: Result<Vec<f64>, _> = (0..5).map(|_| on_device.seconds_into(&matrix, 4)).collect();
        let seconds = median(runs?);
        let bytes = 2 * n as u64 * (n as u64 - 1);
        let all = gpu.read(&matrix, bytes)?;
        // a million entries, spread over all rows
        let mut worst = 0.0_f64;
        let (mut i, mut j) = (0, 1);
        for k in 0..1_000_000_usize {
            i = (i + 7919 * k + 1) % (n - 1);
            j = i + 1 + (j + 104_729 * k) % (n - 1 - i);
            let at = 4 * distance_index(n, i, j);
            let found = f32::from_le_bytes([all[at], all[at + 1], all[at + 2], all[at + 3]]);
            let square = |d: usize| (f64::from(rows[4 * i + d]) - f64::from(rows[4 * j + d])).powi(2);
            let want = (0..4).map(square).sum::<f64>().sqrt();
            worst = worst.max((f64::from(found) - want).abs() / want);
        }
        let rate = bytes as f64 / seconds;
        println!(
            r#"{{"event":"distances","n":{n},"dimensions":4,"seconds":{seconds:.4e},"bytes_per_s":{rate:.4e},"of_fill":{:.3},"bar":0.8,"largest_error":{worst:.1e},"is_right":{}}}"#,
            rate / fill,
            worst < 5e-7
        );
    }
    Ok(())
}

/// Touching pairs among random spheres, against a grid of cells on the host.
fn collisions(gpu: &Gpu, small: bool) -> manybody::Result<()> {
    for (n, dimensions) in if small { vec![(5_000, 3)] } else { vec![(100_000, 3), (1_000_000, 3), (1_000_000, 1)] } {
        // a touch a sphere, more or less
        let reach = match dimensions {
            1 => 1.0 / n as f64,
            _ => (3.0 / (4.0 * std::f64::consts::PI * n as f64)).cbrt(),
        };
        let columns: Vec<Vec<f32>> = (0..dimensions).map(|d| random(n, 11 + d as u64)).collect();
        let slices: Vec<&[f32]> = columns.iter().map(Vec::as_slice).collect();
        let radii: Vec<f32> = random(n, 17).iter().map(|x| x * reach as f32).collect();
        let spheres = Spheres::new(Points::from_columns(&slices)?, &radii)?;
        let on_device = DeviceSpheres::new(gpu, &spheres)?;
        let clock = Instant::now();
        let list = on_device.list()?;
        let wall = clock.elapsed().as_secs_f64();
        let is_right = list == by_cells(&columns, &radii, 2.0 * reach);
        let runs: Result<Vec<[f64; 2]>, _> = (0..3).map(|_| on_device.seconds(2)).collect();
        let runs = runs?;
        let [count, fill] = [0, 1].map(|k| median(runs.iter().map(|r| r[k]).collect()));
        let pairs = on_device.pairs() as f64;
        println!(
            r#"{{"event":"collisions","n":{n},"dimensions":{dimensions},"touches":{},"count_s":{count:.4e},"list_s":{fill:.4e},"tests_per_s":{:.4e},"bar":1.5e12,"wall_s":{wall:.3},"is_right":{is_right}}}"#,
            list.len(),
            pairs / (count + fill)
        );
    }
    Ok(())
}

/// Random points in a periodic box counted by distance: twenty bins that few pairs reach, and that half of all do; within
/// the set and as a cross-correlation with itself. The first size is also counted on the host.
fn correlation(gpu: &Gpu, small: bool) -> manybody::Result<()> {
    for (n, checked) in if small { vec![(3_000, true)] } else { vec![(50_000, true), (1_000_000, false)] } {
        let columns: Vec<Vec<f32>> = (0..3).map(|d| random(n, 31 + d)).collect();
        let slices: Vec<&[f32]> = columns.iter().map(Vec::as_slice).collect();
        let points = Points::from_columns(&slices)?;
        for (largest, count) in [(0.05, 20), (0.5, 20), (0.5, 1000)] {
            let bins = Bins::logarithmic(largest * 1e-2, largest, count)?.periodic(&[1.0; 3])?;
            for between in [false, true] {
                let pairs = DevicePairs::new(gpu, &points, between.then_some(&points), &bins)?;
                let found = pairs.histogram()?;
                let is_right = if !checked {
                    "null".into()
                } else if between {
                    (PairHistogram::between(&points, &points, None, &bins)? == found).to_string()
                } else {
                    (PairHistogram::within(&points, None, &bins)? == found).to_string()
                };
                let runs: Result<Vec<f64>, _> = (0..3).map(|_| pairs.seconds(1)).collect();
                let seconds = median(runs?);
                println!(
                    r#"{{"event":"correlation","n":{n},"between":{between},"bins":{count},"largest":{largest},"counted":{},"seconds":{seconds:.4e},"pairs_per_s":{:.4e},"is_right":{is_right}}}"#,
                    found.counts.iter().sum::<u64>(),
                    pairs.pairs() as f64 / seconds
                );
            }
        }
    }
    Ok(())
}

/// The same list from a grid of cells as wide as the largest reach.
fn by_cells(columns: &[Vec<f32>], radii: &[f32], width: f64) -> Vec<[u32; 2]> {
    let n = radii.len();
    let width = width * 1.001;
    let cell = |i: usize| -> [i64; 3] {
        std::array::from_fn(|d| columns.get(d).map_or(0, |c| (f64::from(c[i]) / width) as i64))
    };
    let mut order: Vec<([i64; 3], u32)> = (0..n).map(|i| (cell(i), i as u32)).collect();
    order.sort_unstable();
    let touch = |i: usize, j: usize| {
        // as the library's loop: each operation rounded in f32, the larger index less the smaller
        let (i, j) = (i.min(j), i.max(j));
        let mut square = 0.0_f32;
        for (d, column) in columns.iter().enumerate() {
            let x = column[j] - column[i];
            square = if d == 0 { x * x } else { square + x * x };
        }
        let reach = radii[i] + radii[j];
        square <= reach * reach
    };
    let mut list = Vec::new();
    for (at, i) in &order {
        for dx in -1..=1 {
            for dy in -1..=1 {
                // the three cells along the last axis are neighbours in the order
                let (first, last) = ([at[0] + dx, at[1] + dy, at[2] - 1], [at[0] + dx, at[1] + dy, at[2] + 1]);
                let from = order.partition_point(|o| o.0 < first);
                for (_, j) in order[from..].iter().take_while(|o| o.0 <= last) {
                    if i < j && touch(*i as usize, *j as usize) {
                        list.push([*i, *j]);
                    }
                }
            }
        }
    }
    list.sort_unstable();
    list
}

/// Axilrod-Teller beside one thread an atom.
fn triples(gpu: &Gpu, small: bool) -> manybody::Result<()> {
    let side = if small { 3_usize } else { 16 }; // 16^3 = 4,096 atoms
    let n = side.pow(3);
    let crooked = random(3 * n, 23);
    let place = |k: usize| [k % side, k / side % side, k / side / side];
    let rows: Vec<f64> = (0..3 * n).map(|at| place(at / 3)[at % 3] as f64 + 0.3 * f64::from(crooked[at])).collect();
    let points = Points::from_rows(&rows, 3)?;
    let want = AxilrodTeller::new(1.0)?.energy_and_forces(&points)?;
    let top = want.force.iter().flatten().fold(0.0_f64, |top, f| top.max(f.abs()));
    for precision in [Precision::F32, Precision::F64] {
        if precision == Precision::F64 && !gpu.has_double() {
            continue;
        }
        for layer in [Layer::Cubic, Layer::Table] {
            let device = DeviceTriples::new(gpu, &points, &Triplet::axilrod_teller()?, layer, precision)?;
            let error = |found: &manybody::pairs::TripletForces| {
                let pairs = found.force.iter().flatten().zip(want.force.iter().flatten());
                let force = pairs.fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs() / top));
                [(found.energy / want.energy - 1.0).abs(), force]
            };
            let ours = error(&device.energy_and_forces(1.0)?);
            let seconds = median((0..3).map(|_| device.seconds(2)).collect::<Result<_, _>>()?);
            let (loop_error, rival) = if layer == Layer::Cubic {
                (error(&device.by_triple_loop(1.0)?), device.seconds_of_triple_loop(1)?)
            } else {
                ([0.0; 2], f64::NAN)
            };
            let triples = n as f64 * (n as f64 - 1.0) * (n as f64 - 2.0) / 6.0;
            let limit = if precision == Precision::F64 { 1e-11 } else { 2e-5 };
            println!(
                r#"{{"event":"triples","n":{n},"precision":"{precision}","layer":"{layer:?}","seconds":{seconds:.4e},"triples_per_s":{:.4e},"loop_s":{},"times":{},"bar":4,"energy_error":{:.1e},"force_error":{:.1e},"is_right":{}}}"#,
                triples / seconds,
                number(rival),
                number(rival / seconds),
                ours[0],
                ours[1],
                ours.iter().chain(&loop_error).all(|e| *e < limit)
            );
        }
    }
    Ok(())
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:.4e}") } else { "null".into() }
}

/// Times of several variants, taken in turns so that a drifting clock is the same for all.
fn in_turns(bench: &mut Bench<'_>, prepared: &[(Triangle, Prepared)], budget: f64) -> manybody::Result<Vec<f64>> {
    let mut repeats = 1;
    let once = bench.seconds(&prepared[0].1, 1)?;
    if once * 10.0 < budget {
        repeats = (budget / 10.0 / once.max(1e-6)).clamp(1.0, 200.0) as usize;
    }
    let mut all = vec![Vec::new(); prepared.len()];
    for _ in 0..9 {
        for (k, (_, prepared)) in prepared.iter().enumerate() {
            all[k].push(bench.seconds(prepared, repeats)?);
        }
    }
    Ok(all.into_iter().map(median).collect())
}

/// Figures 5 and 3, and exact lambda beside the fastest inexact root.
fn figure(gpu: &Gpu, small: bool) -> manybody::Result<()> {
    for n in if small { vec![500] } else { vec![16_384, 65_536] } {
        let features = random(4 * n, 31);
        let points: Vec<[f32; 4]> = features.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
        let spheres: Vec<[f32; 4]> = points.iter().map(|p| [p[0], p[1], p[2], 0.002 * p[3]]).collect();
        let mut bench = Bench::new(gpu, &points, &spheres)?;
        for test in Test::ALL {
            if test == Test::Edm4 && 2 * (n as u64).pow(2) > gpu.largest_buffer() {
                continue;
            }
            let mut names = STRATEGIES.to_vec();
            for name in ROOTS {
                if name != Triangle::Lambda && (DeviceMap::of(name).in_wgsl || gpu.has_double()) {
                    names.push(name);
                }
            }
            let prepared: Vec<(Triangle, Prepared)> =
                names.iter().map(|name| Ok((*name, bench.prepare(test, *name)?))).collect::<manybody::Result<_>>()?;
            let seconds = in_turns(&mut bench, &prepared, if small { 0.01 } else { 0.03 })?;
            let of = |map: Triangle| names.iter().position(|n| *n == map).map_or(f64::NAN, |k| seconds[k]);
            let (mut fastest, mut best) = ("", f64::INFINITY);
            for ((name, _), seconds) in prepared.iter().zip(&seconds) {
                if ROOTS.contains(name) && !name.is_exact() && *seconds < best {
                    (fastest, best) = (name.name(), *seconds);
                }
            }
            for ((name, prepared), seconds) in prepared.iter().zip(&seconds) {
                let is_right = bench.check(prepared)?.map_or("null".into(), |r| r.to_string());
                println!(
                    r#"{{"event":"figure5","test":"{}","n":{n},"map":"{name}","seconds":{seconds:.4e},"times_bb":{:.4},"is_right":{is_right}}}"#,
                    test.name(),
                    of(Triangle::BoundingBox) / seconds
                );
            }
            println!(
                r#"{{"event":"exact","test":"{}","n":{n},"exact_s":{:.4e},"fastest_inexact":"{fastest}","inexact_s":{best:.4e},"ratio":{:.4},"bar":1.01}}"#,
                test.name(),
                of(Triangle::Lambda),
                of(Triangle::Lambda) / best
            );
        }
    }
    Ok(())
}

/// Gravity through each map, one-sided and mirrored, beside the circulant traversal.
fn gravity(gpu: &Gpu, small: bool) -> manybody::Result<()> {
    let n = if small { 1_000 } else { 65_536 };
    let law = Law::of::<law::Gravity>()?;
    let columns: Vec<Vec<f64>> = (0..4).map(|d| random(n, 41 + d).into_iter().map(f64::from).collect()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let inputs = PairInputs::one(&columns, &[1e-4]);
    let mut reference = evaluator(gpu.device(), &[], &law, Precision::F32, Pairs::Once, None)?;
    let want = reference.evaluate(&inputs)?;
    let top = want.iter().flatten().fold(0.0_f64, |top, x| top.max(x.abs()));
    let interactions = (n as f64).powi(2);
    let names: Vec<Triangle> = STRATEGIES.into_iter().chain(ROOTS.into_iter().skip(1)).collect();
    for mirrored in [true, false] {
        let mut kernels = Vec::new();
        for name in &names {
            if DeviceMap::of(*name).in_wgsl || gpu.has_double() {
                let mut kernel = Triangular::new(gpu, &law, *name, mirrored, Precision::F32)?;
                let found = kernel.evaluate(&inputs)?;
                let pairs = found.iter().flatten().zip(want.iter().flatten());
                let error = pairs.fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs() / top));
                kernels.push((*name, kernel, error, Vec::new()));
            }
        }
        for _ in 0..7 {
            for (_, kernel, _, seconds) in &mut kernels {
                seconds.push(kernel.seconds(if small { 1 } else { 4 })?);
            }
        }
        for (name, _, error, seconds) in &kernels {
            println!(
                r#"{{"event":"gravity","n":{n},"mirrored":{mirrored},"map":"{name}","interactions_per_s":{:.4e},"error":{error:.1e},"is_right":{}}}"#,
                interactions / median(seconds.clone()),
                *error < 1e-5
            );
        }
    }
    for pairs in [Pairs::Once, Pairs::Ordered] {
        let mut circulant = evaluator(gpu.device(), &[], &law, Precision::F32, pairs, None)?;
        circulant.load(&inputs)?;
        let seconds = median((0..5).map(|_| circulant.seconds(4)).collect::<Result<_, _>>()?);
        println!(
            r#"{{"event":"gravity","n":{n},"mirrored":{},"map":"(the engine's own order)","interactions_per_s":{:.4e}}}"#,
            pairs == Pairs::Once,
            interactions / seconds
        );
    }
    Ok(())
}
