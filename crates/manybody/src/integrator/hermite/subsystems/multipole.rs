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
use crate::few_body::{Deflection, Tensor, product, times};

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

    /// The acceleration of a body at x, and its time derivative for the velocity v, of a share that rises from 0 at half of
    /// the distance d to 1 there; `near` is d^6.
    pub(super) fn pull(&self, x: Vector, v: Vector, near: f64) -> [Vector; 2] {
        let x2 = dot(x, x);
        let nearness = near / (x2 * x2 * x2);
        if nearness >= 64.0 {
            return Default::default();
        }
        let [a, jerk] = self.whole(x, v, x2);
        if nearness <= 1.0 {
            return [a, jerk];
        }
        let reached = 2.0 * libm::pow(nearness, -1.0 / 6.0) - 1.0;
        let share = reached.powi(3) * (10.0 - reached * (15.0 - 6.0 * reached));
        let slope = 30.0 * (reached * (1.0 - reached)).powi(2) * (reached + 1.0) * dot(x, v) / x2;
        [a.map(|q| share * q), std::array::from_fn(|q| share * jerk[q] + slope * a[q])]
    }

    fn whole(&self, x: Vector, v: Vector, x2: f64) -> [Vector; 2] {
        let inverse2 = 1.0 / x2;
        let fifth = self.g * inverse2 * inverse2 * inverse2.sqrt();
        let rate = dot(x, v) * inverse2;
        let (y, w) = (times(&self.quadrupole, x), times(&self.quadrupole, v));
        let [xx, _, _, yy, _, zz] = self.quadrupole;
        let (q, dq) = (dot(x, y), 2.0 * dot(y, v));
        let radial = 1.5 * (xx + yy + zz) - 7.5 * q * inverse2;
        let slope = -7.5 * inverse2 * (dq - 2.0 * q * rate);
        let mut a: Vector = std::array::from_fn(|k| fifth * (3.0 * y[k] + radial * x[k]));
        let mut jerk = std::array::from_fn(|k| fifth * (3.0 * w[k] + slope * x[k] + radial * v[k]) - 5.0 * rate * a[k]);
        if self.octupole != 0.0 {
            self.add_octupole(x, v, x2, &mut a, &mut jerk);
        }
        [a, jerk]
    }

    fn add_octupole(&self, x: Vector, v: Vector, x2: f64, a: &mut Vector, jerk: &mut Vector) {
        let Multipole { e, j, .. } = *self;
        let inverse2 = 1.0 / x2;
        let half = 0.5 * self.octupole * self.g;
        let fifth = half * inverse2 * inverse2 * inverse2.sqrt();
        let (seventh, ninth) = (fifth * inverse2, fifth * inverse2 * inverse2);
        let rate = dot(x, v) * inverse2;
        let (ex, jx, ev, jv) = (dot(e, x), dot(j, x), dot(e, v), dot(j, v));
        let (e2, j2) = (dot(e, e), dot(j, j));
        // O_xx, O_xxx and o without their factor, and their time derivatives
        let p = 7.0 * ex * ex + j2 * x2 - jx * jx;
        let dp = 14.0 * ex * ev + 2.0 * j2 * dot(x, v) - 2.0 * jx * jv;
        let two: Vector = std::array::from_fn(|k| p * e[k] + 2.0 * ex * (j2 * x[k] - jx * j[k]));
        let dtwo: Vector = std::array::from_fn(|k| {
            dp * e[k] + 2.0 * ev * (j2 * x[k] - jx * j[k]) + 2.0 * ex * (j2 * v[k] - jv * j[k])
        });
        let (three, dthree) = (dot(two, x), 3.0 * dot(two, v));
        let single = 7.0 * e2 + 4.0 * j2;
        let radial = 15.0 * single * ex * seventh - 35.0 * three * ninth;
        let slope = 15.0 * single * (ev - 7.0 * rate * ex) * seventh - 35.0 * (dthree - 9.0 * rate * three) * ninth;
        for k in 0..3 {
            a[k] += 15.0 * two[k] * seventh - 3.0 * single * e[k] * fifth + radial * x[k];
            jerk[k] += 15.0 * (dtwo[k] - 7.0 * rate * two[k]) * seventh
                + 15.0 * rate * single * e[k] * fifth
                + slope * x[k]
                + radial * v[k];
        }
    }

    /// What this does to a body on a path, a cubic of the time, in a duration: Gauss's three points.
    pub(super) fn impulse(&self, path: &[Vector; 4], duration: f64, near: f64) -> Deflection {
        let outer = 0.5 * 0.6_f64.sqrt();
        let mut sum = Deflection::default();
        for (at, weight) in [(0.5 - outer, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + outer, 5.0 / 18.0)] {
            let t = at * duration;
            let [c0, c1, c2, c3] = path;
            let place = std::array::from_fn(|q| c0[q] + t * (c1[q] + t * (c2[q] + t * c3[q])));
            let [a, _] = self.pull(place, [0.0; 3], near);
            let velocity = a.map(|q| weight * duration * q);
            let one = Deflection { place: velocity.map(|q| (duration - t) * q), velocity };
            sum.add(1.0, &one, &Deflection::default());
        }
        sum
    }
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
            let (point, found) = (pull(x), multipole.pull(x, [0.0; 3], 0.0)[0]);
            let left: Vector = std::array::from_fn(|q| mean[q] - point[q] - found[q]);
            (dot(left, left) / dot(found, found)).sqrt()
        };
        // of a hexadecapole over a quadrupole
        let (near, far) = (off(10.0), off(20.0));
        assert!(near < 0.03 && (near / far - 4.0).abs() < 0.4, "{near} {far}");
    }

    /// The jerk is the difference quotient of the acceleration, in the shell where its share rises, too.
    #[test]
    fn the_jerk_is_the_derivative() {
        let shape = Shape::of([1.0, 0.2, -0.1], [-0.2, 0.7, 0.5], 1.0);
        let multipole = Multipole::of_pair(&shape, 1.0, MASS);
        let (x, v) = ([3.0, -2.0, 1.5], [0.3, 0.5, -0.4]);
        for near in [1.0, 5.0, 6.0, 7.9, 9.0] {
            let at = |t: f64| multipole.pull(std::array::from_fn(|q| x[q] + t * v[q]), v, f64::powi(near, 6));
            let h = 1e-4;
            let (before, after, jerk) = (at(-h)[0], at(h)[0], at(0.0)[1]);
            for q in 0..3 {
                let slope = (after[q] - before[q]) / (2.0 * h);
                assert!((slope - jerk[q]).abs() < 1e-9, "{near} {q}: {slope} {}", jerk[q]);
            }
        }
    }
}
