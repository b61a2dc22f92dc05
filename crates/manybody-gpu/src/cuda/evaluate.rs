//! A law on a CUDA device: bodies up, kernels, sums back.

use super::launch::{Call, grid};
use super::resident::Step;
use super::transfer::{self, Staging};
use super::{Cuda, Shape, failed, kernels, source};
use crate::emit::{low_parts, split_inputs};
use crate::{Evaluator, Pairs, finish, uniform};
use cudarc::driver::sys::{
    CUfunction_attribute_enum as Limit, CUgraphInstantiate_flags as Instantiate, CUstreamCaptureMode as Capture,
};
use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody::Result;
use manybody::law::{Law, Sets};
use manybody::simd::Element;
use manybody::solver::{Precision, Summation};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes for the slots of one launch: enough rounds to fill any device, little beside its memory.
const SLOT_BYTES: usize = 512 << 20;

/// A law on a CUDA device, in f32 or f64.
pub struct CudaEvaluator<T> {
    cuda: Arc<Cuda>,
    law: Law,
    pairs: Pairs,
    shape: Option<Shape>,
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
    kernels: HashMap<(Vec<String>, Shape), Arc<Kernel>>,
    /// Ways to the device and back, once they are needed.
    up: Option<Staging<T>>,
    down: Option<Staging<f64>>,
    pub(super) loaded: Option<Loaded<T>>,
}

/// A law compiled in a shape.
pub(super) struct Kernel {
    pub(super) law: Law,
    pub(super) scales: bool,
    shape: Shape,
    /// Bytes of a body's record.
    record: usize,
    results: usize,
    /// Bytes of dynamic shared memory of the traversal.
    shared: usize,
    pack: CudaFunction,
    traverse: CudaFunction,
    gather: CudaFunction,
    /// Moves bodies without an evaluation.
    pub(super) step: Option<CudaFunction>,
}

/// Bodies on the device, and room for their results.
pub(super) struct Loaded<T> {
    pub(super) kernel: Arc<Kernel>,
    same: bool,
    ni: usize,
    nj: usize,
    /// Bodies with padding: the distance between the results of a slot.
    pub(super) stride: usize,
    /// As j, and for one set also as i (rotated).
    pub(super) bodies: CudaSlice<u8>,
    pub(super) rotated: CudaSlice<u8>,
    slots_j: CudaSlice<T>,
    slots_i: CudaSlice<T>,
    /// The sums, \[results\]\[stride\].
    pub(super) held: CudaSlice<f64>,
    /// Fixed point: units a result, then what a unit is worth, \[2\]\[results\].
    units: Option<CudaSlice<f64>>,
    launches: Vec<Launch>,
    par: Vec<T>,
    pub(super) par64: Vec<f64>,
    /// For what bodies do to themselves.
    columns: Vec<Vec<f64>>,
}

/// One launch of the traversal, and the slots it fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Launch {
    /// Rounds [begin, end), or share of j.
    begin: u32,
    end: u32,
    /// Rounds a block.
    chain: u32,
    /// Blocks along y: slots of i.
    slots_i: u32,
    slots_j: u32,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// A law on an open device.
    pub fn new(cuda: Arc<Cuda>, law: &Law, pairs: Pairs) -> Self {
        CudaEvaluator {
            cuda,
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
    pub fn with_shape(self, shape: Shape) -> Self {
        self.in_shape(Some(shape))
    }

    pub(super) fn in_shape(mut self, shape: Option<Shape>) -> Self {
        self.shape = shape;
        self
    }

    /// Evaluations are to end in moving the bodies: the law's first member is a position, its first result an acceleration.
    pub(super) fn stepping(mut self) -> Self {
        self.step = true;
        self.moving()
    }

    /// Numbers whose differences the law takes, such as positions, keep 48 bits: mixed precision. Not for f64.
    pub fn mixed(mut self) -> Self {
        self.split = !T::DOUBLE;
        self
    }

    /// Terms are added in a chosen way, by a one-sided kernel; None for the kernel's own. For laws whose results are sums, in
    /// f32.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody::Error::Parameter) for other laws, f64, or another kernel than `direct`.
    pub fn summing(mut self, sum: Option<Summation>) -> Result<Self> {
        if let Some(sum) = sum {
            finish::check_summable(&self.law, sum, T::DOUBLE, self.pairs)?;
            self.shape = self.shape.map(|shape| shape.with_sum(sum)).transpose()?;
        }
        self.sum = sum;
        Ok(self)
    }

    /// The law's first member is a position that will be [packed](Self::repack) anew.
    pub(super) fn moving(mut self) -> Self {
        self.moving = true;
        self
    }

    /// The columns that are packed, one after the other.
    pub(super) fn packed_columns(&self, sets: &Sets<'_>) -> Result<Vec<f64>> {
        Ok(uniform::reduced(&self.law, sets, &uniform::members(&self.law, sets, self.moving))?.columns.concat())
    }

    fn kernel(&mut self, members: Vec<String>, law: Law, n: usize) -> Result<Arc<Kernel>> {
        let split = if self.split { split_inputs(&law).len() } else { 0 };
        let numbers = crate::emit::numbers(law.body()).max(crate::emit::numbers(law.partner())) + split;
        let results = law.cells().len();
        let choose = || match self.sum {
            Some(sum) => Shape::summed(sum, n, numbers, results),
            None => Shape::choose(self.pairs, n, T::DOUBLE, numbers, results),
        };
        let shape = self.shape.unwrap_or_else(choose);
        if let Some(kernel) = self.kernels.get(&(members.clone(), shape)) {
            return Ok(kernel.clone());
        }
        let precision = if T::DOUBLE { Precision::F64 } else { Precision::F32 };
        let scales = self.pairs == Pairs::Ordered || finish::scales_agree(&law);
        let (text, sizes) = source(&law, precision, shape, scales, self.step, self.split);
        let ptx = kernels(&text, self.cuda.arch, false)?;
        let module =
            self.cuda.context.load_module(cudarc::nvrtc::Ptx::from_src(ptx)).map_err(failed("load a kernel"))?;
        let function = |name: &str| module.load_function(name).map_err(failed("find a kernel"));
        let traverse = function(shape.entry())?;
        let record = numbers.max(1).div_ceil(4) * 4 * size_of::<T>();
        let shared = shape.shared_bytes(record, results * size_of::<T>());
        let kernel = Arc::new(Kernel {
            record,
            results: sizes.results,
            shared,
            scales,
            shape,
            pack: function("pack")?,
            gather: function("gather")?,
            step: if self.step { Some(function("move")?) } else { None },
            traverse,
            law,
        });
        if shared > 48 << 10 {
            kernel
                .traverse
                .set_attribute(Limit::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)
                .map_err(failed("give a kernel its shared memory"))?;
        }
        self.kernels.insert((members, shape), kernel.clone());
        Ok(kernel)
    }

    /// Registers a thread of the loaded kernel, and bytes of local memory (spills).
    ///
    /// # Errors
    /// [`Error::Device`](manybody::Error::Device).
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

    /// Packs columns of what is loaded anew: \[numbers\]\[n\], as the device has them.
    pub(super) fn repack(&mut self, columns: &CudaSlice<T>, numbers: usize) -> Result<()> {
        let Some(mut l) = self.loaded.take() else { return Ok(()) };
        let kernel = l.kernel.clone();
        let packed = self.pack(&kernel, columns, [numbers, l.ni, l.stride], [&mut l.bodies, &mut l.rotated]);
        self.loaded = Some(l);
        packed
    }

    /// Starts an evaluation of what is loaded; with `step`, of an evaluator that is [stepping](Self::stepping), it ends in
    /// moving the bodies.
    pub(super) fn launch(&self, step: Option<&Step>) -> Result<()> {
        let Some(l) = &self.loaded else { return Ok(()) };
        if l.ni == 0 {
            return Ok(());
        }
        let stream = &self.cuda.stream;
        let start = failed("start a kernel");
        let (n, nj, stride, same) = (l.ni as u32, l.nj as u32, l.stride as u32, u32::from(l.same));
        let tiles = (l.stride / l.kernel.shape.tile()) as u32;
        for (k, launch) in l.launches.iter().enumerate() {
            let small = matches!(l.kernel.shape, Shape::Small { .. });
            let mut call = Call::new(stream, &l.kernel.traverse);
            let threads = match l.kernel.shape {
                Shape::Direct { threads, .. } => {
                    call.memory(&l.rotated).memory(&l.bodies).memory(&l.slots_i);
                    call.arg(&n).arg(&nj).arg(&stride).arg(&launch.end).arg(&same);
                    threads
                }
                Shape::Summed { threads, .. } => {
                    call.memory(&l.rotated).memory(&l.bodies).memory(&l.slots_i);
                    call.arg(&n).arg(&nj).arg(&stride).arg(&launch.end).arg(&same);
                    if let Some(units) = &l.units {
                        call.memory(units);
                    }
                    threads
                }
                Shape::Small { threads, .. } => {
                    call.memory(&l.rotated).memory(&l.bodies).memory(&l.held);
                    call.arg(&n).arg(&nj).arg(&stride).arg(&same);
                    if let Some(step) = step {
                        call.arg(step);
                    }
                    threads
                }
                Shape::Symmetric { warps, .. } => {
                    call.memory(&l.bodies).memory(&l.rotated).memory(&l.slots_j).memory(&l.slots_i);
                    call.arg(&n).arg(&tiles).arg(&launch.begin).arg(&launch.end).arg(&launch.chain);
                    32 * warps
                }
            };
            for p in &l.par {
                call.arg(p);
            }
            let early = small && self.cuda.launches_early;
            // SAFETY: the arguments are those of the kernel, and slots hold what its blocks write
            unsafe { call.launch(grid(tiles, launch.slots_i, threads, 1, l.kernel.shared), early) }.map_err(&start)?;
            if small {
                continue; // has gathered by itself
            }
            let (first, last) = (u32::from(k == 0), u32::from(k + 1 == l.launches.len()));
            let mut call = Call::new(stream, &l.kernel.gather);
            call.memory(&l.slots_i).arg(&launch.slots_i).memory(&l.slots_j).arg(&launch.slots_j);
            call.memory(&l.held).arg(&n).arg(&stride).arg(&first);
            if let Some(units) = &l.units {
                call.memory(units);
            }
            if let Some(step) = step {
                call.arg(&last).arg(step);
            }
            // SAFETY: the arguments are those of `gather`
            unsafe { call.launch(grid(n.div_ceil(32), 1, 32, 8, 0), false) }.map_err(&start)?;
        }
        Ok(())
    }

    fn plan(&self, kernel: &Kernel, ni: usize, nj: usize, stride: usize) -> Vec<Launch> {
        let processors = self.cuda.processors as usize;
        match kernel.shape {
            Shape::Direct { threads, split, .. } | Shape::Summed { threads, split, .. } => {
                // split j until every multiprocessor has 16 blocks of 64 threads
                let blocks = ni.div_ceil(kernel.shape.tile()).max(1);
                let tiles = nj.div_ceil(threads as usize).max(1);
                let split = match split as usize {
                    0 => (16 * processors).div_ceil(blocks).clamp(1, tiles),
                    split => split.min(tiles),
                };
                let share = tiles.div_ceil(split) * threads as usize;
                let slots_i = nj.div_ceil(share).max(1) as u32;
                vec![Launch { begin: 0, end: share as u32, chain: 1, slots_i, slots_j: 0 }]
            }
            Shape::Small { .. } => vec![Launch { begin: 0, end: 0, chain: 1, slots_i: 1, slots_j: 0 }],
            Shape::Symmetric { blocks, chain, .. } => {
                let tiles = stride / kernel.shape.tile();
                let rounds = tiles / 2 + 1;
                let a_round = kernel.results * stride * size_of::<T>();
                let at_once = (SLOT_BYTES / a_round.max(1)).clamp(1, rounds);
                let launches = rounds.div_ceil(at_once);
                let at_once = rounds.div_ceil(launches);
                // as many rounds a block as leave sixteen blocks for every place
                let places = processors * blocks as usize;
                let chain = match chain as usize {
                    0 => (tiles * at_once / (16 * places)).clamp(1, 16),
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
        let uniform::Reduced { law, columns, par: par64 } = uniform::reduced(&self.law, sets, &members)?;
        let (ni, nj) = sets.lens();
        let kernel = self.kernel(members, law, ni)?;
        let tile = kernel.shape.tile();
        let stride = ni.div_ceil(tile).max(1) * tile;
        let [bodies, rotated] = if sets.same {
            self.upload(&kernel, &columns, ni, stride)?
        } else {
            let [_, rotated] = self.upload(&kernel, sets.i, ni, stride)?;
            let [bodies, _] = self.upload(&kernel, sets.j, nj, nj.div_ceil(tile).max(1) * tile)?;
            [bodies, rotated]
        };
        let launches = self.plan(&kernel, ni, nj, stride);
        let memory = failed("allocate memory for the results");
        let most = |f: fn(&Launch) -> u32| launches.iter().map(f).max().unwrap_or(0).max(1) as usize;
        // chosen sums leave their kernel in 8 bytes each
        let wide = if matches!(kernel.shape, Shape::Summed { .. }) { 8 / size_of::<T>() } else { 1 };
        let room = |slots: usize| self.cuda.stream.alloc_zeros::<T>(wide * slots * kernel.results.max(1) * stride);
        let units = match kernel.shape {
            Shape::Summed { sum: Summation::Fixed, .. } => {
                let units = finish::units(&finish::factors(&kernel.law, kernel.scales, &par64), &self.range)?;
                Some(self.cuda.stream.clone_htod(&units.concat()).map_err(&memory)?)
            }
            _ => None,
        };
        self.loaded = Some(Loaded {
            units,
            slots_i: room(most(|l| l.slots_i)).map_err(&memory)?,
            slots_j: room(most(|l| l.slots_j)).map_err(&memory)?,
            held: self.cuda.stream.alloc_zeros(kernel.results.max(1) * stride).map_err(&memory)?,
            par: par64.iter().map(|x| T::from_f64(*x)).collect(),
            columns: if kernel.law.self_pair() == manybody::law::SelfPair::Given {
                columns.iter().map(|c| c.to_vec()).collect()
            } else {
                Vec::new()
            },
            same: sets.same,
            kernel,
            ni,
            nj,
            stride,
            bodies,
            rotated,
            launches,
            par64,
        });
        Ok(())
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

    fn compute(&mut self) -> Result<()> {
        self.launch(None)
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
        let columns: Vec<&[f64]> = l.columns.iter().map(Vec::as_slice).collect();
        let sets = Sets { i: &columns, j: &columns, same: l.same, par: &l.par64 };
        Ok(finish::finish(&l.kernel.law, l.kernel.scales, &l.par64, &sets, raw))
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
        let time = failed("measure time");
        self.compute()?;
        // as in a run's steps: some evaluations in a graph, so that starting kernels one by one does not count
        let stream = self.cuda.stream.clone();
        let in_a_graph = repeats.clamp(1, 20);
        stream.begin_capture(Capture::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(&time)?;
        let captured = (0..in_a_graph).try_for_each(|_| self.compute());
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
