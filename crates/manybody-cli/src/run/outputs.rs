//! The files of a run: `b.hdf5` at the end, `b.0001.hdf5`, `b.0002.hdf5`, ... on the way, `b.toml` to repeat it.
//!
//! Nothing of a user's is overwritten: a new run moves the files of an earlier one of the same name out of its way,
//! together, as the run `b.old1`. A run that is resumed replaces only what it would write itself.

use super::lock::Lock;
use super::scene::Scene;
use crate::console::say;
use manybody::snapshot::{self, Format, Snapshot};
use manybody::{Error, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The names of a run's files, and the last one written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outputs {
    folder: PathBuf,
    stem: String,
    extension: String,
    format: Format,
    /// The newest snapshot on disk that this process has written or read.
    last: Option<PathBuf>,
    /// What the format cannot hold has been said.
    noted: bool,
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
            return Err(wrong_name(path, "plain text does not say which column is which: .hdf5 or .csv is wanted"));
        }
        let part = |part: Option<&OsStr>| part.and_then(OsStr::to_str).map(str::to_owned);
        let (Some(stem), Some(extension)) = (part(path.file_stem()), part(path.extension())) else {
            return Err(wrong_name(path, "a file name in UTF-8 is wanted"));
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let seen = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        match seen.metadata() {
            Ok(found) if found.is_dir() => Ok(Outputs { folder, stem, extension, format, last: None, noted: false }),
            Ok(_) => Err(wrong_name(path, "its folder is not a folder")),
            Err(source) => Err(Error::Io { path: folder, action: "find the folder", source }),
        }
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

    /// The last snapshot.
    pub(super) fn last_snapshot(&self) -> PathBuf {
        self.folder.join(format!("{}.{}", self.stem, self.extension))
    }

    /// A snapshot on the way.
    pub(super) fn numbered(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}.{number:04}.{}", self.stem, self.extension))
    }

    /// The description.
    pub(super) fn scene(&self) -> PathBuf {
        self.folder.join(format!("{}.toml", self.stem))
    }

    /// What keeps other runs from these names: snapshots in every format share the description, so they share this.
    pub(super) fn lock(&self) -> Result<Option<Lock>> {
        Lock::take(self.folder.join(format!("{}.lock", self.stem)), &self.last_snapshot())
    }

    /// What the description has to say of them: nothing where they are what it would be without, so that a copy of
    /// it by another name has outputs by another name.
    pub(super) fn to_say(&self) -> Option<PathBuf> {
        (self.extension != "hdf5").then(|| self.last_snapshot())
    }

    /// True where a description speaks of these files, and not of those of the same name in another format.
    pub(super) fn is_described_by(&self, scene: &Scene) -> bool {
        let extension = scene.out.as_ref().map_or(Some("hdf5"), |out| out.extension().and_then(OsStr::to_str));
        extension == Some(&*self.extension)
    }

    /// The folder they are in; may be empty.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// True where a run can be taken up from a file of this format: where it keeps every bit and the metadata.
    pub(super) fn can_be_resumed(&self) -> bool {
        matches!(self.format, Format::GadgetHdf5 | Format::Nemo | Format::Csv)
    }

    /// What the format is called.
    pub(super) fn format_title(&self) -> &'static str {
        self.format.title()
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
    pub(super) fn write(&mut self, path: PathBuf, snapshot: &Snapshot) -> Result<()> {
        let notes = snapshot::write(&path, snapshot)?;
        self.wrote(path, &notes);
        Ok(())
    }

    /// Notes that a snapshot is on disk; says what the format cannot hold, the first time.
    pub(super) fn wrote(&mut self, path: PathBuf, notes: &[String]) {
        if !std::mem::replace(&mut self.noted, true) {
            notes.iter().for_each(|note| say(format_args!("{}: {note}", path.display())));
        }
        self.last = Some(path);
    }

    /// The snapshots on the way that are there, by number.
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
        for name in self.names()? {
            let Some((target, process)) = name.strip_suffix(".tmp").and_then(|rest| rest.rsplit_once('.')) else {
                continue;
            };
            let process = process.split_once('-').is_some_and(|(id, count)| all_digits(id) && all_digits(count));
            let stem = target.strip_suffix(&self.extension).and_then(|rest| rest.strip_suffix('.'));
            let snapshot = stem
                .and_then(|stem| stem.strip_prefix(&self.stem))
                .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number));
            let ours = snapshot || target.strip_suffix(".toml").is_some_and(|stem| stem == self.stem);
            if process && ours {
                let _ = std::fs::remove_file(self.folder.join(name));
            }
        }
        Ok(())
    }

    /// Removes the snapshots on the way that are numbered `number` or more.
    ///
    /// # Errors
    /// [`Error::Io`] for a folder that cannot be read. A file that cannot be removed stays.
    pub(super) fn remove_from(&self, number: u64) -> Result<()> {
        for (_, path) in self.kept()?.into_iter().filter(|(kept, _)| *kept >= number) {
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// Moves the files of an earlier run out of the way, all but `keep`, and says so.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Parameter`] where one of `inputs`, the files that this run reads, is among them,
    /// and where a folder has one of their names.
    pub(super) fn set_aside(&self, keep: Option<&Path>, inputs: &[PathBuf]) -> Result<()> {
        let mut old: Vec<PathBuf> = self.kept()?.into_iter().map(|(_, path)| path).collect();
        old.extend([self.last_snapshot(), self.scene()]);
        old.retain(|path| path.symlink_metadata().is_ok() && !keep.is_some_and(|keep| same_file(keep, path)));
        if let Some(input) = inputs.iter().find(|input| old.iter().any(|path| same_file(input, path))) {
            return Err(Error::Parameter {
                name: "out",
                value: self.last_snapshot().display().to_string(),
                expected: format!(
                    "{} is read by this run, which would put a file of its own in that place: give another --out",
                    input.display()
                ),
            });
        }
        if let Some(folder) = old.iter().find(|path| path.is_dir()) {
            return Err(wrong_name(folder, "a folder of that name is in the way: give another --out"));
        }
        self.move_aside(&old)
    }

    /// Moves only the last snapshot out of the way, for a run that goes on among its own files.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn set_aside_last(&self) -> Result<()> {
        let last = self.last_snapshot();
        if last.symlink_metadata().is_ok() { self.move_aside(&[last]) } else { Ok(()) }
    }

    /// Renames `old` from `b` to the first of `b.old1`, `b.old2`, ... that has no files yet.
    fn move_aside(&self, old: &[PathBuf]) -> Result<()> {
        if old.is_empty() {
            return Ok(());
        }
        let aside = |k: u64| Outputs { stem: format!("{}.old{k}", self.stem), ..self.clone() };
        let is_free = |aside: &Outputs| {
            let taken = [aside.last_snapshot(), aside.scene()].iter().any(|path| path.symlink_metadata().is_ok());
            !taken && aside.kept().is_ok_and(|kept| kept.is_empty())
        };
        let Some(aside) = (1..u64::MAX).map(aside).find(is_free) else { return Ok(()) };
        for path in old {
            // b.0001.hdf5 -> b.old1.0001.hdf5
            let rest = path.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_prefix(&self.stem));
            let target = self.folder.join(format!("{}{}", aside.stem, rest.unwrap_or_default()));
            std::fs::rename(path, &target).map_err(|source| Error::Io {
                path: path.clone(),
                action: "move the file of an earlier run out of the way",
                source,
            })?;
        }
        let files = if old.len() == 1 { "a file" } else { "files" };
        let from = self.last_snapshot().with_extension("*");
        let to = aside.last_snapshot().with_extension("*");
        say(format_args!("{files} of an earlier run moved out of the way: {} is now {}", from.display(), to.display()));
        Ok(())
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

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn wrong_name(path: &Path, expected: &str) -> Error {
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
    }

    #[test]
    fn an_earlier_run_is_moved_whole_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let others = ["a.hdf5", "b.12.hdf5", "b.csv", "b.old7.hdf5", "bb.0001.hdf5"];
        touch(folder.path(), &others);
        touch(folder.path(), &["b.hdf5", "b.toml", "b.0001.hdf5", "b.10000.hdf5"]);
        let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
        assert_eq!(outputs.kept().unwrap().iter().map(|kept| kept.0).collect::<Vec<_>>(), [1, 10000]);
        outputs.set_aside(None, &[]).unwrap();
        let mut expected = others.map(str::to_owned).to_vec();
        expected.extend(["b.old1.0001.hdf5", "b.old1.10000.hdf5", "b.old1.hdf5", "b.old1.toml"].map(str::to_owned));
        expected.sort();
        assert_eq!(files(folder.path()), expected);
        assert_eq!(fs::read_to_string(folder.path().join("b.old1.0001.hdf5")).unwrap(), "b.0001.hdf5");
        // the next time, another name; the description that is being run stays
        touch(folder.path(), &["b.hdf5", "b.toml"]);
        outputs.set_aside(Some(&folder.path().join("b.toml")), &[]).unwrap();
        assert!(folder.path().join("b.old2.hdf5").exists() && folder.path().join("b.toml").exists());
    }

    #[test]
    fn what_a_run_reads_is_never_moved() {
        let folder = tempfile::tempdir().unwrap();
        touch(folder.path(), &["b.0003.hdf5"]);
        let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
        let input = folder.path().join("./b.0003.hdf5");
        let error = outputs.set_aside(None, &[input]).unwrap_err().to_string();
        assert!(error.contains("give another --out"), "{error}");
        assert_eq!(files(folder.path()), ["b.0003.hdf5"]);
    }

    #[test]
    fn only_the_leavings_of_this_run_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let others = ["b.0001.hdf5", "b.hdf5.tmp", "bb.hdf5.12-3.tmp", "b.x.hdf5.12-3.tmp", "b.csv.12-3.tmp"];
        touch(folder.path(), &others);
        touch(folder.path(), &["b.hdf5.12-3.tmp", "b.0002.hdf5.4567-0.tmp", "b.toml.8-0.tmp"]);
        Outputs::new(&folder.path().join("b.hdf5")).unwrap().sweep().unwrap();
        let mut expected = others.to_vec();
        expected.sort();
        assert_eq!(files(folder.path()), expected);
    }
}
