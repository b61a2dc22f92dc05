//! How far the run is: a bar for people, lines for programs.

use super::report;
use crate::console::{complain, is_quiet, json, say};
use indicatif::{ProgressBar, ProgressStyle};
use manybody::simulation::Simulation;
use manybody::solver::Precision;
use std::time::{Duration, Instant};

/// The energy costs an evaluation with potential in f64: about 1.2 of those that an f64 run makes, and 3 of those of
/// an f32 run. After so many of the run's own it is below 2 % of the time.
const EVALUATIONS_PER_ENERGY: [(Precision, u64); 3] =
    [(Precision::F64, 60), (Precision::Mixed, 60), (Precision::F32, 150)];

/// Where there is no terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// A terminal is redrawn at most this often; looking at the clock is cheap, drawing is not.
const DRAW_EVERY: Duration = Duration::from_millis(50);

/// The progress of a run, and the time it has taken.
pub(super) struct Progress {
    bar: ProgressBar,
    json: bool,
    /// Steps between energies.
    every: u64,
    /// Steps at a time: as many as leave the bar alive and Ctrl-C answered.
    chunk: u64,
    /// What the last energy took, and what was computed before it.
    energy_took: Duration,
    energy_at: Duration,
    first_step: u64,
    began: Instant,
    drawn: Instant,
    told: Instant,
    computing: Duration,
    energy_error: Option<f64>,
    /// The largest force error as last audited.
    force_error: Option<f64>,
    /// Each snapshot tells its energy error; where nothing is to be audited, only if they are so far apart that it costs
    /// little, or if the error has a limit to keep.
    energy_with_snapshots: bool,
}

impl Progress {
    /// Begins to count.
    pub(super) fn new(run: &Simulation, to_json: bool) -> Self {
        let (clock, evaluations) = (run.clock(), run.integrator().evaluations() as u64);
        let bar = match is_quiet() {
            true => ProgressBar::hidden(),
            false => ProgressBar::new(clock.steps()).with_position(clock.step()),
        };
        // 12 cells: the whole line fits 80 columns
        let style = ProgressStyle::with_template("{bar:12} {percent}%  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.reset_eta();
        let precision = run.parameters().precision;
        let apart = EVALUATIONS_PER_ENERGY.iter().find(|(known, _)| *known == precision).map_or(150, |(_, n)| *n);
        let every = apart.div_ceil(evaluations.max(1));
        let (dt, between) = (run.parameters().dt, run.parameters().snapshot_every);
        let now = Instant::now();
        let mut progress = Progress {
            bar,
            json: to_json,
            every: every.max(clock.steps() / 100),
            chunk: 1,
            energy_took: Duration::ZERO,
            energy_at: Duration::ZERO,
            first_step: clock.step(),
            began: now,
            drawn: now,
            told: now,
            computing: Duration::ZERO,
            energy_error: None,
            force_error: run.errors().force.map(|force| force.max),
            energy_with_snapshots: run.parameters().audit > 0.0
                || run.is_resident()
                || run.parameters().max_energy_error.is_some()
                || between.is_some_and(|between| between / dt >= every as f64),
        };
        progress.draw(run);
        progress
    }

    /// Advances the run by some steps, measures the energy where it is time to, and shows both.
    ///
    /// # Errors
    /// Those of the steps.
    pub(super) fn advance(&mut self, run: &mut Simulation) -> manybody::Result<()> {
        let before = Instant::now();
        let to_energy = self.every - run.clock().step() % self.every;
        run.advance(self.chunk.min(to_energy))?;
        let now = Instant::now();
        self.computing += now - before;
        self.chunk = match now - before {
            took if took < DRAW_EVERY / 4 => self.chunk.min(1 << 20) * 2,
            took if took > DRAW_EVERY => (self.chunk / 2).max(1),
            _ => self.chunk,
        };
        if run.clock().step().is_multiple_of(self.every) && !run.is_finished() && self.energy_is_cheap(run) {
            self.energy_error = Some(run.check()?);
            self.energy_took = now.elapsed();
            self.energy_at = self.computing;
            if self.json {
                json(&report::progress(run, self.energy_error, self.force_error, self.began.elapsed(), self.rate(run)));
            }
        }
        if now - self.drawn >= DRAW_EVERY || run.is_finished() {
            self.drawn = now;
            self.draw(run);
        }
        if self.bar.is_hidden() && now - self.told >= LINE_EVERY {
            self.told = now;
            say(format_args!("{} of {} steps, {}", run.clock().step(), run.clock().steps(), self.words(run)));
        }
        Ok(())
    }

    /// Steps on a device can be so short that an energy is long beside many of them: it may take 2 % of the time.
    fn energy_is_cheap(&self, run: &Simulation) -> bool {
        !run.is_resident() || self.computing - self.energy_at >= 50 * self.energy_took
    }

    /// Measures the energy for a snapshot, an f64 evaluation with potential.
    ///
    /// # Errors
    /// Those of [`Simulation::check_and_measure`].
    pub(super) fn check_for_snapshot(&mut self, run: &mut Simulation) -> manybody::Result<()> {
        if self.energy_with_snapshots {
            run.check_and_measure()?;
        }
        Ok(())
    }

    /// Shows from now on what is known of the present state.
    pub(super) fn note_errors(&mut self, run: &Simulation) {
        let errors = run.errors();
        self.energy_error = errors.energy.or(self.energy_error);
        self.force_error = errors.force.map(|force| force.max).or(self.force_error);
    }

    /// Prints a line without disturbing the bar.
    pub(super) fn say(&self, text: impl std::fmt::Display) {
        self.bar.suspend(|| say(text));
    }

    /// The same for a warning, which is printed in any case.
    pub(super) fn complain(&self, text: impl std::fmt::Display) {
        self.bar.suspend(|| complain(text));
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Interactions a second while computing, n^2 an evaluation as in `bench`, whichever way the pairs are computed.
    pub(super) fn rate(&self, run: &Simulation) -> Option<f64> {
        let n = run.count() as f64;
        let evaluations = (run.clock().step() - self.first_step) as f64 * run.integrator().evaluations() as f64;
        let seconds = self.computing.as_secs_f64();
        (seconds > 0.0).then(|| n * n * evaluations / seconds)
    }

    fn draw(&mut self, run: &Simulation) {
        self.bar.set_position(run.clock().step());
        self.bar.set_message(self.words(run));
    }

    fn words(&self, run: &Simulation) -> String {
        let energy = self.energy_error.map(|error| format!("energy {error:+.1e}"));
        let force = self.force_error.map(|error| format!("force {error:.1e}"));
        let errors: Vec<String> = energy.into_iter().chain(force).collect();
        let errors = if errors.is_empty() { String::new() } else { format!(", errors: {}", errors.join(", ")) };
        format!("t = {}{errors}", crate::quantity::moment(run.time(), run.units()))
    }
}
