//! A law on a CUDA device: uploads bodies, launches kernels, downloads sums.

use super::launch::{Call, grid};
use super::pacer::Pacer;
use super::resident::Step;
use super::share::{LINES, Launch, Part, Shared, SharedKernel, copy};
use super::transfer::{self, Staging};
use super::{Cuda, failed, kernels, source};
use crate::emit::{low_parts, split_inputs};
use crate::kernel_config::{self, KernelConfig};
use crate::{Evaluator, Pairs, finish, uniform};
use cudarc::driver::sys::{
    CUfunction_attribute_enum as Limit, CUgraphInstantiate_flags as Instantiate, CUstreamCaptureMode as Capture,
};
use cudarc::driver::{CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::law::{Law, Sets};
use manybody_law::simd::Element;
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Precision, Summation};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes for the slots of one launch: enough rounds to fill any device, little beside its memory.
const SLOT_BYTES: usize = 512 << 20;

/// Pairs of one launch, if there are so many: a tenth of a second, so that a long evaluation can be ended between.
const LAUNCH_PAIRS: u64 = 1 << 38;

/// A law on a CUDA device, in f32 or f64.
pub struct CudaEvaluator<T> {
    cuda: Arc<Cuda>,
    watch: Watch,
    law: Law,
    pairs: Pairs,
    shape: Option<KernelConfig>,
    /// The law's first member is a position that changes between evaluations.
    moving: bool,
    /// Evaluations end in moving the bodies.
    step: bool,
    /// Numbers whose differences the law takes are given in two parts: mixed precision, in f32 only.
    split: bool,
    /// How terms are added, where that is not the kernel's own way: in f32 only.
    sum: Option<Summation>,
    /// Fixed point: what the results must stay below.
    range: Vec<f64>,
    kernels: HashMap<(Vec<String>, KernelConfig), Arc<Kernel>>,
    /// Ways to the device and back, once they are needed.
    up: Option<Staging<T>>,
    down: Option<Staging<f64>>,
    pub(super) loaded: Option<Loaded<T>>,
}

/// A law compiled in a shape.
pub(super) struct Kernel {
    pub(super) law: Law,
    pub(super) scales: bool,
    shape: KernelConfig,
    /// Bytes of a body's record.
    record: usize,
    results: usize,
    /// Bytes of dynamic shared memory of the traversal.
    shared: usize,
    pack: CudaFunction,
    traverse: CudaFunction,
    gather: CudaFunction,
    /// The same on the other GPUs.
    shared_with: Vec<SharedKernel>,
    /// Moves bodies without an evaluation.
    pub(super) step: Option<CudaFunction>,
}

/// Bodies on the device, and room for their results.
pub(super) struct Loaded<T> {
    pub(super) kernel: Arc<Kernel>,
    /// Whether those acted on are those that act.
    same: bool,
    ni: usize,
    /// Bodies i and j, the stride, and whether both sets are one: arguments of kernels.
    n: [u32; 4],
    tiles: u32,
    /// Bodies with padding: the distance between the results of a slot.
    pub(super) stride: usize,
    /// Bodies j with padding.
    pub(super) padded_j: usize,
    /// As j, and for one set also as i (rotated).
    pub(super) bodies: CudaSlice<u8>,
    pub(super) rotated: CudaSlice<u8>,
    slots_j: CudaSlice<T>,
    slots_i: CudaSlice<T>,
    /// The sums, \[results\]\[stride\].
    pub(super) held: CudaSlice<f64>,
    /// Fixed point: units a result, then what a unit is worth, \[2\]\[results\].
    units: Option<CudaSlice<f64>>,
    /// The sums of other GPUs' lines, \[lines\]\[results\]\[stride\].
    others: CudaSlice<f64>,
    /// What other GPUs have.
    shared: Vec<Shared<T>>,
    /// A part for every GPU, launch by launch.
    launches: Vec<Vec<Part>>,
    /// The pieces of each launch.
    pieces: Vec<Piece>,
    par: Vec<T>,
    pub(super) par64: Vec<f64>,
    /// For what bodies do to themselves.
    columns: Vec<Vec<f64>>,
}

/// Blocks of bodies i that are started at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    first: u32,
    blocks: u32,
}

impl Piece {
    /// All blocks of bodies i, at most `most` at once.
    fn all(blocks: u32, most: u32) -> Vec<Piece> {
        (0..blocks).step_by(most as usize).map(|first| Piece { first, blocks: most.min(blocks - first) }).collect()
    }
}

impl<T: DeviceRepr> Loaded<T> {
    /// Pairs of an evaluation.
    fn pairs(&self) -> u64 {
        u64::from(self.n[0]) * u64::from(self.n[1])
    }

    /// Whether those acted on are those that act.
    pub(super) fn same(&self) -> bool {
        self.same
    }

    /// Gives a traversal its arguments, in the order of its kernel.
    fn traversal<'a>(
        &'a self,
        call: &mut Call<'a>,
        [bodies, rotated]: [&CudaSlice<u8>; 2],
        [slots_i, slots_j]: [&CudaSlice<T>; 2],
        units: Option<&CudaSlice<f64>>,
        (part, piece): (&'a Part, &'a Piece),
        step: Option<&'a Step>,
    ) {
        let launch = &part.launch;
        match self.kernel.shape {
            KernelConfig::Direct { .. } | KernelConfig::Summed { .. } => {
                call.memory(rotated).memory(bodies).memory(slots_i).arg(&self.n[0]).arg(&self.n[1]).arg(&self.n[2]);
                call.arg(&launch.end).arg(&launch.first_share).arg(&self.n[3]).arg(&piece.first);
                if let Some(units) = units {
                    call.memory(units);
                }
            }
            KernelConfig::Small { .. } => {
                call.memory(rotated).memory(bodies).memory(&self.held);
                call.arg(&self.n[0]).arg(&self.n[1]).arg(&self.n[2]).arg(&self.n[3]);
                if let Some(step) = step {
                    call.arg(step);
                }
            }
            KernelConfig::Symmetric { .. } => {
                call.memory(bodies).memory(rotated).memory(slots_j).memory(slots_i);
                call.arg(&self.n[0]).arg(&self.tiles).arg(&launch.begin).arg(&launch.end).arg(&launch.chain);
            }
        }
        for p in &self.par {
            call.arg(p);
        }
    }

    fn grid(&self, part: &Part, piece: &Piece) -> LaunchConfig {
        let threads = match self.kernel.shape {
            KernelConfig::Direct { threads, .. }
            | KernelConfig::Summed { threads, .. }
            | KernelConfig::Small { threads, .. } => threads,
            KernelConfig::Symmetric { warps, .. } => 32 * warps,
        };
        grid(piece.blocks, part.launch.slots_i, threads, 1, self.kernel.shared)
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// A law on an open device.
    pub fn new(cuda: Arc<Cuda>, law: &Law, pairs: Pairs) -> Self {
        CudaEvaluator {
            cuda,
            watch: Watch::default(),
            law: law.clone(),
            pairs,
            shape: None,
            moving: false,
            step: false,
            split: false,
            sum: None,
            range: Vec::new(),
            kernels: HashMap::new(),
            up: None,
            down: None,
            loaded: None,
        }
    }

    /// Fixes the shape of the kernel instead of having it chosen.
    pub fn with_shape(self, shape: KernelConfig) -> Self {
        self.in_shape(Some(shape))
    }

    pub(super) fn in_shape(mut self, shape: Option<KernelConfig>) -> Self {
        self.shape = shape;
        self
    }

    /// Evaluations are to end in moving the bodies: the law's first member is a position, its first result an acceleration.
    pub(super) fn stepping(mut self) -> Self {
        self.step = true;
        self.moving()
    }

    /// Numbers whose differences the law takes, such as positions, keep 48 bits: mixed precision. Not for f64.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for a law with bodies of two kinds.
    pub fn mixed(mut self) -> Result<Self> {
        finish::check_mixed(&self.law)?;
        self.split = !T::DOUBLE;
        Ok(self)
    }

    /// Terms are added in a chosen way, by a one-sided kernel; `None` for the kernel's own. For laws whose results are
    /// sums, in f32.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for other laws, f64, or another kernel than `direct`.
    pub fn summing(mut self, sum: Option<Summation>) -> Result<Self> {
        if let Some(sum) = sum {
            finish::check_summable(&self.law, sum, T::DOUBLE, self.pairs)?;
            self.shape = self.shape.map(|shape| kernel_config::with_sum(shape, sum)).transpose()?;
        }
        self.sum = sum;
        Ok(self)
    }

    /// The law's first member is a position that will be [packed](Self::repack) again.
    pub(super) fn moving(mut self) -> Self {
        self.moving = true;
        self
    }

    /// The columns that are packed, one after the other.
    pub(super) fn packed_columns(&self, sets: &Sets<'_>) -> Result<Vec<f64>> {
        Ok(uniform::reduced(&self.law, sets, &uniform::members(&self.law, sets, self.moving))?.i.concat())
    }

    fn kernel(&mut self, members: Vec<String>, law: Law, n: usize, pairs: Pairs) -> Result<Arc<Kernel>> {
        let split = if self.split { split_inputs(&law).len() } else { 0 };
        let numbers = crate::emit::numbers(law.body()).max(crate::emit::numbers(law.partner())) + split;
        let results = law.cells().len();
        let choose = || match self.sum {
            Some(sum) => kernel_config::summed(sum, n, numbers, results),
            None => kernel_config::choose(pairs, n, T::DOUBLE, numbers, results),
        };
        let shape = self.shape.filter(|_| pairs == self.pairs).unwrap_or_else(choose);
        if let Some(kernel) = self.kernels.get(&(members.clone(), shape)) {
            return Ok(kernel.clone());
        }
        let precision = if T::DOUBLE { Precision::F64 } else { Precision::F32 };
        let scales = pairs == Pairs::Ordered || finish::scales_agree(&law);
        let (text, sizes) = source(&law, precision, shape, scales, self.step, self.split);
        let ptx = kernels(&text, self.cuda.arch, false)?;
        let record = numbers.max(1).div_ceil(4) * 4 * size_of::<T>();
        let shared = kernel_config::shared_bytes(shape, record, results * size_of::<T>());
        let ptx = cudarc::nvrtc::Ptx::from_src(ptx);
        let module_on = |cuda: &Cuda| cuda.context.load_module(ptx.clone()).map_err(failed("load a kernel"));
        let find = failed("find a kernel");
        let traversal = |module: &Arc<CudaModule>| {
            let traverse = module.load_function(shape.entry()).map_err(&find)?;
            if shared > 48 << 10 {
                traverse
                    .set_attribute(Limit::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)
                    .map_err(failed("give a kernel its shared memory"))?;
            }
            Ok::<_, manybody_law::Error>(traverse)
        };
        let module = module_on(&self.cuda)?;
        let function = |name: &str| module.load_function(name).map_err(&find);
        let on_another = |cuda: &Arc<Cuda>| {
            let module = module_on(cuda)?;
            let add_lines = module.load_function("add_lines").map_err(&find)?;
            Ok(SharedKernel { traverse: traversal(&module)?, add_lines })
        };
        let others = if matches!(shape, KernelConfig::Small { .. }) { &[] } else { self.cuda.others.as_slice() };
        let kernel = Arc::new(Kernel {
            record,
            results: sizes.results,
            shared,
            scales,
            shape,
            pack: function("pack")?,
            gather: function("gather")?,
            step: if self.step { Some(function("move")?) } else { None },
            traverse: traversal(&module)?,
            shared_with: others.iter().map(on_another).collect::<Result<_>>()?,
            law,
        });
        self.kernels.insert((members, shape), kernel.clone());
        Ok(kernel)
    }

    /// Registers a thread of the loaded kernel, and bytes of local memory (spills).
    ///
    /// # Errors
    /// [`Error::Device`](manybody_law::Error::Device).
    pub fn registers(&self) -> Result<Option<[i32; 2]>> {
        let Some(loaded) = &self.loaded else { return Ok(None) };
        let f = &loaded.kernel.traverse;
        let ask = failed("ask for a kernel's registers");
        Ok(Some([f.num_regs().map_err(&ask)?, f.local_size_bytes().map_err(&ask)?]))
    }

    /// Uploads columns and packs them into records.
    fn upload(&mut self, kernel: &Kernel, columns: &[&[f64]], n: usize, padded: usize) -> Result<[CudaSlice<u8>; 2]> {
        let stream = &self.cuda.stream;
        let memory = failed("allocate memory for the bodies");
        let bytes = padded * kernel.record;
        let mut plain = stream.alloc_zeros::<u8>(bytes.max(16)).map_err(&memory)?;
        let mut rotated = stream.alloc_zeros::<u8>(bytes.max(16)).map_err(&memory)?;
        if n == 0 {
            return Ok([plain, rotated]);
        }
        let low = if self.split { low_parts(&split_inputs(&kernel.law), columns) } else { Vec::new() };
        let columns: Vec<&[f64]> = columns.iter().copied().chain(low.iter().map(Vec::as_slice)).collect();
        // a law without members has a column all the same, of which nothing is read
        let mut source = stream.alloc_zeros::<T>((columns.len() * n).max(1)).map_err(&memory)?;
        if !columns.is_empty() {
            let up = match &mut self.up {
                Some(up) => up,
                none => none.insert(Staging::new(&self.cuda)?),
            };
            up.send(stream, &mut source, |range, to| {
                transfer::columns(range, n, |column, first, within| {
                    to[within].iter_mut().zip(&columns[column][first..]).for_each(|(to, x)| *to = T::from_f64(*x));
                });
            })
            .map_err(&memory)?;
        }
        self.pack(kernel, &source, [columns.len(), n, padded], [&mut plain, &mut rotated])?;
        Ok([plain, rotated])
    }

    /// Packs columns \[numbers\]\[n\] into `padded` records, plain and rotated.
    fn pack(
        &self,
        kernel: &Kernel,
        columns: &CudaSlice<T>,
        sizes: [usize; 3],
        [plain, rotated]: [&mut CudaSlice<u8>; 2],
    ) -> Result<()> {
        let sizes = sizes.map(|size| size as u32);
        let mut call = Call::new(&self.cuda.stream, &kernel.pack);
        call.memory(columns).arg(&sizes[0]).arg(&sizes[1]).arg(&sizes[2]).memory(plain).memory(rotated);
        // SAFETY: the arguments are those of `pack`; it writes `padded` records to each of the two
        unsafe { call.launch(grid(sizes[2].div_ceil(256), 1, 256, 1, 0), false) }.map_err(failed("start a kernel"))
    }

    /// Packs columns of what is loaded again: \[numbers\]\[n\], as the device has them.
    pub(super) fn repack(&mut self, columns: &CudaSlice<T>, numbers: usize) -> Result<()> {
        let Some(mut l) = self.loaded.take() else { return Ok(()) };
        let kernel = l.kernel.clone();
        let packed = self.pack(&kernel, columns, [numbers, l.ni, l.stride], [&mut l.bodies, &mut l.rotated]);
        self.loaded = Some(l);
        packed
    }

    /// Starts an evaluation of what is loaded; with `step`, of an evaluator that is [stepping](Self::stepping), it ends in
    /// moving the bodies.
    /// Every piece that has been started is reported to `pacer`.
    pub(super) fn launch(&self, step: Option<&Step>, pacer: &mut Pacer<'_>) -> Result<()> {
        let Some(l) = &self.loaded else { return Ok(()) };
        if l.ni == 0 {
            return Ok(());
        }
        let stream = &self.cuda.stream;
        let (start, wait) = (failed("start a kernel"), failed("wait for another GPU"));
        let (n, stride) = (l.ni as u32, l.stride as u32);
        if !l.shared.is_empty() {
            let ready = stream.record_event(None).map_err(&wait)?;
            for other in &l.shared {
                other.cuda.stream.wait(&ready).map_err(&wait)?;
                for (from, to) in [(&l.bodies, &other.bodies), (&l.rotated, &other.rotated)] {
                    copy(&other.cuda, (&self.cuda, from), (&other.cuda, to), 0, from.num_bytes())?;
                }
            }
        }
        let line = l.kernel.results * l.stride * size_of::<f64>();
        let mut gathered = None;
        for (k, parts) in l.launches.iter().enumerate() {
            let mut done = Vec::new();
            for ((other, kernel), part) in l.shared.iter().zip(&l.kernel.shared_with).zip(&parts[1..]) {
                other.cuda.context.bind_to_thread().map_err(&start)?;
                let [bodies, rotated] = [&other.bodies, &other.rotated];
                let slots = [&other.slots_i, &other.slots_j];
                for piece in &l.pieces {
                    let mut call = Call::new(&other.cuda.stream, &kernel.traverse);
                    l.traversal(&mut call, [bodies, rotated], slots, other.units.as_ref(), (part, piece), None);
                    call.start(l.grid(part, piece), false)?;
                }
                let lines = part.end - part.first;
                let mut call = Call::new(&other.cuda.stream, &kernel.add_lines);
                call.memory(slots[0]).memory(slots[1]).arg(&part.lines).arg(&part.first).memory(&other.sums);
                call.arg(&n).arg(&stride);
                call.start(grid(n.div_ceil(32), 1, 32, lines, 0), false)?;
                if let Some(gathered) = &gathered {
                    other.cuda.stream.wait(gathered).map_err(&wait)?;
                }
                let (at, bytes) = (part.first as usize * line, lines as usize * line);
                copy(&other.cuda, (&other.cuda, &other.sums), (&self.cuda, &l.others), at, bytes)?;
                done.push(other.cuda.stream.record_event(None).map_err(&wait)?);
            }
            let Some(part) = parts.first() else { continue };
            self.cuda.context.bind_to_thread().map_err(&start)?;
            let small = matches!(l.kernel.shape, KernelConfig::Small { .. });
            let slots = [&l.slots_i, &l.slots_j];
            for piece in &l.pieces {
                let mut call = Call::new(stream, &l.kernel.traverse);
                l.traversal(&mut call, [&l.bodies, &l.rotated], slots, l.units.as_ref(), (part, piece), step);
                call.start(l.grid(part, piece), small && self.cuda.launches_early)?;
                pacer.started(stream)?;
            }
            if small {
                continue; // has gathered by itself
            }
            for done in &done {
                stream.wait(done).map_err(&wait)?;
            }
            let (first, last) = (u32::from(k == 0), u32::from(k + 1 == l.launches.len()));
            let mut call = Call::new(stream, &l.kernel.gather);
            call.memory(&l.slots_i).memory(&l.slots_j).arg(&part.lines).arg(&part.first).arg(&part.end);
            call.memory(&l.others).memory(&l.held).arg(&n).arg(&stride).arg(&first);
            if let Some(units) = &l.units {
                call.memory(units);
            }
            if let Some(step) = step {
                call.arg(&last).arg(step);
            }
            call.start(grid(n.div_ceil(32), 1, 32, LINES as u32, 0), false)?;
            if last == 0 && !l.shared.is_empty() {
                gathered = Some(stream.record_event(None).map_err(&wait)?);
            }
        }
        Ok(())
    }

    /// Launches of an evaluation of what is loaded.
    pub(super) fn launches(&self) -> usize {
        self.loaded.as_ref().map_or(0, |l| l.launches.len() * l.pieces.len())
    }

    /// Lets the watch follow an evaluation of what is loaded.
    pub(super) fn pacer(&self) -> Pacer<'_> {
        let pairs = self.loaded.as_ref().map_or(0, Loaded::pairs);
        Pacer::new(&self.watch, pairs, self.launches())
    }

    /// Starts a move of bodies without an evaluation, of an evaluator that is [stepping](Self::stepping).
    pub(super) fn start_move(&self, step: &Step) -> Result<()> {
        let Some(function) = self.loaded.as_ref().and_then(|l| l.kernel.step.as_ref()) else { return Ok(()) };
        let mut call = Call::new(&self.cuda.stream, function);
        call.arg(step);
        // SAFETY: the argument is that of `move`, and its addresses are those of memory for n bodies
        unsafe { call.launch(grid(step.n.div_ceil(256), 1, 256, 1, 0), false) }.map_err(failed("start a kernel"))
    }

    /// The order in which the device does its work.
    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        &self.cuda.stream
    }

    fn plan(&self, kernel: &Kernel, ni: usize, nj: usize, stride: usize) -> Vec<Launch> {
        let one = Launch { begin: 0, end: 0, chain: 1, first_share: 0, slots_i: 1, slots_j: 0, is_mirrored: false };
        let processors = self.cuda.processors as usize;
        match kernel.shape {
            KernelConfig::Direct { threads, split, .. } | KernelConfig::Summed { threads, split, .. } => {
                // split j until every multiprocessor has 16 blocks of 64 threads
                let blocks = ni.div_ceil(kernel.shape.tile()).max(1);
                let tiles = nj.div_ceil(threads as usize).max(1);
                // and into eight where there is room, so that several GPUs can share them
                let room = (SLOT_BYTES / (kernel.results.max(1) * stride * size_of::<f64>())).clamp(1, LINES);
                let split = match split as usize {
                    0 => (16 * processors).div_ceil(blocks).max(room).clamp(1, tiles),
                    split => split.min(tiles),
                };
                let share = tiles.div_ceil(split) * threads as usize;
                let slots_i = nj.div_ceil(share).max(1) as u32;
                vec![Launch { end: share as u32, slots_i, ..one }]
            }
            KernelConfig::Small { .. } => vec![one],
            KernelConfig::Symmetric { blocks, chain, .. } => {
                let tiles = stride / kernel.shape.tile();
                let rounds = tiles / 2 + 1;
                let a_round = kernel.results * stride * size_of::<T>();
                let at_once = (SLOT_BYTES / a_round.max(1)).clamp(1, rounds);
                let launches = rounds.div_ceil(at_once);
                let at_once = rounds.div_ceil(launches);
                // as many rounds a block as leave sixteen blocks for every place, and one for every line of slots
                let places = processors * blocks as usize;
                let chain = match chain as usize {
                    0 => (tiles * at_once / (16 * places)).clamp(1, (at_once / LINES).clamp(1, 16)),
                    chain => chain,
                };
                let launch = |k: usize| {
                    let (begin, end) = (k * at_once, rounds.min((k + 1) * at_once));
                    Launch {
                        begin: begin as u32,
                        end: end as u32,
                        chain: chain as u32,
                        slots_i: (end - begin).div_ceil(chain) as u32,
                        slots_j: (end - begin.max(1)) as u32,
                        is_mirrored: true,
                        ..one
                    }
                };
                (0..launches).map(launch).collect()
            }
        }
    }

    /// Brings checked bodies to the device.
    fn place(&mut self, sets: &Sets<'_>) -> Result<()> {
        self.cuda.context.bind_to_thread().map_err(failed("use the device"))?;
        self.loaded = None; // its memory is wanted now
        let members = uniform::members(&self.law, sets, self.moving);
        let uniform::Reduced { law, i, j, par: par64 } = uniform::reduced(&self.law, sets, &members)?;
        let (ni, nj) = sets.lens();
        let kernel = self.kernel(members, law, ni, finish::pairs_of(self.pairs, sets)?)?;
        let tile = kernel.shape.tile();
        let stride = ni.div_ceil(tile).max(1) * tile;
        let [mut bodies, rotated] = self.upload(&kernel, &i, ni, stride)?;
        let padded_j = nj.div_ceil(tile).max(1) * tile;
        if let Some(j) = &j {
            [bodies, _] = self.upload(&kernel, j, nj, padded_j)?;
        }
        let gpus = 1 + kernel.shared_with.len();
        let launches: Vec<Vec<Part>> =
            self.plan(&kernel, ni, nj, stride).iter().map(|launch| launch.parts(gpus)).collect();
        let memory = failed("allocate memory for the results");
        let most = |gpu: usize, f: fn(&Part) -> u32| {
            launches.iter().filter_map(|parts| parts.get(gpu)).map(f).max().unwrap_or(0).max(1) as usize
        };
        // chosen sums leave their kernel in 8 bytes each
        let wide = if matches!(kernel.shape, KernelConfig::Summed { .. }) { 8 / size_of::<T>() } else { 1 };
        let a_slot = kernel.results.max(1) * stride;
        let room = |cuda: &Cuda, slots: usize| cuda.stream.alloc_zeros::<T>(wide * slots * a_slot).map_err(&memory);
        let units = match kernel.shape {
            KernelConfig::Summed { sum: Summation::Fixed, .. } => {
                let units = finish::units(&finish::factors(&kernel.law, kernel.scales, &par64), &self.range)?;
                Some(units.concat())
            }
            _ => None,
        };
        let units_on = |cuda: &Cuda| match &units {
            Some(units) => cuda.stream.clone_htod(units).map(Some).map_err(&memory),
            None => Ok(None),
        };
        let share = |(gpu, cuda): (usize, &Arc<Cuda>)| {
            let bytes = |of: &CudaSlice<u8>| cuda.stream.alloc_zeros::<u8>(of.len()).map_err(&memory);
            Ok(Shared {
                bodies: bytes(&bodies)?,
                rotated: bytes(&rotated)?,
                slots_i: room(cuda, most(gpu, |part| part.launch.slots_i))?,
                slots_j: room(cuda, most(gpu, |part| part.launch.slots_j))?,
                sums: cuda.stream.alloc_zeros(LINES * a_slot).map_err(&memory)?,
                units: units_on(cuda)?,
                cuda: cuda.clone(),
            })
        };
        let shared = (1..gpus).zip(&self.cuda.others).map(share).collect::<Result<Vec<_>>>()?;
        self.cuda.context.bind_to_thread().map_err(failed("use the device"))?;
        self.loaded = Some(Loaded {
            units: units_on(&self.cuda)?,
            slots_i: room(&self.cuda, most(0, |part| part.launch.slots_i))?,
            slots_j: room(&self.cuda, most(0, |part| part.launch.slots_j))?,
            others: self.cuda.stream.alloc_zeros(if gpus > 1 { LINES * a_slot } else { 1 }).map_err(&memory)?,
            shared,
            held: self.cuda.stream.alloc_zeros(kernel.results.max(1) * stride).map_err(&memory)?,
            par: par64.iter().map(|x| T::from_f64(*x)).collect(),
            columns: if kernel.law.self_pair() == manybody_law::law::SelfPair::Given {
                i.iter().map(|c| c.to_vec()).collect()
            } else {
                Vec::new()
            },
            same: sets.same_bodies(),
            ni,
            n: [ni as u32, nj as u32, stride as u32, finish::same(sets)],
            tiles: (stride / tile) as u32,
            stride,
            padded_j,
            bodies,
            rotated,
            launches,
            pieces: Piece::all((stride / tile) as u32, self.blocks_at_once(&kernel, nj)),
            par64,
            kernel,
        });
        Ok(())
    }

    /// Blocks of bodies i that are started at once: all of a kernel for few bodies and of a mirrored one, whose launches
    /// have an end by their slots.
    fn blocks_at_once(&self, kernel: &Kernel, nj: usize) -> u32 {
        match kernel.shape {
            KernelConfig::Direct { .. } | KernelConfig::Summed { .. } => {
                let a_block = (kernel.shape.tile() * nj.max(1)) as u64;
                // at least as many as fill the device
                (LAUNCH_PAIRS / a_block).clamp(u64::from(8 * self.cuda.processors), u32::MAX.into()) as u32
            }
            KernelConfig::Small { .. } | KernelConfig::Symmetric { .. } => u32::MAX,
        }
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Evaluator for CudaEvaluator<T> {
    fn load(&mut self, sets: &Sets<'_>) -> Result<()> {
        sets.check(&self.law, if T::DOUBLE { 2f64.powi(53) } else { 2f64.powi(24) })?;
        // where bodies move on the device, it is told their origin
        if T::DOUBLE || self.moving {
            return self.place(sets);
        }
        let law = self.law.clone();
        law.recentred(sets, |sets| self.place(sets))
    }

    fn bound(&mut self, range: &[f64]) {
        self.range = range.to_vec();
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn compute(&mut self) -> Result<()> {
        self.launch(None, &mut self.pacer())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        let down = match &mut self.down {
            Some(down) => down,
            none => none.insert(Staging::new(&self.cuda)?),
        };
        let mut raw = vec![Vec::with_capacity(l.ni); l.kernel.results];
        down.fetch(&self.cuda.stream, &l.held, |range, numbers| {
            transfer::columns(range, l.stride, |column, first, within| {
                let bodies = l.ni.saturating_sub(first).min(within.len());
                if let Some(raw) = raw.get_mut(column) {
                    raw.extend_from_slice(&numbers[within][..bodies]);
                }
            });
        })
        .map_err(failed("compute"))?;
        Ok(finish::finish(&l.kernel.law, l.kernel.scales, &l.par64, l.same.then_some(&l.columns), raw))
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
        let time = failed("measure time");
        self.compute()?;
        // as in a run's steps: some evaluations in a graph, so that starting kernels one by one does not count
        let stream = self.cuda.stream.clone();
        let in_a_graph = repeats.clamp(1, 20);
        stream.begin_capture(Capture::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(&time)?;
        let captured = (0..in_a_graph).try_for_each(|_| self.launch(None, &mut Pacer::default()));
        let graph = stream.end_capture(Instantiate::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).map_err(&time)?;
        captured?;
        let Some(graph) = graph else { return Ok(0.0) }; // no bodies, nothing to do
        let launches = repeats.div_ceil(in_a_graph);
        graph.launch().map_err(&time)?;
        let begin = stream.record_event(flags).map_err(&time)?;
        for _ in 0..launches {
            graph.launch().map_err(&time)?;
        }
        let end = stream.record_event(flags).map_err(&time)?;
        let milliseconds = begin.elapsed_ms(&end).map_err(&time)?;
        Ok(f64::from(milliseconds) * 1e-3 / (launches * in_a_graph) as f64)
    }
}
