//! What `force --law` and `bench --law` share: a law from its name, its parameters, a device that evaluates it, and the
//! errors of the results.

use manybody::Error;
use manybody::audit::{self, law::Computed};
use manybody::forces::law_text;
use manybody::law::{Cell, Law, PairInputs};
use manybody::norm::{norm, rms};
use manybody::solver::{Method, Precision};
use std::path::Path;

/// A built-in law, a text, or a file that holds one.
///
/// # Errors
/// Those of the file, and of the text with line and column.
pub(crate) fn read(law: &str) -> Result<Law, Error> {
    Law::by_name_or_text(&law_text(law, Path::new(""))?)
}

/// Errors of a law's results against f64 at a sample of bodies: for each result the difference over the root mean
/// square of the result, and of a body's results the worst.
pub(crate) struct SampleError {
    pub(crate) count: usize,
    pub(crate) median: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
    /// How many of the sample's labels (whose the smallest value was) differ.
    pub(crate) labels: usize,
    /// The bodies, and what f64 makes of them.
    sample: Vec<usize>,
    want: Vec<Vec<f64>>,
    /// The body and the result that the largest error is of.
    worst: usize,
    result: String,
}

/// What errors are judged by.
pub(crate) struct Judge<'a> {
    pub(crate) method: &'a Method,
    /// What was asked for in place of what the precision explains.
    pub(crate) limit: Option<f64>,
    pub(crate) time: f64,
    pub(crate) id: &'a dyn Fn(usize) -> u64,
}

/// The number of bodies at which results are compared with f64.
const SAMPLE: usize = 256;
/// Pairs that the oracle may take, a second of work.
const PAIRS: usize = 1 << 20;
/// The largest error that is no reason for a warning, though the precision explains it: that of the energy of a run, too.
const MAX_ERROR_IN_SILENCE: f64 = 0.1;

impl SampleError {
    /// Compares results with f64: those of f32 with the evaluator in f64, those of f64 with plain loops at as many
    /// bodies as that takes a second for.
    ///
    /// # Errors
    /// Those of the sets.
    pub(crate) fn new(
        law: &Law,
        inputs: &PairInputs<'_>,
        method: &Method,
        results: &[Vec<f64>],
    ) -> Result<Self, Error> {
        let (n, partners) = inputs.lens();
        let most = if method.precision == Precision::F32 { SAMPLE } else { (PAIRS / partners.max(1)).clamp(1, SAMPLE) };
        let count = n.min(most);
        let sample: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        let want = audit::law::reference(law, inputs, &sample, method)?;
        let mut worst = vec![0.0f64; count];
        let mut worst_of = vec![String::new(); count];
        let mut labels = 0;
        let mut column = 0;
        for field in law.results() {
            let two = matches!(field.cell, Cell::ArgMin | Cell::ArgMax);
            let step = 1 + usize::from(two);
            let values: Vec<usize> = (0..field.width).map(|k| column + step * k).collect();
            column += step * field.width;
            if two {
                let differs = |(k, b): (usize, &usize)| values.iter().any(|v| results[v + 1][*b] != want[v + 1][k]);
                labels += sample.iter().enumerate().filter(|(k, b)| differs((*k, b))).count();
            }
            let size = |k: usize| norm(values.iter().map(|v| want[*v][k]));
            // what is infinite for lack of partners has no size
            let rms = rms((0..count).map(size).filter(|s| s.is_finite()));
            let rms = if rms > 0.0 { rms } else { 1.0 };
            for (k, b) in sample.iter().enumerate() {
                let off = |v: &usize| {
                    let (got, want) = (results[*v][*b], want[*v][k]);
                    if got == want { 0.0 } else { got - want }
                };
                let off = norm(values.iter().map(off)) / rms;
                if !worst[k].is_nan() && (off.is_nan() || off > worst[k]) {
                    worst[k] = off;
                    worst_of[k].clone_from(&field.name);
                }
            }
        }
        // an infinite result is right where f64 gives the same infinity; NaN is always wrong
        let overflow = |(k, b): (usize, &usize)| {
            let differs = |c: usize| results[c][*b] != want[c][k] && !want[c][k].is_finite();
            (0..want.len()).find(|c| differs(*c)).map(|c| (*b, c, want[c][k]))
        };
        if let Some((body, column, value)) = sample.iter().enumerate().find_map(overflow) {
            let value = format!("{} = {value} for body {body}", law.result_columns()[column]);
            let expected = "f64 overflows in the evaluation, so no audit can check the result: other units are needed, \
                            or --audit 0";
            return Err(Error::Parameter { name: "audit", value, expected: expected.into() });
        }
        let largest = (0..count).max_by(|a, b| worst[*a].total_cmp(&worst[*b])).unwrap_or(0);
        let result = worst_of.into_iter().nth(largest).unwrap_or_default();
        let largest = sample.get(largest).copied().unwrap_or(0);
        worst.sort_by(f64::total_cmp); // NaN sorts last and shows as the maximum
        let at = |share: f64| match count {
            0 => 0.0,
            _ => worst[((count - 1) as f64 * share).ceil() as usize],
        };
        let [median, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(at);
        Ok(SampleError { count, median, p99, p999, max, labels, sample, want, worst: largest, result })
    }

    /// What to say of an error that the precision explains, as by numbers below its range, and that leaves little of the
    /// result.
    pub(crate) fn warning(&self, precision: Precision) -> Option<String> {
        let other = if precision == Precision::F32 { "--precision f64 or other units" } else { "other units" };
        (self.max > MAX_ERROR_IN_SILENCE).then(|| {
            format!(
                "{} of body {} is off by {:.1e} of its rms, as {precision} explains: its numbers are too large, too small or \
                 too near each other for that; {other} would help",
                self.result, self.worst, self.max
            )
        })
    }

    /// Refuses what is wrong by more than the precision explains, or by more than a limit that was set.
    ///
    /// # Errors
    /// [`Error::Audit`] naming the body and the result.
    pub(crate) fn judge(
        &self,
        law: &Law,
        inputs: &PairInputs<'_>,
        results: &[Vec<f64>],
        by: &Judge<'_>,
    ) -> Result<(), Error> {
        match by.limit {
            Some(limit) if self.max <= limit => Ok(()),
            Some(limit) => Err(Error::Audit {
                time: by.time,
                index: self.worst,
                id: (by.id)(self.worst),
                result: format!("{}, in its rms,", self.result),
                error: self.max,
                limit,
                cause: "the limit that was set".into(),
            }),
            None => {
                let Method { device, precision, .. } = *by.method;
                let computed = Computed { device, precision, time: by.time };
                audit::law::check(law, inputs, &self.sample, results, &self.want, &computed, by.id)
            }
        }
    }
}

impl std::fmt::Display for SampleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "error against f64 at {}, in the rms of each result: median {:.1e}, p99 {:.1e}, max {:.1e}",
            crate::console::bodies(self.count),
            self.median,
            self.p99,
            self.max
        )?;
        if self.labels > 0 {
            write!(f, "; {} labels differ, as equally near bodies may", self.labels)?;
        }
        Ok(())
    }
}
