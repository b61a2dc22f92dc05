//! How far accelerations and potentials may be off: bounds from the operations of a pair and the order of the sum.
//!
//! A solver rounds positions, computes each pair's term and adds the terms up. With u the unit roundoff of the terms and
//! capitals for sizes relative to the origin of the solvers ([`Frame`]), mostly the centre of mass,
//!
//! ```text
//! e_ij      = u (|X_i| + |X_j|) + 3 u r_ij                         the difference of two positions, as a vector
//! s^2       in ( (r - e)^2 + eps^2, (r + e)^2 + eps^2 )            so r^-3 lies between two numbers
//! |da_ij|  <= G m_j ( |s'^-3 - s^-3| r + s'^-3 e ) + c u |a_ij|    c: roundings of a term [Higham 2002, sect. 3.3]
//! |da_i|   <= sum_j |da_ij| + h u' sum_j |a_ij|                    h: additions one after the other [Higham 2002, sect. 4.2]
//! ```
//!
//! and the potential likewise. No bound comes out where two bodies without softening are closer than their positions are
//! known: it is infinite there. [`SAFETY`] covers what is of second order and how far drivers may rearrange a term.

use super::{Place, power_of_two};
use crate::diagnostics::{Compensated, length};
use crate::law::bounds::Rounding;
use crate::law::smallest_eps2;
use crate::solver::{Coordinates, Device, Frame, Method, Precision, Softening, SolverName, Summation};
use crate::{Bodies, Result};
use manybody_pairwise::fixed_ranges;

/// What bounds are multiplied by. They are of first order in u; and compilers of shaders may reassociate the dozen
/// operations of a term, which doubles its roundings at worst. (In the tests' random systems the largest error is 0.45 of the
/// bound before this factor, that of single pairs; sums of thousands of terms reach 0.01 of it.)
pub(super) const SAFETY: f64 = 2.0;

/// Half a unit in the last place of f64.
const U64: f64 = Rounding::F64.unit;

/// What bounds need to know of a system and of how its forces were computed.
pub(super) struct Limits<'a> {
    bodies: &'a Bodies,
    place: Place<'a>,
    /// Unit roundoff of terms, and of a coordinate.
    unit: f64,
    coordinate: f64,
    /// Roundings of a term of the acceleration and of the potential, in `unit`.
    roundings: [f64; 2],
    /// Relative error of a sum, of the sum of the terms' sizes.
    sum: f64,
    /// Absolute errors of a term of a fixed-point sum, acceleration and potential.
    step: [f64; 2],
    center: [f64; 3],
    /// How far the solver's origin may be from the centre.
    slack: f64,
    /// The solver's units of length and mass, times G: below `tiny` of them numbers may be taken for 0.
    length: f64,
    mass: f64,
    tiny: f64,
    /// The least eps^2 that a solver passes.
    least: f64,
}

impl<'a> Limits<'a> {
    pub(super) fn new(bodies: &'a Bodies, place: Place<'a>, method: &Method) -> Result<Self> {
        let gravity = place.gravity;
        let n = bodies.len();
        let single = method.precision != Precision::F64;
        let device = method.device;
        let rounding = match (single, device) {
            (true, Device::Wgpu) => &Rounding::WGSL,
            (true, _) => &Rounding::F32,
            (false, _) => &Rounding::F64,
        };
        // kernels/prelude.cuh refines a root in f64 to 1e-14
        let root = if !single && device != Device::Cpu { 128.0 } else { rounding.root };
        let coordinate = match method.precision {
            Precision::F32 => rounding.unit + U64,
            // two f32, and the rounding of the sum of low parts
            Precision::Mixed => 4.0 * rounding.unit * rounding.unit + U64,
            Precision::F64 => U64,
        };
        let frame = Frame::new(bodies, gravity, Coordinates::Positions)?;
        let [.., x, y, z, _, _, _] = frame.numbers();
        let center = [x, y, z].map(|q| q * place.scale);
        let far = |from: [f64; 3]| {
            let of = |i: usize| (0..3).map(|k| (place.of(i)[k] - from[k]).abs()).fold(0.0, f64::max);
            (0..n).map(of).fold(0.0, f64::max)
        };
        let size = far(center);
        let heaviest = bodies.mass.iter().fold(0.0_f64, |most, m| most.max(m.abs()));
        let step = match method.sum {
            // half a unit, of 2^62 in the range
            Summation::Fixed => {
                let ranges = fixed_ranges(&frame, bodies, gravity);
                let [acc, pot] = [frame.acceleration() / place.scale / place.scale, frame.potential() / place.scale];
                [ranges[0] * acc, ranges[3] * pot].map(|range| range * 2f64.powi(-62))
            }
            _ => [0.0; 2],
        };
        Ok(Limits {
            bodies,
            unit: rounding.unit,
            coordinate,
            // the root cubed, s^2 to the power of -3/2, products, mass and softening
            roundings: [3.0 * root + 24.0, root + 12.0],
            sum: additions(method, n) * rounding.unit.max(U64) + 16.0 * U64 + 4.0 * rounding.unit,
            step,
            center,
            slack: match (center == [0.0; 3], device) {
                (true, Device::Cpu) => 0.0,
                // runs on GPUs follow the centre of mass
                (true, _) => {
                    size / 128.0 + center_of_mass(bodies, place).iter().fold(0.0, |most: f64, q| most.max(q.abs()))
                }
                // a grid of 1/128 of the size at most, and a sum over n bodies without compensation
                (false, _) => size / 128.0 + n as f64 * U64 * far([0.0; 3]),
            },
            length: frame.length() * place.scale,
            mass: power_of_two(heaviest * gravity.g.abs()),
            tiny: rounding.tiny,
            least: smallest_eps2(!single),
            place,
        })
    }

    /// How far a coordinate vector may be off.
    fn off(&self, at: [f64; 3]) -> f64 {
        let from = (0..3).map(|k| ((at[k] - self.center[k]).abs() + self.slack).powi(2)).sum::<f64>().sqrt();
        self.coordinate * from + self.tiny * self.length
    }

    /// Roundings of the polynomials of a softening: a dozen, of terms five times as large as what they add up to.
    fn more(&self) -> f64 {
        match self.place.gravity.softening {
            Softening::Plummer => 0.0,
            Softening::Spline => 64.0,
        }
    }

    /// What the acceleration and the potential of body `i` may be off by at most; infinite where nothing is promised.
    pub(super) fn of(&self, i: usize) -> [f64; 2] {
        let (at, n) = (self.place.of(i), self.bodies.len());
        let off = self.off(at);
        let least = self.least * self.length * self.length;
        let (softening, more) = (self.place.gravity.softening, self.more());
        let mut acc = [0.0; 2]; // errors of the terms, and their sizes
        let mut pot = [0.0; 2];
        let mut small = 0.0;
        for j in (0..n).filter(|j| *j != i) {
            let m = (self.place.gravity.g * self.bodies.mass[j]).abs();
            if m == 0.0 {
                continue;
            }
            let other = self.place.of(j);
            let r = length([other[0] - at[0], other[1] - at[1], other[2] - at[2]]);
            let eps2 = self.place.eps2(i, j);
            let e = off + self.off(other) + 3.0 * self.unit * r;
            let s2 = r * r + eps2;
            if s2 == 0.0 {
                // at one place they stay at one place, and pull nowhere; what their potential is belongs to the solver
                pot[0] = f64::INFINITY;
                continue;
            }
            let (near, far) = ((r - e).max(0.0).powi(2), (r + e).powi(2) + least);
            // both fall with the distance
            let change = |of: fn(Softening, f64, f64, f64) -> f64, roundings: f64| {
                let [at, grown, shrunk] = [r * r, near, far].map(|r2| of(softening, 1.0, r2, eps2));
                let (grown, shrunk) = (grown / at, shrunk / at);
                (at, (grown - 1.0).max(1.0 - shrunk) + (roundings + more) * self.unit * grown)
            };
            let (f, cube) = change(Softening::force, self.roundings[0]);
            let (p, root) = change(Softening::potential, self.roundings[1]);
            let (f, p, near) = (m * f, m * p, near + eps2);
            acc[0] += f * (cube * r + (1.0 + cube) * e);
            acc[1] += f * (1.0 + cube) * (r + e);
            pot[0] += p * root;
            pot[1] += p * (1.0 + root);
            small += 1.0 + self.length * self.length / near;
        }
        let small = 16.0 * self.tiny * self.mass * small;
        // the results of the last bits that numbers have
        let last = 4.0 * f64::MIN_POSITIVE;
        let bound = |[errors, sizes]: [f64; 2], small: f64, step: f64| {
            let bound = SAFETY * (errors + self.sum * sizes + small + n as f64 * step) + last;
            if bound.is_nan() { f64::INFINITY } else { bound }
        };
        [bound(acc, small / self.length / self.length, self.step[0]), bound(pot, small / self.length, self.step[1])]
    }

    /// What the jerk of body `i` may be off by at most, in a system whose bodies have at most this speed; infinite where
    /// nothing is promised. With the errors e of a distance and o of a relative velocity w, which solvers may take from a
    /// drift of their own, and the distance and velocity r' = r + e and w' = w + o that they may compute with,
    ///
    /// ```text
    /// |d (w s^-3)|         <= w' |s'^-3 - s^-3| + o s^-3
    /// |d ((d.w) d s^-5)|   <= r'^2 w' |s'^-5 - s^-5| + (r' w' e + (e w' + r o) r) s^-5
    /// ```
    ///
    /// and as many additions as bodies.
    pub(super) fn jerk(&self, i: usize, speed: f64) -> f64 {
        let (at, velocity, n) = (self.place.of(i), self.bodies.velocity(i), self.bodies.len());
        let off = self.off(at);
        let least = self.least * self.length * self.length;
        // velocities have the digits of terms, also in mixed precision
        let slip = (4.0 * self.unit.max(self.coordinate) + self.tiny) * speed;
        // of the root to the power of 5, products, mass and softening
        let roundings = (5.0 * (self.roundings[1] - 12.0) + 48.0 + self.more()) * self.unit;
        let softening = self.place.gravity.softening;
        let [mut errors, mut sizes, mut small] = [0.0; 3];
        for j in (0..n).filter(|j| *j != i) {
            let m = (self.place.gravity.g * self.bodies.mass[j]).abs();
            let (other, other_velocity) = (self.place.of(j), self.bodies.velocity(j));
            let r = length([0, 1, 2].map(|q| other[q] - at[q]));
            let w = length([0, 1, 2].map(|q| other_velocity[q] - velocity[q]));
            let eps2 = self.place.eps2(i, j);
            let s2 = r * r + eps2;
            if m == 0.0 || s2 == 0.0 {
                continue;
            }
            let e = off + self.off(other) + 3.0 * self.unit * r;
            let o = slip + 3.0 * self.unit * w;
            let (near, far) = ((r - e).max(0.0).powi(2), (r + e).powi(2) + least);
            let change = |of: fn(Softening, f64, f64, f64) -> f64| {
                let [at, grown, shrunk] = [r * r, near, far].map(|r2| of(softening, 1.0, r2, eps2));
                let (grown, shrunk) = (grown / at, shrunk / at);
                (at, (grown - 1.0).max(1.0 - shrunk) + roundings * grown)
            };
            let ((f, cube), (f5, fifth)) = (change(Softening::force), change(Softening::fall));
            let (f, f5, near) = (m * f, 3.0 * m * f5, near + eps2);
            let (r_most, w_most) = (r + e, w + o);
            errors += f * (cube * w_most + o);
            errors += f5 * (fifth * r_most * r_most * w_most + r_most * w_most * e + (e * w_most + r * o) * r);
            sizes += f * (1.0 + cube) * w_most + f5 * (1.0 + fifth) * r_most * r_most * w_most;
            small += 1.0 + (self.length * self.length / near).powf(1.5);
        }
        let small = 16.0 * self.tiny * self.mass * speed * small / self.length.powi(3);
        let sum = n as f64 * self.unit.max(U64) + 16.0 * U64 + 4.0 * self.unit;
        let bound = SAFETY * (errors + sum * sizes + small) + 4.0 * f64::MIN_POSITIVE;
        if bound.is_nan() { f64::INFINITY } else { bound }
    }
}

/// Where solvers whose origin follows the centre of mass have it.
fn center_of_mass(bodies: &Bodies, place: Place<'_>) -> [f64; 3] {
    let total = bodies.mass.iter().copied().collect::<Compensated>().total();
    [0, 1, 2].map(|k| {
        let sum = (0..bodies.len()).map(|i| bodies.mass[i] * place.of(i)[k]).collect::<Compensated>().total();
        if total > 0.0 { sum / total } else { 0.0 }
    })
}

/// How many additions in the precision of the terms a term goes through at most, one after the other.
fn additions(method: &Method, n: usize) -> f64 {
    let all = n as f64;
    let blocks = |size: f64| (size + all / size + 16.0).min(all);
    match (method.sum, method.device, method.precision) {
        // the CPU's mixed precision adds in f64
        (Summation::F64, ..) | (_, Device::Cpu, Precision::Mixed) => 2.0 + all * 2f64.powi(-28),
        (Summation::Fixed, ..) => 2.0,
        (Summation::Direct, ..) => all,
        (Summation::Blocked(Some(size)), ..) => blocks(size as f64),
        (Summation::Pairwise, ..) => (32.0 + all.max(2.0).log2()).min(all),
        (Summation::Compensated, ..) => 2.0 + all * all * 2f64.powi(-24),
        (Summation::Blocked(None), Device::Cpu, _) if method.solver == SolverName::Symmetric => {
            // tiles of up to 4,096, in blocks of 128 on one side and vectors on the other; f64 between tiles
            let lanes = method.level().map_or(1, |level| level.lanes::<f64>());
            (4096.0 / lanes as f64 + 256.0).min(all)
        }
        (Summation::Blocked(None), Device::Cpu, _) if method.solver == SolverName::Direct => {
            blocks(all.sqrt().log2().ceil().exp2().clamp(64.0, 1024.0))
        }
        // 16 rounds of tiles of 512, or blocks of 1,024
        (Summation::Blocked(None), Device::Cuda | Device::Wgpu, _)
            if !matches!(method.solver, SolverName::Tuned(_)) =>
        {
            all.min(9216.0_f64.max(blocks(1024.0)))
        }
        (Summation::Blocked(None), ..) => all,
    }
}
