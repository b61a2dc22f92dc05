//! Gravity in f32 with a chosen [`Summation`], and in mixed precision: the `direct` solver on [`summed`].
//!
//! In mixed precision, positions are f64 as two f32, high and low part (48 bits), so that the distance of two bodies is
//! right to 24 bits however close they are; the rest of a term is f32, and the sum f64. In f32, a position has 24 bits
//! *from the centre of mass*, and a pair closer than 1e-4 of that is known to no better than 1e-3.

use super::active::Active;
use super::gravity::{GravityLaw, with_compiled_law};
use super::massless::{OfSources, Sources, Split};
use super::solver::jerks_on;
use super::summation::Summation;
use super::summed::summed;
use super::{Coordinates, Derivatives, ForceTerms, Forces, Frame, Gravity, Packed, Softening, Solver};
use crate::frame::MAX_HALF_EPS2;
use crate::law::{self, PairLaw, Targets};
use crate::simd::Level;
use crate::watch::Watch;
use crate::{Bodies, Error, Result};
use manybody_ranks::Team;

/// Numbers of a body of [`law::SplitGravityPot`] and of [`law::SplitGravityJerk`].
const SPLIT: usize = 8;
const SPLIT_MOVING: usize = 11;

/// All ordered pairs, with f32 terms and a choice of sums.
#[derive(Debug)]
pub(super) struct SummedGravity {
    level: Level,
    summation: Summation,
    split: bool,
    /// Bodies acted on, and those that act where they are others.
    packed: [Packed<f32>; 2],
    raw: Vec<Vec<f64>>,
    apart: Split,
    active: Active<f32>,
    watch: Watch,
    team: Option<Team>,
}

impl SummedGravity {
    /// f32 with a summation.
    pub(super) fn single(level: Level, summation: Summation) -> Self {
        let (packed, raw, apart, watch, team) = Default::default();
        SummedGravity { level, summation, split: false, packed, raw, apart, active: Active::new(level), watch, team }
    }

    /// Mixed precision.
    pub(super) fn mixed(level: Level) -> Self {
        SummedGravity { split: true, ..SummedGravity::single(level, Summation::F64) }
    }

    /// Writes bodies for the kernel of a law with so many numbers.
    fn pack(
        &mut self,
        side: usize,
        bodies: &Bodies,
        frame: &Frame,
        gravity: &Gravity,
        (of, numbers): (Coordinates, usize),
    ) {
        let (n, lanes) = (bodies.len(), self.level.lanes_f32());
        if !self.split {
            return self.packed[side].fill(n, numbers, lanes, |field, to| frame.write(bodies, gravity, of, field, to));
        }
        let mut column = vec![0.0_f64; n];
        self.packed[side].fill(n, numbers, lanes, |field, to| {
            // behind the places is what their rounding leaves
            let is_rest = (3..6).contains(&field);
            let from = if field < 3 { field } else { field - 3 };
            frame.write(bodies, gravity, of, from, &mut column);
            for (to, q) in to.iter_mut().zip(&column) {
                let high = *q as f32;
                *to = if is_rest { (q - f64::from(high)) as f32 } else { high };
            }
            if field == numbers - 1 {
                let least = 0.5 * law::smallest_eps2(false) as f32;
                to.iter_mut().for_each(|h| *h = h.max(least).min(MAX_HALF_EPS2 as f32));
            }
        });
    }

    fn run<L: PairLaw>(
        &mut self,
        side: usize,
        first: Option<usize>,
        par: &[f32],
        range: &[f64],
    ) -> Result<Option<(usize, usize)>> {
        let SummedGravity { level, summation, packed, raw, watch, team, .. } = self;
        raw.resize(range.len(), Vec::new());
        summed::<L>((*level, (watch, team.as_ref())), [&packed[0], &packed[side]], first, par, *summation, range, raw)
    }
}

/// What fixed-point sums must stay below, for ax, ay, az and pot in the units of the frame: what the softening allows,
/// m r / (r^2 + eps^2)^(3/2) < 0.385 m / eps^2 and m r / eps^3, and m / eps (the spline softening is below all), or 2^28 times all mass, which is 2^-35 of it for
/// a unit. The mass is summed in integers, so that the order of the bodies does not matter.
pub fn fixed_ranges(frame: &Frame, bodies: &Bodies, gravity: &Gravity) -> [f64; 4] {
    fixed_ranges_between(frame, bodies, bodies, gravity)
}

/// [`fixed_ranges`] of the sums of `targets`, over `sources`.
pub fn fixed_ranges_between(frame: &Frame, targets: &Bodies, sources: &Bodies, gravity: &Gravity) -> [f64; 4] {
    const UNIT: f64 = (1_u64 << 40) as f64;
    let column = |bodies: &Bodies, field| {
        let mut column = vec![0.0_f64; bodies.len()];
        frame.write(bodies, gravity, Coordinates::Positions, field, &mut column);
        column
    };
    let mass = column(sources, 3).iter().map(|m| (m.abs() * UNIT).ceil() as i128).sum::<i128>() as f64 / UNIT;
    // without mass every sum is 0, in any range
    let mass = if mass > 0.0 { mass } else { 1.0 };
    let least = |bodies: &Bodies| column(bodies, 4).into_iter().fold(f64::INFINITY, f64::min);
    let eps2 = least(sources) + least(targets);
    let most = mass * (1_u64 << 28) as f64;
    // in runs that stay on a device the range is that of the first positions: bodies may get so many times farther away
    const FARTHER: f64 = 1024.0;
    let far = |bodies: &Bodies| (0..3).flat_map(|k| column(bodies, k)).fold(0.0_f64, |far, q| far.max(q.abs()));
    let r = FARTHER * 3_f64.sqrt() * (far(sources) + far(targets));
    let share = if r > 0.0 { 0.385_f64.min(r / eps2.sqrt()) } else { 0.385 };
    // twice, because f32 terms may be rounded up
    let [acc, pot] = [2.0 * share * mass / eps2, 2.0 * mass / eps2.sqrt()];
    let [acc, pot] = [acc, pot].map(|bound| bound.min(most).log2().ceil().exp2());
    [acc, acc, acc, pot]
}

/// What chosen sums do not have.
fn no_jerk(sum: Summation) -> Error {
    let expected = "time derivatives are computed with the sums of the solvers only".into();
    Error::Parameter { name: "sum", value: sum.to_string(), expected }
}

impl OfSources for SummedGravity {
    fn split(&mut self) -> &mut Split {
        &mut self.apart
    }

    fn compute(
        &mut self,
        bodies: &Bodies,
        sources: Sources<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        if terms.jerk && !self.split {
            return Err(no_jerk(self.summation));
        }
        let (first, of) = (sources.first(), terms.coordinates());
        let sources = sources.bodies();
        let frame = match sources {
            None => Frame::new(bodies, gravity, of)?,
            Some(sources) => Frame::between(bodies, sources, gravity, of)?,
        };
        let kernel = GravityLaw::of(terms, bodies.eps.is_some(), gravity.softening).compiled();
        let numbers = match (self.split, terms.jerk) {
            (true, true) => SPLIT_MOVING,
            (true, false) => SPLIT,
            (false, _) => kernel.fields(),
        };
        self.pack(0, bodies, &frame, gravity, (of, numbers));
        if let Some(sources) = sources {
            self.pack(1, sources, &frame, gravity, (of, numbers));
        }
        let range = fixed_ranges_between(&frame, bodies, sources.unwrap_or(bodies), gravity);
        let par = frame.parameters::<f32>(gravity);
        let side = usize::from(sources.is_some());
        let left = match self.split {
            // the sum of mixed precision has no range
            true if terms.jerk => {
                gravity.plummer_only("time derivatives in mixed precision")?;
                self.run::<law::SplitGravityJerk>(side, first, &par, &[1.0; 7])?
            }
            true if gravity.softening == Softening::Spline => {
                self.run::<law::SplitSplineGravityPot>(side, first, &par, &range)?
            }
            true => self.run::<law::SplitGravityPot>(side, first, &par, &range)?,
            false => with_compiled_law!(
                kernel,
                L => self.run::<L>(side, first, &par, &range[..kernel.results()])?,
                no jerk => return Err(no_jerk(self.summation))
            ),
        };
        if let Some((index, result)) = left {
            let quantity = ["acceleration", "acceleration", "acceleration", "potential"][result];
            let limit = range[result];
            return Err(Error::FixedPoint { index, id: bodies.id[index], quantity, limit });
        }
        frame.unscale(&self.raw, terms, out);
        Ok(())
    }
}

impl Solver for SummedGravity {
    fn name(&self) -> &'static str {
        "direct"
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

    /// What bodies with mass get does not depend on those without.
    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        if !self.split {
            return jerks_on(self, bodies, accelerations, active, gravity, out);
        }
        let SummedGravity { apart, active: of_active, watch, team, .. } = self;
        let with = (&*watch, team.as_ref());
        let is_massless = |at: &usize| bodies.mass[active[*at]] == 0.0;
        if !(0..active.len()).any(|at| is_massless(&at)) {
            return of_active.derivatives_in_two_parts((bodies, None), accelerations, active, gravity, with, out);
        }
        // those without mass do not change the frame of the others, and may be far away from them
        apart.divide(bodies);
        let (others, sources) = (&apart.others.bodies, &apart.sources.bodies);
        let mut frame = Frame::between(others, sources, gravity, Coordinates::PhaseSpace)?;
        if accelerations.is_some() {
            frame = frame.for_snaps(bodies);
        }
        out.resize(active.len(), accelerations.is_some());
        let (massless, massive): (Vec<usize>, Vec<usize>) = (0..active.len()).partition(is_massless);
        for (some, frame) in [(massive, None), (massless, Some(frame))] {
            let active: Vec<usize> = some.iter().map(|at| active[*at]).collect();
            let mut found = Derivatives::default();
            of_active.derivatives_in_two_parts((bodies, frame), accelerations, &active, gravity, with, &mut found)?;
            for (to, from) in out.columns().into_iter().zip(found.columns()) {
                some.iter().zip(from).for_each(|(at, value)| to[*at] = *value);
            }
        }
        Ok(())
    }

    fn has_rounded_terms(&self) -> bool {
        true
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
}
