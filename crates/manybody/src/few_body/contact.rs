//! When two bodies of a system touch: the distance between them is the sum of their radii for the first time.
//!
//! ```text
//! look      at the whole steps of a leapfrog inside each extrapolated step: where r v becomes positive, a pair has passed a
//!           pericentre, at the distance q = p / (1 + e) of the orbit that it has at either end
//! window    where q there, or at either end of the extrapolated step, or r in an approach, is below 1.1 (R1 + R2), the
//!           extrapolated step is made up to two of these steps before, and the next one up to one after
//! closest   in the window, the zero of r v by the regula falsi, each value from an extrapolated step
//! contact   the zero of r - (R1 + R2) before that, by Newton's method inside of brackets, the same way
//! ```
//!
//! The leapfrog follows the orbit of two bodies exactly but for the time, so that q is exact for a pair that others hardly
//! disturb, however few steps an orbit has; what others do to it within a step of the leapfrog is a small part of a close
//! distance, for which the 1.1 has room. That a pair touches, and when, is decided by extrapolated steps alone, which are as
//! accurate as the integration itself.

use super::chain::{LINK, Link};
use super::extrapolation::{Attempt, Extrapolation};
use super::leapfrog::{Leapfrog, State};
use super::regularised::Regularised;

/// Pairs are looked at closely that come to so many sums of their radii.
const NEAR: f64 = 1.1;

/// The distance at contact is that of the radii to so much of it: what rounding leaves uncertain of a step is a few times 1e-15.
const EXACT: f64 = 16.0 * f64::EPSILON;

/// The closest approach is found in a window to so much of it. The distance there is off by the square.
const CLOSEST: f64 = 1e-9;

/// r falls less than on its tangent in s, on both sides of a closest approach. If that stays apart by so much of R1 + R2, so does r;
/// what bends the other way, by others, is less.
const CLEAR: f64 = 1e-3;

/// Values of one search. Brackets are halved at the latest at every second one.
const SEARCHES: usize = 120;

/// The relative motion of two bodies, by its scalar products.
#[derive(Clone, Copy, Debug, Default)]
struct Sight {
    r2: f64,
    rv: f64,
    v2: f64,
}

impl Sight {
    fn of(relative: &[f64; LINK]) -> Self {
        let dot = |a: usize, b: usize| (0..3).map(|q| relative[a + q] * relative[b + q]).sum::<f64>();
        Sight { r2: dot(0, 0), rv: dot(0, 3), v2: dot(3, 3) }
    }

    /// The distance at the pericentre of the orbit of two bodies. Softened bodies stay farther apart.
    fn pericentre(&self, attraction: f64) -> f64 {
        let parameter = (self.r2 * self.v2 - self.rv * self.rv).max(0.0) / attraction;
        let curvature = 2.0 / self.r2.sqrt() - self.v2 / attraction;
        parameter / (1.0 + (1.0 - curvature * parameter).max(0.0).sqrt())
    }
}

/// Looks at the pairs of a chain in the steps of a leapfrog.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookout {
    /// R1 + R2 of each pair in the order of the chain: \[n, n\]; 0 for pairs that do not touch. Empty where no pair does.
    sums: Vec<f64>,
    is_closed: bool,
    before: Vec<Sight>,
    /// How many steps the leapfrog has made.
    steps: usize,
    /// Pairs that come close, and in which step, from 1 on, in the order of steps.
    found: Vec<(usize, [usize; 2])>,
    /// The others that have passed a pericentre.
    passed: Vec<(usize, [usize; 2])>,
}

impl Lookout {
    /// Takes the sums of radii, given for bodies in another order: \[n, n\].
    pub(super) fn set(&mut self, touching: &[f64], chain: &[usize]) {
        let n = chain.len();
        self.sums.clear();
        if touching.iter().any(|sum| *sum > 0.0) {
            self.sums.extend(chain.iter().flat_map(|i| chain.iter().map(move |j| touching[i * n + j])));
        }
        self.before.resize(self.sums.len(), Sight::default());
    }

    pub(super) fn is_open(&self) -> bool {
        !self.sums.is_empty() && !self.is_closed
    }

    /// Looks at bodies that are `back` after the end of a whole step; step 0 is where the leapfrog begins.
    pub(super) fn look(&mut self, links: &[Link], back: f64, step: usize, g: f64, mass: &[f64]) {
        let Lookout { sums, before, steps, found, passed, .. } = self;
        if step == 0 {
            found.clear();
            passed.clear();
        }
        *steps = step;
        let n = mass.len();
        for i in 0..n {
            let mut relative = [0.0; LINK];
            for j in i + 1..n {
                (0..LINK).for_each(|q| relative[q] += links[j - 1][q].hi);
                let sum = sums[i * n + j];
                if sum == 0.0 {
                    continue;
                }
                let mut at = relative;
                (0..3).for_each(|q| at[q] -= back * relative[3 + q]);
                let now = Sight::of(&at);
                let then = std::mem::replace(&mut before[i * n + j], now);
                let is_near = now.r2 <= (NEAR * sum) * (NEAR * sum);
                let least = |of: Sight| of.pericentre(g * (mass[i] + mass[j]));
                let has_passed = then.rv < 0.0 && now.rv >= 0.0;
                let is_found = match has_passed {
                    true => is_near || least(then).min(least(now)) <= NEAR * sum,
                    false => is_near && now.rv < 0.0,
                };
                if step > 0 && is_found {
                    found.push((step, [i, j]));
                } else if step > 0 && has_passed {
                    passed.push((step, [i, j]));
                }
            }
        }
    }
}

/// What a close look has shown.
pub(super) enum Closer {
    /// These two touch, where the bodies are now.
    Contact([usize; 2]),
    /// They do not, up to where the bodies are now.
    Apart,
    /// A step was too long to be repeated in parts.
    Failed,
}

impl Regularised {
    /// Two bodies that touch where they are.
    pub(super) fn touching_now(&self) -> Option<[usize; 2]> {
        let lookout = &self.motion.lookout;
        if lookout.sums.is_empty() {
            return None;
        }
        let n = self.chain.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
        let is_touching = |pair: &[usize; 2]| self.sum(*pair) > 0.0 && self.beyond(&self.state, *pair).0 <= 0.0;
        pairs.into_iter().find(is_touching).map(|pair| pair.map(|k| self.chain[k]))
    }

    /// After a step of this length, which has led to `table.end`, and in which some pair may have touched: makes it, or the
    /// first part of it.
    pub(super) fn look_closer(&mut self, h: f64, table: &mut Extrapolation) -> Option<Closer> {
        let Lookout { found, passed, steps, .. } = &self.motion.lookout;
        let is_near = |pair: [usize; 2]| {
            let Leapfrog { g, mass, .. } = &self.motion.leapfrog;
            let attraction = g * pair.iter().map(|k| mass[*k]).sum::<f64>();
            let least = [&self.state, &table.end].map(|state| sight(state, pair).pericentre(attraction));
            least[0].min(least[1]) <= NEAR * self.sum(pair)
        };
        let more = passed.iter().filter(|(_, pair)| is_near(*pair));
        let mut found: Vec<(usize, [usize; 2])> = found.iter().chain(more).copied().collect();
        found.sort_unstable();
        let first = found.first().filter(|_| h > 0.0)?.0;
        let one = h / *steps as f64;
        let window = [(first - 1).saturating_sub(1) as f64 * one, (first + 1).min(*steps) as f64 * one];
        let mut pairs: Vec<[usize; 2]> =
            found.iter().filter(|(step, _)| *step <= first + 1).map(|(_, pair)| *pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        self.motion.lookout.is_closed = true;
        let found = self.search(&pairs, window, table);
        self.motion.lookout.is_closed = false;
        Some(found.unwrap_or(Closer::Failed))
    }

    fn sum(&self, [i, j]: [usize; 2]) -> f64 {
        self.motion.lookout.sums[i * self.chain.len() + j]
    }

    /// The distance of a pair in the chain beyond contact, and r v.
    fn beyond(&self, state: &State, pair: [usize; 2]) -> (f64, f64) {
        let sight = sight(state, pair);
        (sight.r2.sqrt() - self.sum(pair), sight.rv)
    }

    /// The state `h` after that of now, in `table.end`; `None` where there is no such step.
    fn ahead(&mut self, h: f64, table: &mut Extrapolation) -> Option<()> {
        match table.step(&mut self.motion, &self.state, h) {
            Attempt::Made(_) => Some(()),
            Attempt::Failed(_) => None,
        }
    }

    /// Looks at some pairs in a window of s; `None` where a step fails.
    fn search(&mut self, pairs: &[[usize; 2]], [mut low, high]: [f64; 2], table: &mut Extrapolation) -> Option<Closer> {
        if low > 0.0 {
            self.ahead(low, table)?;
            let is_later = |pair: &[usize; 2]| {
                let ((_, began), (beyond, now)) = (self.beyond(&self.state, *pair), self.beyond(&table.end, *pair));
                beyond > 0.0 && (began >= 0.0 || now < 0.0)
            };
            match pairs.iter().all(is_later) {
                true => std::mem::swap(&mut self.state, &mut table.end),
                false => low = 0.0,
            }
        }
        let length = high - low;
        self.ahead(length, table)?;
        let end = table.end.clone();
        let mut best: Option<(f64, [usize; 2])> = None;
        for pair in pairs {
            let [(_, comes), (beyond, goes)] = [&self.state, &end].map(|state| self.beyond(state, *pair));
            let inside = match beyond <= 0.0 {
                true => Some(length),
                false if comes < 0.0 && goes > 0.0 => self.inside(*pair, [comes, goes], length, table)?,
                false => None,
            };
            if let Some(inside) = inside {
                let when = self.contact(*pair, inside, table)?;
                if best.is_none_or(|(earliest, _)| when < earliest) {
                    best = Some((when, *pair));
                }
            }
        }
        Some(match best {
            Some((when, pair)) => {
                self.ahead(when, table)?;
                std::mem::swap(&mut self.state, &mut table.end);
                Closer::Contact(pair.map(|k| self.chain[k]))
            }
            None => {
                self.state = end;
                Closer::Apart
            }
        })
    }

    /// An s at which a pair is closer than its radii, if there is one before `length`; `rates` are r v at both ends.
    fn inside(
        &mut self,
        pair: [usize; 2],
        mut rates: [f64; 2],
        length: f64,
        table: &mut Extrapolation,
    ) -> Option<Option<f64>> {
        let sum = self.sum(pair);
        let [mut low, mut high] = [0.0, length];
        for search in 0..SEARCHES {
            let middle = match search % 3 {
                2 => 0.5 * (low + high),
                _ => (low * rates[1] - high * rates[0]) / (rates[1] - rates[0]),
            };
            if high - low <= CLOSEST * length || !(low < middle && middle < high) {
                return Some(None);
            }
            self.ahead(middle, table)?;
            let (beyond, rate) = self.beyond(&table.end, pair);
            if beyond <= 0.0 {
                return Some(Some(middle));
            }
            // what is left on the side of the closest approach
            let rest = if rate < 0.0 { high - middle } else { middle - low };
            let falls = rate.abs() / (beyond + sum) / self.motion.pace(&table.end.links) * rest;
            if beyond - falls > CLEAR * sum {
                return Some(None);
            }
            match rate < 0.0 {
                true => (low, rates[0]) = (middle, rate),
                false => (high, rates[1]) = (middle, rate),
            }
        }
        Some(None)
    }

    /// The s at which a pair touches that is `inside` later, closer than its radii.
    fn contact(&mut self, pair: [usize; 2], inside: f64, table: &mut Extrapolation) -> Option<f64> {
        let sum = self.sum(pair);
        let [mut low, mut high, mut now] = [0.0, inside, inside];
        for _ in 0..SEARCHES {
            self.ahead(now, table)?;
            let (beyond, rate) = self.beyond(&table.end, pair);
            if beyond.abs() <= EXACT * sum {
                return Some(now);
            }
            match beyond > 0.0 {
                true => low = now,
                false => high = now,
            }
            // dr / ds = r v / r dt / ds
            let step = beyond * (beyond + sum) / rate * self.motion.pace(&table.end.links);
            let newton = now - step;
            now = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
            if !(low < now && now < high) {
                break;
            }
        }
        Some(high)
    }
}

fn sight(state: &State, [i, j]: [usize; 2]) -> Sight {
    let mut relative = Link::default();
    state.links[i..j].iter().for_each(|link| (0..LINK).for_each(|q| relative[q] = relative[q] + link[q]));
    Sight::of(&relative.map(|q| q.hi))
}

#[cfg(test)]
mod tests {
    use super::super::{DoubleDouble, Obstacle, sums};
    use super::*;
    use std::f64::consts::{PI, TAU};

    const MASS: [f64; 2] = [0.7, 0.3];

    /// Two bodies of a mass of 1 on an orbit of axis 1 (below 1) or on a hyperbola, from the eccentric anomaly -`from` on.
    fn pair(e: f64, from: f64) -> Regularised {
        let (sin, cos) = if e < 1.0 { from.sin_cos() } else { (from.sinh(), from.cosh()) };
        let (width, r) = ((1.0 - e * e).abs().sqrt(), (1.0 - e * cos).abs());
        let place = [if e < 1.0 { cos - e } else { e - cos }, -width * sin];
        let velocity = [sin / r, width * cos / r];
        let mut system = Regularised::default();
        system.load(1.0, MASS.to_vec(), vec![0.0; 2]);
        for (at, share) in [-MASS[1], MASS[0]].into_iter().enumerate() {
            for q in 0..2 {
                system.place[at][q] = DoubleDouble::from(share * place[q]);
                system.velocity[at][q] = DoubleDouble::from(share * velocity[q]);
            }
        }
        system
    }

    /// The time from the eccentric anomaly -`from` on to the distance r.
    fn fall(e: f64, from: f64, r: f64) -> f64 {
        match e < 1.0 {
            true => {
                let to = ((1.0 - r) / e).clamp(-1.0, 1.0).acos();
                (from - e * from.sin()) - (to - e * to.sin())
            }
            false => {
                let to = ((1.0 + r) / e).max(1.0).acosh();
                (e * from.sinh() - from) - (e * to.sinh() - to)
            }
        }
    }

    fn distance(system: &Regularised) -> f64 {
        let square = |q: usize| system.place[1][q].minus(system.place[0][q]).powi(2);
        (0..3).map(square).sum::<f64>().sqrt()
    }

    /// Ellipses and hyperbolas with any radii between both apsides, in one advance of many orbits.
    #[test]
    fn bodies_touch_when_their_orbit_does() {
        for (e, from) in [(0.01, 2.0), (0.3, PI), (0.9, 3.0), (0.9999, PI), (1.5, 3.0), (4.0, 2.5)] {
            let pericentre = (1.0_f64 - e).abs();
            for share in [1e-6, 0.01, 0.1, 0.5, 0.9] {
                let begin = if e < 1.0 { 1.0 - e * from.cos() } else { e * from.cosh() - 1.0 };
                let sum = pericentre + share * (begin - pericentre);
                let mut system = pair(e, from);
                system.touching = sums(&[0.75 * sum, 0.25 * sum]);
                let found = system.advance(20.0 * TAU, &mut |_| false);
                let Err(Obstacle::Contact { pair: [0, 1], after }) = found else { panic!("{e} {share}: {found:?}") };
                let right = fall(e, from, sum);
                let apart = (distance(&system) / sum - 1.0).abs();
                // v^2 = 2 / r -+ 1, of which the part along r is what is left of the angular momentum
                let square = 2.0 / sum - (1.0 - e).signum() - (1.0 - e * e).abs() / (sum * sum);
                // rounding of the start, and of steps: 1e-15 of the distances there, over the speed of the approach
                let limit = 1e-14 * right + 1e-15 * begin / square.max(0.0).sqrt();
                assert!((after - right).abs() < limit, "{e} {share}: {after} {right} {:e}", after - right);
                assert!(apart < 1e-14, "{e} {share}: {apart:e}");
            }
        }
    }

    /// A pericentre that is above the radii by 1e-8 of itself, for ten orbits, and one that is below by as much.
    #[test]
    fn bodies_that_just_miss_do_not_touch() {
        for e in [0.3, 0.9, 0.999] {
            for (by, touches) in [(1e-8, false), (-1e-8, true)] {
                let mut system = pair(e, PI);
                system.touching = sums(&[0.0, (1.0 - e) * (1.0 - by)]);
                let found = system.advance(10.0 * TAU, &mut |_| false);
                match touches {
                    true => assert!(matches!(found, Err(Obstacle::Contact { .. })), "{e} {by}: {found:?}"),
                    false => assert_eq!(found, Ok(()), "{e} {by}"),
                }
            }
        }
    }

    /// Points, bodies that touch where they are, bodies that go away, and a contact after the end of an advance, which the next one
    /// finds.
    #[test]
    fn contacts_belong_to_one_advance() {
        let (e, from) = (0.9, PI);
        let sum = 0.5;
        let right = fall(e, from, sum);
        for before in [1e-3, 1e-9, 1e-13] {
            let mut system = pair(e, from);
            system.touching = sums(&[0.0, sum]);
            assert_eq!(system.advance(right - before, &mut |_| false), Ok(()), "{before}");
            let found = system.advance(1.0, &mut |_| false);
            let Err(Obstacle::Contact { after, .. }) = found else { panic!("{before}: {found:?}") };
            assert!((after - before).abs() < 1e-14, "{before}: {after}");
        }
        let mut system = pair(e, from);
        assert_eq!(system.advance(TAU, &mut |_| false), Ok(()));
        system.touching = sums(&[1.0, 1.0]);
        assert_eq!(system.advance(1.0, &mut |_| false), Err(Obstacle::Contact { pair: [0, 1], after: 0.0 }));
        // from the pericentre out on a hyperbola
        let mut system = pair(2.0, 0.0);
        system.touching = sums(&[0.5, 0.4999]);
        assert_eq!(system.advance(10.0, &mut |_| false), Ok(()));
    }
}
