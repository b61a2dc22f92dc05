//! All pairs of bodies on the CPU: gravity, and any law.
//!
//! [`Gravity`] is the physical problem (G and a softening); a [`Solver`] computes its [`Forces`] on [`Bodies`]. An
//! [`Evaluator`] computes what any law makes of columns of numbers. The kernels of gravity are compiled here, once:
//! what depends on this crate compiles no kernel. Programs depend on the crate `manybody`, which has all of this in
//! `manybody::solver`.

mod active;
mod all_pairs;
mod block_steps;
mod bodies;
mod compiled;
mod evaluator;
mod few;
mod fold;
mod forces;
mod frame;
mod gravity;
mod interpreter;
mod kernel_config;
mod lanes;
mod massless;
mod method;
mod mirrored;
mod moves;
mod one_sided;
mod packed;
mod reference;
mod resident;
mod ring;
mod solver;
mod summation;
mod summed;
mod summed_gravity;
mod triangular;
pub mod watch;

pub use all_pairs::{among, between, direct, symmetric};
pub use block_steps::{BlockState, BlockStep, BlockWork, HermiteOrder};
pub use bodies::{Bodies, Body, BodyIter};
pub use compiled::{compiled, compiled_between, compiled_triangular};
pub use evaluator::Evaluator;
pub use few::Steps;
pub use fold::fold_tree;
pub use forces::{Derivatives, ForceTerms, Forces, beyond_single};
pub use frame::{Along, Coordinates, Extent, Frame};
pub use gravity::{Gravity, GravityLaw, GravityTerms, Softening};
#[doc(hidden)] // for tests
pub use interpreter::{BLOCK, MIN_BLOCKS};
pub use interpreter::{EvaluateLaw, Interpreter, Loaded, Prepared, Worker};
pub use kernel_config::KernelConfig;
pub use manybody_law::{Device, Float, Precision};
#[doc(hidden)] // for solvers of other crates of this library
pub use massless::{OfSources, Sources, Split};
pub use method::{DeviceChoice, Expansion, Gpus, Method, SolverName};
pub use mirrored::mirrored;
#[doc(hidden)] // for tests
pub use mirrored::owners;
pub use moves::{KickDrift, Substep};
pub use one_sided::one_sided;
pub use packed::Packed;
pub use reference::{AtBody, Reference, reference_at};
pub use resident::{Integrals, Resident};
pub use ring::Ring;
#[doc(hidden)] // for solvers of other crates of this library
pub use solver::jerks_on;
pub use solver::{Solver, cpu_solver};
pub use summation::Summation;
#[doc(hidden)] // for tests
pub use summed::{nearest_integer, summed};
#[doc(hidden)] // for solvers of other crates of this library
pub use summed_gravity::{fixed_ranges, fixed_ranges_between};
pub use triangular::triangular;

// what this crate builds on, under the names that its modules use
use manybody_law::{Capability, Error, Result, law, map, simd};
