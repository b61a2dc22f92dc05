//! A table beside a run, which grows line by line: the file of [`super::log`] and of [`super::events`].
//!
//! The file begins whole, by a rename, and lines are appended by one write; where a write fails, what it has left is cut
//! off. Each line has a checksum of it and all before it.

use super::observer::Audience;
use crate::log::Chain;
use crate::snapshot::atomic::{self, io_error, is_there};
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Whether a file is a table that begins so.
///
/// # Errors
/// [`Error::Io`] where that cannot be found out.
pub(super) fn is_table(path: &Path, signature: &str) -> Result<bool> {
    let mut begin = Vec::new();
    if !is_there(path)? {
        return Ok(false);
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        // a link to no file
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(io_error(path, "find out what it is")(error)),
        Ok(_) => return Ok(false),
    }
    let file = File::open(path).map_err(io_error(path, "read"))?;
    file.take(signature.len() as u64).read_to_end(&mut begin).map_err(io_error(path, "read"))?;
    Ok(begin == signature.as_bytes())
}

/// The table of a run that is under way.
pub(super) struct Lines {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines, and their checksum.
    bytes: u64,
    chain: Chain,
}

impl Lines {
    /// Begins a table with its header and lines.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn begin(path: PathBuf, header: String, lines: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut chain = Chain::begin(&header);
        let text = lines.into_iter().fold(header, |text, line| text + &chain.seal(&line));
        atomic::write_bytes(&path, text.as_bytes())?;
        let file = OpenOptions::new().write(true).open(&path).map_err(io_error(&path, "write"))?;
        Lines { path, file, bytes: text.len() as u64, chain }.at_end()
    }

    fn at_end(mut self) -> Result<Self> {
        self.file.seek(SeekFrom::End(0)).map_err(io_error(&self.path, "write"))?;
        Ok(self)
    }

    /// Appends lines by one write.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn append(&mut self, lines: impl IntoIterator<Item = String>) -> Result<()> {
        let mut chain = self.chain;
        let text: String = lines.into_iter().map(|line| chain.seal(&line)).collect();
        if let Err(source) = self.file.write_all(text.as_bytes()) {
            // no part of a line stays; where that fails, too, the next resume cuts it off
            let _ = self.file.set_len(self.bytes);
            return Err(io_error(&self.path, "write")(source));
        }
        (self.bytes, self.chain) = (self.bytes + text.len() as u64, chain);
        Ok(())
    }

    /// Brings all lines to the disk, before a snapshot.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(io_error(&self.path, "write"))
    }
}

/// A table that a run goes on from.
pub(super) struct Earlier {
    path: PathBuf,
    file: File,
    text: Vec<u8>,
}

impl Earlier {
    /// Reads it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn read(path: PathBuf) -> Result<Self> {
        let mut text = Vec::new();
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(io_error(&path, "write"))?;
        file.read_to_end(&mut text).map_err(io_error(&path, "read"))?;
        Ok(Earlier { path, file, text })
    }

    /// What is in it.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Cuts off the lines after `time`, which is the column at `place`, and what is no whole line; warns where lines
    /// before are `missing`.
    ///
    /// # Errors
    /// [`Error::Format`] for another header than this one, and for a line before that differs from its checksum;
    /// [`Error::Io`].
    pub(super) fn up_to(
        self,
        (time, place): (f64, usize),
        (format, header): (&'static str, &str),
        missing: impl FnOnce(&Kept) -> u64,
        audience: &mut Audience<'_>,
    ) -> Result<Lines> {
        let Earlier { path, file, text } = self;
        let wrong = |problem: String| Error::Format { path: path.clone(), format, problem };
        let Some(rest) = text.strip_prefix(header.as_bytes()) else {
            let problem = "its header is not the one that this run writes: move it away, and a new table begins";
            return Err(wrong(problem.into()));
        };
        let kept = kept(rest, Chain::begin(header), time, place);
        let missing = missing(&kept);
        if kept.damaged == Some(true) || (kept.damaged.is_some() && missing > 0) {
            return Err(wrong(format!(
                "line {} differs from its checksum, or one before it is missing: --resume a snapshot before it, and it is \
                 written again, or move the file away, and a new table begins",
                header.lines().count() as u64 + kept.lines + 1
            )));
        }
        let bytes = header.len() as u64 + kept.bytes;
        if bytes < text.len() as u64 {
            file.set_len(bytes).map_err(io_error(&path, "cut off lines of"))?;
        }
        if missing > 0 {
            audience.warn(format_args!("{}: {missing} of its lines before this snapshot are missing", path.display()));
        }
        Lines { path, file, bytes, chain: kept.chain }.at_end()
    }
}

/// The lines of a table up to a time.
pub(super) struct Kept {
    pub(super) lines: u64,
    /// The time of the first one.
    pub(super) first: Option<f64>,
    bytes: u64,
    chain: Chain,
    /// Whether the next line, which is a whole one but differs from its checksum, is one of them by its time.
    damaged: Option<bool>,
}

fn kept(rows: &[u8], chain: Chain, time: f64, place: usize) -> Kept {
    let mut kept = Kept { lines: 0, bytes: 0, chain, first: None, damaged: None };
    for line in rows.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let text = String::from_utf8_lossy(line);
        let mut chain = kept.chain;
        let at = text.split(',').nth(place).and_then(|field| field.parse().ok()).filter(|at: &f64| *at <= time);
        kept.damaged = (!chain.accepts(&text)).then_some(at.is_some());
        let Some(at) = at.filter(|_| kept.damaged.is_none()) else { break };
        kept.first.get_or_insert(at);
        (kept.lines, kept.bytes, kept.chain) = (kept.lines + 1, kept.bytes + line.len() as u64, chain);
    }
    kept
}
