//! Steps in which unperturbed pairs move as one body.

use super::pairs::{Pair, unperturbed};
use super::scheme::PARTNER;
use super::{Again, Hermite};
use crate::error::Capability;
use crate::integrator::{ActiveBodies, Integrator};
use crate::solver::Gravity;
use crate::{Bodies, Error, Result};

impl Hermite {
    /// The gravity between the bodies, where nothing else acts on them.
    pub(super) fn gravity_alone(&self, bodies: &dyn ActiveBodies) -> Result<Gravity> {
        bodies.gravity().ok_or_else(|| Error::Unsupported {
            capability: Capability::Integrator,
            value: self.name().into(),
            expected: "moves close pairs as one body under gravity alone, without fields".into(),
        })
    }

    /// A step of the run, in which unperturbed pairs are one body. Where one is perturbed meanwhile, the step is made
    /// again.
    pub(super) fn blocks_with_pairs(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let gravity = self.gravity_alone(bodies)?;
        let before = bodies.bodies().clone();
        let mut perturbed = Vec::new();
        loop {
            self.smallest = None;
            bodies.forget_mergers(0);
            self.pairs = unperturbed(&before, &gravity, (dt, self.neglected()), &perturbed);
            if self.control.collisions {
                self.pairs.retain(|pair| !pair.touches(&before));
            }
            self.is_hidden.clear();
            self.is_hidden.resize(before.len(), false);
            for pair in &self.pairs {
                pair.join(bodies.bodies_mut());
                self.is_hidden[pair.second] = true;
            }
            match self.blocks(bodies, dt) {
                Ok(None) => break,
                Ok(Some(Again::Pairs(pairs))) => perturbed.extend(pairs),
                Ok(Some(Again::Links { .. } | Again::Halves | Again::Cut { .. })) => {
                    unreachable!("that is for subsystems")
                }
                Err(error) => {
                    *bodies.bodies_mut() = before;
                    return Err(error);
                }
            }
            bodies.bodies_mut().clone_from(&before);
        }
        let moved = bodies.bodies_mut();
        let mut partner = vec![0.0; moved.len()];
        for pair in &self.pairs {
            pair.part(moved, &gravity, dt);
            [partner[pair.first], partner[pair.second]] = [(pair.second + 1) as f64, (pair.first + 1) as f64];
        }
        moved.extra.insert(PARTNER.into(), partner);
        Ok(())
    }

    /// Computes what bodies carry that were one of a pair before and are not now, or the other way round; the second of
    /// a pair moves beside the first.
    pub(super) fn begin_pairs(&mut self, bodies: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let n = bodies.bodies().len();
        let mut now = vec![0.0; n];
        for Pair { first, second, .. } in &self.pairs {
            [now[*first], now[*second]] = [(*second + 1) as f64, (*first + 1) as f64];
        }
        let was = bodies.bodies().extra.get(PARTNER).filter(|column| column.len() == n);
        let changed = |k: &usize| was.map_or(0.0, |was| was[*k]) != now[*k] && !self.is_hidden[*k];
        let fresh: Vec<usize> = (0..n).filter(changed).collect();
        self.note_accelerations_of(fresh.iter().copied(), bodies)?;
        self.active = fresh;
        self.begin_noted(bodies, 0.0, dt, |_| false)?;
        let hidden: Vec<[usize; 2]> = self.pairs.iter().map(|pair| [pair.first, pair.second]).collect();
        self.hide(&hidden);
        Ok(())
    }

    /// Moves the second bodies beside the first, with the largest step.
    pub(super) fn hide(&mut self, pairs: &[[usize; 2]]) {
        let ([top, _], _) = self.levels.limits();
        for [first, second] in pairs {
            for column in self.derivatives[2..].iter_mut().flatten() {
                column[*second] = column[*first];
            }
            self.before[*second] = self.before[*first];
            self.levels.set(*second, i32::from(top));
        }
    }

    /// The first pair that others have come too close to in this block.
    pub(super) fn perturbed_pair(&self, bodies: &Bodies, time: f64) -> Option<[usize; 2]> {
        let active = self.pairs.iter().filter(|pair| self.since[pair.first] == time);
        active.filter(|pair| pair.is_perturbed(bodies, self.neglected())).map(|pair| [pair.first, pair.second]).next()
    }
}
