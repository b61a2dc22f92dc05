//! Where a writer's bytes go: a file, or memory.

use super::input::Source;
use std::fs::File;
use std::io::{Cursor, Read, Result, Seek, Write};

/// What writers need: they go back to places that they have left free, and read what they have written.
pub(crate) trait Output: Read + Write + Seek {
    /// Lengthens it with zeros, or cuts it off.
    fn set_len(&mut self, len: u64) -> Result<()>;

    /// The bytes so far, to be read beside the writing.
    fn view(&mut self) -> Result<Box<dyn Source>>;

    /// The file is laid out: what is written from here on goes from the front of the file to its end, and is not read
    /// back.
    ///
    /// # Errors
    /// Those of writing.
    fn begin_content(&mut self) -> Result<()> {
        Ok(())
    }

    /// XXH3 of the first `end` bytes, where it is known without reading them.
    ///
    /// # Errors
    /// Those of writing.
    fn known_sum(&mut self, _end: u64) -> Result<Option<u64>> {
        Ok(None)
    }
}

impl Output for File {
    fn set_len(&mut self, len: u64) -> Result<()> {
        File::set_len(self, len)
    }

    fn view(&mut self) -> Result<Box<dyn Source>> {
        Ok(Box::new(self.try_clone()?))
    }
}

impl Output for Cursor<Vec<u8>> {
    fn set_len(&mut self, len: u64) -> Result<()> {
        self.get_mut().resize(len as usize, 0);
        Ok(())
    }

    fn view(&mut self) -> Result<Box<dyn Source>> {
        Ok(Box::new(Cursor::new(self.get_ref().clone())))
    }
}
