//! Small systems wake no thread. Alone in its file: other tests of a process have threads of their own.

#![cfg(target_os = "linux")]

use manybody::ic::{self, Request};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::Precision;

#[test]
fn a_run_of_few_bodies_stays_on_its_thread() {
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
    for (ic, n) in [("solar-system", None), ("plummer", Some(256))] {
        for (solver, precision) in [
            ("symmetric", Precision::F64),
            ("symmetric", Precision::F32),
            ("direct", Precision::F64),
            ("direct", Precision::Mixed),
        ] {
            let start = ic::by_name(ic, &Request { n, ..Request::new(2, 1) }).unwrap();
            let t_end = start.time + 0.25;
            let parameters = Parameters {
                dt: 1.0 / 64.0,
                t_end,
                eps: Some(1.0 / 64.0),
                solver: solver.parse().unwrap(),
                precision,
                ..Parameters::default()
            };
            let mut run = Simulation::start(start, parameters).unwrap();
            while !run.is_finished() {
                run.advance(5).unwrap();
                run.check_and_measure().unwrap();
                run.audit().unwrap();
            }
        }
    }
    assert_eq!(threads(), before, "other threads were started");
}
