//! Brings results back.

use super::WgpuEvaluator;
use crate::{finish, rows};
use ::wgpu::Buffer;
use manybody_law::Result;

impl WgpuEvaluator {
    /// Completes the sums with the rows of the other ranks.
    pub(in crate::wgpu) fn complete(&self) -> Result<()> {
        let (Some(team), Some(l)) = (&self.team, &self.loaded) else { return Ok(()) };
        let all = self.read(&l.memory.sums, &l.memory.back, 2 * l.kernel.results * l.stride)?;
        let mut all: Vec<f64> = all.into_iter().map(f64::from).collect();
        let mut of_all: Vec<&mut [f64]> = all.chunks_exact_mut(l.stride).collect();
        rows::complete(team, &mut of_all, l.stride, l.kernel.shape.tile(), l.ni)?;
        let all: Vec<f32> = all.into_iter().map(|x| x as f32).collect();
        self.wgpu.write(&l.memory.sums, 0, bytemuck::cast_slice(&all))
    }

    /// The first `count` numbers of a buffer, through one that can be mapped; waits for all that was submitted.
    pub(in crate::wgpu) fn read(&self, from: &Buffer, back: &Buffer, count: usize) -> Result<Vec<f32>> {
        let size = ((4 * count) as u64).min(back.size());
        self.wgpu.read(from, 0, back, size, |bytes| bytemuck::cast_slice(bytes).to_vec())
    }

    /// Waits, and brings the columns of the results.
    pub(super) fn fetch_results(&mut self) -> Result<Vec<Vec<f64>>> {
        self.complete()?;
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        let all = self.read(&l.memory.sums, &l.memory.back, 2 * l.kernel.results * l.stride)?;
        let (top, lost) = (|k: usize| k * l.stride, |k: usize| (l.kernel.results + k) * l.stride);
        let raw = (0..l.kernel.results)
            .map(|k| (0..l.ni).map(|b| finish::two_parts(all[top(k) + b], all[lost(k) + b])).collect())
            .collect();
        Ok(finish::finish(&l.kernel.law, l.kernel.scales, &l.par64, l.same.then_some(&l.columns), raw))
    }
}
