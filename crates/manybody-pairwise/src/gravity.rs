//! The physical problem: G and a softening.

use crate::law::{self, Law, smallest_eps2};
use crate::{Bodies, Coordinates, Error, ForceTerms, Result};

/// The physical problem: Newtonian gravity with Plummer softening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravity {
    /// The gravitational constant in the units of the bodies.
    pub g: f64,
    /// Plummer softening length, one for all; bodies with an `eps` of their own use that instead.
    pub eps: f64,
}

impl Gravity {
    /// Refuses bodies that gravity cannot be computed of: two at exactly the same place, of which one at least has a
    /// mass, without softening. (Their force has no direction and their potential no bound; solvers let them exert
    /// nothing on each other, or something of order 1e100.) O(n log n) where there is no softening, else nothing.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming both bodies.
    pub fn check_apart(&self, bodies: &Bodies) -> Result<()> {
        let Some((i, j)) = self.coincident(bodies) else { return Ok(()) };
        let [x, y, z] = bodies.position(i);
        Err(Error::Parameter {
            name: "eps",
            value: "0".into(),
            expected: format!(
                "bodies {i} (id {}) and {j} (id {}) are both at ({x}, {y}, {z}), where gravity without softening has no \
                 bound: eps must be above 0, or one body must replace the two",
                bodies.id[i], bodies.id[j]
            ),
        })
    }

    /// Refuses a softening length that is no length.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the value.
    pub fn checked_softening(eps: f64) -> Result<f64> {
        match eps >= 0.0 && eps.is_finite() {
            true => Ok(eps),
            false => Err(Error::Parameter {
                name: "eps",
                value: eps.to_string(),
                expected: "must be a finite softening length, 0 or more".into(),
            }),
        }
    }

    /// Refuses what no force can be computed with.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a softening that is negative, infinite or NaN, and a constant that is infinite or NaN.
    pub fn check(&self) -> Result<()> {
        let wrong = |name, value: f64, expected: &str| {
            Err(Error::Parameter { name, value: value.to_string(), expected: expected.into() })
        };
        match self {
            Gravity { eps, .. } if !(eps.is_finite() && *eps >= 0.0) => {
                wrong("eps", *eps, "must be a finite length, 0 or more")
            }
            Gravity { g, .. } if !g.is_finite() => wrong("G", *g, "must be a finite number"),
            _ => Ok(()),
        }
    }

    /// The least eps^2 for kernels in f64 that compute in the units of the bodies: with it a body exerts nothing on itself,
    /// instead of NaN, and it is far below any r^2 that matters. G m / floor^(3/2) is finite, in whatever units.
    pub fn least_eps2(&self, bodies: &Bodies) -> f64 {
        let most = bodies.mass.iter().fold(0.0_f64, |most, mass| most.max(mass.abs()));
        smallest_eps2(true).max((self.g.abs() * most * 1e-300).cbrt().powi(2))
    }

    /// Half the square of the softening of body `k`, where eps^2 is `least` at least.
    pub fn half_eps2(&self, bodies: &Bodies, k: usize, least: f64) -> f64 {
        let eps = bodies.eps.as_ref().map_or(self.eps, |eps| eps[k]);
        0.5 * (eps * eps).max(least)
    }

    /// The square of the softening of two bodies: the mean of the squares of theirs.
    pub fn eps2(&self, bodies: &Bodies, i: usize, j: usize) -> f64 {
        self.half_eps2(bodies, i, 0.0) + self.half_eps2(bodies, j, 0.0)
    }

    /// Two bodies whose force has no bound, as [`check_apart`](Self::check_apart) has them.
    pub fn coincident(&self, bodies: &Bodies) -> Option<(usize, usize)> {
        let hard = |i: usize| bodies.eps.as_ref().map_or(self.eps, |eps| eps[i]) == 0.0;
        if !(0..bodies.len()).any(hard) {
            return None;
        }
        bodies.coincident(hard, |i| bodies.mass[i] > 0.0)
    }
}

/// The law that computes gravity: what of it, and whether bodies have softenings of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GravityLaw {
    /// Accelerations.
    Acceleration,
    /// Accelerations; bodies have softenings of their own.
    SoftAcceleration,
    /// Accelerations and potentials.
    Potential,
    /// Accelerations and potentials; bodies have softenings of their own.
    SoftPotential,
    /// Accelerations, their time derivatives, and potentials.
    Jerk,
    /// Accelerations, their time derivatives, and potentials; bodies have softenings of their own.
    SoftJerk,
}

impl GravityLaw {
    /// The law that computes this; `soft` where bodies have softenings of their own.
    pub fn of(terms: ForceTerms, soft: bool) -> Self {
        match (terms.jerk, terms.potential, soft) {
            (true, _, true) => GravityLaw::SoftJerk,
            (true, _, false) => GravityLaw::Jerk,
            (false, true, true) => GravityLaw::SoftPotential,
            (false, true, false) => GravityLaw::Potential,
            (false, false, true) => GravityLaw::SoftAcceleration,
            (false, false, false) => GravityLaw::Acceleration,
        }
    }

    /// The law of compiled kernels that serves: all but the plainest let bodies have softenings of their own, for one
    /// operation in twenty, so that three laws are compiled.
    pub(super) fn compiled(self) -> CompiledLaw {
        match self {
            GravityLaw::Acceleration => CompiledLaw::Acceleration,
            GravityLaw::SoftAcceleration | GravityLaw::Potential | GravityLaw::SoftPotential => {
                CompiledLaw::SoftPotential
            }
            GravityLaw::Jerk | GravityLaw::SoftJerk => CompiledLaw::SoftJerk,
        }
    }

    /// The law, recorded.
    ///
    /// # Errors
    /// No error is known: these laws can be recorded.
    pub fn law(self) -> Result<Law> {
        match self {
            GravityLaw::Acceleration => Law::of::<law::Gravity>(),
            GravityLaw::SoftAcceleration => Law::of::<law::SoftGravity>(),
            GravityLaw::Potential => Law::of::<law::GravityPot>(),
            GravityLaw::SoftPotential => Law::of::<law::SoftGravityPot>(),
            GravityLaw::Jerk => Law::of::<law::GravityJerk>(),
            GravityLaw::SoftJerk => Law::of::<law::SoftGravityJerk>(),
        }
    }

    /// Which coordinates are among the numbers of a body.
    pub fn coordinates(self) -> Coordinates {
        match self {
            GravityLaw::Jerk | GravityLaw::SoftJerk => Coordinates::PhaseSpace,
            GravityLaw::Acceleration
            | GravityLaw::SoftAcceleration
            | GravityLaw::Potential
            | GravityLaw::SoftPotential => Coordinates::Positions,
        }
    }

    /// Whether half of its softening squared is among the numbers of a body.
    pub fn is_soft(self) -> bool {
        matches!(self, GravityLaw::SoftAcceleration | GravityLaw::SoftPotential | GravityLaw::SoftJerk)
    }

    /// Numbers of a body, as [`Frame::write`](crate::Frame::write) has them.
    pub fn fields(self) -> usize {
        let coordinates = match self.coordinates() {
            Coordinates::Positions => 3,
            Coordinates::PhaseSpace => 6,
        };
        coordinates + 1 + usize::from(self.is_soft())
    }
}

/// A law of gravity that kernels of the CPU are compiled for. [`with_compiled_law!`] has its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompiledLaw {
    /// [`law::Gravity`].
    Acceleration,
    /// [`law::SoftGravityPot`].
    SoftPotential,
    /// [`law::SoftGravityJerk`].
    SoftJerk,
}

impl CompiledLaw {
    /// Numbers of a body.
    pub(super) fn fields(self) -> usize {
        match self {
            CompiledLaw::Acceleration => GravityLaw::Acceleration.fields(),
            CompiledLaw::SoftPotential => GravityLaw::SoftPotential.fields(),
            CompiledLaw::SoftJerk => GravityLaw::SoftJerk.fields(),
        }
    }

    /// Numbers of a result.
    pub(super) fn results(self) -> usize {
        match self {
            CompiledLaw::Acceleration => 3,
            CompiledLaw::SoftPotential => 4,
            CompiledLaw::SoftJerk => 7,
        }
    }
}

/// An expression in which `L` is the type of a [`CompiledLaw`]. With `no jerk`, what stands there is the value for the law with
/// jerks, and no kernel of it is compiled.
macro_rules! with_compiled_law {
    ($law:expr, $L:ident => $of:expr) => {
        $crate::gravity::with_compiled_law!($law, $L => $of, no jerk => {
            type $L = $crate::law::SoftGravityJerk;
            $of
        })
    };
    ($law:expr, $L:ident => $of:expr, no jerk => $jerk:expr) => {
        match $law {
            $crate::gravity::CompiledLaw::Acceleration => {
                type $L = $crate::law::Gravity;
                $of
            }
            $crate::gravity::CompiledLaw::SoftPotential => {
                type $L = $crate::law::SoftGravityPot;
                $of
            }
            $crate::gravity::CompiledLaw::SoftJerk => $jerk,
        }
    };
}
pub(super) use with_compiled_law;
