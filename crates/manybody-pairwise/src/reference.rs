//! `reference`: the plain f64 double loop that every fast path is compared with. Slow, obvious, never optimised.

use super::{Derivatives, ForceTerms, Forces, Gravity, Solver};
use crate::watch::{self, Look, Watch};
use crate::{Bodies, Result};

/// Sums over all pairs in f64, in index order, on one thread.
#[derive(Clone, Debug, Default)]
pub struct Reference(Watch);

impl Solver for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn watch(&mut self, watch: &Watch) {
        self.0 = watch.clone();
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        let n = bodies.len();
        let look = self.0.begin((n * n) as u64, n as u64);
        *out = Forces::zeros(n, terms);
        for i in 0..n {
            watch::outcome(look.as_ref())?;
            let at = reference_at(bodies, gravity, i);
            [out.ax[i], out.ay[i], out.az[i]] = at.acc;
            if terms.potential || terms.jerk {
                out.pot[i] = at.pot;
            }
            if terms.jerk {
                [out.jx[i], out.jy[i], out.jz[i]] = at.jerk;
            }
            look.iter().for_each(Look::count);
        }
        Ok(())
    }

    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        out.resize(active.len(), accelerations.is_some());
        for (k, i) in active.iter().enumerate() {
            let at = reference_at(bodies, gravity, *i);
            let snap = accelerations.map_or([0.0; 3], |all| snap_at(bodies, all, gravity, *i));
            let Derivatives { a, j, s } = out;
            for (columns, at) in [(a, at.acc), (j, at.jerk), (s, snap)] {
                columns
                    .iter_mut()
                    .zip(at)
                    .for_each(|(column, at)| column.get_mut(k).into_iter().for_each(|to| *to = at));
            }
        }
        Ok(())
    }
}

/// The second time derivative of the acceleration of body `i`: [Nitadori 2008, sect. 2], a term after the other.
fn snap_at(bodies: &Bodies, accelerations: [&[f64]; 3], gravity: &Gravity, i: usize) -> [f64; 3] {
    let acceleration = |k: usize| accelerations.map(|column| column[k]);
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut snap = [0.0; 3];
    for j in (0..bodies.len()).filter(|j| *j != i) {
        let r = minus(bodies.position(j), bodies.position(i));
        let w = minus(bodies.velocity(j), bodies.velocity(i));
        let c = minus(acceleration(j), acceleration(i));
        let s2 = dot(r, r) + eps2(bodies, gravity, i, j);
        if s2 == 0.0 {
            continue;
        }
        let (m, s3) = (gravity.g * bodies.mass[j], s2 * s2.sqrt());
        let alpha = dot(r, w) / s2;
        let beta = (dot(w, w) + dot(r, c)) / s2 + alpha * alpha;
        for q in 0..3 {
            let first = m * r[q] / s3;
            let second = m * w[q] / s3 - 3.0 * alpha * first;
            snap[q] += m * c[q] / s3 - 6.0 * alpha * second - 3.0 * beta * first;
        }
    }
    snap
}

/// The square of the softening of a pair.
fn eps2(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> f64 {
    match &bodies.eps {
        Some(eps) => (eps[i] * eps[i] + eps[j] * eps[j]) / 2.0,
        None => gravity.eps * gravity.eps,
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
        let (r2, eps2) = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2], eps2(bodies, gravity, i, j));
        if r2 + eps2 == 0.0 {
            continue;
        }
        let m = gravity.g * bodies.mass[j];
        let dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
        let softening = gravity.softening;
        for k in 0..3 {
            at.acc[k] += softening.force(m * d[k], r2, eps2);
            at.jerk[k] += m * (softening.force(w[k], r2, eps2) - softening.fall(3.0 * dw * d[k], r2, eps2));
        }
        at.pot -= softening.potential(m, r2, eps2);
    }
    at
}
