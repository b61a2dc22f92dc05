//! Ranks as threads of one process: every solver and evaluator, shared by 1 to 64, has the bits of one process.

use manybody::driver::Driver;
use manybody::law::{Law, PairInputs, Targets};
use manybody::pairs::{Bins, Points};
use manybody::ranks::{Team, pairs_between, pairs_within, serve, threads};
use manybody::settings::Settings;
use manybody::simd::Level;
use manybody::solver::{
    self, Derivatives, Device, Expansion, ForceTerms, Forces, Gravity, Method, Precision, SolverName, Summation,
};
use manybody::watch::Watch;
use manybody::{Bodies, Error, ic};

/// What rank 0 of so many returns, and how often the last one took part in something.
fn on_ranks<R: Send>(ranks: usize, work: impl FnOnce() -> R + Send) -> (R, u64) {
    on_ranks_of(1, ranks, work)
}

/// The same for ranks of several threads.
fn on_ranks_of<R: Send>(threads: usize, ranks: usize, work: impl FnOnce() -> R + Send) -> (R, u64) {
    let mut teams = threads::teams(ranks);
    let root = teams.remove(0);
    std::thread::scope(|scope| {
        let others: Vec<_> = teams
            .into_iter()
            .map(|team| {
                scope.spawn(move || {
                    assert_eq!(alone(threads, || serve(&team)).unwrap(), 7);
                    team.next_tag()
                })
            })
            .collect();
        let done = alone(threads, || root.install(work));
        root.leave(7, "");
        (done, others.into_iter().map(|other| other.join().unwrap()).last().unwrap_or(0))
    })
}

/// On threads of its own, as a process: ranks of one process would wait for each other's threads.
fn alone<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

const GRAVITY: Gravity = Gravity::new(1.0, 0.02);
const POTENTIAL: ForceTerms = ForceTerms { potential: true, jerk: false };

fn bodies(n: usize) -> Bodies {
    ic::by_name("plummer", &ic::Request::new(n, 5)).unwrap().bodies
}

fn forces(bodies: &Bodies, targets: &Targets<'_>, terms: ForceTerms, method: &Method) -> Forces {
    let mut out = Forces::default();
    let mut solver = solver::of(method).unwrap();
    // twice, since the second time only what has changed is sent
    for _ in 0..2 {
        solver.forces_on(bodies, targets, &GRAVITY, terms, &mut out).unwrap();
    }
    out
}

fn methods() -> Vec<Method> {
    let method = |solver, precision, sum| Method { solver, precision, sum, ..Method::default() };
    let own = Summation::default();
    let expansion = Expansion { tolerance: Some(1e-4), ..Expansion::default() };
    vec![
        method(SolverName::Symmetric, Precision::F64, own),
        method(SolverName::Symmetric, Precision::F32, own),
        method(SolverName::Direct, Precision::F64, own),
        method(SolverName::Direct, Precision::F32, own),
        method(SolverName::Direct, Precision::Mixed, own),
        method(SolverName::Direct, Precision::F32, Summation::Pairwise),
        method(SolverName::Direct, Precision::F32, Summation::Fixed),
        Method { expansion, ..method(SolverName::Fmm, Precision::F64, own) },
        Method { expansion, ..method(SolverName::Tree, Precision::F32, own) },
    ]
}

#[test]
fn every_solver_shares_and_has_the_same_bits() {
    let mut bodies = bodies(1500);
    bodies.mass.iter_mut().step_by(7).for_each(|mass| *mass = 0.0);
    for method in methods() {
        let one = forces(&bodies, &Targets::All, POTENTIAL, &method);
        for ranks in [1, 2, 3, 4] {
            let (found, shared) = on_ranks(ranks, || forces(&bodies, &Targets::All, POTENTIAL, &method));
            assert!(found == one, "{method:?} on {ranks} ranks");
            // two jobs, and a gathering in each
            assert_eq!(shared >= 4, ranks > 1, "{method:?} on {ranks} ranks: {shared}");
        }
    }
}

#[test]
fn sixty_four_ranks_share_few_bodies() {
    for n in [600, 1025, 5000] {
        let bodies = bodies(n);
        for method in methods() {
            let one = forces(&bodies, &Targets::All, ForceTerms::default(), &method);
            let (found, shared) = on_ranks(64, || forces(&bodies, &Targets::All, ForceTerms::default(), &method));
            assert!(found == one && shared >= 4, "{n} bodies, {method:?}: {shared}");
        }
    }
}

/// Every kind of tile: one, some, an odd number, those with a part that is empty; at every level of vectors.
#[test]
fn tiles_of_every_number_have_the_same_bits() {
    for n in [520, 769, 1024, 4097, 9000, 20_000] {
        let bodies = bodies(n);
        // parts of tiles are those of large systems, which take long without vectors
        for level in Level::available().into_iter().filter(|level| n < 4000 || *level == Level::best()) {
            let method = Method { level: Some(level), ..Method::on(solver::Device::Cpu, Precision::F32) };
            let one = forces(&bodies, &Targets::All, POTENTIAL, &method);
            for ranks in [2, 5] {
                let (found, _) = on_ranks(ranks, || forces(&bodies, &Targets::All, POTENTIAL, &method));
                assert!(found == one, "{n} bodies on {ranks} ranks, {}", level.name());
            }
        }
    }
}

/// Threads of a rank finish their tasks in any order.
#[test]
fn ranks_of_several_threads_have_the_same_bits() {
    for n in [1500, 5000] {
        let bodies = bodies(n);
        for precision in [Precision::F64, Precision::F32] {
            let method = Method { precision, ..Method::default() };
            let one = forces(&bodies, &Targets::All, POTENTIAL, &method);
            for (threads, ranks) in [(3, 2), (2, 4)] {
                for _ in 0..3 {
                    let (found, _) = on_ranks_of(threads, ranks, || forces(&bodies, &Targets::All, POTENTIAL, &method));
                    assert!(found == one, "{n} bodies, {precision}, {ranks} ranks of {threads} threads");
                }
            }
        }
    }
}

#[test]
fn targets_jerks_and_snaps_have_the_same_bits() {
    let mut bodies = bodies(2000);
    bodies.eps = Some((0..2000).map(|k| 0.01 * f64::from(k % 4 + 1)).collect());
    let list: Vec<usize> = (0..2000).step_by(3).collect();
    let jerk = ForceTerms { potential: true, jerk: true };
    let method = Method::default();
    for (targets, terms) in [(Targets::List(&list), jerk), (Targets::Range(100..900), POTENTIAL), (Targets::All, jerk)]
    {
        let one = forces(&bodies, &targets, terms, &method);
        let (found, shared) = on_ranks(3, || forces(&bodies, &targets, terms, &method));
        assert!(found == one && shared >= 4, "{targets:?}");
    }
    let accelerations = [&bodies.x[..], &bodies.y[..], &bodies.z[..]];
    let cases = [
        (None, Precision::F64),
        (Some(accelerations), Precision::F64),
        (None, Precision::F32),
        (None, Precision::Mixed),
        (Some(accelerations), Precision::Mixed),
    ];
    for (snaps, precision) in cases {
        let method = Method::on(Device::Cpu, precision);
        let derivatives = || {
            let mut out = Derivatives::default();
            let mut solver = solver::of(&method).unwrap();
            solver.derivatives_on(&bodies, snaps, &list, &GRAVITY, &mut out).unwrap();
            out
        };
        let one = derivatives();
        let (found, shared) = on_ranks(4, derivatives);
        assert!(found == one && shared >= 2, "snaps {}", snaps.is_some());
    }
}

#[test]
fn laws_have_the_same_bits() {
    let bodies = bodies(1300);
    let columns: [&[f64]; 4] = [&bodies.x, &bodies.y, &bodies.z, &bodies.mass];
    let text = "body x[3], m; param e = 0.1; d = j.x - i.x; r2 = dot(d, d) + e; sum a[3] = j.m * d / (r2 * sqrt(r2));
                min near = r2; logsumexp z = -r2; count few = r2 < 0.5; self exclude";
    for precision in [Precision::F64, Precision::F32] {
        let method = Method { precision, ..Method::default() };
        let law = Law::by_name_or_text(text).unwrap();
        let evaluate = |law: &Law| {
            let mut evaluator = solver::evaluator(&method, law).unwrap();
            let all = evaluator.evaluate(&PairInputs::one(&columns, &[0.1])).unwrap();
            let few = evaluator.evaluate_at(&PairInputs::one(&columns, &[0.1]), &Targets::Range(300..800)).unwrap();
            let halves = columns.map(|column| &column[..650]);
            let two = evaluator.evaluate(&PairInputs::two(&halves, &columns, &[0.2])).unwrap();
            [all, few, two]
        };
        let one = evaluate(&law);
        for ranks in [2, 3] {
            let (found, shared) = on_ranks(ranks, || evaluate(&law));
            assert!(found == one && shared >= 6, "{precision} on {ranks} ranks: {shared}");
        }
        // one without a source is rank 0's alone
        let named = law.clone().named("another");
        let (found, shared) = on_ranks(2, || evaluate(&named));
        assert!(found == one && shared <= 1, "{shared}");
    }
}

#[test]
fn histograms_of_pairs_have_the_same_bits() {
    let bodies = bodies(2500);
    let points = Points::from_columns(&[&bodies.x, &bodies.y, &bodies.z]).unwrap();
    let single: Vec<Vec<f32>> = [&bodies.x, &bodies.y].map(|x| x.iter().map(|x| *x as f32).collect()).into();
    let flat = Points::<f32>::from_columns(&[&single[0], &single[1]]).unwrap();
    let few = Points::from_columns(&[&bodies.vx[..2000], &bodies.vy[..2000], &bodies.vz[..2000]]).unwrap();
    let weights: Vec<f64> = (0..2500).map(|k| 0.1 * f64::from(k % 13 + 1)).collect();
    let bins = Bins::logarithmic(0.01, 2.0, 20).unwrap();
    let boxed = bins.clone().periodic(&[20.0, 20.0]).unwrap();
    let count = || {
        let watch = Watch::default();
        let both = Some((&weights[..], &weights[..2000]));
        [
            pairs_within(&points, None, &bins, &watch).unwrap(),
            pairs_within(&points, Some(&weights), &bins, &watch).unwrap(),
            pairs_within(&flat, Some(&weights), &boxed, &watch).unwrap(),
            pairs_between(&points, &few, both, &bins, &watch).unwrap(),
        ]
    };
    let one = count();
    assert!(one.iter().all(|one| one.counts.iter().sum::<u64>() > 1000));
    for ranks in [1, 2, 3, 64] {
        let (found, shared) = on_ranks(ranks, count);
        assert!(found == one, "{ranks} ranks");
        assert_eq!(shared >= 8, ranks > 1, "{ranks} ranks: {shared}");
    }
}

#[test]
fn few_bodies_are_computed_by_rank_0_alone() {
    let bodies = bodies(200);
    let one = forces(&bodies, &Targets::All, POTENTIAL, &Method::default());
    let (found, shared) = on_ranks(3, || forces(&bodies, &Targets::All, POTENTIAL, &Method::default()));
    // the broadcast that was waited for
    assert!(found == one && shared == 1, "{shared}");
}

/// A program that does not join ranks is not one of them, whatever its settings.
#[test]
fn ranks_that_were_not_joined_are_refused() {
    let settings = Settings { ranks: Some(2), rank: Some(0), n: Some(100), ..Settings::default() };
    let error = Driver::new(settings).run().unwrap_err().to_string();
    assert!(error.starts_with("ranks = 2: ") && error.contains("manybody::ranks::join"), "{error}");
}

#[test]
fn expansions_on_gpus_are_refused() {
    let method = Method::on(solver::Device::Cuda, Precision::F32).solver(SolverName::Fmm);
    let (error, _) = on_ranks(2, || solver::of(&method).map(drop).unwrap_err());
    // without the feature, and without a GPU, for other reasons
    assert!(matches!(error, Error::NoDevice { .. } | Error::Unsupported { .. }), "{error}");
}

#[test]
fn a_rank_that_is_gone_is_an_error_and_names_it() {
    let mut teams = threads::teams(3);
    let (root, one) = (teams.remove(0), teams.remove(0));
    std::thread::scope(|scope| {
        let other = scope.spawn(move || serve(&one));
        drop(teams);
        let bodies = bodies(1500);
        let found = alone(1, || root.install(|| solver::forces(&bodies, &GRAVITY, &Method::default()))).unwrap_err();
        assert!(matches!(found, Error::Rank { rank: 2, .. }), "{found}");
        root.leave(1, &found.to_string());
        // as rank 0 ends, so does this one
        assert_eq!(other.join().unwrap().unwrap(), 1);
    });
}

#[test]
fn what_stops_an_evaluation_leaves_rank_0_alone_and_right() {
    let bodies = bodies(3000);
    let one = forces(&bodies, &Targets::All, POTENTIAL, &Method::default());
    let (found, _) = on_ranks(3, || {
        let watch = Watch::of(1);
        let mut solver = solver::of(&Method::default()).unwrap();
        solver.watch(&watch);
        watch.hear(true);
        watch.stop();
        let mut out = Forces::default();
        let error = solver.forces(&bodies, &GRAVITY, POTENTIAL, &mut out).unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{error}");
        watch.hear(false);
        solver.forces(&bodies, &GRAVITY, POTENTIAL, &mut out).unwrap();
        assert!(Team::current().unwrap().check().is_ok());
        out
    });
    assert!(found == one);
}
