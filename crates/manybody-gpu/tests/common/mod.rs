//! The devices that tests run on, and runs on them.

#![allow(clippy::print_stdout)] // what is skipped is said
#![allow(dead_code)] // each test file uses its part

use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Device, Gpus, Method, Precision, SolverName, Summation};
use manybody::{Error, Snapshot};
use manybody_gpu::DeviceGravity;
use manybody_gpu::compute::Gpu;

/// The devices that are here; for the others, a line is printed.
pub(crate) fn devices() -> Vec<Gpu> {
    let open = |name| match Gpu::open(name) {
        Ok(gpu) => Some(gpu),
        Err(Error::NoDevice { how, .. }) => {
            println!("skipped: device {name}: {how}");
            None
        }
        Err(other) => panic!("{name}: {other}"),
    };
    [Device::Cuda, Device::Wgpu].into_iter().filter_map(open).collect()
}

/// The kinds of the devices that are here.
pub(crate) fn kinds() -> Vec<Device> {
    devices().iter().map(Gpu::device).collect()
}

/// The solver of gravity of that name on GPUs.
pub(crate) fn solver(
    device: Device,
    ordinals: &[usize],
    name: &str,
    precision: Precision,
    sum: Summation,
) -> manybody::Result<DeviceGravity> {
    let method = Method::summed(device, precision, sum).solver(name.parse()?).gpus(Gpus::of(ordinals)?);
    manybody_gpu::solver(&method)
}

/// A run of so many steps of 1/256, with the solver that is the default there.
pub(crate) fn parameters(device: Device, precision: Precision, sum: Summation, steps: u32) -> Parameters {
    Parameters {
        dt: 1.0 / 256.0,
        t_end: f64::from(steps) / 256.0,
        eps: Some(1.0 / 16.0),
        solver: SolverName::default_on(device, precision, sum),
        device,
        precision,
        sum,
        snapshot_every: None,
        ..Parameters::default()
    }
}

/// The last snapshot of a run that makes `chunk` steps at a time.
pub(crate) fn finish(mut run: Simulation, chunk: u64) -> Snapshot {
    while !run.is_finished() {
        run.advance(chunk).unwrap();
    }
    run.with_snapshot(|last| Ok(last.clone())).unwrap()
}
