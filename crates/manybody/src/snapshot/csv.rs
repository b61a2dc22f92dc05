//! CSV with a header that names columns and units. What is written reads back to the same bits.
//!
//! ```text
//! # checksum xxh3-64 0123456789abcdef of the lines below; delete this line after editing them
//! # manybody snapshot 1
//! # bodies = 16384
//! # time = 0.5
//! # units = "msun-pc-kms"
//! # G = 0.004300917270036279
//! # SI = 3.0856775814913670e16 1.988409870698051e30 3.0856775814913672e13
//! # meta "integrator" = "leapfrog"
//! id,mass [Msun],x [pc],y [pc],z [pc],vx [km/s],vy [km/s],vz [km/s],eps [pc],density
//! 0,1.0,0.1,...
//! ```
//!
//! Other programs' files need a header with x, y, z, vx, vy, vz and mass (or m), in any order; id, kind, eps and
//! further columns are taken along. Units in brackets are understood where there is no comment that names a system. The
//! count, which only our own files have, shows that a file is whole; who adds or removes lines by hand removes it too.
//! Commas, semicolons and tabs separate. Lines are parsed one by one: memory is that of the bodies.

mod columns;

use super::atomic::io_error;
use super::input::{Input, Origin, Source};
use super::output::Output;
use super::text::{BUFFER, shown, write_number};
use super::verify::{self, Place};
use super::{Format, Header, Loaded, Precision, ReadOptions, Snapshot, WriteOptions};
use crate::{Bodies, Error, Result, Units};
use ::csv::{ByteRecord, ReaderBuilder, Trim};
use columns::{Layout, Role};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

const TITLE: &str = "CSV";
/// Of what is written.
const VERSION: &str = "1";

type Reader = ::csv::Reader<BufReader<Box<dyn Source>>>;

/// What stands in the comments before the header.
#[derive(Default)]
struct Preamble {
    lines: u64,
    bodies: Option<u64>,
    time: Option<f64>,
    name: Option<String>,
    g: Option<f64>,
    si: Option<[f64; 3]>,
    meta: BTreeMap<String, String>,
}

impl Preamble {
    /// Takes the comment lines off the front.
    fn take(origin: &Origin, reader: &mut impl BufRead) -> Result<Preamble> {
        let mut preamble = Preamble::default();
        let read_error = |error| io_error(&origin.path, "read")(error);
        if reader.fill_buf().map_err(read_error)?.starts_with(b"\xef\xbb\xbf") {
            reader.consume(3);
        }
        let mut line = Vec::new();
        while matches!(reader.fill_buf().map_err(read_error)?.first(), Some(b'#' | b'\n' | b'\r')) {
            line.clear();
            reader.read_until(b'\n', &mut line).map_err(read_error)?;
            preamble.lines += 1;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim().trim_start_matches('#').trim();
            preamble.understand(origin, text)?;
        }
        Ok(preamble)
    }

    /// Understands `key = value`; other comments are passed over.
    fn understand(&mut self, origin: &Origin, text: &str) -> Result<()> {
        let wrong = |problem: String| origin.field(format!("line {} '{}'", self.lines, shown(text)), problem);
        if let Some(entry) = text.strip_prefix("meta ") {
            let mut strings = serde_json::Deserializer::from_str(entry).into_iter::<String>();
            let key = strings.next().and_then(Result::ok).ok_or_else(|| wrong("expected a quoted name".into()))?;
            let value = entry[strings.byte_offset()..].trim_start().strip_prefix('=');
            let value = value.and_then(|v| serde_json::from_str(v).ok());
            let value = value.ok_or_else(|| wrong("expected = and a quoted text".into()))?;
            if self.meta.insert(key, value).is_some() {
                return Err(wrong("this name is given twice".into()));
            }
            return Ok(());
        }
        if let Some(version) = text.strip_prefix("manybody snapshot").map(str::trim).filter(|v| *v != VERSION) {
            return Err(wrong(format!(
                "version {version} is not known here, which reads {VERSION}: a newer manybody may"
            )));
        }
        let Some((key, value)) = text.split_once('=') else { return Ok(()) };
        let value = value.trim();
        let number = |text: &str| text.parse::<f64>().map_err(|_| wrong("must be a number".into()));
        match key.trim() {
            "bodies" => {
                self.bodies = Some(value.parse().map_err(|_| wrong("must be a whole number".into()))?);
            }
            "time" => self.time = Some(number(value)?),
            "G" => self.g = Some(number(value)?),
            "units" => {
                let name = serde_json::from_str(value).unwrap_or_else(|_| value.to_string());
                self.name = Some(name);
            }
            "SI" => {
                let factors: Vec<f64> = value.split_whitespace().map(number).collect::<Result<_>>()?;
                let factors: [f64; 3] =
                    factors.try_into().map_err(|_| wrong("must be metres, kilograms and seconds".into()))?;
                self.si = Some(factors);
            }
            _ => {}
        }
        Ok(())
    }

    /// The units that the comments name.
    fn units(&self, origin: &Origin) -> Result<Option<Units>> {
        if let Some(si) = self.si.filter(|si| !si.iter().all(|v| super::is_positive(*v))) {
            return Err(origin.field("SI", format!("{si:?}: must be three numbers above 0")));
        }
        if let Some(g) = self.g.filter(|g| !super::is_positive(*g)) {
            return Err(origin.field("G", format!("{g}: must be a number above 0")));
        }
        match (&self.name, self.g) {
            (None, None) => Ok(None),
            (None, Some(g)) => {
                Err(origin.field("G", format!("{g}: the units are missing: add # units = \"g1\" or another")))
            }
            (Some(name), Some(g)) => {
                let known = Units::by_name(name).ok();
                // constants of nature have been measured again and again: three digits are the same in all of them
                if let Some(known) = known.as_ref().filter(|known| (known.g / g - 1.0).abs() > 1e-3) {
                    return Err(origin.field("G", format!("{g}: it is {} in the units {name}", known.g)));
                }
                Ok(Some(Units { name: name.clone(), g, si: self.si.or(known.and_then(|known| known.si)) }))
            }
            // written by hand: the name alone
            (Some(name), None) => {
                Units::by_name(name).map(Some).map_err(|error| origin.field("units", error.to_string()))
            }
        }
    }
}

/// Reads comments and header.
fn open(input: Input, partial: bool) -> Result<(Origin, Preamble, Layout, Reader)> {
    let Input { origin, source } = input;
    let mut reader = BufReader::with_capacity(BUFFER, source);
    let preamble = Preamble::take(&origin, &mut reader)?;
    let start = reader.fill_buf().map_err(io_error(&origin.path, "read"))?;
    let line = start.split(|b| *b == b'\n').next().unwrap_or_default();
    // those in quotes belong to a name
    let plain = || line.split(|b| *b == b'"').step_by(2).flatten();
    let often = |mark: &u8| plain().filter(|b| *b == mark).count();
    let delimiter = [b'\t', b';', b','].into_iter().max_by_key(often).unwrap_or(b',');
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(reader);
    let mut names = ByteRecord::new();
    reader.read_byte_record(&mut names).map_err(|error| unreadable(&origin, &preamble, &error))?;
    let layout = Layout::new(&origin, &names, partial)?;
    Ok((origin, preamble, layout, reader))
}

fn unreadable(origin: &Origin, preamble: &Preamble, error: &::csv::Error) -> crate::Error {
    let line = error.position().map_or(0, ::csv::Position::line) + preamble.lines;
    match error.kind() {
        ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            origin.problem(TITLE, format!("line {line} has {len} columns, where the header has {expected_len}"))
        }
        _ => origin.problem(TITLE, format!("line {line}: {error}")),
    }
}

/// Reads what the file says of itself; its bodies are not counted.
pub(crate) fn header(input: Input) -> Result<Header> {
    let (origin, preamble, layout, _) = open(input, false)?;
    let mut header = Header::new(Format::Csv);
    header.time = preamble.time;
    header.units = match preamble.units(&origin)? {
        Some(units) => Some(units),
        None => layout.units(&origin)?,
    };
    header.fields = layout.names;
    header.variant = format!("{} columns", header.fields.len());
    Ok(header)
}

/// Reads a snapshot.
pub(crate) fn read(mut input: Input, options: &ReadOptions) -> Result<Loaded> {
    let last_line_is_whole = ends_with_line_break(&mut input)?;
    let (origin, preamble, layout, mut reader) = open(input, options.partial)?;
    let mut table = layout.table(options.unchecked);
    let used = layout.used(options);
    let mut record = ByteRecord::new();
    // a body's line is its index plus the first one's, unless comments or empty lines stand between
    let mut first = 0;
    let mut lines: Vec<u64> = Vec::new();
    let mut rows = 0_u64;
    while reader.read_byte_record(&mut record).map_err(|error| unreadable(&origin, &preamble, &error))? {
        // where the record's text begins may be an empty line or a comment before it
        let begin = record.position().map_or(0, ::csv::Position::line);
        let line = begin.max(reader.position().line() - 1) + preamble.lines;
        if rows == 0 {
            first = line;
        } else if lines.is_empty() && line != first + rows {
            lines = (first..first + rows).collect();
        }
        if !lines.is_empty() {
            lines.push(line);
        }
        for ((column, field), used) in layout.columns.iter().zip(&record).zip(&used) {
            if !used {
                table.skip(column.role);
                continue;
            }
            table.push(column.role, field).map_err(|wanted| {
                let field = String::from_utf8_lossy(field);
                origin.field(&column.name, format!("line {line}: '{}': {wanted}", shown(&field)))
            })?;
        }
        rows += 1;
    }
    if let Some(count) = preamble.bodies.filter(|count| *count != rows || !last_line_is_whole) {
        let cut = if rows == count { ", the last one without its line break" } else { "" };
        let problem = format!("{count} bodies, but {rows} lines follow{cut}: it is cut short, or was edited by hand");
        return Err(origin.field("bodies", problem));
    }
    let mut bodies = table.bodies(&layout, rows as usize);
    let mut notes = Vec::new();
    if !layout.has(Role::Id) {
        notes.push("the file has no column id: bodies are numbered from 0".into());
    }
    let time = preamble.time.unwrap_or_else(|| {
        notes.push("the file has no time: taken as 0".into());
        0.0
    });
    verify::forget_unused(&mut bodies, options);
    if !options.unchecked {
        let line = |i: usize| lines.get(i).copied().unwrap_or(first + i as u64);
        let name = |column: &str| layout.name_of(column);
        verify::time_read(&origin, "time", time)?;
        verify::bodies(&origin, &bodies, |column, i| Place { field: name(column), row: format!("line {}", line(i)) })?;
    }
    let named = match preamble.units(&origin)? {
        Some(units) => Some(units),
        None => layout.settle_units(&origin, &mut bodies)?,
    };
    let units = named.clone().unwrap_or_default();
    verify::settle_ids(&mut bodies, &mut notes);
    let mut header = Header::new(Format::Csv);
    header.count = Some(rows);
    match &bodies.kind {
        None => header.kinds[1] = rows,
        Some(kinds) => kinds.iter().for_each(|kind| header.kinds[*kind as usize] += 1),
    }
    header.time = preamble.time;
    header.units = named;
    header.fields = layout.names;
    header.variant = format!("{} columns", header.fields.len());
    header.missing = layout.missing;
    Ok(Loaded { snapshot: Snapshot { bodies, time, units, meta: preamble.meta }, header, notes })
}

fn ends_with_line_break(input: &mut Input) -> Result<bool> {
    let Some(last) = input.origin.len.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    input.seek(last)?;
    input.fill(&mut byte)?;
    input.seek(0)?;
    Ok(byte == *b"\n")
}

/// Writes a snapshot. Nothing is lost in double precision; the notes speak of single precision.
pub(crate) fn write(
    file: &mut dyn Output,
    path: &Path,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    if options.precision == Precision::F32 {
        notes.extend(verify::narrow(&snapshot.bodies)?);
    }
    for (name, column) in &snapshot.bodies.extra {
        if let Some(i) = column.iter().position(|q| q.is_infinite()) {
            let value = format!("extra column {name} of body {i} is {}", column[i]);
            let expected = "must be finite, or NaN, which is written as an empty field".into();
            return Err(Error::Parameter { name: "bodies", value, expected });
        }
    }
    let mut writer = BufWriter::with_capacity(BUFFER, file);
    write_preamble(&mut writer, snapshot)
        .and_then(|()| write_rows(&mut writer, snapshot, options.precision))
        .and_then(|()| writer.flush())
        .map_err(io_error(path, "write"))?;
    Ok(notes)
}

fn write_preamble(writer: &mut impl Write, snapshot: &Snapshot) -> std::io::Result<()> {
    let exact = |value: f64| zmij::Buffer::new().format(value).to_string();
    writeln!(writer, "# manybody snapshot {VERSION}")?;
    writeln!(writer, "# bodies = {}", snapshot.bodies.len())?;
    writeln!(writer, "# time = {}", exact(snapshot.time))?;
    writeln!(writer, "# units = {}", quoted(&snapshot.units.name))?;
    writeln!(writer, "# G = {}", exact(snapshot.units.g))?;
    if let Some(si) = snapshot.units.si {
        writeln!(writer, "# SI = {}", si.map(exact).join(" "))?;
    }
    for (key, value) in &snapshot.meta {
        writeln!(writer, "# meta {} = {}", quoted(key), quoted(value))?;
    }
    Ok(())
}

/// A string in quotes, on one line.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write_rows(writer: &mut impl Write, snapshot: &Snapshot, precision: Precision) -> std::io::Result<()> {
    let Bodies { x, y, z, vx, vy, vz, mass, id, eps, kind, extra } = &snapshot.bodies;
    let label = |name: &str| columns::labelled(name, &snapshot.units);
    let mut names = vec!["id".to_string()];
    names.extend(kind.iter().map(|_| "kind".into()));
    names.extend(["mass", "x", "y", "z", "vx", "vy", "vz"].map(label));
    names.extend(eps.iter().map(|_| label("eps")));
    names.extend(extra.keys().map(|name| columns::extra_label(name, &snapshot.units)));
    let mut header = ::csv::WriterBuilder::new().from_writer(&mut *writer);
    header.write_record(&names).map_err(std::io::Error::other)?;
    header.flush()?;
    drop(header);

    let plain = [mass, x, y, z, vx, vy, vz].into_iter().chain(eps).map(|column| (column, false));
    let extra = extra.iter().map(|(name, column)| (column, super::is_label(name, column)));
    let columns: Vec<(&Vec<f64>, bool)> = plain.chain(extra).collect();
    // NaN, which only an extra column may have, says that there is nothing, and nothing is written
    for i in 0..id.len() {
        write!(writer, "{}", id[i])?;
        if let Some(kind) = kind {
            write!(writer, ",{}", kind[i])?;
        }
        for (column, label) in &columns {
            writer.write_all(b",")?;
            if *label {
                write!(writer, "{}", column[i] as i32)?;
            } else if !column[i].is_nan() {
                write_number(writer, column[i], precision)?;
            }
        }
        writer.write_all(b"\n")?;
    }
    Ok(())
}
