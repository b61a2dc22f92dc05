//! The position of a snapshot in its run.

use super::{Clock, Parameters, Schedule, restart};
use crate::{Error, Result, Snapshot};

/// What a run has kept in a snapshot of how it is computed, and of the place that the snapshot has in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// How the run is computed.
    pub parameters: Parameters,
    /// The last snapshot, at the end, which has no schedule.
    pub last: bool,
    /// The number that the schedule gives this state; `None` for one that an interruption has kept, and for the last.
    pub due: Option<u64>,
    /// The [`fingerprint`](super::fingerprint) of the bodies that the run began with; earlier versions kept no
    /// fingerprint.
    pub fingerprint: Option<String>,
}

impl Standing {
    /// Reads what the run that kept `snapshot` needs to go on, as [`Simulation::resume`](super::Simulation::resume) will.
    ///
    /// # Errors
    /// [`Error::Parameter`] and [`Error::Unknown`] for what is missing, cannot be read or contradicts itself.
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self> {
        let parameters = Parameters::from_snapshot(snapshot)?;
        parameters.check()?;
        let progress = restart::Progress::from_snapshot(snapshot)?;
        let last = !snapshot.meta.contains_key("run.t_end");
        let clock = Clock::resume(progress.origin, progress.step, parameters.dt, snapshot.time, parameters.t_end)?;
        if !last && clock.step() != progress.step {
            return Err(Error::Kept {
                entry: "run.step",
                value: progress.step.to_string(),
                expected: format!("the snapshot's time, {}, is that of another step", snapshot.time),
            });
        }
        let schedule = match parameters.snapshot_every.filter(|_| !last) {
            Some(every) => Some(Schedule::new(progress.start, every, parameters.dt)?),
            None => None,
        };
        let due = schedule.and_then(|schedule| match progress.step {
            0 => (snapshot.time == progress.start).then_some(0),
            step => {
                let count = schedule.count(clock.time());
                (count > schedule.count(clock.time_of(step - 1))).then_some(count)
            }
        });
        Ok(Standing { parameters, last, due, fingerprint: progress.fingerprint })
    }
}
