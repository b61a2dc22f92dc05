//! Solvers: which pairs, in what order, in which precision; those of the CPU by name.

use crate::simd::Level;
use crate::summed_gravity::SummedGravity;
use crate::watch::Watch;
use crate::{
    Bodies, Error, Forces, Frame, Gravity, Precision, Reference, Resident, Result, Steps, Summation, Want, direct,
    symmetric,
};

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

    /// Makes this solver report long evaluations, and end them with [`Error::Interrupted`] on request. Solvers
    /// of other devices need not.
    fn watch(&mut self, _watch: &Watch) {}

    /// Makes whole steps, where that is cheaper than evaluation by evaluation: the same bits in less time. Returns how
    /// many were made, which may be fewer than asked for; 0 leaves all as it was.
    ///
    /// # Errors
    /// As [`forces`](Self::forces).
    fn steps(&mut self, _steps: Steps<'_>) -> Result<u64> {
        Ok(0)
    }

    /// The bodies, brought to where this solver computes, to be moved there; `None` for a solver that computes where
    /// the bodies are. `frame` is that of a resumed run.
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
/// [`Error::Unknown`] for an unknown name; [`Error::Parameter`] for a precision or a summation that this solver does
/// not have.
pub fn with_sums_at(level: Level, name: &str, precision: Precision, summation: Summation) -> Result<Box<dyn Solver>> {
    let wrong = |name, value: String, expected: &str| Err(Error::Parameter { name, value, expected: expected.into() });
    let own = summation == Summation::default();
    Ok(match (name, precision) {
        ("symmetric", Precision::F32 | Precision::F64) if own => symmetric(level, precision)?,
        ("direct", Precision::F32 | Precision::F64) if own => direct(level, precision),
        ("direct", Precision::F32) => Box::new(SummedGravity::single(level, summation)),
        ("direct", Precision::Mixed) if own || summation == Summation::F64 => Box::new(SummedGravity::mixed(level)),
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
