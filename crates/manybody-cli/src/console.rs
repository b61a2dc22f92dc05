//! Where words go: text for people to stderr, JSON for programs to stdout.
//!
//! Neither ends a run: a terminal that is gone or a pipe that nobody reads any more loses words, not work.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Only errors and warnings are to be printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on [`say`] says nothing.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether [`be_quiet`] was asked for.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a line to stderr, if there is anyone to read it.
pub(crate) fn say(text: impl std::fmt::Display) {
    if !is_quiet() {
        complain(text);
    }
}

/// The same for errors and warnings, which are told in any case.
pub(crate) fn complain(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Lines that could not be written, though whoever reads them has not gone.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes one JSON object as a line to stdout; the first failure is told on stderr, the others are not.
pub(crate) fn json(object: &serde_json::Value) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let mut out = std::io::stdout().lock();
    let Err(error) = writeln!(out, "{object}").and_then(|()| out.flush()) else { return };
    LOST.fetch_or(error.kind() != std::io::ErrorKind::BrokenPipe, Ordering::Relaxed);
    if !TOLD.swap(true, Ordering::Relaxed) {
        complain(format_args!("warning: stdout: cannot write JSON lines: {error}; going on without them"));
    }
}

/// Whether lines of `--json` are missing where somebody will look for them: on a disk that is full, not at a pipe whose
/// reader has gone.
pub(crate) fn has_lost_lines() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// An error with its causes, each said once: the library's own errors tell theirs already.
pub(crate) fn chain(report: &anyhow::Error) -> String {
    report.chain().skip(1).fold(report.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

/// A path as a shell takes it, quoted where it must be: for commands that are printed to be typed.
pub(crate) fn quoted(path: &std::path::Path) -> String {
    // or it would be taken for an option
    let before = if path.as_os_str().as_encoded_bytes().first() == Some(&b'-') { "./" } else { "" };
    let text = format!("{before}{}", path.display());
    let plain = |c: char| c.is_alphanumeric() || "._-+/=@:,%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// A number as people write it: the fraction 1/128 for what is one, the shortest decimal otherwise.
pub(crate) fn number(value: f64) -> String {
    let inverse = 1.0 / value;
    if value > 0.0 && value < 0.1 && inverse.fract() == 0.0 && inverse < 1.0e6 && 1.0 / inverse == value {
        // 0.01 is shorter than 1/100 is clear
        let decimal = format!("{value}");
        if decimal.len() > 6 { format!("1/{inverse}") } else { decimal }
    } else {
        format!("{value:?}").trim_end_matches(".0").to_owned()
    }
}

/// "1 body", "3 bodies".
pub(crate) fn bodies(n: usize) -> String {
    if n == 1 { "1 body".into() } else { format!("{n} bodies") }
}

#[cfg(test)]
mod tests {
    use super::{chain, number, quoted};

    #[test]
    fn paths_are_quoted_where_they_must_be() {
        let quote = |path: &str| quoted(path.as_ref());
        assert_eq!(quote("sub/b.0001.hdf5"), "sub/b.0001.hdf5");
        assert_eq!(quote("my stars.toml"), "'my stars.toml'");
        assert_eq!(quote("Bob's.toml"), r"'Bob'\''s.toml'");
    }

    #[test]
    fn a_cause_is_said_once() {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let own = manybody::Error::Io { path: "a.hdf5".into(), action: "read", source: missing() };
        assert_eq!(chain(&own.into()), format!("a.hdf5: cannot read: {}", missing()));
        let report = anyhow::Error::from(missing()).context("the threads cannot be started");
        assert_eq!(chain(&report), format!("the threads cannot be started: {}", missing()));
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        for (value, text) in [
            (1.0 / 128.0, "1/128"),
            (0.01, "0.01"),
            (0.015625, "1/64"),
            (1.0, "1"),
            (0.0, "0"),
            (6.25, "6.25"),
            (1.0e-9, "1e-9"),
            (1.0e21, "1e21"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
