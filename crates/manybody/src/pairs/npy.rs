//! The packed distance matrix straight to an .npy file, however large.
//!
//! Rows are computed into one of two buffers while the other is written, so neither the memory nor the time of the
//! writing limits the size: only the disk does, and it is asked for the room before the work starts. The file appears
//! whole or not at all. `numpy.load(path, mmap_mode="r")` reads it without loading it.

use super::distances::{distance_count, row_start, rows_into};
use super::points::parameter;
use super::{Float, Points};
use crate::Result;
use crate::snapshot::atomic::{io_error, write_with};
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc;

/// Bytes of a buffer: long enough that the disk sees long writes, short enough for any machine.
const BUFFER: usize = 32 << 20;

/// Writes the packed distance matrix to `path` in numpy's format (one axis, little endian, the number type of the
/// points), and returns how many distances it has. Takes two buffers of 32 MiB, or of one row if that is longer.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if the disk has not the room, before anything is computed; [`Error::Io`](crate::Error::Io) if writing fails.
/// Neither leaves a file behind, nor touches one that was there.
///
/// ```no_run
/// use manybody::pairs::{Points, write_distance_matrix};
/// let points = Points::from_rows(&vec![0.5_f32; 300_000], 3)?; // 100,000 points: 20 GB
/// write_distance_matrix(&points, "distances.npy".as_ref())?;
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn write_distance_matrix<T: Float>(points: &Points<T>, path: &Path) -> Result<u64> {
    write_in_parts(points, path, BUFFER)
}

/// [`write_distance_matrix`] with a chosen buffer, in bytes.
pub(super) fn write_in_parts<T: Float>(points: &Points<T>, path: &Path, buffer: usize) -> Result<u64> {
    let count = distance_count::<T>(points.len())?;
    let header = header::<T>(count);
    check_room(path, header.len() as u64 + (count * T::BYTES) as u64)?;
    write_with(path, |file| {
        file.write_all(&header).map_err(io_error(path, "write"))?;
        let parts = parts::<T>(points.len(), buffer);
        stream(points, &parts, file).map_err(io_error(path, "write"))
    })?;
    Ok(count as u64)
}

/// Computes the parts in order while the one before is written.
fn stream<T: Float>(points: &Points<T>, parts: &[Range<usize>], file: &mut File) -> std::io::Result<()> {
    let n = points.len();
    let (to_writer, parts_done) = mpsc::sync_channel::<Vec<T>>(0);
    let (to_worker, buffers) = mpsc::channel::<Vec<T>>();
    for _ in 0..2 {
        // the receiver lives as long as this function
        let _ = to_worker.send(Vec::new());
    }
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || -> std::io::Result<()> {
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
        });
        for rows in parts {
            // if the writer failed, no buffer comes back: its error is the one to return
            let Ok(mut part) = buffers.recv() else { break };
            part.resize(row_start(n, rows.end) - row_start(n, rows.start), T::default());
            rows_into(points, rows.clone(), &mut part);
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

/// Refuses a file for which the disk has no room.
fn check_room(path: &Path, wanted: u64) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let room = fs4::available_space(folder).map_err(io_error(folder, "ask the free space of"))?;
    if wanted > room {
        let value = path.display().to_string();
        let expected = format!("{wanted} bytes are wanted in that folder, {room} are free");
        return Err(parameter("output", &value, expected));
    }
    Ok(())
}
