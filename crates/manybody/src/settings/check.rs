//! Which parameters go together.

use super::{Parameters, Settings, setting};
use crate::integrator::{Needs, Pairs, StepControl, TimeSteps};
use crate::solver::{Device, Gravity, HermiteOrder, Precision, Softening, Summation};
use crate::units::Units;
use crate::{Error, Result};

/// The share of the bodies whose forces are compared with f64, and the largest error that is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Audit {
    /// From 0, without an audit, to 1.
    pub share: f64,
    /// What the precision can explain where it is not given.
    pub limit: Option<f64>,
}

impl Audit {
    /// What settings say of an evaluation, or of the start of a run.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a share or a limit that cannot be.
    pub fn of(settings: &Settings) -> Result<Self> {
        let units = Units::default();
        let share = setting::audit.resolve(&settings.audit, &units)?.unwrap_or(1e-3);
        Audit { share, limit: setting::audit_limit.resolve(&settings.audit_limit, &units)? }.checked()
    }

    fn checked(self) -> Result<Self> {
        let wrong = |name, value: f64, expected: &str| {
            Err(Error::Parameter { name, value: value.to_string(), expected: expected.into() })
        };
        if !(0.0..=1.0).contains(&self.share) {
            return wrong("audit", self.share, "must be a share of the bodies, from 0 to 1");
        }
        check_limit("audit-limit", self.limit)?;
        match self.limit {
            Some(limit) if self.share == 0.0 => {
                wrong("audit-limit", limit, "must not be given without an audit: --audit must be above 0")
            }
            _ => Ok(self),
        }
    }
}

/// Refuses a limit that no error can be compared with.
fn check_limit(name: &'static str, limit: Option<f64>) -> Result<()> {
    match limit {
        Some(limit) if !(limit > 0.0 && limit.is_finite()) => {
            let expected = "must be a finite number above 0".into();
            Err(Error::Parameter { name, value: limit.to_string(), expected })
        }
        _ => Ok(()),
    }
}

impl Parameters {
    /// Why the integrator cannot be computed with this method, in words.
    fn lacks(&self) -> Option<String> {
        match self.integrator.needs() {
            Needs::Accelerations => None,
            Needs::Derivatives => self.lacks_derivatives(),
            Needs::Gravity => self.lacks_pairs(),
        }
    }

    /// Why a scheme that computes gravity itself cannot be computed with this method, in words.
    fn lacks_pairs(&self) -> Option<String> {
        let Parameters { solver, device, precision, softening, .. } = self;
        if solver.is_by_expansion() {
            return Some(format!("computes all pairs itself, not by the solver {solver}: must be symmetric or direct"));
        }
        if device.is_gpu() {
            return Some(format!("is not on {device}: must be on the CPU"));
        }
        if *softening != Softening::Plummer && self.eps != Some(0.0) {
            return Some(format!("does not have the softening {softening}: must be plummer"));
        }
        (*precision != Precision::F64)
            .then(|| format!("resolves close pairs, for which {precision} is too coarse: must be f64"))
    }

    /// Why close bodies cannot move as one body of the scheme, in words.
    fn lacks_joined_bodies(&self) -> Option<String> {
        let is_hermite = self.integrator.needs() == Needs::Derivatives;
        let is_of_three_points = self.integrator.integrator().blocks() == Some(HermiteOrder::ThreePoint);
        let is_individual = matches!(self.time_steps, None | Some(TimeSteps::Individual));
        let lacks = [
            (!is_hermite, "belongs to the integrators hermite4 and hermite6"),
            (
                is_of_three_points,
                "needs a scheme that bears forces which are not smooth: --integrator hermite4 or hermite6",
            ),
            (!is_individual, "needs steps of its own for each body: --time-steps individual"),
            (self.device.is_gpu(), "is not on GPUs: --device cpu"),
            (self.solver.is_by_expansion(), "needs the forces of all pairs: --solver symmetric or direct"),
            (self.precision == Precision::F32, "needs forces in f64 or mixed precision"),
            (self.law().is_some() || !self.field.0.is_empty(), "needs gravity alone, without another law and fields"),
            (self.eps != Some(0.0), "needs bodies without softening: --eps 0"),
        ];
        lacks.into_iter().find_map(|(lacks, why)| lacks.then(|| why.to_owned()))
    }

    /// Why a Hermite scheme cannot be computed with this method, in words.
    fn lacks_derivatives(&self) -> Option<String> {
        let scheme = self.integrator.integrator().blocks();
        let needs_snaps = scheme.is_some_and(HermiteOrder::has_snaps);
        let (solver, device, precision, sum) = (self.solver, self.device, self.precision, self.sum);
        if solver.is_by_expansion() && needs_snaps {
            return Some(format!("needs snaps, which the solver {solver} does not have: must be symmetric or direct"));
        }
        if solver.is_by_expansion() && scheme == Some(HermiteOrder::ThreePoint) {
            return Some(format!(
                "takes fifth derivatives from differences, in which the errors of the solver {solver} would be multiplied: must be symmetric or direct"
            ));
        }
        if solver.is_by_expansion() && self.order == Some(1) {
            return Some("needs jerks, for which expansions must have --order 2 at least".into());
        }
        if sum != Summation::default() {
            return Some(format!(
                "needs jerks, which are computed with the sums of the solvers only, not with --sum {sum}"
            ));
        }
        let has_snaps = match precision {
            Precision::F64 => device != Device::Wgpu,
            Precision::Mixed => true,
            Precision::F32 => false,
        };
        if needs_snaps && !has_snaps {
            let expected = "must be mixed, or f64 on the CPU and on cuda";
            return Some(format!("needs snaps, which {precision} on {device} does not have: {expected}"));
        }
        if self.softening != Softening::Plummer && (needs_snaps || precision != Precision::F64) {
            let of = self.softening;
            return Some(format!(
                "has the softening {of} for hermite4 and hermite6-3pt in f64 only: --softening plummer has all"
            ));
        }
        None
    }

    /// Refuses what the integrator does not have, and limits of time steps that contradict each other.
    fn check_steps(&self) -> Result<()> {
        let wrong = |name, value: &dyn std::fmt::Display, expected: String| {
            Err(Error::Parameter { name, value: value.to_string(), expected })
        };
        if let Some(expected) = self.lacks() {
            return wrong("integrator", &self.integrator, expected);
        }
        let control = self.step_control();
        if let (Some((name, value)), true) = (control.given(), self.integrator.needs() != Needs::Derivatives) {
            let expected = format!(
                "belongs to the integrators hermite4, hermite6 and hermite6-3pt; this one is {}",
                self.integrator
            );
            return wrong(name, &value, expected);
        }
        let joined = self.pairs.filter(|pairs| *pairs != Pairs::Resolved);
        if let (Some(value), None) = (self.perturbation, joined) {
            return wrong("perturbation", &value, "belongs to --pairs kepler and --pairs chain".into());
        }
        if let Some(value) = self.perturbation.filter(|value| !(*value > 0.0 && *value <= 1e-3)) {
            return wrong("perturbation", &value, "must be above 0 and at most 1e-3".into());
        }
        if let (Some(pairs), Some(expected)) = (joined, self.lacks_joined_bodies()) {
            return wrong("pairs", &pairs, expected);
        }
        let varying = StepControl { iterations: None, pairs: None, perturbation: None, ..control };
        if let (Some((name, value)), Some(TimeSteps::Constant)) = (varying.given(), self.time_steps) {
            return wrong(name, &value, "belongs to time steps that vary: --time-steps individual or shared".into());
        }
        let numbers =
            [("eta", self.eta), ("eta-start", self.eta_start), ("dt-max", self.dt_max), ("dt-min", self.dt_min)];
        for (name, value) in numbers.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if !(value > 0.0 && value.is_finite()) {
                return wrong(name, &value, "must be a finite number above 0".into());
            }
        }
        let most = self.dt_max.unwrap_or(self.dt);
        if most > self.dt {
            return wrong("dt-max", &most, format!("must be at most dt = {}, where all bodies meet", self.dt));
        }
        if let Some(least) = self.dt_min.filter(|least| *least > most) {
            return wrong("dt-min", &least, format!("must be at most the largest step, {most}"));
        }
        match self.iterations {
            Some(n) if !(1..=9).contains(&n) => wrong("iterations", &n, "must be 1 to 9".into()),
            _ => Ok(()),
        }
    }

    /// Refuses events that these forces or this scheme do not have.
    fn check_events(&self) -> Result<()> {
        let lengths = [("radius", self.radius), ("remove-escapers", self.remove_escapers)];
        for (name, value) in lengths.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if !(value > 0.0 && value.is_finite()) {
                let expected = "must be a finite length above 0".into();
                return Err(Error::Parameter { name, value: value.to_string(), expected });
            }
        }
        if let (Some(radius), None) = (self.radius, self.collisions) {
            let expected = "belongs to --collisions merge".into();
            return Err(Error::Parameter { name: "radius", value: radius.to_string(), expected });
        }
        let given = [
            ("collisions", self.collisions.map(|kind| kind.to_string())),
            ("remove-escapers", self.remove_escapers.map(|radius| radius.to_string())),
        ];
        if let (Some((name, value)), Some(_)) = (given.into_iter().find_map(|(n, v)| Some((n, v?))), self.law()) {
            let expected = "belongs to gravity; what a law makes of a merged or a missing body is not known".into();
            return Err(Error::Parameter { name, value, expected });
        }
        Ok(())
    }

    /// A setting that only expansions have, if one is given: its name and value.
    pub(crate) fn of_expansions(&self) -> Option<(&'static str, String)> {
        let given = [
            ("order", self.order.map(|order| order.to_string())),
            ("theta", self.theta.map(|theta| format!("{theta:?}"))),
            ("tolerance", self.tolerance.map(|tolerance| format!("{tolerance:?}"))),
        ];
        given.into_iter().find_map(|(name, given)| given.map(|value| (name, value)))
    }

    /// Refuses values that no run can have.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the setting.
    pub fn check(&self) -> Result<()> {
        let wrong = |name, value: f64, expected: &str| {
            Err(Error::Parameter { name, value: value.to_string(), expected: expected.into() })
        };
        Audit { share: self.audit, limit: self.audit_limit }.checked()?;
        self.eps.map(Gravity::checked_softening).transpose()?;
        if let Some(every) = self.log.filter(|every| !(*every >= self.dt && every.is_finite())) {
            return wrong("log", every, &format!("must be a finite time of at least one step, dt = {}", self.dt));
        }
        check_limit("max-energy-error", self.max_energy_error)?;
        check_limit("rtol", self.rtol)?;
        if self.rtol.is_some() && self.audit == 0.0 {
            return wrong("audit", 0.0, "--rtol needs an audit: must be above 0");
        }
        if let (Some((name, value)), false) = (self.of_expansions(), self.is_by_expansion()) {
            let expected = match self.law() {
                Some(_) => {
                    "belongs to gravity by the solvers fmm and tree; a law is computed without an error to choose"
                        .into()
                }
                None => format!("belongs to the solvers fmm and tree; this one is {}", self.solver),
            };
            return Err(Error::Parameter { name, value, expected });
        }
        self.check_law()?;
        self.check_steps()?;
        self.check_events()?;
        self.method().check()
    }
}
