//! Brings results back.

use super::CudaEvaluator;
use crate::cuda::failed;
use crate::cuda::transfer::{self, Staging};
use crate::finish;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// Waits, and brings the columns of the results.
    pub(super) fn fetch_results(&mut self) -> Result<Vec<Vec<f64>>> {
        let Some(l) = &self.loaded else { return Ok(Vec::new()) };
        let down = match &mut self.down {
            Some(down) => down,
            none => none.insert(Staging::new(&self.cuda)?),
        };
        let mut raw = vec![Vec::with_capacity(l.ni); l.kernel.results];
        down.fetch(&self.cuda.stream, &l.held, |range, numbers| {
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
