//! The choice of the device, and defaults that depend on it.

use crate::Bodies;
use crate::ranks::{self, Team};
use crate::rates::{self, MIN_BODIES_ON_GPU};
use crate::simulation::Parameters;
use crate::solver::{Device, DeviceChoice, HermiteOrder, Method, Precision};
use manybody_tree::Accuracy;

/// The kind of device for a choice. [`DeviceChoice::Auto`] takes the fastest that is here: a GPU with CUDA, else one with
/// wgpu if the precision is not f64, else the CPU. [Ranks](crate::ranks) take CUDA where each has a GPU of its own and NCCL, else
/// the CPU; the first call asks all of them. A kind that is named is taken, or is an error when it is first used.
pub fn choose(choice: DeviceChoice, precision: Precision, bodies: usize) -> Device {
    match choice {
        DeviceChoice::Device(kind) => kind,
        DeviceChoice::Auto if bodies < MIN_BODIES_ON_GPU => Device::Cpu,
        DeviceChoice::Auto => match (Team::current(), fastest(precision)) {
            (None, found) => found,
            (Some(team), Device::Cuda) if ranks::gpus::obstacle(&team).is_none() => Device::Cuda,
            (Some(_), _) => Device::Cpu,
        },
    }
}

/// Why ranks compute on the CPU where the device is left open, although there is a GPU.
pub(super) fn passed_over(choice: DeviceChoice, precision: Precision, bodies: usize) -> Option<String> {
    let is_open = choice == DeviceChoice::Auto && bodies >= MIN_BODIES_ON_GPU;
    let team = Team::current().filter(|_| is_open)?;
    match fastest(precision) {
        Device::Cpu => None,
        Device::Wgpu => Some("--device wgpu --solver direct shares all pairs among their GPUs".into()),
        Device::Cuda => ranks::gpus::obstacle(&team).map(|why| format!("not all have a GPU with NCCL: {why}")),
    }
}

/// What of bodies decides where their forces are computed: `From` their number, or from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemSize {
    /// How many there are.
    pub bodies: usize,
    /// How many different softenings they have, counted up to [`MANY_SOFTENINGS`]; 0 where one is for all.
    pub own_softenings: usize,
    /// Whether forces have Plummer's softening, as far as that is known: far expansions are not harmonic then.
    pub is_softened: bool,
}

/// So many different softenings are as good as one for each body.
pub const MANY_SOFTENINGS: usize = 7;

impl From<usize> for ProblemSize {
    fn from(bodies: usize) -> Self {
        ProblemSize { bodies, own_softenings: 0, is_softened: false }
    }
}

impl From<&Bodies> for ProblemSize {
    fn from(bodies: &Bodies) -> Self {
        let mut found = Vec::new();
        for eps in bodies.eps.iter().flatten() {
            if found.len() == MANY_SOFTENINGS {
                break;
            }
            if !found.contains(eps) {
                found.push(*eps);
            }
        }
        ProblemSize { bodies: bodies.len(), own_softenings: found.len(), is_softened: bodies.eps.is_some() }
    }
}

/// [`choose`] for a method by the solvers tree and fmm: where the device is left open, one that has its precision and accuracy,
/// and room for the bodies.
pub fn choose_by_expansion(choice: DeviceChoice, method: &Method, size: ProblemSize) -> Device {
    let device = choose(choice, method.precision, size.bodies);
    let has_it = device.is_gpu() && has_expansions(&Method { device, ..method.clone() }, size);
    if choice == DeviceChoice::Auto && !has_it { Device::Cpu } else { device }
}

/// Whether the device of a method by the solvers tree and fmm has its precision and accuracy, and room for the bodies.
pub(super) fn has_expansions(method: &Method, size: ProblemSize) -> bool {
    let Ok(accuracy) = Accuracy::of(method) else { return false };
    match (method.precision, method.device) {
        (Precision::F64, Device::Wgpu) => false,
        (_, Device::Wgpu) => wgpu_has_expansions(size.bodies, accuracy.order, size.own_softenings > 0),
        _ => true,
    }
}

/// Whether the CUDA device of a run makes all blocks of a scheme of so many bodies by itself.
#[cfg(feature = "gpu")]
pub(super) fn has_blocks(parameters: &Parameters, order: HermiteOrder, n: usize) -> bool {
    manybody_gpu::cuda::has_blocks(parameters.gpus.ordinals(), order, parameters.precision, n).unwrap_or(false)
}

#[cfg(not(feature = "gpu"))]
pub(super) fn has_blocks(_: &Parameters, _: HermiteOrder, _: usize) -> bool {
    false
}

#[cfg(feature = "gpu")]
use manybody_gpu::wgpu::has_expansions as wgpu_has_expansions;

#[cfg(not(feature = "gpu"))]
fn wgpu_has_expansions(_: usize, _: usize, _: bool) -> bool {
    false
}

/// Each device is looked for once: without a driver that takes 0.7 ms, three times the forces of 1,024 bodies.
#[cfg(feature = "gpu")]
fn fastest(precision: Precision) -> Device {
    use std::sync::OnceLock;
    static CUDA: OnceLock<bool> = OnceLock::new();
    static WGPU: OnceLock<bool> = OnceLock::new();
    if *CUDA.get_or_init(manybody_gpu::cuda::is_here) {
        Device::Cuda
    } else if precision != Precision::F64 && *WGPU.get_or_init(manybody_gpu::wgpu::is_here) {
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

/// Whether an audit takes less than 1 % of the time of so many evaluations, at the [rates](crate::rates) of the table. On
/// the CPU it does by the size of its sample; where bodies live on a GPU, they must be fetched for it, and their forces
/// computed once more.
pub(super) fn audit_is_cheap(device: Device, precision: Precision, n: usize, evaluations: f64) -> bool {
    let rates = rates::of(device, precision);
    let n = n as f64;
    let evaluation = n * n * rates.pair;
    let audit = rates.fetch[0] + rates.fetch[1] * n + evaluation;
    device == Device::Cpu || audit <= 0.01 * evaluations * evaluation.max(rates.least_evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_softenings_are_counted_up_to_many() {
        let counted = |eps: Option<Vec<f64>>| {
            let bodies = Bodies { mass: vec![1.0; 20], eps, ..Bodies::default() };
            ProblemSize::from(&bodies).own_softenings
        };
        let kinds = |kinds: usize| (0..20).map(|k| 0.01 * (k % kinds) as f64).collect();
        assert_eq!(counted(None), 0);
        for own in 1..=MANY_SOFTENINGS {
            assert_eq!(counted(Some(kinds(own))), own);
        }
        assert_eq!(counted(Some(kinds(20))), MANY_SOFTENINGS);
    }
}
