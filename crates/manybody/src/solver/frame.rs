//! The frame in which forces are computed: origin at the centre of mass, lengths, velocities and masses of order one.
//!
//! f32 keeps 24 bits of a position, so positions are taken relative to the centre of mass first (in f64), and every
//! unit is scaled by a power of two, which changes no bit of a mantissa: SI units, where r^-3 underflows, become
//! harmless. Results are scaled back in f64.

use super::{Forces, Gravity, Want};
use crate::law::smallest_eps2;
use crate::simd::Element;
use crate::{Bodies, Error, Result};

/// Units and origin of a force evaluation.
pub(super) struct Frame {
    origin: [f64; 3],
    drift: [f64; 3],
    length: f64,
    velocity: f64,
    mass: f64,
}

/// The smallest power of two at or above x; 1 for 0.
fn power_of_two(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.log2().ceil().clamp(-1000.0, 1000.0).exp2() }
}

fn largest<'a>(columns: impl IntoIterator<Item = (&'a [f64], f64)>) -> f64 {
    let distance = |(column, origin): (&[f64], f64)| column.iter().fold(0.0_f64, |m, q| m.max((q - origin).abs()));
    columns.into_iter().map(distance).fold(0.0, f64::max)
}

impl Frame {
    /// The frame of these bodies.
    ///
    /// # Errors
    /// [`Error::Parameter`] if eps or G is not a finite number, or eps is negative.
    pub(super) fn new(bodies: &Bodies, gravity: &Gravity) -> Result<Self> {
        if !(gravity.eps.is_finite() && gravity.eps >= 0.0) {
            let expected = "a finite length, 0 or more, is wanted".into();
            return Err(Error::Parameter { name: "eps", value: gravity.eps.to_string(), expected });
        }
        if !gravity.g.is_finite() {
            let expected = "a finite number is wanted".into();
            return Err(Error::Parameter { name: "G", value: gravity.g.to_string(), expected });
        }
        let (origin, drift) = bodies.center_of_mass();
        let [x, y, z] = [&bodies.x, &bodies.y, &bodies.z].map(Vec::as_slice);
        let [u, v, w] = [&bodies.vx, &bodies.vy, &bodies.vz].map(Vec::as_slice);
        Ok(Frame {
            length: power_of_two(largest([(x, origin[0]), (y, origin[1]), (z, origin[2])])),
            velocity: power_of_two(largest([(u, drift[0]), (v, drift[1]), (w, drift[2])])),
            mass: power_of_two(largest([(bodies.mass.as_slice(), 0.0)]) * gravity.g.abs()),
            origin,
            drift,
        })
    }

    /// The same frame with lengths and velocities that also hold the targets'.
    pub(super) fn holding(mut self, targets: &Bodies) -> Self {
        let columns =
            |q: [&'_ Vec<f64>; 3], o: [f64; 3]| (0..3).map(|k| largest([(q[k].as_slice(), o[k])])).fold(0.0, f64::max);
        let length = columns([&targets.x, &targets.y, &targets.z], self.origin);
        let velocity = columns([&targets.vx, &targets.vy, &targets.vz], self.drift);
        self.length = self.length.max(power_of_two(length));
        self.velocity = self.velocity.max(power_of_two(velocity));
        self
    }

    /// Number `field` of body `b`, in this frame: x, y, z, then with `moving` vx, vy, vz, then mass, then with
    /// softenings of their own half eps^2.
    #[inline(always)]
    pub(super) fn value<T: Element>(&self, bodies: &Bodies, g: f64, moving: bool, field: usize, b: usize) -> T {
        let scaled = match (field, moving) {
            (0, _) => (bodies.x[b] - self.origin[0]) / self.length,
            (1, _) => (bodies.y[b] - self.origin[1]) / self.length,
            (2, _) => (bodies.z[b] - self.origin[2]) / self.length,
            (3, true) => (bodies.vx[b] - self.drift[0]) / self.velocity,
            (4, true) => (bodies.vy[b] - self.drift[1]) / self.velocity,
            (5, true) => (bodies.vz[b] - self.drift[2]) / self.velocity,
            (3, false) | (6, true) => g * bodies.mass[b] / self.mass,
            _ => {
                let eps = bodies.eps.as_ref().map_or(0.0, |eps| eps[b]) / self.length;
                (0.5 * eps * eps).max(0.5 * smallest_eps2(T::DOUBLE))
            }
        };
        T::from_f64(scaled)
    }

    /// The law's parameter: eps^2.
    pub(super) fn parameters<T: Element>(&self, gravity: &Gravity) -> [T; 1] {
        let eps = gravity.eps / self.length;
        [T::from_f64((eps * eps).max(smallest_eps2(T::DOUBLE)))]
    }

    /// Results of the kernels, ax ay az, then with `jerk` jx jy jz, then with potential pot, in the caller's units.
    pub(super) fn unscale<T: Element>(&self, raw: &[Vec<T>], want: Want, out: &mut Forces) {
        let acc = self.mass / self.length / self.length;
        let jerk = acc / self.length * self.velocity;
        let pot = self.mass / self.length;
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
            next(to, jerk, want.jerk);
        }
        next(&mut out.pot, pot, want.potential || want.jerk);
    }
}
