//! Bodies that live on a device: brought there once, moved there, and fetched when somebody asks.

use crate::diagnostics::Diagnostics;
use crate::integrator::Move;
use crate::solver::Frame;
use crate::{Bodies, Result};

/// Bodies on a device, with all that it takes to move them. Positions and velocities are held as exactly as the host
/// holds them, or as exactly as the device can; each method depends on the moves made so far, not on how they were cut
/// into calls.
pub trait Resident: Send {
    /// Carries out moves, one after the other. May return before the device has.
    ///
    /// # Errors
    /// Those of the device.
    fn carry_out(&mut self, moves: &[Move]) -> Result<()>;

    /// Waits for the device; false if a position, velocity or acceleration was no finite number since the last call.
    ///
    /// # Errors
    /// Those of the device, also of moves made before.
    fn settle(&mut self) -> Result<bool>;

    /// Notes the present state, on the device.
    ///
    /// # Errors
    /// Those of the device.
    fn mark(&mut self) -> Result<()>;

    /// Goes back to the state noted last.
    ///
    /// # Errors
    /// Those of the device.
    fn go_back(&mut self) -> Result<()>;

    /// Brings positions and velocities to the host: into `bodies`, which are the same bodies as at the start.
    ///
    /// # Errors
    /// Those of the device.
    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()>;

    /// The frame of the forces, from which, with positions and velocities, a run goes on with the same bits.
    ///
    /// # Errors
    /// Those of the device.
    fn frame(&mut self) -> Result<Frame>;

    /// What the system conserves, summed on the device; all of [`Diagnostics`] but the half-mass radius, which is 0. None
    /// from a device that has no f64: the host has to do it. Changes nothing.
    ///
    /// # Errors
    /// Those of the device.
    fn integrals(&mut self, time: f64) -> Result<Option<Diagnostics>>;
}
