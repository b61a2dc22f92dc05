//! Radial profiles: density, velocity dispersion and anisotropy in shells about a centre.
//!
//! Bodies with mass are sorted by their distance and divided into shells of equal numbers. With the velocity w of a
//! body about that of the centre of mass, its part w_r along the radius and the rest w_t, means weighted by mass give
//!
//! ```text
//! radial^2 = <w_r^2> - <w_r>^2     tangential^2 = <w_t^2> / 2     dispersion^2 = (radial^2 + 2 tangential^2) / 3
//! anisotropy = 1 - tangential^2 / radial^2                                       [Binney 2008, eq. 4.61]
//! ```
//!
//! so that a mean flow inward or outward is no dispersion, and rotation is.

use super::square_of_difference;
use crate::Bodies;
use crate::diagnostics::Compensated;
use std::f64::consts::PI;

/// A shell of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shell {
    /// The radius where it begins: 0 for the first, else in the middle between two bodies.
    pub inner: f64,
    /// The radius where it ends: in the middle between two bodies, at the last body for the last.
    pub outer: f64,
    /// The mean distance of its bodies, weighted by mass.
    pub radius: f64,
    /// How many bodies it has.
    pub count: usize,
    /// Their mass.
    pub mass: f64,
    /// Mass by volume; infinite where the volume is 0.
    pub density: f64,
    /// The velocity dispersion along a line of sight, of all directions alike.
    pub dispersion: f64,
    /// The velocity dispersion along the radius.
    pub radial: f64,
    /// The velocity dispersion along one direction across the radius.
    pub tangential: f64,
    /// 1 for radial orbits, 0 for an isotropic system, below it for tangential orbits; NaN where no body moves along
    /// the radius.
    pub anisotropy: f64,
}

/// The bodies with mass in at most `shells` shells of equal numbers, to one body, about `centre`.
pub fn profile(bodies: &Bodies, centre: [f64; 3], shells: usize) -> Vec<Shell> {
    let mut sorted: Vec<(f64, usize)> = (0..bodies.len())
        .filter(|i| bodies.mass[*i] > 0.0)
        .map(|i| (square_of_difference(bodies.position(i), centre).sqrt(), i))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let n = sorted.len();
    let shells = shells.min(n);
    let (_, mean) = bodies.center_of_mass();
    let edge = |at: usize| match at {
        0 => 0.0,
        at if at == n => sorted[n - 1].0,
        at => 0.5 * (sorted[at - 1].0 + sorted[at].0),
    };
    let of = |k: usize| {
        let [begin, end] = [k, k + 1].map(|k| k * n / shells);
        shell(bodies, &sorted[begin..end], centre, mean, [edge(begin), edge(end)])
    };
    (0..shells).map(of).collect()
}

fn shell(bodies: &Bodies, part: &[(f64, usize)], centre: [f64; 3], mean: [f64; 3], [inner, outer]: [f64; 2]) -> Shell {
    let over = |term: &dyn Fn(f64, usize) -> f64| {
        part.iter().map(|(r, i)| bodies.mass[*i] * term(*r, *i)).collect::<Compensated>().total()
    };
    let along = |r: f64, i: usize| {
        let (x, v) = (bodies.position(i), bodies.velocity(i));
        let dot: f64 = [0, 1, 2].map(|k| (x[k] - centre[k]) * (v[k] - mean[k])).iter().sum();
        if r > 0.0 { dot / r } else { 0.0 }
    };
    let mass = over(&|_, _| 1.0);
    let flow = over(&along) / mass;
    let radial2 = over(&|r, i| (along(r, i) - flow).powi(2)) / mass;
    let across = |r: f64, i: usize| (square_of_difference(bodies.velocity(i), mean) - along(r, i).powi(2)).max(0.0);
    let tangential2 = 0.5 * over(&across) / mass;
    Shell {
        inner,
        outer,
        radius: over(&|r, _| r) / mass,
        count: part.len(),
        mass,
        density: mass / (4.0 / 3.0 * PI * (outer.powi(3) - inner.powi(3))),
        dispersion: ((radial2 + 2.0 * tangential2) / 3.0).sqrt(),
        radial: radial2.sqrt(),
        tangential: tangential2.sqrt(),
        anisotropy: if radial2 > 0.0 { 1.0 - tangential2 / radial2 } else { f64::NAN },
    }
}
