//! `manybody force`: one evaluation, written as CSV with the columns id, ax, ay, az, pot, or those of a law.

use crate::console::{self, json, say};
use crate::device::{self, OnGpus, Threads};
use crate::progress_line::ProgressLine;
use crate::ranks;
use crate::settings::{Given, OfRanks};
use manybody::audit::{self, ForceErrors};
use manybody::driver::device::{choose, choose_by_expansion};
use manybody::driver::{self, Trial};
use manybody::settings::Settings;
use manybody::snapshot::{self, ColumnOrder, Format, ReadOptions, atomic};
use manybody::solver::{
    Device, DeviceChoice, Expansion, ForceTerms, Forces, Gravity, Method, Precision, SolverName, Summation,
};
use manybody::units::{Dimension, parse_quantity};
use manybody::watch::Watch;
use manybody::{Bodies, Error};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod law;

/// The columns written.
const HEADER: &str = "id,ax,ay,az,pot";

/// The least number of bodies at which the forces are compared with the reference.
const SAMPLE: usize = 256;

/// Compute the acceleration and the potential of every body, once
///
/// Writes CSV with the columns id, ax, ay, az and pot, in the order and the units of the file. On stderr: the rate,
/// and the error against f64 at a sample of bodies, |da| over the root mean square of |a|.
///
/// With --law, any law between bodies: one with a name, a text, or a file that holds a text. Its members are columns of
/// the file by name, its results those of the CSV file. docs/laws.md has the language.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshot
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// CSV file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// Replace an output that exists
    #[arg(long)]
    force: bool,

    /// The law: a name (coulomb, lennard-jones, sph-density, nearest, ...), a text such as
    /// 'body x[3], q; d = j.x - i.x; sum p = j.q / norm(d); self exclude', or a file with a text
    #[allow(rustdoc::broken_intra_doc_links)] // text for a terminal: x[3] is no link
    #[arg(long, value_name = "NAME|TEXT", default_value = "gravity", hide_default_value = true)]
    law: String,

    /// A parameter of the law, name=value, or name=3,-7.5,11 for one of several numbers; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    par: Vec<String>,

    /// Which column of a plain text file is the mass: mass-first or mass-last
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,

    /// Plummer softening length, one for all bodies [default: each body's own where the file has it, else that of the run
    /// that wrote the file, else 0]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    eps: Option<String>,

    /// Which pairs in what order: symmetric, direct, reference (cpu only), auto (devices) [default: symmetric; on devices
    /// auto]; or not all pairs: fmm or tree (cpu, cuda), with the error that --rtol names. Of another law, fmm (cpu), if its
    /// results are sums of charges times functions of the distance, and tree (cpu), if it has conditions, extremes or
    /// counts: the results of all pairs, without those that contribute nothing
    #[arg(long, value_name = "NAME")]
    solver: Option<SolverName>,

    /// The relative error, |da| / |a|, that 99 of 100 bodies stay below with the solvers fmm and tree [default: 1e-3]; it is
    /// reached by the audit, and not promised with --audit 0. Without a --solver, the cheapest solver and precision that have
    /// the error are taken; by all pairs it is the largest, |da| / rms|a|. Of a law by fmm, the error of a result relative to
    /// it, or to the median of all bodies where that is larger
    #[arg(long, value_name = "ERROR", value_parser = limit)]
    rtol: Option<f64>,

    /// With fmm and tree: the order of the expansions, 1 to 12 [default: what suits the error]
    #[arg(long, value_name = "P")]
    order: Option<usize>,

    /// With fmm and tree: the ratio of radii to distance below which cells interact [default: by the error]
    #[arg(long, value_name = "RATIO", value_parser = limit)]
    theta: Option<f64>,

    /// Where to compute: auto, cpu, cuda or wgpu
    #[arg(long, value_name = "NAME", default_value = "auto")]
    device: DeviceChoice,

    #[command(flatten)]
    gpus: OnGpus,

    /// Precision of the forces: f32, mixed or f64 [default: f64; with --rtol and no solver, the cheapest that has the error]
    #[arg(long, value_name = "NAME")]
    precision: Option<Precision>,

    /// How the terms of a force are added: blocked; in f32, and in mixed precision on GPUs, also direct, blocked:SIZE,
    /// pairwise, compensated, f64, fixed
    #[arg(long, value_name = "NAME", default_value = "blocked")]
    sum: Summation,

    /// Share of the bodies, and 256 at least, whose forces are compared with f64; 0: no comparison
    #[arg(long, value_name = "FRACTION", default_value = "0.001", value_parser = share)]
    audit: f64,

    /// Largest error, as it is printed, that is no failure [default: what the precision can explain, body by body]
    #[arg(long, value_name = "ERROR", value_parser = limit)]
    audit_limit: Option<f64>,

    #[command(flatten)]
    _softening: crate::model::Softening,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    ranks: Given<OfRanks>,

    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Computes and writes.
///
/// # Errors
/// Those of the files and of the words on the command line.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    device::check(args.device)?;
    let settings = Settings { threads: args.threads.number(), ..args.ranks.settings.clone() };
    ranks::with(&settings, &ranks::command_line(), &Watch::default(), || {}, || compute(args).map(|()| 0))
}

/// Computes and writes, in the process that does.
fn compute(args: Args) -> anyhow::Result<()> {
    if let (Some(limit), true) = (args.audit_limit, args.audit == 0.0) {
        let expected = "without an audit (--audit 0) there is no error to hold to a limit".into();
        return Err(Error::Parameter { name: "audit-limit", value: limit.to_string(), expected }.into());
    }
    if args.law.trim() != "gravity" {
        refuse_words_of_gravity(&args)?;
        return law::run(&args, &args.law);
    }
    if let Some(par) = args.par.first() {
        let expected = "gravity's softening is given by --eps; parameters belong to another --law".into();
        return Err(Error::Parameter { name: "par", value: par.clone(), expected }.into());
    }
    check_replaceable(&args)?;
    // gravity needs places and masses, and no velocities
    let options = ReadOptions { columns: args.columns, partial: true, ..ReadOptions::default() };
    let loaded = snapshot::read_with(&args.input, &options)?;
    let needed = |name: &&&str| ["x", "y", "z", "mass"].contains(*name);
    let lacking: Vec<&str> = loaded.header.missing.iter().filter(needed).copied().collect();
    if !lacking.is_empty() {
        let problem =
            format!("missing; gravity needs x, y, z and mass, and there are: {}", loaded.header.fields.join(", "));
        return Err(Error::Field { path: args.input, field: lacking.join(", "), problem }.into());
    }
    loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", args.input.display())));
    let snapshot::Snapshot { mut bodies, units, time, meta } = loaded.snapshot;
    let said = args.eps.as_deref().map(|text| softening(text, &units)).transpose()?;
    let (eps, eps_from) = match (said, &bodies.eps) {
        (Some(eps), _) => (eps, "option"),
        (None, Some(_)) => (0.0, "bodies"),
        (None, None) => run_softening(&meta, &units)?.map_or((0.0, "default"), |eps| (eps, "run")),
    };
    if said.is_some() {
        bodies.eps = None;
    }
    let gravity = Gravity { g: units.g, eps };
    gravity.check_apart(&bodies)?;
    let Evaluated { method, forces, seconds, errors: found } = evaluate(&bodies, &gravity, time, &args)?;
    let (name, precision, device) = (method.solver, method.precision, method.device);
    atomic::write_with(&args.out, |file| write_csv(file, &args.out, &bodies, &forces))?;

    let n = bodies.len() as f64;
    let rate = n * n / seconds; // as in `run` and `bench`
    let audited = found.as_ref().map_or(String::new(), |errors| format!("\n{}", crate::run::force_errors(errors)));
    let eps = manybody::units::show::length(gravity.eps, &units);
    let softening = match eps_from {
        "bodies" => "each body's own eps, of the file".into(),
        "run" => format!("eps = {eps}, of the run that wrote the file"),
        "option" => format!("eps = {eps}"),
        _ => format!("eps = {eps}, as the file has no softening"),
    };
    say(format_args!(
        "{}, {softening}, {name} solver, {precision}, {} sums, {}: {seconds:.3} s, {rate:.2e} \
         interactions/s{audited}\nwrote {}",
        console::bodies(bodies.len()),
        args.sum,
        device::in_words(device),
        args.out.display(),
    ));
    if args.json {
        json(&serde_json::json!({
            "event": "force", "n": bodies.len(), "eps": bodies.eps.is_none().then_some(gravity.eps),
            "eps_from": eps_from,
            "solver": name.to_string(), "precision": precision.name(), "device": device.name(), "seconds": seconds,
            "interactions_per_s": rate, "file": args.out.display().to_string(),
            "sum": args.sum.to_string(), "rtol": args.rtol, "error": found.as_ref().map(crate::run::force_errors_json),
        }));
    }
    Ok(())
}

/// How the forces are computed, where no error chooses it.
fn method(args: &Args, bodies: &Bodies) -> Result<Method, Error> {
    let by_expansion = args.solver.is_some_and(SolverName::is_by_expansion);
    let precision = args.precision.unwrap_or(Precision::F64);
    let expansion = Expansion { rtol: args.rtol, order: args.order, theta: args.theta, tolerance: None };
    let device = match by_expansion {
        true => {
            let method = Method { expansion, precision, ..Method::default() };
            choose_by_expansion(args.device, &method, bodies.len())
        }
        false => choose(args.device, precision, bodies.len()),
    };
    let mut method = Method::summed(device, precision, args.sum).gpus(args.gpus.of(device)?);
    method.solver = args.solver.unwrap_or(method.solver);
    method.expansion = expansion;
    match of_expansions(args).filter(|_| !by_expansion) {
        Some(name) => {
            let expected = format!("belongs to the solvers fmm and tree; this one is {}", method.solver);
            Err(Error::Parameter { name, value: "given".into(), expected })
        }
        None => Ok(method),
    }
}

/// The forces by the method that is named, or that has the error that is asked for.
fn compute_by(args: &Args, trial: Trial<'_>, watch: &Watch) -> Result<(Method, Forces, f64), Error> {
    let mut note = |line: &str| say(format_args!("{line}"));
    let is_open = args.solver.is_none() && args.order.is_none() && args.theta.is_none();
    let method = match args.rtol.filter(|_| is_open) {
        Some(_) if args.sum != Summation::default() => {
            let expected = "belongs to a solver: name one, since rtol alone chooses the solver".into();
            return Err(Error::Parameter { name: "sum", value: args.sum.to_string(), expected });
        }
        Some(rtol) => {
            let expansions = !args.gpus.of(Device::Cuda)?.are_several();
            let choice = driver::Choice { device: args.device, precision: args.precision, expansions };
            let found = driver::cheapest(rtol, trial, choice, watch, &mut note)?;
            let gpus = args.gpus.of(found.method.device)?;
            let method = Method { gpus, ..found.method.clone() };
            if method == found.method {
                return Ok((method, found.forces, found.seconds));
            }
            method
        }
        None => method(args, trial.bodies)?,
    };
    if method.solver.is_by_expansion() && args.audit > 0.0 && args.audit_limit.is_none() {
        let tuned = driver::tuned(method, trial, watch, &mut note)?;
        tuned.check()?;
        return Ok((tuned.method, tuned.forces, tuned.seconds));
    }
    let (forces, seconds) = driver::evaluated(&method, trial, watch)?;
    Ok((method, forces, seconds))
}

/// Forces, the time that they took, and their errors.
struct Evaluated {
    method: Method,
    forces: Forces,
    seconds: f64,
    errors: Option<ForceErrors>,
}

/// Computes the forces and audits them; by expansions again and again, until they have the error that is promised.
fn evaluate(bodies: &Bodies, gravity: &Gravity, time: f64, args: &Args) -> Result<Evaluated, Error> {
    let watch = Watch::default();
    let progress = ProgressLine::begin("computing the forces", &watch);
    let terms = ForceTerms { potential: true, jerk: false };
    let trial = Trial { bodies, gravity, terms, share: args.audit, time };
    let (method, forces, seconds) = compute_by(args, trial, &watch)?;
    drop(progress);
    check_finite(bodies, &forces, time)?;
    let least = if method.solver.is_by_expansion() { audit::EXPANSION_SAMPLE } else { SAMPLE };
    let audit = || {
        let sample = audit::sample(bodies.len(), args.audit, least, 0);
        let check = |limit| audit::check(bodies, gravity, &forces, &sample, time, &method, limit);
        let found = check(args.audit_limit)?;
        // by all pairs rtol is the largest error, of other bodies than those by which the method was chosen, too
        match args.rtol.filter(|rtol| !method.solver.is_by_expansion() && found.max > *rtol) {
            Some(rtol) => check(Some(rtol)),
            None => Ok(found),
        }
    };
    let errors = (args.audit > 0.0).then(audit).transpose()?;
    Ok(Evaluated { method, forces, seconds, errors })
}

/// The name of a setting that only expansions have, if one is given.
fn of_expansions(args: &Args) -> Option<&'static str> {
    let given = [("rtol", args.rtol.is_some()), ("order", args.order.is_some()), ("theta", args.theta.is_some())];
    given.into_iter().find_map(|(name, given)| given.then_some(name))
}

/// Lets no file be replaced without --force, and the file that is read not even then: a snapshot given for -o by mistake
/// would be gone. The columns of a file do not say whose it is.
fn check_replaceable(args: &Args) -> Result<(), Error> {
    let out = &args.out;
    let wrong =
        |expected: &str| Error::Parameter { name: "out", value: out.display().to_string(), expected: expected.into() };
    if Format::of_name(out).is_some_and(|format| format != Format::Csv) {
        return Err(wrong("must be a name that ends in .csv: CSV is written"));
    }
    if !crate::writing::is_file(out)? {
        return Ok(());
    }
    if args.force {
        return match (out.canonicalize(), args.input.canonicalize()) {
            (Ok(out), Ok(input)) if out == input => Err(wrong("it is the file that is read: must be another name")),
            (Err(source), _) => Err(Error::Io { path: out.clone(), action: "find out where it is", source }),
            // a missing input is reported when it is read
            _ => Ok(()),
        };
    }
    match out.metadata() {
        // as `mktemp` makes one
        Ok(found) if found.len() == 0 => Ok(()),
        _ => Err(wrong("the file exists: --force replaces it")),
    }
}

/// Refuses what only gravity has.
fn refuse_words_of_gravity(args: &Args) -> Result<(), Error> {
    if args.sum != Summation::default() {
        let expected = "it belongs to gravity; a law sums in blocks".into();
        return Err(Error::Parameter { name: "sum", value: args.sum.to_string(), expected });
    }
    if args.precision == Some(Precision::Mixed) {
        let expected = "it belongs to gravity; a law is computed in f32 or f64".into();
        return Err(Error::Parameter { name: "precision", value: "mixed".into(), expected });
    }
    if let Some(value) = args.eps.clone() {
        let expected = "it belongs to gravity; a law has parameters: --par name=value".into();
        return Err(Error::Parameter { name: "eps", value, expected });
    }
    match args.solver {
        Some(SolverName::Fmm) => Ok(()),
        Some(solver) if solver != SolverName::Tree => {
            let expected = "must be fmm or tree, or not be given: a law is then evaluated for all pairs".into();
            Err(Error::Parameter { name: "solver", value: solver.to_string(), expected })
        }
        _ => match of_expansions(args) {
            Some(name) => {
                let expected = "of a law, it belongs to the solver fmm: --solver fmm".into();
                Err(Error::Parameter { name, value: "given".into(), expected })
            }
            None => Ok(()),
        },
    }
}

/// A share of the bodies.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = parse_quantity(text, Dimension::NUMBER, &manybody::Units::default()).ok();
    share.filter(|share| (0.0..=1.0).contains(share)).ok_or("must be a share of the bodies, from 0 to 1".into())
}

/// An error that is no failure.
pub(crate) fn limit(text: &str) -> Result<f64, String> {
    let limit = parse_quantity(text, Dimension::NUMBER, &manybody::Units::default()).ok();
    limit
        .filter(|limit| *limit > 0.0 && limit.is_finite())
        .ok_or("a finite number above 0 must be given, as 1e-6".into())
}

/// The softening of the run that kept a file, in the file's units.
pub(crate) fn run_softening(meta: &BTreeMap<String, String>, units: &manybody::Units) -> Result<Option<f64>, Error> {
    let Some(text) = meta.get("run.eps") else { return Ok(None) };
    let wrong = |expected: String| Error::Parameter { name: "run.eps", value: format!("'{text}'"), expected };
    let eps = text.parse().ok().filter(|eps: &f64| *eps >= 0.0 && eps.is_finite());
    let eps = eps.ok_or_else(|| wrong("the file's metadata is damaged: give --eps".into()))?;
    match meta.get("run.units") {
        Some(name) if *name != units.name => {
            // converted since
            let converted = manybody::Units::by_name(name).and_then(|kept| kept.conversion(units, Dimension::LENGTH));
            let problem = || wrong(format!("a length in {name} units, in a file in {} units: give --eps", units.name));
            converted.map(|by| Some(by.apply(eps))).map_err(|_| problem())
        }
        _ => Ok(Some(eps)),
    }
}

fn softening(text: &str, units: &manybody::Units) -> Result<f64, Error> {
    let wrong = |expected: String| Error::Parameter { name: "eps", value: text.into(), expected };
    match parse_quantity(text, Dimension::LENGTH, units) {
        Ok(eps) if eps >= 0.0 && eps.is_finite() => Ok(eps),
        Ok(_) => Err(wrong("must be a finite softening length, 0 or more".into())),
        Err(Error::Parameter { expected, .. }) => Err(wrong(expected)),
        Err(other) => Err(other),
    }
}

fn check_finite(bodies: &Bodies, forces: &Forces, time: f64) -> Result<(), Error> {
    let columns = [("ax", &forces.ax), ("ay", &forces.ay), ("az", &forces.az), ("pot", &forces.pot)];
    for (quantity, column) in columns {
        if let Some(index) = column.iter().position(|q| !q.is_finite()) {
            return Err(Error::NotFinite { time, index, id: bodies.id[index], quantity, value: column[index] });
        }
    }
    Ok(())
}

/// Numbers in the shortest form that reads back to the same bits.
fn write_csv(file: &mut File, path: &Path, bodies: &Bodies, forces: &Forces) -> Result<(), Error> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let mut write = || {
        writeln!(out, "{HEADER}")?;
        for i in 0..bodies.len() {
            let (id, pot) = (bodies.id[i], forces.pot[i]);
            writeln!(out, "{id},{:?},{:?},{:?},{pot:?}", forces.ax[i], forces.ay[i], forces.az[i])?;
        }
        out.flush()
    };
    write().map_err(|source| Error::Io { path: path.into(), action: "write", source })
}
