//! Sod's problem, its exact solution [Sod 1978; Toro 2009, ch. 4], and how far a gas is from it.

use manybody::Bodies;

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

/// When the gas is looked at.
pub(crate) const END: f64 = 0.2;
/// Where the ends cannot be felt until then.
const SEEN: f64 = 0.45;

/// Density, velocity and pressure of a parcel.
pub(crate) fn state(gas: &Bodies, k: usize) -> State {
    let (rho, u) = (gas.extra["rho"][k], gas.extra["u"][k]);
    [rho, gas.vx[k], (GAMMA - 1.0) * rho * u]
}

/// Mean differences from the exact density, velocity and pressure over the part that is seen.
pub(crate) fn errors(gas: &Bodies) -> State {
    let mut sums = [0.0; 3];
    for k in (0..gas.len()).filter(|k| gas.x[*k].abs() < SEEN) {
        let (found, exact) = (state(gas, k), exact(gas.x[k] / END));
        // a parcel stands for the length m / rho
        (0..3).for_each(|q| sums[q] += (found[q] - exact[q]).abs() * gas.mass[k] / found[0]);
    }
    sums.map(|sum| sum / (2.0 * SEEN))
}

/// Prints how far the gas is from the exact solution, and its profile at every fifteenth parcel.
pub(crate) fn report(gas: &Bodies) {
    let [rho, v, p] = errors(gas);
    eprintln!("{} parcels: mean error of density {rho:.4}, velocity {v:.4}, pressure {p:.4}", gas.len());
    eprintln!("     x   density  (exact)   velocity  (exact)   pressure  (exact)");
    for k in (0..gas.len()).filter(|k| gas.x[*k].abs() < SEEN).step_by(15) {
        let ([rho, v, p], x) = (exact(gas.x[k] / END), gas.x[k]);
        let found = state(gas, k);
        eprintln!("{x:7.3}  {:.4} ({rho:.4})   {:7.4} ({v:.4})    {:.4} ({p:.4})", found[0], found[1], found[2]);
    }
}
