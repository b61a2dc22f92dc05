//! The files of a run: `b.hdf5` at the end, `b.0001.hdf5`, `b.0002.hdf5`, ... during the run, `b.toml` to repeat it.
//!
//! Nothing of a user's is overwritten: a new run moves the files of an earlier one of the same name aside, together
//! ([`aside`](super::aside)), as the run `b.old1`. A run that is resumed replaces only what it would write itself.

use super::lock::Lock;
use super::observer::Audience;
use crate::ranks::file::Writers;
use crate::settings::Settings;
use crate::simulation::{Schedule, Standing};
use crate::snapshot::{self, Format, Snapshot, atomic};
use crate::{Error, Result};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What a name has to leave room for, of the 255 bytes that file systems allow.
const LONGEST_ENDING: &str = ".old9999.4294967295..4194304-4294967295.tmp";

/// The names of a run's files, and the last one written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outputs {
    pub(super) folder: PathBuf,
    pub(super) stem: String,
    pub(super) extension: String,
    format: Format,
    /// The newest snapshot on disk that this process has written or read.
    last: Option<PathBuf>,
    /// What the format cannot hold has been said.
    noted: bool,
    /// The other ranks do not see the folder: rank 0 writes without them.
    alone: bool,
}

impl Outputs {
    /// The files of the run whose last snapshot is to be `path`.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an extension that means no format, [`Error::Io`] for a folder that is not there, and
    /// [`Error::Parameter`] for a name that is no text.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let format = Format::for_writing(path)?;
        if format == Format::Text {
            return Err(wrong_name(path, "plain text does not say which column is which: must be .hdf5 or .csv"));
        }
        let part = |part: Option<&OsStr>| part.and_then(OsStr::to_str).map(str::to_owned);
        let (Some(stem), Some(extension)) = (part(path.file_stem()), part(path.extension())) else {
            return Err(wrong_name(path, "must be a file name in UTF-8"));
        };
        // all of a run's names, and those of its temporary files, or it would fail when it comes to the longest
        let longest = LONGEST_ENDING.len() + extension.len().max("toml".len());
        if stem.len() + longest > 255 {
            let room = 255 - longest;
            return Err(wrong_name(
                path,
                &format!("of its {} bytes before the extension, {room} are possible", stem.len()),
            ));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let seen = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        match seen.metadata() {
            Ok(found) if found.is_dir() => {
                Ok(Outputs { folder, stem, extension, format, last: None, noted: false, alone: false })
            }
            Ok(_) => Err(wrong_name(path, "its folder is not a folder")),
            Err(source) => Err(Error::Io { path: seen.into(), action: "find the folder", source }),
        }
    }

    /// The files of a run that is to be written: `path` is what `--out` gives.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`check_files`](Self::check_files), and [`Error::Parameter`] for a name such as a run
    /// gives its numbered snapshots: the last snapshot would be taken for one of another run.
    pub(super) fn asked_for(path: &Path) -> Result<Self> {
        let outputs = Self::new(path)?;
        if Self::number_of(path).is_some() {
            return Err(wrong_name(
                path,
                "must not end in a dot and four digits or more: a run names its snapshots so (b.0003.hdf5)",
            ));
        }
        outputs.check_files("out")?;
        Ok(outputs)
    }

    /// The files of the run that kept `snapshot`: `b.hdf5` for `b.0003.hdf5`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Parameter`] where the name does not say which run's it is.
    pub(super) fn of_kept(path: &Path) -> Result<Self> {
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let run = stem.rsplit_once('.').filter(|(_, number)| is_number(number)).map(|(run, _)| run);
        let (Some(run), Some(extension)) = (run, path.extension().and_then(OsStr::to_str)) else {
            return Err(wrong_name(
                path,
                "not named as a run names its snapshots (b.0003.hdf5): say with --out where the run goes on",
            ));
        };
        Outputs::new(&path.with_file_name(format!("{run}.{extension}")))
    }

    /// Refuses what is neither a file nor a folder under a name that the run gives its files, before anything opens it: a pipe
    /// would wait for another process. `option` is what gave the name. A link to nothing, a folder and the table have their
    /// own errors.
    ///
    /// # Errors
    /// [`Error::Parameter`]; [`Error::Io`] where it cannot be found out.
    pub(super) fn check_files(&self, option: &'static str) -> Result<()> {
        let mut names = vec![self.last_snapshot(), self.scene(), self.journal()];
        names.extend(self.kept()?.into_iter().map(|(_, path)| path));
        if !self.can_be_resumed() {
            names.extend(self.in_hdf5().kept()?.into_iter().map(|(_, path)| path));
        }
        for path in names {
            match std::fs::metadata(&path) {
                Ok(found) if found.is_file() || found.is_dir() => {}
                Ok(_) => {
                    return Err(Error::Parameter {
                        name: option,
                        value: path.display().to_string(),
                        expected: "a pipe or a device has this name, where a run keeps its files: give another --out, \
                                   or remove it"
                            .into(),
                    });
                }
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(error) => return Err(atomic::io_error(&path, "find out what it is")(error)),
            }
        }
        Ok(())
    }

    /// The last snapshot.
    pub(super) fn last_snapshot(&self) -> PathBuf {
        self.folder.join(format!("{}.{}", self.stem, self.extension))
    }

    /// The path of a numbered snapshot.
    pub(super) fn numbered(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}.{number:04}.{}", self.stem, self.extension))
    }

    /// The last state of a run that has missed its accuracy; a name that no file has.
    pub(super) fn missed(&self) -> PathBuf {
        let name = |k: usize| {
            let k = if k < 2 { String::new() } else { k.to_string() };
            self.folder.join(format!("{}.missed{k}.{}", self.stem, self.extension))
        };
        (1..).map(name).find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| name(1))
    }

    /// The description.
    pub(super) fn scene(&self) -> PathBuf {
        self.folder.join(format!("{}.toml", self.stem))
    }

    /// What keeps other runs from these names: snapshots in every format share the description, so they share this.
    pub(super) fn lock(&self, audience: &mut Audience<'_>) -> Result<Option<Lock>> {
        Lock::take(self.folder.join(format!("{}.manybody-lock", self.stem)), &self.last_snapshot(), audience)
    }

    /// What the description has to say of them: nothing where they are what it would be without, so that a copy of
    /// it by another name has outputs by another name.
    pub(super) fn to_say(&self) -> Option<PathBuf> {
        (self.extension != "hdf5").then(|| self.last_snapshot())
    }

    /// True where a description speaks of these files, and not of those of the same name in another format.
    pub(super) fn is_described_by(&self, settings: &Settings) -> bool {
        let extension = settings.out.as_ref().map_or(Some("hdf5"), |out| out.extension().and_then(OsStr::to_str));
        extension == Some(&*self.extension)
    }

    /// The folder they are in; may be empty.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// True where a run can be resumed from a file of this format: where it keeps every bit and the metadata.
    pub(super) fn can_be_resumed(&self) -> bool {
        self.format.is_lossless()
    }

    /// The format of the snapshots.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// The names of a run of another stem beside it.
    pub(super) fn with_stem(&self, stem: String) -> Self {
        Outputs { stem, ..self.clone() }
    }

    /// The same names in HDF5, for a state that the format of these cannot hold.
    pub(super) fn in_hdf5(&self) -> Self {
        Outputs { extension: "hdf5".into(), format: Format::GadgetHdf5, ..self.clone() }
    }

    /// True where a snapshot of `kept`'s names belongs to this very run: it has the same names, but perhaps for the format
    /// that an interruption had to choose.
    pub(super) fn is_run_of(&self, kept: &Outputs) -> bool {
        let same_format = self.extension == kept.extension;
        let for_it = !self.can_be_resumed() && *kept.extension == *self.in_hdf5().extension;
        self.folder == kept.folder && self.stem == kept.stem && (same_format || for_it)
    }

    /// The newest snapshot known to be whole.
    pub(super) fn newest(&self) -> Option<&Path> {
        self.last.as_deref()
    }

    /// Notes that `path` is on disk.
    pub(super) fn note(&mut self, path: PathBuf) {
        self.last = Some(path);
    }

    /// Writes a snapshot, all or nothing; says what the format cannot hold, the first time.
    ///
    /// # Errors
    /// Those of the format.
    pub(super) fn write(&mut self, path: PathBuf, snapshot: &Snapshot, audience: &mut Audience<'_>) -> Result<()> {
        let notes = match self.writers(&path, snapshot.bodies.len())? {
            None => snapshot::write(&path, snapshot)?,
            Some(writers) => {
                let (notes, why) = snapshot::write_shared(&path, snapshot, &writers)?;
                if let Some(why) = why {
                    self.alone = true;
                    let file = path.display();
                    audience.note(format_args!("{file}: {why}: rank 0 writes the files of this run alone"));
                }
                notes
            }
        };
        self.wrote(path, &notes, audience);
        Ok(())
    }

    /// The ranks that write a snapshot of so many bodies together, on the thread of the run; `None` where one process does.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an extension that means no format.
    pub(super) fn writers(&self, path: &Path, bodies: usize) -> Result<Option<Writers>> {
        match !self.alone && Format::for_writing(path)? == Format::GadgetHdf5 {
            true => Writers::of(bodies),
            false => Ok(None),
        }
    }

    /// Notes that a snapshot is on disk; says what the format cannot hold, the first time.
    pub(super) fn wrote(&mut self, path: PathBuf, notes: &[String], audience: &mut Audience<'_>) {
        if !std::mem::replace(&mut self.noted, true) {
            notes.iter().for_each(|note| audience.note(format_args!("{}: {note}", path.display())));
        }
        self.last = Some(path);
    }

    /// The numbered snapshots that exist, by number.
    ///
    /// # Errors
    /// [`Error::Io`] for a folder that cannot be read.
    pub(super) fn kept(&self) -> Result<Vec<(u64, PathBuf)>> {
        let mut kept = Vec::new();
        for name in self.names()? {
            let middle = name.strip_prefix(&self.stem).and_then(|n| n.strip_suffix(&self.extension));
            let number = middle.and_then(|m| m.strip_prefix('.')?.strip_suffix('.')).filter(|m| is_number(m));
            if let Some(number) = number.and_then(|digits| digits.parse().ok()) {
                kept.push((number, self.folder.join(name)));
            }
        }
        kept.sort();
        Ok(kept)
    }

    /// Removes what killed runs of this name have left unfinished: `b.0003.hdf5.PID-COUNT.tmp`.
    ///
    /// # Errors
    /// [`Error::Io`] for a folder that cannot be read. A file that cannot be removed stays.
    pub(super) fn sweep(&self) -> Result<()> {
        self.sweep_those(|target| {
            let stem_of = |extension: &str| target.strip_suffix(extension).and_then(|rest| rest.strip_suffix('.'));
            let snapshot = |extension: &str| {
                let rest = stem_of(extension).and_then(|stem| stem.strip_prefix(&self.stem));
                rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number))
            };
            // an interruption of a run whose format rounds keeps its state in another
            let kept = !self.can_be_resumed() && snapshot(&self.in_hdf5().extension);
            let other = [self.scene(), self.journal()].iter().any(|path| path.file_name() == Some(OsStr::new(target)));
            snapshot(&self.extension) || kept || other
        })
    }

    /// The same of the table, for a run that has one: without it, that name may be another run's.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep).
    pub(super) fn sweep_log(&self) -> Result<()> {
        self.sweep_those(|target| self.log().file_name() == Some(OsStr::new(target)))
    }

    /// The same of the table of events.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep).
    pub(super) fn sweep_events(&self) -> Result<()> {
        self.sweep_those(|target| self.events().file_name() == Some(OsStr::new(target)))
    }

    /// Removes the temporary files of killed processes for the files that are `ours`, by name.
    fn sweep_those(&self, ours: impl Fn(&str) -> bool) -> Result<()> {
        for name in self.names()? {
            let Some((target, process)) = name.strip_suffix(".tmp").and_then(|rest| rest.rsplit_once('.')) else {
                continue;
            };
            let process = process.split_once('-').is_some_and(|(id, count)| all_digits(id) && all_digits(count));
            if process && ours(target) {
                atomic::remove_abandoned(&self.folder.join(name));
            }
        }
        Ok(())
    }

    /// Removes a snapshot that an interruption has kept, and that a run never interrupted does not have: `path`, or the one
    /// of the greatest number, if it is whole, `is_of_run`, has the number that an interruption gives this state, and is not
    /// what the schedule asked for under that number. Any other file stays.
    ///
    /// # Errors
    /// [`Error::Io`] for a folder or a file that cannot be read, or not removed.
    pub(super) fn remove_interrupted(
        &self,
        path: Option<&Path>,
        is_of_run: impl Fn(&Standing, &Snapshot) -> bool,
    ) -> Result<()> {
        let found = self.kept()?.into_iter().rfind(|(_, kept)| path.is_none_or(|path| path == kept));
        let Some((number, path)) = found else { return Ok(()) };
        let snapshot = match snapshot::read(&path) {
            Ok(snapshot) => snapshot,
            Err(error @ Error::Io { .. }) => return Err(error),
            // nothing is certain of a damaged one
            Err(_) => return Ok(()),
        };
        let Ok(standing) = Standing::from_snapshot(&snapshot) else { return Ok(()) };
        let between = !standing.last
            && standing.due != Some(number)
            && Self::number_between(&standing, &snapshot) == Some(number);
        if between && is_of_run(&standing, &snapshot) {
            std::fs::remove_file(&path).map_err(atomic::io_error(&path, "remove"))?;
        }
        Ok(())
    }

    /// The number under which an interruption keeps a state: that of the next snapshot of the schedule.
    pub(super) fn number_between(standing: &Standing, snapshot: &Snapshot) -> Option<u64> {
        let Some(every) = standing.parameters.snapshot_every else { return Some(1) };
        let start = snapshot.meta.get("run.start")?.parse().ok()?;
        let schedule = Schedule::new(start, every, standing.parameters.dt).ok()?;
        Some(schedule.count(snapshot.time) + 1)
    }

    /// The number in the name of a numbered snapshot: 3 of `b.0003.hdf5`.
    pub(super) fn number_of(path: &Path) -> Option<u64> {
        let (_, number) = path.file_stem()?.to_str()?.rsplit_once('.')?;
        number.parse().ok().filter(|_| is_number(number))
    }

    fn names(&self) -> Result<Vec<String>> {
        let seen = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let io = |source| Error::Io { path: seen.into(), action: "list the folder", source };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(seen).map_err(io)? {
            names.extend(entry.map_err(io)?.file_name().into_string().ok());
        }
        Ok(names)
    }
}

fn is_number(text: &str) -> bool {
    text.len() >= 4 && all_digits(text)
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn wrong_name(path: &Path, expected: &str) -> Error {
    Error::Parameter { name: "out", value: path.display().to_string(), expected: expected.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn touch(folder: &Path, names: &[&str]) {
        names.iter().for_each(|name| fs::write(folder.join(name), name).unwrap());
    }

    #[test]
    fn names_follow_the_last_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(&folder.path().join("b.v2.hdf5")).unwrap();
        let rounded = Outputs::new(&folder.path().join("b.v2.tipsy")).unwrap();
        assert!(rounded.is_run_of(&outputs) && rounded.is_run_of(&rounded) && !outputs.is_run_of(&rounded));
        let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(name(outputs.numbered(7)), "b.v2.0007.hdf5");
        assert_eq!(name(outputs.numbered(12345)), "b.v2.12345.hdf5");
        assert_eq!(name(outputs.scene()), "b.v2.toml");
        assert_eq!(Outputs::of_kept(&outputs.numbered(12345)).unwrap(), outputs);
        for wrong in ["b.hdf5", "b.12.hdf5", "b.0001x.hdf5", "0001.hdf5"] {
            let error = Outputs::of_kept(&folder.path().join(wrong)).unwrap_err().to_string();
            assert!(error.contains("--out"), "{wrong}: {error}");
        }
        for wrong in ["b.docx", "b", "b.txt", "none/b.hdf5"] {
            assert!(Outputs::new(&folder.path().join(wrong)).is_err(), "{wrong}");
        }
        for (name, is_numbered) in
            [("b.0001.hdf5", true), ("b.20261.csv", true), ("b.001.hdf5", false), ("0001.hdf5", false)]
        {
            let refusal = Outputs::asked_for(&folder.path().join(name)).err().map(|error| error.to_string());
            assert_eq!(refusal.is_some_and(|text| text.contains("b.0003.hdf5")), is_numbered, "{name}");
        }
    }

    #[test]
    fn only_the_leavings_of_this_run_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let others = ["b.0001.hdf5", "b.hdf5.tmp", "bb.hdf5.12-3.tmp", "b.x.hdf5.12-3.tmp", "b.csv.12-3.tmp"];
        touch(folder.path(), &others);
        touch(
            folder.path(),
            &["b.hdf5.12-3.tmp", "b.0002.hdf5.4567-0.tmp", "b.toml.8-0.tmp", "b.manybody-moving.8-1.tmp"],
        );
        Outputs::new(&folder.path().join("b.hdf5")).unwrap().sweep().unwrap();
        let mut expected = others.to_vec();
        expected.sort();
        assert_eq!(files(folder.path()), expected);
        // the table, of a run that has one
        Outputs::new(&folder.path().join("b.hdf5")).unwrap().sweep_log().unwrap();
        expected.retain(|name| *name != "b.csv.12-3.tmp");
        assert_eq!(files(folder.path()), expected);
        // the state that an interruption keeps beside files that round
        touch(folder.path(), &["b.0004.hdf5.12-3.tmp", "b.0004.tipsy.12-3.tmp"]);
        Outputs::new(&folder.path().join("b.tipsy")).unwrap().sweep().unwrap();
        assert_eq!(files(folder.path()), expected);
    }

    /// A file that a living process is writing is not swept away, whatever its name.
    #[test]
    fn unfinished_files_of_living_processes_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.hdf5");
        let outputs = Outputs::new(&path).unwrap();
        atomic::write_with(&path, |_| outputs.sweep()).unwrap();
        assert_eq!(files(folder.path()), ["b.hdf5"]);
    }

    /// A run of the longest name can write every file it may have to write, and its temporary files carry its name.
    #[test]
    fn names_too_long_for_all_files_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |n: usize| folder.path().join(format!("{}.hdf5", "n".repeat(n)));
        let most = 255 - LONGEST_ENDING.len() - 4;
        let error = Outputs::new(&path(most + 1)).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains(&format!("{most} are possible")), "{error}");
        let outputs = Outputs::new(&path(most)).unwrap();
        for path in [outputs.numbered(4_294_967_295), outputs.scene(), outputs.journal()] {
            atomic::write_with(&path, |_| {
                let temporary = files(folder.path()).into_iter().find(|name| name.ends_with(".tmp")).unwrap();
                assert!(temporary.starts_with(&outputs.stem), "{temporary}");
                Ok(())
            })
            .unwrap();
        }
    }
}
