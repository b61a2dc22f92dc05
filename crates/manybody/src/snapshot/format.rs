//! The formats, their names and extensions, and the options of reading and writing.

use crate::{Error, Result, Snapshot, Units};
use std::path::Path;
use std::str::FromStr;

/// A file format for snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// HDF5 in Gadget's layout: holds everything a [`Snapshot`] holds, to the last bit.
    GadgetHdf5,
    /// Tipsy binary: single precision, gas, dark matter and stars.
    Tipsy,
    /// NEMO's structured binary snapshots.
    Nemo,
    /// Comma-separated values with a header that names columns and units.
    Csv,
    /// Seven bare columns, in one of two orders that the file does not state.
    Text,
}

impl Format {
    /// Every format, in the order documents list them.
    pub const ALL: [Format; 5] = [Format::GadgetHdf5, Format::Tipsy, Format::Nemo, Format::Csv, Format::Text];

    /// The name on the command line: "hdf5", "tipsy", "nemo", "csv", "text".
    pub fn name(self) -> &'static str {
        match self {
            Format::GadgetHdf5 => "hdf5",
            Format::Tipsy => "tipsy",
            Format::Nemo => "nemo",
            Format::Csv => "csv",
            Format::Text => "text",
        }
    }

    /// The name in sentences: "Gadget HDF5", "tipsy", "NEMO", "CSV", "plain text".
    pub fn title(self) -> &'static str {
        match self {
            Format::GadgetHdf5 => "Gadget HDF5",
            Format::Tipsy => "tipsy",
            Format::Nemo => "NEMO",
            Format::Csv => "CSV",
            Format::Text => "plain text",
        }
    }

    /// Whether it holds every bit of a state and the metadata, so that a run can be resumed from a file of it.
    pub fn is_lossless(self) -> bool {
        matches!(self, Format::GadgetHdf5 | Format::Nemo | Format::Csv)
    }

    /// The file name extensions that mean this format, the preferred one first, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::GadgetHdf5 => &["hdf5", "h5", "hdf"],
            Format::Tipsy => &["tipsy", "std"],
            Format::Nemo => &["nemo", "snap"],
            Format::Csv => &["csv"],
            Format::Text => &["txt", "tab"],
        }
    }

    /// The format a file name's extension means, in either case; `None` for an unknown extension.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|f| f.extensions().contains(&extension.as_str()))
    }

    /// The format to write a file of this name in.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an extension that means no format, with those that do.
    pub fn for_writing(path: &Path) -> Result<Format> {
        Format::of_name(path).ok_or_else(|| Error::Unknown {
            what: "file format for the name",
            name: path.display().to_string(),
            known: Format::ALL.iter().map(|f| format!(".{}", f.extensions()[0])).collect::<Vec<_>>().join(", "),
        })
    }
}

/// Implements `FromStr` for an enum with `ALL` and `name()`.
macro_rules! by_name {
    ($type:ty, $what:literal) => {
        impl FromStr for $type {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self> {
                Self::ALL.into_iter().find(|v| v.name() == name).ok_or_else(|| Error::Unknown {
                    what: $what,
                    name: name.into(),
                    known: Self::ALL.map(|v| v.name()).join(", "),
                })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

by_name!(Format, "file format");
by_name!(Precision, "precision");
by_name!(ColumnOrder, "column order");
by_name!(TipsyVariant, "tipsy variant");

/// How many bits a stored number gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Half the size, seven digits.
    F32,
    /// Exactly the state: what is read back is what was written, to the last bit.
    #[default]
    F64,
}

impl Precision {
    /// Both precisions.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::F64];

    /// "f32" or "f64".
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

/// Where the mass stands among the seven columns of plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// `m x y z vx vy vz`
    MassFirst,
    /// `x y z vx vy vz m`
    MassLast,
}

impl ColumnOrder {
    /// Both orders.
    pub const ALL: [ColumnOrder; 2] = [ColumnOrder::MassFirst, ColumnOrder::MassLast];

    /// "mass-first" or "mass-last".
    pub fn name(self) -> &'static str {
        match self {
            ColumnOrder::MassFirst => "mass-first",
            ColumnOrder::MassLast => "mass-last",
        }
    }
}

/// Which of the layouts that go by the name of tipsy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TipsyVariant {
    /// Big-endian (XDR) with a padded header: what "standard tipsy" means, and what pynbody, gasoline and ChaNGa read.
    #[default]
    Standard,
    /// The same, little-endian: tipsy as a PC writes it from memory.
    Native,
    /// Little-endian with a 32-bit id where the potential was: what the nbody sample of NVIDIA's cuda-samples reads,
    /// and Bonsai as its version 0.
    Nvidia,
    /// Little-endian with a 64-bit id where softening and potential were: Bonsai's version 2.
    Bonsai,
}

impl TipsyVariant {
    /// Every variant.
    pub const ALL: [TipsyVariant; 4] =
        [TipsyVariant::Standard, TipsyVariant::Native, TipsyVariant::Nvidia, TipsyVariant::Bonsai];

    /// "standard", "native", "nvidia" or "bonsai".
    pub fn name(self) -> &'static str {
        match self {
            TipsyVariant::Standard => "standard",
            TipsyVariant::Native => "native",
            TipsyVariant::Nvidia => "nvidia",
            TipsyVariant::Bonsai => "bonsai",
        }
    }
}

/// Options of a reader besides the file's name. The default takes everything from the file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` takes it from the name and checks it against the content.
    pub format: Option<Format>,
    /// The order of plain text's columns, which such a file does not state.
    pub columns: Option<ColumnOrder>,
    /// The tipsy variant, where the content alone would be read otherwise.
    pub tipsy: Option<TipsyVariant>,
    /// Which snapshot of a file that holds several, from 0; `None` takes the last.
    pub frame: Option<usize>,
    /// Accepts values no computation can use (NaN, infinite, negative masses), for a program that wants to report them.
    pub unchecked: bool,
    /// Accepts a file that lacks columns every body has, for a program that does not need them: they are 0, and
    /// [`Header::missing`] names them. CSV, and HDF5 without velocities or masses.
    pub partial: bool,
    /// The only columns that are used, by the names of [`Bodies::column`](crate::Bodies::column): what others hold is not
    /// looked at, and they are 0 (extra ones of CSV NaN). `None` uses all.
    pub only: Option<Vec<String>>,
    /// Reads a file whose checksum does not agree with its content; [`Header::checksum`] says so.
    pub unverified: bool,
    /// The units are known to whoever reads: no note says that a file names no units.
    pub units_are_given: bool,
}

impl ReadOptions {
    /// Whether a column is used, by its name among the columns of bodies.
    pub(crate) fn uses(&self, name: &str) -> bool {
        let is = |known: &String| known == name || (known == "m" && name == "mass");
        self.only.as_ref().is_none_or(|only| only.iter().any(is))
    }
}

/// Options of a writer besides the file's name.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// The format; `None` takes it from the name.
    pub format: Option<Format>,
    /// How many bits a number gets, where the format leaves the choice.
    pub precision: Precision,
    /// The order of plain text's columns.
    pub columns: Option<ColumnOrder>,
    /// The tipsy variant.
    pub tipsy: TipsyVariant,
    /// Leaves the checksum out, for a program that takes no notice of the format's rules for what is to be ignored.
    pub without_checksum: bool,
}

/// What a file's checksum says of its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// The file has no checksum: another program has written it, or an earlier version.
    #[default]
    Absent,
    /// The content is what was written: "xxh3-64 0123456789abcdef".
    Whole(String),
    /// It is not: how it differs, and what to do where that is on purpose.
    Differs(String),
}

/// A snapshot as it was read, with what the reader has to say about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// What the file says of itself.
    pub header: Header,
    /// Sentences a user should see: what was assumed, left out or ambiguous.
    pub notes: Vec<String>,
}

/// What a file says of itself, without its bodies.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// The format.
    pub format: Format,
    /// Which dialect of it: byte order, precision, version.
    pub variant: String,
    /// How many bodies the file claims; `None` where that takes reading it.
    pub count: Option<u64>,
    /// How many of each Gadget particle type.
    pub kinds: [u64; 6],
    /// Time, if the file has one.
    pub time: Option<f64>,
    /// Units, if the file has them.
    pub units: Option<Units>,
    /// The columns or datasets, as the file calls them.
    pub fields: Vec<String>,
    /// How many snapshots the file holds.
    pub frames: usize,
    /// The columns that the file lacks and a partial reading did without.
    pub missing: Vec<&'static str>,
    /// Whether the content is what was written; not looked at by [`header`](super::header).
    pub checksum: Checksum,
}

impl Header {
    /// A header that knows only its format.
    pub(crate) fn new(format: Format) -> Self {
        Header {
            format,
            variant: String::new(),
            count: None,
            kinds: [0; 6],
            time: None,
            units: None,
            fields: Vec::new(),
            frames: 1,
            missing: Vec::new(),
            checksum: Checksum::Absent,
        }
    }
}
