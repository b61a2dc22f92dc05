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
use super::contact::Lookout;
use super::double::DoubleDouble;
use super::perturber::{Deflections, EIGHT, Perturber, Perturbers, Tides};
use super::tide::{self, Tensor, Tide};

/// The masses and forces of bodies in the order of a chain.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    pub(super) g: f64,
    pub(super) mass: Vec<f64>,
    /// Half the squares of softening lengths: those of a pair are added.
    pub(super) half_eps2: Vec<f64>,
    /// C.
    offset: f64,
    /// What pulls at the bodies from outside.
    pub(super) perturbers: Vec<Perturber>,
    by_eight: Vec<Perturbers>,
    /// The tidal field of all others.
    pub(super) tide: Option<Tide>,
    /// Whether the moments of the bodies are summed in time.
    pub(super) is_spread: bool,
    /// Looks for bodies that touch.
    pub(super) lookout: Lookout,
    /// How long the last drift was.
    drifted: f64,
    /// Evaluations of all forces.
    pub(super) evaluations: u64,
    /// Relative to the first body: places or velocities.
    relative: Vec<[f64; 3]>,
    accelerations: Vec<[f64; 3]>,
    /// Accelerations by perturbers.
    tides: Vec<[f64; 3]>,
    /// The places about the centre of mass, and eight terms of each acceleration by perturbers.
    centered: Vec<[f64; 3]>,
    terms: Vec<[[f64; EIGHT]; 3]>,
}

/// Links of a chain, the time, the binding energy B, and what became of perturbers.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) links: Vec<Link>,
    pub(super) time: DoubleDouble,
    pub(super) binding: DoubleDouble,
    pub(super) deflections: Vec<Deflections>,
    /// The time integral of sum m y_i y_j, with the places y about the centre of mass.
    pub(super) spread: Tensor,
}

impl State {
    pub(super) fn copy(&mut self, from: &State) {
        self.links.clone_from(&from.links);
        (self.time, self.binding, self.spread) = (from.time, from.binding, from.spread);
        self.deflections.clone_from(&from.deflections);
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

    /// Takes the perturbers of an advance, which begins at this state.
    pub(super) fn set_perturbers(&mut self, state: &mut State) {
        self.by_eight.clear();
        self.by_eight.extend(Perturbers::of(&self.perturbers));
        state.deflections.clear();
        state.deflections.resize(self.by_eight.len(), Deflections::default());
    }

    /// Sets B, which is that of the links where it is not known.
    pub(super) fn bind(&mut self, known: Option<f64>, state: &mut State) {
        let binding = known.unwrap_or_else(|| self.evaluate(&state.links) - self.kinetic(&state.links));
        self.offset = (-binding).max(0.0);
        state.binding = binding.into();
    }

    /// ds / dt.
    pub(super) fn pace(&mut self, links: &[Link]) -> f64 {
        self.evaluate(links) + self.offset
    }

    /// T in the frame of the centre of mass.
    fn kinetic(&mut self, links: &[Link]) -> f64 {
        let center = self.velocities(links);
        let Motion { mass, relative, .. } = self;
        let square = |v: &[f64; 3]| (0..3).map(|q| (v[q] - center[q]).powi(2)).sum::<f64>();
        0.5 * mass.iter().zip(relative.iter()).map(|(m, v)| m * square(v)).sum::<f64>()
    }

    /// Velocities relative to the first body in `relative`; their mean.
    fn velocities(&mut self, links: &[Link]) -> [f64; 3] {
        let Motion { mass, relative, .. } = self;
        relative.resize(mass.len(), [0.0; 3]);
        relative[0] = [0.0; 3];
        for (k, link) in links.iter().enumerate() {
            relative[k + 1] = std::array::from_fn(|q| relative[k][q] + link[3 + q].hi);
        }
        mean(mass, relative)
    }

    /// False where T + B + C is not above 0.
    fn drift(&mut self, state: &mut State, h: f64) -> bool {
        let pace = self.kinetic(&state.links) + (state.binding.hi + self.offset);
        let dt = h / pace;
        self.drifted = dt;
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
        if self.perturbers.is_empty() && self.tide.is_none() {
            return kicked(&mut state.links, &self.accelerations, dt);
        }
        let center = mean(&self.mass, &self.relative);
        if self.is_spread {
            self.spread(&center).iter().zip(&mut state.spread).for_each(|(moment, sum)| *sum += dt * moment);
        }
        self.set_tides(&center, state, dt);
        for (acceleration, tide) in self.accelerations.iter_mut().zip(&self.tides) {
            (0..3).for_each(|q| acceleration[q] += tide[q]);
        }
        let before = self.power(&state.links);
        kicked(&mut state.links, &self.accelerations, dt);
        let after = self.power(&state.links);
        state.binding.accumulate(-0.5 * dt * (before + after));
    }

    /// sum m y_i y_j.
    fn spread(&self, center: &[f64; 3]) -> Tensor {
        let mut sum = Tensor::default();
        for (m, at) in self.mass.iter().zip(&self.relative) {
            let y = std::array::from_fn(|q| at[q] - center[q]);
            sum.iter_mut().zip(tide::product(y, y)).for_each(|(sum, term)| *sum += m * term);
        }
        sum
    }

    /// Accelerations by the tidal field and by perturbers, where the places relative to the first body are known; and deflections
    /// of perturbers by a drift before, and a kick of dt.
    fn set_tides(&mut self, center: &[f64; 3], state: &mut State, dt: f64) {
        let Motion { g, mass, relative, by_eight, tides, centered, terms, drifted, .. } = self;
        centered.clear();
        centered.extend(relative.iter().map(|at| -> [f64; 3] { std::array::from_fn(|q| at[q] - center[q]) }));
        tides.clear();
        tides.resize(mass.len(), [0.0; 3]);
        let time = state.time.hi;
        if !by_eight.is_empty() {
            let of = Tides { g: *g, mass, places: centered, perturbers: by_eight, time, drifted: *drifted, dt };
            of.find(&mut state.deflections, terms);
            for (tide, terms) in tides.iter_mut().zip(terms.iter()) {
                (0..3).for_each(|q| tide[q] = terms[q].iter().sum());
            }
        }
        if let Some(tide) = &self.tide {
            // S is left out: (size / distance) T of what is a hundred sizes away or more
            let tensor = tide.tensor(time);
            for (tide, at) in tides.iter_mut().zip(centered.iter()) {
                let pull = tide::times(&tensor, *at);
                (0..3).for_each(|q| tide[q] -= pull[q]);
            }
        }
    }

    /// What perturbers do to the energy, in the frame of the centre of mass.
    fn power(&mut self, links: &[Link]) -> f64 {
        let center = self.velocities(links);
        let Motion { mass, relative, tides, .. } = self;
        let one = |v: &[f64; 3], f: &[f64; 3]| (0..3).map(|q| (v[q] - center[q]) * f[q]).sum::<f64>();
        mass.iter().zip(relative.iter().zip(tides.iter())).map(|(m, (v, f))| m * one(v, f)).sum()
    }

    /// Steps of length h; false where they cannot be made.
    pub(super) fn leapfrog(&mut self, state: &mut State, h: f64, steps: usize) -> bool {
        self.look(state, 0.0, 0);
        let mut good = self.drift(state, 0.5 * h);
        for step in 1..=steps {
            self.kick(state, h);
            good &= self.drift(state, if step < steps { h } else { 0.5 * h });
            // two drifts of h/2 are one
            self.look(state, if step < steps { 0.5 * self.drifted } else { 0.0 }, step);
        }
        let rest = self.drifted;
        state.deflections.iter_mut().for_each(|deflections| deflections.drift(rest));
        good
    }

    /// Looks for bodies that touch, in a state that is so much time after the end of a step.
    fn look(&mut self, state: &State, after: f64, step: usize) {
        let Motion { lookout, g, mass, .. } = self;
        if lookout.is_open() {
            lookout.look(&state.links, after, step, *g, mass);
        }
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

fn kicked(links: &mut [Link], accelerations: &[[f64; 3]], dt: f64) {
    for (link, pair) in links.iter_mut().zip(accelerations.windows(2)) {
        for q in 0..3 {
            link[3 + q].accumulate(dt * (pair[1][q] - pair[0][q]));
        }
    }
}

/// The mean of vectors of bodies, weighted by mass; the first of them is 0.
fn mean(mass: &[f64], of: &[[f64; 3]]) -> [f64; 3] {
    let (mut total, mut center) = (mass[0], [0.0; 3]);
    for (m, v) in mass.iter().zip(of).skip(1) {
        (0..3).for_each(|q| center[q] += m * v[q]);
        total += m;
    }
    center.map(|q| q / total)
}
