//! From the error that is asked for to the order of a law's expansions and the tolerance of the criterion.

use crate::accuracy::{HIGHEST_IN_REGISTERS, Opening, Row, asked, least, row, row_of, wrong};
use manybody_expansions::index::HIGHEST;
use manybody_law::Result;
use manybody_pairwise::Method;

/// How exact the results of a law are, and how that is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawAccuracy {
    /// The order of the expansions: 1 to 12.
    pub order: usize,
    /// When two cells interact.
    pub opening: Opening,
    /// Bodies in a leaf.
    pub leaf: usize,
}

/// Enough in most systems: measured with Yukawa's potential, a Gaussian, a Matern function, and gravity, of 2^18 bodies
/// in a cube, a Plummer sphere and crowds (docs/measurements).
const TABLE: [Row; 8] = [
    row(1e-2, 3, 3e-3, 32),
    row(1e-3, 5, 6e-4, 32),
    row(1e-4, 6, 1e-4, 32),
    row(1e-5, 7, 1.5e-5, 32),
    row(1e-6, 9, 7e-7, 32),
    row(1e-7, 10, 7e-8, 32),
    row(1e-8, 11, 7e-9, 32),
    row(1e-10, 12, 7e-11, 32),
];

/// The same with the orders that GPUs have.
const ON_GPUS: [Row; 7] = [
    TABLE[0],
    TABLE[1],
    TABLE[2],
    TABLE[3],
    row(1e-6, HIGHEST_IN_REGISTERS, 7e-7, 32),
    row(1e-7, HIGHEST_IN_REGISTERS, 7e-8, 32),
    row(1e-8, HIGHEST_IN_REGISTERS, 7e-9, 32),
];

impl LawAccuracy {
    /// What a method asks for.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for an error, order, angle or tolerance that is not
    /// available.
    pub fn of(method: &Method) -> Result<Self> {
        let &Method { ref expansion, precision, device, .. } = method;
        // registers of a GPU hold no higher orders
        let (table, highest) =
            if device.is_gpu() { (&ON_GPUS[..], HIGHEST_IN_REGISTERS) } else { (&TABLE[..], HIGHEST) };
        let rtol = asked(expansion, highest, device)?;
        let least = least(table, precision);
        if expansion.theta.is_none() && rtol < least {
            let more = if device.is_gpu() { " on a GPU" } else { "" };
            let expected = format!("must be at least {least:e} for a law by expansions in {precision}{more}");
            return wrong("rtol", rtol, expected);
        }
        let row = row_of(table, rtol);
        let (order, opening) = row.chosen(expansion, rtol);
        Ok(LawAccuracy { order, opening, leaf: row.leaf })
    }
}
