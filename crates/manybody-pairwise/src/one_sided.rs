//! The one-sided kernel: every i-body sums over every j-body.
//!
//! ```text
//!            j, one at a time, in all lanes
//!          ------------------------------->
//!   I vec- | * * * * * * * * * * * * * * *      sums stay in registers for a block of bodies j, then go to others
//!   tors i | * * * * * * * * * * * * * * *      (the Chamomile scheme's J-bags [Hamada 2007, sect. 3])
//! ```
//!
//! The cost is one law evaluation a pair, N^2 in all. i and j may be different sets of any sizes.

use super::lanes::{self, I as SIDE_I, J as SIDE_J, unroll};
use super::packed::{Aligned, GROUP, Packed};
use crate::Result;
use crate::law::PairLaw;
use crate::simd::Interleaved4;
use crate::simd::{Element, Kernel, Level, Vector, launch};
use crate::watch::{self, Watch};
use manybody_ranks::Team;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;

/// The bodies j of a call of the kernel: all of them, or those that have come so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sources<'a, T> {
    /// Records of bodies j, `[body][field]`, of which the first is number `begin`.
    each: &'a [T],
    begin: usize,
    /// How many bodies j came up to the last call, and up to this one.
    came: [usize; 2],
    /// How many bodies j there are.
    all: usize,
    /// Records of which the first is number `own_begin`: those of the bodies i, where these are among the bodies j.
    own: &'a [T],
    own_begin: usize,
}

impl<'a, T: Element> Sources<'a, T> {
    /// All bodies at once.
    #[inline(always)]
    pub(super) fn all(j: &'a Packed<T>) -> Self {
        let (each, n) = (j.each(), j.len());
        Sources { each, begin: 0, came: [0, n], all: n, own: each, own_begin: 0 }
    }

    /// What of a chain of bodies is summed now: whole blocks, all that have come. A block that is not whole waits for the
    /// rest, so that sums are those of all bodies at once.
    #[inline(always)]
    fn due(&self, chain: Range<usize>, block: usize) -> Range<usize> {
        let until = |came: usize| match came {
            _ if came >= chain.end => chain.end,
            _ if came <= chain.start => chain.start,
            _ => chain.start + (came - chain.start) / block * block,
        };
        until(self.came[0])..until(self.came[1])
    }

    #[inline(always)]
    fn records(&self, bodies: Range<usize>, fields: usize) -> &'a [T] {
        if bodies.is_empty() {
            return &[];
        }
        &self.each[(bodies.start - self.begin) * fields..(bodies.end - self.begin) * fields]
    }
}

/// How many of n j-bodies are summed before the sum goes to the others. Rounding grows with the square root of the longest
/// chain, so there are about as many blocks as bodies per block; adding its sums costs as much as one body.
pub(super) fn j_block_size(n: usize) -> usize {
    ((n as f64).sqrt() as usize).next_power_of_two().clamp(64, 1024)
}

/// So few pairs are computed on the calling thread: others would have to be woken, which takes longer. A choice by sizes
/// alone, although it changes no bit.
pub(super) const PAIRS_OF_ONE_THREAD: usize = 256 * 256;

/// What all j-bodies do to all i-bodies under law L: `out[result][i]`, one vector a result.
///
/// With `first`, body k of i is body `first` + k of j and does not act on itself (unless the law says so); else the bodies
/// of i and j are different ones. The result is the same for any number of threads.
pub fn one_sided<L: PairLaw, T: Element>(
    level: Level,
    i: &Packed<T>,
    j: &Packed<T>,
    first: Option<usize>,
    par: &[T],
    out: &mut [Vec<T>],
) {
    // a watch of its own asks for no end
    let _ = one_sided_with::<L, T>(level, [i, j], first, par, out, (&Watch::default(), None));
}

/// [`one_sided`] of i and j under a watch. Of ranks that share it, each computes groups of bodies i, and rank 0 gets the
/// results.
pub(super) fn one_sided_with<L: PairLaw, T: Element>(
    level: Level,
    [i, j]: [&Packed<T>; 2],
    first: Option<usize>,
    par: &[T],
    out: &mut [Vec<T>],
    (watch, team): (&Watch, Option<&Team>),
) -> Result<()> {
    let (n, lanes) = (i.len(), i.lanes());
    out.iter_mut().for_each(|column| column.resize(n, T::default()));
    if n == 0 {
        return Ok(());
    }
    let results = out.len();
    let group = GROUP * lanes;
    // those of this rank
    let all = n.div_ceil(group);
    let own = team.map_or(0..all, |team| team.part(all));
    let mut sums = Aligned::default();
    sums.reset(own.len() * group * results, T::default());
    let work = |(g, sums): (usize, &mut [T])| {
        let begin = (own.start + g) * group;
        launch(level, Group::<L, T> { i, sources: Sources::all(j), first, par, begin, sums, law: PhantomData })
    };
    let groups = sums.as_mut_slice();
    let factors = if n * j.len() <= PAIRS_OF_ONE_THREAD {
        groups.chunks_mut(group * results).enumerate().map(work).last().unwrap_or_default()
    } else {
        let look = watch.begin(n as u64 * j.len() as u64, own.len() as u64);
        let ended = || team.is_some_and(Team::has_ended);
        let work = |group| match &look {
            Some(look) if look.ends() => Vec::new(),
            _ if ended() => Vec::new(),
            Some(look) => {
                let factors = work(group);
                look.count();
                factors
            }
            None => work(group),
        };
        let groups = groups.par_chunks_mut(group * results).enumerate();
        let factors = groups.map(work).reduce(Vec::new, |a, b| if a.is_empty() { b } else { a });
        watch::outcome(look.as_ref())?;
        factors
    };
    unpack(sums.as_slice(), own.start * GROUP, lanes, &factors, out);
    team.map_or(Ok(()), |team| {
        gather(team, out, |rank| {
            let part = team.part_of(rank, all);
            (part.start * group).min(n)..(part.end * group).min(n)
        })
    })
}

/// Writes sums, `[vector][result][lane]` from a vector of bodies i on, as columns of results.
fn unpack<T: Element>(sums: &[T], first_block: usize, lanes: usize, factors: &[f64], out: &mut [Vec<T>]) {
    let results = out.len();
    for (k, column) in out.iter_mut().enumerate() {
        // a rank without a group has no factors, and no sums
        let factor = T::from_f64(factors.get(k).copied().unwrap_or_default());
        for (b, block) in sums.chunks_exact(results * lanes).enumerate() {
            let begin = ((first_block + b) * lanes).min(column.len());
            let end = (begin + lanes).min(column.len());
            let to = &mut column[begin..end];
            to.iter_mut().zip(&block[k * lanes..]).for_each(|(to, from)| *to = *from * factor);
        }
    }
}

/// Sums of bodies i, over bodies j that come line by line: those of [`one_sided`] of the same bodies, bit for bit.
///
/// The bodies i are number `first` and following of the bodies j, where a group of vectors begins.
pub(super) struct Sums<'a, L, T> {
    level: Level,
    i: &'a Packed<T>,
    first: usize,
    par: &'a [T],
    all: usize,
    came: usize,
    /// Records of the bodies of a block that is not whole, and of those that come.
    window: Vec<T>,
    sums: Aligned<T>,
    factors: Vec<f64>,
    law: PhantomData<L>,
}

impl<'a, L: PairLaw, T: Element> Sums<'a, L, T> {
    /// Of bodies i, which are number `first` and following of `all` bodies j.
    pub(super) fn new(level: Level, i: &'a Packed<T>, first: usize, all: usize, par: &'a [T]) -> Self {
        let mut sums = Aligned::default();
        let results = lanes::width_of::<L::Out<f64>>();
        sums.reset(i.len().div_ceil(GROUP * i.lanes()) * GROUP * i.lanes() * results, T::default());
        let (window, factors) = (Vec::new(), Vec::new());
        Sums { level, i, first, par, all, came: 0, window, sums, factors, law: PhantomData }
    }

    /// Adds what the next bodies j do, `[body][field]`.
    pub(super) fn add(&mut self, line: &[T]) {
        let (fields, lanes) = (self.i.fields(), self.i.lanes());
        // the last block of each chain may wait for its rest
        let kept = self.window.len().min((j_block_size(self.all) - 1) * fields);
        self.window.drain(..self.window.len() - kept);
        let begin = self.came - kept / fields;
        self.window.extend_from_slice(line);
        let came = [self.came, self.came + line.len() / fields];
        self.came = came[1];
        let Sums { level, i, first, par, all, window, sums, .. } = self;
        let sources = Sources { each: &window[..], begin, came, all: *all, own: i.each(), own_begin: *first };
        let (i, first, par, group) = (*i, Some(*first), *par, GROUP * lanes);
        let work = |(g, sums): (usize, &mut [T])| {
            launch(*level, Group::<L, T> { i, sources, first, par, begin: g * group, sums, law: PhantomData })
        };
        let groups = sums.as_mut_slice().par_chunks_mut(group * lanes::width_of::<L::Out<f64>>());
        let factors = groups.enumerate().map(work).reduce(Vec::new, |a, b| if a.is_empty() { b } else { a });
        self.factors = factors;
    }

    /// The results, when all bodies j have come: `out[result][i]`.
    pub(super) fn finish(self, out: &mut [Vec<T>]) {
        out.iter_mut().for_each(|column| column.resize(self.i.len(), T::default()));
        unpack(self.sums.as_slice(), 0, self.i.lanes(), &self.factors, out);
    }
}

/// Brings the results of all ranks to rank 0; each has a range of the bodies.
pub(super) fn gather<T: Element>(
    team: &Team,
    out: &mut [Vec<T>],
    range_of: impl Fn(usize) -> Range<usize>,
) -> Result<()> {
    let mut wide: Vec<Vec<f64>> = out.iter().map(|column| column.iter().map(|x| x.to_f64()).collect()).collect();
    let mut columns: Vec<&mut [f64]> = wide.iter_mut().map(Vec::as_mut_slice).collect();
    team.gather_ranges(&mut columns, range_of)?;
    for (to, from) in out.iter_mut().zip(&wide) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = T::from_f64(*from));
    }
    Ok(())
}

/// A group of i-bodies against j-bodies. Returns the factors of the results.
struct Group<'a, L, T> {
    i: &'a Packed<T>,
    sources: Sources<'a, T>,
    /// Where the bodies i are among the bodies j.
    first: Option<usize>,
    par: &'a [T],
    /// The group's first body i.
    begin: usize,
    sums: &'a mut [T],
    law: PhantomData<L>,
}

impl<L: PairLaw, T: Element> Kernel<T> for Group<'_, L, T> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> Vec<f64> {
        let fields = self.i.fields();
        let factors = lanes::factors::<L, V>(token, &self.i.each()[..fields], self.par);
        let (block, out_block) = (fields * V::LEN, factors.len() * V::LEN);
        let from = self.begin / V::LEN * block;
        let blocks = &self.i.blocks()[from..];
        const { assert!(GROUP.is_multiple_of(I) && GROUP == Interleaved4::<V>::PARTS / V::PARTS) }
        if L::TRANSCENDENTAL && V::LEN > 1 {
            let own = own_bodies(self.first, self.begin, Interleaved4::<V>::LEN, self.sources.all);
            some::<L, Interleaved4<V>, 1>(token, blocks, self.sources, own, 0, self.par, self.sums);
            return factors.into_iter().map(|(_, factor)| factor).collect();
        }
        for done in (0..GROUP).step_by(I) {
            let (ib, ob) = (&blocks[done * block..], &mut self.sums[done * out_block..]);
            let own = own_bodies(self.first, self.begin + done * V::LEN, I * V::LEN, self.sources.all);
            some::<L, V, I>(token, ib, self.sources, own, 0, self.par, ob);
        }
        factors.into_iter().map(|(_, factor)| factor).collect()
    }
}

/// Where `count` i-bodies from number `begin` on are among the n j-bodies, if `first` says that they are; else nowhere.
#[inline(always)]
pub(super) fn own_bodies(first: Option<usize>, begin: usize, count: usize, n: usize) -> Range<usize> {
    let Some(first) = first else { return 0..0 };
    (first + begin).min(n)..(first + begin + count).min(n)
}

/// B vectors of i-bodies against j-bodies, after all others those of `own`: the j-bodies that these vectors and perhaps
/// others with them are. The first vector begins with number `at` of them. `sums` are continued where bodies j came
/// before.
#[inline(always)]
pub(super) fn some<L: PairLaw, V: Vector, const B: usize>(
    token: V::Token,
    blocks: &[V::T],
    sources: Sources<'_, V::T>,
    own: Range<usize>,
    at: usize,
    par: &[V::T],
    sums: &mut [V::T],
) {
    let zero = V::splat(token, V::T::default());
    let par = lanes::parameters::<L, V>(token, par);
    let fields = lanes::width_of::<L::Body<f64>>();
    let results = lanes::width_of::<L::Out<f64>>();
    let mut i = [lanes::load::<L, V>(token, blocks, SIDE_I); B];
    unroll::<B>(
        #[inline(always)]
        |k| i[k] = lanes::load::<L, V>(token, &blocks[k * fields * V::LEN..], SIDE_I),
    );
    let mut total = [lanes::zeroed::<L, V>(zero); B];
    if sources.came[0] > 0 {
        unroll::<B>(
            #[inline(always)]
            |k| total[k] = lanes::load_sums::<L, V>(token, &sums[k * results * V::LEN..]),
        );
    }
    let j_block = j_block_size(sources.all);
    let chains = [0..own.start, own.end..sources.all].map(|chain| sources.due(chain, j_block));
    let [before, after] = chains.map(|due| sources.records(due, fields));
    for j_block in before.chunks(j_block * fields).chain(after.chunks(j_block * fields)) {
        let mut sum = [lanes::zeroed::<L, V>(zero); B];
        for body in j_block.chunks_exact(fields) {
            let j = lanes::splat::<L, V>(token, body, SIDE_J);
            unroll::<B>(
                #[inline(always)]
                |k| {
                    L::pair(&i[k], &j, &par, &mut sum[k]);
                    sum[k] = lanes::continued::<L, V>(&sum[k]);
                },
            );
        }
        unroll::<B>(
            #[inline(always)]
            |k| lanes::merge::<L, V>(&mut total[k], &sum[k]),
        );
    }
    unroll::<B>(
        #[inline(always)]
        |k| lanes::store::<L, V>(&total[k], &mut sums[k * results * V::LEN..]),
    );
    if own.is_empty() || sources.came[1] < sources.all {
        return;
    }
    let own = &sources.own[(own.start - sources.own_begin) * fields..(own.end - sources.own_begin) * fields];
    // not unrolled, and from memory: the law is compiled once for the diagonal, which is rare, and what the loop above uses
    // stays in registers
    for k in 0..B {
        let i = lanes::load::<L, V>(token, &blocks[k * fields * V::LEN..], SIDE_I);
        let sums = &mut sums[k * results * V::LEN..];
        let mut out = lanes::load_sums::<L, V>(token, sums);
        lanes::own_block::<L, V>(token, &i, own, &par, at + k * V::LEN, &mut out);
        lanes::store::<L, V>(&out, sums);
    }
}
