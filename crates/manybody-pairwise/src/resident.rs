//! Bodies that stay on a device: copied there once, moved there, and fetched on request.

use crate::{Bodies, Frame, KickDrift, Result};

/// What a system conserves, and what changes of it are measured by, summed where the bodies are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Integrals {
    /// Total mass M.
    pub mass: f64,
    /// Kinetic energy T.
    pub kinetic: f64,
    /// Potential energy W, half the sum of mass times potential.
    pub potential: f64,
    /// Momentum P.
    pub momentum: [f64; 3],
    /// Angular momentum L about the origin.
    pub angular_momentum: [f64; 3],
    /// Centre of mass.
    pub center_of_mass: [f64; 3],
    /// Sum of m |v|.
    pub momentum_scale: f64,
    /// Sum of m |x × v|.
    pub angular_momentum_scale: f64,
}

/// Bodies on a device, with all that it takes to move them. Positions and velocities are held as exactly as the host
/// holds them, or as exactly as the device can; each method depends on the moves made so far, not on how they were cut
/// into calls.
pub trait Resident: Send {
    /// Makes moves, one after the other. May return before the device has.
    ///
    /// # Errors
    /// Those of the device.
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()>;

    /// Waits for the device; false if a position, velocity or acceleration was not finite since the last call.
    ///
    /// # Errors
    /// Those of the device, also of moves made before.
    fn sync(&mut self) -> Result<bool>;

    /// Keeps the present state, on the device.
    ///
    /// # Errors
    /// Those of the device.
    fn checkpoint(&mut self) -> Result<()>;

    /// Goes back to the state that was kept last.
    ///
    /// # Errors
    /// Those of the device.
    fn roll_back(&mut self) -> Result<()>;

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

    /// What the system conserves, summed on the device. `None` from a device that has no f64: the host has to do it.
    /// Changes nothing.
    ///
    /// # Errors
    /// Those of the device.
    fn integrals(&mut self) -> Result<Option<Integrals>>;

    /// Something worth knowing of how the device is used, in words.
    fn remark(&self) -> Option<String> {
        None
    }
}
