//! The way of bodies to any device.

use manybody_law::Result;
use manybody_law::law::{Law, PairInputs};

/// The number type of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Single,
    Double,
}

/// Checks bodies and has them brought to a device by `place`: in f32, numbers whose differences alone count are counted from
/// their middle. Where `moves`, the device itself subtracts the origin of positions.
///
/// # Errors
/// Those of [`PairInputs::check`] and of `place`.
pub(crate) fn place_checked(
    law: &Law,
    inputs: &PairInputs<'_>,
    width: Width,
    moves: bool,
    place: impl FnOnce(&PairInputs<'_>) -> Result<()>,
) -> Result<()> {
    // the largest id that the number type has exactly
    let most_ids = 2f64.powi(if width == Width::Double { 53 } else { 24 });
    inputs.check(law, most_ids)?;
    if width == Width::Double || moves { place(inputs) } else { law.recentred(inputs, place) }
}
