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

use super::double::DoubleDouble;
use super::leapfrog::State;
use super::motion::Motion;
use crate::law::Real;

/// Steps of the leapfrog in each column [Bulirsch 1966]. With n = 2, 4, 6, 8, 10, ... the weights of eight columns
/// would make rounding errors 17 times as large; with these they stay as they are.
pub(super) const STEPS: [usize; COLUMNS] = [2, 4, 6, 8, 12, 16, 24, 32];
const COLUMNS: usize = 8;

/// The relative error of a step in s that is accepted where no other is given.
pub(super) const TOLERANCE: f64 = 1e-15;

/// Where an error falls no more, it is that of rounding, which is accepted up to so many tolerances.
const ROUNDING: f64 = 100.0;

/// Steps are shorter than the estimate by this factor, and grow by at most so much.
const SAFETY: f64 = 0.9;
const GROWTH: f64 = 4.0;

/// What became of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attempt {
    /// It is made; the next one may have this length.
    Made(f64),
    /// It is too long by this factor.
    Failed(f64),
}

/// What the columns so far say of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judgement {
    work: f64,
    last: f64,
    /// The most that a step may change by for its work, and by how much.
    best: (f64, f64),
}

impl Default for Judgement {
    fn default() -> Self {
        Judgement { work: STEPS[0] as f64, last: f64::INFINITY, best: (0.0, 0.1) }
    }
}

impl Judgement {
    /// After column k, from 1 on, with this error in tolerances and its [`root`]: what becomes of the step; `None` where another
    /// column decides.
    pub(super) fn after(&mut self, k: usize, error: f64, root: f64) -> Option<Attempt> {
        self.work += STEPS[k] as f64;
        if !error.is_finite() {
            return Some(Attempt::Failed(0.25));
        }
        let factor = (SAFETY * root).clamp(0.02, GROWTH);
        let is_best = factor / self.work > self.best.0;
        if is_best {
            self.best = (factor / self.work, factor);
        }
        if error <= 1.0 || (error < ROUNDING && error > 0.5 * self.last) {
            // one more column may pay
            let more = if is_best && k + 2 < COLUMNS { 1.0 + STEPS[k + 1] as f64 / self.work } else { 1.0 };
            return Some(Attempt::Made((self.best.1 * more).min(GROWTH)));
        }
        self.last = error;
        (k + 1 == COLUMNS).then(|| Attempt::Failed(self.best.1.min(0.7)))
    }
}

/// By what factor an error in tolerances after column k, from 1 on, lets a step grow: error^(-1 / (2 k + 1)), since the difference of
/// two columns is of that order in h. `lanes` applies a function to each number.
#[inline(always)]
pub(super) fn root<V: Real>(error: V, k: usize, lanes: impl Fn(V, fn(f64, i64) -> f64, i64) -> V) -> V {
    let (least, most) = (error.lit(1e-30), error.lit(1e30));
    let x = V::select(error.lt(least), least, V::select(most.lt(error), most, error));
    let (one, m) = (x.lit(1.0), 2 * k as i64 + 1);
    let order = x.lit(m as f64);
    // Newton's method doubles the digits of the guess; all devices round these operations alike
    let mut y = lanes(x, guess, m);
    for _ in 0..5 {
        let mut power = x;
        for _ in 0..m {
            power = power * y;
        }
        y = y + y * (one - power) / order;
    }
    y
}

/// x^(-1/m) to 6 %: the bits of a number are nearly its logarithm.
fn guess(x: f64, m: i64) -> f64 {
    const ONE: i64 = 0x3ff0_0000_0000_0000; // the bits of 1.0
    f64::from_bits((ONE - (x.to_bits() as i64 - ONE) / m) as u64)
}

/// The table of an extrapolation. Memory: 10 states.
#[derive(Clone, Debug)]
pub(super) struct Extrapolation<V = f64> {
    pub(super) columns: Vec<State<V>>,
    /// Extrapolated from all columns so far, and from all but the last.
    pub(super) end: State<V>,
    pub(super) before: State<V>,
    weights: Vec<Vec<f64>>,
    /// The relative error of a step that is accepted.
    pub(super) tolerance: f64,
}

impl Default for Extrapolation {
    fn default() -> Self {
        Extrapolation::of(&State::default())
    }
}

impl Extrapolation {
    /// A step h of s from a state, which leads to `end`.
    pub(super) fn step(&mut self, motion: &mut Motion, from: &State, h: f64) -> Attempt {
        let mut judgement = Judgement::default();
        for (k, steps) in STEPS.into_iter().enumerate() {
            let column = &mut self.columns[k];
            column.copy(from);
            if !motion.leapfrog(column, h / steps as f64, steps) {
                return Attempt::Failed(0.25);
            }
            self.extrapolate(k);
            if k == 0 {
                continue;
            }
            let error = self.error(from) / self.tolerance;
            if let Some(attempt) = judgement.after(k, error, root(error, k, |x, guess, m| guess(x, m))) {
                if matches!(attempt, Attempt::Made(_)) {
                    self.extrapolate_rest(k);
                }
                return attempt;
            }
        }
        Attempt::Failed(0.25)
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
}

impl<V: Real> Extrapolation<V> {
    /// A table for states like this one.
    pub(super) fn of(state: &State<V>) -> Self {
        let square = |column: usize| (STEPS[column] * STEPS[column]) as f64;
        let weight = |k: usize, j: usize| -> f64 {
            (0..=k).filter(|i| *i != j).map(|i| square(j) / (square(j) - square(i))).product()
        };
        Extrapolation {
            columns: vec![state.clone(); COLUMNS],
            end: state.clone(),
            before: state.clone(),
            weights: (0..COLUMNS).map(|k| (0..k).map(|j| weight(k, j)).collect()).collect(),
            tolerance: TOLERANCE,
        }
    }

    /// `end` from the columns up to k, and what it was in `before`.
    #[inline(always)]
    pub(super) fn extrapolate(&mut self, k: usize) {
        std::mem::swap(&mut self.end, &mut self.before);
        let Extrapolation { columns, end, weights, .. } = self;
        let (columns, weights) = (&columns[..=k], &weights[k]);
        let last = &columns[k];
        let zero = last.time.hi.lit(0.0);
        end.links.clone_from(&last.links);
        for (l, link) in end.links.iter_mut().enumerate() {
            for (q, end) in link.iter_mut().enumerate() {
                let last = *end;
                let mut correction = zero;
                for (column, c) in columns.iter().zip(weights) {
                    correction = correction + last.hi.lit(*c) * column.links[l][q].minus(last);
                }
                *end = DoubleDouble::new(last.hi, last.lo + correction);
            }
        }
        let (mut time, mut binding) = (zero, zero);
        for (column, c) in columns.iter().zip(weights) {
            let c = zero.lit(*c);
            time = time + c * column.time.minus(last.time);
            binding = binding + c * column.binding.minus(last.binding);
        }
        end.time = DoubleDouble::new(last.time.hi, last.time.lo + time);
        end.binding = DoubleDouble::new(last.binding.hi, last.binding.lo + binding);
    }

    /// The largest error: of the separations and relative velocities relative to them, and of the time relative to what
    /// has passed. A separation that becomes much smaller keeps the rounding errors of the larger one.
    #[inline(always)]
    pub(super) fn error(&self, from: &State<V>) -> V {
        let Extrapolation { end, before, .. } = self;
        let zero = end.time.hi.lit(0.0);
        let hundredth = zero.lit(0.01);
        let mut worst = zero;
        for ((new, old), begin) in end.links.iter().zip(&before.links).zip(&from.links) {
            for first in [0, 3] {
                let (mut difference, mut size, mut began) = ([zero; 3], [zero; 3], [zero; 3]);
                for q in 0..3 {
                    difference[q] = new[first + q].minus(old[first + q]);
                    size[q] = new[first + q].hi;
                    began[q] = begin[first + q].hi;
                }
                worst = max_or_nan(worst, length(difference) / (length(size) + hundredth * length(began)));
            }
        }
        let passed = end.time.minus(from.time).abs();
        max_or_nan(worst, end.time.minus(before.time).abs() / passed)
    }
}

#[inline(always)]
fn length<V: Real>(v: [V; 3]) -> V {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The maximum, which is NaN where one of the two is: `f64::max` ignores it.
#[inline(always)]
fn max_or_nan<V: Real>(one: V, other: V) -> V {
    let larger = V::select(one.lt(other), other, one);
    V::select(other.same(other), larger, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside the library's power.
    #[test]
    fn roots_are_roots() {
        for k in 1..COLUMNS {
            for power in -29..=29 {
                let x = 10.0_f64.powi(power) * 1.37;
                let found = root(x, k, |x, guess, m| guess(x, m));
                let right = x.powf(-1.0 / (2 * k + 1) as f64);
                // the fifth step of Newton's method leaves less of what is 6 % at the beginning
                assert!((found / right - 1.0).abs() < 1e-6, "{k}: {x:e}, {found} {right}");
            }
        }
    }

    /// The weights extrapolate polynomials of their degree in h^2 exactly.
    #[test]
    fn polynomials_are_extrapolated_exactly() {
        let table: Extrapolation = Extrapolation::default();
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
        let table: Extrapolation = Extrapolation::default();
        for weights in &table.weights {
            let all = weights.iter().copied().chain([1.0 - weights.iter().sum::<f64>()]);
            let noise: f64 = all.zip(STEPS).map(|(c, steps)| c * c / steps as f64).sum();
            assert!(noise.sqrt() < 1.6, "{weights:?}: {noise}");
        }
    }
}
