//! GPU devices for manybody: any law, one-sided or mirrored, through CUDA or wgpu.
//!
//! ```text
//! Law --lower--> Program --emit--> text of the pair      prelude + law + traversal --NVRTC / naga--> kernels
//! PairInputs (columns) --pack--> records --kernels--> slots --gather--> sums in f64 --finish--> columns of results
//! ```
//!
//! A kernel is never written for a law or a number type: [`emit`] prints the law, the traversals in `kernels/` do not
//! depend on it. No kernel uses float atomics: every partial sum has a slot of its own, and slots are added in a fixed
//! order, so results are the same bits every time.

pub mod collisions;
pub mod compute;
pub mod correlation;
pub mod cuda;
pub mod distances;
pub mod emit;
mod expansions;
pub mod figure5;
mod finish;
mod gravity;
pub mod kernel_config;
mod law_boxes;
mod load;
#[doc(hidden)] // for tests and reproductions of this library
pub mod look_up;
pub mod maps;
mod rows;
mod snaps;
pub mod tetrahedral;
pub mod triangular;
mod uniform;
pub mod wgpu;

pub use cuda::{arrays, particles};
pub use expansions::{DeviceExpansions, LawExpansions, expansions, law_expansions};
pub use gravity::{DeviceGravity, solver};
pub use law_boxes::law_boxes;

use manybody_law::law::Law;
use manybody_law::{Device, Error, Result};
pub use manybody_pairwise::{Evaluator, KernelConfig};
use manybody_pairwise::{Precision, Summation};

/// A number type of points that go to a device as they are: f32 or f64.
pub trait Number: manybody_pairs::Float + bytemuck::Pod {}
impl Number for f32 {}
impl Number for f64 {}

/// Which pairs a kernel evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pairs {
    /// Every ordered pair, one side at a time: `direct`.
    Ordered,
    /// Every pair once, both bodies served: `symmetric`. One set of bodies, of one kind.
    Once,
}

/// A device that can be computed on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// What it is used through.
    pub device: Device,
    /// Its number among those of its kind, from 0.
    pub index: usize,
    /// What its maker calls it.
    pub name: String,
    /// Bytes of its memory, if the driver reports them.
    pub memory: Option<u64>,
    /// Driver and version.
    pub driver: String,
    /// What it can do, and its limits, in words.
    pub abilities: Vec<String>,
    /// True for one that computes on the CPU.
    pub is_software: bool,
}

/// All devices that are here.
pub fn devices() -> Vec<DeviceInfo> {
    let mut all = cuda::devices();
    all.extend(wgpu::devices());
    all
}

/// The kinds of device that are not among `found`, with how to get them.
pub fn missing(found: &[DeviceInfo]) -> Vec<(Device, String)> {
    let all = [(Device::Cuda, cuda::HOW), (Device::Wgpu, wgpu::HOW)];
    let lacks = |device: Device| found.iter().all(|info| info.device != device);
    all.into_iter().filter(|(device, _)| lacks(*device)).map(|(device, how)| (device, how.into())).collect()
}

/// A law on GPUs: on those of CUDA with these `ordinals`, which share every evaluation, or on the first one if there
/// are no ordinals. With a summation, terms are added in that way, one-sided, and results are sums; `F64` sums on wgpu,
/// which has no f64, are two f32 (48 bits).
///
/// # Errors
/// [`Error::NoDevice`] if the device is not here, with how to get it; [`Error::Unknown`] for the CPU; [`Error::Parameter`] for
/// f64 on wgpu, for [`Pairs::Once`] for a law whose bodies are of two kinds, and for a summation of f64 terms or of results
/// that are no sums.
pub fn evaluator(
    device: Device,
    ordinals: &[usize],
    law: &Law,
    precision: Precision,
    pairs: Pairs,
    sum: Option<Summation>,
) -> Result<Box<dyn Evaluator>> {
    evaluator_in_shape(device, ordinals, law, precision, (pairs, None, sum))
}

/// The error for a request to GPUs that only the CPU can serve.
pub(crate) fn no_gpu(device: Device) -> Error {
    Error::Unknown { what: "GPU", name: device.name().into(), known: "cuda, wgpu".into() }
}

/// Numbers of a body and of its results that a law may have on a GPU: as many as a thread has registers there. Wider laws
/// would live in memory, and compilers take minutes over them.
const MAX_NUMBERS: usize = 256;

fn refuse_too_wide(law: &Law) -> Result<()> {
    let (numbers, results) = (emit::numbers(law.body()).max(emit::numbers(law.partner())), law.cells().len());
    if numbers + results <= MAX_NUMBERS {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "law",
        value: law.name().to_string(),
        expected: format!(
            "a body has {numbers} numbers and {results} results, and a GPU takes {MAX_NUMBERS} in all; --device cpu takes more"
        ),
    })
}

/// Refuses laws that GPUs do not compute, and pairs that a law does not have.
pub(crate) fn check_law(law: &Law, pairs: Pairs) -> Result<()> {
    refuse_too_wide(law)?;
    if pairs == Pairs::Once {
        law.mirrored()?;
    }
    Ok(())
}

/// The same; with a shape, in that and not in the one found best.
pub(crate) fn evaluator_in_shape(
    device: Device,
    ordinals: &[usize],
    law: &Law,
    precision: Precision,
    (pairs, shape, sum): (Pairs, Option<KernelConfig>, Option<Summation>),
) -> Result<Box<dyn Evaluator>> {
    check_law(law, pairs)?;
    match device {
        Device::Cuda => cuda::evaluator(cuda::Cuda::open_several(ordinals)?, law, precision, pairs, shape, sum),
        Device::Wgpu => wgpu::evaluator(law, precision, pairs, shape, sum),
        Device::Cpu => Err(no_gpu(device)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_too_wide_are_refused_before_a_compiler_sees_them() {
        let refused = |text: &str, device: Device| {
            let error = evaluator(device, &[], &Law::parse(text).unwrap(), Precision::F32, Pairs::Once, None).err();
            error.filter(|error| matches!(error, Error::Parameter { name: "law", .. })).map(|error| error.to_string())
        };
        let wide = "body u[64], v[64], w[64]; sum a = i.u * j.v; sum b = i.w * j.v; sum c = j.w[0]";
        for device in [Device::Cuda, Device::Wgpu] {
            let error = refused(wide, device).unwrap();
            assert!(error.contains("192 numbers and 129 results") && error.contains("--device cpu"), "{error}");
        }
        assert_eq!(refused("body u[64], v[64], w[64]; sum a = i.u * j.v + j.w", Device::Cpu), None);
    }
}
