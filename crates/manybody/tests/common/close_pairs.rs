//! Runs of Hermite schemes without softening that move close pairs in one way or another.

use manybody::Snapshot;
use manybody::integrator::Pairs;
use manybody::simulation::{Parameters, Simulation};

/// The schemes that have such pairs, with the accuracy parameter that they usually have.
#[allow(dead_code)] // not in all of these tests
pub(crate) const SCHEMES: [(&str, f64); 2] = [("hermite4", 0.1), ("hermite6", 0.5)];

pub(crate) fn parameters(t_end: f64, pairs: Option<Pairs>) -> Parameters {
    parameters_of("hermite4", t_end, pairs)
}

pub(crate) fn parameters_of(scheme: &str, t_end: f64, pairs: Option<Pairs>) -> Parameters {
    let integrator = scheme.parse().unwrap();
    Parameters { dt: 1.0 / 64.0, t_end, eps: Some(0.0), audit: 0.0, integrator, pairs, ..Parameters::default() }
}

pub(crate) fn begin(start: &Snapshot, parameters: Parameters) -> Simulation {
    Simulation::start(start.clone(), parameters).unwrap()
}

/// Energy error, steps of bodies, and the run.
pub(crate) fn to_the_end(mut run: Simulation) -> (f64, u64, Simulation) {
    while !run.is_finished() {
        run.step().unwrap();
    }
    let error = run.drift().unwrap().energy.abs();
    (error, run.integrator().work().unwrap().body_steps, run)
}
