//! Where a reader's bytes come from: a file, or memory.

use super::atomic::io_error;
use crate::{Error, Result};
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Bytes that can be read and sought in.
pub(crate) trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// A file's name and length: what errors name, and what every size a file claims is held against.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) path: PathBuf,
    pub(crate) len: u64,
    /// False for bytes in memory, which have no siblings on disk.
    pub(crate) on_disk: bool,
}

/// An open file, or bytes under a file's name.
pub(crate) struct Input {
    pub(crate) origin: Origin,
    pub(crate) source: Box<dyn Source>,
}

impl Deref for Input {
    type Target = Origin;

    fn deref(&self) -> &Origin {
        &self.origin
    }
}

impl Input {
    /// Opens a file. A pipe is read to its end first, since every reader but the texts' seeks.
    pub(crate) fn open(path: &Path) -> Result<Input> {
        let mut file = File::open(path).map_err(io_error(path, "open"))?;
        let metadata = file.metadata().map_err(io_error(path, "open"))?;
        if metadata.is_dir() {
            return Err(io_error(path, "read")(std::io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(io_error(path, "read"))?;
            return Ok(Input::from_bytes(path, bytes));
        }
        let origin = Origin { path: path.to_path_buf(), len: metadata.len(), on_disk: true };
        Ok(Input { origin, source: Box::new(file) })
    }

    /// Bytes in memory, under a file's name.
    pub(crate) fn from_bytes(name: &Path, bytes: Vec<u8>) -> Input {
        let origin = Origin { path: name.to_path_buf(), len: bytes.len() as u64, on_disk: false };
        Input { origin, source: Box::new(Cursor::new(bytes)) }
    }

    /// Moves to a place in the file.
    pub(crate) fn seek(&mut self, offset: u64) -> Result<()> {
        self.source.seek(SeekFrom::Start(offset)).map_err(io_error(&self.origin.path, "read"))?;
        Ok(())
    }

    /// The first bytes, as many as there are up to `count`; the place is the file's start again afterwards.
    pub(crate) fn peek(&mut self, count: usize) -> Result<Vec<u8>> {
        self.seek(0)?;
        let mut bytes = Vec::new();
        let mut start = (&mut self.source).take(count as u64);
        start.read_to_end(&mut bytes).map_err(io_error(&self.origin.path, "read"))?;
        self.seek(0)?;
        Ok(bytes)
    }

    /// Fills `buffer` from the current place.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.source.read_exact(buffer).map_err(io_error(&self.origin.path, "read"))
    }
}

impl Origin {
    /// Maker of [`Error::Format`] for this file, with the format's title.
    pub(crate) fn problem(&self, format: &'static str, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), format, problem: problem.into() }
    }

    /// Maker of [`Error::Field`] for this file.
    pub(crate) fn field(&self, field: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::Field { path: self.path.clone(), field: field.into(), problem: problem.into() }
    }
}
