//! Two models of forces as one: what they compute is added.

use super::{Accelerations, ForceModel};
use crate::watch::Watch;
use crate::{Bodies, Result};
use std::collections::BTreeMap;

/// The sum of two models. Columns that both set are those of the second.
pub(super) struct Sum {
    models: [Box<dyn ForceModel>; 2],
    advanced: Vec<String>,
}

impl Sum {
    pub(super) fn of(first: Box<dyn ForceModel>, second: Box<dyn ForceModel>) -> Self {
        let mut advanced = first.advanced().to_vec();
        advanced.extend(second.advanced().iter().filter(|name| !first.advanced().contains(name)).cloned());
        Sum { models: [first, second], advanced }
    }
}

/// Adds a column to another one of its length; a column of another length is left for the check that follows.
fn add(sum: &mut [f64], column: &[f64]) {
    sum.iter_mut().zip(column).for_each(|(sum, x)| *sum += x);
}

fn add_rates(sum: &mut BTreeMap<String, Vec<f64>>, rates: BTreeMap<String, Vec<f64>>) {
    for (name, column) in rates {
        match sum.get_mut(&name) {
            Some(sum) => add(sum, &column),
            None => drop(sum.insert(name, column)),
        }
    }
}

impl ForceModel for Sum {
    fn name(&self) -> String {
        format!("{} + {}", self.models[0].name(), self.models[1].name())
    }

    fn accelerations(&mut self, bodies: &Bodies, time: f64, out: &mut Accelerations) -> Result<()> {
        let [first, second] = &mut self.models;
        first.accelerations(bodies, time, out)?;
        out.check(bodies, &self.advanced)?;
        let mut more = Accelerations::default();
        second.accelerations(bodies, time, &mut more)?;
        more.check(bodies, &self.advanced)?;
        add(&mut out.forces.ax, &more.forces.ax);
        add(&mut out.forces.ay, &more.forces.ay);
        add(&mut out.forces.az, &more.forces.az);
        add_rates(&mut out.rates, more.rates);
        out.columns.extend(more.columns);
        Ok(())
    }

    fn reads_velocities(&self) -> bool {
        self.models.iter().any(|model| model.reads_velocities())
    }

    fn advanced(&self) -> &[String] {
        &self.advanced
    }

    fn remarks(&self) -> Vec<String> {
        self.models.iter().flat_map(|model| model.remarks()).collect()
    }

    fn has_potential(&self) -> bool {
        self.models.iter().all(|model| model.has_potential())
    }

    fn potential(&mut self, bodies: &Bodies, time: f64) -> Result<Vec<f64>> {
        let mut sum = self.models[0].potential(bodies, time)?;
        add(&mut sum, &self.models[1].potential(bodies, time)?);
        Ok(sum)
    }

    fn check(&self, bodies: &Bodies) -> Result<()> {
        self.models.iter().try_for_each(|model| model.check(bodies))
    }

    fn watch(&mut self, watch: &Watch) {
        self.models.iter_mut().for_each(|model| model.watch(watch));
    }
}
