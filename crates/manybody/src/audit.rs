//! Audit: how wrong the forces of this very run are.
//!
//! A random sample of bodies, named by a seed, gets its force a second time: in f64, pair by pair in the order of the
//! bodies, with compensated sums [Neumaier 1974], by a loop that shares no code with any solver. The report is
//!
//! ```text
//! |a - a_ref| / rms |a_ref|     median, 99 %, 99.9 % and the largest of the sample
//! |sum m a| / sum m |a|         over all bodies: 0 by Newton's third law
//! ```
//!
//! (A body's own relative error says little: where forces cancel, it has no bound.) The cost is a sample's n pairs, 13
//! ns each on a core in a debug build (Xeon, 2026-11).
//!
//! [`check`] acts on what it finds: `limit` says how far forces may be off by rounding, and beyond that they are an
//! error.

mod expansion;
mod hard;
pub(crate) mod jerk;
pub mod law;
mod limit;

use crate::diagnostics::{Compensated, length};
use crate::forces::Audited;
use crate::ic::random::Random;
use crate::law::bounds::Rounding;
use crate::solver::{Forces, Gravity, Method, Precision};
use crate::watch::{Look, Watch};
use crate::{Bodies, Error, Result};
pub use expansion::{EXPANSION_SAMPLE, check_tuned, tightened};
pub use hard::hard;
use limit::Limits;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// So few pairs are computed on the calling thread: others would have to be woken, which takes longer.
const SOON: usize = 1 << 14;

/// Errors of the accelerations of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ForceErrors {
    /// How many bodies were audited.
    pub sample: usize,
    /// Half of the sample is below, in units of the root mean square acceleration, as the next three.
    pub median: f64,
    /// 99 % of the sample are at most this.
    pub p99: f64,
    /// 99.9 % of the sample are at most this.
    pub p999: f64,
    /// The largest.
    pub max: f64,
    /// |sum m a| / sum m |a| of all bodies.
    pub net: f64,
    /// 99 % of the sample have an error of at most this in units of their own acceleration, where forces are computed by
    /// expansions, which promise that.
    pub relative: Option<f64>,
    /// The largest error of a potential, in units of the root mean square of the sample's, where there are potentials.
    pub potential: Option<f64>,
    /// The largest error of a jerk, in units of the root mean square of the sample's, where the scheme of a run needs jerks.
    pub jerk: Option<f64>,
}

/// Accelerations and potentials that are off by more than this, in units of the root mean square one, are reported even
/// where the precision explains it.
const MAX_UNREPORTED: f64 = 0.1;

/// The same of accelerations by expansions of which no error is promised, in units of their own.
const MAX_BY_ANGLE: f64 = 0.01;

impl ForceErrors {
    /// What must be said of errors that the precision explains, or the angle that was asked for: where they are so large that
    /// the numbers are of no use for what they are about.
    pub fn warning(&self, method: &Method) -> Option<String> {
        let precision = method.precision;
        let remedy = match precision {
            Precision::F32 => "--precision mixed and f64 have more",
            Precision::Mixed => "--precision f64 has more",
            Precision::F64 => "--solver reference takes differences of the coordinates as they are given",
        };
        if method.solver.is_by_expansion() {
            let relative = self.relative.filter(|error| *error > MAX_BY_ANGLE && method.expansion.promise().is_none());
            return relative.map(|error| {
                format!(
                    "1 in 100 accelerations is off by {error:.1e} of itself or more, as --theta promises no error: a smaller \
                     one or a higher --order has a smaller error, and --rtol in place of --theta chooses both"
                )
            });
        }
        let potential = self.potential.unwrap_or(0.0);
        let (what, error, size) = match self.max > MAX_UNREPORTED {
            true => ("accelerations", self.max, "rms|a|"),
            false => ("potentials", potential, "their rms"),
        };
        (error > MAX_UNREPORTED).then(|| {
            format!(
                "{what} are off by up to {error:.1e} of {size}: some bodies are so close to each other, for their distance \
                 from the centre, that {precision} has too few digits; {remedy}"
            )
        })
    }
}

/// What must be said of masses that are below the range of f32 beside the largest one, where that is the precision: such
/// bodies attract no other one.
pub fn range_warning(bodies: &Bodies, precision: Precision) -> Option<String> {
    let most = bodies.mass.iter().fold(0.0_f64, |most, m| most.max(m.abs()));
    let least = match precision {
        Precision::F64 => return None,
        _ => most * f64::from(f32::MIN_POSITIVE),
    };
    let count = bodies.mass.iter().filter(|m| **m != 0.0 && m.abs() < least).count();
    let one = if count == 1 { "body attracts" } else { "bodies attract" };
    (count > 0).then(|| {
        format!(
            "{count} {one} no other one: beside the largest mass, theirs are below the range of {precision}; --precision f64 \
             has more"
        )
    })
}

/// Which bodies to audit: this share of them, at least `least`, at most all. The sample depends on `n`, `fraction`,
/// `least` and `stream` alone.
pub fn sample(n: usize, fraction: f64, least: usize, stream: u64) -> Vec<usize> {
    let count = ((fraction * n as f64).ceil() as usize).max(least).min(n);
    let mut random = Random::new("audit", 1, stream);
    // Floyd's sampling [Bentley 1987]: count numbers drawn, each body as likely as any other
    let mut chosen = BTreeSet::new();
    for last in n - count..n {
        let drawn = ((u128::from(random.bits()) * (last as u128 + 1)) >> 64) as usize;
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// The reference acceleration of body `i`: O(n).
pub fn acceleration(bodies: &Bodies, gravity: &Gravity, i: usize) -> [f64; 3] {
    reference(bodies, gravity, i, false).0
}

/// The same with the potential, if it is `wanted`.
fn reference(bodies: &Bodies, gravity: &Gravity, i: usize, wanted: bool) -> ([f64; 3], f64) {
    let plain = Place::new(bodies, gravity);
    plain.reference(i, wanted).unwrap_or_else(|| plain.reference_by_units(i, wanted))
}

/// The system in a unit of length, a power of two: another one than 1 where squares of lengths would overflow.
#[derive(Clone, Copy)]
struct Place<'a> {
    bodies: &'a Bodies,
    gravity: &'a Gravity,
    /// One over the unit.
    scale: f64,
}

impl<'a> Place<'a> {
    fn new(bodies: &'a Bodies, gravity: &'a Gravity) -> Self {
        Place { bodies, gravity, scale: 1.0 }
    }

    fn in_own_units(self) -> Self {
        Place { scale: 1.0 / self.size(), ..self }
    }

    fn of(&self, i: usize) -> [f64; 3] {
        self.bodies.position(i).map(|q| q * self.scale)
    }

    /// The square of a pair's softening, in a unit that is 1 over `scale`.
    fn eps2_in(&self, scale: f64, i: usize, j: usize) -> f64 {
        let square = |eps: f64| (eps * scale) * (eps * scale);
        match &self.bodies.eps {
            Some(eps) => (square(eps[i]) + square(eps[j])) / 2.0,
            None => square(self.gravity.eps),
        }
    }

    fn eps2(&self, i: usize, j: usize) -> f64 {
        self.eps2_in(self.scale, i, j)
    }

    /// The power of two at or above the largest coordinate and softening.
    fn size(&self) -> f64 {
        let Bodies { x, y, z, eps, .. } = self.bodies;
        let most = |column: &[f64]| column.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let own = eps.as_deref().map_or(self.gravity.eps, most);
        power_of_two(most(x).max(most(y)).max(most(z)).max(own))
    }

    /// What the other bodies add to the four sums of body `i`.
    fn sums(&self, i: usize, mut add: impl FnMut(usize, [f64; 3], &mut [Compensated; 4])) -> ([f64; 3], f64) {
        let at = self.of(i);
        let mut sums = [Compensated::default(); 4];
        for j in (0..i).chain(i + 1..self.bodies.len()) {
            let place = self.of(j);
            add(j, [place[0] - at[0], place[1] - at[1], place[2] - at[2]], &mut sums);
        }
        let [x, y, z, pot] = sums.map(|sum| sum.total());
        ([x, y, z], pot)
    }

    /// `None` where squares or cubes of distances leave the range of f64.
    fn reference(&self, i: usize, wanted: bool) -> Option<([f64; 3], f64)> {
        let mut holds = true;
        let found = self.sums(i, |j, d, sums| {
            let (r2, eps2) = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2], self.eps2(i, j));
            let s2 = r2 + eps2;
            holds &= s2 < 1e200 && (s2 > 1e-200 || d == [0.0; 3]);
            if s2 > 0.0 {
                let (m, softening) = (self.gravity.g * self.bodies.mass[j], self.gravity.softening);
                let f = softening.force(m, r2, eps2);
                (0..3).for_each(|k| sums[k].add(f * d[k]));
                if wanted {
                    sums[3].add(-softening.potential(m, r2, eps2));
                }
            }
        });
        holds.then_some(found)
    }

    /// The same with each pair in a unit of its own, in which its distance is of order one.
    fn reference_by_units(&self, i: usize, wanted: bool) -> ([f64; 3], f64) {
        let own = |i: usize| self.bodies.eps.as_ref().map_or(self.gravity.eps, |eps| eps[i]);
        self.sums(i, |j, d, sums| {
            let most = d.iter().fold(own(i).max(own(j)), |most, d| most.max(d.abs()));
            if most == 0.0 {
                return;
            }
            let unit = power_of_two(most);
            let d = d.map(|d| d / unit);
            let (r2, eps2) = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2], self.eps2_in(1.0 / unit, i, j));
            let (of_unit, softening) = (self.gravity.g * self.bodies.mass[j] / unit, self.gravity.softening);
            let f = softening.force(of_unit, r2, eps2) / unit;
            (0..3).for_each(|k| sums[k].add(f * d[k]));
            if wanted {
                sums[3].add(-softening.potential(of_unit, r2, eps2));
            }
        })
    }
}

/// The power of two at or above a length; 1 for 0.
fn power_of_two(size: f64) -> f64 {
    if size > 0.0 { size.log2().ceil().clamp(-1000.0, 1000.0).exp2() } else { 1.0 }
}

/// Holds the accelerations in `forces` against the reference at the bodies of a [`sample`].
///
/// # Errors
/// [`Error::NotFinite`] for an acceleration that is infinite or NaN, of any body, and for a reference that overflows.
pub fn audit(bodies: &Bodies, gravity: &Gravity, forces: &Forces, sample: &[usize], time: f64) -> Result<ForceErrors> {
    Ok(compare(bodies, gravity, forces, sample, time, &Watch::default())?.0)
}

/// An [`audit`] that acts: accelerations and potentials (if there are any) must be as near to the reference as the
/// precision allows, or, where a `limit` is given, accelerations to that, as [`ForceErrors::max`] counts.
///
/// # Errors
/// As [`audit`]; [`Error::Audit`] for the body that is the furthest off, of those that are too far.
pub fn check(
    bodies: &Bodies,
    gravity: &Gravity,
    forces: &Forces,
    sample: &[usize],
    time: f64,
    method: &Method,
    limit: Option<f64>,
) -> Result<ForceErrors> {
    check_watched(gravity, &Audited { bodies, forces, sample, time, method, limit }, &Watch::default())
}

/// [`check`] that can be ended, where `watch` is for so many pairs: the bodies of the sample times all.
///
/// # Errors
/// As [`check`]; [`Error::Interrupted`] where the watch ends it.
pub fn check_watched(gravity: &Gravity, audited: &Audited<'_>, watch: &Watch) -> Result<ForceErrors> {
    let Audited { bodies, forces, sample, time, method, limit } = *audited;
    let (mut found, rms, held) = compare(bodies, gravity, forces, sample, time, watch)?;
    if method.solver.is_by_expansion() {
        found.relative = Some(relative(&held));
    }
    let error = |held: &Held, result: &str, error: f64, limit: f64, cause: String| Error::Audit {
        time,
        index: held.index,
        id: bodies.id[held.index],
        result: result.into(),
        error,
        limit,
        cause,
    };
    if let Some(limit) = limit {
        check_limit(bodies, &held, rms, limit, time)?;
        return Ok(found);
    }
    if method.solver.is_by_expansion() {
        return match method.expansion.promise() {
            Some(rtol) => expansion::check(bodies, &held, rtol, time).map(|()| found),
            None => Ok(found),
        };
    }
    // a term alone has forty roundings: what is off by fewer needs no bound
    let unit = if method.precision == Precision::F64 { Rounding::F64.unit } else { Rounding::F32.unit };
    let doubtful: Vec<&Held> = held
        .iter()
        .filter(|held| held.acc > 16.0 * unit * held.size || held.pot > 16.0 * unit * held.want_pot.abs())
        .collect();
    if doubtful.is_empty() {
        return Ok(found);
    }
    let place = match Place::new(bodies, gravity) {
        plain if (1e-60..1e60).contains(&plain.size()) => plain,
        plain => plain.in_own_units(),
    };
    let limits = Limits::new(bodies, place, method)?;
    let judge = |held: &Held| {
        let [acc, pot] = limits.of(held.index);
        let [acc, pot] = [acc * place.scale * place.scale, pot * place.scale];
        [(held.acc > acc).then_some((true, acc)), (held.pot > pot).then_some((false, pot))]
    };
    let judged = each(&doubtful, bodies.len(), watch, |_, held| judge(held))?;
    let beyond = doubtful
        .iter()
        .zip(judged)
        .flat_map(|(held, judged)| judged.into_iter().flatten().map(move |(acc, limit)| (*held, acc, limit)));
    let worst = beyond.max_by(|a, b| {
        let share = |(held, acc, _): &(&Held, bool, f64)| match *acc {
            true => held.acc / rms,
            false => held.pot / held.want_pot.abs().max(f64::MIN_POSITIVE),
        };
        share(a).total_cmp(&share(b))
    });
    match worst {
        None => Ok(found),
        Some((held, true, limit)) => Err(error(held, ACCELERATION, held.acc / rms, limit / rms, unexplained(method))),
        Some((held, false, limit)) => {
            let scale = held.want_pot.abs().max(f64::MIN_POSITIVE);
            Err(error(held, "potential, in its own size,", held.pot / scale, limit / scale, unexplained(method)))
        }
    }
}

/// Why a result is refused that is further off than its precision explains.
fn unexplained(method: &Method) -> String {
    format!(
        "the most that {} on {} explains: this answer is wrong, whatever the time step. Another --device or --solver shows \
         whose fault it is",
        method.precision, method.device
    )
}

/// Refuses accelerations that are further from the reference than a `limit` that was set.
fn check_limit(bodies: &Bodies, held: &[Held], rms: f64, limit: f64, time: f64) -> Result<()> {
    let worst = held.iter().max_by(|a, b| a.acc.total_cmp(&b.acc));
    match worst.filter(|held| held.acc / rms > limit) {
        Some(held) => Err(Error::Audit {
            time,
            index: held.index,
            id: bodies.id[held.index],
            result: ACCELERATION.into(),
            error: held.acc / rms,
            limit,
            cause: "the limit that was set".into(),
        }),
        None => Ok(()),
    }
}

/// The error that 99 % stay at or below, each relative to its own acceleration.
fn relative(held: &[Held]) -> f64 {
    let mut errors: Vec<f64> = held.iter().map(Held::relative).collect();
    errors.sort_by(f64::total_cmp);
    errors.get((errors.len().saturating_sub(1) as f64 * 0.99).ceil() as usize).copied().unwrap_or(0.0)
}

/// The length of a vector whose square may overflow.
fn size(a: [f64; 3]) -> f64 {
    let most = a.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
    match most {
        most if (1e-140..1e140).contains(&most) => length(a),
        0.0 => a.iter().sum(), // 0, or NaN where a component is NaN
        most => most * length(a.map(|a| a / most)),
    }
}

/// The largest error of a potential, in units of the root mean square one.
fn potential_error(held: &[Held]) -> f64 {
    let most = held.iter().fold(0.0_f64, |most, held| most.max(held.want_pot.abs()));
    let scale = if most > 0.0 { most } else { 1.0 };
    let mean_square = held.iter().map(|held| (held.want_pot / scale).powi(2)).sum::<f64>() / held.len().max(1) as f64;
    let rms = if mean_square > 0.0 { mean_square.sqrt() } else { 1.0 };
    held.iter().fold(0.0_f64, |most, held| most.max(held.pot / scale)) / rms
}

const ACCELERATION: &str = "acceleration, in rms|a|,";

/// A body, how far its results are from the reference, and how large these are.
struct Held {
    index: usize,
    acc: f64,
    size: f64,
    pot: f64,
    want_pot: f64,
}

impl Held {
    /// The error in units of the body's own acceleration; 0 where there is neither.
    fn relative(&self) -> f64 {
        if self.acc == 0.0 { 0.0 } else { self.acc / self.size }
    }
}

fn compare(
    bodies: &Bodies,
    gravity: &Gravity,
    forces: &Forces,
    sample: &[usize],
    time: f64,
    watch: &Watch,
) -> Result<(ForceErrors, f64, Vec<Held>)> {
    let wanted = !forces.pot.is_empty();
    compare_with(bodies, forces, sample, time, watch, |_, i| reference(bodies, gravity, i, wanted))
}

/// A pair of the reference, in f64 without vectors, takes as long as so many of the solvers (36 ns; 0.28 ns with
/// AVX-512), by which a [watch](crate::watch::LONG) says what is long.
const SLOWER: u64 = 128;

/// What `work` makes of each, of which each costs its pairs with `n` bodies: on all threads, but where that takes longer.
///
/// # Errors
/// [`Error::Interrupted`] where the watch ends it.
fn each<T: Sync, R: Send>(of: &[T], n: usize, watch: &Watch, work: impl Fn(usize, &T) -> R + Sync) -> Result<Vec<R>> {
    let pairs = of.len() * n;
    if pairs <= SOON {
        return Ok(of.iter().enumerate().map(|(k, item)| work(k, item)).collect());
    }
    let look = watch.begin((pairs as u64).saturating_mul(SLOWER), of.len() as u64);
    let one = |(k, item): (usize, &T)| {
        let done = look.as_ref().is_none_or(|look| !look.ends()).then(|| work(k, item));
        look.iter().for_each(Look::count);
        done.ok_or(Error::Interrupted)
    };
    of.par_iter().enumerate().map(one).collect()
}

/// The same by any `reference`, which gets the place in the sample and the index of a body.
fn compare_with(
    bodies: &Bodies,
    forces: &Forces,
    sample: &[usize],
    time: f64,
    watch: &Watch,
    reference: impl Fn(usize, usize) -> ([f64; 3], f64) + Sync,
) -> Result<(ForceErrors, f64, Vec<Held>)> {
    let acc = |i: usize| [forces.ax[i], forces.ay[i], forces.az[i]];
    let not_finite =
        |index: usize, quantity, value| Error::NotFinite { time, index, id: bodies.id[index], quantity, value };
    if let Some(index) = (0..bodies.len()).find(|i| acc(*i).iter().any(|a| !a.is_finite())) {
        let value = acc(index).into_iter().find(|a| !a.is_finite()).unwrap_or(f64::NAN);
        return Err(not_finite(index, "acceleration", value));
    }
    let error = |k: usize, i: &usize| {
        let ((want, want_pot), got) = (reference(k, *i), acc(*i));
        let off = size([got[0] - want[0], got[1] - want[1], got[2] - want[2]]);
        let pot = forces.pot.get(*i).map_or(0.0, |got| (got - want_pot).abs());
        Held { index: *i, acc: off, size: size(want), pot, want_pot }
    };
    let held = each(sample, bodies.len(), watch, error)?;
    if let Some(held) = held.iter().find(|held| !(held.acc.is_finite() && held.pot.is_finite())) {
        return Err(not_finite(held.index, "acceleration of the audit's reference", held.size));
    }
    let mean_square = |unit: f64| held.iter().map(|held| (held.size / unit).powi(2)).sum::<f64>() / held.len() as f64;
    let most = held.iter().map(|held| held.size).fold(0.0, f64::max);
    let rms = match most {
        0.0 => 1.0,
        most if (1e-140..1e140).contains(&most) => mean_square(1.0).sqrt(),
        most => most * mean_square(most).sqrt(),
    };
    let mut errors: Vec<f64> = held.iter().map(|held| held.acc / rms).collect();
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| match errors.len() {
        0 => 0.0,
        n => errors[((n - 1) as f64 * share).ceil() as usize],
    };
    let found = ForceErrors {
        sample: sample.len(),
        median: at(0.5),
        p99: at(0.99),
        p999: at(0.999),
        max: at(1.0),
        net: net_force(bodies, forces),
        relative: None,
        potential: (!forces.pot.is_empty()).then(|| potential_error(&held)),
        jerk: None,
    };
    Ok((found, rms, held))
}

/// |sum m a| / sum m |a|: 0 by Newton's third law, rounding apart.
pub fn net_force(bodies: &Bodies, forces: &Forces) -> f64 {
    // in units in which products of large masses and accelerations do not overflow
    let most = |columns: &[&[f64]]| columns.iter().flat_map(|q| q.iter()).fold(0.0_f64, |most, q| most.max(q.abs()));
    let per_mass = 1.0 / power_of_two(most(&[&bodies.mass]));
    let per_acceleration = 1.0 / power_of_two(most(&[&forces.ax, &forces.ay, &forces.az]));
    let acc = |i: usize| [forces.ax[i], forces.ay[i], forces.az[i]].map(|a| a * per_acceleration);
    let mass = |i: usize| bodies.mass[i] * per_mass;
    let sum = |term: &dyn Fn(usize) -> f64| (0..bodies.len()).map(term).collect::<Compensated>().total();
    let net = length([0, 1, 2].map(|k| sum(&|i| mass(i) * acc(i)[k])));
    let scale = sum(&|i| mass(i) * length(acc(i)));
    if scale > 0.0 { net / scale } else { net }
}

#[cfg(test)]
mod tests;
