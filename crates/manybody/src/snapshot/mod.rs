//! Snapshots: bodies at a time, with their units, in the field's file formats.
//!
//! | format | file | holds |
//! |---|---|---|
//! | Gadget HDF5 | [`gadget_hdf5`] | everything, to the last bit; h5py, yt and pynbody open it |
//! | CSV | [`csv`] | everything, to the last bit, as text |
//! | NEMO | [`nemo`] | everything, to the last bit; NEMO's own programs read the part they know |
//! | tipsy | [`tipsy`] | single precision; ids only in two of its variants |
//! | plain text | [`text`] | masses, positions and velocities; nothing else |
//!
//! What a format cannot hold is said: in the notes that [`write_as`] returns, or as an error where the value would be
//! wrong. Reading and writing stream: beside the bodies themselves there are buffers of a few MiB.
//! Files are written all or nothing ([`atomic`]).

use crate::{Bodies, Result, Units};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

pub mod atomic;
pub mod csv;
mod format;
pub mod gadget_hdf5;
mod input;
pub mod nemo;
mod sniff;
pub mod text;
pub mod tipsy;
mod verify;

pub use format::{ColumnOrder, Format, Header, Loaded, Precision, ReadOptions, TipsyVariant, WriteOptions};
use input::Input;

/// A system at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The bodies.
    pub bodies: Bodies,
    /// Time, in `units`.
    pub time: f64,
    /// What the numbers mean.
    pub units: Units,
    /// Whatever else is to be kept with them, by name: the run's configuration, its step count, its errors.
    /// Numbers are written so that they read back to the same bits.
    pub meta: BTreeMap<String, String>,
}

/// Reads a snapshot; the format follows from the name, or from the content where the name says nothing.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) if the file cannot be opened, [`Error::Format`](crate::Error::Format) if it is cut
/// short, damaged or of another format than its name says, [`Error::Field`](crate::Error::Field) for a value that no
/// computation can use. Every one names the file.
pub fn read(path: impl AsRef<Path>) -> Result<Snapshot> {
    Ok(read_with(path, &ReadOptions::default())?.snapshot)
}

/// Reads a snapshot in the format given, whatever the file is called.
///
/// # Errors
/// As [`read`].
pub fn read_as(path: impl AsRef<Path>, format: Format) -> Result<Snapshot> {
    Ok(read_with(path, &ReadOptions { format: Some(format), ..ReadOptions::default() })?.snapshot)
}

/// Reads a snapshot with every choice open, and returns what the reader has to say beside it.
///
/// # Errors
/// As [`read`]; also [`Error::Parameter`](crate::Error::Parameter) for plain text without an order of columns.
pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Loaded> {
    read_input(Input::open(path.as_ref())?, options)
}

/// Reads a snapshot from bytes; `name` stands for the file's name in errors and in choosing the format.
///
/// # Errors
/// As [`read_with`].
pub fn read_bytes(name: impl AsRef<Path>, bytes: Vec<u8>, options: &ReadOptions) -> Result<Loaded> {
    read_input(Input::from_bytes(name.as_ref(), bytes), options)
}

/// Reads what a file says of itself, without its bodies.
///
/// # Errors
/// As [`read_with`], as far as the header goes.
pub fn header(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Header> {
    let mut input = Input::open(path.as_ref())?;
    match decide(&mut input, options)? {
        Format::GadgetHdf5 => gadget_hdf5::header(input),
        Format::Tipsy => tipsy::header(input, options),
        Format::Nemo => nemo::header(input, options),
        Format::Csv => csv::header(input),
        Format::Text => Ok(Header::new(Format::Text)),
    }
}

/// The format to read, which must hold the snapshot that is asked for.
fn decide(input: &mut Input, options: &ReadOptions) -> Result<Format> {
    let format = sniff::decide(input, options)?;
    match options.frame {
        Some(frame) if frame > 0 && !matches!(format, Format::Tipsy | Format::Nemo) => {
            Err(tipsy::frame_error(frame, 1))
        }
        _ => Ok(format),
    }
}

fn read_input(mut input: Input, options: &ReadOptions) -> Result<Loaded> {
    match decide(&mut input, options)? {
        Format::GadgetHdf5 => gadget_hdf5::read(input, options),
        Format::Tipsy => tipsy::read(input, options),
        Format::Nemo => nemo::read(input, options),
        Format::Csv => csv::read(input, options),
        Format::Text => text::read(input, options),
    }
}

/// Writes a snapshot, all or nothing; the format follows from the name.
///
/// Returns what the format could not hold, as sentences for the user; nothing for HDF5, NEMO and CSV.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) naming the file; the old file, if any, is then untouched.
/// [`Error::Unknown`](crate::Error::Unknown) for an extension that means no format, and
/// [`Error::Body`](crate::Error::Body) for a value that the format cannot hold at all.
pub fn write(path: impl AsRef<Path>, snapshot: &Snapshot) -> Result<Vec<String>> {
    write_as(path, snapshot, &WriteOptions::default())
}

/// Writes a snapshot with every choice open.
///
/// # Errors
/// As [`write()`]; also [`Error::Parameter`](crate::Error::Parameter) for plain text without an order of columns.
pub fn write_as(path: impl AsRef<Path>, snapshot: &Snapshot, options: &WriteOptions) -> Result<Vec<String>> {
    let path = path.as_ref();
    let format = match options.format {
        Some(format) => format,
        None => Format::for_writing(path)?,
    };
    verify::writable(&snapshot.bodies)?;
    verify::time(snapshot.time)?;
    let write: fn(&mut File, &Path, &Snapshot, &WriteOptions) -> Result<Vec<String>> = match format {
        Format::GadgetHdf5 => gadget_hdf5::write,
        Format::Tipsy => tipsy::write,
        Format::Nemo => nemo::write,
        Format::Csv => csv::write,
        Format::Text => text::write,
    };
    atomic::write_with(path, |file| write(file, path, snapshot, options))
}

/// The system of units of given size: a named one where every factor agrees to `tolerance`, else "custom".
fn units_of(si: [f64; 3], tolerance: f64) -> Units {
    let named = [Units::gadget(), Units::msun_pc_kms(), Units::msun_au_day(), Units::si()];
    let close = |known: &Units| {
        known.si.is_some_and(|known| known.iter().zip(si).all(|(a, b)| (a / b - 1.0).abs() <= tolerance))
    };
    named.into_iter().find(close).unwrap_or_else(|| {
        let [metre, kilogram, second] = si;
        let g = crate::units::G_SI * kilogram * second * second / (metre * metre * metre);
        Units { name: "custom".into(), g, si: Some(si) }
    })
}
