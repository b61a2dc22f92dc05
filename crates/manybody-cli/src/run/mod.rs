//! `manybody run`: bodies, a law, a clock; snapshots on the way and at the end.
//!
//! [`options`] are what the command line can say, [`scene`] what a TOML file can; [`plan`] makes a run of both,
//! [`start`] finds its bodies, [`outputs`] knows its files, [`lock`] keeps other runs from them, [`progress`] and
//! [`report`] talk.

mod lock;
mod options;
mod outputs;
mod plan;
mod progress;
mod report;
mod scene;
mod start;

pub(crate) use options::Args;

use crate::console::{json, quoted, say};
use crate::interrupt::Interrupt;
use manybody::snapshot::{Snapshot, atomic};
use outputs::Outputs;
use plan::{Plan, Todo};
use progress::Progress;
use scene::Scene;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit status of a run that was asked to stop.
const INTERRUPTED: u8 = 130;

/// Runs.
///
/// # Errors
/// Everything that keeps a run from its end, but an interruption.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let scene_file = args.scene_file();
    let described = scene_file.as_deref().map(Scene::read).transpose()?.unwrap_or_default();
    let said = args.scene()?;
    let repeats = scene_file.clone().filter(|_| said == Scene::default());
    let mut scene = described.overlaid(said);
    if let (None, Some(file)) = (&scene.out, &scene_file) {
        scene.out = Some(file.with_extension("hdf5"));
    }
    let todo = match scene.resume.clone() {
        Some(path) => plan::resumed(scene, &path)?,
        None => Todo::Run(Box::new(plan::fresh(scene)?)),
    };
    match todo {
        Todo::Run(mut plan) => {
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
    prepare_files(&mut plan, repeats)?;
    say(report::heading(&plan.run, &plan.description));
    if to_json {
        json(&report::start(&plan.run, &plan.description, &plan.outputs.last_snapshot()));
    }
    let mut progress = Progress::new(&plan.run, to_json);
    let outcome = go(&mut plan, &mut progress, to_json, interrupt);
    progress.clear();
    match outcome {
        Ok(Some(file)) => Ok(tell_interrupted(&plan, &progress, &file, to_json)),
        Ok(None) => tell_finished(&mut plan, &progress, to_json),
        Err(error) => Err(stopped(error, &plan)),
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

/// Steps to the end and writes the last snapshot; or, asked to stop, keeps where it is and returns that file.
fn go(
    plan: &mut Plan,
    progress: &mut Progress,
    to_json: bool,
    interrupt: &Interrupt,
) -> manybody::Result<Option<PathBuf>> {
    let mut kept_at = None;
    while !plan.run.is_finished() {
        if interrupt.requested() {
            return interrupted(plan, kept_at.as_ref() == Some(&plan.run.clock().step())).map(Some);
        }
        progress.advance(&mut plan.run)?;
        if let Some(number) = plan.run.snapshot_due() {
            let file = plan.outputs.numbered(number);
            keep(plan, file.clone())?;
            kept_at = Some(plan.run.clock().step());
            if to_json {
                json(&report::snapshot(&plan.run, &file));
            } else {
                progress.say(format_args!("t = {:.4}: {}", plan.run.time(), file.display()));
            }
        }
    }
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
    Ok(None)
}

/// Keeps the present state under the next number, which the run will use again when it gets there.
fn interrupted(plan: &mut Plan, already_kept: bool) -> manybody::Result<PathBuf> {
    if let (true, true, Some(file)) = (already_kept, plan.outputs.can_be_resumed(), plan.outputs.newest()) {
        return Ok(file.to_path_buf());
    }
    let number = plan.run.next_snapshot();
    // a format that rounds cannot hold a state to go on from
    let file = if plan.outputs.can_be_resumed() {
        plan.outputs.numbered(number)
    } else {
        plan.outputs.in_hdf5().numbered(number)
    };
    keep(plan, file.clone())?;
    if plan.scene.resume.as_ref() != Some(&file) {
        remove_kept_for_it(plan);
    }
    Ok(file)
}

/// Removes the snapshot that an interruption kept in another format than the run's, once the run no longer needs it.
fn remove_kept_for_it(plan: &Plan) {
    if let (true, false, Some(kept)) = (plan.in_place, plan.outputs.can_be_resumed(), &plan.scene.resume) {
        let _ = std::fs::remove_file(kept); // a file that cannot be removed stays
    }
}

fn keep(plan: &mut Plan, file: PathBuf) -> manybody::Result<()> {
    let outputs = &mut plan.outputs;
    plan.run.with_snapshot(|snapshot: &Snapshot| outputs.write(file, snapshot))
}

fn tell_interrupted(plan: &Plan, progress: &Progress, file: &Path, to_json: bool) -> ExitCode {
    let run = &plan.run;
    let error = progress.energy_error().map_or(String::new(), |error| format!(", energy error {error:+.1e}"));
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
        json(&report::end(run, "interrupted", None, elapsed, rate, file));
    }
    ExitCode::from(INTERRUPTED)
}

fn tell_finished(plan: &mut Plan, progress: &Progress, to_json: bool) -> anyhow::Result<ExitCode> {
    let (elapsed, rate) = (progress.elapsed(), progress.rate(&plan.run));
    let file = plan.outputs.last_snapshot();
    let last = plan.run.measure()?;
    say(report::table(plan.run.initial(), &last));
    say(format_args!(
        "{}; wrote {}; repeat with:  manybody run {}",
        report::speed(elapsed, rate),
        file.display(),
        quoted(&plan.outputs.scene())
    ));
    if to_json {
        json(&report::end(&plan.run, "finished", Some(&last), elapsed, rate, &file));
    }
    Ok(ExitCode::SUCCESS)
}

/// A failure on the way: what it was, and what is left to go on from.
fn stopped(error: manybody::Error, plan: &Plan) -> anyhow::Error {
    let at = format!("the run stopped after step {}, t = {:.4}", plan.run.clock().step(), plan.run.time());
    let advice = match (&error, plan.outputs.newest()) {
        (manybody::Error::NotFinite { .. }, Some(file)) => {
            format!("the last good snapshot is {}; a smaller --dt or a larger --eps may carry it on", file.display())
        }
        (manybody::Error::NotFinite { .. }, None) => {
            "no snapshot was kept before; a smaller --dt or a larger --eps may carry it through".into()
        }
        (_, Some(file)) => {
            let command = resume_command(plan, file);
            format!("the snapshots before are whole; once the cause is removed, go on with:  {command}")
        }
        (_, None) => "no snapshot had been kept; once the cause is removed, begin again".into(),
    };
    anyhow::anyhow!("{error}\n{at}; {advice}")
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
