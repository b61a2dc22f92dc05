//! Checksums of the lines of a table, each of the one before, too: a file that grows line by line is known whole at any
//! time, and a line that was changed, taken out or put in is found.

use std::hash::Hasher;
use twox_hash::XxHash3_64;

/// The name of the last column.
pub(super) const COLUMN: &str = "checksum";

/// Whether a column is that of the checksums, its name perhaps damaged in a letter.
pub(super) fn is_column(name: &str) -> bool {
    let wrong = name.chars().zip(COLUMN.chars()).filter(|(a, b)| a != b).count();
    name.chars().count() == COLUMN.len() && wrong <= 1
}

/// The checksum so far: of the header, then of each line with the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain(u32);

impl Chain {
    /// Begins with the header of a table.
    pub(crate) fn begin(header: &str) -> Self {
        Chain(0).next(header)
    }

    /// XXH3, of which 32 bits are kept: a whole number that every program reads.
    fn next(self, text: &str) -> Self {
        let mut hasher = XxHash3_64::new();
        hasher.write(&self.0.to_le_bytes());
        hasher.write(text.as_bytes());
        Chain(hasher.finish() as u32)
    }

    /// The line that stands in the table, with its checksum and its end.
    pub(crate) fn seal(&mut self, line: &str) -> String {
        *self = self.next(line);
        format!("{line},{}\n", self.0)
    }

    /// Whether a line stands in the table as it was sealed.
    pub(crate) fn accepts(&mut self, sealed: &str) -> bool {
        let Some((line, _)) = sealed.rsplit_once(',') else { return false };
        let mut next = *self;
        let same = next.seal(line) == sealed;
        if same {
            *self = next;
        }
        same
    }
}
