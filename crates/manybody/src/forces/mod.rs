//! What accelerates the bodies of a run.
//!
//! A [`ForceModel`] computes the accelerations of all bodies from their state: [`SelfGravity`] by a solver,
//! [`LawForces`] by any law, or a type of a program's own. [`Forcing`] is such a model with the external
//! [fields](crate::field) of a run.
//!
//! ```
//! use manybody::forces::{Accelerations, ForceModel, Forcing};
//! use manybody::simulation::{Parameters, Simulation};
//! use manybody::{Bodies, Result, Snapshot};
//!
//! /// Each body is pulled to the origin: x'' = -x.
//! struct Springs;
//!
//! impl ForceModel for Springs {
//!     fn name(&self) -> String {
//!         "springs".into()
//!     }
//!
//!     fn accelerations(&mut self, bodies: &Bodies, _time: f64, out: &mut Accelerations) -> Result<()> {
//!         let pull = |column: &[f64]| column.iter().map(|x| -x).collect();
//!         (out.forces.ax, out.forces.ay, out.forces.az) = (pull(&bodies.x), pull(&bodies.y), pull(&bodies.z));
//!         Ok(())
//!     }
//! }
//!
//! let mut start = Snapshot::default();
//! start.bodies.push(1.0, [1.0, 0.0, 0.0], [0.0; 3]);
//! let parameters = Parameters { dt: 1e-3, t_end: std::f64::consts::PI, ..Parameters::default() };
//! let mut run = Simulation::start_with(start, parameters, Forcing::new(Springs))?;
//! while !run.is_finished() {
//!     run.step()?;
//! }
//! // half a period; the error of a leapfrog is dt^2 / 24 of the phase
//! assert!((run.bodies()?.x[0] + 1.0).abs() < 1e-6);
//! # Ok::<(), manybody::Error>(())
//! ```

mod gravity;
mod law;
mod remainders;
mod sum;

pub use gravity::SelfGravity;
pub(crate) use law::extra_columns;
pub use law::{LawForces, law_parameters, law_text, with_inputs};

use crate::audit::ForceErrors;
use crate::diagnostics::{Conserved, Diagnostics};
use crate::error::Capability;
use crate::field::{self, Field};
use crate::integrator::{Integrator, Needs, Substep};
use crate::law::{Law, Targets};
use crate::settings::ForceLaw;
use crate::simulation::Parameters;
use crate::solver::{
    BlockState, BlockStep, BlockWork, Derivatives, ForceTerms, Forces, Frame, Gravity, HermiteOrder, Method,
};
use crate::watch::Watch;
use crate::{Bodies, Error, Result, Snapshot, Units};
use manybody_pairwise::Resident;
use std::collections::BTreeMap;

/// What a model computes of bodies.
#[derive(Clone, Debug, Default)]
pub struct Accelerations {
    /// Accelerations: `ax`, `ay` and `az` are \[n\], length / time^2; the other arrays are not read.
    pub forces: Forces,
    /// Rates of extra columns of the bodies by name, each \[n\]: kicks advance those columns, u += dt du/dt.
    pub rates: BTreeMap<String, Vec<f64>>,
    /// Columns that follow from the others, as a density, each \[n\]: they take the place of the bodies' own.
    pub columns: BTreeMap<String, Vec<f64>>,
}

impl Accelerations {
    /// Refuses columns that do not fit the bodies.
    pub(crate) fn check(&self, bodies: &Bodies, advanced: &[String]) -> Result<()> {
        let wrong = |name, value: String, expected: String| Err(Error::Parameter { name, value, expected });
        let Forces { ax, ay, az, .. } = &self.forces;
        let own = [("ax", ax), ("ay", ay), ("az", az)];
        let named = self.rates.iter().chain(&self.columns).map(|(name, column)| (name.as_str(), column));
        if let Some((name, column)) = own.into_iter().chain(named).find(|(_, column)| column.len() != bodies.len()) {
            let expected = format!("must have {} entries, one for each body", bodies.len());
            return wrong("accelerations", format!("{name} has {} entries", column.len()), expected);
        }
        let unknown = |name: &&String| !bodies.extra.contains_key(*name) || !advanced.contains(name);
        match self.rates.keys().find(unknown) {
            Some(name) => wrong("rates", name.clone(), "must be an extra column of the bodies that is advanced".into()),
            None => Ok(()),
        }
    }
}

/// Computes the accelerations of bodies from their state.
///
/// A run that is resumed has the same bits where the accelerations depend on the bodies and the time alone, not on
/// earlier calls.
pub trait ForceModel: Send {
    /// What the model is called in snapshots.
    fn name(&self) -> String;

    /// Fills `out` with the accelerations of all bodies at `time`.
    ///
    /// # Errors
    /// Those of the model.
    fn accelerations(&mut self, bodies: &Bodies, time: f64, out: &mut Accelerations) -> Result<()>;

    /// Whether accelerations or rates depend on velocities, or on columns that have rates. Within a step, the model
    /// then gets those predicted for the time of the positions, and each step begins with an evaluation of its own.
    fn reads_velocities(&self) -> bool {
        false
    }

    /// The extra columns whose rates the model gives.
    fn advanced(&self) -> &[String] {
        &[]
    }

    /// What a user of these forces has to know before a run, in sentences: what of them it does not use.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether there is a potential, so that the energy of the bodies is known.
    fn has_potential(&self) -> bool {
        false
    }

    /// The potential of all other bodies at each body, per mass: \[n\], length^2 / time^2; half the sum of mass times
    /// potential is the energy. Called only where there is one. As accurate as is possible: energy errors are
    /// computed from it.
    ///
    /// # Errors
    /// Those of the model.
    fn potential(&mut self, bodies: &Bodies, _time: f64) -> Result<Vec<f64>> {
        Ok(vec![0.0; bodies.len()])
    }

    /// The forces on the `active` bodies, given by their indices: one entry for each. The model here computes all and
    /// takes those.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a jerk of a model that has no jerk.
    fn forces_on(
        &mut self,
        bodies: &Bodies,
        active: &[usize],
        time: f64,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        refuse_jerk(self, terms)?;
        let mut all = Accelerations::default();
        self.accelerations(bodies, time, &mut all)?;
        if terms.potential {
            all.forces.pot = self.potential(bodies, time)?;
        }
        *out = all.forces.at(active);
        Ok(())
    }

    /// The accelerations and jerks of the `active` bodies, given by their indices, and their snaps where the
    /// `accelerations` of all bodies are given: what Hermite schemes need.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model that has no such derivatives.
    fn derivatives_on(
        &mut self,
        _bodies: &Bodies,
        _accelerations: Option<[&[f64]; 3]>,
        _active: &[usize],
        _time: f64,
        _out: &mut Derivatives,
    ) -> Result<()> {
        refuse_jerk(self, ForceTerms { potential: false, jerk: true })
    }

    /// Compares the jerks of the sample with a reference in f64: the largest error, in units of their root mean square;
    /// `None` for a model that has no reference.
    ///
    /// # Errors
    /// Those of the model, and [`Error::Audit`] for a jerk that is further off than its precision explains.
    fn audit_jerks(&mut self, _audited: &Audited<'_>) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Makes a step of a run with block time steps, all its blocks, where the model computes; `None`, with nothing changed, for
    /// one that does not.
    ///
    /// # Errors
    /// Those of the device.
    fn block_step(
        &mut self,
        _bodies: &Bodies,
        _step: &BlockStep,
        _state: &mut BlockState,
    ) -> Result<Option<BlockWork>> {
        Ok(None)
    }

    /// Whether [`derivatives_on`](Self::derivatives_on) is there.
    fn has_derivatives(&self) -> bool {
        false
    }

    /// Whether the terms of these derivatives are rounded to f32: the differences of them over short steps, which a scheme of high
    /// order takes, are of rounding alone then.
    fn has_rounded_terms(&self) -> bool {
        false
    }

    /// Refuses bodies that nothing can be computed of.
    ///
    /// # Errors
    /// Those of the model.
    fn check(&self, _bodies: &Bodies) -> Result<()> {
        Ok(())
    }

    /// Compares the accelerations of some bodies with a reference. `None` where there is no reference.
    ///
    /// # Errors
    /// [`Error::Audit`] for a body that is wrong, and those of the reference.
    fn audit(&mut self, _audited: &Audited<'_>) -> Result<Option<ForceErrors>> {
        Ok(None)
    }

    /// Gives the model a watch on long evaluations.
    fn watch(&mut self, _watch: &Watch) {}

    /// The problem, where it is gravity.
    fn gravity(&self) -> Option<&Gravity> {
        None
    }

    /// The bodies, brought to where the model computes, to be moved there; `None` for a model that computes where the
    /// bodies are. `frame` is that of a resumed run.
    ///
    /// # Errors
    /// Those of the device.
    fn resident(&mut self, _bodies: &Bodies, _frame: Option<Frame>) -> Result<Option<Box<dyn Resident>>> {
        Ok(None)
    }

    /// Makes whole steps, where that is cheaper than evaluation by evaluation: the same bits in less time. Returns
    /// how many were made, which may be fewer than asked for; 0 leaves all as it was.
    ///
    /// # Errors
    /// Those of the model.
    fn steps(&mut self, _stretch: Stretch<'_>) -> Result<u64> {
        Ok(0)
    }
}

/// Steps of one length that a model may make by itself.
pub struct Stretch<'a> {
    /// The bodies.
    pub bodies: &'a mut Bodies,
    /// The accelerations at their positions, unless they have `moved` since.
    pub forces: &'a mut Forces,
    /// Positions have changed since the forces were computed.
    pub moved: &'a mut bool,
    /// What a step consists of.
    pub substeps: &'a [Substep],
    /// The length of a step.
    pub dt: f64,
    /// The most steps.
    pub most: u64,
}

/// Accelerations that are to be compared with a reference.
pub struct Audited<'a> {
    /// The bodies.
    pub bodies: &'a Bodies,
    /// Their accelerations, as the model last computed them.
    pub forces: &'a Forces,
    /// The bodies to compare.
    pub sample: &'a [usize],
    /// Simulation time, for messages.
    pub time: f64,
    /// How the accelerations were computed.
    pub method: &'a Method,
    /// The largest error that is accepted, in place of what the precision explains.
    pub limit: Option<f64>,
}

/// What accelerates the bodies of a run.
pub struct Forcing {
    pub(crate) model: Box<dyn ForceModel>,
    pub(crate) fields: Vec<Box<dyn Field>>,
}

impl Forcing {
    /// A model.
    pub fn new(model: impl ForceModel + 'static) -> Self {
        Forcing { model: Box::new(model), fields: Vec::new() }
    }

    /// The same with an external field beside it.
    #[must_use]
    pub fn and(mut self, field: impl Field + 'static) -> Self {
        self.fields.push(Box::new(field));
        self
    }

    /// The same with a further model beside its own: their accelerations, rates and potentials are added.
    #[must_use]
    pub fn and_model(self, model: impl ForceModel + 'static) -> Self {
        Forcing { model: Box::new(sum::Sum::of(self.model, Box::new(model))), ..self }
    }

    /// What the parameters of a run name, for bodies in `units`. Softenings of the bodies' own are removed where one
    /// is given for all.
    ///
    /// # Errors
    /// Those of the solver, the law and the device.
    pub fn of(parameters: &Parameters, units: &Units, bodies: &mut Bodies) -> Result<Self> {
        Self::by(&parameters.method(), parameters, units, bodies)
    }

    /// Those of the run that has kept a snapshot, for all pairs in f64 on the CPU, however the run has computed them;
    /// for a snapshot that no run has kept, gravity with the softenings of its bodies.
    ///
    /// # Errors
    /// [`Error::Kept`] for forces that a program has computed, which its file does not keep, for a law or a field
    /// in a file whose units were converted since, and for metadata that are damaged.
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self> {
        let Snapshot { bodies, units, meta, .. } = snapshot;
        if let Some(name) = meta.get("run.forces") {
            let expected = "a program computed the forces of this run, and its file does not keep them".into();
            return Err(Error::Kept { entry: "run.forces", value: name.clone(), expected });
        }
        let is_another = |law: &String| ForceLaw::from(&**law) != ForceLaw::Gravity;
        if !meta.get("run.law").is_some_and(is_another) && !meta.contains_key("run.field") {
            let gravity =
                Gravity::new(units.g, snapshot.run_softening()?.unwrap_or(0.0)).softened(snapshot.softening_kind()?);
            gravity.check_apart(bodies)?;
            return Ok(Forcing::new(SelfGravity::of(gravity, &Method::default())?));
        }
        if let Some(name) = meta.get("run.units").filter(|name| **name != units.name) {
            let expected =
                format!("the law or the field of this run has numbers in these units, the file is in {}", units.name);
            return Err(Error::Kept { entry: "run.units", value: name.clone(), expected });
        }
        Self::by(&Method::default(), &Parameters::from_snapshot(snapshot)?, units, &mut bodies.clone())
    }

    fn by(method: &Method, parameters: &Parameters, units: &Units, bodies: &mut Bodies) -> Result<Self> {
        let mut forcing = match parameters.law() {
            Some(law) => {
                let law = Law::by_name_or_text(law)?;
                let par = law_parameters(&law, &parameters.par.0, units)?;
                Forcing::new(LawForces::new(law, par, method, bodies)?)
            }
            None => {
                let eps = gravity::softening(bodies, parameters.eps)?;
                let gravity = Gravity::new(units.g, eps).softened(parameters.softening);
                Forcing::new(SelfGravity::of(gravity, method)?)
            }
        };
        forcing.fields.extend(parameters.field.0.iter().map(|spec| spec.field(units.g)));
        Ok(forcing)
    }

    /// The name of the model.
    pub fn name(&self) -> String {
        self.model.name()
    }

    /// Gravity, if that is what acts between the bodies.
    pub fn gravity(&self) -> Option<&Gravity> {
        self.model.gravity()
    }

    /// Energies and measures of the bodies under these forces, with the potential of all other bodies at each body,
    /// \[n\]; that is `None`, and the energy without it, where the forces have no potential.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a potential or a sum (mass, energies, angular momentum) that overflows; those of the
    /// forces.
    pub fn measure(&mut self, bodies: &Bodies, time: f64) -> Result<(Diagnostics, Option<Vec<f64>>)> {
        let has_potential = self.model.has_potential();
        let potential = match has_potential {
            true => self.model.potential(bodies, time)?,
            false => vec![0.0; bodies.len()],
        };
        if let Some(index) = potential.iter().position(|pot| !pot.is_finite()) {
            let (id, value) = (bodies.id[index], potential[index]);
            return Err(Error::NotFinite { time, index, id, quantity: "potential", value });
        }
        let mut measured = Diagnostics::measure(bodies, time, &potential);
        measured.check_finite(bodies, &potential)?;
        if !self.fields.is_empty() {
            measured.potential += field::energy(&self.fields, bodies, time);
            measured.check_finite(bodies, &potential)?;
        }
        Ok((measured, Some(potential).filter(|_| has_potential)))
    }

    /// The accelerations of all bodies or of some, in the order of the targets: by the model, and by the fields.
    ///
    /// # Errors
    /// Those of the model; [`Error::Parameter`] for a target that is not there, or is named twice.
    pub fn accelerations(&mut self, bodies: &Bodies, targets: &Targets<'_>, time: f64) -> Result<[Vec<f64>; 3]> {
        targets.check(bodies.len())?;
        let mut out = Accelerations::default();
        let list: Vec<usize> = match targets {
            Targets::All => (0..bodies.len()).collect(),
            Targets::Range(range) => range.clone().collect(),
            Targets::List(list) => list.to_vec(),
        };
        match targets {
            Targets::All => self.model.accelerations(bodies, time, &mut out)?,
            _ => self.model.forces_on(bodies, &list, time, ForceTerms::default(), &mut out.forces)?,
        }
        let Forces { ax, ay, az, .. } = out.forces;
        let mut columns = [ax, ay, az];
        for field in &self.fields {
            for (k, body) in list.iter().enumerate() {
                let (acceleration, _) = field.at(bodies.position(*body), time);
                columns.iter_mut().zip(acceleration).for_each(|(column, a)| column[k] += a);
            }
        }
        Ok(columns)
    }

    /// Why these forces do not have what a scheme needs, if so.
    fn lacks(&self, integrator: &dyn Integrator) -> Option<String> {
        match integrator.needs() {
            Needs::Accelerations => None,
            Needs::Derivatives => self.lacks_derivatives(integrator.blocks().is_some_and(HermiteOrder::has_snaps)),
            Needs::Gravity if self.model.gravity().is_none() => {
                Some(format!("{} is not gravity, which this scheme computes itself", self.model.name()))
            }
            Needs::Gravity if !self.fields.is_empty() => {
                Some("external fields do work on the bodies, and this scheme is for isolated systems".to_owned())
            }
            Needs::Gravity => None,
        }
    }

    /// Which derivatives are missing, if any.
    fn lacks_derivatives(&self, needs_snaps: bool) -> Option<String> {
        let have_jerks = self.fields.iter().all(|field| field.jerk([1.0; 3], [0.0; 3], 0.0).is_some());
        match self.model.has_derivatives() {
            false => Some(format!("{} has no jerk", self.model.name())),
            true if needs_snaps && !self.fields.is_empty() => {
                Some("external fields have no snap, which hermite4 and hermite6-3pt do not need".to_owned())
            }
            true if !have_jerks => Some("an external field has no jerk".to_owned()),
            true => None,
        }
    }

    /// Refuses schemes that need more than these forces have.
    pub(crate) fn check_scheme(&self, integrator: &dyn Integrator) -> Result<()> {
        if let Some(expected) = self.lacks(integrator) {
            let expected = format!("{expected}: must be leapfrog, leapfrog-dkd, yoshida4 or yoshida6");
            return Err(Error::Unsupported {
                capability: Capability::Integrator,
                value: integrator.name().into(),
                expected,
            });
        }
        if !self.model.reads_velocities() || integrator.substeps().is_none() || integrator.order() <= 2 {
            return Ok(());
        }
        let expected = format!(
            "{} reads velocities or columns that it changes itself, and a splitting of an order above 2 loses its \
             order there: must be leapfrog or leapfrog-dkd",
            self.model.name()
        );
        Err(Error::Unsupported { capability: Capability::Integrator, value: integrator.name().into(), expected })
    }

    /// What of a system they conserve.
    pub(crate) fn conserved(&self) -> Conserved {
        let is_constant = self.fields.iter().all(|field| field.is_static());
        // what depends on velocities takes energy, or gives it
        let is_conservative = self.model.has_potential() && !self.model.reads_velocities();
        Conserved { energy: is_conservative && is_constant, momenta: self.fields.is_empty() }
    }
}

/// Refuses a jerk, which only gravity has.
fn refuse_jerk(model: &(impl ForceModel + ?Sized), terms: ForceTerms) -> Result<()> {
    match terms.jerk {
        true => Err(Error::Unsupported {
            capability: Capability::Law,
            value: model.name(),
            expected: "computes no jerk; gravity does".into(),
        }),
        false => Ok(()),
    }
}
