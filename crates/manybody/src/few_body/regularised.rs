//! A few bodies, advanced to a given time by regularised steps.

use super::chain::{self, Link};
use super::contact::Closer;
use super::double::DoubleDouble;
use super::extrapolation::{Attempt, Extrapolation, TOLERANCE};
use super::leapfrog::State;
use super::motion::Motion;
use super::perturber::{Deflection, Deflections, Perturber};
use super::tide::{Tensor, Tide};

/// Steps that are refused one after another before the bodies are said to collide.
const REFUSED: usize = 100;

/// Steps after which their number until the end is estimated, where it is limited.
const WINDOW: u64 = 256;

/// A place or a velocity.
pub(crate) type Vector = [DoubleDouble; 3];

/// A step that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Obstacle {
    /// Two bodies are so close that no step is short enough.
    Collision {
        /// Which they are.
        pair: [usize; 2],
        /// Their distance.
        distance: f64,
        /// The time since the beginning.
        after: f64,
    },
    /// An advance needs more steps than are allowed.
    Long {
        /// The two closest bodies.
        pair: [usize; 2],
        /// Their distance.
        distance: f64,
        /// The time since the beginning.
        after: f64,
    },
    /// Two bodies touch. They all are where they are then.
    Contact {
        /// Which they are.
        pair: [usize; 2],
        /// The time since the beginning.
        after: f64,
    },
    /// It was asked to stop.
    Stopped,
}

/// An advance on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advance {
    duration: f64,
    /// The next step in s.
    natural: f64,
    /// Steps, and the time at the last of them at which their number was estimated.
    made: u64,
    since: f64,
    /// Steps that could not be made again in parts.
    refused: usize,
    step: Option<Step>,
}

impl Advance {
    /// The next step in s.
    #[cfg(feature = "gpu")]
    pub(super) fn natural(&self) -> f64 {
        self.natural
    }

    /// The length of the step that is to be made again.
    pub(super) fn again(&self) -> Option<f64> {
        self.step.map(|step| step.h)
    }
}

/// A step on its way.
#[derive(Clone, Copy, Debug)]
struct Step {
    h: f64,
    /// The time to the end, and ds / dt, where it begins.
    rest: f64,
    pace: f64,
    /// How often it was tried.
    attempts: usize,
}

/// Bodies with what their integration needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regularised {
    pub(crate) g: f64,
    pub(crate) mass: Vec<f64>,
    pub(crate) half_eps2: Vec<f64>,
    pub(crate) place: Vec<Vector>,
    pub(crate) velocity: Vec<Vector>,
    /// The binding energy B = U - T in the frame of the centre of mass, a constant but for perturbers.
    pub(crate) binding: Option<f64>,
    /// The next step in s.
    pub(crate) step: Option<f64>,
    pub(crate) evaluations: u64,
    /// The relative error of a step that is accepted, where it is not 1e-15.
    pub(crate) tolerance: Option<f64>,
    /// The most steps of an advance, where they are limited.
    pub(crate) most_steps: Option<f64>,
    /// R1 + R2 of each pair, \[n, n\], at which an advance ends; 0 for pairs that do not touch; empty for points.
    pub(crate) touching: Vec<f64>,
    pub(super) motion: Motion,
    pub(super) state: State,
    pub(super) chain: Vec<usize>,
    /// Memory for another order of the chain.
    places: Vec<[f64; 3]>,
    order: Vec<usize>,
    free: Vec<usize>,
    table: Option<Extrapolation>,
}

impl Regularised {
    /// Takes other bodies under gravity with this constant, all at rest at the origin.
    pub(crate) fn load(&mut self, g: f64, mass: Vec<f64>, half_eps2: Vec<f64>) {
        for at in [&mut self.place, &mut self.velocity] {
            at.clear();
            at.resize(mass.len(), Vector::default());
        }
        (self.g, self.mass, self.half_eps2) = (g, mass, half_eps2);
        (self.binding, self.step) = (None, None);
        self.touching.clear();
    }

    /// Advances the bodies by a duration, or until two of them touch. `is_stopped` is asked before each step, with the share that
    /// is done.
    pub(crate) fn advance(&mut self, duration: f64, is_stopped: &mut dyn FnMut(f64) -> bool) -> Result<(), Obstacle> {
        if self.mass.len() < 2 {
            self.fly(duration);
            return Ok(());
        }
        let mut table = self.table.take().unwrap_or_default();
        table.tolerance = self.tolerance.unwrap_or(TOLERANCE);
        let made = self.steps(duration, &mut table, is_stopped);
        self.table = Some(table);
        self.finish(duration, made)
    }

    /// Sets what pulls at the bodies from outside, on paths from the beginning of the next advance on.
    pub(crate) fn perturbers(&mut self) -> &mut Vec<Perturber> {
        &mut self.motion.perturbers
    }

    /// Sets the tidal field of all others, and whether the moments of the bodies are summed in time.
    pub(crate) fn set_tide(&mut self, tide: Option<Tide>, is_spread: bool) {
        (self.motion.tide, self.motion.is_spread) = (tide, is_spread);
    }

    /// The integral of sum m y_i y_j over the time of the last advance, about the centre of mass.
    pub(crate) fn spread(&self) -> Tensor {
        self.state.spread
    }

    /// By what the perturbers are off their paths at the end of the last advance.
    pub(crate) fn deflections(&self) -> Vec<Deflection> {
        Deflections::first(&self.state.deflections, self.motion.perturbers.len())
    }

    /// Moves bodies without forces.
    pub(super) fn fly(&mut self, duration: f64) {
        for (place, velocity) in self.place.iter_mut().zip(&self.velocity) {
            *place = std::array::from_fn(|q| place[q] + velocity[q].times(duration));
        }
        (self.binding, self.step) = (Some(0.0), Some(0.0));
    }

    /// Steps until the duration has passed.
    fn steps(
        &mut self,
        duration: f64,
        table: &mut Extrapolation,
        is_stopped: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Obstacle> {
        let mut advance = self.begin(duration)?;
        while self.goes_on(&advance) {
            let h = match advance.step {
                Some(step) => step.h,
                None if is_stopped(self.state.time.hi / duration) => return Err(Obstacle::Stopped),
                None => {
                    let pace = self.motion.pace(&self.state.links);
                    self.aim(&mut advance, pace)
                }
            };
            let attempt = table.step(&mut self.motion, &self.state, h);
            self.take(&mut advance, attempt, table)?;
        }
        self.keep(&advance);
        Ok(())
    }

    /// Keeps the next step for the next advance.
    pub(super) fn keep(&mut self, advance: &Advance) {
        self.step = Some(advance.natural);
    }

    /// Begins an advance.
    pub(super) fn begin(&mut self, duration: f64) -> Result<Advance, Obstacle> {
        self.link();
        if let Some(pair) = self.touching_now() {
            return Err(Obstacle::Contact { pair, after: 0.0 });
        }
        let natural = self.step.unwrap_or_else(|| self.motion.first_step(&self.state.links));
        Ok(Advance { duration, natural, made: 0, since: 0.0, refused: 0, step: None })
    }

    /// Ends an advance, which may have met an obstacle.
    pub(super) fn finish(&mut self, duration: f64, made: Result<(), Obstacle>) -> Result<(), Obstacle> {
        self.evaluations += std::mem::take(&mut self.motion.evaluations);
        self.binding = Some(self.state.binding.hi);
        match made {
            Ok(()) => self.unlink(duration),
            Err(Obstacle::Contact { after, .. }) => self.unlink(after),
            Err(_) => {}
        }
        made
    }

    /// Whether there is time left.
    pub(super) fn goes_on(&self, advance: &Advance) -> bool {
        let Advance { duration, step, .. } = advance;
        let least = 0.25 * f64::EPSILON * duration.abs() * (self.tolerance.unwrap_or(TOLERANCE) / TOLERANCE);
        step.is_some() || self.rest(*duration).abs() > least
    }

    fn rest(&self, duration: f64) -> f64 {
        DoubleDouble::from(duration).minus(self.state.time)
    }

    /// The length of the next step, where ds / dt has this value.
    pub(super) fn aim(&self, advance: &mut Advance, pace: f64) -> f64 {
        let Advance { duration, natural, step, .. } = advance;
        let rest = self.rest(*duration);
        // the s to the end if the pace stays as it is
        let ahead = rest * pace;
        let h = if ahead.abs() < *natural { ahead } else { natural.copysign(rest) };
        *step = Some(Step { h, rest, pace, attempts: 0 });
        h
    }

    /// Takes an attempt of a step: makes it, or has it made again with another length. A step does not pass the end by more than a
    /// tenth of the time to it.
    pub(super) fn take(
        &mut self,
        advance: &mut Advance,
        attempt: Attempt,
        table: &mut Extrapolation,
    ) -> Result<(), Obstacle> {
        let Advance { natural, step: Some(step), .. } = advance else { return Ok(()) };
        let Step { h, rest, pace, attempts } = step;
        *attempts += 1;
        let is_last = *attempts == REFUSED;
        let passed = table.end.time.minus(self.state.time);
        match attempt {
            Attempt::Failed(factor) => {
                *h *= factor;
                *natural = natural.min(h.abs());
            }
            Attempt::Made(_) if (passed - *rest) * rest.signum() > 0.1 * rest.abs() => {
                let end = self.motion.pace(&table.end.links);
                *h *= share([*h / *pace, *h / end], passed, *rest);
            }
            Attempt::Made(factor) => {
                let (h, next) = (*h, factor * h.abs());
                *natural = if h.abs() >= *natural { next } else { natural.max(next) };
                return self.made(advance, h, table);
            }
        }
        if is_last { Err(self.collision()) } else { Ok(()) }
    }

    /// Makes a step of length h, which leads to `table.end`.
    fn made(&mut self, advance: &mut Advance, h: f64, table: &mut Extrapolation) -> Result<(), Obstacle> {
        advance.step = None;
        match self.look_closer(h, table) {
            None => std::mem::swap(&mut self.state, &mut table.end),
            // what is later than the end belongs to the next advance
            Some(Closer::Contact(pair)) if self.rest(advance.duration) >= 0.0 => {
                self.keep(advance);
                return Err(Obstacle::Contact { pair, after: self.state.time.hi });
            }
            Some(Closer::Contact(_) | Closer::Apart) => {}
            Some(Closer::Failed) => {
                advance.natural *= 0.25;
                advance.refused += 1;
                if advance.refused > REFUSED {
                    return Err(self.collision());
                }
            }
        }
        self.relink();
        advance.made += 1;
        if advance.made.is_multiple_of(WINDOW) {
            let now = self.state.time.hi;
            let left = (advance.duration - now) / (now - advance.since) * WINDOW as f64;
            advance.since = now;
            if self.most_steps.is_some_and(|most| left > most) {
                let (pair, distance) = self.closest();
                return Err(Obstacle::Long { pair, distance, after: now });
            }
        }
        Ok(())
    }

    /// Links between the bodies, in the order of a chain.
    fn link(&mut self) {
        let Regularised { places, chain, free, .. } = self;
        places.clear();
        places.extend(self.place.iter().map(|place| place.map(|q| q.hi)));
        chain::order(places, chain, free);
        self.state.time = DoubleDouble::default();
        self.state.links.clear();
        for pair in self.chain.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let mut link = Link::default();
            for q in 0..3 {
                link[q] = self.place[b][q] - self.place[a][q];
                link[3 + q] = self.velocity[b][q] - self.velocity[a][q];
            }
            self.state.links.push(link);
        }
        self.set_motion();
        self.motion.bind(self.binding, &mut self.state);
        self.state.spread = Tensor::default();
        self.motion.set_perturbers(&mut self.state);
    }

    /// Masses and softenings in the order of the chain.
    fn set_motion(&mut self) {
        let Regularised { motion, chain, mass, half_eps2, .. } = self;
        motion.leapfrog.set(self.g, chain.iter().map(|k| [mass[*k], half_eps2[*k]]));
        motion.lookout.set(&self.touching, &self.chain);
    }

    /// T and U in the frame of the centre of mass, of the bodies as they are.
    pub(super) fn energies(&self) -> [f64; 2] {
        if self.mass.len() < 2 {
            return [0.0; 2];
        }
        let mut system = self.clone();
        system.link();
        let links = &system.state.links;
        [system.motion.leapfrog.kinetic::<0>(links), system.motion.leapfrog.evaluate::<0>(links)]
    }

    /// Another order of the chain, where other bodies have become close.
    fn relink(&mut self) {
        let n = self.chain.len();
        if n < 3 {
            return;
        }
        let Regularised { places, chain, order, free, state, .. } = self;
        places.resize(n, [0.0; 3]);
        places[chain[0]] = [0.0; 3];
        for (pair, link) in chain.windows(2).zip(&state.links) {
            places[pair[1]] = std::array::from_fn(|q| places[pair[0]][q] + link[q].hi);
        }
        chain::order(places, order, free);
        if !chain::is_same(order, chain) {
            state.links = chain::relinked(&state.links, chain, order);
            std::mem::swap(chain, order);
            self.set_motion();
        }
    }

    /// Places and velocities from the links, after a duration.
    fn unlink(&mut self, duration: f64) {
        let place = center(&self.mass, &self.place);
        let velocity = center(&self.mass, &self.velocity);
        let moved: Vector = std::array::from_fn(|q| place[q] + velocity[q].times(duration));
        for (k, pair) in self.chain.windows(2).enumerate() {
            let (a, b, link) = (pair[0], pair[1], &self.state.links[k]);
            if k == 0 {
                (self.place[a], self.velocity[a]) = Default::default();
            }
            self.place[b] = std::array::from_fn(|q| self.place[a][q] + link[q]);
            self.velocity[b] = std::array::from_fn(|q| self.velocity[a][q] + link[3 + q]);
        }
        shift(&self.mass, &mut self.place, moved);
        shift(&self.mass, &mut self.velocity, velocity);
    }

    /// Of the two closest bodies, which no step can separate.
    pub(super) fn collision(&self) -> Obstacle {
        let (pair, distance) = self.closest();
        Obstacle::Collision { pair, distance, after: self.state.time.hi }
    }

    /// The two closest neighbours in the chain, and their distance.
    fn closest(&self) -> ([usize; 2], f64) {
        let length = |link: &Link| link[0].hi.hypot(link[1].hi).hypot(link[2].hi);
        let links = self.state.links.iter().map(length).zip(self.chain.windows(2));
        let closest = links.min_by(|a, b| a.0.total_cmp(&b.0));
        closest.map_or(([0, 1], 0.0), |(distance, pair)| ([pair[0], pair[1]], distance))
    }
}

/// The centre of mass.
pub(crate) fn center(mass: &[f64], of: &[Vector]) -> Vector {
    let mut sum = (Vector::default(), DoubleDouble::default());
    for (m, v) in mass.iter().zip(of) {
        (0..3).for_each(|q| sum.0[q] = sum.0[q] + v[q].times(*m));
        sum.1 = sum.1 + (*m).into();
    }
    // the total is rounded, for all bodies in the same way
    sum.0.map(|q| q.over(sum.1.hi))
}

/// Moves the centre of mass to a place.
fn shift(mass: &[f64], of: &mut [Vector], to: Vector) {
    let from = center(mass, of);
    for v in of {
        *v = std::array::from_fn(|q| v[q] + (to[q] - from[q]));
    }
}

/// The share of a step after which the `rest` of time has passed, by the cubic through the time at both ends, where the
/// step takes the time `passed`; `slopes` are dt / d share.
fn share(slopes: [f64; 2], passed: f64, rest: f64) -> f64 {
    let cubic = |f: f64| {
        let (curved, bent) = (3.0 * passed - 2.0 * slopes[0] - slopes[1], slopes[0] + slopes[1] - 2.0 * passed);
        f * (slopes[0] + f * (curved + f * bent))
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        match (cubic(middle) - rest) * rest.signum() > 0.0 {
            true => high = middle,
            false => low = middle,
        }
    }
    0.5 * (low + high)
}
