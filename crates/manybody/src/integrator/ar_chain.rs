//! Algorithmic regularisation of a system of few bodies: [`FewBody`] as an integrator of runs.
//!
//! What is carried from dt to dt are columns of the bodies, so that a resumed run has the bits of one never
//! interrupted: what rounding leaves of positions and velocities, and, the same for all bodies, the binding energy that
//! the time transformation contains and the next step of the fictitious time.

use super::{ActiveBodies, Integrator, Needs, StepControl, System, Work};
use crate::error::Capability;
use crate::events::RADIUS;
use crate::few_body::{self, Carried, FewBody};
use crate::solver::Gravity;
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
    /// Whether bodies merge that touch.
    collides: bool,
}

impl ArChain {
    /// One of bodies that merge or not.
    pub(super) fn with(control: &StepControl) -> Self {
        ArChain { collides: control.collisions, ..ArChain::default() }
    }

    /// A step of the run: from contact to contact. Of two bodies that merge one has no mass from then on, and stays where it is.
    fn advance(&mut self, system: &mut dyn ActiveBodies, dt: f64) -> Result<()> {
        let gravity = system.gravity().ok_or_else(|| self.unsupported("is for gravity without external fields"))?;
        let mut there: Vec<usize> = (0..system.bodies().len()).collect();
        let mut begin = 0.0;
        while let Some((pair, after)) = self.part(system, &gravity, &there, (begin, dt))? {
            begin += after;
            let [kept, gone] = system.merge(pair.map(|k| there[k]), begin)?;
            forget(system.bodies_mut(), kept);
            there.retain(|k| *k != gone);
        }
        Ok(())
    }

    /// A step from a time within it on, up to its end or until two of the bodies touch that are left.
    fn part(
        &mut self,
        system: &mut dyn ActiveBodies,
        gravity: &Gravity,
        there: &[usize],
        (begin, dt): (f64, f64),
    ) -> Result<Option<([usize; 2], f64)>> {
        let mut bodies = system.bodies().clone();
        bodies.retain(|k| there.binary_search(&k).is_ok());
        self.few.load(&bodies, gravity)?;
        restore(&mut self.few, &bodies);
        if let Some(radius) = bodies.extra.get(RADIUS).filter(|_| self.collides) {
            self.few.set_radii(radius);
        }
        let before = self.few.evaluations();
        let made = self.few.advance_to_contact((dt - begin).max(0.0), &mut |share| {
            system.note_progress((begin + share * (dt - begin)) / dt);
            system.is_stopped()
        });
        self.count(self.few.evaluations() - before, bodies.len() as u64);
        let found = match made {
            Err(Error::Collision { time, pair, distance }) => {
                let pair = pair.map(|(k, id)| (there[k], id));
                Err(Error::Collision { time: system.time() + begin + time, pair, distance })
            }
            made => made,
        }?;
        self.few.write(&mut bodies);
        save(&self.few, &mut bodies);
        put_back(&bodies, there, system.bodies_mut());
        Ok(found)
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
    let [Some(x), Some(y), Some(z), Some(vx), Some(vy), Some(vz), binding, step] = columns else { return };
    for k in 0..bodies.len() {
        few.add_remainder(k, [x[k], y[k], z[k], vx[k], vy[k], vz[k]]);
    }
    if let (Some(binding), Some(step)) = (binding.and_then(|all| all.first()), step.and_then(|all| all.first())) {
        few.carry(Carried { binding: *binding, step: *step });
    }
}

/// Removes what bodies carry that is of no use after a merger: the energy and the step, and the remainders of the body that is
/// left.
fn forget(bodies: &mut Bodies, kept: usize) {
    let [remainders @ .., binding, step] = COLUMNS;
    for name in remainders {
        if let Some(column) = bodies.extra.get_mut(name) {
            column[kept] = 0.0;
        }
    }
    bodies.extra.retain(|name, _| ![binding, step].contains(&name.as_str()));
}

/// Puts bodies in their places among others, with what they carry.
fn put_back(some: &Bodies, there: &[usize], bodies: &mut Bodies) {
    let n = bodies.len();
    let put = |to: &mut Vec<f64>, from: &[f64]| {
        to.resize(n, 0.0);
        there.iter().zip(from).for_each(|(k, value)| to[*k] = *value);
    };
    let Bodies { x, y, z, vx, vy, vz, extra, .. } = bodies;
    for (to, from) in [x, y, z, vx, vy, vz].into_iter().zip([&some.x, &some.y, &some.z, &some.vx, &some.vy, &some.vz]) {
        put(to, from);
    }
    for name in COLUMNS {
        if let Some(from) = some.extra.get(name) {
            put(extra.entry(name.into()).or_default(), from);
        }
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
