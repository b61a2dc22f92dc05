//! Forces on active bodies in mixed precision, beside the reference.

use manybody_law::simd::Level;
use manybody_pairwise::{Bodies, Derivatives, Gravity, Precision, Reference, Solver, direct};

/// Bodies whose numbers are those of no grid, far from the origin and moving, of which two are 1e-7 apart.
fn bodies(n: usize) -> Bodies {
    let mut next = 0.5_f64;
    let mut number = || {
        next = (next + 0.618_033_988_749_894_9).fract();
        (next * 31.7).sin()
    };
    let mut bodies = Bodies::default();
    for _ in 0..n {
        let mass = (0.6 + 0.5 * number()) / n as f64;
        bodies.push(mass, [3.0 + number(), number(), number() - 20.0], [number(), number() + 5.0, number()]);
    }
    if n > 2 {
        (bodies.x[1], bodies.y[1], bodies.z[1]) = (bodies.x[0] + 1e-7, bodies.y[0], bodies.z[0]);
    }
    bodies
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|q| q * q).sum::<f64>().sqrt()
}

/// The accelerations that snaps are computed with.
fn accelerations(bodies: &Bodies) -> [&[f64]; 3] {
    [&bodies.vy, &bodies.z, &bodies.x]
}

/// What the terms of the acceleration, of the jerk and of the snap of a body add up to without their signs, in units of a
/// rounding: some 20 of each term, and 20 additions of it in f32, each half of this unit, and that of two velocities up to
/// `speed` and of two accelerations up to `most`.
fn sizes(bodies: &Bodies, gravity: &Gravity, [speed, most]: [f64; 2], i: usize) -> [f64; 3] {
    let accelerations = accelerations(bodies);
    (0..bodies.len()).filter(|j| *j != i).fold([0.0; 3], |[a, jerk, snap], j| {
        let apart = |of: &dyn Fn(usize) -> [f64; 3]| {
            let (p, q) = (of(i), of(j));
            length([0, 1, 2].map(|k| q[k] - p[k]))
        };
        let (r, w) = (apart(&|k| bodies.position(k)), apart(&|k| bodies.velocity(k)));
        let c = apart(&|k| accelerations.map(|column| column[k]));
        let s = (r * r + gravity.eps2(bodies, i, j)).sqrt();
        let f = gravity.g * bodies.mass[j] / s.powi(3);
        let of_velocities = (20.0 * w + 2.0 * speed) * (w + 2.0 * speed * f64::from(f32::EPSILON));
        // |S| and its derivatives by w and c: 6 alpha w, 15 alpha^2 r and 3 w.w r / s^2, and c and 3 r.c r / s^2
        let snap = snap + f * (4.0 * (20.0 * c + 2.0 * most) + 48.0 * r / (s * s) * of_velocities);
        [a + 20.0 * f * r, jerk + f * (20.0 * w + 2.0 * speed) * (1.0 + 3.0 * r * r / (s * s)), snap]
    })
}

fn compare(bodies: &Bodies, gravity: &Gravity, active: &[usize], what: &str) {
    // relative to one of them, where a frame takes the mean
    let from_first = |k: usize| [0, 1, 2].map(|q| bodies.velocity(k)[q] - bodies.velocity(0)[q]);
    let speed = (0..bodies.len()).map(|k| length(from_first(k))).fold(0.0, f64::max);
    let known = accelerations(bodies);
    let most = (0..bodies.len()).map(|k| length(known.map(|column| column[k]))).fold(0.0, f64::max);
    for known in [None, Some(known)] {
        let mut right = Derivatives::default();
        Reference::default().derivatives_on(bodies, known, active, gravity, &mut right).unwrap();
        for level in Level::available() {
            let mut found = Derivatives::default();
            direct(level, Precision::Mixed).derivatives_on(bodies, known, active, gravity, &mut found).unwrap();
            for (at, i) in active.iter().enumerate() {
                let [a, jerk, snap] = sizes(bodies, gravity, [speed, most], *i);
                let all = [(&found.a, &right.a, a), (&found.j, &right.j, jerk), (&found.s, &right.s, snap)];
                for (found, right, size) in all.into_iter().take(if known.is_some() { 3 } else { 2 }) {
                    assert_eq!(found[0].len(), active.len());
                    let off = (0..3).map(|q| (found[q][at] - right[q][at]).powi(2)).sum::<f64>().sqrt();
                    let bound = f64::from(f32::EPSILON) * size;
                    assert!(off <= bound, "{what}, {}, body {i}: {off:e} of {bound:e}", level.name());
                }
            }
        }
    }
}

#[test]
fn mixed_derivatives_meet_the_reference() {
    let gravity = Gravity::new(1.5, 0.01);
    for n in [1, 2, 3, 8, 17, 100, 1023, 1025, 3000] {
        let all = bodies(n);
        let few: Vec<usize> = (0..n).step_by(7).collect();
        compare(&all, &gravity, &few, &format!("{n} bodies"));
        compare(&all, &gravity, &[n - 1], "one body");
        let hard = Gravity { eps: 0.0, ..gravity };
        compare(&all, &hard, &[n - 1, 0], "without softening");
        let mut some = all.clone();
        some.mass.iter_mut().skip(1).step_by(3).for_each(|mass| *mass = 0.0);
        compare(&some, &gravity, &few, "massless bodies");
        some.eps = Some((0..n).map(|k| 0.01 * (1 + k % 5) as f64).collect());
        compare(&some, &gravity, &few, "own softenings");
        // metres, kilograms and seconds
        let mut large = all;
        large.mass.iter_mut().for_each(|mass| *mass *= 1e30);
        let Bodies { x, y, z, vx, vy, vz, .. } = &mut large;
        [x, y, z].into_iter().flatten().for_each(|q| *q *= 1e19);
        [vx, vy, vz].into_iter().flatten().for_each(|q| *q *= 1e4);
        compare(&large, &Gravity::new(6.67e-11, 1e17), &few, "large units");
        // one source alone has neither a size nor a speed
        large.mass[1..].fill(0.0);
        compare(&large, &Gravity::new(6.67e-11, 1e17), &few, "one source in large units");
    }
    let mut far = bodies(20);
    far.mass[7..9].fill(0.0);
    (far.x[7], far.vy[8]) = (1e20, 1e20);
    compare(&far, &gravity, &[0, 1, 2, 10], "beside massless bodies far away");
    let mut found = Derivatives::default();
    let mut solver = direct(Level::best(), Precision::Mixed);
    solver.derivatives_on(&Bodies::default(), None, &[], &gravity, &mut found).unwrap();
    assert_eq!(found, Derivatives::default());
    let mut empty = [const { [].as_slice() }; 3];
    solver.derivatives_on(&Bodies::default(), Some(empty), &[], &gravity, &mut found).unwrap();
    assert_eq!(found, Derivatives::default());
    // bodies without mass alone
    let mut tracers = bodies(3);
    tracers.mass.fill(0.0);
    empty = accelerations(&tracers);
    solver.derivatives_on(&tracers, Some(empty), &[0, 2], &gravity, &mut found).unwrap();
    assert!(found.columns().len() == 9 && found.columns().into_iter().all(|column| *column == [0.0; 2]));
}

/// A pair at 5e-10 of the size of the system.
#[test]
fn snaps_of_close_pairs_have_room() {
    let mut pair = Bodies::default();
    for (mass, x) in [(0.5, 0.0), (0.5, 0.5_f64.powi(31)), (1e-3, 1.0)] {
        pair.push(mass, [x, 0.0, 0.0], [0.0, 7e13 * x * (1.0 - x), 0.0]);
    }
    let gravity = Gravity::new(1.0, 0.0);
    let (mut found, mut right) = (Derivatives::default(), Derivatives::default());
    direct(Level::best(), Precision::Mixed).derivatives_on(&pair, None, &[0, 1, 2], &gravity, &mut right).unwrap();
    let known = right.a.clone();
    let known = Some(known.each_ref().map(Vec::as_slice));
    direct(Level::best(), Precision::Mixed).derivatives_on(&pair, known, &[0, 1], &gravity, &mut found).unwrap();
    Reference::default().derivatives_on(&pair, known, &[0, 1], &gravity, &mut right).unwrap();
    for (found, right) in found.s.iter().zip(&right.s) {
        let largest = right.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
        // positions have 48 bits, and the snap goes as the fifth power of their difference
        let bound = 5.0 * 0.5_f64.powi(48) / 0.5_f64.powi(31) * largest;
        assert!(found.iter().zip(right).all(|(a, b)| (a - b).abs() <= bound), "{found:?} {right:?}");
    }
    assert!(right.s[0][0].abs() > 1e45, "{right:?}");
}

/// With any number of threads, alone or with others, and beside bodies without mass: the same bits.
#[test]
fn what_is_computed_beside_a_body_changes_no_bit() {
    let (all, gravity) = (bodies(5000), Gravity::new(1.0, 0.01));
    let active: Vec<usize> = (0..5000).collect();
    let of = |threads: usize, bodies: &Bodies, active: &[usize]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = Derivatives::default();
        let mut snaps = Derivatives::default();
        let mut compute = || {
            let mut solver = direct(Level::best(), Precision::Mixed);
            solver.derivatives_on(bodies, None, active, &gravity, &mut out)?;
            solver.derivatives_on(bodies, Some(accelerations(bodies)), active, &gravity, &mut snaps)
        };
        pool.install(&mut compute).unwrap();
        (out, snaps)
    };
    let one = of(1, &all, &active);
    assert_eq!(one, of(3, &all, &active));
    let mut more = all.clone();
    more.push(0.0, [1e5, 0.0, 0.0], [0.0, 1e4, 0.0]);
    for k in [0, 4095, 4096, 4999] {
        for (beside, snaps) in [of(1, &all, &[k]), of(2, &more, &[k, 5000])] {
            assert_eq!([beside.a[0][0], beside.j[2][0]], [one.0.a[0][k], one.0.j[2][k]]);
            assert_eq!([snaps.a[1][0], snaps.s[2][0]], [one.1.a[1][k], one.1.s[2][k]]);
        }
    }
}
