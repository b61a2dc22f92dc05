//! Ranks: processes, on one machine or many, that share the evaluations of a run.
//!
//! Rank 0 makes the run: it reads and writes files, keeps the clock and decides. For each evaluation of forces it
//! sends the columns that have changed to the other ranks; then all do the same call of the same solver, which shares
//! the pairs of bodies out, and rank 0 gets the sums, in the order in which one process adds them: the same bits for
//! any number of ranks.
//!
//! ```text
//!   rank 0:  Driver ... SharedSolver::forces  --- job: solver, columns, targets --->   serve  :ranks 1, 2, ...
//!                              |                                                         |
//!                       Solver::forces  <--- sums of tiles, rows of results --->   Solver::forces
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`launch`], `meeting` | which rank of how many, and where to meet: settings, or the environment of srun and mpirun |
//! | [`tcp`] | sockets between all pairs of processes, opened with a token; nothing listens before or after |
//! | `introduce` | what ranks of another maker, as MPI, say to each other first |
//! | [`threads`] | ranks in one process, for tests |
//! | `shared` | a solver and an evaluator of rank 0 that share evaluations of many pairs, and compute others alone |
//! | `pairs` | computations on pairs and triples of points, likewise |
//! | `file` | a large file that all ranks write, block by block |
//! | `job` | what rank 0 asks for, as words |
//! | `gpus` | whether all have a GPU, where the device is left open |
//! | `resident` | bodies that live on the GPU of each rank |
//! | `serve` | what the other ranks do |
//! | `identity` | what all ranks must have been started with |

pub(crate) mod file;
pub(crate) mod gpus;
mod identity;
mod introduce;
mod job;
pub mod launch;
mod meeting;
mod pairs;
mod resident;
mod seat;
mod serve;
mod shared;
pub mod tcp;

pub use identity::identity;
pub use introduce::introduce;
#[doc(inline)]
pub use manybody_ranks::{End, Kind, Letter, Mailbox, Ranks, Team, threads, words};
pub use pairs::{collisions, count_collisions, pairs_between, pairs_within, triples};
pub use seat::Seat;
pub use serve::serve;
pub use shared::check_device;
pub(crate) use shared::{shared_evaluator, shared_solver};

use crate::driver::Threads;
use crate::settings::Settings;
use crate::watch::Watch;
use crate::{Error, Result};
use launch::{Launch, Transport};
use std::time::Duration;

/// A maker of ranks by the MPI of the launcher that has started this process: that of the crate manybody-mpi.
pub type Mpi = fn(&Launch, identity: &str) -> Result<ByMpi>;

/// What comes of an attempt to make ranks by MPI.
#[derive(Debug)]
pub enum ByMpi {
    /// Ranks, and the name of the MPI.
    Joined(Team, String),
    /// This MPI has not started the process: why that is known.
    Unknown(String),
}

/// Ranks that this process has joined.
#[derive(Debug)]
pub struct Joined {
    /// The ranks.
    pub team: Team,
    /// What letters go through, in words: "TCP".
    pub by: String,
}

/// The ranks that this process is one of, by the settings `rank`, `ranks` and `at` or by the environment of a launcher;
/// `None` for a process that computes alone. `command` is what all ranks do. Letters go through TCP.
///
/// # Errors
/// As [`launch::find`] and [`tcp::join`].
pub fn join(settings: &Settings, command: &str) -> Result<Option<Team>> {
    join_by(settings, command, None).map(|joined| joined.map(|joined| joined.team))
}

/// [`join`] of a program that may have MPI. Letters go through it where a launcher alone says who is which rank and its MPI
/// is that of the program, else through TCP; the environment variable MANYBODY_RANKS_BY chooses one of them.
///
/// # Errors
/// As [`join`], and [`Error::Parameter`] where MPI was chosen and cannot be.
pub fn join_by(settings: &Settings, command: &str, mpi: Option<Mpi>) -> Result<Option<Joined>> {
    let options = launch::RankOptions { rank: settings.rank, ranks: settings.ranks, at: settings.at.clone() };
    let Some(found) = launch::find(&options)? else { return Ok(None) };
    // numbers of tests that cannot be read are refused before anything is computed
    file::numbers()?;
    let identity = identity(settings, command)?;
    let by_tcp = |by: String| tcp::join(&found, &identity).map(|team| Some(Joined { team, by }));
    let attempt = match (found.transport, mpi, found.launcher) {
        (Some(Transport::Tcp), _, _) | (None, None, _) | (None, _, None) => return by_tcp("TCP".into()),
        (_, Some(join), Some(_)) => join(&found, &identity)?,
        (_, None, _) => {
            ByMpi::Unknown("this program was built without it (cargo build --release --features mpi)".into())
        }
        (_, _, None) => ByMpi::Unknown("--rank and --at are for TCP; MPI needs mpirun or srun alone".into()),
    };
    match attempt {
        ByMpi::Joined(team, by) => Ok(Some(Joined { team, by })),
        ByMpi::Unknown(why) if found.transport == Some(Transport::Mpi) => Err(Error::Parameter {
            name: "MANYBODY_RANKS_BY",
            value: "mpi".into(),
            expected: format!("{why}; must be tcp here"),
        }),
        ByMpi::Unknown(why) => by_tcp(format!("TCP, not MPI: {why}")),
    }
}

/// The threads of a rank where no number is given: the processors that it may use, shared with the ranks that may use
/// the same ones.
pub fn threads_of(team: &Team) -> Threads {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Threads::of(processors / team.beside())
}

/// Passes requests to stop on, until the ranks have come apart: one that reaches another rank becomes rank 0's, whose
/// `watch` then ends what it watches.
///
/// # Errors
/// [`Error::Device`] where the system starts no thread.
pub fn pass_on_stops(team: &Team, watch: &Watch) -> Result<()> {
    let (team, watch) = (team.clone(), watch.clone());
    let work = move || {
        while !team.has_ended() && !team.has_left() {
            if team.is_root() && team.is_asked_to_stop() {
                return watch.stop();
            }
            if !team.is_root() && watch.is_stopped() {
                return team.ask_to_stop();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let started = std::thread::Builder::new().name("stops".into()).spawn(work);
    started
        .map(drop)
        .map_err(|error| Error::Device { device: "cpu", problem: format!("no thread can be started: {error}") })
}

/// Refuses settings of ranks in a process that has not joined them: a program does that with [`join`].
pub(crate) fn check_joined(settings: &Settings) -> Result<()> {
    match settings.ranks.filter(|ranks| *ranks > 1 && Team::current().is_none()) {
        None => Ok(()),
        Some(ranks) => Err(Error::Parameter {
            name: "ranks",
            value: ranks.to_string(),
            expected: "the command joins ranks; a program calls manybody::ranks::join, and installs what it returns"
                .into(),
        }),
    }
}

/// Refuses to go on where a rank is lost.
pub(crate) fn check() -> Result<()> {
    Team::current().map_or(Ok(()), |team| team.check())
}
