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
//! each rounded to a power of two, so that a Plummer sphere of 16,384 bodies drawn in Henon units gets 1/64, 1/128 and
//! 1 whatever its seed. A system of few bodies has no such scales: its steps must be chosen by the user.

use crate::diagnostics::lagrangian_radii;
use crate::law::Targets;
use crate::simd::Level;
use crate::solver::{ForceTerms, Forces, Gravity, Precision, direct, reference_at};
use crate::{Bodies, Units};

/// Systems of fewer bodies are orbits, not distributions.
pub const MIN_BODIES_FOR_SUGGESTION: usize = 64;

/// How many bodies the potential is sampled at: W to a few per cent, which rounding to a power of two swallows.
const SAMPLE: usize = 512;

/// Pairs that the sample takes at most, a fraction of a second.
const SAMPLE_PAIRS: usize = 1 << 29;

/// A body with more than this share of the mass rules the orbits about it.
const DOMINANT: f64 = 0.05;

/// Virial radius over half-mass radius of what is one system: 1.33 of a Plummer sphere, 1.26 of a Hernquist sphere, 1.05 of a
/// uniform one, 0.99 to 1.24 of King models with w0 from 3 to 12, 1.25 of the disc in its halo, 0.66 of two of these about to
/// collide. Beyond this range two lengths are in play.
const ONE_SYSTEM: std::ops::Range<f64> = 0.2..5.0;

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

/// Why nothing is suggested: a system that is no distribution of bodies with one size.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoSuggestion {
    /// Fewer than [`MIN_BODIES_FOR_SUGGESTION`] bodies with a mass.
    #[error(
        "for fewer than {MIN_BODIES_FOR_SUGGESTION} bodies with a mass it depends on their orbits; here there {}",
        count_of(*.0)
    )]
    Few(usize),
    /// No mass, or no mass at a distance within the range of f64.
    #[error("a system without mass has no length and time of its own")]
    Massless,
    /// A few bodies have most of the mass: (sum m)^2 / sum m^2 is small, or one has more than a twentieth.
    #[error(
        "{:.3} % of the mass is that of body {index} (id {id}): it rules the orbits about it, and a twentieth of the shortest \
         period, divided by 2 pi, suits them",
        100.0 * share
    )]
    Dominated {
        /// The heaviest body, by its place.
        index: usize,
        /// Its id.
        id: u64,
        /// Its share of the mass.
        share: f64,
    },
    /// Virial and half-mass radius disagree: clusters far apart, a core in a wide halo.
    #[error(
        "its virial radius is {virial:.4} and its half-mass radius {half_mass:.4}: it has parts of unlike sizes (clusters far \
         apart, or a core in a wide halo), and what suits one does not suit the other"
    )]
    Unlike {
        /// The virial radius.
        virial: f64,
        /// The half-mass radius.
        half_mass: f64,
    },
}

fn count_of(n: usize) -> String {
    if n == 1 { "is 1".into() } else { format!("are {n}") }
}

impl Suggestion {
    /// For bodies in `units`; `eps` is the softening where that has been chosen. Bodies without mass do not count. Cost:
    /// 512 n pairs, twice that where bodies have no softening of their own.
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
        let radius_of = |eps: f64| {
            let gravity = Gravity { g: units.g, eps };
            let sample: Vec<usize> = (0..count).map(|k| massive[k * n / count]).collect();
            let potentials = potentials(bodies, &gravity, &sample);
            let at_sample: f64 = sample.iter().zip(potentials).map(|(i, pot)| bodies.mass[*i] * pot).sum();
            let potential = 0.5 * at_sample * n as f64 / count as f64;
            units.g * mass * mass / (2.0 * potential.abs())
        };
        let half_mass = lagrangian_radii(bodies, bodies.center_of_mass().0, &[0.5])[0];
        let plain = radius_of(0.0);
        // a binary that is closer than neighbours are by far counts as one body: it may have most of W, and no say here
        let blurred = match bodies.eps {
            Some(_) => plain,
            None => radius_of(0.4 * half_mass / effective.cbrt()),
        };
        let virial_radius = if plain > 0.7 * blurred { plain } else { blurred };
        if !(virial_radius > 0.0 && virial_radius.is_finite()) {
            return Err(NoSuggestion::Massless);
        }
        if !ONE_SYSTEM.contains(&(virial_radius / half_mass)) {
            return Err(NoSuggestion::Unlike { virial: virial_radius, half_mass });
        }
        let power_of_two = |value: f64| power_of_two(value).ok_or(NoSuggestion::Massless);
        let duration = power_of_two((virial_radius.powi(3) / (units.g * mass)).sqrt())?;
        let radius = power_of_two(virial_radius)?;
        let eps = match eps {
            Some(eps) => eps,
            None => radius * power_of_two(0.4 / effective.cbrt())?,
        };
        // without softening no fixed step is small enough for every encounter: a floor, as good as any
        let crossing = power_of_two((eps / radius / 2.0).max(1.0 / 4096.0))?;
        Ok(Suggestion { dt: duration * crossing.min(1.0 / 128.0), eps, duration, virial_radius, massive: n })
    }
}

/// The potentials of some bodies: by a solver, or by plain loops where bodies are at one place, which these leave out.
fn potentials(bodies: &Bodies, gravity: &Gravity, sample: &[usize]) -> Vec<f64> {
    let (terms, mut out) = (ForceTerms { potential: true, jerk: false }, Forces::default());
    if gravity.coincident(bodies).is_none()
        && let Ok(level) = Level::from_env()
        && direct(level, Precision::F64).forces_on(bodies, &Targets::List(sample), gravity, terms, &mut out).is_ok()
    {
        return out.pot;
    }
    sample.iter().map(|i| reference_at(bodies, gravity, *i).pot).collect()
}

/// The nearest power of two, in the logarithm; `None` for what has no logarithm.
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

    fn of(name: &str, n: usize) -> Bodies {
        crate::ic::by_name(name, &crate::ic::Request::new(n, 1)).unwrap().bodies
    }

    fn suggest(bodies: &Bodies) -> Result<Suggestion, NoSuggestion> {
        Suggestion::new(bodies, &Units::henon(), None)
    }

    /// Every model of many bodies gets values, the default run those of all its seeds.
    #[test]
    fn models_get_values() {
        for name in ["plummer", "king", "hernquist", "uniform-sphere", "disc", "collision"] {
            for n in [256, 2000, 16384] {
                let found = suggest(&of(name, n));
                assert!(found.is_ok(), "{name} {n}: {found:?}");
            }
        }
        let default = suggest(&of("plummer", 16384)).unwrap();
        assert_eq!((default.eps, default.dt, default.duration), (1.0 / 64.0, 1.0 / 128.0, 1.0));
    }

    fn add(bodies: &mut Bodies, other: &Bodies, mass: f64, at: [f64; 3], size: f64) {
        for i in 0..other.len() {
            let place = other.position(i);
            bodies.push(mass * other.mass[i], [0, 1, 2].map(|k| at[k] + size * place[k]), other.velocity(i));
        }
    }

    /// Bodies without mass do not count.
    #[test]
    fn tracers_change_nothing() {
        let plain = of("plummer", 2000);
        let mut traced = plain.clone();
        add(&mut traced, &of("plummer", 10_000), 0.0, [0.0; 3], 3.0);
        let mut found = suggest(&traced).unwrap();
        assert_eq!(found.massive, 2000);
        let terms = suggest(&plain).unwrap();
        // sums with zeros between may round otherwise
        assert!((found.virial_radius / terms.virial_radius - 1.0).abs() < 1e-12);
        found.virial_radius = terms.virial_radius;
        assert_eq!(found, terms);
        // tracers only, about a handful of bodies
        let sun = crate::ic::by_name("solar-system", &crate::ic::Request::default()).unwrap();
        for asteroids in [60, 1000] {
            let mut bodies = sun.bodies.clone();
            add(&mut bodies, &of("plummer", asteroids), 0.0, [0.0; 3], 2.5);
            let why = Suggestion::new(&bodies, &sun.units, None).unwrap_err();
            assert_eq!(why, NoSuggestion::Few(sun.bodies.len()), "{why}");
        }
    }

    /// One body with most of the mass: orbits, not a distribution.
    #[test]
    fn a_dominant_body_is_named() {
        for (share, refused) in [(0.9, true), (0.1, true), (0.01, false)] {
            let mut bodies = Bodies::default();
            let disc = of("disc", 4000);
            add(&mut bodies, &disc, (1.0 - share) / disc.total_mass(), [0.0; 3], 1.0);
            bodies.push(share, [0.0; 3], [0.0; 3]);
            let found = suggest(&bodies);
            assert_eq!(
                matches!(found, Err(NoSuggestion::Dominated { index: 4000, .. })),
                refused,
                "{share}: {found:?}"
            );
        }
    }

    /// Parts that are far apart are named, a hard binary is no part.
    #[test]
    fn one_size_is_needed() {
        let cluster = of("plummer", 1000);
        let mut apart = Bodies::default();
        add(&mut apart, &cluster, 0.5, [-100.0, 0.0, 0.0], 1.0);
        add(&mut apart, &cluster, 0.5, [100.0, 0.0, 0.0], 1.0);
        assert!(matches!(suggest(&apart), Err(NoSuggestion::Unlike { .. })), "{:?}", suggest(&apart));
        let alone = suggest(&cluster).unwrap();
        for close in [1e-4, 1e-7, 1e-12] {
            let mut bodies = cluster.clone();
            (bodies.x[0], bodies.y[0], bodies.z[0]) = (bodies.x[501] + close, bodies.y[501], bodies.z[501]);
            let found = suggest(&bodies).unwrap();
            let values = |s: &Suggestion| (s.eps, s.dt, s.duration);
            assert_eq!(values(&found), values(&alone), "{close}: {found:?}");
        }
    }

    #[test]
    fn where_there_is_no_scale_nothing_is_suggested() {
        let mut few = ball(1.0);
        for column in [&mut few.x, &mut few.y, &mut few.z, &mut few.mass] {
            column.truncate(MIN_BODIES_FOR_SUGGESTION - 1);
        }
        assert_eq!(suggest(&few), Err(NoSuggestion::Few(MIN_BODIES_FOR_SUGGESTION - 1)));
        let massless = Bodies { x: (0..100).map(f64::from).collect(), ..Bodies::zeros(100) };
        assert_eq!(suggest(&massless), Err(NoSuggestion::Massless));
    }
}
