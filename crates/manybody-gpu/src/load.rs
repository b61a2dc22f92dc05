//! The way of bodies to any device.

use manybody_law::Result;
use manybody_law::law::{Law, PairInputs};

/// The number type of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Single,
    Double,
}

/// What becomes of the bodies between evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// They stay until others are loaded.
    Fixed,
    /// The law's first member is a position, which changes: it stays in the records even if it is the same for all now.
    Moving,
    /// Evaluations end in moving the bodies.
    Stepping,
}

/// Checks bodies and has them brought to a device by `place`: in f32, numbers whose differences alone count are counted from
/// their middle. Of bodies that move, the device itself subtracts the origin of positions.
///
/// # Errors
/// Those of [`PairInputs::check`] and of `place`.
pub(crate) fn place_checked(
    law: &Law,
    inputs: &PairInputs<'_>,
    width: Width,
    motion: Motion,
    place: impl FnOnce(&PairInputs<'_>) -> Result<()>,
) -> Result<()> {
    // the largest id that the number type has exactly
    let most_ids = 2f64.powi(if width == Width::Double { 53 } else { 24 });
    inputs.check(law, most_ids)?;
    match (width, motion) {
        (Width::Single, Motion::Fixed) => law.recentred(inputs, place),
        (Width::Double, _) | (_, Motion::Moving | Motion::Stepping) => place(inputs),
    }
}
