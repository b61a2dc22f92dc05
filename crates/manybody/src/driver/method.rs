//! How forces are computed once, as settings say: for the command `force`, and for arrays in Python and C.

use super::accuracy::{Choice, Trial, cheapest, chooses_sum, evaluated, tuned};
use super::device::{self, ProblemSize};
use crate::error::Capability;
use crate::settings::Settings;
use crate::simulation::Parameters;
use crate::solver::{Device, DeviceChoice, Forces, Method, Precision, Softening, SolverName, Summation};
use crate::units::Units;
use crate::watch::Watch;
use crate::{Error, Result};

/// The parameters that settings of forces give, in `precision` where no precision is given. Others are not read.
fn parameters(settings: &Settings, precision: Precision) -> Result<Parameters> {
    Parameters { precision, ..Parameters::default() }.with(&settings.of_forces(), &Units::default())
}

/// How the gravity of bodies, or of so many, is computed once: by the settings that say [how forces are
/// computed](crate::settings::Setting::of_forces); others are not read. `precision` holds where no precision is given.
///
/// # Errors
/// [`Error::Parameter`] for settings that do not go together, and for an `rtol` without a solver by expansions:
/// [`forces`] chooses by it.
pub fn method(settings: &Settings, precision: Precision, size: impl Into<ProblemSize>) -> Result<Method> {
    let size = size.into();
    let given = parameters(settings, precision)?;
    let by_expansion = settings.solver.is_some_and(SolverName::is_by_expansion);
    let choice = settings.device.unwrap_or_default();
    let device = match settings.solver.filter(|_| by_expansion) {
        Some(solver) => {
            let method = Parameters { device: Device::Cpu, solver, ..given.clone() }.method();
            device::choose_by_expansion(choice, &method, size)
        }
        None => device::choose(choice, given.precision, size.bodies),
    };
    let default = SolverName::default_on(device, given.precision, given.sum);
    let parameters = Parameters { device, solver: settings.solver.unwrap_or(default), ..given };
    match parameters.rtol.filter(|_| !by_expansion) {
        Some(rtol) => Err(Error::Parameter {
            name: "rtol",
            value: rtol.to_string(),
            expected: format!(
                "belongs to the solvers fmm and tree, or to gravity without a solver, which it chooses; this one is {}",
                parameters.solver
            ),
        }),
        None => parameters.check().map(|()| parameters.method()),
    }
}

/// How a law is computed once, for so many bodies: for all pairs; by the solver fmm, with an error; or by the solver
/// tree, without pairs that contribute nothing: these two on the CPU unless a GPU is named, where fmm has functions of the
/// distance.
///
/// # Errors
/// As [`method`]; [`Error::Parameter`] for what only gravity has.
pub fn method_of_law(settings: &Settings, precision: Precision, bodies: usize) -> Result<Method> {
    let wrong = |name, value: String, expected: &str| Err(Error::Parameter { name, value, expected: expected.into() });
    let given = parameters(settings, precision)?;
    if given.sum != Summation::default() {
        return wrong("sum", given.sum.to_string(), "it belongs to gravity; a law sums in blocks");
    }
    if given.softening != Softening::default() {
        return wrong("softening", given.softening.to_string(), "it belongs to gravity; a law has parameters");
    }
    if given.precision == Precision::Mixed {
        return wrong("precision", "mixed".into(), "it belongs to gravity; a law is computed in f32 or f64");
    }
    let of_expansions = given.rtol.map(|rtol| ("rtol", format!("{rtol:?}"))).or(given.of_expansions());
    match (settings.solver, of_expansions) {
        (None, None) | (Some(SolverName::Fmm), _) | (Some(SolverName::Tree), None) => {}
        (None | Some(SolverName::Tree), Some((name, value))) => {
            return wrong(name, value, "of a law, it belongs to the solver fmm: --solver fmm");
        }
        (Some(solver), _) => {
            let expected = "must be fmm or tree, or not be given: a law is then evaluated for all pairs";
            return wrong("solver", solver.to_string(), expected);
        }
    }
    let Some(solver) = settings.solver else { return method(settings, precision, bodies) };
    let device = match settings.device.unwrap_or_default() {
        DeviceChoice::Auto => Device::Cpu,
        DeviceChoice::Device(device) => device,
    };
    let method = Parameters { device, solver, ..given }.method();
    method.check_for_laws().map(|()| method)
}

/// [`method_of_law`] for arrays in the memory of a GPU, which all pairs read and expansions do not.
///
/// # Errors
/// As [`method_of_law`]; [`Error::Unsupported`] for a solver by expansions.
pub fn method_of_law_of_arrays(settings: &Settings, precision: Precision, bodies: usize) -> Result<Method> {
    let method = method_of_law(settings, precision, bodies)?;
    if method.solver.is_by_expansion() {
        let expected =
            "of arrays in the memory of a GPU a law is computed for all pairs; fmm takes arrays of the host".into();
        return Err(Error::Unsupported { capability: Capability::Solver, value: method.solver.to_string(), expected });
    }
    Ok(method)
}

/// Gravity that was computed once.
#[derive(Debug)]
#[non_exhaustive]
pub struct Evaluated {
    /// How.
    pub method: Method,
    /// Accelerations, and what else was asked for.
    pub forces: Forces,
    /// The seconds of the evaluation.
    pub seconds: f64,
}

/// Gravity computed once, as `settings` say, of which those are read that say [how forces are
/// computed](crate::settings::Setting::of_forces), `audit` and `audit-limit`. An `rtol` without a solver takes the
/// [cheapest] way that has the error, and with a solver of all pairs the cheapest precision, unless one is named. Forces by
/// expansions are [tuned] to the error that is promised, unless there is no audit, or one with a limit of its own. What is
/// tried is noted.
///
/// # Errors
/// As [`method`]; those of the device and of the solver; [`Error::Parameter`] for an error that is not reached.
pub fn forces(
    settings: &Settings,
    precision: Precision,
    trial: Trial<'_>,
    watch: &Watch,
    note: &mut dyn FnMut(&str),
) -> Result<Evaluated> {
    let given = parameters(settings, precision)?;
    let is_open = !settings.solver.is_some_and(SolverName::is_by_expansion) && given.of_expansions().is_none();
    if let Some(rtol) = given.rtol.filter(|_| is_open) {
        let (sum, is_named) = (given.sum, settings.solver.is_some() && settings.precision.is_some());
        if sum != Summation::default() && !is_named {
            return Err(chooses_sum(sum));
        }
        let choice = Choice {
            device: settings.device.unwrap_or_default(),
            gpus: given.gpus.clone(),
            level: given.simd,
            solver: settings.solver,
            precision: settings.precision,
            sum,
            // an error that is asked for is one of all results, and jerks by expansions have larger ones
            expansions: settings.solver.is_none() && !trial.terms.jerk,
        };
        let found = cheapest(rtol, trial, choice, watch, note)?;
        return Ok(Evaluated { method: found.method, forces: found.forces, seconds: found.seconds });
    }
    let method = method(settings, precision, trial.bodies)?;
    let units = Units::default();
    let audit = crate::settings::setting::audit.resolve::<f64>(&settings.audit, &units)?;
    if method.solver.is_by_expansion() && audit != Some(0.0) && settings.audit_limit.is_none() {
        let found = tuned(method, trial, watch, note)?;
        found.check()?;
        return Ok(Evaluated { method: found.method, forces: found.forces, seconds: found.seconds });
    }
    let (forces, seconds) = evaluated(&method, trial, watch)?;
    Ok(Evaluated { method, forces, seconds })
}
