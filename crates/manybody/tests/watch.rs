//! A run is interrupted inside a step, stands where the step began, and goes on to the same bytes.

use manybody::ic::{self, Request};
use manybody::law::{Law, PairInputs};
use manybody::simd::Level;
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Interpreter, Precision, Summation};
use manybody::watch::Watch;
use manybody::{Error, Snapshot};

fn keep(run: &mut Simulation) -> Snapshot {
    run.with_snapshot(|s| Ok(s.clone())).unwrap()
}

fn finish(mut run: Simulation) -> Snapshot {
    while !run.is_finished() {
        run.advance(100).unwrap();
    }
    keep(&mut run)
}

#[test]
fn a_run_interrupted_inside_a_step_stands_where_the_step_began() {
    use Precision::{F32, F64, Mixed};
    for (solver, massless, integrator, precision, sum) in [
        ("symmetric", 0, "leapfrog", F64, Summation::default()),
        ("direct", 0, "leapfrog-dkd", F64, Summation::default()),
        ("symmetric", 700, "yoshida4", F64, Summation::default()),
        ("direct", 0, "leapfrog", Mixed, Summation::default()),
        ("direct", 0, "leapfrog", F32, Summation::Compensated),
        ("reference", 0, "leapfrog", F64, Summation::default()),
    ] {
        let mut start = ic::by_name("plummer", &Request::new(1000, 5)).unwrap();
        start.bodies.mass[..massless].fill(0.0);
        let parameters = Parameters {
            dt: 1.0 / 64.0,
            t_end: 0.125,
            solver: solver.parse().unwrap(),
            integrator: integrator.parse().unwrap(),
            precision,
            sum,
            ..Parameters::default()
        };
        let whole = finish(Simulation::start(start.clone(), parameters.clone()).unwrap());
        let mut other = Simulation::start(start.clone(), parameters.clone()).unwrap();
        other.advance(3).unwrap();

        // every evaluation is long enough for this watch, which may not end the first
        let watch = Watch::of(1);
        let mut run = Simulation::start_watched(start, parameters, &watch).unwrap();
        assert_eq!((run.advance(3).unwrap(), watch.share()), (3, None));
        watch.stop();
        assert!(matches!(run.advance(3), Err(Error::Interrupted)), "{solver}");
        assert_eq!(run.clock().step(), 3);
        assert!(run.measure().is_ok(), "nothing but a step is ended");
        let kept = keep(&mut run);
        assert!(kept == keep(&mut other), "{solver}, {integrator}");
        let again = Simulation::resume(kept.clone(), Parameters::from_snapshot(&kept).unwrap()).unwrap();
        assert!(finish(again) == whole, "{solver}, {integrator}");
    }
}

#[test]
fn a_law_is_ended_where_that_is_asked_for() {
    let law = Law::parse("body x[3]; d = j.x - i.x; sum p = 1 / norm(d); self exclude").unwrap();
    let columns: Vec<Vec<f64>> = (1..4).map(|k| (0..500).map(|b| f64::from(b * k % 101)).collect()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let inputs = PairInputs::one(&columns, &[]);
    for precision in [Precision::F32, Precision::F64] {
        let plain = Interpreter::new(&law, Level::best(), precision);
        let watch = Watch::of(1);
        let watched = plain.clone().watched(&watch);
        watch.stop();
        // asked, but not allowed
        assert_eq!(watched.evaluate(&inputs).unwrap(), plain.evaluate(&inputs).unwrap());
        watch.hear(true);
        assert!(matches!(watched.evaluate(&inputs), Err(Error::Interrupted)));
        assert!(plain.evaluate(&inputs).is_ok());
    }
}
