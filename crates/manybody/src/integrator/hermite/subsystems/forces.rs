//! What wide subsystems and bodies beside them do to each other, body by body instead of as points.

use super::super::Hermite;
use super::super::scheme::AXES;
use super::super::vector::{Vector, dot, less};
use super::Seen;
use super::subsystem::{Motion, Subsystem};
use crate::Bodies;

impl Hermite {
    /// What the active bodies have found, with the bodies of subsystems that are wide in place of their centres of mass.
    /// `seen` has them at the time of this block.
    pub(in super::super) fn resolve(&mut self, bodies: &Bodies, seen: &Seen) {
        let Some(gravity) = self.subsystems.first().map(Subsystem::gravity) else { return };
        let active = std::mem::take(&mut self.active);
        let mut found = std::mem::take(&mut self.found);
        for (row, i) in active.iter().enumerate() {
            let others: Vec<usize> = match self.subsystem_at(*i) {
                Some(_) => (0..bodies.len()).filter(|j| bodies.mass[*j] > 0.0 && j != i).collect(),
                None => self.subsystems.iter().map(Subsystem::first).collect(),
            };
            for j in others {
                let (a, j_dot) = self.difference(bodies, [*i, j], seen);
                for q in 0..AXES {
                    found.a[q][row] += gravity * a[q];
                    found.j[q][row] += gravity * j_dot[q];
                }
            }
        }
        (self.active, self.found) = (active, found);
    }

    /// The acceleration and the jerk of one by another above those by points, over the constant of gravity.
    fn difference(&self, bodies: &Bodies, [i, j]: [usize; 2], seen: &Seen) -> Motion {
        let parts = |of: usize, other: usize| {
            let at = self.subsystem_at(of).filter(|at| self.is_resolved(*at, bodies, other))?;
            seen[at].as_ref()
        };
        let (first, second) = (parts(i, j), parts(j, i));
        let mut sum = ([0.0; AXES], [0.0; AXES]);
        if first.is_none() && second.is_none() {
            return sum;
        }
        let point = |k: usize| vec![(bodies.mass[k], (bodies.position(k), bodies.velocity(k)))];
        let (one, other) = (point(i), point(j));
        let (first, second) = (first.unwrap_or(&one), second.unwrap_or(&other));
        let mass: f64 = first.iter().map(|(mass, _)| mass).sum();
        for (m, at) in first {
            // a body without mass is one, with all of its own acceleration
            let share = if first.len() == 1 { 1.0 } else { m / mass };
            second.iter().for_each(|(source, to)| add(&mut sum, share * source, *at, *to));
        }
        add(&mut sum, -other[0].0, one[0].1, other[0].1);
        sum
    }

    /// The subsystem whose centre of mass a body is.
    pub(super) fn subsystem_at(&self, k: usize) -> Option<usize> {
        self.subsystem_of.get(k).copied().flatten()
    }

    /// Whether a body finds the bodies of a subsystem, and not the centre of mass: one beside which that is wide, and any
    /// that is near and has no mass, since it deflects nothing and is deflected by nothing.
    pub(super) fn is_resolved(&self, at: usize, bodies: &Bodies, k: usize) -> bool {
        match bodies.mass[k] > 0.0 {
            true => self.is_wide(at, bodies, k),
            false => self.is_near(at, bodies, k),
        }
    }

    /// Whether a subsystem is wide as a body, or the centre of mass of another one, sees it.
    pub(super) fn is_wide(&self, at: usize, bodies: &Bodies, k: usize) -> bool {
        let subsystem = &self.subsystems[at];
        k != subsystem.first() && subsystem.is_wide(bodies.mass[k], self.distance2(at, bodies, k))
    }

    /// Whether a body, or the centre of mass of another subsystem, is so close to a subsystem that it belongs to it.
    pub(super) fn is_close(&self, at: usize, bodies: &Bodies, k: usize) -> bool {
        let subsystem = &self.subsystems[at];
        k != subsystem.first() && subsystem.is_close(bodies.mass[k], self.distance2(at, bodies, k))
    }

    /// Whether a body, or the centre of mass of another subsystem, is near to a subsystem.
    pub(super) fn is_near(&self, at: usize, bodies: &Bodies, k: usize) -> bool {
        let subsystem = &self.subsystems[at];
        let nearness = subsystem.nearness(bodies.mass[k], self.distance2(at, bodies, k), self.neglected());
        k != subsystem.first() && nearness >= 1.0
    }

    fn distance2(&self, at: usize, bodies: &Bodies, k: usize) -> f64 {
        let apart = less(bodies.position(k), bodies.position(self.subsystems[at].first()));
        dot(apart, apart)
    }
}

/// Adds the acceleration and the jerk at `at` by a mass at `to`.
fn add(sum: &mut (Vector, Vector), mass: f64, at: Motion, to: Motion) {
    let (r, v) = (less(to.0, at.0), less(to.1, at.1));
    let inverse2 = 1.0 / dot(r, r);
    let pull = mass * inverse2 * inverse2.sqrt();
    let radial = 3.0 * dot(r, v) * inverse2;
    for q in 0..AXES {
        sum.0[q] += pull * r[q];
        sum.1[q] += pull * (v[q] - radial * r[q]);
    }
}
