//! Output of the command: text to stderr, JSON lines to stdout.
//!
//! A failed write ends no run: a closed terminal or a pipe without a reader loses output, not results.

pub(crate) use manybody::driver::words::bodies;
pub(crate) use manybody::units::show::number;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Only errors and warnings are to be printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on [`say`] prints no line.
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

/// The same for errors and warnings, which are printed in any case.
pub(crate) fn complain(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Lines that could not be written, though whoever reads them has not gone.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes one JSON object as a line to stdout; the first failure is reported on stderr, the others are not.
pub(crate) fn json(object: &serde_json::Value) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let mut out = std::io::stdout().lock();
    let Err(error) = writeln!(out, "{object}").and_then(|()| out.flush()) else { return };
    LOST.fetch_or(error.kind() != std::io::ErrorKind::BrokenPipe, Ordering::Relaxed);
    if !TOLD.swap(true, Ordering::Relaxed) {
        complain(format_args!("warning: stdout: cannot write JSON lines: {error}; going on without them"));
    }
}

/// Whether lines of `--json` are missing where they can still be read: on a full disk, not at a pipe whose reader has
/// closed it.
pub(crate) fn has_lost_lines() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// An error with its causes, each printed once: the library's own errors contain theirs already.
pub(crate) fn chain(report: &anyhow::Error) -> String {
    let mut text = Vec::new();
    for error in report.chain() {
        text.push(error.to_string());
        if error.is::<manybody::Error>() || error.is::<manybody::driver::Failure>() {
            break;
        }
    }
    text.join(": ")
}

#[cfg(test)]
mod tests {
    use super::chain;

    #[test]
    fn a_cause_is_said_once() {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let own = manybody::Error::Io { path: "a.hdf5".into(), action: "read", source: missing() };
        assert_eq!(chain(&own.into()), format!("a.hdf5: cannot read: {}", missing()));
        let report = anyhow::Error::from(missing()).context("the threads cannot be started");
        assert_eq!(chain(&report), format!("the threads cannot be started: {}", missing()));
        // a cause counts by what it is, not by its words
        let report = anyhow::Error::from(missing()).context(format!("{}, again", missing()));
        assert_eq!(chain(&report), format!("{0}, again: {0}", missing()));
        let own = manybody::Error::Io { path: "a.hdf5".into(), action: "read", source: missing() };
        let report = anyhow::Error::from(own).context("the run");
        assert_eq!(chain(&report), format!("the run: a.hdf5: cannot read: {}", missing()));
    }
}
