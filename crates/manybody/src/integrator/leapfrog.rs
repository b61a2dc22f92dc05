//! Leapfrog (Verlet, Stormer): second order, symplectic, time-reversible, one force evaluation a step.

use super::{Splitting, Substep};

/// Kick-drift-kick: position and velocity meet at the end of the step, where the acceleration is known too.
pub(super) fn kick_drift_kick() -> Splitting {
    Splitting::composed("leapfrog", 2, &[1.0])
}

/// Drift-kick-drift: the force is taken in the middle of the step.
pub(super) fn drift_kick_drift() -> Splitting {
    let substeps = vec![Substep::Drift(0.5), Substep::Kick(1.0), Substep::Drift(0.5)];
    Splitting::new("leapfrog-dkd", 2, substeps)
}
