//! What pulls at a system of few bodies from outside, and what the system does to it.
//!
//! A wide subsystem has hundreds of perturbers, whose forces are most of what it costs. So eight are side by side, for the vector
//! instructions of this machine. Operations are exact to rounding, and in one order for all levels, so that these give the same
//! bits.

use crate::simd::{Kernel, Lanes, Level, launch};

/// How many perturbers are side by side.
pub(super) const EIGHT: usize = 8;

/// A number for each of eight.
type Eight = [f64; EIGHT];

/// The coefficients of a polynomial of the time, from the constant on.
pub(crate) type Path = [[f64; 3]; 6];

/// A body outside that moves on a given path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Perturber {
    /// G m.
    pub(crate) attraction: f64,
    /// The coefficients of the path, a polynomial of the time: places relative to the centre of mass of the system.
    pub(crate) path: Path,
}

/// By what a perturber is off its path after an advance, since the system is no point: the first order of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Deflection {
    pub(crate) place: [f64; 3],
    pub(crate) velocity: [f64; 3],
}

impl Deflection {
    /// Adds a multiple of the difference of two others.
    pub(crate) fn add(&mut self, factor: f64, of: &Self, less: &Self) {
        for q in 0..3 {
            self.place[q] += factor * (of.place[q] - less.place[q]);
            self.velocity[q] += factor * (of.velocity[q] - less.velocity[q]);
        }
    }
}

/// Eight perturbers; where there are fewer, others without an attraction, beside the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Perturbers {
    attraction: Eight,
    path: [[Eight; 3]; 6],
}

impl Perturbers {
    /// By eight.
    pub(super) fn of(all: &[Perturber]) -> impl Iterator<Item = Self> {
        all.chunks(EIGHT).map(|some| {
            let last = some[some.len() - 1];
            let at = |lane: usize| some.get(lane).copied().unwrap_or(Perturber { attraction: 0.0, ..last });
            let lanes: [Perturber; EIGHT] = std::array::from_fn(at);
            Perturbers {
                attraction: lanes.map(|one| one.attraction),
                path: std::array::from_fn(|k| std::array::from_fn(|q| lanes.map(|one| one.path[k][q]))),
            }
        })
    }
}

/// The deflections of eight: places, and velocities.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deflections([Eight; 6]);

impl Deflections {
    /// Those of the first perturbers.
    pub(super) fn first(all: &[Self], count: usize) -> Vec<Deflection> {
        let one = |k: usize| {
            let Deflections(of) = &all[k / EIGHT];
            let three = |from: usize| std::array::from_fn(|q| of[from + q][k % EIGHT]);
            Deflection { place: three(0), velocity: three(3) }
        };
        (0..count).map(one).collect()
    }

    pub(super) fn drift(&mut self, dt: f64) {
        let (place, velocity) = self.0.split_at_mut(3);
        for (place, velocity) in place.as_flattened_mut().iter_mut().zip(velocity.as_flattened()) {
            *place += dt * velocity;
        }
    }

    /// Adds a multiple of the difference of two others.
    pub(super) fn add(&mut self, factor: f64, of: &Self, less: &Self) {
        let difference = of.0.as_flattened().iter().zip(less.0.as_flattened());
        for (sum, (of, less)) in self.0.as_flattened_mut().iter_mut().zip(difference) {
            *sum += factor * (of - less);
        }
    }
}

/// What perturbers and the bodies of a system do to each other at one time.
pub(super) struct Tides<'a> {
    pub(super) g: f64,
    /// The masses and places of the bodies, about their centre of mass.
    pub(super) mass: &'a [f64],
    pub(super) places: &'a [[f64; 3]],
    pub(super) perturbers: &'a [Perturbers],
    /// Since the beginning of the advance.
    pub(super) time: f64,
    /// How long the deflections have drifted, and for how long they are kicked.
    pub(super) drifted: f64,
    pub(super) dt: f64,
}

impl Tides<'_> {
    /// Moves the deflections, and gives the accelerations of the bodies, eight terms each. What the bodies do is that above what
    /// a point of their mass does.
    pub(super) fn find(self, deflections: &mut [Deflections], sums: &mut Vec<[Eight; 3]>) {
        self.find_at(Level::usual(), deflections, sums);
    }

    fn find_at(self, level: Level, deflections: &mut [Deflections], sums: &mut Vec<[Eight; 3]>) {
        sums.clear();
        sums.resize(self.mass.len(), [[0.0; EIGHT]; 3]);
        launch(level, Finding { tides: self, deflections, sums });
    }
}

struct Finding<'a> {
    tides: Tides<'a>,
    deflections: &'a mut [Deflections],
    sums: &'a mut [[Eight; 3]],
}

impl Kernel<f64> for Finding<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, token: V::Token) {
        let Finding { tides: Tides { g, mass, places, perturbers, time, drifted, dt }, deflections, sums } = self;
        let total = V::splat(token, g * mass.iter().sum::<f64>());
        let (time, drifted) = (V::splat(token, time), V::splat(token, drifted));
        let (dt, one) = (V::splat(token, dt), V::splat(token, 1.0));
        for (of, Deflections(moved)) in perturbers.iter().zip(deflections) {
            for from in (0..EIGHT).step_by(V::LEN) {
                let mut place = [one; 3];
                for (q, place) in place.iter_mut().enumerate() {
                    *place = part::<V>(token, &of.path[5][q], from);
                    for coefficient in of.path[..5].iter().rev() {
                        *place = part::<V>(token, &coefficient[q], from) + time * *place;
                    }
                }
                let attraction = part::<V>(token, &of.attraction, from);
                // that of a point, taken away
                let cube = over_cube(&place, one);
                let mut reaction = place;
                for q in 0..3 {
                    reaction[q] = total * (cube * place[q]);
                }
                for ((at, m), sum) in places.iter().zip(mass).zip(sums.iter_mut()) {
                    let mut apart = place;
                    for q in 0..3 {
                        apart[q] = place[q] - V::splat(token, at[q]);
                    }
                    let cube = over_cube(&apart, one);
                    let (pull, opposite) = (attraction * cube, V::splat(token, g * m) * cube);
                    for q in 0..3 {
                        (part::<V>(token, &sum[q], from) + pull * apart[q]).store(&mut sum[q][from..]);
                        reaction[q] = reaction[q] - opposite * apart[q];
                    }
                }
                for q in 0..3 {
                    let velocity = part::<V>(token, &moved[3 + q], from);
                    (part::<V>(token, &moved[q], from) + drifted * velocity).store(&mut moved[q][from..]);
                    (velocity + dt * reaction[q]).store(&mut moved[3 + q][from..]);
                }
            }
        }
    }
}

/// Some of eight numbers.
#[inline(always)]
fn part<V: Lanes<T = f64>>(token: V::Token, eight: &Eight, from: usize) -> V {
    V::load(token, &eight[from..])
}

/// 1 / r^3.
#[inline(always)]
fn over_cube<V: Lanes<T = f64>>(r: &[V; 3], one: V) -> V {
    let r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    one / (r2 * r2.sqrt())
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
        Perturber {
            attraction: 0.7,
            path: [
                [2.5, 1.0, 0.5],
                [-1.0, 0.1, 0.0],
                [0.1, 0.2, -0.1],
                [0.0, 0.02, 0.0],
                [0.0, 0.0, 0.003],
                [1e-3, 0.0, 0.0],
            ],
        }
    }

    fn place_at(path: &Path, time: f64) -> Vector {
        std::array::from_fn(|q| (0..6).map(|k| path[k][q] * time.powi(k as i32)).sum())
    }

    /// Eleven perturbers beside sums one by one, with the same bits at every level.
    #[test]
    fn eight_side_by_side_are_as_one_by_one() {
        let all: Vec<Perturber> = (0..11)
            .map(|k| {
                let Perturber { attraction, mut path } = perturber();
                path[0][k % 3] += 0.3 * k as f64;
                Perturber { attraction: attraction + 0.1 * k as f64, path }
            })
            .collect();
        let perturbers: Vec<Perturbers> = Perturbers::of(&all).collect();
        let places = start().map(|body| body.0);
        let (time, drifted, dt) = (0.3, 0.1, 0.2);
        let found = Level::available().into_iter().map(|level| {
            let begin = [[0.1; EIGHT], [0.0; EIGHT], [-0.2; EIGHT], [0.5; EIGHT], [1.0; EIGHT], [0.0; EIGHT]];
            let (mut deflections, mut sums) = (vec![Deflections(begin); 2], Vec::new());
            let tides = Tides { g: 1.5, mass: &MASS, places: &places, perturbers: &perturbers, time, drifted, dt };
            tides.find_at(level, &mut deflections, &mut sums);
            (Deflections::first(&deflections, all.len()), sums)
        });
        let found: Vec<_> = found.collect();
        assert!(found.iter().all(|at| *at == found[0]));
        let (deflections, sums) = &found[0];
        let mut right = [[0.0; 3]; 3];
        for (of, found) in all.iter().zip(deflections) {
            let place = place_at(&of.path, time);
            let pull = |to: Vector| -> Vector {
                let r2: f64 = to.iter().map(|q| q * q).sum();
                to.map(|q| q / r2.powf(1.5))
            };
            let mut velocity: Vector = pull(place).map(|q| dt * 1.5 * q);
            for (b, at) in places.iter().enumerate() {
                let pull = pull(std::array::from_fn(|q| place[q] - at[q]));
                (0..3).for_each(|q| right[b][q] += of.attraction * pull[q]);
                (0..3).for_each(|q| velocity[q] -= dt * 1.5 * MASS[b] * pull[q]);
            }
            let (begin, before): (Vector, Vector) = ([0.1, 0.0, -0.2], [0.5, 1.0, 0.0]);
            for q in 0..3 {
                let off = (found.place[q] - begin[q] - drifted * before[q]).abs();
                assert!(off.max((found.velocity[q] - before[q] - velocity[q]).abs()) < 1e-15, "{q}: {found:?}");
            }
        }
        for (sum, right) in sums.iter().flatten().zip(right.iter().flatten()) {
            assert!((sum.iter().sum::<f64>() - right).abs() < 1e-14, "{sum:?} {right}");
        }
    }

    /// The accelerations of bodies relative to their mean.
    fn accelerations(places: &[Vector; 3], time: f64) -> [Vector; 3] {
        let perturber = perturber();
        let at = place_at(&perturber.path, time);
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
        // (k + m)! / k! m! times the time to the power of k
        let choose = |m: usize, k: usize| (1..=k).fold(1.0, |product, i| product * (m + i) as f64 / i as f64);
        let path: Path = std::array::from_fn(|m| {
            let of =
                |q: usize| (0..6 - m).map(|k| choose(m, k) * first.powi(k as i32) * perturber().path[m + k][q]).sum();
            std::array::from_fn(of)
        });
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
