//! The columns of a file from which pairs are formed.

use crate::console::say;
use manybody::pairs::{Float, Points, read_npy};
use manybody::snapshot::{self, ColumnOrder, ReadOptions};
use manybody::units::{Dimension, parse_quantity};
use manybody::{Bodies, Error, Result, Units};
use std::path::{Path, PathBuf};

/// The coordinates of a snapshot, unless others are named.
const PLACE: [&str; 3] = ["x", "y", "z"];

/// Which file, and which of its columns.
#[derive(clap::Args)]
pub(super) struct Source {
    /// Snapshot, or NumPy array of shape (points, dimensions)
    #[arg(value_name = "FILE")]
    pub(super) input: PathBuf,
    /// Columns that are the coordinates, separated by commas; those of an array are called c0, c1, ...
    /// [default: x, y and z, as far as there; of an array all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    coordinates: Vec<String>,
    /// Which column of a plain text file is the mass: mass-first or mass-last
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
}

/// A file's columns.
pub(super) struct Input {
    path: PathBuf,
    /// By name.
    columns: Vec<(String, Vec<f64>)>,
    /// The names of the coordinates.
    coordinates: Vec<String>,
    /// Which body each row is: the ids of a snapshot, or counted from 0.
    pub(super) ids: Vec<u64>,
    pub(super) units: Units,
}

impl Source {
    /// Reads the file; `others` are columns that are not coordinates unless asked for. What further columns hold is not
    /// looked at.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn read(&self, others: &[&str]) -> Result<Input> {
        self.read_file(&self.input, others)
    }

    /// Reads another file in the same way.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn read_file(&self, path: &Path, others: &[&str]) -> Result<Input> {
        let is_array = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
        let mut input = if is_array { array(path)? } else { self.snapshot(path, others)? };
        if self.coordinates.is_empty() {
            let all = input.columns.iter().map(|(name, _)| name.clone());
            input.coordinates = if is_array {
                all.filter(|name| !others.contains(&&**name)).collect()
            } else {
                all.filter(|name| PLACE.contains(&&**name)).collect()
            };
        } else {
            input.coordinates.clone_from(&self.coordinates);
        }
        Ok(input)
    }

    fn snapshot(&self, path: &Path, others: &[&str]) -> Result<Input> {
        let coordinates = self.coordinates.iter().map(String::as_str);
        let place = PLACE.into_iter().filter(|_| self.coordinates.is_empty());
        let only = Some(coordinates.chain(place).chain(others.iter().copied()).map(String::from).collect());
        let options = ReadOptions { columns: self.columns, partial: true, only, ..ReadOptions::default() };
        let loaded = snapshot::read_with(path, &options)?;
        loaded.notes.iter().for_each(|note| say(format_args!("{}: {note}", path.display())));
        let bodies: Bodies = loaded.snapshot.bodies;
        let missing = &loaded.header.missing;
        let there = bodies.column_names().into_iter().filter(|name| !missing.contains(&&**name));
        let columns = there.filter_map(|name| Some((name.clone(), bodies.column(&name)?.into_owned()))).collect();
        let units = loaded.snapshot.units;
        Ok(Input { path: path.into(), columns, coordinates: Vec::new(), ids: bodies.id, units })
    }
}

fn array(path: &Path) -> Result<Input> {
    let columns: Vec<_> =
        read_npy(path)?.into_iter().enumerate().map(|(k, column)| (format!("c{k}"), column)).collect();
    let n = columns.first().map_or(0, |(_, column)| column.len());
    let ids = (0..n as u64).collect();
    Ok(Input { path: path.into(), columns, coordinates: Vec::new(), ids, units: Units::default() })
}

impl Input {
    /// How many bodies.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is a column of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|(known, _)| known == name)
    }

    /// An error about a column of this file.
    pub(super) fn wrong(&self, field: &str, problem: impl Into<String>) -> Error {
        Error::Field { path: self.path.clone(), field: field.into(), problem: problem.into() }
    }

    /// A column by name, every number finite.
    ///
    /// # Errors
    /// [`Error::Field`] if it is not there, or holds what is no finite number.
    pub(super) fn column(&self, name: &str) -> Result<&[f64]> {
        let Some((_, column)) = self.columns.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = self.columns.iter().map(|(name, _)| &**name).collect();
            return Err(self.wrong(name, format!("not in the file; there are: {}", known.join(", "))));
        };
        match column.iter().position(|x| !x.is_finite()) {
            None => Ok(column),
            Some(row) => Err(self.wrong(name, format!("row {row}: {}; must be finite numbers", column[row]))),
        }
    }

    /// A column in the number type T.
    ///
    /// # Errors
    /// As [`column`](Input::column).
    pub(super) fn column_as<T: Float>(&self, name: &str) -> Result<Vec<T>> {
        Ok(self.column(name)?.iter().map(|x| T::from_f64(*x)).collect())
    }

    /// How many coordinates a body has.
    pub(super) fn dimensions(&self) -> usize {
        self.coordinates.len()
    }

    /// The coordinates in the number type T. In f32 they are taken from the middle of their extent, so that a distant
    /// origin costs no digits.
    ///
    /// # Errors
    /// As [`column`](Input::column), and for coordinates that T cannot square.
    pub(super) fn points<T: Float>(&self) -> Result<Points<T>> {
        self.points_from(&self.middle::<T>()?)
    }

    /// The middle of the extent of each coordinate, from which T is to take it: 0 for f64.
    ///
    /// # Errors
    /// As [`column`](Input::column).
    pub(super) fn middle<T: Float>(&self) -> Result<Vec<f64>> {
        let middle = |name: &String| {
            let ends = |(low, high): (f64, f64), x: &f64| (low.min(*x), high.max(*x));
            let (low, high) = self.column(name)?.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
            Ok(if T::BYTES == 4 && low <= high { 0.5 * low + 0.5 * high } else { 0.0 })
        };
        self.coordinates.iter().map(middle).collect()
    }

    /// The coordinates in the number type T, taken from a place of as many numbers (0 for those it lacks).
    ///
    /// # Errors
    /// As [`column`](Input::column), and for coordinates that T cannot square.
    pub(super) fn points_from<T: Float>(&self, middle: &[f64]) -> Result<Points<T>> {
        let mut columns: Vec<Vec<T>> = Vec::new();
        for (d, name) in self.coordinates.iter().enumerate() {
            let middle = middle.get(d).copied().unwrap_or(0.0);
            columns.push(self.column(name)?.iter().map(|x| T::from_f64(x - middle)).collect());
        }
        let columns: Vec<&[T]> = columns.iter().map(Vec::as_slice).collect();
        self.named("coordinates", Points::from_columns(&columns))
    }

    /// An error of the library about what came from this file, with the file's name.
    ///
    /// # Errors
    /// The same.
    pub(super) fn named<R>(&self, field: &str, result: Result<R>) -> Result<R> {
        result.map_err(|error| match error {
            Error::Parameter { value, expected, .. } => self.wrong(field, format!("{value}: {expected}")),
            other => other,
        })
    }

    /// A length on the command line, in the file's units.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the option.
    pub(super) fn length(&self, option: &'static str, text: &str) -> Result<f64> {
        parse_quantity(text, Dimension::LENGTH, &self.units).map_err(|error| match error {
            Error::Parameter { expected, .. } => Error::Parameter { name: option, value: text.into(), expected },
            other => other,
        })
    }

    /// The sides of a periodic box: one for all dimensions, or one for each.
    ///
    /// # Errors
    /// As [`length`](Input::length), and for another number of sides.
    pub(super) fn sides(&self, texts: &[String]) -> Result<Option<Vec<f64>>> {
        let sides: Vec<f64> = texts.iter().map(|text| self.length("box", text)).collect::<Result<_>>()?;
        let dimensions = self.coordinates.len();
        match sides[..] {
            [] => Ok(None),
            [side] => Ok(Some(vec![side; dimensions])),
            _ if sides.len() == dimensions => Ok(Some(sides)),
            _ => {
                let expected = format!("must be one side for all {dimensions} dimensions, or one for each");
                Err(Error::Parameter { name: "box", value: texts.join(","), expected })
            }
        }
    }
}
