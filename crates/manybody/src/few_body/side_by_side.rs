//! Systems of the same number of bodies side by side, one in each lane of the vectors of this machine.
//!
//! All lanes go through the columns of an extrapolation together, each with a step of its own. What follows an attempt (the next
//! length, another order of the chain, a look at bodies that touch) is done for each system by itself. A lane whose system has
//! come to the end gets the next one of the queue. A system has the bits that it has alone.

use super::chain::{LINK, Link};
use super::double::DoubleDouble;
use super::extrapolation::{Attempt, Extrapolation, Judgement, STEPS, TOLERANCE, root};
use super::leapfrog::{Leapfrog, State, with_bodies};
use super::regularised::{Advance, Obstacle, Regularised};
use crate::simd::{Interleaved, Kernel, Lanes, Vector};
use std::sync::{Mutex, PoisonError};

/// The most systems side by side: in two vectors of f64, of which one is computed while the other waits.
const MOST: usize = 16;

/// The least: two numbers.
const SHORTEST: usize = 2;

/// A number for each lane.
type Each = [f64; MOST];

/// A system, and how its advance has ended.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) system: Regularised,
    pub(super) ended: Result<(), Obstacle>,
    /// Its bodies among all.
    pub(super) bodies: Vec<usize>,
    /// Since the beginning.
    pub(super) time: f64,
}

impl Member {
    /// Moves a single body.
    pub(super) fn fly(&mut self, duration: f64) {
        self.system.fly(duration);
        self.time += duration;
    }

    /// Ends an advance.
    pub(super) fn finish(&mut self, duration: f64, made: Result<(), Obstacle>) {
        self.ended = self.system.finish(duration, made);
        self.time += match made {
            Ok(()) => duration,
            Err(Obstacle::Contact { after, .. }) => after,
            Err(_) => 0.0,
        };
    }
}

/// Advances all systems of a queue, which other threads may take from, too.
pub(super) struct Batch<'a, 'b> {
    pub(super) queue: &'a Mutex<std::slice::IterMut<'b, Member>>,
    pub(super) duration: f64,
    /// Asked after each attempt, with the number of systems that have ended since.
    pub(super) is_stopped: &'a (dyn Fn(usize) -> bool + Sync),
    /// Systems whose advance has begun.
    pub(super) begun: Vec<Lane<'b>>,
}

/// A system in a lane.
pub(super) struct Lane<'b> {
    member: &'b mut Member,
    advance: Advance,
}

impl<'b> Kernel<f64> for Batch<'_, 'b> {
    /// Systems that have not ended, where they are so few that shorter vectors advance them in less time.
    type Output = Vec<Lane<'b>>;

    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, token: V::Token) -> Vec<Lane<'b>> {
        self.side_by_side::<Interleaved<V>>(token)
    }
}

impl<'b> Batch<'_, 'b> {
    #[inline(always)]
    fn side_by_side<V: Vector<T = f64>>(mut self, token: V::Token) -> Vec<Lane<'b>> {
        const { assert!(V::LEN <= MOST) };
        let mut lanes: Vec<Option<Lane<'_>>> = (0..V::LEN).map(|_| None).collect();
        let mut tables = vec![Extrapolation::default(); V::LEN];
        let mut block = Block::<V>::new(token);
        loop {
            let ended = lanes.iter_mut().map(|lane| self.fill(lane)).sum();
            let is_stopped = (self.is_stopped)(ended);
            if is_stopped {
                let left = lanes.iter_mut().flatten().chain(&mut self.begun);
                left.for_each(|Lane { member, .. }| member.finish(self.duration, Err(Obstacle::Stopped)));
                return Vec::new();
            }
            // a lane is empty only if there are no more (on a Zen 5 an attempt of 16 lanes takes 2.7 times as long as one
            // of two, and one of 8 lanes 1.7 times)
            if V::LEN > SHORTEST && lanes.iter().flatten().count() <= V::LEN / 4 {
                return lanes.into_iter().flatten().collect();
            }
            if !block.load(token, &lanes) {
                return Vec::new();
            }
            block.aim(token, &mut lanes);
            let attempts = block.attempt(token, &mut lanes, &mut tables);
            for ((lane, attempt), table) in lanes.iter_mut().zip(attempts).zip(&mut tables) {
                if let (Some(Lane { member, advance }), Some(attempt)) = (lane.as_mut(), attempt)
                    && let Err(obstacle) = member.system.take(advance, attempt, table)
                {
                    member.finish(self.duration, Err(obstacle));
                    *lane = None;
                }
            }
        }
    }

    /// Ends the advance of a system that has come to its end, and takes the next one; how many have ended.
    fn fill(&mut self, lane: &mut Option<Lane<'b>>) -> usize {
        let mut ended = 0;
        loop {
            match lane {
                Some(Lane { member, advance }) if member.system.goes_on(advance) => return ended,
                Some(Lane { member, advance }) => {
                    member.system.keep(advance);
                    member.finish(self.duration, Ok(()));
                    (*lane, ended) = (None, ended + 1);
                }
                None => {}
            }
            if let Some(begun) = self.begun.pop() {
                *lane = Some(begun);
                continue;
            }
            // a thread that has panicked leaves systems in the queue as they were
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(member) = next else { return ended };
            if member.ended.is_err() {
                ended += 1;
                continue;
            }
            if member.bodies.len() < 2 {
                member.fly(self.duration);
                ended += 1;
                continue;
            }
            match member.system.begin(self.duration) {
                Ok(advance) => *lane = Some(Lane { member, advance }),
                Err(obstacle) => {
                    member.finish(self.duration, Err(obstacle));
                    ended += 1;
                }
            }
        }
    }
}

/// A system in each lane.
struct Block<V> {
    leapfrog: Leapfrog<V>,
    from: State<V>,
    table: Extrapolation<V>,
    h: V,
    /// Of a lane: what its bodies are looked at by.
    links: Vec<Link>,
    is_watched: bool,
}

impl<V: Vector<T = f64>> Block<V> {
    #[inline(always)]
    fn new(token: V::Token) -> Self {
        let zero = V::splat(token, 0.0);
        let none = DoubleDouble { hi: zero, lo: zero };
        let from = State { links: Vec::new(), time: none, binding: none, deflections: Vec::new(), spread: [0.0; 6] };
        let leapfrog = Leapfrog::new(zero);
        Block { leapfrog, table: Extrapolation::of(&from), from, h: zero, links: Vec::new(), is_watched: false }
    }

    /// Takes the systems as they are; false where no lane has one. Lanes without a system repeat the first.
    #[inline(always)]
    fn load(&mut self, token: V::Token, lanes: &[Option<Lane<'_>>]) -> bool {
        let Some(first) = lanes.iter().flatten().next() else { return false };
        let of = |lane: usize| &lanes[lane].as_ref().unwrap_or(first).member.system;
        let systems: [&Regularised; MOST] = std::array::from_fn(|lane| of(lane % V::LEN));
        let zero = V::splat(token, 0.0);
        let each = |one: &dyn Fn(&Regularised) -> f64| {
            let numbers: Each = std::array::from_fn(|lane| one(systems[lane]));
            V::load(token, &numbers)
        };
        let both = |one: &dyn Fn(&Regularised) -> DoubleDouble| DoubleDouble {
            hi: each(&|system| one(system).hi),
            lo: each(&|system| one(system).lo),
        };
        let n = systems[0].mass.len();
        let bodies = (0..n).map(|k| {
            let mass = each(&|system| system.motion.leapfrog.mass[k]);
            [mass, each(&|system| system.motion.leapfrog.half_eps2[k])]
        });
        self.leapfrog.set(each(&|system| system.g), bodies);
        self.leapfrog.offset = each(&|system| system.motion.leapfrog.offset);
        let State { links, time, binding, .. } = &mut self.from;
        links.clear();
        for k in 1..n {
            let mut link = [DoubleDouble { hi: zero, lo: zero }; LINK];
            for (q, number) in link.iter_mut().enumerate() {
                *number = both(&|system| system.state.links[k - 1][q]);
            }
            links.push(link);
        }
        *time = both(&|system| system.state.time);
        *binding = both(&|system| system.state.binding);
        self.is_watched = systems.iter().any(|system| system.motion.lookout.is_open());
        true
    }

    /// The length of the next step of each.
    #[inline(always)]
    fn aim(&mut self, token: V::Token, lanes: &mut [Option<Lane<'_>>]) {
        let mut pace: Each = [1.0; MOST];
        self.leapfrog.pace::<0>(&self.from.links).store(&mut pace);
        // a lane without a system has the state of the first one, and a step that does nothing
        let mut h: Each = [0.0; MOST];
        for (at, lane) in lanes.iter_mut().enumerate() {
            let Some(Lane { member, advance }) = lane else { continue };
            h[at] = advance.again().unwrap_or_else(|| {
                member.system.motion.evaluations += 1;
                member.system.aim(advance, pace[at])
            });
        }
        self.h = V::load(token, &h);
    }

    /// Attempts of these steps; those that are made are in the tables.
    #[inline(always)]
    fn attempt(
        &mut self,
        token: V::Token,
        lanes: &mut [Option<Lane<'_>>],
        tables: &mut [Extrapolation],
    ) -> [Option<Attempt>; MOST] {
        let mut attempts = [None; MOST];
        let mut judgements = [Judgement::default(); MOST];
        for (k, steps) in STEPS.into_iter().enumerate() {
            self.table.columns[k].copy(&self.from);
            let [mut good, mut errors, mut roots] = [[0.0; MOST]; 3];
            with_bodies!(self.leapfrog.mass.len(), self.leapfrog(token, k, lanes, &attempts)).store(&mut good);
            self.table.extrapolate(k);
            if k > 0 {
                let error = self.table.error(&self.from) / V::splat(token, TOLERANCE);
                error.store(&mut errors);
                root(error, k, |x, guess, m| x.each(|x| guess(x, m))).store(&mut roots);
            }
            let mut is_decided = true;
            for (at, lane) in lanes.iter_mut().enumerate() {
                let Some(Lane { member, .. }) = lane.as_mut().filter(|_| attempts[at].is_none()) else { continue };
                member.system.motion.evaluations += steps as u64;
                attempts[at] = match k {
                    _ if good[at] == 0.0 => Some(Attempt::Failed(0.25)),
                    0 => None,
                    _ => judgements[at].after(k, errors[at], roots[at]),
                };
                match attempts[at] {
                    Some(Attempt::Made(_)) => self.keep(at, &mut tables[at].end),
                    Some(Attempt::Failed(_)) => {}
                    None => is_decided = false,
                }
            }
            if is_decided {
                break;
            }
        }
        attempts
    }

    /// Steps of the leapfrog in a column; 0 where they cannot be made.
    #[inline(always)]
    fn leapfrog<const N: usize>(
        &mut self,
        token: V::Token,
        column: usize,
        lanes: &mut [Option<Lane<'_>>],
        attempts: &[Option<Attempt>],
    ) -> V {
        let Block { leapfrog, table, h, links, is_watched, .. } = self;
        let (state, steps) = (&mut table.columns[column], STEPS[column]);
        let (zero, half) = (V::splat(token, 0.0), V::splat(token, 0.5));
        let whole = *h / V::splat(token, steps as f64);
        let mut look = |state: &State<V>, after: V, step: usize| {
            if *is_watched {
                look_at_each(state, after, step, lanes, attempts, links);
            }
        };
        look(state, zero, 0);
        let mut good = V::splat(token, 1.0);
        let (pace, _) = leapfrog.drift::<N>(state, half * whole);
        good = V::select(zero.lt(pace), good, zero);
        for step in 1..=steps {
            let dt = whole / leapfrog.pace::<N>(&state.links);
            leapfrog.kick::<N>(&mut state.links, dt);
            let (pace, drifted) = leapfrog.drift::<N>(state, if step < steps { whole } else { half * whole });
            good = V::select(zero.lt(pace), good, zero);
            look(state, if step < steps { half * drifted } else { zero }, step);
        }
        good
    }

    /// What the step of a lane leads to.
    fn keep(&self, lane: usize, to: &mut State) {
        let of = |number: &DoubleDouble<V>| one(number, lane);
        let State { links, time, binding, .. } = &self.table.end;
        to.links.clear();
        to.links.extend(links.iter().map(|link| -> Link { std::array::from_fn(|q| of(&link[q])) }));
        (to.time, to.binding) = (of(time), of(binding));
    }
}

/// The number of one lane.
#[inline(always)]
fn one<V: Vector<T = f64>>(number: &DoubleDouble<V>, lane: usize) -> DoubleDouble {
    let (mut hi, mut lo): (Each, Each) = ([0.0; MOST], [0.0; MOST]);
    number.hi.store(&mut hi);
    number.lo.store(&mut lo);
    DoubleDouble { hi: hi[lane], lo: lo[lane] }
}

/// Has each system that is not decided look for bodies that touch.
fn look_at_each<V: Vector<T = f64>>(
    state: &State<V>,
    after: V,
    step: usize,
    lanes: &mut [Option<Lane<'_>>],
    attempts: &[Option<Attempt>],
    links: &mut Vec<Link>,
) {
    let mut back: Each = [0.0; MOST];
    after.store(&mut back);
    for (at, lane) in lanes.iter_mut().enumerate() {
        let Some(Lane { member, .. }) = lane.as_mut().filter(|_| attempts[at].is_none()) else { continue };
        links.clear();
        links.extend(state.links.iter().map(|link| -> Link { std::array::from_fn(|q| one(&link[q], at)) }));
        member.system.motion.look(links, back[at], step);
    }
}
