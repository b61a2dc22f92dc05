//! `manybody run`: bodies, a law, a clock; snapshots on the way and at the end.
//!
//! [`options`] are what the command line can say, [`scene`] what a TOML file can; [`plan`] makes a run of both,
//! [`accuracy`] finds the cheapest way to one that was asked for, [`start`] finds the bodies, [`outputs`] knows its files,
//! [`aside`] moves those of an earlier run, [`series`] checks its snapshots, [`lock`] keeps other runs from them, [`progress`] and [`report`] talk.

mod accuracy;
mod aside;
mod lock;
mod options;
mod outputs;
mod plan;
mod progress;
mod report;
mod scene;
mod series;
mod start;
mod writing;

pub(crate) use options::Args;
pub(crate) use report::{diagnostics as diagnostics_json, force_errors, force_errors_json};

use crate::console::{self, complain, json, quoted, say};
use crate::device;
use crate::interrupt::Interrupt;
use crate::quantity;
use crate::telling::Telling;
use manybody::diagnostics::Diagnostics;
use manybody::snapshot::{Snapshot, atomic, checksum};
use manybody::solver::Device;
use outputs::Outputs;
use plan::{Means, Plan, Todo};
use progress::Progress;
use scene::Scene;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use writing::Writing;

/// Pairs that any machine computes within a second or two.
const SOON: f64 = 4e9;
/// The exit status of a run that was asked to stop.
const INTERRUPTED: u8 = 130;

/// Runs.
///
/// # Errors
/// Everything that keeps a run from its end, but an interruption.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    if args.quiet {
        console::be_quiet();
    }
    args.threads.start()?;
    let scene_file = args.scene_file();
    let described = scene_file.as_deref().map(Scene::read).transpose()?.unwrap_or_default();
    let said = args.scene()?;
    let repeats = scene_file.clone().filter(|_| said == Scene::default());
    let mut scene = described.overlaid(said);
    if let (None, Some(file)) = (&scene.out, &scene_file) {
        scene.out = Some(file.with_extension("hdf5"));
    }
    // before the bodies go to a device
    let asked = scene.device.as_deref().and_then(|name| name.parse().ok());
    let ordinals = args.gpus.ordinals(asked.unwrap_or(Device::Cuda))?;
    let means = Means { to_json: args.json, ordinals: &ordinals, watch: interrupt.watch() };
    let telling = Telling::begin("computing the first forces", interrupt.watch());
    let mut todo = match scene.resume.clone() {
        Some(path) => plan::resumed(scene, &path, means)?,
        None => Todo::Run(Box::new(plan::fresh(scene, means)?)),
    };
    if let Todo::Run(plan) = &mut todo
        && plan.run.parameters().audit > 0.0
    {
        // the audit of the start needs them: here a signal ends the program at once, and there is a word about it
        plan.run.accelerate()?;
    }
    drop(telling);
    match todo {
        Todo::Run(mut plan) => {
            // where the device was chosen only now, it may be one that does not share; one that does has been told
            let chosen = plan.run.parameters().device;
            if chosen != Device::Cuda {
                args.gpus.ordinals(chosen)?;
            }
            // a description that says other things than this run does is the user's, and stays as it is
            plan.inputs.extend(scene_file.filter(|_| repeats.is_none()));
            carry_out(*plan, repeats.as_deref(), &args, &interrupt)
        }
        Todo::Finished(path) => {
            // killed between its last file and its end, it has left its lock
            if let Ok(outputs) = Outputs::new(&path)
                && let Ok(_lock) = outputs.lock()
            {
                outputs.sweep()?;
                // and perhaps what an interruption had kept
                if atomic::is_there(&outputs.scene())?
                    && let Ok(scene) = Scene::read(&outputs.scene())
                    && outputs.is_described_by(&scene)
                {
                    remove_interrupted(&outputs, &scene, None)?;
                }
            }
            if args.json {
                json(&report::finished_before(&path));
            }
            say(format_args!("{}: this run is finished; --t-end and --out would extend it", path.display()));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Begins, goes through the steps, ends. `repeats` is the TOML file that says all of this already.
fn carry_out(mut plan: Plan, repeats: Option<&Path>, args: &Args, interrupt: &Interrupt) -> anyhow::Result<ExitCode> {
    let to_json = args.json;
    let _lock = plan.outputs.lock()?;
    interrupt.begin();
    if let Err(error) = audit(&mut plan) {
        if to_json {
            json(&report::stopped(&error.to_string(), plan.run.clock().step(), plan.run.time(), None));
        }
        return Err(error.into());
    }
    prepare_files(&mut plan, repeats, args.overwrite)?;
    say(report::heading(&plan.run, &plan.description));
    if to_json {
        json(&report::start(&plan.run, &plan.description, &plan.outputs.last_snapshot()));
    }
    let mut progress = Progress::new(&plan.run, to_json);
    let outcome = go(&mut plan, &mut progress, to_json, interrupt);
    // where the steps have failed, there may still be a file on its way, which is then the newest
    let late = plan.writing.as_ref().map(|writing| writing.file().to_path_buf());
    let settled = settle(&mut plan, &progress, to_json);
    progress.clear();
    if let (Err(error), Some(file)) = (settled, late) {
        complain(format_args!("{} could not be written: {error}", file.display()));
    }
    match outcome {
        Ok(Ended::Interrupted(file)) => Ok(tell_interrupted(&plan, &progress, &file, to_json)),
        Ok(Ended::Finished(last, file)) => tell_finished(&plan, &last, &file, &progress, to_json),
        Err(error) => {
            let (text, step, time) = (error.to_string(), plan.run.clock().step(), plan.run.time());
            let stopped = stopped(error, &mut plan);
            if to_json {
                json(&report::stopped(&text, step, time, plan.outputs.newest()));
            }
            Err(stopped)
        }
    }
}

/// Makes room for the output, and writes the description of the run.
fn prepare_files(plan: &mut Plan, repeats: Option<&Path>, overwrite: bool) -> anyhow::Result<()> {
    let outputs = &plan.outputs;
    outputs.sweep()?;
    if plan.in_place {
        outputs.set_aside_last()?;
    } else {
        outputs.set_aside(repeats, &plan.inputs, overwrite)?;
    }
    let file = outputs.scene();
    if !atomic::is_there(&file)? {
        let comment = concat!(
            "# Described by manybody ",
            env!("CARGO_PKG_VERSION"),
            ". To repeat it, byte for byte:  manybody run FILE  with the name of this file.\n"
        );
        let text = plan.scene.to_toml(outputs.folder(), comment)?;
        // by it a run knows whether somebody has edited the file since
        atomic::write_bytes(&file, checksum::with_line(&text).as_bytes())?;
    }
    if plan.run.parameters().snapshot_every.is_some() && !outputs.can_be_resumed() {
        say(format_args!(
            "note: {} keeps less than the whole state, so none of these snapshots can be resumed; .hdf5 can \
             (Ctrl-C keeps one)",
            outputs.last_snapshot().display()
        ));
    }
    // the file that the run goes on from is its newest snapshot until it writes one
    if let Some(input) = plan.scene.resume.clone() {
        plan.outputs.note(input);
    }
    Ok(())
}

/// How a run ended: where it was kept, and with what it measured last.
enum Ended {
    Interrupted(PathBuf),
    Finished(Box<Diagnostics>, PathBuf),
}

/// Steps to the end and writes the last snapshot; or, asked to stop, keeps where it is.
fn go(plan: &mut Plan, progress: &mut Progress, to_json: bool, interrupt: &Interrupt) -> manybody::Result<Ended> {
    if plan.begins && plan.run.parameters().snapshot_every.is_some() && !plan.run.is_finished() {
        let first = plan.outputs.numbered(0);
        keep_on_the_way(plan, first)?;
    }
    while !plan.run.is_finished() {
        if interrupt.requested() {
            settle(plan, progress, to_json)?;
            return interrupted(plan, false).map(Ended::Interrupted);
        }
        match progress.advance(&mut plan.run) {
            Err(manybody::Error::Interrupted) => {
                settle(plan, progress, to_json)?;
                return interrupted(plan, true).map(Ended::Interrupted);
            }
            other => other?,
        }
        if let Some(number) = plan.run.snapshot_due() {
            let file = plan.outputs.numbered(number);
            // forces first: a state that wrong ones have led to is none to go back to
            audit_for_snapshot(plan)?;
            progress.check_for_snapshot(&mut plan.run)?;
            settle(plan, progress, to_json)?;
            if let Some(warning) = report::warning(&plan.run) {
                // once on the way, where it began
                if plan.warnings.is_empty() {
                    progress.complain(format_args!("warning: {warning}"));
                    plan.warnings.push(warning);
                }
            }
            keep_on_the_way(plan, file)?;
            progress.note_errors(&plan.run);
        } else if plan.writing.as_ref().is_some_and(Writing::is_over) {
            settle(plan, progress, to_json)?;
        }
    }
    settle(plan, progress, to_json)?;
    audit(plan)?;
    let last = plan.run.check_and_measure()?;
    plan.warnings.extend(report::warning(&plan.run));
    let met = report::accuracy_met(&plan.run).is_none_or(|(_, met)| met);
    let file = if met { plan.outputs.last_snapshot() } else { plan.outputs.missed() };
    keep(plan, file.clone())?;
    if plan.in_place && met {
        remove_interrupted(&plan.outputs, &plan.scene, None)?;
    }
    if to_json {
        json(&report::snapshot(&plan.run, &file));
    }
    Ok(Ended::Finished(Box::new(last), file))
}

/// Audits the present state, and notes what it took beside the run itself.
fn audit(plan: &mut Plan) -> manybody::Result<()> {
    if plan.run.parameters().audit > 0.0 {
        plan.run.accelerate()?;
    }
    let before = Instant::now();
    plan.run.audit()?;
    plan.auditing += before.elapsed();
    Ok(())
}

/// Audits the state of a snapshot on the way, where these are so far apart that it costs little.
fn audit_for_snapshot(plan: &mut Plan) -> manybody::Result<()> {
    let parameters = plan.run.parameters();
    let steps = parameters.snapshot_every.unwrap_or(0.0) / parameters.dt;
    let evaluations = steps * plan.run.integrator().evaluations() as f64;
    if device::audit_is_cheap(parameters.device, parameters.precision, plan.run.count(), evaluations) {
        audit(plan)?;
    }
    Ok(())
}

/// Keeps the present state under the next number, which the run will use again when it gets there.
/// Within a step (`inside`), whose evaluation takes long, no further one is made.
fn interrupted(plan: &mut Plan, inside: bool) -> manybody::Result<PathBuf> {
    let already_kept = plan.kept_at == Some(plan.run.clock().step());
    if let (true, true, Some(file)) = (already_kept, plan.outputs.can_be_resumed(), plan.outputs.newest()) {
        return Ok(file.to_path_buf());
    }
    let file = between_snapshots(plan);
    if !inside {
        audit(plan)?;
    }
    // who asks a run to stop may not wait long for it; a limit has to be kept
    let pairs = (plan.run.count() as f64).powi(2);
    if plan.run.parameters().max_energy_error.is_some() || pairs <= SOON {
        plan.run.check_and_measure()?;
    }
    plan.warnings.extend(report::warning(&plan.run));
    keep(plan, file.clone())?;
    // one that an earlier interruption has kept under another number, in another format than the run's
    if let (true, false, Some(kept)) = (plan.in_place, plan.outputs.can_be_resumed(), &plan.scene.resume)
        && *kept != file
    {
        remove_interrupted(&plan.outputs, &plan.scene, Some(kept))?;
    }
    Ok(file)
}

/// The name for a state that no snapshot is due at.
fn between_snapshots(plan: &Plan) -> PathBuf {
    let number = plan.run.next_snapshot();
    // a format that rounds cannot hold a state to go on from
    match plan.outputs.can_be_resumed() {
        true => plan.outputs.numbered(number),
        false => plan.outputs.in_hdf5().numbered(number),
    }
}

/// Removes the snapshot that an interruption kept after the last one on the way, perhaps in another format than the run's.
fn remove_interrupted(outputs: &Outputs, scene: &Scene, file: Option<&Path>) -> manybody::Result<()> {
    let outputs = if outputs.can_be_resumed() { outputs.clone() } else { outputs.in_hdf5() };
    outputs.remove_interrupted(file, |standing, snapshot| start::is_of(scene, standing, &snapshot.units))
}

/// Begins to write a snapshot on the way; the run goes on meanwhile.
fn keep_on_the_way(plan: &mut Plan, file: PathBuf) -> manybody::Result<()> {
    let snapshot = plan.run.with_snapshot(|snapshot| Ok(snapshot.clone()))?;
    let event = report::snapshot(&plan.run, &file);
    let line = format!("t = {}: {}", quantity::moment(plan.run.time(), plan.run.units()), file.display());
    plan.writing = Some(Writing::begin(snapshot, file, plan.run.clock().step(), event, line)?);
    Ok(())
}

/// Waits for the snapshot that is being written, if there is one, and tells of it.
fn settle(plan: &mut Plan, progress: &Progress, to_json: bool) -> manybody::Result<()> {
    if let Some(writing) = plan.writing.take() {
        let time = writing.time();
        let written = writing.end(&mut plan.outputs).inspect_err(|_| plan.lost = Some(time))?;
        plan.kept_at = Some(written.step);
        written.tell(to_json, |line| progress.say(line));
    }
    Ok(())
}

fn keep(plan: &mut Plan, file: PathBuf) -> manybody::Result<()> {
    let outputs = &mut plan.outputs;
    plan.run.with_snapshot(|snapshot: &Snapshot| outputs.write(file, snapshot))?;
    plan.kept_at = Some(plan.run.clock().step());
    Ok(())
}

fn tell_interrupted(plan: &Plan, progress: &Progress, file: &Path, to_json: bool) -> ExitCode {
    let run = &plan.run;
    let error = run.errors().energy.map_or(String::new(), |error| format!(", energy error {error:+.1e}"));
    let why = match plan.outputs.can_be_resumed() {
        true => String::new(),
        false => format!("; kept as {}, since {} files round", file.display(), plan.outputs.format_title()),
    };
    say(format_args!(
        "interrupted at t = {}, step {} of {}{error}{why}\ngo on with:  {}",
        quantity::moment(run.time(), run.units()),
        run.clock().step(),
        run.clock().steps(),
        resume_command(plan, file)
    ));
    say_warnings(plan);
    if to_json {
        let (elapsed, rate) = (progress.elapsed(), progress.rate(run));
        let times = report::Times { elapsed, auditing: plan.auditing, rate };
        json(&report::end(run, "interrupted", None, times, file, &plan.warnings));
    }
    ExitCode::from(INTERRUPTED)
}

fn say_warnings(plan: &Plan) {
    plan.warnings.iter().for_each(|warning| complain(format_args!("warning: {warning}")));
}

fn tell_finished(
    plan: &Plan,
    last: &Diagnostics,
    file: &Path,
    progress: &Progress,
    to_json: bool,
) -> anyhow::Result<ExitCode> {
    let (elapsed, rate) = (progress.elapsed(), progress.rate(&plan.run));
    let times = report::Times { elapsed, auditing: plan.auditing, rate };
    say(report::table(plan.run.initial(), last, plan.run.units()));
    let forces = plan.run.errors().force;
    if let Some(forces) = &forces {
        say(report::force_errors(forces));
    }
    let accuracy = report::accuracy_met(&plan.run);
    if let (Some((rtol, true)), Some(found)) = (accuracy, forces) {
        say(format_args!("rtol {rtol:e}: met at the end, largest error {:.2e}", found.max));
    }
    say_warnings(plan);
    let missed = accuracy.filter(|(_, met)| !met).zip(forces);
    let repeat = match missed {
        None => format!("; repeat with:  manybody run {}", quoted(&plan.outputs.scene())),
        Some(_) => String::new(),
    };
    say(format_args!("{}; wrote {}{repeat}", report::speed(&times), file.display()));
    if to_json {
        let status = if missed.is_some() { "missed" } else { "finished" };
        json(&report::end(&plan.run, status, Some(last), times, file, &plan.warnings));
    }
    match missed {
        None => Ok(ExitCode::SUCCESS),
        Some(((rtol, _), found)) => Err(anyhow::anyhow!(
            "rtol {rtol:e}: MISSED at the end, largest error {:.2e}; the last state is kept as {}, not as {}: a larger \
             --rtol, or --precision f64, would keep it there",
            found.max,
            file.display(),
            plan.outputs.last_snapshot().display()
        )),
    }
}

/// A failure on the way: what it was, and what is left to go on from. Where the numbers went wrong after the newest
/// snapshot, the last state that was checked is kept now.
fn stopped(error: manybody::Error, plan: &mut Plan) -> anyhow::Error {
    use manybody::Error::{Audit, EnergyError, FixedPoint, NotFinite};
    let lost = plan.lost.map(|time| quantity::moment(time, plan.run.units()));
    let lost = lost.map_or(String::new(), |time| format!("the state of t = {time} was not kept; "));
    let time = |plan: &Plan| quantity::moment(plan.run.time(), plan.run.units());
    let at = format!("{lost}the run stopped after step {}, t = {}", plan.run.clock().step(), time(plan));
    let remedy = "a smaller --dt or a larger --eps may carry it on";
    let advice = if matches!(error, Audit { .. }) {
        match plan.outputs.newest() {
            Some(file) => format!("no later state was kept than {}", file.display()),
            None => "nothing was kept before".into(),
        }
    } else if matches!(error, NotFinite { .. } | FixedPoint { .. } | EnergyError { .. }) {
        match (keep_what_was_good(plan), plan.outputs.newest()) {
            (Ok(Some(file)), _) => {
                let (time, step, file) = (time(plan), plan.run.clock().step(), file.display());
                format!("the last state found good, t = {time} after step {step}, is kept as {file}; {remedy}")
            }
            (Ok(None), Some(file)) => format!("the last good snapshot is {}; {remedy}", file.display()),
            (Ok(None), None) => format!("nothing was kept before; {remedy}"),
            (Err(other), _) => format!("the state before could not be kept: {other}"),
        }
    } else {
        match plan.outputs.newest() {
            Some(file) => {
                let command = resume_command(plan, file);
                format!("the snapshots before are whole; once the cause is removed, go on with:  {command}")
            }
            None => "no snapshot had been kept; once the cause is removed, begin again".into(),
        }
    };
    anyhow::anyhow!("{error}\n{at}; {advice}")
}

/// Goes back to the last state that nothing was wrong with, and keeps it unless a snapshot as late is on disk.
fn keep_what_was_good(plan: &mut Plan) -> manybody::Result<Option<PathBuf>> {
    let step = plan.run.go_back()?;
    if plan.kept_at.is_some_and(|kept| kept >= step) {
        return Ok(None);
    }
    let file = between_snapshots(plan);
    // its errors go into the file; it was found good before
    let _ = plan.run.check_and_measure();
    keep(plan, file.clone())?;
    Ok(Some(file))
}

/// What to type to go on from `file`.
fn resume_command(plan: &Plan, file: &Path) -> String {
    let out = plan.outputs.last_snapshot();
    if Outputs::of_kept(file).is_ok_and(|own| plan.outputs.is_run_of(&own) && own.last_snapshot() != out) {
        return format!("manybody run --resume {}", quoted(&out));
    }
    let own = Outputs::of_kept(file).is_ok_and(|own| own.last_snapshot() == out);
    let out = if own { String::new() } else { format!(" --out {}", quoted(&out)) };
    format!("manybody run --resume {}{out}", quoted(file))
}
