//! Local densities, the density centre and the core radius.
//!
//! The density at a body with mass is that of its j = 6 nearest neighbours, which are bodies with mass, too. Neither
//! the body itself nor the last neighbour counts, so that the estimate has no bias [Casertano 1985]:
//!
//! ```text
//! rho = (sum of the masses of the neighbours 1 to j - 1) / (4 pi r_j^3 / 3)
//! ```
//!
//! The density centre is the mean of the positions, weighted by it [Casertano 1985]. The core radius is the
//! root mean square of the distances from there, weighted by the square of the density [McMillan 1990], as the codes of
//! the NBODY family have it; a Plummer sphere of scale length a has sqrt(0.3) a.

use super::neighbours::{Neighbour, nearest};
use crate::Bodies;
use crate::diagnostics::Compensated;
use rayon::prelude::*;
use std::f64::consts::PI;

/// The neighbours that a density is computed from.
pub const NEIGHBOURS: usize = 6;

/// The six nearest neighbours of each body with mass.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    /// The indices of the bodies with mass.
    pub(super) massive: Vec<u32>,
    /// Their neighbours, as indices into `massive`.
    pub(super) near: Vec<[Neighbour; NEIGHBOURS]>,
}

impl Neighbourhood {
    /// Searches, O(n log n).
    pub fn of(bodies: &Bodies) -> Self {
        let massive: Vec<u32> = (0..bodies.len() as u32).filter(|i| bodies.mass[*i as usize] > 0.0).collect();
        let points: Vec<[f64; 3]> = massive.iter().map(|i| bodies.position(*i as usize)).collect();
        Neighbourhood { near: nearest(&points), massive }
    }

    /// The bodies, as indices i < j, of which one is among the six nearest neighbours of the other; each pair once.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let is_near = |i: usize, j: usize| self.near[i].iter().any(|near| near.exists() && near.index as usize == j);
        let of = move |i: usize| {
            let near = self.near[i].iter().filter(|near| near.exists()).map(|near| near.index as usize);
            near.filter(move |j| i < *j || !is_near(*j, i)).map(move |j| (i.min(j), i.max(j)))
        };
        let body = |k: usize| self.massive[k] as usize;
        (0..self.massive.len()).flat_map(of).map(move |(i, j)| (body(i), body(j)))
    }

    /// The density at each body: \[n\], mass / length^3; 0 at bodies without mass, infinite where seven bodies or more are
    /// at one place. `None` where fewer than seven bodies have mass.
    pub fn densities(&self, bodies: &Bodies) -> Option<Vec<f64>> {
        if self.massive.len() <= NEIGHBOURS {
            return None;
        }
        let mass = |near: &Neighbour| bodies.mass[self.massive[near.index as usize] as usize];
        let density = |near: &[Neighbour; NEIGHBOURS]| {
            let inside: f64 = near[..NEIGHBOURS - 1].iter().map(mass).sum();
            let radius = near[NEIGHBOURS - 1].distance2.sqrt();
            inside / (4.0 / 3.0 * PI * radius * radius * radius)
        };
        let found: Vec<f64> = self.near.par_iter().map(density).collect();
        let mut all = vec![0.0; bodies.len()];
        self.massive.iter().zip(found).for_each(|(i, density)| all[*i as usize] = density);
        Some(all)
    }
}

/// Densities relative to the largest; where some are infinite, these alone count.
fn weights(densities: &[f64]) -> impl Fn(usize) -> f64 + '_ {
    let largest = densities.iter().copied().fold(0.0, f64::max);
    move |i| match largest.is_infinite() {
        true => f64::from(u8::from(densities[i].is_infinite())),
        false => densities[i] / largest,
    }
}

/// The density centre [Casertano 1985]: the mean position, weighted by `densities`, \[n\].
pub fn density_centre(bodies: &Bodies, densities: &[f64]) -> [f64; 3] {
    let weight = weights(densities);
    let all = (0..bodies.len()).map(&weight).collect::<Compensated>().total();
    [&bodies.x, &bodies.y, &bodies.z].map(|column| {
        let sum = (0..bodies.len()).map(|i| weight(i) * column[i]).collect::<Compensated>().total();
        sum / all
    })
}

/// The core radius about `centre`: the root mean square distance, weighted by the squares of `densities`, \[n\]
/// [McMillan 1990].
pub fn core_radius(bodies: &Bodies, densities: &[f64], centre: [f64; 3]) -> f64 {
    let weight = weights(densities);
    let away2 = |i: usize| {
        let q = bodies.position(i);
        [0, 1, 2].map(|k| (q[k] - centre[k]) * (q[k] - centre[k])).iter().sum::<f64>()
    };
    let square = |i: usize| weight(i) * weight(i);
    let sum = (0..bodies.len()).map(|i| square(i) * away2(i)).collect::<Compensated>().total();
    (sum / (0..bodies.len()).map(square).collect::<Compensated>().total()).sqrt()
}
