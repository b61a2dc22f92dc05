//! Plain text: seven bare columns. The file does not state their order, so the caller must.
//!
//! Read: white space, commas or semicolons between numbers, `#` before comments, Fortran's `1.0D-3`. Written: one
//! space, and no comment but the first line, the checksum, which can be left out: some of the programs that want this
//! format want nothing else in it.

use super::atomic::io_error;
use super::input::Input;
use super::output::Output;
use super::verify::{self, Place};
use super::{ColumnOrder, Format, Header, Loaded, Precision, ReadOptions, Snapshot, WriteOptions};
use crate::{Bodies, Error, Result};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

const TITLE: &str = "plain text";

/// Bytes of buffer in either direction.
pub(super) const BUFFER: usize = 1 << 20;

fn order(given: Option<ColumnOrder>) -> Result<ColumnOrder> {
    given.ok_or_else(|| Error::Parameter {
        name: "columns",
        value: "not given".into(),
        expected: "plain text does not state its order of columns: mass-first (m x y z vx vy vz) or mass-last \
                   (x y z vx vy vz m)"
            .into(),
    })
}

/// Reads a snapshot.
pub(crate) fn read(input: Input, options: &ReadOptions) -> Result<Loaded> {
    let order = order(options.columns)?;
    let Input { origin, source } = input;
    if origin.len == 0 {
        return Err(origin.problem(TITLE, "the file is empty"));
    }
    let mut reader = BufReader::with_capacity(BUFFER, source);
    let mut bodies = Bodies::default();
    let mut lines: Vec<u64> = Vec::new(); // where a body's line is not its index plus the first one's
    let (mut line, mut number, mut first, mut whole) = (Vec::new(), 0_u64, 0_u64, true);
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(io_error(&origin.path, "read"))? == 0 {
            break;
        }
        number += 1;
        whole = line.ends_with(b"\n");
        let text = std::str::from_utf8(&line)
            .map_err(|_| origin.problem(TITLE, format!("line {number} is not text")))?
            .trim_start_matches('\u{feff}');
        let text = text.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let row = seven(text).map_err(|problem| origin.problem(TITLE, format!("line {number}: {problem}")))?;
        let (mass, [x, y, z, vx, vy, vz]) = match (order, row) {
            (ColumnOrder::MassFirst, [m, x, y, z, vx, vy, vz]) => (m, [x, y, z, vx, vy, vz]),
            (ColumnOrder::MassLast, [x, y, z, vx, vy, vz, m]) => (m, [x, y, z, vx, vy, vz]),
        };
        if bodies.is_empty() {
            first = number;
        } else if lines.is_empty() && number != first + bodies.len() as u64 {
            lines = (first..first + bodies.len() as u64).collect();
        }
        if !lines.is_empty() {
            lines.push(number);
        }
        bodies.push(mass, [x, y, z], [vx, vy, vz]);
    }
    verify::forget_unused(&mut bodies, options);
    if !options.unchecked {
        let line = |i: usize| lines.get(i).copied().unwrap_or(first + i as u64);
        let place = |field: &str, i| Place { field: field.into(), row: format!("line {}", line(i)) };
        verify::bodies(&origin, &bodies, place)?;
    }
    let mut header = Header::new(Format::Text);
    header.variant = order.name().into();
    header.count = Some(bodies.len() as u64);
    header.kinds[1] = bodies.len() as u64;
    header.fields = ["m", "x", "y", "z", "vx", "vy", "vz"].map(String::from).to_vec();
    let mut notes = vec!["plain text has no time: taken as 0".into()];
    if !whole {
        notes
            .push(format!("line {number}, the last, has no line break: if the file was cut there, digits are missing"));
    }
    let snapshot = Snapshot { bodies, time: 0.0, ..Snapshot::default() };
    Ok(Loaded { snapshot, header, notes })
}

/// The seven numbers of a line.
fn seven(text: &str) -> Result<[f64; 7], String> {
    let mut row = [0.0; 7];
    let mut count = 0;
    for word in text.split(|c: char| c.is_ascii_whitespace() || c == ',' || c == ';').filter(|w| !w.is_empty()) {
        let value = number(word).ok_or_else(|| format!("column {}: '{}' is not a number", count + 1, shown(word)))?;
        if let Some(place) = row.get_mut(count) {
            *place = value;
        }
        count += 1;
    }
    if count == 7 { Ok(row) } else { Err(format!("{count} columns, must be 7")) }
}

/// A number as programs print it, Fortran's exponent D included.
pub(super) fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| {
        let marked = word.bytes().position(|b| matches!(b, b'd' | b'D'))?;
        let digits = word.bytes().next()?.is_ascii_digit() || word.starts_with(['-', '+', '.']);
        (digits && marked > 0).then(|| word.replace(['d', 'D'], "e").parse().ok())?
    })
}

/// At most 40 characters of what stood in a file, for an error.
pub(crate) fn shown(word: &str) -> String {
    let mut shown: String = word.chars().take(40).collect();
    if shown.len() < word.len() {
        shown.push_str("...");
    }
    shown
}

/// Writes a number in the fewest digits that read back to the same bits.
pub(super) fn write_number(writer: &mut impl Write, value: f64, precision: Precision) -> std::io::Result<()> {
    let mut buffer = zmij::Buffer::new();
    let digits = match precision {
        Precision::F64 => buffer.format(value),
        Precision::F32 => buffer.format(value as f32),
    };
    writer.write_all(digits.as_bytes())
}

/// Writes a snapshot; the notes say what plain text does not hold.
pub(crate) fn write(
    file: &mut dyn Output,
    path: &Path,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let order = order(options.columns)?;
    let bodies = &snapshot.bodies;
    let mut notes = Vec::new();
    if options.precision == Precision::F32 {
        notes.extend(verify::narrow(bodies)?);
    }
    let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
    let columns = match order {
        ColumnOrder::MassFirst => [mass, x, y, z, vx, vy, vz],
        ColumnOrder::MassLast => [x, y, z, vx, vy, vz, mass],
    };
    let mut writer = BufWriter::with_capacity(BUFFER, file);
    let mut rows = || -> std::io::Result<()> {
        for i in 0..bodies.len() {
            for (k, column) in columns.iter().enumerate() {
                if k > 0 {
                    writer.write_all(b" ")?;
                }
                write_number(&mut writer, column[i], options.precision)?;
            }
            writer.write_all(b"\n")?;
        }
        writer.flush()
    };
    rows().map_err(io_error(path, "write"))?;
    notes.extend(lost(snapshot));
    Ok(notes)
}

/// What only the bare columns keep.
fn lost(snapshot: &Snapshot) -> Option<String> {
    let Bodies { eps, kind, extra, id, .. } = &snapshot.bodies;
    let mut lost = Vec::new();
    let mut unless = |kept: bool, what: &str| {
        if !kept {
            lost.push(what.to_string());
        }
    };
    unless(snapshot.time == 0.0, "time");
    unless(snapshot.units.are_plain(), "units");
    unless(id.iter().enumerate().all(|(i, id)| *id == i as u64), "ids");
    unless(eps.is_none(), "softening lengths");
    unless(kind.is_none(), "types");
    unless(extra.is_empty(), "extra columns");
    unless(snapshot.meta.is_empty(), "the record of the run");
    unless(!snapshot.is_of_the_spline(), "that softenings are of the spline (--softening spline says it)");
    (!lost.is_empty()).then(|| format!("plain text does not hold {}", lost.join(", ")))
}
