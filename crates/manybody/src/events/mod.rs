//! What happens to bodies during a run besides their motion: bodies that touch merge, bodies that escape are removed,
//! and a program changes them between steps.
//!
//! ```text
//! merger     two bodies, by their radii closer than R1 + R2 within a step, become one; in regularised systems at the
//!            moment of contact. Mass, momentum and the centre of mass are conserved; R = (R1^3 + R2^3)^(1/3); id and
//!            other columns are those of the heavier one
//! escape     a body farther than a given distance from the centre of mass, that moves away from it with an energy
//!            v^2 / 2 + phi above 0, or a bound pair of which that is true
//! change     what a [`Hook`] does to masses, radii, velocities and other columns
//! ```
//!
//! Each changes what the run conserves. These changes are computed at the event, not from the drift of the run, and a
//! [`Tally`] of them is kept: errors are relative to what the run began with and the tally.

mod escape;
mod merge;
mod near;
mod tally;
mod touch;

pub(crate) use escape::escapers;
pub(crate) use merge::{Merger, jump, merge};
pub use tally::Tally;
pub(crate) use touch::{Swept, Touch, first_of_each, passage, touches};

use crate::solver::Gravity;
use crate::units::Dimension;
use crate::{Bodies, Error, Result};

/// The column of the bodies that has their radii.
pub const RADIUS: &str = "radius";

/// What bodies do that touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Collisions {
    /// Two become one.
    #[default]
    Merge,
}

impl std::fmt::Display for Collisions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad("merge")
    }
}

impl std::str::FromStr for Collisions {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "merge" => Ok(Collisions::Merge),
            _ => Err(Error::Unknown { what: "kind of collisions", name: name.into(), known: "merge".into() }),
        }
    }
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// Two bodies have become one.
    Merger,
    /// A body has been removed.
    Escape,
}

impl EventKind {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Merger => "merger",
            EventKind::Escape => "escape",
        }
    }
}

/// An event, in the units of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyEvent {
    /// When: for a merger the end of the step in which the bodies have touched, or the moment of contact where their system is
    /// regularised.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// The id of the body that is left, or that has escaped.
    pub id: u64,
    /// The id of the body that has become a part of it.
    pub other: Option<u64>,
    /// The mass after it, or that of the escaper.
    pub mass: f64,
    /// The mass of that body.
    pub other_mass: Option<f64>,
    /// The radius after it, if bodies have radii.
    pub radius: Option<f64>,
    /// The position after it.
    pub position: [f64; 3],
    /// The velocity after it.
    pub velocity: [f64; 3],
    /// The speed of the two bodies relative to each other, or of the escaper relative to the centre of mass.
    pub speed: f64,
    /// The change of the energy of the system.
    pub energy: f64,
}

/// A column of the table of events.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) dimension: Dimension,
    pub(crate) of: fn(&BodyEvent) -> String,
}

/// The shortest digits that read back to the same bits.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), number)
}

/// The columns of the table of events, in order.
pub(crate) static COLUMNS: &[Column] = &[
    Column { name: "time", dimension: Dimension::TIME, of: |e| number(e.time) },
    Column { name: "event", dimension: Dimension::NUMBER, of: |e| e.kind.name().into() },
    Column { name: "id", dimension: Dimension::NUMBER, of: |e| e.id.to_string() },
    Column {
        name: "other_id",
        dimension: Dimension::NUMBER,
        of: |e| e.other.map_or(String::new(), |id| id.to_string()),
    },
    Column { name: "mass", dimension: Dimension::MASS, of: |e| number(e.mass) },
    Column { name: "other_mass", dimension: Dimension::MASS, of: |e| optional(e.other_mass) },
    Column { name: "radius", dimension: Dimension::LENGTH, of: |e| optional(e.radius) },
    Column { name: "x", dimension: Dimension::LENGTH, of: |e| number(e.position[0]) },
    Column { name: "y", dimension: Dimension::LENGTH, of: |e| number(e.position[1]) },
    Column { name: "z", dimension: Dimension::LENGTH, of: |e| number(e.position[2]) },
    Column { name: "vx", dimension: Dimension::VELOCITY, of: |e| number(e.velocity[0]) },
    Column { name: "vy", dimension: Dimension::VELOCITY, of: |e| number(e.velocity[1]) },
    Column { name: "vz", dimension: Dimension::VELOCITY, of: |e| number(e.velocity[2]) },
    Column { name: "speed", dimension: Dimension::VELOCITY, of: |e| number(e.speed) },
    Column { name: "energy", dimension: Dimension::ENERGY, of: |e| number(e.energy) },
];

/// A program's own part in a run: it changes bodies between steps, as the evolution of stars does.
///
/// It is called at the end of each step of the run, dt, when all bodies are at one time. What it does must follow from
/// the bodies and the time alone, for a resumed run to have the same bits.
///
/// ```
/// use manybody::events::Hook;
/// use manybody::simulation::{Parameters, Simulation};
/// use manybody::{Bodies, Result, Snapshot};
///
/// /// A star that loses its mass as a wind, and is a remnant with a kick from t = 1 on.
/// struct Star;
///
/// impl Hook for Star {
///     fn name(&self) -> String {
///         "a dying star".into()
///     }
///
///     fn between(&mut self, bodies: &mut Bodies, time: f64) -> Result<bool> {
///         let was = bodies.mass[0];
///         bodies.mass[0] = (1.0 - 0.2 * time).max(0.8);
///         if bodies.mass[0] == 0.8 && was > 0.8 {
///             bodies.vx[0] += 0.01;
///         }
///         Ok(bodies.mass[0] != was)
///     }
/// }
///
/// let mut start = Snapshot::default();
/// start.bodies.push(1.0, [0.0; 3], [0.0; 3]);
/// start.bodies.push(1e-3, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
/// let parameters = Parameters { dt: 1.0 / 256.0, t_end: 2.0, eps: Some(0.0), ..Parameters::default() };
/// let mut run = Simulation::start(start, parameters)?.with_hook(Star)?;
/// while !run.is_finished() {
///     run.step()?;
/// }
/// assert_eq!(run.bodies()?.mass[0], 0.8);
/// // what the star has lost is no error of the run
/// assert!(run.drift()?.energy.abs() < 1e-4);
/// # Ok::<(), manybody::Error>(())
/// ```
pub trait Hook: Send {
    /// Its name, which snapshots of the run keep: only a program with the same one can resume them.
    fn name(&self) -> String;

    /// Changes masses, velocities and further columns of the bodies, as they are at `time`; their number, order and ids
    /// stay. Returns whether anything has changed: energies are measured and forces computed again then.
    ///
    /// # Errors
    /// Any: the bodies are then those before the call, and the run cannot go on from there without it.
    fn between(&mut self, bodies: &mut Bodies, time: f64) -> Result<bool>;
}

/// G times the sum of masses over softened distances from a place, of those bodies for which `counts` is true: the
/// potential there, with the opposite sign. `eps2` is the square of the softening beside each body.
fn attraction(
    bodies: &Bodies,
    gravity: &Gravity,
    place: [f64; 3],
    eps2: impl Fn(usize) -> f64,
    counts: impl Fn(usize) -> bool,
) -> f64 {
    let of = |k: usize| {
        let d: f64 =
            [bodies.x[k] - place[0], bodies.y[k] - place[1], bodies.z[k] - place[2]].iter().map(|d| d * d).sum();
        gravity.softening.potential(bodies.mass[k], d, eps2(k))
    };
    let heavy = (0..bodies.len()).filter(|k| bodies.mass[*k] != 0.0 && counts(*k));
    gravity.g * heavy.map(of).collect::<crate::diagnostics::Compensated>().total()
}

#[cfg(test)]
mod tests;
