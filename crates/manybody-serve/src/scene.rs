//! A state of the bodies that are shown.

use crate::sample::Sample;
use manybody::ic::{COMPONENT, GROUP};
use manybody::{Bodies, Snapshot};
use std::sync::Arc;

/// What of the bodies does not change.
#[derive(Debug)]
pub(crate) struct Cast {
    /// Distinguishes casts of one server.
    pub(crate) number: u32,
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
        Cast { number, id: sample.take(&bodies.id), mass, weight, group, sample }
    }

    pub(crate) fn len(&self) -> usize {
        self.id.len()
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
        let errors = manybody::simulation::Errors::kept_in(snapshot).unwrap_or_default();
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
