//! What to change so that a run resolves a pair.

use super::pair::ClosePair;
use crate::few_body;
use crate::integrator::{Needs, Pairs};
use crate::settings::Parameters;
use crate::solver::{Device, HermiteOrder, Precision, Softening};
use crate::units::show;
use crate::{Bodies, Units};

/// The share of the shortest time scale of a pair that a constant step may have: 1/20 makes the energy error of a
/// leapfrog some 1e-4 at the pericentre.
const RESOLVED: f64 = 0.05;

/// The perturbation up to which a pair can move by Kepler's solution where nothing else is said.
const HARDLY: f64 = 1e-5;

/// The share of a step of the run below which the time scale of a pair is one for `--pairs chain`: as encounters that it takes.
const CLOSE: f64 = 1.0 / 1024.0;

/// What may be changed, the cheapest first; empty where no setting resolves the pair better.
pub(super) fn remedies(pair: &ClosePair, step: f64, run: &Parameters, bodies: &Bodies, units: &Units) -> Vec<String> {
    let mut found = match run.integrator.needs() {
        Needs::Accelerations => constant_steps(pair, run, units),
        Needs::Derivatives => variable_steps(pair, step, run, units),
        Needs::Gravity => Vec::new(),
    };
    if run.precision != Precision::F64 {
        found.push(format!("--precision f64, where the forces of close bodies in {} are too coarse", run.precision));
    }
    found.extend(other_integrators(run, bodies));
    if let (Some(eps), true) = (softening(pair, run), run.integrator.needs() == Needs::Accelerations) {
        let eps = show::decimal(eps, 2);
        found.push(format!("--eps {eps}, which smooths encounters to what dt resolves, if close pairs do not matter"));
    }
    found
}

/// The step that suits a pair: a power of two.
pub(super) fn resolving_step(pair: &ClosePair) -> Option<f64> {
    let step = (RESOLVED * pair.shortest_time_scale()).log2().floor().exp2();
    (step > 0.0 && step.is_finite()).then_some(step)
}

/// The softening that suits a step: sqrt(eps^3 / G M) is twenty of it.
pub(super) fn softening(pair: &ClosePair, run: &Parameters) -> Option<f64> {
    let eps = (pair.attraction * (run.dt / RESOLVED).powi(2)).cbrt();
    (run.law().is_none() && eps > pair.eps && eps.is_finite()).then_some(eps)
}

fn constant_steps(pair: &ClosePair, run: &Parameters, units: &Units) -> Vec<String> {
    match resolving_step(pair).filter(|step| *step < run.dt) {
        Some(step) => {
            vec![format!(
                "--dt {}: a twentieth of the time scale at the pericentre of this pair",
                show::step(step, units)
            )]
        }
        None => vec![format!(
            "--dt {}: this pair is resolved already, and errors fall as dt^{}",
            show::step(0.5 * run.dt, units),
            run.integrator.integrator().order()
        )],
    }
}

fn variable_steps(pair: &ClosePair, step: f64, run: &Parameters, units: &Units) -> Vec<String> {
    let order = run.integrator.integrator().order();
    let mut found = Vec::new();
    let can_be = |pairs: Pairs| {
        matches!(run.pairs, None | Some(Pairs::Resolved))
            && Parameters { pairs: Some(pairs), ..run.clone() }.check().is_ok()
    };
    let is_hard = pair.period().is_some_and(|period| period <= run.dt) && pair.perturbation < HARDLY;
    if is_hard && can_be(Pairs::Kepler) {
        found.push("--pairs kepler, which moves this pair by Kepler's solution while others hardly pull at it".into());
    }
    if pair.shortest_time_scale() < CLOSE * run.dt && can_be(Pairs::Chain) {
        found.push(
            "--pairs chain (experimental), which regularises close pairs and encounters, head-on ones, too".into(),
        );
    }
    let scheme = run.integrator.integrator().blocks().unwrap_or(HermiteOrder::Fourth);
    let eta = run.eta.unwrap_or(scheme.default_eta());
    let is_at_limit = run.dt_min.is_some_and(|least| step < 2.0 * least);
    if let (true, Some(smaller)) = (is_at_limit, resolving_step(pair)) {
        found.push(format!(
            "--dt-min {}, or no limit: the steps of this pair are at the limit",
            show::step(smaller, units)
        ));
    }
    if !run.has_variable_steps() {
        found.push("--time-steps individual: steps that follow the encounter".into());
    } else {
        found.push(format!("--eta {}: half of it, and errors fall as eta^{order}", show::decimal(0.5 * eta, 3)));
    }
    found
}

/// Integrators that follow close encounters, where they suit the run.
fn other_integrators(run: &Parameters, bodies: &Bodies) -> Vec<String> {
    let alone = run.law().is_none() && run.field.0.is_empty();
    let mut found = Vec::new();
    let is_plummer = run.softening == Softening::Plummer;
    let has_jerks = is_plummer || run.precision == Precision::F64;
    if run.integrator.needs() == Needs::Accelerations && run.law().is_none() && has_jerks {
        found.push("--integrator hermite4, which gives each body the step that it needs".into());
    }
    let can_be_regularised = alone && is_plummer && run.device == Device::Cpu && few_body::check(bodies).is_ok();
    if run.integrator.needs() != Needs::Gravity && can_be_regularised {
        found.push("--integrator ar-chain, which regularises close encounters".into());
    }
    found
}
