//! `manybody run`: options and output. The run itself is the library's [`Driver`].
//!
//! [`options`] are those of the command line, made from the library's table of settings; [`screen`] prints the events
//! of a run as text and as JSON lines; [`report`] has their texts; [`onlookers`] are the screen and the live view.

mod onlookers;
mod options;
mod report;
mod screen;

pub(crate) use options::Args;

use crate::console::{self, json, say};
use crate::interrupt::Interrupt;
use crate::progress_line::ProgressLine;
use crate::ranks;
use manybody::driver::{Driver, End, Failure, Outcome, Prepared};
use onlookers::Onlookers;
use screen::Screen;
use std::process::ExitCode;

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
    let given = args.settings()?;
    let driver = match args.description() {
        Some(file) => Driver::described_by(&file, given)?,
        None => Driver::new(given),
    };
    let driver = driver.watch(interrupt.watch());
    let settings = driver.settings().clone();
    let begin = || interrupt.begin();
    ranks::with(&settings, "run", interrupt.watch(), begin, || drive(driver, &args, &interrupt))
}

/// Makes the run; its exit status.
fn drive(driver: Driver, args: &Args, interrupt: &Interrupt) -> anyhow::Result<u8> {
    let to_json = args.json;
    let mut onlookers = Onlookers::of(args, interrupt)?;
    let progress = ProgressLine::begin("computing the first forces", interrupt.watch());
    let prepared = driver.prepare(&mut onlookers)?;
    drop(progress);
    let outcome = match prepared {
        Prepared::Run(run) => {
            interrupt.begin();
            run.carry_out(&mut onlookers)
        }
        Prepared::Finished(file) => {
            if to_json {
                json(&report::finished_before(&file));
            }
            say(format_args!("{}: this run is finished; --t-end and --out would extend it", file.display()));
            return Ok(0);
        }
    };
    if let (true, Some(explanation)) = (to_json, onlookers.explanation()) {
        json(&report::explanation(explanation));
    }
    let ended = match outcome {
        Ok(outcome) => {
            onlookers.close(Some(&outcome.end));
            ended(&outcome, &onlookers.screen, to_json)
        }
        Err(failure) => {
            onlookers.close(None);
            Err(failed(failure, to_json))
        }
    };
    explain(&onlookers);
    ended
}

/// Says why the energy has changed, if that is asked for.
fn explain(onlookers: &Onlookers) {
    match onlookers.explanation() {
        Some(explanation) => say(explanation),
        None if onlookers.explain() => say("the energy was not measured after the start: there is nothing to explain"),
        None => {}
    }
}

/// How a run has ended, in a word.
fn status(end: &End) -> &'static str {
    match end {
        End::Interrupted => "interrupted",
        End::Missed { .. } => "missed",
        End::Finished | End::FinishedBefore => "finished",
    }
}

/// Says how a run has ended.
fn ended(outcome: &Outcome, screen: &Screen, to_json: bool) -> anyhow::Result<u8> {
    say(report::end(outcome, screen.units()));
    outcome.warnings.iter().for_each(|warning| console::complain(format_args!("warning: {warning}")));
    if outcome.end != End::Interrupted {
        say(report::wrote(outcome));
    }
    if to_json {
        json(&report::end_json(outcome, status(&outcome.end)));
    }
    match outcome.end {
        End::Interrupted => Ok(INTERRUPTED),
        End::Missed { rtol, found } => Err(anyhow::anyhow!(
            "rtol {rtol:e}: MISSED at the end, largest error {:.2e}; the last state is kept as {}, not as {}: a larger \
             --rtol, or --precision f64, would keep it there",
            found.max,
            outcome.file.display(),
            outcome.last_snapshot.display()
        )),
        End::Finished | End::FinishedBefore => Ok(0),
    }
}

/// The report of a run that failed: bad input as such, and where a run stopped, with what to do.
fn failed(failure: Failure, to_json: bool) -> anyhow::Error {
    if let (Some(stopped), true) = (&failure.stopped, to_json) {
        json(&report::stopped(&failure.error.to_string(), stopped));
    }
    match &failure.stopped {
        Some(stopped) if !stopped.advice.is_empty() => anyhow::anyhow!("{failure}"),
        _ => failure.error.into(),
    }
}
