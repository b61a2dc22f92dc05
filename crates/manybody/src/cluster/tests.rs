use super::*;
use crate::ic::{self, Request};
use crate::solver::{ForceTerms, Forces, Reference, Solver};

fn plummer(n: usize) -> Bodies {
    ic::by_name("plummer", &Request::new(n, 3)).unwrap().bodies
}

const GRAVITY: Gravity = Gravity::new(1.0, 0.0);

fn potential(bodies: &Bodies, gravity: &Gravity) -> Vec<f64> {
    let mut forces = Forces::default();
    let terms = ForceTerms { potential: true, jerk: false };
    Reference::default().forces(bodies, gravity, terms, &mut forces).unwrap();
    forces.pot
}

fn measure(bodies: &Bodies) -> Cluster {
    Cluster::measure(bodies, Some(&potential(bodies, &GRAVITY)), Some(&GRAVITY))
}

/// A Plummer sphere far from the origin and in motion: its measures are known, and do not see where it is.
#[test]
fn a_plummer_sphere_is_measured() {
    let n = 4000;
    let mut bodies = plummer(n);
    let here = measure(&bodies);
    bodies.shift([5.0, -7.0, 1e3], [3.0, 0.0, 0.0]);
    let there = measure(&bodies);
    let scale = 3.0 * std::f64::consts::PI / 16.0;
    // the centre: some hundred bodies of the core place it, within 0.3 a each
    let off = square_of_difference(there.centre, [5.0, -7.0, 1e3]).sqrt();
    assert!(off < 3.0 * 0.5 * scale / 100.0_f64.sqrt(), "{off}");
    for (k, fraction) in FRACTIONS.iter().enumerate().skip(1) {
        let exact = scale / (fraction.powf(-2.0 / 3.0) - 1.0).sqrt();
        // dr / dM of the sphere, times the scatter of M, sqrt(n f (1 - f)) bodies: four of it, and the centre's error
        let slope = exact.powi(3) / scale.powi(2) / (3.0 * fraction.powf(5.0 / 3.0));
        let scatter = slope * (fraction * (1.0 - fraction) / n as f64).sqrt();
        let found = there.lagrangian_radii[k];
        assert!((found - exact).abs() < 4.0 * scatter + off, "{fraction}: {found}, {exact}, {scatter}");
        assert!((found - here.lagrangian_radii[k]).abs() < 1e-9 * found);
    }
    // sqrt(0.3) a; densities of six neighbours scatter by half of themselves: some hundred of them by a twentieth
    let core = there.core_radius.unwrap();
    assert!((core / (0.3_f64.sqrt() * scale) - 1.0).abs() < 4.0 * 0.05, "{core}");
    // T = 1/4 = 3 sigma^2 / 2
    assert!((there.velocity_dispersion - (1.0_f64 / 6.0).sqrt()).abs() < 4.0 * 0.4 / (n as f64).sqrt());
    assert_eq!((there.escapers, here.pairs.map(|p| p.count)), (Some(0), there.pairs.map(|p| p.count)));
}

/// A binary on a Kepler orbit of semi-major axis 0.01 and eccentricity 0.6 in the halo of a cluster, and a body that
/// flies away.
#[test]
fn a_binary_and_an_escaper_are_found() {
    let mut bodies = plummer(500);
    let (m1, m2, a, e) = (0.002_f64, 0.001, 0.01, 0.6);
    let (r, w) = (a * (1.0 - e), ((m1 + m2) * (1.0 + e) / (a * (1.0 - e))).sqrt());
    let (f1, f2) = (m2 / (m1 + m2), m1 / (m1 + m2));
    bodies.push(m1, [10.0 - f1 * r, 0.0, 0.0], [0.0, -f1 * w, 0.0]);
    bodies.push(m2, [10.0 + f2 * r, 0.0, 0.0], [0.0, f2 * w, 0.0]);
    bodies.push(0.002, [0.0, 30.0, 0.0], [0.0, 2.0, 0.0]);
    let found = measure(&bodies);
    let pair = found.pairs.unwrap().hardest.unwrap();
    assert_eq!((pair.index, pair.id), ([500, 501], [500, 501]));
    let near = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-12 * exact, "{found} {exact}");
    near(pair.binding_energy, m1 * m2 / (2.0 * a));
    near(pair.semi_major_axis, a);
    near(pair.eccentricity, e);
    assert_eq!(found.escapers, Some(1));
    // softened well beyond its axis, it is bound no longer
    let soft = Gravity::new(1.0, 0.1);
    let pairs = bound_pairs(&bodies, &Neighbourhood::of(&bodies), &soft);
    assert!(pairs.iter().all(|pair| pair.index != [500, 501]), "{pairs:?}");
}

/// The same by all pairs of a small system: each body's most strongly bound partner, where that is mutual.
#[test]
fn pairs_are_those_of_a_double_loop() {
    let mut bodies = plummer(7);
    bodies.vx.iter_mut().chain(&mut bodies.vy).chain(&mut bodies.vz).for_each(|v| *v *= 0.3);
    let n = bodies.len();
    let energy = |i: usize, j: usize| {
        let [r2, w2] = [
            square_of_difference(bodies.position(i), bodies.position(j)),
            square_of_difference(bodies.velocity(i), bodies.velocity(j)),
        ];
        let (a, b) = (bodies.mass[i], bodies.mass[j]);
        a * b / r2.sqrt() - 0.5 * a * b / (a + b) * w2
    };
    let best = |i: usize| {
        let others = (0..n).filter(|j| *j != i && energy(i, *j) > 0.0);
        others.max_by(|a, b| energy(i, *a).total_cmp(&energy(i, *b)))
    };
    let mutual: Vec<[usize; 2]> =
        (0..n).filter_map(|i| best(i).filter(|j| i < *j && best(*j) == Some(i)).map(|j| [i, j])).collect();
    let mut found: Vec<[usize; 2]> =
        bound_pairs(&bodies, &Neighbourhood::of(&bodies), &GRAVITY).iter().map(|pair| pair.index).collect();
    found.sort_unstable();
    assert!(!mutual.is_empty() && found == mutual, "{found:?} {mutual:?}");
}

#[test]
fn few_massless_and_coincident_bodies_have_measures() {
    let nothing = Cluster::measure(&Bodies::default(), Some(&[]), Some(&GRAVITY));
    assert_eq!((nothing.core_radius, nothing.velocity_dispersion, nothing.escapers), (None, 0.0, Some(0)));
    let one = measure(&plummer(1));
    assert_eq!((one.core_radius, one.lagrangian_radii), (None, [0.0; 7]));
    assert_eq!(one.pairs, Some(Pairs::default()));
    // six have a centre of mass, seven a density
    assert_eq!(measure(&plummer(6)).centre, plummer(6).center_of_mass().0);
    assert!(measure(&plummer(7)).core_radius.is_some());
    // bodies without mass are no neighbours
    let mut traced = plummer(100);
    let alone = Cluster::measure(&traced, None, None);
    (0..50).for_each(|k| traced.push(0.0, [1e-3 * f64::from(k), 0.0, 0.0], [0.0; 3]));
    assert_eq!(Cluster::measure(&traced, None, None), alone);
    // all at one place, which has an infinite density
    let mut heap = Bodies::default();
    (0..20).for_each(|_| heap.push(1.0, [3.0, 4.0, 5.0], [0.0; 3]));
    let heap = Cluster::measure(&heap, None, Some(&Gravity::new(1.0, 0.1)));
    assert_eq!((heap.centre, heap.core_radius), ([3.0, 4.0, 5.0], Some(0.0)));
    assert_eq!(heap.pairs.unwrap().count, 1); // the first two choose each other, all others the first
}

/// A Plummer sphere is isotropic, and has a known density and dispersion: shells scatter about these.
#[test]
fn profiles_are_those_of_the_model() {
    let bodies = plummer(20_000);
    let scale = 3.0 * std::f64::consts::PI / 16.0;
    let shells = profile(&bodies, [0.0; 3], 40);
    assert_eq!((shells.len(), shells.iter().map(|shell| shell.count).sum::<usize>()), (40, 20_000));
    assert!((shells.iter().map(|shell| shell.mass).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(shells.windows(2).all(|pair| pair[0].outer == pair[1].inner));
    // the last shell is wide: its mean density is not that at its mean radius
    for shell in &shells[..38] {
        let inside = |r: f64| (1.0 + (scale / r).powi(2)).powf(-1.5);
        let volume = 4.0 / 3.0 * std::f64::consts::PI * (shell.outer.powi(3) - shell.inner.powi(3));
        let density = (inside(shell.outer) - if shell.inner > 0.0 { inside(shell.inner) } else { 0.0 }) / volume;
        // 500 bodies: 4.5 % of them; five of it, as there are 38 shells
        assert!((shell.density / density - 1.0).abs() < 5.0 * 0.045, "{shell:?} {density}");
        // sigma^2 = G M / (6 sqrt(r^2 + a^2)); of 1,500 components 1 / sqrt(3000), of 500 along the radius 1 /
        // sqrt(1000)
        let sigma = (1.0 / (6.0 * (shell.radius.powi(2) + scale.powi(2)).sqrt())).sqrt();
        assert!((shell.dispersion / sigma - 1.0).abs() < 5.0 * 0.018 + 0.01, "{shell:?} {sigma}");
        // of the ratio of variances, sqrt(2 / 500 + 2 / 1000)
        assert!(shell.anisotropy.abs() < 5.0 * 0.077, "{shell:?}");
    }
}

/// Radial orbits have the anisotropy 1, a radial flow has no radial dispersion, and the rotation of a ring counts as
/// tangential dispersion.
#[test]
fn anisotropy_has_its_limits() {
    let mut bodies = Bodies::default();
    for k in 0..12_u32 {
        let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 12.0).sin_cos();
        let speed = if k % 2 == 0 { 1.0 } else { -1.0 };
        bodies.push(1.0, [cos, sin, 0.0], [speed * cos, speed * sin, 0.0]);
    }
    let near = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-12, "{found} {exact}");
    let [shell] = profile(&bodies, [0.0; 3], 1)[..] else { panic!("one shell") };
    near(shell.anisotropy, 1.0);
    near(shell.radial, 1.0);
    // all bodies move outward: a flow
    for i in 0..12 {
        (bodies.vx[i], bodies.vy[i]) = (bodies.x[i], bodies.y[i]);
    }
    near(profile(&bodies, [0.0; 3], 1)[0].radial, 0.0);
    for i in 0..12 {
        (bodies.vx[i], bodies.vy[i]) = (-bodies.y[i], bodies.x[i]);
    }
    near(profile(&bodies, [0.0; 3], 1)[0].tangential, 0.5_f64.sqrt());
    // more shells than bodies, and no bodies
    assert_eq!(profile(&bodies, [0.0; 3], 99).len(), 12);
    assert!(profile(&Bodies::default(), [0.0; 3], 5).is_empty());
    bodies.x.fill(0.0);
    bodies.y.fill(0.0);
    let [heap] = profile(&bodies, [0.0; 3], 1)[..] else { panic!("one shell") };
    assert!(heap.density.is_infinite() && heap.anisotropy.is_nan());
}
