//! Solvers: which pairs, in what order, in which precision.
//!
//! [`Gravity`] is the physical problem (G and a softening); a solver computes its [`Forces`] on a set of bodies.

mod chosen;
mod compiled;
pub mod device;
pub(crate) mod evaluator;
mod fast;
mod few;
mod frame;
pub(crate) mod lanes;
mod massless;
mod mirrored;
mod one_sided;
mod packed;
mod reference;
mod summation;
mod summed;
mod triangular;

use chosen::Chosen;
pub use chosen::fixed_ranges;
pub use compiled::{compiled, compiled_triangular};
pub use evaluator::Evaluator;
pub use fast::{between, direct, symmetric};
pub use few::Steps;
pub use frame::Frame;
pub use mirrored::mirrored;
pub use one_sided::one_sided;
pub use packed::Packed;
pub use reference::{AtBody, Reference, reference_at};
pub use summation::Summation;
pub use triangular::triangular;

use crate::simd::Level;
use crate::simulation::Resident;
use crate::watch::Watch;
use crate::{Bodies, Error, Result};

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
                 bound: a length above 0 is wanted, or one body in place of the two",
                bodies.id[i], bodies.id[j]
            ),
        })
    }

    /// Two bodies whose force has no bound, as [`check_apart`](Self::check_apart) has them.
    pub(crate) fn coincident(&self, bodies: &Bodies) -> Option<(usize, usize)> {
        let hard = |i: usize| bodies.eps.as_ref().map_or(self.eps, |eps| eps[i]) == 0.0;
        if !(0..bodies.len()).any(hard) {
            return None;
        }
        bodies.coincident(|i, j| hard(i) && hard(j) && bodies.mass[i] + bodies.mass[j] > 0.0)
    }
}

/// What is to be computed besides the acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// The potential.
    pub potential: bool,
    /// The time derivative of the acceleration (brings the potential along).
    pub jerk: bool,
}

/// What a solver computes, one array a component. Arrays not asked for are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Acceleration along x: \[n\], length / time^2.
    pub ax: Vec<f64>,
    /// Acceleration along y: \[n\], length / time^2.
    pub ay: Vec<f64>,
    /// Acceleration along z: \[n\], length / time^2.
    pub az: Vec<f64>,
    /// Potential: \[n\], length^2 / time^2, negative, of all other bodies at the place of this one.
    pub pot: Vec<f64>,
    /// Jerk along x: \[n\], length / time^3.
    pub jx: Vec<f64>,
    /// Jerk along y: \[n\], length / time^3.
    pub jy: Vec<f64>,
    /// Jerk along z: \[n\], length / time^3.
    pub jz: Vec<f64>,
}

impl Forces {
    /// Room for n bodies, all zero.
    pub fn zeros(n: usize, want: Want) -> Self {
        let column = |wanted: bool| if wanted { vec![0.0; n] } else { Vec::new() };
        Forces {
            ax: column(true),
            ay: column(true),
            az: column(true),
            pot: column(want.potential || want.jerk),
            jx: column(want.jerk),
            jy: column(want.jerk),
            jz: column(want.jerk),
        }
    }
}

/// Computes forces. Holds whatever buffers it needs from call to call; the result depends on the bodies alone, not on
/// earlier calls or on the number of threads.
pub trait Solver: Send {
    /// The name by which the command line knows it.
    fn name(&self) -> &'static str;

    /// Fills `out` with the forces that all bodies exert on each.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a problem the solver cannot compute.
    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, want: Want, out: &mut Forces) -> Result<()>;

    /// Has this solver tell of long evaluations, and end them with [`Error::Interrupted`] where that is asked for. Solvers
    /// of other devices need not.
    fn watch(&mut self, _watch: &Watch) {}

    /// Makes whole steps, where that is cheaper than evaluation by evaluation: the same bits in less time. Returns how many
    /// were made, which may be fewer than asked for; 0 leaves all as it was.
    ///
    /// # Errors
    /// As [`forces`](Self::forces).
    fn steps(&mut self, _steps: Steps<'_>) -> Result<u64> {
        Ok(0)
    }

    /// The bodies, brought to where this solver computes, to be moved there; None for a solver that computes where the
    /// bodies are. `frame` is that of a run taken up again.
    ///
    /// # Errors
    /// As [`forces`](Self::forces), and those of the device.
    fn resident(
        &mut self,
        _bodies: &Bodies,
        _gravity: &Gravity,
        _frame: Option<Frame>,
    ) -> Result<Option<Box<dyn Resident>>> {
        Ok(None)
    }
}

/// The type in which forces are computed. State is f64 always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 24 bits; positions relative to the centre of mass.
    F32,
    /// Terms of 24 bits from positions of 48, sums of 53: f32 for close pairs, large sums and far from the origin. Gravity on
    /// the CPU, by the solver `direct`; any law on GPUs.
    Mixed,
    /// 53 bits.
    F64,
}

impl Precision {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Mixed => "mixed",
            Precision::F64 => "f64",
        }
    }
}

impl std::fmt::Display for Precision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Precision {
    type Err = Error;

    /// The precision called `name`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "f32" => Ok(Precision::F32),
            "mixed" => Ok(Precision::Mixed),
            "f64" => Ok(Precision::F64),
            _ => Err(Error::Unknown { what: "precision", name: name.into(), known: "f32, mixed, f64".into() }),
        }
    }
}

/// The solvers by name, with a line of help each.
pub const SOLVERS: [(&str, &str); 3] = [
    ("symmetric", "each pair once, by Newton's third law, on vectors and threads"),
    ("direct", "every body sums over all others, on vectors and threads"),
    ("reference", "plain f64 loops on one thread, for checking"),
];

/// The solver called `name`, with the sums that it finds best.
///
/// # Errors
/// As [`with_sums`].
pub fn by_name(name: &str, precision: Precision) -> Result<Box<dyn Solver>> {
    with_sums(name, precision, Summation::default())
}

/// The solver called `name`, with a [`Summation`].
///
/// # Errors
/// As [`with_sums_at`], and [`Error::Parameter`] for an unusable MANYBODY_SIMD.
pub fn with_sums(name: &str, precision: Precision, summation: Summation) -> Result<Box<dyn Solver>> {
    with_sums_at(Level::from_env()?, name, precision, summation)
}

/// The solver called `name` on a set of vector instructions.
///
/// # Errors
/// [`Error::Unknown`] for a name that is none; [`Error::Parameter`] for a precision or a summation that this solver does
/// not have.
pub fn with_sums_at(level: Level, name: &str, precision: Precision, summation: Summation) -> Result<Box<dyn Solver>> {
    let wrong = |name, value: String, expected: &str| Err(Error::Parameter { name, value, expected: expected.into() });
    let own = summation == Summation::default();
    Ok(match (name, precision) {
        ("symmetric", Precision::F32 | Precision::F64) if own => symmetric(level, precision),
        ("direct", Precision::F32 | Precision::F64) if own => direct(level, precision),
        ("direct", Precision::F32) => Box::new(Chosen::single(level, summation)),
        ("direct", Precision::Mixed) if own || summation == Summation::F64 => Box::new(Chosen::mixed(level)),
        ("reference", Precision::F64) if own => Box::new(Reference),
        ("symmetric" | "reference", Precision::Mixed) => {
            return wrong("precision", precision.to_string(), "mixed precision needs the solver direct");
        }
        ("reference", Precision::F32) => {
            return wrong("precision", precision.to_string(), "the reference solver computes in f64 only");
        }
        ("symmetric" | "direct" | "reference", _) => {
            let expected =
                "other sums than a solver's own need the solver direct in f32 (on GPUs also in mixed precision)";
            return wrong("sum", summation.to_string(), expected);
        }
        _ => {
            let known = SOLVERS.map(|(name, _)| name).join(", ");
            return Err(Error::Unknown { what: "solver", name: name.into(), known });
        }
    })
}
