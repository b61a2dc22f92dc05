//! Levels of block time steps, and time as an integer.
//!
//! A step of the run has 2^52 ticks, which f64 holds exactly. A body of level k has a step of 2^(52 - k) ticks and is active
//! at the multiples of it.

use crate::{Error, Result};

/// The ticks of a step of the run.
pub(super) const FULL: f64 = (1_u64 << BITS) as f64;
const BITS: i32 = 52;

/// Where no least step is given, levels up to this one serve: twelve halvings before a tick.
const DEEPEST: i32 = 40;

/// The levels of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    of: Vec<u8>,
    /// How many bodies have each level.
    counts: Vec<usize>,
    dt: f64,
    /// That of the largest and of the smallest step.
    top: i32,
    bottom: i32,
    /// The smallest step was given: bodies keep it, whatever they need.
    is_limited: bool,
}

impl Levels {
    /// n bodies of level 0 in a step dt of the run.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a dt-min that is above dt-max, or so small that integers have no room for it.
    pub(super) fn reset(&mut self, n: usize, dt: f64, dt_max: Option<f64>, dt_min: Option<f64>) -> Result<()> {
        self.of.clear();
        self.of.resize(n, 0);
        self.counts.clear();
        self.counts.resize(BITS as usize + 1, 0);
        self.counts[0] = n;
        (self.dt, self.is_limited, self.bottom) = (dt, dt_min.is_some(), BITS);
        self.top = dt_max.map_or(0, |most| self.level_of(most));
        self.bottom = match dt_min {
            // the smallest power of two that is not below the limit, or the largest step, where dt is cut at the end
            Some(least) => ((dt / least).log2().floor() as i32).max(self.top),
            None => DEEPEST,
        };
        if self.bottom > BITS || self.top > self.bottom {
            return Err(Error::Parameter {
                name: "dt-min",
                value: dt_min.unwrap_or_default().to_string(),
                expected: format!("must be at most dt-max, and at least dt / 2^{BITS}, here {:e}", dt / FULL),
            });
        }
        Ok(())
    }

    /// The level of the largest step that is not above `step`.
    fn level_of(&self, step: f64) -> i32 {
        let quotient = self.dt / step;
        if quotient.is_nan() {
            return 0;
        }
        // the logarithm, rounded up
        let mut level = (exponent(quotient) + i32::from(quotient.to_bits() << 12 != 0)).clamp(0, BITS);
        // a quotient is rounded
        while level > 0 && self.dt * halved(level - 1) <= step {
            level -= 1;
        }
        while level < BITS && self.dt * halved(level) > step {
            level += 1;
        }
        level
    }

    /// The level of a step that a body carries from the last step of the run.
    pub(super) fn of_step(&self, step: f64) -> i32 {
        self.level_of(step).clamp(self.top, self.bottom)
    }

    /// The level of the largest step that is not above the required one: `ratio` is the square of required / present step.
    pub(super) fn of_squared(&self, level: i32, ratio: f64) -> i32 {
        // 0 for NaN, which no force leads to
        let exponent = if ratio.is_nan() { 0 } else { exponent(ratio) };
        level - (exponent >> 1)
    }

    /// A level that steps may have, not above `highest`.
    pub(super) fn clamped(&self, level: i32, highest: i32) -> i32 {
        level.min(self.bottom).max(highest).max(self.top)
    }

    /// A level for first steps, of which little is known: a quarter of the largest step at most.
    pub(super) fn first(&self, level: i32) -> i32 {
        self.clamped(level.max(self.top + 2), 0)
    }

    /// Whether a level is beyond what there is room for, and no limit was given.
    pub(super) fn is_too_deep(&self, level: i32) -> bool {
        level > self.bottom && !self.is_limited
    }

    /// The smallest step.
    pub(super) fn least(&self) -> f64 {
        self.dt * halved(self.bottom)
    }

    /// The levels of all bodies.
    pub(super) fn all(&self) -> &[u8] {
        &self.of
    }

    /// The levels of the largest and of the smallest step, and whether the smallest was given.
    pub(super) fn limits(&self) -> ([u8; 2], bool) {
        ([self.top as u8, self.bottom as u8], self.is_limited)
    }

    pub(super) fn get(&self, k: usize) -> i32 {
        i32::from(self.of[k])
    }

    pub(super) fn set(&mut self, k: usize, level: i32) {
        self.counts[usize::from(self.of[k])] -= 1;
        self.of[k] = level as u8;
        self.counts[level as usize] += 1;
    }

    pub(super) fn set_all(&mut self, level: i32) {
        self.of.fill(level as u8);
        self.counts.fill(0);
        self.counts[level as usize] = self.of.len();
    }

    /// The level of the smallest step that a body has.
    pub(super) fn deepest(&self) -> i32 {
        self.counts.iter().rposition(|count| *count > 0).unwrap_or(0) as i32
    }

    /// The next time at which a body is active.
    pub(super) fn next(&self, time: f64) -> f64 {
        let step = 1_u64 << (BITS - self.deepest());
        ((time as u64 / step + 1) * step) as f64
    }

    /// The bodies that are active at `time`, in their order.
    pub(super) fn active(&self, time: f64, out: &mut Vec<usize>) {
        out.clear();
        let highest = highest(time) as u8;
        // most blocks have few bodies: so many are passed over at once where there is not one
        const MANY: usize = 32;
        for (chunk, levels) in self.of.chunks(MANY).enumerate() {
            if levels.iter().fold(0, |deepest, level| deepest.max(*level)) >= highest {
                out.extend((0..levels.len()).filter(|k| levels[*k] >= highest).map(|k| chunk * MANY + k));
            }
        }
    }
}

/// The logarithm to base 2 of a positive number, rounded down.
fn exponent(number: f64) -> i32 {
    ((number.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// A half to the power of a level.
pub(super) fn halved(level: i32) -> f64 {
    f64::from_bits(((1023 - level) as u64) << 52)
}

/// The least level whose steps end at `time`.
pub(super) fn highest(time: f64) -> i32 {
    BITS - (time as u64).trailing_zeros().min(BITS as u32) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(n: usize, dt: f64, dt_max: Option<f64>, dt_min: Option<f64>) -> Levels {
        let mut levels = Levels::default();
        levels.reset(n, dt, dt_max, dt_min).unwrap();
        levels
    }

    #[test]
    fn halves_are_powers() {
        (0..=BITS).for_each(|level| assert_eq!(halved(level), 0.5_f64.powi(level)));
    }

    #[test]
    fn bodies_are_active_where_their_steps_end() {
        let mut all = levels(3, 0.25, None, None);
        [0, 1, 3].into_iter().enumerate().for_each(|(k, level)| all.set(k, level));
        let (mut time, mut seen, mut active) = (0.0, Vec::new(), Vec::new());
        while time < FULL {
            time = all.next(time);
            all.active(time, &mut active);
            seen.push((time * 8.0 / FULL, active.clone()));
        }
        let last = |k| {
            if k == 8 {
                vec![0, 1, 2]
            } else if k == 4 {
                vec![1, 2]
            } else {
                vec![2]
            }
        };
        assert_eq!(seen, (1..=8).map(|k| (f64::from(k), last(k))).collect::<Vec<_>>());
        assert_eq!((highest(FULL), highest(FULL / 2.0), highest(1.0), highest(FULL * 0.75)), (0, 1, 52, 2));
    }

    #[test]
    fn a_step_is_the_largest_that_is_not_above_the_required_one() {
        let all = levels(1, 0.1, None, None);
        for (wanted, level) in [(0.1, 0), (0.2, 0), (0.0999, 1), (0.05, 1), (0.0499, 2), (0.1 / 1024.0, 10)] {
            assert_eq!(all.of_step(wanted), level, "{wanted}");
            let ratio: f64 = wanted / 0.1;
            assert_eq!(all.clamped(all.of_squared(0, ratio * ratio), 0), level, "{wanted}");
        }
        // from another level, and the values that no step follows from
        assert_eq!(all.of_squared(5, 0.25), 6);
        assert_eq!(all.of_squared(5, 4.1), 4);
        assert_eq!(all.clamped(all.of_squared(5, f64::INFINITY), 3), 3);
        assert_eq!(all.clamped(all.of_squared(5, f64::NAN), 3), 5);
        assert!(all.is_too_deep(all.of_squared(30, 0.0)));
    }

    #[test]
    fn limits_are_kept_and_impossible_ones_refused() {
        let all = levels(1, 1.0, Some(0.3), Some(0.01));
        assert_eq!((all.clamped(0, 0), all.clamped(20, 0)), (2, 6));
        assert!(!all.is_too_deep(20));
        assert!(Levels::default().reset(1, 1.0, Some(0.1), Some(1e-20)).is_err());
    }
}
