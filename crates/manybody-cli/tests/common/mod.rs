//! The command, run in a folder of its own.
#![allow(dead_code)] // each test file uses its part

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder to run the command in; gone when dropped.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The command with its arguments, given as one line of words.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manybody"));
        command.args(words.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, words: &str) -> Outcome {
        Outcome::of(self.command(words).output().unwrap())
    }

    /// Runs and expects success.
    pub(crate) fn good(&self, words: &str) -> Outcome {
        let outcome = self.run(words);
        assert_eq!(outcome.status, Some(0), "manybody {words}\n{}", outcome.text);
        outcome
    }

    /// Runs, expects `status`, no JSON, no panic, and all of `parts` in the message, which it returns.
    pub(crate) fn bad(&self, words: &str, status: i32, parts: &[&str]) -> String {
        self.run(words).expect_failure(words, status, parts)
    }

    /// Whether a device, "cuda" or "wgpu", is here, as the command lists them. Says what is skipped where it is not.
    pub(crate) fn has_device(&self, device: &str) -> bool {
        let listed = self.good("devices --json").json();
        let here = listed.iter().any(|one| one["device"] == device && one["name"].is_string());
        if !here {
            eprintln!("skipped: no {device} here");
        }
        here
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Every file by name and content.
    pub(crate) fn content(&self) -> Vec<(String, Vec<u8>)> {
        self.names().into_iter().map(|name| (name.clone(), self.bytes(&name))).collect()
    }

    /// Fails where two places hold different files, naming them rather than printing their bytes.
    pub(crate) fn assert_same_files(&self, other: &Place, what: &str) {
        assert_eq!(self.names(), other.names(), "{what}");
        for name in self.names() {
            assert!(self.bytes(&name) == other.bytes(&name), "{what}: {name} differs");
        }
    }
}

pub(crate) struct Outcome {
    pub(crate) status: Option<i32>,
    /// stderr
    pub(crate) text: String,
    /// stdout
    pub(crate) lines: Vec<String>,
}

impl Outcome {
    pub(crate) fn of(output: Output) -> Self {
        let utf8 = |bytes| String::from_utf8(bytes).unwrap();
        let lines = utf8(output.stdout).lines().map(str::to_owned).collect();
        Outcome { status: output.status.code(), text: utf8(output.stderr), lines }
    }

    /// stdout as JSON, every line an object with an event.
    pub(crate) fn json(&self) -> Vec<Value> {
        self.lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
    }

    pub(crate) fn expect_failure(&self, words: &str, status: i32, parts: &[&str]) -> String {
        assert_eq!(self.status, Some(status), "manybody {words}\n{}", self.text);
        assert!(!self.text.contains("panicked"), "manybody {words}\n{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "manybody {words}\nshould say '{part}':\n{}", self.text);
        }
        self.text.clone()
    }
}

pub(crate) fn event<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["event"] == name);
    found.unwrap_or_else(|| panic!("no event {name} in {lines:?}"))
}
