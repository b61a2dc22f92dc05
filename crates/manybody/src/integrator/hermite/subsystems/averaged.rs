//! A pair in a weak tidal field: its motion averaged over an orbit.
//!
//! ```text
//! e, j           the vector of the eccentricity, and the angular momentum over mu sqrt(G M a): e^2 + j^2 = 1
//! <y_i y_j>      = a^2/2 (5 e_i e_j - j_i j_j + j^2 delta_ij)
//! <y_i y_j y_k>  = -5/8 a^3 (7 e_i e_j e_k + j^2 [e_i delta_jk] - [e_i j_j j_k]),    [] a sum over the place of e
//! H / mu         = a^2/4 (5 T_ee - T_jj) - 5/48 D a^3 (7 S_eee - 3 S_ejj),           D = (m_1 - m_2) / M
//! dj/dt          = -(j x dH/dj + e x dH/de) / (mu sqrt(G M a))                       [Milankovic 1939]
//! de/dt          = -(j x dH/de + e x dH/dj) / (mu sqrt(G M a))                       [Tremaine 2009]
//! ```
//!
//! T and S are the derivatives of the potential of all others ([`Field`](crate::few_body::Field)), T_ee = T_ij e_i e_j. The
//! semi-major axis stays. What the average neglects is of the second order in the tide over the attraction inside, a rate
//! that is smaller than that of the vectors by `--perturbation` or more; the vectors at one time differ from their averages
//! by as much. The phase on the orbit is Kepler's.

use super::super::vector::{Vector, dot, plus};
use crate::few_body::{Tide, contracted, times};
use crate::ic::eccentric_anomaly;
use crate::vector::cross;
use std::f64::consts::TAU;

/// The angle by which the vectors turn in a step of the classical Runge-Kutta scheme at most, whose error in it is the fifth
/// power of that over 120: 8e-9.
const ANGLE: f64 = 1.0 / 16.0;

/// More steps are never made in one advance.
const MAX_STEPS: f64 = 1e5;

/// An orbit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// The semi-major axis.
    pub(super) axis: f64,
    pub(super) e: Vector,
    pub(super) j: Vector,
}

impl Shape {
    /// Of a relative place and velocity under an attraction G M.
    pub(super) fn of(r: Vector, v: Vector, attraction: f64) -> Self {
        let (distance, v2, rv) = (dot(r, r).sqrt(), dot(v, v), dot(r, v));
        let axis = 1.0 / (2.0 / distance - v2 / attraction);
        let unit = 1.0 / (attraction * axis).sqrt();
        let e = std::array::from_fn(|q| (v2 / attraction - 1.0 / distance) * r[q] - rv / attraction * v[q]);
        Shape { axis, e, j: cross(r, v).map(|q| unit * q) }
    }

    /// The rates of e and j under the tide at a time, for bodies of masses that differ by `uneven` of their sum.
    fn rates(&self, tide: &Tide, time: f64, attraction: f64, uneven: f64) -> [Vector; 2] {
        let Shape { axis, e, j } = *self;
        let (tensor, third) = (tide.tensor(time), tide.third(time));
        let quadrupole = 0.5 * axis * axis;
        let octupole = -5.0 / 48.0 * uneven * axis * axis * axis;
        let (along_e, along_j) = (contracted(&third, e), contracted(&third, j));
        let (te, tj) = (times(&tensor, e), times(&tensor, j));
        let (see, sej, sjj) = (times(&along_e, e), times(&along_e, j), times(&along_j, j));
        let by_e: Vector =
            std::array::from_fn(|q| 5.0 * quadrupole * te[q] + octupole * (21.0 * see[q] - 3.0 * sjj[q]));
        let by_j: Vector = std::array::from_fn(|q| -quadrupole * tj[q] - 6.0 * octupole * sej[q]);
        let unit = -1.0 / (attraction * axis).sqrt();
        let both = |a: Vector, b: Vector| plus(a, b).map(|q| unit * q);
        [both(cross(j, by_e), cross(e, by_j)), both(cross(j, by_j), cross(e, by_e))]
    }

    fn moved(&self, rates: &[Vector; 2], h: f64) -> Shape {
        let go = |at: Vector, rate: Vector| std::array::from_fn(|q| at[q] + h * rate[q]);
        Shape { e: go(self.e, rates[0]), j: go(self.j, rates[1]), ..*self }
    }

    /// The orbit after a duration, and the smallest j^2 meanwhile.
    fn turned(mut self, tide: &Tide, duration: f64, attraction: f64, uneven: f64) -> (Shape, f64) {
        let length = |rates: &[Vector; 2]| dot(rates[0], rates[0]).max(dot(rates[1], rates[1])).sqrt();
        let ends = [0.0, duration].map(|time| length(&self.rates(tide, time, attraction, uneven)));
        let steps = (ends[0].max(ends[1]) * duration / ANGLE).ceil().clamp(1.0, MAX_STEPS);
        let h = duration / steps;
        let mut least = dot(self.j, self.j);
        for step in 0..steps as u64 {
            let time = step as f64 * h;
            let rates = |shape: &Shape, after: f64| shape.rates(tide, time + after, attraction, uneven);
            let (begin, k1) = (dot(self.j, self.j), rates(&self, 0.0));
            let slope = 2.0 * dot(self.j, k1[1]);
            let k2 = rates(&self.moved(&k1, 0.5 * h), 0.5 * h);
            let k3 = rates(&self.moved(&k2, 0.5 * h), 0.5 * h);
            let k4 = rates(&self.moved(&k3, h), h);
            for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
                self = self.moved(&k, weight * h / 6.0);
            }
            self = self.restored();
            let last = 2.0 * dot(self.j, rates(&self, h)[1]);
            least = least.min(least_of_cubic([begin, dot(self.j, self.j)], [h * slope, h * last]));
        }
        (self, least)
    }

    /// With e at right angles to j, and e^2 + j^2 = 1, which the scheme keeps but for its error.
    fn restored(self) -> Shape {
        let share = dot(self.e, self.j) / dot(self.j, self.j);
        let e: Vector = if share.is_finite() { std::array::from_fn(|q| self.e[q] - share * self.j[q]) } else { self.e };
        let scale = 1.0 / (dot(e, e) + dot(self.j, self.j)).sqrt();
        Shape { e: e.map(|q| scale * q), j: self.j.map(|q| scale * q), ..self }
    }
}

/// The least value between 0 and 1 of the cubic that has these values and slopes there; 0 where it becomes negative.
fn least_of_cubic([begin, end]: [f64; 2], [first, last]: [f64; 2]) -> f64 {
    let least = begin.min(end);
    let (square, cube) = (3.0 * (end - begin) - 2.0 * first - last, first + last - 2.0 * (end - begin));
    if !(first < 0.0 && last > 0.0) {
        return least;
    }
    // where first + 2 square x + 3 cube x^2 = 0 and rises, without a difference of numbers that are alike
    let root = (square * square - 3.0 * cube * first).max(0.0).sqrt();
    let x = if square > 0.0 { -first / (square + root) } else { (root - square) / (3.0 * cube) };
    let x = if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.5 };
    least.min(begin + x * (first + x * (square + x * cube))).max(0.0)
}

/// A relative place and velocity after a duration, and the smallest pericentre meanwhile.
///
/// With the mean longitude lambda = F + h cos F - k sin F, which is the mean anomaly from a direction of the plane of the orbit
/// that no rotation in that plane moves.
///
/// From r, the direction of longitude 0: F_0 = E - nu = -2 atan(s / (|j| + r / a)), lambda_0 = F_0 - s with
/// s = r v / sqrt(G M a), for any eccentricity.
pub(super) fn advanced(
    (r, v): (Vector, Vector),
    attraction: f64,
    uneven: f64,
    tide: &Tide,
    duration: f64,
) -> ((Vector, Vector), f64) {
    let begin = Shape::of(r, v, attraction);
    let (Shape { axis, e, j }, least) = begin.turned(tide, duration, attraction, uneven);
    let distance = dot(r, r).sqrt();
    let motion = (attraction / axis.powi(3)).sqrt();
    let s = dot(r, v) / (attraction * axis).sqrt();
    let began = -2.0 * libm::atan2(s, dot(begin.j, begin.j).sqrt() + distance / axis) - s;
    // the direction of r, and the one at right angles to it, in the plane that the orbit has now
    let normal = |j: Vector| j.map(|q| q / dot(j, j).sqrt());
    let (old, new) = (normal(begin.j), normal(j));
    let along = r.map(|q| q / distance);
    let tilt = dot(new, along) / (1.0 + dot(old, new));
    let first: Vector = std::array::from_fn(|q| along[q] - tilt * (old[q] + new[q]));
    let second = cross(new, first);
    let pericentre = libm::atan2(dot(e, second), dot(e, first));
    let (sin, cos) = (libm::sin(pericentre), libm::cos(pericentre));
    let (eccentricity, width) = (dot(e, e).sqrt(), dot(j, j).sqrt());
    let mean = (began + motion * (duration % (TAU / motion)) - pericentre) % TAU;
    let anomaly = eccentric_anomaly(mean, eccentricity);
    let (up, right) = (libm::sin(anomaly), libm::cos(anomaly));
    let place = [axis * (right - eccentricity), axis * width * up];
    let speed = (attraction * axis).sqrt() / (axis * (1.0 - eccentricity * right));
    let velocity = [-speed * up, speed * width * right];
    let vector = |[x, y]: [f64; 2]| -> Vector {
        std::array::from_fn(|q| (x * cos - y * sin) * first[q] + (x * sin + y * cos) * second[q])
    };
    let closest = axis * least / (1.0 + (1.0 - least).max(0.0).sqrt());
    ((vector(place), vector(velocity)), closest)
}

#[cfg(test)]
mod tests {
    use super::super::super::pairs::kepler;
    use super::super::super::vector::less;
    use super::*;
    use crate::few_body::{DoubleDouble, Field, Perturber, Regularised};

    /// Without a tide it is Kepler's solution, also where the orbit is a circle or nearly a line.
    #[test]
    fn without_a_tide_it_is_the_orbit() {
        for (r, v) in [
            ([1.0, 0.0, 0.0], [0.0, 0.6, 0.8]),
            ([0.3, -0.8, 0.1], [0.1, 0.2, -0.9]),
            ([1.0, 0.0, 0.0], [0.5, 1e-3, 0.0]),
        ] {
            for time in [0.3, 2.0, 40.0] {
                let (found, right) = (advanced((r, v), 1.0, 0.0, &Tide::default(), time).0, kepler(r, v, 1.0, time));
                for (found, right) in [(found.0, right.0), (found.1, right.1)] {
                    let off = less(found, right);
                    assert!(dot(off, off) < 1e-22 * dot(right, right).max(1.0), "{r:?} {time}: {found:?} {right:?}");
                }
            }
        }
    }

    /// x^3 - x / 4 has its least value at 1 / sqrt 12; x (1 - x) has that at the ends, and (1 - 2 x)^2 - 0.1 is negative.
    #[test]
    fn the_least_value_of_a_cubic() {
        let least = -1.0 / (4.0 * 12.0_f64.sqrt()) + 12.0_f64.powf(-1.5);
        assert!((least_of_cubic([1.0, 1.75], [-0.25, 2.75]) - 1.0 - least).abs() < 1e-15);
        assert_eq!(least_of_cubic([0.0, 0.0], [1.0, -1.0]), 0.0);
        assert!((least_of_cubic([1.1, 1.1], [-4.0, 4.0]) - 0.1).abs() < 1e-15);
        assert_eq!(least_of_cubic([0.9, 0.9], [-4.0, 4.0]), 0.0);
    }

    /// Beside the bodies integrated, with a body at a distance of 30: the difference is of the order of the tide and of the
    /// next moment, 1/900 of the quadrupole. Without the octupole it is larger.
    #[test]
    fn an_averaged_orbit_is_off_by_the_strength_of_the_tide() {
        let (r, v): (Vector, Vector) = ([1.0, 0.2, -0.1], [-0.2, 0.7, 0.5]);
        let (mass, place) = ([0.7, 0.3], [18.0, -14.0, 19.0]);
        let strength = 2e-5;
        let attraction = strength * dot(place, place).powf(1.5);
        let duration = 0.05 / strength;
        let mut inner = Regularised::default();
        inner.load(1.0, mass.to_vec(), vec![0.0; 2]);
        for (at, share) in [-mass[1], mass[0]].into_iter().enumerate() {
            inner.place[at] = r.map(|q| DoubleDouble::from(share * q));
            inner.velocity[at] = v.map(|q| DoubleDouble::from(share * q));
        }
        let path = [place, [0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]];
        *inner.perturbers() = vec![Perturber { attraction, path }];
        inner.advance(duration, &mut |_| false).unwrap();
        let apart = |of: &[[DoubleDouble; 3]]| -> Vector { std::array::from_fn(|q| of[1][q].minus(of[0][q])) };
        let right = Shape::of(apart(&inner.place), apart(&inner.velocity), 1.0);
        let distance = |a: &Shape, b: &Shape| {
            let (e, j) = (less(a.e, b.e), less(a.j, b.j));
            (dot(e, e) + dot(j, j)).sqrt()
        };
        let mut field = Field::default();
        field.add(attraction, place, [0.0; 3]);
        let begin = Shape::of(r, v, 1.0);
        let off = |field: &Field| {
            let tide = Tide::between(field, field, duration);
            let ((r, v), _) = advanced((r, v), 1.0, mass[0] - mass[1], &tide, duration);
            let found = Shape::of(r, v, 1.0);
            assert!((found.axis / begin.axis - 1.0).abs() < 1e-14);
            distance(&found, &right)
        };
        let (with, turned) = (off(&field), distance(&begin, &right));
        let without = off(&Field { third: Default::default(), ..field });
        assert!(turned > 0.02 && with < 3e-3 * turned && with < 0.3 * without, "{turned:e} {with:e} {without:e}");
    }
}
