//! The substeps of an integrator, cut for devices: an evaluation of the accelerations, and all that follows from it.
//!
//! Between two evaluations lie at most two kicks (the closing one of a step and the opening one of the next) and two
//! drifts. A device carries such a [`KickDrift`] out in one pass over the bodies. Kicks and drifts are not merged into
//! longer ones: each is rounded by itself, so that it makes no difference after which step a run is looked at.

/// One substep, as a fraction of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Substep {
    /// x += c dt v.
    Drift(f64),
    /// v += c dt a(x).
    Kick(f64),
}

/// One pass over the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KickDrift {
    /// The acceleration at the present positions is needed first; else the last one is still valid.
    pub accelerate: bool,
    kicks: [f64; 2],
    kicked: usize,
    drifts: [f64; 2],
    drifted: usize,
}

impl KickDrift {
    /// The moves of `steps` steps of length `dt` that consist of these substeps; `moved` says that positions have
    /// changed since the last acceleration.
    pub fn of(substeps: &[Substep], dt: f64, steps: u64, mut moved: bool) -> Vec<KickDrift> {
        let mut all = Vec::new();
        let mut now = KickDrift::default();
        for substep in (0..steps).flat_map(|_| substeps) {
            match *substep {
                Substep::Kick(c) => {
                    if now.drifted > 0 || now.kicked == 2 {
                        all.push(std::mem::take(&mut now));
                    }
                    now.accelerate |= std::mem::take(&mut moved);
                    now.kicks[now.kicked] = c * dt;
                    now.kicked += 1;
                }
                Substep::Drift(c) => {
                    if now.drifted == 2 {
                        all.push(std::mem::take(&mut now));
                    }
                    now.drifts[now.drifted] = c * dt;
                    now.drifted += 1;
                    moved = true;
                }
            }
        }
        if now != KickDrift::default() {
            all.push(now);
        }
        all
    }

    /// Lengths of the kicks, v += dt a one after the other.
    pub fn kicks(&self) -> &[f64] {
        &self.kicks[..self.kicked]
    }

    /// Lengths of the drifts that follow, x += dt v one after the other.
    pub fn drifts(&self) -> &[f64] {
        &self.drifts[..self.drifted]
    }
}
