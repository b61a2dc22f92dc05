//! `nfw`: the halo of Navarro, Frenk and White [Navarro 1996; Binney 2008, eq. 2.67].
//!
//! ```text
//! rho = m / (4 pi r (r + a)^2)        Phi = -G m ln(1 + r / a) / r
//! M(r) = m mu(s),  mu(s) = ln(1 + s) - s / (1 + s),  s = r / a
//! ```
//!
//! m, 4 pi rho0 a^3, is the mass within 5.3 a; the whole has no bound. Near the centre mu(s) is a difference of
//! nearly equal terms, and its series is used.

use super::{Field, FieldKind, FieldParameter, spherical, spherical_jerk};

pub(super) const KIND: FieldKind = FieldKind {
    name: "nfw",
    about: "the halo of Navarro, Frenk and White",
    parameters: &[FieldParameter::MASS, FieldParameter::length("a", "scale length")],
    has_center: true,
    make: |values| Box::new(Nfw { gm: values.g * values.get("m"), a: values.get("a") }),
};

/// Below this s, ten terms of the series are exact to rounding: the next is 1e-17 of the first.
const NEAR: f64 = 0.02;

/// Phi = -G m ln(1 + r / a) / r.
#[derive(Clone, Copy, Debug)]
pub struct Nfw {
    /// G m, length^3 / time^2.
    pub gm: f64,
    /// Scale length.
    pub a: f64,
}

/// mu(s) / s^2, of s above 0: 1/2 - 2 s / 3 + 3 s^2 / 4 - ... near 0.
fn enclosed(s: f64) -> f64 {
    match s < NEAR {
        true => (0..10).rev().fold(0.0, |sum, k| f64::from(k + 1) / f64::from(k + 2) - s * sum),
        false => (s.ln_1p() - s / (1.0 + s)) / (s * s),
    }
}

impl Field for Nfw {
    fn at(&self, position: [f64; 3], _time: f64) -> ([f64; 3], f64) {
        let (gm, a) = (self.gm, self.a);
        spherical(position, |r| {
            let s = r / a;
            let potential = if s == 0.0 { -gm / a } else { -gm * s.ln_1p() / r };
            (-gm * enclosed(s) / (a * a * r), potential)
        })
    }

    fn jerk(&self, position: [f64; 3], velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        let (gm, a) = (self.gm, self.a);
        spherical_jerk(position, velocity, |r| {
            // d mu / ds = s / (1 + s)^2
            let (s, within) = (r / a, enclosed(r / a));
            let change = (3.0 * within - 1.0 / ((1.0 + s) * (1.0 + s))) / (r * r);
            (-gm * within / (a * a * r), gm * change / (a * a * r))
        })
    }
}
