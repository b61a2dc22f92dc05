//! Pictures and films of N-body systems, and plots of their runs, without a display or fonts of the system.
//!
//! ```
//! use manybody_view::{Look, Picture, Size};
//! let stars = manybody::ic::by_name("plummer", &manybody::ic::Request::new(1000, 1))?;
//! let look = Look { size: Size::new(320, 200)?, ..Look::default() };
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("stars.png");
//! Picture::of(&stars, &look)?.write_png(&path)?;
//! # Ok::<(), manybody::Error>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`camera`] | where the bodies are looked at from, and where they are on the picture |
//! | [`spots`] | what a body adds to the pixels around it |
//! | [`tone`] | from a surface density to a brightness |
//! | [`colours`] | colour maps, and what is coloured |
//! | [`picture`] | all bodies, tile by tile |
//! | [`labels`] | the time and the scale bar |
//! | [`film`] | series of pictures, and films by ffmpeg |
//! | [`chart`] | charts as SVG and PNG, for [`plot`], [`profile`] and others |
//! | [`plot`] | the table of a run against time |
//! | [`profile`] | density, dispersion and anisotropy against radius |

pub mod camera;
pub mod chart;
pub mod colours;
pub mod film;
pub mod labels;
pub mod picture;
pub mod plot;
mod png_file;
pub mod profile;
pub mod size;
pub mod spots;
pub mod tone;

pub use camera::{Camera, Lens};
pub use colours::{ColourBy, Colours};
pub use picture::{Look, Picture};
pub use size::Size;
pub use tone::{Stretch, Tone};

use manybody::Error;

/// An error in a parameter of a picture.
fn wrong(name: &'static str, value: impl std::fmt::Display, expected: impl Into<String>) -> Error {
    Error::Parameter { name, value: value.to_string(), expected: expected.into() }
}
