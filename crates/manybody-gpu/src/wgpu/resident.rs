//! Bodies that live on a wgpu device: many steps are one submission. Energies are summed on the host, in f64.

use super::evaluate::{Form, Pass, groups};
use super::{SizedBy, Wgpu, WgpuEvaluator, failed};
use crate::gravity::{How, Problem, Problems, Records};
use crate::{Evaluator, Pairs, finish};
use ::wgpu::{BindGroup, Buffer, BufferUsages, ComputePipeline};
use manybody_law::Result;
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, ForceTerms, Frame, Integrals, KickDrift, Resident};
use manybody_ranks::Team;
use std::sync::Arc;

const MOVE: &str = include_str!("../kernels/move.wgsl");

/// Numbers before the bodies in the state, and where they are: as move.wgsl has it.
const HEAD: usize = 24;
const SPEED: usize = 12;
const BAD: usize = 18;

/// Moves of one submission.
const MOVES: usize = 64;

/// Bodies on a wgpu device.
pub(crate) struct WgpuResident {
    massive: Group,
    massless: Option<Massless>,
    /// Which of the two origins holds, also when `checkpoint` was called.
    turn: usize,
    checkpoint_turn: usize,
    /// The sums on the device are those of the present positions, if these have not moved since an evaluation.
    held: bool,
    units: Frame,
}

/// Bodies with the evaluator of their forces.
struct Group {
    forces: WgpuEvaluator,
    pipeline: ComputePipeline,
    state: Buffer,
    checkpoint: Buffer,
    back: Buffer,
    /// Moves in use, when they write records, which of the two origins holds, and their call.
    calls: Vec<(KickDrift, Records, usize, BindGroup)>,
    factor: [f64; 3],
    per_length: f64,
    n: usize,
    /// Their indices among all bodies.
    at: Vec<usize>,
}

/// Bodies without mass: those with mass act on them.
struct Massless {
    group: Group,
    /// The calls that write the records of those with mass, one for each of the two origins.
    sources: [Pass; 2],
}

/// A number in two parts, which together are as near as 48 bits come; exactly those that move.wgsl makes.
fn parts(x: f64) -> [f32; 2] {
    let high = x as f32;
    [high, if high.is_finite() { (x - f64::from(high)) as f32 } else { 0.0 }]
}

/// What a call of move.wgsl reads.
struct Call<'a> {
    each: &'a KickDrift,
    factor: [f64; 3],
    per_length: f64,
    n: usize,
    /// Records with padding, and when they are written.
    padded: usize,
    records: Records,
    turn: usize,
    stride: usize,
    results: usize,
}

impl Call<'_> {
    fn bytes(&self) -> Vec<u8> {
        let lengths = |q: &[f64]| -> [f32; 4] {
            let [a, b] = [q.first(), q.get(1)].map(|q| parts(q.copied().unwrap_or(0.0)));
            [a[0], a[1], b[0], b[1]]
        };
        let [f, g, h] = self.factor.map(|f| f as f32);
        let (kicks, drifts) = (self.each.kicks(), self.each.drifts());
        let floats = [lengths(kicks), lengths(drifts), [f, g, h, self.per_length as f32]];
        let words = [
            [kicks.len(), drifts.len(), self.n, self.padded],
            [usize::from(self.records.are_written(self.each)), self.turn, self.stride, self.results],
        ];
        let mut bytes: Vec<u8> = bytemuck::cast_slice(&floats).to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&words.map(|four| four.map(|word| word as u32))));
        bytes
    }
}

fn not_loaded() -> manybody_law::Error {
    failed("the bodies are not on the device")
}

impl Group {
    /// Brings the bodies of a problem to the device.
    fn new(wgpu: &Arc<Wgpu>, problem: &Problem<'_>, how: How, at: &[usize], team: Option<Team>) -> Result<Self> {
        let law = problem.law(ForceTerms::default());
        let mut forces = WgpuEvaluator::new(wgpu.clone(), &law.law()?, how.pairs).with_knobs(how.config).moving();
        if how.mixed {
            forces = forces.mixed()?;
        }
        forces = forces.summing(problem.sum)?;
        forces.team = team;
        forces.bound(&problem.ranges());
        problem.with_inputs(law, true, |inputs| forces.load(inputs))?;
        let n = problem.bodies.len();
        let loaded = forces.loaded.as_ref().ok_or_else(not_loaded)?;
        let factors = finish::factors(&loaded.kernel.law, loaded.kernel.scales, &loaded.par64);
        let unit = problem.frame.acceleration();
        let factor = [0, 1, 2].map(|k| factors[k] * unit);
        let kernel = &loaded.kernel;
        let text = MOVE.replace("$QUADS", &kernel.quads.to_string()).replace("$LOW", &kernel.low.to_string());
        let pipeline = wgpu.pipeline(&text, "move_bodies", forces.layout(Form::ThirdIsWritten))?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let bytes = 4 * (HEAD + 12 * n) as u64;
        let numbers = Self::numbers(problem.bodies, &problem.frame);
        let state = wgpu.filled(bytemuck::cast_slice(&numbers), usage, SizedBy::Bodies)?;
        Ok(Group {
            checkpoint: wgpu.buffer(bytes, usage, SizedBy::Bodies)?,
            back: wgpu.buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST, SizedBy::Bodies)?,
            forces,
            pipeline,
            state,
            calls: Vec::new(),
            factor,
            per_length: 1.0 / problem.frame.length(),
            n,
            at: at.to_vec(),
        })
    }

    /// The state as the device has it.
    fn numbers(bodies: &Bodies, frame: &Frame) -> Vec<f32> {
        let n = bodies.len();
        let mut all = vec![0.0_f32; HEAD + 12 * n];
        let nine = frame.numbers();
        for k in 0..3 {
            [all[k], all[3 + k]] = parts(nine[3 + k]);
            [all[SPEED + k], all[SPEED + 3 + k]] = parts(nine[6 + k]);
        }
        for (q, column) in [&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz].into_iter().enumerate()
        {
            let first = HEAD + (q % 3 + q / 3 * 6) * n;
            for (b, value) in column.iter().enumerate() {
                [all[first + b], all[first + 3 * n + b]] = parts(*value);
            }
        }
        all
    }

    /// The dispatch of a move.
    fn pass(&mut self, each: &KickDrift, records: Records, turn: usize) -> Result<Pass> {
        let known = |c: &(KickDrift, Records, usize, BindGroup)| (c.0, c.1, c.2) == (*each, records, turn);
        let at = match self.calls.iter().position(known) {
            Some(at) => at,
            None => {
                let loaded = self.forces.loaded.as_ref().ok_or_else(not_loaded)?;
                let (stride, results) = (loaded.stride, loaded.kernel.results);
                let Group { factor, per_length, n, .. } = *self;
                let call = Call { each, factor, per_length, n, padded: stride, records, turn, stride, results };
                let group = self.bind(&loaded.memory.held, &self.state, &loaded.memory.records, &call)?;
                // a run has few: those of a step, and of a last one
                self.calls.truncate(31);
                self.calls.insert(0, (*each, records, turn, group));
                0
            }
        };
        Ok(Pass {
            pipeline: self.pipeline.clone(),
            group: self.calls[at].3.clone(),
            groups: groups(self.n, 64),
            pairs: 0,
        })
    }

    fn bind(&self, held: &Buffer, state: &Buffer, records: &Buffer, call: &Call<'_>) -> Result<BindGroup> {
        let wgpu = &self.forces.wgpu;
        let call = wgpu.filled(&call.bytes(), BufferUsages::UNIFORM, SizedBy::Other)?;
        let unused = wgpu.filled(&[0; 16], BufferUsages::UNIFORM, SizedBy::Other)?;
        wgpu.bind(self.forces.layout(Form::ThirdIsWritten), &[held, state, records, &unused, &call])
    }

    fn head(&self) -> Result<Vec<f32>> {
        self.forces.read(&self.state, &self.back, HEAD)
    }

    /// Whether all numbers were finite since the last call.
    fn sync(&self) -> Result<bool> {
        let is_fine = self.head()?[BAD] == 0.0;
        if !is_fine {
            self.forces.wgpu.write(&self.state, 4 * BAD as u64, &[0; 4])?;
        }
        Ok(is_fine)
    }

    fn fetch(&self, bodies: &mut Bodies) -> Result<()> {
        let n = self.n;
        let all = self.forces.read(&self.state, &self.back, HEAD + 12 * n)?;
        let columns = [&mut bodies.x, &mut bodies.y, &mut bodies.z, &mut bodies.vx, &mut bodies.vy, &mut bodies.vz];
        for (q, column) in columns.into_iter().enumerate() {
            let first = HEAD + (q % 3 + q / 3 * 6) * n;
            for (b, at) in self.at.iter().enumerate() {
                column[*at] = f64::from(all[first + b]) + f64::from(all[first + 3 * n + b]);
            }
        }
        Ok(())
    }
}

impl Massless {
    fn new(wgpu: &Arc<Wgpu>, problem: &Problem<'_>, how: How, at: &[usize], massive: &Group) -> Result<Self> {
        // every source acts, so pairs are ordered, and the kernel is chosen
        let config = how.config.filter(|config| !config.is_mirrored());
        let group = Group::new(wgpu, problem, How { pairs: Pairs::Ordered, config, ..how }, at, None)?;
        let loaded = group.forces.loaded.as_ref().ok_or_else(not_loaded)?;
        let theirs = massive.forces.loaded.as_ref().ok_or_else(not_loaded)?;
        let (of_sources, padded) = &loaded.memory.sources;
        let pass = |turn: usize| {
            let call = Call {
                each: &KickDrift::default(),
                factor: massive.factor,
                per_length: group.per_length,
                n: massive.n,
                padded: *padded,
                records: Records::Always,
                turn,
                stride: theirs.stride,
                results: theirs.kernel.results,
            };
            let bound = group.bind(&theirs.memory.held, &massive.state, of_sources, &call)?;
            Ok::<_, manybody_law::Error>(Pass {
                pipeline: group.pipeline.clone(),
                group: bound,
                groups: groups(massive.n, 64),
                pairs: 0,
            })
        };
        let sources = [pass(0)?, pass(1)?];
        Ok(Massless { group, sources })
    }
}

impl WgpuResident {
    /// Brings the bodies to an open device.
    pub(crate) fn new(
        wgpu: Arc<Wgpu>,
        problems: &Problems<'_>,
        how: How,
        watch: &Watch,
        team: Option<Team>,
    ) -> Result<Self> {
        let mut massive = Group::new(&wgpu, &problems.massive, how, problems.at[0], team)?;
        // all moves are submitted by it
        massive.forces.watch(watch);
        let massless = match &problems.massless {
            Some(problem) => Some(Massless::new(&wgpu, problem, how, problems.at[1], &massive)?),
            None => None,
        };
        let units = problems.massive.frame;
        let mut this = WgpuResident { massive, massless, turn: 0, checkpoint_turn: 0, held: false, units };
        // records as move.wgsl makes them of the state, bit for bit, also where the host rounds otherwise
        this.place()?;
        Ok(this)
    }

    /// The groups of bodies.
    fn groups(&mut self) -> impl Iterator<Item = &mut Group> {
        std::iter::once(&mut self.massive).chain(self.massless.as_mut().map(|massless| &mut massless.group))
    }

    /// Writes the records of the present positions.
    fn place(&mut self) -> Result<()> {
        let turn = self.turn;
        let passes = self
            .groups()
            .map(|group| group.pass(&KickDrift::default(), Records::Always, turn))
            .collect::<Result<Vec<_>>>()?;
        self.turn ^= 1;
        self.massive.forces.submit_passes(&passes)
    }

    /// The dispatches of a move.
    fn passes(&mut self, each: &KickDrift) -> Result<Vec<Pass>> {
        let evaluates = each.accelerate || !(self.held || each.kicks().is_empty());
        self.held |= evaluates;
        let (turn, mut passes) = (self.turn, Vec::new());
        // before the others move: their positions and origin are those of this time
        if let Some(Massless { group, sources }) = &mut self.massless {
            if evaluates {
                passes.push(sources[turn].clone());
                passes.extend(group.forces.passes());
            }
            passes.push(group.pass(each, Records::WhereMoved, turn)?);
        }
        if evaluates {
            passes.extend(self.massive.forces.passes());
        }
        passes.push(self.massive.pass(each, Records::WhereMoved, turn)?);
        self.turn ^= 1;
        Ok(passes)
    }
}

impl Resident for WgpuResident {
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()> {
        for some in moves.chunks(MOVES) {
            let mut passes = Vec::new();
            for each in some {
                let mut of_a_move = self.passes(each)?;
                let moves = of_a_move.pop();
                let evaluates = !of_a_move.is_empty();
                passes.extend(of_a_move);
                if evaluates && self.massive.forces.team.is_some() {
                    self.massive.forces.submit_passes(&std::mem::take(&mut passes))?;
                    self.massive.forces.complete()?;
                }
                passes.extend(moves);
            }
            self.massive.forces.submit_passes(&passes)?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<bool> {
        let mut is_fine = true;
        for group in self.groups() {
            is_fine &= group.sync()?;
        }
        Ok(is_fine)
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.checkpoint_turn = self.turn;
        self.groups().try_for_each(|group| group.forces.copy(&group.state, &group.checkpoint))
    }

    fn roll_back(&mut self) -> Result<()> {
        self.turn = self.checkpoint_turn;
        self.groups().try_for_each(|group| group.forces.copy(&group.checkpoint, &group.state))?;
        self.held = false; // they are those of a later time, and will be computed again
        self.place()
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        self.groups().try_for_each(|group| group.fetch(bodies))
    }

    fn frame(&mut self) -> Result<Frame> {
        let head = self.massive.head()?;
        let at = 6 * self.turn;
        let mut numbers = self.units.numbers();
        for k in 0..3 {
            numbers[3 + k] = f64::from(head[at + k]) + f64::from(head[at + 3 + k]);
            numbers[6 + k] = f64::from(head[SPEED + k]) + f64::from(head[SPEED + 3 + k]);
        }
        Ok(Frame::of_numbers(numbers).unwrap_or(self.units))
    }

    /// There is no f64 here.
    fn integrals(&mut self) -> Result<Option<Integrals>> {
        Ok(None)
    }
}
