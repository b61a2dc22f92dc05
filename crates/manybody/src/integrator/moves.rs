//! The same substeps, cut for devices: an evaluation of the accelerations, and all that follows from it.
//!
//! Between two evaluations lie at most two kicks (the closing one of a step and the opening one of the next) and two
//! drifts. A device carries such a [`Move`] out in one pass over the bodies. Kicks and drifts are not merged into longer
//! ones: each is rounded by itself, so that it makes no difference after which step a run is looked at.

use super::{Integrator, Substep};

/// One pass over the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Move {
    /// The acceleration at the present positions is wanted first; else the last one still holds.
    pub accelerate: bool,
    kicks: [f64; 2],
    kicked: usize,
    drifts: [f64; 2],
    drifted: usize,
}

impl Move {
    /// Lengths of the kicks, v += dt a one after the other.
    pub fn kicks(&self) -> &[f64] {
        &self.kicks[..self.kicked]
    }

    /// Lengths of the drifts that follow, x += dt v one after the other.
    pub fn drifts(&self) -> &[f64] {
        &self.drifts[..self.drifted]
    }
}

impl Integrator {
    /// The moves of `steps` steps of length `dt`; `moved` says that positions have changed since the last acceleration.
    pub fn moves(&self, dt: f64, steps: u64, mut moved: bool) -> Vec<Move> {
        let mut all = Vec::new();
        let mut now = Move::default();
        for substep in (0..steps).flat_map(|_| &self.substeps) {
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
        if now != Move::default() {
            all.push(now);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::integrator::{System, by_name};

    /// Writes down what it is told.
    #[derive(Default)]
    struct Protocol {
        moved: bool,
        said: Vec<(char, f64)>,
    }

    impl System for Protocol {
        fn drift(&mut self, dt: f64) -> crate::Result<()> {
            self.moved = true;
            self.said.push(('d', dt));
            Ok(())
        }
        fn kick(&mut self, dt: f64) -> crate::Result<()> {
            self.said.push(('k', dt));
            Ok(())
        }
        fn accelerate(&mut self) -> crate::Result<()> {
            if std::mem::take(&mut self.moved) {
                self.said.push(('a', 0.0));
            }
            Ok(())
        }
    }

    #[test]
    fn moves_are_the_substeps() {
        for name in ["leapfrog", "leapfrog-dkd", "yoshida4", "yoshida6"] {
            let integrator = by_name(name).unwrap();
            for (steps, moved) in [(1, true), (1, false), (4, true)] {
                let mut protocol = Protocol { moved, ..Default::default() };
                (0..steps).for_each(|_| integrator.step(&mut protocol, 0.25).unwrap());
                let moves = integrator.moves(0.25, steps, moved);
                let mut said = Vec::new();
                for each in &moves {
                    said.extend(each.accelerate.then_some(('a', 0.0)));
                    said.extend(each.kicks().iter().map(|dt| ('k', *dt)));
                    said.extend(each.drifts().iter().map(|dt| ('d', *dt)));
                }
                assert_eq!(said, protocol.said, "{name}, {steps} steps");
                // one pass an evaluation, and one at the beginning or end
                assert!(moves.len() <= steps as usize * integrator.evaluations() + 1, "{name}: {}", moves.len());
            }
        }
    }

    #[test]
    fn nothing_moves_in_no_steps() {
        assert!(by_name("leapfrog").unwrap().moves(0.5, 0, true).is_empty());
    }
}
