//! Pairwise interactions, written once and run at the hardware's limit.
//!
//! How data flows, top to bottom:
//!
//! ```text
//! initial conditions (ic) | snapshot
//!           |
//!         Bodies            structure of arrays: x y z vx vy vz mass id [eps]
//!           |
//!     law  x  solver        what acts  x  which pairs, in what order (on the CPU's vectors and threads)
//!           |
//!      integrator           drift, kick, accelerate
//!           |
//!      diagnostics          energy, momenta, virial, force errors
//!           |
//!       snapshot
//! ```

pub mod audit;
pub mod bodies;
pub mod diagnostics;
pub mod error;
pub mod guard;
pub mod ic;
pub mod integrator;
pub mod law;
pub mod map;
pub mod pairs;
pub mod simd;
pub mod simulation;
pub mod snapshot;
pub mod solver;
pub mod units;
pub mod watch;

pub use bodies::Bodies;
pub use error::{Error, Result};
pub use snapshot::Snapshot;
pub use units::Units;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/laws.md")]
mod laws_page {}
