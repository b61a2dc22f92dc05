//! Bodies that leave a system for good.

use super::{BodyEvent, EventKind, RADIUS, Tally, attraction, cross, dot, eps2, less};
use crate::Bodies;
use crate::solver::Gravity;

/// A body that has escaped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Escape {
    pub(crate) place: usize,
    pub(crate) event: BodyEvent,
    pub(crate) change: Tally,
}

/// The bodies that are farther than `radius` from the centre of mass, move away from it and have an energy above 0; and
/// pairs that are bound to each other of which that is true. O(n) for each body that is so far.
pub(crate) fn escapers(bodies: &Bodies, radius: f64, gravity: &Gravity, time: f64) -> Vec<Escape> {
    let (centre, drift) = bodies.center_of_mass();
    let of_centre = |k: usize| (less(bodies.position(k), centre), less(bodies.velocity(k), drift));
    let is_far = |k: &usize| {
        let (x, v) = of_centre(*k);
        dot(x, x) > radius * radius && dot(x, v) > 0.0
    };
    let far: Vec<usize> = (0..bodies.len()).filter(is_far).collect();
    // the potential of all others that are still there, without that of a partner
    let at = |k: usize, is_gone: &[bool], but: Option<usize>| {
        let counts = |other: usize| other != k && Some(other) != but && !is_gone[other];
        let place = bodies.position(k);
        -attraction(bodies, gravity, place, |other| eps2(bodies, gravity, k, other), counts)
    };
    let mut is_gone = vec![false; if far.is_empty() { 0 } else { bodies.len() }];
    let mut escapes = Vec::new();
    for i in far.iter().copied() {
        if is_gone[i] {
            continue;
        }
        let (_, v) = of_centre(i);
        if 0.5 * dot(v, v) + at(i, &is_gone, None) > 0.0 {
            is_gone[i] = true;
            escapes.push(i);
            continue;
        }
        let rest = far.iter().copied().filter(|j| *j != i && !is_gone[*j]);
        let Some((j, _)) = rest
            .map(|j| (j, binding(bodies, gravity, i, j)))
            .filter(|(_, energy)| *energy > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        else {
            continue;
        };
        let (m1, m2) = (bodies.mass[i], bodies.mass[j]);
        let share = m2 / (m1 + m2);
        let (_, w) = of_centre(j);
        let together: [f64; 3] = std::array::from_fn(|q| v[q] + share * (w[q] - v[q]));
        let potential = (1.0 - share) * at(i, &is_gone, Some(j)) + share * at(j, &is_gone, Some(i));
        if 0.5 * dot(together, together) + potential > 0.0 {
            (is_gone[i], is_gone[j]) = (true, true);
            escapes.extend([i, j]);
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

/// The binding energy of two bodies per reduced mass, above 0 where they are bound.
fn binding(bodies: &Bodies, gravity: &Gravity, i: usize, j: usize) -> f64 {
    let (r, w) = (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
    let distance = (dot(r, r) + eps2(bodies, gravity, i, j)).sqrt();
    gravity.g * (bodies.mass[i] + bodies.mass[j]) / distance - 0.5 * dot(w, w)
}
