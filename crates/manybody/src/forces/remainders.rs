//! What rounding leaves of the places of bodies in close pairs, in the potential.
//!
//! A pair with a separation of 1e-8 that is at a distance of 1e3 from the origin has places in f64 whose difference is
//! off by 1e-5 of it. Integrators that know the separation leave the rest with the bodies, as columns.

use crate::Bodies;
use crate::diagnostics::Compensated;
use crate::integrator::PLACES_LEFT;
use crate::solver::{Gravity, Softening};

/// Corrects the potential, \[n\], that was computed of the places without these columns; without them it stays as it is.
/// O(m^2) of the m bodies with such a rest.
pub(super) fn correct(bodies: &Bodies, gravity: &Gravity, potential: &mut [f64]) {
    let column = |name: &str| bodies.extra.get(name).filter(|column| column.len() == bodies.len());
    for names in PLACES_LEFT {
        let [Some(x), Some(y), Some(z)] = [names[0], names[1], names[2]].map(column) else { continue };
        let rest = |k: usize| [x[k], y[k], z[k]];
        // (NaN in an extra column says that there is nothing)
        let with: Vec<usize> = (0..bodies.len()).filter(|k| rest(*k).iter().any(|q| q.abs() > 0.0)).collect();
        for i in &with {
            let others = with.iter().filter(|j| *j != i);
            let change: Compensated = others.map(|j| change(bodies, gravity, (*i, *j), [rest(*i), rest(*j)])).collect();
            potential[*i] += change.total();
        }
    }
}

/// What the rests of both change in the potential of `j` at `i`: -G m (1/d - 1/d0), without the difference of the
/// roots, which are nearly equal for most pairs.
fn change(bodies: &Bodies, gravity: &Gravity, (i, j): (usize, usize), [rest_i, rest_j]: [[f64; 3]; 2]) -> f64 {
    let (at, of) = (bodies.position(i), bodies.position(j));
    let rounded: [f64; 3] = std::array::from_fn(|q| of[q] - at[q]);
    let shift: [f64; 3] = std::array::from_fn(|q| rest_j[q] - rest_i[q]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let eps2 = gravity.half_eps2(bodies, i, 0.0) + gravity.half_eps2(bodies, j, 0.0);
    // d^2 - d0^2
    let more = 2.0 * dot(rounded, shift) + dot(shift, shift);
    let exact: [f64; 3] = std::array::from_fn(|q| rounded[q] + shift[q]);
    let [rounded2, exact2] = [rounded, exact].map(|d| dot(d, d));
    let of = gravity.g * bodies.mass[j] * more;
    let softening = gravity.softening;
    let change = if softening == Softening::Spline && softening.matters(rounded2.min(exact2), eps2) {
        // within a body, whose radius rounding does not reach, to the first order
        softening.force(0.5 * of, 0.5 * (rounded2 + exact2), eps2)
    } else {
        let eps2 = if softening == Softening::Plummer { eps2 } else { 0.0 };
        let (d0, d) = ((rounded2 + eps2).sqrt(), (exact2 + eps2).sqrt());
        of / (d * d0 * (d + d0))
    };
    if change.is_finite() { change } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forces::{ForceModel, SelfGravity};
    use crate::solver::Reference;

    /// A pair of which f64 has no separation below 2^-42, at 1000: the potential is that of the true one, of both kinds
    /// of columns, with softening and without, and the others feel nothing of it.
    #[test]
    fn the_potential_of_a_pair_is_that_of_its_true_separation() {
        let separation = 1.25 * 2f64.powi(-42);
        let cases = [(0.0, Softening::Plummer), (2f64.powi(-43), Softening::Plummer), (0.0, Softening::Spline)];
        for names in PLACES_LEFT {
            for (eps, softening) in cases {
                let mut bodies = Bodies::default();
                bodies.push(1.0, [1000.0, 0.0, 0.0], [0.0; 3]);
                bodies.push(2.0, [1000.0 + separation, 0.0, 0.0], [0.0; 3]);
                bodies.push(4.0, [0.0; 3], [0.0; 3]);
                let lost = separation - (bodies.x[1] - 1000.0);
                assert!(lost.abs() > 0.1 * separation);
                for (q, name) in names.into_iter().enumerate() {
                    let rest = if q == 0 { lost } else { 0.0 };
                    bodies.extra.insert(name.into(), vec![0.25 * rest, 1.25 * rest, 0.0]);
                }
                let gravity = Gravity::new(0.5, eps).softened(softening);
                let potential =
                    SelfGravity::by(gravity, Box::new(Reference::default())).potential(&bodies, 0.0).unwrap();
                let of = |mass: f64, d: f64| -0.5 * mass / (d * d + eps * eps).sqrt();
                let right = [of(2.0, separation) + of(4.0, 1e3), of(1.0, separation) + of(4.0, 1e3), of(3.0, 1e3)];
                for (found, right) in potential.iter().zip(right) {
                    assert!((found / right - 1.0).abs() < 1e-14, "{names:?} {eps}: {found} {right}");
                }
            }
        }
    }

    /// Within a body of the spline softening what rounding leaves is far below its radius.
    #[test]
    fn the_potential_within_a_body_is_that_of_the_true_separation() {
        let (separation, lost) = (0.3, 1e-9);
        let mut bodies = Bodies::default();
        bodies.push(1.0, [0.0; 3], [0.0; 3]);
        bodies.push(2.0, [separation, 0.0, 0.0], [0.0; 3]);
        for (q, name) in PLACES_LEFT[0].into_iter().enumerate() {
            bodies.extra.insert(name.into(), if q == 0 { vec![-0.5 * lost, 0.5 * lost] } else { vec![0.0; 2] });
        }
        let gravity = Gravity::new(1.0, 0.5).softened(Softening::Spline);
        let found = SelfGravity::by(gravity, Box::new(Reference::default())).potential(&bodies, 0.0).unwrap();
        let at = |d: f64| -2.0 * gravity.softening.potential(1.0, d * d, 0.25);
        let change = (found[0] - at(separation)) / (at(separation + lost) - at(separation));
        // of numbers that differ in their last 7 digits
        assert!((change - 1.0).abs() < 1e-5, "{change}");
    }
}
