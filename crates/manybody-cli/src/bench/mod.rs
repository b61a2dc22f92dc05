//! `manybody bench`: pair rate, share of the machine's peak, and error in every row; rivals in the same run.
//!
//! A time counts only after its answer was held against the f64 reference. N^2 interactions are credited for an
//! evaluation, also to a kernel that visits each pair once.

mod law;
mod rivals;
mod row;
mod steps;

use crate::console::{self, say};
use crate::device::{self, Gpus, Threads};
use crate::model::count;
use crate::telling::Telling;
use manybody::audit::Method;
use manybody::law::{Gravity as GravityLaw, Law};
use manybody::simd::{Level, fma_peak};
use manybody::snapshot::Snapshot;
use manybody::solver::{self, Device, Forces, Gravity, Precision, Solver, Summation, Want};
use manybody::units::{Dimension, Units, parse_quantity};
use manybody::watch::Watch;
use manybody::{Bodies, Error, audit, ic};
use row::{Answer, Row};
use std::process::ExitCode;
use std::time::Instant;

/// Measure pair rates: ours, and rivals beside them
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure: gravity, all forces once; steps, what a run makes of them
    #[arg(value_parser = ["gravity", "steps"], default_value = "gravity")]
    name: String,
    /// Measure a law instead: a name, a text, or a file that holds a text; on the CPU as text is evaluated
    #[arg(long, value_name = "NAME|TEXT|FILE")]
    law: Option<String>,
    /// A parameter of the law, name=value; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    par: Vec<String>,
    /// Numbers of bodies, separated by commas
    #[arg(short, long, value_delimiter = ',', default_value = "1024,4096,16384,65536", value_parser = size)]
    n: Vec<u32>,
    /// Solvers, separated by commas; on a GPU also auto, and a kernel with its knobs, as in
    /// direct:p=64:u=8:K=4:q=0, small:p=256:u=4:K=4, symmetric:warps=2:u=1:K=8:blocks=8:chain=0
    /// [default: symmetric,direct; of steps on a GPU auto]
    #[arg(long, value_delimiter = ',', conflicts_with = "law")]
    solver: Vec<String>,
    /// Where to compute: auto, cpu, cuda or wgpu. A GPU's time is that of its kernels, without transfers
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    #[command(flatten)]
    gpus: Gpus,
    /// Precisions of the forces, separated by commas [default: f32,f64; on wgpu, which has no f64, f32,mixed]
    #[arg(long, value_delimiter = ',', value_parser = ["f32", "mixed", "f64"])]
    precision: Vec<String>,
    /// How the terms of a force are added: blocked, direct, blocked:BAG, pairwise, compensated, f64, fixed, separated by
    /// commas; each makes a row of every solver and precision that has it
    #[arg(long, value_delimiter = ',', conflicts_with = "law")]
    sum: Vec<Summation>,
    /// Share of the bodies, and 512 at least, whose forces are held against f64
    #[arg(long, value_name = "FRACTION", default_value = "0.001", value_parser = audited)]
    audit: f64,
    /// Largest error, as it is printed, that is no failure [default: what the precision can explain, body by body]
    #[arg(long, value_name = "ERROR", value_parser = crate::force::limit)]
    audit_limit: Option<f64>,
    /// Softening length
    #[arg(long, default_value = "0.01", value_parser = softening, allow_hyphen_values = true)]
    eps: f64,
    /// Seed of the Plummer sphere
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Masses: equal, as a Plummer sphere has them, which then need no operation a pair; or different, by up to 0.6 %
    #[arg(long, value_enum, default_value_t = Masses::Equal)]
    masses: Masses,
    #[command(flatten)]
    threads: Threads,
    /// Evaluations a row; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Programs to run beside: particular (if built with --features rivals), rebound (a Python that has it)
    #[arg(long, value_delimiter = ',')]
    beside: Vec<String>,
    /// The Python that has the rivals of Python
    #[arg(long, default_value = "python3")]
    python: String,
    /// Print one JSON object a row on stdout
    #[arg(long)]
    json: bool,
}

/// The masses of the sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Masses {
    Equal,
    Different,
}

impl Masses {
    fn name(self) -> &'static str {
        match self {
            Masses::Equal => "equal",
            Masses::Different => "different",
        }
    }
}

/// The sphere that is measured.
fn sphere(n: u32, args: &Args) -> manybody::Result<Snapshot> {
    let mut start = ic::by_name("plummer", &ic::Request::new(n as usize, args.seed))?;
    if args.masses == Masses::Different {
        start.bodies.mass.iter_mut().enumerate().for_each(|(i, mass)| *mass *= 1.0 + 1e-3 * (i % 7) as f64);
    }
    Ok(start)
}

/// A number of bodies worth measuring.
fn size(text: &str) -> Result<u32, String> {
    let fits = |n: u64| u32::try_from(n).ok().filter(|n| (2..=4_000_000).contains(n));
    fits(count(text)?).ok_or_else(|| "2 to 4,000,000 bodies are wanted".into())
}

/// The share of bodies that are audited.
fn audited(text: &str) -> Result<f64, String> {
    match crate::force::share(text)? {
        0.0 => Err("more than 0 is wanted: a time counts only after its answer was held against f64".into()),
        share => Ok(share),
    }
}

/// A length in the units of the sphere.
fn softening(text: &str) -> Result<f64, String> {
    let eps = parse_quantity(text, Dimension::LENGTH, &Units::henon()).map_err(|error| error.to_string())?;
    if eps >= 0.0 { Ok(eps) } else { Err("a softening length, 0 or more, is wanted".into()) }
}

/// What all rows share.
struct Bench {
    gravity: Gravity,
    /// Of the GPUs that share every evaluation.
    ordinals: Vec<usize>,
    level: Level,
    threads: usize,
    repeat: usize,
    audit_limit: Option<f64>,
    /// Fused multiply-adds a second, in f32 and f64.
    peak: [f64; 2],
}

/// Runs the benchmark.
pub(crate) fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    rivals::check(&args.beside)?;
    // before the minutes of measuring, not between
    let device = device::choose(Some(&args.device), Precision::F32, usize::MAX)?;
    let ordinals = args.gpus.ordinals(device)?;
    if args.precision.is_empty() {
        let second = if device == Device::Wgpu { Precision::Mixed } else { Precision::F64 };
        args.precision = [Precision::F32, second].map(|precision| precision.name().into()).into();
    }
    if args.law.is_none() {
        check_methods(&args, &ordinals)?;
    }
    args.threads.start()?;
    if args.name == "steps" {
        steps::run(&args, &ordinals)?;
        return Ok(ExitCode::SUCCESS);
    }
    let level = Level::from_env()?;
    let bench = Bench {
        gravity: Gravity { g: 1.0, eps: args.eps },
        ordinals,
        level,
        threads: rayon::current_num_threads(),
        repeat: args.repeat.into(),
        audit_limit: args.audit_limit,
        peak: [fma_peak::<f32>(level), fma_peak::<f64>(level)],
    };
    bench.head(&args)?;
    if let Some(law) = &args.law {
        law::run(&bench, &args, law)?;
        return Ok(ExitCode::SUCCESS);
    }
    for n in &args.n {
        let bodies = sphere(*n, &args)?.bodies;
        let telling = Telling::timed(&format!("{n} bodies: computing the f64 reference"), &Watch::default());
        let answer = Answer::new(&bodies, &bench.gravity, args.audit);
        drop(telling);
        for precision in &args.precision {
            let precision: Precision = precision.parse()?;
            let device = device::choose(Some(&args.device), precision, *n as usize)?;
            for (name, sum) in methods(&args, (device, &bench.ordinals), precision)? {
                if device.is_gpu() {
                    bench.on_device(device, &name, precision, sum, &bodies, &answer)?.print(args.json);
                    continue;
                }
                // the reference is N^2 on one thread: minutes where the others take seconds
                let solver = solver::with_sums(&name, precision, sum.unwrap_or_default())?;
                bench.ours(solver, sum, precision, &bodies, &answer)?.print(args.json);
            }
        }
        for rival in &args.beside {
            for row in rivals::run(rival, &args.python, &bench, &bodies, &answer)? {
                row.print(args.json);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The solvers that have a precision, each with its own sums or with those that were asked for; where no solver is named,
/// with both.
///
/// # Errors
/// [`Error::Unknown`] for a solver or device, [`Error::NoDevice`].
fn methods(
    args: &Args,
    (device, ordinals): (Device, &[usize]),
    precision: Precision,
) -> manybody::Result<Vec<(String, Option<Summation>)>> {
    let has = |name: &str, sum| has((device, ordinals), name, precision, sum);
    let default = match (args.name.as_str(), device) {
        ("steps", device) if device.is_gpu() => vec![device::default_solver(device).to_string()],
        _ => vec!["symmetric".into(), "direct".into()],
    };
    let named = !args.solver.is_empty();
    let mut methods = Vec::new();
    for name in if named { &args.solver } else { &default } {
        if !is_had(has(name, None))? {
            continue;
        }
        let mut summed = Vec::new();
        for sum in args.sum.iter().copied().map(Some) {
            if is_had(has(name, sum))? {
                summed.push(sum);
            }
        }
        if summed.is_empty() || !named {
            summed.insert(0, None);
        }
        methods.extend(summed.into_iter().map(|sum| (name.clone(), sum)));
    }
    Ok(methods)
}

/// False where a precision or sums are what a solver lacks.
fn is_had(found: manybody::Result<()>) -> manybody::Result<bool> {
    match found {
        Ok(()) => Ok(true),
        Err(Error::Parameter { name: "precision" | "sum", .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a device has a solver with a precision and sums.
fn has(
    (device, ordinals): (Device, &[usize]),
    name: &str,
    precision: Precision,
    sum: Option<Summation>,
) -> manybody::Result<()> {
    solver::device::solver(device, ordinals, name, precision, sum.unwrap_or_default()).map(drop)
}

/// Whether each solver and each choice of sums that was asked for will make a row, and each precision.
///
/// # Errors
/// Why one makes none.
fn check_methods(args: &Args, ordinals: &[usize]) -> manybody::Result<()> {
    let mut rows = Vec::new();
    for precision in &args.precision {
        let precision: Precision = precision.parse()?;
        let device = device::choose(Some(&args.device), precision, usize::MAX)?;
        let methods = methods(args, (device, ordinals), precision)?;
        if methods.is_empty() {
            let default = ["direct".to_string()];
            let named = if args.solver.is_empty() { &default[..] } else { &args.solver };
            named.iter().try_for_each(|name| has((device, ordinals), name, precision, None))?;
        }
        rows.extend(methods.into_iter().map(|(name, sum)| (device, name, precision, sum)));
    }
    let Some((device, _, precision, _)) = rows.first().cloned() else { return Ok(()) };
    for name in args.solver.iter().filter(|name| rows.iter().all(|row| row.1 != **name)) {
        has((device, ordinals), name, precision, None)?;
    }
    for sum in args.sum.iter().filter(|sum| rows.iter().all(|row| row.3 != Some(**sum))) {
        let name = args.solver.first().map_or("direct", String::as_str);
        has((device, ordinals), name, precision, Some(*sum))?;
    }
    Ok(())
}

impl Bench {
    /// Says where and how the rows were measured.
    fn head(&self, args: &Args) -> anyhow::Result<()> {
        let machine = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = machine.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown CPU");
        let model = model.trim_start_matches([' ', '\t', ':']);
        let (version, level) = (env!("CARGO_PKG_VERSION"), self.level.name());
        if args.json {
            console::json(&serde_json::json!({
                "bench": args.law.as_deref().unwrap_or(&args.name), "version": version, "cpu": model, "simd": level, "threads": self.threads,
                "peak_fma_f32": self.peak[0], "peak_fma_f64": self.peak[1], "eps": args.eps, "seed": args.seed, "masses": args.masses.name(),
            }));
        } else {
            say(format_args!("manybody {version} on {model}, {} threads, {level}", self.threads));
            let bodies = match &args.law {
                Some(_) => "a shaken lattice".into(),
                None => format!("Plummer sphere, {} masses, eps = {}", args.masses.name(), args.eps),
            };
            say(format_args!(
                "measured peak: {:.0}e9 fma/s in f32, {:.0}e9 in f64; {bodies}, seed {}",
                self.peak[0] * 1e-9,
                self.peak[1] * 1e-9,
                args.seed
            ));
            row::heading();
        }
        Ok(())
    }

    fn ours(
        &self,
        mut solver: Box<dyn Solver>,
        sum: Option<Summation>,
        precision: Precision,
        bodies: &Bodies,
        answer: &Answer,
    ) -> anyhow::Result<Row> {
        let mut forces = Forces::default();
        let watch = Watch::default();
        solver.watch(&watch);
        let what = format!("{} bodies, {}, {precision}: an evaluation", bodies.len(), solver.name());
        let telling = Telling::begin(&what, &watch);
        let seconds = self.time(|| Ok(solver.forces(bodies, &self.gravity, Want::default(), &mut forces)?))?;
        drop(telling);
        let method = sum.map_or(solver.name().into(), |sum| format!("{} {sum}", solver.name()));
        let mut row = Row::new("manybody", method, precision.name(), bodies.len(), self.threads, &seconds);
        row.check(answer, |i| [forces.ax[i], forces.ay[i], forces.az[i]]);
        row.net = Some(audit::net_force(bodies, &forces));
        self.judge(bodies, &forces, answer, Method::new(Device::Cpu, solver.name(), precision, sum))?;
        if sum.is_none() && precision != Precision::Mixed {
            let peak = self.peak[(precision == Precision::F64) as usize];
            row.share = Some(row.rate() * operations(solver.name())? / peak);
        }
        Ok(row)
    }

    #[cfg(feature = "gpu")]
    fn on_device(
        &self,
        device: Device,
        name: &str,
        precision: Precision,
        sum: Option<Summation>,
        bodies: &Bodies,
        answer: &Answer,
    ) -> anyhow::Result<Row> {
        let mut solver = manybody_gpu::solver(device, &self.ordinals, name, precision, sum.unwrap_or_default())?;
        let mut forces = Forces::default();
        solver.forces(bodies, &self.gravity, Want::default(), &mut forces)?;
        // kernels in a row for a fifth of a second at least, so that clocks are up and starting them does not count
        let once = solver.seconds(bodies, &self.gravity, 1)?;
        let in_a_row = (0.2 / once.max(1e-6)).clamp(1.0, 1000.0) as usize;
        let seconds: Vec<f64> =
            (0..self.repeat).map(|_| solver.seconds(bodies, &self.gravity, in_a_row)).collect::<Result<_, _>>()?;
        let (summation, sum) = (sum, sum.map_or(String::new(), |sum| format!(" {sum}")));
        // a kernel with knobs by its own name
        let kernel = if name.contains(':') { name } else { solver.name() };
        let method = format!("{device} {kernel}{sum}");
        let mut row = Row::new("manybody", method, precision.name(), bodies.len(), self.threads, &seconds);
        row.check(answer, |i| [forces.ax[i], forces.ay[i], forces.az[i]]);
        row.net = Some(audit::net_force(bodies, &forces));
        self.judge(bodies, &forces, answer, Method::new(device, name, precision, summation))?;
        Ok(row)
    }

    #[cfg(not(feature = "gpu"))]
    fn on_device(
        &self,
        device: Device,
        _: &str,
        _: Precision,
        _: Option<Summation>,
        _: &Bodies,
        _: &Answer,
    ) -> anyhow::Result<Row> {
        anyhow::bail!("this program was built without {device}")
    }

    /// Refuses a row whose answer is wrong by more than its precision explains.
    fn judge(&self, bodies: &Bodies, forces: &Forces, answer: &Answer, method: Method) -> manybody::Result<()> {
        let sample: Vec<usize> = answer.indices().collect();
        audit::check(bodies, &self.gravity, forces, &sample, 0.0, &method, self.audit_limit).map(drop)
    }

    /// Seconds of each evaluation, after one that does not count.
    fn time(&self, mut evaluate: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Vec<f64>> {
        evaluate()?;
        (0..self.repeat)
            .map(|_| {
                let start = Instant::now();
                evaluate().map(|()| start.elapsed().as_secs_f64())
            })
            .collect()
    }
}

/// Issue slots that the law's graph needs at least for one interaction of a solver: operations and special functions
/// of one evaluation, which in `symmetric` serves two interactions.
fn operations(solver: &str) -> anyhow::Result<f64> {
    let law = Law::of::<GravityLaw>()?;
    let (program, serves) = if solver == "symmetric" { (law.mirrored()?, 2.0) } else { (law.one_sided(), 1.0) };
    let cost = program.cost();
    Ok((cost.operations + cost.special) as f64 / serves)
}
