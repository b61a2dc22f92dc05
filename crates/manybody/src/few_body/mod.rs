//! A few bodies under gravity, close pairs included: algorithmic regularisation.
//!
//! ```text
//! Regularised     the coordinates of a chain of bodies, and steps until a time is met exactly
//!   chain           each close pair is a link: its separation is no difference of large numbers  [Mikkola 1993]
//!   leapfrog        of the logarithmic Hamiltonian                        [Mikkola 1999, Preto 1999]
//!   motion          the same with what pulls from outside
//!   perturber       what pulls at them from outside, on a given path
//!   tide            the tidal field of what is far away
//!   contact         when two of them touch
//!   extrapolation   of leapfrogs with 2, 4, 6, 8, 12, ... steps to the step 0  [Bulirsch 1966]
//!   double          sums that keep what rounding loses
//! Ensemble        many systems that do not depend on each other
//!   side_by_side    those of one number of bodies in the lanes of vectors
//!   on_cuda         or one a thread of a GPU
//! ```
//!
//! This is the method of AR-CHAIN [Mikkola 2008], without terms that depend on velocities. Time is a variable: a step
//! has a given length of the fictitious time s, and the last steps to a time are found by iteration. Energy and the
//! shape of close orbits are as accurate as f64 allows, about 1e-13 of the energy over 10^4 orbits of eccentricity
//! 0.9999. Bodies that meet exactly, without angular momentum, pass each other on the limit of such orbits.
//!
//! All bodies share one step, so the cost is that of n^2 pairs at the shortest time scale: for tens of bodies at most.
//!
//! ```
//! use manybody::few_body::FewBody;
//! use manybody::{ic, solver::Gravity};
//! let mut bodies = ic::by_name("pythagorean", &ic::Request::default())?.bodies;
//! let mut few = FewBody::new(&bodies, &Gravity::new(1.0, 0.0))?;
//! few.advance(80.0)?;
//! few.write(&mut bodies);
//! // the lightest body has left the others; the reference is in tests/few_body.rs
//! assert!((bodies.y[0] - 36.642_309).abs() < 1e-4);
//! # Ok::<(), manybody::Error>(())
//! ```

mod chain;
mod contact;
mod double;
mod ensemble;
mod extrapolation;
mod leapfrog;
mod motion;
#[cfg(feature = "gpu")]
mod on_cuda;
mod perturber;
mod regularised;
mod side_by_side;
mod tide;

use crate::solver::Gravity;
use crate::{Bodies, Error, Result};
pub(crate) use double::DoubleDouble;
pub use ensemble::{Ensemble, Outcome, SYSTEM_TIME};
pub(crate) use perturber::{Deflection, Path, Perturber};
pub(crate) use regularised::{Obstacle, Regularised, center};
pub(crate) use tide::{Field, Tensor, Tide, contracted, product, times};

/// The most bodies of a system: beyond, block time steps are cheaper, and the time of one step grows as the square.
pub const MAX_BODIES: usize = 32;

/// The most bodies of a system of an [`Ensemble`] on CUDA, where a thread has a system in its registers.
pub const MAX_BODIES_ON_CUDA: usize = 8;

/// A few bodies, at a time of their own.
#[derive(Debug, Default)]
pub struct FewBody {
    system: Regularised,
    id: Vec<u64>,
    time: f64,
}

/// What a system carries from one advance to the next, beside positions and velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Carried {
    /// B = U - T, in the frame of the centre of mass.
    pub(crate) binding: f64,
    /// The next step of the fictitious time.
    pub(crate) step: f64,
}

impl FewBody {
    /// A system of these bodies at time 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than [`MAX_BODIES`] bodies, for one without mass, and for two at one place
    /// without softening.
    pub fn new(bodies: &Bodies, gravity: &Gravity) -> Result<Self> {
        let mut few = FewBody::default();
        few.load(bodies, gravity)?;
        Ok(few)
    }

    /// The same system with other bodies.
    pub(crate) fn load(&mut self, bodies: &Bodies, gravity: &Gravity) -> Result<()> {
        check(bodies)?;
        gravity.check_apart(bodies)?;
        put(&mut self.system, bodies, &(0..bodies.len()).collect::<Vec<_>>(), gravity)?;
        self.id.clone_from(&bodies.id);
        self.time = 0.0;
        Ok(())
    }

    /// The time that it has advanced by.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// How often all forces were evaluated.
    pub fn evaluations(&self) -> u64 {
        self.system.evaluations
    }

    /// Advances the system by a duration, which is met exactly.
    ///
    /// # Errors
    /// [`Error::Collision`] for two bodies so close that f64 has no step for them; the system is then somewhere inside
    /// the duration.
    pub fn advance(&mut self, duration: f64) -> Result<()> {
        self.advance_watched(duration, &mut |_| false)
    }

    /// The same; `is_stopped` is asked before each step whether to give up, and gets the share that is done.
    ///
    /// # Errors
    /// As [`advance`](Self::advance), and [`Error::Interrupted`].
    pub fn advance_watched(&mut self, duration: f64, is_stopped: &mut dyn FnMut(f64) -> bool) -> Result<()> {
        self.advance_to_contact(duration, is_stopped).map(drop)
    }

    /// Advances the system by a duration, or until two bodies touch: which two, and after which time.
    pub(crate) fn advance_to_contact(
        &mut self,
        duration: f64,
        is_stopped: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<([usize; 2], f64)>> {
        match self.system.advance(duration, is_stopped) {
            Ok(()) => {
                self.time += duration;
                Ok(None)
            }
            Err(Obstacle::Contact { pair, after }) => {
                self.time += after;
                Ok(Some((pair, after)))
            }
            Err(Obstacle::Stopped) => Err(Error::Interrupted),
            Err(Obstacle::Collision { pair, distance, after } | Obstacle::Long { pair, distance, after }) => {
                Err(Error::Collision { time: self.time + after, pair: pair.map(|k| (k, self.id[k])), distance })
            }
        }
    }

    /// Writes positions and velocities to the bodies.
    ///
    /// # Panics
    /// Where there are fewer bodies than in the system.
    pub fn write(&self, bodies: &mut Bodies) {
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for (k, (place, velocity)) in self.system.place.iter().zip(&self.system.velocity).enumerate() {
            [x[k], y[k], z[k]] = place.map(|q| q.hi);
            [vx[k], vy[k], vz[k]] = velocity.map(|q| q.hi);
        }
    }

    /// Lets the next advance end where two bodies touch that have these radii.
    pub(crate) fn set_radii(&mut self, radius: &[f64]) {
        self.system.touching = sums(radius);
    }

    /// What is carried, once it has advanced.
    pub(crate) fn carried(&self) -> Option<Carried> {
        Some(Carried { binding: self.system.binding?, step: self.system.step? })
    }

    /// Sets what is carried.
    pub(crate) fn carry(&mut self, carried: Carried) {
        (self.system.binding, self.system.step) = (Some(carried.binding), Some(carried.step));
    }

    /// What the positions and velocities of a body are above those of [`write`](Self::write): x, y, z, vx, vy, vz.
    pub(crate) fn remainder(&self, k: usize) -> [f64; 6] {
        let (place, velocity) = (self.system.place[k], self.system.velocity[k]);
        std::array::from_fn(|q| if q < 3 { place[q].lo } else { velocity[q - 3].lo })
    }

    /// Adds such remainders to a body.
    pub(crate) fn add_remainder(&mut self, k: usize, remainder: [f64; 6]) {
        for (q, lo) in remainder.into_iter().enumerate() {
            let number = match q {
                0..3 => &mut self.system.place[k][q],
                _ => &mut self.system.velocity[k][q - 3],
            };
            *number = DoubleDouble::new(number.hi, lo);
        }
    }
}

/// Puts some bodies into a system, in this order.
///
/// # Errors
/// [`Error::Unsupported`] for softenings other than Plummer's.
fn put(system: &mut Regularised, bodies: &Bodies, of: &[usize], gravity: &Gravity) -> Result<()> {
    let half_eps2: Vec<f64> = of.iter().map(|k| gravity.half_eps2(bodies, *k, 0.0)).collect();
    if half_eps2.iter().any(|half| *half > 0.0) {
        gravity.plummer_only("systems of a few bodies")?;
    }
    system.load(gravity.g, of.iter().map(|k| bodies.mass[*k]).collect(), half_eps2);
    for (at, k) in of.iter().enumerate() {
        system.place[at] = bodies.position(*k).map(DoubleDouble::from);
        system.velocity[at] = bodies.velocity(*k).map(DoubleDouble::from);
    }
    Ok(())
}

/// R1 + R2 of each pair: \[n, n\].
pub(crate) fn sums(radius: &[f64]) -> Vec<f64> {
    radius.iter().flat_map(|one| radius.iter().map(move |other| one + other)).collect()
}

/// Refuses bodies that the method does not suit.
pub(crate) fn check(bodies: &Bodies) -> Result<()> {
    let n = bodies.len();
    if n > MAX_BODIES {
        return Err(Error::Parameter {
            name: "n",
            value: n.to_string(),
            expected: format!(
                "ar-chain advances all bodies by the shortest time scale of any: must be at most {MAX_BODIES}; \
                 hermite4 gives each body a step of its own"
            ),
        });
    }
    check_mass(bodies, &(0..n).collect::<Vec<_>>())
}

/// Refuses bodies without mass.
fn check_mass(bodies: &Bodies, of: &[usize]) -> Result<()> {
    let light = of.iter().find(|k| !(bodies.mass[**k] > 0.0 && bodies.mass[**k].is_finite()));
    match light.copied() {
        Some(k) => Err(Error::Parameter {
            name: "mass",
            value: bodies.mass[k].to_string(),
            expected: format!(
                "ar-chain takes its steps from the potential energy, to which body {k} (id {}) contributes nothing: \
                 must be above 0",
                bodies.id[k]
            ),
        }),
        None => Ok(()),
    }
}
