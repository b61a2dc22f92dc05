//! Accelerations, jerks and snaps of active bodies in mixed precision: a position is two f32, velocities, accelerations and terms are
//! f32, and so are sums of the terms of 16 vectors at most; all others are f64.

use super::{Active, fill_up, filled, interleave};
use crate::forces::Derivatives;
use crate::frame::{Frame, MAX_HALF_EPS2};
use crate::law::{SplitGravityJerk, SplitGravitySnap, smallest_eps2};
use crate::simd::{Kernel, Lanes, Level, launch};
use crate::watch::Watch;
use crate::{Bodies, Gravity, Result};
use manybody_ranks::Team;

/// Numbers of a body: position, velocity, mass.
const WHOLE: usize = 7;
const MASS: usize = 6;
/// Numbers of a [`SplitGravityJerk`]'s body; a [`SplitGravitySnap`]'s has its acceleration, too, before the mass.
const FIELDS: usize = 11;

/// The bodies that act, in columns that are filled up to whole eights: what a frame is measured of.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// How many there are.
    n: usize,
    /// Those of all bodies that do not act.
    massless: Vec<usize>,
    whole: [Vec<f64>; WHOLE],
    /// 1 for a body, and 0 for filling.
    counts: Vec<f64>,
    /// Half the squares of softenings, in units of the frame.
    half: Vec<f64>,
    accelerations: [Vec<f64>; 3],
}

impl Columns {
    /// Copies the bodies with mass.
    fn fill(&mut self, bodies: &Bodies, accelerations: Option<[&[f64]; 3]>) {
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
        // few are without mass, if any: those between two of them are copied at once
        let massless = mass.iter().enumerate().filter(|(_, mass)| **mass == 0.0);
        self.massless.clear();
        self.massless.extend(massless.map(|(k, _)| k));
        let (massless, n) = (&self.massless, mass.len() - self.massless.len());
        self.n = n;
        let copy = |from: &[f64], to: &mut Vec<f64>| {
            to.clear();
            let mut begin = 0;
            for end in massless.iter().copied() {
                to.extend_from_slice(&from[begin..end]);
                begin = end + 1;
            }
            to.extend_from_slice(&from[begin..]);
            to.resize(n.next_multiple_of(8), 0.0);
        };
        let columns = [x, y, z, vx, vy, vz, mass];
        columns.into_iter().zip(&mut self.whole).for_each(|(from, to)| copy(from, to));
        let columns = accelerations.into_iter().flatten();
        columns.zip(&mut self.accelerations).for_each(|(from, to)| copy(from, to));
        self.counts.clear();
        self.counts.resize(n, 1.0);
        self.counts.resize(n.next_multiple_of(8), 0.0);
    }

    /// The frame of these bodies, of which the least softening is given, and whether they are at rest in it.
    fn frame(&self, level: Level, gravity: &Gravity, least_eps: f64) -> (Frame, bool) {
        launch(level, Measure { columns: self, g: gravity.g, least_eps })
    }

    /// Half the squares of the softenings in a frame.
    fn soften(&mut self, frame: &Frame, bodies: &Bodies, gravity: &Gravity) {
        self.half.clear();
        match &bodies.eps {
            None => self.half.resize(self.n, half_eps2(gravity.eps, frame)),
            Some(eps) => {
                let massive = eps.iter().zip(&bodies.mass).filter(|(_, mass)| **mass != 0.0);
                self.half.extend(massive.map(|(eps, _)| half_eps2(*eps, frame)));
            }
        }
    }
}

/// Measures a frame, with the vectors of the machine.
struct Measure<'a> {
    columns: &'a Columns,
    g: f64,
    least_eps: f64,
}

impl Kernel<f64> for Measure<'_> {
    type Output = (Frame, bool);
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _token: V::Token) -> (Frame, bool) {
        let Columns { whole: [x, y, z, vx, vy, vz, mass], counts, .. } = self.columns;
        Frame::of_moving_columns([x, y, z, vx, vy, vz], mass, counts, self.g, self.least_eps)
    }
}

/// Half the square of a softening in a frame: not 0, and not infinite in f32.
fn half_eps2(eps: f64, frame: &Frame) -> f64 {
    (0.5 * (eps / frame.length()).powi(2)).clamp(0.5 * smallest_eps2(false), MAX_HALF_EPS2)
}

/// From numbers of bodies to those of a frame: what is taken off, and what the rest is multiplied by.
struct Units {
    of_whole: [(f64, f64); WHOLE],
    of_acceleration: f64,
}

impl Units {
    fn of(frame: &Frame, gravity: &Gravity) -> Self {
        let [length, velocity, mass, x, y, z, vx, vy, vz] = frame.numbers();
        let of = |off: f64, unit: f64| (off, 1.0 / unit);
        let of_whole = [
            of(x, length),
            of(y, length),
            of(z, length),
            of(vx, velocity),
            of(vy, velocity),
            of(vz, velocity),
            (0.0, gravity.g / mass),
        ];
        Units { of_whole, of_acceleration: 1.0 / frame.motion() }
    }
}

impl Active<f32> {
    /// Accelerations and jerks of the `active` bodies by those with mass, and snaps where the `accelerations` of all are given. In a
    /// frame of the bodies with mass, or in another one, which has their origin.
    ///
    /// # Errors
    /// As [`Gravity::check`], and [`Error::Interrupted`](crate::Error::Interrupted) where the watch asks for an end.
    pub(crate) fn derivatives_in_two_parts(
        &mut self,
        (bodies, other_frame): (&Bodies, Option<Frame>),
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        (watch, team): (&Watch, Option<&Team>),
        out: &mut Derivatives,
    ) -> Result<()> {
        gravity.plummer_only("time derivatives in mixed precision")?;
        gravity.check()?;
        let snaps = accelerations.is_some();
        out.resize(active.len(), snaps);
        let mut columns = std::mem::take(&mut self.columns);
        columns.fill(bodies, accelerations);
        let frame = other_frame.unwrap_or_else(|| {
            let own = bodies.eps.iter().flatten().zip(&bodies.mass).filter(|(_, mass)| **mass != 0.0);
            let least_eps = match bodies.eps {
                None => gravity.eps,
                Some(_) => own.map(|(eps, _)| *eps).fold(f64::INFINITY, f64::min),
            };
            let (frame, is_at_rest) = columns.frame(self.level, gravity, least_eps);
            if snaps { frame.for_snaps_of(is_at_rest) } else { frame }
        });
        columns.soften(&frame, bodies, gravity);
        let units = Units::of(&frame, gravity);
        let fields = FIELDS + if snaps { 3 } else { 0 };
        let lanes = self.make_room(columns.n, fields);
        let (sources, rounded) = (self.sources.as_mut_slice(), &mut self.rounded);
        launch(
            self.level,
            Gather { columns: &columns, units: &units, snaps, shape: [fields, lanes], sources, rounded },
        );
        self.columns = columns;
        let write = |this: &mut Self, active: &[usize]| {
            let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
            let whole = [x, y, z, vx, vy, vz, mass];
            for k in filled(active) {
                let numbers: [f64; WHOLE] = std::array::from_fn(|number| {
                    let (off, per_unit) = units.of_whole[number];
                    (whole[number][k] - off) * per_unit
                });
                this.targets.extend(numbers[..3].iter().map(|q| *q as f32));
                this.targets.extend(numbers[..3].iter().map(|q| (q - f64::from(*q as f32)) as f32));
                this.targets.extend(numbers[3..6].iter().map(|q| *q as f32));
                let accelerations = accelerations.into_iter().flatten();
                this.targets.extend(accelerations.map(|a| (a[k] * units.of_acceleration) as f32));
                let eps = bodies.eps.as_ref().map_or(gravity.eps, |eps| eps[k]);
                this.targets.extend([numbers[MASS] as f32, half_eps2(eps, &frame) as f32]);
            }
        };
        let of_sums = [frame.acceleration(), frame.jerk(), frame.snap()];
        match snaps {
            false => self.sum::<SplitGravityJerk, 6>(active, of_sums, (watch, team), out, write),
            true => self.sum::<SplitGravitySnap, 9>(active, of_sums, (watch, team), out, write),
        }
    }
}

/// Copies what acts, filled up to whole vectors by copies of the last one without mass, with the vectors of the machine.
struct Gather<'a> {
    columns: &'a Columns,
    units: &'a Units,
    snaps: bool,
    /// Numbers of a body, and lanes of a vector.
    shape: [usize; 2],
    sources: &'a mut [f32],
    rounded: &'a mut Vec<f32>,
}

impl Kernel<f64> for Gather<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _token: V::Token) {
        let Gather { columns, units, snaps, shape: [fields, lanes], sources: to, rounded } = self;
        let n = columns.n;
        rounded.clear();
        rounded.resize(n.next_multiple_of(lanes), 0.0);
        let mut put = |place: usize, from: &[f32]| fill_up(interleave(to, [place, fields, lanes], from), n, lanes);
        for (number, (column, (off, per_unit))) in columns.whole[..MASS].iter().zip(units.of_whole).enumerate() {
            let (column, rounded) = (&column[..n], &mut rounded[..n]);
            for (part, q) in rounded.iter_mut().zip(column) {
                *part = ((q - off) * per_unit) as f32;
            }
            if number >= 3 {
                put(number + 3, rounded);
                continue;
            }
            put(number, rounded);
            for (part, q) in rounded.iter_mut().zip(column) {
                *part = ((q - off) * per_unit - f64::from(*part)) as f32;
            }
            put(number + 3, rounded);
        }
        for (axis, column) in columns.accelerations.iter().enumerate().filter(|_| snaps) {
            for (part, a) in rounded[..n].iter_mut().zip(column) {
                *part = (a * units.of_acceleration) as f32;
            }
            put(9 + axis, &rounded[..n]);
        }
        for (part, half) in rounded[..n].iter_mut().zip(&columns.half) {
            *part = *half as f32;
        }
        put(fields - 1, &rounded[..n]);
        let per_unit = units.of_whole[MASS].1;
        for (part, mass) in rounded[..n].iter_mut().zip(&columns.whole[MASS]) {
            *part = (mass * per_unit) as f32;
        }
        // those that fill up have no mass
        rounded[n..].fill(0.0);
        interleave(to, [fields - 2, fields, lanes], rounded);
    }
}
