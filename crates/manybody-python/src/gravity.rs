//! Forces of bodies on each other by gravity.

use crate::arrays::{Form, OneOrEach, Vectors, numbers};
use crate::calls::{compute_watched, watch};
use crate::errors::{in_arguments, raise, warn, wrong};
use crate::settings::{Words, settings_of_forces};
use manybody::audit::{self, ForceErrors};
use manybody::driver::{self, Trial};
use manybody::forces::Audited;
use manybody::law::Targets;
use manybody::settings::Settings;
use manybody::solver::{self, ForceTerms, Forces, Gravity, Precision};
use manybody::watch::Watch;
use manybody::{Bodies, Error, Result};
use pyo3::prelude::*;

/// Accelerations, potentials and jerks, those that were asked for.
type Found<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// The forces of bodies on each other, or on the bodies of the indices `targets`. `v` asks for the jerk.
#[pyfunction]
#[pyo3(signature = (x, m, v, eps, g, targets, potential, how))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each of which is one
pub(crate) fn forces<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    m: &Bound<'py, PyAny>,
    v: Option<&Bound<'py, PyAny>>,
    eps: &Bound<'py, PyAny>,
    g: f64,
    targets: Option<Vec<usize>>,
    potential: bool,
    how: Words,
) -> PyResult<Found<'py>> {
    let (bodies, form, eps) = bodies(x, m, v, eps)?;
    let settings = settings_of_forces(&how)?;
    let problem = Problem {
        precision: form.number.precision(),
        gravity: Gravity::new(g, eps).softened(settings.softening.unwrap_or_default()),
        settings,
        terms: ForceTerms { potential, jerk: v.is_some() },
        bodies,
        targets,
    };
    let precision = problem.settings.precision.unwrap_or(problem.precision);
    if let Some(warning) = audit::range_warning(&problem.bodies, precision) {
        warn(py, &warning)?;
    }
    let forces = {
        let watch = watch();
        compute_watched(py, problem.pairs(), &watch, || problem.solve(&watch))
    }?;
    if problem.precision == Precision::F32 {
        forces.check_single(problem.targets.as_deref()).map_err(raise)?;
    }
    let Forces { ax, ay, az, pot, jx, jy, jz } = forces;
    let acceleration = form.vectors(py, [ax, ay, az])?;
    let jerk = v.map(|_| form.vectors(py, [jx, jy, jz])).transpose()?;
    Ok((acceleration, potential.then(|| form.numbers(py, pot)), jerk))
}

/// The errors of accelerations, and what must be said of them.
type Reported = ((usize, f64, f64, f64, f64, f64, Option<f64>, Option<f64>), Option<String>);

/// Holds accelerations, and potentials where there are some, against sums in f64 at `sample` bodies; refuses them beyond
/// what their precision explains, or beyond `limit`.
#[pyfunction]
#[pyo3(signature = (x, m, acceleration, potential, eps, g, sample, limit, how))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each of which is one
pub(crate) fn audit_forces(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    m: &Bound<'_, PyAny>,
    acceleration: &Bound<'_, PyAny>,
    potential: Option<&Bound<'_, PyAny>>,
    eps: &Bound<'_, PyAny>,
    g: f64,
    sample: usize,
    limit: Option<f64>,
    how: Words,
) -> PyResult<Reported> {
    let settings = settings_of_forces(&how)?;
    if settings.rtol.is_some() && settings.solver.is_none() {
        return Err(wrong(
            "rtol",
            "without a solver",
            "an audit needs the solver that has it, or a limit in its place",
        ));
    }
    if limit.is_some_and(|limit| !(limit > 0.0 && limit.is_finite())) {
        return Err(wrong("limit", limit.unwrap_or(f64::NAN), "must be a finite number above 0"));
    }
    let (bodies, form, eps) = bodies(x, m, None, eps)?;
    let n = bodies.len();
    let Vectors { columns: [ax, ay, az], form: of_acceleration } = Vectors::of(acceleration, "found", Some(n))?;
    let pot =
        potential.map(|pot| numbers(pot, "found.potential", Some(n))).transpose()?.map_or(Vec::new(), |(pot, _)| pot);
    let forces = Forces { ax, ay, az, pot, ..Forces::default() };
    // the coarser of the two has rounded
    let precision = match (form.number.precision(), of_acceleration.number.precision()) {
        (Precision::F64, Precision::F64) => Precision::F64,
        _ => Precision::F32,
    };
    let gravity = Gravity::new(g, eps).softened(settings.softening.unwrap_or_default());
    let pairs = (n as u64).saturating_mul(sample as u64);
    let watch = watch();
    compute_watched(py, pairs, &watch, || {
        check_constant(&gravity)?;
        gravity.check_apart(&bodies)?;
        let method = driver::method(&settings, precision, &bodies)?;
        let chosen = audit::sample(n, 0.0, sample, 0);
        let audited = Audited { bodies: &bodies, forces: &forces, sample: &chosen, time: 0.0, method: &method, limit };
        let found = audit::check_watched(&gravity, &audited, &watch)?;
        let warning = audit::range_warning(&bodies, method.precision).or_else(|| found.warning(&method));
        let ForceErrors { sample, median, p99, p999, max, net, relative, potential, .. } = found;
        Ok(((sample, median, p99, p999, max, net, relative, potential), warning))
    })
}

/// Refuses a constant of gravity that is infinite or NaN.
fn check_constant(gravity: &Gravity) -> Result<()> {
    match gravity.g.is_finite() {
        true => Ok(()),
        false => {
            let expected = "must be a finite number".into();
            Err(Error::Parameter { name: "G", value: gravity.g.to_string(), expected })
        }
    }
}

/// The bodies of the arguments, the form of their positions, and the softening that is one for all.
fn bodies(
    x: &Bound<'_, PyAny>,
    m: &Bound<'_, PyAny>,
    v: Option<&Bound<'_, PyAny>>,
    eps: &Bound<'_, PyAny>,
) -> PyResult<(Bodies, Form, f64)> {
    let Vectors { columns: [x, y, z], form } = Vectors::of(x, "x", None)?;
    let n = x.len();
    let [vx, vy, vz] = match v {
        Some(v) => Vectors::of(v, "v", Some(n))?.columns,
        None => [(); 3].map(|()| vec![0.0; n]),
    };
    let mass = OneOrEach::of(m, "m", n)?.each(n);
    let (one, each) = match OneOrEach::of(eps, "eps", n)? {
        OneOrEach::One(eps) if eps >= 0.0 && eps.is_finite() => (eps, None),
        OneOrEach::One(eps) => return Err(wrong("eps", eps, "must be a finite softening length, 0 or more")),
        OneOrEach::Each(each) => (0.0, Some(each)),
    };
    let bodies = Bodies { x, y, z, vx, vy, vz, mass, id: (0..n as u64).collect(), eps: each, ..Bodies::default() };
    bodies.validate().map_err(in_arguments)?;
    Ok((bodies, form, one))
}

/// What is to be computed.
struct Problem {
    bodies: Bodies,
    targets: Option<Vec<usize>>,
    gravity: Gravity,
    settings: Settings,
    /// Where no other is given.
    precision: Precision,
    terms: ForceTerms,
}

impl Problem {
    fn pairs(&self) -> u64 {
        let n = self.bodies.len();
        (n as u64).saturating_mul(self.targets.as_ref().map_or(n, Vec::len) as u64)
    }

    fn solve(&self, watch: &Watch) -> Result<Forces> {
        let Problem { bodies, gravity, terms, .. } = self;
        check_constant(gravity)?;
        gravity.check_apart(bodies)?;
        let trial = Trial { bodies, gravity, terms: *terms, share: 0.0, time: 0.0 };
        let forces = match &self.targets {
            None => driver::forces(&self.settings, self.precision, trial, watch, &mut |_| {})?.forces,
            Some(list) => {
                let mut solver = solver::of(&driver::method(&self.settings, self.precision, bodies)?)?;
                solver.watch(watch);
                let mut forces = Forces::default();
                solver.forces_on(bodies, &Targets::List(list), gravity, *terms, &mut forces)?;
                forces
            }
        };
        forces.check_finite(self.targets.as_deref())?;
        Ok(forces)
    }
}
