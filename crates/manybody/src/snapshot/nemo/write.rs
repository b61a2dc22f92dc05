//! The writer: little-endian, as NEMO itself writes on today's machines.

use super::items::{PLURAL, SINGLE};
use super::{CARTESIAN, NAMES};
use crate::snapshot::atomic::io_error;
use crate::snapshot::output::Output;
use crate::snapshot::text::BUFFER;
use crate::snapshot::{Precision, Snapshot, WriteOptions, verify};
use crate::{Bodies, Error, Result};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a snapshot. Nothing is lost in double precision; the notes speak of single precision.
pub(crate) fn write(
    file: &mut dyn Output,
    path: &Path,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let bodies = &snapshot.bodies;
    if i32::try_from(bodies.len()).is_err() {
        let expected = format!("NEMO counts to {}", i32::MAX);
        return Err(Error::Parameter { name: "n", value: bodies.len().to_string(), expected });
    }
    let narrow = options.precision == Precision::F32;
    let notes = if narrow { verify::narrow(bodies)?.into_iter().collect() } else { Vec::new() };
    let mut items = Items { writer: BufWriter::with_capacity(BUFFER, file), narrow };
    items.snapshot(snapshot).and_then(|()| items.writer.flush()).map_err(io_error(path, "write"))?;
    Ok(notes)
}

/// Writes items.
struct Items<W: Write> {
    writer: W,
    narrow: bool,
}

impl<W: Write> Items<W> {
    fn snapshot(&mut self, snapshot: &Snapshot) -> std::io::Result<()> {
        let bodies = &snapshot.bodies;
        self.set("SnapShot")?;
        self.set("Parameters")?;
        self.int("Nobj", bodies.len() as i64)?;
        self.head(b'd', "Time", &[])?;
        self.writer.write_all(&snapshot.time.to_le_bytes())?;
        self.tes()?;
        self.set("Particles")?;
        self.int("CoordSystem", CARTESIAN)?;
        let extra = self.particles(bodies)?;
        self.tes()?;
        self.set("Manybody")?;
        self.own(snapshot, &extra)?;
        self.tes()?;
        self.tes()
    }

    /// What NEMO's programs know; returns the extra columns they do not.
    fn particles<'a>(&mut self, bodies: &'a Bodies) -> std::io::Result<Vec<&'a str>> {
        let Bodies { x, y, z, vx, vy, vz, mass, id, eps, extra, .. } = bodies;
        let n = bodies.len();
        // a dimension of 0 ends a list of dimensions, so that an array of 0 elements cannot be written
        if n == 0 {
            return Ok(extra.keys().map(String::as_str).collect());
        }
        self.columns("Mass", &[n], &[mass])?;
        self.columns("PhaseSpace", &[n, 2, 3], &[x, y, z, vx, vy, vz])?;
        if let Some(eps) = eps {
            self.columns("Eps", &[n], &[eps])?;
        }
        if id.iter().all(|id| i32::try_from(*id).is_ok()) {
            self.head(b'i', "Key", &[n])?;
            id.iter().try_for_each(|id| self.writer.write_all(&(*id as i32).to_le_bytes()))?;
        }
        let mut known = Vec::new();
        for (tag, name) in NAMES {
            if let Some(column) = extra.get(name) {
                self.columns(tag, &[n], &[column])?;
                known.push(name);
            }
        }
        let axes = ["ax", "ay", "az"];
        if let [Some(ax), Some(ay), Some(az)] = axes.map(|name| extra.get(name)) {
            self.columns("Acceleration", &[n, 3], &[ax, ay, az])?;
            known.extend(axes);
        }
        Ok(extra.keys().map(String::as_str).filter(|name| !known.contains(name)).collect())
    }

    /// What only our own reader knows.
    fn own(&mut self, snapshot: &Snapshot, extra: &[&str]) -> std::io::Result<()> {
        let Bodies { id, kind, extra: columns, .. } = &snapshot.bodies;
        let n = id.len();
        let text = record(snapshot, extra);
        self.head(b'c', "Record", &[text.len() + 1])?;
        self.writer.write_all(text.as_bytes())?;
        self.writer.write_all(&[0])?;
        if n == 0 {
            return Ok(());
        }
        if id.iter().any(|id| i32::try_from(*id).is_err()) {
            self.head(b'l', "Id", &[n])?;
            id.iter().try_for_each(|id| self.writer.write_all(&id.to_le_bytes()))?;
        }
        if let Some(kind) = kind {
            self.head(b'b', "Kind", &[n])?;
            self.writer.write_all(kind)?;
        }
        if !extra.is_empty() {
            self.real_head("Extra", &[extra.len(), n])?;
            for name in extra {
                self.numbers(&[&columns[*name]])?;
            }
        }
        Ok(())
    }

    fn columns(&mut self, tag: &str, dimensions: &[usize], columns: &[&[f64]]) -> std::io::Result<()> {
        self.real_head(tag, dimensions)?;
        self.numbers(columns)
    }

    fn real_head(&mut self, tag: &str, dimensions: &[usize]) -> std::io::Result<()> {
        self.head(if self.narrow { b'f' } else { b'd' }, tag, dimensions)
    }

    fn numbers(&mut self, columns: &[&[f64]]) -> std::io::Result<()> {
        for i in 0..columns[0].len() {
            for column in columns {
                if self.narrow {
                    self.writer.write_all(&(column[i] as f32).to_le_bytes())?;
                } else {
                    self.writer.write_all(&column[i].to_le_bytes())?;
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, tag: &str) -> std::io::Result<()> {
        self.head(b'(', tag, &[])
    }

    fn tes(&mut self) -> std::io::Result<()> {
        self.writer.write_all(&SINGLE.to_le_bytes())?;
        self.writer.write_all(b")\0")
    }

    fn int(&mut self, tag: &str, value: i64) -> std::io::Result<()> {
        self.head(b'i', tag, &[])?;
        self.writer.write_all(&(value as i32).to_le_bytes())
    }

    fn head(&mut self, kind: u8, tag: &str, dimensions: &[usize]) -> std::io::Result<()> {
        let magic = if dimensions.is_empty() { SINGLE } else { PLURAL };
        self.writer.write_all(&magic.to_le_bytes())?;
        self.writer.write_all(&[kind, 0])?;
        self.writer.write_all(tag.as_bytes())?;
        self.writer.write_all(&[0])?;
        if !dimensions.is_empty() {
            for n in dimensions.iter().chain(&[0]) {
                self.writer.write_all(&(*n as i32).to_le_bytes())?;
            }
        }
        Ok(())
    }
}

/// Units, the names of further columns, and the record of the run, a line each.
fn record(snapshot: &Snapshot, extra: &[&str]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let exact = |value: f64| zmij::Buffer::new().format(value).to_string();
    let mut lines = vec![format!("units {}", quoted(&snapshot.units.name)), format!("G {}", exact(snapshot.units.g))];
    if let Some(si) = snapshot.units.si {
        lines.push(format!("SI {}", si.map(exact).join(" ")));
    }
    lines.extend(extra.iter().map(|name| format!("extra {}", quoted(name))));
    lines.extend(snapshot.meta.iter().map(|(key, value)| format!("meta {}", serde_json::json!([key, value]))));
    lines.join("\n")
}
