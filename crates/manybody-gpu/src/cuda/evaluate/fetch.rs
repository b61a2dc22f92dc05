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
        rows::complete(team, &mut all, l.stride, l.kernel.shape.tile(), l.ni)?;
        let columns = all.chunks_exact(l.stride).zip(factor);
        Ok(columns.flat_map(|(column, factor)| column[..l.ni].iter().map(move |sum| sum * factor)).collect())
    }

    /// Waits, and brings the columns of the results.
    pub(super) fn fetch_results(&mut self) -> Result<Vec<Vec<f64>>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
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
        Ok(finish::finish(&l.kernel.law, l.kernel.scales, &l.par64, l.same.then_some(&l.columns), raw))
    }
}
