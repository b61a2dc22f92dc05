//! `figure8`: three equal masses that chase each other along one figure of eight [Chenciner 2000].
//!
//! Body 3 starts at the origin, in line with the other two. The paper gives eight digits (after Simo); these were
//! continued to the last bit of f64 by Newton's method on the symmetry of the orbit after a twelfth of the period,
//! with a Taylor series of order 36 in 40-digit arithmetic, until the residual was 1e-34.

use super::Timescales;
use crate::{Bodies, Snapshot};

/// The period, G = 1 and masses 1.
pub const PERIOD: f64 = 6.325_913_982_926_212;

/// A period.
pub(super) const TIMESCALES: Timescales = Timescales { dt: 1.0 / 256.0, duration: PERIOD };

const X: f64 = 0.970_004_356_697_333_4;
const Y: f64 = -0.243_087_531_535_848_87;
const VX: f64 = -0.932_407_371_441_052_3;
const VY: f64 = -0.864_731_460_921_006;

/// Three bodies of mass 1, G = 1, in the plane z = 0.
pub fn figure8() -> Snapshot {
    let mut bodies = Bodies::with_capacity(3);
    bodies.push(1.0, [X, Y, 0.0], [-0.5 * VX, -0.5 * VY, 0.0]);
    bodies.push(1.0, [-X, -Y, 0.0], [-0.5 * VX, -0.5 * VY, 0.0]);
    bodies.push(1.0, [0.0; 3], [VX, VY, 0.0]);
    Snapshot { bodies, ..Snapshot::default() }
}
