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
//!
//! Laws, vectors and maps are the crate `manybody-law`, kernels `manybody-pairwise`, statistics of pairs `manybody-pairs`;
//! all are here under the names below.

pub mod audit;
pub mod diagnostics;
pub mod driver;
pub mod ic;
pub mod integrator;
pub mod settings;
pub mod simulation;
pub mod snapshot;
pub mod solver;
pub mod units;

#[cfg(feature = "gpu")]
pub use manybody_gpu as gpu;
pub use manybody_law::{error, guard, map, record, simd};
pub use manybody_pairs as pairs;
pub use manybody_pairwise::watch;

pub use error::{Error, Result};
pub use manybody_pairwise::Bodies;
pub use snapshot::Snapshot;
pub use units::Units;

/// `Bodies`: the state of a system as a structure of arrays.
pub mod bodies {
    pub use manybody_pairwise::Bodies;
}

/// Laws: what one body does to another, written once over a number type.
pub mod law {
    #[doc(inline)]
    pub use manybody_law::law::*;
    #[doc(inline)]
    pub use manybody_pairwise::EvaluateLaw;
}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/laws.md")]
mod laws_page {}
