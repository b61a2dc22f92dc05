//! Several GPUs that share an evaluation give the bits of one. A device may be named twice, so one GPU is enough to see it.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{
    Device, Expansion, ForceTerms, Forces, Gpus, Gravity, Method, Precision, Solver, SolverName, Summation,
};
use manybody::{Bodies, Error, Snapshot, ic};
use manybody_gpu::cuda::{self, Cuda};

/// Lists of devices that share.
fn sharing() -> Vec<Vec<usize>> {
    match Cuda::open(0) {
        Err(Error::NoDevice { how, .. }) => {
            println!("skipped: several GPUs: {how}");
            return Vec::new();
        }
        other => drop(other.unwrap()),
    }
    let mut lists = vec![vec![0; 2], vec![0; 3], vec![0; 8]];
    if cuda::devices().len() > 1 {
        lists.extend([vec![0, 1], vec![1, 0], vec![0, 1, 1]]);
        // three that are not the same: the last two read each other's memory, too
        lists.extend((cuda::devices().len() > 2).then(|| vec![0, 1, 2]));
    } else {
        println!("skipped: two GPUs: there is one, which shares with itself");
    }
    lists
}

fn cluster(n: usize) -> Snapshot {
    let mut start = ic::by_name("plummer", &ic::Request::new(n, 3)).unwrap();
    start.bodies.mass.iter_mut().enumerate().for_each(|(i, mass)| *mass *= 1.0 + (i % 5) as f64);
    start
}

fn forces(ordinals: &[usize], (name, precision, sum): (&str, Precision, Summation), bodies: &Bodies) -> Forces {
    let mut out = Forces::default();
    let mut solver = common::solver(Device::Cuda, ordinals, name, precision, sum).unwrap();
    let terms = ForceTerms { potential: bodies.len() % 2 == 1, jerk: false };
    solver.forces(bodies, &Gravity::new(1.0, 0.05), terms, &mut out).unwrap();
    out
}

#[test]
fn bits_do_not_know_how_many_gpus_there_are() {
    use Precision::{F32, F64, Mixed};
    let lists = sharing();
    let own = Summation::default();
    for n in [1, 700, 4099, 20_000, 70_001] {
        let bodies = cluster(n).bodies;
        for (name, precision, sum) in [
            ("auto", F32, own),
            ("symmetric", F32, own),
            ("symmetric", Mixed, own),
            ("symmetric", F64, own),
            ("direct", F32, own),
            ("direct", F64, own),
            ("direct:p=64:K=4:q=5", F32, own),
            ("symmetric:warps=2:K=4:chain=3", F32, own),
            ("direct", F32, Summation::Fixed),
            ("direct", F32, Summation::Compensated),
            ("direct", F32, Summation::Direct),
        ] {
            let method = (name, precision, sum);
            let one = (!lists.is_empty()).then(|| forces(&[], method, &bodies));
            for list in &lists {
                assert_eq!(one, Some(forces(list, method, &bodies)), "{name} {sum} {n} {list:?}");
            }
        }
    }
}

/// Several launches an evaluation, whose lines travel while the next one is computed: from 303,000 bodies on in f32 and
/// 214,000 in f64, fewer with potentials.
#[test]
fn bits_of_several_launches_do_not_know_how_many_gpus_there_are() {
    let lists = sharing();
    if lists.is_empty() {
        return;
    }
    for (n, precision) in [(330_001, Precision::F32), (500_000, Precision::F32), (230_000, Precision::F64)] {
        let how = ("symmetric", precision, Summation::default());
        let bodies = cluster(n).bodies;
        let one = forces(&[0], how, &bodies);
        for list in &lists {
            assert!(one == forces(list, how, &bodies), "{n} {precision} {list:?}");
        }
    }
}

/// Block time steps of so many bodies that GPUs share them, and more than a strip of the list of active ones; a run that goes on from a
/// snapshot with another number of GPUs.
#[test]
fn bits_of_blocks_do_not_know_how_many_gpus_there_are() {
    let lists = sharing();
    if lists.is_empty() {
        return;
    }
    let start = cluster(140_001);
    let dt = 1.0 / 16384.0;
    for (scheme, precision) in ["hermite4", "hermite6", "hermite6-3pt"]
        .map(|scheme| [Precision::F64, Precision::Mixed].map(|of| (scheme, of)))
        .concat()
    {
        let parameters = |list: &[usize]| Parameters {
            dt,
            t_end: 2.0 * dt,
            eps: Some(1e-4),
            integrator: scheme.parse().unwrap(),
            device: Device::Cuda,
            solver: SolverName::default_on(Device::Cuda, precision, Summation::default()),
            precision,
            gpus: Gpus::of(list).unwrap(),
            audit: 0.0,
            ..Parameters::default()
        };
        let end = |mut run: Simulation| {
            while !run.is_finished() {
                run.step().unwrap();
            }
            (run.integrator().work().unwrap(), run.bodies().unwrap().clone())
        };
        let one = end(Simulation::start(start.clone(), parameters(&[0])).unwrap());
        assert!(one.0.blocks > 4, "{scheme} {precision}: {:?}", one.0);
        for list in &lists {
            let what = format!("{scheme} {precision} {list:?}");
            let mut run = Simulation::start(start.clone(), parameters(list)).unwrap();
            run.step().unwrap();
            let kept = run.with_snapshot(|snapshot| Ok(snapshot.clone())).unwrap();
            assert!(end(run) == one, "{what}: other bits");
            for other in [list, &vec![0]] {
                let rest = end(Simulation::resume(kept.clone(), parameters(other)).unwrap());
                assert!(rest.1 == one.1, "{what}: other bits after a resume on {other:?}");
            }
        }
    }
}

/// Expansions, with jerks and without: parts of leaves by each, estimates of accelerations that are exchanged, softenings of the bodies' own, equal places
/// and a distant body (long keys, cells of all sizes), and so few bodies that some GPUs have no leaf.
#[test]
fn bits_of_expansions_do_not_know_how_many_gpus_there_are() {
    use Precision::{F32, F64};
    let lists = sharing();
    for n in [1, 40, 700, 9000, 70_001] {
        let mut bodies = cluster(n).bodies;
        let far = bodies.clone();
        (bodies.x[n / 2], bodies.y[n / 2], bodies.z[n / 2]) = (far.x[0], far.y[0], far.z[0]);
        bodies.x[n - 1] = 1e4;
        for (solver, precision, own) in
            [(SolverName::Fmm, F32, false), (SolverName::Fmm, F64, true), (SolverName::Tree, F32, true)]
        {
            bodies.eps = own.then(|| (0..n).map(|i| if i % 3 == 0 { 0.2 } else { 0.01 }).collect());
            let forces = |list: &[usize], jerk: bool| {
                let expansion = Expansion { rtol: Some(1e-4), ..Expansion::default() };
                let method = Method::on(Device::Cuda, precision).solver(solver).gpus(Gpus::of(list).unwrap());
                let mut out = Forces::default();
                let mut solver = manybody_gpu::expansions(&Method { expansion, ..method }).unwrap();
                let terms = ForceTerms { potential: n % 2 == 1, jerk };
                // twice: the second time in memory that is there
                for _ in 0..2 {
                    solver.forces(&bodies, &Gravity::new(1.0, 0.05), terms, &mut out).unwrap();
                }
                out
            };
            for jerk in [false, true] {
                let one = (!lists.is_empty()).then(|| forces(&[0], jerk));
                for list in &lists {
                    assert_eq!(one, Some(forces(list, jerk)), "{n} {solver} {precision} {list:?}, jerks {jerk}");
                }
            }
        }
    }
}

/// Steps in graphs, records that change places, several launches an evaluation.
#[test]
fn bits_of_runs_do_not_know_how_many_gpus_there_are() {
    use Precision::{F32, F64};
    let lists = sharing();
    for (n, precision, solver, steps) in [
        (9000, F32, "auto", 300),
        (9000, F64, "auto", 20),
        (5000, F32, "direct", 20),
        (330_000, F32, "symmetric", 3),
        (9000, F32, "fmm", 100),
        (9000, F64, "tree", 10),
    ] {
        let run = |list: &[usize]| {
            let parameters = Parameters {
                dt: 1.0 / 1024.0,
                t_end: f64::from(steps) / 1024.0,
                eps: Some(0.05),
                integrator: "leapfrog".parse().unwrap(),
                solver: solver.parse().unwrap(),
                device: Device::Cuda,
                gpus: Gpus::of(list).unwrap(),
                precision,
                ..Parameters::default()
            };
            let mut run = Simulation::start(cluster(n), parameters).unwrap();
            while !run.is_finished() {
                run.advance(1000).unwrap();
            }
            run.with_snapshot(|last| Ok(last.clone())).unwrap()
        };
        let one = (!lists.is_empty()).then(|| run(&[0]));
        for list in &lists {
            assert_eq!(one, Some(run(list)), "{n} {precision} {list:?}");
        }
    }
}

/// Two simulations at once in one process, each on a GPU of its own where there are two, have the bits of one after the
/// other.
#[test]
fn two_simulations_at_once_on_two_gpus() {
    let lists = sharing();
    if lists.is_empty() {
        return;
    }
    let second = usize::from(cuda::devices().len() > 1);
    let run = |gpu: usize, n: usize, precision: Precision| {
        let parameters = Parameters {
            dt: 1.0 / 1024.0,
            t_end: 200.0 / 1024.0,
            eps: Some(0.05),
            solver: SolverName::Auto,
            device: Device::Cuda,
            gpus: Gpus::of(&[gpu]).unwrap(),
            precision,
            ..Parameters::default()
        };
        let mut run = Simulation::start(cluster(n), parameters).unwrap();
        while !run.is_finished() {
            run.advance(50).unwrap();
        }
        run.with_snapshot(|last| Ok(last.clone())).unwrap()
    };
    let alone = [run(0, 9000, Precision::F32), run(second, 6000, Precision::F64)];
    let together = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(0, 9000, Precision::F32));
        let other = scope.spawn(|| run(second, 6000, Precision::F64));
        [first.join().unwrap(), other.join().unwrap()]
    });
    assert!(alone == together);
}

#[test]
fn lists_that_cannot_be() {
    let here = cuda::devices().len();
    for list in [vec![0; 9], vec![0, here]] {
        match Cuda::open_several(&list).unwrap_err() {
            Error::NoDevice { .. } => assert_eq!(here, 0),
            Error::Parameter { name, .. } => assert_eq!(name, "gpus"),
            other => panic!("{other}"),
        }
    }
}
