//! Which spheres touch, on a device: every pair is tested; touching pairs are counted first, then listed, so that the
//! length of the list has no limit.

use crate::Number;
use crate::compute::{Access, Buffer, Compiled, Followed, Gpu, Kernel, Rounding, Start, no_watch};
use crate::maps::{DeviceMap, MAPS_CUDA, section};
use crate::wgpu::repeat::{Counts, expand};
use manybody_law::map::{Triangle, triangular};
use manybody_law::{Device, Error, Result};
use manybody_pairs::{Float, Spheres};
use manybody_pairwise::watch::Watch;
use rayon::prelude::*;

const CUDA: &str = include_str!("kernels/collisions.cu");
const WGSL: &str = include_str!("kernels/collisions.wgsl");
pub(crate) const PRELUDE: &str = include_str!("kernels/prelude.cuh");

/// Threads of a block, and spheres i of each.
const THREADS: usize = 128;
const PER_THREAD: usize = 8;
/// Spheres of a tile.
const TILE: usize = THREADS * PER_THREAD;
/// Blocks of one launch: a second of work at most on any GPU.
const BLOCKS: u64 = 1 << 20;
/// On a device that computes on the CPU.
const FEW_BLOCKS: u64 = 1 << 10;
/// Pairs that are listed at a time.
const PAIRS: u64 = 1 << 26;

/// Spheres on a device.
pub struct DeviceSpheres<'a> {
    gpu: &'a Gpu,
    n: usize,
    spheres: Buffer,
    count: Compiled,
    list: Compiled,
    /// Words of marks a block: one a warp, or one a workgroup.
    marks: usize,
    domain: [u32; 5],
    tiles: u64,
    watch: Watch,
}

/// What counting has found in a range of blocks.
struct Counted {
    first: u64,
    blocks: u64,
    counts: Vec<u32>,
    masks: Buffer,
}

/// Whether numbers of this type have 8 bytes.
fn double<T: Float>() -> bool {
    T::BYTES == 8
}

/// The kernels: counting and listing.
pub fn kernels(dimensions: usize, double: bool) -> Result<[Kernel; 2]> {
    use Access::{Read, Write};
    let device_map = DeviceMap::of(Triangle::Lambda);
    let [macro_call, call] = device_map.calls();
    // a thread's spheres and the tile are twice as large in f64
    let constants = format!(
        "#define REAL_IS_DOUBLE {}\n#define DIMENSIONS {dimensions}\n#define K {PER_THREAD}\n#define B {THREADS}\n",
        u32::from(double)
    );
    let cuda = [&constants, PRELUDE, MAPS_CUDA, &macro_call, CUDA].join("\n");
    let square = ["d.x * d.x", "dot(d.xy, d.xy)", "dot(d.xyz, d.xyz)"][dimensions.clamp(1, 3) - 1];
    let counts = Counts::of_threads(PER_THREAD, vec![("T", TILE), ("B", THREADS)]);
    let kernel = |entry: &'static str, access| {
        let text = section(WGSL, entry).replace("$MAP", &call).replace("$SQUARE", square);
        let wgsl = if double { String::new() } else { format!("{}{}", device_map.wgsl(), expand(&text, &counts)) };
        Kernel { cuda: cuda.clone(), wgsl, entry, block: [THREADS as u32, 1], access, rounding: Rounding::AsWritten }
    };
    Ok([kernel("count", vec![Read, Write, Write]), kernel("list", vec![Read, Read, Read, Write])])
}

impl<'a> DeviceSpheres<'a> {
    /// Brings spheres to the device.
    ///
    /// # Errors
    /// [`Error::Parameter`] for f64 on a device without it, or more than 94,905,344 spheres; [`Error::Device`].
    pub fn new<T: Number>(gpu: &'a Gpu, spheres: &Spheres<T>) -> Result<Self> {
        if double::<T>() && !gpu.has_double() {
            return Err(no_double());
        }
        let (n, dimensions) = (spheres.len(), spheres.centers().dimensions());
        let nb = n.div_ceil(TILE) as u64;
        if nb > 92_681 {
            let expected = format!("must be at most {} spheres on a device", 92_681 * TILE);
            return Err(Error::Parameter { name: "spheres", value: n.to_string(), expected });
        }
        let mut records = vec![T::from_f64(f64::NAN); 4 * nb as usize * TILE];
        for (i, record) in records.chunks_exact_mut(4).take(n).enumerate() {
            record.fill(T::default());
            (0..dimensions).for_each(|d| record[d] = spheres.centers().column(d)[i]);
            record[3] = spheres.radii()[i];
        }
        let [count, list] = kernels(dimensions, double::<T>())?;
        let cells = triangular(nb).unwrap_or_default() as u32;
        Ok(DeviceSpheres {
            gpu,
            n,
            spheres: gpu.filled(bytemuck::cast_slice(&records))?,
            count: gpu.compile(&count)?,
            list: gpu.compile(&list)?,
            marks: if gpu.device() == Device::Cuda { THREADS / 32 } else { 1 },
            domain: [nb as u32, 0, cells, 0, 32],
            tiles: nb,
            watch: no_watch(),
        })
    }

    /// Reports to a watch how far a long computation is, and ends early where that asks for it.
    pub fn watched(self, watch: &Watch) -> Self {
        DeviceSpheres { watch: watch.clone(), ..self }
    }

    fn blocks(&self) -> u64 {
        triangular(self.tiles).unwrap_or_default()
    }

    fn at_once(&self) -> u64 {
        if self.gpu.is_software() { FEW_BLOCKS } else { BLOCKS }
    }

    fn words(&self, first: u64, blocks: u64) -> Vec<u32> {
        let mut words = self.domain.to_vec();
        words.extend([first as u32, blocks as u32]);
        words
    }

    fn count_blocks(&self, first: u64) -> Result<Counted> {
        let blocks = self.at_once().min(self.blocks() - first);
        let counts = self.gpu.zeros(4 * blocks)?;
        let masks = self.gpu.zeros(4 * blocks * self.marks as u64)?;
        let buffers = vec![&self.spheres, &counts, &masks];
        let words = self.words(first, blocks);
        self.gpu.start(&[Start { kernel: &self.count, grid: fold(blocks), buffers, words }])?;
        let counts = bytemuck::pod_collect_to_vec(&self.gpu.read(&counts, 4 * blocks)?);
        Ok(Counted { first, blocks, counts, masks })
    }

    /// How many pairs touch.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn count(&self) -> Result<u64> {
        let followed = Followed::begin(self.gpu, &self.watch, self.pairs(), self.blocks());
        let (mut first, mut total) = (0, 0);
        while first < self.blocks() {
            let counted = self.count_blocks(first)?;
            total += counted.counts.iter().map(|c| u64::from(*c)).sum::<u64>();
            first += counted.blocks;
            followed.count(counted.blocks)?;
        }
        Ok(total)
    }

    /// The pairs that touch, \[i, j\] with i < j, ordered by i, then by j.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::Parameter`] if the memory for the list is not available.
    pub fn list(&self) -> Result<Vec<[u32; 2]>> {
        let mut all: Vec<[u32; 2]> = Vec::new();
        let followed = Followed::begin(self.gpu, &self.watch, self.pairs(), self.blocks());
        let mut first = 0;
        while first < self.blocks() {
            let counted = self.count_blocks(first)?;
            self.list_counted(&counted, &mut all)?;
            first += counted.blocks;
            followed.count(counted.blocks)?;
        }
        all.par_sort_unstable();
        Ok(all)
    }

    fn list_counted(&self, counted: &Counted, all: &mut Vec<[u32; 2]>) -> Result<()> {
        let mut from = 0;
        while from < counted.counts.len() {
            // as many blocks as the list of one launch takes; a block of a million pairs always fits
            let mut starts = vec![0_u32];
            for count in &counted.counts[from..] {
                let next = u64::from(starts[starts.len() - 1]) + u64::from(*count);
                if next > PAIRS {
                    break;
                }
                starts.push(next as u32);
            }
            let blocks = starts.len() - 1;
            let found = starts[blocks] as usize;
            if found > 0 {
                all.try_reserve(found).map_err(|_| {
                    let expected = "needs memory of 8 bytes a touching pair".into();
                    Error::Parameter { name: "collisions", value: format!("over {found} touching pairs"), expected }
                })?;
                let starts = self.gpu.filled(bytemuck::cast_slice(&starts))?;
                let pairs = self.gpu.zeros(8 * found as u64)?;
                let part = self.marks_of(counted, from, blocks)?;
                let buffers = vec![&self.spheres, &starts, &part, &pairs];
                let words = self.words(counted.first + from as u64, blocks as u64);
                self.gpu.start(&[Start { kernel: &self.list, grid: fold(blocks as u64), buffers, words }])?;
                let bytes = self.gpu.read(&pairs, 8 * found as u64)?;
                all.extend(bytemuck::pod_collect_to_vec::<u8, [u32; 2]>(&bytes));
            }
            from += blocks;
        }
        Ok(())
    }

    /// The marks of some of the blocks counted.
    fn marks_of(&self, counted: &Counted, from: usize, blocks: usize) -> Result<Buffer> {
        let bytes = self.gpu.read(&counted.masks, 4 * counted.blocks * self.marks as u64)?;
        self.gpu.filled(&bytes[4 * from * self.marks..4 * (from + blocks) * self.marks])
    }

    /// Pairs tested.
    pub fn pairs(&self) -> u64 {
        triangular((self.n as u64).saturating_sub(1)).unwrap_or_default()
    }

    /// Seconds that the device needs to count and to list, each the mean of `repeats`: kernels alone. For spheres whose
    /// blocks are one launch.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::Parameter`] for more blocks.
    pub fn seconds(&self, repeats: usize) -> Result<[f64; 2]> {
        let blocks = self.blocks();
        if blocks > self.at_once() || blocks == 0 {
            let expected = "must be a number of spheres that one launch can test".into();
            return Err(Error::Parameter { name: "spheres", value: self.n.to_string(), expected });
        }
        let counted = self.count_blocks(0)?;
        let counts = self.gpu.zeros(4 * blocks)?;
        let buffers = vec![&self.spheres, &counts, &counted.masks];
        let words = self.words(0, blocks);
        let start = Start { kernel: &self.count, grid: fold(blocks), buffers, words: words.clone() };
        let counting = self.gpu.seconds(&[start], repeats)?;
        let mut starts = vec![0_u32];
        for count in &counted.counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let found = starts[starts.len() - 1];
        let starts = self.gpu.filled(bytemuck::cast_slice(&starts))?;
        let pairs = self.gpu.zeros(8 * u64::from(found))?;
        let buffers = vec![&self.spheres, &starts, &counted.masks, &pairs];
        let start = Start { kernel: &self.list, grid: fold(blocks), buffers, words };
        Ok([counting, self.gpu.seconds(&[start], repeats)?])
    }
}

/// A launch of so many blocks that every device takes; kernels ignore what is too many.
pub(crate) fn fold(blocks: u64) -> [u32; 3] {
    const AXIS: u64 = 65_535;
    [blocks.min(AXIS) as u32, blocks.div_ceil(AXIS) as u32, 1]
}

pub(crate) fn no_double() -> Error {
    Error::Parameter {
        name: "precision",
        value: "f64".into(),
        expected: "the device wgpu computes in f32; cuda and cpu also in f64".into(),
    }
}

/// The pairs of spheres that touch, \[i, j\] with i < j, ordered by i, then by j. On CUDA the same list as
/// [`manybody_pairs::collisions`]; on wgpu, pairs whose surfaces meet within a rounding may fall either way.
///
/// # Errors
/// As [`DeviceSpheres::new`] and [`DeviceSpheres::list`].
pub fn collisions<T: Number>(gpu: &Gpu, spheres: &Spheres<T>) -> Result<Vec<[u32; 2]>> {
    DeviceSpheres::new(gpu, spheres)?.list()
}

/// The same, followed by a watch.
///
/// # Errors
/// As [`collisions`], and [`Error::Interrupted`] where the watch asks for an end.
pub fn collisions_watched<T: Number>(gpu: &Gpu, spheres: &Spheres<T>, watch: &Watch) -> Result<Vec<[u32; 2]>> {
    DeviceSpheres::new(gpu, spheres)?.watched(watch).list()
}

/// How many pairs of spheres touch.
///
/// # Errors
/// As [`collisions`].
pub fn count_collisions<T: Number>(gpu: &Gpu, spheres: &Spheres<T>) -> Result<u64> {
    DeviceSpheres::new(gpu, spheres)?.count()
}

/// The same, followed by a watch.
///
/// # Errors
/// As [`collisions_watched`].
pub fn count_collisions_watched<T: Number>(gpu: &Gpu, spheres: &Spheres<T>, watch: &Watch) -> Result<u64> {
    DeviceSpheres::new(gpu, spheres)?.watched(watch).count()
}
