//! NumPy's .npy files [Kern 2007]: the packed distance matrix straight to one, however large; points from one.
//!
//! Rows are computed into one of two buffers while the other is written, so neither the memory nor the time of the
//! writing limits the size: only the disk does, and it is asked for the room before the work starts. The file appears
//! whole or not at all. `numpy.load(path, mmap_mode="r")` reads it without loading it.

use super::distances::{Rows, distance_count, row_start};
use super::{Float, Points, memory};
use crate::follow::Followed;
use crate::simd::Level;
use crate::{Error, Result};
use manybody_law::atomic::{check_room, io_error, write_with};
use manybody_pairwise::watch::Watch;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc;

/// Bytes of a buffer: long enough that the disk sees long writes, short enough for any machine.
const BUFFER: usize = 32 << 20;

/// Writes the packed distance matrix to `path` in numpy's format (one axis, little endian, the number type of the
/// points), and returns how many distances it has. Takes two buffers of 32 MiB, or of one row if that is longer.
///
/// # Errors
/// [`Error::Parameter`] if the disk has not the room, before anything is computed; [`Error::Io`] if writing fails.
/// Neither leaves a file behind, nor touches one that was there.
///
/// ```no_run
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
/// use manybody::pairs::{Points, write_distance_matrix};
/// let points = Points::from_rows(&vec![0.5_f32; 300_000], 3)?; // 100,000 points: 20 GB
/// write_distance_matrix(&points, "distances.npy".as_ref())?;
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn write_distance_matrix<T: Float>(points: &Points<T>, path: &Path) -> Result<u64> {
    write_in_parts(points, path, BUFFER, None)
}

/// [`write_distance_matrix`], followed by a watch.
///
/// # Errors
/// As [`write_distance_matrix`], and [`Error::Interrupted`] if the watch ends it, which leaves no file either.
pub fn write_distance_matrix_watched<T: Float>(points: &Points<T>, path: &Path, watch: &Watch) -> Result<u64> {
    write_in_parts(points, path, BUFFER, Some(watch))
}

/// [`write_distance_matrix`] with a chosen buffer, in bytes.
pub(super) fn write_in_parts<T: Float>(
    points: &Points<T>,
    path: &Path,
    buffer: usize,
    watch: Option<&Watch>,
) -> Result<u64> {
    let count = distance_count::<T>(points.len())?;
    let level = Level::from_env()?;
    write_npy::<T>(path, count, |file| {
        let parts = parts::<T>(points.len(), buffer);
        let followed = Followed::begin(watch, count as u64, count as u64);
        let rows = Rows::new(points, level);
        stream(points.len(), &rows, &parts, file, &followed).map_err(io_error(path, "write"))?;
        followed.outcome()
    })?;
    Ok(count as u64)
}

/// Writes an .npy file of one axis: `body` writes its `count` numbers of type T, little endian, and nothing else. The
/// disk is asked for the room before; the file appears whole or not at all.
///
/// # Errors
/// [`Error::Parameter`] if the disk has not the room, before `body` is called; [`Error::Io`] if writing fails; those of
/// `body`.
pub fn write_npy<T: Float>(path: &Path, count: usize, body: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let header = header::<T>(count);
    check_room(path, header.len() as u64 + (count * T::BYTES) as u64)?;
    write_with(path, |file| {
        file.write_all(&header).map_err(io_error(path, "write"))?;
        body(file)
    })
}

/// Reads an .npy file of f32 or f64: the columns of an array of shape (n, columns), or the one of shape (n,). Numbers
/// that are not finite pass; [`Points`] refuses them.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] for a file that is no such array, is cut short or too long, or holds more than
/// memory does.
pub fn read_npy(path: &Path) -> Result<Vec<Vec<f64>>> {
    let file = File::open(path).map_err(io_error(path, "open"))?;
    let length = file.metadata().map_err(io_error(path, "open"))?.len();
    read_array(path, BufReader::with_capacity(1 << 20, file), length)
}

/// [`read_npy`] from bytes in memory, under a file's name.
///
/// # Errors
/// As [`read_npy`].
pub fn read_npy_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Vec<Vec<f64>>> {
    read_array(name.as_ref(), bytes, bytes.len() as u64)
}

fn read_array(path: &Path, mut file: impl Read, length: u64) -> Result<Vec<Vec<f64>>> {
    let wrong = |problem: String| Error::Format { path: path.into(), format: "NumPy", problem };
    let mut start = [0; 8];
    let cut = |error: std::io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => wrong("it ends within its header".into()),
        _ => io_error(path, "read")(error),
    };
    file.read_exact(&mut start).map_err(cut)?;
    if &start[..6] != b"\x93NUMPY" || !(1..=3).contains(&start[6]) {
        return Err(wrong("it does not begin as numpy.save writes it, in version 1 to 3".into()));
    }
    let mut size = [0; 4];
    let digits = if start[6] == 1 { 2 } else { 4 };
    file.read_exact(&mut size[..digits]).map_err(cut)?;
    let size = u64::from(u32::from_le_bytes(size));
    let mut text = Vec::new();
    (&mut file).take(size).read_to_end(&mut text).map_err(io_error(path, "read"))?;
    let text = String::from_utf8_lossy(&text);
    let Array { bytes, by_columns, rows, columns } = Array::of(&text).map_err(wrong)?;

    let data = length.saturating_sub(8 + digits as u64 + size);
    let wanted = u128::from(rows) * columns as u128 * bytes as u128;
    if wanted != u128::from(data) {
        return Err(wrong(format!("{rows} x {columns} numbers of {bytes} bytes are promised, {data} bytes follow")));
    }
    let count = rows as usize * columns;
    if !memory::has_room(8 * count as u128) {
        return Err(wrong(format!(
            "{rows} x {columns} numbers take {} bytes, more than there is memory",
            8 * count as u128
        )));
    }
    // as many as the file has: memory that a false header asks for is not reserved
    let mut all = vec![Vec::with_capacity(rows as usize); columns];
    let mut number = [0; 8];
    for k in 0..count {
        file.read_exact(&mut number[..bytes]).map_err(io_error(path, "read"))?;
        let value = match number {
            [a, b, c, d, ..] if bytes == 4 => f64::from(f32::from_le_bytes([a, b, c, d])),
            all => f64::from_le_bytes(all),
        };
        all[if by_columns { k / rows as usize } else { k % columns }].push(value);
    }
    Ok(all)
}

/// At most 200 characters of a header, for an error.
fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}

/// What an .npy header says.
#[derive(Debug, PartialEq)]
struct Array {
    /// Of a number.
    bytes: usize,
    by_columns: bool,
    rows: u64,
    columns: usize,
}

impl Array {
    fn of(text: &str) -> Result<Self, String> {
        let entry = |key: &str| {
            let (_, after) = text
                .split_once(&format!("'{key}':"))
                .ok_or_else(|| format!("its header has no '{key}': {}", shown(text)))?;
            Ok::<_, String>(after.trim_start())
        };
        let descr = entry("descr")?;
        let bytes = match descr.split('\'').nth(1) {
            Some("<f8") => 8,
            Some("<f4") => 4,
            _ => {
                let descr = shown(descr.split(',').next().unwrap_or(descr));
                return Err(format!("numbers of type {descr}: must be float64 or float32, array.astype('<f8')"));
            }
        };
        let shape = entry("shape")?;
        let inside = shape.strip_prefix('(').and_then(|s| s.split_once(')')).map_or("", |(inside, _)| inside);
        let axes = inside.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let axes: Vec<Option<u64>> = axes.map(|axis| axis.parse().ok()).collect();
        let (rows, columns) = match axes[..] {
            [Some(rows)] => (rows, 1),
            // every column takes memory of its own
            [Some(rows), Some(columns @ 1..=1_000_000)] => (rows, columns as usize),
            _ => {
                let inside = shown(inside);
                return Err(format!("shape ({inside}): must be (points,) or (points, dimensions up to a million)"));
            }
        };
        Ok(Array { bytes, by_columns: entry("fortran_order")?.starts_with("True"), rows, columns })
    }
}

/// Computes the parts in order while the one before is written.
fn stream<T: Float>(
    n: usize,
    matrix: &Rows<'_, T>,
    parts: &[Range<usize>],
    file: &mut File,
    followed: &Followed<'_>,
) -> std::io::Result<()> {
    let (to_writer, parts_done) = mpsc::sync_channel::<Vec<T>>(0);
    let (to_worker, buffers) = mpsc::channel::<Vec<T>>();
    for _ in 0..2 {
        // the receiver lives as long as this function
        let _ = to_worker.send(Vec::new());
    }
    std::thread::scope(|scope| {
        let write = move || -> std::io::Result<()> {
            let mut bytes = Vec::new();
            for part in parts_done {
                // in pieces, so that the copy in the file's byte order stays in the cache
                for piece in part.chunks(1 << 16) {
                    bytes.clear();
                    T::write_le(piece, &mut bytes);
                    file.write_all(&bytes)?;
                }
                // the worker may be done and gone
                let _ = to_worker.send(part);
            }
            Ok(())
        };
        let writer = std::thread::Builder::new().spawn_scoped(scope, write)?;
        for rows in parts {
            if followed.outcome().is_err() {
                break; // the file is not kept
            }
            // if the writer failed, no buffer comes back: its error is the one to return
            let Ok(mut part) = buffers.recv() else { break };
            part.resize(row_start(n, rows.end) - row_start(n, rows.start), T::default());
            matrix.fill(rows.clone(), &mut part, false, followed);
            if to_writer.send(part).is_err() {
                break;
            }
        }
        drop(to_writer);
        writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Rows cut so that each part fills the buffer, or is a single row that is longer.
fn parts<T: Float>(n: usize, buffer: usize) -> Vec<Range<usize>> {
    let room = (buffer / T::BYTES).max(1);
    let mut parts = Vec::new();
    let mut first = 0;
    while first + 1 < n {
        let mut last = first + 1;
        while last + 1 < n && row_start(n, last + 1) - row_start(n, first) <= room {
            last += 1;
        }
        parts.push(first..last);
        first = last;
    }
    parts
}

/// Numpy's header, version 1.0, padded with blanks to a multiple of 64 bytes [Kern 2007].
fn header<T: Float>(count: usize) -> Vec<u8> {
    let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({count},), }}", T::NPY);
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header.resize(10 + length - 1, b' ');
    header.push(b'\n');
    header
}
