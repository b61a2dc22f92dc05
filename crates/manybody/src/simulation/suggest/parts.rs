//! Parts of a system that a softening and a step which suit the whole do not resolve: close binaries, multiples, dense cores.

use super::super::hidden::found;
use crate::Bodies;
use crate::law::Targets;
use crate::simd::Level;
use crate::solver::{ForceTerms, Forces, Gravity, Precision, direct, reference_at};

/// What a search for hidden parts depends on.
pub(super) struct Scales {
    pub(super) g: f64,
    /// The mean potential of the bodies, G M / R.
    pub(super) unit: f64,
    /// The softening that suits the whole.
    pub(super) softening: f64,
    /// The one that is used if that has been chosen, else 0.
    pub(super) sharp: f64,
}

/// The share of the bodies, with mass or without, of whose potential a softening that suits the whole hides much beside the
/// one that is used, and one of these bodies. `sample` has mass, and `known` are its potentials with the latter.
pub(super) fn hidden(
    bodies: &Bodies,
    scales: &Scales,
    sample: &[usize],
    known: Option<&[f64]>,
) -> Option<(f64, usize)> {
    let Scales { g, unit, softening, sharp } = *scales;
    // what is hidden by a softening that was chosen is hidden on purpose
    if sharp >= softening {
        return None;
    }
    let depths = |bodies: &Bodies, sample: &[usize], known: Option<&[f64]>| -> Vec<f64> {
        let at = |eps: f64| potentials(bodies, &Gravity::new(g, eps), sample);
        let deep = known.map_or_else(|| at(sharp), <[f64]>::to_vec);
        deep.iter().zip(at(softening)).map(|(deep, soft)| (soft - deep) / unit).collect()
    };
    if let Some((share, k)) = found(&depths(bodies, sample, known)) {
        return Some((share, sample[k]));
    }
    let massless: Vec<usize> = (0..bodies.len()).filter(|i| bodies.mass[*i] == 0.0).collect();
    let count = massless.len().min(sample.len());
    // sources are those with mass alone
    let mut some = Bodies::default();
    let massive = (0..bodies.len()).filter(|i| count > 0 && bodies.mass[*i] > 0.0);
    let tracers: Vec<usize> = (0..count).map(|k| massless[k * massless.len() / count]).collect();
    massive.chain(tracers.iter().copied()).for_each(|i| some.push(bodies.mass[i], bodies.position(i), [0.0; 3]));
    let places: Vec<usize> = (some.len() - count..some.len()).collect();
    let (share, k) = found(&depths(&some, &places, None))?;
    Some((share, tracers[k]))
}

/// A twentieth of the shortest time scale sqrt(r^3 / G m) of a body and another with mass that is not at its place.
pub(super) fn step_of(bodies: &Bodies, g: f64, index: usize) -> f64 {
    let at = bodies.position(index);
    let square = |i: usize| [0, 1, 2].map(|k| bodies.position(i)[k] - at[k]).iter().map(|q| q * q).sum::<f64>();
    let others = (0..bodies.len()).filter(|i| *i != index && bodies.mass[*i] > 0.0);
    let scale2 = others.map(|i| square(i).powf(1.5) / (g * (bodies.mass[index] + bodies.mass[i])));
    scale2.filter(|scale2| *scale2 > 0.0).fold(f64::INFINITY, f64::min).sqrt() / 20.0
}

/// The potentials of some bodies: by a solver, or by plain loops where bodies are at one place, which these leave out.
pub(super) fn potentials(bodies: &Bodies, gravity: &Gravity, sample: &[usize]) -> Vec<f64> {
    let (terms, mut out) = (ForceTerms { potential: true, jerk: false }, Forces::default());
    if gravity.coincident(bodies).is_none()
        && let Ok(level) = Level::from_env()
        && direct(level, Precision::F64).forces_on(bodies, &Targets::List(sample), gravity, terms, &mut out).is_ok()
    {
        return out.pot;
    }
    sample.iter().map(|i| reference_at(bodies, gravity, *i).pot).collect()
}
