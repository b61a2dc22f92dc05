//! Steps, softenings and times that suit a system of many bodies, for those who have not chosen.
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
//! each rounded to a power of two, so that a Plummer sphere of 16,384 bodies drawn in Henon units gets 1/64, 1/128 and
//! 1 whatever its seed. A system of few bodies has no such scales: its steps are for its owner to choose.

use crate::solver::{Gravity, reference_at};
use crate::{Bodies, Units};

/// Systems of fewer bodies are orbits, not distributions.
pub const FEW: usize = 64;

/// How many bodies the potential is sampled at: W to a few per cent, which rounding to a power of two swallows.
const SAMPLE: usize = 512;

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
}

impl Suggestion {
    /// For bodies in `units`; None for fewer than [`FEW`] and for systems without mass. `eps` is the softening where
    /// that has been chosen. Cost: 512 n pairs.
    pub fn new(bodies: &Bodies, units: &Units, eps: Option<f64>) -> Option<Self> {
        let n = bodies.len();
        if n < FEW {
            return None;
        }
        let gravity = Gravity { g: units.g, eps: 0.0 };
        let count = n.min(SAMPLE);
        let sample = (0..count).map(|k| k * n / count);
        let at_sample: f64 = sample.map(|i| bodies.mass[i] * reference_at(bodies, &gravity, i).pot).sum();
        let potential = 0.5 * at_sample * n as f64 / count as f64;
        let mass = bodies.total_mass();
        let virial_radius = units.g * mass * mass / (2.0 * potential.abs());
        let duration = power_of_two((virial_radius.powi(3) / (units.g * mass)).sqrt())?;
        let radius = power_of_two(virial_radius)?;
        let eps = match eps {
            Some(eps) => eps,
            None => radius * power_of_two(0.4 / (n as f64).cbrt())?,
        };
        // without softening no fixed step is small enough for every encounter: a floor, as good as any
        let crossing = power_of_two((eps / radius / 2.0).max(1.0 / 4096.0))?;
        Some(Suggestion { dt: duration * crossing.min(1.0 / 128.0), eps, duration, virial_radius })
    }
}

/// The nearest power of two, in the logarithm; None for what has none.
fn power_of_two(value: f64) -> Option<f64> {
    let power = value.log2().round();
    (power.abs() < 1000.0).then(|| power.exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice in a ball of radius 1 and mass 1: W = -3/5 G M^2 / a, so R = 5/6 a.
    fn ball(scale: f64) -> Bodies {
        let mut bodies = Bodies::default();
        let steps = -8..=8;
        for (x, y, z) in steps.clone().flat_map(|x| steps.clone().flat_map(move |y| (-8..=8).map(move |z| (x, y, z)))) {
            let at = [x, y, z].map(|q| f64::from(q) / 8.0);
            if at.iter().map(|q| q * q).sum::<f64>() <= 1.0 {
                bodies.push(1.0, at.map(|q| q * scale), [0.0; 3]);
            }
        }
        let n = bodies.len() as f64;
        bodies.mass.fill(1.0 / n);
        bodies
    }

    #[test]
    fn scales_are_those_of_the_system() {
        let bodies = ball(1.0);
        assert!((2000..2300).contains(&bodies.len()));
        let found = Suggestion::new(&bodies, &Units::henon(), None).unwrap();
        // the lattice's own graininess and a sample of a quarter: some per cent
        assert!((found.virial_radius - 5.0 / 6.0).abs() < 0.05, "{}", found.virial_radius);
        assert_eq!((found.duration, found.eps, found.dt), (1.0, 1.0 / 32.0, 1.0 / 128.0));
        // 64 times as large: eps as the length, times as length^(3/2)
        let large = Suggestion::new(&ball(64.0), &Units::henon(), None).unwrap();
        assert_eq!((large.duration, large.eps, large.dt), (512.0, 2.0, 4.0));
        // G 16 times as large: four times as fast
        let heavy = Units { g: 16.0, ..Units::henon() };
        assert_eq!(Suggestion::new(&bodies, &heavy, None).unwrap().duration, 0.25);
        // a small softening asks for small steps, none for the floor
        assert_eq!(Suggestion::new(&bodies, &Units::henon(), Some(1.0 / 1024.0)).unwrap().dt, 1.0 / 2048.0);
        assert_eq!(Suggestion::new(&bodies, &Units::henon(), Some(0.0)).unwrap().dt, 1.0 / 4096.0);
    }

    #[test]
    fn where_there_is_no_scale_nothing_is_suggested() {
        let mut few = ball(1.0);
        for column in [&mut few.x, &mut few.y, &mut few.z] {
            column.truncate(FEW - 1);
        }
        assert_eq!(Suggestion::new(&few, &Units::henon(), None), None);
        let massless = Bodies { x: (0..100).map(f64::from).collect(), ..Bodies::zeros(100) };
        assert_eq!(Suggestion::new(&massless, &Units::henon(), None), None);
    }
}
