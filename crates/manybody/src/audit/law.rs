//! The audit of a law's results: at some bodies the law is evaluated in f64, by its oracle where the run itself is in
//! f64, and results must be as near to that as rounding explains.

use super::{ForceErrors, check_limit, compare_with};
use crate::forces::Audited;
use crate::law::audit::Arithmetic;
use crate::law::{Law, PairInputs, Targets};
use crate::simd::Level;
use crate::solver::{Device, Interpreter, Precision};
use crate::{Error, Result};

/// What a law makes of the bodies of a `sample`: in f64 by vectors for results of f32, by plain loops for those of f64.
///
/// # Errors
/// Those of the sets.
pub fn reference(law: &Law, inputs: &PairInputs<'_>, sample: &[usize], precision: Precision) -> Result<Vec<Vec<f64>>> {
    match precision {
        Precision::F32 => {
            Interpreter::new(law, Level::from_env()?, Precision::F64).evaluate_at(inputs, &Targets::List(sample))
        }
        Precision::F64 | Precision::Mixed => law.oracle_at(inputs, sample),
    }
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
    let want = reference(law, inputs, sample, method.precision)?;
    let reference = |k: usize, i: usize| (of(&want, k, bodies.mass[i]), 0.0);
    let (found, rms, held) = compare_with(bodies, forces, sample, *time, reference)?;
    match limit {
        Some(limit) => check_limit(bodies, &held, rms, *limit, *time)?,
        None => {
            let by = Computed { device: method.device, precision: method.precision, time: *time };
            check(law, inputs, sample, results, &want, &by, &|index| bodies.id[index])?;
        }
    }
    Ok(found)
}
