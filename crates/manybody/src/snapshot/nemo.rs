//! NEMO's structured binary snapshots.
//!
//! ```text
//! set SnapShot
//!   set Parameters
//!     int Nobj            double Time
//!   tes
//!   set Particles
//!     int CoordSystem     double Mass[n]     double PhaseSpace[n][2][3]
//!     int Key[n]          double Eps[n] Potential[n] Acceleration[n][3] Density[n] Aux[n]
//!   tes
//!   set Manybody          what NEMO's programs pass over: units, ids of 64 bits, types, further columns, the record
//!     char Record[]       long Id[n]         byte Kind[n]      double Extra[k][n]
//!     byte Checksum[16]   the length of what is before it, and the checksum
//!   tes
//! tes
//! ```
//!
//! Read: this and the split `Position[n][3]`, `Velocity[n][3]` of gyrfalcON and ZENO; float and double; either byte
//! order (by each item's magic number); several snapshots, of which the last with bodies is taken unless another is
//! asked for; masses from an earlier snapshot where a program wrote them once. Two passes: one that skips over data and
//! notes where it lies, one that reads the chosen items.
//!
//! Format: filestruct(5NEMO) and snapshot(5NEMO) in the manual of NEMO [Teuben 1995].

mod items;
mod write;

use super::input::{Input, Origin};
use super::tipsy::frame_error;
use super::verify::{self, Place};
use super::{Format, Header, Loaded, ReadOptions, Snapshot};
use crate::{Bodies, Error, Result, Units};
use items::{Item, Kind, Scanner};
use std::collections::BTreeMap;

pub(super) use items::is_nemo;
pub(super) use write::write;

const TITLE: &str = "NEMO";

/// Cartesian coordinates in 3 dimensions, positions and velocities: the one coordinate system there is in practice.
const CARTESIAN: i64 = (1 << 16) | (3 << 8) | 2;

/// NEMO's tags beside the names the columns have here.
const NAMES: [(&str, &str); 3] = [("Potential", "potential"), ("Density", "density"), ("Aux", "aux")];

/// The items of one snapshot that matter here, by tag.
#[derive(Default)]
struct Frame {
    items: BTreeMap<&'static str, Item>,
    /// Tags of particle data, as the file has them.
    fields: Vec<String>,
}

/// Every tag that is understood, with the sets it lies in.
const TAGS: [(&str, &str); 19] = [
    ("Parameters", "Nobj"),
    ("Parameters", "NBody"),
    ("Parameters", "Time"),
    ("Particles", "CoordSystem"),
    ("Particles", "Mass"),
    ("Particles", "PhaseSpace"),
    ("Particles", "Position"),
    ("Particles", "Velocity"),
    ("Particles", "Key"),
    ("Particles", "Eps"),
    ("Particles", "Potential"),
    ("Particles", "Acceleration"),
    ("Particles", "Density"),
    ("Particles", "Aux"),
    ("Manybody", "Record"),
    ("Manybody", "Id"),
    ("Manybody", "Kind"),
    ("Manybody", "Extra"),
    ("Manybody", "Checksum"),
];

/// Walks over the file and notes what lies where.
fn scan(input: &mut Input) -> Result<Vec<Frame>> {
    let origin = input.origin.clone();
    let mut scanner = Scanner::new(input)?;
    let mut frames: Vec<Frame> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    while let Some(item) = scanner.next()? {
        match &item.kind {
            Kind::Set => {
                if path.is_empty() && item.tag == "SnapShot" {
                    frames.push(Frame::default());
                }
                // NEMO itself nests at most 8 deep
                if path.len() == 8 {
                    return Err(origin.problem(TITLE, format!("set {} is nested too deep", item.tag)));
                }
                path.push(item.tag);
            }
            Kind::Tes => {
                if path.pop().is_none() {
                    return Err(origin.problem(TITLE, format!("a set ends that never began, at byte {}", item.offset)));
                }
            }
            _ => {
                if let ([top, set], Some(frame)) = (&path[..], frames.last_mut())
                    && top == "SnapShot"
                {
                    frame.take(set, item);
                }
            }
        }
    }
    match path.last() {
        Some(set) => Err(origin.problem(TITLE, format!("cut short: the file ends inside set {set}"))),
        None => Ok(frames),
    }
}

/// Whether the file has the set that only our writer writes.
pub(super) fn is_ours(input: &mut Input) -> Result<bool> {
    Ok(scan(input)?.iter().any(|frame| frame.has("Record")))
}

impl Frame {
    fn take(&mut self, set: &str, item: Item) {
        // NEMO allows 64 items a set
        if set == "Particles" && self.fields.len() < 64 {
            self.fields.push(item.to_string());
        }
        if let Some((_, tag)) = TAGS.iter().find(|(s, tag)| *s == set && *tag == item.tag) {
            self.items.insert(tag, item);
        }
    }

    fn has(&self, tag: &str) -> bool {
        self.items.contains_key(tag)
    }

    fn item(&self, origin: &Origin, tag: &'static str) -> Result<&Item> {
        self.items
            .get(tag)
            .ok_or_else(|| origin.field(tag, "missing; a snapshot has Mass, and PhaseSpace or Position and Velocity"))
    }

    /// The number of bodies.
    fn count(&self, input: &mut Input) -> Result<Option<u64>> {
        let Some(item) = self.items.get("Nobj").or(self.items.get("NBody")) else { return Ok(None) };
        let value = item.whole(input)?;
        let count = u64::try_from(value);
        count.map(Some).map_err(|_| input.field(&item.tag, format!("{value}: must be 0 or more")))
    }

    fn has_bodies(&self, input: &mut Input) -> Result<bool> {
        Ok(self.has("PhaseSpace") || self.has("Position") || self.count(input)? == Some(0))
    }
}

/// The frame to read, and its number.
fn choose(input: &mut Input, frames: &[Frame], options: &ReadOptions) -> Result<usize> {
    if frames.is_empty() {
        return Err(input.problem(TITLE, "the file holds no set SnapShot"));
    }
    match options.frame {
        Some(chosen) if chosen < frames.len() => Ok(chosen),
        Some(chosen) => Err(frame_error(chosen, frames.len())),
        None => {
            for k in (0..frames.len()).rev() {
                if frames[k].has_bodies(input)? {
                    return Ok(k);
                }
            }
            Err(input.field("Particles", "no snapshot of the file has PhaseSpace or Position"))
        }
    }
}

/// Reads what the file says of itself.
pub(crate) fn header(mut input: Input, options: &ReadOptions) -> Result<Header> {
    let frames = scan(&mut input)?;
    let chosen = choose(&mut input, &frames, options)?;
    describe(&mut input, &frames, chosen)
}

fn describe(input: &mut Input, frames: &[Frame], chosen: usize) -> Result<Header> {
    let frame = &frames[chosen];
    let mut header = Header::new(Format::Nemo);
    header.frames = frames.len();
    header.count = frame.count(input)?;
    header.kinds[1] = header.count.unwrap_or(0);
    header.time = frame.items.get("Time").map(|item| item.real(input)).transpose()?;
    header.units = Record::read(input, frame)?.and_then(|record| record.units);
    header.fields = frame.fields.clone();
    let item = frame.items.get("PhaseSpace").or(frame.items.get("Position"));
    header.variant = match item {
        Some(item) => format!("{} ({}), {}", item.tag, item.kind.name(), item.order()),
        None => "no particles".into(),
    };
    Ok(header)
}

/// Reads a snapshot.
pub(crate) fn read(mut input: Input, options: &ReadOptions) -> Result<Loaded> {
    let frames = scan(&mut input)?;
    if !input.settled && frames.iter().any(|frame| frame.has("Checksum")) {
        input.lost_checksum(TITLE, "bytes without a checksum follow the snapshot that has one".into())?;
    }
    let chosen = choose(&mut input, &frames, options)?;
    let frame = &frames[chosen];
    let mut notes = Vec::new();
    if frames.len() > 1 && options.frame.is_none() {
        notes.push(format!(
            "the file holds {} snapshots: number {chosen}, the last with bodies, is taken",
            frames.len()
        ));
    }
    let Some(n) = frame.count(&mut input)? else {
        return Err(input.field("Nobj", "missing from set Parameters"));
    };
    if let Some(system) = frame.items.get("CoordSystem") {
        let code = system.whole(&mut input)?;
        if code != CARTESIAN {
            let wanted = "must be Cartesian positions and velocities in 3 dimensions (66306)";
            return Err(input.field("CoordSystem", format!("{code}: {wanted}")));
        }
    }
    let mut bodies = Bodies::default();
    if n > 0 {
        phase_space(&mut input, frame, n, &mut bodies)?;
        masses(&mut input, &frames, chosen, n, &mut bodies, &mut notes)?;
    }
    let record = Record::read(&mut input, frame)?;
    optional(&mut input, frame, n, &mut bodies, &mut notes)?;
    extra(&mut input, frame, record.as_ref(), n, &mut bodies)?;
    let time = match frame.items.get("Time") {
        Some(item) => item.real(&mut input)?,
        None => {
            notes.push("the file has no time: taken as 0".into());
            0.0
        }
    };
    verify::forget_unused(&mut bodies, options);
    if !options.unchecked {
        verify::time_read(&input, "Time", time)?;
        verify::bodies(&input, &bodies, |column, i| place(frame, column, i))?;
    }
    let header = describe(&mut input, &frames, chosen)?;
    let record = record.unwrap_or_default();
    let units = record.units.unwrap_or_default();
    verify::settle_ids(&mut bodies, &mut notes);
    Ok(Loaded { snapshot: Snapshot { bodies, time, units, meta: record.meta }, header, notes })
}

fn place(frame: &Frame, column: &'static str, i: usize) -> Place {
    let axis = match column {
        "x" | "vx" => 0,
        "y" | "vy" => 1,
        _ => 2,
    };
    let velocity = column.starts_with('v');
    let (field, row) = match column {
        "mass" => ("Mass", format!("[{i}]")),
        "eps" => ("Eps", format!("[{i}]")),
        _ if frame.has("PhaseSpace") => ("PhaseSpace", format!("[{i}][{}][{axis}]", u8::from(velocity))),
        _ => (if velocity { "Velocity" } else { "Position" }, format!("[{i}][{axis}]")),
    };
    Place { field: field.into(), row }
}

fn phase_space(input: &mut Input, frame: &Frame, n: u64, bodies: &mut Bodies) -> Result<()> {
    let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
    if let Some(item) = frame.items.get("PhaseSpace") {
        return item.columns(input, &[n, 2, 3], &mut [x, y, z, vx, vy, vz]);
    }
    frame.item(&input.origin, "Position")?.columns(input, &[n, 3], &mut [x, y, z])?;
    frame.item(&input.origin, "Velocity")?.columns(input, &[n, 3], &mut [vx, vy, vz])
}

/// Masses, which some programs write into the first snapshot only.
fn masses(
    input: &mut Input,
    frames: &[Frame],
    chosen: usize,
    n: u64,
    bodies: &mut Bodies,
    notes: &mut Vec<String>,
) -> Result<()> {
    for k in (0..=chosen).rev() {
        if let Some(item) = frames[k].items.get("Mass") {
            if k < chosen {
                notes.push(format!("masses are taken from snapshot {k}: snapshot {chosen} has no masses"));
            }
            return item.columns(input, &[n], &mut [&mut bodies.mass]);
        }
    }
    frames[chosen].item(&input.origin, "Mass").map(|_| ())
}

/// Ids, softening, types, and the columns that NEMO knows.
fn optional(input: &mut Input, frame: &Frame, n: u64, bodies: &mut Bodies, notes: &mut Vec<String>) -> Result<()> {
    if let Some(item) = frame.items.get("Eps") {
        item.columns(input, &[n], &mut [bodies.eps.get_or_insert_default()])?;
    }
    for (tag, name) in NAMES {
        if let Some(item) = frame.items.get(tag) {
            let mut column = Vec::new();
            item.columns(input, &[n], &mut [&mut column])?;
            bodies.extra.insert(name.into(), column);
        }
    }
    if let Some(item) = frame.items.get("Acceleration") {
        let mut axes = [Vec::new(), Vec::new(), Vec::new()];
        item.columns(input, &[n, 3], &mut axes.each_mut())?;
        bodies.extra.extend(["ax", "ay", "az"].map(String::from).into_iter().zip(axes));
    }
    bodies.id = match frame.items.get("Id").or(frame.items.get("Key")) {
        Some(item) => {
            let signed = item.whole_column(input, n)?;
            if item.tag == "Key" && signed.iter().any(|id| *id < 0) {
                notes.push("Key has negative numbers, which cannot be ids: bodies are numbered from 0".into());
                (0..n).collect()
            } else {
                signed.into_iter().map(|id| id as u64).collect()
            }
        }
        None => (0..n).collect(),
    };
    if let Some(item) = frame.items.get("Kind") {
        let kinds = item.whole_column(input, n)?;
        if let Some(i) = kinds.iter().position(|kind| !(0..=5).contains(kind)) {
            let problem = format!("[{i}]: {}: must be a type from 0 to 5", kinds[i]);
            return Err(input.field("Manybody/Kind", problem));
        }
        bodies.kind = Some(kinds.into_iter().map(|kind| kind as u8).collect());
    }
    Ok(())
}

/// The columns that only our own set has: one array, a row a column.
fn extra(input: &mut Input, frame: &Frame, record: Option<&Record>, n: u64, bodies: &mut Bodies) -> Result<()> {
    let Some(record) = record.filter(|record| !record.extra.is_empty()) else { return Ok(()) };
    if n == 0 {
        bodies.extra.extend(record.extra.iter().map(|name| (name.clone(), Vec::new())));
        return Ok(());
    }
    let item = frame.item(&input.origin, "Extra")?;
    for (k, name) in record.extra.iter().enumerate() {
        let mut column = Vec::new();
        item.row(input, &[record.extra.len() as u64, n], k as u64, &mut column)?;
        bodies.extra.insert(name.clone(), column);
    }
    Ok(())
}

/// What stands in our own set as text: lines of `key value`, the value in JSON.
#[derive(Default)]
struct Record {
    units: Option<Units>,
    extra: Vec<String>,
    meta: BTreeMap<String, String>,
}

impl Record {
    fn read(input: &mut Input, frame: &Frame) -> Result<Option<Record>> {
        let Some(item) = frame.items.get("Record") else { return Ok(None) };
        let text = item.text(input)?;
        let wrong = |line: &str| -> Error {
            input.field("Manybody/Record", format!("'{}' is not understood", super::text::shown(line)))
        };
        let mut record = Record::default();
        let (mut name, mut g, mut si) = (None, None, None);
        for line in text.lines() {
            let (key, value) = line.split_once(' ').ok_or_else(|| wrong(line))?;
            let string = || serde_json::from_str::<String>(value).map_err(|_| wrong(line));
            match key {
                "units" => name = Some(string()?),
                "G" => g = Some(value.parse::<f64>().map_err(|_| wrong(line))?),
                "SI" => {
                    let factors: Option<Vec<f64>> = value.split(' ').map(|v| v.parse().ok()).collect();
                    let factors = factors.and_then(|f| <[f64; 3]>::try_from(f).ok());
                    si = Some(factors.ok_or_else(|| wrong(line))?);
                }
                "extra" => record.extra.push(string()?),
                "meta" => {
                    let (key, value) = serde_json::from_str(value).map_err(|_| wrong(line))?;
                    record.meta.insert(key, value);
                }
                _ => return Err(wrong(line)),
            }
        }
        if let (Some(name), Some(g)) = (name, g) {
            record.units = Some(Units { name, g, si });
        }
        Ok(Some(record))
    }
}
