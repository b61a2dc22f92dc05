//! Any law over the triangle of its pairs, in tiles that a chosen index map hands out: mirrored or one-sided.
//!
//! Each tile pair has its slots, so the memory grows with the square of the bodies (12 bytes a body and tile for three
//! results in f32). It is there to compare maps, and for laws over moderate numbers of bodies; the circulant traversal
//! behind [`Pairs::Once`](crate::Pairs::Once) has no such limit and is as fast.

use crate::collisions::no_double;
use crate::compute::{Access, Buffer, Compiled, Gpu, Kernel, Rounding, Start};
use crate::emit::{Dialect, Form, law_text, numbers};
use crate::maps::{self, DeviceMap, Launch, MAPS_CUDA, section};
use crate::wgpu::repeat::{Counts, expand};
use crate::{Evaluator, finish};
use manybody_law::law::{Law, PairInputs, SelfPair};
use manybody_law::map::{Band, Diagonal, Triangle};
use manybody_law::{Device, Error, Result};
use manybody_pairwise::{Float, Precision};

const CUDA: &str = include_str!("kernels/triangular.cu");
const WGSL: &str = include_str!("kernels/triangular.wgsl");
const RECORDS: &str = include_str!("kernels/records.cuh");

/// A law over the triangle of its pairs.
pub struct Triangular {
    gpu: Gpu,
    law: Law,
    map: Triangle,
    mirrored: bool,
    float: Float,
    shape: Shape,
    /// Whether factors common to all pairs are left out of the sums.
    scales: bool,
    traverse: Compiled,
    gather: Compiled,
    loaded: Option<Loaded>,
}

/// How the kernel is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    per_thread: usize,
    threads: usize,
}

struct Loaded {
    ni: usize,
    tiles: usize,
    bodies: Buffer,
    rotated: Buffer,
    slots: Buffer,
    par: Buffer,
    table: Buffer,
    sums: Buffer,
    launches: Vec<Launch>,
    columns: Vec<Vec<f64>>,
    par64: Vec<f64>,
}

impl Shape {
    /// Bodies i and their sums live in registers, and two copies of a tile in shared memory (CUDA: 48 KiB at most).
    fn choose(law: &Law, device: Device, double: bool) -> Shape {
        let (numbers, results) = (numbers(law.body()).max(1), law.cells().len());
        let width = (numbers.div_ceil(4) * 4 + results) * if double { 2 } else { 1 };
        let per_thread = match width {
            0..=8 => 8,
            9..=16 => 4,
            17..=32 => 2,
            _ => 1,
        };
        if device == Device::Cuda {
            return Shape { per_thread, threads: 64 };
        }
        let mut shape = Shape { per_thread: per_thread.min(4), threads: 64 };
        while shape.per_thread > 1 && shape.tile() * (16 * numbers.div_ceil(4) + 4 * results) > 16 << 10 {
            shape.per_thread /= 2;
        }
        shape
    }

    fn tile(self) -> usize {
        self.per_thread * self.threads
    }
}

/// The kernels: the traversal and the gathering of its slots.
pub fn kernels(law: &Law, map: Triangle, mirrored: bool, precision: Precision, device: Device) -> [Kernel; 2] {
    let shape = Shape::choose(law, device, precision == Precision::F64);
    let scales = !mirrored || finish::scales_agree(law);
    let device_map = &DeviceMap::of(map);
    let [macro_call, call] = device_map.calls();
    [true, false]
        .map(|traverses| kernel(law, device_map, [&macro_call, &call], mirrored, precision, shape, scales, traverses))
}

#[allow(clippy::too_many_arguments)] // what a text depends on
fn kernel(
    law: &Law,
    device_map: &DeviceMap,
    [macro_call, call]: [&str; 2],
    mirrored: bool,
    precision: Precision,
    shape: Shape,
    scales: bool,
    traverses: bool,
) -> Kernel {
    use Access::{Read, Uniform, Write};
    let double = precision == Precision::F64;
    let included = law.self_pair() == SelfPair::Included;
    let dialect = if double { Dialect::CudaF64 } else { Dialect::CudaF32 };
    let text = law_text(law, Form { dialect, mirrored, scales, split: false }).text;
    let warps = shape.threads / 32;
    let unroll = if numbers(law.body()).is_multiple_of(4) { 1 } else { 4 };
    let constants = format!(
        "#define REAL_IS_DOUBLE {}\n#define SELF {}\n#define MIRRORED {}\n#define K {}\n#define W {warps}\n\
         #define UNROLL {unroll}\n#define MIN_BLOCKS {}\n",
        u32::from(double),
        u32::from(included),
        u32::from(mirrored),
        shape.per_thread,
        if double { 4 } else { 8 }
    );
    let cuda = [&constants, crate::collisions::PRELUDE, &text, RECORDS, MAPS_CUDA, macro_call, CUDA].join("\n");
    let wgsl = if double || !device_map.in_wgsl {
        String::new()
    } else {
        let text = law_text(law, Form { dialect: Dialect::Wgsl, mirrored, scales, split: false }).text;
        let text = crate::wgpu::with_zero_word(text, "call.w[3].w");
        let results = law.cells().len();
        let quads = numbers(law.body()).max(1).div_ceil(4);
        let counts = Counts {
            per_thread: shape.per_thread,
            quads,
            numbers_i: numbers(law.body()),
            numbers_j: numbers(law.body()),
            results,
            unroll: 4,
            constants: vec![
                ("TILE", quads * shape.tile()),
                ("SUMS", results.max(1) * shape.tile()),
                ("B", shape.threads),
                ("K", shape.per_thread),
            ],
        };
        // a one-sided law has no function for both; the branch that would call it is never taken
        let [both, two] = if mirrored { ["pair_both", "$O{&oj$o, }"] } else { ["pair", ""] };
        let template = section(WGSL, if traverses { "triangular" } else { "gather_tiles" })
            .replace("$MAP", call)
            .replace("$LEAVE", device_map.leaves())
            .replace("$MIRRORED", if mirrored { "true" } else { "false" })
            .replace("$BOTH", both)
            .replace("$TWO", two);
        let maps = if traverses { device_map.wgsl() } else { "" };
        format!("const SELF: bool = {included};\n{text}\n{maps}\n{}", expand(&template, &counts))
    };
    Kernel {
        cuda,
        wgsl,
        entry: if traverses { "triangular" } else { "gather_tiles" },
        block: [if traverses { shape.threads as u32 } else { 64 }, 1],
        access: if traverses { vec![Read, Write, Uniform, Read] } else { vec![Read, Write, Uniform] },
        rounding: Rounding::Fast,
    }
}

impl Triangular {
    /// A law on a device, through a map of the triangle.
    ///
    /// # Errors
    /// [`Error::Parameter`] for f64 on wgpu, or for a law that has two kinds of bodies;
    /// [`Error::Device`].
    pub fn new(gpu: &Gpu, law: &Law, map: Triangle, mirrored: bool, precision: Precision) -> Result<Self> {
        let float = precision.float("a triangle of pairs has no mixed precision")?;
        let double = float == Float::F64;
        if double && !gpu.has_double() {
            return Err(no_double());
        }
        if !law.has_one_kind() {
            let expected = "must be a law of bodies of one kind: pairs i < j have no other".into();
            return Err(Error::Parameter { name: "law", value: law.name().into(), expected });
        }
        if mirrored {
            law.mirrored()?;
        }
        let [mut traverse, mut gather] = kernels(law, map, mirrored, precision, gpu.device());
        if gpu.device() == Device::Cuda {
            // pointers: bodies, rotated, slots, parameters, table
            traverse.access.push(Access::Read);
            gather.access.pop();
        }
        Ok(Triangular {
            shape: Shape::choose(law, gpu.device(), double),
            scales: !mirrored || finish::scales_agree(law),
            traverse: gpu.compile(&traverse)?,
            gather: gpu.compile(&gather)?,
            gpu: gpu.clone(),
            law: law.clone(),
            map,
            mirrored,
            float,
            loaded: None,
        })
    }

    /// Whether pairs serve both bodies at once.
    pub fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    fn bytes(&self, numbers: impl Iterator<Item = f64>) -> Vec<u8> {
        match self.float {
            Float::F32 => bytemuck::cast_slice(&numbers.map(|x| x as f32).collect::<Vec<_>>()).to_vec(),
            Float::F64 => bytemuck::cast_slice(&numbers.collect::<Vec<_>>()).to_vec(),
        }
    }

    /// Records of the bodies, padded with copies of the last; `rotated` within each four numbers, as CUDA's kernels want
    /// the bodies i.
    fn records(&self, columns: &[&[f64]], n: usize, padded: usize, rotated: bool) -> Result<Buffer> {
        let width = columns.len().max(1).div_ceil(4) * 4;
        let number = |at: usize| {
            let (b, place) = ((at / width).min(n.saturating_sub(1)), at % width);
            let k = if rotated { place / 4 * 4 + (place + 3) % 4 } else { place };
            columns.get(k).and_then(|c| c.get(b)).copied().unwrap_or(0.0)
        };
        self.gpu.filled(&self.bytes((0..padded * width).map(number)))
    }

    fn starts<'a>(&'a self, l: &'a Loaded) -> Vec<Start<'a>> {
        let cuda = self.gpu.device() == Device::Cuda;
        let buffers = if cuda {
            vec![&l.bodies, &l.rotated, &l.slots, &l.par, &l.table]
        } else {
            vec![&l.bodies, &l.slots, &l.par, &l.table]
        };
        let words = |launch: &Launch| {
            let mut words = launch.domain.to_vec();
            words.extend([l.ni as u32, l.tiles as u32]);
            words
        };
        let mut starts: Vec<Start<'a>> = l
            .launches
            .iter()
            .filter(|launch| launch.grid[0] > 0 && launch.grid[1] > 0)
            .map(|launch| Start {
                kernel: &self.traverse,
                grid: [launch.grid[0], launch.grid[1], 1],
                buffers: buffers.clone(),
                words: words(launch),
            })
            .collect();
        if let Some(last) = l.launches.last() {
            let buffers = if cuda { vec![&l.slots, &l.sums] } else { vec![&l.slots, &l.sums, &l.par] };
            let grid = [l.ni.div_ceil(64) as u32, 1, 1];
            starts.push(Start { kernel: &self.gather, grid, buffers, words: words(last) });
        }
        starts
    }
}

impl Evaluator for Triangular {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        let double = self.float == Float::F64;
        inputs.check(&self.law, if double { 2f64.powi(53) } else { 2f64.powi(24) })?;
        self.loaded = None; // frees its memory for the new bodies
        finish::check_one_set(inputs)?;
        let (n, _) = inputs.lens();
        let (tile, results) = (self.shape.tile(), self.law.cells().len().max(1));
        let tiles = n.div_ceil(tile);
        let stride = tiles * tile;
        let bytes = if double { 8 } else { 4 };
        let slots = (tiles * results * stride * bytes) as u64;
        if slots > self.gpu.largest_buffer() {
            let most = self.gpu.largest_buffer();
            let expected = format!(
                "the triangular traversal keeps {slots} bytes of partial sums for so many bodies, and {most} are \
                 available; the traversal of mirrored pairs (Once) has no such limit"
            );
            return Err(Error::Parameter { name: "n", value: n.to_string(), expected });
        }
        let table = if DeviceMap::of(self.map).has_table {
            Band::triangle(tiles as u64, Diagonal::With)?.table()?
        } else {
            vec![0; 4]
        };
        let mut par = inputs.par.to_vec();
        par.resize(par.len().max(4).next_multiple_of(4), 0.0);
        let rotated = self.gpu.device() == Device::Cuda;
        self.loaded = Some(Loaded {
            ni: n,
            tiles,
            bodies: self.records(inputs.i, n, stride, false)?,
            rotated: if rotated { self.records(inputs.i, n, stride, true)? } else { self.gpu.zeros(16)? },
            slots: self.gpu.zeros(slots)?,
            par: self.gpu.filled(&self.bytes(par.into_iter()))?,
            table: self.gpu.filled(bytemuck::cast_slice(&table))?,
            sums: self.gpu.zeros((2 * results * stride * 8) as u64)?,
            launches: maps::launches(self.map, tiles as u64, Diagonal::With)?,
            columns: inputs.i.iter().map(|c| c.to_vec()).collect(),
            par64: inputs.par.to_vec(),
        });
        Ok(())
    }

    fn compute(&mut self) -> Result<()> {
        match &self.loaded {
            Some(l) if l.ni > 0 => self.gpu.start(&self.starts(l)),
            _ => Ok(()),
        }
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        let (results, stride) = (self.law.cells().len(), l.tiles * self.shape.tile());
        let raw: Vec<Vec<f64>> = if self.gpu.device() == Device::Cuda {
            let bytes = self.gpu.read(&l.sums, (results * stride * 8) as u64)?;
            let all: Vec<f64> = bytemuck::pod_collect_to_vec(&bytes);
            (0..results).map(|k| all[k * stride..k * stride + l.ni].to_vec()).collect()
        } else {
            // a sum and what it has lost
            let all: Vec<f32> =
                bytemuck::pod_collect_to_vec(&self.gpu.read(&l.sums, (2 * results * stride * 4) as u64)?);
            let sum = |k: usize, b: usize| finish::two_parts(all[k * stride + b], all[(results + k) * stride + b]);
            (0..results).map(|k| (0..l.ni).map(|b| sum(k, b)).collect()).collect()
        };
        Ok(finish::finish(&self.law, self.scales, &l.par64, Some(&l.columns), raw))
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        match &self.loaded {
            Some(l) if l.ni > 0 => self.gpu.seconds(&self.starts(l), repeats),
            _ => Ok(0.0),
        }
    }
}
