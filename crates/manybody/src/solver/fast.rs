//! Gravity on the fast kernels: `direct` (one-sided) and `symmetric` (mirrored), in f32 or f64.

use super::frame::Frame;
use super::mirrored::mirrored;
use super::one_sided::one_sided;
use super::packed::Packed;
use super::{Forces, Gravity, Precision, Solver, Want};
use crate::law::{self, PairLaw};
use crate::simd::{Element, Level};
use crate::{Bodies, Result};

/// Which pairs are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pairs {
    /// Every ordered pair: N^2 evaluations.
    Ordered,
    /// Every pair once, both bodies served.
    Once,
}

/// All-pairs gravity on vectors and threads, with forces in T. The result depends on the bodies and the [`Level`], not
/// on the number of threads.
#[derive(Debug)]
struct AllPairs<T> {
    level: Level,
    pairs: Pairs,
    packed: Packed<T>,
    raw: Vec<Vec<T>>,
}

/// The `direct` solver: every body sums over all others.
pub fn direct(level: Level, precision: Precision) -> Box<dyn Solver> {
    all_pairs(level, precision, Pairs::Ordered)
}

/// The `symmetric` solver: each pair once, by Newton's third law. Half the work, and momentum is conserved to rounding.
pub fn symmetric(level: Level, precision: Precision) -> Box<dyn Solver> {
    all_pairs(level, precision, Pairs::Once)
}

// Not generic: the kernels are compiled in this crate, once.
fn all_pairs(level: Level, precision: Precision, pairs: Pairs) -> Box<dyn Solver> {
    match precision {
        Precision::F32 => Box::new(AllPairs::<f32> { level, pairs, packed: Packed::default(), raw: Vec::new() }),
        // its kernels are elsewhere, and whoever comes here with it gets no less than was asked for
        Precision::F64 | Precision::Mixed => {
            Box::new(AllPairs::<f64> { level, pairs, packed: Packed::default(), raw: Vec::new() })
        }
    }
}

impl<T: Element> AllPairs<T> {
    fn run<L: PairLaw>(&mut self, par: &[T], results: usize) {
        self.raw.resize(results, Vec::new());
        match self.pairs {
            Pairs::Ordered => one_sided::<L, T>(self.level, &self.packed, &self.packed, true, par, &mut self.raw),
            Pairs::Once => mirrored::<L, T>(self.level, &self.packed, par, &mut self.raw),
        }
    }
}

/// The laws that kernels are compiled for. All but the plainest let bodies have softenings of their own, for one
/// operation in twenty: two laws less to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Acc,
    AccPot,
    AccJerkPot,
}

impl Choice {
    fn of(want: Want, soft: bool) -> Self {
        match (want.jerk, want.potential || soft) {
            (true, _) => Choice::AccJerkPot,
            (false, true) => Choice::AccPot,
            (false, false) => Choice::Acc,
        }
    }

    /// Numbers a body.
    fn fields(self) -> usize {
        match self {
            Choice::Acc => 4,
            Choice::AccPot => 5,
            Choice::AccJerkPot => 8,
        }
    }

    /// Numbers a result.
    fn results(self) -> usize {
        match self {
            Choice::Acc => 3,
            Choice::AccPot => 4,
            Choice::AccJerkPot => 7,
        }
    }
}

/// Vectors of T at a level.
fn lanes<T: Element>(level: Level) -> usize {
    if T::DOUBLE { (level.lanes_f32() / 2).max(1) } else { level.lanes_f32() }
}

impl<T: Element> Solver for AllPairs<T> {
    fn name(&self) -> &'static str {
        match self.pairs {
            Pairs::Ordered => "direct",
            Pairs::Once => "symmetric",
        }
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, want: Want, out: &mut Forces) -> Result<()> {
        let frame = Frame::new(bodies, gravity, want.jerk)?;
        let kernel = Choice::of(want, bodies.eps.is_some());
        self.packed.fill(bodies.len(), kernel.fields(), lanes::<T>(self.level), |field, to| {
            frame.write(bodies, gravity, want.jerk, field, to)
        });
        let par = frame.parameters(gravity);
        match kernel {
            Choice::Acc => self.run::<law::Gravity>(&par, 3),
            Choice::AccPot => self.run::<law::SoftGravityPot>(&par, 4),
            Choice::AccJerkPot => self.run::<law::SoftGravityJerk>(&par, 7),
        }
        frame.unscale(&self.raw, want, out);
        Ok(())
    }
}

/// What the bodies of one set do to those of another, one-sided: the acceleration and, if wanted, potential and jerk at
/// each target. A target and a source at the same place count as different bodies. A body without a
/// softening of its own has the common one.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if eps or G is not usable.
pub fn between(
    level: Level,
    precision: Precision,
    targets: &Bodies,
    sources: &Bodies,
    gravity: &Gravity,
    want: Want,
    out: &mut Forces,
) -> Result<()> {
    match precision {
        Precision::F32 => between_in::<f32>(level, targets, sources, gravity, want, out),
        Precision::F64 | Precision::Mixed => between_in::<f64>(level, targets, sources, gravity, want, out),
    }
}

fn between_in<T: Element>(
    level: Level,
    targets: &Bodies,
    sources: &Bodies,
    gravity: &Gravity,
    want: Want,
    out: &mut Forces,
) -> Result<()> {
    let frame = Frame::new(sources, gravity, want.jerk)?.holding(targets);
    let kernel = Choice::of(want, targets.eps.is_some() || sources.eps.is_some());
    let pack = |bodies: &Bodies| {
        let mut packed = Packed::default();
        packed.fill(bodies.len(), kernel.fields(), lanes::<T>(level), |field, to| {
            frame.write(bodies, gravity, want.jerk, field, to)
        });
        packed
    };
    let (i, j, par) = (pack(targets), pack(sources), frame.parameters(gravity));
    let mut raw = vec![Vec::new(); kernel.results()];
    match kernel {
        Choice::Acc => one_sided::<law::Gravity, T>(level, &i, &j, false, &par, &mut raw),
        Choice::AccPot => one_sided::<law::SoftGravityPot, T>(level, &i, &j, false, &par, &mut raw),
        Choice::AccJerkPot => one_sided::<law::SoftGravityJerk, T>(level, &i, &j, false, &par, &mut raw),
    }
    frame.unscale(&raw, want, out);
    Ok(())
}
