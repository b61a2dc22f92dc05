//! Bodies that leave a system for good.

use super::{BodyEvent, EventKind, RADIUS, Tally, attraction};
use crate::Bodies;
use crate::solver::Gravity;
use crate::vector::{cross, dot, less};

/// A body that has escaped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Escape {
    pub(crate) place: usize,
    pub(crate) event: BodyEvent,
    pub(crate) change: Tally,
}

/// The bodies that are farther than `radius` from the centre of mass, move away from it and have an energy above 0. Of a body
/// that is bound to another one, these are asked of the centre of mass of both, and both escape. O(n) for each body that is
/// so far.
pub(crate) fn escapers(bodies: &Bodies, radius: f64, gravity: &Gravity, time: f64) -> Vec<Escape> {
    let (centre, drift) = bodies.center_of_mass();
    let of_centre = |k: usize| (less(bodies.position(k), centre), less(bodies.velocity(k), drift));
    let is_far = |x: [f64; 3]| dot(x, x) > radius * radius;
    let far: Vec<usize> = (0..bodies.len()).filter(|k| is_far(of_centre(*k).0)).collect();
    // the potential of all others that are still there, without that of a partner
    let at = |k: usize, is_gone: &[bool], but: Option<usize>| {
        let counts = |other: usize| other != k && Some(other) != but && !is_gone[other];
        let place = bodies.position(k);
        -attraction(bodies, gravity, place, |other| gravity.eps2(bodies, k, other), counts)
    };
    let mut is_gone = vec![false; if far.is_empty() { 0 } else { bodies.len() }];
    let mut escapes = Vec::new();
    for i in far {
        if is_gone[i] {
            continue;
        }
        let partner = partner(bodies, gravity, i, &is_gone);
        let (x, v) = of_centre(i);
        let (place, velocity, potential) = match partner {
            None => (x, v, at(i, &is_gone, None)),
            Some(j) => {
                let share = bodies.mass[j] / (bodies.mass[i] + bodies.mass[j]);
                let (y, w) = of_centre(j);
                let between =
                    |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|q| a[q] + share * (b[q] - a[q])) };
                let potential = (1.0 - share) * at(i, &is_gone, Some(j)) + share * at(j, &is_gone, Some(i));
                (between(x, y), between(v, w), potential)
            }
        };
        if is_far(place) && dot(place, velocity) > 0.0 && 0.5 * dot(velocity, velocity) + potential > 0.0 {
            for k in [Some(i), partner].into_iter().flatten() {
                is_gone[k] = true;
                escapes.push(k);
            }
        }
    }
    is_gone.fill(false);
    let mut taken = Vec::new();
    for k in escapes {
        let (m, v) = (bodies.mass[k], bodies.velocity(k));
        let spin = cross(bodies.position(k), v);
        let change = Tally {
            count: 1,
            mass: -m,
            kinetic: -0.5 * m * dot(v, v),
            potential: -m * at(k, &is_gone, None),
            momentum: v.map(|v| -m * v),
            angular_momentum: spin.map(|l| -m * l),
        };
        is_gone[k] = true;
        let (_, relative) = of_centre(k);
        let event = BodyEvent {
            time,
            kind: EventKind::Escape,
            id: bodies.id[k],
            other: None,
            mass: m,
            other_mass: None,
            radius: bodies.extra.get(RADIUS).map(|radius| radius[k]),
            position: bodies.position(k),
            velocity: v,
            speed: dot(relative, relative).sqrt(),
            energy: change.energy(),
        };
        taken.push(Escape { place: k, event, change });
    }
    taken
}

/// The body that another one is bound to most.
fn partner(bodies: &Bodies, gravity: &Gravity, i: usize, is_gone: &[bool]) -> Option<usize> {
    let others = (0..bodies.len()).filter(|j| *j != i && !is_gone[*j] && bodies.mass[i] + bodies.mass[*j] > 0.0);
    let bound = others.map(|j| (j, binding(bodies, gravity, i, j))).filter(|(_, energy)| *energy > 0.0);
    bound.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(j, _)| j)
}

/// The binding energy of two bodies per reduced mass, above 0 where they are bound.
fn binding(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> f64 {
    let (r, w) = (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
    let attraction = gravity.g * (bodies.mass[i] + bodies.mass[j]);
    gravity.softening.potential(attraction, dot(r, r), gravity.eps2(bodies, i, j)) - 0.5 * dot(w, w)
}
