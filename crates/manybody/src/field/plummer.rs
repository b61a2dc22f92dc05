//! `plummer`: Plummer's sphere [Binney 2008, eq. 2.44a], or a point mass with a softening b.

use super::{Field, FieldKind, FieldParameter, spherical, spherical_jerk};

pub(super) const KIND: FieldKind = FieldKind {
    name: "plummer",
    about: "Plummer's sphere, a softened mass",
    parameters: &[FieldParameter::MASS, FieldParameter::length("b", "scale length")],
    has_center: true,
    make: |values| Box::new(Plummer { gm: values.g * values.get("m"), b: values.get("b") }),
};

/// Phi = -G m / sqrt(r^2 + b^2).
#[derive(Clone, Copy, Debug)]
pub struct Plummer {
    /// G m, length^3 / time^2.
    pub gm: f64,
    /// Scale length.
    pub b: f64,
}

impl Field for Plummer {
    fn at(&self, position: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        spherical(position, |r| {
            let s2 = r * r + self.b * self.b;
            let potential = -self.gm / s2.sqrt();
            (potential / s2, potential)
        })
    }

    fn jerk(&self, position: [f64; 3], velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        spherical_jerk(position, velocity, |r| {
            let s2 = r * r + self.b * self.b;
            let pull = -self.gm / (s2 * s2.sqrt());
            (pull, -3.0 * pull / s2)
        })
    }
}
