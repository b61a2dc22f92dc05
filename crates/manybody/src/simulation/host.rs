//! A system whose bodies live in this machine's memory; the forces may be computed elsewhere.

use super::Resident;
use super::state::State;
use crate::error::Capability;
use crate::events::{Merger, RADIUS, Swept, first_of_each, merge, touches};
use crate::field::{self, Field};
use crate::forces::{Accelerations, ForceModel, Forcing, SelfGravity, Stretch};
use crate::integrator::{ActiveBodies, Integrator, System, renumber};
use crate::solver::{BlockState, BlockStep, BlockWork, Derivatives, Forces, Frame, Gravity, Solver};
use crate::watch::Watch;
use crate::{Bodies, Error, Result};
use rayon::prelude::*;

/// Fewer numbers than this are not worth waking other threads for: 64 Ki additions take about 20 us on one core.
const CHUNK: usize = 1 << 16;

/// Bodies with what accelerates them. Memory: that of the bodies, the solver, and 24 bytes a body.
pub struct HostSystem {
    bodies: Bodies,
    computed: Accelerations,
    /// Accelerations by fields, of the same positions; empty without fields.
    external: [Vec<f64>; 3],
    forcing: Forcing,
    /// Positions have changed since the accelerations were computed.
    moved: bool,
    /// The time of the last whole step.
    time: f64,
    /// The step that is being made: its length and the time of its end.
    step: Option<(f64, f64)>,
    /// How far positions have drifted since the last whole step, and how far velocities are behind them.
    drifted: f64,
    behind: f64,
    /// The state at the beginning of a step that may be interrupted.
    before: State,
    /// The columns of the bodies that the integrator leaves with them.
    carried: &'static [&'static str],
    /// Whether bodies merge that touch, and the mergers of the step that is being made.
    collides: bool,
    mergers: Vec<Merger>,
    watch: Watch,
}

impl HostSystem {
    /// A system at `time` under gravity. Nothing is computed yet.
    pub fn new(bodies: Bodies, gravity: Gravity, solver: Box<dyn Solver>, time: f64) -> Self {
        Self::with(bodies, Forcing::new(SelfGravity::by(gravity, solver)), time)
    }

    /// A system at `time` under any forces.
    pub fn with(bodies: Bodies, forcing: Forcing, time: f64) -> Self {
        HostSystem {
            bodies,
            computed: Accelerations::default(),
            external: Default::default(),
            forcing,
            moved: true,
            time,
            step: None,
            drifted: 0.0,
            behind: 0.0,
            before: State::default(),
            carried: &[],
            collides: false,
            mergers: Vec::new(),
            watch: Watch::default(),
        }
    }

    /// The same of bodies that merge where they touch.
    pub(super) fn colliding(self, collides: bool) -> Self {
        HostSystem { collides, ..self }
    }

    /// The same under an integrator that leaves such columns with the bodies.
    pub(super) fn carrying(self, carried: &'static [&'static str]) -> Self {
        HostSystem { carried, ..self }
    }

    /// The time of the positions. At the end of a step it is that of the clock, as in a run that is resumed there.
    fn now(&self) -> f64 {
        match self.step {
            Some((length, end)) if (self.drifted / length - 1.0).abs() < 1e-12 => end,
            _ => self.time + self.drifted,
        }
    }

    /// The bodies with velocities and columns predicted for the time of their positions, for forces that depend on
    /// them.
    fn predicted(&self) -> Option<Bodies> {
        if self.behind == 0.0 || !self.forcing.model.reads_velocities() {
            return None;
        }
        let mut bodies = self.bodies.clone();
        kick(&mut bodies, &self.computed, &self.external, self.behind);
        Some(bodies)
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

    /// Copies what a step changes.
    pub(super) fn state(&self, to: &mut State) {
        let advanced = self.forcing.model.advanced().iter().map(String::as_str);
        let radius = self.collides.then_some(RADIUS);
        to.copy(&self.bodies, advanced.chain(self.carried.iter().copied()).chain(radius));
    }

    /// Notes where a step of this length begins, and when it ends. One whose evaluations are so long that they are
    /// watched can be undone.
    pub(super) fn begin_step(&mut self, watch: &Watch, length: f64, end: f64) {
        self.step = Some((length, end));
        self.watch = watch.clone();
        let sources = || self.bodies.mass.iter().filter(|mass| **mass != 0.0).count();
        let n = self.bodies.len() as u64;
        // a scheme that carries columns may end between two blocks
        if !self.carried.is_empty() || watch.is_for(n.pow(2)) && watch.is_for(n * sources() as u64) {
            let mut before = std::mem::take(&mut self.before);
            self.state(&mut before);
            self.before = before;
        }
    }

    /// Goes back to where the step began.
    pub(super) fn undo_step(&mut self) {
        self.mergers.clear();
        let before = std::mem::take(&mut self.before);
        self.roll_back(&before, self.time);
        self.before = before;
    }

    /// Goes back to the bodies at `time`.
    pub(super) fn restore(&mut self, bodies: &Bodies, time: f64) {
        self.bodies.clone_from(bodies);
        self.mergers.clear();
        self.moved = true;
        self.note_time(time);
    }

    /// Goes back to a state that was copied at `time`.
    pub(super) fn roll_back(&mut self, state: &State, time: f64) {
        state.restore(&mut self.bodies);
        self.moved = true;
        self.note_time(time);
    }

    /// The bodies once more where the forces are computed; `None` where fields act, which are computed here.
    pub(super) fn resident(&mut self, frame: Option<Frame>) -> Result<Option<Box<dyn Resident>>> {
        match self.forcing.fields.is_empty() {
            true => self.forcing.model.resident(&self.bodies, frame),
            false => Ok(None),
        }
    }

    /// Other forces between the bodies from now on.
    pub(super) fn change_model(&mut self, model: Box<dyn ForceModel>) {
        self.forcing.model = model;
        self.moved = true;
    }

    /// The bodies have been moved by others.
    pub(super) fn forget_forces(&mut self) {
        self.moved = true;
    }

    /// What a user of the forces has to know.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.forcing.model.remarks()
    }

    /// What computes the forces between bodies.
    pub(super) fn forces_name(&self) -> String {
        self.forcing.model.name()
    }

    /// The gravity between the bodies, where that is what acts.
    pub(super) fn gravity(&self) -> Option<&Gravity> {
        self.forcing.model.gravity()
    }

    /// The bodies, their accelerations as last computed, and what computes them.
    pub(super) fn parts(&mut self) -> (&Bodies, &Forces, &mut Forcing) {
        (&self.bodies, &self.computed.forces, &mut self.forcing)
    }

    /// Makes whole steps of length `dt`, at most `most`, where the solver does that for so few bodies. Returns how
    /// many; all their numbers are finite.
    ///
    /// # Errors
    /// Those of the solver.
    pub(super) fn steps(&mut self, integrator: &dyn Integrator, dt: f64, most: u64) -> Result<u64> {
        let Some(substeps) = integrator.substeps().filter(|_| self.forcing.fields.is_empty()) else { return Ok(0) };
        let HostSystem { bodies, computed, forcing, moved, .. } = self;
        forcing.model.steps(Stretch { bodies, forces: &mut computed.forces, moved, substeps, dt, most })
    }

    /// Notes the time of bodies whose numbers are known to be finite.
    pub(super) fn note_time(&mut self, time: f64) {
        (self.time, self.step, self.drifted, self.behind) = (time, None, 0.0, 0.0);
    }

    /// Makes one body of two; the one without mass stays until it is removed.
    fn merge_at(&mut self, pair: [usize; 2], time: f64) -> Result<[usize; 2]> {
        let Some(gravity) = self.forcing.model.gravity().copied() else {
            let (value, expected) = ("collisions".into(), "only bodies under gravity merge".into());
            return Err(Error::Unsupported { capability: Capability::Law, value, expected });
        };
        let merger = merge(&mut self.bodies, pair, &gravity, &self.forcing.fields, time);
        self.moved = true;
        let places = merger.places;
        self.mergers.push(merger);
        Ok(places)
    }

    /// Merges the bodies that have touched within a step of one length for all, at its end.
    ///
    /// # Errors
    /// [`Error::Unsupported`] under other forces than gravity.
    pub(super) fn merge_touching(&mut self, length: f64, time: f64) -> Result<()> {
        let mut is_there = vec![true; self.bodies.len()];
        let mut swept: Vec<Swept> = (0..self.bodies.len()).map(|k| (k, length)).collect();
        while !swept.is_empty() {
            let Some(radius) = self.bodies.extra.get(RADIUS) else { return Ok(()) };
            let found = touches(&self.bodies, radius, &swept, |k| is_there[k])?;
            swept.clear();
            // a body that has just merged is looked at again, over the rest of the step
            for touch in first_of_each(found) {
                let [kept, gone] = self.merge_at(touch.pair, time)?;
                is_there[gone] = false;
                swept.push((kept, touch.ago));
            }
        }
        Ok(())
    }

    /// The mergers of the last step.
    pub(super) fn take_mergers(&mut self) -> Vec<Merger> {
        std::mem::take(&mut self.mergers)
    }

    /// Removes bodies.
    pub(super) fn remove(&mut self, is_kept: &[bool]) {
        renumber(&mut self.bodies, is_kept);
        self.bodies.retain(|k| is_kept[k]);
        self.moved = true;
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
        self.note_time(time);
        // the last accelerations are those of predicted velocities
        self.moved |= self.forcing.model.reads_velocities();
        Ok(())
    }
}

impl System for HostSystem {
    fn drift(&mut self, dt: f64) -> Result<()> {
        if self.forcing.model.reads_velocities() && self.behind == 0.0 {
            // what velocities are predicted by
            self.accelerate()?;
        }
        let b = &mut self.bodies;
        add_scaled(&mut b.x, dt, &b.vx);
        add_scaled(&mut b.y, dt, &b.vy);
        add_scaled(&mut b.z, dt, &b.vz);
        self.moved = true;
        self.drifted += dt;
        self.behind += dt;
        Ok(())
    }

    fn kick(&mut self, dt: f64) -> Result<()> {
        kick(&mut self.bodies, &self.computed, &self.external, dt);
        self.behind -= dt;
        Ok(())
    }

    fn accelerate(&mut self) -> Result<()> {
        if !self.moved {
            return Ok(());
        }
        // first, because one body at infinity makes the acceleration of every other NaN
        let b = &self.bodies;
        all_finite(b, "position", [&b.x, &b.y, &b.z], self.time)?;
        let (now, predicted) = (self.now(), self.predicted());
        let HostSystem { bodies, computed, forcing, .. } = self;
        forcing.model.accelerations(predicted.as_ref().unwrap_or(bodies), now, computed)?;
        computed.check(bodies, forcing.model.advanced())?;
        let f = &self.computed.forces;
        all_finite(&self.bodies, "acceleration", [&f.ax, &f.ay, &f.az], self.time)?;
        if !self.forcing.fields.is_empty() {
            field::accelerations(&self.forcing.fields, &self.bodies, now, &mut self.external);
            all_finite(&self.bodies, "acceleration by a field", self.external.each_ref(), self.time)?;
        }
        self.bodies.extra.append(&mut self.computed.columns);
        self.moved = false;
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

    fn derivatives_on(
        &mut self,
        active: &[usize],
        accelerations: Option<[&[f64]; 3]>,
        elapsed: f64,
        out: &mut Derivatives,
    ) -> Result<()> {
        let b = &self.bodies;
        let time = self.time + elapsed;
        all_finite(b, "position", [&b.x, &b.y, &b.z], time)?;
        self.forcing.model.derivatives_on(b, accelerations, active, time, out)?;
        add_derivatives(&self.forcing.fields, b, active, time, out)?;
        for (quantity, columns) in [("acceleration", &out.a), ("jerk", &out.j), ("snap", &out.s)] {
            let found = (0..columns[0].len()).find(|k| columns.iter().any(|column| !column[*k].is_finite()));
            if let Some(k) = found {
                let value = columns.iter().map(|column| column[k]).find(|q| !q.is_finite()).unwrap_or(f64::NAN);
                return Err(Error::NotFinite { time, index: active[k], id: b.id[active[k]], quantity, value });
            }
        }
        Ok(())
    }

    fn has_rounded_terms(&self) -> bool {
        self.forcing.model.has_rounded_terms()
    }

    fn block_step(&mut self, step: &BlockStep, state: &mut BlockState) -> Result<Option<BlockWork>> {
        match self.forcing.fields.is_empty() {
            true => self.forcing.model.block_step(&self.bodies, step, state),
            // they are computed here
            false => Ok(None),
        }
    }

    fn merge(&mut self, pair: [usize; 2], elapsed: f64) -> Result<[usize; 2]> {
        // the end of a step is that of the clock, and what is within it belongs to no snapshot before
        let time = match self.step {
            Some((length, end)) if elapsed >= length => end,
            Some((_, end)) => (self.time + elapsed).max(self.time.next_up()).min(end),
            None => self.time + elapsed,
        };
        self.merge_at(pair, time)
    }

    fn gravity_between(&self) -> Option<Gravity> {
        self.forcing.model.gravity().copied()
    }

    fn mergers(&self) -> usize {
        self.mergers.len()
    }

    fn forget_mergers(&mut self, but: usize) {
        self.mergers.truncate(but);
    }

    fn gravity(&self) -> Option<Gravity> {
        self.forcing.model.gravity().copied().filter(|_| self.forcing.fields.is_empty())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn is_stopped(&self) -> bool {
        self.watch.ends()
    }

    fn note_progress(&self, share: f64) {
        self.watch.note(share);
    }
}

/// Adds what fields do to some bodies, with their jerks.
fn add_derivatives(
    fields: &[Box<dyn Field>],
    bodies: &Bodies,
    active: &[usize],
    time: f64,
    out: &mut Derivatives,
) -> Result<()> {
    if !out.s[0].is_empty() {
        refuse_fields(fields)?;
    }
    for field in fields {
        for (k, i) in active.iter().enumerate() {
            let (x, v) = (bodies.position(*i), bodies.velocity(*i));
            let (a, _) = field.at(x, time);
            let Some(j) = field.jerk(x, v, time) else { return refuse_fields(fields) };
            for q in 0..3 {
                out.a[q][k] += a[q];
                out.j[q][k] += j[q];
            }
        }
    }
    Ok(())
}

/// Refuses fields where derivatives are asked for that they do not have.
fn refuse_fields(fields: &[Box<dyn Field>]) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let expected = "external fields have no jerk".into();
    Err(Error::Unsupported { capability: Capability::Law, value: "field".into(), expected })
}

/// v += dt a by the other bodies, then by fields, if there are any; and the same of columns that have rates.
fn kick(bodies: &mut Bodies, by: &Accelerations, external: &[Vec<f64>; 3], dt: f64) {
    let Bodies { vx, vy, vz, .. } = bodies;
    let Forces { ax, ay, az, .. } = &by.forces;
    for ((v, a), field) in [vx, vy, vz].into_iter().zip([ax, ay, az]).zip(external) {
        add_scaled(v, dt, a);
        add_scaled(v, dt, field);
    }
    for (name, rate) in &by.rates {
        if let Some(column) = bodies.extra.get_mut(name) {
            add_scaled(column, dt, rate);
        }
    }
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
        // 0 times a number that is not finite is NaN: a sum that the compiler makes vectors of, where a search stops
        // at each
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
