//! `logarithmic`: a halo whose rotation curve is flat [Binney 2008, eq. 2.71a].
//!
//! ```text
//! Phi = v0^2 / 2 ln(rc^2 + R^2 + z^2 / q^2) - v0^2 / 2 ln(rc^2)        v_c(R)^2 = v0^2 R^2 / (rc^2 + R^2) at z = 0
//! ```
//!
//! The constant makes it 0 at the centre.

use super::{Field, FieldKind, FieldParameter};
use crate::units::Dimension;

pub(super) const KIND: FieldKind = FieldKind {
    name: "logarithmic",
    about: "a halo with a flat rotation curve",
    parameters: &[
        FieldParameter {
            name: "v0",
            about: "circular velocity far out",
            dimension: Dimension::VELOCITY,
            default: None,
            positive: false,
        },
        FieldParameter::length("rc", "core radius"),
        FieldParameter {
            name: "q",
            about: "axis ratio of the potential",
            dimension: Dimension::NUMBER,
            default: Some(1.0),
            positive: true,
        },
    ],
    has_center: true,
    make: |values| Box::new(Logarithmic { v0: values.get("v0"), rc: values.get("rc"), q: values.get("q") }),
};

/// Phi = v0^2 / 2 ln(1 + (R^2 + z^2 / q^2) / rc^2).
#[derive(Clone, Copy, Debug)]
pub struct Logarithmic {
    /// Circular velocity far out, length / time.
    pub v0: f64,
    /// Core radius, length.
    pub rc: f64,
    /// Axis ratio of the potential.
    pub q: f64,
}

impl Field for Logarithmic {
    fn at(&self, [x, y, z]: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        let (v2, rc2, per_q2) = (self.v0 * self.v0, self.rc * self.rc, 1.0 / (self.q * self.q));
        let s2 = x * x + y * y + z * z * per_q2;
        let pull = -v2 / (rc2 + s2);
        ([pull * x, pull * y, pull * z * per_q2], 0.5 * v2 * (s2 / rc2).ln_1p())
    }

    fn jerk(&self, [x, y, z]: [f64; 3], [vx, vy, vz]: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        let (v2, per_q2) = (self.v0 * self.v0, 1.0 / (self.q * self.q));
        let s2 = self.rc * self.rc + x * x + y * y + z * z * per_q2;
        let pull = -v2 / s2;
        let change = -2.0 * pull / s2 * (x * vx + y * vy + z * vz * per_q2);
        Some([pull * vx + change * x, pull * vy + change * y, (pull * vz + change * z) * per_q2])
    }
}
