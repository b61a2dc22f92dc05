//! `--rtol`: from an accuracy to the cheapest way of computing forces that has it.

use crate::console::{self, number, say};
use crate::device;
use manybody::audit;
use manybody::simulation::TRIED;
use manybody::solver::{self, Device, Forces, Gravity, Precision, Summation, Want};
use manybody::{Bodies, Error, Result};

/// A way of computing forces.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Method {
    pub(super) device: Device,
    pub(super) solver: String,
    pub(super) precision: Precision,
}

/// The ways there are, the cheapest first. On two AVX-512 cores at 65,536 bodies f32 makes 16.4e9 interactions/s, f64
/// 6.9e9 and mixed, whose solver has no mirrored kernel, less: it is for `--precision mixed` to ask for. An H200 makes 3.1e12
/// in f32, 0.7 of it in mixed and 0.4 in f64. Other sums than a solver's own are no cheaper than the next precision.
fn methods(device: Option<&str>, n: usize) -> Result<Vec<Method>> {
    let mut methods = Vec::new();
    for precision in [Precision::F32, Precision::Mixed, Precision::F64] {
        let device = match device::choose(device, precision, n) {
            Ok(Device::Wgpu) if precision == Precision::F64 => continue,
            Ok(Device::Cpu) if precision == Precision::Mixed => continue,
            other => other?,
        };
        methods.push(Method { device, solver: device::default_solver(device).into(), precision });
    }
    Ok(methods)
}

/// Tries them at the first positions, and says what each is worth.
///
/// # Errors
/// [`Error::Parameter`] where none is good enough, and those of the devices.
pub(super) fn cheapest(
    rtol: f64,
    bodies: &Bodies,
    gravity: &Gravity,
    (device, ordinals): (Option<&str>, &[usize]),
) -> Result<Method> {
    let wrong = |expected: String| Err(Error::Parameter { name: "rtol", value: number(rtol), expected });
    if !(rtol > 0.0 && rtol.is_finite()) {
        return wrong("a finite number above 0 is wanted, as 1e-6".into());
    }
    let mut best = f64::INFINITY;
    for method in methods(device, bodies.len())? {
        let mut forces = Forces::default();
        let mut solver =
            solver::device::solver(method.device, ordinals, &method.solver, method.precision, Summation::default())?;
        solver.forces(bodies, gravity, Want::default(), &mut forces)?;
        let sample = audit::sample(bodies.len(), 0.0, TRIED, 0);
        let found = audit::audit(bodies, gravity, &forces, &sample, 0.0)?;
        let meets = found.max <= rtol;
        say(format_args!(
            "rtol {rtol:e}: {} on {}, {} solver: largest error at {} {:.1e}, {}",
            method.precision,
            method.device,
            method.solver,
            console::bodies(found.sample),
            found.max,
            if meets { "taken" } else { "not enough" }
        ));
        if meets {
            return Ok(method);
        }
        best = best.min(found.max);
    }
    wrong(format!(
        "the most exact precision there is, of those that were tried, is wrong by {best:.1e} of the rms acceleration"
    ))
}
