//! Accelerations and jerks of active bodies in mixed precision: a position is two f32, velocities and terms are f32, and so are
//! sums of the terms of 16 vectors at most; all others are f64.

use super::{Active, fill_up, filled, interleave};
use crate::forces::Derivatives;
use crate::frame::{Frame, MAX_HALF_EPS2};
use crate::law::{SplitGravityJerk, smallest_eps2};
use crate::watch::Watch;
use crate::{Bodies, Coordinates, Gravity, Result};
use manybody_ranks::Team;

/// Numbers of a body in a [`Frame`]: position, velocity, mass, half the square of the softening.
const WHOLE: usize = 8;
/// Numbers of a [`SplitGravityJerk`]'s body.
const FIELDS: usize = 11;
const MASS: usize = 9;

/// Where a number is among those of a body, and where what its rounding leaves.
fn places(number: usize) -> (usize, Option<usize>) {
    match number {
        0..3 => (number, Some(number + 3)),
        _ => (number + 3, None),
    }
}

impl Active<f32> {
    /// Accelerations and jerks of the `active` bodies, by all bodies; all of them have a mass.
    ///
    /// # Errors
    /// As [`Frame::new`], and [`Error::Interrupted`](crate::Error::Interrupted) where the watch asks for an end.
    pub(crate) fn jerks(
        &mut self,
        bodies: &Bodies,
        active: &[usize],
        gravity: &Gravity,
        (watch, team): (&Watch, Option<&Team>),
        out: &mut Derivatives,
    ) -> Result<()> {
        gravity.plummer_only("time derivatives in mixed precision")?;
        let frame = Frame::new(bodies, gravity, Coordinates::PhaseSpace)?;
        out.resize(active.len(), false);
        self.gather(bodies, gravity, &frame);
        let lanes = self.level.lanes_f32();
        let units = [frame.acceleration(), frame.jerk(), 0.0];
        self.sum::<SplitGravityJerk, 6>(active, units, (watch, team), out, |this, active| {
            let sources = this.sources.as_slice();
            for k in filled(active) {
                let first = k / lanes * FIELDS * lanes + k % lanes;
                this.targets.extend((0..FIELDS).map(|field| sources[first + field * lanes]));
            }
        })
    }

    /// Copies the bodies, filled up to whole vectors by copies of the last one without mass.
    fn gather(&mut self, bodies: &Bodies, gravity: &Gravity, frame: &Frame) {
        let n = bodies.len();
        let lanes = self.make_room(n, FIELDS);
        let Active { sources, column, .. } = self;
        let (sources, mut rounded) = (sources.as_mut_slice(), Vec::with_capacity(n));
        column.resize(n, 0.0);
        let mut put = |place: usize, from: &[f32]| {
            let last = interleave(sources, [place, FIELDS, lanes], from);
            fill_up(last, n, lanes);
            if place == MASS && !n.is_multiple_of(lanes) {
                last[n % lanes..].fill(0.0);
            }
        };
        for number in 0..WHOLE {
            frame.write(bodies, gravity, Coordinates::PhaseSpace, number, column);
            if number == WHOLE - 1 {
                let least = 0.5 * smallest_eps2(false);
                column.iter_mut().for_each(|h| *h = h.clamp(least, MAX_HALF_EPS2));
            }
            let (place, rest) = places(number);
            rounded.clear();
            rounded.extend(column.iter().map(|q| *q as f32));
            put(place, &rounded);
            if let Some(place) = rest {
                rounded.iter_mut().zip(&*column).for_each(|(part, q)| *part = (q - f64::from(*part)) as f32);
                put(place, &rounded);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::{Precision, Reference, Solver, direct};

    /// Bodies whose numbers are those of no grid, far from the origin and moving, of which two are 1e-7 apart.
    fn bodies(n: usize) -> Bodies {
        let mut next = 0.5_f64;
        let mut number = || {
            next = (next + 0.618_033_988_749_894_9).fract();
            (next * 31.7).sin()
        };
        let mut bodies = Bodies::default();
        for _ in 0..n {
            let mass = (0.6 + 0.5 * number()) / n as f64;
            bodies.push(mass, [3.0 + number(), number(), number() - 20.0], [number(), number() + 5.0, number()]);
        }
        if n > 2 {
            (bodies.x[1], bodies.y[1], bodies.z[1]) = (bodies.x[0] + 1e-7, bodies.y[0], bodies.z[0]);
        }
        bodies
    }

    fn length(v: [f64; 3]) -> f64 {
        v.iter().map(|q| q * q).sum::<f64>().sqrt()
    }

    /// What the terms of the acceleration and of the jerk of a body add up to without their signs, in units of a rounding: some
    /// 20 of each term, and 20 additions of it in f32, each half of this unit, and that of two velocities up to `speed`.
    fn sizes(bodies: &Bodies, gravity: &Gravity, speed: f64, i: usize) -> [f64; 2] {
        (0..bodies.len()).filter(|j| *j != i).fold([0.0; 2], |[a, jerk], j| {
            let apart = |of: fn(&Bodies, usize) -> [f64; 3]| {
                let (p, q) = (of(bodies, i), of(bodies, j));
                length([0, 1, 2].map(|k| q[k] - p[k]))
            };
            let (r, w) = (apart(Bodies::position), apart(Bodies::velocity));
            let s = (r * r + gravity.eps2(bodies, i, j)).sqrt();
            let f = gravity.g * bodies.mass[j] / s.powi(3);
            [a + 20.0 * f * r, jerk + f * (20.0 * w + 2.0 * speed) * (1.0 + 3.0 * r * r / (s * s))]
        })
    }

    fn compare(bodies: &Bodies, gravity: &Gravity, active: &[usize], what: &str) {
        let mut right = Derivatives::default();
        Reference::default().derivatives_on(bodies, None, active, gravity, &mut right).unwrap();
        // relative to one of them, where a frame takes the mean
        let from_first = |k: usize| [0, 1, 2].map(|q| bodies.velocity(k)[q] - bodies.velocity(0)[q]);
        let speed = (0..bodies.len()).map(|k| length(from_first(k))).fold(0.0, f64::max);
        for level in Level::available() {
            let mut found = Derivatives::default();
            direct(level, Precision::Mixed).derivatives_on(bodies, None, active, gravity, &mut found).unwrap();
            for (at, i) in active.iter().enumerate() {
                let [a, jerk] = sizes(bodies, gravity, speed, *i);
                for (found, right, size) in [(&found.a, &right.a, a), (&found.j, &right.j, jerk)] {
                    assert_eq!(found[0].len(), active.len());
                    let off = (0..3).map(|q| (found[q][at] - right[q][at]).powi(2)).sum::<f64>().sqrt();
                    let bound = f64::from(f32::EPSILON) * size;
                    assert!(off <= bound, "{what}, {}, body {i}: {off:e} of {bound:e}", level.name());
                }
            }
        }
    }

    #[test]
    fn mixed_jerks_meet_the_reference() {
        let gravity = Gravity::new(1.5, 0.01);
        for n in [1, 2, 3, 8, 17, 100, 1023, 1025, 3000] {
            let all = bodies(n);
            let few: Vec<usize> = (0..n).step_by(7).collect();
            compare(&all, &gravity, &few, &format!("{n} bodies"));
            compare(&all, &gravity, &[n - 1], "one body");
            let hard = Gravity { eps: 0.0, ..gravity };
            compare(&all, &hard, &[n - 1, 0], "without softening");
            let mut some = all.clone();
            some.mass.iter_mut().skip(1).step_by(3).for_each(|mass| *mass = 0.0);
            compare(&some, &gravity, &few, "massless bodies");
            some.eps = Some((0..n).map(|k| 0.01 * (1 + k % 5) as f64).collect());
            compare(&some, &gravity, &few, "own softenings");
            // metres, kilograms and seconds
            let mut large = all;
            large.mass.iter_mut().for_each(|mass| *mass *= 1e30);
            let Bodies { x, y, z, vx, vy, vz, .. } = &mut large;
            [x, y, z].into_iter().flatten().for_each(|q| *q *= 1e19);
            [vx, vy, vz].into_iter().flatten().for_each(|q| *q *= 1e4);
            compare(&large, &Gravity::new(6.67e-11, 1e17), &few, "large units");
        }
        let mut found = Derivatives::default();
        let mut solver = direct(Level::best(), Precision::Mixed);
        solver.derivatives_on(&Bodies::default(), None, &[], &gravity, &mut found).unwrap();
        assert_eq!(found, Derivatives::default());
        let snaps = solver.derivatives_on(&bodies(3), Some([&[0.0; 3]; 3]), &[0], &gravity, &mut found);
        assert!(snaps.unwrap_err().to_string().contains("no snaps"));
    }

    /// With any number of threads, alone or with others, and beside bodies without mass: the same bits.
    #[test]
    fn what_is_computed_beside_a_body_changes_no_bit() {
        let (all, gravity) = (bodies(5000), Gravity::new(1.0, 0.01));
        let active: Vec<usize> = (0..5000).collect();
        let of = |threads: usize, bodies: &Bodies, active: &[usize]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = Derivatives::default();
            let mut compute =
                || direct(Level::best(), Precision::Mixed).derivatives_on(bodies, None, active, &gravity, &mut out);
            pool.install(&mut compute).unwrap();
            out
        };
        let one = of(1, &all, &active);
        assert_eq!(one, of(3, &all, &active));
        let mut more = all.clone();
        more.push(0.0, [1e5, 0.0, 0.0], [0.0, 1e4, 0.0]);
        for k in [0, 4095, 4096, 4999] {
            for beside in [of(1, &all, &[k]), of(2, &more, &[k, 5000])] {
                assert_eq!([beside.a[0][0], beside.j[2][0]], [one.a[0][k], one.j[2][k]]);
            }
        }
    }
}
