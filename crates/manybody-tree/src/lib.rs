//! Trees and fast multipoles.

mod bodies;
mod estimate;
mod far;
mod fmm;
mod index;
mod lists;
mod local;
mod moments;
mod near;
mod order;
mod power;
mod scratch;
mod taylor;
mod tree;
mod unrolled;
mod walk;

pub use fmm::{Accuracy, Fmm};
