//! Pairs of single bodies that need short steps for each other.
//!
//! Two are linked only if they may come close within dt: d <= 2 w dt, or d^3 <= G (m_i + m_j) (dt / eta)^2, with their distance d and
//! relative velocity w. So each body has a reach, max(2 dt |v - v_mean|, (G m dt^2 / eta^2)^(1/3)), and their distance is no more than
//! the sum of both. Of a few thousand bodies, pairs within reach are found in the order of one coordinate; of more, by the tree
//! of nearest neighbours. Both find the same pairs.

use super::super::vector::{Vector, dot, less};
use super::orbit::Orbit;
use super::select::Rule;
use crate::Bodies;
use crate::cluster::{NEIGHBOURS, Neighbourhood};

/// Up to so many bodies are swept along one coordinate.
const SWEPT: usize = 1 << 13;
/// Bodies with so many times the mean reach are compared with all others.
const FAR: f64 = 3.0;
/// What rounding may take off a reach.
const MARGIN: f64 = 1.001;

/// Two neighbours that need short steps for each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tight {
    pub(super) pair: [usize; 2],
    /// In dt.
    pub(super) steps: f64,
}

/// A body, or the centre of mass of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) mass: f64,
    pub(super) place: Vector,
    pub(super) velocity: Vector,
}

impl Point {
    pub(super) fn of(bodies: &Bodies, k: usize) -> Self {
        Point { mass: bodies.mass[k], place: bodies.position(k), velocity: bodies.velocity(k) }
    }

    pub(super) fn orbit(&self, other: &Point, rule: &Rule) -> Orbit {
        let (r, v) = (less(other.place, self.place), less(other.velocity, self.velocity));
        Orbit::of(r, v, rule.g * (self.mass + other.mass), rule.dt)
    }

    /// Half of the distance of two that need no short steps, if they come about no closer than this within dt, by their velocities.
    pub(super) fn stays_away(&self, other: &Point, rule: &Rule) -> Option<f64> {
        let relative = less(other.velocity, self.velocity);
        let reach = dot(relative, relative).sqrt() * rule.dt;
        let distance2 = self.distance2(other);
        let distance = distance2.sqrt();
        let time_scale = (distance2 * distance / (rule.g * (self.mass + other.mass))).sqrt();
        let half = 0.5 * distance;
        (reach < half && rule.eta * time_scale > rule.dt).then_some(half)
    }

    /// The time scale of two at the distance of now.
    pub(super) fn time_scale(&self, other: &Point, rule: &Rule) -> f64 {
        Orbit::time_scale_at(self.distance2(other).sqrt(), rule.g * (self.mass + other.mass))
    }

    fn distance2(&self, other: &Point) -> f64 {
        let apart = less(other.place, self.place);
        dot(apart, apart)
    }

    /// The steps in dt that two need for each other now, and at most within dt, where they are linked.
    fn tight(&self, other: &Point, rule: &Rule) -> Option<(f64, f64)> {
        if self.stays_away(other, rule).is_some() {
            return None;
        }
        let (r, v) = (less(other.place, self.place), less(other.velocity, self.velocity));
        let attraction = rule.g * (self.mass + other.mass);
        // most pass far from each other, which needs no times
        if rule.is_loose(Orbit::pericentre(r, v, attraction), attraction) {
            return None;
        }
        let orbit = Orbit::of(r, v, attraction, rule.dt);
        rule.is_tight(&orbit).then(|| (orbit.present, rule.steps(&orbit)))
    }
}

/// Pairs of single bodies that are linked, of which one is among the six nearest neighbours of the other. Those with the shortest
/// time scale now are first: where a third body is near, the orbit of two may lead to a pericentre that there is not.
pub(super) fn tight_pairs(bodies: &Bodies, rule: &Rule) -> Vec<Tight> {
    let massive: Vec<usize> = (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0).collect();
    let swept = (massive.len() <= SWEPT).then(|| by_sweep(bodies, &massive, rule)).flatten();
    let mut found = swept.unwrap_or_else(|| by_neighbours(bodies, rule));
    found.sort_by(|(a, of), (b, other)| a.total_cmp(b).then(of.pair.cmp(&other.pair)));
    found.into_iter().map(|(_, tight)| tight).collect()
}

/// With the time scale now, in no order.
type Found = Vec<(f64, Tight)>;

fn by_neighbours(bodies: &Bodies, rule: &Rule) -> Found {
    let of = |(i, j): (usize, usize)| {
        let (present, steps) = Point::of(bodies, i).tight(&Point::of(bodies, j), rule)?;
        Some((present, Tight { pair: [i, j], steps }))
    };
    Neighbourhood::of(bodies).pairs().filter_map(of).collect()
}

/// `None` where a number is not finite.
fn by_sweep(bodies: &Bodies, massive: &[usize], rule: &Rule) -> Option<Found> {
    let points: Vec<Point> = massive.iter().map(|k| Point::of(bodies, *k)).collect();
    let reaches = reaches(&points, rule)?;
    let mut found = Found::new();
    for_all_within_reach(&points, &reaches, |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        let Some((present, steps)) = points[i].tight(&points[j], rule) else { return };
        if is_neighbour(&points, i, j) || is_neighbour(&points, j, i) {
            found.push((present, Tight { pair: [massive[i], massive[j]], steps }));
        }
    });
    Some(found)
}

/// How far from each point another one with a reach may be that it is linked with, less the reach of that one.
fn reaches(points: &[Point], rule: &Rule) -> Option<Vec<f64>> {
    let n = points.len() as f64;
    let mean: Vector = std::array::from_fn(|q| points.iter().map(|point| point.velocity[q]).sum::<f64>() / n);
    let per_mass = rule.g * (rule.dt / rule.eta).powi(2);
    let of = |point: &Point| {
        let relative = less(point.velocity, mean);
        let by_motion = 2.0 * rule.dt * dot(relative, relative).sqrt();
        MARGIN * by_motion.max((per_mass * point.mass).cbrt())
    };
    let reaches: Vec<f64> = points.iter().map(of).collect();
    let are_finite = points.iter().all(|point| point.place.iter().all(|q| q.is_finite()));
    (are_finite && mean.iter().chain(&reaches).all(|q| q.is_finite())).then_some(reaches)
}

/// Calls `take` once with any two points whose distance is at most the sum of their reaches.
fn for_all_within_reach(points: &[Point], reaches: &[f64], mut take: impl FnMut(usize, usize)) {
    let most = FAR * reaches.iter().sum::<f64>() / reaches.len().max(1) as f64;
    let (mut order, far): (Vec<usize>, Vec<usize>) = (0..points.len()).partition(|k| reaches[*k] <= most);
    order.sort_unstable_by(|a, b| points[*a].place[0].total_cmp(&points[*b].place[0]).then(a.cmp(b)));
    let is_within = |distance2: f64, a: f64, b: f64| distance2 <= (a + b) * (a + b);
    let row = |k: &usize| (points[*k].place, reaches[*k]);
    let rows: Vec<(Vector, f64)> = order.iter().map(row).collect();
    for (at, (place, reach)) in rows.iter().enumerate() {
        let is_next = |other: &Vector| other[0] - place[0] <= (reach + most) * MARGIN;
        for (next, (other, its)) in rows[at + 1..].iter().enumerate().take_while(|(_, (other, _))| is_next(other)) {
            let apart = less(*other, *place);
            if is_within(dot(apart, apart), *reach, *its) {
                take(order[at], order[at + 1 + next]);
            }
        }
    }
    for (at, i) in far.iter().enumerate() {
        for j in order.iter().chain(&far[at + 1..]) {
            if is_within(points[*i].distance2(&points[*j]), reaches[*i], reaches[*j]) {
                take(*i, *j);
            }
        }
    }
}

/// Whether j is among the nearest neighbours of i; of those at one distance the one of the smaller index is nearer.
fn is_neighbour(points: &[Point], i: usize, j: usize) -> bool {
    let own = &points[i];
    let of = (own.distance2(&points[j]), j);
    let is_nearer = |(k, other): &(usize, &Point)| *k != i && (own.distance2(other), *k) < of;
    points.iter().enumerate().filter(is_nearer).take(NEIGHBOURS).count() < NEIGHBOURS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ic;

    fn sorted(mut found: Found) -> Vec<Tight> {
        found.sort_by_key(|(_, tight)| tight.pair);
        found.into_iter().map(|(_, tight)| tight).collect()
    }

    /// Both ways find the same pairs with the same numbers: in a cluster, also with heavy and fast bodies, with others at one place,
    /// and with massless ones; in one that moves.
    #[test]
    fn a_sweep_finds_the_pairs_of_the_tree() {
        let mut pairs = 0;
        for seed in 1..6 {
            let mut bodies = ic::by_name("plummer", &ic::Request::new(400, seed)).unwrap().bodies;
            if seed > 1 {
                bodies.mass[3] = 0.2;
                bodies.vy[17] = 300.0;
                (bodies.x[5], bodies.x[6]) = (1e9, -1e9);
                (20..60).for_each(|k| bodies.mass[k] = 0.0);
                (80..90)
                    .for_each(|k| (bodies.x[k], bodies.y[k], bodies.z[k]) = (0.1, 0.2, 0.1 * f64::from(k as u8 % 2)));
            }
            if seed > 3 {
                bodies.vx.iter_mut().for_each(|v| *v += 1e3);
            }
            let massive: Vec<usize> = (0..400).filter(|k| bodies.mass[*k] > 0.0).collect();
            for (dt, eta) in [(0.25, 0.1), (1.0 / 32.0, 0.2), (1.0 / 256.0, 0.02)] {
                let rule = Rule { g: 1.0, dt, eta };
                let swept = sorted(by_sweep(&bodies, &massive, &rule).unwrap());
                assert_eq!(swept, sorted(by_neighbours(&bodies, &rule)), "{seed} {dt}");
                pairs += swept.len();
            }
        }
        assert!(pairs > 100, "{pairs}");
    }

    /// What is left out by the pericentre alone is what is not linked by the orbit.
    #[test]
    fn pericentres_leave_out_what_is_not_linked() {
        let bodies = ic::by_name("plummer", &ic::Request::new(300, 1)).unwrap().bodies;
        let points: Vec<Point> = (0..300).map(|k| Point::of(&bodies, k)).collect();
        let (rule, mut linked) = (Rule { g: 1.0, dt: 0.25, eta: 0.1 }, 0);
        for (k, one) in points.iter().enumerate() {
            for other in &points[..k] {
                let orbit = one.orbit(other, &rule);
                let right = one.stays_away(other, &rule).is_none() && rule.is_tight(&orbit);
                let right = right.then(|| (orbit.present, rule.steps(&orbit)));
                assert_eq!(one.tight(other, &rule), right);
                linked += usize::from(right.is_some());
            }
        }
        assert!(linked > 10, "{linked}");
    }

    /// Numbers that are not finite are left to the tree.
    #[test]
    fn numbers_that_are_not_finite_are_not_swept() {
        let mut bodies = ic::by_name("plummer", &ic::Request::new(20, 1)).unwrap().bodies;
        let massive: Vec<usize> = (0..20).collect();
        let rule = Rule { g: 1.0, dt: 0.25, eta: 0.1 };
        assert!(by_sweep(&bodies, &massive, &rule).is_some());
        bodies.z[3] = f64::NAN;
        assert!(by_sweep(&bodies, &massive, &rule).is_none());
        (bodies.z[3], bodies.vz[3]) = (0.0, f64::INFINITY);
        assert!(by_sweep(&bodies, &massive, &rule).is_none());
        assert_eq!(tight_pairs(&Bodies::default(), &rule), []);
    }
}
