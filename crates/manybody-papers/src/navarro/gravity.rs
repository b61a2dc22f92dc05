//! `paper maps-gravity`: gravity through each map on GPUs, mirrored and one-sided, which the paper does not measure.

use super::super::plot::{self, Line, Panel};
use super::times_bb;
use crate::Options;
use crate::output::Output;
use anyhow::Context;
use manybody::law::{Gravity, Law, PairInputs};
use manybody::map::Triangle;
use manybody::solver::{Device, Precision};
use manybody_gpu::compute::Gpu;
use manybody_gpu::figure5::STRATEGIES;
use manybody_gpu::triangular::Triangular;
use manybody_gpu::{Evaluator, Pairs, evaluator};
use std::collections::BTreeMap;
use std::path::Path;

/// In which order tile pairs are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// That of an index map.
    Of(Triangle),
    /// The engine's own, for comparison.
    Circulant,
}

impl Order {
    /// All that are compared; the engine's own comes last.
    fn all() -> Vec<Order> {
        STRATEGIES.into_iter().map(Order::Of).chain([Order::Circulant]).collect()
    }

    fn name(self) -> &'static str {
        match self {
            Order::Of(map) => map.name(),
            Order::Circulant => "circulant",
        }
    }

    /// The one of a line that was recorded.
    fn recorded(name: &str) -> Option<Order> {
        // the program triangles puts the engine's own in brackets
        Order::all()
            .into_iter()
            .find(|order| order.name() == name)
            .or(name.starts_with('(').then_some(Order::Circulant))
    }
}

/// Of the largest acceleration: sums of f32 in another order.
const TOLERANCE: f64 = 2e-5;

/// Runs it.
pub(crate) fn run(options: &Options, output: Output) -> anyhow::Result<()> {
    if let Some(path) = &options.from {
        return draw(options, output, &recorded(output, path)?);
    }
    let devices: Vec<Device> = options.devices()?.into_iter().filter(|d| d.is_gpu()).collect();
    if devices.is_empty() {
        output.say(format_args!("there is no GPU here; --device wgpu also takes one that computes on the CPU"));
    }
    let mut panels = Vec::new();
    let law = Law::of::<Gravity>()?;
    for device in devices {
        let gpu = Gpu::open(device)?;
        for (mirrored, pairs) in [(true, Pairs::Once), (false, Pairs::Ordered)] {
            let way = if mirrored { "mirrored" } else { "one-sided" };
            let orders = Order::all();
            let mut kernels: Vec<Box<dyn Evaluator>> = Vec::new();
            for order in &orders {
                kernels.push(match order {
                    Order::Circulant => evaluator(device, &[], &law, Precision::F32, pairs, None)?,
                    Order::Of(map) => Box::new(Triangular::new(&gpu, &law, *map, mirrored, Precision::F32)?),
                });
            }
            let mut lines = lines_of(&orders);
            let mut text = header(way, device.name());
            for n in sizes(options, gpu.is_software()) {
                let columns = columns(n);
                let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
                let inputs = PairInputs::one(&columns, &[1e-4]);
                let want = kernels[orders.len() - 1].evaluate(&inputs)?;
                let top = want.iter().flatten().fold(0.0_f64, |top, x| top.max(x.abs()));
                let mut best = vec![f64::INFINITY; orders.len()];
                for (order, kernel) in orders.iter().zip(&mut kernels) {
                    let found = kernel.evaluate(&inputs)?;
                    let off = |(x, y): (&f64, &f64)| (x - y).abs() / top;
                    let error = found.iter().flatten().zip(want.iter().flatten()).map(off).fold(0.0, f64::max);
                    if error.is_nan() || error > TOLERANCE {
                        return Err(super::wrong(order.name(), n).into());
                    }
                }
                for _ in 0..options.repeat.max(3) {
                    for (best, kernel) in best.iter_mut().zip(&mut kernels) {
                        *best = best.min(kernel.seconds(4)?);
                    }
                }
                text += &format!("\n{n:>8}");
                for (k, seconds) in best.iter().enumerate() {
                    let rate = (n as f64).powi(2) / seconds;
                    text += &rate_in_1e9(rate);
                    lines[k].points.push((n as f64, best[0] / seconds));
                    if options.json {
                        output.json(&serde_json::json!({
                            "event": "maps-gravity", "device": device.name(), "mirrored": mirrored, "n": n, "map": orders[k].name(),
                            "seconds": seconds, "interactions_per_s": rate,
                        }));
                    }
                }
            }
            if !options.json {
                output.say(format_args!("{text}"));
            }
            panels.push(times_bb(format!("gravity, {way}, {device}"), lines.split_off(1)));
        }
    }
    draw(options, output, &panels)
}

fn draw(options: &Options, output: Output, panels: &[Panel]) -> anyhow::Result<()> {
    if !panels.is_empty() {
        let files = plot::write(&options.out, "maps-gravity", panels)?;
        output.say(format_args!("wrote {} and {}", files[0].display(), files[1].display()));
    }
    Ok(())
}

/// Panels from rates that were measured before, with their tables.
fn recorded(output: Output, path: &Path) -> anyhow::Result<Vec<Panel>> {
    // device and way; then n and map
    let mut rates: BTreeMap<(String, bool), BTreeMap<(u64, Order), f64>> = BTreeMap::new();
    for (device, line) in super::record::lines(path)? {
        let event = line["event"].as_str().unwrap_or_default();
        if event != "gravity" && event != "maps-gravity" {
            continue;
        }
        let known = (line["mirrored"].as_bool(), line["n"].as_u64(), line["map"].as_str());
        let (Some(mirrored), Some(n), Some(map)) = known else {
            anyhow::bail!("{}: mirrored, n and map must be in {line}", path.display());
        };
        let rate = line["interactions_per_s"].as_f64().filter(|r| *r > 0.0);
        let rate = rate.with_context(|| format!("{}: interactions_per_s must be in {line}", path.display()))?;
        let of_this = rates.entry((device, mirrored)).or_default();
        of_this.extend(Order::recorded(map).map(|order| ((n, order), rate)));
    }
    let mut panels = Vec::new();
    let orders = Order::all();
    for ((device, mirrored), rates) in rates.into_iter().rev() {
        let way = if mirrored { "mirrored" } else { "one-sided" };
        let mut sizes: Vec<u64> = rates.keys().map(|k| k.0).collect();
        sizes.dedup();
        let mut lines = lines_of(&orders);
        let mut text = header(way, &device);
        for n in sizes {
            text += &format!("\n{n:>8}");
            let of = |order: Order| rates.get(&(n, order)).copied();
            for (order, line) in orders.iter().zip(&mut lines) {
                let rate = of(*order);
                text += &rate.map_or_else(|| format!(" {:>10}", "-"), rate_in_1e9);
                if let (Some(rate), Some(bb)) = (rate, of(Order::Of(Triangle::BoundingBox))) {
                    line.points.push((n as f64, rate / bb));
                }
            }
        }
        output.say(text);
        panels.push(times_bb(format!("gravity, {way}, {device}"), lines.split_off(1)));
    }
    if panels.is_empty() {
        anyhow::bail!("{}: no line has a rate of gravity", path.display());
    }
    Ok(panels)
}

/// A line for each order.
fn lines_of(orders: &[Order]) -> Vec<Line> {
    orders.iter().map(|order| Line { name: order.name().to_owned(), points: Vec::new() }).collect()
}

fn rate_in_1e9(rate: f64) -> String {
    let digits = if rate < 1e10 { 3 } else { 1 };
    format!(" {:>10.digits$}", rate * 1e-9)
}

fn header(way: &str, device: &str) -> String {
    let mut text = format!("\ngravity, {way}, on {device}, 1e9 interactions a second (n^2 an evaluation)\n{:>8}", "n");
    Order::all().iter().for_each(|order| text += &format!(" {:>10}", order.name()));
    text
}

fn sizes(options: &Options, is_software: bool) -> Vec<usize> {
    let most = options.to.map_or(if is_software { 2048 } else { 131_072 }, |to| to as usize);
    let sizes: Vec<usize> = (10..19).map(|p| 1 << p).filter(|n| *n <= most).collect();
    if sizes.is_empty() { vec![most.max(2)] } else { sizes }
}

/// Places in a unit cube and masses, no two alike.
fn columns(n: usize) -> Vec<Vec<f64>> {
    let mut s = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        f64::from((s >> 40) as u32) / 16_777_216.0
    };
    (0..4).map(|_| (0..n).map(|_| next()).collect()).collect()
}
