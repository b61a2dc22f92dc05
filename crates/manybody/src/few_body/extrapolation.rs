//! Extrapolation to the step 0 [Gragg 1965, Bulirsch 1966]: the same stretch of s by 2, 4, 6, ... steps of a leapfrog,
//! whose error is a series in h^2; the polynomial through them in h^2 is evaluated at 0.
//!
//! ```text
//! y_k = sum_j c_kj y(n_j),   c_kj = prod_{i != j} n_j^2 / (n_j^2 - n_i^2),   sum_j c_kj = 1
//!     = y(n_k) + sum_{j < k} c_kj (y(n_j) - y(n_k))
//! ```
//!
//! The second form loses nothing: the differences are small, and y(n_k) has the bits of a compensated sum. The number
//! of columns and the next step are those of least work per s [Deuflhard 1983].

use super::chain::LINK;
use super::double::DoubleDouble;
use super::motion::{Motion, State};

/// Steps of the leapfrog in each column [Bulirsch 1966]. With n = 2, 4, 6, 8, 10, ... the weights of eight columns
/// would make rounding errors 17 times as large; with these they stay as they are.
const STEPS: [usize; COLUMNS] = [2, 4, 6, 8, 12, 16, 24, 32];
const COLUMNS: usize = 8;

/// The relative error of a step in s that is accepted where no other is given.
pub(super) const TOLERANCE: f64 = 1e-15;

/// Where an error falls no more, it is that of rounding, which is accepted up to so many tolerances.
const ROUNDING: f64 = 100.0;

/// Steps are shorter than the estimate by this factor, and grow by at most so much.
const SAFETY: f64 = 0.9;
const GROWTH: f64 = 4.0;

/// What became of a step.
pub(super) enum Attempt {
    /// It is made; the next one may have this length.
    Made(f64),
    /// It is too long by this factor.
    Failed(f64),
}

/// The table of an extrapolation. Memory: 10 states.
#[derive(Clone, Debug)]
pub(super) struct Extrapolation {
    columns: Vec<State>,
    /// Extrapolated from all columns so far, and from all but the last.
    pub(super) end: State,
    before: State,
    weights: Vec<Vec<f64>>,
    /// The relative error of a step that is accepted.
    pub(super) tolerance: f64,
}

impl Default for Extrapolation {
    fn default() -> Self {
        let square = |column: usize| (STEPS[column] * STEPS[column]) as f64;
        let weight = |k: usize, j: usize| -> f64 {
            (0..=k).filter(|i| *i != j).map(|i| square(j) / (square(j) - square(i))).product()
        };
        Extrapolation {
            columns: vec![State::default(); COLUMNS],
            end: State::default(),
            before: State::default(),
            weights: (0..COLUMNS).map(|k| (0..k).map(|j| weight(k, j)).collect()).collect(),
            tolerance: TOLERANCE,
        }
    }
}

impl Extrapolation {
    /// A step h of s from a state, which leads to `end`.
    pub(super) fn step(&mut self, motion: &mut Motion, from: &State, h: f64) -> Attempt {
        let (mut work, mut last, mut best) = (0.0, f64::INFINITY, (0.0, 0.1));
        for k in 0..COLUMNS {
            let column = &mut self.columns[k];
            column.copy(from);
            if !motion.leapfrog(column, h / STEPS[k] as f64, STEPS[k]) {
                return Attempt::Failed(0.25);
            }
            work += STEPS[k] as f64;
            if k == 0 {
                self.end.copy(&self.columns[0]);
                continue;
            }
            std::mem::swap(&mut self.end, &mut self.before);
            self.extrapolate(k);
            let error = self.error(from) / self.tolerance;
            if !error.is_finite() {
                return Attempt::Failed(0.25);
            }
            // the difference of two columns is of order 2 k + 1 in h
            let factor = (SAFETY * libm::pow(error, -1.0 / (2 * k + 1) as f64)).clamp(0.02, GROWTH);
            let is_best = factor / work > best.0;
            if is_best {
                best = (factor / work, factor);
            }
            if error <= 1.0 || (error < ROUNDING && error > 0.5 * last) {
                // one more column may pay
                let more = if is_best && k + 2 < COLUMNS { 1.0 + STEPS[k + 1] as f64 / work } else { 1.0 };
                self.extrapolate_rest(k);
                return Attempt::Made((best.1 * more).min(GROWTH));
            }
            last = error;
        }
        Attempt::Failed(best.1.min(0.7))
    }

    /// `end` from the columns up to k.
    fn extrapolate(&mut self, k: usize) {
        let Extrapolation { columns, end, weights, .. } = self;
        let (columns, weights) = (&columns[..=k], &weights[k]);
        let last = &columns[k];
        end.links.clear();
        for (l, link) in last.links.iter().enumerate() {
            let mut correction = [0.0; LINK];
            for (column, c) in columns.iter().zip(weights) {
                let from = &column.links[l];
                (0..LINK).for_each(|q| correction[q] += c * from[q].minus(link[q]));
            }
            end.links.push(std::array::from_fn(|q| DoubleDouble::new(link[q].hi, link[q].lo + correction[q])));
        }
        let single = |of: fn(&State) -> DoubleDouble| {
            let correction: f64 = columns.iter().zip(weights).map(|(column, c)| c * of(column).minus(of(last))).sum();
            DoubleDouble::new(of(last).hi, of(last).lo + correction)
        };
        (end.time, end.binding) = (single(|state| state.time), single(|state| state.binding));
    }

    /// What of `end` has no part in the error, from the columns up to k.
    fn extrapolate_rest(&mut self, k: usize) {
        let Extrapolation { columns, end, weights, .. } = self;
        let (columns, weights) = (&columns[..=k], &weights[k]);
        let last = &columns[k];
        end.spread = std::array::from_fn(|q| {
            let correction = |(column, c): (&State, &f64)| c * (column.spread[q] - last.spread[q]);
            last.spread[q] + columns.iter().zip(weights).map(correction).sum::<f64>()
        });
        end.deflections.clone_from(&last.deflections);
        for (column, c) in columns.iter().zip(weights) {
            let differences = column.deflections.iter().zip(&last.deflections);
            end.deflections.iter_mut().zip(differences).for_each(|(end, (of, last))| end.add(*c, of, last));
        }
    }

    /// The largest error: of the separations and relative velocities relative to them, and of the time relative to what
    /// has passed. A separation that becomes much smaller keeps the rounding errors of the larger one.
    fn error(&self, from: &State) -> f64 {
        let Extrapolation { end, before, .. } = self;
        let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let mut worst: f64 = 0.0;
        for ((new, old), begin) in end.links.iter().zip(&before.links).zip(&from.links) {
            for first in [0, 3] {
                let difference = length(std::array::from_fn(|q| new[first + q].minus(old[first + q])));
                let size = length(std::array::from_fn(|q| new[first + q].hi));
                let began = length(std::array::from_fn(|q| begin[first + q].hi));
                worst = worst.max_or_nan(difference / (size + 0.01 * began));
            }
        }
        let passed = end.time.minus(from.time).abs();
        worst.max_or_nan(end.time.minus(before.time).abs() / passed)
    }
}

/// The maximum, which is NaN where one of the two is: `f64::max` ignores it.
trait MaxOrNan {
    fn max_or_nan(self, other: f64) -> f64;
}

impl MaxOrNan for f64 {
    fn max_or_nan(self, other: f64) -> f64 {
        if other.is_nan() || other > self { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weights extrapolate polynomials of their degree in h^2 exactly.
    #[test]
    fn polynomials_are_extrapolated_exactly() {
        let table = Extrapolation::default();
        for (k, weights) in table.weights.iter().enumerate() {
            for power in 1..=k as i32 {
                let value = |column: usize| (1.0 / STEPS[column] as f64).powi(2 * power);
                let last = value(k);
                let found = last + weights.iter().enumerate().map(|(j, c)| c * (value(j) - last)).sum::<f64>();
                // largest where the terms are: (1/2)^2 with weights up to 8
                assert!(found.abs() < 1e-15, "{k} columns, h^{}: {found:e}", 2 * power);
            }
        }
    }

    /// The number of the documentation: rounding errors of columns are not multiplied by much.
    #[test]
    fn rounding_errors_stay_small() {
        let table = Extrapolation::default();
        for weights in &table.weights {
            let all = weights.iter().copied().chain([1.0 - weights.iter().sum::<f64>()]);
            let noise: f64 = all.zip(STEPS).map(|(c, steps)| c * c / steps as f64).sum();
            assert!(noise.sqrt() < 1.6, "{weights:?}: {noise}");
        }
    }
}
