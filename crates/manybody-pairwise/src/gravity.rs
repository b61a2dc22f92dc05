//! The physical problem: G and a softening.

use crate::law::{self, Law, smallest_eps2};
use crate::{Bodies, Coordinates, Error, ForceTerms, Result};

/// How gravity is softened at small distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Softening {
    /// As of Plummer spheres: r^2 + eps^2 in place of r^2, at every distance [Nyland 2007, eq. 31-3].
    #[default]
    Plummer,
    /// As of balls with the density of the cubic spline, of radius 2.8 eps: Newton's force beyond that
    /// [Hernquist 1989, app. A; Springel 2001, app. A].
    Spline,
}

impl Softening {
    /// All of them.
    pub const ALL: [Softening; 2] = [Softening::Plummer, Softening::Spline];

    /// Its name in settings and files.
    pub const fn name(self) -> &'static str {
        match self {
            Softening::Plummer => "plummer",
            Softening::Spline => "spline",
        }
    }

    /// `of` over the distance, softened: with G m, -phi there.
    #[inline]
    pub fn potential(self, of: f64, r2: f64, eps2: f64) -> f64 {
        match self {
            Softening::Plummer => of / (r2 + eps2).sqrt(),
            Softening::Spline if is_outside(r2, eps2) => of / r2.sqrt(),
            Softening::Spline => of * law::spline_pair(r2, eps2)[0],
        }
    }

    /// `of` over the cube of the distance, softened: with G m d, the acceleration towards a body with the separation d.
    #[inline]
    pub fn force(self, of: f64, r2: f64, eps2: f64) -> f64 {
        let newton = |s2: f64| of / (s2 * s2.sqrt());
        match self {
            Softening::Plummer => newton(r2 + eps2),
            Softening::Spline if is_outside(r2, eps2) => newton(r2),
            Softening::Spline => of * law::spline_pair(r2, eps2)[1],
        }
    }

    /// `of` over the fifth power of the distance, softened: a third of what [`force`](Self::force) falls by with the distance,
    /// over the distance.
    #[inline]
    pub fn fall(self, of: f64, r2: f64, eps2: f64) -> f64 {
        let newton = |s2: f64| of / (s2 * s2 * s2.sqrt());
        match self {
            Softening::Plummer => newton(r2 + eps2),
            Softening::Spline if is_outside(r2, eps2) => newton(r2),
            Softening::Spline => of * (law::spline_pair(r2, eps2)[2] / -3.0),
        }
    }

    /// Whether two bodies with this distance are softened at all.
    pub fn matters(self, r2: f64, eps2: f64) -> bool {
        self == Softening::Plummer || !is_outside(r2, eps2)
    }
}

impl std::fmt::Display for Softening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Softening {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Softening::ALL.into_iter().find(|softening| softening.name() == text).ok_or_else(|| Error::Parameter {
            name: "softening",
            value: text.into(),
            expected: "must be plummer or spline; the length is --eps".into(),
        })
    }
}

/// Whether two bodies at this distance do not overlap.
fn is_outside(r2: f64, eps2: f64) -> bool {
    r2 >= law::SPLINE_RADIUS * law::SPLINE_RADIUS * eps2
}

/// The physical problem: Newtonian gravity, softened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravity {
    /// The gravitational constant in the units of the bodies.
    pub g: f64,
    /// Softening length, one for all; bodies with an `eps` of their own use that instead.
    pub eps: f64,
    /// What the softening length means.
    pub softening: Softening,
}

impl Gravity {
    /// Gravity with Plummer's softening.
    pub const fn new(g: f64, eps: f64) -> Self {
        Gravity { g, eps, softening: Softening::Plummer }
    }

    /// The same with another kind of softening.
    pub const fn softened(self, softening: Softening) -> Self {
        Gravity { softening, ..self }
    }

    /// Refuses what has Plummer's softening only, named as a plural.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another softening.
    pub fn plummer_only(&self, what: &str) -> Result<()> {
        match self.softening {
            Softening::Plummer => Ok(()),
            Softening::Spline => Err(Error::Parameter {
                name: "softening",
                value: self.softening.name().into(),
                expected: format!("{what} have the softening plummer only"),
            }),
        }
    }

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

/// What is computed of gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GravityTerms {
    /// Accelerations.
    Acceleration,
    /// Accelerations and potentials.
    Potential,
    /// Accelerations, their time derivatives, and potentials.
    Jerk,
}

/// The law that computes gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GravityLaw {
    /// What is computed.
    pub terms: GravityTerms,
    /// Whether bodies have softenings of their own.
    pub soft: bool,
    /// What a softening length means.
    pub softening: Softening,
}

impl GravityLaw {
    /// Accelerations alone, with one Plummer softening for all.
    pub const ACCELERATION: GravityLaw =
        GravityLaw { terms: GravityTerms::Acceleration, soft: false, softening: Softening::Plummer };

    /// The law that computes this of bodies with this softening; `soft` where bodies have softenings of their own.
    pub fn of(terms: ForceTerms, soft: bool, softening: Softening) -> Self {
        let terms = match (terms.jerk, terms.potential) {
            (true, _) => GravityTerms::Jerk,
            (false, true) => GravityTerms::Potential,
            (false, false) => GravityTerms::Acceleration,
        };
        GravityLaw { terms, soft, softening }
    }

    /// The law of compiled kernels that serves: all but the plainest let bodies have softenings of their own, for one
    /// operation in twenty, so that few laws are compiled.
    pub(super) fn compiled(self) -> CompiledLaw {
        match (self.softening, self.terms) {
            (Softening::Plummer, GravityTerms::Acceleration) if !self.soft => CompiledLaw::Acceleration,
            (Softening::Plummer, GravityTerms::Acceleration | GravityTerms::Potential) => CompiledLaw::SoftPotential,
            (Softening::Plummer, GravityTerms::Jerk) => CompiledLaw::SoftJerk,
            (Softening::Spline, GravityTerms::Acceleration | GravityTerms::Potential) => CompiledLaw::SplinePotential,
            (Softening::Spline, GravityTerms::Jerk) => CompiledLaw::SplineJerk,
        }
    }

    /// The law, recorded.
    ///
    /// # Errors
    /// No error is known: these laws can be recorded.
    pub fn law(self) -> Result<Law> {
        use GravityTerms::{Acceleration, Jerk, Potential};
        match (self.softening, self.terms, self.soft) {
            (Softening::Plummer, Acceleration, false) => Law::of::<law::Gravity>(),
            (Softening::Plummer, Acceleration, true) => Law::of::<law::SoftGravity>(),
            (Softening::Plummer, Potential, false) => Law::of::<law::GravityPot>(),
            (Softening::Plummer, Potential, true) => Law::of::<law::SoftGravityPot>(),
            (Softening::Plummer, Jerk, false) => Law::of::<law::GravityJerk>(),
            (Softening::Plummer, Jerk, true) => Law::of::<law::SoftGravityJerk>(),
            (Softening::Spline, Acceleration, false) => Law::of::<law::SplineGravity>(),
            (Softening::Spline, Acceleration, true) => Law::of::<law::SoftSplineGravity>(),
            (Softening::Spline, Potential, false) => Law::of::<law::SplineGravityPot>(),
            (Softening::Spline, Potential, true) => Law::of::<law::SoftSplineGravityPot>(),
            (Softening::Spline, Jerk, false) => Law::of::<law::SplineGravityJerk>(),
            (Softening::Spline, Jerk, true) => Law::of::<law::SoftSplineGravityJerk>(),
        }
    }

    /// Which coordinates are among the numbers of a body.
    pub fn coordinates(self) -> Coordinates {
        match self.terms {
            GravityTerms::Jerk => Coordinates::PhaseSpace,
            GravityTerms::Acceleration | GravityTerms::Potential => Coordinates::Positions,
        }
    }

    /// Whether half of its softening squared is among the numbers of a body.
    pub fn is_soft(self) -> bool {
        self.soft
    }

    /// Numbers of a body, as [`Frame::write`](crate::Frame::write) has them.
    pub fn fields(self) -> usize {
        let coordinates = match self.coordinates() {
            Coordinates::Positions => 3,
            Coordinates::PhaseSpace => 6,
        };
        coordinates + 1 + usize::from(self.soft)
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
    /// [`law::SoftSplineGravityPot`].
    SplinePotential,
    /// [`law::SoftSplineGravityJerk`].
    SplineJerk,
}

impl CompiledLaw {
    /// Numbers of a body.
    pub(super) fn fields(self) -> usize {
        match self {
            CompiledLaw::Acceleration => 4,
            CompiledLaw::SoftPotential | CompiledLaw::SplinePotential => 5,
            CompiledLaw::SoftJerk | CompiledLaw::SplineJerk => 8,
        }
    }

    /// Numbers of a result.
    pub(super) fn results(self) -> usize {
        match self {
            CompiledLaw::Acceleration => 3,
            CompiledLaw::SoftPotential | CompiledLaw::SplinePotential => 4,
            CompiledLaw::SoftJerk | CompiledLaw::SplineJerk => 7,
        }
    }
}

/// An expression in which `L` is the type of a [`CompiledLaw`]. With `no jerk`, what stands there is the value for the law with
/// jerks, and no kernel of it is compiled.
macro_rules! with_compiled_law {
    ($law:expr, $L:ident => $of:expr) => {
        match $law {
            $crate::gravity::CompiledLaw::SoftJerk => {
                type $L = $crate::law::SoftGravityJerk;
                $of
            }
            $crate::gravity::CompiledLaw::SplineJerk => {
                type $L = $crate::law::SoftSplineGravityJerk;
                $of
            }
            law => $crate::gravity::with_compiled_law!(law, $L => $of, no jerk => unreachable!("a law without jerks")),
        }
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
            $crate::gravity::CompiledLaw::SplinePotential => {
                type $L = $crate::law::SoftSplineGravityPot;
                $of
            }
            $crate::gravity::CompiledLaw::SoftJerk | $crate::gravity::CompiledLaw::SplineJerk => $jerk,
        }
    };
}
pub(super) use with_compiled_law;
