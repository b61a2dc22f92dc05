//! Where a rank is: a machine, and which of its processors it may use.

use super::meeting;
use crate::Result;
use manybody_ranks::words::{Reader, Words};

/// A machine and some of its processors. Ranks of the same seat share these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub(super) host: String,
    /// As the system lists them; empty where it does not.
    processors: String,
}

impl Seat {
    /// That of this process.
    pub fn own() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        Seat { host: meeting::host(), processors: list.unwrap_or_default().trim().into() }
    }

    /// The name of the machine.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn put(&self, to: &mut Words) {
        to.text(&self.host).text(&self.processors);
    }

    pub(super) fn get(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Seat { host: from.text()?, processors: from.text()? })
    }
}
