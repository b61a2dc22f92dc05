//! Bodies that live on a wgpu device: many steps are one submission. Energies are summed on the host, in f64.

use super::evaluate::{Form, Pass, groups};
use super::{Wgpu, WgpuEvaluator, failed};
use crate::gravity::Problem;
use crate::{Evaluator, Pairs, finish};
use ::wgpu::{BindGroup, Buffer, BufferUsages, ComputePipeline};
use manybody_law::Result;
use manybody_pairwise::{Bodies, Frame, Integrals, Move, Resident};
use std::sync::Arc;

const MOVE: &str = include_str!("../kernels/move.wgsl");

/// Numbers before the bodies in the state, and where they are: as move.wgsl has it.
const HEAD: usize = 24;
const SPEED: usize = 12;
const BAD: usize = 18;

/// Pairs of one submission: systems stop a program whose work holds a display's GPU for seconds.
const PAIRS: f64 = 2e10;

/// Moves of one submission.
const MOVES: usize = 64;

/// Bodies on a wgpu device.
pub(crate) struct WgpuResident {
    forces: WgpuEvaluator,
    pipeline: ComputePipeline,
    state: Buffer,
    marked: Buffer,
    back: Buffer,
    /// Moves in use, whether records are written, which of the two origins holds, and their call.
    calls: Vec<(Move, bool, usize, BindGroup)>,
    /// Which of the two origins holds, also when `mark` was called.
    turn: usize,
    marked_turn: usize,
    /// The sums on the device are those of the present positions, if these have not moved since an evaluation.
    held: bool,
    units: Frame,
    factor: [f64; 3],
    n: usize,
}

/// A number in two parts, which together are as near as 48 bits come; exactly those that move.wgsl makes.
fn parts(x: f64) -> [f32; 2] {
    let high = x as f32;
    [high, if high.is_finite() { (x - f64::from(high)) as f32 } else { 0.0 }]
}

impl WgpuResident {
    /// Brings the bodies of a problem to an open device.
    pub(crate) fn new(
        wgpu: Arc<Wgpu>,
        problem: &Problem<'_>,
        pairs: Pairs,
        shape: Option<crate::KernelConfig>,
        mixed: bool,
    ) -> Result<Self> {
        let mut forces = WgpuEvaluator::new(wgpu, &problem.law(false)?, pairs).with_knobs(shape).moving();
        if mixed {
            forces = forces.mixed()?;
        }
        forces = forces.summing(problem.sum)?;
        forces.bound(&problem.ranges());
        problem.with_sets(true, |sets| forces.load(sets))?;
        let n = problem.bodies.len();
        let Some(loaded) = &forces.loaded else { return Err(failed("the bodies are not on the device")) };
        let factors = finish::factors(&loaded.kernel.law, loaded.kernel.scales, &loaded.par64);
        let unit = problem.frame.acceleration();
        let factor = [0, 1, 2].map(|k| factors[k] * unit);
        let kernel = &loaded.kernel;
        let text = MOVE.replace("$QUADS", &kernel.quads.to_string()).replace("$LOW", &kernel.low.to_string());
        let pipeline = forces.pipeline(&text, "move_bodies", Form::ThirdIsWritten)?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let bytes = 4 * (HEAD + 12 * n) as u64;
        let state = forces.filled(bytemuck::cast_slice(&Self::numbers(problem.bodies, &problem.frame)), usage)?;
        let marked = forces.buffer(bytes, usage)?;
        let back = forces.buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let units = problem.frame;
        let calls = Vec::new();
        let mut this = WgpuResident {
            forces,
            pipeline,
            state,
            marked,
            back,
            calls,
            turn: 0,
            marked_turn: 0,
            held: false,
            units,
            factor,
            n,
        };
        // records as move.wgsl makes them of the state, bit for bit, also where the host rounds otherwise
        this.place()?;
        Ok(this)
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

    /// Writes the records of the present positions.
    fn place(&mut self) -> Result<()> {
        let call = self.call(&Move::default(), true)?;
        let pass = self.pass(call);
        self.turn ^= 1;
        self.forces.submit_passes(&[pass])
    }

    /// The call of a move, at the present turn.
    fn call(&mut self, each: &Move, place: bool) -> Result<usize> {
        let known = |c: &(Move, bool, usize, BindGroup)| (c.0, c.1, c.2) == (*each, place, self.turn);
        if let Some(at) = self.calls.iter().position(known) {
            return Ok(at);
        }
        let Some(loaded) = &self.forces.loaded else { return Err(failed("the bodies are not on the device")) };
        let lengths = |q: &[f64]| -> [f32; 4] {
            let [a, b] = [q.first(), q.get(1)].map(|q| parts(q.copied().unwrap_or(0.0)));
            [a[0], a[1], b[0], b[1]]
        };
        let [f, g, h] = self.factor.map(|f| f as f32);
        let floats = [lengths(each.kicks()), lengths(each.drifts()), [f, g, h, (1.0 / self.units.length()) as f32]];
        let words = [
            [each.kicks().len(), each.drifts().len(), self.n, loaded.stride],
            [usize::from(place || !each.drifts().is_empty()), self.turn, loaded.stride, loaded.kernel.results],
        ];
        let mut bytes: Vec<u8> = bytemuck::cast_slice(&floats).to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&words.map(|four| four.map(|word| word as u32))));
        let call = self.forces.filled(&bytes, BufferUsages::UNIFORM)?;
        let unused = self.forces.filled(&[0; 16], BufferUsages::UNIFORM)?;
        let group =
            self.forces.bind(Form::ThirdIsWritten, [&loaded.held, &self.state, &loaded.records, &unused, &call]);
        // a run has few: those of a step, and of a last one
        self.calls.truncate(31);
        self.calls.insert(0, (*each, place, self.turn, group));
        Ok(0)
    }

    fn pass(&self, call: usize) -> Pass {
        Pass { pipeline: self.pipeline.clone(), group: self.calls[call].3.clone(), groups: groups(self.n, 64) }
    }

    fn fetched(&mut self) -> Result<Vec<f32>> {
        self.forces.read(&self.state, &self.back, HEAD + 12 * self.n)
    }
}

impl Resident for WgpuResident {
    fn carry_out(&mut self, moves: &[Move]) -> Result<()> {
        let most = (PAIRS / (self.n as f64).powi(2)).clamp(1.0, MOVES as f64) as usize;
        for some in moves.chunks(most) {
            let mut passes = Vec::new();
            for each in some {
                if each.accelerate || !(self.held || each.kicks().is_empty()) {
                    self.held = true;
                    passes.extend(self.forces.passes());
                }
                let call = self.call(each, false)?;
                passes.push(self.pass(call));
                self.turn ^= 1;
            }
            self.forces.submit_passes(&passes)?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<bool> {
        let head = self.forces.read(&self.state, &self.back, HEAD)?;
        if head[BAD] != 0.0 {
            self.forces.write(&self.state, 4 * BAD as u64, &[0; 4]);
        }
        Ok(head[BAD] == 0.0)
    }

    fn mark(&mut self) -> Result<()> {
        self.marked_turn = self.turn;
        self.forces.copy(&self.state, &self.marked)
    }

    fn go_back(&mut self) -> Result<()> {
        self.turn = self.marked_turn;
        self.forces.copy(&self.marked, &self.state)?;
        self.held = false; // they are those of a later time, and will be computed anew
        self.place()
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        let all = self.fetched()?;
        let n = self.n;
        let columns = [&mut bodies.x, &mut bodies.y, &mut bodies.z, &mut bodies.vx, &mut bodies.vy, &mut bodies.vz];
        for (q, column) in columns.into_iter().enumerate() {
            let first = HEAD + (q % 3 + q / 3 * 6) * n;
            for (b, value) in column.iter_mut().enumerate() {
                *value = f64::from(all[first + b]) + f64::from(all[first + 3 * n + b]);
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> Result<Frame> {
        let head = self.forces.read(&self.state, &self.back, HEAD)?;
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
