//! Compact subsystems of 2 to 8 bodies inside block time steps: `--pairs chain`.
//!
//! ```text
//! select      which bodies, from their orbits about their neighbours and the steps that these ask for
//! tight       pairs of bodies that need short steps for each other
//! orbit       the orbit of two bodies, or centres of mass, about each other
//! subsystem   bodies about their centre of mass, by algorithmic regularisation or averaged over the orbit
//! averaged    a pair in a weak tidal field
//! multipole   what such a pair is above a point to others
//! steps       the steps of a run with them
//! advance     their bodies at the times of blocks, and what they do to what is near
//! tides       tidal fields of all that is not near, and what a subsystem does to that above a point
//! lanes       the sums of these, eight bodies at a time
//! forces      what bodies without mass find near to them
//! encounters  which bodies come too close to a subsystem, or to each other
//! contacts    bodies that touch and merge
//! ```
//!
//! Subsystems are chosen at the beginning of each dt, where all bodies are at one time, and last until its end. Each is
//! isolated, well or fairly: [`select`] has the limits. Where a block shows that a body comes too close, the dt is made
//! again with this body in the subsystem too, or without the subsystem, whose bodies are then resolved; and where two
//! single bodies need steps as short as those of a subsystem, with these in one.
//!
//! A subsystem is one body of the scheme, at its centre of mass. A body is *near* where its tidal force on the subsystem, or
//! the subsystem's quadrupole on it, exceeds `--perturbation`. Tidal forces of what is near, on the paths that the scheme
//! predicts, act on the bodies inside; what these do to it above a point is integrated with them, and moves it and, by the
//! opposite, the centre of mass ([`advance`]). All others act by their tidal field, on a pair averaged over its orbit, and what
//! the pair is to them above a point on the average is a force of the scheme ([`tides`]).

mod advance;
mod averaged;
mod contacts;
mod encounters;
mod forces;
mod lanes;
mod multipole;
mod orbit;
mod select;
mod steps;
mod subsystem;
mod tides;
mod tight;

pub(super) use subsystem::Subsystem;

/// The bodies of each subsystem about its centre of mass, with their masses, where they are known at the time of a block.
pub(super) type Seen = Vec<Option<Vec<(f64, subsystem::Motion)>>>;

/// The perturbation up to which a pair is averaged over its orbit where no other is given.
pub(super) const NEGLECTED: f64 = 3e-6;
