//! One HDF5 file of a snapshot: its header, and its datasets as windows of numbers.
//!
//! What a dataset claims to hold is compared with the file's length before anything is allocated.

use super::{OURS, TITLE, WINDOW, units, values};
use crate::snapshot::atomic::io_error;
use crate::snapshot::input::{Input, Origin};
use crate::snapshot::{Format, Header};
use crate::{Error, Result, Units};
use hdf5_pure::{AttrValue, DType, Dataset, File, FormatError, Group, ReadSeekSource};
use std::collections::{BTreeMap, HashMap};

/// Deflate packs at most 1,032 bytes into one; a file that claims more than this times its length lies.
const MAX_PACKED: u64 = 1100;

/// Attributes of the header without which a file would be read as another.
const READ: [&str; 7] = [
    "NumPart_ThisFile",
    "NumPart_Total",
    "NumPart_Total_HighWord",
    "NumFilesPerSnapshot",
    "MassTable",
    "Time",
    "Redshift",
];

pub(super) type Attributes = HashMap<String, AttrValue>;

/// One HDF5 file.
pub(super) struct Part {
    pub(super) origin: Origin,
    pub(super) file: File,
    pub(super) header: Attributes,
    /// Names of the groups at the top.
    pub(super) groups: Vec<String>,
}

impl Part {
    pub(super) fn open(input: Input) -> Result<Part> {
        let Input { origin, source } = input;
        let source = ReadSeekSource::new(source).map_err(|error| origin.problem(TITLE, error.to_string()))?;
        let file = File::from_source(source).map_err(|error| damaged(&origin, error))?;
        // as libhdf5 refuses it too: groups that lie beyond the cut would look as if they had never been there
        let end = file.superblock().eof_address;
        if origin.len < end {
            let problem = format!("it is cut short: it has {} bytes, its superblock says {end}", origin.len);
            return Err(origin.problem(TITLE, problem));
        }
        let groups = file.root().groups().map_err(|error| damaged(&origin, error))?;
        if origin.len > end && !origin.settled && groups.iter().any(|g| g == "ManyBody") {
            let more = origin.len - end;
            let problem = format!("{more} bytes follow its end, and are not the checksum that was written there");
            origin.lost_checksum(TITLE, problem)?;
        }
        let mut part = Part { origin, file, header: Attributes::new(), groups };
        if !part.groups.iter().any(|g| g == "Header") {
            let found = if part.groups.is_empty() { "none".into() } else { part.groups.join(", ") };
            let problem = format!("it is HDF5, but has no group Header as Gadget's layout wants; its groups: {found}");
            return Err(part.origin.problem(TITLE, problem));
        }
        part.header = part.attributes("Header")?;
        part.check_types()?;
        Ok(part)
    }

    /// Refuses attributes that are read here but stand in a type that is not: the parser passes over them.
    fn check_types(&self) -> Result<()> {
        let types = self.group("Header")?.attr_datatypes().map_err(|error| self.damaged(error))?;
        for name in READ.iter().filter(|name| !self.header.contains_key(**name)) {
            if let Some(datatype) = types.get(*name) {
                let problem = format!("it is of type {datatype}; it must be numbers of 64 bits at most");
                return Err(self.origin.field(format!("Header/{name}"), problem));
            }
        }
        Ok(())
    }

    pub(super) fn damaged(&self, error: hdf5_pure::Error) -> Error {
        damaged(&self.origin, error)
    }

    /// The attributes of a group; empty where there is no such group.
    pub(super) fn attributes(&self, group: &str) -> Result<Attributes> {
        let top = group.split('/').next().unwrap_or(group);
        if !self.groups.iter().any(|g| g == top) {
            return Ok(Attributes::new());
        }
        self.file.group(group).and_then(|g| g.attrs()).map_err(|error| self.damaged(error))
    }

    /// A number of the header.
    pub(super) fn attribute_f64(&self, name: &str) -> Result<Option<f64>> {
        let Some(value) = self.header.get(name) else { return Ok(None) };
        let number = values::number(value);
        let problem = || format!("it is {value}; it must be one number");
        number.map(Some).ok_or_else(|| self.origin.field(format!("Header/{name}"), problem()))
    }

    /// A count of the header.
    pub(super) fn attribute_u64(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.header.get(name) else { return Ok(None) };
        match values::counts(value).as_deref() {
            Some([count]) => Ok(Some(*count)),
            _ => {
                let problem = format!("it is {value}; it must be one whole number, 0 or more");
                Err(self.origin.field(format!("Header/{name}"), problem))
            }
        }
    }

    /// Six counts of the header, one a particle type; fewer types are filled up with 0.
    pub(super) fn counts(&self, name: &str) -> Result<Option<[u64; 6]>> {
        let Some(value) = self.header.get(name) else { return Ok(None) };
        let Some(list) = values::counts(value) else {
            let problem = format!("it is {value}; it must be a list of whole numbers, 0 or more");
            return Err(self.origin.field(format!("Header/{name}"), problem));
        };
        let mut counts = [0; 6];
        counts.iter_mut().zip(list).for_each(|(count, value)| *count = value);
        Ok(Some(counts))
    }

    pub(super) fn group(&self, name: &str) -> Result<Group> {
        self.file.group(name).map_err(|error| self.damaged(error))
    }

    pub(super) fn header(&self) -> Result<Header> {
        let mut header = Header::new(Format::GadgetHdf5);
        header.kinds = self.counts("NumPart_ThisFile")?.unwrap_or_default();
        header.count = header.kinds.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n));
        header.time = self.attribute_f64("Time")?;
        header.units = self.units()?;
        for name in self.groups.iter().filter(|g| g.starts_with("PartType")) {
            let group = self.group(name)?;
            for dataset in group.datasets().map_err(|error| self.damaged(error))? {
                let bits = group.dataset(&dataset).and_then(|d| d.dtype()).map(|d| d.to_string());
                header.fields.push(format!("{name}/{dataset} ({})", bits.as_deref().unwrap_or("unreadable")));
            }
        }
        let own = self.groups.iter().any(|g| g == "ManyBody");
        let files = self.attribute_u64("NumFilesPerSnapshot")?.unwrap_or(1);
        header.variant = match (own, files) {
            (true, _) => OURS.into(),
            (false, 0 | 1) => "one file".into(),
            (false, files) => format!("one of {files} files"),
        };
        Ok(header)
    }

    /// The units the file states: by name in our own group, else by their size in cgs, else not at all.
    pub(super) fn units(&self) -> Result<Option<Units>> {
        let own = self.attributes("ManyBody")?;
        if let (Some(name), Some(g)) =
            (own.get("Units").and_then(AttrValue::as_str), own.get("G").and_then(values::number))
        {
            if !crate::snapshot::is_positive(g) {
                return Err(self.origin.field("ManyBody/G", format!("{g}: must be a number above 0")));
            }
            let si = own.get("SI").and_then(values::numbers).and_then(|si| <[f64; 3]>::try_from(si).ok());
            return Ok(Some(Units { name: name.into(), g, si }));
        }
        for group in ["Units", "Parameters", "Header"] {
            if let Some(si) = units::si_from(&self.attributes(group)?) {
                return units::from_si(si).map(Some).map_err(|problem| self.origin.field(group, problem));
            }
        }
        Ok(None)
    }

    /// The mass that the header gives every body of a type.
    pub(super) fn mass_of(&self, kind: u8) -> Result<Option<f64>> {
        let Some(table) = self.header.get("MassTable") else { return Ok(None) };
        let Some(table) = values::numbers(table) else {
            return Err(self.origin.field("Header/MassTable", format!("it is {table}; it must be six numbers")));
        };
        Ok(table.get(kind as usize).copied().filter(|mass| *mass != 0.0))
    }

    /// The record kept beside the bodies.
    pub(super) fn meta(&self) -> Result<BTreeMap<String, String>> {
        let mut meta = BTreeMap::new();
        if !self.groups.iter().any(|g| g == "ManyBody") {
            return Ok(meta);
        }
        let groups = self.group("ManyBody")?.groups().map_err(|error| self.damaged(error))?;
        if !groups.iter().any(|group| group == "Meta") {
            return Ok(meta);
        }
        let group = self.group("ManyBody/Meta")?;
        for (key, value) in group.attrs().map_err(|error| self.damaged(error))? {
            if let Some(value) = value.as_str() {
                meta.insert(key, value.to_string());
            }
        }
        for name in group.datasets().map_err(|error| self.damaged(error))? {
            let entry = self.numbers(&group, "ManyBody/Meta", &name, None)?;
            let bytes = entry.dataset.read_u8().map_err(|error| entry.unreadable(&self.origin, error))?;
            let (key, value): (String, String) = serde_json::from_slice(&bytes)
                .map_err(|error| self.origin.field(&entry.field, format!("not a pair of strings: {error}")))?;
            meta.insert(key, value);
        }
        Ok(meta)
    }

    /// The group of the bodies' places, if there is one.
    pub(super) fn order(&self) -> Result<Option<Group>> {
        if !self.groups.iter().any(|group| group == "ManyBody") {
            return Ok(None);
        }
        let groups = self.group("ManyBody")?.groups().map_err(|error| self.damaged(error))?;
        groups.iter().any(|group| group == "Order").then(|| self.group("ManyBody/Order")).transpose()
    }

    /// Checks that every chunk is there, and lies inside the file: the parser takes their sizes on trust.
    fn check_chunks(&self, field: &str, dataset: &Dataset, shape: &[u64], chunk: &[u64]) -> Result<()> {
        let damaged = |problem: String| Err(self.origin.field(field, problem));
        let chunks = dataset.chunks().map_err(|error| self.damaged(error))?;
        let inside = |address: u64, size: u64| address.checked_add(size).is_some_and(|end| end <= self.origin.len);
        if let Some(bad) = chunks.iter().find(|c| !inside(c.address, c.storage_size)) {
            return damaged(format!(
                "the chunk at {:?} lies beyond the end of the file: cut short or damaged",
                bad.offset
            ));
        }
        let wanted = shape.iter().zip(chunk).try_fold(1_u64, |product, (n, step)| {
            n.checked_add(step.saturating_sub(1))?.checked_div(*step)?.checked_mul(product)
        });
        if wanted != Some(chunks.len() as u64) {
            let wanted = wanted.map_or("too many".into(), |n| n.to_string());
            return damaged(format!("{} of {wanted} chunks are there: never written, or damaged", chunks.len()));
        }
        Ok(())
    }

    /// A dataset of numbers with `rows` rows, whose claimed size the file can hold.
    pub(super) fn numbers(&self, group: &Group, path: &str, name: &str, rows: Option<u64>) -> Result<Numbers> {
        let field = format!("{path}/{name}");
        let dataset = group.dataset(name).map_err(|error| self.damaged(error))?;
        let shape = dataset.shape().map_err(|error| self.damaged(error))?;
        let dtype = dataset.dtype().map_err(|error| self.damaged(error))?;
        let numeric = matches!(
            dtype,
            DType::F32
                | DType::F64
                | DType::I8
                | DType::I16
                | DType::I32
                | DType::I64
                | DType::U8
                | DType::U16
                | DType::U32
                | DType::U64
        );
        let (claimed, width) = match shape[..] {
            [rows] => (rows, 1),
            [rows, width] => (rows, width),
            _ => return Err(self.origin.field(field, format!("its shape is {shape:?}; must be [n] or [n, 3]"))),
        };
        if let Some(rows) = rows.filter(|rows| *rows != claimed) {
            return Err(self.origin.field(field, format!("{claimed} rows, where {path} has {rows} bodies")));
        }
        let bytes = dataset.element_size().map_err(|error| self.damaged(error))?;
        let packed = !dataset.filters().is_empty();
        let most = self.origin.len.saturating_mul(if packed { MAX_PACKED } else { 1 });
        let product = |list: &[u64]| list.iter().try_fold(bytes, |p, n| p.checked_mul(*n));
        let chunk = dataset.chunk_shape().map_err(|error| self.damaged(error))?;
        let too_big = |size: Option<u64>| size.is_none_or(|size| size > most);
        if too_big(product(&shape)) || chunk.as_ref().is_some_and(|c| too_big(product(c))) {
            let problem = format!("{claimed} rows are claimed, more than a file of {} bytes holds", self.origin.len);
            return Err(self.origin.field(field, problem));
        }
        if let Some(chunk) = &chunk {
            self.check_chunks(&field, &dataset, &shape, chunk)?;
        }
        // a chunk is unpacked whole, so a window is a whole number of chunks
        let window = match chunk.and_then(|c| c.first().copied()) {
            Some(chunk) if chunk > 0 => chunk * (WINDOW as u64 / chunk).max(1),
            _ => WINDOW as u64,
        };
        Ok(Numbers { field, dataset, rows: claimed, width: width as usize, window, numeric, dtype, packed })
    }
}

/// A dataset of numbers, of which windows can be read.
pub(super) struct Numbers {
    pub(super) field: String,
    pub(super) dataset: Dataset,
    pub(super) rows: u64,
    pub(super) width: usize,
    pub(super) window: u64,
    pub(super) numeric: bool,
    pub(super) dtype: DType,
    pub(super) packed: bool,
}

impl Numbers {
    pub(super) fn expect(&self, origin: &Origin, width: usize) -> Result<()> {
        if self.width == width && self.numeric {
            return Ok(());
        }
        let wanted = if width == 1 { "[n]".into() } else { format!("[n, {width}]") };
        let problem = format!("it holds {} of width {}; expected numbers of shape {wanted}", self.dtype, self.width);
        Err(origin.field(&self.field, problem))
    }

    /// Appends the dataset's columns to `columns`.
    pub(super) fn append(&self, origin: &Origin, columns: &mut [&mut Vec<f64>]) -> Result<()> {
        if !self.packed {
            // the size was checked against that of the file; a packed dataset grows as it is unpacked
            columns.iter_mut().for_each(|c| c.reserve_exact(self.rows as usize));
        }
        for start in (0..self.rows).step_by(self.window as usize) {
            let window = self.window.min(self.rows - start);
            let values = self.dataset.read_f64_rows(start, window).map_err(|e| self.unreadable(origin, e))?;
            if values.len() != window as usize * self.width {
                return Err(origin.field(&self.field, format!("rows from {start} on are missing")));
            }
            for row in values.chunks_exact(self.width.max(1)) {
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(*value));
            }
        }
        Ok(())
    }

    /// Appends a dataset of whole numbers, 0 or more.
    pub(super) fn append_ids(&self, origin: &Origin, ids: &mut Vec<u64>) -> Result<()> {
        let signed = match self.dtype {
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => false,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => true,
            _ => return Err(origin.field(&self.field, format!("it holds {}; expected whole numbers", self.dtype))),
        };
        for start in (0..self.rows).step_by(self.window as usize) {
            let window = self.window.min(self.rows - start);
            let unreadable = |error| self.unreadable(origin, error);
            if !signed {
                ids.extend(self.dataset.read_u64_rows(start, window).map_err(unreadable)?);
                continue;
            }
            for (row, id) in self.dataset.read_i64_rows(start, window).map_err(unreadable)?.into_iter().enumerate() {
                let id = u64::try_from(id).map_err(|_| {
                    origin.field(&self.field, format!("row {}: {id}: must be 0 or more", start + row as u64))
                })?;
                ids.push(id);
            }
        }
        Ok(())
    }

    pub(super) fn unreadable(&self, origin: &Origin, error: hdf5_pure::Error) -> Error {
        origin.field(&self.field, format!("unreadable, the file is damaged or cut short: {error}"))
    }
}

fn damaged(origin: &Origin, error: hdf5_pure::Error) -> Error {
    match error {
        hdf5_pure::Error::Io(source) => io_error(&origin.path, "read")(source),
        hdf5_pure::Error::Format(FormatError::InvalidLayoutVersion(_) | FormatError::UnsupportedVersion(_)) => {
            let problem = "damaged, or in a newer version of HDF5's file format than is read: rewrite it with \
                           h5repack, or with h5py's libver='v114'";
            origin.problem(TITLE, problem)
        }
        other => origin.problem(TITLE, format!("damaged or cut short: {other}")),
    }
}
