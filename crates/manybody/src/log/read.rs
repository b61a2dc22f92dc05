//! Reads the table of a run.

use super::{SIGNATURE, VERSION};
use crate::{Error, Result, Units};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The table of a run, read back.
#[derive(Clone, Debug)]
pub struct Table {
    /// The units of its numbers.
    pub units: Units,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

/// The table beside a file of a run: the file itself, `b.csv` for `b.hdf5`, `b.toml`, `b.0003.hdf5` or `b`, or
/// `b.log.csv`.
///
/// # Errors
/// [`Error::Missing`] where there is no such file.
pub fn beside(path: &Path) -> Result<PathBuf> {
    let is_table = |path: &PathBuf| {
        let mut begin = Vec::new();
        let file = std::fs::File::open(path).ok();
        let read = file.map(|file| file.take(SIGNATURE.len() as u64).read_to_end(&mut begin));
        read.is_some_and(|read| read.is_ok()) && begin == SIGNATURE.as_bytes()
    };
    let text = path.to_string_lossy();
    let stem = path.with_extension("");
    let numbered = stem.extension().is_some_and(|number| number.to_string_lossy().bytes().all(|b| b.is_ascii_digit()));
    let run = if numbered { stem.with_extension("") } else { stem };
    let bare = run.to_string_lossy().into_owned();
    let endings = [text.to_string(), format!("{text}.csv"), format!("{bare}.csv"), format!("{bare}.log.csv")];
    endings.into_iter().map(PathBuf::from).find(is_table).ok_or_else(|| Error::Missing {
        name: "table",
        expected: format!("{text} is no table of a run, and no table is beside it: `run --log EVERY` writes it"),
    })
}

impl Table {
    /// Reads a table; a last line without an end, which only another program leaves, is passed over.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] for a file that is no table of a run, or of a later version, naming the line.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(crate::snapshot::atomic::io_error(path, "read"))?;
        let text = String::from_utf8_lossy(&text);
        let wrong = |problem: String| Error::Format { path: path.into(), format: "log", problem };
        let Some(version) = text.strip_prefix(SIGNATURE).and_then(|rest| rest.lines().next()) else {
            return Err(wrong(format!("it does not begin with \"{}\": `run --log EVERY` writes it", SIGNATURE.trim())));
        };
        if version != VERSION {
            return Err(wrong(format!("version {version} is not known here, which reads {VERSION}")));
        }
        let entry = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {key} = ")));
        let name = entry("units").unwrap_or("\"g1\"").trim_matches('"');
        let units = Units::by_name(name)?;
        let mut lines = text.split_inclusive('\n').zip(1..).filter(|(line, _)| !line.starts_with('#'));
        let Some((names, _)) = lines.next().filter(|(line, _)| line.ends_with('\n')) else {
            return Err(wrong("it ends before its header".into()));
        };
        let names: Vec<String> =
            names.trim_end().split(',').map(|name| name.split(" [").next().unwrap_or_default().into()).collect();
        let mut columns = vec![Vec::new(); names.len()];
        for (line, place) in lines.filter(|(line, _)| line.ends_with('\n')) {
            let fields: Vec<&str> = line.trim_end_matches(['\n', '\r']).split(',').collect();
            if fields.len() != names.len() {
                return Err(wrong(format!("line {place} has {} fields, the header {}", fields.len(), names.len())));
            }
            for ((field, column), name) in fields.iter().zip(&mut columns).zip(&names) {
                let value = if field.is_empty() { Ok(f64::NAN) } else { field.parse() };
                let value = value.map_err(|_| wrong(format!("line {place}, {name}: '{field}' must be a number")))?;
                column.push(value);
            }
        }
        Ok(Table { units, names, columns })
    }

    /// How many lines it has.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether it has no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A column by its name, NaN where it is empty.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let place = self.names.iter().position(|own| own == name)?;
        self.columns.get(place).map(Vec::as_slice)
    }
}
