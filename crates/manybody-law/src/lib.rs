//! What one body does to another, written once over a number type, and the numbers it is written over.
//!
//! [`law`](mod@law) holds laws as Rust, as text and as graphs; [`simd`] their numbers on the CPU's vectors; [`map`] the index maps of
//! triangular and tetrahedral domains. Below them lies what every crate of manybody needs: [`error`], [`guard`], [`atomic`].
//! Programs depend on the crate `manybody`, which has all of this under the same names.

pub mod atomic;
mod device;
pub mod error;
pub mod guard;
pub mod law;
pub mod map;
pub mod memory;
pub mod norm;
mod precision;
pub mod simd;

#[doc(inline)]
pub use declare_law as law;
pub use device::Device;
pub use error::{Capability, Error, Result};
pub use precision::{Float, Precision};

/// Macros whose names are also those of modules, for crates that export both.
#[doc(hidden)]
pub mod macros {
    pub use crate::declare_law as law;
}
