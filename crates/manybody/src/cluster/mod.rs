//! Measures of star clusters: density centre, core radius, Lagrangian radii, velocity dispersion, escapers, bound
//! pairs.
//!
//! ```
//! use manybody::cluster::{Neighbourhood, core_radius, density_centre};
//! use manybody::diagnostics::lagrangian_radii;
//! let bodies = manybody::ic::by_name("plummer", &manybody::ic::Request::new(4000, 1))?.bodies;
//! let neighbourhood = Neighbourhood::of(&bodies);
//! let densities = neighbourhood.densities(&bodies).unwrap_or_default();
//! let centre = density_centre(&bodies, &densities);
//! println!("half of the mass within {:.3}", lagrangian_radii(&bodies, centre, &[0.5])[0]);
//! println!("core radius {:.3}", core_radius(&bodies, &densities, centre));
//! # Ok::<(), manybody::Error>(())
//! ```
//!
//! Nothing here depends on the number of threads.

mod binaries;
mod density;
mod neighbours;
mod profile;

pub use crate::diagnostics::lagrangian_radii;
pub use binaries::{BoundPair, bound_pairs};
pub use density::{NEIGHBOURS, Neighbourhood, core_radius, density_centre};
pub use neighbours::{Neighbour, nearest};
pub use profile::{Shell, profile};

use crate::Bodies;
use crate::diagnostics::Compensated;
use crate::solver::Gravity;

/// The shares of the mass whose radii are measured.
pub const FRACTIONS: [f64; 7] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9];

/// What is measured of a cluster at one time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cluster {
    /// The density centre; the centre of mass where fewer than seven bodies have mass.
    pub centre: [f64; 3],
    /// Radii about the centre that hold [`FRACTIONS`] of the mass.
    pub lagrangian_radii: [f64; 7],
    /// The core radius; `None` where fewer than seven bodies have mass.
    pub core_radius: Option<f64>,
    /// The velocity dispersion along a line of sight.
    pub velocity_dispersion: f64,
    /// Bodies with more energy than they need to escape; `None` where the potential is not known.
    pub escapers: Option<u64>,
    /// The bound pairs; `None` where the forces are not gravity.
    pub pairs: Option<Pairs>,
}

/// How many bound pairs there are, and the hardest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Pairs {
    /// How many.
    pub count: u64,
    /// The one with the largest binding energy.
    pub hardest: Option<BoundPair>,
}

impl Cluster {
    /// Measures `bodies`. `potential`, \[n\], is that of all other bodies at the place of each; `gravity` is what acts
    /// between them.
    pub fn measure(bodies: &Bodies, potential: Option<&[f64]>, gravity: Option<&Gravity>) -> Self {
        let neighbourhood = Neighbourhood::of(bodies);
        let densities = neighbourhood.densities(bodies);
        let centre = match &densities {
            Some(densities) => density_centre(bodies, densities),
            None => bodies.center_of_mass().0,
        };
        let radii = lagrangian_radii(bodies, centre, &FRACTIONS);
        Cluster {
            centre,
            lagrangian_radii: std::array::from_fn(|k| radii[k]),
            core_radius: densities.map(|densities| core_radius(bodies, &densities, centre)),
            velocity_dispersion: velocity_dispersion(bodies),
            escapers: potential.map(|potential| escapers(bodies, potential)),
            pairs: gravity.map(|gravity| {
                let pairs = bound_pairs(bodies, &neighbourhood, gravity);
                Pairs { count: pairs.len() as u64, hardest: pairs.first().copied() }
            }),
        }
    }
}

/// The velocity dispersion along a line of sight, weighted by mass: sqrt(sum m |v - V|^2 / 3 M) with the velocity V of
/// the centre of mass. 0 for a system without mass.
pub fn velocity_dispersion(bodies: &Bodies) -> f64 {
    let (_, mean) = bodies.center_of_mass();
    let term = |i: usize| bodies.mass[i] * square_of_difference(bodies.velocity(i), mean);
    let mass = bodies.mass.iter().copied().collect::<Compensated>().total();
    let sum = (0..bodies.len()).map(term).collect::<Compensated>().total();
    if mass > 0.0 { (sum / (3.0 * mass)).sqrt() } else { 0.0 }
}

/// Bodies whose energy |v - V|^2 / 2 + phi is above 0, with the velocity V of the centre of mass and the potential phi of
/// all other bodies, \[n\].
pub fn escapers(bodies: &Bodies, potential: &[f64]) -> u64 {
    let (_, mean) = bodies.center_of_mass();
    let energy = |i: usize| 0.5 * square_of_difference(bodies.velocity(i), mean) + potential[i];
    (0..bodies.len()).filter(|i| energy(*i) > 0.0).count() as u64
}

fn square_of_difference(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|k| (a[k] - b[k]) * (a[k] - b[k])).iter().sum()
}

#[cfg(test)]
mod tests;
