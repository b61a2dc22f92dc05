//! `paper navarro-figure-5`, `navarro-figure-3` and `maps-gravity`: what index maps of the triangle cost [Navarro 2016].
//!
//! Improvement over BB, the bounding box, is its time over a strategy's: above 1 the strategy is faster. Every answer is
//! checked before its time counts.

mod cpu;
#[cfg(feature = "gpu")]
mod gravity;
mod record;

use super::Options;
use super::plot::{self, Line, Panel};
use crate::output::Output;
use manybody::Error;
use manybody::map::Triangle;
use manybody::solver::Device;
use std::collections::BTreeMap;

#[cfg(feature = "gpu")]
pub(super) use gravity::run as gravity;

/// The strategies of figure 5, and what the roots of figure 3 are called.
const STRATEGIES: [Triangle; 5] =
    [Triangle::BoundingBox, Triangle::RectangularBox, Triangle::Recursive, Triangle::Utm, Triangle::Lambda];
const ROOTS: [Triangle; 6] = [
    Triangle::BoundingBox,
    Triangle::Lambda,
    Triangle::LambdaF32,
    Triangle::LambdaNewton,
    Triangle::LambdaRsqrt,
    Triangle::LambdaRsqrtFused,
];

/// What is done with a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    MapOnly,
    Dummy,
    Edm4,
    Collide1,
    Collide3,
}

/// The tests, as the paper has them, after the map alone.
const TESTS: [Test; 5] = [Test::MapOnly, Test::Dummy, Test::Edm4, Test::Collide1, Test::Collide3];

impl Test {
    /// Its name in tables.
    fn name(self) -> &'static str {
        match self {
            Test::MapOnly => "map only",
            Test::Dummy => "dummy",
            Test::Edm4 => "4D EDM",
            Test::Collide1 => "collisions 1D",
            Test::Collide3 => "collisions 3D",
        }
    }

    /// What the paper says of it.
    fn statement(self) -> &'static str {
        match self {
            Test::MapOnly => "not in the paper",
            Test::Dummy => {
                "RB is fastest, up to 1.33 (GTX 765M); lambda second, up to 1.18 (GTX 680); REC and UTM slower than BB; \
                 on the K40 all come to 1.07"
            }
            Test::Edm4 => "RB up to 1.28 (K40), lambda a stable 1.18, REC up to 1.12 at the largest n, UTM below BB",
            Test::Collide1 => "lambda at the limit of being an improvement",
            Test::Collide3 => "only lambda is faster than BB, up to 1.07; RB slower, REC much slower; UTM 2 at small n",
        }
    }

    /// The same on a GPU.
    #[cfg(feature = "gpu")]
    fn on_gpu(self) -> manybody_gpu::figure5::Test {
        use manybody_gpu::figure5::Test as OnGpu;
        match self {
            Test::MapOnly => OnGpu::MapOnly,
            Test::Dummy => OnGpu::Dummy,
            Test::Edm4 => OnGpu::Edm4,
            Test::Collide1 => OnGpu::Collide1,
            Test::Collide3 => OnGpu::Collide3,
        }
    }
}

/// A time: of a test, at a size, with a strategy.
type Times = BTreeMap<(usize, u32, usize), f64>;

/// Random points with four features, and the same as spheres x y z r.
struct Data {
    points: Vec<[f32; 4]>,
    spheres: Vec<[f32; 4]>,
}

impl Data {
    fn new(n: u32) -> Data {
        let mut s = 0x9e37_79b9_7f4a_7c15_u64 | 1;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 40) as f32 / 16_777_216.0
        };
        let points: Vec<[f32; 4]> = (0..n).map(|_| [next(), next(), next(), next()]).collect();
        // a radius of a thousandth on average: few touch, so that testing is what is measured
        let spheres = points.iter().map(|p| [p[0], p[1], p[2], 0.002 * p[3]]).collect();
        Data { points, spheres }
    }
}

/// Sizes from 1,024 on, doubling.
fn sizes(options: &Options, device: Device) -> Vec<u32> {
    let most = options.to.unwrap_or(if device == Device::Cpu { 8192 } else { 65_536 }).min(92_681) as u32;
    let mut sizes: Vec<u32> = (10..17).map(|p| 1 << p).filter(|n| *n <= most).collect();
    if sizes.is_empty() {
        sizes.push(most.max(2));
    }
    sizes
}

/// What is known of a device.
struct Measured {
    /// What tables call it: cpu, cuda, wgpu, or the name of the card.
    name: String,
    times: Times,
    roots: Vec<Root>,
}

/// How far a root is right.
struct Root {
    map: Triangle,
    /// Blocks tried, from 0 on.
    tried: u64,
    first_wrong: Option<u64>,
}

/// Figure 5.
pub(super) fn figure_5(options: &Options, output: Output) -> anyhow::Result<()> {
    figure(options, output, &Figure { name: "navarro-figure-5", maps: &STRATEGIES, tests: &TESTS, roots: false })?;
    Ok(())
}

/// Figure 3.
pub(super) fn figure_3(options: &Options, output: Output) -> anyhow::Result<()> {
    let figure_3 = Figure { name: "navarro-figure-3", maps: &ROOTS, tests: &TESTS[..2], roots: true };
    let devices = figure(options, output, &figure_3)?;
    if !options.json {
        output.say(format_args!(
            "\nThe paper: by the default root and by Newton's lambda is no faster than BB on the GTX 680 and 765M, by rsqrt \
             it is; on the K40 all three gain the same. Here `lambda` is the exact root, which the paper has not\n\
             First wrong block of each root, every block tried:"
        ));
        for device in devices {
            for Root { map, tried, first_wrong } in device.roots {
                let wrong = first_wrong.map_or_else(|| format!("no wrong block below {tried}"), |w| w.to_string());
                output.say(format_args!("  {:12} {map:20} {wrong}", device.name));
            }
        }
    }
    Ok(())
}

#[cfg(feature = "gpu")]
fn roots(device: Device, options: &Options, output: Output) -> anyhow::Result<Vec<Root>> {
    use manybody_gpu::{compute::Gpu, maps};
    if device == Device::Cpu {
        return Ok(Vec::new());
    }
    let gpu = Gpu::open(device)?;
    let limit = if gpu.is_software() { 1 << 22 } else { u32::MAX };
    let mut roots = Vec::new();
    for root in &ROOTS[1..] {
        let first_wrong = maps::first_wrong(&gpu, *root, limit)?;
        if options.json {
            output.json(&serde_json::json!({
                "event": "root", "device": device.name(), "map": root.name(), "tried": limit, "first_wrong": first_wrong,
            }));
        }
        let first_wrong = first_wrong.map(u64::from);
        roots.push(Root { map: *root, tried: limit.into(), first_wrong });
    }
    Ok(roots)
}

#[cfg(not(feature = "gpu"))]
fn roots(_: Device, _: &Options, _: Output) -> anyhow::Result<Vec<Root>> {
    Ok(Vec::new())
}

/// A figure: maps of which each test is timed.
struct Figure<'a> {
    name: &'a str,
    maps: &'a [Triangle],
    tests: &'a [Test],
    /// Whether it also has how far each map is right.
    roots: bool,
}

fn figure(options: &Options, output: Output, figure: &Figure<'_>) -> anyhow::Result<Vec<Measured>> {
    let Figure { name, maps, tests, .. } = *figure;
    let mut devices = Vec::new();
    if let Some(path) = &options.from {
        devices = record::times(path, maps, tests)?;
    } else {
        for device in options.devices()? {
            let times = times(options, output, device, name, maps, tests)?;
            let roots = if figure.roots { roots(device, options, output)? } else { Vec::new() };
            devices.push(Measured { name: device.to_string(), times, roots });
        }
    }
    let mut panels = Vec::new();
    for Measured { name, times, .. } in &devices {
        for (t, test) in tests.iter().enumerate() {
            if sizes_of(t, times).is_empty() {
                continue;
            }
            if !options.json {
                table(output, name, *test, t, maps, times);
            }
            panels.push(panel(name, *test, t, maps, times));
        }
    }
    let files = plot::write(&options.out, name, &panels)?;
    output.say(format_args!("wrote {} and {}", files[0].display(), files[1].display()));
    Ok(devices)
}

/// The times of all maps on a device.
fn times(
    options: &Options,
    output: Output,
    device: Device,
    name: &str,
    maps: &[Triangle],
    tests: &[Test],
) -> anyhow::Result<Times> {
    let mut times = Times::new();
    for n in sizes(options, device) {
        let data = Data::new(n);
        for (t, test) in tests.iter().enumerate() {
            for (m, seconds) in measure(device, &data, *test, maps, options.repeat.into())?.into_iter().enumerate() {
                times.insert((t, n, m), seconds);
                if options.json {
                    output.json(&serde_json::json!({
                        "event": name, "device": device.name(), "test": test.name(), "n": n, "map": maps[m].name(), "seconds": seconds,
                        "times_bb": times[&(t, n, 0)] / seconds,
                    }));
                }
            }
        }
    }
    Ok(times)
}

/// The sizes of a test's times.
fn sizes_of(test: usize, times: &Times) -> Vec<u32> {
    let mut sizes: Vec<u32> = times.keys().filter(|k| k.0 == test).map(|k| k.1).collect();
    sizes.dedup();
    sizes
}

/// The time of BB over that of a map.
fn gain(times: &Times, t: usize, n: u32, m: usize) -> Option<f64> {
    Some(times.get(&(t, n, 0))? / times.get(&(t, n, m))?)
}

fn table(output: Output, device: &str, test: Test, t: usize, maps: &[Triangle], times: &Times) {
    let (name, statement) = (test.name(), test.statement());
    let width = maps.iter().map(|m| m.name().len()).max().unwrap_or(0).max(8) + 1;
    let mut text =
        format!("\n{name} on {device}, times BB (its microseconds in the first column)\n  the paper: {statement}\n");
    text += &format!("{:>8}", "n");
    maps.iter().for_each(|m| text += &format!(" {m:>width$}"));
    for n in sizes_of(t, times) {
        text += &format!("\n{n:>8} {:>width$.1}", times.get(&(t, n, 0)).map_or(f64::NAN, |s| s * 1e6));
        (1..maps.len()).for_each(|m| {
            text += &gain(times, t, n, m).map_or_else(|| format!(" {:>width$}", "-"), |x| format!(" {x:>width$.3}"));
        });
    }
    let best = |m: usize| sizes_of(t, times).into_iter().filter_map(|n| gain(times, t, n, m)).fold(0.0, f64::max);
    let ours: Vec<String> = (1..maps.len()).map(|m| format!("{} up to {:.2}", maps[m], best(m))).collect();
    output.say(format_args!("{text}\n  ours: {}", ours.join(", ")));
}

fn panel(device: &str, test: Test, t: usize, maps: &[Triangle], times: &Times) -> Panel {
    let point = |n: u32, m: usize| Some((f64::from(n), gain(times, t, n, m)?));
    let line = |m: usize| Line {
        name: maps[m].name().to_owned(),
        points: sizes_of(t, times).into_iter().filter_map(|n| point(n, m)).collect(),
    };
    times_bb(format!("{}, {device}", test.name()), (1..maps.len()).map(line).collect())
}

/// Improvement over BB against n.
fn times_bb(title: String, lines: Vec<Line>) -> Panel {
    Panel { title, x: "n".into(), y: "times BB".into(), lines, base: Some("bb".into()) }
}

/// Seconds of a test with each map, the fastest of `repeat`, maps taken in turns.
fn measure(device: Device, data: &Data, test: Test, maps: &[Triangle], repeat: usize) -> anyhow::Result<Vec<f64>> {
    if device == Device::Cpu {
        return Ok(cpu::measure(data, test, maps, repeat)?);
    }
    #[cfg(feature = "gpu")]
    return Ok(on_gpu(device, data, test, maps, repeat)?);
    #[cfg(not(feature = "gpu"))]
    Err(Error::Unknown { what: "device", name: device.to_string(), known: "cpu".into() }.into())
}

#[cfg(feature = "gpu")]
fn on_gpu(device: Device, data: &Data, test: Test, maps: &[Triangle], repeat: usize) -> Result<Vec<f64>, Error> {
    use manybody_gpu::compute::Gpu;
    use manybody_gpu::figure5::Bench;
    let gpu = Gpu::open(device)?;
    let mut bench = Bench::new(&gpu, &data.points, &data.spheres)?;
    let prepared = maps.iter().map(|map| bench.prepare(test.on_gpu(), *map)).collect::<Result<Vec<_>, _>>()?;
    let n = data.points.len();
    for (map, prepared) in maps.iter().zip(&prepared) {
        let known = if cpu::is_right_at(*map, n) { Some(true) } else { None };
        if bench.check(prepared)? == Some(false) && known == Some(true) {
            return Err(wrong(map.name(), n));
        }
    }
    // enough launches in a row that starting them does not count
    let once = bench.seconds(&prepared[0], 1)?;
    let in_a_row = (5e-3 / once.max(1e-7)).clamp(1.0, 100.0) as usize;
    let mut best = vec![f64::INFINITY; maps.len()];
    for _ in 0..repeat.max(3) {
        for (best, prepared) in best.iter_mut().zip(&prepared) {
            *best = best.min(bench.seconds(prepared, in_a_row)?);
        }
    }
    Ok(best)
}

/// A map that is right gave a wrong answer.
fn wrong(map: &str, n: usize) -> Error {
    Error::Device { device: "any", problem: format!("{map} gave a wrong answer at n = {n}: its time does not count") }
}
