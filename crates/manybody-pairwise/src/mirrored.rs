//! The mirrored kernel: every pair once, both bodies served (Newton's third law), over the triangular domain.
//!
//! Bodies are cut into nt tiles of T. Tile pairs (I, J) are visited in rounds, circulant: round d pairs tile I with
//! tile I + d mod nt, so that in a round every tile is served once as I and once as J. A thread computes a tile pair,
//! or a part of one, into sums of its own and adds these to the tiles' when it is their turn: the two kinds of sums are
//! kept apart, and a tile's sums of one kind follow the order of the rounds. No atomics, memory O(N), and the same bits
//! for any number of threads.
//!
//! ```text
//!   nt = 6      J                      inside a tile pair: j-bodies wait in registers, spread over all lanes, with
//!          0 1 2 3 4 5                 their sums; i-bodies stream through from the cache, with theirs:
//!      0   0 1 2 3 . .
//!      1   . 0 1 2 3 .                     for j in J (2 at a time, AVX-512)
//!   I  2   . . 0 1 2 3                         for each vector of i in I
//!      3   . . . 0 1 2                             law(i, j) -> sum of i (to memory)
//!      4   2 . . . 0 1                             law(j, i) -> sum of j (in registers, lane by lane)
//!      5   1 2 . . . 0                         add the lanes of the sums of j
//! ```
//!
//! No lane is ever rotated: the usual form, vectors against vectors with rotation, pays a shuffle for every result and
//! step on a port that arithmetic needs (7.8e9 interactions/s a core at best where this form has room to 9e9).

mod shared;

pub use shared::owners;

use super::lanes::{self, I as SIDE_I, J as SIDE_J, Out, unroll};
use super::packed::{Aligned, GROUP, Packed};
use crate::Result;
use crate::law::{Cell, PairLaw};
use crate::simd::{Element, Interleaved4, Kernel, Level, Vector, launch};
use crate::watch::{self, Look, Watch};
use manybody_ranks::Team;
use shared::Shared;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bodies a tile: as many as a j-body meets in one stream. Larger tiles stream longer: on two AVX-512 cores at N =
/// 65,536, f32, T = 512 gives 14.8e9 interactions/s, 1,024 15.5, 2,048 16.8, 4,096 17.2 (Xeon of the fifth generation,
/// 2026-11). Depends on N alone, so the sums do too.
fn tile_size(n: usize) -> usize {
    (n / 16).next_power_of_two().clamp(ONE_TILE, 4096)
}

/// Bodies J that are handed out at once: a tile's, or a part of them. That makes 136 tasks or more of 16 tiles, so that
/// many threads have work, and shortens no stream. A multiple of [`J_BLOCK`] and of every number of lanes.
const PART: usize = 1024;

/// How many j-bodies an i-body sums over before the sum goes to the others (the Chamomile scheme's J-bags [Hamada 2007,
/// sect. 3]): N = 65,536 in one chain is off by 5.3e-6 of the rms force at worst. Blocks make the sum of a part of a
/// tile, in two short chains; parts and tiles are added in f64. By the measure of [Hamada 2007, table 2] at N = 4,096,
/// in the median of nine draws, blocks of 64, 128 and 256 are off by 2.4e-7, 2.1e-7 and 2.6e-7, exact sums by 2.0e-7.
/// Adding the sums of a block to the others costs what one of its j-bodies does. A multiple of every J.
const J_BLOCK: usize = 128;

/// Bodies of a tile at least: so many are one tile in any case.
pub(super) const ONE_TILE: usize = 256;

/// So few tasks are done by the calling thread: waking others takes longer. A choice by the number of bodies alone.
const FEW_TASKS: usize = 3;

/// The sums of a tile, or of a part of one, in one role, and how many contributions have been added to them. They are
/// f64: a contribution is that of hundreds of pairs, so it costs nothing, and the longest of the chains loses no digit.
struct Sums {
    added: AtomicUsize,
    values: Mutex<Aligned<f64>>,
}

/// What one thread needs for a task: the sums of a tile and of a part, and those of a block; for a system of one tile,
/// all that an evaluation needs.
#[derive(Debug, Default)]
pub(super) struct Scratch<T> {
    of_i: Aligned<T>,
    of_j: Aligned<T>,
    block_sums: Aligned<T>,
    cells: Vec<(Cell, f64)>,
    sums_of_i: Aligned<f64>,
    sums_of_j: Aligned<f64>,
}

/// What all bodies do to each other under law L: `out[result][body]`. Pairs are evaluated once. The result is the same
/// for any number of threads.
pub fn mirrored<L: PairLaw, T: Element>(level: Level, bodies: &Packed<T>, par: &[T], out: &mut [Vec<T>]) {
    let (scratch, watch) = (&mut Scratch::default(), Watch::default());
    // a watch of its own asks for no end
    let _ = mirrored_with::<L, T>(level, bodies, par, out, scratch, (&watch, None));
}

/// [`mirrored`] in memory that serves again: nothing is allocated for a system of one tile. Of ranks that share it, rank 0
/// gets the results.
pub(super) fn mirrored_with<L: PairLaw, T: Element>(
    level: Level,
    bodies: &Packed<T>,
    par: &[T],
    out: &mut [Vec<T>],
    scratch: &mut Scratch<T>,
    (watch, team): (&Watch, Option<&Team>),
) -> Result<()> {
    let n = bodies.len();
    out.iter_mut().for_each(|column| column.resize(n, T::default()));
    if n == 0 {
        return Ok(());
    }
    if n <= ONE_TILE {
        one_tile::<L, T>(level, bodies, par, out, scratch);
        return Ok(());
    }
    let schedule = Schedule::<L, T>::new(level, bodies, par, out.len());
    if let Some(team) = team {
        return Shared::new(schedule, team).run(watch, out);
    }
    let tasks = schedule.tiles * (schedule.tiles + 1) / 2 * schedule.parts;
    let next = AtomicUsize::new(0);
    let look = watch.begin((n as u64).pow(2), tasks as u64);
    let work = || {
        let mut scratch = Scratch::default();
        // a task that was handed out is done in any case: others wait for its sums
        while !look.as_ref().is_some_and(Look::ends)
            && let Some(task) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|task| *task < tasks)
        {
            schedule.task(task, &mut scratch);
            look.iter().for_each(Look::count);
        }
    };
    if tasks <= FEW_TASKS {
        work();
    } else {
        // a thread that wakes up late finds less work, and no thread waits for one that would find no work
        rayon::scope(|scope| {
            (1..tasks.min(rayon::current_num_threads())).for_each(|_| scope.spawn(|_| work()));
            work();
        });
    }
    watch::outcome(look.as_ref())?;
    schedule.gather(out);
    Ok(())
}

/// [`mirrored`] for bodies of one tile, with the same bits as by the schedule: on the calling thread, without a lock.
fn one_tile<L: PairLaw, T: Element>(
    level: Level,
    bodies: &Packed<T>,
    par: &[T],
    out: &mut [Vec<T>],
    scratch: &mut Scratch<T>,
) {
    let (n, lanes, results) = (bodies.len(), bodies.lanes(), out.len());
    let Scratch { of_i, of_j, block_sums, cells, sums_of_i, sums_of_j } = scratch;
    cells.clear();
    launch(level, Factors::<L, T> { bodies, par, to: cells, law: PhantomData });
    let room = n.div_ceil(lanes * GROUP) * GROUP * lanes;
    nothing(cells, 1, n, of_j);
    of_i.reset(room * results, T::default());
    block_sums.reset(room * results, T::default());
    let pair = TilePair::<L, T> {
        i: 0..n,
        j: 0..n,
        bodies,
        par,
        i_sums: of_i.as_mut_slice(),
        j_sums: of_j.as_mut_slice(),
        block_sums: block_sums.as_mut_slice(),
        law: PhantomData,
    };
    launch(level, pair);
    nothing(cells, lanes, room, sums_of_i);
    nothing(cells, 1, n, sums_of_j);
    merge(cells, lanes, sums_of_i.as_mut_slice(), of_i.as_slice());
    merge(cells, 1, sums_of_j.as_mut_slice(), of_j.as_slice());
    let (as_i, as_j) = (sums_of_i.as_slice(), sums_of_j.as_slice());
    for body in 0..n {
        let as_i = |k: usize| as_i[(body / lanes * results + k) * lanes + body % lanes];
        let as_j = |k: usize| as_j[body * results + k];
        combine(cells, as_i, as_j, body, out);
    }
}

/// The two kinds of sums of a body made one.
fn combine<T: Element>(
    cells: &[(Cell, f64)],
    as_i: impl Fn(usize) -> f64,
    as_j: impl Fn(usize) -> f64,
    body: usize,
    out: &mut [Vec<T>],
) {
    for (k, (cell, factor)) in cells.iter().enumerate() {
        match cell.numbers() {
            2 => {
                let both = cell.join([as_i(k), as_i(k + 1)], [as_j(k), as_j(k + 1)]);
                (out[k][body], out[k + 1][body]) = (T::from_f64(both[0]), T::from_f64(both[1]));
            }
            0 => {} // came with its first half
            _ => out[k][body] = T::from_f64(cell.combine(as_i(k), as_j(k)) * factor),
        }
    }
}

struct Schedule<'a, L, T> {
    level: Level,
    bodies: &'a Packed<T>,
    par: &'a [T],
    tile: usize,
    tiles: usize,
    /// Of a tile.
    parts: usize,
    results: usize,
    cells: Vec<(Cell, f64)>,
    /// `[vector][result][lane]` a tile.
    of_i: Vec<Sums>,
    /// `[body][result]` a part of a tile.
    of_j: Vec<Sums>,
    law: PhantomData<L>,
}

impl<'a, L: PairLaw, T: Element> Schedule<'a, L, T> {
    fn new(level: Level, bodies: &'a Packed<T>, par: &'a [T], results: usize) -> Self {
        let tile = tile_size(bodies.len());
        let part = PART.min(tile);
        let (tiles, parts) = (bodies.len().div_ceil(tile), tile / part);
        let cells = cells::<L, T>(level, bodies, par);
        let sums = |count, lanes| {
            let mut values = Aligned::default();
            nothing(&cells, lanes, count, &mut values);
            Sums { added: AtomicUsize::new(0), values: Mutex::new(values) }
        };
        let of_i = (0..tiles).map(|_| sums(tile, bodies.lanes())).collect();
        let of_j = (0..tiles * parts).map(|_| sums(part, 1)).collect();
        Schedule { level, bodies, par, tile, tiles, parts, results, cells, of_i, of_j, law: PhantomData }
    }

    /// Task number `task`, in the order of the rounds: a tile with a part of another. Its sums wait for those that come
    /// before in their order, which some thread is at, for tasks are handed out in that order.
    fn task(&self, task: usize, scratch: &mut Scratch<T>) {
        let (round, i, part) = self.compute(task, scratch);
        let j = (i + round) % self.tiles;
        self.of_i[i].add(&self.cells, self.bodies.lanes(), round * self.parts + part, scratch.of_i.as_slice());
        self.of_j[j * self.parts + part].add(&self.cells, 1, round, scratch.of_j.as_slice());
    }

    /// Computes task number `task`: its round, its tile I and its part of tile J, and in `scratch` its sums.
    fn compute(&self, task: usize, scratch: &mut Scratch<T>) -> (usize, usize, usize) {
        let (pair, part) = (task / self.parts, task % self.parts);
        let (round, i) = (pair / self.tiles, pair % self.tiles);
        let j = (i + round) % self.tiles;
        let Scratch { of_i, of_j, block_sums, .. } = scratch;
        nothing(&self.cells, 1, self.tile / self.parts, of_j);
        of_i.reset(self.tile * self.results, T::default());
        block_sums.reset(self.tile * self.results, T::default());
        let pair = TilePair::<L, T> {
            i: self.range(i, 0..self.parts),
            j: self.range(j, part..part + 1),
            bodies: self.bodies,
            par: self.par,
            i_sums: of_i.as_mut_slice(),
            j_sums: of_j.as_mut_slice(),
            block_sums: block_sums.as_mut_slice(),
            law: PhantomData,
        };
        launch(self.level, pair);
        (round, i, part)
    }

    /// The bodies of parts of a tile; some parts of the last tile can be empty.
    fn range(&self, tile: usize, parts: Range<usize>) -> Range<usize> {
        let (n, part) = (self.bodies.len(), self.tile / self.parts);
        let at = |k: usize| (tile * self.tile + k * part).min(n);
        at(parts.start)..at(parts.end)
    }

    /// Adds the two kinds of sums of every body.
    fn gather(self, out: &mut [Vec<T>]) {
        let (lanes, results, part) = (self.bodies.lanes(), self.results, self.tile / self.parts);
        let values = |sums: Sums| sums.values.into_inner().expect("a poisoned lock means a thread has panicked");
        let of_j: Vec<_> = self.of_j.into_iter().map(values).collect();
        for (tile, of_i) in self.of_i.into_iter().map(values).enumerate() {
            let first = tile * self.tile;
            for own in 0..self.tile.min(self.bodies.len() - first) {
                let body = first + own;
                let as_i = |k: usize| of_i.as_slice()[(own / lanes * results + k) * lanes + own % lanes];
                let as_j = |k: usize| of_j[tile * self.parts + own / part].as_slice()[own % part * results + k];
                combine(&self.cells, as_i, as_j, body, out);
            }
        }
    }
}

impl Sums {
    /// Adds contribution number `turn`, after all before it.
    fn add<T: Element>(&self, cells: &[(Cell, f64)], lanes: usize, turn: usize, from: &[T]) {
        let mut spins = 0_u32;
        while self.added.load(Ordering::Acquire) < turn {
            spins += 1;
            if spins < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        let mut values = self.values.lock().expect("a poisoned lock means a thread has panicked");
        merge(cells, lanes, values.as_mut_slice(), from);
        self.added.fetch_add(1, Ordering::Release);
    }
}

/// Sums of `count` bodies before any contribution: `[vector][result][lane]`.
fn nothing<T: Element>(cells: &[(Cell, f64)], lanes: usize, count: usize, sums: &mut Aligned<T>) {
    sums.reset(count * cells.len(), T::default());
    if !plain(cells) {
        for (k, lane) in sums.as_mut_slice().chunks_exact_mut(lanes).enumerate() {
            lane.fill(cells[k % cells.len()].0.identity(T::default()));
        }
    }
}

/// Sums made one with others: `[vector][result][lane]`.
pub(super) fn merge<S: Element, T: Element>(cells: &[(Cell, f64)], lanes: usize, sums: &mut [S], others: &[T]) {
    let wide = |other: T| S::from_f64(other.to_f64());
    if plain(cells) {
        return sums.iter_mut().zip(others).for_each(|(sum, other)| *sum = *sum + wide(*other));
    }
    let size = cells.len() * lanes;
    for (sums, others) in sums.chunks_exact_mut(size).zip(others.chunks_exact(size)) {
        for (k, (cell, _)) in cells.iter().enumerate() {
            for at in k * lanes..(k + 1) * lanes {
                match cell.numbers() {
                    2 => {
                        let other = [wide(others[at]), wide(others[at + lanes])];
                        let both = cell.join([sums[at], sums[at + lanes]], other);
                        (sums[at], sums[at + lanes]) = (both[0], both[1]);
                    }
                    0 => {} // came with its first half
                    _ => sums[at] = cell.combine(sums[at], wide(others[at])),
                }
            }
        }
    }
}

/// All results are sums, of which there is nothing to know.
fn plain(cells: &[(Cell, f64)]) -> bool {
    cells.iter().all(|(cell, _)| *cell == Cell::Sum)
}

/// The cells of the law's results, with the factors that are left out of their sums.
pub(super) fn cells<L: PairLaw, T: Element>(level: Level, bodies: &Packed<T>, par: &[T]) -> Vec<(Cell, f64)> {
    let mut cells = Vec::new();
    launch(level, Factors::<L, T> { bodies, par, to: &mut cells, law: PhantomData });
    cells
}

struct Factors<'a, L, T> {
    bodies: &'a Packed<T>,
    par: &'a [T],
    to: &'a mut Vec<(Cell, f64)>,
    law: PhantomData<L>,
}

impl<L: PairLaw, T: Element> Kernel<T> for Factors<'_, L, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        let (body, to) = (&self.bodies.each()[..self.bodies.fields()], self.to);
        lanes::each_factor::<L, V>(
            token,
            body,
            self.par,
            #[inline(always)]
            |cell, factor| to.push((cell, factor)),
        );
    }
}

/// The bodies of a tile and those of another, or of a part of another or of itself that begins with a multiple of
/// [`J_BLOCK`].
pub(super) struct TilePair<'a, L, T> {
    pub(super) i: Range<usize>,
    pub(super) j: Range<usize>,
    pub(super) bodies: &'a Packed<T>,
    pub(super) par: &'a [T],
    /// What was in them is forgotten.
    pub(super) i_sums: &'a mut [T],
    /// Are added to.
    pub(super) j_sums: &'a mut [T],
    /// As long as `i_sums`.
    pub(super) block_sums: &'a mut [T],
    pub(super) law: PhantomData<L>,
}

impl<L: PairLaw, T: Element> Kernel<T> for TilePair<'_, L, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        if L::TRANSCENDENTAL && V::LEN > 1 { self.on::<Interleaved4<V>, 1>(token) } else { self.on::<V, J>(token) }
    }
}

impl<L: PairLaw, T: Element> TilePair<'_, L, T> {
    #[inline(always)]
    pub(super) fn on<V: Vector<T = T>, const J: usize>(self, token: V::Token) {
        let fields = lanes::width_of::<L::Body<f64>>();
        let results = lanes::width_of::<L::Out<f64>>();
        let blocks = &self.bodies.blocks()[self.i.start * fields..];
        let each = &self.bodies.each()[self.j.start * fields..self.j.end * fields];
        let (full, tail) = (self.i.len() / V::LEN, self.i.len() % V::LEN);
        let stream = Stream::<L, V> { token, par: self.par, law: PhantomData };
        // on the diagonal, the j-bodies of vector v meet the vectors after v
        let diagonal = self.i.contains(&self.j.start).then(|| self.j.start - self.i.start);
        let first = |j: usize| diagonal.map_or(0, |before| (before + j) / V::LEN + 1);
        let even = self.j.len() / J * J;
        // i-bodies sum over a block of j-bodies at a time: a chain of N additions in f32 would lose digits
        stream.clear(self.i_sums);
        for first_j in (0..even).step_by(J_BLOCK) {
            if first(first_j) >= full {
                break; // nor do later ones meet a whole vector: on the diagonal of a small tile
            }
            stream.clear(self.block_sums);
            for j in (first_j..even.min(first_j + J_BLOCK)).step_by(J) {
                let (bodies, j_sums) = (&each[j * fields..], &mut self.j_sums[j * results..]);
                let begin = first(j);
                if begin < full {
                    stream.run::<J>(blocks, bodies, self.block_sums, j_sums, begin..full);
                }
            }
            stream.add(self.i_sums, self.block_sums);
        }
        // what is left over: the last j-bodies, and a last vector of which only some lanes are bodies
        for j in even..self.j.len() {
            for vector in first(j)..full {
                let (bodies, j_sums) = (&each[j * fields..(j + 1) * fields], &mut self.j_sums[j * results..]);
                stream.some_of(blocks, bodies, self.i_sums, j_sums, vector, V::LEN);
            }
        }
        if tail > 0 {
            // on the diagonal, the vector's own bodies and those after them are met elsewhere
            let before = diagonal.map_or(self.j.len(), |before| (full * V::LEN).saturating_sub(before));
            let bodies = &each[..before.min(self.j.len()) * fields];
            stream.some_of(blocks, bodies, self.i_sums, self.j_sums, full, tail);
        }
        if let Some(before) = diagonal {
            let (body, sum) = (fields * V::LEN, results * V::LEN);
            let vector = before / V::LEN;
            stream.diagonal(&blocks[vector * body..], each, &mut self.i_sums[vector * sum..]);
        }
    }
}

struct Stream<'a, L, V: Vector> {
    token: V::Token,
    par: &'a [V::T],
    law: PhantomData<L>,
}

impl<L: PairLaw, V: Vector> Stream<'_, L, V> {
    /// Sets sums to what cells hold before any contribution.
    #[inline(always)]
    fn clear(&self, sums: &mut [V::T]) {
        let results = lanes::width_of::<L::Out<f64>>();
        let nothing = lanes::zeroed::<L, V>(V::splat(self.token, V::T::default()));
        for sum in sums.chunks_exact_mut(results * V::LEN) {
            lanes::store::<L, V>(&nothing, sum);
        }
    }

    /// Combines sums with others.
    #[inline(always)]
    fn add(&self, sums: &mut [V::T], others: &[V::T]) {
        let size = lanes::width_of::<L::Out<f64>>() * V::LEN;
        for (sum, other) in sums.chunks_exact_mut(size).zip(others.chunks_exact(size)) {
            let mut both = lanes::load_sums::<L, V>(self.token, sum);
            lanes::merge::<L, V>(&mut both, &lanes::load_sums::<L, V>(self.token, other));
            lanes::store::<L, V>(&both, sum);
        }
    }

    /// B bodies j against whole vectors of I: where the time goes.
    #[inline(always)]
    fn run<const B: usize>(
        &self,
        blocks: &[V::T],
        j: &[V::T],
        i_sums: &mut [V::T],
        j_sums: &mut [V::T],
        vectors: Range<usize>,
    ) {
        let token = self.token;
        let (fields, results) = (lanes::width_of::<L::Body<f64>>(), lanes::width_of::<L::Out<f64>>());
        let zero = V::splat(token, V::T::default());
        let par = lanes::parameters::<L, V>(token, self.par);
        let mut bodies = [lanes::splat::<L, V>(token, j, SIDE_J); B];
        unroll::<B>(
            #[inline(always)]
            |k| bodies[k] = lanes::splat::<L, V>(token, &j[k * fields..], SIDE_J),
        );
        let mut of_j = [lanes::zeroed::<L, V>(zero); B];
        let (size, out_size) = (fields * V::LEN, results * V::LEN);
        let i = &blocks[vectors.start * size..vectors.end * size];
        let sums = &mut i_sums[vectors.start * out_size..vectors.end * out_size];
        for (block, sum) in i.chunks_exact(size).zip(sums.chunks_exact_mut(out_size)) {
            let i = lanes::load::<L, V>(token, block, SIDE_I);
            let mut of_i = lanes::load_sums::<L, V>(token, sum);
            unroll::<B>(
                #[inline(always)]
                |k| {
                    L::pair(&i, &bodies[k], &par, &mut of_i);
                    of_i = lanes::continued::<L, V>(&of_i);
                    L::pair(&bodies[k], &i, &par, &mut of_j[k]);
                    of_j[k] = lanes::continued::<L, V>(&of_j[k]);
                },
            );
            lanes::store::<L, V>(&of_i, sum);
        }
        unroll::<B>(
            #[inline(always)]
            |k| lanes::reduce::<L, V>(&of_j[k], &mut j_sums[k * results..]),
        );
    }

    /// Bodies j, one after the other, against one vector of I, of which the first `valid` lanes are bodies.
    #[inline(always)]
    fn some_of(
        &self,
        blocks: &[V::T],
        j: &[V::T],
        i_sums: &mut [V::T],
        j_sums: &mut [V::T],
        vector: usize,
        valid: usize,
    ) {
        let token = self.token;
        let (fields, results) = (lanes::width_of::<L::Body<f64>>(), lanes::width_of::<L::Out<f64>>());
        let zero = V::splat(token, V::T::default());
        let par = lanes::parameters::<L, V>(token, self.par);
        let i = lanes::load::<L, V>(token, &blocks[vector * fields * V::LEN..], SIDE_I);
        let exists = V::lane_numbers(token).lt(zero.lit(valid as f64));
        let sum = &mut i_sums[vector * results * V::LEN..];
        let mut of_i: Out<L, V> = lanes::load_sums::<L, V>(token, sum);
        for (j, j_sums) in j.chunks_exact(fields).zip(j_sums.chunks_exact_mut(results)) {
            let j = lanes::splat::<L, V>(token, j, SIDE_J);
            L::pair(&i, &j, &par, &mut of_i);
            of_i = lanes::continued::<L, V>(&of_i);
            let mut of_j = lanes::zeroed::<L, V>(zero);
            L::pair(&j, &i, &par, &mut of_j);
            lanes::reduce::<L, V>(&lanes::keep::<L, V>(exists, &of_j, zero), j_sums);
        }
        lanes::store::<L, V>(&of_i, sum);
    }

    /// The pairs inside each vector of a tile, one-sided.
    #[inline(always)]
    fn diagonal(&self, blocks: &[V::T], each: &[V::T], i_sums: &mut [V::T]) {
        let token = self.token;
        let (fields, results) = (lanes::width_of::<L::Body<f64>>(), lanes::width_of::<L::Out<f64>>());
        let par = lanes::parameters::<L, V>(token, self.par);
        for (vector, bodies) in each.chunks(V::LEN * fields).enumerate() {
            let i = lanes::load::<L, V>(token, &blocks[vector * fields * V::LEN..], SIDE_I);
            let sum = &mut i_sums[vector * results * V::LEN..];
            let mut out: Out<L, V> = lanes::load_sums::<L, V>(token, sum);
            lanes::own_block::<L, V>(token, &i, bodies, &par, 0, &mut out);
            lanes::store::<L, V>(&out, sum);
        }
    }
}
