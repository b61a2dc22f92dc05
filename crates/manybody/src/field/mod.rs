//! External fields: accelerations that depend on a body's position and on time, beside the forces between bodies.
//!
//! A [`Field`] is a function of position and time; closures are fields, too. Those with a name ([`registry`]) are
//! chosen by `--field NAME:param=value,...`, which a [`FieldSpec`] is parsed from. Lengths are from the field's
//! centre, `x`, `y`, `z`.
//!
//! | name | potential | source |
//! |---|---|---|
//! | `point-mass` | -G m / r | |
//! | `uniform` | -g . x | |
//! | `harmonic` | omega^2 r^2 / 2 | |
//! | `logarithmic` | v0^2 / 2 ln(1 + (R^2 + z^2 / q^2) / rc^2) | [Binney 2008, eq. 2.71a] |
//! | `miyamoto-nagai` | -G m / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2) | [Binney 2008, eq. 2.69a] |
//! | `plummer` | -G m / sqrt(r^2 + b^2) | [Binney 2008, eq. 2.44a] |
//! | `hernquist` | -G m / (r + a) | [Hernquist 1990, eq. 5] |
//! | `nfw` | -G m ln(1 + r / a) / r | [Binney 2008, eq. 2.67] |
//!
//! Fields are computed in f64 on the host. Bodies that would live on a GPU between steps stay in this machine's memory
//! where a field acts; their forces on each other are still computed on the GPU.

mod harmonic;
mod hernquist;
mod logarithmic;
mod miyamoto_nagai;
mod nfw;
mod plummer;
mod point_mass;
mod spec;
mod uniform;

pub use harmonic::Harmonic;
pub use hernquist::Hernquist;
pub use logarithmic::Logarithmic;
pub use miyamoto_nagai::MiyamotoNagai;
pub use nfw::Nfw;
pub use plummer::Plummer;
pub use point_mass::PointMass;
pub use spec::{FieldKind, FieldParameter, FieldSpec, Values};
pub use uniform::Uniform;

use crate::Bodies;
use crate::diagnostics::Compensated;
use rayon::prelude::*;

/// Fewer bodies than this are computed on the calling thread.
const ALONE: usize = 1 << 12;

/// An acceleration that depends on position and time.
pub trait Field: Send + Sync {
    /// The acceleration, length / time^2, and the potential, length^2 / time^2, at a position and a time.
    fn at(&self, position: [f64; 3], time: f64) -> ([f64; 3], f64);

    /// The time derivative of the acceleration of a body at a position, with a velocity; `None` for a field that does not have
    /// it, which Hermite schemes then cannot use.
    fn jerk(&self, _position: [f64; 3], _velocity: [f64; 3], _time: f64) -> Option<[f64; 3]> {
        None
    }

    /// Whether it is the same at all times, so that energies are conserved. Closures are assumed to be: a field that
    /// changes with time implements the trait and returns false.
    fn is_static(&self) -> bool {
        true
    }
}

impl<F: Fn([f64; 3], f64) -> ([f64; 3], f64) + Send + Sync> Field for F {
    fn at(&self, position: [f64; 3], time: f64) -> ([f64; 3], f64) {
        self(position, time)
    }
}

/// The fields that have a name. A new one adds its file and a line here.
pub fn registry() -> &'static [FieldKind] {
    static KINDS: [FieldKind; 8] = [
        point_mass::KIND,
        uniform::KIND,
        harmonic::KIND,
        logarithmic::KIND,
        miyamoto_nagai::KIND,
        plummer::KIND,
        hernquist::KIND,
        nfw::KIND,
    ];
    &KINDS
}

/// A field about another centre than the origin.
struct Centered {
    field: Box<dyn Field>,
    center: [f64; 3],
}

impl Field for Centered {
    fn at(&self, position: [f64; 3], time: f64) -> ([f64; 3], f64) {
        self.field.at([0, 1, 2].map(|k| position[k] - self.center[k]), time)
    }

    fn jerk(&self, position: [f64; 3], velocity: [f64; 3], time: f64) -> Option<[f64; 3]> {
        self.field.jerk([0, 1, 2].map(|k| position[k] - self.center[k]), velocity, time)
    }

    fn is_static(&self) -> bool {
        self.field.is_static()
    }
}

/// A spherical field from `of`, which takes r to -(dPhi/dr) / r and Phi. The acceleration at the centre is 0, unless
/// the potential there is infinite.
fn spherical(x: [f64; 3], of: impl Fn(f64) -> (f64, f64)) -> ([f64; 3], f64) {
    let r = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
    let (pull, potential) = of(r);
    let at_center = r == 0.0 && potential.is_finite();
    (if at_center { [0.0; 3] } else { x.map(|q| pull * q) }, potential)
}

/// The jerk in a spherical field from `of`, which takes r to f = -(dPhi/dr) / r and (df/dr) / r: f v + (df/dr) / r (x.v) x. At
/// the centre it is f v, or 0 where that is infinite.
fn spherical_jerk(x: [f64; 3], v: [f64; 3], of: impl Fn(f64) -> (f64, f64)) -> Option<[f64; 3]> {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let r = dot(x, x).sqrt();
    let (pull, change) = of(r);
    let along = dot(x, v);
    Some([0, 1, 2].map(|k| match r == 0.0 {
        true if pull.is_finite() => pull * v[k],
        true => 0.0,
        false => pull * v[k] + change * along * x[k],
    }))
}

/// The accelerations of all bodies by all fields: three columns. Each element depends on no other: the same bits on any
/// number of threads.
pub(crate) fn accelerations(fields: &[Box<dyn Field>], bodies: &Bodies, time: f64, out: &mut [Vec<f64>; 3]) {
    let of = |i: usize| {
        let mut sum = [0.0; 3];
        for field in fields {
            let (acceleration, _) = field.at(bodies.position(i), time);
            sum.iter_mut().zip(acceleration).for_each(|(sum, a)| *sum += a);
        }
        sum
    };
    let n = bodies.len();
    let each: Vec<[f64; 3]> = match n < ALONE {
        true => (0..n).map(of).collect(),
        false => (0..n).into_par_iter().map(of).collect(),
    };
    for (k, column) in out.iter_mut().enumerate() {
        column.clear();
        column.extend(each.iter().map(|a| a[k]));
    }
}

/// The potential of all fields at a position.
pub(crate) fn potential(fields: &[Box<dyn Field>], position: [f64; 3], time: f64) -> f64 {
    fields.iter().map(|field| field.at(position, time).1).sum()
}

/// The energy of bodies in fields: the sum of mass times potential, not half of it.
pub(crate) fn energy(fields: &[Box<dyn Field>], bodies: &Bodies, time: f64) -> f64 {
    let of = |i: usize| bodies.mass[i] * potential(fields, bodies.position(i), time);
    (0..bodies.len()).map(of).collect::<Compensated>().total()
}

#[cfg(test)]
mod tests;
