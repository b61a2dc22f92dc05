//! Solvers: which pairs, in what order, in which precision, on which device.
//!
//! [`Gravity`] is the physical problem (G and a softening); a [`Solver`] computes its [`Forces`] on a set of bodies, an
//! evaluator what any law makes of columns of numbers. A [`Method`] says how; [`of`] and [`evaluator`] make them, on every
//! device: GPUs are those of the crate `manybody-gpu`, which the feature `gpu` brings.

#[doc(inline)]
pub use manybody_pairwise::{
    AtBody, BlockState, BlockStep, BlockWork, Coordinates, Derivatives, Device, DeviceChoice, Evaluator, Expansion,
    ForceTerms, Forces, Frame, Gpus, Gravity, HermiteOrder, Interpreter, KernelConfig, Method, Packed, Precision,
    Reference, Ring, Softening, Solver, SolverName, Steps, Summation, among, between, compiled, compiled_between,
    compiled_triangular, direct, mirrored, one_sided, reference_at, symmetric, triangular,
};

#[doc(hidden)] // for the libraries of other languages
pub use manybody_pairwise::beyond_single;

use crate::error::Capability;
use crate::law::Law;
use crate::ranks;
use crate::{Bodies, Error, Result};

/// The solver of gravity for a method. Where the thread is rank 0 of [ranks], it shares long evaluations with the
/// others.
///
/// # Errors
/// [`Error::NoDevice`] for a device that is not here; [`Error::Unsupported`] for a solver, precision or summation that it does
/// not have, naming what it has; [`Error::Parameter`] for GPUs that are not here; those of [`Method::check`].
pub fn of(method: &Method) -> Result<Box<dyn Solver>> {
    ranks::shared_solver(alone(method)?, method)
}

/// [`of`], for this process alone.
pub(crate) fn alone(method: &Method) -> Result<Box<dyn Solver>> {
    method.check()?;
    match method.device {
        Device::Cpu if method.solver.is_by_expansion() => manybody_tree::solver(method),
        Device::Cpu => manybody_pairwise::cpu_solver(method),
        #[cfg(feature = "gpu")]
        _ if method.solver.is_by_expansion() => Ok(Box::new(manybody_gpu::expansions(method)?)),
        #[cfg(feature = "gpu")]
        _ => Ok(Box::new(manybody_gpu::solver(method)?)),
        #[cfg(not(feature = "gpu"))]
        device => Err(without_gpus(device)),
    }
}

/// The accelerations and potentials of bodies by a method, once. To compute them again and again, keep a solver, of
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

/// Which bodies act on some others.
#[derive(Clone, Copy, Debug)]
pub enum Acting<'a> {
    /// Other bodies; one at the place of a target acts on it.
    Others(&'a Bodies),
    /// Bodies of which number k is target k, perhaps at another place, as one that was predicted: no target acts on itself.
    /// There are at least as many as targets.
    Among(&'a Bodies),
}

/// The forces of bodies on targets by a method, once: every pair of both, whatever the solver, so that a solver by
/// expansions is refused.
///
/// # Errors
/// As [`of`]; [`Error::Unsupported`] for a solver or sums that are not available for two sets.
pub fn forces_between(
    targets: &Bodies,
    acting: Acting<'_>,
    gravity: &Gravity,
    terms: ForceTerms,
    method: &Method,
) -> Result<Forces> {
    let (Acting::Others(sources) | Acting::Among(sources)) = acting;
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    method.check()?;
    if matches!(method.solver, SolverName::Reference | SolverName::Tree | SolverName::Fmm) {
        return wrong(Capability::Solver, method.solver.to_string(), "two sets of bodies need the solver direct");
    }
    if targets.is_empty() || sources.is_empty() {
        return Ok(Forces::zeros(targets.len(), terms));
    }
    let mut out = Forces::default();
    match (method.device, acting) {
        (Device::Cpu, _) if method.sum != Summation::default() => {
            return wrong(Capability::Sum, method.sum.to_string(), "two sets of bodies on the CPU have blocked sums");
        }
        (Device::Cpu, Acting::Others(_)) => {
            between(method.level()?, method.precision, targets, sources, gravity, terms, &mut out)?;
        }
        (Device::Cpu, Acting::Among(_)) => {
            among(method.level()?, method.precision, targets, sources, gravity, terms, &mut out)?;
        }
        #[cfg(feature = "gpu")]
        (_, acting) => {
            use manybody_pairwise::{OfSources, Sources};
            let sources = match acting {
                Acting::Others(sources) => Sources::Others(sources),
                Acting::Among(sources) => Sources::Among(sources),
            };
            manybody_gpu::solver(method)?.compute(targets, sources, gravity, terms, &mut out)?;
        }
        #[cfg(not(feature = "gpu"))]
        (device, _) => return Err(without_gpus(device)),
    }
    Ok(out)
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

/// A law on the device of a method: on GPUs each pair once, unless the solver is `direct` or the law has bodies of two kinds. By
/// the solver fmm not all pairs: with an error that nothing promises here ([`tuned_law`](crate::driver::tuned_law)
/// does).
///
/// # Errors
/// [`Error::NoDevice`], [`Error::Unsupported`] for a precision that the device does not have and for a law that the solver does
/// not fit, [`Error::Parameter`] for GPUs that are not here; those of [`Method::check_for_laws`] and of MANYBODY_SIMD.
pub fn evaluator(method: &Method, law: &Law) -> Result<Box<dyn Evaluator>> {
    ranks::shared_evaluator(evaluator_alone(method, law)?, method, law)
}

/// [`evaluator`], for this process alone.
pub(crate) fn evaluator_alone(method: &Method, law: &Law) -> Result<Box<dyn Evaluator>> {
    method.check_for_laws()?;
    match method.device {
        #[cfg(feature = "gpu")]
        device if method.solver.is_by_expansion() && device.is_gpu() => Ok(match method.solver {
            SolverName::Tree => Box::new(manybody_gpu::law_boxes(method, law)?),
            _ => Box::new(manybody_gpu::law_expansions(method, law)?),
        }),
        _ if method.solver.is_by_expansion() => manybody_tree::evaluator(method, law),
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
    use crate::simd::Level;

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

    /// What a solver or an evaluator would pass over in silence is refused.
    #[test]
    fn methods_that_contradict_themselves_are_refused() {
        let law = Law::parse("body x; sum s = j.x").unwrap();
        let two = Gpus::of(&[0, 1]).unwrap();
        let absent = Level::ALL.into_iter().find(|level| !Level::available().contains(level)).unwrap();
        for device in [Device::Cpu, Device::Wgpu] {
            let method = Method::on(device, Precision::F32).gpus(two.clone());
            for error in [of(&method).map(drop), evaluator(&method, &law).map(drop)] {
                assert!(matches!(error, Err(Error::Parameter { name: "gpus", .. })), "{device}: {error:?}");
            }
        }
        let method = Method { level: Some(absent), ..Method::default() };
        for error in [of(&method).map(drop), evaluator(&method, &law).map(drop)] {
            assert!(matches!(error, Err(Error::Parameter { name: "simd", .. })), "{error:?}");
        }
        for (method, capability) in [
            (Method::summed(Device::Cpu, Precision::F32, Summation::Fixed), Capability::Sum),
            (Method::summed(Device::Wgpu, Precision::F32, Summation::Pairwise), Capability::Sum),
            (Method::default().solver(SolverName::Reference), Capability::Solver),
            (Method::default().solver(SolverName::Auto), Capability::Solver),
            (Method::default().solver("direct:p=64".parse().unwrap()), Capability::Solver),
            (Method::on(Device::Cuda, Precision::F32).solver("direct:p=64".parse().unwrap()), Capability::Solver),
            (Method::on(Device::Cpu, Precision::Mixed), Capability::Precision),
        ] {
            let error = evaluator(&method, &law).map(drop).unwrap_err();
            let found = matches!(&error, Error::Unsupported { capability: found, .. } if *found == capability);
            assert!(found, "{method:?}: {error}");
        }
    }

    #[test]
    fn two_sets_act_as_others_or_as_the_same_bodies() {
        let bodies = crate::ic::by_name("plummer", &crate::ic::Request::new(50, 1)).unwrap().bodies;
        let gravity = Gravity::new(1.0, 0.1);
        let terms = ForceTerms { potential: true, jerk: true };
        let between =
            |targets: &Bodies, acting, method: &Method| forces_between(targets, acting, &gravity, terms, method);
        // the first ten where they are not: moved by what a prediction may be off
        let first = |column: &[f64]| column[..10].to_vec();
        let Bodies { x, y, z, vx, vy, vz, mass, id, .. } = &bodies;
        let moved: Vec<f64> = x[..10].iter().map(|x| x + 1e-9).collect();
        let (y, z, vx, vy, vz) = (first(y), first(z), first(vx), first(vy), first(vz));
        let (mass, id) = (first(mass), id[..10].to_vec());
        let targets = Bodies { x: moved, y, z, vx, vy, vz, mass, id, ..Bodies::default() };
        let among = between(&targets, Acting::Among(&bodies), &Method::default()).unwrap();
        let others = between(&targets, Acting::Others(&bodies), &Method::default()).unwrap();
        for k in 0..10 {
            let expected = reference_at(&bodies, &gravity, k);
            // a shift of 1e-9, times a gradient of up to 1 / eps^3
            assert!((among.pot[k] - expected.pot).abs() < 1e-6, "{k}");
            assert!((0..3).all(|axis| (among.acceleration(k)[axis] - expected.acc[axis]).abs() < 1e-6), "{k}");
            assert!((others.pot[k] - expected.pot + bodies.mass[k] / gravity.eps).abs() < 1e-6, "{k}");
        }
        let few = between(&bodies, Acting::Among(&targets), &Method::default()).unwrap_err().to_string();
        assert!(few.contains("must be at least 50"), "{few}");
        let nothing = between(&Bodies::default(), Acting::Others(&bodies), &Method::default()).unwrap();
        assert_eq!(nothing, Forces::default());
        let none = Bodies::default();
        let alone = between(&targets, Acting::Others(&none), &Method::default()).unwrap();
        assert_eq!((alone.pot.len(), alone.ax[9]), (10, 0.0));
        for solver in [SolverName::Reference, SolverName::Tree, SolverName::Fmm] {
            let error = between(&targets, Acting::Others(&bodies), &Method::default().solver(solver)).unwrap_err();
            assert!(matches!(error, Error::Unsupported { capability: Capability::Solver, .. }), "{error}");
        }
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
