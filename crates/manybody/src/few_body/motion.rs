//! The leapfrog of the logarithmic Hamiltonian, in the coordinates of a chain.
//!
//! ```text
//! T + B = U             kinetic energy, binding energy -E, and minus the potential energy
//! Lambda = ln(T + B + C) - ln(U + C)          the Hamiltonian, with the fictitious time s
//! drift h   dt = h / (T + B + C),   t += dt,   R += dt W
//! kick h    dt = h / (U + C),       W += dt A
//! ```
//!
//! Drift h/2, kick h, drift h/2 is symmetric. C is 0 for a bound system: the leapfrog then follows any orbit of two
//! bodies exactly but for the time [Mikkola 1999, Preto 1999]. In an unbound system far apart U is a small difference
//! of T and -B; C = -B leaves T in its place. Steps shorten near a collision by themselves: dt = ds / (U + C).

use super::chain::{LINK, Link};
use super::double::DoubleDouble;

/// The masses and forces of bodies in the order of a chain.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    pub(super) g: f64,
    pub(super) mass: Vec<f64>,
    /// Half the squares of softening lengths: those of a pair are added.
    pub(super) half_eps2: Vec<f64>,
    binding: f64,
    /// C.
    offset: f64,
    /// Evaluations of all forces.
    pub(super) evaluations: u64,
    /// Relative to the first body: places or velocities.
    relative: Vec<[f64; 3]>,
    accelerations: Vec<[f64; 3]>,
}

/// Links of a chain, and the time.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) links: Vec<Link>,
    pub(super) time: DoubleDouble,
}

impl State {
    pub(super) fn copy(&mut self, from: &State) {
        self.links.clone_from(&from.links);
        self.time = from.time;
    }
}

impl Motion {
    /// U, and accelerations in `accelerations`.
    fn evaluate(&mut self, links: &[Link]) -> f64 {
        let Motion { g, mass, half_eps2, evaluations, relative, accelerations, .. } = self;
        *evaluations += 1;
        let n = mass.len();
        relative.resize(n, [0.0; 3]);
        accelerations.clear();
        accelerations.resize(n, [0.0; 3]);
        for (k, link) in links.iter().enumerate() {
            relative[k + 1] = std::array::from_fn(|q| relative[k][q] + link[q].hi);
        }
        let mut potential = 0.0;
        for i in 0..n {
            for j in i + 1..n {
                // a few links are added, and not subtracted from others
                let apart: [f64; 3] = match j - i {
                    1 => std::array::from_fn(|q| links[i][q].hi),
                    2 => std::array::from_fn(|q| links[i][q].hi + links[i + 1][q].hi),
                    _ => std::array::from_fn(|q| relative[j][q] - relative[i][q]),
                };
                let eps2 = half_eps2[i] + half_eps2[j];
                let inverse2 = 1.0 / (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] + eps2);
                let inverse = *g * inverse2.sqrt();
                potential += mass[i] * mass[j] * inverse;
                let inverse3 = inverse * inverse2;
                for q in 0..3 {
                    accelerations[i][q] += mass[j] * inverse3 * apart[q];
                    accelerations[j][q] -= mass[i] * inverse3 * apart[q];
                }
            }
        }
        potential
    }

    /// Notes B, which is that of the links where it is not known.
    pub(super) fn bind(&mut self, known: Option<f64>, links: &[Link]) -> f64 {
        self.binding = known.unwrap_or_else(|| self.evaluate(links) - self.kinetic(links));
        self.offset = (-self.binding).max(0.0);
        self.binding
    }

    /// ds / dt.
    pub(super) fn pace(&mut self, links: &[Link]) -> f64 {
        self.evaluate(links) + self.offset
    }

    /// T in the frame of the centre of mass.
    fn kinetic(&mut self, links: &[Link]) -> f64 {
        let Motion { mass, relative, .. } = self;
        relative.resize(mass.len(), [0.0; 3]);
        relative[0] = [0.0; 3];
        let (mut total, mut center) = (mass[0], [0.0; 3]);
        for (k, link) in links.iter().enumerate() {
            relative[k + 1] = std::array::from_fn(|q| relative[k][q] + link[3 + q].hi);
            (0..3).for_each(|q| center[q] += mass[k + 1] * relative[k + 1][q]);
            total += mass[k + 1];
        }
        let center = center.map(|q| q / total);
        let square = |v: &[f64; 3]| (0..3).map(|q| (v[q] - center[q]).powi(2)).sum::<f64>();
        0.5 * mass.iter().zip(relative.iter()).map(|(m, v)| m * square(v)).sum::<f64>()
    }

    /// False where T + B + C is not above 0.
    fn drift(&mut self, state: &mut State, h: f64) -> bool {
        let pace = self.kinetic(&state.links) + (self.binding + self.offset);
        let dt = h / pace;
        state.time.accumulate(dt);
        for link in &mut state.links {
            for q in 0..3 {
                link[q].accumulate(dt * link[3 + q].hi);
            }
        }
        pace > 0.0
    }

    fn kick(&mut self, state: &mut State, h: f64) {
        let dt = h / self.pace(&state.links);
        for (link, pair) in state.links.iter_mut().zip(self.accelerations.windows(2)) {
            for q in 0..3 {
                link[3 + q].accumulate(dt * (pair[1][q] - pair[0][q]));
            }
        }
    }

    /// Steps of length h; false where they cannot be made.
    pub(super) fn leapfrog(&mut self, state: &mut State, h: f64, steps: usize) -> bool {
        let mut good = self.drift(state, 0.5 * h);
        for step in 1..=steps {
            self.kick(state, h);
            good &= self.drift(state, if step < steps { h } else { 0.5 * h });
        }
        good
    }

    /// An estimate of a first step in s: a share of the shortest time scale of a pair.
    pub(super) fn first_step(&mut self, links: &[Link]) -> f64 {
        let pace = self.pace(links);
        let mut shortest = f64::INFINITY;
        for (k, link) in links.iter().enumerate() {
            let square = |of: &[DoubleDouble]| of.iter().map(|q| q.hi * q.hi).sum::<f64>();
            let (r2, v2) = (square(&link[..3]), square(&link[3..LINK]));
            let r2 = r2 + self.half_eps2[k] + self.half_eps2[k + 1];
            let fall = (r2 * r2.sqrt() / (self.g * (self.mass[k] + self.mass[k + 1]))).sqrt();
            shortest = shortest.min(fall).min((r2 / v2).sqrt());
        }
        0.5 * pace * shortest
    }
}
