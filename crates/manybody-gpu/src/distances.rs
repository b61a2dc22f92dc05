//! The packed distance matrix on a device, in parts where it is larger than the device's memory; also straight to a file.

use crate::Number;
use crate::collisions::{PRELUDE, fold, no_double};
use crate::compute::{Access, Buffer, Compiled, Followed, Gpu, Kernel, Rounding, Start, no_watch};
use crate::maps::{DeviceMap, MAPS_CUDA};
use manybody_law::atomic::io_error;
use manybody_law::map::{Triangle, triangular};
use manybody_law::{Device, Error, Result};
use manybody_pairs::{Points, distance_count, write_npy};
use manybody_pairwise::watch::Watch;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc;

const CUDA: &str = include_str!("kernels/distances.cu");
const WGSL: &str = include_str!("kernels/distances.wgsl");

/// Threads of a block in CUDA, and groups of eight rows.
const THREADS: usize = 128;
const GROUPS: usize = 2;
/// Rows and columns of a tile in WGSL.
const TILE_WGSL: usize = 128;
/// Dimensions at most: 2^16 pieces of four numbers.
const DIMENSIONS: usize = 1 << 18;
/// On a device that computes on the CPU: Mesa's llvmpipe ends all loops of a thread after 65,535 turns, without an
/// error. A thread goes through 128 rows, four dimensions a turn.
const FEW_DIMENSIONS: usize = 2000;
/// Bytes of a part that is brought back, and of one that is written while the next is computed.
const PART: u64 = 1 << 30;
const PART_OF_FILE: u64 = 256 << 20;

/// What is stored of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The distance.
    Euclidean,
    /// Its square.
    Squared,
}

/// How the kernel is cut, on CUDA; in WGSL a thread has one column and a block 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Threads of a block, a power of 2, each with four columns.
    pub threads: usize,
    /// Groups of eight rows that a block does one after the other, a power of 2.
    pub groups: usize,
    /// Whether stores hint to the cache that nothing reads them soon.
    pub streaming: bool,
}

impl Shape {
    fn columns(self) -> usize {
        4 * self.threads
    }

    /// Blocks below each other in a square tile.
    fn slabs(self) -> usize {
        self.columns() / (8 * self.groups)
    }
}

impl Default for Shape {
    fn default() -> Self {
        Shape { threads: THREADS, groups: GROUPS, streaming: true }
    }
}

/// Points on a device.
pub struct DevicePoints<'a> {
    gpu: &'a Gpu,
    n: usize,
    bytes: usize,
    tile: usize,
    /// Blocks of a tile.
    slabs: u64,
    points: Buffer,
    kernel: Compiled,
    watch: Watch,
}

/// Whether a thread has its points in registers, in CUDA.
fn are_few(dimensions: usize, double: bool) -> bool {
    dimensions <= if double { 4 } else { 8 }
}

/// The kernel for points of so many dimensions.
pub fn kernel(dimensions: usize, double: bool, metric: Metric, shape: Shape) -> Kernel {
    let device_map = DeviceMap::of(Triangle::Lambda);
    let [_, call] = device_map.calls();
    let constants = format!(
        "#define REAL_IS_DOUBLE {}\n#define DIMENSIONS {dimensions}\n#define SQUARED {}\n#define FEW {}\n\
         #define STREAMING {}\n#define GROUPS {}\n#define B {}\n",
        u32::from(double),
        u32::from(metric == Metric::Squared),
        u32::from(are_few(dimensions, double)),
        u32::from(shape.streaming),
        shape.groups,
        shape.threads
    );
    let text = WGSL
        .replace("$MAP", &call)
        .replace("$ROOT", if metric == Metric::Squared { "s" } else { "sqrt(s)" })
        .replace("$PIECES", &dimensions.div_ceil(4).to_string())
        .replace("$T", &TILE_WGSL.to_string());
    Kernel {
        cuda: [&constants, PRELUDE, MAPS_CUDA, CUDA].join("\n"),
        wgsl: if double { String::new() } else { format!("{}{text}", device_map.wgsl()) },
        entry: "distances",
        block: [shape.threads as u32, 1],
        access: vec![Access::Read, Access::Write],
        rounding: Rounding::Fast,
    }
}

impl<'a> DevicePoints<'a> {
    /// Brings points to the device.
    ///
    /// # Errors
    /// [`Error::Parameter`] for f64 on a device without it, more points than blocks can be numbered for in 32 bits
    /// (millions), or a matrix that cannot be addressed; [`Error::Device`].
    pub fn new<T: Number>(gpu: &'a Gpu, points: &Points<T>, metric: Metric) -> Result<Self> {
        Self::with_shape(gpu, points, metric, Shape::default())
    }

    /// [`new`](Self::new) with a chosen shape of the kernel.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_shape<T: Number>(gpu: &'a Gpu, points: &Points<T>, metric: Metric, shape: Shape) -> Result<Self> {
        let double = T::BYTES == 8;
        if double && !gpu.has_double() {
            return Err(no_double());
        }
        let (n, dimensions) = (points.len(), points.dimensions());
        distance_count::<T>(n)?;
        let on_cuda = gpu.device() == Device::Cuda;
        let (tile, slabs) = if on_cuda { (shape.columns(), shape.slabs() as u64) } else { (TILE_WGSL, 1) };
        // blocks are numbered in 32 bits
        let most = tile * (f64::from(u32::MAX) * 2.0 / slabs as f64).sqrt() as usize - tile;
        let most_dimensions = if gpu.is_software() { FEW_DIMENSIONS } else { DIMENSIONS };
        if dimensions > most_dimensions || n > most {
            return Err(Error::Parameter {
                name: "points",
                value: format!("{n} of {dimensions} dimensions"),
                expected: format!("must be at most {most} points of at most {most_dimensions} dimensions"),
            });
        }
        let padded = n.div_ceil(tile).max(1) * tile;
        // a thread on CUDA reads the next four points too
        let few = on_cuda && are_few(dimensions, double);
        let room = if few { (padded + tile) * dimensions } else { 4 * padded * dimensions.div_ceil(4) };
        let mut pieces = vec![T::default(); room];
        for d in 0..dimensions {
            let (piece, stride) = if few {
                (&mut pieces[d * (padded + tile)..], 1)
            } else {
                (&mut pieces[d / 4 * 4 * padded + d % 4..], 4)
            };
            // from the end, as the kernel counts
            points.column(d).iter().rev().enumerate().for_each(|(a, x)| piece[stride * a] = *x);
        }
        let kernel = gpu.compile(&kernel(dimensions, double, metric, shape))?;
        let points = gpu.filled(bytemuck::cast_slice(&pieces))?;
        Ok(DevicePoints { gpu, n, bytes: T::BYTES, tile, slabs, points, kernel, watch: no_watch() })
    }

    /// Reports to a watch how far a long computation is, and ends early where that asks for it.
    pub fn watched(self, watch: &Watch) -> Self {
        DevicePoints { watch: watch.clone(), ..self }
    }

    fn pairs_before(&self, tile_row: usize) -> u64 {
        let a = (tile_row * self.tile).min(self.n) as u64;
        a * a.saturating_sub(1) / 2
    }

    fn start<'b>(&'b self, out: &'b Buffer, rows: [usize; 2]) -> Start<'b> {
        let [low, high] = rows;
        let nb = self.n.div_ceil(self.tile) as u64;
        let first = self.slabs * triangular(low as u64).unwrap_or_default();
        let blocks = self.slabs * triangular(high as u64).unwrap_or_default() - first;
        // the part holds the rows [low, high) counted from the end, and ends where row `low` does
        let end = self.pairs_before(high);
        let cells = triangular(nb).unwrap_or_default() as u32;
        let words = vec![
            nb as u32,
            0,
            cells,
            0,
            32,
            first as u32,
            blocks as u32,
            self.n as u32,
            0,
            end as u32,
            (end >> 32) as u32,
        ];
        Start { kernel: &self.kernel, grid: fold(blocks), buffers: vec![&self.points, out], words }
    }

    /// The matrix in parts, in order, each handed to `take` as bytes of at most `limit` (or of one row of tiles).
    ///
    /// # Errors
    /// [`Error::Device`]; those of `take`.
    pub fn in_parts(&self, limit: u64, mut take: impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
        let mut high = self.n.div_ceil(self.tile);
        let all = self.pairs_before(high);
        let followed = Followed::begin(self.gpu, &self.watch, all, all);
        while high > 0 {
            let mut low = high - 1;
            let bytes = |low: usize| (self.pairs_before(high) - self.pairs_before(low)) * self.bytes as u64;
            while low > 0 && bytes(low - 1) <= limit {
                low -= 1;
            }
            let size = bytes(low);
            if size > 0 {
                let out = self.gpu.zeros(size)?;
                self.gpu.start(&[self.start(&out, [low, high])])?;
                take(self.gpu.read(&out, size)?)?;
                followed.count(size / self.bytes as u64)?;
            }
            high = low;
        }
        Ok(())
    }

    /// Seconds that the device needs for the whole matrix in its memory, the mean of `repeats`, and that memory.
    ///
    /// # Errors
    /// [`Error::Device`] if the matrix does not fit.
    pub fn seconds(&self, repeats: usize) -> Result<(f64, Buffer)> {
        let out = self.gpu.zeros(self.pairs_before(self.n.div_ceil(self.tile)) * self.bytes as u64)?;
        Ok((self.seconds_into(&out, repeats)?, out))
    }

    /// The same with memory that is there already, as [`seconds`](Self::seconds) gave it.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn seconds_into(&self, out: &Buffer, repeats: usize) -> Result<f64> {
        self.gpu.seconds(&[self.start(out, [0, self.n.div_ceil(self.tile)])], repeats)
    }
}

/// The packed distance matrix: \[n(n-1)/2\], in the order of SciPy's `pdist`, the unit of the coordinates or its square.
///
/// Sums and roots of f32 on a device are within a few units of the last place of those of
/// [`manybody_pairs::distance_matrix`].
///
/// # Errors
/// As [`DevicePoints::new`]; [`Error::Parameter`] if the memory for the matrix is not available.
pub fn distance_matrix<T: Number>(gpu: &Gpu, points: &Points<T>, metric: Metric) -> Result<Vec<T>> {
    let count = distance_count::<T>(points.len())?;
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|_| {
        let expected = format!("needs {} bytes of memory for the matrix", count * T::BYTES);
        Error::Parameter { name: "n", value: points.len().to_string(), expected }
    })?;
    let limit = PART.min(gpu.largest_buffer() / 4);
    DevicePoints::new(gpu, points, metric)?.in_parts(limit, |bytes| {
        all.extend(bytemuck::pod_collect_to_vec::<u8, T>(&bytes));
        Ok(())
    })?;
    Ok(all)
}

/// Writes the packed distance matrix to `path` in NumPy's format, and returns how many distances it has: the device's form
/// of [`manybody_pairs::write_distance_matrix`]. A part of 256 MiB, or of a row of tiles if that is more, is written while
/// the next is computed; three of them are in memory at a time.
///
/// # Errors
/// [`Error::Parameter`] if the disk has not the room, before anything is computed; as [`DevicePoints::new`];
/// [`Error::Io`] if writing fails. Neither leaves a file behind, nor touches one that was there.
pub fn write_distance_matrix<T: Number>(gpu: &Gpu, points: &Points<T>, path: &Path) -> Result<u64> {
    write_distance_matrix_watched(gpu, points, path, &no_watch())
}

/// The same, followed by a watch.
///
/// # Errors
/// As [`write_distance_matrix`], and [`Error::Interrupted`] where the watch asks for an end.
pub fn write_distance_matrix_watched<T: Number>(
    gpu: &Gpu,
    points: &Points<T>,
    path: &Path,
    watch: &Watch,
) -> Result<u64> {
    write_in_parts(gpu, points, path, PART_OF_FILE.min(gpu.largest_buffer() / 4), watch)
}

/// [`write_distance_matrix_watched`] in parts of at most `limit` bytes, or of a row of tiles.
///
/// # Errors
/// As [`write_distance_matrix_watched`].
pub fn write_in_parts<T: Number>(gpu: &Gpu, points: &Points<T>, path: &Path, limit: u64, watch: &Watch) -> Result<u64> {
    let count = distance_count::<T>(points.len())?;
    write_npy::<T>(path, count, |file| {
        let device = DevicePoints::new(gpu, points, Metric::Euclidean)?.watched(watch);
        let (to_writer, parts) = mpsc::sync_channel::<Vec<u8>>(0);
        std::thread::scope(|scope| {
            // the device's numbers are little endian, as the file's
            let write = move || parts.into_iter().try_for_each(|part| file.write_all(&part));
            let writer = std::thread::Builder::new().spawn_scoped(scope, write);
            let writer = writer.map_err(io_error(path, "start a thread that writes"))?;
            let computed = device.in_parts(limit, |part| {
                // a writer that has ended returns its own error, which is reported instead of this one
                to_writer.send(part).map_err(|_| io_error(path, "write")(std::io::ErrorKind::BrokenPipe.into()))
            });
            drop(to_writer);
            let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            written.map_err(io_error(path, "write")).and(computed)
        })
    })?;
    Ok(count as u64)
}
