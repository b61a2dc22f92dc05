//! A copy of what a step changes.

use crate::Bodies;
use std::collections::BTreeMap;

/// Positions, velocities, and columns that have rates. Memory: 48 bytes a body, and 8 for each such column.
#[derive(Default)]
pub(super) struct State {
    moved: [Vec<f64>; 6],
    advanced: BTreeMap<String, Vec<f64>>,
}

impl State {
    /// Copies from the bodies, whose columns `advanced` have rates.
    pub(super) fn copy(&mut self, bodies: &Bodies, advanced: &[String]) {
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for (to, from) in self.moved.iter_mut().zip([x, y, z, vx, vy, vz]) {
            to.clone_from(from);
        }
        for name in advanced {
            if let Some(column) = bodies.extra.get(name) {
                self.advanced.entry(name.clone()).or_default().clone_from(column);
            }
        }
    }

    /// Copies to the same bodies.
    pub(super) fn restore(&self, bodies: &mut Bodies) {
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for (to, from) in [x, y, z, vx, vy, vz].into_iter().zip(&self.moved) {
            to.clone_from(from);
        }
        for (name, column) in &self.advanced {
            bodies.extra.insert(name.clone(), column.clone());
        }
    }
}
