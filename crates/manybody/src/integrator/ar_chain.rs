//! Algorithmic regularisation of a system of few bodies: [`FewBody`] as an integrator of runs.
//!
//! What is carried from dt to dt are columns of the bodies, so that a resumed run has the bits of one never
//! interrupted: what rounding leaves of positions and velocities, and, the same for all bodies, the binding energy that
//! the time transformation contains and the next step of the fictitious time.

use super::{ActiveBodies, Integrator, Needs, System, Work};
use crate::error::Capability;
use crate::few_body::{self, Carried, FewBody};
use crate::{Bodies, Error, Result};

/// Remainders of positions and velocities, the binding energy, and the step.
const COLUMNS: [&str; 8] = ["ar_x", "ar_y", "ar_z", "ar_vx", "ar_vy", "ar_vz", "ar_binding", "ar_step"];

/// Of these, the remainders of positions.
pub(super) const PLACES_LEFT: [&str; 3] = [COLUMNS[0], COLUMNS[1], COLUMNS[2]];

/// The regularised integrator. It computes forces itself, in f64: those of gravity on few bodies with mass.
#[derive(Debug, Default)]
pub struct ArChain {
    few: FewBody,
    work: Work,
}

impl ArChain {
    /// A step of the run.
    fn advance(&mut self, system: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let gravity = system.gravity().ok_or_else(|| self.unsupported("is for gravity without external fields"))?;
        self.few.load(system.bodies(), &gravity)?;
        restore(&mut self.few, system.bodies());
        let before = self.few.evaluations();
        let made = self.few.advance_watched(dt, &mut |share| {
            system.note_progress(share);
            system.is_stopped()
        });
        self.count(self.few.evaluations() - before, system.bodies().len() as u64);
        match made {
            Err(Error::Collision { time, pair, distance }) => {
                Err(Error::Collision { time: system.time() + time, pair, distance })
            }
            made => made,
        }?;
        self.few.write(system.bodies_mut());
        save(&self.few, system.bodies_mut());
        Ok(())
    }

    fn count(&mut self, evaluations: u64, n: u64) {
        self.work.blocks += evaluations;
        self.work.body_steps += evaluations * n;
        self.work.pairs += evaluations * n * n;
    }

    fn unsupported(&self, expected: &str) -> Error {
        Error::Unsupported { capability: Capability::Integrator, value: self.name().into(), expected: expected.into() }
    }
}

/// Reads what the bodies carry, if they carry anything.
fn restore(few: &mut FewBody, bodies: &Bodies) {
    let columns = COLUMNS.map(|name| bodies.extra.get(name).filter(|column| column.len() == bodies.len()));
    let [Some(x), Some(y), Some(z), Some(vx), Some(vy), Some(vz), Some(binding), Some(step)] = columns else { return };
    for k in 0..bodies.len() {
        few.add_remainder(k, [x[k], y[k], z[k], vx[k], vy[k], vz[k]]);
    }
    if let (Some(binding), Some(step)) = (binding.first(), step.first()) {
        few.carry(Carried { binding: *binding, step: *step });
    }
}

/// Leaves with the bodies what they carry.
fn save(few: &FewBody, bodies: &mut Bodies) {
    let Some(Carried { binding, step }) = few.carried() else { return };
    let mut columns = COLUMNS.map(|_| Vec::with_capacity(bodies.len()));
    for k in 0..bodies.len() {
        let numbers = few.remainder(k).into_iter().chain([binding, step]);
        columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
    }
    for (name, column) in COLUMNS.into_iter().zip(columns) {
        match bodies.extra.get_mut(name) {
            Some(kept) => *kept = column,
            None => drop(bodies.extra.insert(name.into(), column)),
        }
    }
}

impl Integrator for ArChain {
    fn name(&self) -> &'static str {
        "ar-chain"
    }

    /// That of the most columns of the extrapolation; the number of columns follows from the error.
    fn order(&self) -> u32 {
        16
    }

    /// About: of an orbit in one step of the run, 300 to 1,000.
    fn evaluations(&self) -> usize {
        500
    }

    fn begins_with_accelerations(&self) -> bool {
        false
    }

    fn columns(&self) -> &'static [&'static str] {
        &COLUMNS
    }

    fn work(&self) -> Option<Work> {
        Some(self.work)
    }

    fn needs(&self) -> Needs {
        Needs::Gravity
    }

    fn check(&self, bodies: &Bodies) -> Result<()> {
        few_body::check(bodies)
    }

    fn step(&mut self, system: &mut dyn System, dt: f64) -> Result<()> {
        let Some(bodies) = system.active() else {
            return Err(self.unsupported("needs bodies in this machine's memory"));
        };
        self.advance(bodies, dt)
    }
}
