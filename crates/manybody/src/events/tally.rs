//! What events have changed of what a run conserves.

use crate::diagnostics::Diagnostics;
use crate::vector::less;

/// The sum of changes by events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Tally {
    /// Mergers and escapes.
    pub count: u64,
    /// Mass.
    pub mass: f64,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
    /// Momentum.
    pub momentum: [f64; 3],
    /// Angular momentum about the origin.
    pub angular_momentum: [f64; 3],
}

impl Tally {
    /// The change between two states.
    pub(crate) fn between(before: &Diagnostics, after: &Diagnostics) -> Self {
        Tally {
            count: 0,
            mass: after.mass - before.mass,
            kinetic: after.kinetic - before.kinetic,
            potential: after.potential - before.potential,
            momentum: less(after.momentum, before.momentum),
            angular_momentum: less(after.angular_momentum, before.angular_momentum),
        }
    }

    /// Adds further changes.
    pub(crate) fn add(&mut self, more: &Tally) {
        self.count += more.count;
        self.mass += more.mass;
        self.kinetic += more.kinetic;
        self.potential += more.potential;
        (0..3).for_each(|q| self.momentum[q] += more.momentum[q]);
        (0..3).for_each(|q| self.angular_momentum[q] += more.angular_momentum[q]);
    }

    /// The change of the energy.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// What a run that began so would have now, without errors.
    pub(crate) fn after(&self, initial: &Diagnostics) -> Diagnostics {
        let mut expected = initial.clone();
        expected.mass += self.mass;
        expected.kinetic += self.kinetic;
        expected.potential += self.potential;
        (0..3).for_each(|q| expected.momentum[q] += self.momentum[q]);
        (0..3).for_each(|q| expected.angular_momentum[q] += self.angular_momentum[q]);
        expected
    }
}
