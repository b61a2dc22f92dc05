//! Block time steps that are made on the device: the same steps as on the CPU, the same bits every time, and after a resume.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use manybody::integrator::TimeSteps;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{
    self, Derivatives, Device, Gravity, HermiteOrder, Method, Precision, Solver as _, SolverName, Summation,
};
use manybody::{Bodies, Error, Snapshot, ic};

fn parameters(device: Device, integrator: &str, eps: Option<f64>) -> Parameters {
    in_precision(device, integrator, Precision::F64, eps)
}

fn in_precision(device: Device, integrator: &str, precision: Precision, eps: Option<f64>) -> Parameters {
    Parameters {
        dt: 1.0 / 16.0,
        t_end: 0.25,
        eps,
        integrator: integrator.parse().unwrap(),
        device,
        solver: SolverName::default_on(device, precision, Summation::default()),
        precision,
        ..Parameters::default()
    }
}

fn cluster(n: usize) -> Snapshot {
    ic::by_name("plummer", &ic::Request::new(n, 7)).unwrap()
}

/// The bodies at the end, how many blocks and steps of bodies there were, and the energy error.
fn finish(start: &Snapshot, parameters: &Parameters) -> (Bodies, [u64; 2], f64) {
    let mut run = Simulation::start(start.clone(), parameters.clone()).unwrap();
    while !run.is_finished() {
        run.step().unwrap();
    }
    let work = run.integrator().work().unwrap();
    let error = run.drift().unwrap().energy;
    (run.bodies().unwrap().clone(), [work.blocks, work.body_steps], error)
}

/// The 99th percentile of the distances between two states.
fn apart(a: &Bodies, b: &Bodies) -> f64 {
    let of = |k: usize| {
        let (a, b) = (a.position(k), b.position(k));
        (0..3).map(|q| (a[q] - b[q]).powi(2)).sum::<f64>().sqrt()
    };
    let mut all: Vec<f64> = (0..a.len()).map(of).collect();
    all.sort_by(f64::total_cmp);
    all[(all.len() * 99).div_ceil(100) - 1]
}

#[test]
fn steps_are_those_of_the_cpu() {
    if !common::kinds().contains(&Device::Cuda) {
        return;
    }
    for n in [2, 33, 100, 1000, 1024, 4097, 17_000] {
        let mut start = cluster(n);
        let soft = n % 2 == 1;
        if soft {
            start.bodies.eps = Some((0..n).map(|k| (1 + k % 4) as f64 / n.max(64) as f64).collect());
        }
        let eps = (!soft).then_some(4.0 / n.max(64) as f64);
        for scheme in ["hermite4", "hermite6", "hermite6-3pt"] {
            let of = |device| {
                let whole = parameters(device, scheme, eps);
                // the CPU takes minutes for a whole step of so many
                let t_end = if n > 4096 { whole.t_end / 8.0 } else { whole.t_end };
                finish(&start, &Parameters { t_end, ..whole })
            };
            let ((gpu, made, error), (cpu, expected, exact)) = (of(Device::Cuda), of(Device::Cpu));
            // rounding moves a step here and there to another level
            let near = |a: u64, b: u64| (a as f64 / b as f64 - 1.0).abs() < 0.01;
            assert!(near(made[0], expected[0]) && near(made[1], expected[1]), "{scheme} {n}: {made:?} {expected:?}");
            // a quarter of a crossing time multiplies a rounding error of 1e-16 by some powers of ten
            assert!(apart(&gpu, &cpu) < 1e-9, "{scheme} {n}: {:e}", apart(&gpu, &cpu));
            assert!(error.abs() < 3.0 * exact.abs() + 1e-12, "{scheme} {n}: {error:e} {exact:e}");
            let (again, same, _) = of(Device::Cuda);
            assert!(again == gpu && same == made, "{scheme} {n}: other bits");
        }
    }
}

/// More bodies than one launch holds, each with a softening of its own.
#[test]
fn steps_of_many_bodies_are_those_of_the_cpu() {
    if !common::kinds().contains(&Device::Cuda) {
        return;
    }
    // so short that the CPU has it in a minute or two
    let dt = 1.0 / 16384.0;
    let precisions = [(Precision::F64, 65_601, 1e-11, 1e-12), (Precision::Mixed, 33_001, 1e-7, 1e-7)];
    let schemes = ["hermite4", "hermite6", "hermite6-3pt"].into_iter();
    for (scheme, (precision, n, bound, rounding)) in schemes.flat_map(|scheme| precisions.map(|of| (scheme, of))) {
        let mut start = cluster(n);
        start.bodies.eps = Some((0..n).map(|k| (1 + k % 4) as f64 / n as f64).collect());
        let of = |device, precision| Parameters {
            dt,
            t_end: 2.0 * dt,
            audit: 0.0,
            ..in_precision(device, scheme, precision, None)
        };
        let (cpu, expected, exact) = finish(&start, &of(Device::Cpu, Precision::F64));
        let parameters = of(Device::Cuda, precision);
        let (gpu, made, error) = finish(&start, &parameters);
        let what = format!("{scheme} {precision}");
        // of a dozen blocks, rounding may add some for a body with a shorter step, more where fifth derivatives are of differences
        let some = if (scheme, precision) == ("hermite6-3pt", Precision::Mixed) { 16 } else { 3 };
        let near = |a: u64, b: u64| a.abs_diff(b) <= some + b / 50;
        assert!(near(made[0], expected[0]) && near(made[1], expected[1]), "{what}: {made:?} {expected:?}");
        assert!(apart(&gpu, &cpu) < bound, "{what}: {:e}", apart(&gpu, &cpu));
        assert!(error.abs() < 3.0 * exact.abs() + rounding, "{what}: {error:e} {exact:e}");
        // a run that goes on from a snapshot has the same bits
        let mut run = Simulation::start(start.clone(), parameters.clone()).unwrap();
        run.step().unwrap();
        let kept = run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap();
        let mut rest = Simulation::resume(kept, parameters).unwrap();
        rest.step().unwrap();
        assert!(rest.is_finished() && *rest.bodies().unwrap() == gpu, "{what}: other bits");
    }
}

/// In mixed precision, on every device: the steps of f64, places near those of f64, and the energy error of the scheme; far from the
/// origin in a moving system.
#[test]
fn mixed_precision_has_the_errors_of_the_scheme() {
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        // one thread block, several, and blocks of more threads
        let sizes: &[usize] = if device == Device::Cuda { &[2, 33, 1000, 4097, 17_000] } else { &[1, 2, 33, 500] };
        for n in sizes.iter().copied() {
            let mut start = cluster(n);
            let eps = 4.0 / n.max(64) as f64;
            let own = n % 2 == 1;
            if own {
                start.bodies.eps = Some((0..n).map(|k| (1 + k % 4) as f64 / n.max(64) as f64).collect());
            }
            let Bodies { x, vz, .. } = &mut start.bodies;
            x.iter_mut().for_each(|x| *x += 8.0);
            vz.iter_mut().for_each(|v| *v -= 3.0);
            for scheme in ["hermite4", "hermite6", "hermite6-3pt"] {
                let of = |precision, device| {
                    let whole = in_precision(device, scheme, precision, (!own).then_some(eps));
                    // the CPU takes minutes for a whole step of so many
                    let t_end = if n > 4096 { whole.t_end / 8.0 } else { whole.t_end };
                    finish(&start, &Parameters { t_end, ..whole })
                };
                let (mixed, made, error) = of(Precision::Mixed, device);
                let (exact, expected, of_scheme) = of(Precision::F64, Device::Cpu);
                let what = format!("{device} {scheme} {n}");
                // fifth derivatives of differences have more of rounding
                let [share, some] = if scheme == "hermite6-3pt" { [0.1, 8.0] } else { [0.02, 0.0] };
                let near = |a: u64, b: u64| (a as f64 - b as f64).abs() < share * b as f64 + some;
                assert!(near(made[0], expected[0]) && near(made[1], expected[1]), "{what}: {made:?} {expected:?}");
                // terms are right to 1e-7 or so, and a quarter of a crossing time multiplies differences by a few
                assert!(apart(&mixed, &exact) < 1e-5, "{what}: {:e}", apart(&mixed, &exact));
                assert!(error.abs() < 3.0 * of_scheme.abs() + 1e-7, "{what}: {error:e} {of_scheme:e}");
                let (again, same, _) = of(Precision::Mixed, device);
                assert!(again == mixed && same == made, "{what}: other bits");
            }
        }
    }
}

/// In mixed precision a small eta finds what rounding leaves of high derivatives: steps become shorter than in f64, but not without end.
#[test]
fn a_small_eta_in_mixed_precision_has_an_end() {
    let start = cluster(33);
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        for scheme in ["hermite6", "hermite6-3pt"] {
            let of = |precision, device, eta| {
                let whole = in_precision(device, scheme, precision, Some(1.0 / 33.0));
                finish(&start, &Parameters { t_end: 1.0 / 16.0, eta: Some(eta), ..whole })
            };
            let least = HermiteOrder::ThreePoint.least_rounded_eta().max(HermiteOrder::Sixth.least_rounded_eta());
            // (measured on the CPU: 0.96 and 0.93, 4 and 4)
            for (eta, times) in [(least, 1.5), (0.1, 12.0)] {
                let [mixed, exact] = [(Precision::Mixed, device), (Precision::F64, Device::Cpu)]
                    .map(|(precision, device)| of(precision, device, eta).1[1]);
                assert!((mixed as f64) < times * exact as f64, "{device} {scheme} {eta}: {mixed} {exact}");
            }
        }
    }
}

/// One step of a given length of a pair on a circle, whose numbers f32 holds: in mixed precision the places are those of f64 but for
/// the rounding of the acceleration, 1e-7 or less of it. In units in which lengths and speeds are large, too.
#[test]
fn a_step_in_mixed_precision_is_that_of_f64() {
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        for (length, speed) in [(1.0, 1.0), (2f64.powi(40), 2f64.powi(12))] {
            let time = length / speed;
            let mut start = Snapshot { units: manybody::units::Units::g1(), ..Snapshot::default() };
            let mass = 0.5 * length * speed * speed;
            start.bodies.push(mass, [0.5 * length, 0.0, 0.0], [0.0, 0.5 * speed, 0.0]);
            start.bodies.push(mass, [-0.5 * length, 0.0, 0.0], [0.0, -0.5 * speed, 0.0]);
            for (level, scheme) in [4, 6, 8]
                .into_iter()
                .flat_map(|level| ["hermite4", "hermite6", "hermite6-3pt"].map(|scheme| (level, scheme)))
            {
                let dt = time * 0.5_f64.powi(level);
                let of = |device, precision| {
                    let same = in_precision(device, scheme, precision, Some(0.0));
                    let (dt_max, dt_min) = (Some(dt), Some(dt));
                    finish(&start, &Parameters { dt, t_end: dt, dt_max, dt_min, ..same })
                };
                let (mixed, made, _) = of(device, Precision::Mixed);
                let (exact, expected, _) = of(Device::Cpu, Precision::F64);
                assert_eq!(made, expected, "{device} {scheme} {length:e} {level}");
                // the acceleration is a half; and numbers of 48 bits
                let bound = 0.5 * (1e-7 * 0.5) * 0.25_f64.powi(level) + 1e-13;
                let off = apart(&mixed, &exact) / length;
                assert!(off < bound, "{device} {scheme} {length:e} {level}: {off:e} of {bound:e}");
            }
        }
    }
}

/// Bodies that fall from rest, of which units of velocity must follow: of small masses, and in metres and seconds.
#[test]
fn falls_from_rest_in_mixed_precision() {
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        for (scheme, mass, length) in [
            ("hermite4", 1e-10, 1.0),
            ("hermite6", 1e-10, 1.0),
            ("hermite6", 1e22, 1e16),
            ("hermite6", 1e-20, 1e10),
            ("hermite6-3pt", 1e-10, 1.0),
        ] {
            let mut start = Snapshot { units: manybody::units::Units::g1(), ..cluster(64) };
            let Bodies { x, y, z, vx, vy, vz, mass: masses, .. } = &mut start.bodies;
            [x, y, z].into_iter().flatten().for_each(|q| *q *= length);
            masses.iter_mut().for_each(|m| *m *= mass);
            [vx, vy, vz].into_iter().flatten().for_each(|v| *v = 0.0);
            let dt = 0.0625 * (length.powi(3) / mass).sqrt();
            let of = |device, precision| {
                let same = in_precision(device, scheme, precision, Some(length / 32.0));
                finish(&start, &Parameters { dt, t_end: 4.0 * dt, ..same })
            };
            let (mixed, made, error) = of(device, Precision::Mixed);
            let (exact, expected, of_scheme) = of(Device::Cpu, Precision::F64);
            let what = format!("{device} {scheme} {mass:e} {length:e}");
            // in f64 the first steps with snaps are as short as can be: there is no jerk yet
            let most = expected[1] + expected[1] / 10;
            assert!((expected[1] / 8..most).contains(&made[1]), "{what}: {made:?} {expected:?}");
            assert!(apart(&mixed, &exact) < 1e-5 * length, "{what}: {:e}", apart(&mixed, &exact) / length);
            assert!(error.abs() < 3.0 * of_scheme.abs() + 2e-7, "{what}: {error:e} {of_scheme:e}");
        }
    }
}

/// Over steps that are much shorter than the times in which forces change, differences of these are of rounding alone: steps do not
/// shrink for that.
#[test]
fn rounding_shortens_no_step() {
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        for scheme in ["hermite4", "hermite6", "hermite6-3pt"] {
            let dt = 0.5_f64.powi(14);
            let of = in_precision(device, scheme, Precision::Mixed, Some(1.0 / 64.0));
            let (_, [_, steps], _) = finish(&cluster(64), &Parameters { dt, t_end: 8.0 * dt, ..of });
            // the first ones have a tenth of the accuracy parameter
            assert!((8 * 64..2 * 8 * 64).contains(&steps), "{device} {scheme}: {steps}");
        }
    }
}

/// Bodies that meet without softening end a run in mixed precision, too, and so do steps that are too short for ticks of a device.
#[test]
fn steps_that_are_too_short_in_mixed_precision() {
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        let mut falling = Snapshot::default();
        falling.bodies.push(0.5, [0.5, 0.0, 0.0], [0.0; 3]);
        falling.bodies.push(0.5, [-0.5, 0.0, 0.0], [0.0; 3]);
        // levels up to 40, and up to 44
        let limits = [None, Some(0.5_f64.powi(48))];
        for (scheme, dt_min) in ["hermite4", "hermite6", "hermite6-3pt"]
            .into_iter()
            .flat_map(|scheme| limits.map(|dt_min| (scheme, dt_min)))
        {
            let plain = in_precision(device, scheme, Precision::Mixed, Some(0.0));
            let plain = Parameters { t_end: 2.0, audit: 0.0, ..plain };
            let mut run = Simulation::start(falling.clone(), Parameters { dt_min, ..plain.clone() }).unwrap();
            let mut made = std::iter::repeat_with(|| run.step());
            match dt_min {
                None => {
                    let error = made.find_map(Result::err).unwrap();
                    let is_right = matches!(error, Error::SmallStep { time, .. } if (1.05..1.12).contains(&time));
                    assert!(is_right, "{device} {scheme}: {error}");
                }
                Some(_) => assert!(made.take(16).all(|made| made.is_ok()), "{device} {scheme}"),
            }
        }
    }
}

#[test]
fn resumed_runs_have_the_same_bits() {
    use Precision::{F64, Mixed};
    let kinds = common::kinds();
    for (device, scheme, precision) in [
        (Device::Cuda, "hermite4", F64),
        (Device::Cuda, "hermite6", F64),
        (Device::Cuda, "hermite6-3pt", F64),
        (Device::Cuda, "hermite4", Mixed),
        (Device::Cuda, "hermite6", Mixed),
        (Device::Cuda, "hermite6-3pt", Mixed),
        (Device::Wgpu, "hermite4", Mixed),
        (Device::Wgpu, "hermite6", Mixed),
        (Device::Wgpu, "hermite6-3pt", Mixed),
    ] {
        if !kinds.contains(&device) {
            continue;
        }
        let (start, parameters) = (cluster(500), in_precision(device, scheme, precision, Some(1.0 / 64.0)));
        let (whole, ..) = finish(&start, &parameters);
        let mut run = Simulation::start(start, parameters.clone()).unwrap();
        run.step().unwrap();
        run.step().unwrap();
        let kept = run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap();
        let mut rest = Simulation::resume(kept, parameters).unwrap();
        while !rest.is_finished() {
            rest.step().unwrap();
        }
        assert!(*rest.bodies().unwrap() == whole, "{device} {scheme} {precision}");
    }
}

/// What the device does not make by itself is made by blocks from the host, and steps that are too small are an error.
#[test]
fn other_steps_and_failures_are_those_of_the_host() {
    if !common::kinds().contains(&Device::Cuda) {
        return;
    }
    for scheme in ["hermite4", "hermite6", "hermite6-3pt"] {
        let of = |device, eps| parameters(device, scheme, Some(eps));
        let mut start = cluster(300);
        let shared =
            Parameters { time_steps: Some(TimeSteps::Shared), t_end: 1.0 / 16.0, ..of(Device::Cuda, 1.0 / 32.0) };
        let (gpu, ..) = finish(&start, &shared);
        let (cpu, ..) =
            finish(&start, &Parameters { device: Device::Cpu, solver: SolverName::Symmetric, ..shared.clone() });
        assert!(apart(&gpu, &cpu) < 1e-11, "{scheme}: {:e}", apart(&gpu, &cpu));
        start.bodies.mass[7] = 0.0;
        let (gpu, ..) = finish(&start, &of(Device::Cuda, 1.0 / 32.0));
        let (cpu, ..) = finish(&start, &of(Device::Cpu, 1.0 / 32.0));
        assert!(apart(&gpu, &cpu) < 1e-9, "{scheme}: {:e}", apart(&gpu, &cpu));
        // the one without mass itself
        let off = (0..3).map(|q| (gpu.position(7)[q] - cpu.position(7)[q]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{scheme}: {off:e}");
        let mut falling = Snapshot::default();
        falling.bodies.push(0.5, [0.5, 0.0, 0.0], [0.0; 3]);
        falling.bodies.push(0.5, [-0.5, 0.0, 0.0], [0.0; 3]);
        let long = Parameters { t_end: 2.0, ..of(Device::Cuda, 0.0) };
        let mut run = Simulation::start(falling, long).unwrap();
        let error = std::iter::repeat_with(|| run.step()).find_map(Result::err).unwrap();
        // they meet after pi / sqrt(8) of a time unit, and no step is made after that
        let is_right =
            matches!(error, Error::SmallStep { time, neighbour: Some(_), .. } if (1.05..1.12).contains(&time));
        assert!(is_right, "{scheme}: {error}");
    }
}

/// Accelerations, jerks and snaps of some bodies are those of the CPU: without softening, where a body's own term must be
/// nothing, with softenings of their own, and of bodies without mass.
#[test]
fn snaps_are_those_of_the_cpu() {
    // thousand terms, each with roundings of a few 1e-16, or of some 20 times 6e-8 in mixed precision; the largest ones are ten times
    // their sum
    let kinds = [(Device::Cuda, Precision::F64, 1e-12), (Device::Cuda, Precision::Mixed, 1e-5)];
    let kinds = kinds.into_iter().chain([(Device::Wgpu, Precision::Mixed, 1e-5)]);
    for (device, precision, bound) in kinds.filter(|(device, ..)| common::kinds().contains(device)) {
        let mut on_gpu = common::solver(device, &[], "auto", precision, Summation::default()).unwrap();
        let mut on_cpu = solver::of(&Method::on(Device::Cpu, Precision::F64)).unwrap();
        for (n, eps, own) in [(1, 0.0, false), (2, 0.0, false), (1000, 0.0, false), (1000, 0.01, true)] {
            let mut bodies = cluster(n).bodies;
            (0..n).skip(3).step_by(5).for_each(|k| bodies.mass[k] = 0.0);
            if own {
                bodies.eps = Some((0..n).map(|k| (k % 3) as f64 * 0.01).collect());
            }
            let accelerations = [&bodies.vy, &bodies.vz, &bodies.vx].map(|column| column.clone());
            let accelerations = accelerations.each_ref().map(Vec::as_slice);
            let (active, gravity): (Vec<usize>, _) = ((0..n).step_by(3).collect(), Gravity::new(2.0, eps));
            let [mut found, mut exact] = [Derivatives::default(), Derivatives::default()];
            on_gpu.derivatives_on(&bodies, Some(accelerations), &active, &gravity, &mut found).unwrap();
            on_cpu.derivatives_on(&bodies, Some(accelerations), &active, &gravity, &mut exact).unwrap();
            for (found, exact) in found.columns().into_iter().zip(exact.columns()) {
                let most = exact.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                let off = found.iter().zip(exact.iter()).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                let what = format!("{device} {precision} {n} {eps} {own}");
                assert!(found.len() == active.len() && off <= bound * most, "{what}: {:e}", off / most);
            }
            let wrong = Gravity { eps: f64::NAN, ..gravity };
            let refused = on_gpu.derivatives_on(&bodies, Some(accelerations), &active, &wrong, &mut found);
            assert!(matches!(refused, Err(Error::Parameter { name: "eps", .. })), "{refused:?}");
        }
    }
}

/// f32 has no snaps.
#[test]
fn f32_has_no_order_6() {
    for device in [Device::Cpu].into_iter().chain(common::kinds()) {
        let of = in_precision(device, "hermite6", Precision::F32, Some(1.0 / 32.0));
        let error = Simulation::start(cluster(10), of).err().unwrap();
        assert!(error.to_string().contains("needs snaps"), "{device}: {error}");
    }
}
