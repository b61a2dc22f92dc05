//! What pulls at a system of few bodies from outside, and what the system does to it.

/// A body outside that moves on a given path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Perturber {
    /// G m.
    pub(crate) attraction: f64,
    /// The coefficients of the path, a cubic of the time: places relative to the centre of mass of the system.
    pub(crate) path: [[f64; 3]; 4],
}

impl Perturber {
    /// Where it is at a time since the beginning of an advance.
    pub(super) fn place(&self, time: f64) -> [f64; 3] {
        let [c0, c1, c2, c3] = &self.path;
        std::array::from_fn(|q| c0[q] + time * (c1[q] + time * (c2[q] + time * c3[q])))
    }
}

/// By what a perturber is off its path after an advance, since the system is no point: the first order of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Deflection {
    pub(crate) place: [f64; 3],
    pub(crate) velocity: [f64; 3],
}

impl Deflection {
    pub(super) fn drift(&mut self, dt: f64) {
        (0..3).for_each(|q| self.place[q] += dt * self.velocity[q]);
    }

    pub(super) fn kick(&mut self, acceleration: &[f64; 3], dt: f64) {
        (0..3).for_each(|q| self.velocity[q] += dt * acceleration[q]);
    }

    /// Adds a multiple of the difference of two others.
    pub(crate) fn add(&mut self, factor: f64, of: &Self, less: &Self) {
        for q in 0..3 {
            self.place[q] += factor * (of.place[q] - less.place[q]);
            self.velocity[q] += factor * (of.velocity[q] - less.velocity[q]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DoubleDouble, Regularised};
    use super::*;

    type Vector = [f64; 3];

    const MASS: [f64; 3] = [0.5, 0.3, 0.2];

    /// A pair, and a third body about it, in the frame of their centre of mass.
    fn start() -> [(Vector, Vector); 3] {
        let bodies = [
            ([0.2, 0.0, 0.0], [0.0, 1.2, 0.1]),
            ([-0.3, 0.1, 0.0], [0.0, -1.0, 0.0]),
            ([1.5, 0.0, 0.2], [-0.1, 0.6, 0.0]),
        ];
        let less = |of: fn(&(Vector, Vector)) -> Vector, k: usize| -> Vector {
            let mean = |q: usize| (0..3).map(|k| MASS[k] * of(&bodies[k])[q]).sum::<f64>();
            std::array::from_fn(|q| of(&bodies[k])[q] - mean(q))
        };
        std::array::from_fn(|k| (less(|body| body.0, k), less(|body| body.1, k)))
    }

    /// A path that passes by, and turns.
    fn perturber() -> Perturber {
        Perturber { attraction: 0.7, path: [[2.5, 1.0, 0.5], [-1.0, 0.1, 0.0], [0.1, 0.2, -0.1], [0.0, 0.02, 0.0]] }
    }

    /// The accelerations of bodies relative to their mean.
    fn accelerations(places: &[Vector; 3], time: f64) -> [Vector; 3] {
        let perturber = perturber();
        let at = perturber.place(time);
        let mut found = [[0.0; 3]; 3];
        for (i, a) in found.iter_mut().enumerate() {
            let mut pull = |mass: f64, to: &Vector| {
                let apart: Vector = std::array::from_fn(|q| to[q] - places[i][q]);
                let r2: f64 = apart.iter().map(|q| q * q).sum();
                (0..3).for_each(|q| a[q] += mass * apart[q] / r2.powf(1.5));
            };
            (0..3).filter(|j| *j != i).for_each(|j| pull(MASS[j], &places[j]));
            pull(perturber.attraction, &at);
        }
        let mean: Vector = std::array::from_fn(|q| (0..3).map(|k| MASS[k] * found[k][q]).sum::<f64>());
        found.map(|a| std::array::from_fn(|q| a[q] - mean[q]))
    }

    /// The classical Runge-Kutta scheme of order 4, in the frame of the centre of mass.
    fn runge_kutta(duration: f64, steps: usize) -> [(Vector, Vector); 3] {
        let h = duration / steps as f64;
        let mut y = start();
        let slope = |y: &[(Vector, Vector); 3], time: f64| {
            let a = accelerations(&y.map(|body| body.0), time);
            std::array::from_fn::<_, 3, _>(|k| (y[k].1, a[k]))
        };
        let ahead = |y: &[(Vector, Vector); 3], k: &[(Vector, Vector); 3], h: f64| {
            std::array::from_fn::<_, 3, _>(|b| {
                let go = |x: Vector, d: Vector| -> Vector { std::array::from_fn(|q| x[q] + h * d[q]) };
                (go(y[b].0, k[b].0), go(y[b].1, k[b].1))
            })
        };
        for step in 0..steps {
            let time = step as f64 * h;
            let k1 = slope(&y, time);
            let k2 = slope(&ahead(&y, &k1, 0.5 * h), time + 0.5 * h);
            let k3 = slope(&ahead(&y, &k2, 0.5 * h), time + 0.5 * h);
            let k4 = slope(&ahead(&y, &k3, h), time + h);
            for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
                y = ahead(&y, &k, weight * h / 6.0);
            }
        }
        y
    }

    /// Three bodies and a perturber beside a scheme that has nothing in common; the binding energy is that of the bodies
    /// although the perturber changes it.
    #[test]
    fn perturbed_bodies_move_as_by_another_scheme() {
        let duration = 2.0;
        let mut system = Regularised::default();
        system.load(1.0, MASS.to_vec(), vec![0.0; 3]);
        for (k, (place, velocity)) in start().into_iter().enumerate() {
            (system.place[k], system.velocity[k]) = (place.map(DoubleDouble::from), velocity.map(DoubleDouble::from));
        }
        let energy = |bodies: &[(Vector, Vector); 3]| {
            let apart = |i: usize, j: usize| (0..3).map(|q| (bodies[i].0[q] - bodies[j].0[q]).powi(2)).sum::<f64>();
            let mean: Vector = std::array::from_fn(|q| (0..3).map(|k| MASS[k] * bodies[k].1[q]).sum::<f64>());
            let square = |k: usize| (0..3).map(|q| (bodies[k].1[q] - mean[q]).powi(2)).sum::<f64>();
            let kinetic: f64 = (0..3).map(|k| 0.5 * MASS[k] * square(k)).sum();
            let potential = |(i, j): (usize, usize)| MASS[i] * MASS[j] / apart(i, j).sqrt();
            kinetic - [(0, 1), (0, 2), (1, 2)].map(potential).iter().sum::<f64>()
        };
        // in two advances, the path of the second beginning where that of the first ends
        let (first, second) = (0.75, duration - 0.75);
        *system.perturbers() = vec![perturber()];
        system.advance(first, &mut |_| false).unwrap();
        let [c0, c1, c2, c3] = perturber().path;
        let t = first;
        let path = [
            std::array::from_fn(|q| c0[q] + t * (c1[q] + t * (c2[q] + t * c3[q]))),
            std::array::from_fn(|q| c1[q] + t * (2.0 * c2[q] + 3.0 * t * c3[q])),
            std::array::from_fn(|q| c2[q] + 3.0 * t * c3[q]),
            c3,
        ];
        *system.perturbers() = vec![Perturber { attraction: perturber().attraction, path }];
        system.advance(second, &mut |_| false).unwrap();
        let right = runge_kutta(duration, 40_000);
        let found: [(Vector, Vector); 3] =
            std::array::from_fn(|k| (system.place[k].map(|q| q.hi), system.velocity[k].map(|q| q.hi)));
        for ((found, right), k) in found.iter().zip(&right).zip(0..) {
            for q in 0..3 {
                let off = (found.0[q] - right.0[q]).abs().max((found.1[q] - right.1[q]).abs());
                assert!(off < 1e-10, "{k} {q}: {off:e}");
            }
        }
        let change = (energy(&found) - energy(&start())).abs();
        let binding = system.binding.unwrap();
        assert!(change > 1e-3 && (binding + energy(&found)).abs() < 1e-12, "{change} {binding} {}", energy(&found));
    }
}
