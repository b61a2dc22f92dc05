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
        launch(level, Group::<L, T> { i, j, first, par, begin: (own.start + g) * group, sums, law: PhantomData })
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
    let first_block = own.start * GROUP;
    for (k, column) in out.iter_mut().enumerate() {
        // a rank without a group has no factors, and no sums
        let factor = T::from_f64(factors.get(k).copied().unwrap_or_default());
        for (b, block) in sums.as_slice().chunks_exact(results * lanes).enumerate() {
            let begin = ((first_block + b) * lanes).min(n);
            let to = &mut column[begin..(begin + lanes).min(n)];
            to.iter_mut().zip(&block[k * lanes..]).for_each(|(to, from)| *to = *from * factor);
        }
    }
    team.map_or(Ok(()), |team| {
        gather(team, out, |rank| {
            let part = team.part_of(rank, all);
            (part.start * group).min(n)..(part.end * group).min(n)
        })
    })
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

/// A group of i-bodies against all j-bodies. Returns the factors of the results.
struct Group<'a, L, T> {
    i: &'a Packed<T>,
    j: &'a Packed<T>,
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
            let own = own_bodies(self.first, self.begin, Interleaved4::<V>::LEN, self.j.len());
            some::<L, Interleaved4<V>, 1>(token, blocks, self.j, own, 0, self.par, self.sums);
            return factors.into_iter().map(|(_, factor)| factor).collect();
        }
        for done in (0..GROUP).step_by(I) {
            let (ib, ob) = (&blocks[done * block..], &mut self.sums[done * out_block..]);
            let own = own_bodies(self.first, self.begin + done * V::LEN, I * V::LEN, self.j.len());
            some::<L, V, I>(token, ib, self.j, own, 0, self.par, ob);
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

/// B vectors of i-bodies against all j-bodies, those of `own` last: the j-bodies that these vectors and perhaps others
/// with them are. The first vector begins with number `at` of them.
#[inline(always)]
pub(super) fn some<L: PairLaw, V: Vector, const B: usize>(
    token: V::Token,
    blocks: &[V::T],
    j: &Packed<V::T>,
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
    let (before, after) = (own.start, own.end);
    let (each, j_block) = (j.each(), j_block_size(j.len()) * fields);
    for j_block in each[..before * fields].chunks(j_block).chain(each[after * fields..].chunks(j_block)) {
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
    // not unrolled: the law is compiled once for the diagonal, which is rare
    for k in 0..B {
        let mut out = total[k];
        if after > before {
            let own = &each[before * fields..after * fields];
            lanes::own_block::<L, V>(token, &i[k], own, &par, at + k * V::LEN, &mut out);
        }
        lanes::store::<L, V>(&out, &mut sums[k * results * V::LEN..]);
    }
}
