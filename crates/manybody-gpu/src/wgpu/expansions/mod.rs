//! Expansions on a wgpu device, in f32: memory, kernels, and the dispatches of an evaluation.

mod memory;
mod plan;
mod resident;
mod source;

pub(crate) use resident::WgpuExpansionsResident;

use super::{Pass, Wgpu, failed};
use crate::expansions::{CLASHES, Columns, DOUBLINGS, Motion, OVERFLOW, Operators, Purpose, Softenings, Width};
use ::wgpu::{BindGroupLayout, BufferBindingType, BufferUsages, ComputePipeline};
use manybody_law::Result;
use manybody_tree::{Accuracy, LawText, Sinks};
use memory::{COUNTS, Memory, PARTS, REPORT, RESULT};
use plan::{BYTES, Form, OwnSoftenings, Plan, Stage, Step};
use source::{Entry, Variant, source};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Makes the bits of a whole number those of a normal number of f32.
const NORMAL: u32 = 0x4000_0000;

/// Storage buffers of a kernel.
const STORAGE_BUFFERS: u32 = 8;

/// Whether a device has expansions of this order for n bodies.
pub(super) fn fits(wgpu: &Wgpu, n: usize, order: usize, own_softenings: bool) -> bool {
    wgpu.limits.max_storage_buffers_per_shader_stage >= STORAGE_BUFFERS && memory::fits(wgpu, n, order, own_softenings)
}

/// Gravity by expansions on a wgpu device.
pub(crate) struct WgpuExpansions {
    wgpu: Arc<Wgpu>,
    accuracy: Accuracy,
    sinks: Sinks,
    layout: BindGroupLayout,
    memory: Option<Memory>,
    /// The function of the law of these dispatches.
    law: Option<Arc<LawText>>,
    /// The dispatches of the last evaluations: with keys of few and of all digits, and the stages of a law.
    prepared: Vec<(Request, Vec<Dispatch>)>,
}

/// What the dispatches of an evaluation depend on, but for the memory.
#[derive(Clone, Copy, PartialEq)]
struct Request {
    form: Form,
    potential: bool,
    dipoles: bool,
}

struct Dispatch {
    phase: &'static str,
    pass: Pass,
}

impl WgpuExpansions {
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(wgpu: Arc<Wgpu>, accuracy: Accuracy, sinks: Sinks) -> Result<Self> {
        use BufferBindingType::{Storage, Uniform};
        let mut kinds = [Storage { read_only: false }; 9];
        (kinds[0], kinds[8]) = (Storage { read_only: true }, Uniform);
        let most = wgpu.limits.max_storage_buffers_per_shader_stage;
        if most < STORAGE_BUFFERS {
            return Err(failed(format!(
                "the solvers tree and fmm need {STORAGE_BUFFERS} storage buffers a kernel, and this device has {most}"
            )));
        }
        let layout = wgpu.layout(&kinds)?;
        Ok(WgpuExpansions { wgpu, accuracy, sinks, layout, memory: None, law: None, prepared: Vec::new() })
    }

    /// The accelerations and, if asked for, the potentials of the bodies, in the units of their frame.
    pub(crate) fn forces(&mut self, columns: &Columns, potential: bool) -> Result<Vec<Vec<f32>>> {
        self.bring(columns)?;
        self.evaluate(columns, potential)?;
        let Some(memory) = &self.memory else { return Ok(Vec::new()) };
        let (n, fields) = (memory.n, columns.fields(potential));
        let bytes = 4 * n * fields.iter().max().map_or(0, |last| last + 1);
        let split = |all: &[u8]| {
            let all: &[f32] = bytemuck::cast_slice(&all[..bytes]);
            fields.iter().map(|field| all[field * n..(field + 1) * n].to_vec()).collect()
        };
        self.wgpu.read(&memory.buffers[RESULT], 0, &memory.back, bytes as u64, split)
    }

    /// Seconds of an evaluation, the mean of `repeats`.
    pub(crate) fn seconds(&mut self, columns: &Columns, potential: bool, repeats: usize) -> Result<f64> {
        self.bring(columns)?;
        let is_long = self.evaluate(columns, potential)?;
        let before = Instant::now();
        for _ in 0..repeats {
            self.launch(columns, potential, is_long)?;
        }
        self.wgpu.wait()?;
        Ok(before.elapsed().as_secs_f64() / repeats.max(1) as f64)
    }

    /// Seconds of each phase.
    pub(crate) fn phases(&mut self, columns: &Columns, potential: bool) -> Result<Vec<(&'static str, f64)>> {
        self.bring(columns)?;
        let is_long = self.evaluate(columns, potential)?;
        let mut phases = Vec::new();
        self.launch_with(columns, potential, is_long, &mut |wgpu, dispatches| {
            for part in dispatches.chunk_by(|a, b| a.phase == b.phase) {
                let before = Instant::now();
                submit(wgpu, part)?;
                wgpu.wait()?;
                phases.push((part[0].phase, before.elapsed().as_secs_f64()));
            }
            Ok(())
        })?;
        Ok(phases)
    }

    /// Brings the bodies to the device.
    fn bring(&mut self, columns: &Columns) -> Result<()> {
        let n = columns.numbers[0].len();
        let width = Width::of(columns);
        if self.memory.as_ref().is_none_or(|memory| memory.n != n || memory.width != width) {
            (self.memory, self.prepared) = (None, Vec::new());
            self.memory = Some(Memory::new(&self.wgpu, n, self.accuracy.order, width)?);
        }
        self.memory.iter().try_for_each(|memory| memory.fill(&self.wgpu, columns))
    }

    /// Evaluates, again with more memory where there are too few pages, or with longer keys where bodies share them; returns
    /// whether they are longer.
    fn evaluate(&mut self, columns: &Columns, potential: bool) -> Result<bool> {
        let mut is_long = false;
        for _ in 0..DOUBLINGS {
            self.launch(columns, potential, is_long)?;
            let Some(memory) = &self.memory else { return Ok(false) };
            let take = |bytes: &[u8]| -> Vec<u32> { bytemuck::cast_slice(bytes).to_vec() };
            let report = self.wgpu.read(&memory.buffers[COUNTS], 4 * REPORT as u64, &memory.back, 16, take)?;
            if report[OVERFLOW] & 2 != 0 {
                return Err(failed("a stack of cells to be opened has overflown"));
            }
            // no key distinguishes equal positions
            let longer = report[CLASHES] > 0 && !is_long;
            is_long |= longer;
            if report[OVERFLOW] != 0 {
                self.prepared.clear();
                // without memory for more pages nothing of it is used again
                self.memory = self.memory.take().map(|memory| memory.doubled(&self.wgpu)).transpose()?;
            } else if !longer {
                return Ok(is_long);
            }
        }
        Err(failed("the lists of cells have no end"))
    }

    fn launch(&mut self, columns: &Columns, potential: bool, is_long: bool) -> Result<()> {
        self.launch_with(columns, potential, is_long, &mut submit)
    }

    /// The same, with dispatches submitted in another way.
    fn launch_with(
        &mut self,
        columns: &Columns,
        potential: bool,
        is_long: bool,
        submit: &mut dyn FnMut(&Wgpu, &[Dispatch]) -> Result<()>,
    ) -> Result<()> {
        let wgpu = self.wgpu.clone();
        let Some(law) = &columns.law else {
            return submit(&wgpu, self.dispatches(columns, potential, is_long, Stage::Whole)?);
        };
        let sampled = law.problem.samples();
        let (bodies, sums) = (sampled.len(), 4 * law.text.expansions * sampled.len() * PARTS);
        let Some(memory) = &self.memory else { return Ok(()) };
        // their numbers are behind their sums
        let numbers: Vec<u32> = sampled.iter().map(|body| body | NORMAL).collect();
        wgpu.write(&memory.buffers[RESULT], 4 * sums as u64, bytemuck::cast_slice(&numbers))?;
        submit(&wgpu, self.dispatches(columns, potential, is_long, Stage::Sample { bodies })?)?;
        let Some(memory) = &self.memory else { return Ok(()) };
        let take = |bytes: &[u8]| -> Vec<f32> { bytemuck::cast_slice(bytes).to_vec() };
        let found = wgpu.read(&memory.buffers[RESULT], 0, &memory.back, 4 * sums as u64, take)?;
        let table = law.table(&sampled, &found, PARTS);
        memory.take_table(&wgpu, columns, &table)?;
        let (rows, last, has_allowed) = (table.rows.len() as u32, table.last, table.allowed.is_some());
        let stage = Stage::Law { rows, last, has_allowed };
        submit(&wgpu, self.dispatches(columns, potential, is_long, stage)?)
    }

    /// The dispatches of an evaluation.
    fn dispatches(&mut self, columns: &Columns, potential: bool, is_long: bool, stage: Stage) -> Result<&[Dispatch]> {
        let law = columns.law.as_ref().map(|law| law.text.clone());
        if self.law != law {
            (self.law, self.prepared) = (law, Vec::new());
        }
        let Softenings { halves, base, difference } = &columns.softenings;
        let softenings = OwnSoftenings { base: *base as f32, difference: *difference as f32 };
        let form = Form {
            accuracy: self.accuracy,
            sinks: self.sinks,
            is_long,
            soft2: columns.soft2 as f32,
            softenings: (!halves.is_empty()).then_some(softenings),
            softening: columns.softening,
            stage,
        };
        // products of masses and differences of softenings have dipoles
        let dipoles = columns.has_negative_mass || form.softenings.is_some();
        let request = Request { form, potential, dipoles };
        let known = self.prepared.iter().position(|(known, _)| *known == request);
        let at = match known {
            Some(at) => at,
            None => {
                let made = self.prepare(request)?;
                self.prepared.truncate(3);
                self.prepared.insert(0, (request, made));
                0
            }
        };
        Ok(&self.prepared[at].1)
    }

    fn prepare(&mut self, request: Request) -> Result<Vec<Dispatch>> {
        let Some(memory) = self.memory.take() else { return Ok(Vec::new()) };
        let made = self.bind(&memory, &Plan::new(&memory, request.form, self.law.clone().as_deref()).steps, request);
        self.memory = Some(memory);
        made
    }

    fn bind(&mut self, memory: &Memory, steps: &[Step], request: Request) -> Result<Vec<Dispatch>> {
        let numbers: Vec<u32> = steps.iter().flat_map(|step| step.words).collect();
        let usage = BufferUsages::UNIFORM;
        let calls = self.wgpu.filled(bytemuck::cast_slice(&numbers), usage, super::SizedBy::Other)?;
        let buffers = memory.buffers.each_ref();
        let mut dispatches = Vec::with_capacity(steps.len());
        for (k, step) in steps.iter().enumerate() {
            let order = step.purpose.order(self.accuracy.order);
            let potential = request.potential && step.purpose == Purpose::Forces;
            let law = self.law.clone();
            let (dipoles, of_law, motion) = (request.dipoles, law.is_some(), step.motion);
            let operators = Operators { order, dipoles, potential, of_law, motion };
            let operators = if motion == Motion::Rates { operators.of_rates() } else { operators };
            let stack = memory.levels.stack(self.sinks).max(memory.levels.stack(Sinks::Cells));
            let own_softenings = request.form.softenings.is_some();
            let softening = request.form.softening;
            let variant = Variant {
                operators,
                purpose: step.purpose,
                stack,
                own_softenings,
                softening,
                law,
                coupling: step.coupling,
            };
            let pipeline = self.kernel(step.entry, variant)?;
            let group = self.wgpu.bind_with(&self.layout, &buffers, (&calls, (k * BYTES) as u64, BYTES as u64))?;
            let pass = Pass { pipeline, group, groups: step.groups, pairs: 0 };
            dispatches.push(Dispatch { phase: step.phase, pass });
        }
        Ok(dispatches)
    }

    fn kernel(&self, entry: Entry, variant: Variant) -> Result<ComputePipeline> {
        self.wgpu.expansions.get(entry, variant, |text| self.wgpu.pipeline(text, entry.name(), &self.layout))
    }
}

/// Kernels that a device has compiled: they take seconds, and the next solver needs the same.
#[derive(Debug, Default)]
pub(super) struct Compiled(Mutex<HashMap<(Entry, Variant), ComputePipeline>>);

impl Compiled {
    fn get(
        &self,
        entry: Entry,
        variant: Variant,
        compile: impl FnOnce(&str) -> Result<ComputePipeline>,
    ) -> Result<ComputePipeline> {
        let variant = variant.needed_by(entry);
        let mut kernels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&(entry, variant.clone())) {
            return Ok(kernel.clone());
        }
        let kernel = compile(&source(entry, variant.clone()))?;
        kernels.insert((entry, variant), kernel.clone());
        Ok(kernel)
    }
}

fn submit(wgpu: &Wgpu, dispatches: &[Dispatch]) -> Result<()> {
    wgpu.run(dispatches.iter().map(|each| &each.pass)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use manybody_pairwise::Softening;

    #[test]
    fn every_kernel_compiles() {
        let Ok(wgpu) = Wgpu::open() else { return };
        let accuracy = Accuracy { order: 2, opening: manybody_tree::Opening::Angle(0.5), leaf: 32, is_usual: false };
        let softenings = Some(OwnSoftenings { base: 1.0, difference: 1.0 });
        let softening = Softening::Plummer;
        let form = Form {
            accuracy,
            sinks: Sinks::Cells,
            is_long: true,
            soft2: 0.0,
            softenings,
            softening,
            stage: Stage::Whole,
        };
        let width = Width { jerks: true, ..Width::of_gravity(true) };
        let memory = Memory::new(&wgpu, 3000, 2, width).unwrap();
        let opening = manybody_tree::Opening::Error(1e-3);
        let by_error = Form { accuracy: Accuracy { opening, ..accuracy }, ..form };
        let steps = [form, by_error].map(|form| Plan::new(&memory, form, None).steps);
        let entries: std::collections::HashSet<_> =
            steps.iter().flatten().map(|step| (step.entry, step.purpose, step.motion)).collect();
        let mut texts = std::collections::BTreeMap::new();
        for order in [1, 2, 5, 8] {
            for (dipoles, potential) in [(false, false), (true, true)] {
                for (entry, purpose, motion) in &entries {
                    let (order, potential) = (purpose.order(order), potential || *motion != Motion::Rest);
                    if order < 2 && *motion != Motion::Rest {
                        continue;
                    }
                    let operators = Operators { order, dipoles, potential, of_law: false, motion: *motion };
                    let operators = if *motion == Motion::Rates { operators.of_rates() } else { operators };
                    let softenings = Softening::ALL.iter().flat_map(|kind| [(false, *kind), (true, *kind)]);
                    for (own_softenings, softening) in softenings {
                        let variant = Variant {
                            operators,
                            purpose: *purpose,
                            stack: 2768,
                            own_softenings,
                            softening,
                            law: None,
                            coupling: None,
                        };
                        if own_softenings || *entry != Entry::SoftDifferences {
                            texts.insert(source(*entry, variant.clone().needed_by(*entry)), (entry, variant.clone()));
                        }
                    }
                }
            }
        }
        for (text, (entry, variant)) in texts {
            let module = ::wgpu::naga::front::wgsl::parse_str(&text);
            let module = module.unwrap_or_else(|error| panic!("{entry:?} {variant:?}: {error}"));
            let flags = ::wgpu::naga::valid::ValidationFlags::all();
            let found = ::wgpu::naga::valid::Validator::new(flags, Default::default()).validate(&module);
            found.unwrap_or_else(|error| panic!("{entry:?} {variant:?}: {error:?}"));
        }
    }
}
