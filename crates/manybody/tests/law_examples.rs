//! Laws in programs: what the examples sod, sphere_in_field and hologram compute, against what is known exactly.

#[path = "../examples/hologram.rs"]
#[allow(dead_code)]
mod hologram;
#[path = "../examples/sod.rs"]
#[allow(dead_code)]
mod sod;
#[path = "../examples/sphere_in_field.rs"]
#[allow(dead_code)]
mod sphere;

/// The exact solution itself: the star pressure and velocity of Sod's problem [Toro 2009, table 4.3].
#[test]
fn the_exact_solution_of_sods_problem() {
    let [rho, v, p] = sod::riemann::exact(1.0);
    assert!((p - 0.30313).abs() < 1e-5 && (v - 0.92745).abs() < 1e-5 && (rho - 0.26557).abs() < 1e-5);
    assert!((sod::riemann::exact(0.5)[0] - 0.42632).abs() < 1e-5);
    // the shock runs at 1.75216
    assert!(sod::riemann::exact(1.7521)[0] > 0.2 && sod::riemann::exact(1.7523)[0] < 0.13);
    // the rarefaction joins what is beside it
    for xi in [-1.1832160, -0.0702728] {
        let (before, after) = (sod::riemann::exact(xi - 1e-6), sod::riemann::exact(xi + 1e-6));
        assert!((0..3).all(|q| (before[q] - after[q]).abs() < 1e-5), "{before:?} {after:?}");
    }
}

/// SPH resolves a jump over some four smoothing lengths of 1.4 parcels, so mean errors fall in proportion to the
/// spacing; the tolerances are a half more than what was measured.
#[test]
fn sods_shock_tube() {
    let run = |spacing: f64| {
        let mut run = sod::tube(spacing, 0.75).unwrap();
        run.advance(u64::MAX).unwrap();
        run.bodies().unwrap().clone()
    };
    let coarse = sod::riemann::errors(&run(0.005));
    let gas = run(0.0025);
    let fine = sod::riemann::errors(&gas);
    for (q, most) in [0.012, 0.038, 0.013].into_iter().enumerate() {
        assert!(fine[q] < most && fine[q] < 0.75 * coarse[q], "{q}: {fine:?} after {coarse:?}");
    }
    // behind the shock, away from the contact
    let plateau: Vec<usize> = (0..gas.len()).filter(|k| (0.23..0.30).contains(&gas.x[*k])).collect();
    assert!(plateau.len() > 5);
    for k in plateau {
        let (found, exact) = (sod::riemann::state(&gas, k), sod::riemann::exact(1.35));
        assert!((0..3).all(|q| (found[q] / exact[q] - 1.0).abs() < 0.03), "{}: {found:?} {exact:?}", gas.x[k]);
    }
}

/// Four times the elements, half their distance: the error of what one element does to itself falls as their area.
#[test]
fn a_sphere_in_a_uniform_field() {
    for eps in [4.0, 100.0, 0.2] {
        let (few, many) = (sphere::solve(400, eps).unwrap(), sphere::solve(1600, eps).unwrap());
        assert!(many.error < 0.4 * few.error && many.error < 0.02 * 3.0 / (eps + 2.0), "{eps}: {}", many.error);
        assert!(many.products < 25, "{eps}: {}", many.products);
    }
}

/// GMRES itself, on a matrix that is neither symmetric nor definite.
#[test]
fn gmres_solves() {
    let n = 30;
    let matrix = |k: usize, l: usize| {
        if k == l { 3.0 + k as f64 } else { ((7 * k + 3 * l) % 11) as f64 / 11.0 - 0.4 }
    };
    let times = |x: &[f64]| Ok((0..n).map(|k| (0..n).map(|l| matrix(k, l) * x[l]).sum()).collect::<Vec<f64>>());
    let want: Vec<f64> = (0..n).map(|k| (k as f64).sin()).collect();
    let (found, _) = sphere::gmres(times, &times(&want).unwrap(), 1e-13).unwrap();
    assert!(found.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-10));
}

/// At each depth the letter's own points are the brightest places; halfway between points, and at the points of the
/// other letter, it is dark.
#[test]
fn the_hologram_shows_its_letters() {
    let (_, plane) = hologram::pattern(160, 1.0).unwrap();
    for (which, depth) in hologram::DEPTHS.into_iter().enumerate() {
        let points = hologram::letter(which);
        let field = hologram::square(44, 1.0, depth);
        let seen = hologram::brightness(&plane, &field).unwrap();
        let column = |k: usize| points.iter().map(|p| p[k]).collect::<Vec<f64>>();
        let zero = vec![0.0; points.len()];
        let bright = hologram::brightness(&plane, &[column(0), column(1), column(2), zero.clone(), zero]).unwrap();
        let least = bright.iter().copied().fold(f64::INFINITY, f64::min);
        // a spot of light is wavelength times depth over the plane's width wide, 2
        let near = |k: usize| points.iter().any(|p| (p[0] - field[0][k]).hypot(p[1] - field[1][k]) < 3.0);
        let dark: Vec<f64> = (0..seen.len()).filter(|k| !near(*k)).map(|k| seen[k]).collect();
        let most = dark.iter().copied().fold(0.0, f64::max);
        let mean = dark.iter().sum::<f64>() / dark.len() as f64;
        assert!(least > most && least > 4.0 * mean, "letter {which}: {least} {most} {mean}");
    }
}
