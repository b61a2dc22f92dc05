//! How many steps at a time, and when to look at the energy.

use super::log::Measured;
use crate::simulation::Simulation;
use crate::{Result, rates};
use std::time::{Duration, Instant};

/// Observers hear of a run about this often: often enough for a bar that moves and for a stop within a moment.
const LIVELY: Duration = Duration::from_millis(50);

/// How fast a run goes, and what is known of its errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pace {
    /// Steps between energies, and before the first one; after that the time to the next one doubles until it is `every`.
    every: u64,
    first: u64,
    /// Steps at a time.
    chunk: u64,
    /// What the last energy took, and what was computed before it.
    energy_took: Duration,
    energy_at: Duration,
    first_step: u64,
    began: Instant,
    computing: Duration,
    energy_error: Option<f64>,
    force_error: Option<f64>,
    /// Each snapshot has its energy error; where nothing is to be audited, only if snapshots are so far apart that it
    /// costs little, or if the error has a limit.
    energy_with_snapshots: bool,
}

impl Pace {
    /// Begins to count.
    pub(super) fn new(run: &Simulation) -> Self {
        let (clock, evaluations) = (run.clock(), run.integrator().evaluations() as u64);
        let apart = rates::of(run.parameters().device, run.parameters().precision).evaluations_per_energy;
        let every = apart.div_ceil(evaluations.max(1));
        let (dt, between) = (run.parameters().dt, run.parameters().snapshot_every);
        Pace {
            every: every.max(clock.steps() / 100),
            first: every,
            chunk: 1,
            energy_took: Duration::ZERO,
            energy_at: Duration::ZERO,
            first_step: clock.step(),
            began: Instant::now(),
            computing: Duration::ZERO,
            energy_error: None,
            force_error: run.errors().force.map(|force| force.max),
            energy_with_snapshots: run.parameters().audit > 0.0
                || run.is_resident()
                || run.parameters().max_energy_error.is_some()
                || between.is_some_and(|between| between / dt >= every as f64),
        }
    }

    /// Advances the run by some steps, at most `most`, and measures the energy where it is time to; true where it did.
    ///
    /// # Errors
    /// Those of the steps.
    pub(super) fn advance(&mut self, run: &mut Simulation, most: u64) -> Result<bool> {
        let before = Instant::now();
        let next = self.next_energy(run.clock().step());
        let done = run.advance(self.chunk.min(next - run.clock().step()).min(most))?;
        let now = Instant::now();
        self.computing += now - before;
        self.chunk = match now - before {
            // if fewer steps were made, their time does not show whether more steps are fast enough
            took if took < LIVELY / 4 && done == self.chunk => self.chunk.min(1 << 20) * 2,
            took if took > LIVELY => (self.chunk / 2).max(1),
            _ => self.chunk,
        };
        let due = run.clock().step() == next && !run.is_finished() && self.energy_is_cheap(run);
        if due {
            self.energy_error = run.check()?;
            self.energy_took = now.elapsed();
            self.energy_at = self.computing;
        }
        Ok(due)
    }

    /// The next step after this one at which the energy is looked at.
    fn next_energy(&self, step: u64) -> u64 {
        let early = self.first.saturating_mul((step / self.first + 1).next_power_of_two());
        if early < self.every { early } else { (step / self.every + 1) * self.every }
    }

    /// Steps on a device can be so short that an energy is long beside many of them: it may take 2 % of the time.
    fn energy_is_cheap(&self, run: &Simulation) -> bool {
        !run.is_resident() || self.computing - self.energy_at >= 50 * self.energy_took
    }

    /// Measures the energy for a snapshot, an f64 evaluation with potential; `None` where that would cost much.
    ///
    /// # Errors
    /// Those of [`Simulation::check_and_measure`].
    pub(super) fn check_for_snapshot(&self, run: &mut Simulation) -> Result<Option<Measured>> {
        self.energy_with_snapshots.then(|| run.check_and_measure_with_potential()).transpose()
    }

    /// From now on has what is known of the present state.
    pub(super) fn note_errors(&mut self, run: &Simulation) {
        let errors = run.errors();
        self.energy_error = errors.energy.or(self.energy_error);
        self.force_error = errors.force.map(|force| force.max).or(self.force_error);
    }

    /// The energy error, (E - E0) / |E0|, as last measured.
    pub fn energy_error(&self) -> Option<f64> {
        self.energy_error
    }

    /// The largest force error, |da| / rms|a|, as last audited.
    pub fn force_error(&self) -> Option<f64> {
        self.force_error
    }

    /// Time since the first step.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Interactions a second while computing, n^2 an evaluation, whichever way the pairs are computed.
    pub fn rate(&self, run: &Simulation) -> Option<f64> {
        let seconds = self.computing.as_secs_f64();
        if let Some(work) = run.integrator().work() {
            return (seconds > 0.0).then(|| work.pairs as f64 / seconds);
        }
        let n = run.count() as f64;
        let evaluations = (run.clock().step() - self.first_step) as f64 * run.integrator().evaluations() as f64;
        (seconds > 0.0).then(|| n * n * evaluations / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ic::{self, Request};
    use crate::simulation::Parameters;

    /// Of a long run the energy is known soon after the start, and then after each hundredth of it.
    #[test]
    fn the_first_energies_are_early() {
        let stars = ic::by_name("kepler", &Request::new(2, 1)).unwrap();
        let parameters = Parameters { dt: 1.0 / 128.0, t_end: 1000.0, eps: Some(0.0), ..Parameters::default() };
        let pace = Pace::new(&Simulation::start(stars, parameters).unwrap());
        assert_eq!((pace.first, pace.every), (60, 1280));
        let steps: Vec<u64> = std::iter::successors(Some(0), |step| Some(pace.next_energy(*step))).take(9).collect();
        assert_eq!(steps, [0, 60, 120, 240, 480, 960, 1280, 2560, 3840]);
        // whatever step a run is continued from
        assert_eq!([1, 59, 61, 119, 1279, 1281].map(|step| pace.next_energy(step)), [60, 60, 120, 120, 1280, 2560]);
        assert_eq!(pace.next_energy(u64::MAX / 2000 * 1280), (u64::MAX / 2000 + 1) * 1280);
    }
}
