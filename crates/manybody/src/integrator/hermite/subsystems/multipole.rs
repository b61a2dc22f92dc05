//! What a pair is above a point to others: the quadrupole and the octupole of its bodies, averaged over the orbit.
//!
//! ```text
//! Q_ij     = mu <y_i y_j>,   O_ijk = mu D <y_i y_j y_k>                     (averages: [`averaged`])
//! V        = -G m / 2 (3 Q_xx / x^5 - Q_ii / x^3) - G m / 2 (5 O_xxx / x^7 - 3 o_x / x^5),    o_i = O_ijj
//! -dV/dx/m = G (3 Q_x / x^5 + (3/2 Q_ii - 15/2 Q_xx / x^2) x / x^5)
//!          + G / 2 (15 O_xx / x^7 - 3 o / x^5 + (15 o_x / x^7 - 35 O_xxx / x^9) x)
//! ```
//!
//! for a body m at x from the centre of mass. In the scheme this acts on all bodies, and the opposite on the centre of mass.
//! What is near finds the bodies themselves along its path ([`advance`](super::advance)). From half of the distance d where it
//! becomes near to d, the share of this in the scheme rises smoothly from 0 to 1, and [`Multipole::impulse`] takes it away
//! from what is found: no force changes where a body crosses d, but for what the average leaves.

use super::super::vector::{Vector, dot};
use super::averaged::Shape;
use crate::few_body::{Deflection, Path, Tensor, product};
use std::ops::{Add, Mul, Sub};

/// The moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Multipole {
    g: f64,
    pub(super) quadrupole: Tensor,
    /// The factor of the octupole: -5/8 mu D a^3.
    pub(super) octupole: f64,
    e: Vector,
    j: Vector,
}

impl Multipole {
    /// Of two bodies on an orbit.
    pub(super) fn of_pair(shape: &Shape, g: f64, mass: [f64; 2]) -> Self {
        let Shape { axis, e, j } = *shape;
        let total = mass[0] + mass[1];
        let reduced = mass[0] * mass[1] / total;
        let (ee, jj, j2) = (product(e, e), product(j, j), dot(j, j));
        let unit = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let half = 0.5 * reduced * axis * axis;
        let quadrupole = std::array::from_fn(|q| half * (5.0 * ee[q] - jj[q] + j2 * unit[q]));
        let octupole = -0.625 * reduced * (mass[0] - mass[1]) / total * axis.powi(3);
        Multipole { g, quadrupole, octupole, e, j }
    }

    /// Of a mean of sum m y_i y_j.
    pub(super) fn of_moments(quadrupole: Tensor, g: f64) -> Self {
        Multipole { g, quadrupole, octupole: 0.0, e: [0.0; 3], j: [0.0; 3] }
    }

    /// The acceleration, the jerk and the snap of a body on a path, of which its place, velocity and acceleration are given, of a share
    /// that rises from 0 at half of the distance d to 1 there; `near` is d^6.
    pub(super) fn pull(&self, path: [Vector; 3], near: f64) -> [Vector; 3] {
        let x: [Jet; 3] = std::array::from_fn(|k| Jet(path.map(|of| of[k])));
        let x2 = along(x, x);
        let inverse = x2.inverse_root();
        let nearness = near / (x2.value() * x2.value() * x2.value());
        if nearness >= 64.0 {
            return Default::default();
        }
        let mut pull = self.of_quadrupole(x, inverse);
        if self.octupole != 0.0 {
            let more = self.of_octupole(x, x2, inverse);
            pull = std::array::from_fn(|k| pull[k] + more[k]);
        }
        if nearness > 1.0 {
            let reached = x2 * inverse * (2.0 / libm::cbrt(near).sqrt()) - Jet::of(1.0);
            let rest = Jet::of(10.0) - reached * (Jet::of(15.0) - reached * 6.0);
            let share = reached * reached * reached * rest;
            pull = pull.map(|q| share * q);
        }
        std::array::from_fn(|derivative| pull.map(|q| q.0[derivative]))
    }

    fn of_quadrupole(&self, x: [Jet; 3], inverse: Jet) -> [Jet; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.quadrupole;
        let y = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(|row| with(row, x));
        let inverse2 = inverse * inverse;
        let fifth = inverse2 * inverse2 * inverse * self.g;
        let radial = Jet::of(1.5 * (xx + yy + zz)) - along(x, y) * inverse2 * 7.5;
        std::array::from_fn(|k| fifth * (y[k] * 3.0 + radial * x[k]))
    }

    fn of_octupole(&self, x: [Jet; 3], x2: Jet, inverse: Jet) -> [Jet; 3] {
        let Multipole { e, j, .. } = *self;
        let inverse2 = inverse * inverse;
        let fifth = inverse2 * inverse2 * inverse * (0.5 * self.octupole * self.g);
        let seventh = fifth * inverse2;
        let (ex, jx) = (with(e, x), with(j, x));
        let (e2, j2) = (dot(e, e), dot(j, j));
        // O_xx, O_xxx and o without their factor
        let p = ex * ex * 7.0 + x2 * j2 - jx * jx;
        let two: [Jet; 3] = std::array::from_fn(|k| p * e[k] + ex * (x[k] * j2 - jx * j[k]) * 2.0);
        let single = 7.0 * e2 + 4.0 * j2;
        let radial = seventh * (ex * (15.0 * single) - along(two, x) * inverse2 * 35.0);
        std::array::from_fn(|k| seventh * two[k] * 15.0 - fifth * (3.0 * single * e[k]) + radial * x[k])
    }

    /// What this does to a body on a path, a polynomial of the time, in a duration: Gauss's three points.
    pub(super) fn impulse(&self, path: &Path, duration: f64, near: f64) -> Deflection {
        let outer = 0.5 * 0.6_f64.sqrt();
        let mut sum = Deflection::default();
        for (at, weight) in [(0.5 - outer, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + outer, 5.0 / 18.0)] {
            let t = at * duration;
            let place = std::array::from_fn(|q| path[..5].iter().rev().fold(path[5][q], |sum, of| of[q] + t * sum));
            let [a, ..] = self.pull([place, [0.0; 3], [0.0; 3]], near);
            let velocity = a.map(|q| weight * duration * q);
            let one = Deflection { place: velocity.map(|q| (duration - t) * q), velocity };
            sum.add(1.0, &one, &Deflection::default());
        }
        sum
    }
}

/// A function of the time: its value, and its first and second derivative.
#[derive(Clone, Copy)]
struct Jet([f64; 3]);

impl Jet {
    /// A constant.
    fn of(value: f64) -> Self {
        Jet([value, 0.0, 0.0])
    }

    fn value(self) -> f64 {
        self.0[0]
    }

    /// One over the square root.
    fn inverse_root(self) -> Self {
        let [f, d, dd] = self.0;
        let value = 1.0 / f.sqrt();
        let slope = -0.5 * value / f;
        Jet([value, slope * d, slope * (dd - 1.5 * d * d / f)])
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Jet(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Jet(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Jet([a * b, da * b + a * db, dda * b + 2.0 * da * db + a * ddb])
    }
}

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Jet(self.0.map(|q| q * factor))
    }
}

fn along(a: [Jet; 3], b: [Jet; 3]) -> Jet {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn with(a: Vector, b: [Jet; 3]) -> Jet {
    b[0] * a[0] + b[1] * a[1] + b[2] * a[2]
}

#[cfg(test)]
mod tests {
    use super::super::super::pairs::kepler;
    use super::super::super::vector::less;
    use super::*;

    const MASS: [f64; 2] = [0.7, 0.3];

    fn pull(place: Vector) -> Vector {
        let r2 = dot(place, place);
        place.map(|q| -q / (r2 * r2.sqrt()))
    }

    /// The mean over an orbit of what two bodies do, less that of a point: what is left is of the next order, (a / x)^4.
    #[test]
    fn moments_are_those_of_the_mean_orbit() {
        let (r, v): (Vector, Vector) = ([1.0, 0.2, -0.1], [-0.2, 0.7, 0.5]);
        let shape = Shape::of(r, v, 1.0);
        let multipole = Multipole::of_pair(&shape, 1.0, MASS);
        let off = |away: f64| {
            let x = [0.6 * away, -0.48 * away, 0.64 * away];
            let samples = 2000;
            let period = std::f64::consts::TAU * shape.axis.powf(1.5);
            let mut mean = [0.0; 3];
            for k in 0..samples {
                let (r, _) = kepler(r, v, 1.0, period * f64::from(k) / f64::from(samples));
                for (mass, share) in [(MASS[0], -MASS[1]), (MASS[1], MASS[0])] {
                    let found = pull(less(x, r.map(|q| share * q)));
                    (0..3).for_each(|q| mean[q] += mass * found[q] / f64::from(samples));
                }
            }
            let (point, found) = (pull(x), multipole.pull([x, [0.0; 3], [0.0; 3]], 0.0)[0]);
            let left: Vector = std::array::from_fn(|q| mean[q] - point[q] - found[q]);
            (dot(left, left) / dot(found, found)).sqrt()
        };
        // of a hexadecapole over a quadrupole
        let (near, far) = (off(10.0), off(20.0));
        assert!(near < 0.03 && (near / far - 4.0).abs() < 0.4, "{near} {far}");
    }

    /// Jerk and snap are difference quotients of acceleration and jerk along a path, in the shell where the share rises, too.
    #[test]
    fn jerk_and_snap_are_derivatives() {
        let shape = Shape::of([1.0, 0.2, -0.1], [-0.2, 0.7, 0.5], 1.0);
        let multipole = Multipole::of_pair(&shape, 1.0, MASS);
        let (x, v, a): (Vector, Vector, Vector) = ([3.0, -2.0, 1.5], [0.3, 0.5, -0.4], [-0.2, 0.1, 0.6]);
        for near in [1.0, 5.0, 6.0, 7.9, 9.0] {
            let at = |t: f64| {
                let place = std::array::from_fn(|q| x[q] + t * (v[q] + 0.5 * t * a[q]));
                multipole.pull([place, std::array::from_fn(|q| v[q] + t * a[q]), a], f64::powi(near, 6))
            };
            let h = 1e-4;
            let (before, now, after) = (at(-h), at(0.0), at(h));
            for (of, q) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
                let slope = (after[of][q] - before[of][q]) / (2.0 * h);
                // of h^2 and the derivative after the next
                assert!((slope - now[of + 1][q]).abs() < 1e-9, "{near} {of} {q}: {slope} {}", now[of + 1][q]);
            }
        }
    }
}
