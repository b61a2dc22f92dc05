//! Massless bodies are no sources: n bodies of which s have a mass cost s n pairs, not n^2.
//!
//! The bodies that have a mass are computed as if they were alone, in a frame of their own, so not one bit of theirs
//! depends on the others; these are targets of a one-sided kernel.

use super::{Forces, Want};
use crate::{Bodies, Error, Result};

/// Bodies in two parts, with their forces. Memory that serves again.
#[derive(Debug, Default)]
pub struct Split {
    /// Those that have a mass.
    pub sources: Part,
    /// Those without mass.
    pub others: Part,
}

/// Some of the bodies.
#[derive(Debug, Default)]
pub struct Part {
    /// What forces need of them: no further columns.
    pub bodies: Bodies,
    /// Their indices among all.
    pub at: Vec<usize>,
    forces: Forces,
}

impl Split {
    /// Divides bodies, in their order.
    pub fn divide(&mut self, bodies: &Bodies) {
        self.sources.take(bodies, |k| bodies.mass[k] != 0.0);
        self.others.take(bodies, |k| bodies.mass[k] == 0.0);
    }

    /// Divides bodies, one at least, such that there are sources: where no body has a mass, the first one is a source.
    pub fn divide_with_a_source(&mut self, bodies: &Bodies) {
        let first = bodies.mass.iter().position(|mass| *mass != 0.0).unwrap_or(0);
        self.sources.take(bodies, |k| k == first || bodies.mass[k] != 0.0);
        self.others.take(bodies, |k| k != first && bodies.mass[k] == 0.0);
    }

    /// The forces on all bodies: `compute` computes those of bodies on each other, and where its second argument names
    /// sources, of these on the bodies.
    ///
    /// # Errors
    /// Those of `compute`.
    pub fn forces(
        &mut self,
        bodies: &Bodies,
        want: Want,
        out: &mut Forces,
        mut compute: impl FnMut(&Bodies, Option<&Bodies>, &mut Forces) -> Result<()>,
    ) -> Result<()> {
        if !bodies.mass.contains(&0.0) {
            return compute(bodies, None, out);
        }
        self.divide(bodies);
        let Split { sources, others } = self;
        compute(&sources.bodies, None, &mut sources.forces).map_err(|error| sources.among_all(error))?;
        compute(&others.bodies, Some(&sources.bodies), &mut others.forces).map_err(|error| others.among_all(error))?;
        sources.put(bodies.len(), want, out);
        others.put(bodies.len(), want, out);
        Ok(())
    }
}

impl Part {
    fn take(&mut self, from: &Bodies, counts: impl Fn(usize) -> bool) {
        let Part { bodies: to, at, .. } = self;
        at.clear();
        at.extend((0..from.len()).filter(|k| counts(*k)));
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
        to.id.clear();
        to.id.extend(at.iter().map(|k| from.id[*k]));
    }

    /// The error with the body's index among all.
    fn among_all(&self, error: Error) -> Error {
        match error {
            Error::FixedPoint { index, id, quantity, limit } => {
                Error::FixedPoint { index: self.at[index], id, quantity, limit }
            }
            other => other,
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
