//! A run that is stopped, kept and resumed is the same as one never stopped.

use super::{Errors, HostSystem, Parameters, Simulation};
use crate::integrator::names;
use crate::solver::{ForceTerms, Forces, Gravity, Precision, Solver};
use crate::{Bodies, Error, Snapshot};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Seven unequal bodies in a loose group, from a small generator of its own (no physics in the numbers).
fn group() -> Snapshot {
    let mut state = 42_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut bodies = Bodies::default();
    for _ in 0..7 {
        bodies.push(next() + 0.6, [next(), next(), next()], [next(), next(), next()]);
    }
    Snapshot { bodies, time: 0.25, ..Snapshot::default() }
}

fn parameters() -> Parameters {
    Parameters { dt: 0.03, t_end: 1.0, eps: Some(0.1), ..Parameters::default() }
}

fn finish(mut run: Simulation) -> Snapshot {
    while !run.is_finished() {
        run.step().unwrap();
    }
    run.with_snapshot(|s| Ok(s.clone())).unwrap()
}

#[test]
fn a_cosmological_snapshot_is_neither_begun_nor_resumed() {
    let kept = Simulation::start(group(), parameters()).unwrap().with_snapshot(|s| Ok(s.clone())).unwrap();
    for entry in ["cosmology", "gadget.Redshift"] {
        let marked = |mut snapshot: Snapshot| {
            snapshot.meta.insert(entry.into(), "z = 1".into());
            snapshot
        };
        for refused in [
            Simulation::start(marked(group()), parameters()),
            Simulation::resume(marked(kept.clone()), Parameters::from_snapshot(&kept).unwrap()),
        ] {
            let error = refused.map(drop).unwrap_err();
            assert!(error.is_bad_input() && error.to_string().contains("z = 1"), "{error}");
        }
    }
}

#[test]
fn steps_are_counted_from_the_start_whatever_the_pauses() {
    let until = |t_end: f64, from: Option<Snapshot>| {
        let parameters = Parameters { dt: 0.03, t_end, ..parameters() };
        let mut run = match from {
            Some(kept) => Simulation::resume(kept, parameters).unwrap(),
            None => Simulation::start(group(), parameters).unwrap(),
        };
        let first = run.steps_since_start();
        while !run.is_finished() {
            run.step().unwrap();
        }
        (first, run.steps_since_start(), run.with_snapshot(|s| Ok(s.clone())).unwrap())
    };
    let short = |(first, last, _): &(u64, u64, Snapshot)| (*first, *last);
    // from 0.25 to 0.55 there are 10 steps of 0.03; to 0.56 a short one more, and on from there 3 of 0.03 and a short one
    let on_grid = until(0.55, None);
    assert_eq!(short(&on_grid), (0, 10));
    assert_eq!(short(&until(0.55, Some(on_grid.2.clone()))), (10, 10));
    let off_grid = until(0.56, Some(on_grid.2));
    assert_eq!(short(&off_grid), (10, 11));
    let later = until(0.66, Some(off_grid.2));
    assert_eq!(short(&later), (11, 15));
    assert_eq!(short(&until(0.66, Some(later.2))), (15, 15));
}

#[test]
fn a_run_resumed_at_any_step_ends_with_the_same_bits() {
    for integrator in names() {
        let parameters = Parameters { integrator: integrator.parse().unwrap(), ..parameters() };
        let whole = finish(Simulation::start(group(), parameters.clone()).unwrap());
        assert_eq!(whole.time, 1.0);
        let mut run = Simulation::start(group(), parameters).unwrap();
        while !run.is_finished() {
            let kept = run.with_snapshot(|s| Ok(s.clone())).unwrap();
            let again = Simulation::resume(kept.clone(), Parameters::from_snapshot(&kept).unwrap()).unwrap();
            assert_eq!(again.initial(), run.initial());
            assert_eq!(finish(again), whole, "{integrator} from step {}", run.clock().step());
            run.step().unwrap();
        }
    }
}

#[test]
fn measuring_and_keeping_change_nothing() {
    let plain = finish(Simulation::start(group(), parameters()).unwrap());
    let watched = Parameters { snapshot_every: Some(0.1), ..parameters() };
    let mut run = Simulation::start(group(), watched).unwrap();
    let mut numbers = Vec::new();
    while !run.is_finished() {
        run.step().unwrap();
        run.measure().unwrap();
        numbers.extend(run.snapshot_due());
        run.with_snapshot(|_| Ok(())).unwrap();
    }
    assert_eq!(run.with_snapshot(|s| Ok(s.clone())).unwrap(), plain);
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]); // at 0.35, ... 0.95, not at the end
    assert_eq!(run.snapshot_due(), None);
}

/// Audits and checks change no bit of the run either, and what they find is in the snapshot of that step, no other.
#[test]
fn errors_are_kept_with_the_state_they_belong_to() {
    let is_f64 = |name: &str| matches!(name, "hermite6" | "ar-chain");
    for integrator in names() {
        let parameters = Parameters {
            integrator: integrator.parse().unwrap(),
            precision: if is_f64(integrator) { Precision::F64 } else { Precision::F32 },
            audit: 1.0,
            ..parameters()
        };
        let plain = finish(Simulation::start(group(), parameters.clone()).unwrap());
        let mut run = Simulation::start(group(), parameters).unwrap();
        while !run.is_finished() {
            run.step().unwrap();
            let found = run.audit().unwrap().unwrap();
            let measured = run.check_and_measure().unwrap();
            // f32: 24 bits, 7 bodies; Newton's third law to the rounding of 7 sums
            let least = if is_f64(integrator) { 1e-18 } else { 1e-9 };
            assert!(
                (least..1e-6).contains(&found.max) && found.sample == 7 && found.net < 1e-7,
                "{integrator} {found:?}"
            );
            let kept = run.with_snapshot(|s| Ok(s.clone())).unwrap();
            let errors = Errors::from_snapshot(&kept).unwrap();
            assert_eq!(errors, run.errors());
            assert_eq!((errors.force, errors.energy), (Some(found), Some(measured.drift_since(run.initial()).energy)));
        }
        let mut end = run.with_snapshot(|s| Ok(s.clone())).unwrap();
        end.meta.retain(|name, _| !name.starts_with("run.error"));
        assert_eq!(end, plain, "{integrator}");
        assert_eq!(Errors::from_snapshot(&plain).unwrap(), Errors::default());
    }
    let silent = Parameters { audit: 0.0, ..parameters() };
    assert_eq!(Simulation::start(group(), silent).unwrap().audit().unwrap(), None);
    // seven bodies and 25 steps pay for one; an accuracy that was asked for is worth all that there are
    let sample = |rtol| {
        let mut run = Simulation::start(group(), Parameters { rtol, ..parameters() }).unwrap();
        run.audit().unwrap().unwrap().sample
    };
    assert_eq!((sample(None), sample(Some(1e-6))), (1, 7));
    for wrong in
        [Parameters { rtol: Some(1e-6), audit: 0.0, ..parameters() }, Parameters { rtol: Some(0.0), ..parameters() }]
    {
        assert!(Simulation::start(group(), wrong).is_err());
    }
}

/// A run that went wrong goes back to the last state that was checked, and from there is the run that never went on.
#[test]
fn a_check_is_a_place_to_go_back_to() {
    let limited = Parameters { max_energy_error: Some(1e-12), ..parameters() };
    let mut run = Simulation::start(group(), limited.clone()).unwrap();
    run.step().unwrap();
    // leapfrog with this step is wrong by 1e-4, not by 1e-12
    let error = run.check().unwrap_err();
    assert!(matches!(error, Error::EnergyError { limit: 1e-12, .. }) && !error.is_bad_input(), "{error}");
    assert_eq!((run.roll_back().unwrap(), run.time()), (0, 0.25));
    let whole = finish(Simulation::start(group(), parameters()).unwrap());
    let mut run = Simulation::start(group(), Parameters { max_energy_error: Some(1.0), ..parameters() }).unwrap();
    (0..10).for_each(|_| run.step().unwrap());
    run.check().unwrap();
    (0..10).for_each(|_| run.step().unwrap());
    assert_eq!(run.roll_back().unwrap(), 10);
    let mut end = finish(run);
    end.meta.retain(|name, _| name != "run.error.energy");
    assert_eq!(end, whole);
    for wrong in [-1.0, 0.0, f64::NAN] {
        let parameters = Parameters { max_energy_error: Some(wrong), ..parameters() };
        assert!(Simulation::start(group(), parameters).is_err(), "{wrong}");
    }
}

#[test]
fn a_schedule_goes_on_where_it_was() {
    let watched = Parameters { snapshot_every: Some(0.1), ..parameters() };
    let due = |mut run: Simulation| {
        let mut due = Vec::new();
        while !run.is_finished() {
            run.step().unwrap();
            due.extend(run.snapshot_due().map(|number| (number, run.time())));
        }
        due
    };
    let whole = due(Simulation::start(group(), watched.clone()).unwrap());
    let mut run = Simulation::start(group(), watched).unwrap();
    for _ in 0..9 {
        run.step().unwrap();
    }
    assert_eq!(run.next_snapshot(), 3); // at 0.52: those of 0.35 and 0.45 lie behind
    let kept = run.with_snapshot(|s| Ok(s.clone())).unwrap();
    let rest = due(Simulation::resume(kept.clone(), Parameters::from_snapshot(&kept).unwrap()).unwrap());
    assert_eq!(rest, whole[2..]);
}

/// On beyond the end: where dt divides the time, as if the end had been later from the start.
#[test]
fn a_finished_run_can_be_extended() {
    let binary = Parameters { dt: 1.0 / 32.0, ..parameters() };
    let longer = Parameters { t_end: 1.5, ..binary.clone() };
    let whole = finish(Simulation::start(group(), longer).unwrap());
    let first = finish(Simulation::start(group(), binary).unwrap());
    let kept = Parameters::from_snapshot(&first).unwrap();
    assert_eq!(kept.t_end, 1.0);
    assert!(Simulation::resume(first.clone(), kept.clone()).unwrap().is_finished());
    assert_eq!(finish(Simulation::resume(first, Parameters { t_end: 1.5, ..kept }).unwrap()), whole);
}

#[test]
fn the_first_snapshot_keeps_its_own_metadata_and_nothing_of_an_earlier_run() {
    let mut start = finish(Simulation::start(group(), parameters()).unwrap());
    start.meta.insert("author".into(), "a user".into());
    start.meta.insert("run.nonsense".into(), "1".into());
    let mut run = Simulation::start(start, Parameters { t_end: 1.25, ..parameters() }).unwrap();
    assert_eq!(run.initial().time, 1.0);
    let kept = run.with_snapshot(|s| Ok(s.clone())).unwrap();
    assert_eq!(kept.meta["author"], "a user");
    assert_eq!((&*kept.meta["run.step"], &*kept.meta["run.t_end"]), ("0", "1.25"));
    assert!(!kept.meta.contains_key("run.nonsense"));
    // the last one depends on no end and no schedule
    let last = finish(run);
    assert!(!last.meta.contains_key("run.t_end") && !last.meta.contains_key("run.snapshot_every"));
}

#[test]
fn the_gravitational_constant_is_that_of_the_units() {
    let mut pair = Snapshot::default();
    pair.units.g = 4.0;
    pair.bodies.push(1.0, [0.0; 3], [0.0; 3]);
    pair.bodies.push(1.0, [2.0, 0.0, 0.0], [0.0; 3]);
    let run = Simulation::start(pair, Parameters { eps: Some(0.0), ..parameters() }).unwrap();
    assert_eq!(run.initial().potential, -2.0); // -G m m / r
}

#[test]
fn a_softening_for_all_takes_the_place_of_each_ones_own() {
    let mut soft = group();
    soft.bodies.eps = Some(vec![0.5; 7]);
    let with = |eps| Simulation::start(soft.clone(), Parameters { eps, ..parameters() }).unwrap();
    let (own, same, other) = (with(None), with(Some(0.5)), with(Some(0.1)));
    let apart = (own.initial().potential / same.initial().potential - 1.0).abs();
    assert!(apart < 1e-15, "{apart}"); // (eps^2 + eps^2) / 2, rounded
    assert!(other.initial().potential < 1.1 * own.initial().potential);
    assert_eq!(finish(own).bodies.eps, Some(vec![0.5; 7]));
    assert_eq!(finish(other).bodies.eps, None);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let parameter = |change: &dyn Fn(&mut Parameters)| {
        let mut parameters = parameters();
        change(&mut parameters);
        Simulation::start(group(), parameters).err().map(|error| error.to_string()).unwrap_or_default()
    };
    for (message, part) in [
        (parameter(&|p| p.dt = -1.0), "dt = -1"),
        (parameter(&|p| p.t_end = 0.0), "t-end = 0"),
        (parameter(&|p| p.eps = Some(-1.0)), "eps = -1"),
        (parameter(&|p| p.eps = Some(f64::NAN)), "eps = NaN"),
        (parameter(&|p| p.eps = None), "eps = none"),
        (parameter(&|p| p.snapshot_every = Some(0.001)), "snapshot-every = 0.001"),
        (parameter(&|p| p.audit = 1.5), "audit = 1.5"),
        (parameter(&|p| p.solver = crate::solver::SolverName::Auto), "solver"),
        (parameter(&|p| p.gpus = "2".parse().unwrap()), "gpus = 2"),
    ] {
        assert!(message.contains(part), "'{message}' should contain '{part}'");
    }
    let mut negative = group();
    negative.bodies.mass[3] = -1.0;
    let error = Simulation::start(negative, parameters()).err().unwrap();
    assert!(matches!(error, Error::Body { index: 3, field: "mass", .. }) && error.is_bad_input(), "{error}");
    // resuming what no run has kept
    let error = Parameters::from_snapshot(&group()).unwrap_err();
    assert!(error.to_string().contains("run.dt = missing"), "{error}");
    let mut converted = finish(Simulation::start(group(), parameters()).unwrap());
    converted.units.name = "msun-pc-kms".into();
    let error = Simulation::resume(converted, parameters()).err().unwrap();
    assert!(error.to_string().contains("run.units = g1"), "{error}");
    let mut damaged = finish(Simulation::start(group(), parameters()).unwrap());
    damaged.meta.insert("run.initial.momentum".into(), "1 2".into());
    let error = Simulation::resume(damaged, parameters()).err().unwrap();
    assert!(error.to_string().contains("run.initial.momentum = '1 2'"), "{error}");
}

/// A body that is thrown out of all bounds is named, with the time and the quantity, and it is not the input's fault.
#[test]
fn numbers_that_overflow_stop_the_run() {
    let mut fast = group();
    fast.bodies.id[2] = 77;
    fast.bodies.mass.fill(1e-200); // or in a step of 1e157 each throws all others out of bounds
    fast.bodies.vx[2] = 1.0e308;
    // the energy is not finite: the run cannot be compared with it, so it does not begin
    let parameters = Parameters { t_end: 1e159, dt: 1e157, ..parameters() };
    let error = Simulation::start(fast.clone(), parameters.clone()).err().unwrap();
    assert!(
        matches!(error, Error::NotFinite { index: 2, id: 77, quantity: "kinetic energy", .. }) && !error.is_bad_input(),
        "{error}"
    );
    // its energy, 1e300, is a number, but in 18 steps of 1e157 it is beyond 1.8e308
    fast.bodies.vx[2] = 1.0e150;
    let mut run = Simulation::start(fast, parameters).unwrap();
    let error = (0..run.clock().steps()).find_map(|_| run.step().err()).unwrap();
    assert!(
        matches!(error, Error::NotFinite { index: 2, id: 77, quantity: "position", .. }) && !error.is_bad_input(),
        "{error}"
    );
}

#[test]
fn systems_without_forces_run_too() {
    for n in [0, 1] {
        let mut few = Snapshot { bodies: Bodies::zeros(n), time: 0.25, ..Snapshot::default() };
        few.bodies.vx.fill(2.0);
        let last = finish(Simulation::start(few, parameters()).unwrap());
        assert!(last.bodies.x.iter().all(|x| (x - 1.5).abs() < 1e-14)); // 34 drifts, each rounded by 2e-16 at most
    }
}

/// Counts its calls.
struct Counting(Arc<AtomicUsize>);

impl Solver for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn forces(&mut self, bodies: &Bodies, _: &Gravity, terms: ForceTerms, out: &mut Forces) -> crate::Result<()> {
        self.0.fetch_add(1, Relaxed);
        *out = Forces::zeros(bodies.len(), terms);
        Ok(())
    }
}

/// The first step of a kick-drift-kick needs the acceleration at the start; from then on a step costs one evaluation.
#[test]
fn a_force_is_computed_once_where_bodies_are() {
    for (name, first, each) in [("leapfrog", 1, 1), ("leapfrog-dkd", 0, 1), ("yoshida4", 1, 3), ("yoshida6", 1, 7)] {
        let calls = Arc::new(AtomicUsize::new(0));
        let solver = Box::new(Counting(calls.clone()));
        let mut system = HostSystem::new(group().bodies, Gravity::new(1.0, 0.1), solver, 0.0);
        let mut integrator = crate::integrator::by_name(name).unwrap();
        for _ in 0..10 {
            integrator.step(&mut system, 0.1).unwrap();
        }
        assert_eq!(calls.load(Relaxed), first + 10 * each, "{name}");
    }
}

#[test]
fn precision_is_kept() {
    let single = Parameters { precision: Precision::F32, ..parameters() };
    let kept = Simulation::start(group(), single).unwrap().with_snapshot(|s| Ok(s.clone())).unwrap();
    assert_eq!(Parameters::from_snapshot(&kept).unwrap().precision, Precision::F32);
}
