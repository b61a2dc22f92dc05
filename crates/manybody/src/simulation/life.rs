//! What happens to bodies at the end of a step: mergers, escapes, and what a program does.

use super::Simulation;
use super::begin::check_radii;
use crate::events::{BodyEvent, Hook, Tally, escapers};
use crate::integrator::{Needs, mark};
use crate::{Bodies, Error, Result};

impl Simulation {
    /// The same run with a program's own part between the steps. Bodies are in this machine's memory from now on.
    ///
    /// # Errors
    /// [`Error::Kept`] for a run that was begun with another hook or without one; those of the device that the bodies live on.
    pub fn with_hook(mut self, hook: impl Hook + 'static) -> Result<Self> {
        let (name, is_begun) = (hook.name(), self.steps_since_start() > 0);
        if self.own_hook.as_ref().map_or(is_begun, |kept| *kept != name) {
            let value = self.own_hook.unwrap_or_else(|| "none".into());
            let expected = format!("this one is called {name}: it would be another run");
            return Err(Error::Kept { entry: "run.hook", value, expected });
        }
        self.sync()?;
        (self.resident, self.moved) = (None, true);
        self.hook = Some(Box::new(hook));
        self.own_hook = Some(name);
        self.system.forget_forces();
        self.save_checkpoint()?;
        Ok(self)
    }

    /// Whether bodies may become others during the run.
    pub(super) fn has_events(&self) -> bool {
        self.own_hook.is_some() || self.parameters.has_events()
    }

    /// Refuses to go on without the hook that the run was begun with.
    pub(crate) fn check_hook(&self) -> Result<()> {
        match &self.own_hook {
            Some(name) if self.hook.is_none() => Err(Error::Kept {
                entry: "run.hook",
                value: name.clone(),
                expected:
                    "a program changed the bodies of this run between its steps, and its file does not keep how: the \
                           program must continue it, by Simulation::with_hook"
                        .into(),
            }),
            _ => Ok(()),
        }
    }

    /// What events, and a hook, have changed of what the run conserves.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The events since this was last asked for, in the order of time.
    pub fn take_events(&mut self) -> Vec<BodyEvent> {
        std::mem::take(&mut self.happened)
    }

    /// Merges, removes and changes what is to be at the end of a step.
    pub(super) fn end_step(&mut self, length: f64) -> Result<()> {
        if !self.has_events() {
            return Ok(());
        }
        let time = self.clock.time();
        // a scheme with blocks has merged what has touched in them
        if self.parameters.collisions.is_some() && self.integrator.work().is_none() {
            self.system.merge_touching(length, time)?;
        }
        let mergers = self.system.take_mergers();
        for merger in &mergers {
            self.tally.add(&merger.change);
            self.happened.push(merger.event);
        }
        if !mergers.is_empty() {
            self.remove(mergers.iter().map(|merger| merger.places[1]));
        }
        self.remove_escapers(time)?;
        self.call_hook(time)
    }

    fn remove(&mut self, gone: impl Iterator<Item = usize>) {
        let mut is_kept = vec![true; self.system.bodies().len()];
        gone.for_each(|k| is_kept[k] = false);
        self.integrator.renumber(&is_kept);
        self.system.remove(&is_kept);
        self.forget_energy();
    }

    /// A scheme that carries the energy of all bodies computes it again.
    fn forget_energy(&mut self) {
        if self.integrator.needs() == Needs::Gravity {
            let columns = self.integrator.columns();
            self.system.bodies_mut().extra.retain(|name, _| !columns.contains(&name.as_str()));
        }
    }

    fn remove_escapers(&mut self, time: f64) -> Result<()> {
        let Some(radius) = self.parameters.remove_escapers else { return Ok(()) };
        let (bodies, _, forcing) = self.system.parts();
        let Some(gravity) = forcing.model.gravity() else { return Ok(()) };
        let escapes = escapers(bodies, radius, gravity, time);
        for escape in &escapes {
            self.tally.add(&escape.change);
            self.happened.push(escape.event);
        }
        if !escapes.is_empty() {
            self.remove(escapes.iter().map(|escape| escape.place));
            // what was one of the forces may have been most of it
            mark(self.system.bodies_mut(), |_| false);
        }
        Ok(())
    }

    /// Calls the hook; what it changes of the energy and the like is measured.
    fn call_hook(&mut self, time: f64) -> Result<()> {
        let Some(mut hook) = self.hook.take() else { return Ok(()) };
        let before = self.system.bodies().clone();
        let changed = hook.between(self.system.bodies_mut(), time);
        self.hook = Some(hook);
        let change = match changed {
            Ok(false) => return Ok(()),
            Ok(true) => self.change_since(&before, time),
            Err(error) => Err(error),
        };
        let change = match change {
            Ok(change) => change,
            Err(error) => {
                self.system.restore(&before, time);
                return Err(error);
            }
        };
        self.tally.add(&change);
        let state = |bodies: &Bodies, k: usize| (bodies.position(k), bodies.velocity(k));
        let after = self.system.bodies();
        let was_moved: Vec<bool> = (0..after.len()).map(|k| state(&before, k) != state(after, k)).collect();
        mark(self.system.bodies_mut(), |k| was_moved[k]);
        self.forget_energy();
        self.system.forget_forces();
        Ok(())
    }

    /// What a hook has changed.
    fn change_since(&mut self, before: &Bodies, time: f64) -> Result<Tally> {
        let (after, _, forcing) = self.system.parts();
        check_same(before, after)?;
        after.validate()?;
        self.integrator.check(after)?;
        if self.parameters.collisions.is_some() {
            check_radii(after)?;
        }
        Ok(Tally::between(&forcing.measure(before, time)?.0, &forcing.measure(after, time)?.0))
    }
}

/// Refuses other bodies than those before.
fn check_same(before: &Bodies, after: &Bodies) -> Result<()> {
    if before.id == after.id && after.x.len() == before.len() {
        return Ok(());
    }
    let expected = "a hook must leave the number, the order and the ids of the bodies as they are".into();
    Err(Error::Parameter { name: "hook", value: format!("{} bodies", after.len()), expected })
}
