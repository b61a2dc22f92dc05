//! A state of the bodies that are shown.

use crate::sample::{Sample, heaviest};
use manybody::ic::{COMPONENT, GROUP};
use manybody::{Bodies, Snapshot};
use std::collections::HashMap;
use std::sync::Arc;

/// What of the bodies does not change.
#[derive(Debug)]
pub(crate) struct Cast {
    /// Distinguishes casts of one server.
    pub(crate) number: u32,
    /// The bodies that there are, shown or not.
    pub(crate) bodies: usize,
    pub(crate) sample: Sample,
    pub(crate) id: Vec<u64>,
    pub(crate) mass: Vec<f64>,
    /// The masses of the bodies that each stands for; their numbers, where no body has mass.
    pub(crate) weight: Vec<f64>,
    /// Galaxy, component or type, where bodies differ in that.
    pub(crate) group: Option<Vec<u8>>,
}

impl Cast {
    /// Of these bodies, those of the sample.
    pub(crate) fn of(number: u32, bodies: &Bodies, sample: Sample) -> Self {
        let group = groups(bodies).map(|group| sample.take(&group));
        let mass = sample.take(&bodies.mass);
        let is_massless = mass.iter().all(|mass| *mass == 0.0);
        let weight = |(mass, stands_for): (&f64, &f32)| if is_massless { 1.0 } else { *mass } * f64::from(*stands_for);
        let weight = mass.iter().zip(&sample.stands_for).map(weight).collect();
        Cast { number, bodies: bodies.len(), id: sample.take(&bodies.id), mass, weight, group, sample }
    }

    pub(crate) fn len(&self) -> usize {
        self.id.len()
    }

    /// Where the bodies of the cast are among these, found by their ids; `None` where these have another cast: others
    /// are there, or one has another mass or group.
    pub(crate) fn places(&self, bodies: &Bodies) -> Option<Vec<u32>> {
        if bodies.len() != self.bodies {
            return None;
        }
        let places = self.places_of(&bodies.id)?;
        let has = |(mass, i): (&f64, &u32)| bodies.mass[*i as usize] == *mass;
        let group = groups(bodies).map(|group| places.iter().map(|i| group[*i as usize]).collect::<Vec<u8>>());
        let are_same = self.mass.iter().zip(&places).all(has) && group == self.group;
        (are_same && self.has_the_heavy(bodies, &places)).then_some(places)
    }

    /// Whether a body that is not among these places has become so heavy that it is to be shown.
    fn has_the_heavy(&self, bodies: &Bodies, places: &[u32]) -> bool {
        if places.len() == bodies.len() {
            return true;
        }
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        heaviest(bodies, self.len()).iter().all(|i| sorted.binary_search(i).is_ok())
    }

    /// Where these ids, which are most often in the same order, have those of the cast.
    fn places_of(&self, ids: &[u64]) -> Option<Vec<u32>> {
        let mut own = self.id.iter().zip(&self.sample.indices);
        if own.all(|(id, i)| ids.get(*i as usize) == Some(id)) {
            return Some(self.sample.indices.clone());
        }
        let places: HashMap<u64, u32> = ids.iter().enumerate().map(|(i, id)| (*id, i as u32)).collect();
        self.id.iter().map(|id| places.get(id).copied()).collect()
    }
}

/// The group of each body as pictures have it: the column `group`, else `component`, else the type of a particle.
fn groups(bodies: &Bodies) -> Option<Vec<u8>> {
    let number = |value: &f64| (*value as i64).rem_euclid(256) as u8;
    let column = [GROUP, COMPONENT].iter().find_map(|name| bodies.extra.get(*name));
    let found = column.map(|column| column.iter().map(number).collect()).or_else(|| bodies.kind.clone())?;
    let differ = found.iter().any(|group| Some(group) != found.first());
    differ.then_some(found)
}

/// What is known of a state besides its bodies; NaN for what is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) step: f64,
    pub(crate) time: f64,
    pub(crate) steps_per_second: f64,
    pub(crate) pairs_per_second: f64,
    pub(crate) energy: f64,
    pub(crate) energy_error: f64,
    pub(crate) force_error: f64,
    /// The place of a snapshot in its series.
    pub(crate) index: f64,
}

impl Default for Numbers {
    fn default() -> Self {
        let [step, time, steps_per_second, pairs_per_second, energy, energy_error, force_error, index] = [f64::NAN; 8];
        Numbers { step, time, steps_per_second, pairs_per_second, energy, energy_error, force_error, index }
    }
}

impl Numbers {
    /// Those that a run has kept in a snapshot.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let kept = |name: &str| snapshot.meta.get(name).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        let errors = manybody::simulation::Errors::from_snapshot(snapshot).unwrap_or_default();
        let energy_error = errors.energy.unwrap_or(f64::NAN);
        let initial = kept("run.initial.kinetic") + kept("run.initial.potential");
        Numbers {
            step: kept("run.step"),
            time: snapshot.time,
            energy: energy(initial, energy_error),
            energy_error,
            force_error: errors.force.map_or(f64::NAN, |force| force.max),
            ..Numbers::default()
        }
    }
}

/// The energy that has such an error, (E - E0) / |E0|.
pub(crate) fn energy(initial: f64, error: f64) -> f64 {
    initial + error * initial.abs()
}

/// The bodies that are shown at one time.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) cast: Arc<Cast>,
    pub(crate) position: [Vec<f64>; 3],
    pub(crate) velocity: [Vec<f64>; 3],
    pub(crate) numbers: Numbers,
}

impl Scene {
    /// Copies the bodies of the cast.
    pub(crate) fn of(cast: &Arc<Cast>, bodies: &Bodies, numbers: Numbers) -> Self {
        let take = |column: &Vec<f64>| cast.sample.take(column);
        Scene {
            cast: cast.clone(),
            position: [&bodies.x, &bodies.y, &bodies.z].map(take),
            velocity: [&bodies.vx, &bodies.vy, &bodies.vz].map(take),
            numbers,
        }
    }

    /// The same where the bodies of the cast have other places.
    pub(crate) fn at(cast: &Arc<Cast>, places: &[u32], bodies: &Bodies, numbers: Numbers) -> Self {
        let take = |column: &Vec<f64>| places.iter().map(|i| column[*i as usize]).collect();
        Scene {
            cast: cast.clone(),
            position: [&bodies.x, &bodies.y, &bodies.z].map(take),
            velocity: [&bodies.vx, &bodies.vy, &bodies.vz].map(take),
            numbers,
        }
    }

    /// The bodies as such, for measures of clusters. Each has the mass of those that it stands for.
    pub(crate) fn bodies(&self) -> Bodies {
        let ([x, y, z], [vx, vy, vz]) = (self.position.clone(), self.velocity.clone());
        Bodies { x, y, z, vx, vy, vz, mass: self.cast.weight.clone(), id: self.cast.id.clone(), ..Bodies::default() }
    }

    /// Speeds about the centre of mass, and this centre.
    pub(crate) fn speeds(&self) -> (Vec<f64>, [f64; 3]) {
        let n = self.cast.len();
        let weights = &self.cast.weight;
        let all: f64 = weights.iter().sum();
        let mean = |column: &Vec<f64>| column.iter().zip(weights).map(|(q, w)| q * w).sum::<f64>() / all;
        let (centre, drift) = ([0, 1, 2].map(|k| mean(&self.position[k])), [0, 1, 2].map(|k| mean(&self.velocity[k])));
        let speed = |i: usize| {
            let w = [0, 1, 2].map(|k| self.velocity[k][i] - drift[k]);
            (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt()
        };
        ((0..n).map(speed).collect(), centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(bodies: &Bodies, most: usize) -> Cast {
        Cast::of(1, bodies, Sample::of(bodies, most))
    }

    fn some(n: usize) -> Bodies {
        let mut bodies = Bodies::zeros(n);
        bodies.mass.fill(1.0);
        bodies
    }

    #[test]
    fn a_cast_is_kept_where_the_same_bodies_are_there_in_any_order() {
        let mut bodies = some(10);
        let own = cast(&bodies, 100);
        assert_eq!(own.places(&bodies), Some((0..10).collect()));
        bodies.id.reverse();
        assert_eq!(own.places(&bodies), Some((0..10).rev().collect()));
    }

    #[test]
    fn other_numbers_ids_masses_and_groups_are_another_cast() {
        let own = cast(&some(10), 100);
        assert_eq!(own.places(&some(11)), None);
        assert_eq!(own.places(&some(9)), None);
        let changed = |change: &dyn Fn(&mut Bodies)| {
            let mut bodies = some(10);
            change(&mut bodies);
            own.places(&bodies)
        };
        assert_eq!(changed(&|bodies| bodies.id[3] = 99), None);
        assert_eq!(changed(&|bodies| bodies.mass[9] = 2.0), None);
        assert_eq!(changed(&|bodies| bodies.kind = Some(vec![0, 1, 1, 1, 1, 1, 1, 1, 1, 1])), None);
        // a group that all are in distinguishes nothing
        assert!(changed(&|bodies| bodies.kind = Some(vec![1; 10])).is_some());
    }

    #[test]
    fn a_body_that_becomes_heavy_is_shown() {
        let mut bodies = some(1000);
        let own = cast(&bodies, 100);
        assert!(own.places(&bodies).is_some());
        let hidden = (0..1000).find(|i| !own.sample.indices.contains(i)).unwrap() as usize;
        bodies.mass[hidden] = 1e6;
        assert_eq!(own.places(&bodies), None);
        assert!(cast(&bodies, 100).id.contains(&bodies.id[hidden]));
    }
}
