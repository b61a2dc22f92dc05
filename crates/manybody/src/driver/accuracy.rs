//! `rtol`: finds the cheapest way of computing forces that has a given accuracy.

use super::observer::Audience;
use super::{device, words};
use crate::audit;
use crate::simulation::RTOL_SAMPLE;
use crate::solver::{
    self, Device, DeviceChoice, ForceTerms, Forces, Gravity, Method, Precision, SolverName, Summation,
};
use crate::units::show::number;
use crate::{Bodies, Error, Result};

/// A way of computing forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Way {
    pub(super) device: Device,
    pub(super) solver: SolverName,
    pub(super) precision: Precision,
}

/// The ways there are, the cheapest first, which is the same order on every machine measured: f32, mixed (0.7 of its rate on
/// GPUs), f64 (0.4 of it). On CPUs mixed precision, whose solver has no mirrored kernel, is slower than f64: it is for
/// `--precision mixed` to ask for. Other sums than a solver's own are no cheaper than the next precision.
fn ways(choice: DeviceChoice, n: usize) -> Vec<Way> {
    let way = |precision| {
        let device = device::choose(choice, precision, n);
        let solver = SolverName::default_on(device, Precision::F64, Summation::default());
        match (device, precision) {
            (Device::Wgpu, Precision::F64) | (Device::Cpu, Precision::Mixed) => None,
            _ => Some(Way { device, solver, precision }),
        }
    };
    [Precision::F32, Precision::Mixed, Precision::F64].into_iter().filter_map(way).collect()
}

/// Tries them at the first positions, and notes how exact each is.
///
/// # Errors
/// [`Error::Parameter`] where no way is accurate enough, and those of the devices.
pub(super) fn cheapest(
    rtol: f64,
    bodies: &Bodies,
    gravity: &Gravity,
    choice: DeviceChoice,
    audience: &mut Audience<'_>,
) -> Result<Way> {
    let wrong = |expected: String| Err(Error::Parameter { name: "rtol", value: number(rtol), expected });
    if !(rtol > 0.0 && rtol.is_finite()) {
        return wrong("must be a finite number above 0, as 1e-6".into());
    }
    let mut best = f64::INFINITY;
    for way in ways(choice, bodies.len()) {
        let Way { device, solver, precision } = way;
        let mut forces = Forces::default();
        let method = Method { device, solver, precision, ..Method::default() };
        solver::of(&method)?.forces(bodies, gravity, ForceTerms::default(), &mut forces)?;
        let sample = audit::sample(bodies.len(), 0.0, RTOL_SAMPLE, 0);
        let found = audit::audit(bodies, gravity, &forces, &sample, 0.0)?;
        let meets = found.max <= rtol;
        audience.note(format_args!(
            "rtol {rtol:e}: {precision} on {device}, {solver} solver: largest error at {} {:.1e}, {}",
            words::bodies(found.sample),
            found.max,
            if meets { "taken" } else { "not enough" }
        ));
        if meets {
            return Ok(way);
        }
        best = best.min(found.max);
    }
    wrong(format!(
        "the most exact precision there is, of those that were tried, is wrong by {best:.1e} of the rms acceleration"
    ))
}

/// The tolerance at which expansions of the bodies as they are have the error that is promised; `None` for the usual one.
///
/// # Errors
/// Those of the solver and of the audit.
pub(super) fn tolerance(
    mut method: Method,
    bodies: &Bodies,
    gravity: &Gravity,
    audience: &mut Audience<'_>,
) -> Result<Option<f64>> {
    let mut halvings = 0;
    loop {
        let mut forces = Forces::default();
        solver::of(&method)?.forces(bodies, gravity, ForceTerms::default(), &mut forces)?;
        let sample = audit::sample(bodies.len(), 0.0, audit::EXPANSION_SAMPLE, 0);
        let found = match audit::check(bodies, gravity, &forces, &sample, 0.0, &method, Some(f64::MAX)) {
            Ok(found) => found.relative.unwrap_or(0.0),
            Err(error) => return Err(error),
        };
        let Some(next) = audit::tightened(&method, found, halvings) else {
            audit::check_tuned(&method, found)?;
            return Ok(method.expansion.tolerance);
        };
        halvings += 1;
        audience.note(format_args!(
            "{} solver: 99 % of {} have a force error below {found:.1e}, not below {:.1e}: half the tolerance is tried",
            method.solver,
            words::bodies(sample.len()),
            method.expansion.promise().unwrap_or_default(),
        ));
        method = next;
    }
}
