//! Where a reader's bytes come from: a file, or memory.

use super::atomic::io_error;
use crate::{Error, Result};
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that can be read and sought in.
pub(crate) trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// A file's name and length: errors name the file, and every size that the file claims is compared with its length.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) path: PathBuf,
    pub(crate) len: u64,
    /// False for bytes in memory, which have no siblings on disk.
    pub(crate) on_disk: bool,
    /// A checksum has been found, or is not asked for: what looks as if one had been lost is no damage.
    pub(crate) settled: bool,
    /// Damage is reported, and what is there is read.
    pub(crate) lenient: bool,
    failure: Failure,
    damage: Damage,
}

/// What a lenient reading has passed over.
#[derive(Clone, Default)]
struct Damage(Arc<Mutex<Option<String>>>);

impl Damage {
    fn get(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first error of the operating system in reading a file. Parsers of others lose it, or take it for an absence.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<std::io::Error>>>);

impl Failure {
    fn get(&self) -> MutexGuard<'_, Option<std::io::Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an error, and passes it on. An interrupted call is made again instead.
    fn note<T>(&self, mut call: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
        loop {
            let outcome = call();
            match &outcome {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    let code = error.raw_os_error();
                    let copy = code.map_or_else(|| error.kind().into(), std::io::Error::from_raw_os_error);
                    self.get().get_or_insert(copy);
                }
                Ok(_) => {}
            }
            return outcome;
        }
    }
}

/// A file whose errors are noted.
struct Noted<T> {
    file: T,
    failure: Failure,
}

impl<T: Read> Read for Noted<T> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Noted { file, failure } = self;
        failure.note(|| file.read(buffer))
    }
}

impl<T: Seek> Seek for Noted<T> {
    fn seek(&mut self, place: SeekFrom) -> std::io::Result<u64> {
        let Noted { file, failure } = self;
        failure.note(|| file.seek(place))
    }
}

/// Bytes that are taken from a pipe at most, all of which are kept in memory.
const PIPE: u64 = 4 << 30;
/// And from a device: a terminal gives less, `/dev/zero` never ends.
const DEVICE: u64 = 16 << 20;

#[cfg(unix)]
fn is_device(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_char_device() || found.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
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
            let (what, most) = if is_device(&metadata) { ("device", DEVICE) } else { ("pipe", PIPE) };
            let mut bytes = Vec::new();
            (&mut file).take(most + 1).read_to_end(&mut bytes).map_err(io_error(path, "read"))?;
            let input = Input::from_bytes(path, bytes);
            if input.len > most {
                let problem =
                    format!("more than {most} bytes come from this {what}: save them to a file and read that");
                return Err(input.problem("snapshot", problem));
            }
            return Ok(input);
        }
        let origin = Origin::new(path, metadata.len(), true);
        let source = Box::new(Noted { file, failure: origin.failure.clone() });
        Ok(Input { origin, source })
    }

    /// Bytes in memory, under a file's name.
    pub(crate) fn from_bytes(name: &Path, bytes: Vec<u8>) -> Input {
        Input { origin: Origin::new(name, bytes.len() as u64, false), source: Box::new(Cursor::new(bytes)) }
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
    fn new(path: &Path, len: u64, on_disk: bool) -> Self {
        let (failure, damage) = (Failure::default(), Damage::default());
        Origin { path: path.to_path_buf(), len, on_disk, settled: false, lenient: false, failure, damage }
    }

    /// A checksum has been lost, as `problem` says: an error, but where what is there is to be read all the same.
    pub(crate) fn lost_checksum(&self, format: &'static str, problem: String) -> Result<()> {
        if !self.lenient {
            return Err(self.problem(format, problem));
        }
        self.damage.get().get_or_insert(problem);
        Ok(())
    }

    /// What [`lost_checksum`](Self::lost_checksum) has passed over.
    pub(crate) fn damage(&self) -> Option<String> {
        self.damage.get().take()
    }

    /// The error of the operating system that reading has met with, if there was one: whatever came of reading is no
    /// account of the file then.
    pub(crate) fn failure(&self) -> Result<()> {
        match self.failure.get().take() {
            Some(error) => Err(io_error(&self.path, "read")(error)),
            None => Ok(()),
        }
    }

    /// Maker of [`Error::Format`] for this file, with the format's title.
    pub(crate) fn problem(&self, format: &'static str, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), format, problem: problem.into() }
    }

    /// Maker of [`Error::Field`] for this file.
    pub(crate) fn field(&self, field: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::Field { path: self.path.clone(), field: shortened(field.into()), problem: shortened(problem.into()) }
    }
}

/// A text whose middle is left out if it is long: a damaged file may have names of any length.
fn shortened(text: String) -> String {
    const ENDS: usize = 250;
    let count = text.chars().count();
    if count <= 2 * ENDS {
        return text;
    }
    let (first, last): (String, String) =
        (text.chars().take(ENDS).collect(), text.chars().skip(count - ENDS).collect());
    format!("{first} ... {last}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{self, ColumnOrder, ReadOptions, Snapshot, WriteOptions};
    use crate::{Bodies, Units};

    #[test]
    fn long_names_are_shortened_in_messages() {
        let error = snapshot::read_bytes(
            "a.csv",
            format!("id,mass,y,z,vx,vy,vz,x [{}]\n", "ä".repeat(5000)).into(),
            &ReadOptions::default(),
        );
        let text = error.unwrap_err().to_string();
        assert!(text.contains("a.csv") && text.contains(" ... ") && text.chars().count() < 1200, "{text}");
    }

    /// Bytes of which one call, the last of `left`, is refused by the disk.
    struct Failing {
        bytes: Cursor<Vec<u8>>,
        left: Arc<Mutex<usize>>,
    }

    impl Failing {
        fn count(&self) -> std::io::Result<()> {
            let mut left = self.left.lock().unwrap();
            *left = left.wrapping_sub(1);
            if *left == 0 { Err(std::io::Error::from_raw_os_error(5)) } else { Ok(()) }
        }
    }

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.count()?;
            self.bytes.read(buffer)
        }
    }

    impl Seek for Failing {
        fn seek(&mut self, place: SeekFrom) -> std::io::Result<u64> {
            self.count()?;
            self.bytes.seek(place)
        }
    }

    fn sample() -> Snapshot {
        let mut bodies = Bodies::default();
        for i in 0..5 {
            let q = f64::from(i) + 0.25;
            bodies.push(q, [q, -q, 2.0 * q], [0.5, q, -0.25]);
        }
        bodies.kind = Some(vec![1, 4, 1, 4, 0]);
        bodies.eps = Some(vec![0.5; 5]);
        bodies.extra.insert("potential".into(), vec![-1.5; 5]);
        let meta = [("run.dt".to_string(), "1/128".to_string())].into();
        Snapshot { bodies, time: 5.0, units: Units::gadget(), meta }
    }

    /// Whichever call of the system fails while a file is read, it is an error of the disk: never another file, and
    /// never one without its units, its record or its order.
    #[test]
    fn an_error_of_the_disk_is_no_absence() {
        let folder = tempfile::tempdir().unwrap();
        let columns = Some(ColumnOrder::MassFirst);
        for extension in ["hdf5", "nemo", "csv", "tipsy", "txt"] {
            for without_checksum in [false, true] {
                let path = folder.path().join("b").with_extension(extension);
                let options = WriteOptions { columns, without_checksum, ..WriteOptions::default() };
                snapshot::write_as(&path, &sample(), &options).unwrap();
                let bytes = std::fs::read(&path).unwrap();
                let read = |calls: usize| {
                    let left = Arc::new(Mutex::new(calls));
                    let origin = Origin::new(&path, bytes.len() as u64, true);
                    let file = Failing { bytes: Cursor::new(bytes.clone()), left: left.clone() };
                    let source = Box::new(Noted { file, failure: origin.failure.clone() });
                    let options = ReadOptions { columns, ..ReadOptions::default() };
                    let outcome = snapshot::read_input(Input { origin, source }, &options);
                    let met = *left.lock().unwrap() == 0 || *left.lock().unwrap() > calls;
                    (outcome, met)
                };
                let whole = read(usize::MAX).0.unwrap();
                let mut calls = 1;
                loop {
                    let (outcome, met) = read(calls);
                    if !met {
                        assert_eq!(outcome.unwrap().snapshot, whole.snapshot);
                        break;
                    }
                    let error = outcome.map(|_| ()).unwrap_err();
                    assert!(matches!(error, Error::Io { .. }), "{extension}, call {calls}: {error}");
                    calls += 1;
                }
                assert!(calls > 5, "{extension}: {calls} calls");
            }
        }
    }

    /// A call that was interrupted is made again.
    #[test]
    fn an_interrupted_call_is_made_again() {
        let mut calls = 0;
        let outcome = Failure::default().note(|| {
            calls += 1;
            if calls < 3 { Err(ErrorKind::Interrupted.into()) } else { Ok(calls) }
        });
        assert_eq!(outcome.unwrap(), 3);
    }
}
