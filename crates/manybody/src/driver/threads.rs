//! The threads that a process computes on.

use crate::{Error, Result};
use std::error::Error as _;
use std::fmt;
use std::str::FromStr;

/// The most threads: beyond some thousand they only look for work from each other.
const MAX_THREADS: u16 = 4096;

/// A number of threads, 1 to 4,096.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(u16);

impl Threads {
    /// So many, or as many as are possible.
    pub fn of(number: usize) -> Self {
        Threads(number.clamp(1, MAX_THREADS.into()) as u16)
    }

    /// The number.
    pub fn get(self) -> usize {
        self.0.into()
    }
}

impl FromStr for Threads {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.parse() {
            Ok(n) if (1..=MAX_THREADS).contains(&n) => Ok(Threads(n)),
            _ => Err(wrong(text, format!("must be 1 to {MAX_THREADS} threads"))),
        }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Starts the threads of this process, one a core where no number is given, before they are needed: later a failure is
/// a panic. A process starts its threads once. Inside a thread pool of a program's own, the threads of that pool compute.
///
/// # Errors
/// [`Error::Device`] where the system does not start them, [`Error::Parameter`] for another number than was started.
pub fn start(threads: Option<Threads>) -> Result<()> {
    if rayon::current_thread_index().is_none() {
        let number = threads.map_or(0, Threads::get); // 0: one a core
        match rayon::ThreadPoolBuilder::new().num_threads(number).build_global() {
            Ok(()) => return Ok(()),
            Err(error) => check_failure(&error)?,
        }
    }
    let running = rayon::current_num_threads();
    match threads.filter(|threads| threads.get() != running) {
        None => Ok(()),
        Some(other) => {
            Err(wrong(&other.to_string(), format!("this process computes on {running} threads, and starts no others")))
        }
    }
}

/// Refuses a failure of the system; the other one is that the threads run already.
fn check_failure(error: &rayon::ThreadPoolBuildError) -> Result<()> {
    let Some(cause) = error.source() else { return Ok(()) };
    let problem = format!("the threads to compute on cannot be started (--threads gives fewer): {cause}");
    Err(Error::Device { device: "cpu", problem })
}

fn wrong(value: &str, expected: String) -> Error {
    Error::Parameter { name: "threads", value: value.into(), expected }
}
