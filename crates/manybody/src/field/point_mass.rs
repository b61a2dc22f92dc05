//! `point-mass`: a body that nothing moves.

use super::{Field, FieldKind, FieldParameter, spherical, spherical_jerk};

pub(super) const KIND: FieldKind = FieldKind {
    name: "point-mass",
    about: "a mass at one point",
    parameters: &[FieldParameter::MASS],
    has_center: true,
    make: |values| Box::new(PointMass { gm: values.g * values.get("m") }),
};

/// Phi = -G m / r.
#[derive(Clone, Copy, Debug)]
pub struct PointMass {
    /// G m, length^3 / time^2.
    pub gm: f64,
}

impl Field for PointMass {
    fn at(&self, position: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        spherical(position, |r| (-self.gm / (r * r * r), -self.gm / r))
    }

    fn jerk(&self, position: [f64; 3], velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        spherical_jerk(position, velocity, |r| (-self.gm / r.powi(3), 3.0 * self.gm / r.powi(5)))
    }
}
