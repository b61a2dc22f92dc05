//! Why the energy of a run has changed: the closest pair, whether its steps resolve it, and what to change.
//!
//! An [`Explainer`] is an observer of a run. After every few steps it looks for the [`ClosePair`], and keeps the one
//! that the steps resolve least; with block time steps, the pair of the body that had the smallest step since. Where
//! the run measures its energy, about a hundred times, the pair of the interval with the largest change so far is kept:
//! at the end that is the [`Explanation`]. No bit of the run changes, but the looks take time: up to that of the run
//! itself.
//!
//! ```
//! use manybody::driver::Driver;
//! use manybody::explain::Explainer;
//! use manybody::settings::Settings;
//! # let folder = tempfile::tempdir().unwrap();
//! # let out = Some(folder.path().join("b.hdf5"));
//! let mut explainer = Explainer::default();
//! let settings = Settings { ic: Some("pythagorean".into()), dt: Some(0.001.into()), out, ..Settings::default() };
//! Driver::new(settings).run_observed(&mut explainer)?;
//! let explanation = explainer.explanation().expect("the energy was measured");
//! println!("{explanation}");
//! assert!(explanation.pair.as_ref().is_some_and(|seen| seen.pair.distance < 1.0));
//! # Ok::<(), manybody::driver::Failure>(())
//! ```

mod pair;
mod remedy;

pub use pair::ClosePair;

use crate::Units;
use crate::diagnostics::energy_error_in_words;
use crate::driver::{Event, Observer, Request};
use crate::simulation::Simulation;
use crate::units::show;
use std::fmt;
use std::ops::ControlFlow;

/// Evaluations of the forces between two looks: a look costs that of some.
const EVALUATIONS: u64 = 4;

/// Earlier looks at the same pair that are kept.
const HISTORY: usize = 3;

/// A pair at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// When.
    pub time: f64,
    /// The pair.
    pub pair: ClosePair,
    /// The smallest time step of its bodies.
    pub step: f64,
    /// What may be changed in the settings, in words, the cheapest first.
    pub remedies: Vec<String>,
}

impl Seen {
    /// The closest pair of a run at present, with passages within the last steps; `None` where its forces are not
    /// gravity, where its bodies are on a device, and for fewer than two bodies with a mass.
    pub fn of(run: &Simulation) -> Option<Self> {
        let (bodies, gravity, dt) = (run.bodies_here()?, run.gravity()?, run.parameters().dt);
        let (pair, step) = match run.integrator().smallest_step() {
            Some((step, body)) => (ClosePair::with(body, bodies, gravity, 0.0)?, step),
            None => (ClosePair::of(bodies, gravity, 0.5 * looks_apart(run) as f64 * dt)?, dt),
        };
        let remedies = remedy::remedies(&pair, step, run.parameters(), bodies, run.units());
        Some(Seen { time: run.time(), pair, step, remedies })
    }

    /// Whether steps had more to resolve than at another time: the smaller of steps that follow the bodies, or the
    /// shorter time scale where they do not.
    fn is_harder_than(&self, other: &Seen) -> bool {
        (self.step, self.pair.passing) < (other.step, other.pair.passing)
    }

    /// It in words: what is on its own line is indented.
    pub fn describe(&self, units: &Units) -> String {
        let ClosePair { index, id, distance, speed, eps, semi_major_axis, eccentricity, .. } = self.pair;
        let short = |value: f64| show::decimal(value, 3);
        let bodies = format!("bodies {} (id {}) and {} (id {})", index[0], id[0], index[1], id[1]);
        let softened = if eps > 0.0 { format!(", softened by {}", short(eps)) } else { String::new() };
        let orbit = match self.pair.period() {
            Some(period) => format!(
                "bound: semi-major axis {}, eccentricity {}, period {}",
                short(semi_major_axis),
                show::decimal(eccentricity, 5),
                short(period)
            ),
            None => format!("not bound: eccentricity {}", show::decimal(eccentricity, 5)),
        };
        let perturber = self.pair.perturber.map_or("no third body".to_owned(), |(k, id)| {
            format!("the tidal force of body {k} (id {id}) is {} of their own", short(self.pair.perturbation))
        });
        let (step, scale) = (self.step, self.pair.shortest_time_scale());
        format!(
            "closest pair, at t = {}: {bodies}, distance {}{softened}, relative speed {}\n  {orbit}, pericentre {}; \
             {perturber}\n  step {}: {} of the time scale there, {} of that at the pericentre",
            show::moment(self.time, units),
            short(distance),
            short(speed),
            short(self.pair.pericentre()),
            show::step(step, units),
            short(step / self.pair.passing),
            short(step / scale)
        )
    }
}

/// Steps of a run between two looks.
fn looks_apart(run: &Simulation) -> u64 {
    (EVALUATIONS / (run.integrator().evaluations() as u64).max(1)).max(1)
}

/// The largest change of the energy between two measurements, and what was close meanwhile.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The change, relative to the energy at the start unless that is 0.
    pub change: f64,
    /// The energy error after it.
    pub error: f64,
    /// The times of the two measurements.
    pub between: [f64; 2],
    /// The pair that the steps resolved least; `None` where forces are not gravity.
    pub pair: Option<Seen>,
    /// What was seen of the same pair before, the oldest first.
    pub before: Vec<Seen>,
    /// The energy at the start.
    at_start: f64,
    units: Units,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = |time: f64| show::moment(time, &self.units);
        let [begin, end] = self.between.map(moment);
        write!(
            f,
            "largest change of the energy: {}, between t = {begin} and {end}; error after it {:+.1e}",
            energy_error_in_words(self.change, self.at_start),
            self.error
        )?;
        let Some(seen) = &self.pair else { return write!(f, "\n  no pair is known: the forces are not gravity") };
        write!(f, "\n{}", seen.describe(&self.units))?;
        for earlier in &self.before {
            let (distance, step) = (show::decimal(earlier.pair.distance, 3), show::step(earlier.step, &self.units));
            write!(f, "\n  before, at t = {}: distance {distance}, step {step}", moment(earlier.time))?;
        }
        match seen.remedies.is_empty() {
            true => write!(f, "\nno setting resolves this pair better"),
            false => write!(f, "\nwhat to change, one of:\n  {}", seen.remedies.join("\n  ")),
        }
    }
}

/// Finds out where the energy of a run changes most.
#[derive(Debug, Default)]
pub struct Explainer {
    since: f64,
    error: f64,
    /// The worst pair since then, and earlier looks at it.
    worst: Option<Seen>,
    before: Vec<Seen>,
    /// The last looks.
    recent: Vec<Seen>,
    found: Option<Explanation>,
}

impl Explainer {
    /// The interval with the largest change; `None` where the energy was not measured twice.
    pub fn explanation(&self) -> Option<&Explanation> {
        self.found.as_ref()
    }

    /// Looks at the pairs of the present state.
    fn look(&mut self, run: &Simulation) {
        let Some(seen) = Seen::of(run) else { return };
        if self.worst.as_ref().is_none_or(|worst| seen.is_harder_than(worst)) {
            self.before.clone_from(&self.recent);
            self.before.retain(|earlier| earlier.pair.id == seen.pair.id);
            self.worst = Some(seen.clone());
        }
        if self.recent.len() == HISTORY {
            self.recent.remove(0);
        }
        self.recent.push(seen);
    }

    /// Ends an interval with a measurement.
    fn measured(&mut self, run: &Simulation, error: f64) {
        let (change, time) = (error - self.error, run.time());
        let largest = self.found.as_ref().map_or(0.0, |found| found.change.abs());
        if change.is_finite() && time > self.since && (self.found.is_none() || change.abs() > largest) {
            self.found = Some(Explanation {
                change,
                error,
                between: [self.since, time],
                pair: self.worst.take(),
                before: std::mem::take(&mut self.before),
                at_start: run.initial().energy(),
                units: run.units().clone(),
            });
        }
        (self.since, self.error, self.worst) = (time, error, None);
        self.before.clear();
    }
}

impl Observer for Explainer {
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Started { run, .. } => {
                (self.since, self.error) = (run.time(), run.errors().energy.unwrap_or(0.0));
                self.look(run);
            }
            Event::Advanced { run, pace, measured } => {
                self.look(run);
                if let (true, Some(error)) = (*measured, pace.energy_error()) {
                    self.measured(run, error);
                }
            }
            Event::Ended { run, last: Some(last) } => {
                self.measured(run, last.drift_beside(run.initial(), run.tally()).energy)
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn request(&mut self, run: &Simulation) -> Request {
        Request { steps: looks_apart(run), bodies: true }
    }
}

#[cfg(test)]
mod tests;
