//! Processes that share a computation, called ranks as in MPI: what they say to each other.
//!
//! ```text
//!   launch     which rank of how many, and where to meet: options, or the environment of srun and mpirun
//!      |
//!   tcp        sockets between all pairs of processes, opened with a token      threads    ranks in one process, for tests
//!      |                                                                           |
//!   Ranks      the trait of both: sends letters, and has a mailbox  <--------------+
//!      |
//!   Team       gather, exchange, broadcast, barrier: made of letters
//! ```
//!
//! Letters carry bits and never add: sums are made by the kernels, in an order that does not depend on the number of ranks.
//! Nothing is sent unless a program has joined ranks, and no port is opened before.

mod collective;
pub mod launch;
mod mailbox;
mod meeting;
pub mod tcp;
mod team;
pub mod threads;
pub mod words;

pub use mailbox::{End, Kind, Letter, Mailbox};
pub use team::{Ranks, Team};

use manybody_law::{Error, Result};
