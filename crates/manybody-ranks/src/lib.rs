//! Processes that share a computation, called ranks as in MPI: what they say to each other.
//!
//! ```text
//!   threads    ranks in one process, for tests       (manybody::ranks::tcp, manybody-mpi: ranks that are processes)
//!      |
//!   Ranks      the trait of a maker of ranks: it sends letters, and has a mailbox
//!      |
//!   Team       gather, exchange, broadcast, barrier: made of letters
//! ```
//!
//! Letters carry bits and never add: sums are made by the kernels, in an order that does not depend on the number of
//! ranks. What opens ports is in the crate `manybody`, so that an edit there compiles no kernel.

mod collective;
mod mailbox;
mod team;
pub mod threads;
pub mod words;

pub use mailbox::{End, Kind, Letter, Mailbox};
pub use team::{Ranks, Team};

use manybody_law::{Error, Result};
