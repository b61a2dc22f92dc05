//! A snapshot on its way to disk while the run goes on.

use super::outputs::Outputs;
use crate::console::json;
use manybody::snapshot::{self, Snapshot};
use manybody::{Error, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};

/// A file that a thread of its own writes from a copy of the bodies.
pub(super) struct Writing {
    thread: JoinHandle<Result<Vec<String>>>,
    file: PathBuf,
    /// The step that it keeps, and its time.
    step: u64,
    time: f64,
    /// What is told once it is on disk: the line of `--json`.
    event: Value,
    /// And the one for people.
    line: String,
}

/// A file that is on disk.
pub(super) struct Written {
    pub(super) step: u64,
    event: Value,
    line: String,
}

impl Writing {
    /// Begins to write.
    ///
    /// # Errors
    /// [`Error::Io`] where no thread can be started.
    pub(super) fn begin(snapshot: Snapshot, file: PathBuf, step: u64, event: Value, line: String) -> Result<Self> {
        let (path, time) = (file.clone(), snapshot.time);
        let thread = Builder::new()
            .name("snapshot".into())
            .spawn(move || snapshot::write(&path, &snapshot))
            .map_err(|source| Error::Io { path: file.clone(), action: "start a thread that writes", source })?;
        Ok(Writing { thread, file, step, time, event, line })
    }

    /// True once waiting for it takes no time.
    pub(super) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// The file.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// The time of the state that it keeps.
    pub(super) fn time(&self) -> f64 {
        self.time
    }

    /// Waits for the file, and notes it as the newest.
    ///
    /// # Errors
    /// Those of the format: then there is no such file.
    pub(super) fn end(self, outputs: &mut Outputs) -> Result<Written> {
        let notes = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        outputs.wrote(self.file, &notes);
        Ok(Written { step: self.step, event: self.event, line: self.line })
    }
}

impl Written {
    /// Tells that the file is there, through `say` to people.
    pub(super) fn tell(&self, to_json: bool, say: impl FnOnce(&str)) {
        match to_json {
            true => json(&self.event),
            false => say(&self.line),
        }
    }
}
