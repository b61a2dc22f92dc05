//! Gravity on the fast kernels: `direct` (one-sided) and `symmetric` (mirrored), in f32 or f64.

use super::active::Active;
use super::few::{Few, Steps};
use super::frame::Frame;
use super::gravity::{GravityLaw, with_compiled_law};
use super::massless::{OfSources, Sources, Split};
use super::mirrored::{Scratch, mirrored_with};
use super::one_sided::one_sided_with;
use super::packed::Packed;
use super::solver::jerks_on;
use super::summed_gravity::SummedGravity;
use super::{Derivatives, Float, ForceTerms, Forces, Gravity, Precision, Solver};
use crate::law::{PairLaw, Targets};
use crate::simd::{Element, Level};
use crate::watch::Watch;
use crate::{Bodies, Error, Result};
use manybody_ranks::Team;

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
    scratch: Scratch<T>,
    few: Few<T>,
    split: Split,
    packed_sources: Packed<T>,
    active: Active<f64>,
    watch: Watch,
    team: Option<Team>,
}

/// The `direct` solver: every body sums over all others.
pub fn direct(level: Level, precision: Precision) -> Box<dyn Solver> {
    match precision {
        Precision::F32 => Box::new(AllPairs::<f32>::new(level, Pairs::Ordered)),
        Precision::F64 => Box::new(AllPairs::<f64>::new(level, Pairs::Ordered)),
        Precision::Mixed => Box::new(SummedGravity::mixed(level)),
    }
}

/// The `symmetric` solver: each pair once, by Newton's third law. Half the work, and momentum is conserved to rounding.
///
/// # Errors
/// [`Error::Parameter`] for mixed precision, which only [`direct`] has.
pub fn symmetric(level: Level, precision: Precision) -> Result<Box<dyn Solver>> {
    Ok(match precision.float("mixed precision needs the solver direct; by the solver symmetric")? {
        Float::F32 => Box::new(AllPairs::<f32>::new(level, Pairs::Once)),
        Float::F64 => Box::new(AllPairs::<f64>::new(level, Pairs::Once)),
    })
}

impl<T: Element> AllPairs<T> {
    fn new(level: Level, pairs: Pairs) -> Self {
        AllPairs {
            level,
            pairs,
            packed: Packed::default(),
            raw: Vec::new(),
            scratch: Scratch::default(),
            few: Few::default(),
            split: Split::default(),
            packed_sources: Packed::default(),
            active: Active::new(level),
            watch: Watch::default(),
            team: None,
        }
    }

    /// What all bodies do to each other.
    fn all(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        let frame = Frame::new(bodies, gravity, terms.coordinates())?;
        let kernel = GravityLaw::of(terms, bodies.eps.is_some(), gravity.softening).compiled();
        self.packed.fill(bodies.len(), kernel.fields(), self.level.lanes::<T>(), |field, to| {
            frame.write(bodies, gravity, terms.coordinates(), field, to)
        });
        let par = frame.parameters(gravity);
        with_compiled_law!(kernel, L => self.run::<L>(&par, kernel.results()))?;
        frame.unscale(&self.raw, terms, out);
        Ok(())
    }

    /// What `sources` do to `targets`.
    fn onto(
        &mut self,
        targets: &Bodies,
        (sources, first): (&Bodies, Option<usize>),
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        let AllPairs { level, packed, packed_sources, raw, watch, team, .. } = self;
        let packed = [packed, packed_sources];
        onto((*level, (watch, team.as_ref())), [targets, sources], first, gravity, terms, (packed, raw), out)
    }

    fn run<L: PairLaw>(&mut self, par: &[T], results: usize) -> Result<()> {
        self.raw.resize(results, Vec::new());
        match self.pairs {
            Pairs::Ordered => {
                let both = [&self.packed, &self.packed];
                one_sided_with::<L, T>(self.level, both, Some(0), par, &mut self.raw, (&self.watch, self.team.as_ref()))
            }
            Pairs::Once => {
                let AllPairs { level, packed, raw, scratch, watch, team, .. } = self;
                mirrored_with::<L, T>(*level, packed, par, raw, scratch, (watch, team.as_ref()))
            }
        }
    }
}

impl<T: Element> OfSources for AllPairs<T> {
    fn split(&mut self) -> &mut Split {
        &mut self.split
    }

    fn compute(
        &mut self,
        targets: &Bodies,
        sources: Sources<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        match sources.bodies() {
            None => self.all(targets, gravity, terms, out),
            Some(bodies) => self.onto(targets, (bodies, sources.first()), gravity, terms, out),
        }
    }
}

impl<T: Element> Solver for AllPairs<T> {
    fn name(&self) -> &'static str {
        match self.pairs {
            Pairs::Ordered => "direct",
            Pairs::Once => "symmetric",
        }
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        self.compute_on(bodies, &Targets::All, gravity, terms, out)
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        self.compute_on(bodies, targets, gravity, terms, out)
    }

    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        if T::DOUBLE {
            let with = (&self.watch, self.team.as_ref());
            return self.active.derivatives(bodies, accelerations, active, gravity, with, out);
        }
        jerks_on(self, bodies, accelerations, active, gravity, out)
    }

    fn has_rounded_terms(&self) -> bool {
        !T::DOUBLE
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn can_share(&self) -> bool {
        true
    }

    fn share(&mut self, team: Option<&Team>) {
        self.team = team.cloned();
    }

    fn steps(&mut self, steps: Steps<'_>) -> Result<u64> {
        self.few.steps(self.level, self.pairs == Pairs::Once, steps)
    }
}

/// Forces of the bodies of one set on those of another, one-sided: the acceleration and, if requested, potential and
/// jerk at each target. A target and a source at the same place count as different bodies. A body without a softening
/// of its own has the common one.
///
/// # Errors
/// [`Error::Parameter`] if eps or G is not usable, and for mixed precision.
pub fn between(
    level: Level,
    precision: Precision,
    targets: &Bodies,
    sources: &Bodies,
    gravity: &Gravity,
    terms: ForceTerms,
    out: &mut Forces,
) -> Result<()> {
    let sets = ([targets, sources], None);
    match precision.float("between two sets of bodies there is no mixed precision")? {
        Float::F32 => between_in::<f32>(level, sets, gravity, terms, out),
        Float::F64 => between_in::<f64>(level, sets, gravity, terms, out),
    }
}

/// [`between`], where target k is source k, perhaps at another place, as one that was predicted: no target acts on itself.
/// There may be more sources than targets.
///
/// # Errors
/// As [`between`], and [`Error::Parameter`] for fewer sources than targets.
pub fn among(
    level: Level,
    precision: Precision,
    targets: &Bodies,
    sources: &Bodies,
    gravity: &Gravity,
    terms: ForceTerms,
    out: &mut Forces,
) -> Result<()> {
    let float = precision.float("of bodies among others there is no mixed precision")?;
    if sources.len() < targets.len() {
        let expected = format!("must be at least {}, as many as there are targets", targets.len());
        return Err(Error::Parameter { name: "sources", value: sources.len().to_string(), expected });
    }
    let sets = ([targets, sources], Some(0));
    match float {
        Float::F32 => between_in::<f32>(level, sets, gravity, terms, out),
        Float::F64 => between_in::<f64>(level, sets, gravity, terms, out),
    }
}

fn between_in<T: Element>(
    level: Level,
    (sets, first): ([&Bodies; 2], Option<usize>),
    gravity: &Gravity,
    terms: ForceTerms,
    out: &mut Forces,
) -> Result<()> {
    let mut packed = [Packed::default(), Packed::default()];
    let memory = (packed.each_mut(), &mut Vec::new());
    onto::<T>((level, (&Watch::default(), None)), sets, first, gravity, terms, memory, out)
}

/// [`between`], of targets and sources, in memory that serves again. With `first`, target k is source `first` + k.
fn onto<T: Element>(
    (level, with): (Level, (&Watch, Option<&Team>)),
    [targets, sources]: [&Bodies; 2],
    first: Option<usize>,
    gravity: &Gravity,
    terms: ForceTerms,
    ([i, j], raw): ([&mut Packed<T>; 2], &mut Vec<Vec<T>>),
    out: &mut Forces,
) -> Result<()> {
    let frame = Frame::between(targets, sources, gravity, terms.coordinates())?;
    let kernel = GravityLaw::of(terms, targets.eps.is_some() || sources.eps.is_some(), gravity.softening).compiled();
    for (packed, bodies) in [(&mut *i, targets), (&mut *j, sources)] {
        packed.fill(bodies.len(), kernel.fields(), level.lanes::<T>(), |field, to| {
            frame.write(bodies, gravity, terms.coordinates(), field, to)
        });
    }
    let par = frame.parameters(gravity);
    raw.resize(kernel.results(), Vec::new());
    with_compiled_law!(kernel, L => one_sided_with::<L, T>(level, [i, j], first, &par, raw, with))?;
    frame.unscale(raw, terms, out);
    Ok(())
}
