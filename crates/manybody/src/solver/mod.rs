//! Solvers: which pairs, in what order, in which precision, on which device.
//!
//! [`Gravity`] is the physical problem (G and a softening); a [`Solver`] computes its [`Forces`] on a set of bodies.

pub mod device;

#[doc(inline)]
pub use manybody_pairwise::{
    AtBody, Device, Evaluator, Forces, Frame, Gravity, LawEvaluator, Packed, Precision, Reference, SOLVERS, Solver,
    Steps, Summation, Want, between, by_name, compiled, compiled_triangular, direct, fixed_ranges, mirrored, one_sided,
    reference_at, symmetric, triangular, with_sums, with_sums_at,
};
