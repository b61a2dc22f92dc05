//! Weak tides on compact subsystems inside hermite4 and what these do to others, and the ends of close encounters: `--pairs chain`.

#[path = "common/close_pairs.rs"]
mod close_pairs;
#[path = "common/orbits.rs"]
mod orbits;

use close_pairs::{begin, parameters, to_the_end};
use manybody::integrator::Pairs;
use manybody::simulation::{Parameters, Simulation};
use manybody::{Bodies, Snapshot};
use orbits::{bodies_of, elements, keep, off};

/// A binary and a third body, at their apocentres, on orbits that are inclined to each other: axes, eccentricities, and the
/// inclination.
fn hierarchy(mass: [f64; 3], inner: (f64, f64, f64), outer: (f64, f64)) -> Snapshot {
    let ((axis, e, inclination), (far, far_e)) = (inner, outer);
    let pair = mass[0] + mass[1];
    let total = pair + mass[2];
    let (r, v) = (axis * (1.0 + e), (pair / axis * (1.0 - e) / (1.0 + e)).sqrt());
    let (d, w) = (far * (1.0 - far_e), (total / far * (1.0 + far_e) / (1.0 - far_e)).sqrt());
    let (sin, cos) = inclination.sin_cos();
    let (up, right) = 1.0_f64.sin_cos();
    let within = |x: f64, y: f64| {
        let (x, y) = (right * x - up * y, up * x + right * y);
        [x, y * cos, y * sin]
    };
    let (x, u) = (within(r, 0.0), within(0.0, v));
    let (back, share) = (-mass[2] / total, pair / total);
    let body = |k: usize, part: f64| {
        (
            mass[k],
            [back * d + part * x[0], part * x[1], part * x[2]],
            [part * u[0], back * w + part * u[1], part * u[2]],
        )
    };
    bodies_of(&[
        body(0, -mass[1] / pair),
        body(1, mass[0] / pair),
        (mass[2], [share * d, 0.0, 0.0], [0.0, share * w, 0.0]),
    ])
}

/// The elements of the orbit of the third body about the centre of mass of the first two.
fn outer_elements(bodies: &Bodies) -> [f64; 3] {
    let pair = bodies.mass[0] + bodies.mass[1];
    let mean = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|q| (bodies.mass[0] * a[q] + bodies.mass[1] * b[q]) / pair)
    };
    let mut two = Bodies::default();
    two.push(pair, mean(bodies.position(0), bodies.position(1)), mean(bodies.velocity(0), bodies.velocity(1)));
    two.push(bodies.mass[2], bodies.position(2), bodies.velocity(2));
    elements(&two, 0, 1)
}

/// Third bodies whose tides change a binary in thousands of its periods, beside IAS15: the elements of both orbits. Without
/// these tides the first binary would keep its eccentricity of 0.1, where it comes to 0.18. The masses of the second differ. The average over the orbit is off by the strength of the tides, up to
/// 3e-6 here and for each radian of the slow motion, and `hermite4` by the fourth power of eta in the outer orbit.
#[test]
fn weak_tides_change_orbits_as_they_must() {
    for (mass, inner, outer, end, binary, third) in [
        (
            [0.5, 0.5, 1.0],
            (1e-3, 0.1, 1.2),
            (0.15, 0.0),
            40.0,
            [0.001000000762433428, 0.17969871617805663, -2.8722471162773795],
            [0.15000002243749447, 9.216812995255981e-07],
        ),
        (
            [0.7, 0.3, 1.0],
            (1e-3, 0.3, 1.2),
            (0.15, 0.1),
            10.0,
            [0.0010000002277389315, 0.34392896496294245, -2.7084460618223094],
            [0.14999810268675604, 0.1000011950062802],
        ),
    ] {
        let parameters = Parameters { eta: Some(0.05), ..parameters(end, Some(Pairs::Chain)) };
        let (error, _, mut run) = to_the_end(begin(&hierarchy(mass, inner, outer), parameters));
        let drift = run.drift().unwrap();
        assert_eq!(run.integrator().work().unwrap().regularised, 0);
        let bodies = run.bodies().unwrap();
        let within = off(elements(bodies, 0, 1), binary);
        assert!(within.iter().all(|off| *off < 3e-6), "{within:?}");
        let outside = outer_elements(bodies);
        assert!((outside[0] / third[0] - 1.0).abs() < 1e-5 && (outside[1] - third[1]).abs() < 1e-5, "{outside:?}");
        assert!(error < 3e-6 && drift.angular_momentum < 1e-6, "{error:e} {drift:?}");
    }
}

/// A third body that crosses the distance where it becomes near twenty times, in ten orbits. Its orbit is that of IAS15, to
/// errors that fall with eta, and turns as it must; the binary is off by the strength of the tides.
#[test]
fn a_body_may_cross_the_limit_of_weak_tides() {
    let start = hierarchy([0.5, 0.5, 1.0], (1e-3, 0.5, 0.6), (0.13, 0.2));
    let binary = [0.0010000011899575004, 0.5073243653007949, -2.2296386116898455];
    let third = [0.12999988408393287, 0.1999810100660877, 0.00044184596673770715];
    let of = |eta| {
        let parameters = Parameters { eta: Some(eta), ..parameters(2.0, Some(Pairs::Chain)) };
        let (error, _, mut run) = to_the_end(begin(&start, parameters));
        let bodies = run.bodies().unwrap();
        (error, off(elements(bodies, 0, 1), binary), off(outer_elements(bodies), third))
    };
    let (error, within, outside) = of(0.025);
    assert!(error < 1e-5 && within.iter().all(|off| *off < 1e-5), "{error:e} {within:?}");
    // it turns by 4.4e-4; a push at each crossing would change the axis by 1e-5 in an orbit
    assert!(outside[0] < 1e-6 && outside[1] < 1e-6 && outside[2] < 3e-6, "{outside:?}");
    let (_, _, coarse) = of(0.05);
    assert!(coarse[2] > 4.0 * outside[2], "{coarse:?}");
}

/// Three equal masses that fall together from rest on an equilateral triangle meet in one point, where no solution goes on: the
/// run ends with the time and two of the bodies. Off by 1e-9, two of them become a pair with a period of 1e-12, and the third
/// leaves: dt is made in halves until the pair is alone. The energy is that of what rounding leaves of places and velocities,
/// too: the pair is a thousand units away, with a separation of 1e-8.
#[test]
fn three_bodies_may_meet_in_one_point() {
    let start = |off: f64| {
        let high = 0.75_f64.sqrt();
        bodies_of(&[
            (1.0, [1.0, 0.0, 0.0], [0.0; 3]),
            (1.0, [-0.5, high + off, 0.0], [0.0; 3]),
            (1.0, [-0.5, -high, 0.0], [0.0; 3]),
        ])
    };
    let parameters = parameters(1.5, Some(Pairs::Chain));
    let mut run = begin(&start(0.0), parameters.clone());
    let error = loop {
        if let Err(error) = run.step() {
            break error;
        }
    };
    let message = error.to_string();
    assert!(message.contains("t = 1.46179") && message.contains("body 1 (id 1)"), "{message}");
    let (found, _, mut run) = to_the_end(begin(&start(1e-9), parameters));
    let Bodies { mass, extra, .. } = &keep(&mut run).bodies;
    let bodies = run.bodies().unwrap();
    let names = ["hermite_x", "hermite_y", "hermite_z", "hermite_vx", "hermite_vy", "hermite_vz"];
    let apart = |i: usize, j: usize| -> [f64; 6] {
        std::array::from_fn(|q| {
            let hi = |k: usize| if q < 3 { bodies.position(k)[q] } else { bodies.velocity(k)[q - 3] };
            (hi(j) - hi(i)) + (extra[names[q]][j] - extra[names[q]][i])
        })
    };
    let square = |of: &[f64]| of.iter().map(|q| q * q).sum::<f64>();
    // T = sum m_i m_j v_ij^2 / 2 M in the frame of the centre of mass
    let energy: f64 = [(0, 1), (0, 2), (1, 2)]
        .map(|(i, j)| {
            let apart = apart(i, j);
            mass[i] * mass[j] * (square(&apart[3..]) / 6.0 - 1.0 / square(&apart[..3]).sqrt())
        })
        .iter()
        .sum();
    // to the limit of weak tides, of the energy of the pair
    let mut distances = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| square(&apart(i, j)[..3]).sqrt());
    distances.sort_by(f64::total_cmp);
    let binding = 0.5 / distances[0];
    let error = (energy + 3.0_f64.sqrt()).abs();
    assert!(distances[1] > 100.0 && binding > 1e6, "{distances:?}");
    assert!(error < 3e-6 * binding, "{error:e} {binding:e}");
    // the run says the same; 1e-8 is the rounding of the pair's kinetic energy
    let relative = (energy / 3.0_f64.sqrt() + 1.0).abs();
    assert!((found - relative).abs() < 1e-7 && relative < 0.1, "{found:e} {relative:e}");
}

/// A triple that is one subsystem, and a fourth body whose tides on it are weak, beside IAS15: the angular momentum of the
/// third body about the pair, and the orbit of the fourth.
#[test]
fn weak_tides_act_on_triples() {
    let (inner, middle, far): (f64, f64, f64) = (2.5e-4, 2.5e-3, 0.3);
    let (u, v, w) = ((0.4 / inner).sqrt(), (0.6 / middle).sqrt(), (1.6 / far).sqrt());
    let (sin, cos) = 0.9_f64.sin_cos();
    let at = |mass: f64, pair: f64, third: f64, fourth: f64| {
        let place = [pair * inner + third * middle + fourth * far, 0.0, 0.0];
        (mass, place, [0.0, pair * u + third * v * cos + fourth * w, third * v * sin])
    };
    let start = bodies_of(&[
        at(0.2, 0.5, -1.0 / 3.0, -1.0 / 1.6),
        at(0.2, -0.5, -1.0 / 3.0, -1.0 / 1.6),
        at(0.2, 0.0, 2.0 / 3.0, -1.0 / 1.6),
        at(1.0, 0.0, 0.0, 0.6 / 1.6),
    ]);
    let parameters = Parameters { eta: Some(0.05), ..parameters(0.25, Some(Pairs::Chain)) };
    let (error, _, mut run) = to_the_end(begin(&start, parameters));
    let bodies = run.bodies().unwrap();
    let mean = |of: &[usize], at: fn(&Bodies, usize) -> [f64; 3]| -> [f64; 3] {
        let mass: f64 = of.iter().map(|k| bodies.mass[*k]).sum();
        std::array::from_fn(|q| of.iter().map(|k| bodies.mass[*k] * at(bodies, *k)[q]).sum::<f64>() / mass)
    };
    let less = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|q| a[q] - b[q]) };
    let x = less(bodies.position(2), mean(&[0, 1], Bodies::position));
    let u = less(bodies.velocity(2), mean(&[0, 1], Bodies::velocity));
    let spin = [x[1] * u[2] - x[2] * u[1], x[2] * u[0] - x[0] * u[2], x[0] * u[1] - x[1] * u[0]];
    let mut outer = Bodies::default();
    outer.push(0.6, mean(&[0, 1, 2], Bodies::position), mean(&[0, 1, 2], Bodies::velocity));
    outer.push(1.0, bodies.position(3), bodies.velocity(3));
    // without the fourth body it would be [-0.0015, -0.0292, 0.0253]; IAS15's own error is 1e-10
    let right = [-0.004016439336742676, -0.028622006120102867, 0.02573292605612249];
    assert!((0..3).all(|q| (spin[q] - right[q]).abs() < 3e-10), "{spin:?}");
    let [axis, e, _] = elements(&outer, 0, 1);
    assert!((axis / 0.29999688467045227 - 1.0).abs() < 1e-6 && (e - 7.269315421782805e-06).abs() < 1e-7, "{axis} {e}");
    assert!(error < 1e-10, "{error:e}");
}

/// A pair that is averaged and one that a body comes near to, resumed from every step: the same bits.
#[test]
fn an_averaged_orbit_is_resumed_with_the_same_bits() {
    for far in [0.15, 0.1] {
        let start = hierarchy([0.7, 0.3, 1.0], (1e-3, 0.3, 1.2), (far, 0.2));
        let parameters = parameters(0.125, Some(Pairs::Chain));
        let whole = keep(&mut to_the_end(begin(&start, parameters.clone())).2);
        let mut run = begin(&start, parameters);
        while !run.is_finished() {
            let kept = keep(&mut run);
            let again = Parameters::from_snapshot(&kept).unwrap();
            let resumed = Simulation::resume(kept, again).unwrap();
            assert!(keep(&mut to_the_end(resumed).2) == whole, "{far}: from step {}", run.clock().step());
            run.step().unwrap();
        }
    }
}
