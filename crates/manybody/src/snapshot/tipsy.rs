//! Tipsy binary: a header of counts, then gas, dark matter and stars as records of 4-byte words.
//!
//! ```text
//! header  time f64, nbodies ndim nsph ndark nstar i32 [, pad i32]        28 or 32 bytes
//! gas     mass pos[3] vel[3] rho temp hsmooth metals phi                 12 words
//! dark    mass pos[3] vel[3] eps phi                                      9 words
//! star    mass pos[3] vel[3] metals tform eps phi                        11 words
//! ```
//!
//! Four dialects, distinguished on reading: *standard* is big-endian; *native* little-endian; *nvidia* is native with a
//! 32-bit id in place of phi, which the nbody sample of NVIDIA's cuda-samples reads, and Bonsai as version 0; *bonsai*
//! has version 2 in the pad word and a 64-bit id in place of eps and phi. Both readers take dark matter and stars
//! only. Read too: headers without the pad, positions or positions and velocities in f64 (gasoline, ChaNGa), records
//! with acceleration and potential (NEMO's tipsysnap calls them BOOM), and several snapshots in one file.
//!
//! The softening of a run is written as that of each body (of gas: as its smoothing length).
//! Units are G = 1 by convention; a scale stands in a parameter file, which is not read.
//! Format: the manual of Tipsy [N-Body Shop 2011]; the dialects as cuda-samples and Bonsai [Bedorf 2012] read them.

mod record;

use super::atomic::io_error;
use super::checksum;
use super::input::Input;
use super::output::Output;
use super::text::BUFFER;
use super::verify::{self, Place};
use super::{Format, Header, Loaded, ReadOptions, Snapshot, TipsyVariant, WriteOptions};
use crate::{Bodies, Error, Result};
pub(super) use record::Frame;
use record::{Endian, Family, Record, is_id};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

const TITLE: &str = "tipsy";

/// Whether the start of a file of `len` bytes is a tipsy header that the length agrees with.
pub(super) fn is_tipsy(start: &[u8], len: u64) -> bool {
    Frame::parse(start, 0, len).is_ok_and(|frame| frame.dimensions == 3)
}

/// Reads what the file says of itself.
pub(crate) fn header(mut input: Input, options: &ReadOptions) -> Result<Header> {
    let (frame, frames) = choose(&mut input, options)?;
    Ok(describe(&frame, frames))
}

fn describe(frame: &Frame, frames: usize) -> Header {
    let mut header = Header::new(Format::Tipsy);
    header.count = Some(frame.total());
    header.kinds = [frame.counts[0], frame.counts[1], 0, 0, frame.counts[2], 0];
    header.time = Some(frame.time);
    header.frames = frames;
    header.variant = frame.to_string();
    header.fields = Family::ALL.iter().filter(|f| frame.counts[**f as usize] > 0).map(|f| f.fields().into()).collect();
    header
}

/// Finds the frames of the file.
pub(super) fn frames(input: &mut Input) -> Result<Vec<Frame>> {
    let regions = checksum::regions(input, Format::Tipsy)?;
    let mut frames: Vec<Frame> = Vec::new();
    let mut offset = 0;
    while frames.is_empty() || offset < input.len {
        // a checksum that follows a frame ends it as the file's end does
        let region = regions.iter().find(|region| offset < region.end);
        let (end, next) = region.map_or((input.len, input.len), |region| (region.end, region.next));
        input.seek(offset)?;
        let mut start = Vec::new();
        let mut head = (&mut input.source).take(32.min(end - offset));
        head.read_to_end(&mut start).map_err(io_error(&input.origin.path, "read"))?;
        let frame = Frame::parse(&start, offset, end).map_err(|problem| match frames.len() {
            0 => input.problem(TITLE, problem),
            k => input.problem(TITLE, format!("after {k} snapshots, at byte {offset}: {problem}")),
        })?;
        check_header_length(input, &frame)?;
        offset = if frame.end() == end { next } else { frame.end() };
        frames.push(frame);
    }
    Ok(frames)
}

/// Finds the frames of the file, and picks one.
fn choose(input: &mut Input, options: &ReadOptions) -> Result<(Frame, usize)> {
    let frames = frames(input)?;
    let count = frames.len();
    let chosen = options.frame.unwrap_or(count - 1);
    let frame = frames.into_iter().nth(chosen).ok_or_else(|| frame_error(chosen, count))?;
    if frame.dimensions != 3 {
        let problem = format!("{}: bodies must have 3 dimensions", frame.dimensions);
        return Err(input.field("ndim", problem));
    }
    Ok((frame, count))
}

/// The error for a frame that is not there.
pub(super) fn frame_error(chosen: usize, count: usize) -> Error {
    let expected = format!("the file holds {count} snapshots, counted from 0");
    Error::Parameter { name: "frame", value: chosen.to_string(), expected }
}

/// Refuses a snapshot that lost or gained just the 4 bytes in which the two lengths of headers differ: its size is
/// right for the other length, with every record moved by a word. Masses decide, where they are the numbers before x,
/// and the pad, which is 0, or 2 in Bonsai's version, where there is one.
fn check_header_length(input: &mut Input, frame: &Frame) -> Result<()> {
    const ENOUGH: u64 = 1000;
    // our own mark is where it belongs: so is the rest, whatever the masses are
    if frame.header_bytes() == 32 && checksum::is_pad(frame.version) {
        return Ok(());
    }
    let mut looks_right = |frame: &Frame| -> Result<bool> {
        let (mut at, mut seen, mut with_mass) = (frame.data(), 0, 0);
        for family in Family::ALL {
            let size = frame.record_bytes(family);
            for k in 0..frame.counts[family as usize].min(ENOUGH) {
                let place = at + k * size;
                if place + 4 > input.len {
                    break;
                }
                input.seek(place)?;
                let mut word = [0; 4];
                input.fill(&mut word)?;
                let mass = frame.single(word);
                // integers where a mass should be are numbers below 1e-30
                if !(mass == 0.0 || (1e-30..1e30).contains(&mass)) {
                    return Ok(false);
                }
                seen += 1;
                with_mass += u64::from(mass > 0.0);
            }
            at += frame.counts[family as usize] * size;
        }
        Ok(2 * with_mass > seen)
    };
    let other = frame.with_other_header();
    let (this_one, that_one) = (looks_right(frame)?, looks_right(&other)?);
    let (bytes, others) = (frame.header_bytes(), other.header_bytes());
    if !this_one && that_one {
        let change = if others > bytes { "has lost its last 4" } else { "has gained 4" };
        let problem = format!(
            "its size is that of a header of {bytes} bytes, but masses stand where they do after one of {others}: it {change}"
        );
        return Err(input.problem(TITLE, problem));
    }
    if this_one && that_one && bytes == 32 && !matches!(frame.version, 0 | 2) && !checksum::is_pad(frame.version) {
        let problem = format!(
            "the word at byte 28, {:#x}, may be the pad of a header of 32 bytes, or a mass after one of 28 in a file that \
             gained 4 bytes, and both make sense: the pad must be 0",
            frame.version
        );
        return Err(input.problem(TITLE, problem));
    }
    Ok(())
}

/// Reads a snapshot.
pub(crate) fn read(mut input: Input, options: &ReadOptions) -> Result<Loaded> {
    let (frame, frames) = choose(&mut input, options)?;
    let mut notes = Vec::new();
    if frames > 1 && options.frame.is_none() {
        notes.push(format!("the file holds {frames} snapshots: the last is taken"));
    }
    let mut columns = Columns::with_capacity(frame.total() as usize);
    input.seek(frame.data())?;
    for family in Family::ALL {
        read_family(&mut input, &frame, family, &mut columns)?;
    }
    let ids = match options.tipsy {
        Some(TipsyVariant::Nvidia) => Some(columns.phi.iter().map(|phi| u64::from(phi.to_bits())).collect()),
        Some(TipsyVariant::Bonsai) => Some(columns.wide_ids()),
        Some(_) => None,
        None => columns.guess_ids(&frame),
    };
    let wide = options.tipsy == Some(TipsyVariant::Bonsai) || (options.tipsy.is_none() && frame.version == 2);
    let mut header = describe(&frame, frames);
    if ids.is_some() {
        header.variant += if wide { ", 64-bit ids for eps and phi (Bonsai)" } else { ", ids for phi (NVIDIA, Bonsai)" };
    }
    let mut bodies = columns.bodies(&frame, ids, wide);
    verify::forget_unused(&mut bodies, options);
    if !options.unchecked {
        verify::time_read(&input, "time", frame.time)?;
        verify::bodies(&input, &bodies, |column, i| place(&frame, column, i))?;
    }
    verify::settle_ids(&mut bodies, &mut notes);
    let snapshot = Snapshot { bodies, time: frame.time, ..Snapshot::default() };
    Ok(Loaded { snapshot, header, notes })
}

fn place(frame: &Frame, column: &'static str, i: usize) -> Place {
    let field = match column {
        "x" => "pos[0]",
        "y" => "pos[1]",
        "z" => "pos[2]",
        "vx" => "vel[0]",
        "vy" => "vel[1]",
        "vz" => "vel[2]",
        other => other,
    };
    let mut row = i as u64;
    for family in Family::ALL {
        let count = frame.counts[family as usize];
        if row < count {
            return Place { field: field.into(), row: format!("{} particle {row}", family.name()) };
        }
        row -= count;
    }
    Place { field: field.into(), row: format!("particle {i}") }
}

/// Appends one family's records, a buffer at a time.
fn read_family(input: &mut Input, frame: &Frame, family: Family, columns: &mut Columns) -> Result<()> {
    let size = frame.record_bytes(family) as usize;
    let at_once = BUFFER / size;
    let mut buffer = vec![0; at_once * size];
    let mut left = frame.counts[family as usize] as usize;
    while left > 0 {
        let now = left.min(at_once);
        let bytes = &mut buffer[..now * size];
        input.fill(bytes)?;
        bytes.chunks_exact(size).for_each(|bytes| columns.push(family, frame.decode(family, bytes)));
        left -= now;
    }
    Ok(())
}

/// The bodies while they are read. What tipsy keeps in single precision is kept so.
#[derive(Default)]
struct Columns {
    bodies: Bodies,
    eps: Vec<f32>,
    phi: Vec<f32>,
    /// rho, temp, metals, tform, ax, ay, az, pot: NaN for families without them.
    rest: [Vec<f32>; 8],
}

/// The extra columns of [`Columns::rest`].
const REST: [&str; 8] = ["density", "temperature", "metallicity", "formation_time", "ax", "ay", "az", "potential"];

impl Columns {
    fn with_capacity(n: usize) -> Self {
        Columns {
            bodies: Bodies::with_capacity(n),
            eps: Vec::with_capacity(n),
            phi: Vec::with_capacity(n),
            rest: Default::default(),
        }
    }

    fn push(&mut self, family: Family, record: Record) {
        let n = self.bodies.len();
        self.bodies.push(record.mass, record.position, record.velocity);
        self.eps.push(record.eps);
        self.phi.push(record.phi);
        for (column, value) in self.rest.iter_mut().zip(record.rest(family)) {
            // a column that so far was only zero or absent costs nothing
            if !column.is_empty() || value.is_some_and(|v| v != 0.0) {
                if column.is_empty() {
                    column.resize(n, 0.0);
                }
                column.push(value.unwrap_or(f32::NAN));
            }
        }
    }

    /// 64-bit ids from the bits of eps and phi. Bonsai marks dark matter by adding 3e18.
    fn wide_ids(&self) -> Vec<u64> {
        let words = self.eps.iter().zip(&self.phi);
        words.map(|(low, high)| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32).collect()
    }

    /// Whether phi holds ids: a version word of 2 says so, else every phi must be whole and above 0 when read as an
    /// integer, and no two the same. A potential is negative where bodies are bound, and a negative float is a
    /// negative integer.
    fn guess_ids(&self, frame: &Frame) -> Option<Vec<u64>> {
        if frame.endian == Endian::Big || self.phi.is_empty() {
            return None;
        }
        if frame.version == 2 {
            return Some(self.wide_ids());
        }
        if frame.counts[0] > 0 || !self.phi.iter().all(|phi| is_id(*phi)) {
            return None;
        }
        let mut ids: Vec<u32> = self.phi.iter().map(|phi| phi.to_bits()).collect();
        let list = ids.iter().map(|id| u64::from(*id)).collect();
        ids.sort_unstable();
        // one body with phi = 0 is a potential not computed rather than the id 0
        let distinct = ids.windows(2).all(|pair| pair[0] != pair[1]) && ids != [0];
        distinct.then_some(list)
    }

    fn bodies(self, frame: &Frame, ids: Option<Vec<u64>>, wide: bool) -> Bodies {
        let Columns { mut bodies, eps, phi, rest } = self;
        let n = bodies.len();
        let widen = |column: Vec<f32>| column.into_iter().map(f64::from).collect::<Vec<f64>>();
        if !wide && eps.iter().any(|e| *e != 0.0) {
            bodies.eps = Some(widen(eps));
        }
        let [gas, dark, _] = frame.counts.map(|c| c as usize);
        for (k, (name, mut column)) in REST.into_iter().zip(rest).enumerate() {
            if column.is_empty() {
                continue;
            }
            column.resize(n, f32::NAN);
            // the zeros that stood for "nothing yet" are no values where the family has no such field
            for (family, range) in Family::ALL.into_iter().zip([0..gas, gas..gas + dark, gas + dark..n]) {
                if !frame.has(family, k) {
                    column[range].fill(f32::NAN);
                }
            }
            bodies.extra.insert(name.into(), widen(column));
        }
        match ids {
            Some(ids) => bodies.id = if wide { unmark(ids, gas..gas + dark) } else { ids },
            None if phi.iter().any(|phi| *phi != 0.0) => {
                bodies.extra.insert("potential".into(), widen(phi));
            }
            None => {}
        }
        if dark != n {
            let mut kinds = vec![0_u8; gas];
            kinds.resize(gas + dark, 1);
            kinds.resize(n, 4);
            bodies.kind = Some(kinds);
        }
        bodies
    }
}

/// What Bonsai adds to the ids of dark matter.
const DARK_MARK: u64 = 3_000_000_000_000_000_000;

/// Takes Bonsai's mark off the ids of dark matter, unless that would make two ids the same.
fn unmark(ids: Vec<u64>, dark: std::ops::Range<usize>) -> Vec<u64> {
    let plain: Vec<u64> = ids
        .iter()
        .enumerate()
        .map(|(i, id)| if dark.contains(&i) { id.checked_sub(DARK_MARK).unwrap_or(*id) } else { *id })
        .collect();
    let mut sorted = plain.clone();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0] != pair[1]) { plain } else { ids }
}

/// The family of a Gadget particle type: disc, bulge and stars are stars, halo and boundary dark matter.
fn family_of(kind: u8) -> Family {
    match kind {
        0 => Family::Gas,
        2..=4 => Family::Star,
        _ => Family::Dark,
    }
}

/// Writes a snapshot; the notes say what tipsy does not hold.
pub(crate) fn write(
    file: &mut dyn Output,
    path: &Path,
    snapshot: &Snapshot,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let bodies = &snapshot.bodies;
    let mut notes: Vec<String> = verify::narrow(bodies)?.into_iter().collect();
    let family = |i: usize| bodies.kind.as_ref().map_or(Family::Dark, |kinds| family_of(kinds[i]));
    let mut counts = [0_u64; 3];
    (0..bodies.len()).for_each(|i| counts[family(i) as usize] += 1);
    if bodies.len() > i32::MAX as usize {
        let expected = format!("tipsy counts to {}", i32::MAX);
        return Err(Error::Parameter { name: "n", value: bodies.len().to_string(), expected });
    }
    check_ids(bodies, options.tipsy, counts)?;
    // that of the run, of which the file has no record
    let eps = snapshot.run_softening().ok().flatten().map_or(0.0, |eps| eps as f32);
    let frame = Frame::to_write(snapshot.time, counts, options.tipsy);
    let mut writer = BufWriter::with_capacity(BUFFER, file);
    let mut rows = || -> std::io::Result<()> {
        writer.write_all(&frame.header())?;
        let mut bytes = Vec::new();
        for wanted in Family::ALL.into_iter().filter(|f| counts[*f as usize] > 0) {
            for i in (0..bodies.len()).filter(|i| family(*i) == wanted) {
                bytes.clear();
                frame.encode(wanted, &record_of(bodies, i, wanted, options.tipsy, eps), &mut bytes);
                writer.write_all(&bytes)?;
            }
        }
        writer.flush()
    };
    rows().map_err(io_error(path, "write"))?;
    let sorted = (1..bodies.len()).all(|i| family(i - 1) as usize <= family(i) as usize);
    notes.extend(lost(snapshot, options.tipsy, sorted));
    Ok(notes)
}

/// Checks that a dialect with ids can hold these.
fn check_ids(bodies: &Bodies, variant: TipsyVariant, counts: [u64; 3]) -> Result<()> {
    let (most, expected) = match variant {
        TipsyVariant::Standard | TipsyVariant::Native => return Ok(()),
        TipsyVariant::Nvidia => (i32::MAX as u64, "this tipsy variant has ids up to 2147483647"),
        TipsyVariant::Bonsai => (999_999_999_999_999_999, "this tipsy variant has ids below 1e18"),
    };
    if counts[0] > 0 {
        let value = format!("{} gas particles", counts[0]);
        let expected = format!("the tipsy variant {variant} holds dark matter and stars only");
        return Err(Error::Parameter { name: "kind", value, expected });
    }
    match bodies.id.iter().position(|id| *id > most) {
        Some(index) => {
            let id = bodies.id[index];
            Err(Error::Body { index, id, field: "id", value: id as f64, expected })
        }
        None => Ok(()),
    }
}

/// A body's record; `eps` is the softening where bodies have no softenings of their own.
fn record_of(bodies: &Bodies, i: usize, family: Family, variant: TipsyVariant, eps: f32) -> Record {
    let extra = |name: &str| bodies.extra.get(name).map_or(0.0, |c| c[i] as f32);
    let given = |value: f32| if value.is_finite() { value } else { 0.0 };
    let mut record = Record {
        mass: bodies.mass[i],
        position: bodies.position(i),
        velocity: bodies.velocity(i),
        eps: bodies.eps.as_ref().map_or(given(eps), |eps| eps[i] as f32),
        phi: given(extra("potential")),
        ..Record::default()
    };
    match family {
        Family::Gas => {
            let [density, temperature, metals] = ["density", "temperature", "metallicity"].map(|n| given(extra(n)));
            (record.rho, record.temp, record.metals) = (density, temperature, metals);
        }
        Family::Dark => {}
        Family::Star => {
            (record.metals, record.tform) = (given(extra("metallicity")), given(extra("formation_time")));
        }
    }
    let id = bodies.id[i];
    match variant {
        TipsyVariant::Standard | TipsyVariant::Native => {}
        TipsyVariant::Nvidia => record.phi = f32::from_bits(id as u32),
        TipsyVariant::Bonsai => {
            let id = if family == Family::Dark { id + DARK_MARK } else { id };
            record.eps = f32::from_bits(id as u32);
            record.phi = f32::from_bits((id >> 32) as u32);
        }
    }
    record
}

/// What this dialect does not keep.
fn lost(snapshot: &Snapshot, variant: TipsyVariant, sorted: bool) -> Option<String> {
    let Bodies { x, y, z, vx, vy, vz, mass, id, eps, kind, extra } = &snapshot.bodies;
    let columns = [x, y, z, vx, vy, vz, mass].into_iter().chain(eps);
    let rounded = columns.flatten().any(|q| f64::from(*q as f32) != *q);
    let ids = matches!(variant, TipsyVariant::Nvidia | TipsyVariant::Bonsai);
    let numbered = id.iter().enumerate().all(|(i, id)| *id == i as u64);
    let held = |name: &str| REST.contains(&name) && !name.starts_with('a') && (name != "potential" || !ids);
    let dropped: Vec<&str> = extra.keys().map(String::as_str).filter(|name| !held(name)).collect();
    let listed = format!("the extra columns {}", dropped.join(", "));
    let odd = kind.iter().flatten().any(|kind| !matches!(kind, 0 | 1 | 4));
    let lost: Vec<&str> = [
        (rounded, "more than single precision"),
        (!numbered && !ids, "ids"),
        (!sorted, "the order of bodies (gas, dark matter and stars follow one another)"),
        (odd, "types beyond gas, dark matter and stars"),
        (eps.is_some() && variant == TipsyVariant::Bonsai, "softening lengths (in this variant)"),
        (!dropped.is_empty(), &listed),
        (!snapshot.units.are_plain(), "units"),
        (!snapshot.meta.is_empty(), "the record of the run"),
        (snapshot.is_of_the_spline(), "that softenings are of the spline (--softening spline says it)"),
    ]
    .into_iter()
    .filter_map(|(lost, what)| lost.then_some(what))
    .collect();
    (!lost.is_empty()).then(|| format!("tipsy does not hold {}", lost.join(", ")))
}
