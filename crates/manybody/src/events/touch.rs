//! Which bodies have touched within their last steps.
//!
//! Two bodies with radii R1, R2 have touched where the least distance of their paths, straight lines back from where
//! they are now, is at most R1 + R2. A body that has made a step of length h is looked at against all others over the
//! time h, or over the step of the other one where that has ended, too, and is shorter: it may have turned before. Steps of a
//! body follow each other, so that of two bodies no time is left out. Near a pericentre q, where steps are short, the least
//! distance of the straight line is q (1 + a^2 / 8) for an angle a since then.

use super::near::Grid;
use crate::simd::{Kernel, Lanes, Level, launch};
use crate::vector::{dot, less};
use crate::{Bodies, Result};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Fewer pairs than this are not worth waking other threads for.
const SHARED: usize = 1 << 17;

/// Bodies looked at at once, and those of a block.
const LANES: usize = 8;
const BLOCK: usize = 4 * LANES;

/// Bodies that others are compared with at once.
const PLACES: usize = 4;

/// Up to so many pairs of a body that has moved and any other one, all are looked at; a grid has to be built.
const SCANNED: usize = 1 << 22;

/// A body, and how long its last step was.
pub(crate) type Swept = (usize, f64);

/// Two bodies that have touched, and how long ago they were closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    pub(crate) pair: [usize; 2],
    pub(crate) ago: f64,
}

/// Of touches in order, those of bodies that are in no earlier one.
pub(crate) fn first_of_each(found: Vec<Touch>) -> Vec<Touch> {
    let mut known: BTreeSet<usize> = BTreeSet::new();
    let is_first = |touch: &Touch| {
        let is_first = touch.pair.iter().all(|k| !known.contains(k));
        known.extend(touch.pair.iter().filter(|_| is_first));
        is_first
    };
    found.into_iter().filter(is_first).collect()
}

/// The pairs of a swept body and any other one that have touched, the earliest first, each once. Bodies for which
/// `is_there` is false, and pairs without mass, do not touch.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an unusable MANYBODY_SIMD.
pub(crate) fn touches(
    bodies: &Bodies,
    radius: &[f64],
    swept: &[Swept],
    is_there: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<Touch>> {
    touches_by(swept.len().saturating_mul(bodies.len()) > SCANNED, bodies, radius, swept, is_there)
}

/// By a grid, however few bodies there are.
#[cfg(test)]
pub(super) fn by_grid(
    bodies: &Bodies,
    radius: &[f64],
    swept: &[Swept],
    is_there: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<Touch>> {
    touches_by(true, bodies, radius, swept, is_there)
}

fn touches_by(
    by_grid: bool,
    bodies: &Bodies,
    radius: &[f64],
    swept: &[Swept],
    is_there: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<Touch>> {
    let n = bodies.len();
    // the same touches at every level
    let level = Level::from_env()?;
    let [fastest, largest] = launch(level, Most { velocities: [&bodies.vx, &bodies.vy, &bodies.vz], radius });
    // how far a body that touches this one can be
    let reach = |(i, step): Swept| {
        let speed = dot(bodies.velocity(i), bodies.velocity(i)).sqrt();
        // rounding must not leave out a pair at the limit
        (radius[i] + largest + step * (speed + fastest)) * (1.0 + 1e-12)
    };
    let mut last = vec![f64::INFINITY; n];
    swept.iter().for_each(|(k, step)| last[*k] = *step);
    let test = |(i, step): Swept, j: usize, found: &mut Vec<Touch>| {
        let step = step.min(last[j]);
        let counts = j != i && (bodies.mass[i] != 0.0 || bodies.mass[j] != 0.0) && is_there(j);
        if let Some(ago) = counts.then(|| closest(bodies, radius, [i, j], step)).flatten() {
            found.push(Touch { pair: [i.min(j), i.max(j)], ago });
        }
    };
    let there: Vec<Swept> = swept.iter().copied().filter(|(i, _)| is_there(*i)).collect();
    let mut found: Vec<Touch> = if !by_grid {
        let columns = [&bodies.x[..], &bodies.y[..], &bodies.z[..]];
        let scanned = |some: &[Swept]| {
            let mut found = Vec::new();
            // of fewer places the last is looked at without result
            let of = |k: usize| some[k.min(some.len() - 1)];
            let places = std::array::from_fn(|k| bodies.position(of(k).0));
            let reach2 = std::array::from_fn(|k| if k < some.len() { reach(of(k)).powi(2) } else { -1.0 });
            for (k, block) in launch(level, Scan { columns, places, reach2 }) {
                (block * BLOCK..n.min((block + 1) * BLOCK)).for_each(|j| test(some[k], j, &mut found));
            }
            found
        };
        match there.len().saturating_mul(n) < SHARED {
            true => there.chunks(PLACES).flat_map(scanned).collect(),
            false => there.par_chunks(PLACES).flat_map_iter(scanned).collect(),
        }
    } else {
        let most = there.iter().map(|one| reach(*one)).fold(0.0, f64::max);
        let grid = Grid::of(bodies, radius, most);
        let near = |one: &Swept| {
            let mut found = Vec::new();
            grid.near(*one, &mut |j| test(*one, j, &mut found));
            found
        };
        there.par_iter().flat_map_iter(near).collect()
    };
    found.sort_by(|a, b| a.pair.cmp(&b.pair).then(b.ago.total_cmp(&a.ago)));
    found.dedup_by(|a, b| a.pair == b.pair);
    found.sort_by(|a, b| b.ago.total_cmp(&a.ago).then(a.pair.cmp(&b.pair)));
    Ok(found)
}

/// The largest speed and the largest radius.
struct Most<'a> {
    velocities: [&'a [f64]; 3],
    radius: &'a [f64],
}

impl Kernel<f64> for Most<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _: V::Token) -> [f64; 2] {
        let Most { velocities: [vx, vy, vz], radius } = self;
        let (mut fastest, mut largest) = ([0.0; BLOCK], [0.0; BLOCK]);
        let velocities = vx.chunks(BLOCK).zip(vy.chunks(BLOCK)).zip(vz.chunks(BLOCK));
        for (((vx, vy), vz), radius) in velocities.zip(radius.chunks(BLOCK)) {
            let most = fastest.iter_mut().zip(largest.iter_mut());
            for ((((fastest, largest), vx), (vy, vz)), radius) in most.zip(vx).zip(vy.iter().zip(vz)).zip(radius) {
                let v2 = vx * vx + vy * vy + vz * vz;
                *fastest = if v2 > *fastest { v2 } else { *fastest };
                *largest = if *radius > *largest { *radius } else { *largest };
            }
        }
        let most = |of: [f64; BLOCK]| of.into_iter().fold(0.0, f64::max);
        [most(fastest).sqrt(), most(largest)]
    }
}

/// All bodies within a distance of some places, and perhaps others: for each place whole blocks of which one is. Which
/// blocks these are does not depend on the vector instructions: there are comparisons only.
struct Scan<'a> {
    columns: [&'a [f64]; 3],
    places: [[f64; 3]; PLACES],
    reach2: [f64; PLACES],
}

impl Kernel<f64> for Scan<'_> {
    /// A place, and a block.
    type Output = Vec<(usize, usize)>;

    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _: V::Token) -> Self::Output {
        let Scan { columns, places, reach2 } = self;
        let mut found = Vec::new();
        // arrays of a length that the compiler knows become vectors
        let [(x, rest), (y, _), (z, _)] = columns.map(<[f64]>::as_chunks::<LANES>);
        let blocks = x.chunks(BLOCK / LANES).zip(y.chunks(BLOCK / LANES)).zip(z.chunks(BLOCK / LANES));
        for (block, ((x, y), z)) in blocks.enumerate() {
            let mut least = [[f64::INFINITY; LANES]; PLACES];
            for ((x, y), z) in x.iter().zip(y).zip(z) {
                for k in 0..PLACES {
                    for l in 0..LANES {
                        let (dx, dy, dz) = (x[l] - places[k][0], y[l] - places[k][1], z[l] - places[k][2]);
                        let d2 = dx * dx + dy * dy + dz * dz;
                        least[k][l] = if d2 < least[k][l] { d2 } else { least[k][l] };
                    }
                }
            }
            for k in 0..PLACES {
                let is_near = |near: bool, least: &f64| near | (*least <= reach2[k]);
                if least[k].iter().fold(false, is_near) {
                    found.push((k, block));
                }
            }
        }
        if !rest.is_empty() {
            // in the last block, or one of their own
            let block = columns[0].len() / BLOCK;
            let last = found.len().saturating_sub(PLACES);
            let is_known: Vec<usize> = found[last..].iter().filter(|of| of.1 == block).map(|of| of.0).collect();
            let all = (0..PLACES).filter(|k| reach2[*k] >= 0.0 && !is_known.contains(k));
            found.extend(all.map(|k| (k, block)));
        }
        found
    }
}

/// How long ago two bodies were closest within the last `step`, if they have touched then.
fn closest(bodies: &Bodies, radius: &[f64], [i, j]: [usize; 2], step: f64) -> Option<f64> {
    let sum = radius[i] + radius[j];
    if sum == 0.0 {
        return None;
    }
    let (d, w) = (less(bodies.position(j), bodies.position(i)), less(bodies.velocity(j), bodies.velocity(i)));
    passage(d, w, sum, step)
}

/// How long ago a body at a relative place and velocity was closest within the last `step`, if it was as close as `sum` then.
pub(crate) fn passage(d: [f64; 3], w: [f64; 3], sum: f64, step: f64) -> Option<f64> {
    let ago = dot(d, w) / dot(w, w);
    let ago = if ago.is_finite() { ago.clamp(0.0, step) } else { 0.0 };
    let least: [f64; 3] = std::array::from_fn(|q| d[q] - ago * w[q]);
    (dot(least, least) <= sum * sum).then_some(ago)
}
