//! Leapfrog (Verlet, Stormer): second order, symplectic, time-reversible, one force evaluation a step.

use super::{Integrator, Substep, compose};

/// Kick-drift-kick: position and velocity meet at the end of the step, where the acceleration is known too.
pub(super) fn kick_drift_kick() -> Integrator {
    Integrator { name: "leapfrog", order: 2, substeps: compose(&[1.0]) }
}

/// Drift-kick-drift: the force is taken in the middle of the step.
pub(super) fn drift_kick_drift() -> Integrator {
    let substeps = vec![Substep::Drift(0.5), Substep::Kick(1.0), Substep::Drift(0.5)];
    Integrator { name: "leapfrog-dkd", order: 2, substeps }
}
