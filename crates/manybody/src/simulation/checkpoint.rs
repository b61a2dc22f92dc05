//! The state that a run returns to when its errors are found too large.

use super::state::State;
use super::{Clock, Simulation};
use crate::events::Tally;
use crate::solver::Frame;
use crate::{Bodies, Result};

/// A state that nothing was found wrong with.
#[derive(Default)]
pub(super) struct Checkpoint {
    clock: Option<Clock>,
    state: State,
    frame: Option<Frame>,
    /// All bodies, and what events had changed, in a run whose bodies may become others.
    whole: Option<(Bodies, Tally)>,
}

impl Simulation {
    /// Takes the present state for the one to return to.
    pub(super) fn save_checkpoint(&mut self) -> Result<()> {
        self.sync()?;
        let mut checkpoint = self.checkpoint.take().unwrap_or_default();
        match self.has_events() {
            true => checkpoint.whole = Some((self.system.bodies().clone(), self.tally)),
            false => self.system.state(&mut checkpoint.state),
        }
        checkpoint.frame = self.resident.as_mut().map(|resident| resident.frame()).transpose()?;
        checkpoint.clock = Some(self.clock);
        self.checkpoint = Some(checkpoint);
        Ok(())
    }

    /// After a failed step or check: goes back to the last state that was found good, at the start or by a
    /// [`check`](Self::check), as if what followed had not been. Returns the number of its step.
    ///
    /// # Errors
    /// Those of the device that the bodies live on.
    pub fn roll_back(&mut self) -> Result<u64> {
        if let Some(Checkpoint { clock: Some(clock), state, frame, whole }) = &self.checkpoint {
            self.clock = *clock;
            match whole {
                Some((bodies, tally)) => {
                    self.system.restore(bodies, clock.time());
                    self.tally = *tally;
                    self.happened.clear();
                }
                None => self.system.roll_back(state, clock.time()),
            }
            (self.stale, self.moved) = (false, true);
            if self.resident.is_some() {
                self.resident = self.system.resident(*frame)?;
            }
        }
        Ok(self.clock.step())
    }
}
