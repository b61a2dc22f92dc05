//! A system whose bodies live in this machine's memory; the solver may compute elsewhere.

use super::Resident;
use crate::integrator::{ActiveBodies, Integrator, System};
use crate::solver::{Forces, Frame, Gravity, Solver, Steps, Want};
use crate::watch::Watch;
use crate::{Bodies, Error, Result};
use rayon::prelude::*;

/// Fewer numbers than this are not worth waking other threads for: 64 Ki additions take about 20 us on one core.
const CHUNK: usize = 1 << 16;

/// Bodies with a solver for their accelerations. Memory: that of the bodies, the solver, and 24 bytes a body.
pub struct HostSystem {
    bodies: Bodies,
    forces: Forces,
    gravity: Gravity,
    solver: Box<dyn Solver>,
    /// Positions have changed since `forces` were computed.
    moved: bool,
    /// For messages: the time of the last whole step.
    time: f64,
    /// Positions and velocities at the beginning of a step that may be interrupted.
    before: [Vec<f64>; 6],
}

impl HostSystem {
    /// A system at `time`. Nothing is computed yet.
    pub fn new(bodies: Bodies, gravity: Gravity, solver: Box<dyn Solver>, time: f64) -> Self {
        HostSystem { bodies, forces: Forces::default(), gravity, solver, moved: true, time, before: Default::default() }
    }

    /// The bodies.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// The bodies, to be brought up to date.
    pub(super) fn bodies_mut(&mut self) -> &mut Bodies {
        &mut self.bodies
    }

    /// For bodies that are finite themselves: the error of an acceleration that is not.
    pub(super) fn not_finite(&mut self, time: f64) -> Error {
        self.moved = true;
        let unknown = Error::NotFinite { time, index: 0, id: 0, quantity: "acceleration", value: f64::NAN };
        let error = self.accelerate().err().unwrap_or(unknown);
        self.time = time;
        error
    }

    /// Lends the bodies out and leaves an empty set; to be put back with [`put_back`](Self::put_back) unchanged.
    pub(super) fn take(&mut self) -> Bodies {
        std::mem::take(&mut self.bodies)
    }

    /// Ends a loan.
    pub(super) fn put_back(&mut self, bodies: Bodies) {
        self.bodies = bodies;
    }

    /// Copies positions and velocities: what a step changes.
    pub(super) fn state(&self, to: &mut [Vec<f64>; 6]) {
        let b = &self.bodies;
        for (to, from) in to.iter_mut().zip([&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz]) {
            to.clone_from(from);
        }
    }

    /// Notes where a step begins whose evaluations are so long that they are watched.
    pub(super) fn begin_step(&mut self, watch: &Watch) {
        let sources = || self.bodies.mass.iter().filter(|mass| **mass != 0.0).count();
        let n = self.bodies.len() as u64;
        if watch.is_for(n.pow(2)) && watch.is_for(n * sources() as u64) {
            let mut before = std::mem::take(&mut self.before);
            self.state(&mut before);
            self.before = before;
        }
    }

    /// Goes back to where the step began.
    pub(super) fn undo_step(&mut self) {
        let before = std::mem::take(&mut self.before);
        self.go_back(&before, self.time);
        self.before = before;
    }

    /// Goes back to positions and velocities that were copied at `time`.
    pub(super) fn go_back(&mut self, state: &[Vec<f64>; 6], time: f64) {
        let b = &mut self.bodies;
        for (to, from) in [&mut b.x, &mut b.y, &mut b.z, &mut b.vx, &mut b.vy, &mut b.vz].into_iter().zip(state) {
            to.clone_from(from);
        }
        (self.moved, self.time) = (true, time);
    }

    /// The bodies once more where the solver computes.
    pub(super) fn resident(&mut self, frame: Option<Frame>) -> Result<Option<Box<dyn Resident>>> {
        self.solver.resident(&self.bodies, &self.gravity, frame)
    }

    /// The bodies have been moved by others.
    pub(super) fn forget_forces(&mut self) {
        self.moved = true;
    }

    /// The accelerations as last computed.
    pub(super) fn forces(&self) -> &Forces {
        &self.forces
    }

    /// The physical problem.
    pub fn gravity(&self) -> &Gravity {
        &self.gravity
    }

    /// Makes whole steps of length `dt`, at most `most`, where the solver does that for so few bodies. Returns how many; all
    /// their numbers are finite.
    ///
    /// # Errors
    /// Those of the solver.
    pub(super) fn steps(&mut self, integrator: &dyn Integrator, dt: f64, most: u64) -> Result<u64> {
        let Some(substeps) = integrator.substeps() else { return Ok(0) };
        let HostSystem { bodies, forces, gravity, solver, moved, .. } = self;
        solver.steps(Steps { bodies, forces, moved, gravity, substeps, dt, most })
    }

    /// Notes the time of bodies whose numbers are known to be finite.
    pub(super) fn note_time(&mut self, time: f64) {
        self.time = time;
    }

    /// Notes that a step has been completed at `time`.
    ///
    /// # Errors
    /// [`Error::NotFinite`] where a position or velocity is not finite.
    pub fn settle(&mut self, time: f64) -> Result<()> {
        let b = &self.bodies;
        for (quantity, columns) in [("position", [&b.x, &b.y, &b.z]), ("velocity", [&b.vx, &b.vy, &b.vz])] {
            all_finite(b, quantity, columns, time)?;
        }
        self.time = time;
        Ok(())
    }
}

impl System for HostSystem {
    fn drift(&mut self, dt: f64) -> Result<()> {
        let b = &mut self.bodies;
        add_scaled(&mut b.x, dt, &b.vx);
        add_scaled(&mut b.y, dt, &b.vy);
        add_scaled(&mut b.z, dt, &b.vz);
        self.moved = true;
        Ok(())
    }

    fn kick(&mut self, dt: f64) -> Result<()> {
        let b = &mut self.bodies;
        add_scaled(&mut b.vx, dt, &self.forces.ax);
        add_scaled(&mut b.vy, dt, &self.forces.ay);
        add_scaled(&mut b.vz, dt, &self.forces.az);
        Ok(())
    }

    fn accelerate(&mut self) -> Result<()> {
        if self.moved {
            // first, because one body at infinity makes the acceleration of every other NaN
            let b = &self.bodies;
            all_finite(b, "position", [&b.x, &b.y, &b.z], self.time)?;
            self.solver.forces(&self.bodies, &self.gravity, Want::default(), &mut self.forces)?;
            let f = &self.forces;
            all_finite(&self.bodies, "acceleration", [&f.ax, &f.ay, &f.az], self.time)?;
            self.moved = false;
        }
        Ok(())
    }

    fn active(&mut self) -> Option<&mut dyn ActiveBodies> {
        Some(self)
    }
}

impl ActiveBodies for HostSystem {
    fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    fn bodies_mut(&mut self) -> &mut Bodies {
        self.moved = true;
        &mut self.bodies
    }

    fn forces_on(&mut self, active: &[usize], _elapsed: f64, want: Want, out: &mut Forces) -> Result<()> {
        let b = &self.bodies;
        all_finite(b, "position", [&b.x, &b.y, &b.z], self.time)?;
        let mut all = Forces::default();
        self.solver.forces(b, &self.gravity, want, &mut all)?;
        all_finite(b, "acceleration", [&all.ax, &all.ay, &all.az], self.time)?;
        *out = at(&all, active);
        Ok(())
    }
}

/// The forces on some bodies, of those on all.
fn at(all: &Forces, active: &[usize]) -> Forces {
    let of = |column: &Vec<f64>| match column.is_empty() {
        true => Vec::new(),
        false => active.iter().map(|i| column[*i]).collect(),
    };
    let Forces { ax, ay, az, pot, jx, jy, jz } = all;
    Forces { ax: of(ax), ay: of(ay), az: of(az), pot: of(pot), jx: of(jx), jy: of(jy), jz: of(jz) }
}

/// q += dt p. Each element is rounded twice and depends on no other: the same bits on any number of threads.
fn add_scaled(q: &mut [f64], dt: f64, p: &[f64]) {
    let chunk = |(q, p): (&mut [f64], &[f64])| q.iter_mut().zip(p).for_each(|(q, p)| *q += dt * p);
    if q.len() <= CHUNK {
        chunk((q, p));
    } else {
        q.par_chunks_mut(CHUNK).zip(p.par_chunks(CHUNK)).for_each(chunk);
    }
}

fn all_finite(bodies: &Bodies, quantity: &'static str, columns: [&Vec<f64>; 3], time: f64) -> Result<()> {
    for column in columns {
        // 0 times a number that is not finite is NaN: a sum that the compiler makes vectors of, where a search stops at each
        let (eights, rest) = column.as_chunks::<8>();
        let mut held = [0.0; 8];
        for eight in eights {
            held.iter_mut().zip(eight).for_each(|(held, q)| *held += q * 0.0);
        }
        if held.iter().chain(rest).map(|q| q * 0.0).sum::<f64>() == 0.0 {
            continue;
        }
        if let Some(index) = column.iter().position(|q| !q.is_finite()) {
            return Err(Error::NotFinite { time, index, id: bodies.id[index], quantity, value: column[index] });
        }
    }
    Ok(())
}
