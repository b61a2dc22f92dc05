//! Writes a snapshot to disk while the run continues.

use super::observer::Audience;
use super::outputs::Outputs;
use crate::simulation::{Errors, Simulation};
use crate::snapshot::{self, Snapshot};
use crate::{Error, Result, Units};
use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};

/// A snapshot that is on disk.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The file.
    pub file: PathBuf,
    /// The number of its step.
    pub step: u64,
    /// Its time.
    pub time: f64,
    /// The units of the time.
    pub units: Units,
    /// What is known to be wrong with it.
    pub errors: Errors,
    /// What must be said of it, if anything.
    pub warning: Option<String>,
    /// The last one, at the end of the run.
    pub last: bool,
}

impl Written {
    /// What will be said of the present state of a run once `file` holds it.
    pub(super) fn of(run: &Simulation, file: PathBuf) -> Self {
        Written {
            file,
            step: run.clock().step(),
            time: run.time(),
            units: run.units().clone(),
            errors: run.errors(),
            warning: super::warning(run),
            last: run.is_finished(),
        }
    }
}

/// A file that a thread of its own writes from a copy of the bodies.
pub(super) struct Writing {
    thread: JoinHandle<Result<Vec<String>>>,
    written: Written,
}

impl Writing {
    /// Begins to write.
    ///
    /// # Errors
    /// [`Error::Io`] where no thread can be started.
    pub(super) fn begin(snapshot: Snapshot, written: Written) -> Result<Self> {
        let file = written.file.clone();
        let thread = Builder::new()
            .name("snapshot".into())
            .spawn(move || snapshot::write(&file, &snapshot))
            .map_err(|source| Error::Io { path: written.file.clone(), action: "start a thread that writes", source })?;
        Ok(Writing { thread, written })
    }

    /// True once waiting for it takes no time.
    pub(super) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// The file.
    pub(super) fn file(&self) -> &Path {
        &self.written.file
    }

    /// The time of the state that it keeps.
    pub(super) fn time(&self) -> f64 {
        self.written.time
    }

    /// Waits for the file, and notes it as the newest.
    ///
    /// # Errors
    /// Those of the format: then there is no such file.
    pub(super) fn end(self, outputs: &mut Outputs, audience: &mut Audience<'_>) -> Result<Written> {
        let notes = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        outputs.wrote(self.written.file.clone(), &notes, audience);
        Ok(self.written)
    }
}
