//! What is fuzzed: one function for every reader and parser that takes other people's bytes. Whatever the bytes are, it
//! returns; a panic is a finding. What a reader accepts is sound, and is the same after it was written and read again.
//!
//! libFuzzer drives these with coverage (fuzz/README.md); crates/manybody/tests/fuzz.rs drives them with the corpora and a
//! mutator, a fixed number of times.

use manybody::Bodies;
use manybody::law::Law;
use manybody::log::Table;
use manybody::pairs::read_npy_bytes;
use manybody::settings::Settings;
use manybody::simulation::{Errors, Parameters};
use manybody::snapshot::{self, ColumnOrder, Format, ReadOptions, Snapshot, TipsyVariant, WriteOptions, read_bytes};
use manybody::units::{Dimension, Units, parse_quantity};
use std::collections::BTreeMap;
use std::path::Path;

/// A target: its name, which is also its corpus's, and what it does with an input.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All of them.
pub(crate) const TARGETS: [Target; 12] = [
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
    ("table", table),
    ("description", description),
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

/// A file whose name does not give its format, with unchecked values, as `info` reads it.
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

/// What was read can be written, and reads back the same: to the last bit in the formats that hold all of it.
fn returns(format: Format, snapshot: &Snapshot, options: &ReadOptions) {
    let name = format!("input.{}", format.extensions()[0]);
    let writing = WriteOptions { columns: options.columns, ..WriteOptions::default() };
    let bytes = match snapshot::write_bytes(&name, snapshot, &writing) {
        Ok((bytes, _)) => bytes,
        // a format may not hold what another program's file says (a time beyond single precision)
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let options = ReadOptions { columns: options.columns, ..ReadOptions::default() };
    let again = read_bytes(&name, bytes, &options).expect("what was written is read").snapshot;
    if matches!(format, Format::GadgetHdf5 | Format::Nemo | Format::Csv) {
        same(snapshot, &again);
    } else {
        assert_eq!(snapshot.bodies.len(), again.bodies.len());
    }
}

/// Asserts that two snapshots have the same bits. Any NaN, which an extra column may hold, is as good as another.
fn same(one: &Snapshot, other: &Snapshot) {
    let Snapshot { bodies, time, units, meta } = one;
    assert_eq!((time.to_bits(), units, meta), (other.time.to_bits(), &other.units, &other.meta));
    let Bodies { x, y, z, vx, vy, vz, mass, id, eps, kind, extra } = bodies;
    let again = &other.bodies;
    assert_eq!((id, kind), (&again.id, &again.kind));
    let columns = [x, y, z, vx, vy, vz, mass].into_iter().chain(eps).chain(given(extra).map(|(_, column)| column));
    let Bodies { x, y, z, vx, vy, vz, mass, eps: eps_again, extra: extra_again, .. } = again;
    let others = [x, y, z, vx, vy, vz, mass].into_iter().chain(eps_again);
    let others = others.chain(given(extra_again).map(|(_, column)| column));
    assert_eq!(eps.is_some(), eps_again.is_some());
    let names = |extra| given(extra).map(|(name, _)| name);
    assert!(names(extra).eq(names(extra_again)), "{:?} {:?}", extra.keys(), extra_again.keys());
    for (column, other) in columns.zip(others) {
        let equal = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        assert!(column.len() == other.len() && column.iter().zip(other).all(equal), "{column:?} {other:?}");
    }
}

/// The extra columns, without those that give no body a value: these count as absent.
fn given(extra: &BTreeMap<String, Vec<f64>>) -> impl Iterator<Item = (&String, &Vec<f64>)> {
    extra.iter().filter(|(_, column)| !column.iter().all(|q| q.is_nan()))
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

/// The first byte selects the kind of quantity and the units.
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
    let _ = (Parameters::from_snapshot(&snapshot), Errors::from_snapshot(&snapshot));
}

/// The table of a run.
pub(crate) fn table(data: &[u8]) {
    match Table::read_bytes(Path::new("input.csv"), data) {
        Ok(table) => {
            assert!(table.units.g.is_finite() && table.units.g > 0.0, "{:?}", table.units);
            for name in ["step", "time", "energy"] {
                assert!(table.column(name).is_none_or(|column| column.len() == table.len()));
            }
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains("input.csv") && text.len() < 2000, "{text}");
        }
    }
}

/// The description of a run.
pub(crate) fn description(data: &[u8]) {
    match Settings::read_bytes(Path::new("input.toml"), data) {
        Ok(settings) => drop(Parameters::default().with(&settings, &Units::msun_pc_kms())),
        Err(error) => assert!(error.to_string().contains("input.toml"), "names no file: {error}"),
    }
}
