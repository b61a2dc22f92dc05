//! `paper gpu-gems-fmm` and `chamomile-tree`: hierarchical methods, which the chapter leaves to future work and the authors of
//! CUNBODY-1 apply their library to [Nyland 2007, sec. 31.6; Hamada 2007, sec. 4.4]. Every answer is audited before its time
//! counts.

use super::Options;
use crate::output::Output;
use crate::points::{Point, Unit};
use manybody::audit::{self, EXPANSION_SAMPLE};
use manybody::law::Targets;
use manybody::solver::{
    self, Device, Expansion, ForceTerms, Forces, Gravity, Method, Precision, SolverName, reference_at,
};
use manybody::{Bodies, Error, ic};
use std::collections::BTreeSet;
use std::time::Instant;

const GRAVITY: Gravity = Gravity::new(1.0, 0.01);

/// What points are measured in.
const UNIT: Unit = Unit { key: "bodies_per_s", label: "1e6 bodies/s", size: 1e6 };

/// The error that 99 of 100 bodies stay below, |da| / |a|, where one is compared with another; the second is for the table.
const RTOL: [f64; 2] = [1e-3, 1e-4];

/// Accelerations by a method, of all bodies.
struct Evaluation {
    seconds: f64,
    error: f64,
}

/// The least time of a call with all transfers, and the error that an audit finds: by expansions what 99 of 100 bodies stay below
/// of their own acceleration, by all pairs of the root mean square one.
fn call(method: &Method, bodies: &Bodies, options: &Options) -> anyhow::Result<Evaluation> {
    let (mut solver, mut forces) = (solver::of(method)?, Forces::default());
    // kernels are compiled, memory is mapped
    solver.forces(bodies, &GRAVITY, ForceTerms::default(), &mut forces)?;
    let mut seconds = f64::INFINITY;
    for _ in 0..options.repeat {
        let begin = Instant::now();
        solver.forces(bodies, &GRAVITY, ForceTerms::default(), &mut forces)?;
        seconds = seconds.min(begin.elapsed().as_secs_f64());
    }
    let sample = audit::sample(bodies.len(), 0.0, EXPANSION_SAMPLE, 0);
    let found = audit::check(bodies, &GRAVITY, &forces, &sample, 0.0, method, None)?;
    Ok(Evaluation { seconds, error: found.relative.unwrap_or(found.p99) })
}

fn by_expansions(device: Device, solver: SolverName, rtol: f64) -> Method {
    let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
    Method { expansion, ..Method::on(device, Precision::F32).solver(solver) }
}

/// The chapter's number of bodies.
const BODIES: u64 = 1 << 18;

/// Leaf cells of an octree of depth 3, a side and together.
const SIDE: usize = 8;
const CELLS: usize = SIDE * SIDE * SIDE;

/// The chapter's seconds for the 27 neighbours of all 512 cells: on its GPU, on a CPU with high performance, and on a CPU.
const CHAPTER: [(&str, f64); 3] = [("its GPU, less than", 0.5), ("a fast CPU", 18.0), ("a CPU", 90.0)];

/// Where a cell is, counted in cells.
fn place_of(cell: usize) -> [usize; 3] {
    [cell / (SIDE * SIDE), cell / SIDE % SIDE, cell % SIDE]
}

/// As many bodies in each cell, in the order of the cells, spread by an additive sequence [Roberts 2018] that begins elsewhere
/// in each.
fn cube(each: usize) -> manybody::Result<Bodies> {
    // the powers of 1/g where g^4 = g + 1
    let steps = [0.819_172_513_396_164_4, 0.671_043_606_703_789_3, 0.549_700_477_901_970_3];
    let place = |axis: usize| {
        let at = move |k: usize| ((k + 1) as f64 * steps[axis] + (k / each) as f64 * 0.618_033_988_749_894_9).fract();
        (0..CELLS * each).map(|k| (place_of(k / each)[axis] as f64 + at(k)) / SIDE as f64).collect::<Vec<f64>>()
    };
    let n = CELLS * each;
    Bodies::from_columns(vec![1.0 / n as f64; n], [0, 1, 2].map(place), [0; 3].map(|_| vec![0.0; n]))
}

/// The bodies of a cell and of its neighbours, its own first.
fn neighbourhood(bodies: &Bodies, cell: usize, each: usize) -> manybody::Result<Bodies> {
    let place = place_of(cell);
    let near = |other: &usize| {
        let other = place_of(*other);
        (0..3).all(|axis| place[axis].abs_diff(other[axis]) <= 1)
    };
    let cells: Vec<usize> =
        [cell].into_iter().chain((0..CELLS).filter(|other| *other != cell && near(other))).collect();
    let of = |column: &[f64]| {
        cells.iter().flat_map(|cell| column[cell * each..(cell + 1) * each].iter().copied()).collect::<Vec<f64>>()
    };
    let position = [of(&bodies.x), of(&bodies.y), of(&bodies.z)];
    let n = cells.len() * each;
    Bodies::from_columns(of(&bodies.mass), position, [0; 3].map(|_| vec![0.0; n]))
}

/// All pairs of each cell and its neighbours, by a call for each cell: seconds, interactions, and the largest error.
fn near_field(device: Device, bodies: &Bodies, options: &Options) -> anyhow::Result<(Evaluation, f64)> {
    let each = bodies.len() / CELLS;
    let mut solver = solver::of(&Method::on(device, Precision::F32).solver(SolverName::Direct))?;
    let (mut forces, mut interactions, mut seconds, mut error) = (Forces::default(), 0, 0.0, 0.0_f64);
    for cell in 0..CELLS {
        let near = neighbourhood(bodies, cell, each)?;
        let targets = Targets::Range(0..each);
        let mut least = f64::INFINITY;
        for _ in 0..options.repeat {
            let begin = Instant::now();
            solver.forces_on(&near, &targets, &GRAVITY, ForceTerms::default(), &mut forces)?;
            least = least.min(begin.elapsed().as_secs_f64());
        }
        (seconds, interactions) = (seconds + least, interactions + each * near.len());
        let (found, want) = (forces.acceleration(0), reference_at(&near, &GRAVITY, 0).acc);
        let length = |v: [f64; 3]| v[0].hypot(v[1]).hypot(v[2]);
        let off = length([0, 1, 2].map(|k| found[k] - want[k])) / length(want);
        anyhow::ensure!(off < RTOL[0], "the near field of cell {cell} is wrong by {off:.1e}"); // and not NaN
        error = error.max(off);
    }
    Ok((Evaluation { seconds, error }, interactions as f64))
}

/// The chapter's example, 2^18 bodies: the near field as it describes it, and the whole by an FMM.
pub(super) fn gpu_gems_fmm(options: &Options, output: Output) -> anyhow::Result<()> {
    let figure = "gpu-gems-fmm";
    let mut points = Vec::new();
    if let Some(file) = &options.from {
        points = UNIT.read(file, figure)?;
    } else {
        let n = options.to.unwrap_or(BODIES) as usize;
        let each = n / CELLS;
        if each < 2 {
            let expected = format!("must be {} or more: two bodies in each of {CELLS} cells", 2 * CELLS);
            return Err(Error::Parameter { name: "to", value: n.to_string(), expected }.into());
        }
        let bodies = cube(each)?;
        for device in options.devices()? {
            let mut add = |line: String, found: &Evaluation| {
                let n = bodies.len() as f64;
                points.push(Point {
                    device: device.to_string(),
                    line: format!("{device}: {line}"),
                    x: n,
                    rate: n / found.seconds,
                    error: found.error,
                });
                UNIT.print(options, output, figure, points.last());
            };
            let (found, interactions) = near_field(device, &bodies, options)?;
            add(format!("near field, {:.1e} interactions", interactions), &found);
            for rtol in RTOL {
                let method = by_expansions(device, SolverName::Fmm, rtol);
                let found = call(&method, &bodies, options)?;
                add(format!("fmm, {rtol:.0e}"), &found);
                #[cfg(feature = "gpu")]
                if device.is_gpu() {
                    let seconds = manybody_gpu::expansions(&method)?.seconds(&bodies, &GRAVITY, 10)?;
                    add(format!("fmm, {rtol:.0e}, without transfers"), &Evaluation { seconds, ..found });
                }
            }
            add("all pairs".into(), &call(&Method::on(device, Precision::F32), &bodies, options)?);
        }
    }
    output.say(
        "The chapter: 512 leaf cells of 512 bodies, each with at least 27 neighbours (fewer at the surface), are 3.6e9 \
         interactions\nf32, calls with all transfers",
    );
    for (what, seconds) in CHAPTER {
        output.say(format_args!("  {:>44} {seconds:>12.3e} s", format!("estimate for {what}")));
    }
    for p in &points {
        let (line, error, seconds) = (&p.line, p.error, p.x / p.rate);
        // its estimate is one for its number of bodies
        let times = if p.x == BODIES as f64 { format!("{:.1}", CHAPTER[0].1 / seconds) } else { "-".into() };
        output.say(format_args!("  {line:>44} {seconds:>12.3e} s  {times:>8} times its GPU   error {error:.1e}"));
    }
    Ok(())
}

/// A call with all transfers by a tree beside one for all pairs: from which number of bodies on it is faster.
pub(super) fn chamomile_tree(options: &Options, output: Output) -> anyhow::Result<()> {
    let figure = "chamomile-tree";
    let mut points = Vec::new();
    if let Some(file) = &options.from {
        points = UNIT.read(file, figure)?;
    } else {
        for device in options.devices()? {
            let largest = options.to.unwrap_or(if device == Device::Cpu { 1 << 17 } else { 1 << 20 }) as usize;
            for n in (11..31).map(|p| 1_usize << p).take_while(|n| *n <= largest) {
                let bodies = ic::by_name("plummer", &ic::Request::new(n, 1))?.bodies;
                let tree = |solver| (by_expansions(device, solver, RTOL[0]), solver.to_string());
                let all_pairs = (Method::on(device, Precision::F32), "all pairs".to_owned());
                for (method, name) in [all_pairs, tree(SolverName::Tree), tree(SolverName::Fmm)] {
                    let found = call(&method, &bodies, options)?;
                    points.push(Point {
                        device: device.to_string(),
                        line: format!("{device} {name}"),
                        x: n as f64,
                        rate: n as f64 / found.seconds,
                        error: found.error,
                    });
                    UNIT.print(options, output, figure, points.last());
                }
            }
        }
    }
    output.say(format_args!(
        "The paper computes Barnes' modified tree with its library for all pairs, and states 1.3e9 bytes/s between host and \
         GPU at 2,048 bodies\nseconds of a call with all transfers, f32; tree and fmm: 99 of 100 bodies within {:.0e}",
        RTOL[0]
    ));
    output.say(format_args!("  {:>16} {:>9} {:>12} {:>12} {:>9}", "", "N", "s", "1e6 bodies/s", "error"));
    for p in &points {
        let (line, n, seconds, rate, error) = (&p.line, p.x, p.x / p.rate, p.rate / UNIT.size, p.error);
        output.say(format_args!("  {line:>16} {n:>9} {seconds:>12.3e} {rate:>12.3} {error:>9.1e}"));
    }
    crossings(output, &points);
    UNIT.draw(options, output, figure, "bodies", &points)
}

/// The number of bodies from which a tree is faster than all pairs, up to the largest.
fn crossings(output: Output, points: &[Point]) {
    let all_pairs = |p: &Point| format!("{} all pairs", p.device);
    let lines: BTreeSet<&str> = points.iter().filter(|p| p.line != all_pairs(p)).map(|p| p.line.as_str()).collect();
    for line in lines {
        let is_faster = |p: &&Point| {
            let all = points.iter().find(|other| other.x == p.x && other.line == all_pairs(p));
            all.is_some_and(|all| p.rate > all.rate)
        };
        let of_line: Vec<&Point> = points.iter().filter(|p| p.line == line).collect();
        let first = of_line.iter().rev().take_while(|p| is_faster(p)).last();
        match first {
            Some(first) => output.say(format_args!("  {line} is faster than all pairs from {} bodies on", first.x)),
            None => output.say(format_args!("  {line} is not faster than all pairs for any of these numbers")),
        }
    }
}
