//! The doors to all devices: a solver of gravity, and an evaluator of any law.
//!
//! GPUs are those of the crate `manybody-gpu`, which the feature `gpu` brings.

use super::{Device, Evaluator, LawEvaluator, Precision, Solver, Summation, with_sums};
use crate::law::Law;
use crate::simd::Level;
use crate::{Error, Result};

/// The solver called `name` on a device, with a [`Summation`]. CUDA's GPUs of these `ordinals` share every evaluation; without
/// any, the first one computes.
///
/// # Errors
/// [`Error::NoDevice`] for a device that is not here, [`Error::Unknown`] for a solver that it does not have, and
/// [`Error::Parameter`] for a precision or a summation that the solver does not have, or ordinals of no device.
pub fn solver(
    device: Device,
    ordinals: &[usize],
    name: &str,
    precision: Precision,
    sum: Summation,
) -> Result<Box<dyn Solver>> {
    match device {
        Device::Cpu => with_sums(name, precision, sum),
        #[cfg(feature = "gpu")]
        gpu => Ok(Box::new(manybody_gpu::solver(gpu, ordinals, name, precision, sum)?)),
        #[cfg(not(feature = "gpu"))]
        gpu => Err(without_gpus(gpu, ordinals)),
    }
}

/// The solver for energies on a device: in f64 where it can, else in mixed precision or f32.
///
/// # Errors
/// As [`solver`].
pub fn most_exact_solver(device: Device, ordinals: &[usize], name: &str) -> Result<Box<dyn Solver>> {
    let of = |precision| solver(device, ordinals, name, precision, Summation::default());
    of(Precision::F64)
        .or_else(|error| match error {
            Error::Parameter { name: "precision", .. } => of(Precision::Mixed),
            other => Err(other),
        })
        .or_else(|error| match error {
            Error::Parameter { name: "precision", .. } => of(Precision::F32),
            other => Err(other),
        })
}

/// A law on a device, on GPUs each pair once unless `ordered` or the law has bodies of two kinds; `ordinals` as for
/// [`solver`].
///
/// # Errors
/// [`Error::NoDevice`], [`Error::Parameter`] for a precision that the device does not have or ordinals of no device, and
/// those of MANYBODY_SIMD.
pub fn evaluator(
    device: Device,
    ordinals: &[usize],
    law: &Law,
    precision: Precision,
    ordered: bool,
) -> Result<Box<dyn LawEvaluator>> {
    match device {
        Device::Cpu => Ok(Box::new(Evaluator::new(law, Level::from_env()?, precision))),
        #[cfg(feature = "gpu")]
        gpu => {
            use manybody_gpu::Pairs;
            let pairs = if ordered || !law.has_one_kind() { Pairs::Ordered } else { Pairs::Once };
            Ok(Box::new(manybody_gpu::evaluator(gpu, ordinals, law, precision, pairs, None)?))
        }
        #[cfg(not(feature = "gpu"))]
        gpu => {
            let _ = ordered;
            Err(without_gpus(gpu, ordinals))
        }
    }
}

#[cfg(not(feature = "gpu"))]
fn without_gpus(device: Device, _: &[usize]) -> Error {
    let how = "this program was built without GPUs; the feature gpu of the crate manybody has them".into();
    Error::NoDevice { device: device.name(), how }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_has_solvers_and_evaluators() {
        let own = Summation::default();
        assert_eq!(solver(Device::Cpu, &[], "symmetric", Precision::F64, own).unwrap().name(), "symmetric");
        assert_eq!(most_exact_solver(Device::Cpu, &[], "direct").unwrap().name(), "direct");
        let error = solver(Device::Cpu, &[], "tree", Precision::F64, own).map(drop).unwrap_err();
        assert!(matches!(error, Error::Unknown { what: "solver", .. }), "{error}");
        let law = Law::parse("body x; sum s = j.x").unwrap();
        let mut evaluator = evaluator(Device::Cpu, &[], &law, Precision::F64, false).unwrap();
        assert_eq!(evaluator.evaluate(&crate::law::Sets::one(&[&[1.0, 2.0]], &[])).unwrap(), [[3.0, 3.0]]);
    }

    #[cfg(not(feature = "gpu"))]
    #[test]
    fn gpus_take_a_feature() {
        for device in [Device::Cuda, Device::Wgpu] {
            let error = solver(device, &[], "auto", Precision::F32, Summation::default()).map(drop).unwrap_err();
            assert!(matches!(error, Error::NoDevice { .. }) && error.to_string().contains("feature gpu"), "{error}");
        }
    }
}
