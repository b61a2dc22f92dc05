//! `hernquist`: a bulge or halo with the density of a cusp, 1 / r, at its centre [Hernquist 1990, eq. 5].

use super::{Field, FieldKind, FieldParameter, spherical, spherical_jerk};

pub(super) const KIND: FieldKind = FieldKind {
    name: "hernquist",
    about: "Hernquist's sphere, a bulge or halo",
    parameters: &[FieldParameter::MASS, FieldParameter::length("a", "scale length")],
    has_center: true,
    make: |values| Box::new(Hernquist { gm: values.g * values.get("m"), a: values.get("a") }),
};

/// Phi = -G m / (r + a).
#[derive(Clone, Copy, Debug)]
pub struct Hernquist {
    /// G m, length^3 / time^2.
    pub gm: f64,
    /// Scale length.
    pub a: f64,
}

impl Field for Hernquist {
    fn at(&self, position: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        spherical(position, |r| {
            let s = r + self.a;
            (-self.gm / (s * s * r), -self.gm / s)
        })
    }

    fn jerk(&self, position: [f64; 3], velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        spherical_jerk(position, velocity, |r| {
            let s = r + self.a;
            let pull = -self.gm / (s * s * r);
            (pull, -pull * (1.0 / r + 2.0 / s) / r)
        })
    }
}
