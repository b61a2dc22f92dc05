//! The substeps, cut for devices.

use crate::integrator::{System, by_name};

/// Records the calls.
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
        let mut integrator = by_name(name).unwrap();
        for (steps, moved) in [(1, true), (1, false), (4, true)] {
            let mut protocol = Protocol { moved, ..Default::default() };
            (0..steps).for_each(|_| integrator.step(&mut protocol, 0.25).unwrap());
            let moves = integrator.moves(0.25, steps, moved).unwrap();
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
    assert!(by_name("leapfrog").unwrap().moves(0.5, 0, true).unwrap().is_empty());
}
