//! Moves the files of an earlier run aside for a new one: all of them or no file, wherever it is interrupted.
//!
//! What is to be moved is written down first, in `b.manybody-moving`. An error takes back what has been moved; where that
//! fails too, or the process is killed, the next run of that name, or `--resume`, reads what was written down and moves the
//! rest before it looks at any file.

use super::observer::Audience;
use super::outputs::{Outputs, wrong_name};
use super::series;
use crate::settings::{Settings, is_generated};
use crate::simulation::Standing;
use crate::snapshot::atomic::{self, io_error, is_there};
use crate::snapshot::{self, Checksum, ReadOptions, checksum};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What is being moved: `b` and each ending to `b.old1` and the same ending.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    to: String,
    endings: Vec<String>,
}

/// Renames a file; tests put another in its place.
type Rename<'a> = &'a dyn Fn(&Path, &Path) -> std::io::Result<()>;

impl Outputs {
    /// Where is written down what is being moved.
    pub(super) fn journal(&self) -> PathBuf {
        self.folder.join(format!("{}.manybody-moving", self.stem))
    }

    /// Completes what a run that was killed had begun to move aside for the run that `path` belongs to.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Parameter`] where another run is writing to that name.
    pub(super) fn complete_for(path: &Path, audience: &mut Audience<'_>) -> Result<()> {
        for outputs in [Outputs::new(path), Outputs::of_kept(path)].into_iter().flatten() {
            outputs.check_files("resume")?;
            if is_there(&outputs.journal())? {
                let _lock = outputs.lock(audience)?;
                outputs.complete(&|from, to| std::fs::rename(from, to), audience)?;
            }
        }
        Ok(())
    }

    /// Moves the files of an earlier run aside, all but `keep`, and reports it; with `overwrite` it removes them.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Parameter`] where one of `inputs`, the files that this run reads, is among them, and where
    /// one of them is not certain to have been written by a run.
    pub(super) fn set_aside(
        &self,
        keep: Option<&Path>,
        inputs: &[PathBuf],
        overwrite: bool,
        audience: &mut Audience<'_>,
    ) -> Result<()> {
        self.complete(&|from, to| std::fs::rename(from, to), audience)?;
        let mut old: Vec<PathBuf> = self.kept()?.into_iter().map(|(_, path)| path).collect();
        for path in [self.last_snapshot(), self.scene()] {
            if is_there(&path)? {
                old.push(path);
            }
        }
        old.extend(self.tables()?);
        if let Some(keep) = keep {
            let mut others = Vec::new();
            for path in old {
                if !same_file(keep, &path)? {
                    others.push(path);
                }
            }
            old = others;
        }
        for input in inputs {
            for path in &old {
                if same_file(input, path)? {
                    return Err(wrong_name(
                        &self.last_snapshot(),
                        &format!(
                            "{} is read by this run, which would put a file of its own in that place: give another --out",
                            input.display()
                        ),
                    ));
                }
            }
        }
        self.check_ours(&old)?;
        let of_run = match overwrite {
            true => old.iter().map(|path| self.is_as_a_run_wrote_it(path)).collect::<Result<Vec<bool>>>()?,
            false => Vec::new(),
        };
        let moved = self.move_aside(&old, !overwrite, audience)?;
        if overwrite {
            self.remove(&old, &moved, &of_run, audience)?;
        }
        Ok(())
    }

    /// Whether a file has the name of a table of the run.
    fn is_table(&self, path: &Path) -> bool {
        *path == self.log() || *path == self.events()
    }

    /// Refuses files that no run has written: they are the user's.
    fn check_ours(&self, old: &[PathBuf]) -> Result<()> {
        for path in old {
            let found = path.symlink_metadata().map_err(io_error(path, "find out what it is"))?;
            if found.is_dir() {
                return Err(wrong_name(path, "a folder of that name exists already: give another --out"));
            }
            if found.is_symlink() && std::fs::metadata(path).is_err() {
                return Err(wrong_name(path, "a symbolic link of that name leads to no file: give another --out"));
            }
        }
        let scene = self.scene();
        if old.contains(&scene) && !is_generated(&scene)? {
            let expected =
                "it was written or edited by hand, and a run would put its own in that place: give another --out";
            return Err(wrong_name(&scene, expected));
        }
        let mut foreign = Vec::new();
        for path in old.iter().filter(|path| **path != scene && !self.is_table(path)) {
            if !snapshot::is_ours(path)? {
                foreign.push(path);
            }
        }
        if let [first, others @ ..] = &foreign[..] {
            let others: Vec<String> = others.iter().map(|path| path.display().to_string()).collect();
            let expected = match others.is_empty() {
                true => "it exists already, and no run has written it: give another --out, or move it".to_owned(),
                false => format!(
                    "it exists already, and no run has written it, nor {}: give another --out, or move them",
                    others.join(", ")
                ),
            };
            return Err(wrong_name(first, &expected));
        }
        Ok(())
    }

    /// Moves only the last snapshot aside, for a run that continues among its own files.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Parameter`] for a folder or a link that leads nowhere.
    pub(super) fn set_aside_last(&self, audience: &mut Audience<'_>) -> Result<()> {
        let last = self.last_snapshot();
        if !is_there(&last)? {
            return Ok(());
        }
        let found = last.symlink_metadata().map_err(io_error(&last, "find out what it is"))?;
        if found.is_symlink() && std::fs::metadata(&last).is_err() {
            return Err(wrong_name(&last, "a symbolic link of that name leads to no file: give another --out"));
        }
        self.move_aside(&[last], true, audience).map(drop)
    }

    /// Renames `old` from `b` to the first of `b.old1`, `b.old2`, ... that has no files yet, and returns the new names.
    fn move_aside(&self, old: &[PathBuf], tell: bool, audience: &mut Audience<'_>) -> Result<Vec<PathBuf>> {
        if old.is_empty() {
            return Ok(Vec::new());
        }
        let mut free = None;
        for k in 1_u32.. {
            let aside = self.with_stem(format!("{}.old{k}", self.stem));
            let table = (old.contains(&self.log()) && is_there(&aside.log())?)
                || (old.contains(&self.events()) && is_there(&aside.events())?);
            let named = is_there(&aside.last_snapshot())? || is_there(&aside.scene())?;
            let taken = table || named || !aside.kept()?.is_empty();
            if !taken {
                free = Some(aside);
                break;
            }
        }
        let Some(aside) = free else { return Err(wrong_name(&self.last_snapshot(), "all names beside it are taken")) };
        // b.0001.hdf5 -> b.old1.0001.hdf5
        let ending = |path: &PathBuf| {
            let name = path.file_name().and_then(OsStr::to_str);
            name.and_then(|name| name.strip_prefix(&self.stem)).unwrap_or_default().to_owned()
        };
        let journal = Journal { to: aside.stem.clone(), endings: old.iter().map(ending).collect() };
        let rename = |from: &Path, to: &Path| std::fs::rename(from, to);
        self.begin(&journal)?;
        self.carry_out(&journal, &rename)?;
        if tell {
            let files = if old.len() == 1 { "a file" } else { "files" };
            let from = self.last_snapshot().with_extension("*");
            let to = aside.last_snapshot().with_extension("*");
            audience.note(format_args!(
                "{files} of an earlier run moved aside: {} is now {}",
                from.display(),
                to.display()
            ));
        }
        Ok(journal.endings.iter().map(|ending| self.folder.join(format!("{}{ending}", journal.to))).collect())
    }

    /// Whether a file is certain to be as a run of this name has written it: whole by its checksum, named by the description
    /// beside it, and by its own record of the run where its name says. The output of another command has no such record, a
    /// copy or a conversion has it under another name.
    fn is_as_a_run_wrote_it(&self, path: &Path) -> Result<bool> {
        if path.symlink_metadata().map_err(io_error(path, "find out what it is"))?.is_symlink() {
            return Ok(false);
        }
        let file = self.scene();
        let text = match std::fs::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            text => text.map_err(io_error(&file, "read"))?,
        };
        match Settings::read(&file) {
            Ok(settings) if self.is_described_by(&settings) => {}
            Err(error @ Error::Io { .. }) => return Err(error),
            _ => return Ok(false),
        }
        let generated = matches!(checksum::of_text(&text)?, Checksum::Whole(_));
        if *path == file {
            return Ok(generated);
        }
        // a table has no checksum, as it grows
        if self.is_table(path) {
            return Ok(generated);
        }
        let loaded = match snapshot::read_with(path, &ReadOptions::default()) {
            Ok(loaded) if matches!(loaded.header.checksum, Checksum::Whole(_)) => loaded,
            Err(error @ Error::Io { .. }) => return Err(error),
            _ => return Ok(false),
        };
        // a format that rounds keeps no record: then the description must be a run's, too
        if !self.can_be_resumed() {
            return Ok(generated);
        }
        let standing = Standing::from_snapshot(&loaded.snapshot);
        Ok(standing.is_ok_and(|standing| match *path == self.last_snapshot() {
            true => standing.last,
            false => series::misnamed(path, &standing, &loaded.snapshot).is_none(),
        }))
    }

    /// Removes the files `of_run` of those that have been moved, and names the others.
    fn remove(&self, old: &[PathBuf], moved: &[PathBuf], of_run: &[bool], audience: &mut Audience<'_>) -> Result<()> {
        let mut removed = 0;
        for ((old, moved), of_run) in old.iter().zip(moved).zip(of_run) {
            if *of_run {
                std::fs::remove_file(moved).map_err(io_error(moved, "remove"))?;
                removed += 1;
            } else {
                audience.warn(format_args!(
                    "{} is not removed, but kept as {}: nothing says that it is as a run wrote it",
                    old.display(),
                    moved.display()
                ));
            }
        }
        if removed > 0 {
            let files = if removed == 1 { "1 file".to_owned() } else { format!("{removed} files") };
            let from = self.last_snapshot().with_extension("*");
            audience.note(format_args!("{files} of an earlier run removed: {}", from.display()));
        }
        Ok(())
    }

    /// Writes down what is to be moved.
    fn begin(&self, journal: &Journal) -> Result<()> {
        let text = serde_json::json!(journal).to_string();
        atomic::write_bytes(&self.journal(), text.as_bytes())
    }

    /// Moves what has been written down; on an error, takes it back.
    fn carry_out(&self, journal: &Journal, rename: Rename) -> Result<()> {
        let pairs: Vec<(PathBuf, PathBuf)> = self.pairs(journal);
        for (k, (from, to)) in pairs.iter().enumerate() {
            let outcome = match (is_there(to), is_there(from)) {
                (Err(error), _) | (Ok(false), Err(error)) => Err(error),
                // a file that is at its place has been moved before
                (Ok(true), _) | (_, Ok(false)) => Ok(()),
                _ => rename(from, to).map_err(io_error(from, "move the file of an earlier run aside")),
            };
            if let Err(error) = outcome {
                let back = |(from, to): &(PathBuf, PathBuf)| match is_there(to) {
                    Ok(moved) => !moved || rename(to, from).is_ok(),
                    Err(_) => false,
                };
                if pairs[..k].iter().rev().all(back) {
                    // the first error is the one to show
                    let _ = self.end();
                }
                return Err(error);
            }
        }
        self.end()
    }

    /// Removes the journal, once all of its moves, or no move, has been done.
    fn end(&self) -> Result<()> {
        let journal = self.journal();
        atomic::sync_folder(&journal).map_err(io_error(&journal, "sync its folder"))?;
        std::fs::remove_file(&journal).map_err(io_error(&journal, "remove"))
    }

    fn pairs(&self, journal: &Journal) -> Vec<(PathBuf, PathBuf)> {
        let path = |stem: &str, ending: &String| self.folder.join(format!("{stem}{ending}"));
        journal.endings.iter().map(|ending| (path(&self.stem, ending), path(&journal.to, ending))).collect()
    }

    /// Moves what a run has written down and not moved.
    fn complete(&self, rename: Rename, audience: &mut Audience<'_>) -> Result<()> {
        let path = self.journal();
        if !is_there(&path)? {
            return Ok(());
        }
        let text = std::fs::read(&path).map_err(io_error(&path, "read"))?;
        let journal: Option<Journal> = serde_json::from_slice(&text).ok();
        // only names of this run
        let is_ending = |ending: &String| ending.starts_with('.') && !ending.contains(['/', '\\']);
        let is_aside =
            |to: &str| to.strip_prefix(&format!("{}.old", self.stem)).is_some_and(|k| k.parse::<u32>().is_ok());
        match journal.filter(|journal| is_aside(&journal.to) && journal.endings.iter().all(is_ending)) {
            Some(journal) => {
                self.carry_out(&journal, rename)?;
                audience.note(format_args!(
                    "{}: the files of an earlier run, which was being moved aside, are now {}.*",
                    self.last_snapshot().display(),
                    self.folder.join(&journal.to).display()
                ));
                Ok(())
            }
            None => Err(Error::Format {
                path,
                format: "journal",
                problem: "it is not what a run writes there: move it away".into(),
            }),
        }
    }
}

fn same_file(a: &Path, b: &Path) -> Result<bool> {
    if a == b {
        return Ok(true);
    }
    let seen = |path: &Path| match path.canonicalize() {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error(path, "find out where it is")(error)),
    };
    Ok(matches!((seen(a)?, seen(b)?), (Some(a), Some(b)) if a == b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Snapshot;
    use std::cell::Cell;
    use std::fs;

    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        let mut files: Vec<(String, Vec<u8>)> = entries
            .map(|path| (path.file_name().unwrap().to_str().unwrap().into(), fs::read(&path).unwrap()))
            .collect();
        files.sort();
        files
    }

    fn names(folder: &Path) -> Vec<String> {
        files(folder).into_iter().map(|file| file.0).collect()
    }

    fn touch(folder: &Path, names: &[&str]) {
        names.iter().for_each(|name| fs::write(folder.join(name), name).unwrap());
    }

    /// Snapshots of a body each, at another time each, and a description.
    fn earlier_run(folder: &Path) -> [&'static str; 4] {
        let names = ["b.0001.hdf5", "b.10000.hdf5", "b.hdf5", "b.toml"];
        let mut found = Snapshot::default();
        found.bodies.push(1.0, [0.0; 3], [0.0; 3]);
        for name in &names[..3] {
            snapshot::write(folder.join(name), &found).unwrap();
            found.time += 1.0;
        }
        fs::write(folder.join("b.toml"), checksum::with_line("n = 3\n")).unwrap();
        names
    }

    fn aside(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.replace("b.", "b.old1.")).collect()
    }

    #[test]
    fn an_earlier_run_is_moved_whole_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let others = ["a.hdf5", "b.12.hdf5", "b.csv", "b.old7.hdf5", "bb.0001.hdf5"];
        touch(folder.path(), &others);
        let run = earlier_run(folder.path());
        let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
        assert_eq!(outputs.kept().unwrap().iter().map(|kept| kept.0).collect::<Vec<_>>(), [1, 10000]);
        outputs.set_aside(None, &[], false, &mut Audience::empty()).unwrap();
        let mut expected = others.map(str::to_owned).to_vec();
        expected.extend(aside(&run));
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        assert_eq!(snapshot::read(folder.path().join("b.old1.hdf5")).unwrap().time, 2.0);
        // the next time, another name
        earlier_run(folder.path());
        outputs.set_aside(None, &[], false, &mut Audience::empty()).unwrap();
        assert!(folder.path().join("b.old2.hdf5").exists() && !folder.path().join("b.toml").exists());
    }

    #[test]
    fn what_a_run_reads_is_never_moved() {
        let folder = tempfile::tempdir().unwrap();
        touch(folder.path(), &["b.0003.hdf5"]);
        let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
        let input = folder.path().join("./b.0003.hdf5");
        let error = outputs.set_aside(None, &[input], false, &mut Audience::empty()).unwrap_err().to_string();
        assert!(error.contains("give another --out"), "{error}");
        assert_eq!(names(folder.path()), ["b.0003.hdf5"]);
    }

    /// Neither a user's file, nor a description that a user has edited, nor a link is moved.
    #[test]
    fn what_no_run_has_written_stays() {
        let scene = checksum::with_line("n = 3\n");
        for (name, content) in
            [("b.hdf5", "mine"), ("b.0007.hdf5", "mine"), ("b.toml", "n = 3\n"), ("b.toml", &scene.replace('3', "4"))]
        {
            for overwrite in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                fs::write(folder.path().join(name), content).unwrap();
                let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
                let error = outputs.set_aside(None, &[], overwrite, &mut Audience::empty()).unwrap_err();
                assert!(error.is_bad_input() && error.to_string().contains(name), "{error}");
                assert_eq!(files(folder.path()), [(name.to_string(), content.as_bytes().to_vec())]);
            }
        }
        #[cfg(unix)]
        for name in ["b.hdf5", "b.0002.hdf5", "b.toml"] {
            let folder = tempfile::tempdir().unwrap();
            std::os::unix::fs::symlink("nowhere", folder.path().join(name)).unwrap();
            let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
            let error = outputs.set_aside(None, &[], false, &mut Audience::empty()).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("link"), "{error}");
            assert!(folder.path().join(name).symlink_metadata().is_ok());
        }
    }

    /// Also beside the description of a run, and by all their names.
    #[test]
    fn files_of_a_user_beside_a_run_stay() {
        for overwrite in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            earlier_run(folder.path());
            touch(folder.path(), &["b.0005.hdf5", "b.10000.hdf5"]);
            let before = files(folder.path());
            let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
            let error = outputs.set_aside(None, &[], overwrite, &mut Audience::empty()).unwrap_err();
            let text = error.to_string();
            assert!(error.is_bad_input() && text.contains("b.0005.hdf5") && text.contains("b.10000.hdf5"), "{text}");
            assert!(!text.contains("b.0001.hdf5"), "{text}");
            assert_eq!(files(folder.path()), before);
        }
    }

    /// Killed before, between and after the renames, the next run finds all of it moved.
    #[test]
    fn cut_anywhere_the_next_run_completes_it() {
        for done in 0..=4 {
            let folder = tempfile::tempdir().unwrap();
            let run = earlier_run(folder.path());
            let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
            let endings = [".0001.hdf5", ".10000.hdf5", ".hdf5", ".toml"].map(str::to_owned).to_vec();
            outputs.begin(&Journal { to: "b.old1".into(), endings }).unwrap();
            for name in &run[..done] {
                fs::rename(folder.path().join(name), folder.path().join(name.replace("b.", "b.old1."))).unwrap();
            }
            // by the name of the run, or by that of one of its snapshots
            let name = if done % 2 == 0 { "b.hdf5" } else { "b.0001.hdf5" };
            Outputs::complete_for(&folder.path().join(name), &mut Audience::empty()).unwrap();
            assert_eq!(names(folder.path()), aside(&run), "after {done}");
        }
    }

    /// An error at each of them takes back what was moved; where that fails too, the next run completes it.
    #[test]
    fn an_error_anywhere_moves_all_files_or_no_file() {
        for fails in 0..4 {
            for forever in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let run = earlier_run(folder.path());
                let before = files(folder.path());
                let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
                let endings = [".0001.hdf5", ".10000.hdf5", ".hdf5", ".toml"].map(str::to_owned).to_vec();
                let journal = Journal { to: "b.old1".into(), endings };
                outputs.begin(&journal).unwrap();
                let calls = Cell::new(0);
                let error = outputs.carry_out(&journal, &|from, to| {
                    let call = calls.replace(calls.get() + 1);
                    match call == fails || (forever && call > fails) {
                        true => Err(std::io::Error::from_raw_os_error(5)),
                        false => fs::rename(from, to),
                    }
                });
                assert!(error.is_err());
                if !forever || fails == 0 {
                    assert_eq!(files(folder.path()), before, "{fails}");
                } else {
                    outputs.set_aside(None, &[], false, &mut Audience::empty()).unwrap();
                    assert_eq!(names(folder.path()), aside(&run), "{fails}");
                }
            }
        }
    }

    #[test]
    fn a_journal_of_other_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        touch(folder.path(), &["c.hdf5"]);
        let outputs = Outputs::new(&folder.path().join("b.hdf5")).unwrap();
        for text in ["", "{}", r#"{"to":"b.old1","endings":["/../c.hdf5"]}"#, r#"{"to":"c","endings":[".hdf5"]}"#] {
            fs::write(outputs.journal(), text).unwrap();
            let error = Outputs::complete_for(&folder.path().join("b.hdf5"), &mut Audience::empty()).unwrap_err();
            assert!(error.is_bad_input() && error.to_string().contains("b.manybody-moving"), "{error}");
        }
    }
}
