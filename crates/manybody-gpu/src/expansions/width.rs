//! How much there is of a body and of a cell.

use super::{Columns, Coupling};

/// How many numbers there are of a body and of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    pub(crate) of_law: bool,
    /// Of each body, half the square of its softening where that is its own, or its charges.
    pub(crate) own: usize,
    /// Expansions about a cell.
    pub(crate) expansions: usize,
    /// Whether cells have moments of charges along the separation.
    pub(crate) has_dyads: bool,
    /// Whether there are rates of all that, and velocities of bodies.
    pub(crate) jerks: bool,
}

impl Width {
    pub(crate) fn of(columns: &Columns) -> Self {
        let has_dyads = columns.law.as_ref().is_some_and(|law| law.couplings.iter().any(Coupling::is_dyad));
        let (of_law, own, expansions) = (columns.law.is_some(), columns.own(), columns.expansions());
        Width { of_law, own, expansions, has_dyads, jerks: columns.has_jerks() }
    }

    pub(crate) fn of_gravity(own_softenings: bool) -> Self {
        Width { of_law: false, own: usize::from(own_softenings), expansions: 1, has_dyads: false, jerks: false }
    }

    pub(crate) fn own_softenings(self) -> bool {
        !self.of_law && self.own > 0
    }

    /// Numbers of four of a result.
    pub(crate) fn quads(self) -> usize {
        self.expansions + usize::from(self.jerks)
    }

    /// Numbers of a result.
    pub(crate) fn numbers(self) -> usize {
        4 * self.quads()
    }
}
