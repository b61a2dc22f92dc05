//! Collisions: the orbit, the tilts, the scales.

use super::*;
use std::f64::consts::PI;

/// Angular momentum per mass of the bodies from `from` to `to`, about their own centre.
fn spin(bodies: &Bodies, from: usize, to: usize) -> [f64; 3] {
    let mut part = Bodies::default();
    for i in from..to {
        part.push(bodies.mass[i], bodies.position(i), bodies.velocity(i));
    }
    part.move_to_com();
    [(1, 2), (2, 0), (0, 1)].map(|(a, b)| {
        let sum = |i: usize| {
            let (x, v) = (part.position(i), part.velocity(i));
            part.mass[i] * (x[a] * v[b] - x[b] * v[a])
        };
        (0..part.len()).map(sum).sum::<f64>() / part.total_mass()
    })
}

#[test]
fn collision_is_on_its_orbit() {
    for (pericenter, eccentricity, separation, mass_ratio) in
        [(2.0, 1.0, 20.0, 1.0), (1.5, 0.6, 5.0, 0.3), (3.0, 0.0, 3.0, 1.0), (1.0, 2.5, 12.0, 0.1), (0.0, 1.0, 9.0, 0.5)]
    {
        let options = Collision {
            n: 4000,
            model: "plummer".into(),
            mass_ratio,
            pericenter,
            eccentricity,
            separation,
            ..Collision::default()
        };
        let bodies = collision(&options).unwrap().bodies;
        let split = 4000 - (4000.0 * mass_ratio / (1.0 + mass_ratio)).round() as usize;
        let center = |from: usize, to: usize| {
            let mut part = Bodies::default();
            (from..to).for_each(|i| part.push(bodies.mass[i], bodies.position(i), bodies.velocity(i)));
            (part.total_mass(), part.center_of_mass())
        };
        let ((m1, (x1, v1)), (m2, (x2, v2))) = (center(0, split), center(split, 4000));
        let (x, v) = ([0, 1, 2].map(|k| x2[k] - x1[k]), [0, 1, 2].map(|k| v2[k] - v1[k]));
        let (mu, r, spin) = (m1 + m2, norm(x), x[0] * v[1] - x[1] * v[0]);
        // rounding of sums of 4000 terms
        assert!((m2 / m1 / mass_ratio - 1.0).abs() < 1e-11 && (r - separation).abs() < 1e-11);
        let parameter = spin * spin / mu;
        let e2 = 1.0 + parameter * (dot(v, v) / mu - 2.0 / r);
        assert!((e2 - eccentricity * eccentricity).abs() < 1e-9, "e^2 = {e2}");
        assert!((parameter - pericenter * (1.0 + eccentricity)).abs() < 1e-9, "p (1 + e) = {parameter}");
        assert!(dot(x, v) < 1e-12, "on the way in");
        // the pericentre lies on the x axis: the vector of eccentricity points there
        let toward = [v[1] * spin / mu - x[0] / r, -v[0] * spin / mu - x[1] / r];
        // (a circle has no pericentre: its vector is 0 up to the square root of the rounding error above)
        assert!(toward[1].abs() < 1e-7 && toward[0] > -1e-7, "{toward:?}");
    }
}

#[test]
fn collision_tilts_its_discs() {
    let options = Collision {
        n: 4000,
        inclination: [30.0, 120.0],
        argument: [0.0, 90.0],
        parameters: [("disc-share".to_owned(), "0.5".to_owned())].into(),
        ..Collision::default()
    };
    let bodies = collision(&options).unwrap().bodies;
    // halo first, then disc, of each
    let (first, second) = (spin(&bodies, 1000, 2000), spin(&bodies, 3000, 4000));
    let along = |spin: [f64; 3], axis: [f64; 3]| dot(spin, axis) / norm(spin);
    let (sin, cos) = ((PI / 6.0).sin(), (PI / 6.0).cos());
    // tilted about x, z goes to (0, -sin i, cos i); a quarter turn about z takes that to (sin i, 0, cos i). The sum of
    // 1000 spins of random tilt (0.2 in height over 2) is off its axis by 0.1/sqrt(1000)
    assert!(along(first, [0.0, -sin, cos]) > 1.0 - 1e-4, "{first:?}");
    assert!(along(second, [(PI / 1.5).sin(), 0.0, (PI / 1.5).cos()]) > 1.0 - 1e-4, "{second:?}");
}

#[test]
fn collision_scales_its_second() {
    let request = Request::new(30_000, 7).with("model", "king").with("w0", 4).with("mass-ratio", "1/2");
    let snapshot = by_name("collision", &request.with("separation", 1000).with("size-ratio", 0.6)).unwrap();
    let b = &snapshot.bodies;
    let size = |from: usize, to: usize| {
        let mut part = Bodies::default();
        (from..to).for_each(|i| part.push(b.mass[i], b.position(i), b.velocity(i)));
        part.move_to_com();
        measure(&Snapshot { bodies: part, ..Snapshot::default() }).0
    };
    let (first, second) = (size(0, 20_000), size(20_000, 30_000));
    // sampling: half-mass radii and energies to about 1 / sqrt(10,000), three times
    assert!((second.half_mass_radius / first.half_mass_radius / 0.6 - 1.0).abs() < 0.03);
    assert!((second.energy() / first.energy() / (0.25 / 0.6) - 1.0).abs() < 0.03);
    assert!((second.virial_ratio() - 1.0).abs() < 0.03);
}
