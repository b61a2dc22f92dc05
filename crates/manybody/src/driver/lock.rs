//! One run at a time for each name: a second would mix its snapshots with those of the first.
//!
//! The lock is the operating system's, on the file `b.manybody-lock`. It ends with the process however that ends, so that a
//! file which `kill -9` has left behind blocks no run; the next run of that name locks it and removes it. The file has
//! a line that identifies it: a file with any other content is not a lock, and stays.

use super::observer::Audience;
use crate::snapshot::atomic::{io_error, is_there};
use crate::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// What the file holds.
const CONTENT: &[u8] = b"held by a run of manybody\n";

/// Held while a run may write; removes its file when dropped.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
    ours: bool,
}

impl Lock {
    /// Takes the lock `path` on the run whose last snapshot is `out`. `None` where the file system has no locks, as
    /// some network file systems, which is reported.
    ///
    /// # Errors
    /// [`Error::Parameter`] where another run has it or the name is that of a folder, a link or a pipe, [`Error::Io`] where
    /// the file cannot be made.
    pub(super) fn take(path: PathBuf, out: &Path, audience: &mut Audience<'_>) -> Result<Option<Self>> {
        let wrong = |expected: String| Error::Parameter { name: "out", value: out.display().to_string(), expected };
        loop {
            // opening a pipe would wait for whoever writes to it
            if is_there(&path)? && !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
                // one that has gone meanwhile was a lock
                if !is_there(&path)? {
                    continue;
                }
                return Err(wrong(format!(
                    "{} is no file, where its lock has to be: give another --out",
                    path.display()
                )));
            }
            let mut open = OpenOptions::new();
            open.read(true).write(true);
            let (file, created) = match open.clone().create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => (open.open(&path), false),
                other => (other, true),
            };
            let mut file = match file {
                // removed between the two calls, by a run that has just ended
                Err(error) if !created && error.kind() == ErrorKind::NotFound => continue,
                file => file.map_err(io_error(&path, "create"))?,
            };
            match file.try_lock() {
                // a run that has just ended may have removed the file between the two calls: then this lock has no
                // effect
                Ok(()) if is_at(&file, &path) => {
                    let ours = sign(&mut file).map_err(io_error(&path, "read"))?;
                    return Ok(Some(Lock { path, file, ours }));
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(wrong(
                        "another run is writing to this name: wait for its end, or give another --out".into(),
                    ));
                }
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) if !has_no_locks(&error) => {
                    if created {
                        let _ = std::fs::remove_file(&path);
                    }
                    return Err(io_error(&path, "lock")(error));
                }
                Err(TryLockError::Error(error)) => {
                    let (path, out) = (path.display(), out.display());
                    audience.warn(format_args!("{path}: {error}; no other run may write to {out} meanwhile"));
                    return Ok(None);
                }
            }
        }
    }
}

/// Whether an error says that the file system has no locks.
fn has_no_locks(error: &std::io::Error) -> bool {
    // ENOLCK of Linux and of the BSDs has no kind of its own
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
        || matches!(error.raw_os_error(), Some(37 | 77))
}

/// Writes into an empty file what it is. False for a file that holds something else.
fn sign(file: &mut File) -> std::io::Result<bool> {
    let mut content = Vec::new();
    file.take(CONTENT.len() as u64 + 1).read_to_end(&mut content)?;
    if content.is_empty() {
        // a full disk is no reason not to run: an empty file of this name is ours, too
        let _ = file.write_all(CONTENT);
    }
    Ok(CONTENT.starts_with(&content))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // before the lock itself goes with the file: whoever waits for it must not find this name any more
        if self.ours && is_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
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
        let (path, out) = (folder.path().join("b.manybody-lock"), folder.path().join("b.hdf5"));
        let Some(first) = Lock::take(path.clone(), &out, &mut Audience::empty()).unwrap() else {
            eprintln!("skipped: this file system has no locks");
            return;
        };
        let error = Lock::take(path.clone(), &out, &mut Audience::empty()).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("another run"), "{error}");
        drop(first);
        assert!(!path.exists());
        // what a killed run has left
        std::fs::write(&path, "").unwrap();
        drop(Lock::take(path.clone(), &out, &mut Audience::empty()).unwrap().unwrap());
        assert!(!path.exists());
        std::fs::write(&path, CONTENT).unwrap();
        drop(Lock::take(path.clone(), &out, &mut Audience::empty()).unwrap().unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn what_is_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("b.manybody-lock"), folder.path().join("b.hdf5"));
        std::fs::write(&path, "a user's").unwrap();
        drop(Lock::take(path.clone(), &out, &mut Audience::empty()).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a user's");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let error = Lock::take(path.clone(), &out, &mut Audience::empty()).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("is no file"), "{error}");
    }

    /// Runs that begin and end at once never hold the lock together.
    #[test]
    fn no_two_ever_hold_it() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("b.manybody-lock"), folder.path().join("b.hdf5"));
        let (holders, times) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        if let Ok(Some(_lock)) = Lock::take(path.clone(), &out, &mut Audience::empty()) {
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
