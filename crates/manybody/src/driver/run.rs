//! The steps of a run, its snapshots and checks, and its end, also an early one.

use super::events;
use super::lines::Lines;
use super::log::{self, Log, Measured};
use super::observer::{Audience, Event, PAUSE, Request};
use super::outputs::Outputs;
use super::pace::Pace;
use super::plan::Plan;
use super::words::quoted;
use super::writing::{Writing, Written};
use super::{End, Failure, Outcome, Run, Stopped, accuracy_met, device, start, warning};
use crate::audit::ForceErrors;
use crate::diagnostics::Diagnostics;
use crate::explain::Seen;
use crate::integrator::Pairs;
use crate::log::{Row, Table};
use crate::ranks;
use crate::rates::INTERRUPTED_PAIRS;
use crate::settings::Settings;
use crate::simulation::Parameters;
use crate::snapshot::{Snapshot, atomic, checksum};
use crate::units::show;
use crate::watch::Watch;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What must be said of each run with `--pairs chain`.
const EXPERIMENTAL: &str = "--pairs chain is experimental: it has errors that the energy does not show (docs/dynamics.md); \
                            compare its results with a run without it";

/// Begins, goes through the steps, ends.
pub(super) fn carry_out(run: Run, audience: &mut Audience<'_>) -> Result<Outcome, Failure> {
    let Run { mut plan, repeats, overwrite, watch } = run;
    let _lock = plan.outputs.lock(audience)?;
    let audited = errors_of_audit(&mut plan).map_err(|error| at_start(error, &plan))?;
    let first_line = prepare_files(&mut plan, repeats.as_deref(), overwrite, audience)?;
    audience.notify(&Event::Started {
        run: &plan.run,
        description: &plan.description,
        out: &plan.outputs.last_snapshot(),
    });
    notify_of_audit(&plan, audited, audience);
    plan.run.remarks().iter().for_each(|remark| audience.note(remark));
    first_line.iter().for_each(|row| audience.notify(&Event::Logged(row)));
    if plan.run.parameters().pairs == Some(Pairs::Chain) {
        audience.warn(EXPERIMENTAL);
        plan.warnings.push(EXPERIMENTAL.into());
    }
    for warning in plan.run.warnings().map_err(|error| at_start(error, &plan))? {
        audience.warn(&warning);
        plan.warnings.push(warning);
    }
    let mut pace = Pace::new(&plan.run);
    let outcome = go(&mut plan, &mut pace, &watch, audience);
    // where the steps have failed, there may still be a file on its way, which is then the newest
    let late = plan.writing.as_ref().map(|writing| writing.file().to_path_buf());
    let settled = settle(&mut plan, audience);
    let last = outcome.as_ref().ok().and_then(|ended| ended.last.as_ref());
    audience.notify(&Event::Ended { run: &plan.run, last });
    if let (Err(error), Some(file)) = (settled, late) {
        audience.warn(format_args!("{} could not be written: {error}", file.display()));
    }
    match outcome {
        Ok(ended) => Ok(outcome_of(plan, ended, &pace)),
        Err(error) => Err(stopped(error, &mut plan)),
    }
}

/// The failure of a run whose first forces are wrong.
fn at_start(error: Error, plan: &Plan) -> Failure {
    let (step, time) = (plan.run.clock().step(), plan.run.time());
    Failure { error, stopped: Some(Box::new(Stopped { step, time, newest: None, advice: String::new() })) }
}

/// Makes room for the output, writes the description of the run, and begins its table, of which it returns the first
/// line.
fn prepare_files(
    plan: &mut Plan,
    repeats: Option<&Path>,
    overwrite: bool,
    audience: &mut Audience<'_>,
) -> Result<Option<Row>> {
    log::check(plan)?;
    events::check(plan)?;
    let outputs = &plan.outputs;
    outputs.sweep()?;
    if plan.in_place {
        outputs.set_aside_last(audience)?;
    } else {
        outputs.set_aside(repeats, &plan.inputs, overwrite, audience)?;
    }
    let file = outputs.scene();
    if !atomic::is_there(&file)? {
        let comment = concat!(
            "# Described by manybody ",
            env!("CARGO_PKG_VERSION"),
            ". To repeat it, byte for byte:  manybody run FILE  with the name of this file.\n"
        );
        let text = plan.settings.to_toml(outputs.folder(), comment)?;
        // by it a run knows whether the file was edited since
        atomic::write_bytes(&file, checksum::with_line(&text).as_bytes())?;
    }
    if plan.run.parameters().snapshot_every.is_some() && !outputs.can_be_resumed() {
        audience.note(format_args!(
            "note: {} keeps less than the whole state, so a run cannot be resumed from these snapshots; .hdf5 can \
             be resumed (Ctrl-C keeps one)",
            outputs.last_snapshot().display()
        ));
    }
    // the file that the run goes on from is its newest snapshot until it writes one
    if let Some(input) = plan.settings.resume.clone() {
        plan.outputs.note(input);
    }
    events::open(plan, audience)?;
    log::open(plan, audience)
}

/// Where a run was kept at its end, and what it measured last.
struct Ended {
    end: End,
    file: PathBuf,
    last: Option<Diagnostics>,
}

impl Ended {
    fn interrupted(file: PathBuf) -> Self {
        Ended { end: End::Interrupted, file, last: None }
    }
}

/// Steps to the end and writes the last snapshot; or, asked to stop, keeps where it is.
fn go(plan: &mut Plan, pace: &mut Pace, watch: &Watch, audience: &mut Audience<'_>) -> Result<Ended> {
    if plan.begins && plan.run.parameters().snapshot_every.is_some() && !plan.run.is_finished() {
        let first = plan.outputs.numbered(0);
        keep_on_the_way(plan, first, audience)?;
    }
    let mut has_warned = false;
    while !plan.run.is_finished() {
        ranks::check()?;
        if watch.is_stopped() || audience.asks_to_stop() {
            settle(plan, audience)?;
            return interrupted(plan, false, audience).map(Ended::interrupted);
        }
        let request = audience.request(&plan.run);
        if request.steps == 0 {
            bring_bodies(plan, request)?;
            std::thread::sleep(PAUSE);
            continue;
        }
        let most = plan.log.as_ref().map_or(request.steps, |log| log.steps_to_next(&plan.run, request.steps));
        let advanced = pace.advance(&mut plan.run, most);
        // also those of steps before one that has failed
        events::write(plan, audience)?;
        let measured = match advanced {
            Err(Error::Interrupted) => {
                settle(plan, audience)?;
                return interrupted(plan, true, audience).map(Ended::interrupted);
            }
            other => other?,
        };
        bring_bodies(plan, request)?;
        audience.notify(&Event::Advanced { run: &plan.run, pace, measured });
        if let Some(number) = plan.run.snapshot_due() {
            let file = plan.outputs.numbered(number);
            // forces first: a state that wrong ones have led to is not one to go back to
            audit_for_snapshot(plan, audience)?;
            let known = pace.check_for_snapshot(&mut plan.run)?;
            write_line(plan, known, audience)?;
            settle(plan, audience)?;
            // one warning during the run, at the first snapshot with a cause for it
            if let (false, Some(warning)) = (has_warned, warning(&plan.run)) {
                audience.warn(&warning);
                plan.warnings.push(warning);
                has_warned = true;
            }
            keep_on_the_way(plan, file, audience)?;
            pace.note_errors(&plan.run);
        } else {
            if !plan.run.is_finished() {
                write_line(plan, None, audience)?;
            }
            if plan.writing.as_ref().is_some_and(Writing::is_over) {
                settle(plan, audience)?;
            }
        }
    }
    settle(plan, audience)?;
    finish(plan, audience)
}

/// Copies the bodies from the device that they live on, if an observer has asked for them.
fn bring_bodies(plan: &mut Plan, request: Request) -> Result<()> {
    if request.bodies { plan.run.bodies().map(drop) } else { Ok(()) }
}

/// The audit and the measurement of the end, and the last snapshot.
fn finish(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<Ended> {
    audit(plan, audience)?;
    let (last, potential) = plan.run.check_and_measure_with_potential()?;
    write_line(plan, Some((last.clone(), potential)), audience)?;
    plan.warnings.extend(warning(&plan.run));
    let missed = accuracy_met(&plan.run).filter(|(_, met)| !met).zip(plan.run.errors().force);
    let (end, file) = match missed {
        None => (End::Finished, plan.outputs.last_snapshot()),
        Some(((rtol, _), found)) => (End::Missed { rtol, found }, plan.outputs.missed()),
    };
    keep(plan, file.clone(), audience)?;
    if plan.in_place && end == End::Finished {
        remove_interrupted(&plan.outputs, &plan.settings, None)?;
    }
    audience.notify(&Event::Snapshot(&Written::of(&plan.run, file.clone())));
    Ok(Ended { end, file, last: Some(last) })
}

/// Writes the line of the present state, where it is due, if the run has a table; `known` has been measured already.
fn write_line(plan: &mut Plan, known: Option<Measured>, audience: &mut Audience<'_>) -> Result<()> {
    plan.log.as_mut().map_or(Ok(()), |log| log.write(&mut plan.run, known, audience))
}

/// Brings the lines to the disk that a snapshot must not be without.
fn sync_log(plan: &Plan) -> Result<()> {
    plan.events.as_ref().map_or(Ok(()), Lines::sync)?;
    plan.log.as_ref().map_or(Ok(()), Log::sync)
}

/// Audits the present state.
fn audit(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<()> {
    let errors = errors_of_audit(plan)?;
    notify_of_audit(plan, errors, audience);
    Ok(())
}

/// What an audit finds of the present state, if it has one; notes what it took beside the run itself.
fn errors_of_audit(plan: &mut Plan) -> Result<Option<ForceErrors>> {
    if plan.run.parameters().audit > 0.0 {
        plan.run.accelerate()?;
    }
    let before = Instant::now();
    let errors = plan.run.audit()?;
    plan.auditing += before.elapsed();
    Ok(errors)
}

fn notify_of_audit(plan: &Plan, errors: Option<ForceErrors>, audience: &mut Audience<'_>) {
    if let Some(errors) = &errors {
        audience.notify(&Event::Audited { run: &plan.run, errors });
    }
}

/// Audits the state of a numbered snapshot, where these are so far apart that it costs little; where expansions are then found
/// less exact than they were, their tolerance is halved.
fn audit_for_snapshot(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<()> {
    let parameters = plan.run.parameters();
    let steps = parameters.snapshot_every.unwrap_or(0.0) / parameters.dt;
    let evaluations = steps * plan.run.integrator().evaluations() as f64;
    if device::audit_is_cheap(parameters.device, parameters.precision, plan.run.count(), evaluations) {
        audit(plan, audience)?;
        if let Some(found) = plan.run.tighten()? {
            let Parameters { solver, tolerance, .. } = plan.run.parameters();
            audience.note(format_args!(
                "t = {}: 99 % of the bodies audited have a force error below {found:.2e}, no longer below what --rtol asks \
                 for: the solver {solver} goes on with half the tolerance, {:.2e}",
                show::time(plan.run.time(), plan.run.units()),
                tolerance.unwrap_or_default(),
            ));
        }
    }
    Ok(())
}

/// Keeps the present state under the next number, which the run will use again when it gets there.
/// Within a step (`inside`), whose evaluation takes long, no further one is made.
fn interrupted(plan: &mut Plan, inside: bool, audience: &mut Audience<'_>) -> Result<PathBuf> {
    let already_kept = plan.kept_at == Some(plan.run.clock().step());
    if let (true, true, Some(file)) = (already_kept, plan.outputs.can_be_resumed(), plan.outputs.newest()) {
        return Ok(file.to_path_buf());
    }
    let file = between_snapshots(plan);
    if !inside {
        audit(plan, audience)?;
    }
    // who asks a run to stop may not wait long for it; a limit has to be kept
    let pairs = (plan.run.count() as f64).powi(2);
    if plan.run.parameters().max_energy_error.is_some() || pairs <= INTERRUPTED_PAIRS {
        plan.run.check_and_measure()?;
    }
    plan.warnings.extend(warning(&plan.run));
    keep_silently(plan, file.clone())?;
    // one that an earlier interruption has kept under another number, in another format than the run's
    if let (true, false, Some(kept)) = (plan.in_place, plan.outputs.can_be_resumed(), &plan.settings.resume)
        && *kept != file
    {
        remove_interrupted(&plan.outputs, &plan.settings, Some(kept))?;
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

/// Removes the snapshot that an interruption kept after the last scheduled one, perhaps in another format than the
/// run's.
fn remove_interrupted(outputs: &Outputs, settings: &Settings, file: Option<&Path>) -> Result<()> {
    let outputs = if outputs.can_be_resumed() { outputs.clone() } else { outputs.in_hdf5() };
    outputs.remove_interrupted(file, |standing, snapshot| start::is_of(settings, standing, &snapshot.units))
}

/// Removes what a run has left that was killed between its last file and its end: its lock, and perhaps what an
/// interruption had kept.
pub(super) fn clear_up_finished(path: &Path, audience: &mut Audience<'_>) -> Result<()> {
    let Ok(outputs) = Outputs::new(path) else { return Ok(()) };
    let Ok(_lock) = outputs.lock(audience) else { return Ok(()) };
    outputs.sweep()?;
    if atomic::is_there(&outputs.scene())?
        && let Ok(settings) = Settings::read(&outputs.scene())
        && outputs.is_described_by(&settings)
    {
        remove_interrupted(&outputs, &settings, None)?;
        check_table(&outputs, &settings, audience);
    }
    Ok(())
}

/// Names the table of a finished run where it is missing or damaged: nothing writes it again.
fn check_table(outputs: &Outputs, settings: &Settings, audience: &mut Audience<'_>) {
    if let Err(error) = events::check_whole(outputs, settings) {
        let advice = "the run is finished; only another run of its description writes the table again";
        audience.notify(&Event::Damaged { file: &outputs.events(), error: &error.to_string(), advice });
    }
    let file = outputs.log();
    if let Some(Err(error)) = settings.log.is_some().then(|| Table::read(&file)) {
        let advice = "the run is finished; only another run of its description writes the table again";
        audience.notify(&Event::Damaged { file: &file, error: &error.to_string(), advice });
    }
}

/// Begins to write a numbered snapshot; the run continues meanwhile. Where all ranks write it, they have no part in
/// anything else until it is written: their letters must come in step with this thread.
fn keep_on_the_way(plan: &mut Plan, file: PathBuf, audience: &mut Audience<'_>) -> Result<()> {
    sync_log(plan)?;
    let line = plan.log.as_ref().map_or(&[][..], |log| log.kept_at(plan.run.clock().step()));
    if plan.outputs.writers(&file, plan.run.count())?.is_some() {
        let outputs = &mut plan.outputs;
        let written = plan.run.with_snapshot_and(line, |snapshot| outputs.write(file.clone(), snapshot, audience));
        if written.is_err() {
            plan.lost = Some(plan.run.time());
        }
        written?;
        plan.kept_at = Some(plan.run.clock().step());
        audience.notify(&Event::Snapshot(&Written::of(&plan.run, file)));
        return Ok(());
    }
    let snapshot = plan.run.with_snapshot_and(line, |snapshot| Ok(snapshot.clone()))?;
    plan.writing = Some(Writing::begin(snapshot, Written::of(&plan.run, file))?);
    Ok(())
}

/// Waits for the snapshot that is being written, if there is one, and reports it.
fn settle(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<()> {
    if let Some(writing) = plan.writing.take() {
        let time = writing.time();
        let written = writing.end(&mut plan.outputs, audience).inspect_err(|_| plan.lost = Some(time))?;
        plan.kept_at = Some(written.step);
        audience.notify(&Event::Snapshot(&written));
    }
    Ok(())
}

fn keep(plan: &mut Plan, file: PathBuf, audience: &mut Audience<'_>) -> Result<()> {
    sync_log(plan)?;
    let outputs = &mut plan.outputs;
    plan.run.with_snapshot(|snapshot: &Snapshot| outputs.write(file, snapshot, audience))?;
    plan.kept_at = Some(plan.run.clock().step());
    Ok(())
}

/// Keeps a state in a format that holds all of it, of which there is nothing to say.
fn keep_silently(plan: &mut Plan, file: PathBuf) -> Result<()> {
    keep(plan, file, &mut Audience::empty())
}

fn outcome_of(plan: Plan, ended: Ended, pace: &Pace) -> Outcome {
    let run = &plan.run;
    let resume = (ended.end == End::Interrupted).then(|| resume_command(&plan, &ended.file));
    Outcome {
        end: ended.end,
        file: ended.file,
        last_snapshot: plan.outputs.last_snapshot(),
        description: plan.outputs.scene(),
        format: plan.outputs.format(),
        errors: run.errors(),
        rtol: run.parameters().rtol,
        initial: Some(run.initial().clone()),
        tally: *run.tally(),
        last: ended.last,
        elapsed: pace.elapsed(),
        auditing: plan.auditing,
        rate: pace.rate(run),
        steps: (run.clock().step(), run.clock().steps()),
        time: run.time(),
        resume,
        warnings: plan.warnings,
    }
}

/// A failure during the run, and the state from which it can continue. Where the numbers went wrong after the newest
/// snapshot, the last state that was checked is kept now.
fn stopped(error: Error, plan: &mut Plan) -> Failure {
    use Error::{Audit, Collision, EnergyError, FixedPoint, NotFinite, SmallStep};
    let (step, moment) = (plan.run.clock().step(), plan.run.time());
    let lost = plan.lost.map(|time| show::moment(time, plan.run.units()));
    let lost = lost.map_or(String::new(), |time| format!("the state of t = {time} was not kept; "));
    let time = |plan: &Plan| show::moment(plan.run.time(), plan.run.units());
    let at = format!("{lost}the run stopped after step {step}, t = {}", time(plan));
    let remedy = remedy(plan);
    let advice = if matches!(error, Audit { .. }) {
        match plan.outputs.newest() {
            Some(file) => format!("no later state was kept than {}", file.display()),
            None => "nothing was kept before".into(),
        }
    } else if matches!(
        error,
        NotFinite { .. } | FixedPoint { .. } | EnergyError { .. } | SmallStep { .. } | Collision { .. }
    ) {
        let kept = match error {
            SmallStep { .. } | Collision { .. } => keep_what_was_before(plan),
            _ => keep_what_was_good(plan),
        };
        match (kept, plan.outputs.newest()) {
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
    let newest = plan.outputs.newest().map(Path::to_path_buf);
    let stopped = Stopped { step, time: moment, newest, advice: format!("{at}; {advice}") };
    Failure { error, stopped: Some(Box::new(stopped)) }
}

/// What may carry a run on whose numbers have gone wrong: for the closest pair of its last state, if there is one.
fn remedy(plan: &Plan) -> String {
    match Seen::of(&plan.run).filter(|seen| !seen.remedies.is_empty()) {
        Some(seen) => {
            let (pair, remedies) = (seen.describe(plan.run.units()), seen.remedies.join("\n  "));
            format!("{pair}\none of these may carry it on:\n  {remedies}")
        }
        None => "a smaller --dt or a larger --eps may carry it on".into(),
    }
}

/// Keeps the state before a step that could not be made, unless a snapshot as late is on disk.
fn keep_what_was_before(plan: &mut Plan) -> Result<Option<PathBuf>> {
    if plan.run.check_and_measure().is_err() {
        return keep_what_was_good(plan);
    }
    if plan.kept_at.is_some_and(|kept| kept >= plan.run.clock().step()) {
        return Ok(None);
    }
    let file = between_snapshots(plan);
    keep_silently(plan, file.clone())?;
    Ok(Some(file))
}

/// Goes back to the last state that nothing was wrong with, and keeps it unless a snapshot as late is on disk.
fn keep_what_was_good(plan: &mut Plan) -> Result<Option<PathBuf>> {
    let step = plan.run.roll_back()?;
    if plan.kept_at.is_some_and(|kept| kept >= step) {
        return Ok(None);
    }
    let file = between_snapshots(plan);
    // its errors go into the file; it was found good before
    let _ = plan.run.check_and_measure();
    keep_silently(plan, file.clone())?;
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
