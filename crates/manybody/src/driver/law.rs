//! The results of a law by expansions, with the error that is promised.

use super::tightening::{Attempt, tightened};
use super::words;
use crate::audit::{self, law::LawErrors};
use crate::law::{EvaluateLaw, Law, PairInputs};
use crate::solver::{self, Method};
use crate::units::show::number;
use crate::watch::Watch;
use crate::{Error, Result};
use std::time::Instant;

/// What is evaluated and audited.
#[derive(Clone, Copy, Debug)]
pub struct LawTrial<'a> {
    /// The law.
    pub law: &'a Law,
    /// The bodies.
    pub inputs: &'a PairInputs<'a>,
    /// The share of the bodies that is audited, of 512 at least.
    pub share: f64,
}

/// Results of a law, after the tolerance of its expansions was halved until they had the error that is promised.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TunedLaw {
    /// The method, with its tolerance.
    pub method: Method,
    /// One column a result.
    pub results: Vec<Vec<f64>>,
    /// The errors of a sample.
    pub errors: LawErrors,
    /// Seconds of the last evaluation.
    pub seconds: f64,
}

impl TunedLaw {
    /// Refuses an error that was not reached.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the error that was reached.
    pub fn check(&self) -> Result<()> {
        match self.method.expansion.promise().filter(|promise| !self.errors.are_below(*promise)) {
            None => Ok(()),
            Some(promise) => Err(Error::Parameter {
                name: "rtol",
                value: number(promise),
                expected: format!(
                    "not reached by {} on these bodies: 99 % are below {:.1e}, by a sample of {}; must be larger, or without \
                     --solver, which evaluates all pairs",
                    self.method.solver,
                    self.errors.bound,
                    words::bodies(self.errors.sample)
                ),
            }),
        }
    }
}

/// Evaluates a law by the solver fmm, with half the tolerance again and again until a sample shows that 99 of 100 bodies
/// have the error that is promised, with a probability of 95 %. It is halved six times at most, and given up where two halvings gain nothing; each is
/// noted. The error of a body is that of its result, relative to the result or to the median of all results, where that
/// is larger ([`audit::law::relative_errors`]).
///
/// ```
/// use manybody::driver::{LawTrial, tuned_law};
/// use manybody::law::{Law, PairInputs};
/// use manybody::solver::{Expansion, Method, SolverName};
/// let law = Law::parse("body x[3], q; d = i.x - j.x; sum p = j.q * exp(-dot(d, d))")?;
/// let columns = [vec![0.0, 0.5, 1.0], vec![0.0; 3], vec![0.0; 3], vec![1.0; 3]];
/// let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
/// let inputs = PairInputs::one(&columns, &[]);
/// let expansion = Expansion { rtol: Some(1e-5), ..Expansion::default() };
/// let method = Method { expansion, ..Method::default() }.solver(SolverName::Fmm);
/// let trial = LawTrial { law: &law, inputs: &inputs, share: 0.0 };
/// let tuned = tuned_law(method, trial, &manybody::watch::Watch::default(), &mut |_| {})?;
/// tuned.check()?;
/// assert!((tuned.results[0][0] - (1.0 + (-0.25_f64).exp() + (-1.0_f64).exp())).abs() < 1e-5);
/// # Ok::<(), manybody::Error>(())
/// ```
///
/// # Errors
/// Those of [`solver::evaluator`], of results that are NaN, and of the sets.
pub fn tuned_law(method: Method, trial: LawTrial<'_>, watch: &Watch, note: &mut dyn FnMut(&str)) -> Result<TunedLaw> {
    let LawTrial { law, inputs, share } = trial;
    let sample = audit::sample(inputs.lens().0, share, audit::EXPANSION_SAMPLE, 0);
    let mut want = None;
    tightened(method, sample.len(), "an error", note, |method| {
        let mut evaluator = solver::evaluator(&method, law)?;
        evaluator.watch(watch);
        let before = Instant::now();
        let results = evaluator.evaluate(inputs)?;
        let seconds = before.elapsed().as_secs_f64();
        law.check_results(inputs, &results)?;
        let want = match &want {
            Some(want) => want,
            None => want.insert(audit::law::of_all_pairs(law, inputs, &sample, &method, watch)?),
        };
        let errors = audit::law::relative_errors(law, &sample, &results, want);
        let (found, next) = (errors.bound, audit::law::tightened(&method, &errors));
        Ok(Attempt { tuned: TunedLaw { method, results, errors, seconds }, found, next })
    })
}
