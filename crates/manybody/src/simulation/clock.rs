//! The clock of a run: steps are counted, and t = t0 + k dt; dt is never accumulated.
//!
//! A sum of ten thousand rounded dt is off in its eleventh digit and differs between a run cut in two and one in one
//! piece; a product is not and does not.

use crate::{Error, Result};

/// Equal steps from an origin to an end that is met exactly: where dt does not divide the time between, the last
/// step is shorter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    origin: f64,
    dt: f64,
    end: f64,
    steps: u64,
    step: u64,
}

impl Clock {
    /// A clock that stands at `origin`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a dt that is not above 0 or is lost in the rounding of the times, and for an end
    /// before the origin.
    pub fn new(origin: f64, dt: f64, end: f64) -> Result<Self> {
        let wrong = |name, value: f64, expected: String| Error::Parameter {
            name,
            value: format!("{value:?}").trim_end_matches(".0").into(),
            expected,
        };
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(wrong("dt", dt, "must be a finite time step above 0".into()));
        }
        if !(end >= origin && end.is_finite()) {
            return Err(wrong("t-end", end, format!("must be a finite time not before the start, t = {origin}")));
        }
        let slack = slack(origin, end);
        let steps = ((end - origin - slack) / dt).ceil().max(if end > origin { 1.0 } else { 0.0 });
        // two steps must not fall on one time, and the count must be exact
        if end > origin && (dt <= slack || steps >= 2.0_f64.powi(53)) {
            let expected =
                format!("too small a step to distinguish times between {origin:?} and {end:?} in double precision");
            return Err(wrong("dt", dt, expected));
        }
        Ok(Clock { origin, dt, end, steps: steps as u64, step: 0 })
    }

    /// A clock that stands `step` steps after `origin`, where it shows `time`; for a run that is resumed.
    ///
    /// A time that is not on that grid (the end of a run whose last step was short, or another dt than before) becomes
    /// the origin of a new one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn resume(origin: f64, step: u64, dt: f64, time: f64, end: f64) -> Result<Self> {
        let on_grid = (origin + step as f64 * dt - time).abs() <= slack(origin, time);
        if on_grid && end >= time {
            Ok(Clock { step, ..Clock::new(origin, dt, end)? })
        } else {
            Clock::new(time, dt, end)
        }
    }

    /// The present time.
    pub fn time(&self) -> f64 {
        self.time_of(self.step)
    }

    /// Steps done since the origin.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Steps from the origin to the end.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Where the grid of steps begins.
    pub fn origin(&self) -> f64 {
        self.origin
    }

    /// True at the end.
    pub fn is_finished(&self) -> bool {
        self.step >= self.steps
    }

    /// The length of the step to come: dt, less for the last one where dt does not divide the time.
    pub fn next_length(&self) -> f64 {
        if self.step + 1 < self.steps {
            return self.dt;
        }
        let rest = self.end - self.time();
        // a difference in the last bits is rounding of the times, not a shorter step
        if (rest - self.dt).abs() <= slack(self.origin, self.end) { self.dt } else { rest }
    }

    /// Counts one step.
    pub fn advance(&mut self) {
        self.step += 1;
    }

    /// Counts steps.
    pub(super) fn advance_by(&mut self, steps: u64) {
        self.step += steps;
    }

    /// Steps to come that are equally long, `dt`; 1 for the last one, which may be shorter.
    pub fn equal_steps(&self) -> u64 {
        self.steps.saturating_sub(self.step + 1).max(u64::from(!self.is_finished()))
    }

    /// The time after `step` steps.
    pub fn time_of(&self, step: u64) -> f64 {
        if step >= self.steps { self.end } else { self.origin + step as f64 * self.dt }
    }
}

/// How far two times computed in different ways may differ by rounding alone: a few units in the last place.
pub(super) fn slack(a: f64, b: f64) -> f64 {
    8.0 * f64::EPSILON * a.abs().max(b.abs())
}

/// Snapshots at equal times: after the first step that reaches `start + m every`, m = 1, 2, ...
///
/// Steps are not shortened for them: how often a run is looked at does not change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    start: f64,
    every: f64,
}

impl Schedule {
    /// Snapshots every `every` from `start` on.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an interval below `dt`, which could not be kept.
    pub fn new(start: f64, every: f64, dt: f64) -> Result<Self> {
        if every >= dt && every.is_finite() {
            return Ok(Schedule { start, every });
        }
        Err(Error::Parameter {
            name: "snapshot-every",
            value: every.to_string(),
            expected: format!("must be a finite time of at least one step, dt = {dt}"),
        })
    }

    /// Steps from where `clock` stands, at most `most`, until the next one is due.
    pub fn steps_to_next(&self, clock: &Clock, most: u64) -> u64 {
        let (first, now) = (clock.step(), self.count(clock.time()));
        // the count never falls: the first step that raises it is found by halves
        let (mut before, mut at) = (0, most);
        while at - before > 1 {
            let middle = before + (at - before) / 2;
            match self.count(clock.time_of(first + middle)) > now {
                true => at = middle,
                false => before = middle,
            }
        }
        at
    }

    /// How many snapshots lie at or before `time`.
    pub fn count(&self, time: f64) -> u64 {
        (((time - self.start + slack(self.start, time)) / self.every).floor()).max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(mut clock: Clock) -> (Vec<f64>, Vec<f64>) {
        let (mut times, mut lengths) = (vec![clock.time()], vec![]);
        while !clock.is_finished() {
            lengths.push(clock.next_length());
            clock.advance();
            times.push(clock.time());
        }
        (times, lengths)
    }

    #[test]
    fn the_end_is_met_exactly() {
        // 0.1 does not divide 1 in binary: still ten equal steps, and the last time is 1, not 0.9999999999999999
        let (times, lengths) = run(Clock::new(0.0, 0.1, 1.0).unwrap());
        assert_eq!((times.len(), times[10], times[3]), (11, 1.0, 3.0 * 0.1));
        assert!(lengths.iter().all(|dt| *dt == 0.1));
        // a shorter last step
        let (times, lengths) = run(Clock::new(2.0, 0.375, 3.0).unwrap());
        assert_eq!((times, lengths), (vec![2.0, 2.375, 2.75, 3.0], vec![0.375, 0.375, 0.25]));
        // a step longer than the whole
        assert_eq!(run(Clock::new(0.0, 5.0, 1.0).unwrap()), (vec![0.0, 1.0], vec![1.0]));
        // nothing to do
        assert_eq!(run(Clock::new(1.0, 0.5, 1.0).unwrap()), (vec![1.0], vec![]));
        // many steps, far from 0: 36525 days in steps of 0.1 from a Julian date
        let clock = Clock::new(2_451_545.0, 0.1, 2_488_070.0).unwrap();
        assert_eq!((clock.steps(), clock.time_of(clock.steps())), (365_250, 2_488_070.0));
    }

    #[test]
    fn a_resumed_clock_shows_the_same_times() {
        for (dt, end) in [(0.1, 1.0), (0.375, 3.0), (1.0 / 128.0, 0.7)] {
            let whole = run(Clock::new(0.0, dt, end).unwrap());
            for cut in 0..whole.1.len() {
                let rest = run(Clock::resume(0.0, cut as u64, dt, whole.0[cut], end).unwrap());
                assert_eq!((&rest.0[..], &rest.1[..]), (&whole.0[cut..], &whole.1[cut..]), "dt {dt}, cut at {cut}");
            }
        }
        // on beyond an end on the grid: as if the end had been later from the start
        let longer = run(Clock::resume(0.0, 10, 0.1, 1.0, 2.0).unwrap());
        assert_eq!(longer.0[5], 15.0 * 0.1);
        // beyond an end off the grid: a new grid
        assert_eq!(run(Clock::resume(0.0, 3, 0.375, 1.0, 2.0).unwrap()).0, [1.0, 1.375, 1.75, 2.0]);
        // finished already: the grid stays for a later end
        let finished = Clock::resume(0.0, 10, 0.1, 1.0, 1.0).unwrap();
        assert!(finished.is_finished());
        assert_eq!((finished.origin(), finished.step(), finished.time()), (0.0, 10, 1.0));
    }

    #[test]
    fn impossible_clocks_are_refused() {
        for (origin, dt, end) in [
            (0.0, 0.0, 1.0),
            (0.0, -0.5, 1.0),
            (0.0, f64::NAN, 1.0),
            (0.0, f64::INFINITY, 1.0),
            (1.0, 0.5, 0.0),
            (0.0, 0.5, f64::NAN),
            (0.0, 1e-17, 1.0),
            (1e9, 1e-8, 1e9 + 1.0),
        ] {
            let outcome = Clock::new(origin, dt, end);
            assert!(matches!(outcome, Err(Error::Parameter { .. })), "{origin} {dt} {end}: {outcome:?}");
        }
    }

    #[test]
    fn snapshots_fall_on_the_first_step_that_reaches_their_time() {
        let clock = Clock::new(1.0, 1.0 / 128.0, 2.0).unwrap();
        let schedule = Schedule::new(1.0, 0.1, 1.0 / 128.0).unwrap();
        let due: Vec<u64> = (1..clock.steps())
            .filter(|k| schedule.count(clock.time_of(*k)) > schedule.count(clock.time_of(k - 1)))
            .collect();
        assert_eq!(due, [13, 26, 39, 52, 64, 77, 90, 103, 116]); // ceil(m 12.8)
        // an interval of dt itself, which is not exact in binary
        let clock = Clock::new(0.0, 0.1, 1.0).unwrap();
        let each = Schedule::new(0.0, 0.1, 0.1).unwrap();
        assert!((0..10).all(|k| each.count(clock.time_of(k)) == k));
        for every in [0.09, 0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Schedule::new(0.0, every, 0.1).is_err(), "{every}");
        }
    }
}
