//! The calls of GRAPE-6.

use super::message;
use crate::grape::{
    g6_close_, g6_get_neighbour_list_, g6_npipes_, g6_open_, g6_read_neighbour_list_, g6_reset_, g6_set_j_particle_,
    g6_set_ti_, g6calc_firsthalf_, g6calc_lasthalf_, g6calc_lasthalf2_,
};
use manybody::solver::{Gravity, Softening, reference_at};
use manybody::{Bodies, ic};
use std::ffi::c_int;
use std::ptr::null;

/// A GRAPE of a test, closed at the end.
struct Grape(c_int);

/// What a calculation gives.
#[derive(Debug)]
struct Found {
    acc: Vec<f64>,
    jerk: Vec<f64>,
    pot: Vec<f64>,
    nearest: Vec<c_int>,
}

impl Grape {
    fn open(id: c_int) -> Self {
        assert_eq!(unsafe { g6_open_(&id) }, 0, "{}", message());
        Grape(id)
    }

    fn set(&self, address: c_int, index: c_int, t: f64, m: f64, [s, j, a, v, x]: [[f64; 3]; 5]) -> c_int {
        let (s, j, a) = (s.map(|s| s / 18.0), j.map(|j| j / 6.0), a.map(|a| a / 2.0));
        let (s, j, a, v, x) = (s.as_ptr(), j.as_ptr(), a.as_ptr(), v.as_ptr(), x.as_ptr());
        unsafe { g6_set_j_particle_(&self.0, &address, &index, &t, &0.1, &m, s, j, a, v, x) }
    }

    fn set_all(&self, bodies: &Bodies) {
        let none = [0.0; 3];
        for (k, body) in bodies.iter().enumerate() {
            let numbers = [none, none, none, body.velocity, body.position];
            assert_eq!(self.set(k as c_int, 100 + k as c_int, 0.0, body.mass, numbers), 0, "{}", message());
        }
    }

    fn calculate(
        &self,
        nj: c_int,
        index: &[c_int],
        x: &[f64],
        v: &[f64],
        eps2: f64,
        h2: &[f64],
    ) -> Result<Found, c_int> {
        let n = index.len();
        let ni = n as c_int;
        let mut found = Found { acc: vec![7.0; 3 * n], jerk: vec![7.0; 3 * n], pot: vec![7.0; n], nearest: vec![7; n] };
        let (i, x, v, h) = (index.as_ptr(), x.as_ptr(), v.as_ptr(), h2.as_ptr());
        let first = unsafe { g6calc_firsthalf_(&self.0, &nj, &ni, i, x, v, null(), null(), null(), &eps2, h) };
        if first != 0 {
            return Err(first);
        }
        let (acc, jerk, pot) = (found.acc.as_mut_ptr(), found.jerk.as_mut_ptr(), found.pot.as_mut_ptr());
        let near = found.nearest.as_mut_ptr();
        let last = unsafe { g6calc_lasthalf2_(&self.0, &nj, &ni, i, x, v, &eps2, h, acc, jerk, pot, near) };
        if last == 0 { Ok(found) } else { Err(last) }
    }
}

impl Drop for Grape {
    fn drop(&mut self) {
        unsafe { g6_close_(&self.0) };
    }
}

fn cluster(n: usize) -> Bodies {
    ic::by_name("plummer", &ic::Request::new(n, 3)).unwrap().bodies
}

fn rows(bodies: &Bodies, which: &[usize]) -> (Vec<f64>, Vec<f64>) {
    (which.iter().flat_map(|k| bodies.position(*k)).collect(), which.iter().flat_map(|k| bodies.velocity(*k)).collect())
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], scale: f64) {
    // sums of some hundred terms in f64
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12 * scale), "{found:?} {expected:?}");
}

#[test]
fn forces_are_those_of_the_reference() {
    let (bodies, grape) = (cluster(200), Grape::open(1));
    grape.set_all(&bodies);
    for eps in [0.0, 0.05] {
        let which = [5, 0, 199, 77];
        let (x, v) = rows(&bodies, &which);
        let index: Vec<c_int> = which.iter().map(|k| 100 + *k as c_int).collect();
        let found = grape.calculate(200, &index, &x, &v, eps * eps, &[0.0; 4]).unwrap();
        for (k, body) in which.into_iter().enumerate() {
            let expected = reference_at(&bodies, &Gravity::new(1.0, eps), body);
            near(&found.acc[3 * k..][..3], &expected.acc, 10.0);
            near(&found.jerk[3 * k..][..3], &expected.jerk, 100.0);
            near(&found.pot[k..][..1], &[expected.pot], 10.0);
        }
    }
    // without nearest neighbours the same
    let (x, v) = rows(&bodies, &[9]);
    let with = grape.calculate(200, &[109], &x, &v, 0.01, &[0.0]).unwrap();
    let (mut acc, mut jerk, mut pot) = ([0.0; 3], [0.0; 3], [0.0]);
    let (a, j, p) = (acc.as_mut_ptr(), jerk.as_mut_ptr(), pot.as_mut_ptr());
    let (nj, ni, eps2, h2) = (200, 1, 0.01, [0.0]);
    let last = unsafe {
        g6calc_lasthalf_(&grape.0, &nj, &ni, [109].as_ptr(), x.as_ptr(), v.as_ptr(), &eps2, h2.as_ptr(), a, j, p)
    };
    assert_eq!(last, 0, "{}", message());
    assert_eq!((&acc[..], &jerk[..], &pot[..]), (&with.acc[..], &with.jerk[..], &with.pot[..]));
}

#[test]
fn particles_are_predicted_to_the_time() {
    let grape = Grape::open(2);
    // x = 1 + t + t^2 + t^3 + t^4 from t = 1, whose derivatives there are 1, 2, 6, 24
    let along = |q: f64| [q, 0.0, 0.0];
    assert_eq!(grape.set(0, 10, 1.0, 3.0, [along(24.0), along(6.0), along(2.0), along(1.0), along(1.0)]), 0);
    let t = 1.5;
    assert_eq!(unsafe { g6_set_ti_(&grape.0, &t) }, 0);
    let (place, speed) = (1.0 + 0.5 + 0.25 + 0.125 + 0.0625, 1.0 + 1.0 + 0.75 + 0.5);
    let found = grape.calculate(1, &[11], &[0.0; 3], &[0.0; 3], 0.0, &[0.0]).unwrap();
    near(&found.acc, &[3.0 / (place * place), 0.0, 0.0], 1.0);
    near(&found.pot, &[-3.0 / place], 1.0);
    // radial: d/dt (m / x^2) = -2 m v / x^3
    near(&found.jerk, &[-2.0 * 3.0 * speed / (place * place * place), 0.0, 0.0], 10.0);
    // the particle itself, at a place that was predicted otherwise, does nothing to itself
    let found = grape.calculate(1, &[10], &[place + 1e-9, 0.0, 0.0], &[speed, 0.0, 0.0], 0.0, &[1.0]).unwrap();
    assert_eq!((found.acc, found.jerk, found.pot, found.nearest), (vec![0.0; 3], vec![0.0; 3], vec![0.0], vec![-1]));
}

#[test]
fn indices_decide_who_is_who() {
    let (bodies, grape) = (cluster(50), Grape::open(3));
    grape.set_all(&bodies);
    // one that is there, the same once more, and one that is not there
    let (x, v) = rows(&bodies, &[4, 4, 4]);
    let found = grape.calculate(50, &[104, 104, 999], &x, &v, 0.01, &[0.0; 3]).unwrap();
    let own = reference_at(&bodies, &Gravity::new(1.0, 0.1), 4);
    for k in 0..2 {
        near(&found.acc[3 * k..][..3], &own.acc, 10.0);
        near(&found.pot[k..][..1], &[own.pot], 10.0);
    }
    near(&found.pot[2..], &[own.pot - bodies.mass[4] / 0.1], 10.0);
    // only the first 10 particles act
    let found = grape.calculate(10, &[104], &x[..3], &v[..3], 0.01, &[0.0]).unwrap();
    let first =
        Bodies { x: bodies.x[..10].into(), y: bodies.y[..10].into(), z: bodies.z[..10].into(), ..bodies.clone() };
    let few = Bodies {
        vx: first.vx[..10].into(),
        vy: first.vy[..10].into(),
        vz: first.vz[..10].into(),
        mass: first.mass[..10].into(),
        id: first.id[..10].into(),
        ..first
    };
    near(&found.acc, &reference_at(&few, &Gravity::new(1.0, 0.1), 4).acc, 10.0);
    // two particles of one index
    assert_eq!(grape.set(49, 104, 0.0, 1.0, [[0.0; 3]; 5]), 0);
    assert_eq!(grape.calculate(50, &[104], &x[..3], &v[..3], 0.01, &[0.0]).unwrap_err(), -1);
    assert!(message().contains("the same index, 104"), "{}", message());
}

#[test]
fn neighbours_are_those_within_the_radius() {
    let (bodies, grape) = (cluster(100), Grape::open(4));
    grape.set_all(&bodies);
    let which = [3, 50];
    let (x, v) = rows(&bodies, &which);
    let h2 = [0.04, 1e9];
    let found = grape.calculate(100, &[103, 150], &x, &v, 0.01, &h2).unwrap();
    assert_eq!(unsafe { g6_read_neighbour_list_(&grape.0) }, 0);
    for (k, body) in which.into_iter().enumerate() {
        let r2 = |j: usize| -> f64 { (0..3).map(|a| (bodies.position(j)[a] - bodies.position(body)[a]).powi(2)).sum() };
        let others = || (0..100).filter(|j| *j != body);
        let nearest = others().min_by(|a, b| r2(*a).total_cmp(&r2(*b))).unwrap();
        assert_eq!(found.nearest[k], 100 + nearest as c_int);
        let expected: Vec<c_int> = others().filter(|j| r2(*j) < h2[k]).map(|j| 100 + j as c_int).collect();
        let (pipe, most, mut n, mut list) = (k as c_int, 200, -1, vec![0; 200]);
        assert_eq!(unsafe { g6_get_neighbour_list_(&grape.0, &pipe, &most, &mut n, list.as_mut_ptr()) }, 0);
        assert_eq!(list[..n as usize], expected);
    }
    // more than there is room for
    let (pipe, most, mut n, mut list) = (1, 5, -1, [0; 6]);
    assert_eq!(unsafe { g6_get_neighbour_list_(&grape.0, &pipe, &most, &mut n, list.as_mut_ptr()) }, 1);
    assert_eq!((n, list), (99, [100, 101, 102, 103, 104, 0]));
    let pipe = 2;
    assert_eq!(unsafe { g6_get_neighbour_list_(&grape.0, &pipe, &most, &mut n, list.as_mut_ptr()) }, -1);
    assert!(message().contains("ipipe = 2"), "{}", message());
}

#[test]
fn what_cannot_be_is_refused() {
    let nothing = 99;
    assert_eq!((unsafe { g6_set_ti_(&nothing, &0.0) }, unsafe { g6_open_(null()) }), (-1, -1));
    let grape = Grape::open(5);
    let none = [[0.0; 3]; 5];
    assert_eq!(grape.set(-1, 0, 0.0, 1.0, none), -1);
    assert!(message().contains("address = -1"), "{}", message());
    assert_eq!(grape.set(0, 0, f64::NAN, 1.0, none), -1);
    assert!(message().contains("finite"), "{}", message());
    assert_eq!(grape.set(0, 0, 0.0, 1.0, none), 0);
    assert_eq!(unsafe { g6_set_ti_(&grape.0, &f64::NAN) }, -1);
    let (x, h) = ([1.0; 3], [0.0]);
    assert_eq!(grape.calculate(2, &[1], &x, &x, 0.0, &h).unwrap_err(), -1);
    assert!(message().contains("nj = 2; must be 0 to 1"), "{}", message());
    assert_eq!(grape.calculate(1, &[1], &[f64::NAN; 3], &x, 0.0, &h).unwrap_err(), -1);
    assert_eq!(grape.calculate(1, &[1], &x, &x, -1.0, &h).unwrap_err(), -1);
    assert_eq!(grape.calculate(0, &[1], &x, &x, 0.0, &h).unwrap().pot, [0.0]);
    assert!(grape.calculate(1, &[], &[], &[], 0.0, &[]).unwrap().pot.is_empty());
    assert_eq!(unsafe { g6_reset_(&grape.0) }, 0);
    assert_eq!(grape.calculate(1, &[1], &x, &x, 0.0, &h).unwrap_err(), -1);
    assert!(g6_npipes_() > 0);
}

/// Some particles change between calculations, then there are more of them.
#[test]
fn particles_change_between_calculations() {
    let (mut bodies, grape) = (cluster(300), Grape::open(6));
    grape.set_all(&bodies);
    let which = [0, 7, 299];
    let index = which.map(|k| 100 + k as c_int);
    let check = |bodies: &Bodies| {
        let (x, v) = rows(bodies, &which);
        let found = grape.calculate(bodies.len() as c_int, &index, &x, &v, 0.01, &[0.0; 3]).unwrap();
        for (k, body) in which.into_iter().enumerate() {
            let expected = reference_at(bodies, &Gravity::new(1.0, 0.1), body);
            near(&found.acc[3 * k..][..3], &expected.acc, 10.0);
            near(&found.jerk[3 * k..][..3], &expected.jerk, 100.0);
        }
    };
    check(&bodies);
    for body in [7, 8, 7, 299] {
        (bodies.x[body], bodies.vz[body], bodies.mass[body]) = (0.25 + bodies.x[body], 0.5, 0.01);
        let (x, v) = (bodies.position(body), bodies.velocity(body));
        let numbers = [[0.0; 3], [0.0; 3], [0.0; 3], v, x];
        assert_eq!(grape.set(body as c_int, 100 + body as c_int, 0.0, bodies.mass[body], numbers), 0, "{}", message());
    }
    check(&bodies);
    let more = cluster(3000);
    grape.set_all(&more);
    check(&more);
    // one beyond the others leaves addresses at which there is no particle
    let far = [[0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3], [1e3, 0.0, 0.0]];
    assert_eq!(grape.set(9000, 50_000, 0.0, 1.0, far), 0);
    let (x, v) = rows(&more, &[0]);
    let found = grape.calculate(9001, &[100], &x, &v, 0.01, &[0.0]).unwrap();
    let expected = reference_at(&more, &Gravity::new(1.0, 0.1), 0);
    let distance = ((1e3 - x[0]).powi(2) + x[1].powi(2) + x[2].powi(2) + 0.01).sqrt();
    near(&found.pot, &[expected.pot - 1.0 / distance], 10.0);
}

/// All tests of this file with the particles on a GPU: in a process of their own, for the environment says which device.
#[cfg(feature = "gpu")]
#[test]
fn a_gpu_does_the_same() {
    const DEVICE: &str = "MANYBODY_SETTINGS";
    if std::env::var_os(DEVICE).is_some() {
        return; // this is that process
    }
    if !manybody_gpu::cuda::is_here() {
        eprintln!("skipped: the calls of GRAPE-6 on a GPU, no GPU of CUDA is here");
        return;
    }
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    let done = tests.args(["tests::grape::", "--nocapture"]).env(DEVICE, "device=cuda").output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let ran = said.contains("test result: ok.") && !said.contains(" 0 passed");
    assert!(done.status.success() && ran, "{said}\n{}", String::from_utf8_lossy(&done.stderr));
}

/// The softening that the environment names, in a process of its own.
#[test]
fn the_environment_names_the_softening() {
    const NAME: &str = "tests::grape::the_environment_names_the_softening";
    let (variable, words) = ("MANYBODY_SETTINGS", "softening=spline");
    if std::env::var(variable).is_ok_and(|given| given == words) {
        let (bodies, grape) = (cluster(100), Grape::open(10));
        grape.set_all(&bodies);
        let (x, v) = rows(&bodies, &[0, 57]);
        let found = grape.calculate(100, &[100, 157], &x, &v, 0.25, &[0.0; 2]).unwrap();
        for (k, body) in [0, 57].into_iter().enumerate() {
            let expected = reference_at(&bodies, &Gravity::new(1.0, 0.5).softened(Softening::Spline), body);
            near(&found.acc[3 * k..][..3], &expected.acc, 10.0);
            near(&found.pot[k..][..1], &[expected.pot], 10.0);
        }
        return;
    }
    if std::env::var_os(variable).is_some() {
        return; // another process of these tests
    }
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    let done = tests.args([NAME, "--exact"]).env(variable, words).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains(" 1 passed"), "{said}");
}

/// A code that does not look at the status of the first half must not get the forces of the particles before.
#[test]
fn forces_of_particles_that_are_refused_are_not_those_of_the_last_ones() {
    let (bodies, grape) = (cluster(20), Grape::open(9));
    grape.set_all(&bodies);
    let (mut x, v) = rows(&bodies, &[3]);
    grape.calculate(20, &[103], &x, &v, 0.01, &[0.0]).unwrap();
    x[1] = f64::NAN;
    grape.calculate(20, &[103], &x, &v, 0.01, &[0.0]).unwrap_err();
    let (mut acc, mut jerk, mut pot) = ([7.0; 3], [7.0; 3], [7.0]);
    let (a, j, p) = (acc.as_mut_ptr(), jerk.as_mut_ptr(), pot.as_mut_ptr());
    let (x, v) = (x.as_ptr(), v.as_ptr());
    let last = unsafe { g6calc_lasthalf_(&grape.0, &20, &1, &103, x, v, &0.01, &0.0, a, j, p) };
    assert!(last != 0 && acc == [7.0; 3], "{last} {acc:?}");
}
