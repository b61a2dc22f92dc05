//! Vectors of three numbers, and what of them is read and written in columns of bodies.

use crate::Bodies;
pub(super) use crate::vector::{Vector, dot, less, plus};

/// Sets the position and the velocity of a body.
pub(super) fn put(bodies: &mut Bodies, k: usize, place: Vector, velocity: Vector) {
    [bodies.x[k], bodies.y[k], bodies.z[k]] = place;
    [bodies.vx[k], bodies.vy[k], bodies.vz[k]] = velocity;
}
