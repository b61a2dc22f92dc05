//! The kernels of Navarro, Bustos and Hitschfeld's figure 5 on a device: what each map costs, measured as the paper did.
//!
//! 16 x 16 pairs a block, one a thread; EDM reads global memory, collisions read tiles in shared memory, UTM maps threads
//! instead of blocks. Each answer is checked: every distance, every touch counted.

use crate::compute::{Access, Buffer, Compiled, Gpu, Kernel, Rounding, Start};
use crate::maps::{self, DeviceMap, Launch, MAPS_CUDA, TYPES_CUDA, section};
use manybody_law::map::{Diagonal, Triangle};
use manybody_law::{Error, Result};

const CUDA: &str = include_str!("kernels/figure5.cu");
const WGSL: &str = include_str!("kernels/figure5.wgsl");
const FILL_CUDA: &str = include_str!("kernels/fill.cu");
const FILL_WGSL: &str = include_str!("kernels/fill.wgsl");

/// Bytes of the counts of touches.
const COUNTS: u64 = 4 << 16;
/// Pairs on a side of a block.
const SIDE: u64 = 16;

/// What is done with a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// Nothing: the map alone. Not in the paper, whose dummy kernel spends its time on the one word all threads write.
    MapOnly,
    /// i + j goes to one place in memory.
    Dummy,
    /// The Euclidean distance of four features is stored.
    Edm4,
    /// Spheres on a line that touch are counted.
    Collide1,
    /// Spheres in space that touch are counted.
    Collide3,
}

impl Test {
    /// All, in the order of the paper.
    pub const ALL: [Test; 5] = [Test::MapOnly, Test::Dummy, Test::Edm4, Test::Collide1, Test::Collide3];

    /// A name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Test::MapOnly => "map only",
            Test::Dummy => "dummy",
            Test::Edm4 => "4D EDM",
            Test::Collide1 => "collisions 1D",
            Test::Collide3 => "collisions 3D",
        }
    }

    fn entry(self) -> Entry {
        match self {
            Test::MapOnly => Entry::MapOnly,
            Test::Dummy => Entry::Dummy,
            Test::Edm4 => Entry::Edm4,
            Test::Collide1 | Test::Collide3 => Entry::Collide,
        }
    }
}

/// A kernel of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    MapOnly,
    Dummy,
    Edm4,
    Collide,
    /// Compares what [`Edm4`](Entry::Edm4) has written.
    CheckEdm4,
}

impl Entry {
    fn name(self) -> &'static str {
        match self {
            Entry::MapOnly => "map_only",
            Entry::Dummy => "dummy",
            Entry::Edm4 => "edm4",
            Entry::Collide => "collide",
            Entry::CheckEdm4 => "edm4_check",
        }
    }

    /// What it does with its buffers.
    fn access(self) -> Vec<Access> {
        use Access::{Read, Write};
        match self {
            Entry::MapOnly | Entry::Dummy => vec![Write],
            Entry::Edm4 | Entry::Collide => vec![Read, Write],
            Entry::CheckEdm4 => vec![Read, Read, Write],
        }
    }
}

/// The strategies of figure 5. UTM maps threads, as published; its root is the corrected one.
pub const STRATEGIES: [Triangle; 5] =
    [Triangle::BoundingBox, Triangle::RectangularBox, Triangle::Recursive, Triangle::Utm, Triangle::Lambda];

/// Lambda by its square roots: exact, then the published ones (figure 3) as written and with product and sum fused.
pub const ROOTS: [Triangle; 7] = [
    Triangle::Lambda,
    Triangle::LambdaF32,
    Triangle::LambdaNewton,
    Triangle::LambdaNewtonFused,
    Triangle::LambdaRsqrt,
    Triangle::LambdaRsqrtFused,
    Triangle::LambdaF64,
];

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Seconds of all launches of the map.
    pub seconds: f64,
    /// Whether the answer was right; `None` where nothing can be checked (the kernels that compute nothing).
    pub is_right: Option<bool>,
}

/// A device with n points, which serve all tests: features of the distances, spheres x y z r of the collisions.
pub struct Bench<'a> {
    gpu: &'a Gpu,
    n: u32,
    points: Buffer,
    spheres: Buffer,
    /// One word, or a count for each of 65,536 groups of blocks.
    words: Buffer,
    /// The packed distances, made when first asked for.
    distances: Option<Buffer>,
    /// Touches on a line and in space, from the first strategy that counted them.
    touches: [Option<u32>; 2],
}

/// A strategy, compiled and ready to be timed.
pub struct Prepared {
    kernel: Compiled,
    launches: Vec<Launch>,
    test: Test,
}

impl<'a> Bench<'a> {
    /// `points` has four features a point, n x 4, and the same numbers are spheres: x, y, z, radius.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more points than pairs can be numbered in 32 bits (92,681), or fewer than 2;
    /// [`Error::Device`].
    pub fn new(gpu: &'a Gpu, points: &[[f32; 4]], spheres: &[[f32; 4]]) -> Result<Self> {
        let n = points.len();
        if !(2..=92_681).contains(&n) || spheres.len() != n {
            let expected = "must be from 2 to 92681 points, and as many spheres: 32 bits number their pairs".into();
            return Err(Error::Parameter { name: "n", value: n.to_string(), expected });
        }
        Ok(Bench {
            gpu,
            n: n as u32,
            points: gpu.filled(bytemuck::cast_slice(points))?,
            spheres: gpu.filled(bytemuck::cast_slice(spheres))?,
            words: gpu.zeros(COUNTS)?,
            distances: None,
            touches: [None; 2],
        })
    }

    /// Compiles a strategy for a test.
    ///
    /// # Errors
    /// [`Error::Parameter`] if its launch does not fit the device,
    /// [`Error::Device`].
    pub fn prepare(&self, test: Test, strategy: Triangle) -> Result<Prepared> {
        let n = u64::from(self.n);
        let launches = if strategy.is_upper_triangular() {
            // one launch of blocks of 256 pairs; the domain counts pairs
            let pairs = (n * (n - 1) / 2) as u32;
            let blocks = pairs.div_ceil(256);
            let width = blocks.min(65_535);
            vec![Launch { grid: [width, blocks.div_ceil(width)], domain: [self.n - 1, 1, pairs, 0, 32], first: 0 }]
        } else {
            let rows = n.div_ceil(SIDE);
            maps::launches_of(&*strategy.of(rows, Diagonal::With)?, rows, Diagonal::With)?
        };
        Ok(Prepared { kernel: self.gpu.compile(&kernel(test, strategy))?, launches, test })
    }

    /// Seconds of a prepared test, the mean of `repeats`, and whether its answer is right.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::Parameter`] if the distances do not fit the device.
    pub fn measure(&mut self, prepared: &Prepared, repeats: usize) -> Result<Timing> {
        let seconds = self.seconds(prepared, repeats)?;
        Ok(Timing { seconds, is_right: self.check(prepared)? })
    }

    /// Seconds of a prepared test alone, the mean of `repeats`.
    ///
    /// # Errors
    /// As [`measure`](Bench::measure).
    pub fn seconds(&mut self, prepared: &Prepared, repeats: usize) -> Result<f64> {
        self.make_room(prepared.test)?;
        self.gpu.seconds(&self.starts(prepared), repeats)
    }

    fn make_room(&mut self, test: Test) -> Result<()> {
        if test == Test::Edm4 && self.distances.is_none() {
            let n = u64::from(self.n);
            self.distances = Some(self.gpu.zeros(2 * n * (n - 1))?);
        }
        Ok(())
    }

    fn starts<'b>(&'b self, prepared: &'b Prepared) -> Vec<Start<'b>> {
        let buffers: Vec<&Buffer> = match (prepared.test, &self.distances) {
            (Test::Edm4, Some(distances)) => vec![&self.points, distances],
            (Test::Collide1 | Test::Collide3, _) => vec![&self.spheres, &self.words],
            _ => vec![&self.words],
        };
        let start = |launch: &Launch| {
            let mut words = launch.domain.to_vec();
            words.extend([self.n, u32::MAX]);
            let [x, y] = launch.grid;
            Start { kernel: &prepared.kernel, grid: [x, y, 1], buffers: buffers.clone(), words }
        };
        prepared.launches.iter().map(start).filter(|s| s.grid[0] > 0 && s.grid[1] > 0).collect()
    }

    /// Whether the test's answer is right, computed again.
    ///
    /// # Errors
    /// As [`measure`](Bench::measure).
    pub fn check(&mut self, prepared: &Prepared) -> Result<Option<bool>> {
        self.make_room(prepared.test)?;
        match (prepared.test, &self.distances) {
            (Test::MapOnly | Test::Dummy, _) => Ok(None),
            (Test::Edm4, Some(distances)) => {
                // what an earlier strategy wrote must not help this one
                let n = u64::from(self.n);
                fill(self.gpu, distances, 2 * n * (n - 1), f32::NAN, 1)?;
                self.gpu.start(&self.starts(prepared))?;
                let check = self.gpu.compile(&figure_kernel(Entry::CheckEdm4, Triangle::BoundingBox, false, false))?;
                let wrong = self.gpu.zeros(16)?;
                let rows = self.n - 1;
                let grid = [rows.min(65_535), rows.div_ceil(65_535), 1];
                let buffers = vec![&self.points, distances, &wrong];
                self.gpu.start(&[Start { kernel: &check, grid, buffers, words: vec![0, 0, 0, 0, 0, self.n] }])?;
                Ok(Some(self.gpu.read(&wrong, 4)? == [0; 4]))
            }
            (test, _) => {
                self.words = self.gpu.zeros(COUNTS)?;
                self.gpu.start(&self.starts(prepared))?;
                let counts: Vec<u32> = bytemuck::pod_collect_to_vec(&self.gpu.read(&self.words, COUNTS)?);
                let count = counts.iter().sum();
                let place = &mut self.touches[usize::from(test == Test::Collide3)];
                Ok(Some(*place.get_or_insert(count) == count))
            }
        }
    }

    /// Touches counted on a line and in space by the strategy that was checked first.
    pub fn touches(&self) -> [Option<u32>; 2] {
        self.touches
    }
}

/// The kernel of a test with a strategy.
pub fn kernel(test: Test, strategy: Triangle) -> Kernel {
    figure_kernel(test.entry(), strategy, strategy.is_upper_triangular(), test == Test::Collide1)
}

fn figure_kernel(entry: Entry, strategy: Triangle, threads: bool, one_dimension: bool) -> Kernel {
    let device_map = DeviceMap::of(strategy);
    let [macro_call, call] = device_map.calls();
    let constants = format!(
        "#define THREADS {}\n#define ONE_DIMENSION {}\n{macro_call}",
        u32::from(threads),
        u32::from(one_dimension)
    );
    let text = section(WGSL, entry.name())
        .replace("$MAP", &call)
        .replace("$THREADS", if threads { "true" } else { "false" })
        .replace("$ONE_DIMENSION", if one_dimension { "true" } else { "false" })
        .replace("$LEAVE", device_map.leaves());
    Kernel {
        cuda: [TYPES_CUDA, MAPS_CUDA, &constants, CUDA].join("\n"),
        wgsl: if device_map.in_wgsl { format!("{}{text}", device_map.wgsl()) } else { String::new() },
        entry: entry.name(),
        block: [16, 16],
        access: entry.access(),
        rounding: Rounding::Fast,
    }
}

/// The kernel that fills memory.
pub fn fill_kernel() -> Kernel {
    Kernel {
        cuda: format!("{TYPES_CUDA}{FILL_CUDA}"),
        wgsl: FILL_WGSL.into(),
        entry: "fill",
        block: [256, 1],
        access: vec![Access::Write],
        rounding: Rounding::Fast,
    }
}

/// Fills the first `bytes` of a buffer (whole sixteens of them) with a number; seconds, the mean of `repeats`.
///
/// # Errors
/// [`Error::Device`].
pub fn fill(gpu: &Gpu, buffer: &Buffer, bytes: u64, value: f32, repeats: usize) -> Result<f64> {
    let kernel = gpu.compile(&fill_kernel())?;
    let quads = bytes.div_ceil(16);
    let words = vec![quads as u32, (quads >> 32) as u32, value.to_bits()];
    let blocks = quads.div_ceil(256).min(if gpu.is_software() { 64 } else { 65_535 }) as u32;
    gpu.seconds(&[Start { kernel: &kernel, grid: [blocks.max(1), 1, 1], buffers: vec![buffer], words }], repeats)
}
