//! Brings results back.

use super::CudaEvaluator;
use crate::cuda::transfer::{self, Staging};
use crate::cuda::{exchange, failed};
use crate::{finish, rows};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;
use manybody_ranks::Team;

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// The first three results, \[3\]\[n\], each times its factor, with the rows of other ranks, through the host.
    ///
    /// # Errors
    /// Those of the device, and of ranks that have come apart.
    pub(in crate::cuda) fn completed(&self, team: &Team, factor: [f64; 3]) -> Result<Vec<f64>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        exchange::wait_for_stream(&self.cuda.stream, team)?;
        let mut all = self.cuda.stream.clone_dtoh(&l.sums.slice(..3 * l.stride)).map_err(failed("compute"))?;
        self.cuda.stream.synchronize().map_err(failed("compute"))?;
        let mut of_all: Vec<&mut [f64]> = all.chunks_exact_mut(l.stride).collect();
        rows::complete(team, &mut of_all, l.stride, l.kernel.shape.tile(), l.ni)?;
        let columns = all.chunks_exact(l.stride).zip(factor);
        Ok(columns.flat_map(|(column, factor)| column[..l.ni].iter().map(move |sum| sum * factor)).collect())
    }

    /// Waits, and brings the columns of the results, with those of the ranks that share the evaluation.
    pub(super) fn fetch_results(&mut self) -> Result<Vec<Vec<f64>>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        let is_complete = self.complete_on_gpus(l)?;
        if is_complete && !self.has_use() {
            return Ok(vec![vec![0.0; l.ni]; l.kernel.results]);
        }
        let down = match &mut self.down {
            Some(down) => down,
            none => none.insert(Staging::new(&self.cuda)?),
        };
        let mut raw = vec![Vec::with_capacity(l.ni); l.kernel.results];
        down.fetch(&self.cuda.stream, &l.sums, |range, numbers| {
            transfer::columns(range, l.stride, |column, first, within| {
                let bodies = l.ni.saturating_sub(first).min(within.len());
                if let Some(raw) = raw.get_mut(column) {
                    raw.extend_from_slice(&numbers[within][..bodies]);
                }
            });
        })
        .map_err(failed("compute"))?;
        if let Some(team) = self.team.as_ref().filter(|_| !is_complete) {
            let mut all: Vec<&mut [f64]> = raw.iter_mut().map(Vec::as_mut_slice).collect();
            rows::complete(team, &mut all, l.stride, l.kernel.shape.tile(), l.ni)?;
        }
        Ok(finish::finish(&l.kernel.law, l.kernel.scales, &l.par64, l.same.then_some(&l.columns), raw))
    }
}
