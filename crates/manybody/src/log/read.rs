//! Reads the table of a run.

use super::{Chain, SIGNATURE, VERSION, chain};
use crate::snapshot::shown;
use crate::{Error, Result, Units};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The table of a run, read back.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// [`Error::Io`]; [`Error::Format`] for a file that is no table of a run, of a later version, or damaged, naming the
    /// line.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(crate::snapshot::atomic::io_error(path, "read"))?;
        Self::read_bytes(path, &bytes)
    }

    /// Reads a table from bytes; `path` stands for the file's name in errors.
    ///
    /// # Errors
    /// As [`read`](Self::read), but those of the disk.
    pub fn read_bytes(path: &Path, bytes: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(bytes);
        let wrong = |problem: String| Error::Format { path: path.into(), format: "log", problem };
        let Some(version) = text.strip_prefix(SIGNATURE).and_then(|rest| rest.lines().next()) else {
            return Err(wrong(format!("it does not begin with \"{}\": `run --log EVERY` writes it", SIGNATURE.trim())));
        };
        if version != VERSION {
            return Err(wrong(format!("version {} is not known here, which reads {VERSION}", shown(version))));
        }
        let entry = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {key} = ")));
        let name = entry("units").unwrap_or("\"g1\"").trim_matches('"');
        let units = Units::by_name(name).map_err(|_| wrong(format!("units = '{}': not known here", shown(name))))?;
        let header: Vec<&str> = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).collect();
        let comments: usize = header.iter().map(|line| line.len()).sum();
        let Some(end) = text[comments..].find('\n').map(|at| comments + at + 1) else {
            return Err(wrong("it ends before its header".into()));
        };
        let mut names: Vec<String> = text[comments..end]
            .trim_end()
            .split(',')
            .map(|name| name.split(" [").next().unwrap_or_default().into())
            .collect();
        if names.iter().any(|name| name.parse::<f64>().is_ok()) {
            return Err(wrong("the names of its columns are missing".into()));
        }
        let mut chain = names.last().is_some_and(|name| chain::is_column(name)).then(|| Chain::begin(&text[..end]));
        let mut columns = vec![Vec::new(); names.len()];
        let lines = text[end..].split_inclusive('\n').zip(header.len() + 2..);
        let whole = lines.filter(|(line, _)| line.ends_with('\n') && (chain.is_some() || !line.starts_with('#')));
        for (line, place) in whole.collect::<Vec<_>>() {
            if chain.as_mut().is_some_and(|chain| !chain.accepts(line)) {
                return Err(wrong(format!(
                    "line {place} differs from its checksum, or one before it is missing: it is damaged, or was edited \
                     (without the column {} it is read as it is)",
                    chain::COLUMN
                )));
            }
            let fields: Vec<&str> = line.trim_end_matches(['\n', '\r']).split(',').collect();
            if fields.len() != names.len() {
                return Err(wrong(format!("line {place} has {} fields, the header {}", fields.len(), names.len())));
            }
            for ((field, column), name) in fields.iter().zip(&mut columns).zip(&names) {
                let value = if field.is_empty() { Ok(f64::NAN) } else { field.parse() };
                let value = value.map_err(|_| {
                    wrong(format!("line {place}, {}: '{}' must be a number", shown(name), shown(field)))
                })?;
                column.push(value);
            }
        }
        if chain.is_some() {
            names.pop();
            columns.pop();
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
