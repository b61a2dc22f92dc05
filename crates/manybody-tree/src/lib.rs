//! Trees and fast multipoles.

mod bodies;
mod far;
mod fmm;
mod index;
mod lists;
mod local;
mod moments;
mod near;
mod order;
mod scratch;
mod taylor;
mod tree;
mod walk;

pub use fmm::{Accuracy, Fmm};
