//! From the error that is asked for to the order of a law's expansions and the tolerance of the criterion.

use super::criterion::Opening;
use crate::index::HIGHEST;
use manybody_law::{Error, Result};
use manybody_pairwise::{Expansion, Method, Precision};

/// How exact the results of a law are, and how that is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawAccuracy {
    /// The order of the expansions: 1 to 12.
    pub order: usize,
    /// The part of a result that the error of one interaction may be; `None` where an angle decides.
    pub tolerance: Option<f64>,
    /// Where radii together are less than this times the distance, if an angle decides.
    pub theta: Option<f64>,
    /// Bodies in a leaf.
    pub leaf: usize,
}

/// Errors of 99 of 100 bodies, and what reaches them in most systems: order, tolerance, bodies in a leaf. Measured with Yukawa's
/// potential, a Gaussian, a Matern function, and gravity, of 2^18 bodies in a cube, a Plummer sphere and crowds
/// (docs/measurements).
const TABLE: [(f64, usize, f64, usize); 8] = [
    (1e-2, 3, 3e-3, 32),
    (1e-3, 5, 6e-4, 32),
    (1e-4, 6, 1e-4, 32),
    (1e-5, 7, 1.5e-5, 32),
    (1e-6, 9, 7e-7, 32),
    (1e-7, 10, 7e-8, 32),
    (1e-8, 11, 7e-9, 32),
    (1e-10, 12, 7e-11, 32),
];

/// A larger error than this is not made on purpose.
const LARGEST: f64 = 0.1;

/// The order where an angle decides and no order is named.
const USUAL_ORDER: usize = 4;

/// The smallest relative error that f32 can promise.
const LEAST_SINGLE: f64 = 3e-6;

impl LawAccuracy {
    /// What a method asks for.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an error, order, angle or tolerance that is not available.
    pub fn of(method: &Method) -> Result<Self> {
        let wrong =
            |name, value: f64, expected: String| Err(Error::Parameter { name, value: value.to_string(), expected });
        let Expansion { rtol, order, theta, tolerance } = method.expansion;
        if let Some(order) = order.filter(|order| !(1..=HIGHEST).contains(order)) {
            return wrong("order", order as f64, format!("must be a whole number from 1 to {HIGHEST}"));
        }
        if let Some(theta) = theta.filter(|theta| !(*theta > 0.0 && *theta < 1.0)) {
            return wrong("theta", theta, "must be above 0 and below 1".into());
        }
        for (name, given) in [("rtol", rtol), ("tolerance", tolerance)] {
            if let Some(value) = given.filter(|value| !(*value > 0.0 && value.is_finite())) {
                return wrong(name, value, "must be a finite number above 0, as 1e-5".into());
            }
        }
        let rtol = rtol.unwrap_or(Expansion::RTOL);
        let least = if method.precision == Precision::F64 { TABLE[TABLE.len() - 1].0 } else { LEAST_SINGLE };
        if theta.is_none() && rtol < least {
            let expected = format!("must be at least {least:e} for a law by expansions in {}", method.precision);
            return wrong("rtol", rtol, expected);
        }
        let row = TABLE.iter().find(|row| row.0 <= rtol * (1.0 + 1e-9)).copied();
        let (found, usual, usual_tolerance, leaf) = row.unwrap_or(TABLE[TABLE.len() - 1]);
        // between two rows the tolerance follows the error
        let tolerance = tolerance.unwrap_or(usual_tolerance * (rtol.min(LARGEST) / found));
        Ok(match theta {
            Some(_) => LawAccuracy { order: order.unwrap_or(USUAL_ORDER), tolerance: None, theta, leaf },
            None => LawAccuracy { order: order.unwrap_or(usual), tolerance: Some(tolerance), theta, leaf },
        })
    }

    pub(super) fn opening(&self) -> Opening {
        match (self.theta, self.tolerance) {
            (Some(theta), _) => Opening::Angle(theta),
            (None, tolerance) => Opening::Error(tolerance.unwrap_or(0.0)),
        }
    }
}
