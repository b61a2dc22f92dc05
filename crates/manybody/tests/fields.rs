//! External fields in runs: orbits that are known, energies with the field's potential, and resumed runs.

use manybody::field::{Harmonic, Logarithmic, MiyamotoNagai, PointMass};
use manybody::forces::{Forcing, SelfGravity};
use manybody::integrator::IntegratorName;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Gravity, Method};
use manybody::{Snapshot, ic};
use std::f64::consts::TAU;

fn gravity() -> Forcing {
    Forcing::new(SelfGravity::of(Gravity::new(1.0, 0.05), &Method::default()).unwrap())
}

fn parameters(dt: f64, t_end: f64, integrator: &str) -> Parameters {
    let integrator: IntegratorName = integrator.parse().unwrap();
    Parameters { dt, t_end, integrator, ..Parameters::default() }
}

fn finish(mut run: Simulation) -> Simulation {
    while !run.is_finished() {
        run.advance(u64::MAX).unwrap();
    }
    run
}

fn one(x: [f64; 3], v: [f64; 3]) -> Snapshot {
    let mut start = Snapshot::default();
    start.bodies.push(0.1, x, v);
    start
}

/// A body in the field of a point mass is on Kepler's ellipse, as the library's two bodies are about each other: at
/// every tenth of the period, a = 1, e = 0.3. Kepler's equation is solved by Newton's method. Sixth order with 1,000
/// steps: (2 pi / 1000)^6 = 6e-14, and its factor at the pericentre, some 100.
#[test]
fn a_point_mass_makes_keplers_ellipse() {
    let e: f64 = 0.3;
    let start = one([1.0 - e, 0.0, 0.0], [0.0, ((1.0 + e) / (1.0 - e)).sqrt(), 0.0]);
    let forcing = gravity().and(PointMass { gm: 1.0 });
    let mut run = Simulation::start_with(start, parameters(TAU / 1000.0, TAU, "yoshida6"), forcing).unwrap();
    // E = m (-1 / 2a), the whole potential of the field and not half of it
    assert!((run.initial().energy() + 0.05).abs() < 1e-16, "{}", run.initial().energy());
    for tenth in 1..=10 {
        for _ in 0..100 {
            run.step().unwrap();
        }
        let mean = TAU * f64::from(tenth) / 10.0;
        let eccentric = (0..50).fold(mean, |u: f64, _| u - (u - e * u.sin() - mean) / (1.0 - e * u.cos()));
        let want = [eccentric.cos() - e, (1.0 - e * e).sqrt() * eccentric.sin()];
        let bodies = run.bodies().unwrap();
        let off = (bodies.x[0] - want[0]).hypot(bodies.y[0] - want[1]);
        assert!(off < 1e-11, "{tenth}: {off:e}");
    }
    let drift = run.drift().unwrap();
    assert!(drift.energy.abs() < 1e-12, "{drift:?}");
    // a field from outside takes momentum: its change is no error
    assert!(drift.momentum.is_nan() && drift.angular_momentum.is_nan());
}

/// The centre of mass of a cluster in a harmonic field swings as one body does, whatever its bodies do to each other:
/// x = cos(omega t). A leapfrog swings at a frequency that is (omega dt)^2 / 24 = 1e-5 too high, over a period of 2 pi.
#[test]
fn a_cluster_swings_in_a_harmonic_field() {
    let mut start = ic::by_name("plummer", &ic::Request::new(200, 1)).unwrap();
    start.bodies.shift([1.0, 0.0, 0.0], [0.0; 3]);
    let omega = 2.0;
    let period = TAU / omega;
    let forcing = gravity().and(Harmonic { omega });
    let mut run = Simulation::start_with(start, parameters(period / 400.0, period, "leapfrog"), forcing).unwrap();
    run.advance(100).unwrap();
    let quarter = run.bodies().unwrap().center_of_mass().0[0];
    assert!(quarter.abs() < 1e-4, "{quarter:e}");
    let mut run = finish(run);
    let whole = run.bodies().unwrap().center_of_mass().0[0];
    assert!((whole - 1.0).abs() < 1e-4, "{whole}");
    // as large as that of the cluster alone: leapfrog, dt = 1/127 in units of its crossing
    let drift = run.drift().unwrap();
    assert!(drift.energy.abs() < 1e-3, "{drift:?}");
}

/// Energy errors of orbits in galaxies fall with the order of the integrator. The band of 0.3 holds the next term.
#[test]
fn energy_is_conserved_in_a_galaxy() {
    for (integrator, order) in [("leapfrog", 2.0), ("yoshida4", 4.0)] {
        let error = |dt: f64| {
            let forcing =
                gravity().and(Logarithmic { v0: 1.0, rc: 0.2, q: 0.9 }).and(MiyamotoNagai { gm: 0.5, a: 0.6, b: 0.2 });
            let start = one([1.0, 0.0, 0.3], [0.2, 0.9, 0.1]);
            let mut run = finish(Simulation::start_with(start, parameters(dt, 1.0, integrator), forcing).unwrap());
            run.drift().unwrap().energy.abs()
        };
        let (coarse, fine) = (error(1.0 / 64.0), error(1.0 / 128.0));
        let measured = (coarse / fine).log2();
        assert!((measured - order).abs() < 0.3 && fine > 1e-13, "{integrator}: {coarse:e} {fine:e}");
    }
}

/// A field that turns with time: a run that is resumed at any step has the bits of one that was not, and its energy
/// is not said to be conserved.
#[test]
fn a_run_in_a_field_is_resumed_with_the_same_bits() {
    struct Bar;
    impl manybody::field::Field for Bar {
        fn at(&self, [x, y, z]: [f64; 3], time: f64) -> ([f64; 3], f64) {
            let (sin, cos) = (3.0 * time).sin_cos();
            let along = x * cos + y * sin;
            ([-along * cos, -along * sin, -z], 0.5 * (along * along + z * z))
        }

        fn jerk(&self, [x, y, _]: [f64; 3], [vx, vy, vz]: [f64; 3], time: f64) -> Option<[f64; 3]> {
            let (sin, cos) = (3.0 * time).sin_cos();
            let along = x * cos + y * sin;
            let change = vx * cos + vy * sin + 3.0 * (y * cos - x * sin);
            Some([3.0 * along * sin - change * cos, -3.0 * along * cos - change * sin, -vz])
        }

        fn is_static(&self) -> bool {
            false
        }
    }
    let start = || ic::by_name("plummer", &ic::Request::new(20, 1)).unwrap();
    // fields have no snap, and ar-chain is for isolated systems
    for integrator in manybody::integrator::names().filter(|name| !["hermite6", "ar-chain"].contains(name)) {
        let parameters = parameters(0.1, 0.75, integrator);
        let begin = || Simulation::start_with(start(), parameters.clone(), gravity().and(Bar)).unwrap();
        let keep = |run: &mut Simulation| run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap();
        let whole = keep(&mut finish(begin()));
        let mut run = begin();
        assert!(run.drift().unwrap().energy.is_nan() && run.check().unwrap().is_none());
        while !run.is_finished() {
            let kept = keep(&mut run);
            let again = Parameters::from_snapshot(&kept).unwrap();
            let resumed = Simulation::resume_with(kept, again, gravity().and(Bar)).unwrap();
            assert_eq!(keep(&mut finish(resumed)), whole, "{integrator} from step {}", run.clock().step());
            run.step().unwrap();
        }
    }
}

/// Forces between bodies are audited by themselves, whatever a field adds.
#[test]
fn audits_are_those_of_the_pairs() {
    let start = ic::by_name("plummer", &ic::Request::new(100, 1)).unwrap();
    let parameters = Parameters { audit: 1.0, ..parameters(0.1, 0.5, "leapfrog") };
    let forcing =
        gravity().and(|[x, y, z]: [f64; 3], _| ([-1e6 * x, -1e6 * y, -1e6 * z], 5e5 * (x * x + y * y + z * z)));
    let mut run = Simulation::start_with(start, parameters, forcing).unwrap();
    let found = run.audit().unwrap().unwrap();
    // f64: some roundings
    assert!(found.sample == 100 && found.max < 1e-13, "{found:?}");
}
