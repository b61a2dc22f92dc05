//! Brings bodies to the device, and makes room for their results.

use super::WgpuEvaluator;
use super::compile::Kernel;
use super::schedule::Sizes;
use crate::emit::{low_parts, split_inputs};
use crate::wgpu::Pass;
use crate::wgpu::SizedBy;
use crate::{finish, uniform};
use ::wgpu::{Buffer, BufferUsages};
use manybody_law::Result;
use manybody_law::law::{PairInputs, SelfPair};
use manybody_pairwise::Summation;
use std::sync::Arc;

/// Bodies on the device, and room for their results.
pub(in crate::wgpu) struct Loaded {
    pub(in crate::wgpu) kernel: Arc<Kernel>,
    /// Whether those acted on are those that act.
    pub(super) same: bool,
    pub(super) ni: usize,
    /// Bodies with padding: the distance between the sums of a result.
    pub(in crate::wgpu) stride: usize,
    /// Traversals, each followed by the gathering of its slots.
    pub(super) passes: Vec<Pass>,
    pub(in crate::wgpu) memory: Memory,
    pub(in crate::wgpu) par64: Vec<f64>,
    /// For what bodies do to themselves.
    pub(super) columns: Vec<Vec<f64>>,
}

/// The buffers of an evaluation.
pub(in crate::wgpu) struct Memory {
    /// Bodies as the kernels read them, \[stride\]\[quads\].
    pub(in crate::wgpu) records: Buffer,
    /// The bodies that act, which may be the same, and their number with padding.
    pub(in crate::wgpu) sources: (Buffer, usize),
    pub(super) slots_i: Buffer,
    pub(super) slots_j: Buffer,
    /// Sums and what they have lost to rounding, \[2\]\[results\]\[stride\].
    pub(in crate::wgpu) sums: Buffer,
    /// Through which they are read.
    pub(super) back: Buffer,
    /// The law's parameters.
    pub(super) par: Buffer,
}

impl WgpuEvaluator {
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
        self.wgpu.filled(bytemuck::cast_slice(&records), BufferUsages::STORAGE, SizedBy::Bodies)
    }

    /// Brings checked bodies to the device.
    pub(super) fn place(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.loaded = None; // frees its memory for the new bodies
        let members = uniform::members(&self.law, inputs, self.motion);
        let uniform::Reduced { law, i, j, par: par64 } = uniform::reduced(&self.law, inputs, &members)?;
        let (ni, nj) = inputs.lens();
        let pairs = finish::pairs_of(self.pairs, inputs)?;
        let kernel = self.kernel(members, law, ni, pairs)?;
        let (tile, same) = (kernel.shape.tile(), finish::same(inputs));
        let stride = ni.div_ceil(tile).max(1) * tile;
        let a_sum = (kernel.results.max(1) * stride * 4) as u64;
        // chosen sums leave their kernel in two words each
        let a_slot = if self.sum.is_some() { 2 * a_sum } else { a_sum };
        let sizes = Sizes { ni, nj, tile, stride, same, a_slot };

        let records = self.packed(&kernel, &i, ni, stride)?;
        let sources = match &j {
            None => (records.clone(), stride),
            Some(j) => {
                let padded = nj.div_ceil(tile).max(1) * tile;
                (self.packed(&kernel, j, nj, padded)?, padded)
            }
        };
        let mut par: Vec<f32> = par64.iter().map(|x| *x as f32).collect();
        par.push(0.0);
        let calls = self.calls(&kernel, pairs, sizes)?;
        let most = |slots: u32| u64::from(slots.max(1));
        let storage = BufferUsages::STORAGE;
        let room = |bytes, usage| self.wgpu.buffer(bytes, usage, SizedBy::Bodies);
        let memory = Memory {
            records,
            sources,
            par: self.wgpu.filled(bytemuck::cast_slice(&par), BufferUsages::UNIFORM, SizedBy::Other)?,
            slots_i: room(a_slot * most(calls.iter().map(|call| call.slots_i).max().unwrap_or(0)), storage)?,
            slots_j: room(a_slot * most(calls.iter().map(|call| call.slots_j).max().unwrap_or(0)), storage)?,
            sums: room(2 * a_sum, storage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)?,
            back: room(2 * a_sum, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
        };
        let passes = self.dispatches(&kernel, pairs, sizes, &calls, &memory, self.scale(&kernel, &par64)?)?;
        let is_custom = kernel.law.self_pair() == SelfPair::Custom;
        self.loaded = Some(Loaded {
            columns: if is_custom { i.iter().map(|c| c.to_vec()).collect() } else { Vec::new() },
            same: inputs.same_bodies(),
            kernel,
            ni,
            stride,
            passes,
            memory,
            par64,
        });
        Ok(())
    }

    /// Records of the bodies, with second parts of those numbers that have them.
    fn packed(&self, kernel: &Kernel, columns: &[&[f64]], n: usize, padded: usize) -> Result<Buffer> {
        let split = if self.split { split_inputs(&kernel.law) } else { Vec::new() };
        let low = low_parts(&split, columns);
        let all: Vec<&[f64]> = columns.iter().copied().chain(low.iter().map(Vec::as_slice)).collect();
        self.records(&all, n, padded, kernel.quads)
    }

    /// Fixed point: how many units a result is; 1 for other sums.
    fn scale(&self, kernel: &Kernel, par: &[f64]) -> Result<[f32; 8]> {
        let mut scale = [1.0_f32; 8];
        if self.sum == Some(Summation::Fixed) {
            let [units, _] = finish::units(&finish::factors(&kernel.law, kernel.scales, par), &self.range)?;
            scale.iter_mut().zip(units).for_each(|(scale, units)| *scale = units as f32);
        }
        Ok(scale)
    }
}
