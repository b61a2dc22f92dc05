//! For tests: an evaluator compared with the f64 oracle, within bounds that come from the operations themselves.

use super::Interpreter;
use crate::Precision;
use crate::law::bounds::Rounding;
use crate::law::conformance::within_bounds;
use crate::law::{Law, Lowering, PairInputs};
use crate::simd::Level;

/// Compares all results of the law on the sets, at a level, in a precision, with the oracle. Returns how many numbers
/// were held to a finite bound.
///
/// # Errors
/// A sentence that names the law, the body and the number that is out of bounds.
pub(crate) fn against_oracle(
    law: &Law,
    inputs: &PairInputs<'_>,
    level: Level,
    precision: Precision,
) -> Result<usize, String> {
    let found = Interpreter::new(law, level, precision).evaluate(inputs).map_err(|e| e.to_string())?;
    let rounding = if precision == Precision::F32 { &Rounding::F32 } else { &Rounding::F64 };
    within_bounds(law, inputs, &found, rounding, &[Lowering::default()])
        .map_err(|problem| format!("{level:?} {precision} {problem}"))
}

/// The same at all levels of this machine in both precisions; sets given as columns that f32 holds exactly.
pub(crate) fn everywhere(law: &Law, inputs: &PairInputs<'_>) -> Result<usize, String> {
    let mut checked = 0;
    for level in Level::available() {
        for precision in [Precision::F32, Precision::F64] {
            checked += against_oracle(law, inputs, level, precision)?;
        }
    }
    Ok(checked)
}
