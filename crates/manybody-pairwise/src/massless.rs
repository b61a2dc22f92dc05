//! Massless bodies are no sources: n bodies of which s have a mass cost s n pairs, not n^2.
//!
//! The bodies that have a mass are computed as if they were alone, in a frame of their own, so not one bit of theirs
//! depends on the others; these are targets of a one-sided kernel.

use super::{ForceTerms, Forces, Gravity};
use crate::law::Targets;
use crate::{Bodies, Error, Result};

/// The bodies that act on some bodies.
#[derive(Clone, Copy, Debug)]
pub enum Sources<'a> {
    /// Those acted on, on each other.
    Themselves,
    /// Other bodies.
    Others(&'a Bodies),
    /// Bodies of which those acted on are the first.
    Among(&'a Bodies),
}

impl<'a> Sources<'a> {
    /// The bodies, where they are not just those acted on.
    pub fn bodies(self) -> Option<&'a Bodies> {
        match self {
            Sources::Themselves => None,
            Sources::Others(bodies) | Sources::Among(bodies) => Some(bodies),
        }
    }

    /// Where those acted on are among those that act.
    pub fn first(self) -> Option<usize> {
        match self {
            Sources::Others(_) => None,
            Sources::Themselves | Sources::Among(_) => Some(0),
        }
    }
}

/// A solver of gravity that computes what sources do to bodies; bodies are divided for it, by mass and by targets.
pub trait OfSources {
    /// Memory for the parts.
    fn split(&mut self) -> &mut Split;

    /// Fills `out` with the forces of the sources on the bodies.
    ///
    /// # Errors
    /// As [`Solver::forces`](crate::Solver::forces).
    fn compute(
        &mut self,
        bodies: &Bodies,
        sources: Sources<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()>;

    /// Fills `out` with the forces of all bodies on the targets.
    ///
    /// # Errors
    /// As [`Solver::forces_on`](crate::Solver::forces_on).
    fn compute_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        let mut split = std::mem::take(self.split());
        let outcome = split.forces_on(bodies, targets, terms, out, |bodies, sources, out| {
            self.compute(bodies, sources, gravity, terms, out)
        });
        *self.split() = split;
        outcome
    }
}

/// Bodies in two parts, with their forces. Memory that serves again.
#[derive(Debug, Default)]
pub struct Split {
    /// Those that have a mass.
    pub sources: Part,
    /// Those without mass.
    pub others: Part,
    /// Those of the sources that are targets, where not all bodies are.
    active: Part,
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
    pub(crate) fn divide(&mut self, bodies: &Bodies) {
        self.sources.take(bodies, (0..bodies.len()).filter(|k| bodies.mass[*k] != 0.0));
        self.others.take(bodies, (0..bodies.len()).filter(|k| bodies.mass[*k] == 0.0));
    }

    /// Divides bodies, one at least, such that there are sources: where no body has a mass, the first one is a source.
    pub fn divide_with_a_source(&mut self, bodies: &Bodies) {
        let first = bodies.mass.iter().position(|mass| *mass != 0.0).unwrap_or(0);
        self.sources.take(bodies, (0..bodies.len()).filter(|k| *k == first || bodies.mass[*k] != 0.0));
        self.others.take(bodies, (0..bodies.len()).filter(|k| *k != first && bodies.mass[*k] == 0.0));
    }

    /// The forces on all bodies.
    fn forces(
        &mut self,
        bodies: &Bodies,
        terms: ForceTerms,
        out: &mut Forces,
        mut compute: impl FnMut(&Bodies, Sources<'_>, &mut Forces) -> Result<()>,
    ) -> Result<()> {
        if !bodies.mass.contains(&0.0) {
            return compute(bodies, Sources::Themselves, out);
        }
        self.divide(bodies);
        let Split { sources, others, .. } = self;
        sources.compute(Sources::Themselves, &mut compute)?;
        others.compute(Sources::Others(&sources.bodies), &mut compute)?;
        sources.put(bodies.len(), terms, out);
        others.put(bodies.len(), terms, out);
        Ok(())
    }

    /// The forces on the targets, in their order, at the cost of the pairs of targets and bodies with mass: `compute`
    /// computes those of the sources that it is given on bodies.
    ///
    /// # Errors
    /// Those of `compute`, and as [`Targets::check`].
    pub fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        terms: ForceTerms,
        out: &mut Forces,
        mut compute: impl FnMut(&Bodies, Sources<'_>, &mut Forces) -> Result<()>,
    ) -> Result<()> {
        let n = bodies.len();
        targets.check(n)?;
        let list: Vec<usize> = match targets {
            Targets::All => return self.forces(bodies, terms, out, compute),
            Targets::Range(range) => range.clone().collect(),
            Targets::List(list) => list.to_vec(),
        };
        let mut place = vec![None; n];
        list.iter().enumerate().for_each(|(k, body)| place[*body] = Some(k));
        let (massive, massless): (Vec<usize>, Vec<usize>) = list.iter().partition(|k| bodies.mass[**k] != 0.0);
        let rest = (0..n).filter(|k| bodies.mass[*k] != 0.0 && place[*k].is_none());
        let Split { sources, others, active } = self;
        sources.take(bodies, massive.iter().copied().chain(rest));
        active.take(bodies, massive.into_iter());
        others.take(bodies, massless.into_iter());
        active.compute(Sources::Among(&sources.bodies), &mut compute)?;
        others.compute(Sources::Others(&sources.bodies), &mut compute)?;
        for part in [active, others] {
            part.at.iter_mut().for_each(|at| *at = place[*at].unwrap_or(0));
            part.put(list.len(), terms, out);
        }
        Ok(())
    }
}

impl Part {
    fn take(&mut self, from: &Bodies, which: impl Iterator<Item = usize>) {
        let Part { bodies: to, at, .. } = self;
        at.clear();
        at.extend(which);
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

    fn compute(
        &mut self,
        sources: Sources<'_>,
        compute: &mut impl FnMut(&Bodies, Sources<'_>, &mut Forces) -> Result<()>,
    ) -> Result<()> {
        compute(&self.bodies, sources, &mut self.forces).map_err(|error| self.among_all(error))
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

    fn put(&self, n: usize, terms: ForceTerms, out: &mut Forces) {
        let from = &self.forces;
        let columns = [
            (&from.ax, &mut out.ax, true),
            (&from.ay, &mut out.ay, true),
            (&from.az, &mut out.az, true),
            (&from.pot, &mut out.pot, terms.potential || terms.jerk),
            (&from.jx, &mut out.jx, terms.jerk),
            (&from.jy, &mut out.jy, terms.jerk),
            (&from.jz, &mut out.jz, terms.jerk),
        ];
        for (from, to, wanted) in columns {
            to.resize(if wanted { n } else { 0 }, 0.0);
            if wanted {
                self.at.iter().zip(from).for_each(|(at, from)| to[*at] = *from);
            }
        }
    }
}
