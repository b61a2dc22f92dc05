//! How a process becomes a rank of MPI: the start of MPI, and whether this MPI and the launcher belong together.

use crate::mesh::{Mesh, Shared};
use crate::traffic::{self, World};
use manybody::ranks::launch::Launch;
use manybody::ranks::{ByMpi, Team, introduce};
use manybody::{Error, Result};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};

/// Joins the ranks of a launch by MPI.
///
/// # Errors
/// [`Error::Rank`] where MPI does not start in time or numbers the ranks in another way than the launcher, and as
/// [`introduce`]. MPI itself ends a process that it cannot start, with a message of its own.
pub(crate) fn join(launch: &Launch, identity: &str) -> Result<ByMpi> {
    let (post, letters) = mpsc::channel();
    let (started, start) = mpsc::channel();
    let (ended, end) = mpsc::channel();
    let shared = Arc::new(Shared::new(launch.rank, launch.ranks));
    let of_thread = shared.clone();
    let work = move || traffic::run(&of_thread, &letters, &started, &ended);
    let wrong = |problem: String| Error::Rank { rank: launch.rank, problem };
    let thread = std::thread::Builder::new().name("mpi".into()).spawn(work);
    thread.map_err(|error| wrong(format!("no thread can be started: {error}")))?;
    let world = start.recv_timeout(launch.patience).map_err(|error| match error {
        RecvTimeoutError::Timeout => wrong(format!(
            "MPI_Init has not returned within {} s: were all ranks started, each with this program?",
            launch.patience.as_secs()
        )),
        RecvTimeoutError::Disconnected => wrong("MPI has failed at its start".into()),
    })?;
    let World { rank, ranks, library, threads } = world?;
    let mesh = Mesh::new(shared.clone(), post, end);
    let launcher = launch.launcher.unwrap_or("the launcher");
    // each process has a world of its own where its MPI does not know the launcher: no other waits for it
    if ranks == 1 && launch.ranks > 1 {
        mesh.end();
        let why = format!("{library}, which this program was built with, was not started by {launcher}");
        return Ok(ByMpi::Unknown(why));
    }
    let team = Team::of(mesh);
    let check = || {
        if (rank, ranks) != (launch.rank, launch.ranks) {
            let [launch_rank, launch_ranks] = [launch.rank, launch.ranks];
            return Err(wrong(format!(
                "{launcher} says that this is rank {launch_rank} of {launch_ranks}, {library} that it is rank {rank} of \
                 {ranks}"
            )));
        }
        if !threads {
            return Err(wrong(format!("{library} does not allow programs with threads (MPI_THREAD_FUNNELED)")));
        }
        introduce(&team, identity)
    };
    match check() {
        Ok(seats) => {
            shared.settle(seats);
            Ok(ByMpi::Joined(team, format!("MPI ({library})")))
        }
        Err(error) => {
            // the others have the same error, or hear this one
            let own = matches!(&error, Error::Rank { rank, .. } if *rank == launch.rank);
            team.leave(1, &if own { error.to_string() } else { String::new() });
            Err(error)
        }
    }
}
