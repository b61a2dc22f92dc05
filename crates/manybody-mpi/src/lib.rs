//! Ranks by MPI, beside those by TCP: [`MPI`] is what a program gives to [`manybody::ranks::join_by`].
//!
//! ```text
//!   threads of the program                     the thread "mpi", which alone calls MPI
//!     Ranks::send ---- queue of letters ---->  MPI_Isend: a head, then the words of a long letter
//!     Mailbox     <------- deliver ----------  MPI_Iprobe, MPI_Irecv
//! ```
//!
//! One thread makes all calls, so `MPI_THREAD_FUNNELED` is enough, which every MPI has. Nothing is computed by MPI: it
//! carries letters, and the bits of a run are those by TCP.
//!
//! The crate is built for one MPI, the one that the compiler `mpicc` belongs to (the environment variable MPICC names
//! another compiler), and only with the feature `mpi`. Without it [`MPI`] is `None`, and nothing of MPI is needed.

#[cfg(feature = "mpi")]
mod join;
#[cfg(feature = "mpi")]
mod mesh;
#[cfg(feature = "mpi")]
mod traffic;

use manybody::ranks::Mpi;

/// Ranks by MPI, where this crate was built with it.
#[cfg(feature = "mpi")]
pub const MPI: Option<Mpi> = Some(join::join);

/// Ranks by MPI, where this crate was built with it.
#[cfg(not(feature = "mpi"))]
pub const MPI: Option<Mpi> = None;
