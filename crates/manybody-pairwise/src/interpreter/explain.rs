//! A law evaluated in one call, and an explanation of results that are not finite.

use super::Interpreter;
use super::cause::{cause, columns_cells, is_number};
use crate::law::{Law, PairInputs};
use crate::simd::Level;
use crate::{Error, Precision, Result};

/// What a [`Law`] can do where there are kernels.
pub trait EvaluateLaw {
    /// What the law makes of the sets, on all cores: one column a result, each \[n_i\], as
    /// [`result_columns`](Law::result_columns) names them.
    ///
    /// # Errors
    /// As [`Interpreter::evaluate`], and [`Error::Parameter`] for an unusable MANYBODY_SIMD.
    fn evaluate(&self, inputs: &PairInputs<'_>, precision: Precision) -> Result<Vec<Vec<f64>>>;

    /// Looks for results that are not finite, and finds the pair that caused them. Without partners the smallest value
    /// is infinite, the largest and the logarithm of a sum minus infinity: these are right if there were no
    /// contributions.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the result, the body and its partner.
    fn check_results(&self, inputs: &PairInputs<'_>, results: &[Vec<f64>]) -> Result<()>;
}

impl EvaluateLaw for Law {
    fn evaluate(&self, inputs: &PairInputs<'_>, precision: Precision) -> Result<Vec<Vec<f64>>> {
        Interpreter::new(self, Level::from_env()?, precision).evaluate(inputs)
    }

    fn check_results(&self, inputs: &PairInputs<'_>, results: &[Vec<f64>]) -> Result<()> {
        for (k, (name, cell)) in self.result_columns().into_iter().zip(columns_cells(self)).enumerate() {
            let Some(column) = results.get(k) else { continue };
            let value = |body: usize| format!("{name} = {} for body {body}", column[body]);
            if let Some(body) = column.iter().position(|x| !is_number(cell, *x)) {
                return Err(wrong(self, &value(body), &cause(self, inputs, body)?));
            }
            // infinite for lack of partners, or for lack of room in f32?
            if let Some(body) = column.iter().position(|x| x.is_infinite())
                && self.oracle_at(inputs, &[body])?[k][0].is_finite()
            {
                let expected = "numbers are too large: use other units, or --precision f64";
                return Err(wrong(self, &value(body), expected));
            }
        }
        Ok(())
    }
}

/// Results that no computation can use.
fn wrong(law: &Law, value: &str, expected: &str) -> Error {
    let name = if law.is_named() { law.name() } else { "the text" };
    Error::Parameter { name: "law", value: name.into(), expected: format!("{value}: {expected}") }
}
