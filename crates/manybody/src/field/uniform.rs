//! `uniform`: the same acceleration everywhere.

use super::{Field, FieldKind, FieldParameter};
use crate::units::Dimension;

pub(super) const KIND: FieldKind = FieldKind {
    name: "uniform",
    about: "the same acceleration everywhere",
    parameters: &[
        FieldParameter::or_0("gx", "acceleration along x", Dimension::ACCELERATION),
        FieldParameter::or_0("gy", "acceleration along y", Dimension::ACCELERATION),
        FieldParameter::or_0("gz", "acceleration along z", Dimension::ACCELERATION),
    ],
    has_center: false,
    make: |values| Box::new(Uniform { g: ["gx", "gy", "gz"].map(|name| values.get(name)) }),
};

/// Phi = -g . x.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    /// The acceleration, length / time^2.
    pub g: [f64; 3],
}

impl Field for Uniform {
    fn at(&self, [x, y, z]: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        let [gx, gy, gz] = self.g;
        (self.g, -(gx * x + gy * y + gz * z))
    }

    fn jerk(&self, _position: [f64; 3], _velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        Some([0.0; 3])
    }
}
