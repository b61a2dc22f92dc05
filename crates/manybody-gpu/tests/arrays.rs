//! Arrays in the memory of a GPU, rows of numbers between others: the bits of columns of the host.

#![allow(unsafe_code)] // addresses of the GPU
#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use cudarc::driver::{CudaContext, CudaStream, DevicePtr, DevicePtrMut};
use manybody::law::{Law, PairInputs, Targets};
use manybody::solver::{Device, ForceTerms, Forces, Gravity, Method, Precision, Softening, Solver, Summation};
use manybody::watch::Watch;
use manybody::{Bodies, Error};
use manybody_gpu::Pairs;
use manybody_gpu::arrays::{Column, ForceColumns, GravityArrays, Kind, LawArrays, Numbers, Queue, evaluate, forces};
use std::sync::Arc;

/// Numbers of a row of the arrays.
const WIDTH: usize = 9;

fn stream() -> Option<Arc<CudaStream>> {
    if !common::kinds().contains(&Device::Cuda) {
        return None;
    }
    Some(CudaContext::new(0).unwrap().default_stream())
}

/// Number k of rows at an address.
fn numbers(address: u64, k: usize) -> Numbers {
    Numbers { address: address + 8 * k as u64, stride: 8 * WIDTH as i64, kind: Kind::F64 }
}

fn rows(columns: &[&[f64]]) -> Vec<f64> {
    let n = columns.first().map_or(0, |column| column.len());
    (0..n).flat_map(|b| (0..WIDTH).map(move |k| columns.get(k).map_or(-7.0, |column| column[b]))).collect()
}

/// Rows on the GPU, what `compute` writes into as many rows of another array, and that array as columns.
fn on_the_gpu(
    stream: &Arc<CudaStream>,
    columns: &[&[f64]],
    results: usize,
    compute: impl FnOnce(&mut Queue, u64, u64) -> manybody::Result<()>,
) -> manybody::Result<Vec<Vec<f64>>> {
    let given = stream.clone_htod(&rows(columns)).unwrap();
    let mut made = stream.alloc_zeros::<f64>(given.len()).unwrap();
    let mut queue = Queue::open(0)?;
    // SAFETY: 1 is the default stream
    unsafe { queue.wait_for(1) }?;
    let (from, to) = (given.device_ptr(stream).0, made.device_ptr_mut(stream).0);
    compute(&mut queue, from, to)?;
    let made = stream.clone_dtoh(&made).unwrap();
    stream.synchronize().unwrap();
    assert!(made.chunks_exact(WIDTH).all(|row| row[results..].iter().all(|q| *q == 0.0)));
    Ok((0..results).map(|k| made.iter().skip(k).step_by(WIDTH).copied().collect()).collect())
}

fn cluster(n: usize) -> Bodies {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut bodies = Bodies::default();
    for k in 0..n {
        let x = [1e4 + next(), next() - 0.5, 3.0 * next()];
        bodies.push(if k % 5 == 4 { 0.0 } else { 0.5 + next() }, x, [next(), -next(), 0.5]);
    }
    bodies.eps = Some((0..n).map(|_| 0.05 + 0.1 * next()).collect());
    bodies
}

#[test]
fn laws_have_the_bits_of_columns_of_the_host() {
    let Some(stream) = stream() else { return };
    let text = "body x[3], q; d = j.x - i.x; r = norm(d); sum f = j.q * d / (r + 0.1)^2; count n = r < 0.3; min m = r; \
                self exclude";
    let law = Law::parse(text).unwrap();
    for n in [2, 7, 1000, 9001] {
        let bodies = cluster(n);
        let uniform = vec![2.5; n];
        for q in [&bodies.mass, &uniform] {
            let columns: [&[f64]; 4] = [&bodies.x, &bodies.y, &bodies.z, q];
            for precision in [Precision::F32, Precision::F64] {
                let want = manybody_gpu::evaluator(Device::Cuda, &[], &law, precision, Pairs::Once, None)
                    .unwrap()
                    .evaluate(&PairInputs::one(&columns, &[]))
                    .unwrap();
                let found = on_the_gpu(&stream, &columns, 5, |queue, from, to| {
                    let i = [0, 1, 2, 3].map(|k| Column::Each(numbers(from, k)));
                    let arrays = LawArrays { law: &law, i: &i, j: &i, parameters: &[], lens: (n, n), same: true };
                    let results = [0, 1, 2, 3, 4].map(|k| numbers(to, k));
                    // SAFETY: rows of these arrays, which live until the call has ended
                    unsafe { evaluate(queue, &arrays, precision, Pairs::Once, &Watch::default(), &results) }
                });
                assert_eq!(found.unwrap(), want, "{n} {precision}");
            }
        }
    }
}

#[test]
fn gravity_has_the_bits_of_columns_of_the_host() {
    let Some(stream) = stream() else { return };
    let targets: Vec<usize> = (0..500).map(|k| (7 * k + 3) % 1000).collect();
    let terms = ForceTerms { potential: true, jerk: true };
    let cases = [(1, None), (1000, None), (1000, Some(&targets)), (9001, None)];
    for ((n, list), softening) in cases.iter().flat_map(|case| Softening::ALL.map(|softening| (*case, softening))) {
        let gravity = Gravity::new(2.0, 0.0).softened(softening);
        let bodies = cluster(n);
        let eps = bodies.eps.clone().unwrap();
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = &bodies;
        let columns: [&[f64]; 8] = [x, y, z, mass, &eps, vx, vy, vz];
        for precision in [Precision::F32, Precision::Mixed, Precision::F64] {
            let method = Method::summed(Device::Cuda, precision, Summation::default()).solver("auto".parse().unwrap());
            let mut want = Forces::default();
            let all = list.map_or(Targets::All, |list| Targets::List(list));
            manybody_gpu::solver(&method).unwrap().forces_on(&bodies, &all, &gravity, terms, &mut want).unwrap();
            let found = on_the_gpu(&stream, &columns, 7, |queue, from, to| {
                let each = |k: usize| Column::Each(numbers(from, k));
                let arrays = GravityArrays {
                    n,
                    x: [0, 1, 2].map(each),
                    v: Some([5, 6, 7].map(each)),
                    m: each(3),
                    eps: each(4),
                    g: gravity.g,
                    softening: gravity.softening,
                    targets: list.map(Vec::as_slice),
                };
                let results = ForceColumns {
                    acceleration: [0, 1, 2].map(|k| numbers(to, k)),
                    potential: Some(numbers(to, 3)),
                    jerk: Some([4, 5, 6].map(|k| numbers(to, k))),
                };
                // SAFETY: rows of these arrays, which live until the call has ended
                unsafe { forces(queue, &arrays, &method, &Watch::default(), &results) }
            });
            let Forces { ax, ay, az, pot, jx, jy, jz } = &want;
            let count = list.map_or(n, Vec::len);
            for (found, want) in found.unwrap().iter().zip([ax, ay, az, pot, jx, jy, jz]) {
                assert_eq!(&found[..count], want.as_slice(), "{n} {precision}");
            }
        }
    }
}

#[test]
fn numbers_that_no_body_can_have_are_named() {
    let Some(stream) = stream() else { return };
    let mut bodies = cluster(700);
    bodies.y[612] = f64::NAN;
    let want = bodies.validate().unwrap_err().to_string();
    let (eps, method) =
        (bodies.eps.clone().unwrap(), Method::summed(Device::Cuda, Precision::F32, Summation::default()));
    let columns: [&[f64]; 5] = [&bodies.x, &bodies.y, &bodies.z, &bodies.mass, &eps];
    let found = on_the_gpu(&stream, &columns, 3, |queue, from, to| {
        let each = |k: usize| Column::Each(numbers(from, k));
        let (x, m, eps) = ([0, 1, 2].map(each), each(3), each(4));
        let softening = Softening::Plummer;
        let arrays = GravityArrays { n: 700, x, v: None, m, eps, g: 1.0, softening, targets: None };
        let acceleration = [0, 1, 2].map(|k| numbers(to, k));
        let results = ForceColumns { acceleration, potential: None, jerk: None };
        // SAFETY: rows of these arrays, which live until the call has ended
        unsafe { forces(queue, &arrays, &method, &Watch::default(), &results) }
    });
    let found: Error = found.unwrap_err();
    assert_eq!(found.to_string(), want);
}
