//! Bodies that live on the GPU of each rank: all make the same moves, and share the rows of each evaluation.

use super::job::{self, Kind};
use super::shared::{Sharing, carry_out, least};
use crate::solver::{Coordinates, Device, Frame, Gpus, Gravity, KernelConfig, Method, Solver, SolverName};
use crate::{Bodies, Error, Result};
use manybody_pairwise::{Integrals, KickDrift, Resident, Substep};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};

/// Up to so many bodies the kernel is one for few bodies, whose evaluation is not shared.
const FEW: usize = 8192;

/// So many ranks share an evaluation that computes each pair once: there are so many lines of partial sums.
pub(super) const MOST: usize = 8;

/// What rank 0 has the others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Begin,
    Apply,
    Sync,
    Checkpoint,
    RollBack,
}

impl Act {
    const ALL: [Act; 5] = [Act::Begin, Act::Apply, Act::Sync, Act::Checkpoint, Act::RollBack];
}

/// Whether so many bodies are shared by a solver of GPUs.
///
/// # Errors
/// As [`least`].
pub(super) fn is_shared(method: &Method, bodies: usize) -> Result<bool> {
    if method.solver.is_by_expansion() {
        return Ok(bodies.saturating_mul(bodies) >= least(method.device)?[0]);
    }
    Ok(bodies > FEW || matches!(method.solver, SolverName::Tuned(_)))
}

/// Refuses what ranks with a GPU each do not share.
///
/// # Errors
/// [`Error::Unsupported`] naming the solver or the GPUs, and what to give instead.
pub(super) fn check(method: &Method, ranks: usize) -> Result<()> {
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    if method.solver.is_by_expansion() {
        // whether the GPUs of all ranks can exchange what they have is seen where they are joined
        return match method.device {
            Device::Cuda => Ok(()),
            _ => wrong(
                crate::error::Capability::Solver,
                method.solver.to_string(),
                "ranks with a GPU each share trees on cuda alone: give --solver direct, or --device cpu",
            ),
        };
    }
    let (all_pairs, one_sided) = match method.solver {
        SolverName::Direct => (true, true),
        // one block of threads has all pairs, and moves the bodies
        SolverName::Tuned(KernelConfig::Small { .. }) => (false, false),
        SolverName::Tuned(config) => (true, !config.is_mirrored()),
        SolverName::Auto | SolverName::Symmetric => (true, false),
        _ => (false, false),
    };
    // whether the GPUs of all ranks can exchange sums is seen where they are joined
    if one_sided || all_pairs && method.device == Device::Cuda && ranks <= MOST {
        return Ok(());
    }
    if all_pairs && ranks > MOST {
        let expected = format!("up to {MOST} ranks share what computes each pair once: give --solver direct");
        return wrong(crate::error::Capability::Solver, method.solver.to_string(), &expected);
    }
    let expected = "ranks with a GPU each share all pairs: give --solver direct (on cuda with NCCL also symmetric), or run \
                    one process with --gpus";
    wrong(crate::error::Capability::Solver, method.solver.to_string(), expected)
}

/// The GPUs of this rank: those of rank 0, which has one or several, shifted by as many for each rank before it on its machine,
/// modulo the number of GPUs there.
pub(super) fn own_gpus(team: &Team, method: Method) -> Result<Method> {
    let host = team.host(team.rank());
    let local = (0..team.rank()).filter(|rank| team.host(*rank) == host).count();
    match method.device {
        Device::Cuda => {
            let named = method.gpus.ordinals();
            let of_root = if named.is_empty() { &[0] } else { named };
            let own = of_root.iter().map(|ordinal| (ordinal + local * of_root.len()) % count().max(1));
            let own = Gpus::of(&own.collect::<Vec<_>>())?;
            Ok(method.gpus(own))
        }
        _ => Ok(method),
    }
}

#[cfg(feature = "gpu")]
fn count() -> usize {
    manybody_gpu::cuda::count()
}

#[cfg(not(feature = "gpu"))]
fn count() -> usize {
    0
}

/// The bodies of rank 0, and what makes the others do the same.
pub(super) struct SharedResident {
    /// Dropped before the bodies: GPUs take leave of each other while all do.
    sharing: Sharing,
    inner: Box<dyn Resident>,
}

impl SharedResident {
    /// Brings the bodies to the GPUs of all ranks.
    pub(super) fn new(
        mut sharing: Sharing,
        solver: &mut dyn Solver,
        bodies: &Bodies,
        gravity: &Gravity,
        frame: Option<Frame>,
    ) -> Result<Option<Self>> {
        let mut words = sharing.begin(Kind::Resident);
        words.number(Act::Begin as u64);
        job::put_gravity(gravity, &mut words).flag(frame.is_some());
        words.reals(&frame.map_or([0.0; 9], |frame| frame.numbers()));
        sharing.columns.put(&job::columns_of(bodies, Coordinates::PhaseSpace), &mut words);
        let team = sharing.team.clone();
        solver.share(Some(&team));
        let inner = carry_out(&team, words, || solver.resident(bodies, gravity, frame));
        solver.share(None);
        Ok(inner?.map(|inner| SharedResident { inner, sharing }))
    }

    fn together<R>(
        &mut self,
        act: Act,
        put: impl FnOnce(&mut Words),
        f: impl FnOnce(&mut dyn Resident) -> Result<R>,
    ) -> Result<R> {
        let team = self.sharing.team.clone();
        team.check()?;
        if team.has_ended() {
            // the rows of the others do not come any more
            return if act == Act::Apply { Err(Error::Interrupted) } else { f(&mut *self.inner) };
        }
        let mut words = self.sharing.begin(Kind::Resident);
        words.number(act as u64);
        put(&mut words);
        carry_out(&team, words, || f(&mut *self.inner))
    }
}

impl Resident for SharedResident {
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()> {
        self.together(Act::Apply, |words| put_moves(moves, words), |resident| resident.apply(moves))
    }

    fn sync(&mut self) -> Result<bool> {
        self.together(Act::Sync, |_| (), |resident| resident.sync())
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.together(Act::Checkpoint, |_| (), |resident| resident.checkpoint())
    }

    fn roll_back(&mut self) -> Result<()> {
        self.together(Act::RollBack, |_| (), |resident| resident.roll_back())
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        self.inner.fetch(bodies)
    }

    fn frame(&mut self) -> Result<Frame> {
        self.inner.frame()
    }

    fn integrals(&mut self) -> Result<Option<Integrals>> {
        self.inner.integrals()
    }

    fn remark(&self) -> Option<String> {
        self.inner.remark()
    }
}

/// What a rank other than 0 keeps.
pub(super) struct Served {
    solver: Box<dyn Solver>,
    resident: Option<Box<dyn Resident>>,
}

impl Served {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Served { solver, resident: None }
    }

    /// Does what rank 0 does.
    pub(super) fn carry_out(
        &mut self,
        reader: &mut Reader<'_>,
        columns: &mut job::Columns,
        bodies: &mut Bodies,
    ) -> Result<()> {
        let unknown = || Error::Rank { rank: 0, problem: "it asks for an unknown act of bodies on a GPU".into() };
        let act = *Act::ALL.get(reader.count()?).ok_or_else(unknown)?;
        if act == Act::Begin {
            let gravity = job::gravity_of(reader)?;
            let (given, numbers) = (reader.flag()?, reader.reals()?);
            let frame = <[f64; 9]>::try_from(numbers).ok().and_then(Frame::of_numbers).filter(|_| given);
            columns.get(reader)?;
            job::take_columns(&columns.0, Coordinates::PhaseSpace, bodies)?;
            self.resident = self.solver.resident(bodies, &gravity, frame)?;
            return Ok(());
        }
        let resident = self.resident.as_mut().ok_or_else(unknown)?;
        match act {
            Act::Apply => resident.apply(&get_moves(reader)?),
            Act::Sync => resident.sync().map(drop),
            Act::Checkpoint => resident.checkpoint(),
            Act::Begin | Act::RollBack => resident.roll_back(),
        }
    }
}

fn put_moves(moves: &[KickDrift], to: &mut Words) {
    to.number(moves.len() as u64);
    for each in moves {
        to.flag(each.accelerate).reals(each.kicks()).reals(each.drifts());
    }
}

fn get_moves(from: &mut Reader<'_>) -> Result<Vec<KickDrift>> {
    let mut moves = Vec::new();
    for _ in 0..from.count()? {
        let (accelerate, kicks, drifts) = (from.flag()?, from.reals()?, from.reals()?);
        let kicks = kicks.iter().map(|kick| Substep::Kick(*kick));
        let substeps: Vec<Substep> = kicks.chain(drifts.iter().map(|drift| Substep::Drift(*drift))).collect();
        let mut each = KickDrift::of(&substeps, 1.0, 1, false).first().copied().unwrap_or_default();
        each.accelerate = accelerate;
        moves.push(each);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Precision;

    /// What each pair once is shared by, and what moves bodies by itself and is not.
    #[test]
    fn what_ranks_with_a_gpu_each_do_not_share_is_refused() {
        let on = |device, solver| Method::on(device, Precision::F32).solver(solver);
        let small = SolverName::Tuned(KernelConfig::Small { per_block: 32, threads: 256, unroll: 4 });
        for (device, solver, ranks, part) in [
            (Device::Cuda, small, 2, "give --solver direct"),
            (Device::Wgpu, small, 2, "give --solver direct"),
            (Device::Wgpu, SolverName::Symmetric, 2, "give --solver direct"),
            (Device::Cuda, SolverName::Symmetric, 9, "up to 8 ranks"),
            (Device::Cuda, SolverName::Auto, 9, "up to 8 ranks"),
            (Device::Wgpu, SolverName::Fmm, 2, "trees on cuda alone"),
        ] {
            let error = check(&on(device, solver), ranks).unwrap_err().to_string();
            assert!(error.contains(part), "{device} {solver} {ranks}: {error}");
        }
        for (device, solver, ranks) in [
            (Device::Cuda, SolverName::Symmetric, 8),
            (Device::Cuda, SolverName::Auto, 2),
            (Device::Cuda, SolverName::Direct, 64),
            (Device::Cuda, SolverName::Fmm, 64),
            (Device::Cuda, SolverName::Tree, 2),
            (Device::Wgpu, SolverName::Direct, 3),
        ] {
            check(&on(device, solver), ranks).unwrap();
        }
    }
}
