//! Accelerations, jerks and snaps of active bodies in mixed precision: a position is two f32, velocities, accelerations and terms are
//! f32, and so are sums of the terms of 16 vectors at most; all others are f64.

use super::{Active, fill_up, filled, interleave};
use crate::forces::Derivatives;
use crate::frame::{Frame, MAX_HALF_EPS2};
use crate::law::{SplitGravityJerk, SplitGravitySnap, smallest_eps2};
use crate::simd::{Kernel, Lanes, launch};
use crate::watch::Watch;
use crate::{Bodies, Gravity, Result};
use manybody_ranks::Team;

/// Numbers of a body: position, velocity, mass.
const WHOLE: usize = 7;
const MASS: usize = 6;
/// Numbers of a [`SplitGravityJerk`]'s body; a [`SplitGravitySnap`]'s has its acceleration, too, before the mass.
const FIELDS: usize = 11;

/// The bodies that act, in columns that are filled up to whole eights: what a frame is measured of.
#[derive(Clone, Copy, Debug)]
struct Sources<'a> {
    /// How many there are.
    n: usize,
    whole: [&'a [f64]; WHOLE],
    /// 1 for a body, and 0 for filling.
    counts: &'a [f64],
    /// Where there are to be snaps.
    accelerations: Option<[&'a [f64]; 3]>,
}

/// Memory for [`Sources`], from call to call.
#[derive(Debug, Default)]
pub(super) struct Columns {
    n: usize,
    counts: Vec<f64>,
    /// Those of all bodies that do not act.
    massless: Vec<usize>,
    whole: [Vec<f64>; WHOLE],
    accelerations: [Vec<f64>; 3],
}

impl Columns {
    /// The bodies with mass: where they are, if these are all, and whole eights; otherwise copies.
    fn sources<'a>(&'a mut self, bodies: &'a Bodies, accelerations: Option<[&'a [f64]; 3]>) -> Sources<'a> {
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
        let columns = [x, y, z, vx, vy, vz, mass].map(Vec::as_slice);
        let is_massless = |mass: &f64| *mass == 0.0;
        self.massless.clear();
        // few runs have bodies without mass, and to count them takes less time than to find them
        if mass.iter().filter(|mass| is_massless(mass)).count() > 0 {
            self.massless.extend((0..mass.len()).filter(|k| is_massless(&mass[*k])));
        }
        let n = mass.len() - self.massless.len();
        let filled = n.next_multiple_of(8);
        if (self.n, self.counts.len()) != (n, filled) {
            self.n = n;
            self.counts.clear();
            self.counts.resize(n, 1.0);
            self.counts.resize(filled, 0.0);
        }
        if self.massless.is_empty() && filled == n {
            return Sources { n, whole: columns, counts: &self.counts, accelerations };
        }
        // those between two without mass are copied at once
        let copy = |from: &[f64], to: &mut Vec<f64>| {
            to.clear();
            let mut begin = 0;
            for end in self.massless.iter().copied() {
                to.extend_from_slice(&from[begin..end]);
                begin = end + 1;
            }
            to.extend_from_slice(&from[begin..]);
            to.resize(filled, 0.0);
        };
        columns.iter().zip(&mut self.whole).for_each(|(from, to)| copy(from, to));
        let whole = self.whole.each_ref().map(Vec::as_slice);
        let accelerations = accelerations.map(|columns| {
            columns.iter().zip(&mut self.accelerations).for_each(|(from, to)| copy(from, to));
            self.accelerations.each_ref().map(Vec::as_slice)
        });
        Sources { n, whole, counts: &self.counts, accelerations }
    }
}

/// Measures a frame, with the vectors of the machine.
struct Measure<'a> {
    sources: Sources<'a>,
    g: f64,
    least_eps: f64,
}

impl Kernel<f64> for Measure<'_> {
    type Output = (Frame, bool);
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _token: V::Token) -> (Frame, bool) {
        let Sources { whole: [x, y, z, vx, vy, vz, mass], counts, .. } = self.sources;
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
        let from = columns.sources(bodies, accelerations);
        let frame = other_frame.unwrap_or_else(|| {
            let own = bodies.eps.iter().flatten().zip(&bodies.mass).filter(|(_, mass)| **mass != 0.0);
            let least_eps = match bodies.eps {
                None => gravity.eps,
                Some(_) => own.map(|(eps, _)| *eps).fold(f64::INFINITY, f64::min),
            };
            let (frame, is_at_rest) = launch(self.level, Measure { sources: from, g: gravity.g, least_eps });
            if snaps { frame.for_snaps_of(is_at_rest) } else { frame }
        });
        self.column.clear();
        match &bodies.eps {
            None => self.column.resize(from.n, half_eps2(gravity.eps, &frame)),
            Some(eps) => {
                let massive = eps.iter().zip(&bodies.mass).filter(|(_, mass)| **mass != 0.0);
                self.column.extend(massive.map(|(eps, _)| half_eps2(*eps, &frame)));
            }
        }
        let units = Units::of(&frame, gravity);
        let fields = FIELDS + if snaps { 3 } else { 0 };
        let lanes = self.make_room(from.n, fields);
        let (half, to, rounded) = (&self.column[..], self.sources.as_mut_slice(), &mut self.rounded);
        launch(self.level, Gather { from, half, units: &units, shape: [fields, lanes], to, rounded });
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
    from: Sources<'a>,
    /// Half the squares of softenings, in units of the frame.
    half: &'a [f64],
    units: &'a Units,
    /// Numbers of a body, and lanes of a vector.
    shape: [usize; 2],
    to: &'a mut [f32],
    rounded: &'a mut Vec<f32>,
}

impl Kernel<f64> for Gather<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _token: V::Token) {
        let Gather { from: Sources { n, whole, accelerations, .. }, half, units, shape, to, rounded } = self;
        let [fields, lanes] = shape;
        rounded.clear();
        rounded.resize(n.next_multiple_of(lanes), 0.0);
        let mut put = |place: usize, from: &[f32]| fill_up(interleave(to, [place, fields, lanes], from), n, lanes);
        for (number, (column, (off, per_unit))) in whole[..MASS].iter().zip(units.of_whole).enumerate() {
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
        for (axis, column) in accelerations.iter().flatten().enumerate() {
            for (part, a) in rounded[..n].iter_mut().zip(*column) {
                *part = (a * units.of_acceleration) as f32;
            }
            put(9 + axis, &rounded[..n]);
        }
        for (part, half) in rounded[..n].iter_mut().zip(half) {
            *part = *half as f32;
        }
        put(fields - 1, &rounded[..n]);
        let per_unit = units.of_whole[MASS].1;
        for (part, mass) in rounded[..n].iter_mut().zip(whole[MASS]) {
            *part = (mass * per_unit) as f32;
        }
        // those that fill up have no mass
        rounded[n..].fill(0.0);
        interleave(to, [fields - 2, fields, lanes], rounded);
    }
}
