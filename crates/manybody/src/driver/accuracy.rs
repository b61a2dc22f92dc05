//! `rtol`: finds the cheapest way of computing forces that has a given accuracy.

use super::device::{self, ProblemSize};
use super::observer::Audience;
use super::tightening::{Attempt, tightened};
use super::words;
use crate::audit::ForceErrors;
use crate::error::Capability;
use crate::simd::Level;
use crate::simulation::RTOL_SAMPLE;
use crate::solver::{
    self, Device, DeviceChoice, Expansion, ForceTerms, Forces, Gpus, Gravity, Method, Precision, Softening, SolverName,
    Summation,
};
use crate::units::show::number;
use crate::watch::Watch;
use crate::{Bodies, Error, Result, audit, rates};
use manybody_pairwise::cpu_solver;
use std::time::Instant;

/// What may be chosen for an accuracy.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The device, or any.
    pub device: DeviceChoice,
    /// Which GPUs of CUDA.
    pub gpus: Gpus,
    /// The vector instructions of the CPU.
    pub level: Option<Level>,
    /// The solver of all pairs; `None` for that of the device.
    pub solver: Option<SolverName>,
    /// The precision; `None` for any.
    pub precision: Option<Precision>,
    /// How terms are added: by another sum than a solver's own only where solver and precision are named.
    pub sum: Summation,
    /// Whether the solver fmm may be chosen, whose jerks have larger errors than its accelerations.
    pub expansions: bool,
}

/// Refuses a sum beside an error that chooses among the solvers' own.
pub(super) fn chooses_sum(sum: Summation) -> Error {
    let expected = "belongs to a solver and a precision: name both, since rtol chooses among those of the default sum";
    Error::Parameter { name: "sum", value: sum.to_string(), expected: expected.into() }
}

/// Whether a solver of the CPU does not have the precision.
fn lacks_precision(method: &Method) -> bool {
    matches!(cpu_solver(method), Err(Error::Unsupported { capability: Capability::Precision, .. }))
}

/// The ways there are, the cheapest first at the [rates](crate::rates) of the table, which is the same order on every
/// machine. Other sums than a solver's own are no cheaper than the next precision.
fn ways(rtol: f64, choice: &Choice, size: ProblemSize) -> Vec<Method> {
    let n = size.bodies;
    let all_pairs = |precision| {
        let device = device::choose(choice.device, precision, n);
        let method = Method::on(device, precision);
        let method = choice.solver.map_or(method.clone(), |solver| method.solver(solver));
        // where a precision is named that the solver does not have, that is an error later
        let lacks_it = match device {
            Device::Cpu => choice.precision.is_none() && lacks_precision(&method),
            Device::Wgpu => precision == Precision::F64,
            Device::Cuda => false,
        };
        (!lacks_it).then(|| (rates::of_all_pairs(device, precision, n), method))
    };
    let by_expansion = |precision| {
        let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
        let mut method = Method { solver: SolverName::Fmm, precision, expansion, ..Method::default() };
        method.device = device::choose_by_expansion(choice.device, &method, size);
        let there = choice.expansions && device::has_expansions(&method, size);
        there.then(|| (rates::of_expansions(method.device, precision, rtol, size), method))
    };
    let is_allowed = |precision: &Precision| choice.precision.is_none_or(|only| only == *precision);
    let precisions = || [Precision::F32, Precision::Mixed, Precision::F64].into_iter().filter(is_allowed);
    let expansions = precisions().filter_map(by_expansion);
    let mut ways: Vec<(f64, Method)> = precisions().filter_map(all_pairs).chain(expansions).collect();
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Choice { gpus, level, sum, .. } = choice;
    let of_choice = |method| Method { gpus: gpus.clone(), level: *level, sum: *sum, ..method };
    ways.into_iter().map(|(_, method)| of_choice(method)).collect()
}

/// A softening that is a larger part of the size of a system leaves little that is far. With the spline, pairs that overlap are
/// computed one by one: of 30,000 bodies all pairs are faster from 0.2 on.
const fn soft(softening: Softening) -> f64 {
    match softening {
        Softening::Plummer => 0.3,
        Softening::Spline => 0.15,
    }
}

/// The root mean square distance from the mean place.
fn rms_distance(bodies: &Bodies) -> f64 {
    let n = bodies.len().max(1) as f64;
    let variance = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / n;
        x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n
    };
    (variance(&bodies.x) + variance(&bodies.y) + variance(&bodies.z)).sqrt()
}

/// The root mean square softening.
fn rms_softening(bodies: &Bodies, gravity: &Gravity) -> f64 {
    match &bodies.eps {
        Some(each) => (each.iter().map(|eps| eps * eps).sum::<f64>() / each.len().max(1) as f64).sqrt(),
        None => gravity.eps,
    }
}

/// Forces in the cheapest way that has a relative error of `rtol` at most: of all pairs the largest error of a sample,
/// |da| / rms|a|, by expansions the error |da| / |a| of 99 in 100 bodies. What was tried is noted.
///
/// # Errors
/// [`Error::Parameter`] for an `rtol` that is not above 0 and where no way is accurate enough; those of the devices.
pub fn cheapest(
    rtol: f64,
    trial: Trial<'_>,
    choice: Choice,
    watch: &Watch,
    note: &mut dyn FnMut(&str),
) -> Result<Tuned> {
    let wrong = |expected: String| Err(Error::Parameter { name: "rtol", value: number(rtol), expected });
    if !(rtol > 0.0 && rtol.is_finite()) {
        return wrong("must be a finite number above 0, as 1e-6".into());
    }
    let Trial { bodies, gravity, time, .. } = trial;
    // where all forces are softened, expansions cost several times what the table says
    let expansions =
        choice.expansions && rms_softening(bodies, gravity) <= soft(gravity.softening) * rms_distance(bodies);
    let mut best = f64::INFINITY;
    let is_softened = gravity.softening == Softening::Plummer && rms_softening(bodies, gravity) > 0.0;
    let size = ProblemSize { is_softened, ..bodies.into() };
    for method in ways(rtol, &Choice { expansions, ..choice }, size) {
        method.check()?;
        let (tried, error, meets) = if method.solver.is_by_expansion() {
            let tuned = tuned(method, trial, watch, note)?;
            let error = format!("99 % of {} below {:.2e}", words::bodies(tuned.errors.sample), tuned.found());
            let meets = tuned.check().is_ok();
            (tuned, error, meets)
        } else {
            let (forces, seconds) = evaluated(&method, trial, watch)?;
            let sample = audit::sample(bodies.len(), 0.0, RTOL_SAMPLE, 0);
            let errors = audit::audit(bodies, gravity, &forces, &sample, time)?;
            best = best.min(errors.max);
            let error = format!("largest error at {} {:.1e}", words::bodies(errors.sample), errors.max);
            (Tuned { method, forces, errors, seconds }, error, errors.max <= rtol)
        };
        let Method { device, solver, precision, .. } = &tried.method;
        note(&format!(
            "rtol {rtol:e}: {precision} on {device}, {solver} solver: {error}, {}",
            if meets { "taken" } else { "not enough" }
        ));
        if meets {
            return Ok(tried);
        }
    }
    wrong(format!(
        "the most exact precision there is, of those that were tried, is wrong by {best:.1e} of the rms acceleration"
    ))
}

/// The forces, and the seconds that they take.
///
/// # Errors
/// Those of the solver.
pub fn evaluated(method: &Method, trial: Trial<'_>, watch: &Watch) -> Result<(Forces, f64)> {
    let mut forces = Forces::default();
    let mut solver = solver::of(method)?;
    solver.watch(watch);
    let before = Instant::now();
    solver.forces(trial.bodies, trial.gravity, trial.terms, &mut forces)?;
    Ok((forces, before.elapsed().as_secs_f64()))
}

/// Forces in a way that was tried: by expansions, after their tolerance was halved until they had the error that is
/// promised.
#[derive(Debug)]
#[non_exhaustive]
pub struct Tuned {
    /// The method, with its tolerance.
    pub method: Method,
    /// What it makes of the bodies.
    pub forces: Forces,
    /// The errors of a sample.
    pub errors: ForceErrors,
    /// Seconds of the last evaluation.
    pub seconds: f64,
}

impl Tuned {
    /// What 99 of 100 bodies of the sample stay below.
    fn found(&self) -> f64 {
        self.errors.relative.unwrap_or(0.0)
    }

    /// Refuses an error that was not reached.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the error that was reached.
    pub fn check(&self) -> Result<()> {
        audit::check_tuned(&self.method, self.found())
    }
}

/// What is evaluated and audited.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The bodies.
    pub bodies: &'a Bodies,
    /// Their gravity.
    pub gravity: &'a Gravity,
    /// What of the forces.
    pub terms: ForceTerms,
    /// The share of the bodies that is audited, of 512 at least.
    pub share: f64,
    /// The time, for messages.
    pub time: f64,
}

/// Evaluates the forces by the solver fmm or tree, with half the tolerance again and again until 99 of 100 bodies of a
/// sample have the error that is promised. It is halved six times at most, and given up where two halvings gain
/// nothing; each is noted.
///
/// # Errors
/// Those of the solver and of the audit.
pub fn tuned(method: Method, trial: Trial<'_>, watch: &Watch, note: &mut dyn FnMut(&str)) -> Result<Tuned> {
    let Trial { bodies, gravity, share, time, .. } = trial;
    let sample = audit::sample(bodies.len(), share, audit::EXPANSION_SAMPLE, 0);
    tightened(method, sample.len(), "a force error", note, |method| {
        let (forces, seconds) = evaluated(&method, trial, watch)?;
        let errors = audit::check(bodies, gravity, &forces, &sample, time, &method, Some(f64::MAX))?;
        let tuned = Tuned { method, forces, errors, seconds };
        let (found, next) = (tuned.found(), audit::tightened(&tuned.method, bodies.len(), tuned.found()));
        Ok(Attempt { tuned, found, next })
    })
}

/// At the start of a run: accelerations alone.
fn before_run<'a>(bodies: &'a Bodies, gravity: &'a Gravity) -> Trial<'a> {
    Trial { bodies, gravity, terms: ForceTerms::default(), share: 0.0, time: 0.0 }
}

/// The [cheapest] method for the first positions of a run.
pub(super) fn cheapest_before(
    rtol: f64,
    bodies: &Bodies,
    gravity: &Gravity,
    choice: Choice,
    audience: &mut Audience<'_>,
) -> Result<Method> {
    let (trial, watch) = (before_run(bodies, gravity), audience.watch());
    let mut note = |line: &str| audience.note(line);
    cheapest(rtol, trial, choice, &watch, &mut note).map(|tuned| tuned.method)
}

/// The tolerance at which expansions of the bodies as they are have the error that is promised; `None` for the usual
/// one.
///
/// # Errors
/// Those of the solver and of the audit.
pub(super) fn tolerance(
    method: Method,
    bodies: &Bodies,
    gravity: &Gravity,
    audience: &mut Audience<'_>,
) -> Result<Option<f64>> {
    let (trial, watch) = (before_run(bodies, gravity), audience.watch());
    let mut note = |line: &str| audience.note(line);
    let tuned = tuned(method, trial, &watch, &mut note)?;
    tuned.check().map(|()| tuned.method.expansion.tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Softenings of the bodies' own make expansions slower, so that more bodies are needed before they are tried first.
    #[test]
    fn own_softenings_are_counted() {
        let first = |bodies: usize, own_softenings: usize| {
            let device = DeviceChoice::Device(Device::Cpu);
            let choice = Choice { device, expansions: true, ..Choice::default() };
            ways(1e-3, &choice, ProblemSize { bodies, own_softenings, is_softened: false }).remove(0).solver
        };
        assert_eq!(first(20_000, 0), SolverName::Fmm);
        assert_eq!(first(20_000, 2), SolverName::Symmetric);
        assert_eq!(first(60_000, 2), SolverName::Fmm);
        assert_eq!(first(60_000, device::MANY_SOFTENINGS), SolverName::Symmetric);
        assert_eq!(first(1_000_000, device::MANY_SOFTENINGS), SolverName::Fmm);
    }
}
