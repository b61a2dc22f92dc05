//! Bodies of scripts/subsystems_reference.py, and the orbits of two of them.

use manybody::simulation::Simulation;
use manybody::{Bodies, Snapshot, ic};

pub(crate) fn keep(run: &mut Simulation) -> Snapshot {
    run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap()
}

/// Bodies of scripts/subsystems_reference.py.
pub(crate) fn bodies_of(bodies: &[(f64, [f64; 3], [f64; 3])]) -> Snapshot {
    let mut start = ic::by_name("plummer", &ic::Request::new(1, 5)).unwrap();
    start.bodies = Bodies::default();
    bodies.iter().for_each(|(mass, place, velocity)| start.bodies.push(*mass, *place, *velocity));
    start
}

/// Semi-major axis, eccentricity, and the angle of the pericentre in the plane z = 0, of two bodies.
pub(crate) fn elements(bodies: &Bodies, i: usize, j: usize) -> [f64; 3] {
    let less = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|q| a[q] - b[q]) };
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mass = bodies.mass[i] + bodies.mass[j];
    let (x, v) = (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
    let (r, v2, xv) = (dot(x, x).sqrt(), dot(v, v), dot(x, v));
    let vector: [f64; 3] = std::array::from_fn(|q| (v2 / mass - 1.0 / r) * x[q] - xv / mass * v[q]);
    [1.0 / (2.0 / r - v2 / mass), dot(vector, vector).sqrt(), vector[1].atan2(vector[0])]
}

/// Absolute differences of elements; that of the semi-major axis is relative.
pub(crate) fn off(found: [f64; 3], right: [f64; 3]) -> [f64; 3] {
    [(found[0] / right[0] - 1.0).abs(), (found[1] - right[1]).abs(), (found[2] - right[2]).abs()]
}
