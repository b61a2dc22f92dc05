//! Runs under other forces than gravity by a solver: laws, and models of a program's own.

use manybody::forces::{Accelerations, ForceModel, Forcing, LawForces};
use manybody::law::Law;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{ForceTerms, Forces, Method};
use manybody::{Bodies, Error, Result, Snapshot};
use std::f64::consts::TAU;

fn finish(mut run: Simulation) -> Simulation {
    while !run.is_finished() {
        run.advance(u64::MAX).unwrap();
    }
    run
}

fn kept(run: &mut Simulation) -> Snapshot {
    run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap()
}

fn law(law: &str, par: &[f64], bodies: &Bodies) -> Result<Forcing> {
    Ok(Forcing::new(LawForces::new(Law::by_name_or_text(law)?, par.to_vec(), &Method::default(), bodies)?))
}

/// Masses 1 and 3 with charges 2 and -2 on a circle of radius 1 about each other: with the reduced mass 3/4,
/// omega^2 = 4 / (3/4).
fn charges() -> Snapshot {
    let omega = (4.0f64 / 0.75).sqrt();
    let mut bodies = Bodies::default();
    bodies.push(1.0, [0.75, 0.0, 0.0], [0.0, 0.75 * omega, 0.0]);
    bodies.push(3.0, [-0.25, 0.0, 0.0], [0.0, -0.25 * omega, 0.0]);
    bodies.extra.insert("q".into(), vec![2.0, -2.0]);
    Snapshot { bodies, ..Snapshot::default() }
}

#[test]
fn two_charges_go_round_each_other() {
    let start = charges();
    let period = TAU / (4.0f64 / 0.75).sqrt();
    let parameters = Parameters { dt: period / 1000.0, t_end: period, audit: 1.0, ..Parameters::default() };
    let parameters = Parameters { integrator: "yoshida4".parse().unwrap(), ..parameters };
    let forcing = law("coulomb", &[1.0], &start.bodies).unwrap();
    let mut run = finish(Simulation::start_with(start.clone(), parameters, forcing).unwrap());
    // kinetic 3/8 omega^2 = 2, potential -4
    let initial = run.initial();
    assert!((initial.kinetic - 2.0).abs() < 1e-14 && initial.potential == -4.0, "{initial:?}");
    // fourth order, (2 pi / 1000)^4 = 2e-9, and its factor for Yoshida's large middle part, some 5
    let (end, begin) = (run.bodies().unwrap().clone(), &start.bodies);
    for i in 0..2 {
        let off = (0..3).map(|k| (end.position(i)[k] - begin.position(i)[k]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-8, "{i}: {off:e}");
    }
    let drift = run.drift().unwrap();
    assert!(drift.energy.abs() < 1e-8 && drift.momentum < 1e-14, "{drift:?}");
    // f64 against the oracle in f64: roundings
    let found = run.audit().unwrap().unwrap();
    assert!(found.sample == 2 && found.max < 1e-14, "{found:?}");
}

/// Each body is pulled to the origin, x'' = -x.
struct Springs;

impl ForceModel for Springs {
    fn name(&self) -> String {
        "springs".into()
    }

    fn accelerations(&mut self, bodies: &Bodies, _time: f64, out: &mut Accelerations) -> Result<()> {
        let pull = |column: &[f64]| column.iter().map(|x| -x).collect();
        (out.forces.ax, out.forces.ay, out.forces.az) = (pull(&bodies.x), pull(&bodies.y), pull(&bodies.z));
        Ok(())
    }
}

/// A model beside gravity gives the orbits of gravity in the field that does the same.
#[test]
fn models_add() {
    let start = manybody::ic::by_name("plummer", &manybody::ic::Request::new(50, 1)).unwrap();
    let parameters = Parameters { dt: 1.0 / 64.0, t_end: 1.0, eps: Some(0.1), ..Parameters::default() };
    let mut bodies = start.bodies.clone();
    let forcing = Forcing::of(&parameters, &start.units, &mut bodies).unwrap().and_model(Springs);
    let mut run = finish(Simulation::start_with(start.clone(), parameters.clone(), forcing).unwrap());
    assert_eq!(run.forces_name(), "gravity + springs");
    let settings = manybody::Units::henon();
    let given = manybody::settings::Settings {
        field: Some(manybody::settings::FieldWords(vec!["harmonic:omega=1".into()])),
        ..Default::default()
    };
    let in_field = parameters.with(&given, &settings).unwrap();
    let mut beside = finish(Simulation::start(start, in_field).unwrap());
    let (a, b) = (run.bodies().unwrap().clone(), beside.bodies().unwrap());
    // 64 steps that add the same two kicks in another order, one rounding each
    let off = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off:e}");
}

/// Gravity as a text makes the orbits of the built-in solver: the same terms, rounded in another order.
#[test]
fn gravity_as_a_text_is_gravity() {
    let text = "body x[3], m; param eps2 = 0.01; d = j.x - i.x; r2 = dot(d, d) + eps2; y = j.m / sqrt(r2); \
                sum a = y / r2 * d; sum pot = -y; self exclude";
    let start = manybody::ic::by_name("plummer", &manybody::ic::Request::new(100, 1)).unwrap();
    let parameters = Parameters { dt: 1.0 / 128.0, t_end: 0.25, eps: Some(0.1), ..Parameters::default() };
    let mut solver = finish(Simulation::start(start.clone(), parameters.clone()).unwrap());
    let forcing = law(text, &[0.01], &start.bodies).unwrap();
    let mut run = finish(Simulation::start_with(start, parameters, forcing).unwrap());
    let (a, b) = (solver.bodies().unwrap(), run.bodies().unwrap());
    let off = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // 32 steps, each with some roundings of 1e-16 of numbers up to 5
    assert!(off < 1e-13 && a != b, "{off:e}");
    let (solver, run) = (solver.measure().unwrap(), run.measure().unwrap());
    assert!((solver.energy() - run.energy()).abs() < 1e-14, "{} {}", solver.energy(), run.energy());
}

/// The forces on active bodies are those on all, of these bodies.
#[test]
fn active_bodies_have_the_same_forces() {
    let bodies = charges().bodies;
    let model = |law: &str| LawForces::new(Law::by_name_or_text(law).unwrap(), vec![1.0], &Method::default(), &bodies);
    let mut coulomb = model("coulomb").unwrap();
    let (mut all, mut some) = (Accelerations::default(), Forces::default());
    coulomb.accelerations(&bodies, 0.0, &mut all).unwrap();
    coulomb.forces_on(&bodies, &[1], 0.0, ForceTerms { potential: true, jerk: false }, &mut some).unwrap();
    assert_eq!(some.acceleration(0), all.forces.acceleration(1));
    assert_eq!(some.pot, [-4.0 / 3.0]); // the energy -4 of body 1, per mass
    let jerk = coulomb.forces_on(&bodies, &[1], 0.0, ForceTerms { potential: false, jerk: true }, &mut some);
    assert!(matches!(jerk, Err(Error::Unsupported { .. })));
}

/// Columns that follow from others are those of this state in each evaluation; a run keeps those that its bodies have.
#[test]
fn laws_read_columns_that_follow_from_others() {
    let mut start = charges();
    start.bodies.extra.insert("q".into(), vec![0.0; 2]);
    // the charge falls with the distance from the origin
    let charge = |bodies: &Bodies, i: usize| {
        let square: f64 = bodies.position(i).iter().map(|x| x * x).sum();
        [2.0, -2.0][i] / (1.0 + square)
    };
    let derive = move |bodies: &mut Bodies| {
        let q = (0..bodies.len()).map(|i| charge(bodies, i)).collect();
        bodies.extra.insert("q".into(), q);
        bodies.extra.insert("scratch".into(), vec![1.0; bodies.len()]);
        Ok(())
    };
    let coulomb = || Law::by_name_or_text("coulomb").unwrap();
    let par = || vec![1.0];
    let mut model = LawForces::deriving(coulomb(), par(), &Method::default(), &start.bodies, derive).unwrap();
    let mut given = start.bodies.clone();
    derive(&mut given).unwrap();
    let mut plain = LawForces::new(coulomb(), par(), &Method::default(), &given).unwrap();
    let (mut found, mut want) = (Accelerations::default(), Accelerations::default());
    model.accelerations(&start.bodies, 0.0, &mut found).unwrap();
    plain.accelerations(&given, 0.0, &mut want).unwrap();
    assert_eq!(found.forces, want.forces);
    assert_eq!(found.columns.into_iter().collect::<Vec<_>>(), [("q".to_owned(), given.extra["q"].clone())]);
    assert_eq!(model.potential(&start.bodies, 0.0).unwrap(), plain.potential(&given, 0.0).unwrap());
    let (mut found, mut want) = (Forces::default(), Forces::default());
    let terms = ForceTerms { potential: true, jerk: false };
    model.forces_on(&start.bodies, &[1], 0.0, terms, &mut found).unwrap();
    plain.forces_on(&given, &[1], 0.0, terms, &mut want).unwrap();
    assert_eq!(found, want);
    let parameters = Parameters { dt: 0.01, t_end: 0.1, audit: 1.0, ..Parameters::default() };
    let mut run = finish(Simulation::start_with(start, parameters, Forcing::new(model)).unwrap());
    // f64 against the oracle in f64: roundings
    let audited = run.audit().unwrap().unwrap();
    assert!(audited.sample == 2 && audited.max < 1e-14, "{audited:?}");
    let end = run.bodies().unwrap();
    assert_eq!(end.extra.keys().collect::<Vec<_>>(), ["q"]);
    assert!((0..2).all(|i| (end.extra["q"][i] / charge(end, i) - 1.0).abs() < 0.1 && end.extra["q"][i] != 0.0));
    let wrong = |_: &mut Bodies| Err(Error::Parameter { name: "gas", value: "cold".into(), expected: "heat".into() });
    let error = LawForces::deriving(coulomb(), par(), &Method::default(), &given, wrong).map(drop).unwrap_err();
    assert!(matches!(error, Error::Parameter { name: "gas", .. }), "{error}");
}

#[test]
fn laws_that_cannot_accelerate_are_refused() {
    let start = charges();
    let refused = |text: &str| law(text, &[], &start.bodies).map(drop).unwrap_err();
    let error = refused("sph-density-less").to_string();
    assert!(error.contains("unknown law"), "{error}");
    let error = refused("body x[3], q; d = i.x - j.x; sum near = j.q / (1 + dot(d, d)); count n = true");
    let text = error.to_string();
    assert!(error.is_bad_input() && text.contains("near, n;") && text.contains("a[3]"), "{text}");
    let error = refused("body x[3], spin; d = i.x - j.x; sum a = d * j.spin").to_string();
    assert!(error.contains("column = spin") && error.contains("q"), "{error}");
    // a force on a body without mass
    let mut light = start.clone();
    light.bodies.mass[1] = 0.0;
    let forcing = law("coulomb", &[1.0], &light.bodies).unwrap();
    let error = Simulation::start_with(light, Parameters::default(), forcing).unwrap_err();
    assert!(matches!(error, Error::Body { index: 1, field: "mass", .. }), "{error}");
    // a law without potential has no energy error to limit
    let text = "body x[3]; d = j.x - i.x; sum a = d";
    let limited = Parameters { max_energy_error: Some(0.1), ..Parameters::default() };
    let forcing = law(text, &[], &start.bodies).unwrap();
    let error = Simulation::start_with(start.clone(), limited, forcing).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("max-energy-error"), "{error}");
    let forcing = law(text, &[], &start.bodies).unwrap();
    let mut run = Simulation::start_with(start, Parameters::default(), forcing).unwrap();
    assert!(run.check().unwrap().is_none() && run.drift().unwrap().energy.is_nan());
    assert_eq!(run.errors().energy, None);
    // nor does one with a potential that dissipates conserve the energy
    let text = "body x[3], v[3]; d = j.x - i.x; sum a = d + j.v - i.v; sum pot = dot(d, d) / 2";
    let forcing = law(text, &[], &charges().bodies).unwrap();
    let mut run = Simulation::start_with(charges(), Parameters::default(), forcing).unwrap();
    assert!(run.check().unwrap().is_none() && run.initial().potential > 0.0);
}

/// v' = -v, and heat u' = v^2: forces that depend on velocities, and a column with a rate.
struct Drag([String; 1]);

impl Drag {
    fn forcing() -> Forcing {
        Forcing::new(Drag(["u".into()]))
    }
}

impl ForceModel for Drag {
    fn name(&self) -> String {
        "drag".into()
    }

    fn reads_velocities(&self) -> bool {
        true
    }

    fn advanced(&self) -> &[String] {
        &self.0
    }

    fn accelerations(&mut self, bodies: &Bodies, _time: f64, out: &mut Accelerations) -> Result<()> {
        let minus = |column: &[f64]| column.iter().map(|v| -v).collect();
        (out.forces.ax, out.forces.ay, out.forces.az) = (minus(&bodies.vx), minus(&bodies.vy), minus(&bodies.vz));
        out.rates.insert("u".into(), bodies.vx.iter().map(|v| v * v).collect());
        out.columns.insert("speed".into(), bodies.vx.iter().map(|v| v.abs()).collect());
        Ok(())
    }

    fn potential(&mut self, _bodies: &Bodies, _time: f64) -> Result<Vec<f64>> {
        panic!("there is no potential")
    }
}

fn moving() -> Snapshot {
    let mut start = Snapshot::default();
    start.bodies.push(1.0, [0.0; 3], [1.0, 0.0, 0.0]);
    start.bodies.extra.insert("u".into(), vec![0.0]);
    start
}

/// x = 1 - exp(-t) and u = (1 - exp(-2 t)) / 2, to second order: an error four times as small with half of the step.
/// The band of 0.1 holds the next term of the error, which is dt smaller.
#[test]
fn drag_slows_and_heats() {
    for integrator in ["leapfrog", "leapfrog-dkd"] {
        let errors = |dt: f64| {
            let parameters =
                Parameters { dt, t_end: 1.0, integrator: integrator.parse().unwrap(), ..Parameters::default() };
            let mut run = finish(Simulation::start_with(moving(), parameters, Drag::forcing()).unwrap());
            let bodies = run.bodies().unwrap();
            assert!(bodies.extra["speed"][0] > 0.3);
            [
                bodies.x[0] - (1.0 - (-1.0f64).exp()),
                bodies.vx[0] - (-1.0f64).exp(),
                bodies.extra["u"][0] - (1.0 - (-2.0f64).exp()) / 2.0,
            ]
        };
        let (coarse, fine) = (errors(1.0 / 64.0), errors(1.0 / 128.0));
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            let order = (coarse / fine).abs().log2();
            assert!((order - 2.0).abs() < 0.1, "{integrator}: {coarse:e} {fine:e}");
        }
    }
    let parameters = Parameters { integrator: "yoshida4".parse().unwrap(), ..Parameters::default() };
    let error = Simulation::start_with(moving(), parameters, Drag::forcing()).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("leapfrog-dkd"), "{error}");
}

/// Resumed from any step, a run under a program's forces has the same bits, and no other forces continue it.
#[test]
fn a_run_under_own_forces_is_resumed_under_them() {
    for integrator in ["leapfrog", "leapfrog-dkd"] {
        let parameters = Parameters {
            dt: 0.1,
            t_end: 1.0,
            eps: None,
            integrator: integrator.parse().unwrap(),
            ..Parameters::default()
        };
        let start = || Simulation::start_with(moving(), parameters.clone(), Drag::forcing()).unwrap();
        let whole = kept(&mut finish(start()));
        let mut run = start();
        while !run.is_finished() {
            let snapshot = kept(&mut run);
            let again = Parameters::from_snapshot(&snapshot).unwrap();
            let resumed = Simulation::resume_with(snapshot, again, Drag::forcing()).unwrap();
            assert_eq!(resumed.initial(), run.initial());
            assert_eq!(kept(&mut finish(resumed)), whole, "{integrator} from step {}", run.clock().step());
            run.step().unwrap();
        }
        let snapshot = kept(&mut start());
        let error = Simulation::resume(snapshot.clone(), parameters.clone()).unwrap_err().to_string();
        assert!(error.contains("run.forces = drag") && error.contains("resume_with"), "{error}");
        let coulomb = law("coulomb", &[1.0], &charges().bodies).unwrap();
        let error = Simulation::resume_with(snapshot, parameters, coulomb).unwrap_err().to_string();
        assert!(error.contains("the law coulomb"), "{error}");
    }
}

/// A run goes back with its columns that have rates.
#[test]
fn a_column_goes_back_with_the_bodies() {
    let parameters = Parameters { dt: 0.1, t_end: 1.0, ..Parameters::default() };
    let mut run = Simulation::start_with(moving(), parameters, Drag::forcing()).unwrap();
    run.advance(3).unwrap();
    assert!(run.bodies().unwrap().extra["u"][0] > 0.0);
    assert_eq!(run.roll_back().unwrap(), 0);
    assert_eq!(run.bodies().unwrap().extra["u"], [0.0]);
}
