//! `reference`: the plain f64 double loop that every fast path is compared with. Slow, obvious, never optimised.

use super::{ForceTerms, Forces, Gravity, Solver};
use crate::{Bodies, Result};

/// Sums over all pairs in f64, in index order, on one thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Solver for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        let n = bodies.len();
        *out = Forces::zeros(n, terms);
        for i in 0..n {
            let at = reference_at(bodies, gravity, i);
            [out.ax[i], out.ay[i], out.az[i]] = at.acc;
            if terms.potential || terms.jerk {
                out.pot[i] = at.pot;
            }
            if terms.jerk {
                [out.jx[i], out.jy[i], out.jz[i]] = at.jerk;
            }
        }
        Ok(())
    }
}

/// Everything that gravity does to one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AtBody {
    /// Acceleration.
    pub acc: [f64; 3],
    /// Jerk.
    pub jerk: [f64; 3],
    /// Potential.
    pub pot: f64,
}

/// The reference force on body `i` alone: O(n), for audits of a sample. Two bodies at the same place without
/// softening exert no force on each other and count nothing to the potential.
pub fn reference_at(bodies: &Bodies, gravity: &Gravity, i: usize) -> AtBody {
    let mut at = AtBody::default();
    for j in (0..bodies.len()).filter(|j| *j != i) {
        let d = [bodies.x[j] - bodies.x[i], bodies.y[j] - bodies.y[i], bodies.z[j] - bodies.z[i]];
        let w = [bodies.vx[j] - bodies.vx[i], bodies.vy[j] - bodies.vy[i], bodies.vz[j] - bodies.vz[i]];
        let eps2 = match &bodies.eps {
            Some(eps) => (eps[i] * eps[i] + eps[j] * eps[j]) / 2.0,
            None => gravity.eps * gravity.eps,
        };
        let s2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
        if s2 == 0.0 {
            continue;
        }
        let s = s2.sqrt();
        let m = gravity.g * bodies.mass[j];
        let dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
        for k in 0..3 {
            at.acc[k] += m * d[k] / (s2 * s);
            at.jerk[k] += m * (w[k] / (s2 * s) - 3.0 * dw * d[k] / (s2 * s2 * s));
        }
        at.pot -= m / s;
    }
    at
}
