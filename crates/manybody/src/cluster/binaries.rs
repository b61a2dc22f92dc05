//! Bound pairs: binaries of the moment.
//!
//! The energy of a pair in its centre of mass is
//!
//! ```text
//! E = mu w^2 / 2 - G m1 m2 / sqrt(r^2 + eps^2)     mu = m1 m2 / (m1 + m2), w the relative velocity
//! ```
//!
//! and -E its binding energy. Two bodies are a bound pair where E < 0 and each is, of the six nearest neighbours of the
//! other, the one that it is bound to most strongly: no body is in two pairs, and a chance neighbour hides no binary.
//! O(n) once the neighbours are known.

use super::density::Neighbourhood;
use crate::Bodies;
use crate::solver::Gravity;
use rayon::prelude::*;

/// Two bodies that are bound to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoundPair {
    /// The indices of the bodies.
    pub index: [usize; 2],
    /// Their ids, of the same bodies.
    pub id: [u64; 2],
    /// The binding energy, above 0: mass length^2 / time^2.
    pub binding_energy: f64,
    /// The semi-major axis of the Kepler orbit of this energy, G m1 m2 / (2 binding energy).
    pub semi_major_axis: f64,
    /// The eccentricity of the Kepler orbit of this energy and angular momentum. Like the axis, it is that of the orbit
    /// where the softening is much smaller than the axis.
    pub eccentricity: f64,
}

/// All bound pairs, the hardest first.
pub fn bound_pairs(bodies: &Bodies, neighbourhood: &Neighbourhood, gravity: &Gravity) -> Vec<BoundPair> {
    let Neighbourhood { massive, near } = neighbourhood;
    let partner = |i: usize| {
        let mut best: Option<(f64, usize)> = None;
        for near in near[i].iter().filter(|near| near.exists()) {
            let j = near.index as usize;
            // in one order for both, so that both have the same bits
            let energy = binding_energy(bodies, gravity, massive[i.min(j)] as usize, massive[i.max(j)] as usize);
            let is_better = match best {
                None => energy > 0.0,
                Some((most, other)) => energy > most || (energy == most && j < other),
            };
            if is_better {
                best = Some((energy, j));
            }
        }
        best.map(|(_, j)| j)
    };
    let partners: Vec<Option<usize>> = (0..massive.len()).into_par_iter().map(partner).collect();
    let mutual = |i: usize| partners[i].filter(|j| i < *j && partners[*j] == Some(i));
    let mut pairs: Vec<BoundPair> = (0..massive.len())
        .filter_map(|i| Some(pair(bodies, gravity, massive[i] as usize, massive[mutual(i)?] as usize)))
        .collect();
    pairs.sort_by(|a, b| b.binding_energy.total_cmp(&a.binding_energy).then(a.index.cmp(&b.index)));
    pairs
}

fn binding_energy(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> f64 {
    let [r2, w2] = relative(bodies, i, j).map(square);
    let (a, b) = (bodies.mass[i], bodies.mass[j]);
    gravity.softening.potential(gravity.g * a * b, r2, gravity.eps2(bodies, i, j)) - 0.5 * (a * b / (a + b)) * w2
}

fn pair(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> BoundPair {
    let binding_energy = binding_energy(bodies, gravity, i, j);
    let (a, b) = (bodies.mass[i], bodies.mass[j]);
    let semi_major_axis = gravity.g * a * b / (2.0 * binding_energy);
    let [r, w] = relative(bodies, i, j);
    let spin2 = square([r[1] * w[2] - r[2] * w[1], r[2] * w[0] - r[0] * w[2], r[0] * w[1] - r[1] * w[0]]);
    let eccentricity = (1.0 - spin2 / (gravity.g * (a + b) * semi_major_axis)).max(0.0).sqrt();
    BoundPair { index: [i, j], id: [bodies.id[i], bodies.id[j]], binding_energy, semi_major_axis, eccentricity }
}

/// Relative position and velocity.
fn relative(bodies: &Bodies, i: usize, j: usize) -> [[f64; 3]; 2] {
    let difference = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
    [difference(bodies.position(j), bodies.position(i)), difference(bodies.velocity(j), bodies.velocity(i))]
}

fn square(q: [f64; 3]) -> f64 {
    q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
}
