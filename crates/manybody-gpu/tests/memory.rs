//! A GPU without room. The test has a process of its own: while it takes all memory, other tests would find no room.

#![allow(clippy::print_stdout)] // what is skipped is said

use manybody::law::{Law, PairInputs};
use manybody::solver::{self, Device, Method, Precision};
use manybody_gpu::arrays::{Memory, Queue};

/// With the memory taken by others there is an error that says so; with the memory back, the same evaluator goes on.
#[test]
fn out_of_memory_is_an_error_and_no_loss() {
    let queue = match Queue::open(0) {
        Ok(queue) => queue,
        Err(error) => return println!("skipped: {error}"),
    };
    let n = 2_000_000;
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    let columns: [&[f64]; 4] = [&x, &x, &x, &x];
    let inputs = PairInputs::one(&columns, &[0.1]);
    let law = Law::parse("body x[3], m; param eps2; d = j.x - i.x; sum p = j.m / sqrt(dot(d, d) + eps2)").unwrap();
    let mut evaluator = solver::evaluator(&Method::on(Device::Cuda, Precision::F32), &law).unwrap();
    let mut taken = Vec::new();
    for shift in (24..40).rev() {
        while let Ok(some) = Memory::new(&queue, 1 << shift) {
            taken.push(some);
        }
    }
    let error = evaluator.load(&inputs).unwrap_err().to_string();
    assert!(error.contains("out of memory") && error.contains("fewer bodies"), "{error}");
    drop(taken);
    evaluator.load(&inputs).unwrap();
}
