//! Solvers: which pairs, in what order, in which precision, on which device.
//!
//! [`Gravity`] is the physical problem (G and a softening); a [`Solver`] computes its [`Forces`] on a set of bodies, an
//! evaluator what any law makes of columns of numbers. A [`Method`] says how; [`of`] and [`evaluator`] make them, on every
//! device: GPUs are those of the crate `manybody-gpu`, which the feature `gpu` brings.

#[doc(inline)]
pub use manybody_pairwise::{
    AtBody, Device, DeviceChoice, Evaluator, Expansion, ForceTerms, Forces, Frame, Gpus, Gravity, Interpreter,
    KernelConfig, Method, Packed, Precision, Reference, Solver, SolverName, Steps, Summation, between, compiled,
    compiled_triangular, direct, fixed_ranges, mirrored, one_sided, reference_at, symmetric, triangular,
};

use crate::error::Capability;
use crate::law::Law;
use crate::{Bodies, Error, Result};

/// The solver of gravity for a method.
///
/// # Errors
/// [`Error::NoDevice`] for a device that is not here; [`Error::Unsupported`] for a solver, precision or summation that it does
/// not have, naming what it has; [`Error::Parameter`] for GPUs that are not here.
pub fn of(method: &Method) -> Result<Box<dyn Solver>> {
    match method.device {
        Device::Cpu if method.solver.is_by_expansion() => manybody_tree::solver(method),
        Device::Cpu => manybody_pairwise::cpu_solver(method),
        #[cfg(feature = "gpu")]
        _ => Ok(Box::new(manybody_gpu::solver(method)?)),
        #[cfg(not(feature = "gpu"))]
        device => Err(without_gpus(device)),
    }
}

/// The accelerations and potentials of bodies by a method, once. Who computes them again and again keeps a solver, of
/// [`of`], and its memory.
///
/// # Errors
/// As [`of`]; [`Error::Parameter`] naming two bodies at one place without softening.
pub fn forces(bodies: &Bodies, gravity: &Gravity, method: &Method) -> Result<Forces> {
    gravity.check_apart(bodies)?;
    let mut forces = Forces::default();
    of(method)?.forces(bodies, gravity, ForceTerms { potential: true, jerk: false }, &mut forces)?;
    Ok(forces)
}

/// The solver for energies by a method: in f64 where its device has that, else in mixed precision or f32.
///
/// # Errors
/// As [`of`].
pub fn most_exact(method: &Method) -> Result<Box<dyn Solver>> {
    let with = |precision| of(&Method { precision, sum: Summation::default(), ..method.clone() });
    let lacks = |found: &Result<_>| matches!(found, Err(Error::Unsupported { capability: Capability::Precision, .. }));
    let mut found = with(Precision::F64);
    for precision in [Precision::Mixed, Precision::F32] {
        if !lacks(&found) {
            break;
        }
        found = with(precision);
    }
    found
}

/// A law on the device of a method: on GPUs each pair once, unless the solver is `direct` or the law has bodies of two kinds.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::Unsupported`] for a precision that the device does not have, [`Error::Parameter`] for GPUs
/// that are not here, and those of MANYBODY_SIMD.
pub fn evaluator(method: &Method, law: &Law) -> Result<Box<dyn Evaluator>> {
    match method.device {
        Device::Cpu if method.precision == Precision::Mixed => Err(Error::Unsupported {
            capability: Capability::Precision,
            value: method.precision.to_string(),
            expected: "the CPU has mixed precision for gravity only: must be f32 or f64".into(),
        }),
        Device::Cpu => Ok(Box::new(Interpreter::new(law, method.level()?, method.precision))),
        #[cfg(feature = "gpu")]
        device => {
            use manybody_gpu::Pairs;
            let ordered = method.solver == SolverName::Direct || !law.has_one_kind();
            let pairs = if ordered { Pairs::Ordered } else { Pairs::Once };
            let (gpus, precision) = (method.gpus.ordinals(), method.precision);
            manybody_gpu::evaluator(device, gpus, law, precision, pairs, None)
        }
        #[cfg(not(feature = "gpu"))]
        device => Err(without_gpus(device)),
    }
}

#[cfg(not(feature = "gpu"))]
fn without_gpus(device: Device) -> Error {
    let how = "this program was built without GPUs; the feature gpu of the crate manybody has them".into();
    Error::NoDevice { device: device.name(), how }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_has_solvers_and_evaluators() {
        assert_eq!(of(&Method::default()).unwrap().name(), "symmetric");
        let reference = Method { solver: SolverName::Reference, precision: Precision::F32, ..Method::default() };
        let error = of(&reference).map(drop).unwrap_err();
        assert!(matches!(error, Error::Unsupported { capability: Capability::Precision, .. }), "{error}");
        assert_eq!(most_exact(&reference).unwrap().name(), "reference");
        let error = of(&Method::default().solver(SolverName::Auto)).map(drop).unwrap_err();
        assert!(matches!(error, Error::Unsupported { capability: Capability::Solver, .. }), "{error}");
        let law = Law::parse("body x; sum s = j.x").unwrap();
        let mut evaluator = evaluator(&Method::default(), &law).unwrap();
        assert_eq!(evaluator.evaluate(&crate::law::PairInputs::one(&[&[1.0, 2.0]], &[])).unwrap(), [[3.0, 3.0]]);
    }

    #[cfg(not(feature = "gpu"))]
    #[test]
    fn gpus_take_a_feature() {
        for device in [Device::Cuda, Device::Wgpu] {
            let error = of(&Method::on(device, Precision::F32)).map(drop).unwrap_err();
            assert!(matches!(error, Error::NoDevice { .. }) && error.to_string().contains("feature gpu"), "{error}");
        }
    }
}
