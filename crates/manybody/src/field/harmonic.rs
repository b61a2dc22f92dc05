//! `harmonic`: a spring to the centre, the inside of a homogeneous sphere.

use super::{Field, FieldKind, FieldParameter, spherical};
use crate::units::Dimension;

pub(super) const KIND: FieldKind = FieldKind {
    name: "harmonic",
    about: "a spring to the centre; orbits have the period 2 pi / omega",
    parameters: &[FieldParameter {
        name: "omega",
        about: "angular frequency",
        dimension: Dimension { mass: 0, length: 0, time: -1 },
        default: None,
        positive: false,
    }],
    has_center: true,
    make: |values| Box::new(Harmonic { omega: values.get("omega") }),
};

/// Phi = omega^2 r^2 / 2.
#[derive(Clone, Copy, Debug)]
pub struct Harmonic {
    /// Angular frequency, 1 / time.
    pub omega: f64,
}

impl Field for Harmonic {
    fn at(&self, position: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        let square = self.omega * self.omega;
        spherical(position, |r| (-square, 0.5 * square * r * r))
    }

    fn jerk(&self, _position: [f64; 3], velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        Some(velocity.map(|v| -self.omega * self.omega * v))
    }
}
