//! Clusters with binaries.

use manybody::{Snapshot, ic};

/// A Plummer sphere without softening, of which the first bodies are binaries: each has a partner, of the last bodies,
/// at a distance that makes their axis `a`.
pub(crate) fn cluster(n: usize, binaries: usize, a: f64) -> Snapshot {
    let mut start = ic::by_name("plummer", &ic::Request::new(n, 5)).unwrap();
    let bodies = &mut start.bodies;
    for k in 0..binaries {
        let (i, j) = (k, n - 1 - k);
        let mass = bodies.mass[i] + bodies.mass[j];
        // at apocentre, eccentricity 0.5, in planes that differ
        let (r, v) = (1.5 * a, (mass / a / 3.0).sqrt());
        let (sin, cos) = (k as f64).sin_cos();
        let (place, velocity) = (bodies.position(i), bodies.velocity(i));
        [bodies.x[j], bodies.y[j], bodies.z[j]] = [place[0] + r * cos, place[1] + r * sin, place[2]];
        let turned = [velocity[0] - v * sin, velocity[1] + v * cos, velocity[2]];
        [bodies.vx[j], bodies.vy[j], bodies.vz[j]] = turned;
    }
    start
}
