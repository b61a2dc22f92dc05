//! Audit of jerks: what Hermite schemes integrate beside accelerations.
//!
//! ```text
//! j_i = sum_j G m_j ( w / s^3 - 3 (d.w) d / s^5 )     d = x_j - x_i,  w = v_j - v_i,  s^2 = d.d + eps^2  [Makino 1992, eq. 4]
//! ```
//!
//! in f64, pair by pair in the order of the bodies, with compensated sums.

use super::limit::Limits;
use super::{Place, each, expansion, size, unexplained};
use crate::diagnostics::Compensated;
use crate::forces::Audited;
use crate::law::bounds::Rounding;
use crate::solver::{Gravity, Method, Precision, Softening};
use crate::watch::Watch;
use crate::{Error, Result};

/// The largest error of the `jerks` of the sample's bodies, in its order, in units of their root mean square; `None` where
/// the system is so large or small that no reference in f64 is at hand.
///
/// # Errors
/// [`Error::NotFinite`] for a jerk that is infinite or NaN, [`Error::Audit`] for the body that is the furthest off, of those
/// that are further from the reference than the precision explains, and [`Error::Interrupted`] where the watch ends it.
pub(crate) fn check(
    gravity: &Gravity,
    audited: &Audited<'_>,
    jerks: &[Vec<f64>; 3],
    watch: &Watch,
) -> Result<Option<f64>> {
    let Audited { bodies, sample, time, method, .. } = *audited;
    let place = Place::new(bodies, gravity);
    if !(1e-60..1e60).contains(&place.size()) {
        return Ok(None);
    }
    let found = |k: usize| [jerks[0][k], jerks[1][k], jerks[2][k]];
    if let Some((k, value)) = (0..sample.len()).find_map(|k| Some((k, found(k).into_iter().find(|j| !j.is_finite())?)))
    {
        return Err(Error::NotFinite { time, index: sample[k], id: bodies.id[sample[k]], quantity: "jerk", value });
    }
    // how far off, and how large
    let compared = each(sample, bodies.len(), watch, |k, i| {
        let (found, exact) = (found(k), reference(&place, *i));
        [size([0, 1, 2].map(|q| found[q] - exact[q])), size(exact)]
    })?;
    if compared.iter().flatten().any(|size| !size.is_finite()) {
        return Ok(None);
    }
    let mean_square = compared.iter().map(|[_, size]| size * size).sum::<f64>() / compared.len().max(1) as f64;
    let rms = if mean_square > 0.0 { mean_square.sqrt() } else { 1.0 };
    let most = compared.iter().fold(0.0, |most: f64, [off, _]| most.max(*off)) / rms;
    let unit = if method.precision == Precision::F64 { Rounding::F64.unit } else { Rounding::F32.unit };
    // what is off by fewer roundings than a term has needs no bound, nor what is off by what expansions may be
    let is_by_expansion = method.solver.is_by_expansion();
    let allowed = if is_by_expansion { promised(method) } else { 16.0 * unit };
    let doubtful: Vec<usize> = (0..sample.len()).filter(|k| compared[*k][0] > allowed * compared[*k][1]).collect();
    if doubtful.is_empty() {
        return Ok(Some(most));
    }
    let limits = Limits::new(bodies, place, method)?;
    let speed = (0..bodies.len()).map(|i| size(bodies.velocity(i))).fold(0.0, f64::max);
    let bounds = each(&doubtful, bodies.len(), watch, |_, k| limits.jerk(sample[*k], speed))?;
    let beyond: Vec<(usize, f64)> =
        doubtful.into_iter().zip(bounds).filter(|(k, bound)| compared[*k][0] > *bound).collect();
    let by_chance = is_by_expansion && expansion::may_be_beyond(beyond.len(), sample.len());
    let worst = beyond.into_iter().max_by(|(a, _), (b, _)| compared[*a][0].total_cmp(&compared[*b][0]));
    let Some((k, bound)) = worst.filter(|_| !by_chance) else { return Ok(Some(most)) };
    let index = sample[k];
    let (limit, cause) = match is_by_expansion {
        false => (bound, unexplained(method)),
        true => {
            let cause = "what more than 1 in 100 bodies exceed: a smaller --rtol has smaller errors, and the solver symmetric has \
                         no such error";
            (bound.max(allowed * compared[k][1]), cause.into())
        }
    };
    let (result, error) = ("jerk, in rms|j|,".into(), compared[k][0] / rms);
    Err(Error::Audit { time, index, id: bodies.id[index], result, error, limit: limit / rms, cause })
}

/// By expansions, jerks of 99 of 100 bodies have up to 16 times the relative error that is promised for accelerations
/// (crates/manybody/tests/jerks.rs), more where clusters pass each other fast: beyond this many times it, something is wrong.
const JERKS: f64 = 100.0;

/// What jerks by expansions may be off by, of themselves; infinite where no error is promised.
fn promised(method: &Method) -> f64 {
    method.expansion.promise().map_or(f64::INFINITY, |rtol| JERKS * rtol)
}

/// The jerk of body `i`: O(n).
fn reference(place: &Place<'_>, i: usize) -> [f64; 3] {
    let (at, velocity) = (place.of(i), place.bodies.velocity(i));
    let mut sums = [Compensated::default(); 3];
    for j in (0..i).chain(i + 1..place.bodies.len()) {
        let (other, other_velocity) = (place.of(j), place.bodies.velocity(j));
        let (d, w) = ([0, 1, 2].map(|q| other[q] - at[q]), [0, 1, 2].map(|q| other_velocity[q] - velocity[q]));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (r2, eps2) = (dot(d, d), place.eps2(i, j));
        if r2 + eps2 > 0.0 {
            let (m, softening) = (place.gravity.g * place.bodies.mass[j], place.gravity.softening);
            let f = softening.force(m, r2, eps2);
            let turn = match softening {
                Softening::Plummer => 3.0 * f * dot(d, w) / (r2 + eps2),
                Softening::Spline => softening.fall(3.0 * m * dot(d, w), r2, eps2),
            };
            for (q, sum) in sums.iter_mut().enumerate() {
                sum.add(f * w[q]);
                sum.add(-turn * d[q]);
            }
        }
    }
    sums.map(|sum| sum.total())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::forces::Audited;
    use crate::solver::{self, Derivatives, Device, Expansion, Forces, Gravity, Method, Precision, SolverName};
    use crate::watch::Watch;
    use crate::{Bodies, Error, Result};

    fn cluster(n: usize) -> Bodies {
        crate::ic::by_name("plummer", &crate::ic::Request::new(n, 3)).unwrap().bodies
    }

    fn jerks(bodies: &Bodies, gravity: &Gravity, sample: &[usize], method: &Method) -> [Vec<f64>; 3] {
        let mut found = Derivatives::default();
        solver::of(method).unwrap().derivatives_on(bodies, None, sample, gravity, &mut found).unwrap();
        found.j
    }

    fn audit(
        bodies: &Bodies,
        gravity: &Gravity,
        sample: &[usize],
        method: &Method,
        jerks: &[Vec<f64>; 3],
    ) -> Result<Option<f64>> {
        let forces = Forces::default();
        let audited = Audited { bodies, forces: &forces, sample, time: 0.0, method, limit: None };
        check(gravity, &audited, jerks, &Watch::default())
    }

    /// Right jerks pass, in every precision that has them, and wrong ones are an error that names the body.
    #[test]
    fn wrong_jerks_are_found() {
        let sample: Vec<usize> = (0..300).step_by(3).collect();
        for (eps, own) in [(0.05, false), (0.0, false), (0.0, true)] {
            let (mut bodies, gravity) = (cluster(300), Gravity::new(1.0, eps));
            if own {
                bodies.eps = Some((0..300).map(|k| f64::from(k % 4) * 0.02).collect());
            }
            // far from the origin, and moving
            bodies.x.iter_mut().for_each(|x| *x += 3.0);
            bodies.vy.iter_mut().for_each(|v| *v -= 2.0);
            // errors of the largest jerk: f64 adds 300 terms, f32 rounds positions and velocities, and mixed precision terms
            for (precision, solver, most, wrong) in [
                (Precision::F64, SolverName::Symmetric, 1e-12, 1e-9),
                (Precision::F64, SolverName::Reference, 1e-12, 1e-9),
                (Precision::F32, SolverName::Direct, 1e-3, 1.0),
                (Precision::Mixed, SolverName::Direct, 1e-5, 0.1),
            ] {
                let method = Method::on(Device::Cpu, precision).solver(solver);
                let mut found = jerks(&bodies, &gravity, &sample, &method);
                let error = audit(&bodies, &gravity, &sample, &method, &found).unwrap().unwrap();
                assert!(error < most, "{eps} {own} {precision} {solver}: {error:e}");
                let rms = (found.iter().flatten().map(|j| j * j).sum::<f64>() / 100.0).sqrt();
                found[1][7] += wrong * rms;
                match audit(&bodies, &gravity, &sample, &method, &found) {
                    Err(Error::Audit { index: 21, result, error, limit, .. }) => {
                        assert!(
                            result.contains("jerk") && error > 0.5 * wrong && limit < wrong,
                            "{result} {error} {limit}"
                        );
                    }
                    other => panic!("{eps} {own} {precision} {solver}: {other:?}"),
                }
                found[1][7] = f64::NAN;
                let refused = audit(&bodies, &gravity, &sample, &method, &found);
                assert!(matches!(refused, Err(Error::NotFinite { index: 21, quantity: "jerk", .. })), "{refused:?}");
            }
        }
    }

    /// By expansions one in a hundred may be off by more than is promised, and a few by chance.
    #[test]
    fn wrong_jerks_by_expansions_are_found() {
        let (bodies, gravity, sample) = (cluster(300), Gravity::new(1.0, 0.05), (0..100).collect::<Vec<_>>());
        let expansion = Expansion { rtol: Some(1e-3), ..Expansion::default() };
        let method = Method { expansion, ..Method::on(Device::Cpu, Precision::F64).solver(SolverName::Fmm) };
        let right = jerks(&bodies, &gravity, &sample, &method);
        let with = |wrong: usize, factor: f64| {
            let mut found = right.clone();
            found.iter_mut().for_each(|column| column[..wrong].iter_mut().for_each(|j| *j *= factor));
            audit(&bodies, &gravity, &sample, &method, &found)
        };
        assert!(with(0, 1.0).unwrap().unwrap() < 1e-12);
        assert!(with(5, 1.2).unwrap().unwrap() > 0.01);
        assert!(with(100, 1.09).is_ok());
        match with(20, 1.2) {
            Err(Error::Audit { index, result, error, limit, .. }) => {
                assert!(index < 20 && result.contains("jerk") && (error / limit - 2.0).abs() < 1e-9, "{error} {limit}");
            }
            other => panic!("{other:?}"),
        }
        // jerks that are rounding alone
        let mut same = bodies.clone();
        [&mut same.vx, &mut same.vy, &mut same.vz].into_iter().for_each(|v| v.fill(0.1));
        same.vx[7] = 0.1 + 1e-16;
        let mut found = jerks(&same, &gravity, &sample, &method);
        found.iter_mut().flatten().for_each(|j| *j += 1e-17);
        assert!(audit(&same, &gravity, &sample, &method, &found).is_ok());
        assert!(matches!(with(1, f64::NAN), Err(Error::NotFinite { index: 0, quantity: "jerk", .. })));
    }

    /// Bodies at one place, without mass, alone, or in units of any size are no errors.
    #[test]
    fn extreme_systems_pass() {
        let method = Method::on(Device::Cpu, Precision::F64).solver(SolverName::Symmetric);
        let mut same = cluster(20);
        let gravity = Gravity::new(1.0, 0.1);
        for k in 0..10 {
            (same.x[k], same.y[k], same.z[k]) = (0.5, 0.5, 0.5);
            same.mass[2 * k] = 0.0;
        }
        for (length, speed) in [(1.0, 1.0), (1e11, 1e3), (1e-30, 1e20), (1e70, 1.0)] {
            let mut bodies = same.clone();
            for column in [&mut bodies.x, &mut bodies.y, &mut bodies.z] {
                column.iter_mut().for_each(|q| *q *= length);
            }
            for column in [&mut bodies.vx, &mut bodies.vy, &mut bodies.vz] {
                column.iter_mut().for_each(|q| *q *= speed);
            }
            let gravity = Gravity { eps: 0.1 * length, ..gravity };
            let sample: Vec<usize> = (0..20).collect();
            let found = jerks(&bodies, &gravity, &sample, &method);
            let error = audit(&bodies, &gravity, &sample, &method, &found).unwrap();
            assert_eq!(error.is_none(), length > 1e60, "{length:e}");
            assert!(error.is_none_or(|error| error < 1e-13), "{length:e}: {error:?}");
        }
        let alone = cluster(1);
        let found = jerks(&alone, &gravity, &[0], &method);
        assert_eq!(audit(&alone, &gravity, &[0], &method, &found).unwrap(), Some(0.0));
    }
}
