//! The frame in which forces are computed: origin at the centre of mass, lengths, velocities and masses of order one.
//!
//! f32 keeps 24 bits of a position, so positions are taken relative to the centre of mass first (in f64), and every
//! unit is scaled by a power of two, which changes no bit of a mantissa: SI units, where r^-3 underflows, become
//! harmless. Results are scaled back in f64. The origin is rounded to a coarse grid, so that the frame, like the
//! scales, is the same to the last bit for any order of the bodies. Where a few bodies far away move the centre of mass out
//! of the system, the origin is that of the caller's coordinates ([`most_at_zero`]).

use super::{ForceTerms, Forces, Gravity};
use crate::law::smallest_eps2;
use crate::simd::Element;
use crate::{Bodies, Result};
use manybody_law::norm::power_of_two;

/// The coordinates of bodies that an evaluation depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Positions.
    Positions,
    /// Positions and velocities.
    PhaseSpace,
}

/// Units and origin of a force evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    origin: [f64; 3],
    drift: [f64; 3],
    length: f64,
    velocity: f64,
    mass: f64,
}

/// Eight sums or maxima side by side: a chain of additions would wait for each one.
fn lanes_of<const N: usize>(columns: [&[f64]; N], mut f: impl FnMut(&mut f64, [f64; N])) -> [f64; 8] {
    let mut held = [0.0; 8];
    let n = columns[0].len();
    for first in (0..n).step_by(8) {
        for (lane, held) in held.iter_mut().enumerate().take(n - first) {
            f(held, columns.map(|column| column[first + lane]));
        }
    }
    held
}

fn farthest(column: &[f64], origin: f64) -> f64 {
    lanes_of([column], |most, [q]| *most = most.max((q - origin).abs())).iter().copied().fold(0.0, f64::max)
}

fn farthest_of_three(columns: [&[f64]; 3], origin: [f64; 3]) -> f64 {
    (0..3).map(|k| farthest(columns[k], origin[k])).fold(0.0, f64::max)
}

/// As [`lanes_of`] adds up, for whole eights.
#[inline(always)]
fn total_by_eight(column: &[f64], mass: Option<&[f64]>) -> f64 {
    let mut held = [0.0; 8];
    let (eights, _) = column.as_chunks::<8>();
    match mass {
        Some(mass) => {
            for (q, m) in eights.iter().zip(mass.as_chunks::<8>().0) {
                for lane in 0..8 {
                    held[lane] += q[lane] * m[lane];
                }
            }
        }
        None => {
            for q in eights {
                for lane in 0..8 {
                    held[lane] += q[lane];
                }
            }
        }
    }
    held.iter().sum::<f64>()
}

/// As [`farthest_of_three`], for whole eights of which some are filling.
#[inline(always)]
fn farthest_by_eight(columns: [&[f64]; 3], origin: [f64; 3], counts: &[f64]) -> f64 {
    let mut most = [0.0_f64; 8];
    for k in 0..3 {
        for (q, counts) in columns[k].as_chunks::<8>().0.iter().zip(counts.as_chunks::<8>().0) {
            for lane in 0..8 {
                let away = ((q[lane] - origin[k]) * counts[lane]).abs();
                most[lane] = if away > most[lane] { away } else { most[lane] };
            }
        }
    }
    most.iter().fold(0.0, |a, b| if *b > a { *b } else { a })
}

/// A centre to 1/256 of the system's size: near enough, and the same number for any order of the bodies, in which their
/// sum is rounded.
#[inline(always)]
fn coarse(center: [f64; 3], size: f64) -> [f64; 3] {
    let grid = power_of_two(size) / 256.0;
    center.map(|q| {
        let nearest = (q / grid).round() * grid;
        // not finite: a centre at 1e308, or a system so much smaller than its distance that q / grid overflows
        if nearest.is_finite() { nearest } else { q }
    })
}

/// So many times nearer to the origin of coordinates than to the centre of mass are bodies that the latter does not suit:
/// ten bits of their positions would be lost there.
const NEARER: f64 = 1024.0;

/// Whether more than half of the bodies with mass are [`NEARER`] to the origin of coordinates than to this mean.
fn most_at_zero([x, y, z]: [&[f64]; 3], mass: &[f64], mean: [f64; 3]) -> bool {
    let votes = lanes_of([x, y, z, mass], |votes, [x, y, z, m]| *votes += vote([x, y, z], m, mean));
    votes.iter().sum::<f64>() > 0.0
}

/// 1 for a body that is [`NEARER`] to the origin of coordinates than to this mean, -1 for another one with mass, or 0.
#[inline(always)]
pub(super) fn vote([x, y, z]: [f64; 3], mass: f64, mean: [f64; 3]) -> f64 {
    let most = |x: f64, y: f64, z: f64| {
        let more = if x.abs() > y.abs() { x.abs() } else { y.abs() };
        if z.abs() > more { z.abs() } else { more }
    };
    let near = NEARER * most(x, y, z) < most(x - mean[0], y - mean[1], z - mean[2]);
    let vote = if near { 1.0 } else { -1.0 };
    if mass == 0.0 { 0.0 } else { vote }
}

/// As [`most_at_zero`] counts, for whole eights, where the mass of filling is 0.
#[inline(always)]
fn most_at_zero_by_eight(columns: [&[f64]; 3], mass: &[f64], mean: [f64; 3]) -> bool {
    let mut votes = [0.0_f64; 8];
    let [x, y, z] = columns.map(|column| column.as_chunks::<8>().0);
    for (((x, y), z), mass) in x.iter().zip(y).zip(z).zip(mass.as_chunks::<8>().0) {
        for lane in 0..8 {
            votes[lane] += vote([x[lane], y[lane], z[lane]], mass[lane], mean);
        }
    }
    votes.iter().sum::<f64>() > 0.0
}

/// The origin of vectors in columns, filled up to whole eights.
#[inline(always)]
fn center_by_eight(columns: [&[f64]; 3], mass: &[f64], counts: &[f64], total: f64) -> [f64; 3] {
    let mut mean = [0.0; 3];
    if total != 0.0 {
        mean = [
            total_by_eight(columns[0], Some(mass)) / total,
            total_by_eight(columns[1], Some(mass)) / total,
            total_by_eight(columns[2], Some(mass)) / total,
        ];
    }
    match most_at_zero_by_eight(columns, mass, mean) {
        true => [0.0; 3],
        false => coarse(mean, farthest_by_eight(columns, mean, counts)),
    }
}

/// A coordinate of the centre of mass.
fn mean(moment: f64, total: f64) -> f64 {
    if total == 0.0 { 0.0 } else { moment / total }
}

/// Which vectors of bodies.
#[derive(Clone, Copy)]
enum Of {
    Position,
    Velocity,
}

/// What a frame has to know of bodies.
trait Measured {
    /// The sum of their masses.
    fn total(&self) -> f64;
    fn most_mass(&self) -> f64;
    /// The sum of coordinate k times mass.
    fn moment(&self, of: Of, k: usize) -> f64;
    /// The largest distance from an origin along an axis.
    fn farthest(&self, of: Of, origin: [f64; 3]) -> f64;
    /// Whether 0 suits most bodies better than this mean, by [`most_at_zero`].
    fn most_at_zero(&self, of: Of, mean: [f64; 3]) -> bool;
    /// The smallest softening.
    fn least_eps(&self, gravity: &Gravity) -> f64;
}

impl Measured for Bodies {
    fn total(&self) -> f64 {
        lanes_of([&self.mass], |sum, [m]| *sum += m).iter().sum()
    }

    fn most_mass(&self) -> f64 {
        farthest(&self.mass, 0.0)
    }

    fn moment(&self, of: Of, k: usize) -> f64 {
        lanes_of([vectors(self, of)[k], &self.mass], |sum, [q, m]| *sum += q * m).iter().sum()
    }

    fn farthest(&self, of: Of, origin: [f64; 3]) -> f64 {
        farthest_of_three(vectors(self, of), origin)
    }

    fn most_at_zero(&self, of: Of, mean: [f64; 3]) -> bool {
        most_at_zero(vectors(self, of), &self.mass, mean)
    }

    fn least_eps(&self, gravity: &Gravity) -> f64 {
        self.eps.as_ref().map_or(gravity.eps, |eps| eps.iter().copied().fold(f64::INFINITY, f64::min))
    }
}

/// A coordinate of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Along {
    /// The smallest.
    pub low: f64,
    /// The largest; smaller than `low` where there are no bodies.
    pub high: f64,
    /// The sum of the coordinate times the mass.
    pub moment: f64,
}

/// What a [`Frame`] has to know of bodies that are not in the host's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The sum of the masses.
    pub mass: f64,
    /// The largest mass.
    pub most_mass: f64,
    /// The smallest softening of the bodies' own; `None` where all have that of the problem.
    pub least_eps: Option<f64>,
    /// Of the positions.
    pub position: [Along; 3],
    /// Of the velocities, where these count.
    pub velocity: [Along; 3],
    /// Whether most bodies are so much nearer to the origin of coordinates than to the centre of mass that the former is the
    /// better origin, for the positions and for the velocities. False costs them digits, and is not wrong.
    pub at_zero: [bool; 2],
}

impl Extent {
    /// The mean position and the mean velocity, by mass.
    pub fn means(&self) -> [[f64; 3]; 2] {
        [&self.position, &self.velocity].map(|along| along.map(|along| mean(along.moment, self.mass)))
    }

    fn along(&self, of: Of) -> &[Along; 3] {
        match of {
            Of::Position => &self.position,
            Of::Velocity => &self.velocity,
        }
    }
}

impl Measured for Extent {
    fn total(&self) -> f64 {
        self.mass
    }

    fn most_mass(&self) -> f64 {
        self.most_mass
    }

    fn moment(&self, of: Of, k: usize) -> f64 {
        self.along(of)[k].moment
    }

    /// Rounding keeps the order of numbers: the distance of the farthest is that of the smallest or of the largest.
    fn farthest(&self, of: Of, origin: [f64; 3]) -> f64 {
        let some = self.along(of).iter().zip(origin).filter(|(along, _)| along.low <= along.high);
        some.fold(0.0, |most, (along, origin)| most.max((along.low - origin).abs()).max((along.high - origin).abs()))
    }

    fn most_at_zero(&self, of: Of, _mean: [f64; 3]) -> bool {
        match of {
            Of::Position => self.at_zero[0],
            Of::Velocity => self.at_zero[1],
        }
    }

    fn least_eps(&self, gravity: &Gravity) -> f64 {
        self.least_eps.unwrap_or(gravity.eps)
    }
}

fn vectors(bodies: &Bodies, of: Of) -> [&[f64]; 3] {
    match of {
        Of::Position => positions(bodies),
        Of::Velocity => velocities(bodies),
    }
}

/// The size of two sets of bodies, as one source alone has no size.
fn size<M: Measured>(bodies: [&M; 2], of: Of, origin: [f64; 3]) -> f64 {
    let [a, b] = bodies.map(|bodies| bodies.farthest(of, origin));
    a.max(b)
}

/// So many times larger than the bodies is a softening that the unit of length follows: f32 has no room for its cube in units
/// of their size. Of different softenings it is the smallest one that decides: pairs with the others do not count beside it.
const SOFTER: f64 = (1 << 20) as f64;

/// Half the square of a softening, in units of length, is at most this in f32, where a larger one would be infinite: a pair
/// with such a softening adds nothing to a force.
pub(crate) const MAX_HALF_EPS2: f64 = (1_u128 << 119) as f64;

/// The unit of length of bodies of this size, a power of two.
#[inline(always)]
fn unit_of_length(size: f64, eps: f64) -> f64 {
    power_of_two(if eps.is_finite() && eps > SOFTER * size { eps } else { size })
}

fn positions(bodies: &Bodies) -> [&[f64]; 3] {
    [&bodies.x, &bodies.y, &bodies.z]
}

fn velocities(bodies: &Bodies) -> [&[f64]; 3] {
    [&bodies.vx, &bodies.vy, &bodies.vz]
}

impl Frame {
    /// The frame of these bodies, with a unit of velocity, and a velocity of the origin, if the coordinates have velocities.
    ///
    /// # Errors
    /// As [`Gravity::check`].
    pub fn new(bodies: &Bodies, gravity: &Gravity, of: Coordinates) -> Result<Self> {
        gravity.check()?;
        Ok(Self::measured(bodies, gravity, of))
    }

    /// The frame of bodies that are not in the host's memory.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_extent(extent: &Extent, gravity: &Gravity, of: Coordinates) -> Result<Self> {
        gravity.check()?;
        Ok(Self::measured(extent, gravity, of))
    }

    fn measured(bodies: &impl Measured, gravity: &Gravity, of: Coordinates) -> Self {
        let total = bodies.total();
        let center = |column: Of| {
            let mean = [0, 1, 2].map(|k| mean(bodies.moment(column, k), total));
            match bodies.most_at_zero(column, mean) {
                true => [0.0; 3],
                false => coarse(mean, bodies.farthest(column, mean)),
            }
        };
        let origin = center(Of::Position);
        let (drift, speed) = match of {
            Coordinates::Positions => ([0.0; 3], 1.0),
            Coordinates::PhaseSpace => {
                let drift = center(Of::Velocity);
                (drift, bodies.farthest(Of::Velocity, drift))
            }
        };
        Frame {
            length: unit_of_length(bodies.farthest(Of::Position, origin), bodies.least_eps(gravity)),
            velocity: power_of_two(speed),
            mass: power_of_two(bodies.most_mass() * gravity.g.abs()),
            origin,
            drift,
        }
    }

    /// The frame of bodies in columns that are filled up to a multiple of eight: the same bits as [`new`](Self::new)
    /// makes of the bodies. `counts` is 1 for a body and 0 for filling, whose mass is 0. `mass_unit` is that of
    /// [`new`](Self::new), and `eps` the softening of all bodies.
    #[inline(always)]
    pub(super) fn of_columns(position: [&[f64]; 3], mass: &[f64], counts: &[f64], mass_unit: f64, eps: f64) -> Self {
        let origin = center_by_eight(position, mass, counts, total_by_eight(mass, None));
        let length = unit_of_length(farthest_by_eight(position, origin, counts), eps);
        Frame { origin, drift: [0.0; 3], length, velocity: 1.0, mass: mass_unit }
    }

    /// The same of positions and velocities, from the factor of masses, G; and whether all are at rest in it.
    #[inline(always)]
    pub(super) fn of_moving_columns(
        columns: [&[f64]; 6],
        mass: &[f64],
        counts: &[f64],
        g: f64,
        eps: f64,
    ) -> (Self, bool) {
        let [x, y, z, vx, vy, vz] = columns;
        let total = total_by_eight(mass, None);
        let origin = center_by_eight([x, y, z], mass, counts, total);
        let drift = center_by_eight([vx, vy, vz], mass, counts, total);
        let most_mass = farthest_by_eight([mass, &[], &[]], [0.0; 3], counts);
        let speed = farthest_by_eight([vx, vy, vz], drift, counts);
        let frame = Frame {
            length: unit_of_length(farthest_by_eight([x, y, z], origin, counts), eps),
            velocity: power_of_two(speed),
            mass: power_of_two(most_mass * g.abs()),
            origin,
            drift,
        };
        (frame, speed == 0.0)
    }

    /// Number k of each body in this frame, as [`write`](Self::write) has it.
    #[inline(always)]
    pub(super) fn place(&self, k: usize, q: f64) -> f64 {
        (q - self.origin[k]) * (1.0 / self.length)
    }

    /// Its numbers: units of length, velocity and mass, origin, and velocity of the origin.
    pub fn numbers(&self) -> [f64; 9] {
        let ([x, y, z], [u, v, w]) = (self.origin, self.drift);
        [self.length, self.velocity, self.mass, x, y, z, u, v, w]
    }

    /// The frame of these [`numbers`](Self::numbers). `None` if a unit is not a power of two, or a number not finite.
    pub fn of_numbers(numbers: [f64; 9]) -> Option<Self> {
        let [length, velocity, mass, x, y, z, u, v, w] = numbers;
        let unit = |unit: f64| unit > 0.0 && unit == power_of_two(unit);
        let fine = [length, velocity, mass].into_iter().all(unit) && numbers.iter().all(|q| q.is_finite());
        fine.then_some(Frame { origin: [x, y, z], drift: [u, v, w], length, velocity, mass })
    }

    /// The unit of G times mass, a power of two.
    pub(super) fn mass_unit(&self) -> f64 {
        self.mass
    }

    /// The unit of length, a power of two.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The unit of acceleration, a power of two.
    #[inline(always)]
    pub fn acceleration(&self) -> f64 {
        self.mass / self.length / self.length
    }

    /// The unit of jerk, a power of two.
    pub fn jerk(&self) -> f64 {
        self.acceleration() / self.length * self.velocity
    }

    /// The unit of snap, a power of two.
    pub fn snap(&self) -> f64 {
        self.jerk() / self.length * self.velocity
    }

    /// The unit of accelerations of bodies that go into a force, a power of two: that of velocity and length. The unit of those
    /// that come out is [`acceleration`](Self::acceleration).
    pub fn motion(&self) -> f64 {
        self.velocity * self.velocity / self.length
    }

    /// Whether these bodies move as this frame does: then its unit of velocity is not theirs.
    fn is_at_rest(&self, bodies: &Bodies) -> bool {
        bodies.farthest(Of::Velocity, self.drift) == 0.0
    }

    /// This frame of bodies with a unit of velocity that those at rest do not leave far behind where they fall.
    #[must_use]
    pub fn falling(self, bodies: &Bodies) -> Self {
        self.at_least(1.0, self.is_at_rest(bodies))
    }

    /// The same with a unit of velocity so large that f32 has room for snaps, which grow as the fifth power of 1 / r, of bodies at
    /// distances from 1e-10 of the unit of length on.
    #[must_use]
    pub fn for_snaps(self, bodies: &Bodies) -> Self {
        self.for_snaps_of(self.is_at_rest(bodies))
    }

    pub(super) fn for_snaps_of(self, are_at_rest: bool) -> Self {
        self.at_least((1 << 24) as f64, are_at_rest)
    }

    /// A unit of velocity of at least so many times that of a fall.
    fn at_least(self, times: f64, are_at_rest: bool) -> Self {
        let falling = times * (0.5 * (self.mass / self.length).log2()).ceil().exp2();
        let velocity = if are_at_rest { falling } else { self.velocity.max(falling) };
        if velocity.is_finite() && velocity > 0.0 { Frame { velocity, ..self } } else { self }
    }

    /// The unit of potential, a power of two.
    pub fn potential(&self) -> f64 {
        self.mass / self.length
    }

    /// The frame of `sources` with lengths and velocities that also hold the targets'.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn between(targets: &Bodies, sources: &Bodies, gravity: &Gravity, of: Coordinates) -> Result<Self> {
        Ok(Frame::new(sources, gravity, of)?.holding_both([targets, sources], gravity, of))
    }

    /// This frame with the length that holds these bodies.
    #[must_use]
    pub fn holding(self, bodies: [&Bodies; 2], gravity: &Gravity) -> Self {
        self.holding_both(bodies, gravity, Coordinates::Positions)
    }

    /// [`between`](Self::between) bodies that are not in the host's memory.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn between_extents(targets: &Extent, sources: &Extent, gravity: &Gravity, of: Coordinates) -> Result<Self> {
        Ok(Frame::of_extent(sources, gravity, of)?.holding_both([targets, sources], gravity, of))
    }

    fn holding_both<M: Measured>(self, bodies: [&M; 2], gravity: &Gravity, of: Coordinates) -> Self {
        let [a, b] = bodies.map(|bodies| bodies.least_eps(gravity));
        let length = unit_of_length(size(bodies, Of::Position, self.origin), a.min(b));
        let velocity = match of {
            Coordinates::Positions => self.velocity,
            Coordinates::PhaseSpace => power_of_two(size(bodies, Of::Velocity, self.drift)),
        };
        Frame { length, velocity, ..self }
    }

    /// Writes number `field` of every body, in this frame: x, y, z, then vx, vy, vz if the coordinates have them, then
    /// mass, then half eps^2, the body's own or the common one.
    pub fn write<T: Element>(&self, bodies: &Bodies, gravity: &Gravity, of: Coordinates, field: usize, to: &mut [T]) {
        use Coordinates::{PhaseSpace, Positions};
        // all units are powers of two: dividing by them is multiplying by their inverse, bit for bit
        let affine = |to: &mut [T], from: &[f64], origin: f64, unit: f64| {
            let inverse = 1.0 / unit;
            to.iter_mut().zip(from).for_each(|(to, q)| *to = T::from_f64((q - origin) * inverse));
        };
        match (field, of) {
            (0..3, _) => affine(to, positions(bodies)[field], self.origin[field], self.length),
            (3..6, PhaseSpace) => affine(to, velocities(bodies)[field - 3], self.drift[field - 3], self.velocity),
            (3, Positions) | (6, PhaseSpace) => {
                let unit = gravity.g / self.mass;
                to.iter_mut().zip(&bodies.mass).for_each(|(to, m)| *to = T::from_f64(m * unit));
            }
            _ => {
                let least = 0.5 * smallest_eps2(T::DOUBLE);
                let most = if T::DOUBLE { f64::MAX } else { MAX_HALF_EPS2 };
                let half = |eps: f64| T::from_f64((0.5 * (eps / self.length).powi(2)).max(least).min(most));
                match &bodies.eps {
                    Some(eps) => to.iter_mut().zip(eps).for_each(|(to, eps)| *to = half(*eps)),
                    None => to.fill(half(gravity.eps)),
                }
            }
        }
    }

    /// The law's parameter: eps^2.
    #[inline(always)]
    pub fn parameters<T: Element>(&self, gravity: &Gravity) -> [T; 1] {
        let eps = gravity.eps / self.length;
        [T::from_f64((eps * eps).max(smallest_eps2(T::DOUBLE)))]
    }

    /// Results of the kernels, ax ay az, then with `jerk` jx jy jz, then with potential pot, in the caller's units.
    pub fn unscale<T: Element>(&self, raw: &[Vec<T>], terms: ForceTerms, out: &mut Forces) {
        let acc = self.acceleration();
        let jerk = self.jerk();
        let pot = self.potential();
        let copy = |to: &mut Vec<f64>, from: &[T], unit: f64| {
            to.clear();
            to.extend(from.iter().map(|value| value.to_f64() * unit));
        };
        let mut raw = raw.iter();
        let mut next = |to: &mut Vec<f64>, unit: f64, wanted: bool| match wanted {
            true => copy(to, raw.next().map_or(&[], Vec::as_slice), unit),
            false => to.clear(),
        };
        for to in [&mut out.ax, &mut out.ay, &mut out.az] {
            next(to, acc, true);
        }
        for to in [&mut out.jx, &mut out.jy, &mut out.jz] {
            next(to, jerk, terms.jerk);
        }
        next(&mut out.pot, pot, terms.potential || terms.jerk);
    }
}
