//! Massless bodies are no sources: n bodies of which s have a mass cost s n pairs, not n^2.
//!
//! The bodies that have a mass are computed as if they were alone, in a frame of their own, so not one bit of theirs
//! depends on the others; these are targets of the one-sided kernel.

use super::{Forces, Want};
use crate::Bodies;

/// Bodies in two parts, with their forces. Memory that serves again.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Those that have a mass.
    pub(super) sources: Part,
    /// Those without mass.
    pub(super) others: Part,
}

/// Some of the bodies.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// What forces need of them: no ids, no further columns.
    pub(super) bodies: Bodies,
    pub(super) forces: Forces,
    at: Vec<usize>,
}

impl Split {
    /// Divides bodies, in their order.
    pub(super) fn divide(&mut self, bodies: &Bodies) {
        self.sources.take(bodies, |mass| mass != 0.0);
        self.others.take(bodies, |mass| mass == 0.0);
    }

    /// The forces of both parts, in the order of the bodies.
    pub(super) fn join(&self, n: usize, want: Want, out: &mut Forces) {
        self.sources.put(n, want, out);
        self.others.put(n, want, out);
    }
}

impl Part {
    fn take(&mut self, from: &Bodies, counts: impl Fn(f64) -> bool) {
        let Part { bodies: to, at, .. } = self;
        at.clear();
        at.extend((0..from.len()).filter(|k| counts(from.mass[*k])));
        let some = |to: &mut Vec<f64>, from: &[f64]| {
            to.clear();
            to.extend(at.iter().map(|k| from[*k]));
        };
        some(&mut to.x, &from.x);
        some(&mut to.y, &from.y);
        some(&mut to.z, &from.z);
        some(&mut to.vx, &from.vx);
        some(&mut to.vy, &from.vy);
        some(&mut to.vz, &from.vz);
        some(&mut to.mass, &from.mass);
        match &from.eps {
            Some(eps) => some(to.eps.get_or_insert_default(), eps),
            None => to.eps = None,
        }
    }

    fn put(&self, n: usize, want: Want, out: &mut Forces) {
        let from = &self.forces;
        let columns = [
            (&from.ax, &mut out.ax, true),
            (&from.ay, &mut out.ay, true),
            (&from.az, &mut out.az, true),
            (&from.pot, &mut out.pot, want.potential || want.jerk),
            (&from.jx, &mut out.jx, want.jerk),
            (&from.jy, &mut out.jy, want.jerk),
            (&from.jz, &mut out.jz, want.jerk),
        ];
        for (from, to, wanted) in columns {
            to.resize(if wanted { n } else { 0 }, 0.0);
            if wanted {
                self.at.iter().zip(from).for_each(|(at, from)| to[*at] = *from);
            }
        }
    }
}
