//! Forces by expansions: 99 of 100 bodies must have the relative error that is promised.

use super::Held;
use crate::solver::{Expansion, Method, Precision};
use crate::{Bodies, Error, Result};
use manybody_tree::{Accuracy, Opening};

/// How many bodies show whether 99 of 100 have an error.
pub const EXPANSION_SAMPLE: usize = 512;

/// So many standard deviations more bodies beyond the error than one in a hundred are no chance: once in 30,000 audits.
const DEVIATIONS: f64 = 4.0;

/// The method with half the tolerance, after an audit of so many `bodies` found that 99 of 100 have the error `found`;
/// `None` where that is what was promised, and where no tolerance decides.
pub fn tightened(method: &Method, bodies: usize, found: f64) -> Option<Method> {
    let opening = |method: &Method| Accuracy::of(method).ok().map(|accuracy| accuracy.of_bodies(bodies).opening);
    halved(method, found, opening)
}

/// The method with half the tolerance of its `opening`, unless `found` is the error that is promised; NaN is not.
pub(super) fn halved(method: &Method, found: f64, opening: impl Fn(&Method) -> Option<Opening>) -> Option<Method> {
    let expansion = method.expansion;
    let promise = expansion.promise()?;
    if found <= promise {
        return None;
    }
    let promised = Expansion { rtol: Some(promise), ..expansion };
    let Opening::Error(tolerance) = opening(&Method { expansion: promised, ..method.clone() })? else { return None };
    Some(Method { expansion: Expansion { tolerance: Some(tolerance / 2.0), ..expansion }, ..method.clone() })
}

/// Whether so many of a sample may be beyond an error by chance, where one in a hundred is.
pub(super) fn may_be_beyond(count: usize, sample: usize) -> bool {
    let expected = 0.01 * sample as f64;
    count as f64 <= expected + DEVIATIONS * expected.sqrt() + 1.0
}

/// Refuses accelerations of which more than one in a hundred are off by more than `rtol` of themselves, as far as a
/// sample shows that: of a sample of n, n / 100 are, give or take the root of that.
pub(super) fn check(bodies: &Bodies, held: &[Held], rtol: f64, time: f64) -> Result<()> {
    let beyond = held.iter().filter(|held| held.relative() > rtol).count();
    if may_be_beyond(beyond, held.len()) {
        return Ok(());
    }
    let Some(worst) = held.iter().max_by(|a, b| a.relative().total_cmp(&b.relative())) else { return Ok(()) };
    Err(Error::Audit {
        time,
        index: worst.index,
        id: bodies.id[worst.index],
        result: "acceleration, of itself,".into(),
        error: worst.relative(),
        limit: rtol,
        cause: format!(
            "what {beyond} of {} bodies exceed, where 1 in 100 may: without --theta and --tolerance the tolerance is chosen \
             for --rtol; the solver symmetric has no such error",
            held.len()
        ),
    })
}

/// Refuses an error that half the tolerance, again and again, has not reached: a sample must have it when it is tuned,
/// whatever chance allows later.
///
/// # Errors
/// [`Error::Parameter`] naming the error that was reached.
pub fn check_tuned(method: &Method, found: f64) -> Result<()> {
    let Some(promise) = method.expansion.promise().filter(|promise| found > *promise) else { return Ok(()) };
    if method.expansion.theta.is_some() {
        // the angle was chosen: the audit judges it
        return Ok(());
    }
    let more = if method.precision == Precision::F64 { "" } else { ", or --precision f64," };
    Err(Error::Parameter {
        name: "rtol",
        value: format!("{promise:e}"),
        expected: format!(
            "not reached by {} in {} on these bodies: 99 % of a sample are below {found:.1e}; must be larger{more} or the \
             solver symmetric, which has no such error",
            method.solver, method.precision
        ),
    })
}
