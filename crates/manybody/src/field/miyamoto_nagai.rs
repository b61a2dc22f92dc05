//! `miyamoto-nagai`: a disc of finite thickness [Binney 2008, eq. 2.69a]. With a = 0 it is Plummer's sphere, with b = 0
//! Kuzmin's disc.

use super::{Field, FieldKind, FieldParameter};
use crate::units::Dimension;

pub(super) const KIND: FieldKind = FieldKind {
    name: "miyamoto-nagai",
    about: "a thick disc in the plane z = 0",
    parameters: &[
        FieldParameter::MASS,
        FieldParameter {
            name: "a",
            about: "scale length",
            dimension: Dimension::LENGTH,
            default: None,
            positive: false,
        },
        FieldParameter::length("b", "scale height"),
    ],
    has_center: true,
    make: |values| Box::new(MiyamotoNagai { gm: values.g * values.get("m"), a: values.get("a"), b: values.get("b") }),
};

/// Phi = -G m / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2).
#[derive(Clone, Copy, Debug)]
pub struct MiyamotoNagai {
    /// G m, length^3 / time^2.
    pub gm: f64,
    /// Scale length.
    pub a: f64,
    /// Scale height.
    pub b: f64,
}

impl Field for MiyamotoNagai {
    fn at(&self, [x, y, z]: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        let height = (z * z + self.b * self.b).sqrt();
        let deep = self.a + height;
        let s2 = x * x + y * y + deep * deep;
        let potential = -self.gm / s2.sqrt();
        let pull = potential / s2;
        ([pull * x, pull * y, pull * z * deep / height], potential)
    }

    fn jerk(&self, [x, y, z]: [f64; 3], [vx, vy, vz]: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        let height = (z * z + self.b * self.b).sqrt();
        let (deep, rises) = (self.a + height, z * vz / height);
        let s2 = x * x + y * y + deep * deep;
        let pull = -self.gm / (s2 * s2.sqrt());
        let change = -3.0 * pull / s2 * (x * vx + y * vy + deep * rises);
        // of z (a + height) / height = z + a z / height
        let upwards = vz + self.a * (vz - z * rises / height) / height;
        Some([pull * vx + change * x, pull * vy + change * y, pull * upwards + change * z * deep / height])
    }
}
