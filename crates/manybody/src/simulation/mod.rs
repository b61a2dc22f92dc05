//! A run: bodies, a solver, an integrator and a clock.

mod clock;
mod host;

pub use clock::{Clock, Schedule};
pub use host::HostSystem;
