//! Prints the events of a run: a progress bar and lines of text, and JSON lines.

use super::report;
use crate::console::{complain, is_quiet, json, say};
use indicatif::{ProgressBar, ProgressStyle};
use manybody::Units;
use manybody::driver::{Event, Observer, Pace};
use manybody::simulation::Simulation;
use manybody::units::show;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where there is no terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// A terminal is redrawn at most this often; looking at the clock is cheap, drawing is not.
const DRAW_EVERY: Duration = Duration::from_millis(50);

/// So many events of bodies have a line of text.
const TOLD: u64 = 10;

/// What a run shows.
pub(super) struct Screen {
    json: bool,
    /// Whether the run shall stop.
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    units: Units,
    drawn: Instant,
    /// When the last line was printed where there is no bar.
    printed: Instant,
    /// Events of bodies so far.
    happened: u64,
}

impl Screen {
    pub(super) fn new(to_json: bool, stop: Arc<AtomicBool>) -> Self {
        let now = Instant::now();
        let (bar, units) = (ProgressBar::hidden(), Units::default());
        Screen { json: to_json, stop, bar, units, drawn: now, printed: now, happened: 0 }
    }

    /// The units of the run.
    pub(super) fn units(&self) -> &Units {
        &self.units
    }

    fn start(&mut self, run: &Simulation) {
        let clock = run.clock();
        if !is_quiet() {
            self.bar = ProgressBar::new(clock.steps()).with_position(clock.step());
        }
        // 12 cells: the whole line fits 80 columns
        let style = ProgressStyle::with_template("{bar:12} {percent}%  {msg}  {eta} left");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.reset_eta();
        self.units = run.units().clone();
        let force = run.errors().force.map(|force| force.max);
        self.draw(run, None, force);
    }

    fn advanced(&mut self, run: &Simulation, pace: &Pace, measured: bool) {
        if measured && self.json {
            json(&report::progress(run, pace));
        }
        let now = Instant::now();
        if now - self.drawn >= DRAW_EVERY || run.is_finished() {
            self.drawn = now;
            self.draw(run, pace.energy_error(), pace.force_error());
        }
        if self.bar.is_hidden() && now - self.printed >= LINE_EVERY {
            self.printed = now;
            let words = words(run, pace.energy_error(), pace.force_error());
            say(format_args!("{} of {} steps, {words}", run.clock().step(), run.clock().steps()));
        }
    }

    fn draw(&mut self, run: &Simulation, energy: Option<f64>, force: Option<f64>) {
        self.bar.set_position(run.clock().step());
        self.bar.set_message(words(run, energy, force));
    }
}

impl Observer for Screen {
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Note(text) => self.bar.suspend(|| say(text)),
            Event::Warning(text) => self.bar.suspend(|| complain(format_args!("warning: {text}"))),
            Event::Damaged { file, error, advice } => {
                let advice = if advice.is_empty() { String::new() } else { format!("; {advice}") };
                complain(format_args!("warning: {error}{advice}"));
                if self.json {
                    json(&report::damaged(file, error));
                }
            }
            Event::Started { run, description, out } => {
                say(report::heading(run, description));
                if self.json {
                    json(&report::start(run, description, out));
                }
                self.start(run);
            }
            Event::Advanced { run, pace, measured } => self.advanced(run, pace, *measured),
            Event::Snapshot(written) => match self.json {
                true => json(&report::snapshot(written)),
                // the last one is part of the report at the end
                false if written.last => {}
                false => self.bar.suspend(|| {
                    say(format_args!("t = {}: {}", show::moment(written.time, &written.units), written.file.display()));
                }),
            },
            Event::Happened(event) => {
                self.happened += 1;
                match self.json {
                    true => json(&report::happened(event)),
                    false if self.happened > TOLD => {}
                    false => {
                        let more = if self.happened == TOLD { "; further ones are in the table of events" } else { "" };
                        let words = report::happened_in_words(event, &self.units);
                        self.bar.suspend(|| say(format_args!("{words}{more}")));
                    }
                }
            }
            Event::Logged(row) if self.json => json(&report::line(row)),
            Event::Ended { .. } => self.bar.finish_and_clear(),
            _ => {}
        }
        if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn words(run: &Simulation, energy: Option<f64>, force: Option<f64>) -> String {
    let energy = energy.map(|error| format!("energy {error:+.1e}"));
    let force = force.map(|error| format!("force {error:.1e}"));
    let errors: Vec<String> = energy.into_iter().chain(force).collect();
    let errors = if errors.is_empty() { String::new() } else { format!(", errors: {}", errors.join(", ")) };
    format!("t = {}{errors}", show::moment(run.time(), run.units()))
}
