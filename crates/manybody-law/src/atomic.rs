//! Files that are either the old one or the whole new one, never a half.
//!
//! The new content goes to a temporary file in the same folder, whose name ends in `.tmp`; then file sync, rename,
//! folder sync. A failure at any point removes the temporary and leaves what was there before.

use crate::{Error, Result};
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files of this process that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that other threads are writing through [`write_with`], and each of a [`RemoveOnDrop`], for a process that is about to end: a write
/// that has not been renamed yet never will be, and its thread, like one that begins another, waits for ever.
pub fn give_up() {
    let mut files = unfinished();
    files.drain(..).for_each(|path| drop(std::fs::remove_file(path)));
    std::mem::forget(files);
}

/// An [`Error::Io`] for `path`: `.map_err(io_error(path, "read"))`.
pub fn io_error(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

/// Writes a file through `body`, all or nothing, and returns what `body` returned.
///
/// A symbolic link is followed, also one to a file that is not there yet. A device or a pipe (`/dev/stdout`) is written
/// to as it is, since it cannot be replaced.
///
/// # Errors
/// What `body` returned; [`Error::Io`] naming `path` if the temporary file cannot be made, synced or renamed, and for
/// an existing file that is read-only.
pub fn write_with<T>(path: &Path, body: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
    write_named_with(path, |file, _| body(file))
}

/// [`write_with`] for a file that other processes write, too: `body` gets also the path of the temporary file, by which
/// they open it; `None` for a device or a pipe. They must have closed it when `body` returns.
///
/// # Errors
/// As [`write_with`].
pub fn write_named_with<T>(path: &Path, body: impl FnOnce(&mut File, Option<&Path>) -> Result<T>) -> Result<T> {
    let (target, existing) = place(path)?;
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        let mut device = OpenOptions::new().write(true).open(&target).map_err(io_error(path, "write"))?;
        let value = body(&mut device, None)?;
        device.flush().map_err(io_error(path, "write"))?;
        return Ok(value);
    }
    let (temporary, mut file) = create_beside(&target).map_err(io_error(path, "create a temporary file beside it"))?;
    let guard = RemoveOnDrop { path: Some(temporary.clone()) };
    let value = body(&mut file, Some(&temporary))?;
    if let Some(existing) = existing {
        file.set_permissions(existing.permissions()).map_err(io_error(path, "keep its permissions"))?;
    }
    file.sync_all().map_err(io_error(path, "write"))?;
    drop(file);
    guard.rename_to(&target).map_err(io_error(path, "rename the temporary file to it"))?;
    sync_folder(&target).map_err(io_error(path, "sync its folder"))?;
    Ok(value)
}

/// Writes bytes to a file, all or nothing.
///
/// # Errors
/// [`Error::Io`] naming `path`.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |file| file.write_all(bytes).map_err(io_error(path, "write")))
}

/// Refuses a path that [`write_with`] could not write to, before the work whose result goes there.
///
/// # Errors
/// [`Error::Io`] naming `path`: for a folder and for the name of one, for a read-only file, and where its folder is
/// missing.
pub fn check_place(path: &Path) -> Result<()> {
    place(path).map(drop)
}

/// The file that a path leads to, and what is there.
fn place(path: &Path) -> Result<(PathBuf, Option<Metadata>)> {
    let target = follow(path).map_err(io_error(path, "follow the symbolic link"))?;
    let existing = found(std::fs::metadata(&target)).map_err(io_error(path, "find out whether it exists"))?;
    if let Some(existing) = &existing {
        if existing.is_dir() {
            return Err(io_error(path, "write")(ErrorKind::IsADirectory.into()));
        }
        if existing.permissions().readonly() {
            return Err(io_error(path, "replace the read-only file")(ErrorKind::PermissionDenied.into()));
        }
        if !existing.is_file() {
            return Ok((target, Some(existing.clone())));
        }
    }
    let last = path.as_os_str().as_encoded_bytes().last();
    if last.is_some_and(|last| std::path::is_separator(char::from(*last))) {
        let problem = std::io::Error::new(ErrorKind::IsADirectory, "that is the name of a folder, not of a file");
        return Err(io_error(path, "write")(problem));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let seen = found(std::fs::metadata(folder.unwrap_or(Path::new("."))));
    let seen = seen.map_err(io_error(path, "find its folder"))?.is_some_and(|found| found.is_dir());
    if let (Some(folder), false) = (folder, seen) {
        return Err(io_error(path, "find its folder")(std::io::Error::new(
            ErrorKind::NotFound,
            format!("{} is not there or is no folder", folder.display()),
        )));
    }
    Ok((target, existing))
}

/// Refuses a file for which the disk has no room, before anything is computed for it.
///
/// # Errors
/// [`Error::Parameter`] naming `path`; [`Error::Io`] for a folder that is not there.
pub fn check_room(path: &Path, bytes: u64) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let room = fs4::available_space(folder).map_err(io_error(folder, "ask the free space of"))?;
    if bytes > room {
        let expected = format!("the folder must have room for {bytes} bytes; {room} are free");
        return Err(Error::Parameter { name: "out", value: path.display().to_string(), expected });
    }
    Ok(())
}

/// Creates `NAME.PID-COUNT.tmp` beside `target`; the pair is unique among living processes and within this one.
fn create_beside(target: &Path) -> std::io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let suffix = format!(".{}-{count}.tmp", std::process::id());
        // file systems allow 255 bytes a name: a longer one gives up its own end, not the suffix
        let mut temporary: OsString =
            if name.len() + suffix.len() > 255 { OsString::from("manybody") } else { name.to_os_string() };
        temporary.push(suffix);
        let path = target.with_file_name(temporary);
        // the HDF5 writer reads the addresses it laid out, hence read as well as write
        let mut unfinished = unfinished();
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                // whoever sweeps up after killed processes sees by it that this one lives; not all file systems have locks
                let _ = file.try_lock();
                unfinished.push(path.clone());
                return Ok((path, file));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {} // left by a killed process with this id
            Err(error) => return Err(error),
        }
    }
}

/// What was asked for, or `None` where there is no such file. Any other error is an error: the file may exist.
fn found<T>(outcome: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether something of that name is there, be it a symbolic link to nothing.
///
/// # Errors
/// [`Error::Io`] where that cannot be found out.
pub fn is_there(path: &Path) -> Result<bool> {
    let outcome = found(path.symlink_metadata()).map_err(io_error(path, "find out whether it exists"))?;
    Ok(outcome.is_some())
}

/// Removes a temporary file that [`write_with`] has left in a process that was killed; one of a living process stays,
/// and so does one that cannot be removed.
pub fn remove_abandoned(path: &Path) {
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return };
    if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        let _ = std::fs::remove_file(path);
    }
}

/// The file that a path means.
fn follow(path: &Path) -> std::io::Result<PathBuf> {
    // a pipe behind /dev/stdout has no name that could be opened
    if found(std::fs::metadata(path))?.is_some_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(path.to_path_buf());
    }
    // as many links as Linux follows
    let mut target = path.to_path_buf();
    for _ in 0..40 {
        if let Some(file) = found(std::fs::canonicalize(&target))? {
            return Ok(file);
        }
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(target), // no link
            other => return found(other).map(|_| target),
        }
    }
    Err(ErrorKind::InvalidInput.into())
}

/// Makes the renames in the folder of `target` survive a power cut. Only Unix lets a folder be synced, and only there
/// is it needed.
///
/// # Errors
/// Those of the operating system.
pub fn sync_folder(target: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match File::open(folder)?.sync_all() {
            // some network file systems have no such call: the rename has happened all the same
            Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}

/// A file that is removed when this is dropped, on an error or a panic, and where the process [gives up](give_up).
#[derive(Debug)]
pub struct RemoveOnDrop {
    path: Option<PathBuf>,
}

impl RemoveOnDrop {
    /// For a file that is perhaps not there yet.
    pub fn of(path: &Path) -> Self {
        unfinished().push(path.into());
        RemoveOnDrop { path: Some(path.into()) }
    }

    fn rename_to(mut self, target: &Path) -> std::io::Result<()> {
        if let Some(path) = &self.path {
            let mut unfinished = unfinished();
            std::fs::rename(path, target)?;
            unfinished.retain(|other| other != path);
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // nothing more can be done about a file that cannot be removed, and the first error is the one to show
            let mut unfinished = unfinished();
            let _ = std::fs::remove_file(path);
            unfinished.retain(|other| other != path);
        }
    }
}
