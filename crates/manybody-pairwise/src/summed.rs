//! The one-sided kernel with a choice of [`Summation`], for laws whose results are sums.
//!
//! ```text
//!            j, one at a time, in all lanes
//!          ------------------------------->
//!   4 vec- | * * * * | * * * * | * * * *     a block's sums stay in registers; its number of bodies j (one, for most
//!   tors i | * * * * | * * * * | * * * *     choices) and how blocks are added is the summation
//! ```
//!
//! The summation is selected once per block, so there is one kernel per law. It costs as much as blocks of one body:
//! the terms go through the cache. Rates: `manybody paper chamomile-table-2`.

use super::lanes::{self, I as SIDE_I, J as SIDE_J, unroll};
use super::one_sided::{PAIRS_OF_ONE_THREAD, gather, j_block_size, own_bodies};
use super::packed::{GROUP, Packed};
use super::summation::Summation;
use crate::Result;
use crate::law::{Cell, PairLaw, cells};
use crate::simd::{Kernel, Level, Vector, launch};
use crate::watch::{self, Look, Watch};
use manybody_ranks::Team;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;

/// Terms that pairwise summation adds one by one before it pairs sums.
const LEAF: usize = 32;
/// Results times lanes of the largest law and the widest vector of f32.
const MAX_NUMBERS: usize = 8 * 16;
/// A fixed-point sum of 2^62 or more has left its range, with room for a term of 2^61 that shows it.
const FULL: f64 = (1_u64 << 62) as f64;

/// A body and a result whose fixed-point sum left its range.
type Overflow = Option<(usize, usize)>;

/// What bodies j do to bodies i under law L, summed in a chosen way: `out[result][i]`. With `first`, body k of i is body
/// `first` + k of j and does not act on itself. For `fixed`, `range[result]` is what the results must stay below. Returns a
/// body and a result whose fixed-point sum left its range, if one did. The result is the same for any number of threads.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted) where `watch` asks for an end.
pub fn summed<L: PairLaw>(
    (level, (watch, team)): (Level, (&Watch, Option<&Team>)),
    [i, j]: [&Packed<f32>; 2],
    first: Option<usize>,
    par: &[f32],
    summation: Summation,
    range: &[f64],
    out: &mut [Vec<f64>],
) -> Result<Overflow> {
    let (n, lanes, results) = (i.len(), i.lanes(), out.len());
    out.iter_mut().for_each(|column| column.resize(n, 0.0));
    if n == 0 {
        return Ok(None);
    }
    assert!(results * lanes <= MAX_NUMBERS && cells::<L::Out<f64>>().iter().all(|cell| cell.numbers() == 1));
    let j_block = match summation {
        Summation::Direct => usize::MAX,
        Summation::Blocked(j_block) => j_block.unwrap_or(j_block_size(j.len())),
        Summation::Pairwise => LEAF,
        _ => 1,
    };
    let scale = range.iter().map(|range| FULL / range).collect();
    let how = How { summation, j_block, scale, lanes };
    let size = GROUP * lanes;
    // those of this rank
    let all = n.div_ceil(size);
    let own = team.map_or(0..all, |team| team.part(all));
    let mut sums = vec![0.0; own.len() * size * results];
    let look = watch.begin(n as u64 * j.len() as u64, own.len() as u64);
    let work = |(g, sums): (usize, &mut [f64])| {
        if look.as_ref().is_some_and(Look::ends) || team.is_some_and(Team::has_ended) {
            return (Vec::new(), None);
        }
        let begin = (own.start + g) * size;
        let done = launch(level, Group::<L> { i, j, first, par, begin, how: &how, sums, law: PhantomData });
        look.iter().for_each(Look::count);
        done
    };
    let done: Vec<(Vec<f64>, Overflow)> = if n * j.len() <= PAIRS_OF_ONE_THREAD {
        sums.chunks_mut(size * results).enumerate().map(work).collect()
    } else {
        sums.par_chunks_mut(size * results).enumerate().map(work).collect()
    };
    watch::outcome(look.as_ref())?;
    let factors = done.first().map(|(factors, _)| factors.clone()).unwrap_or_default();
    for (k, column) in out.iter_mut().enumerate() {
        // a rank without a group has no factors, and no sums
        let factor = factors.get(k).copied().unwrap_or_default();
        for (b, block) in sums.chunks_exact(results * lanes).enumerate() {
            let begin = ((own.start * GROUP + b) * lanes).min(n);
            let to = &mut column[begin..(begin + lanes).min(n)];
            to.iter_mut().zip(&block[k * lanes..]).for_each(|(to, from)| *to = *from * factor);
        }
    }
    let left = done.into_iter().find_map(|(_, left)| left.filter(|(body, _)| *body < n));
    let Some(team) = team else { return Ok(left) };
    gather(team, out, |rank| {
        let part = team.part_of(rank, all);
        (part.start * size).min(n)..(part.end * size).min(n)
    })?;
    first_overflow(team, left)
}

/// The overflow of the lowest rank that has one, as it is found by one process.
fn first_overflow(team: &Team, own: Overflow) -> Result<Overflow> {
    let words = own.map_or(Vec::new(), |(body, result)| vec![body as u64, result as u64]);
    let all = team.gather(words)?;
    Ok(all.iter().find(|words| words.len() == 2).map(|words| (words[0] as usize, words[1] as usize)))
}

/// x rounded to the nearest integer, to the even one of two, where |x| < 2^61; anything elsewhere. In two halves, because
/// most vector instructions convert no f64 to 64 bits.
#[inline(always)]
pub fn nearest_integer(x: f64) -> i64 {
    // a sum with this has a last bit of 1, and the integer in its lowest 51 bits
    const SHIFT: f64 = 1.5 * (1_u64 << 52) as f64;
    const HALF: f64 = (1_u64 << 32) as f64;
    let integer = |shifted: f64| (shifted.to_bits() as i64).wrapping_sub(SHIFT.to_bits() as i64);
    let high = x * HALF.recip() + SHIFT;
    // exact, and below 2^32: the high part is even, so that what is left is rounded as x would be
    let low = x - (high - SHIFT) * HALF;
    (integer(high) << 32).wrapping_add(integer(low + SHIFT))
}

/// The summation, and what it needs to know.
struct How {
    summation: Summation,
    j_block: usize,
    /// Fixed point: units a result.
    scale: Vec<f64>,
    lanes: usize,
}

impl How {
    /// The same with units of sums that are results without these factors, as kernels leave them out.
    fn without(&self, factors: &[(Cell, f64)]) -> Self {
        let scale = self.scale.iter().zip(factors).map(|(scale, (_, factor))| scale * factor.abs()).collect();
        How { scale, ..*self }
    }
}

/// The sums of one vector of bodies so far, `[result][lane]`. Each summation uses its part.
struct Held {
    high: [f32; MAX_NUMBERS],
    low: [f32; MAX_NUMBERS],
    wide: [f64; MAX_NUMBERS],
    fixed: [i64; MAX_NUMBERS],
    overflowed: [bool; MAX_NUMBERS],
    /// Pairwise: sums of 2^k leaves, where bit k of `leaves` is set.
    levels: Vec<[f32; MAX_NUMBERS]>,
    leaves: u64,
}

impl Held {
    fn new() -> Self {
        Held {
            high: [0.0; MAX_NUMBERS],
            low: [0.0; MAX_NUMBERS],
            wide: [0.0; MAX_NUMBERS],
            fixed: [0; MAX_NUMBERS],
            overflowed: [false; MAX_NUMBERS],
            levels: Vec::new(),
            leaves: 0,
        }
    }

    /// Adds the sums of a block, `[result][lane]`.
    #[inline(always)]
    fn add(&mut self, how: &How, block_sums: &[f32]) {
        let n = block_sums.len();
        match how.summation {
            Summation::Direct | Summation::Blocked(_) => {
                self.high[..n].iter_mut().zip(block_sums).for_each(|(sum, term)| *sum += term);
            }
            Summation::Pairwise => self.pair(block_sums),
            Summation::Compensated => {
                for ((high, low), term) in self.high[..n].iter_mut().zip(&mut self.low[..n]).zip(block_sums) {
                    // two-sum: `sum` and `lost` together are exactly `high` and `term`
                    let sum = *high + term;
                    let part = sum - *high;
                    let lost = (*high - (sum - part)) + (term - part);
                    (*high, *low) = (sum, *low + lost);
                }
            }
            Summation::F64 => {
                self.wide[..n].iter_mut().zip(block_sums).for_each(|(sum, term)| *sum += f64::from(*term));
            }
            Summation::Fixed => {
                for (k, block_sums) in block_sums.chunks_exact(how.lanes).enumerate() {
                    let at = k * how.lanes;
                    let (sums, left) = (&mut self.fixed[at..], &mut self.overflowed[at..]);
                    for ((sum, left), term) in sums.iter_mut().zip(left).zip(block_sums) {
                        let term = f64::from(*term) * how.scale[k];
                        // the comparison is false for NaN, too
                        let fits = term.abs() < FULL / 2.0;
                        *sum = sum.wrapping_add(nearest_integer(term));
                        *left |= !fits | (sum.unsigned_abs() >= FULL as u64);
                    }
                }
            }
        }
    }

    /// Pairwise: a leaf meets sums of as many leaves as it has become.
    #[inline(always)]
    fn pair(&mut self, leaf: &[f32]) {
        let (mut sum, n) = ([0.0; MAX_NUMBERS], leaf.len());
        sum[..n].copy_from_slice(leaf);
        let mut level = 0;
        while self.leaves >> level & 1 == 1 {
            sum[..n].iter_mut().zip(&self.levels[level]).for_each(|(sum, held)| *sum += held);
            level += 1;
        }
        if level == self.levels.len() {
            self.levels.push(sum);
        } else {
            self.levels[level] = sum;
        }
        self.leaves += 1;
    }

    /// Sum number `k`, in units of the result that it belongs to.
    fn total(&self, how: &How, k: usize) -> f64 {
        match how.summation {
            Summation::Direct | Summation::Blocked(_) => self.high[k].into(),
            Summation::Pairwise => {
                let held = self.levels.iter().enumerate().filter(|(level, _)| self.leaves >> level & 1 == 1);
                held.fold(0.0_f32, |sum, (_, level)| sum + level[k]).into()
            }
            Summation::Compensated => f64::from(self.high[k]) + f64::from(self.low[k]),
            Summation::F64 => self.wide[k],
            Summation::Fixed => self.fixed[k] as f64 / how.scale[k / how.lanes],
        }
    }
}

/// A group of bodies i against all j. Returns the factors of the results, and what left its range.
struct Group<'a, L> {
    i: &'a Packed<f32>,
    j: &'a Packed<f32>,
    /// Where the bodies i are among the bodies j.
    first: Option<usize>,
    par: &'a [f32],
    /// The group's first body i.
    begin: usize,
    how: &'a How,
    sums: &'a mut [f64],
    law: PhantomData<L>,
}

impl<L: PairLaw> Kernel<f32> for Group<'_, L> {
    type Output = (Vec<f64>, Overflow);
    #[inline(always)]
    fn run<V: Vector<T = f32>, const I: usize, const J: usize>(self, token: V::Token) -> Self::Output {
        let fields = self.i.fields();
        let factors = lanes::factors::<L, V>(token, &self.i.each()[..fields], self.par);
        let (block, out_block) = (fields * V::LEN, factors.len() * V::LEN);
        let how = self.how.without(&factors);
        let blocks = &self.i.blocks()[self.begin / V::LEN * block..];
        let mut overflowed = None;
        for done in (0..GROUP).step_by(I) {
            let begin = self.begin + done * V::LEN;
            let own = own_bodies(self.first, begin, I * V::LEN, self.j.len());
            let mut held = [(); I].map(|()| Held::new());
            some::<L, V, I>(token, &blocks[done * block..], self.j, own, self.par, &how, &mut held);
            for (v, held) in held.iter().enumerate() {
                let sums = &mut self.sums[(done + v) * out_block..(done + v + 1) * out_block];
                sums.iter_mut().enumerate().for_each(|(k, sum)| *sum = held.total(&how, k));
                let left = held.overflowed[..out_block].iter().position(|left| *left);
                overflowed = overflowed.or(left.map(|k| (begin + v * V::LEN + k % V::LEN, k / V::LEN)));
            }
        }
        (factors.into_iter().map(|(_, factor)| factor).collect(), overflowed)
    }
}

/// B vectors of bodies i against all j, those of `own` last: the bodies j that these vectors are.
#[inline(always)]
fn some<L: PairLaw, V: Vector<T = f32>, const B: usize>(
    token: V::Token,
    blocks: &[f32],
    j: &Packed<f32>,
    own: Range<usize>,
    par: &[f32],
    how: &How,
    held: &mut [Held; B],
) {
    let zero = V::splat(token, 0.0);
    let par = lanes::parameters::<L, V>(token, par);
    let fields = lanes::width_of::<L::Body<f64>>();
    let size = lanes::width_of::<L::Out<f64>>() * V::LEN;
    let mut i = [lanes::load::<L, V>(token, blocks, SIDE_I); B];
    unroll::<B>(
        #[inline(always)]
        |k| i[k] = lanes::load::<L, V>(token, &blocks[k * fields * V::LEN..], SIDE_I),
    );
    let (before, after) = (own.start, own.end);
    let each = j.each();
    let mut sum = [lanes::zeroed::<L, V>(zero); B];
    let mut terms = [[0.0; MAX_NUMBERS]; B];
    // a direct sum is never flushed; every other one after each block
    let running = how.summation == Summation::Direct;
    let j_block = how.j_block.min(j.len()).max(1) * fields;
    for j_block in each[..before * fields].chunks(j_block).chain(each[after * fields..].chunks(j_block)) {
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
        if !running {
            flush_partial::<L, V, B>(&mut sum, &mut terms, size, how, held, zero);
        }
    }
    // the vectors' own bodies, of which each meets all but itself
    for (k, body) in each[before * fields..after * fields].chunks_exact(fields).enumerate() {
        let j = lanes::splat::<L, V>(token, body, SIDE_J);
        // unrolled although it is rare: with a variable index, the sums of the loop above would live in memory, and sums
        // take three times as long
        unroll::<B>(
            #[inline(always)]
            |v| {
                let mut term = lanes::zeroed::<L, V>(zero);
                L::pair(&i[v], &j, &par, &mut term);
                let itself = V::lane_numbers(token).same(zero.lit(k as f64 - (v * V::LEN) as f64));
                let term = if L::SELF { term } else { lanes::keep::<L, V>(!itself, &term, zero) };
                lanes::merge::<L, V>(&mut sum[v], &term);
            },
        );
        if !running {
            flush_partial::<L, V, B>(&mut sum, &mut terms, size, how, held, zero);
        }
    }
    if running {
        flush_partial::<L, V, B>(&mut sum, &mut terms, size, how, held, zero);
    }
}

/// Adds the sums of a block to what is held, and begins new ones.
#[inline(always)]
fn flush_partial<L: PairLaw, V: Vector<T = f32>, const B: usize>(
    sum: &mut [lanes::Out<L, V>; B],
    terms: &mut [[f32; MAX_NUMBERS]; B],
    size: usize,
    how: &How,
    held: &mut [Held; B],
    zero: V,
) {
    unroll::<B>(
        #[inline(always)]
        |k| {
            lanes::store::<L, V>(&sum[k], &mut terms[k]);
            sum[k] = lanes::zeroed::<L, V>(zero);
        },
    );
    for (held, terms) in held.iter_mut().zip(terms) {
        held.add(how, &terms[..size]);
    }
}
