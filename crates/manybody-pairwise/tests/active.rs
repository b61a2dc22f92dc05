//! Forces on active bodies, beside the reference.

use manybody_law::simd::Level;
use manybody_pairwise::{Bodies, Derivatives, Gravity, Precision, Reference, Solver, direct};

/// Bodies whose numbers are those of no grid.
fn bodies(n: usize) -> Bodies {
    let mut next = 0.5_f64;
    let mut number = || {
        next = (next + 0.618_033_988_749_894_9).fract();
        (next * 31.7).sin()
    };
    let mut bodies = Bodies::default();
    for _ in 0..n {
        let mass = 0.6 + 0.5 * number();
        bodies.push(mass / n as f64, [number(), number(), number()], [number(), number(), number()]);
    }
    bodies
}

/// The largest difference to the reference, in units of the root mean square of the column triple.
fn difference(found: &[Vec<f64>; 3], right: &[Vec<f64>; 3]) -> f64 {
    let n = right[0].len();
    let square = |column: &[Vec<f64>; 3], k: usize| column.iter().map(|q| q[k] * q[k]).sum::<f64>();
    let rms = ((0..n).map(|k| square(right, k)).sum::<f64>() / n as f64).sqrt();
    let apart = |k: usize| (0..3).map(|q| (found[q][k] - right[q][k]).powi(2)).sum::<f64>().sqrt();
    assert!(found.iter().all(|column| column.len() == n));
    (0..n).map(apart).fold(0.0, f64::max) / rms
}

fn compare(bodies: &Bodies, gravity: &Gravity, active: &[usize], what: &str) {
    let accelerations = [&bodies.vy[..], &bodies.z[..], &bodies.x[..]];
    for snaps in [None, Some(accelerations)] {
        let mut right = Derivatives::default();
        Reference::default().derivatives_on(bodies, snaps, active, gravity, &mut right).unwrap();
        for level in Level::available() {
            let mut found = Derivatives::default();
            direct(level, Precision::F64).derivatives_on(bodies, snaps, active, gravity, &mut found).unwrap();
            let name = level.name();
            // sums of n terms of either sign, each rounded some ten times: sqrt(n) 10 u of the terms, which are up
            // to 1e3 times the rms of the sum where bodies nearly meet
            for (found, right, of) in [(&found.a, &right.a, "a"), (&found.j, &right.j, "j")] {
                assert!(difference(found, right) < 2e-12, "{what} {name} {of}: {:e}", difference(found, right));
            }
            match snaps {
                Some(_) => assert!(difference(&found.s, &right.s) < 2e-12, "{what} {name} s"),
                None => assert!(found.s[0].is_empty()),
            }
        }
    }
}

#[test]
fn active_bodies_meet_the_reference() {
    let gravity = Gravity::new(1.5, 0.01);
    for n in [2, 3, 8, 9, 100, 1023, 1025, 3000] {
        let all = bodies(n);
        let few: Vec<usize> = (0..n).step_by(7).collect();
        compare(&all, &gravity, &few, &format!("{n} bodies"));
        compare(&all, &gravity, &[n - 1], "one body");
        compare(&all, &Gravity { eps: 0.0, ..gravity }, &[n - 1, 0], "without softening");
        let mut some = all.clone();
        some.mass.iter_mut().step_by(3).for_each(|mass| *mass = 0.0);
        compare(&some, &gravity, &few, "massless bodies");
        some.eps = Some((0..n).map(|k| 0.01 * (1 + k % 5) as f64).collect());
        compare(&some, &gravity, &few, "own softenings");
    }
}

/// In units in which G m is 1e30 and in those in which it is 1e-30, a body does nothing to itself.
#[test]
fn units_do_not_matter() {
    for g in [1e30, 1e-30] {
        compare(&bodies(50), &Gravity::new(g, 0.0), &[0, 17, 49], "units");
    }
    let mut none = Derivatives::default();
    let mut solver = direct(Level::best(), Precision::F64);
    solver.derivatives_on(&Bodies::default(), None, &[], &Gravity::new(1.0, 0.0), &mut none).unwrap();
    assert_eq!(none, Derivatives::default());
}

/// Above and below the size at which threads share, and in more than one slab: the same bits.
#[test]
fn threads_change_no_bit() {
    let all = bodies(5000);
    let active: Vec<usize> = (0..5000).collect();
    let of = |threads: usize, active: &[usize]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut out, gravity) = (Derivatives::default(), Gravity::new(1.0, 0.01));
        let compute = || direct(Level::best(), Precision::F64).derivatives_on(&all, None, active, &gravity, &mut out);
        pool.install(compute).unwrap();
        out
    };
    let one = of(1, &active);
    assert_eq!(one, of(3, &active));
    // one body at a time, without other threads
    for k in [0, 4095, 4096, 4999] {
        let alone = of(1, &[k]);
        assert_eq!([alone.a[0][0], alone.j[2][0]], [one.a[0][k], one.j[2][k]]);
    }
}
