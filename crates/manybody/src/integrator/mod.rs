//! Integrators: symplectic splittings, written once in the verbs drift, kick and accelerate.
//!
//! A separable Hamiltonian H = T(v) + U(x) is advanced by turns: with the velocities held, positions *drift*,
//! x += dt v; with the positions held, velocities are *kicked*, v += dt a(x). An [`Integrator`] is nothing but the
//! list of those substeps and their coefficients; a [`System`] carries them out wherever its bodies live.
//!
//! ```text
//! leapfrog (KDK)    kick dt/2, drift dt, kick dt/2                  order 2, 1 force evaluation a step
//! leapfrog-dkd      drift dt/2, kick dt, drift dt/2                 order 2, 1
//! yoshida4          3 leapfrogs of w1 dt, w0 dt, w1 dt              order 4, 3   [Yoshida 1990, eq. 2.11]
//! yoshida6          7 leapfrogs, solution A                         order 6, 7   [Yoshida 1990, table 1]
//! ```
//!
//! The substeps do not say when to accelerate: a kick needs the acceleration at the present positions, and a system
//! whose positions have not moved since its last evaluation has it already. So the closing kick of one step and the
//! opening kick of the next share an evaluation (first same as last), and a run that is interrupted at any step and
//! resumed from its positions and velocities continues with the same bits.

mod leapfrog;
mod moves;
mod yoshida;

pub use manybody_pairwise::{Move, Substep};

use crate::{Error, Result};

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
}

/// A splitting: substeps, carried out from first to last.
#[derive(Clone, Debug, PartialEq)]
pub struct Integrator {
    name: &'static str,
    order: u32,
    substeps: Vec<Substep>,
}

impl Integrator {
    /// The name by which the command line knows it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The order: over a given time, errors fall as dt^order.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// The substeps. The coefficients of the drifts add up to 1, and so do those of the kicks.
    pub fn substeps(&self) -> &[Substep] {
        &self.substeps
    }

    /// Force evaluations a step, once running: kicks that follow a drift.
    pub fn evaluations(&self) -> usize {
        let drifts = |pair: &[Substep]| matches!(pair, [Substep::Drift(_), Substep::Kick(_)]);
        self.substeps.windows(2).filter(|pair| drifts(pair)).count()
    }

    /// Whether a step begins with a kick, so that it needs the accelerations of the positions that it begins at.
    pub fn begins_with_kick(&self) -> bool {
        matches!(self.substeps.first(), Some(Substep::Kick(_)))
    }

    /// Advances `system` by one step of length `dt`.
    ///
    /// # Errors
    /// Those of the system, which is then somewhere inside the step.
    pub fn step(&self, system: &mut dyn System, dt: f64) -> Result<()> {
        for substep in &self.substeps {
            match *substep {
                Substep::Drift(c) => system.drift(c * dt)?,
                Substep::Kick(c) => {
                    system.accelerate()?;
                    system.kick(c * dt)?;
                }
            }
        }
        Ok(())
    }
}

type Maker = fn() -> Integrator;

/// Every integrator by its names. A new one adds its file and a line here.
const REGISTRY: &[(&str, Maker)] = &[
    ("leapfrog", leapfrog::kick_drift_kick),
    ("leapfrog-kdk", leapfrog::kick_drift_kick),
    ("leapfrog-dkd", leapfrog::drift_kick_drift),
    ("yoshida4", yoshida::fourth),
    ("yoshida6", yoshida::sixth),
];

/// The names that [`by_name`] knows; `leapfrog-kdk` is another name of `leapfrog`.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|(name, _)| *name)
}

/// The integrator of that name.
///
/// # Errors
/// [`Error::Unknown`], with the names there are.
pub fn by_name(name: &str) -> Result<Integrator> {
    name.parse().map(IntegratorName::integrator)
}

/// The name of an integrator there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegratorName(&'static str);

impl IntegratorName {
    /// The integrator.
    pub fn integrator(self) -> Integrator {
        REGISTRY.iter().find(|(known, _)| *known == self.0).map_or_else(leapfrog::kick_drift_kick, |(_, make)| make())
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

/// A composition of leapfrogs (kick-drift-kick) of the lengths `weights`, neighbouring kicks merged.
fn compose(weights: &[f64]) -> Vec<Substep> {
    let mut substeps = Vec::with_capacity(2 * weights.len() + 1);
    let mut before = 0.0;
    for &w in weights {
        substeps.extend([Substep::Kick((before + w) / 2.0), Substep::Drift(w)]);
        before = w;
    }
    substeps.push(Substep::Kick(before / 2.0));
    substeps
}

#[cfg(test)]
mod tests;
