//! Every triple once, all three bodies served: laws of the sides of a triangle over the tetrahedron, on a device.
//!
//! The traversal in `kernels/tetrahedral.*` does not depend on the law, which is a [`Triplet`], an energy as a function
//! of the three squared sides with its three slopes, printed from the Rust that the CPU computes with. For Axilrod and
//! Teller's law that takes two operations a triple less than a text written by hand.

use crate::collisions::{PRELUDE, fold, no_double};
use crate::compute::{Access, Buffer, Compiled, Followed, Gpu, Kernel, Rounding, Start, no_watch};
use crate::emit::{Dialect, Form, law_text};
use crate::maps::{self, DeviceMap, MAPS_CUDA, section};
use manybody_law::law::{Law, Nothing, PairLaw, Real, Sum};
use manybody_law::map::{Diagonal, Layer, Tetrahedron, triangular};
use manybody_law::{Device, Error, Result, map, record};
use manybody_pairs::{AxilrodTeller, Points, TripleLaw, TripletForces};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Float, Precision};
use std::marker::PhantomData;

const CUDA: &str = include_str!("kernels/tetrahedral.cu");
const WGSL: &str = include_str!("kernels/tetrahedral.wgsl");

/// Atoms of a tile.
const TILE: usize = 32;
/// Layers of tiles whose blocks 32 bits number.
const LAYERS: u64 = 2952;
/// On a device that computes on the CPU: as for distances, loops end after 65,535 turns, and gathering takes half the square.
const FEW_LAYERS: u64 = 350;
/// Numbers of a block's slots: three tiles of x, y, z and energy.
const SLOT: usize = 3 * 4 * TILE;
/// Blocks of a launch, of 32,768 triples each, on a device that computes on the CPU, or those of a layer: a second of work.
const FEW_BLOCKS: u64 = 1 << 10;
/// Bytes of slots of one launch.
const SLOTS: u64 = 2 << 30;

/// An energy of three bodies that depends on the squared sides of their triangle, as text.
#[derive(Clone, Debug)]
pub struct Triplet {
    /// `void sides(real a, real b, real c, real weight, real& energy, real& slope_a, real& slope_b, real& slope_c)` in float
    /// and in double: the energy and its derivatives by the squared sides, all times the weight.
    cuda: [String; 2],
    /// `fn sides(a: f32, b: f32, c: f32, weight: f32) -> vec4<f32>`: the same.
    wgsl: String,
    power: Option<i32>,
}

record! {
    /// A triangle as one body: its squared sides and its weight.
    struct Triangle<R> {
        a: R,
        b: R,
        c: R,
        weight: R,
    }
}
record! {
    /// What a triangle gives.
    struct Given<R> {
        energy: Sum<R>,
        slope: [Sum<R>; 3],
    }
}

/// A law of triangles as one of pairs, of which it reads body i alone: so it is recorded and printed as all laws are.
struct OfTriangle<L>(PhantomData<fn() -> L>);

impl<L: TripleLaw + 'static> PairLaw for OfTriangle<L> {
    type Body<R: Real> = Triangle<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Given<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Triangle<R>, _: &Triangle<R>, _: &Nothing<R>, out: &mut Given<R>) {
        let sides = L::sides(i.a, i.b, i.c, Some(i.weight));
        out.energy.add(sides.energy);
        out.slope.iter_mut().zip(sides.slope).for_each(|(out, slope)| out.add(slope));
    }
}

impl Triplet {
    /// A law in Rust. `power` is the power of length that its energy has, if it is one: lengths are then scaled in the
    /// transfer to the device, so that any unit does in f32. Else they stay as they are.
    ///
    /// # Errors
    /// [`Error::Parameter`] for one of more operations than a law may have.
    pub fn of<L: TripleLaw + 'static>(power: Option<i32>) -> Result<Self> {
        let law = Law::of::<OfTriangle<L>>()?;
        let text = |dialect| law_text(&law, Form { dialect, mirrored: false, scales: false, split: false }).text;
        // -0 + x is x, also for the compiler
        let cuda = |dialect| {
            let text = text(dialect);
            format!(
                "{text}static __device__ __forceinline__ void sides(const real a, const real b, const real c, \
                 const real weight, real& energy, real& slope_a, real& slope_b, real& slope_c) {{\n\
                 const Par par = {{}};\nreal o[NO];\nfor (int k = 0; k < NO; k++) o[k] = -(real)0;\nBody i;\n\
                 i.f[ROTATED(0)] = a, i.f[ROTATED(1)] = b, i.f[ROTATED(2)] = c, i.f[ROTATED(3)] = weight;\n\
                 pair(i, i, par, o);\nenergy = o[0], slope_a = o[1], slope_b = o[2], slope_c = o[3];\n}}\n"
            )
        };
        let wgsl = format!(
            "{}fn sides(a: f32, b: f32, c: f32, weight: f32) -> vec4<f32> {{\n\
             var energy = 0.0;\nvar slope_a = 0.0;\nvar slope_b = 0.0;\nvar slope_c = 0.0;\n\
             pair(a, b, c, weight, a, b, c, weight, &energy, &slope_a, &slope_b, &slope_c);\n\
             return vec4(energy, slope_a, slope_b, slope_c);\n}}\n",
            crate::wgpu::with_zero_word(text(Dialect::Wgsl), "call.w[3].w")
        );
        Ok(Triplet { cuda: [cuda(Dialect::CudaF32), cuda(Dialect::CudaF64)], wgsl, power })
    }

    /// The triple-dipole law of Axilrod and Teller, nu = 1.
    ///
    /// # Errors
    /// No error.
    pub fn axilrod_teller() -> Result<Self> {
        Triplet::of::<AxilrodTeller>(Some(-9))
    }
}

/// Atoms on a device, and a law of their triples.
pub struct DeviceTriples<'a> {
    gpu: &'a Gpu,
    n: usize,
    precision: Precision,
    power: Option<i32>,
    /// A length on the device is one of the atoms' times this, a power of two.
    scale: f64,
    atoms: Buffer,
    table: Buffer,
    sums: Buffer,
    slots: Buffer,
    domain: [u32; 5],
    /// Layers [begin, end) of each launch.
    parts: Vec<[u64; 2]>,
    traverse: Compiled,
    gather: Compiled,
    rival: Compiled,
    watch: Watch,
}

/// The kernels: traversal, gathering, and the rival, a loop over all pairs of others for every atom.
///
/// # Errors
/// [`Error::Parameter`] for a published map, which is wrong at some sizes.
pub fn kernels(law: &Triplet, layer: Layer, double: bool) -> Result<[Kernel; 3]> {
    use Access::{Read, Write};
    let device_map = DeviceMap::tetrahedron(layer)?;
    if !device_map.is_exact {
        let expected = "for triples must be Cubic or Table, which are right at every size".into();
        return Err(Error::Parameter { name: "layer", value: format!("{layer:?}"), expected });
    }
    let [macro_call, call] = device_map.calls();
    let constants = format!("#define REAL_IS_DOUBLE {}\n", u32::from(double));
    let cuda = [&constants, PRELUDE, MAPS_CUDA, &macro_call, &*law.cuda[usize::from(double)], CUDA].join("\n");
    let kernel = |entry: &'static str, maps: &str, block, access| {
        let text = section(WGSL, entry).replace("$MAP", &call);
        let wgsl = if double { String::new() } else { [maps, &*law.wgsl, &text].join("\n") };
        Kernel { cuda: cuda.clone(), wgsl, entry, block, access, rounding: Rounding::Fast }
    };
    Ok([
        kernel("tetrahedral", device_map.wgsl(), [128, 1], vec![Read, Write, Read]),
        // only the traversal has a table
        kernel("gather_tetrahedral", maps::plain_wgsl(), [128, 8], vec![Read, Write]),
        kernel("triple_loop", maps::plain_wgsl(), [128, 1], vec![Read, Write]),
    ])
}

impl<'a> DeviceTriples<'a> {
    /// Brings atoms to the device.
    ///
    /// # Errors
    /// [`Error::Parameter`] for points that are not in three dimensions, f64 on a device without it, or more atoms than
    /// the map or the device's memory takes; [`Error::Device`].
    pub fn new(gpu: &'a Gpu, points: &Points<f64>, law: &Triplet, layer: Layer, precision: Precision) -> Result<Self> {
        let float = precision.float("triples have no mixed precision")?;
        let (n, double) = (points.len(), float == Float::F64);
        if double && !gpu.has_double() {
            return Err(no_double());
        }
        if points.dimensions() != 3 {
            let value = format!("{} dimensions", points.dimensions());
            return Err(Error::Parameter { name: "points", value, expected: "must be points in 3 dimensions".into() });
        }
        let tiles = n.div_ceil(TILE) as u64;
        let most = if gpu.is_software() { FEW_LAYERS } else { LAYERS };
        if tiles > most {
            let expected = format!("must be at most {} atoms on this device", most * TILE as u64);
            return Err(Error::Parameter { name: "points", value: n.to_string(), expected });
        }
        let map = Tetrahedron::new(tiles, Diagonal::With, layer)?;
        let (domain, table) = maps::tetrahedron_domain(&map, tiles, Diagonal::With)?;
        let slot = (SLOT * if double { 8 } else { 4 }) as u64;
        let room = SLOTS.min(gpu.largest_buffer() / 2);
        let few = FEW_BLOCKS.max(triangular(tiles).unwrap_or(u64::MAX));
        let most_blocks = if gpu.is_software() { few.min(room / slot) } else { room / slot };
        let parts = parts(tiles, most_blocks).ok_or_else(|| {
            let wanted = triangular(tiles).unwrap_or(u64::MAX).saturating_mul(slot);
            let expected =
                format!("{wanted} bytes for partial sums are needed, and {room} are available: must be fewer atoms");
            Error::Parameter { name: "points", value: n.to_string(), expected }
        })?;
        let at_once = parts.iter().map(|p| blocks(*p)).max().unwrap_or(0);
        let (middle, fitting) = frame(points);
        let scale = if law.power.is_some() { fitting } else { 1.0 };
        let numbers = (0..tiles as usize * TILE * 4).map(|at| {
            let (atom, d) = ((at / 4).min(n.saturating_sub(1)), at % 4);
            if d < 3 && n > 0 { (points.column(d)[atom] - middle[d]) * scale } else { 0.0 }
        });
        let bytes: Vec<u8> = match float {
            Float::F32 => bytemuck::cast_slice(&numbers.map(|x| x as f32).collect::<Vec<_>>()).to_vec(),
            Float::F64 => bytemuck::cast_slice(&numbers.collect::<Vec<_>>()).to_vec(),
        };
        let table = if table.is_empty() { vec![0; 4] } else { table };
        let [traverse, gather, rival] = kernels(law, layer, double)?;
        Ok(DeviceTriples {
            atoms: gpu.filled(&bytes)?,
            table: gpu.filled(bytemuck::cast_slice(&table))?,
            sums: gpu.zeros(tiles * TILE as u64 * 4 * 8)?,
            slots: gpu.zeros(at_once * slot)?,
            traverse: gpu.compile(&traverse)?,
            gather: gpu.compile(&gather)?,
            rival: gpu.compile(&rival)?,
            gpu,
            n,
            precision,
            power: law.power,
            scale,
            domain,
            parts,
            watch: no_watch(),
        })
    }

    /// Reports to a watch how far a long computation is, and ends early where that asks for it.
    pub fn watched(self, watch: &Watch) -> Self {
        DeviceTriples { watch: watch.clone(), ..self }
    }

    fn starts(&self) -> Vec<Start<'_>> {
        let mut starts = Vec::new();
        for (k, part) in self.parts.iter().enumerate() {
            let (first, blocks) = (map::tetrahedral(part[0]).unwrap_or_default(), blocks(*part));
            let mut words = self.domain.to_vec();
            words.extend([first as u32, blocks as u32, self.n as u32]);
            words.extend([part[0] as u32, part[1] as u32, u32::from(k == 0)]);
            let buffers = vec![&self.atoms, &self.slots, &self.table];
            starts.push(Start { kernel: &self.traverse, grid: fold(blocks), buffers, words: words.clone() });
            let grid = [self.n.div_ceil(TILE) as u32, 1, 1];
            starts.push(Start { kernel: &self.gather, grid, buffers: vec![&self.slots, &self.sums], words });
        }
        starts
    }

    fn rival_start(&self) -> [Start<'_>; 1] {
        let mut words = self.domain.to_vec();
        words.extend([0, 0, self.n as u32]);
        let grid = [self.n.div_ceil(128) as u32, 1, 1];
        [Start { kernel: &self.rival, grid, buffers: vec![&self.atoms, &self.sums], words }]
    }

    fn fetch(&self, strength: f64, has_lost: bool) -> Result<TripletForces> {
        let stride = self.n.div_ceil(TILE) * TILE;
        let bytes = self.gpu.read(&self.sums, 32 * stride as u64)?;
        let all: Vec<f64> = if self.gpu.device() == Device::Cuda {
            bytemuck::pod_collect_to_vec(&bytes)
        } else {
            let all: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
            let lost = |k: usize| if has_lost { f64::from(all[4 * stride + k]) } else { 0.0 };
            (0..4 * stride).map(|k| f64::from(all[k]) + lost(k)).collect()
        };
        // E(s r) = s^power E(r), and slopes are by squared sides: F = 2 slope r
        let back = self.power.map_or(1.0, |power| self.scale.powi(-power)) * strength;
        let column = |o: usize| all[o * stride..o * stride + self.n].to_vec();
        Ok(TripletForces {
            energy: back * column(3).iter().sum::<f64>(),
            force: [0, 1, 2].map(|o| column(o).iter().map(|f| 2.0 * back * self.scale * f).collect()),
        })
    }

    /// Starts the traversals, each followed by the gathering of its slots, and waits for them where they are followed.
    fn compute(&self) -> Result<()> {
        let tasks = |part: &[u64; 2]| blocks(*part);
        let all: u64 = self.parts.iter().map(tasks).sum();
        let triples = map::tetrahedral((self.n as u64).saturating_sub(2)).unwrap_or(u64::MAX);
        let mut followed = Followed::begin(self.gpu, &self.watch, triples, all);
        for (starts, part) in self.starts().chunks(2).zip(&self.parts) {
            followed.start(starts, tasks(part))?;
        }
        followed.finish()
    }

    /// Energy and forces of all triples, times `strength`.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::Parameter`] if they are not finite: atoms too close, or in one place.
    pub fn energy_and_forces(&self, strength: f64) -> Result<TripletForces> {
        if self.n == 0 {
            return Ok(TripletForces::default());
        }
        self.compute()?;
        let found = self.fetch(strength, true)?;
        if found.energy.is_finite() && found.force.iter().flatten().all(|f| f.is_finite()) {
            return Ok(found);
        }
        let expected = format!("must be atoms far enough apart for finite forces in {}", self.precision);
        Err(Error::Parameter { name: "points", value: "atoms too close".into(), expected })
    }

    /// The same by the rival: a thread an atom, which goes through all pairs of others.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn by_triple_loop(&self, strength: f64) -> Result<TripletForces> {
        self.gpu.start(&self.rival_start())?;
        self.fetch(strength, false)
    }

    /// Seconds that the device needs, the mean of `repeats`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn seconds(&self, repeats: usize) -> Result<f64> {
        self.gpu.seconds(&self.starts(), repeats)
    }

    /// Seconds that the rival needs.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn seconds_of_triple_loop(&self, repeats: usize) -> Result<f64> {
        self.gpu.seconds(&self.rival_start(), repeats)
    }
}

/// Blocks of the layers [begin, end).
fn blocks([begin, end]: [u64; 2]) -> u64 {
    map::tetrahedral(end).unwrap_or_default() - map::tetrahedral(begin).unwrap_or_default()
}

/// The layers in as few launches as there is room for so many blocks; `None` if a layer does not fit.
fn parts(layers: u64, room: u64) -> Option<Vec<[u64; 2]>> {
    let mut parts = Vec::new();
    let mut begin = 0;
    while begin < layers {
        let end = (begin + 1..=layers).take_while(|end| blocks([begin, *end]) <= room).last()?;
        parts.push([begin, end]);
        begin = end;
    }
    Some(parts)
}

/// The middle of the atoms, and the power of two that makes their extent about 16: squared sides and their products then
/// stay within f32.
fn frame(points: &Points<f64>) -> ([f64; 3], f64) {
    let ends = |d: usize| {
        let fold = |(low, high): (f64, f64), x: &f64| (low.min(*x), high.max(*x));
        points.column(d).iter().fold((f64::INFINITY, f64::NEG_INFINITY), fold)
    };
    let ends = [0, 1, 2].map(ends);
    let extent = ends.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    let scale = if extent > 0.0 && extent.is_finite() { 2f64.powi(4 - extent.log2().ceil() as i32) } else { 1.0 };
    (ends.map(|(low, high)| if low <= high { 0.5 * (low + high) } else { 0.0 }), scale)
}

/// Energy and forces of all triples under a law in Rust: the device's form of [`manybody_pairs::tetrahedral()`].
///
/// # Errors
/// As [`Triplet::of`], [`DeviceTriples::new`] and [`DeviceTriples::energy_and_forces`].
pub fn tetrahedral<L: TripleLaw + 'static>(
    gpu: &Gpu,
    points: &Points<f64>,
    precision: Precision,
) -> Result<TripletForces> {
    DeviceTriples::new(gpu, points, &Triplet::of::<L>(None)?, Layer::Cubic, precision)?.energy_and_forces(1.0)
}

/// Axilrod-Teller energy and forces of all triples in open space, with strength `nu`: the device's form of
/// [`manybody_pairs::AxilrodTeller`].
///
/// # Errors
/// As [`DeviceTriples::new`] and [`DeviceTriples::energy_and_forces`].
pub fn axilrod_teller(gpu: &Gpu, points: &Points<f64>, nu: f64, precision: Precision) -> Result<TripletForces> {
    AxilrodTeller::new(nu)?; // a strength that is not finite is refused here as there
    DeviceTriples::new(gpu, points, &Triplet::axilrod_teller()?, Layer::Cubic, precision)?.energy_and_forces(nu)
}

/// The same, followed by a watch.
///
/// # Errors
/// As [`axilrod_teller`], and [`Error::Interrupted`] where the watch asks for an end.
pub fn axilrod_teller_watched(
    gpu: &Gpu,
    points: &Points<f64>,
    nu: f64,
    precision: Precision,
    watch: &Watch,
) -> Result<TripletForces> {
    AxilrodTeller::new(nu)?;
    let triples = DeviceTriples::new(gpu, points, &Triplet::axilrod_teller()?, Layer::Cubic, precision)?;
    triples.watched(watch).energy_and_forces(nu)
}
