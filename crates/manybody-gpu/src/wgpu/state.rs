//! Bodies that stay on a device: positions and velocities, each number in two parts, and the kernel that moves them.

use super::calls::Pass;
use super::{SizedBy, Wgpu, groups};
use crate::gravity::Records;
use ::wgpu::{BindGroup, Buffer, BufferUsages, ComputePipeline};
use manybody_law::Result;
use manybody_pairwise::{Bodies, Frame, KickDrift};
use std::sync::Arc;

const MOVE: &str = concat!(include_str!("../kernels/move.wgsl"), include_str!("../kernels/parts.wgsl"));

/// Numbers before the bodies in the state, and where they are: as move.wgsl has it.
const HEAD: usize = 24;
const SPEED: usize = 12;
const BAD: usize = 18;

/// A number in two parts, which together are as near as 48 bits come; exactly those that move.wgsl makes.
pub(super) fn parts(x: f64) -> [f32; 2] {
    let high = x as f32;
    [high, if high.is_finite() { (x - f64::from(high)) as f32 } else { 0.0 }]
}

/// What a move reads and writes besides the state.
#[derive(Clone)]
pub(super) struct Surroundings {
    /// Sums and what they lost, \[2\]\[results\]\[stride\].
    pub(super) sums: Buffer,
    pub(super) stride: usize,
    pub(super) results: usize,
    /// From sums to accelerations, and from lengths to those of the frame.
    pub(super) factor: [f64; 3],
    pub(super) per_length: f64,
    /// The records that evaluations read, and how many there are with padding.
    pub(super) records: Buffer,
    pub(super) padded: usize,
}

/// What a call of move.wgsl reads.
struct Call<'a> {
    each: &'a KickDrift,
    around: &'a Surroundings,
    n: usize,
    records: Records,
    turn: usize,
}

impl Call<'_> {
    fn bytes(&self) -> Vec<u8> {
        let lengths = |q: &[f64]| -> [f32; 4] {
            let [a, b] = [q.first(), q.get(1)].map(|q| parts(q.copied().unwrap_or(0.0)));
            [a[0], a[1], b[0], b[1]]
        };
        let [f, g, h] = self.around.factor.map(|f| f as f32);
        let (kicks, drifts) = (self.each.kicks(), self.each.drifts());
        let floats = [lengths(kicks), lengths(drifts), [f, g, h, self.around.per_length as f32]];
        let words = [
            [kicks.len(), drifts.len(), self.n, self.around.padded],
            [usize::from(self.records.are_written(self.each)), self.turn, self.around.stride, self.around.results],
        ];
        let mut bytes: Vec<u8> = bytemuck::cast_slice(&floats).to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&words.map(|four| four.map(|word| word as u32))));
        bytes
    }
}

/// Where numbers are in a record of the kernels, in fours.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) quads: usize,
    /// Where the second parts of positions are; 0 without them.
    pub(super) low: usize,
}

/// Bodies on a device.
pub(super) struct State {
    wgpu: Arc<Wgpu>,
    pipeline: ComputePipeline,
    around: Surroundings,
    state: Buffer,
    checkpoint: Buffer,
    back: Buffer,
    /// Moves in use, when they write records, which of the two origins holds, and their call.
    calls: Vec<(KickDrift, Records, usize, BindGroup)>,
    pub(super) n: usize,
    /// Their indices among all bodies.
    at: Vec<usize>,
}

impl State {
    /// Brings bodies to the device.
    pub(super) fn new(
        wgpu: &Arc<Wgpu>,
        bodies: &Bodies,
        frame: &Frame,
        at: Vec<usize>,
        around: Surroundings,
        layout: Layout,
    ) -> Result<Self> {
        let n = bodies.len();
        let text = MOVE.replace("$QUADS", &layout.quads.to_string()).replace("$LOW", &layout.low.to_string());
        let pipeline = wgpu.pipeline(&text, "move_bodies", &wgpu.layouts[1])?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let bytes = 4 * (HEAD + 12 * n) as u64;
        let numbers = Self::numbers(bodies, frame);
        let state = wgpu.filled(bytemuck::cast_slice(&numbers), usage, SizedBy::Bodies)?;
        Ok(State {
            checkpoint: wgpu.buffer(bytes, usage, SizedBy::Bodies)?,
            back: wgpu.buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST, SizedBy::Bodies)?,
            wgpu: wgpu.clone(),
            pipeline,
            around,
            state,
            calls: Vec::new(),
            n,
            at,
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
    pub(super) fn pass(&mut self, each: &KickDrift, records: Records, turn: usize) -> Result<Pass> {
        let known = |c: &(KickDrift, Records, usize, BindGroup)| (c.0, c.1, c.2) == (*each, records, turn);
        let at = match self.calls.iter().position(known) {
            Some(at) => at,
            None => {
                let group = self.bind(&self.around, each, records, turn)?;
                // a run has few: those of a step, and of a last one
                self.calls.truncate(31);
                self.calls.insert(0, (*each, records, turn, group));
                0
            }
        };
        Ok(self.dispatch(self.calls[at].3.clone()))
    }

    fn dispatch(&self, group: BindGroup) -> Pass {
        Pass { pipeline: self.pipeline.clone(), group, groups: groups(self.n, 64), pairs: 0 }
    }

    fn bind(&self, around: &Surroundings, each: &KickDrift, records: Records, turn: usize) -> Result<BindGroup> {
        let wgpu = &self.wgpu;
        let call = Call { each, around, n: self.n, records, turn };
        let call = wgpu.filled(&call.bytes(), BufferUsages::UNIFORM, SizedBy::Other)?;
        let unused = wgpu.filled(&[0; 16], BufferUsages::UNIFORM, SizedBy::Other)?;
        wgpu.bind(&wgpu.layouts[1], &[&around.sums, &self.state, &around.records, &unused, &call])
    }

    /// The dispatch that writes these bodies' records to where other evaluations read them, by the kernel of those.
    pub(super) fn records_for(&self, other: &State, records: Buffer, padded: usize, turn: usize) -> Result<Pass> {
        let around = Surroundings { records, padded, per_length: other.around.per_length, ..self.around.clone() };
        let group = self.bind(&around, &KickDrift::default(), Records::Always, turn)?;
        Ok(Pass { pipeline: other.pipeline.clone(), ..self.dispatch(group) })
    }

    fn read(&self, numbers: usize) -> Result<Vec<f32>> {
        self.wgpu.read(&self.state, 0, &self.back, 4 * numbers as u64, |bytes| bytemuck::cast_slice(bytes).to_vec())
    }

    fn copy(&self, from: &Buffer, to: &Buffer) -> Result<()> {
        self.wgpu.submit(|encoder| encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size())).map(drop)
    }

    /// Notes the bodies.
    pub(super) fn save(&self) -> Result<()> {
        self.copy(&self.state, &self.checkpoint)
    }

    /// Takes the bodies that were noted.
    pub(super) fn restore(&self) -> Result<()> {
        self.copy(&self.checkpoint, &self.state)
    }

    /// Whether all numbers were finite since the last call.
    pub(super) fn sync(&self) -> Result<bool> {
        let is_fine = self.read(HEAD)?[BAD] == 0.0;
        if !is_fine {
            self.wgpu.write(&self.state, 4 * BAD as u64, &[0; 4])?;
        }
        Ok(is_fine)
    }

    pub(super) fn fetch(&self, bodies: &mut Bodies) -> Result<()> {
        let n = self.n;
        let all = self.read(HEAD + 12 * n)?;
        let columns = [&mut bodies.x, &mut bodies.y, &mut bodies.z, &mut bodies.vx, &mut bodies.vy, &mut bodies.vz];
        for (q, column) in columns.into_iter().enumerate() {
            let first = HEAD + (q % 3 + q / 3 * 6) * n;
            for (b, at) in self.at.iter().enumerate() {
                column[*at] = f64::from(all[first + b]) + f64::from(all[first + 3 * n + b]);
            }
        }
        Ok(())
    }

    /// Where a frame with these units is.
    pub(super) fn frame(&self, units: Frame, turn: usize) -> Result<Frame> {
        let head = self.read(HEAD)?;
        let at = 6 * turn;
        let mut numbers = units.numbers();
        for k in 0..3 {
            numbers[3 + k] = f64::from(head[at + k]) + f64::from(head[at + 3 + k]);
            numbers[6 + k] = f64::from(head[SPEED + k]) + f64::from(head[SPEED + 3 + k]);
        }
        Ok(Frame::of_numbers(numbers).unwrap_or(units))
    }
}
