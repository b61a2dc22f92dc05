//! Two bodies, or two centres of mass, on the orbit about each other that they would have alone.

use super::super::vector::{Vector, dot};
use std::f64::consts::TAU;

/// An orbit of a period longer than this many times is not followed from apocentre to apocentre.
const PERIODS: f64 = 8.0;

/// What is known of a relative orbit within a time from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Orbit {
    /// The smallest distance within that time; where the pericentre is later, about.
    pub(super) closest: f64,
    /// sqrt(closest^3 / G M): the shortest time scale.
    pub(super) time_scale: f64,
    /// The same at the distance of now.
    pub(super) present: f64,
    /// The apocentre, of a bound orbit whose period is at most [`PERIODS`] times that time.
    pub(super) apocentre: Option<f64>,
    /// What the distance does not exceed within that time.
    pub(super) widest: f64,
    /// G M / (2 |E|) with the energy E of a unit of mass: the semi-major axis, positive for a hyperbola, too.
    pub(super) axis: f64,
}

impl Orbit {
    /// The distance at the pericentre of a relative place and velocity under an attraction G M.
    pub(super) fn pericentre(r: Vector, v: Vector, attraction: f64) -> f64 {
        let (r2, v2, rv) = (dot(r, r), dot(v, v), dot(r, v));
        let parameter = (r2 * v2 - rv * rv).max(0.0) / attraction;
        let curvature = 2.0 / r2.sqrt() - v2 / attraction;
        parameter / (1.0 + (1.0 - curvature * parameter).max(0.0).sqrt())
    }

    /// sqrt(r^3 / G M) at a distance.
    pub(super) fn time_scale_at(r: f64, attraction: f64) -> f64 {
        (r * r * r / attraction).sqrt()
    }

    /// Of a relative place and velocity under an attraction G M.
    pub(super) fn of(r: Vector, v: Vector, attraction: f64, within: f64) -> Self {
        let (r2, v2, rv) = (dot(r, r), dot(v, v), dot(r, v));
        let distance = r2.sqrt();
        // 1 / a, negative for a hyperbola
        let curvature = 2.0 / distance - v2 / attraction;
        let parameter = (r2 * v2 - rv * rv).max(0.0) / attraction;
        let e = (1.0 - curvature * parameter).max(0.0).sqrt();
        let (pericentre, period) = (parameter / (1.0 + e), TAU / (attraction * curvature.powi(3)).sqrt());
        let is_bound_for = |time: f64| curvature > 0.0 && period <= time;
        let when = time_of_pericentre(rv, distance, curvature, attraction);
        let closest = if is_bound_for(within) || when <= within {
            pericentre
        } else if when.is_finite() && rv < 0.0 {
            // a fall from there takes r^(3/2)
            pericentre.max(distance * libm::cbrt((1.0 - within / when).powi(2)))
        } else {
            distance
        };
        let apocentre = is_bound_for(PERIODS * within).then(|| (1.0 + e) / curvature);
        let scale = |r: f64| Orbit::time_scale_at(r, attraction);
        // a body that leaves is never faster than now; one that comes passes this distance again as fast as now
        let leaving = if rv < 0.0 { (within - 2.0 * when).max(0.0) } else { within };
        let farthest = if curvature > 0.0 { (1.0 + e) / curvature } else { f64::INFINITY };
        let widest = apocentre.unwrap_or(farthest.min(distance + v2.sqrt() * leaving).max(distance));
        let axis = 1.0 / curvature.abs();
        Orbit { closest, time_scale: scale(closest), present: scale(distance), apocentre, widest, axis }
    }
}

/// The time to the next pericentre; infinite for an orbit without another.
fn time_of_pericentre(rv: f64, distance: f64, curvature: f64, attraction: f64) -> f64 {
    let n = (attraction * curvature.abs().powi(3)).sqrt();
    // e sin E or e sinh F, and e cos E or e cosh F
    let (y, x) = (rv * (curvature.abs() / attraction).sqrt(), 1.0 - distance * curvature);
    let mean = match curvature > 0.0 {
        true => libm::atan2(y, x) - y,
        false => y - libm::atanh((y / x).clamp(-1.0, 1.0)),
    };
    match (mean <= 0.0, curvature > 0.0) {
        (true, _) => -mean / n,
        (false, true) => (TAU - mean) / n,
        (false, false) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::pairs::kepler;
    use super::*;
    use crate::ic;

    /// Ellipses of axis 1 and period 2 pi at some phases, and hyperbolas by their symmetry in time.
    #[test]
    fn the_closest_distance_is_that_of_the_orbit() {
        for eccentricity in [0.0, 0.3, 0.9] {
            // the mean anomaly in degrees
            for phase in [10.0, 170.0, 190.0, 350.0] {
                let of = ic::Kepler { eccentricity, phase, ..ic::Kepler::default() };
                let bodies = ic::kepler(&of).unwrap().bodies;
                let r: Vector = std::array::from_fn(|q| bodies.position(1)[q] - bodies.position(0)[q]);
                let v: Vector = std::array::from_fn(|q| bodies.velocity(1)[q] - bodies.velocity(0)[q]);
                let rest = (360.0 - phase) / 360.0 * TAU;
                for (within, is_there) in [(1e-3 * rest, false), (1.01 * rest, true), (2.0 * TAU, true)] {
                    let orbit = Orbit::of(r, v, 1.0, within);
                    let at_pericentre = (orbit.closest - (1.0 - eccentricity)).abs() < 1e-9;
                    assert!((Orbit::pericentre(r, v, 1.0) - (1.0 - eccentricity)).abs() < 1e-9);
                    // far from it, what is approached is an estimate between both
                    assert!(at_pericentre == is_there || eccentricity == 0.0, "{eccentricity} {phase} {orbit:?}");
                    assert!(orbit.closest >= 1.0 - eccentricity - 1e-9 && orbit.time_scale <= orbit.present);
                    assert_eq!(orbit.apocentre.is_some(), TAU <= PERIODS * within);
                    let apocentre = orbit.apocentre.unwrap_or(1.0 + eccentricity);
                    assert!((apocentre - (1.0 + eccentricity)).abs() < 1e-9 && (orbit.axis - 1.0).abs() < 1e-9);
                    let reaches = (0..=100).map(|k| {
                        let (r, _) = kepler(r, v, 1.0, within * f64::from(k) / 100.0);
                        dot(r, r).sqrt()
                    });
                    let widest = reaches.fold(0.0, f64::max);
                    assert!(
                        orbit.widest >= widest - 1e-9 && orbit.widest < 1.0 + eccentricity + 1e-9,
                        "{widest} {orbit:?}"
                    );
                }
            }
        }
        // a hyperbola, before and after the pericentre
        let (r, v): (Vector, Vector) = ([3.0, 0.5, 0.0], [-1.5, 0.1, 0.0]);
        let coming = Orbit::of(r, v, 1.0, 10.0);
        let leaving = Orbit::of(r, v.map(|v| -v), 1.0, 10.0);
        let (energy, spin) = (0.5 * dot(v, v) - 1.0 / dot(r, r).sqrt(), r[0] * v[1] - r[1] * v[0]);
        // q of r^2 v^2 = spin^2 at the pericentre: 2 energy q^2 + 2 q - spin^2 = 0
        let pericentre = (-1.0 + (1.0 + 2.0 * energy * spin * spin).sqrt()) / (2.0 * energy);
        assert!((coming.closest - pericentre).abs() < 1e-12, "{coming:?} {pericentre}");
        assert!((Orbit::pericentre(r, v, 1.0) - pericentre).abs() < 1e-12);
        assert!((leaving.closest - dot(r, r).sqrt()).abs() < 1e-12 && leaving.apocentre.is_none());
    }
}
