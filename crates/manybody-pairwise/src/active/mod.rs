//! Gravity on the active bodies of a block step: accelerations, jerks and, if requested, snaps of a few bodies by all.
//!
//! ```text
//!            j, a vector at a time
//!          ------------------------------->
//!   i, in  | ======== ======== ========       the lanes of a sum are added up at the end of a chunk of j
//!   all    | ======== ======== ========
//!   lanes  |
//! ```
//!
//! Blocks are small (a tenth of the bodies and fewer), so that the lanes hold bodies j: no lane is idle however few bodies
//! are active. The columns of the bodies are read where they are. Sums are made for chunks of j of a size that depends on the
//! number of bodies alone and then added in the order of the chunks: the same bits for any number of threads.

mod mixed;

use crate::forces::Derivatives;
use crate::lanes::{self, I as SIDE_I, J as SIDE_J, unroll};
use crate::law::{self, Canonical, PairLaw, SoftGravityJerk, SoftGravitySnap, SoftSplineGravityJerk, each};
use crate::one_sided::PAIRS_OF_ONE_THREAD;
use crate::packed::Aligned;
use crate::simd::{Element, Kernel, Lanes, Level, Vector, launch};
use crate::watch::{self, Watch};
use crate::{Bodies, Gravity, Result, Softening};
use manybody_ranks::Team;
use rayon::prelude::*;
use std::marker::PhantomData;

/// Active bodies of a task.
const ROWS: usize = 8;
/// Active bodies whose partial sums are in memory at once.
const SLAB: usize = 1 << 12;
/// A chunk has at least so many bodies j, and there are at most so many chunks.
const MIN_CHUNK: usize = 1 << 10;
const MAX_CHUNKS: usize = 1 << 6;

/// So many vectors of terms are added in f32, then the sum is added up in f64.
const RUN: usize = 16;

/// Computes the forces on active bodies, with terms in T; holds memory from call to call.
#[derive(Debug)]
pub(crate) struct Active<T> {
    level: Level,
    /// The bodies that act, in whole vectors: `[vector][number][lane]`.
    sources: Aligned<T>,
    /// How many lanes of all vectors there are.
    count: usize,
    /// One number of each.
    column: Vec<f64>,
    /// `[target][number]`
    targets: Vec<T>,
    /// `[chunk][target][result]`
    sums: Vec<f64>,
    /// Of mixed precision: the bodies that act, and one number of each.
    columns: mixed::Columns,
    rounded: Vec<f32>,
}

impl<T: Element> Active<T> {
    pub(crate) fn new(level: Level) -> Self {
        Active {
            level,
            sources: Aligned::default(),
            count: 0,
            column: Vec::new(),
            targets: Vec::new(),
            sums: Vec::new(),
            columns: mixed::Columns::default(),
            rounded: Vec::new(),
        }
    }

    /// Room for n bodies that act, of so many numbers each, in whole vectors; how many lanes these have.
    fn make_room(&mut self, n: usize, fields: usize) -> usize {
        let lanes = self.level.lanes::<T>();
        self.count = n.next_multiple_of(lanes);
        if self.sources.as_slice().len() != self.count * fields {
            self.sources.reset(self.count * fields, T::default());
        }
        lanes
    }

    fn chunk_size(&self) -> usize {
        self.count.div_ceil(MAX_CHUNKS).next_power_of_two().max(MIN_CHUNK)
    }

    fn chunks(&self) -> usize {
        self.count.div_ceil(self.chunk_size())
    }

    /// Derivatives of the `active` bodies, of which `targets` writes the numbers of some, and `units` has the units of
    /// accelerations, jerks and snaps.
    fn sum<L: PairLaw, const K: usize>(
        &mut self,
        active: &[usize],
        units: [f64; 3],
        (watch, team): (&Watch, Option<&Team>),
        out: &mut Derivatives,
        mut targets: impl FnMut(&mut Self, &[usize]),
    ) -> Result<()> {
        // a rank computes groups of targets, each with all chunks
        let groups = active.len().div_ceil(ROWS);
        let range_of = |team: &Team, rank: usize| {
            let part = team.part_of(rank, groups);
            (part.start * ROWS).min(active.len())..(part.end * ROWS).min(active.len())
        };
        let own = team.map_or(0..active.len(), |team| range_of(team, team.rank()));
        for (k, slab) in active[own.clone()].chunks(SLAB).enumerate() {
            let begin = own.start + k * SLAB;
            self.targets.clear();
            targets(self, slab);
            self.slab::<L, K>(slab.len(), (watch, team))?;
            let (chunks, stride) = (self.chunks(), padded(slab.len()) * K);
            for (result, column) in out.columns().into_iter().enumerate() {
                let unit = units[result / 3];
                for (i, to) in column[begin..begin + slab.len()].iter_mut().enumerate() {
                    let of = |chunk: usize| self.sums[chunk * stride + i * K + result];
                    *to = (1..chunks).fold(of(0), |sum, chunk| sum + of(chunk)) * unit;
                }
            }
        }
        let Some(team) = team else { return Ok(()) };
        let mut columns: Vec<&mut [f64]> = out.columns().into_iter().map(Vec::as_mut_slice).collect();
        team.gather_ranges(&mut columns, |rank| range_of(team, rank))
    }

    fn slab<L: PairLaw, const K: usize>(
        &mut self,
        active: usize,
        (watch, team): (&Watch, Option<&Team>),
    ) -> Result<()> {
        let rows = padded(active);
        let (chunk, chunks, count) = (self.chunk_size(), self.chunks(), self.count);
        self.sums.clear();
        self.sums.resize(chunks.max(1) * rows * K, 0.0);
        let (level, sources, targets) = (self.level, self.sources.as_slice(), &self.targets);
        let (fields, groups) = (lanes::width_of::<L::Body<f64>>(), rows / ROWS);
        let work = |(task, sums): (usize, &mut [f64])| {
            let (of_chunk, group) = (task / groups, task % groups);
            let sources = &sources[of_chunk * chunk * fields..((of_chunk + 1) * chunk).min(count) * fields];
            let targets = &targets[group * ROWS * fields..(group + 1) * ROWS * fields];
            let count = (active - group * ROWS).min(ROWS);
            launch(level, Group::<T, L, K> { sources, targets, count, sums, law: PhantomData });
        };
        let tasks = chunks * groups;
        let pairs = active * count;
        if pairs <= PAIRS_OF_ONE_THREAD {
            self.sums.chunks_mut(ROWS * K).take(tasks).enumerate().for_each(work);
            return Ok(());
        }
        let look = watch.begin(pairs as u64, tasks as u64);
        self.sums.par_chunks_mut(ROWS * K).take(tasks).enumerate().for_each(|task| match &look {
            Some(look) if look.ends() => {}
            _ if team.is_some_and(Team::has_ended) => {}
            Some(look) => {
                work(task);
                look.count();
            }
            None => work(task),
        });
        watch::outcome(look.as_ref())
    }
}

impl Active<f64> {
    /// Accelerations and jerks of the `active` bodies, and snaps where the `accelerations` of all bodies are given.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unusable eps or G, [`Error::Interrupted`] where the watch asks for an end.
    pub(crate) fn derivatives(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        (watch, team): (&Watch, Option<&Team>),
        out: &mut Derivatives,
    ) -> Result<()> {
        gravity.check()?;
        if accelerations.is_some() {
            gravity.plummer_only("snaps")?;
        }
        let least = gravity.least_eps2(bodies);
        self.gather(bodies, accelerations, gravity, least);
        out.resize(active.len(), accelerations.is_some());
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        let targets = |this: &mut Self, active: &[usize]| {
            for k in filled(active) {
                this.targets.extend([x, y, z, vx, vy, vz].map(|column| column[k]));
                this.targets.extend(accelerations.into_iter().flatten().map(|column| column[k]));
                // a target's mass is not read
                this.targets.extend([0.0, gravity.half_eps2(bodies, k, least)]);
            }
        };
        match accelerations {
            None if gravity.softening == Softening::Spline => {
                self.sum::<SoftSplineGravityJerk, 6>(active, [1.0; 3], (watch, team), out, targets)
            }
            None => self.sum::<SoftGravityJerk, 6>(active, [1.0; 3], (watch, team), out, targets),
            Some(_) => self.sum::<SoftGravitySnap, 9>(active, [1.0; 3], (watch, team), out, targets),
        }
    }

    /// Copies what acts: bodies with mass, filled up to whole vectors by copies of the last one without mass.
    fn gather(&mut self, bodies: &Bodies, accelerations: Option<[&[f64]; 3]>, gravity: &Gravity, least: f64) {
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
        let massive: Option<Vec<usize>> =
            mass.contains(&0.0).then(|| (0..mass.len()).filter(|k| mass[*k] != 0.0).collect());
        let n = massive.as_ref().map_or(mass.len(), Vec::len);
        let fields = fields(accelerations);
        let lanes = self.make_room(n, fields);
        let Active { sources, column, count, .. } = self;
        let sources = sources.as_mut_slice();
        let columns = [x, y, z, vx, vy, vz].map(Vec::as_slice).into_iter().chain(accelerations.into_iter().flatten());
        for (field, from) in columns.enumerate() {
            let last = match &massive {
                None => interleave(sources, [field, fields, lanes], from),
                Some(massive) => {
                    column.clear();
                    column.extend(massive.iter().map(|k| from[*k]));
                    interleave(sources, [field, fields, lanes], column)
                }
            };
            fill_up(last, n, lanes);
        }
        column.clear();
        match &massive {
            None => column.extend(mass.iter().map(|mass| mass * gravity.g)),
            Some(massive) => column.extend(massive.iter().map(|k| mass[*k] * gravity.g)),
        }
        // those that fill up have no mass
        column.resize(*count, 0.0);
        interleave(sources, [fields - 2, fields, lanes], column);
        column.clear();
        match (&bodies.eps, &massive) {
            (None, _) => column.resize(n, gravity.half_eps2(bodies, 0, least)),
            (Some(_), None) => column.extend((0..n).map(|k| gravity.half_eps2(bodies, k, least))),
            (Some(_), Some(massive)) => column.extend(massive.iter().map(|k| gravity.half_eps2(bodies, *k, least))),
        }
        fill_up(interleave(sources, [fields - 1, fields, lanes], column), n, lanes);
    }
}

/// Rows of sums: whole groups of targets.
fn padded(active: usize) -> usize {
    active.next_multiple_of(ROWS)
}

/// The active bodies, and the last one again until groups are whole.
fn filled(active: &[usize]) -> impl Iterator<Item = usize> {
    let last = active.last().copied();
    active.iter().copied().chain(last.into_iter().cycle()).take(padded(active.len()))
}

/// A group of targets against a chunk of sources.
struct Group<'a, T, L, const K: usize> {
    sources: &'a [T],
    targets: &'a [T],
    /// How many of them are no fillers.
    count: usize,
    sums: &'a mut [f64],
    law: PhantomData<L>,
}

impl<T: Element, L: PairLaw, const K: usize> Kernel<T> for Group<'_, T, L, K> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let fields = lanes::width_of::<L::Body<f64>>();
        let mut factors = [1.0; 16];
        let mut k = 0;
        lanes::each_factor::<L, V>(
            token,
            &self.targets[..fields],
            &[T::from_f64(1.0)],
            #[inline(always)]
            |_, factor| {
                factors[k] = factor;
                k += 1;
            },
        );
        // nine sums of two bodies, and what they are made of, are more than 32 registers hold
        if K > 6 {
            self.rows::<V, 1>(token, &factors);
        } else {
            self.rows::<V, J>(token, &factors);
        }
    }
}

impl<T: Element, L: PairLaw, const K: usize> Group<'_, T, L, K> {
    #[inline(always)]
    fn rows<V: Lanes<T = T>, const J: usize>(self, token: V::Token, factors: &[f64]) {
        const { assert!(ROWS.is_multiple_of(J)) }
        let fields = lanes::width_of::<L::Body<f64>>();
        let rows = self.targets.chunks_exact(J * fields).zip(self.sums.chunks_exact_mut(J * K));
        for (targets, sums) in rows.take(self.count.div_ceil(J)) {
            some::<L, V, J, K>(token, targets, self.sources, sums, factors);
        }
    }
}

/// J targets under the sources of a chunk.
#[inline(always)]
fn some<L: PairLaw, V: Vector, const J: usize, const K: usize>(
    token: V::Token,
    targets: &[V::T],
    sources: &[V::T],
    sums: &mut [f64],
    factors: &[f64],
) {
    let fields = lanes::width_of::<L::Body<f64>>();
    let zero = V::splat(token, V::T::default());
    let par = lanes::parameters::<L, V>(token, &[V::T::from_f64(1.0)]);
    let mut i = [lanes::splat::<L, V>(token, targets, SIDE_I); J];
    unroll::<J>(
        #[inline(always)]
        |k| i[k] = lanes::splat::<L, V>(token, &targets[k * fields..], SIDE_I),
    );
    let block = fields * V::LEN;
    let run = if V::T::DOUBLE { sources.len().max(block) } else { RUN * block };
    for part in sources.chunks(run) {
        let mut out = [lanes::zeroed::<L, V>(zero); J];
        for block in part.chunks_exact(block) {
            let j = lanes::load::<L, V>(token, block, SIDE_J);
            unroll::<J>(
                #[inline(always)]
                |k| {
                    L::pair(&i[k], &j, &par, &mut out[k]);
                    out[k] = lanes::continued::<L, V>(&out[k]);
                },
            );
        }
        for (out, sums) in out.iter().zip(sums.chunks_exact_mut(K)) {
            let (mut k, mut walked) = (0, *out);
            // what is beyond K, the potential, is not computed
            each(
                &mut walked,
                out,
                #[inline(always)]
                |cell: law::Cell, _, from: Canonical<V>| {
                    if k < K {
                        sums[k] += from.raw().reduce(cell).to_f64() * factors[k];
                    }
                    k += 1;
                },
            );
        }
    }
}

/// Numbers of a source.
fn fields(accelerations: Option<[&[f64]; 3]>) -> usize {
    8 + 3 * usize::from(accelerations.is_some())
}

/// Writes one number of each source to its place; returns the lanes of the last vector.
#[inline(always)]
fn interleave<'a, T: Element>(sources: &'a mut [T], [field, fields, lanes]: [usize; 3], from: &[T]) -> &'a mut [T] {
    match lanes {
        16 => of_lanes::<16, T>(sources, field, fields, from),
        8 => of_lanes::<8, T>(sources, field, fields, from),
        4 => of_lanes::<4, T>(sources, field, fields, from),
        2 => of_lanes::<2, T>(sources, field, fields, from),
        _ => of_lanes::<1, T>(sources, field, fields, from),
    }
    let block = fields * lanes;
    let last = (sources.len() / block.max(1)).saturating_sub(1) * block + field * lanes;
    sources.get_mut(last..last + lanes).unwrap_or_default()
}

#[inline(always)]
fn of_lanes<const L: usize, T: Element>(sources: &mut [T], field: usize, fields: usize, from: &[T]) {
    let (whole, rest) = from.as_chunks::<L>();
    let mut places = sources.as_chunks_mut::<L>().0.iter_mut().skip(field).step_by(fields);
    // the numbers first: a zip that ends takes one more of its first part
    for (from, to) in whole.iter().zip(places.by_ref()) {
        *to = *from;
    }
    if let (Some(to), false) = (places.next(), rest.is_empty()) {
        to[..rest.len()].copy_from_slice(rest);
    }
}

/// The lanes of the last vector beyond the last of n sources get its number.
#[inline(always)]
fn fill_up<T: Copy>(last: &mut [T], n: usize, lanes: usize) {
    let used = n % lanes;
    if used > 0 {
        let value = last[used - 1];
        last[used..].fill(value);
    }
}
