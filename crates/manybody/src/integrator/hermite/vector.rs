//! Vectors of three numbers, and what of them is read and written in columns of bodies.

use super::scheme::AXES;
use crate::Bodies;

pub(super) type Vector = [f64; AXES];

pub(super) fn less(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|q| a[q] - b[q])
}

pub(super) fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|q| a[q] + b[q])
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Sets the position and the velocity of a body.
pub(super) fn put(bodies: &mut Bodies, k: usize, place: Vector, velocity: Vector) {
    [bodies.x[k], bodies.y[k], bodies.z[k]] = place;
    [bodies.vx[k], bodies.vy[k], bodies.vz[k]] = velocity;
}
