//! A large file that all ranks write: rank 0 lays it out, packs it, and deals its blocks out.
//!
//! ```text
//!   blocks of the file    |   0   |   1   |   2   |   3   |   4   |  5
//!   of three ranks writes | rank 0| rank 1| rank 2| rank 0| rank 1| rank 0, since it is not whole
//! ```
//!
//! Rank 0 creates the file and puts a nonce in it. The others open it by its path; where one does not find the nonce, as
//! on a machine that does not see the folder, rank 0 writes alone. Blocks are letters of an offset and bytes, because the
//! other ranks on CPUs have neither velocities nor ids; so they need not know the format. A rank confirms each block that
//! it has written, and rank 0 sends a rank no more than [`AHEAD`] blocks before that.
//!
//! Blocks begin at multiples of their size, and those that are not filled in one go, as the places between two datasets,
//! are rank 0's. So no two machines write in one page of a network file system, and rank 0 reads back only what it has
//! written itself. The checksum is made of the bytes as they are packed.
//!
//! At the end every rank syncs its file and closes it. Only then rank 0 gives the file its name. Where a rank is lost, or
//! a disk refuses a block, the temporary file is removed, and what was there before stays as it was.
//!
//! Cost: rank 0 packs and sums all bytes, and sends (R - 1) / R of them to R - 1 ranks.

use super::job::Kind;
use super::shared::{carry_out, drives};
use crate::snapshot::atomic::io_error;
use crate::snapshot::checksum::InOrder;
use crate::snapshot::input::Source;
use crate::snapshot::output::Output;
use crate::{Error, Result};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Files of fewer bodies are rank 0's, which then writes while the run goes on: that of 10^7 bodies has 640 MB. So are those
/// of ranks of one machine.
const LEAST_BODIES: usize = 10_000_000;

/// Bytes of a block: a multiple of the stripes and pages of network file systems.
const BLOCK: u64 = 8 << 20;

/// Blocks that a rank has been sent and has not written.
const AHEAD: usize = 2;

/// For tests: other numbers, as `bodies:bytes of a block`.
const NUMBERS_OF_TESTS: &str = "MANYBODY_SHARED_FILES";

/// Words by which a rank knows that its file is that of rank 0.
const NONCE: usize = 4;

/// What came of a file that ranks were to write together.
#[derive(Debug)]
pub(crate) enum Together<R> {
    /// It is written, and on the disks.
    Written(R),
    /// A rank cannot, and why: the file is empty.
    Refused(String),
}

/// Ranks that write a file together.
pub(crate) struct Writers {
    team: Team,
    block: u64,
}

impl Writers {
    /// The ranks that this thread drives, for a file of so many bodies; `None` where it is rank 0's alone.
    ///
    /// # Errors
    /// [`Error::Parameter`] for numbers of tests that cannot be read.
    pub(crate) fn of(bodies: usize) -> Result<Option<Self>> {
        let given = numbers()?;
        let (least, block) = given.unwrap_or((LEAST_BODIES, BLOCK));
        // where a rank is lost, rank 0 can still keep the state
        let team = drives(bodies, 1, least).unwrap_or_default();
        // one machine's disks are not faster for several processes, and rank 0 alone writes while the run goes on
        Ok(team.filter(|team| given.is_some() || has_several_hosts(team)).map(|team| Writers { team, block }))
    }

    /// Has all ranks write what `write` puts out to an empty `file`, which they open as `temporary`. Errors name
    /// `path`.
    ///
    /// # Errors
    /// Those of `write`; [`Error::Io`], also for what another rank cannot write; [`Error::Rank`] for a rank that is
    /// lost.
    pub(crate) fn write<R>(
        &self,
        file: &mut File,
        temporary: &Path,
        path: &Path,
        write: impl FnOnce(&mut dyn Output) -> Result<R>,
    ) -> Result<Together<R>> {
        let Some(job) = job(file, temporary).map_err(io_error(path, "write"))? else {
            return Ok(Together::Refused("its path is not UTF-8".into()));
        };
        carry_out(&self.team, job, || {
            let mut shared = SharedFile::of(&self.team, file, self.block);
            let done = shared.write_through(path, write);
            shared.lost.take().map_or(done, Err)
        })
    }
}

/// What the other ranks get to open a file, of which it has the nonce now; `None` for a path that no text can name.
fn job(file: &mut File, path: &Path) -> io::Result<Option<Words>> {
    let absolute = std::path::absolute(path)?;
    let Some(name) = absolute.to_str() else { return Ok(None) };
    let mut nonce = [0_u64; NONCE];
    getrandom::fill(bytemuck::cast_slice_mut(&mut nonce)).map_err(|error| io::Error::other(error.to_string()))?;
    if cfg!(windows) {
        // there the lock that marks a living process keeps others from the bytes
        let _ = file.unlock();
    }
    file.write_all(bytemuck::cast_slice(&nonce))?;
    file.sync_data()?;
    let mut words = Kind::Write.alone();
    words.text(name).numbers(nonce.into_iter());
    Ok(Some(words))
}

fn has_several_hosts(team: &Team) -> bool {
    (1..team.ranks()).any(|rank| team.host(rank) != team.host(0))
}

/// From how many bodies on a file is shared, and in blocks of how many bytes, where tests say it.
///
/// # Errors
/// [`Error::Parameter`] for numbers that cannot be read.
pub(super) fn numbers() -> Result<Option<(usize, u64)>> {
    let Ok(text) = std::env::var(NUMBERS_OF_TESTS) else { return Ok(None) };
    let read = text.split_once(':').and_then(|(least, block)| Some((least.parse().ok()?, block.parse().ok()?)));
    let usable = read.filter(|(_, block): &(usize, u64)| *block > 0 && block.is_multiple_of(8));
    usable.map(Some).ok_or_else(|| Error::Parameter {
        name: NUMBERS_OF_TESTS,
        value: text,
        expected: "must be a number of bodies, a colon, and the bytes of a block, a multiple of 8".into(),
    })
}

/// What rank 0 writes to.
struct SharedFile<'a> {
    team: &'a Team,
    file: &'a mut File,
    block: u64,
    /// Tags of the letters to the others, and of theirs.
    tags: [u64; 2],
    /// By rank, the letters that it has not answered.
    unanswered: Vec<usize>,
    position: u64,
    len: u64,
    /// A letter: an offset, and the bytes of a block, of which `filled` have come.
    letter: Vec<u64>,
    filled: usize,
    /// The layout is written, and blocks are dealt out.
    deals: bool,
    sum: Option<InOrder>,
    /// Why a rank did not answer.
    lost: Option<Error>,
}

impl<'a> SharedFile<'a> {
    fn of(team: &'a Team, file: &'a mut File, block: u64) -> Self {
        SharedFile {
            team,
            file,
            block,
            tags: [team.next_tag(), team.next_tag()],
            // whether they have opened it
            unanswered: (0..team.ranks()).map(|rank| usize::from(rank > 0)).collect(),
            position: 0,
            len: 0,
            letter: vec![0; 1 + block as usize / 8],
            filled: 0,
            deals: false,
            sum: None,
            lost: None,
        }
    }

    fn write_through<R>(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut dyn Output) -> Result<R>,
    ) -> Result<Together<R>> {
        if let Some(why) = self.begin().map_err(io_error(path, "write"))? {
            return Ok(Together::Refused(why));
        }
        let written = write(self)?;
        self.end().map_err(io_error(path, "write"))?;
        Ok(Together::Written(written))
    }

    /// Hears from every rank whether it has opened the file, and empties it. Where one has not, returns why, and the others
    /// close it.
    fn begin(&mut self) -> io::Result<Option<String>> {
        let mut why = None;
        for rank in 1..self.team.ranks() {
            let refusal = self.answer(rank)?.map(|problem| format!("rank {rank} cannot write it ({problem})"));
            why = why.or(refusal);
        }
        self.file.set_len(0)?;
        self.file.rewind()?;
        if why.is_some() {
            self.close()?;
            (1..self.team.ranks()).try_for_each(|rank| self.answer(rank).map(drop))?;
        }
        Ok(why)
    }

    /// Has every rank bring to its disk what it has written, and waits for all.
    fn end(&mut self) -> io::Result<()> {
        self.put()?;
        self.close()?;
        self.file.sync_data()?;
        (1..self.team.ranks()).try_for_each(|rank| self.confirm(rank, 0))
    }

    /// Sends the last letter to every rank.
    fn close(&mut self) -> io::Result<()> {
        (1..self.team.ranks()).try_for_each(|rank| self.send(rank, Vec::new()))
    }

    /// Writes what has come of a block, or sends it to the rank whose block it is.
    fn put(&mut self) -> io::Result<()> {
        let filled = std::mem::take(&mut self.filled);
        if filled == 0 {
            return Ok(());
        }
        let start = self.letter[0];
        let bytes = &bytemuck::cast_slice(&self.letter[1..])[..filled];
        if let Some(sum) = &mut self.sum {
            sum.add(self.file, start, bytes)?;
        }
        let rank = (start / self.block % self.team.ranks() as u64) as usize;
        if !self.deals || rank == 0 || filled as u64 != self.block {
            self.file.seek(SeekFrom::Start(start))?;
            return self.file.write_all(bytes);
        }
        self.confirm(rank, AHEAD - 1)?;
        let next = vec![0; self.letter.len()];
        let letter = std::mem::replace(&mut self.letter, next);
        self.send(rank, letter)
    }

    fn send(&mut self, rank: usize, letter: Vec<u64>) -> io::Result<()> {
        let sent = self.team.send(rank, self.tags[0], letter);
        self.unanswered[rank] += 1;
        self.note(sent)
    }

    /// Waits until a rank has `most` letters to answer.
    fn confirm(&mut self, rank: usize, most: usize) -> io::Result<()> {
        while self.unanswered[rank] > most {
            if let Some(problem) = self.answer(rank)? {
                return Err(io::Error::other(format!("rank {rank}: {problem}")));
            }
        }
        Ok(())
    }

    /// The next answer of a rank: what is wrong, if anything.
    fn answer(&mut self, rank: usize) -> io::Result<Option<String>> {
        let words = self.team.receive(rank, self.tags[1]);
        let problem = self.note(words.and_then(|words| Reader::of(&words).text()))?;
        self.unanswered[rank] -= 1;
        Ok(Some(problem).filter(|problem| !problem.is_empty()))
    }

    /// Keeps an error of the ranks, for which a writer has no place.
    fn note<T>(&mut self, done: Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let shown = io::Error::other(error.to_string());
            self.lost.get_or_insert(error);
            shown
        })
    }
}

impl Write for SharedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.letter[0] + self.filled as u64 != self.position {
            self.put()?;
        }
        if self.filled == 0 {
            self.letter[0] = self.position;
        }
        let to_end = self.block - self.position % self.block;
        let count = bytes.len().min(to_end as usize);
        let room: &mut [u8] = bytemuck::cast_slice_mut(&mut self.letter[1..]);
        room[self.filled..self.filled + count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        self.position += count as u64;
        self.len = self.len.max(self.position);
        if count as u64 == to_end {
            self.put()?;
        }
        Ok(count)
    }

    /// Puts nothing out: parts of a block wait for the rest.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for SharedFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
        };
        self.position = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl Read for SharedFile<'_> {
    /// Only what rank 0 has written: the layout.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.deals {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.put()?;
        self.file.seek(SeekFrom::Start(self.position))?;
        let count = self.file.read(to)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Output for SharedFile<'_> {
    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.put()?;
        self.len = len;
        self.file.set_len(len)
    }

    fn view(&mut self) -> io::Result<Box<dyn Source>> {
        self.put()?;
        Ok(Box::new(self.file.try_clone()?))
    }

    fn begin_content(&mut self) -> io::Result<()> {
        self.put()?;
        self.deals = true;
        self.sum = Some(InOrder::default());
        Ok(())
    }

    fn known_sum(&mut self, end: u64) -> io::Result<Option<u64>> {
        self.put()?;
        let Some(mut sum) = self.sum.take() else { return Ok(None) };
        sum.add(self.file, end, &[])?;
        Ok(Some(sum.finish()))
    }
}

/// Opens a file that has a nonce.
type Open<'a> = dyn Fn(&Path, &[u64]) -> io::Result<File> + 'a;

/// What the other ranks do: they write what rank 0 sends them.
///
/// # Errors
/// [`Error::Rank`] and [`Error::Interrupted`] for the end of the ranks; rank 0 gets those of the disk.
pub(super) fn serve(reader: &mut Reader<'_>, team: &Team) -> Result<()> {
    serve_by(&open, reader, team)
}

/// [`serve`] with another way to open the file.
fn serve_by(open: &Open<'_>, reader: &mut Reader<'_>, team: &Team) -> Result<()> {
    let (path, nonce) = (PathBuf::from(reader.text()?), reader.numbers()?);
    let [of_letters, of_answers] = [team.next_tag(), team.next_tag()];
    let answer = |problem: Option<&io::Error>| {
        let mut words = Words::default();
        words.text(&problem.map(ToString::to_string).unwrap_or_default());
        team.send(0, of_answers, words.done())
    };
    let mut file = open(&path, nonce);
    loop {
        // after an error all letters have that answer
        answer(file.as_ref().err())?;
        let letter = team.receive(0, of_letters)?;
        let Some((offset, words)) = letter.split_first() else { break };
        file = file.and_then(|mut file| {
            file.seek(SeekFrom::Start(*offset))?;
            file.write_all(bytemuck::cast_slice(words))?;
            Ok(file)
        });
    }
    // closes it, too
    let ended = file.and_then(|file| file.sync_data());
    answer(ended.err().as_ref())
}

/// Opens the file that rank 0 has created, to write to it.
fn open(path: &Path, nonce: &[u64]) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut found = [0_u64; NONCE];
    file.read_exact(bytemuck::cast_slice_mut(&mut found))?;
    if found != *nonce {
        return Err(io::Error::other("another file has this name here"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests;
