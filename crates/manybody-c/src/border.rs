//! The border between the library and its callers: errors become a status and a message, and no panic crosses it.

use crate::error;
use crate::status::mb_status;
use manybody::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What the library says.
    Library(Error),
    /// What was passed cannot be read, or written.
    Argument(String),
    /// A value that was passed cannot be used.
    Input(String),
    /// Memory does not suffice.
    Memory(String),
    /// Another thread is using a handle.
    Busy(&'static str),
    /// A run has ended with forces whose error is beyond the one that was asked for.
    Missed(f64, f64),
    /// An earlier call has ended in a defect of the library.
    Broken,
}

/// The outcome of a call.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

impl Failure {
    fn status(&self) -> mb_status {
        match self {
            Failure::Library(error) => mb_status::of(error),
            Failure::Argument(_) => mb_status::MB_ERROR_ARGUMENT,
            Failure::Input(_) => mb_status::MB_ERROR_INPUT,
            Failure::Memory(_) => mb_status::MB_ERROR_MEMORY,
            Failure::Busy(_) => mb_status::MB_ERROR_BUSY,
            Failure::Missed(..) => mb_status::MB_ERROR_COMPUTATION,
            Failure::Broken => mb_status::MB_ERROR_INTERNAL,
        }
    }

    /// What a caller reads of it.
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Library(error) => names(&error.to_string()),
            Failure::Argument(text) | Failure::Input(text) | Failure::Memory(text) => text.clone(),
            Failure::Busy(what) => format!("another thread is using this {what}"),
            Failure::Missed(rtol, found) => {
                format!("the run has ended with force errors of {found:.1e}, beyond rtol = {rtol:e}")
            }
            Failure::Broken => "an earlier call on this handle has ended in a defect of manybody; free it".into(),
        }
    }
}

/// A message in which settings have their names, t-end, where the command has options, --t-end.
fn names(text: &str) -> String {
    let mut parts = text.split("--");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if !part.starts_with(|c: char| c.is_ascii_lowercase()) {
            out += "--";
        }
        out += part;
    }
    out
}

/// Calls `body`, and makes a status of what comes of it.
pub(crate) fn call(body: impl FnOnce() -> Outcome) -> mb_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => mb_status::MB_OK,
        Ok(Err(failure)) => {
            error::keep(failure.message());
            failure.status()
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            error::keep(format!("a defect of manybody, please report it: {text}"));
            mb_status::MB_ERROR_INTERNAL
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(call(|| panic!("broken {}", 7)), mb_status::MB_ERROR_INTERNAL);
        assert!(error::text().contains("broken 7"), "{}", error::text());
        assert_eq!(call(|| Ok(())), mb_status::MB_OK);
    }

    #[test]
    fn settings_are_called_by_their_names() {
        assert_eq!(names("give --dt, --t-end; 1 -- 2"), "give dt, t-end; 1 -- 2");
    }
}
