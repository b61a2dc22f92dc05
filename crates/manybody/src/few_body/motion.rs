//! The leapfrog of one system, with perturbers, tides, and a look at bodies that touch.

use super::chain::{LINK, Link};
use super::contact::Lookout;
use super::double::DoubleDouble;
use super::leapfrog::{Leapfrog, State, with_bodies};
use super::perturber::{Deflections, EIGHT, Perturber, Perturbers, Tides};
use super::tide::{self, Tensor, Tide};

/// What moves the bodies of a system.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    pub(super) leapfrog: Leapfrog,
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
    /// Accelerations by perturbers.
    tides: Vec<[f64; 3]>,
    /// The places about the centre of mass, and eight terms of each acceleration by perturbers.
    centered: Vec<[f64; 3]>,
    terms: Vec<[[f64; EIGHT]; 3]>,
}

impl Motion {
    /// Takes the perturbers of an advance, which begins at this state.
    pub(super) fn set_perturbers(&mut self, state: &mut State) {
        self.by_eight.clear();
        self.by_eight.extend(Perturbers::of(&self.perturbers));
        state.deflections.clear();
        state.deflections.resize(self.by_eight.len(), Deflections::default());
    }

    /// Sets B, which is that of the links where it is not known.
    pub(super) fn bind(&mut self, known: Option<f64>, state: &mut State) {
        let binding = known.unwrap_or_else(|| {
            self.evaluations += 1;
            self.leapfrog.evaluate::<0>(&state.links) - self.leapfrog.kinetic::<0>(&state.links)
        });
        self.leapfrog.offset = (-binding).max(0.0);
        state.binding = binding.into();
    }

    /// ds / dt.
    pub(super) fn pace(&mut self, links: &[Link]) -> f64 {
        self.evaluations += 1;
        self.leapfrog.pace::<0>(links)
    }

    /// False where T + B + C is not above 0.
    #[inline(always)]
    fn drift<const N: usize>(&mut self, state: &mut State, h: f64) -> bool {
        let (pace, dt) = self.leapfrog.drift::<N>(state, h);
        self.drifted = dt;
        pace > 0.0
    }

    #[inline(always)]
    fn kick<const N: usize>(&mut self, state: &mut State, h: f64) {
        self.evaluations += 1;
        let dt = h / self.leapfrog.pace::<N>(&state.links);
        match self.perturbers.is_empty() && self.tide.is_none() {
            true => self.leapfrog.kick::<N>(&mut state.links, dt),
            false => self.perturbed_kick(state, dt),
        }
    }

    /// A kick of bodies whose places and accelerations by each other are known.
    fn perturbed_kick(&mut self, state: &mut State, dt: f64) {
        let center = self.leapfrog.mean::<0>();
        if self.is_spread {
            self.spread(&center).iter().zip(&mut state.spread).for_each(|(moment, sum)| *sum += dt * moment);
        }
        self.set_tides(&center, state, dt);
        for (acceleration, tide) in self.leapfrog.accelerations.iter_mut().zip(&self.tides) {
            (0..3).for_each(|q| acceleration[q] += tide[q]);
        }
        let before = self.power(&state.links);
        self.leapfrog.kick::<0>(&mut state.links, dt);
        let after = self.power(&state.links);
        state.binding.accumulate(-0.5 * dt * (before + after));
    }

    /// sum m y_i y_j.
    fn spread(&self, center: &[f64; 3]) -> Tensor {
        let mut sum = Tensor::default();
        for (m, at) in self.leapfrog.mass.iter().zip(&self.leapfrog.relative) {
            let y = std::array::from_fn(|q| at[q] - center[q]);
            sum.iter_mut().zip(tide::product(y, y)).for_each(|(sum, term)| *sum += m * term);
        }
        sum
    }

    /// Accelerations by the tidal field and by perturbers, where the places relative to the first body are known; and deflections
    /// of perturbers by a drift before, and a kick of dt.
    fn set_tides(&mut self, center: &[f64; 3], state: &mut State, dt: f64) {
        let Motion { leapfrog: Leapfrog { g, mass, relative, .. }, by_eight, tides, centered, terms, drifted, .. } =
            self;
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
        let center = self.leapfrog.velocities::<0>(links);
        let Motion { leapfrog: Leapfrog { mass, relative, .. }, tides, .. } = self;
        let one = |v: &[f64; 3], f: &[f64; 3]| (0..3).map(|q| (v[q] - center[q]) * f[q]).sum::<f64>();
        mass.iter().zip(relative.iter().zip(tides.iter())).map(|(m, (v, f))| m * one(v, f)).sum()
    }

    /// Steps of length h; false where they cannot be made.
    pub(super) fn leapfrog(&mut self, state: &mut State, h: f64, steps: usize) -> bool {
        with_bodies!(self.leapfrog.mass.len(), self.leapfrog_of(state, h, steps))
    }

    fn leapfrog_of<const N: usize>(&mut self, state: &mut State, h: f64, steps: usize) -> bool {
        self.look(&state.links, 0.0, 0);
        let mut good = self.drift::<N>(state, 0.5 * h);
        for step in 1..=steps {
            self.kick::<N>(state, h);
            good &= self.drift::<N>(state, if step < steps { h } else { 0.5 * h });
            // two drifts of h/2 are one
            self.look(&state.links, if step < steps { 0.5 * self.drifted } else { 0.0 }, step);
        }
        let rest = self.drifted;
        state.deflections.iter_mut().for_each(|deflections| deflections.drift(rest));
        good
    }

    /// Looks for bodies that touch, in a state that is so much time after the end of a step.
    pub(super) fn look(&mut self, links: &[Link], after: f64, step: usize) {
        let Motion { lookout, leapfrog: Leapfrog { g, mass, .. }, .. } = self;
        if lookout.is_open() {
            lookout.look(links, after, step, *g, mass);
        }
    }

    /// An estimate of a first step in s: a share of the shortest time scale of a pair.
    pub(super) fn first_step(&mut self, links: &[Link]) -> f64 {
        let pace = self.pace(links);
        let mut shortest = f64::INFINITY;
        for (k, link) in links.iter().enumerate() {
            let square = |of: &[DoubleDouble]| of.iter().map(|q| q.hi * q.hi).sum::<f64>();
            let (r2, v2) = (square(&link[..3]), square(&link[3..LINK]));
            let Leapfrog { g, mass, half_eps2, .. } = &self.leapfrog;
            let r2 = r2 + half_eps2[k] + half_eps2[k + 1];
            let fall = (r2 * r2.sqrt() / (g * (mass[k] + mass[k + 1]))).sqrt();
            shortest = shortest.min(fall).min((r2 / v2).sqrt());
        }
        0.5 * pace * shortest
    }
}
