//! Two bodies become one.

use super::{BodyEvent, EventKind, RADIUS, Tally, attraction};
use crate::Bodies;
use crate::field::{self, Field};
use crate::integrator::PLACES_LEFT;
use crate::solver::Gravity;
use crate::vector::{cross, dot, less, plus};

/// A merger that was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Merger {
    /// The place of the body that is left, and of the one that has no mass any more and is to be removed.
    pub(crate) places: [usize; 2],
    pub(crate) event: BodyEvent,
    pub(crate) change: Tally,
}

/// Puts the heavier of two bodies in the place of both, with the mass of both; the other one keeps its place beside it,
/// moves with it and has no mass. Of equal masses the body of the smaller id is left.
///
/// ```text
/// change of T     -mu w^2 / 2            of L     -mu r × w
/// change of W     + G m1 m2 / s(1, 2) - sum over others k of G m_k ((m1 + m2) / s(c, k) - m1 / s(1, k) - m2 / s(2, k))
/// ```
///
/// with the softened distance s, the centre of mass c, and the softening of the body that is left.
pub(crate) fn merge(
    bodies: &mut Bodies,
    [i, j]: [usize; 2],
    gravity: &Gravity,
    fields: &[Box<dyn Field>],
    time: f64,
) -> Merger {
    let is_first =
        (bodies.mass[i], std::cmp::Reverse(bodies.id[i])) > (bodies.mass[j], std::cmp::Reverse(bodies.id[j]));
    let [kept, gone] = if is_first { [i, j] } else { [j, i] };
    let [m1, m2] = [bodies.mass[kept], bodies.mass[gone]];
    let total = m1 + m2;
    // bodies without mass meet in the middle
    let share = if total > 0.0 { m2 / total } else { 0.5 };
    let ([x1, x2], [v1, v2]) = ([kept, gone].map(|k| bodies.position(k)), [kept, gone].map(|k| bodies.velocity(k)));
    // with what rounding leaves of places, where an integrator knows it: energies are measured with that
    let (r, w) = (plus(less(x2, x1), less(left(bodies, gone), left(bodies, kept))), less(v2, v1));
    let between = |a: [f64; 3], d: [f64; 3]| -> [f64; 3] { std::array::from_fn(|q| a[q] + share * d[q]) };
    let (position, velocity) = (between(x1, r), between(v1, w));

    let mu = if total > 0.0 { m1 * share } else { 0.0 };
    let others = |k: usize| k != kept && k != gone;
    let at = |place: [f64; 3], of: usize| {
        let attraction = attraction(bodies, gravity, place, |k| gravity.eps2(bodies, of, k), others);
        field::potential(fields, place, time) - attraction
    };
    let mutual = gravity.softening.potential(gravity.g * m1 * m2, dot(r, r), gravity.eps2(bodies, kept, gone));
    let potential = total * at(position, kept) - m1 * at(x1, kept) - m2 * at(x2, gone);
    let spin = cross(r, w);
    let change = Tally {
        count: 1,
        kinetic: -0.5 * mu * dot(w, w),
        // without mass there is nothing between the two
        potential: potential + if m1 * m2 > 0.0 { mutual } else { 0.0 },
        angular_momentum: std::array::from_fn(|q| -mu * spin[q]),
        ..Tally::default()
    };

    for (k, place) in [(kept, position), (gone, std::array::from_fn(|q| position[q] + r[q]))] {
        [bodies.x[k], bodies.y[k], bodies.z[k]] = place;
        [bodies.vx[k], bodies.vy[k], bodies.vz[k]] = velocity;
    }
    (bodies.mass[kept], bodies.mass[gone]) = (total, 0.0);
    let radius = bodies.extra.get_mut(RADIUS).map(|radius| {
        // without overflow of the cubes
        let (large, small) = (radius[kept].max(radius[gone]), radius[kept].min(radius[gone]));
        let sum = if large > 0.0 { large * libm::cbrt(1.0 + (small / large).powi(3)) } else { 0.0 };
        (radius[kept], radius[gone]) = (sum, 0.0);
        sum
    });
    let event = BodyEvent {
        time,
        kind: EventKind::Merger,
        id: bodies.id[kept],
        other: Some(bodies.id[gone]),
        mass: total,
        other_mass: Some(m2),
        radius,
        position,
        velocity,
        speed: dot(w, w).sqrt(),
        energy: change.energy(),
    };
    Merger { places: [kept, gone], event, change }
}

/// What integrators leave of what rounding takes from the place of a body.
fn left(bodies: &Bodies, k: usize) -> [f64; 3] {
    let of = |name: &str| bodies.extra.get(name).and_then(|column| column.get(k)).filter(|rest| rest.is_finite());
    std::array::from_fn(|q| PLACES_LEFT.iter().filter_map(|names| of(names[q])).sum())
}

/// How much the acceleration of a body changes where two others become one at their centre of mass.
pub(crate) fn jump(bodies: &Bodies, [i, j]: [usize; 2], k: usize, gravity: &Gravity) -> f64 {
    let (m1, m2) = (bodies.mass[i], bodies.mass[j]);
    let total = m1 + m2;
    if m1 * m2 == 0.0 {
        return 0.0;
    }
    let pull = |place: [f64; 3], of: usize, mass: f64| -> [f64; 3] {
        let d = less(place, bodies.position(k));
        let (r2, eps2) = (dot(d, d), gravity.eps2(bodies, of, k));
        d.map(|d| gravity.softening.force(gravity.g * mass * d, r2, eps2))
    };
    let [x1, x2] = [i, j].map(|of| bodies.position(of));
    let centre = std::array::from_fn(|q| x1[q] + m2 / total * (x2[q] - x1[q]));
    let heavier = if m1 >= m2 { i } else { j };
    let (one, a, b) = (pull(centre, heavier, total), pull(x1, i, m1), pull(x2, j, m2));
    let change: [f64; 3] = std::array::from_fn(|q| one[q] - a[q] - b[q]);
    dot(change, change).sqrt()
}
