//! One run at a time to a name: a second would mix its snapshots with those of the first.
//!
//! The lock is the operating system's, on the file `b.lock`. It ends with the process however that ends, so that a file
//! which `kill -9` has left behind keeps nobody out; the next run of that name takes it and removes it.

use crate::console::say;
use manybody::snapshot::atomic::io_error;
use manybody::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Held while a run may write; removes its file when dropped.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock `path` on the run whose last snapshot is `out`. None where the file system has no locks, which is
    /// said: some network file systems do not.
    ///
    /// # Errors
    /// [`Error::Parameter`] where another run has it, [`Error::Io`] where the file cannot be made.
    pub(super) fn take(path: PathBuf, out: &Path) -> Result<Option<Self>> {
        loop {
            let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
            let file = open.map_err(io_error(&path, "create"))?;
            match file.try_lock() {
                // a run that has just ended may have removed the file between the two calls: then this lock is on none
                Ok(()) if is_at(&file, &path) => return Ok(Some(Lock { path, _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let expected = "another run is writing to this name: wait for its end, or give another --out";
                    let value = out.display().to_string();
                    return Err(Error::Parameter { name: "out", value, expected: expected.into() });
                }
                Err(TryLockError::Error(error)) => {
                    let (path, out) = (path.display(), out.display());
                    say(format_args!("note: {path}: {error}; no other run may write to {out} meanwhile"));
                    return Ok(None);
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // before the lock itself goes with the file: whoever waits for it must not find this name any more
        let _ = std::fs::remove_file(&self.path);
    }
}

/// True where `path` still names the open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: &std::fs::Metadata| (found.dev(), found.ino());
    matches!((&file.metadata(), &path.metadata()), (Ok(open), Ok(named)) if place(open) == place(named))
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("b.lock"), folder.path().join("b.hdf5"));
        let Some(first) = Lock::take(path.clone(), &out).unwrap() else {
            eprintln!("skipped: this file system has no locks");
            return;
        };
        let error = Lock::take(path.clone(), &out).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("another run"), "{error}");
        drop(first);
        assert!(!path.exists());
        // what a killed run has left
        std::fs::write(&path, "").unwrap();
        drop(Lock::take(path.clone(), &out).unwrap().unwrap());
        assert!(!path.exists());
    }

    /// Runs that begin and end at once never hold the lock together.
    #[test]
    fn no_two_ever_hold_it() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("b.lock"), folder.path().join("b.hdf5"));
        let (holders, times) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        if let Ok(Some(_lock)) = Lock::take(path.clone(), &out) {
                            assert_eq!(holders.fetch_add(1, SeqCst), 0);
                            times.fetch_add(1, SeqCst);
                            // long enough for the others to come upon the file that this one removes
                            std::thread::sleep(std::time::Duration::from_micros(20));
                            holders.fetch_sub(1, SeqCst);
                        }
                    }
                });
            }
        });
        assert!(times.into_inner() > 0);
    }
}
