//! Solvers: which pairs, in what order, in which precision; those of the CPU by name.

use crate::law::Targets;
use crate::summed_gravity::SummedGravity;
use crate::watch::Watch;
use crate::{
    BlockState, BlockStep, BlockWork, Bodies, Capability, Derivatives, Error, ForceTerms, Forces, Frame, Gravity,
    Method, Precision, Reference, Resident, Result, SolverName, Steps, Summation, direct, symmetric,
};
use manybody_ranks::Team;

/// Computes forces. Holds whatever buffers it needs from call to call; the result depends on the bodies alone, not on
/// earlier calls or on the number of threads.
pub trait Solver: Send {
    /// The name by which the command line knows it.
    fn name(&self) -> &'static str;

    /// Fills `out` with the forces that all bodies exert on each.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a problem the solver cannot compute.
    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()>;

    /// Fills `out` with the forces that all bodies exert on some of them, in the order of the targets. The cost is that of
    /// the pairs of targets and bodies with mass; sums may be rounded differently than among all.
    ///
    /// # Errors
    /// As [`forces`](Self::forces), and [`Error::Parameter`] for a target that is not there, or is named twice.
    fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        targets.check(bodies.len())?;
        self.forces(bodies, gravity, terms, out)?;
        out.keep(targets);
        Ok(())
    }

    /// Fills `out` with the accelerations and jerks of the `active` bodies, given by their indices, and with their snaps where
    /// the `accelerations` of all bodies are given.
    ///
    /// # Errors
    /// As [`forces_on`](Self::forces_on), and [`Error::Unsupported`] for snaps of a solver that has no snaps.
    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        jerks_on(self, bodies, accelerations, active, gravity, out)
    }

    /// Whether the terms of forces are rounded to f32.
    fn has_rounded_terms(&self) -> bool {
        false
    }

    /// Makes a step of a run with block time steps, all its blocks, where this solver computes; `None`, with nothing changed,
    /// for one that does not.
    ///
    /// # Errors
    /// Those of the device.
    fn block_step(
        &mut self,
        _bodies: &Bodies,
        _gravity: &Gravity,
        _step: &BlockStep,
        _state: &mut BlockState,
    ) -> Result<Option<BlockWork>> {
        Ok(None)
    }

    /// Gives this solver a watch, on which it reports the progress of long evaluations, and by which it ends them with
    /// [`Error::Interrupted`] where that is requested.
    fn watch(&mut self, _watch: &Watch) {}

    /// Whether this solver can share an evaluation with other ranks.
    fn can_share(&self) -> bool {
        false
    }

    /// From now on, evaluations are shared with these ranks, each of which makes the same calls; `None` ends that. Rank 0 gets the
    /// results, those of one process bit for bit; what the other ranks get is of no use.
    fn share(&mut self, _team: Option<&Team>) {}

    /// Makes whole steps, where that is cheaper than evaluation by evaluation: the same bits in less time. Returns how many
    /// were made, which may be fewer than asked for; 0 leaves all as it was.
    ///
    /// # Errors
    /// As [`forces`](Self::forces).
    fn steps(&mut self, _steps: Steps<'_>) -> Result<u64> {
        Ok(0)
    }

    /// The bodies, brought to where this solver computes, to be moved there; `None` for a solver that computes where the
    /// bodies are. `frame` is that of a resumed run.
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

/// Accelerations and jerks by [`Solver::forces_on`].
///
/// # Errors
/// As [`Solver::derivatives_on`].
pub fn jerks_on(
    solver: &mut (impl Solver + ?Sized),
    bodies: &Bodies,
    accelerations: Option<[&[f64]; 3]>,
    active: &[usize],
    gravity: &Gravity,
    out: &mut Derivatives,
) -> Result<()> {
    if accelerations.is_some() {
        let expected = "computes no snaps: must be symmetric or direct in f64, or direct in mixed precision".into();
        return Err(Error::Unsupported { capability: Capability::Solver, value: solver.name().into(), expected });
    }
    let (mut forces, terms) = (Forces::default(), ForceTerms { potential: false, jerk: true });
    solver.forces_on(bodies, &Targets::List(active), gravity, terms, &mut forces)?;
    let Forces { ax, ay, az, jx, jy, jz, .. } = forces;
    *out = Derivatives { a: [ax, ay, az], j: [jx, jy, jz], s: Default::default() };
    Ok(())
}

/// The solver of gravity on the CPU for a method.
///
/// # Errors
/// [`Error::Unsupported`] for a device, a solver, a precision or a summation that are not available together, naming what is;
/// [`Error::Parameter`] for an unusable MANYBODY_SIMD.
pub fn cpu_solver(method: &Method) -> Result<Box<dyn Solver>> {
    let Method { device, solver, precision, sum, .. } = method;
    let wrong = |capability, value: &dyn std::fmt::Display, expected: &str| {
        Err(Error::Unsupported { capability, value: value.to_string(), expected: expected.into() })
    };
    if device.is_gpu() {
        return wrong(Capability::Device, device, "only the CPU is asked here");
    }
    let level = method.level()?;
    let own = *sum == Summation::default();
    Ok(match (solver, precision) {
        (SolverName::Symmetric, Precision::F32 | Precision::F64) if own => symmetric(level, *precision)?,
        (SolverName::Direct, Precision::F32 | Precision::F64) if own => direct(level, *precision),
        (SolverName::Direct, Precision::F32) => Box::new(SummedGravity::single(level, *sum)),
        (SolverName::Direct, Precision::Mixed) if own || *sum == Summation::F64 => {
            Box::new(SummedGravity::mixed(level))
        }
        (SolverName::Reference, Precision::F64) if own => Box::new(Reference::default()),
        (SolverName::Symmetric | SolverName::Reference, Precision::Mixed) => {
            return wrong(Capability::Precision, precision, "mixed precision needs the solver direct");
        }
        (SolverName::Reference, Precision::F32) => {
            return wrong(Capability::Precision, precision, "the reference solver computes in f64 only");
        }
        (SolverName::Symmetric | SolverName::Direct | SolverName::Reference, _) => {
            let expected =
                "other sums than a solver's own need the solver direct in f32 (on GPUs also in mixed precision)";
            return wrong(Capability::Sum, sum, expected);
        }
        (SolverName::Tree | SolverName::Fmm, _) => {
            return wrong(Capability::Solver, solver, "evaluates not all pairs; the crate manybody-tree has it");
        }
        (SolverName::Auto | SolverName::Tuned(_), _) => {
            return wrong(
                Capability::Solver,
                solver,
                "is for GPUs; the CPU has symmetric, direct, reference, tree and fmm",
            );
        }
    })
}
