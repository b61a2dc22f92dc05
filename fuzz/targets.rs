//! What is fuzzed: one function for every reader and parser that takes other people's bytes. Whatever the bytes are, it
//! returns; a panic is a finding. What a reader accepts is sound, and is the same after it was written and read again.
//!
//! libFuzzer drives these with coverage (fuzz/README.md); crates/manybody/tests/fuzz.rs drives them with the corpora and a
//! mutator, a fixed number of times.

use manybody::law::Law;
use manybody::pairs::read_npy_bytes;
use manybody::simulation::{Errors, Parameters};
use manybody::snapshot::{self, ColumnOrder, Format, ReadOptions, Snapshot, TipsyVariant, WriteOptions, read_bytes};
use manybody::units::{Dimension, Units, parse_quantity};
use std::path::{Path, PathBuf};

/// A target: its name, which is also its corpus's, and what it does with an input.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All of them.
pub(crate) const TARGETS: [Target; 10] = [
    ("hdf5", hdf5),
    ("nemo", nemo),
    ("tipsy", tipsy),
    ("csv", csv),
    ("text", text),
    ("sniff", sniff),
    ("law", law),
    ("quantity", quantity),
    ("npy", npy),
    ("metadata", metadata),
];

pub(crate) fn hdf5(data: &[u8]) {
    read(Format::GadgetHdf5, data, ReadOptions::default());
}

pub(crate) fn nemo(data: &[u8]) {
    read(Format::Nemo, data, ReadOptions::default());
}

/// The first byte says which variant is asked for, if any.
pub(crate) fn tipsy(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let tipsy = TipsyVariant::ALL.get(usize::from(choice)).copied();
    read(Format::Tipsy, data, ReadOptions { tipsy, ..ReadOptions::default() });
}

/// The first byte says whether columns may be missing.
pub(crate) fn csv(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    read(Format::Csv, data, ReadOptions { partial: choice % 2 == 1, ..ReadOptions::default() });
}

/// The first byte says the order of the columns.
pub(crate) fn text(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let columns = Some(ColumnOrder::ALL[usize::from(choice) % 2]);
    read(Format::Text, data, ReadOptions { columns, ..ReadOptions::default() });
}

/// A file whose name says nothing, values unchecked, as `info` reads it.
pub(crate) fn sniff(data: &[u8]) {
    let options = ReadOptions {
        unchecked: true,
        unverified: true,
        columns: Some(ColumnOrder::MassFirst),
        ..ReadOptions::default()
    };
    if let Err(error) = read_bytes("input", data.to_vec(), &options) {
        assert!(error.to_string().contains("input"), "names no file: {error}");
    }
}

fn read(format: Format, data: &[u8], options: ReadOptions) {
    let name = format!("input.{}", format.extensions()[0]);
    // or damage would be found before anything is parsed
    let options = ReadOptions { unverified: true, ..options };
    match read_bytes(&name, data.to_vec(), &options) {
        Ok(loaded) => {
            let snapshot = loaded.snapshot;
            snapshot.bodies.validate().expect("what is read is sound");
            assert!(snapshot.time.is_finite());
            if !options.partial {
                returns(format, &snapshot, &options);
            }
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(&name), "names no file: {text}");
            assert!(text.len() < 2000, "a message of {} bytes", text.len());
        }
    }
}

/// A file of this process, in memory where the system has such a file system.
fn scratch(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    let thread = std::thread::current().id();
    folder.join(format!("manybody-fuzz-{}-{thread:?}-{name}", std::process::id()))
}

/// What was read can be written, and reads back the same: to the last bit in the formats that hold all of it.
fn returns(format: Format, snapshot: &Snapshot, options: &ReadOptions) {
    let path = scratch(&format!("input.{}", format.extensions()[0]));
    let written =
        snapshot::write_as(&path, snapshot, &WriteOptions { columns: options.columns, ..WriteOptions::default() });
    let bytes = std::fs::read(&path).unwrap_or_default();
    let _ = std::fs::remove_file(&path);
    match written {
        Ok(_) => {}
        // a format may not hold what another program's file says (a time beyond single precision)
        Err(error) => return assert!(!error.to_string().is_empty()),
    }
    let options = ReadOptions { columns: options.columns, ..ReadOptions::default() };
    let again = read_bytes(&path, bytes, &options).expect("what was written is read").snapshot;
    if matches!(format, Format::GadgetHdf5 | Format::Nemo | Format::Csv) {
        // a column that gives nothing to any body is none
        let given = |snapshot: &Snapshot| {
            let mut snapshot = snapshot.clone();
            snapshot.bodies.extra.retain(|_, column| !column.iter().all(|q| q.is_nan()));
            snapshot
        };
        let (snapshot, again) = (given(snapshot), given(&again));
        // debug texts, since NaN, which an extra column may hold, is not equal to itself
        assert_eq!(format!("{snapshot:?}"), format!("{again:?}"));
    } else {
        assert_eq!(snapshot.bodies.len(), again.bodies.len());
    }
}

/// A law as text, the native form or CUNBODY-1's: read, written out, read again.
pub(crate) fn law(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Law::parse(text) {
        Ok(law) => {
            law.to_latex();
            let text = law.to_text();
            // (the order of operands may be another each time)
            Law::parse(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        }
        Err(error) => assert!(error.to_string().len() < 2000, "{error}"),
    }
}

/// The first byte says what kind of quantity is wanted, and in which units.
pub(crate) fn quantity(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    let dimensions = [Dimension::NUMBER, Dimension::TIME, Dimension::DENSITY, Dimension::VELOCITY];
    let units = [Units::si(), Units::g1(), Units::msun_pc_kms()];
    let (dimension, units) = (dimensions[usize::from(choice) % 4], &units[usize::from(choice) / 4 % 3]);
    if let Ok(value) = parse_quantity(text, dimension, units) {
        assert!(value.is_finite());
        // a number is read as it is written
        let written = format!("{value:?}");
        assert_eq!(parse_quantity(&written, dimension, units).ok(), Some(value), "{written}");
    }
    if let Ok(units) = Units::by_name(text) {
        assert!(units.g.is_finite() && units.g > 0.0, "{units:?}");
    }
}

/// An array of NumPy's.
pub(crate) fn npy(data: &[u8]) {
    match read_npy_bytes("input.npy", data) {
        Ok(columns) => {
            let numbers: usize = columns.iter().map(Vec::len).sum();
            assert!(4 * numbers <= data.len(), "{numbers} numbers out of {} bytes", data.len());
        }
        Err(error) => assert!(error.to_string().contains("input.npy"), "{error}"),
    }
}

/// What a snapshot keeps of its run, a line an entry: `run.dt=0.5`.
pub(crate) fn metadata(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let entry = |line: &str| line.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
    let snapshot = Snapshot { meta: text.lines().filter_map(entry).collect(), ..Snapshot::default() };
    let _ = (Parameters::kept_in(&snapshot), Errors::kept_in(&snapshot));
}
