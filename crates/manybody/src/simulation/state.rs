//! A copy of what a step changes.

use crate::Bodies;
use std::collections::BTreeMap;

/// Positions, velocities, masses, and columns that have rates or that an integrator leaves with the bodies. Memory: 56 bytes a body, and 8 for each such column.
#[derive(Default)]
pub(super) struct State {
    moved: [Vec<f64>; 7],
    /// `None` for a column that is not there yet.
    columns: BTreeMap<String, Option<Vec<f64>>>,
}

impl State {
    /// Copies from the bodies, of whose further columns steps change `columns`.
    pub(super) fn copy<'a>(&mut self, bodies: &Bodies, columns: impl Iterator<Item = &'a str>) {
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
        for (to, from) in self.moved.iter_mut().zip([x, y, z, vx, vy, vz, mass]) {
            to.clone_from(from);
        }
        for name in columns {
            match self.columns.get_mut(name) {
                Some(copy) => copy.clone_from(&bodies.extra.get(name).cloned()),
                None => drop(self.columns.insert(name.into(), bodies.extra.get(name).cloned())),
            }
        }
    }

    /// Copies to the same bodies.
    pub(super) fn restore(&self, bodies: &mut Bodies) {
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
        for (to, from) in [x, y, z, vx, vy, vz, mass].into_iter().zip(&self.moved) {
            to.clone_from(from);
        }
        for (name, column) in &self.columns {
            match column {
                Some(column) => drop(bodies.extra.insert(name.clone(), column.clone())),
                None => drop(bodies.extra.remove(name)),
            }
        }
    }
}
