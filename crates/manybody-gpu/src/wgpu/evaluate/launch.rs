//! Submits dispatches, a long evaluation in parts.

use super::WgpuEvaluator;
use super::schedule::SUBMISSION_PAIRS;
use crate::wgpu::Pass;
use manybody_law::{Error, Result};
use std::collections::VecDeque;

/// A GPU computes so many pairs while two cores compute one; a device that computes on the CPU does not.
const FASTER: [u64; 2] = [64, 1];

/// Submissions under way: enough that the device never waits for the next one.
const UNDER_WAY: usize = 2;

impl WgpuEvaluator {
    /// The dispatches of an evaluation of what is loaded.
    pub(in crate::wgpu) fn passes(&self) -> Vec<Pass> {
        self.loaded.as_ref().filter(|l| l.ni > 0).map_or(Vec::new(), |l| l.passes.clone())
    }

    /// Runs dispatches one after the other, in submissions that are not too long, and waits for nothing, unless they are
    /// so long that the watch follows them.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`] where the watch asks for an end.
    pub(in crate::wgpu) fn submit_passes(&self, passes: &[Pass]) -> Result<()> {
        let software = usize::from(self.wgpu.is_software);
        let mut submissions: Vec<&[Pass]> = Vec::new();
        let (mut first, mut pairs) = (0, 0);
        for (k, pass) in passes.iter().enumerate() {
            if k > first && pairs + pass.pairs > SUBMISSION_PAIRS[software] {
                submissions.push(&passes[first..k]);
                (first, pairs) = (k, 0);
            }
            pairs += pass.pairs;
        }
        submissions.push(&passes[first..]);
        let all: u64 = passes.iter().map(|pass| pass.pairs).sum();
        let look = self.watch.begin(all / FASTER[software], submissions.len() as u64);
        let mut under_way = VecDeque::new();
        for submission in submissions {
            under_way.push_back(self.wgpu.run(submission)?);
            let Some(look) = &look else { continue };
            if under_way.len() > UNDER_WAY
                && let Some(index) = under_way.pop_front()
            {
                self.wgpu.wait_for(Some(index))?;
                look.count();
            }
            if look.ends() {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }
}
