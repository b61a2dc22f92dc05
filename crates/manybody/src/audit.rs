//! Audit: how wrong the forces of this very run are.
//!
//! A random sample of bodies, named by a seed, gets its force a second time: in f64, pair by pair in the order of the
//! bodies, with compensated sums [Neumaier 1974], by a loop that shares no code with any solver. What is told is
//!
//! ```text
//! |a - a_ref| / rms |a_ref|     median, 99 %, 99.9 % and the largest of the sample
//! |sum m a| / sum m |a|         over all bodies: 0 by Newton's third law
//! ```
//!
//! (A body's own relative error says little: where forces cancel, it has no bound.) The cost is a sample's n pairs, 13 ns
//! each on a core in a debug build (Xeon, 2026-11).

use crate::diagnostics::{Compensated, length};
use crate::ic::random::Random;
use crate::solver::{Forces, Gravity};
use crate::{Bodies, Error, Result};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Errors of the accelerations of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ForceErrors {
    /// How many bodies were audited.
    pub sample: usize,
    /// Half of the sample is below, in units of the root mean square acceleration, as the next three.
    pub median: f64,
    /// 99 % of the sample are at most this.
    pub p99: f64,
    /// 99.9 % of the sample are at most this.
    pub p999: f64,
    /// The largest.
    pub max: f64,
    /// |sum m a| / sum m |a| of all bodies.
    pub net: f64,
}

/// Which bodies to audit: this share of them, at least `least`, at most all. The sample depends on `n`, `fraction`,
/// `least` and `stream` alone.
pub fn sample(n: usize, fraction: f64, least: usize, stream: u64) -> Vec<usize> {
    let count = ((fraction * n as f64).ceil() as usize).max(least).min(n);
    let mut random = Random::new("audit", 1, stream);
    // Floyd's sampling [Bentley 1987]: count numbers drawn, each body as likely as any other
    let mut chosen = BTreeSet::new();
    for last in n - count..n {
        let drawn = ((u128::from(random.bits()) * (last as u128 + 1)) >> 64) as usize;
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// The reference acceleration of body `i`: O(n).
pub fn acceleration(bodies: &Bodies, gravity: &Gravity, i: usize) -> [f64; 3] {
    let at = bodies.position(i);
    let mut sums = [Compensated::default(); 3];
    let mut add = |j: usize| {
        let place = bodies.position(j);
        let d = [place[0] - at[0], place[1] - at[1], place[2] - at[2]];
        let eps2 = match &bodies.eps {
            Some(eps) => (eps[i] * eps[i] + eps[j] * eps[j]) / 2.0,
            None => gravity.eps * gravity.eps,
        };
        let s2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
        if s2 > 0.0 {
            let f = gravity.g * bodies.mass[j] / (s2 * s2.sqrt());
            (0..3).for_each(|k| sums[k].add(f * d[k]));
        }
    };
    (0..i).for_each(&mut add);
    (i + 1..bodies.len()).for_each(add);
    sums.map(|sum| sum.total())
}

/// Holds the accelerations in `forces` against the reference at the bodies of a [`sample`].
///
/// # Errors
/// [`Error::NotFinite`] for an acceleration that is none, of any body.
pub fn audit(bodies: &Bodies, gravity: &Gravity, forces: &Forces, sample: &[usize], time: f64) -> Result<ForceErrors> {
    let acc = |i: usize| [forces.ax[i], forces.ay[i], forces.az[i]];
    if let Some(index) = (0..bodies.len()).find(|i| acc(*i).iter().any(|a| !a.is_finite())) {
        let value = acc(index).into_iter().find(|a| !a.is_finite()).unwrap_or(f64::NAN);
        return Err(Error::NotFinite { time, index, id: bodies.id[index], quantity: "acceleration", value });
    }
    let held: Vec<(f64, f64)> = sample
        .par_iter()
        .map(|i| {
            let (want, got) = (acceleration(bodies, gravity, *i), acc(*i));
            (length([got[0] - want[0], got[1] - want[1], got[2] - want[2]]), length(want))
        })
        .collect();
    let rms = (held.iter().map(|(_, a)| a * a).sum::<f64>() / held.len().max(1) as f64).sqrt();
    let mut errors: Vec<f64> = held.iter().map(|(error, _)| error / if rms > 0.0 { rms } else { 1.0 }).collect();
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| match errors.len() {
        0 => 0.0,
        n => errors[((n - 1) as f64 * share).ceil() as usize],
    };
    Ok(ForceErrors {
        sample: sample.len(),
        median: at(0.5),
        p99: at(0.99),
        p999: at(0.999),
        max: at(1.0),
        net: net_force(bodies, forces),
    })
}

/// |sum m a| / sum m |a|: 0 by Newton's third law, rounding apart.
pub fn net_force(bodies: &Bodies, forces: &Forces) -> f64 {
    let acc = |i: usize| [forces.ax[i], forces.ay[i], forces.az[i]];
    let sum = |term: &dyn Fn(usize) -> f64| (0..bodies.len()).map(term).collect::<Compensated>().total();
    let net = length([0, 1, 2].map(|k| sum(&|i| bodies.mass[i] * acc(i)[k])));
    let scale = sum(&|i| bodies.mass[i] * length(acc(i)));
    if scale > 0.0 { net / scale } else { net }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Reference, Solver, Want};

    fn cluster(n: usize) -> Bodies {
        crate::ic::by_name("plummer", &crate::ic::Request::new(n, 3)).unwrap().bodies
    }

    #[test]
    fn a_sample_is_drawn_once_each_and_by_its_stream() {
        for (n, fraction, least, count) in
            [(1000, 0.01, 4, 10), (1000, 0.0101, 4, 11), (50, 0.01, 4, 4), (3, 0.5, 9, 3)]
        {
            let drawn = sample(n, fraction, least, 7);
            assert_eq!(drawn.len(), count);
            assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && drawn.iter().all(|i| *i < n), "{drawn:?}");
            assert_eq!(drawn, sample(n, fraction, least, 7));
        }
        assert_ne!(sample(1000, 0.01, 4, 7), sample(1000, 0.01, 4, 8));
        assert_eq!(sample(0, 0.5, 4, 1), Vec::<usize>::new());
        // each of 20 bodies is in a sample of 5 a quarter of the time: 1000 draws scatter by 14
        let mut seen = [0; 20];
        (0..1000).for_each(|stream| sample(20, 0.25, 0, stream).into_iter().for_each(|i| seen[i] += 1));
        assert!(seen.iter().all(|count| (180..320).contains(count)), "{seen:?}");
    }

    /// Errors that were put in by hand come out.
    #[test]
    fn errors_are_found_where_they_are() {
        let (bodies, gravity) = (cluster(200), Gravity { g: 1.0, eps: 0.1 });
        let mut forces = Forces::default();
        Reference.forces(&bodies, &gravity, Want::default(), &mut forces).unwrap();
        let all: Vec<usize> = (0..200).collect();
        // the reference solver sums the same terms without compensation: 200 roundings of 1e-16 at worst
        let none = audit(&bodies, &gravity, &forces, &all, 0.0).unwrap();
        assert!(none.max < 1e-14 && none.net < 1e-14 && none.sample == 200, "{none:?}");
        let rms = (all.iter().map(|i| length(acceleration(&bodies, &gravity, *i)).powi(2)).sum::<f64>() / 200.0).sqrt();
        forces.ay[17] += 1e-3 * rms;
        forces.az[42] -= 1e-6 * rms;
        let found = audit(&bodies, &gravity, &forces, &all, 0.0).unwrap();
        assert!((found.max - 1e-3).abs() < 1e-12 && found.p999 == found.max, "{found:?}");
        assert!((found.p99 - 1e-6).abs() < 1e-12 && found.median < 1e-14, "{found:?}");
        assert!(found.net > 1e-6, "{found:?}");
        let elsewhere = audit(&bodies, &gravity, &forces, &[1, 2, 3], 0.0).unwrap();
        assert!(elsewhere.max < 1e-14 && elsewhere.sample == 3);
        forces.ax[5] = f64::NAN;
        let error = audit(&bodies, &gravity, &forces, &all, 1.5).unwrap_err();
        assert!(matches!(error, Error::NotFinite { index: 5, time: 1.5, .. }), "{error}");
    }

    /// Each body's own softening, G, and two bodies at one place, as [`reference_at`](crate::solver::reference_at) has it.
    #[test]
    fn it_is_the_same_physics() {
        let (mut bodies, gravity) = (cluster(50), Gravity { g: 2.5, eps: 0.0 });
        bodies.eps = Some((0..50).map(|i| 0.01 * f64::from(i % 3)).collect());
        (bodies.x[3], bodies.y[3], bodies.z[3]) = (bodies.x[0], bodies.y[0], bodies.z[0]);
        for i in 0..50 {
            let (mine, theirs) =
                (acceleration(&bodies, &gravity, i), crate::solver::reference_at(&bodies, &gravity, i).acc);
            // 50 roundings, and cancellation: of the largest term, 1e4 here
            assert!((0..3).all(|k| (mine[k] - theirs[k]).abs() < 1e-11), "{mine:?} {theirs:?}");
        }
        assert_eq!(acceleration(&Bodies::zeros(1), &gravity, 0), [0.0; 3]);
    }
}
