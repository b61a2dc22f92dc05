//! Splittings: schemes as data, lists of drifts and kicks.

use super::{Integrator, Substep, System};
use crate::Result;

/// A splitting: substeps, carried out from first to last.
#[derive(Clone, Debug, PartialEq)]
pub struct Splitting {
    name: &'static str,
    order: u32,
    substeps: Vec<Substep>,
}

impl Splitting {
    /// A scheme of these substeps. The coefficients of the drifts must add up to 1, and so must those of the kicks.
    pub fn new(name: &'static str, order: u32, substeps: Vec<Substep>) -> Self {
        Splitting { name, order, substeps }
    }

    /// A composition of leapfrogs (kick-drift-kick) of the lengths `weights`, neighbouring kicks merged.
    pub(super) fn composed(name: &'static str, order: u32, weights: &[f64]) -> Self {
        let mut substeps = Vec::with_capacity(2 * weights.len() + 1);
        let mut before = 0.0;
        for &w in weights {
            substeps.extend([Substep::Kick((before + w) / 2.0), Substep::Drift(w)]);
            before = w;
        }
        substeps.push(Substep::Kick(before / 2.0));
        Splitting::new(name, order, substeps)
    }
}

impl Integrator for Splitting {
    fn name(&self) -> &'static str {
        self.name
    }

    fn order(&self) -> u32 {
        self.order
    }

    /// Kicks that follow a drift.
    fn evaluations(&self) -> usize {
        let drifts = |pair: &[Substep]| matches!(pair, [Substep::Drift(_), Substep::Kick(_)]);
        self.substeps.windows(2).filter(|pair| drifts(pair)).count()
    }

    fn begins_with_accelerations(&self) -> bool {
        matches!(self.substeps.first(), Some(Substep::Kick(_)))
    }

    fn step(&mut self, system: &mut dyn System, dt: f64) -> Result<()> {
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

    fn substeps(&self) -> Option<&[Substep]> {
        Some(&self.substeps)
    }
}
