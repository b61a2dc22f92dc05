//! How much there is of a body and of a cell.

use super::Columns;

/// How many numbers there are of a body and of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    pub(crate) of_law: bool,
    /// Of each body, half the square of its softening where that is its own, or its charges.
    pub(crate) own: usize,
    /// Expansions about a cell.
    pub(crate) expansions: usize,
}

impl Width {
    pub(crate) fn of(columns: &Columns) -> Self {
        Width { of_law: columns.law.is_some(), own: columns.own(), expansions: columns.expansions() }
    }

    pub(crate) fn of_gravity(own_softenings: bool) -> Self {
        Width { of_law: false, own: usize::from(own_softenings), expansions: 1 }
    }

    pub(crate) fn own_softenings(self) -> bool {
        !self.of_law && self.own > 0
    }

    /// Numbers of a result.
    pub(crate) fn numbers(self) -> usize {
        4 * self.expansions
    }
}
