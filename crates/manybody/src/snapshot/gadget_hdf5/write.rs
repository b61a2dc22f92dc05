//! The writer: lay the file out, then fill it.

use super::{NAMES, OWN, SOFTENING, TITLE, WINDOW, dataset_name, units, vector_columns, vector_of};
use crate::snapshot::atomic::io_error;
use crate::snapshot::output::Output;
use crate::snapshot::{Precision, Snapshot, WriteOptions, is_label, verify};
use crate::units::Dimension;
use crate::{Bodies, Error, Result};
use hdf5_pure::{AttrValue, FileBuilder, FormatError, GroupBuilder, Layout, LibVer, ReadSeekSource};
use std::collections::BTreeSet;
use std::io::{SeekFrom, Write};
use std::path::Path;

/// Texts from this length on are stored as strings of variable length, each of which takes 4 KiB or more.
const SHORT: usize = 4096;

/// Writes a snapshot. Nothing is lost in double precision; the notes speak of single precision.
pub(crate) fn write(
    file: &mut dyn Output,
    path: &Path,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let narrow = options.precision == Precision::F32;
    let mut notes = Vec::new();
    if narrow {
        notes.extend(verify::narrow(&snapshot.bodies)?);
    }
    let plan = Plan::new(snapshot, narrow);
    let skeleton = plan.skeleton(snapshot);
    let mut sink = SparseWriter { file, position: 0 };
    skeleton.finish_to(&mut sink).map_err(|error| hdf5_error(path, error))?;
    let end = sink.position;
    file.set_len(end).map_err(io_error(path, "write"))?;
    plan.fill(file, path, &snapshot.bodies)?;
    Ok(notes)
}

/// One dataset of numbers.
struct Column<'a> {
    kind: u8,
    group: String,
    name: String,
    /// The column's own name, kept as an attribute where the dataset has another name.
    own_name: Option<String>,
    rows: u64,
    source: Source<'a>,
    dimension: Option<Dimension>,
}

/// Where a dataset's numbers come from.
enum Source<'a> {
    Real(Vec<&'a [f64]>),
    /// Whole numbers, which analysis packages take for labels.
    Whole(&'a [f64]),
    Id(&'a [u64]),
    /// The bodies' own indices.
    Index,
}

impl Source<'_> {
    fn width(&self) -> usize {
        match self {
            Source::Real(columns) => columns.len(),
            Source::Whole(_) | Source::Id(_) | Source::Index => 1,
        }
    }
}

struct Plan<'a> {
    counts: [u64; 6],
    columns: Vec<Column<'a>>,
    narrow: bool,
}

/// The type of body i; everything is a halo particle where no types are given, as N-body initial conditions do it.
fn kind_of(bodies: &Bodies, i: usize) -> u8 {
    bodies.kind.as_ref().map_or(1, |kinds| kinds[i])
}

impl<'a> Plan<'a> {
    fn new(snapshot: &'a Snapshot, narrow: bool) -> Self {
        let bodies = &snapshot.bodies;
        let mut counts = [0_u64; 6];
        match &bodies.kind {
            None => counts[1] = bodies.len() as u64,
            Some(kinds) => kinds.iter().for_each(|kind| counts[*kind as usize] += 1),
        }
        let sorted = bodies.kind.as_ref().is_none_or(|kinds| kinds.is_sorted());
        let mut plan = Plan { counts, columns: Vec::new(), narrow };
        for kind in 0..6_u8 {
            // a file without bodies still shows where they would be
            if counts[kind as usize] > 0 || (kind == 1 && bodies.is_empty()) {
                plan.add_kind(bodies, kind, sorted);
            }
        }
        plan
    }

    fn add_kind(&mut self, bodies: &'a Bodies, kind: u8, sorted: bool) {
        let group = format!("PartType{kind}");
        let rows = self.counts[kind as usize];
        let mut add = |name: &str, own_name: Option<String>, source, dimension| {
            let (group, name) = (group.clone(), name.to_string());
            self.columns.push(Column { kind, group, name, own_name, rows, source, dimension });
        };
        let position = Source::Real(vec![&bodies.x, &bodies.y, &bodies.z]);
        let velocity = Source::Real(vec![&bodies.vx, &bodies.vy, &bodies.vz]);
        add("Coordinates", None, position, Some(Dimension::LENGTH));
        add("Velocities", None, velocity, Some(Dimension::VELOCITY));
        add("Masses", None, Source::Real(vec![&bodies.mass]), Some(Dimension::MASS));
        add("ParticleIDs", None, Source::Id(&bodies.id), Some(Dimension::NUMBER));
        if let Some(eps) = &bodies.eps {
            add(SOFTENING, None, Source::Real(vec![eps]), Some(Dimension::LENGTH));
        }
        let mut taken: BTreeSet<String> = OWN.iter().map(|n| n.to_string()).collect();
        for (name, source) in extras(bodies) {
            if !given(&source, bodies, kind) {
                continue;
            }
            let mut dataset = dataset_name(name).to_string();
            let plain = !dataset.is_empty() && dataset != "." && !dataset.contains(['/', '\0']);
            let reversible = plain && (dataset != name || NAMES.iter().all(|(theirs, _)| *theirs != name));
            if !plain || !taken.insert(dataset.clone()) {
                dataset = (0..).map(|k| format!("Extra{k}")).find(|d| taken.insert(d.clone())).unwrap_or_default();
            }
            let own_name = (!reversible || dataset != dataset_name(name)).then(|| name.to_string());
            let dimension = match source {
                Source::Whole(_) => Some(Dimension::NUMBER),
                _ => Dimension::of_column(name),
            };
            add(&dataset, own_name, source, dimension);
        }
        if !sorted {
            let (group, name) = ("ManyBody/Order".to_string(), format!("PartType{kind}"));
            let column = Column { kind, group, name, own_name: None, rows, source: Source::Index, dimension: None };
            self.columns.push(column);
        }
    }

    /// The whole file with zeros for data.
    fn skeleton(&self, snapshot: &Snapshot) -> FileBuilder {
        let mut file = FileBuilder::new();
        // the 1.8 format: readable by every HDF5 in use, and fixed contiguous data needs nothing newer
        file.with_libver_bounds(LibVer::Earliest, LibVer::V18);
        let mut header = file.create_group("Header");
        self.write_header(&mut header, snapshot);
        file.add_group(header.finish());
        let si = units::shown(&snapshot.units);
        let mut group = file.create_group("Units");
        units::write(&mut group, si);
        file.add_group(group.finish());
        let has = |name: &str| self.columns.iter().any(|c| c.group == "PartType0" && c.name == name);
        if !has("Coordinates") || has("Density") {
            let mut config = file.create_group("Config");
            config.set_attr("AMR", AttrValue::AsciiString("yt takes the units of a file with this entry".into()));
            file.add_group(config.finish());
        }
        for group_name in (0..6).map(|k| format!("PartType{k}")) {
            if self.columns.iter().any(|c| c.group == group_name) {
                let mut group = file.create_group(&group_name);
                self.write_group(&mut group, &group_name, Some(si));
                file.add_group(group.finish());
            }
        }
        let mut own = file.create_group("ManyBody");
        self.write_own(&mut own, snapshot);
        file.add_group(own.finish());
        file
    }

    fn write_header(&self, header: &mut GroupBuilder, snapshot: &Snapshot) {
        let low = self.counts.map(|n| n as u32).to_vec();
        let high = self.counts.map(|n| (n >> 32) as u32).to_vec();
        let fits = self.counts.iter().all(|n| *n <= u32::MAX.into());
        let here = if fits { AttrValue::U32Array(low.clone()) } else { AttrValue::U64Array(self.counts.to_vec()) };
        header.set_attr("NumPart_ThisFile", here);
        header.set_attr("NumPart_Total", AttrValue::U32Array(low));
        header.set_attr("NumPart_Total_HighWord", AttrValue::U32Array(high));
        header.set_attr("MassTable", AttrValue::F64Array(vec![0.0; 6]));
        header.set_attr("Time", AttrValue::F64(snapshot.time));
        header.set_attr("NumFilesPerSnapshot", AttrValue::I32(1));
        header.set_attr("Flag_DoublePrecision", AttrValue::I32(i32::from(!self.narrow)));
        for name in ["Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback", "Flag_IC_Info"] {
            header.set_attr(name, AttrValue::I32(0));
        }
        // the values that mean no box and no expansion in Gadget's format
        for (name, value) in
            [("BoxSize", 0.0), ("Redshift", 0.0), ("Omega0", 0.0), ("OmegaLambda", 0.0), ("HubbleParam", 1.0)]
        {
            header.set_attr(name, AttrValue::F64(value));
        }
        let [_, _, second] = units::shown(&snapshot.units);
        header.set_attr("Time_GYR", AttrValue::F64(snapshot.time * second / units::GYR));
    }

    fn write_group(&self, group: &mut GroupBuilder, name: &str, si: Option<[f64; 3]>) {
        for column in self.columns.iter().filter(|c| c.group == name) {
            let (datatype, bytes) = match column.source {
                Source::Real(_) if self.narrow => (hdf5_pure::make_f32_type(), 4),
                Source::Real(_) => (hdf5_pure::make_f64_type(), 8),
                Source::Whole(_) => (hdf5_pure::make_i32_type(), 4),
                Source::Id(_) | Source::Index => (hdf5_pure::make_u64_type(), 8),
            };
            let width = column.source.width() as u64;
            let shape: &[u64] = if width == 1 { &[column.rows] } else { &[column.rows, width] };
            let dataset = group.create_dataset(&column.name);
            // calloc gives untouched pages: address space, not memory
            let zeros = vec![0_u8; (column.rows * width * bytes) as usize];
            dataset.with_raw_data(datatype, zeros, column.rows * width).with_shape(shape);
            if let Some(name) = &column.own_name {
                dataset.set_attr("Name", AttrValue::VarLenString(name.clone()));
            }
            if let (Some(dimension), Some(si)) = (column.dimension, si) {
                units::describe(dataset, dimension, si);
            }
        }
    }

    fn write_own(&self, own: &mut GroupBuilder, snapshot: &Snapshot) {
        own.set_attr("Version", AttrValue::I32(1));
        own.set_attr("Units", AttrValue::VarLenString(snapshot.units.name.clone()));
        own.set_attr("G", AttrValue::F64(snapshot.units.g));
        own.set_attr("KindsGiven", AttrValue::I32(snapshot.bodies.kind.is_some().into()));
        if let Some(si) = snapshot.units.si {
            own.set_attr("SI", AttrValue::F64Array(si.to_vec()));
        }
        if self.columns.iter().any(|c| c.group == "ManyBody/Order") {
            let mut order = own.create_group("Order");
            self.write_group(&mut order, "ManyBody/Order", None);
            own.add_group(order.finish());
        }
        let mut meta = own.create_group("Meta");
        for (k, (key, value)) in snapshot.meta.iter().enumerate() {
            // an attribute cannot hold NUL, nor its header more than 64 KiB: such an entry becomes a dataset of bytes
            let fits = !key.is_empty() && !key.contains('\0') && key.len() < 1024;
            if fits && !value.contains('\0') && value.len() < SHORT {
                meta.set_attr(key, AttrValue::String(value.clone()));
            } else if fits && !value.contains('\0') && value.len() < 60_000 {
                meta.set_attr(key, AttrValue::VarLenString(value.clone()));
            } else {
                let entry = serde_json::json!([key, value]).to_string().into_bytes();
                meta.create_dataset(&format!("{k}")).with_u8_data(&entry);
            }
        }
        own.add_group(meta.finish());
    }

    /// Writes the numbers into the places the skeleton left for them.
    fn fill(&self, file: &mut dyn Output, path: &Path, bodies: &Bodies) -> Result<()> {
        let view = file.view().map_err(io_error(path, "write"))?;
        let source = ReadSeekSource::new(view).map_err(|error| hdf5_error(path, error.into()))?;
        let laid_out = hdf5_pure::File::from_source(source).map_err(|error| hdf5_error(path, error))?;
        let mut places = Vec::new();
        for column in self.columns.iter().filter(|c| c.rows > 0) {
            let name = format!("{}/{}", column.group, column.name);
            let layout = laid_out.dataset(&name).and_then(|d| d.layout()).map_err(|e| hdf5_error(path, e))?;
            let Layout::Contiguous { address: Some(address), .. } = layout else {
                let problem = format!("{name} was not laid out as one piece, which a dataset of fixed size must be");
                return Err(Error::Format { path: path.into(), format: TITLE, problem });
            };
            places.push((address, column));
        }
        // from the front to the end, as an output may need it
        places.sort_by_key(|(address, _)| *address);
        file.begin_content().map_err(io_error(path, "write"))?;
        let mut buffer = Vec::with_capacity(WINDOW * 24);
        for (address, column) in places {
            file.seek(SeekFrom::Start(address)).map_err(io_error(path, "write"))?;
            self.fill_column(file, column, bodies, &mut buffer).map_err(io_error(path, "write"))?;
        }
        Ok(())
    }

    fn fill_column(
        &self,
        file: &mut dyn Output,
        column: &Column,
        bodies: &Bodies,
        buffer: &mut Vec<u8>,
    ) -> std::io::Result<()> {
        let all = self.counts[column.kind as usize] as usize == bodies.len();
        for start in (0..bodies.len()).step_by(WINDOW) {
            buffer.clear();
            let rows = start..bodies.len().min(start + WINDOW);
            for i in rows.filter(|i| all || kind_of(bodies, *i) == column.kind) {
                match &column.source {
                    Source::Real(columns) if self.narrow => {
                        columns.iter().for_each(|c| buffer.extend_from_slice(&(c[i] as f32).to_le_bytes()));
                    }
                    Source::Real(columns) => {
                        columns.iter().for_each(|c| buffer.extend_from_slice(&c[i].to_le_bytes()));
                    }
                    Source::Whole(labels) => buffer.extend_from_slice(&(labels[i] as i32).to_le_bytes()),
                    Source::Id(ids) => buffer.extend_from_slice(&ids[i].to_le_bytes()),
                    Source::Index => buffer.extend_from_slice(&(i as u64).to_le_bytes()),
                }
            }
            file.write_all(buffer)?;
        }
        Ok(())
    }
}

/// The extra columns, `q_x`, `q_y`, `q_z` joined to a vector q.
fn extras(bodies: &Bodies) -> Vec<(&str, Source<'_>)> {
    let mut columns = Vec::new();
    for (name, column) in &bodies.extra {
        let vector = vector_of(name).map(|stem| (stem, vector_columns(stem)));
        let whole = vector.and_then(|(stem, names)| {
            let found: Option<Vec<&[f64]>> = names.iter().map(|n| bodies.extra.get(n).map(Vec::as_slice)).collect();
            found.map(|columns| (stem, names[0] == *name, columns))
        });
        match whole {
            Some((stem, true, vector)) => columns.push((stem, Source::Real(vector))),
            Some(_) => {} // came with its x
            None if is_label(name, column) => columns.push((name.as_str(), Source::Whole(column))),
            None => columns.push((name.as_str(), Source::Real(vec![column]))),
        }
    }
    columns
}

/// True unless every body of the kind has NaN there, which stands for "not given".
fn given(source: &Source, bodies: &Bodies, kind: u8) -> bool {
    let Source::Real(columns) = source else { return true };
    bodies.is_empty() || (0..bodies.len()).any(|i| kind_of(bodies, i) == kind && columns.iter().any(|c| !c[i].is_nan()))
}

fn hdf5_error(path: &Path, error: hdf5_pure::Error) -> Error {
    match error {
        hdf5_pure::Error::Io(source) => io_error(path, "write")(source),
        // what the disk refuses when the file is read while it is filled
        hdf5_pure::Error::Format(FormatError::Source(cause)) => io_error(path, "write")(std::io::Error::other(cause)),
        other => Error::Format { path: path.into(), format: TITLE, problem: format!("cannot be written: {other}") },
    }
}

/// Writes to a file, but skips over long runs of zeros, which are read back as zeros from the hole.
struct SparseWriter<'a> {
    file: &'a mut dyn Output,
    position: u64,
}

impl Write for SparseWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        const LONG: usize = 1 << 16;
        let done = if bytes.len() >= LONG && bytes.iter().all(|b| *b == 0) {
            self.file.seek(SeekFrom::Current(bytes.len() as i64))?;
            bytes.len()
        } else {
            self.file.write(bytes)?
        };
        self.position += done as u64;
        Ok(done)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
