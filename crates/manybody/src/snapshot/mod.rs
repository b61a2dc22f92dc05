//! Snapshots: bodies at a time, with their units, in the field's file formats.

use crate::{Bodies, Units};
use std::collections::BTreeMap;

/// A system at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The bodies.
    pub bodies: Bodies,
    /// Time, in `units`.
    pub time: f64,
    /// What the numbers mean.
    pub units: Units,
    /// Whatever else is to be kept with them, by name: the run's configuration, its step count, its errors.
    /// Numbers are written so that they read back to the same bits.
    pub meta: BTreeMap<String, String>,
}
