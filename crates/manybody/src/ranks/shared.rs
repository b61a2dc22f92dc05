//! A solver and an evaluator of rank 0, which share long evaluations with the other ranks.

use super::job::{self, Columns, Kind};
use super::resident::{self, SharedResident};
use crate::law::{Law, PairInputs, Targets};
use crate::solver::{
    BlockState, BlockStep, BlockWork, Coordinates, Derivatives, Device, Evaluator, ForceTerms, Forces, Frame, Gravity,
    Method, Solver, Steps,
};
use crate::watch::Watch;
use crate::{Bodies, Result};
use manybody_pairwise::Resident;
use manybody_ranks::Team;
use manybody_ranks::words::Words;
use std::sync::atomic::{AtomicU64, Ordering};

/// Evaluations of fewer pairs are rank 0's alone: a core computes them in a few tenths of a millisecond, as long as the
/// others would need to hear of them. A choice by sizes alone, although it changes no bit.
const LEAST_PAIRS: usize = 1 << 18;

/// On GPUs, evaluations of fewer pairs are rank 0's alone: one computes them in the time in which the bodies get to the others
/// [four H200, a law in a run, each pair once: 262,144 bodies take 1.7 times less]. For trees of bodies that stay on the GPUs, too
/// [four H200, f32: four make 131,072 bodies in the time of one].
const LEAST_PAIRS_ON_GPUS: usize = 1 << 36;

/// On GPUs, the first of these evaluations, which may be the only one, is rank 0's alone if it has fewer pairs: the GPUs are joined in 1.5
/// to 3 s [H200].
const LEAST_FIRST_PAIRS_ON_GPUS: usize = 1 << 44;

/// The environment variable that has another number in place of all three.
const LEAST: &str = "MANYBODY_SHARE_FROM";

/// Of block steps, whose bodies all move between two evaluations, those with fewer active bodies are rank 0's alone: to
/// send a body takes as long as some hundred pairs.
const LEAST_ACTIVE: usize = 256;

/// The solver that shares its evaluations with the ranks of this thread, if there are any and it can.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) for what ranks with a GPU each do not share.
pub(crate) fn shared_solver(solver: Box<dyn Solver>, method: &Method) -> Result<Box<dyn Solver>> {
    let team = Team::current().filter(|team| team.is_root() && team.ranks() > 1);
    if let (Some(team), true) = (&team, method.device.is_gpu()) {
        resident::check(method, team.ranks())?;
    }
    let Some(team) = team.filter(|_| solver.can_share()) else { return Ok(solver) };
    let mut words = Words::default();
    job::put_method(method, &mut words)?;
    Ok(Box::new(SharedSolver { sharing: Sharing::new(team, method, words)?, inner: solver, method: method.clone() }))
}

/// The evaluator that shares its evaluations with the ranks of this thread, if there are any and it can. A law that was
/// made by a program, and has no source, is evaluated by rank 0 alone.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) for several GPUs of each rank.
pub(crate) fn shared_evaluator(
    evaluator: Box<dyn Evaluator>,
    method: &Method,
    law: &Law,
) -> Result<Box<dyn Evaluator>> {
    let source = law.source().filter(|source| is_law_of(source, law));
    let driven = Team::current().filter(|team| team.is_root() && team.ranks() > 1);
    let team = driven.filter(|_| evaluator.can_share());
    let Some((team, source)) = team.zip(source) else { return Ok(evaluator) };
    let mut words = Words::default();
    job::put_method(method, &mut words)?;
    words.text(source);
    Ok(Box::new(SharedEvaluator { sharing: Sharing::new(team, method, words)?, inner: evaluator }))
}

/// Whether a source gives this law, operation by operation: other operations would be other bits.
fn is_law_of(source: &str, law: &Law) -> bool {
    Law::by_name_or_text(source).is_ok_and(|again| again == *law)
}

/// Refuses what the ranks of this thread do not share: pairs and triples of points on GPUs.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported).
pub fn check_device(device: Device) -> Result<()> {
    let drives = Team::current().is_some_and(|team| team.is_root() && team.ranks() > 1);
    if !drives || device == Device::Cpu {
        return Ok(());
    }
    Err(crate::Error::Unsupported {
        capability: crate::error::Capability::Device,
        value: device.to_string(),
        expected: "ranks share this on the CPU: must be cpu; --gpus shares GPUs in one process".into(),
    })
}

/// So many pairs of an evaluation by itself are shared by this method, and so many of the first one.
///
/// # Errors
/// As [`least`].
fn least_of(method: &Method) -> Result<[usize; 2]> {
    let least = least(method.device)?;
    // one of a tree takes milliseconds of a GPU: less than the bodies need to get to the others
    Ok(if method.device.is_gpu() && method.solver.is_by_expansion() { [usize::MAX; 2] } else { least })
}

/// So many pairs are shared on this device, and so many of the first evaluation.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an environment variable that cannot be read as a number.
pub(super) fn least(device: Device) -> Result<[usize; 2]> {
    let Ok(text) = std::env::var(LEAST) else {
        return Ok(match device.is_gpu() {
            true => [LEAST_PAIRS_ON_GPUS, LEAST_FIRST_PAIRS_ON_GPUS],
            false => [LEAST_PAIRS; 2],
        });
    };
    let expected = "must be a number of pairs, as 262144".into();
    let least = text.parse().map_err(|_| crate::Error::Parameter { name: LEAST, value: text, expected })?;
    Ok([least; 2])
}

/// What a solver or evaluator shares with the other ranks.
pub(super) struct Sharing {
    pub(super) team: Team,
    /// So many pairs are shared, and so many of the next evaluation.
    least: [usize; 2],
    /// By which the others know it.
    number: u64,
    /// What they make it of, until they have been sent that.
    made_of: Option<Vec<u64>>,
    pub(super) columns: Columns,
}

impl Sharing {
    fn new(team: Team, method: &Method, made_of: Words) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (number, columns) = (NEXT.fetch_add(1, Ordering::Relaxed), Columns::default());
        Ok(Sharing { team, least: least_of(method)?, number, made_of: Some(made_of.done()), columns })
    }

    /// Whether an evaluation of so many pairs is shared: rank 0 computes the others alone, and all of them once the
    /// ranks have come apart.
    ///
    /// # Errors
    /// [`Error::Rank`](crate::Error::Rank) where a rank is lost.
    fn shares(&mut self, targets: usize, sources: usize) -> Result<bool> {
        let ([least, of_next], pairs) = (self.least, targets.saturating_mul(sources));
        if pairs >= least {
            self.least = [least, least];
        }
        are_shared(&self.team, pairs >= of_next)
    }

    /// The first words of a job.
    pub(super) fn begin(&mut self, kind: Kind) -> Words {
        let mut words = Words::default();
        kind.put(&mut words);
        words.number(self.number).numbers(self.made_of.take().unwrap_or_default().into_iter());
        words
    }
}

/// Has a job carried out, by the others and, in `compute`, here. After an error they wait for the end.
pub(super) fn carry_out<R>(team: &Team, words: Words, compute: impl FnOnce() -> Result<R>) -> Result<R> {
    let _turn = team.turn();
    let done = team.broadcast(words.done()).and_then(|_| compute());
    if done.is_err() && team.check().is_ok() {
        team.cancel();
    }
    done
}

/// Whether what is `long` enough is shared: not once the ranks have come apart.
///
/// # Errors
/// [`Error::Rank`](crate::Error::Rank) where a rank is lost.
fn are_shared(team: &Team, long: bool) -> Result<bool> {
    team.check()?;
    Ok(long && !team.has_ended())
}

/// The ranks that this thread drives and shares `a` times `b` pairs with, if these are `least` or more.
///
/// # Errors
/// [`Error::Rank`](crate::Error::Rank) where a rank is lost.
pub(super) fn drives(a: usize, b: usize, least: usize) -> Result<Option<Team>> {
    let Some(team) = Team::current().filter(|team| team.is_root() && team.ranks() > 1) else { return Ok(None) };
    let shared = are_shared(&team, a.saturating_mul(b) >= least)?;
    Ok(Some(team).filter(|_| shared))
}

impl Drop for Sharing {
    /// The others need it no longer.
    fn drop(&mut self) {
        if self.made_of.is_none() && !self.team.has_ended() && !self.team.has_left() {
            let mut words = Words::default();
            Kind::Forget.put(&mut words);
            words.number(self.number).number(0);
            let _turn = self.team.turn();
            // a rank that is lost has forgotten it
            let _ = self.team.broadcast(words.done());
        }
    }
}

/// How many targets there are.
fn count(targets: &Targets<'_>, n: usize) -> usize {
    match targets {
        Targets::All => n,
        Targets::Range(range) => range.len(),
        Targets::List(list) => list.len(),
    }
}

struct SharedSolver {
    /// Dropped before the solver: GPUs take leave of each other while all do.
    sharing: Sharing,
    inner: Box<dyn Solver>,
    method: Method,
}

impl SharedSolver {
    fn together<R>(&mut self, words: Words, compute: impl FnOnce(&mut dyn Solver) -> Result<R>) -> Result<R> {
        let SharedSolver { sharing, inner, .. } = self;
        inner.share(Some(&sharing.team));
        let done = carry_out(&sharing.team, words, || compute(&mut **inner));
        inner.share(None);
        done
    }
}

impl Solver for SharedSolver {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        self.forces_on(bodies, &Targets::All, gravity, terms, out)
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        let all = matches!(targets, Targets::All);
        targets.check(bodies.len())?;
        if !self.sharing.shares(count(targets, bodies.len()), bodies.len())? {
            self.sharing.team.check()?;
            return match all {
                true => self.inner.forces(bodies, gravity, terms, out),
                false => self.inner.forces_on(bodies, targets, gravity, terms, out),
            };
        }
        let mut words = self.sharing.begin(Kind::Forces);
        job::put_gravity(gravity, &mut words).flag(terms.potential).flag(terms.jerk);
        job::put_targets(targets, &mut words);
        self.sharing.columns.put(&job::columns_of(bodies, terms.coordinates()), &mut words);
        self.together(words, |solver| match all {
            true => solver.forces(bodies, gravity, terms, out),
            false => solver.forces_on(bodies, targets, gravity, terms, out),
        })
    }

    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        if active.len() < LEAST_ACTIVE || !self.sharing.shares(active.len(), bodies.len())? {
            self.sharing.team.check()?;
            return self.inner.derivatives_on(bodies, accelerations, active, gravity, out);
        }
        let mut words = self.sharing.begin(Kind::Derivatives);
        job::put_gravity(gravity, &mut words).flag(accelerations.is_some());
        job::put_targets(&Targets::List(active), &mut words);
        let columns: Vec<&[f64]> =
            accelerations.into_iter().flatten().chain(job::columns_of(bodies, Coordinates::PhaseSpace)).collect();
        self.sharing.columns.put(&columns, &mut words);
        self.together(words, |solver| solver.derivatives_on(bodies, accelerations, active, gravity, out))
    }

    fn has_rounded_terms(&self) -> bool {
        self.inner.has_rounded_terms()
    }

    fn block_step(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        step: &BlockStep,
        state: &mut BlockState,
    ) -> Result<Option<BlockWork>> {
        self.inner.block_step(bodies, gravity, step, state)
    }

    fn watch(&mut self, watch: &Watch) {
        self.inner.watch(watch);
    }

    fn steps(&mut self, steps: Steps<'_>) -> Result<u64> {
        self.inner.steps(steps)
    }

    fn resident(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        frame: Option<Frame>,
    ) -> Result<Option<Box<dyn Resident>>> {
        let is_shared = self.method.device.is_gpu() && !self.sharing.team.has_ended();
        if !is_shared || !resident::is_shared(&self.method, bodies.len())? {
            return self.inner.resident(bodies, gravity, frame);
        }
        let mut words = Words::default();
        job::put_method(&self.method, &mut words)?;
        let sharing = Sharing::new(self.sharing.team.clone(), &self.method, words)?;
        let shared = SharedResident::new(sharing, &mut *self.inner, bodies, gravity, frame)?;
        Ok(shared.map(|shared| Box::new(shared) as Box<dyn Resident>))
    }
}

struct SharedEvaluator {
    /// Dropped before the evaluator: GPUs take leave of each other while all do.
    sharing: Sharing,
    inner: Box<dyn Evaluator>,
}

impl SharedEvaluator {
    fn evaluate_shared(&mut self, inputs: &PairInputs<'_>, targets: &Targets<'_>) -> Result<Vec<Vec<f64>>> {
        let mut words = self.sharing.begin(Kind::Law);
        let (ni, nj) = inputs.lens();
        let first = inputs.first();
        words.flag(first.is_some()).number(first.unwrap_or_default() as u64).number(ni as u64).number(nj as u64);
        words.flag(inputs.same_columns()).number(inputs.i.len() as u64);
        words.reals(inputs.par);
        job::put_targets(targets, &mut words);
        let of_j = if inputs.same_columns() { &[] } else { inputs.j };
        let columns: Vec<&[f64]> = inputs.i.iter().chain(of_j).copied().collect();
        self.sharing.columns.put(&columns, &mut words);
        let SharedEvaluator { inner, sharing } = self;
        inner.share(Some(&sharing.team));
        let done = carry_out(&sharing.team, words, || inner.evaluate_at(inputs, targets));
        inner.share(None);
        done
    }
}

impl Evaluator for SharedEvaluator {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.inner.load(inputs)
    }

    fn compute(&mut self) -> Result<()> {
        self.inner.compute()
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        self.inner.fetch()
    }

    fn bound(&mut self, range: &[f64]) {
        self.inner.bound(range);
    }

    fn seconds(&mut self, repeats: usize) -> Result<f64> {
        self.inner.seconds(repeats)
    }

    fn watch(&mut self, watch: &Watch) {
        self.inner.watch(watch);
    }

    fn evaluate(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        match self.sharing.shares(inputs.lens().0, inputs.lens().1)? {
            true => self.evaluate_shared(inputs, &Targets::All),
            false => self.inner.evaluate(inputs),
        }
    }

    fn evaluate_at(&mut self, inputs: &PairInputs<'_>, targets: &Targets<'_>) -> Result<Vec<Vec<f64>>> {
        match self.sharing.shares(count(targets, inputs.lens().0), inputs.lens().1)? {
            true => self.evaluate_shared(inputs, targets),
            false => self.inner.evaluate_at(inputs, targets),
        }
    }
}
