//! Block time steps on a wgpu device, in mixed precision: two dispatches a block, many blocks a submission.

use super::calls::Pass;
use super::repeat::{Counts, expand};
use super::state::parts;
use super::{SizedBy, Wgpu, groups};
use crate::gravity::frame_of_blocks;
use ::wgpu::{Buffer, BufferBindingType, BufferUsages};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{BlockState, BlockStep, BlockWork, Bodies, Coordinates, Frame, Gravity, HermiteOrder};
use std::sync::Arc;
use std::time::{Duration, Instant};

const BLOCKS: &str = concat!(include_str!("../kernels/blocks.wgsl"), include_str!("../kernels/parts.wgsl"));
const FOURTH: &str = include_str!("../kernels/blocks4.wgsl");
const SIXTH: &str = include_str!("../kernels/blocks6.wgsl");

/// Ticks of a step of the run are two to this power, as blocks.wgsl has it; the deepest level that has whole ticks.
const BITS: u32 = 40;
/// Words of both controls and of the report, and where these are.
const WORDS: usize = 16;
const CONTROL: usize = 5;
const DEEPEST: usize = 2;
const REPORT: usize = 2 * CONTROL;
const NOBODY: u32 = u32::MAX;

/// Blocks of a submission: no more than take so long, so that no driver takes the device for hung.
const SUBMISSION: Duration = Duration::from_millis(100);
const MOST: usize = 1024;

/// Workgroups that correct: more do not fill a device better, and where the CPU computes each costs time.
const GROUPS: usize = 512;
const GROUPS_OF_SOFTWARE: usize = 16;

/// Bodies at most: a dispatch in which all are active has 2^34 pairs then, a second of a slow GPU. On a device that computes on the
/// CPU loops end after 65,535 turns of a thread (see `evaluate::schedule`): of 4,096 bodies there are 17,000 or so.
const MOST_BODIES: [usize; 2] = [1 << 17, 1 << 12];

/// The last derivative of the position that is not kept times a power of the step, which makes it an acceleration.
const LAST_PLAIN: usize = 3;

/// Words of a call.
const CALL: usize = 16;

/// How the kernels share the work: from the scheme, the number of bodies and the kind of device alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    order: HermiteOrder,
    /// Bodies that a workgroup corrects at once, and its threads.
    per_group: usize,
    threads: usize,
    /// How many workgroups there are.
    groups: usize,
}

impl Shape {
    fn of(order: HermiteOrder, n: usize, is_software: bool) -> Self {
        let per_group = match n {
            _ if is_software => 2,
            0..8192 => 1,
            8192..32_768 => 2,
            _ => 4,
        };
        // a device has 16 KiB or more for the sums of a workgroup
        let (threads, most) = match order {
            _ if is_software => (32, GROUPS_OF_SOFTWARE),
            HermiteOrder::Fourth | HermiteOrder::ThreePoint => (256, GROUPS),
            HermiteOrder::Sixth => (128, GROUPS),
        };
        Shape { order, per_group, threads, groups: n.div_ceil(per_group).min(most) }
    }

    /// Derivatives of the position, the zeroth included, along three axes.
    fn numbers(self) -> usize {
        3 * self.order.derivatives()
    }

    /// Numbers of a predicted body.
    fn predicted(self) -> usize {
        if self.order.has_snaps() { 16 } else { 12 }
    }

    fn text(self) -> String {
        let (sums, of_order) = if self.order.has_snaps() { (9, SIXTH) } else { (6, FOURTH) };
        let constants = vec![
            ("PARTS", sums * self.threads),
            ("FOUND", sums * self.per_group),
            ("K", self.per_group),
            ("B", self.threads),
        ];
        let counts = Counts { results: sums, unroll: CONTROL, ..Counts::of_threads(self.per_group, constants) };
        expand(BLOCKS, &counts) + of_order
    }
}

/// The units of the state on the device: those of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Units {
    frame: Frame,
    length: f64,
    velocity: f64,
    origin: [f64; 3],
    drift: [f64; 3],
    /// From sums to derivatives of the state.
    factor: f64,
}

impl Units {
    fn of(bodies: &Bodies, gravity: &Gravity, order: HermiteOrder) -> Result<Self> {
        let frame = frame_of_blocks(bodies, gravity, order)?;
        let [length, velocity, mass, x, y, z, vx, vy, vz] = frame.numbers();
        let factor = mass / length / (velocity * velocity);
        Ok(Units { frame, length, velocity, origin: [x, y, z], drift: [vx, vy, vz], factor })
    }

    /// The unit of a derivative of the position along an axis, and what is taken off; of those that are kept times powers of the step,
    /// that of the acceleration.
    fn number(&self, derivative: usize, axis: usize) -> (f64, f64) {
        let power = if derivative > LAST_PLAIN { 2 } else { derivative };
        let unit = self.length * (self.velocity / self.length).powi(power as i32);
        let off = match derivative {
            0 => self.origin[axis],
            1 => self.drift[axis],
            _ => 0.0,
        };
        (unit, off)
    }
}

/// Bodies on a device whose blocks of steps are made there.
pub(crate) struct WgpuBlocks {
    wgpu: Arc<Wgpu>,
    n: usize,
    shape: Shape,
    control: Buffer,
    state: Buffer,
    levels: Buffer,
    constants: Buffer,
    /// The call of a block that reads the first control, and of one that reads the second.
    calls: [Buffer; 2],
    /// Predictions and corrections by turns.
    passes: [Pass; 4],
    back: Buffer,
    /// Blocks of the last step of the run, and of a submission at most.
    expected: usize,
    most: usize,
}

impl WgpuBlocks {
    /// Room for n bodies; `None` for too many, and for a scheme without kernels.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(wgpu: Arc<Wgpu>, order: HermiteOrder, n: usize) -> Result<Option<Self>> {
        let most = MOST_BODIES[usize::from(wgpu.is_software())];
        if n == 0 || n > most || order == HermiteOrder::ThreePoint {
            return Ok(None);
        }
        let shape = Shape::of(order, n, wgpu.is_software());
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let numbers = |count: usize| wgpu.buffer(4 * count as u64, usage, SizedBy::Bodies);
        let control = wgpu.buffer(4 * WORDS as u64, usage, SizedBy::Other)?;
        let [state, levels, constants] = [numbers(2 * shape.numbers() * n)?, numbers(n)?, numbers(2 * n)?];
        let [predicted, list] = [numbers(shape.predicted() * n)?, numbers(n)?];
        let call = || {
            let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
            wgpu.buffer(4 * CALL as u64, usage, SizedBy::Other)
        };
        let calls = [call()?, call()?];
        let storage = |read_only| BufferBindingType::Storage { read_only };
        let mut kinds = [storage(false); 7];
        (kinds[3], kinds[6]) = (storage(true), BufferBindingType::Uniform);
        let (layout, text) = (wgpu.layout(&kinds)?, shape.text());
        let [predict, correct] = ["predict", "correct"].map(|entry| wgpu.pipeline(&text, entry, &layout));
        let (predict, correct) = (predict?, correct?);
        let bind =
            |call: &Buffer| wgpu.bind(&layout, &[&control, &state, &levels, &constants, &predicted, &list, call]);
        let bound = [bind(&calls[0])?, bind(&calls[1])?];
        let passes = [0, 1, 2, 3].map(|k: usize| {
            let (pipeline, groups) = match k % 2 {
                0 => (predict.clone(), groups(n, 64)),
                _ => (correct.clone(), [shape.groups as u32, 1]),
            };
            Pass { pipeline, group: bound[k / 2].clone(), groups, pairs: 0 }
        });
        let back = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let back = wgpu.buffer(4 * (2 * shape.numbers() * n).max(WORDS) as u64, back, SizedBy::Bodies)?;
        let (expected, most) = (2, 2);
        Ok(Some(WgpuBlocks { wgpu, n, shape, control, state, levels, constants, calls, passes, back, expected, most }))
    }

    /// Whether it is for this scheme and so many bodies.
    pub(crate) fn is_for(&self, order: HermiteOrder, n: usize) -> bool {
        self.shape.order == order && self.n == n
    }

    /// Brings the bodies and the step to the device.
    fn bring(
        &self,
        bodies: &Bodies,
        gravity: &Gravity,
        units: &Units,
        step: &BlockStep,
        state: &BlockState,
    ) -> Result<()> {
        let (n, wgpu, count) = (self.n, &self.wgpu, self.shape.numbers());
        let columns: Vec<&Vec<f64>> = state.derivatives.iter().flatten().collect();
        if columns.len() != count || state.levels.len() != n || bodies.len() != n {
            let problem = format!("{} columns of {n} bodies with block time steps", columns.len());
            return Err(Error::Device { device: "wgpu", problem });
        }
        let mut numbers = vec![0.0_f32; 2 * count * n];
        for (q, (column, to)) in columns.iter().zip(numbers.chunks_exact_mut(2 * n)).enumerate() {
            let (unit, off) = units.number(q / 3, q % 3);
            let (high, low) = to.split_at_mut(n);
            for (((value, level), high), low) in column.iter().zip(&state.levels).zip(high).zip(low) {
                [*high, *low] = parts((value * power_of_step(q / 3, step.dt, *level) - off) / unit);
            }
        }
        wgpu.write(&self.state, 0, bytemuck::cast_slice(&numbers))?;
        let mut constants = vec![0.0_f32; 2 * n];
        for (field, to) in [6, 7].into_iter().zip(constants.chunks_exact_mut(n)) {
            units.frame.write(bodies, gravity, Coordinates::PhaseSpace, field, to);
        }
        wgpu.write(&self.constants, 0, bytemuck::cast_slice(&constants))?;
        let levels: Vec<i32> = state.levels.iter().map(|level| i32::from(*level)).collect();
        wgpu.write(&self.levels, 0, bytemuck::cast_slice(&levels))?;
        let mut control = [0_u32; WORDS];
        control[DEEPEST] = state.levels.iter().copied().max().unwrap_or(0).into();
        control[REPORT + 3] = NOBODY;
        wgpu.write(&self.control, 0, bytemuck::cast_slice(&control))?;
        let tick = step.dt * units.velocity / units.length / (1_u64 << BITS) as f64;
        for (turn, buffer) in (0..).zip(&self.calls) {
            // as blocks.wgsl has it
            let ([unit, more_unit], [third, more_third]) = (parts(tick), parts(1.0 / 3.0));
            let (factor, eta2) = (units.factor as f32, (step.eta * step.eta) as f32);
            let [top, bottom] = step.levels.map(u32::from);
            let mut call = [0_u32; CALL];
            call[..6].copy_from_slice(&[unit, more_unit, third, more_third, factor, eta2].map(f32::to_bits));
            let groups = self.shape.groups as u32;
            call[6..12].copy_from_slice(&[top, bottom, n as u32, groups, turn, step.is_limited.into()]);
            call[14..16].copy_from_slice(&parts(0.1).map(f32::to_bits));
            wgpu.write(buffer, 0, bytemuck::cast_slice(&call))?;
        }
        Ok(())
    }

    /// Makes a step of the run; `None`, with nothing changed, where steps are shorter than a tick.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`], with nothing changed, where the watch asks for an end.
    pub(crate) fn step(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        step: &BlockStep,
        state: &mut BlockState,
        watch: &Watch,
    ) -> Result<Option<BlockWork>> {
        if u32::from(step.levels[1]) > BITS {
            return Ok(None);
        }
        let units = Units::of(bodies, gravity, step.order)?;
        self.bring(bodies, gravity, &units, step, state)?;
        let (n, wgpu) = (self.n, self.wgpu.clone());
        // those that were needed the last time, then a few
        let mut next = self.expected;
        let report = loop {
            let batch = next.min(self.most).next_multiple_of(2);
            let begin = Instant::now();
            wgpu.run(self.passes.iter().cycle().take(2 * batch))?;
            let words: [u32; WORDS] = wgpu.read(&self.control, 0, &self.back, 4 * WORDS as u64, |bytes| {
                let mut words = [0; WORDS];
                words.copy_from_slice(bytemuck::cast_slice(bytes));
                words
            })?;
            let report = Report::of(&words);
            if report.is_over {
                break report;
            }
            if watch.ends() {
                return Err(Error::Interrupted);
            }
            self.most = most_after(self.most, begin.elapsed());
            next = next.checked_sub(batch).filter(|left| *left > 0).unwrap_or(self.expected / 8 + 2);
        };
        self.expected = report.work.blocks as usize;
        let BlockState { derivatives, levels, .. } = state;
        wgpu.read(&self.levels, 0, &self.back, 4 * n as u64, |bytes| {
            let found: &[i32] = bytemuck::cast_slice(bytes);
            levels.iter_mut().zip(found).for_each(|(to, from)| *to = *from as u8);
        })?;
        wgpu.read(&self.state, 0, &self.back, 8 * (self.shape.numbers() * n) as u64, |bytes| {
            let numbers: &[f32] = bytemuck::cast_slice(bytes);
            let columns = derivatives.iter_mut().flatten().zip(numbers.chunks_exact(2 * n));
            for (q, (column, from)) in columns.enumerate() {
                let (unit, mut off) = units.number(q / 3, q % 3);
                if q < 3 {
                    // the origin has moved
                    off += units.drift[q] * step.dt;
                }
                for (((value, level), high), low) in column.iter_mut().zip(&*levels).zip(&from[..n]).zip(&from[n..]) {
                    let power = power_of_step(q / 3, step.dt, *level);
                    *value = ((f64::from(*high) + f64::from(*low)) * unit + off) / power;
                }
            }
        })?;
        Ok(Some(report.work))
    }
}

/// What a derivative of the position is kept times: the power of the step of a body of this level that makes it an acceleration,
/// or 1.
fn power_of_step(derivative: usize, dt: f64, level: u8) -> f64 {
    let power = if derivative > LAST_PLAIN { derivative - 2 } else { 0 };
    (dt * 0.5_f64.powi(level.into())).powi(power as i32)
}

/// Blocks of the next submission at most, an even number.
fn most_after(most: usize, took: Duration) -> usize {
    if took > SUBMISSION { (most / 2).next_multiple_of(2).max(2) } else { (2 * most).min(MOST) }
}

/// What a device has reported.
struct Report {
    is_over: bool,
    work: BlockWork,
}

impl Report {
    /// From what the kernels leave, where the next block would read the first control.
    fn of(words: &[u32; WORDS]) -> Self {
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [.., blocks, steps, more_steps, short, last, more_last] = *words;
        let is_stopped = words[CONTROL - 1] != 0;
        // ticks are those of a step of 2^52
        let too_deep = (short != NOBODY).then(|| (short as usize, wide(last, more_last) << (52 - BITS)));
        Report {
            is_over: is_stopped || wide(words[0], words[1]) >= 1 << BITS,
            work: BlockWork { blocks: blocks.into(), body_steps: wide(steps, more_steps), too_deep },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_stay_short() {
        let short = Duration::from_millis(1);
        assert_eq!((most_after(2, short), most_after(MOST - 2, short)), (4, MOST));
        assert_eq!((most_after(2, 9 * SUBMISSION), most_after(6, 2 * SUBMISSION)), (2, 4));
    }

    #[test]
    fn reports_are_read() {
        let mut words = [0; WORDS];
        (words[REPORT], words[REPORT + 1], words[REPORT + 2], words[REPORT + 3]) = (7, 5, 1, NOBODY);
        let report = Report::of(&words);
        assert!(!report.is_over);
        assert_eq!(report.work, BlockWork { blocks: 7, body_steps: (1 << 32) + 5, too_deep: None });
        words[1] = 256;
        assert!(Report::of(&words).is_over);
        (words[1], words[CONTROL - 1], words[REPORT + 3], words[REPORT + 5]) = (0, 1, 9, 128);
        let report = Report::of(&words);
        assert!(report.is_over);
        // in the middle of the step
        assert_eq!(report.work.too_deep, Some((9, 1 << 51)));
    }

    /// Sums in these units are no larger than in those of the frame, and units are powers of two.
    #[test]
    fn units_suit_bodies_at_rest_and_fast_ones() {
        for speed in [0.0, 1e-3, 1.0, 1e6] {
            let mut bodies = Bodies::default();
            bodies.push(3e20, [1e9, 0.0, 0.0], [speed, 0.0, 0.0]);
            bodies.push(2e20, [-1e9, 0.0, 5e8], [0.0, -speed, 0.0]);
            for order in [HermiteOrder::Fourth, HermiteOrder::Sixth] {
                let units = Units::of(&bodies, &Gravity::new(6.67e-11, 0.0), order).unwrap();
                assert!(units.factor <= 1.0 && units.factor > 0.0, "{units:?}");
                for unit in [units.length, units.velocity, units.factor, units.number(3, 0).0] {
                    assert_eq!(unit.log2().fract(), 0.0, "{unit}");
                }
            }
        }
    }
}
