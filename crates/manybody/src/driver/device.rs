//! The choice of the device, and defaults that depend on it.

use crate::solver::{Device, DeviceChoice, Precision};

/// Fewer bodies than this are left to the CPU where the choice is open: a GPU has nothing to do in the time it takes to ask
/// it.
const MIN_BODIES_ON_GPU: usize = 1024;

/// The kind of device for a choice. [`DeviceChoice::Auto`] takes the fastest that is here: a GPU with CUDA, else one with
/// wgpu if f64 is not asked for, else the CPU. A kind that was asked for is taken, or is an error when it is first used.
pub fn choose(choice: DeviceChoice, precision: Precision, bodies: usize) -> Device {
    match choice {
        DeviceChoice::Device(kind) => kind,
        DeviceChoice::Auto if bodies < MIN_BODIES_ON_GPU => Device::Cpu,
        DeviceChoice::Auto => fastest(precision),
    }
}

#[cfg(feature = "gpu")]
fn fastest(precision: Precision) -> Device {
    if manybody_gpu::cuda::is_here() {
        Device::Cuda
    } else if precision != Precision::F64 && manybody_gpu::wgpu::is_here() {
        Device::Wgpu
    } else {
        Device::Cpu
    }
}

#[cfg(not(feature = "gpu"))]
fn fastest(_: Precision) -> Device {
    Device::Cpu
}

/// The share of bodies that is audited where nothing is said: on a GPU, whose speed the auditing CPU has not, a tenth.
pub fn default_audit(device: Device) -> f64 {
    if device == Device::Cpu { 1e-3 } else { 1e-4 }
}

/// Whether an audit takes less than 1 % of the time of so many evaluations. On the CPU it does by the size of its sample; where
/// bodies live on a GPU, they must be fetched for it, and their forces computed once more. An H200 makes
/// 2.5e12 interactions/s in f32 and half of it in f64, and 330,000 steps/s at most; fetching takes about 0.1 us a body.
pub(super) fn audit_is_cheap(device: Device, precision: Precision, n: usize, evaluations: f64) -> bool {
    let n = n as f64;
    let evaluation = n * n * if precision == Precision::F64 { 8e-13 } else { 4e-13 };
    let audit = 5e-4 + 1e-7 * n + evaluation;
    device == Device::Cpu || audit <= 0.01 * evaluations * evaluation.max(3e-6)
}
