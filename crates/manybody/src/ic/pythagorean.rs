//! `pythagorean`: Burrau's problem: masses 3, 4 and 5 at rest in the corners of a triangle with sides 3, 4 and 5, each
//! opposite the side of its length [Burrau 1913]. After many close encounters the lightest is thrown out
//! [Szebehely 1967]. Chaotic: the hardest small problem for an integrator.

use super::Timescales;
use crate::{Bodies, Snapshot};

/// Up to the first close encounters, which pass within 0.02.
pub(super) const TIMESCALES: Timescales = Timescales { dt: 1.0 / 16384.0, duration: 10.0 };

/// Three bodies at rest, G = 1, in the plane z = 0, their centre of mass at the origin.
pub fn pythagorean() -> Snapshot {
    let mut bodies = Bodies::with_capacity(3);
    bodies.push(3.0, [1.0, 3.0, 0.0], [0.0; 3]);
    bodies.push(4.0, [-2.0, -1.0, 0.0], [0.0; 3]);
    bodies.push(5.0, [1.0, -1.0, 0.0], [0.0; 3]);
    Snapshot { bodies, ..Snapshot::default() }
}
