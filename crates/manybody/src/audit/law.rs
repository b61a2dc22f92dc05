//! The audit of a law's results: at some bodies the law is evaluated in f64, by its oracle where the run itself is in
//! f64, and results must be as near to that as rounding explains. Results by expansions must be as near to all pairs as
//! was promised.

use super::expansion::halved;
use super::{ForceErrors, check_limit, compare_with};
use crate::forces::Audited;
use crate::law::audit::Arithmetic;
use crate::law::{Law, PairInputs, Targets};
use crate::solver::{Device, Interpreter, Method, Precision};
use crate::watch::Watch;
use crate::{Error, Result};
use manybody_law::norm::norm;
use manybody_tree::LawAccuracy;

/// What a law makes of the bodies of a `sample`: in f64 by vectors for results of a method in f32, by plain loops for those
/// of f64.
///
/// # Errors
/// Those of the sets.
pub fn reference(law: &Law, inputs: &PairInputs<'_>, sample: &[usize], method: &Method) -> Result<Vec<Vec<f64>>> {
    match method.precision {
        Precision::F32 => {
            Interpreter::new(law, method.level()?, Precision::F64).evaluate_at(inputs, &Targets::List(sample))
        }
        Precision::F64 | Precision::Mixed => law.oracle_at(inputs, sample),
    }
}

/// Errors of a law's results by expansions: of each body that of the worst member of its results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LawErrors {
    /// How many bodies were audited.
    pub sample: usize,
    /// Half of the sample is below.
    pub median: f64,
    /// 99 % of the sample are at most this.
    pub p99: f64,
    /// 99 % of all bodies are at most this, with a probability of 95 %: of a sample of 512 the second largest error. Of all
    /// bodies it is `p99`.
    pub bound: f64,
    /// The largest.
    pub max: f64,
}

impl LawErrors {
    /// Whether 99 % of all bodies have this error at most, as far as the sample shows; NaN is not a small error.
    pub fn are_below(&self, error: f64) -> bool {
        self.bound <= error
    }
}

/// What a law makes of the bodies of a `sample` for all pairs, in f64, by the vectors of a method.
///
/// # Errors
/// Those of the sets, and [`Error::Interrupted`] where the watch asks for an end.
pub fn of_all_pairs(
    law: &Law,
    inputs: &PairInputs<'_>,
    sample: &[usize],
    method: &Method,
    watch: &Watch,
) -> Result<Vec<Vec<f64>>> {
    let direct = Interpreter::new(law, method.level()?, Precision::F64).watched(watch);
    direct.evaluate_at(inputs, &Targets::List(sample))
}

/// The errors of results at a `sample`, for which `want` has one number each. The error of a member of the results, a
/// number or a vector, is relative to its size at that body, or to the median size of all bodies where that is larger:
/// where the terms of a sum cancel, its own size is no measure, and the largest of all may be that of one close pair. Of a
/// sample, what 45 % of it are below stands for the median, which is above it with a probability of 98 % (512 bodies):
/// where half of the bodies have much smaller results, the median of a sample could be that of either half. All errors are
/// NaN where one is.
pub fn relative_errors(law: &Law, sample: &[usize], results: &[Vec<f64>], want: &[Vec<f64>]) -> LawErrors {
    let (mut first, mut worst) = (0, vec![0.0_f64; sample.len()]);
    let is_whole = results.first().is_some_and(|column| column.len() == sample.len());
    let middle = if is_whole { sample.len() / 2 } else { (0.45 * sample.len() as f64) as usize };
    for field in law.results() {
        let columns = first..first + field.numbers();
        first = columns.end;
        let norm = |number: &dyn Fn(usize) -> f64| norm(columns.clone().map(number));
        let sizes: Vec<f64> = (0..sample.len()).map(|k| norm(&|c| want[c][k])).collect();
        let mut sorted = sizes.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(middle).copied().unwrap_or(0.0);
        for (k, body) in sample.iter().enumerate() {
            let off = norm(&|c| results[c][*body] - want[c][k]);
            let error = if off == 0.0 { 0.0 } else { off / sizes[k].max(median) };
            worst[k] = if worst[k].is_nan() || error.is_nan() { f64::NAN } else { worst[k].max(error) };
        }
    }
    // NaN comes last
    worst.sort_by(f64::total_cmp);
    let max = worst.last().copied().unwrap_or(0.0);
    let at = |share: f64| match worst.get((worst.len().saturating_sub(1) as f64 * share).ceil() as usize) {
        Some(error) if !max.is_nan() => *error,
        _ => max,
    };
    let [median, p99] = [0.5, 0.99].map(at);
    let bound = match worst.len().checked_sub(1 + above(worst.len())) {
        Some(k) if !is_whole && !max.is_nan() => worst[k],
        _ => p99,
    };
    LawErrors { sample: sample.len(), median, p99, bound, max }
}

/// How many of a sample of `n` may be above an error of which one says, with a probability of 95 % to be right, that no more
/// than 1 % of all are: the most k for which a binomial distribution of n draws with 1 % each has at most k with a
/// probability of 5 % or less. 0 for samples below 299, of which all must be below.
fn above(n: usize) -> usize {
    const SHARE: f64 = 0.01;
    // far from zero the distribution is the normal one, to a tenth of its width
    if n > 10_000 {
        let mean = SHARE * n as f64;
        return (mean - 1.645 * (mean * (1.0 - SHARE)).sqrt()) as usize;
    }
    let mut term = (1.0 - SHARE).powf(n as f64);
    let (mut sum, mut k) = (term, 0);
    loop {
        term *= (n - k) as f64 / (k + 1) as f64 * SHARE / (1.0 - SHARE);
        sum += term;
        if sum > 0.05 || k + 1 >= n {
            return k;
        }
        k += 1;
    }
}

/// The method with half the tolerance, after an audit found these errors; `None` where they are what was promised, and
/// where no tolerance decides.
pub fn tightened(method: &Method, errors: &LawErrors) -> Option<Method> {
    halved(method, errors.bound, |method| LawAccuracy::of(method).ok().map(|accuracy| accuracy.opening))
}

/// How the results of a law were computed.
#[derive(Clone, Copy, Debug)]
pub struct Computed {
    /// The device.
    pub device: Device,
    /// The precision.
    pub precision: Precision,
    /// Simulation time, for messages.
    pub time: f64,
}

/// Refuses results that are further from those in f64 (`want`, one for each of `sample`) than rounding explains.
///
/// # Errors
/// [`Error::Audit`] naming the body and the result; those of [`Law::find_wrong`].
pub fn check(
    law: &Law,
    inputs: &PairInputs<'_>,
    sample: &[usize],
    results: &[Vec<f64>],
    want: &[Vec<f64>],
    by: &Computed,
    id: &dyn Fn(usize) -> u64,
) -> Result<()> {
    let Computed { device, precision, time } = *by;
    let arithmetic = Arithmetic::of(device, precision, law.has_one_kind());
    let Some(found) = law.find_wrong(inputs, sample, results, want, &arithmetic)? else { return Ok(()) };
    let [got, want] = found.values;
    let cause = format!(
        "the most that {precision} on {device} explains: it is {got:e}, and {want:e} in f64. Another --device shows \
         which one is at fault; intermediate numbers outside the range of {precision} make such errors, too"
    );
    let (index, result) = (found.body, format!("result {}", found.result));
    Err(Error::Audit { time, index, id: id(index), result, error: (got - want).abs(), limit: found.limit, cause })
}

/// The errors of accelerations that follow from a law's `results`; `of` makes the acceleration of body i, of that
/// mass, from entry k of some results.
///
/// # Errors
/// [`Error::Audit`] for what is wrong by more than the limit of `audited`, or without one, by more than rounding
/// explains.
pub(crate) fn errors(
    law: &Law,
    inputs: &PairInputs<'_>,
    results: &[Vec<f64>],
    audited: &Audited<'_>,
    of: impl Fn(&[Vec<f64>], usize, f64) -> [f64; 3] + Sync,
) -> Result<ForceErrors> {
    let Audited { bodies, forces, sample, time, method, limit } = audited;
    let want = reference(law, inputs, sample, method)?;
    let reference = |k: usize, i: usize| (of(&want, k, bodies.mass[i]), 0.0);
    let (found, rms, held) = compare_with(bodies, forces, sample, *time, &Watch::default(), reference)?;
    match limit {
        Some(limit) => check_limit(bodies, &held, rms, *limit, *time)?,
        None => {
            let by = Computed { device: method.device, precision: method.precision, time: *time };
            check(law, inputs, sample, results, &want, &by, &|index| bodies.id[index])?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By SciPy: binom.cdf(k, n, 0.01) is at most 0.05 at these k and above at the next.
    #[test]
    fn a_sample_bounds_what_all_have() {
        for (n, k) in [(1, 0), (298, 0), (299, 0), (472, 0), (473, 1), (512, 1), (1000, 4), (10_000, 83), (20_000, 176)]
        {
            assert_eq!(above(n), k, "{n}");
        }
    }

    /// Of half of the bodies the results are a thousand times smaller: the errors are relative to the smaller half's size,
    /// whichever half the middle of the sample falls in.
    #[test]
    fn the_scale_is_not_that_of_the_larger_half() {
        let law = Law::parse("body x; sum s = j.x").unwrap();
        let n = 10_000;
        let result = |k: usize| if k < n / 2 { 1e-3 } else { 1.0 };
        let results = [(0..n).map(|k| result(k) + 1e-7).collect()];
        let whole: Vec<usize> = (0..n).collect();
        let errors =
            |sample: &[usize]| relative_errors(&law, sample, &results, &[sample.iter().map(|k| result(*k)).collect()]);
        // 250 of the smaller half and 262 of the larger one
        let sample: Vec<usize> = (0..250).chain(n / 2..n / 2 + 262).collect();
        assert!((errors(&sample).bound - 1e-4).abs() < 1e-9, "{:?}", errors(&sample));
        assert!(!errors(&sample).are_below(0.9e-4));
        // of all bodies it is the median itself, here the first of the larger half
        assert!((errors(&whole).max - 1e-7).abs() < 1e-9, "{:?}", errors(&whole));
    }

    #[test]
    fn a_sample_of_which_too_many_are_above_is_refused() {
        let law = Law::parse("body x; sum s = j.x").unwrap();
        let n = 10_000;
        let with = |wrong: usize| -> Vec<f64> { (0..n).map(|k| if k < wrong { 1.01 } else { 1.0 }).collect() };
        let sample: Vec<usize> = (0..512).collect();
        let errors = |wrong| relative_errors(&law, &sample, &[with(wrong)], &[vec![1.0; 512]]);
        assert!(errors(1).are_below(1e-3) && !errors(2).are_below(1e-3) && errors(5).p99 < 1e-3);
        let whole: Vec<usize> = (0..n).collect();
        let errors = |wrong| relative_errors(&law, &whole, &[with(wrong)], &[vec![1.0; n]]);
        assert!(errors(99).are_below(1e-3) && !errors(101).are_below(1e-3));
        assert!(!relative_errors(&law, &sample, &[vec![f64::NAN; n]], &[vec![1.0; 512]]).are_below(1e300));
    }
}
