//! Ranks: processes, on one machine or many, that share the evaluations of a run.
//!
//! Rank 0 makes the run: it alone reads and writes files, keeps the clock and decides. For each evaluation of forces it
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
//! | [`threads`] | ranks in one process, for tests |
//! | `shared` | a solver and an evaluator of rank 0 that share evaluations of many pairs, and compute others alone |
//! | `histogram` | histograms of pairs, likewise |
//! | `job` | what rank 0 asks for, as words |
//! | `resident` | bodies that live on the GPU of each rank |
//! | `serve` | what the other ranks do |
//! | `identity` | what all ranks must have been started with |

mod histogram;
mod identity;
mod job;
pub mod launch;
mod meeting;
mod resident;
mod seat;
mod serve;
mod shared;
pub mod tcp;

pub use histogram::{pairs_between, pairs_within};
pub use identity::identity;
#[doc(inline)]
pub use manybody_ranks::{End, Kind, Letter, Mailbox, Ranks, Team, threads, words};
pub use serve::serve;
pub use shared::check_device;
pub(crate) use shared::{shared_evaluator, shared_solver};

use crate::driver::Threads;
use crate::settings::Settings;
use crate::watch::Watch;
use crate::{Error, Result};
use std::time::Duration;

/// The ranks that this process is one of, by the settings `rank`, `ranks` and `at` or by the environment of a launcher;
/// `None` for a process that computes alone. `command` is what all ranks do.
///
/// # Errors
/// As [`launch::find`] and [`tcp::join`].
pub fn join(settings: &Settings, command: &str) -> Result<Option<Team>> {
    let said = launch::Said { rank: settings.rank, ranks: settings.ranks, at: settings.at.clone() };
    match launch::find(&said)? {
        None => Ok(None),
        Some(found) => tcp::join(&found, &identity(settings, command)?).map(Some),
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
