//! Integrators: how bodies are moved by their accelerations, from step to step.
//!
//! An [`Integrator`] makes steps of a [`System`]. The schemes here are symplectic [`Splitting`]s, written once in the verbs
//! drift, kick and accelerate: a separable Hamiltonian H = T(v) + U(x) is advanced by turns. With the velocities held,
//! positions *drift*, x += dt v; with the positions held, velocities are *kicked*, v += dt a(x). A splitting is the list of
//! those substeps and their coefficients; the system carries them out wherever its bodies live.
//!
//! ```text
//! leapfrog (KDK)    kick dt/2, drift dt, kick dt/2                  order 2, 1 force evaluation a step
//! leapfrog-dkd      drift dt/2, kick dt, drift dt/2                 order 2, 1
//! yoshida4          3 leapfrogs of w1 dt, w0 dt, w1 dt              order 4, 3   [Yoshida 1990, eq. 2.11]
//! yoshida6          7 leapfrogs, solution A                         order 6, 7   [Yoshida 1990, table 1]
//! hermite4          predictor and corrector, block time steps       order 4, 1   [Makino 1992]
//! hermite6          the same, with snaps                            order 6, 1   [Nitadori 2008]
//! hermite6-3pt      the same, with jerks of the step before         order 6, 1   [Dittmann 2024]
//! ar-chain          few bodies, regularised                         to rounding  [Mikkola 2008]
//! ```
//!
//! The substeps do not say when to accelerate: a kick needs the acceleration at the present positions, and a system
//! whose positions have not moved since its last evaluation has it already. So the closing kick of one step and the
//! opening kick of the next share an evaluation (first same as last), and a run that is interrupted at any step and
//! resumed from its positions and velocities continues with the same bits.
//!
//! A scheme that predicts and corrects, perhaps each body with a step of its own, is no splitting: [`Hermite`]. It
//! implements [`Integrator`] on [`ActiveBodies`], which give it the bodies themselves, and accelerations and their
//! derivatives of those that are due. [`ArChain`] has a time step that depends on the bodies, and computes gravity
//! itself.

mod ar_chain;
mod control;
mod hermite;
mod leapfrog;
mod splitting;
mod yoshida;

pub use ar_chain::ArChain;
pub use control::{Pairs, StepControl, TimeSteps};
pub use hermite::{Hermite, Work};
pub(crate) use hermite::{mark, renumber, were_one};
pub use manybody_pairwise::{KickDrift, Substep};
pub use splitting::Splitting;

use crate::error::Capability;
use crate::solver::{BlockState, BlockStep, BlockWork, Derivatives, Gravity, HermiteOrder};
use crate::{Bodies, Error, Result};
use std::fmt::Debug;

/// The columns that integrators leave of what rounding takes from places: x, y and z, of one kind of integrator each.
pub(crate) const PLACES_LEFT: [[&str; 3]; 2] = [hermite::PLACES_LEFT, ar_chain::PLACES_LEFT];

/// What an integrator moves: bodies, wherever they live.
pub trait System {
    /// Moves every body along its velocity: x += dt v.
    ///
    /// # Errors
    /// Those of the device.
    fn drift(&mut self, dt: f64) -> Result<()>;

    /// Changes every velocity by its acceleration: v += dt a.
    ///
    /// # Errors
    /// Those of the device.
    fn kick(&mut self, dt: f64) -> Result<()>;

    /// Brings the acceleration up to the present positions; does nothing where they have not moved since last time.
    ///
    /// # Errors
    /// Those of the solver, and [`Error::NotFinite`] where an acceleration is infinite or NaN.
    fn accelerate(&mut self) -> Result<()>;

    /// The bodies one by one, for schemes that do more than drift and kick; `None` where the bodies live elsewhere.
    fn active(&mut self) -> Option<&mut dyn ActiveBodies> {
        None
    }
}

/// Bodies in this machine's memory, some of which are active: what a scheme with individual time steps moves.
pub trait ActiveBodies {
    /// The bodies.
    fn bodies(&self) -> &Bodies;

    /// The bodies, to be moved: predicted, or corrected.
    fn bodies_mut(&mut self) -> &mut Bodies;

    /// The accelerations and jerks of the `active` bodies by all, where they are now, and their snaps where the
    /// `accelerations` of all bodies are given. `elapsed` is the time since the beginning of the step.
    ///
    /// # Errors
    /// As [`System::accelerate`]; [`Error::Unsupported`] for forces without such derivatives.
    fn derivatives_on(
        &mut self,
        active: &[usize],
        accelerations: Option<[&[f64]; 3]>,
        elapsed: f64,
        out: &mut Derivatives,
    ) -> Result<()>;

    /// Whether the terms of these derivatives are rounded to f32.
    fn has_rounded_terms(&self) -> bool {
        false
    }

    /// Makes all blocks of a step where the forces are computed; `None`, with nothing changed, where that cannot be.
    ///
    /// # Errors
    /// Those of the device.
    fn block_step(&mut self, step: &BlockStep, state: &mut BlockState) -> Result<Option<BlockWork>>;

    /// Makes one body of two that have touched at a time; the one without mass is removed after the step.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for bodies that are not moved by gravity.
    fn merge(&mut self, _pair: [usize; 2], _elapsed: f64) -> Result<[usize; 2]> {
        let expected = "these bodies cannot merge".into();
        Err(Error::Unsupported { capability: Capability::Integrator, value: "collisions".into(), expected })
    }

    /// The gravity between the bodies, whatever else acts on them.
    fn gravity_between(&self) -> Option<Gravity> {
        self.gravity()
    }

    /// How many mergers there were in this step.
    fn mergers(&self) -> usize {
        0
    }

    /// Takes back the mergers of this step but the first ones: what followed is made again.
    fn forget_mergers(&mut self, _but: usize) {}

    /// The gravity between the bodies, where nothing else acts on them: for schemes that compute forces themselves.
    fn gravity(&self) -> Option<Gravity> {
        None
    }

    /// The time at which the step began.
    fn time(&self) -> f64;

    /// Whether the step is to be given up: it then ends with [`Error::Interrupted`], and will be made again.
    fn is_stopped(&self) -> bool;

    /// Notes which share of the step is done.
    fn note_progress(&self, share: f64);
}

/// What a scheme needs to know of the forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Accelerations at the positions of the bodies.
    Accelerations,
    /// Accelerations and their time derivatives, of single bodies too.
    Derivatives,
    /// That they are gravity, and nothing else: it computes them itself.
    Gravity,
}

/// A scheme that advances a system from step to step.
///
/// A run that is resumed begins with the bodies alone: what a scheme carries from one step to the next must follow from
/// them, or be a column of them ([`Bodies::extra`]), for a resumed run to have the same bits.
pub trait Integrator: Debug + Send {
    /// The name by which the command line knows it.
    fn name(&self) -> &'static str;

    /// The order: over a given time, errors fall as dt^order.
    fn order(&self) -> u32;

    /// Force evaluations a step, once running.
    fn evaluations(&self) -> usize;

    /// Whether a step begins with the accelerations of the positions that it begins at.
    fn begins_with_accelerations(&self) -> bool;

    /// The columns of the bodies that it leaves with them for the next step.
    fn columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Refuses bodies of a run with steps of `dt` that is to be resumed, where what it has left with them is missing or
    /// damaged.
    ///
    /// # Errors
    /// [`Error::Kept`] for a column that is missing, [`Error::Body`] for a value.
    fn check_kept(&self, _bodies: &Bodies, _dt: f64) -> Result<()> {
        Ok(())
    }

    /// The scheme of block time steps, of those that have them.
    fn blocks(&self) -> Option<HermiteOrder> {
        None
    }

    /// What has been computed; `None` for a scheme that evaluates all bodies [`evaluations`](Self::evaluations) times a step.
    fn work(&self) -> Option<Work> {
        None
    }

    /// The smallest time step of a body in the last step, and which body had it; `None` for a scheme whose bodies have no steps
    /// of their own, and where that is not known.
    fn smallest_step(&self) -> Option<(f64, usize)> {
        None
    }

    /// Takes notice of bodies that were removed after the last step, before these are.
    fn renumber(&mut self, _is_kept: &[bool]) {}

    /// What it needs to know of the forces.
    fn needs(&self) -> Needs {
        match self.substeps() {
            Some(_) => Needs::Accelerations,
            None => Needs::Derivatives,
        }
    }

    /// Refuses bodies that it does not suit.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming what is wrong with them.
    fn check(&self, _bodies: &Bodies) -> Result<()> {
        Ok(())
    }

    /// Advances `system` by one step of length `dt`.
    ///
    /// # Errors
    /// Those of the system, which is then somewhere inside the step.
    fn step(&mut self, system: &mut dyn System, dt: f64) -> Result<()>;

    /// The drifts and kicks that a step consists of, for devices and solvers that make whole steps; `None` for a scheme that
    /// does more than that, which moves bodies in this machine's memory only.
    fn substeps(&self) -> Option<&[Substep]> {
        None
    }

    /// The same for `steps` steps of length `dt`, cut for devices; `moved` says that positions have changed since the last
    /// acceleration.
    fn moves(&self, dt: f64, steps: u64, moved: bool) -> Option<Vec<KickDrift>> {
        self.substeps().map(|substeps| KickDrift::of(substeps, dt, steps, moved))
    }
}

type Maker = fn(&StepControl) -> Box<dyn Integrator>;

/// Every integrator by its names. A new one adds its file and a line here.
const REGISTRY: &[(&str, Maker)] = &[
    ("leapfrog", |_| Box::new(leapfrog::kick_drift_kick())),
    ("leapfrog-kdk", |_| Box::new(leapfrog::kick_drift_kick())),
    ("leapfrog-dkd", |_| Box::new(leapfrog::drift_kick_drift())),
    ("yoshida4", |_| Box::new(yoshida::fourth())),
    ("yoshida6", |_| Box::new(yoshida::sixth())),
    ("hermite4", |control| Box::new(Hermite::fourth(control))),
    ("hermite6", |control| Box::new(Hermite::sixth(control))),
    ("hermite6-3pt", |control| Box::new(Hermite::three_point(control))),
    ("ar-chain", |control| Box::new(ArChain::with(control))),
];

/// The names that [`by_name`] knows; `leapfrog-kdk` is another name of `leapfrog`.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|(name, _)| *name)
}

/// The integrator of that name.
///
/// # Errors
/// [`Error::Unknown`], with the names there are.
pub fn by_name(name: &str) -> Result<Box<dyn Integrator>> {
    name.parse().map(IntegratorName::integrator)
}

/// The name of an integrator there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegratorName(&'static str);

impl IntegratorName {
    /// The integrator, with time steps of its own.
    pub fn integrator(self) -> Box<dyn Integrator> {
        self.with(&StepControl::default())
    }

    /// The integrator; `control` is for those with variable time steps.
    pub fn with(self, control: &StepControl) -> Box<dyn Integrator> {
        let make = REGISTRY.iter().find(|(known, _)| *known == self.0).map_or(REGISTRY[0].1, |(_, make)| *make);
        make(control)
    }

    /// Whether its time steps vary.
    pub fn has_variable_steps(self) -> bool {
        self.integrator().substeps().is_none()
    }

    /// What it needs to know of the forces.
    pub fn needs(self) -> Needs {
        self.integrator().needs()
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl Default for IntegratorName {
    /// The leapfrog.
    fn default() -> Self {
        IntegratorName(REGISTRY[0].0)
    }
}

impl std::fmt::Display for IntegratorName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.0)
    }
}

impl std::str::FromStr for IntegratorName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match REGISTRY.iter().find(|(known, _)| *known == name) {
            Some((known, _)) => Ok(IntegratorName(known)),
            None => {
                let known = names().collect::<Vec<_>>().join(", ");
                Err(Error::Unknown { what: "integrator", name: name.into(), known })
            }
        }
    }
}

#[cfg(test)]
mod moves_tests;
#[cfg(test)]
mod tests;
