//! `manybody run`: bodies, a law, a clock; snapshots on the way and at the end.
//!
//! [`options`] are what the command line can say, [`scene`] what a TOML file can; [`plan`] makes a run of both,
//! [`accuracy`] finds the cheapest way to one that was asked for, [`start`] finds the bodies, [`outputs`] knows its files, [`lock`] keeps other runs from them, [`progress`] and
//! [`report`] talk.

mod accuracy;
mod lock;
mod options;
mod outputs;
mod plan;
mod progress;
mod report;
mod scene;
mod start;
mod writing;

pub(crate) use options::Args;
pub(crate) use report::{force_errors, force_errors_json};

use crate::console::{json, quoted, say};
use crate::device;
use crate::interrupt::Interrupt;
use manybody::diagnostics::Diagnostics;
use manybody::snapshot::{Snapshot, atomic};
use outputs::Outputs;
use plan::{Plan, Todo};
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
    args.gpus.share(scene.device.as_deref().filter(|name| *name != "auto").unwrap_or("cuda"))?;
    let todo = match scene.resume.clone() {
        Some(path) => plan::resumed(scene, &path)?,
        None => Todo::Run(Box::new(plan::fresh(scene)?)),
    };
    match todo {
        Todo::Run(mut plan) => {
            // where the device was chosen only now, it may be one that does not share; one that does has been told
            let chosen = &plan.run.parameters().device;
            if chosen != "cuda" {
                args.gpus.share(chosen)?;
            }
            // a description that says other things than this run does is the user's, and stays as it is
            plan.inputs.extend(scene_file.filter(|_| repeats.is_none()));
            carry_out(*plan, repeats.as_deref(), args.json, &interrupt)
        }
        Todo::Finished(path) => {
            // killed between its last file and its end, it has left its lock
            if let Ok(outputs) = Outputs::new(&path)
                && let Ok(_lock) = outputs.lock()
            {
                let _ = outputs.sweep();
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
fn carry_out(mut plan: Plan, repeats: Option<&Path>, to_json: bool, interrupt: &Interrupt) -> anyhow::Result<ExitCode> {
    let _lock = plan.outputs.lock()?;
    audit(&mut plan)?;
    prepare_files(&mut plan, repeats)?;
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
        say(format_args!("{} could not be written: {error}", file.display()));
    }
    match outcome {
        Ok(Ended::Interrupted(file)) => Ok(tell_interrupted(&plan, &progress, &file, to_json)),
        Ok(Ended::Finished(last)) => tell_finished(&plan, &last, &progress, to_json),
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
fn prepare_files(plan: &mut Plan, repeats: Option<&Path>) -> anyhow::Result<()> {
    let outputs = &plan.outputs;
    outputs.sweep()?;
    if plan.in_place {
        outputs.set_aside_last()?;
    } else {
        outputs.set_aside(repeats, &plan.inputs)?;
    }
    let file = outputs.scene();
    if !file.exists() {
        let comment = concat!(
            "# A run of manybody ",
            env!("CARGO_PKG_VERSION"),
            ". To repeat it, byte for byte:  manybody run FILE  with the name of this file.\n"
        );
        let text = plan.scene.to_toml(outputs.folder(), comment)?;
        atomic::write_bytes(&file, text.as_bytes())?;
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

/// How a run ended: where it was kept, or with what it measured last.
enum Ended {
    Interrupted(PathBuf),
    Finished(Box<Diagnostics>),
}

/// Steps to the end and writes the last snapshot; or, asked to stop, keeps where it is.
fn go(plan: &mut Plan, progress: &mut Progress, to_json: bool, interrupt: &Interrupt) -> manybody::Result<Ended> {
    while !plan.run.is_finished() {
        if interrupt.requested() {
            settle(plan, progress, to_json)?;
            return interrupted(plan).map(Ended::Interrupted);
        }
        progress.advance(&mut plan.run)?;
        if let Some(number) = plan.run.snapshot_due() {
            let file = plan.outputs.numbered(number);
            progress.check_for_snapshot(&mut plan.run)?;
            audit_for_snapshot(plan)?;
            settle(plan, progress, to_json)?;
            keep_on_the_way(plan, file)?;
            progress.note_errors(&plan.run);
        } else if plan.writing.as_ref().is_some_and(Writing::is_over) {
            settle(plan, progress, to_json)?;
        }
    }
    settle(plan, progress, to_json)?;
    let last = plan.run.check_and_measure()?;
    audit(plan)?;
    let file = plan.outputs.last_snapshot();
    keep(plan, file.clone())?;
    if plan.in_place {
        // what an interruption has kept after the last snapshot on the way: a run never interrupted has no such file
        plan.outputs.remove_from(plan.run.next_snapshot())?;
        remove_kept_for_it(plan);
    }
    if to_json {
        json(&report::snapshot(&plan.run, &file));
    }
    Ok(Ended::Finished(Box::new(last)))
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
    if device::audit_is_cheap(&parameters.device, parameters.precision, plan.run.count(), evaluations) {
        audit(plan)?;
    }
    Ok(())
}

/// Keeps the present state under the next number, which the run will use again when it gets there.
fn interrupted(plan: &mut Plan) -> manybody::Result<PathBuf> {
    let already_kept = plan.kept_at == Some(plan.run.clock().step());
    if let (true, true, Some(file)) = (already_kept, plan.outputs.can_be_resumed(), plan.outputs.newest()) {
        return Ok(file.to_path_buf());
    }
    let file = between_snapshots(plan);
    // who asks a run to stop may not wait long for it; a limit has to be kept
    let pairs = (plan.run.count() as f64).powi(2);
    if plan.run.parameters().max_energy_error.is_some() || pairs <= SOON {
        plan.run.check_and_measure()?;
    }
    audit(plan)?;
    keep(plan, file.clone())?;
    if plan.scene.resume.as_ref() != Some(&file) {
        remove_kept_for_it(plan);
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

/// Removes the snapshot that an interruption kept in another format than the run's, once the run no longer needs it.
fn remove_kept_for_it(plan: &Plan) {
    if let (true, false, Some(kept)) = (plan.in_place, plan.outputs.can_be_resumed(), &plan.scene.resume) {
        let _ = std::fs::remove_file(kept); // a file that cannot be removed stays
    }
}

/// Begins to write a snapshot on the way; the run goes on meanwhile.
fn keep_on_the_way(plan: &mut Plan, file: PathBuf) -> manybody::Result<()> {
    let snapshot = plan.run.with_snapshot(|snapshot| Ok(snapshot.clone()))?;
    let event = report::snapshot(&plan.run, &file);
    let line = format!("t = {:.4}: {}", plan.run.time(), file.display());
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
        "interrupted at t = {:.4}, step {} of {}{error}{why}\ngo on with:  {}",
        run.time(),
        run.clock().step(),
        run.clock().steps(),
        resume_command(plan, file)
    ));
    if to_json {
        let (elapsed, rate) = (progress.elapsed(), progress.rate(run));
        json(&report::end(run, "interrupted", None, report::Times { elapsed, auditing: plan.auditing, rate }, file));
    }
    ExitCode::from(INTERRUPTED)
}

fn tell_finished(plan: &Plan, last: &Diagnostics, progress: &Progress, to_json: bool) -> anyhow::Result<ExitCode> {
    let (elapsed, rate) = (progress.elapsed(), progress.rate(&plan.run));
    let times = report::Times { elapsed, auditing: plan.auditing, rate };
    let file = plan.outputs.last_snapshot();
    say(report::table(plan.run.initial(), last));
    let forces = plan.run.errors().force;
    if let Some(forces) = &forces {
        say(report::force_errors(forces));
    }
    if let (Some((rtol, met)), Some(found)) = (report::accuracy_met(&plan.run), forces) {
        let met = if met { "met" } else { "MISSED" };
        say(format_args!("rtol {rtol:e}: {met} at the end, largest error {:.2e}", found.max));
    }
    say(format_args!(
        "{}; wrote {}; repeat with:  manybody run {}",
        report::speed(&times),
        file.display(),
        quoted(&plan.outputs.scene())
    ));
    if to_json {
        json(&report::end(&plan.run, "finished", Some(last), times, &file));
    }
    Ok(ExitCode::SUCCESS)
}

/// A failure on the way: what it was, and what is left to go on from. Where the numbers went wrong after the newest
/// snapshot, the last state that was checked is kept now.
fn stopped(error: manybody::Error, plan: &mut Plan) -> anyhow::Error {
    use manybody::Error::{EnergyError, FixedPoint, NotFinite};
    let lost = plan.lost.map_or(String::new(), |time| format!("the state of t = {time:.4} was not kept; "));
    let at = format!("{lost}the run stopped after step {}, t = {:.4}", plan.run.clock().step(), plan.run.time());
    let remedy = "a smaller --dt or a larger --eps may carry it on";
    let advice = if matches!(error, NotFinite { .. } | FixedPoint { .. } | EnergyError { .. }) {
        match (keep_what_was_good(plan), plan.outputs.newest()) {
            (Ok(Some(file)), _) => {
                let (time, step, file) = (plan.run.time(), plan.run.clock().step(), file.display());
                format!("the last state found good, t = {time:.4} after step {step}, is kept as {file}; {remedy}")
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
