//! Gravity by a tree and by fast multipoles, on the CPU's vectors and threads.
//!
//! Bodies are ordered along a curve and cut into leaves; cells over leaves have moments; cells that are far from each other
//! interact by expansions of a chosen order, bodies of close leaves one by one. The forces have an error that is chosen
//! ([`Expansion`](manybody_pairwise::Expansion)); all sums have a fixed order, so the bits do not depend on the number of
//! threads. Programs depend on the crate `manybody`, whose solvers `tree` and `fmm` these are.
//!
//! Expansions are Cartesian, in powers of x, y and z, of the softened potential itself: a Plummer potential is not harmonic,
//! and spherical harmonics are wrong by 1.5 eps^2 / R^2 at distance R. Where that does not matter, cells interact by these.
//! What is computed with them is in `manybody-expansions`; here is what is computed when.

mod accuracy;
mod bodies;
mod boxes;
mod few;
mod fmm;
mod law;
mod lists;
mod moments;
mod order;
mod own;
mod power;
mod rates;
mod softening;
mod tree;
mod walk;

pub use accuracy::{Accuracy, Limits, Opening};
pub use boxes::{ComputesPairs, LISTED_LEAF, LawBoxes, ListedPairs};
pub use few::{FEW, are_few};
pub use fmm::{Fmm, solver};
pub use law::{
    BodiesOfLaw, ErrorTable, ExpandedLaw, LawAccuracy, LawFmm, LawText, PARTS_OF_RADIUS, ProductText, TermText,
    evaluator, square_factors,
};
pub use lists::{OF_LAPLACIAN, OF_SOFTENED};
pub use softening::{CLASSES, DIGITS_OF_CLASS, middle, own_softenings};
pub use walk::Sinks;
