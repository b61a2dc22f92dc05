//! One fault: prepare a folder, run the command with the shim, look at what it left, go on without the shim, look again.

use super::scenarios::{GoOn, Scenario};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const EIO: &str = "5";
const EINTR: &str = "4";
const ENOSPC: &str = "28";
const EDQUOT: &str = "122";

/// Calls of drivers that take memory, by parts of their names.
const MEMORY: [&str; 5] = ["Alloc", "HostAlloc", "AllocHost", "ModuleLoad", "GraphInstantiate"];

/// Files by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn in_folder(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let file = |entry: std::fs::DirEntry| {
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap_or_default())
        };
        Files(entries.map(file).collect())
    }

    fn write_to(&self, folder: &Path) {
        self.0.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
    }

    pub(super) fn only(&self, name: &str) -> Self {
        Files([(name.to_string(), self.0[name].clone())].into())
    }

    pub(super) fn without(&self, names: &[&str]) -> Self {
        names.iter().for_each(|name| assert!(self.0.contains_key(*name), "{name}"));
        Files(self.0.clone().into_iter().filter(|(name, _)| !names.contains(&name.as_str())).collect())
    }

    pub(super) fn with(&self, name: &str, bytes: &[u8]) -> Self {
        let mut files = self.clone();
        files.0.insert(name.into(), bytes.into());
        files
    }
}

/// The program, and the shim that goes before it.
pub(super) struct Program {
    pub(super) binary: PathBuf,
    pub(super) shim: PathBuf,
    /// For folders: memory, where the system has such a file system, since a disk's sync takes milliseconds.
    scratch: PathBuf,
}

/// How a process ended.
pub(super) struct Ended {
    pub(super) status: Option<i32>,
    pub(super) signal: Option<i32>,
    /// What it said on stderr.
    pub(super) text: String,
}

/// What a command does without faults.
pub(super) struct Clean {
    pub(super) calls: Vec<Call>,
    after: Files,
}

/// A file call: its name, and the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) path: String,
}

impl Call {
    /// Whether it is one of a GPU's driver; all others are on files.
    fn on_device(&self) -> bool {
        self.path == "device"
    }

    /// A line of the shim's log; a temporary file's name without the process's number.
    fn parse(line: &str) -> Call {
        let (name, path) = line.split_once(' ').unwrap();
        Call { name: name.into(), path: lasting(path) }
    }

    /// The faults that such a call can meet, as the shim spells them.
    pub(super) fn faults(&self) -> &'static [&'static str] {
        match self.name.as_str() {
            "read" | "pread64" | "readv" => &[EIO, EINTR, "short", "kill"],
            "write" | "pwrite64" | "writev" | "copy_file_range" => &[EIO, ENOSPC, EDQUOT, EINTR, "short", "kill"],
            "create" | "fsync" | "fdatasync" | "ftruncate64" | "fallocate64" => &[EIO, ENOSPC, EDQUOT, EINTR, "kill"],
            "rename" | "renameat" | "renameat2" | "link" | "linkat" | "symlink" | "mkdir" | "close" => {
                &[EIO, ENOSPC, EDQUOT, "kill"]
            }
            "open" | "flock" => &[EIO, EINTR, "kill"],
            _ if self.on_device() && MEMORY.iter().any(|part| self.name.contains(part)) => &["memory", "lost"],
            _ if self.on_device() => &["lost"],
            _ => &[EIO, "kill"],
        }
    }
}

/// `b.hdf5` for `b.hdf5.123-0.tmp`.
fn lasting(path: &str) -> String {
    let process = |end: &str| end.split_once('-').is_some_and(|(a, b)| [a, b].iter().all(|n| n.parse::<u32>().is_ok()));
    let target = path.strip_suffix(".tmp").and_then(|rest| rest.rsplit_once('.')).filter(|(_, end)| process(end));
    target.map_or(path, |(target, _)| target).to_string()
}

/// `b.0001.hdf5` for `b.old1.0001.hdf5`.
fn before_moving(name: &str) -> Option<String> {
    let (stem, rest) = name.split_once(".old")?;
    let (_, rest) = rest.split_once('.')?;
    Some(format!("{stem}.{rest}"))
}

impl Program {
    pub(super) fn new(binary: PathBuf, shim: PathBuf) -> Self {
        let memory = PathBuf::from("/dev/shm");
        let scratch = if memory.is_dir() { memory } else { std::env::temp_dir() };
        Program { binary, shim, scratch }
    }

    fn folder(&self, files: &Files) -> TempDir {
        let folder = tempfile::Builder::new().prefix("manybody-faults-").tempdir_in(&self.scratch).unwrap();
        files.write_to(folder.path());
        folder
    }

    /// What commands leave in a folder that was empty.
    pub(super) fn made(&self, commands: &[&str]) -> Files {
        let folder = self.folder(&Files::default());
        for words in commands {
            let ended = self.run(words, folder.path(), &[]);
            assert_eq!(ended.status, Some(0), "{words}: {}", ended.text);
        }
        Files::in_folder(folder.path())
    }

    pub(super) fn run(&self, words: &str, folder: &Path, variables: &[(&str, &str)]) -> Ended {
        let mut command = Command::new(&self.binary);
        command.args(words.split_whitespace()).current_dir(folder).envs(variables.iter().copied());
        command.env("XDG_RUNTIME_DIR", &self.scratch); // or Mesa complains
        let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Ended { status: output.status.code(), signal: output.status.signal(), text }
    }

    /// Runs with call number `at` of those that are `call` failing (0: no call), and returns also the lines of the shim's
    /// log. The shim for devices counts all calls.
    fn run_with_fault(&self, words: &str, folder: &Path, call: &Call, at: usize, kind: &str) -> (Ended, Vec<Call>) {
        let log = tempfile::Builder::new().prefix("manybody-faults-").tempfile_in(&self.scratch).unwrap();
        let root = folder.canonicalize().unwrap();
        let ended = self.run(
            words,
            folder,
            &[
                ("LD_PRELOAD", self.shim.to_str().unwrap()),
                ("FAULT_ROOT", root.to_str().unwrap()),
                ("FAULT_LOG", log.path().to_str().unwrap()),
                ("FAULT_CALL", &call.name),
                ("FAULT_PATH", &call.path),
                ("FAULT_AT", &at.to_string()),
                ("FAULT_KIND", kind),
            ],
        );
        let lines = std::fs::read_to_string(log.path()).unwrap();
        (ended, lines.lines().map(Call::parse).collect())
    }

    /// Runs the command without faults.
    pub(super) fn clean(&self, scenario: &Scenario) -> Clean {
        let folder = self.folder(&scenario.before);
        let (ended, calls) = self.run_with_fault(&scenario.words, folder.path(), &Call::default(), 0, "");
        assert_eq!(ended.status, Some(scenario.status), "{}: {}", scenario.words, ended.text);
        assert!(!calls.is_empty(), "{}: the shim saw {} calls", scenario.words, calls.len());
        Clean { calls, after: Files::in_folder(folder.path()) }
    }

    /// Runs the command with one fault, continues without faults, and returns the problems found. `None` if the process
    /// did not make this call (because of threads).
    pub(super) fn inject(&self, scenario: &Scenario, clean: &Clean, at: usize, kind: &str) -> Option<Vec<String>> {
        let folder = self.folder(&scenario.before);
        let call = &clean.calls[at - 1];
        // of its own kind: threads do not always make their calls in the same order
        let number = clean.calls[..at].iter().filter(|other| *other == call || call.on_device()).count();
        let (ended, hit) = self.run_with_fault(&scenario.words, folder.path(), call, number, kind);
        // a driver waits in as many calls as it takes
        let met = hit.first() == Some(call) || (call.on_device() && !hit.is_empty());
        if !met {
            return None;
        }
        let left = Files::in_folder(folder.path());
        let mut problems = Vec::new();
        how_it_ended(scenario, clean, call, kind, &ended, &left, &mut problems);
        what_is_left(&scenario.before, clean, call, kind == "kill", &left, &mut problems);
        self.go_on(scenario, clean, folder.path(), &mut problems);
        if !problems.is_empty() {
            let words = ended.text.lines().find(|line| line.starts_with("error")).unwrap_or("");
            problems.push(format!("exit {:?}, signal {:?}, said: {words}", ended.status, ended.signal));
        }
        Some(problems)
    }

    /// Goes on as a user would, without faults: that ends as if nothing had happened.
    fn go_on(&self, scenario: &Scenario, clean: &Clean, folder: &Path, problems: &mut Vec<String>) {
        let mut ended = match scenario.go_on {
            GoOn::Not => return,
            GoOn::Resume(file) => self.run(&format!("run --resume {file} --threads 1"), folder, &[]),
            GoOn::Again => {
                let over = ["convert", "ic", "force"].iter().any(|word| scenario.words.starts_with(word));
                let force = if over { "--force" } else { "" };
                self.run(&format!("{} {force}", scenario.words.replace("--force", "")), folder, &[])
            }
        };
        if ended.status == Some(2) && scenario.go_on != GoOn::Again && ended.text.contains("neither it nor") {
            ended = self.run(&scenario.words, folder, &[]);
        }
        if ended.status != Some(0) {
            problems.push(format!("going on: exit {:?}: {}", ended.status, ended.text.trim()));
        }
        let now = Files::in_folder(folder);
        for (name, bytes) in &clean.after.0 {
            match now.0.get(name) {
                Some(found) if found == bytes => {}
                Some(_) => problems.push(format!("going on: {name} has other bytes")),
                None => problems.push(format!("going on: {name} is not there")),
            }
        }
        for (name, bytes) in now.0.iter().filter(|(name, _)| !clean.after.0.contains_key(*name)) {
            let moved = before_moving(name);
            let source = |files: &Files| moved.as_ref().is_some_and(|moved| files.0.get(moved) == Some(bytes));
            let swept = scenario.words.starts_with("run");
            let table = moved.as_ref().is_some_and(|moved| grows(clean, moved, bytes));
            if !(source(&scenario.before) || source(&clean.after) || table || (name.ends_with(".tmp") && !swept)) {
                problems.push(format!("going on: leaves {name}"));
            }
        }
    }
}

/// Exit status and message.
fn how_it_ended(
    scenario: &Scenario,
    clean: &Clean,
    call: &Call,
    kind: &str,
    ended: &Ended,
    left: &Files,
    problems: &mut Vec<String>,
) {
    if kind == "kill" {
        if ended.signal != Some(9) {
            problems.push("was not killed".into());
        }
        return;
    }
    if let Some(signal) = ended.signal {
        problems.push(format!("died of signal {signal}"));
    }
    if ended.text.contains("panicked") {
        problems.push("panicked".into());
    }
    let survives = [EINTR, "short"].contains(&kind);
    if ended.status == Some(scenario.status) {
        // what could not be removed may be left; everything else is as without the fault
        let differs = clean.after.0.iter().any(|(name, bytes)| left.0.get(name) != Some(bytes));
        if differs {
            problems.push(format!("exit {}, but the files are others", scenario.status));
        }
    } else if survives {
        problems.push("did not survive it".into());
    } else if ended.status != Some(1) {
        problems.push(format!("exit {:?}, where a failed call is 1", ended.status));
    }
    // an error of a move may name either path
    let names = [Some(call.path.clone()), before_moving(&call.path)];
    if ended.status != Some(scenario.status) && !names.iter().flatten().any(|name| ended.text.contains(name)) {
        problems.push(format!("does not name {}", call.path));
    }
}

/// Whether these are the first lines, all whole, of the table that the run leaves.
fn grows(clean: &Clean, name: &str, bytes: &[u8]) -> bool {
    let has_head =
        |whole: &Vec<u8>| [&b"# manybody log"[..], b"# manybody events"].iter().any(|head| whole.starts_with(head));
    let is_table = |whole: &Vec<u8>| has_head(whole) && whole.starts_with(bytes);
    clean.after.0.get(name).is_some_and(is_table) && bytes.ends_with(b"\n")
}

/// Files that were there are there, and new ones are whole.
fn what_is_left(before: &Files, clean: &Clean, call: &Call, killed: bool, left: &Files, problems: &mut Vec<String>) {
    let removing = call.name.starts_with("unlink");
    for (name, bytes) in &left.0 {
        let moved = before_moving(name).and_then(|moved| before.0.get(&moved));
        let known = [clean.after.0.get(name), before.0.get(name), moved];
        // the next command takes a lock that was left, and ends a move that was begun
        let ours = name.ends_with(".manybody-lock") || name.ends_with(".manybody-moving");
        let passing = ours || grows(clean, name, bytes) || ((killed || removing) && name.ends_with(".tmp"));
        if !known.contains(&Some(bytes)) && !passing {
            problems.push(format!("leaves {name}, of {} bytes, that no whole run leaves", bytes.len()));
        }
    }
    for (name, bytes) in &before.0 {
        let here = left.0.get(name) == Some(bytes);
        let aside =
            || left.0.iter().any(|(other, found)| before_moving(other).as_ref() == Some(name) && found == bytes);
        let replaced = clean.after.0.get(name).is_some_and(|new| new != bytes && left.0.get(name) == Some(new));
        let may_go = !clean.after.0.contains_key(name) || replaced;
        let was_moved = clean.after.0.keys().any(|other| before_moving(other).as_ref() == Some(name));
        let growing = left.0.get(name).is_some_and(|bytes| grows(clean, name, bytes));
        let safe = here || growing || aside() || (may_go && !was_moved);
        if !safe {
            problems.push(format!("{name}, which was there before, is gone or has other bytes"));
        }
    }
}
