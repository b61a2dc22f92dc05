//! `manybody ensemble`: many systems of few bodies that do not depend on each other.

use crate::console::{self, json, number, say};
use crate::device::in_words;
use crate::interrupt::Interrupt;
use crate::progress_line::ProgressLine;
use crate::settings::{Given, Selection, is_among};
use crate::writing::{Writing, check_replaced};
use manybody::driver::threads;
use manybody::few_body::{Ensemble, MAX_BODIES_ON_CUDA, Outcome, SYSTEM_TIME};
use manybody::settings::{Setting, setting};
use manybody::snapshot::{self, Format, ReadOptions, Snapshot, atomic};
use manybody::solver::{Device, DeviceChoice, Gravity};
use manybody::units::{Dimension, show};
use manybody::{Bodies, Error, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The column with the number of the system of each body.
const SYSTEM: &str = "system";

/// The change of an energy, over the largest of |E|, T and U at the beginning and the end, above which it is no rounding: steps have
/// errors of 1e-15, of which millions add up at random.
const EXPLAINED: f64 = 1e-10;

/// So many systems are worth a GPU where the device is left open.
const MANY: usize = 4096;

/// Many systems of few bodies that do not depend on each other, by algorithmic regularisation
///
/// FILE has a column `system`: bodies with the same number there are one system, of up to 32 bodies. Each is integrated as by `run
/// --integrator ar-chain`, with its own steps. OUT has all bodies at the end, and --table a line for each system.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The bodies of all systems
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// File to write: all bodies at the end
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    /// File to write: how each system has ended, and its energies
    #[arg(long, value_name = "TABLE.csv")]
    table: Option<PathBuf>,
    /// End a system where two of its bodies touch, at that time. Their radii are the column radius, or --radius
    #[arg(long)]
    stop_at_contact: bool,
    #[command(flatten)]
    given: Given<OfEnsembles>,
    #[command(flatten)]
    writing: Writing,
}

/// What of a run belongs to ensembles.
struct OfEnsembles;

impl Selection for OfEnsembles {
    fn has(of: &Setting) -> bool {
        let these =
            [&setting::t_end, &setting::eps, &setting::radius, &setting::threads, &setting::device, &setting::simd];
        is_among(of, &these)
    }

    fn help(of: &Setting) -> Option<&'static str> {
        match of.name {
            "t-end" => Some("Time at which the systems end (not how long they last); met exactly"),
            "eps" => Some("Softening length, one for all bodies; without it each body's own, or 0"),
            "radius" => Some(
                "Radius of the bodies for --stop-at-contact, one for all; without it each body's own, the column radius",
            ),
            "device" => Some(
                "Where systems are advanced: auto, cpu or cuda (up to 8 bodies, points); the bits are the same [default: auto]",
            ),
            "simd" => Some("Vector instructions of the CPU: scalar, neon, avx2 or avx512; the bits are the same"),
            _ => None,
        }
    }
}

/// Integrates and writes.
///
/// # Errors
/// Those of the words and of the files; an energy that changes by more than rounding.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let settings = &args.given.settings;
    threads::start(settings.threads)?;
    let format = args.writing.check("out", &args.out)?;
    if let Some(table) = &args.table {
        check_table(&args, table)?;
    }
    check_writing(&args, format)?;
    let loaded = snapshot::read_with(&args.input, &ReadOptions::default())?;
    let (mut start, notes) = (loaded.snapshot, loaded.notes);
    start.bodies.validate()?;
    let names = names(&args, &start)?;
    let duration = duration(&args, &start)?;
    let mut ensemble = ensemble(&args, &mut start, &names)?;
    let device = device(&args, &ensemble)?;
    ensemble.set_device(device)?;
    let before = energies(&ensemble);
    if let Some(at) = before.iter().position(|energies| !energies.iter().all(|energy| energy.is_finite())) {
        let problem = format!("system {} has an energy of {}", ensemble.names()[at], before[at][0]);
        return Err(Error::Field { path: args.input, field: "vx, vy, vz".into(), problem }.into());
    }
    let began = Instant::now();
    advance(&mut ensemble, duration, &interrupt)?;
    let seconds = began.elapsed().as_secs_f64();
    let after = energies(&ensemble);
    let measured = Measured::of(&ensemble, &before, &after);
    ensemble.write(&mut start.bodies);
    note_times(&ensemble, &mut start);
    let begin = start.time;
    start.time += duration;
    if let Some(table) = &args.table {
        atomic::write_bytes(table, table_of(&ensemble, &start.bodies, begin, [&before, &after]).as_bytes())?;
    }
    finish(&args, &start, format, notes, &ensemble, (device, seconds), &measured)
}

/// Gives each body the time at which its system is, if not all are at the end.
fn note_times(ensemble: &Ensemble, start: &mut Snapshot) {
    start.bodies.extra.remove(SYSTEM_TIME);
    if ensemble.outcomes().iter().all(|outcome| *outcome == Outcome::Advanced) {
        return;
    }
    let mut column = vec![0.0; start.bodies.len()];
    for (at, time) in ensemble.times().iter().enumerate() {
        ensemble.bodies_of(at).iter().for_each(|k| column[*k] = start.time + time);
    }
    start.bodies.extra.insert(SYSTEM_TIME.into(), column);
}

/// Refuses what the output cannot be.
fn check_writing(args: &Args, format: Format) -> Result<()> {
    if let Some(units) = &args.writing.units {
        let expected = "ensembles keep the units of their file: convert --units changes those of a file".into();
        return Err(Error::Parameter { name: "units", value: units.name.clone(), expected });
    }
    if matches!(format, Format::Text | Format::Tipsy) {
        let expected = format!("{format} has no column for the systems: must be hdf5, nemo or csv");
        return Err(Error::Parameter { name: "out", value: args.out.display().to_string(), expected });
    }
    Ok(())
}

/// Whether two names lead to the same file, of which one may not be there yet.
fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        path.canonicalize().or_else(|_| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            folder.canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default()))
        })
    };
    a == b || matches!((whole(a), whole(b)), (Ok(a), Ok(b)) if a == b)
}

fn check_table(args: &Args, table: &Path) -> Result<()> {
    let wrong = |expected: &str| {
        Err(Error::Parameter { name: "table", value: table.display().to_string(), expected: expected.into() })
    };
    if !table.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
        return wrong("must be a name that ends in .csv");
    }
    if is_same(table, &args.out) || is_same(table, &args.input) {
        return wrong("is a file of the bodies, too");
    }
    check_replaced("table", table, args.writing.may_replace())
}

/// The number of the system of each body.
fn names(args: &Args, start: &Snapshot) -> Result<Vec<u64>> {
    let bodies = &start.bodies;
    let of = |field: &str, problem: String| Error::Field { path: args.input.clone(), field: field.into(), problem };
    let wrong = |problem: String| of(SYSTEM, problem);
    if bodies.is_empty() {
        return Err(wrong("there are no bodies".into()));
    }
    let times = bodies.extra.get(SYSTEM_TIME).map_or(&[][..], Vec::as_slice);
    if let Some(k) = times.iter().position(|time| *time != start.time) {
        let (id, time) = (bodies.id[k], times[k]);
        let problem = format!(
            "the system of body {k} (id {id}) has ended at t = {time}, before the time of the file, {}: systems begin at one time; remove its \
             bodies to go on with those that have not ended",
            start.time
        );
        return Err(of(SYSTEM_TIME, problem));
    }
    let column = bodies
        .extra
        .get(SYSTEM)
        .ok_or_else(|| wrong("there is no such column: bodies with the same number there are one system".into()))?;
    let digits = if args.writing.is_f32() { 24 } else { 53 };
    let most = 2f64.powi(digits);
    let name = |(k, value): (usize, &f64)| match *value {
        value if value >= 0.0 && value < most && value.fract() == 0.0 => Ok(value as u64),
        value => {
            let expected = format!("must be a whole number from 0 on, below 2^{digits} as the output has it");
            Err(wrong(format!("body {k} (id {}) has {value}: {expected}", bodies.id[k])))
        }
    };
    column.iter().enumerate().map(name).collect()
}

fn duration(args: &Args, start: &Snapshot) -> Result<f64> {
    let needed = || Error::Parameter {
        name: "t-end",
        value: "nothing".into(),
        expected: "must be given: the time at which the systems end".into(),
    };
    let end = args.given.settings.t_end.as_ref().ok_or_else(needed)?;
    let time = end.value("t-end", Dimension::TIME, &start.units)?;
    if !(time.is_finite() && time >= start.time) {
        let expected = format!("must be finite, and not before the time of the file, {}", start.time);
        return Err(Error::Parameter { name: "t-end", value: time.to_string(), expected });
    }
    Ok(time - start.time)
}

/// A length of the settings, which is not below 0.
fn length(given: Option<&manybody::settings::Quantity>, name: &'static str, start: &Snapshot) -> Result<Option<f64>> {
    let Some(given) = given else { return Ok(None) };
    let length = given.value(name, Dimension::LENGTH, &start.units)?;
    if !(length.is_finite() && length >= 0.0) {
        let expected = "must be a finite number, not below 0".into();
        return Err(Error::Parameter { name, value: length.to_string(), expected });
    }
    Ok(Some(length))
}

/// The systems. Softenings and radii that are given become those of the bodies, so that the output has them.
fn ensemble(args: &Args, start: &mut Snapshot, names: &[u64]) -> Result<Ensemble> {
    let settings = &args.given.settings;
    if let Some(eps) = length(settings.eps.as_ref(), "eps", start)? {
        start.bodies.eps = (eps > 0.0).then(|| vec![eps; names.len()]);
    }
    let gravity = Gravity::new(start.units.g, 0.0);
    let mut ensemble = Ensemble::new(&start.bodies, names, &gravity)?;
    if let Some(level) = settings.simd {
        ensemble.set_level(level)?;
    }
    let radius = length(settings.radius.as_ref(), "radius", start)?;
    if let Some(radius) = radius.filter(|_| args.stop_at_contact) {
        start.bodies.extra.insert("radius".into(), vec![radius; names.len()]);
    }
    match (args.stop_at_contact, radius, start.bodies.extra.get("radius")) {
        (false, None, _) => {}
        (false, Some(radius), _) => {
            let expected = "belongs to --stop-at-contact: without it bodies are points".into();
            return Err(Error::Parameter { name: "radius", value: radius.to_string(), expected });
        }
        (true, Some(radius), _) => ensemble.set_radii(&vec![radius; names.len()]),
        (true, None, Some(own)) => {
            if let Some(k) = own.iter().position(|radius| !(*radius >= 0.0 && radius.is_finite())) {
                let problem = format!("body {k} has {}: must be a finite number, not below 0", own[k]);
                return Err(Error::Field { path: args.input.clone(), field: "radius".into(), problem });
            }
            ensemble.set_radii(own);
        }
        (true, None, None) => {
            let problem = "there is no such column, which --stop-at-contact needs; or --radius, one for all".into();
            return Err(Error::Field { path: args.input.clone(), field: "radius".into(), problem });
        }
    }
    Ok(ensemble)
}

/// Where to advance them.
fn device(args: &Args, ensemble: &Ensemble) -> Result<Device> {
    let choice = args.given.settings.device.unwrap_or(DeviceChoice::Auto);
    crate::device::check(choice)?;
    let is_for_gpus = ensemble.len() >= MANY
        && !args.stop_at_contact
        && (0..ensemble.len()).all(|at| ensemble.bodies_of(at).len() <= MAX_BODIES_ON_CUDA);
    Ok(match choice {
        DeviceChoice::Device(device) => device,
        DeviceChoice::Auto if is_for_gpus => {
            match manybody::driver::device::choose(choice, manybody::solver::Precision::F64, usize::MAX) {
                Device::Cuda => Device::Cuda,
                _ => Device::Cpu,
            }
        }
        DeviceChoice::Auto => Device::Cpu,
    })
}

fn advance(ensemble: &mut Ensemble, duration: f64, interrupt: &Interrupt) -> Result<()> {
    let asked = interrupt.asked();
    // what is written appears at once, at the end: there is nothing to keep
    let (watch, systems) = (interrupt.watch(), ensemble.len() as f64);
    let _progress = ProgressLine::begin("ensemble", watch);
    ensemble.advance_watched(duration, &|done| {
        watch.note(done as f64 / systems);
        asked.load(Ordering::Relaxed)
    })
}

/// Of each system T - U, and the largest of |T - U|, T and U.
fn energies(ensemble: &Ensemble) -> Vec<[f64; 2]> {
    ensemble
        .energies()
        .into_iter()
        .map(|[kinetic, potential]| {
            let energy = kinetic - potential;
            [energy, energy.abs().max(kinetic).max(potential)]
        })
        .collect()
}

/// What became of all systems.
struct Measured {
    contacts: usize,
    collisions: usize,
    /// The largest change of an energy over the largest part of it, and its system.
    worst: (f64, u64),
}

impl Measured {
    fn of(ensemble: &Ensemble, before: &[[f64; 2]], after: &[[f64; 2]]) -> Self {
        let mut measured = Measured { contacts: 0, collisions: 0, worst: (0.0, ensemble.names()[0]) };
        for ((outcome, name), (before, after)) in
            ensemble.outcomes().iter().zip(ensemble.names()).zip(before.iter().zip(after))
        {
            match outcome {
                Outcome::Contact { .. } => measured.contacts += 1,
                Outcome::Collision { .. } => measured.collisions += 1,
                _ => {}
            }
            let error = (after[0] - before[0]).abs() / before[1].max(after[1]).max(f64::MIN_POSITIVE);
            if error > measured.worst.0 || error.is_nan() {
                measured.worst = (error, *name);
            }
        }
        measured
    }
}

/// A line for each system.
fn table_of(ensemble: &Ensemble, bodies: &Bodies, begin: f64, [before, after]: [&[[f64; 2]]; 2]) -> String {
    let mut text = String::from("system,bodies,outcome,time,id1,id2,energy_before,energy_after\n");
    let times = ensemble.times();
    for (at, (outcome, name)) in ensemble.outcomes().iter().zip(ensemble.names()).enumerate() {
        let (word, time, pair) = match *outcome {
            Outcome::Contact { pair, time } => ("contact", time, Some(pair)),
            Outcome::Collision { pair, time, .. } => ("collision", time, Some(pair)),
            _ => ("advanced", times[at], None),
        };
        let ids = pair.map(|pair| pair.map(|k| bodies.id[k]));
        let ids = ids.map_or(",".into(), |[a, b]| format!("{},{}", a.min(b), a.max(b)));
        let (count, [before, after]) = (ensemble.bodies_of(at).len(), [before[at][0], after[at][0]]);
        // writing to a text cannot fail
        let _ = writeln!(text, "{name},{count},{word},{},{ids},{before},{after}", begin + time);
    }
    text
}

fn finish(
    args: &Args,
    end: &Snapshot,
    format: Format,
    notes: Vec<String>,
    ensemble: &Ensemble,
    (device, seconds): (Device, f64),
    measured: &Measured,
) -> anyhow::Result<ExitCode> {
    let mut notes: Vec<String> = notes.into_iter().map(|note| format!("{}: {note}", args.input.display())).collect();
    args.writing.write(&args.out, end, format, None, &mut notes)?;
    let Measured { contacts, collisions, worst: (worst, name) } = *measured;
    let (place, simd) = match device {
        Device::Cpu => (format!("{} ({})", in_words(device), ensemble.level()), Some(ensemble.level().name())),
        _ => (in_words(device).to_string(), None),
    };
    let (systems, evaluations) = (ensemble.len(), ensemble.evaluations());
    say(format_args!(
        "{}: {} in {systems} systems to t = {}, {} evaluations in {seconds:.3} s on {place}; {contacts} ended by a contact, {collisions} by a \
         collision; energy error at most {worst:.1e} (system {name})",
        args.out.display(),
        console::bodies(end.bodies.len()),
        show::label(end.time, &end.units),
        number(evaluations as f64),
    ));
    if args.writing.json {
        json(&serde_json::json!({
            "output": args.out, "n": end.bodies.len(), "systems": systems, "time": end.time, "device": device.name(), "simd": simd,
            "evaluations": evaluations, "seconds": seconds, "contacts": contacts, "collisions": collisions,
            "energy_error": worst, "energy_error_system": name, "notes": notes,
        }));
    }
    if worst.is_nan() || worst > EXPLAINED {
        anyhow::bail!(
            "system {name}: its energy has changed by {worst:.1e} of its largest part, more than the {EXPLAINED:.0e} that rounding explains"
        );
    }
    Ok(ExitCode::SUCCESS)
}
