//! The disc: its profiles, its motions, and that both last.

use super::*;
use crate::ic::tests::{assert_distribution, assert_mean, mean, standard_error};

/// Cylindrical coordinates of the bodies of one component: R, z, v_R, v_phi, v_z.
fn cylindrical(bodies: &Bodies, component: f64) -> Vec<[f64; 5]> {
    let components = &bodies.extra[COMPONENT];
    (0..bodies.len())
        .filter(|i| components[*i] == component)
        .map(|i| {
            let ([x, y, z], [vx, vy, vz]) = (bodies.position(i), bodies.velocity(i));
            let r = x.hypot(y);
            [r, z, (x * vx + y * vy) / r, (x * vy - y * vx) / r, vz]
        })
        .collect()
}

fn column(rows: &[[f64; 5]], k: usize, from: f64, to: f64) -> Vec<f64> {
    rows.iter().filter(|row| row[0] >= from && row[0] < to).map(|row| row[k]).collect()
}

#[test]
fn profiles() {
    let options = Disc { n: 40_000, seed: 1, disc_share: Some(0.5), bulge_mass: 0.2, ..Disc::default() };
    let bodies = disc(&options).unwrap().bodies;
    let rows = cylindrical(&bodies, DISC);
    assert_eq!(rows.len(), 20_000);
    assert_distribution(column(&rows, 0, 0.0, 99.0), |r| 1.0 - (1.0 + r) * (-r).exp(), "M(R)");
    assert_distribution(column(&rows, 1, 0.0, 99.0), |z| 0.5 * (1.0 + (z / options.thickness).tanh()), "z");
    // both heights and speeds are the same on either side, and there is no motion along R
    for k in [1, 2, 4] {
        assert_mean(&column(&rows, k, 0.0, 99.0), 0.0, "mean of z, v_R, v_z");
    }
    let radii = |kind| cylindrical(&bodies, kind).iter().map(|row| row[0].hypot(row[1])).collect();
    let share = |r: f64, scale: f64, cutoff: f64| (r / (r + scale) * (1.0 + cutoff) / cutoff).powi(2);
    assert_distribution(radii(HALO), |r| share(r, 2.0, 20.0), "halo's M(r)");
    assert_distribution(radii(BULGE), |r| share(r, 0.2, 30.0), "bulge's M(r)");
}

/// Toomre's Q, the epicycle's ratio of axes, the vertical dispersion, and Jeans' equation in the plane,
/// <v_phi^2> = v_c^2 + sigma_R^2 (1 + d ln(Sigma sigma_R^2) / d ln R): the construction from orbits does not use the
/// last. The tolerances are four standard errors and the neglected terms, of order (sigma_R / v_c)^2 = 1%.
#[test]
fn motions() {
    let options = Disc { n: 60_000, seed: 1, disc_share: Some(0.99), ..Disc::default() };
    let bodies = disc(&options).unwrap().bodies;
    let rows = cylindrical(&about_center(&bodies), DISC);
    let halo = Spheroid { mass: options.halo_mass, scale: options.halo_scale, cutoff: options.halo_cutoff_scales };
    let plane = plane::Plane::new(options.thickness, &[halo]);
    let (omega, kappa) = (plane.omega(2.5), plane.kappa(2.5));

    let near: Vec<[f64; 5]> = rows.iter().copied().filter(|row| (row[0] - 2.5).abs() < 0.5).collect();
    let speed = |row: &[f64; 5]| plane.omega(row[0]) * row[0];
    let compare = |sample: Vec<f64>, expected: f64, inexact: f64, what: &str| {
        let (mean, error) = (mean(&sample), standard_error(&sample));
        assert!((mean - expected).abs() < 4.0 * error + inexact, "{what}: {mean} {expected} {error} {inexact}");
    };
    let surface_density = (-2.5f64).exp() / std::f64::consts::TAU;
    let sigma2 = (options.toomre_q * 3.36 * surface_density / kappa).powi(2);
    // each body's v_R^2 brought to R = 2.5 by the profile exp(-R)
    let radial = near.iter().map(|row| row[2] * row[2] * (row[0] - 2.5).exp()).collect();
    compare(radial, sigma2, 0.02 * sigma2, "sigma_R^2");
    let jeans = near.iter().map(|row| row[3] * row[3] - speed(row).powi(2) + (2.0 * row[0] - 1.0) * row[2] * row[2]);
    compare(jeans.collect(), 0.0, 0.01 * sigma2, "Jeans");
    let streaming = |r: f64| mean(&column(&rows, 3, r - 0.05, r + 0.05));
    let (low, middle, high) = (streaming(2.3), streaming(2.5), streaming(2.7));
    let tangential = near.iter().map(|row| {
        let t = (row[0] - 2.5) / 0.2;
        let fit = middle + 0.5 * t * (high - low) + 0.5 * t * t * (high - 2.0 * middle + low);
        (row[3] - fit) * (row[3] - fit) * (row[0] - 2.5).exp()
    });
    let ratio = (kappa / omega).powi(2) / 4.0;
    compare(tangential.collect(), ratio * sigma2, 0.04 * sigma2, "sigma_phi^2");
    let vertical = near.iter().map(|row| row[4] * row[4] / plane.dispersion2(row[0])).collect();
    compare(vertical, 1.0, 0.0, "sigma_z^2");
}

/// What the module's head says of the default: the circular speed and the turn at 2.2 scale lengths, and that the disc
/// falls behind it by the asymmetric drift. The numbers are those of another program: the integral over k by
/// trapezoids, 1.0862 and 12.726; Jeans' equation with the epicyclic ratio of dispersions, 1.057.
#[test]
fn rotation() {
    let options = Disc::default();
    let halo = Spheroid { mass: options.halo_mass, scale: options.halo_scale, cutoff: options.halo_cutoff_scales };
    let plane = plane::Plane::new(options.thickness, &[halo]);
    let omega = plane.omega(2.2);
    assert!((2.2 * omega - 1.0862).abs() < 1e-3, "{}", 2.2 * omega);
    assert!((std::f64::consts::TAU / omega - 12.726).abs() < 1e-2, "{}", std::f64::consts::TAU / omega);
    let bodies = disc(&Disc { n: 40_000, seed: 1, disc_share: Some(0.99), ..options }).unwrap().bodies;
    let streaming = column(&cylindrical(&about_center(&bodies), DISC), 3, 2.0, 2.4);
    // sampling, and terms of order (sigma_R / v_c)^2 = 1%
    assert!((mean(&streaming) - 1.057).abs() < 4.0 * standard_error(&streaming) + 0.01, "{}", mean(&streaming));
}

/// The bodies seen from the disc's centre of mass.
fn about_center(bodies: &Bodies) -> Bodies {
    let mut seen = bodies.clone();
    for (mass, component) in seen.mass.iter_mut().zip(&seen.extra[COMPONENT]) {
        *mass *= f64::from(u8::from(*component == DISC));
    }
    seen.move_to_com();
    seen
}
