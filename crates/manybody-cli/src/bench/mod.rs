//! `manybody bench`: pair rate, share of the machine's peak, and error in every row; rivals in the same run.
//!
//! A time counts only after its answer was compared with the f64 reference. N^2 interactions are credited for an
//! evaluation, also to a kernel that visits each pair once.

mod blocks;
mod expansions;
mod law;
mod rivals;
mod row;
mod steps;

use crate::console::{self, say};
use crate::device;
use crate::force;
use crate::progress_line::ProgressLine;
use crate::settings::{Given, Selection, help_in, is_among};
use manybody::driver::{self, threads};
use manybody::error::Capability;
use manybody::law::{self as laws, Law};
use manybody::settings::{Audit, ForceLaw, Setting, Settings, count, setting};
use manybody::simd::{Level, fma_peak};
use manybody::snapshot::Snapshot;
use manybody::solver::{
    self, Device, DeviceChoice, ForceTerms, Forces, Gravity, Method, Precision, Softening, SolverName, Summation,
};
use manybody::units::Units;
use manybody::watch::Watch;
use manybody::{Bodies, Error, audit, ic};
use row::{Answer, Row};
use std::process::ExitCode;
use std::time::Instant;

/// The softening where `--eps` is not given.
const EPS: f64 = 0.01;

/// Measure pair rates: ours, and rivals beside them
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure: gravity, all forces once; steps, what a run makes of them; blocks, the block time steps of Hermite
    /// schemes; expansions, time against error of the solvers fmm and tree
    #[arg(value_enum, value_name = "NAME", hide_possible_values = true, default_value_t = Measured::Gravity)]
    name: Measured,
    /// Numbers of bodies, separated by commas
    #[arg(short, long, value_delimiter = ',', default_value = "1024,4096,16384,65536", value_parser = size)]
    n: Vec<u32>,
    /// Solvers, separated by commas; on a GPU also auto, and a kernel with its knobs, as in
    /// direct:p=64:u=8:K=4:q=0, small:p=256:u=4:K=4, symmetric:warps=2:u=1:K=8:blocks=8:chain=0
    /// [default: symmetric,direct; of steps on a GPU auto]
    #[arg(long, value_delimiter = ',', conflicts_with = "law")]
    solver: Vec<SolverName>,
    #[command(flatten)]
    given: Given<OfBench>,
    /// Precisions of the forces, separated by commas [default: f32,f64; of blocks f64; on wgpu, which has no f64, mixed instead]
    #[arg(long, value_delimiter = ',')]
    precision: Vec<Precision>,
    /// How the terms of a force are added: blocked, direct, blocked:SIZE, pairwise, compensated, f64, fixed, separated
    /// by commas; each makes a row of every solver and precision that has it
    #[arg(long, value_delimiter = ',', conflicts_with = "law")]
    sum: Vec<Summation>,
    /// With expansions: the initial conditions, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "plummer")]
    model: Vec<String>,
    /// With expansions: the errors that are requested, separated by commas [default: 1e-2 to 1e-10, those that each precision has]
    #[arg(long, value_name = "ERROR", value_delimiter = ',', conflicts_with = "tolerance")]
    rtol: Vec<f64>,
    /// With expansions: the order, in place of one that suits the error; several, separated by commas, make a row each
    #[arg(long, value_name = "P", value_delimiter = ',')]
    order: Vec<u64>,
    /// With expansions: tolerances of an interaction, separated by commas, in place of errors
    #[arg(long, value_name = "ERROR", value_delimiter = ',')]
    tolerance: Vec<f64>,
    /// Masses: equal, as a Plummer sphere has them, which then need no operation a pair; or different, by up to 0.6 %
    #[arg(long, value_enum, default_value_t = Masses::Equal)]
    masses: Masses,
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

impl Args {
    fn settings(&self) -> &Settings {
        &self.given.settings
    }

    /// Where to compute.
    fn device(&self) -> DeviceChoice {
        self.settings().device.unwrap_or(DeviceChoice::Device(Device::Cpu))
    }

    /// The softening that is given, in the units of the sphere.
    fn eps(&self) -> manybody::Result<Option<f64>> {
        force::softening(self.settings(), &Units::henon())
    }

    fn softening(&self) -> Softening {
        self.settings().softening.unwrap_or_default()
    }

    fn seed(&self) -> u64 {
        self.settings().seed.unwrap_or(1)
    }

    /// The method of a row: `row` says what is of the row alone.
    fn method(&self, row: Settings, precision: Precision, n: usize) -> manybody::Result<Method> {
        let settings = Settings { device: Some(self.device()), precision: Some(precision), ..row };
        driver::method(&settings.or(self.settings().clone()), precision, n)
    }
}

/// The settings of a benchmark, the same for all rows.
struct OfBench;

impl Selection for OfBench {
    fn has(setting: &Setting) -> bool {
        let others = [&setting::softening, &setting::par, &setting::gpus, &setting::simd, &setting::threads];
        help_in(&HELP, setting).is_some() || is_among(setting, &others)
    }

    fn help(setting: &Setting) -> Option<&'static str> {
        help_in(&HELP, setting)
    }
}

/// What settings are in a benchmark, where that is more or less than in a run.
static HELP: [(&Setting, &str); 7] = [
    (
        &setting::law,
        "Measure a law instead: a name, a text, or a file that holds a text; on the CPU as text is evaluated",
    ),
    (
        &setting::device,
        "Where to compute: auto, cpu, cuda or wgpu. A GPU's time is that of its kernels, without transfers [default: cpu]",
    ),
    (&setting::audit, "Share of the bodies, and 512 at least, whose forces are compared with f64 [default: 0.001]"),
    (
        &setting::audit_limit,
        "Largest error that is allowed, as it is printed [default: what the precision can explain, body by body]",
    ),
    (&setting::eps, "Softening length [default: 0.01; of blocks 4/N]"),
    (&setting::eta, "With blocks: the accuracy parameter of time steps [default: that of each scheme]"),
    (&setting::seed, "Seed of the Plummer sphere [default: 1]"),
];

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Measured {
    Gravity,
    Steps,
    Blocks,
    #[value(alias = "tree")]
    Expansions,
}

impl Measured {
    fn name(self) -> &'static str {
        match self {
            Measured::Gravity => "gravity",
            Measured::Steps => "steps",
            Measured::Blocks => "blocks",
            Measured::Expansions => "expansions",
        }
    }
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
    let mut start = ic::by_name("plummer", &ic::Request::new(n as usize, args.seed()))?;
    if args.masses == Masses::Different {
        start.bodies.mass.iter_mut().enumerate().for_each(|(i, mass)| *mass *= 1.0 + 1e-3 * (i % 7) as f64);
    }
    Ok(start)
}

/// A number of bodies worth measuring.
fn size(text: &str) -> Result<u32, String> {
    let fits = |n: u64| u32::try_from(n).ok().filter(|n| (2..=1 << 27).contains(n));
    fits(count(text)?).ok_or_else(|| "must be 2 to 134,217,728 bodies".into())
}

/// What all rows share.
struct Bench {
    gravity: Gravity,
    level: Level,
    threads: usize,
    repeat: usize,
    /// The share of the bodies that is audited.
    audit: f64,
    audit_limit: Option<f64>,
    /// Fused multiply-adds a second, in f32 and f64.
    peak: [f64; 2],
}

/// Runs the benchmark.
pub(crate) fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    let beside = rivals::named(&args.beside)?;
    // before the minutes of measuring, not between
    device::check(args.device())?;
    let audit = Audit::of(args.settings())?;
    if audit.share == 0.0 {
        let expected = "must be above 0: a time counts only after its answer was compared with f64".into();
        return Err(Error::Parameter { name: "audit", value: "0".into(), expected }.into());
    }
    if let (Some(softening), Some(_)) = (args.settings().softening, &args.settings().law) {
        let expected = "belongs to gravity, and a law is measured".into();
        return Err(Error::Parameter { name: "softening", value: softening.to_string(), expected }.into());
    }
    let eps = args.eps()?.unwrap_or(EPS);
    let device = args.method(Settings::default(), Precision::F32, usize::MAX)?.device;
    if args.precision.is_empty() {
        let finest = if device == Device::Wgpu { Precision::Mixed } else { Precision::F64 };
        args.precision = match args.name {
            Measured::Blocks => vec![finest],
            _ => vec![Precision::F32, finest],
        };
    }
    let accuracies = [("rtol", args.rtol.len()), ("order", args.order.len()), ("tolerance", args.tolerance.len())];
    if let Some((name, _)) = accuracies.iter().find(|(_, many)| *many > 0 && args.name != Measured::Expansions) {
        let expected = format!("belongs to bench expansions, not to bench {}", args.name.name());
        return Err(Error::Parameter { name, value: "given".into(), expected }.into());
    }
    if args.settings().law.is_none() && args.name != Measured::Expansions {
        check_methods(&args)?;
    }
    threads::start(args.settings().threads)?;
    if args.name == Measured::Steps {
        steps::run(&args)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.name == Measured::Blocks {
        blocks::run(&args)?;
        return Ok(ExitCode::SUCCESS);
    }
    let level = args.method(Settings::default(), Precision::F32, 0)?.level()?;
    let bench = Bench {
        gravity: Gravity::new(1.0, eps).softened(args.softening()),
        level,
        threads: rayon::current_num_threads(),
        repeat: args.repeat.into(),
        audit: audit.share,
        audit_limit: audit.limit,
        peak: [fma_peak::<f32>(level), fma_peak::<f64>(level)],
    };
    bench.head(&args)?;
    if args.name == Measured::Expansions {
        expansions::run(&bench, &args)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(law) = &args.settings().law {
        law::run(&bench, &args, law.as_str())?;
        return Ok(ExitCode::SUCCESS);
    }
    for n in &args.n {
        let bodies = sphere(*n, &args)?.bodies;
        let progress = ProgressLine::timed(&format!("{n} bodies: computing the f64 reference"), &Watch::default());
        let answer = Answer::new(&bodies, &bench.gravity, bench.audit);
        drop(progress);
        for precision in &args.precision {
            for row in methods(&args, *precision, *n as usize)? {
                match row.method.device {
                    Device::Cpu => bench.ours(&row, &bodies, &answer)?.print(args.json),
                    _ => bench.on_device(&row, &bodies, &answer)?.print(args.json),
                }
            }
        }
        for rival in &beside {
            for row in rivals::run(*rival, &args.python, &bench, &bodies, &answer)? {
                row.print(args.json);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A way of computing forces that makes a row.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    method: Method,
    /// The sums, where they were asked for.
    sum: Option<Summation>,
}

impl Choice {
    /// "symmetric", "direct fixed".
    fn label(&self) -> String {
        let solver = self.method.solver;
        self.sum.map_or(solver.to_string(), |sum| format!("{solver} {sum}"))
    }
}

/// The solvers that have a precision, each with its own sums or with those that were asked for; where no solver is named,
/// with both.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::Unsupported`] for a solver that the device does not have.
fn methods(args: &Args, precision: Precision, n: usize) -> manybody::Result<Vec<Choice>> {
    let device = args.method(Settings::default(), precision, n)?.device;
    let default = match args.name {
        Measured::Steps if device.is_gpu() => vec![SolverName::Auto],
        _ => vec![SolverName::Symmetric, SolverName::Direct],
    };
    let named = !args.solver.is_empty();
    let mut methods = Vec::new();
    for solver in if named { &args.solver } else { &default } {
        let choice = |sum| choice(args, *solver, precision, n, sum);
        if !is_had(has(&choice(None)?))? {
            continue;
        }
        let mut summed = Vec::new();
        for sum in &args.sum {
            let choice = choice(Some(*sum))?;
            if is_had(has(&choice))? {
                summed.push(choice);
            }
        }
        if summed.is_empty() || !named {
            summed.insert(0, choice(None)?);
        }
        methods.extend(summed);
    }
    Ok(methods)
}

fn choice(
    args: &Args,
    solver: SolverName,
    precision: Precision,
    n: usize,
    sum: Option<Summation>,
) -> manybody::Result<Choice> {
    let row = Settings { solver: Some(solver), sum, ..Settings::default() };
    Ok(Choice { method: args.method(row, precision, n)?, sum })
}

/// False where a precision or sums are what a solver lacks.
fn is_had(found: manybody::Result<()>) -> manybody::Result<bool> {
    match found {
        Ok(()) => Ok(true),
        Err(Error::Unsupported { capability: Capability::Precision | Capability::Sum, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a device has a solver with a precision and sums.
fn has(choice: &Choice) -> manybody::Result<()> {
    solver::of(&choice.method).map(drop)
}

/// Whether each solver and each choice of sums that was asked for will make a row, and each precision.
///
/// # Errors
/// The reason why a method cannot be made.
fn check_methods(args: &Args) -> manybody::Result<()> {
    let mut rows = Vec::new();
    for precision in &args.precision {
        let methods = methods(args, *precision, usize::MAX)?;
        if methods.is_empty() {
            let default = [SolverName::Direct];
            let named = if args.solver.is_empty() { &default[..] } else { &args.solver };
            named.iter().try_for_each(|solver| has(&choice(args, *solver, *precision, usize::MAX, None)?))?;
        }
        rows.extend(methods);
    }
    let Some(Choice { method: first, .. }) = rows.first().cloned() else { return Ok(()) };
    for solver in args.solver.iter().filter(|solver| rows.iter().all(|row| row.method.solver != **solver)) {
        has(&choice(args, *solver, first.precision, usize::MAX, None)?)?;
    }
    for sum in args.sum.iter().filter(|sum| rows.iter().all(|row| row.sum != Some(**sum))) {
        let solver = args.solver.first().copied().unwrap_or(SolverName::Direct);
        has(&choice(args, solver, first.precision, usize::MAX, Some(*sum))?)?;
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
                "bench": args.settings().law.as_ref().map_or(args.name.name(), ForceLaw::as_str), "version": version, "cpu": model, "simd": level, "threads": self.threads,
                "peak_fma_f32": self.peak[0], "peak_fma_f64": self.peak[1], "eps": self.gravity.eps, "seed": args.seed(), "masses": args.masses.name(),
            }));
        } else {
            say(format_args!("manybody {version} on {model}, {} threads, {level}", self.threads));
            let bodies = match &args.settings().law {
                Some(_) => "a shaken lattice".into(),
                None => format!("Plummer sphere, {} masses, eps = {}", args.masses.name(), self.gravity.eps),
            };
            say(format_args!(
                "measured peak: {:.0}e9 fma/s in f32, {:.0}e9 in f64; {bodies}, seed {}",
                self.peak[0] * 1e-9,
                self.peak[1] * 1e-9,
                args.seed()
            ));
            row::heading();
        }
        Ok(())
    }

    fn ours(&self, choice: &Choice, bodies: &Bodies, answer: &Answer) -> anyhow::Result<Row> {
        let precision = choice.method.precision;
        let mut solver = solver::of(&choice.method)?;
        let mut forces = Forces::default();
        let watch = Watch::default();
        solver.watch(&watch);
        let what = format!("{} bodies, {}, {precision}: an evaluation", bodies.len(), solver.name());
        let progress = ProgressLine::begin(&what, &watch);
        let seconds = self.time(|| Ok(solver.forces(bodies, &self.gravity, ForceTerms::default(), &mut forces)?))?;
        drop(progress);
        let mut row = Row::new("manybody", choice.label(), precision.name(), bodies.len(), self.threads, &seconds);
        row.check(answer, |i| [forces.ax[i], forces.ay[i], forces.az[i]]);
        row.net = Some(audit::net_force(bodies, &forces));
        self.judge(bodies, &forces, answer, &choice.method)?;
        if choice.sum.is_none() && precision != Precision::Mixed {
            let peak = self.peak[(precision == Precision::F64) as usize];
            row.share = Some(row.rate() * operations(choice.method.solver, self.gravity.softening)? / peak);
        }
        Ok(row)
    }

    #[cfg(feature = "gpu")]
    fn on_device(&self, choice: &Choice, bodies: &Bodies, answer: &Answer) -> anyhow::Result<Row> {
        use manybody::solver::Solver;
        let Method { device, precision, .. } = choice.method;
        let mut solver = manybody_gpu::solver(&choice.method)?;
        let mut forces = Forces::default();
        solver.forces(bodies, &self.gravity, ForceTerms::default(), &mut forces)?;
        // kernels in a row for a fifth of a second at least, so that clocks are up and starting them does not count
        let once = solver.seconds(bodies, &self.gravity, 1)?;
        let in_a_row = (0.2 / once.max(1e-6)).clamp(1.0, 1000.0) as usize;
        let seconds: Vec<f64> =
            (0..self.repeat).map(|_| solver.seconds(bodies, &self.gravity, in_a_row)).collect::<Result<_, _>>()?;
        let method = format!("{device} {}", choice.label());
        let mut row = Row::new("manybody", method, precision.name(), bodies.len(), self.threads, &seconds);
        row.check(answer, |i| [forces.ax[i], forces.ay[i], forces.az[i]]);
        row.net = Some(audit::net_force(bodies, &forces));
        self.judge(bodies, &forces, answer, &choice.method)?;
        Ok(row)
    }

    #[cfg(not(feature = "gpu"))]
    fn on_device(&self, choice: &Choice, _: &Bodies, _: &Answer) -> anyhow::Result<Row> {
        anyhow::bail!("this program was built without {}", choice.method.device)
    }

    /// Refuses a row whose answer is wrong by more than its precision explains.
    fn judge(&self, bodies: &Bodies, forces: &Forces, answer: &Answer, method: &Method) -> manybody::Result<()> {
        let sample: Vec<usize> = answer.indices().collect();
        audit::check(bodies, &self.gravity, forces, &sample, 0.0, method, self.audit_limit).map(drop)
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
fn operations(solver: SolverName, softening: Softening) -> anyhow::Result<f64> {
    let law = match softening {
        Softening::Plummer => Law::of::<laws::Gravity>()?,
        // the one that kernels are compiled for
        Softening::Spline => Law::of::<laws::SoftSplineGravityPot>()?,
    };
    let (program, serves) =
        if solver == SolverName::Symmetric { (law.mirrored()?, 2.0) } else { (law.one_sided(), 1.0) };
    let cost = program.cost();
    Ok((cost.operations + cost.special) as f64 / serves)
}
