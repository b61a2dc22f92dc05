//! The size of a picture.

use crate::wrong;
use manybody::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The longest side, in pixels: four times what a screen of 8K has on its height.
pub const MAX_SIDE: usize = 16_384;

/// Width and height in pixels, each 1 to 16,384.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
}

impl Size {
    /// A size that can be.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a side of 0 or of more than 16,384 pixels.
    pub fn new(width: usize, height: usize) -> Result<Self> {
        match [width, height].iter().all(|side| (1..=MAX_SIDE).contains(side)) {
            true => Ok(Size { width, height }),
            false => Err(refused(&format!("{width}x{height}"))),
        }
    }

    /// The shorter side.
    pub fn least(self) -> usize {
        self.width.min(self.height)
    }
}

fn refused(text: &str) -> Error {
    wrong("size", text, format!("must be 1 to {MAX_SIDE} pixels a side, as in 1024 or 1920x1080"))
}

impl Default for Size {
    fn default() -> Self {
        Size { width: 1024, height: 1024 }
    }
}

impl FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        match (width.trim().parse(), height.trim().parse()) {
            (Ok(width), Ok(height)) => Size::new(width, height).map_err(|_| refused(text)),
            _ => Err(refused(text)),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_refused() {
        assert_eq!("640x480".parse::<Size>().unwrap(), Size { width: 640, height: 480 });
        assert_eq!("8192".parse::<Size>().unwrap().to_string(), "8192x8192");
        for wrong in ["0", "100000", "64x0", "x", "1.5", "-3", "nan", "10x10x10", ""] {
            let error = wrong.parse::<Size>().unwrap_err();
            assert!(error.is_bad_input() && error.to_string().contains("16384"), "{wrong}: {error}");
        }
    }
}
