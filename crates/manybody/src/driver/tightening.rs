//! The tolerance of expansions is halved until an audit finds the error that is promised.

use super::words;
use crate::Result;
use crate::solver::Method;

/// So often a tolerance is halved before the error that was asked for is given up.
const HALVINGS: usize = 6;

/// Two halvings leave less than this part of an error that is one of the expansions. (One alone may divide other cells,
/// and leave a larger error.)
const GAIN: f64 = 0.95;

/// An evaluation after its audit.
pub(super) struct Attempt<T> {
    /// What was evaluated.
    pub(super) tuned: T,
    /// The error that 99 % are at or below, by a sample.
    pub(super) found: f64,
    /// The method with half the tolerance; `None` where the error is the one that is promised, and where the tolerance
    /// is fixed.
    pub(super) next: Option<Method>,
}

/// Evaluates with half the tolerance again and again until a `sample` of so many bodies has the error that is promised.
/// Where it is not reached in six halvings, or where two in a row gain nothing, the last evaluation is returned. Each
/// halving is noted; `error` names what is meant: "a force error".
///
/// # Errors
/// Those of the evaluation.
pub(super) fn tightened<T>(
    mut method: Method,
    sample: usize,
    error: &str,
    note: &mut dyn FnMut(&str),
    mut evaluate: impl FnMut(Method) -> Result<Attempt<T>>,
) -> Result<T> {
    let (mut halvings, mut last) = (0, [f64::INFINITY; 2]);
    loop {
        let Attempt { tuned, found, next } = evaluate(method)?;
        let gains = found < GAIN * last[0];
        last = [last[1], found];
        let Some(next) = next.filter(|_| gains && halvings < HALVINGS) else { return Ok(tuned) };
        halvings += 1;
        note(&format!(
            "{} solver: by a sample of {}, 99 % have {error} below {found:.2e}, not below {:.2e}: half the tolerance is tried",
            next.solver,
            words::bodies(sample),
            next.expansion.promise().unwrap_or_default(),
        ));
        method = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of these errors are found before the end, with 1e-3 promised, and how many halvings are noted.
    fn evaluations(errors: &[f64]) -> (usize, usize) {
        let (mut count, mut notes) = (0, 0);
        let last = tightened(Method::default(), 512, "an error", &mut |_| notes += 1, |method| {
            let found = errors[count];
            count += 1;
            Ok(Attempt { tuned: count, found, next: (found > 1e-3).then_some(method) })
        });
        assert_eq!(last.unwrap(), count);
        (count, notes)
    }

    #[test]
    fn one_halving_may_gain_nothing_but_not_two_in_a_row() {
        assert_eq!(evaluations(&[1e-3]), (1, 0));
        assert_eq!(evaluations(&[4e-3, 2e-3, 1e-3]), (3, 2));
        // the second error is larger, or the same
        assert_eq!(evaluations(&[4e-3, 5e-3, 2e-3, 3e-3, 9e-4]), (5, 4));
        assert_eq!(evaluations(&[4e-3, 4e-3, 1e-3]), (3, 2));
        // and the third, too
        assert_eq!(evaluations(&[4e-3, 5e-3, 6e-3, 1e-3]), (3, 2));
        assert_eq!(evaluations(&[4e-3, 2e-3, 2e-3, 2e-3, 1e-3]), (4, 3));
        // six halvings
        assert_eq!(evaluations(&[0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]), (7, 6));
    }
}
