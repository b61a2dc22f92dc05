//! The devices that tests run on.

#![allow(clippy::print_stdout)] // what is skipped is said

use manybody::Error;
use manybody::solver::Device;
use manybody_gpu::compute::Gpu;

/// The devices that are here; the others are told.
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
