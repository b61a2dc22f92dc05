//! Sod's problem and its exact solution [Sod 1978; Toro 2009, ch. 4].

/// The ratio of specific heats.
pub(crate) const GAMMA: f64 = 1.4;

/// Density, velocity and pressure.
pub(crate) type State = [f64; 3];
/// At rest on the left.
pub(crate) const LEFT: State = [1.0, 0.0, 1.0];
/// At rest on the right.
pub(crate) const RIGHT: State = [0.125, 0.0, 0.1];

/// The exact solution at x / t [Toro 2009, ch. 4], for a rarefaction on the left and a shock on the right.
pub(crate) fn exact(xi: f64) -> State {
    let sound = |[rho, _, p]: State| (GAMMA * p / rho).sqrt();
    let (cl, cr) = (sound(LEFT), sound(RIGHT));
    let z = (GAMMA - 1.0) / (2.0 * GAMMA);
    // velocities behind a rarefaction from the left and a shock into the right, at pressure p
    let behind_rarefaction = |p: f64| 2.0 * cl / (GAMMA - 1.0) * (1.0 - (p / LEFT[2]).powf(z));
    let behind_shock = |p: f64| {
        let a = 2.0 / ((GAMMA + 1.0) * RIGHT[0]);
        (p - RIGHT[2]) * (a / (p + (GAMMA - 1.0) / (GAMMA + 1.0) * RIGHT[2])).sqrt()
    };
    let (mut low, mut high) = (RIGHT[2], LEFT[2]);
    for _ in 0..100 {
        let p = 0.5 * (low + high);
        if behind_rarefaction(p) > behind_shock(p) { low = p } else { high = p }
    }
    let (p, v) = (low, behind_shock(low));
    let rho_left = LEFT[0] * (p / LEFT[2]).powf(1.0 / GAMMA);
    let (g, ratio) = ((GAMMA - 1.0) / (GAMMA + 1.0), p / RIGHT[2]);
    let rho_right = RIGHT[0] * (ratio + g) / (g * ratio + 1.0);
    let shock = cr * ((GAMMA + 1.0) / (2.0 * GAMMA) * ratio + z).sqrt();
    if xi < -cl {
        LEFT
    } else if xi < v - sound([rho_left, v, p]) {
        let c = (2.0 * cl - (GAMMA - 1.0) * xi) / (GAMMA + 1.0);
        let rho = LEFT[0] * (c / cl).powf(2.0 / (GAMMA - 1.0));
        [rho, xi + c, LEFT[2] * (c / cl).powf(1.0 / z)]
    } else if xi < v {
        [rho_left, v, p]
    } else if xi < shock {
        [rho_right, v, p]
    } else {
        RIGHT
    }
}
