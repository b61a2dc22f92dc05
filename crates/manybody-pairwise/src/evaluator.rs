//! The evaluator: a law on a device, the same trait on CPUs and GPUs.

use crate::Result;
#[cfg(doc)]
use crate::law::Law;
use crate::law::{PairInputs, Targets};
use crate::watch::Watch;
use manybody_ranks::Team;
use std::time::Instant;

/// A law on a device, ready to be evaluated: at once, or loaded first and computed as often as needed.
pub trait Evaluator: Send {
    /// Brings the bodies to the device, in place of those that were there. Kernels are compiled when a law is first used in
    /// a form.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for sets that do not fit the law,
    /// [`Error::Device`](crate::Error::Device) if memory does not suffice.
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()>;

    /// Evaluates what was loaded; may return before the device has finished.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`](crate::Error::Interrupted) where a watch asks for an end.
    fn compute(&mut self) -> Result<()>;

    /// Waits, and brings the results of the last [`compute`](Self::compute) back: one column a result, each \[n_i\], as
    /// [`Law::result_columns`] names them.
    ///
    /// # Errors
    /// Those of the device.
    fn fetch(&mut self) -> Result<Vec<Vec<f64>>>;

    /// Says what the law's results stay below, one number each: fixed-point sums need to know before the bodies come, others
    /// do not ask. A result that leaves its range is NaN.
    fn bound(&mut self, _range: &[f64]) {}

    /// Makes it report long evaluations, and end them with [`Error::Interrupted`](crate::Error::Interrupted) where that is
    /// allowed and requested.
    fn watch(&mut self, _watch: &Watch) {}

    /// Whether this evaluator can share an evaluation with other ranks.
    fn can_share(&self) -> bool {
        false
    }

    /// From now on, evaluations are shared with these ranks, each of which makes the same calls; `None` ends that. Rank 0 gets the
    /// results, those of one process bit for bit; what the other ranks get is of no use.
    fn share(&mut self, _team: Option<&Team>) {}

    /// Seconds of an evaluation of what was loaded, the mean of `repeats` in a row.
    ///
    /// # Errors
    /// Those of the device.
    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        let start = Instant::now();
        (0..repeats).try_for_each(|_| self.compute())?;
        Ok(start.elapsed().as_secs_f64() / repeats as f64)
    }

    /// What the law makes of the sets: the three steps in one.
    ///
    /// # Errors
    /// As the steps.
    fn evaluate(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        self.load(inputs)?;
        self.compute()?;
        self.fetch()
    }

    /// What the law makes of some of the bodies acted on, in the order of the targets: columns of as many numbers. The cost
    /// is that of the pairs of targets and sources.
    ///
    /// # Errors
    /// As the steps, and as [`PairInputs::at`].
    fn evaluate_at(&mut self, inputs: &PairInputs<'_>, targets: &Targets<'_>) -> Result<Vec<Vec<f64>>> {
        inputs.at(targets, |inputs| self.evaluate(inputs))?
    }
}
