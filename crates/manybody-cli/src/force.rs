//! `manybody force`: one evaluation, written as CSV with the columns id, ax, ay, az, pot, or those of a law.

use crate::console::{self, json, say};
use crate::device;
use crate::progress_line::ProgressLine;
use crate::ranks;
use crate::settings::{Given, OfRanks, Selection, help_in, is_among};
use manybody::audit::{self, ForceErrors};
use manybody::driver::{self, Trial};
use manybody::settings::{Audit, ForceLaw, Setting, Settings, setting};
use manybody::snapshot::{self, Format, ReadOptions, atomic};
use manybody::solver::{ForceTerms, Forces, Gravity, Method, Precision, Softening};
use manybody::units::Units;
use manybody::watch::Watch;
use manybody::{Bodies, Error};
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

    #[command(flatten)]
    given: Given<OfForces>,

    #[command(flatten)]
    _softening: crate::model::Softening,

    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The settings of one evaluation.
pub(crate) struct OfForces;

impl Selection for OfForces {
    fn has(setting: &Setting) -> bool {
        let others = [
            &setting::law,
            &setting::par,
            &setting::columns,
            &setting::eps,
            &setting::audit,
            &setting::audit_limit,
            &setting::threads,
        ];
        setting.of_forces || OfRanks::has(setting) || is_among(setting, &others)
    }

    fn help(setting: &Setting) -> Option<&'static str> {
        help_in(&HELP, setting)
    }
}

/// What settings are in one evaluation, where that is more or less than in a run.
static HELP: [(&Setting, &str); 10] = [
    (
        &setting::law,
        "The law: a name (coulomb, lennard-jones, sph-density, nearest, ...), a text such as 'body x[3], q; d = j.x - i.x; \
         sum p = j.q / norm(d); self exclude', or a file with a text [default: gravity]",
    ),
    (
        &setting::eps,
        "Softening length, one for all bodies [default: each body's own where the file has it, else that of the run \
         that wrote the file, else 0]",
    ),
    (
        &setting::softening,
        "What a softening length is: plummer, r^2 + eps^2 in place of r^2; or spline, bodies as balls of radius 2.8 eps, beyond \
         which forces are Newton's [default: that of the run that wrote the file, else plummer]",
    ),
    (
        &setting::solver,
        "Which pairs in what order: symmetric, direct, reference (cpu only), auto (devices) [default: symmetric; on devices \
         auto]; or not all pairs: fmm or tree, with the error that --rtol names. Of another law, fmm, if its \
         results are sums of charges times functions of the distance, and tree, if it has conditions, extremes or \
         counts: the results of all pairs, without those that contribute nothing",
    ),
    (
        &setting::precision,
        "Precision of the forces: f32, mixed or f64 [default: f64; with --rtol, but for fmm and tree, the cheapest that has \
         the error]",
    ),
    (
        &setting::rtol,
        "The relative error, |da| / |a|, that 99 of 100 bodies stay below with the solvers fmm and tree [default: 1e-3]; it is \
         reached by the audit, and not promised with --audit 0. Without a --solver, the cheapest solver and precision that \
         have the error are taken, with another one the cheapest precision; by all pairs it is the largest, \
         |da| / rms|a|. Of a law by fmm, the error of a result relative to it, or to the median of all bodies where that is larger",
    ),
    (
        &setting::tolerance,
        "With fmm and tree: the error of an acceleration that one interaction may make, relative to it [default: chosen for \
         --rtol, and halved until the audit finds it met]",
    ),
    (
        &setting::gpus,
        "GPUs that share the computation, with --device cuda: how many, or which, as id:1 or id:0,2; they change no bit of \
         the result [default: 1]",
    ),
    (
        &setting::audit,
        "Share of the bodies, and 256 at least, whose forces are compared with f64; 0: no comparison [default: 0.001]",
    ),
    (
        &setting::audit_limit,
        "Largest error that is allowed, as it is printed [default: what the precision can explain, body by body]",
    ),
];

/// Computes and writes.
///
/// # Errors
/// Those of the files and of the words on the command line.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    device::check(args.given.settings.device.unwrap_or_default())?;
    // rank 0 alone reads files, a law's too; the command line names it
    let settings = Settings { law: None, ..args.given.settings.clone() };
    ranks::with(&settings, &ranks::command_line(), &Watch::default(), || {}, || compute(args).map(|()| 0))
}

/// Where a softening comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EpsFrom {
    Option,
    Bodies,
    Run,
    Default,
}

impl EpsFrom {
    fn name(self) -> &'static str {
        match self {
            EpsFrom::Option => "option",
            EpsFrom::Bodies => "bodies",
            EpsFrom::Run => "run",
            EpsFrom::Default => "default",
        }
    }
}

/// Computes and writes, in the process that does.
fn compute(args: Args) -> anyhow::Result<()> {
    let settings = &args.given.settings;
    let audit = Audit::of(settings)?;
    if let Some(law) = settings.law.as_ref().and_then(ForceLaw::other) {
        return law::run(&args, law, audit);
    }
    if let Some(par) = settings.par.iter().flat_map(|par| &par.0).next() {
        let expected = "gravity's softening is given by --eps; parameters belong to another --law".into();
        return Err(Error::Parameter { name: "par", value: par.clone(), expected }.into());
    }
    check_replaceable(&args)?;
    // gravity needs places and masses, and a softening if there is one
    let only = Some(["x", "y", "z", "mass", "eps"].map(String::from).to_vec());
    let options = ReadOptions { columns: settings.columns, partial: true, only, ..ReadOptions::default() };
    let loaded = snapshot::read_with(&args.input, &options)?;
    let needed = |name: &&&str| ["x", "y", "z", "mass"].contains(*name);
    let lacking: Vec<&str> = loaded.header.missing.iter().filter(needed).copied().collect();
    if !lacking.is_empty() {
        let problem =
            format!("missing; gravity needs x, y, z and mass, and there are: {}", loaded.header.fields.join(", "));
        return Err(Error::Field { path: args.input, field: lacking.join(", "), problem }.into());
    }
    loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", args.input.display())));
    let (of_run, kind_of_run) = (loaded.snapshot.run_softening(), loaded.snapshot.softening_kind());
    let snapshot::Snapshot { mut bodies, units, time, .. } = loaded.snapshot;
    let said = softening(settings, &units)?;
    // one softening for all is the same, and all solvers have it
    let shared =
        bodies.eps.as_ref().and_then(|each| each.first().filter(|eps| each.iter().all(|e| e == *eps)).copied());
    let (eps, eps_from) = match (said.or(shared), &bodies.eps) {
        (Some(eps), None) => (eps, EpsFrom::Option),
        (Some(eps), Some(_)) => (eps, if said.is_some() { EpsFrom::Option } else { EpsFrom::Bodies }),
        (None, Some(_)) => (0.0, EpsFrom::Bodies),
        (None, None) => of_run?.map_or((0.0, EpsFrom::Default), |eps| (eps, EpsFrom::Run)),
    };
    if said.or(shared).is_some() {
        bodies.eps = None;
    }
    let softening = settings.softening.map_or_else(|| kind_of_run, Ok)?;
    let gravity = Gravity::new(units.g, eps).softened(softening);
    gravity.check_apart(&bodies)?;
    let Evaluated { method, forces, seconds, errors: found } = evaluate(&bodies, &gravity, time, settings, audit)?;
    let (name, precision, device) = (method.solver, method.precision, method.device);
    atomic::write_with(&args.out, |file| write_csv(file, &args.out, &bodies, &forces))?;

    let n = bodies.len() as f64;
    let rate = n * n / seconds; // as in `run` and `bench`
    let audited = found.as_ref().map_or(String::new(), |errors| format!("\n{}", crate::measured::force_errors(errors)));
    let of_errors = found.as_ref().and_then(|errors| errors.warning(&method));
    let warnings: Vec<String> = audit::range_warning(&bodies, precision).into_iter().chain(of_errors).collect();
    let eps = manybody::units::show::length(gravity.eps, &units);
    let kind = if softening == Softening::default() { String::new() } else { format!(" ({softening})") };
    let said = match eps_from {
        EpsFrom::Bodies if bodies.eps.is_some() => "each body's own eps, of the file".into(),
        EpsFrom::Bodies => format!("eps = {eps}, that of all bodies of the file"),
        EpsFrom::Run => format!("eps = {eps}, of the run that wrote the file"),
        EpsFrom::Option => format!("eps = {eps}"),
        EpsFrom::Default => format!("eps = {eps}, as the file has no softening"),
    };
    say(format_args!(
        "{}, {said}{kind}, {name} solver, {precision}, {} sums, {}: {seconds:.3} s, {rate:.2e} \
         interactions/s{audited}\nwrote {}",
        console::bodies(bodies.len()),
        method.sum,
        device::in_words(device),
        args.out.display(),
    ));
    warnings.iter().for_each(|warning| console::complain(format_args!("warning: {warning}")));
    if args.json {
        json(&serde_json::json!({
            "event": "force", "n": bodies.len(), "eps": bodies.eps.is_none().then_some(gravity.eps),
            "eps_from": eps_from.name(), "softening": softening.name(),
            "solver": name.to_string(), "precision": precision.name(), "device": device.name(), "seconds": seconds,
            "interactions_per_s": rate, "file": args.out.display().to_string(),
            "sum": method.sum.to_string(), "rtol": rtol(settings)?, "error": found.as_ref().map(crate::measured::force_errors_json),
            "warnings": warnings,
        }));
    }
    Ok(())
}

/// Forces, the time that they took, and their errors.
struct Evaluated {
    method: Method,
    forces: Forces,
    seconds: f64,
    errors: Option<ForceErrors>,
}

/// Computes the forces and audits them; by expansions again and again, until they have the error that is promised.
fn evaluate(
    bodies: &Bodies,
    gravity: &Gravity,
    time: f64,
    settings: &Settings,
    audit: Audit,
) -> Result<Evaluated, Error> {
    let watch = Watch::default();
    let progress = ProgressLine::begin("computing the forces", &watch);
    let terms = ForceTerms { potential: true, jerk: false };
    let trial = Trial { bodies, gravity, terms, share: audit.share, time };
    let mut note = |line: &str| say(format_args!("{line}"));
    let driver::Evaluated { method, forces, seconds, .. } =
        driver::forces(settings, Precision::F64, trial, &watch, &mut note)?;
    drop(progress);
    check_finite(bodies, &forces, time)?;
    if audit.share == 0.0 {
        return Ok(Evaluated { method, forces, seconds, errors: None });
    }
    let least = if method.solver.is_by_expansion() { audit::EXPANSION_SAMPLE } else { SAMPLE };
    let sample = audit::sample(bodies.len(), audit.share, least, 0);
    let check = |limit| audit::check(bodies, gravity, &forces, &sample, time, &method, limit);
    let mut errors = check(audit.limit)?;
    // by all pairs rtol is the largest error, of other bodies than those by which the method was chosen, too
    if let Some(rtol) = rtol(settings)?.filter(|rtol| !method.solver.is_by_expansion() && errors.max > *rtol) {
        errors = check(Some(rtol))?;
    }
    Ok(Evaluated { method, forces, seconds, errors: Some(errors) })
}

/// The error that is asked for.
fn rtol(settings: &Settings) -> Result<Option<f64>, Error> {
    setting::rtol.resolve(&settings.rtol, &Units::default())
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
        return atomic::check_place(out);
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

/// The softening that is given.
pub(crate) fn softening(settings: &Settings, units: &Units) -> Result<Option<f64>, Error> {
    setting::eps.resolve(&settings.eps, units)?.map(Gravity::checked_softening).transpose()
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
