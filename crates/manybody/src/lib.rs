//! Pairwise interactions, written once and run at the hardware's limit.
//!
//! Simulate: initial conditions or a file, snapshots on disk, every promise of `manybody run` ([`driver`]):
//!
//! ```
//! use manybody::prelude::*;
//! # let folder = tempfile::tempdir().unwrap();
//! # let out = folder.path().join("b.hdf5");
//! let model = Settings { ic: Some("plummer".into()), n: Some(500), ..Settings::default() };
//! let settings = Settings { t_end: Some(0.1.into()), out: Some(out), ..model };
//! let outcome = Driver::new(settings).run()?;
//! println!("{}: energy error {:?}", outcome.file.display(), outcome.errors.energy);
//! # Ok::<(), manybody::driver::Failure>(())
//! ```
//!
//! Forces, once, on any device ([`solver`]):
//!
//! ```
//! use manybody::prelude::*;
//! let bodies = ic::by_name("plummer", &ic::Request::new(1000, 1))?.bodies;
//! let gravity = Gravity::new(1.0, 0.01);
//! let forces = solver::forces(&bodies, &gravity, &Method::on(Device::Cpu, Precision::F32))?;
//! println!("a_0 = {:?}, phi_0 = {}", forces.acceleration(0), forces.pot[0]);
//! # Ok::<(), manybody::Error>(())
//! ```
//!
//! A law of your own, on vectors and threads ([`law`](mod@law)):
//!
//! ```
//! use manybody::prelude::*;
//! law! { struct Coulomb; body { x: [R; 3], q: R } par { eps2: R } out { potential: Sum<R> }
//!     fn pair(i, j, par, out) { let d = sub3(j.x, i.x); out.potential.add_mul(j.q, dot3(d, d, par.eps2).rsqrt()); } }
//! let (x, y, z, q) = ([0.0, 3.0], [0.0, 4.0], [0.0, 0.0], [1.0, -2.0]);
//! let found = solver::compiled::<Coulomb, f64>(&PairInputs::one(&[&x, &y, &z, &q], &[0.0]))?;
//! assert_eq!(found[0], [-0.4, 0.2]);
//! # Ok::<(), manybody::Error>(())
//! ```
//!
//! How data flows, top to bottom:
//!
//! ```text
//! initial conditions (ic) | snapshot
//!           |
//!         Bodies            structure of arrays: x y z vx vy vz mass id [eps]
//!           |
//!     law  x  solver        what acts  x  which pairs, in what order, on which device
//!           |
//!   forces, field          what accelerates the bodies of a run: gravity, any law, own models, external fields
//!           |
//!      integrator           drift, kick, accelerate
//!           |
//!  diagnostics, cluster     energy, momenta, virial, force errors; density centre, core, bound pairs; log: their table
//!           |
//!       snapshot
//! ```
//!
//! Optional features: `gpu` (the devices cuda and wgpu), `ndarray` (positions and velocities as arrays \[n, 3\], and bodies from them: [`Bodies::from_rows`]
//! does so without it), `glam` (those of a [`Body`] as vectors).
//!
//! Laws, vectors and maps are the crate `manybody-law`, kernels `manybody-pairwise`, statistics of pairs
//! `manybody-pairs`; all are here under the names below.

pub mod audit;
pub mod cluster;
pub mod diagnostics;
pub mod driver;
pub mod events;
pub mod explain;
pub mod few_body;
pub mod field;
pub mod forces;
pub mod ic;
pub mod integrator;
pub mod log;
pub mod prelude;
pub mod ranks;
mod rates;
pub mod settings;
pub mod simulation;
pub mod snapshot;
pub mod solver;
pub mod units;
mod vector;

#[cfg(feature = "gpu")]
pub use manybody_gpu as gpu;
pub use manybody_law::macros::law;
pub use manybody_law::{error, guard, map, norm, record, simd};
pub use manybody_pairs as pairs;
pub use manybody_pairwise::watch;

pub use error::{Error, Result};
pub use manybody_pairwise::{Bodies, Body};
pub use snapshot::Snapshot;
pub use units::Units;

/// `Bodies`: the state of a system as a structure of arrays.
pub mod bodies {
    pub use manybody_pairwise::{Bodies, Body, BodyIter};
}

/// Laws: what one body does to another, written once over a number type.
pub mod law {
    #[doc(inline)]
    pub use manybody_law::law::*;
    #[doc(inline)]
    pub use manybody_pairwise::EvaluateLaw;
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/laws.md")]
mod laws_page {}
