//! Long evaluations on GPUs are followed by a watch, and ended where that is requested; a run then stands after its last
//! whole step and goes on with the same bits.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use manybody::law::{Law, PairInputs};
use manybody::pairs::{Bins, Points, Spheres};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{self, ForceTerms, Forces, Gravity, Method, Precision, SolverName, Summation};
use manybody::watch::Watch;
use manybody::{Error, Snapshot, ic};
use manybody_gpu::distances::{self, DevicePoints, Metric};
use manybody_gpu::{collisions, correlation, tetrahedral};

/// Whether it ended early.
fn is_ended<T>(outcome: manybody::Result<T>) -> bool {
    match outcome {
        Ok(_) => false,
        Err(Error::Interrupted) => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn forces_and_laws_are_ended_where_that_is_requested() {
    let bodies = ic::by_name("plummer", &ic::Request::new(9000, 1)).unwrap().bodies;
    let law = Law::parse("body x[3]; d = j.x - i.x; sum p = 1 / norm(d); self exclude").unwrap();
    let columns: [&[f64]; 3] = [&bodies.x, &bodies.y, &bodies.z];
    let inputs = PairInputs::one(&columns, &[]);
    let gravity = Gravity::new(1.0, 0.05);
    for device in common::kinds() {
        for solver in [SolverName::Symmetric, SolverName::Direct] {
            let watch = Watch::of(1);
            let method = Method::summed(device, Precision::F32, Summation::default()).solver(solver);
            let mut forces = solver::of(&method).unwrap();
            let mut evaluator = solver::evaluator(&method, &law).unwrap();
            forces.watch(&watch);
            evaluator.watch(&watch);
            let mut compute = || {
                let mut out = Forces::default();
                let ended = is_ended(forces.forces(&bodies, &gravity, ForceTerms::default(), &mut out));
                (!ended).then_some(out)
            };
            let whole = compute().unwrap();
            watch.stop();
            // requested, but not allowed
            assert!(compute().unwrap() == whole, "{device}");
            assert!(!is_ended(evaluator.evaluate(&inputs)), "{device}");
            watch.hear(true);
            assert!(compute().is_none(), "{device} {solver}");
            assert!(is_ended(evaluator.evaluate(&inputs)), "{device} {solver}");
            assert_eq!(watch.share(), None);
            watch.hear(false);
            assert!(compute().unwrap() == whole, "{device}");
        }
    }
}

#[test]
fn a_run_that_is_ended_stands_after_its_last_step_and_goes_on_with_the_same_bits() {
    for device in common::kinds() {
        for massless in [0, 300] {
            let mut start = ic::by_name("plummer", &ic::Request::new(700, 1)).unwrap();
            start.bodies.mass[..massless].fill(0.0);
            let parameters = Parameters {
                dt: 1.0 / 64.0,
                t_end: 0.5,
                eps: Some(0.05),
                solver: SolverName::default_on(device, Precision::F32, Summation::default()),
                device,
                precision: Precision::F32,
                ..Parameters::default()
            };
            let finish = |run: &mut Simulation| -> Snapshot {
                while !run.is_finished() {
                    run.advance(5).unwrap();
                }
                run.with_snapshot(|last| Ok(last.clone())).unwrap()
            };
            let whole = finish(&mut Simulation::start(start.clone(), parameters.clone()).unwrap());
            let watch = Watch::of(1);
            let mut run = Simulation::start_watched(start, parameters, &watch).unwrap();
            assert!(run.is_resident());
            run.advance(7).unwrap();
            let before = run.bodies().unwrap().clone();
            watch.stop();
            assert!(is_ended(run.advance(3)), "{device}");
            assert_eq!((run.clock().step(), run.bodies().unwrap() == &before), (7, true), "{device}");
            // a run cannot take its request back, but its state can go on
            let kept = run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap();
            let mut resumed = Simulation::resume(kept.clone(), Parameters::from_snapshot(&kept).unwrap()).unwrap();
            assert_eq!(finish(&mut resumed).bodies, whole.bodies, "{device}, {massless} massless");
        }
    }
}

/// Points in a box of side 1.
fn points<T: manybody::pairs::Float>(n: usize) -> Points<T> {
    let column = |step: usize| -> Vec<T> { (0..n).map(|k| T::from_f64((k * step % n) as f64 / n as f64)).collect() };
    Points::from_columns(&[&column(1), &column(7), &column(11)]).unwrap()
}

#[test]
fn pairs_are_ended_where_that_is_requested() {
    let points = points::<f32>(3000);
    let spheres = Spheres::new(points.clone(), &[0.01; 3000]).unwrap();
    let bins = Bins::new(&[0.0, 0.1, 0.3]).unwrap();
    let atoms = self::points::<f64>(200);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    for gpu in &common::devices() {
        type Run<'a> = Box<dyn Fn(&Watch) -> manybody::Result<String> + 'a>;
        let runs: [(&str, Run<'_>); 6] = [
            ("count", Box::new(|watch| Ok(collisions::count_collisions_watched(gpu, &spheres, watch)?.to_string()))),
            ("list", Box::new(|watch| Ok(format!("{:?}", collisions::collisions_watched(gpu, &spheres, watch)?)))),
            ("within", Box::new(|watch| Ok(format!("{:?}", correlation::within_watched(gpu, &points, &bins, watch)?)))),
            (
                "between",
                Box::new(|watch| {
                    Ok(format!("{:?}", correlation::between_watched(gpu, &points, &points, &bins, watch)?))
                }),
            ),
            (
                "triples",
                Box::new(|watch| {
                    Ok(format!(
                        "{:?}",
                        tetrahedral::axilrod_teller_watched(gpu, &atoms, 1.0, Precision::F32, watch)?.energy
                    ))
                }),
            ),
            (
                "distances",
                Box::new(|watch| {
                    let count = distances::write_distance_matrix_watched(gpu, &points, &path, watch)?;
                    Ok(format!("{count} {:?}", std::fs::read(&path).unwrap()))
                }),
            ),
        ];
        for (what, run) in runs {
            let watch = Watch::of(1);
            let whole = run(&Watch::of(u64::MAX)).unwrap();
            assert!(run(&watch).unwrap() == whole, "{what}");
            watch.stop();
            // requested, but not allowed
            assert!(run(&watch).unwrap() == whole, "{what}");
            watch.hear(true);
            assert!(is_ended(run(&watch)), "{what} on {}", gpu.device());
            assert_eq!(watch.share(), None, "{what}");
        }
    }
}

#[test]
fn the_share_of_a_distance_matrix_is_that_of_its_parts() {
    let n = 3000;
    let points = points::<f32>(n);
    for gpu in &common::devices() {
        let watch = Watch::of(1);
        let device = DevicePoints::new(gpu, &points, Metric::Euclidean).unwrap().watched(&watch);
        let all = (n * (n - 1) / 2) as f64;
        let mut taken = 0;
        device
            .in_parts(4 << 20, |part| {
                // what was taken before this part
                assert_eq!(watch.share(), Some(taken as f64 / all), "{}", gpu.device());
                taken += part.len() / 4;
                Ok(())
            })
            .unwrap();
        assert_eq!((taken as f64, watch.share()), (all, None));
    }
}
