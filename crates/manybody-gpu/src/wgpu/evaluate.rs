//! A law on a wgpu device: uploads bodies, launches kernels, downloads sums.

use super::{NO_MEMORY, Shape, Subgroups, Traits, Traversal, Wgpu, failed, source};
use crate::emit::{low_parts, numbers, split_inputs};
use crate::{Evaluator, Pairs, finish, uniform};
use ::wgpu::{
    BindGroup, BindGroupLayout, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePipeline, ErrorFilter,
    MapMode, SubmissionIndex,
};
use manybody_law::law::{Law, PairInputs, SelfPair};
use manybody_law::{Error, Result};
use manybody_pairwise::Summation;
use manybody_pairwise::watch::Watch;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Bytes for the slots of one launch.
const SLOT_BYTES: u64 = 256 << 20;

/// Workgroups that fill a device: the j of one-sided kernels is split until there are so many.
const WORKGROUPS: usize = 2048;

/// Pairs of one submission: systems stop a program whose work holds a display's GPU for seconds, and a long evaluation can
/// be ended between submissions. The second is for a device that computes on the CPU.
const SUBMISSION_PAIRS: [u64; 2] = [1 << 34, 1 << 28];

/// A GPU computes so many pairs while two cores compute one; a device that computes on the CPU does not.
const FASTER: [u64; 2] = [64, 1];

/// Submissions under way: enough that the device never waits for the next one.
const UNDER_WAY: usize = 2;

/// Bodies j of a share at most on a device that computes on the CPU: Mesa's llvmpipe ends all loops of a thread after 65,535
/// turns, without an error. A body takes a turn, in blocks of one body a second one, and a tile takes one.
const SOFTWARE_SHARE: usize = 32_000;

/// A law on a wgpu device, in f32.
pub struct WgpuEvaluator {
    wgpu: Arc<Wgpu>,
    law: Law,
    pairs: Pairs,
    subgroups: Subgroups,
    /// The kernel's shape, where it is not to be chosen.
    knobs: Option<crate::KernelConfig>,
    /// The law's first member is a position that changes between evaluations.
    moving: bool,
    /// Numbers whose differences the law takes are given in two parts: mixed precision.
    split: bool,
    /// How terms are added, where that is not the kernel's own way.
    sum: Option<Summation>,
    /// Fixed point: what the results must stay below.
    range: Vec<f64>,
    /// The shape that was chosen last: for these members of the law and so many bodies.
    chosen: Option<(Vec<String>, usize, Pairs, Shape)>,
    watch: Watch,
    kernels: HashMap<(Vec<String>, Shape), Arc<Kernel>>,
    pub(super) loaded: Option<Loaded>,
}

/// What a kernel's third buffer is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    ThirdIsRead,
    ThirdIsWritten,
}

/// A dispatch.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) pipeline: ComputePipeline,
    pub(super) group: BindGroup,
    pub(super) groups: [u32; 2],
    /// Pairs that it evaluates.
    pub(super) pairs: u64,
}

/// A law compiled in a shape.
pub(super) struct Kernel {
    pub(super) law: Law,
    pub(super) scales: bool,
    shape: Shape,
    pub(super) results: usize,
    pub(super) quads: usize,
    /// Where second parts begin in a record; 0 if there are no second parts.
    pub(super) low: usize,
    traverse: ComputePipeline,
    gather: ComputePipeline,
}

/// Bodies on the device, and room for their results.
pub(super) struct Loaded {
    pub(super) kernel: Arc<Kernel>,
    /// Whether those acted on are those that act.
    same: bool,
    ni: usize,
    /// Bodies with padding: the distance between the sums of a result.
    pub(super) stride: usize,
    /// Traversals, each followed by the gathering of its slots.
    passes: Vec<Pass>,
    /// Bodies as the kernels read them, \[stride\]\[quads\].
    pub(super) records: Buffer,
    /// The bodies that act, which may be the same, and their number with padding.
    pub(super) sources: (Buffer, usize),
    /// Sums and what they have lost to rounding, \[2\]\[results\]\[stride\].
    pub(super) held: Buffer,
    back: Buffer,
    pub(super) par64: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl WgpuEvaluator {
    /// A law on an open device.
    pub fn new(wgpu: Arc<Wgpu>, law: &Law, pairs: Pairs) -> Self {
        let subgroups = wgpu.subgroups;
        WgpuEvaluator {
            wgpu,
            law: law.clone(),
            pairs,
            subgroups,
            knobs: None,
            moving: false,
            split: false,
            sum: None,
            range: Vec::new(),
            chosen: None,
            watch: Watch::default(),
            kernels: HashMap::new(),
            loaded: None,
        }
    }

    /// Computes as on a device with other subgroups: without any, or of a width that is not known before.
    pub fn with_subgroups(mut self, subgroups: Subgroups) -> Self {
        self.subgroups = subgroups;
        self
    }

    /// Fixes the shape of the kernel, as far as this device has such knobs; `None` to have it chosen.
    pub fn with_knobs(mut self, knobs: Option<crate::KernelConfig>) -> Self {
        self.knobs = knobs;
        self
    }

    /// Numbers whose differences the law takes, such as positions, keep 48 bits: mixed precision.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for a law with bodies of two kinds.
    pub fn mixed(mut self) -> Result<Self> {
        finish::check_mixed(&self.law)?;
        self.split = true;
        Ok(self)
    }

    /// Terms are added in a chosen way, by a one-sided kernel; `None` for the kernel's own. For laws whose results are
    /// at most eight sums.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody_law::Error::Parameter) for other laws, or another kernel than `direct`.
    pub fn summing(mut self, sum: Option<Summation>) -> Result<Self> {
        if let Some(sum) = sum {
            finish::check_summable(&self.law, sum, false, self.pairs)?;
            self.knobs = self.knobs.map(|knobs| crate::kernel_config::with_sum(knobs, sum)).transpose()?;
        }
        self.sum = sum;
        Ok(self)
    }

    /// The law's first member is a position that will change: it stays in the records even if it is the same for all now.
    pub(super) fn moving(mut self) -> Self {
        self.moving = true;
        self
    }

    fn kernel(&mut self, members: Vec<String>, law: Law, n: usize, pairs: Pairs) -> Result<Arc<Kernel>> {
        let adapter = Traits {
            subgroups: self.subgroups,
            shared: self.wgpu.limits.max_compute_workgroup_storage_size as usize,
            is_software: self.wgpu.is_software,
        };
        // to choose means to lower the law, so what was chosen last is kept
        let knobs = self.knobs.filter(|_| pairs == self.pairs);
        let shape = match (&self.chosen, knobs, self.sum) {
            (Some((of, at, once, shape)), ..) if *of == members && (*at, *once) == (n, pairs) => *shape,
            (_, Some(knobs), _) => Shape::with_knobs(knobs, &law, self.split, adapter),
            (_, None, Some(sum)) => Shape::summed(sum, n, &law, self.split, adapter),
            (_, None, None) => Shape::choose(pairs, n, &law, self.split, adapter),
        };
        self.chosen = Some((members.clone(), n, pairs, shape));
        if let Some(kernel) = self.kernels.get(&(members.clone(), shape)) {
            return Ok(kernel.clone());
        }
        let scales = pairs == Pairs::Ordered || finish::scales_agree(&law);
        let [traverse, gather] = source(&law, shape, scales);
        let form = match pairs {
            Pairs::Once => Form::ThirdIsWritten,
            Pairs::Ordered => Form::ThirdIsRead,
        };
        let base = numbers(law.body()).max(numbers(law.partner()));
        let low = if self.split { split_inputs(&law).len() } else { 0 };
        let kernel = Arc::new(Kernel {
            scales,
            shape,
            results: law.cells().len(),
            quads: (base + low).max(1).div_ceil(4),
            low: if low > 0 { base } else { 0 },
            traverse: self.pipeline(&traverse, shape.entry(), form)?,
            gather: self.pipeline(&gather, "gather", Form::ThirdIsRead)?,
            law,
        });
        self.kernels.insert((members, shape), kernel.clone());
        Ok(kernel)
    }

    #[allow(unsafe_code)]
    pub(super) fn pipeline(&self, text: &str, entry: &str, form: Form) -> Result<ComputePipeline> {
        let device = &self.wgpu.device;
        let scope = device.push_error_scope(ErrorFilter::Validation);
        let descriptor =
            ::wgpu::ShaderModuleDescriptor { label: Some(entry), source: ::wgpu::ShaderSource::Wgsl(text.into()) };
        // SAFETY: every index of the kernels is below the length of what it indexes: slots, tiles and records are
        // allocated for whole tiles. Checks at run time would cost a third of the rate
        let module =
            unsafe { device.create_shader_module_trusted(descriptor, ::wgpu::ShaderRuntimeChecks::unchecked()) };
        let layout = device.create_pipeline_layout(&::wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(self.layout(form))],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&::wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: ::wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        match pollster::block_on(scope.pop()) {
            None => Ok(pipeline),
            Some(error) => Err(failed(format!("the kernel {entry} does not compile: {error}"))),
        }
    }

    fn layout(&self, form: Form) -> &BindGroupLayout {
        &self.wgpu.layouts[usize::from(form == Form::ThirdIsWritten)]
    }

    pub(super) fn buffer(&self, bytes: u64, usage: BufferUsages) -> Result<Buffer> {
        let most = self.wgpu.limits.max_buffer_size.min(self.wgpu.limits.max_storage_buffer_binding_size);
        if bytes > most {
            return Err(failed(format!(
                "a buffer of {bytes} bytes is needed, and at most {most} are possible: fewer bodies would do"
            )));
        }
        let memory = self.wgpu.device.push_error_scope(ErrorFilter::OutOfMemory);
        let size = bytes.max(64).next_multiple_of(16);
        let buffer =
            self.wgpu.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        match pollster::block_on(memory.pop()) {
            None => Ok(buffer),
            Some(error) => Err(failed(format!("{bytes} bytes: {NO_MEMORY}: {error}"))),
        }
    }

    pub(super) fn filled(&self, bytes: &[u8], usage: BufferUsages) -> Result<Buffer> {
        let buffer = self.buffer(bytes.len() as u64, usage | BufferUsages::COPY_DST)?;
        self.wgpu.queue.write_buffer(&buffer, 0, bytes);
        self.wgpu.check()?;
        Ok(buffer)
    }

    /// Records of the bodies, padded with copies of the last.
    fn records(&self, columns: &[&[f64]], n: usize, padded: usize, quads: usize) -> Result<Buffer> {
        let mut records = vec![0.0_f32; padded * quads * 4];
        for (b, record) in records.chunks_exact_mut(quads * 4).enumerate() {
            let from = b.min(n.saturating_sub(1));
            record
                .iter_mut()
                .zip(columns)
                .for_each(|(to, column)| *to = column.get(from).copied().unwrap_or(0.0) as f32);
        }
        self.filled(bytemuck::cast_slice(&records), BufferUsages::STORAGE)
    }

    pub(super) fn bind(&self, form: Form, buffers: [&Buffer; 5]) -> BindGroup {
        let layout = self.layout(form);
        let entry = |k: usize| ::wgpu::BindGroupEntry { binding: k as u32, resource: buffers[k].as_entire_binding() };
        let entries = [0, 1, 2, 3, 4].map(entry);
        self.wgpu.device.create_bind_group(&::wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    /// Runs `record` and waits for nothing.
    fn submit(&self, record: impl FnOnce(&mut CommandEncoder)) -> Result<SubmissionIndex> {
        let mut encoder = self.wgpu.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        let scope = self.wgpu.device.push_error_scope(ErrorFilter::Validation);
        let index = self.wgpu.queue.submit([encoder.finish()]);
        pollster::block_on(scope.pop()).map_or(Ok(()), |error| Err(failed(error)))?;
        self.wgpu.check()?;
        Ok(index)
    }

    /// The dispatches of an evaluation of what is loaded.
    pub(super) fn passes(&self) -> Vec<Pass> {
        self.loaded.as_ref().filter(|l| l.ni > 0).map_or(Vec::new(), |l| l.passes.clone())
    }

    /// Runs dispatches one after the other, in submissions that are not too long, and waits for nothing, unless they are
    /// so long that the watch follows them.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`] where the watch asks for an end.
    pub(super) fn submit_passes(&self, passes: &[Pass]) -> Result<()> {
        let software = usize::from(self.wgpu.is_software);
        let mut submissions: Vec<&[Pass]> = Vec::new();
        let (mut first, mut pairs) = (0, 0);
        for (k, pass) in passes.iter().enumerate() {
            if k > first && pairs + pass.pairs > SUBMISSION_PAIRS[software] {
                submissions.push(&passes[first..k]);
                (first, pairs) = (k, 0);
            }
            pairs += pass.pairs;
        }
        submissions.push(&passes[first..]);
        let all: u64 = passes.iter().map(|pass| pass.pairs).sum();
        let look = self.watch.begin(all / FASTER[software], submissions.len() as u64);
        let mut under_way = VecDeque::new();
        for submission in submissions {
            under_way.push_back(self.submit_at_once(submission)?);
            let Some(look) = &look else { continue };
            if under_way.len() > UNDER_WAY
                && let Some(index) = under_way.pop_front()
            {
                self.wgpu.wait_for(Some(index))?;
                look.count();
            }
            if look.ends() {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }

    fn submit_at_once(&self, passes: &[Pass]) -> Result<SubmissionIndex> {
        self.submit(|encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for each in passes {
                pass.set_pipeline(&each.pipeline);
                pass.set_bind_group(0, &each.group, &[]);
                pass.dispatch_workgroups(each.groups[0], each.groups[1], 1);
            }
        })
    }

    /// Copies a buffer into one of the same size.
    pub(super) fn copy(&self, from: &Buffer, to: &Buffer) -> Result<()> {
        self.submit(|encoder| encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size().min(to.size()))).map(drop)
    }

    /// Overwrites a part of a buffer.
    pub(super) fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) {
        self.wgpu.queue.write_buffer(buffer, offset, bytes);
    }

    /// The first `count` numbers of a buffer, through one that can be mapped; waits for all that was submitted.
    pub(super) fn read(&self, from: &Buffer, back: &Buffer, count: usize) -> Result<Vec<f32>> {
        let size = ((4 * count) as u64).min(back.size());
        self.submit(|encoder| encoder.copy_buffer_to_buffer(from, 0, back, 0, size))?;
        let slice = back.slice(..size);
        slice.map_async(MapMode::Read, |_| {});
        self.wait()?;
        let numbers = {
            let view = slice.get_mapped_range().map_err(|error| failed(format!("{error:?}")))?;
            bytemuck::cast_slice(&view).to_vec()
        };
        back.unmap();
        Ok(numbers)
    }

    fn wait(&self) -> Result<()> {
        self.wgpu.wait()
    }

    /// Brings checked bodies to the device.
    fn place(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.loaded = None; // frees its memory for the new bodies
        let members = uniform::members(&self.law, inputs, self.moving);
        let uniform::Reduced { law, i, j, par: par64 } = uniform::reduced(&self.law, inputs, &members)?;
        let (ni, nj) = inputs.lens();
        let pairs = finish::pairs_of(self.pairs, inputs)?;
        let kernel = self.kernel(members, law, ni, pairs)?;
        let (tile, results, quads) = (kernel.shape.tile(), kernel.results.max(1), kernel.quads);
        let stride = ni.div_ceil(tile).max(1) * tile;
        let split = if self.split { split_inputs(&kernel.law) } else { Vec::new() };
        let records = |columns: &[&[f64]], n: usize, padded: usize| {
            let low = low_parts(&split, columns);
            let all: Vec<&[f64]> = columns.iter().copied().chain(low.iter().map(Vec::as_slice)).collect();
            self.records(&all, n, padded, quads)
        };
        let bodies_i = records(&i, ni, stride)?;
        let (bodies_j, padded_j) = match &j {
            None => (bodies_i.clone(), stride),
            Some(j) => {
                let padded = nj.div_ceil(tile).max(1) * tile;
                (records(j, nj, padded)?, padded)
            }
        };
        let mut par: Vec<f32> = par64.iter().map(|x| *x as f32).collect();
        par.push(0.0);
        let par = self.filled(bytemuck::cast_slice(&par), BufferUsages::UNIFORM)?;
        let a_held = (results * stride * 4) as u64;
        // chosen sums leave their kernel in two words each
        let a_slot = if self.sum.is_some() { 2 * a_held } else { a_held };
        let most = SLOT_BYTES.min(self.wgpu.limits.max_storage_buffer_binding_size);
        let at_once = (most / a_slot).max(1) as usize;
        let tiles = stride / tile;
        let small = kernel.shape.traversal == Traversal::Small;
        // (words of the traversal, groups along y, slots of i, slots of j)
        let plans: Vec<([u32; 8], u32, u32)> = match pairs {
            Pairs::Ordered if small => {
                vec![([ni as u32, nj as u32, stride as u32, finish::same(inputs), 0, 0, 0, 0], 1, 0)]
            }
            Pairs::Ordered => {
                let share_tiles = nj.div_ceil(kernel.shape.threads).max(1);
                let most = if self.sum == Some(Summation::Direct) { 1 } else { at_once };
                let least = if self.wgpu.is_software { nj.div_ceil(SOFTWARE_SHARE).max(1) } else { 1 };
                if least > most {
                    let most = most * SOFTWARE_SHARE;
                    let expected =
                        format!("must be at most {most} bodies, with this summation, on a GPU emulated by the CPU");
                    return Err(Error::Parameter { name: "n", value: nj.to_string(), expected });
                }
                let split = (WORKGROUPS / tiles).max(least).clamp(1, share_tiles).min(most);
                let share = share_tiles.div_ceil(split) * kernel.shape.threads;
                let slots = nj.div_ceil(share).max(1) as u32;
                let same = finish::same(inputs);
                vec![([ni as u32, nj as u32, stride as u32, share as u32, same, 0, 0, 0], slots, 0)]
            }
            Pairs::Once => {
                let rounds = tiles / 2 + 1;
                let launches = rounds.div_ceil(at_once.min(rounds));
                let at_once = rounds.div_ceil(launches);
                let chain = (tiles * at_once / (8 * WORKGROUPS)).clamp(1, 16);
                let plan = |k: usize| {
                    let (begin, end) = (k * at_once, rounds.min((k + 1) * at_once));
                    let call = [ni as u32, tiles as u32, begin as u32, end as u32, chain as u32, 0, 0, 0];
                    (call, (end - begin).div_ceil(chain) as u32, (end - begin.max(1)) as u32)
                };
                (0..launches).map(plan).filter(|p| p.0[2] < p.0[3]).collect()
            }
        };
        let most = |f: fn(&([u32; 8], u32, u32)) -> u32| u64::from(plans.iter().map(f).max().unwrap_or(0).max(1));
        let storage = BufferUsages::STORAGE;
        let slots_i = self.buffer(a_slot * most(|p| p.1), storage)?;
        let slots_j = self.buffer(a_slot * most(|p| p.2), storage)?;
        let held = self.buffer(2 * a_held, storage | BufferUsages::COPY_SRC)?;
        let back = self.buffer(2 * a_held, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let mut scale = [1.0_f32; 8];
        if self.sum == Some(Summation::Fixed) {
            let [units, _] = finish::units(&finish::factors(&kernel.law, kernel.scales, &par64), &self.range)?;
            scale.iter_mut().zip(units).for_each(|(scale, units)| *scale = units as f32);
        }
        // the scales are for kernels with a choice of sums; others do not look at them
        let words = |words: [u32; 8]| {
            let mut bytes: Vec<u8> = bytemuck::cast_slice(&words).to_vec();
            bytes.extend_from_slice(bytemuck::cast_slice(&scale));
            bytes
        };
        let mut passes = Vec::new();
        let all_pairs = ni as u64 * nj as u64;
        for (k, (call, lines, slots)) in plans.iter().enumerate() {
            if small {
                let call = self.filled(&words(*call), BufferUsages::UNIFORM)?;
                let group = self.bind(Form::ThirdIsRead, [&bodies_j, &held, &bodies_i, &par, &call]);
                let groups = [tiles as u32, 1];
                passes.push(Pass { pipeline: kernel.traverse.clone(), group, groups, pairs: all_pairs });
                continue; // gathers by itself
            }
            let first = u32::from(k == 0);
            let gather = words([ni as u32, stride as u32, *lines, *slots, first, 0, 0, 0]);
            let gather = self.filled(&gather, BufferUsages::UNIFORM)?;
            for piece in pieces(pairs, tiles, tile as u64 * nj as u64, self.wgpu.is_software) {
                let blocks = piece.len() as u64;
                let (traverse, work) = match pairs {
                    Pairs::Ordered => {
                        let mut call = *call;
                        call[FIRST_BLOCK] = piece.start as u32;
                        let call = self.filled(&words(call), BufferUsages::UNIFORM)?;
                        let group = self.bind(Form::ThirdIsRead, [&bodies_j, &slots_i, &bodies_i, &par, &call]);
                        (group, blocks * tile as u64 * nj as u64)
                    }
                    Pairs::Once => {
                        let rounds = u64::from(call[3] - call[2]);
                        let call = self.filled(&words(*call), BufferUsages::UNIFORM)?;
                        let group = self.bind(Form::ThirdIsWritten, [&bodies_i, &slots_i, &slots_j, &par, &call]);
                        (group, 2 * rounds * stride as u64 * tile as u64)
                    }
                };
                let groups = [piece.len() as u32, *lines];
                passes.push(Pass { pipeline: kernel.traverse.clone(), group: traverse, groups, pairs: work });
            }
            passes.push(Pass {
                pipeline: kernel.gather.clone(),
                group: self.bind(Form::ThirdIsRead, [&slots_i, &held, &slots_j, &par, &gather]),
                groups: groups(ni, kernel.shape.gathers()),
                pairs: 0,
            });
        }
        let given = kernel.law.self_pair() == SelfPair::Custom;
        self.loaded = Some(Loaded {
            columns: if given { i.iter().map(|c| c.to_vec()).collect() } else { Vec::new() },
            same: inputs.same_bodies(),
            kernel,
            ni,
            stride,
            passes,
            records: bodies_i,
            sources: (bodies_j, padded_j),
            held,
            back,
            par64,
        });
        Ok(())
    }
}

/// Where the first block of bodies i is among the words of a one-sided traversal.
const FIRST_BLOCK: usize = 6;

/// The blocks of bodies i that are dispatched at once: all of a mirrored traversal, whose dispatches have an end by their
/// slots; of a one-sided one as many as keep a dispatch short, and enough to fill the device.
fn pieces(pairs: Pairs, blocks: usize, pairs_of_a_block: u64, is_software: bool) -> Vec<Range<usize>> {
    let least = if is_software { 8 } else { WORKGROUPS };
    // the last blocks of a dispatch leave a part of the device idle, so only what takes a second is divided
    let is_short = !is_software && blocks as u64 * pairs_of_a_block < 1 << 41;
    let most = match pairs {
        Pairs::Once => usize::MAX,
        Pairs::Ordered if is_short => usize::MAX,
        Pairs::Ordered => least.max((SUBMISSION_PAIRS[usize::from(is_software)] / pairs_of_a_block.max(1)) as usize),
    };
    (0..blocks).step_by(most).map(|first| first..blocks.min(first.saturating_add(most))).collect()
}

/// Workgroups for n bodies of so many each, on two axes: one holds no more than 65,535.
pub(super) fn groups(n: usize, each: usize) -> [u32; 2] {
    let all = n.div_ceil(each) as u32;
    let lines = all.div_ceil(65_535).max(1);
    [all.div_ceil(lines), lines]
}

impl Evaluator for WgpuEvaluator {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        inputs.check(&self.law, 2f64.powi(24))?;
        // where bodies move on the device, it is told their origin
        if self.moving {
            return self.place(inputs);
        }
        let law = self.law.clone();
        law.recentred(inputs, |inputs| self.place(inputs))
    }

    fn bound(&mut self, range: &[f64]) {
        self.range = range.to_vec();
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn compute(&mut self) -> Result<()> {
        self.submit_passes(&self.passes())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        let all = self.read(&l.held, &l.back, 2 * l.kernel.results * l.stride)?;
        let (top, lost) = (|k: usize| k * l.stride, |k: usize| (l.kernel.results + k) * l.stride);
        let raw = (0..l.kernel.results)
            .map(|k| (0..l.ni).map(|b| finish::two_parts(all[top(k) + b], all[lost(k) + b])).collect())
            .collect();
        Ok(finish::finish(&l.kernel.law, l.kernel.scales, &l.par64, l.same.then_some(&l.columns), raw))
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        self.compute()?;
        self.wait()?;
        // as in a run: some evaluations in one submission, so that submitting them one by one does not count
        let at_once = repeats.clamp(1, 20);
        let once = self.passes();
        let passes: Vec<Pass> = (0..at_once).flat_map(|_| once.clone()).collect();
        let submissions = repeats.div_ceil(at_once);
        let start = std::time::Instant::now();
        for _ in 0..submissions {
            self.submit_passes(&passes)?;
        }
        self.wait()?;
        Ok(start.elapsed().as_secs_f64() / (submissions * at_once) as f64)
    }
}
