//! `kepler`: two bodies on an ellipse about their centre of mass.
//!
//! ```text
//! l = E - e sin E                         Kepler's equation: mean anomaly l, eccentric anomaly E
//! r = a (cos E - e, sqrt(1 - e^2) sin E)  relative place, pericentre on the x axis
//! P = 2 pi sqrt(a^3 / (G M))
//! ```

use super::{Parameter, Request, Timescales, check};
use crate::{Bodies, Result, Snapshot};
use std::f64::consts::PI;

/// Options of [`kepler`].
#[derive(Clone, Debug, PartialEq)]
pub struct Kepler {
    /// Semi-major axis of the relative orbit, above 0.
    pub semi_major_axis: f64,
    /// Eccentricity, 0 or more, below 1.
    pub eccentricity: f64,
    /// Mass of the second body over that of the first, 0 or more. The sum is 1.
    pub mass_ratio: f64,
    /// Mean anomaly in degrees: 0 at pericentre, 180 at apocentre.
    pub phase: f64,
}

impl Default for Kepler {
    fn default() -> Self {
        Kepler { semi_major_axis: 1.0, eccentricity: 0.5, mass_ratio: 1.0, phase: 0.0 }
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "semi-major-axis", default: "1", about: "semi-major axis of the relative orbit" },
    Parameter { name: "eccentricity", default: "0.5", about: "eccentricity, below 1" },
    Parameter { name: "mass-ratio", default: "1", about: "second mass over first" },
    Parameter { name: "phase", default: "0", about: "mean anomaly, degrees: 0 at pericentre" },
];

fn options(request: &Request) -> Result<Kepler> {
    let default = Kepler::default();
    Ok(Kepler {
        semi_major_axis: request.number("semi-major-axis", default.semi_major_axis)?,
        eccentricity: request.number("eccentricity", default.eccentricity)?,
        mass_ratio: request.number("mass-ratio", default.mass_ratio)?,
        phase: request.number("phase", default.phase)?,
    })
}

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    kepler(&options(request)?)
}

/// A period; 1/64 of the time that an orbit at the pericentre would take for a radian.
pub(super) fn timescales(request: &Request) -> Result<Timescales> {
    let Kepler { semi_major_axis, eccentricity, .. } = options(request)?;
    let pericentre = semi_major_axis * (1.0 - eccentricity);
    let dt = (pericentre.powf(1.5) / 64.0).log2().floor().exp2();
    Ok(Timescales { dt, duration: std::f64::consts::TAU * semi_major_axis.powf(1.5) })
}

/// Two bodies, G = 1, total mass 1, on an ellipse in the plane z = 0, counter-clockwise; period 2 pi a^(3/2).
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an option out of its range.
pub fn kepler(options: &Kepler) -> Result<Snapshot> {
    let Kepler { semi_major_axis: a, eccentricity: e, mass_ratio: q, phase } = *options;
    check("semi-major-axis", a, a > 0.0, "must be a length above 0")?;
    check("eccentricity", e, (0.0..1.0).contains(&e), "must be 0 or more and below 1")?;
    check("mass-ratio", q, q >= 0.0, "must be 0 or more")?;
    check("phase", phase, true, "must be an angle in degrees")?;
    // the remainder is exact, so that whole turns change nothing
    let anomaly = eccentric_anomaly((phase % 360.0) * (PI / 180.0), e);
    let (sin, cos) = (libm::sin(anomaly), libm::cos(anomaly));
    let minor = (1.0 - e * e).sqrt();
    let position = [a * (cos - e), a * minor * sin, 0.0];
    let speed = 1.0 / (a.sqrt() * (1.0 - e * cos));
    let velocity = [-speed * sin, speed * minor * cos, 0.0];
    Ok(Snapshot { bodies: pair(q, position, velocity), ..Snapshot::default() })
}

/// Two bodies of total mass 1 about their centre of mass, from the place and velocity of the second relative to the
/// first.
pub(super) fn pair(mass_ratio: f64, position: [f64; 3], velocity: [f64; 3]) -> Bodies {
    let mut bodies = Bodies::with_capacity(2);
    let (first, second) = (1.0 / (1.0 + mass_ratio), mass_ratio / (1.0 + mass_ratio));
    bodies.push(first, position.map(|q| -second * q), velocity.map(|v| -second * v));
    bodies.push(second, position.map(|q| first * q), velocity.map(|v| first * v));
    bodies
}

/// Solves Kepler's equation by bisection inside Newton's iteration, to rounding, for any e below 1.
pub(crate) fn eccentric_anomaly(mean: f64, e: f64) -> f64 {
    let (mut low, mut high) = (mean - e, mean + e);
    let mut anomaly = mean + e * libm::sin(mean);
    for _ in 0..200 {
        let excess = anomaly - e * libm::sin(anomaly) - mean;
        if excess == 0.0 {
            break;
        } else if excess > 0.0 {
            high = anomaly;
        } else {
            low = anomaly;
        }
        let newton = anomaly - excess / (1.0 - e * libm::cos(anomaly));
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == anomaly {
            break;
        }
        anomaly = next;
    }
    anomaly
}
