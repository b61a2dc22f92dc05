//! The devices that tests run on.

#![allow(clippy::print_stdout)] // what is skipped is said
#![allow(dead_code)] // each test file uses its part

use manybody::Error;
use manybody::solver::{Device, Gpus, Method, Precision, Summation};
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
