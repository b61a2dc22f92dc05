//! Fields against what is known of each: accelerations are gradients of potentials, and masses follow from densities.

use super::*;
use crate::units::Units;
use std::f64::consts::PI;

const SPECS: [&str; 8] = [
    "point-mass:m=2,x=0.5",
    "uniform:gx=1,gz=-2",
    "harmonic:omega=3,y=1",
    "logarithmic:v0=2,rc=0.5,q=0.8",
    "miyamoto-nagai:m=2,a=1,b=0.3",
    "plummer:m=2,b=0.5",
    "hernquist:m=2,a=0.7,z=-1",
    "nfw:m=2,a=0.7",
];

fn field(text: &str, g: f64) -> Box<dyn Field> {
    FieldSpec::parse(text, &Units::henon()).unwrap().field(g)
}

/// Central differences of step h have an error of h^2 / 6 times the third derivative and of rounding / h: 1e-10 and
/// 1e-11 with h = 1e-5, times derivatives of up to 1e3 where the scale is 0.1.
#[test]
fn accelerations_are_gradients() {
    for text in SPECS {
        let field = field(text, 1.5);
        for place in [[0.3, -0.4, 0.2], [2.0, 1.0, -3.0], [-0.05, 0.02, 0.04]] {
            let (found, _) = field.at(place, 0.0);
            for k in 0..3 {
                let h = 1e-5;
                let at = |side: f64| {
                    let mut moved = place;
                    moved[k] += side * h;
                    field.at(moved, 0.0).1
                };
                let slope = -(at(1.0) - at(-1.0)) / (2.0 * h);
                assert!((found[k] - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{text} {place:?}: {found:?} {slope}");
            }
        }
    }
}

/// The change of the acceleration along a straight line, by central differences as above.
#[test]
fn jerks_are_derivatives_of_accelerations() {
    let v = [0.4, -0.7, 0.5];
    for text in SPECS {
        let field = field(text, 1.5);
        for place in [[0.3, -0.4, 0.2], [2.0, 1.0, -3.0], [-0.05, 0.02, 0.04], [0.003, 0.001, 0.0]] {
            let found = field.jerk(place, v, 0.0).unwrap();
            let h = 1e-5;
            let at = |side: f64| field.at([0, 1, 2].map(|k| place[k] + side * h * v[k]), 0.0).0;
            let (before, after) = (at(-1.0), at(1.0));
            let size = found.iter().map(|q| q * q).sum::<f64>().sqrt();
            for k in 0..3 {
                let change = (after[k] - before[k]) / (2.0 * h);
                // h^2 / 6 of a third derivative, which is up to 1e6 / 3e-3 times the jerk at the innermost place
                assert!((found[k] - change).abs() < 1e-5 * (1.0 + size), "{text} {place:?}: {found:?} {change}");
            }
        }
    }
    // moving away from the very centre
    for text in ["harmonic:omega=3", "plummer:m=2,b=0.5", "miyamoto-nagai:m=2,a=1,b=0.3", "logarithmic:v0=2,rc=0.5"] {
        let field = field(text, 1.5);
        let found = field.jerk([0.0; 3], v, 0.0).unwrap();
        let after = field.at(v.map(|v| 1e-7 * v), 0.0).0;
        assert!((0..3).all(|k| (found[k] - 1e7 * after[k]).abs() < 1e-5 * found[0].abs()), "{text}");
    }
}

/// Masses of the density: the flux of the acceleration through a sphere is 4 pi G M(r). Simpson's rule over shells of
/// 4 pi r^2 rho is exact to 1e-10 with 2,000 shells.
#[test]
fn spheres_have_the_mass_of_their_density() {
    let (gm, a) = (2.0, 0.7);
    let nfw = |r: f64| gm * r / (r + a).powi(2);
    let hernquist = |r: f64| 2.0 * gm * a * r / (r + a).powi(3);
    let plummer = |r: f64| 3.0 * gm / a.powi(3) * r * r * (1.0 + r * r / (a * a)).powf(-2.5);
    type Shell<'a> = &'a dyn Fn(f64) -> f64;
    let fields: [(&dyn Field, Shell<'_>); 3] =
        [(&Nfw { gm, a }, &nfw), (&Hernquist { gm, a }, &hernquist), (&Plummer { gm, b: a }, &plummer)];
    for (field, shell) in fields {
        for r in [0.005, 0.5, 3.0] {
            let (n, h) = (2000, r / 2000.0);
            let weight = |k: usize| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
            let mass: f64 = (0..=n).map(|k| weight(k) * shell(k as f64 * h)).sum::<f64>() * h / 3.0;
            let (pull, _) = field.at([0.0, r, 0.0], 0.0);
            assert!((-pull[1] * r * r / mass - 1.0).abs() < 1e-9, "{r}: {} {mass}", -pull[1] * r * r);
        }
    }
    // nothing pulls at a centre that is no singularity, and a point mass has one
    assert_eq!(Nfw { gm, a }.at([0.0; 3], 0.0), ([0.0; 3], -gm / a));
    assert!(PointMass { gm }.at([0.0; 3], 0.0).0[0].is_nan());
}

/// v_c^2 = v0^2 R^2 / (rc^2 + R^2) [Binney 2008, eq. 2.71b]; with a = 0 Miyamoto and Nagai's disc is Plummer's sphere.
#[test]
fn special_cases() {
    let (pull, _) = Logarithmic { v0: 2.0, rc: 0.5, q: 0.8 }.at([0.0, 1.5, 0.0], 0.0);
    assert!((-pull[1] * 1.5 - 4.0 * 2.25 / 2.5).abs() < 1e-14, "{pull:?}");
    let place = [0.3, -0.7, 1.1];
    let (disc, sphere) =
        (MiyamotoNagai { gm: 2.0, a: 0.0, b: 0.4 }.at(place, 0.0), Plummer { gm: 2.0, b: 0.4 }.at(place, 0.0));
    assert!((disc.1 - sphere.1).abs() < 1e-15 && (0..3).all(|k| (disc.0[k] - sphere.0[k]).abs() < 1e-14));
    // the period of a harmonic field: x'' = -omega^2 x
    let omega = 2.0 * PI;
    assert_eq!(Harmonic { omega }.at([1.0, 0.0, 0.0], 0.0).0[0], -omega * omega);
}

#[test]
fn specifications_read_back() {
    let units = Units::henon();
    for text in SPECS {
        let spec = FieldSpec::parse(text, &units).unwrap();
        assert_eq!(FieldSpec::parse(&spec.to_string(), &units).unwrap(), spec, "{spec}");
    }
    let physical = Units::by_name("msun-kpc-kms").unwrap();
    let halo = FieldSpec::parse("nfw: m = 1e12 Msun, a=20 kpc", &physical).unwrap();
    assert_eq!(halo.to_string(), "nfw:m=1000000000000.0,a=20.0");
    let refused = |text: &str| FieldSpec::parse(text, &units).unwrap_err().to_string();
    for (text, parts) in [
        ("nwf:m=1", ["unknown field 'nwf'", "did you mean nfw?"]),
        ("nfw:m=1", ["a must be given", "a (scale length)"]),
        ("nfw:m=1,a=2,c=3", ["no parameter c", "m (mass)"]),
        ("nfw:m=1,a=-2", ["a = -2", "above 0"]),
        ("nfw:m=1,a=two", ["a = two", "must be a number"]),
        ("nfw:m=1,a=2,a=3", ["a is given twice", "nfw"]),
        ("nfw:m", ["'m' must be param=value", "nfw"]),
        ("nfw:m=1 kpc,a=2", ["m = 1 kpc", "expected a mass"]),
    ] {
        let message = refused(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
    }
}
