//! Steps, softenings and times that suit a system of many bodies, for those who have not chosen.
//!
//! What is chosen suits a distribution of bodies with one size, or nothing is chosen: not for orbits about a body with most
//! of the mass, nor for parts of unlike sizes. Bodies without mass do not count, and n is (sum m)^2 / sum m^2.
//!
//! In Henon's units of the system itself (virial radius R = G M^2 / 2|W|, time unit T = sqrt(R^3 / G M), a crossing
//! taking 2 sqrt 2 T), with n bodies:
//!
//! ```text
//! eps   = R / (2.5 n^(1/3))        0.4 of the mean distance of neighbours
//! dt    = T min(1/128, eps / 2R)   half the time in which a body at the typical speed R / T crosses eps
//! t-end = t + T
//! ```
//!
//! (where the median speed is above R / T, the time in which a body at that speed crosses half of eps, and nothing where it is
//! above 10 R / T)
//!
//! each rounded to a power of two, so that a Plummer sphere of 16,384 bodies drawn in Henon units gets 1/64, 1/128 and
//! 1 whatever its seed. A system of few bodies has no such scales: its steps must be chosen by the user.

mod parts;
mod refusal;

pub use refusal::NoSuggestion;

use crate::diagnostics::lagrangian_radii;
use crate::solver::Gravity;
use crate::{Bodies, Units};
use parts::{Scales, hidden, potentials, step_of};
use std::borrow::Cow;

/// Systems of fewer bodies are orbits, not distributions.
pub const MIN_BODIES_FOR_SUGGESTION: usize = 64;

/// How many bodies the potential is sampled at: W to a few per cent, which rounding to a power of two swallows.
const SAMPLE: usize = 512;

/// Pairs that the sample takes at most, a fraction of a second.
const SAMPLE_PAIRS: usize = 1 << 29;

/// Pairs that the search for hidden parts takes each time: at a million bodies those of 134.
const HIDDEN_PAIRS: usize = 1 << 27;

/// A body with more than this share of the mass rules the orbits about it.
const DOMINANT: f64 = 0.05;

/// Virial radius over half-mass radius of what is one system: 1.33 of a Plummer sphere, 1.26 of a Hernquist sphere, 1.05 of a
/// uniform one, 0.99 to 1.24 of King models with w0 from 3 to 12, 1.25 of the disc in its halo, 0.66 of two of these about to
/// collide. Beyond this range two lengths are in play.
const ONE_SYSTEM: std::ops::Range<f64> = 0.2..5.0;

/// The radius about the densest part that holds three quarters of the mass, over that which holds a quarter, of what is one
/// system: 2.7 of a Plummer sphere, 6.5 of a Hernquist sphere, 6 of King models with w0 = 9, 36 at most of two spheres that
/// are 20 of their lengths apart, about to collide; 102 where half of the mass is in a core 100 times smaller than the rest.
const MAX_QUARTILE_RATIO: f64 = 40.0;

/// The median speed over R / T of what its own gravity moves: 0.6 in equilibrium.
const MAX_SPEED: f64 = 10.0;

/// What suits a system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suggestion {
    /// Time step.
    pub dt: f64,
    /// Softening length.
    pub eps: f64,
    /// One time unit of the system: how long to run.
    pub duration: f64,
    /// The virial radius that was found, not rounded.
    pub virial_radius: f64,
    /// How many bodies with a mass there are.
    pub massive: usize,
}

impl Suggestion {
    /// For bodies in `units`; `eps` is the softening where that has been chosen. Bodies without mass do not count. Cost:
    /// 1536 n pairs at most, 1200 n for a million bodies, and half as many again where there are bodies without mass.
    ///
    /// # Errors
    /// [`NoSuggestion`] for a system that is no distribution of bodies with one size.
    pub fn new(bodies: &Bodies, units: &Units, eps: Option<f64>) -> Result<Self, NoSuggestion> {
        let massive: Vec<usize> = (0..bodies.len()).filter(|i| bodies.mass[*i] > 0.0).collect();
        let n = massive.len();
        let heaviest = massive.iter().copied().max_by(|a, b| bodies.mass[*a].total_cmp(&bodies.mass[*b]));
        let (Some(heaviest), mass) = (heaviest, bodies.total_mass()) else { return Err(NoSuggestion::Massless) };
        if n < MIN_BODIES_FOR_SUGGESTION {
            return Err(NoSuggestion::Few(n));
        }
        // (sum m)^2 / sum m^2, in units of the heaviest so that nothing overflows
        let heavy = bodies.mass[heaviest];
        let squares: f64 = massive.iter().map(|i| (bodies.mass[*i] / heavy).powi(2)).sum();
        // rounded: of equal masses it is their number
        let effective = ((mass / heavy).powi(2) / squares).round();
        let share = heavy / mass;
        if share > DOMINANT || effective < MIN_BODIES_FOR_SUGGESTION as f64 {
            return Err(NoSuggestion::Dominated { index: heaviest, id: bodies.id[heaviest], share });
        }
        let count = n.min(SAMPLE.min(SAMPLE_PAIRS / n).max(64));
        let sample: Vec<usize> = (0..count).map(|k| massive[k * n / count]).collect();
        let bare = without_softenings(bodies);
        let radius_of = |potentials: &[f64]| {
            let at_sample: f64 = sample.iter().zip(potentials).map(|(i, pot)| bodies.mass[*i] * pot).sum();
            let potential = 0.5 * at_sample * n as f64 / count as f64;
            units.g * mass * mass / (2.0 * potential.abs())
        };
        let half_mass = lagrangian_radii(bodies, bodies.center_of_mass().0, &[0.5])[0];
        let unsoftened = potentials(bodies, &Gravity::new(units.g, 0.0), &sample);
        let plain = radius_of(&unsoftened);
        // a binary that is closer than neighbours are by far counts as one body: it may have most of W, and no say here
        let smooth = Gravity::new(units.g, 0.4 * half_mass / effective.cbrt());
        let smoothed = potentials(&bare, &smooth, &sample);
        let blurred = radius_of(&smoothed);
        let virial_radius = if plain > 0.7 * blurred { plain } else { blurred };
        if !(virial_radius > 0.0 && virial_radius.is_finite()) {
            return Err(NoSuggestion::Extreme);
        }
        if !ONE_SYSTEM.contains(&(virial_radius / half_mass)) {
            return Err(NoSuggestion::Unlike { virial: virial_radius, half_mass });
        }
        let deepest = (0..count).min_by(|a, b| smoothed[*a].total_cmp(&smoothed[*b])).map_or(0, |k| sample[k]);
        let quartiles = lagrangian_radii(bodies, bodies.position(deepest), &[0.25, 0.75]);
        if quartiles[1] > MAX_QUARTILE_RATIO * quartiles[0] {
            return Err(NoSuggestion::Core { quarter: quartiles[0], three_quarters: quartiles[1] });
        }
        let power_of_two = |value: f64| power_of_two(value).ok_or(NoSuggestion::Extreme);
        let unit = units.g * mass / virial_radius;
        let (speed, typical) = (median_speed(bodies, &massive), unit.sqrt());
        if speed > MAX_SPEED * typical {
            return Err(NoSuggestion::Fast { speed, typical });
        }
        let duration = power_of_two((virial_radius.powi(3) / (units.g * mass)).sqrt())?;
        let radius = power_of_two(virial_radius)?;
        let softening = radius * power_of_two(0.4 / effective.cbrt())?;
        let used = eps.unwrap_or(softening);
        // without softening no fixed step is small enough for every encounter: a floor, as good as any
        let crossing = power_of_two((used / radius / 2.0 / (speed / typical).max(1.0)).max(1.0 / 4096.0))?;
        let dt = duration * crossing.min(1.0 / 128.0);
        let whole = Suggestion { dt, eps: used, duration, virial_radius, massive: n };
        let scales = Scales { g: units.g, unit, softening, sharp: eps.unwrap_or(0.0) };
        let known = (bodies.eps.is_none() && scales.sharp == 0.0).then_some(&*unsoftened);
        let count_of_hidden = count.min((HIDDEN_PAIRS / n).max(128));
        let some = |k: usize| k * count / count_of_hidden;
        let known = known.map(|known| (0..count_of_hidden).map(|k| known[some(k)]).collect::<Vec<f64>>());
        let sample: Vec<usize> = (0..count_of_hidden).map(|k| sample[some(k)]).collect();
        match hidden(&bare, &scales, &sample, known.as_deref()) {
            Some((share, index)) => Err(NoSuggestion::Hidden {
                index,
                id: bodies.id[index],
                massive: bodies.mass[index] > 0.0,
                share,
                step: step_of(bodies, units.g, index),
                whole,
            }),
            None => Ok(whole),
        }
    }
}

/// The median of the speeds about the centre of mass of some bodies: close binaries, if few, have no say.
fn median_speed(bodies: &Bodies, some: &[usize]) -> f64 {
    let mean = bodies.center_of_mass().1;
    let speed2 = |i: &usize| bodies.velocity(*i).iter().zip(mean).map(|(v, mean)| (v - mean).powi(2)).sum::<f64>();
    let mut squares: Vec<f64> = some.iter().map(speed2).collect();
    let middle = squares.len() / 2;
    squares.select_nth_unstable_by(middle, f64::total_cmp).1.sqrt()
}

/// The bodies as if they had no softenings of their own.
fn without_softenings(bodies: &Bodies) -> Cow<'_, Bodies> {
    match bodies.eps {
        None => Cow::Borrowed(bodies),
        Some(_) => Cow::Owned(Bodies { eps: None, ..bodies.clone() }),
    }
}

/// The nearest power of two, in the logarithm; `None` for what has no logarithm.
fn power_of_two(value: f64) -> Option<f64> {
    let power = value.log2().round();
    (power.abs() < 1000.0).then(|| power.exp2())
}

#[cfg(test)]
mod tests;
