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
//! Files are written all or nothing ([`atomic`]), with a checksum of their content that every reader here compares.

use crate::ic::{COMPONENT, GROUP};
use crate::ranks::file::{Together, Writers};
use crate::solver::Softening;
use crate::units::Dimension;
use crate::{Bodies, Error, Result, Units};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Seek};
use std::path::Path;

pub mod checksum;
pub mod csv;
mod format;
pub mod gadget_hdf5;
pub(crate) mod input;
pub mod nemo;
pub(crate) mod output;
mod sniff;
pub mod text;
pub mod tipsy;
mod verify;

pub use format::{Checksum, ColumnOrder, Format, Header, Loaded, Precision, ReadOptions, TipsyVariant, WriteOptions};
use input::Input;
pub use manybody_law::atomic;
use output::Output;
pub(crate) use text::shown;

/// The entry of [`Snapshot::meta`] that marks a cosmological snapshot.
const COSMOLOGY: &str = "cosmology";

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

impl Snapshot {
    /// The entry that marks comoving positions and velocities of a cosmological simulation; `None` for a system in
    /// physical coordinates.
    pub fn cosmology(&self) -> Option<&str> {
        // versions before 0.1 kept the redshift alone
        self.meta.get(COSMOLOGY).or_else(|| self.meta.get("gadget.Redshift")).map(String::as_str)
    }

    /// The softening length of the run that has kept this snapshot, in its units; `None` where no run has, or where each
    /// body has its own.
    ///
    /// # Errors
    /// [`Error::Kept`] for an entry that is no length of these units.
    pub fn run_softening(&self) -> Result<Option<f64>> {
        let Some(text) = self.meta.get("run.eps") else { return Ok(None) };
        let wrong = |expected: String| Error::Kept { entry: "run.eps", value: format!("'{text}'"), expected };
        let eps = text.parse().ok().filter(|eps: &f64| *eps >= 0.0 && eps.is_finite());
        let eps = eps.ok_or_else(|| wrong("the file's metadata is damaged: give --eps".into()))?;
        match self.meta.get("run.units") {
            Some(name) if *name != self.units.name => {
                // converted since
                let converted = Units::by_name(name).and_then(|kept| kept.conversion(&self.units, Dimension::LENGTH));
                let problem =
                    || wrong(format!("a length in {name} units, in a file in {} units: give --eps", self.units.name));
                converted.map(|by| Some(by.apply(eps))).map_err(|_| problem())
            }
            _ => Ok(Some(eps)),
        }
    }

    /// What a softening length was in the run that has kept this snapshot; Plummer's where no run has.
    ///
    /// # Errors
    /// [`Error::Kept`] for an entry that is no softening.
    pub fn softening_kind(&self) -> Result<Softening> {
        let Some(text) = self.meta.get("run.softening") else { return Ok(Softening::default()) };
        text.parse().map_err(|_| Error::Kept {
            entry: "run.softening",
            value: format!("'{text}'"),
            expected: "the file's metadata is damaged: give --softening".into(),
        })
    }

    fn is_of_the_spline(&self) -> bool {
        self.softening_kind().is_ok_and(|softening| softening == Softening::Spline)
    }

    /// Refuses a cosmological snapshot, whose equations of motion are not those of an isolated system.
    ///
    /// # Errors
    /// [`Error::Kept`], which says what a run would need.
    pub fn check_isolated(&self) -> Result<()> {
        let Some(found) = self.cosmology() else { return Ok(()) };
        let expected = "a run integrates isolated systems in physical coordinates, and this is a cosmological snapshot in \
                        comoving ones: that would need the expansion in the equations of motion and periodic forces, as \
                        Gadget-4 or SWIFT have them. To run a part of it as an isolated system, cut it out, write physical \
                        positions, velocities and masses without h, and leave this entry out"
            .into();
        Err(Error::Kept { entry: COSMOLOGY, value: found.into(), expected })
    }
}

/// Reads a snapshot; the format follows from the name, or from the content if the name has no known extension.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened, [`Error::Format`] if it is cut
/// short, damaged (by its checksum) or of another format than its name says, [`Error::Field`] for a value that no
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
/// As [`read`]; also [`Error::Parameter`] for plain text without an order of columns.
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

/// Whether a file was written here: it has a checksum, whole or damaged, or says what only our files say of themselves.
///
/// # Errors
/// [`Error::Io`] where it cannot be read.
pub fn is_ours(path: impl AsRef<Path>) -> Result<bool> {
    let unless_unreadable = |error| if matches!(error, crate::Error::Io { .. }) { Err(error) } else { Ok(false) };
    let mut input = Input::open(path.as_ref())?;
    input.origin.settled = true;
    let format = match decide(&mut input, &ReadOptions::default()) {
        Ok(format) => format,
        Err(error) => return unless_unreadable(error),
    };
    if checksum::check(&mut input, format)? != Checksum::Absent {
        return Ok(true);
    }
    let own = match format {
        Format::GadgetHdf5 => gadget_hdf5::header(input).map(|header| header.variant == gadget_hdf5::OURS),
        Format::Nemo => nemo::is_ours(&mut input),
        // the first line, or the one after a checksum that is damaged
        Format::Csv => input.peek(256).map(|start| {
            start.split(|byte| *byte == b'\n').take(2).any(|line| line.starts_with(b"# manybody snapshot"))
        }),
        Format::Tipsy | Format::Text => Ok(false),
    };
    own.or_else(unless_unreadable)
}

/// Reads what a file says of itself, without its bodies.
///
/// # Errors
/// As [`read_with`], as far as the header goes.
pub fn header(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Header> {
    let mut input = Input::open(path.as_ref())?;
    input.origin.settled = true;
    let origin = input.origin.clone();
    let header = match decide(&mut input, options)? {
        Format::GadgetHdf5 => gadget_hdf5::header(input),
        Format::Tipsy => tipsy::header(input, options),
        Format::Nemo => nemo::header(input, options),
        Format::Csv => csv::header(input),
        Format::Text => Ok(Header::new(Format::Text)),
    };
    origin.failure()?;
    header
}

/// Checks, before the first of several snapshots is shown, what their headers say: each is there, in a format that is
/// known, and claims bodies. What a reader cannot read twice, such as a pipe, is not looked at.
///
/// # Errors
/// As [`header`], and [`nothing_to_show`].
pub fn check_headers(paths: &[impl AsRef<Path>], options: &ReadOptions) -> Result<()> {
    for path in paths.iter().map(AsRef::as_ref) {
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            continue;
        }
        if header(path, options)?.count == Some(0) {
            return Err(nothing_to_show(path));
        }
    }
    Ok(())
}

/// The error of a snapshot without bodies where bodies are to be shown.
pub fn nothing_to_show(path: &Path) -> Error {
    Error::Field {
        path: path.into(),
        field: "bodies".into(),
        problem: "it has no bodies, and there is nothing to show".into(),
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
    let format = decide(&mut input, options)?;
    let mut found = checksum::check(&mut input, format)?;
    if let (Checksum::Differs(problem), false) = (&found, options.unverified) {
        return Err(input.problem(format.title(), problem));
    }
    input.origin.settled = found != Checksum::Absent;
    input.origin.lenient = options.unverified;
    let origin = input.origin.clone();
    let mut loaded = match format {
        Format::GadgetHdf5 => gadget_hdf5::read(input, options),
        Format::Tipsy => tipsy::read(input, options),
        Format::Nemo => nemo::read(input, options),
        Format::Csv => csv::read(input, options),
        Format::Text => text::read(input, options),
    };
    // parsers turn what the disk refuses into damage
    origin.failure()?;
    if let Some(problem) = origin.damage() {
        found = Checksum::Differs(problem);
    }
    if let Checksum::Differs(problem) = &found {
        match &mut loaded {
            Ok(loaded) => loaded.notes.push(problem.clone()),
            Err(crate::Error::Format { problem: other, .. } | crate::Error::Field { problem: other, .. }) => {
                *other = format!("{other}; {problem}");
            }
            Err(_) => {}
        }
    }
    let mut loaded = loaded?;
    loaded.header.checksum = found;
    if loaded.header.units.is_none() && !options.units_are_given {
        loaded.notes.push("the file names no units: taken as G = 1 without a scale".into());
    }
    if let Some(found) = loaded.snapshot.cosmology() {
        let taken = "comoving positions and the file's velocities are taken as they stand";
        loaded.notes.push(format!("a cosmological snapshot ({found}): {taken}"));
    }
    Ok(loaded)
}

/// Writes a snapshot, all or nothing; the format follows from the name.
///
/// Returns what the format could not hold, as sentences for the user; nothing for HDF5, NEMO and CSV.
///
/// # Errors
/// [`Error::Io`] naming the file; the old file, if any, is then untouched.
/// [`Error::Unknown`] for an extension that means no format,
/// [`Error::Body`] for a value that the format cannot hold at all, and [`Error::Parameter`] for a cosmological snapshot in
/// tipsy or plain text, which cannot say that it is one.
pub fn write(path: impl AsRef<Path>, snapshot: &Snapshot) -> Result<Vec<String>> {
    write_as(path, snapshot, &WriteOptions::default())
}

/// Writes a snapshot with every choice open.
///
/// # Errors
/// As [`write()`]; also [`Error::Parameter`] for plain text without an order of columns.
pub fn write_as(path: impl AsRef<Path>, snapshot: &Snapshot, options: &WriteOptions) -> Result<Vec<String>> {
    let path = path.as_ref();
    let format = writable(path, snapshot, options)?;
    atomic::write_with(path, |file| write_file(file, path, format, snapshot, options))
}

/// [`write()`] by all ranks together, and why rank 0 has written it alone, if it has.
///
/// # Errors
/// As [`write()`], and [`Error::Rank`] for a rank that is lost.
pub(crate) fn write_shared(
    path: &Path,
    snapshot: &Snapshot,
    writers: &Writers,
) -> Result<(Vec<String>, Option<String>)> {
    let options = WriteOptions::default();
    let format = writable(path, snapshot, &options)?;
    atomic::write_named_with(path, |file, temporary| {
        let body = |file: &mut dyn Output| write_to(file, path, format, snapshot, &options);
        let why = match temporary.map(|temporary| writers.write(file, temporary, path, body)).transpose()? {
            Some(Together::Written(notes)) => return Ok((notes, None)),
            Some(Together::Refused(why)) => Some(why),
            None => None,
        };
        Ok((write_file(file, path, format, snapshot, &options)?, why))
    })
}

fn write_file(
    file: &mut File,
    path: &Path,
    format: Format,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let seekable = file.metadata().map_err(atomic::io_error(path, "write"))?.is_file();
    if seekable {
        return write_to(file, path, format, snapshot, options);
    }
    // a pipe takes the file in one go, with its checksum where it belongs
    let mut whole = tempfile::tempfile().map_err(atomic::io_error(path, "make a temporary file for"))?;
    let notes = write_to(&mut whole, path, format, snapshot, options)?;
    whole.rewind().and_then(|()| std::io::copy(&mut whole, file)).map_err(atomic::io_error(path, "write"))?;
    Ok(notes)
}

/// Writes a snapshot to memory: the bytes of the file that [`write_as`] writes, and its notes. `name` stands for the
/// file's name in errors and in choosing the format.
///
/// # Errors
/// As [`write_as`], but those of the disk.
pub fn write_bytes(
    name: impl AsRef<Path>,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<String>)> {
    let name = name.as_ref();
    let format = writable(name, snapshot, options)?;
    let mut file = Cursor::new(Vec::new());
    let notes = write_to(&mut file, name, format, snapshot, options)?;
    Ok((file.into_inner(), notes))
}

/// The format to write in, for a snapshot that can be written.
fn writable(path: &Path, snapshot: &Snapshot, options: &WriteOptions) -> Result<Format> {
    let format = match options.format {
        Some(format) => format,
        None => Format::for_writing(path)?,
    };
    verify::writable(&snapshot.bodies)?;
    verify::time(snapshot.time)?;
    if let (Format::Tipsy | Format::Text, Some(found)) = (format, snapshot.cosmology()) {
        let expected = format!(
            "{} cannot keep this entry, which says that positions are comoving, so that `run` would take {} for an isolated \
             system in physical coordinates: write .hdf5, .nemo or .csv",
            format.title(),
            path.display()
        );
        return Err(Error::Kept { entry: COSMOLOGY, value: found.into(), expected });
    }
    Ok(format)
}

fn write_to(
    file: &mut dyn Output,
    path: &Path,
    format: Format,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let write: fn(&mut dyn Output, &Path, &Snapshot, &WriteOptions) -> Result<Vec<String>> = match format {
        Format::GadgetHdf5 => gadget_hdf5::write,
        Format::Tipsy => tipsy::write,
        Format::Nemo => nemo::write,
        Format::Csv => csv::write,
        Format::Text => text::write,
    };
    if options.without_checksum {
        return write(file, path, snapshot, options);
    }
    checksum::begin(file, path, format)?;
    let notes = write(file, path, snapshot, options)?;
    checksum::end(file, path, format, options)?;
    Ok(notes)
}

/// Whether an extra column is one of labels, which are written as integers: no bit of it is lost so.
fn is_label(name: &str, column: &[f64]) -> bool {
    let whole = |value: &f64| f64::from(*value as i32).to_bits() == value.to_bits();
    [GROUP, COMPONENT].contains(&name) && column.iter().all(whole)
}

/// What a unit, and G, must be.
fn is_positive(q: f64) -> bool {
    q.is_finite() && q > 0.0
}

/// The system of units of given size: a named one where every factor agrees to `tolerance`, else "custom". An error says
/// what is wrong with them.
fn units_of(si: [f64; 3], tolerance: f64) -> std::result::Result<Units, String> {
    let named = [Units::gadget(), Units::msun_pc_kms(), Units::msun_kpc_kms(), Units::msun_au_day(), Units::si()];
    let close = |known: &Units| {
        known.si.is_some_and(|known| known.iter().zip(si).all(|(a, b)| (a / b - 1.0).abs() <= tolerance))
    };
    if let Some(known) = named.into_iter().find(close) {
        return Ok(known);
    }
    let [metre, kilogram, second] = si;
    let g = crate::units::G_SI * kilogram * second * second / (metre * metre * metre);
    if !(is_positive(g) && si.into_iter().all(is_positive)) {
        return Err(format!("the units are {metre:e} m, {kilogram:e} kg and {second:e} s, in which G is {g}"));
    }
    Ok(Units { name: "custom".into(), g, si: Some(si) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_one_body() -> Snapshot {
        let mut found = Snapshot::default();
        found.bodies.push(1.0, [0.0; 3], [0.0; 3]);
        found
    }

    /// What a format cannot keep of a cosmological snapshot would make it an isolated system.
    #[test]
    fn comoving_coordinates_are_never_lost() {
        for entry in [COSMOLOGY, "gadget.Redshift"] {
            let mut found = of_one_body();
            found.meta.insert(entry.into(), "3".into());
            for format in Format::ALL {
                let options = WriteOptions {
                    format: Some(format),
                    columns: Some(ColumnOrder::MassFirst),
                    ..WriteOptions::default()
                };
                match write_bytes("a", &found, &options) {
                    Ok((bytes, _)) => {
                        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
                        let read = read_bytes("a", bytes, &options).unwrap().snapshot;
                        assert!(read.check_isolated().is_err(), "{format}");
                    }
                    Err(error) => {
                        assert!(matches!(format, Format::Tipsy | Format::Text), "{format}: {error}");
                        assert!(matches!(error, Error::Kept { entry: COSMOLOGY, .. }), "{error}");
                    }
                }
            }
        }
    }

    /// In each format, columns that are not used may hold what no computation could use.
    #[test]
    fn columns_that_are_not_used_are_not_looked_at() {
        let bad = "x,y,z,vx,vy,vz,mass,eps,q\n1,2,3,nan,inf,0,-1,-1,5\n";
        let read = |only: &[&str]| {
            let only = Some(only.iter().map(|name| name.to_string()).collect());
            read_bytes("a.csv", bad.as_bytes().to_vec(), &ReadOptions { only, ..ReadOptions::default() })
        };
        let found = read(&["x", "q"]).unwrap().snapshot.bodies;
        assert_eq!(
            (found.x[0], found.y[0], found.vx[0], found.mass[0], &found.extra["q"][..]),
            (1.0, 0.0, 0.0, 0.0, &[5.0][..])
        );
        for (name, column) in [("vx", "vx"), ("vy", "vy"), ("m", "mass"), ("eps", "eps")] {
            let error = read(&["x", name]).unwrap_err().to_string();
            assert!(error.contains(&format!("field {column}: line 2")), "{error}");
        }
        // tipsy, of which a byte of a velocity is made the exponent of an infinity
        let options = WriteOptions { format: Some(Format::Tipsy), without_checksum: true, ..WriteOptions::default() };
        let mut found = of_one_body();
        found.bodies.vx[0] = 7.25;
        let (mut bytes, _) = write_bytes("a", &found, &options).unwrap();
        let place = bytes.windows(4).position(|four| four == 7.25_f32.to_be_bytes()).unwrap();
        bytes[place..place + 4].copy_from_slice(&f32::INFINITY.to_be_bytes());
        let read = |only: Option<Vec<String>>| {
            read_bytes("a.tipsy", bytes.clone(), &ReadOptions { only, ..ReadOptions::default() })
        };
        assert!(read(None).is_err() && read(Some(vec!["vx".into()])).is_err());
        assert_eq!(read(Some(vec!["x".into()])).unwrap().snapshot.bodies.vx[0], 0.0);
    }
}
