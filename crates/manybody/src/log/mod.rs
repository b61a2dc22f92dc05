//! The table of a run: what `manybody run --log EVERY` writes beside the snapshots, and reads back for plots.
//!
//! ```text
//! # manybody log 1
//! # units = "msun-pc-kms"
//! # G = 0.004300917270036279
//! # SI = 3.085677581491367e16 1.988409870698051e30 3.085677581491367e13
//! step,time [pc/(km/s)],kinetic [Msun km^2/s^2],...,checksum
//! 0,0.0,1023.5,...,2839173410
//! ```
//!
//! Numbers are in the units of the run, in the shortest digits that read back to the same bits. A field is empty where
//! there is no such number: the energy under forces without a potential, the core radius of two bodies. The columns are
//! those of [`COLUMNS`], which documentation and JSON are made from, too, and a checksum of each line and all before it.

mod chain;
mod read;

pub(crate) use chain::Chain;
pub use read::{Table, beside};

use crate::Units;
use crate::cluster::Cluster;
use crate::diagnostics::Diagnostics;
use crate::units::{Dimension, show};
use std::fmt::Write as _;

/// What every table begins with.
pub(crate) const SIGNATURE: &str = "# manybody log ";
/// Of what is written.
const VERSION: &str = "1";

/// The state of a run at one time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// Steps done.
    pub step: u64,
    /// What a run conserves, and its time.
    pub diagnostics: Diagnostics,
    /// (E - E0) / |E0|, where the forces conserve the energy.
    pub energy_error: Option<f64>,
    /// Whether the forces have a potential, and so whether there are energies.
    pub has_potential: bool,
    /// The cluster.
    pub cluster: Cluster,
}

/// An entry of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// A number; one that is not finite is an empty field.
    Number(f64),
    /// A whole number.
    Count(u64),
}

/// A column of the table.
#[derive(Debug)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its dimension.
    pub dimension: Dimension,
    /// What it is.
    pub about: &'static str,
    of: fn(&Row) -> Option<Entry>,
}

impl Column {
    /// The entry of a row; `None` where there is no such number, or it is not finite.
    pub fn of(&self, row: &Row) -> Option<Entry> {
        (self.of)(row).filter(|entry| !matches!(entry, Entry::Number(value) if !value.is_finite()))
    }
}

/// Columns of plain numbers: name, dimension, what it is, where it is in a row.
macro_rules! columns {
    ($($name:literal, $dimension:expr, $about:literal, $of:expr;)*) => {
        &[$(Column { name: $name, dimension: $dimension, about: $about, of: $of }),*]
    };
}

const NUMBER: Dimension = Dimension::NUMBER;
const LENGTH: Dimension = Dimension::LENGTH;
const ENERGY: Dimension = Dimension::ENERGY;
const MOMENTUM: Dimension = Dimension::new(1, 1, -1);
const SPIN: Dimension = Dimension::new(1, 2, -1);

fn number(value: f64) -> Option<Entry> {
    Some(Entry::Number(value))
}

/// What a system without mass does not have.
fn of_mass(row: &Row, value: f64) -> Option<Entry> {
    (row.diagnostics.mass > 0.0).then_some(Entry::Number(value))
}

fn potential(row: &Row, value: f64) -> Option<Entry> {
    row.has_potential.then_some(Entry::Number(value))
}

/// Of the hardest bound pair.
fn hardest<T>(row: &Row, of: impl Fn(&crate::cluster::BoundPair) -> T) -> Option<T> {
    row.cluster.pairs?.hardest.as_ref().map(of)
}

/// Every column, in order.
pub static COLUMNS: &[Column] = columns! {
    "step", NUMBER, "steps done", |row| Some(Entry::Count(row.step));
    "time", Dimension::TIME, "time", |row| number(row.diagnostics.time);
    "kinetic", ENERGY, "kinetic energy", |row| number(row.diagnostics.kinetic);
    "potential", ENERGY, "potential energy", |row| potential(row, row.diagnostics.potential);
    "energy", ENERGY, "total energy E", |row| potential(row, row.diagnostics.energy());
    "energy_error", NUMBER, "(E - E0) / |E0|, E0 at the start", |row| row.energy_error.map(Entry::Number);
    "momentum_x", MOMENTUM, "momentum along x", |row| number(row.diagnostics.momentum[0]);
    "momentum_y", MOMENTUM, "momentum along y", |row| number(row.diagnostics.momentum[1]);
    "momentum_z", MOMENTUM, "momentum along z", |row| number(row.diagnostics.momentum[2]);
    "angular_momentum_x", SPIN, "angular momentum about the origin, along x",
        |row| number(row.diagnostics.angular_momentum[0]);
    "angular_momentum_y", SPIN, "the same along y", |row| number(row.diagnostics.angular_momentum[1]);
    "angular_momentum_z", SPIN, "the same along z", |row| number(row.diagnostics.angular_momentum[2]);
    "virial_ratio", NUMBER, "2T / |W|, T about the centre of mass: 1 in equilibrium",
        |row| potential(row, row.diagnostics.virial_ratio());
    "density_centre_x", LENGTH, "density centre [Casertano 1985], x; the centre of mass of fewer than 7 bodies",
        |row| of_mass(row, row.cluster.centre[0]);
    "density_centre_y", LENGTH, "the same, y", |row| of_mass(row, row.cluster.centre[1]);
    "density_centre_z", LENGTH, "the same, z", |row| of_mass(row, row.cluster.centre[2]);
    "lagrangian_1", LENGTH, "radius about the density centre that holds 1 % of the mass",
        |row| of_mass(row, row.cluster.lagrangian_radii[0]);
    "lagrangian_5", LENGTH, "5 %", |row| of_mass(row, row.cluster.lagrangian_radii[1]);
    "lagrangian_10", LENGTH, "10 %", |row| of_mass(row, row.cluster.lagrangian_radii[2]);
    "lagrangian_25", LENGTH, "25 %", |row| of_mass(row, row.cluster.lagrangian_radii[3]);
    "lagrangian_50", LENGTH, "50 %, the half-mass radius", |row| of_mass(row, row.cluster.lagrangian_radii[4]);
    "lagrangian_75", LENGTH, "75 %", |row| of_mass(row, row.cluster.lagrangian_radii[5]);
    "lagrangian_90", LENGTH, "90 %", |row| of_mass(row, row.cluster.lagrangian_radii[6]);
    "core_radius", LENGTH, "core radius [McMillan 1990]", |row| row.cluster.core_radius.map(Entry::Number);
    "velocity_dispersion", Dimension::VELOCITY, "velocity dispersion along a line of sight, weighted by mass",
        |row| of_mass(row, row.cluster.velocity_dispersion);
    "escapers", NUMBER, "bodies with v^2 / 2 + potential > 0, v about the centre of mass",
        |row| row.cluster.escapers.map(Entry::Count);
    "bound_pairs", NUMBER, "pairs of bodies that are most strongly bound to each other",
        |row| row.cluster.pairs.map(|pairs| Entry::Count(pairs.count));
    "hardest_energy", ENERGY, "binding energy of the hardest pair",
        |row| hardest(row, |pair| Entry::Number(pair.binding_energy));
    "hardest_a", LENGTH, "its semi-major axis", |row| hardest(row, |pair| Entry::Number(pair.semi_major_axis));
    "hardest_e", NUMBER, "its eccentricity", |row| hardest(row, |pair| Entry::Number(pair.eccentricity));
    "hardest_id_1", NUMBER, "the id of its first body", |row| hardest(row, |pair| Entry::Count(pair.id[0]));
    "hardest_id_2", NUMBER, "the id of its second body", |row| hardest(row, |pair| Entry::Count(pair.id[1]));
};

impl Row {
    /// The columns with their entries.
    pub fn entries(&self) -> impl Iterator<Item = (&'static Column, Option<Entry>)> {
        COLUMNS.iter().map(|column| (column, column.of(self)))
    }

    /// The line of the table, without its checksum.
    pub(crate) fn line(&self) -> String {
        let texts: Vec<String> = self.entries().map(|(_, entry)| entry.map_or(String::new(), text)).collect();
        texts.join(",")
    }
}

/// The shortest digits that read back to the same bits.
pub(crate) fn text(entry: Entry) -> String {
    match entry {
        Entry::Number(value) => format!("{value:?}"),
        Entry::Count(value) => value.to_string(),
    }
}

/// All lines before the first row.
pub(crate) fn header(units: &Units) -> String {
    let names = COLUMNS.iter().map(|column| (column.name, column.dimension));
    header_of(&format!("{SIGNATURE}{VERSION}\n"), units, names)
}

/// The same of a table that begins with `first`, of columns of these names and dimensions.
pub(crate) fn header_of<'a>(first: &str, units: &Units, columns: impl Iterator<Item = (&'a str, Dimension)>) -> String {
    let mut text = format!("{first}# units = {:?}\n# G = {:?}\n", units.name, units.g);
    if let Some([metre, kilogram, second]) = units.si {
        let _ = writeln!(text, "# SI = {metre:?} {kilogram:?} {second:?}");
    }
    let name = |(name, dimension): (&str, Dimension)| match show::unit(dimension, units) {
        Some(unit) => format!("{name} [{unit}]"),
        None => name.into(),
    };
    let names: Vec<String> = columns.map(name).chain([chain::COLUMN.into()]).collect();
    text + &names.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bodies;
    use crate::cluster::Pairs;
    use std::path::Path;

    fn row() -> Row {
        let bodies = crate::ic::by_name("plummer", &crate::ic::Request::new(64, 1)).unwrap().bodies;
        let cluster = Cluster::measure(&bodies, None, None);
        let diagnostics = Diagnostics { time: 0.1, mass: 1.0, kinetic: 1.0 / 3.0, ..Diagnostics::default() };
        Row { step: 7, diagnostics, energy_error: None, has_potential: false, cluster }
    }

    /// A table of some lines.
    fn lines(units: &Units, count: usize) -> String {
        let header = header(units);
        let mut chain = Chain::begin(&header);
        (0..count).fold(header, |text, _| text + &chain.seal(&row().line()))
    }

    #[test]
    fn without_mass_there_is_no_centre_no_radius_and_no_dispersion() {
        let of = |row: &Row| -> Vec<&str> {
            row.entries().filter(|(_, entry)| entry.is_some()).map(|(column, _)| column.name).collect()
        };
        let cluster = Cluster::measure(&Bodies::zeros(0), None, None);
        let none = Row { diagnostics: Diagnostics::default(), cluster, ..row() };
        let is_of_mass = |name: &str| {
            ["lagrangian_", "density_centre_", "core_radius", "velocity_dispersion"]
                .iter()
                .any(|of| name.starts_with(of))
        };
        assert_eq!(of(&row()).into_iter().filter(|name| is_of_mass(name)).count(), 7 + 3 + 2);
        assert_eq!(of(&none).into_iter().filter(|name| is_of_mass(name)).count(), 0);
    }

    #[test]
    fn a_table_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.csv");
        for units in [Units::henon(), Units::msun_pc_kms(), Units::henon_scaled(1e5, 3.0).unwrap()] {
            let text = lines(&units, 2);
            std::fs::write(&path, text + "8,0.2,half a li").unwrap();
            let table = Table::read(&path).unwrap();
            assert_eq!((table.len(), &table.units), (2, &units));
            for (column, entry) in row().entries() {
                let expected = match entry {
                    None => f64::NAN,
                    Some(Entry::Number(value)) => value,
                    Some(Entry::Count(value)) => value as f64,
                };
                let found = table.column(column.name).unwrap()[1];
                assert_eq!(found.to_bits(), expected.to_bits(), "{}", column.name);
            }
            assert!(table.column("no such").is_none() && table.column("checksum").is_none());
        }
    }

    #[test]
    fn a_table_is_found_by_the_files_of_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(beside(&path("b.hdf5")).unwrap_err().is_bad_input());
        for table in ["b.csv", "b.log.csv"] {
            std::fs::write(path("b.csv"), "id,x\n").unwrap();
            std::fs::write(path(table), header(&Units::henon())).unwrap();
            for name in ["b", "b.hdf5", "b.toml", "b.0003.hdf5", table] {
                assert_eq!(beside(&path(name)).unwrap(), path(table), "{name}");
            }
            std::fs::remove_file(path(table)).unwrap();
        }
    }

    #[test]
    fn what_is_no_table_is_an_error_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.csv");
        let header = header(&Units::henon());
        let plain = header.replace(",checksum\n", "\n");
        let line = row().line() + "\n";
        for (text, part) in [
            (String::new(), "does not begin"),
            ("id,x\n".into(), "does not begin"),
            (header.replacen("log 1", "log 2", 1), "version 2"),
            (header[..40].into(), "before its header"),
            (plain.clone() + "1,2\n", "line 5 has 2 fields"),
            (plain + &line.replacen("0.1", "soon", 1), "line 5, time: 'soon'"),
            (header + &line, "line 5 differs from its checksum"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Table::read(&path).unwrap_err();
            assert!(error.is_bad_input() && error.to_string().contains(part), "{error}");
        }
    }

    /// Every bit of the lines and of the header, and every line that is missing, but the last ones, which a run may not
    /// have written. Without the column a table is read as it is.
    #[test]
    fn damage_is_found() {
        let read = |text: &[u8]| Table::read_bytes(Path::new("b.csv"), text);
        let text = lines(&Units::msun_pc_kms(), 3);
        assert_eq!(read(text.as_bytes()).unwrap().len(), 3);
        for bit in 0..8 * text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let error = read(&damaged);
            // the end of the last line makes it one that was not written to its end
            assert!(error.is_err() || (bit / 8 == text.len() - 1 && error.unwrap().len() == 2), "bit {bit}");
        }
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let [.., header, first, second, _] = *ends else { panic!("{text}") };
        assert!(read(format!("{}{}", &text[..header], &text[first..]).as_bytes()).is_err());
        assert!(read(format!("{}{}", &text[..first], &text[second..]).as_bytes()).is_err());
        assert_eq!(read(&text.as_bytes()[..second]).unwrap().len(), 2);
        let bare: String = text
            .lines()
            .map(|line| match line.rsplit_once(',') {
                Some((rest, _)) => format!("{rest}\n"),
                None => format!("{line}\n"),
            })
            .collect();
        assert_eq!(read(bare.as_bytes()).unwrap().len(), 3);
    }

    /// A number that is not finite is an empty field.
    #[test]
    fn only_numbers_are_written() {
        let mut row = row();
        row.has_potential = true;
        row.cluster.pairs = Some(Pairs::default());
        let fields: Vec<String> = row.line().trim_end().split(',').map(str::to_owned).collect();
        let of = |name: &str| &*fields[COLUMNS.iter().position(|column| column.name == name).unwrap()];
        assert_eq!((of("virial_ratio"), of("energy_error"), of("hardest_e")), ("", "", ""));
        assert_eq!((of("step"), of("time"), of("bound_pairs")), ("7", "0.1", "0"));
    }

    #[test]
    fn every_column_is_documented() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/running.md");
        let text = std::fs::read_to_string(path).unwrap();
        assert!(COLUMNS.iter().all(|column| text.contains(&format!("`{}`", column.name))));
    }
}
