//! `paper gpu-gems-31-5` to `31-8`, `gpu-gems-cpu` and `chamomile-table-3`: the chapter's four knobs, rates against N, and
//! a library call with its transfers [Nyland 2007; Hamada 2007]. Every answer is checked before its time counts.

use super::Options;
use crate::output::Output;
use crate::points::{Point, Unit};
use manybody::solver::{self, Device, ForceTerms, Forces, Gravity, Method, Precision, SolverName, reference_at};
use manybody::{Bodies, Error, ic};
use std::time::Instant;

/// Operations that the chapter counts for a pair, and those that CUNBODY-1's authors count.
const CHAPTER_FLOPS: f64 = 20.0;
const CUNBODY_FLOPS: f64 = 38.0;

const GRAVITY: Gravity = Gravity::new(1.0, 0.01);

/// What points are measured in.
const UNIT: Unit = Unit { key: "interactions_per_s", label: "1e9 interactions/s", size: 1e9 };

/// Bodies whose forces are compared with f64.
const SAMPLE: usize = 64;

/// Of an answer's largest error over the rms force: a wrong kernel is off by all of it, f32 sums by 1e-5 at worst.
const WRONG: f64 = 1e-3;

/// Bodies with the answer for some of them.
struct Case {
    bodies: Bodies,
    answer: Vec<(usize, [f64; 3])>,
}

impl Case {
    fn new(n: usize) -> manybody::Result<Case> {
        let mut bodies = ic::by_name("plummer", &ic::Request::new(n, 1))?.bodies;
        // masses that are not the same: what is the same for all would drop out of the pair
        bodies.mass.iter_mut().enumerate().for_each(|(i, m)| *m *= 1.0 + 1e-3 * (i % 7) as f64);
        let at = |k: usize| k * (n - 1) / (SAMPLE - 1).max(1);
        let answer = (0..SAMPLE.min(n)).map(|k| (at(k), reference_at(&bodies, &GRAVITY, at(k)).acc)).collect();
        Ok(Case { bodies, answer })
    }

    fn error(&self, found: &Forces) -> f64 {
        let square = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>();
        let off = |(i, a): &(usize, [f64; 3])| square([found.ax[*i] - a[0], found.ay[*i] - a[1], found.az[*i] - a[2]]);
        let worst = self.answer.iter().map(off).fold(0.0, f64::max);
        (worst / (self.answer.iter().map(|(_, a)| square(*a)).sum::<f64>() / self.answer.len() as f64)).sqrt()
    }

    /// Rate and error of a solver. On GPUs the time is that of the kernels, unless `with_transfers`.
    fn measure(
        &self,
        device: Device,
        solver: SolverName,
        precision: Precision,
        options: &Options,
        with_transfers: bool,
    ) -> anyhow::Result<(f64, f64)> {
        let n = self.bodies.len() as f64;
        let method = Method::on(device, precision).solver(solver);
        let mut forces = Forces::default();
        #[cfg(feature = "gpu")]
        if device.is_gpu() && !with_transfers {
            use manybody::solver::Solver;
            let mut solver = manybody_gpu::solver(&method)?;
            solver.forces(&self.bodies, &GRAVITY, ForceTerms::default(), &mut forces)?;
            let error = self.error(&forces);
            // enough evaluations for some milliseconds
            let once = solver.seconds(&self.bodies, &GRAVITY, 3)?;
            let many = ((0.02 / once) as usize).clamp(1, 2000);
            let best = (0..options.repeat)
                .map(|_| solver.seconds(&self.bodies, &GRAVITY, many))
                .try_fold(f64::INFINITY, |best, seconds| seconds.map(|s| best.min(s)))?;
            return checked(method.solver, n * n / best, error);
        }
        let _ = with_transfers;
        let mut solver = solver::of(&method)?;
        // kernels are compiled, memory is mapped
        solver.forces(&self.bodies, &GRAVITY, ForceTerms::default(), &mut forces)?;
        let mut best = f64::INFINITY;
        for _ in 0..options.repeat.max(3) {
            let begin = Instant::now();
            solver.forces(&self.bodies, &GRAVITY, ForceTerms::default(), &mut forces)?;
            best = best.min(begin.elapsed().as_secs_f64());
        }
        checked(method.solver, n * n / best, self.error(&forces))
    }
}

/// A rate counts only with its answer.
fn checked(name: SolverName, rate: f64, error: f64) -> anyhow::Result<(f64, f64)> {
    // NaN is wrong too
    if error < WRONG {
        Ok((rate, error))
    } else {
        anyhow::bail!("{name}: the forces are wrong by {error:.1e} of their rms")
    }
}

/// A figure whose lines are numbers of bodies and whose points are values of one knob of the one-sided kernel.
struct Knob {
    figure: &'static str,
    x: &'static str,
    values: &'static [u32],
    solver: fn(u32) -> String,
    /// The kernels that have it.
    devices: &'static [Device],
    statement: &'static str,
}

/// Unrolling.
pub(super) fn figure_5(options: &Options, output: Output) -> anyhow::Result<()> {
    knob(
        options,
        output,
        &Knob {
            figure: "gpu-gems-31-5",
            x: "bodies j a turn of the inner loop (u)",
            values: &[1, 2, 4, 8, 16, 32],
            solver: |u| format!("direct:p=256:K=1:q=1:u={u}"),
            devices: &[Device::Cuda],
            statement: "The chapter (GeForce 8800 GTX): unrolling by 2 and 4 gains, 8 loses by its registers; 16,384 bodies \
                    163 gigaflops before, above 200 with it",
        },
    )
}

/// Tile size.
pub(super) fn figure_7(options: &Options, output: Output) -> anyhow::Result<()> {
    knob(
        options,
        output,
        &Knob {
            figure: "gpu-gems-31-7",
            x: "bodies a tile (p)",
            values: &[32, 64, 128, 256, 512, 1024],
            solver: |p| format!("direct:p={p}:K=1:q=1:u=8"),
            devices: &[Device::Cuda, Device::Wgpu],
            statement: "The chapter: larger tiles are faster as long as all 16 multiprocessors have work, so 1,024 bodies \
                    decline at the largest; here 132 multiprocessors terms as many tiles",
        },
    )
}

/// Threads a body.
pub(super) fn figure_8(options: &Options, output: Output) -> anyhow::Result<()> {
    knob(
        options,
        output,
        &Knob {
            figure: "gpu-gems-31-8",
            x: "shares of j (q)",
            values: &[1, 2, 4, 8, 16, 32, 64],
            solver: |q| format!("direct:p=64:K=1:u=8:q={q}"),
            devices: &[Device::Cuda],
            statement: "The chapter: two threads a body make 1,024 bodies 44 percent faster, more than four nothing; above \
                    4,096 bodies there is no gain and no loss",
        },
    )
}

fn knob(options: &Options, output: Output, knob: &Knob) -> anyhow::Result<()> {
    let mut points = Vec::new();
    if let Some(file) = &options.from {
        points = UNIT.read(file, knob.figure)?;
    } else {
        let gpus: Vec<Device> = options.devices()?.into_iter().filter(|device| knob.devices.contains(device)).collect();
        if gpus.is_empty() {
            let how = format!(
                "{} turns a knob of the kernels for {}; `--from FILE` draws numbers measured before",
                knob.figure,
                knob.devices.iter().map(Device::to_string).collect::<Vec<_>>().join(" and ")
            );
            return Err(Error::NoDevice { device: knob.devices[0].name(), how }.into());
        }
        for device in gpus {
            for n in [1024_usize, 4096, 16_384] {
                let case = Case::new(n)?;
                let line = if device == Device::Cuda { n.to_string() } else { format!("{device} {n}") };
                for value in knob.values {
                    let (rate, error) =
                        case.measure(device, (knob.solver)(*value).parse()?, Precision::F32, options, false)?;
                    points.push(Point {
                        device: device.to_string(),
                        line: line.clone(),
                        x: f64::from(*value),
                        rate,
                        error,
                    });
                    UNIT.print(options, output, knob.figure, points.last());
                }
            }
        }
    }
    output.say(format_args!("{}\n1e9 interactions/s, one body a thread, f32", knob.statement));
    table(output, &points, knob.x);
    UNIT.draw(options, output, knob.figure, knob.x, &points)
}

/// Rate against N.
pub(super) fn figure_6(options: &Options, output: Output) -> anyhow::Result<()> {
    let figure = "gpu-gems-31-6";
    let mut points = Vec::new();
    if let Some(file) = &options.from {
        points = UNIT.read(file, figure)?;
    } else {
        for device in options.devices()? {
            let most = options.to.unwrap_or(if device == Device::Cpu { 65_536 } else { 1 << 20 }) as usize;
            for n in (10..31).map(|p| 1_usize << p).take_while(|n| *n <= most) {
                let case = Case::new(n)?;
                let other = Method::on(device, Precision::F32).solver;
                for solver in [SolverName::Direct, other] {
                    let (rate, error) = case.measure(device, solver, Precision::F32, options, false)?;
                    let line = format!("{device} {solver}");
                    points.push(Point { device: device.to_string(), line, x: n as f64, rate, error });
                    UNIT.print(options, output, figure, points.last());
                }
            }
        }
    }
    output.say(
        "The chapter (GeForce 8800 GTX): 10 for more than 8,192 bodies, inefficient below 4,096\n1e9 interactions/s, f32",
    );
    table(output, &points, "N");
    UNIT.draw(options, output, figure, "bodies", &points)
}

/// CPU against GPU.
pub(super) fn cpu(options: &Options, output: Output) -> anyhow::Result<()> {
    let figure = "gpu-gems-cpu";
    let mut points = Vec::new();
    if let Some(file) = &options.from {
        points = UNIT.read(file, figure)?;
    } else {
        let n = options.to.unwrap_or(16_384) as usize;
        let case = Case::new(n)?;
        let mut all = vec![
            (Device::Cpu, SolverName::Reference, Precision::F64),
            (Device::Cpu, SolverName::Direct, Precision::F32),
            (Device::Cpu, SolverName::Symmetric, Precision::F32),
        ];
        all.extend(
            options.devices()?.into_iter().filter(|d| d.is_gpu()).map(|d| (d, SolverName::Auto, Precision::F32)),
        );
        for (device, solver, precision) in all {
            let (rate, error) = case.measure(device, solver, precision, options, false)?;
            points.push(Point {
                device: device.to_string(),
                line: format!("{device} {solver} {precision}"),
                x: n as f64,
                rate,
                error,
            });
            UNIT.print(options, output, figure, points.last());
        }
    }
    output.say(
        "The chapter: an Intel Core 2 Duo does 0.02, implementations of high performance 0.1, the GeForce 8800 GTX 10, \
         50 and more than 250 times that\n1e9 interactions/s",
    );
    table(output, &points, "N");
    if let Some(plain) = points.first().map(|p| p.rate) {
        for point in &points {
            output.say(format_args!("  {:24} {:>10.1} times the plain loop", point.line, point.rate / plain));
        }
    }
    Ok(())
}

/// What the paper's table 3 says: bodies, seconds, 1e9 operations a second of 38 a pair.
const TABLE_3: [(usize, f64, f64); 7] = [
    (2048, 9.21e-4, 173.0),
    (4096, 2.99e-3, 213.0),
    (8192, 1.08e-2, 235.0),
    (16_384, 4.14e-2, 246.0),
    (32_768, 0.162, 251.0),
    (65_536, 0.642, 254.0),
    (131_072, 2.548, 256.0),
];

/// The stateless call: bodies there, forces back.
pub(super) fn table_3(options: &Options, output: Output) -> anyhow::Result<()> {
    let figure = "chamomile-table-3";
    let mut points = Vec::new();
    if let Some(file) = &options.from {
        points = UNIT.read(file, figure)?;
    } else {
        for device in options.devices()? {
            let most = options.to.unwrap_or(if device == Device::Cpu { 32_768 } else { 131_072 }) as usize;
            for (n, ..) in TABLE_3.iter().filter(|row| row.0 <= most) {
                let case = Case::new(*n)?;
                let solver = Method::on(device, Precision::F32).solver;
                let (rate, error) = case.measure(device, solver, Precision::F32, options, true)?;
                points.push(Point { device: device.to_string(), line: device.to_string(), x: *n as f64, rate, error });
                UNIT.print(options, output, figure, points.last());
            }
        }
    }
    output.say(
        "A call with all transfers, seconds and 1e9 operations a second of 38 a pair; the paper's on a GeForce 8800 GTX",
    );
    output.say(format_args!(
        "  {:>8} {:>10} {:>8}   {:>8} {:>12} {:>10} {:>8} {:>8}",
        "N", "paper: s", "Gflop/s", "device", "s", "Gflop/s", "times", "error"
    ));
    for point in &points {
        let Some((n, seconds, flops)) = TABLE_3.iter().find(|row| row.0 as f64 == point.x) else { continue };
        let mine = point.x * point.x / point.rate;
        output.say(format_args!(
            "  {n:>8} {seconds:>10.3e} {flops:>8.0}   {:>8} {mine:>12.3e} {:>10.0} {:>8.0} {:>8.1e}",
            point.device,
            1e-9 * CUNBODY_FLOPS * point.rate,
            seconds / mine,
            point.error
        ));
    }
    UNIT.draw(options, output, figure, "bodies", &points)
}

fn table(output: Output, points: &[Point], x: &str) {
    output.say(format_args!("  {:>24} {:>12} {:>12} {:>14}   largest error; {x}", "", "x", "1e9/s", "gigaflops (20)"));
    for p in points {
        let rate = 1e-9 * p.rate;
        output.say(format_args!(
            "  {:>24} {:>12} {rate:>12.3} {:>14.0}   {:.1e}",
            p.line,
            p.x,
            CHAPTER_FLOPS * rate,
            p.error
        ));
    }
}
